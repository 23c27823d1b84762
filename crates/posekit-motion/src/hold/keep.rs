//! What a file keeps of a clip, and contacts that it keeps from holding.

use posekit::glam::{DQuat, DVec3};
use posekit::skeleton::Skeleton;

use super::plan::{LimbPlan, Plan, positions};
use super::whole::STRAIGHT_TO_HOLD;
use super::{ContactReport, size};
use crate::Clip;
use crate::plant::CLEAN;
use crate::tracks::Tracks;

/// What a file keeps of a clip of its own skeleton. A BVH may have fewer channels than a joint can turn and move, and cuts what they cannot say.
#[derive(Debug, Clone, PartialEq)]
pub struct Keep {
    /// Of each joint the axes that it can be turned about, one turn inside the other, where these are fewer than its kind has: two at most and the first outermost, at right
    /// angles, in the joint's own frame. `None` for joints that turn as their kind does.
    pub axes: Vec<Option<Vec<DVec3>>>,
    /// Along which axes of the frame that it is placed in each joint can be moved that is [free](posekit::skeleton::JointKind::Free).
    pub moves: Vec<[bool; 3]>,
}

impl Keep {
    /// The axes that a joint can be turned about, where these are few.
    pub(super) fn turns(&self, joint: usize) -> Option<&[DVec3]> {
        self.axes.get(joint)?.as_deref()
    }
}

/// Along which axes of the world a file keeps a displacement of a joint: where it does not keep all of them, and these turn with the joint's parent, along none.
pub(crate) fn moves_in_world(keep: Option<&Keep>, skeleton: &Skeleton, joint: usize) -> [bool; 3] {
    let Some(moves) = keep.and_then(|keep| keep.moves.get(joint)) else { return [true; 3] };
    let is_upright = skeleton.parent(joint).is_none()
        && skeleton.parent_from_joint(joint).rotation == DQuat::IDENTITY;
    if is_upright || *moves == [true; 3] { *moves } else { [false; 3] }
}

/// Tells which contacts are within reach, and missed by what joints cannot turn; what these leave a little off holds.
///
/// - `clip`: in which they hold, with tracks of the plan's joints
pub(super) fn tell_few(
    contacts: &mut [ContactReport],
    plan: &Plan<'_>,
    (clip, tracks): (&Clip, &Tracks),
) {
    for limb in plan.limbs.iter().filter(|limb| limb.columns.is_some()) {
        for point in &limb.points {
            let contact = &mut contacts[point.contact];
            let most = CLEAN * size(Some(limb.limb), clip);
            if contact.residual <= most && contact.angle <= CLEAN {
                contact.missed.clear();
            }
            contact.by_channels =
                contact.missed.iter().any(|frame| !is_straight(limb, tracks, *frame));
        }
    }
}

fn is_straight(limb: &LimbPlan, tracks: &Tracks, frame: usize) -> bool {
    let [start, mid, end] = positions(limb.limb, tracks, frame);
    start.distance(end) > STRAIGHT_TO_HOLD * (start.distance(mid) + mid.distance(end))
}
