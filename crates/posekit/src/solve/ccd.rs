//! Cyclic coordinate descent: one joint after the other, from the effectors inward, each makes its best move.
//!
//! Ryan Juckett, *Cyclic Coordinate Descent in 2D* \[juckett09ccd\], and its form in space with hinges and ranges
//! \[vaillant21ccd\], for any tree of hinges, balls, slides and floating joints with any number of effectors. A hinge makes the best turn
//! about its own axis rather than the published turn there and back; [`Settings::classic`](super::Settings::classic) makes
//! the published one. One iteration costs a pass of forward kinematics and a move per joint: linear in the number of joints.

use super::driver::Recorder;
use super::rig::{Kind, Rig, hinge_turn};
use super::rig_run::RigRun;
use super::solution::Phase;
use super::turn::{Lever, Pull, Spoke, Style, turn_hinge};
use crate::math::half_angle;
use glam::{DQuat, DVec3};

/// Arc length, absolute, below which the published text says that a joint did not move.
pub(super) const TRIVIAL_ARC: f64 = 1e-5;

/// Product of lever and wish, absolute, at or below which the published text leaves a joint alone.
pub(super) const DEGENERATE_PRODUCT: f64 = 1e-4;

impl RigRun {
    /// One iteration over all joints. Ends early, inside, when every goal is met.
    pub(super) fn descend(&mut self, recorder: &mut Recorder<'_>) {
        let style = if self.classic {
            Style::Published { degenerate: DEGENERATE_PRODUCT * self.rig.scale * self.rig.scale }
        } else {
            Style::Best
        };
        // Only the published early exit asks.
        self.at_rest = self.classic;
        for i in (0..self.rig.nodes.len()).rev() {
            let share = self.rig.nodes[i].ccd_weight;
            if share == 0.0 {
                continue;
            }
            if !self.rig.is_alone(i) {
                self.descend_shared(i);
            } else if let (Kind::Hinge { axis }, Style::Best) = (self.rig.nodes[i].kind, style) {
                self.rig.turn_to_goals(i, axis, share);
            } else {
                let arc = self.descend_at(i, share, style);
                self.at_rest &= arc <= TRIVIAL_ARC * self.rig.scale;
            }
            if recorder.wants_half_steps() {
                self.record_move(i, recorder);
            }
            if self.stops_early && self.rig.is_there() {
                break;
            }
        }
        self.rig.renormalise();
        self.rig.update();
    }

    /// Records the pose that one joint's move has led to. The joints that follow go by the goals as they were carried along, which differ from
    /// those read off the pose by rounding: they are put back, because a trace changes nothing, not in the last bit.
    fn record_move(&mut self, i: usize, recorder: &mut Recorder<'_>) {
        let points: Vec<DVec3> = self.rig.points.iter().map(|goal| goal.at).collect();
        let turns: Vec<DQuat> = self.rig.turns.iter().map(|goal| goal.at).collect();
        self.rig.update();
        let joint = self.rig.nodes[i].joint;
        recorder.half_step(self, Phase::Joint(joint));
        self.rig.points.iter_mut().zip(points).for_each(|(goal, at)| goal.at = at);
        self.rig.turns.iter_mut().zip(turns).for_each(|(goal, at)| goal.at = at);
    }

    /// Moves one joint and the goals that it carries; returns the longest arc that a goal travelled.
    #[inline]
    fn descend_at(&mut self, i: usize, share: f64, style: Style) -> f64 {
        let center = self.rig.world[i].translation;
        self.gather(i, center);
        let (turn, by) = self.rig.move_node(i, &self.levers, share, style);
        let angle = 2.0 * turn.xyz().length();
        let mut arc = 0.0_f64;
        let [points, turns] = self.rig.nodes[i].moves.clone();
        for k in points {
            let goal = &mut self.rig.points[self.rig.downstream[k]];
            let lever = goal.at - center;
            arc = arc.max(angle * lever.length() + by.length());
            goal.at = center + turn * lever + by;
        }
        for k in turns {
            let goal = &mut self.rig.turns[self.rig.downstream[k]];
            goal.at = turn * goal.at;
        }
        arc
    }

    /// Levers and wishes of a joint: one per point goal; a frame goal counts like three points at the chain's reach.
    #[inline]
    fn gather(&mut self, i: usize, center: DVec3) {
        self.levers.clear();
        let [points, turns] = self.rig.nodes[i].moves.clone();
        for k in points {
            let goal = &self.rig.points[self.rig.downstream[k]];
            let (is, wish) = (goal.at - center, goal.target - center);
            self.levers.push(Lever { is, wish, weight: goal.weight });
        }
        if turns.is_empty() || matches!(self.rig.nodes[i].kind, Kind::Slide { .. }) {
            return;
        }
        for k in turns {
            let goal = &self.rig.turns[self.rig.downstream[k]];
            push_frame(
                &mut self.levers,
                goal.at,
                goal.target,
                goal.weight * self.rig.frame_weight(),
            );
        }
    }

    /// A joint whose variable others share: a Newton step on the variable, halved until it helps.
    fn descend_shared(&mut self, i: usize) {
        let Some(variable) = self.rig.nodes[i].variable else { return };
        if !self.rig.leads(i) {
            return;
        }
        self.rig.update();
        let (slope, curvature) = self.rig.slope(variable);
        if curvature <= 0.0 {
            return;
        }
        let (old, miss) = (self.rig.variable_value(i), self.rig.miss());
        let mut step = slope / curvature;
        for _ in 0..12 {
            self.rig.set_variable(i, self.rig.clamp_variable(i, old + step));
            self.rig.update();
            if self.rig.miss() < miss {
                return;
            }
            step *= 0.5;
        }
        self.rig.set_variable(i, old);
        self.rig.update();
    }
}

/// A frame's three axes as levers.
pub(super) fn push_frame(levers: &mut Vec<Lever>, is: DQuat, target: DQuat, weight: f64) {
    for axis in DVec3::AXES {
        levers.push(Lever { is: is * axis, wish: target * axis, weight });
    }
}

impl Rig {
    /// Makes a hinge's best turn towards the goals that it moves, and carries them along.
    #[inline(always)]
    fn turn_to_goals(&mut self, i: usize, axis: DVec3, share: f64) {
        let node = &self.nodes[i];
        let center = self.world[i].translation;
        let axis_in_world = self.in_world(i, axis);
        let [points, turns] = node.moves.clone();
        if let ([k], true) = (&self.downstream[points.clone()], turns.is_empty()) {
            // One point, the usual case: its products with the axis serve twice.
            let goal = &mut self.points[*k];
            let spoke = Spoke::new(axis_in_world, goal.at - center);
            if spoke.is_idle() {
                return;
            }
            let pull = spoke.pull(goal.target - center, goal.weight);
            let Some(wanted) = pull.turn() else { return };
            let done = turn_hinge(&mut self.state[i].rotation, axis, &node.bound, wanted, share);
            goal.at = center + spoke.turned(done);
            return;
        }
        let mut pull = Pull::default();
        for k in points.clone() {
            let goal = &self.points[self.downstream[k]];
            pull.add(axis_in_world, goal.at - center, goal.target - center, goal.weight);
        }
        for k in turns.clone() {
            let goal = &self.turns[self.downstream[k]];
            let weight = goal.weight * self.frame_weight();
            for axis in DVec3::AXES {
                pull.add(axis_in_world, goal.at * axis, goal.target * axis, weight);
            }
        }
        let Some(wanted) = pull.turn() else { return };
        let done = turn_hinge(&mut self.state[i].rotation, axis, &node.bound, wanted, share);
        for k in points {
            let goal = &mut self.points[self.downstream[k]];
            goal.at = center + Spoke::new(axis_in_world, goal.at - center).turned(done);
        }
        if !turns.is_empty() {
            let turn = hinge_turn(axis_in_world, half_angle(done.0, done.1));
            for k in turns {
                let goal = &mut self.turns[self.downstream[k]];
                goal.at = turn * goal.at;
            }
        }
    }

    /// What a frame goal counts against a point goal: a radian like the reach, spread over three axes of which two turn.
    pub(super) fn frame_weight(&self) -> f64 {
        0.5 * self.unit() * self.unit()
    }

    /// The sum of squares that descent descends.
    pub(super) fn miss(&self) -> f64 {
        let points: f64 =
            self.points.iter().map(|g| g.weight * g.at.distance_squared(g.target)).sum();
        let axes = |q: DQuat, t: DQuat| -> f64 {
            DVec3::AXES.iter().map(|&axis| (q * axis).distance_squared(t * axis)).sum()
        };
        let turns: f64 = self.turns.iter().map(|g| g.weight * axes(g.at, g.target)).sum();
        points + self.frame_weight() * turns
    }

    /// First and second derivative (Gauss–Newton) of half the miss along a variable, the first with its sign turned.
    fn slope(&self, variable: usize) -> (f64, f64) {
        let (mut slope, mut curvature) = (0.0, 0.0);
        for (g, goal) in self.points.iter().enumerate() {
            let mut column = DVec3::ZERO;
            for i in (0..self.nodes.len()).filter(|&i| self.nodes[i].variable == Some(variable)) {
                let moves = self.nodes[i].moves[0].clone();
                if !self.downstream[moves].contains(&g) {
                    continue;
                }
                column += match self.nodes[i].kind {
                    Kind::Hinge { axis } => {
                        self.in_world(i, axis).cross(goal.at - self.world[i].translation)
                    }
                    Kind::Slide { axis } => self.in_world(i, axis),
                    _ => DVec3::ZERO,
                } * self.gain(i);
            }
            slope += goal.weight * column.dot(goal.target - goal.at);
            curvature += goal.weight * column.length_squared();
        }
        (slope, curvature)
    }
}
