//! A tree with two effectors: both hands of a torso reach for their targets at once, by FABRIK with the chest as sub-base
//! and by cyclic coordinate descent.
//!
//! `cargo run --release --example two_hands`
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::{Frame, Joint, Skeleton};
use posekit::solve::{Method, Settings, solve};
use posekit::task::{Position, Task};

fn main() -> posekit::Result<()> {
    let at = |x: f64, y: f64| Pose::from_translation(DVec3::new(x, y, 0.0));
    let mut builder = Skeleton::builder();
    let spine = builder.add(Joint::ball("spine"));
    let chest = builder.add(Joint::ball("chest").child_of(spine).at(at(0.0, 0.3)));
    let mut hands = Vec::new();
    for (side, x) in [("left", 1.0), ("right", -1.0)] {
        let upper = Joint::ball(format!("{side} arm")).child_of(chest).at(at(0.2 * x, 0.2));
        let upper = builder.add(upper);
        let lower = Joint::ball(format!("{side} forearm")).child_of(upper).at(at(0.3 * x, 0.0));
        let joint = builder.add(lower);
        hands.push(Frame { joint, joint_from_frame: at(0.25 * x, 0.0) });
    }
    let torso = builder.build()?;

    let tasks: [Task; 2] = [
        Position::new(hands[0], DVec3::new(0.35, 0.75, 0.3)).into(),
        Position::new(hands[1], DVec3::new(-0.1, 0.35, 0.45)).into(),
    ];
    for method in [Method::Fabrik, Method::Ccd] {
        let solution = solve(&torso, &torso.neutral(), &tasks, method, &Settings::default())?;
        println!(
            "{:6} {} after {} iterations, {:.1e} off",
            method.name(),
            solution.status.word(),
            solution.iterations,
            solution.error,
        );
    }
    Ok(())
}
