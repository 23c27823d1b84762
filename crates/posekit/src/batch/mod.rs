//! Many targets at once: flat slices in, joint values and outcomes out.
//!
//! [`solve`] finds joint values for many targets of one arm, [`solve_jobs`] for the targets of several robots, each with its own base and tool offset.
//! Every row has the same bits as a single [`Arm::solve`]: they depend neither on the other rows nor on the features.
//!
//! - With the feature `simd`, several problems are solved at once in the lanes of a register, where the processor has AVX2 (four lanes), AVX-512
//!   (eight; see the [features](crate#features)) or the like, [`Prefer::First`](crate::arm::Prefer::First) is set, and the arm has at most eight
//!   joints. It more than doubles the number of poses per second.
//! - With the feature `rayon`, the threads of the current pool share the rows.
//!
//! Nothing is allocated. An invalid target does not end the batch: its row has the status
//! [`ArmStatus::InvalidTarget`](crate::arm::ArmStatus::InvalidTarget).
//!
//! # Example: a row of points, the last of them out of reach
//! ```
//! use posekit::arm::{Arm, ArmSettings, ArmSolution, ArmStatus, Prefer};
//! use posekit::batch;
//! use posekit::glam::{DQuat, DVec3};
//! use posekit::math::Pose;
//! use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
//!
//! let limit = Limit::Range { min: -2.5, max: 2.5 };
//! let mut builder = Skeleton::builder();
//! let mut last = builder.add(Joint::revolute("base", DVec3::Z).with_limit(limit));
//! for (name, axis, length) in [
//!     ("shoulder", DVec3::Y, 0.3), ("elbow", DVec3::Y, 0.4),
//!     ("roll", DVec3::X, 0.3), ("pitch", DVec3::Y, 0.0), ("yaw", DVec3::Z, 0.0),
//! ] {
//!     let placement = Pose::from_translation(DVec3::X * length);
//!     let joint = Joint::revolute(name, axis).child_of(last).at(placement).with_limit(limit);
//!     last = builder.add(joint);
//! }
//! let robot = builder.build()?;
//! let arm = Arm::new(&robot, Frame::new(last, Pose::from_translation(DVec3::X * 0.1)))?;
//!
//! let mut settings = ArmSettings::default();
//! settings.prefer = Prefer::First;
//! let targets = [-0.2, 0.0, 0.2, 2.0].map(|y| Pose::new(DQuat::IDENTITY, DVec3::new(0.6, y, 0.3)));
//! let mut values = vec![0.0; targets.len() * arm.n_values()];
//! let mut solutions = vec![ArmSolution::default(); targets.len()];
//! batch::solve(&arm, &targets, &robot.neutral(), &settings, &mut values, &mut solutions)?;
//!
//! assert!(solutions[..3].iter().all(ArmSolution::is_reached));
//! assert!(matches!(solutions[3].status, ArmStatus::Unreachable { .. }));
//! let second = &values[arm.n_values()..][..arm.n_values()];
//! assert!(arm.pose(second)?.translation.distance(targets[1].translation) < 1e-5);
//! # Ok::<(), posekit::Error>(())
//! ```

mod jobs;
mod parts;

pub use jobs::{Job, solve_jobs};

use crate::arm::{Arm, ArmSettings, ArmSolution, Row, check_settings, checked};
use crate::error::{ErrorKind, Result};
use crate::math::Pose;
use parts::Part;

/// Solves for many poses of the tool of one arm.
///
/// - `targets`: in the world
/// - `starts`: the configuration of the whole skeleton to start from, or one for each target, one after the other; unchanged
/// - `values`: on return a configuration for each target, [`Arm::n_values`] numbers each, as from [`Arm::solve`]
/// - `solutions`: on return the outcome for each target
///
/// # Degenerate cases
/// An empty batch is valid. A target that is not finite, or whose rotation is further than 0.001 from unit length, has the status
/// [`InvalidTarget`](crate::arm::ArmStatus::InvalidTarget), infinite distances, and its start as its configuration.
/// # Errors
/// [`Error::is_wrong_length`](crate::Error::is_wrong_length) for `starts`, `values` or `solutions`, named in the error,
/// [`is_not_finite`](crate::Error::is_not_finite) for `starts`, [`is_out_of_range`](crate::Error::is_out_of_range) for a negative or NaN tolerance
/// or bound. Then the slices are unchanged.
pub fn solve(
    arm: &Arm,
    targets: &[Pose],
    starts: &[f64],
    settings: &ArmSettings,
    values: &mut [f64],
    solutions: &mut [ArmSolution],
) -> Result<()> {
    let n_values = arm.n_values().saturating_mul(targets.len());
    if starts.len() != arm.n_values() {
        check_length("starts", starts.len(), n_values)?;
    }
    check_length("values", values.len(), n_values)?;
    check_length("solutions", solutions.len(), targets.len())?;
    check_finite(starts)?;
    check_settings(settings)?;
    parts::solve(Targets { arm, targets, starts, settings, values, solutions });
    Ok(())
}

/// Consecutive targets of one arm.
struct Targets<'a> {
    arm: &'a Arm,
    targets: &'a [Pose],
    /// One for all, or one for each.
    starts: &'a [f64],
    settings: &'a ArmSettings,
    values: &'a mut [f64],
    solutions: &'a mut [ArmSolution],
}

impl Part for Targets<'_> {
    fn n_rows(&self) -> usize {
        self.targets.len()
    }

    fn split(self, row: usize) -> (Self, Self) {
        let Self { arm, settings, starts, .. } = self;
        let (targets, other_targets) = self.targets.split_at(row);
        let (values, other_values) = self.values.split_at_mut(row * arm.n_values());
        let (solutions, other_solutions) = self.solutions.split_at_mut(row);
        let (starts, other_starts) = match starts.len() == arm.n_values() {
            true => (starts, starts),
            false => starts.split_at(row * arm.n_values()),
        };
        let first = Self { arm, targets, starts, settings, values, solutions };
        let (targets, starts) = (other_targets, other_starts);
        let (values, solutions) = (other_values, other_solutions);
        (first, Self { arm, targets, starts, settings, values, solutions })
    }

    fn solve(self) {
        let Self { arm, targets, starts, settings, values, solutions } = self;
        let values = values.chunks_exact_mut(arm.n_values());
        let starts = starts.chunks_exact(arm.n_values()).cycle();
        let rows = targets.iter().zip(starts).zip(values).zip(solutions);
        let rows = rows.map(|(((target, start), values), solution)| {
            values.copy_from_slice(start);
            Row { target: checked(*target).ok(), values, solution }
        });
        arm.solve_rows(rows, settings);
    }
}

fn check_length(what: &'static str, found: usize, expected: usize) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(ErrorKind::Length { what, expected, found }.into())
}

fn check_finite(starts: &[f64]) -> Result<()> {
    match starts.iter().position(|x| !x.is_finite()) {
        Some(index) => Err(ErrorKind::NonFinite { what: "starts", index }.into()),
        None => Ok(()),
    }
}
