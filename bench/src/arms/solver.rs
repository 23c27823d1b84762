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

    /// Follows all targets as one path, [`RATE`](super::lines::RATE) targets a second, from a configuration with the tool where the path begins. False if the
    /// solver only takes single targets.
    fn follow(&mut self, _start: &[f64]) -> bool {
        false
    }

    /// What came of the path that was followed last. Not timed.
    fn followed(&self) -> Followed {
        Followed::default()
    }

    /// All answers to the target solved last, for solvers that give all.
    fn all(&mut self) -> Option<&[Vec<f64>]> {
        None
    }
}

/// A path in joint values.
#[derive(Debug, Clone, Default)]
pub struct Followed {
    /// In the order of time.
    pub samples: Vec<Sample>,
    /// Why it ends before the last target, if it does.
    pub end: Option<End>,
}

/// A configuration on a path.
#[derive(Debug, Clone)]
pub struct Sample {
    /// When the arm is there \[s\].
    pub time: f64,
    /// The target that it is at, if any.
    pub target: Option<usize>,
    /// The configuration.
    pub q: Vec<f64>,
}

/// The end of a path before its last target.
#[derive(Debug, Clone)]
pub struct End {
    /// The time on the path up to which it was followed \[s\].
    pub path_time: f64,
    /// Why.
    pub reason: String,
    /// Whether it is certain that nothing leads further.
    pub is_proven: bool,
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
