//! Why something could not be done, for JavaScript.

use core::fmt;

use posekit_io::Place;

/// A message, and the place in a text that it speaks about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub message: String,
    /// Where; `None` where no text is at hand.
    pub place: Option<Place>,
}

/// Result of whatever JavaScript can call.
pub type Result<T> = core::result::Result<T, Fault>;

impl Fault {
    /// A fault of a call.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), place: None }
    }
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
