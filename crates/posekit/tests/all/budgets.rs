//! The end of a budget is the end of a budget: blocked and stalled say that more iterations would change nothing.

#![allow(clippy::unwrap_used, reason = "a test that cannot set up its problem must stop")]

use crate::support;

use posekit::solve::{LeastSquares, Method, Settings, Solution, Status, Workspace};
use support::Rng;
use support::arms::{Arm, PUMA};

/// Whole poses of a Puma 560 that some configuration has.
const CASES: u64 = 3000;

/// The solution within so many iterations, and whether the flange is there, by forward kinematics.
fn run(
    arm: &Arm,
    seed: u64,
    method: Method,
    iterations: u32,
    workspace: &mut Workspace,
) -> (Solution, bool) {
    let rng = &mut Rng::new(seed);
    let (start, goal) = (arm.configuration(rng), arm.configuration(rng));
    // As many other starts as the iterations allow.
    let least_squares = LeastSquares::default().with_restarts(1000);
    let settings =
        Settings::default().with_iterations(iterations).with_least_squares(least_squares);
    let task = arm.pose_of(&goal);
    let tasks = core::slice::from_ref(&task);
    workspace.begin(&arm.skeleton, &start, tasks, method, &settings).unwrap();
    let solution = workspace.run().clone();
    let miss = task.miss(&arm.skeleton, &solution.configuration);
    let is_there = miss.distance < 2e-6 && miss.angle < 2e-6;
    (solution, is_there)
}

#[test]
fn a_solve_that_is_cut_short_is_not_blocked() {
    let (arm, mut workspace) = (Arm::new(&PUMA), Workspace::default());
    let mut wrong = Vec::new();
    for method in [Method::LeastSquares, Method::Ccd] {
        for seed in 0..CASES {
            for iterations in [20, 100, 500] {
                let (solution, _) = run(&arm, seed, method, iterations, &mut workspace);
                let (Status::Blocked { .. } | Status::Stalled) = solution.status else { continue };
                let (_, arrives) = run(&arm, seed, method, 20_000, &mut workspace);
                if arrives {
                    wrong.push((method.name(), seed, iterations, solution.status.word()));
                }
            }
        }
    }
    let some = &wrong[..wrong.len().min(20)];
    assert!(wrong.is_empty(), "{} of them, {some:?}", wrong.len());
}

/// Every pose is one that the arm has, so that giving up is a mistake.
#[test]
fn nobody_gives_up_with_iterations_left() {
    let (arm, mut workspace) = (Arm::new(&PUMA), Workspace::default());
    for method in [Method::Ccd, Method::Fabrik, Method::LeastSquares] {
        let mut given_up = Vec::new();
        for seed in 0..CASES {
            let (solution, is_there) = run(&arm, seed, method, 20_000, &mut workspace);
            if !is_there && solution.iterations < 20_000 {
                given_up.push((seed, solution.status.word(), solution.iterations));
            }
        }
        assert!(given_up.is_empty(), "{}: {given_up:?}", method.name());
    }
}

/// 99.95 % within 500 iterations, and no tail longer than that of starts drawn evenly from the ranges (measured: 411 at 99.5 %).
#[test]
fn restarts_find_whole_poses_soon() {
    let (arm, mut workspace) = (Arm::new(&PUMA), Workspace::default());
    let mut counts = Vec::new();
    for seed in 0..CASES {
        let (solution, is_there) = run(&arm, seed, Method::LeastSquares, 20_000, &mut workspace);
        counts.push(if is_there { solution.iterations } else { u32::MAX });
    }
    counts.sort_unstable();
    let late = counts.iter().filter(|&&count| count > 500).count();
    assert!(late <= 1, "{late} of {CASES} need more than 500 iterations");
    let tail = counts[counts.len() * 995 / 1000];
    assert!(tail <= 411, "99.5 % need {tail}");
}
