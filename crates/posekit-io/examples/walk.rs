//! Makes a walk whose feet slide by a known amount, and prints it as BVH.
//!
//! The figure is 1.7 m tall, in centimetres, y up, and walks along an arc. A foot rolls: the heel strikes, the foot comes flat, the heel lifts off on the
//! ball, the foot swings through. Planted, it stands still to the last digit, until [`sliding`] makes the hips travel farther than the feet step, as they do
//! in a motion that was made for longer legs. `testdata/clips/walk.bvh` is the output, and a test keeps it so.
//!
//! ```console
//! cargo run --example walk > walk.bvh
//! cargo run --example walk -- sound > sound.bvh
//! ```

use core::f64::consts::TAU;
use std::env;
use std::io::{self, Write as _};

use posekit::glam::{DQuat, DVec3};
use posekit::limb::TwoBone;
use posekit::math::{Pose, cos, rotation_about, sin};
use posekit::skeleton::{Joint, Skeleton};
use posekit_io::bvh::File;
use posekit_io::motion::to_bvh;
use posekit_motion::Clip;
use posekit_motion::Result;

/// A cycle of two steps \[s\], and how fast the figure goes \[cm/s\].
pub const CYCLE: f64 = 1.1;
const SPEED: f64 = 105.0;
/// Radius of the way \[cm\].
const RADIUS: f64 = 2500.0;

/// The part of a foot's cycle, which begins when it strikes, at which it is flat.
pub const FLAT: f64 = 0.09;
/// At which its heel lifts.
const LIFTS: f64 = 0.40;
/// At which it leaves the ground.
pub const LEAVES: f64 = 0.62;
/// At which the body is over it.
const UNDER: f64 = 0.30;

/// Pitch of a foot when it strikes and when it leaves \[degrees\]; toes up is positive.
const STRIKE: f64 = 18.0;
const LEAVE: f64 = -52.0;
/// How high a swinging ankle is lifted besides \[cm\].
const CLEARANCE: f64 = 7.0;

/// From the ankle \[cm\]: where the heel stands, the ball, the tips of the toes from there.
const HEEL: DVec3 = DVec3::new(0.0, -9.0, -4.0);
const BALL: DVec3 = DVec3::new(0.0, -7.5, 13.5);
const THIGH: f64 = 43.0;
const SHIN: f64 = 42.0;
const HIP: DVec3 = DVec3::new(9.5, -4.0, 0.0);
/// From the middle of the way to a foot \[cm\].
const ASIDE: f64 = 8.0;
/// The hips' mean height \[cm\].
const HEIGHT: f64 = 92.0;

/// How much farther the hips travel than the feet step.
const SLIDE: f64 = 1.2;

/// How long it lasts \[s\], in frames a second.
const SECONDS: f64 = 4.4;
const RATE: f64 = 30.0;

fn main() -> core::result::Result<(), Box<dyn std::error::Error>> {
    let is_sound = env::args().nth(1).is_some_and(|word| word == "sound");
    io::stdout().write_all(&file(!is_sound)?.to_bytes())?;
    Ok(())
}

/// The walk as a file, sliding or not. Four digits behind the point: a micrometre, and less than a second of arc.
///
/// # Errors
/// Those of the library, which the tests rule out.
pub fn file(slides: bool) -> posekit_io::Result<File> {
    let sound = walk(SECONDS, RATE)?;
    let written = to_bvh(&if slides { sliding(&sound)? } else { sound })?;
    let round = |value: &f64| (value * 1e4).round() / 1e4 + 0.0;
    let values = (0..written.n_frames()).flat_map(|frame| written.frame(frame)).map(round);
    written.with_values(values.collect())
}

/// The walk, feet standing still.
///
/// # Errors
/// Those of the library, which the tests rule out.
pub fn walk(seconds: f64, rate: f64) -> Result<Clip> {
    let skeleton = skeleton()?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a few seconds")]
    let n_frames = (seconds * rate).round() as usize + 1;
    let mut values = Vec::with_capacity(n_frames * skeleton.n_values());
    for frame in 0..n_frames {
        values.extend(configuration(&skeleton, frame as f64 / rate)?);
    }
    Ok(Clip::try_new(skeleton, 1.0 / rate, values)?.with_metres_per_unit(Some(0.01)))
}

/// The same walk, with hips that travel too far for its steps.
///
/// # Errors
/// Those of the library.
pub fn sliding(clip: &Clip) -> Result<Clip> {
    let mut values = clip.values().to_vec();
    for q in values.chunks_exact_mut(clip.skeleton().n_values()) {
        q[0] *= SLIDE;
        q[2] *= SLIDE;
    }
    clip.with_values(values)
}

/// Names, parents and offsets as motion capture has them \[cm\], left limbs; the right ones are their mirror.
fn skeleton() -> posekit::Result<Skeleton> {
    let mut builder = Skeleton::builder();
    let ball = |name: &str, parent: usize, at: DVec3| {
        Joint::ball(name).child_of(parent).at(Pose::from_translation(at))
    };
    let hips = builder.add(Joint::free("Hips"));
    for (side, sign) in [("Left", 1.0), ("Right", -1.0)] {
        let aside = |v: DVec3| DVec3::new(sign * v.x, v.y, v.z);
        let thigh = builder.add(ball(&format!("{side}UpLeg"), hips, aside(HIP)));
        let shin = builder.add(ball(&format!("{side}Leg"), thigh, DVec3::NEG_Y * THIGH));
        let foot = builder.add(ball(&format!("{side}Foot"), shin, DVec3::NEG_Y * SHIN));
        let toes = builder.add(ball(&format!("{side}ToeBase"), foot, BALL));
        let end = DVec3::new(0.0, -0.5, 7.0);
        builder.add(
            Joint::fixed(format!("{side}ToeEnd")).child_of(toes).at(Pose::from_translation(end)),
        );
    }
    let spine = builder.add(ball("Spine", hips, DVec3::Y * 10.0));
    let spine = builder.add(ball("Spine1", spine, DVec3::Y * 12.0));
    let chest = builder.add(ball("Spine2", spine, DVec3::Y * 12.0));
    for (side, sign) in [("Left", 1.0), ("Right", -1.0)] {
        let along = |length: f64| DVec3::X * sign * length;
        let collar = DVec3::new(sign * 5.0, 13.0, 0.0);
        let collar = builder.add(ball(&format!("{side}Shoulder"), chest, collar));
        let arm = builder.add(ball(&format!("{side}Arm"), collar, along(12.0)));
        let forearm = builder.add(ball(&format!("{side}ForeArm"), arm, along(28.0)));
        let hand = builder.add(ball(&format!("{side}Hand"), forearm, along(25.0)));
        let end = Pose::from_translation(along(17.0));
        builder.add(Joint::fixed(format!("{side}HandEnd")).child_of(hand).at(end));
    }
    let neck = builder.add(ball("Neck", chest, DVec3::Y * 17.0));
    let head = builder.add(ball("Head", neck, DVec3::Y * 9.0));
    builder.add(Joint::fixed("HeadEnd").child_of(head).at(Pose::from_translation(DVec3::Y * 18.0)));
    builder.build()
}

/// A turn by degrees.
fn turn(axis: DVec3, degrees: f64) -> DQuat {
    rotation_about(axis, degrees.to_radians())
}

/// 0 before `from`, 1 after `to`, level at both.
fn ease(from: f64, to: f64, at: f64) -> f64 {
    let t = ((at - from) / (to - from)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Where the way is at a time, z along it and x to its left.
fn way(time: f64) -> Pose {
    let angle = SPEED * time / RADIUS;
    let at = DVec3::new(RADIUS * (1.0 - cos(angle)), 0.0, RADIUS * sin(angle));
    Pose::new(rotation_about(DVec3::Y, angle), at)
}

/// The hips: they bob twice in a cycle, sway over the standing foot, and turn with the leg that steps out.
fn hips(time: f64) -> Pose {
    let phase = time / CYCLE;
    let over_left = cos(TAU * (phase - UNDER));
    let bob = 1.6 * cos(2.0 * TAU * (phase - UNDER));
    let way = way(time);
    let at = DVec3::new(2.2 * over_left, HEIGHT + bob, 0.0);
    let turn = turn(DVec3::Y, -5.0 * cos(TAU * phase))
        * turn(DVec3::Z, 2.5 * over_left)
        * turn(DVec3::X, 3.0);
    way * Pose::new(turn, at)
}

/// A foot: how its ankle is in the world, and how much its toes bend up \[degrees\].
///
/// - `phase`: cycles since some strike of the left foot, half a cycle less for the right one
pub fn foot(sign: f64, time: f64, phase: f64) -> (Pose, f64) {
    let part = phase - phase.floor();
    let strike = time - part * CYCLE;
    if part < LEAVES {
        return standing(sign, strike, part);
    }
    // It swings from the last stand to the next, beginning as fast as it left.
    let u = (part - LEAVES) / (1.0 - LEAVES);
    let (left, toes) = standing(sign, strike, LEAVES);
    let (before, _) = standing(sign, strike, LEAVES - 1e-4);
    let (next, _) = standing(sign, strike + CYCLE, 0.0);
    let speed = (left.translation - before.translation) * ((1.0 - LEAVES) / 1e-4);
    let (u2, u3) = (u * u, u * u * u);
    let mut at = left.translation * (2.0 * u3 - 3.0 * u2 + 1.0)
        + speed * (u3 - 2.0 * u2 + u)
        + next.translation * (3.0 * u2 - 2.0 * u3);
    at.y += CLEARANCE * 16.0 * u2 * (1.0 - u) * (1.0 - u);
    let pitch = LEAVE + (STRIKE - LEAVE) * ease(0.0, 1.0, u);
    let heading = way(strike + (UNDER + u) * CYCLE).rotation;
    (Pose::new(heading * turn(DVec3::X, -pitch), at), toes * (1.0 - ease(0.0, 0.4, u)))
}

/// A foot on the ground: it rolls about its heel, stands flat, and rolls about its ball.
fn standing(sign: f64, strike: f64, part: f64) -> (Pose, f64) {
    let place = way(strike + UNDER * CYCLE);
    let ankle = place.transform_point(DVec3::new(sign * ASIDE, -HEEL.y, -2.0));
    let (pitch, pivot) = if part < FLAT {
        (STRIKE * (1.0 - ease(0.0, FLAT, part)), HEEL)
    } else {
        (LEAVE * ease(LIFTS, LEAVES + 0.12, part) / ease(LIFTS, LEAVES + 0.12, LEAVES), BALL)
    };
    let rotation = place.rotation * turn(DVec3::X, -pitch);
    let at = ankle + place.rotation * pivot - rotation * pivot;
    (Pose::new(rotation, at), (-pitch).max(0.0))
}

/// The figure at a time.
fn configuration(skeleton: &Skeleton, time: f64) -> Result<Vec<f64>> {
    let phase = time / CYCLE;
    let mut q = skeleton.neutral();
    let mut set = |name: String, rotation: DQuat| {
        if let Some(joint) = skeleton.find(&name) {
            let values = &mut q[skeleton.value_range(joint)];
            let start = values.len() - 4;
            values[start..].copy_from_slice(&rotation.to_array());
        }
    };
    let hips = hips(time);
    set("Hips".into(), hips.rotation);
    for (side, sign, phase) in [("Left", 1.0, phase), ("Right", -1.0, phase - 0.5)] {
        let (foot, toes) = foot(sign, time, phase);
        let start = hips.transform_point(DVec3::new(sign * HIP.x, HIP.y, HIP.z));
        let down = hips.rotation * DVec3::NEG_Y;
        let knee = start + down * THIGH;
        let mut leg = TwoBone::new(start, knee, knee + down * SHIN, foot.translation);
        leg.mid_axis = Some(foot.rotation * DVec3::X);
        let leg = leg.solve()?;
        set(format!("{side}UpLeg"), leg.parent_from_start(hips.rotation, hips.rotation));
        set(format!("{side}Leg"), leg.parent_from_mid(hips.rotation, hips.rotation));
        let shin = leg.mid_correction * hips.rotation;
        set(format!("{side}Foot"), shin.inverse() * foot.rotation);
        set(format!("{side}ToeBase"), turn(DVec3::X, -toes));
        let swing = turn(DVec3::X, 22.0 * cos(TAU * phase) - 4.0);
        set(format!("{side}Arm"), swing * turn(DVec3::Z, -sign * 76.0));
        let bend = 24.0 - 12.0 * cos(TAU * phase);
        set(format!("{side}ForeArm"), turn(DVec3::Y, -sign * bend));
    }
    let counter =
        turn(DVec3::Y, 3.2 * cos(TAU * phase)) * turn(DVec3::Z, -0.8 * cos(TAU * (phase - UNDER)));
    ["Spine", "Spine1", "Spine2"].into_iter().for_each(|name| set(name.into(), counter));
    set("Neck".into(), turn(DVec3::X, -3.0));
    q[..3].copy_from_slice(&hips.translation.to_array());
    Ok(q)
}
