//! The interface of a kind of task.
//!
//! A kind is one file with its data and its [`Condition`], and one line in [`TaskKind`](super::TaskKind). Programs add their own with [`Formula`](super::Formula).

use super::center_of_mass::Body;
use super::rows::{Frames, Rows};
use crate::math::{Pose, check_unit};
use crate::skeleton::{Frame, LARGEST, Skeleton};
use crate::{ErrorKind, Result};
use alloc::sync::Arc;
use glam::{DQuat, DVec3};

/// The shape, the residual with its Jacobian, the scale and the checks of a kind of task.
pub(crate) trait Condition {
    /// The frames that it constrains: up to two, `None` for the world's own.
    fn frames(&self) -> [Option<Frame>; 2] {
        [None; 2]
    }

    /// The bodies whose centre of mass it constrains.
    fn bodies(&self) -> Option<&Arc<[Body]>> {
        None
    }

    /// Appends the residual, row by row, each with its gradient. A task on the centre of mass reads it as the origin of the first frame.
    fn rows(&self, frames: &Frames, rows: &mut Rows);

    /// Moves the world's origin, then multiplies all lengths.
    fn rebase(&mut self, origin: DVec3, by: f64);

    /// The largest length in the target.
    fn largest_length(&self) -> f64 {
        0.0
    }

    /// Whether two tasks of this kind differ in their targets only.
    fn is_alike(&self, other: &Self) -> bool {
        self.frames() == other.frames()
    }

    /// Checks the target; `task` is the index in the list, for the error.
    fn check(&self, task: usize) -> Result<()>;

    /// Checks everything that needs the skeleton, except the frames.
    fn check_on(&self, _: &Skeleton, _: usize) -> Result<()> {
        Ok(())
    }
}

/// The largest component of a vector.
pub(super) fn largest(v: DVec3) -> f64 {
    v.abs().max_element()
}

pub(super) fn out_of_range(
    what: &'static str,
    index: usize,
    value: f64,
    need: &'static str,
) -> Result<()> {
    Err(ErrorKind::OutOfRange { what, index, value, need }.into())
}

pub(super) fn check_finite(is_finite: bool, index: usize) -> Result<()> {
    let what = "task target";
    if is_finite { Ok(()) } else { Err(ErrorKind::NonFinite { what, index }.into()) }
}

/// Refuses a length whose square could overflow.
pub(super) fn check_length(length: f64, index: usize) -> Result<()> {
    check_finite(length.is_finite(), index)?;
    if length.abs() <= LARGEST {
        return Ok(());
    }
    out_of_range("task target", index, length, "a length of at most 1e100")
}

pub(super) fn check_direction(v: DVec3, index: usize) -> Result<()> {
    check_finite(v.is_finite(), index)?;
    let what = "task direction";
    if v == DVec3::ZERO { Err(ErrorKind::ZeroLength { what }.into()) } else { Ok(()) }
}

pub(super) fn check_rotation(what: &'static str, rotation: DQuat, index: usize) -> Result<()> {
    check_finite(rotation.is_finite(), index)?;
    check_unit(rotation)
        .or_else(|length| out_of_range(what, index, length, "a quaternion of unit length"))
}

pub(super) fn check_pose(pose: Pose, index: usize) -> Result<()> {
    check_finite(pose.translation.is_finite(), index)?;
    check_rotation("task target", pose.rotation, index)
}

pub(super) fn check_frame(frame: &Frame, skeleton: &Skeleton, index: usize) -> Result<()> {
    if frame.joint >= skeleton.n_joints() {
        let need = "the index of a joint";
        return out_of_range("task frame joint", index, frame.joint as f64, need);
    }
    if !frame.joint_from_frame.is_finite() {
        return Err(ErrorKind::NonFinite { what: "task frame", index }.into());
    }
    check_rotation("task frame", frame.joint_from_frame.rotation, index)
}
