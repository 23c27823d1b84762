//! Constraint relaxation: put the effectors on their targets, then bring one bone after the other to its length.
//!
//! A pass visits the bones from the tips inward and moves the ends `a` and `b` of each along it,
//!
//! ```text
//! c = (l / |b − a| − 1) (b − a),   a ← a − c wₐ / (wₐ + w_b),   b ← b + c w_b / (wₐ + w_b)
//! ```
//!
//! with the weights `w` of the points; the root and the effectors stay. Ryan Juckett, *Constraint Relaxation IK in 2D*
//! \[juckett09relax\], in any dimension: the method only ever scales, adds and takes scalar products.

use super::{Bones, Goals, Space, in_space};
use crate::math::sqrt;

/// Thresholds at which a bone is skipped, because it has no direction or nothing to move.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Thresholds {
    /// Squared distance of a bone's ends at or below which they count as coincident.
    pub coincident_squared: f64,
    /// Sum of the weights of a bone's ends at or below which it is skipped.
    pub weight: f64,
}

impl Thresholds {
    /// Scale-free: only ends that exactly coincide and weights that are exactly zero are skipped.
    pub const RELATIVE: Self = Self { coincident_squared: 0.0, weight: 0.0 };

    /// The published constants, absolute, for a chain whose units were multiplied by `scale`.
    #[must_use]
    pub fn published(scale: f64) -> Self {
        Self { coincident_squared: 1e-4 * scale * scale, weight: 1e-4 }
    }
}

/// How relaxed points, whose distances are off, become points at the exact lengths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Reading {
    /// Each bone takes the direction between its relaxed ends: what Juckett's code does.
    #[default]
    Angles,
    /// From the root outward, each point is moved along its bone to the right distance from where its parent now is.
    Remeasured,
    /// The relaxed points as they are, for bones that may stretch.
    Stretched,
}

/// One pass over all bones, tips first.
///
/// - `points`: flat coordinates, changed in place; effectors must stand on their targets already
/// - `held`: true for effectors
/// - `moved`: called after each bone that was moved, with the point at its end and all points
#[inline]
fn pass<S: Space>(
    space: S,
    bones: Bones<'_>,
    points: &mut [f64],
    held: &[bool],
    off: Thresholds,
    moved: &mut impl FnMut(usize, &[f64]),
) {
    for child in (1..bones.parents.len()).rev() {
        let parent = bones.parents[child];
        if parent == child {
            continue;
        }
        let parent_is_root = bones.parents[parent] == parent;
        let (parent_share, child_share) = match (parent_is_root, held[child]) {
            (true, true) => continue,
            (true, false) => (0.0, 1.0),
            (false, true) => (1.0, 0.0),
            (false, false) => {
                let (wp, wc) = (bones.weights[parent], bones.weights[child]);
                if wp + wc <= off.weight {
                    continue;
                }
                (wp / (wp + wc), wc / (wp + wc))
            }
        };
        let n = space.n();
        let (head, tail) = points.split_at_mut(child * n);
        let (from, to) = (&mut head[parent * n..(parent + 1) * n], &mut tail[..n]);
        let mut squared = 0.0;
        for k in 0..n {
            squared += (to[k] - from[k]) * (to[k] - from[k]);
        }
        if squared <= off.coincident_squared {
            continue;
        }
        // The square root and the quotient are independent: length / root, minus one.
        let scale = sqrt(squared) * (bones.lengths[child] / squared) - 1.0;
        for k in 0..n {
            let change = scale * (to[k] - from[k]);
            from[k] -= parent_share * change;
            to[k] += child_share * change;
        }
        moved(child, points);
    }
}

/// Runs `passes` relaxation passes on `points` (`dimension` numbers each), in place.
///
/// - `held`: scratch, one flag per point
///
/// # Degenerate cases
/// Coincident ends and weights that sum to zero keep a bone as it is for this pass; a bone from the root straight to an
/// effector cannot be moved at all and stays stretched.
pub fn relax(
    dimension: usize,
    bones: Bones<'_>,
    points: &mut [f64],
    goals: Goals<'_>,
    held: &mut [bool],
    passes: u32,
    off: Thresholds,
) {
    relax_watched(dimension, bones, points, goals, held, passes, off, &mut |_, _| ());
}

/// [`relax`], and after each bone that was moved `moved` with the point at its end and all points.
#[expect(clippy::too_many_arguments, reason = "those of `relax` and the watcher")]
pub(crate) fn relax_watched(
    dimension: usize,
    bones: Bones<'_>,
    points: &mut [f64],
    goals: Goals<'_>,
    held: &mut [bool],
    passes: u32,
    off: Thresholds,
    moved: &mut impl FnMut(usize, &[f64]),
) {
    held.fill(false);
    for (&effector, target) in goals.effectors.iter().zip(goals.targets.chunks_exact(dimension)) {
        held[effector] = true;
        points[effector * dimension..][..dimension].copy_from_slice(target);
    }
    for _ in 0..passes {
        in_space!(dimension, space => pass(space, bones, points, held, off, moved));
    }
}

/// Reads relaxed points as points at the exact lengths.
///
/// - `relaxed`: the points after [`relax`]
/// - `read`: in: a pose at the exact lengths, out: the reading. Bones whose relaxed ends coincide keep the direction
///   they had here
pub fn read(
    dimension: usize,
    bones: Bones<'_>,
    relaxed: &[f64],
    reading: Reading,
    read: &mut [f64],
) {
    if reading == Reading::Stretched {
        read.copy_from_slice(relaxed);
        return;
    }
    // From the last to the first, points become bone vectors, so that no other buffer is needed.
    let children = (1..bones.parents.len()).filter(|&child| bones.parents[child] != child);
    for child in children.clone().rev() {
        let parent = bones.parents[child];
        for k in 0..dimension {
            read[child * dimension + k] -= read[parent * dimension + k];
        }
    }
    for child in children {
        let parent = bones.parents[child];
        let (from, to) = (parent * dimension, child * dimension);
        let squared: f64 = (0..dimension)
            .map(|k| relaxed[to + k] - base_of(reading, relaxed, read)[from + k])
            .map(|x| x * x)
            .sum();
        let has_direction = squared > 0.0 && squared < f64::INFINITY;
        let scale = bones.lengths[child] / sqrt(squared);
        for k in 0..dimension {
            let along = relaxed[to + k] - base_of(reading, relaxed, read)[from + k];
            let bone = if has_direction { along * scale } else { read[to + k] };
            read[to + k] = read[from + k] + bone;
        }
    }
}

/// The points from which a reading measures directions.
fn base_of<'a>(reading: Reading, relaxed: &'a [f64], read: &'a [f64]) -> &'a [f64] {
    if reading == Reading::Angles { relaxed } else { read }
}
