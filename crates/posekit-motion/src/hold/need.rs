//! What the end of a limb must do for its contacts to hold.

use posekit::glam::{DQuat, DVec3};
use posekit::math::{shortest_rotation, so3_exp, so3_log};

use super::ease::{Overshoot, Span, fill, merge};
use super::plan::{LimbPlan, Plan, Point, Target};
use crate::Clip;
use crate::tracks::Tracks;

/// How far a turn may swing over on its way out \[rad\]: what sweeps the other end of a foot by less than viewers see.
const OVERTURN: f64 = 0.01;

/// Stands for no point.
const NONE: u32 = u32::MAX;

/// How the end of a limb must turn and move, frame after frame.
#[derive(Debug, Clone)]
pub(super) struct Need {
    /// Rotation vector in the world that is put on top of the end's rotation; no frames where it never turns.
    pub(super) turns: Vec<DVec3>,
    /// Displacement of the end in the world while something holds, later without the root's part. No frames where nothing holds.
    pub(super) shifts: Vec<DVec3>,
    /// When something holds.
    pub(super) spans: Vec<Span>,
    /// The points that hold in each frame: the first two.
    active: Vec<[u32; 2]>,
    /// Both bones together.
    pub(super) length: f64,
}

impl Need {
    /// The rotation to put on top of the end's.
    #[inline]
    pub(super) fn turn(&self, frame: usize) -> Option<DQuat> {
        let turn = *self.turns.get(frame)?;
        (turn != DVec3::ZERO).then(|| so3_exp(turn))
    }

    /// Turns the end by more, about the point that holds it.
    ///
    /// - `arm`: from there to the end, turned as it is
    pub(super) fn turn_more(&mut self, frame: usize, turn: DVec3, arm: DVec3) {
        let more = so3_exp(turn);
        self.shifts[frame] += more * arm - arm;
        let turn = self.turn(frame).map_or(turn, |before| so3_log(more * before));
        if self.turns.is_empty() {
            self.turns = vec![DVec3::ZERO; self.shifts.len()];
        }
        self.turns[frame] = turn;
    }

    /// Whether something holds in a frame.
    pub(super) fn holds(&self, frame: usize) -> bool {
        self.active.get(frame).is_some_and(|active| *active != [NONE; 2])
    }

    /// The point that holds in a frame, if there is just one.
    pub(super) fn only_point<'a>(&self, plan: &'a LimbPlan, frame: usize) -> Option<&'a Point> {
        match self.active[frame] {
            [index, NONE] => plan.points.get(index as usize),
            _ => None,
        }
    }

    /// The points that hold in a frame.
    pub(super) fn points<'a>(&self, plan: &'a LimbPlan, frame: usize) -> [Option<&'a Point>; 2] {
        self.active[frame].map(|index| plan.points.get(index as usize))
    }

    /// Leaves to the limb what the root does not do.
    pub(super) fn take_off(
        &mut self,
        root: &[DVec3],
        clip: &Clip,
        plan: &Plan<'_>,
        limb: &LimbPlan,
    ) {
        if self.shifts.is_empty() || !is_carried(clip, plan, limb) {
            return;
        }
        for span in &self.spans {
            for frame in span.frames.clone() {
                self.shifts[frame] -= root.get(frame).copied().unwrap_or(DVec3::ZERO);
            }
        }
    }
}

/// Whether a limb moves with the root.
pub(super) fn is_carried(clip: &Clip, plan: &Plan<'_>, limb: &LimbPlan) -> bool {
    plan.root.is_some_and(|root| {
        clip.skeleton().ancestors(limb.limb.start).skip(1).any(|joint| joint == root)
    })
}

/// What a limb's contacts need.
pub(super) fn need(clip: &Clip, limb: &LimbPlan, tracks: &Tracks) -> Need {
    let length = limb.limb.length(clip.skeleton());
    let spans: Vec<Span> = limb.points.iter().filter(|p| !p.frames.is_empty()).map(span).collect();
    let spans = merge(&spans);
    let mut need =
        Need { turns: Vec::new(), shifts: Vec::new(), spans, active: Vec::new(), length };
    if need.spans.is_empty() {
        return need;
    }
    need.active = active(clip.n_frames(), &limb.points);
    need.turns = turns(clip, limb, tracks, &need.active);
    need.shifts = vec![DVec3::ZERO; clip.n_frames()];
    for span in &need.spans {
        for frame in span.frames.clone() {
            need.shifts[frame] = shift(limb, tracks, &need, frame);
        }
    }
    need
}

fn span(point: &Point) -> Span {
    let Point { frames, lead, ease_in, ease_out, .. } = point.clone();
    Span { frames, lead, ease_in, ease_out }
}

/// The first two points that hold in each frame.
fn active(n_frames: usize, points: &[Point]) -> Vec<[u32; 2]> {
    let mut active = vec![[NONE; 2]; n_frames];
    for (index, point) in (0_u32..).zip(points) {
        for pair in &mut active[point.frames.clone()] {
            if let Some(free) = pair.iter_mut().find(|index| **index == NONE) {
                *free = index;
            }
        }
    }
    active
}

/// The turns of the end: what two points or a pose ask for, and on the way there and back.
fn turns(clip: &Clip, limb: &LimbPlan, tracks: &Tracks, active: &[[u32; 2]]) -> Vec<DVec3> {
    let mut turns = Vec::new();
    let mut spans: Vec<Span> = Vec::new();
    for (frame, pair) in active.iter().enumerate() {
        let [first, second] = pair.map(|index| limb.points.get(index as usize));
        let Some(turn) = turn_of(frame, first, second, tracks) else { continue };
        if turns.is_empty() {
            turns = vec![DVec3::ZERO; clip.n_frames()];
        }
        turns[frame] = turn;
        let of_points = |least: bool, of: fn(&Point) -> f64| {
            let values = [first, second].map(|point| point.map(of));
            let [a, b] = values.map(|value| value.or(values[0]).or(values[1]).unwrap_or(0.0));
            if (a < b) == least { a } else { b }
        };
        let lead_out = of_points(true, |point| point.lead[1]);
        let ease_out = of_points(false, |point| point.ease_out);
        // A point that goes on has no lead of its own here.
        let ends =
            |frame: usize| [first, second].into_iter().flatten().any(|p| p.frames.end == frame);
        let begins =
            |frame: usize| [first, second].into_iter().flatten().any(|p| p.frames.start == frame);
        let lead_out = if ends(frame + 1) { lead_out } else { 0.0 };
        match spans.last_mut() {
            Some(span) if frame == span.frames.end => {
                span.frames.end = frame + 1;
                (span.lead[1], span.ease_out) = (lead_out, ease_out);
            }
            _ => {
                let ease_in = of_points(false, |point| point.ease_in);
                let lead_in =
                    if begins(frame) { of_points(true, |point| point.lead[0]) } else { 0.0 };
                let lead = [lead_in, lead_out];
                spans.push(Span { frames: frame..frame + 1, lead, ease_in, ease_out });
            }
        }
    }
    if !turns.is_empty() {
        fill(&mut turns, &spans, clip.frame_time(), Overshoot(OVERTURN));
    }
    turns
}

/// The turn that a frame's points ask for; `None` where they leave it free.
fn turn_of(
    frame: usize,
    first: Option<&Point>,
    second: Option<&Point>,
    tracks: &Tracks,
) -> Option<DVec3> {
    for point in [first, second].into_iter().flatten() {
        if let Target::Pose(target) = point.target(frame) {
            let now = tracks.frame_pose(frame, &point.frame).rotation;
            return Some(so3_log(target.rotation * now.conjugate()));
        }
    }
    let (first, second) = (first?, second?);
    let [a, b] = [first, second].map(|point| tracks.frame_place(frame, &point.frame));
    let wanted = second.target(frame).position(b) - first.target(frame).position(a);
    // Two points at one place say nothing about directions.
    (a != b && wanted != DVec3::ZERO).then(|| so3_log(shortest_rotation(b - a, wanted)))
}

/// The displacement of the end that a frame's points ask for, after its turn.
fn shift(limb: &LimbPlan, tracks: &Tracks, need: &Need, frame: usize) -> DVec3 {
    let end = tracks.place(frame, limb.limb.end);
    let turn = need.turn(frame);
    let miss = |index: u32| {
        let point = limb.points.get(index as usize)?;
        let here = tracks.frame_place(frame, &point.frame);
        let here = turn.map_or(here, |turn| end + turn * (here - end));
        Some(point.target(frame).position(here) - here)
    };
    let [first, second] = need.active[frame].map(miss);
    match (first, second) {
        (Some(first), Some(second)) => 0.5 * (first + second),
        (Some(only), None) | (None, Some(only)) => only,
        (None, None) => DVec3::ZERO,
    }
}
