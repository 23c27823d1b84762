//! How the root goes along with what limbs hold, and feet roll: columns of the least squares over all frames that [`space_time`](crate::space_time) states.
//!
//! Legs pull with what their ends need ([`Need`]), each held by one point with a foot that may turn about it. Feet that are to stay where they hold nothing pull far
//! less. Arms do not: what they do not reach by themselves is held by the whole body.

use core::ops::Range;

use posekit::glam::DVec3;

use super::need::{Need, is_carried};
use super::plan::{LimbPlan, Plan, Target, at_rest, held_part};
use super::{HoldSettings, moves_in_world};
use crate::Clip;
use crate::plant::Part;
use crate::space_time::{CONTACT, Change, Held, LegMotion, Problem, ROOT};
use crate::tracks::Tracks;

/// How long before and after a contact the root comes along with it at most \[s\]: by then its displacement is a four-hundredth of what it was.
const MARGIN: f64 = 0.67;

/// Weight of feet that are to stay, against [`CONTACT`].
const STAY: f64 = 1e2;

/// A displacement of the root that is none \[leg lengths\].
const NOTHING: f64 = 1e-8;

/// An arm shorter than this turns a foot for nothing \[leg lengths\].
const SHORTEST_ARM: f64 = 1e-3;

/// In what time a foot begins and ceases to roll \[s\].
const ROLL_EDGE: f64 = 0.045;

/// A leg that the root carries.
struct Leg<'a> {
    plan: &'a LimbPlan,
    axis: DVec3,
    /// Which of the needs is its own.
    of: usize,
}

/// The root's displacement in the world, frame after frame; nothing where the root cannot move or need not. Turns feet in what is needed of their legs.
///
/// - `stiffness`: of the root; `None` where it stays, and feet alone roll
pub(super) fn carry(
    clip: &Clip,
    plan: &Plan<'_>,
    tracks: &Tracks,
    needs: &mut [Need],
    (settings, stiffness): (&HoldSettings, Option<f64>),
) -> Vec<DVec3> {
    let is_leg = |limb: &LimbPlan| limb.is_leg && is_carried(clip, plan, limb);
    let legs = plan.limbs.iter().enumerate().filter(|(_, limb)| is_leg(limb));
    let legs: Vec<Leg<'_>> =
        legs.map(|(of, plan)| Leg { plan, axis: plan.usual_axis(clip, tracks), of }).collect();
    let mut root = vec![DVec3::ZERO; clip.n_frames()];
    let moves = plan.root.filter(|_| stiffness.is_some());
    let moves = moves.map_or([false; 3], |root| moves_in_world(plan.keep, clip.skeleton(), root));
    for frames in runs(clip, &legs, needs) {
        let unit = legs.iter().map(|leg| needs[leg.of].length).sum::<f64>() / legs.len() as f64;
        let run = Run { clip, tracks, unit, frames: frames.clone(), settings };
        let motions: Vec<LegMotion> = legs.iter().map(|leg| run.motion(leg, needs)).collect();
        let of_leg = |(index, leg)| run.held(index, leg, needs);
        let held: Vec<Held> = legs.iter().enumerate().flat_map(of_leg).collect();
        let last = frames.len() - 1;
        let is_locked = |frame: usize| {
            frame < 2 && frames.start > 0 || frame + 2 > last && frames.end < clip.n_frames()
        };
        let locked: Vec<bool> = (0..=last).map(is_locked).collect();
        let problem = Problem {
            legs: &motions,
            held: &held,
            root: stiffness.unwrap_or(ROOT),
            moves,
            locked: &locked,
            known: Vec::new(),
            frame_time: clip.frame_time(),
            ease: 1.0,
        };
        let change = problem.solve(None);
        for (frame, root) in root[frames].iter_mut().enumerate() {
            let by = change.root(frame);
            *root = if by.length() > NOTHING { by * unit } else { DVec3::ZERO };
        }
        for (index, leg) in legs.iter().enumerate() {
            run.roll(index, leg, &change, &mut needs[leg.of]);
        }
    }
    root
}

/// Runs of frames in which the root may have to move.
fn runs(clip: &Clip, legs: &[Leg<'_>], needs: &[Need]) -> Vec<Range<usize>> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
    let margin = (MARGIN / clip.frame_time()).clamp(2.0, 1e9) as usize;
    let mut all: Vec<Range<usize>> = legs
        .iter()
        .flat_map(|leg| needs[leg.of].spans.iter().map(|span| &span.frames))
        .map(|frames| {
            frames.start.saturating_sub(margin)..(frames.end + margin).min(clip.n_frames())
        })
        .collect();
    all.sort_by_key(|frames| (frames.start, frames.end));
    all.dedup_by(|next, run| {
        let meets = next.start <= run.end;
        run.end = if meets { run.end.max(next.end) } else { run.end };
        meets
    });
    all
}

/// Frames in which the root may have to move.
struct Run<'a> {
    clip: &'a Clip,
    tracks: &'a Tracks,
    /// The length of a leg.
    unit: f64,
    frames: Range<usize>,
    settings: &'a HoldSettings,
}

impl Run<'_> {
    fn motion(&self, leg: &Leg<'_>, needs: &[Need]) -> LegMotion {
        let foot = |frame| -self.arm(leg.plan, &needs[leg.of], frame).unwrap_or_default();
        let (limb, frames) = ((leg.plan.limb, leg.axis), self.frames.clone());
        LegMotion::new(self.clip, limb, (self.tracks, self.unit), frames, foot)
    }

    /// From the only point that holds a foot to the end of its leg, where the foot may turn about it.
    fn arm(&self, plan: &LimbPlan, need: &Need, frame: usize) -> Option<DVec3> {
        if need.spans.is_empty() {
            return None;
        }
        let point = need.only_point(plan, frame)?;
        let is_free = !matches!(point.target(frame), Target::Pose(_));
        let arm =
            self.tracks.place(frame, plan.limb.end) - self.tracks.frame_place(frame, &point.frame);
        let arm = need.turn(frame).map_or(arm, |turn| turn * arm);
        (is_free && arm.length() > SHORTEST_ARM * self.unit).then_some(arm)
    }

    /// What is held of a leg, frame by frame.
    fn held(&self, index: usize, leg: &Leg<'_>, needs: &[Need]) -> Vec<Held> {
        let (plan, need) = (leg.plan, &needs[leg.of]);
        let mut held = Vec::new();
        for (own, frame) in self.frames.clone().enumerate() {
            let mut hold = |part, place: DVec3, weight| {
                let frames = own..own + 1;
                let (rolls, target, normal) = (frames.clone(), place / self.unit, DVec3::ZERO);
                held.push(Held { leg: index, part, frames, rolls, target, normal, weight });
            };
            let end = self.tracks.place(frame, plan.limb.end);
            if need.holds(frame) {
                let place = end + need.shifts[frame];
                match self.arm(plan, need, frame) {
                    Some(arm) => hold(Part::Ball, place - arm, CONTACT),
                    None => hold(Part::Heel, place, CONTACT),
                }
            } else if self.settings.by_hand {
                let part = 1.0 - held_part(&plan.points, frame);
                hold(Part::Heel, end, STAY * part);
            }
        }
        held
    }

    /// Rolls a foot about the point that holds it, as far as that spares its knee; not where it comes down and lifts off.
    fn roll(&self, index: usize, leg: &Leg<'_>, change: &Change, need: &mut Need) {
        let edge = ROLL_EDGE / self.clip.frame_time();
        let spans = need.spans.clone();
        let inside = spans.iter().map(|span| &span.frames);
        for span in
            inside.filter(|span| span.start >= self.frames.start && span.end <= self.frames.end)
        {
            for frame in span.clone() {
                let Some(arm) = self.arm(leg.plan, need, frame) else { continue };
                let away =
                    |frames: usize, is_end: bool| if is_end { 1.0 } else { frames as f64 / edge };
                let from_start = away(frame - span.start, span.start == 0);
                let to_end = away(span.end - 1 - frame, span.end == self.clip.n_frames());
                let share = at_rest(from_start.min(to_end).min(1.0));
                let turn = change.foot(frame - self.frames.start, index) * share;
                if turn != DVec3::ZERO {
                    need.turn_more(frame, turn, arm);
                }
            }
        }
    }
}
