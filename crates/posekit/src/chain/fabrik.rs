//! FABRIK: forward and backward reaching.
//!
//! Put the tip on its target and drag the other points after it, one bone length apart, to the root (*backward*, from the tips
//! inward); then drag the points after the root, which has stayed, outward (*forward*). Each point `p` moves along the line to
//! the one before it, `a`:
//!
//! ```text
//! p ← a + l (p − a) / |p − a|
//! ```
//!
//! Where branches meet, the backward half puts the shared point (a *sub-base*) at the mean of where the branches would drag it.
//! Aristidou and Lasenby 2011 \[aristidou11\], in any dimension.

use super::{Bones, Goals, Space, in_space};
use crate::math::sqrt;
use alloc::vec::Vec;

/// A squared distance computed as a difference is measured again if it is less than this fraction of the minuend: cancellation costs the
/// lengths an ulp for each factor of two, four here.
const CANCELLED: f64 = 1.0 / 16.0;

/// Which points move, and where branches meet: the data of a step beyond the bones.
#[derive(Debug, Clone, Default)]
pub struct Branches {
    /// Per point: how many of its children have an effector in their subtree, plus one if it is an effector itself.
    pulls: Vec<u32>,
    /// Per coordinate of each point: the sum of where its branches would drag it.
    sums: Vec<f64>,
    /// First and last point of each run of moving points, one the parent of the next, without a branch or effector between.
    runs: Vec<(usize, usize)>,
}

impl Branches {
    /// Finds the points that move for these effectors. Allocates only while growing.
    pub fn prepare(&mut self, dimension: usize, parents: &[usize], effectors: &[usize]) {
        self.pulls.clear();
        self.pulls.resize(parents.len(), 0);
        self.sums.clear();
        self.sums.resize(parents.len() * dimension, 0.0);
        self.runs.clear();
        for &effector in effectors {
            self.pulls[effector] += 1;
        }
        for child in (0..parents.len()).rev() {
            if self.pulls[child] > 0 && parents[child] != child {
                self.pulls[parents[child]] += 1;
            }
        }
        for (child, &parent) in parents.iter().enumerate() {
            match self.runs.last_mut() {
                _ if self.pulls[child] == 0 || parent == child => {}
                Some((_, last))
                    if *last == parent && child == parent + 1 && self.pulls[parent] == 1 =>
                {
                    *last = child;
                }
                _ => self.runs.push((child, child)),
            }
        }
    }

    /// True when a point has an effector in its subtree.
    #[must_use]
    pub fn moves(&self, point: usize) -> bool {
        self.pulls[point] > 0
    }
}

/// The backward half: effectors onto their targets, everything else dragged after them, to the root's children.
///
/// Roots themselves stay: the forward half would put them back anyway.
pub fn backward(
    dimension: usize,
    bones: Bones<'_>,
    points: &mut [f64],
    goals: Goals<'_>,
    branches: &mut Branches,
) {
    in_space!(dimension, space => backward_in(space, bones, points, goals, branches));
}

fn backward_in<S: Space>(
    space: S,
    bones: Bones<'_>,
    points: &mut [f64],
    goals: Goals<'_>,
    branches: &mut Branches,
) {
    let n = space.n();
    let Branches { pulls, sums, runs } = branches;
    for (&effector, target) in goals.effectors.iter().zip(goals.targets.chunks_exact(n)) {
        for (sum, x) in sums[effector * n..].iter_mut().zip(target) {
            *sum += x;
        }
    }
    for &(first, last) in runs.iter().rev() {
        let share = 1.0 / f64::from(pulls[last]);
        for k in last * n..(last + 1) * n {
            points[k] = sums[k] * share;
            sums[k] = 0.0;
        }
        drag_inward(
            space,
            &mut points[first * n..(last + 1) * n],
            &bones.lengths[first + 1..=last],
        );
        let parent = bones.parents[first];
        if bones.parents[parent] == parent {
            continue;
        }
        let (point, anchor) = (&points[parent * n..][..n], &points[first * n..][..n]);
        let scale = scale_of(squared_distance(space, point, anchor), bones.lengths[first]);
        for k in 0..n {
            sums[parent * n + k] += anchor[k] + (point[k] - anchor[k]) * scale.unwrap_or(0.0);
        }
    }
}

/// The forward half: from the root, which stays, every point is dragged to its bone's length from its parent.
///
/// Points with no effector in their subtree stay where they are; see [`carry`].
pub fn forward(dimension: usize, bones: Bones<'_>, points: &mut [f64], branches: &Branches) {
    in_space!(dimension, space => forward_in(space, bones, points, branches));
}

fn forward_in<S: Space>(space: S, bones: Bones<'_>, points: &mut [f64], branches: &Branches) {
    let n = space.n();
    for &(first, last) in &branches.runs {
        let (before, run) = points.split_at_mut(first * n);
        let anchor = &before[bones.parents[first] * n..][..n];
        let run = &mut run[..(last + 1 - first) * n];
        drag(space, anchor, run.chunks_exact_mut(n).zip(&bones.lengths[first..=last]));
    }
}

/// Whole iterations on an unbranched chain, for callers that keep the points themselves: the published method without checks, detection of
/// lock-ups or a status. Returns the number of iterations.
///
/// - `lengths`: n bone lengths; `points`: (n + 1) × `dimension`, root first, changed in place
/// - `tolerance`: distance of the tip from the target at which to stop, same unit
///
/// [`solve::solve_chain`](crate::solve::solve_chain) runs the same steps with all of these.
pub fn reach(
    dimension: usize,
    lengths: &[f64],
    points: &mut [f64],
    target: &[f64],
    tolerance: f64,
    iterations: u32,
) -> u32 {
    in_space!(dimension, space => reach_in(space, lengths, points, target, (tolerance, iterations)))
}

fn reach_in<S: Space>(
    space: S,
    lengths: &[f64],
    points: &mut [f64],
    target: &[f64],
    (tolerance, iterations): (f64, u32),
) -> u32 {
    let n = space.n();
    let tip = lengths.len() * n;
    for done in 0..iterations {
        if squared_distance(space, &points[tip..], target) <= tolerance * tolerance {
            return done;
        }
        points[tip..].copy_from_slice(target);
        let (root, rest) = points.split_at_mut(n);
        if let [_, inner @ ..] = lengths {
            drag_inward(space, rest, inner);
        }
        drag(space, root, rest.chunks_exact_mut(n).zip(lengths));
    }
    iterations
}

/// Drags points after the last of them, from the last inward; `lengths` are those between them.
#[inline(always)]
fn drag_inward<S: Space>(space: S, points: &mut [f64], lengths: &[f64]) {
    let (rest, anchor) = points.split_at_mut(lengths.len() * space.n());
    drag(space, anchor, rest.chunks_exact_mut(space.n()).zip(lengths).rev());
}

/// Drags points, one after the other, each to its length from the one before, the first to `anchor`.
///
/// Where two coincide there is no line; the point then goes along the first axis, so that the length holds.
///
/// The latency of a drag is a square root, of its squared distance `s` from the anchor `a`, and the squared distance of the next drag
/// depends on the new anchor, `a + f d` with `f = l / √s`. With `e` from the old anchor to the next point it is
/// `(e − f d)² = e² + l² − 2 f e·d`, of which all but the factor `f` can be computed before the root.
#[inline(always)]
fn drag<'a, S: Space>(
    space: S,
    anchor: &'a [f64],
    mut points: impl Iterator<Item = (&'a mut [f64], &'a f64)>,
) {
    let Some((mut point, mut length)) = points.next() else { return };
    let mut squared = measure(space, point, anchor);
    let mut anchor = space.hold(anchor);
    loop {
        let next = points.next();
        let (mut whole, mut both) = (0.0, 0.0);
        if let Some((next, _)) = &next {
            for (k, a) in anchor.as_ref().iter().enumerate() {
                whole += (next[k] - a) * (next[k] - a);
                both += (next[k] - a) * (point[k] - a);
            }
        }
        (whole, both) = (whole + length * length, 2.0 * both);
        let mut ahead = f64::NAN;
        if let Some(scale) = scale_of(squared, *length) {
            for (x, a) in point.iter_mut().zip(anchor.as_ref()) {
                *x = a + scale * (*x - a);
            }
            ahead = whole - scale * both;
        } else {
            point.copy_from_slice(anchor.as_ref());
            point[0] += length;
        }
        let Some((next, next_length)) = next else { return };
        squared = if ahead > CANCELLED * whole { ahead } else { measure(space, next, point) };
        anchor = space.hold(point);
        (point, length) = (next, next_length);
    }
}

#[inline(always)]
fn squared_distance<S: Space>(space: S, a: &[f64], b: &[f64]) -> f64 {
    let mut squared = 0.0;
    for k in 0..space.n() {
        squared += (a[k] - b[k]) * (a[k] - b[k]);
    }
    squared
}

/// [`squared_distance`] out of line. Inlined into the loop of [`drag`] it would be computed ahead of its branch and add to the latency; inlined
/// before the loop, its loads would be combined with others that stall on points just stored.
#[cold]
#[inline(never)]
fn measure<S: Space>(space: S, a: &[f64], b: &[f64]) -> f64 {
    squared_distance(space, a, b)
}

/// `length` over the root of `squared`; none if that is not a finite positive number.
#[inline(always)]
fn scale_of(squared: f64, length: f64) -> Option<f64> {
    // The square root and the quotient are independent, which is faster than length / root.
    (squared > 0.0 && squared < f64::INFINITY).then(|| sqrt(squared) * (length / squared))
}

/// Moves the points with no effector in their subtree along with their parents, without turning their bones.
pub fn carry(
    dimension: usize,
    bones: Bones<'_>,
    start: &[f64],
    points: &mut [f64],
    branches: &Branches,
) {
    for (child, &parent) in bones.parents.iter().enumerate() {
        if branches.moves(child) || parent == child {
            continue;
        }
        for k in 0..dimension {
            let (from, to) = (parent * dimension + k, child * dimension + k);
            points[to] = points[from] + (start[to] - start[from]);
        }
    }
}
