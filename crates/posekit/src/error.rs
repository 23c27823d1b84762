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
    /// A value is outside what it may be.
    #[error("{what}[{index}] is {value}, must be {need}")]
    OutOfRange {
        /// Which input.
        what: &'static str,
        /// Index of the element.
        index: usize,
        /// The value.
        value: f64,
        /// What it must be.
        need: &'static str,
    },
    /// A method cannot solve this kind of problem.
    #[error("the method {method} needs {need}")]
    Unsuited {
        /// The method's name.
        method: &'static str,
        /// What it needs.
        need: &'static str,
    },
}

/// The library's result type.
pub type Result<T> = core::result::Result<T, Error>;
