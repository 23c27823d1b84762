//! The best move of one joint: what cyclic coordinate descent does to each, and what reading a pose off points does.
//!
//! A joint at `p` moves levers `u_k` (from `p` to the points that it carries) towards wishes `v_k` (from `p` to where they
//! should be) with weights `w_k`. Turning about a unit axis `a` by an angle `x` leaves
//!
//! ```text
//! Σ w |R u − v|² = const − 2 (C cos x + S sin x),   C = Σ w (u·v − (a·u)(a·v)),   S = a · Σ w u × v
//! ```
//!
//! so the best angle is `atan2(S, C)`, for any number of levers, in closed form. For a ball the axis is free: one lever takes
//! the shortest rotation, several turn about `Σ w u × v`, where the error falls fastest, again and again.

use super::rig::{Bound, Kind, Rig, best_half, hinge_turn};
use crate::math::{atan2, half_angle, shortest_rotation, sin_cos};
use crate::skeleton::Limit;
use glam::{DQuat, DVec3};

/// Turns of a ball with several levers in one go; the second and third are corrections.
const BALL_TURNS: u32 = 3;

/// A direction whose sine against the middle of an arc is smaller than this lies opposite to it: which end is nearer is rounding.
const OPPOSITE: f64 = 1e-12;

/// A lever and its wish, both from the joint, in world axes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lever {
    pub(super) is: DVec3,
    pub(super) wish: DVec3,
    pub(super) weight: f64,
}

/// Which thresholds and which limits apply.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Style {
    /// The best move inside the limits.
    Best,
    /// The published moves: a lever times a wish at or below `degenerate` is left alone, a hinge turns freely and is turned
    /// back, an angle beyond a limit stops at the limit in the direction of travel.
    Published { degenerate: f64 },
}

impl Rig {
    /// Moves node `i` as its levers wish and returns the world rotation and translation that its descendants undergo.
    ///
    /// `share` is the part of the move that is made. Of joints that share a variable the first moves as if alone and takes
    /// the others along.
    pub(super) fn move_node(
        &mut self,
        i: usize,
        levers: &[Lever],
        share: f64,
        style: Style,
    ) -> (DQuat, DVec3) {
        if !self.is_alone(i) && !self.leads(i) {
            return (DQuat::IDENTITY, DVec3::ZERO);
        }
        let moved = match self.nodes[i].kind {
            Kind::Hinge { axis } => (self.turn_hinge(i, axis, levers, share, style), DVec3::ZERO),
            Kind::Ball => (self.turn_ball(i, levers, share, style), DVec3::ZERO),
            Kind::Slide { axis } => (DQuat::IDENTITY, self.slide(i, axis, levers, share)),
            Kind::Free => {
                let turn = self.turn_ball(i, levers, share, style);
                (turn, self.float(i, levers, turn, share))
            }
        };
        if !self.is_alone(i) {
            self.set_variable(i, self.clamp_variable(i, self.variable_value(i)));
        }
        moved
    }

    #[inline]
    fn turn_hinge(
        &mut self,
        i: usize,
        axis: DVec3,
        levers: &[Lever],
        share: f64,
        style: Style,
    ) -> DQuat {
        let axis_in_world = self.before[i].rotation * axis;
        let half = match style {
            Style::Best => best_about(axis_in_world, levers),
            Style::Published { degenerate } => two_step(axis_in_world, levers, degenerate),
        };
        let Some(half) = half else { return DQuat::IDENTITY };
        let (c, s) = shared(half, share);
        let old = self.hinge_half(i);
        let new = (old.0 * c - old.1 * s, old.1 * c + old.0 * s);
        let (new, done) = match self.nodes[i].bound {
            Bound::Arc { middle, half_cosine, .. } if half_cosine >= -1.0 => {
                let new = match style {
                    Style::Best => nearest_in_arc(new, old, middle, half_cosine),
                    Style::Published { .. } => self.stop_at_limit(i, old, (c, s)),
                };
                (new, (new.0 * old.0 + new.1 * old.1, new.1 * old.0 - new.0 * old.1))
            }
            _ => (new, (c, s)),
        };
        self.state.turn[i] = hinge_turn(axis, new);
        hinge_turn(axis_in_world, done)
    }

    /// The published limit: the angle is extracted, changed and clamped.
    fn stop_at_limit(&self, i: usize, old: (f64, f64), by: (f64, f64)) -> (f64, f64) {
        let Bound::Arc { min, max, .. } = self.nodes[i].bound else { return old };
        let angle = 2.0 * (atan2(old.1, old.0) + atan2(by.1, by.0));
        let angle = crate::math::wrap_angle(angle).clamp(min, max);
        let (s, c) = sin_cos(0.5 * angle);
        (c, s)
    }

    fn turn_ball(&mut self, i: usize, levers: &[Lever], share: f64, style: Style) -> DQuat {
        let mut turn = match levers {
            [] => return DQuat::IDENTITY,
            [lever] => match style {
                Style::Published { degenerate }
                    if lever.is.length() * lever.wish.length() <= degenerate =>
                {
                    return DQuat::IDENTITY;
                }
                _ => shortest_rotation(lever.is, lever.wish),
            },
            _ => best_ball(levers),
        };
        if share != 1.0 {
            let (c, s) = shared((turn.w, turn.xyz().length()), share);
            turn = hinge_turn(turn.xyz().normalize_or_zero(), (c, s)).normalize();
        }
        let before = self.before[i].rotation;
        let old = self.state.turn[i];
        let mut new = (before.conjugate() * turn * before * old).normalize();
        if let Bound::Cone(limit) = self.nodes[i].bound {
            new = self.stay_in_cone(limit, old, new, i, levers);
            turn = before * new * old.conjugate() * before.conjugate();
        }
        self.state.turn[i] = new;
        turn
    }

    /// The limit's nearest rotation to the one wanted, unless that serves the levers worse than staying.
    fn stay_in_cone(
        &self,
        limit: Limit,
        old: DQuat,
        wanted: DQuat,
        i: usize,
        levers: &[Lever],
    ) -> DQuat {
        let held = limit.clamp_rotation(wanted);
        let before = self.before[i].rotation;
        let miss = |new: DQuat| -> f64 {
            let turn = before * new * old.conjugate() * before.conjugate();
            levers.iter().map(|l| l.weight * (turn * l.is).distance_squared(l.wish)).sum()
        };
        if miss(held) <= miss(old) { held } else { old }
    }

    fn slide(&mut self, i: usize, axis: DVec3, levers: &[Lever], share: f64) -> DVec3 {
        let axis_in_world = self.before[i].rotation * axis;
        let weight: f64 = levers.iter().map(|lever| lever.weight).sum();
        if weight <= 0.0 {
            return DVec3::ZERO;
        }
        let miss: f64 = levers.iter().map(|l| l.weight * (l.wish - l.is).dot(axis_in_world)).sum();
        let old = self.state.slide[i].dot(axis);
        let mut new = old + share * miss / weight;
        if let Bound::Span { min, max } = self.nodes[i].bound {
            new = new.clamp(min, max);
        }
        self.state.slide[i] = axis * new;
        axis_in_world * (new - old)
    }

    fn float(&mut self, i: usize, levers: &[Lever], turn: DQuat, share: f64) -> DVec3 {
        let weight: f64 = levers.iter().map(|lever| lever.weight).sum();
        if weight <= 0.0 {
            return DVec3::ZERO;
        }
        let sum: DVec3 = levers.iter().map(|l| (l.wish - turn * l.is) * l.weight).sum();
        let by = sum * (share / weight);
        self.state.slide[i] += self.before[i].rotation.conjugate() * by;
        by
    }
}

/// Half-angle pair of the best turn about an axis.
#[inline]
fn best_about(axis: DVec3, levers: &[Lever]) -> Option<(f64, f64)> {
    let (mut cosine, mut sine) = (0.0, 0.0);
    for Lever { is, wish, weight } in levers {
        cosine += weight * (is.dot(*wish) - axis.dot(*is) * axis.dot(*wish));
        sine += weight * axis.dot(is.cross(*wish));
    }
    best_half(cosine, sine)
}

/// The published hinge: the shortest rotation of the lever, then the shortest rotation that brings the axis back.
fn two_step(axis: DVec3, levers: &[Lever], degenerate: f64) -> Option<(f64, f64)> {
    let [lever] = levers else { return best_about(axis, levers) };
    if lever.is.length() * lever.wish.length() <= degenerate {
        return None;
    }
    let there = shortest_rotation(lever.is, lever.wish);
    let turn = shortest_rotation(there * axis, axis) * there;
    let half = (turn.w, turn.xyz().dot(axis));
    let size = (half.0 * half.0 + half.1 * half.1).sqrt();
    (size > 0.0).then(|| (half.0 / size, half.1 / size))
}

/// Several levers on a ball: turn about the axis of steepest descent by the best angle, a few times.
fn best_ball(levers: &[Lever]) -> DQuat {
    let mut turn = DQuat::IDENTITY;
    for _ in 0..BALL_TURNS {
        let mut torque = DVec3::ZERO;
        for lever in levers {
            torque += (turn * lever.is).cross(lever.wish) * lever.weight;
        }
        let Some(axis) = torque.try_normalize() else { break };
        let (mut cosine, mut sine) = (0.0, 0.0);
        for Lever { is, wish, weight } in levers {
            let is = turn * *is;
            cosine += weight * (is.dot(*wish) - axis.dot(is) * axis.dot(*wish));
            sine += weight * axis.dot(is.cross(*wish));
        }
        let Some(half) = best_half(cosine, sine) else { break };
        turn = hinge_turn(axis, half) * turn;
    }
    turn.normalize()
}

/// Part of a turn. The whole is exact; parts go by the angle.
#[inline]
fn shared((c, s): (f64, f64), share: f64) -> (f64, f64) {
    if share == 1.0 {
        return (c, s);
    }
    let (s, c) = sin_cos(share * atan2(s, c));
    (c, s)
}

/// The point of an arc nearest on the circle: the half-angle pair itself inside, else the nearer end; of two equally near ones
/// the one on the side of `old`, so that rounding does not throw a joint from one end to the other.
#[inline]
fn nearest_in_arc(
    half: (f64, f64),
    old: (f64, f64),
    middle: (f64, f64),
    half_cosine: f64,
) -> (f64, f64) {
    let (cosine, sine) = whole(half);
    if cosine * middle.0 + sine * middle.1 >= half_cosine {
        return half;
    }
    // Left or right of the middle decides the end; its direction is the middle turned by half the arc.
    let left_by = |(cosine, sine): (f64, f64)| sine * middle.0 - cosine * middle.1;
    let mut left = left_by((cosine, sine));
    if left.abs() <= OPPOSITE {
        left = left_by(whole(old));
    }
    let side = if left >= 0.0 { 1.0 } else { -1.0 };
    let half_sine = side * (1.0 - half_cosine * half_cosine).max(0.0).sqrt();
    half_angle(
        middle.0 * half_cosine - middle.1 * half_sine,
        middle.1 * half_cosine + middle.0 * half_sine,
    )
}

/// Cosine and sine of the angle whose half has these.
#[inline]
fn whole((c, s): (f64, f64)) -> (f64, f64) {
    (c * c - s * s, 2.0 * c * s)
}
