//! Recoverable faults of files.

use core::fmt;

use crate::error::Place;

/// Something that a reader ignored, repaired or interpreted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// Its place.
    pub place: Place,
    /// The fault, and what the reader did about it.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// The warnings of one or more files, in the order in which they were found.
///
/// Readers take it as `&mut Warnings` and never write to a log; what to do with them is the caller's choice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Warnings {
    list: Vec<Warning>,
}

impl Warnings {
    /// No warnings yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { list: Vec::new() }
    }

    /// Adds one.
    pub fn push(&mut self, place: Place, message: impl Into<String>) {
        self.list.push(Warning { place, message: message.into() });
    }

    /// The warnings, oldest first.
    #[must_use]
    pub fn as_slice(&self) -> &[Warning] {
        &self.list
    }

    /// The warnings, oldest first.
    pub fn iter(&self) -> core::slice::Iter<'_, Warning> {
        self.list.iter()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// True when there are no warnings.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

impl<'a> IntoIterator for &'a Warnings {
    type Item = &'a Warning;
    type IntoIter = core::slice::Iter<'a, Warning>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
