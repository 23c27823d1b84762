//! What takes part.

use anyhow::Result;

use super::chain::Chain;
use super::matrix::Matrix;

/// A solver at work on a chain.
pub trait Solver {
    /// Takes targets over, in its own types. Not timed.
    fn load(&mut self, targets: &[Matrix]);

    /// Solves for one of them from the configuration `q`, and leaves the answer in it.
    fn solve(&mut self, target: usize, q: &mut Vec<f64>) -> Outcome;

    /// All answers to the target solved last, for solvers that give all.
    fn all(&self) -> Option<&[Vec<f64>]> {
        None
    }
}

/// What a solver says of itself.
#[derive(Debug, Clone, Copy, Default)]
pub struct Outcome {
    /// Whether it has reached the target.
    pub is_reached: bool,
    /// Iterations over all starts, where it counts them.
    pub iterations: Option<u32>,
    /// Starts, where it counts them.
    pub starts: Option<u32>,
}

/// Something that can be entered.
#[derive(Debug, Clone, Copy)]
pub struct Contender {
    /// For the tables.
    pub name: &'static str,
    /// Makes the solver.
    pub enter: fn(&Chain) -> Entered,
}

/// A solver ready for a chain; none where it is not made for such a chain.
pub type Entered = Result<Option<Box<dyn Solver>>>;
