//! Errors for JavaScript.

use core::fmt;

use posekit_io::Place;

/// A message, and its place in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The message.
    pub message: String,
    /// The place; `None` without a text.
    pub place: Option<Place>,
}

/// Result of the functions that JavaScript can call.
pub type Result<T> = core::result::Result<T, Fault>;

impl Fault {
    /// An error without a place.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), place: None }
    }
}

pub(crate) fn wrong_length(what: &str, expected: usize, found: usize) -> Fault {
    Fault::new(format!("{what}: expected {expected} numbers, found {found}"))
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for Fault {}

impl From<posekit_io::Error> for Fault {
    fn from(error: posekit_io::Error) -> Self {
        Self { message: error.to_string(), place: error.place().cloned() }
    }
}

impl From<posekit::Error> for Fault {
    fn from(error: posekit::Error) -> Self {
        Self::new(error.to_string())
    }
}

impl From<posekit_motion::Error> for Fault {
    fn from(error: posekit_motion::Error) -> Self {
        Self::new(error.to_string())
    }
}
