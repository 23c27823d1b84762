//! A frame's origin stays on a plane, or on one side of it.

use super::condition::{Condition, check_direction, check_finite, largest};
use super::rows::{Frames, Row, Rows, Unit, Wrench};
use crate::Result;
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
}

impl Condition for Plane {
    fn frames(&self) -> [Option<Frame>; 2] {
        [Some(self.frame), None]
    }

    fn rows(&self, [frame, _]: &Frames, rows: &mut Rows) {
        let normal = direction_or(self.normal_in_world, DVec3::ZERO);
        let miss = normal.dot(self.point_in_world - frame.translation);
        let row = Row::new(Unit::Length, miss, Wrench::push(normal));
        rows.push(if self.is_one_sided { row.floor() } else { row });
    }

    fn rebase(&mut self, origin: DVec3, by: f64) {
        self.point_in_world = (self.point_in_world - origin) * by;
    }

    fn largest_length(&self) -> f64 {
        largest(self.point_in_world)
    }

    fn check(&self, task: usize) -> Result<()> {
        check_finite(self.point_in_world.is_finite(), task)?;
        check_direction(self.normal_in_world, task)
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
