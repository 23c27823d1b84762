//! Robots with loops: the legs of the Minitaur, whose file has them cut open.
//!
//! Each leg is two motors on one axis, an upper and a lower leg on each, and a pin where the lower legs meet. The file ends both lower legs in the air; the pin
//! is at the points that the simulators of this robot use. Knees have no limits in the file, which by the letter of the format locks them; they are freed here.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up its problem must stop")]

use crate::common;

use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, cos, sin, wrap_angle};
use posekit::skeleton::{Frame, Limit, Skeleton};
use posekit::solve::{LeastSquares, Method, Settings, Solution, solve};
use posekit::task::{Axes, Closure, FramePose, Link, Task};
use posekit_io::{Limits, Warnings, urdf};

/// The file's right angles are 1.57075: legs are up to 1e-4 rad out of their plane, and no pin closes better than this \[m\].
const PLAY: f64 = 1e-4;

/// From the motors' axis to a knee, and from there to the toe \[m\].
const UPPER: f64 = 0.115;
const LOWER: f64 = 0.2;

/// One leg: the ends of its two lower legs, that meet in the toe.
struct Leg {
    ends: [Frame; 2],
    /// On the motors' axis, in the plane of the toe.
    hip: DVec3,
}

struct Minitaur {
    skeleton: Skeleton,
    legs: Vec<Leg>,
}

impl Minitaur {
    fn read() -> Option<Self> {
        let path = common::assets()?.join("urdf/minitaur.urdf");
        let robot = urdf::read_file(&path, &Limits::default(), &mut Warnings::default()).unwrap();
        let skeleton = with_free_knees(robot.skeleton());
        let end = |leg: &str, y: f64| {
            let joint = robot.frame(&format!("lower_leg_{leg}_link")).unwrap().joint;
            Frame::new(joint, Pose::from_translation(DVec3::new(0.0, y, LOWER)))
        };
        let poses = skeleton.poses(&skeleton.neutral());
        let legs = ["front_right", "front_left", "back_right", "back_left"].map(|leg| {
            let (first, second) = if leg.ends_with("right") { ("R", "L") } else { ("L", "R") };
            let ends = [end(&format!("{leg}{first}"), 0.005), end(&format!("{leg}{second}"), 0.01)];
            // Both legs stand straight up from their motors in the neutral pose.
            let [a, b] = ends.map(|end| end.world(&poses).translation);
            assert!(a.distance(b) < PLAY, "{leg}: {a} and {b} do not meet");
            Leg { ends, hip: a - DVec3::Z * (UPPER + LOWER) }
        });
        Some(Self { skeleton, legs: legs.into() })
    }

    /// Every pin closed, and every toe in its plane at an angle from straight up and a distance from its motors.
    fn tasks(&self, toes: &[(f64, f64)]) -> Vec<Task> {
        let mut tasks: Vec<Task> =
            self.legs.iter().map(|leg| Closure::new(leg.ends, Link::Ball).into()).collect();
        tasks.extend(self.legs.iter().zip(toes).map(|(leg, &(angle, far))| {
            let toe = leg.hip + DVec3::new(sin(angle), 0.0, cos(angle)) * far;
            let in_plane = Axes { along: [true, false, true], about: [false; 3] };
            let pose = Pose { rotation: DQuat::IDENTITY, translation: toe };
            FramePose::new(leg.ends[0], pose).along(in_plane).into()
        }));
        tasks
    }

    fn solve(&self, start: &[f64], toes: &[(f64, f64)], restarts: u32) -> Solution {
        let least_squares = LeastSquares::default().with_restarts(restarts);
        let settings = Settings::default().with_tolerance(PLAY).with_least_squares(least_squares);
        let tasks = self.tasks(toes);
        let solution =
            solve(&self.skeleton, start, &tasks, Method::LeastSquares, &settings).unwrap();
        let q = &solution.configuration;
        let worst = tasks.iter().map(|task| task.miss(&self.skeleton, q).distance);
        let worst = worst.fold(0.0, f64::max);
        assert!(solution.is_reached() == (worst <= PLAY * (1.0 + 1e-6)), "{worst} off");
        solution
    }
}

fn with_free_knees(skeleton: &Skeleton) -> Skeleton {
    let joints = (0..skeleton.n_joints()).map(|index| match skeleton.limit(index) {
        Limit::Range { min, max } if min == max => skeleton.joint(index).with_limit(Limit::None),
        _ => skeleton.joint(index),
    });
    Skeleton::try_new(joints.collect()).unwrap()
}

/// Evenly spread, without a generator: multiples of square roots.
fn spread(index: u32, dimension: u32) -> f64 {
    let x = (3.0 + 2.0 * f64::from(dimension)).sqrt() * f64::from(index + 1);
    x - x.floor()
}

#[test]
fn toes_of_closed_legs_reach_every_point_of_their_plane() {
    let Some(robot) = Minitaur::read() else { return };
    let mut failures = Vec::new();
    for index in 0..300 {
        let toes: Vec<(f64, f64)> = (0..4)
            .map(|leg| {
                let (angle, far) = (spread(index, 2 * leg), spread(index, 2 * leg + 1));
                (core::f64::consts::TAU * angle, 0.1 + 0.2 * far)
            })
            .collect();
        let solution = robot.solve(&robot.skeleton.neutral(), &toes, 24);
        if !solution.is_reached() {
            failures.push(format!(
                "{index}: {} after {}, {:.1e}",
                solution.status.word(),
                solution.iterations,
                solution.error
            ));
        }
    }
    let listed = failures.join("\n");
    assert!(failures.is_empty(), "{} of 300:\n{listed}", failures.len());
}

/// The toes walk around ellipses below the body, half a turn apart; every step is met from the one before, without a jump.
#[test]
fn closed_legs_trot() {
    const STEPS: u32 = 100;
    let Some(robot) = Minitaur::read() else { return };
    let toes_at = |k: u32| -> Vec<(f64, f64)> {
        let phase = f64::from(k) / f64::from(STEPS) * core::f64::consts::TAU;
        let toe = |leg: usize| {
            let phase = if leg == 0 || leg == 3 { phase } else { phase + core::f64::consts::PI };
            (core::f64::consts::PI + 0.3 * cos(phase), 0.22 + 0.04 * sin(phase))
        };
        (0..4).map(toe).collect()
    };
    let first = robot.solve(&robot.skeleton.neutral(), &toes_at(0), 24);
    assert!(first.is_reached(), "{:?}", first.status);
    let mut q = first.configuration;
    for k in 1..=3 * STEPS {
        let solution = robot.solve(&q, &toes_at(k), 0);
        assert!(solution.is_reached(), "step {k}: {:?}", solution.status);
        let mut v = vec![0.0; robot.skeleton.n_dofs()];
        robot.skeleton.difference(&q, &solution.configuration, &mut v);
        let jump = v.iter().map(|x| wrap_angle(*x).abs()).fold(0.0, f64::max);
        assert!(jump < 0.1, "step {k}: a jump of {jump}");
        q = solution.configuration;
    }
}
