//! Closed forms of arms and legs that others described: what family each has, and whether all its solutions are found.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot set up its problem must stop, and says what it found"
)]

use crate::common;

use common::random_configuration;
use posekit::arm::{Arm, ArmSettings, Prefer};
use posekit::glam::DVec3;
use posekit::math::{Pose, wrap_angle};
use posekit::skeleton::{Frame, JointKind, Skeleton};
use posekit_io::{Limits, Warnings, urdf};

const PROBLEMS: usize = 300;

const SHOULDER_AND_WRIST: &str = "axes 1, 2 and 3 meet, and 5, 6 and 7; the arm angle is free";

/// File, first and last joint, and the family: "" for none.
const LIMBS: [(&str, &str, &str, &str); 22] = [
    ("ur5", "shoulder_pan_joint", "wrist_3_joint", "axes 2, 3 and 4 are parallel, 5 and 6 meet"),
    ("ur5e", "shoulder_pan_joint", "wrist_3_joint", "axes 2, 3 and 4 are parallel, 5 and 6 meet"),
    ("ur10", "shoulder_pan_joint", "wrist_3_joint", "axes 2, 3 and 4 are parallel, 5 and 6 meet"),
    (
        "panda",
        "panda_joint1",
        "panda_joint7",
        "axes 1, 2 and 3 meet, 5 and 6 meet; joint 7 is free",
    ),
    ("iiwa14_primitive_collision", "iiwa_joint_1", "iiwa_joint_7", SHOULDER_AND_WRIST),
    ("kuka_iiwa_pybullet", "lbr_iiwa_joint_1", "lbr_iiwa_joint_7", SHOULDER_AND_WRIST),
    ("baxter", "left_s0", "left_w2", ""),
    ("baxter", "right_s0", "right_w2", ""),
    (
        "fetch",
        "shoulder_pan_joint",
        "wrist_roll_joint",
        "axes 5, 6 and 7 meet, 2 and 3 meet; joint 1 is free",
    ),
    ("tiago", "arm_1_joint", "arm_7_joint", "axes 5, 6 and 7 meet, 2 and 3 meet; joint 1 is free"),
    (
        "tiago_dual",
        "arm_left_1_joint",
        "arm_left_7_joint",
        "axes 5, 6 and 7 meet, 2 and 3 meet; joint 1 is free",
    ),
    (
        "pr2",
        "r_shoulder_pan_joint",
        "r_wrist_roll_joint",
        "axes 5, 6 and 7 meet, 2 and 3 meet; joint 1 is free",
    ),
    (
        "pr2",
        "l_shoulder_pan_joint",
        "l_wrist_roll_joint",
        "axes 5, 6 and 7 meet, 2 and 3 meet; joint 1 is free",
    ),
    (
        "talos_full_v2",
        "arm_left_1_joint",
        "arm_left_7_joint",
        "axes 5, 6 and 7 meet, 2 and 3 meet; joint 1 is free",
    ),
    (
        "talos_full_v2",
        "leg_left_1_joint",
        "leg_left_6_joint",
        "axes 1, 2 and 3 meet, 4 and 5 are parallel, 5 and 6 meet",
    ),
    ("romeo", "LShoulderPitch", "LWristPitch", SHOULDER_AND_WRIST),
    ("romeo", "LHipYaw", "LAnkleRoll", "axes 1, 2 and 3 meet, 4 and 5 are parallel, 5 and 6 meet"),
    ("g1_29dof_rev_1_0", "left_shoulder_pitch_joint", "left_wrist_yaw_joint", ""),
    ("g1_29dof_rev_1_0", "left_hip_pitch_joint", "left_ankle_roll_joint", ""),
    ("icub", "l_shoulder_pitch", "l_wrist_yaw", SHOULDER_AND_WRIST),
    (
        "atlas_minimal_contact",
        "l_leg_hpz",
        "l_leg_akx",
        "axes 3, 4 and 5 are parallel, 1 and 2 meet",
    ),
    (
        "atlas_minimal_contact",
        "l_arm_shz",
        "l_arm_lwy",
        "axes 5, 6 and 7 meet, 1 and 3 meet; joint 2 is free",
    ),
];

struct Limb {
    name: String,
    skeleton: Skeleton,
    joints: Vec<usize>,
    tool: Frame,
    arm: Arm,
}

fn limbs() -> Vec<(Limb, &'static str)> {
    let Some(assets) = common::assets() else { return Vec::new() };
    let limb = |&(file, first, last, family): &(&str, &str, &str, &'static str)| {
        let path = assets.join("urdf").join(file).with_extension("urdf");
        let robot = urdf::read_file(&path, &Limits::default(), &mut Warnings::new()).unwrap();
        let skeleton = robot.into_skeleton();
        let [first, last] = [first, last].map(|name| {
            skeleton.find(name).unwrap_or_else(|| panic!("{file} has no joint {name}"))
        });
        let held: Vec<usize> = skeleton.ancestors(first).filter(|&joint| joint != first).collect();
        let moves = |joint: &usize| matches!(skeleton.kind(*joint), JointKind::Revolute { .. });
        let own = skeleton.ancestors(last).filter(|joint| !held.contains(joint));
        let joints: Vec<usize> = own.filter(moves).collect();
        let tool = Frame::new(last, Pose::from_translation(DVec3::new(0.02, -0.01, 0.1)));
        let arm = Arm::with_held(&skeleton, tool, &held, &skeleton.neutral()).unwrap();
        let name = format!("{file} {}", skeleton.name(last));
        (Limb { name, skeleton, joints, tool, arm }, family)
    };
    LIMBS.iter().map(limb).collect()
}

impl Limb {
    /// Inside the limits; joints outside the limb stay neutral.
    fn random(&self, state: &mut u64) -> Vec<f64> {
        let random = random_configuration(&self.skeleton, state);
        let mut q = self.skeleton.neutral();
        for &joint in &self.joints {
            let value = self.skeleton.value_range(joint).start;
            q[value] = random[value];
        }
        q
    }

    fn target(&self, q: &[f64]) -> Pose {
        self.tool.world(&self.skeleton.poses(q))
    }

    /// The distance and the angle from a target, by the kinematics of the skeleton, the larger of both.
    fn miss(&self, target: Pose, q: &[f64]) -> f64 {
        let pose = self.target(q);
        let by = (pose.rotation.inverse() * target.rotation).xyz().length();
        pose.translation.distance(target.translation).max(2.0 * by)
    }

    fn solutions(&self, target: Pose, start: &[f64]) -> Vec<Vec<f64>> {
        self.arm.solutions(target, start, &ArmSettings::default()).unwrap()
    }
}

/// The largest difference of two configurations, whole turns aside.
fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| wrap_angle(a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn families_are_found() {
    let mut wrong = Vec::new();
    for (limb, expected) in limbs() {
        let family = limb.arm.family().map(ToString::to_string).unwrap_or_default();
        println!(
            "{}: {family} ({:.1e})",
            limb.name,
            limb.arm.family().map_or(0.0, |f| f.deviation)
        );
        if family != expected {
            wrong.push(format!("{}: {family}, not {expected}", limb.name));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_solution_of_a_robot_is_certified() {
    for (limb, _) in limbs() {
        if limb.arm.family().is_none() {
            continue;
        }
        let (mut state, mut n, mut missed, mut worst) = (1, 0, 0, 0.0_f64);
        for problem in 0..PROBLEMS {
            let [truth, start] = [0, 1].map(|_| limb.random(&mut state));
            let target = limb.target(&truth);
            let all = limb.solutions(target, &start);
            n += all.len();
            for q in &all {
                worst = worst.max(limb.miss(target, q));
                assert!(limb.skeleton.within_limits(q, 0.0), "{} {problem}", limb.name);
            }
            // From the generating configuration nothing moves; from elsewhere six joints find it, too.
            let stays = limb.solutions(target, &truth);
            let is_there = |all: &[Vec<f64>]| all.iter().any(|q| apart(q, &truth) < 1e-4);
            let is_found = limb.joints.len() > 6 || is_there(&all);
            missed += usize::from(!(is_there(&stays[..stays.len().min(1)]) && is_found));
        }
        println!("{}: {n} solutions, {missed} missed, worst {worst:.1e}", limb.name);
        let tolerance = if limb.joints.len() > 6 { 3e-6 } else { 1e-9 };
        assert!(worst < tolerance, "{}: {worst:e}", limb.name);
        assert!(missed * 100 <= PROBLEMS, "{}: {missed} missed", limb.name);
    }
}

#[test]
fn robots_with_a_closed_form_are_solved_from_anywhere() {
    for (limb, _) in limbs() {
        if limb.arm.family().is_none() {
            continue;
        }
        for prefer in [Prefer::First, Prefer::Nearest] {
            let (mut state, mut failed, mut searched) = (2, 0, 0);
            let mut settings = ArmSettings::default();
            settings.prefer = prefer;
            for problem in 0..PROBLEMS {
                let [truth, mut q] = [0, 1].map(|_| limb.random(&mut state));
                let target = limb.target(&truth);
                let solution = limb.arm.solve(target, &mut q, &settings).unwrap();
                assert!(limb.skeleton.within_limits(&q, 0.0), "{} {problem}", limb.name);
                searched += usize::from(solution.starts > 1 || solution.iterations > 0);
                failed += usize::from(!solution.is_reached() || limb.miss(target, &q) > 1e-5);
            }
            println!("{} {prefer:?}: {failed} failed, {searched} searched", limb.name);
            assert!(failed == 0, "{} {prefer:?}: {failed} failed", limb.name);
        }
    }
}
