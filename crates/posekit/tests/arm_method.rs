//! Robot arms through a workspace: `auto` takes the closed form, least squares goes on where it finds nothing, and nothing of an earlier problem is left.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up its problem must stop")]

mod support;

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
use posekit::solve::{JointOptions, Method, Settings, Solution, Status, Workspace, solve};
use posekit::task::{FramePose, Position, Task};
use std::f64::consts::PI;
use support::Rng;

/// The axes of one of Universal Robots' arms: three in parallel, the last two meet.
const UR: [(DVec3, DVec3); 6] = [
    (DVec3::Z, DVec3::new(0.0, 0.0, 0.1625)),
    (DVec3::Y, DVec3::new(0.0, 0.138, 0.0)),
    (DVec3::Y, DVec3::new(0.425, -0.131, 0.0)),
    (DVec3::Y, DVec3::new(0.392, 0.0, 0.0)),
    (DVec3::Z, DVec3::new(0.0, 0.127, 0.0)),
    (DVec3::Y, DVec3::new(0.0, 0.0, -0.1)),
];

/// Seven axes, of which three meet at the shoulder and three at the wrist.
const SHOULDER_AND_WRIST: [(DVec3, DVec3); 7] = [
    (DVec3::Z, DVec3::new(0.0, 0.0, 0.36)),
    (DVec3::Y, DVec3::ZERO),
    (DVec3::Z, DVec3::ZERO),
    (DVec3::Y, DVec3::new(0.0, 0.0, 0.42)),
    (DVec3::Z, DVec3::ZERO),
    (DVec3::Y, DVec3::new(0.0, 0.0, 0.4)),
    (DVec3::Z, DVec3::ZERO),
];

fn arm(axes: &[(DVec3, DVec3)], limit: f64) -> (Skeleton, Frame) {
    let joints = axes.iter().enumerate().map(|(i, (axis, at))| {
        let joint = Joint::revolute(format!("joint{i}"), *axis)
            .at(Pose::from_translation(*at))
            .with_limit(Limit::Range { min: -limit, max: limit });
        if i == 0 { joint } else { joint.child_of(i - 1) }
    });
    let skeleton = Skeleton::try_new(joints.collect()).unwrap();
    let tool = Frame::new(axes.len() - 1, Pose::from_translation(DVec3::new(0.0, 0.1, 0.05)));
    (skeleton, tool)
}

fn random(skeleton: &Skeleton, rng: &mut Rng) -> Vec<f64> {
    (0..skeleton.n_joints())
        .map(|joint| {
            let (min, max) = skeleton.limit(joint).bounds();
            rng.between(min, max)
        })
        .collect()
}

fn at(skeleton: &Skeleton, tool: Frame, q: &[f64]) -> Task {
    FramePose::new(tool, tool.world(&skeleton.poses(q))).into()
}

/// What is returned is measured again, by the task itself.
fn assert_reached(skeleton: &Skeleton, task: &Task, solution: &Solution) {
    let miss = task.miss(skeleton, &solution.configuration);
    assert!(solution.is_reached(), "{solution:?} {miss:?}");
    assert!(
        miss.distance <= solution.tolerance * 1.000_001 && miss.angle <= 1.000_001e-6,
        "{miss:?}"
    );
    assert!(skeleton.within_limits(&solution.configuration, 0.0), "inside the limits");
}

#[test]
fn auto_takes_the_closed_form_and_lists_the_other_branches() {
    let rng = &mut Rng::new(5);
    let (skeleton, tool) = arm(&UR, PI);
    let mut workspace = Workspace::default();
    let mut n_others = 0;
    for _ in 0..300 {
        let (truth, start) = (random(&skeleton, rng), random(&skeleton, rng));
        let task = at(&skeleton, tool, &truth);
        let tasks = [task.clone()];
        workspace.begin(&skeleton, &start, &tasks, Method::Auto, &Settings::default()).unwrap();
        let solution = workspace.run();
        assert_reached(&skeleton, &task, solution);
        assert_eq!(solution.choice.method, Method::Arm);
        assert_eq!(solution.escaped_by, None);
        let change = |q: &[f64]| q.iter().zip(&start).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        let found = &solution.configuration;
        for other in &solution.others {
            let miss = task.miss(&skeleton, other);
            assert!(miss.distance < 1e-5 && miss.angle < 1e-5, "{miss:?}");
            assert!(skeleton.within_limits(other, 0.0), "inside the limits");
            assert!(change(other) >= change(found) - 1e-6, "the nearest is the solution");
            let by = found.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(by > 1e-5, "another one");
        }
        n_others += solution.others.len();
    }
    assert!(n_others > 4 * 300, "most poses have eight branches: {n_others}");
}

#[test]
fn seven_joints_are_solved_alike_in_new_and_used_workspaces() {
    let rng = &mut Rng::new(6);
    let arms = [arm(&UR, 3.0), arm(&SHOULDER_AND_WRIST, 2.8)];
    let mut used = Workspace::default();
    for k in 0..200 {
        let (skeleton, tool) = &arms[k % 2];
        let (truth, start) = (random(skeleton, rng), random(skeleton, rng));
        let tasks = [at(skeleton, *tool, &truth)];
        let settings = Settings::default();
        used.begin(skeleton, &start, &tasks, Method::Auto, &settings).unwrap();
        let solution = used.run();
        assert_reached(skeleton, &tasks[0], solution);
        assert_eq!(solution.choice.method, Method::Arm);
        assert_eq!(*solution, solve(skeleton, &start, &tasks, Method::Auto, &settings).unwrap());
    }
}

/// A different tool, limit, held joint or placement is a different arm, though all else is the same.
#[test]
fn no_arm_is_taken_for_another() {
    let rng = &mut Rng::new(7);
    let (wide, tool) = arm(&UR, PI);
    let (narrow, _) = arm(&UR, 2.0);
    let longer = Frame::new(tool.joint, Pose::from_translation(DVec3::new(0.0, 0.2, 0.05)));
    let mut moved = UR;
    moved[3].1.x += 1e-9;
    let (moved, _) = arm(&moved, PI);
    let mut workspace = Workspace::default();
    for k in 0..60 {
        let (skeleton, tool) =
            [(&wide, tool), (&narrow, tool), (&wide, longer), (&moved, tool)][k % 4];
        let locked = (k % 3 == 2).then_some(k % 6);
        let mut settings = Settings::default();
        let start = random(skeleton, rng);
        let mut truth = random(skeleton, rng);
        if let Some(joint) = locked {
            settings.joint(joint).locked = true;
            truth[joint] = start[joint];
        }
        let tasks = [at(skeleton, tool, &truth)];
        workspace.begin(skeleton, &start, &tasks, Method::Arm, &settings).unwrap();
        let solution = workspace.run();
        assert_reached(skeleton, &tasks[0], solution);
        assert_eq!(*solution, solve(skeleton, &start, &tasks, Method::Arm, &settings).unwrap());
        if let Some(joint) = locked {
            assert_eq!(solution.configuration[joint], start[joint], "held");
        }
    }
}

/// A target that moves a little moves the pose a little, and the pose that is there already stays.
#[test]
fn targets_that_move_are_followed_without_a_jump() {
    for (skeleton, tool) in [arm(&UR, PI), arm(&SHOULDER_AND_WRIST, 2.8)] {
        let mut q: Vec<f64> = (0..skeleton.n_joints()).map(|i| 0.4 + 0.1 * i as f64).collect();
        let begin = tool.world(&skeleton.poses(&q));
        let task = |by: f64| -> Task {
            let shift = Pose::from_translation(DVec3::new(-0.1, -0.05, 0.0) * by);
            FramePose::new(tool, shift * begin).into()
        };
        let mut workspace = Workspace::default();
        let settings = Settings::default();
        workspace.begin(&skeleton, &q, &[task(0.0)], Method::Auto, &settings).unwrap();
        assert_eq!(workspace.run().configuration, q, "it is there already");
        for step in 1..=100 {
            let task = task(0.01 * f64::from(step));
            workspace.set_target(0, &task.kind).unwrap();
            let solution = workspace.run();
            assert_reached(&skeleton, &task, solution);
            let by = q.iter().zip(&solution.configuration).map(|(a, b)| (a - b).abs());
            let by = by.fold(0.0, f64::max);
            assert!(by < 0.05, "step {step}: {by}");
            q.clone_from(&solution.configuration);
        }
    }
}

/// Out of reach, or held back by limits: the status says so, and the pose is as near as it gets.
#[test]
fn targets_that_are_missed_get_the_nearest_pose() {
    let (skeleton, tool) = arm(&UR, PI);
    let start = [0.3; 6];
    let far = Pose::from_translation(DVec3::new(3.0, 0.0, 0.2));
    let solution = |skeleton: &Skeleton, target: Pose, method: Method| {
        let tasks = [FramePose::new(tool, target).into()];
        solve(skeleton, &start, &tasks, method, &Settings::default()).unwrap()
    };
    let by_arm = solution(&skeleton, far, Method::Auto);
    let by_steps = solution(&skeleton, far, Method::LeastSquares);
    assert!(matches!(by_arm.status, Status::Unreachable { shortfall } if shortfall > 1.5));
    assert!(by_arm.error <= 1.01 * by_steps.error, "{} {}", by_arm.error, by_steps.error);

    // Reached only outside these limits.
    let (narrow, _) = arm(&UR, 0.9);
    let truth = [1.4, -1.2, 1.3, 0.4, 0.8, 0.2];
    let target = tool.world(&skeleton.poses(&truth));
    let blocked = solution(&narrow, target, Method::Auto);
    assert!(!blocked.is_reached() && !matches!(blocked.status, Status::IterationLimit));
    assert!(narrow.within_limits(&blocked.configuration, 0.0), "inside the limits");
    assert!(blocked.others.is_empty(), "nothing reaches");
}

#[test]
fn what_is_no_arm_is_refused_by_name_and_solved_otherwise_by_auto() {
    let (skeleton, tool) = arm(&UR, PI);
    let start = [0.3; 6];
    let target = tool.world(&skeleton.poses(&[0.5; 6]));
    let pose: Task = FramePose::new(tool, target).into();
    let point: Task = Position::new(tool, target.translation).into();
    let bounded =
        Settings::default().with_joint(2, JointOptions::default().with_largest_change(0.3));
    let several = [pose.clone(), point.clone()];
    for (tasks, settings) in [
        (&[point][..], Settings::default()),
        (&several[..], Settings::default()),
        (&several[..1], bounded),
    ] {
        let named = solve(&skeleton, &start, tasks, Method::Arm, &settings);
        assert!(named.unwrap_err().is_unsuited());
        let auto = solve(&skeleton, &start, tasks, Method::Auto, &settings).unwrap();
        assert!(auto.is_reached() && auto.choice.method != Method::Arm);
    }
}

#[test]
fn other_branches_are_not_left_for_the_next_solve() {
    let (skeleton, tool) = arm(&UR, PI);
    let mut workspace = Workspace::default();
    let tasks = [at(&skeleton, tool, &[0.5, -1.0, 1.2, 0.3, 0.9, 0.1])];
    let settings = Settings::default();
    workspace.begin(&skeleton, &[0.0; 6], &tasks, Method::Auto, &settings).unwrap();
    assert!(workspace.run().others.len() > 1);
    workspace.begin(&skeleton, &[0.0; 6], &tasks, Method::LeastSquares, &settings).unwrap();
    assert!(workspace.run().others.is_empty());
}
