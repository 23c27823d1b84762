//! What does forward kinematics cost per joint, from joint values to world poses? A chain, hinges (which
//! need a sine and a cosine each) and balls (which do not).

mod common;

use std::hint::black_box;
use std::time::Instant;

use common::quick;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, rotation_about};
use posekit::skeleton::{Joint, Skeleton};
use posekit_bench::random::Random;

/// Configurations; the branch predictor shall not learn them.
const POSES: usize = 64;

/// A chain of `n` unit bones.
fn chain(n: usize, joint: impl Fn(String) -> Joint) -> Skeleton {
    let mut builder = Skeleton::builder();
    for i in 0..n {
        // Turned in its parent, as most joints of robots and characters are.
        let placement = Pose::new(rotation_about(DVec3::X, 0.5), DVec3::X);
        let joint = joint(format!("joint{i}")).at(placement);
        builder.add(match i.checked_sub(1) {
            Some(parent) => joint.child_of(parent),
            None => joint,
        });
    }
    builder.build().expect("a chain")
}

fn measure(criterion: &mut Criterion, name: &str, n: usize, skeleton: &Skeleton, q: &[Vec<f64>]) {
    let mut world_from_joint = vec![Pose::IDENTITY; n];
    let mut group = criterion.benchmark_group("forward_kinematics per joint");
    group.bench_function(BenchmarkId::new(name, n), |bencher| {
        bencher.iter_custom(|joints| {
            let rounds = joints.div_ceil(n as u64);
            let start = Instant::now();
            for round in 0..rounds {
                skeleton.forward_kinematics(&q[round as usize % POSES], &mut world_from_joint);
                black_box(&world_from_joint);
            }
            start.elapsed().mul_f64(joints as f64 / (rounds * n as u64) as f64)
        });
    });
}

fn forward_kinematics(criterion: &mut Criterion) {
    let random = &mut Random::new(1);
    for n in [7, 30, 100] {
        let mut angle = || random.between(-3.0, 3.0);
        let hinges: Vec<Vec<f64>> = (0..POSES).map(|_| (0..n).map(|_| angle()).collect()).collect();
        let skeleton = chain(n, |name| Joint::revolute(name, DVec3::Z));
        measure(criterion, "hinges", n, &skeleton, &hinges);
        let mut turn = || -> DQuat { rotation_about(random.direction(), 1.0) };
        let balls: Vec<Vec<f64>> =
            (0..POSES).map(|_| (0..n).flat_map(|_| turn().to_array()).collect()).collect();
        let skeleton = chain(n, Joint::ball);
        measure(criterion, "balls", n, &skeleton, &balls);
    }
}

criterion_group! { name = benches; config = quick(); targets = forward_kinematics }
criterion_main!(benches);
