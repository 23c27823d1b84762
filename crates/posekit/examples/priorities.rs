//! One wish before another: two hands whose targets are too far apart. Weights trade one miss for the other; levels do not.
//!
//! `cargo run --release --example priorities`
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::{Frame, Joint, Skeleton};
use posekit::solve::{Method, Settings, solve};
use posekit::task::{Position, Task};

fn main() -> posekit::Result<()> {
    let up = Pose::from_translation(DVec3::Y * 0.5);
    let mut builder = Skeleton::builder();
    let trunk = builder.add(Joint::ball("trunk"));
    let mut hands = Vec::new();
    for (side, x) in [("left", -1.0), ("right", 1.0)] {
        let out = Pose::from_translation(DVec3::X * 0.3 * x);
        let shoulder = builder.add(Joint::ball(format!("{side} shoulder")).child_of(trunk).at(up));
        let elbow = builder.add(Joint::ball(format!("{side} elbow")).child_of(shoulder).at(out));
        hands.push(Frame::new(elbow, out));
    }
    let torso = builder.build()?;
    // 1.6 m apart, where both arms together are 1.2 m long.
    let targets = [DVec3::new(-0.8, 0.6, 0.2), DVec3::new(0.8, 0.6, 0.2)];
    let task = |hand: usize| Task::new(Position::new(hands[hand], targets[hand]));
    for (words, tasks) in [
        ("weights 1 and 1", [task(0), task(1)]),
        ("weights 3 and 1", [task(0).weighing(3.0), task(1)]),
        ("levels 1 and 2", [task(0), task(1).at_level(2)]),
        ("levels 2 and 1", [task(0).at_level(2), task(1)]),
    ] {
        let settings = Settings::default();
        let solution = solve(&torso, &torso.neutral(), &tasks, Method::LeastSquares, &settings)?;
        let [left, right] = [0, 1].map(|k| solution.misses[k].distance);
        println!(
            "{words:16} left {:5.1} cm off, right {:5.1} cm off: {}",
            100.0 * left,
            100.0 * right,
            solution.status.word(),
        );
    }
    Ok(())
}
