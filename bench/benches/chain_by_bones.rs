//! How does the time per solve grow with the number of bones, method by method, on points and on joints?

mod common;

use common::{in_turn, quick};
use criterion::{Criterion, criterion_group, criterion_main};
use posekit_bench::TOLERANCE;
use posekit_bench::posekit_adapter::{ChainBatch, JointBatch, ON_JOINTS, ON_POINTS};
use posekit_bench::problems::chains_of;

const CHAINS: usize = 256;

fn chain_by_bones(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("chain_by_bones");
    for bones in [2, 5, 10, 20, 50, 100] {
        let problems = chains_of(&format!("random-{bones}"), CHAINS);
        for (method, name) in ON_POINTS {
            let mut batch = ChainBatch::new(&problems, 3, method, TOLERANCE);
            in_turn(&mut group, &format!("{name}/{bones}"), &mut batch, TOLERANCE, CHAINS);
        }
        for (method, name) in ON_JOINTS {
            let mut batch = JointBatch::new(&problems, 3, method, TOLERANCE);
            in_turn(&mut group, &format!("{name}/{bones}"), &mut batch, TOLERANCE, CHAINS);
        }
    }
}

criterion_group! { name = benches; config = quick(); targets = chain_by_bones }
criterion_main!(benches);
