//! Skeletons whose root floats.

use posekit::skeleton::{JointKind, Skeleton};

use crate::error::Result;

/// The same skeleton with these joints free.
pub(crate) fn with_free(skeleton: &Skeleton, is_free: impl Fn(usize) -> bool) -> Result<Skeleton> {
    let joint = |index: usize| {
        let mut joint = skeleton.joint(index);
        if is_free(index) {
            joint.kind = JointKind::Free;
        }
        joint
    };
    Ok(Skeleton::try_new((0..skeleton.n_joints()).map(joint).collect())?)
}
