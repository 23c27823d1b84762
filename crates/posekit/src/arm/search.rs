//! The search for poses that reach a target, from one start after another.

use super::goal::Goal;
use super::kernel::{Descent, Joint, Kernel, Pace, Residual};
use super::starts::{Starts, TABLE};
use crate::math::floor;
use core::f64::consts::TAU;

/// Steps of one descent. Those that succeed need 4 to 15.
pub(super) const STEPS: u32 = 30;

/// Steps towards the nearest pose, where no start reaches the target.
const LAST_STEPS: u32 = 200;

/// A given start with less squared error than this is tried before the table is searched: it is about as good as the best of the table.
pub(super) const NEAR: f64 = 0.02;

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
    pub(super) goal: Goal,
    /// The given start.
    pub(super) start: [f64; N],
    /// The most descents.
    pub(super) most: u32,
    /// The most once a pose is accepted.
    pub(super) most_once_found: u32,
    /// The most steps of all descents.
    pub(super) most_steps: u32,
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
    ///
    /// - `goes_on`: called before each start; the search ends once it returns false
    pub(super) fn run(
        &self,
        goes_on: &mut dyn FnMut() -> bool,
        mut consider: impl FnMut(&[f64; N]) -> Verdict,
    ) -> Found<N> {
        let mut progress = Progress::new(self);
        while let Some((mut x, pace)) = progress.next(self) {
            // The given start is measured in any case, so that there is a result.
            if progress.stage != Stage::Measure && !goes_on() {
                break;
            }
            let descent = self.kernel.descend(&self.goal, &mut x, pace);
            progress.record(self, x, &descent, &mut consider);
        }
        progress.found
    }
}

/// How far a search has come, between two descents.
#[derive(Debug)]
pub(super) struct Progress<const N: usize> {
    pub(super) found: Found<N>,
    order: Order,
    /// The most descents.
    most: u32,
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Stage {
    /// The given start is measured, by a descent without a step.
    Measure,
    /// From start to start.
    Search,
    /// From the best pose to the nearest that there is, where no start reached the target.
    Approach,
    /// A pose suffices.
    End,
}

impl<const N: usize> Progress<N> {
    pub(super) fn new(search: &Search<'_, N>) -> Self {
        let residual = Residual { distance: 0.0, angle: 0.0, merit: f64::INFINITY };
        let found = Found { x: search.start, residual, has_reached: false, steps: 0, starts: 0 };
        let order = Order::new(f64::INFINITY);
        Self { found, order, most: search.most, stage: Stage::Measure }
    }

    /// Where the next descent starts, if the search goes on.
    #[inline(always)]
    pub(super) fn next(&mut self, search: &Search<'_, N>) -> Option<([f64; N], Pace)> {
        let rest = search.most_steps.saturating_sub(self.found.steps);
        match self.stage {
            Stage::Measure => Some((search.start, Pace::MEASURE)),
            Stage::Search if self.found.starts < self.most && rest > 0 => {
                Some((self.order.next(search), Pace::new(STEPS.min(rest))))
            }
            Stage::Search if !self.found.has_reached => {
                self.stage = Stage::Approach;
                Some((self.found.x, Pace::patient(LAST_STEPS.min(rest))))
            }
            _ => None,
        }
    }

    /// Takes the end of a descent, and keeps it if it is the best so far.
    pub(super) fn record(
        &mut self,
        search: &Search<'_, N>,
        mut x: [f64; N],
        end: &Descent,
        mut consider: impl FnMut(&[f64; N]) -> Verdict,
    ) {
        let Self { found, order, most, stage } = self;
        if *stage == Stage::Measure {
            (found.residual, order.given, *stage) =
                (end.residual, end.residual.merit, Stage::Search);
            return;
        }
        found.starts += u32::from(*stage == Stage::Search);
        found.steps += end.steps;
        search.kernel.turn_towards(&search.start, &mut x);
        let verdict = if end.has_reached { consider(&x) } else { Verdict::Rejected };
        let is_accepted = verdict != Verdict::Rejected;
        let is_nearer = end.residual.merit < found.residual.merit;
        if !found.has_reached && (is_accepted || is_nearer) {
            (found.x, found.residual, found.has_reached) = (x, end.residual, is_accepted);
        }
        match verdict {
            Verdict::Rejected => {}
            Verdict::Accepted => *most = (*most).min(search.most_once_found),
            Verdict::Sufficient => *stage = Stage::End,
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
    table: [f32; TABLE],
    n_nearest: u32,
    n_others: usize,
}

impl Order {
    fn new(given: f64) -> Self {
        Self { given, table: [0.0; TABLE], n_nearest: 0, n_others: 0 }
    }

    #[inline(always)]
    fn next<const N: usize>(&mut self, search: &Search<'_, N>) -> [f64; N] {
        if self.given > NEAR && self.n_nearest < NEAREST {
            if self.n_nearest == 0 {
                search.starts.measure(&search.goal, &mut self.table);
            }
            let nearest = least(&self.table);
            if f64::from(self.table[nearest]) < self.given {
                self.table[nearest] = f32::INFINITY;
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

/// The index of the least of a list, the first of them if there are several.
#[inline(always)]
fn least(list: &[f32; TABLE]) -> usize {
    /// So many at once.
    const WIDTH: usize = 16;
    let mut least = [f32::INFINITY; WIDTH];
    for part in list.chunks_exact(WIDTH) {
        for k in 0..WIDTH {
            least[k] = if part[k] < least[k] { part[k] } else { least[k] };
        }
    }
    let least = least.into_iter().fold(f32::INFINITY, f32::min);
    let is_least = |part: &[f32]| part.iter().fold(false, |any, value| any | (*value == least));
    let part = list.chunks_exact(WIDTH).position(is_least).unwrap_or(0) * WIDTH;
    let within = list[part..].iter().position(|value| *value == least);
    part + within.unwrap_or(0)
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
