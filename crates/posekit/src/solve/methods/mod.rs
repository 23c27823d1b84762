//! The methods, one file each, behind one trait.

mod arm;
mod ccd;
mod direct;
mod fabrik;
pub(super) mod least_squares;
mod on_points;
mod relaxation;
mod two_bone;

pub(super) use arm::Arm;
pub(super) use ccd::Ccd;
pub(super) use least_squares::LeastSquares;
pub(super) use on_points::OnPoints;
pub(super) use two_bone::TwoBone;

use super::pose::State;
use super::problem::Problem;
use super::recorder::Recorder;
use super::solution::TraceStep;
use crate::task::Miss;

/// A method on a skeleton: reads the problem, moves the state.
pub(super) trait Method {
    /// Starts on a problem, or on new targets.
    fn begin(&mut self, problem: &Problem, state: &mut State);

    /// One iteration.
    fn iterate(&mut self, problem: &Problem, state: &mut State, recorder: &mut Recorder<'_>);

    /// The iterations that the last one counts as.
    fn steps(&self) -> u32 {
        1
    }

    /// Largest misses of required tasks, minus proven shortfalls, in the problem's units.
    fn residual(&self, problem: &Problem, state: &State) -> Miss {
        state.gap(problem)
    }

    /// A monotonic function of the weighted sum of squared misses: of two states that reach nothing, the smaller is better.
    fn merit(&self, problem: &Problem, state: &State) -> f64 {
        state.sum_of_squares(problem)
    }

    /// The quantity that must decrease from one iteration to the next, if that is not the residual.
    fn progress(&self) -> Option<f64> {
        None
    }

    /// One step of the work that follows once the tasks that decide the status are solved: lower levels, least change; false if there is none.
    fn refine(&mut self, _: &Problem, _: &mut State) -> bool {
        false
    }

    /// Whether the last iteration moved nothing, by the published test; for classic mode.
    fn is_at_rest(&self) -> bool {
        false
    }

    /// Continues from a state that something else has changed.
    fn resume(&mut self, _: &Problem, _: &State) {}

    /// Updates the state, for a method that works on points.
    fn finish(&mut self, _: &Problem, _: &mut State) {}

    /// Saves what the method keeps outside the state.
    fn keep(&mut self) {}

    /// Restores what was saved.
    fn recall(&mut self, problem: &Problem, state: &State) {
        self.resume(problem, state);
    }

    /// Fills in the errors, the configuration and the points of a trace step.
    fn describe(&mut self, problem: &Problem, state: &mut State, step: &mut TraceStep) {
        state.describe(problem, step);
    }
}
