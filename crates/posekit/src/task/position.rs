//! A frame's origin stands on a point.

use crate::math::Pose;
use crate::skeleton::Frame;
use glam::DVec3;

/// A frame's origin stands on a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Position {
    /// The end effector.
    pub frame: Frame,
    /// Where its origin must stand, in world coordinates \[m\].
    pub target_in_world: DVec3,
    /// How much it counts against other tasks, at least 0: twice the weight counts like the same miss twice. Default 1.
    pub weight: f64,
}

impl Position {
    /// A task of weight 1.
    #[must_use]
    pub const fn new(frame: Frame, target_in_world: DVec3) -> Self {
        Self { frame, target_in_world, weight: 1.0 }
    }

    /// The miss: target minus effector, in world axes \[m\].
    #[must_use]
    pub fn residual(&self, world_from_frame: Pose) -> DVec3 {
        self.target_in_world - world_from_frame.translation
    }

    /// How the effector moves when it is turned about `axis` (unit, world) through `center` (world): a Jacobian column, per
    /// radian \[m\].
    #[must_use]
    pub fn turned_about(world_from_frame: Pose, center: DVec3, axis: DVec3) -> DVec3 {
        axis.cross(world_from_frame.translation - center)
    }
}
