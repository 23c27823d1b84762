//! Errors of readers and writers, with their places.

use core::fmt;

/// A place in a file: its subject, and its position in the text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The subject, for people: a JSON path such as `bones[3].length`, or an XML element such as ``joint `elbow` ``.
    /// Empty for the file as a whole.
    pub subject: String,
    /// Line, from 1; 0 without a text, and then the other numbers have no meaning.
    pub line: usize,
    /// Column, from 1, in characters.
    pub column: usize,
    /// Offset from the start of the text \[bytes\].
    pub byte: usize,
}

impl Place {
    /// A place without a text, for errors found after reading, when a problem is converted to a skeleton.
    #[must_use]
    pub fn named(subject: impl Into<String>) -> Self {
        Self { subject: subject.into(), ..Self::default() }
    }

    /// The place `byte` bytes into `text`; beyond its end, the end.
    #[must_use]
    pub fn at(text: &str, byte: usize, subject: impl Into<String>) -> Self {
        let mut byte = byte.min(text.len());
        while !text.is_char_boundary(byte) {
            byte -= 1;
        }
        let before = &text[..byte];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            subject: subject.into(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            byte,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            return f.write_str(&self.subject);
        }
        if !self.subject.is_empty() {
            write!(f, "{}, ", self.subject)?;
        }
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Why a file cannot be used. Every variant about the text has a place.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not JSON, XML or BVH, or it ends too early.
    #[error("{place}, byte {}: {message}", place.byte)]
    Syntax {
        /// The place of the fault.
        place: Place,
        /// The fault.
        message: String,
    },
    /// The bytes are not UTF-8 text.
    #[error("the file is {encoding}, not UTF-8 (byte {byte})")]
    Encoding {
        /// The encoding that the file declares or appears to have.
        encoding: String,
        /// Offset of the first byte that shows it.
        byte: usize,
    },
    /// A required field or attribute is missing.
    #[error("{place}: `{field}` is missing")]
    Missing {
        /// The object or element that lacks it.
        place: Place,
        /// Its name.
        field: String,
    },
    /// A field that the format does not have.
    #[error("{place}: unknown field `{field}`, expected {expected}")]
    UnknownField {
        /// Where it stands.
        place: Place,
        /// Its name.
        field: String,
        /// The fields that are allowed there.
        expected: String,
    },
    /// A value of the wrong type, not finite, out of range, or inconsistent with others.
    #[error("{place}: {message}")]
    Value {
        /// The value.
        place: Place,
        /// The fault, and what was expected.
        message: String,
    },
    /// A duplicate name or role.
    #[error("{place}: {message}, first at line {first_line}")]
    Duplicate {
        /// The second one.
        place: Place,
        /// The fault.
        message: String,
        /// Line of the first one, from 1.
        first_line: usize,
    },
    /// A reference to a name that the file does not define.
    #[error("{place}: there is no {kind} `{name}`")]
    NoSuchName {
        /// The reference.
        place: Place,
        /// What it should name: `link` or `joint`.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// Links and joints that do not form a tree: a loop, two parents, two roots.
    #[error("{place}: {message}")]
    Tree {
        /// One joint or link of the fault.
        place: Place,
        /// The fault, with the chain of names.
        message: String,
    },
    /// Something valid or known that this reader refuses.
    #[error("{place}: {message}")]
    Unsupported {
        /// Where it stands.
        place: Place,
        /// The feature, and what to do instead.
        message: String,
    },
    /// The file exceeds a limit of [`Limits`](crate::Limits).
    #[error("{what} is more than {limit}; raise `Limits::{field}` to allow it")]
    TooLarge {
        /// What is too large, deep or long.
        what: String,
        /// The limit.
        limit: usize,
        /// The field of [`Limits`](crate::Limits).
        field: &'static str,
    },
    /// A value to be written is NaN or infinite, which no file can contain.
    #[error("`{field}` is not finite and cannot be written")]
    NotFinite {
        /// The field.
        field: String,
    },
    /// The operating system could not read the file.
    #[error("cannot read the file: {message}: {path}")]
    Read {
        /// The message of the system.
        message: String,
        /// The file.
        path: String,
    },
    /// The library refused the skeleton that the file describes.
    #[error("the skeleton is not valid: {0}")]
    Skeleton(#[from] posekit::Error),
    /// The clip that the file describes, or an edited one, was refused.
    #[error("the motion is not valid: {0}")]
    Motion(#[from] posekit_motion::Error),
}

/// The place in an error, for reading or writing.
macro_rules! place_of {
    ($error:expr) => {
        match $error {
            Self::Syntax { place, .. }
            | Self::Missing { place, .. }
            | Self::UnknownField { place, .. }
            | Self::Value { place, .. }
            | Self::Duplicate { place, .. }
            | Self::NoSuchName { place, .. }
            | Self::Tree { place, .. }
            | Self::Unsupported { place, .. } => Some(place),
            Self::Encoding { .. }
            | Self::TooLarge { .. }
            | Self::NotFinite { .. }
            | Self::Read { .. }
            | Self::Skeleton(_)
            | Self::Motion(_) => None,
        }
    };
}

impl Error {
    /// The same error with the line and column of the value that it names, if it was found after reading, when a problem was converted to a skeleton.
    ///
    /// - `text`: the JSON text of the problem
    ///
    /// # Degenerate cases
    /// An error that has a line, or names no value of the text, is unchanged.
    #[must_use]
    pub fn located_in(self, text: &str) -> Self {
        crate::json::located_in(self, text, &crate::Limits::default())
    }

    /// The place that the error names, if it is about one.
    #[must_use]
    pub const fn place(&self) -> Option<&Place> {
        place_of!(self)
    }

    /// The place that the error names.
    pub(crate) const fn place_mut(&mut self) -> Option<&mut Place> {
        place_of!(self)
    }
}

/// Result of a reader or writer.
pub type Result<T> = core::result::Result<T, Error>;

#[cfg(test)]
mod tests {
    use super::Place;

    #[test]
    fn places_count_characters_and_lines() {
        let text = "ab\nä€x\n";
        let place = Place::at(text, text.find('x').unwrap(), "x");
        assert_eq!((place.line, place.column), (2, 3));
        assert_eq!(place.to_string(), "x, line 2, column 3");
    }

    #[test]
    fn a_place_inside_a_character_or_beyond_the_end_is_moved() {
        assert_eq!(Place::at("€", 1, "").byte, 0);
        let end = Place::at("a\n", 99, "");
        assert_eq!((end.line, end.column, end.byte), (2, 1, 2));
    }
}
