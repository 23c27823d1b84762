//! Roots and roundings, which `core` lacks. IEEE 754 fixes their results, so the standard library's are the same bits as those of `libm`.

macro_rules! exact {
    ($($(#[$doc:meta])* $name:ident($float:ident) = $method:ident or $libm:ident;)+) => {$(
        $(#[$doc])*
        #[inline(always)]
        #[must_use]
        pub(crate) fn $name(x: $float) -> $float {
            #[cfg(feature = "std")]
            return x.$method();
            #[cfg(not(feature = "std"))]
            return libm::$libm(x);
        }
    )+};
}

exact! {
    /// The square root; NaN below zero.
    sqrt(f64) = sqrt or sqrt;
    /// The largest integer that is not above.
    floor(f64) = floor or floor;
    /// The smallest integer that is not below.
    ceil(f64) = ceil or ceil;
}
