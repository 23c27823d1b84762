//! Levels: what one leaves free belongs to the next, and in the end to the least change.
//!
//! The task-priority framework \[siciliano91\] with inequalities \[kanoun11\]. When a level is done, its rows become equalities: a step for the next level
//! moves in their null space, and what the second order breaks is restored before the step is judged. A step that cannot be
//! restored is taken back, so a lower level never disturbs a higher one. Tasks that are met are held at their targets, the others where they ended.

use super::rows::make_room;
use super::{DAMPING_FACTOR, LeastSquares};
use crate::solve::pose::{State, Values};
use crate::solve::problem::Problem;
use crate::task::{Miss, Task};
use alloc::vec::Vec;

/// Steps of one level, those that are taken back included.
const STEPS: u32 = 100;

/// Steps taken back in a row after which a level is done.
const TRIES: u32 = 20;

/// Restorations after a step, at most: they converge quadratically.
const RESTORATIONS: u32 = 4;

/// Damping of a restoration, relative to the square of the unit of length: rounding, squared.
const RESTORATION_DAMPING: f64 = 1e-14;

/// Equalities hold to this part of the unit of length.
const HELD: f64 = 1e-11;

/// A level is done when a step is this short \[rad, or the unit of length\], or leaves this part of the sum of squares; the least change already
/// when a step is this part of the change.
const SHORT: f64 = 1e-9;
const STANDSTILL: f64 = 1.0 - 1e-11;
const SMALL_PART: f64 = 1e-6;

/// Damping of a level's first step, and the least, relative to the square of the unit of length: next to nothing.
const FIRST_DAMPING: f64 = 1e-6;
const LEAST_DAMPING: f64 = 1e-12;

/// Damping of a level's first step at most, relative to the smallest cost: costs are damping enough.
const BESIDE_COSTS: f64 = 1e-3;

/// Stands for the level of the least change, below all that tasks can have.
pub(super) const LEAST_CHANGE: u8 = Task::LOWEST_LEVEL + 1;

/// Where the levels after the first stand.
#[derive(Debug, Clone, Default)]
pub(super) struct Levels {
    /// The level under way; 0 before any has begun.
    level: u8,
    steps: u32,
    /// Steps taken back in a row.
    rejected: u32,
    n_equalities: usize,
    /// Misses at which equality rows are held.
    held: Vec<f64>,
    /// The worst violation of each level that is done: now, before, and at the start of a step.
    violations: Vec<f64>,
    before: Vec<f64>,
    at_start: Vec<f64>,
    /// The pose before a restoration.
    unrestored: Values,
    /// Zeros, for restorations.
    no_cost: Vec<f64>,
    is_done: bool,
}

impl Levels {
    pub(super) fn start_over(&mut self) {
        (self.level, self.is_done) = (0, false);
    }

    pub(super) fn reserve(&mut self, n_rows: usize, n_unknowns: usize, state: &State) {
        for list in [&mut self.held, &mut self.violations, &mut self.before, &mut self.at_start] {
            make_room(list, n_rows);
        }
        self.unrestored.copy_from(&state.values);
        self.no_cost.clear();
        self.no_cost.resize(n_unknowns, 0.0);
    }
}

impl LeastSquares {
    /// One step of the levels after the first; false when there is nothing left to do.
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

    /// Turns the rows of the level that has ended into equalities and goes on to the next.
    fn next_level(&mut self, problem: &Problem, state: &mut State) {
        let now = self.levels.level;
        if now == 0 {
            self.levels.held.clear();
            self.levels.n_equalities = 0;
            self.step.unfreeze();
        }
        // The first level has been solved for its rows. Where it has costs as well, there is more to do.
        let done = if now == 0 && !self.has_costs(problem, 1) { 1 } else { now };
        let lower = problem.levels.iter().map(|level| level.0).find(|&level| level > done);
        let least_change = (self.wants_least_change && now != LEAST_CHANGE).then_some(LEAST_CHANGE);
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

    /// Holds all tasks that there are: those that are met at their targets, as near as these can be restored, the others where they ended.
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
        // What has a cost has found its place among all that was free.
        if self.has_costs(problem, self.levels.level) {
            self.step.freeze_costed();
        }
    }

    /// Holds every row where it is; an inequality that holds, where it must not pass.
    fn hold_here(&mut self, problem: &Problem, state: &State) {
        self.system.measure(problem, state, self.n_goals);
        let (system, levels) = (&self.system, &mut self.levels);
        levels.held.clear();
        levels.held.extend((0..system.rows.len()).map(|r| system.counted(r)));
        levels.n_equalities = levels.held.len();
    }

    fn start_level(&mut self, problem: &Problem, state: &State) {
        let level = self.levels.level;
        let order = self.system.structure.order.iter();
        self.n_goals = order.take_while(|&&k| problem.goals[k].level <= level).count();
        (self.levels.steps, self.levels.rejected) = (0, 0);
        self.anderson.forget();
        (self.accelerates, self.patience) = (true, 0);
        self.list_costs(problem, state, level);
        self.measure_level(problem, state);
        let costs = self.step.cost.iter().filter(|cost| **cost > 0.0);
        let smallest = costs.fold(f64::INFINITY, |least: f64, cost| least.min(*cost));
        let first = FIRST_DAMPING * problem.unit * problem.unit;
        self.damping = first.min(BESIDE_COSTS * smallest);
    }

    fn measure_level(&mut self, problem: &Problem, state: &State) -> f64 {
        self.system.measure(problem, state, self.n_goals);
        // An inequality that a level has left broken is held there, as any other row is.
        for (row, held) in self.system.rows.iter_mut().zip(&self.levels.held) {
            row.is_floor &= *held <= 0.0;
        }
        self.aim_costs(problem, state);
        self.merit = self.sum_of_squares(self.levels.n_equalities);
        self.merit
    }

    /// The right side of every row: of an equality, back to where it is held.
    fn find_right_side(&mut self) {
        let held = self.levels.held.iter().chain(core::iter::repeat(&0.0));
        self.right.clear();
        self.right.extend(self.system.misses.iter().zip(held).map(|(miss, held)| miss - held));
    }

    /// Finds the worst violation of each level that is done; returns the worst of all.
    fn find_violations(&mut self, problem: &Problem) -> f64 {
        let (system, levels) = (&self.system, &mut self.levels);
        levels.violations.clear();
        let mut last = None;
        for group in system.groups.iter().filter(|group| group.rows.end <= levels.n_equalities) {
            let level = problem.goals[group.goal].level;
            if last != Some(level) {
                last = Some(level);
                levels.violations.push(0.0);
            }
            for r in group.rows.clone() {
                let off = system.misses[r] - levels.held[r];
                let off = if system.rows[r].is_floor { off.max(0.0) } else { off.abs() };
                if let Some(worst) = levels.violations.last_mut() {
                    *worst = f64::max(*worst, off);
                }
            }
        }
        levels.violations.iter().copied().fold(0.0, f64::max)
    }

    /// Finds the violations again; returns the worst, and whether no level is worse off than before by more than rounding.
    fn compare_violations(&mut self, problem: &Problem) -> (f64, bool) {
        let mut before = core::mem::take(&mut self.levels.before);
        before.clone_from(&self.levels.violations);
        let worst = self.find_violations(problem);
        let enough = HELD * problem.unit;
        let mut pairs = self.levels.violations.iter().zip(&before);
        let holds = pairs.all(|(now, then)| *now <= enough.max(*then));
        self.levels.before = before;
        (worst, holds)
    }

    /// One step of the present level; false when it is done.
    fn refine_level(&mut self, problem: &Problem, state: &mut State) -> bool {
        self.levels.steps += 1;
        self.system.differentiate(problem, state);
        self.find_right_side();
        let (n_equalities, damping) = (self.levels.n_equalities, self.damping);
        if !self.step.solve(problem, state, &self.system, &self.right, n_equalities, damping) {
            return false;
        }
        let (violation, before) = (self.find_violations(problem), self.merit);
        let enough = HELD * problem.unit;
        self.levels.at_start.clone_from(&self.levels.violations);
        if violation <= enough && self.is_short() {
            return false;
        }
        let is_accelerated =
            self.step.is_whole() && violation <= enough && self.step.accelerate(&mut self.anderson);
        self.kept.copy_from(&state.values);
        self.apply(problem, state, 1.0);
        self.anderson.remember(&self.step.x);
        self.restore(problem, state);
        if n_equalities == 0 && self.merit >= before {
            self.correct_second_order(problem, state);
        }
        // Coming back to where rows are held may cost the level something.
        let helps = self.merit < before || violation > enough;
        self.levels.violations.clone_from(&self.levels.at_start);
        if helps && self.compare_violations(problem).1 {
            self.levels.rejected = 0;
            self.lower_damping(DAMPING_FACTOR, LEAST_DAMPING * problem.unit * problem.unit);
            return violation > enough || self.merit < STANDSTILL * before;
        }
        state.restore(problem, &self.kept);
        self.measure_level(problem, state);
        self.raise_damping(is_accelerated, DAMPING_FACTOR, 0.0);
        self.levels.rejected += u32::from(!is_accelerated);
        self.levels.rejected < TRIES
    }

    /// Takes back what the second order of a step without equalities did to its rows, with the factor at hand (the second-order correction of
    /// \[nocedal06\], section 18.3): small costs lead along a curved valley of rows that are met, whose sides are steep beside it.
    fn correct_second_order(&mut self, problem: &Problem, state: &mut State) {
        if !self.step.can_solve_again() {
            return;
        }
        // What the rows miss beyond what the first order said, e(x) − (e − J x).
        let system = &self.system;
        let misses = system.misses.iter().zip(&self.right);
        self.kept_misses.clear();
        self.kept_misses.extend(misses.map(|(now, then)| now - then));
        system.add_product(&self.step.x, 1.0, &mut self.kept_misses);
        self.step.solve_again(system, &self.kept_misses, &mut self.curvature);
        core::mem::swap(&mut self.step.x, &mut self.curvature);
        self.apply(problem, state, 1.0);
        core::mem::swap(&mut self.step.x, &mut self.curvature);
        self.step.x.iter_mut().zip(&self.curvature).for_each(|(x, by)| *x += by);
        self.anderson.remember(&self.step.x);
        self.measure_level(problem, state);
    }

    /// Whether the step is next to nothing, by itself or beside the change so far.
    fn is_short(&self) -> bool {
        let costs = self.step.x.iter().zip(&self.step.cost);
        let change: f64 = costs.map(|(x, cost)| cost * x * x).sum();
        let is_small = change <= SMALL_PART * SMALL_PART * self.merit;
        self.step.longest() <= SHORT || (!self.costs.is_empty() && is_small)
    }

    /// Brings the equalities back to where they are held, by the least change, as far as that goes.
    fn restore(&mut self, problem: &Problem, state: &mut State) {
        self.measure_level(problem, state);
        let unit = problem.unit;
        for _ in 0..RESTORATIONS {
            let before = self.find_violations(problem);
            if before <= 0.1 * HELD * unit {
                return;
            }
            self.system.truncate(self.levels.n_equalities);
            self.system.differentiate(problem, state);
            self.find_right_side();
            core::mem::swap(&mut self.step.cost, &mut self.levels.no_cost);
            // As soft rows with next to no damping: rows that depend on each other then share what is left of them.
            let damping = RESTORATION_DAMPING * unit * unit;
            let moves = self.step.solve(problem, state, &self.system, &self.right, 0, damping);
            core::mem::swap(&mut self.step.cost, &mut self.levels.no_cost);
            if !moves {
                break;
            }
            self.levels.unrestored.copy_from(&state.values);
            self.apply(problem, state, 1.0);
            self.measure_level(problem, state);
            let (worst, holds) = self.compare_violations(problem);
            if !holds || worst >= before {
                state.restore(problem, &self.levels.unrestored);
                break;
            }
        }
        self.measure_level(problem, state);
    }
}
