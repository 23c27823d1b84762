//! A skeleton under the driver: the methods that move its joints, and what they share.

use super::driver::{FLOOR, Recorder, Residual, Run, worse};
use super::least_squares::{LeastSquares, Until};
use super::points::PointsRun;
use super::rig::Rig;
use super::settings::Root;
use super::solution::TraceStep;
use super::turn::Lever;
use super::{Method, Relaxation, Settings};
use crate::Result;
use crate::chain::{Chain, fabrik};
use crate::math::Pose;
use crate::skeleton::Skeleton;
use crate::task::{Miss, Reading, Task, TaskKind};
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
    pub(super) begun: Vec<Pose>,
    kept: Vec<Pose>,
    aside: Vec<Pose>,
    pub(super) web: super::follow::Web,
    pub(super) branches: fabrik::Branches,
    pub(super) least: LeastSquares,
    /// Other starts that least squares may try, and whether it goes on to the least change.
    pub(super) restarts: u32,
    pub(super) wants_least_change: bool,
    root: Root,
    /// Points of the sequence of starts that have been drawn.
    pub(super) draws: u32,
    /// Least squares has the values of the present state.
    knows_values: bool,
    /// Which nodes a restart bends, and the tasks that it is for.
    pub(super) bends: Vec<bool>,
    pub(super) unmet: Vec<usize>,
    /// For reports, which must leave no trace in what a solve goes on with.
    pub(super) report_rows: Vec<Reading>,
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
        self.rig.build(skeleton, start, tasks, settings);
        let asked = settings.tolerance.map_or(1e-6 * self.rig.reach, |t| t * self.rig.scale);
        self.rig.distance_tolerance = asked.max(FLOOR * self.rig.reach).max(f64::MIN_POSITIVE);
        self.rig.angle_tolerance = settings.orientation_tolerance.max(FLOOR);
        self.method = Some(method);
        self.classic = settings.classic;
        self.stops_early = settings.tolerance != Some(0.0);
        self.at_rest = false;
        self.relaxation.clone_from(&settings.relaxation);
        self.begun.clone_from(&self.rig.state);
        self.restarts = settings.least_squares.restarts;
        self.wants_least_change = settings.least_squares.least_change;
        self.root = settings.root;
        self.least.is_prepared = false;
        self.knows_values = false;
        self.make_room_for_least_squares();
        self.forget_web();
    }

    /// Whether least squares is the method and not a rescue.
    pub(super) fn is_least_squares(&self) -> bool {
        self.method == Some(Method::LeastSquares)
    }

    /// How far off the pose is whose tasks miss by so much (in the caller's units).
    pub(super) fn whole_residual(&self, misses: &[Miss]) -> Residual {
        if self.rig.is_plain {
            return self.rig.residual();
        }
        let mut residual = Residual { distance: 0.0, angle: 0.0 };
        for (demand, miss) in self.rig.demands.iter().zip(misses) {
            if demand.is_required() {
                residual.distance = worse(residual.distance, miss.distance * self.rig.scale);
                residual.angle = worse(residual.angle, miss.angle);
            }
        }
        residual
    }

    /// What is done before the first iteration.
    pub(super) fn get_ready(&mut self) {
        self.draws = 0;
        if self.root == Root::PrePulled && !self.classic {
            self.rig.pull_root();
            self.knows_values = false;
            self.forget_points();
        }
        if self.is_least_squares() {
            if core::mem::replace(&mut self.knows_values, true) {
                self.descend_anew();
            } else {
                self.settle_least_squares();
            }
        }
    }

    /// Moves the targets of the position goals (flat, in the caller's units); the pose stays and becomes the one to change
    /// least.
    pub(super) fn retarget(&mut self, targets: &[f64]) {
        for (goal, target) in self.rig.points.iter_mut().zip(targets.chunks_exact(3)) {
            goal.wanted = DVec3::from_slice(target) * self.rig.scale;
        }
        self.stay_here();
    }

    /// The pose becomes the one to change least, with the targets that there are now.
    pub(super) fn stay_here(&mut self) {
        self.begun.clone_from(&self.rig.state);
        if self.is_least_squares() {
            self.least.remember_start(&mut self.rig);
        }
        self.rig.measure_shortfall();
        self.place_targets();
        self.forget_points();
    }

    /// Gives one task another target (in the caller's units). False when the task is of another kind, or speaks about other frames.
    pub(super) fn set_target(&mut self, task: usize, kind: &TaskKind) -> Result<bool> {
        let by = self.rig.scale;
        let Some(demand) = self.rig.demands.get(task) else { return Ok(false) };
        if !demand.kind.is_alike(kind) {
            return Ok(false);
        }
        if let TaskKind::Posture(posture) = kind {
            posture.check_values(&self.rig.posture_joints, task)?;
            self.least.forget_pulls();
            self.rig.demands[task].still = self.rig.miss_of_still_joints(posture);
        }
        let demand = &mut self.rig.demands[task];
        demand.kind.clone_from(kind);
        demand.kind.scale(by);
        self.rig.aim_levers(task, kind);
        Ok(true)
    }

    /// The joint values that least squares knows, with no inverse function on the way.
    pub(super) fn write_known_values(&self, q: &mut Vec<f64>) {
        q.extend_from_slice(&self.rig.start);
        self.least.write_values(&self.rig, q);
        self.rig.write_mimics(q);
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
}

impl Run for RigRun {
    fn merit(&self, _: Residual) -> f64 {
        if self.is_least_squares() { self.least.merit() } else { self.rig.miss() }
    }

    fn progress(&self) -> Option<f64> {
        self.is_least_squares().then(|| self.least.merit().sqrt())
    }

    fn iterate(&mut self, recorder: &mut Recorder<'_>) {
        match self.method {
            Some(Method::Fabrik) => self.follow_fabrik(recorder),
            Some(Method::Relaxation) => self.follow_relaxation(recorder),
            Some(Method::TwoBone) => self.bend_limb(),
            Some(Method::LeastSquares) => self.iterate_least_squares(),
            _ => self.descend(recorder),
        }
    }

    fn residual(&self) -> Residual {
        if !self.rig.is_plain {
            return self.required_residual();
        }
        // The published texts know nothing of what is proven.
        if self.classic { self.rig.residual() } else { self.rig.gap() }
    }

    fn rescue(&mut self, attempt: u32, budget: u32) -> Option<u32> {
        // The closed form has said all there is to say.
        if self.method == Some(Method::TwoBone) { None } else { self.break_free(attempt, budget) }
    }

    fn refine(&mut self) -> bool {
        self.is_least_squares() && self.refine_levels()
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
        if self.is_least_squares() {
            self.settle_least_squares();
        }
    }

    fn describe(&mut self, step: &mut TraceStep) {
        let residual =
            if self.rig.is_plain { self.rig.residual() } else { self.required_residual() };
        step.error = residual.distance / self.rig.scale;
        step.turn = residual.angle;
        self.rig.write_values(&mut step.configuration);
        self.write_shown_points(&mut step.points);
    }
}
