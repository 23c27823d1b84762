//! Angles in lists that lie beside each other: loops without a branch, which the compiler solves two or four at once.

use super::angle::{MOST_REDUCED, reduced_sin_cos};
use super::sin_cos;
use core::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// The tangent of an eighth of a turn's half, up to which the polynomial is used as it is.
const TAN_PI_8: f64 = 0.414_213_562_373_095_03;

/// Sines, and cosines, of many angles \[rad\]; the values of [`sin_cos_each`](super::sin_cos_each).
#[inline(always)]
pub(crate) fn sines_and_cosines<const N: usize>(angles: &[f64; N]) -> ([f64; N], [f64; N]) {
    let (mut sines, mut cosines) = ([0.0; N], [0.0; N]);
    let mut is_large = false;
    for angle in angles {
        is_large |= angle.abs() > MOST_REDUCED;
    }
    for i in 0..N {
        (sines[i], cosines[i]) = reduced_sin_cos(angles[i]);
    }
    if is_large {
        for i in 0..N {
            (sines[i], cosines[i]) = sin_cos(angles[i]);
        }
    }
    (sines, cosines)
}

/// Angles of the points (x, y), in \[-pi, pi\], without a branch on any of them, so that the compiler solves two or four at once; within 5e-16 of
/// [`atan2`](super::atan2). The origin gives 0 or pi, by the sign of its x.
///
/// # Method
/// The point is mirrored into the first eighth of a turn and rotated back by half of that if it lies in the outer half, then the polynomial of \[fdlibm\].
#[inline(always)]
pub(crate) fn atan2_each<const N: usize>(y: &[f64; N], x: &[f64; N]) -> [f64; N] {
    // Not `from_fn`: the compiler turns a loop into vectors.
    let mut angles = [0.0; N];
    for i in 0..N {
        angles[i] = angle_of(y[i], x[i]);
    }
    angles
}

#[inline(always)]
fn angle_of(y: f64, x: f64) -> f64 {
    let (width, height) = (x.abs(), y.abs());
    let is_steep = height > width;
    let (least, most) = if is_steep { (width, height) } else { (height, width) };
    let is_outer = least > TAN_PI_8 * most;
    // tan(a − π/4) = (tan a − 1) / (tan a + 1).
    let above = if is_outer { least - most } else { least };
    let below = if is_outer { least + most } else { most };
    let tangent = above / if below > 0.0 { below } else { 1.0 };
    let eighth = if is_outer { FRAC_PI_4 } else { 0.0 } + arctangent(tangent);
    let quarter = if is_steep { FRAC_PI_2 - eighth } else { eighth };
    let half = if x.is_sign_negative() { PI - quarter } else { quarter };
    half.copysign(y)
}

/// Below [`TAN_PI_8`], of either sign.
#[inline(always)]
fn arctangent(x: f64) -> f64 {
    const A: [f64; 11] = [
        f64::from_bits(0x3FD5_5555_5555_550D),
        f64::from_bits(0xBFC9_9999_9998_EBC4),
        f64::from_bits(0x3FC2_4924_9200_83FF),
        f64::from_bits(0xBFBC_71C6_FE23_1671),
        f64::from_bits(0x3FB7_45CD_C54C_206E),
        f64::from_bits(0xBFB3_B0F2_AF74_9A6D),
        f64::from_bits(0x3FB1_0D66_A0D0_3D51),
        f64::from_bits(0xBFAD_DE2D_52DE_FD9A),
        f64::from_bits(0x3FA9_7B4B_2476_0DEB),
        f64::from_bits(0xBFA2_B444_2C6A_6C2F),
        f64::from_bits(0x3F90_AD3A_E322_DA11),
    ];
    let z = x * x;
    let w = z * z;
    let odd = z * (A[0] + w * (A[2] + w * (A[4] + w * (A[6] + w * (A[8] + w * A[10])))));
    let even = w * (A[1] + w * (A[3] + w * (A[5] + w * (A[7] + w * A[9]))));
    x - x * (odd + even)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{atan2, sin_cos_each};
    use proptest::prelude::*;

    #[test]
    fn the_axes_and_the_origin_have_their_angles() {
        let y = [0.0, 0.0, -0.0, 1.0, -1.0, 0.0, -0.0, 1e-300];
        let x = [1.0, -1.0, -1.0, 0.0, 0.0, 0.0, -0.0, -1e-300];
        let angles = atan2_each(&y, &x);
        for i in 0..8 {
            assert!((angles[i] - atan2(y[i], x[i])).abs() <= 5e-16, "{}, {}", y[i], x[i]);
        }
    }

    proptest! {
        #[test]
        fn sines_are_those_of_the_list_of_pairs(angles in prop::array::uniform8(-1e6..1e6_f64)) {
            let (sines, cosines) = sines_and_cosines(&angles);
            for (i, (sin, cos)) in sin_cos_each(&angles).into_iter().enumerate() {
                prop_assert_eq!((sines[i].to_bits(), cosines[i].to_bits()), (sin.to_bits(), cos.to_bits()));
            }
        }

        #[test]
        fn angles_are_those_of_libm(angle in -PI..PI, decade in 0_usize..5, small in 0_i32..12) {
            let angle = angle / [1.0, 1e1, 1e2, 1e3, 1e5, 1e7, 1e9, 1e12, 1e15, 2.0, 4.0, 8.0][small as usize];
            let ((s, c), length) = (sin_cos(angle), [1e-9, 1e-3, 1.0, 1e3, 1e9][decade]);
            let [found] = atan2_each(&[s * length], &[c * length]);
            let expected = atan2(s * length, c * length);
            prop_assert!((found - expected).abs() <= 5e-16 * expected.abs().clamp(1e-12, 1.0).max(expected.abs()));
        }
    }
}
