//! The closed way for free chains: no iteration over joints, an answer for every reachable target, the least bent one.
//!
//! # Method
//! Swing the whole chain about its root until its tip lies on the line to the target. What is left is to make it longer
//! or shorter. Let `u_i` be the unit direction of bone `i` (length `l_i`) after the swing and `t` the target seen from
//! the root. Among all directions `v_i` that reach, `Σ l_i v_i = t`, those with the least `Σ l_i |v_i − u_i|²` are
//!
//! ```text
//! v_i = (u_i + μ) / |u_i + μ|      with one vector μ for all bones:
//! the minimiser of the convex   Φ(μ) = Σ l_i |u_i + μ| − μ · t,    ∇Φ = Σ l_i v_i − t
//! ```
//!
//! so a chain of any length is a convex problem in `dimension` unknowns, and Newton's method on it converges
//! quadratically: after a good first guess two or three passes over the bones, also next to full reach, the last of which
//! writes the points. With `O = Σ l v vᵀ / |u + μ|` the Hessian is `tr(O) − O`.
//!
//! The swing comes last: everything before is worked out in the chain's own frame, for a target at the right distance along
//! the chord, and so does not depend on where the target lies about the root.
//!
//! | symbol | meaning | shape | unit |
//! |---|---|---|---|
//! | `u`, `v` | bone directions before and after | n × d | 1 |
//! | `l`, `L` | bone lengths and their sum | n, 1 | m |
//! | `t` | target from the root, then its direction | d | m, 1 |
//! | `e`, `d` | direction of the chord from root to tip; distance of the target | d, 1 | 1, m |
//! | `mu` | the common pull | d | 1 |
//! | `g` | gradient of Φ: what the tip misses the target by | d | m |
//! | `O` (`spread`) | what the Hessian is made of | d × d | m |
//!
//! # Degenerate cases
//! - *A straight chain whose target is inside its reach* has no direction to bend in, and Φ has a kink where its minimum
//!   should be. The chain is first laid on the circular arc whose chord is the distance to the target, on the side given
//!   by what little bend it has, else by a fixed rule: to the right in the plane, so that its joints turn the positive way, in
//!   space to `e` × [`perpendicular`](crate::math::perpendicular)`(e)`, before it is swung. Two bones bend like
//!   [`TwoBone`](crate::limb::TwoBone)'s.
//! - *A kink elsewhere* (one bone would have to turn through the direction opposite to its own): the chain is turned at
//!   the one joint that is best placed to meet the distance, with both parts rigid; where no joint can, it is folded into
//!   two or three straight pieces. One of them exists for every target inside the reach.
//! - *A closed chain*, whose tip is on its root, has no chord to swing: bones keep their directions and are pulled straight
//!   away. *A target on the root* is not swung to either.
//! - *A target exactly opposite* to the tip: the swing is a half turn by way of the side that a straight chain bends to.
//! - *A target out of reach*: straight towards it, or, inside the inner radius, the longest bone towards it and the others
//!   against it. That is the nearest pose.
//! - *One dimension*: bones can only point forth or back; there is no closed way.

mod bones;
mod fold;
mod newton;
mod vector;

use self::bones::{Bones, Sums};
use self::fold::{Flat, bend, find_across};
use self::newton::{Goal, Rows, least_change};
use self::vector::rotation;
use super::{Any, Fixed, Space};
use crate::math::sqrt;

/// A chain counts as straight when its tip is this close (relative) to full reach: bends of up to 1e-5 rad.
const STRAIGHT: f64 = 1e-10;

/// Part of the tolerance within which the tip must be before the last turn, which adds rounding.
const WITHIN: f64 = 0.9;

/// Finest tolerance, relative to full reach: ten thousand bones cannot be summed up more exactly.
const FINEST: f64 = 1e-14;

/// Buffers of [`reach`], sized by the largest chain seen.
#[derive(Debug, Clone, Default)]
pub struct DirectWorkspace {
    bones: Bones,
    flat: Flat,
    /// Rows for dimensions beyond three, which are too long to live on the stack.
    long: Option<(Rows<Any>, Sums<Any>)>,
}

/// What [`reach`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Way {
    /// Already there, or a rigid swing was enough.
    Swing,
    /// The least change of all bone directions.
    Least,
    /// Two rigid parts about one joint.
    Hinged,
    /// Two or three straight pieces.
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
) -> Way {
    let shaped = points.len() == (lengths.len() + 1) * dimension && target.len() == dimension;
    if dimension < 2 || lengths.is_empty() || !shaped {
        return Way::None;
    }
    let problem = (lengths, target, tolerance);
    match dimension {
        2 => solve_short::<2>(problem, points, workspace),
        3 => solve_short::<3>(problem, points, workspace),
        n => solve_long(Any(n), problem, points, workspace),
    }
}

/// In the plane and in space, where rows are arrays.
#[inline(never)]
fn solve_short<const D: usize>(
    problem: (&[f64], &[f64], f64),
    points: &mut [f64],
    workspace: &mut DirectWorkspace,
) -> Way {
    let space = Fixed::<D>;
    let DirectWorkspace { bones, flat, .. } = workspace;
    solve(space, problem, points, (bones, flat), &mut Rows::new(space), &mut Sums::new(space))
}

/// In any other dimension, where rows are kept between calls.
#[inline(never)]
fn solve_long(
    space: Any,
    problem: (&[f64], &[f64], f64),
    points: &mut [f64],
    workspace: &mut DirectWorkspace,
) -> Way {
    let DirectWorkspace { bones, flat, long } = workspace;
    let (mut rows, mut sums) = long
        .take()
        .filter(|(rows, _)| rows.t.len() == space.n())
        .unwrap_or_else(|| (Rows::new(space), Sums::new(space)));
    let way = solve(space, problem, points, (bones, flat), &mut rows, &mut sums);
    *long = Some((rows, sums));
    way
}

/// The method, in the order of the module's text; the swing is the `turn` with which points are written.
#[inline(always)]
fn solve<S: Space>(
    space: S,
    (lengths, target, tolerance): (&[f64], &[f64], f64),
    points: &mut [f64],
    (bones, flat): (&mut Bones, &mut Flat),
    rows: &mut Rows<S>,
    sums: &mut Sums<S>,
) -> Way {
    let n = space.n();
    let extent = bones.read(space, lengths, points, sums);
    let (mut d, mut chord) = (0.0, 0.0);
    for k in 0..n {
        rows.t[k] = target[k] - points[k];
        rows.e[k] = sums.chord[k];
        d += rows.t[k] * rows.t[k];
        chord += rows.e[k] * rows.e[k];
    }
    (d, chord) = (sized(d), sized(chord));
    let out = d >= extent.outer || (d <= extent.inner() && extent.inner() > 0.0);
    face(space, bones, (d, chord), rows);
    if out {
        stretch(space, bones, &rows.t, d >= extent.outer, points);
        return Way::Nearest;
    }
    rotation(space, &rows.e, &rows.t, &mut rows.step, &mut rows.turn);
    let tolerance = (WITHIN * tolerance).max(FINEST * extent.outer);
    if (chord - d).abs() <= tolerance {
        swing(space, bones, points, (rows, sums));
        return Way::Swing;
    }
    let straight = extent.outer - chord <= STRAIGHT * extent.outer;
    if straight {
        find_across(space, bones, &rows.e, &mut rows.g, &mut rows.across);
        bend(space, bones, (d, extent.outer), &rows.e, &rows.across);
        bones.measure(space, sums);
    }
    let goal = Goal { extent, chord, d, tolerance, n_bones: lengths.len() };
    if least_change(space, bones, goal, (rows, sums), !straight) {
        bones.write(space, &rows.turn, points);
        return Way::Least;
    }
    if !straight {
        find_across(space, bones, &rows.e, &mut rows.g, &mut rows.across);
    }
    flat.read(space, bones, &rows.e, &rows.across);
    let way = flat.turn_or_fold(d, extent.outer);
    flat.write(space, &rows.turn, points);
    way
}

/// Writes the bones as they are, swung to the target.
#[inline(never)]
fn swing<S: Space>(
    space: S,
    bones: &mut Bones,
    points: &mut [f64],
    (rows, sums): (&mut Rows<S>, &mut Sums<S>),
) {
    for k in 0..space.n() {
        rows.mu[k] = 0.0;
    }
    bones.pull(space, &rows.mu, sums);
    bones.write(space, &rows.turn, points);
}

/// Root of a square, and zero where too little of it is left to tell a direction.
#[inline(always)]
fn sized(squared: f64) -> f64 {
    if squared > 1e-280 { sqrt(squared) } else { 0.0 }
}

/// Makes units of `t` and `e`, the directions of the target (at `d`) and of the chord.
///
/// Where one of them has no direction, both are the other's; where neither has, both are the longest bone's.
#[inline(always)]
fn face<S: Space>(space: S, bones: &Bones, (d, chord): (f64, f64), rows: &mut Rows<S>) {
    if d <= 0.0 || chord <= 0.0 {
        face_the_same(space, bones, (d, chord), rows);
        return;
    }
    let (to_target, to_tip) = (1.0 / d, 1.0 / chord);
    for k in 0..space.n() {
        rows.t[k] *= to_target;
        rows.e[k] *= to_tip;
    }
}

/// [`face`] where a direction is missing.
#[cold]
#[inline(never)]
fn face_the_same<S: Space>(space: S, bones: &Bones, (d, chord): (f64, f64), rows: &mut Rows<S>) {
    let longest = bones.longest();
    for k in 0..space.n() {
        let both = if d > 0.0 {
            rows.t[k] / d
        } else if chord > 0.0 {
            rows.e[k] / chord
        } else {
            bones.directions(space.n())[longest * space.n() + k]
        };
        (rows.t[k], rows.e[k]) = (both, both);
    }
}

/// The pose nearest to a target out of reach: all bones towards it, or only the longest.
fn stretch<S: Space>(
    space: S,
    bones: &Bones,
    towards: &S::Row<f64>,
    too_far: bool,
    points: &mut [f64],
) {
    let n = space.n();
    let longest = if too_far { 0 } else { bones.longest() };
    for (i, length) in bones.lengths().iter().enumerate() {
        let sign = if too_far || i == longest { 1.0 } else { -1.0 };
        for k in 0..n {
            points[(i + 1) * n + k] = points[i * n + k] + sign * length * towards[k];
        }
    }
}
