//! The step of a serial arm: one frame to be brought to a pose by a few hinges and slides, inside their ranges.
//!
//! It is the step of [`step`](super::step), worked out at once in arrays of a size that the compiler knows, in a third of the time. Rows are in world
//! axes instead of the target's: the sum of squares is the same, and so is the step, but for rounding. Where a joint meets an end of its range, or
//! hardly anything moves, the general step is solved instead.

use super::rows::{System, Units};
use super::step::{INDEPENDENT, ROUNDING, Step, farthest};
use super::structure::Link;
use super::{LeastSquares, RESTLESS};
use crate::math::{cholesky_factor_square, cholesky_solve_square, so3_right_jacobian_inverse};
use crate::solve::pose::State;
use crate::solve::problem::Problem;
use crate::task::TaskKind;
use core::ops::Range;
use glam::DVec3;

/// Joints on the path to the frame, at most.
const MOST_JOINTS: usize = 8;

/// Numbers of a pose: translation, then rotation.
type Six = [f64; 6];

impl LeastSquares {
    /// Solves for the step of a serial arm; false when it is none, or when there is more to see to.
    pub(super) fn solve_serial(&mut self, problem: &Problem, state: &State) -> bool {
        // Geodesic and Anderson acceleration need more than the step itself.
        if self.is_curved || self.accelerates {
            return false;
        }
        let Some(arm) = Arm::of(&self.system, problem, state) else { return false };
        self.step.begin(problem, state, &self.system, self.damping);
        self.step.begin_round();
        // What hardly moves may be at rest, which takes a closer look.
        arm.solve(&mut self.step) && self.step.longest() > RESTLESS && self.step.stays_inside()
    }
}

/// `e` and `J` of the step, weighted, in world axes.
struct Arm {
    misses: Six,
    /// How far displacements may go.
    farthest: f64,
    n_joints: usize,
    /// The column of each joint, and its unknown.
    columns: [Six; MOST_JOINTS],
    unknowns: [usize; MOST_JOINTS],
}

impl Arm {
    fn of(system: &System, problem: &Problem, state: &State) -> Option<Self> {
        let [group] = system.groups.as_slice() else { return None };
        let goal = &problem.goals[group.goal];
        let TaskKind::Pose(task) = &goal.kind else { return None };
        let links = serial_links(system, group.goal).filter(|_| group.height() == 6)?;
        let ([frame, _], target) = (group.frames, task.world_from_target);
        let units = Units::of(problem, goal);
        let path = target.translation - frame.translation;
        // The rows know the missing rotation in the target's axes, which it leaves as they are.
        let [.., x, y, z] = system.rows.as_slice() else { return None };
        let missing = target.rotation * DVec3::new(x.miss, y.miss, z.miss);
        let by_rotating = so3_right_jacobian_inverse(missing) * units.angle;
        let mut arm = Self {
            misses: six(path * units.length, missing * units.angle),
            farthest: farthest(problem, system),
            n_joints: links.len(),
            columns: [[0.0; 6]; MOST_JOINTS],
            unknowns: [0; MOST_JOINTS],
        };
        for (link, (column, unknown)) in
            links.iter().zip(arm.columns.iter_mut().zip(&mut arm.unknowns))
        {
            let lever = frame.translation - state.world[link.node].translation;
            let (v, w) = state.velocity(problem, link.node, lever, 1.0);
            *column = six(v * units.length, by_rotating * w);
            *unknown = system.structure.blocks[link.block].first;
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
        let (mut inverses, mut are_angles) = ([0.0; MOST_JOINTS], [false; MOST_JOINTS]);
        for (k, &unknown) in unknowns.iter().enumerate() {
            (inverses[k], are_angles[k]) = step.inverse(unknown);
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
        let mut sums = [0.0; 2];
        for (k, (column, &unknown)) in columns.iter().zip(unknowns).enumerate() {
            let mut push = [0.0; 2];
            for r in 0..6 {
                push[r & 1] += column[r] * y[r];
            }
            step.x[unknown] += inverses[k] * (push[0] + push[1]);
            sums[usize::from(!are_angles[k])] += step.x[unknown].abs();
        }
        step.limit_length(sums[0], sums[1], self.farthest);
        step.shorten();
        true
    }
}

/// The path to a task's frame, where it has few joints and every unknown is a variable of one of them alone.
fn serial_links(system: &System, goal: usize) -> Option<&[Link]> {
    let (structure, links) = (&system.structure, system.structure.links(goal));
    let is_serial = structure.n_unknowns == structure.blocks.len()
        && structure.n_columns(goal) == links.len()
        && links.len() <= MOST_JOINTS;
    is_serial.then_some(links)
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
