//! What `auto` chooses, and why.

use super::rig_run::RigRun;
use super::{Choice, Method, Settings};

impl RigRun {
    /// The closed form where there is one, else the fastest method that can do what is asked.
    pub(super) fn choose(&self, is_limb: bool, is_free: bool, settings: &Settings) -> Choice {
        let rig = &self.rig;
        let has_wishes = settings.least_squares != super::LeastSquares::default();
        let is_idle = rig.demands.iter().all(|demand| demand.weight == 0.0);
        let (method, reason) = if is_idle {
            (Method::LeastSquares, "nothing is asked for")
        } else if !rig.is_plain {
            (Method::LeastSquares, "tasks that only least squares can do")
        } else if has_wishes {
            (Method::LeastSquares, "stiffness, velocity limits or other choices of least squares")
        } else if is_limb {
            (Method::TwoBone, "one point and two joints: solved in closed form")
        } else if is_free {
            (
                Method::Direct,
                "one point and an unbranched chain without limits: solved in closed form",
            )
        } else if rig.points.len() == 1 && rig.turns.is_empty() {
            (Method::Ccd, "one point and joints with axes or limits")
        } else if rig.points.is_empty() {
            (Method::LeastSquares, "orientations")
        } else {
            (Method::LeastSquares, "several things at once")
        };
        Choice { method, reason }
    }
}
