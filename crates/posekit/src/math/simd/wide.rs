//! Lanes in a SIMD register, of the widest kind that the processor has.

use super::{Lanes, Mask, Vector};
use core::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, Neg, Not, Sub, SubAssign};
use pulp::Simd;

/// A register of numbers, with the proof that the processor has such registers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wide<S: Simd> {
    simd: S,
    numbers: S::f64s,
}

/// A register of truth values.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WideMask<S: Simd> {
    simd: S,
    bits: S::m64s,
}

/// Vectors in space, by their coordinates.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WideVector<S: Simd> {
    x: Wide<S>,
    y: Wide<S>,
    z: Wide<S>,
}

impl<S: Simd> Vector<Wide<S>> for WideVector<S> {
    #[inline(always)]
    fn from_parts([x, y, z]: [Wide<S>; 3]) -> Self {
        Self { x, y, z }
    }

    #[inline(always)]
    fn parts(self) -> [Wide<S>; 3] {
        [self.x, self.y, self.z]
    }

    #[inline(always)]
    fn crossed(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - other.y * self.z,
            y: self.z * other.x - other.z * self.x,
            z: self.x * other.y - other.x * self.y,
        }
    }
}

impl<S: Simd> Add for WideVector<S> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl<S: Simd> Sub for WideVector<S> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

/// By numbers that are the same for all problems, or not.
impl<S: Simd, T: Copy> Mul<T> for WideVector<S>
where
    Wide<S>: Mul<T, Output = Wide<S>>,
{
    type Output = Self;

    #[inline(always)]
    fn mul(self, factor: T) -> Self {
        Self { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }
}

impl<S: Simd> Wide<S> {
    /// Zeros.
    #[inline(always)]
    pub(crate) fn new(simd: S) -> Self {
        Self { simd, numbers: simd.splat_f64s(0.0) }
    }

    #[inline(always)]
    fn mask(self, bits: S::m64s) -> WideMask<S> {
        WideMask { simd: self.simd, bits }
    }
}

macro_rules! operators {
    ($($operator:ident $name:ident $lanes:ident;)+) => {$(
        impl<S: Simd> $operator for Wide<S> {
            type Output = Self;

            #[inline(always)]
            fn $name(self, other: Self) -> Self {
                Self { simd: self.simd, numbers: self.simd.$lanes(self.numbers, other.numbers) }
            }
        }

        impl<S: Simd> $operator<f64> for Wide<S> {
            type Output = Self;

            #[inline(always)]
            fn $name(self, other: f64) -> Self {
                self.$name(self.splat(other))
            }
        }
    )+};
}

operators! {
    Add add add_f64s;
    Sub sub sub_f64s;
    Mul mul mul_f64s;
    Div div div_f64s;
}

impl<S: Simd> AddAssign for Wide<S> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<S: Simd> SubAssign for Wide<S> {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl<S: Simd> Neg for Wide<S> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self { simd: self.simd, numbers: self.simd.neg_f64s(self.numbers) }
    }
}

impl<S: Simd> Lanes for Wide<S> {
    type Mask = WideMask<S>;
    type Vector = WideVector<S>;

    const COUNT: usize = S::F64_LANES;

    #[inline(always)]
    fn splat(self, number: f64) -> Self {
        Self { simd: self.simd, numbers: self.simd.splat_f64s(number) }
    }

    #[inline(always)]
    fn lane(self, lane: usize) -> f64 {
        pulp::bytemuck::cast_slice(core::slice::from_ref(&self.numbers))[lane]
    }

    #[inline(always)]
    fn set_lane(&mut self, lane: usize, number: f64) {
        pulp::bytemuck::cast_slice_mut(core::slice::from_mut(&mut self.numbers))[lane] = number;
    }

    #[inline(always)]
    fn above(self, other: Self) -> WideMask<S> {
        self.mask(self.simd.greater_than_f64s(self.numbers, other.numbers))
    }

    #[inline(always)]
    fn up_to(self, other: Self) -> WideMask<S> {
        self.mask(self.simd.less_than_or_equal_f64s(self.numbers, other.numbers))
    }

    #[inline(always)]
    fn equals(self, other: Self) -> WideMask<S> {
        self.mask(self.simd.equal_f64s(self.numbers, other.numbers))
    }

    #[inline(always)]
    fn select(WideMask { simd, bits }: WideMask<S>, yes: Self, no: Self) -> Self {
        Self { simd, numbers: simd.select_f64s(bits, yes.numbers, no.numbers) }
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self { simd: self.simd, numbers: self.simd.sqrt_f64s(self.numbers) }
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Self { simd: self.simd, numbers: self.simd.abs_f64s(self.numbers) }
    }

    #[inline(always)]
    fn turned(quarters: Self, (sine, cosine): (Self, Self)) -> (Self, Self) {
        let simd = quarters.simd;
        let n = simd.transmute_u64s_f64s(quarters.numbers);
        let [one, two] = [1, 2].map(|number| simd.splat_u64s(number));
        let is_set = |n, bit| quarters.mask(simd.equal_u64s(simd.and_u64s(n, bit), bit));
        let is_odd = is_set(n, one);
        let (s, c) = (Self::select(is_odd, cosine, sine), Self::select(is_odd, sine, cosine));
        let is_next_of_two = is_set(simd.add_u64s(n, one), two);
        (Self::select(is_set(n, two), -s, s), Self::select(is_next_of_two, -c, c))
    }
}

impl<S: Simd> BitAnd for WideMask<S> {
    type Output = Self;

    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        Self { simd: self.simd, bits: self.simd.and_m64s(self.bits, other.bits) }
    }
}

impl<S: Simd> BitOr for WideMask<S> {
    type Output = Self;

    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        Self { simd: self.simd, bits: self.simd.or_m64s(self.bits, other.bits) }
    }
}

impl<S: Simd> Not for WideMask<S> {
    type Output = Self;

    #[inline(always)]
    fn not(self) -> Self {
        Self { simd: self.simd, bits: self.simd.not_m64s(self.bits) }
    }
}

impl<S: Simd> Mask for WideMask<S> {
    #[inline(always)]
    fn any(self) -> bool {
        pulp::bytemuck::bytes_of(&self.bits).iter().fold(0, |any, byte| any | byte) != 0
    }

    #[inline(always)]
    fn lane(self, lane: usize) -> bool {
        let [yes, no] = [1.0, 0.0].map(|number| self.simd.splat_f64s(number));
        let numbers = self.simd.select_f64s(self.bits, yes, no);
        pulp::bytemuck::cast_slice::<_, f64>(core::slice::from_ref(&numbers))[lane] == 1.0
    }
}
