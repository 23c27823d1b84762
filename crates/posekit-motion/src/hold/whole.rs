//! What no limb can hold by itself is held by the whole body, by least squares.

use core::ops::Range;
use std::borrow::Cow;
use std::sync::Arc;

use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, slerp};
use posekit::skeleton::{Frame, Joint, JointKind, Skeleton};
use posekit::task::{Distance, FramePose, Miss, Plane, Position, Posture, Task};

use super::course::Course;
use super::free::{STRAIGHT_TO_STAY, soft};
use super::plan::{LimbPlan, Plan, Point, Target, at_rest, held_part};
use super::{Along, apply, reach};
use crate::error::Result;
use crate::power::exp2;
use crate::travel::shifted;
use crate::{Clip, Limb};

/// How much what is held counts against feet that are to stay. The more, the less is left to be mended after these were traded; and the more, the
/// narrower the valley that least squares follow.
const HELD: f64 = 30.0;

/// How much the posture of the motion counts against feet that are to stay, a radian of a joint against the reach of the figure. The more, the more smoothly the body goes
/// over where feet come out of reach, and the farther they are from where they could be.
const POSTURE: f64 = 0.001;

/// What a radian counts like, as a part of the reach of the figure. With less, a body that is held at several points jumps from frame to frame: by 0.16 legs with 2, by 0.26 with 1,
/// in a clip whose legs move by less than 0.15 with 4.
const RADIAN: f64 = 4.0;

/// How much more the root cares for it: all of the body goes along with what moves there.
const CARE_OF_ROOT: f64 = 3.0;

/// As a power of two, how much less what comes to be held counts in the beginning of its ease: less than the posture does.
const COMING: f64 = -18.0;

/// How far a limb may be straightened for what it holds, as a part of its length.
const STRAIGHT_TO_HOLD: f64 = 0.9999;

/// The body comes and goes in no less than about six times this \[s\]: short against a step.
const SMOOTHING: f64 = 0.037;

/// How often the course is smoothed, and what is held put back on it.
const PASSES: usize = 2;

/// What each joint counts where it is as what is held comes to be exact, like [`POSTURE`], to begin with.
const SETTLING: f64 = 0.01;

/// Steps in which what is held comes to be exact, as far as it can.
const SETTLING_STEPS: usize = 3;

/// A miss that is none, as a part of the figure's reach.
const EXACT: f64 = 1e-6;

/// By how much of its length a leg that smoothing took out of its foot's reach comes back, each time.
const BACK_IN_REACH: f64 = 0.005;

/// The clip with the contacts held that no limb holds, as far as the whole body can.
///
/// # Method
/// In every frame the pose is sought in which all holds and the feet that hold nothing are within reach of where they are in the motion, the nearest to the motion's. It is
/// the minimum of one sum of squares: so it changes as smoothly as the motion and the targets do, and where feet come out of reach they give way little by little. But
/// from one frame to the next another minimum may come to be the least. So the course of the change over time is smoothed ([`Course::smooth`]), and what is held put back on
/// it by a small change, in turns. Targets come and go with the eases of contacts.
///
/// What is held is made exact as long as the same contacts hold and all of them can. Where they cannot, no joint goes far for the last millimetre: joints resist the more,
/// the more is missed, as in \[sugihara11\].
///
/// Limbs take part with their reach alone. They are put back onto the body as they are in the motion; legs bring their feet, each by itself, to where these are there, or
/// as near as they reach, and what limbs hold is made exact by them afterwards.
///
/// - `clip`: the motion, in which feet are where they stay
/// - `carried`: the same with its root where limbs need it
pub(super) fn hold((clip, carried): (&Clip, &Clip), plan: &Plan) -> Result<Clip> {
    let frames: Vec<usize> = (0..clip.n_frames()).filter(|frame| is_moved(plan, *frame)).collect();
    let body = Body::new([clip, carried], plan, &frames)?;
    let mut course = Course::new(&body.skeleton, carried, frames);
    let mut origins = Vec::with_capacity(course.frames().len());
    for (k, beside) in course.order() {
        if let Some(beside) = beside {
            course.follow(k, beside);
        }
        origins.push((k, body.seek(&mut course, k)?));
    }
    origins.sort_unstable_by_key(|(k, _)| *k);
    let origins: Vec<Origins<'_>> = origins.into_iter().map(|(_, origins)| origins).collect();
    for _ in 0..PASSES {
        course.smooth(SMOOTHING);
        for (k, origins) in origins.iter().enumerate() {
            body.settle(&mut course, k, origins)?;
        }
        body.make_exact(&mut course, &origins)?;
    }
    let feet = body.let_limbs_go(&mut course);
    Ok(apply::bring_ends(course.into_clip()?, &feet))
}

/// What the whole body is asked for.
struct Body<'a> {
    /// The motion, and the same with its root gone along.
    clips: [&'a Clip; 2],
    /// The figure's joints, and the world's: one that never moves.
    skeleton: Skeleton,
    world: usize,
    plan: &'a Plan,
    limbs: Vec<OfBody<'a>>,
    /// How much each joint cares for the posture of the motion: those that move what is held or a limb's start.
    cares: Arc<[f64]>,
    /// The longest way along the bones.
    reach: f64,
}

/// Where what comes to hold comes from.
struct Origins<'a> {
    /// Poses of the motion's joints.
    motion: Vec<Pose>,
    /// Of contacts that come while others hold something: the poses in which these hold without them. From anywhere else they would pull at what holds until they let go
    /// at once.
    without: Vec<(&'a Point, Vec<Pose>)>,
}

impl Origins<'_> {
    fn of(&self, point: &Point, frame: usize) -> &[Pose] {
        let without = self.without.iter().find(|(other, _)| come_along(other, point, frame));
        without.map_or(&self.motion, |(_, poses)| poses)
    }
}

/// A limb of the body.
struct OfBody<'a> {
    plan: &'a LimbPlan,
    /// The runs of frames in which the body holds something with a part of it.
    used: Vec<Range<usize>>,
}

impl OfBody<'_> {
    /// Whether its joints are the body's in a frame.
    fn is_used(&self, frame: usize) -> bool {
        self.used.iter().any(|run| run.contains(&frame))
    }

    /// The joints from its end up to its start.
    fn joints<'s>(&self, skeleton: &'s Skeleton) -> impl Iterator<Item = usize> + use<'s> {
        let Limb { start, end, .. } = self.plan.limb;
        skeleton.ancestors(end).take_while(move |joint| *joint != start).chain([start])
    }
}

impl<'a> Body<'a> {
    /// - `moved`: the frames in which it is to be changed
    fn new(clips: [&'a Clip; 2], plan: &'a Plan, moved: &[usize]) -> Result<Self> {
        let clip = clips[0];
        let skeleton = clip.skeleton();
        let runs: Vec<Range<usize>> =
            moved.chunk_by(|a, b| a + 1 == *b).map(|run| run[0]..run[run.len() - 1] + 1).collect();
        let is_above = |joint: usize, below: usize| skeleton.ancestors(below).any(|j| j == joint);
        let of_body = |limb: &'a LimbPlan| {
            let is_on = |point: &&Point| is_above(limb.limb.start, point.frame.joint);
            let uses: Vec<&Point> = plan.others.iter().filter(is_on).collect();
            let comes = |frame| uses.iter().any(|point| point.coming(frame) > 0.0);
            let runs = runs.iter().filter(|run| Range::clone(run).any(comes));
            OfBody { plan: limb, used: runs.cloned().collect() }
        };
        let limbs: Vec<OfBody<'a>> = plan.limbs.iter().map(of_body).collect();
        let mut cares = vec![0.0; skeleton.n_joints() + 1];
        let mut care = |joint| skeleton.ancestors(joint).for_each(|joint| cares[joint] = 1.0);
        plan.others.iter().for_each(|point| care(point.frame.joint));
        for limb in &limbs {
            let Limb { start, end, .. } = limb.plan.limb;
            care(if limb.used.is_empty() { start } else { end });
        }
        if let Some(root) = plan.root {
            cares[root] *= CARE_OF_ROOT;
        }
        let world = skeleton.n_joints();
        let joint = |index: usize| {
            let mut joint = skeleton.joint(index);
            joint.name = index.to_string();
            joint
        };
        let joints = (0..world).map(joint).chain([Joint::fixed(world.to_string())]).collect();
        let skeleton = Skeleton::try_new(joints)?;
        Ok(Self { clips, skeleton, world, plan, limbs, cares: cares.into(), reach: reach(clip) })
    }

    /// What comes to hold, or ceases to, in a frame in which something else holds, too: one contact of those that come along with each other.
    fn coming_beside_others(&self, frame: usize) -> Vec<&'a Point> {
        let of_limbs = self.limbs.iter().map(|limb| &limb.plan.points);
        let lists = [&self.plan.others].into_iter().chain(of_limbs);
        let points = lists.flat_map(|points| {
            points.iter().map(move |point| (point, coming_among(points, point, frame)))
        });
        let points: Vec<(&Point, f64)> = points.filter(|(_, coming)| *coming > 0.0).collect();
        let mut coming: Vec<&Point> = Vec::new();
        for &(point, share) in &points {
            let is_alone = || points.iter().all(|(other, _)| come_along(other, point, frame));
            let is_known = || coming.iter().any(|other| come_along(other, point, frame));
            if share < 1.0 && !is_known() && !is_alone() {
                coming.push(point);
            }
        }
        coming
    }

    /// What holds in a frame, and what comes to hold by so much of its way.
    ///
    /// - `origins`: where what comes to hold comes from
    /// - `but`: what is left out with all that comes along with it
    /// - `now`: poses to go on from, with all that holds as hard as it can; none for what comes to hold to count little by little
    fn held(
        &self,
        frame: usize,
        origins: &Origins<'_>,
        but: Option<&Point>,
        now: Option<&[Pose]>,
    ) -> Vec<Task> {
        let mut tasks = Vec::new();
        let is_left = |point: &Point| but.is_some_and(|but| come_along(but, point, frame));
        let mut ask = |kind: Task, coming: f64| {
            let away = (1.0 - coming) * (1.0 - coming);
            let weight = if now.is_some() { 1.0 } else { HELD * exp2(COMING * away * away) };
            tasks.push(kind.weighing(weight));
        };
        let target = |point: &Point, share: f64| {
            let part = |target: Target, poses| target.part(share, point.frame.world(poses));
            if share >= 1.0 {
                return point.target(frame);
            }
            let target = part(point.target(frame), origins.of(point, frame));
            now.map_or(target, |now| part(target, now))
        };
        for point in &self.plan.others {
            let coming = coming_among(&self.plan.others, point, frame);
            if coming > 0.0 && !is_left(point) {
                ask(task(point.frame, target(point, at_rest(coming))), coming);
            }
        }
        for limb in &self.limbs {
            let (plan, is_used) = (limb.plan, limb.is_used(frame));
            for point in &plan.points {
                let coming = coming_among(&plan.points, point, frame);
                if coming <= 0.0 || is_left(point) {
                    continue;
                }
                let share = at_rest(coming);
                if is_used {
                    ask(task(point.frame, target(point, share)), coming);
                    continue;
                }
                let origin = origins.of(point, frame);
                let (end, here) = (origin[plan.limb.end], point.frame.world(origin));
                let target = if share < 1.0 {
                    point.target(frame).part(share, here)
                } else {
                    point.target(frame)
                };
                let turn = match target {
                    Target::Pose(pose) => pose.rotation * here.rotation.conjugate(),
                    _ => DQuat::IDENTITY,
                };
                let goal =
                    target.position(here.translation) + turn * (end.translation - here.translation);
                let mut most = STRAIGHT_TO_HOLD * length(plan.limb, origin);
                if let Some(now) = now {
                    let now = now[plan.limb.start].translation.distance(goal);
                    most = most.max(now + share * (most - now));
                }
                ask(self.within(plan.limb.start, goal, most), coming);
            }
        }
        tasks
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

    /// The feet stay where they are to be as far as what is held leaves them.
    ///
    /// - `sources`: poses of the motion, and with its root gone along
    /// - `now`: poses to go on from, to others in which feet that are a little out of reach come within it
    fn staying(&self, frame: usize, sources: &[Vec<Pose>; 2], now: Option<&[Pose]>) -> Vec<Task> {
        let mut tasks = Vec::new();
        for limb in self.limbs.iter().filter(|limb| limb.plan.is_leg) {
            let Limb { start, end, .. } = limb.plan.limb;
            let (foot, share) = self.stay(frame, limb.plan, sources);
            let task: Task = if !limb.is_used(frame) {
                let carried = &sources[1];
                let away = |poses: &[Pose]| poses[start].translation.distance(foot.translation);
                let length = length(limb.plan.limb, carried);
                let most = away(carried).max(STRAIGHT_TO_STAY * length);
                let back = now.map_or(0.0, |now| away(now) - BACK_IN_REACH * length);
                self.within(start, foot.translation, most.max(back))
            } else if now.is_none() {
                FramePose::new(Frame::new(end, Pose::IDENTITY), foot).into()
            } else {
                continue;
            };
            tasks.push(task.weighing(share));
        }
        tasks
    }

    /// Poses of the motion, and with its root gone along.
    fn sources(&self, frame: usize) -> [Vec<Pose>; 2] {
        self.clips.map(|clip| self.skeleton.poses(clip.frame(frame)))
    }

    /// A joint is no farther from a point than this.
    fn within(&self, joint: usize, point: DVec3, most: f64) -> Task {
        let point = Frame::new(self.world, Pose::from_translation(point));
        Distance::between([Frame::new(joint, Pose::IDENTITY), point], 0.0, most).into()
    }

    /// Near a configuration, with so much weight.
    fn near(&self, q: &[f64], weight: f64) -> Task {
        let posture = Posture::new(q).caring(Arc::clone(&self.cares));
        Task::new(posture.with_radian(RADIAN * self.reach)).weighing(weight)
    }

    /// Seeks the pose of the `k`th frame near the motion's, and tells where what comes to hold in it comes from.
    fn seek(&self, course: &mut Course<'_>, k: usize) -> Result<Origins<'a>> {
        let frame = course.frames()[k];
        let sources = self.sources(frame);
        let staying = self.staying(frame, &sources, None);
        let near = self.near(self.clips[1].frame(frame), POSTURE);
        let rest = || staying.iter().cloned().chain([near.clone()]);
        let [_, carried] = sources;
        let mut origins = Origins { motion: carried, without: Vec::new() };
        for point in self.coming_beside_others(frame) {
            let mut tasks = self.held(frame, &origins, Some(point), None);
            tasks.extend(rest());
            origins.without.push((point, course.poses_after(k, &tasks)?));
        }
        let mut tasks = self.held(frame, &origins, None, None);
        tasks.extend(rest());
        course.solve(k, &tasks)?;
        Ok(origins)
    }

    /// Goes on to where what is held is exact, or no joint gains much by it.
    fn settle(&self, course: &mut Course<'_>, k: usize, origins: &Origins<'_>) -> Result<()> {
        let (frame, now) = (course.frames()[k], course.poses(k));
        let mut tasks = self.held(frame, origins, None, Some(&now));
        let n_held = tasks.len();
        tasks.extend(self.staying(frame, &self.sources(frame), Some(&now)));
        let n = tasks.len();
        let mut weight = SETTLING;
        for _ in 0..SETTLING_STEPS {
            tasks.truncate(n);
            tasks.push(self.near(course.now(k), weight));
            let missed = self.largest(&course.solve(k, &tasks)?[..n_held]) / self.reach;
            weight = weight.min(missed);
        }
        Ok(())
    }

    /// The largest miss; a radian counts like the reach.
    fn largest(&self, misses: &[Miss]) -> f64 {
        let size = |miss: &Miss| miss.distance + miss.angle * self.reach;
        misses.iter().map(size).fold(0.0, f64::max)
    }

    /// Makes exact what is held, while the same holds and all of it can be.
    fn make_exact(&self, course: &mut Course<'_>, origins: &[Origins<'_>]) -> Result<()> {
        let frames = course.frames().to_vec();
        let is_same = |a: &usize, b: &usize| a + 1 == *b && self.holding(*a).eq(self.holding(*b));
        let mut first = 0;
        for same in frames.chunk_by(is_same) {
            let all = first..first + same.len();
            first = all.end;
            if self.holding(same[0]).next().is_none() {
                continue;
            }
            let before: Vec<Vec<f64>> = all.clone().map(|k| course.now(k).to_vec()).collect();
            for k in all.clone() {
                let poses = course.poses(k);
                let tasks = self.held(course.frames()[k], &origins[k], None, Some(&poses));
                if self.largest(course.solve(k, &tasks)?) > EXACT * self.reach {
                    all.clone().zip(&before).for_each(|(k, q)| course.set(k, q));
                    break;
                }
            }
        }
        Ok(())
    }

    /// Which contacts hold in a frame.
    fn holding(&self, frame: usize) -> impl Iterator<Item = usize> {
        let of_limbs = self.plan.limbs.iter().map(|limb| &limb.points);
        let points = [&self.plan.others].into_iter().chain(of_limbs).flatten();
        points.filter(move |point| point.frames.contains(&frame)).map(|point| point.contact)
    }

    /// Puts the limbs that the body does not use back as they are in the motion, and tells where legs are to bring their feet, in which frames.
    fn let_limbs_go(&self, course: &mut Course<'_>) -> Vec<(&'a LimbPlan, Vec<(usize, Pose)>)> {
        let mut feet: Vec<_> = self.limbs.iter().map(|limb| (limb.plan, Vec::new())).collect();
        for k in 0..course.frames().len() {
            let frame = course.frames()[k];
            let sources = self.sources(frame);
            let now = course.poses(k);
            for (limb, (_, feet)) in self.limbs.iter().zip(&mut feet) {
                if limb.is_used(frame) {
                    continue;
                }
                limb.joints(&self.skeleton).for_each(|joint| course.put_back(k, joint));
                if limb.plan.is_leg {
                    let (mut foot, _) = self.stay(frame, limb.plan, &sources);
                    let Limb { start, mid, end } = limb.plan.limb;
                    let own = [start, mid, end].map(|joint| sources[1][joint].translation);
                    foot.translation = soft(own, now[start].translation, foot.translation);
                    feet.push((frame, foot));
                }
            }
        }
        feet
    }
}

/// How long a limb is.
fn length(limb: Limb, poses: &[Pose]) -> f64 {
    let [start, mid, end] = limb.joints().map(|joint| poses[joint].translation);
    start.distance(mid) + mid.distance(end)
}

/// Whether the body is to be changed in a frame.
fn is_moved(plan: &Plan, frame: usize) -> bool {
    plan.others.iter().any(|point| point.coming(frame) > 0.0)
}

/// How far in its ease a contact is, where another of the same point holds before or after: what comes gives way to what holds.
fn coming_among(points: &[Point], point: &Point, frame: usize) -> f64 {
    let own = point.coming(frame);
    if own <= 0.0 || own >= 1.0 {
        return own;
    }
    let is_apart = |other: &&Point| other.frame == point.frame && !come_along(other, point, frame);
    let others = points.iter().filter(is_apart).map(|other| other.coming(frame));
    let other = others.fold(0.0, f64::max);
    own * (1.0 - other) / (1.0 - own * other)
}

/// Whether contacts begin, or end, at one time that a frame is beyond.
fn come_along(a: &Point, b: &Point, frame: usize) -> bool {
    let (a, b) = (&a.frames, &b.frames);
    frame < a.start && a.start == b.start || frame >= a.end && a.end == b.end
}

fn task(frame: Frame, target: Target) -> Task {
    match target {
        Target::Position(target) => Position::new(frame, target).into(),
        Target::Pose(target) => FramePose::new(frame, target).into(),
        Target::Surface(on, normal) => Plane::new(frame, on, normal).into(),
    }
}

/// Part of the way from a clip to what holding made of it.
///
/// - `solved`: on all of the path, with all of the strength
pub(super) fn blended(
    (clip, solved): (&Clip, &Clip),
    plan: &Plan,
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
    plan: &Plan,
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
