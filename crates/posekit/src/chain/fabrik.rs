//! FABRIK: forward and backward reaching.
//!
//! Aristidou and Lasenby 2011 \[aristidou11\]: put the tip on its target and drag the other points after it, one bone
//! length apart, to the root (*backward*, from the tips inward); then put the root back and drag the points after it
//! outward (*forward*). Where branches meet, the inward half places the shared point (a *sub-base*) at the mean of what
//! the branches ask for. In any dimension.

use super::{Bones, Goals, Space, in_space};

/// Which points move, and where branches meet: what a step needs to know beyond the bones.
#[derive(Debug, Clone, Default)]
pub struct Branches {
    /// Per point: how many of its children carry an effector in their subtree, plus one if it is an effector itself.
    pulls: Vec<u32>,
    /// Per coordinate of each sub-base: the sum of what its branches ask for.
    asked: Vec<f64>,
}

impl Branches {
    /// Finds out which points move for these effectors. Allocates only while growing.
    pub fn prepare(&mut self, dimension: usize, parents: &[usize], effectors: &[usize]) {
        self.pulls.clear();
        self.pulls.resize(parents.len(), 0);
        self.asked.clear();
        self.asked.resize(parents.len() * dimension, 0.0);
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
    in_space!(dimension, space => inward(space, bones, points, goals, branches));
}

/// The outward half: from the root, which stays, every point is dragged to its bone's length from its parent.
///
/// Points with no effector in their subtree are left where they are; see [`carry`].
pub fn forward(dimension: usize, bones: Bones<'_>, points: &mut [f64], branches: &Branches) {
    in_space!(dimension, space => outward(space, bones, points, branches));
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
    in_space!(dimension, space => {
        let mut anchor = space.row(0.0);
        let tip = lengths.len() * space.n();
        for done in 0..iterations {
            let off = points[tip..].iter().zip(target).map(|(a, b)| (a - b) * (a - b));
            if off.sum::<f64>() <= tolerance * tolerance {
                return done;
            }
            back_and_forth(space, lengths, points, target, &mut anchor);
        }
        iterations
    })
}

/// One iteration on an unbranched chain: [`backward`] and [`forward`], bit for bit, in fewer cycles. Allocates a point
/// above three dimensions.
pub(crate) fn sweep(dimension: usize, lengths: &[f64], points: &mut [f64], target: &[f64]) {
    in_space!(dimension, space => {
        back_and_forth(space, lengths, points, target, &mut space.row(0.0));
    });
}

/// One iteration on an unbranched chain; the point just placed stays in registers for the next to be dragged to, which a call
/// would undo: hence the forced inlining.
#[inline(always)]
fn back_and_forth<S: Space>(
    space: S,
    lengths: &[f64],
    points: &mut [f64],
    target: &[f64],
    anchor: &mut S::Row<f64>,
) {
    let n = space.n();
    let tip = lengths.len() * n;
    points[tip..].copy_from_slice(target);
    anchor.as_mut().copy_from_slice(target);
    let inner = points[..tip].chunks_exact_mut(n).zip(lengths).skip(1);
    for (point, length) in inner.rev() {
        follow(space, point, anchor, *length);
    }
    anchor.as_mut().copy_from_slice(&points[..n]);
    for (point, length) in points[n..].chunks_exact_mut(n).zip(lengths) {
        follow(space, point, anchor, *length);
    }
}

/// Drags a point to the anchor, and makes it the next anchor.
#[inline(always)]
fn follow<S: Space>(space: S, point: &mut [f64], anchor: &mut S::Row<f64>, length: f64) {
    let point = &mut point[..space.n()];
    drag(space, point, anchor.as_ref(), length);
    anchor.as_mut().copy_from_slice(point);
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
    // The square root and the quotient do not wait for each other: shorter than length / root.
    (squared > 0.0 && squared < f64::INFINITY).then(|| squared.sqrt() * (length / squared))
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
