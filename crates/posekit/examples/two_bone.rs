//! A leg whose foot follows a step: hip and knee turn, the knee points forward, and the verdict says what is in reach.
//!
//! Run with `cargo run --example two_bone`.
#![allow(clippy::print_stdout, reason = "an example speaks to its reader")]

use posekit::glam::{DQuat, DVec3};
use posekit::limb::{Pole, TwoBone};

fn main() -> posekit::Result<()> {
    // Positions in model space: y up, the character faces +z. The pose is a leg that stands, slightly bent.
    let (hip, knee, ankle) =
        (DVec3::new(0.1, 0.9, 0.0), DVec3::new(0.1, 0.5, 0.03), DVec3::new(0.1, 0.1, 0.0));
    // Rotations of the joints in model space, as the animation left them.
    let (model_from_pelvis, model_from_hip, model_from_knee) =
        (DQuat::IDENTITY, DQuat::IDENTITY, DQuat::IDENTITY);

    println!("{:>22}  {:>8}  {:>22}  verdict", "foot asked for", "missing", "knee");
    for target in
        [DVec3::new(0.1, 0.3, 0.25), DVec3::new(0.1, 0.12, 0.05), DVec3::new(0.2, 0.0, 0.5), hip]
    {
        let leg =
            TwoBone { pole: Pole::Direction(DVec3::Z), ..TwoBone::new(hip, knee, ankle, target) };
        let solution = leg.solve()?;
        println!(
            "{:>22}  {:>8.4}  {:>22}  {:?}",
            format!("{target:.2}"),
            solution.error,
            format!("{:.2}", solution.mid),
            solution.reach
        );
        // What a skeleton stores: rotations relative to the parents. The hip's parent is the pelvis, the knee's the hip.
        let pelvis_from_hip = solution.parent_from_start(model_from_pelvis, model_from_hip);
        let hip_from_knee = solution.parent_from_mid(model_from_hip, model_from_knee);
        let model_from_hip_new = model_from_pelvis * pelvis_from_hip;
        let model_from_knee_new = model_from_hip_new * hip_from_knee;
        let foot = hip + model_from_hip_new * (knee - hip) + model_from_knee_new * (ankle - knee);
        assert!((foot - solution.end).length() < 1e-12, "the rotations put the foot elsewhere");
    }
    Ok(())
}
