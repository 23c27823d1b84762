//! The joints have preferred values.

use super::condition::{Condition, check_finite};
use super::rows::{Frames, Miss, Rows};
use crate::math::{check_unit, so3_log, wrap_angle};
use crate::skeleton::{JointKind, LARGEST, Skeleton, rotation_in};
use crate::{ErrorKind, Result};
use alloc::sync::Arc;
use core::ops::Range;
use glam::{DQuat, DVec3};

/// The joints have preferred values: a rest pose, a comfortable elbow, straight fingers.
///
/// One row for each degree of freedom. A radian counts like the unit of length of the problem, the longest sum of bones to a task, or like a length that is
/// [given](Self::with_radian); slides count in metres. A posture is a preference: it counts within its level,
/// but a solution is `Reached` without it, see [`Status`](crate::solve::Status).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Posture {
    /// Preferred joint values: a configuration.
    pub configuration: Arc<[f64]>,
    /// Weight of each joint of the skeleton, at least 0; empty means 1 for all.
    pub cares: Arc<[f64]>,
    /// The length that a radian counts like, above 0 \[m\]; `None` for the unit of length of the problem.
    pub radian: Option<f64>,
}

impl Posture {
    /// The same weight for all joints.
    #[must_use]
    pub fn new(configuration: impl Into<Arc<[f64]>>) -> Self {
        Self { configuration: configuration.into(), cares: Arc::new([]), radian: None }
    }

    /// The same with a length that a radian counts like \[m\]: where a posture is traded against other tasks, independent of which these are.
    #[must_use]
    pub fn with_radian(self, length: f64) -> Self {
        Self { radian: Some(length), ..self }
    }

    /// The same with a weight for each joint.
    #[must_use]
    pub fn caring(self, cares: impl Into<Arc<[f64]>>) -> Self {
        Self { cares: cares.into(), ..self }
    }

    /// Whether a joint has a weight above zero.
    pub(crate) fn cares_for(&self, joint: usize) -> bool {
        self.care(joint) > 0.0
    }

    /// Weight of a joint.
    pub(crate) fn care(&self, joint: usize) -> f64 {
        self.cares.get(joint).copied().unwrap_or(1.0)
    }

    /// Refuses, without the skeleton, what [`Skeleton::check`] would refuse of these joints' values.
    pub(crate) fn check_values(&self, joints: &[PostureJoint], task: usize) -> Result<()> {
        let what = "task target";
        if let Some(&value) = self.configuration.iter().find(|value| value.abs() > LARGEST) {
            let need = "a joint value of at most 1e100";
            return Err(ErrorKind::OutOfRange { what, index: task, value, need }.into());
        }
        for joint in joints {
            let rotation = rotation_in(&self.configuration[joint.values.clone()]);
            if let Err(value) = rotation.map_or(Ok(()), check_unit) {
                let need = "a quaternion of unit length";
                return Err(ErrorKind::OutOfRange { what, index: task, value, need }.into());
            }
        }
        Ok(())
    }

    /// The largest differences of a joint, in length and in angle, among those with a weight. For a hinge without limits angles are equal modulo a
    /// turn.
    pub(super) fn miss(&self, skeleton: &Skeleton, q: &[f64]) -> Miss {
        let joints = (0..skeleton.n_joints()).filter_map(|i| PostureJoint::of(skeleton, i));
        joints.fold(Miss::default(), |worst, joint| self.add_miss(worst, &joint, q))
    }

    /// The same without the skeleton.
    pub(crate) fn miss_of(&self, joints: &[PostureJoint], q: &[f64]) -> Miss {
        joints.iter().fold(Miss::default(), |worst, joint| self.add_miss(worst, joint, q))
    }

    /// The larger of a miss and that of one joint.
    fn add_miss(&self, mut miss: Miss, joint: &PostureJoint, q: &[f64]) -> Miss {
        if !self.cares_for(joint.joint) {
            return miss;
        }
        let (is, preferred) = (&q[joint.values.clone()], &self.configuration[joint.values.clone()]);
        let off = |k: usize| preferred[k] - is[k];
        let (slide, angle) = match joint.kind {
            JointKind::Fixed => (0.0, 0.0),
            JointKind::Prismatic { .. } => (off(0).abs(), 0.0),
            JointKind::Revolute { .. } if joint.goes_round => (0.0, wrap_angle(off(0)).abs()),
            JointKind::Revolute { .. } => (0.0, off(0).abs()),
            JointKind::Ball => (0.0, angle_between(is, preferred)),
            JointKind::Free => {
                let slide = DVec3::new(off(0), off(1), off(2)).length();
                (slide, angle_between(&is[3..], &preferred[3..]))
            }
        };
        miss.distance = miss.distance.max(slide);
        miss.angle = miss.angle.max(angle);
        miss
    }
}

impl Condition for Posture {
    /// A posture has no rows: it is a cost of each joint, see [`Posture`].
    fn rows(&self, _: &Frames, _: &mut Rows) {}

    fn rebase(&mut self, _: DVec3, _: f64) {}

    fn is_alike(&self, other: &Self) -> bool {
        self.configuration.len() == other.configuration.len()
            && self.cares == other.cares
            && self.radian == other.radian
    }

    fn check(&self, task: usize) -> Result<()> {
        check_finite(self.configuration.iter().all(|x| x.is_finite()), task)
    }

    fn check_on(&self, skeleton: &Skeleton, task: usize) -> Result<()> {
        skeleton.check(&self.configuration)?;
        let (expected, found) = (skeleton.n_joints(), self.cares.len());
        if found != 0 && found != expected {
            return Err(ErrorKind::Length { what: "posture cares", expected, found }.into());
        }
        if let Some(value) = self.radian.filter(|length| !(*length > 0.0 && length.is_finite())) {
            let (what, need) = ("posture radian", "a length above 0");
            return Err(ErrorKind::OutOfRange { what, index: task, value, need }.into());
        }
        for &value in self.cares.iter() {
            if !value.is_finite() || value < 0.0 {
                let (what, need) = ("posture cares", "at least 0");
                return Err(ErrorKind::OutOfRange { what, index: task, value, need }.into());
            }
        }
        Ok(())
    }
}

/// The properties of a joint that a posture needs without the skeleton.
#[derive(Debug, Clone)]
pub(crate) struct PostureJoint {
    joint: usize,
    kind: JointKind,
    /// Its range spans a full turn.
    goes_round: bool,
    /// Range of its values in the configuration.
    values: Range<usize>,
}

impl PostureJoint {
    /// An independent joint; `None` for a mimic joint.
    pub(crate) fn of(skeleton: &Skeleton, joint: usize) -> Option<Self> {
        let goes_round = skeleton.limit(joint).holds_whole_turn();
        let (kind, values) = (skeleton.kind(joint), skeleton.value_range(joint));
        skeleton.mimic(joint).is_none().then_some(Self { joint, kind, goes_round, values })
    }
}

fn angle_between(a: &[f64], b: &[f64]) -> f64 {
    so3_log(DQuat::from_slice(a).conjugate() * DQuat::from_slice(b)).length()
}
