//! The closed two-bone form on skeletons: two hinges in a plane, a ball and a hinge, two balls; with ranges.

#![allow(clippy::unwrap_used, reason = "a test that cannot set up its problem must stop")]

use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, rotation_about};
use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
use posekit::solve::{Method, Settings, Solution, Status, solve};
use posekit::task::{Position, Task};

fn limb(joints: [Joint; 2], lengths: [f64; 2]) -> (Skeleton, Frame) {
    let [upper, lower] = joints;
    let upper_bone = Pose::from_translation(DVec3::X * lengths[0]);
    let skeleton = Skeleton::try_new(vec![upper, lower.child_of(0).at(upper_bone)]).unwrap();
    (skeleton, Frame { joint: 1, joint_from_frame: Pose::from_translation(DVec3::X * lengths[1]) })
}

fn hinges(ranges: [Limit; 2]) -> [Joint; 2] {
    let [first, second] = ranges;
    let hinge = |name: &str| Joint::revolute(name, DVec3::Z);
    [hinge("upper").with_limit(first), hinge("lower").with_limit(second)]
}

fn run((skeleton, tip): &(Skeleton, Frame), start: &[f64], target: DVec3) -> Solution {
    let task: Task = Position::new(*tip, target).into();
    let solution =
        solve(skeleton, start, core::slice::from_ref(&task), Method::TwoBone, &Settings::default())
            .unwrap();
    let poses = skeleton.poses(&solution.configuration);
    let error = tip.world(&poses).translation.distance(target);
    assert!((error - solution.error).abs() < 1e-12, "the error is that of the configuration");
    assert!(skeleton.within_limits(&solution.configuration, 0.0), "limits hold");
    solution
}

#[test]
fn both_elbows_of_a_plane_limb_the_nearer_first() {
    let limb = limb(hinges([Limit::None; 2]), [1.0, 0.7]);
    let target = DVec3::new(0.9, 0.8, 0.0);
    for (start, sign) in [([0.3, 0.8], 1.0), ([0.3, -0.8], -1.0)] {
        let solution = run(&limb, &start, target);
        assert_eq!((&solution.status, solution.iterations), (&Status::Reached, 1));
        assert!(solution.configuration[1] * sign > 0.0, "the elbow stays on its side");
        assert_eq!(solution.others.len(), 1, "and the mirrored one is there too");
        assert!(solution.others[0][1] * sign < 0.0, "bent the other way");
        let other = limb.1.world(&limb.0.poses(&solution.others[0])).translation;
        assert!(other.distance(target) < 1e-12, "which reaches as well");
    }
}

#[test]
fn a_range_rules_out_the_nearer_elbow() {
    let knee = Limit::Range { min: 0.0, max: 2.6 };
    let limb = limb(hinges([Limit::None, knee]), [1.0, 1.0]);
    let solution = run(&limb, &[0.3, 0.0], DVec3::new(1.2, -0.6, 0.0));
    assert!(solution.is_reached() && solution.configuration[1] > 0.0);
    assert!(solution.others.is_empty(), "the other side is not allowed");
}

#[test]
fn ranges_that_hold_the_limb_back_give_the_nearest_pose_and_name_the_joint() {
    let knee = Limit::Range { min: 0.0, max: 1.0 };
    let limb = limb(hinges([Limit::None, knee]), [1.0, 1.0]);
    let solution = run(&limb, &[0.0, 0.5], DVec3::new(0.8, 0.0, 0.0));
    assert_eq!(solution.status, Status::Blocked { joints: vec![1] });
    assert_eq!(solution.configuration[1], 1.0, "bent as far as it goes");
    let nearest = (2.0_f64 + 2.0 * posekit::math::cos(1.0)).sqrt() - 0.8;
    assert!((solution.error - nearest).abs() < 1e-12, "the distance that is left is the least");
}

#[test]
fn out_of_reach_is_proven() {
    let limb = limb(hinges([Limit::None; 2]), [1.0, 0.4]);
    let far = run(&limb, &[0.1, 0.2], DVec3::new(0.0, 2.0, 0.0));
    let Status::Unreachable { shortfall } = far.status else { panic!("{:?}", far.status) };
    assert!((shortfall - 0.6).abs() < 1e-12 && (far.error - 0.6).abs() < 1e-12);
    let near = run(&limb, &[0.1, 0.2], DVec3::new(0.0, 0.2, 0.0));
    let Status::Unreachable { shortfall } = near.status else { panic!("{:?}", near.status) };
    assert!((shortfall - 0.4).abs() < 1e-12 && (near.error - 0.4).abs() < 1e-12);
}

#[test]
fn a_ball_and_a_hinge_reach_in_space() {
    let elbow = Joint::revolute("elbow", DVec3::new(0.1, 1.0, 0.2))
        .with_limit(Limit::Range { min: -2.5, max: 0.0 });
    let limb = limb([Joint::ball("shoulder"), elbow], [1.0, 0.8]);
    let turn = rotation_about(DVec3::new(0.6, 0.8, 0.0), 0.7);
    let start = [turn.x, turn.y, turn.z, turn.w, -0.4];
    for target in [DVec3::new(0.9, 0.3, -0.7), DVec3::new(-0.5, 0.9, 0.4)] {
        let solution = run(&limb, &start, target);
        assert!(solution.is_reached(), "{:?} {}", solution.status, solution.error);
        assert!(solution.error < 1e-12);
    }
}

#[test]
fn two_balls_reach_and_keep_their_plane() {
    let limb = limb([Joint::ball("shoulder"), Joint::ball("elbow")], [1.0, 0.8]);
    let bend = rotation_about(DVec3::Z, 0.9);
    let start = [0.0, 0.0, 0.0, 1.0, bend.x, bend.y, bend.z, bend.w];
    let solution = run(&limb, &start, DVec3::new(0.2, 1.1, 0.0));
    assert!(solution.is_reached() && solution.error < 1e-12);
    let elbow = DQuat::from_slice(&solution.configuration[4..]);
    assert!(elbow.x.abs() < 1e-12 && elbow.y.abs() < 1e-12, "no turn out of the plane");
}

#[test]
fn other_skeletons_are_refused_with_a_reason() {
    let three = (0..3).map(|i| {
        let joint = Joint::revolute(format!("b{i}"), DVec3::Z);
        if i == 0 { joint } else { joint.child_of(i - 1).at(Pose::from_translation(DVec3::X)) }
    });
    let skeleton = Skeleton::try_new(three.collect()).unwrap();
    let task: Task = Position::new(skeleton.frame(2), DVec3::X).into();
    let refused = solve(
        &skeleton,
        &[0.0; 3],
        core::slice::from_ref(&task),
        Method::TwoBone,
        &Settings::default(),
    );
    let message = refused.unwrap_err().to_string();
    assert!(message.starts_with("the method two-bone needs one point to reach and two joints"));
}
