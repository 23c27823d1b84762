//! The search for poses that reach a target, from one start after another.

use super::goal::Goal;
use super::kernel::{Joint, Kernel, Residual};
use super::starts::{Starts, TABLE};
use crate::math::floor;
use core::f64::consts::TAU;
use core::ops::ControlFlow;

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
}

impl<const N: usize> Search<'_, N> {
    /// Descends from start after start, and shows every pose that reaches the target, with the number of starts, until told to stop. Angles are the equivalents nearest to
    /// those of the given start.
    pub(super) fn run(&self, mut visit: impl FnMut(&[f64; N], u32) -> ControlFlow<()>) -> Found<N> {
        let Self { kernel, goal, start, .. } = *self;
        let residual = kernel.residual(goal, &start);
        let mut found = Found { x: start, residual, has_reached: false, steps: 0, starts: 0 };
        let mut order = Order::new(residual.merit);
        while found.starts < self.most {
            let mut x = order.next(self);
            let descent = kernel.descend(goal, &mut x, STEPS, false);
            found.steps += descent.steps;
            found.starts += 1;
            if descent.has_reached {
                kernel.turn_towards(&start, &mut x);
                if !found.has_reached {
                    (found.x, found.residual, found.has_reached) = (x, descent.residual, true);
                }
                if visit(&x, found.starts).is_break() {
                    break;
                }
            } else if descent.residual.merit < found.residual.merit && !found.has_reached {
                (found.x, found.residual) = (x, descent.residual);
            }
        }
        if !found.has_reached {
            self.approach(&mut found);
        }
        found
    }

    /// Goes on from the best pose to the nearest that there is.
    pub(super) fn approach(&self, found: &mut Found<N>) {
        let mut x = found.x;
        let descent = self.kernel.descend(self.goal, &mut x, LAST_STEPS, true);
        found.steps += descent.steps;
        if descent.residual.merit < found.residual.merit {
            self.kernel.turn_towards(&self.start, &mut x);
            (found.x, found.residual, found.has_reached) =
                (x, descent.residual, descent.has_reached);
        }
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
