//! A skeleton under the driver: cyclic coordinate descent, FABRIK and relaxation on its joints.

use super::driver::{FLOOR, Recorder, Residual, Run};
use super::least_squares::Until;
use super::points::PointsRun;
use super::rig::{Rig, State};
use super::solution::TraceStep;
use super::turn::Lever;
use super::{Method, Relaxation, Settings};
use crate::chain::{Chain, fabrik};
use crate::skeleton::Skeleton;
use crate::task::Task;
use glam::DVec3;

/// The state of a skeleton that is being solved.
#[derive(Debug, Clone, Default)]
pub(super) struct RigRun {
    pub(super) rig: Rig,
    pub(super) method: Option<Method>,
    pub(super) classic: bool,
    pub(super) stops_early: bool,
    pub(super) at_rest: bool,
    pub(super) relaxation: Relaxation,
    pub(super) levers: Vec<Lever>,
    pub(super) begun: State,
    kept: State,
    aside: State,
    pub(super) web: super::follow::Web,
    pub(super) branches: fabrik::Branches,
    pub(super) least: super::least_squares::Buffers,
    /// For the closed way of free chains.
    pub(super) points: PointsRun,
    pub(super) chain: Chain,
    pub(super) flat: Vec<f64>,
    /// For the two-bone form: its answers, best first.
    pub(super) limbs: Vec<super::two_bone::Pair>,
    /// Buffers for the configurations of other answers, while there are none.
    pub(super) spare_values: Vec<Vec<f64>>,
}

impl RigRun {
    /// Takes over a problem whose parts have been checked; `start` is inside the limits.
    pub(super) fn begin(
        &mut self,
        skeleton: &Skeleton,
        start: &[f64],
        tasks: &[Task],
        method: Method,
        settings: &Settings,
    ) {
        self.rig.build(skeleton, start, tasks, &settings.ccd.weights);
        let asked = settings.tolerance.map_or(1e-6 * self.rig.reach, |t| t * self.rig.scale);
        self.rig.distance_tolerance = asked.max(FLOOR * self.rig.reach).max(f64::MIN_POSITIVE);
        self.rig.angle_tolerance = settings.orientation_tolerance.max(FLOOR);
        self.method = Some(method);
        self.classic = settings.classic;
        self.stops_early = settings.tolerance != Some(0.0);
        self.at_rest = false;
        self.relaxation.clone_from(&settings.relaxation);
        self.begun.clone_from(&self.rig.state);
        self.forget_web();
    }
}

impl RigRun {
    /// Moves the targets of the position goals (flat, in the caller's units); the pose stays and becomes the one to change
    /// least.
    pub(super) fn retarget(&mut self, targets: &[f64]) {
        for (goal, target) in self.rig.points.iter_mut().zip(targets.chunks_exact(3)) {
            goal.wanted = DVec3::from_slice(target) * self.rig.scale;
        }
        self.begun.clone_from(&self.rig.state);
        self.rig.measure_shortfall();
        self.place_targets();
        self.forget_points();
    }

    /// Remembers the state while what is returned is measured: joint values are rounded, and whether anyone has looked at a
    /// solution must not change a bit of the next.
    pub(super) fn set_aside(&mut self) {
        self.aside.clone_from(&self.rig.state);
    }

    /// Returns to the state set aside.
    pub(super) fn take_back(&mut self) {
        self.rig.state.clone_from(&self.aside);
        self.rig.update();
    }

    /// The joints at limits that hold the effectors back: those that would turn outward if they could, or, when none would
    /// (a pose at rest), all that stand at a limit.
    pub(super) fn find_blocking(&mut self, joints: &mut Vec<usize>) {
        let mut buffers = core::mem::take(&mut self.least);
        self.rig.list_blocking(&mut buffers, joints);
        self.least = buffers;
        if joints.is_empty() {
            joints.extend(
                (0..self.rig.nodes.len())
                    .filter(|&i| self.rig.is_at_limit(i))
                    .map(|i| self.rig.nodes[i].joint),
            );
        }
        joints.sort_unstable();
        joints.dedup();
    }
}

impl Run for RigRun {
    fn merit(&self, _: Residual) -> f64 {
        self.rig.miss()
    }

    fn iterate(&mut self, recorder: &mut Recorder<'_>) {
        match self.method {
            Some(Method::Fabrik) => self.follow_fabrik(recorder),
            Some(Method::Relaxation) => self.follow_relaxation(recorder),
            Some(Method::TwoBone) => self.bend_limb(),
            _ => self.descend(recorder),
        }
    }

    fn residual(&self) -> Residual {
        // The published texts know nothing of what is proven.
        if self.classic { self.rig.residual() } else { self.rig.gap() }
    }

    fn rescue(&mut self, attempt: u32, budget: u32) -> Option<u32> {
        // The closed form has said all there is to say.
        if self.method == Some(Method::TwoBone) { None } else { self.break_free(attempt, budget) }
    }

    fn come_to_rest(&mut self, budget: u32) -> u32 {
        if self.method == Some(Method::TwoBone) {
            return 0;
        }
        let steps = self.least_squares(budget, Until::AtRest);
        self.forget_points();
        steps
    }

    fn is_at_rest(&self) -> bool {
        self.method == Some(Method::Ccd) && self.at_rest
    }

    fn keep(&mut self) {
        self.kept.clone_from(&self.rig.state);
    }

    fn recall(&mut self) {
        self.rig.state.clone_from(&self.kept);
        self.rig.update();
        self.forget_points();
    }

    fn describe(&mut self, step: &mut TraceStep) {
        step.error = self.rig.residual().distance / self.rig.scale;
        self.rig.write_values(&mut step.configuration);
        self.write_shown_points(&mut step.points);
    }
}
