//! Rotations of joints: read from a configuration, and written into it.

use super::configuration::set_rotation;
use super::joint::JointKind;
use super::limit::Limit;
use super::tree::Skeleton;
use crate::error::{ErrorKind, Result};
use crate::math::{Pose, check_unit, so3_log, swing_twist, unit_or_identity};
use glam::DQuat;

/// A rotation that misses a hinge's axis by at most this is about the axis \[rad\]: the rounding of single precision in the placements
/// and poses of a file. Smaller, and rounded input is refused; larger, and a foot of a metre misses its target by more than a micrometre.
const OFF_AXIS: f64 = 1e-6;

/// What to write into a joint's values.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Motion {
    /// Nothing: the values give the rotation already.
    Same,
    /// The angle of a revolute joint.
    Angle(f64),
    /// The quaternion of a ball or free joint.
    Rotation(DQuat),
}

impl Skeleton {
    /// Rotation of a joint's own motion: from its frame after the motion to its frame before it. The identity for fixed and
    /// prismatic joints.
    ///
    /// - `q`: a settled configuration
    ///
    /// # Errors
    /// `Error::is_wrong_length` for a `q` of the wrong length, `Error::is_no_such_joint`.
    pub fn rotation(&self, q: &[f64], joint: usize) -> Result<DQuat> {
        self.check_place(q, joint)?;
        Ok(self.motion(joint, q).rotation)
    }

    /// Pose of one joint in the world, from the joints above it: for callers that need few joints of many. For all of
    /// them, [`forward_kinematics`](Self::forward_kinematics) costs less.
    ///
    /// - `q`: a settled configuration
    ///
    /// # Errors
    /// As [`rotation`](Self::rotation).
    pub fn world_pose(&self, q: &[f64], joint: usize) -> Result<Pose> {
        self.check_place(q, joint)?;
        let on_parent = |joint| self.pose_on(joint, q, Pose::IDENTITY);
        Ok(self.ancestors(joint).fold(Pose::IDENTITY, |pose, above| on_parent(above) * pose))
    }

    /// Sets the rotation of a joint's own motion: from its frame after the motion to its frame before it. Translations and
    /// other joints stay as they are, except that mimic joints follow their drivers.
    ///
    /// - `q`: a settled configuration, changed
    /// - `rotation`: within 0.001 of unit length; it is normalised
    ///
    /// | kind | takes |
    /// |---|---|
    /// | ball, free | any rotation, with the sign of the quaternion that is nearer to the one in `q` |
    /// | revolute | a rotation about its axis within 1e-6 rad: of the angles that are equal modulo a turn, the one nearest to the value in `q` inside the range, else the nearest |
    /// | fixed, prismatic, mimic | the rotation that it has, within 1e-6 rad |
    ///
    /// Limits are not applied: see [`clamp`](Self::clamp).
    ///
    /// # Errors
    /// `Error::is_wrong_length` for a `q` of the wrong length, `Error::is_no_such_joint`; `Error::is_not_finite` and `Error::is_degenerate` for the rotation;
    /// `Error::is_out_of_range` for one that the joint cannot have. `q` is then unchanged.
    ///
    /// # Example
    /// ```
    /// use posekit::glam::{DQuat, DVec3};
    /// use posekit::math::rotation_about;
    /// use posekit::skeleton::{Joint, Skeleton};
    ///
    /// let skeleton = Skeleton::try_new(vec![Joint::revolute("knee", DVec3::X)])?;
    /// let mut q = skeleton.neutral();
    /// skeleton.set_rotation(&mut q, 0, rotation_about(DVec3::X, 0.5))?;
    /// assert!((q[0] - 0.5).abs() < 1e-15);
    /// let error = skeleton.set_rotation(&mut q, 0, rotation_about(DVec3::Y, 0.5)).unwrap_err();
    /// assert!(error.to_string().starts_with(r#"joint "knee": the rotation is 0.5"#));
    /// # Ok::<(), posekit::Error>(())
    /// ```
    pub fn set_rotation(&self, q: &mut [f64], joint: usize, rotation: DQuat) -> Result<()> {
        let motion = self.motion_of_rotation(q, joint, rotation)?;
        self.write_motion(q, joint, motion);
        self.apply_mimics(q);
        Ok(())
    }

    /// The values that give a joint this rotation. Only reads `q`, so that a caller can check several joints before it writes one.
    pub(crate) fn motion_of_rotation(
        &self,
        q: &[f64],
        joint: usize,
        rotation: DQuat,
    ) -> Result<Motion> {
        self.check_place(q, joint)?;
        let rotation = checked(rotation)?;
        match self.kinds[joint] {
            JointKind::Ball | JointKind::Free => {
                let now = self.motion(joint, q).rotation;
                Ok(Motion::Rotation(if now.dot(rotation) < 0.0 { -rotation } else { rotation }))
            }
            JointKind::Revolute { axis } if self.mimics[joint].is_none() => {
                let split = swing_twist(rotation, axis);
                self.check_off(joint, split.swing_angle())?;
                let (limit, now) = (self.limits[joint], q[self.value_starts[joint]]);
                let nearest = || Limit::None.equivalent_angle(split.twist, now);
                let angle = limit.equivalent_angle(split.twist, now).or_else(nearest);
                Ok(Motion::Angle(angle.unwrap_or(split.twist)))
            }
            JointKind::Revolute { .. } | JointKind::Fixed | JointKind::Prismatic { .. } => {
                let now = self.motion(joint, q).rotation;
                self.check_off(joint, so3_log(now.conjugate() * rotation).length())?;
                Ok(Motion::Same)
            }
        }
    }

    /// Writes what [`motion_of_rotation`](Self::motion_of_rotation) found; mimic joints are left to [`apply_mimics`](Self::apply_mimics).
    pub(crate) fn write_motion(&self, q: &mut [f64], joint: usize, motion: Motion) {
        let values = &mut q[self.value_range(joint)];
        match motion {
            Motion::Same => {}
            Motion::Angle(angle) => values[0] = angle,
            Motion::Rotation(rotation) => set_rotation(values, rotation),
        }
    }

    /// Rotation of a joint's frame in the world, after its motion.
    ///
    /// # Errors
    /// As [`rotation`](Self::rotation).
    pub fn world_rotation(&self, q: &[f64], joint: usize) -> Result<DQuat> {
        Ok(self.world_pose(q, joint)?.rotation)
    }

    /// Sets a joint's rotation so that its frame has this rotation in the world, the joints above it staying as they are; those below it move
    /// along.
    ///
    /// # Errors
    /// As [`set_rotation`](Self::set_rotation).
    pub fn set_world_rotation(
        &self,
        q: &mut [f64],
        joint: usize,
        world_from_joint: DQuat,
    ) -> Result<()> {
        let world_from_joint = checked(world_from_joint)?;
        let before = self.world_before_motion(q, joint)?;
        self.set_rotation(q, joint, before.conjugate() * world_from_joint)
    }

    /// Rotation of a joint's frame in the world, before its own motion.
    pub(crate) fn world_before_motion(&self, q: &[f64], joint: usize) -> Result<DQuat> {
        self.check_place(q, joint)?;
        let above = match self.parent(joint) {
            Some(parent) => self.world_pose(q, parent)?.rotation,
            None => DQuat::IDENTITY,
        };
        Ok(above * self.placements[joint].rotation)
    }

    /// Whether `q` has the right length and the skeleton such a joint.
    fn check_place(&self, q: &[f64], joint: usize) -> Result<()> {
        let (expected, found) = (self.n_values, q.len());
        if found != expected {
            return Err(ErrorKind::Length { what: "configuration", expected, found }.into());
        }
        self.check_joint("joint index", joint)
    }

    /// Refuses an index that is not a joint's.
    pub(crate) fn check_joint(&self, what: &'static str, joint: usize) -> Result<()> {
        let n_joints = self.n_joints();
        if joint < n_joints {
            Ok(())
        } else {
            Err(ErrorKind::NoSuchJoint { what, joint, n_joints }.into())
        }
    }

    /// Refuses a rotation this far from what the joint can have.
    fn check_off(&self, joint: usize, angle: f64) -> Result<()> {
        if angle <= OFF_AXIS {
            return Ok(());
        }
        let kind = if self.mimics[joint].is_some() { "mimic" } else { self.kinds[joint].name() };
        Err(ErrorKind::JointRotation { joint: self.names[joint].clone(), kind, angle }.into())
    }
}

/// A rotation from outside, at unit length.
fn checked(rotation: DQuat) -> Result<DQuat> {
    if let Some(index) = rotation.to_array().iter().position(|x| !x.is_finite()) {
        return Err(ErrorKind::NonFinite { what: "rotation", index }.into());
    }
    check_unit(rotation).map_err(|length| ErrorKind::NotUnit { what: "rotation", length })?;
    Ok(unit_or_identity(rotation))
}
