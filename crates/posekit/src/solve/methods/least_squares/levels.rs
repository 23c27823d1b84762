//! Priority levels: each is solved in the null space of those above, and finally the change is minimised.
//!
//! The task-priority framework \[siciliano91\] with inequalities \[kanoun11\]. The rows of a completed level become equalities: a step of the next
//! level moves in their null space, and second-order violations are restored before the step is judged. A step that cannot be restored is
//! undone, so a lower level never disturbs a higher one. Satisfied tasks are held at their targets, the others at their final residuals.

use super::rows::make_room;
use super::{DAMPING_FACTOR, LeastSquares, STANDSTILL};
use crate::solve::pose::{State, Values};
use crate::solve::problem::Problem;
use crate::task::{Miss, Task};
use alloc::vec::Vec;

/// Steps of one level, including those that are undone.
const STEPS: u32 = 100;

/// Undone steps in a row after which a level is complete.
const TRIES: u32 = 20;

/// The most restorations after a step; they converge quadratically.
const RESTORATIONS: u32 = 4;

/// Damping of a restoration, relative to the square of the unit of length: rounding, squared.
const RESTORATION_DAMPING: f64 = 1e-14;

/// Equalities hold to this fraction of the unit of length.
const HELD: f64 = 1e-11;

/// A level is complete when a step is this short \[rad, or the unit of length\] or stands still; least change, already when a step is this
/// fraction of the change.
const SHORT: f64 = 1e-9;
const SMALL_PART: f64 = 1e-6;

/// Damping of the first step of a level, and the least, relative to the square of the unit of length: both negligible.
const FIRST_DAMPING: f64 = 1e-6;
const LEAST_DAMPING: f64 = 1e-12;

/// The level of least change, below all levels of tasks.
pub(super) const LEAST_CHANGE: u8 = Task::LOWEST_LEVEL + 1;

/// The state of the levels after the first.
#[derive(Debug, Clone, Default)]
pub(super) struct Levels {
    /// The current level; 0 before the first.
    level: u8,
    steps: u32,
    /// Undone steps in a row.
    rejected: u32,
    /// The residuals at which the first rows, the equalities, are held.
    pub(super) held: Vec<f64>,
    /// The pose before a restoration.
    unrestored: Values,
    /// Zeros, for restorations.
    no_cost: Vec<f64>,
    is_done: bool,
}

impl Levels {
    pub(super) fn start_over(&mut self) {
        (self.level, self.is_done) = (0, false);
        self.held.clear();
    }

    pub(super) fn n_equalities(&self) -> usize {
        self.held.len()
    }

    pub(super) fn reserve(&mut self, n_rows: usize, n_unknowns: usize, state: &State) {
        make_room(&mut self.held, n_rows);
        self.unrestored.copy_from(&state.values);
        self.no_cost.clear();
        self.no_cost.resize(n_unknowns, 0.0);
    }
}

impl LeastSquares {
    /// One step of the levels after the first; false when all are complete.
    pub(super) fn refine_levels(&mut self, problem: &Problem, state: &mut State) -> bool {
        if self.levels.level == 0 && !self.levels.is_done {
            self.next_level(problem, state);
        }
        while !self.levels.is_done {
            if self.levels.steps < STEPS && self.refine_level(problem, state) {
                return true;
            }
            self.next_level(problem, state);
        }
        false
    }

    /// Turns the rows of the completed level into equalities and starts the next.
    fn next_level(&mut self, problem: &Problem, state: &mut State) {
        let now = self.levels.level;
        if now == 0 {
            self.step.unfreeze();
        }
        // The first level has been solved for its rows; its costs, if any, are still to be minimised.
        let done = if now == 0 && !self.has_costs(problem, 1) { 1 } else { now };
        let lower = problem.levels.iter().map(|level| level.0).find(|&level| level > done);
        let is_wanted = problem.settings.least_squares.least_change;
        let least_change = (is_wanted && now != LEAST_CHANGE).then_some(LEAST_CHANGE);
        let Some(next) = lower.or(least_change) else {
            self.levels.is_done = true;
            return;
        };
        if done > 0 {
            self.levels.level = done;
            self.hold(problem, state);
        }
        self.levels.level = next;
        self.start_level(problem, state);
    }

    /// Holds all tasks so far: satisfied ones at their targets, as closely as these can be restored, the others at their final residuals.
    fn hold(&mut self, problem: &Problem, state: &mut State) {
        self.hold_here(problem, state);
        for group in &self.system.groups {
            let rows = group.rows.clone();
            if Miss::of(&self.system.rows[rows.clone()]).is_within(problem.tolerance) {
                self.levels.held[rows].fill(0.0);
            }
        }
        self.restore(problem, state);
        self.hold_here(problem, state);
        // Unknowns with a cost are now at their optimum.
        if self.has_costs(problem, self.levels.level) {
            self.step.freeze_costed();
        }
    }

    /// Holds every row at its residual; an inequality that is satisfied, at its bound.
    fn hold_here(&mut self, problem: &Problem, state: &State) {
        self.system.measure(problem, state, self.n_goals);
        let (system, levels) = (&self.system, &mut self.levels);
        levels.held.clear();
        levels.held.extend((0..system.rows.len()).map(|r| system.counted(r)));
    }

    fn start_level(&mut self, problem: &Problem, state: &State) {
        let level = self.levels.level;
        let order = self.system.structure.order.iter();
        self.n_goals = order.take_while(|&&k| problem.goals[k].level <= level).count();
        (self.levels.steps, self.levels.rejected) = (0, 0);
        self.anderson.forget();
        (self.accelerates, self.patience) = (true, 0);
        self.list_costs(problem, state, level);
        self.measure(problem, state);
        self.damping = FIRST_DAMPING * problem.unit * problem.unit;
    }

    /// The right side of every row; for an equality, back to its held residual.
    fn find_right_side(&mut self) {
        let held = self.levels.held.iter().chain(core::iter::repeat(&0.0));
        self.right.clear();
        self.right.extend(self.system.misses.iter().zip(held).map(|(miss, held)| miss - held));
    }

    /// The largest violation of the equalities.
    fn violation(&self) -> f64 {
        let (system, held) = (&self.system, &self.levels.held);
        let off = |r: usize| {
            let off = system.misses[r] - held[r];
            if system.rows[r].reading.is_floor { off.max(0.0) } else { off.abs() }
        };
        (0..self.levels.n_equalities()).map(off).fold(0.0, f64::max)
    }

    /// One step of the current level; false when it is complete.
    fn refine_level(&mut self, problem: &Problem, state: &mut State) -> bool {
        self.levels.steps += 1;
        self.system.differentiate(problem, state);
        self.find_right_side();
        let (n_equalities, damping) = (self.levels.n_equalities(), self.damping);
        if !self.step.solve(problem, state, &self.system, &self.right, n_equalities, damping) {
            return false;
        }
        let (violation, before) = (self.violation(), self.merit);
        let enough = HELD * problem.unit;
        if violation <= enough && self.is_short() {
            return false;
        }
        let is_accelerated =
            self.step.is_whole() && violation <= enough && self.step.accelerate(&mut self.anderson);
        self.kept.copy_from(&state.values);
        self.apply(problem, state, 1.0);
        self.anderson.remember(&self.step.x);
        self.restore(problem, state);
        // Restoring held rows may increase the objective of the level.
        let helps = self.merit < before || violation > enough;
        if helps && self.violation() <= enough.max(violation) {
            self.levels.rejected = 0;
            self.lower_damping(DAMPING_FACTOR, LEAST_DAMPING * problem.unit * problem.unit);
            return violation > enough || self.merit < STANDSTILL * before;
        }
        state.restore(problem, &self.kept);
        self.measure(problem, state);
        self.raise_damping(is_accelerated, DAMPING_FACTOR, 0.0);
        self.levels.rejected += u32::from(!is_accelerated);
        self.levels.rejected < TRIES
    }

    /// Whether the step is negligible, absolutely or beside the change so far.
    fn is_short(&self) -> bool {
        let costs = self.step.x.iter().zip(&self.step.cost);
        let change: f64 = costs.map(|(x, cost)| cost * x * x).sum();
        let is_small = change <= SMALL_PART * SMALL_PART * self.merit;
        self.step.longest() <= SHORT || (!self.costs.is_empty() && is_small)
    }

    /// Restores the equalities to their held residuals by a minimal change, as far as possible.
    fn restore(&mut self, problem: &Problem, state: &mut State) {
        self.measure(problem, state);
        let unit = problem.unit;
        for _ in 0..RESTORATIONS {
            let before = self.violation();
            if before <= 0.1 * HELD * unit {
                return;
            }
            self.system.truncate(self.levels.n_equalities());
            self.system.differentiate(problem, state);
            self.find_right_side();
            core::mem::swap(&mut self.step.cost, &mut self.levels.no_cost);
            // As soft rows with negligible damping, so that dependent rows share the remaining violation.
            let damping = RESTORATION_DAMPING * unit * unit;
            let moves = self.step.solve(problem, state, &self.system, &self.right, 0, damping);
            core::mem::swap(&mut self.step.cost, &mut self.levels.no_cost);
            if !moves {
                break;
            }
            self.levels.unrestored.copy_from(&state.values);
            self.apply(problem, state, 1.0);
            self.measure(problem, state);
            if self.violation() >= before {
                state.restore(problem, &self.levels.unrestored);
                break;
            }
        }
        self.measure(problem, state);
    }
}
