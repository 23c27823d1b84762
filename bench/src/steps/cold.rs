//! Starts and targets that have nothing to do with each other.

use super::file::Problem;
use super::model::Model;
use crate::random::Random;

/// Random starts, and targets where other random joint values have the effectors, all inside the limits.
pub fn problems(model: &Model, n: usize) -> Vec<Problem> {
    let random = &mut Random::new(crate::SEED);
    let ranges = model.ranges();
    let mut draw = || ranges.iter().map(|&(min, max)| random.between(min, max)).collect();
    (0..n)
        .map(|_| {
            let start = Problem { start: draw(), ..Problem::default() };
            let goal = Problem { start: draw(), ..Problem::default() };
            Problem { targets: vec![model.targets_at(&model.start(&goal))], ..start }
        })
        .collect()
}
