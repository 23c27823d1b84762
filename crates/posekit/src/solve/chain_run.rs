//! A chain of points as a run of the driver.

use super::Method;
use super::driver::{Escape, ROUNDING, Recorder, Run};
use super::methods::relaxation::Relaxed;
use super::methods::{Direct, fabrik};
use super::points::Points;
use super::settings::Settings;
use super::solution::{Solution, TraceStep};
use crate::chain::{Chain, Goals};
use crate::task::Miss;

/// A chain, the method that moves it, and the direct solver for lock-ups.
#[derive(Debug, Clone, Default)]
pub(super) struct ChainRun {
    pub(super) points: Points,
    method: Method,
    relaxed: Relaxed,
    direct: Direct,
    tolerance: Miss,
    /// FABRIK straightens the chain towards a target out of reach instead of iterating.
    straightens: bool,
    classic: bool,
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
        self.points.begin_chain(chain, goals);
        (self.method, self.classic) = (method, settings.classic);
        let Points { unit, scale, .. } = self.points;
        let asked = settings.tolerance.map_or(1e-6 * unit, |tolerance| tolerance * scale);
        let distance = asked.max(ROUNDING * unit).max(f64::MIN_POSITIVE);
        self.tolerance = Miss { distance, angle: settings.angle_tolerance().max(ROUNDING) };
        self.straightens = settings.tolerance != Some(0.0) && !settings.classic;
        if method != Method::Direct {
            self.points.prepare_branches();
        }
        if method == Method::Relaxation {
            self.relaxed.begin(&self.points, settings);
        }
    }

    /// The tolerance, in units of the points.
    pub(super) fn tolerance(&self) -> Miss {
        self.tolerance
    }

    /// The proven distance by which the targets are out of reach, in the caller's units; 0 if bones may stretch.
    pub(super) fn shortfall(&self) -> f64 {
        if self.may_stretch() { 0.0 } else { self.points.shortfall() / self.points.scale }
    }

    fn may_stretch(&self) -> bool {
        self.method == Method::Relaxation && self.relaxed.may_stretch()
    }

    /// Fills in the points and errors of a solution; returns the largest miss, in units of the points.
    pub(super) fn report(&mut self, solution: &mut Solution) -> Miss {
        self.points.carry();
        solution.configuration.clear();
        solution.misses.clear();
        solution.dimension = self.points.dimension;
        self.points.write(&self.points.points, &mut solution.points);
        let residual = self.points.residual();
        solution.error = residual.distance / self.points.scale;
        solution.orientation_error = 0.0;
        residual
    }
}

impl Run for ChainRun {
    fn iterate(&mut self, recorder: &mut Recorder<'_>) {
        let in_halves = recorder.wants_half_steps();
        match self.method {
            Method::Relaxation => {
                self.relaxed.iterate(&mut self.points, in_halves, |points, relaxed, phase| {
                    relaxed.read(points);
                    recorder.half_step(phase, |step| describe(points, &relaxed.points, step));
                });
                self.relaxed.read(&mut self.points);
            }
            Method::Fabrik => {
                if self.straightens && fabrik::straighten(&mut self.points, &mut self.direct) {
                    return;
                }
                fabrik::iterate(&mut self.points, in_halves, |points, phase| {
                    recorder.half_step(phase, |step| describe(points, &points.points, step));
                });
            }
            _ => {
                self.direct.reach_points(&mut self.points, self.tolerance.distance);
            }
        }
    }

    fn residual(&mut self) -> Miss {
        if self.may_stretch() {
            // Once the effectors are on their targets, the error is the stretch of the bones.
            let Miss { distance, angle } = self.points.residual();
            return Miss { distance: distance.max(self.points.stretch()), angle };
        }
        if self.classic { self.points.residual() } else { self.points.gap() }
    }

    fn merit(&mut self) -> f64 {
        if !self.may_stretch() {
            return self.points.merit();
        }
        let is_off = self.points.residual().distance > self.tolerance.distance;
        if is_off { f64::INFINITY } else { self.points.stretch() }
    }

    fn escape(&mut self, attempt: u32, _budget: u32) -> Option<Escape> {
        let is_out = attempt == 0
            && self.method != Method::Direct
            && !self.may_stretch()
            && self.direct.reach_points(&mut self.points, self.tolerance.distance);
        self.relaxed.points.clone_from(&self.points.points);
        is_out.then_some(Escape { steps: 1, by: Method::Direct })
    }

    fn keep(&mut self) {
        self.points.keep();
    }

    fn recall(&mut self) {
        self.points.recall();
    }

    fn describe(&mut self, step: &mut TraceStep) {
        let relaxed = self.method == Method::Relaxation;
        let shown = if relaxed { &self.relaxed.points } else { &self.points.points };
        describe(&self.points, shown, step);
    }
}

fn describe(points: &Points, shown: &[f64], step: &mut TraceStep) {
    step.error = points.residual().distance / points.scale;
    points.write(shown, &mut step.points);
}
