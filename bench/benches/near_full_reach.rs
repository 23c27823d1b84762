//! What does it cost to reach far, and exactly: ten bones, the target ever nearer to full reach, at the
//! comparison's tolerance and at one ten thousand times finer?

mod common;

use common::{in_turn, quick};
use criterion::{Criterion, criterion_group, criterion_main};
use posekit_bench::posekit_adapter::{ChainBatch, JointBatch, ON_JOINTS, ON_POINTS};
use posekit_bench::problems::chains_at;

const CHAINS: usize = 256;

/// Fractions of the reach between which the targets lie.
const RINGS: [(f64, f64); 4] = [(0.5, 0.9), (0.9, 0.99), (0.99, 0.999), (0.999, 0.9999)];

fn near_full_reach(criterion: &mut Criterion) {
    for tolerance in [1e-4, 1e-8] {
        let mut group = criterion.benchmark_group(format!("near_full_reach at {tolerance:e}"));
        for (low, high) in RINGS {
            let problems = chains_at(10, low, high, CHAINS);
            for (method, name) in ON_POINTS {
                let mut batch = ChainBatch::new(&problems, 3, method, tolerance);
                in_turn(&mut group, &format!("{name}/{high}"), &mut batch, tolerance, CHAINS);
            }
            let [.., (method, name)] = ON_JOINTS;
            let mut batch = JointBatch::new(&problems, 3, method, tolerance);
            in_turn(&mut group, &format!("{name}/{high}"), &mut batch, tolerance, CHAINS);
        }
    }
}

criterion_group! { name = benches; config = quick(); targets = near_full_reach }
criterion_main!(benches);
