//! How much more than an ordinary problem does a lock-up cost: straight with the target on the line, or
//! behind, for free chains and for hinges with limits?

mod common;

use std::hint::black_box;

use common::{in_turn, quick, say_solved};
use criterion::{Criterion, criterion_group, criterion_main};
use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
use posekit::solve::{Method, Settings, Workspace};
use posekit::task::Position;
use posekit_bench::TOLERANCE;
use posekit_bench::posekit_adapter::{ChainBatch, JointBatch, ON_JOINTS, ON_POINTS};
use posekit_bench::problems::chains_of;
use posekit_bench::random::Random;

const PROBLEMS: usize = 256;

/// The first is the ordinary one.
const CASES: [&str; 4] = ["random-10", "line-10", "behind-10", "line-any-10"];

fn free_chains(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("lockup");
    for case in CASES {
        let problems = chains_of(case, PROBLEMS);
        for (method, name) in ON_POINTS {
            let mut batch = ChainBatch::new(&problems, 3, method, TOLERANCE);
            in_turn(&mut group, &format!("{name}/{case}"), &mut batch, TOLERANCE, PROBLEMS);
        }
        for (method, name) in ON_JOINTS {
            let mut batch = JointBatch::new(&problems, 3, method, TOLERANCE);
            in_turn(&mut group, &format!("{name}/{case}"), &mut batch, TOLERANCE, PROBLEMS);
        }
    }
}

/// Ten hinges of unit bones in the plane or with axes that alternate, each within 2 rad of straight.
fn limited_hinges(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("lockup with limits");
    let layouts = [("plane", [DVec3::Z, DVec3::Z]), ("space", [DVec3::Z, DVec3::Y])];
    for (layout, axes) in layouts {
        let skeleton = hinges(axes);
        let frame = Frame::new(9, Pose::from_translation(DVec3::X));
        let random = &mut Random::new(1);
        let posture = |random: &mut Random, width: f64| -> Vec<f64> {
            (0..10).map(|_| random.between(-width, width)).collect()
        };
        let tip = |values: &[f64]| frame.world(&skeleton.poses(values)).translation;
        let ordinary: Vec<(Vec<f64>, DVec3)> =
            (0..PROBLEMS).map(|_| (posture(random, 1.0), tip(&posture(random, 1.0)))).collect();
        let on_the_line: Vec<(Vec<f64>, DVec3)> =
            (0..PROBLEMS).map(|_| (vec![0.0; 10], DVec3::X * random.between(2.0, 9.5))).collect();
        for (name, problems) in [("ordinary", ordinary), ("on the line", on_the_line)] {
            let settings = Settings::default().with_tolerance(TOLERANCE * 10.0);
            let mut workspace = Workspace::default();
            let mut solve = |(start, target): &(Vec<f64>, DVec3)| {
                let tasks = [Position::new(frame, *target).into()];
                let begun = workspace.begin(&skeleton, start, &tasks, Method::Ccd, &settings);
                begun.expect("an ordinary problem");
                let values = &workspace.run().configuration;
                tip(values).distance(*target) <= 1.01 * TOLERANCE * 10.0
            };
            let name = format!("{layout}/{name}");
            let solved = problems.iter().filter(|&problem| solve(problem)).count();
            say_solved(&name, solved, PROBLEMS);
            let mut index = 0;
            group.bench_function(name, |bencher| {
                bencher.iter(|| {
                    index = (index + 1) % PROBLEMS;
                    black_box(solve(&problems[index]))
                });
            });
        }
    }
}

fn hinges(axes: [DVec3; 2]) -> Skeleton {
    let mut builder = Skeleton::builder();
    for i in 0..10 {
        let joint = Joint::revolute(format!("hinge{i}"), axes[i % 2])
            .with_limit(Limit::Range { min: -2.0, max: 2.0 });
        builder.add(match i.checked_sub(1) {
            Some(parent) => joint.child_of(parent).at(Pose::from_translation(DVec3::X)),
            None => joint,
        });
    }
    builder.build().expect("a chain of hinges")
}

criterion_group! { name = benches; config = quick(); targets = free_chains, limited_hinges }
criterion_main!(benches);
