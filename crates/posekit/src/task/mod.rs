//! Tasks: what must hold.
//!
//! A task speaks about a frame of the skeleton (the end effector) and gives it a target. Each kind of task is one file
//! with its residual and the rows of its Jacobian.

mod orientation;
mod position;

pub use orientation::Orientation;
pub use position::Position;

use crate::skeleton::{Frame, Skeleton};
use crate::{Error, Result};

/// Something that must hold for the pose to be right.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Task {
    /// A frame's origin stands on a point.
    Position(Position),
    /// A frame has an orientation.
    Orientation(Orientation),
}

impl Task {
    /// The frame the task speaks about.
    #[must_use]
    pub const fn frame(&self) -> Frame {
        match self {
            Self::Position(task) => task.frame,
            Self::Orientation(task) => task.frame,
        }
    }

    /// Refuses what no solver could use.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a frame on a joint that is not there, a weight that is not at least 0 or a target
    /// orientation that is not of unit length; [`Error::NonFinite`] for NaN and infinity. `index` is the task's place in the list and is what
    /// the error names.
    pub fn check(&self, skeleton: &Skeleton, index: usize) -> Result<()> {
        let frame = self.frame();
        if frame.joint >= skeleton.n_joints() {
            let need = "the index of a joint";
            return Err(Error::OutOfRange {
                what: "task frame joint",
                index,
                value: frame.joint as f64,
                need,
            });
        }
        if !frame.joint_from_frame.is_finite() {
            return Err(Error::NonFinite { what: "task frame", index });
        }
        let (weight, is_finite, size) = match self {
            Self::Position(task) => (task.weight, task.target_in_world.is_finite(), 1.0),
            Self::Orientation(task) => {
                let target = task.world_from_target;
                (task.weight, target.is_finite(), target.length())
            }
        };
        if !is_finite {
            return Err(Error::NonFinite { what: "task target", index });
        }
        if !(0.999..=1.001).contains(&size) {
            let need = "a quaternion of unit length";
            return Err(Error::OutOfRange { what: "task target", index, value: size, need });
        }
        if !weight.is_finite() || weight < 0.0 {
            let need = "at least 0";
            return Err(Error::OutOfRange { what: "task weight", index, value: weight, need });
        }
        Ok(())
    }
}

impl From<Position> for Task {
    fn from(task: Position) -> Self {
        Self::Position(task)
    }
}

impl From<Orientation> for Task {
    fn from(task: Orientation) -> Self {
        Self::Orientation(task)
    }
}
