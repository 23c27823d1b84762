//! FABRIK: forward and backward reaching on points.
//!
//! One iteration puts the effectors on their targets and drags the other points after them, one bone length apart, to the root (*backward*); then
//! it puts the root back and drags the points after it outward (*forward*): `p ← a + l (p − a) / |p − a|` for each point `p` and the one
//! before it, `a`. Aristidou and Lasenby 2011 \[aristidou11\]. As in the paper, a chain whose target is out of reach is straightened towards it
//! without iterating.
//!
//! On skeletons with axes, limits or branches the joints make the forward half ([`reading`](crate::solve::reading)). A free chain is solved as
//! points, and its pose is fitted to them at the end.

use super::Method;
use crate::chain::fabrik;
use crate::chain::relaxation::Reading;
use crate::solve::driver::Recorder;
use crate::solve::points::Points;
use crate::solve::pose::State;
use crate::solve::problem::Problem;
use crate::solve::reading::PoseReader;
use crate::solve::settings::Settings;
use crate::solve::solution::Phase;

/// See the module.
#[derive(Debug, Clone, Default)]
pub(in crate::solve) struct Fabrik {
    points: Points,
    reader: PoseReader,
}

impl Method for Fabrik {
    fn begin(&mut self, problem: &Problem, state: &mut State, _: &Settings) {
        self.points.begin_figure(problem, state, 3);
        self.reader.prepare(problem);
    }

    fn iterate(&mut self, problem: &Problem, state: &mut State, recorder: &mut Recorder<'_>) {
        let Self { points, reader } = self;
        points.take(problem, state);
        backward(points);
        if recorder.wants_half_steps() {
            recorder.half_step(Phase::Backward, |step| {
                state.describe(problem, step);
                points.write_figure(problem, &points.points, &mut step.points);
            });
        }
        reader.read(problem, state, points, Reading::Remeasured);
        if recorder.wants_half_steps() {
            recorder.half_step(Phase::Forward, |step| state.describe(problem, step));
        }
    }
}

fn backward(points: &mut Points) {
    let n = points.dimension;
    let (bones, goals, at, branches) = points.parts();
    fabrik::backward(n, bones, at, goals, branches);
}

/// One iteration on points; `record` is called after each half if half-steps are recorded.
pub(in crate::solve) fn iterate(
    points: &mut Points,
    in_halves: bool,
    mut record: impl FnMut(&mut Points, Phase),
) {
    backward(points);
    if in_halves {
        record(points, Phase::Backward);
    }
    let n = points.dimension;
    let (bones, _, at, branches) = points.parts();
    fabrik::forward(n, bones, at, branches);
    if in_halves {
        record(points, Phase::Forward);
    }
}
