//! Knees that are spared: what is fast goes to where it comes from.
//!
//! A foot that is held no longer trembles, and what made it tremble must be undone somewhere: at the root, if that does, or at the knee. So the root goes along
//! in the way that makes hips and knees smoothest, and of what then is left to a knee the foot takes a part, if it stands on its ball alone and can roll a little.

use posekit::glam::{DMat3, DVec3};
use posekit::math::{atan2, sin, so3_exp};

use super::HoldSettings;
use super::carry::{Run, Side, fade, frames_of, positions, softness};
use super::ease::Span;
use super::need::Need;
use super::plan::{LimbPlan, Point, Target};
use super::root::{Pins, SECOND, System};
use crate::Clip;
use crate::tracks::Tracks;

/// What a hip does faster than in about six times this is jitter to it \[s\].
const HIP_TIME: f64 = 0.028;

/// The same for knees, where the root may spare them.
pub(super) const KNEE_TIME: f64 = 0.015;

/// The same for knees, where the foot may.
const ROLL_KNEE_TIME: f64 = 0.009;

/// Turns of feet faster than in about six times this are jitter themselves \[s\].
const ROLL_TIME: f64 = 0.005;

/// How long after a contact begins, and before it ends, knees count fully \[s\]: feet come down and lift off moving.
pub(super) const KNEE_EDGE: f64 = 0.045;

/// How long before a contact begins, and after it ends, hips still count \[s\].
const HIP_EDGE: f64 = 0.08;

/// A limb whose end must move less than this part of its length holds already.
const HELD: f64 = 1e-5;

/// The fourth power.
pub(super) fn fourth(x: f64) -> f64 {
    x * x * x * x
}

/// The squared sine of the bend below which all knees are equally straight.
pub(super) fn softest_bend(settings: &HoldSettings) -> f64 {
    let sine = sin(settings.knee_softening.min(core::f64::consts::FRAC_PI_2));
    sine * sine + 1e-8
}

/// Whether anything must be done for a span to hold.
fn is_moved(need: &Need, span: &Span) -> bool {
    let least = HELD * need.length;
    need.shifts[span.frames.clone()].iter().any(|shift| shift.length_squared() > least * least)
}

/// Adds what the knee of a limb does faster than it may when the root moves and the end does not.
pub(super) fn keep_knee_smooth(limb: &Side<'_>, run: &Run<'_>, system: &mut System) {
    let Side { plan, need, .. } = *limb;
    let shifts = &need.shifts;
    let cost = need.length * need.length * fourth(KNEE_TIME / run.frame_time);
    for span in moved_spans(need, run) {
        let soft = softness(need, span, run);
        let knee = |frame: usize| {
            let bend = Bend::new(positions(plan.limb, run.tracks, frame), DVec3::ZERO, soft);
            (bend.angle - bend.change.dot(shifts[frame]), bend.change)
        };
        let mut knees = span.frames.clone().map(knee);
        let Some((mut a, mut b)) = knees.next().zip(knees.next()) else { continue };
        for (frame, c) in (span.frames.start + 1..).zip(knees) {
            let weight = weight(span, frame, shifts.len(), KNEE_EDGE / run.frame_time);
            system.add_row(
                frame - 1 - run.frames.start,
                &[a.1, -2.0 * b.1, c.1],
                (b.0 - a.0) - (c.0 - b.0),
                weight * cost,
            );
            (a, b) = (b, c);
        }
    }
}

/// Adds what the hip of a limb does faster than it may, and takes what it counts off what is free.
///
/// - `free`: how much of each frame of the run is still the root's own
pub(super) fn keep_hip_smooth(
    limb: &Side<'_>,
    run: &Run<'_>,
    system: &mut System,
    free: &mut [f64],
) {
    let cost = run.settings.root_stiffness * fourth(HIP_TIME / run.frame_time);
    let edge = HIP_EDGE / run.frame_time;
    // A frame more than that is away by the lead.
    let reach = frames_of(HIP_EDGE, run.frame_time) + 1;
    let mut weights = vec![0.0; run.frames.len()];
    for span in moved_spans(limb.need, run) {
        let from = span.frames.start.saturating_sub(reach).max(run.frames.start);
        let to = (span.frames.end + reach).min(run.frames.end);
        for frame in from..to {
            let own = fade((span.away(frame) / edge).clamp(0.0, 1.0));
            let weight = &mut weights[frame - run.frames.start];
            *weight = if own > *weight { own } else { *weight };
        }
    }
    let hips = run.frames.clone().map(|frame| run.tracks.place(frame, limb.plan.limb.start));
    let hips: Vec<DVec3> = hips.collect();
    for (k, three) in hips.windows(3).enumerate() {
        let (weight, free) = (weights[k + 1], &mut free[k + 1]);
        if weight > 0.0 {
            *free = if *free < 1.0 - weight { *free } else { 1.0 - weight };
            let second = (three[2] - three[1]) - (three[1] - three[0]);
            system.add_sum(k, &SECOND, -second, weight * cost);
        }
    }
}

/// The spans of a run in which something must be done for them to hold.
pub(super) fn moved_spans<'a>(need: &'a Need, run: &'a Run<'_>) -> impl Iterator<Item = &'a Span> {
    need.spans[run.of_spans(&need.spans)].iter().filter(|span| is_moved(need, span))
}

/// How much a frame of a span counts. At the ends of the clip nothing comes down or lifts off.
pub(super) fn weight(span: &Span, frame: usize, n_frames: usize, edge: f64) -> f64 {
    let from_start = (frame - span.frames.start) as f64 + span.lead[0];
    let to_end = (span.frames.end - 1 - frame) as f64 + span.lead[1];
    let from_start = if span.frames.start == 0 { edge } else { from_start };
    let to_end = if span.frames.end == n_frames { edge } else { to_end };
    let inside = if from_start < to_end { from_start } else { to_end } / edge;
    1.0 - fade(if inside < 1.0 { inside } else { 1.0 })
}

/// The bend of a limb.
#[derive(Debug, Clone, Copy)]
struct Bend {
    /// Zero where it is straight \[rad\].
    angle: f64,
    /// How it changes when the start moves and the end stays \[rad per length\].
    change: DVec3,
}

impl Bend {
    /// - `shift`: by how much the end is moved
    /// - `softest`: all limbs that are straighter than this squared sine are as straight
    fn new([start, mid, end]: [DVec3; 3], shift: DVec3, softest: f64) -> Self {
        let (u, v, line) = (mid - start, end - mid, end + shift - start);
        let product = (u.length_squared() * v.length_squared()).sqrt();
        if product <= 0.0 {
            return Self { angle: 0.0, change: DVec3::ZERO };
        }
        let bones = u.length_squared() + v.length_squared();
        let cosine = (0.5 * (line.length_squared() - bones) / product).clamp(-1.0, 1.0);
        let sine_squared = (1.0 - cosine) * (1.0 + cosine);
        let change = line / (product * (sine_squared + softest).sqrt());
        Self { angle: atan2(sine_squared.sqrt(), cosine), change }
    }
}

/// A foot that is not held at its end turns this much dearer than anything else.
const FIXED: f64 = 1e9;

/// How far a foot may roll its ankle from the hip, as a part of the reach of the leg.
const WITHIN: f64 = 0.9999;

/// An arm shorter than this part of the limb moves its end by nothing.
const SHORTEST_ARM: f64 = 1e-3;

/// Lets feet that one point holds turn about it, as far as that spares their knees.
///
/// - `seen`: the tracks in every so many frames, those that slower clips have too: in these feet turn as they do there
///
/// # Method
/// The turns `ω` minimise `Σ |ω|² + λ |D²ω|² + μ (D²θ)²`, with `θ` the bend of the knee, linear in `ω`; where two points hold, and where a contact begins and ends, they are zero.
pub(super) fn roll_feet(
    clip: &Clip,
    plan: &LimbPlan,
    (tracks, seen): (&Tracks, Option<(&Tracks, usize)>),
    need: &mut Need,
    settings: &HoldSettings,
) {
    if !may_roll(plan) {
        return;
    }
    let time = clip.frame_time();
    let pins = seen.map(|(tracks, step)| {
        let need = need.every(step);
        let mut turns = vec![DVec3::ZERO; need.shifts.len()];
        for roll in rolls(plan, tracks, &need, (settings, time * step as f64), None) {
            turns[roll.frame] = roll.turn;
        }
        (turns, step)
    });
    let pins = pins.as_ref().map(|(turns, step)| (turns.as_slice(), *step));
    for Roll { frame, turn, arm } in rolls(plan, tracks, need, (settings, time), pins) {
        need.turn_more(frame, turn, arm);
    }
}

/// By how much the end of a leg moves in each frame of a span where its foot rolls on top of what the root does; `None` where it does not.
pub(super) fn rolled(
    limb: &Side<'_>,
    run: &Run<'_>,
    span: &Span,
    root: &[DVec3],
) -> Option<Vec<DVec3>> {
    let shift = |frame: usize| limb.need.shifts[frame] - root[frame - run.frames.start];
    let (need, pace) = (limb.need, (run.settings, run.frame_time));
    let rolls = may_roll(limb.plan)
        .then(|| rolls_in(span, limb.plan, run.tracks, (need, shift), pace, None))?;
    let mut moves = vec![DVec3::ZERO; span.frames.len()];
    for Roll { frame, turn, arm } in &rolls {
        moves[frame - span.frames.start] = so3_exp(*turn) * *arm - *arm;
    }
    (!rolls.is_empty()).then_some(moves)
}

/// Whether a limb ends in a foot that nothing turns.
fn may_roll(plan: &LimbPlan) -> bool {
    let is_turned = |point: &Point| matches!(point.target, Target::Pose(_));
    plan.is_leg && !plan.points.iter().any(is_turned)
}

/// How a foot turns in one frame.
struct Roll {
    frame: usize,
    turn: DVec3,
    /// From the point that holds it to its end.
    arm: DVec3,
}

/// How a foot turns about the point that holds it.
fn rolls(
    plan: &LimbPlan,
    tracks: &Tracks,
    need: &Need,
    pace: (&HoldSettings, f64),
    pins: Option<Pins<'_>>,
) -> Vec<Roll> {
    let shift = |frame: usize| need.shifts[frame];
    let mut rolls = Vec::new();
    for span in need.spans.iter().filter(|span| is_moved(need, span)) {
        rolls.extend(rolls_in(span, plan, tracks, (need, shift), pace, pins));
    }
    rolls
}

/// How a foot turns in a span.
///
/// - `shift`: by how much the end of the limb is moved in a frame
fn rolls_in(
    span: &Span,
    plan: &LimbPlan,
    tracks: &Tracks,
    (need, shift): (&Need, impl Fn(usize) -> DVec3),
    (settings, frame_time): (&HoldSettings, f64),
    pins: Option<Pins<'_>>,
) -> Vec<Roll> {
    let arms = arms(plan, tracks, need, span);
    let shortest = SHORTEST_ARM * need.length;
    let is_long =
        |arm: &Option<DVec3>| arm.is_some_and(|arm| arm.length_squared() > shortest * shortest);
    if !arms.iter().any(is_long) {
        return Vec::new();
    }
    let softest = softest_bend(settings);
    let bend = |frame: usize| Bend::new(positions(plan.limb, tracks, frame), shift(frame), softest);
    let turns = turns(span, &arms, bend, (need.shifts.len(), frame_time, pins));
    let turned = span.frames.clone().zip(turns.into_iter().zip(arms));
    let rolls: Vec<Roll> = turned
        .filter_map(|(frame, (turn, arm))| arm.map(|arm| Roll { frame, turn, arm }))
        .collect();
    let is_reached = |roll: &Roll| {
        let more = so3_exp(roll.turn) * roll.arm - roll.arm;
        stays_within_reach(positions(plan.limb, tracks, roll.frame), shift(roll.frame), more)
    };
    if rolls.iter().all(is_reached) { rolls } else { Vec::new() }
}

/// Whether the end of a limb that is moved by a shift can be moved by so much more.
fn stays_within_reach([start, mid, end]: [DVec3; 3], shift: DVec3, more: DVec3) -> bool {
    let reach = start.distance(mid) + mid.distance(end);
    let [before, after] = [shift, shift + more].map(|shift| (end + shift - start).length());
    after < WITHIN * reach || after <= before
}

/// From the only point that holds to the end, turned as it will be, where the foot may turn.
fn arms(plan: &LimbPlan, tracks: &Tracks, need: &Need, span: &Span) -> Vec<Option<DVec3>> {
    let arm = |frame: usize| {
        let is_inside = frame > span.frames.start && frame + 1 < span.frames.end;
        let point = need.only_point(plan, frame).filter(|_| is_inside)?;
        let end = tracks.place(frame, plan.limb.end);
        let arm = end - tracks.frame_place(frame, &point.frame);
        Some(need.turn(frame).map_or(arm, |turn| turn * arm))
    };
    span.frames.clone().map(arm).collect()
}

/// The turns of the foot about the point that holds it, as rotation vectors in the world.
///
/// - `bend`: of the knee in a frame
fn turns(
    span: &Span,
    arms: &[Option<DVec3>],
    bend: impl Fn(usize) -> Bend,
    (n_frames, frame_time, pins): (usize, f64, Option<Pins<'_>>),
) -> Vec<DVec3> {
    let (of_turn, of_knee) = (fourth(ROLL_TIME / frame_time), fourth(ROLL_KNEE_TIME / frame_time));
    let mut system = System::new(span.frames.clone(), pins);
    let mut knees = Vec::with_capacity(arms.len());
    for (k, (frame, arm)) in span.frames.clone().zip(arms).enumerate() {
        let cost = if arm.is_some() { 1.0 } else { FIXED };
        system.add(k, &DMat3::from_diagonal(DVec3::splat(cost)), DVec3::ZERO);
        let bend = bend(frame);
        // The end moves by the turn times the arm, which bends the knee the other way than its start does.
        let change = arm.map_or(DVec3::ZERO, |arm| bend.change.cross(arm));
        knees.push((bend.angle, change));
    }
    for (k, three) in knees.windows(3).enumerate() {
        let frame = span.frames.start + k + 1;
        let weight = weight(span, frame, n_frames, KNEE_EDGE / frame_time);
        system.add_sum(k, &SECOND, DVec3::ZERO, of_turn);
        let (a, b, c) = (three[0], three[1], three[2]);
        let bends = (b.0 - a.0) - (c.0 - b.0);
        system.add_row(k, &[a.1, -2.0 * b.1, c.1], bends, weight * of_knee);
    }
    let mut turns = vec![DVec3::ZERO; arms.len()];
    system.solve(&mut turns);
    turns
}
