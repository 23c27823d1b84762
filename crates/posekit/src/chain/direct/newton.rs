//! Newton's method for the common pull.

use super::super::Space;
use super::bones::{Bones, KINK, Sums};
use super::vector::dot;
use crate::math::{cholesky_factor, cholesky_solve};
use glam::DVec3;

/// Passes over the bones after which the chain is hinged or folded instead. Ordinary chains take 3 to 6; near a kink the
/// steps become short, and folding is cheaper.
const MAX_PASSES: u32 = 32;

/// The vectors and matrices of the symbol table.
#[derive(Debug, Clone)]
pub(super) struct Rows<S: Space> {
    /// Target from the root, then its direction.
    pub(super) t: S::Row<f64>,
    /// Direction of the chord, and so of the target before the last turn.
    pub(super) e: S::Row<f64>,
    /// Unit direction across `e`, to which a chain without a bend is bent.
    pub(super) across: S::Row<f64>,
    pub(super) mu: S::Row<f64>,
    pub(super) g: S::Row<f64>,
    pub(super) step: S::Row<f64>,
    /// Columns of the rotation that brings `e` to the target.
    pub(super) turn: S::Row<S::Row<f64>>,
    /// The same of a part of the chain.
    pub(super) part: S::Row<S::Row<f64>>,
    pub(super) sums: Sums<S>,
}

impl<S: Space> Rows<S> {
    pub(super) fn new(space: S) -> Self {
        let row = space.row(0.0);
        let [t, e, across, mu, g, step] = core::array::from_fn(|_| row.clone());
        let turn = space.row(row);
        Self { t, e, across, mu, g, step, part: turn.clone(), turn, sums: Sums::new(space) }
    }
}

/// Pulls the bones until their chord is `d e` to within the tolerance, by `μ ← μ − H⁻¹ g` from `mu`; false if a kink prevents it.
///
/// Φ is convex: where a step overshoots its minimum along the step, half of the slope or more on the other side, it is
/// shortened to where a straight line through both slopes is zero.
#[inline(always)]
pub(super) fn least_change<S: Space>(
    space: S,
    bones: &mut Bones,
    (d, tolerance): (f64, f64),
    rows: &mut Rows<S>,
) -> bool {
    let mut slope = f64::NEG_INFINITY;
    for _ in 0..MAX_PASSES {
        bones.pull(space, &rows.mu, &mut rows.sums);
        let mut miss = 0.0;
        for k in 0..space.n() {
            rows.g[k] = rows.sums.chord[k] - d * rows.e[k];
            miss += rows.g[k] * rows.g[k];
        }
        if rows.sums.sharpest >= KINK || miss.is_nan() {
            return false;
        }
        if miss <= tolerance * tolerance {
            return true;
        }
        // Along the last step Φ' has risen from `slope` < 0 to this.
        let here = dot(rows.g.as_ref(), rows.step.as_ref());
        if slope > f64::NEG_INFINITY && here > -0.5 * slope {
            let back = here / (here - slope);
            for k in 0..space.n() {
                rows.mu[k] -= back * rows.step[k];
                rows.step[k] *= 1.0 - back;
            }
            slope *= 1.0 - back;
        } else if step(space, &mut bones.hessian, rows) {
            slope = dot(rows.g.as_ref(), rows.step.as_ref());
        } else {
            return false;
        }
    }
    false
}

/// One Newton step; false where the Hessian is singular.
#[inline(always)]
fn step<S: Space>(space: S, hessian: &mut [f64], rows: &mut Rows<S>) -> bool {
    let n = space.n();
    let is_sound = solve(hessian, rows.g.as_ref(), rows.step.as_mut());
    for k in 0..n {
        rows.step[k] = -rows.step[k];
        rows.mu[k] += rows.step[k];
    }
    is_sound
}

/// Solves `h x = g` for a symmetric `h`, of which the upper triangle is read; false where it is not positive definite.
#[inline(always)]
fn solve(h: &mut [f64], g: &[f64], x: &mut [f64]) -> bool {
    match (&*h, g) {
        (&[a, b, _, c], &[g0, g1]) => {
            let determinant = a * c - b * b;
            let by = 1.0 / determinant;
            x.copy_from_slice(&[by * (c * g0 - b * g1), by * (a * g1 - b * g0)]);
            determinant > 0.0
        }
        (&[a, p, q, _, b, r, _, _, c], &[g0, g1, g2]) => {
            let (u, v, w) = (DVec3::new(a, p, q), DVec3::new(p, b, r), DVec3::new(q, r, c));
            let (vw, wu, uv) = (v.cross(w), w.cross(u), u.cross(v));
            let determinant = u.dot(vw);
            let solution = (vw * g0 + wu * g1 + uv * g2) * (1.0 / determinant);
            x.copy_from_slice(&solution.to_array());
            determinant > 0.0
        }
        _ => {
            let n = g.len();
            x.copy_from_slice(g);
            let is_sound = cholesky_factor(h, n, 0.0);
            cholesky_solve(h, x);
            // A row that depends on those before it has no reciprocal.
            is_sound && (0..n).all(|k| h[k * n + k] > 0.0)
        }
    }
}
