//! Two bones on a skeleton in closed form: two hinges in a plane, a ball and a hinge, or two balls.
//!
//! The answers without limits are those of [`limb`](crate::limb). Ranges keep the form closed: when neither answer of two hinges is
//! inside, the nearest pose has one of the joints at an end of its range and the other as good as it can be, which
//! leaves at most four poses to compare.

use super::rig::{Bound, Kind, Rig};
use super::rig_run::RigRun;
use crate::limb::{SoftReach, TwoBone, plane};
use crate::math::{acos, atan2, rotation_about, shortest_rotation, wrap_angle};
use crate::skeleton::Limit;
use glam::{DQuat, DVec3};

/// Turns of both joints.
pub(super) type Pair = [DQuat; 2];

/// What the two joints are.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Limb {
    Plane,
    BallAndHinge,
    Balls,
}

impl RigRun {
    /// Finds the answers, best first; false when the skeleton is no such limb.
    pub(super) fn plan_limb(&mut self) -> bool {
        self.limbs.clear();
        match self.rig.limb() {
            Some(Limb::Plane) => self.rig.plan_plane(&mut self.limbs),
            Some(Limb::BallAndHinge) => self.rig.plan_ball_and_hinge(&mut self.limbs),
            Some(Limb::Balls) => self.rig.plan_balls(&mut self.limbs),
            None => return false,
        }
        true
    }

    /// Takes the best answer.
    pub(super) fn bend_limb(&mut self) {
        if let Some(best) = self.limbs.first() {
            self.rig.set_pair(best);
            self.rig.update();
        }
    }

    /// The configurations of the answers that reach as well as the best. What `others` held is used again.
    pub(super) fn write_other_limbs(&mut self, others: &mut Vec<Vec<f64>>) {
        self.spare_values.append(others);
        if self.limbs.len() < 2 {
            return;
        }
        let now = self.rig.pair();
        for limb in &self.limbs[1..] {
            let mut other = self.spare_values.pop().unwrap_or_default();
            self.rig.set_pair(limb);
            self.rig.write_values(&mut other);
            others.push(other);
        }
        self.rig.set_pair(&now);
        self.rig.update();
    }
}

impl Rig {
    fn limb(&self) -> Option<Limb> {
        let [upper, lower] = self.nodes.as_slice() else { return None };
        if !self.is_path() || !self.is_alone(0) || !self.is_alone(1) {
            return None;
        }
        match (upper.kind, lower.kind) {
            (Kind::Hinge { .. }, Kind::Hinge { .. }) => {
                (self.plane_or_space() == 2).then_some(Limb::Plane)
            }
            (Kind::Ball, Kind::Hinge { .. }) if upper.is_free_ball() => Some(Limb::BallAndHinge),
            (Kind::Ball, Kind::Ball) if upper.is_free_ball() && lower.is_free_ball() => {
                Some(Limb::Balls)
            }
            _ => None,
        }
    }

    /// Positions of the first joint, the second joint, the effector and the target.
    fn limb_points(&self) -> [DVec3; 4] {
        let goal = self.points[0];
        [self.world[0].translation, self.world[1].translation, goal.at, goal.target]
    }

    fn plan_plane(&mut self, answers: &mut Vec<Pair>) {
        let [start, mid, end, target] = self.limb_points();
        let (upper, lower) = ((mid - start).truncate(), (end - mid).truncate());
        let direction = atan2(upper.y, upper.x);
        let bend = wrap_angle(atan2(lower.y, lower.x) - direction);
        let now = plane::Angles { start: direction, mid: bend };
        let (a, b) = (upper.length(), lower.length());
        let to_target = (target - start).truncate();
        let Ok(solved) = plane::solve(a, b, to_target, plane::Choice::Nearest(now)) else { return };
        for found in [solved.best, solved.other] {
            let by = [wrap_angle(found.start - now.start), wrap_angle(found.mid - now.mid)];
            let values = [self.inside(0, by[0]), self.inside(1, by[1])];
            if let [Some(first), Some(second)] = values {
                self.add_answer(answers, [first, second]);
            }
        }
        if answers.is_empty() {
            answers.extend(self.nearest_at_limits());
        }
    }

    /// The value of hinge `i` after a turn, if its range allows it.
    fn inside(&self, i: usize, by: f64) -> Option<f64> {
        let value = self.node_value(i);
        match self.nodes[i].bound {
            Bound::Arc { min, max, .. } => {
                Limit::Range { min, max }.equivalent_angle(value + by, value)
            }
            _ => Some(value + by),
        }
    }

    /// Adds an answer unless it is the one already there (a straight or folded limb).
    fn add_answer(&self, answers: &mut Vec<Pair>, values: [f64; 2]) {
        let pair = [self.hinge_at(0, values[0]), self.hinge_at(1, values[1])];
        let same = |known: &Pair| (0..2).all(|i| known[i].dot(pair[i]).abs() > 1.0 - 1e-14);
        if !answers.iter().any(same) {
            answers.push(pair);
        }
    }

    fn hinge_at(&self, i: usize, value: f64) -> DQuat {
        let Kind::Hinge { axis } = self.nodes[i].kind else { return self.state[i].rotation };
        rotation_about(axis, value)
    }

    /// One joint at an end of its range, the other at its best: the nearest of up to four poses.
    fn nearest_at_limits(&mut self) -> Option<Pair> {
        let now = self.pair();
        let mut best: Option<(f64, Pair)> = None;
        for held in 0..2 {
            let Bound::Arc { min, max, .. } = self.nodes[held].bound else { continue };
            for end in [min, max].into_iter().filter(|end| end.is_finite()) {
                self.state[held].rotation = self.hinge_at(held, end);
                self.update();
                self.turn_to_target(1 - held);
                self.update();
                let miss = self.residual().distance;
                if best.is_none_or(|(least, _)| miss < least) {
                    best = Some((miss, self.pair()));
                }
                self.set_pair(&now);
            }
        }
        self.update();
        best.map(|(_, pair)| pair)
    }

    fn pair(&self) -> Pair {
        [self.state[0].rotation, self.state[1].rotation]
    }

    fn set_pair(&mut self, turns: &Pair) {
        for (moved, turn) in self.state.iter_mut().zip(turns) {
            moved.rotation = *turn;
        }
    }

    /// The best move of one joint alone.
    fn turn_to_target(&mut self, i: usize) {
        let center = self.world[i].translation;
        let goal = self.points[0];
        let lever =
            super::turn::Lever { is: goal.at - center, wish: goal.target - center, weight: 1.0 };
        self.move_node(i, &[lever], 1.0, super::turn::Style::Best);
    }

    /// The distance from first joint to effector is `const + C cos x + S sin x` squared in the hinge's turn `x`: two turns give
    /// the target's distance, and the ball does the rest.
    fn plan_ball_and_hinge(&self, answers: &mut Vec<Pair>) {
        let Kind::Hinge { axis } = self.nodes[1].kind else { return };
        let [start, mid, end, target] = self.limb_points();
        let axis_in_world = self.in_world(1, axis);
        let (w, u) = (mid - start, end - mid);
        let fixed = axis_in_world.dot(u) * axis_in_world.dot(w);
        let (c, s) = (w.dot(u) - fixed, w.dot(axis_in_world.cross(u)));
        let wanted = 0.5
            * (target.distance_squared(start) - w.length_squared() - u.length_squared())
            - fixed;
        let size = (c * c + s * s).sqrt();
        let (middle, half) =
            if size > 0.0 { (atan2(s, c), acos(wanted / size)) } else { (0.0, 0.0) };
        let mut turns = [middle - half, middle + half].map(wrap_angle);
        // The smaller change first.
        turns.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
        let ends = match self.nodes[1].bound {
            Bound::Arc { min, max, .. } => [min, max],
            _ => [f64::INFINITY; 2],
        };
        let inside = turns.into_iter().filter_map(|by| self.inside(1, by));
        let mut values = [f64::NAN; 2];
        for (slot, value) in values.iter_mut().zip(inside) {
            *slot = value;
        }
        if values[0].is_nan() {
            let miss = |end: f64| {
                let (sine, cosine) = crate::math::sin_cos(end - self.node_value(1));
                (c * cosine + s * sine - wanted).abs()
            };
            values[0] = if miss(ends[0]) <= miss(ends[1]) { ends[0] } else { ends[1] };
        }
        for value in values.into_iter().filter(|value| value.is_finite()) {
            let bent = rotation_about(axis_in_world, value - self.node_value(1)) * u;
            let swing = shortest_rotation(w + bent, target - start);
            let first = self.before(0).conjugate() * swing * self.world[0].rotation;
            let pair = [first.normalize(), self.hinge_at(1, value)];
            if !answers.iter().any(|known| known[1].dot(pair[1]).abs() > 1.0 - 1e-14) {
                answers.push(pair);
            }
        }
    }

    fn plan_balls(&self, answers: &mut Vec<Pair>) {
        let [start, mid, end, target] = self.limb_points();
        let limb = TwoBone { soft: SoftReach::None, ..TwoBone::new(start, mid, end, target) };
        let Ok(solved) = limb.solve() else { return };
        let first = solved.start_correction * self.world[0].rotation;
        let second = solved.mid_correction * self.world[1].rotation;
        let before = first * self.nodes[1].placement.rotation;
        let first = self.before(0).conjugate() * first;
        answers.push([first.normalize(), (before.conjugate() * second).normalize()]);
    }
}
