//! Moving the root along a trajectory.

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::JointKind;

use super::clip::Clip;
use super::hold::root_of;
use super::leg::Leg;
use crate::error::{Error, Result};

/// The clip with the joint that carries the legs moved in the world: by so much in each frame, as along a walk's way.
///
/// - `path`: frame after frame, in the clip's unit; frames beyond its end stay where they are
///
/// The joint is the one that carries the whole figure and can be moved ([`Free`](JointKind::Free)), else the one farthest up that carries all the legs; without
/// legs the first that can be moved. It is the joint that [`clean`](super::clean()) moves.
///
/// # Degenerate cases
/// `None` where no such joint can be moved.
/// # Errors
/// [`Error::NonFinite`] for a path that is not finite.
pub fn along_path(clip: &Clip, legs: &[Leg], path: &[DVec3]) -> Result<Option<Clip>> {
    if let Some(index) = path.iter().position(|shift| !shift.is_finite()) {
        return Err(Error::NonFinite { what: "path", index });
    }
    Ok(carrier(clip, legs).map(|carrier| shifted(clip, carrier, path)))
}

/// The clip with a joint that can be moved, moved in the world: by so much in each frame.
pub(super) fn shifted(clip: &Clip, carrier: usize, path: &[DVec3]) -> Clip {
    let skeleton = clip.skeleton();
    let place = skeleton.value_range(carrier).start;
    let above: Vec<usize> = skeleton.ancestors(carrier).skip(1).collect();
    let placement = skeleton.parent_from_joint(carrier).rotation;
    let mut values = clip.values().to_vec();
    for (q, shift) in values.chunks_exact_mut(skeleton.n_values()).zip(path) {
        let parent = above
            .iter()
            .rev()
            .fold(Pose::IDENTITY, |parent, &joint| skeleton.pose_on(joint, q, parent));
        let local = (parent.rotation * placement).conjugate() * *shift;
        for (value, more) in q[place..place + 3].iter_mut().zip(local.to_array()) {
            *value += more;
        }
    }
    clip.with_edited(values, &[])
}

/// The joint that [`along_path`] moves: it carries the whole figure, or all the legs, and can be moved. `None` where there is none.
#[must_use]
pub fn carrier(clip: &Clip, legs: &[Leg]) -> Option<usize> {
    let skeleton = clip.skeleton();
    if legs.is_empty() {
        let is_free = |joint: &usize| skeleton.kind(*joint) == JointKind::Free;
        return (0..skeleton.n_joints()).find(is_free);
    }
    let starts: Vec<usize> = legs.iter().map(|leg| leg.limb.start).collect();
    root_of(skeleton, &starts)
}
