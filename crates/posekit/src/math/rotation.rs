//! Rotations and directions.

use super::angle::{atan2, sin_cos};
use super::direction::direction_or;
use super::sqrt;
use core::f64::consts::PI;
use glam::{DQuat, DVec3};

/// Unit vectors whose sum is shorter than this (squared) are opposite: below it the sum is rounding noise and defines no plane.
/// Larger, and ordinary near-opposite directions would lose their plane; smaller, and noise would choose it.
const OPPOSITE: f64 = 1e-30;

/// Length of the vector that replaces the sum of opposite directions: the rotation it gives differs from a half turn by as
/// much, far below rounding.
const NEXT_TO_NOTHING: f64 = 1e-20;

/// The tolerance for the length of a unit quaternion that was rounded, for instance in a text file.
pub(crate) const UNIT_TOLERANCE: f64 = 1e-3;

/// A quaternion whose squared length is this close to 1 is unchanged, so that normalising twice changes nothing.
const UNIT_ROUNDING: f64 = 1e-15;

/// A rotation whose part about the axis is smaller than this is a swing by half a turn, and its twist is noise.
const NO_TWIST: f64 = 1e-15;

/// Rotation by an angle \[rad\] about a unit axis, right-handed.
#[inline]
#[must_use]
pub fn rotation_about(axis_unit: DVec3, angle: f64) -> DQuat {
    let (sin_half, cos_half) = sin_cos(0.5 * angle);
    quaternion(axis_unit * sin_half, cos_half)
}

/// The smallest rotation that takes one direction to another; no twist about either.
///
/// - `from`, `to`: vectors of any length > 0, in one frame
///
/// Accurate to rounding at every angle, the smallest and the half turn included.
///
/// # Degenerate cases
/// - Opposite directions (to rounding): half a turn about [`perpendicular`]`(from)`.
/// - A zero or non-finite vector: the identity.
#[inline]
#[must_use]
pub fn shortest_rotation(from: DVec3, to: DVec3) -> DQuat {
    let (from, to) = (direction_or(from, DVec3::ZERO), direction_or(to, DVec3::ZERO));
    if from == DVec3::ZERO || to == DVec3::ZERO {
        return DQuat::IDENTITY;
    }
    let sum = from + to;
    if sum.dot(sum) < OPPOSITE {
        // With a `w` of exactly zero a straight chain folds onto its own line: nothing but the solver bends it.
        return quaternion(perpendicular(from), 0.0);
    }
    shortest_between(from, to, DVec3::ZERO)
}

/// [`shortest_rotation`] between unit vectors; where they are opposite, half a turn about `axis` (unit, perpendicular to `from`).
#[inline]
pub(crate) fn shortest_between(from: DVec3, to: DVec3, axis: DVec3) -> DQuat {
    normalised(shortest_unscaled(from, to, axis))
}

/// [`shortest_between`] times a positive number. Its `w` is never exactly zero, so that it measures the distance from a half turn.
///
/// # Method
/// The quaternion `(from × to, 1 + from · to)`. Near zero the cross product is taken with the difference of the vectors, past
/// a right angle with their sum `s`, because these are exact where they are small; `1 + from · to` is `|s|²/2` there.
#[inline]
pub(crate) fn shortest_unscaled(from: DVec3, to: DVec3, axis: DVec3) -> DQuat {
    let cos = from.dot(to);
    let mut sum = from + to;
    let mut sum_squared = sum.dot(sum);
    if sum_squared < OPPOSITE {
        // The sum that gives the half turn about `axis`.
        sum = axis.cross(from) * NEXT_TO_NOTHING;
        sum_squared = sum.dot(sum);
    }
    let is_acute = cos > 0.0;
    let across = from.cross(if is_acute { to - from } else { sum });
    quaternion(across, if is_acute { 1.0 + cos } else { 0.5 * sum_squared })
}

/// A unit vector at right angles to another, by a fixed rule: the cross product of `v` with the coordinate axis along which `v`
/// has the smallest size (ties: x, then y, then z).
///
/// # Degenerate cases
/// A zero or non-finite vector gives +x.
#[inline]
#[must_use]
pub fn perpendicular(v: DVec3) -> DVec3 {
    let size = v.abs();
    let axis = if size.x <= size.y && size.x <= size.z {
        DVec3::X
    } else if size.y <= size.z {
        DVec3::Y
    } else {
        DVec3::Z
    };
    direction_or(v.cross(axis), DVec3::X)
}

/// A rotation split into a twist about an axis and a swing that moves the axis: `rotation = swing * twist about axis`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SwingTwist {
    /// The swing: its own axis is at right angles to the twist axis, its angle is in \[0, pi\] (w >= 0).
    pub swing: DQuat,
    /// The twist about the axis, in (-pi, pi] \[rad\].
    pub twist: f64,
}

impl SwingTwist {
    /// The angle of the swing, in \[0, pi\] \[rad\].
    #[inline]
    #[must_use]
    pub fn swing_angle(self) -> f64 {
        2.0 * atan2(self.swing.xyz().length(), self.swing.w.abs())
    }

    /// The rotation put together again, about the axis it was split along.
    #[inline]
    #[must_use]
    pub fn rotation(self, axis_unit: DVec3) -> DQuat {
        self.swing * rotation_about(axis_unit, self.twist)
    }
}

/// Splits a unit rotation into `swing * twist`, the twist about `axis_unit`. `q` and `-q` give the same split.
///
/// # Degenerate cases
/// - A swing by half a turn leaves the twist undefined: it is 0 then, and the swing is the rotation itself.
/// - A twist by half a turn is +pi.
/// # Method
/// Projection of the quaternion on the axis \[dobrowolski15\].
#[inline]
#[must_use]
pub fn swing_twist(rotation: DQuat, axis_unit: DVec3) -> SwingTwist {
    let q = canonical(rotation);
    let along = q.xyz().dot(axis_unit);
    let size = sqrt(along * along + q.w * q.w);
    if size < NO_TWIST {
        return SwingTwist { swing: q, twist: 0.0 };
    }
    let (cos_half, sin_half) = (q.w / size, along / size);
    let swing = q * quaternion(-axis_unit * sin_half, cos_half);
    let twist = 2.0 * atan2(sin_half, cos_half);
    SwingTwist { swing, twist: if twist <= -PI { PI } else { twist } }
}

/// The one of `q` and `-q` (the same rotation) with w >= 0; when w is zero, the one whose first non-zero component is positive.
#[inline]
#[must_use]
pub(crate) fn canonical(q: DQuat) -> DQuat {
    let leading = [q.w, q.x, q.y, q.z].into_iter().find(|component| *component != 0.0);
    if leading.is_some_and(|component| component < 0.0) { -q } else { q }
}

/// A quaternion from its vector part and `w`.
#[inline]
pub(crate) fn quaternion(vector: DVec3, w: f64) -> DQuat {
    DQuat::from_xyzw(vector.x, vector.y, vector.z, w)
}

/// A quaternion of any length but zero, and not above 1e150, at unit length: the one place that normalises a quaternion.
#[inline]
pub(crate) fn normalised(q: DQuat) -> DQuat {
    let size_squared = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    let scale = if size_squared > 1e-280 {
        1.0 / sqrt(size_squared)
    } else {
        small_scale(q.x, q.y, q.z, q.w)
    };
    DQuat::from_xyzw(q.x * scale, q.y * scale, q.z * scale, q.w * scale)
}

/// The factor that brings a quaternion to unit length where the squares would underflow. One number in, one out, so that
/// the hot path keeps its values in registers.
#[cold]
fn small_scale(x: f64, y: f64, z: f64, w: f64) -> f64 {
    let largest = x.abs().max(y.abs()).max(z.abs()).max(w.abs());
    debug_assert!(largest > 0.0, "the zero quaternion is no rotation");
    if largest <= 0.0 {
        return 0.0;
    }
    let (x, y, z, w) = (x / largest, y / largest, z / largest, w / largest);
    1.0 / (sqrt(x * x + y * y + z * z + w * w) * largest)
}

/// A quaternion at unit length: unchanged where it is of unit length to rounding, the identity for zero and for what is not finite.
#[inline]
pub(crate) fn unit_or_identity(q: DQuat) -> DQuat {
    let length_squared = q.length_squared();
    if (length_squared - 1.0).abs() <= UNIT_ROUNDING {
        return q;
    }
    let largest = q.x.abs().max(q.y.abs()).max(q.z.abs()).max(q.w.abs());
    match (largest > 0.0 && q.is_finite(), largest < 1e100) {
        (true, true) => normalised(q),
        (true, false) => normalised(q * (1.0 / largest)),
        (false, _) => DQuat::IDENTITY,
    }
}

/// `Err` with its length when a quaternion is further than [`UNIT_TOLERANCE`] from unit length. NaN is refused too.
pub(crate) fn check_unit(rotation: DQuat) -> Result<(), f64> {
    let length = rotation.length();
    if (length - 1.0).abs() <= UNIT_TOLERANCE { Ok(()) } else { Err(length) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{cos, sin};
    use alloc::format;
    use proptest::prelude::*;

    fn unit() -> impl Strategy<Value = DVec3> {
        (-1.0..1.0_f64, -PI..PI).prop_map(|(z, angle)| {
            let r = sqrt(1.0 - z * z);
            DVec3::new(r * cos(angle), r * sin(angle), z)
        })
    }

    fn rotations() -> impl Strategy<Value = DQuat> {
        (unit(), -TURN..TURN).prop_map(|(axis, angle)| rotation_about(axis, angle))
    }

    const TURN: f64 = 2.0 * PI;

    fn same_rotation(a: DQuat, b: DQuat) -> bool {
        (a.dot(b).abs() - 1.0).abs() < 1e-14
    }

    #[test]
    fn quarter_turn_about_z_maps_x_to_y() {
        let q = rotation_about(DVec3::Z, 0.5 * PI);
        assert!((q * DVec3::X - DVec3::Y).length() < 1e-15);
    }

    #[test]
    fn opposite_directions_turn_about_the_perpendicular() {
        for v in [DVec3::X, DVec3::Y, DVec3::Z, DVec3::new(1.0, -2.0, 3.0)] {
            let q = shortest_rotation(v, -3.0 * v);
            let axis = perpendicular(v);
            assert_eq!(q, quaternion(axis, 0.0));
            assert!((q * v + v).length() < 4e-15);
        }
        assert_eq!(perpendicular(DVec3::X), DVec3::Z);
        assert_eq!(perpendicular(DVec3::Z), DVec3::Y);
    }

    #[test]
    fn shortest_rotation_of_nothing_is_the_identity() {
        for bad in [DVec3::ZERO, DVec3::NAN, DVec3::new(f64::INFINITY, 0.0, 0.0)] {
            assert_eq!(shortest_rotation(bad, DVec3::X), DQuat::IDENTITY);
            assert_eq!(shortest_rotation(DVec3::X, bad), DQuat::IDENTITY);
            assert_eq!(perpendicular(bad), DVec3::X);
            assert_eq!(direction_or(bad, DVec3::Y), DVec3::Y);
        }
    }

    #[test]
    fn shortest_rotation_keeps_tiny_angles() {
        for scale in [1e-250, 1.0, 1e250] {
            let q = shortest_rotation(DVec3::X * scale, DVec3::new(1.0, 1e-9, 0.0) * scale);
            assert!((q.z / 0.5e-9 - 1.0).abs() < 1e-14, "at {scale}: {q}");
        }
        for angle in [1e-9, 1e-15, 1e-40, 1e-200] {
            let q = shortest_rotation(DVec3::X, DVec3::new(1.0, angle, 0.0));
            assert!((q.z / (0.5 * angle) - 1.0).abs() < 1e-14, "{angle} gave {q}");
            let q = shortest_rotation(DVec3::X, DVec3::new(-1.0, angle.max(1e-12), 0.0));
            assert!((q.z - 1.0).abs() < 1e-14 && q.x == 0.0 && q.y == 0.0);
            assert!((q.w / (0.5 * angle.max(1e-12)) - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn direction_survives_every_length() {
        let v = DVec3::new(2.0, -3.0, 6.0) / 7.0;
        for exponent in -300..=300 {
            let scale: f64 = format!("1e{exponent}").parse().unwrap();
            let direction = direction_or(v * scale, DVec3::ZERO);
            assert!((direction - v).length() < 1e-15, "at 1e{exponent}: {direction}");
        }
        assert_eq!(direction_or(DVec3::X * f64::MAX, DVec3::ZERO), DVec3::X);
        assert_eq!(direction_or(-DVec3::Z * 5e-324, DVec3::ZERO), -DVec3::Z);
        let all = direction_or(DVec3::splat(5e-324), DVec3::ZERO);
        assert!((all.length() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn swing_by_half_a_turn_has_no_twist() {
        let q = rotation_about(DVec3::X, PI);
        let split = swing_twist(q, DVec3::Z);
        assert!(split.twist.abs() < 1e-12 || (split.twist.abs() - PI).abs() < 1e-12);
        let exact = swing_twist(DQuat::from_xyzw(-1.0, 0.0, 0.0, 0.0), DVec3::Z);
        assert_eq!(exact.twist, 0.0);
        assert_eq!(exact.swing, DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0));
        assert!((exact.swing_angle() - PI).abs() < 1e-15);
    }

    #[test]
    fn twist_by_half_a_turn_is_plus_pi() {
        for z in [1.0, -1.0] {
            let split = swing_twist(DQuat::from_xyzw(0.0, 0.0, z, 0.0), DVec3::Z);
            assert_eq!(split.twist, PI);
            assert!(same_rotation(split.swing, DQuat::IDENTITY));
        }
    }

    #[test]
    fn canonical_breaks_ties_by_the_first_component() {
        assert_eq!(canonical(DQuat::from_xyzw(0.0, -1.0, 0.0, 0.0)).y, 1.0);
        assert_eq!(canonical(DQuat::from_xyzw(0.0, 0.6, -0.8, 0.0)).z, -0.8);
        assert_eq!(canonical(-DQuat::IDENTITY), DQuat::IDENTITY);
    }

    proptest! {
        #[test]
        fn shortest_rotation_arrives_without_twist(a in unit(), b in unit(), la in 1e-3..1e3_f64) {
            let q = shortest_rotation(a * la, b);
            prop_assert!((q * a - b).length() < 1e-14);
            prop_assert!((q.length() - 1.0).abs() < 1e-15);
            prop_assert!(q.xyz().dot(a).abs() < 1e-14);
        }

        #[test]
        fn shortest_rotation_arrives_when_almost_opposite(a in unit(), exponent in 1_i32..14) {
            let off: f64 = format!("1e-{exponent}").parse().unwrap();
            let b = direction_or(perpendicular(a) * off - a, DVec3::ZERO);
            let q = shortest_rotation(a, b);
            prop_assert!((q * a - b).length() < 2e-15);
            prop_assert!((q.length() - 1.0).abs() < 1e-15);
        }

        #[test]
        fn perpendicular_is_perpendicular(a in unit(), scale in 1e-3..1e3_f64) {
            let p = perpendicular(a * scale);
            prop_assert!(p.dot(a).abs() < 1e-15 && (p.length() - 1.0).abs() < 1e-15);
        }

        #[test]
        fn swing_twist_recomposes(q in rotations(), axis in unit()) {
            let split = swing_twist(q, axis);
            prop_assert!(same_rotation(split.rotation(axis), q));
            prop_assert!(split.swing.xyz().dot(axis).abs() < 1e-14);
            prop_assert!(split.swing.w >= 0.0);
            prop_assert!(split.twist > -PI && split.twist <= PI);
            prop_assert_eq!(split, swing_twist(-q, axis));
        }
    }
}
