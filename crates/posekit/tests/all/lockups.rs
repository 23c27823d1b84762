//! The lock-up suite: poses in which classic iterations stand still although the target is within reach.

#![allow(clippy::unwrap_used, reason = "a test that cannot set up its problem must stop")]

use crate::support;

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
use posekit::solve::{Method, Settings, solve};
use posekit::task::{Position, Task};
use support::ends_well;

/// All that take any joints, and the choice among all.
const METHODS: [Method; 5] =
    [Method::Ccd, Method::Fabrik, Method::Relaxation, Method::LeastSquares, Method::Auto];

/// Bones of equal length along +x, each on a hinge about +z (plane), on hinges about z and y in turn, or on balls.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Joints {
    Plane,
    Turns,
    Balls,
}

struct Case {
    name: String,
    skeleton: Skeleton,
    start: Vec<f64>,
    tip: Frame,
    target: DVec3,
    reach: f64,
}

/// `start`: the angle of the first joint and of all others; `reach`: where the target is on +x, 1 at full reach.
fn limb(
    n: usize,
    (joints, limit): (Joints, Limit),
    scale: f64,
    start: [f64; 2],
    reach: f64,
    name: &str,
) -> Case {
    let mut builder = Skeleton::builder();
    let bone = Pose::from_translation(DVec3::X * scale);
    let mut q = Vec::new();
    for i in 0..n {
        let axis = if joints == Joints::Turns && i % 2 == 1 { DVec3::Y } else { DVec3::Z };
        let joint = match joints {
            Joints::Balls => Joint::ball(format!("b{i}")),
            _ => Joint::revolute(format!("b{i}"), axis).with_limit(limit),
        };
        builder.add(if i == 0 { joint } else { joint.child_of(i - 1).at(bone) });
        let angle = start[i.min(1)];
        if joints == Joints::Balls {
            let (s, c) = posekit::math::sin_cos(0.5 * angle);
            q.extend([0.0, 0.0, s, c]);
        } else {
            q.push(angle);
        }
    }
    Case {
        name: format!("{name}, {n} bones, {joints:?}, {limit:?}, scale {scale:e}"),
        skeleton: builder.build().unwrap(),
        start: q,
        tip: Frame { joint: n - 1, joint_from_frame: bone },
        target: DVec3::X * (reach * n as f64 * scale),
        reach: n as f64 * scale,
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let wide = Limit::Range { min: -3.0, max: 3.0 };
    let kinds = [
        (Joints::Plane, Limit::None),
        (Joints::Plane, wide),
        (Joints::Turns, Limit::None),
        (Joints::Turns, wide),
        (Joints::Balls, Limit::None),
    ];
    for n in [2, 3, 5, 10, 50, 100] {
        for scale in [1e-6, 1.0, 1e6] {
            for kind in kinds {
                // Two crossed hinges cannot bend in any plane that holds the line.
                if (n, kind.0) == (2, Joints::Turns) {
                    continue;
                }
                let mut push =
                    |start, reach, name| cases.push(limb(n, kind, scale, start, reach, name));
                push([0.0, 0.0], 0.6, "straight, target on its line");
                // Three crossed hinges get no nearer than one bone to their root on this line.
                if (n, kind.0) != (3, Joints::Turns) {
                    push([0.0, 0.0], 0.3, "straight, target near on its line");
                }
                push([0.0, 0.0], -0.6, "straight, target behind");
                push([0.0, 0.0], -0.95, "straight, target far behind");
                push([0.0, 0.0], 0.999, "straight, near full reach");
                push([0.4, 0.4], 0.9999, "bent, near full reach");
                let joint = ((n as f64 + 1.0) / 2.0).floor() / n as f64;
                push([0.0, 0.0], joint, "straight, target on a joint");
                push([0.0, 2.8], 0.7, "folded");
                if kind.1 == Limit::None {
                    push([0.0, core::f64::consts::PI], 0.7, "folded flat on its own line");
                }
            }
        }
    }
    cases
}

#[test]
fn every_reachable_case_is_reached_by_every_solver() {
    let (cases, mut failures, mut worst) = (cases(), Vec::new(), 0);
    for case in &cases {
        for method in METHODS {
            let task: Task = Position::new(case.tip, case.target).into();
            let settings = Settings::default();
            let solution =
                solve(&case.skeleton, &case.start, core::slice::from_ref(&task), method, &settings)
                    .unwrap();
            worst = worst.max(solution.iterations);
            let is_slow =
                solution.is_reached() && solution.iterations > 200 && method == Method::Auto;
            if !ends_well(method, &solution) || is_slow {
                failures.push(format!(
                    "{} by {}: {:?}, {} iterations, error {:e}",
                    case.name,
                    method.name(),
                    solution.status.word(),
                    solution.iterations,
                    solution.error
                ));
            }
            let miss = task.miss(&case.skeleton, &solution.configuration).distance;
            let near = miss <= 1e-6 * case.reach * (1.0 + 1e-6);
            assert!(near || !solution.is_reached(), "{}: said to reach, {miss:e} off", case.name);
            let inside = case.skeleton.within_limits(&solution.configuration, 0.0);
            assert!(inside, "{}: limits broken", case.name);
        }
    }
    println!("{} cases, most iterations {worst}", cases.len());
    let shown = failures.len().min(60);
    assert!(
        failures.is_empty(),
        "{} of {}:\n{}",
        failures.len(),
        METHODS.len() * cases.len(),
        failures[..shown].join("\n")
    );
}
