//! An honest answer: when limits hold an arm back, the solution is the best pose inside them, and the status names the joints.
//!
//! `cargo run --release --example limits`
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
use posekit::solve::{Method, Settings, Status, solve};
use posekit::task::Position;

fn main() -> posekit::Result<()> {
    let bone = Pose::from_translation(DVec3::X);
    let range = |degrees: f64| {
        let angle = degrees.to_radians();
        Limit::Range { min: -angle, max: angle }
    };
    let mut builder = Skeleton::builder();
    let names = ["shoulder", "elbow", "wrist"];
    for (i, name) in names.into_iter().enumerate() {
        let joint = Joint::revolute(name, DVec3::Z).with_limit(range(40.0));
        builder.add(if i == 0 { joint } else { joint.child_of(i - 1).at(bone) });
    }
    let arm = builder.build()?;
    let hand = Frame { joint: 2, joint_from_frame: bone };

    for target in [DVec3::new(2.2, 1.6, 0.0), DVec3::new(0.5, 1.5, 0.0), DVec3::new(0.0, 4.0, 0.0)]
    {
        let task = Position::new(hand, target).into();
        let solution = solve(&arm, &arm.neutral(), &[task], Method::Ccd, &Settings::default())?;
        let why = match &solution.status {
            Status::Blocked { joints } => {
                let held: Vec<&str> = joints.iter().map(|&joint| arm.name(joint)).collect();
                format!("held back by {}", held.join(", "))
            }
            Status::Unreachable { shortfall } => format!("out of reach by {shortfall:.2}"),
            status => status.word().to_owned(),
        };
        println!("({:.1}, {:.1}): {why}, {:.1e} off", target.x, target.y, solution.error);
    }
    Ok(())
}
