//! Robot arms through a workspace: `auto` takes the closed form, least squares goes on where it finds nothing, and nothing of an earlier problem is left.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up its problem must stop")]

use crate::support;

use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, direction_or};
use posekit::skeleton::{Frame, Joint, Limit, Mimic, Skeleton};
use posekit::solve::{JointOptions, Method, Settings, Solution, Status, Workspace, solve};
use posekit::task::{FramePose, Orientation, Position, Task};
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

#[test]
fn a_position_and_an_orientation_of_one_frame_are_a_pose() {
    let (skeleton, tool) = arm(&UR, PI);
    let (start, settings) = ([0.3; 6], Settings::default());
    let target = tool.world(&skeleton.poses(&[0.5, -1.0, 1.2, 0.3, 0.9, 0.1]));
    let pose = [FramePose::new(tool, target).into()];
    let position: Task = Position::new(tool, target.translation).into();
    let two = |rotation: DQuat, of: Frame| {
        let tasks = [position.clone(), Orientation::new(of, rotation).into()];
        solve(&skeleton, &start, &tasks, Method::Auto, &settings).unwrap()
    };
    let whole = solve(&skeleton, &start, &pose, Method::Auto, &settings).unwrap();
    let parts = two(target.rotation, tool);
    assert_eq!((parts.choice.method, &parts.configuration), (Method::Arm, &whole.configuration));
    assert_eq!(parts.others, whole.others);
    // Turned in the tool, it is another frame's.
    let turn = DQuat::from_xyzw(0.0, 0.6, 0.0, 0.8);
    let own = tool.joint_from_frame;
    let turned = Frame::new(tool.joint, Pose { rotation: own.rotation * turn, ..own });
    let other = two(target.rotation * turn, turned);
    assert!(other.is_reached() && other.choice.method == Method::LeastSquares);
}

/// Everything that an arm is compiled from, and what a solve is given besides.
#[derive(Clone)]
struct Input {
    joints: Vec<Joint>,
    tool: Frame,
    settings: Settings,
    start: Vec<f64>,
}

impl Input {
    /// A slide, six hinges, and one between them that mimics the first; the slide is locked.
    fn new() -> Self {
        let hinge = |i: usize, (axis, at): (DVec3, DVec3), parent: usize| {
            Joint::revolute(format!("joint{i}"), axis)
                .at(Pose::from_translation(at))
                .with_limit(Limit::Range { min: -3.0, max: 3.0 })
                .child_of(parent)
        };
        let rail = Limit::Range { min: -0.5, max: 0.5 };
        let mut joints = vec![Joint::prismatic("rail", DVec3::X).with_limit(rail)];
        joints.extend(UR[..3].iter().enumerate().map(|(i, row)| hinge(i + 1, *row, i)));
        let place = (DVec3::X, DVec3::new(0.1, 0.0, 0.0));
        joints.push(hinge(4, place, 3).with_mimic(mimic(1, 0.3, 0.1)));
        joints.extend(UR[3..].iter().enumerate().map(|(i, row)| hinge(i + 5, *row, i + 4)));
        let mut settings = Settings::default();
        settings.joint(0).locked = true;
        let tool = Frame::new(7, Pose::from_translation(DVec3::new(0.0, 0.1, 0.05)));
        Self { joints, tool, settings, start: vec![0.2, 0.4, -0.7, 1.1, 0.22, -0.5, 0.8, 0.3] }
    }

    fn skeleton(&self) -> Skeleton {
        Skeleton::try_new(self.joints.clone()).unwrap()
    }
}

/// Solutions as text, which tells zeros of different sign apart: begun, started over from elsewhere, where the locked joint has another value, and after two
/// moves of the target.
fn solutions(workspace: &mut Workspace, input: &Input) -> Vec<String> {
    let (skeleton, n) = (input.skeleton(), input.joints.len());
    let task = |by: f64| {
        let mut q = input.start.clone();
        (1..n).for_each(|i| q[i] += by * (1.0 - 0.2 * i as f64));
        skeleton.settle(&mut q);
        at(&skeleton, input.tool, &q)
    };
    let mut all = Vec::new();
    let mut run = |workspace: &mut Workspace| all.push(format!("{:?}", workspace.run()));
    let tasks = [task(0.3)];
    workspace.begin(&skeleton, &input.start, &tasks, Method::Arm, &input.settings).unwrap();
    run(workspace);
    let elsewhere: Vec<f64> = input.start.iter().map(|x| 0.5 * x).collect();
    workspace.start_from(&skeleton, &elsewhere).unwrap();
    run(workspace);
    for by in [0.31, -0.2] {
        workspace.set_target(0, &task(by).kind).unwrap();
        run(workspace);
    }
    all
}

/// Whatever input changes, a workspace that has kept the arms of other inputs gives the bits of a new one.
#[test]
fn no_arm_is_taken_for_another() {
    type Change = fn(&mut Input);
    let changes: [(&str, Change); 20] = [
        ("placement", |input| {
            let place = Pose::from_translation(DVec3::new(0.1, 1e-12, 0.0));
            input.joints[4] = input.joints[4].clone().at(place);
        }),
        ("axis", |input| {
            let place = Pose::from_translation(UR[2].1);
            let joint =
                Joint::revolute("joint3", direction_or(DVec3::new(0.0, 1.0, 1e-9), DVec3::Y));
            let limit = Limit::Range { min: -3.0, max: 3.0 };
            input.joints[3] = joint.at(place).with_limit(limit).child_of(2);
        }),
        ("kind", |input| {
            let joint = Joint::prismatic("joint6", DVec3::Z).at(Pose::from_translation(UR[4].1));
            let limit = Limit::Range { min: -3.0, max: 3.0 };
            input.joints[6] = joint.with_limit(limit).child_of(5);
        }),
        ("minimum", |input| limit(input, 5, -0.45, 3.0)),
        ("maximum", |input| limit(input, 5, -3.0, -0.6)),
        ("range of a turn", |input| limit(input, 7, 0.5, 7.0)),
        ("limit of the driver", |input| limit(input, 1, 0.0, 0.5)),
        ("multiplier", |input| {
            input.joints[4] = input.joints[4].clone().with_mimic(mimic(1, -0.3, 0.1))
        }),
        ("offset", |input| {
            input.joints[4] = input.joints[4].clone().with_mimic(mimic(1, 0.3, 0.2))
        }),
        ("driver", |input| {
            input.joints[4] = input.joints[4].clone().with_mimic(mimic(2, 0.3, 0.1))
        }),
        ("joint beside the path", |input| input.joints.push(Joint::revolute("beside", DVec3::X))),
        ("mimic beside the path", |input| {
            let joint =
                Joint::revolute("beside", DVec3::X).child_of(3).with_mimic(mimic(5, 2.0, 0.0));
            input.joints.push(joint);
        }),
        ("tool", |input| input.tool.joint_from_frame.translation.y += 1e-12),
        ("rotation of the tool", |input| {
            input.tool.joint_from_frame.rotation = DQuat::from_rotation_x(1.0);
        }),
        ("tip", |input| input.tool = Frame::new(6, input.tool.joint_from_frame)),
        ("value of the locked joint", |input| input.start[0] += 1e-9),
        ("another locked joint", |input| input.settings.joint(2).locked = true),
        ("driver of a locked mimic", |input| input.settings.joint(1).locked = true),
        ("none locked", |input| input.settings.joint(0).locked = false),
        ("tolerance", |input| input.settings.tolerance = Some(1e-9)),
    ];
    let base = Input::new();
    let expected = solutions(&mut Workspace::default(), &base);
    let mut used = Workspace::default();
    for (name, change) in changes {
        let mut input = base.clone();
        change(&mut input);
        input.start.resize(input.joints.len(), 0.1);
        assert_eq!(solutions(&mut used, &base), expected, "before {name}");
        let new = solutions(&mut Workspace::default(), &input);
        assert_eq!(solutions(&mut used, &input), new, "{name}");
        assert_ne!(new[0], expected[0], "{name} makes no difference");
    }
}

fn mimic(joint: usize, multiplier: f64, offset: f64) -> Mimic {
    Mimic { joint, multiplier, offset }
}

fn limit(input: &mut Input, joint: usize, min: f64, max: f64) {
    input.joints[joint] = input.joints[joint].clone().with_limit(Limit::Range { min, max });
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
