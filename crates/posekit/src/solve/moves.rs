//! The best move of one joint, as in cyclic coordinate descent and when points are converted to a pose.
//!
//! A joint at `p` moves levers `u_k` (from `p` to the points that it carries) towards goals `v_k` (from `p` to their targets) with weights
//! `w_k`. After a rotation about a unit axis `a` by an angle `x` the error is
//!
//! ```text
//! Σ w |R u − v|² = const − 2 (C cos x + S sin x),   C = Σ w (u·v − (a·u)(a·v)),   S = a · Σ w u × v
//! ```
//!
//! so the best angle is `atan2(S, C)`, in closed form for any number of levers. The axis of a ball is free: for one lever the best move is the
//! shortest rotation; several levers rotate a few times about `Σ w u × v`, the direction of steepest descent.

use super::pose::{State, hinge_rotation, renormalise};
use super::problem::{Kind, Node, Problem, Variable};
use crate::math::{atan2, half_angle, shortest_rotation, sin_cos, sqrt, wrap_angle};
use alloc::vec::Vec;
use core::f64::consts::TAU;
use glam::{DQuat, DVec3};

/// Rotations of a ball with several levers in one move: the first is the largest, the others correct it.
const BALL_ROTATIONS: u32 = 3;

/// If `C² + S²` is less, the sums are rounding, and no angle is better than another.
const LEAST_SQUARE: f64 = 1e-60;

/// If the distances from an angle to the two ends of a range differ by less, they count as equal, so that rounding does not decide.
const EQUALLY_NEAR: f64 = 1e-12;

/// A lever and its goal, both from the joint, in world axes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lever {
    pub(crate) from: DVec3,
    pub(crate) to: DVec3,
    pub(crate) weight: f64,
}

/// Adds the three axes of a frame as levers.
pub(crate) fn push_frame(levers: &mut Vec<Lever>, from: DQuat, to: DQuat, weight: f64) {
    levers.extend(DVec3::AXES.map(|axis| Lever { from: from * axis, to: to * axis, weight }));
}

/// The thresholds and the treatment of limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Style {
    /// The best move within the limits.
    Best,
    /// The published moves: a lever is skipped if the product of its length and that of its goal is at most `degenerate`; a hinge makes the
    /// shortest rotation and is rotated back onto its axis; an angle beyond a limit is clamped.
    Published { degenerate: f64 },
}

impl State {
    /// Moves a node towards the goals of its levers; returns the world rotation and displacement of everything below it.
    ///
    /// - `share`: the fraction of the move that is made
    ///
    /// Of joints that share a variable the first moves as if alone, and the others follow.
    pub(crate) fn move_node(
        &mut self,
        problem: &Problem,
        i: usize,
        levers: &[Lever],
        share: f64,
        style: Style,
    ) -> (DQuat, DVec3) {
        if !problem.leads(i) {
            return (DQuat::IDENTITY, DVec3::ZERO);
        }
        match problem.nodes[i].kind {
            Kind::Hinge { axis } => {
                let angle = self.rotate_hinge(problem, i, axis, levers, share, style);
                let (s, c) = sin_cos(0.5 * angle);
                (hinge_rotation(self.in_world(i, axis), (c, s)), DVec3::ZERO)
            }
            Kind::Ball => (self.rotate_ball(problem, i, levers, share, style), DVec3::ZERO),
            Kind::Slide { axis } => (DQuat::IDENTITY, self.slide(problem, i, axis, levers, share)),
            Kind::Free => {
                let rotation = self.rotate_ball(problem, i, levers, share, style);
                (rotation, self.float(problem, i, levers, rotation, share))
            }
        }
    }

    /// Returns the angle.
    fn rotate_hinge(
        &mut self,
        problem: &Problem,
        i: usize,
        axis: DVec3,
        levers: &[Lever],
        share: f64,
        style: Style,
    ) -> f64 {
        let axis_in_world = self.in_world(i, axis);
        let (node, variable) = (&problem.nodes[i], &problem.variables[problem.nodes[i].variable]);
        let old = self.values.variables[node.variable];
        let best = match style {
            Style::Best => best_about(axis_in_world, levers).map(|(c, s)| {
                variable.nearest_angle(old, share * atan2(s, c) / node.gain, node.gain)
            }),
            Style::Published { degenerate } => published_angle(axis_in_world, levers, degenerate)
                .map(|angle| variable.published_stop(old, share * angle / node.gain)),
        };
        let Some(x) = best else { return 0.0 };
        self.set_variable(problem, node.variable, x);
        node.gain * (x - old)
    }

    fn rotate_ball(
        &mut self,
        problem: &Problem,
        i: usize,
        levers: &[Lever],
        share: f64,
        style: Style,
    ) -> DQuat {
        let mut rotation = match levers {
            [] => return DQuat::IDENTITY,
            [lever] => match style {
                Style::Published { degenerate }
                    if lever.from.length() * lever.to.length() <= degenerate =>
                {
                    return DQuat::IDENTITY;
                }
                _ => shortest_rotation(lever.from, lever.to),
            },
            _ => best_ball(levers),
        };
        if share != 1.0 {
            let (axis, size) = (rotation.xyz().normalize_or_zero(), rotation.xyz().length());
            let (s, c) = sin_cos(share * atan2(size, rotation.w));
            rotation = hinge_rotation(axis, (c, s)).normalize();
        }
        let node = &problem.nodes[i];
        let (before, old) = (self.before(node), self.values.motions[i].rotation);
        let mut new = before.conjugate() * (rotation * self.world[i].rotation);
        renormalise(&mut new);
        if problem.is_limited(node) {
            let in_world = |new: DQuat| before * new * old.conjugate() * before.conjugate();
            new = best_allowed(problem, node, old, new, levers, in_world);
            rotation = in_world(new);
        }
        self.values.motions[i].rotation = new;
        rotation
    }

    fn slide(
        &mut self,
        problem: &Problem,
        i: usize,
        axis: DVec3,
        levers: &[Lever],
        share: f64,
    ) -> DVec3 {
        let (node, axis_in_world) = (&problem.nodes[i], self.in_world(i, axis));
        let weight: f64 = levers.iter().map(|lever| lever.weight).sum();
        if weight <= 0.0 {
            return DVec3::ZERO;
        }
        let miss = |lever: &Lever| lever.weight * (lever.to - lever.from).dot(axis_in_world);
        let by = share * levers.iter().map(miss).sum::<f64>() / weight;
        let old = self.values.variables[node.variable];
        let x = problem.variables[node.variable].clamp(old + by / node.gain);
        self.set_variable(problem, node.variable, x);
        axis_in_world * (node.gain * (x - old))
    }

    fn float(
        &mut self,
        problem: &Problem,
        i: usize,
        levers: &[Lever],
        rotation: DQuat,
        share: f64,
    ) -> DVec3 {
        let weight: f64 = levers.iter().map(|lever| lever.weight).sum();
        if weight <= 0.0 {
            return DVec3::ZERO;
        }
        let misses = levers.iter().map(|l| (l.to - rotation * l.from) * l.weight);
        let by = misses.sum::<DVec3>() * (share / weight);
        self.shift(problem, i, by);
        by
    }
}

impl Variable {
    /// The allowed value nearest to `old + by` on the circle, for a hinge of this gain; of two equally near ends of the range, the one in the
    /// direction of motion.
    #[inline(always)]
    pub(crate) fn nearest_angle(&self, old: f64, by: f64, gain: f64) -> f64 {
        let x = old + by;
        if x >= self.min && x <= self.max { x } else { self.nearest_end(x, gain) }
    }

    #[cold]
    fn nearest_end(&self, x: f64, gain: f64) -> f64 {
        let whole_turn = TAU / gain.abs();
        let (end, opposite, round) = if x > self.max {
            (self.max, self.min, x - whole_turn)
        } else {
            (self.min, self.max, x + whole_turn)
        };
        if round >= self.min && round <= self.max {
            return round;
        }
        let is_farther = (x - end).abs() > (opposite - round).abs() + EQUALLY_NEAR;
        if is_farther { opposite } else { end }
    }

    /// The published limit: the angle is extracted, changed and clamped.
    fn published_stop(&self, old: f64, by: f64) -> f64 {
        let (min, max) = self.limit.bounds();
        if min == f64::NEG_INFINITY && max == f64::INFINITY {
            return self.clamp(old + by);
        }
        self.clamp(self.limit.clamp_value(wrap_angle(self.start + old + by)) - self.start)
    }
}

/// The sums `C` and `S` of the module for a rotation about one axis.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Torque {
    cosine: f64,
    sine: f64,
}

impl Torque {
    /// Adds a lever. Only the last two products depend on the lever itself, which the joint before may just have moved.
    #[inline]
    pub(crate) fn add(&mut self, axis: DVec3, from: DVec3, to: DVec3, weight: f64) {
        let to = to * weight;
        self.cosine += from.dot(to - axis * axis.dot(to));
        self.sine += from.dot(to.cross(axis));
    }

    /// Cosine and sine of the best angle; `None` if all angles are equal.
    #[inline]
    pub(crate) fn direction(self) -> Option<(f64, f64)> {
        let squared = self.cosine * self.cosine + self.sine * self.sine;
        if squared < LEAST_SQUARE || !squared.is_finite() {
            return None;
        }
        // The square root and the reciprocal are independent.
        let scale = sqrt(squared) * (1.0 / squared);
        Some((self.cosine * scale, self.sine * scale))
    }
}

/// The best rotation about an axis, as cosine and sine.
fn best_about(axis: DVec3, levers: &[Lever]) -> Option<(f64, f64)> {
    let mut torque = Torque::default();
    for Lever { from, to, weight } in levers {
        torque.add(axis, *from, *to, *weight);
    }
    torque.direction()
}

/// The published hinge: the shortest rotation of the lever, then the shortest rotation that restores the axis.
fn published_angle(axis: DVec3, levers: &[Lever], degenerate: f64) -> Option<f64> {
    let [lever] = levers else {
        return best_about(axis, levers).map(|(c, s)| atan2(s, c));
    };
    if lever.from.length() * lever.to.length() <= degenerate {
        return None;
    }
    let there = shortest_rotation(lever.from, lever.to);
    let rotation = shortest_rotation(there * axis, axis) * there;
    let (c, s) = (rotation.w, rotation.xyz().dot(axis));
    (c * c + s * s > 0.0).then(|| wrap_angle(2.0 * atan2(s, c)))
}

/// Several levers on a ball: a few rotations about the axis of steepest descent by the best angle.
fn best_ball(levers: &[Lever]) -> DQuat {
    let mut rotation = DQuat::IDENTITY;
    for _ in 0..BALL_ROTATIONS {
        let torques = levers.iter().map(|l| (rotation * l.from).cross(l.to) * l.weight);
        let Some(axis) = torques.sum::<DVec3>().try_normalize() else { break };
        let mut torque = Torque::default();
        levers.iter().for_each(|l| torque.add(axis, rotation * l.from, l.to, l.weight));
        let Some((c, s)) = torque.direction() else { break };
        rotation = hinge_rotation(axis, half_angle(c, s)) * rotation;
    }
    rotation.normalize()
}

/// The allowed rotation nearest to `desired`, unless its error is larger than that of the present one.
fn best_allowed(
    problem: &Problem,
    node: &Node,
    old: DQuat,
    desired: DQuat,
    levers: &[Lever],
    in_world: impl Fn(DQuat) -> DQuat,
) -> DQuat {
    let allowed = problem.allowed_rotation(node, old, desired);
    let miss = |new: DQuat| -> f64 {
        let rotation = in_world(new);
        levers.iter().map(|l| l.weight * (rotation * l.from).distance_squared(l.to)).sum()
    };
    if miss(allowed) <= miss(old) { allowed } else { old }
}
