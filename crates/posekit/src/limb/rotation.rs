//! Rotations from half angles, by square roots only.

use crate::math::{normalised, quaternion, sqrt};
use glam::{DQuat, DVec3};

/// The rotation about a unit axis by the angle whose cosine and sine have the ratio given, times a positive number.
#[inline]
pub(super) fn about_unscaled(axis: DVec3, cos: f64, sin: f64) -> DQuat {
    let (cos_half, sin_half) = half_ratio(cos, sin, sqrt(cos * cos + sin * sin));
    about_half(axis, cos_half, sin_half)
}

/// Numbers in the ratio of the cosine to the sine of half an angle, from cosine and sine of the angle times `size`.
#[inline]
pub(super) fn half_ratio(cos: f64, sin: f64, size: f64) -> (f64, f64) {
    // tan(θ/2) is sin/(1 + cos) and also (1 − cos)/sin; the one that adds like signs is accurate.
    let sum = size + cos.abs();
    if cos >= 0.0 { (sum, sin) } else { (sin, sum) }
}

/// The rotation about a unit axis with the given cosine and sine of *half* its angle, times their common size.
#[inline]
pub(super) fn about_half(axis: DVec3, cos_half: f64, sin_half: f64) -> DQuat {
    quaternion(axis * sin_half, cos_half)
}

/// A vector rotated by a unit quaternion.
#[inline]
pub(super) fn rotate(q: DQuat, v: DVec3) -> DVec3 {
    let axis = DVec3::new(q.x, q.y, q.z);
    let twice = axis.cross(v) * 2.0;
    v + twice * q.w + axis.cross(twice)
}

/// The same rotation with w ≥ 0.
#[inline]
pub(super) fn with_positive_w(rotation: DQuat) -> DQuat {
    if rotation.w < 0.0 { -rotation } else { rotation }
}

/// The part `weight` (0..=1) of a rotation with w ≥ 0, by normalised linear interpolation from the identity.
#[inline]
pub(super) fn part(rotation: DQuat, weight: f64) -> DQuat {
    normalised(quaternion(rotation.xyz() * weight, (1.0 - weight) + rotation.w * weight))
}

/// The part of `vector` at right angles to the unit vector `normal`.
#[inline]
pub(super) fn reject(vector: DVec3, normal: DVec3) -> DVec3 {
    vector - normal * vector.dot(normal)
}
