//! One text for every dimension: kernels loop over `space.n()` coordinates, and the compiler unrolls the loop where
//! the dimension is known.

/// How many coordinates a point has.
pub(crate) trait Space: Copy {
    /// The number of coordinates.
    fn n(self) -> usize;
}

/// A dimension known when compiling: the plane and space.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fixed<const D: usize>;

/// Any other dimension.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Any(pub(crate) usize);

impl<const D: usize> Space for Fixed<D> {
    #[inline(always)]
    fn n(self) -> usize {
        D
    }
}

impl Space for Any {
    #[inline(always)]
    fn n(self) -> usize {
        self.0
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
