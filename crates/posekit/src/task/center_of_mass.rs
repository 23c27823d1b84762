//! The centre of mass is at a point, or above a line or a point of the ground.

use super::condition::{Condition, check_finite, largest};
use super::rows::{Frames, Row, Rows, Unit, Wrench};
use crate::math::Pose;
use crate::skeleton::Skeleton;
use crate::{ErrorKind, Result};
use alloc::sync::Arc;
use glam::DVec3;

/// A mass fixed to one joint.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Body {
    /// Index of the joint.
    pub joint: usize,
    /// Its centre of mass, in the joint's frame \[m\].
    pub center_in_joint: DVec3,
    /// At least 0 \[kg\].
    pub mass: f64,
}

/// The centre of mass has given coordinates in the world.
///
/// One row \[m\] for each constrained coordinate.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct CenterOfMass {
    /// The bodies, of a total mass above 0. Shared, so that a clone of the task copies none of them.
    pub bodies: Arc<[Body]>,
    /// Target of the centre, in world coordinates \[m\].
    pub target_in_world: DVec3,
    /// Which of its coordinates are constrained. Default all three.
    pub axes: [bool; 3],
}

impl CenterOfMass {
    /// All three coordinates.
    #[must_use]
    pub fn new(bodies: impl Into<Arc<[Body]>>, target_in_world: DVec3) -> Self {
        Self { bodies: bodies.into(), target_in_world, axes: [true; 3] }
    }

    /// The same with only these coordinates constrained: x and y, for instance, for a centre above a point of the ground.
    #[must_use]
    pub fn along(self, axes: [bool; 3]) -> Self {
        Self { axes, ..self }
    }
}

impl Condition for CenterOfMass {
    fn bodies(&self) -> Option<&Arc<[Body]>> {
        Some(&self.bodies)
    }

    fn rows(&self, [center, _]: &Frames, rows: &mut Rows) {
        let center = center.translation;
        let miss = self.target_in_world - center;
        for k in (0..3).filter(|&k| self.axes[k]) {
            rows.push(Row::new(Unit::Length, miss[k], Wrench::push(DVec3::AXES[k])));
        }
    }

    fn rebase(&mut self, origin: DVec3, by: f64) {
        self.target_in_world = (self.target_in_world - origin) * by;
    }

    fn largest_length(&self) -> f64 {
        largest(self.target_in_world)
    }

    fn is_alike(&self, other: &Self) -> bool {
        self.bodies == other.bodies && self.axes == other.axes
    }

    fn check(&self, task: usize) -> Result<()> {
        check_finite(self.target_in_world.is_finite(), task)
    }

    fn check_on(&self, skeleton: &Skeleton, task: usize) -> Result<()> {
        check_bodies(&self.bodies, skeleton, task)
    }
}

/// Centre of mass of some bodies, from the poses of all joints.
///
/// # Degenerate cases
/// Without mass, the world's origin.
///
/// # Panics
/// As a slice does, when a body's joint has no pose.
#[must_use]
pub fn center_of_mass(bodies: &[Body], world_from_joint: &[Pose]) -> DVec3 {
    let (mut sum, mut mass) = (DVec3::ZERO, 0.0);
    for body in bodies {
        sum += body.mass * world_from_joint[body.joint].transform_point(body.center_in_joint);
        mass += body.mass;
    }
    if mass > 0.0 { sum / mass } else { DVec3::ZERO }
}

/// Refuses bodies that no solver could use.
pub(super) fn check_bodies(bodies: &[Body], skeleton: &Skeleton, task: usize) -> Result<()> {
    for body in bodies {
        let n_joints = skeleton.n_joints();
        if body.joint >= n_joints {
            let what = "task body";
            return Err(ErrorKind::NoSuchJoint { what, joint: body.joint, n_joints }.into());
        }
        if !body.center_in_joint.is_finite() {
            return Err(ErrorKind::NonFinite { what: "task body", index: task }.into());
        }
        if !body.mass.is_finite() || body.mass < 0.0 {
            let (value, need) = (body.mass, "at least 0");
            return Err(
                ErrorKind::OutOfRange { what: "task body mass", index: task, value, need }.into()
            );
        }
    }
    let mass: f64 = bodies.iter().map(|body| body.mass).sum();
    if !mass.is_finite() || mass <= 0.0 {
        let need = "above 0";
        return Err(
            ErrorKind::OutOfRange { what: "task mass", index: task, value: mass, need }.into()
        );
    }
    Ok(())
}

#[cfg(test)]
#[test]
fn gradient() {
    // The rows see the centre of mass as the origin of a frame.
    let body = Body { joint: 0, center_in_joint: DVec3::ZERO, mass: 1.0 };
    let task = CenterOfMass::new([body], DVec3::new(1.0, 2.0, 3.0)).along([true, false, true]);
    super::rows::testing::check_gradient(|frames, rows| task.rows(frames, rows));
}
