//! What the questions share.

use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion};
use posekit_bench::entrant::Entrant;

/// Short measurements: a question is answered within a minute, to a few per cent.
pub(crate) fn quick() -> Criterion {
    Criterion::default()
        .without_plots()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(600))
}

/// Measures the time per solve over the problems of a batch in turn. Says first how many are solved, by
/// the judge's word and with the tip within `tolerance` \[parts of the reach\].
#[allow(dead_code, reason = "not every question has a batch")]
pub(crate) fn in_turn(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    batch: &mut dyn Entrant,
    tolerance: f64,
    n_problems: usize,
) {
    batch.reset();
    let solved = (0..n_problems).filter(|&index| {
        batch.solve(index);
        let verdict = batch.verdict(index);
        verdict.solved && verdict.error <= 1.01 * tolerance
    });
    say_solved(name, solved.count(), n_problems);
    let mut index = 0;
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            // A division would cost as much as a tenth of a limb.
            index = if index + 1 == n_problems { 0 } else { index + 1 };
            batch.solve(index)
        });
    });
}

/// A time without its success says little.
#[allow(dead_code, reason = "not every question has a batch")]
pub(crate) fn say_solved(name: &str, solved: usize, n_problems: usize) {
    println!("{name}: {solved} of {n_problems} solved");
}
