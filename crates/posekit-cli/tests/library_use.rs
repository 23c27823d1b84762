//! The examples of the library in docs/library.md, the library's README, docs/tasks.md and docs/arms.md, compiled and run.
#![allow(
    clippy::unwrap_used,
    clippy::missing_assert_message,
    reason = "a helper of a test may fail as a test does, and the example is as a reader would write it"
)]

use std::fs;
use std::path::Path;

#[rustfmt::skip]
fn example() -> posekit::Result<()> {
// Library: begin
use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
use posekit::solve::{Method, Settings, solve};
use posekit::task::Position;

let mut builder = Skeleton::builder();
let shoulder = builder.add(Joint::revolute("shoulder", DVec3::Z));
let upper_arm = Pose::from_translation(DVec3::X * 0.31);
let flexion = Limit::Range { min: 0.0, max: 2.6 };
let elbow = builder.add(
    Joint::revolute("elbow", DVec3::Z).child_of(shoulder).at(upper_arm).with_limit(flexion),
);
let arm = builder.build()?;
let hand = Frame::new(elbow, Pose::from_translation(DVec3::X * 0.27));

let target = DVec3::new(0.34, 0.19, 0.0);
let task = Position::new(hand, target).into();
let solution = solve(&arm, &[0.0, 0.5], &[task], Method::Auto, &Settings::default())?;

assert!(solution.is_reached());
let hand_in_world = hand.world(&arm.poses(&solution.configuration));
assert!(hand_in_world.translation.distance(target) < 1e-9);
// Library: end
Ok(())
}

#[rustfmt::skip]
fn example_of_tasks() -> posekit::Result<()> {
// Tasks: begin
use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;
use posekit::skeleton::{Joint, Limit, Skeleton};
use posekit::solve::{Method, Settings, solve};
use posekit::task::{FramePose, Plane, Task};

let mut builder = Skeleton::builder();
let down = |length: f64| Pose::from_translation(DVec3::NEG_Z * length);
let hips = builder.add(Joint::prismatic("hips", DVec3::Z).at(down(-0.9)));
let hip = builder.add(Joint::revolute("hip", DVec3::Y).child_of(hips));
let flexion = Limit::Range { min: 0.0, max: 2.4 };
let knee = Joint::revolute("knee", DVec3::Y).child_of(hip).at(down(0.43)).with_limit(flexion);
let knee = builder.add(knee);
let ankle = builder.add(Joint::revolute("ankle", DVec3::Y).child_of(knee).at(down(0.43)));
let leg = builder.build()?;

let stands = Pose::new(DQuat::IDENTITY, DVec3::new(0.1, 0.0, 0.04));
let tasks = [
    Task::new(FramePose::new(leg.frame(ankle), stands)),
    Task::new(Plane::new(leg.frame(knee), DVec3::X * 0.25, DVec3::X)).at_level(2),
];
let start = [0.0, -0.3, 0.6, -0.3];
let solution = solve(&leg, &start, &tasks, Method::Auto, &Settings::default())?;

assert!(solution.is_reached());
for task in &tasks {
    let miss = task.miss(&leg, &solution.configuration);
    assert!(miss.distance < 1e-6 && miss.angle < 1e-6);
}
// Tasks: end
Ok(())
}

#[rustfmt::skip]
fn example_of_arms() -> Result<(), Box<dyn core::error::Error>> {
let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/arm6.urdf"))?;
// Arms: begin
use posekit::arm::{Arm, ArmSettings, Prefer};
use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;
use posekit_io::{Warnings, urdf};

let robot = urdf::read(&text, &mut Warnings::new())?;
let tool = robot.frame("tool0").expect("the file has this link");
let arm = Arm::new(robot.skeleton(), tool)?.with_velocity_limits(robot.velocity_limits())?;
let family = arm.family().expect("its axes have a closed form").to_string();
assert_eq!(family, "axes 2, 3 and 4 are parallel, 5 and 6 meet");

// One pose. `q` is where the arm is, and where it goes.
let mut q = vec![0.3, -1.2, 1.6, -2.0, -1.5, 0.2];
let facing_down = DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
let target = Pose::new(facing_down, DVec3::new(0.38, -0.35, 0.25));
let settings = ArmSettings::default().with_tolerances(1e-6, 1e-6);
let solution = arm.solve(target, &mut q, &settings)?;
assert!(solution.is_reached() && robot.skeleton().within_limits(&q, 0.0));

// All of them, the nearest first.
let all = arm.solutions(target, &q, &settings)?;
assert_eq!(all.len(), 8);

// Any rotation about the tool's z will do, and the elbow must be up.
let any_spin = settings.with_bounds([0.0, 0.0, 0.0, 0.0, 0.0, f64::INFINITY]);
let elbow_up = |q: &[f64]| q[2] > 0.0;
assert!(arm.solve_where(target, &mut q, &any_spin, elbow_up)?.is_reached());

// A line of 20 cm in half a second, as fast as the joints can.
let times: Vec<f64> = (0..=250).map(|k| 0.002 * f64::from(k)).collect();
let along = |time: &f64| Pose::new(facing_down, target.translation + DVec3::Y * (0.4 * time));
let targets: Vec<Pose> = times.iter().map(along).collect();
let track = arm.track(&times, &targets, &q, &settings)?;
assert!(track.is_completed());

// A servo loop.
for _ in 0..1000 {
    arm.step(target, &mut q, 0.002, &settings.with_prefer(Prefer::Posture))?;
}
assert!(arm.pose(&q)?.translation.distance(target.translation) < 1e-9);
// Arms: end
Ok(())
}

/// The text between two marks, without the lines of the marks.
fn between<'a>(text: &'a str, begin: &str, end: &str) -> &'a str {
    let from = text.find(begin).unwrap() + begin.len();
    let length = text[from..].find(end).unwrap();
    text[from..from + length].trim_matches('\n')
}

#[test]
fn the_example_of_the_library_works() {
    example().unwrap();
    let source = include_str!("library_use.rs").replace('\r', "");
    let here = between(&source, "// Library: begin\n", "// Library: end");
    for path in ["docs/library.md", "crates/posekit/README.md"] {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
        let page = fs::read_to_string(page).unwrap().replace('\r', "");
        assert_eq!(between(&page, "```rust\n", "```"), here, "{path} shows the code that runs");
    }
}

#[test]
fn the_example_of_the_tasks_works() {
    example_of_tasks().unwrap();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tasks.md");
    let page = fs::read_to_string(page).unwrap().replace('\r', "");
    let source = include_str!("library_use.rs").replace('\r', "");
    let here = between(&source, "// Tasks: begin\n", "// Tasks: end");
    assert_eq!(between(&page, "```rust\n", "```"), here, "the page shows the code that runs");
}

#[test]
fn the_example_of_the_arms_works() {
    example_of_arms().unwrap();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/arms.md");
    let page = fs::read_to_string(page).unwrap().replace('\r', "");
    let source = include_str!("library_use.rs").replace('\r', "");
    let here = between(&source, "// Arms: begin\n", "// Arms: end");
    assert_eq!(between(&page, "```rust\n", "```"), here, "the page shows the code that runs");
}
