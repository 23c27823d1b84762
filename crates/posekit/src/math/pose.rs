//! Rigid transforms.

use super::rotation::{UNIT_TOLERANCE, normalised};
use crate::error::{Error, ErrorKind, Result};
use core::ops::Mul;
use glam::{DAffine3, DMat3, DMat4, DQuat, DVec3};

/// A rigid transform: a rotation followed by a translation, no scale.
///
/// Named `b_from_a`, it maps coordinates in frame `a` to coordinates in frame `b`, and products read by adjacency:
/// `world_from_tool = world_from_base * base_from_tool`.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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

    /// The pose as an affine transform.
    #[inline]
    #[must_use]
    pub fn to_affine3(self) -> DAffine3 {
        DAffine3::from_rotation_translation(self.rotation, self.translation)
    }

    /// The pose as a homogeneous 4 × 4 matrix for column vectors: the translation is its last column.
    #[inline]
    #[must_use]
    pub fn to_mat4(self) -> DMat4 {
        DMat4::from_rotation_translation(self.rotation, self.translation)
    }

    /// The pose of an affine transform that rotates and translates only.
    ///
    /// What a text file or single precision rounds is accepted: columns within 0.001 of unit length, and of right angles to
    /// each other. The rotation is then of unit length to rounding, with an error of the size of the matrix's own.
    ///
    /// # Errors
    /// - [`Error::is_not_finite`] for NaN and infinity; `index` counts the 12 numbers column by column.
    /// - [`Error::is_degenerate`] for scale, shear and mirroring, in this order.
    ///
    /// # Example
    /// ```
    /// use posekit::glam::{DAffine3, DVec3};
    /// use posekit::math::Pose;
    ///
    /// let scaled = DAffine3::from_scale(DVec3::new(1.0, 2.0, 1.0));
    /// let error = Pose::try_from_affine3(scaled).unwrap_err();
    /// assert_eq!(error.to_string(), "matrix is not a rigid transform: it has scale (2.0)");
    /// ```
    pub fn try_from_affine3(matrix: DAffine3) -> Result<Self> {
        if let Some(index) = matrix.to_cols_array().iter().position(|x| !x.is_finite()) {
            return Err(ErrorKind::NonFinite { what: "matrix", index }.into());
        }
        let rotation = check_rotation(matrix.matrix3)?;
        Ok(Self { rotation, translation: matrix.translation })
    }

    /// The pose of a homogeneous 4 × 4 matrix for column vectors that rotates and translates only.
    ///
    /// # Errors
    /// As [`try_from_affine3`](Self::try_from_affine3), with `index` counting the 16 numbers column by column; besides
    /// [`Error::is_degenerate`] where the last row is not exactly 0, 0, 0, 1.
    pub fn try_from_mat4(matrix: DMat4) -> Result<Self> {
        if let Some(index) = matrix.to_cols_array().iter().position(|x| !x.is_finite()) {
            return Err(ErrorKind::NonFinite { what: "matrix", index }.into());
        }
        let last_row = matrix.row(3).to_array();
        let off = last_row
            .into_iter()
            .zip([0.0, 0.0, 0.0, 1.0])
            .find(|(found, expected)| found != expected);
        match off {
            Some((value, _)) => Err(not_rigid("projection", value)),
            None => Self::try_from_affine3(DAffine3::from_mat4(matrix)),
        }
    }

    /// True when every component is a finite number.
    #[inline]
    #[must_use]
    pub fn is_finite(self) -> bool {
        self.rotation.is_finite() && self.translation.is_finite()
    }
}

/// The rotation of a finite matrix that only rotates, to [`UNIT_TOLERANCE`].
fn check_rotation(matrix: DMat3) -> Result<DQuat> {
    let columns = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
    let is_off = |value: f64, expected: f64| (value - expected).abs() > UNIT_TOLERANCE;
    if let Some(value) = columns.map(DVec3::length).into_iter().find(|&length| is_off(length, 1.0))
    {
        return Err(not_rigid("scale", value));
    }
    let [x, y, z] = columns;
    if let Some(value) = [x.dot(y), y.dot(z), z.dot(x)].into_iter().find(|&cos| is_off(cos, 0.0)) {
        return Err(not_rigid("shear", value));
    }
    let determinant = matrix.determinant();
    if determinant < 0.0 {
        return Err(not_rigid("mirroring", determinant));
    }
    Ok(normalised(DQuat::from_mat3(&matrix)))
}

fn not_rigid(fault: &'static str, value: f64) -> Error {
    ErrorKind::NotRigid { what: "matrix", fault, value }.into()
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

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString as _;
    use proptest::prelude::*;

    #[test]
    fn matrices_that_are_not_rigid_are_refused_by_name() {
        let refused = |matrix: DMat3, fault, value| {
            let error = Pose::try_from_affine3(DAffine3::from_mat3(matrix)).unwrap_err();
            assert_eq!(error, not_rigid(fault, value));
            assert!(error.is_degenerate());
        };
        refused(DMat3::from_diagonal(DVec3::new(1.0, 1.0, 0.5)), "scale", 0.5);
        refused(DMat3::ZERO, "scale", 0.0);
        refused(DMat3::from_diagonal(DVec3::new(1.0, -1.0, 1.0)), "mirroring", -1.0);
        let sheared = DMat3::from_cols(DVec3::X, DVec3::new(0.6, 0.8, 0.0), DVec3::Z);
        refused(sheared, "shear", 0.6);
        let mut projection = DMat4::IDENTITY;
        projection.y_axis.w = 0.25;
        let error = Pose::try_from_mat4(projection).unwrap_err();
        assert_eq!(error, not_rigid("projection", 0.25));
        for index in 0..16 {
            let mut numbers = DMat4::IDENTITY.to_cols_array();
            numbers[index] = f64::NAN;
            let error = Pose::try_from_mat4(DMat4::from_cols_array(&numbers)).unwrap_err();
            assert_eq!(error, ErrorKind::NonFinite { what: "matrix", index }.into());
        }
        let huge = DAffine3::from_scale(DVec3::splat(f64::MAX));
        let error = Pose::try_from_affine3(huge).unwrap_err();
        assert!(error.to_string().contains("it has scale"), "{error}");
    }

    proptest! {
        #[test]
        fn matrices_and_poses_convert_both_ways(
            numbers in prop::array::uniform4(-1.0..1.0_f64), at in prop::array::uniform3(-1e3..1e3_f64)
        ) {
            let rotation = DQuat::from_array(numbers);
            prop_assume!(rotation.length() > 0.1);
            let pose = Pose { rotation: normalised(rotation), translation: DVec3::from_array(at) };
            // Single precision is good enough.
            let single = pose.to_mat4().as_mat4().as_dmat4();
            for (back, tolerance) in [
                (Pose::try_from_mat4(pose.to_mat4()), 1e-15),
                (Pose::try_from_affine3(pose.to_affine3()), 1e-15),
                (Pose::try_from_mat4(single), 1e-6),
            ] {
                let back = back.unwrap();
                prop_assert!(back.rotation.dot(pose.rotation).abs() > 1.0 - tolerance);
                prop_assert!((back.rotation.length() - 1.0).abs() < 1e-15);
                prop_assert!(back.translation.distance(pose.translation) <= 1e2 * tolerance);
                let point = DVec3::new(1.0, -2.0, 3.0);
                let moved = pose.to_affine3().transform_point3(point);
                prop_assert!(moved.distance(pose.transform_point(point)) < 1e-12);
            }
        }
    }
}
