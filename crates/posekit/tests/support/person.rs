//! A person: 1.7 m tall, x ahead, y to the left, z up, hips at the origin, arms out to the sides.

use core::f64::consts::PI;
use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
use posekit::task::{Body, Capsule};

pub(crate) const HIPS: usize = 0;
pub(crate) const SPINE: usize = 1;
pub(crate) const NECK: usize = 2;
/// Shoulders and elbows, left and right.
pub(crate) const ARMS: [[usize; 2]; 2] = [[3, 4], [5, 6]];
/// Hips, knees and ankles, left and right.
pub(crate) const LEGS: [[usize; 3]; 2] = [[7, 8, 9], [10, 11, 12]];

const UPPER_ARM: f64 = 0.3;
const FOREARM: f64 = 0.27;
pub(crate) const THIGH: f64 = 0.42;
pub(crate) const SHANK: f64 = 0.42;
pub(crate) const ANKLE: f64 = 0.08;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(DVec3::new(x, y, z))
}

pub(crate) fn person() -> Skeleton {
    let cone = |axis, swing, twist: f64| Limit::Cone { axis, swing, twist: [-twist, twist] };
    let bend = |min, max| Limit::Range { min, max };
    let mut joints = vec![
        Joint::free("hips"),
        Joint::ball("spine").child_of(HIPS).at(at(0., 0., 0.15)).with_limit(cone(
            DVec3::Z,
            1.0,
            0.6,
        )),
        Joint::ball("neck").child_of(SPINE).at(at(0., 0., 0.4)).with_limit(cone(
            DVec3::Z,
            1.0,
            1.3,
        )),
    ];
    for (side, out) in [("left", 1.0), ("right", -1.0)] {
        let shoulder = joints.len();
        let arm = cone(DVec3::Y * out, 1.9, 1.5);
        joints.extend([
            Joint::ball(format!("{side} shoulder"))
                .child_of(SPINE)
                .at(at(0., 0.2 * out, 0.35))
                .with_limit(arm),
            Joint::revolute(format!("{side} elbow"), DVec3::Z * -out)
                .child_of(shoulder)
                .at(at(0., UPPER_ARM * out, 0.))
                .with_limit(bend(0.0, 2.6)),
        ]);
    }
    for (side, out) in [("left", 1.0), ("right", -1.0)] {
        let hip = joints.len();
        joints.extend([
            Joint::ball(format!("{side} hip"))
                .child_of(HIPS)
                .at(at(0., 0.1 * out, -0.05))
                .with_limit(cone(DVec3::NEG_Z, 1.6, 0.8)),
            Joint::revolute(format!("{side} knee"), DVec3::Y)
                .child_of(hip)
                .at(at(0., 0., -THIGH))
                .with_limit(bend(0.0, 2.6)),
            Joint::ball(format!("{side} ankle"))
                .child_of(hip + 1)
                .at(at(0., 0., -SHANK))
                .with_limit(cone(DVec3::X, 0.9, 0.4)),
        ]);
    }
    Skeleton::try_new(joints).expect("a person is valid")
}

/// The palm of a hand: 0 for the left, 1 for the right.
pub(crate) fn hand(side: usize) -> Frame {
    let out = [1.0, -1.0][side];
    Frame::new(ARMS[side][1], at(0., (FOREARM + 0.08) * out, 0.))
}

/// The sole of a foot.
pub(crate) fn foot(side: usize) -> Frame {
    Frame::new(LEGS[side][2], at(0.05, 0., -ANKLE))
}

/// Between the eyes, which look along x.
pub(crate) fn eyes() -> Frame {
    Frame::new(NECK, at(0.08, 0., 0.15))
}

/// The height of the soles below the hips in the neutral pose.
pub(crate) const STANDING: f64 = 0.05 + THIGH + SHANK + ANKLE;

/// What weighs: 70 kg.
pub(crate) fn bodies() -> Vec<Body> {
    let body = |joint, x, y, z, mass| Body { joint, center_in_joint: DVec3::new(x, y, z), mass };
    let mut bodies = vec![
        body(HIPS, 0., 0., 0.05, 10.0),
        body(SPINE, 0., 0., 0.2, 28.0),
        body(NECK, 0., 0., 0.1, 5.0),
    ];
    for (side, out) in [1.0, -1.0].into_iter().enumerate() {
        bodies.extend([
            body(ARMS[side][0], 0., 0.15 * out, 0., 2.0),
            body(ARMS[side][1], 0., 0.15 * out, 0., 1.5),
            body(LEGS[side][0], 0., 0., -0.2, 6.5),
            body(LEGS[side][1], 0., 0., -0.2, 2.7),
            body(LEGS[side][2], 0.05, 0., -0.05, 0.8),
        ]);
    }
    bodies
}

/// Trunk, head and limbs as capsules.
pub(crate) fn capsules() -> Vec<Capsule> {
    let on = |joint, from: [f64; 3], to: [f64; 3], radius| {
        Capsule::on_joint(joint, [DVec3::from(from), DVec3::from(to)], radius)
    };
    let mut capsules = vec![
        on(SPINE, [0., 0., 0.], [0., 0., 0.3], 0.12),
        on(NECK, [0., 0., 0.1], [0., 0., 0.15], 0.1),
    ];
    for (side, out) in [1.0, -1.0].into_iter().enumerate() {
        capsules.extend([
            on(ARMS[side][1], [0., 0.1 * out, 0.], [0., (FOREARM + 0.08) * out, 0.], 0.04),
            on(LEGS[side][0], [0., 0., -0.15], [0., 0., -THIGH], 0.07),
            on(LEGS[side][1], [0., 0., -0.1], [0., 0., -SHANK], 0.05),
        ]);
    }
    capsules
}

/// A half turn, the most that a look may be off.
pub(crate) const BEHIND: f64 = PI;
