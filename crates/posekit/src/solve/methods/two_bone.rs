//! Two bones on a skeleton in closed form: two hinges in a plane, a ball and a hinge, or two balls.
//!
//! The answers without limits are those of [`limb`](crate::limb). Ranges keep the form closed: where neither answer of two hinges is inside, the
//! nearest pose has one of the joints at an end of its range and the other at its best, which leaves at most four poses to compare.

use super::Method;
use crate::limb::{NO_DIRECTION, Pole, SoftReach, TwoBone as Limb, plane};
use crate::math::{
    acos, atan2, direction_or, rotation_about, shortest_rotation, sin_cos, sqrt, wrap_angle,
};
use crate::solve::moves::{Lever, Style};
use crate::solve::pose::{State, Values};
use crate::solve::problem::{Kind, Node, Problem};
use crate::solve::recorder::Recorder;
use crate::task::{Miss, TaskKind};
use alloc::vec::Vec;
use core::f64::consts::TAU;
use glam::{DQuat, DVec3};

/// A value outside a range by so much is at its end but for rounding \[rad\].
const ROUNDING: f64 = 1e-12;

/// Points this near to each other, relative to the unit of length, coincide but for the rounding of files: far below any tolerance.
const SAME_PLACE: f64 = 1e-9;

/// Rotations whose quaternions have a larger product are the same: a straight or folded limb has one answer.
const SAME: f64 = 1.0 - 1e-14;

/// How one joint is set.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Setting {
    /// The variable of a hinge.
    Value(f64),
    /// The rotation of a ball.
    Rotation(DQuat),
}

/// Both joints.
type Answer = [Setting; 2];

/// See the module.
#[derive(Debug, Clone, Default)]
pub(in crate::solve) struct TwoBone {
    /// Best first.
    answers: Vec<Answer>,
    now: Values,
    /// There is a pole, and the limb has not been placed: no residual counts yet.
    awaits_pole: bool,
    /// Buffers for the configurations of other answers, while there are none.
    spare: Vec<Vec<f64>>,
}

impl Method for TwoBone {
    fn begin(&mut self, problem: &Problem, _: &mut State) {
        self.awaits_pole = problem.pole.is_some();
    }

    fn iterate(&mut self, problem: &Problem, state: &mut State, _: &mut Recorder<'_>) {
        self.awaits_pole = false;
        if let Some(best) = self.answers.first() {
            state.set_limb(problem, *best);
        }
    }

    fn residual(&self, problem: &Problem, state: &State) -> Miss {
        if self.awaits_pole { Miss::INFINITE } else { state.gap(problem) }
    }

    fn merit(&self, problem: &Problem, state: &State) -> f64 {
        if self.awaits_pole { f64::INFINITY } else { state.sum_of_squares(problem) }
    }
}

impl TwoBone {
    /// Finds the answers; false when the skeleton is no such limb, or the tasks are others.
    pub(in crate::solve) fn plan(&mut self, problem: &Problem, state: &mut State) -> bool {
        self.answers.clear();
        let [upper, lower] = problem.nodes.as_slice() else { return false };
        let is_free = |node: &Node| node.kind == Kind::Ball && !problem.is_limited(node);
        let is_own = |node: &Node| {
            problem.variables.get(node.variable).is_none_or(|variable| {
                variable.nodes.len() == 1 && variable.value == node.values.start
            })
        };
        if !problem.is_path() || !is_own(upper) || !is_own(lower) {
            return false;
        }
        let pole = problem.limb_pole();
        if problem.pole.is_some() && pole.is_none() {
            return false;
        }
        match (upper.kind, lower.kind) {
            (Kind::Hinge { .. }, Kind::Hinge { .. })
                if problem.dimension() == 2 && pole.is_none() =>
            {
                self.now.copy_from(&state.values);
                self.plan_plane(problem, state);
            }
            (Kind::Ball, Kind::Hinge { axis }) if is_free(upper) => {
                self.plan_ball_and_hinge(problem, state, axis, pole);
            }
            (Kind::Ball, Kind::Ball) if is_free(upper) && is_free(lower) => {
                self.plan_balls(problem, state, pole);
            }
            _ => return false,
        }
        true
    }

    /// Writes the configurations of the answers that reach as well as the best. What `others` held is used again.
    pub(in crate::solve) fn write_others(
        &mut self,
        problem: &Problem,
        state: &mut State,
        others: &mut Vec<Vec<f64>>,
    ) {
        self.spare.append(others);
        if self.answers.len() < 2 {
            return;
        }
        for answer in &self.answers[1..] {
            let mut other = self.spare.pop().unwrap_or_default();
            state.set_limb(problem, *answer);
            state.write_values(problem, &mut other);
            others.push(other);
        }
    }

    /// No answers: another method runs.
    pub(in crate::solve) fn forget(&mut self) {
        self.answers.clear();
    }

    /// Adds an answer unless it is the one already there.
    fn add(&mut self, answer: Answer) {
        let same = |a: Setting, b: Setting| match (a, b) {
            (Setting::Value(a), Setting::Value(b)) => sin_cos(0.5 * (a - b)).1.abs() > SAME,
            (Setting::Rotation(a), Setting::Rotation(b)) => a.dot(b).abs() > SAME,
            _ => false,
        };
        if !self.answers.iter().any(|known| same(known[1], answer[1])) {
            self.answers.push(answer);
        }
    }

    fn plan_plane(&mut self, problem: &Problem, state: &mut State) {
        let [start, mid, end, target] = state.limb_points(problem);
        let (upper, lower) = ((mid - start).truncate(), (end - mid).truncate());
        let direction = atan2(upper.y, upper.x);
        let flexion = wrap_angle(atan2(lower.y, lower.x) - direction);
        let now = plane::Angles { start: direction, mid: flexion };
        let (a, b) = (upper.length(), lower.length());
        let to_target = (target - start).truncate();
        let Ok(solved) = plane::solve(a, b, to_target, plane::Choice::Nearest(now)) else { return };
        for found in [solved.best, solved.other] {
            let first = state.inside(problem, 0, wrap_angle(found.start - now.start));
            let second = state.inside(problem, 1, wrap_angle(found.mid - now.mid));
            if let (Some(first), Some(second)) = (first, second) {
                self.add([Setting::Value(first), Setting::Value(second)]);
            }
        }
        if self.answers.is_empty() {
            self.plan_at_limits(problem, state);
        }
    }

    /// One joint at an end of its range, the other at its best: the nearest of up to four poses.
    fn plan_at_limits(&mut self, problem: &Problem, state: &mut State) {
        let mut best: Option<(f64, Answer)> = None;
        for held in 0..2 {
            let index = problem.nodes[held].variable;
            let variable = &problem.variables[index];
            for end in [variable.min, variable.max].into_iter().filter(|end| end.is_finite()) {
                state.restore(problem, &self.now);
                state.set_variable(problem, index, end);
                state.update(problem);
                let (center, goal) = (state.world[1 - held].translation, &problem.points[0]);
                let (from, to) = (state.points[0] - center, goal.target - center);
                let lever = Lever { from, to, weight: 1.0 };
                state.move_node(problem, 1 - held, &[lever], 1.0, Style::Best);
                state.update(problem);
                let miss = state.residual(problem).distance;
                let values = [0, 1].map(|i| state.values.variables[problem.nodes[i].variable]);
                if best.is_none_or(|(least, _)| miss < least) {
                    best = Some((miss, values.map(Setting::Value)));
                }
            }
        }
        state.restore(problem, &self.now);
        self.answers.extend(best.map(|(_, answer)| answer));
    }

    /// The squared distance from the first joint to the effector is `const + 2 (C cos x + S sin x)` in the hinge's change `x`: two changes give the
    /// target's distance, and the ball does the rest: it swings the effector to the target, then the hinge about the line between them to the pole.
    fn plan_ball_and_hinge(
        &mut self,
        problem: &Problem,
        state: &State,
        axis: DVec3,
        pole: Option<DVec3>,
    ) {
        let [start, mid, end, target] = state.limb_points(problem);
        let axis_in_world = state.in_world(1, axis);
        let (w, u) = (mid - start, end - mid);
        let fixed = axis_in_world.dot(u) * axis_in_world.dot(w);
        let (c, s) = (w.dot(u) - fixed, w.dot(axis_in_world.cross(u)));
        let desired = 0.5
            * (target.distance_squared(start) - w.length_squared() - u.length_squared())
            - fixed;
        let size = sqrt(c * c + s * s);
        let (middle, half) =
            if size > 0.0 { (atan2(s, c), acos(desired / size)) } else { (0.0, 0.0) };
        let mut changes = [middle - half, middle + half].map(wrap_angle);
        // The smaller change first.
        changes.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
        let variable = &problem.variables[problem.nodes[1].variable];
        let now = state.values.variables[problem.nodes[1].variable];
        let mut values = changes.map(|by| state.inside(problem, 1, by));
        if values == [None; 2] {
            let miss = |end: f64| {
                let (sine, cosine) = sin_cos(end - now);
                (c * cosine + s * sine - desired).abs()
            };
            let [min, max] = [variable.min, variable.max];
            values[0] = Some(if miss(min) <= miss(max) { min } else { max });
        }
        for value in values.into_iter().flatten() {
            let rotated = rotation_about(axis_in_world, value - now) * u;
            let swing = shortest_rotation(w + rotated, target - start);
            let swivel = pole.map_or(DQuat::IDENTITY, |pole| {
                let line = direction_or(swing * (w + rotated), DVec3::X);
                let to_pole = pole - start;
                let [mid, pole] = [swing * w, to_pole].map(|v| v.reject_from_normalized(line));
                if pole.length() <= NO_DIRECTION * to_pole.length() {
                    return DQuat::IDENTITY;
                }
                rotation_about(line, atan2(line.dot(mid.cross(pole)), mid.dot(pole)))
            });
            let before = state.before(&problem.nodes[0]).conjugate();
            let first = (before * swivel * swing * state.world[0].rotation).normalize();
            self.add([Setting::Rotation(first), Setting::Value(value)]);
        }
    }

    fn plan_balls(&mut self, problem: &Problem, state: &State, pole: Option<DVec3>) {
        let [start, mid, end, target] = state.limb_points(problem);
        let pole = pole.map_or(Pole::None, Pole::Point);
        let limb = Limb { soft: SoftReach::None, pole, ..Limb::new(start, mid, end, target) };
        let Ok(solved) = limb.solve() else { return };
        let first = solved.start_correction * state.world[0].rotation;
        let second = solved.mid_correction * state.world[1].rotation;
        let before_second = first * problem.nodes[1].placement.rotation;
        let first = state.before(&problem.nodes[0]).conjugate() * first;
        let second = before_second.conjugate() * second;
        self.answers.push([first, second].map(|rotation| Setting::Rotation(rotation.normalize())));
    }
}

impl Problem {
    /// The pole of a limb of two joints, if the pole is that of its middle joint.
    fn limb_pole(&self) -> Option<DVec3> {
        let goal = &self.goals[self.pole?];
        let (TaskKind::Pole(task), [upper, tip], [point]) =
            (&goal.kind, goal.carriers, self.points.as_slice())
        else {
            return None;
        };
        let is_near = |a: DVec3, b: DVec3| a.distance(b) <= SAME_PLACE * self.unit;
        let mid = upper.node_from_frame.transform_point(task.mid_in_upper);
        let is_own = upper.node == 0
            && is_near(upper.node_from_frame.translation, DVec3::ZERO)
            && is_near(mid, self.nodes[1].placement.translation)
            && tip.node == point.node
            && is_near(tip.node_from_frame.translation, point.offset);
        is_own.then_some(task.pole_in_world)
    }
}

impl State {
    /// Positions of the first joint, the second joint, the effector and the target.
    fn limb_points(&self, problem: &Problem) -> [DVec3; 4] {
        let goal = &problem.points[0];
        let end = self.point_of(goal.node, goal.offset);
        [self.world[0].translation, self.world[1].translation, end, goal.target]
    }

    /// The value of a hinge after a change, if its range allows it or one that differs by a whole turn.
    fn inside(&self, problem: &Problem, i: usize, by: f64) -> Option<f64> {
        let index = problem.nodes[i].variable;
        let (variable, x) = (&problem.variables[index], self.values.variables[index] + by);
        let is_inside = |x: &f64| variable.min - ROUNDING <= *x && *x <= variable.max + ROUNDING;
        let found = [x, x - TAU, x + TAU].into_iter().find(is_inside);
        found.map(|x| variable.clamp(x))
    }

    fn set_limb(&mut self, problem: &Problem, answer: Answer) {
        for (i, setting) in answer.into_iter().enumerate() {
            match setting {
                Setting::Value(x) => self.set_variable(problem, problem.nodes[i].variable, x),
                Setting::Rotation(rotation) => self.values.motions[i].rotation = rotation,
            }
        }
        self.update(problem);
    }
}
