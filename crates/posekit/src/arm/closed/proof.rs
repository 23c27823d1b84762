//! What the equations of six joints prove of a target that is not reached.

use super::six::State;
use super::{Closed, Form, turns};
use crate::arm::goal::Goal;
use core::cell::Cell;

/// A branch that leaves the limits by less \[rad\] proves nothing: within the tolerance it may be inside.
const CLEARLY_OUTSIDE: f64 = 1e-5;

/// Why no configuration inside the limits has a pose of the tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::arm) enum Proof {
    /// No configuration has it.
    Unreachable,
    /// Those that have it are outside the limits.
    OutsideLimits,
}

impl Closed {
    /// The reason why a target is not reached, if it is certain.
    ///
    /// The equations must be those of the arm to rounding, and every one of their solutions isolated: where an angle is arbitrary, as in a singular
    /// configuration, others than the one that was taken may be inside the limits. Of a quartic, almost equal roots may count as complex.
    pub(in crate::arm) fn proof<const N: usize>(&self, goal: &Goal, x: &[f64; N]) -> Option<Proof> {
        let Form::Six(six) = &self.form else { return None };
        if !self.is_exact() || self.family.is_quartic || goal.has_bounds() {
            return None;
        }
        let has_arbitrary = Cell::new(false);
        let turns = turns(&six.chain, None, x);
        let branches = six.solve(&six.chain.wrist_for(&goal.base), &|joint| {
            has_arbitrary.set(true);
            turns(joint)
        });
        let slice = self.values(&six.chain, &branches, None, x);
        let exact = || slice.branches().filter(|&branch| slice.state[branch] == State::Exact);
        match () {
            () if has_arbitrary.get() => None,
            () if exact().next().is_none() => Some(Proof::Unreachable),
            () if exact().all(|branch| slice.overrun[branch] > CLEARLY_OUTSIDE) => {
                Some(Proof::OutsideLimits)
            }
            () => None,
        }
    }
}
