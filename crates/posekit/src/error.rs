//! The library's error type.

/// What is wrong with an input. A hard problem is never an error: it is a [`Status`](crate::solve).
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A slice has the wrong number of elements.
    #[error("{what} has {found} elements, expected {expected}")]
    Length {
        /// Which input.
        what: &'static str,
        /// Elements it must have.
        expected: usize,
        /// Elements it has.
        found: usize,
    },
    /// A number is NaN or infinite.
    #[error("{what} is not finite (element {index})")]
    NonFinite {
        /// Which input.
        what: &'static str,
        /// Index of the first bad element.
        index: usize,
    },
    /// A length is negative.
    #[error("{what} is negative ({value})")]
    Negative {
        /// Which input.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A direction or a rotation has length zero.
    #[error("{what} has length zero")]
    ZeroLength {
        /// Which input.
        what: &'static str,
    },
}

/// The library's result type.
pub type Result<T> = core::result::Result<T, Error>;
