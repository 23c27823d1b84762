//! How far the root must go along.

use core::ops::Range;

use posekit::glam::{DMat3, DVec3};

use super::HoldSettings;
use super::ease::Span;
use super::knee::Led;
use super::need::{Need, is_carried};
use super::plan::{LimbPlan, Plan, held_part};
use super::root::{Pins, SECOND, System};
use super::rough::spare_rough_knees;
use super::spare::{fourth, keep_hip_smooth, keep_knee_smooth, softest_bend};
use crate::tracks::Tracks;
use crate::{Clip, Limb};

/// What it costs a limb to swing, against its cost to bend at a right angle: the hip turns, and the foot turns back.
pub(super) const SWING: f64 = 2.0;

/// How much less than where nothing is held the root resists bends of its displacement where something is: there it is the hips that must not tremble.
const HELD_BEND: f64 = 0.25;

/// How long before and after a contact the root comes along with it \[s\].
const RAMP: f64 = 0.15;

/// How long its own way back takes at most, in units of `root_smoothing`: by then its displacement is a millionth of what it was.
const MARGIN: f64 = 14.0;

/// What it costs to miss the reach of a limb: far more than anything else does.
const REACH: f64 = 1e5;

/// What it costs the root to come within reach fast, like [`HoldSettings::root_stiffness`].
const REACH_RAMP: f64 = 10.0;

/// How much more it costs from one test to the next, and at most.
const HARDER: f64 = 100.0;
const HARDEST: f64 = 1e9;

/// How often the reach is tested again, where feet stand, and of contacts by hand: these may be far away, and where straight lines lead is then not where spheres are.
const REACH_PASSES: [usize; 2] = [3, 12];

/// How far out of reach is no matter, as a part of the limb.
const ENOUGH: f64 = 1e-7;

/// A displacement of the root that is none, as a part of the shortest limb.
const NOTHING: f64 = 1e-8;

/// How much the largest displacement, as a part of the limb, softens a straight knee: a part of the squared bend that it makes, because the root takes up most of it.
const SECANT: f64 = 1.0;

/// The part of a limb's length that must stay to its full reach, where the motion itself is not straighter.
const STRAIGHT: f64 = 1e-4;

/// Frames in which the root may have to move, and what is known of them.
pub(super) struct Run<'a> {
    pub(super) tracks: &'a Tracks,
    pub(super) settings: &'a HoldSettings,
    pub(super) frame_time: f64,
    /// How many frames of the clip are one of these.
    step: usize,
    pub(super) frames: Range<usize>,
    /// Every so many frames where the root is, is known already.
    pinned: Option<usize>,
}

impl Run<'_> {
    /// Which of a limb's spans it has all frames of.
    pub(super) fn of_spans(&self, spans: &[Span]) -> Range<usize> {
        let start = spans.partition_point(|span| span.frames.start < self.frames.start);
        let end = spans.partition_point(|span| span.frames.end <= self.frames.end);
        start..if end > start { end } else { start }
    }
}

/// The root's displacement, frame after frame.
struct Way {
    /// What hips and knees ask for.
    eased: Vec<DVec3>,
    /// What brings it within reach then.
    more: Vec<DVec3>,
    /// Knees that were led along a course, and when.
    led: Vec<Led>,
}

/// One limb, as seen from the root.
pub(super) struct Side<'a> {
    pub(super) plan: &'a LimbPlan,
    pub(super) need: &'a Need,
    /// How far it reaches at most.
    reach: f64,
    /// There are legs, and it is none: what it does not reach by itself is the whole body's.
    is_arm: bool,
}

/// The root's displacement in the world, frame after frame; nothing where the root cannot move or need not.
pub(super) fn carry(
    clip: &Clip,
    plan: &Plan,
    (tracks, seen): (&Tracks, Option<(&Tracks, usize)>),
    needs: &[Need],
    settings: &HoldSettings,
) -> Vec<DVec3> {
    let seen = seen.map(|(tracks, step)| {
        let needs: Vec<Need> = needs.iter().map(|need| need.every(step)).collect();
        (way(clip, plan, (tracks, step), &needs, None, settings), step)
    });
    let pins = seen.as_ref().map(|(seen, step)| (seen, *step));
    let Way { mut eased, more, led: _ } = way(clip, plan, (tracks, 1), needs, pins, settings);
    eased.iter_mut().zip(more).for_each(|(root, more)| *root += more);
    eased
}

/// The root's displacement; in frames that are pinned as it is there.
///
/// - `tracks`: of every so many frames of the clip
fn way(
    clip: &Clip,
    plan: &Plan,
    (tracks, step): (&Tracks, usize),
    needs: &[Need],
    pins: Option<(&Way, usize)>,
    settings: &HoldSettings,
) -> Way {
    let (n_frames, frame_time) = (tracks.n_frames(), clip.frame_time() * step as f64);
    let has_legs = plan.limbs.iter().any(|limb| limb.is_leg);
    let limbs: Vec<Side<'_>> = plan
        .limbs
        .iter()
        .zip(needs)
        .filter(|(limb, need)| !need.spans.is_empty() && is_carried(clip, plan, limb))
        .map(|(limb, need)| {
            let reach = greatest_reach(limb, need, tracks);
            Side { plan: limb, need, reach, is_arm: has_legs && !limb.is_leg }
        })
        .collect();
    if limbs.is_empty() {
        return Way { eased: Vec::new(), more: Vec::new(), led: Vec::new() };
    }
    let is_staying =
        |limb: &&LimbPlan| settings.by_hand && limb.is_leg && is_carried(clip, plan, limb);
    let staying: Vec<&LimbPlan> = plan.limbs.iter().filter(is_staying).collect();
    let still = vec![DVec3::ZERO; n_frames];
    let mut way = Way { eased: still.clone(), more: still, led: Vec::new() };
    for frames in runs(n_frames, frame_time, &limbs, settings) {
        let pinned = pins.map(|pins| pins.1);
        let run = Run { tracks, settings, frame_time, step, frames, pinned };
        let (eased, more) = (&mut way.eased[run.frames.clone()], &mut way.more[run.frames.clone()]);
        let mut led = carry_run((&limbs, &staying), &run, pins, (eased, more));
        led.sort_by_key(|(_, frames)| frames.start);
        way.led.extend(led);
    }
    way
}

/// How far a limb gets: its bones in a line. They are rigid, so any frame tells.
fn greatest_reach(limb: &LimbPlan, need: &Need, tracks: &Tracks) -> f64 {
    let frame = need.spans[0].frames.start;
    let [start, mid, end] = positions(limb.limb, tracks, frame);
    start.distance(mid) + mid.distance(end)
}

pub(super) fn positions(limb: Limb, tracks: &Tracks, frame: usize) -> [DVec3; 3] {
    [limb.start, limb.mid, limb.end].map(|joint| tracks.place(frame, joint))
}

/// Runs of frames in which the root may have to move.
fn runs(
    n_frames: usize,
    frame_time: f64,
    limbs: &[Side<'_>],
    settings: &HoldSettings,
) -> Vec<Range<usize>> {
    let margin = frames_of(MARGIN * settings.root_smoothing + RAMP, frame_time);
    let mut all: Vec<Range<usize>> = limbs
        .iter()
        .flat_map(|limb| limb.need.spans.iter().map(|span| &span.frames))
        .map(|frames| frames.start.saturating_sub(margin)..(frames.end + margin).min(n_frames))
        .collect();
    all.sort_by_key(|frames| (frames.start, frames.end));
    let mut runs: Vec<Range<usize>> = Vec::new();
    for frames in all {
        match runs.last_mut() {
            Some(last) if frames.start <= last.end => {
                last.end = if frames.end > last.end { frames.end } else { last.end };
            }
            _ => runs.push(frames),
        }
    }
    runs
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "clamped to what a clip can have"
)]
pub(super) fn frames_of(time: f64, frame_time: f64) -> usize {
    (time / frame_time).clamp(1.0, 1e9).ceil() as usize
}

/// - `staying`: legs whose feet stay as far as they hold nothing
fn carry_run(
    (limbs, staying): (&[Side<'_>], &[&LimbPlan]),
    run: &Run<'_>,
    pins: Option<(&Way, usize)>,
    (out, more): (&mut [DVec3], &mut [DVec3]),
) -> Vec<Led> {
    let alpha = run.settings.root_stiffness;
    let bend = alpha * fourth(run.settings.root_smoothing / run.frame_time);
    let pins_of = |of: fn(&Way) -> &[DVec3]| pins.map(|(way, step)| (of(way), step));
    let new_system = || System::new(run.frames.clone(), pins_of(|way| &way.eased));
    let mut system = new_system();
    // How much of each frame is still the root's own.
    let mut free = vec![1.0; out.len()];
    let mut own = new_system();
    for (k, limb) in limbs.iter().filter(|limb| limb.plan.is_leg).enumerate() {
        // Each by itself, so that left and right make no difference; the first where nothing is asked yet.
        if k > 1 {
            own.clear();
        }
        let of_leg = if k == 0 { &mut system } else { &mut own };
        pull(limb, run, of_leg);
        keep_knee_smooth(limb, run, of_leg);
        keep_hip_smooth(limb, run, of_leg, &mut free);
        if k > 0 {
            system.add_all(&own);
        }
    }
    staying.iter().for_each(|limb| hold_back(limb, run, &mut system));
    for frame in 0..out.len() {
        system.add(frame, &DMat3::from_diagonal(DVec3::splat(alpha)), DVec3::ZERO);
        if frame + 2 < out.len() {
            system.add_sum(frame, &SECOND, DVec3::ZERO, bend * (free[frame + 1] + HELD_BEND));
        }
    }
    own.copy(&system);
    own.solve(out);
    let led = pins.map(|(way, step)| (led_in(&way.led, &run.frames, step), step));
    let led = spare_rough_knees(limbs, run, led, &system, out);
    come_within_reach(limbs, run, pins_of(|way| &way.more), (system, own), (out, more));
    let least = limbs.iter().map(|limb| limb.reach).fold(f64::INFINITY, f64::min) * NOTHING;
    for (shift, more) in out.iter_mut().zip(more) {
        if (*shift + *more).length_squared() < least * least {
            (*shift, *more) = (DVec3::ZERO, DVec3::ZERO);
        }
    }
    led
}

/// Those of the knees that are led in every so many frames that are led in these.
fn led_in<'a>(led: &'a [Led], frames: &Range<usize>, step: usize) -> &'a [Led] {
    let start = led.partition_point(|(_, led)| led.start * step < frames.start);
    let end = led.partition_point(|(_, led)| led.start * step < frames.end);
    &led[start..end]
}

/// Brings the root within reach of all limbs by a change that comes and goes smoothly.
///
/// # Method
/// The change that costs the least in the same quadratic form, with a penalty on what is out of reach that grows from pass to pass, while that brings it nearer:
/// what no root position reaches is not run after.
///
/// - `room`: as large as the system
fn come_within_reach(
    limbs: &[Side<'_>],
    run: &Run<'_>,
    pins: Option<Pins<'_>>,
    (mut system, mut room): (System, System),
    (before, more): (&[DVec3], &mut [DVec3]),
) {
    let known = known_change(run, pins);
    let lines = lines(limbs, run, (before, &known));
    let ramp = 0.5 * RAMP / run.frame_time;
    system.forget_pull();
    for frame in 1..before.len() {
        system.add_sum(frame - 1, &[-1.0, 1.0], DVec3::ZERO, REACH_RAMP * ramp * ramp);
    }
    let mut change = vec![DVec3::ZERO; before.len()];
    // With frames that stay as they are, little is left to do, and bends are dearer by far: the first pass would do nothing.
    let first = usize::from(run.pinned.is_some());
    let (mut penalty, mut least) = (if first > 0 { HARDER * REACH } else { REACH }, f64::INFINITY);
    let passes = REACH_PASSES[usize::from(run.settings.by_hand)];
    for pass in first..=passes {
        // The last one is only judged, and what it asks is not solved.
        let is_last = pass == passes;
        if !is_last {
            room.copy(&system);
        }
        let miss = reach(&lines, penalty, &change, &mut room);
        if miss.is_some_and(|miss| miss >= least) {
            break;
        }
        more.iter_mut().zip(known.iter().zip(&change)).for_each(|(more, (a, b))| *more = *a + *b);
        let Some(miss) = miss else { break };
        least = miss;
        if !is_last {
            room.solve(&mut change);
            penalty = (penalty * HARDER).min(HARDEST);
        }
    }
}

/// The change that is known already, and between in proportion to it.
fn known_change(run: &Run<'_>, pins: Option<Pins<'_>>) -> Vec<DVec3> {
    let Some((seen, step)) = pins else { return vec![DVec3::ZERO; run.frames.len()] };
    let at = |frame: usize| match seen.get(frame / step) {
        Some(_) => between(seen, frame / step, (frame % step) as f64 / step as f64),
        None => DVec3::ZERO,
    };
    run.frames.clone().map(at).collect()
}

/// The pull of a limb on the root, while it holds and a little before and after.
fn pull(limb: &Side<'_>, run: &Run<'_>, system: &mut System) {
    let ramp = RAMP / run.frame_time;
    let spans = &limb.need.spans;
    for k in run.of_spans(spans) {
        let span = &spans[k];
        let (first, last) = (span.frames.start, span.frames.end - 1);
        let half_gap = |before: &Span, after: &Span| {
            let gap = (after.frames.start + 1 - before.frames.end) as f64;
            0.5 * (gap - before.lead[1] - after.lead[0])
        };
        let before = if k == 0 { ramp } else { ramp.min(half_gap(&spans[k - 1], span)) };
        let after = spans.get(k + 1).map_or(ramp, |next| ramp.min(half_gap(span, next)));
        let soft = softness(limb.need, span, run);
        let whole = |frames: f64| frames_of(frames * run.frame_time, run.frame_time);
        let from = first.saturating_sub(whole(before)).max(run.frames.start);
        let to = (last + whole(after)).min(run.frames.end - 1);
        for frame in from..=to {
            let (nearest, away) = if frame < first {
                (first, ((first - frame) as f64 - span.lead[0]) / before)
            } else if frame > last {
                (last, ((frame - last) as f64 - span.lead[1]) / after)
            } else {
                (frame, 0.0)
            };
            let weight = fade(away.clamp(0.0, 1.0));
            if weight <= 0.0 {
                continue;
            }
            let stiffness = stiffness(limb.plan, run.tracks, frame, soft) * weight;
            system.add(frame - run.frames.start, &stiffness, stiffness * limb.need.shifts[nearest]);
        }
    }
}

/// The resistance of a leg whose foot stays, as far as it holds nothing.
fn hold_back(limb: &LimbPlan, run: &Run<'_>, system: &mut System) {
    for frame in run.frames.clone() {
        let part = 1.0 - held_part(&limb.points, frame * run.step);
        if part > 0.0 {
            let stiffness = stiffness(limb, run.tracks, frame, softest_bend(run.settings));
            system.add(frame - run.frames.start, &(stiffness * part), DVec3::ZERO);
        }
    }
}

/// The squared sine of the bend below which the knee of a limb is as soft as there, while a span holds.
///
/// What is moved far bends a knee in any case, and not only as the straight one that it is in the motion. It is the same in all of the span: a knee
/// that is stiff in one frame and soft in the next pops.
pub(super) fn softness(need: &Need, span: &Span, run: &Run<'_>) -> f64 {
    let shifts = need.shifts[span.frames.clone()].iter();
    let largest = shifts.map(|shift| shift.length()).fold(0.0, f64::max);
    softest_bend(run.settings) + SECANT * largest / need.length
}

/// From 1 at 0 to 0 at 1, flat at both.
pub(super) fn fade(t: f64) -> f64 {
    1.0 - t * t * (3.0 - 2.0 * t)
}

/// What it costs a limb to move its end, as a matrix: squared turns of its joints per squared displacement, times its squared length.
pub(super) fn stiffness(limb: &LimbPlan, tracks: &Tracks, frame: usize, softest: f64) -> DMat3 {
    let [start, mid, end] = positions(limb.limb, tracks, frame);
    let (u, v, line) = (mid - start, end - mid, end - start);
    let product = (u.length_squared() * v.length_squared()).sqrt();
    let distance_squared = line.length_squared();
    if product <= 0.0 || distance_squared <= 0.0 {
        return DMat3::ZERO;
    }
    let length = u.length() + v.length();
    let cos = u.dot(v) / product;
    let along =
        distance_squared * length * length / (product * product) / (1.0 - cos * cos + softest);
    let rest = (along - SWING) / distance_squared;
    let outer = DMat3::from_cols(line * line.x, line * line.y, line * line.z);
    outer * rest + DMat3::from_diagonal(DVec3::splat(SWING))
}

/// A limb in a frame in which it holds something.
struct Line {
    /// Counted from the first of the run.
    frame: usize,
    /// Where the root is without more change than is known.
    root: DVec3,
    /// From its start, while the root stays, to where its end shall be.
    vector: DVec3,
    /// How far it is from its start to its end in the motion.
    own: f64,
    /// How far that may become.
    wanted: f64,
    /// How far it reaches at most.
    reach: f64,
    /// Nothing is asked while it reaches.
    is_arm: bool,
}

/// How far from its start the end of each limb may be, frame after frame of all its spans in the run.
///
/// What the motion itself does is allowed, and of what is still left to full reach, any change takes less the nearer it comes, so that a knee is never
/// straightened all at once.
///
/// - `root`, `known`: where the root is, and what is known of its change
fn lines(limbs: &[Side<'_>], run: &Run<'_>, (root, known): (&[DVec3], &[DVec3])) -> Vec<Line> {
    let of_limb = |limb: &Side<'_>, frame: usize| {
        let [start, _, end] = positions(limb.plan.limb, run.tracks, frame);
        let line = end - start;
        let (own, vector, reach) = (line.length(), line + limb.need.shifts[frame], limb.reach);
        let frame = frame - run.frames.start;
        let more = (vector - root[frame]).length() - own;
        let least = STRAIGHT * reach;
        let margin = if reach - own > least { reach - own } else { least };
        let soft = if more > 0.0 { margin * more / (margin + more) } else { more };
        let wanted = if own + soft < reach { own + soft } else { reach };
        let wanted = if limb.is_arm { reach - least } else { wanted };
        let root = root[frame] + known[frame];
        Line { frame, root, vector, own, wanted, reach, is_arm: limb.is_arm }
    };
    let mut lines = Vec::with_capacity(limbs.len() * run.frames.len());
    for limb in limbs {
        lines.extend(held_frames(limb, run).map(|frame| of_limb(limb, frame)));
    }
    lines
}

/// Frames in which a limb holds something and the root can still be moved.
fn held_frames(limb: &Side<'_>, run: &Run<'_>) -> impl Iterator<Item = usize> {
    let spans = limb.need.spans[run.of_spans(&limb.need.spans)].iter();
    let is_free = |frame: &usize| run.pinned.is_none_or(|step| !frame.is_multiple_of(step));
    spans.flat_map(|span| span.frames.clone()).filter(is_free)
}

/// Adds what brings the root within reach of all limbs; by how much that is missed, the sum of squares, or nothing where it is not.
fn reach(lines: &[Line], penalty: f64, change: &[DVec3], system: &mut System) -> Option<f64> {
    let (mut is_needed, mut miss) = (false, 0.0);
    for Line { frame, root, vector, own, wanted, reach, is_arm } in lines {
        let line = *vector - (*root + change[*frame]);
        let distance = line.length();
        let excess = distance - wanted;
        let more = distance - own;
        if more <= 0.0 || distance <= 0.0 || *is_arm && excess <= 0.0 {
            continue;
        }
        is_needed |= excess > ENOUGH * reach;
        miss += if excess > 0.0 { excess * excess } else { 0.0 };
        let margin = if reach - own > 0.0 { reach - own } else { 0.0 };
        let weight = penalty * more / (margin + more);
        let normal = line / distance;
        let outer = DMat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z);
        let pull = normal * (weight * (normal.dot(change[*frame]) + excess));
        system.add(*frame, &(outer * weight), pull);
    }
    is_needed.then_some(miss)
}

/// A path between two of its frames: the cubic through these and their neighbours; in proportion where one of them is missing.
///
/// - `part`: from 0 at the frame to 1 at the next
fn between(path: &[DVec3], frame: usize, part: f64) -> DVec3 {
    let here = path[frame];
    let Some(next) = path.get(frame + 1).filter(|_| part > 0.0) else { return here };
    let outer = frame.checked_sub(1).and_then(|before| path.get(before)).zip(path.get(frame + 2));
    let Some((before, after)) = outer else { return here + (*next - here) * part };
    let (u, v) = (part, 1.0 - part);
    // How far the parabolas through three points each are from the line, mixed: the same from both sides.
    let bend =
        (here * 2.0 - *before - *next) * (1.0 + v) + (*next * 2.0 - here - *after) * (1.0 + u);
    here * v + *next * u + bend * (u * v / 6.0)
}
