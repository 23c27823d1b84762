//! Lengths and directions of vectors of any size.

use glam::DVec3;

/// 2^600: it lifts the smallest number there is to 1e-143 and lowers the largest to 1e128.
const FACTOR: f64 = f64::from_bits((1023 + 600) << 52);

/// A vector, taken apart.
#[derive(Debug, Clone, Copy)]
pub(super) struct Measured {
    /// Its length.
    pub(super) length: f64,
    /// Its direction, a unit vector; zero for the zero vector.
    pub(super) direction: DVec3,
}

/// Length and direction of a finite vector, without overflow or underflow on the way.
///
/// # Method
/// Where the squares would leave the range of numbers the vector is scaled by a power of two first, which is exact, so the
/// direction is the same to the last bit at every scale.
#[inline]
pub(super) fn measure(vector: DVec3) -> Measured {
    let length_squared = vector.dot(vector);
    if length_squared > 1e-280 && length_squared < 1e300 {
        measure_ordinary(vector)
    } else {
        measure_extreme(vector)
    }
}

/// [`measure`] for vectors whose square is an ordinary number; of others the direction may be no number.
#[inline(always)]
pub(super) fn measure_ordinary(vector: DVec3) -> Measured {
    let length_squared = vector.dot(vector);
    let length = length_squared.sqrt();
    // The square root and the reciprocal do not wait for each other: shorter than 1 / length.
    Measured { length, direction: vector * (length * (1.0 / length_squared)) }
}

/// Length of a finite vector, without overflow or underflow on the way.
#[inline]
pub(super) fn length(vector: DVec3) -> f64 {
    let length_squared = vector.dot(vector);
    if length_squared > 1e-280 && length_squared < 1e300 {
        length_squared.sqrt()
    } else {
        length_extreme(vector)
    }
}

/// [`length`] out of line, its result in a register.
#[cold]
fn length_extreme(vector: DVec3) -> f64 {
    measure_extreme(vector).length
}

/// [`measure`] for vectors so small or so large that their squares would not do.
#[cold]
fn measure_extreme(vector: DVec3) -> Measured {
    if vector == DVec3::ZERO {
        return Measured { length: 0.0, direction: DVec3::ZERO };
    }
    let up = vector.abs().max_element() < 1.0;
    let (factor, back) = if up { (FACTOR, 1.0 / FACTOR) } else { (1.0 / FACTOR, FACTOR) };
    let scaled = vector * factor;
    let Measured { length, direction } = measure_ordinary(scaled);
    Measured { length: (length * back).min(f64::MAX), direction }
}

/// The power of two at or below a positive number (the smallest normal one for numbers below it): dividing by it changes
/// no digits and leaves a number in 1..2.
pub(super) fn power_of_two_near(value: f64) -> f64 {
    f64::from_bits(value.to_bits() & (0x7ff << 52)).max(f64::MIN_POSITIVE)
}

/// A vector divided by the power of two nearest below its largest component: the same digits, of a size near 1.
pub(super) fn brought_to_size(vector: DVec3) -> DVec3 {
    // Two steps, because the smallest numbers need a factor that is no number of its own.
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
            largest.length == f64::MAX && (largest.direction.x - 1.0 / 3f64.sqrt()).abs() < 1e-15
        );
    }
}
