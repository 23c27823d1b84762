//! What no limb can hold by itself is held by the whole body, by least squares.

use std::borrow::Cow;
use std::sync::Arc;

use glam::{DQuat, DVec3};

use super::plan::{LimbPlan, Plan, Point, Target};
use super::{Along, apply};
use crate::error::Result;
use crate::math::{Pose, exp2, slerp};
use crate::motion::travel::shifted;
use crate::motion::{Clip, Limb};
use crate::skeleton::{Frame, Joint, JointKind, Skeleton};
use crate::solve::{Method, Settings, Workspace};
use crate::task::{Distance, FramePose, Plane, Position, Posture, Task};

/// Iterations a frame. A frame begins where the one before ended, so that few are needed; a jump to another way would be worse than a miss.
const ITERATIONS: u32 = 100;

/// How much what is held counts against feet that are to stay. The more, the less is left to be mended after these were traded; and the more, the
/// narrower the valley that least squares follow.
const HELD: f64 = 30.0;

/// How much the posture of the motion counts against feet that are to stay, a radian of a joint against the reach of the figure. The more, the more smoothly the body goes
/// over where feet come out of reach, and the farther they are from where they could be.
const POSTURE: f64 = 0.001;

/// How much more the root cares for it: all of the body goes along with what moves there.
const CARE_OF_ROOT: f64 = 3.0;

/// As a power of two, how much less what comes to be held counts in the beginning of its ease: less than the posture does.
const COMING: f64 = -18.0;

/// How far a leg may be straightened for its foot to stay, as a part of its length, where it is not straighter in the motion. What the posture takes beyond it the leg has
/// left to reach.
const STRAIGHT_TO_STAY: f64 = 0.993;

/// How far a limb may be straightened for what it holds, as a part of its length.
const STRAIGHT_TO_HOLD: f64 = 0.9999;

/// The clip with the contacts held that no limb holds, as far as the whole body can, and the joints that changed.
///
/// # Method
/// In every frame the pose is sought in which all holds and the feet that hold nothing are within reach of where they are in the motion, the nearest to the motion's. It is
/// the minimum of one sum of squares, which no other frame is part of: so it changes as smoothly as the motion and the targets do, and where feet come out of
/// reach they give way little by little. Targets come and go with the eases of contacts. Then what is held is made exact by the least change.
///
/// Limbs take part with their reach alone. They are put back onto the body as they are in the motion; legs bring their feet, each by itself, to where these are there, or
/// as near as they reach, and what limbs hold is made exact by them afterwards.
///
/// - `clip`: the motion, in which feet are where they stay
/// - `carried`: the same with its root where limbs need it
pub(super) fn hold(clip: &Clip, carried: &Clip, plan: &Plan) -> Result<(Clip, Vec<usize>)> {
    let skeleton = clip.skeleton();
    let n = skeleton.n_values();
    let body = Body::new(skeleton, plan)?;
    let mut values = carried.values().to_vec();
    let settings = tracking();
    let mut workspace = Workspace::default();
    let mut change = vec![0.0; skeleton.n_dofs()];
    let frames: Vec<usize> = (0..clip.n_frames()).filter(|frame| body.is_moved(*frame)).collect();
    let legs = body.limbs.iter().filter(|limb| limb.plan.is_leg && !limb.is_used);
    let legs: Vec<&LimbPlan> = legs.map(|limb| limb.plan).collect();
    let mut feet = Vec::with_capacity(frames.len() * legs.len());
    for (k, &frame) in frames.iter().enumerate() {
        let (source, q) = (carried.frame(frame), &mut values[frame * n..(frame + 1) * n]);
        let goes_on = k > 0 && frames[k - 1] + 1 == frame;
        if goes_on {
            skeleton.integrate(source, &change, q);
        }
        let [before, motion] = [source, clip.frame(frame)].map(|q| skeleton.poses(q));
        let posture = Posture::new(source).caring(Arc::clone(&body.cares));
        let mut rest = body.staying(frame, &before, &motion);
        rest.push(Task::new(posture).weighing(POSTURE));
        let mut origins = Origins { motion: &before, without: Vec::new() };
        for point in body.coming_beside_others(frame) {
            let mut tasks = body.held(frame, &origins, Some(point), None);
            tasks.extend_from_slice(&rest);
            let mut q = q.to_vec();
            body.solve(&mut workspace, &tasks, &settings, &mut q)?;
            origins.without.push((point, skeleton.poses(&q)));
        }
        let mut tasks = body.held(frame, &origins, None, None);
        tasks.append(&mut rest);
        body.solve(&mut workspace, &tasks, &settings, q)?;
        let tasks = body.held(frame, &origins, None, Some(&skeleton.poses(q)));
        body.solve(&mut workspace, &tasks, &settings, q)?;
        skeleton.difference(source, q, &mut change);
        body.put_limbs_back(source, q);
        feet.extend(legs.iter().map(|leg| body.stay(frame, leg, &before, &motion).0));
    }
    let solved = apply::bring_ends(clip.with_values(values)?, &legs, &frames, &feet);
    let is_changed = |joint: &usize| {
        let range = skeleton.value_range(*joint);
        let is_other =
            |frame| clip.frame(frame)[range.clone()] != solved.frame(frame)[range.clone()];
        (0..clip.n_frames()).any(is_other)
    };
    let changed = (0..skeleton.n_joints()).filter(is_changed).collect();
    Ok((solved, changed))
}

/// Least squares that follow a motion.
fn tracking() -> Settings {
    let mut settings = Settings { iterations: ITERATIONS, ..Settings::default() };
    settings.least_squares.restarts = 0;
    settings.least_squares.least_change = false;
    settings
}

/// What the whole body is asked for.
struct Body<'a> {
    /// The figure's joints, and the world's: one that never moves.
    skeleton: Skeleton,
    world: usize,
    plan: &'a Plan,
    limbs: Vec<OfBody<'a>>,
    /// How much each joint cares for the posture of the motion: those that move what is held or a limb's start.
    cares: Arc<[f64]>,
}

/// Where what comes to hold comes from.
struct Origins<'a> {
    /// Poses of the motion's joints.
    motion: &'a [Pose],
    /// Of contacts that come while others hold something: the poses in which these hold without them. From anywhere else they would pull at what holds until they let go
    /// at once.
    without: Vec<(&'a Point, Vec<Pose>)>,
}

impl Origins<'_> {
    fn of(&self, point: &Point, frame: usize) -> &[Pose] {
        let without = self.without.iter().find(|(other, _)| come_along(other, point, frame));
        without.map_or(self.motion, |(_, poses)| poses)
    }
}

/// A limb of the body.
struct OfBody<'a> {
    plan: &'a LimbPlan,
    /// The body holds something with a part of it, so that its joints are the body's.
    is_used: bool,
}

impl OfBody<'_> {
    /// The joints from its end up to its start.
    fn joints<'s>(&self, skeleton: &'s Skeleton) -> impl Iterator<Item = usize> + use<'s> {
        let Limb { start, end, .. } = self.plan.limb;
        skeleton.ancestors(end).take_while(move |joint| *joint != start).chain([start])
    }
}

impl<'a> Body<'a> {
    fn new(skeleton: &Skeleton, plan: &'a Plan) -> Result<Self> {
        let is_above = |joint: usize, below: usize| skeleton.ancestors(below).any(|j| j == joint);
        let of_body = |limb: &'a LimbPlan| {
            let mut points = plan.others.iter();
            let is_used = points.any(|point| is_above(limb.limb.start, point.frame.joint));
            OfBody { plan: limb, is_used }
        };
        let limbs: Vec<OfBody<'a>> = plan.limbs.iter().map(of_body).collect();
        let mut cares = vec![0.0; skeleton.n_joints() + 1];
        let mut care = |joint| skeleton.ancestors(joint).for_each(|joint| cares[joint] = 1.0);
        plan.others.iter().for_each(|point| care(point.frame.joint));
        for limb in &limbs {
            let Limb { start, end, .. } = limb.plan.limb;
            care(if limb.is_used { end } else { start });
        }
        if let Some(root) = plan.root {
            cares[root] *= CARE_OF_ROOT;
        }
        let world = skeleton.n_joints();
        let joint = |joint: usize| Joint {
            name: joint.to_string(),
            parent: skeleton.parent(joint),
            parent_from_joint: skeleton.parent_from_joint(joint),
            kind: skeleton.kind(joint),
            limit: skeleton.limit(joint),
            mimic: skeleton.mimic(joint),
        };
        let joints = (0..world).map(joint).chain([Joint::fixed(world.to_string())]).collect();
        Ok(Self { skeleton: Skeleton::try_new(joints)?, world, plan, limbs, cares: cares.into() })
    }

    /// Whether a frame is to be changed.
    fn is_moved(&self, frame: usize) -> bool {
        self.plan.others.iter().any(|point| coming(point, frame) > 0.0)
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
                return point.target;
            }
            let target = part(point.target, origins.of(point, frame));
            now.map_or(target, |now| part(target, now))
        };
        for point in &self.plan.others {
            let coming = coming_among(&self.plan.others, point, frame);
            if coming > 0.0 && !is_left(point) {
                ask(task(point.frame, target(point, smooth(coming))), coming);
            }
        }
        for OfBody { plan, is_used } in &self.limbs {
            for point in &plan.points {
                let coming = coming_among(&plan.points, point, frame);
                if coming <= 0.0 || is_left(point) {
                    continue;
                }
                let share = smooth(coming);
                if *is_used {
                    ask(task(point.frame, target(point, share)), coming);
                    continue;
                }
                let origin = origins.of(point, frame);
                let (end, here) = (origin[plan.limb.end], point.frame.world(origin));
                let target =
                    if share < 1.0 { point.target.part(share, here) } else { point.target };
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
    /// - `carried`, `motion`: poses of all joints with and without the root gone along
    fn stay(
        &self,
        frame: usize,
        limb: &LimbPlan,
        carried: &[Pose],
        motion: &[Pose],
    ) -> (Pose, f64) {
        let most = |points: &[Point]| {
            smooth(points.iter().map(|point| coming(point, frame)).fold(0.0, f64::max))
        };
        let share = 1.0 - most(&limb.points);
        let [carried, motion] = [carried, motion].map(|poses| poses[limb.limb.end]);
        let part = share * most(&self.plan.others);
        let place = carried.translation.lerp(motion.translation, part);
        (Pose::new(carried.rotation, place), share)
    }

    /// The feet stay where they are to be as far as what is held leaves them.
    fn staying(&self, frame: usize, carried: &[Pose], motion: &[Pose]) -> Vec<Task> {
        let stay = |limb: &OfBody<'_>| {
            let Limb { start, end, .. } = limb.plan.limb;
            let (foot, share) = self.stay(frame, limb.plan, carried, motion);
            let task: Task = if limb.is_used {
                FramePose::new(Frame::new(end, Pose::IDENTITY), foot).into()
            } else {
                let own = carried[start].translation.distance(foot.translation);
                let most = STRAIGHT_TO_STAY * length(limb.plan.limb, carried);
                self.within(start, foot.translation, most.max(own))
            };
            task.weighing(share)
        };
        self.limbs.iter().filter(|limb| limb.plan.is_leg).map(stay).collect()
    }

    /// A joint is no farther from a point than this.
    fn within(&self, joint: usize, point: DVec3, most: f64) -> Task {
        let point = Frame::new(self.world, Pose::from_translation(point));
        Distance::between([Frame::new(joint, Pose::IDENTITY), point], 0.0, most).into()
    }

    /// Goes from a configuration to one nearby in which some tasks hold.
    fn solve(
        &self,
        workspace: &mut Workspace,
        tasks: &[Task],
        settings: &Settings,
        q: &mut [f64],
    ) -> Result<()> {
        workspace.begin(&self.skeleton, q, tasks, Method::LeastSquares, settings)?;
        workspace.run();
        q.copy_from_slice(&workspace.solution().configuration);
        Ok(())
    }

    /// Puts the limbs that the body does not use back as they are in the motion.
    fn put_limbs_back(&self, source: &[f64], q: &mut [f64]) {
        for limb in self.limbs.iter().filter(|limb| !limb.is_used) {
            for joint in limb.joints(&self.skeleton) {
                let range = self.skeleton.value_range(joint);
                q[range.clone()].copy_from_slice(&source[range]);
            }
        }
    }
}

/// How long a limb is.
fn length(limb: Limb, poses: &[Pose]) -> f64 {
    let [start, mid, end] = [limb.start, limb.mid, limb.end].map(|joint| poses[joint].translation);
    start.distance(mid) + mid.distance(end)
}

/// How far in its ease a contact is in a frame: 1 while it holds, 0 where it does not yet or no more.
fn coming(point: &Point, frame: usize) -> f64 {
    let (away, ease) = if frame < point.frames.start {
        ((point.frames.start - frame) as f64, point.ease_in)
    } else if frame >= point.frames.end {
        ((frame + 1 - point.frames.end) as f64, point.ease_out)
    } else {
        return 1.0;
    };
    let coming = 1.0 - away / (ease + 1.0);
    if coming > 0.0 && !point.frames.is_empty() { coming } else { 0.0 }
}

/// The same, where another contact of the same point holds before or after: what comes gives way to what holds.
fn coming_among(points: &[Point], point: &Point, frame: usize) -> f64 {
    let own = coming(point, frame);
    if own <= 0.0 || own >= 1.0 {
        return own;
    }
    let is_apart = |other: &&Point| other.frame == point.frame && !come_along(other, point, frame);
    let others = points.iter().filter(is_apart).map(|other| coming(other, frame));
    let other = others.fold(0.0, f64::max);
    own * (1.0 - other) / (1.0 - own * other)
}

/// Whether contacts begin, or end, at one time that a frame is beyond.
fn come_along(a: &Point, b: &Point, frame: usize) -> bool {
    let (a, b) = (&a.frames, &b.frames);
    frame < a.start && a.start == b.start || frame >= a.end && a.end == b.end
}

/// From 0 at 0 to 1 at 1, at rest at both.
fn smooth(t: f64) -> f64 {
    t * t * t * (10.0 - 15.0 * t + 6.0 * t * t)
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
