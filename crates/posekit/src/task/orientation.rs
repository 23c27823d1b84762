//! A frame has an orientation.

use crate::math::{Pose, so3_log};
use crate::skeleton::Frame;
use glam::{DQuat, DVec3};

/// A frame has an orientation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Orientation {
    /// The end effector.
    pub frame: Frame,
    /// The orientation it must have: the rotation from its axes to the world's, of unit length.
    pub world_from_target: DQuat,
    /// How much it counts against other tasks, at least 0. At 1, a miss of one radian counts like a miss in position by the
    /// reach of the chain. Default 1.
    pub weight: f64,
}

impl Orientation {
    /// A task of weight 1.
    #[must_use]
    pub const fn new(frame: Frame, world_from_target: DQuat) -> Self {
        Self { frame, world_from_target, weight: 1.0 }
    }

    /// The miss: the rotation vector, in world axes, that turns the effector into its target the short way \[rad\].
    #[must_use]
    pub fn residual(&self, world_from_frame: Pose) -> DVec3 {
        so3_log(self.world_from_target * world_from_frame.rotation.conjugate())
    }
}
