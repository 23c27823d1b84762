//! A few iterations a frame: the target runs, the tentacle follows, no frame pays for a whole solve and nothing is
//! allocated after the first.
//!
//! `cargo run --release --example over_frames`
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use posekit::chain::{Chain, Goals};
use posekit::math::sin_cos;
use posekit::solve::{Method, Progress, Settings, Workspace};

const ITERATIONS_A_FRAME: u32 = 2;

fn main() -> posekit::Result<()> {
    let tentacle = Chain::try_straight(3, &[0.1; 30])?;
    let mut workspace = Workspace::default();
    let goals = Goals { effectors: &[30], targets: &[2.0, 1.0, 0.0] };
    workspace.begin_chain(&tentacle, goals, Method::Fabrik, &Settings::default())?;
    for frame in 0..60 {
        let (sine, cosine) = sin_cos(f64::from(frame) * 0.1);
        workspace.retarget(&[2.0, cosine, sine])?;
        for _ in 0..ITERATIONS_A_FRAME {
            if workspace.step() == Progress::Done {
                break;
            }
        }
        if frame % 12 == 0 {
            let solution = workspace.solution();
            println!("frame {frame:2}: tip {:.5} from its target", solution.error);
        }
    }
    Ok(())
}
