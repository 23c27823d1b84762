//! A frame has a pose, or some of its six coordinates.

use super::condition::{Condition, check_pose, largest};
use super::rows::{Frames, Row, Rows, Unit, Wrench};
use crate::Result;
use crate::math::{Pose, so3_log, so3_right_jacobian_inverse};
use crate::skeleton::Frame;
use glam::{DMat3, DVec3};

/// Which of the six coordinates of a pose are constrained, along and about the axes of the *target*.
///
/// A tool that spins freely about its z constrains all but the last: `Axes::ALL.without_rotation_about_z()`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Axes {
    /// Positions along x, y, z.
    pub along: [bool; 3],
    /// Rotations about x, y, z: components of the rotation vector to the target.
    pub about: [bool; 3],
}

impl Axes {
    /// All six.
    pub const ALL: Self = Self { along: [true; 3], about: [true; 3] };
    /// The three positions.
    pub const ALONG: Self = Self { along: [true; 3], about: [false; 3] };
    /// The three rotations.
    pub const ABOUT: Self = Self { along: [false; 3], about: [true; 3] };

    /// True when all three positions are constrained or none is, and the rotations likewise.
    #[must_use]
    pub(crate) fn are_whole(self) -> bool {
        let whole = |axes: [bool; 3]| axes[0] == axes[1] && axes[1] == axes[2];
        whole(self.along) && whole(self.about) && self != Self::NONE
    }

    /// No coordinate.
    pub const NONE: Self = Self { along: [false; 3], about: [false; 3] };

    /// All but a spin about the target's z.
    #[must_use]
    pub const fn without_rotation_about_z(self) -> Self {
        Self { about: [self.about[0], self.about[1], false], ..self }
    }
}

/// A frame has a pose, or some coordinates of it.
///
/// Up to six rows: positions \[m\], then the rotation vector to the target \[rad\], both in the target's axes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct FramePose {
    /// The end effector.
    pub frame: Frame,
    /// The pose it must have; its rotation of unit length.
    pub world_from_target: Pose,
    /// Which coordinates count.
    pub axes: Axes,
}

impl FramePose {
    /// All six coordinates.
    #[must_use]
    pub const fn new(frame: Frame, world_from_target: Pose) -> Self {
        Self { frame, world_from_target, axes: Axes::ALL }
    }

    /// Only these coordinates.
    #[must_use]
    pub const fn along(self, axes: Axes) -> Self {
        Self { axes, ..self }
    }
}

impl Condition for FramePose {
    fn frames(&self) -> [Option<Frame>; 2] {
        [Some(self.frame), None]
    }

    fn rows(&self, [frame, _]: &Frames, rows: &mut Rows) {
        let target = self.world_from_target;
        let axes = DMat3::from_quat(target.rotation);
        let offset = target.translation - frame.translation;
        for k in (0..3).filter(|&k| self.axes.along[k]) {
            let axis = axes.col(k);
            rows.push(Row::new(Unit::Length, axis.dot(offset), Wrench::push(axis)));
        }
        if self.axes.about == [false; 3] {
            return;
        }
        let rotation_miss = so3_log(target.rotation * frame.rotation.conjugate());
        let gradient = so3_right_jacobian_inverse(rotation_miss).transpose();
        for k in (0..3).filter(|&k| self.axes.about[k]) {
            let axis: DVec3 = axes.col(k);
            let wrench = Wrench::twist(gradient * axis);
            rows.push(Row::new(Unit::Angle, axis.dot(rotation_miss), wrench));
        }
    }

    fn rebase(&mut self, origin: DVec3, by: f64) {
        let at = &mut self.world_from_target.translation;
        *at = (*at - origin) * by;
    }

    fn largest_length(&self) -> f64 {
        largest(self.world_from_target.translation)
    }

    fn is_alike(&self, other: &Self) -> bool {
        self.frame == other.frame && self.axes == other.axes
    }

    fn check(&self, task: usize) -> Result<()> {
        check_pose(self.world_from_target, task)
    }
}

#[cfg(test)]
#[test]
fn gradient() {
    let rotation = glam::DQuat::from_xyzw(0.5, 0.1, -0.4, 0.6).normalize();
    let target = Pose { rotation, translation: DVec3::new(0.4, -1.0, 0.3) };
    let task = FramePose::new(Frame::new(0, Pose::IDENTITY), target);
    for axes in [Axes::ALL, Axes::ALL.without_rotation_about_z(), Axes::ALONG, Axes::ABOUT] {
        let task = task.along(axes);
        super::rows::testing::check_gradient(|frames, rows| task.rows(frames, rows));
    }
}
