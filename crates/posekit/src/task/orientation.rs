//! A frame has an orientation.

use super::condition::{Condition, check_rotation};
use super::rows::{Frames, Row, Rows, Unit, Wrench, push_axes};
use crate::Result;
use crate::math::{Pose, so3_log, so3_right_jacobian_inverse};
use crate::skeleton::Frame;
use glam::{DQuat, DVec3};

/// A frame has an orientation.
///
/// Three rows \[rad\]: the rotation vector from the frame's orientation to its target, in world axes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Orientation {
    /// The end effector.
    pub frame: Frame,
    /// Its target orientation: the rotation from its axes to the world's, of unit length.
    pub world_from_target: DQuat,
}

impl Orientation {
    /// This frame to this orientation.
    #[must_use]
    pub const fn new(frame: Frame, world_from_target: DQuat) -> Self {
        Self { frame, world_from_target }
    }

    /// The residual: the rotation vector, in world axes, of the shorter rotation from the effector to its target \[rad\].
    #[must_use]
    pub fn residual(&self, world_from_frame: Pose) -> DVec3 {
        so3_log(self.world_from_target * world_from_frame.rotation.conjugate())
    }
}

impl Condition for Orientation {
    fn frames(&self) -> [Option<Frame>; 2] {
        [Some(self.frame), None]
    }

    // The miss is log(T R⁻¹); rotating the frame by ω makes it log(exp(miss) exp(−ω)) = miss − J_r⁻¹(miss) ω.
    fn rows(&self, [frame, _]: &Frames, rows: &mut Rows) {
        let miss = self.residual(*frame);
        let gradient = so3_right_jacobian_inverse(miss).transpose();
        push_axes(rows, DVec3::AXES, |k, _| {
            Row::new(Unit::Angle, miss[k], Wrench::twist(gradient.col(k)))
        });
    }

    fn rebase(&mut self, _: DVec3, _: f64) {}

    fn check(&self, task: usize) -> Result<()> {
        check_rotation("task target", self.world_from_target, task)
    }
}

#[cfg(test)]
#[test]
fn gradient() {
    let target = DQuat::from_xyzw(0.5, 0.1, -0.4, 0.6).normalize();
    let task = Orientation::new(Frame::new(0, Pose::IDENTITY), target);
    super::rows::testing::check_gradient(|frames, rows| task.rows(frames, rows));
}
