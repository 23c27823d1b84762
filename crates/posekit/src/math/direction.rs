//! Lengths and directions of vectors of any size: the one place that normalises a vector.

use super::sqrt;
use glam::DVec3;

/// Squared lengths in this range keep their digits; others are rescaled first.
const ORDINARY: core::ops::Range<f64> = 1e-280..1e300;

/// 2^600: it lifts the smallest number there is to 1e-143 and lowers the largest to 1e128.
const FACTOR: f64 = f64::from_bits((1023 + 600) << 52);

/// The unit vector along `v`, or `fallback` (returned as it is) when `v` is zero or not finite.
///
/// Neither overflows nor underflows: lengths from the smallest to the largest `f64` give a unit vector. A multiple of a
/// coordinate axis gives the axis exactly.
#[inline]
#[must_use]
pub fn direction_or(v: DVec3, fallback: DVec3) -> DVec3 {
    let length_squared = v.length_squared();
    if ORDINARY.contains(&length_squared) {
        v / sqrt(length_squared)
    } else {
        extreme_direction(v).unwrap_or(fallback)
    }
}

/// [`direction_or`] for vectors whose square leaves the range of numbers; `None` for zero and for what is not finite.
#[cold]
fn extreme_direction(v: DVec3) -> Option<DVec3> {
    let (scaled, _) = rescaled(v);
    (v.is_finite() && v != DVec3::ZERO).then(|| scaled / scaled.length())
}

/// Length and direction of a vector.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measured {
    /// Its length.
    pub(crate) length: f64,
    /// Its direction, a unit vector; zero for the zero vector.
    pub(crate) direction: DVec3,
}

/// Length and direction of a finite vector, without overflow or underflow in between.
///
/// # Method
/// Where the squares would leave the range of numbers the vector is scaled by a power of two first, which is exact, so the
/// direction is the same to the last bit at every scale.
#[inline]
pub(crate) fn measure(vector: DVec3) -> Measured {
    if ORDINARY.contains(&vector.dot(vector)) {
        measure_ordinary(vector)
    } else {
        measure_extreme(vector)
    }
}

/// [`measure`] for vectors whose square is an ordinary number; the direction of others may be NaN.
#[inline(always)]
pub(crate) fn measure_ordinary(vector: DVec3) -> Measured {
    let length_squared = vector.dot(vector);
    let length = sqrt(length_squared);
    // The square root and the reciprocal do not depend on each other, which shortens the latency of `vector / length`.
    Measured { length, direction: vector * (length * (1.0 / length_squared)) }
}

/// Length of a finite vector, without overflow or underflow in between.
#[inline]
pub(crate) fn length(vector: DVec3) -> f64 {
    let length_squared = vector.dot(vector);
    if ORDINARY.contains(&length_squared) { sqrt(length_squared) } else { length_extreme(vector) }
}

/// [`length`] out of line, its result in a register.
#[cold]
fn length_extreme(vector: DVec3) -> f64 {
    measure_extreme(vector).length
}

/// [`measure`] for vectors so small or so large that their squares lose digits or overflow.
#[cold]
fn measure_extreme(vector: DVec3) -> Measured {
    if vector == DVec3::ZERO {
        return Measured { length: 0.0, direction: DVec3::ZERO };
    }
    let (scaled, back) = rescaled(vector);
    let Measured { length, direction } = measure_ordinary(scaled);
    Measured { length: (length * back).min(f64::MAX), direction }
}

/// A vector multiplied by 2^600 or 2^-600, so that its square is an ordinary number, and the factor that undoes it.
fn rescaled(vector: DVec3) -> (DVec3, f64) {
    let is_small = vector.abs().max_element() < 1.0;
    let (factor, back) = if is_small { (FACTOR, 1.0 / FACTOR) } else { (1.0 / FACTOR, FACTOR) };
    (vector * factor, back)
}

/// The largest power of two not above a positive number (the smallest normal number for numbers below it): dividing by it
/// is exact and leaves a number in 1..2.
pub(crate) fn power_of_two_near(value: f64) -> f64 {
    f64::from_bits(value.to_bits() & (0x7ff << 52)).max(f64::MIN_POSITIVE)
}

/// A vector divided by the power of two just below its largest component: the same digits, at a size near 1.
pub(crate) fn brought_to_size(vector: DVec3) -> DVec3 {
    // Two steps, because the factor for the smallest numbers would itself overflow.
    let larger = if vector.abs().max_element() < 1e-290 { vector * FACTOR } else { vector };
    larger / power_of_two_near(larger.abs().max_element())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn direction_is_the_same_at_every_power_of_two() {
        let vector = DVec3::new(0.3, -1.7, 0.9);
        let at_one = measure(vector);
        for exponent in [-1000, -700, -480, -100, 100, 480, 700, 1000] {
            let factor = f64::from_bits(((1023 + exponent) as u64) << 52);
            let here = measure(vector * factor);
            assert_eq!(here.direction, at_one.direction, "2^{exponent}");
            assert_eq!(here.length, at_one.length * factor, "2^{exponent}");
        }
    }

    #[test]
    fn smallest_and_largest_vectors() {
        let smallest = measure(DVec3::new(0.0, f64::from_bits(1), 0.0));
        assert_eq!((smallest.length, smallest.direction), (f64::from_bits(1), DVec3::Y));
        assert_eq!(measure(DVec3::ZERO).direction, DVec3::ZERO);
        let largest = measure(DVec3::splat(f64::MAX));
        assert!(
            largest.length == f64::MAX && (largest.direction.x - 1.0 / sqrt(3f64)).abs() < 1e-15
        );
    }
}
