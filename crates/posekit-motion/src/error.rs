//! The crate's error type.

/// What is wrong with an input.
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
    /// A direction or a rotation has length zero.
    #[error("{what} has length zero")]
    ZeroLength {
        /// Which input.
        what: &'static str,
    },
    /// A quaternion is zero or too far from unit length to be a rounding error.
    #[error("{what} is not a unit quaternion (length {length:?}, expected 1 within 0.001)")]
    NotUnit {
        /// Which input.
        what: &'static str,
        /// Its length.
        length: f64,
    },
    /// A joint index is not in the skeleton.
    #[error("{what} names joint {joint}, but the skeleton has {n_joints} joints")]
    NoSuchJoint {
        /// Which input.
        what: &'static str,
        /// The index.
        joint: usize,
        /// Joints in the skeleton.
        n_joints: usize,
    },
    /// A number of a joint is outside its bounds.
    #[error("joint {joint:?}: {field} is {value:?}, expected {min:?} to {max:?}")]
    JointOutOfBounds {
        /// The joint.
        joint: String,
        /// Which of its numbers.
        field: &'static str,
        /// The number.
        value: f64,
        /// Smallest allowed.
        min: f64,
        /// Largest allowed.
        max: f64,
    },
    /// A method cannot solve this kind of problem.
    #[error("the method {method} needs {need}")]
    Unsuited {
        /// The method's name.
        method: &'static str,
        /// What it needs.
        need: &'static str,
    },
    /// A frame is no configuration of the skeleton.
    #[error("frame {frame}: {error}")]
    Frame {
        /// Index of the frame.
        frame: usize,
        /// What is wrong with it.
        error: posekit::Error,
    },
    /// The library refused a configuration, a frame of a joint, or what was to be solved.
    #[error(transparent)]
    Posekit(#[from] posekit::Error),
}

/// The crate's result type.
pub type Result<T> = core::result::Result<T, Error>;
