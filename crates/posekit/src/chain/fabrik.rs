//! FABRIK: forward and backward reaching.
//!
//! Aristidou and Lasenby 2011 \[aristidou11\]: put the tip on its target and drag the other points after it, one bone
//! length apart, to the root (*backward*, from the tips inward); then put the root back and drag the points after it
//! outward (*forward*). Where branches meet, the inward half places the shared point (a *sub-base*) at the mean of what
//! the branches ask for. In any dimension.

use super::{Any, Bones, Goals, Space, in_space};
use crate::math::sqrt;
use alloc::vec::Vec;

/// Which points move, and where branches meet: what a step needs to know beyond the bones.
#[derive(Debug, Clone, Default)]
pub struct Branches {
    /// Per point: how many of its children carry an effector in their subtree, plus one if it is an effector itself.
    pulls: Vec<u32>,
    /// Per coordinate of each sub-base: the sum of what its branches ask for.
    asked: Vec<f64>,
    /// No branches, and the tip is what must reach.
    is_path: bool,
}

/// A squared distance that is left of a difference by less than this part is measured afresh: what cancelled would show in the
/// lengths, by an ulp for each doubling.
const CANCELLED: f64 = 1.0 / 16.0;

impl Branches {
    /// Finds out which points move for these effectors. Allocates only while growing.
    pub fn prepare(&mut self, dimension: usize, parents: &[usize], effectors: &[usize]) {
        self.pulls.clear();
        self.pulls.resize(parents.len(), 0);
        self.asked.clear();
        self.asked.resize(parents.len() * dimension, 0.0);
        self.is_path = matches!(effectors, [tip] if tip + 1 == parents.len())
            && parents.iter().enumerate().all(|(i, &parent)| parent == i.saturating_sub(1));
        for &effector in effectors {
            self.pulls[effector] += 1;
        }
        for child in (0..parents.len()).rev() {
            if self.pulls[child] > 0 && parents[child] != child {
                self.pulls[parents[child]] += 1;
            }
        }
    }

    /// True when a point has an effector in its subtree.
    #[must_use]
    pub fn moves(&self, point: usize) -> bool {
        self.pulls[point] > 0
    }
}

/// The inward half: effectors onto their targets, everything else dragged after them, to the root's children.
///
/// Roots themselves stay: the outward half would put them back anyway.
pub fn backward(
    dimension: usize,
    bones: Bones<'_>,
    points: &mut [f64],
    goals: Goals<'_>,
    branches: &mut Branches,
) {
    match (dimension, branches.is_path) {
        (2, true) => back::<2>(&bones.lengths[1..], points, goals.targets),
        (3, true) => back::<3>(&bones.lengths[1..], points, goals.targets),
        _ => in_space!(dimension, space => inward(space, bones, points, goals, branches)),
    }
}

/// The outward half: from the root, which stays, every point is dragged to its bone's length from its parent.
///
/// Points with no effector in their subtree are left where they are; see [`carry`].
pub fn forward(dimension: usize, bones: Bones<'_>, points: &mut [f64], branches: &Branches) {
    match (dimension, branches.is_path) {
        (2, true) => forth::<2>(&bones.lengths[1..], points),
        (3, true) => forth::<3>(&bones.lengths[1..], points),
        _ => in_space!(dimension, space => outward(space, bones, points, branches)),
    }
}

/// Whole iterations on an unbranched chain, for callers that keep the points themselves: no checks, no stall detection, no
/// status, only the published method. Returns the iterations run.
///
/// - `lengths`: n bone lengths; `points`: (n + 1) × `dimension`, root first, changed in place
/// - `tolerance`: distance of the tip from the target at which to stop, same unit
///
/// [`solve::solve_chain`](crate::solve::solve_chain) runs the same steps and does the rest too.
pub fn reach(
    dimension: usize,
    lengths: &[f64],
    points: &mut [f64],
    target: &[f64],
    tolerance: f64,
    iterations: u32,
) -> u32 {
    let tip = lengths.len() * dimension;
    for done in 0..iterations {
        let off = points[tip..].iter().zip(target).map(|(a, b)| (a - b) * (a - b));
        if off.sum::<f64>() <= tolerance * tolerance {
            return done;
        }
        sweep(dimension, lengths, points, target);
    }
    iterations
}

/// One iteration on an unbranched chain: [`backward`] and [`forward`], bit for bit. In any dimension.
pub(crate) fn sweep(dimension: usize, lengths: &[f64], points: &mut [f64], target: &[f64]) {
    match dimension {
        2 => back_and_forth::<2>(lengths, points, target),
        3 => back_and_forth::<3>(lengths, points, target),
        n => back_and_forth_any(Any(n), lengths, points, target),
    }
}

#[inline]
fn back_and_forth<const D: usize>(lengths: &[f64], points: &mut [f64], target: &[f64]) {
    back::<D>(lengths, points, target);
    forth::<D>(lengths, points);
}

/// The inward half on an unbranched chain.
#[inline]
fn back<const D: usize>(lengths: &[f64], points: &mut [f64], target: &[f64]) {
    let points = points.as_chunks_mut::<D>().0;
    if let ([_, inner @ .., tip], ([target], _), [_, lengths @ ..]) =
        (points, target.as_chunks::<D>(), lengths)
    {
        *tip = *target;
        drag_along(*target, inner.iter_mut().zip(lengths).rev());
    }
}

/// The outward half on an unbranched chain.
#[inline]
fn forth<const D: usize>(lengths: &[f64], points: &mut [f64]) {
    if let [root, points @ ..] = points.as_chunks_mut::<D>().0 {
        drag_along(*root, points.iter_mut().zip(lengths));
    }
}

/// Drags points, one after the other, each to its length from the one before, the first to `anchor`.
///
/// A drag waits for nothing as long as for a square root, of its squared distance `s` from the anchor `a`, and the next drag's
/// squared distance would wait for the new anchor, `a + f d` with `f = l / √s`. With `e` from the old anchor to the next
/// point it is `(e − f d)² = e² + l² − 2 f e·d`, of which all but the factor `f` is known before the root is.
#[inline(always)]
fn drag_along<'a, const D: usize>(
    mut anchor: [f64; D],
    mut points: impl Iterator<Item = (&'a mut [f64; D], &'a f64)>,
) {
    let Some((mut point, mut length)) = points.next() else { return };
    let mut d = difference(point, &anchor);
    let mut squared = product(&d, &d);
    loop {
        let next = points.next();
        let e = next.as_ref().map_or([0.0; D], |(next, _)| difference(next, &anchor));
        let whole = product(&e, &e) + length * length;
        let both = 2.0 * product(&e, &d);
        let mut ahead = f64::NAN;
        if let Some(scale) = scale_of(squared, *length) {
            for k in 0..D {
                anchor[k] += scale * d[k];
            }
            ahead = whole - scale * both;
        } else {
            anchor[0] += length;
        }
        *point = anchor;
        let Some(next) = next else { return };
        (point, length) = next;
        d = difference(point, &anchor);
        squared = if ahead > CANCELLED * whole { ahead } else { measured_afresh(d) };
    }
}

#[inline(always)]
fn difference<const D: usize>(a: &[f64; D], b: &[f64; D]) -> [f64; D] {
    core::array::from_fn(|k| a[k] - b[k])
}

#[inline(always)]
fn product<const D: usize>(a: &[f64; D], b: &[f64; D]) -> f64 {
    let mut sum = 0.0;
    for k in 0..D {
        sum += a[k] * b[k];
    }
    sum
}

/// Out of line, so that it stays behind its branch: computed ahead of it, it would be waited for.
#[cold]
#[inline(never)]
fn measured_afresh<const D: usize>(d: [f64; D]) -> f64 {
    product(&d, &d)
}

/// One iteration on an unbranched chain in any other dimension.
fn back_and_forth_any(space: Any, lengths: &[f64], points: &mut [f64], target: &[f64]) {
    let n = space.n();
    let tip = lengths.len() * n;
    points[tip..].copy_from_slice(target);
    for i in (1..lengths.len()).rev() {
        let (head, tail) = points.split_at_mut((i + 1) * n);
        drag(space, &mut head[i * n..], &tail[..n], lengths[i]);
    }
    for i in 0..lengths.len() {
        let (head, tail) = points.split_at_mut((i + 1) * n);
        drag(space, &mut tail[..n], &head[i * n..], lengths[i]);
    }
}

/// Carries the points with no effector in their subtree along with their parents, without turning their bones.
pub fn carry(
    dimension: usize,
    bones: Bones<'_>,
    start: &[f64],
    points: &mut [f64],
    branches: &Branches,
) {
    for child in (1..bones.parents.len()).filter(|&child| !branches.moves(child)) {
        let parent = bones.parents[child];
        if parent == child {
            continue;
        }
        for k in 0..dimension {
            points[child * dimension + k] = points[parent * dimension + k]
                + (start[child * dimension + k] - start[parent * dimension + k]);
        }
    }
}

fn inward<S: Space>(
    space: S,
    bones: Bones<'_>,
    points: &mut [f64],
    goals: Goals<'_>,
    branches: &mut Branches,
) {
    let n = space.n();
    for (e, &effector) in goals.effectors.iter().enumerate() {
        let target = &goals.targets[e * n..(e + 1) * n];
        if bones.parents[effector] == effector {
            continue;
        }
        if branches.pulls[effector] == 1 {
            points[effector * n..(effector + 1) * n].copy_from_slice(target);
        } else {
            for (asked, x) in branches.asked[effector * n..].iter_mut().zip(target) {
                *asked += x;
            }
        }
    }
    for child in (1..bones.parents.len()).rev() {
        let parent = bones.parents[child];
        if branches.pulls[child] == 0 || parent == child {
            continue;
        }
        if branches.pulls[child] > 1 {
            settle(space, points, child, branches);
        }
        if bones.parents[parent] == parent {
            continue;
        }
        let (head, tail) = points.split_at_mut(child * n);
        let (from, anchor) = (&mut head[parent * n..(parent + 1) * n], &tail[..n]);
        if branches.pulls[parent] == 1 {
            drag(space, from, anchor, bones.lengths[child]);
        } else {
            let asked = &mut branches.asked[parent * n..(parent + 1) * n];
            let scale = scale_to(space, from, anchor, bones.lengths[child]).unwrap_or(0.0);
            for k in 0..n {
                asked[k] += anchor[k] + (from[k] - anchor[k]) * scale;
            }
        }
    }
}

/// A sub-base whose branches have all spoken moves to the mean of what they ask for.
fn settle<S: Space>(space: S, points: &mut [f64], sub_base: usize, branches: &mut Branches) {
    let share = 1.0 / f64::from(branches.pulls[sub_base]);
    for k in 0..space.n() {
        let asked = &mut branches.asked[sub_base * space.n() + k];
        points[sub_base * space.n() + k] = *asked * share;
        *asked = 0.0;
    }
}

/// Moves `point` along the line to `anchor` until it is `length` away.
///
/// Where the two coincide there is no line; the point then leaves along the first axis, so that the length holds.
#[inline(always)]
fn drag<S: Space>(space: S, point: &mut [f64], anchor: &[f64], length: f64) {
    if let Some(scale) = scale_to(space, point, anchor, length) {
        for k in 0..space.n() {
            point[k] = anchor[k] + (point[k] - anchor[k]) * scale;
        }
    } else {
        point.copy_from_slice(anchor);
        point[0] += length;
    }
}

/// The factor that brings the distance of two points to `length`; none where they coincide, or are so far apart that the
/// square of their distance overflows.
#[inline(always)]
fn scale_to<S: Space>(space: S, point: &[f64], anchor: &[f64], length: f64) -> Option<f64> {
    let mut squared = 0.0;
    for k in 0..space.n() {
        squared += (point[k] - anchor[k]) * (point[k] - anchor[k]);
    }
    scale_of(squared, length)
}

/// `length` over the root of `squared`; none where that is no ordinary number.
#[inline(always)]
fn scale_of(squared: f64, length: f64) -> Option<f64> {
    // The square root and the quotient do not wait for each other: shorter than length / root.
    (squared > 0.0 && squared < f64::INFINITY).then(|| sqrt(squared) * (length / squared))
}

fn outward<S: Space>(space: S, bones: Bones<'_>, points: &mut [f64], branches: &Branches) {
    let n = space.n();
    for child in (1..bones.parents.len()).filter(|&child| branches.pulls[child] > 0) {
        let parent = bones.parents[child];
        if parent == child {
            continue;
        }
        let (head, tail) = points.split_at_mut(child * n);
        drag(space, &mut tail[..n], &head[parent * n..(parent + 1) * n], bones.lengths[child]);
    }
}
