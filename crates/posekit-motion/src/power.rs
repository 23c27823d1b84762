//! Powers, by `libm`.

/// 2 to the power of a number.
#[inline]
pub(crate) fn exp2(exponent: f64) -> f64 {
    libm::exp2(exponent)
}
