//! Many problems of one arm: one by one, or several at once in the lanes of a register.

use super::goal::Goal;
use super::{Arm, ArmSettings, ArmSolution, ArmStatus};
use crate::math::Pose;

#[cfg(feature = "simd")]
mod lanes;

/// A problem, and where its result belongs.
#[derive(Debug)]
pub(crate) struct Row<'r> {
    /// In the world, checked; `None` if it is no pose.
    pub(crate) target: Option<Pose>,
    /// The start, finite; then the result.
    pub(crate) values: &'r mut [f64],
    pub(crate) solution: &'r mut ArmSolution,
}

/// A row whose target is a pose.
struct Problem<'r> {
    goal: Goal,
    values: &'r mut [f64],
    solution: &'r mut ArmSolution,
}

impl Arm {
    /// Solves rows, with settings that were checked.
    pub(crate) fn solve_rows<'r>(
        &self,
        rows: impl Iterator<Item = Row<'r>>,
        settings: &ArmSettings,
    ) {
        let problems = rows.filter_map(|Row { target, values, solution }| {
            let Some(target) = target else {
                let (status, infinite) = (ArmStatus::InvalidTarget, f64::INFINITY);
                *solution = ArmSolution {
                    status,
                    distance: infinite,
                    angle: infinite,
                    iterations: 0,
                    starts: 0,
                };
                return None;
            };
            Some(Problem { goal: self.goal_at(target, settings), values, solution })
        });
        #[cfg(feature = "simd")]
        lanes::solve(self, problems, settings);
        #[cfg(not(feature = "simd"))]
        self.solve_one_by_one(problems, settings);
    }

    fn solve_one_by_one<'r>(
        &self,
        problems: impl Iterator<Item = Problem<'r>>,
        settings: &ArmSettings,
    ) {
        for Problem { goal, values, solution } in problems {
            *solution = self.solve_goal(&goal, values, settings, |_| true, &mut || true);
        }
    }
}
