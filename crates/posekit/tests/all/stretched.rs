//! Bones that may stretch reach anything, and every iteration that is asked for counts.

#![allow(clippy::unwrap_used, reason = "a test that cannot set up its problem must stop")]

use crate::support;

use posekit::chain::relaxation::{Reading, Thresholds, relax};
use posekit::chain::{Bones, Chain, Goals};
use posekit::solve::{Method, Relaxation, Settings, Solution, Status, solve_chain};
use support::Rng;

fn random(seed: u64) -> (Chain, Vec<f64>) {
    let rng = &mut Rng::new(seed);
    let lengths: Vec<f64> = (0..rng.whole(2, 6)).map(|_| rng.between(0.2, 1.0)).collect();
    let reach: f64 = lengths.iter().sum();
    let target = rng.direction() * reach * rng.between(0.6, 1.6);
    (Chain::try_straight(3, &lengths).unwrap(), target.to_array().to_vec())
}

fn run(chain: &Chain, target: &[f64], iterations: u32) -> Solution {
    let relaxation = Relaxation::default().with_reading(Reading::Stretched);
    let settings = Settings::default()
        .with_iterations(iterations)
        .with_relaxation(relaxation)
        .with_tolerance(0.0);
    let effectors = [chain.n_points() - 1];
    let goals = Goals { effectors: &effectors, targets: target };
    solve_chain(chain, goals, Method::Relaxation, &settings).unwrap()
}

#[test]
fn what_stretches_is_never_out_of_reach() {
    for seed in 0..100 {
        let (chain, target) = random(seed);
        for iterations in [0, 1, 2, 5, 50] {
            let status = run(&chain, &target, iterations).status;
            let is_proven = matches!(status, Status::Unreachable { .. });
            assert!(!is_proven, "seed {seed} after {iterations}: {status:?}");
        }
    }
}

/// At tolerance 0 every iteration is run, and each is one pass of the published method.
#[test]
fn the_points_are_those_of_the_last_iteration() {
    for seed in 0..100 {
        let (chain, target) = random(seed);
        let n = chain.n_points();
        let (effectors, ones) = ([n - 1], vec![1.0; n]);
        let bones = Bones { parents: chain.parents(), lengths: chain.lengths(), weights: &ones };
        let mut points = chain.points().to_vec();
        for iterations in 1..=5 {
            let goals = Goals { effectors: &effectors, targets: &target };
            relax(3, bones, &mut points, goals, &mut vec![false; n], 1, Thresholds::RELATIVE);
            let solution = run(&chain, &target, iterations);
            let off = solution.points.iter().zip(&points).map(|(a, b)| (a - b).abs());
            let off = off.fold(0.0, f64::max);
            assert!(off < 1e-12, "seed {seed} after {iterations}: {off} off");
        }
    }
}
