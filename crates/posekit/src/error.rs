//! The library's error type.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A fault of an input. A hard problem is never an error: its outcome is data, in the solution's status.
///
/// The message names the fault and its place; joints by their names, which the author of a file knows. For programs there are the place
/// ([`joint`](Self::joint), [`what`](Self::what), [`index`](Self::index)) and the kind: exactly one of the predicates is true.
///
/// # Example: the place of a fault
/// ```
/// use posekit::glam::DVec3;
/// use posekit::skeleton::{Joint, Limit, Skeleton};
///
/// let knee = Joint::revolute("knee", DVec3::X).with_limit(Limit::Range { min: f64::NAN, max: 2.0 });
/// let error = Skeleton::try_new(vec![knee]).unwrap_err();
/// assert!(error.is_not_finite());
/// assert_eq!((error.joint(), error.what()), (Some("knee"), Some("limit minimum")));
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct Error(Box<ErrorKind>);

impl Error {
    /// A slice has the wrong number of elements.
    #[must_use]
    pub fn is_wrong_length(&self) -> bool {
        self.0.class() == Class::WrongLength
    }

    /// A number is NaN, or infinite where that has no meaning.
    #[must_use]
    pub fn is_not_finite(&self) -> bool {
        self.0.class() == Class::NotFinite
    }

    /// A number is outside its bounds, bounds leave no number, or a joint cannot have the rotation that is to be set.
    #[must_use]
    pub fn is_out_of_range(&self) -> bool {
        self.0.class() == Class::OutOfRange
    }

    /// A direction or a quaternion is zero, a quaternion is further than 0.001 from unit length, or a matrix is more than a rotation and a translation.
    #[must_use]
    pub fn is_degenerate(&self) -> bool {
        self.0.class() == Class::Degenerate
    }

    /// The index or name of a joint is not in the skeleton.
    #[must_use]
    pub fn is_no_such_joint(&self) -> bool {
        self.0.class() == Class::NoSuchJoint
    }

    /// Joints do not fit together: their names, their order, their mimics, or a limit on a joint of another kind.
    #[must_use]
    pub fn is_malformed(&self) -> bool {
        self.0.class() == Class::Malformed
    }

    /// The method cannot solve this kind of problem, or the call is not for this kind.
    #[must_use]
    pub fn is_unsuited(&self) -> bool {
        self.0.class() == Class::Unsuited
    }

    /// Name of the joint at fault, where it has one: of a cycle the first, of a limb the lower one.
    #[must_use]
    pub fn joint(&self) -> Option<&str> {
        match &*self.0 {
            ErrorKind::DuplicateName { name: joint, .. }
            | ErrorKind::ParentOutOfRange { joint, .. }
            | ErrorKind::ParentAfterChild { joint, .. }
            | ErrorKind::JointNonFinite { joint, .. }
            | ErrorKind::JointOutOfBounds { joint, .. }
            | ErrorKind::ZeroAxis { joint, .. }
            | ErrorKind::JointNotUnit { joint, .. }
            | ErrorKind::JointRotation { joint, .. }
            | ErrorKind::JointOrder { below: joint, .. }
            | ErrorKind::RangeInverted { joint, .. }
            | ErrorKind::LimitKind { joint, .. }
            | ErrorKind::MimicKind { joint, .. }
            | ErrorKind::MimicMissing { joint, .. }
            | ErrorKind::MimicLimits { joint, .. }
            | ErrorKind::NoSuchName { name: joint } => Some(joint),
            ErrorKind::ParentCycle { cycle } | ErrorKind::MimicCycle { cycle } => {
                cycle.first().map(String::as_str)
            }
            _ => None,
        }
    }

    /// Which input is at fault, or which number of the joint: `start`, `task target`, `limit minimum`.
    #[must_use]
    pub fn what(&self) -> Option<&str> {
        match *self.0 {
            ErrorKind::Length { what, .. }
            | ErrorKind::NonFinite { what, .. }
            | ErrorKind::OutOfRange { what, .. }
            | ErrorKind::Negative { what, .. }
            | ErrorKind::ZeroLength { what }
            | ErrorKind::NotUnit { what, .. }
            | ErrorKind::NotRigid { what, .. }
            | ErrorKind::NoSuchJoint { what, .. }
            | ErrorKind::JointNonFinite { field: what, .. }
            | ErrorKind::JointOutOfBounds { field: what, .. }
            | ErrorKind::ZeroAxis { field: what, .. }
            | ErrorKind::JointNotUnit { field: what, .. }
            | ErrorKind::RangeInverted { field: what, .. } => Some(what),
            _ => None,
        }
    }

    /// Index of the element at fault, or of a joint without a unique name: of two with the same name the second.
    #[must_use]
    pub fn index(&self) -> Option<usize> {
        match *self.0 {
            ErrorKind::NonFinite { index, .. }
            | ErrorKind::OutOfRange { index, .. }
            | ErrorKind::NoSuchJoint { joint: index, .. }
            | ErrorKind::EmptyName { joint: index }
            | ErrorKind::DuplicateName { second: index, .. }
            | ErrorKind::ParentOutOfRange { parent: index, .. }
            | ErrorKind::MimicMissing { driver: index, .. } => Some(index),
            _ => None,
        }
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Self {
        Self(Box::new(kind))
    }
}

/// The kinds of [`Error`] with the data of their messages.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum ErrorKind {
    /// A slice has the wrong number of elements.
    #[error("{what} has {found} elements, expected {expected}")]
    Length { what: &'static str, expected: usize, found: usize },
    /// A number is NaN or infinite.
    #[error("{what} is not finite (element {index})")]
    NonFinite { what: &'static str, index: usize },
    /// A value is outside its allowed range.
    #[error("{what}[{index}] is {value}, must be {need}")]
    OutOfRange { what: &'static str, index: usize, value: f64, need: &'static str },
    /// A length is negative.
    #[error("{what} is negative ({value})")]
    Negative { what: &'static str, value: f64 },
    /// A direction or a rotation has length zero.
    #[error("{what} has length zero")]
    ZeroLength { what: &'static str },
    /// A method cannot solve this kind of problem.
    #[error("the method {method} needs {need}")]
    Unsuited { method: &'static str, need: &'static str },
    /// A quaternion is zero or too far from unit length to be a rounding error.
    #[error("{what} is not a unit quaternion (length {length:?}, expected 1 within 0.001)")]
    NotUnit { what: &'static str, length: f64 },
    /// A matrix is more than a rotation and a translation.
    #[error("{what} is not a rigid transform: it has {fault} ({value:?})")]
    NotRigid { what: &'static str, fault: &'static str, value: f64 },
    /// A joint index is not in the skeleton.
    #[error("{what} names joint {joint}, but the skeleton has {n_joints} joints")]
    NoSuchJoint { what: &'static str, joint: usize, n_joints: usize },
    /// No joint of the skeleton has this name.
    #[error("the skeleton has no joint named {name:?}")]
    NoSuchName { name: String },

    /// A skeleton needs at least one joint.
    #[error("the skeleton has no joints")]
    EmptySkeleton,
    /// A joint's name is empty.
    #[error("joint {joint} has an empty name")]
    EmptyName { joint: usize },
    /// Two joints have the same name.
    #[error("joints {first} and {second} are both named {name:?}")]
    DuplicateName { name: String, first: usize, second: usize },
    /// A parent index is not in the skeleton.
    #[error("joint {joint:?}: parent {parent} is out of range, there are {n_joints} joints")]
    ParentOutOfRange { joint: String, parent: usize, n_joints: usize },
    /// A joint comes before its parent.
    #[error("joint {joint:?} comes before its parent {parent:?}; parents must come first")]
    ParentAfterChild { joint: String, parent: String },
    /// A joint is its own ancestor.
    #[error("parents form a cycle: {}", arrows(cycle))]
    ParentCycle { cycle: Vec<String> },

    /// A number of a joint is NaN, or infinite where that has no meaning.
    #[error("joint {joint:?}: {field} is NaN or infinite")]
    JointNonFinite { joint: String, field: &'static str },
    /// A number of a joint is outside its bounds.
    #[error("joint {joint:?}: {field} is {value:?}, expected {min:?} to {max:?}")]
    JointOutOfBounds { joint: String, field: &'static str, value: f64, min: f64, max: f64 },
    /// An axis has no direction.
    #[error("joint {joint:?}: {field} is zero")]
    ZeroAxis { joint: String, field: &'static str },
    /// A joint's quaternion is zero or too far from unit length to be a rounding error.
    #[error(
        "joint {joint:?}: {field} is not a unit quaternion (length {length:?}, expected 1 within 0.001)"
    )]
    JointNotUnit { joint: String, field: &'static str, length: f64 },
    /// A joint cannot have the rotation that is to be set.
    #[error(
        "joint {joint:?}: the rotation is {angle:?} rad away from the nearest one that a {kind} joint can have"
    )]
    JointRotation { joint: String, kind: &'static str, angle: f64 },
    /// The joints of a limb are not on one branch in their order.
    #[error("joint {above:?} is not above {below:?} in the skeleton")]
    JointOrder { above: String, below: String },
    /// A lower bound is above its upper bound.
    #[error("joint {joint:?}: {field} has its minimum {min:?} above its maximum {max:?}")]
    RangeInverted { joint: String, field: &'static str, min: f64, max: f64 },
    /// A limit that the joint's kind cannot have.
    #[error("joint {joint:?}: a {kind} joint cannot have a {limit} limit")]
    LimitKind { joint: String, kind: &'static str, limit: &'static str },

    /// A joint without exactly one value cannot be a mimic or a driver.
    #[error(
        "joint {joint:?} mimics {driver:?}, but {at_fault:?} is a {kind} joint; both must be revolute or prismatic"
    )]
    MimicKind { joint: String, driver: String, at_fault: String, kind: &'static str },
    /// A mimicked joint is not in the skeleton.
    #[error("joint {joint:?} mimics joint {driver}, but there are {n_joints} joints")]
    MimicMissing { joint: String, driver: usize, n_joints: usize },
    /// Joints follow each other in a cycle.
    #[error("mimic joints form a cycle: {}", arrows(cycle))]
    MimicCycle { cycle: Vec<String> },
    /// No value of the driver keeps it and its followers inside their limits.
    #[error(
        "joint {joint:?} mimics {driver:?}, but no value of {driver:?} keeps both inside their limits"
    )]
    MimicLimits { joint: String, driver: String },
}

/// The kinds that the predicates of [`Error`] distinguish.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    WrongLength,
    NotFinite,
    OutOfRange,
    Degenerate,
    NoSuchJoint,
    Malformed,
    Unsuited,
}

impl ErrorKind {
    fn class(&self) -> Class {
        match self {
            Self::Length { .. } => Class::WrongLength,
            Self::NonFinite { .. } | Self::JointNonFinite { .. } => Class::NotFinite,
            Self::OutOfRange { .. }
            | Self::Negative { .. }
            | Self::JointOutOfBounds { .. }
            | Self::JointRotation { .. }
            | Self::RangeInverted { .. }
            | Self::MimicLimits { .. } => Class::OutOfRange,
            Self::ZeroLength { .. }
            | Self::ZeroAxis { .. }
            | Self::NotUnit { .. }
            | Self::JointNotUnit { .. }
            | Self::NotRigid { .. } => Class::Degenerate,
            Self::NoSuchJoint { .. }
            | Self::NoSuchName { .. }
            | Self::ParentOutOfRange { .. }
            | Self::MimicMissing { .. } => Class::NoSuchJoint,
            Self::EmptySkeleton
            | Self::EmptyName { .. }
            | Self::DuplicateName { .. }
            | Self::ParentAfterChild { .. }
            | Self::ParentCycle { .. }
            | Self::JointOrder { .. }
            | Self::LimitKind { .. }
            | Self::MimicKind { .. }
            | Self::MimicCycle { .. } => Class::Malformed,
            Self::Unsuited { .. } => Class::Unsuited,
        }
    }
}

/// The library's result type.
pub type Result<T> = core::result::Result<T, Error>;

/// Names joined by arrows; the middle of a long list is replaced by its length.
fn arrows(names: &[String]) -> String {
    const SHOWN: usize = 6;
    if names.len() <= 2 * SHOWN {
        return names.join(" -> ");
    }
    let (head, tail) = (&names[..SHOWN], &names[names.len() - SHOWN..]);
    let hidden = names.len() - 2 * SHOWN;
    format!("{} -> ({hidden} more) -> {}", head.join(" -> "), tail.join(" -> "))
}
