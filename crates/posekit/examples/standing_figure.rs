//! Hold on and move: both feet stand, one hand holds a rail, and the hips go where they are sent. What is held is one task each; nothing
//! says how knees, ankles or the elbow should bend.
//!
//! `cargo run --release --example standing_figure`
#![allow(clippy::print_stdout, reason = "an example shows its result")]

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
use posekit::solve::{Method, Settings, solve};
use posekit::task::{FramePose, Position, Task};

/// A cone about a bone that hangs down, and a hinge that bends one way \[rad\].
const BALL: Limit = Limit::Cone { axis: DVec3::NEG_Z, swing: 1.6, twist: [-0.8, 0.8] };
const BEND: Limit = Limit::Range { min: 0.0, max: 2.4 };

/// A limb of two bones that hangs down: a ball, a hinge about `axis`, a ball, and the frame at its end.
fn limb(
    figure: &mut posekit::skeleton::SkeletonBuilder,
    (name, parent, at): (&str, usize, DVec3),
    axis: DVec3,
    bone: f64,
) -> Frame {
    let down = Pose::from_translation(DVec3::NEG_Z * bone);
    let ball = Joint::ball(format!("{name} ball")).child_of(parent).with_limit(BALL);
    let ball = figure.add(ball.at(Pose::from_translation(at)));
    let hinge = Joint::revolute(format!("{name} hinge"), axis).child_of(ball).with_limit(BEND);
    let hinge = figure.add(hinge.at(down));
    let end = figure.add(Joint::ball(format!("{name} end")).child_of(hinge).at(down));
    Frame::new(end, Pose::IDENTITY)
}

fn main() -> posekit::Result<()> {
    let mut builder = Skeleton::builder();
    let pelvis = builder.add(Joint::free("pelvis"));
    let feet = [("left leg", 0.1), ("right leg", -0.1)]
        .map(|(name, y)| limb(&mut builder, (name, pelvis, DVec3::Y * y), DVec3::Y, 0.43));
    let spine = Limit::Cone { axis: DVec3::Z, swing: 0.4, twist: [-0.4, 0.4] };
    let spine = Joint::ball("spine").child_of(pelvis).with_limit(spine);
    let spine = builder.add(spine.at(Pose::from_translation(DVec3::Z * 0.15)));
    let shoulder = DVec3::new(0.0, 0.2, 0.35);
    let hand = limb(&mut builder, ("arm", spine, shoulder), DVec3::NEG_Y, 0.28);
    let figure = builder.build()?;

    // Standing with bent knees: every hinge at 0.3 rad, the balls as they are.
    let mut start = figure.neutral();
    start[2] = 0.9;
    for joint in (0..figure.n_joints()).filter(|&joint| figure.name(joint).ends_with("hinge")) {
        start[figure.value_range(joint).start] = 0.3;
    }
    let poses = figure.poses(&start);
    let stay = |frame: Frame| FramePose::new(frame, frame.world(&poses));
    let hips = poses[pelvis].translation;
    let rail = Position::new(hand, hand.world(&poses).translation);

    for way in [[0.0, 0.0, 0.0], [-0.05, 0.1, -0.1], [-0.1, -0.1, -0.2], [0.0, 0.0, 0.2]] {
        let tasks: [Task; 4] = [
            stay(feet[0]).into(),
            stay(feet[1]).into(),
            rail.into(),
            Position::new(figure.frame(pelvis), hips + DVec3::from_array(way)).into(),
        ];
        let solution = solve(&figure, &start, &tasks, Method::LeastSquares, &Settings::default())?;
        let held =
            solution.misses[..3].iter().fold(0.0, |worst: f64, miss| worst.max(miss.distance));
        println!(
            "hips {way:?} m: {}, hips {:.1e} m off, what is held {held:.1e} m off",
            solution.status.word(),
            solution.misses[3].distance,
        );
    }
    Ok(())
}
