//! What a solver must offer to take part.

use crate::problems::{ArmProblem, Case, ChainProblem, Problems};
use crate::verify::Verdict;
use crate::{peers, posekit_adapter};

/// A solver with a batch of problems in its own representation.
pub trait Entrant {
    /// Puts every problem back to its start. Not timed.
    fn reset(&mut self);

    /// Solves one problem from its start; returns the iterations taken, 0 where it does not say.
    fn solve(&mut self, index: usize) -> u32;

    /// Solves the problems at `indices` one after another: what is timed.
    fn solve_all(&mut self, indices: &[usize]) -> u64 {
        indices.iter().map(|&index| u64::from(self.solve(index))).sum()
    }

    /// Judges the answer to a problem that has been solved.
    fn verdict(&self, index: usize) -> Verdict;
}

/// Loads the problems of a case into a solver.
pub type Enter = Box<dyn Fn(&Problems) -> Box<dyn Entrant>>;

/// A solver that can be entered for a case.
pub struct Contender {
    /// Name in the report: crate, version, solver, number type.
    pub name: &'static str,
    /// Which cases it can do.
    pub accepts: fn(&Case) -> bool,
    /// Loads the problems of a case.
    pub enter: Enter,
    /// Whether it has no bound on its iterations: it is tried in a process of its own first.
    pub may_hang: bool,
    /// Whether the ratios are relative to this one.
    pub is_reference: bool,
}

impl Contender {
    /// A contender that returns by itself and is not the reference.
    pub fn new(
        name: &'static str,
        accepts: fn(&Case) -> bool,
        enter: impl Fn(&Problems) -> Box<dyn Entrant> + 'static,
    ) -> Self {
        Self { name, accepts, enter: Box::new(enter), may_hang: false, is_reference: false }
    }
}

/// Every contender: posekit's, then the peers'.
pub fn all() -> Vec<Contender> {
    let mut all = posekit_adapter::contenders();
    all.extend(peers::contenders());
    all
}

/// The chains of a case.
///
/// # Panics
/// When the case has arms: a contender accepted what it cannot do.
pub fn chains(problems: &Problems) -> &[ChainProblem] {
    match problems {
        Problems::Chains(chains) => chains,
        Problems::Arms(_) => panic!("entered for chains, got arms"),
    }
}

/// The arms of a case.
///
/// # Panics
/// When the case has chains: a contender accepted what it cannot do.
pub fn arms(problems: &Problems) -> &[ArmProblem] {
    match problems {
        Problems::Arms(arms) => arms,
        Problems::Chains(_) => panic!("entered for arms, got chains"),
    }
}
