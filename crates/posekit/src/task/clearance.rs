//! Two capsules keep a distance: self-collision and keep-out.

use super::condition::{Condition, check_length, largest, out_of_range};
use super::rows::{Frames, Row, Rows, Unit, Wrench};
use crate::Result;
use crate::math::{Pose, direction_or, length, perpendicular};
use crate::skeleton::{Frame, Skeleton};
use alloc::vec::Vec;
use glam::DVec3;

/// A segment with a radius, fixed to a joint or to the world. With both ends on one point it is a sphere.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Capsule {
    /// Index of the joint that it is fixed to; `None` for an obstacle in the world.
    pub joint: Option<usize>,
    /// The ends of its segment, in the joint's frame or in the world \[m\].
    pub ends: [DVec3; 2],
    /// At least 0 \[m\].
    pub radius: f64,
}

impl Capsule {
    /// A capsule on a joint.
    #[must_use]
    pub const fn on_joint(joint: usize, ends: [DVec3; 2], radius: f64) -> Self {
        Self { joint: Some(joint), ends, radius }
    }

    /// A sphere fixed in the world.
    #[must_use]
    pub const fn obstacle(center_in_world: DVec3, radius: f64) -> Self {
        Self { joint: None, ends: [center_in_world; 2], radius }
    }

    pub(super) fn frame(&self) -> Option<Frame> {
        self.joint.map(|joint| Frame::new(joint, Pose::IDENTITY))
    }
}

/// Two capsules keep a distance: an arm from the body, a tool from a box. Both are on the skeleton for self-collision, one is in the
/// world for an obstacle.
///
/// One row \[m\]: the gap between the surfaces, which counts only where it is below the margin. Radii, ends and margin may be up to 1e100 in size.
///
/// # Degenerate cases
/// Segments that cross are pushed apart along their common perpendicular, segments on one line along a fixed perpendicular
/// to it.
/// # Method
/// Closest points of two segments \[ericson05\], section 5.1.9.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Clearance {
    /// The two capsules.
    pub capsules: [Capsule; 2],
    /// Least gap between their surfaces \[m\].
    pub margin: f64,
}

impl Clearance {
    /// Two capsules with at least this gap.
    #[must_use]
    pub const fn new(capsules: [Capsule; 2], margin: f64) -> Self {
        Self { capsules, margin }
    }

    /// A task for every two of these capsules, except two on the same joint, or on a joint and the next above it that moves.
    #[must_use]
    pub fn all_pairs(skeleton: &Skeleton, capsules: &[Capsule], margin: f64) -> Vec<Self> {
        let mut pairs = Vec::new();
        for (i, &a) in capsules.iter().enumerate() {
            for &b in &capsules[i + 1..] {
                if !are_neighbours(skeleton, a.joint, b.joint) {
                    pairs.push(Self::new([a, b], margin));
                }
            }
        }
        pairs
    }
}

impl Condition for Clearance {
    fn frames(&self) -> [Option<Frame>; 2] {
        self.capsules.map(|capsule| capsule.frame())
    }

    fn rows(&self, frames: &Frames, rows: &mut Rows) {
        let [a, b] = self.capsules;
        let ends = |k: usize| self.capsules[k].ends.map(|end| frames[k].transform_point(end));
        let (first, second) = (ends(0), ends(1));
        let [on_a, on_b] = closest_points(first, second);
        let apart = on_a - on_b;
        let out = if apart == DVec3::ZERO {
            common_perpendicular(first, second)
        } else {
            direction_or(apart, DVec3::X)
        };
        let gap = length(apart) - a.radius - b.radius;
        let wrench = |frame: &Pose, at: DVec3, force: DVec3| Wrench {
            force,
            moment: (at - frame.translation).cross(force),
        };
        let (on_first, on_second) = (wrench(&frames[0], on_a, out), wrench(&frames[1], on_b, -out));
        rows.push(Row::between(Unit::Length, self.margin - gap, on_first, on_second).floor());
    }

    fn rebase(&mut self, origin: DVec3, by: f64) {
        self.margin *= by;
        for capsule in &mut self.capsules {
            let origin = if capsule.joint.is_none() { origin } else { DVec3::ZERO };
            capsule.radius *= by;
            capsule.ends = capsule.ends.map(|end| (end - origin) * by);
        }
    }

    fn largest_length(&self) -> f64 {
        self.capsules.iter().fold(self.margin.abs(), |most, capsule| {
            let [a, b] = capsule.ends.map(largest);
            most.max(a).max(b).max(capsule.radius)
        })
    }

    fn is_alike(&self, other: &Self) -> bool {
        self.capsules.map(|capsule| capsule.joint) == other.capsules.map(|capsule| capsule.joint)
    }

    fn check(&self, task: usize) -> Result<()> {
        let radii = self.capsules.map(|capsule| capsule.radius);
        let ends = self.capsules.iter().flat_map(|capsule| capsule.ends);
        let mut lengths = ends.flat_map(|end| end.to_array()).chain(radii).chain([self.margin]);
        lengths.try_for_each(|length| check_length(length, task))?;
        match radii.into_iter().find(|&radius| radius < 0.0) {
            Some(radius) => out_of_range("task radius", task, radius, "at least 0"),
            None => Ok(()),
        }
    }
}

/// The direction in which two segments that meet are separated.
fn common_perpendicular(first: [DVec3; 2], second: [DVec3; 2]) -> DVec3 {
    let (u, v) = (first[1] - first[0], second[1] - second[0]);
    let along = if u == DVec3::ZERO && v == DVec3::ZERO { DVec3::X } else { u + v };
    let across = u.cross(v);
    if across == DVec3::ZERO { perpendicular(along) } else { direction_or(across, DVec3::X) }
}

/// The same joint, or a joint and the next above it that moves: these touch by design. A joint that does not exist has no neighbours; the task's check refuses it.
fn are_neighbours(skeleton: &Skeleton, a: Option<usize>, b: Option<usize>) -> bool {
    let exists = |joint: &Option<usize>| joint.is_none_or(|joint| joint < skeleton.n_joints());
    if ![a, b].iter().all(exists) {
        return false;
    }
    let mover = |joint: Option<usize>| {
        joint.and_then(|joint| skeleton.ancestors(joint).find(|&i| skeleton.kind(i).n_dofs() > 0))
    };
    let above = |joint: Option<usize>| mover(joint.and_then(|joint| skeleton.parent(joint)));
    let (a, b) = (mover(a), mover(b));
    a == b || above(a) == b || above(b) == a
}

/// The points of two segments that are nearest to each other.
fn closest_points(a: [DVec3; 2], b: [DVec3; 2]) -> [DVec3; 2] {
    let (u, v, w) = (a[1] - a[0], b[1] - b[0], a[0] - b[0]);
    let (uu, vv, uv) = (u.length_squared(), v.length_squared(), u.dot(v));
    let (uw, vw) = (u.dot(w), v.dot(w));
    let part = |x: f64, whole: f64| if whole > 0.0 { (x / whole).clamp(0.0, 1.0) } else { 0.0 };
    // The nearest point of the first line to the second, then of the second segment to that point, then of the first to that.
    let det = uu * vv - uv * uv;
    let s = if det > 1e-12 * uu * vv { part(uv * vw - vv * uw, det) } else { 0.5 };
    let t = part(uv * s + vw, vv);
    let s = part(uv * t - uw, uu);
    [a[0] + u * s, b[0] + v * t]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capsules(length: f64) -> [Capsule; 2] {
        let a = [DVec3::new(0.1, 0.0, 0.0), DVec3::new(0.1, length, 0.2 * length)];
        let b = [DVec3::new(0.0, 0.3, 0.1), DVec3::new(length, 0.3, 0.1)];
        [Capsule::on_joint(0, a, 0.05), Capsule::on_joint(1, b, 0.07)]
    }

    #[test]
    fn gradient() {
        for length in [0.0, 0.3] {
            let task = Clearance::new(capsules(length), 0.02);
            super::super::rows::testing::check_gradient(|frames, rows| task.rows(frames, rows));
        }
    }

    #[test]
    fn closest_points_of_segments() {
        let (x, y) = (DVec3::X, DVec3::Y);
        let at = closest_points([DVec3::ZERO, x * 2.0], [x + y, x + y * 3.0]);
        assert_eq!(at, [x, x + y]);
        // Beyond an end.
        assert_eq!(closest_points([DVec3::ZERO, x], [x * 3.0, x * 4.0 + y]), [x, x * 3.0]);
        // A point.
        assert_eq!(closest_points([y, y], [DVec3::ZERO, x]), [y, DVec3::ZERO]);
        // Parallel: any pair at the least distance.
        let [p, q] = closest_points([DVec3::ZERO, x], [y, x + y]);
        assert_eq!(p.distance(q), 1.0);
    }

    #[test]
    fn brute_force_finds_no_nearer_points() {
        for k in 0..200 {
            let r = |i: u32| {
                let x = (1.0 + f64::from(i)).sqrt() * f64::from(k * 7 + 1);
                x - x.floor()
            };
            let p = |i| DVec3::new(r(i), r(i + 1), r(i + 2));
            let (a, b) = ([p(1), p(11)], [p(21), p(31)]);
            let [on_a, on_b] = closest_points(a, b);
            let least = on_a.distance(on_b);
            for i in 0..=20 {
                for j in 0..=20 {
                    let (s, t) = (f64::from(i) / 20.0, f64::from(j) / 20.0);
                    assert!(a[0].lerp(a[1], s).distance(b[0].lerp(b[1], t)) >= least - 1e-12);
                }
            }
        }
    }
}
