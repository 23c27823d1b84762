//! What makes a closed form possible, for people.

use super::chain::Chain;
use super::plan::{Order, Place, Plan, Relation, Triple};
use core::fmt;

/// Why an arm has a closed form: how its axes lie. Joints are counted from 0 along the arm, held ones left out.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Family {
    /// The kind of closed form.
    pub kind: FamilyKind,
    /// The joint that is the parameter of an arm with seven joints, unless it is the arm angle.
    pub parameter: Option<usize>,
    /// Two axes beside the three that are parallel to each other.
    pub parallel_pair: Option<[usize; 2]>,
    /// Two axes beside the three that meet.
    pub meeting_pair: Option<[usize; 2]>,
    /// Whether the equations are two after each other, or one of the fourth degree.
    pub is_quartic: bool,
    /// How far the axes are from what the family needs \[rad, or units of the arm's length\]; what is not rounding is refined by steps of the numeric kernel.
    pub deviation: f64,
}

/// Which axes of an arm have something in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FamilyKind {
    /// Three consecutive axes meet in a point: a spherical wrist, or shoulder.
    Meeting([usize; 3]),
    /// Three consecutive axes are parallel.
    Parallel([usize; 3]),
    /// The first three axes of seven meet, and the last three: the arm angle is a parameter.
    ShoulderAndWrist,
}

impl Family {
    pub(super) fn shoulder_and_wrist(deviation: f64) -> Self {
        Self {
            kind: FamilyKind::ShoulderAndWrist,
            parameter: None,
            parallel_pair: None,
            meeting_pair: None,
            is_quartic: false,
            deviation,
        }
    }

    /// - `in_arm`: the joint of the arm that a joint of the chain is
    pub(super) fn new<const J: usize>(
        plan: &Plan,
        chain: &Chain<J>,
        parameter: Option<usize>,
    ) -> Self {
        let in_arm = |joint| chain.joint_in_arm(joint, parameter);
        let sorted = |mut pair: [usize; 2]| {
            pair.sort_unstable();
            pair
        };
        let start = plan.place.start();
        let mut three = [start, start + 1, start + 2].map(in_arm);
        three.sort_unstable();
        let pairs = [
            (plan.outer, sorted([0, 1].map(in_arm))),
            (plan.inner, sorted([plan.place.between(), plan.place.inner()].map(in_arm))),
        ];
        let pair =
            |wanted| pairs.iter().find(|(relation, _)| *relation == wanted).map(|pair| pair.1);
        let has_outer = plan.place == Place::End;
        debug_assert!(
            has_outer || plan.outer == Relation::Skew,
            "no pair beside three axes in the middle"
        );
        Self {
            kind: match plan.triple {
                Triple::Meeting => FamilyKind::Meeting(three),
                Triple::Parallel => FamilyKind::Parallel(three),
            },
            parameter,
            parallel_pair: pair(Relation::Parallel),
            meeting_pair: pair(Relation::Meeting),
            is_quartic: plan.order() == Order::Together,
            deviation: plan.deviation,
        }
    }
}

impl fmt::Display for Family {
    /// For example "closed form: axes 2, 3 and 4 are parallel, 5 and 6 meet", counted from 1.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let three = |[a, b, c]: [usize; 3]| [a + 1, b + 1, c + 1];
        match self.kind {
            FamilyKind::Meeting(joints) => {
                let [a, b, c] = three(joints);
                write!(f, "axes {a}, {b} and {c} meet")?;
            }
            FamilyKind::Parallel(joints) => {
                let [a, b, c] = three(joints);
                write!(f, "axes {a}, {b} and {c} are parallel")?;
            }
            FamilyKind::ShoulderAndWrist => {
                write!(f, "axes 1, 2 and 3 meet, and 5, 6 and 7; the arm angle is free")?;
            }
        }
        if let Some([a, b]) = self.parallel_pair {
            write!(f, ", {} and {} are parallel", a + 1, b + 1)?;
        }
        if let Some([a, b]) = self.meeting_pair {
            write!(f, ", {} and {} meet", a + 1, b + 1)?;
        }
        if self.is_quartic {
            write!(f, ", by an equation of the fourth degree")?;
        }
        if let Some(joint) = self.parameter {
            write!(f, "; joint {} is free", joint + 1)?;
        }
        Ok(())
    }
}
