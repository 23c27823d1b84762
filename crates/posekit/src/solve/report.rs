//! What a solve comes to: misses, points, status.

use super::figure::Figure;
use super::pose::{State, worse};
use super::problem::{Carrier, Goal, Problem};
use super::solution::{Solution, TraceStep};
use crate::math::Pose;
use crate::task::{Miss, Reading, TaskKind};
use alloc::vec::Vec;
use glam::DVec3;

impl Problem {
    /// How far a task with rows is from holding, in the problem's units; the misses of targets beyond the horizon to where they are aimed at.
    ///
    /// - `rows`: a buffer
    pub(super) fn miss_of(&self, goal: &Goal, state: &State, rows: &mut Vec<Reading>) -> Miss {
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
            if let TaskKind::Posture(posture) = &goal.kind {
                let miss = posture.miss_of(&problem.posture_joints, &solution.configuration);
                solution.misses.push(miss);
                continue;
            }
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
