//! The lock-up of the texts: a straight limb, its target on its own line, inside its reach. The published iterations stand
//! still; by default every method gets out.
//!
//! `cargo run --release --example lockup`
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::{Frame, Joint, Skeleton};
use posekit::solve::{Method, Settings, solve};
use posekit::task::{Position, Task};

fn main() -> posekit::Result<()> {
    let bone = Pose::from_translation(DVec3::X);
    let mut builder = Skeleton::builder();
    let first = builder.add(Joint::revolute("bone 1", DVec3::Z));
    let second = builder.add(Joint::revolute("bone 2", DVec3::Z).child_of(first).at(bone));
    let limb = builder.build()?;
    let tip = Frame { joint: second, joint_from_frame: bone };
    let tasks: [Task; 1] = [Position::new(tip, DVec3::new(1.0, 0.0, 0.0)).into()];

    for method in [Method::Ccd, Method::Fabrik, Method::Relaxation] {
        for classic in [true, false] {
            let settings = Settings::default().with_classic(classic);
            let solution = solve(&limb, &[0.0, 0.0], &tasks, method, &settings)?;
            println!(
                "{:10} {:9} {:15} {:3} iterations, {:.1e} off",
                method.name(),
                if classic { "published" } else { "default" },
                solution.status.word(),
                solution.iterations,
                solution.error,
            );
        }
    }
    Ok(())
}
