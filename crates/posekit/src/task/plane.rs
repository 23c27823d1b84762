//! A frame's origin stays on a plane, or on one side of it.

use super::rows::{Frames, Row, Rows, Unit, Wrench};
use crate::math::direction_or;
use crate::skeleton::Frame;
use glam::DVec3;

/// A frame's origin stays on a plane, or on one side of it: a pencil on paper, a foot that does not sink into the floor.
///
/// One row \[m\].
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Plane {
    /// The end effector.
    pub frame: Frame,
    /// A point of the plane, in world coordinates \[m\].
    pub point_in_world: DVec3,
    /// Its normal, in world axes; of any length but zero.
    pub normal_in_world: DVec3,
    /// The side that the normal points to is allowed, too: the row counts only on the other side.
    pub is_one_sided: bool,
}

impl Plane {
    /// On the plane.
    #[must_use]
    pub const fn new(frame: Frame, point_in_world: DVec3, normal_in_world: DVec3) -> Self {
        Self { frame, point_in_world, normal_in_world, is_one_sided: false }
    }

    /// On the plane or anywhere on the side that its normal points to.
    #[must_use]
    pub const fn one_sided(self) -> Self {
        Self { is_one_sided: true, ..self }
    }

    pub(super) fn rows(&self, [frame, _]: &Frames, rows: &mut impl Rows) {
        let normal = direction_or(self.normal_in_world, DVec3::ZERO);
        let miss = normal.dot(self.point_in_world - frame.translation);
        let row = Row::new(Unit::Length, miss, Wrench::push(normal));
        rows.push(if self.is_one_sided { row.floor() } else { row });
    }

    pub(super) fn scale(&mut self, by: f64) {
        self.point_in_world *= by;
    }
}

#[cfg(test)]
#[test]
fn gradient() {
    let frame = Frame::new(0, crate::math::Pose::IDENTITY);
    let task = Plane::new(frame, DVec3::new(0.1, 0.2, 3.0), DVec3::new(1.0, 2.0, 2.0));
    super::rows::testing::check_gradient(|frames, rows| task.rows(frames, rows));
    super::rows::testing::check_gradient(|frames, rows| task.one_sided().rows(frames, rows));
}
