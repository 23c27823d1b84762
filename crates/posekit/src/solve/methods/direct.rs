//! The direct solver of free chains as a method: one iteration puts the tip on its target. See [`chain::direct`](crate::chain::direct).

use super::Method;
use crate::chain::relaxation::Reading;
use crate::chain::{DirectWorkspace, direct};
use crate::solve::driver::Recorder;
use crate::solve::points::Points;
use crate::solve::pose::State;
use crate::solve::problem::Problem;
use crate::solve::reading::PoseReader;
use crate::solve::settings::Settings;

/// The points are solved to this fraction of the tolerance, because fitting a pose to them rounds, but not more finely than rounding allows,
/// a fraction of the unit of length.
const TIGHTER: f64 = 0.1;
const TIGHTEST: f64 = 1e-13;

/// See the module.
#[derive(Debug, Clone, Default)]
pub(in crate::solve) struct Direct {
    points: Points,
    reader: PoseReader,
    workspace: DirectWorkspace,
}

impl Direct {
    /// Moves an unbranched chain onto its target, or as near as its bones allow; false if it is branched or one-dimensional.
    ///
    /// - `tolerance`: distance from the target at which to stop
    pub(in crate::solve) fn reach_points(&mut self, points: &mut Points, tolerance: f64) -> bool {
        let n = points.dimension;
        if !points.is_path || n < 2 {
            return false;
        }
        let tolerance = tolerance.max(TIGHTEST * points.unit);
        let (bones, goals, at, _) = points.parts();
        let lengths = &bones.lengths[1..];
        let way = direct::reach(n, lengths, at, goals.targets, tolerance, &mut self.workspace);
        way != direct::Way::None
    }

    /// Moves an unbranched chain of joints, from the start of the solve, as if it were free, as far as its joints can follow.
    pub(in crate::solve) fn reach(&mut self, problem: &Problem, state: &mut State) {
        state.restart(problem);
        let dimension = problem.dimension();
        self.points.begin_figure(problem, state, dimension, &Settings::default());
        self.reader.prepare(problem);
        let mut points = core::mem::take(&mut self.points);
        if self.reach_points(&mut points, TIGHTER * problem.tolerance.distance) {
            self.reader.read(problem, state, &points, Reading::Angles);
        }
        self.points = points;
    }
}

impl Method for Direct {
    fn begin(&mut self, _: &Problem, _: &mut State, _: &Settings) {}

    fn iterate(&mut self, problem: &Problem, state: &mut State, _: &mut Recorder<'_>) {
        self.reach(problem, state);
    }
}
