//! `rs-opw-kinematics`: the closed form of arms with two parallel axes and a spherical wrist, all branches, each checked by its own forward
//! kinematics and against the bounds (modulo a turn), the nearest to the start first. Angles are then brought inside the bounds by whole turns.

use rs_opw_kinematics::constraints::{BY_PREV, Constraints};
use rs_opw_kinematics::glam::{DQuat, DVec3};
use rs_opw_kinematics::kinematic_traits::{Kinematics, Pose};
use rs_opw_kinematics::kinematics_impl::OPWKinematics;
use rs_opw_kinematics::parameters::opw_kinematics::Parameters;

use crate::arms::chain::Chain;
use crate::arms::matrix::Matrix;
use crate::arms::solver::{Entered, Outcome, Solver};

/// Puma 560 in its parameters; the flange has the same pose as by the table.
fn parameters() -> Parameters {
    use std::f64::consts::FRAC_PI_2;
    Parameters {
        a1: 0.0,
        a2: 0.0203,
        b: -0.15005,
        c1: 0.0,
        c2: 0.4318,
        c3: 0.4318,
        c4: 0.0,
        offsets: [0.0, -FRAC_PI_2, FRAC_PI_2, 0.0, 0.0, 0.0],
        sign_corrections: [1, -1, -1, 1, -1, 1],
        dof: 6,
    }
}

struct Opw {
    chain: Chain,
    robot: OPWKinematics,
    targets: Vec<Pose>,
    all: Vec<Vec<f64>>,
}

pub(super) fn all(chain: &Chain) -> Entered {
    if chain.name != "puma" {
        return Ok(None);
    }
    let bounds =
        |end: fn((f64, f64)) -> f64| core::array::from_fn(|k| end(chain.unknowns[k].bounds));
    let constraints = Constraints::new(bounds(|b| b.0), bounds(|b| b.1), BY_PREV);
    let robot = OPWKinematics::new_with_constraints(parameters(), constraints);
    Ok(Some(Box::new(Opw { chain: chain.clone(), robot, targets: Vec::new(), all: Vec::new() })))
}

impl Solver for Opw {
    fn load(&mut self, targets: &[Matrix]) {
        let pose = |target: &Matrix| {
            let translation = DVec3::from_array(target.position());
            Pose::from_parts(translation, DQuat::from_array(target.quaternion()))
        };
        self.targets = targets.iter().map(pose).collect();
    }

    fn solve(&mut self, target: usize, q: &mut Vec<f64>) -> Outcome {
        let start = core::array::from_fn(|k| q[k]);
        let found = self.robot.inverse_continuing(&self.targets[target], &start);
        self.all.clear();
        self.all.extend(found.iter().map(|answer| {
            let mut answer = answer.to_vec();
            self.chain.wrap(&mut answer);
            answer
        }));
        if let Some(nearest) = self.all.first() {
            q.clone_from(nearest);
        }
        Outcome { is_reached: !self.all.is_empty(), ..Outcome::default() }
    }

    fn all(&mut self) -> Option<&[Vec<f64>]> {
        Some(&self.all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arms::problem::puma;
    use crate::random::Random;

    #[test]
    fn its_parameters_are_the_same_arm() {
        let (chain, random) = (puma().expect("an arm"), &mut Random::new(3));
        let robot = OPWKinematics::new(parameters());
        for _ in 0..20 {
            let q = chain.sample(random);
            let pose = robot.forward(&core::array::from_fn(|k| q[k]));
            let tool = chain.tool(&q);
            let (position, rotation) = (pose.translation.to_array(), pose.rotation.to_array());
            let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
            assert!(close(&position, &tool.position()), "{position:?} {:?}", tool.position());
            let expected = tool.quaternion();
            let sign = if expected[3] * rotation[3] < 0.0 { -1.0 } else { 1.0 };
            assert!(close(&rotation.map(|x| sign * x), &expected), "{rotation:?} {expected:?}");
        }
    }
}
