//! Damped least squares: any number of tasks on any skeleton, with limits and targets out of reach.
//!
//! Each iteration solves the quadratic program of [`step`] and moves by its solution. The step is damped (Levenberg–Marquardt, \[wampler86\]), so
//! it stays finite at singular poses, and it respects the limits as constraints instead of being truncated at them. Damping falls by a factor of
//! ten after a step that reduces the objective and rises after one that does not; where steps fail because the valley is curved, geodesic
//! acceleration \[transtrum12\] follows it. The null space of the tasks of one level is used by the next, and finally for least change
//! ([`levels`]).
//!
//! The same steps free the other methods from lock-ups.

mod anderson;
mod costs;
mod holds;
mod levels;
mod rows;
mod step;
mod structure;

use super::Method;
use crate::math::{dot, so3_exp, sqrt};
use crate::solve::pose::{State, Values};
use crate::solve::problem::{Problem, worse};
use crate::solve::recorder::Recorder;
use crate::solve::solution::TraceStep;
use crate::task::Miss;
use alloc::vec::Vec;
use anderson::Anderson;
use costs::Cost;
use glam::DVec3;
use levels::Levels;
use rows::{System, make_room};
use step::Step;
use structure::Motion;

/// A descent ends when this many steps have not halved the sum of squares, because another start is more promising.
const STEPS_TO_HALVE: u32 = 4;

/// The same for one start among many: it ends when this many steps leave more than this fraction.
const DOUBTFUL_STEPS: u32 = 2;
const DOUBTFUL_PART: f64 = 0.75;

/// A descent to a local minimum ends when a step leaves more than this fraction of the sum of squares,
/// minus its proven lower bound.
const STANDSTILL: f64 = 1.0 - 1e-11;

/// The fraction of a step at which its curvature is probed, and the largest correction relative to the step that is accepted: h and α of
/// \[transtrum12\].
const PROBE: f64 = 0.1;
const LARGEST_CORRECTION: f64 = 0.75;

/// The least damping, and the least after a failed step, relative to the square of the unit of length.
const LEAST_DAMPING: f64 = 1e-18;
const FIRST_DAMPING: f64 = 1e-9;

/// Damping of the first step, relative to the sum of squares: it vanishes with the residuals, as convergence at singular poses requires
/// \[sugihara11\].
const DAMPING_OF_MISSES: f64 = 1e-3;

/// The factor by which damping falls after a successful step and rises after a failed one. Towards a pose with remaining residuals the
/// linear model overshoots, and a smaller factor lets damping find its level.
const DAMPING_FACTOR: f64 = 10.0;
const CAREFUL_FACTOR: f64 = 3.0;

/// Steps at constant damping before it falls again, when Anderson acceleration is on.
const PATIENCE: u32 = 6;

/// A step this short that does not reduce the objective has failed by rounding \[rad, or the unit of length\].
const ROUNDING_STEP: f64 = 1e-9;

/// Failed steps in a row before an iteration gives up.
const TRIES: u32 = 12;

/// When a descent ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::solve) enum Until {
    /// When the targets no longer seem likely to be reached.
    Hopeless,
    /// The same with less patience: there are other starts to try.
    Doubtful,
    /// At a local minimum.
    AtRest,
}

/// The outcome of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Outcome {
    /// It reduced the sum of squares.
    Better,
    /// It did not; the pose is restored and damping raised.
    Worse,
    /// The pose is a local minimum.
    AtRest,
}

/// The method: its buffers and the state of a descent.
#[derive(Debug, Clone, Default)]
pub(in crate::solve) struct LeastSquares {
    system: System,
    step: Step,
    kept: Values,
    kept_misses: Vec<f64>,
    /// One number per unknown: a correction of the step, or the gradient of the sum of squares.
    curvature: Vec<f64>,
    /// The right side of each row.
    right: Vec<f64>,
    costs: Vec<Cost>,
    /// The level of these costs; 0 for none.
    costs_level: u8,
    /// Number of active tasks, and of those of the first level.
    n_goals: usize,
    n_first: usize,
    is_prepared: bool,
    /// Sizes that the buffers have capacity for: nodes, goals, bodies.
    room: (usize, usize, usize),
    damping: f64,
    /// The sum of squares now.
    merit: f64,
    /// A step has failed: the next ones use geodesic acceleration.
    is_curved: bool,
    anderson: Anderson,
    /// Anderson acceleration is on: towards a pose with remaining residuals or changes.
    accelerates: bool,
    /// Steps left at the present damping.
    patience: u32,
    levels: Levels,
}

impl Method for LeastSquares {
    fn begin(&mut self, problem: &Problem, state: &mut State) {
        self.resume(problem, state);
    }

    /// One successful step, if there is one.
    fn iterate(&mut self, problem: &Problem, state: &mut State, _: &mut Recorder<'_>) {
        self.accelerates = false;
        for _ in 0..TRIES {
            if self.descend(problem, state, DAMPING_FACTOR) != Outcome::Worse {
                break;
            }
        }
    }

    fn residual(&self, problem: &Problem, state: &State) -> Miss {
        if problem.is_plain { state.gap(problem) } else { self.required(problem) }
    }

    fn merit(&self, _: &Problem, _: &State) -> f64 {
        self.merit
    }

    fn progress(&self) -> Option<f64> {
        Some(sqrt(self.merit))
    }

    fn refine(&mut self, problem: &Problem, state: &mut State) -> bool {
        self.refine_levels(problem, state)
    }

    fn resume(&mut self, problem: &Problem, state: &State) {
        self.prepare(problem, state);
        self.start(problem, state);
    }

    fn describe(&mut self, problem: &Problem, state: &mut State, step: &mut TraceStep) {
        state.describe(problem, step);
        if !problem.is_plain {
            let Miss { distance, angle } = self.required(problem);
            (step.error, step.turn) = (distance / problem.scale, angle);
        }
    }
}

impl LeastSquares {
    /// There is a new problem; it is prepared when the first step is taken.
    pub(in crate::solve) fn forget(&mut self, problem: &Problem, state: &State) {
        self.is_prepared = false;
        // Capacity for what an escape may need, so that no later solve of that size allocates.
        let size = (problem.nodes.len(), problem.goals.len(), problem.bodies.len());
        let (nodes, goals, bodies) = self.room;
        if size.0 > nodes || size.1 > goals || size.2 > bodies {
            self.room = (size.0.max(nodes), size.1.max(goals), size.2.max(bodies));
            self.resume(problem, state);
            self.kept.copy_from(&state.values);
        }
    }

    fn prepare(&mut self, problem: &Problem, state: &State) {
        if core::mem::replace(&mut self.is_prepared, true) {
            return;
        }
        self.system.prepare(problem, state);
        self.step.prepare(problem, &self.system);
        self.costs_level = 0;
        let levels = self.system.structure.order.iter().map(|&k| problem.goals[k].level);
        self.n_first = levels.take_while(|&level| level == 1).count();
        let (m, n) = (self.system.n_rows, self.system.structure.n_unknowns);
        for list in [&mut self.kept_misses, &mut self.right] {
            make_room(list, m);
        }
        make_room(&mut self.curvature, n);
        self.kept.copy_from(&state.values);
        let postures = problem.postures(None).count();
        make_room(&mut self.costs, (1 + postures) * self.system.structure.blocks.len());
        self.levels.reserve(m, n, state);
        self.anderson.reserve(n);
    }

    /// Starts a descent on the first level from the present pose.
    fn start(&mut self, problem: &Problem, state: &State) {
        self.levels.start_over();
        self.n_goals = self.n_first;
        self.list_costs(problem, state, 1);
        let merit = self.measure(problem, state);
        (self.damping, self.is_curved, self.patience) = (DAMPING_OF_MISSES * merit, false, 0);
        self.step.unfreeze();
    }

    /// Steps on the first level until it is reached or no step succeeds; returns the number of steps.
    pub(in crate::solve) fn run(
        &mut self,
        problem: &Problem,
        state: &mut State,
        steps: u32,
        until: Until,
    ) -> u32 {
        self.resume(problem, state);
        let (mut taken, mut milestone) = (0, self.merit);
        self.accelerates = until == Until::AtRest;
        self.anderson.forget();
        let (factor, stride, part) = match until {
            Until::Hopeless => (DAMPING_FACTOR, STEPS_TO_HALVE, 0.5),
            Until::Doubtful => (DAMPING_FACTOR, DOUBTFUL_STEPS, DOUBTFUL_PART),
            Until::AtRest => (CAREFUL_FACTOR, u32::MAX, 1.0),
        };
        let shortfalls =
            problem.points.iter().map(|goal| goal.weight * goal.shortfall * goal.shortfall);
        let proven: f64 = shortfalls.sum();
        while taken < steps && !self.is_there(problem, state) {
            if taken % stride == stride - 1 {
                if self.merit > part * milestone {
                    break;
                }
                milestone = self.merit;
            }
            taken += 1;
            let before = self.merit;
            let outcome = self.descend(problem, state, factor);
            let part_left = (self.merit - proven) / (before - proven);
            let stands_still = outcome == Outcome::Better && part_left >= STANDSTILL;
            if outcome == Outcome::AtRest || (until == Until::AtRest && stands_still) {
                break;
            }
        }
        if until == Until::AtRest {
            self.step.damp_alike();
        }
        taken
    }

    /// Whether tasks contradict each other to first order in this pose: if it is not singular, they do so everywhere.
    pub(in crate::solve) fn has_conflict(&mut self, problem: &Problem, state: &State) -> bool {
        self.resume(problem, state);
        self.system.differentiate(problem, state);
        !self.costs.is_empty() || !self.step.is_consistent(problem, state, &self.system)
    }

    /// The sum of squares at the pose of the last step.
    pub(in crate::solve) fn sum(&self) -> f64 {
        self.merit
    }

    /// The largest misses of required tasks, from the rows measured last.
    fn required(&self, problem: &Problem) -> Miss {
        let mut largest = Miss::default();
        let groups = self.system.groups.iter();
        for group in groups.filter(|group| problem.goals[group.goal].is_required()) {
            let Miss { distance, angle } = Miss::of(&self.system.rows[group.rows.clone()]);
            largest.distance = worse(largest.distance, distance);
            largest.angle = worse(largest.angle, angle);
        }
        largest
    }

    /// Whether every required task is within its tolerance.
    fn is_there(&self, problem: &Problem, state: &State) -> bool {
        if problem.is_plain {
            state.is_there(problem)
        } else {
            self.required(problem).is_within(problem.tolerance)
        }
    }

    /// Measures residuals and costs in the present pose; returns the sum of squares of the costs and the rows that are no equalities.
    fn measure(&mut self, problem: &Problem, state: &State) -> f64 {
        self.system.measure(problem, state, self.n_goals);
        // An inequality that a level leaves violated is held like any other row.
        for (row, held) in self.system.rows.iter_mut().zip(&self.levels.held) {
            row.reading.is_floor &= *held <= 0.0;
        }
        self.aim_costs(problem, state);
        let rows = self.levels.n_equalities()..self.system.rows.len();
        let misses: f64 = rows.map(|r| self.system.counted(r)).map(|e| e * e).sum();
        let costs = self.step.cost.iter().zip(&self.step.target);
        self.merit = misses + costs.map(|(cost, by)| cost * by * by).sum::<f64>();
        self.merit
    }

    /// One damped step on the first level, undone unless it reduces the sum of squares.
    fn descend(&mut self, problem: &Problem, state: &mut State, factor: f64) -> Outcome {
        let unit = problem.unit;
        self.system.differentiate(problem, state);
        if self.accelerates {
            self.step.share_damping(&self.system);
        }
        let (system, damping) = (&self.system, self.damping);
        if !self.step.solve(problem, state, system, &system.misses, 0, damping) {
            return Outcome::AtRest;
        }
        self.kept.copy_from(&state.values);
        let is_whole = self.step.is_whole();
        let is_accelerated =
            self.accelerates && is_whole && self.step.accelerate(&mut self.anderson);
        if !is_accelerated && self.is_curved && is_whole && self.step.can_solve_again() {
            self.follow_curvature(problem, state);
        }
        self.apply(problem, state, 1.0);
        if self.accelerates {
            self.anderson.remember(&self.step.x);
        }
        let before = self.merit;
        if self.measure(problem, state) < before {
            self.lower_damping(factor, LEAST_DAMPING * unit * unit);
            return Outcome::Better;
        }
        state.restore(problem, &self.kept);
        self.measure(problem, state);
        if self.step.longest() <= ROUNDING_STEP {
            return Outcome::AtRest;
        }
        self.raise_damping(is_accelerated, factor, FIRST_DAMPING * unit * unit);
        Outcome::Worse
    }

    /// After a successful step. With Anderson acceleration, damping stays constant for a while after a failure: only steps with equal damping
    /// can be combined.
    fn lower_damping(&mut self, factor: f64, least: f64) {
        self.patience = self.patience.saturating_sub(1);
        if self.patience == 0 {
            self.damping = (self.damping / factor).max(least);
        }
    }

    /// After a failed step: an accelerated one is repeated without acceleration, a plain one with more damping.
    fn raise_damping(&mut self, is_accelerated: bool, factor: f64, least: f64) {
        self.anderson.forget();
        if !is_accelerated {
            self.damping = (factor * self.damping).max(least);
            self.is_curved = true;
            self.patience = if self.accelerates { PATIENCE } else { 0 };
        }
    }

    /// Moves the pose by a fraction of the step.
    fn apply(&self, problem: &Problem, state: &mut State, part: f64) {
        for block in &self.system.structure.blocks {
            let (i, x) = (block.node, &self.step.x[block.range()]);
            match block.motion {
                Motion::Variable => {
                    let index = problem.nodes[i].variable;
                    let moved = state.values.variables[index] + x[0] * part;
                    state.set_variable(problem, index, problem.variables[index].clamp(moved));
                }
                Motion::Rotation => {
                    let before = state.before(&problem.nodes[i]).conjugate();
                    let by = so3_exp(before * (DVec3::from_slice(x) * part));
                    let rotation = (by * state.values.motions[i].rotation).normalize();
                    state.set_rotation(problem, i, rotation);
                }
                Motion::Displacement => state.shift(problem, i, DVec3::from_slice(x) * part),
            }
        }
        state.update(problem);
    }

    /// Geodesic acceleration \[transtrum12\]: adds the second-order correction of the step.
    ///
    /// Near a singular pose the valley of the objective is narrow and curved, and a straight step runs into its side. Probing a short distance
    /// along the step measures how far the effectors deviate from the tangent; the correction solves for half of that with the existing factor.
    fn follow_curvature(&mut self, problem: &Problem, state: &mut State) {
        self.kept_misses.clone_from(&self.system.misses);
        self.apply(problem, state, PROBE);
        self.system.measure(problem, state, self.n_goals);
        state.restore(problem, &self.kept);
        core::mem::swap(&mut self.kept_misses, &mut self.system.misses);
        // The second derivative of the effectors along the step is 2 (e − h J x − e(h)) / h².
        let (system, second) = (&self.system, &mut self.kept_misses);
        second.iter_mut().zip(&system.misses).for_each(|(at, e)| *at -= e);
        system.add_product(&self.step.x, PROBE, second);
        second.iter_mut().for_each(|second| *second /= PROBE * PROBE);
        self.step.solve_again(system, second, &mut self.curvature);
        let correction = &self.curvature;
        let (size, straight) = (dot(correction, correction), dot(&self.step.x, &self.step.x));
        if size <= LARGEST_CORRECTION * LARGEST_CORRECTION * straight {
            self.step.x.iter_mut().zip(correction).for_each(|(x, by)| *x += by);
        }
    }
}

impl System {
    /// The weighted residual of a row; 0 for an inequality that holds.
    fn counted(&self, r: usize) -> f64 {
        if self.rows[r].reading.is_floor { self.misses[r].max(0.0) } else { self.misses[r] }
    }
}
