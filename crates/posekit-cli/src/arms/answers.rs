//! What becomes of targets.

use posekit::arm::{ArmSettings, ArmSolution, ArmStatus, Prefer};
use posekit::batch;
use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, so3_log};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use super::targets::Row;
use super::tool::Tool;
use crate::arm_args::ArmArgs;
use crate::failure::{Failure, Result};
use crate::parallel;

/// How targets are solved.
#[derive(Debug)]
pub(super) struct How {
    pub(super) settings: ArmSettings,
    /// Every solution, not one.
    pub(super) all: bool,
    /// The threads that share the targets.
    pub(super) pool: ThreadPool,
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
    pub(super) fn new(args: &ArmArgs, tolerance: Option<f64>) -> Result<Self> {
        let mut settings = ArmSettings::default();
        settings.tolerance = tolerance;
        settings.orientation_tolerance = args.orientation_tolerance;
        settings.starts = args.starts.unwrap_or(settings.starts);
        settings.prefer = if args.nearest { Prefer::Nearest } else { Prefer::First };
        let threads = args.threads.map_or_else(parallel::cores, usize::from);
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let pool =
            pool.map_err(|error| Failure::output(format!("cannot start threads: {error}")))?;
        Ok(Self { settings, all: args.all, pool })
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

/// Solves rows. Each has the answer that it would have alone, so neither threads nor the other rows affect the results.
pub(super) fn answers(tool: &Tool, rows: &[Row], how: &How) -> Result<Vec<Answer>> {
    let answers = how.pool.install(|| match how.all {
        true => rows.par_iter().map(|row| tool.all_of(row, how)).collect(),
        false => tool.one_of_each(rows, how),
    });
    Ok(answers?)
}

impl Row {
    fn is_point(&self) -> bool {
        self.target.as_ref().is_ok_and(|target| target.orientation.is_none())
    }

    fn answer(&self, outcome: Outcome, poses: Vec<Found>, effort: Option<[u32; 2]>) -> Answer {
        match &self.target {
            Ok(_) => Answer { number: self.number, outcome, poses, effort },
            Err(message) => {
                let outcome = Outcome::Bad(message.clone());
                Answer { number: self.number, outcome, poses: Vec::new(), effort: None }
            }
        }
    }
}

impl How {
    /// The settings for poses, or for points, whose orientation is free.
    fn settings_for(&self, is_point: bool) -> ArmSettings {
        let mut settings = self.settings;
        if is_point {
            settings.bounds[3..].fill(f64::INFINITY);
        }
        settings
    }
}

impl Tool {
    /// The target of a row in the world; no pose if the row is invalid.
    fn target(&self, row: &Row) -> Pose {
        let invalid = Pose::from_translation(DVec3::NAN);
        row.target.as_ref().map_or(invalid, |target| {
            let rotation = target.orientation.unwrap_or(DQuat::IDENTITY);
            self.world_from_base * Pose::new(rotation, target.position)
        })
    }

    /// One solution for each row: consecutive poses are a batch, and so are consecutive points.
    fn one_of_each(&self, rows: &[Row], how: &How) -> posekit::Result<Vec<Answer>> {
        let mut answers = Vec::with_capacity(rows.len());
        for rows in rows.chunk_by(|a, b| a.is_point() == b.is_point()) {
            let (is_point, n) = (rows[0].is_point(), self.arm.n_values());
            let targets: Vec<Pose> = rows.iter().map(|row| self.target(row)).collect();
            let mut values = vec![0.0; n * rows.len()];
            let mut solutions = vec![ArmSolution::default(); rows.len()];
            let settings = how.settings_for(is_point);
            let Self { arm, start, .. } = self;
            batch::solve(arm, &targets, start, &settings, &mut values, &mut solutions)?;
            let solved = rows.iter().zip(values.chunks_exact(n)).zip(solutions);
            answers.extend(solved.map(|((row, q), solution)| {
                let ArmSolution { status, distance, angle, iterations, starts, .. } = solution;
                let angle = (!is_point).then_some(angle);
                let found = Found { values: self.values(q), distance, angle };
                row.answer(Outcome::of(status), vec![found], Some([iterations, starts]))
            }));
        }
        Ok(answers)
    }

    /// All solutions for a row.
    fn all_of(&self, row: &Row, how: &How) -> posekit::Result<Answer> {
        if row.target.is_err() {
            return Ok(row.answer(Outcome::NotFound, Vec::new(), None));
        }
        let (target, settings) = (self.target(row), how.settings_for(row.is_point()));
        let solutions = self.arm.solutions(target, &self.start, &settings)?;
        let found = |q: &Vec<f64>| self.found(q, target, !row.is_point());
        let poses = solutions.iter().map(found).collect::<posekit::Result<Vec<_>>>()?;
        let outcome = match poses.is_empty() {
            false => Outcome::Reached,
            // Why there are none.
            true => Outcome::of(self.arm.solve(target, &mut self.start.clone(), &settings)?.status),
        };
        Ok(row.answer(outcome, poses, None))
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
