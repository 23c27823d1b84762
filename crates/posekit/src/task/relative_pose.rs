//! A frame has a pose relative to another.

use super::condition::{Condition, check_pose, largest};
use super::pose::Axes;
use super::rows::{Frames, Row, Rows, Unit, Wrench};
use crate::Result;
use crate::math::{Pose, so3_log, so3_right_jacobian_inverse};
use crate::skeleton::Frame;
use glam::{DMat3, DVec3};

/// A frame has a pose, or some coordinates of it, relative to another frame: a hand on the other hand, a tool in front of the eyes.
///
/// Up to six rows: positions \[m\], then the rotation vector to the target \[rad\], both in the axes of the first frame.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct RelativePose {
    /// The reference frame, and the other frame.
    pub frames: [Frame; 2],
    /// The pose that the second must have in the first; its rotation of unit length.
    pub a_from_target: Pose,
    /// Which coordinates count, along and about the axes of the first frame.
    pub axes: Axes,
}

impl RelativePose {
    /// All six coordinates.
    #[must_use]
    pub const fn new(frames: [Frame; 2], a_from_target: Pose) -> Self {
        Self { frames, a_from_target, axes: Axes::ALL }
    }

    /// Only these coordinates.
    #[must_use]
    pub const fn along(self, axes: Axes) -> Self {
        Self { axes, ..self }
    }
}

impl Condition for RelativePose {
    fn frames(&self) -> [Option<Frame>; 2] {
        self.frames.map(Some)
    }

    fn rows(&self, [a, b]: &Frames, rows: &mut Rows) {
        let (offset, axes) = (b.translation - a.translation, DMat3::from_quat(a.rotation));
        for k in (0..3).filter(|&k| self.axes.along[k]) {
            let axis = axes.col(k);
            // The axis rotates with the first frame.
            let on_first = Wrench { force: -axis, moment: axis.cross(offset) };
            let miss = self.a_from_target.translation[k] - axis.dot(offset);
            rows.push(Row::between(Unit::Length, miss, on_first, Wrench::push(axis)));
        }
        if self.axes.about == [false; 3] {
            return;
        }
        let a_from_b = a.rotation.conjugate() * b.rotation;
        let rotation_miss = so3_log(self.a_from_target.rotation * a_from_b.conjugate());
        let gradient = axes * so3_right_jacobian_inverse(rotation_miss).transpose();
        for k in (0..3).filter(|&k| self.axes.about[k]) {
            let wrench = Wrench::twist(gradient.col(k));
            rows.push(Row::between(Unit::Angle, rotation_miss[k], -wrench, wrench));
        }
    }

    fn rebase(&mut self, _: DVec3, by: f64) {
        self.a_from_target.translation *= by;
    }

    fn largest_length(&self) -> f64 {
        largest(self.a_from_target.translation)
    }

    fn is_alike(&self, other: &Self) -> bool {
        self.frames == other.frames && self.axes == other.axes
    }

    fn check(&self, task: usize) -> Result<()> {
        check_pose(self.a_from_target, task)
    }
}

#[cfg(test)]
#[test]
fn gradient() {
    let rotation = glam::DQuat::from_xyzw(0.5, 0.1, -0.4, 0.6).normalize();
    let target = Pose { rotation, translation: DVec3::new(0.4, -1.0, 0.3) };
    let task = RelativePose::new([Frame::new(0, Pose::IDENTITY); 2], target);
    super::rows::testing::check_gradient(|frames, rows| task.rows(frames, rows));
}
