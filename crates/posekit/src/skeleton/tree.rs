//! The skeleton itself: flat arrays, parents first.

use super::builder::{SkeletonBuilder, checked_placement};
use super::joint::{Joint, JointKind, Mimic};
use super::limit::Limit;
use crate::error::{Error, ErrorKind, Result};
use crate::math::{Pose, check_unit};
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// Marks the world in `parents`. No slice is this long, so a lookup returns `None`.
pub(super) const NO_PARENT: usize = usize::MAX;

/// A tree of joints in flat arrays, parents first. Build one with [`Skeleton::builder`] or [`Skeleton::try_new`]; then only the placements of its joints
/// can change ([`Skeleton::set_parent_from_joint`]).
///
/// The [module](super) defines configurations and frames.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Vec<Joint>", into = "Vec<Joint>"))]
pub struct Skeleton {
    pub(super) names: Vec<String>,
    /// Joint indices in the order of their names.
    pub(super) by_name: Vec<usize>,
    pub(super) parents: Vec<usize>,
    /// `parent_from_joint` of every joint.
    pub(super) placements: Vec<Pose>,
    pub(super) kinds: Vec<JointKind>,
    pub(super) limits: Vec<Limit>,
    /// Resolved: the joint named is independent.
    pub(super) mimics: Vec<Option<Mimic>>,
    /// Indices of the mimic joints.
    pub(super) followers: Vec<usize>,
    pub(super) value_starts: Vec<usize>,
    /// Where in a configuration the quaternions begin.
    pub(super) rotations: Vec<usize>,
    /// Of a mimic joint: that of its driver.
    pub(super) dof_starts: Vec<usize>,
    pub(super) n_values: usize,
    pub(super) n_dofs: usize,
    /// Children of joint `i`: `child_list[child_starts[i]..child_starts[i + 1]]`.
    pub(super) child_starts: Vec<usize>,
    pub(super) child_list: Vec<usize>,
}

/// The frame of an end effector: fixed to a joint, at an offset from it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Frame {
    /// Index of the joint.
    pub joint: usize,
    /// Pose of the frame in the joint's own frame.
    pub joint_from_frame: Pose,
}

impl Skeleton {
    /// An empty builder.
    #[must_use]
    pub fn builder() -> SkeletonBuilder {
        SkeletonBuilder::default()
    }

    /// A skeleton from its joints, parents first.
    ///
    /// Normalises axes and placements, resolves mimics to independent joints, and narrows the range of a driver so that its
    /// followers stay inside theirs. The sign of a quaternion makes no difference.
    ///
    /// # Errors
    /// Names the joint at fault:
    /// - [`Error::is_malformed`] without joints, for names that are empty or repeated, for parents after their children and cycles of parents (a joint may not
    ///   be its own parent either), for a limit on a joint of another kind, for mimics of joints without one value and cycles of them;
    /// - [`Error::is_no_such_joint`] for the index of a parent or a driver;
    /// - [`Error::is_not_finite`], [`Error::is_out_of_range`] (a length above 1e100, a swing outside 0..=pi, a minimum above its maximum, a driver that its
    ///   followers' limits leave no value);
    /// - [`Error::is_degenerate`] for an axis of length zero and a quaternion further than 0.001 from unit length.
    pub fn try_new(joints: Vec<Joint>) -> Result<Self> {
        super::builder::build(joints)
    }

    /// Number of joints, at least 1.
    #[inline]
    #[must_use]
    pub fn n_joints(&self) -> usize {
        self.kinds.len()
    }

    /// Length of a configuration.
    #[inline]
    #[must_use]
    pub fn n_values(&self) -> usize {
        self.n_values
    }

    /// Number of independent degrees of freedom: the length of a tangent vector, the columns of a Jacobian.
    #[inline]
    #[must_use]
    pub fn n_dofs(&self) -> usize {
        self.n_dofs
    }

    /// Name of a joint.
    ///
    /// # Panics
    /// As a slice does, when there is no such joint.
    #[inline]
    #[must_use]
    pub fn name(&self, joint: usize) -> &str {
        &self.names[joint]
    }

    /// Index of the joint of this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        let place = self.by_name.binary_search_by(|joint| self.names[*joint].as_str().cmp(name));
        place.ok().map(|place| self.by_name[place])
    }

    /// Parent of a joint, an earlier index; `None` for a joint on the world.
    ///
    /// # Panics
    /// As a slice does, when there is no such joint.
    #[inline]
    #[must_use]
    pub fn parent(&self, joint: usize) -> Option<usize> {
        let parent = self.parents[joint];
        (parent != NO_PARENT).then_some(parent)
    }

    /// Children of a joint, in ascending order.
    ///
    /// # Panics
    /// As a slice does, when there is no such joint.
    #[inline]
    #[must_use]
    pub fn children(&self, joint: usize) -> &[usize] {
        &self.child_list[self.child_starts[joint]..self.child_starts[joint + 1]]
    }

    /// The joint, its parent, and so on up to the root: descending indices.
    ///
    /// # Panics
    /// As a slice does, when there is no such joint.
    pub fn ancestors(&self, joint: usize) -> impl Iterator<Item = usize> + '_ {
        core::iter::successors(Some(joint), |joint| self.parent(*joint))
    }

    /// True for the first joint of its branch that moves, whatever fixed joints are above it: the hips of a figure. A skeleton whose branches
    /// divide at fixed joints has several.
    ///
    /// # Panics
    /// As a slice does, when there is no such joint.
    #[must_use]
    pub fn is_root(&self, joint: usize) -> bool {
        let moves = |&joint: &usize| self.kind(joint) != JointKind::Fixed;
        moves(&joint) && !self.ancestors(joint).skip(1).any(|above| moves(&above))
    }

    /// Kind of a joint; its axis is of unit length.
    ///
    /// # Panics
    /// As a slice does, when there is no such joint.
    #[inline]
    #[must_use]
    pub fn kind(&self, joint: usize) -> JointKind {
        self.kinds[joint]
    }

    /// Limit of a joint. The range of a driver is narrowed so that its followers stay inside theirs.
    ///
    /// # Panics
    /// As a slice does, when there is no such joint.
    #[inline]
    #[must_use]
    pub fn limit(&self, joint: usize) -> Limit {
        self.limits[joint]
    }

    /// The mimic of a joint, its driver always an independent joint: chains of mimics are multiplied out.
    ///
    /// # Panics
    /// As a slice does, when there is no such joint.
    #[inline]
    #[must_use]
    pub fn mimic(&self, joint: usize) -> Option<Mimic> {
        self.mimics[joint]
    }

    /// Placement of a joint on its parent at the identity motion, its rotation of unit length with w >= 0.
    ///
    /// # Panics
    /// As a slice does, when there is no such joint.
    #[inline]
    #[must_use]
    pub fn parent_from_joint(&self, joint: usize) -> Pose {
        self.placements[joint]
    }

    /// Places a joint anew on its parent, as an animation does that moves or stretches bones. The next solve begins with it.
    ///
    /// # Errors
    /// The skeleton is unchanged then:
    /// - [`Error::is_no_such_joint`];
    /// - [`Error::is_not_finite`], [`Error::is_out_of_range`] (a length above 1e100), [`Error::is_degenerate`] for a quaternion further than 0.001 from unit
    ///   length.
    pub fn set_parent_from_joint(&mut self, joint: usize, placement: Pose) -> Result<()> {
        self.check_joint("placement", joint)?;
        self.placements[joint] = checked_placement(&self.names[joint], placement)?;
        Ok(())
    }

    /// A joint as plain data again: as it was built in, but with axes and placement normalised, its mimic resolved and its range narrowed. Built again,
    /// an axis may change in its last place.
    ///
    /// # Panics
    /// As a slice does, when there is no such joint.
    #[must_use]
    pub fn joint(&self, joint: usize) -> Joint {
        Joint {
            name: self.names[joint].clone(),
            parent: self.parent(joint),
            parent_from_joint: self.parent_from_joint(joint),
            kind: self.kind(joint),
            limit: self.limit(joint),
            mimic: self.mimic(joint),
        }
    }

    /// Range of a joint's values in a configuration.
    ///
    /// # Panics
    /// As a slice does, when there is no such joint.
    #[inline]
    #[must_use]
    pub fn value_range(&self, joint: usize) -> Range<usize> {
        let start = self.value_starts[joint];
        start..start + self.kinds[joint].n_values()
    }

    /// Range of a joint's degrees of freedom in a tangent vector; for a mimic joint, that of its driver.
    ///
    /// # Panics
    /// As a slice does, when there is no such joint.
    #[inline]
    #[must_use]
    pub fn dof_range(&self, joint: usize) -> Range<usize> {
        let start = self.dof_starts[joint];
        start..start + self.kinds[joint].n_dofs()
    }

    /// The frame of a joint itself. The index is not checked: see [`check_frame`](Self::check_frame).
    #[must_use]
    pub const fn frame(&self, joint: usize) -> Frame {
        Frame { joint, joint_from_frame: Pose::IDENTITY }
    }

    /// Checks a frame that came from outside.
    ///
    /// # Errors
    /// [`Error::is_no_such_joint`]; [`Error::is_not_finite`] (elements: the translation, then the rotation);
    /// [`Error::is_degenerate`] for a rotation further than 0.001 from unit length.
    pub fn check_frame(&self, frame: &Frame) -> Result<()> {
        self.check_joint("frame", frame.joint)?;
        let Pose { rotation, translation } = frame.joint_from_frame;
        let numbers = translation.to_array().into_iter().chain(rotation.to_array());
        if let Some(index) = numbers.enumerate().find_map(|(k, x)| (!x.is_finite()).then_some(k)) {
            return Err(ErrorKind::NonFinite { what: "frame", index }.into());
        }
        check_unit(rotation)
            .map_err(|length| ErrorKind::NotUnit { what: "frame rotation", length }.into())
    }
}

impl TryFrom<Vec<Joint>> for Skeleton {
    type Error = Error;

    fn try_from(joints: Vec<Joint>) -> Result<Self> {
        Self::try_new(joints)
    }
}

impl From<Skeleton> for Vec<Joint> {
    fn from(skeleton: Skeleton) -> Self {
        (0..skeleton.n_joints()).map(|joint| skeleton.joint(joint)).collect()
    }
}

impl Frame {
    /// A frame at an offset from a joint.
    #[must_use]
    pub const fn new(joint: usize, joint_from_frame: Pose) -> Self {
        Self { joint, joint_from_frame }
    }

    /// `world_from_frame`, from the poses of all joints ([`Skeleton::forward_kinematics`]).
    ///
    /// # Panics
    /// As a slice does, when there is no such joint.
    #[inline]
    #[must_use]
    pub fn world(&self, world_from_joint: &[Pose]) -> Pose {
        world_from_joint[self.joint] * self.joint_from_frame
    }
}
