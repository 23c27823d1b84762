//! Angles, by `libm`.

use core::f64::consts::{FRAC_PI_4, PI, TAU};

/// Sine and cosine of an angle \[rad\], in this order.
#[inline]
#[must_use]
pub fn sin_cos(angle: f64) -> (f64, f64) {
    libm::sincos(angle)
}

/// Sines and cosines of many angles \[rad\]: the bits of [`sin_cos`], side by side for those up to an eighth of a turn.
///
/// Slices of other lengths are filled as far as the shortest goes.
///
/// # Method
/// The polynomials that `libm` has for these angles, in its order of operations, without its branches, so that a compiler can take several at once.
pub fn sin_cos_each(angles: &[f64], sines: &mut [f64], cosines: &mut [f64]) {
    for ((&angle, sine), cosine) in angles.iter().zip(&mut *sines).zip(&mut *cosines) {
        (*sine, *cosine) = (small_sin(angle), small_cos(angle));
    }
    for ((&angle, sine), cosine) in angles.iter().zip(sines).zip(cosines) {
        // A zero keeps its sign.
        let is_small = angle.abs() <= FRAC_PI_4 && angle != 0.0;
        if !is_small {
            (*sine, *cosine) = sin_cos(angle);
        }
    }
}

/// Sine of an angle up to an eighth of a turn, as `libm` has it.
#[inline]
#[expect(clippy::excessive_precision, reason = "as the source of libm has them")]
fn small_sin(x: f64) -> f64 {
    const S1: f64 = -1.66666666666666324348e-01;
    const S2: f64 = 8.33333333332248946124e-03;
    const S3: f64 = -1.98412698298579493134e-04;
    const S4: f64 = 2.75573137070700676789e-06;
    const S5: f64 = -2.50507602534068634195e-08;
    const S6: f64 = 1.58969099521155010221e-10;
    let z = x * x;
    let w = z * z;
    let r = S2 + z * (S3 + z * S4) + z * w * (S5 + z * S6);
    let v = z * x;
    x + v * (S1 + z * r)
}

/// Cosine of an angle up to an eighth of a turn, as `libm` has it.
#[inline]
#[expect(clippy::excessive_precision, reason = "as the source of libm has them")]
fn small_cos(x: f64) -> f64 {
    const C1: f64 = 4.16666666666666019037e-02;
    const C2: f64 = -1.38888888888741095749e-03;
    const C3: f64 = 2.48015872894767294178e-05;
    const C4: f64 = -2.75573143513906633035e-07;
    const C5: f64 = 2.08757232129817482790e-09;
    const C6: f64 = -1.13596475577881948265e-11;
    let z = x * x;
    let w = z * z;
    let r = z * (C1 + z * (C2 + z * C3)) + w * w * (C4 + z * (C5 + z * C6));
    let half = 0.5 * z;
    let w = 1.0 - half;
    w + (((1.0 - w) - half) + z * r)
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

/// Tangent of an angle \[rad\].
#[inline]
#[must_use]
pub fn tan(angle: f64) -> f64 {
    libm::tan(angle)
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
/// The half turn is read as +pi, whatever the sign of a zero sine.
#[inline]
#[must_use]
pub fn half_angle(cos: f64, sin: f64) -> (f64, f64) {
    if cos >= 0.0 {
        let cos_half = (0.5 * (1.0 + cos)).sqrt();
        (cos_half, 0.5 * sin / cos_half)
    } else {
        let size = (0.5 * (1.0 - cos)).sqrt();
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

    /// The bits of both, one angle at a time.
    fn each(angle: f64) -> [u64; 2] {
        let (mut sine, mut cosine) = ([0.0], [0.0]);
        sin_cos_each(&[angle], &mut sine, &mut cosine);
        [sine[0].to_bits(), cosine[0].to_bits()]
    }

    fn one(angle: f64) -> [u64; 2] {
        let (sine, cosine) = sin_cos(angle);
        [sine.to_bits(), cosine.to_bits()]
    }

    #[test]
    fn sines_of_many_are_those_of_one() {
        let edges = [FRAC_PI_4, FRAC_PI_4.next_up(), FRAC_PI_4.next_down(), 0.79, PI, 1e16];
        let tiny = [0.0, 5e-324, 1e-308, 1e-160, 1e-20, 1.05e-8, 1.06e-8, 7.4e-9, 7.5e-9, 2e-9];
        for angle in edges.into_iter().chain(tiny) {
            assert_eq!(each(angle), one(angle), "{angle}");
            assert_eq!(each(-angle), one(-angle), "-{angle}");
        }
    }

    proptest! {
        #[test]
        fn sines_of_many_are_those_of_one_anywhere(
            angles in prop::collection::vec(-1.0..1.0, 0..40), size in 1e-12..10.0_f64
        ) {
            let angles: Vec<f64> = angles.iter().map(|a| a * size).collect();
            let (mut sines, mut cosines) = (vec![9.0; angles.len()], vec![9.0; angles.len()]);
            sin_cos_each(&angles, &mut sines, &mut cosines);
            for (k, &angle) in angles.iter().enumerate() {
                prop_assert_eq!([sines[k].to_bits(), cosines[k].to_bits()], one(angle));
            }
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
