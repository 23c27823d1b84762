//! Free chains: relaxation, FABRIK and the direct solver on points, for chains of points and for unlimited chains of joints.

use super::Method;
use super::driver::{Escape, ROUNDING, Recorder, Run};
use super::methods;
use super::methods::direct::Direct;
use super::methods::fabrik;
use super::methods::relaxation::Relaxed;
use super::points::Points;
use super::pose::State;
use super::problem::Problem;
use super::reading::PoseReader;
use super::settings::Settings;
use super::solution::{Solution, TraceStep};
use crate::chain::relaxation::Reading;
use crate::chain::{Chain, Goals};
use crate::task::Miss;

/// A pose is fitted to points that are solved to this fraction of the tolerance, because fitting rounds.
const TIGHTER: f64 = 0.1;

/// Points and the method that moves them.
#[derive(Debug, Clone, Default)]
struct Solver {
    points: Points,
    method: Method,
    relaxed: Relaxed,
    direct: Direct,
    /// The distance at which the direct solver stops.
    tolerance: f64,
    /// FABRIK straightens the chain towards a target out of reach instead of iterating.
    straightens: bool,
    classic: bool,
}

impl Solver {
    /// Starts from the present points.
    fn begin(&mut self, method: Method, tolerance: f64, settings: &Settings) {
        (self.method, self.tolerance, self.classic) = (method, tolerance, settings.classic);
        self.straightens = settings.tolerance != Some(0.0) && !settings.classic;
        if method == Method::Relaxation {
            self.relaxed.begin(&self.points, settings);
        }
    }

    /// One iteration.
    ///
    /// - `describe`: fills in the trace step of a half-step, from the solver's points and the points to show
    fn iterate(
        &mut self,
        recorder: &mut Recorder<'_>,
        mut describe: impl FnMut(&Points, &[f64], &mut TraceStep),
    ) {
        let Self { points, relaxed, direct, .. } = self;
        let in_halves = recorder.wants_half_steps();
        match self.method {
            Method::Relaxation => {
                relaxed.iterate(points, in_halves, |points, relaxed, phase| {
                    relaxed.read(points);
                    recorder.half_step(phase, |step| describe(points, &relaxed.points, step));
                });
                relaxed.read(points);
            }
            Method::Fabrik => {
                let is_far = self.straightens && points.shortfall() > 0.0;
                if !is_far || !direct.reach(points, 0.0) {
                    fabrik::iterate(points, in_halves, |points, phase| {
                        recorder.half_step(phase, |step| describe(points, &points.points, step));
                    });
                }
            }
            _ => {
                direct.reach(points, self.tolerance);
            }
        }
    }

    /// Whether bones may stretch, which puts every target within reach.
    fn may_stretch(&self) -> bool {
        self.method == Method::Relaxation && self.relaxed.may_stretch()
    }

    fn residual(&self) -> Miss {
        if self.may_stretch() {
            // Once the effectors are on their targets, the error is the stretch of the bones.
            let Miss { distance, angle } = self.points.residual();
            return Miss { distance: distance.max(self.points.stretch()), angle };
        }
        // The published methods have no proofs of reach.
        if self.classic { self.points.residual() } else { self.points.gap() }
    }

    fn merit(&self, tolerance: Miss) -> f64 {
        if !self.may_stretch() {
            return self.points.merit();
        }
        let is_off = self.points.residual().distance > tolerance.distance;
        if is_off { f64::INFINITY } else { self.points.stretch() }
    }

    /// The points to show: relaxed ones, whose distances are not exact.
    fn shown(&self) -> &[f64] {
        let is_relaxed = self.method == Method::Relaxation;
        if is_relaxed { &self.relaxed.points } else { &self.points.points }
    }
}

/// A chain of points as a run of the driver.
#[derive(Debug, Clone, Default)]
pub(super) struct ChainRun {
    solver: Solver,
    tolerance: Miss,
}

impl ChainRun {
    /// Starts on a checked problem that the method can solve.
    pub(super) fn begin(
        &mut self,
        chain: &Chain,
        goals: Goals<'_>,
        method: Method,
        settings: &Settings,
    ) {
        let points = &mut self.solver.points;
        points.begin_chain(chain, goals);
        let asked = settings.tolerance.map_or(1e-6 * points.unit, |x| x * points.scale);
        let distance = asked.max(ROUNDING * points.unit).max(f64::MIN_POSITIVE);
        self.tolerance = Miss { distance, angle: settings.angle_tolerance().max(ROUNDING) };
        if method != Method::Direct {
            points.prepare_branches();
        }
        self.solver.begin(method, distance, settings);
    }

    /// The points, in units of their own.
    pub(super) fn points(&mut self) -> &mut Points {
        &mut self.solver.points
    }

    /// The tolerance, in units of the points.
    pub(super) fn tolerance(&self) -> Miss {
        self.tolerance
    }

    /// The proven distance by which the targets are out of reach, in the caller's units; 0 if bones may stretch.
    pub(super) fn shortfall(&self) -> f64 {
        let Solver { points, .. } = &self.solver;
        if self.solver.may_stretch() { 0.0 } else { points.shortfall() / points.scale }
    }

    /// Fills in the points and errors of a solution; returns the largest miss, in units of the points.
    pub(super) fn report(&mut self, solution: &mut Solution) -> Miss {
        let points = &mut self.solver.points;
        points.carry();
        solution.configuration.clear();
        solution.misses.clear();
        solution.dimension = points.dimension;
        points.write(&points.points, &mut solution.points);
        let residual = points.residual();
        solution.error = residual.distance / points.scale;
        solution.orientation_error = 0.0;
        residual
    }
}

impl Run for ChainRun {
    fn iterate(&mut self, recorder: &mut Recorder<'_>) {
        self.solver.iterate(recorder, describe);
    }

    fn residual(&mut self) -> Miss {
        self.solver.residual()
    }

    fn merit(&mut self) -> f64 {
        self.solver.merit(self.tolerance)
    }

    fn escape(&mut self, attempt: u32, _budget: u32) -> Option<Escape> {
        let Solver { points, method, relaxed, direct, tolerance, .. } = &mut self.solver;
        let applies = attempt == 0 && *method != Method::Direct && !relaxed.may_stretch();
        let is_out = applies && direct.reach(points, *tolerance);
        relaxed.resume(points);
        is_out.then_some(Escape { steps: 1, by: Method::Direct })
    }

    fn keep(&mut self) {
        self.solver.points.keep();
    }

    fn recall(&mut self) {
        self.solver.points.recall();
    }

    fn describe(&mut self, step: &mut TraceStep) {
        describe(&self.solver.points, self.solver.shown(), step);
    }
}

fn describe(points: &Points, shown: &[f64], step: &mut TraceStep) {
    step.error = points.residual().distance / points.scale;
    points.write(shown, &mut step.points);
}

/// An unlimited chain of joints: a method moves its points, and the pose is fitted to them at the end.
#[derive(Debug, Clone, Default)]
pub(super) struct FreeChain {
    solver: Solver,
    reader: PoseReader,
    /// The method that moves the points.
    pub(super) method: Method,
}

impl FreeChain {
    /// Moves an unbranched chain of joints by the direct solver, from the start of the solve, as far as its joints can follow.
    pub(super) fn reach(&mut self, problem: &Problem, state: &mut State) {
        state.restart(problem);
        self.solver.points.begin_figure(problem, state, problem.dimension());
        self.reader.prepare(problem);
        let tolerance = TIGHTER * problem.tolerance.distance;
        if self.solver.direct.reach(&mut self.solver.points, tolerance) {
            self.reader.read(problem, state, &self.solver.points, Reading::Angles);
        }
    }
}

impl methods::Method for FreeChain {
    fn begin(&mut self, problem: &Problem, state: &mut State, settings: &Settings) {
        self.solver.points.begin_figure(problem, state, problem.dimension());
        self.solver.points.weigh(problem, settings);
        self.reader.prepare(problem);
        self.solver.begin(self.method, TIGHTER * problem.tolerance.distance, settings);
        self.solver.relaxed.keep_lengths();
    }

    fn iterate(&mut self, problem: &Problem, state: &mut State, recorder: &mut Recorder<'_>) {
        let Self { solver, reader, .. } = self;
        solver.iterate(recorder, |points, shown, step| {
            reader.finish(problem, state, points);
            state.describe(problem, step);
            points.write_figure(problem, shown, &mut step.points);
        });
    }

    fn residual(&self, _: &Problem, _: &State) -> Miss {
        self.solver.residual()
    }

    fn true_residual(&self, _: &Problem, _: &State) -> Miss {
        self.solver.residual()
    }

    fn merit(&self, problem: &Problem, _: &State) -> f64 {
        self.solver.merit(problem.tolerance)
    }

    fn resume(&mut self, problem: &Problem, state: &State) {
        self.solver.points.take(problem, state);
        self.solver.relaxed.resume(&self.solver.points);
    }

    fn finish(&mut self, problem: &Problem, state: &mut State) {
        self.reader.finish(problem, state, &self.solver.points);
    }

    fn keep(&mut self) {
        self.solver.points.keep();
    }

    fn recall(&mut self, _: &Problem, _: &State) {
        self.solver.points.recall();
    }

    fn describe(&mut self, problem: &Problem, state: &mut State, step: &mut TraceStep) {
        self.finish(problem, state);
        state.describe(problem, step);
        self.solver.points.write_figure(problem, self.solver.shown(), &mut step.points);
    }
}
