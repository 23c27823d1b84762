//! Small rotations between unit directions, by square roots only.

use glam::{DQuat, DVec3};

/// Unit directions whose sum is shorter than this (squared) are opposite: the plane between them is rounding noise.
const OPPOSITE: f64 = 1e-30;

/// What stands in for a sum of opposite directions is about this long: the turn that it makes is short of a half turn by as
/// much, which is far below rounding.
const NEXT_TO_NOTHING: f64 = 1e-20;

/// The shortest rotation from one unit direction to another; `axis` (unit, perpendicular to `from`) is turned about when
/// they are opposite.
#[inline]
pub(super) fn shortest(from: DVec3, to: DVec3, axis: DVec3) -> DQuat {
    normalised(shortest_unscaled(from, to, axis))
}

/// [`shortest`] times some positive number, and never a half turn quite, so that `w` says how short of one it is.
///
/// The same method as [`shortest_rotation`](crate::math::shortest_rotation), for vectors that are known to be unit and
/// with the caller's rule at the half turn.
#[inline]
pub(super) fn shortest_unscaled(from: DVec3, to: DVec3, axis: DVec3) -> DQuat {
    let cos = from.dot(to);
    let mut sum = from + to;
    let mut size_squared = sum.dot(sum);
    if size_squared < OPPOSITE {
        // The sum that would have made the turn about `axis`.
        sum = axis.cross(from) * NEXT_TO_NOTHING;
        size_squared = sum.dot(sum);
    }
    // The cross product with the sum or the difference keeps its digits where the one with `to` cancels.
    let acute = cos > 0.0;
    let across = from.cross(if acute { to - from } else { sum });
    quaternion(across, if acute { 1.0 + cos } else { 0.5 * size_squared })
}

/// The rotation about a unit axis by the angle whose cosine and sine have the ratio given, times some positive number.
#[inline]
pub(super) fn about_unscaled(axis: DVec3, cos: f64, sin: f64) -> DQuat {
    let (cos_half, sin_half) = half_ratio(cos, sin, (cos * cos + sin * sin).sqrt());
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

/// A quaternion from its parts.
#[inline]
pub(super) fn quaternion(vector: DVec3, w: f64) -> DQuat {
    DQuat::from_xyzw(vector.x, vector.y, vector.z, w)
}

/// The rotation that a quaternion of any length but zero stands for, with unit length.
#[inline]
pub(super) fn normalised(q: DQuat) -> DQuat {
    let size_squared = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    let scale = if size_squared > 1e-280 {
        1.0 / size_squared.sqrt()
    } else {
        small_scale(q.x, q.y, q.z, q.w)
    };
    DQuat::from_xyzw(q.x * scale, q.y * scale, q.z * scale, q.w * scale)
}

/// The number that brings a quaternion to unit length where the squares would underflow. One number in, one out, so that
/// the hot path keeps its values in registers.
#[cold]
fn small_scale(x: f64, y: f64, z: f64, w: f64) -> f64 {
    let largest = x.abs().max(y.abs()).max(z.abs()).max(w.abs());
    debug_assert!(largest > 0.0, "the zero quaternion stands for no rotation");
    if largest <= 0.0 {
        return 0.0;
    }
    let (x, y, z, w) = (x / largest, y / largest, z / largest, w / largest);
    1.0 / ((x * x + y * y + z * z + w * w).sqrt() * largest)
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
pub(super) fn short_way(rotation: DQuat) -> DQuat {
    if rotation.w < 0.0 { -rotation } else { rotation }
}

/// The part `weight` (0..=1) of a rotation with w ≥ 0, by normalised linear interpolation from the identity.
#[inline]
pub(super) fn part(rotation: DQuat, weight: f64) -> DQuat {
    let (x, y, z) = (rotation.x * weight, rotation.y * weight, rotation.z * weight);
    let w = (1.0 - weight) + rotation.w * weight;
    let scale = 1.0 / (x * x + y * y + z * z + w * w).sqrt();
    DQuat::from_xyzw(x * scale, y * scale, z * scale, w * scale)
}

/// The part of `vector` at right angles to the unit vector `normal`.
#[inline]
pub(super) fn reject(vector: DVec3, normal: DVec3) -> DVec3 {
    vector - normal * vector.dot(normal)
}
