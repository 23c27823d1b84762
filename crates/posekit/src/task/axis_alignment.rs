//! A frame's axis has a direction.

use super::condition::{Condition, check_direction};
use super::rows::{Frames, Row, Rows, Unit, Wrench, push_axes};
use crate::Result;
use crate::math::direction_or;
use crate::skeleton::Frame;
use glam::DVec3;

/// A frame's axis has a direction: a cup held upright, a foot flat on the floor, a welding torch along its seam.
///
/// Three rows \[1\]: the direction minus the axis, both of unit length, so that a miss by an angle counts like
/// `2 sin(angle / 2)`. The rotation about the axis stays free.
///
/// # Degenerate cases
/// With the axis exactly opposite to its direction the gradient is zero: a stall, which solvers escape as any other.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct AxisAlignment {
    /// The end effector.
    pub frame: Frame,
    /// The axis, in the frame; of any length but zero.
    pub axis_in_frame: DVec3,
    /// Its direction, in world axes; of any length but zero.
    pub direction_in_world: DVec3,
}

impl AxisAlignment {
    /// The axis of a frame along a direction.
    #[must_use]
    pub const fn new(frame: Frame, axis_in_frame: DVec3, direction_in_world: DVec3) -> Self {
        Self { frame, axis_in_frame, direction_in_world }
    }
}

impl Condition for AxisAlignment {
    fn frames(&self) -> [Option<Frame>; 2] {
        [Some(self.frame), None]
    }

    fn rows(&self, [frame, _]: &Frames, rows: &mut Rows) {
        let axis = frame.rotation * direction_or(self.axis_in_frame, DVec3::ZERO);
        let target = direction_or(self.direction_in_world, axis);
        push_axes(rows, DVec3::AXES, |k, unit| {
            Row::new(Unit::Chord, target[k] - axis[k], Wrench::twist(axis.cross(unit)))
        });
    }

    fn rebase(&mut self, _: DVec3, _: f64) {}

    fn check(&self, task: usize) -> Result<()> {
        check_direction(self.axis_in_frame, task)?;
        check_direction(self.direction_in_world, task)
    }
}

#[cfg(test)]
#[test]
fn gradient() {
    let frame = Frame::new(0, crate::math::Pose::IDENTITY);
    let task = AxisAlignment::new(frame, DVec3::new(1.0, 3.0, 4.0), DVec3::new(4.0, 1.0, -2.0));
    super::rows::testing::check_gradient(|frames, rows| task.rows(frames, rows));
}
