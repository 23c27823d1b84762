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

    /// A row of copies where the dimension is known, else an empty one: a stand-in that costs nothing.
    fn empty_row<T: Clone + Debug>(self, value: T) -> Self::Row<T>;

    /// What keeps a row between calls: nothing where the row can live in registers.
    type Kept<T: Clone + Debug>: Clone + Debug;

    /// Keeps a row of copies of one value. Allocates where the dimension is not known.
    fn keep<T: Clone + Debug>(self, value: T) -> Self::Kept<T>;

    /// A row to work on, of copies of `value` or of whatever the row held when it was put back, which whoever borrows must do.
    fn borrow<T: Clone + Debug>(kept: &mut Self::Kept<T>, value: T) -> Self::Row<T>;

    /// Puts a borrowed row back.
    fn put_back<T: Clone + Debug>(kept: &mut Self::Kept<T>, row: Self::Row<T>);
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
    fn empty_row<T: Clone + Debug>(self, value: T) -> [T; D] {
        self.row(value)
    }

    type Kept<T: Clone + Debug> = ();

    #[inline(always)]
    fn keep<T: Clone + Debug>(self, _: T) {}

    #[inline(always)]
    fn borrow<T: Clone + Debug>((): &mut (), value: T) -> [T; D] {
        core::array::from_fn(|_| value.clone())
    }

    #[inline(always)]
    fn put_back<T: Clone + Debug>((): &mut (), _: [T; D]) {}
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

    fn empty_row<T: Clone + Debug>(self, _: T) -> Vec<T> {
        Vec::new()
    }

    type Kept<T: Clone + Debug> = Vec<T>;

    fn keep<T: Clone + Debug>(self, value: T) -> Vec<T> {
        vec![value; self.0]
    }

    fn borrow<T: Clone + Debug>(kept: &mut Vec<T>, _: T) -> Vec<T> {
        core::mem::take(kept)
    }

    fn put_back<T: Clone + Debug>(kept: &mut Vec<T>, row: Vec<T>) {
        *kept = row;
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
