//! Targets of several robots.

use super::parts::{self, Part};
use super::{check_finite, check_length};
use crate::arm::{Arm, ArmSettings, ArmSolution, Row, check_settings, checked};
use crate::error::{ErrorKind, Result};
use crate::math::Pose;

/// A target of one of several robots. Plain data.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Job {
    /// Index of the arm.
    pub arm: usize,
    /// The target pose of the tool's tip, in the world.
    pub target: Pose,
    /// The pose of the robot: `world_from_base`, with the frame in which the arm's skeleton is placed as its base. Default: at the origin.
    pub base: Pose,
    /// The tool of the robot: its tip in the frame for which the arm was made. Default: that frame itself.
    pub tool: Pose,
}

impl Job {
    /// A robot at the origin without a tool.
    #[must_use]
    pub fn new(arm: usize, target: Pose) -> Self {
        Self { arm, target, base: Pose::IDENTITY, tool: Pose::IDENTITY }
    }

    /// The same for a robot with another base.
    #[must_use]
    pub fn with_base(self, base: Pose) -> Self {
        Self { base, ..self }
    }

    /// The same with a tool.
    #[must_use]
    pub fn with_tool(self, tool: Pose) -> Self {
        Self { tool, ..self }
    }

    /// The target of the arm in its own base, if all poses are poses.
    fn target_of_arm(&self) -> Option<Pose> {
        let valid = |pose| checked(pose).ok();
        let (target, base, tool) = (valid(self.target)?, valid(self.base)?, valid(self.tool)?);
        let target = base.inverse() * target * tool.inverse();
        // Far from the origin it may overflow.
        target.translation.is_finite().then_some(target)
    }
}

/// Solves for the targets of several robots.
///
/// - `arms`: the arms of the jobs, in any order
/// - `starts`: a configuration for each job, one after the other, [`Arm::n_values`] numbers of its arm each; unchanged
/// - `values`: on return likewise the results: those of job `k` follow those of the previous jobs
/// - `solutions`: on return the outcome for each job. Tolerances, bounds and distances are those of the frame for which the arm was made, in its own
///   axes: at the tip of a long tool an angle error becomes a distance.
///
/// # Degenerate cases
/// As in [`solve`](super::solve); the base and the tool of a job must be poses, too.
/// # Errors
/// Those of [`solve`](super::solve); [`Error::is_out_of_range`](crate::Error::is_out_of_range) for an `arm` that is not in the list.
///
/// # Example: two robots of one kind, face to face
/// ```
/// use posekit::arm::{Arm, ArmSettings, ArmSolution};
/// use posekit::batch::{Job, solve_jobs};
/// use posekit::glam::{DQuat, DVec3};
/// use posekit::math::Pose;
/// use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
///
/// let limit = Limit::Range { min: -3.0, max: 3.0 };
/// let mut builder = Skeleton::builder();
/// let shoulder = builder.add(Joint::revolute("shoulder", DVec3::Z).with_limit(limit));
/// let along = Pose::from_translation(DVec3::X);
/// let elbow = Joint::revolute("elbow", DVec3::Z).child_of(shoulder).at(along).with_limit(limit);
/// let elbow = builder.add(elbow);
/// let arm = Arm::new(&builder.build()?, Frame::new(elbow, along))?;
///
/// // Points in the plane: the rotation of the tool is free.
/// let mut settings = ArmSettings::default();
/// settings.bounds[3..].fill(f64::INFINITY);
/// let opposite = Pose::new(DQuat::from_rotation_z(core::f64::consts::PI), DVec3::X * 3.0);
/// let target = Pose::from_translation(DVec3::new(1.5, 0.4, 0.0));
/// let jobs = [Job::new(0, target), Job::new(0, target).with_base(opposite)];
/// let (mut values, mut solutions) = (vec![0.0; 4], vec![ArmSolution::default(); 2]);
/// solve_jobs(&[arm], &jobs, &[0.1, 0.5, 0.1, 0.5], &settings, &mut values, &mut solutions)?;
/// assert!(solutions.iter().all(ArmSolution::is_reached));
/// # Ok::<(), posekit::Error>(())
/// ```
pub fn solve_jobs(
    arms: &[Arm],
    jobs: &[Job],
    starts: &[f64],
    settings: &ArmSettings,
    values: &mut [f64],
    solutions: &mut [ArmSolution],
) -> Result<()> {
    if let Some(index) = jobs.iter().position(|job| job.arm >= arms.len()) {
        let (what, need) = ("job arm", "an index in the list of arms");
        let value = jobs[index].arm as f64;
        return Err(ErrorKind::OutOfRange { what, index, value, need }.into());
    }
    let n_values = n_values(arms, jobs);
    check_length("starts", starts.len(), n_values)?;
    check_length("values", values.len(), n_values)?;
    check_length("solutions", solutions.len(), jobs.len())?;
    check_finite(starts)?;
    check_settings(settings)?;
    values.copy_from_slice(starts);
    parts::solve(Jobs { arms, jobs, settings, values, solutions });
    Ok(())
}

/// The total number of values of jobs.
fn n_values(arms: &[Arm], jobs: &[Job]) -> usize {
    jobs.iter().fold(0, |sum, job| sum.saturating_add(arms[job.arm].n_values()))
}

/// Consecutive jobs.
struct Jobs<'a> {
    arms: &'a [Arm],
    jobs: &'a [Job],
    settings: &'a ArmSettings,
    /// The starts.
    values: &'a mut [f64],
    solutions: &'a mut [ArmSolution],
}

impl Jobs<'_> {
    /// Solves the jobs of one arm.
    fn solve_those_of(&mut self, arm: usize) {
        let Self { arms, jobs, settings, .. } = *self;
        let mut rest = &mut *self.values;
        let rows = jobs.iter().zip(&mut *self.solutions).filter_map(|(job, solution)| {
            let values = rest.split_off_mut(..arms[job.arm].n_values())?;
            let is_wanted = job.arm == arm;
            is_wanted.then(|| Row { target: job.target_of_arm(), values, solution })
        });
        arms[arm].solve_rows(rows, settings);
    }
}

impl Part for Jobs<'_> {
    fn n_rows(&self) -> usize {
        self.jobs.len()
    }

    fn split(self, row: usize) -> (Self, Self) {
        let Self { arms, settings, .. } = self;
        let (jobs, other_jobs) = self.jobs.split_at(row);
        let (values, other_values) = self.values.split_at_mut(n_values(arms, jobs));
        let (solutions, other_solutions) = self.solutions.split_at_mut(row);
        let first = Self { arms, jobs, settings, values, solutions };
        let (jobs, values, solutions) = (other_jobs, other_values, other_solutions);
        (first, Self { arms, jobs, settings, values, solutions })
    }

    /// Arm by arm, so that all lanes of a register have the same one.
    fn solve(mut self) {
        let jobs = self.jobs;
        for (row, job) in jobs.iter().enumerate() {
            if jobs[..row].iter().all(|other| other.arm != job.arm) {
                self.solve_those_of(job.arm);
            }
        }
    }
}
