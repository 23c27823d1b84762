//! The search for poses that reach a target, from one start after another.

use super::goal::Goal;
use super::kernel::{Descent, Joint, Kernel, Residual};
use super::starts::{Starts, TABLE};
use crate::math::floor;
use core::f64::consts::TAU;

/// Steps of one descent. Those that succeed need 4 to 15.
const STEPS: u32 = 30;

/// Steps towards the nearest pose, where no start reaches the target.
const LAST_STEPS: u32 = 200;

/// A given start with less squared error than this is tried before the table is searched: it is about as good as the best of the table.
const NEAR: f64 = 0.02;

/// What a search has found.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found<const N: usize> {
    /// The best pose.
    pub(super) x: [f64; N],
    pub(super) residual: Residual,
    pub(super) has_reached: bool,
    pub(super) steps: u32,
    pub(super) starts: u32,
}

/// One search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Search<'a, const N: usize> {
    pub(super) kernel: &'a Kernel<N>,
    pub(super) starts: &'a Starts<N>,
    pub(super) goal: &'a Goal,
    /// The given start.
    pub(super) start: [f64; N],
    /// The most descents.
    pub(super) most: u32,
    /// The most once a pose is accepted.
    pub(super) most_once_found: u32,
}

/// What the search's caller thinks of a pose that reaches the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The search goes on as if it had not reached the target.
    Rejected,
    /// The search goes on for others.
    Accepted,
    /// The search ends.
    Sufficient,
}

impl<const N: usize> Search<'_, N> {
    /// Descends from start after start, until there are enough or a pose suffices. Of the poses that reach the target the first that is accepted is
    /// returned, else the nearest. Angles are the equivalents nearest to those of the given start.
    pub(super) fn run(&self, mut consider: impl FnMut(&[f64; N]) -> Verdict) -> Found<N> {
        let Self { kernel, goal, start, .. } = *self;
        let residual = kernel.residual(goal, &start);
        let mut found = Found { x: start, residual, has_reached: false, steps: 0, starts: 0 };
        let mut order = Order::new(residual.merit);
        let mut most = self.most;
        while found.starts < most {
            let mut x = order.next(self);
            let descent = kernel.descend(goal, &mut x, STEPS, false);
            found.starts += 1;
            match self.judge(&mut found, &descent, x, &mut consider) {
                Verdict::Rejected => {}
                Verdict::Accepted => most = most.min(self.most_once_found),
                Verdict::Sufficient => break,
            }
        }
        if !found.has_reached {
            // To the nearest pose that there is.
            let mut x = found.x;
            let descent = kernel.descend(goal, &mut x, LAST_STEPS, true);
            self.judge(&mut found, &descent, x, &mut consider);
        }
        found
    }

    /// Keeps the end of a descent if it is the best so far.
    fn judge(
        &self,
        found: &mut Found<N>,
        descent: &Descent,
        mut x: [f64; N],
        consider: &mut impl FnMut(&[f64; N]) -> Verdict,
    ) -> Verdict {
        found.steps += descent.steps;
        self.kernel.turn_towards(&self.start, &mut x);
        let verdict = if descent.has_reached { consider(&x) } else { Verdict::Rejected };
        let is_accepted = verdict != Verdict::Rejected;
        let is_nearer = descent.residual.merit < found.residual.merit;
        if !found.has_reached && (is_accepted || is_nearer) {
            (found.x, found.residual, found.has_reached) = (x, descent.residual, is_accepted);
        }
        verdict
    }
}

/// Starts from the table; the others in it are no better than the rest of the sequence.
const NEAREST: u32 = 16;

/// The order of the starts: the given one and the nearest of the table by their errors, then the rest of the sequence.
#[derive(Debug)]
struct Order {
    /// The squared error of the given start; infinite once it was taken.
    given: f64,
    /// Those of the table, once they are needed; infinite where they were taken.
    table: Option<[f32; TABLE]>,
    n_nearest: u32,
    n_others: usize,
}

impl Order {
    fn new(given: f64) -> Self {
        Self { given, table: None, n_nearest: 0, n_others: 0 }
    }

    fn next<const N: usize>(&mut self, search: &Search<'_, N>) -> [f64; N] {
        if self.given > NEAR && self.n_nearest < NEAREST {
            let merits = self.table.get_or_insert_with(|| search.starts.merits(search.goal));
            let nearest = least(merits);
            if f64::from(merits[nearest]) < self.given {
                merits[nearest] = f32::INFINITY;
                self.n_nearest += 1;
                return search.starts.pose(nearest);
            }
        }
        if self.given < f64::INFINITY {
            self.given = f64::INFINITY;
            return search.start;
        }
        self.n_others += 1;
        search.starts.pose(TABLE + self.n_others - 1)
    }
}

/// The index of the least of a list.
fn least(list: &[f32; TABLE]) -> usize {
    let mut least = 0;
    for (k, value) in list.iter().enumerate() {
        if *value < list[least] {
            least = k;
        }
    }
    least
}

impl<const N: usize> Kernel<N> {
    /// Replaces angles by their equivalents nearest to others, inside the limits.
    fn turn_towards(&self, near: &[f64; N], x: &mut [f64; N]) {
        for (joint, (x, near)) in self.joints.iter().zip(x.iter_mut().zip(near)) {
            if joint.turns {
                *x = joint.equivalent(*x, *near);
            }
        }
    }
}

impl Joint {
    /// The angle equal to `x` modulo a turn that is nearest to `near`, inside the limits, as `x` is.
    fn equivalent(&self, x: f64, near: f64) -> f64 {
        let nearest = x + TAU * floor((near - x) / TAU + 0.5);
        let inside = if nearest > self.max {
            x + TAU * floor((self.max - x) / TAU)
        } else if nearest < self.min {
            x - TAU * floor((x - self.min) / TAU)
        } else {
            nearest
        };
        if self.contains(inside) { inside } else { x }
    }
}
