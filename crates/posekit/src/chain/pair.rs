//! Two numbers that take every step together: what the narrowest vector unit of a processor holds.

use core::ops::{Add, AddAssign, Mul, Sub};

/// Two numbers, one for each of two neighbouring bones.
///
/// Written out as arrays, so that the order of every operation is in the text and the answer is the same on every target;
/// compilers turn each operation into one instruction where there is one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair([f64; 2]);

impl Pair {
    /// The numbers for the first and the second bone.
    #[inline(always)]
    pub(crate) fn new(first: f64, second: f64) -> Self {
        Self([first, second])
    }

    /// The same number twice.
    #[inline(always)]
    pub(crate) fn both(x: f64) -> Self {
        Self([x; 2])
    }

    /// Nothing in both halves.
    #[inline(always)]
    pub(crate) fn zero() -> Self {
        Self([0.0; 2])
    }

    /// Both halves.
    #[inline(always)]
    pub(crate) fn halves(self) -> [f64; 2] {
        self.0
    }

    /// Square roots.
    #[inline(always)]
    pub(crate) fn sqrt(self) -> Self {
        Self(self.0.map(f64::sqrt))
    }

    /// Reciprocals.
    #[inline(always)]
    pub(crate) fn recip(self) -> Self {
        Self(self.0.map(|x| 1.0 / x))
    }

    /// The larger of each half; `self` where the other is not a number.
    #[inline(always)]
    pub(crate) fn max(self, other: Self) -> Self {
        let larger = |a: f64, b: f64| if b > a { b } else { a };
        Self([larger(self.0[0], other.0[0]), larger(self.0[1], other.0[1])])
    }

    /// The larger of the two halves.
    #[inline(always)]
    pub(crate) fn largest(self) -> f64 {
        if self.0[1] > self.0[0] { self.0[1] } else { self.0[0] }
    }

    /// Both halves added.
    #[inline(always)]
    pub(crate) fn sum(self) -> f64 {
        self.0[0] + self.0[1]
    }
}

impl Add for Pair {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self([self.0[0] + other.0[0], self.0[1] + other.0[1]])
    }
}

impl Sub for Pair {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self([self.0[0] - other.0[0], self.0[1] - other.0[1]])
    }
}

impl Mul for Pair {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self([self.0[0] * other.0[0], self.0[1] * other.0[1]])
    }
}

impl AddAssign for Pair {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

#[cfg(test)]
mod tests {
    use super::Pair;

    #[test]
    fn halves_do_not_mix() {
        let (a, b) = (Pair::new(4.0, 9.0), Pair::new(0.5, -2.0));
        assert_eq!((a + b).halves(), [4.5, 7.0]);
        assert_eq!((a - b).halves(), [3.5, 11.0]);
        assert_eq!((a * b).halves(), [2.0, -18.0]);
        assert_eq!(a.sqrt().halves(), [2.0, 3.0]);
        assert_eq!(b.recip().halves(), [2.0, -0.5]);
        assert_eq!(b.max(Pair::both(0.0)).halves(), [0.5, 0.0]);
        assert_eq!(b.max(Pair::both(f64::NAN)).halves(), b.halves(), "what is no number loses");
        assert_eq!((a.sum(), a.largest()), (13.0, 9.0));
    }
}
