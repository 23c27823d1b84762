//! What a solve comes to: misses, points, status.

use super::figure::Figure;
use super::pose::{State, worse};
use super::problem::{Carrier, Goal, Kind, NONE, Problem};
use super::solution::{Solution, TraceStep};
use crate::math::{Pose, so3_log, wrap_angle};
use crate::task::{Miss, Posture, Reading, TaskKind};
use alloc::vec::Vec;
use glam::DVec3;

impl Problem {
    /// How far a task is from holding, in the problem's units; the misses of targets beyond the horizon to where they are aimed at.
    ///
    /// - `rows`: a buffer
    pub(super) fn miss_of(&self, goal: &Goal, state: &State, rows: &mut Vec<Reading>) -> Miss {
        if let TaskKind::Posture(posture) = &goal.kind {
            return self.miss_of_posture(goal, posture, state);
        }
        rows.clear();
        goal.kind.rows(&self.frames_of(goal, state), rows);
        Miss::of(rows)
    }

    /// World poses of the frames of a task, or the centre of mass as the first one's origin.
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

    /// The largest differences of one joint.
    fn miss_of_posture(&self, goal: &Goal, posture: &Posture, state: &State) -> Miss {
        let mut miss = goal.still;
        miss.distance *= self.scale;
        let mut add = |distance: f64, angle: f64| {
            miss.distance = miss.distance.max(distance);
            miss.angle = miss.angle.max(angle);
        };
        for (k, variable) in self.variables.iter().enumerate() {
            if !self.joint_of(k).is_some_and(|joint| posture.cares_for(joint)) {
                continue;
            }
            let off = self.preferred_value(posture, k) - state.values.variables[k];
            // A hinge without a range is where it should be a whole turn off as well.
            let is_unlimited = variable.limit.bounds() == (f64::NEG_INFINITY, f64::INFINITY);
            match (variable.is_length, is_unlimited) {
                (true, _) => add(off.abs(), 0.0),
                (false, true) => add(0.0, wrap_angle(off).abs()),
                (false, false) => add(0.0, off.abs()),
            }
        }
        for (node, motion) in self.nodes.iter().zip(&state.values.motions) {
            if node.variable != NONE || !posture.cares_for(node.joint) {
                continue;
            }
            let wanted = self.preferred_motion(posture, node);
            let angle = so3_log(wanted.rotation * motion.rotation.conjugate()).length();
            let is_free = node.kind == Kind::Free;
            let distance = (wanted.translation - motion.translation).length();
            add(if is_free { distance } else { 0.0 }, angle);
        }
        miss
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

    /// Fills in a trace step from points and rotations.
    pub(super) fn describe(&self, problem: &Problem, step: &mut TraceStep) {
        let residual = self.residual(problem);
        (step.error, step.turn) = (residual.distance / problem.scale, residual.angle);
        self.write_values(problem, &mut step.configuration);
        self.write_points(problem, &mut step.points);
    }
}

impl Figure {
    /// Fills in what a skeleton adds to a solution, all of it measured on the joint values that are returned; returns the largest misses of what
    /// is required, in the problem's units.
    pub(super) fn report(&mut self, solution: &mut Solution, rows: &mut Vec<Reading>) -> Miss {
        let Self { problem, state, .. } = self;
        state.write_values(problem, &mut solution.configuration);
        state.read_values(problem, &solution.configuration);
        let mut required = Miss::default();
        solution.misses.clear();
        for goal in &problem.goals {
            let miss = problem.miss_of(goal, state, rows);
            if goal.is_required() {
                required.distance = worse(required.distance, miss.distance);
                required.angle = worse(required.angle, miss.angle);
            }
            solution.misses.push(Miss { distance: miss.distance / problem.scale, ..miss });
        }
        solution.error = required.distance / problem.scale;
        solution.orientation_error = required.angle;
        // What is so far off that it was only a direction is measured to where it is.
        for (k, goal) in problem.points.iter().enumerate() {
            if problem.is_beyond_horizon(goal) {
                let distance = state.true_distance(problem, k);
                solution.misses[goal.goal].distance = distance;
                solution.error = worse(solution.error, distance);
                required.distance = worse(required.distance, distance * problem.scale);
            }
        }
        solution.dimension = 3;
        state.write_points(problem, &mut solution.points);
        required
    }
}
