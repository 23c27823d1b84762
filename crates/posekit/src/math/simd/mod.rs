//! Numbers of one problem, or of several at once: the kernels that are generic over [`Lanes`] run as they are on `f64` and on a SIMD register.

#[cfg(feature = "simd")]
mod wide;

#[cfg(feature = "simd")]
pub(crate) use wide::Wide;

use super::angle::sin_cos_of_four;
use super::sqrt;
use core::fmt::Debug;
use core::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, Neg, Not, Sub, SubAssign};
use glam::DVec3;

/// An `f64` for each of some problems. Every operation is that of IEEE 754, lane by lane, so that a lane has the bits of an `f64` with the same
/// operations; there is no fused one.
pub(crate) trait Lanes:
    Copy
    + Debug
    + Neg<Output = Self>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
    + AddAssign
    + SubAssign
{
    /// A truth value for each problem.
    type Mask: Mask;

    /// A vector in space for each problem.
    type Vector: Vector<Self>;

    /// The number of problems.
    const COUNT: usize;

    /// The same number for every problem.
    fn splat(self, number: f64) -> Self;

    /// The number of one problem.
    fn lane(self, lane: usize) -> f64;

    /// Replaces the number of one problem.
    fn set_lane(&mut self, lane: usize, number: f64);

    /// `self > other`.
    fn above(self, other: Self) -> Self::Mask;

    /// `self <= other`.
    fn up_to(self, other: Self) -> Self::Mask;

    /// `self == other`.
    fn equals(self, other: Self) -> Self::Mask;

    /// `yes` where the mask is set, `no` elsewhere.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// The square root; NaN below zero.
    fn sqrt(self) -> Self;

    /// Without its sign.
    fn abs(self) -> Self;

    /// Sine and cosine after some more quarter turns, whose number is in the lowest bits of `quarters`.
    fn turned(quarters: Self, sine_and_cosine: (Self, Self)) -> (Self, Self);

    /// Sines and cosines of angles that are not too large.
    #[inline(always)]
    fn sin_cos_of_four(angles: &[Self; 4]) -> [(Self, Self); 4] {
        sin_cos_of_four(angles)
    }

    /// The nearest number in a range.
    #[inline(always)]
    fn clamped(self, min: f64, max: f64) -> Self {
        let (min, max) = (self.splat(min), self.splat(max));
        Self::select(self.above(max), max, Self::select(min.above(self), min, self))
    }

    /// Whether it is neither infinite nor NaN.
    #[inline(always)]
    fn is_finite(self) -> Self::Mask {
        self.abs().up_to(self.splat(f64::MAX))
    }
}

/// A vector in space for each of some problems.
pub(crate) trait Vector<V>:
    Copy
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<V, Output = Self>
    + Mul<f64, Output = Self>
{
    fn from_parts(parts: [V; 3]) -> Self;

    fn parts(self) -> [V; 3];

    /// The vector product.
    fn crossed(self, other: Self) -> Self;
}

/// A truth value for each of some problems.
pub(crate) trait Mask:
    Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
    /// Whether it is set for any problem.
    fn any(self) -> bool;

    /// Whether it is set for one problem.
    fn lane(self, lane: usize) -> bool;
}

impl Lanes for f64 {
    type Mask = bool;
    type Vector = DVec3;

    const COUNT: usize = 1;

    #[inline(always)]
    fn splat(self, number: f64) -> Self {
        number
    }

    #[inline(always)]
    fn lane(self, _: usize) -> f64 {
        self
    }

    #[inline(always)]
    fn set_lane(&mut self, _: usize, number: f64) {
        *self = number;
    }

    #[inline(always)]
    fn above(self, other: Self) -> bool {
        self > other
    }

    #[inline(always)]
    fn up_to(self, other: Self) -> bool {
        self <= other
    }

    #[inline(always)]
    fn equals(self, other: Self) -> bool {
        self == other
    }

    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        sqrt(self)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self::abs(self)
    }

    #[inline(always)]
    fn turned(quarters: Self, (sine, cosine): (Self, Self)) -> (Self, Self) {
        let n = quarters.to_bits();
        let is_odd = 0_u64.wrapping_sub(n & 1);
        let (s, c) = (sine.to_bits(), cosine.to_bits());
        let (sine, cosine) = ((s & !is_odd) | (c & is_odd), (c & !is_odd) | (s & is_odd));
        // The sine changes sign in the third and fourth quarter, the cosine in the second and third.
        let signs = [(n & 2) << 62, (n.wrapping_add(1) & 2) << 62];
        (Self::from_bits(sine ^ signs[0]), Self::from_bits(cosine ^ signs[1]))
    }

    /// In a function of its own the compiler computes two or four at once.
    #[inline(never)]
    fn sin_cos_of_four(angles: &[Self; 4]) -> [(Self, Self); 4] {
        sin_cos_of_four(angles)
    }
}

impl Vector<f64> for DVec3 {
    #[inline(always)]
    fn from_parts([x, y, z]: [f64; 3]) -> Self {
        Self { x, y, z }
    }

    #[inline(always)]
    fn parts(self) -> [f64; 3] {
        [self.x, self.y, self.z]
    }

    #[inline(always)]
    fn crossed(self, other: Self) -> Self {
        self.cross(other)
    }
}

impl Mask for bool {
    #[inline(always)]
    fn any(self) -> bool {
        self
    }

    #[inline(always)]
    fn lane(self, _: usize) -> bool {
        self
    }
}
