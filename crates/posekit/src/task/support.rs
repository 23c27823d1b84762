//! The centre of mass is above a polygon: balance.

use super::center_of_mass::{Body, check_bodies};
use super::condition::{Condition, check_finite};
use super::rows::{Frames, Row, Rows, Unit, Wrench};
use crate::math::direction_or;
use crate::skeleton::Skeleton;
use crate::{ErrorKind, Result};
use alloc::sync::Arc;
use alloc::vec::Vec;
use glam::DVec3;

/// The scale of a polygon before a solver scales it.
#[cfg(feature = "serde")]
fn unscaled() -> f64 {
    1.0
}

/// One side of the polygon: `normal · x >= offset` inside.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct Side {
    inward: DVec3,
    offset: f64,
}

/// The centre of mass is above a polygon, the hull of the feet seen along the vertical: the condition of static balance.
///
/// One row \[m\] for each side of the polygon, which counts only where the centre is outside or within the margin of the side.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Support {
    pub(super) bodies: Arc<[Body]>,
    sides: Arc<[Side]>,
    /// Displacement of the origin, then factor of all lengths, since the sides were computed.
    #[cfg_attr(feature = "serde", serde(skip))]
    origin: DVec3,
    #[cfg_attr(feature = "serde", serde(skip, default = "unscaled"))]
    scale: f64,
    margin: f64,
}

impl Support {
    /// Over the convex hull of some points.
    ///
    /// - `bodies`: the bodies, of a total mass above 0
    /// - `corners`: any points on the ground, in world coordinates, in any order \[m\]; those inside the hull change nothing
    /// - `up_in_world`: the vertical, of any length but zero
    /// - `margin`: least distance of the centre from the sides; in a hull too narrow for it, the largest possible \[m\]
    ///
    /// # Errors
    /// `Error::is_not_finite`, `Error::is_degenerate` for the vertical, `Error::is_out_of_range` for the margin, `Error::is_wrong_length` without corners.
    ///
    /// # Degenerate cases
    /// One corner is a point and two are a line on which the centre must be.
    /// # Method
    /// Monotone chain \[andrew79\].
    pub fn try_new(
        bodies: impl Into<Arc<[Body]>>,
        corners: &[DVec3],
        up_in_world: DVec3,
        margin: f64,
    ) -> Result<Self> {
        if let Some(index) = corners.iter().position(|corner| !corner.is_finite()) {
            return Err(ErrorKind::NonFinite { what: "support corners", index }.into());
        }
        if corners.is_empty() {
            return Err(ErrorKind::Length { what: "support corners", expected: 1, found: 0 }.into());
        }
        if !margin.is_finite() || margin < 0.0 {
            return Err(ErrorKind::Negative { what: "support margin", value: margin }.into());
        }
        if !up_in_world.is_finite() {
            return Err(ErrorKind::NonFinite { what: "support vertical", index: 0 }.into());
        }
        let up = direction_or(up_in_world, DVec3::ZERO);
        if up == DVec3::ZERO {
            return Err(ErrorKind::ZeroLength { what: "support vertical" }.into());
        }
        let sides = sides_of_hull(corners, up);
        Ok(Self {
            bodies: bodies.into(),
            sides: sides.into(),
            origin: DVec3::ZERO,
            scale: 1.0,
            margin,
        })
    }

    /// How far a side is from the origin.
    fn offset(&self, side: &Side) -> f64 {
        (side.offset - side.inward.dot(self.origin)) * self.scale
    }
}

impl Condition for Support {
    fn bodies(&self) -> Option<&Arc<[Body]>> {
        Some(&self.bodies)
    }

    fn rows(&self, [center, _]: &Frames, rows: &mut Rows) {
        let center = center.translation;
        for side in self.sides.iter() {
            let room = side.inward.dot(center) - self.offset(side) - self.margin;
            rows.push(Row::new(Unit::Length, -room, Wrench::push(side.inward)).floor());
        }
    }

    fn rebase(&mut self, origin: DVec3, by: f64) {
        self.origin += origin / self.scale;
        self.margin *= by;
        self.scale *= by;
    }

    fn largest_length(&self) -> f64 {
        self.sides.iter().fold(self.margin, |m, side| m.max(self.offset(side).abs()))
    }

    fn is_alike(&self, other: &Self) -> bool {
        self.bodies == other.bodies && self.sides.len() == other.sides.len()
    }

    fn check(&self, task: usize) -> Result<()> {
        // Data that were read from elsewhere may have sides that no hull has.
        let is_side = |side: &Side| side.inward.is_normalized() && side.offset.is_finite();
        let is_polygon = self.sides.iter().all(is_side) && self.margin.is_finite();
        check_finite(is_polygon, task)
    }

    fn check_on(&self, skeleton: &Skeleton, task: usize) -> Result<()> {
        check_bodies(&self.bodies, skeleton, task)
    }
}

/// The half-spaces whose intersection is the hull's prism along `up`.
fn sides_of_hull(corners: &[DVec3], up: DVec3) -> Vec<Side> {
    let (x, y) = up.any_orthonormal_pair();
    let mut flat: Vec<(f64, f64)> = corners.iter().map(|p| (p.dot(x), p.dot(y))).collect();
    flat.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    flat.dedup();
    let mut hull = half_hull(flat.iter().copied());
    hull.extend(half_hull(flat.iter().rev().copied()));
    let side = |from: (f64, f64), inward: DVec3| Side {
        inward,
        offset: inward.dot(x * from.0 + y * from.1),
    };
    if let [point] = flat[..] {
        return [x, -x, y, -y].into_iter().map(|inward| side(point, inward)).collect();
    }
    let unit = |v: DVec3| (v != DVec3::ZERO).then(|| direction_or(v, DVec3::X));
    let mut sides: Vec<Side> = Vec::new();
    for (k, &from) in hull.iter().enumerate() {
        let to = hull[(k + 1) % hull.len()];
        let along = x * (to.0 - from.0) + y * (to.1 - from.1);
        sides.extend(unit(up.cross(along)).map(|inward| side(from, inward)));
        if hull.len() == 2 {
            // A line also ends.
            sides.extend(unit(along).map(|inward| side(from, inward)));
        }
    }
    sides
}

/// The points of the left-hand hull along sorted points, without the last.
fn half_hull(points: impl Iterator<Item = (f64, f64)>) -> Vec<(f64, f64)> {
    let mut hull: Vec<(f64, f64)> = Vec::new();
    for p in points {
        while let [.., a, b] = hull[..] {
            let cross = (b.0 - a.0) * (p.1 - b.1) - (b.1 - a.1) * (p.0 - b.0);
            if cross > 0.0 {
                break;
            }
            hull.pop();
        }
        hull.push(p);
    }
    hull.pop();
    hull
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Pose;

    fn outside(corners: &[DVec3], margin: f64, center: DVec3) -> f64 {
        let task = Support::try_new(Vec::new(), corners, DVec3::Z, margin).unwrap();
        let mut rows: Rows = Vec::new();
        task.rows(&[Pose::from_translation(center), Pose::IDENTITY], &mut rows);
        rows.iter().map(|row| row.reading.counted() * row.reading.counted()).sum::<f64>().sqrt()
    }

    #[test]
    fn gradient() {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::ONE];
        let task = Support::try_new(Vec::new(), &corners, DVec3::new(0.1, 0.0, 1.0), 0.1).unwrap();
        super::super::rows::testing::check_gradient(|frames, rows| {
            task.rows(frames, rows);
        });
    }

    #[test]
    fn inside_and_outside_of_a_square() {
        let p = |x, y| DVec3::new(x, y, 7.0);
        let square = [p(1.0, 1.0), p(0.0, 0.0), p(0.5, 0.5), p(1.0, 0.0), p(0.0, 1.0)];
        assert_eq!(outside(&square, 0.0, DVec3::new(0.3, 0.9, -3.0)), 0.0);
        assert!((outside(&square, 0.0, DVec3::new(1.3, 0.5, 0.0)) - 0.3).abs() < 1e-15);
        assert!((outside(&square, 0.1, DVec3::new(0.95, 0.5, 0.0)) - 0.05).abs() < 1e-15);
        assert!((outside(&square, 0.0, DVec3::new(1.3, 1.4, 0.0)) - 0.5).abs() < 1e-15);
    }

    #[test]
    fn lines_and_points() {
        let line = [DVec3::ZERO, DVec3::X, DVec3::X * 0.5];
        assert!(outside(&line, 0.0, DVec3::new(0.5, 0.0, 2.0)) < 1e-15);
        assert!((outside(&line, 0.0, DVec3::new(0.5, 0.2, 2.0)) - 0.2).abs() < 1e-15);
        assert!((outside(&line, 0.0, DVec3::new(1.3, 0.4, 2.0)) - 0.5).abs() < 1e-15);
        assert!((outside(&[DVec3::X; 2], 0.0, DVec3::new(1.3, 0.4, 2.0)) - 0.5).abs() < 1e-15);
    }
}
