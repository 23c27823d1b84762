//! A robot arm with one tool, over flat numbers: all solutions, self-motion, dexterity and tracks.

use std::rc::Rc;

use posekit::arm::{
    Arm, ArmSettings, ArmSolution, FamilyKind, SelfMotion, Track, TrackEnd, TrackStatus,
};
use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;
use posekit_io::problem::Problem;

use crate::POSE;
use crate::fault::{Fault, Result, wrong_length};
use crate::session::{no_such_task, numbers_of};

/// Numbers of [`ToolArm::dexterity`].
pub const DEXTERITY: usize = 7;

/// The arm that moves the frame of a task.
#[derive(Debug)]
pub struct ToolArm {
    arm: Arm,
    /// Its joints, by their indices in the skeleton.
    joints: Vec<usize>,
    /// Where their values are in a configuration.
    values: Vec<usize>,
    /// Their largest speeds.
    velocity_limits: Vec<f64>,
    settings: ArmSettings,
}

/// What the parameter of a self-motion is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    /// The angle of the elbow about the line from shoulder to wrist.
    ArmAngle,
    /// The value of this joint of the skeleton.
    Joint(usize),
}

impl ToolArm {
    /// The arm of a task on one frame, within the velocity limits of the robot's file.
    ///
    /// - `settings`: JSON, any of the fields of [`ArmSettings`]; the others have their defaults
    ///
    /// # Errors
    /// No such task, one that is not on one frame, a frame that [`Arm::new`] refuses; settings that are none.
    pub fn new(problem: &Rc<Problem>, task: usize, settings: Option<&str>) -> Result<Self> {
        let tasks = problem.tasks();
        let kind = &tasks.get(task).ok_or_else(|| no_such_task(task, tasks.len()))?.kind;
        let (Some(rig), [Some(tool), None]) = (problem.rig(), kind.frames()) else {
            return Err(Fault::new(format!("the task {task} is not on one frame of a skeleton")));
        };
        let skeleton = &rig.skeleton;
        let mut arm = Arm::new(skeleton, tool)?;
        let joints: Vec<usize> = arm.joints().collect();
        let velocity_limits = match problem.as_ref() {
            Problem::Figure(figure) => {
                arm = arm.with_velocity_limits(&figure.velocity_limits)?;
                let first = |&joint| figure.velocity_limits[skeleton.dof_range(joint).start];
                joints.iter().map(first).collect()
            }
            Problem::Scene(_) => vec![f64::INFINITY; joints.len()],
        };
        let values = joints.iter().map(|&joint| skeleton.value_range(joint).start).collect();
        let settings = settings.map_or(Ok(ArmSettings::default()), serde_json::from_str);
        let settings = settings.map_err(|error| Fault::new(format!("settings: {error}")))?;
        Ok(Self { arm, joints, values, velocity_limits, settings })
    }

    /// The arm itself.
    #[must_use]
    pub const fn arm(&self) -> &Arm {
        &self.arm
    }

    /// Its joints, by their indices in the skeleton, from the base to the tool.
    #[must_use]
    pub fn joints(&self) -> &[usize] {
        &self.joints
    }

    /// Their largest speeds; infinite where the file gives none.
    #[must_use]
    pub fn velocity_limits(&self) -> &[f64] {
        &self.velocity_limits
    }

    /// What the parameter of its self-motion is; `None` without a closed form for seven joints.
    #[must_use]
    pub fn parameter(&self) -> Option<Parameter> {
        let family = self.arm.family()?;
        match (family.kind, family.parameter) {
            (FamilyKind::ShoulderAndWrist, _) => Some(Parameter::ArmAngle),
            (_, Some(joint)) => Some(Parameter::Joint(self.joints[joint])),
            _ => None,
        }
    }

    /// Writes the pose of the tool.
    ///
    /// # Errors
    /// Those of [`Arm::pose`].
    pub fn pose(&self, q: &[f64]) -> Result<[f64; POSE]> {
        Ok(numbers_of(self.arm.pose(q)?))
    }

    /// Solves for a pose of the tool from `q`, and leaves the best configuration found there.
    ///
    /// # Errors
    /// Those of [`Arm::solve`]; a target of other than seven numbers.
    pub fn solve(&self, target: &[f64], q: &mut [f64]) -> Result<ArmSolution> {
        Ok(self.arm.solve(pose_of("target", target)?, q, &self.settings)?)
    }

    /// All distinct configurations found, one after the other, the preferred first.
    ///
    /// # Errors
    /// As [`solve`](Self::solve).
    pub fn solutions(&self, target: &[f64], q: &[f64]) -> Result<Vec<f64>> {
        Ok(self.arm.solutions(pose_of("target", target)?, q, &self.settings)?.concat())
    }

    /// All curves of configurations on which the tool stays at a target.
    ///
    /// # Errors
    /// Those of [`Arm::self_motion`]; a target of other than seven numbers.
    pub fn self_motion(&self, target: &[f64], q: &[f64], samples: u32) -> Result<Vec<SelfMotion>> {
        Ok(self.arm.self_motion(pose_of("target", target)?, q, samples)?)
    }

    /// Which of some configurations, one after the other, is nearest to `q`, and by how much a joint of the arm differs there at the most; `None` of none.
    ///
    /// # Errors
    /// Numbers that are not whole configurations.
    pub fn nearest(&self, q: &[f64], configurations: &[f64]) -> Result<Option<(usize, f64)>> {
        let n = self.arm.n_values();
        if q.len() != n {
            return Err(wrong_length("q", n, q.len()));
        }
        if !configurations.len().is_multiple_of(n) {
            let whole = configurations.len().next_multiple_of(n);
            return Err(wrong_length("configurations", whole, configurations.len()));
        }
        let differences = configurations
            .chunks_exact(n)
            .map(|other| self.values.iter().map(|&i| (q[i] - other[i]).abs()).fold(0.0, f64::max));
        Ok(differences.enumerate().min_by(|(_, a), (_, b)| a.total_cmp(b)))
    }

    /// How well the arm moves its tool from `q`: manipulability, smallest and largest singular value; and the joint nearest to a limit, that limit, the
    /// distance from it, and this in halves of the range. Without limits the joint is -1, the margin 1, and the others 0.
    ///
    /// # Errors
    /// Those of [`Arm::dexterity`].
    pub fn dexterity(&self, q: &[f64]) -> Result<[f64; DEXTERITY]> {
        let dexterity = self.arm.dexterity(q)?;
        let nearest = match self.arm.nearest_limit(q)? {
            Some(near) => [near.joint as f64, near.limit, near.distance, near.margin],
            None => [-1.0, 0.0, 0.0, 1.0],
        };
        let [joint, limit, distance, margin] = nearest;
        Ok([
            dexterity.manipulability,
            dexterity.smallest_singular_value,
            dexterity.largest_singular_value,
            joint,
            limit,
            distance,
            margin,
        ])
    }

    /// Follows a path of poses from `start`.
    ///
    /// - `targets`: seven numbers for each of the times
    ///
    /// # Errors
    /// Those of [`Arm::track`]; targets of other than seven numbers a time.
    pub fn track(&self, times: &[f64], targets: &[f64], start: &[f64]) -> Result<ToolTrack> {
        if targets.len() != POSE * times.len() {
            return Err(wrong_length("targets", POSE * times.len(), targets.len()));
        }
        let poses = targets.chunks_exact(POSE).map(|target| pose_of("targets", target));
        let poses = poses.collect::<Result<Vec<_>>>()?;
        let track = self.arm.track(times, &poses, start, &self.settings)?;
        Ok(ToolTrack { speeds: self.speeds(&track), n_values: self.arm.n_values(), track })
    }

    /// The speeds of the joints on the way to each sample; 0 for the first.
    fn speeds(&self, track: &Track) -> Vec<f64> {
        let mut speeds = vec![0.0; self.values.len() * track.samples.len().min(1)];
        for (k, pair) in track.samples.windows(2).enumerate() {
            let [before, after] = [k, k + 1].map(|sample| track.configuration(sample));
            let duration = pair[1].time - pair[0].time;
            speeds.extend(self.values.iter().map(|&i| (after[i] - before[i]) / duration));
        }
        speeds
    }
}

/// A path in joint values, with the speeds of the joints.
#[derive(Debug)]
pub struct ToolTrack {
    track: Track,
    speeds: Vec<f64>,
    n_values: usize,
}

impl ToolTrack {
    /// The track itself.
    #[must_use]
    pub const fn track(&self) -> &Track {
        &self.track
    }

    /// The speeds of the arm's joints on the way to each sample, one sample after the other \[rad/s, m/s\].
    #[must_use]
    pub fn speeds(&self) -> &[f64] {
        &self.speeds
    }

    /// How it ended, in a word, and the joints at a limit.
    #[must_use]
    pub fn outcome(&self) -> (&'static str, &[usize]) {
        match &self.track.status {
            TrackStatus::Ended { reason: TrackEnd::Limits(joints), .. } => ("limits", joints),
            TrackStatus::Ended { reason: TrackEnd::Singularity, .. } => ("singularity", &[]),
            TrackStatus::Ended { reason: TrackEnd::Reach, .. } => ("reach", &[]),
            _ => ("completed", &[]),
        }
    }

    /// Writes the configuration at a time, between samples in proportion; before the first sample and after the last it is theirs.
    ///
    /// # Errors
    /// A track without samples; a time that is NaN; a `q` of another length.
    pub fn configuration_at(&self, time: f64, q: &mut [f64]) -> Result<()> {
        let samples = &self.track.samples;
        if q.len() != self.n_values {
            return Err(wrong_length("q", self.n_values, q.len()));
        }
        if samples.is_empty() || time.is_nan() {
            return Err(Fault::new("there is no configuration at that time"));
        }
        let after = samples.partition_point(|sample| sample.time <= time);
        let (from, to) = (after.saturating_sub(1), after.min(samples.len() - 1));
        let span = samples[to].time - samples[from].time;
        let part = if span > 0.0 { (time - samples[from].time) / span } else { 0.0 };
        let ends = self.track.configuration(from).iter().zip(self.track.configuration(to));
        for (value, (a, b)) in q.iter_mut().zip(ends) {
            *value = a + part * (b - a);
        }
        Ok(())
    }
}

/// A pose of seven numbers; its rotation is checked where it is used.
fn pose_of(what: &'static str, numbers: &[f64]) -> Result<Pose> {
    let &[x, y, z, qx, qy, qz, qw] = numbers else {
        return Err(wrong_length(what, POSE, numbers.len()));
    };
    Ok(Pose { rotation: DQuat::from_xyzw(qx, qy, qz, qw), translation: DVec3::new(x, y, z) })
}
