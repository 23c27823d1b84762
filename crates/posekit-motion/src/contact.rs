//! What must be held, and when.

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::Frame;

/// A time during which a point of a figure holds something: a foot the ground, a hand a railing.
///
/// Several may hold at once, also on one limb: heel and ball of a foot.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// What holds: a joint, and a point or frame on it.
    pub frame: Frame,
    /// When it begins to hold \[s\].
    pub from: f64,
    /// When it last holds \[s\]; at least `from`. The frames at both are held.
    pub to: f64,
    /// What it holds.
    pub hold: Hold,
    /// Before `from`, the time in which the pose goes over from the original to what is held \[s\]; 0 or more.
    pub ease_in: f64,
    /// After `to`, the time in which the pose goes back to the original \[s\]; 0 or more.
    pub ease_out: f64,
}

/// What is held, in the world.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Hold {
    /// The frame's origin stays at a point, however the frame turns; `None` for the point where it is in the middle of its time.
    Position(Option<DVec3>),
    /// The frame stays in a pose; `None` for the pose that it has in the middle of its time.
    Pose(Option<Pose>),
    /// The frame's origin stays on a plane and may slide along it.
    Surface {
        /// A point of the plane.
        point: DVec3,
        /// The plane's normal, of any length but zero.
        normal: DVec3,
    },
}
