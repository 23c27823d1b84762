//! The failures of commands and their exit codes.

use std::fmt::Display;

/// The cause of a failure: the command line, the input, the output, or the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The options do not fit each other or the problem.
    Usage,
    /// A file that cannot be read or is not valid.
    Input,
    /// The output could not be written.
    Output,
    /// The target was not reached, and `--require-reached` was given.
    NotReached,
    /// A check found something.
    Findings,
    /// Some files of a folder failed; the others are done.
    SomeFailed,
    /// The command was stopped in the middle of a folder.
    Stopped,
    /// No failure: the process handled one file for another process, which reads the result from its output.
    PartDone,
}

impl Fault {
    /// The exit code: 1 for an outcome, 2 for the command line, 3 for the input, 4 for part of it, 5 for the output, 130 for an interrupt, as in shells.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::NotReached | Self::Findings => 1,
            Self::Usage => 2,
            Self::Input => 3,
            Self::SomeFailed => 4,
            Self::Output => 5,
            Self::Stopped => crate::stop::CODE,
            Self::PartDone => 0,
        }
    }
}

/// A fault and its message; no message if the output has reported it already.
#[derive(Debug)]
pub(crate) struct Failure {
    /// The kind of failure, which determines the exit code.
    pub(crate) fault: Fault,
    /// The message: what happened, where, and what to try.
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

    /// A fault of the input, with the file's name after it.
    pub(crate) fn in_file(message: impl Display, file: impl Display) -> Self {
        let message = message.to_string();
        let file = file.to_string();
        // The readers append the file's name themselves when the system cannot read it.
        if message.ends_with(&file) {
            return Self::input(message);
        }
        Self::input(format!("{message}: {file}"))
    }

    /// The message without the file's name at its end.
    pub(crate) fn message(&self, file: &str) -> String {
        let text = self.error.as_ref().map(|error| format!("{error:#}")).unwrap_or_default();
        text.strip_suffix(&format!(": {file}")).map_or_else(|| text.clone(), str::to_owned)
    }

    /// The output cannot be written.
    pub(crate) fn output(message: impl Display) -> Self {
        Self::new(Fault::Output, message)
    }

    /// The target was not reached; the status has been printed.
    pub(crate) const fn not_reached() -> Self {
        Self { fault: Fault::NotReached, error: None }
    }

    /// A check found something, which has been printed.
    pub(crate) const fn findings() -> Self {
        Self { fault: Fault::Findings, error: None }
    }

    /// Some files or motions failed; which and why has been printed.
    pub(crate) const fn some_failed() -> Self {
        Self { fault: Fault::SomeFailed, error: None }
    }

    /// The run was stopped; what is done and what is not has been printed.
    pub(crate) const fn stopped() -> Self {
        Self { fault: Fault::Stopped, error: None }
    }

    /// One file of a folder is done, on behalf of another process.
    pub(crate) const fn part_done() -> Self {
        Self { fault: Fault::PartDone, error: None }
    }

    fn new(fault: Fault, message: impl Display) -> Self {
        Self { fault, error: Some(anyhow::Error::msg(message.to_string())) }
    }
}

/// Errors of the library about a solve: an unsuitable method is a usage error, all others are errors of the problem.
impl From<posekit::Error> for Failure {
    fn from(error: posekit::Error) -> Self {
        if error.is_unsuited() { Self::usage(error) } else { Self::input(error) }
    }
}

/// Errors about a motion, likewise.
impl From<posekit_motion::Error> for Failure {
    fn from(error: posekit_motion::Error) -> Self {
        match error {
            posekit_motion::Error::Posekit(error) => error.into(),
            posekit_motion::Error::Unsuited { .. } => Self::usage(error),
            other => Self::input(other),
        }
    }
}
