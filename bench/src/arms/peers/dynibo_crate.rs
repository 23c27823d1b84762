//! `dynibo`: damped least squares of one start. Its documentation names no way to start again, so a start that fails, or ends outside the
//! bounds, is followed by another at random, as a program would; with its default of 100 iterations for each, and with 25, which is
//! faster.

use dynibo::{Frame, InverseKinematicsOptions, LinkId, Robot};
use nalgebra_034::{Isometry3, Quaternion, Translation3, UnitQuaternion};

use super::Restarts;
use crate::arms::chain::{Chain, TIP};
use crate::arms::matrix::Matrix;
use crate::arms::problem::write_urdf;
use crate::arms::solver::{Entered, Outcome, Solver};
use crate::arms::{STARTS, TOLERANCE};

struct Dynibo {
    robot: Robot,
    tool: LinkId,
    options: InverseKinematicsOptions,
    targets: Vec<Frame>,
    restarts: Restarts,
    starts: u32,
    answer: Vec<f64>,
}

pub(super) fn defaults(chain: &Chain) -> Entered {
    solver(chain, InverseKinematicsOptions::default().max_iterations, STARTS)
}

pub(super) fn brief(chain: &Chain) -> Entered {
    solver(chain, 25, STARTS)
}

pub(super) fn warm(chain: &Chain) -> Entered {
    solver(chain, InverseKinematicsOptions::default().max_iterations, 1)
}

fn solver(chain: &Chain, iterations: usize, starts: u32) -> Entered {
    let robot = Robot::from_urdf(write_urdf(chain)?)?;
    Ok(Some(Box::new(Dynibo {
        tool: robot.link_id(TIP)?,
        options: InverseKinematicsOptions {
            max_iterations: iterations,
            translation_tolerance: TOLERANCE,
            rotation_tolerance: TOLERANCE,
            ..InverseKinematicsOptions::default()
        },
        targets: Vec::new(),
        restarts: Restarts::new(chain),
        starts,
        answer: vec![0.0; robot.joint_count()],
        robot,
    })))
}

impl Solver for Dynibo {
    fn load(&mut self, targets: &[Matrix]) {
        let frame = |target: &Matrix| {
            let ([x, y, z], [i, j, k, w]) = (target.position(), target.quaternion());
            let rotation = UnitQuaternion::from_quaternion(Quaternion::new(w, i, j, k));
            Isometry3::from_parts(Translation3::new(x, y, z), rotation)
        };
        self.targets = targets.iter().map(frame).collect();
    }

    fn solve(&mut self, target: usize, q: &mut Vec<f64>) -> Outcome {
        let (target, options) = (self.targets[target], self.options);
        for start in 1..=self.starts {
            let solved =
                self.robot.inverse_kinematics(q, self.tool, &target, options, &mut self.answer);
            if solved.is_ok() {
                q.copy_from_slice(&self.answer);
                return Outcome { is_reached: true, iterations: None, starts: Some(start) };
            }
            if start < self.starts {
                self.restarts.next(q);
            }
        }
        Outcome { is_reached: false, iterations: None, starts: Some(self.starts) }
    }
}
