//! Four numbers that take every step together, one for each of four neighbouring bones.
//!
//! Written out as arrays, so that the order of every operation is in the text and the answer is the same on every target;
//! compilers turn each operation into one or two instructions where there are such.

use crate::math::sqrt_single;
use core::ops::{Add, AddAssign, Mul, Sub};
use glam::{Mat4, Vec4};

/// Four numbers in single precision: as many as the narrowest vector unit of a processor holds.
///
/// For what need not be exact, such as the first guess at a number that is then mended: roots and quotients of such fours take a
/// third of the time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rough(Vec4);

/// Four numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Four([f64; 4]);

impl Four {
    /// The numbers for the first to the fourth bone.
    #[inline(always)]
    pub(crate) const fn new(numbers: [f64; 4]) -> Self {
        Self(numbers)
    }

    /// The same number four times.
    #[inline(always)]
    pub(crate) const fn all(x: f64) -> Self {
        Self([x; 4])
    }

    /// Reciprocals.
    #[inline(always)]
    pub(crate) fn recip(self) -> Self {
        Self(self.0.map(|x| 1.0 / x))
    }

    /// The larger of each; `self` where the other is not a number.
    #[inline(always)]
    pub(crate) fn max(self, other: Self) -> Self {
        let larger = |a: f64, b: f64| if b > a { b } else { a };
        Self(core::array::from_fn(|i| larger(self.0[i], other.0[i])))
    }
}

impl Add for Four {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(core::array::from_fn(|i| self.0[i] + other.0[i]))
    }
}

impl Sub for Four {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(core::array::from_fn(|i| self.0[i] - other.0[i]))
    }
}

impl Mul for Four {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(core::array::from_fn(|i| self.0[i] * other.0[i]))
    }
}

impl AddAssign for Four {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Four {
    /// The four numbers.
    #[inline(always)]
    pub(crate) const fn numbers(self) -> [f64; 4] {
        self.0
    }

    /// The largest of the four.
    #[inline(always)]
    pub(crate) fn largest(self) -> f64 {
        let [a, b, c, d] = self.0;
        let larger = |a: f64, b: f64| if b > a { b } else { a };
        larger(larger(a, c), larger(b, d))
    }

    /// All added: the first to the third, the second to the fourth, then both.
    #[inline(always)]
    pub(crate) fn sum(self) -> f64 {
        let [a, b, c, d] = self.0;
        (a + c) + (b + d)
    }

    /// Rounded to single precision.
    #[inline(always)]
    #[expect(clippy::cast_possible_truncation, reason = "rounding is what this is for")]
    pub(crate) fn rough(self) -> Rough {
        Rough(Vec4::from_array(self.0.map(|x| x as f32)))
    }

    /// One over the square roots, to the last digits, of numbers between 1e-30 and 1e30; beyond those of single precision no
    /// numbers.
    ///
    /// In single precision first, then two terms of the root's series.
    #[inline(always)]
    pub(crate) fn recip_sqrt(self) -> Self {
        let rough = self.rough();
        // Root and reciprocal do not wait for each other.
        let near = (rough.sqrt() * rough.recip()).exact();
        let off = Self::all(1.0) - self * near * near;
        near + near * off * (Self::all(0.5) + off * Self::all(0.375))
    }
}

impl Rough {
    /// The same number four times.
    #[inline(always)]
    pub(crate) const fn all(x: f32) -> Self {
        Self(Vec4::splat(x))
    }

    /// Square roots.
    #[inline(always)]
    pub(crate) fn sqrt(self) -> Self {
        Self(Vec4::from_array(self.0.to_array().map(sqrt_single)))
    }

    /// Reciprocals.
    #[inline(always)]
    pub(crate) fn recip(self) -> Self {
        Self(Vec4::ONE / self.0)
    }

    /// The larger of each; `self` where the other is not a number, on every target.
    #[inline(always)]
    pub(crate) fn max(self, other: Self) -> Self {
        Self(Vec4::select(other.0.cmpgt(self.0), other.0, self.0))
    }

    /// The sums of four fours: of each, the first to the third, the second to the fourth, then both.
    #[inline(always)]
    pub(crate) fn sums(fours: [Self; 4]) -> [f64; 4] {
        let [a, b, c, d] = fours.map(|four| four.0);
        let across = Mat4::from_cols(a, b, c, d).transpose();
        let sums = (across.x_axis + across.z_axis) + (across.y_axis + across.w_axis);
        sums.to_array().map(f64::from)
    }

    /// The same numbers in double precision.
    #[inline(always)]
    pub(crate) fn exact(self) -> Four {
        Four(self.0.to_array().map(f64::from))
    }
}

impl Add for Rough {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Mul for Rough {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(self.0 * other.0)
    }
}

impl AddAssign for Rough {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

#[cfg(test)]
mod tests {
    use super::{Four, Rough};

    #[test]
    fn numbers_do_not_mix() {
        let (a, b) = (Four::new([4.0, 9.0, 1.0, 16.0]), Four::new([0.5, -2.0, 4.0, 1.0]));
        assert_eq!((a + b).numbers(), [4.5, 7.0, 5.0, 17.0]);
        assert_eq!((a - b).numbers(), [3.5, 11.0, -3.0, 15.0]);
        assert_eq!((a * b).numbers(), [2.0, -18.0, 4.0, 16.0]);
        assert_eq!(a.rough().sqrt().exact().numbers(), [2.0, 3.0, 1.0, 4.0]);
        assert_eq!(b.recip().numbers(), [2.0, -0.5, 0.25, 1.0]);
        assert_eq!(b.max(Four::all(0.75)).numbers(), [0.75, 0.75, 4.0, 1.0]);
        assert_eq!(b.max(Four::all(f64::NAN)).numbers(), b.numbers(), "what is no number loses");
        assert_eq!((a.sum(), a.largest(), b.largest()), (30.0, 16.0, 4.0));
        let rough = Four::new([0.5, 1.0, 2.0, 3.0]).rough() * Rough::all(2.0);
        assert_eq!(rough.exact().numbers(), [1.0, 2.0, 4.0, 6.0]);
    }

    #[test]
    fn reciprocal_roots_are_exact_but_for_rounding() {
        let mut x = 1e-30;
        while x < 1e30 {
            let roots = Four::new([x, 1.1 * x, 1.7 * x, 3.3 * x]);
            for (x, y) in roots.numbers().into_iter().zip(roots.recip_sqrt().numbers()) {
                assert!((x.sqrt() * y - 1.0).abs() < 4.0 * f64::EPSILON, "{x:e}: {y:e}");
            }
            x *= 3.7;
        }
        let far = Four::all(1e300).recip_sqrt().numbers();
        assert!(far.iter().all(|x| x.is_nan()), "beyond what single precision holds: {far:?}");
    }
}
