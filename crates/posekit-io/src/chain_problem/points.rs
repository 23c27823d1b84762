//! A chain problem as bare points.

use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;
use posekit::math::sin_cos;

use super::{ChainData, ChainProblem, PlaneBone, SpaceBone};

/// The points of a chain and their weights, for the solvers on points.
#[derive(Debug, Clone, PartialEq)]
pub struct PointChain {
    /// Numbers per point.
    pub dimension: usize,
    /// The points one after another, root first, tip last: `dimension * (n_bones + 1)` numbers \[m\].
    pub points: Vec<f64>,
    /// A weight for each point; the last is the tip's.
    pub weights: Vec<f64>,
}

impl ChainProblem {
    /// The chain as points before solving: those of the file, or the ends of the file's bones.
    ///
    /// Limits, hinges and cones are ignored, even if the start violates them.
    #[must_use]
    pub fn to_points(&self) -> PointChain {
        let points = match &self.chain {
            ChainData::Plane { root, bones } => plane_points(root.unwrap_or_default(), bones),
            ChainData::Space { root, bones } => space_points(root.unwrap_or_default(), bones),
            ChainData::Points { points, .. } => points.concat(),
        };
        PointChain { dimension: self.dimension, points, weights: self.weights() }
    }
}

fn plane_points(root: [f64; 2], bones: &[PlaneBone]) -> Vec<f64> {
    let [mut x, mut y] = root;
    let mut angle = 0.0;
    let mut points = vec![x, y];
    for bone in bones {
        angle += bone.angle;
        let (sin, cos) = sin_cos(angle);
        x += bone.length * cos;
        y += bone.length * sin;
        points.extend([x, y]);
    }
    points
}

fn space_points(root: [f64; 3], bones: &[SpaceBone]) -> Vec<f64> {
    let mut world_from_joint = Pose::from_translation(DVec3::from_array(root));
    let mut points = root.to_vec();
    for bone in bones {
        let rotation = DQuat::from_array(bone.rotation).normalize();
        world_from_joint = world_from_joint
            * Pose::from_rotation(rotation)
            * Pose::from_translation(DVec3::from_array(bone.offset));
        points.extend(world_from_joint.translation.to_array());
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain_problem::SpaceConstraint;

    fn close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
        }
    }

    #[test]
    fn angles_in_the_plane_add_up() {
        let quarter = core::f64::consts::FRAC_PI_2;
        let bone = |length, angle| PlaneBone { length, angle, ..PlaneBone::default() };
        let problem = ChainProblem {
            dimension: 2,
            chain: ChainData::Plane {
                root: Some([1.0, 2.0]),
                bones: vec![bone(2.0, quarter), bone(1.0, -quarter), bone(0.0, 5.0)],
            },
            target: vec![0.0, 0.0],
            orientation: None,
        };
        let chain = problem.to_points();
        close(&chain.points, &[1.0, 2.0, 1.0, 4.0, 2.0, 4.0, 2.0, 4.0]);
        assert_eq!(chain.weights, [1.0; 4]);
    }

    #[test]
    fn offsets_in_space_turn_with_their_parents() {
        let half = core::f64::consts::FRAC_1_SQRT_2;
        let quarter_about_z = [0.0, 0.0, half, half];
        let bone = |rotation, weight| SpaceBone {
            offset: [1.0, 0.0, 0.0],
            rotation,
            weight,
            constraint: Some(SpaceConstraint::Hinge { axis: [0.0, 0.0, 1.0], limit: None }),
        };
        let problem = ChainProblem {
            dimension: 3,
            chain: ChainData::Space {
                root: None,
                bones: vec![
                    bone(quarter_about_z, Some(0.5)),
                    // A little longer than 1: it is normalised.
                    bone(quarter_about_z.map(|component| component * 1.0005), None),
                ],
            },
            target: vec![0.0; 3],
            orientation: None,
        };
        let chain = problem.to_points();
        close(&chain.points, &[0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 1.0, 0.0]);
        assert_eq!(chain.weights, [0.5, 1.0, 1.0]);
    }
}
