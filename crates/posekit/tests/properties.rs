//! What holds for any problem: errors are true, limits hold, nothing is infinite, units and places do not matter, and a used
//! workspace is as good as a new one.

mod support;

use posekit::Error;
use posekit::chain::{Chain, Goals};
use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, rotation_about};
use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
use posekit::solve::{Method, Settings, Solution, Workspace, solve, solve_chain};
use posekit::task::{Orientation, Position, Task, TaskKind};
use proptest::prelude::*;
use support::{Rng, limb, space_limb};

/// Limits hold rotations to rounding and values to the bit.
const ROUNDING: f64 = 2e-12;

/// A random tree of all kinds of joints, limited or not, with a start and tasks that may be out of reach or in conflict.
struct Problem {
    skeleton: Skeleton,
    start: Vec<f64>,
    tasks: Vec<Task>,
    size: f64,
}

fn range(rng: &mut Rng) -> Limit {
    match rng.whole(0, 3) {
        0 => Limit::None,
        1 => {
            let only = rng.between(-1.0, 1.0);
            Limit::Range { min: only, max: only }
        }
        2 => Limit::Range { min: rng.between(-9.0, 0.0), max: f64::INFINITY },
        _ => {
            let min = rng.between(-2.0, 1.0);
            Limit::Range { min, max: min + rng.between(0.0, 3.0) }
        }
    }
}

fn cone(rng: &mut Rng) -> Limit {
    let (min, swing) = (rng.between(-2.0, 1.0), rng.between(0.0, 3.0));
    let twist = [min, min + rng.between(0.0, 3.0)];
    Limit::Cone { axis: rng.direction(), swing, twist }
}

fn joint(rng: &mut Rng, name: String) -> Joint {
    match rng.whole(0, 9) {
        0 => Joint::fixed(name),
        1..=4 => Joint::revolute(name, rng.direction()).with_limit(range(rng)),
        5 => Joint::prismatic(name, rng.direction()).with_limit(range(rng)),
        6 => Joint::ball(name),
        7..=8 => Joint::ball(name).with_limit(cone(rng)),
        _ => Joint::free(name),
    }
}

/// A place: often zero, often in line, so that degenerate shapes come up.
fn place(rng: &mut Rng) -> Pose {
    let translation = match rng.whole(0, 4) {
        0 => DVec3::ZERO,
        1 => DVec3::X,
        _ => rng.direction() * rng.between(0.1, 1.5),
    };
    let rotation = if rng.whole(0, 2) == 0 { DQuat::IDENTITY } else { rng.rotation() };
    Pose { rotation, translation }
}

impl Problem {
    fn random(seed: u64) -> Self {
        let rng = &mut Rng::new(seed);
        let n = rng.whole(1, 9);
        let mut builder = Skeleton::builder();
        let mut size = 1.0;
        for i in 0..n {
            let place = place(rng);
            size += place.translation.length();
            let made = joint(rng, format!("j{i}")).at(place);
            // Mostly a chain, sometimes a branch, sometimes another root.
            builder.add(match rng.whole(0, 5) {
                0 if i > 0 => made.child_of(rng.whole(0, i - 1)),
                1 => made,
                _ if i > 0 => made.child_of(i - 1),
                _ => made,
            });
        }
        let skeleton = builder.build().expect("the joints are valid");
        let mut start = skeleton.neutral();
        let v: Vec<f64> = (0..skeleton.n_dofs()).map(|_| rng.between(-2.0, 2.0)).collect();
        skeleton.integrate(&skeleton.neutral(), &v, &mut start);
        let mut tasks = Vec::new();
        for _ in 0..rng.whole(1, 3) {
            let frame = Frame::new(rng.whole(0, n - 1), place(rng));
            let weight = [0.0, 0.3, 1.0, 1.0, 7.0][rng.whole(0, 4)];
            if rng.whole(0, 3) == 0 {
                let turn = rng.rotation();
                tasks.push(Task::new(Orientation::new(frame, turn)).weighing(weight));
            } else {
                let far = [0.0, 0.5, 2.0, 20.0][rng.whole(0, 3)];
                let target = rng.direction() * far;
                tasks.push(Task::new(Position::new(frame, target)).weighing(weight));
            }
        }
        Self { skeleton, start, tasks, size: size + 20.0 }
    }

    fn by_all(&self, settings: &Settings) -> Vec<(Method, Solution)> {
        let run = |method| match solve(&self.skeleton, &self.start, &self.tasks, method, settings) {
            Ok(solution) => Some((method, solution)),
            Err(Error::Unsuited { .. }) => None,
            Err(error) => panic!("{}: {error}", method.name()),
        };
        Method::ALL.into_iter().filter_map(run).collect()
    }

    /// The largest misses in position and orientation.
    fn misses(&self, q: &[f64]) -> [f64; 2] {
        let poses = self.skeleton.poses(q);
        let mut worst = [0.0_f64; 2];
        // A task of weight 0 is switched off.
        for task in self.tasks.iter().filter(|task| task.weight > 0.0) {
            match task.kind {
                TaskKind::Position(task) => {
                    let miss = task.residual(task.frame.world(&poses));
                    worst[0] = worst[0].max(miss.length());
                }
                TaskKind::Orientation(task) => {
                    let miss = task.residual(task.frame.world(&poses));
                    worst[1] = worst[1].max(miss.length());
                }
                _ => {}
            }
        }
        worst
    }
}

fn holds(skeleton: &Skeleton, q: &[f64], slack: f64) -> bool {
    (0..skeleton.n_joints()).all(|i| {
        let values = &q[skeleton.value_range(i)];
        match skeleton.limit(i) {
            limit @ Limit::Cone { .. } => {
                limit.contains_rotation(DQuat::from_slice(values), ROUNDING)
            }
            limit @ Limit::Range { .. } => limit.contains_value(values[0], slack),
            Limit::None => true,
        }
    })
}

fn all_settings(seed: u64) -> Settings {
    Settings {
        classic: seed.is_multiple_of(5),
        tolerance: [None, Some(1e-3), Some(0.0)][(seed % 3) as usize],
        iterations: [0, 3, 60, 200][(seed / 3 % 4) as usize],
        ..Settings::default()
    }
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

proptest! {
    #[test]
    fn errors_are_true_and_limits_hold(seed in any::<u64>()) {
        let problem = Problem::random(seed);
        for (method, solution) in problem.by_all(&all_settings(seed)) {
            let name = format!("seed {seed} by {}", method.name());
            let q = &solution.configuration;
            prop_assert!(q.iter().chain(&solution.points).all(|x| x.is_finite()), "{name}: finite");
            prop_assert!(problem.skeleton.check(q).is_ok(), "{name}: a valid configuration");
            prop_assert!(holds(&problem.skeleton, q, 0.0), "{name}: limits broken");
            let [distance, angle] = problem.misses(q);
            let off = (solution.error - distance).abs();
            prop_assert!(off <= 1e-12 * problem.size, "{name}: {} for {distance} {:?} {:?}", solution.error, problem.tasks, solution);
            let off = (solution.orientation_error - angle).abs();
            prop_assert!(off <= 1e-7, "{name}: {} for {angle}", solution.orientation_error);
        }
    }

    #[test]
    fn a_used_workspace_gives_the_same_bits(first in any::<u64>(), second in any::<u64>()) {
        let (before, problem) = (Problem::random(first), Problem::random(second));
        let mut workspace = Workspace::default();
        for (used, _) in before.by_all(&Settings { iterations: 0, ..Settings::default() }) {
            for (method, fresh) in problem.by_all(&all_settings(second)) {
                let settings = all_settings(first);
                workspace.begin(&before.skeleton, &before.start, &before.tasks, used, &settings).unwrap();
                let _ = workspace.step();
                let _ = workspace.step();
                let settings = all_settings(second);
                workspace.begin(&problem.skeleton, &problem.start, &problem.tasks, method, &settings).unwrap();
                let again = workspace.run();
                prop_assert_eq!(again, &fresh, "{} after {}", method.name(), used.name());
            }
        }
    }

    #[test]
    fn looking_on_the_way_changes_nothing(seed in any::<u64>()) {
        let problem = Problem::random(seed);
        let settings = all_settings(seed);
        for (method, undisturbed) in problem.by_all(&settings) {
            let mut workspace = Workspace::default();
            workspace.begin(&problem.skeleton, &problem.start, &problem.tasks, method, &settings).unwrap();
            while workspace.step() == posekit::solve::Progress::Continuing {
                let _ = workspace.solution();
            }
            prop_assert_eq!(workspace.solution(), &undisturbed, "{}", method.name());
        }
    }

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
        let problem = Problem {
            skeleton,
            start,
            tasks: vec![Position::new(tip, target).into()],
            size: 1.0,
        };
        for (method, solution) in problem.by_all(&all_settings(seed)) {
            let name = format!("{}: {solution:?}", method.name());
            let q = &solution.configuration;
            prop_assert!(q.iter().chain(&solution.points).all(|x| x.is_finite()), "{name}");
            prop_assert!(!solution.error.is_nan(), "{name}");
            // A range of 1e-300 beside a bone of 1e20 is lost to underflow.
            prop_assert!(holds(&problem.skeleton, q, 1e-200), "{name}: limits broken");
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
