//! Points that fill a space evenly.

use super::{floor, sqrt};

/// Their roots are independent over the rationals, so no two dimensions move together.
const PRIMES: [u8; 40] = [
    2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97,
    101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173,
];

/// A number in 0..1 of a sequence that fills every dimension evenly: multiples of square roots of primes \[weyl16\].
pub(crate) fn weyl(index: u32, dimension: usize) -> f64 {
    let round = (dimension / PRIMES.len() + 1) as f64;
    let step = round * sqrt(f64::from(PRIMES[dimension % PRIMES.len()]));
    let x = step * f64::from(index + 1) + 0.5 * (dimension % 7) as f64;
    x - floor(x)
}
