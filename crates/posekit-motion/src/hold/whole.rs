//! What no limb can hold by itself is held by the whole body, by least squares.

use core::ops::Range;
use std::borrow::Cow;

use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, slerp};
use posekit::skeleton::{JointKind, Skeleton};

use super::joints::{Aim, Column, Goal, HARD, Joints, Problem, columns_of, goals_of, runs_of};
use super::limbs::bring_ends;
use super::plan::{LimbPlan, Plan, Point, Target, held_part};
use super::{Along, reach};
use crate::error::Result;
use crate::space_time::{STRAIGHT_TO_STAY, soft};
use crate::travel::shifted;
use crate::{Clip, Limb};

/// A change comes and goes in about so much time \[s\].
const BLEND: f64 = 0.2;

/// How much feet that are to stay count against what is held.
const STAY: f64 = 0.03;

/// How much of that in the eases of what is held: there the body goes over as evenly as it can.
const EASED: f64 = 0.02;

/// Weight of the root's displacement \[1/reach²\], and of its turns: all of the body goes along with them.
const ROOT: [f64; 2] = [0.2, 3.0];

/// Every column begins with so much: a straight body does not know by itself which way to bend.
const NUDGE: f64 = 1e-3;

/// How far a limb may be straightened for what it holds, as a part of its length; one that is less straight could go farther.
pub(super) const STRAIGHT_TO_HOLD: f64 = 0.9999;

/// The clip with the contacts held that no limb holds, as far as the whole body can.
///
/// # Method
/// In each run of frames in which something is held, and its eases, the smallest and smoothest change of the body is sought with which all holds, and the feet that hold
/// nothing are within reach of where they are in the motion ([`Problem`]).
///
/// Limbs take part with their reach alone, but for those that the body holds something with a part of. Afterwards legs bring their feet, each by itself, to where these are
/// to stay, or as near as they reach, and what limbs hold is made exact by them.
///
/// - `clip`: the motion, in which feet are where they stay
/// - `carried`: the same with its root where limbs need it
pub(super) fn hold((clip, carried): (&Clip, &Clip), plan: &Plan<'_>) -> Result<Clip> {
    let n = clip.skeleton().n_values();
    let mut values = carried.values().to_vec();
    let mut feet: Vec<_> = plan.limbs.iter().map(|limb| (limb, Vec::new())).collect();
    for run in runs_of(clip.n_frames(), &plan.others) {
        let body = Body::new([clip, carried], plan, run.clone());
        let changed = body.changed();
        for (frame, q) in run.clone().zip(&changed) {
            values[frame * n..(frame + 1) * n].copy_from_slice(q);
            let now = clip.skeleton().poses(q);
            for (limb, (_, feet)) in body.limbs.iter().zip(&mut feet) {
                if limb.plan.is_leg && !limb.is_used {
                    feet.push((frame, body.foot(frame, limb.plan, &now)));
                }
            }
        }
    }
    Ok(bring_ends(carried.with_values(values)?, &feet))
}

/// What the whole body is to do in a run of frames.
struct Body<'a> {
    /// The motion, and the same with its root gone along.
    clips: [&'a Clip; 2],
    plan: &'a Plan<'a>,
    frames: Range<usize>,
    limbs: Vec<OfBody<'a>>,
    columns: Vec<Column>,
    /// The longest way along the bones.
    reach: f64,
}

/// A limb of the body.
struct OfBody<'a> {
    plan: &'a LimbPlan,
    /// The body holds something with a part of it.
    is_used: bool,
}

impl<'a> Body<'a> {
    fn new(clips: [&'a Clip; 2], plan: &'a Plan<'a>, frames: Range<usize>) -> Self {
        let skeleton = clips[0].skeleton();
        let is_in_run = |point: &&Point| frames.clone().any(|frame| point.coming(frame) > 0.0);
        let held: Vec<usize> =
            plan.others.iter().filter(is_in_run).map(|point| point.frame.joint).collect();
        let of_body = |limb: &'a LimbPlan| {
            let start = limb.limb.start;
            let is_on = |joint: &usize| skeleton.ancestors(*joint).any(|above| above == start);
            OfBody { plan: limb, is_used: held.iter().any(is_on) }
        };
        let limbs: Vec<OfBody<'a>> = plan.limbs.iter().map(of_body).collect();
        let mut is_column = vec![false; skeleton.n_joints()];
        let ends = limbs.iter().map(|OfBody { plan, is_used }| match is_used {
            true => plan.limb.end,
            // What a limb starts with turns nothing above it.
            false => skeleton.parent(plan.limb.start).unwrap_or(plan.limb.start),
        });
        for joint in held.iter().copied().chain(ends) {
            skeleton.ancestors(joint).for_each(|above| is_column[above] = true);
        }
        let is_free = |joint: &usize| skeleton.kind(*joint) == JointKind::Free;
        let root = plan.root.or_else(|| (0..is_column.len()).find(is_free));
        let mut columns = Vec::new();
        for joint in (0..is_column.len()).filter(|joint| is_column[*joint]) {
            let is_root = root == Some(joint);
            let weights = if is_root { ROOT } else { [0.0, 1.0] };
            columns.extend(columns_of(skeleton, joint, weights, plan.keep));
        }
        Self { clips, plan, frames, limbs, columns, reach: reach(clips[0]) }
    }

    /// The configurations in which all holds.
    fn changed(&self) -> Vec<Vec<f64>> {
        let [clip, carried] = self.clips;
        let problem = Problem {
            joints: Joints::new(clip.skeleton(), &self.columns, self.reach),
            source: self.frames.clone().map(|frame| carried.frame(frame)).collect(),
            goals: self.frames.clone().map(|frame| self.goals(frame)).collect(),
            start: vec![NUDGE; self.columns.len() * self.frames.len()],
            blend: BLEND,
            is_open: [self.frames.start == 0, self.frames.end == clip.n_frames()],
            frame_time: clip.frame_time(),
        };
        problem.configurations()
    }

    /// Poses of the motion, and with its root gone along.
    fn sources(&self, frame: usize) -> [Vec<Pose>; 2] {
        self.clips.map(|clip| clip.skeleton().poses(clip.frame(frame)))
    }

    fn goals(&self, frame: usize) -> Vec<Goal> {
        let sources = self.sources(frame);
        let [_, carried] = &sources;
        let mut goals = Vec::new();
        let holds = |point: &&Point| point.frames.contains(&frame);
        let is_held = self.plan.others.iter().any(|point| holds(&point));
        for point in self.plan.others.iter().filter(holds) {
            goals.extend(goals_of(point, frame));
        }
        for &OfBody { plan, is_used } in &self.limbs {
            let Limb { start, end, .. } = plan.limb;
            for point in plan.points.iter().filter(holds) {
                if is_used {
                    goals.extend(goals_of(point, frame));
                    continue;
                }
                let here = point.frame.world(carried);
                let target = point.target(frame);
                let turn = match target {
                    Target::Pose(pose) => pose.rotation * here.rotation.conjugate(),
                    _ => DQuat::IDENTITY,
                };
                let arm = carried[end].translation - here.translation;
                let place = target.position(here.translation) + turn * arm;
                let most = STRAIGHT_TO_HOLD * length(plan.limb, carried);
                let aim = Aim::Within(place, most);
                goals.push(Goal { joint: start, own: DVec3::ZERO, aim, weight: HARD });
            }
            let (foot, share) = self.stay(frame, plan, &sources);
            if !plan.is_leg || share <= 0.0 {
                continue;
            }
            let mut stay = |joint, aim| {
                let weight = STAY * share * if is_held { 1.0 } else { EASED };
                goals.push(Goal { joint, own: DVec3::ZERO, aim, weight });
            };
            if is_used {
                stay(end, Aim::At(foot.translation));
                stay(end, Aim::Turned(foot.rotation));
            } else {
                let away = carried[start].translation.distance(foot.translation);
                let most = away.max(STRAIGHT_TO_STAY * length(plan.limb, carried));
                stay(start, Aim::Within(foot.translation, most));
            }
        }
        goals
    }

    /// Where the end of a limb is to be in a frame as far as it holds nothing, and how much it counts: where it is in the motion, while the body holds something.
    ///
    /// - `sources`: poses of the motion, and with its root gone along
    fn stay(&self, frame: usize, limb: &LimbPlan, sources: &[Vec<Pose>; 2]) -> (Pose, f64) {
        let share = 1.0 - held_part(&limb.points, frame);
        let [motion, carried] = sources.each_ref().map(|poses| poses[limb.limb.end]);
        let part = share * held_part(&self.plan.others, frame);
        let place = carried.translation.lerp(motion.translation, part);
        (Pose::new(carried.rotation, place), share)
    }

    /// Where a leg is to bring its foot.
    ///
    /// - `now`: the body's poses
    fn foot(&self, frame: usize, limb: &LimbPlan, now: &[Pose]) -> Pose {
        let sources = self.sources(frame);
        let (mut foot, _) = self.stay(frame, limb, &sources);
        let [a, b, c] = limb.limb.joints().map(|joint| sources[1][joint].translation);
        foot.translation = soft((b - a, c - b), now[limb.limb.start].translation, foot.translation);
        foot
    }
}

/// How long a limb is.
fn length(limb: Limb, poses: &[Pose]) -> f64 {
    let [start, mid, end] = limb.joints().map(|joint| poses[joint].translation);
    start.distance(mid) + mid.distance(end)
}

/// Part of the way from a clip to what holding made of it.
///
/// - `solved`: on all of the path, with all of the strength
pub(super) fn blended(
    (clip, solved): (&Clip, &Clip),
    plan: &Plan<'_>,
    along: Along<'_>,
    strength: f64,
) -> Result<Clip> {
    let from = moved(clip, plan, (along.path, along.path_part));
    let solved = moved(solved, plan, (along.path, along.path_part - 1.0));
    if strength >= 1.0 && along.shares.is_empty() {
        return Ok(solved.into_owned());
    }
    let n = clip.skeleton().n_values();
    let mut values = solved.values().to_vec();
    for (frame, q) in values.chunks_exact_mut(n).enumerate() {
        mix(clip.skeleton(), from.frame(frame), strength * along.share(frame), q);
    }
    clip.with_values(values)
}

/// The clip with its root moved by so much of a path.
pub(super) fn moved<'c>(
    clip: &'c Clip,
    plan: &Plan<'_>,
    (path, part): (&[DVec3], f64),
) -> Cow<'c, Clip> {
    match plan.root {
        Some(root) if part != 0.0 && !path.is_empty() => {
            let path: Vec<DVec3> = path.iter().map(|shift| *shift * part).collect();
            Cow::Owned(shifted(clip, root, &path))
        }
        _ => Cow::Borrowed(clip),
    }
}

/// Part of the way from one configuration to another.
fn mix(skeleton: &Skeleton, from: &[f64], part: f64, to: &mut [f64]) {
    for joint in 0..skeleton.n_joints() {
        let range = skeleton.value_range(joint);
        let n_numbers = match skeleton.kind(joint) {
            JointKind::Ball => 0,
            JointKind::Free => 3,
            _ => range.len(),
        };
        let numbers = range.start..range.start + n_numbers;
        for (to, from) in to[numbers.clone()].iter_mut().zip(&from[numbers.clone()]) {
            *to = from + part * (*to - from);
        }
        if let &[x, y, z, w] = &from[numbers.end..range.end] {
            let target = &to[numbers.end..range.end];
            let target = DQuat::from_xyzw(target[0], target[1], target[2], target[3]);
            let mixed = slerp(DQuat::from_xyzw(x, y, z, w), target, part);
            to[numbers.end..range.end].copy_from_slice(&mixed.to_array());
        }
    }
}
