//! Limbs whose joints turn about few axes hold by least squares over the angles of these.
//!
//! | Letter | Meaning |
//! |---|---|
//! | `δ` | by how much each turn of the three joints changes \[rad\], nine at most |
//! | `p`, `t` | where a point of the end is, and where it shall be, in lengths of the limb |
//! | `e` | how the end is turned against how it shall be: twice the vector of a quaternion `(w, v)` |
//! | `a` | unit axis of a turn, in the world |
//!
//! `δ` is the minimum of `Σ |p − t|² / ε + |e|² / κ + |δ|²`, sought from the motion in each frame by itself: so where all holds nothing turns, to the bit, and `δ` changes
//! as smoothly as the motion does. What needs large turns for little, as a foot without its pitch that only a swinging knee would set right, is missed
//! a little instead.
//!
//! With turn `i` above turn `j` or the same: `∂p/∂j = a_j × (p − o_j)` and `∂²p/∂i∂j = a_i × ∂p/∂j`; `∂e/∂j = −(w a_j + v × a_j)` and
//! `∂²e/∂i∂j = −½ (w c + d v + v × c)` with `c = a_i × a_j`, `d = a_i · a_j`. Newton's method has them all: the points are held so hard that their curvature is what
//! decides how far a step may go.

use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, rotation_about};
use posekit::skeleton::{JointKind, Skeleton};

use super::Keep;
use super::apply::part;
use super::need::Need;
use super::plan::{LimbPlan, Target};
use crate::tracks::Tracks;
use crate::{Clip, Limb};

/// `ε` of the end itself. Where both cannot hold, it goes before what is beside it: a heel before a ball.
const END: f64 = 1e-7;

/// `ε` of points beside the end: with turns of a tenth of a radian they are missed by a hundred-thousandth of the limb.
const BESIDE: f64 = 1e-5;

/// `κ`: how softly the end keeps its direction.
const DIRECTION: f64 = 0.1;

/// Three turns of three joints.
const MOST: usize = 9;

/// Newton steps in a frame, at most. Mostly five are enough.
const STEPS: usize = 40;

/// No turn goes farther in one step \[rad\].
const LONGEST_STEP: f64 = 0.5;

/// How often a step that makes things worse is halved.
const HALVES: usize = 12;

/// Steps below this are rounding \[rad\], as are misses below it in lengths of the limb.
const NOTHING: f64 = 1e-10;

/// How much of the curvature counts, the most first with which the problem has one minimum. Without any it always has.
const CURVATURES: [f64; 5] = [1.0, 0.5, 0.25, 0.125, 0.0];

/// By how much the turns of start, middle and end change \[rad\].
pub(super) type Change = [DVec3; 3];

/// One turn of a joint of a limb.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Turn {
    /// Start, middle or end.
    joint: usize,
    /// Which of the joint's.
    place: usize,
    /// In the joint's frame, or before it turns for an outer one.
    axis: DVec3,
    /// It is in front of the rotation that the joint has, all others are behind it.
    is_outer: bool,
}

/// The turns of a limb, those above before those below; `None` where the closed form will do: with balls at its start and its end, and a ball or a hinge in its middle.
pub(super) fn turns(skeleton: &Skeleton, limb: Limb, keep: Option<&Keep<'_>>) -> Option<Vec<Turn>> {
    let kept = |joint: usize| keep.and_then(|keep| keep.axes.get(joint)?.as_deref());
    let is_ball = |joint: usize| {
        let is_ball = matches!(skeleton.kind(joint), JointKind::Ball | JointKind::Free);
        is_ball && kept(joint).is_none()
    };
    let is_hinge = matches!(skeleton.kind(limb.mid), JointKind::Revolute { .. });
    if is_ball(limb.start) && is_ball(limb.end) && (is_ball(limb.mid) || is_hinge) {
        return None;
    }
    let mut turns = Vec::with_capacity(MOST);
    for (joint, of) in limb.joints().into_iter().enumerate() {
        let mut add = |place: usize, axis: DVec3, is_outer: bool| {
            turns.push(Turn { joint, place, axis, is_outer });
        };
        match (kept(of), skeleton.kind(of)) {
            (Some([outer, inner, ..]), _) => {
                add(0, *outer, true);
                add(1, *inner, false);
            }
            (Some([axis]), _) => add(0, *axis, false),
            (None, JointKind::Revolute { axis }) => add(0, axis, false),
            (None, JointKind::Ball | JointKind::Free) => {
                let all = DVec3::AXES.into_iter().enumerate();
                all.for_each(|(place, axis)| add(place, axis, false));
            }
            _ => {}
        }
    }
    Some(turns)
}

/// Whether the closed form does not do for a limb.
pub(crate) fn has_few_turns(skeleton: &Skeleton, limb: Limb, keep: Option<&Keep<'_>>) -> bool {
    turns(skeleton, limb, keep).is_some()
}

/// What the end of a limb shall do in one frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal {
    /// Two at most.
    points: [Option<Aim>; 2],
    rotation: DQuat,
    /// Its `κ`.
    softness: f64,
}

/// Where a point of the end shall be.
#[derive(Debug, Clone, Copy)]
struct Aim {
    /// In the end's frame.
    own: DVec3,
    to: DVec3,
}

impl Goal {
    /// To be in a pose, or near it and turned about as there.
    pub(super) fn pose(pose: Pose) -> Self {
        let aim = Aim { own: DVec3::ZERO, to: pose.translation };
        Self { points: [Some(aim), None], rotation: pose.rotation, softness: DIRECTION }
    }

    /// A part of what a limb's contacts ask for; `None` where none holds.
    ///
    /// - `root`: by how much the limb's start is moved with it
    pub(super) fn new(
        (limb, need): (&LimbPlan, &Need),
        tracks: &Tracks,
        frame: usize,
        (strength, root): (f64, DVec3),
    ) -> Option<Self> {
        let end = tracks.pose(frame, limb.limb.end);
        let turn = need.turn(frame).map_or(DQuat::IDENTITY, |turn| part(turn, strength));
        let mut is_pose = false;
        let points = need.points(limb, frame).map(|point| {
            let point = point?;
            is_pose |= matches!(point.target(frame), Target::Pose(_));
            let here = tracks.frame_place(frame, &point.frame);
            let own = end.rotation.conjugate() * (here - end.translation);
            Some(Aim {
                own,
                to: here + (point.target(frame).position(here) - here - root) * strength,
            })
        });
        points[0]?;
        let softness = if is_pose { END } else { DIRECTION };
        Some(Self { points, rotation: turn * end.rotation, softness })
    }
}

/// A limb of few turns in one frame.
pub(super) struct Few<'a> {
    limb: Limb,
    turns: &'a [Turn],
    /// Each joint's place on the one before, how it is turned on it at rest, and its own rotation; the first on the world.
    places: [DVec3; 3],
    placed: [DQuat; 3],
    own: [DQuat; 3],
    length: f64,
}

/// The limb with its joints turned.
#[derive(Clone, Copy)]
struct Turned {
    /// Of the joints.
    places: [DVec3; 3],
    /// Of the end.
    rotation: DQuat,
    /// `a` of each turn.
    axes: [DVec3; MOST],
}

/// What is left to be done in a pose, and how hard it is asked for: two points and `e`.
#[derive(Clone, Copy)]
struct Off {
    /// Where the points are.
    points: [DVec3; 2],
    error: DQuat,
    rows: [DVec3; 3],
    weights: [f64; 3],
    cost: f64,
}

impl<'a> Few<'a> {
    pub(super) fn new(
        clip: &Clip,
        (limb, turns): (Limb, &'a [Turn]),
        tracks: &Tracks,
        frame: usize,
    ) -> Self {
        let skeleton = clip.skeleton();
        let joints = limb.joints();
        let own = joints.map(|joint| skeleton.motion(joint, clip.frame(frame)).rotation);
        let poses = joints.map(|joint| tracks.pose(frame, joint));
        let mut places = [poses[0].translation; 3];
        let mut placed = [poses[0].rotation * own[0].conjugate(); 3];
        for k in 1..3 {
            let back = poses[k - 1].rotation.conjugate();
            places[k] = back * (poses[k].translation - poses[k - 1].translation);
            placed[k] = back * poses[k].rotation * own[k].conjugate();
        }
        Self { limb, turns, places, placed, own, length: limb.length(skeleton) }
    }

    /// The change of turns that brings the end to its goal.
    ///
    /// - `bend`: by how much the middle bends in the closed form, as a rotation vector of the world: a straight limb does not know by itself which way
    pub(super) fn solve(&self, goal: &Goal, bend: DVec3) -> Change {
        let mut delta = [0.0; MOST];
        let mut at = self.turned(&delta);
        let holds = self.off(goal, &at, &delta);
        if holds.rows.iter().all(|row| row.length_squared() < NOTHING * NOTHING) {
            return Change::default();
        }
        for (k, _) in self.turns.iter().enumerate().filter(|(_, turn)| turn.joint == 1) {
            delta[k] = at.axes[k].dot(bend);
        }
        at = self.turned(&delta);
        let mut off = self.off(goal, &at, &delta);
        for _ in 0..STEPS {
            let Some(step) = self.step(goal, &at, &off, &delta) else { break };
            let largest = step.iter().fold(0.0, |most: f64, step| most.max(step.abs()));
            if largest < NOTHING {
                break;
            }
            let mut share = if largest > LONGEST_STEP { LONGEST_STEP / largest } else { 1.0 };
            let mut is_better = false;
            for _ in 0..HALVES {
                let next: [f64; MOST] = core::array::from_fn(|k| delta[k] + step[k] * share);
                let next_at = self.turned(&next);
                let next_off = self.off(goal, &next_at, &next);
                is_better = next_off.cost < off.cost;
                if is_better {
                    (delta, at, off) = (next, next_at, next_off);
                    break;
                }
                share *= 0.5;
            }
            if !is_better {
                break;
            }
        }
        let mut change = Change::default();
        for (turn, delta) in self.turns.iter().zip(delta) {
            change[turn.joint][turn.place] = delta;
        }
        change
    }

    /// Writes the joints with their turns changed.
    pub(super) fn write(&self, skeleton: &Skeleton, change: &Change, q: &mut [f64]) {
        for (k, joint) in self.limb.joints().into_iter().enumerate() {
            let range = skeleton.value_range(joint);
            match skeleton.kind(joint) {
                JointKind::Ball | JointKind::Free => {
                    let mut own = self.own[k];
                    for turn in self.turns.iter().filter(|turn| turn.joint == k) {
                        let by = rotation_about(turn.axis, change[k][turn.place]);
                        own = if turn.is_outer { by * own } else { own * by };
                    }
                    let own = own * (1.0 / own.length());
                    q[range.end - 4..range.end].copy_from_slice(&own.to_array());
                }
                JointKind::Revolute { .. } => q[range.start] += change[k].x,
                _ => {}
            }
        }
    }

    fn turned(&self, delta: &[f64; MOST]) -> Turned {
        let (mut place, mut rotation) = (DVec3::ZERO, DQuat::IDENTITY);
        let (mut places, mut axes) = ([DVec3::ZERO; 3], [DVec3::ZERO; MOST]);
        for k in 0..3 {
            place += rotation * self.places[k];
            rotation *= self.placed[k];
            places[k] = place;
            for is_outer in [true, false] {
                let turns = self.turns.iter().enumerate();
                for (n, turn) in
                    turns.filter(|(_, turn)| turn.joint == k && turn.is_outer == is_outer)
                {
                    axes[n] = rotation * turn.axis;
                    rotation *= rotation_about(turn.axis, delta[n]);
                }
                if is_outer {
                    rotation *= self.own[k];
                }
            }
        }
        Turned { places, rotation, axes }
    }

    fn off(&self, goal: &Goal, at: &Turned, delta: &[f64; MOST]) -> Off {
        let error = goal.rotation * at.rotation.conjugate();
        let error = if error.w < 0.0 { -error } else { error };
        let mut points = [DVec3::ZERO; 2];
        let mut rows = [DVec3::ZERO, DVec3::ZERO, error.xyz() * 2.0];
        let mut weights = [0.0, 0.0, 1.0 / goal.softness];
        for (k, aim) in goal.points.iter().enumerate() {
            let Some(Aim { own, to }) = *aim else { continue };
            points[k] = at.places[2] + at.rotation * own;
            rows[k] = (points[k] - to) / self.length;
            let is_end = own.length() < NOTHING * self.length;
            weights[k] = 1.0 / if is_end { END } else { BESIDE };
        }
        let of_rows = (0..3).map(|k| rows[k].length_squared() * weights[k]).sum::<f64>();
        let cost = of_rows + delta.iter().map(|delta| delta * delta).sum::<f64>();
        Off { points, error, rows, weights, cost }
    }

    /// Newton's step; `None` where something is not finite.
    fn step(
        &self,
        goal: &Goal,
        at: &Turned,
        off: &Off,
        delta: &[f64; MOST],
    ) -> Option<[f64; MOST]> {
        let n = self.turns.len();
        let (w, v) = (off.error.w, off.error.xyz());
        let mut changes = [[DVec3::ZERO; 3]; MOST];
        for (changes, (turn, axis)) in changes.iter_mut().zip(self.turns.iter().zip(at.axes)) {
            for point in (0..2).filter(|point| goal.points[*point].is_some()) {
                let arm = off.points[point] - at.places[turn.joint];
                changes[point] = axis.cross(arm) / self.length;
            }
            changes[2] = -(axis * w + v.cross(axis));
        }
        let pulls: [DVec3; 3] = core::array::from_fn(|row| off.rows[row] * off.weights[row]);
        let (mut linear, mut curved) = ([0.0; MOST * MOST], [0.0; MOST * MOST]);
        let mut down = [0.0; MOST];
        for i in 0..n {
            for j in i..n {
                let (of_i, of_j) = (&changes[i], &changes[j]);
                let products = (0..3).map(|row| of_i[row].dot(of_j[row]) * off.weights[row]);
                linear[i * n + j] = products.sum::<f64>() + f64::from(u8::from(i == j));
                let (c, d) = (at.axes[i].cross(at.axes[j]), at.axes[i].dot(at.axes[j]));
                curved[i * n + j] = pulls[0].dot(at.axes[i].cross(of_j[0]))
                    + pulls[1].dot(at.axes[i].cross(of_j[1]))
                    - 0.5 * pulls[2].dot(c * w + v * d + v.cross(c));
            }
            down[i] = -(0..3).map(|row| changes[i][row].dot(pulls[row])).sum::<f64>() - delta[i];
        }
        CURVATURES.into_iter().find_map(|share| {
            let mut matrix: [f64; MOST * MOST] =
                core::array::from_fn(|k| linear[k] + curved[k] * share);
            let mut step = down;
            solve_definite(&mut matrix[..n * n], &mut step[..n]).then_some(step)
        })
    }
}

/// Solves `A x = b` in place for a symmetric positive definite `A`; false where it is not definite to rounding.
///
/// - `a`: `n × n`, row by row; the upper triangle is read; on return `U` of `A = Uᵀ D U` above the diagonal
/// - `b`: `n` numbers, `n` taken from its length; the solution on return
///
/// # Method
/// Cholesky without square roots \[golub13\], section 4.1.
fn solve_definite(a: &mut [f64], b: &mut [f64]) -> bool {
    let n = b.len();
    let diagonal: [f64; MOST] = core::array::from_fn(|i| if i < n { a[i * n + i] } else { 0.0 });
    for k in 0..n {
        let (above, below) = a.split_at_mut((k + 1) * n);
        let row = &mut above[k * n..];
        let pivot = row[k];
        if !pivot.is_normal() || pivot <= f64::EPSILON * diagonal[k] {
            return false;
        }
        let inverse = pivot.recip();
        for (i, out) in (k + 1..n).zip(below.chunks_exact_mut(n)) {
            let scaled = row[i] * inverse;
            (i..n).for_each(|j| out[j] -= scaled * row[j]);
        }
        row[k + 1..].iter_mut().for_each(|u| *u *= inverse);
        (k + 1..n).for_each(|j| b[j] -= row[j] * b[k]);
        b[k] *= inverse;
    }
    for k in (0..n).rev() {
        b[k] -= (k + 1..n).map(|j| a[k * n + j] * b[j]).sum::<f64>();
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definite_systems_are_solved_and_others_refused() {
        // From U = [1 3 -4; 0 1 5; 0 0 1] and D = [4 1 9].
        let mut a = [4.0, 12.0, -16.0, 0.0, 37.0, -43.0, 0.0, 0.0, 98.0];
        let mut b = [4.0 + 24.0 - 48.0, 12.0 + 74.0 - 129.0, -16.0 - 86.0 + 294.0];
        assert!(solve_definite(&mut a, &mut b));
        assert_eq!(b, [1.0, 2.0, 3.0]);
        for mut a in [[1.0, 2.0, 2.0, 4.0], [-1.0, 0.0, 0.0, 1.0], [1.0, f64::NAN, 0.0, 1.0]] {
            assert!(!solve_definite(&mut a, &mut [1.0; 2]), "{a:?}");
        }
    }
}
