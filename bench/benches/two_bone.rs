//! What does a two-bone limb cost, with joint rotations out: with a pole and without, exact and soft?

mod common;

use common::{in_turn, quick};
use criterion::{Criterion, criterion_group, criterion_main};
use posekit::limb::SoftReach;
use posekit_bench::TOLERANCE;
use posekit_bench::posekit_adapter::{LimbBatch, Variant};
use posekit_bench::problems::chains_of;

/// So many that the branch predictor cannot learn them.
const LIMBS: usize = 512;

fn two_bone(criterion: &mut Criterion) {
    // The targets lie within 95 % of the reach; a zone of 4 % leaves them where they are, and so the
    // judge's tolerance holds for the soft limbs too.
    let soft = SoftReach::Finite { ratio: 0.04 };
    let variants = [
        ("exact, no pole", Variant { pole: false, soft: SoftReach::None }),
        ("exact, pole", Variant { pole: true, soft: SoftReach::None }),
        ("soft, no pole", Variant { pole: false, soft }),
        ("soft, pole", Variant { pole: true, soft }),
    ];
    let mut group = criterion.benchmark_group("two_bone");
    for (name, variant) in variants {
        let mut problems = chains_of("two-bone", LIMBS);
        if !variant.pole {
            // Nor may the judge ask for it.
            problems.iter_mut().for_each(|problem| problem.pole = None);
        }
        in_turn(&mut group, name, &mut LimbBatch::new(&problems, variant), TOLERANCE, LIMBS);
    }
}

criterion_group! { name = benches; config = quick(); targets = two_bone }
criterion_main!(benches);
