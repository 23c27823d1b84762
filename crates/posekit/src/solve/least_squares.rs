//! Damped least squares with limits inside the step: what takes over where a method stalls or crawls.
//!
//! | symbol | meaning | shape | unit |
//! |---|---|---|---|
//! | `e` | weighted misses of all goals, target minus effector | m | reach |
//! | `J` | how the effectors follow the joints | m × n | reach/rad |
//! | `λ` | damping | 1 | reach² |
//!
//! A step solves `(J Jᵀ + λ I) y = e`, `Δq = Jᵀ y` (Levenberg and Marquardt in task space, \[wampler86\]): small for few
//! goals, whatever the number of joints, and finite at singular poses. A joint that stands at a limit and is pushed outward is
//! taken out of `J` and the step is solved again (an active set), so limits are part of the step and not a clamp after it.
//! Damping falls tenfold with every step that helps and rises with every one that does not.

use super::rig::{Bound, Kind, Rig, State};
use super::rig_run::RigRun;
use crate::math::{cholesky_factor, cholesky_solve, so3_exp, so3_log, swing_twist};
use crate::skeleton::Limit;
use glam::DVec3;

/// Largest sum of all joints' changes in one step \[rad, or the reach\]: how far the linear picture of a chain holds, whatever
/// the number of its joints.
const LARGEST_STEP: f64 = 1.5;

/// An attempt ends when this many steps have not even halved the sum of squares: another start is worth more. Unless it is
/// [`CLOSE`], where valleys are narrow and patience pays.
const STEPS_TO_HALVE: u32 = 4;

/// On the way to the nearest pose steps go on until one leaves this part of the sum of squares.
const STANDSTILL: f64 = 1.0 - 1e-11;

/// A push on the joints this small, relative to the miss and the reach, is rounding: the pose is at rest.
const REST: f64 = 1e-11;

/// Sum of squares, relative to the reach, below which an attempt is close: 3e-4 of the reach.
const CLOSE: f64 = 1e-7;

/// How far along a step its bend is probed, and the largest bend, relative to the step, that is believed \[transtrum12\].
const PROBE: f64 = 0.1;
const LARGEST_BEND: f64 = 0.75;

/// Solves of one step while joints are taken out at their limits.
const ACTIVE_SET_ROUNDS: u32 = 6;

/// How long to go on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Until {
    /// While it looks as if the goals will be met.
    Hopeless,
    /// Until nothing moves: to the nearest pose.
    AtRest,
}

/// One unknown of the step.
#[derive(Debug, Clone, Copy)]
struct Column {
    node: usize,
    unknown: Unknown,
    /// At a limit: it may not go below (−1) or above (+1) where it is; 2 when it may not move at all.
    stop: i8,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Unknown {
    /// The variable of one or several one-value joints.
    Variable(usize),
    /// A rotation about this world axis.
    Turn(DVec3),
    /// A translation along this world axis.
    Shift(DVec3),
}

/// Buffers, sized by the largest rig seen.
#[derive(Debug, Clone, Default)]
pub(super) struct Buffers {
    columns: Vec<Column>,
    jacobian: Vec<f64>,
    misses: Vec<f64>,
    gram: Vec<f64>,
    y: Vec<f64>,
    step: Vec<f64>,
    kept: State,
    /// Outward directions at a ball's cone, taken out of its columns: (node, world axis).
    walls: Vec<(usize, DVec3)>,
}

impl RigRun {
    /// Damped least squares until the goals are met or nothing helps; returns the steps taken.
    pub(super) fn least_squares(&mut self, steps: u32, until: Until) -> u32 {
        let mut buffers = core::mem::take(&mut self.least);
        let mut miss = self.rig.gather_misses(&mut buffers);
        let (mut damping, mut milestone) = (1e-3 * miss, miss);
        let (mut taken, mut is_curved, unit) = (0, false, self.rig.unit());
        // Where misses stay, the model overshoots and damping has to find its level; where they vanish, it can vanish too.
        let ease = if until == Until::AtRest { 3.0 } else { 10.0 };
        while taken < steps && !self.rig.is_there() {
            if until == Until::Hopeless && taken % STEPS_TO_HALVE == STEPS_TO_HALVE - 1 {
                if miss > (0.5 * milestone).max(CLOSE * unit * unit) {
                    break;
                }
                milestone = miss;
            }
            taken += 1;
            buffers.kept.clone_from(&self.rig.state);
            if !self.rig.step(damping, is_curved, &mut buffers) {
                break;
            }
            self.rig.update();
            let now = self.rig.gather_misses(&mut buffers);
            if now < miss {
                if until == Until::AtRest && now >= STANDSTILL * miss {
                    break;
                }
                (miss, damping) = (now, (damping / ease).max(1e-18));
            } else {
                self.rig.state.clone_from(&buffers.kept);
                self.rig.update();
                self.rig.gather_misses(&mut buffers);
                damping = (ease * damping).max(1e-9);
                is_curved = true;
            }
        }
        self.least = buffers;
        taken
    }
}

impl Rig {
    /// Fills `misses` and returns their sum of squares.
    fn gather_misses(&self, b: &mut Buffers) -> f64 {
        b.misses.clear();
        for goal in &self.points {
            let miss = (goal.target - goal.at) * goal.weight.sqrt();
            b.misses.extend(miss.to_array());
        }
        for goal in &self.turns {
            let miss = so3_log(goal.target * goal.at.conjugate()) * self.turn_scale(goal.weight);
            b.misses.extend(miss.to_array());
        }
        b.misses.iter().map(|x| x * x).sum()
    }

    fn turn_scale(&self, weight: f64) -> f64 {
        weight.sqrt() * self.unit()
    }

    /// One damped step inside the limits; false when no joint can help. `is_curved`: an earlier step failed, so bend this one.
    fn step(&mut self, damping: f64, is_curved: bool, b: &mut Buffers) -> bool {
        self.list_columns(b);
        b.walls.clear();
        for _ in 0..ACTIVE_SET_ROUNDS {
            self.fill_jacobian(b);
            if is_at_rest(REST * self.unit(), b) || !solve_step(damping, b) {
                return false;
            }
            if !self.stop_at_walls(b) {
                break;
            }
        }
        let length: f64 = b.step.iter().map(|x| x.abs()).sum();
        if length == 0.0 {
            return false;
        }
        let scale = (LARGEST_STEP / length).min(1.0);
        if is_curved && scale >= 1.0 {
            self.bend_step(b);
        }
        for k in 0..b.columns.len() {
            self.apply(b.columns[k], b.step[k] * scale);
        }
        true
    }

    /// Bends the step along the valley that the goals are met in: geodesic acceleration \[transtrum12\].
    ///
    /// Near a singular pose the valley is narrow and curved and the straight step runs into its side. A probe a little way
    /// along the step shows by how much the effectors leave the tangent; half of that, solved for with the factor at hand, is taken
    /// back.
    fn bend_step(&mut self, b: &mut Buffers) {
        for k in 0..b.columns.len() {
            self.apply(b.columns[k], b.step[k] * PROBE);
        }
        self.update();
        let m = b.misses.len();
        core::mem::swap(&mut b.misses, &mut b.y);
        self.gather_misses(b);
        core::mem::swap(&mut b.misses, &mut b.y);
        self.state.clone_from(&b.kept);
        self.update();
        // y = misses at the probe; the effectors' second derivative along the step is 2 (e − h J Δq − e(h)) / h².
        for r in 0..m {
            let tangent: f64 =
                (0..b.columns.len()).map(|k| b.jacobian[k * m + r] * b.step[k]).sum();
            b.y[r] = -(b.misses[r] - PROBE * tangent - b.y[r]) / (PROBE * PROBE);
        }
        cholesky_solve(&b.gram, &mut b.y);
        let bend = |k: usize, b: &Buffers| -> f64 {
            b.jacobian[k * m..(k + 1) * m].iter().zip(&b.y).map(|(j, y)| j * y).sum()
        };
        let size: f64 = (0..b.columns.len()).map(|k| bend(k, b) * bend(k, b)).sum();
        let straight: f64 = b.step.iter().map(|x| x * x).sum();
        if size <= LARGEST_BEND * LARGEST_BEND * straight {
            for k in 0..b.columns.len() {
                b.step[k] += bend(k, b);
            }
        }
    }

    fn list_columns(&self, b: &mut Buffers) {
        b.columns.clear();
        for (i, node) in self.nodes.iter().enumerate() {
            let mut push = |unknown| b.columns.push(Column { node: i, unknown, stop: 0 });
            match node.kind {
                Kind::Hinge { .. } | Kind::Slide { .. } => {
                    let Some(variable) = node.variable else { continue };
                    if self.is_alone(i) || self.leads(i) {
                        push(Unknown::Variable(variable));
                    }
                }
                Kind::Ball => DVec3::AXES.iter().for_each(|&axis| push(Unknown::Turn(axis))),
                Kind::Free => {
                    DVec3::AXES.iter().for_each(|&axis| push(Unknown::Turn(axis)));
                    DVec3::AXES.iter().for_each(|&axis| push(Unknown::Shift(axis)));
                }
            }
        }
    }

    fn fill_jacobian(&self, b: &mut Buffers) {
        let m = b.misses.len();
        b.jacobian.clear();
        b.jacobian.resize(m * b.columns.len(), 0.0);
        for (k, column) in b.columns.iter().enumerate() {
            if column.stop != 0 {
                continue;
            }
            let out = &mut b.jacobian[k * m..(k + 1) * m];
            match column.unknown {
                Unknown::Variable(variable) if !self.is_alone(column.node) => {
                    for i in column.node..self.nodes.len() {
                        if self.nodes[i].variable == Some(variable) {
                            self.add_node(i, self.gain(i), out);
                        }
                    }
                }
                Unknown::Variable(_) => self.add_node(column.node, self.gain(column.node), out),
                Unknown::Turn(axis) => {
                    let mut axis = axis;
                    for &(_, wall) in b.walls.iter().filter(|(node, _)| *node == column.node) {
                        axis -= wall * wall.dot(axis);
                    }
                    self.add_turn(column.node, axis, out);
                }
                Unknown::Shift(axis) => self.add_shift(column.node, axis, out),
            }
        }
    }

    fn add_node(&self, i: usize, gain: f64, out: &mut [f64]) {
        match self.nodes[i].kind {
            Kind::Hinge { axis } => self.add_turn(i, self.before[i].rotation * axis * gain, out),
            Kind::Slide { axis } => self.add_shift(i, self.before[i].rotation * axis * gain, out),
            _ => {}
        }
    }

    /// Adds what a rotation vector at node `i` does to every goal that it moves.
    fn add_turn(&self, i: usize, axis: DVec3, out: &mut [f64]) {
        let center = self.world[i].translation;
        let [points, turns] = self.nodes[i].moves.clone();
        for k in points {
            let goal = self.downstream[k];
            let column =
                axis.cross(self.points[goal].at - center) * self.points[goal].weight.sqrt();
            add(&mut out[3 * goal..3 * goal + 3], column);
        }
        for k in turns {
            let goal = self.downstream[k];
            let row = 3 * (self.points.len() + goal);
            add(&mut out[row..row + 3], axis * self.turn_scale(self.turns[goal].weight));
        }
    }

    fn add_shift(&self, i: usize, axis: DVec3, out: &mut [f64]) {
        for k in self.nodes[i].moves[0].clone() {
            let goal = self.downstream[k];
            add(&mut out[3 * goal..3 * goal + 3], axis * self.points[goal].weight.sqrt());
        }
    }

    /// Takes out the columns, and the directions of balls, in which the step would leave the limits; true if there were any.
    fn stop_at_walls(&self, b: &mut Buffers) -> bool {
        let mut found = false;
        for k in 0..b.columns.len() {
            let Column { node, unknown, stop } = b.columns[k];
            match unknown {
                Unknown::Variable(_) if stop == 0 => {
                    let side = self.side(node);
                    let outward = b.step[k] * self.gain(node) * f64::from(side) > 0.0;
                    if side == 2 || (side != 0 && outward) {
                        b.columns[k].stop = side;
                        found = true;
                    }
                }
                Unknown::Turn(axis) if axis == DVec3::X => {
                    let turn = DVec3::new(b.step[k], b.step[k + 1], b.step[k + 2]);
                    let walls = self.cone_walls(node);
                    for wall in walls.into_iter().flatten() {
                        let known = b.walls.iter().any(|&(n, w)| n == node && w.dot(wall) > 0.999);
                        if !known && turn.dot(wall) > 1e-12 {
                            b.walls.push((node, wall));
                            found = true;
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// Joints at limits that the miss pushes outward.
    pub(super) fn list_blocking(&mut self, b: &mut Buffers, joints: &mut Vec<usize>) {
        joints.clear();
        let miss = self.gather_misses(b).sqrt();
        self.list_columns(b);
        b.walls.clear();
        self.fill_jacobian(b);
        let m = b.misses.len();
        b.step.clear();
        if m == 0 {
            return;
        }
        b.step.extend(
            b.jacobian
                .chunks_exact(m)
                .map(|c| c.iter().zip(&b.misses).map(|(j, e)| j * e).sum::<f64>()),
        );
        // What turns the miss by less than this is rounding.
        let least = 1e-6 * miss * self.reach;
        b.step.iter_mut().for_each(|push| *push = if push.abs() > least { *push } else { 0.0 });
        self.stop_at_walls(b);
        let stopped = b.columns.iter().zip(&b.step);
        let stopped = stopped.filter(|(column, push)| column.stop != 0 && **push != 0.0);
        joints.extend(stopped.map(|(column, _)| self.nodes[column.node].joint));
        joints.extend(b.walls.iter().map(|&(node, _)| self.nodes[node].joint));
    }

    /// Which limit a one-value node stands at: −1, +1, 2 for both, 0 for none.
    pub(super) fn side(&self, i: usize) -> i8 {
        let (value, min, max, near) = match (self.nodes[i].kind, self.nodes[i].bound) {
            (Kind::Hinge { .. }, Bound::Arc { min, max, .. }) => {
                (self.node_value(i), min, max, 1e-9)
            }
            (Kind::Slide { .. }, Bound::Span { min, max }) => {
                (self.node_value(i), min, max, 1e-9 * self.reach)
            }
            _ => return 0,
        };
        match (value - min <= near, max - value <= near) {
            (true, true) => 2,
            (true, false) => -1,
            (false, true) => 1,
            _ => 0,
        }
    }

    /// World axes about which a ball at its cone, or at an end of its twist, may not turn further.
    fn cone_walls(&self, i: usize) -> [Option<DVec3>; 2] {
        let Bound::Cone(Limit::Cone { axis, swing, twist }) = self.nodes[i].bound else {
            return [None, None];
        };
        let parts = swing_twist(self.state.turn[i], axis);
        let at_cone = parts.swing_angle() >= swing - 1e-9;
        let swing_axis = parts.swing.xyz().try_normalize();
        let outward = swing_axis.filter(|_| at_cone).map(|axis| self.before[i].rotation * axis);
        let along = self.world[i].rotation * axis;
        let end = if twist[1] - parts.twist <= 1e-9 {
            Some(along)
        } else if parts.twist - twist[0] <= 1e-9 {
            Some(-along)
        } else {
            None
        };
        [outward, end]
    }

    fn apply(&mut self, column: Column, by: f64) {
        let i = column.node;
        match column.unknown {
            Unknown::Variable(_) => {
                if column.stop == 0 {
                    self.set_variable(i, self.clamp_variable(i, self.variable_value(i) + by));
                }
            }
            Unknown::Turn(axis) => {
                let in_joint = self.before[i].rotation.conjugate() * axis;
                let turned = so3_exp(in_joint * by) * self.state.turn[i];
                self.state.turn[i] = match self.nodes[i].bound {
                    Bound::Cone(limit) => limit.clamp_rotation(turned.normalize()),
                    _ => turned.normalize(),
                };
            }
            Unknown::Shift(axis) => {
                self.state.slide[i] += self.before[i].rotation.conjugate() * axis * by;
            }
        }
    }

    /// First and second derivative (Gauss–Newton) of half the miss along a variable, the first with its sign turned.
    pub(super) fn slope(&self, variable: usize) -> (f64, f64) {
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
                        (self.before[i].rotation * axis).cross(goal.at - self.world[i].translation)
                    }
                    Kind::Slide { axis } => self.before[i].rotation * axis,
                    _ => DVec3::ZERO,
                } * self.gain(i);
            }
            slope += goal.weight * column.dot(goal.target - goal.at);
            curvature += goal.weight * column.length_squared();
        }
        (slope, curvature)
    }
}

/// True when no joint is pushed: `|Jᵀ e|` is nothing beside `|e|`.
fn is_at_rest(least: f64, b: &Buffers) -> bool {
    let squared = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>();
    let push: f64 = b
        .jacobian
        .chunks_exact(b.misses.len().max(1))
        .map(|column| column.iter().zip(&b.misses).map(|(j, e)| j * e).sum::<f64>())
        .map(|x| x * x)
        .sum();
    push <= least * least * squared(&b.misses)
}

/// Solves `(J Jᵀ + damping) y = e`, `step = Jᵀ y`.
fn solve_step(damping: f64, b: &mut Buffers) -> bool {
    let m = b.misses.len();
    b.gram.clear();
    b.gram.resize(m * m, 0.0);
    for column in b.jacobian.chunks_exact(m) {
        for r in 0..m {
            for c in 0..=r {
                b.gram[r * m + c] += column[r] * column[c];
            }
        }
    }
    let trace: f64 = (0..m).map(|r| b.gram[r * m + r]).sum();
    if trace <= 0.0 {
        return false;
    }
    for r in 0..m {
        b.gram[r * m + r] += damping + 1e-15 * trace;
        for c in r + 1..m {
            b.gram[r * m + c] = b.gram[c * m + r];
        }
    }
    b.y.clone_from(&b.misses);
    if !cholesky_factor(&mut b.gram, m) {
        return false;
    }
    cholesky_solve(&b.gram, &mut b.y);
    b.step.clear();
    b.step.extend(
        b.jacobian
            .chunks_exact(m)
            .map(|column| column.iter().zip(&b.y).map(|(j, y)| j * y).sum::<f64>()),
    );
    true
}

fn add(out: &mut [f64], v: DVec3) {
    out[0] += v.x;
    out[1] += v.y;
    out[2] += v.z;
}
