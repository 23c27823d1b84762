//! FABRIK: forward and backward reaching on points.
//!
//! One iteration puts the effectors on their targets and drags the other points after them, one bone length apart, to the root (*backward*); then
//! it puts the root back and drags the points after it outward (*forward*): `p ← a + l (p − a) / |p − a|` for each point `p` and the one
//! before it, `a`. Aristidou and Lasenby 2011 \[aristidou11\]. As in the paper, a chain whose target is out of reach is straightened towards it
//! without iterating.
//!
//! On skeletons with axes, limits or branches the joints make the forward half ([`reading`](crate::solve::reading)). A free chain is solved as
//! points, and its pose is fitted to them at the end.

use super::{Direct, Method};
use crate::chain::fabrik;
use crate::chain::relaxation::Reading;
use crate::solve::driver::Recorder;
use crate::solve::points::Points;
use crate::solve::pose::State;
use crate::solve::problem::Problem;
use crate::solve::reading::PoseReader;
use crate::solve::settings::Settings;
use crate::solve::solution::{Phase, TraceStep};
use crate::task::Miss;

/// See the module.
#[derive(Debug, Clone, Default)]
pub(in crate::solve) struct Fabrik {
    points: Points,
    reader: PoseReader,
    direct: Direct,
    /// The iterations move the points only; the state follows at the end.
    is_free: bool,
    straightens: bool,
}

impl Method for Fabrik {
    fn begin(&mut self, problem: &Problem, state: &mut State, settings: &Settings) {
        let dimension = problem.free_dimension();
        self.is_free = dimension.is_some();
        self.points.begin_figure(problem, state, dimension.unwrap_or(3), settings);
        self.reader.prepare(problem);
        let stops_early = settings.tolerance != Some(0.0);
        self.straightens = self.is_free && stops_early && !settings.classic;
    }

    fn iterate(&mut self, problem: &Problem, state: &mut State, recorder: &mut Recorder<'_>) {
        if self.is_free {
            if self.straightens && straighten(&mut self.points, &mut self.direct) {
                return;
            }
            let in_halves = recorder.wants_half_steps();
            iterate(&mut self.points, in_halves, |points, phase| {
                self.reader.finish(problem, state, points);
                recorder.half_step(phase, |step| describe(problem, state, points, step));
            });
            return;
        }
        self.points.take(problem, state);
        let (bones, goals, points, branches) = self.points.parts();
        fabrik::backward(3, bones, points, goals, branches);
        if recorder.wants_half_steps() {
            let points = &self.points;
            recorder.half_step(Phase::Backward, |step| describe(problem, state, points, step));
        }
        self.reader.read(problem, state, &self.points, Reading::Remeasured);
        if recorder.wants_half_steps() {
            recorder.half_step(Phase::Forward, |step| state.describe(problem, step));
        }
    }

    fn residual(&self, problem: &Problem, state: &State) -> Miss {
        if self.is_free { self.points.gap() } else { state.gap(problem) }
    }

    fn true_residual(&self, problem: &Problem, state: &State) -> Miss {
        if self.is_free { self.points.residual() } else { state.residual(problem) }
    }

    fn merit(&self, problem: &Problem, state: &State) -> f64 {
        if self.is_free { self.points.merit() } else { state.sum_of_squares(problem) }
    }

    fn resume(&mut self, problem: &Problem, state: &State) {
        if self.is_free {
            self.points.take(problem, state);
        }
    }

    fn finish(&mut self, problem: &Problem, state: &mut State) {
        if self.is_free {
            self.reader.finish(problem, state, &self.points);
        }
    }

    fn keep(&mut self) {
        self.points.keep();
    }

    fn recall(&mut self, _: &Problem, _: &State) {
        self.points.recall();
    }

    fn describe(&mut self, problem: &Problem, state: &mut State, step: &mut TraceStep) {
        self.finish(problem, state);
        state.describe(problem, step);
        if self.is_free {
            describe(problem, state, &self.points, step);
        }
    }
}

/// Fills in a trace step with the points and the present pose.
fn describe(problem: &Problem, state: &State, points: &Points, step: &mut TraceStep) {
    state.describe(problem, step);
    points.write_figure(problem, &points.points, &mut step.points);
}

/// One iteration on points; `record` is called after each half if half-steps are recorded.
pub(in crate::solve) fn iterate(
    points: &mut Points,
    in_halves: bool,
    mut record: impl FnMut(&mut Points, Phase),
) {
    let n = points.dimension;
    let (bones, goals, at, branches) = points.parts();
    fabrik::backward(n, bones, at, goals, branches);
    if in_halves {
        record(points, Phase::Backward);
    }
    let (bones, _, at, branches) = points.parts();
    fabrik::forward(n, bones, at, branches);
    if in_halves {
        record(points, Phase::Forward);
    }
}

/// Straightens an unbranched chain towards a target out of its reach; false if it is within reach.
pub(in crate::solve) fn straighten(points: &mut Points, direct: &mut Direct) -> bool {
    points.is_path && points.shortfall() > 0.0 && direct.reach_points(points, 0.0)
}
