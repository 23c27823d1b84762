//! The direct solver of free chains as a method: one iteration puts the tip on its target. See [`chain::direct`](crate::chain::direct).

use crate::chain::{DirectWorkspace, direct};
use crate::solve::points::Points;

/// The direct solver iterates to a given distance, but not to less than this fraction of the unit of length, which is rounding.
const TIGHTEST: f64 = 1e-13;

/// See the module.
#[derive(Debug, Clone, Default)]
pub(super) struct Direct(DirectWorkspace);

impl Direct {
    /// Moves an unbranched chain onto its target, or as near as its bones allow; false if it is branched or one-dimensional.
    ///
    /// - `tolerance`: distance from the target at which to stop
    pub(super) fn reach(&mut self, points: &mut Points, tolerance: f64) -> bool {
        let n = points.dimension;
        if !points.is_path || n < 2 {
            return false;
        }
        let tolerance = tolerance.max(TIGHTEST * points.unit);
        let (bones, goals, at, _) = points.parts();
        let lengths = &bones.lengths[1..];
        direct::reach(n, lengths, at, goals.targets, tolerance, &mut self.0)
            != direct::Outcome::None
    }
}
