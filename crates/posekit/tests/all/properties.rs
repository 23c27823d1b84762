//! What holds for any problem: an answer is what it says and inside the limits, nothing is infinite, units and places do not matter, and
//! a used workspace is as good as a new one.

use crate::support;

use posekit::chain::{Chain, Goals};
use posekit::glam::DVec3;
use posekit::math::{Pose, rotation_about};
use posekit::skeleton::{Joint, Limit, Skeleton};
use posekit::solve::{Method, Progress, Settings, Solution, Status, Workspace, solve, solve_chain};
use posekit::task::{Position, Task};
use proptest::prelude::*;
use support::problems::{Problem, Recipe, Trait, cases, recipes};
use support::{Rng, limb, space_limb};

/// Solves with every method that takes the problem.
fn by_all(
    skeleton: &Skeleton,
    start: &[f64],
    task: &Task,
    settings: &Settings,
) -> Vec<(Method, Solution)> {
    let tasks = core::slice::from_ref(task);
    let run = |method| Some((method, solve(skeleton, start, tasks, method, settings).ok()?));
    Method::ALL.into_iter().filter_map(run).collect()
}

fn all_settings(seed: u64) -> Settings {
    Settings::default()
        .with_classic(seed.is_multiple_of(5))
        .with_tolerance([None, Some(1e-3), Some(0.0)][(seed % 3) as usize])
        .with_iterations([0, 3, 60, 200][(seed / 3 % 4) as usize])
}

/// A random chain in space: the joints' placements, the tip, a start and a target.
fn space_case(seed: u64) -> (Vec<f64>, Vec<f64>, DVec3) {
    let rng = &mut Rng::new(seed);
    let lengths: Vec<f64> = (0..rng.whole(2, 8)).map(|_| rng.between(0.2, 1.0)).collect();
    let start = lengths.iter().flat_map(|_| rng.rotation().to_array()).collect();
    let reach: f64 = lengths.iter().sum();
    let (inner, _) = support::radii(&lengths);
    (lengths, start, rng.direction() * rng.between(inner + 0.1 * (reach - inner), 0.9 * reach))
}

const FREE: [Method; 4] = [Method::Direct, Method::Ccd, Method::Fabrik, Method::Relaxation];

/// What a solution must satisfy.
type Law = fn(&Problem, &Solution, &[Task]) -> Result<(), String>;

/// Every solution of a problem satisfies a law.
fn check(recipe: Recipe, law: Law) -> Result<(), TestCaseError> {
    let problem = Problem::new(recipe);
    for (method, solution) in problem.by_all() {
        let kept = law(&problem, &solution, &problem.tasks);
        kept.map_err(|what| TestCaseError::fail(format!("{}: {what}", method.name())))?;
    }
    Ok(())
}

/// Also when the tasks have got other targets under way.
fn check_moved(recipe: Recipe, law: Law) -> Result<(), TestCaseError> {
    let problem = Problem::new(recipe);
    for method in Method::ALL {
        let mut workspace = Workspace::default();
        if problem.begin(&mut workspace, method) {
            let _ = workspace.step();
            let tasks = problem.set_targets(&mut workspace);
            let kept = law(&problem, workspace.run(), &tasks);
            kept.map_err(|what| TestCaseError::fail(format!("{}: {what}", method.name())))?;
        }
    }
    Ok(())
}

/// What level 1 reaches alone it reaches with lower levels below it.
fn check_levels(recipe: Recipe) -> Result<(), String> {
    let all = Problem::new(recipe.with(&[Trait::Levels]).without(&[Trait::Hurry, Trait::Classic]));
    let mut first = all.clone();
    first.tasks.retain(|task| task.level == 1);
    for method in [Method::Auto, Method::LeastSquares] {
        let (Some(alone), Some(with)) = (first.solve(method), all.solve(method)) else { continue };
        if alone.is_reached() && !with.is_reached() && !first.tasks.is_empty() {
            return Err(format!(
                "{:?} with lower levels: {} {}",
                with.status, with.error, with.orientation_error
            ));
        }
    }
    Ok(())
}

/// Blocked and stalled say that there is no more progress, so that ten times the iterations reach nothing more.
fn check_ends(recipe: Recipe) -> Result<(), String> {
    let problem = Problem::new(recipe);
    let mut patient = problem.clone();
    patient.settings.iterations *= 10;
    for (method, solution) in problem.by_all() {
        if let Status::Blocked { .. } | Status::Stalled = solution.status {
            let more = patient.solve(method).expect("it suits");
            let (status, iterations) = (&solution.status, solution.iterations);
            let name = format!("{}: {status:?} after {iterations}", method.name());
            if more.is_reached() {
                return Err(format!("{name}, reached after {}", more.iterations));
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(1500))]

    #[test]
    fn poses_are_inside_their_limits(recipe in recipes()) {
        check(recipe, Problem::check_poses)?;
    }

    #[test]
    fn joints_change_by_no_more_than_they_may(recipe in recipes()) {
        check(recipe, Problem::check_changes)?;
    }

    #[test]
    fn reported_misses_are_measured_ones(recipe in recipes()) {
        check(recipe, Problem::check_misses)?;
    }

    #[test]
    fn tolerances_are_those_of_the_bones(recipe in recipes()) {
        check(recipe, Problem::check_tolerance)?;
    }

    #[test]
    fn statuses_are_honest(recipe in recipes()) {
        check(recipe, Problem::check_status)?;
    }

    #[test]
    fn what_blocks_stands_at_its_end_and_matters(recipe in recipes()) {
        check(recipe, Problem::check_holds)?;
    }

    #[test]
    fn levels_give_way_to_those_above(recipe in recipes()) {
        check_levels(recipe).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn no_progress_means_none_to_come(recipe in recipes()) {
        check_ends(recipe).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn moved_targets_stay_inside_limits(recipe in recipes()) {
        check_moved(recipe, Problem::check_poses)?;
    }

    #[test]
    fn moved_targets_are_measured(recipe in recipes()) {
        check_moved(recipe, Problem::check_misses)?;
    }

    #[test]
    fn a_used_workspace_gives_the_same_bits(first in recipes(), second in recipes()) {
        let (before, problem) = (Problem::new(first), Problem::new(second));
        let mut workspace = Workspace::default();
        for used in Method::ALL {
            if before.begin(&mut workspace, used) {
                let _ = workspace.step();
                let _ = before.set_targets(&mut workspace);
                let _ = workspace.step();
            }
            for method in [used, Method::Auto] {
                let again = problem.solve_in(&mut workspace, method);
                prop_assert_eq!(again, problem.solve(method), "{} after {}", method.name(), used.name());
            }
        }
    }

    #[test]
    fn looking_on_the_way_changes_nothing(recipe in recipes()) {
        let problem = Problem::new(recipe);
        for (method, undisturbed) in problem.by_all() {
            let mut workspace = Workspace::default();
            problem.begin(&mut workspace, method);
            while workspace.step() == Progress::Continuing {
                let _ = workspace.solution();
            }
            prop_assert_eq!(workspace.solution(), &undisturbed, "{}", method.name());
        }
    }
}

/// Problems that were found at random where a law was broken by one in thousands.
const FOUND: [Recipe; 14] = [
    // Tasks that are switched off, on joints that follow others.
    Recipe { seed: 4114, n_joints: 16, n_tasks: 2, traits: 1_057_928 },
    Recipe { seed: 5666, n_joints: 2, n_tasks: 3, traits: 1_057_945 },
    Recipe { seed: 6808, n_joints: 13, n_tasks: 2, traits: 1560 },
    Recipe { seed: 7608, n_joints: 17, n_tasks: 3, traits: 9245 },
    // A task that is switched off gets another target.
    Recipe { seed: 4042, n_joints: 2, n_tasks: 2, traits: 37_922 },
    // Joints that block and stand away from their limits.
    Recipe { seed: 841, n_joints: 4, n_tasks: 2, traits: 108_565 },
    Recipe { seed: 7132, n_joints: 4, n_tasks: 4, traits: 9_441_489 },
    Recipe { seed: 7829, n_joints: 2, n_tasks: 2, traits: 1_048_577 },
    // Joints that block and move nothing.
    Recipe { seed: 1112, n_joints: 7, n_tasks: 4, traits: 147_585 },
    Recipe { seed: 2205, n_joints: 4, n_tasks: 3, traits: 4_216_976 },
    Recipe { seed: 5630, n_joints: 2, n_tasks: 3, traits: 1_058_997 },
    // Cones, with and without a largest change.
    Recipe { seed: 10884, n_joints: 4, n_tasks: 2, traits: 16_529 },
    Recipe { seed: 10654, n_joints: 3, n_tasks: 1, traits: 278_929 },
    // A lower level that cost the first one its target.
    Recipe { seed: 20569, n_joints: 3, n_tasks: 2, traits: 2560 },
];

#[test]
fn what_was_found_keeps_all_laws() {
    let laws: [Law; 3] = [Problem::check_poses, Problem::check_misses, Problem::check_holds];
    let mut broken = Vec::new();
    for recipe in FOUND {
        for law in laws {
            broken.extend(check(recipe, law).err().map(|what| format!("{recipe:?}: {what}")));
        }
        for law in [Problem::check_poses as Law, Problem::check_misses] {
            broken.extend(check_moved(recipe, law).err().map(|what| format!("{recipe:?}: {what}")));
        }
        broken.extend(check_levels(recipe).err().map(|what| format!("{recipe:?}: {what}")));
    }
    assert!(broken.is_empty(), "{} broken:\n{}", broken.len(), broken.join("\n"));
}

/// Where a figure stands changes nothing but rounding. Rounding decides on which side of a threshold a hard solve falls, so that a few
/// may differ where the figure is far away.
#[test]
fn moving_the_roots_moves_the_answer() {
    let (mut total, mut differ, mut lengths) = (0_usize, Vec::new(), Vec::new());
    for seed in 0..1000 {
        let rng = &mut Rng::new(seed);
        let n_joints = rng.whole(1, 12);
        let traits = [Trait::Limits, Trait::Slides, Trait::Floats, Trait::Mimics, Trait::Branches];
        let traits: Vec<Trait> = traits.into_iter().filter(|_| rng.whole(0, 1) == 0).collect();
        let recipe = Recipe { seed, n_joints, n_tasks: rng.whole(1, 3), traits: 0 }.with(&traits);
        let recipe = if rng.whole(0, 1) == 0 { recipe } else { recipe.with(&[Trait::AllTasks]) };
        let (near, far) = (Problem::new(recipe), Problem::new(recipe.with(&[Trait::Far])));
        for (method, here) in near.by_all() {
            let there = far.solve(method).expect("it suits");
            let name = format!("{recipe:?} by {}", method.name());
            if (there.tolerance / here.tolerance - 1.0).abs() > 1e-9 {
                lengths.push(format!("{name}: {:e}, {:e}", here.tolerance, there.tolerance));
            }
            // Hard ones are a matter of luck.
            if !here.is_reached() || here.iterations > 20 {
                continue;
            }
            total += 1;
            let poses = [(&near, &here), (&far, &there)]
                .map(|(problem, solution)| problem.skeleton.poses(&solution.configuration));
            let off = poses[0].iter().zip(&poses[1]);
            let off = off.map(|(a, b)| a.translation.distance(b.translation - far.home));
            let off = off.fold(0.0, f64::max);
            if !there.is_reached() || off > 1e-3 * near.size {
                differ.push(format!("{name}: {off} off, {:?}", there.status));
            }
        }
    }
    let some = |list: &[String]| list[..list.len().min(5)].join("\n");
    assert!(lengths.is_empty(), "{} tolerances:\n{}", lengths.len(), some(&lengths));
    assert!(100 * differ.len() <= total, "{} of {total}:\n{}", differ.len(), some(&differ));
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn powers_of_two_change_no_bit(seed in any::<u64>(), exponent in -60..60_i32) {
        let (lengths, start, target) = space_case(seed);
        let by = if exponent < 0 {
            1.0 / (1_u64 << -exponent) as f64
        } else {
            (1_u64 << exponent) as f64
        };
        let run = |by: f64, method| {
            let scaled: Vec<f64> = lengths.iter().map(|l| l * by).collect();
            let (skeleton, tip) = space_limb(&scaled);
            let task: Task = Position::new(tip, target * by).into();
            solve(&skeleton, &start, core::slice::from_ref(&task), method, &Settings::default()).unwrap()
        };
        for method in FREE {
            let (a, b) = (run(1.0, method), run(by, method));
            prop_assert_eq!(&a.configuration, &b.configuration, "{}", method.name());
            prop_assert_eq!(a.iterations, b.iterations, "{}", method.name());
            let points: Vec<f64> = a.points.iter().map(|x| x * by).collect();
            prop_assert_eq!(&points, &b.points, "{}", method.name());
        }
    }

    #[test]
    fn moving_the_world_moves_the_answer(seed in any::<u64>(), angle in -3.0..3.0_f64) {
        let (lengths, start, target) = space_case(seed);
        let rng = &mut Rng::new(seed ^ 77);
        let moved = Pose {
            rotation: rotation_about(rng.direction(), angle),
            translation: rng.direction() * 3.0,
        };
        let run = |world: Pose, method| {
            // The first joint stands where the world has moved to.
            let (plain, tip) = space_limb(&lengths);
            let joints = (0..plain.n_joints()).map(|i| {
                let joint = Joint::ball(plain.name(i));
                match plain.parent(i) {
                    Some(parent) => joint.child_of(parent).at(plain.parent_from_joint(i)),
                    None => joint.at(world),
                }
            });
            let skeleton = Skeleton::try_new(joints.collect()).unwrap();
            let task: Task = Position::new(tip, world.transform_point(target)).into();
            solve(&skeleton, &start, core::slice::from_ref(&task), method, &Settings::default()).unwrap()
        };
        for method in FREE {
            let (a, b) = (run(Pose::IDENTITY, method), run(moved, method));
            prop_assert_eq!(a.iterations, b.iterations, "{}", method.name());
            for (p, q) in a.points.chunks_exact(3).zip(b.points.chunks_exact(3)) {
                let p = moved.transform_point(DVec3::from_slice(p));
                let off = p.distance(DVec3::from_slice(q));
                prop_assert!(off < 1e-9, "{}: {off:e}", method.name());
            }
        }
    }

    #[test]
    fn a_joint_without_length_changes_nothing(seed in any::<u64>(), place in 0..9_usize) {
        let (lengths, start, target) = space_case(seed);
        let place = place.min(lengths.len());
        let (mut more, mut more_start) = (lengths.clone(), start.clone());
        more.insert(place, 0.0);
        // The bone after it keeps its rotation; the extra joint stands straight.
        let at = 4 * (place + 1).min(lengths.len());
        more_start.splice(at..at, [0.0, 0.0, 0.0, 1.0]);
        let run = |lengths: &[f64], start: &[f64], method| {
            let (skeleton, tip) = space_limb(lengths);
            let task: Task = Position::new(tip, target).into();
            solve(&skeleton, start, core::slice::from_ref(&task), method, &Settings::default()).unwrap()
        };
        for method in [Method::Direct, Method::Ccd, Method::Fabrik] {
            let (a, mut b) = (run(&lengths, &start, method), run(&more, &more_start, method));
            prop_assert_eq!(a.iterations, b.iterations, "{}", method.name());
            b.points.drain(3 * place..3 * place + 3);
            for (x, y) in a.points.iter().zip(&b.points) {
                prop_assert!((x - y).abs() < 1e-9, "{}: {x} against {y}", method.name());
            }
        }
    }

    #[test]
    fn finite_input_gives_finite_output(
        numbers in prop::collection::vec(
            prop_oneof![
                -2.0..2.0_f64,
                Just(0.0),
                Just(-0.0),
                prop::num::f64::NORMAL.prop_filter("within the limits of lengths", |x| x.abs() < 1e100),
                prop::num::f64::SUBNORMAL,
            ],
            12,
        ),
        seed in any::<u64>(),
    ) {
        let range = Limit::Range { min: numbers[0].min(numbers[1]), max: numbers[0].max(numbers[1]) };
        let kinds: [fn(String) -> Joint; 4] = [
            |name| Joint::revolute(name, DVec3::Z),
            |name| Joint::revolute(name, DVec3::Y),
            |name| Joint::prismatic(name, DVec3::X),
            Joint::ball,
        ];
        let which = (seed % 4) as usize;
        let make = |name| {
            let joint = kinds[which](name);
            if which < 3 && seed.is_multiple_of(3) { joint.with_limit(range) } else { joint }
        };
        let (skeleton, tip) = limb(&numbers[2..6], make);
        let mut start = skeleton.neutral();
        if which < 3 {
            start.copy_from_slice(&numbers[6..10]);
        }
        let target = DVec3::new(numbers[10], numbers[11], numbers[6]);
        let task = Position::new(tip, target).into();
        for (method, solution) in by_all(&skeleton, &start, &task, &all_settings(seed)) {
            let name = format!("{}: {solution:?}", method.name());
            let q = &solution.configuration;
            prop_assert!(q.iter().chain(&solution.points).all(|x| x.is_finite()), "{name}");
            prop_assert!(!solution.error.is_nan(), "{name}");
            // A range of 1e-300 beside a bone of 1e20 is lost to underflow.
            prop_assert!(skeleton.within_limits(q, 1e-200), "{name}: limits broken");
        }
        let Ok(chain) = Chain::try_new(2, &numbers[..10]) else { return Ok(()) };
        let goals = Goals { effectors: &[4], targets: &numbers[10..] };
        for method in [Method::Auto, Method::Direct, Method::Fabrik, Method::Relaxation] {
            let solution = solve_chain(&chain, goals, method, &all_settings(seed)).unwrap();
            let name = format!("{}: {solution:?}", method.name());
            prop_assert!(solution.points.iter().all(|x| x.is_finite()), "{name}");
            prop_assert!(!solution.error.is_nan(), "{name}");
        }
    }
}
