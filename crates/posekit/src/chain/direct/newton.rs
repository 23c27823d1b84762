//! Newton's method for the common pull.

use super::super::Space;
use super::bones::{Bones, Extent, Sums};
use super::vector::invert;
use crate::math::sqrt;

/// Passes over the bones after which the chain is folded instead. Ordinary cases take 2 to 6; next to a kink the method
/// crawls, and folding is then cheaper than waiting.
const MAX_PASSES: u32 = 32;

/// `1 / |u + μ|` beyond which a bone has lost its direction.
const KINK: f64 = 1e9;

/// Share of the length across the chord (mean squared sine) below which bones only point forth and back along it: bends of
/// 1e-5 rad, as for a straight chain.
const ALONG: f64 = 1e-10;

/// The same below which single precision does not tell what bones have across.
const STEEP: f64 = 1e-3;

/// Least miss, relative to full reach, to be aimed at in single precision.
const ROUGHEST: f64 = 1e-5;

/// Tolerance, relative to full reach, from which on the last step may be one in single precision. The answers to finer ones do not
/// depend on its rounding.
const LOOSE: f64 = 1e-6;

/// Parts of full reach beyond which single precision does not tell what is left of it.
const NEARLY: f64 = 0.9999;

/// Chains of lengths in this range, and of no more bones, are summed up well in single precision.
const ORDINARY: core::ops::Range<f64> = 1e-6..1e6;
const MANY: usize = 1000;

/// One row or square of numbers for everything in the symbol table.
#[derive(Debug, Clone)]
pub(super) struct Rows<S: Space> {
    /// Target from the root.
    pub(super) t: S::Row<f64>,
    /// Direction of the chord, and so of the target before the last turn.
    pub(super) e: S::Row<f64>,
    /// Unit direction across `e`, to which a chain without a bend is bent.
    pub(super) across: S::Row<f64>,
    pub(super) mu: S::Row<f64>,
    pub(super) g: S::Row<f64>,
    pub(super) step: S::Row<f64>,
    /// Inverse of the Hessian, then, but for a factor: quotients take long, and need not be waited for.
    pub(super) inverse: S::Row<S::Row<f64>>,
    pub(super) factor: f64,
    /// Columns of the rotation that brings `e` to the target.
    pub(super) turn: S::Row<S::Row<f64>>,
}

impl<S: Space> Rows<S> {
    pub(super) fn new(space: S) -> Self {
        let row = space.row(0.0);
        let square = space.row(row.clone());
        Self {
            t: row.clone(),
            e: row.clone(),
            across: row.clone(),
            mu: row.clone(),
            g: row.clone(),
            step: row,
            inverse: square.clone(),
            factor: 0.0,
            turn: square,
        }
    }
}

/// What Newton is asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal {
    pub(super) extent: Extent,
    /// Length of the chord.
    pub(super) chord: f64,
    /// Distance of the target from the root, strictly inside the reach.
    pub(super) d: f64,
    /// Largest distance of the tip from the target.
    pub(super) tolerance: f64,
    pub(super) n_bones: usize,
}

impl Goal {
    /// Whether the target may be met with what rounding in single precision leaves.
    fn is_loose(self) -> bool {
        self.tolerance >= LOOSE * self.extent.outer
    }

    /// Whether single precision is enough to aim at this miss.
    fn may_be_rough(self, expected: f64) -> bool {
        let outer = self.extent.outer;
        let is_ordinary = self.n_bones <= MANY && ORDINARY.contains(&outer);
        is_ordinary && expected > ROUGHEST * outer && self.d < NEARLY * outer
    }
}

/// Turns the bones by a common pull until their chord is `d e`; false, and nothing of use turned, where a kink is in the way.
///
/// `sums` are those of the bones as they are.
///
/// - `guessed`: start from [`first_pull`], not from none
///
/// Far from the target every pass measures gradient and Hessian, in single precision as long as the next step is not lost in its
/// rounding. When the last step is short enough to end at the target or next to it, the next pass turns the bones instead,
/// which measures the gradient alone; if that misses, the old Hessian is good for another such step as long as each brings the
/// miss down to a fifth.
pub(super) fn least_change<S: Space>(
    space: S,
    bones: &mut Bones,
    goal: Goal,
    (rows, sums): (&mut Rows<S>, &mut Sums<S>),
    guessed: bool,
) -> bool {
    for k in 0..space.n() {
        rows.mu[k] = 0.0;
    }
    if guessed && !first_pull(space, bones, goal, sums, rows) {
        return false;
    }
    let (mut slope, mut last_miss, mut is_close) = (f64::NEG_INFINITY, f64::INFINITY, false);
    let (mut is_summed, mut expected) = (!guessed, goal.extent.outer);
    // Whether the last step, and the present sums, are in single precision.
    let (mut by_rough, mut is_rough) = (guessed, false);
    for _ in 0..MAX_PASSES {
        if is_close {
            bones.pull(space, &rows.mu, sums);
        } else if !is_summed {
            is_rough = goal.may_be_rough(expected) && bones.sum_roughly(space, &rows.mu, sums);
            if !is_rough {
                bones.sum(space, &rows.mu, sums);
            }
        }
        is_summed = false;
        let miss = measure_miss(space, goal, sums, rows);
        if sums.sharpest >= KINK {
            return false;
        }
        if miss <= goal.tolerance * goal.tolerance {
            if is_close {
                return true;
            }
            is_close = goal.is_loose() || !by_rough;
            if is_close || is_rough {
                expected = 0.0;
                continue;
            }
        }
        if is_close {
            if miss.is_nan() || miss > 0.04 * last_miss {
                (is_close, slope) = (false, f64::NEG_INFINITY);
                continue;
            }
        } else {
            // Along the last step Φ' rises from `slope` < 0; when it overshot, go back to where a straight line says 0.
            let here = inner(space, &rows.g, &rows.step);
            if slope > f64::NEG_INFINITY && here > -0.5 * slope {
                let back = here / (here - slope);
                shorten(space, rows, back);
                slope *= 1.0 - back;
                continue;
            }
            if !hessian_inverse(space, sums, rows) {
                return false;
            }
        }
        last_miss = miss;
        let stepped = step(space, rows);
        // The miss after a step is of second order in it: at most 0.6 L |step|² times the square of the sharpest bend, and a
        // sixth of that when bones point everywhere.
        expected = 0.1 * goal.extent.outer * stepped * sums.sharpest * sums.sharpest;
        slope = inner(space, &rows.g, &rows.step);
        by_rough = is_rough;
        is_close |= expected < goal.tolerance && (goal.is_loose() || !by_rough);
    }
    false
}

/// Leaves in `g` what the tip misses its target by; returns the square of its distance.
#[inline(always)]
fn measure_miss<S: Space>(space: S, goal: Goal, sums: &Sums<S>, rows: &mut Rows<S>) -> f64 {
    let mut miss = 0.0;
    for k in 0..space.n() {
        rows.g[k] = sums.chord[k] - goal.d * rows.e[k];
        miss += rows.g[k] * rows.g[k];
    }
    miss
}

/// One Newton step with the present inverse; returns its squared length.
#[inline(always)]
fn step<S: Space>(space: S, rows: &mut Rows<S>) -> f64 {
    let mut squared = 0.0;
    for k in 0..space.n() {
        rows.step[k] = -rows.factor * inner(space, &rows.inverse[k], &rows.g);
        rows.mu[k] += rows.step[k];
        squared += rows.step[k] * rows.step[k];
    }
    squared
}

/// Takes back a share of the last step.
fn shorten<S: Space>(space: S, rows: &mut Rows<S>, back: f64) {
    for k in 0..space.n() {
        rows.mu[k] -= back * rows.step[k];
        rows.step[k] *= 1.0 - back;
    }
}

/// The first pull, from what is known of the bones without any; false where all of them lie along the chord, forth and
/// back, and no pull can be told.
#[inline(always)]
fn first_pull<S: Space>(
    space: S,
    bones: &mut Bones,
    goal: Goal,
    sums: &mut Sums<S>,
    rows: &mut Rows<S>,
) -> bool {
    let (outer, chord) = (goal.extent.outer, goal.chord);
    let mut along = lean(space, sums, chord, rows);
    if outer - along <= STEEP * outer {
        // Next to straight, single precision says too little about what bones have across.
        bones.measure(space, sums);
        along = lean(space, sums, chord, rows);
    }
    let aside = outer - along;
    if aside <= ALONG * outer {
        return false;
    }
    if goal.d > chord {
        pull_longer(space, goal, (along, aside), rows);
        return true;
    }
    pull_shorter(space, goal, sums, rows)
}

/// What a pull along the chord leans on: leaves `O e` in `mu` and returns its part along `e`, `Σ l cos²` (cosines against the
/// chord).
///
/// From the chord itself, because its unit waits for a root; without a length it has any direction, and is that of the target.
#[inline(always)]
fn lean<S: Space>(space: S, sums: &Sums<S>, chord: f64, rows: &mut Rows<S>) -> f64 {
    let n = space.n();
    let has_direction = chord > 0.0;
    let (mut along, mut squared) = (0.0, 0.0);
    for k in 0..n {
        rows.mu[k] = 0.0;
        for j in 0..n {
            let c = if has_direction { sums.chord[j] } else { rows.e[j] };
            rows.mu[k] += sums.spread[k.max(j)][k.min(j)] * c;
        }
        let c = if has_direction { sums.chord[k] } else { rows.e[k] };
        along += rows.mu[k] * c;
        squared += c * c;
    }
    let by_squared = 1.0 / squared;
    let by_size = by_squared * if has_direction { chord } else { 1.0 };
    for k in 0..n {
        rows.mu[k] *= by_size;
    }
    along * by_squared
}

/// The pull `y` along a chord that gets longer, fitted to both of its ends.
///
/// With `m` and `b²` the means of cosine and squared sine, `τ = d / L` and `v = (1 − τ) / (1 − m)`, which falls from 1 to 0:
/// towards full reach the law of bent bones says `y = b / √(2 (1 − τ)) − m + s`, where `s` comes from the third moment of the cosines,
/// which is not measured: 0.4 of what it is when they have no skew, as for bones that point everywhere. Without a pull `y` is
/// 0 and has the slope `1 / b²`. Between the ends `v³ (p + q v)` is added, which a search over random chains found best. A pull along leans bones
/// to the side by `Σ l cos sin / L`, which a pull across by that times `y / (y² + 0.7)` makes up for.
#[inline(always)]
fn pull_longer<S: Space>(space: S, goal: Goal, (along, aside): (f64, f64), rows: &mut Rows<S>) {
    let Goal { d, chord, .. } = goal;
    let outer = goal.extent.outer;
    let (slack, by_outer, by_aside) = (outer - chord, 1.0 / outer, 1.0 / aside);
    let (by_slack, by_rest) = (1.0 / slack, 1.0 / (outer - d));
    let left = (outer - d) * by_slack;
    let mean = chord * by_outer;
    let (far, from) = (sqrt(0.5 * aside * by_rest), sqrt(0.5 * aside * by_slack));
    let shift = 0.8 * mean * (along - mean * chord) * by_aside - mean;
    let start = -(from + shift);
    let rise = 0.5 * from - slack * by_aside - 3.0 * start;
    let y = far + shift + left * left * left * (start - rise + rise * left);
    let across = by_outer * y / (y * y + 0.7);
    for k in 0..space.n() {
        rows.mu[k] = y * rows.e[k] + across * (rows.mu[k] - along * rows.e[k]);
    }
}

/// The pull on a chord that gets shorter: Newton's step, its length corrected by the law of one bent bone, whose chord is
/// `L y / √(y² + b²)` at pull `y`; `y` and `b` follow from the present chord and its slope, and the step to `d` is the
/// Newton step times `(d' + c') s² / (s_d (d' s + c' s_d))`, with `c'`, `d'` chord and target over `L` and `s² = 1 − c'²`.
fn pull_shorter<S: Space>(space: S, goal: Goal, sums: &Sums<S>, rows: &mut Rows<S>) -> bool {
    if !hessian_inverse(space, sums, rows) {
        return false;
    }
    let Goal { chord, .. } = goal;
    let (here, there) = (chord / goal.extent.outer, goal.d / goal.extent.outer);
    let (bent, bent_there) = (sine(here), sine(there));
    let lengthen = (there + here) * bent * bent / (bent_there * (there * bent + here * bent_there));
    let pull = lengthen * (goal.d - chord) * rows.factor;
    for k in 0..space.n() {
        rows.mu[k] = pull * inner(space, &rows.inverse[k], &rows.e);
    }
    true
}

#[inline(always)]
fn sine(cosine: f64) -> f64 {
    sqrt((1.0 - cosine) * (1.0 + cosine))
}

#[inline(always)]
fn inner<S: Space>(space: S, a: &S::Row<f64>, b: &S::Row<f64>) -> f64 {
    let mut sum = 0.0;
    for k in 0..space.n() {
        sum += a[k] * b[k];
    }
    sum
}

/// Inverts the Hessian of Φ, `tr(O) − O`, where `O` is the spread. Its diagonal is summed without a difference: next to full
/// reach it is small.
#[inline(always)]
fn hessian_inverse<S: Space>(space: S, sums: &Sums<S>, rows: &mut Rows<S>) -> bool {
    let h = &mut rows.inverse;
    let n = space.n();
    for k in 0..n {
        let mut rest = 0.0;
        for j in 0..n {
            if j != k {
                rest += sums.spread[j][j];
            }
        }
        h[k][k] = rest;
        for j in 0..k {
            let x = -sums.spread[k][j];
            h[k][j] = x;
            h[j][k] = x;
        }
    }
    rows.factor = invert(space, h);
    rows.factor > 0.0 && rows.factor < f64::INFINITY
}
