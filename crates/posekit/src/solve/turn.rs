//! The best move of one joint: what cyclic coordinate descent does to each, and what reading a pose off points does.
//!
//! A joint at `p` moves levers `u_k` (from `p` to the points that it carries) towards wishes `v_k` (from `p` to where they
//! should be) with weights `w_k`. Turning about a unit axis `a` by an angle `x` leaves
//!
//! ```text
//! Σ w |R u − v|² = const − 2 (C cos x + S sin x),   C = Σ w (u·v − (a·u)(a·v)),   S = a · Σ w u × v
//! ```
//!
//! so the best angle is `atan2(S, C)`, for any number of levers, in closed form; its cosine and sine are `C` and `S` over
//! `√(C² + S²)`, and both sums are products of `u` with vectors that do not change while other joints move. For a ball the axis is free: one lever takes
//! the shortest rotation, several turn about `Σ w u × v`, where the error falls fastest, again and again.

use super::rig::{Bound, Kind, Rig, hinge_turn, renormalise};
use crate::math::{atan2, half_angle, shortest_rotation, sin_cos};
use crate::skeleton::Limit;
use glam::{DQuat, DVec3};

/// Turns of a ball with several levers in one go; the second and third are corrections.
const BALL_TURNS: u32 = 3;

/// Squares of the sums that name a turn. Below, they are rounding and every turn serves the levers as well; above, the sums have to
/// be brought to the order of one before they are squared.
const PULL: core::ops::Range<f64> = 1e-60..1e300;

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
            Kind::Hinge { axis } => (self.turn_levers(i, axis, levers, share, style), DVec3::ZERO),
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
    fn turn_levers(
        &mut self,
        i: usize,
        axis: DVec3,
        levers: &[Lever],
        share: f64,
        style: Style,
    ) -> DQuat {
        let axis_in_world = self.in_world(i, axis);
        let half = match style {
            Style::Best => best_about(axis_in_world, levers).map(|wanted| {
                let bound = &self.nodes[i].bound;
                let (c, s) = turn_hinge(&mut self.state[i].rotation, axis, bound, wanted, share);
                half_angle(c, s)
            }),
            Style::Published { degenerate } => two_step(axis_in_world, levers, degenerate)
                .map(|wanted| self.turn_and_stop(i, axis, wanted, share)),
        };
        half.map_or(DQuat::IDENTITY, |half| hinge_turn(axis_in_world, half))
    }

    /// The published turn, all in half-angle pairs: made, and stopped at the limit in the direction of travel.
    #[inline]
    fn turn_and_stop(
        &mut self,
        i: usize,
        axis: DVec3,
        wanted: (f64, f64),
        share: f64,
    ) -> (f64, f64) {
        let mut done = shared(wanted, share);
        let old = self.hinge_half(i);
        let mut new = sum(old, done);
        if let Bound::Arc { half_cosine, .. } = self.nodes[i].bound
            && half_cosine >= -1.0
        {
            new = self.stop_at_limit(i, old, done);
            done = difference(new, old);
        }
        self.state[i].rotation = hinge_turn(axis, new);
        done
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
        let before = self.before(i);
        let old = self.state[i].rotation;
        let mut new = before.conjugate() * (turn * self.world[i].rotation);
        renormalise(&mut new);
        if let Bound::Cone(limit) = self.nodes[i].bound {
            new = self.stay_in_cone(limit, old, new, i, levers);
            turn = before * new * old.conjugate() * before.conjugate();
        }
        self.state[i].rotation = new;
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
        let before = self.before(i);
        let miss = |new: DQuat| -> f64 {
            let turn = before * new * old.conjugate() * before.conjugate();
            levers.iter().map(|l| l.weight * (turn * l.is).distance_squared(l.wish)).sum()
        };
        if miss(held) <= miss(old) { held } else { old }
    }

    fn slide(&mut self, i: usize, axis: DVec3, levers: &[Lever], share: f64) -> DVec3 {
        let axis_in_world = self.in_world(i, axis);
        let weight: f64 = levers.iter().map(|lever| lever.weight).sum();
        if weight <= 0.0 {
            return DVec3::ZERO;
        }
        let miss: f64 = levers.iter().map(|l| l.weight * (l.wish - l.is).dot(axis_in_world)).sum();
        let old = self.state[i].translation.dot(axis);
        let mut new = old + share * miss / weight;
        if let Bound::Span { min, max } = self.nodes[i].bound {
            new = new.clamp(min, max);
        }
        self.state[i].translation = axis * new;
        axis_in_world * (new - old)
    }

    fn float(&mut self, i: usize, levers: &[Lever], turn: DQuat, share: f64) -> DVec3 {
        let weight: f64 = levers.iter().map(|lever| lever.weight).sum();
        if weight <= 0.0 {
            return DVec3::ZERO;
        }
        let sum: DVec3 = levers.iter().map(|l| (l.wish - turn * l.is) * l.weight).sum();
        let by = sum * (share / weight);
        let in_node = self.before(i).conjugate() * by;
        self.state[i].translation += in_node;
        by
    }
}

/// What levers ask of a turn about one axis: the sums `C` and `S` of the module.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Pull {
    cosine: f64,
    sine: f64,
}

impl Pull {
    /// Adds a lever and its wish. Nothing but the last two products waits for the lever.
    #[inline]
    pub(super) fn add(&mut self, axis: DVec3, is: DVec3, wish: DVec3, weight: f64) {
        let wish = wish * weight;
        self.cosine += is.dot(wish - axis * axis.dot(wish));
        self.sine += is.dot(wish.cross(axis));
    }

    /// Cosine and sine of the best turn; none when all are as good.
    #[inline]
    pub(super) fn turn(self) -> Option<(f64, f64)> {
        let squared = self.cosine * self.cosine + self.sine * self.sine;
        if !PULL.contains(&squared) {
            return self.turn_from_afar();
        }
        // The square root and the reciprocal do not wait for each other.
        let scale = squared.sqrt() * (1.0 / squared);
        Some((self.cosine * scale, self.sine * scale))
    }

    /// The turn towards a target so far away that squares overflow.
    #[cold]
    fn turn_from_afar(self) -> Option<(f64, f64)> {
        let largest = self.cosine.abs().max(self.sine.abs());
        let by = 1.0 / largest;
        let near = Self { cosine: self.cosine * by, sine: self.sine * by };
        if largest > 1.0 && by > 0.0 { near.turn() } else { None }
    }
}

/// Turns a hinge about its own `axis` by an angle (cosine and sine), inside its limits; returns the angle made.
#[inline(always)]
pub(super) fn turn_hinge(
    turn: &mut DQuat,
    axis: DVec3,
    bound: &Bound,
    wanted: (f64, f64),
    share: f64,
) -> (f64, f64) {
    let mut done = shared(wanted, share);
    let old = (turn.w, turn.xyz().dot(axis));
    let mut new = sum(old, half_angle(done.0, done.1));
    if let Bound::Arc { middle, half_cosine, half_sine, .. } = *bound
        && half_cosine >= -1.0
    {
        let was = whole(old);
        if let Some(end) = end_of_arc(sum(was, done), was, middle, half_cosine, half_sine) {
            new = half_angle(end.0, end.1);
            done = difference(end, was);
        }
    }
    *turn = hinge_turn(axis, new);
    done
}

/// A lever this short, in run lengths, which are of the order of the reach, is rounding.
const IDLE: f64 = 1e-14;

/// A lever and what a turn about an axis makes of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spoke {
    axis: DVec3,
    is: DVec3,
    /// `a × u`
    across: DVec3,
    /// `a · u`
    along: f64,
}

impl Spoke {
    #[inline(always)]
    pub(super) fn new(axis: DVec3, is: DVec3) -> Self {
        Self { axis, is, across: axis.cross(is), along: axis.dot(is) }
    }

    /// True where the effector stands on the axis: what its lever asks for is rounding, and no turn moves it.
    #[inline(always)]
    pub(super) fn is_idle(&self) -> bool {
        self.across.length_squared() <= IDLE * IDLE
    }

    /// What it alone asks of the turn. Its own products with the axis would be one wait more, and there is a joint after this one.
    #[inline(always)]
    pub(super) fn pull(&self, wish: DVec3, weight: f64) -> Pull {
        let mut pull = Pull::default();
        pull.add(self.axis, self.is, wish, weight);
        pull
    }

    /// The lever after a turn.
    #[inline(always)]
    pub(super) fn turned(&self, (c, s): (f64, f64)) -> DVec3 {
        self.is * c + self.across * s + self.axis * (self.along * (1.0 - c))
    }
}

/// The best turn about an axis, whole.
#[inline]
fn best_about(axis: DVec3, levers: &[Lever]) -> Option<(f64, f64)> {
    let mut pull = Pull::default();
    for Lever { is, wish, weight } in levers {
        pull.add(axis, *is, *wish, *weight);
    }
    pull.turn()
}

/// The published hinge, as a half-angle pair: the shortest rotation of the lever, then the shortest rotation that brings the axis
/// back.
fn two_step(axis: DVec3, levers: &[Lever], degenerate: f64) -> Option<(f64, f64)> {
    let [lever] = levers else {
        return best_about(axis, levers).map(|(c, s)| half_angle(c, s));
    };
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
        let mut pull = Pull::default();
        for lever in levers {
            pull.add(axis, turn * lever.is, lever.wish, lever.weight);
        }
        let Some((c, s)) = pull.turn() else { break };
        turn = hinge_turn(axis, half_angle(c, s)) * turn;
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

/// The end of an arc nearest to a direction outside it, none for one inside; of two equally near ends the one on the side of
/// `old`, so that rounding does not throw a joint from one end to the other.
#[inline]
fn end_of_arc(
    wanted: (f64, f64),
    old: (f64, f64),
    middle: (f64, f64),
    half_cosine: f64,
    half_sine: f64,
) -> Option<(f64, f64)> {
    let from_middle = difference(wanted, middle);
    if from_middle.0 >= half_cosine {
        return None;
    }
    // Left or right of the middle decides the end; its direction is the middle turned by half the arc.
    let mut left = from_middle.1;
    if left.abs() <= OPPOSITE {
        left = difference(old, middle).1;
    }
    let side = if left >= 0.0 { half_sine } else { -half_sine };
    Some(sum(middle, (half_cosine, side)))
}

/// Cosine and sine of the sum of two angles.
#[inline]
fn sum(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0 * b.0 - a.1 * b.1, a.1 * b.0 + a.0 * b.1)
}

/// Cosine and sine of the difference of two angles.
#[inline]
fn difference(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0 * b.0 + a.1 * b.1, a.1 * b.0 - a.0 * b.1)
}

/// Cosine and sine of the angle whose half has these.
#[inline]
fn whole((c, s): (f64, f64)) -> (f64, f64) {
    (c * c - s * s, 2.0 * c * s)
}
