//! A frame's origin is at a point.

use super::condition::{Condition, check_finite, largest};
use super::rows::{Frames, Row, Rows, Unit, Wrench, push_axes};
use crate::Result;
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
    /// The target of its origin, in world coordinates \[m\].
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
}

impl Condition for Position {
    fn frames(&self) -> [Option<Frame>; 2] {
        [Some(self.frame), None]
    }

    fn rows(&self, [frame, _]: &Frames, rows: &mut Rows) {
        let miss = self.residual(*frame);
        push_axes(rows, DVec3::AXES, |k, axis| Row::new(Unit::Length, miss[k], Wrench::push(axis)));
    }

    fn rebase(&mut self, origin: DVec3, by: f64) {
        self.target_in_world = (self.target_in_world - origin) * by;
    }

    fn largest_length(&self) -> f64 {
        largest(self.target_in_world)
    }

    fn check(&self, task: usize) -> Result<()> {
        check_finite(self.target_in_world.is_finite(), task)
    }
}

#[cfg(test)]
#[test]
fn gradient() {
    let task = Position::new(Frame::new(0, Pose::IDENTITY), DVec3::new(0.1, 2.0, -1.0));
    super::rows::testing::check_gradient(|frames, rows| task.rows(frames, rows));
}
