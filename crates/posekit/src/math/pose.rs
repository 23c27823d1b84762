//! Rigid transforms.

use core::ops::Mul;
use glam::{DQuat, DVec3};

/// A rigid transform: a rotation followed by a translation, no scale.
///
/// Named `b_from_a`, it maps coordinates in frame `a` to coordinates in frame `b`, and products read by adjacency:
/// `world_from_tool = world_from_base * base_from_tool`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Rotation, a unit quaternion (x, y, z, w).
    pub rotation: DQuat,
    /// Translation \[m\].
    pub translation: DVec3,
}

impl Pose {
    /// The identity transform.
    pub const IDENTITY: Self = Self { rotation: DQuat::IDENTITY, translation: DVec3::ZERO };

    /// A pose from its parts. The rotation is taken as it is and must be of unit length.
    #[inline]
    #[must_use]
    pub const fn new(rotation: DQuat, translation: DVec3) -> Self {
        Self { rotation, translation }
    }

    /// A pure translation.
    #[inline]
    #[must_use]
    pub const fn from_translation(translation: DVec3) -> Self {
        Self { rotation: DQuat::IDENTITY, translation }
    }

    /// A pure rotation about the origin.
    #[inline]
    #[must_use]
    pub const fn from_rotation(rotation: DQuat) -> Self {
        Self { rotation, translation: DVec3::ZERO }
    }

    /// The transform back: `a_from_b` of `b_from_a`.
    #[inline]
    #[must_use]
    pub fn inverse(self) -> Self {
        let rotation = self.rotation.conjugate();
        Self { rotation, translation: -(rotation * self.translation) }
    }

    /// Maps a point: rotates and translates it.
    #[inline]
    #[must_use]
    pub fn transform_point(self, point: DVec3) -> DVec3 {
        self.rotation * point + self.translation
    }

    /// Maps a direction: rotates it only.
    #[inline]
    #[must_use]
    pub fn transform_vector(self, vector: DVec3) -> DVec3 {
        self.rotation * vector
    }

    /// True when every component is a finite number.
    #[inline]
    #[must_use]
    pub fn is_finite(self) -> bool {
        self.rotation.is_finite() && self.translation.is_finite()
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Mul for Pose {
    type Output = Self;

    #[inline]
    fn mul(self, rhs: Self) -> Self {
        Self {
            rotation: self.rotation * rhs.rotation,
            translation: self.rotation * rhs.translation + self.translation,
        }
    }
}
