//! No joint changes by more than its largest change, whatever the method, and none leaves its limit for it.

#![allow(clippy::unwrap_used, reason = "a test that cannot set up its problem must stop")]

use crate::support;

use core::f64::consts::TAU;
use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, rotation_about, so3_log, swing_twist};
use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
use posekit::solve::{JointOptions, LeastSquares, Method, Settings, solve};
use posekit::task::{Orientation, Position, Task};
use support::{Rng, joints, space_limb};

fn at_most(change: &[f64]) -> Settings {
    let joints = joints(change, JointOptions::with_largest_change);
    let least_squares = LeastSquares::default().with_restarts(10);
    Settings::default().with_joints(joints).with_least_squares(least_squares)
}

fn changed(from: DQuat, values: &[f64]) -> f64 {
    so3_log(from.conjugate() * DQuat::from_slice(values)).length()
}

/// A shoulder: a cone of 2 rad with a twist of 0.2 rad, which may change by 1.5 rad.
#[test]
fn a_ball_stays_in_its_cone() {
    const CHANGE: f64 = 1.5;
    let (swing, twist) = (2.0, [-0.2, 0.2]);
    let limit = Limit::Cone { axis: DVec3::X, swing, twist };
    let ball = Joint::ball("shoulder").with_limit(limit);
    let skeleton = Skeleton::try_new(vec![ball]).unwrap();
    let tip = Frame::new(0, Pose::from_translation(DVec3::X));
    for seed in 0..200 {
        let rng = &mut Rng::new(seed);
        let across = DVec3::X.cross(rng.direction()).normalize_or(DVec3::Y);
        let swung = rotation_about(across, rng.between(0.0, swing));
        let start = swung * rotation_about(DVec3::X, rng.between(twist[0], twist[1]));
        let task: Task = if seed.is_multiple_of(2) {
            Position::new(tip, rng.direction()).into()
        } else {
            Orientation::new(tip, rng.rotation()).into()
        };
        let tasks = core::slice::from_ref(&task);
        for method in Method::ALL {
            let solved = solve(&skeleton, &start.to_array(), tasks, method, &at_most(&[CHANGE]));
            let Ok(solution) = solved else { continue };
            let name = format!("seed {seed} by {}", method.name());
            let q = DQuat::from_slice(&solution.configuration);
            let now = swing_twist(q, DVec3::X);
            assert!(now.swing_angle() <= swing + 1e-9, "{name}: swing {}", now.swing_angle());
            let turns = (now.twist / TAU).round() * TAU;
            let is_inside = (now.twist - turns).abs() <= twist[1] + 1e-9;
            assert!(is_inside, "{name}: twist {}", now.twist);
            let change = changed(start, &solution.configuration);
            assert!(change <= CHANGE + 1e-9, "{name}: changed by {change}");
        }
    }
}

#[test]
fn balls_change_by_no_more_than_they_may() {
    const CHANGE: f64 = 0.05;
    for n in [1, 2, 5] {
        let (skeleton, tip) = space_limb(&vec![1.0; n]);
        let start = skeleton.neutral();
        let task: Task = Position::new(tip, DVec3::new(0.3, 0.9, 0.2) * n as f64).into();
        for method in Method::ALL {
            let tasks = core::slice::from_ref(&task);
            let solved = solve(&skeleton, &start, tasks, method, &at_most(&vec![CHANGE; n]));
            // A closed form that cannot hold it may refuse.
            let Ok(solution) = solved else { continue };
            for values in solution.configuration.chunks_exact(4) {
                let change = changed(DQuat::IDENTITY, values);
                assert!(change <= CHANGE + 1e-9, "{}: changed by {change}", method.name());
            }
        }
    }
}

#[test]
fn hinges_and_slides_change_by_no_more_than_they_may() {
    let most = [0.1, 0.02, 0.3];
    let bone = Pose::from_translation(DVec3::X);
    let skeleton = Skeleton::try_new(vec![
        Joint::revolute("turret", DVec3::Z),
        Joint::prismatic("boom", DVec3::X).child_of(0),
        Joint::revolute("elbow", DVec3::Y).child_of(1).at(bone),
    ]);
    let skeleton = skeleton.unwrap();
    let start = [0.2, 0.1, 0.3];
    let tip = Frame::new(2, bone);
    for target in [DVec3::new(-1.0, 0.5, 0.4), DVec3::new(5.0, 0.0, 0.0), DVec3::ZERO] {
        let task: Task = Position::new(tip, target).into();
        for method in Method::ALL {
            let tasks = core::slice::from_ref(&task);
            let Ok(solution) = solve(&skeleton, &start, tasks, method, &at_most(&most)) else {
                continue;
            };
            for (k, most) in most.iter().enumerate() {
                let change = (solution.configuration[k] - start[k]).abs();
                assert!(change <= most + 1e-9, "{}: joint {k} by {change}", method.name());
            }
        }
    }
}
