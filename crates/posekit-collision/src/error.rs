//! Errors of inputs.

/// Why a model, a check or a task is refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A size of a solid is negative, not finite or too large, or it has no points.
    #[error("the solid is not valid: {message}")]
    Solid {
        /// The fault.
        message: String,
    },
    /// The pose of an obstacle is not a rigid transform of finite numbers.
    #[error("the pose of `{name}` is not valid")]
    Pose {
        /// The obstacle.
        name: String,
    },
    /// Two bodies with one name.
    #[error("there is a body `{name}` already")]
    Duplicate {
        /// The name.
        name: String,
    },
    /// There is no body of this name.
    #[error("there is no body `{name}`")]
    NoSuchBody {
        /// The name.
        name: String,
    },
    /// More bodies than the list of pairs allows.
    #[error("{found} bodies are more than {limit}")]
    TooMany {
        /// The number of bodies.
        found: usize,
        /// The largest number of bodies.
        limit: usize,
    },
    /// A margin that is not a valid length.
    #[error("a margin must be within 0 to {limit:e} m, found {found}")]
    Margin {
        /// The margin \[m\].
        found: f64,
        /// The largest \[m\].
        limit: f64,
    },
    /// A configuration that is not valid for the robot.
    #[error(transparent)]
    Configuration(#[from] posekit::Error),
}

/// Result of this crate's functions.
pub type Result<T> = core::result::Result<T, Error>;
