//! Newton's method for the common pull.

use super::super::Space;
use super::bones::{Bones, Extent, Sums};
use super::vector::invert;

/// Passes over the bones after which the chain is folded instead. Ordinary cases take 2 to 6; next to a kink the method
/// crawls, and folding is then cheaper than waiting.
const MAX_PASSES: u32 = 32;

/// `1 / |u + μ|` beyond which a bone has lost its direction.
const KINK: f64 = 1e9;

/// Share of the length across the chord (mean squared sine) below which bones only point forth and back along it: bends of
/// 1e-5 rad, as for a straight chain.
const ALONG: f64 = 1e-10;

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
    /// Inverse of the Hessian, then.
    pub(super) inverse: S::Row<S::Row<f64>>,
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
            turn: square,
        }
    }
}

/// What Newton is asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal {
    pub(super) extent: Extent,
    /// Distance of the target from the root, strictly inside the reach.
    pub(super) d: f64,
    /// Largest distance of the tip from the target.
    pub(super) tolerance: f64,
}

/// Turns the bones by a common pull until their chord is `d e`, and writes them; false, and nothing of use written, where a
/// kink is in the way.
///
/// - `summed`: true when `sums` are those of the bones as they are, to guess the first pull from; else it is none
///
/// Far from the target every pass measures gradient and Hessian. When the last step is short enough to end at the target or
/// next to it, the next pass writes the points instead, which measures the gradient alone; if that misses, the old Hessian
/// is good for another such step as long as each brings the miss down to a fifth.
pub(super) fn least_change<S: Space>(
    space: S,
    bones: &mut Bones,
    goal: Goal,
    points: &mut [f64],
    (rows, sums): (&mut Rows<S>, &mut Sums<S>),
    summed: bool,
) -> bool {
    for k in 0..space.n() {
        rows.mu[k] = 0.0;
    }
    if summed && !first_pull(space, goal, sums, rows) {
        return false;
    }
    let (mut slope, mut last_miss, mut is_close) = (f64::NEG_INFINITY, f64::INFINITY, false);
    for _ in 0..MAX_PASSES {
        if is_close {
            bones.write(space, &rows.mu, &rows.turn, points, sums);
        } else {
            bones.pulled(space, &rows.mu, sums);
        }
        let mut miss = 0.0;
        for k in 0..space.n() {
            rows.g[k] = sums.chord(k) - goal.d * rows.e[k];
            miss += rows.g[k] * rows.g[k];
        }
        if sums.sharpest() >= KINK {
            return false;
        }
        if miss <= goal.tolerance * goal.tolerance {
            if is_close {
                return true;
            }
            is_close = true;
            continue;
        }
        if is_close {
            if miss > 0.04 * last_miss {
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
            if !hessian_inverse(space, sums, &mut rows.inverse) {
                return false;
            }
        }
        last_miss = miss;
        let stepped = step(space, rows);
        slope = inner(space, &rows.g, &rows.step);
        // The miss after a step is of second order in it: at most 0.6 L |step|² times the square of the sharpest bend, and a
        // sixth of that when bones point everywhere.
        let sharpness = sums.sharpest() * sums.sharpest();
        is_close |= 0.1 * goal.extent.outer * stepped * sharpness < goal.tolerance;
    }
    false
}

/// One Newton step with the present inverse; returns its squared length.
#[inline(always)]
fn step<S: Space>(space: S, rows: &mut Rows<S>) -> f64 {
    let mut squared = 0.0;
    for k in 0..space.n() {
        rows.step[k] = -inner(space, &rows.inverse[k], &rows.g);
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
///
/// Two guesses are mixed. *From near*: Newton's step, its length corrected by the law of one bent bone, whose chord is
/// `L y / √(y² + b²)` at pull `y`; `y` and `b` follow from the present chord and its slope, and the step to `d` is the
/// Newton step times `(d' + c') s² / (s_d (d' s + c' s_d))`, with `c'`, `d'` chord and target over `L` and `s² = 1 − c'²`. It is
/// good for short ways. *From far*: for large pulls the same law holds with `b² = Σ l sin² / L` (sines against the chord)
/// and `y` counted from minus the mean cosine; bones then lean to the first order by `Σ l cos sin`, which a pull across
/// makes up for. It is exact at full reach. The share of the second is that of the way from the chord to full reach,
/// squared and a little more, which a search over random chains found best.
#[inline(always)]
fn first_pull<S: Space>(space: S, goal: Goal, sums: &Sums<S>, rows: &mut Rows<S>) -> bool {
    let n = space.n();
    let (outer, d) = (goal.extent.outer, goal.d);
    let (mut along, mut chord) = (0.0, 0.0);
    for k in 0..n {
        for j in 0..n {
            rows.mu[k] += sums.spread(k.max(j), k.min(j)) * rows.e[j];
        }
        along += rows.mu[k] * rows.e[k];
        chord += sums.chord(k) * rows.e[k];
    }
    let aside = outer - along;
    if aside <= ALONG * outer || !hessian_inverse(space, sums, &mut rows.inverse) {
        return false;
    }
    let far = d * (aside / (outer * (outer - d) * (outer + d))).sqrt();
    let (pull, lean) = (far - chord / outer, 1.0 / (outer * far));
    let (here, there) = (chord / outer, d / outer);
    let (bent, bent_there) = (sine(here), sine(there));
    let lengthen = (there + here) * bent * bent / (bent_there * (there * bent + here * bent_there));
    let way = (d - chord) / (outer - chord);
    let share = if way > 0.0 { (1.15 * way * way).min(1.0) } else { 0.0 };
    let near = (1.0 - share) * lengthen * (d - chord);
    for k in 0..n {
        let leaned = if share > 0.0 { lean * (rows.mu[k] - along * rows.e[k]) } else { 0.0 };
        let from_far = pull * rows.e[k] + leaned;
        rows.mu[k] = share * from_far + near * inner(space, &rows.inverse[k], &rows.e);
    }
    true
}

#[inline(always)]
fn sine(cosine: f64) -> f64 {
    ((1.0 - cosine) * (1.0 + cosine)).sqrt()
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
fn hessian_inverse<S: Space>(space: S, sums: &Sums<S>, h: &mut S::Row<S::Row<f64>>) -> bool {
    let n = space.n();
    for k in 0..n {
        let mut rest = 0.0;
        for j in 0..n {
            if j != k {
                rest += sums.spread(j, j);
            }
        }
        h[k][k] = rest;
        for j in 0..k {
            let x = -sums.spread(k, j);
            h[k][j] = x;
            h[j][k] = x;
        }
    }
    invert(space, h)
}
