//! A figure of sixty joints: a body that moves freely, a trunk, a neck, two arms and two legs, every joint on the way to one
//! of five effectors.

use posekit::glam::DVec3;
use posekit::math::{Pose, rotation_about, sin_cos};
use posekit::skeleton::{Frame, Joint, JointKind, Limit, Skeleton};

use super::file::{Coordinates, Problem};
use super::model::Model;
use crate::random::Random;

/// Joints of the trunk, the neck, and each arm and leg; the free root makes sixty.
const TRUNK: usize = 9;
const NECK: usize = 6;
const LIMB: usize = 11;

/// Frames of the path.
const FRAMES: usize = 512;

/// How far each joint swings to either side \[rad\].
const SWING: f64 = 0.15;

/// What the joints of a figure are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joints {
    /// Hinges about x, y, z in turn, within 1 rad: 65 degrees of freedom.
    Hinges,
    /// Balls in cones of 1 rad: 183 degrees of freedom.
    Balls,
}

/// The figure and a closed path of its effectors: feet by pose, hands by position, the head by orientation.
///
/// # Panics
/// When the figure cannot be built, which is a mistake in this crate.
pub fn figure(joints: Joints) -> (Model, Problem) {
    let mut builder = Skeleton::builder();
    let body = builder.add(Joint::free("body"));
    let mut limb =
        |name: &str, n: usize, from: usize, bone: DVec3| {
            let mut last = from;
            for k in 0..n {
                let axis = [DVec3::X, DVec3::Y, DVec3::Z][k % 3];
                let joint =
                    match joints {
                        Joints::Hinges => Joint::revolute(format!("{name}{k}"), axis)
                            .with_limit(Limit::Range { min: -1.0, max: 1.0 }),
                        Joints::Balls => Joint::ball(format!("{name}{k}"))
                            .with_limit(Limit::Cone { axis: bone, swing: 1.0, twist: [-1.0, 1.0] }),
                    };
                last = builder.add(joint.child_of(last).at(Pose::from_translation(bone)));
            }
            (last, Frame::new(last, Pose::from_translation(bone)))
        };
    let (chest, _) = limb("trunk", TRUNK, body, DVec3::Z * 0.06);
    let (_, head) = limb("neck", NECK, chest, DVec3::Z * 0.04);
    let (_, left_hand) = limb("left_arm", LIMB, chest, DVec3::new(0.0, 0.07, -0.01));
    let (_, right_hand) = limb("right_arm", LIMB, chest, DVec3::new(0.0, -0.07, -0.01));
    let (_, left_foot) = limb("left_leg", LIMB, body, DVec3::new(0.0, 0.01, -0.08));
    let (_, right_foot) = limb("right_leg", LIMB, body, DVec3::new(0.0, -0.01, -0.08));
    let skeleton = builder.build().expect("a figure");
    assert_eq!(skeleton.n_joints(), 60, "the figure has sixty joints");
    let effectors = vec![
        (Coordinates::Pose, left_foot),
        (Coordinates::Pose, right_foot),
        (Coordinates::Position, left_hand),
        (Coordinates::Position, right_hand),
        (Coordinates::Orientation, head),
    ];
    let name = if joints == Joints::Hinges { "figure-60-hinges" } else { "figure-60-balls" };
    let model = Model::new(name, skeleton, effectors, 1e-4);
    let path = path(&model);
    (model, path)
}

/// A closed path of a model's effectors, its joints swinging about a bent pose. Its problems name whole configurations.
pub fn path(model: &Model) -> Problem {
    let states = swings(&model.skeleton);
    let targets = states[1..].iter().map(|q| model.targets_at(q)).collect();
    Problem { start: states[0].clone(), start_base: None, targets }
}

/// Configurations along a closed path, the first once more at the end: every joint swings about a bent pose, once or
/// twice round.
fn swings(skeleton: &Skeleton) -> Vec<Vec<f64>> {
    let random = &mut Random::new(crate::SEED);
    let mut draw = || {
        let turns = if random.between(0.0, 1.0) < 0.5 { 1.0 } else { 2.0 };
        (random.direction(), turns, random.between(0.0, core::f64::consts::TAU))
    };
    let swings: Vec<_> = (0..skeleton.n_joints()).map(|_| draw()).collect();
    let at = |frame: usize| {
        let mut q = skeleton.neutral();
        let angle = core::f64::consts::TAU * frame as f64 / FRAMES as f64;
        for (joint, &(axis, turns, phase)) in swings.iter().enumerate() {
            let values = &mut q[skeleton.value_range(joint)];
            let swing = sin_cos(turns * angle + phase).0;
            let turn = rotation_about(axis, 0.1 + SWING * swing);
            match skeleton.kind(joint) {
                JointKind::Revolute { .. } => values[0] = 0.2 + SWING * swing,
                JointKind::Ball => turn.write_to_slice(values),
                JointKind::Free => {
                    (axis * (0.05 * swing)).write_to_slice(values);
                    turn.write_to_slice(&mut values[3..]);
                }
                _ => {}
            }
        }
        q
    };
    (0..=FRAMES).map(at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_judge_knows_a_pose_that_is_there_from_one_that_is_not() {
        for joints in [Joints::Hinges, Joints::Balls] {
            let (model, path) = figure(joints);
            let start = model.start(&path);
            let there = model.targets_at(&start);
            assert!(model.worst_error(&there, &start) < 1e-12);
            let miss = model.worst_error(&path.targets[FRAMES / 2], &start);
            assert!(miss > 0.01, "half a turn of the path is {miss} away");
            // The path is closed.
            assert!(model.worst_error(&path.targets[FRAMES - 1], &start) < 1e-12);
        }
    }
}
