//! The built-in models of `posekit demo`: limbs, chains, a rope, and two arms written from their makers' published parameters.
//!
//! - Six axes: the `UR5e`. Denavit-Hartenberg parameters from Universal Robots' support article *DH Parameters for calculations
//!   of kinematics and dynamics*; working range from its technical data sheet (every joint 360° to either side).
//! - Seven axes: the Franka Panda. Parameters after Craig and joint limits from the *Franka Control Interface* documentation,
//!   *Robot and interface specifications*.

use core::f64::consts::FRAC_PI_2;

use posekit::Result;
use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, rotation_about};
use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
use posekit_io::problem::{Body, Origin, Rig, Scene};

/// A model and its description on the page.
#[derive(Debug, Clone)]
pub(crate) struct Example {
    /// The problem.
    pub(crate) scene: Scene,
    /// A one-line description.
    pub(crate) about: &'static str,
    /// True when the classic iterations are shown beside the default ones.
    pub(crate) with_classic: bool,
    /// The limit of iterations, if it is lower than usual.
    pub(crate) iterations: Option<u32>,
}

/// All of them, in the order of the page.
pub(crate) fn all() -> Result<Vec<Example>> {
    Ok(vec![limb()?, chain()?, rope()?, arm6()?, arm7()?, lock_up()?])
}

fn example(rig: Rig, title: &str, about: &'static str) -> Example {
    let scene = Scene {
        title: title.to_owned(),
        unit: "m",
        up: DVec3::Z,
        body: Body::Joints(Box::new(rig)),
    };
    Example { scene, about, with_classic: false, iterations: None }
}

/// An arm in the plane with an elbow that bends to one side.
fn limb() -> Result<Example> {
    let elbow = Limit::Range { min: 0.0, max: 150.0_f64.to_radians() };
    let bones = [(0.31, Limit::None), (0.27, elbow)];
    let rig = plane(&bones, &[-1.1, 0.5], DVec3::new(0.34, 0.19, 0.0))?;
    Ok(example(rig, "Two-bone limb", "2 hinges in the plane, the elbow bends from 0° to 150°"))
}

fn chain() -> Result<Example> {
    let bones = [(0.1, Limit::None); 10];
    let mut start = [0.12; 10];
    start[0] = -0.3;
    let rig = plane(&bones, &start, DVec3::new(-0.22, 0.52, 0.0))?;
    Ok(example(rig, "Ten-bone chain", "10 hinges in the plane, reach 1 m"))
}

/// A straight chain whose target is on its own line: no published iteration bends it to either side.
fn lock_up() -> Result<Example> {
    let rig = plane(&[(0.25, Limit::None); 4], &[0.0; 4], DVec3::new(0.55, 0.0, 0.0))?;
    let about = "A straight chain, its target on its own line; the classic iterations beside the default ones, at most 12 of them";
    let example = example(rig, "Lock-up", about);
    Ok(Example { with_classic: true, iterations: Some(12), ..example })
}

/// Hinges in the plane, with lengths and limits.
fn plane(bones: &[(f64, Limit)], start: &[f64], target: DVec3) -> Result<Rig> {
    let mut builder = Skeleton::builder();
    let (mut last, mut bone_before) = (None, Pose::IDENTITY);
    for (index, &(length, limit)) in bones.iter().enumerate() {
        let joint = Joint::revolute(format!("hinge {}", index + 1), DVec3::Z).with_limit(limit);
        let joint = joint.at(bone_before);
        last =
            Some(builder.add(if let Some(parent) = last { joint.child_of(parent) } else { joint }));
        bone_before = Pose::from_translation(DVec3::X * length);
    }
    let tip = Frame::new(last.unwrap_or(0), bone_before);
    rig(builder.build()?, start, tip, (target, None), Origin::Plane)
}

/// A rope that hangs straight down.
fn rope() -> Result<Example> {
    const BONES: u32 = 100;
    let (top, bone) = (DVec3::new(0.0, 0.0, 2.4), Pose::from_translation(DVec3::Z * -0.02));
    let mut builder = Skeleton::builder();
    let mut last = builder.add(Joint::ball("ball 1").at(Pose::from_translation(top)));
    for index in 1..BONES {
        last = builder.add(Joint::ball(format!("ball {}", index + 1)).child_of(last).at(bone));
    }
    let skeleton = builder.build()?;
    let (start, target) = (skeleton.neutral(), DVec3::new(0.75, 0.45, 1.7));
    let rig = rig(skeleton, &start, Frame::new(last, bone), (target, None), Origin::Space)?;
    Ok(example(rig, "Rope of 100", "100 ball joints in space, 2 m, hanging straight down"))
}

/// The `UR5e`: link length a \[m\], offset d \[m\] and twist alpha \[rad\] of each link, Denavit and Hartenberg's convention.
const ARM6: [[f64; 3]; 6] = [
    [0.0, 0.1625, FRAC_PI_2],
    [-0.425, 0.0, 0.0],
    [-0.3922, 0.0, 0.0],
    [0.0, 0.1333, FRAC_PI_2],
    [0.0, 0.0997, -FRAC_PI_2],
    [0.0, 0.0996, 0.0],
];

fn arm6() -> Result<Example> {
    let (skeleton, tip) = arm6_skeleton()?;
    let target = (DVec3::new(0.38, -0.35, 0.25), Some(pointing_down()));
    let start = [0.4, -1.3, -1.5, -1.4, 1.3, 0.0];
    let rig = rig(skeleton, &start, tip, target, Origin::Robot)?;
    Ok(example(rig, "Six-axis arm", "UR5e: 6 hinges, position and orientation of the tool"))
}

fn arm6_skeleton() -> Result<(Skeleton, Frame)> {
    let full_turn = 360.0_f64.to_radians();
    let limit = Limit::Range { min: -full_turn, max: full_turn };
    let names = ["shoulder pan", "shoulder lift", "elbow", "wrist 1", "wrist 2", "wrist 3"];
    let mut builder = Skeleton::builder();
    // A link's parameters place the next joint, so every joint is placed by the previous link.
    let (mut last, mut link_before) = (None, Pose::IDENTITY);
    for (name, [a, d, alpha]) in names.into_iter().zip(ARM6) {
        let joint = Joint::revolute(name, DVec3::Z).with_limit(limit).at(link_before);
        last =
            Some(builder.add(if let Some(parent) = last { joint.child_of(parent) } else { joint }));
        link_before = Pose::new(rotation_about(DVec3::X, alpha), DVec3::new(a, 0.0, d));
    }
    Ok((builder.build()?, Frame::new(last.unwrap_or(0), link_before)))
}

/// The Panda: a and alpha of the previous link, d of the joint, least and greatest angle \[rad\]; Craig's convention.
const ARM7: [[f64; 5]; 7] = [
    [0.0, 0.0, 0.333, -2.8973, 2.8973],
    [0.0, -FRAC_PI_2, 0.0, -1.7628, 1.7628],
    [0.0, FRAC_PI_2, 0.316, -2.8973, 2.8973],
    [0.0825, FRAC_PI_2, 0.0, -3.0718, -0.0698],
    [-0.0825, -FRAC_PI_2, 0.384, -2.8973, 2.8973],
    [0.0, FRAC_PI_2, 0.0, -0.0175, 3.7525],
    [0.088, FRAC_PI_2, 0.0, -2.8973, 2.8973],
];

/// From the last joint to the flange \[m\].
const ARM7_FLANGE: f64 = 0.107;

fn arm7() -> Result<Example> {
    let mut builder = Skeleton::builder();
    let mut last = None;
    for (index, [a, alpha, d, min, max]) in ARM7.into_iter().enumerate() {
        let twist = Pose::from_rotation(rotation_about(DVec3::X, alpha));
        let place = twist * Pose::from_translation(DVec3::new(a, 0.0, d));
        let joint = Joint::revolute(format!("joint {}", index + 1), DVec3::Z);
        let joint = joint.with_limit(Limit::Range { min, max }).at(place);
        last =
            Some(builder.add(if let Some(parent) = last { joint.child_of(parent) } else { joint }));
    }
    let flange = Pose::from_translation(DVec3::Z * ARM7_FLANGE);
    let target = (DVec3::new(0.3, -0.45, 0.38), Some(pointing_down()));
    let start = [0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8];
    let tip = Frame::new(last.unwrap_or(0), flange);
    let rig = rig(builder.build()?, &start, tip, target, Origin::Robot)?;
    Ok(example(
        rig,
        "Seven-axis arm",
        "Franka Panda: 7 hinges with narrow ranges, position and orientation of the flange",
    ))
}

/// A tool whose z axis points at the floor.
const fn pointing_down() -> DQuat {
    DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0)
}

fn rig(
    skeleton: Skeleton,
    start: &[f64],
    tip: Frame,
    (target, orientation): (DVec3, Option<DQuat>),
    origin: Origin,
) -> Result<Rig> {
    skeleton.check(start)?;
    let start = start.to_vec();
    let target = Some(target);
    Ok(Rig { origin, skeleton, start, tip, target, orientation, weights: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use posekit_io::{Limits, Warnings, urdf};
    use std::path::Path;

    #[test]
    fn every_start_is_inside_its_limits() {
        for example in all().unwrap() {
            let Body::Joints(rig) = &example.scene.body else { continue };
            assert!(rig.skeleton.within_limits(&rig.start, 0.0), "{}", example.scene.title);
        }
    }

    /// `docs/command.md` uses the same arm as a URDF file.
    #[test]
    fn the_six_axis_arm_is_the_one_in_the_test_data() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/arm6.urdf");
        let mut warnings = Warnings::new();
        let robot = urdf::read_file(&file, &Limits::default(), &mut warnings).unwrap();
        assert!(warnings.is_empty(), "{warnings:?}");
        let (arm, tip) = arm6_skeleton().unwrap();
        let tool = robot.frame("tool0").unwrap();
        for q in [[0.0; 6], [0.4, -1.3, 1.5, -0.3, 1.2, 2.0]] {
            let built_in = tip.world(&arm.poses(&q));
            let read = tool.world(&robot.skeleton().poses(&q));
            let off = (built_in.translation - read.translation).length();
            let turned = built_in.rotation.dot(read.rotation).abs();
            assert!(off < 1e-12 && turned > 1.0 - 1e-12, "{built_in:?} is not {read:?}");
        }
    }

    /// Home pose of the Panda, as its documentation pictures it: flange at 0.307, 0, 0.59 or so.
    #[test]
    fn the_seven_axis_arm_stands_where_it_should() {
        let example = arm7().unwrap();
        let Body::Joints(rig) = &example.scene.body else { panic!("an arm has joints") };
        let quarter = core::f64::consts::FRAC_PI_4;
        let q = [0.0, -quarter, 0.0, -3.0 * quarter, 0.0, 2.0 * quarter, quarter];
        let tip = rig.tip_pose(&q).translation;
        assert!((tip - DVec3::new(0.3069, 0.0, 0.5903)).length() < 1e-3, "{tip}");
    }
}
