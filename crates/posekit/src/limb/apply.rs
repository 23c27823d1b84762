//! Limbs and aims on a skeleton: from its joints to a closed form, and from the solution to joint values. The only file of
//! this module that uses skeletons.

use super::{Aim, AimSolution, TwoBone, TwoBoneSolution};
use crate::skeleton::{JointKind, Skeleton};
use crate::{ErrorKind, Result};
use alloc::borrow::ToOwned as _;
use glam::DVec3;

impl TwoBone {
    /// The limb that three joints of a skeleton make in a configuration, with the defaults of the other fields. Its common
    /// space is the world of the skeleton.
    ///
    /// - `q`: a settled configuration
    /// - `joints`: start (hip, shoulder), mid (knee, elbow) and end (ankle, wrist), each above the next; other joints may lie in
    ///   between, as twist joints do
    /// - `target`: where the end joint should be, in the world
    ///
    /// A mid joint that is revolute also sets [`mid_axis`](Self::mid_axis): its axis, with the sign that keeps the limb's present side,
    /// and for a straight limb the sign with more room in the joint's range.
    ///
    /// # Errors
    /// `Error::is_wrong_length` for a `q` of the wrong length, `Error::is_no_such_joint`, `Error::is_malformed`.
    ///
    /// # Example: a foot onto a step
    /// ```
    /// use posekit::glam::DVec3;
    /// use posekit::limb::{Pole, TwoBone};
    /// use posekit::math::Pose;
    /// use posekit::skeleton::{Joint, Skeleton};
    ///
    /// let down = Pose::from_translation(DVec3::new(0.0, -0.4, 0.0));
    /// let leg = Skeleton::try_new(vec![
    ///     Joint::ball("hip"),
    ///     Joint::ball("knee").child_of(0).at(down),
    ///     Joint::ball("ankle").child_of(1).at(down),
    /// ])?;
    /// let joints = [0, 1, 2];
    /// let mut q = leg.neutral();
    ///
    /// let step = DVec3::new(0.1, -0.6, 0.2);
    /// let limb = TwoBone::on_skeleton(&leg, &q, joints, step)?.with_pole(Pole::Direction(DVec3::Z));
    /// let is_exact = limb.solve()?.apply(&leg, &mut q, joints)?;
    ///
    /// assert!(is_exact);
    /// assert!(leg.world_pose(&q, 2)?.translation.distance(step) < 1e-12);
    /// # Ok::<(), posekit::Error>(())
    /// ```
    pub fn on_skeleton(
        skeleton: &Skeleton,
        q: &[f64],
        joints: [usize; 3],
        target: DVec3,
    ) -> Result<Self> {
        check_branch(skeleton, joints)?;
        let [start, mid, end] = joints;
        let world_from_mid = skeleton.world_pose(q, mid)?;
        let (start, end) = (skeleton.world_pose(q, start)?, skeleton.world_pose(q, end)?);
        let limb =
            Self::new(start.translation, world_from_mid.translation, end.translation, target);
        let JointKind::Revolute { axis } = skeleton.kind(mid) else {
            return Ok(limb);
        };
        let axis = world_from_mid.rotation * axis;
        let side = (limb.mid - limb.start).cross(limb.end - limb.mid).dot(axis);
        let (min, max) = skeleton.limit(mid).bounds();
        let value = q[skeleton.value_range(mid).start];
        let is_positive = if side == 0.0 { max - value >= value - min } else { side > 0.0 };
        Ok(Self { mid_axis: Some(if is_positive { axis } else { -axis }), ..limb })
    }
}

impl TwoBoneSolution {
    /// Writes the solution into a configuration: forward kinematics then puts the end joint at [`end`](Self::end) and the mid
    /// joint at [`mid`](Self::mid).
    ///
    /// - `q`: the settled configuration that the limb was made from, changed
    /// - `joints`: start, mid and end, as for [`TwoBone::on_skeleton`]
    ///
    /// Start and mid take rotations as [`Skeleton::set_rotation`] does: balls and free joints any, a revolute joint one about its axis.
    /// All other joints keep their values, so that a foot or a hand moves and rotates with the limb; mimic joints follow
    /// their drivers.
    ///
    /// Returns whether both rotations are inside the joints' limits. Otherwise each joint is clamped by itself, as by
    /// [`Skeleton::clamp`], and the end is not at its solved position.
    ///
    /// # Errors
    /// Leaves `q` unchanged, and returns what [`TwoBone::on_skeleton`] does, or `Error::is_out_of_range` when a revolute, fixed or
    /// mimic joint cannot have its rotation: a hinge whose axis is not at right angles to both bones, or a pole beside its plane.
    pub fn apply(&self, skeleton: &Skeleton, q: &mut [f64], joints: [usize; 3]) -> Result<bool> {
        check_branch(skeleton, joints)?;
        let [start, mid, _] = joints;
        let before_start = skeleton.world_before_motion(q, start)?;
        let before_mid = self.start_correction * skeleton.world_before_motion(q, mid)?;
        let world_from_start = self.start_correction * skeleton.world_rotation(q, start)?;
        let world_from_mid = self.mid_correction * skeleton.world_rotation(q, mid)?;
        let motions = [
            (start, before_start.conjugate() * world_from_start),
            (mid, before_mid.conjugate() * world_from_mid),
        ];
        // Both are checked before either is written.
        let found = motions.map(|(joint, to)| skeleton.motion_of_rotation(q, joint, to));
        let [start_motion, mid_motion] = found;
        let (start_motion, mid_motion) = (start_motion?, mid_motion?);
        skeleton.write_motion(q, start, start_motion);
        skeleton.write_motion(q, mid, mid_motion);
        Ok(bring_inside(skeleton, q, &[start, mid]))
    }
}

impl Aim {
    /// The aim of a joint of a skeleton in a configuration, with the defaults of the other fields. Its model space is the
    /// world of the skeleton.
    ///
    /// - `q`: a settled configuration
    /// - `target`: the point to aim at, in the world
    ///
    /// # Errors
    /// `Error::is_wrong_length` for a `q` of the wrong length, `Error::is_no_such_joint`.
    pub fn on_skeleton(
        skeleton: &Skeleton,
        q: &[f64],
        joint: usize,
        target: DVec3,
    ) -> Result<Self> {
        Ok(Self::new(skeleton.world_pose(q, joint)?, target))
    }
}

impl AimSolution {
    /// Writes the solution into a configuration: the joint's ray then meets the target as the solution says.
    ///
    /// - `q`: the settled configuration that the aim was made from, changed
    /// - `joint`: the joint that aims
    ///
    /// Returns whether the rotation is inside the joint's limit. Otherwise the joint is clamped, as by [`Skeleton::clamp`].
    ///
    /// # Errors
    /// As [`Skeleton::set_rotation`]; `q` is then unchanged.
    pub fn apply(&self, skeleton: &Skeleton, q: &mut [f64], joint: usize) -> Result<bool> {
        let world_from_joint = self.correction * skeleton.world_rotation(q, joint)?;
        skeleton.set_world_rotation(q, joint, world_from_joint)?;
        Ok(bring_inside(skeleton, q, &[joint]))
    }
}

/// Clamps these joints and updates mimic joints; true if no limit was exceeded.
fn bring_inside(skeleton: &Skeleton, q: &mut [f64], joints: &[usize]) -> bool {
    let n_clamped = joints.iter().filter(|&&joint| skeleton.clamp_joint(joint, q)).count();
    skeleton.apply_mimics(q);
    n_clamped == 0
}

/// Refuses joints that do not exist or are not one above the other.
fn check_branch(skeleton: &Skeleton, joints: [usize; 3]) -> Result<()> {
    joints.into_iter().try_for_each(|joint| skeleton.check_joint("limb", joint))?;
    for pair in joints.windows(2) {
        let [above, below] = [pair[0], pair[1]];
        if !skeleton.ancestors(below).skip(1).any(|joint| joint == above) {
            let [above, below] = [above, below].map(|joint| skeleton.name(joint).to_owned());
            return Err(ErrorKind::JointOrder { above, below }.into());
        }
    }
    Ok(())
}
