//! What becomes of targets.

use posekit::arm::{ArmSettings, ArmSolution, ArmStatus, Prefer};
use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, so3_log};

use super::targets::{Row, Target};
use super::tool::Tool;
use crate::arm_args::ArmArgs;
use crate::failure::Result;
use crate::parallel;

/// How targets are solved.
#[derive(Debug, Clone, Copy)]
pub(super) struct How {
    pub(super) settings: ArmSettings,
    /// Every solution, not one.
    pub(super) all: bool,
    pub(super) threads: usize,
}

/// The result for one target.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answer {
    /// The number of the target, from 1.
    pub(super) number: usize,
    pub(super) outcome: Outcome,
    /// The solutions; if a single solution was requested and the target is not reached, the nearest pose found.
    pub(super) poses: Vec<Found>,
    /// Iterations and starts, if a single solution was requested.
    pub(super) effort: Option<[u32; 2]>,
}

/// The outcome.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    Reached,
    /// The distance by which it is out of reach \[m\].
    Unreachable(f64),
    NotFound,
    /// The row is not a valid target, for this reason.
    Bad(String),
}

/// A configuration, and the error of the tip.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    /// The values of the arm's joints \[rad, m\].
    pub(super) values: Vec<f64>,
    /// \[m\]
    pub(super) distance: f64,
    /// \[rad\]; `None` if the orientation is free.
    pub(super) angle: Option<f64>,
}

impl How {
    pub(super) fn new(args: &ArmArgs, tolerance: Option<f64>) -> Self {
        let mut settings = ArmSettings::default();
        settings.tolerance = tolerance;
        settings.orientation_tolerance = args.orientation_tolerance;
        settings.starts = args.starts.unwrap_or(settings.starts);
        settings.prefer = if args.nearest { Prefer::Nearest } else { Prefer::First };
        let threads = args.threads.map_or_else(parallel::cores, usize::from);
        Self { settings, all: args.all, threads }
    }
}

impl Outcome {
    /// The name used in files.
    pub(super) const fn word(&self) -> &'static str {
        match self {
            Self::Reached => "reached",
            Self::Unreachable(_) => "unreachable",
            Self::NotFound => "not-found",
            Self::Bad(_) => "error",
        }
    }

    fn of(status: ArmStatus) -> Self {
        match status {
            ArmStatus::Reached => Self::Reached,
            ArmStatus::Unreachable { shortfall } => Self::Unreachable(shortfall),
            _ => Self::NotFound,
        }
    }
}

/// Solves rows in order, each independently of the others, so the batch size does not affect the results.
pub(super) fn answers(tool: &Tool, rows: &[Row], how: &How) -> Result<Vec<Answer>> {
    let answer = |row: &Row| {
        let bad = |message: &String| Answer {
            number: row.number,
            outcome: Outcome::Bad(message.clone()),
            poses: Vec::new(),
            effort: None,
        };
        match &row.target {
            Ok(target) => tool.answer(row.number, target, how),
            Err(message) => Ok(bad(message)),
        }
    };
    let answers = parallel::map(rows, how.threads, answer);
    answers.into_iter().map(|answer| answer.map_err(Into::into)).collect()
}

impl Tool {
    fn answer(&self, number: usize, target: &Target, how: &How) -> posekit::Result<Answer> {
        let pose = Pose::new(target.orientation.unwrap_or(DQuat::IDENTITY), target.position);
        let pose = self.world_from_base * pose;
        let mut settings = how.settings;
        if target.orientation.is_none() {
            settings.bounds[3..].fill(f64::INFINITY);
        }
        if how.all {
            let solutions = self.arm.solutions(pose, &self.start, &settings)?;
            if !solutions.is_empty() {
                let found = |q: &Vec<f64>| self.found(q, pose, target.orientation.is_some());
                let poses = solutions.iter().map(found).collect::<posekit::Result<_>>()?;
                return Ok(Answer { number, outcome: Outcome::Reached, poses, effort: None });
            }
        }
        let mut q = self.start.clone();
        let solution = self.arm.solve(pose, &mut q, &settings)?;
        let ArmSolution { status, distance, angle, iterations, starts, .. } = solution;
        let angle = target.orientation.map(|_| angle);
        let found = Found { values: self.values(&q), distance, angle };
        let poses = if how.all && !solution.is_reached() { Vec::new() } else { vec![found] };
        let effort = (!how.all).then_some([iterations, starts]);
        Ok(Answer { number, outcome: Outcome::of(status), poses, effort })
    }

    /// A solution with its errors.
    fn found(&self, q: &[f64], target: Pose, has_orientation: bool) -> posekit::Result<Found> {
        let tip = self.arm.pose(q)?;
        let angle = has_orientation.then(|| apart(tip.rotation, target.rotation));
        let distance = tip.translation.distance(target.translation);
        Ok(Found { values: self.values(q), distance, angle })
    }
}

/// The angle between two orientations.
pub(super) fn apart(a: DQuat, b: DQuat) -> f64 {
    let turn: DVec3 = so3_log(a.conjugate() * b);
    turn.length()
}
