//! Small rotations between unit directions, by square roots only.

use glam::{DQuat, DVec3};

/// Unit directions whose sum is shorter than this (squared) are opposite: the plane between them is rounding noise.
const OPPOSITE: f64 = 1e-24;

/// The shortest rotation from one unit direction to another; `axis` (unit, perpendicular to `from`) is turned about when
/// they are opposite.
///
/// The same method as [`shortest_rotation`](crate::math::shortest_rotation), for vectors that are known to be unit and
/// with the caller's rule at the half turn.
#[inline]
pub(super) fn shortest(from: DVec3, to: DVec3, axis: DVec3) -> DQuat {
    let cos = from.dot(to);
    // The cross product with the sum or the difference keeps its digits where the one with `to` cancels.
    let (across, w) = if cos > 0.0 {
        (from.cross(to - from), 1.0 + cos)
    } else {
        let sum = from + to;
        let size_squared = sum.dot(sum);
        if size_squared < OPPOSITE {
            return DQuat::from_xyzw(axis.x, axis.y, axis.z, 0.0);
        }
        (from.cross(sum), 0.5 * size_squared)
    };
    let scale = 1.0 / (across.dot(across) + w * w).sqrt();
    DQuat::from_xyzw(across.x * scale, across.y * scale, across.z * scale, w * scale)
}

/// The rotation about a unit axis by the angle whose cosine and sine have the ratio given; they need no common length 1.
/// Both zero gives no rotation.
#[inline]
pub(super) fn about(axis: DVec3, cos: f64, sin: f64) -> DQuat {
    let size = (cos * cos + sin * sin).sqrt();
    // tan(θ/2) is sin/(1 + cos) and also (1 − cos)/sin; the one that adds like signs is accurate.
    let (cos_half, sin_half) = if cos >= 0.0 { (size + cos, sin) } else { (sin, size - cos) };
    let half_size_squared = cos_half * cos_half + sin_half * sin_half;
    if half_size_squared <= 0.0 {
        return DQuat::IDENTITY;
    }
    let scale = 1.0 / half_size_squared.sqrt();
    about_half(axis, cos_half * scale, sin_half * scale)
}

/// The rotation about a unit axis with the given cosine and sine of *half* its angle.
#[inline]
pub(super) fn about_half(axis: DVec3, cos_half: f64, sin_half: f64) -> DQuat {
    DQuat::from_xyzw(axis.x * sin_half, axis.y * sin_half, axis.z * sin_half, cos_half)
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
