//! Numbers at the edge: weights next to nothing, and drivers whose followers end first.

#![allow(clippy::unwrap_used, reason = "a test that cannot set up its problem must stop")]

use crate::support;

use posekit::glam::DVec3;
use posekit::skeleton::{Joint, Limit};
use posekit::solve::{Method, Settings, solve};
use posekit::task::{Position, Task};
use support::problems::{Problem, Recipe, Trait};
use support::{Rng, limb};

/// One task has nothing to be weighed against.
#[test]
fn the_weight_of_the_only_task_changes_nothing() {
    let hinge =
        |name| Joint::revolute(name, DVec3::Z).with_limit(Limit::Range { min: -3.0, max: 3.0 });
    let (skeleton, tip) = limb(&[1.0, 0.8, 0.7], hinge);
    let run = |weight: f64| {
        let task = Task::new(Position::new(tip, DVec3::new(1.0, 1.0, 0.0))).weighing(weight);
        let (tasks, settings) = (core::slice::from_ref(&task), Settings::default());
        let start = [0.1, 0.2, 0.3];
        let solution = solve(&skeleton, &start, tasks, Method::LeastSquares, &settings).unwrap();
        (task.miss(&skeleton, &solution.configuration).distance, solution)
    };
    let (_, one) = run(1.0);
    for weight in [1e8, 1e24, 1e100, 1e-8, 1e-16, 1e-20, 1e-24, 1e-100, 1e-300] {
        let (miss, solution) = run(weight);
        assert!(miss <= 2.5e-6, "weight {weight:e}: {miss:e} off, {:?}", solution.status);
        let most = 2 * one.iterations;
        assert!(solution.iterations <= most, "weight {weight:e}: {}", solution.iterations);
    }
}

/// The range of a driver is narrowed so that its followers stay in theirs; it ends there to the last bit.
#[test]
fn a_driver_ends_at_its_limit_to_the_last_bit() {
    let fresh = (0..1000).map(|seed| {
        let n_joints = Rng::new(seed).whole(2, 6);
        Recipe { seed, n_joints, n_tasks: 2, traits: 0 }.with(&[Trait::Mimics, Trait::Limits])
    });
    for recipe in FOUND.into_iter().chain(fresh) {
        let problem = Problem::new(recipe);
        for (method, solution) in problem.by_all() {
            let kept = problem.check_poses(&solution, &problem.tasks);
            assert!(kept.is_ok(), "{recipe:?} by {}: {kept:?}", method.name());
        }
    }
}

/// Problems with gears that were found at random, each an ulp beyond.
const FOUND: [Recipe; 3] = [
    Recipe { seed: 1572, n_joints: 5, n_tasks: 4, traits: 1_050_623 },
    Recipe { seed: 7621, n_joints: 6, n_tasks: 1, traits: 4_587_545 },
    Recipe { seed: 23742, n_joints: 5, n_tasks: 3, traits: 9401 },
];
