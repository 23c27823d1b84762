//! A leg on a skeleton: the foot follows a step, the knee points forward, and the verdict says what is in reach.
//!
//! Run with `cargo run --example two_bone`.
#![allow(clippy::print_stdout, reason = "an example speaks to its reader")]

use posekit::glam::{DQuat, DVec3};
use posekit::limb::{Pole, TwoBone};
use posekit::math::{Pose, rotation_about};
use posekit::skeleton::{Joint, Skeleton};

fn main() -> posekit::Result<()> {
    // y up, the character faces +z. As in most files, placements carry rotations: this thigh points along its own +y.
    let upside_down = rotation_about(DVec3::X, core::f64::consts::PI);
    let at = |rotation: DQuat, y: f64| Pose::new(rotation, DVec3::new(0.0, y, 0.0));
    let skeleton = Skeleton::try_new(vec![
        Joint::free("pelvis"),
        Joint::ball("hip").child_of(0).at(at(upside_down, 0.9)),
        Joint::ball("knee").child_of(1).at(at(DQuat::IDENTITY, 0.4)),
        Joint::ball("ankle").child_of(2).at(at(DQuat::IDENTITY, 0.4)),
    ])?;
    let leg = [1, 2, 3];

    println!("{:>22}  {:>22}  {:>8}  verdict", "foot asked for", "foot", "missing");
    for target in [
        DVec3::new(0.1, 0.3, 0.25),
        DVec3::new(0.1, 0.12, 0.05),
        DVec3::new(0.2, 0.0, 0.5),
        DVec3::new(0.0, 0.9, 0.0),
    ] {
        let mut q = skeleton.neutral();
        let limb = TwoBone::on_skeleton(&skeleton, &q, leg, target)?;
        let solution = limb.with_pole(Pole::Direction(DVec3::Z)).solve()?;
        solution.apply(&skeleton, &mut q, leg)?;
        let foot = skeleton.world_pose(&q, 3)?.translation;
        println!(
            "{:>22}  {:>22}  {:>8.4}  {:?}",
            format!("{target:.2}"),
            format!("{foot:.2}"),
            foot.distance(target),
            solution.reach
        );
    }
    Ok(())
}
