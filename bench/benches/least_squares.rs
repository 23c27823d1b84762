//! What does a step of the task solver cost, and a solve? On a seven-hinge arm with a pose, a posture and limits; on a figure of sixty
//! joints with five effectors. `tracking` is without restarts and takes the first pose that is found.

mod common;

use std::time::{Duration, Instant};

use common::{quick, say_solved};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use posekit::glam::DVec3;
use posekit::math::{Pose, rotation_about};
use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
use posekit::solve::Settings;
use posekit_bench::random::Random;
use posekit_bench::steps::cold;
use posekit_bench::steps::figure::{Joints, figure, path};
use posekit_bench::steps::file::{Coordinates, Problem};
use posekit_bench::steps::measure::{Solver, defaults, is_solved, tracking};
use posekit_bench::steps::model::Model;
use posekit_bench::steps::{TOLERANCE, TRACKING_TOLERANCE};

/// Starts and targets; the branch predictor shall not learn them.
const PROBLEMS: usize = 64;

/// Largest distance of each joint of a warm start from a solution \[rad\].
const WARM: f64 = 0.05;

/// Shoulder, elbow and wrist of an arm: seven hinges, a metre and a bit of reach.
fn arm() -> Model {
    let mut builder = Skeleton::builder();
    let quarter = core::f64::consts::FRAC_PI_2;
    // Each hinge about its own z, turned against the one before; the bones along z.
    let hinges = [
        (0.0, 0.33, 2.9),
        (-quarter, 0.0, 1.8),
        (quarter, 0.32, 2.9),
        (quarter, 0.0, 2.0),
        (-quarter, 0.38, 2.9),
        (quarter, 0.0, 2.0),
        (quarter, 0.09, 2.9),
    ];
    let mut last = None;
    for (index, (turn, bone, limit)) in hinges.into_iter().enumerate() {
        let placement = Pose::new(rotation_about(DVec3::X, turn), DVec3::ZERO)
            * Pose::from_translation(DVec3::Z * bone);
        let joint = Joint::revolute(format!("hinge{index}"), DVec3::Z)
            .with_limit(Limit::Range { min: -limit, max: limit })
            .at(placement);
        last = Some(builder.add(match last {
            Some(parent) => joint.child_of(parent),
            None => joint,
        }));
    }
    let tool = Frame::new(hinges.len() - 1, Pose::from_translation(DVec3::Z * 0.2));
    let skeleton = builder.build().expect("an arm");
    Model::new("arm", skeleton, vec![(Coordinates::Pose, tool)], 1e-4)
}

/// Starts around the solutions of other problems.
fn warm(model: &Model) -> Vec<Problem> {
    let random = &mut Random::new(1);
    let mut problems = cold::problems(model, PROBLEMS);
    for problem in &mut problems {
        for value in &mut problem.start {
            *value *= 0.8;
        }
        problem.targets = vec![model.targets_at(&model.start(problem))];
        for value in &mut problem.start {
            *value += random.between(-WARM, WARM);
        }
    }
    problems
}

/// The frames of a path, each from the frame before.
fn follow(group: &mut BenchmarkGroup<'_, WallTime>, model: &Model, path: &Problem) {
    let ready: Vec<_> = path.targets.iter().map(|targets| model.prepare(targets)).collect();
    let ends = [("frame, one step", TRACKING_TOLERANCE, false), ("frame, solved", TOLERANCE, true)];
    for (name, tolerance, is_whole) in ends {
        let mut solver = Solver::new(model, path, &tracking());
        let advance = |solver: &mut Solver<'_>, frame: usize| {
            if is_whole {
                let _ = solver.solve(&ready[frame]).expect("an ordinary problem");
            } else {
                solver.step(&ready[frame]).expect("an ordinary problem");
            }
        };
        let met = (0..ready.len()).filter(|&frame| {
            advance(&mut solver, frame);
            model.worst_error(&path.targets[frame], &solver.q) <= tolerance
        });
        say_solved(name, met.count(), ready.len());
        let mut frame = 0;
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                frame = if frame + 1 == ready.len() { 0 } else { frame + 1 };
                advance(&mut solver, frame);
            });
        });
    }
    // The iteration alone, without what comes before and after, but with reading the clock (some 30 ns).
    let mut solver = Solver::new(model, path, &tracking());
    group.bench_function("iteration", |bencher| {
        bencher.iter_custom(|times| {
            let mut spent = Duration::ZERO;
            for frame in 0..times {
                let ready = &ready[frame as usize % ready.len()];
                solver.begin(ready).expect("an ordinary problem");
                let watch = Instant::now();
                solver.iterate();
                spent += watch.elapsed();
                solver.read();
            }
            spent
        });
    });
}

/// Whole solves of unconnected problems.
fn solve(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    (model, problems): (&Model, &[Problem]),
    settings: &Settings,
) {
    let ready: Vec<_> = problems.iter().map(|p| model.prepare(&p.targets[0])).collect();
    let starts: Vec<_> = problems.iter().map(|p| model.start(p)).collect();
    let mut solvers: Vec<_> = problems.iter().map(|p| Solver::new(model, p, settings)).collect();
    let mut solved = 0;
    for ((solver, ready), problem) in solvers.iter_mut().zip(&ready).zip(problems) {
        solver.solve(ready).expect("an ordinary problem");
        solved += usize::from(is_solved(model, &problem.targets[0], &solver.q));
    }
    say_solved(name, solved, problems.len());
    let mut index = 0;
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            index = if index + 1 == problems.len() { 0 } else { index + 1 };
            let solver = &mut solvers[index];
            solver.q.copy_from_slice(&starts[index]);
            solver.solve(&ready[index])
        });
    });
}

fn least_squares(criterion: &mut Criterion) {
    let arm = arm();
    let (near, far) = (warm(&arm), cold::problems(&arm, PROBLEMS));
    let mut group = criterion.benchmark_group("least_squares/arm");
    follow(&mut group, &arm, &path(&arm));
    for (name, settings) in [("tracking", tracking()), ("defaults", defaults())] {
        solve(&mut group, &format!("warm, {name}"), (&arm, &near), &settings);
        solve(&mut group, &format!("cold, {name}"), (&arm, &far), &settings);
    }
    drop(group);
    for joints in [Joints::Hinges, Joints::Balls] {
        let (model, path) = figure(joints);
        let mut group = criterion.benchmark_group(format!("least_squares/{}", model.name));
        follow(&mut group, &model, &path);
    }
}

criterion_group! { name = benches; config = quick(); targets = least_squares }
criterion_main!(benches);
