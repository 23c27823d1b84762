//! What does cyclic coordinate descent cost per hinge and iteration? Reported is just that: the time per
//! iteration divided by the number of hinges, nothing subtracted.
//!
//! `steps` is iterations alone: a few from each of many random starts, before any arrives, stalls or is
//! accelerated, so that both modes measure their ordinary iteration. `begin` is what comes before the
//! first iteration and `solution` what comes after the last, per hinge.

mod common;

use std::time::{Duration, Instant};

use common::quick;
use criterion::{Criterion, criterion_group, criterion_main};
use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
use posekit::solve::{Method, Progress, Settings, Workspace};
use posekit::task::{Position, Task};
use posekit_bench::random::Random;

/// Iterations measured from each start.
const STEPS: u32 = 4;

/// Starts and targets; the branch predictor shall not learn them.
const PROBLEMS: usize = 64;

struct Problems {
    skeleton: Skeleton,
    settings: Settings,
    starts: Vec<Vec<f64>>,
    tasks: Vec<[Task; 1]>,
    workspace: Workspace,
}

impl Problems {
    fn new(n: usize, axes: &[DVec3], limited: bool, classic: bool) -> Self {
        let skeleton = hinges(n, axes, limited);
        let frame = Frame::new(n - 1, Pose::from_translation(DVec3::X));
        let random = &mut Random::new(1);
        let mut posture = || -> Vec<f64> { (0..n).map(|_| random.between(-1.0, 1.0)).collect() };
        let starts = (0..PROBLEMS).map(|_| posture()).collect();
        let tasks = (0..PROBLEMS)
            .map(|_| {
                let target = frame.world(&skeleton.poses(&posture())).translation;
                [Position::new(frame, target).into()]
            })
            .collect();
        let settings = Settings::default().with_tolerance(0.0).with_classic(classic);
        Self { skeleton, settings, starts, tasks, workspace: Workspace::default() }
    }

    fn begin(&mut self, problem: usize) {
        let (start, tasks) = (&self.starts[problem], &self.tasks[problem]);
        self.workspace
            .begin(&self.skeleton, start, tasks, Method::Ccd, &self.settings)
            .expect("an ordinary problem");
    }

    /// The time that `iterations` times the timed part takes per hinge.
    fn measure(&mut self, part: Part, iterations: u64) -> Duration {
        let per_problem = if part == Part::Steps { u64::from(STEPS) } else { 1 };
        let per_problem = per_problem * self.starts[0].len() as u64;
        let rounds = iterations.div_ceil(per_problem);
        let mut spent = Duration::ZERO;
        for round in 0..rounds {
            let before = Instant::now();
            self.begin(round as usize % PROBLEMS);
            let begun = Instant::now();
            for _ in 0..STEPS {
                assert!(self.workspace.step() == Progress::Continuing, "over before its time");
            }
            let stepped = Instant::now();
            assert!(self.workspace.solution().iterations == STEPS, "an iteration was not ordinary");
            spent += match part {
                Part::Begin => begun - before,
                Part::Steps => stepped - begun,
                Part::Solution => stepped.elapsed(),
            };
        }
        spent.mul_f64(iterations as f64 / (rounds * per_problem) as f64)
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Part {
    Begin,
    Steps,
    Solution,
}

/// Unit bones along +x; the axes repeat.
fn hinges(n: usize, axes: &[DVec3], limited: bool) -> Skeleton {
    let mut builder = Skeleton::builder();
    for i in 0..n {
        let mut joint = Joint::revolute(format!("hinge{i}"), axes[i % axes.len()]);
        if limited {
            joint = joint.with_limit(Limit::Range { min: -1.2, max: 1.2 });
        }
        builder.add(match i.checked_sub(1) {
            Some(parent) => joint.child_of(parent).at(Pose::from_translation(DVec3::X)),
            None => joint,
        });
    }
    builder.build().expect("a chain of hinges")
}

fn ccd_per_hinge(criterion: &mut Criterion) {
    let space = [DVec3::Z, DVec3::Y, DVec3::X];
    for (layout, axes) in [("plane", &space[..1]), ("space", &space[..])] {
        for (limits, limited) in [("free", false), ("limited", true)] {
            let group = format!("ccd_per_hinge/{layout}/{limits}");
            let mut group = criterion.benchmark_group(group);
            for n in [10, 30, 100] {
                for (mode, classic) in [("default", false), ("classic", true)] {
                    let mut problems = Problems::new(n, axes, limited, classic);
                    group.bench_function(format!("steps, {mode}/{n}"), |bencher| {
                        bencher.iter_custom(|times| problems.measure(Part::Steps, times));
                    });
                }
                let mut problems = Problems::new(n, axes, limited, false);
                for (name, part) in [("begin", Part::Begin), ("solution", Part::Solution)] {
                    group.bench_function(format!("{name}/{n}"), |bencher| {
                        bencher.iter_custom(|times| problems.measure(part, times));
                    });
                }
            }
        }
    }
}

criterion_group! { name = benches; config = quick(); targets = ccd_per_hinge }
criterion_main!(benches);
