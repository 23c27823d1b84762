//! Makes a walk whose feet slide by a known amount, and prints it as BVH.
//!
//! The gait is drawn by hand: feet that stand still, roll over their balls and swing; hips that go along and sway; arms that swing against the legs. Then the path
//! of the hips is made longer by a sixth and drifts to the side, as retargeting does it, so every foot that stands slides.
//! `testdata/motions/walk.bvh` is its output, and a test keeps it so.
//!
//! ```console
//! cargo run --example walk > walk.bvh
//! cargo run --example walk -- sound > sound.bvh
//! ```
use std::env;
use std::io::{self, Write as _};

use posekit::glam::{DMat3, DQuat, DVec3};
use posekit::math::{Pose, acos, cos, direction_or, rotation_about, sin};
use posekit::motion::Clip;
use posekit::skeleton::{Joint, Skeleton};
use posekit_io::bvh::File;
use posekit_io::motion::to_bvh;

/// Centimetres, since most captures have these.
const THIGH: f64 = 44.0;
const SHANK: f64 = 42.0;
/// From ankle to ball, in the frame of the foot: ahead and down.
const BALL: DVec3 = DVec3::new(0.0, -6.5, 13.0);
const ANKLE: f64 = 9.0;
const HIP: f64 = 9.5;
/// One step of each foot \[s\], the part of it that the foot stands, and how far the figure comes \[cm\].
const CYCLE: f64 = 1.1;
const STANCE: f64 = 0.62;
const STRIDE: f64 = 130.0;
const FRAMES: u32 = 121;
const RATE: f64 = 30.0;
const TURN: f64 = 2.0 * core::f64::consts::PI;

/// What is wrong with the path: it is longer, and drifts to the side \[cm/s\].
const LONGER: f64 = 1.17;
const DRIFT: f64 = 4.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let is_sound = env::args().nth(1).is_some_and(|word| word == "sound");
    io::stdout().write_all(&walk(!is_sound)?.to_bytes())?;
    Ok(())
}

/// The walk as a file.
///
/// - `slides`: whether the path is wrong
///
/// # Errors
/// None, unless this program is wrong.
pub fn walk(slides: bool) -> posekit_io::Result<File> {
    let skeleton = figure()?;
    let mut values = Vec::new();
    for frame in 0..FRAMES {
        values.extend(pose(&skeleton, f64::from(frame) / RATE, slides));
    }
    let clip = Clip::try_new(skeleton, 1.0 / RATE, values)?.with_metres_per_unit(Some(0.01));
    let file = to_bvh(&clip)?;
    // Four decimals, as programs write them.
    let rounded = file.values().iter().map(|value| (value * 1e4).round() / 1e4).collect();
    File::try_new(file.nodes().to_vec(), 0.033_333_3, rounded)
}

/// Joints by name, parent and place on it.
const JOINTS: [(&str, usize, [f64; 3]); 22] = [
    ("Hips", 0, [0.0, 0.0, 0.0]),
    ("Spine", 0, [0.0, 10.0, -1.0]),
    ("Spine1", 1, [0.0, 14.0, 0.0]),
    ("Spine2", 2, [0.0, 14.0, 0.0]),
    ("Neck", 3, [0.0, 14.0, 0.0]),
    ("Head", 4, [0.0, 10.0, 2.0]),
    ("LeftShoulder", 3, [4.0, 10.0, 0.0]),
    ("LeftArm", 6, [13.0, 0.0, 0.0]),
    ("LeftForeArm", 7, [0.0, -28.0, 0.0]),
    ("LeftHand", 8, [0.0, -25.0, 0.0]),
    ("RightShoulder", 3, [-4.0, 10.0, 0.0]),
    ("RightArm", 10, [-13.0, 0.0, 0.0]),
    ("RightForeArm", 11, [0.0, -28.0, 0.0]),
    ("RightHand", 12, [0.0, -25.0, 0.0]),
    ("LeftUpLeg", 0, [HIP, -4.0, 0.0]),
    ("LeftLeg", 14, [0.0, -THIGH, 0.0]),
    ("LeftFoot", 15, [0.0, -SHANK, 0.0]),
    ("LeftToeBase", 16, [BALL.x, BALL.y, BALL.z]),
    ("RightUpLeg", 0, [-HIP, -4.0, 0.0]),
    ("RightLeg", 18, [0.0, -THIGH, 0.0]),
    ("RightFoot", 19, [0.0, -SHANK, 0.0]),
    ("RightToeBase", 20, [BALL.x, BALL.y, BALL.z]),
];

fn figure() -> posekit::Result<Skeleton> {
    let joint = |(index, &(name, parent, at)): (usize, &(&str, usize, [f64; 3]))| {
        let at = Pose::from_translation(DVec3::from_array(at));
        if index == 0 { Joint::free(name) } else { Joint::ball(name).child_of(parent).at(at) }
    };
    Skeleton::try_new(JOINTS.iter().enumerate().map(joint).collect())
}

/// The figure at a time: it walks along +z.
fn pose(skeleton: &Skeleton, time: f64, slides: bool) -> Vec<f64> {
    let phase = TURN * time / CYCLE;
    let ahead = STRIDE * time / CYCLE;
    let sway = -2.2 * sin(phase - 0.5);
    let height = ANKLE + THIGH + SHANK - 0.6 + 1.8 * cos(2.0 * phase + 0.7);
    let hips = DVec3::new(sway, height, ahead);
    let yaw = rotation_about(DVec3::Y, 0.09 * sin(phase));
    let list = rotation_about(DVec3::Z, 0.04 * sin(phase - 0.4));
    let body = yaw * list;
    let mut turns = [DQuat::IDENTITY; JOINTS.len()];
    for (side, first, offset) in [(1.0, 14, 0.0), (-1.0, 18, 0.5)] {
        let hip = hips + body * DVec3::from_array(JOINTS[first].2);
        let (ankle, pitch, toe) = foot(side, time / CYCLE + offset, offset);
        leg(&mut turns[first..first + 4], body, hip, ankle, pitch, toe);
    }
    for (joint, part) in [(1, -0.35), (2, -0.35), (3, -0.5)] {
        turns[joint] =
            rotation_about(DVec3::Y, part * 0.18 * sin(phase)) * rotation_about(DVec3::X, 0.03);
    }
    turns[5] = rotation_about(DVec3::X, -0.06);
    for (side, shoulder) in [(1.0, 7), (-1.0, 11)] {
        let swing = -0.42 * side * sin(phase + 0.35);
        turns[shoulder] =
            rotation_about(DVec3::X, swing + 0.05) * rotation_about(DVec3::Z, 0.1 * side);
        turns[shoulder + 1] = rotation_about(DVec3::X, -0.35 + 0.25 * swing);
    }
    turns[0] = body;
    let path = if slides { DVec3::new(sway + DRIFT * time, height, ahead * LONGER) } else { hips };
    let mut q = skeleton.neutral();
    q[..3].copy_from_slice(&path.to_array());
    for (joint, turn) in turns.iter().enumerate() {
        let end = skeleton.value_range(joint).end;
        q[end - 4..end].copy_from_slice(&turn.to_array());
    }
    q
}

/// Where an ankle is, how the foot is pitched (toes down), and how the toes are bent against it, in a sound walk.
///
/// - `cycles`: since the foot came down first
fn foot(side: f64, cycles: f64, offset: f64) -> (DVec3, f64, f64) {
    let step = cycles.floor();
    let part = cycles - step;
    let placed = |step: f64| DVec3::new(side * 7.5, ANKLE, (step - offset + 0.5 * STANCE) * STRIDE);
    // Flat from a tenth of the stance on; the heel lifts off at two thirds of it.
    let landing = 0.1 * STANCE;
    let lift = 0.62 * STANCE;
    let last = 0.85;
    if part < lift {
        let early = (1.0 - part / landing).max(0.0);
        return (placed(step), -0.3 * early * early, 0.0);
    }
    let over = |angle: f64| {
        // About the ball, which stays where it is.
        let ball = placed(step) + BALL;
        ball - rotation_about(DVec3::X, angle) * BALL
    };
    if part < STANCE {
        let rise = smooth((part - lift) / (STANCE - lift)) * last;
        return (over(rise), rise, -rise);
    }
    let swing = (part - STANCE) / (1.0 - STANCE);
    let way = smooth(swing);
    let up = 6.0 * sin(0.5 * TURN * swing);
    let pitch = last + (-0.3 - last) * way;
    let ankle = over(last).lerp(placed(step + 1.0), way) + DVec3::Y * up;
    (ankle, pitch, -last * (1.0 - smooth((2.5 * swing).min(1.0))))
}

fn smooth(t: f64) -> f64 {
    t * t * (3.0 - 2.0 * t)
}

/// The turns of hip, knee, ankle and ball that put an ankle somewhere, the knee ahead.
fn leg(turns: &mut [DQuat], body: DQuat, hip: DVec3, ankle: DVec3, pitch: f64, toe: f64) {
    let way = ankle - hip;
    let length = way.length().min(0.9995 * (THIGH + SHANK));
    let cosine = (THIGH * THIGH + length * length - SHANK * SHANK) / (2.0 * THIGH * length);
    let down = direction_or(way, DVec3::NEG_Y);
    let side = direction_or(down.cross(DVec3::Z), DVec3::NEG_X);
    let thigh = rotation_about(side, acos(cosine)) * down;
    let shank = direction_or(hip + down * length - (hip + thigh * THIGH), down);
    let world = [turned(thigh, side), turned(shank, side), rotation_about(DVec3::X, pitch)];
    turns[0] = body.inverse() * world[0];
    turns[1] = world[0].inverse() * world[1];
    turns[2] = world[1].inverse() * world[2];
    turns[3] = rotation_about(DVec3::X, toe);
}

/// The rotation that takes -y along a bone, and -x along the axis that the knee bends about.
fn turned(bone: DVec3, side: DVec3) -> DQuat {
    let (x, y) = (-side, -bone);
    DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y)))
}
