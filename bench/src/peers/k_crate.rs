//! `k`: its Jacobian solver on a serial chain, position only; with its default step of one half, with the
//! full Newton step, and with that but fewer tries, which trades success for a better mean time.
//! One arm serves the batch, as in a program; setting its start is timed, a hundredth of a solve.

use k::prelude::*;
use k::{Constraints, JacobianIkSolver, JointType, NodeBuilder, SerialChain};

use crate::entrant::{Entrant, arms};
use crate::problems::{ARM, ARM_TIP, ArmProblem, Problems, arm_reach};
use crate::verify::{self, Verdict};
use crate::{MAX_ITERATIONS, TOLERANCE};

struct Batch {
    problems: Vec<ArmProblem>,
    answers: Vec<[f64; 7]>,
    arm: SerialChain<f64>,
    solver: JacobianIkSolver<f64>,
    constraints: Constraints,
}

pub(super) fn half(problems: &Problems) -> Box<dyn Entrant> {
    Box::new(batch(problems, 0.5, MAX_ITERATIONS as usize))
}

pub(super) fn full(problems: &Problems) -> Box<dyn Entrant> {
    Box::new(batch(problems, 1.0, MAX_ITERATIONS as usize))
}

pub(super) fn full_but_brief(problems: &Problems) -> Box<dyn Entrant> {
    Box::new(batch(problems, 1.0, 50))
}

fn batch(problems: &Problems, step: f64, tries: usize) -> Batch {
    let problems = arms(problems).to_vec();
    Batch {
        answers: problems.iter().map(|problem| problem.start).collect(),
        problems,
        arm: arm(),
        // The angle is not constrained; its tolerance is never looked at.
        solver: JacobianIkSolver::new(TOLERANCE * arm_reach(), 1.0, step, tries),
        constraints: Constraints {
            rotation_x: false,
            rotation_y: false,
            rotation_z: false,
            ..Constraints::default()
        },
    }
}

/// Children own nothing of their parents, so that all nodes stay alive until the chain holds them.
fn arm() -> SerialChain<f64> {
    let translation = |v: posekit::glam::DVec3| k::Translation3::new(v.x, v.y, v.z);
    let fixed = |name| NodeBuilder::new().name(name).joint_type(JointType::Fixed);
    let mut nodes = vec![fixed("base").into_node()];
    for (index, hinge) in ARM.iter().enumerate() {
        let axis = k::Vector3::new(hinge.axis.x, hinge.axis.y, hinge.axis.z);
        let node = NodeBuilder::new()
            .name(&format!("joint{index}"))
            .joint_type(JointType::Rotational { axis: k::nalgebra::Unit::new_normalize(axis) })
            .limits(Some((-hinge.limit..=hinge.limit).into()))
            .translation(translation(hinge.offset))
            .into_node();
        nodes.push(node);
    }
    let tip = fixed("tip").translation(translation(ARM_TIP)).into_node();
    nodes.push(tip.clone());
    for pair in nodes.windows(2) {
        pair[1].set_parent(&pair[0]);
    }
    SerialChain::from_end(&tip)
}

impl Entrant for Batch {
    fn reset(&mut self) {}

    fn solve(&mut self, index: usize) -> u32 {
        let problem = &self.problems[index];
        self.arm.set_joint_positions_unchecked(&problem.start);
        let target = problem.target;
        let pose = k::Isometry3::translation(target.x, target.y, target.z);
        // Whether it failed is read from the pose it leaves behind, like everyone's answer.
        let _ = self.solver.solve_with_constraints(&self.arm, &pose, &self.constraints);
        let positions = self.arm.joint_positions();
        self.answers[index].copy_from_slice(&positions);
        0
    }

    fn verdict(&self, index: usize) -> Verdict {
        verify::arm(&self.problems[index], &self.answers[index])
    }
}
