//! One method, any dimension: the same rope of ten bones in 2, 3 and 7 dimensions, by relaxation with weights.
//!
//! `cargo run --release --example dimensions`
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use posekit::chain::{Chain, Goals};
use posekit::solve::{Method, Settings, solve_chain};

fn main() -> posekit::Result<()> {
    for dimension in [2, 3, 7] {
        let bones = [1.0; 10];
        // Points near the root are heavy, so the rope bends near its tip.
        let weights: Vec<f64> = (0..=10).map(|i| 0.1 + 0.1 * f64::from(i)).collect();
        let rope = Chain::try_straight(dimension, &bones)?.with_weights(&weights)?;
        let mut target = vec![0.0; dimension];
        target[0] = 5.0;
        target[dimension - 1] = 4.0;
        let goals = Goals { effectors: &[10], targets: &target };
        let solution = solve_chain(&rope, goals, Method::Relaxation, &Settings::default())?;
        println!(
            "{dimension} dimensions: {} after {} iterations, {:.1e} off",
            solution.status.word(),
            solution.iterations,
            solution.error,
        );
    }
    Ok(())
}
