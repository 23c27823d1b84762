//! A pole brings the middle joint of a limb to its side, with the tip in place: by least squares, and in closed form.

#![allow(clippy::unwrap_used, reason = "a test that cannot set up its problem must stop")]

use crate::support;

use posekit::glam::DVec3;
use posekit::math::{Pose, atan2, direction_or, so3_exp};
use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
use posekit::solve::{Method, Settings, Solution, solve};
use posekit::task::{Pole, Position, Task};
use support::Rng;

const UPPER: DVec3 = DVec3::new(0.0, -0.45, 0.0);
const LOWER: DVec3 = DVec3::new(0.0, -0.4, 0.0);

/// A ball and a knee: a hinge, which bends one way only, or another ball.
fn leg(has_hinge: bool) -> (Skeleton, Frame) {
    let knee = if has_hinge {
        Joint::revolute("knee", DVec3::X).with_limit(Limit::Range { min: -0.01, max: 2.6 })
    } else {
        Joint::ball("knee")
    };
    let knee = knee.child_of(0).at(Pose::from_translation(UPPER));
    let skeleton = Skeleton::try_new(vec![Joint::ball("hip"), knee]).unwrap();
    (skeleton, Frame::new(1, Pose::from_translation(LOWER)))
}

fn tasks(leg: &Skeleton, tip: Frame, target: DVec3, pole: DVec3) -> [Task; 2] {
    [Position::new(tip, target).into(), Pole::new(leg.frame(0), UPPER, tip, pole).into()]
}

/// The angle about the line from hip to foot between the knee and the pole, and how far the foot is off, by forward kinematics.
fn off(leg: &Skeleton, tip: Frame, target: DVec3, pole: DVec3, q: &[f64]) -> (f64, f64) {
    let mut world = vec![Pose::IDENTITY; 2];
    leg.forward_kinematics(q, &mut world);
    let [hip, knee] = [world[0].translation, world[1].translation];
    let foot = (world[1] * tip.joint_from_frame).translation;
    let line = direction_or(foot - hip, DVec3::X);
    let across = |v: DVec3| v - line * line.dot(v);
    let (h, d) = (across(knee - hip), across(pole - hip));
    (atan2(line.dot(h.cross(d)), h.dot(d)).abs(), foot.distance(target))
}

fn random_start(leg: &Skeleton, rng: &mut Rng) -> Vec<f64> {
    let mut q = leg.neutral();
    let hip = so3_exp(rng.direction() * rng.between(0.0, 3.0));
    hip.write_to_slice(&mut q[..4]);
    match &mut q[4..] {
        [knee] => *knee = rng.between(0.0, 2.5),
        knee => {
            so3_exp(rng.direction() * rng.between(0.0, 3.0)).write_to_slice(knee);
        }
    }
    q
}

fn run(leg: &Skeleton, start: &[f64], tasks: &[Task], method: Method) -> Solution {
    solve(leg, start, tasks, method, &Settings::default()).unwrap()
}

#[test]
fn knee_at_the_pole_and_foot_in_place() {
    let mut rng = Rng::new(20);
    for has_hinge in [true, false] {
        let (leg, tip) = leg(has_hinge);
        for case in 0..1000 {
            let start = random_start(&leg, &mut rng);
            let target = rng.direction() * rng.between(0.3, 0.8);
            let pole = rng.direction() * rng.between(0.3, 5.0);
            if pole.cross(target).length() < 0.1 * pole.length() * target.length() {
                continue;
            }
            let tasks = tasks(&leg, tip, target, pole);
            for (method, finest) in [(Method::LeastSquares, 1e-4), (Method::Auto, 1e-9)] {
                let solution = run(&leg, &start, &tasks, method);
                let place = format!("{method:?}, hinge {has_hinge}, case {case}");
                assert!(solution.is_reached(), "{place}: {:?}", solution.status);
                let (angle, distance) = off(&leg, tip, target, pole, &solution.configuration);
                assert!(distance < 2e-6, "{place}: the foot is {distance} off");
                assert!(angle < finest, "{place}: the knee is {angle} rad from the pole");
                if method == Method::Auto {
                    assert_eq!(solution.choice.method, Method::TwoBone, "{place}");
                }
            }
        }
    }
}

#[test]
fn straight_start_and_knee_opposite_the_pole() {
    for has_hinge in [true, false] {
        let (leg, tip) = leg(has_hinge);
        let target = DVec3::new(0.1, -0.7, 0.0);
        let mut opposite = leg.neutral();
        let behind = DVec3::new(0.0, 0.0, -3.0);
        let tasks_behind = tasks(&leg, tip, target, behind);
        let found = run(&leg, &opposite, &tasks_behind, Method::TwoBone);
        opposite.clone_from(&found.configuration);
        for start in [leg.neutral(), opposite] {
            for method in [Method::LeastSquares, Method::TwoBone] {
                let pole = -behind;
                let solution = run(&leg, &start, &tasks(&leg, tip, target, pole), method);
                assert!(solution.is_reached(), "{method:?}: {:?}", solution.status);
                let (angle, distance) = off(&leg, tip, target, pole, &solution.configuration);
                assert!(angle < 1e-4 && distance < 2e-6, "{method:?}: {angle} rad, {distance} m");
            }
        }
    }
}

#[test]
fn pole_on_the_line_changes_nothing() {
    let (leg, tip) = leg(true);
    let target = DVec3::new(0.1, -0.7, 0.0);
    for pole in [2.0 * target, -target, DVec3::ZERO] {
        for method in [Method::LeastSquares, Method::TwoBone] {
            let with = run(&leg, &leg.neutral(), &tasks(&leg, tip, target, pole), method);
            let point: Task = Position::new(tip, target).into();
            let without = run(&leg, &leg.neutral(), &[point], method);
            assert!(with.is_reached() && without.is_reached(), "{method:?}");
            if method == Method::TwoBone {
                let pairs = with.configuration.iter().zip(&without.configuration);
                assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-9), "{method:?}");
            }
        }
    }
}

#[test]
fn closed_form_refuses_the_pole_of_another_joint() {
    let (leg, tip) = leg(true);
    let target = DVec3::new(0.1, -0.7, 0.0);
    let pole = Pole::new(leg.frame(0), 0.5 * UPPER, tip, DVec3::Z);
    let tasks: [Task; 2] = [Position::new(tip, target).into(), pole.into()];
    let settings = Settings::default();
    let refused = solve(&leg, &leg.neutral(), &tasks, Method::TwoBone, &settings);
    assert!(refused.is_err_and(|error| error.is_unsuited()));
    let solution = run(&leg, &leg.neutral(), &tasks, Method::Auto);
    assert_eq!(solution.choice.method, Method::LeastSquares);
    assert!(solution.is_reached());
}

/// A pole at a lower level swivels the limb as far as the null space of a pose of the foot allows: not at all here.
#[test]
fn level_two_gives_way_to_level_one() {
    let (leg, tip) = leg(false);
    let target = DVec3::new(0.1, -0.7, 0.0);
    let [point, pole] = tasks(&leg, tip, target, DVec3::new(1.0, -0.4, 2.0));
    let solution = run(&leg, &leg.neutral(), &[point, pole.at_level(2)], Method::Auto);
    assert!(solution.is_reached());
    assert!(solution.misses[1].distance < 1e-6, "{}", solution.misses[1].distance);
}
