//! Closed loops: trees held together where they were cut.

use core::f64::consts::TAU;
use posekit::glam::DVec3;
use posekit::math::{Pose, atan2, cos, rotation_about, sin, wrap_angle};
use posekit::skeleton::{Frame, Joint, Skeleton};
use posekit::solve::{LeastSquares, Method, Settings, Solution, solve};
use posekit::task::{Closure, Distance, Link, Orientation, Posture, Task};

const GROUND: f64 = 4.0;
const CRANK: f64 = 1.0;
const COUPLER: f64 = 3.0;
const ROCKER: f64 = 2.5;

/// Crank and coupler in one limb, the rocker on its own; `crank, coupler, rocker` turn about z.
fn four_bar() -> (Skeleton, [Frame; 2]) {
    let along = |length: f64| Pose::from_translation(DVec3::X * length);
    let hinge = |name: &str| Joint::revolute(name, DVec3::Z);
    let joints = vec![
        hinge("crank"),
        hinge("coupler").child_of(0).at(along(CRANK)),
        hinge("rocker").at(along(GROUND)),
    ];
    let skeleton = Skeleton::try_new(joints).expect("the bars are valid");
    (skeleton, [Frame::new(1, along(COUPLER)), Frame::new(2, along(ROCKER))])
}

/// Where the pin between coupler and rocker is, by the cosine rule: the upper of two points.
fn pin(crank: f64) -> DVec3 {
    let (elbow, pivot) = (DVec3::new(cos(crank), sin(crank), 0.0) * CRANK, DVec3::X * GROUND);
    let (way, far) = (pivot - elbow, (pivot - elbow).length());
    let along = (COUPLER * COUPLER - ROCKER * ROCKER + far * far) / (2.0 * far);
    let across = (COUPLER * COUPLER - along * along).sqrt();
    elbow + (way * along + DVec3::Z.cross(way) * across) / far
}

fn track(skeleton: &Skeleton, from: &[f64], tasks: &[Task]) -> Solution {
    let least_squares = LeastSquares::default().with_restarts(0);
    let settings = Settings::default().with_least_squares(least_squares);
    let solution = solve(skeleton, from, tasks, Method::LeastSquares, &settings);
    solution.expect("the tasks are valid")
}

/// The crank (Grashof: 1 + 4 < 3 + 2.5) is turned twice around; the loop stays closed and on its branch.
///
/// - `pins`: frames that must stand on the pin between coupler and rocker
fn turn_the_crank(skeleton: &Skeleton, start: &[f64], pins: &[Frame], closure: &Task) {
    const STEPS: u32 = 180;
    let mut q = start.to_vec();
    for k in 0..=2 * STEPS {
        let angle = f64::from(k) / f64::from(STEPS) * TAU;
        let turned = Orientation::new(skeleton.frame(0), rotation_about(DVec3::Z, angle));
        let tasks = [closure.clone(), turned.into()];
        let solution = track(skeleton, &q, &tasks);
        assert!(solution.is_reached(), "at {angle}: {:?}", solution.status);
        let now = solution.configuration;
        let misses = tasks.each_ref().map(|task| task.miss(skeleton, &now));
        assert!(misses[0].distance < 1e-5 && misses[1].angle < 2e-6, "at {angle}: {misses:?}");
        let poses = skeleton.poses(&now);
        for frame in pins {
            let off = frame.world(&poses).translation.distance(pin(angle));
            assert!(off < 1e-4, "at {angle}: the pin is {off} off");
        }
        let mut v = vec![0.0; skeleton.n_dofs()];
        skeleton.difference(&q, &now, &mut v);
        let jump = v.iter().map(|x| wrap_angle(*x).abs()).fold(0.0, f64::max);
        assert!(jump < 0.15, "at {angle}: a jump of {jump}");
        q = now;
    }
}

/// The angles of coupler and rocker with the crank at 0.
fn closed_start() -> [f64; 2] {
    let angle_of = |v: DVec3| atan2(v.y, v.x);
    [angle_of(pin(0.0) - DVec3::X * CRANK), angle_of(pin(0.0) - DVec3::X * GROUND)]
}

fn turn_with_coupler(link: Link) {
    let (skeleton, frames) = four_bar();
    let [coupler, rocker] = closed_start();
    let closure = Closure::new(frames, link).into();
    turn_the_crank(&skeleton, &[0.0, coupler, rocker], &frames, &closure);
}

#[test]
fn four_bar_closed_by_a_hinge() {
    turn_with_coupler(Link::Hinge([DVec3::Z; 2]));
}

#[test]
fn four_bar_closed_by_a_ball() {
    turn_with_coupler(Link::Ball);
}

/// The coupler is not a bone but a rod: a distance from the crank's pin to the rocker's.
#[test]
fn four_bar_closed_by_a_distance() {
    let along = |length: f64| Pose::from_translation(DVec3::X * length);
    let rocker = Joint::revolute("rocker", DVec3::Z).at(along(GROUND));
    let skeleton = Skeleton::try_new(vec![Joint::revolute("crank", DVec3::Z), rocker]);
    let skeleton = skeleton.expect("the bars are valid");
    let frames = [Frame::new(0, along(CRANK)), Frame::new(1, along(ROCKER))];
    let closure = Distance::new(frames, COUPLER).into();
    turn_the_crank(&skeleton, &[0.0, closed_start()[1]], &frames[1..], &closure);
}

/// A loop that starts open is closed, and one that cannot be closed is left as little open as can be.
#[test]
fn an_open_loop_is_closed_or_nearly() {
    let (skeleton, frames) = four_bar();
    let closure: Task = Closure::new(frames, Link::Ball).into();
    let solution = track(&skeleton, &[0.4, 0.9, 1.1], core::slice::from_ref(&closure));
    assert!(solution.is_reached(), "{:?}", solution.status);
    assert!(closure.miss(&skeleton, &solution.configuration).distance < 1e-5, "the loop is open");

    // The coupler is too short: 1 + 3 + 2.5 reach over 4, but not over 7.
    let far = Joint::revolute("rocker", DVec3::Z).at(Pose::from_translation(DVec3::X * 7.0));
    let hinge = |name: &str| Joint::revolute(name, DVec3::Z);
    let along = Pose::from_translation(DVec3::X * CRANK);
    let joints = vec![hinge("crank"), hinge("coupler").child_of(0).at(along), far];
    let skeleton = Skeleton::try_new(joints).expect("the bars are valid");
    let start = [0.4, 0.9, 1.1];
    let tasks = [closure];
    let solution = solve(&skeleton, &start, &tasks, Method::LeastSquares, &Settings::default());
    let solution = solution.expect("the task is valid");
    assert!(!solution.is_reached(), "the loop cannot be closed");
    let miss = tasks[0].miss(&skeleton, &solution.configuration).distance;
    assert!((miss - 0.5).abs() < 1e-6, "{miss} of 0.5 is left open");
}

/// A parallelogram stays one through its flat pose, where it could fold over, when a posture of the second level tells the branch.
#[test]
fn a_parallelogram_through_its_flat_pose() {
    let along = |length: f64| Pose::from_translation(DVec3::X * length);
    let hinge = |name: &str| Joint::revolute(name, DVec3::Z);
    let joints =
        vec![hinge("left"), hinge("bar").child_of(0).at(along(1.0)), hinge("right").at(along(2.0))];
    let skeleton = Skeleton::try_new(joints).expect("the bars are valid");
    let frames = [Frame::new(1, along(2.0)), Frame::new(2, along(1.0))];
    let mut q = vec![0.3, -0.3, 0.3];
    for k in 0..=100 {
        let angle = 0.3 - 0.6 * f64::from(k) / 100.0;
        let left = rotation_about(DVec3::Z, angle);
        let tasks = [
            Closure::new(frames, Link::Ball).into(),
            Orientation::new(skeleton.frame(0), left).into(),
            Task::new(Posture::new(vec![angle, -angle, angle])).at_level(2),
        ];
        let solution = track(&skeleton, &q, &tasks);
        q = solution.configuration;
        let open = tasks[0].miss(&skeleton, &q).distance;
        assert!(open < 1e-5, "{open} open at {angle}");
        assert!((q[2] - angle).abs() < 1e-2, "right bar at {} for {angle}", q[2]);
    }
}
