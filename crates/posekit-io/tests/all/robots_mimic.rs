//! A gripper of one motor whose other joints mimic it: the Robotiq 2F-85.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up its problem must stop")]

use crate::common;

use posekit::math::Pose;
use posekit::solve::{Method, Settings, Status, solve};
use posekit::task::{Distance, Position, RelativePose, Task};
use posekit_io::{Limits, Robot, Warnings, urdf};

fn gripper() -> Option<Robot> {
    let path = common::assets()?.join("urdf/robotiq_arg2f_85.urdf");
    Some(urdf::read_file(&path, &Limits::default(), &mut Warnings::default()).unwrap())
}

/// Every width of the gripper, from wide open, from closed and from the middle; the five followers go along.
#[test]
fn a_gripper_takes_every_width() {
    let Some(robot) = gripper() else { return };
    let skeleton = robot.skeleton();
    let pads =
        ["left", "right"].map(|side| robot.frame(&format!("{side}_inner_finger_pad")).unwrap());
    let driver = (0..skeleton.n_joints())
        .find(|&j| skeleton.kind(j).n_dofs() == 1 && skeleton.mimic(j).is_none())
        .unwrap();
    let (min, max) = skeleton.limit(driver).bounds();
    let at = |part: f64| {
        let mut q = skeleton.neutral();
        q[skeleton.value_range(driver).start] = min + part * (max - min);
        skeleton.settle(&mut q);
        q
    };
    let width = |q: &[f64]| {
        let [a, b] = pads.map(|pad| pad.world(&skeleton.poses(q)).translation);
        a.distance(b)
    };
    let (open, closed) = (width(&at(0.0)), width(&at(1.0)));
    assert!(open > closed + 0.05, "from {open} to {closed}");
    let followers = (0..skeleton.n_joints()).filter(|&j| skeleton.mimic(j).is_some());
    assert_eq!(followers.clone().count(), 5);
    let check = |q: &[f64], name: &str| {
        assert!(skeleton.within_limits(q, 1e-9), "{name}: limits broken");
        for joint in followers.clone() {
            let mimic = skeleton.mimic(joint).unwrap();
            let value = |joint: usize| q[skeleton.value_range(joint).start];
            assert!(
                (value(joint) - mimic.value(value(mimic.joint))).abs() < 1e-12,
                "{name}: {joint}"
            );
        }
    };
    for k in 0..=40 {
        for start in [0.0, 0.5, 1.0] {
            let wanted = closed + (open - closed) * f64::from(k) / 40.0;
            let task: Task = Distance::new(pads, wanted).into();
            let tasks = [task.clone()];
            let solution =
                solve(skeleton, &at(start), &tasks, Method::LeastSquares, &Settings::default());
            let solution = solution.unwrap();
            let q = &solution.configuration;
            let name = format!("{wanted} from {start}");
            assert_eq!(solution.status, Status::Reached, "{name}: {} wide", width(q));
            assert!((width(q) - wanted).abs() < 1e-6, "{name}: {} wide", width(q));
            check(q, &name);
        }
    }
    // Wider than it opens: held by the motor's range alone.
    let task = Distance::new(pads, open + 0.02).into();
    let solution =
        solve(skeleton, &at(0.5), &[task], Method::LeastSquares, &Settings::default()).unwrap();
    assert_eq!(solution.status, Status::Blocked { joints: vec![driver] });
    assert!((width(&solution.configuration) - open).abs() < 1e-9, "as wide as it opens");
    check(&solution.configuration, "too wide");
}

/// What fingers that mimic each other cannot do apart is missed by both.
#[test]
fn fingers_that_mimic_each_other_stay_mirrored() {
    let Some(robot) = gripper() else { return };
    let skeleton = robot.skeleton();
    let [left, right] =
        ["left", "right"].map(|side| robot.frame(&format!("{side}_inner_finger_pad")).unwrap());
    let poses = skeleton.poses(&skeleton.neutral());
    let base = robot.frame(&robot.root_link().name).unwrap();
    let seen: Pose = base.world(&poses).inverse() * left.world(&poses);
    // The left pad stays, the right one is to come to it.
    let tasks: [Task; 2] = [
        RelativePose::new([base, left], seen).into(),
        Position::new(right, left.world(&poses).translation).into(),
    ];
    let start = skeleton.neutral();
    let solution = solve(skeleton, &start, &tasks, Method::LeastSquares, &Settings::default());
    let solution = solution.unwrap();
    assert!(!solution.is_reached(), "one motor cannot do both");
    let misses = tasks.map(|task| task.miss(skeleton, &solution.configuration));
    assert!(misses[0].distance > 1e-3 && misses[1].distance > 1e-3, "{misses:?}");
}
