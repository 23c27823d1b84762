//! One least squares over all frames: the smallest, smoothest change of root and legs with which contacts hold.
//!
//! | Letter | Meaning | Unit |
//! |---|---|---|
//! | `r` | displacement of the root, 3 | leg lengths |
//! | `a` | rotation vector of the leg about its hip, in the world, 3 | rad |
//! | `b` | change of the knee's flexion, 1 | rad |
//! | `f` | rotation vector of the foot about its ankle, in the world, 3 | rad |
//! | `x` | all of these in a frame: `3 + 7 n` for `n` legs | |
//!
//! With thigh `u`, shin `v`, and hip `h` of the source, the ankle is at `h + r + exp(a) (u + exp(b n) v)`, and what is held of the foot, such as its ball, at `exp(f) w` from there,
//! where it is `w` from the ankle. An arm is a leg here, with its hand for a foot. Minimised is the sum over the frames of
//!
//! | Term | Weight | Why |
//! |---|---|---|
//! | value of the change, `‖x‖²` | 1; of the root [`ROOT`]; divided by the fourth power of how much slower it is to blend | least change |
//! | acceleration of the change, `τ⁴ ‖x''‖²` | of the same column; of the root that trembles by `σ` divided by `1 + (σ/σ₀)²`, `σ₀` = [`TREMBLE`] | it blends in and out, within about `τ`; what trembles may be taken off |
//! | acceleration of the outcome while held, `τ⁴ ‖(s + x)''‖²`, of root and knee | of the same column | what holding shakes must be smooth in itself |
//! | contact, `‖p(x) − target‖²` | [`CONTACT`] | a stiff penalty; the closed form makes it exact |
//! | limit of the knee, `min(0, θ + b − θₘ)²` | [`LIMIT`] | no knee bends backwards |
//!
//! in Gauss-Newton steps on the normal equations, which couple a frame with two before and two after, no longer than [`LONGEST_STEP`], damped where a step would not
//! make the sum less. A column that is not free in a frame, or whose change is known, has the weight [`LOCKED`]. At the end a closed form brings the limbs exactly to what they hold.

use core::ops::Range;

use posekit::glam::{DQuat, DVec3};
use posekit::limb::SoftReach;
use posekit::math::{
    atan2, direction_or, perpendicular, rotation_about, shortest_rotation, so3_exp,
    so3_left_jacobian, so3_log,
};
use posekit::skeleton::{JointKind, Skeleton};

use crate::banded::Banded;
use crate::bend::{Bend, STRAIGHT, turn_joint};
use crate::descent::{Sum, in_windows};
use crate::smooth::tremble;
use crate::tracks::Tracks;
use crate::{Clip, Limb};

/// Weight of the root's displacement against rotations of the legs \[1/leg length²\].
pub(crate) const ROOT: f64 = 2.0;

/// In what time the change of a limb blends in, where what is held has eases of [`EASE`], and what comes out of it, and of the root, while something is held \[s\].
pub(crate) const BLEND: f64 = 0.03;

/// The same of the change of the root \[s\].
const ROOT_BLEND: f64 = 0.08;

/// And of a knee \[s\].
const KNEE_BLEND: f64 = 0.05;

/// See [`BLEND`] \[s\].
pub(crate) const EASE: f64 = 0.12;

/// A root that trembles by so much may be changed twice as abruptly \[leg lengths\]: a millimetre. Its trembling would become one of knees, whose feet stand.
const TREMBLE: f64 = 1e-3;

/// Weight of contacts \[1/leg length²\]: a residual of a thousandth of a leg costs as much as a radian.
pub(crate) const CONTACT: f64 = 1e6;

/// Weight of what is to stay as far as contacts leave it \[1/leg length²\].
pub(crate) const STAY: f64 = 1e2;

/// How far a leg may be straightened for its foot to stay, as a part of its length, where it is not straighter in the source. Over the rest it goes straight little by
/// little.
pub(crate) const STRAIGHT_TO_STAY: f64 = 0.993;

/// Weight of the knee's limit \[1/rad²\].
const LIMIT: f64 = 1e3;

/// Weight of a column that is not free.
const LOCKED: f64 = 1e9;

/// The largest step of an angle \[rad\], and three times that of the root \[leg lengths\]: within it the linear model of a leg is good to a twentieth.
const LONGEST_STEP: f64 = 0.3;

/// A knee whose sine is less than this beyond straight is straight \[rad\]: eleven degrees.
const BEYOND: f64 = 0.2;

/// Of how many columns a leg is.
pub(crate) const OF_LEG: usize = 7;

/// Which of them is the knee's.
const KNEE: usize = 3;

/// A leg in the source, frame after frame; lengths in leg lengths.
#[derive(Debug)]
pub(crate) struct LegMotion {
    pub(crate) hip: Vec<DVec3>,
    /// From hip to knee, and knee to ankle.
    pub(crate) thigh: Vec<DVec3>,
    pub(crate) shin: Vec<DVec3>,
    /// From the ankle to the two points that may be held.
    pub(crate) foot: [Vec<DVec3>; 2],
    /// The unit axis that the knee bends about, in the world.
    pub(crate) axis: Vec<DVec3>,
    /// Of the knee, 0 for straight.
    pub(crate) flexion: Vec<f64>,
    /// The knee turns about its axis alone.
    is_hinge: bool,
}

/// A point of a foot that is held.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    pub(crate) leg: usize,
    /// Which of the leg's two.
    pub(crate) point: usize,
    pub(crate) frames: Range<usize>,
    /// The same, and the frames before and after it in which it is held along the floor alone.
    pub(crate) rolls: Range<usize>,
    pub(crate) target: DVec3,
    /// Of the floor.
    pub(crate) normal: DVec3,
    /// [`CONTACT`], or up to [`STAY`] for what is to stay as far as contacts leave it.
    pub(crate) weight: f64,
}

impl Held {
    /// The same in some frames, counted from the first of these; `None` where it is not in them.
    fn part(&self, frames: &Range<usize>) -> Option<Self> {
        let within = |own: &Range<usize>| {
            let [start, end] = [own.start, own.end].map(|at| at.clamp(frames.start, frames.end));
            start - frames.start..end - frames.start
        };
        let (own, rolls) = (within(&self.frames), within(&self.rolls));
        (!rolls.is_empty()).then(|| Self { frames: own, rolls, ..self.clone() })
    }

    /// What of a difference of places counts in a frame.
    fn counts(&self, frame: usize, off: DVec3) -> DVec3 {
        match self.frames.contains(&frame) {
            true => off,
            false => off - self.normal * off.dot(self.normal),
        }
    }
}

/// What is solved.
#[derive(Debug)]
pub(crate) struct Problem<'a> {
    pub(crate) legs: &'a [LegMotion],
    pub(crate) held: &'a [Held],
    /// Weight of the root, as [`ROOT`].
    pub(crate) root: f64,
    /// Along which axes it can be displaced.
    pub(crate) moves: [bool; 3],
    /// How many times slower than [`BLEND`] root and legs blend: of each frame the root, then leg after leg. 0 where nothing may change.
    pub(crate) eases: &'a [f64],
    /// Columns whose change is known, frame after frame, in ascending order: which of all frames' columns, and the change.
    pub(crate) known: Vec<(usize, f64)>,
    pub(crate) frame_time: f64,
}

/// How a leg changes in a frame: rotations in the world, those of knee and foot on top of the source's own, before the leg turns.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LegChange {
    pub(crate) hip: DQuat,
    pub(crate) knee: DQuat,
    pub(crate) foot: DQuat,
}

/// The change of all frames.
#[derive(Debug)]
pub(crate) struct Change {
    n_columns: usize,
    x: Vec<f64>,
}

/// Where a leg is after a change.
struct Posed {
    hip: DVec3,
    /// From hip to knee.
    thigh: DVec3,
    /// From knee to ankle.
    shin: DVec3,
    /// From the ankle to both points.
    foot: [DVec3; 2],
}

/// A residual of a contact, with its derivatives by the columns of the root and of the leg.
struct Residual {
    value: DVec3,
    by_leg: [DVec3; OF_LEG],
}

impl Posed {
    fn ankle(&self) -> DVec3 {
        self.hip + self.thigh + self.shin
    }
}

impl LegChange {
    /// Whether it is none.
    pub(crate) fn is_nothing(&self) -> bool {
        [self.hip, self.knee, self.foot].iter().all(|turn| turn.xyz() == DVec3::ZERO)
    }

    /// Puts the change on top of the rotations of a limb's joints.
    ///
    /// - `own`: these rotations, from the joints to the world
    /// - `q`: the values of all joints
    pub(crate) fn write(&self, skeleton: &Skeleton, limb: Limb, own: [DQuat; 3], q: &mut [f64]) {
        let back = (self.hip * self.knee).conjugate() * self.foot;
        for ((joint, own), turn) in
            limb.joints().into_iter().zip(own).zip([self.hip, self.knee, back])
        {
            turn_joint(skeleton, joint, own, turn, q);
        }
    }
}

impl Change {
    fn frame(&self, frame: usize) -> &[f64] {
        &self.x[frame * self.n_columns..(frame + 1) * self.n_columns]
    }

    /// The displacement of the root.
    pub(crate) fn root(&self, frame: usize) -> DVec3 {
        DVec3::from_slice(self.frame(frame))
    }

    /// The largest rotations of a leg's hip, knee and foot \[rad\].
    pub(crate) fn turns(&self, frame: usize, leg: usize) -> [f64; 3] {
        let [a, b, f] = of_leg(self.frame(frame), leg);
        [a.length(), b.x.abs(), f.length()]
    }
}

/// Hip, knee (x alone) and foot of a leg.
fn of_leg(x: &[f64], leg: usize) -> [DVec3; 3] {
    let x = &x[3 + OF_LEG * leg..3 + OF_LEG * (leg + 1)];
    [DVec3::from_slice(x), DVec3::new(x[3], 0.0, 0.0), DVec3::from_slice(&x[4..])]
}

/// The axis that a limb mostly bends about, in the frame of its mid joint; its own where it is a hinge.
///
/// - `straight`: the axis where all frames together bend by less than this \[rad\], and what is taken instead
pub(crate) fn usual_axis(
    clip: &Clip,
    limb: Limb,
    tracks: &Tracks,
    straight: (f64, DVec3),
) -> DVec3 {
    let (mut sum, mut size) = (DVec3::ZERO, 0.0);
    for frame in 0..clip.n_frames() {
        let [start, mid, end] = limb.joints().map(|joint| tracks.pose(frame, joint));
        let (u, v) = (mid.translation - start.translation, end.translation - mid.translation);
        sum += mid.rotation.conjugate() * u.cross(v);
        size += (u.length_squared() * v.length_squared()).sqrt();
    }
    let is_bent = sum.length() > straight.0 * size;
    let usual =
        direction_or(if is_bent { sum } else { straight.1 }, direction_or(sum, DVec3::ZERO));
    match clip.skeleton().kind(limb.mid) {
        JointKind::Revolute { axis } if usual.dot(axis) < 0.0 => -axis,
        JointKind::Revolute { axis } => axis,
        _ => usual,
    }
}

impl LegMotion {
    /// A limb in some frames.
    ///
    /// - `axis_in_mid`: its [`usual_axis`]
    /// - `unit`: the length of a leg
    /// - `foot`: from its end to the two points that may be held of it
    pub(crate) fn new(
        clip: &Clip,
        (limb, axis_in_mid): (Limb, DVec3),
        (tracks, unit): (&Tracks, f64),
        frames: Range<usize>,
        foot: impl Fn(usize) -> [DVec3; 2],
    ) -> Self {
        let is_hinge = matches!(clip.skeleton().kind(limb.mid), JointKind::Revolute { .. });
        let n = frames.len();
        let mut motion = Self {
            hip: Vec::with_capacity(n),
            thigh: Vec::with_capacity(n),
            shin: Vec::with_capacity(n),
            foot: [Vec::with_capacity(n), Vec::with_capacity(n)],
            axis: Vec::with_capacity(n),
            flexion: Vec::with_capacity(n),
            is_hinge,
        };
        for frame in frames {
            let [hip, knee, ankle] = limb.joints().map(|joint| tracks.place(frame, joint) / unit);
            let (u, v) = (knee - hip, ankle - knee);
            let usual = tracks.pose(frame, limb.mid).rotation * axis_in_mid;
            let sine = u.cross(v);
            let size = (u.length_squared() * v.length_squared()).sqrt().max(f64::MIN_POSITIVE);
            // The plane of a leg that is as good as straight is not in its bones; nor is it bent the other way by being a little beyond.
            let normal = sine / size;
            let is_beyond = (-BEYOND..0.0).contains(&normal.dot(usual));
            let normal = if is_beyond { -normal } else { normal };
            let axis = match is_hinge {
                true => usual,
                false => {
                    direction_or(normal + usual * STRAIGHT, direction_or(usual, perpendicular(u)))
                }
            };
            motion.hip.push(hip);
            motion.thigh.push(u);
            motion.shin.push(v);
            motion.foot.iter_mut().zip(foot(frame)).for_each(|(all, own)| all.push(own / unit));
            motion.flexion.push(atan2(sine.dot(axis), u.dot(v)));
            motion.axis.push(axis);
        }
        motion
    }

    /// The same in some of the frames.
    fn part(&self, frames: Range<usize>) -> Self {
        let of = |all: &[DVec3]| all[frames.clone()].to_vec();
        Self {
            hip: of(&self.hip),
            thigh: of(&self.thigh),
            shin: of(&self.shin),
            foot: self.foot.each_ref().map(|foot| of(foot)),
            axis: of(&self.axis),
            flexion: self.flexion[frames.clone()].to_vec(),
            is_hinge: self.is_hinge,
        }
    }

    fn posed(&self, frame: usize, x: &[f64], leg: usize) -> Posed {
        let [a, b, f] = of_leg(x, leg);
        let (hip_turn, knee_turn) = (so3_exp(a), rotation_about(self.axis[frame], b.x));
        Posed {
            hip: self.hip[frame] + DVec3::from_slice(x),
            thigh: hip_turn * self.thigh[frame],
            shin: hip_turn * (knee_turn * self.shin[frame]),
            foot: self.foot.each_ref().map(|foot| so3_exp(f) * foot[frame]),
        }
    }

    /// From hip to ankle.
    fn ankle(&self, frame: usize) -> DVec3 {
        self.thigh[frame] + self.shin[frame]
    }

    /// The change with which a leg brings its ankle to a place, or as near as it reaches, by itself.
    pub(crate) fn bringing(&self, frame: usize, place: DVec3, foot: DQuat) -> LegChange {
        let posed = Posed {
            hip: self.hip[frame],
            thigh: self.thigh[frame],
            shin: self.shin[frame],
            foot: [DVec3::ZERO; 2],
        };
        let as_it_is = LegChange { hip: DQuat::IDENTITY, knee: DQuat::IDENTITY, foot };
        self.reaching(frame, (&posed, as_it_is), place)
    }

    /// Where the ankle is after a change.
    ///
    /// - `root`: the displacement of the root
    pub(crate) fn end(&self, frame: usize, root: DVec3, change: &LegChange) -> DVec3 {
        self.hip[frame] + root + change.hip * (self.thigh[frame] + change.knee * self.shin[frame])
    }

    /// How far the ankle is to be from the hip for a contact to hold, with the foot and the root as a change has them.
    pub(crate) fn away(&self, held: &Held, frame: usize, change: &Change) -> f64 {
        let posed = self.posed(frame, change.frame(frame), held.leg);
        (held.target - posed.foot[held.point]).distance(posed.hip)
    }

    /// A change with more turns of hip and knee, in closed form, that bring the ankle to a place, or as near as it gets.
    fn reaching(
        &self,
        frame: usize,
        (posed, change): (&Posed, LegChange),
        place: DVec3,
    ) -> LegChange {
        let &Posed { hip, thigh, shin, .. } = posed;
        let axis = change.hip * self.axis[frame];
        let turns = Bend::new((thigh, shin), axis, self.is_hinge).turns(place - hip);
        let knee = change.hip.conjugate() * turns.mid * change.hip * change.knee;
        LegChange { hip: turns.start * change.hip, knee, foot: change.foot }
    }

    /// Where a point of the foot is off its target.
    fn residual(&self, held: &Held, frame: usize, x: &[f64]) -> DVec3 {
        let posed = self.posed(frame, x, held.leg);
        held.counts(frame, posed.ankle() + posed.foot[held.point] - held.target)
    }

    fn linearised(&self, held: &Held, frame: usize, x: &[f64]) -> Residual {
        let [a, _, f] = of_leg(x, held.leg);
        let Posed { thigh, shin, foot, .. } = self.posed(frame, x, held.leg);
        let mut by_leg = [DVec3::ZERO; OF_LEG];
        // d exp(a) p = (J(a) da) × exp(a) p
        let by_hip = so3_left_jacobian(a);
        for (k, column) in by_leg[..3].iter_mut().enumerate() {
            *column = by_hip.col(k).cross(thigh + shin);
        }
        by_leg[KNEE] = (so3_exp(a) * self.axis[frame]).cross(shin);
        if foot[held.point] != DVec3::ZERO {
            let by_foot = so3_left_jacobian(f);
            for (k, column) in by_leg[4..].iter_mut().enumerate() {
                *column = by_foot.col(k).cross(foot[held.point]);
            }
        }
        by_leg.iter_mut().for_each(|column| *column = held.counts(frame, *column));
        Residual { value: self.residual(held, frame, x), by_leg }
    }
}

/// The weights of the terms that are quadratic, and what all of them speak of.
struct Terms {
    /// Of the value in each frame and column.
    value: Vec<f64>,
    /// Of each column, of the acceleration of the change.
    change: Vec<f64>,
    /// In each frame and column, of the acceleration of the outcome.
    outcome: Vec<f64>,
    /// In each frame and column, the second difference of the source.
    source: Vec<f64>,
    /// Where the value is pulled to: 0 but in columns whose change is known.
    goal: Vec<f64>,
    /// How straight each knee may become in each frame.
    least: Vec<Vec<f64>>,
}

impl Problem<'_> {
    fn n_columns(&self) -> usize {
        3 + OF_LEG * self.legs.len()
    }

    /// The middle of all hips.
    fn hips(&self, frame: usize) -> DVec3 {
        let sum: DVec3 = self.legs.iter().map(|leg| leg.hip[frame]).sum();
        sum / self.legs.len().max(1) as f64
    }

    fn n_frames(&self) -> usize {
        self.eases.len() / (1 + self.legs.len())
    }

    /// How much slower a column blends in a frame; 0 where it is not free.
    fn ease(&self, frame: usize, column: usize) -> f64 {
        let own = &self.eases[frame * (1 + self.legs.len())..];
        match column {
            0..3 if self.moves[column] => own[0],
            0..3 => 0.0,
            _ => own[1 + (column - 3) / OF_LEG],
        }
    }

    fn terms(&self) -> Terms {
        let (n, n_frames) = (self.n_columns(), self.n_frames());
        let of_root = self.root;
        let weight = |column: usize| if column < 3 { of_root } else { 1.0 };
        let fourth = |time: f64| {
            let frames = time / self.frame_time;
            frames * frames * frames * frames
        };
        let hips: Vec<DVec3> = (0..n_frames).map(|frame| self.hips(frame)).collect();
        let tremble = tremble(&hips) / TREMBLE;
        let calm = |column: usize| if column < 3 { 1.0 + tremble * tremble } else { 1.0 };
        let blend = |column: usize| match column {
            0..3 => fourth(ROOT_BLEND),
            _ if (column - 3) % OF_LEG == KNEE => fourth(KNEE_BLEND),
            _ => fourth(BLEND),
        };
        let mut terms = Terms {
            value: Vec::with_capacity(n * n_frames),
            change: (0..n).map(|c| weight(c) * blend(c) / calm(c)).collect(),
            outcome: vec![0.0; n * n_frames],
            source: vec![0.0; n * n_frames],
            goal: vec![0.0; n * n_frames],
            least: Vec::with_capacity(self.legs.len()),
        };
        for frame in 0..n_frames {
            let value = |column| match self.ease(frame, column) {
                0.0 => LOCKED,
                ease => weight(column) / (ease * ease * ease * ease),
            };
            terms.value.extend((0..n).map(value));
        }
        for (at, known) in &self.known {
            (terms.value[*at], terms.goal[*at]) = (LOCKED, *known);
        }
        let mut is_held = vec![vec![false; n_frames]; self.legs.len()];
        for held in self.held.iter().filter(|held| held.weight >= CONTACT) {
            is_held[held.leg][held.rolls.clone()].fill(true);
        }
        for (motion, held) in self.legs.iter().zip(&is_held) {
            // As straight as in the source, or three degrees from it; of a leg that is held the latter, which brings the hips down by a three-thousandth of its length, as what
            // shakes a foot by nothing shakes a straight knee by degrees.
            let least = |(flexion, held): (&f64, &bool)| {
                if *held { STRAIGHT } else { flexion.min(STRAIGHT) }
            };
            terms.least.push(motion.flexion.iter().zip(held).map(least).collect());
        }
        for frame in 1..n_frames.saturating_sub(1) {
            let at = frame * n;
            if is_held.iter().any(|held| held[frame]) {
                let second = hips[frame - 1] - hips[frame] * 2.0 + hips[frame + 1];
                for axis in 0..3 {
                    terms.outcome[at + axis] = of_root * fourth(BLEND);
                    terms.source[at + axis] = second[axis];
                }
            }
            for (leg, (motion, held)) in self.legs.iter().zip(&is_held).enumerate() {
                if held[frame] {
                    let angle = &motion.flexion[frame - 1..frame + 2];
                    let place = at + 3 + OF_LEG * leg + KNEE;
                    terms.outcome[place] = fourth(BLEND);
                    terms.source[place] = angle[0] - 2.0 * angle[1] + angle[2];
                }
            }
        }
        terms
    }

    /// The sum that is minimised.
    fn cost(&self, terms: &Terms, x: &[f64]) -> f64 {
        let n = self.n_columns();
        let off = x.iter().zip(&terms.goal).map(|(x, goal)| x - goal);
        let mut cost: f64 = terms.value.iter().zip(off).map(|(w, off)| w * off * off).sum();
        for at in n..x.len().saturating_sub(n) {
            let second = x[at - n] - 2.0 * x[at] + x[at + n];
            let outcome = second + terms.source[at];
            cost += terms.change[at % n] * second * second;
            cost += terms.outcome[at] * outcome * outcome;
        }
        for held in self.held {
            for frame in held.rolls.clone() {
                let x = &x[frame * n..(frame + 1) * n];
                cost += held.weight * self.legs[held.leg].residual(held, frame, x).length_squared();
            }
        }
        for (frame, x) in x.chunks_exact(n).enumerate() {
            for (leg, motion) in self.legs.iter().enumerate() {
                let over = limit_violation(motion, terms, (frame, leg), x);
                cost += LIMIT * over * over;
            }
        }
        cost
    }

    /// Sets a matrix to half the Hessian of the quadratic terms.
    fn quadratic(&self, terms: &Terms, hessian: &mut Banded) {
        let (n, n_x) = (self.n_columns(), terms.value.len());
        hessian.set_zero(n_x, 2 * n);
        terms.value.iter().enumerate().for_each(|(at, weight)| hessian.add(at, at, *weight));
        for at in n..n_x.saturating_sub(n) {
            let weight = terms.change[at % n] + terms.outcome[at];
            let (before, after) = (at - n, at + n);
            hessian.add(before, before, weight);
            hessian.add(before, at, -2.0 * weight);
            hessian.add(at, at, 4.0 * weight);
            hessian.add(before, after, weight);
            hessian.add(at, after, -2.0 * weight);
            hessian.add(after, after, weight);
        }
    }

    /// Half the gradient with its sign changed; sets a matrix to half the Hessian.
    fn linearise(&self, terms: &Terms, x: &[f64], hessian: &mut Banded) -> Vec<f64> {
        let n = self.n_columns();
        self.quadratic(terms, hessian);
        let off = x.iter().zip(&terms.goal).map(|(x, goal)| x - goal);
        let mut descent: Vec<f64> = terms.value.iter().zip(off).map(|(w, off)| -w * off).collect();
        for at in n..x.len().saturating_sub(n) {
            let second = x[at - n] - 2.0 * x[at] + x[at + n];
            let pull =
                terms.change[at % n] * second + terms.outcome[at] * (second + terms.source[at]);
            descent[at - n] -= pull;
            descent[at] += 2.0 * pull;
            descent[at + n] -= pull;
        }
        for held in self.held {
            let leg = &self.legs[held.leg];
            for frame in held.rolls.clone() {
                let of_frame = &x[frame * n..(frame + 1) * n];
                let residual = leg.linearised(held, frame, of_frame);
                let own = frame * n + 3 + OF_LEG * held.leg;
                let root = DVec3::AXES.iter().enumerate();
                let root = root.map(|(k, axis)| (frame * n + k, held.counts(frame, *axis)));
                let of_leg = residual.by_leg.iter().enumerate().map(|(k, d)| (own + k, *d));
                let mut columns = [(0, DVec3::ZERO); 3 + OF_LEG];
                columns.iter_mut().zip(root.chain(of_leg)).for_each(|(to, from)| *to = from);
                for (k, (row, by_row)) in columns.iter().enumerate() {
                    descent[*row] -= held.weight * by_row.dot(residual.value);
                    for (column, by_column) in &columns[..=k] {
                        hessian.add(*column, *row, held.weight * by_row.dot(*by_column));
                    }
                }
            }
        }
        for (frame, of_frame) in x.chunks_exact(n).enumerate() {
            for (leg, motion) in self.legs.iter().enumerate() {
                let over = limit_violation(motion, terms, (frame, leg), of_frame);
                if over < 0.0 {
                    let at = frame * n + 3 + OF_LEG * leg + KNEE;
                    descent[at] -= LIMIT * over;
                    hessian.add(at, at, LIMIT);
                }
            }
        }
        descent
    }

    /// What each limb would do by itself where it holds something, frame by frame in closed form: near enough for large changes to be found from there.
    pub(crate) fn start(&self) -> Change {
        let n = self.n_columns();
        let mut change = Change { n_columns: n, x: vec![0.0; n * self.n_frames()] };
        self.known.iter().for_each(|(at, known)| change.x[*at] = *known);
        for (k, holding) in self.holding().iter().enumerate() {
            let (frame, leg) = (k / self.legs.len(), k % self.legs.len());
            let found = self.finished(&change, (frame, leg), holding, 1.0);
            let first = frame * n + 3 + OF_LEG * leg;
            so3_log(found.hip).write_to_slice(&mut change.x[first..]);
            change.x[first + KNEE] = angle_about(found.knee, self.legs[leg].axis[frame]);
        }
        change
    }

    /// How far the farthest of what is held is off before anything changes.
    pub(crate) fn farthest(&self) -> f64 {
        let nothing = vec![0.0; self.n_columns()];
        let off = |held: &Held| {
            let of_frame = |frame| self.legs[held.leg].residual(held, frame, &nothing).length();
            held.rolls.clone().map(of_frame).fold(0.0, f64::max)
        };
        self.held.iter().map(off).fold(0.0, f64::max)
    }

    /// Minimises it.
    ///
    /// - `start`: the change to begin with; `None` for none
    pub(crate) fn solve(&self, start: Option<&Change>) -> Change {
        let n = self.n_columns();
        let mut matrix = Banded::default();
        let x = in_windows(self.n_frames(), (n, self.frame_time), |frames, before| {
            let n_before = 2.min(frames.start);
            let all = frames.start - n_before..frames.end;
            let before = &before[before.len() - n_before * n..];
            let found = self.solve_window(all, before, start, &mut matrix);
            found[n_before * n..].to_vec()
        });
        Change { n_columns: n, x }
    }

    /// The change of some frames, of which the first are known.
    fn solve_window(
        &self,
        frames: Range<usize>,
        before: &[f64],
        start: Option<&Change>,
        matrix: &mut Banded,
    ) -> Vec<f64> {
        let n = self.n_columns();
        let legs: Vec<LegMotion> = self.legs.iter().map(|leg| leg.part(frames.clone())).collect();
        let held: Vec<Held> = self.held.iter().filter_map(|held| held.part(&frames)).collect();
        let columns = frames.start * n..frames.end * n;
        let [from, to] = [columns.start, columns.end]
            .map(|column| self.known.partition_point(|(at, _)| *at < column));
        let own = self.known[from..to].iter().map(|(at, x)| (at - columns.start, *x));
        let known = own.chain(before.iter().copied().enumerate()).collect();
        let n_own = 1 + self.legs.len();
        let eases = &self.eases[frames.start * n_own..frames.end * n_own];
        let problem = Problem { legs: &legs, held: &held, known, eases, ..*self };
        let terms = problem.terms();
        let mut x = match start {
            Some(start) => start.x[columns].to_vec(),
            None => vec![0.0; n * frames.len()],
        };
        problem.known.iter().for_each(|(at, known)| x[*at] = *known);
        let stated = Stated { problem: &problem, terms };
        stated.minimise(&mut x, matrix);
        let Terms { value, goal, .. } = &stated.terms;
        let locked = (0..x.len()).filter(|at| value[*at] >= LOCKED);
        locked.for_each(|at| x[at] = goal[at]);
        x
    }

    /// What holds both points of each leg in each frame, leg after leg.
    pub(crate) fn holding(&self) -> Vec<[Option<&Held>; 2]> {
        let n_legs = self.legs.len();
        let mut holding = vec![[None; 2]; n_legs * self.n_frames()];
        for held in self.held {
            for frame in held.rolls.clone() {
                holding[frame * n_legs + held.leg][held.point].get_or_insert(held);
            }
        }
        holding
    }

    /// Part of how a leg changes in a frame, with that part of the way to its contacts met exactly where the leg reaches.
    ///
    /// - `holding`: of both its points, as [`holding`](Self::holding) says
    /// - `share`: which part: 1 for all
    pub(crate) fn finished(
        &self,
        change: &Change,
        (frame, leg): (usize, usize),
        holding: &[Option<&Held>; 2],
        share: f64,
    ) -> LegChange {
        let motion = &self.legs[leg];
        let x: Vec<f64> = change.frame(frame).iter().map(|x| x * share).collect();
        let [a, b, f] = of_leg(&x, leg);
        let found = LegChange {
            hip: so3_exp(a),
            knee: rotation_about(motion.axis[frame], b.x),
            foot: so3_exp(f),
        };
        let posed = motion.posed(frame, &x, leg);
        let target = |point: usize| {
            let held = holding[point]?;
            let at = posed.ankle() + posed.foot[point];
            let source = motion.hip[frame] + motion.ankle(frame) + motion.foot[point][frame];
            Some(match held.weight < CONTACT {
                true => at + (held.target - at) * (held.weight / STAY),
                false => at - held.counts(frame, at - source.lerp(held.target, share)),
            })
        };
        let stays = holding.iter().flatten().any(|held| held.weight < CONTACT);
        let [first, second] = posed.foot;
        let (ankle, turn) = match (target(0), target(1)) {
            (None, None) => return found,
            (Some(at), None) => (at - first, DQuat::IDENTITY),
            (None, Some(at)) => (at - second, DQuat::IDENTITY),
            (Some(a), Some(b)) => {
                let turn = shortest_rotation(second - first, b - a);
                (0.5 * (a - turn * first + b - turn * second), turn)
            }
        };
        let own = (motion.thigh[frame], motion.shin[frame]);
        let ankle = if stays { soft(own, posed.hip, ankle) } else { ankle };
        let mut reached = motion.reaching(frame, (&posed, found), ankle);
        reached.foot = turn * reached.foot;
        reached
    }
}

/// A problem with its quadratic terms.
struct Stated<'p> {
    problem: &'p Problem<'p>,
    terms: Terms,
}

impl Sum for Stated<'_> {
    const STEPS: usize = 16;
    const SETTLED: f64 = 1e-3;
    /// What contacts are then off, the closed form corrects.
    const SETTLED_NEXT: f64 = 0.3;
    const GROWTH: f64 = 3.0;

    fn cost(&self, x: &[f64]) -> f64 {
        self.problem.cost(&self.terms, x)
    }

    fn linearise(&self, x: &[f64], _: f64, hessian: &mut Banded) -> Vec<f64> {
        self.problem.linearise(&self.terms, x, hessian)
    }

    fn shorten(&self, step: &mut [f64]) {
        let n = self.problem.n_columns();
        for (at, step) in step.iter_mut().enumerate() {
            let most = if at % n < 3 { LONGEST_STEP / 3.0 } else { LONGEST_STEP };
            *step = step.clamp(-most, most);
        }
    }
}

/// The angle of a rotation about a unit axis.
fn angle_about(turn: DQuat, axis: DVec3) -> f64 {
    2.0 * atan2(turn.xyz().dot(axis), turn.w)
}

/// Where an ankle goes that is to be at a place that its leg might reach only straight.
///
/// - `bones`: thigh and shin in the source, in which they may be straighter
/// - `hip`: where the hip is
pub(crate) fn soft((thigh, shin): (DVec3, DVec3), hip: DVec3, place: DVec3) -> DVec3 {
    let (length, own) = (thigh.length() + shin.length(), (thigh + shin).length());
    let ratio = (1.0 - STRAIGHT_TO_STAY).min(1.0 - own / length);
    let (line, distance) = (place - hip, place.distance(hip));
    let soft = SoftReach::Finite { ratio }.distance(distance, length, 0.0);
    if soft < distance { hip + line * (soft / distance) } else { place }
}

/// By how much a knee is straighter than it may be, as a negative number; 0 where it is not.
fn limit_violation(
    motion: &LegMotion,
    terms: &Terms,
    (frame, leg): (usize, usize),
    x: &[f64],
) -> f64 {
    let room = motion.flexion[frame] + x[3 + OF_LEG * leg + 3] - terms.least[leg][frame];
    room.min(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two legs that swing, over a few frames.
    fn legs(n_frames: usize) -> Vec<LegMotion> {
        let wave = |frame: usize, k: usize| posekit::math::sin(0.7 * frame as f64 + k as f64);
        let of_leg = |leg: usize| {
            let frames = || 0..n_frames;
            let turn =
                |frame| so3_exp(DVec3::new(wave(frame, leg), 0.3 * wave(frame, leg + 5), 0.1));
            let flexion: Vec<f64> = frames().map(|f| 0.5 + 0.4 * wave(f, leg + 2)).collect();
            LegMotion {
                hip: frames().map(|f| DVec3::new(0.1, 1.0, 0.05 * wave(f, 9))).collect(),
                thigh: frames().map(|f| turn(f) * DVec3::new(0.0, -0.5, 0.0)).collect(),
                shin: frames()
                    .map(|f| turn(f) * rotation_about(DVec3::X, flexion[f]) * DVec3::NEG_Y * 0.5)
                    .collect(),
                foot: [
                    vec![DVec3::ZERO; n_frames],
                    frames().map(|f| DVec3::new(0.0, -0.05, 0.15 + 0.01 * wave(f, 1))).collect(),
                ],
                axis: frames().map(|f| turn(f) * DVec3::X).collect(),
                flexion,
                is_hinge: false,
            }
        };
        (0..2).map(of_leg).collect()
    }

    fn held() -> Vec<Held> {
        let of = |leg, point, frames: Range<usize>| Held {
            leg,
            point,
            rolls: frames.start..frames.end + 1,
            frames,
            target: DVec3::new(0.1, 0.1, 0.1),
            normal: DVec3::Y,
            weight: CONTACT,
        };
        vec![of(0, 0, 2..5), of(0, 1, 3..7), of(1, 1, 0..4)]
    }

    fn changed(n: usize) -> Vec<f64> {
        (0..n).map(|k| 0.2 * posekit::math::sin(1.3 * k as f64)).collect()
    }

    #[test]
    fn derivatives_of_contacts_are_those_of_finite_differences() {
        let (legs, held) = (legs(8), held());
        let x = changed(17);
        for held in &held {
            let leg = &legs[held.leg];
            let found = leg.linearised(held, 3, &x);
            assert_eq!(found.value, leg.residual(held, 3, &x));
            for (k, column) in found.by_leg.iter().enumerate() {
                let off = |by: f64| {
                    let mut x = x.clone();
                    x[3 + OF_LEG * held.leg + k] += by;
                    leg.residual(held, 3, &x)
                };
                let expected = (off(1e-6) - off(-1e-6)) / 2e-6;
                assert!(column.distance(expected) < 1e-8, "{held:?}, {k}: {column}, {expected}");
            }
        }
    }

    fn problem<'p>(legs: &'p [LegMotion], held: &'p [Held], eases: &'p [f64]) -> Problem<'p> {
        Problem {
            legs,
            held,
            root: ROOT,
            moves: [true; 3],
            eases,
            known: Vec::new(),
            frame_time: 0.02,
        }
    }

    #[test]
    fn the_descent_is_half_the_gradient_of_the_cost() {
        let (legs, held) = (legs(8), held());
        let mut eases = [1.5; 3 * 8];
        eases[3 * 6..3 * 7].fill(0.0);
        let problem = problem(&legs, &held, &eases);
        let terms = problem.terms();
        let n = problem.n_columns();
        // Small enough for the stiff terms, and knees over their limits.
        let mut x: Vec<f64> = changed(8 * n).iter().map(|x| 0.5 * x).collect();
        x[6 * n..7 * n].fill(0.0);
        let mut hessian = Banded::default();
        let descent = problem.linearise(&terms, &x, &mut hessian);
        for at in (0..x.len()).filter(|at| at / n != 6) {
            let cost = |by: f64| {
                let mut x = x.clone();
                x[at] += by;
                problem.cost(&terms, &x)
            };
            let expected = -(cost(1e-5) - cost(-1e-5)) / 4e-5;
            let near = 1e-4 * (1.0 + expected.abs());
            assert!((descent[at] - expected).abs() < near, "{at}: {}, {expected}", descent[at]);
        }
    }

    #[test]
    fn windows_find_what_is_found_all_at_once() {
        let n_frames = 700;
        let legs = legs(n_frames);
        let held: Vec<Held> = (0..n_frames / 20)
            .map(|k| {
                let (leg, first) = (k % 2, 20 * k + 3);
                let motion = &legs[leg];
                let target = motion.hip[first] + 0.9 * (motion.thigh[first] + motion.shin[first]);
                let frames = first..first + 4;
                let (normal, point, weight) = (DVec3::Y, 0, CONTACT);
                Held { leg, point, rolls: frames.clone(), frames, target, normal, weight }
            })
            .collect();
        let eases = vec![1.0; 3 * n_frames];
        let problem = problem(&legs, &held, &eases);
        let (windows, whole) = (
            problem.solve(None).x,
            problem.solve_window(0..n_frames, &[], None, &mut Banded::default()),
        );
        let apart = windows.iter().zip(&whole).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let most = whole.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        assert!(most > 0.1 && apart < 1e-2 * most, "{apart} of {most}");
    }

    #[test]
    fn contacts_hold_and_locked_frames_stay() {
        let legs = legs(30);
        let target = legs[0].hip[12] + legs[0].thigh[12] + legs[0].shin[12];
        let normal = DVec3::Y;
        let held = [Held {
            leg: 0,
            point: 0,
            frames: 11..14,
            rolls: 10..16,
            target,
            normal,
            weight: CONTACT,
        }];
        let mut eases = [1.0; 3 * 30];
        eases[..3 * 5].fill(0.0);
        let problem = problem(&legs, &held, &eases);
        let change = problem.solve(None);
        for frame in 11..14 {
            let residual = legs[0].residual(&held[0], frame, change.frame(frame));
            assert!(residual.length() < 1e-3, "{residual}");
            let turns = problem.finished(&change, (frame, 0), &[Some(&held[0]), None], 1.0);
            let thigh = turns.hip * legs[0].thigh[frame];
            let shin = turns.hip * turns.knee * legs[0].shin[frame];
            let ankle = legs[0].hip[frame] + change.root(frame) + thigh + shin;
            assert!(ankle.distance(target) < 1e-9, "{ankle}, {target}");
        }
        for frame in 0..5 {
            assert!(change.frame(frame).iter().all(|x| x.abs() < 1e-5), "frame {frame}");
        }
    }
}
