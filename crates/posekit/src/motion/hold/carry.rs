//! How far the root must go along.

use core::ops::Range;

use glam::{DMat3, DVec3};

use super::HoldSettings;
use super::ease::Span;
use super::need::{Need, is_carried};
use super::plan::{LimbPlan, Plan};
use super::root::{Demand, Factor, solve};
use crate::math::sin;
use crate::motion::Clip;
use crate::motion::tracks::Tracks;

/// What it costs a limb to swing, against its cost to bend at a right angle: the hip turns, and the foot turns back.
const SWING: f64 = 2.0;

/// How much less than what is held the root resists being moved fast by itself.
const OWN_LINK: f64 = 0.03;

/// How long after a contact begins, and before it ends, the root follows what is fast in it fully \[s\].
const EDGE: f64 = 0.08;

/// How long before and after a contact the root comes along with it \[s\].
const RAMP: f64 = 0.15;

/// How long its own way back takes at most, in units of `root_smoothing`: by then its displacement is a millionth of what it was.
const MARGIN: f64 = 14.0;

/// What it costs to miss the reach of a limb: far more than anything else does.
const REACH: f64 = 1e4;

/// How much more it costs from one test to the next.
const HARDER: f64 = 10.0;

/// How often the reach is tested again.
const REACH_PASSES: usize = 4;

/// How far out of reach is no matter, as a part of the limb.
const ENOUGH: f64 = 1e-7;

/// A displacement of the root that is none, as a part of the shortest limb.
const NOTHING: f64 = 1e-8;

/// How much a displacement, as a part of the limb, softens a straight knee: a part of the squared bend that it makes, because the root takes up most of it.
const SECANT: f64 = 1.0;

/// The part of a limb's length that must stay to its full reach, where the motion itself is not straighter.
const STRAIGHT: f64 = 1e-4;

/// One limb during the frames of a run, as seen from the root.
struct Side<'a> {
    plan: &'a LimbPlan,
    need: &'a Need,
    /// How far it reaches at most.
    reach: f64,
}

/// The root's displacement in the world, frame after frame; nothing where the root cannot move or need not.
pub(super) fn carry(
    clip: &Clip,
    plan: &Plan,
    tracks: &Tracks,
    needs: &[Need],
    settings: &HoldSettings,
) -> Vec<DVec3> {
    let limbs: Vec<Side<'_>> = plan
        .limbs
        .iter()
        .zip(needs)
        .filter(|(limb, need)| !need.spans.is_empty() && is_carried(clip, plan, limb))
        .map(|(limb, need)| Side { plan: limb, need, reach: greatest_reach(limb, need, tracks) })
        .collect();
    if limbs.is_empty() {
        return Vec::new();
    }
    let mut root = vec![DVec3::ZERO; clip.n_frames()];
    let mut scratch = Vec::new();
    for run in runs(clip, &limbs, settings) {
        carry_run(clip, &limbs, tracks, settings, run, &mut scratch, &mut root);
    }
    root
}

/// How far a limb gets: its bones in a line. They are rigid, so any frame tells.
fn greatest_reach(limb: &LimbPlan, need: &Need, tracks: &Tracks) -> f64 {
    let frame = need.spans[0].frames.start;
    let [start, mid, end] = positions(limb, tracks, frame);
    start.distance(mid) + mid.distance(end)
}

fn positions(limb: &LimbPlan, tracks: &Tracks, frame: usize) -> [DVec3; 3] {
    let limb = limb.limb;
    [limb.start, limb.mid, limb.end].map(|joint| tracks.pose(frame, joint).translation)
}

/// Runs of frames in which the root may have to move.
fn runs(clip: &Clip, limbs: &[Side<'_>], settings: &HoldSettings) -> Vec<Range<usize>> {
    let margin = frames_of(MARGIN * settings.root_smoothing + RAMP, clip.frame_time());
    let mut all: Vec<Range<usize>> = limbs
        .iter()
        .flat_map(|limb| limb.need.spans.iter().map(|span| &span.frames))
        .map(|frames| {
            frames.start.saturating_sub(margin)..(frames.end + margin).min(clip.n_frames())
        })
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
fn frames_of(time: f64, frame_time: f64) -> usize {
    (time / frame_time).clamp(1.0, 1e9).ceil() as usize
}

fn carry_run(
    clip: &Clip,
    limbs: &[Side<'_>],
    tracks: &Tracks,
    settings: &HoldSettings,
    run: Range<usize>,
    scratch: &mut Vec<Factor>,
    root: &mut [DVec3],
) {
    let none = Demand { stiffness: DMat3::ZERO, pull: DVec3::ZERO, link: 0.0, slope: DVec3::ZERO };
    let mut demands = vec![none; run.len()];
    let alpha = settings.root_stiffness;
    let smoothing = settings.root_smoothing / clip.frame_time();
    let kappa = alpha * smoothing * smoothing;
    for limb in limbs.iter().filter(|limb| limb.plan.is_leg) {
        pull(limb, tracks, settings, &run, &mut demands, clip.frame_time());
        follow(limb, kappa, EDGE / clip.frame_time(), &run, &mut demands);
    }
    for demand in &mut demands {
        demand.stiffness += DMat3::from_diagonal(DVec3::splat(alpha));
        demand.link += OWN_LINK * kappa;
    }
    let out = &mut root[run.clone()];
    solve(&demands, scratch, out);
    come_within_reach(clip, limbs, tracks, settings, &run, demands, scratch, out);
    let least = limbs.iter().map(|limb| limb.reach).fold(f64::INFINITY, f64::min) * NOTHING;
    for shift in out.iter_mut().filter(|shift| shift.length_squared() < least * least) {
        *shift = DVec3::ZERO;
    }
}

/// Brings the root within reach of all limbs by a change that comes and goes smoothly.
///
/// # Method
/// The change that costs the least in the same quadratic form, with a penalty on what is out of reach that grows from pass to pass.
#[expect(clippy::too_many_arguments, reason = "one step of the above, which has them all")]
fn come_within_reach(
    clip: &Clip,
    limbs: &[Side<'_>],
    tracks: &Tracks,
    settings: &HoldSettings,
    run: &Range<usize>,
    mut demands: Vec<Demand>,
    scratch: &mut Vec<Factor>,
    out: &mut [DVec3],
) {
    let wanted = wanted_distances(limbs, tracks, run, out);
    let ramp = 0.5 * RAMP / clip.frame_time();
    for demand in &mut demands {
        (demand.pull, demand.slope) = (DVec3::ZERO, DVec3::ZERO);
        demand.link += settings.root_stiffness * ramp * ramp;
    }
    let before = out.to_vec();
    let mut change = vec![DVec3::ZERO; out.len()];
    let mut penalty = REACH;
    for _ in 0..REACH_PASSES {
        let mut pulled = demands.clone();
        if !reach(limbs, tracks, run, &wanted, penalty, (&*out, &change), &mut pulled) {
            break;
        }
        solve(&pulled, scratch, &mut change);
        for (out, (before, change)) in out.iter_mut().zip(before.iter().zip(&change)) {
            *out = *before + *change;
        }
        penalty *= HARDER;
    }
}

/// The pull of a limb on the root, while it holds and a little before and after.
fn pull(
    limb: &Side<'_>,
    tracks: &Tracks,
    settings: &HoldSettings,
    run: &Range<usize>,
    demands: &mut [Demand],
    clip_frame: f64,
) {
    let ramp = RAMP / clip_frame;
    let spans = &limb.need.spans;
    let softest = sin(settings.knee_softening.min(core::f64::consts::FRAC_PI_2));
    let softest = softest * softest + 1e-8;
    for (k, span) in spans.iter().enumerate().filter(|(_, span)| is_in(&span.frames, run)) {
        let (first, last) = (span.frames.start, span.frames.end - 1);
        let half_gap = |before: &Span, after: &Span| {
            let gap = (after.frames.start + 1 - before.frames.end) as f64;
            0.5 * (gap - before.lead[1] - after.lead[0])
        };
        let before = if k == 0 { ramp } else { ramp.min(half_gap(&spans[k - 1], span)) };
        let after = spans.get(k + 1).map_or(ramp, |next| ramp.min(half_gap(span, next)));
        let whole = |frames: f64| frames_of(frames * clip_frame, clip_frame);
        let from = first.saturating_sub(whole(before)).max(run.start);
        let to = (last + whole(after)).min(run.end - 1);
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
            // What is large bends a knee in any case, and not only as the straight one that it is now.
            let large = SECANT * limb.need.shifts[nearest].length() / limb.need.length;
            let stiffness = stiffness(limb.plan, tracks, frame, softest + large) * weight;
            let demand = &mut demands[frame - run.start];
            demand.stiffness += stiffness;
            demand.pull += stiffness * limb.need.shifts[nearest];
        }
    }
}

fn is_in(frames: &Range<usize>, run: &Range<usize>) -> bool {
    run.start <= frames.start && frames.end <= run.end
}

/// From 1 at 0 to 0 at 1, flat at both.
fn fade(t: f64) -> f64 {
    1.0 - t * t * (3.0 - 2.0 * t)
}

/// What it costs a limb to move its end, as a matrix: squared turns of its joints per squared displacement, times its squared length.
fn stiffness(limb: &LimbPlan, tracks: &Tracks, frame: usize, softest: f64) -> DMat3 {
    let [start, mid, end] = positions(limb, tracks, frame);
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

/// What is fast goes to the root, except at the ends of contacts, where feet come down and lift off moving.
fn follow(limb: &Side<'_>, kappa: f64, edge: f64, run: &Range<usize>, demands: &mut [Demand]) {
    let shifts = &limb.need.shifts;
    for span in limb.need.spans.iter().filter(|span| is_in(&span.frames, run)) {
        for frame in span.frames.start..span.frames.end - 1 {
            // From the middle between this frame and the next. At the ends of the clip nothing comes down or lifts off.
            let from_start = (frame - span.frames.start) as f64 + 0.5 + span.lead[0];
            let to_end = (span.frames.end - frame) as f64 - 1.5 + span.lead[1];
            let from_start = if span.frames.start == 0 { edge } else { from_start };
            let to_end = if span.frames.end == shifts.len() { edge } else { to_end };
            let inside = if from_start < to_end { from_start } else { to_end } / edge;
            let weight = kappa * (1.0 - fade(if inside < 1.0 { inside } else { 1.0 }));
            let demand = &mut demands[frame - run.start];
            demand.link += weight;
            demand.slope += (shifts[frame + 1] - shifts[frame]) * weight;
        }
    }
}

/// How far from its start the end of each limb may be, frame after frame of all its spans in the run.
///
/// What the motion itself does is allowed, and of what is still left to full reach, any change takes less the nearer it comes, so that a knee is never
/// straightened all at once.
fn wanted_distances(
    limbs: &[Side<'_>],
    tracks: &Tracks,
    run: &Range<usize>,
    root: &[DVec3],
) -> Vec<f64> {
    let mut wanted = Vec::new();
    for limb in limbs {
        for frame in held_frames(limb, run) {
            let (line, own) = line(limb, tracks, frame, root[frame - run.start]);
            let more = line.length() - own;
            let least = STRAIGHT * limb.reach;
            let slack = if limb.reach - own > least { limb.reach - own } else { least };
            let soft = if more > 0.0 { slack * more / (slack + more) } else { more };
            wanted.push(if own + soft < limb.reach { own + soft } else { limb.reach });
        }
    }
    wanted
}

fn held_frames(limb: &Side<'_>, run: &Range<usize>) -> impl Iterator<Item = usize> {
    let spans = limb.need.spans.iter().filter(|span| is_in(&span.frames, run));
    spans.flat_map(|span| span.frames.clone())
}

/// From the start of a limb to where its end shall be, and how far it is from there now.
fn line(limb: &Side<'_>, tracks: &Tracks, frame: usize, root: DVec3) -> (DVec3, f64) {
    let [start, _, end] = positions(limb.plan, tracks, frame);
    let line = end - start;
    (line + limb.need.shifts[frame] - root, line.length())
}

/// Adds what brings the root within reach of all limbs; false where it is already.
///
fn reach(
    limbs: &[Side<'_>],
    tracks: &Tracks,
    run: &Range<usize>,
    wanted: &[f64],
    penalty: f64,
    (root, change): (&[DVec3], &[DVec3]),
    demands: &mut [Demand],
) -> bool {
    let mut is_needed = false;
    let mut wanted = wanted.iter();
    for limb in limbs {
        for (frame, wanted) in held_frames(limb, run).zip(&mut wanted) {
            let (line, own) = line(limb, tracks, frame, root[frame - run.start]);
            let distance = line.length();
            let excess = distance - wanted;
            let more = distance - own;
            if more <= 0.0 || distance <= 0.0 {
                continue;
            }
            is_needed |= excess > ENOUGH * limb.reach;
            let slack = if limb.reach - own > 0.0 { limb.reach - own } else { 0.0 };
            let weight = penalty * more / (slack + more);
            let normal = line / distance;
            let outer = DMat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z);
            let demand = &mut demands[frame - run.start];
            demand.stiffness += outer * weight;
            demand.pull += normal * (weight * (normal.dot(change[frame - run.start]) + excess));
        }
    }
    is_needed
}
