//! Exponentials, logarithms and their Jacobians on SO(3) and SE(3).
//!
//! | symbol | meaning | shape | unit |
//! |---|---|---|---|
//! | `v`, `w` | rotation vector: axis times angle | 3 | rad |
//! | `t` | length of `v` | 1 | rad |
//! | `x` | `t` squared | 1 | rad² |
//! | `V` | cross-product matrix: `V u = v × u` | 3 × 3 | rad |
//! | `J` | left Jacobian: `exp(v + d) = exp(J d) exp(v)` to first order in `d` | 3 × 3 | 1 |
//!
//! Every coefficient below is an even function of `t`. Near zero its closed form divides zero by zero, so each has a
//! series in `x` of as many terms as `f64` can see at the switch, and the tests compare both sides there.
//! Formulas: \[barfoot24\], chapter 8; notation as in \[sola18\].

use super::angle::{atan2, sin_cos};
use super::pose::Pose;
use super::rotation::canonical;
use super::sqrt;
use core::ops::{Add, Mul, Neg};
use glam::{DMat3, DQuat, DVec3};

/// Below this `x = t²` the Jacobian coefficients use their series \[rad²\].
/// Six terms are then exact to rounding; the closed forms lose about eps / x, which a smaller bound would let grow.
const SERIES_BELOW: f64 = 0.1;

/// A rigid velocity or a small rigid motion: linear part first, then angular, both in the same frame.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Twist {
    /// Linear part \[m\] or \[m/s\].
    pub linear: DVec3,
    /// Angular part, a rotation vector \[rad\] or \[rad/s\].
    pub angular: DVec3,
}

impl Twist {
    /// No motion.
    pub const ZERO: Self = Self { linear: DVec3::ZERO, angular: DVec3::ZERO };

    /// A twist from its parts.
    #[inline]
    #[must_use]
    pub const fn new(linear: DVec3, angular: DVec3) -> Self {
        Self { linear, angular }
    }

    /// The six numbers, linear first.
    #[inline]
    #[must_use]
    pub fn to_array(self) -> [f64; 6] {
        let (l, a) = (self.linear, self.angular);
        [l.x, l.y, l.z, a.x, a.y, a.z]
    }

    /// A twist from six numbers, linear first.
    #[inline]
    #[must_use]
    pub const fn from_array(values: [f64; 6]) -> Self {
        let [lx, ly, lz, ax, ay, az] = values;
        Self { linear: DVec3::new(lx, ly, lz), angular: DVec3::new(ax, ay, az) }
    }
}

impl Neg for Twist {
    type Output = Self;
    fn neg(self) -> Self {
        Self { linear: -self.linear, angular: -self.angular }
    }
}

impl Add for Twist {
    type Output = Self;
    fn add(self, rhs: Self) -> Self {
        Self { linear: self.linear + rhs.linear, angular: self.angular + rhs.angular }
    }
}

impl Mul<f64> for Twist {
    type Output = Self;
    fn mul(self, rhs: f64) -> Self {
        Self { linear: self.linear * rhs, angular: self.angular * rhs }
    }
}

/// The rotation by a rotation vector \[rad\]. Exact to rounding for every length, the smallest included.
///
/// # Degenerate cases
/// Zero gives the identity. A vector so long that its square is not finite (above 1e154 rad, or NaN) has no meaningful angle
/// and gives the identity too.
#[inline]
#[must_use]
pub fn so3_exp(rotation_vector: DVec3) -> DQuat {
    let x = rotation_vector.length_squared();
    if !x.is_finite() {
        return DQuat::IDENTITY;
    }
    let (sin_half_over_t, cos_half) = if x < 1e-4 {
        // sin(t/2) / t and cos(t/2); the next terms are below 1e-18.
        let vector = 0.5 - x * (1.0 / 48.0 - x * (1.0 / 3840.0));
        (vector, 1.0 - x * (1.0 / 8.0 - x * (1.0 / 384.0 - x / 46080.0)))
    } else {
        let t = sqrt(x);
        let (sin_half, cos_half) = sin_cos(0.5 * t);
        (sin_half / t, cos_half)
    };
    let vector = rotation_vector * sin_half_over_t;
    DQuat::from_xyzw(vector.x, vector.y, vector.z, cos_half)
}

/// The shortest rotation vector of a rotation \[rad\]: its length is in \[0, pi\], and `-q` gives the same as `q`.
///
/// The quaternion's length does not matter.
///
/// # Degenerate cases
/// A half turn has two rotation vectors; the one whose first non-zero component is positive is returned. The zero quaternion gives zero.
#[inline]
#[must_use]
pub fn so3_log(rotation: DQuat) -> DVec3 {
    let q = canonical(rotation);
    let vector = q.xyz();
    let sin_squared = vector.length_squared();
    let tan_squared = sin_squared / (q.w * q.w);
    if tan_squared < 1e-4 {
        // 2 atan(r) / (r w) with r = tan(t/2); the next term is below 1e-17.
        let x = tan_squared;
        let series = 1.0 - x * (1.0 / 3.0 - x * (1.0 / 5.0 - x * (1.0 / 7.0)));
        return vector * (2.0 / q.w * series);
    }
    let sin_half = sqrt(sin_squared);
    if sin_half == 0.0 {
        return DVec3::ZERO;
    }
    vector * (2.0 * atan2(sin_half, q.w) / sin_half)
}

/// Interpolation from one rotation to another, on the shorter arc and at constant speed.
///
/// - `part`: 0 for `from`, 1 for `to`; values outside extrapolate
///
/// # Degenerate cases
/// Half a turn apart both arcs are equally short; the sign of the quaternions selects one.
#[must_use]
pub fn slerp(from: DQuat, to: DQuat, part: f64) -> DQuat {
    from * so3_exp(so3_log(from.inverse() * to) * part)
}

/// Left Jacobian of [`so3_exp`]: `exp(v + d) = exp(J d) * exp(v)` to first order in `d`.
///
/// `J = I + (1 - cos t)/t² V + (t - sin t)/t³ V²`.
#[must_use]
pub fn so3_left_jacobian(v: DVec3) -> DMat3 {
    let c = Coefficients::of(v);
    polynomial(v, c.first, c.second)
}

/// Inverse of [`so3_left_jacobian`]: `I - V/2 + (1 - (t/2) cot(t/2))/t² V²`.
///
/// # Degenerate cases
/// Regular up to and at a half turn; grows without bound towards a full turn, where no inverse exists. [`so3_log`] never returns one.
#[inline]
#[must_use]
pub fn so3_left_jacobian_inverse(v: DVec3) -> DMat3 {
    polynomial(v, -0.5, inverse_coefficient(v.length_squared()))
}

/// Right Jacobian of [`so3_exp`]: `exp(v + d) = exp(v) * exp(J d)` to first order in `d`; the left one of `-v`.
#[must_use]
pub fn so3_right_jacobian(v: DVec3) -> DMat3 {
    so3_left_jacobian(-v)
}

/// Inverse of [`so3_right_jacobian`]; the left one of `-v`.
#[inline]
#[must_use]
pub fn so3_right_jacobian_inverse(v: DVec3) -> DMat3 {
    so3_left_jacobian_inverse(-v)
}

/// The rigid motion along a twist for unit time: rotation `exp(angular)`, translation `J(angular) linear`.
#[must_use]
pub fn se3_exp(twist: Twist) -> Pose {
    Pose {
        rotation: so3_exp(twist.angular),
        translation: so3_left_jacobian(twist.angular) * twist.linear,
    }
}

/// The twist whose [`se3_exp`] is the pose, with the shortest rotation vector. Degenerate cases as in [`so3_log`].
#[must_use]
pub fn se3_log(pose: Pose) -> Twist {
    let angular = so3_log(pose.rotation);
    Twist { linear: so3_left_jacobian_inverse(angular) * pose.translation, angular }
}

/// The coefficients of the left Jacobian, functions of `t` alone.
struct Coefficients {
    /// `(1 - cos t) / t²`
    first: f64,
    /// `(t - sin t) / t³`
    second: f64,
}

#[rustfmt::skip]
impl Coefficients {
    const FIRST: [f64; 6] = [
        1.0 / 2.0, -1.0 / 24.0, 1.0 / 720.0, -1.0 / 40320.0, 1.0 / 3_628_800.0, -1.0 / 479_001_600.0,
    ];
    const SECOND: [f64; 6] = [
        1.0 / 6.0, -1.0 / 120.0, 1.0 / 5040.0, -1.0 / 362_880.0, 1.0 / 39_916_800.0, -1.0 / 6_227_020_800.0,
    ];
}

impl Coefficients {
    fn of(v: DVec3) -> Self {
        let x = v.length_squared();
        if x < SERIES_BELOW { Self::by_series(x) } else { Self::in_closed_form(x) }
    }

    fn by_series(x: f64) -> Self {
        Self { first: series(&Self::FIRST, x), second: series(&Self::SECOND, x) }
    }

    fn in_closed_form(x: f64) -> Self {
        let t = sqrt(x);
        let (sin, _) = sin_cos(t);
        // 2 sin²(t/2) instead of 1 - cos t, which cancels near full turns.
        let (sin_half, _) = sin_cos(0.5 * t);
        let one_minus_cos = 2.0 * sin_half * sin_half;
        Self { first: one_minus_cos / x, second: (t - sin) / (x * t) }
    }
}

/// `(1 - (t/2) cot(t/2)) / t²` as a function of `x = t²`.
#[inline]
fn inverse_coefficient(x: f64) -> f64 {
    if x < SERIES_BELOW { inverse_by_series(x) } else { inverse_in_closed_form(x) }
}

/// The terms are `|B(2n)| x^(n-1) / (2n)!`, with `B` the Bernoulli numbers.
#[inline]
#[rustfmt::skip]
fn inverse_by_series(x: f64) -> f64 {
    const TERMS: [f64; 6] = [
        1.0 / 12.0, 1.0 / 720.0, 1.0 / 30240.0, 1.0 / 1_209_600.0, 1.0 / 47_900_160.0, 691.0 / 1_307_674_368_000.0,
    ];
    series(&TERMS, x)
}

fn inverse_in_closed_form(x: f64) -> f64 {
    let half = 0.5 * sqrt(x);
    let (sin_half, cos_half) = sin_cos(half);
    (1.0 - half * cos_half / sin_half) / x
}

/// `I + first V + second V²`, with `V² = v vᵀ - |v|² I`.
#[inline]
fn polynomial(v: DVec3, first: f64, second: f64) -> DMat3 {
    let outer = DMat3::from_cols(v * v.x, v * v.y, v * v.z);
    let square = outer - DMat3::from_diagonal(DVec3::splat(v.length_squared()));
    DMat3::IDENTITY + cross_matrix(v) * first + square * second
}

/// The matrix `V` with `V u = v × u`.
#[inline]
fn cross_matrix(v: DVec3) -> DMat3 {
    DMat3::from_cols(
        DVec3::new(0.0, v.z, -v.y),
        DVec3::new(-v.z, 0.0, v.x),
        DVec3::new(v.y, -v.x, 0.0),
    )
}

/// `terms[0] + terms[1] x + terms[2] x² + ...`, by Horner's rule.
#[inline]
fn series(terms: &[f64; 6], x: f64) -> f64 {
    terms.iter().rev().fold(0.0, |sum, term| sum * x + term)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::rotation_about;
    use alloc::format;
    use core::f64::consts::PI;
    use proptest::prelude::*;

    /// Lengths at which logarithms have failed: zero, the smallest, both sides of every switch to a series, near and at the half turn.
    const LENGTHS: [f64; 16] = [
        0.0,
        1e-300,
        1e-160,
        1e-12,
        1e-8,
        2e-8,
        0.009_999,
        0.010_001,
        0.02,
        0.316_2,
        0.316_3,
        1.0,
        3.0,
        PI - 1e-6,
        PI - 1e-9,
        PI,
    ];

    fn axes() -> [DVec3; 4] {
        [DVec3::X, DVec3::Y, DVec3::Z, DVec3::new(2.0, -3.0, 6.0) / 7.0]
    }

    fn vector(size: f64) -> impl Strategy<Value = DVec3> {
        (-size..size, -size..size, -size..size).prop_map(|(x, y, z)| DVec3::new(x, y, z))
    }

    fn largest_difference(a: DMat3, b: DMat3) -> f64 {
        (a - b).to_cols_array().iter().fold(0.0, |m, e| m.max(e.abs()))
    }

    #[test]
    fn log_of_exp_is_the_vector_at_every_length() {
        for axis in axes() {
            for length in LENGTHS {
                let v = axis * length;
                let tolerance = 4e-16 * (1.0 + length) * length.min(1.0);
                let q = so3_exp(v);
                assert!((so3_log(q) - v).length() <= tolerance, "at {length}: {}", so3_log(q));
                assert!((so3_log(-q) - v).length() <= tolerance, "-q at {length}");
                assert!((q.length() - 1.0).abs() < 4e-16, "length at {length}");
            }
        }
    }

    #[test]
    fn exact_values() {
        assert_eq!(so3_exp(DVec3::ZERO), DQuat::IDENTITY);
        assert_eq!(so3_log(DQuat::IDENTITY), DVec3::ZERO);
        assert_eq!(so3_log(-DQuat::IDENTITY), DVec3::ZERO);
        assert_eq!(so3_log(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0)), DVec3::ZERO);
        assert_eq!(so3_log(DQuat::from_xyzw(0.0, -1.0, 0.0, 0.0)), DVec3::Y * PI);
        assert_eq!(so3_log(DQuat::from_xyzw(0.0, 1.0, 0.0, 0.0)), DVec3::Y * PI);
        assert_eq!(so3_exp(DVec3::splat(1e200)), DQuat::IDENTITY);
        assert_eq!(so3_left_jacobian(DVec3::ZERO), DMat3::IDENTITY);
        assert_eq!(so3_left_jacobian_inverse(DVec3::ZERO), DMat3::IDENTITY);
        assert_eq!(se3_exp(Twist::ZERO), Pose::IDENTITY);
    }

    #[test]
    fn longer_vectors_come_back_the_short_way() {
        let log = so3_log(so3_exp(DVec3::Z * (PI + 0.25)));
        assert!((log + DVec3::Z * (PI - 0.25)).length() < 1e-15);
    }

    #[test]
    fn series_and_closed_forms_meet_at_the_switch() {
        let x = SERIES_BELOW;
        let (a, b) = (Coefficients::by_series(x), Coefficients::in_closed_form(x));
        assert!((a.first - b.first).abs() < 1e-15);
        assert!((a.second - b.second).abs() < 4e-15);
        assert!((inverse_by_series(x) - inverse_in_closed_form(x)).abs() * x < 1e-15);
    }

    #[test]
    fn each_series_term_is_seen() {
        // At x = 1 the closed forms are good to 1e-15 and the sixth term of each series is larger than the bound here.
        let (a, b) = (Coefficients::by_series(1.0), Coefficients::in_closed_form(1.0));
        assert!((a.first - b.first).abs() < 2e-11);
        assert!((a.second - b.second).abs() < 1e-12);
        assert!((inverse_by_series(1.0) - inverse_in_closed_form(1.0)).abs() < 2e-11);
    }

    #[test]
    fn so3_jacobian_and_inverse_are_inverse_at_every_length() {
        for axis in axes() {
            for length in LENGTHS {
                let v = axis * length;
                let product = so3_left_jacobian(v) * so3_left_jacobian_inverse(v);
                assert!(largest_difference(product, DMat3::IDENTITY) < 1e-14, "at {length}");
                let product = so3_right_jacobian(v) * so3_right_jacobian_inverse(v);
                assert!(largest_difference(product, DMat3::IDENTITY) < 1e-14, "at {length}");
            }
        }
    }

    #[test]
    fn so3_jacobian_matches_central_differences() {
        let h = 1e-5;
        for axis in axes() {
            for length in LENGTHS {
                let v = axis * length;
                let (left, right) = (so3_left_jacobian(v), so3_right_jacobian(v));
                let back = so3_exp(v).conjugate();
                for column in 0..3 {
                    let d = DVec3::AXES[column] * h;
                    let (ahead, behind) = (so3_exp(v + d), so3_exp(v - d));
                    let by_left = (so3_log(ahead * back) - so3_log(behind * back)) / (2.0 * h);
                    let by_right = (so3_log(back * ahead) - so3_log(back * behind)) / (2.0 * h);
                    assert!((by_left - left.col(column)).length() < 1e-9, "left at {length}");
                    assert!((by_right - right.col(column)).length() < 1e-9, "right at {length}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn log_undoes_exp(v in vector(1.8)) {
            let log = so3_log(so3_exp(v));
            prop_assert!((log - v).length() < 2e-15);
        }

        #[test]
        fn log_undoes_exp_when_tiny(v in vector(1.8), exponent in -300_i32..0) {
            let scale: f64 = format!("1e{exponent}").parse().unwrap();
            let v = v * scale;
            prop_assert!((so3_log(so3_exp(v)) - v).length() <= 1e-15 * scale.max(1e-300));
        }

        #[test]
        fn exp_undoes_log(axis in vector(1.0), angle in -7.0..7.0_f64) {
            prop_assume!(axis.length() > 0.1);
            let q = rotation_about(axis / axis.length(), angle);
            let log = so3_log(q);
            prop_assert!(log.length() <= PI + 1e-15);
            prop_assert!((so3_exp(log).dot(q).abs() - 1.0).abs() < 2e-15);
        }

        #[test]
        fn se3_log_undoes_exp(linear in vector(10.0), angular in vector(1.8)) {
            let a = Twist::new(linear, angular);
            let log = se3_log(se3_exp(a));
            prop_assert!((log.linear - linear).length() < 1e-13);
            prop_assert!((log.angular - angular).length() < 1e-14);
        }
    }
}
