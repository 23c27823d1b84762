//! The arm that moves a link of a robot, and the names of its joints.

use std::path::Path;

use posekit::arm::Arm;
use posekit::math::Pose;
use posekit::skeleton::{Frame, JointKind, Skeleton};
use posekit_io::Warnings;
use posekit_io::problem::Rig;

use crate::arm_args::ToolArgs;
use crate::failure::{Failure, Result};
use crate::input::{RobotFile, read_robot, say};
use crate::robot;

/// A link, and the arm that moves it.
#[derive(Debug)]
pub(super) struct Tool {
    pub(super) file: RobotFile,
    /// The link.
    pub(super) tip: String,
    pub(super) frame: Frame,
    pub(super) arm: Arm,
    pub(super) skeleton: Skeleton,
    /// The configuration of the whole robot to start from.
    pub(super) start: Vec<f64>,
    /// The joints that the arm solves for, root first.
    pub(super) joints: Vec<ArmJoint>,
    /// The pose of the frame of the targets.
    pub(super) world_from_base: Pose,
}

/// A joint with a value of its own.
#[derive(Debug, Clone)]
pub(super) struct ArmJoint {
    pub(super) name: String,
    /// Its index in the skeleton.
    pub(super) joint: usize,
    /// The index of its value in a configuration.
    pub(super) value: usize,
    pub(super) is_slide: bool,
}

impl Tool {
    /// Reads the robot and finds the arm.
    pub(super) fn open(args: &ToolArgs) -> Result<Self> {
        let [tip, base] = [&args.tip, &args.base].map(Option::as_deref);
        Self::of(&args.robot, tip, base, args.start.as_deref())
    }

    /// The same from single options.
    pub(super) fn of(
        file: &Path,
        tip: Option<&str>,
        base: Option<&str>,
        start: Option<&[f64]>,
    ) -> Result<Self> {
        let file = read_robot(file)?;
        let tip = robot::tip_name(&file.robot, tip)?.to_owned();
        let mut warnings = Warnings::new();
        let Rig { skeleton, tip: frame, start, .. } =
            robot::rig(&file.robot, &tip, start, &mut warnings)?;
        say(&warnings, &file.name);
        let base_name = base.unwrap_or_default();
        let base = base.map(|base| robot::link_frame(&file.robot, base)).transpose()?;
        let held: Vec<usize> = match &base {
            Some(base) => skeleton.ancestors(base.joint).collect(),
            None => Vec::new(),
        };
        let world_from_base =
            base.map_or(Pose::IDENTITY, |base| base.world(&skeleton.poses(&start)));
        let joints = joints(&skeleton, frame, &held);
        if joints.is_empty() {
            return Err(Failure::usage(format!(
                "no joint moves {tip} in the frame of {base_name}"
            )));
        }
        let arm = Arm::with_held(&skeleton, frame, &held, &start)?;
        Ok(Self { file, tip, frame, arm, skeleton, start, joints, world_from_base })
    }

    /// The values of the arm's joints in a configuration.
    pub(super) fn values(&self, q: &[f64]) -> Vec<f64> {
        self.joints.iter().map(|joint| q[joint.value]).collect()
    }

    /// Refuses an arm of infinite reach.
    pub(super) fn finite_reach(&self) -> Result<f64> {
        let reach = self.arm.reach();
        if reach.is_finite() {
            return Ok(reach);
        }
        Err(Failure::usage(format!(
            "a slide without limits moves {}, so its reach is infinite; give --base to hold that joint",
            self.tip
        )))
    }
}

/// The joints between the base and a frame; mimic joints are replaced by their drivers.
fn joints(skeleton: &Skeleton, frame: Frame, held: &[usize]) -> Vec<ArmJoint> {
    let driver = |joint| skeleton.mimic(joint).map_or(joint, |mimic| mimic.joint);
    let mut joints: Vec<usize> = skeleton.ancestors(frame.joint).map(driver).collect();
    joints.retain(|&joint| {
        skeleton.kind(joint) != JointKind::Fixed && held.iter().all(|&held| driver(held) != joint)
    });
    joints.sort_unstable();
    joints.dedup();
    let joint = |joint| ArmJoint {
        name: skeleton.name(joint).to_owned(),
        joint,
        value: skeleton.value_range(joint).start,
        is_slide: matches!(skeleton.kind(joint), JointKind::Prismatic { .. }),
    };
    joints.into_iter().map(joint).collect()
}
