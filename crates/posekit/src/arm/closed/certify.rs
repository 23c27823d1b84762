//! Certificates: what a closed form proposes is measured by the kernel, refined where it must be, and sorted.

use super::six::MOST;
use super::{Closed, ROUNDED, Slice, distance_squared};
use crate::arm::goal::Goal;
use crate::arm::kernel::{Kernel, Residual};

/// A solution is refined until it is this near \[units of length, rad\]; closed forms are nearer unless the pose is almost singular.
const PRECISE: f64 = 1e-11;

/// A proposal with more squared error than this reaches nothing: the target is out of reach for its branch.
const HOPELESS: f64 = 0.01;

/// Steps that refine a proposal: one or two, unless the pose is almost singular.
const STEPS: u32 = 12;

/// How far outside the limits a proposal may be that the kernel brings into them, if an arm meets its family only nearly.
const NEARLY_INSIDE: f64 = 0.05;

/// Solutions are the same if the sum of the squares of their differences is less.
const SAME: f64 = 1e-6;

/// A pose of the arm that reaches the target, or comes near it.
#[derive(Debug, Clone, Copy)]
pub(in crate::arm) struct Candidate<const N: usize> {
    pub(in crate::arm) x: [f64; N],
    pub(in crate::arm) residual: Residual,
    pub(in crate::arm) has_reached: bool,
}

/// The poses that reach a target, the nearest to the start first.
#[derive(Debug, Clone, Copy)]
pub(in crate::arm) struct Candidates<const N: usize> {
    list: [Option<(f64, Candidate<N>)>; MOST],
    /// If there are none, the best inside the limits.
    pub(in crate::arm) miss: Option<Candidate<N>>,
}

impl<const N: usize> Candidates<N> {
    pub(super) const NONE: Self = Self { list: [None; MOST], miss: None };

    pub(in crate::arm) fn iter(&self) -> impl Iterator<Item = &Candidate<N>> {
        self.list.iter().map_while(|entry| entry.as_ref().map(|(_, candidate)| candidate))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list[0].is_none()
    }

    /// Adds a pose at its place, unless it is there already.
    pub(super) fn insert(&mut self, candidate: Candidate<N>, start: &[f64; N]) {
        if self.iter().any(|other| distance_squared(&other.x, &candidate.x) < SAME) {
            return;
        }
        let mut entry = Some((distance_squared(&candidate.x, start), candidate));
        for place in &mut self.list {
            let is_nearer = match (&entry, &*place) {
                (Some((cost, _)), Some((other, _))) => cost < other,
                _ => true,
            };
            if is_nearer {
                core::mem::swap(place, &mut entry);
            }
        }
    }
}

/// Replaces a candidate by one that misses the target by less.
pub(super) fn keep_better<const N: usize>(
    best: &mut Option<Candidate<N>>,
    candidate: Candidate<N>,
) {
    if best.is_none_or(|best| candidate.residual.merit < best.residual.merit) {
        *best = Some(candidate);
    }
}

impl Closed {
    /// The poses of a slice that reach the target.
    #[inline]
    pub(super) fn certified<const N: usize>(
        &self,
        kernel: &Kernel<N>,
        goal: &Goal,
        start: &[f64; N],
        slice: &Slice<N>,
    ) -> Candidates<N> {
        let mut all = Candidates::NONE;
        let mut miss = None;
        let outside = if self.is_exact() { ROUNDED } else { NEARLY_INSIDE };
        for branch in 0..slice.len {
            // The equations of an exact family prove that a branch does not reach the target.
            let is_hopeless = !slice.is_exact[branch] && self.is_exact();
            let is_outside = slice.overrun[branch] > outside;
            let steps = if is_outside || is_hopeless { 0 } else { STEPS };
            let candidate = certify(kernel, goal, slice.pose(branch), steps);
            if candidate.has_reached {
                all.insert(candidate, start);
            } else {
                keep_better(&mut miss, candidate);
            }
        }
        all.miss = miss.filter(|_| all.is_empty());
        all
    }
}

/// Measures a pose inside the limits, and refines it by at most so many steps.
#[inline]
pub(super) fn certify<const N: usize>(
    kernel: &Kernel<N>,
    goal: &Goal,
    mut x: [f64; N],
    steps: u32,
) -> Candidate<N> {
    let mut residual = kernel.residual(goal, &x);
    let is_precise = residual.distance <= PRECISE && residual.angle <= PRECISE;
    if !is_precise && residual.merit < HOPELESS && steps > 0 {
        let mut refined = x;
        let descent = kernel.descend(&goal.with_tolerance(PRECISE), &mut refined, steps, true);
        if descent.residual.merit < residual.merit {
            (x, residual) = (refined, descent.residual);
        }
    }
    let has_reached = goal.accepts(residual.distance, residual.angle);
    Candidate { x, residual, has_reached }
}
