//! One least squares over all frames of a run, in the values of some joints: the smallest, smoothest change with which goals are met.
//!
//! | Letter | Meaning | Unit |
//! |---|---|---|
//! | `x` | change of each column in a frame: a displacement along an axis, or an angle about one | lengths of the figure, rad |
//! | `w` | weight of a column | |
//! | `e` | residual of a goal: a place, a plane, a distance, a rotation | lengths of the figure, rad |
//!
//! Minimised is `Σ_t Σ_columns w (x² + τ⁴ x''²) + Σ_t Σ_goals W e²`, with nothing changed before and after the run, in Gauss-Newton steps on the normal equations, which
//! couple a frame with two before and two after. Then each goal is moved by what it is missed by, a few times: by these multipliers \[nocedal06\], section 17.3, what
//! can hold does so exactly, and what cannot pulls a few times as hard.

use core::ops::Range;

use posekit::glam::{DQuat, DVec3};
use posekit::math::{
    Pose, rotation_about, so3_exp, so3_left_jacobian_inverse, so3_log, so3_right_jacobian,
};
use posekit::skeleton::{Frame, JointKind, Skeleton};

use super::Keep;
use super::plan::{Point, Target};
use crate::banded::Banded;
use crate::descent::{Sum, in_windows};
use crate::space_time::CONTACT;

/// The weight of a goal that must be met.
pub(super) const HARD: f64 = 1.0;

/// How often multipliers are updated.
const ROUNDS: usize = 3;

/// At first all goals have so much of their weights: the valley that hard ones make is narrow.
const SOFT: f64 = 1e-3;

/// Where no residual of a frame is larger, all its goals can be met \[lengths of the figure, rad\].
const MET: f64 = 1e-2;

/// How many times larger their weights become with each update.
const HARDER: f64 = 30.0;

/// No column goes farther in a step \[lengths of the figure, rad\].
const LONGEST_STEP: f64 = 0.6;

/// A sum that is rounding.
const NOTHING: f64 = 1e-14;

/// One way in which a joint can change.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    pub(super) joint: usize,
    pub(super) by: By,
    pub(super) weight: f64,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum By {
    /// A [`Free`](JointKind::Free) joint moves along an axis of the frame that it is placed in.
    Move(usize),
    /// A component of the rotation vector that is put behind the joint's own rotation; all three follow each other.
    Turn(usize),
    /// A turn about an axis of the frame that the joint is placed in, in front of its own rotation.
    Outer(DVec3),
    /// A turn about an axis of the joint's frame, behind its own rotation.
    Inner(DVec3),
    /// The value of a hinge or a slide.
    Value,
}

/// The columns of a joint, but for one that follows another.
///
/// - `weights`: of what moves it and of what turns it; no columns for a weight of 0
/// - `keep`: what a file keeps of them
pub(super) fn columns_of(
    skeleton: &Skeleton,
    joint: usize,
    weights: [f64; 2],
    keep: Option<&Keep>,
) -> Vec<Column> {
    let kept = keep.and_then(|keep| keep.turns(joint));
    let is_kept =
        |axis: &usize| keep.and_then(|keep| keep.moves.get(joint)).is_none_or(|moves| moves[*axis]);
    let kind = skeleton.kind(joint);
    let turns: Vec<By> = match (kind, kept) {
        _ if skeleton.mimic(joint).is_some() => return Vec::new(),
        (JointKind::Fixed, _) => Vec::new(),
        (JointKind::Revolute { .. } | JointKind::Prismatic { .. }, _) => vec![By::Value],
        (_, None) => (0..3).map(By::Turn).collect(),
        (_, Some([outer, inner, ..])) => vec![By::Outer(*outer), By::Inner(*inner)],
        (_, Some(axes)) => axes.iter().copied().map(By::Inner).collect(),
    };
    let moves = (0..3).filter(|axis| kind == JointKind::Free && is_kept(axis));
    let moves = moves.map(By::Move).map(|by| Column { joint, by, weight: weights[0] });
    let turns = turns.into_iter().map(|by| Column { joint, by, weight: weights[1] });
    moves.chain(turns).filter(|column| column.weight > 0.0).collect()
}

/// A goal in a frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal {
    pub(super) joint: usize,
    /// A place in the joint's frame.
    pub(super) own: DVec3,
    pub(super) aim: Aim,
    /// Against [`HARD`].
    pub(super) weight: f64,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Aim {
    At(DVec3),
    /// In the plane through a point with this normal.
    On(DVec3, DVec3),
    /// No farther from a point than this.
    Within(DVec3, f64),
    /// The joint is turned as this.
    Turned(DQuat),
}

/// The goals of a contact in a frame.
pub(super) fn goals_of(point: &Point, frame: usize) -> impl Iterator<Item = Goal> {
    let Frame { joint, joint_from_frame } = point.frame;
    let (at, turned) = match point.target(frame) {
        Target::Position(target) => (Aim::At(target), None),
        Target::Surface(on, normal) => (Aim::On(on, normal), None),
        Target::Pose(target) => {
            let turned = target.rotation * joint_from_frame.rotation.conjugate();
            (Aim::At(target.translation), Some(Aim::Turned(turned)))
        }
    };
    let own = joint_from_frame.translation;
    [Some(at), turned].into_iter().flatten().map(move |aim| Goal { joint, own, aim, weight: HARD })
}

/// The runs of frames in which something holds, and its eases.
pub(super) fn runs_of(n_frames: usize, points: &[Point]) -> Vec<Range<usize>> {
    let is_moved = |frame: &usize| points.iter().any(|point| point.coming(*frame) > 0.0);
    let frames: Vec<usize> = (0..n_frames).filter(is_moved).collect();
    let run = |run: &[usize]| run[0]..run[run.len() - 1] + 1;
    frames.chunk_by(|a, b| a + 1 == *b).map(run).collect()
}

/// The joints that can change.
#[derive(Clone, Copy)]
pub(super) struct Joints<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) columns: &'a [Column],
    /// The figure's length; not 0.
    unit: f64,
}

/// What is solved in a run of frames.
pub(super) struct Problem<'a> {
    pub(super) joints: Joints<'a>,
    /// Configurations of the motion that is changed, of all frames of the run.
    pub(super) source: Vec<&'a [f64]>,
    pub(super) goals: Vec<Vec<Goal>>,
    /// The change to begin with, frame after frame.
    pub(super) start: Vec<f64>,
    /// `τ` \[s\].
    pub(super) blend: f64,
    /// Nothing is known before the run, and after it: the clip begins or ends with it.
    pub(super) is_open: [bool; 2],
    pub(super) frame_time: f64,
}

/// The frames of a run that are solved together.
struct Window<'a> {
    problem: &'a Problem<'a>,
    frames: Range<usize>,
    /// The change of the two frames before it; none where nothing is known of them.
    before: [Option<&'a [f64]>; 2],
    /// Whether nothing is changed after it.
    is_closed: bool,
}

/// The residual of a goal, with its derivatives by the columns.
struct Row {
    weight: f64,
    value: DVec3,
    by: Vec<ByColumn>,
}

/// Of a residual, by a column.
struct ByColumn {
    column: usize,
    joint: usize,
    derivative: DVec3,
    /// How the place moves by it, and the axis about which it turns; zero where its curvature is left out.
    place: DVec3,
    axis: DVec3,
}

impl Row {
    /// The residual times its second derivative by two columns, the first of a joint above the other's or of the same joint: `e · (a × ∂p)`.
    fn curved(&self, above: &ByColumn, below: &ByColumn) -> f64 {
        let one = self.value.dot(above.axis.cross(below.place));
        match above.joint == below.joint {
            true => 0.5 * (one + self.value.dot(below.axis.cross(above.place))),
            false => one,
        }
    }
}

impl<'a> Joints<'a> {
    /// - `length`: of the figure; what has none is measured in the clip's unit
    pub(super) fn new(skeleton: &'a Skeleton, columns: &'a [Column], length: f64) -> Self {
        Self { skeleton, columns, unit: if length > 0.0 { length } else { 1.0 } }
    }

    /// A configuration with a change.
    pub(super) fn changed(&self, source: &[f64], x: &[f64]) -> Vec<f64> {
        let mut q = source.to_vec();
        for (k, column) in self.columns.iter().enumerate() {
            let range = self.skeleton.value_range(column.joint);
            let limit = self.skeleton.limit(column.joint);
            let mut turn = |turned: &dyn Fn(DQuat) -> DQuat| {
                let own = &mut q[range.end - 4..range.end];
                let rotation = turned(DQuat::from_slice(own));
                let rotation = limit.clamp_rotation(rotation * (1.0 / rotation.length()));
                own.copy_from_slice(&rotation.to_array());
            };
            match column.by {
                By::Turn(0) => {
                    let by = DVec3::from_slice(&x[k..]);
                    if by != DVec3::ZERO {
                        turn(&|own| own * so3_exp(by));
                    }
                }
                By::Turn(_) => {}
                _ if x[k] == 0.0 => {}
                By::Move(axis) => q[range.start + axis] += x[k] * self.unit,
                By::Outer(axis) => turn(&|own| rotation_about(axis, x[k]) * own),
                By::Inner(axis) => turn(&|own| own * rotation_about(axis, x[k])),
                By::Value => {
                    let moved = q[range.start] + x[k] * self.per_value(column.joint);
                    q[range.start] = limit.clamp_value(moved);
                }
            }
        }
        q
    }

    /// A joint's value by a unit of its column.
    fn per_value(&self, joint: usize) -> f64 {
        match self.skeleton.kind(joint) {
            JointKind::Prismatic { .. } => self.unit,
            _ => 1.0,
        }
    }

    /// The axis of each column in the world; a displacement for those that move, in lengths of the figure.
    fn axes(&self, poses: &[Pose], x: &[f64]) -> Vec<(DVec3, bool)> {
        let axis = |(k, column): (usize, &Column)| {
            let Column { joint, by, .. } = *column;
            let own = poses[joint].rotation;
            let placed = || {
                let placement = self.skeleton.parent_from_joint(joint).rotation;
                let parent = self.skeleton.parent(joint);
                parent.map_or(placement, |parent| poses[parent].rotation * placement)
            };
            match (by, self.skeleton.kind(joint)) {
                (By::Move(axis), _) => (placed() * DVec3::AXES[axis], true),
                (By::Turn(axis), _) => {
                    let x = DVec3::from_slice(&x[k - axis..]);
                    (own * so3_right_jacobian(x).col(axis), false)
                }
                (By::Outer(axis), _) => (placed() * axis, false),
                (By::Inner(axis), _) | (By::Value, JointKind::Revolute { axis }) => {
                    (own * axis, false)
                }
                (By::Value, JointKind::Prismatic { axis }) => (placed() * axis, true),
                (By::Value, _) => (DVec3::ZERO, true),
            }
        };
        self.columns.iter().enumerate().map(axis).collect()
    }
}

impl Problem<'_> {
    /// The change of each frame.
    pub(super) fn solve(&self) -> Vec<Vec<f64>> {
        let (n, n_frames) = (self.joints.columns.len(), self.source.len());
        let nothing = vec![0.0; n];
        let x = in_windows(n_frames, (n, self.frame_time), |frames, x| {
            let before = [2, 1].map(|back| match frames.start.checked_sub(back) {
                Some(frame) => Some(&x[frame * n..(frame + 1) * n]),
                None => (!self.is_open[0]).then_some(&nothing[..]),
            });
            let is_closed = frames.end == n_frames && !self.is_open[1];
            Window { problem: self, frames, before, is_closed }.solve()
        });
        x.chunks_exact(n.max(1)).map(<[f64]>::to_vec).collect()
    }

    /// The configurations with the change.
    pub(super) fn configurations(&self) -> Vec<Vec<f64>> {
        let changes = self.solve().into_iter().zip(&self.source);
        changes.map(|(x, q)| self.joints.changed(q, &x)).collect()
    }

    /// The residual of a goal; zero within its bounds.
    fn residual(&self, poses: &[Pose], goal: &Goal) -> DVec3 {
        let pose = poses[goal.joint];
        let place = pose.transform_point(goal.own);
        match goal.aim {
            Aim::At(to) => (place - to) / self.joints.unit,
            Aim::On(point, normal) => normal * (normal.dot(place - point) / self.joints.unit),
            Aim::Within(to, most) => {
                let (away, far) = (place - to, place.distance(to));
                if far > most {
                    away * ((far - most) / (far * self.joints.unit))
                } else {
                    DVec3::ZERO
                }
            }
            Aim::Turned(to) => so3_log(pose.rotation * to.conjugate()),
        }
    }

    /// The residuals of a frame.
    fn rows(&self, frame: usize, x: &[f64], goals: &[Goal]) -> Vec<Row> {
        let poses = self.joints.skeleton.poses(&self.joints.changed(self.source[frame], x));
        let axes = self.joints.axes(&poses, x);
        let mut is_above = vec![false; poses.len()];
        let row = |goal: &Goal| {
            let value = self.residual(&poses, goal);
            is_above.fill(false);
            self.joints.skeleton.ancestors(goal.joint).for_each(|joint| is_above[joint] = true);
            let place = poses[goal.joint].transform_point(goal.own);
            let back = match goal.aim {
                Aim::Turned(_) => Some(so3_left_jacobian_inverse(value)),
                _ => None,
            };
            let along = match goal.aim {
                Aim::On(_, normal) => Some(normal),
                Aim::Within(to, _) => Some((place - to).normalize_or_zero()),
                Aim::At(_) | Aim::Turned(_) => None,
            };
            let by_column = |(k, (column, (axis, moves))): (usize, (&Column, &(DVec3, bool)))| {
                let arm = place - poses[column.joint].translation;
                let (place, turn) = match (back, moves) {
                    (None, true) => (*axis, DVec3::ZERO),
                    (None, false) => (axis.cross(arm) / self.joints.unit, *axis),
                    (Some(_), _) => (DVec3::ZERO, DVec3::ZERO),
                };
                let derivative = match (back, moves) {
                    (None, _) => along.map_or(place, |along| along * along.dot(place)),
                    (Some(back), false) => back * *axis,
                    (Some(_), true) => DVec3::ZERO,
                };
                ByColumn { column: k, joint: column.joint, derivative, place, axis: turn }
            };
            let columns = self.joints.columns.iter().zip(&axes).enumerate();
            let by = columns.filter(|(_, (column, _))| is_above[column.joint]).map(by_column);
            let is_bound = matches!(goal.aim, Aim::Within(..));
            let row = Row { weight: CONTACT * goal.weight, value, by: by.collect() };
            (!is_bound || value != DVec3::ZERO).then_some(row)
        };
        goals.iter().filter_map(row).collect()
    }
}

impl Window<'_> {
    fn n(&self) -> usize {
        self.problem.joints.columns.len()
    }

    /// Frames in a row whose second difference counts, by the second of them, which may be beyond the ends; the change of those that are known.
    fn triples(&self) -> impl Iterator<Item = [Result<usize, &[f64]>; 3]> {
        let n_frames = self.frames.len() as isize;
        let of = move |frame: isize| -> Option<Result<usize, &[f64]>> {
            match usize::try_from(frame) {
                Ok(frame) if frame < self.frames.len() => Some(Ok(frame)),
                Ok(_) => self.is_closed.then_some(Err(&[][..])),
                Err(_) => self.before[usize::from(frame == -1)].map(Err),
            }
        };
        (-1..=n_frames)
            .filter_map(move |middle| Some([of(middle - 1)?, of(middle)?, of(middle + 1)?]))
    }

    fn blend(&self) -> f64 {
        let frames = self.problem.blend / self.problem.frame_time;
        (frames * frames) * (frames * frames)
    }

    /// Each second difference, with its weight, column and entries.
    fn seconds(&self, x: &[f64], mut see: impl FnMut(f64, f64, [Option<usize>; 3])) {
        let (n, blend) = (self.n(), self.blend());
        for triple in self.triples() {
            for (k, column) in self.problem.joints.columns.iter().enumerate() {
                let at = |of: &Result<usize, &[f64]>| match of {
                    Ok(frame) => x[frame * n + k],
                    Err(known) => known.get(k).copied().unwrap_or(0.0),
                };
                let [a, b, c] = triple.each_ref().map(at);
                let entries = triple.map(|of| of.ok().map(|frame| frame * n + k));
                see(blend * column.weight, a - 2.0 * b + c, entries);
            }
        }
    }

    fn poses(&self, x: &[f64], own: usize) -> Vec<Pose> {
        let Self { problem, frames, .. } = self;
        let n = self.n();
        let source = problem.source[frames.start + own];
        problem.joints.skeleton.poses(&problem.joints.changed(source, &x[own * n..(own + 1) * n]))
    }

    /// The change of all its frames.
    fn solve(&self) -> Vec<f64> {
        let mut goals = self.problem.goals[self.frames.clone()].to_vec();
        let n = self.n();
        let mut x = vec![0.0; n * self.frames.len()];
        // Where all holds already, nothing changes, to the bit; nor where it is too far away for numbers.
        let cost = Stated { window: self, goals: &goals }.cost(&x);
        if n == 0 || cost <= NOTHING || !cost.is_finite() {
            return x;
        }
        x.copy_from_slice(&self.problem.start[self.frames.start * n..self.frames.end * n]);
        let mut matrix = Banded::default();
        let mut minimise = |goals: &[Vec<Goal>], x: &mut Vec<f64>| {
            Stated { window: self, goals }.minimise(x, &mut matrix);
        };
        let mut softly = goals.clone();
        softly.iter_mut().flatten().for_each(|goal| goal.weight *= SOFT);
        minimise(&softly, &mut x);
        minimise(&goals, &mut x);
        for _ in 0..ROUNDS {
            self.update_multipliers(&x, &mut goals);
            minimise(&goals, &mut x);
        }
        x
    }

    /// Moves goals by their residuals, and makes those of frames in which all can be met harder.
    fn update_multipliers(&self, x: &[f64], goals: &mut [Vec<Goal>]) {
        let unit = self.problem.joints.unit;
        for (own, goals) in goals.iter_mut().enumerate() {
            let poses = self.poses(x, own);
            let off = |goal: &Goal| self.problem.residual(&poses, goal);
            let first = &self.problem.goals[self.frames.start + own];
            let is_hard = |goal: &&Goal| goal.weight >= HARD;
            let missed =
                first.iter().filter(is_hard).map(|goal| off(goal).length()).fold(0.0, f64::max);
            let harder = if missed < MET { HARDER } else { 1.0 };
            for (goal, first) in goals.iter_mut().zip(first).filter(|(_, first)| is_hard(first)) {
                let more = off(goal) / harder;
                goal.weight *= harder;
                goal.aim = match first.aim {
                    Aim::At(to) => Aim::At(to - more * unit),
                    Aim::On(to, normal) => Aim::On(to - more * unit, normal),
                    Aim::Within(to, most) => Aim::Within(to, most - more.length() * unit),
                    Aim::Turned(to) => Aim::Turned(so3_exp(-more) * to),
                };
            }
        }
    }
}

/// A window with the goals that it has in a round.
struct Stated<'a> {
    window: &'a Window<'a>,
    goals: &'a [Vec<Goal>],
}

impl Sum for Stated<'_> {
    const STEPS: usize = 30;
    const SETTLED: f64 = 1e-4;
    const GROWTH: f64 = 10.0;
    const CURVATURES: &'static [f64] = &[0.0, 0.25, 0.5, 1.0];

    fn cost(&self, x: &[f64]) -> f64 {
        let (window, n) = (self.window, self.window.n());
        let mut cost = 0.0;
        for (at, x) in x.iter().enumerate() {
            cost += window.problem.joints.columns[at % n].weight * x * x;
        }
        window.seconds(x, |weight, second, _| cost += weight * second * second);
        for (own, goals) in self.goals.iter().enumerate() {
            let poses = window.poses(x, own);
            for goal in goals {
                cost +=
                    CONTACT * goal.weight * window.problem.residual(&poses, goal).length_squared();
            }
        }
        cost
    }

    fn linearise(&self, x: &[f64], curvature: f64, hessian: &mut Banded) -> Vec<f64> {
        let (window, n) = (self.window, self.window.n());
        hessian.set_zero(x.len(), 2 * n);
        let mut down = vec![0.0; x.len()];
        for (at, x) in x.iter().enumerate() {
            let weight = window.problem.joints.columns[at % n].weight;
            hessian.add(at, at, weight);
            down[at] -= weight * x;
        }
        window.seconds(x, |weight, second, entries| {
            for (i, factor) in [1.0, -2.0, 1.0].into_iter().enumerate() {
                let Some(row) = entries[i] else { continue };
                down[row] -= weight * factor * second;
                for (j, other) in [1.0, -2.0, 1.0].into_iter().enumerate().skip(i) {
                    if let Some(column) = entries[j] {
                        hessian.add(row, column, weight * factor * other);
                    }
                }
            }
        });
        for ((own, frame), goals) in window.frames.clone().enumerate().zip(self.goals) {
            let first = own * n;
            for row in window.problem.rows(frame, &x[first..first + n], goals) {
                for (i, a) in row.by.iter().enumerate() {
                    down[first + a.column] -= row.weight * a.derivative.dot(row.value);
                    for b in &row.by[i..] {
                        let by = a.derivative.dot(b.derivative) + curvature * row.curved(a, b);
                        hessian.add(first + a.column, first + b.column, row.weight * by);
                    }
                }
            }
        }
        down
    }

    /// All columns of a frame alike.
    fn shorten(&self, step: &mut [f64]) {
        for step in step.chunks_exact_mut(self.window.n()) {
            let largest = step.iter().fold(LONGEST_STEP, |most, step| step.abs().max(most));
            step.iter_mut().for_each(|step| *step *= LONGEST_STEP / largest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use posekit::skeleton::Joint;

    /// A root that goes anywhere, a ball, a hinge, a ball of two turns, a slide and a ball of one turn.
    fn skeleton() -> Skeleton {
        let along =
            |x: f64, y: f64| Pose::new(so3_exp(DVec3::new(x, 0.2, y)), DVec3::new(0.1, x, y));
        let joints = vec![
            Joint::free("root"),
            Joint::ball("spine").child_of(0).at(along(0.4, 0.1)),
            Joint::revolute("elbow", DVec3::new(0.6, 0.0, 0.8)).child_of(1).at(along(0.3, -0.2)),
            Joint::ball("wrist").child_of(2).at(along(0.2, 0.3)),
            Joint::prismatic("rail", DVec3::Y).child_of(3).at(along(0.3, 0.1)),
            Joint::ball("tip").child_of(4).at(along(0.2, 0.2)),
        ];
        Skeleton::try_new(joints).unwrap()
    }

    fn columns(skeleton: &Skeleton) -> Vec<Column> {
        let n = skeleton.n_joints();
        let mut keep = Keep { axes: vec![None; n], moves: vec![[true; 3]; n] };
        keep.moves[0] = [true, false, true];
        keep.axes[3] = Some(vec![DVec3::Z, DVec3::X]);
        keep.axes[5] = Some(vec![DVec3::Y]);
        (0..n).flat_map(|joint| columns_of(skeleton, joint, [1.0; 2], Some(&keep))).collect()
    }

    fn goals() -> Vec<Goal> {
        let own = DVec3::new(0.1, 0.05, -0.2);
        let to = DVec3::new(0.5, 0.4, 0.7);
        let normal = DVec3::new(0.0, 0.6, 0.8);
        let all =
            [Aim::At(to), Aim::On(to, normal), Aim::Within(to, 0.1), Aim::Turned(so3_exp(to))];
        all.map(|aim| Goal { joint: 5, own, aim, weight: HARD }).to_vec()
    }

    fn problem<'p>(joints: Joints<'p>, source: &'p [f64]) -> Problem<'p> {
        let n_frames = 6;
        let start = vec![0.0; joints.columns.len() * n_frames];
        Problem {
            joints,
            source: vec![source; n_frames],
            goals: (0..n_frames)
                .map(|frame| if frame == 3 { goals() } else { Vec::new() })
                .collect(),
            start,
            blend: 0.03,
            is_open: [false, true],
            frame_time: 0.02,
        }
    }

    fn wave(n: usize) -> Vec<f64> {
        (0..n).map(|k| 0.2 * posekit::math::sin(1.3 * k as f64)).collect()
    }

    #[test]
    fn derivatives_of_residuals_are_those_of_finite_differences() {
        let skeleton = skeleton();
        let (q, columns) = (skeleton.neutral(), columns(&skeleton));
        let problem = problem(Joints::new(&skeleton, &columns, 1.3), &q);
        let x = wave(columns.len());
        let rows = problem.rows(0, &x, &goals());
        assert_eq!(
            (rows.len(), columns.len()),
            (4, 2 + 3 + 3 + 1 + 2 + 1 + 1),
            "all that there is"
        );
        for (row, goal) in rows.iter().zip(goals()) {
            for by in &row.by {
                let off = |more: f64| {
                    let mut x = x.clone();
                    x[by.column] += more;
                    problem.residual(&skeleton.poses(&problem.joints.changed(&q, &x)), &goal)
                };
                let mut expected = (off(1e-6) - off(-1e-6)) / 2e-6;
                if let Aim::Within(to, _) = goal.aim {
                    // Gauss's method leaves out how the direction turns.
                    let poses = skeleton.poses(&problem.joints.changed(&q, &x));
                    let along = (poses[5].transform_point(goal.own) - to).normalize_or_zero();
                    expected = along * along.dot(expected);
                }
                let (found, column) = (by.derivative, columns[by.column]);
                assert!(
                    found.distance(expected) < 1e-8,
                    "{goal:?}, {column:?}: {found}, {expected}"
                );
            }
        }
    }

    #[test]
    fn the_way_down_is_half_the_gradient_of_the_cost() {
        let skeleton = skeleton();
        let (q, columns) = (skeleton.neutral(), columns(&skeleton));
        let problem = problem(Joints::new(&skeleton, &columns, 1.3), &q);
        let nothing = vec![0.0; columns.len()];
        let before = [Some(&nothing[..]); 2];
        let window = Window { problem: &problem, frames: 0..6, before, is_closed: false };
        let x = wave(6 * columns.len());
        let mut hessian = Banded::default();
        let sum = Stated { window: &window, goals: &problem.goals };
        let down = sum.linearise(&x, 0.0, &mut hessian);
        for (at, down) in down.iter().enumerate() {
            let cost = |more: f64| {
                let mut x = x.clone();
                x[at] += more;
                sum.cost(&x)
            };
            let expected = -(cost(1e-5) - cost(-1e-5)) / 4e-5;
            assert!(
                (down - expected).abs() < 1e-4 * (1.0 + expected.abs()),
                "{at}: {down}, {expected}"
            );
        }
    }

    #[test]
    fn what_can_be_met_is_and_nothing_else_changes() {
        let skeleton = skeleton();
        let (q, columns) = (skeleton.neutral(), columns(&skeleton));
        let joints = Joints::new(&skeleton, &columns, 1.3);
        let mut problem = problem(joints, &q);
        problem.goals[3].truncate(1);
        let found = problem.solve();
        let off =
            problem.residual(&skeleton.poses(&joints.changed(&q, &found[3])), &problem.goals[3][0]);
        assert!(off.length() < 1e-9, "{off}");
        problem.goals[3].clear();
        assert!(problem.solve().iter().flatten().all(|x| *x == 0.0), "there are no goals");
        assert_eq!(joints.changed(&q, &found[0])[1], q[1], "what is not kept does not move");
    }
}
