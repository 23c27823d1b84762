//! The step of an arm: one frame to be brought to a pose by a few one-value joints, within their ranges.
//!
//! It is the step of [`step`](super::step), worked out at once in arrays of a size that the compiler knows, in a third of the time. Rows are
//! read in world axes instead of the target's: the sum of squares is the same, and so is the step, but for rounding. Where a joint meets an end
//! of its range, or hardly anything moves, the general step does it all over.

use super::super::demand::System;
use super::super::rig::Rig;
use super::step::{INDEPENDENT, ROUNDING, Step};
use super::{LeastSquares, RESTLESS};
use crate::math::{cholesky_factor_square, cholesky_solve_square, so3_right_jacobian_inverse};
use crate::task::TaskKind;
use core::ops::Range;
use glam::DVec3;

/// Joints on the way to the frame, at most.
const MOST_JOINTS: usize = 8;

/// Numbers of a pose: translation, then rotation.
type Six = [f64; 6];

impl LeastSquares {
    /// Solves for the step of an arm; false when it is none, or when there is more to see to.
    pub(super) fn solve_for_arm(&mut self, rig: &Rig) -> bool {
        // Steps that are bent or mixed need more than the step itself.
        if self.is_curved || self.mixes {
            return false;
        }
        let Some(arm) = Arm::of(&self.system, rig) else { return false };
        self.step.begin(self.damping);
        self.step.begin_round();
        // What hardly moves may be at rest, which takes a closer look.
        arm.solve(&mut self.step) && self.step.longest() > RESTLESS && self.step.stays_inside()
    }
}

/// An arm in its present pose: `e` and `J` of the step, weighted, in world axes.
struct Arm {
    misses: Six,
    n_joints: usize,
    /// The column of each joint, and its unknown.
    columns: [Six; MOST_JOINTS],
    unknowns: [usize; MOST_JOINTS],
}

impl Arm {
    fn of(system: &System, rig: &Rig) -> Option<Self> {
        let [group] = system.groups.as_slice() else { return None };
        let demand = &rig.demands[group.demand];
        let TaskKind::Pose(task) = &demand.kind else { return None };
        let path = system.simple_path(group, MOST_JOINTS).filter(|_| group.height() == 6)?;
        let ([frame, _], target, units) = (group.frames, task.world_from_target, demand.units(rig));
        let way = target.translation - frame.translation;
        // The rows know the turn that is missing in the target's axes, which it leaves as they are.
        let [.., x, y, z] = system.rows.as_slice() else { return None };
        let turn = target.rotation * DVec3::new(x.miss, y.miss, z.miss);
        let by_turning = so3_right_jacobian_inverse(turn) * units.angle;
        let mut arm = Self {
            misses: six(way * units.length, turn * units.angle),
            n_joints: 0,
            columns: [[0.0; 6]; MOST_JOINTS],
            unknowns: [0; MOST_JOINTS],
        };
        let places = arm.columns.iter_mut().zip(&mut arm.unknowns);
        for ((column, place), (node, unknown)) in places.zip(path) {
            let lever = frame.translation - rig.world[node].translation;
            let (v, w) = rig.velocity(node, lever, 1.0);
            *column = six(v * units.length, by_turning * w);
            *place = unknown;
            arm.n_joints += 1;
        }
        Some(arm)
    }

    /// Adds what the rows ask for to `x₀`; false when nothing that could help moves.
    fn solve(&self, step: &mut Step) -> bool {
        let (columns, unknowns) = (&self.columns[..self.n_joints], &self.unknowns[..self.n_joints]);
        let mut y = self.misses;
        for (column, &unknown) in columns.iter().zip(unknowns) {
            let x = step.x[unknown];
            for r in 0..6 {
                y[r] -= column[r] * x;
            }
        }
        let mut inverses = [0.0; MOST_JOINTS];
        for (inverse, &unknown) in inverses.iter_mut().zip(unknowns) {
            *inverse = step.inverse(unknown);
        }
        let mut gram = gram_of(columns, &inverses);
        let trace: f64 = (0..6).map(|r| gram[r][r]).sum();
        for (r, row) in gram.iter_mut().enumerate() {
            row[r] += 1.0 + ROUNDING * trace;
        }
        if trace <= 0.0 || !cholesky_factor_square(&mut gram, INDEPENDENT) {
            return false;
        }
        cholesky_solve_square(&gram, &mut y);
        let mut longest = 0.0;
        for ((column, inverse), &unknown) in columns.iter().zip(&inverses).zip(unknowns) {
            let mut push = [0.0; 2];
            for r in 0..6 {
                push[r & 1] += column[r] * y[r];
            }
            step.x[unknown] += inverse * (push[0] + push[1]);
            longest += step.x[unknown].abs();
        }
        step.cut(longest);
        true
    }
}

fn six(linear: DVec3, angular: DVec3) -> Six {
    let ([a, b, c], [d, e, f]) = (linear.to_array(), angular.to_array());
    [a, b, c, d, e, f]
}

/// The upper triangle of `J D⁻¹ Jᵀ`, in halves whose sums stay in registers.
fn gram_of(columns: &[Six], inverses: &[f64]) -> [Six; 6] {
    let mut gram = [[0.0; 6]; 6];
    sum_rows(columns, inverses, 0..3, &mut gram);
    sum_rows(columns, inverses, 3..6, &mut gram);
    gram
}

#[inline(always)]
fn sum_rows(columns: &[Six], inverses: &[f64], rows: Range<usize>, out: &mut [Six; 6]) {
    let mut sums = [[0.0; 6]; 6];
    for (column, by) in columns.iter().zip(inverses) {
        for i in rows.clone() {
            let scaled = column[i] * by;
            // From the diagonal on, two at a time.
            for j in (i & !1)..6 {
                sums[i][j] += scaled * column[j];
            }
        }
    }
    out[rows.clone()].copy_from_slice(&sums[rows]);
}

#[cfg(test)]
mod tests {
    use super::super::super::rig_run::RigRun;
    use super::super::super::{Method, Settings};
    use super::*;
    use crate::math::{Pose, rotation_about};
    use crate::skeleton::{Frame, Joint, Limit, Skeleton};
    use crate::task::{FramePose, Posture, Task};

    /// Bends and slides of different kinds, numbered by `k` in no particular way.
    fn number(k: usize) -> f64 {
        (k * k * 37 % 101) as f64 / 50.5 - 1.0
    }

    fn direction(k: usize) -> DVec3 {
        DVec3::new(number(k) + 0.1, number(k + 3), number(k + 7))
    }

    /// A chain of hinges, every third joint a slide; `wide` ranges are never met.
    fn arm(n: usize, wide: f64) -> Skeleton {
        let mut builder = Skeleton::builder();
        for k in 0..n {
            let (name, axis) = (format!("{k}"), direction(n + k));
            let joint =
                if k % 3 == 2 { Joint::prismatic(name, axis) } else { Joint::revolute(name, axis) };
            let rotation = rotation_about(direction(k + 11).normalize_or_zero(), 1.0 + number(k));
            let placement = Pose { rotation, translation: direction(k + 5) };
            let joint = joint.at(placement).with_limit(Limit::Range { min: -wide, max: wide });
            builder.add(if k == 0 { joint } else { joint.child_of(k - 1) });
        }
        builder.build().expect("the arm is valid")
    }

    /// The first step of an arm and the general step in the same pose.
    fn both_steps(skeleton: &Skeleton, seed: usize) -> Option<(Vec<f64>, Vec<f64>, f64)> {
        let n = skeleton.n_joints();
        let q = |first: usize| (0..n).map(|k| 0.4 * number(first + k)).collect::<Vec<_>>();
        let (start, wanted) = (q(seed), q(seed + 29));
        let tool = Frame::new(n - 1, Pose::from_translation(DVec3::new(0.1, 0.2, 0.3)));
        let target = tool.world(&skeleton.poses(&wanted));
        let posture = Task::new(Posture::new(q(seed + 57))).weighing(1e-3);
        let tasks = [Task::new(FramePose::new(tool, target)).weighing(0.7), posture];
        let mut run = RigRun::default();
        run.begin(skeleton, &start, &tasks, Method::LeastSquares, &Settings::default());
        run.settle_least_squares();
        let (least, rig) = (&mut run.least, &run.rig);
        if !least.solve_for_arm(rig) {
            return None;
        }
        let (fast, scale) = (least.step.x.clone(), least.step.scale);
        least.system.differentiate(rig);
        assert!(least.step.solve(rig, &least.system, &least.system.misses, 0, least.damping));
        assert!((least.step.scale - scale).abs() < 1e-9 * scale, "cut alike");
        Some((fast, least.step.x.clone(), least.step.longest()))
    }

    #[test]
    fn the_step_is_the_general_one() {
        for n in 1..=MOST_JOINTS {
            for seed in 0..40 {
                let (fast, general, longest) =
                    both_steps(&arm(n, 1e3), seed).expect("an arm of so many joints is one");
                for (a, b) in fast.iter().zip(&general) {
                    assert!(
                        (a - b).abs() < 1e-9 * longest,
                        "{n} joints, {seed}: {fast:?} {general:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn limits_and_longer_arms_are_left_to_the_general_step() {
        assert!(both_steps(&arm(MOST_JOINTS + 1, 1e3), 0).is_none(), "too many joints");
        let met = (0..40).filter(|&seed| both_steps(&arm(6, 0.41), seed).is_none()).count();
        assert!(met > 10, "{met} of 40 steps meet a limit");
    }
}
