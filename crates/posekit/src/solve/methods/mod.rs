//! The methods, one type each.

mod ccd;
mod direct;
pub(super) mod fabrik;
pub(super) mod least_squares;
pub(super) mod relaxation;
mod two_bone;

pub(super) use ccd::Ccd;
pub(super) use direct::Direct;
pub(super) use fabrik::Fabrik;
pub(super) use least_squares::LeastSquares;
pub(super) use relaxation::Relaxation;
pub(super) use two_bone::TwoBone;

use super::driver::Recorder;
use super::pose::State;
use super::problem::Problem;
use super::settings::Settings;
use super::solution::TraceStep;
use crate::task::Miss;

/// A method on a skeleton: reads the problem, moves the state.
pub(super) trait Method {
    /// Takes over a problem at its start, or one whose targets have moved.
    fn begin(&mut self, problem: &Problem, state: &mut State, settings: &Settings);

    /// One iteration.
    fn iterate(&mut self, problem: &Problem, state: &mut State, recorder: &mut Recorder<'_>);

    /// Largest misses of what is required, less what is proven to be out of reach.
    fn residual(&self, problem: &Problem, state: &State) -> Miss {
        state.gap(problem)
    }

    /// Largest misses, whatever is proven of them.
    fn true_residual(&self, problem: &Problem, state: &State) -> Miss {
        state.residual(problem)
    }

    /// Rises with the weighted sum of squared misses.
    fn merit(&self, problem: &Problem, state: &State) -> f64 {
        state.sum_of_squares(problem)
    }

    /// What must fall from one iteration to the next, where that is not the residual.
    fn progress(&self) -> Option<f64> {
        None
    }

    /// One step of lower levels, or of the least change; false when there is none.
    fn refine(&mut self, _: &Problem, _: &mut State) -> bool {
        false
    }

    /// Whether the last iteration moved nothing, by the published test.
    fn is_at_rest(&self) -> bool {
        false
    }

    /// Takes over a state that was changed from outside.
    fn resume(&mut self, _: &Problem, _: &State) {}

    /// Brings the state up to date, for a method that works on something else.
    fn finish(&mut self, _: &Problem, _: &mut State) {}

    /// Remembers what it works on beside the state, as the best.
    fn keep(&mut self) {}

    /// Returns to what was kept.
    fn recall(&mut self, problem: &Problem, state: &State) {
        self.resume(problem, state);
    }

    /// Fills in a trace step.
    fn describe(&mut self, problem: &Problem, state: &mut State, step: &mut TraceStep) {
        state.describe(problem, step);
    }
}
