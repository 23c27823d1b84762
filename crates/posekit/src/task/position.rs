//! A frame's origin is at a point.

use super::rows::{Frames, Row, Rows, Unit, Wrench, push_axes};
use crate::math::Pose;
use crate::skeleton::Frame;
use glam::DVec3;

/// A frame's origin is at a point.
///
/// Three rows \[m\], in world axes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Position {
    /// The end effector.
    pub frame: Frame,
    /// Where its origin must stand, in world coordinates \[m\].
    pub target_in_world: DVec3,
}

impl Position {
    /// This frame onto this point.
    #[must_use]
    pub const fn new(frame: Frame, target_in_world: DVec3) -> Self {
        Self { frame, target_in_world }
    }

    /// The miss: target minus effector, in world axes \[m\].
    #[must_use]
    pub fn residual(&self, world_from_frame: Pose) -> DVec3 {
        self.target_in_world - world_from_frame.translation
    }

    pub(super) fn rows(&self, [frame, _]: &Frames, rows: &mut impl Rows) {
        let miss = self.residual(*frame);
        push_axes(rows, DVec3::AXES, |k, axis| Row::new(Unit::Length, miss[k], Wrench::push(axis)));
    }

    pub(super) fn scale(&mut self, by: f64) {
        self.target_in_world *= by;
    }
}

#[cfg(test)]
#[test]
fn gradient() {
    let task = Position::new(Frame::new(0, Pose::IDENTITY), DVec3::new(0.1, 2.0, -1.0));
    super::rows::testing::check_gradient(|frames, rows| task.rows(frames, rows));
}
