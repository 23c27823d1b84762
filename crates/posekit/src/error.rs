//! The library's error type.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// What is wrong with an input. A hard problem is never an error: its outcome is data, in the solution's status.
///
/// Every variant names the thing at fault; joints go by their names, because that is what the person who made the file knows.
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
    /// A length is negative.
    #[error("{what} is negative ({value})")]
    Negative {
        /// Which input.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A direction or a rotation has length zero.
    #[error("{what} has length zero")]
    ZeroLength {
        /// Which input.
        what: &'static str,
    },
    /// A method cannot solve this kind of problem.
    #[error("the method {method} needs {need}")]
    Unsuited {
        /// The method's name.
        method: &'static str,
        /// What it needs.
        need: &'static str,
    },
    /// A quaternion is zero or too far from unit length to be a rounding error.
    #[error("{what} is not a unit quaternion (length {length:?}, expected 1 within 0.001)")]
    NotUnit {
        /// Which input.
        what: &'static str,
        /// Its length.
        length: f64,
    },
    /// A matrix is more than a rotation and a translation.
    #[error("{what} is not a rigid transform: it has {fault} ({value:?})")]
    NotRigid {
        /// Which input.
        what: &'static str,
        /// What it has: `scale` (the value is the length of a column), `shear` (the cosine of the angle between two columns), `mirroring` (the
        /// determinant) or `projection` (the element of the last row that is not that of 0, 0, 0, 1).
        fault: &'static str,
        /// The size of the fault.
        value: f64,
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

    /// A skeleton needs at least one joint.
    #[error("the skeleton has no joints")]
    EmptySkeleton,
    /// A joint's name is empty, so nothing could speak about it.
    #[error("joint {joint} has an empty name")]
    EmptyName {
        /// Index of the joint.
        joint: usize,
    },
    /// Two joints have one name.
    #[error("joints {first} and {second} are both named {name:?}")]
    DuplicateName {
        /// The name.
        name: String,
        /// Index of the first joint of that name.
        first: usize,
        /// Index of the next one.
        second: usize,
    },
    /// A parent index is not in the skeleton.
    #[error("joint {joint:?}: parent {parent} is out of range, there are {n_joints} joints")]
    ParentOutOfRange {
        /// The joint.
        joint: String,
        /// The index that it names as its parent.
        parent: usize,
        /// Joints in the skeleton.
        n_joints: usize,
    },
    /// A joint stands before its parent.
    #[error("joint {joint:?} comes before its parent {parent:?}; parents must come first")]
    ParentAfterChild {
        /// The joint.
        joint: String,
        /// Its parent.
        parent: String,
    },
    /// A joint is its own ancestor.
    #[error("parents form a cycle: {}", arrows(cycle))]
    ParentCycle {
        /// Names from child to parent; the first is repeated at the end.
        cycle: Vec<String>,
    },

    /// A number of a joint is NaN, or infinite where that has no meaning.
    #[error("joint {joint:?}: {field} is NaN or infinite")]
    JointNonFinite {
        /// The joint.
        joint: String,
        /// Which of its numbers.
        field: &'static str,
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
    /// An axis has no direction.
    #[error("joint {joint:?}: {field} is zero")]
    ZeroAxis {
        /// The joint.
        joint: String,
        /// Which axis.
        field: &'static str,
    },
    /// A joint's quaternion is zero or too far from unit length to be a rounding error.
    #[error(
        "joint {joint:?}: {field} is not a unit quaternion (length {length:?}, expected 1 within 0.001)"
    )]
    JointNotUnit {
        /// The joint.
        joint: String,
        /// Which quaternion.
        field: &'static str,
        /// Its length.
        length: f64,
    },
    /// A joint cannot have the rotation that is to be set.
    #[error(
        "joint {joint:?}: the rotation is {angle:?} rad away from the nearest one that a {kind} joint can have"
    )]
    JointRotation {
        /// The joint.
        joint: String,
        /// Its kind, in a word; `mimic` for a joint that follows another.
        kind: &'static str,
        /// Angle between the rotation and the nearest one that the joint can have, limits aside \[rad\].
        angle: f64,
    },
    /// The joints of a limb are not on one branch in their order.
    #[error("joint {above:?} is not above {below:?} in the skeleton")]
    JointOrder {
        /// The joint that should be the ancestor.
        above: String,
        /// The joint that should descend from it.
        below: String,
    },
    /// A lower bound is above its upper bound.
    #[error("joint {joint:?}: {field} has its minimum {min:?} above its maximum {max:?}")]
    RangeInverted {
        /// The joint.
        joint: String,
        /// Which range.
        field: &'static str,
        /// The lower bound.
        min: f64,
        /// The upper bound.
        max: f64,
    },
    /// A limit that the joint's kind cannot have.
    #[error("joint {joint:?}: a {kind} joint cannot have a {limit} limit")]
    LimitKind {
        /// The joint.
        joint: String,
        /// Its kind, in a word.
        kind: &'static str,
        /// The limit, in a word.
        limit: &'static str,
    },

    /// A joint without exactly one value cannot follow or lead another.
    #[error(
        "joint {joint:?} mimics {driver:?}, but {at_fault:?} is a {kind} joint; both must be revolute or prismatic"
    )]
    MimicKind {
        /// The follower.
        joint: String,
        /// The joint that it follows.
        driver: String,
        /// The one of the two that cannot.
        at_fault: String,
        /// Its kind, in a word.
        kind: &'static str,
    },
    /// A mimicked joint is not in the skeleton.
    #[error("joint {joint:?} mimics joint {driver}, but there are {n_joints} joints")]
    MimicMissing {
        /// The follower.
        joint: String,
        /// The index of the joint that it follows.
        driver: usize,
        /// Joints in the skeleton.
        n_joints: usize,
    },
    /// Joints follow each other in a ring, so none of them leads.
    #[error("mimic joints form a cycle: {}", arrows(cycle))]
    MimicCycle {
        /// Names from follower to leader; the first is repeated at the end.
        cycle: Vec<String>,
    },
    /// No value of the driver keeps it and its followers inside their limits.
    #[error(
        "joint {joint:?} mimics {driver:?}, but no value of {driver:?} keeps both inside their limits"
    )]
    MimicLimits {
        /// The follower whose limit leaves nothing.
        joint: String,
        /// The independent joint that it follows.
        driver: String,
    },
}

/// The library's result type.
pub type Result<T> = core::result::Result<T, Error>;

/// Names joined by arrows; the middle of a long list is left out and counted.
fn arrows(names: &[String]) -> String {
    const SHOWN: usize = 6;
    if names.len() <= 2 * SHOWN {
        return names.join(" -> ");
    }
    let (head, tail) = (&names[..SHOWN], &names[names.len() - SHOWN..]);
    let hidden = names.len() - 2 * SHOWN;
    format!("{} -> ({hidden} more) -> {}", head.join(" -> "), tail.join(" -> "))
}
