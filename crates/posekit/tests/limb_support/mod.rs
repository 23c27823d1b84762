//! Forward kinematics of a leg, written apart from the library, to check limb solutions with.
#![allow(
    clippy::missing_assert_message,
    reason = "the condition is the message; the failing line is printed"
)]
#![allow(dead_code, reason = "each test file uses its own part")]
#![allow(unreachable_pub, reason = "a module shared by test files")]

use posekit::glam::{DQuat, DVec3};
use posekit::limb::{TwoBone, TwoBoneSolution};

/// One joint of the leg: its place under the joint before it.
#[derive(Debug, Clone, Copy)]
pub struct Joint {
    pub parent_from_joint: DQuat,
    pub offset: DVec3,
}

/// A chain with joints between: root, start, a twist bone, mid, another twist bone, end.
#[derive(Debug, Clone)]
pub struct Leg {
    pub joints: Vec<Joint>,
}

pub const START: usize = 1;
pub const MID: usize = 3;
pub const END: usize = 5;

impl Leg {
    /// A leg whose local rotations are all odd, so that no accident of alignment can hide a mistake.
    pub fn new(start: DVec3, first_half: DVec3, second_half: DVec3) -> Self {
        let turn = |x: f64, y: f64, z: f64| DQuat::from_xyzw(x, y, z, 1.0).normalize();
        let joints = vec![
            Joint { parent_from_joint: turn(0.2, -0.4, 0.3), offset: DVec3::new(0.3, 0.1, -0.2) },
            Joint { parent_from_joint: turn(-0.1, 0.5, 0.2), offset: start },
            Joint { parent_from_joint: turn(0.3, 0.0, -0.2), offset: first_half },
            Joint { parent_from_joint: turn(0.0, -0.3, 0.6), offset: first_half },
            Joint { parent_from_joint: turn(-0.5, 0.1, 0.1), offset: second_half },
            Joint { parent_from_joint: turn(0.1, 0.1, -0.7), offset: second_half },
        ];
        Self { joints }
    }

    /// Model-space rotation and position of every joint.
    pub fn poses(&self) -> Vec<(DQuat, DVec3)> {
        let mut poses: Vec<(DQuat, DVec3)> = Vec::new();
        for joint in &self.joints {
            let (rotation, position) =
                poses.last().copied().unwrap_or((DQuat::IDENTITY, DVec3::ZERO));
            poses.push((rotation * joint.parent_from_joint, position + rotation * joint.offset));
        }
        poses
    }

    /// The job for this leg and a target.
    pub fn job(&self, target: DVec3) -> TwoBone {
        let poses = self.poses();
        TwoBone::new(poses[START].1, poses[MID].1, poses[END].1, target)
    }

    /// The leg with a solution applied to its local rotations, as a caller would.
    pub fn apply(&self, solution: &TwoBoneSolution) -> Self {
        let poses = self.poses();
        let mut leg = self.clone();
        leg.joints[START].parent_from_joint =
            solution.parent_from_start(poses[START - 1].0, poses[START].0);
        leg.joints[MID].parent_from_joint =
            solution.parent_from_mid(poses[MID - 1].0, poses[MID].0);
        leg
    }
}

/// Positions of mid and end joint by the two corrections alone.
pub fn place(job: &TwoBone, solution: &TwoBoneSolution) -> (DVec3, DVec3) {
    let mid = job.start + solution.start_correction * (job.mid - job.start);
    (mid, mid + solution.mid_correction * (job.end - job.mid))
}

/// Checks what must hold of every solution: unit rotations, w ≥ 0, bones at their lengths, reported positions and error
/// as forward kinematics gives them, a bend axis at right angles to both bones.
pub fn assert_sound(job: &TwoBone, solution: &TwoBoneSolution) {
    let size = [job.start, job.mid, job.end, job.target]
        .iter()
        .map(|p| p.abs().max_element())
        .fold(0.0, f64::max);
    let tolerance = 1e-13 * size;
    for rotation in [solution.start_correction, solution.mid_correction] {
        assert!(rotation.is_finite(), "{job:?} gave {solution:?}");
        assert!((rotation.length() - 1.0).abs() < 1e-14, "{job:?} gave {solution:?}");
        assert!(rotation.w >= 0.0, "{job:?} gave {solution:?}");
    }
    let (mid, end) = place(job, solution);
    assert!((mid - solution.mid).length() <= tolerance, "{job:?} gave {solution:?}");
    assert!((end - solution.end).length() <= tolerance, "{job:?} gave {solution:?}");
    let (a, b) = ((job.mid - job.start).length(), (job.end - job.mid).length());
    assert!(((solution.mid - job.start).length() - a).abs() <= tolerance, "{job:?}");
    assert!(((solution.end - solution.mid).length() - b).abs() <= tolerance, "{job:?}");
    assert!(((solution.end - job.target).length() - solution.error).abs() <= tolerance, "{job:?}");
    assert!(solution.mid_axis.is_finite(), "{job:?}");
    if job.weight >= 1.0 && a + b > 0.0 {
        assert!((solution.mid_axis.length() - 1.0).abs() < 1e-8, "{job:?} gave {solution:?}");
        let bones = [solution.mid - job.start, solution.end - solution.mid];
        for bone in bones {
            assert!(solution.mid_axis.dot(bone).abs() <= 1e-9 * (a + b), "{job:?} {solution:?}");
        }
        // Beside the error of reach there is no other.
        let missing = solution.reach.shortfall();
        assert!(solution.error + tolerance >= missing, "{job:?} gave {solution:?}");
    }
}

/// The angle of a rotation \[rad\].
pub fn angle(rotation: DQuat) -> f64 {
    posekit::math::so3_log(rotation).length()
}

/// A vector's direction.
pub fn unit(v: DVec3) -> DVec3 {
    posekit::math::direction_or(v, DVec3::ZERO)
}
