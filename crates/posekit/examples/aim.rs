//! A head that follows a point with its eyes: the line of sight starts beside the joint, and the crown stays up.
//!
//! Run with `cargo run --example aim`.
#![allow(clippy::print_stdout, reason = "an example speaks to its reader")]

use posekit::glam::DVec3;
use posekit::limb::Aim;
use posekit::math::Pose;

fn main() -> posekit::Result<()> {
    let head = Pose::from_translation(DVec3::new(0.0, 1.6, 0.0));
    let eyes = DVec3::new(0.0, 0.08, 0.1);
    println!("{:>22}  {:>22}  {:>22}  missed by", "target", "line of sight", "crown");
    for target in [
        DVec3::new(0.0, 1.68, 3.0),
        DVec3::new(2.0, 0.5, 1.0),
        DVec3::new(0.0, 1.6, -2.0),
        DVec3::new(0.0, 4.0, 0.0),
        DVec3::new(0.0, 1.65, 0.05),
    ] {
        let aim = Aim::new(head, target).with_offset(eyes).with_pole(DVec3::Y);
        let solution = aim.solve()?;
        println!(
            "{:>22}  {:>22}  {:>22}  {:.3} ({:?}{})",
            format!("{target:.2}"),
            format!("{:.2}", solution.correction * DVec3::Z),
            format!("{:.2}", solution.correction * DVec3::Y),
            solution.error,
            solution.reach,
            if solution.pole_degenerate { ", the pole says nothing" } else { "" }
        );
    }
    Ok(())
}
