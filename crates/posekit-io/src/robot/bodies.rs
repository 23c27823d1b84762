//! Combines the masses of links into one body for each moving joint.

use posekit::glam::DVec3;
use posekit::skeleton::{JointKind, Skeleton};
use posekit::task::Body;

use super::RobotLink;

/// Sums masses by the joints that move them.
pub(super) fn sum(skeleton: &Skeleton, links: &[RobotLink]) -> Vec<Body> {
    let n_joints = skeleton.n_joints();
    let (mut masses, mut moments) = (vec![0.0; n_joints], vec![DVec3::ZERO; n_joints]);
    for link in links {
        masses[link.skeleton_joint] += link.mass;
        moments[link.skeleton_joint] += link.mass * link.center_in_link;
    }
    // Children come after their parents: in reverse order, fixed joints add their sums to their parents.
    for joint in (0..n_joints).rev() {
        let (JointKind::Fixed, Some(parent)) = (skeleton.kind(joint), skeleton.parent(joint))
        else {
            continue;
        };
        let (mass, moment) = (masses[joint], moments[joint]);
        let placed = skeleton.parent_from_joint(joint);
        masses[parent] += mass;
        moments[parent] += placed.transform_vector(moment) + mass * placed.translation;
        masses[joint] = 0.0;
    }
    let weighs = (0..n_joints).filter(|&joint| masses[joint] > 0.0);
    let body = |joint: usize| Body {
        joint,
        center_in_joint: moments[joint] / masses[joint],
        mass: masses[joint],
    };
    weighs.map(body).collect()
}
