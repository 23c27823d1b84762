//! Stop when it is done: at a compromise between tasks, and at the tolerance that was asked for.

#![allow(clippy::unwrap_used, reason = "a test that cannot set up its problem must stop")]

use crate::support;

use posekit::glam::DVec3;
use posekit::skeleton::Skeleton;
use posekit::solve::{Detail, LeastSquares, Method, Settings, Solution, solve};
use posekit::task::{Position, Posture, Task};
use support::arms::{Arm, IIWA, PUMA};
use support::{Rng, plane_limb, space_limb};

/// A start halfway to the middle of the ranges, and a configuration near it.
fn near(arm: &Arm, rng: &mut Rng, by: f64) -> (Vec<f64>, Vec<f64>) {
    let start: Vec<f64> = arm.configuration(rng).iter().map(|x| 0.5 * x).collect();
    let near = start.iter().map(|x| x + rng.between(-by, by)).collect();
    (start, near)
}

fn with(least_squares: LeastSquares) -> Settings {
    Settings::default().with_least_squares(least_squares)
}

/// Two tasks that pull on a seven-axis arm are a compromise, not a lock-up: other starts give nothing.
#[test]
fn a_compromise_is_not_a_lock_up() {
    let arm = Arm::new(&IIWA);
    for seed in 0..12 {
        let rng = &mut Rng::new(seed);
        let (start, goal) = near(&arm, rng, 0.3);
        let at = arm.at(&goal).translation;
        let beside = Position::new(arm.flange, at + DVec3::new(0.05, 0.0, 0.05));
        let wished: Task = Posture::new(start.clone()).into();
        for tasks in
            [[arm.pose_of(&goal), wished], [Position::new(arm.flange, at).into(), beside.into()]]
        {
            let run = |settings: &Settings| {
                solve(&arm.skeleton, &start, &tasks, Method::Auto, settings).unwrap()
            };
            let plain = run(&with(LeastSquares::default().with_restarts(0)));
            let usual = run(&Settings::default());
            let name =
                format!("seed {seed}, {} and {}", tasks[0].kind.name(), tasks[1].kind.name());
            // Without restarts the slowest of them takes 35; before, all took more than 400 with them.
            assert!(usual.iterations <= 100, "{name}: {} iterations", usual.iterations);
            let sum = |solution: &Solution| {
                let misses =
                    tasks.iter().map(|task| task.miss(&arm.skeleton, &solution.configuration));
                misses
                    .map(|miss| miss.distance * miss.distance + miss.angle * miss.angle)
                    .sum::<f64>()
            };
            assert!(
                sum(&usual) <= sum(&plain) * 1.01 + 1e-12,
                "{name}: {} {}",
                sum(&usual),
                sum(&plain)
            );
        }
    }
}

/// A warm solve to a millimetre returns the first pose that is there, and does not polish it.
#[test]
fn what_is_reached_is_not_polished() {
    for rows in [&PUMA[..], &IIWA] {
        let arm = Arm::new(rows);
        for seed in 0..20 {
            let (start, goal) = near(&arm, &mut Rng::new(seed), 0.1);
            let task = arm.pose_of(&goal);
            let settings = Settings::tracking()
                .with_tolerance(1e-3)
                .with_orientation_tolerance(1e-3)
                .with_trace(Detail::Iterations);
            let tasks = core::slice::from_ref(&task);
            let solution =
                solve(&arm.skeleton, &start, tasks, Method::LeastSquares, &settings).unwrap();
            let is_there = |q: &[f64]| {
                let miss = task.miss(&arm.skeleton, q);
                miss.distance <= 1e-3 && miss.angle <= 1e-3
            };
            let q = &solution.configuration;
            assert!(is_there(q), "seed {seed} arrives");
            let first = solution.trace.iter().find(|step| is_there(&step.configuration)).unwrap();
            let off = first.configuration.iter().zip(q).map(|(a, b)| (a - b).abs());
            let off = off.fold(0.0, f64::max);
            assert!(off < 1e-12, "seed {seed}: {off} further, {:?}", task.miss(&arm.skeleton, q));
            assert_eq!(solution.iterations, first.iteration, "seed {seed}: no iteration more");
        }
    }
}

/// Two bones of 1 and a target a millionth short of their reach: nothing to gain from standing still.
#[test]
fn a_target_at_the_edge_of_reach_is_reached() {
    let lengths = [1.0, 1.0];
    let target = DVec3::X * 1.999_998;
    let limbs: [(Skeleton, _); 2] = [plane_limb(&lengths), space_limb(&lengths)];
    for (skeleton, tip) in limbs {
        let task: Task = Position::new(tip, target).into();
        for method in
            [Method::Auto, Method::Ccd, Method::Fabrik, Method::Relaxation, Method::LeastSquares]
        {
            let tasks = core::slice::from_ref(&task);
            let solution =
                solve(&skeleton, &skeleton.neutral(), tasks, method, &Settings::default()).unwrap();
            let off =
                tip.world(&skeleton.poses(&solution.configuration)).translation.distance(target);
            let (name, status) = (method.name(), &solution.status);
            assert!(solution.is_reached() && off <= 2e-6, "{name}: {off:e} off, {status:?}");
        }
    }
}
