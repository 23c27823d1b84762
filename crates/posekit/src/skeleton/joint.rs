//! One joint, as plain data.

use super::limit::Limit;
use crate::math::Pose;
use alloc::string::String;
use glam::DVec3;

/// One joint of a skeleton, before it is built in: plain data, checked by [`Skeleton::try_new`](super::Skeleton::try_new).
///
/// Lengths (translations, prismatic values, mimic offsets) may be up to 1e100 in size, so that their squares stay finite; zero is
/// ordinary.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
#[non_exhaustive]
pub struct Joint {
    /// Name, not empty, unique in its skeleton.
    pub name: String,
    /// Index of the parent, smaller than this joint's own; `None` for the world.
    pub parent: Option<usize>,
    /// Placement on the parent (or the world) when the joint's motion is the identity.
    /// The rotation may be off unit length by up to 0.001 and is normalised.
    pub parent_from_joint: Pose,
    /// Its kind of motion.
    pub kind: JointKind,
    /// Its limit.
    #[cfg_attr(feature = "serde", serde(default))]
    pub limit: Limit,
    /// The joint whose value it mimics, if any.
    pub mimic: Option<Mimic>,
}

/// How a joint moves. Axes are in the joint's own frame, of any length but zero; the builder normalises them.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum JointKind {
    /// Does not move.
    Fixed,
    /// Rotates about an axis (a hinge); its value is the angle \[rad\].
    Revolute {
        /// Axis of the rotation, right-handed.
        axis: DVec3,
    },
    /// Slides along an axis; its value is the distance \[m\].
    Prismatic {
        /// Direction of the slide.
        axis: DVec3,
    },
    /// Rotates freely; its values are a unit quaternion x, y, z, w.
    Ball,
    /// Translates and rotates freely; its values are a position \[m\], then a unit quaternion x, y, z, w.
    Free,
}

/// `value = multiplier * value of the driver + offset`, between revolute and prismatic joints.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mimic {
    /// Index of the driver, the joint that is followed; it may come later, and it may itself be a mimic.
    pub joint: usize,
    /// Factor \[this joint's unit / the driver's unit\].
    pub multiplier: f64,
    /// Offset \[rad or m\].
    pub offset: f64,
}

impl Joint {
    /// A joint at its parent's frame, without parent, limit or mimic.
    #[must_use]
    pub fn new(name: impl Into<String>, kind: JointKind) -> Self {
        Self {
            name: name.into(),
            parent: None,
            parent_from_joint: Pose::IDENTITY,
            kind,
            limit: Limit::None,
            mimic: None,
        }
    }

    /// A joint that does not move: a marker, a tip, a flange.
    #[must_use]
    pub fn fixed(name: impl Into<String>) -> Self {
        Self::new(name, JointKind::Fixed)
    }

    /// A hinge about an axis in its own frame.
    #[must_use]
    pub fn revolute(name: impl Into<String>, axis: DVec3) -> Self {
        Self::new(name, JointKind::Revolute { axis })
    }

    /// A slide along an axis in its own frame.
    #[must_use]
    pub fn prismatic(name: impl Into<String>, axis: DVec3) -> Self {
        Self::new(name, JointKind::Prismatic { axis })
    }

    /// A joint that rotates freely.
    #[must_use]
    pub fn ball(name: impl Into<String>) -> Self {
        Self::new(name, JointKind::Ball)
    }

    /// A joint that translates and rotates freely: the root of a character, a floating base.
    #[must_use]
    pub fn free(name: impl Into<String>) -> Self {
        Self::new(name, JointKind::Free)
    }

    /// Sets the parent.
    #[must_use]
    pub fn child_of(self, parent: usize) -> Self {
        Self { parent: Some(parent), ..self }
    }

    /// Sets the placement: `parent_from_joint` at the identity motion.
    #[must_use]
    pub fn at(self, parent_from_joint: Pose) -> Self {
        Self { parent_from_joint, ..self }
    }

    /// Sets the limit.
    #[must_use]
    pub fn with_limit(self, limit: Limit) -> Self {
        Self { limit, ..self }
    }

    /// Sets the joint that it mimics.
    #[must_use]
    pub fn with_mimic(self, mimic: Mimic) -> Self {
        Self { mimic: Some(mimic), ..self }
    }
}

impl JointKind {
    /// Number of values in a configuration: 0, 1, 1, 4, 7.
    #[inline]
    #[must_use]
    pub const fn n_values(&self) -> usize {
        match self {
            Self::Fixed => 0,
            Self::Revolute { .. } | Self::Prismatic { .. } => 1,
            Self::Ball => 4,
            Self::Free => 7,
        }
    }

    /// Degrees of freedom: 0, 1, 1, 3, 6.
    #[inline]
    #[must_use]
    pub const fn n_dofs(&self) -> usize {
        match self {
            Self::Fixed => 0,
            Self::Revolute { .. } | Self::Prismatic { .. } => 1,
            Self::Ball => 3,
            Self::Free => 6,
        }
    }

    /// The kind as one word, for messages: fixed, revolute, prismatic, ball, free.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Revolute { .. } => "revolute",
            Self::Prismatic { .. } => "prismatic",
            Self::Ball => "ball",
            Self::Free => "free",
        }
    }

    /// The axis of a revolute or prismatic joint.
    #[inline]
    #[must_use]
    pub const fn axis(&self) -> Option<DVec3> {
        match self {
            Self::Revolute { axis } | Self::Prismatic { axis } => Some(*axis),
            Self::Fixed | Self::Ball | Self::Free => None,
        }
    }
}

impl Mimic {
    /// The follower's value for a value of its driver.
    #[inline]
    #[must_use]
    pub fn value(&self, driver_value: f64) -> f64 {
        self.multiplier * driver_value + self.offset
    }
}
