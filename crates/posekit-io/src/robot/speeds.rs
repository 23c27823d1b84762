//! Converts the largest speeds of joints to those of degrees of freedom.

use posekit::skeleton::Skeleton;

use super::RobotJoint;

/// The largest speed of each degree of freedom. The largest speed of a mimic joint limits that of its driver.
pub(super) fn per_dof(skeleton: &Skeleton, joints: &[RobotJoint]) -> Vec<f64> {
    let mut limits = vec![f64::INFINITY; skeleton.n_dofs()];
    for joint in joints {
        for skeleton_joint in joint.skeleton_joints.clone() {
            let multiplier = skeleton.mimic(skeleton_joint).map_or(1.0, |mimic| mimic.multiplier);
            // A mimic joint with multiplier 0 limits nothing: x / 0 is infinite.
            let speed = joint.max_speed / multiplier.abs();
            for limit in &mut limits[skeleton.dof_range(skeleton_joint)] {
                *limit = limit.min(speed);
            }
        }
    }
    limits
}
