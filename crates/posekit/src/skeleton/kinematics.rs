//! Forward kinematics and Jacobians.

use super::configuration::fits;
use super::joint::JointKind;
use super::tree::{Frame, Skeleton};
use crate::math::{Pose, rotation_about};
use alloc::vec;
use alloc::vec::Vec;
use glam::{DQuat, DVec3};

impl Skeleton {
    /// Poses of all joints in the world, in one pass from the roots down; neither recursion nor allocation.
    ///
    /// - `q`: a settled configuration, [`n_values`](Self::n_values) numbers; limits are not applied
    /// - `world_from_joint`: [`n_joints`](Self::n_joints) poses, written
    ///
    /// # Degenerate cases
    /// Slices of the wrong length leave `world_from_joint` as it is. Quaternions are taken as they are: off unit length
    /// ([`settle`](Self::settle) not called), lengths further down the tree are off by as much.
    #[inline]
    pub fn forward_kinematics(&self, q: &[f64], world_from_joint: &mut [Pose]) {
        let n_joints = self.n_joints();
        if !fits(q.len(), self.n_values) || !fits(world_from_joint.len(), n_joints) {
            return;
        }
        let arrays = self.parents.iter().zip(&self.placements).zip(&self.kinds);
        let mut values = q;
        for (joint, ((parent, placement), kind)) in arrays.enumerate() {
            let (own, rest) = values.split_at(kind.n_values());
            values = rest;
            // The joint's own product comes first: it does not depend on the parent's, which leaves one dependent product
            // per joint instead of two.
            let parent_from_joint = after_motion(*placement, kind, own);
            // The lookup of NO_PARENT returns None: such a joint is on the world.
            world_from_joint[joint] = match world_from_joint.get(*parent) {
                Some(world_from_parent) => *world_from_parent * parent_from_joint,
                None => parent_from_joint,
            };
        }
    }

    /// [`forward_kinematics`](Self::forward_kinematics) into a new vector.
    #[must_use]
    pub fn poses(&self, q: &[f64]) -> Vec<Pose> {
        let mut world_from_joint = vec![Pose::IDENTITY; self.n_joints()];
        self.forward_kinematics(q, &mut world_from_joint);
        world_from_joint
    }

    /// The motion of one joint: the pose of its frame after the motion, in its frame before the motion.
    ///
    /// - `q`: the whole settled configuration
    ///
    /// # Degenerate cases
    /// A `q` of the wrong length gives the identity.
    ///
    /// # Panics
    /// As a slice does, when there is no such joint.
    #[inline]
    #[must_use]
    pub fn motion(&self, joint: usize, q: &[f64]) -> Pose {
        if !fits(q.len(), self.n_values) {
            return Pose::IDENTITY;
        }
        after_motion(Pose::IDENTITY, &self.kinds[joint], &q[self.value_range(joint)])
    }

    /// Pose of one joint in the world, from its parent's (the identity for a joint on the world): for callers that need few joints of many.
    ///
    /// - `q`: the whole settled configuration
    ///
    /// # Degenerate cases
    /// A `q` of the wrong length gives `world_from_parent`.
    ///
    /// # Panics
    /// As a slice does, when there is no such joint.
    #[inline(always)]
    #[must_use]
    pub fn pose_on(&self, joint: usize, q: &[f64], world_from_parent: Pose) -> Pose {
        if !fits(q.len(), self.n_values) {
            return world_from_parent;
        }
        let values = &q[self.value_range(joint)];
        world_from_parent * after_motion(self.placements[joint], &self.kinds[joint], values)
    }

    /// Jacobian of a frame: its velocity for each degree of freedom at unit speed.
    ///
    /// - `world_from_joint`: poses of all joints, from [`forward_kinematics`](Self::forward_kinematics)
    /// - `frame`: the frame, [checked](Self::check_frame) if it came from outside
    /// - `out`: `6 × n_dofs`, column after column, written; rows linear \[m/rad, m/m\], then angular \[rad/rad, rad/m\], in the axes of the
    ///   world, at the frame's origin
    ///
    /// Columns are those of the tangent space described in the [module](super); a mimic joint adds to its driver's column, times its
    /// multiplier. Costs O(depth), and O(`n_dofs`) to clear.
    ///
    /// # Degenerate cases
    /// Slices of the wrong length, or a frame on a joint that does not exist, leave `out` as it is.
    /// # Method
    /// Geometric Jacobian \[lynch17\], section 5.1: a rotation about an axis moves the frame's origin by axis × lever arm.
    pub fn jacobian(&self, world_from_joint: &[Pose], frame: &Frame, out: &mut [f64]) {
        let n_joints = self.n_joints();
        if !fits(world_from_joint.len(), n_joints)
            || !fits(out.len(), 6 * self.n_dofs)
            || frame.joint >= n_joints
        {
            return;
        }
        out.fill(0.0);
        let origin = frame.world(world_from_joint).translation;
        for joint in self.ancestors(frame.joint) {
            let Pose { rotation, translation } = world_from_joint[joint];
            let lever = origin - translation;
            let first = self.dof_starts[joint];
            let factor = self.mimics[joint].map_or(1.0, |mimic| mimic.multiplier);
            match self.kinds[joint] {
                JointKind::Fixed => {}
                JointKind::Revolute { axis } => {
                    add_rotation(out, first, rotation * axis, lever, factor);
                }
                JointKind::Prismatic { axis } => {
                    add_column(out, first, rotation * axis, DVec3::ZERO, factor);
                }
                JointKind::Ball => add_rotations(out, first, rotation, lever),
                JointKind::Free => {
                    let before_motion = self.rotation_before_motion(joint, world_from_joint);
                    for (k, axis) in DVec3::AXES.into_iter().enumerate() {
                        add_column(out, first + k, before_motion * axis, DVec3::ZERO, 1.0);
                    }
                    add_rotations(out, first + 3, rotation, lever);
                }
            }
        }
    }

    /// Rotation of a joint's frame in the world, before its own motion.
    fn rotation_before_motion(&self, joint: usize, world_from_joint: &[Pose]) -> DQuat {
        let placement = self.placements[joint].rotation;
        match self.parent(joint) {
            Some(parent) => world_from_joint[parent].rotation * placement,
            None => placement,
        }
    }
}

/// A joint's pose from its pose before its motion.
#[inline(always)]
fn after_motion(before: Pose, kind: &JointKind, values: &[f64]) -> Pose {
    let Pose { rotation, translation } = before;
    match (kind, values) {
        (JointKind::Revolute { axis }, &[angle]) => {
            Pose { rotation: rotation * rotation_about(*axis, angle), translation }
        }
        (JointKind::Prismatic { axis }, &[distance]) => {
            Pose { rotation, translation: translation + rotation * (*axis * distance) }
        }
        (JointKind::Ball, &[x, y, z, w]) => {
            Pose { rotation: rotation * DQuat::from_xyzw(x, y, z, w), translation }
        }
        (JointKind::Free, &[px, py, pz, x, y, z, w]) => Pose {
            rotation: rotation * DQuat::from_xyzw(x, y, z, w),
            translation: translation + rotation * DVec3::new(px, py, pz),
        },
        _ => before,
    }
}

/// Adds the columns of a ball joint: rotations about its own axes.
fn add_rotations(out: &mut [f64], first: usize, world_from_joint: DQuat, lever: DVec3) {
    for (k, axis) in DVec3::AXES.into_iter().enumerate() {
        add_rotation(out, first + k, world_from_joint * axis, lever, 1.0);
    }
}

/// Adds the column of a rotation about an axis in the world that passes through the frame's origin minus `lever`.
#[inline]
fn add_rotation(out: &mut [f64], dof: usize, axis: DVec3, lever: DVec3, factor: f64) {
    add_column(out, dof, axis.cross(lever), axis, factor);
}

#[inline]
fn add_column(out: &mut [f64], dof: usize, linear: DVec3, angular: DVec3, factor: f64) {
    let column = &mut out[6 * dof..6 * dof + 6];
    for k in 0..3 {
        column[k] += factor * linear[k];
        column[k + 3] += factor * angular[k];
    }
}
