//! The direct solver of free chains: a solution for every reachable target with the least change of the bones, without iterating over joints.
//!
//! # Method
//! Swing the whole chain about its root until its tip lies on the line to the target; then make it longer or shorter. Let `u_i` be
//! the unit direction of bone `i` (length `l_i`) after the swing and `t` the target seen from the root. Among all directions `v_i`
//! that reach, `Σ l_i v_i = t`, those with the least `Σ l_i |v_i − u_i|²` are
//!
//! ```text
//! v_i = (u_i + μ) / |u_i + μ|      with one vector μ for all bones:
//! the minimiser of the convex   Φ(μ) = Σ l_i |u_i + μ| − μ · t,    g = ∇Φ = Σ l_i v_i − t,    H = tr(O) − O,
//!                               O = Σ l_i v_i v_iᵀ / |u_i + μ|
//! ```
//!
//! so a chain of any length is a convex problem in `dimension` unknowns, which Newton's method, `μ ← μ − H⁻¹ g`, solves with a few
//! passes over the bones. It starts from the pull of two bones with the mean and the variance of the chain's cosines.
//!
//! The swing comes last: everything before is computed in the chain's own frame, for a target at the right distance along the chord, and
//! so does not depend on the direction of the target.
//!
//! | symbol | meaning | shape | unit |
//! |---|---|---|---|
//! | `u`, `v` | bone directions before and after | n × d | 1 |
//! | `l`, `L` | bone lengths and their sum (`outer`) | n, 1 | m |
//! | `t` | target from the root, then its direction | d | m, 1 |
//! | `e`, `d` | direction of the chord from root to tip; distance of the target | d, 1 | 1, m |
//! | `mu` | the common pull | d | 1 |
//! | `g` | gradient of Φ: what the tip misses the target by | d | m |
//! | `H`, `O` (`spreads`) | Hessian of Φ, and what it is made of | d × d | m |
//!
//! # Degenerate cases
//! - *A straight chain whose target is inside its reach* has no direction to bend in, and Φ has a kink where its minimum
//!   should be. The chain is first bent to the circular arc whose chord is the distance to the target, to the side of
//!   any bend that it has, else by a fixed rule: to the right in the plane, so that its joints rotate in the positive sense, in
//!   space to `e` × [`perpendicular`](crate::math::perpendicular)`(e)`, before it is swung. Two bones bend like
//!   [`TwoBone`](crate::limb::TwoBone)'s.
//! - *A kink elsewhere* (one bone would have to pass through the direction opposite to its own): the chain is rotated at
//!   the joint that is best placed to meet the distance, with both parts rigid; if no joint can, it is folded into at most
//!   three straight pieces. One of these solutions exists for every target inside the reach.
//! - *A closed chain*, whose tip is on its root, has no chord to swing, and neither has *a target on the root*: the bones are pulled from
//!   their present directions.
//! - *A target exactly opposite* to the tip: the swing is a half turn through the side that a straight chain bends to.
//! - *A target out of reach*: straight towards it, or, inside the inner radius, the longest bone towards it and the others
//!   against it. That is the nearest pose.
//! - *One dimension*: bones can only point forth or back, and the solver does nothing.

mod bones;
mod fold;
mod newton;
mod vector;

use self::bones::{Bones, Extent};
use self::fold::{bend, find_across, fold, hinge};
use self::newton::{Rows, least_change};
use self::vector::rotation;
use super::{Any, Fixed, Space};
use crate::math::sqrt;

/// A chain counts as straight when its tip is this close (relative) to full reach: bends of up to 1e-5 rad.
const STRAIGHT: f64 = 1e-10;

/// Fraction of the tolerance that the tip must meet before the swing; the rest is for the rounding of the swing, at most [`FINEST`].
const WITHIN: f64 = 0.9;

/// Finest tolerance, relative to full reach: fifty times the rounding of one sum, which long chains accumulate.
const FINEST: f64 = 1e-14;

/// Buffers of [`reach`], sized by the largest chain seen.
#[derive(Debug, Clone, Default)]
pub struct DirectWorkspace {
    bones: Bones,
    /// Rows for dimensions beyond three, which are too long to live on the stack.
    long: Option<Rows<Any>>,
}

/// The kind of solution that [`reach`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// Already there, or a rigid swing was enough.
    Swing,
    /// The least change of all bone directions.
    Least,
    /// One rotation of a joint, with two rigid parts.
    Hinged,
    /// Straight pieces, three at most.
    Folded,
    /// The target is out of reach or at its very edge; this is the nearest pose.
    Nearest,
    /// One dimension, no bone, or numbers that do not fit together: nothing was changed.
    None,
}

/// Moves an unbranched chain so that its tip stands on the target, or as near as its bones allow.
///
/// - `lengths`: n bone lengths, at least 0
/// - `points`: in: the pose to change least, (n + 1) × `dimension`, root first; out: the answer, at the exact lengths
/// - `target`: `dimension` numbers
/// - `tolerance`: distance from the target at which the Newton iteration may stop, > 0, same unit
///
/// Lengths and points should be of the order of one; the caller scales.
pub fn reach(
    dimension: usize,
    lengths: &[f64],
    points: &mut [f64],
    target: &[f64],
    tolerance: f64,
    workspace: &mut DirectWorkspace,
) -> Outcome {
    let shaped = points.len() == (lengths.len() + 1) * dimension && target.len() == dimension;
    if dimension < 2 || lengths.is_empty() || !shaped {
        return Outcome::None;
    }
    let DirectWorkspace { bones, long } = workspace;
    let problem = (lengths, target, tolerance);
    match dimension {
        2 => solve(Fixed, problem, points, bones, &mut Rows::new(Fixed::<2>)),
        3 => solve(Fixed, problem, points, bones, &mut Rows::new(Fixed::<3>)),
        n => {
            long.take_if(|rows| rows.t.len() != n);
            solve(Any(n), problem, points, bones, long.get_or_insert_with(|| Rows::new(Any(n))))
        }
    }
}

/// The method in the order of the module's text; the swing is the rotation `turn`, applied when the points are written.
fn solve<S: Space>(
    space: S,
    (lengths, target, tolerance): (&[f64], &[f64], f64),
    points: &mut [f64],
    bones: &mut Bones,
    rows: &mut Rows<S>,
) -> Outcome {
    let n = space.n();
    let (mut d, mut chord) = (0.0, 0.0);
    for k in 0..n {
        rows.t[k] = target[k] - points[k];
        rows.e[k] = points[lengths.len() * n + k] - points[k];
        d += rows.t[k] * rows.t[k];
        chord += rows.e[k] * rows.e[k];
    }
    (d, chord) = (root(d), root(chord));
    face(space, (d, chord), rows);
    let extent = bones.read(space, (lengths, points), &rows.e, &mut rows.sums);
    let Extent { outer, longest, .. } = extent;
    let inner = 2.0 * longest - outer;
    if d >= outer || (d <= inner && inner > 0.0) {
        stretch(space, lengths, &rows.t, d >= outer, points);
        return Outcome::Nearest;
    }
    rotation(space, &rows.e, &rows.t, &mut rows.step, &mut rows.turn);
    let tolerance = (WITHIN * tolerance).max(FINEST * outer);
    let is_there = (chord - d).abs() <= tolerance;
    let is_straight = outer - chord <= STRAIGHT * outer;
    for k in 0..n {
        rows.mu[k] = 0.0;
    }
    if !is_there && is_straight {
        find_across(space, bones, rows);
        bend(space, bones, (d, outer), rows);
    } else if !is_there {
        first_pull(space, extent, (chord, d), rows);
    }
    let outcome = if is_there { Outcome::Swing } else { Outcome::Least };
    if !least_change(space, bones, (d, tolerance), rows) {
        return hinge_or_fold(space, bones, (d, outer), points, rows);
    }
    bones.write(space, &rows.turn, &mut rows.sums, points);
    outcome
}

/// Puts into `mu` the pull to start from: what it would be if all bones made the same angle with the chord, of cosine
/// `m = chord / L`, improved by one Newton step for bones at two angles, half of the length at each, which have the mean and the
/// variance of the cosines.
///
/// At one angle, `(m + y) / √((m + y)² + 1 − m²) = τ = d / L`. At two, `f` is the mean of `a = (c + y) / √(1 + 2 c y + y²)` over both
/// cosines `c`; the step is for `f / √(1 − f²)`, which is a straight line in `y` for one angle and at full reach.
///
/// A pull `y e` leans the bones across `e`, by `−y (O e)` where `y` is small and `−O e / y` where it is large. The pull across that undoes
/// this, `O e y / (y² + h)`, has both limits with `h = H / L` across `e`, in the mean of all directions across.
fn first_pull<S: Space>(space: S, extent: Extent, (chord, d): (f64, f64), rows: &mut Rows<S>) {
    let Extent { outer, squared_cosine, .. } = extent;
    let (m, tau) = (chord / outer, d / outer);
    let steep = tau / sqrt((1.0 - tau) * (1.0 + tau));
    let mut y = steep * sqrt((1.0 - m) * (1.0 + m)) - m;
    let deviation = sqrt((squared_cosine - m * m).max(0.0));
    let (mut f, mut slope) = (0.0, 0.0);
    for c in [m - deviation, m + deviation] {
        let by_size = 1.0 / sqrt(1.0 + 2.0 * c * y + y * y);
        let a = (c + y) * by_size;
        f += 0.5 * a;
        slope += 0.5 * (1.0 - a * a) * by_size;
    }
    let squared_sine = 1.0 - f * f;
    y += squared_sine * (sqrt(squared_sine) * steep - f) / slope;
    let n = space.n();
    let h = squared_cosine + (1.0 - squared_cosine) * (n - 2) as f64 / (n - 1) as f64;
    let across = y / (y * y + h) / outer;
    for k in 0..n {
        rows.mu[k] =
            y * rows.e[k] + across * (rows.sums.chord[k] - squared_cosine * outer * rows.e[k]);
    }
}

/// Reaches a target strictly inside the reach without minimising the change.
#[cold]
#[inline(never)]
fn hinge_or_fold<S: Space>(
    space: S,
    bones: &mut Bones,
    (d, outer): (f64, f64),
    points: &mut [f64],
    rows: &mut Rows<S>,
) -> Outcome {
    (0..space.n()).for_each(|k| rows.mu[k] = 0.0);
    bones.pull(space, &rows.mu, &mut rows.sums);
    bones.take_pulled(space);
    find_across(space, bones, rows);
    let outcome = if hinge(space, bones, d, rows) {
        Outcome::Hinged
    } else {
        fold(space, bones, (d, outer), rows);
        Outcome::Folded
    };
    (0..space.n()).for_each(|k| rows.mu[k] = 0.0);
    bones.pull(space, &rows.mu, &mut rows.sums);
    bones.write(space, &rows.turn, &mut rows.sums, points);
    outcome
}

/// The root of a square, and zero if it is so small that products of the coordinates may be subnormal and inexact.
#[inline(always)]
fn root(squared: f64) -> f64 {
    if squared > 1e-280 { sqrt(squared) } else { 0.0 }
}

/// Makes units of `t` and `e`, the directions of the target (at `d`) and of the chord.
///
/// If one of them has no direction, both are the other's; if neither has, both are the first axis, and nothing rotates.
#[inline(always)]
fn face<S: Space>(space: S, (d, chord): (f64, f64), rows: &mut Rows<S>) {
    let Rows { t, e, .. } = rows;
    for k in 0..space.n() {
        (t[k], e[k]) = match (d > 0.0, chord > 0.0) {
            (true, true) => (t[k] / d, e[k] / chord),
            (true, false) => (t[k] / d, t[k] / d),
            (false, true) => (e[k] / chord, e[k] / chord),
            (false, false) if k == 0 => (1.0, 1.0),
            (false, false) => (0.0, 0.0),
        };
    }
}

/// The pose nearest to a target out of reach: all bones towards it, or only the longest.
fn stretch<S: Space>(
    space: S,
    lengths: &[f64],
    towards: &S::Row<f64>,
    is_too_far: bool,
    points: &mut [f64],
) {
    let n = space.n();
    let longer = |a: usize, b: usize| if lengths[b] > lengths[a] { b } else { a };
    let longest = (1..lengths.len()).fold(0, longer);
    for (i, length) in lengths.iter().enumerate() {
        let sign = if is_too_far || i == longest { 1.0 } else { -1.0 };
        for k in 0..n {
            points[(i + 1) * n + k] = points[i * n + k] + sign * length * towards[k];
        }
    }
}
