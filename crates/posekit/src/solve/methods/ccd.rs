//! Cyclic coordinate descent: one joint after the other, from the effectors inward, each makes its best move.
//!
//! One iteration visits the joints from the last to the first; joint `i` at `p` takes the angle
//!
//! ```text
//! xᵢ = atan2(S, C),   C = Σ w (u·v − (a·u)(a·v)),   S = a · Σ w u × v,   u = effector − p,  v = target − p
//! ```
//!
//! (see [`moves`](crate::solve::moves)), clamped to its range. Ryan Juckett, *Cyclic Coordinate Descent in 2D* \[juckett09ccd\], and its form in space
//! with hinges and ranges \[vaillant21ccd\], for any tree of hinges, balls, slides and free joints with any number of effectors. A hinge makes
//! the best rotation about its own axis rather than the published rotation there and back;
//! [`Settings::classic`](crate::solve::Settings::classic) makes the published one. An iteration is linear in the number of joints.

use super::Method;
use crate::math::{atan2, half_angle, sin_cos};
use crate::solve::moves::{Lever, Style, Torque, push_frame};
use crate::solve::pose::{State, hinge_rotation};
use crate::solve::problem::{Kind, Problem};
use crate::solve::recorder::Recorder;
use crate::solve::solution::Phase;
use alloc::vec::Vec;
use glam::DVec3;

/// Arc length, absolute, below which the published text says that a joint did not move.
const PUBLISHED_ARC: f64 = 1e-5;

/// Product of the lengths of lever and goal, absolute, at or below which the published text leaves a joint alone.
const PUBLISHED_DEGENERATE: f64 = 1e-4;

/// A lever this short is rounding, in units of length: the effector stands on the axis.
const ROUNDING_LEVER: f64 = 1e-14;

/// Halvings of a Newton step on a shared variable: after 12 it is a quarter of a per mille of the whole.
const HALVINGS: u32 = 12;

/// See the module.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ccd {
    /// No effector has moved far enough in the last iteration.
    at_rest: bool,
    levers: Vec<Lever>,
}

impl Method for Ccd {
    fn begin(&mut self, _: &Problem, _: &mut State) {
        self.at_rest = false;
    }

    fn iterate(&mut self, problem: &Problem, state: &mut State, recorder: &mut Recorder<'_>) {
        self.at_rest = problem.settings.classic;
        for i in (0..problem.nodes.len()).rev() {
            self.visit(problem, state, i);
            if recorder.wants_half_steps() {
                record(problem, state, i, recorder);
            }
            if problem.stops_early() && state.is_there(problem) {
                break;
            }
        }
        state.renormalise();
        state.update(problem);
    }

    fn is_at_rest(&self) -> bool {
        self.at_rest
    }
}

impl Ccd {
    /// Moves one joint, and the effectors that it carries.
    fn visit(&mut self, problem: &Problem, state: &mut State, i: usize) {
        match problem.nodes[i].kind {
            _ if !problem.is_alone(i) => self.move_shared(problem, state, i),
            Kind::Hinge { axis } if !problem.settings.classic => {
                rotate_hinge(problem, state, i, axis)
            }
            _ => {
                let arc = self.move_joint(problem, state, i);
                self.at_rest &= arc <= PUBLISHED_ARC * problem.scale;
            }
        }
    }

    /// Moves a joint by its levers; returns the longest arc that an effector travelled.
    fn move_joint(&mut self, problem: &Problem, state: &mut State, i: usize) -> f64 {
        let (node, center) = (&problem.nodes[i], state.world[i].translation);
        let style = if problem.settings.classic {
            Style::Published { degenerate: PUBLISHED_DEGENERATE * problem.scale * problem.scale }
        } else {
            Style::Best
        };
        self.gather(problem, state, i, center);
        let (rotation, by) = state.move_node(problem, i, &self.levers, node.ccd_weight, style);
        let angle = 2.0 * rotation.xyz().length();
        let mut arc = 0.0_f64;
        for &k in &problem.moved[node.moves_points.clone()] {
            let lever = state.points[k] - center;
            arc = arc.max(angle * lever.length() + by.length());
            state.points[k] = center + rotation * lever + by;
        }
        for &k in &problem.moved[node.moves_rotations.clone()] {
            state.rotations[k] = rotation * state.rotations[k];
        }
        arc
    }

    /// Moves the joints that share a variable: a Newton step, halved until it helps.
    ///
    /// The second derivative is bounded by `n Σ w v²` over the velocities `v` that each of the `n` joints gives its levers.
    fn move_shared(&mut self, problem: &Problem, state: &mut State, i: usize) {
        if !problem.leads(i) {
            return;
        }
        state.update(problem);
        let index = problem.nodes[i].variable;
        let (mut slope, mut curvature) = (0.0, 0.0);
        for &i in problem.nodes_of(index) {
            let (kind, gain) = (problem.nodes[i].kind, problem.nodes[i].gain);
            self.gather(problem, state, i, state.world[i].translation);
            for Lever { from, to, weight } in &self.levers {
                let velocity = match kind {
                    Kind::Hinge { axis } => state.in_world(i, axis).cross(*from) * gain,
                    Kind::Slide { axis } => state.in_world(i, axis) * gain,
                    Kind::Ball | Kind::Free => DVec3::ZERO,
                };
                slope += weight * velocity.dot(*to - *from);
                curvature += weight * velocity.length_squared();
            }
        }
        if curvature <= 0.0 {
            return;
        }
        let mut step = slope / (curvature * problem.nodes_of(index).len() as f64);
        let (old, before) = (state.values.variables[index], state.sum_of_squares(problem));
        for _ in 0..HALVINGS {
            state.set_variable(problem, index, problem.variables[index].clamp(old + step));
            state.update(problem);
            if state.sum_of_squares(problem) < before {
                return;
            }
            step *= 0.5;
        }
        state.set_variable(problem, index, old);
        state.update(problem);
    }

    /// The levers of a joint: one per point; a frame counts like three points at the unit of length.
    fn gather(&mut self, problem: &Problem, state: &State, i: usize, center: DVec3) {
        let node = &problem.nodes[i];
        self.levers.clear();
        for &k in &problem.moved[node.moves_points.clone()] {
            let goal = &problem.points[k];
            let (from, to) = (state.points[k] - center, goal.target - center);
            self.levers.push(Lever { from, to, weight: goal.weight });
        }
        if matches!(node.kind, Kind::Slide { .. }) {
            return;
        }
        for &k in &problem.moved[node.moves_rotations.clone()] {
            let goal = &problem.rotations[k];
            let weight = goal.weight * problem.frame_weight();
            push_frame(&mut self.levers, state.rotations[k], goal.target, weight);
        }
    }
}

/// Makes the best rotation of a hinge on its own, and carries the effectors along: the module's equation, without levers gathered first.
#[inline(always)]
fn rotate_hinge(problem: &Problem, state: &mut State, i: usize, axis: DVec3) {
    let node = &problem.nodes[i];
    let (center, axis_in_world) = (state.world[i].translation, state.in_world(i, axis));
    let points = &problem.moved[node.moves_points.clone()];
    let rotations = &problem.moved[node.moves_rotations.clone()];
    let mut torque = Torque::default();
    for &k in points {
        let (goal, from) = (&problem.points[k], state.points[k] - center);
        if from.cross(axis_in_world).length_squared() > ROUNDING_LEVER * ROUNDING_LEVER {
            torque.add(axis_in_world, from, goal.target - center, goal.weight);
        }
    }
    for &k in rotations {
        let goal = &problem.rotations[k];
        let (now, weight) = (state.rotations[k], goal.weight * problem.frame_weight());
        for axis in DVec3::AXES {
            torque.add(axis_in_world, now * axis, goal.target * axis, weight);
        }
    }
    let Some((mut c, mut s)) = torque.direction() else { return };
    let variable = &problem.variables[node.variable];
    let old = state.values.variables[node.variable];
    let desired = node.ccd_weight * atan2(s, c) / node.gain;
    let new = variable.nearest_angle(old, desired, node.gain);
    if new != old + desired || node.ccd_weight != 1.0 {
        (s, c) = sin_cos(node.gain * (new - old));
    }
    let half = half_angle(c, s);
    state.values.variables[node.variable] = new;
    let motion = &mut state.values.motions[i];
    let (w, v) = (motion.rotation.w, motion.rotation.xyz().dot(axis));
    motion.rotation = hinge_rotation(axis, (w * half.0 - v * half.1, v * half.0 + w * half.1));
    for &k in points {
        let from = state.points[k] - center;
        let along = axis_in_world * axis_in_world.dot(from);
        state.points[k] = center + from * c + axis_in_world.cross(from) * s + along * (1.0 - c);
    }
    for &k in rotations {
        state.rotations[k] = hinge_rotation(axis_in_world, half) * state.rotations[k];
    }
}

/// Records the pose that the move of one joint has led to. The joints that follow go by the effectors as they were carried along, which
/// differ from those of the pose by rounding: they are put back, because a trace changes nothing, not in the last bit.
fn record(problem: &Problem, state: &mut State, i: usize, recorder: &mut Recorder<'_>) {
    let carried = (state.points.clone(), state.rotations.clone());
    state.update(problem);
    let phase = Phase::Joint(problem.nodes[i].joint);
    recorder.record(phase, |step| state.describe(problem, step));
    (state.points, state.rotations) = carried;
}
