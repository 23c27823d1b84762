//! A frame's axis points at a point.

use super::condition::{Condition, check_direction, check_finite, largest};
use super::rows::{Frames, Row, Rows, Unit, Wrench, push_axes};
use crate::Result;
use crate::math::{direction_or, length};
use crate::skeleton::Frame;
use glam::DVec3;

/// A frame's axis points at a point: eyes, heads, cameras, lamps.
///
/// Three rows \[1\]: the direction to the target minus the axis, both of unit length, so that a miss by an angle counts like
/// `2 sin(angle / 2)`. The rotation about the axis stays free.
///
/// # Degenerate cases
/// A target at the frame's origin has no direction, and the miss is zero. With the axis pointing exactly away from its target the
/// gradient is zero: a stall, which solvers escape as any other.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct LookAt {
    /// The frame that looks.
    pub frame: Frame,
    /// The axis that points at the target, in the frame; of any length but zero.
    pub axis_in_frame: DVec3,
    /// The point it looks at, in world coordinates \[m\].
    pub target_in_world: DVec3,
}

impl LookAt {
    /// The axis of a frame, pointing at a point.
    #[must_use]
    pub const fn new(frame: Frame, axis_in_frame: DVec3, target_in_world: DVec3) -> Self {
        Self { frame, axis_in_frame, target_in_world }
    }
}

impl Condition for LookAt {
    fn frames(&self) -> [Option<Frame>; 2] {
        [Some(self.frame), None]
    }

    fn rows(&self, [frame, _]: &Frames, rows: &mut Rows) {
        let axis = frame.rotation * direction_or(self.axis_in_frame, DVec3::ZERO);
        let line = self.target_in_world - frame.translation;
        let distance = length(line);
        let target = direction_or(line, axis);
        let per_metre = if distance > 0.0 { distance.recip() } else { 0.0 };
        push_axes(rows, DVec3::AXES, |k, unit| {
            // A motion of the origin across the line to the target rotates that line in the opposite direction: by motion / distance.
            let force = (unit - target * target[k]) * per_metre;
            let wrench = Wrench { force, moment: axis.cross(unit) };
            Row::new(Unit::Chord, target[k] - axis[k], wrench)
        });
    }

    fn rebase(&mut self, origin: DVec3, by: f64) {
        self.target_in_world = (self.target_in_world - origin) * by;
    }

    fn largest_length(&self) -> f64 {
        largest(self.target_in_world)
    }

    fn check(&self, task: usize) -> Result<()> {
        check_finite(self.target_in_world.is_finite(), task)?;
        check_direction(self.axis_in_frame, task)
    }
}

#[cfg(test)]
#[test]
fn gradient() {
    let frame = Frame::new(0, crate::math::Pose::IDENTITY);
    let task = LookAt::new(frame, DVec3::new(0.0, 3.0, 4.0), DVec3::new(4.0, 1.0, -2.0));
    super::rows::testing::check_gradient(|frames, rows| task.rows(frames, rows));
}
