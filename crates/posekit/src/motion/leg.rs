//! Limbs of a figure: which joints bend to put a hand or a foot somewhere.

/// Three joints of one branch that put its end somewhere: hip, knee and ankle, or shoulder, elbow and wrist. They need not be neighbours: joints between
/// them, such as those that share out a twist, keep their values and move along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limb {
    /// Where the limb begins: hip or shoulder.
    pub start: usize,
    /// Where it bends: knee or elbow.
    pub mid: usize,
    /// Where it ends: ankle or wrist.
    pub end: usize,
}

/// A limb that stands on the ground.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leg {
    /// Hip, knee and ankle; of a quadruped's leg the joints that do most of what these do.
    pub limb: Limb,
    /// The joint at the ball of the foot, on which the heel lifts off; `None` where the foot is one piece.
    pub ball: Option<usize>,
    /// Which side of the body it is on.
    pub side: Side,
}

/// A side of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The figure's left.
    Left,
    /// The figure's right.
    Right,
    /// Neither, or not known.
    Middle,
}
