//! Angles, by `libm`.

use super::simd::{Lanes, Mask};
use super::sqrt;
use core::f64::consts::{FRAC_2_PI, FRAC_PI_4, PI, TAU};

/// Sine and cosine of an angle \[rad\], in this order.
#[inline]
#[must_use]
pub fn sin_cos(angle: f64) -> (f64, f64) {
    if is_small(angle) { small_sin_cos(angle) } else { libm::sincos(angle) }
}

/// The range of [`small_sin_cos`]. Below it the sine is the angle, minus zero included.
#[inline]
fn is_small(angle: f64) -> bool {
    const LEAST: f64 = 1e-7;
    (LEAST..=FRAC_PI_4).contains(&angle.abs())
}

/// The results of `libm` for small angles, to the bit, by the same polynomials \[fdlibm\]. Most joint angles are small when halved, and a call
/// costs as much as the polynomials.
#[inline(always)]
fn small_sin_cos<V: Lanes>(x: V) -> (V, V) {
    const S: [f64; 6] = [
        f64::from_bits(0xBFC5_5555_5555_5549),
        f64::from_bits(0x3F81_1111_1110_F8A6),
        f64::from_bits(0xBF2A_01A0_19C1_61D5),
        f64::from_bits(0x3EC7_1DE3_57B1_FE7D),
        f64::from_bits(0xBE5A_E5E6_8A2B_9CEB),
        f64::from_bits(0x3DE5_D93A_5ACF_D57C),
    ];
    const C: [f64; 6] = [
        f64::from_bits(0x3FA5_5555_5555_554C),
        f64::from_bits(0xBF56_C16C_16C1_5177),
        f64::from_bits(0x3EFA_01A0_19CB_1590),
        f64::from_bits(0xBE92_7E4F_809C_52AD),
        f64::from_bits(0x3E21_EE9E_BDB4_B1C4),
        f64::from_bits(0xBDA8_FAE9_BE88_38D4),
    ];
    let z = x * x;
    let w = z * z;
    let sine = z * (z * S[3] + S[2]) + S[1] + z * w * (z * S[5] + S[4]);
    let cosine = z * (z * (z * C[2] + C[1]) + C[0]) + w * w * (z * (z * C[5] + C[4]) + C[3]);
    let (one, half) = (x.splat(1.0), z * 0.5);
    let rest = one - half;
    (x + z * x * (z * sine + S[0]), rest + (((one - rest) - half) + z * cosine))
}

/// Sines and cosines of many angles \[rad\], without a branch on any of them, so that the compiler solves two or four at once; within one unit in
/// the last place of [`sin_cos`].
///
/// # Method
/// Reduction to a quarter turn by two parts of pi / 2 (Cody and Waite), whose error is below rounding up to [`MOST_REDUCED`], then the polynomials
/// of \[fdlibm\]. Where an angle is larger, those of the same problem are left to `libm`.
#[inline(always)]
pub(crate) fn sin_cos_each<V: Lanes, const N: usize>(angles: &[V; N]) -> [(V, V); N] {
    let zero = angles[0].splat(0.0);
    let mut out = [(zero, zero); N];
    // Blocks of four keep an odd number of angles from being done one by one.
    for (angles, out) in angles.chunks(4).zip(out.chunks_mut(4)) {
        let mut four = [zero; 4];
        four[..angles.len()].copy_from_slice(angles);
        out.copy_from_slice(&V::sin_cos_of_four(&four)[..angles.len()]);
    }
    let (mut is_large, most) = (zero.above(zero), zero.splat(MOST_REDUCED));
    for angle in angles {
        is_large = is_large | angle.abs().above(most);
    }
    if is_large.any() {
        replace_large(angles, is_large, &mut out);
    }
    out
}

/// The results of `libm` for the problems in a mask.
#[cold]
fn replace_large<V: Lanes>(angles: &[V], problems: V::Mask, out: &mut [(V, V)]) {
    for (angle, (sine, cosine)) in angles.iter().zip(out) {
        for lane in (0..V::COUNT).filter(|&lane| problems.lane(lane)) {
            let (s, c) = sin_cos(angle.lane(lane));
            sine.set_lane(lane, s);
            cosine.set_lane(lane, c);
        }
    }
}

/// The largest angle that [`reduced_sin_cos`] can reduce \[rad\].
pub(super) const MOST_REDUCED: f64 = 1e5;

#[inline(always)]
pub(super) fn sin_cos_of_four<V: Lanes>(angles: &[V; 4]) -> [(V, V); 4] {
    let mut turns = [(angles[0], angles[0]); 4];
    for k in 0..4 {
        turns[k] = reduced_sin_cos(angles[k]);
    }
    turns
}

#[inline(always)]
pub(super) fn reduced_sin_cos<V: Lanes>(angle: V) -> (V, V) {
    /// Adding it rounds to an integer, which is then in the lowest bits.
    const ROUNDING: f64 = 1.5 * (1_u64 << 52) as f64;
    /// The first 33 bits of pi / 2, and the rest.
    const QUARTER: [f64; 2] =
        [f64::from_bits(0x3FF9_21FB_5440_0000), f64::from_bits(0x3DD0_B461_1A62_6331)];
    let shifted = angle * FRAC_2_PI + ROUNDING;
    let quarters = shifted - ROUNDING;
    V::turned(shifted, small_sin_cos((angle - quarters * QUARTER[0]) - quarters * QUARTER[1]))
}

/// Sine of an angle \[rad\].
#[inline]
#[must_use]
pub fn sin(angle: f64) -> f64 {
    libm::sin(angle)
}

/// Cosine of an angle \[rad\].
#[inline]
#[must_use]
pub fn cos(angle: f64) -> f64 {
    libm::cos(angle)
}

/// Angle of the point (x, y), in \[-pi, pi\]; zero for the origin. Note the order: y first.
#[inline]
#[must_use]
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

/// Angle in \[0, pi\] whose cosine is `cosine`, the argument clamped to \[-1, 1\] so that rounding never gives NaN.
#[inline]
#[must_use]
pub fn acos(cosine: f64) -> f64 {
    libm::acos(cosine.clamp(-1.0, 1.0))
}

/// Angle in \[-pi/2, pi/2\] whose sine is `sine`, the argument clamped to \[-1, 1\] so that rounding never gives NaN.
#[inline]
#[must_use]
pub fn asin(sine: f64) -> f64 {
    libm::asin(sine.clamp(-1.0, 1.0))
}

/// The same direction as an angle in (-pi, pi].
///
/// An angle already there comes back unchanged, to the bit. Others are reduced exactly modulo the `f64` nearest to 2 pi.
///
/// # Degenerate cases
/// -pi becomes pi. NaN and infinity give NaN.
#[inline]
#[must_use]
pub fn wrap_angle(angle: f64) -> f64 {
    if angle > -PI && angle <= PI {
        return angle;
    }
    let wrapped = libm::remainder(angle, TAU);
    if wrapped <= -PI { PI } else { wrapped }
}

/// Cosine and sine of half an angle, from the cosine and sine of the angle in (-pi, pi], by square roots only.
///
/// Accurate to a few units in the last place everywhere: the half that would cancel is taken from the other one.
///
/// - `cos`, `sin`: of the angle; on the unit circle to rounding
///
/// Returns `(cos_half, sin_half)` with `cos_half >= 0`.
///
/// # Degenerate cases
/// The half turn counts as +pi, whatever the sign of a zero sine.
#[inline]
#[must_use]
pub fn half_angle(cos: f64, sin: f64) -> (f64, f64) {
    if cos >= 0.0 {
        let cos_half = sqrt(0.5 * (1.0 + cos));
        (cos_half, 0.5 * sin / cos_half)
    } else {
        let size = sqrt(0.5 * (1.0 - cos));
        (0.5 * sin.abs() / size, if sin < 0.0 { -size } else { size })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn wrap_keeps_the_half_open_interval() {
        assert_eq!(wrap_angle(PI), PI);
        assert_eq!(wrap_angle(-PI), PI);
        assert_eq!(wrap_angle(0.0), 0.0);
        assert_eq!(wrap_angle(TAU), 0.0);
        assert_eq!(wrap_angle(3.0 * PI), PI);
        assert!((wrap_angle(-3.5 * PI) - 0.5 * PI).abs() < 1e-14);
        for angle in [1e300, -1e300, f64::MAX, 1e16] {
            let wrapped = wrap_angle(angle);
            assert!(wrapped > -PI && wrapped <= PI, "{angle} gave {wrapped}");
        }
    }

    #[test]
    fn inverse_functions_clamp() {
        assert_eq!(acos(1.0 + 1e-15), 0.0);
        assert_eq!(acos(-1.5), PI);
        assert_eq!(asin(2.0), 0.5 * PI);
        assert_eq!(atan2(0.0, 0.0), 0.0);
    }

    #[test]
    fn half_angle_at_the_ends() {
        assert_eq!(half_angle(1.0, 0.0), (1.0, 0.0));
        assert_eq!(half_angle(-1.0, 0.0), (0.0, 1.0));
        assert_eq!(half_angle(-1.0, -0.0), (0.0, 1.0));
        assert_eq!(half_angle(1.0, 2e-300), (1.0, 1e-300));
        assert_eq!(half_angle(-1.0, -2e-300), (1e-300, -1.0));
    }

    proptest! {
        #[test]
        fn small_angles_are_those_of_libm_to_the_bit(
            part in -1.0..=1.0_f64, decade in 0_i32..=9
        ) {
            let angle = part * FRAC_PI_4 / [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e300][decade as usize];
            let bits = |(s, c): (f64, f64)| (s.to_bits(), c.to_bits());
            prop_assert_eq!(bits(sin_cos(angle)), bits(libm::sincos(angle)));
        }

        #[test]
        fn half_angle_matches_the_functions(angle in -PI..PI) {
            let (s, c) = sin_cos(angle);
            let (half_sin, half_cos) = sin_cos(0.5 * angle);
            let (cos_half, sin_half) = half_angle(c, s);
            prop_assert!((cos_half - half_cos).abs() < 4e-16);
            prop_assert!((sin_half - half_sin).abs() < 4e-16);
        }

        #[test]
        fn wrap_is_the_same_direction(angle in -1e4..1e4_f64) {
            let wrapped = wrap_angle(angle);
            prop_assert!(wrapped > -PI && wrapped <= PI);
            prop_assert!((sin(wrapped) - sin(angle)).abs() < 1e-11);
            prop_assert!((cos(wrapped) - cos(angle)).abs() < 1e-11);
        }
    }
}
