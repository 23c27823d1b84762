//! New targets for a problem under way are solved for, whatever the task that holds them; and a workspace without a problem answers.

#![allow(clippy::unwrap_used, reason = "a test that cannot set up its problem must stop")]

use crate::support;

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::solve::{Method, Progress, Settings, Workspace};
use posekit::task::{Axes, FramePose, Position, Task, TaskKind};
use support::problems::{Problem, Recipe, Trait};
use support::{Rng, plane_limb, space_limb};

const LENGTHS: [f64; 3] = [1.0, 0.8, 0.7];
const METHODS: [Method; 6] = [
    Method::Auto,
    Method::Direct,
    Method::Ccd,
    Method::Fabrik,
    Method::Relaxation,
    Method::LeastSquares,
];

/// A free chain is solved on points; its one point may be given as a pose of which only the position counts.
#[test]
fn a_free_chain_follows_a_pose_without_rotation() {
    let targets =
        [DVec3::new(1.0, 1.0, 0.0), DVec3::new(0.5, -1.2, 0.0), DVec3::new(-2.0, 0.1, 0.0)];
    for (skeleton, tip) in [space_limb(&LENGTHS), plane_limb(&LENGTHS)] {
        let at = |target| FramePose::new(tip, Pose::from_translation(target)).along(Axes::ALONG);
        for method in METHODS {
            let mut workspace = Workspace::default();
            let tasks = [at(targets[0]).into()];
            let start = skeleton.neutral();
            workspace.begin(&skeleton, &start, &tasks, method, &Settings::default()).unwrap();
            let _ = workspace.run();
            for target in targets {
                workspace.set_target(0, &at(target).into()).unwrap();
                let solution = workspace.run();
                let pose = tip.world(&skeleton.poses(&solution.configuration));
                let off = pose.translation.distance(target);
                let (name, status) = (method.name(), &solution.status);
                assert!(off < 3e-6, "{name}: {off} off, {status:?}");
            }
        }
    }
}

/// The target of a task that weighs nothing is not that of the one that does.
#[test]
fn a_task_that_is_switched_off_moves_nothing() {
    let (near, far) = (DVec3::new(1.0, 1.0, 0.0), DVec3::new(-1.5, 0.5, 0.0));
    for (skeleton, tip) in [space_limb(&LENGTHS), plane_limb(&LENGTHS)] {
        for method in METHODS {
            let off: Task = Position::new(tip, near).into();
            let tasks = [Position::new(tip, near).into(), off.weighing(0.0)];
            let mut workspace = Workspace::default();
            let start = skeleton.neutral();
            workspace.begin(&skeleton, &start, &tasks, method, &Settings::default()).unwrap();
            let _ = workspace.run();
            workspace.set_target(1, &Position::new(tip, far).into()).unwrap();
            let solution = workspace.run();
            let at = tip.world(&skeleton.poses(&solution.configuration)).translation;
            let misses = [near, far].map(|target| at.distance(target));
            assert!(misses[0] < 3e-6, "{}: {misses:?} off", method.name());
            let reported = solution.misses[1].distance;
            assert!((reported - misses[1]).abs() < 1e-9, "{}: {reported} reported", method.name());
        }
    }
}

/// Every call on a workspace that has never begun anything.
#[test]
fn a_workspace_without_a_problem_answers() {
    let (skeleton, tip) = space_limb(&LENGTHS);
    let idle = Workspace::default;
    assert!(idle().solution().configuration.is_empty(), "no values");
    assert_eq!(idle().step(), Progress::Done, "nothing to do");
    assert!(!idle().run().is_reached(), "nothing is reached");
    assert!(idle().run_while(|_| true).points.is_empty(), "no points");
    assert!(idle().run_while(|_| false).points.is_empty(), "no points");
    let mut values = vec![1.0];
    idle().configuration(&mut values);
    assert!(values.is_empty(), "no values");
    let _ = idle().retarget(&[]);
    assert!(idle().retarget(&[1.0]).is_err(), "one number too many");
    let task: TaskKind = Position::new(tip, DVec3::X).into();
    assert!(idle().set_target(0, &task).is_err(), "no such task");
    // And after a call on nothing, a problem is solved as ever.
    let mut workspace = idle();
    let _ = workspace.retarget(&[]);
    let tasks = [Position::new(tip, DVec3::ONE).into()];
    let start = skeleton.neutral();
    workspace.begin(&skeleton, &start, &tasks, Method::Auto, &Settings::default()).unwrap();
    assert!(workspace.run().is_reached(), "solved");
}

/// After an error a workspace still answers.
#[test]
fn targets_that_do_not_fit_are_refused() {
    let (skeleton, tip) = space_limb(&LENGTHS);
    let mut workspace = Workspace::default();
    let tasks = [Position::new(tip, DVec3::ONE).into()];
    let start = skeleton.neutral();
    for method in METHODS {
        workspace.begin(&skeleton, &start, &tasks, method, &Settings::default()).unwrap();
        for targets in [&[][..], &[1.0, 2.0], &[1.0; 4], &[f64::NAN; 3]] {
            assert!(workspace.retarget(targets).is_err(), "{}: {targets:?}", method.name());
        }
        let task = Position::new(tip, DVec3::X).into();
        assert!(workspace.set_target(1, &task).is_err(), "{}: no such task", method.name());
        assert!(workspace.run().is_reached(), "{}", method.name());
    }
}

/// The same problem from another start is reached as one begun there is, inside the same limits, and changes least from there.
#[test]
fn a_problem_starts_over_from_elsewhere() {
    let (mut n, mut reached) = (0, [0; 2]);
    let traits = [
        Trait::Limits,
        Trait::Slides,
        Trait::Floats,
        Trait::Mimics,
        Trait::Branches,
        Trait::Weights,
    ];
    for seed in 0..1500 {
        let rng = &mut Rng::new(seed);
        let traits: Vec<Trait> = traits.into_iter().filter(|_| rng.whole(0, 1) == 0).collect();
        let (n_joints, n_tasks) = (rng.whole(1, 10), rng.whole(1, 3));
        let problem = Problem::new(Recipe { seed, n_joints, n_tasks, traits: 0 }.with(&traits));
        let other = Problem::new(Recipe { n_joints, seed: seed ^ 0xabc, ..problem.recipe });
        let mut elsewhere = problem.clone();
        if other.start.len() == problem.start.len() {
            elsewhere.start.clone_from(&other.start);
        }
        problem.skeleton.settle(&mut elsewhere.start);
        if problem.skeleton.check(&elsewhere.start).is_err() {
            continue;
        }
        for method in Method::ALL {
            let mut workspace = Workspace::default();
            if !elsewhere.begin(&mut workspace, method) {
                continue;
            }
            let _ = workspace.run();
            workspace.start_from(&problem.skeleton, &problem.start).unwrap();
            let again = workspace.run().clone();
            problem.check_poses(&again, &problem.tasks).unwrap();
            problem.check_misses(&again, &problem.tasks).unwrap();
            n += 1;
            let begun = problem.solve(method).unwrap();
            reached[0] += usize::from(again.is_reached());
            reached[1] += usize::from(begun.is_reached());
            // The direct way there is the same.
            let all_count = problem.tasks.iter().all(|task| task.weight > 0.0);
            if all_count
                && begun.is_reached()
                && begun.iterations <= 4
                && again.iterations == begun.iterations
            {
                let off = again.configuration.iter().zip(&begun.configuration);
                let off = off.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(
                    off < 1e-4 * problem.size.max(1.0),
                    "{:?} by {}: {off}",
                    problem.recipe,
                    method.name()
                );
            }
        }
    }
    assert!(n > 2000 && reached[0].abs_diff(reached[1]) * 100 <= n, "{reached:?} of {n}");
}

#[test]
fn only_the_same_skeleton_starts_over() {
    let (skeleton, tip) = space_limb(&LENGTHS);
    let mut workspace = Workspace::default();
    let start = skeleton.neutral();
    assert!(workspace.start_from(&skeleton, &start).unwrap_err().is_unsuited(), "nothing is begun");
    let tasks = [Position::new(tip, DVec3::ONE).into()];
    workspace.begin(&skeleton, &start, &tasks, Method::Auto, &Settings::default()).unwrap();
    let other = space_limb(&[1.0; 5]).0;
    assert!(workspace.start_from(&other, &other.neutral()).unwrap_err().is_unsuited());
    assert!(workspace.start_from(&skeleton, &start[1..]).unwrap_err().is_wrong_length());
    assert!(workspace.run().is_reached());
}
