//! Rotations and directions.

use super::angle::{atan2, half_angle, sin_cos};
use core::f64::consts::PI;
use glam::{DQuat, DVec3};

/// Two unit vectors whose sum is shorter than this are opposite: below it the sum is rounding noise and names no plane to turn in.
/// Larger, and ordinary near-opposite directions would lose their plane; smaller, and noise would choose it.
const OPPOSITE: f64 = 1e-15;

/// A rotation whose part about the axis is smaller than this is a swing by half a turn, and its twist is noise.
const NO_TWIST: f64 = 1e-15;

/// Rotation by an angle \[rad\] about a unit axis, right-handed.
#[inline]
#[must_use]
pub fn rotation_about(axis_unit: DVec3, angle: f64) -> DQuat {
    let (sin_half, cos_half) = sin_cos(0.5 * angle);
    from_parts(axis_unit * sin_half, cos_half)
}

/// Rotation about a unit axis by the angle in (-pi, pi] with this cosine and sine, by square roots only.
#[inline]
#[must_use]
pub fn rotation_from_cos_sin(axis_unit: DVec3, cos: f64, sin: f64) -> DQuat {
    let (cos_half, sin_half) = half_angle(cos, sin);
    from_parts(axis_unit * sin_half, cos_half)
}

/// The smallest rotation that turns one direction into another; no twist about either.
///
/// - `from`, `to`: vectors of any length > 0, in one frame
///
/// Accurate to rounding at every angle, the smallest and the half turn included.
///
/// # Degenerate cases
/// - Opposite directions (to rounding): half a turn about [`perpendicular`]`(from)`.
/// - A zero or non-finite vector: the identity.
/// # Method
/// The quaternion `(from × to, |from| |to| + from · to)`, normalised. Past 120 degrees its w cancels; there the unit vectors' sum `s`,
/// which is exact when it is small, gives the same rotation as `(from × s, |s|²/2)`.
#[inline]
#[must_use]
pub fn shortest_rotation(from: DVec3, to: DVec3) -> DQuat {
    // Inside these bounds no product below overflows or loses digits to underflow.
    const SAFE: core::ops::Range<f64> = 1e-100..1e100;
    let (from_squared, to_squared) = (from.length_squared(), to.length_squared());
    if SAFE.contains(&from_squared) && SAFE.contains(&to_squared) {
        let lengths = (from_squared * to_squared).sqrt();
        let dot = from.dot(to);
        if dot > -0.5 * lengths {
            return normalised(from.cross(to), lengths + dot);
        }
    }
    careful_shortest_rotation(from, to)
}

/// [`shortest_rotation`] for any lengths and any angle.
fn careful_shortest_rotation(from: DVec3, to: DVec3) -> DQuat {
    let from = direction_or(from, DVec3::ZERO);
    let to = direction_or(to, DVec3::ZERO);
    if from == DVec3::ZERO || to == DVec3::ZERO {
        return DQuat::IDENTITY;
    }
    let cosine = from.dot(to);
    if cosine > -0.5 {
        return normalised(from.cross(to), 1.0 + cosine);
    }
    let sum = from + to;
    let sum_squared = sum.length_squared();
    if sum_squared < OPPOSITE * OPPOSITE {
        return from_parts(perpendicular(from), 0.0);
    }
    normalised(from.cross(sum), 0.5 * sum_squared)
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

/// The unit vector along `v`, or `fallback` (returned as it is) when `v` is zero or not finite.
///
/// Neither overflows nor underflows: lengths from the smallest to the largest `f64` give a unit vector.
#[inline]
#[must_use]
pub fn direction_or(v: DVec3, fallback: DVec3) -> DVec3 {
    // Inside these bounds the square neither overflows nor loses digits to underflow.
    const SAFE: core::ops::Range<f64> = 1e-200..1e200;
    let length_squared = v.length_squared();
    if SAFE.contains(&length_squared) {
        v / length_squared.sqrt()
    } else {
        scaled_direction(v).unwrap_or(fallback)
    }
}

/// The slow path of [`direction_or`]: the largest component is scaled to about 1 before anything is squared.
#[cold]
fn scaled_direction(v: DVec3) -> Option<DVec3> {
    let largest = v.abs().max_element();
    if !v.is_finite() || largest == 0.0 {
        return None;
    }
    // Subnormal components have few digits but exact ones; a power of two (2^511) lifts them before the division would round.
    let lift = if largest < 1.0 { f64::from_bits(0x5fe0_0000_0000_0000) } else { 1.0 };
    let scaled = v * lift;
    let scaled = scaled / scaled.abs().max_element();
    Some(scaled / scaled.length())
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
    let size = (along * along + q.w * q.w).sqrt();
    if size < NO_TWIST {
        return SwingTwist { swing: q, twist: 0.0 };
    }
    let (cos_half, sin_half) = (q.w / size, along / size);
    let swing = q * from_parts(-axis_unit * sin_half, cos_half);
    let twist = 2.0 * atan2(sin_half, cos_half);
    SwingTwist { swing, twist: if twist <= -PI { PI } else { twist } }
}

/// The one of `q` and `-q` (the same rotation) with w >= 0; when w is zero, the one whose first non-zero component is positive.
#[inline]
#[must_use]
pub fn canonical(q: DQuat) -> DQuat {
    let leading = [q.w, q.x, q.y, q.z].into_iter().find(|component| *component != 0.0);
    if leading.is_some_and(|component| component < 0.0) { -q } else { q }
}

#[inline]
fn from_parts(vector: DVec3, w: f64) -> DQuat {
    DQuat::from_xyzw(vector.x, vector.y, vector.z, w)
}

#[inline]
fn normalised(vector: DVec3, w: f64) -> DQuat {
    let scale = 1.0 / (vector.length_squared() + w * w).sqrt();
    from_parts(vector * scale, w * scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{cos, sin};
    use proptest::prelude::*;

    fn unit() -> impl Strategy<Value = DVec3> {
        (-1.0..1.0_f64, -PI..PI).prop_map(|(z, angle)| {
            let r = (1.0 - z * z).sqrt();
            DVec3::new(r * cos(angle), r * sin(angle), z)
        })
    }

    fn quaternion() -> impl Strategy<Value = DQuat> {
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
        let q = rotation_from_cos_sin(DVec3::Z, 0.0, 1.0);
        assert!((q * DVec3::X - DVec3::Y).length() < 1e-15);
    }

    #[test]
    fn opposite_directions_turn_about_the_perpendicular() {
        for v in [DVec3::X, DVec3::Y, DVec3::Z, DVec3::new(1.0, -2.0, 3.0)] {
            let q = shortest_rotation(v, -3.0 * v);
            let axis = perpendicular(v);
            assert_eq!(q, DQuat::from_xyzw(axis.x, axis.y, axis.z, 0.0));
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
        fn swing_twist_recomposes(q in quaternion(), axis in unit()) {
            let split = swing_twist(q, axis);
            prop_assert!(same_rotation(split.rotation(axis), q));
            prop_assert!(split.swing.xyz().dot(axis).abs() < 1e-14);
            prop_assert!(split.swing.w >= 0.0);
            prop_assert!(split.twist > -PI && split.twist <= PI);
            prop_assert_eq!(split, swing_twist(-q, axis));
        }

        #[test]
        fn rotation_from_cos_sin_is_rotation_about(axis in unit(), angle in -PI..PI) {
            let (s, c) = sin_cos(angle);
            let difference = rotation_from_cos_sin(axis, c, s) - rotation_about(axis, angle);
            prop_assert!(difference.length() < 1e-15);
        }
    }
}
