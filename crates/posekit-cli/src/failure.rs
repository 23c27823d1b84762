//! Why a command did not succeed, and the exit code that says so.

use std::fmt::Display;

/// What a person should look at: the command line, the input, or the place the output goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The options do not fit each other or the problem.
    Usage,
    /// A file that cannot be read or holds no problem.
    Input,
    /// Nothing could be written.
    Output,
    /// Everything worked, the target was not reached, and `--require-reached` asked for it.
    NotReached,
}

impl Fault {
    /// The exit code: 1 for an outcome, 2 for the command line, 3 for the input.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::NotReached | Self::Output => 1,
            Self::Usage => 2,
            Self::Input => 3,
        }
    }
}

/// A fault and its message; no message where the output has said it already.
#[derive(Debug)]
pub(crate) struct Failure {
    /// Whose fault it is.
    pub(crate) fault: Fault,
    /// What happened, where, and what to try.
    pub(crate) error: Option<anyhow::Error>,
}

/// Result of a command.
pub(crate) type Result<T> = core::result::Result<T, Failure>;

impl Failure {
    /// A fault of the command line.
    pub(crate) fn usage(message: impl Display) -> Self {
        Self::new(Fault::Usage, message)
    }

    /// A fault of the input.
    pub(crate) fn input(message: impl Display) -> Self {
        Self::new(Fault::Input, message)
    }

    /// A fault of the input, with the file's name behind it.
    pub(crate) fn in_file(message: impl Display, file: impl Display) -> Self {
        let message = message.to_string();
        let file = file.to_string();
        // The readers name the file themselves when the system cannot read it.
        if message.ends_with(&file) {
            return Self::input(message);
        }
        Self::input(format!("{message}: {file}"))
    }

    /// The output cannot be written.
    pub(crate) fn output(message: impl Display) -> Self {
        Self::new(Fault::Output, message)
    }

    /// The target was not reached; the status has been printed.
    pub(crate) const fn not_reached() -> Self {
        Self { fault: Fault::NotReached, error: None }
    }

    fn new(fault: Fault, message: impl Display) -> Self {
        Self { fault, error: Some(anyhow::Error::msg(message.to_string())) }
    }
}

/// Errors of the library about a solve: a method that does not fit is a wrong option, the rest is in the problem.
impl From<posekit::Error> for Failure {
    fn from(error: posekit::Error) -> Self {
        match error {
            posekit::Error::Unsuited { .. } => Self::usage(error),
            other => Self::input(other),
        }
    }
}
