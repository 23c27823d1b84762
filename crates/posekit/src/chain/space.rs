//! One text for every dimension: kernels loop over `space.n()` coordinates and keep them in [`Space::Row`]s; where the
//! dimension is known the compiler unrolls the loops and keeps the rows in registers.

use alloc::vec;
use alloc::vec::Vec;
use core::fmt::Debug;
use core::ops::IndexMut;

/// How many coordinates a point has, and what holds one value per coordinate.
pub(crate) trait Space: Copy + Debug {
    /// One value per coordinate.
    type Row<T: Clone + Debug>: Clone
        + Debug
        + IndexMut<usize, Output = T>
        + AsRef<[T]>
        + AsMut<[T]>;

    /// The number of coordinates.
    fn n(self) -> usize;

    /// A row of copies of one value. Allocates where the dimension is not known.
    fn row<T: Clone + Debug>(self, value: T) -> Self::Row<T>;

    /// The row itself where it is long, leaving an empty one, else a copy: a row in hand, to be put back. Does not allocate.
    fn take<T: Clone + Debug>(row: &mut Self::Row<T>) -> Self::Row<T>;

    /// A point to calculate with: a copy where that fits into registers, else the point itself.
    type Held<'a>: AsRef<[f64]>;

    /// Holds a point.
    fn hold(self, point: &[f64]) -> Self::Held<'_>;
}

/// A dimension known when compiling: the plane and space.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fixed<const D: usize>;

/// Any other dimension.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Any(pub(crate) usize);

impl<const D: usize> Space for Fixed<D> {
    type Row<T: Clone + Debug> = [T; D];

    #[inline(always)]
    fn n(self) -> usize {
        D
    }

    #[inline(always)]
    fn row<T: Clone + Debug>(self, value: T) -> [T; D] {
        core::array::from_fn(|_| value.clone())
    }

    #[inline(always)]
    fn take<T: Clone + Debug>(row: &mut [T; D]) -> [T; D] {
        row.clone()
    }

    type Held<'a> = [f64; D];

    #[inline(always)]
    fn hold(self, point: &[f64]) -> [f64; D] {
        core::array::from_fn(|k| point[k])
    }
}

impl Space for Any {
    type Row<T: Clone + Debug> = Vec<T>;

    #[inline(always)]
    fn n(self) -> usize {
        self.0
    }

    fn row<T: Clone + Debug>(self, value: T) -> Vec<T> {
        vec![value; self.0]
    }

    fn take<T: Clone + Debug>(row: &mut Vec<T>) -> Vec<T> {
        core::mem::take(row)
    }

    type Held<'a> = &'a [f64];

    #[inline(always)]
    fn hold(self, point: &[f64]) -> &[f64] {
        point
    }
}

/// Calls a kernel that is generic over [`Space`] with the dimension fixed where that pays.
macro_rules! in_space {
    ($dimension:expr, $space:ident => $call:expr) => {
        match $dimension {
            2 => {
                let $space = $crate::chain::Fixed::<2>;
                $call
            }
            3 => {
                let $space = $crate::chain::Fixed::<3>;
                $call
            }
            n => {
                let $space = $crate::chain::Any(n);
                $call
            }
        }
    };
}
pub(crate) use in_space;
