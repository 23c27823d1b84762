//! Measures the result of a solve: errors and points.

use super::pose::State;
use super::problem::{Carrier, Goal, Problem, worse};
use super::run::{Run, Subject};
use super::settings::Method;
use super::solution::{Solution, TraceStep};
use crate::math::Pose;
use crate::task::{Miss, Rows, TaskKind};
use glam::DVec3;

impl Problem {
    /// The error of a task with rows, in the problem's units; of a target beyond the horizon, to the point that is aimed at.
    ///
    /// - `rows`: a buffer
    pub(super) fn miss_of(&self, goal: &Goal, state: &State, rows: &mut Rows) -> Miss {
        rows.clear();
        goal.kind.rows(&self.frames_of(goal, state), rows);
        Miss::of(rows)
    }

    /// World poses of the frames of a task, or of the centre of mass as the origin of the first.
    #[inline]
    pub(super) fn frames_of(&self, goal: &Goal, state: &State) -> [Pose; 2] {
        if goal.bodies.is_empty() {
            return goal.carriers.map(|carrier| state.frame_of(&carrier));
        }
        let (mut sum, mut total) = (DVec3::ZERO, 0.0);
        for (carrier, mass) in &self.bodies[goal.bodies.clone()] {
            sum += state.frame_of(carrier).translation * *mass;
            total += mass;
        }
        [Pose::from_translation(sum / total), Pose::IDENTITY]
    }
}

impl State {
    #[inline(always)]
    pub(super) fn frame_of(&self, carrier: &Carrier) -> Pose {
        match self.world.get(carrier.node) {
            Some(world) => *world * carrier.node_from_frame,
            None => carrier.node_from_frame,
        }
    }

    /// Fills in a trace step from the points and rotations.
    pub(super) fn describe(&self, problem: &Problem, step: &mut TraceStep) {
        let residual = self.residual(problem);
        (step.error, step.turn) = (residual.distance / problem.scale, residual.angle);
        self.write_values(problem, &mut step.configuration);
        self.write_points(problem, &mut step.points);
    }
}

impl Run {
    /// Fills in what the method has found; returns the largest misses of required tasks, in the problem's units.
    pub(super) fn report(&mut self, solution: &mut Solution, rows: &mut Rows) -> Miss {
        self.finish();
        let required = match self.subject {
            Subject::Chain => self.on_points.report(solution),
            _ => self.measure(solution, rows),
        };
        if self.choice.method != Method::TwoBone {
            self.two_bone.forget();
        }
        self.two_bone.write_others(&self.problem, &mut self.returned, &mut solution.others);
        solution.choice = self.choice;
        solution.tolerance = self.problem.tolerance.distance / self.problem.scale;
        solution.error = required.distance / self.problem.scale;
        solution.orientation_error = required.angle;
        required
    }

    /// Fills in the configuration, points and errors of a solution, measured on the returned joint values; returns the largest misses of required
    /// tasks, in the problem's units.
    fn measure(&mut self, solution: &mut Solution, rows: &mut Rows) -> Miss {
        let Self { problem, state, returned, .. } = self;
        state.write_values(problem, &mut solution.configuration);
        returned.values.copy_from(&state.values);
        returned.begun.copy_from(&state.begun);
        returned.read_values(problem, &solution.configuration);
        let mut required = Miss::default();
        solution.misses.clear();
        for goal in &problem.goals {
            if let TaskKind::Posture(posture) = &goal.kind {
                let miss = posture.miss_of(&problem.posture_joints, &solution.configuration);
                solution.misses.push(miss);
                continue;
            }
            let miss = problem.miss_of(goal, returned, rows);
            if goal.is_required() {
                required.distance = worse(required.distance, miss.distance);
                required.angle = worse(required.angle, miss.angle);
            }
            solution.misses.push(Miss { distance: miss.distance / problem.scale, ..miss });
        }
        // The errors of targets beyond the horizon are measured to the true target.
        for (k, goal) in problem.points.iter().enumerate() {
            if problem.is_beyond_horizon(goal) {
                let distance = returned.true_distance(problem, k);
                solution.misses[goal.goal].distance = distance;
                required.distance = worse(required.distance, distance * problem.scale);
            }
        }
        solution.dimension = 3;
        returned.write_points(problem, &mut solution.points);
        required
    }
}
