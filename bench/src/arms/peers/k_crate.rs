//! `k`: its Jacobian solver on a serial chain, which clamps to the limits; with its default step of one half, and with the full Newton step, which is
//! faster and fails more often. It has no restarts; a start that fails is followed by another at random, as with `dynibo`. The iterations for each start
//! are the fewest that do not lose time.

use k::prelude::*;
use k::{Isometry3, JacobianIkSolver, SerialChain};

use super::Restarts;
use crate::arms::chain::{Chain, TIP};
use crate::arms::matrix::Matrix;
use crate::arms::problem::write_urdf;
use crate::arms::solver::{Entered, Outcome, Solver};
use crate::arms::{STARTS, TOLERANCE};

struct K {
    arm: SerialChain<f64>,
    solver: JacobianIkSolver<f64>,
    targets: Vec<Isometry3<f64>>,
    restarts: Restarts,
    starts: u32,
}

pub(super) fn half(chain: &Chain) -> Entered {
    solver(chain, 0.5, 50, STARTS)
}

pub(super) fn full(chain: &Chain) -> Entered {
    solver(chain, 1.0, 12, STARTS)
}

pub(super) fn warm(chain: &Chain) -> Entered {
    solver(chain, 1.0, 100, 1)
}

fn solver(chain: &Chain, step: f64, iterations: usize, starts: u32) -> Entered {
    let robot = k::Chain::<f64>::from_urdf_file(write_urdf(chain)?)?;
    let tip = robot.iter().find(|node| node.link().as_ref().is_some_and(|link| link.name == TIP));
    let Some(tip) = tip else { return Ok(None) };
    Ok(Some(Box::new(K {
        arm: SerialChain::from_end(tip),
        solver: JacobianIkSolver::new(TOLERANCE, TOLERANCE, step, iterations),
        targets: Vec::new(),
        restarts: Restarts::new(chain),
        starts,
    })))
}

impl Solver for K {
    fn load(&mut self, targets: &[Matrix]) {
        let pose = |target: &Matrix| {
            let ([x, y, z], [i, j, l, w]) = (target.position(), target.quaternion());
            let rotation = k::nalgebra::Quaternion::new(w, i, j, l);
            Isometry3::from_parts(
                k::Translation3::new(x, y, z),
                k::UnitQuaternion::from_quaternion(rotation),
            )
        };
        self.targets = targets.iter().map(pose).collect();
    }

    fn solve(&mut self, target: usize, q: &mut Vec<f64>) -> Outcome {
        for start in 1..=self.starts {
            self.arm.set_joint_positions_clamped(q);
            if self.solver.solve(&self.arm, &self.targets[target]).is_ok() {
                q.copy_from_slice(&self.arm.joint_positions());
                return Outcome { is_reached: true, iterations: None, starts: Some(start) };
            }
            if start < self.starts {
                self.restarts.next(q);
            }
        }
        Outcome { is_reached: false, iterations: None, starts: Some(self.starts) }
    }
}
