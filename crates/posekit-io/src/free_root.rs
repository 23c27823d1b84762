//! Skeletons whose root floats.

use posekit::skeleton::{Joint, JointKind, Skeleton};

use crate::error::Result;

/// The same skeleton with these joints free.
pub(crate) fn with_free(skeleton: &Skeleton, is_free: impl Fn(usize) -> bool) -> Result<Skeleton> {
    let joint = |joint: usize| Joint {
        name: skeleton.name(joint).to_owned(),
        parent: skeleton.parent(joint),
        parent_from_joint: skeleton.parent_from_joint(joint),
        kind: if is_free(joint) { JointKind::Free } else { skeleton.kind(joint) },
        limit: skeleton.limit(joint),
        mimic: skeleton.mimic(joint),
    };
    Ok(Skeleton::try_new((0..skeleton.n_joints()).map(joint).collect())?)
}
