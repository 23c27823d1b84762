//! What limbs hold by themselves: columns of the least squares over all frames that [`space_time`](crate::space_time) states. Legs are solved together with the root that carries
//! them, then each arm on the root where it is: what an arm does not reach is held by the whole body.
//!
//! A limb is free to change while it holds something and in the eases around that; legs all along where their feet are to stay. Where its joints turn about few axes, what is found
//! here is what the least squares over these begin with ([`few`](super::few)).

use core::ops::Range;

use posekit::glam::DVec3;
use posekit::math::{Pose, so3_log};

use super::few::{Few, Start};
use super::plan::{LimbPlan, Plan, Point, Target, at_rest, joints_of, positions};
use super::{HoldSettings, moves_in_world};
use crate::Clip;
use crate::bend::stretch_joint;
use crate::metrics::median;
use crate::space_time::{CONTACT, Change, Held, LegMotion, OF_LEG, Problem, STAY};
use crate::tracks::Tracks;
use crate::travel::shifted;

/// How long before and after a contact the root comes along with it at least \[s\]: by then its displacement is a four-hundredth of what it was.
const MARGIN: f64 = 0.67;

/// What is missed by no more holds already \[limb lengths, rad\], and a displacement of the root by no more is none.
const NOTHING: f64 = 1e-10;

/// How many times slower a limb blends in the eases of what it holds: there nothing but smoothness counts.
const EASED: f64 = 3.0;

/// So many frames at each end of a run keep every bit: what changes between them begins and ends at rest.
const LOCKED: usize = 2;

/// Bones that would become longer by no more than this part of their length keep it: what is missed by less holds.
const LEAST_GROWTH: f64 = 5e-5;

/// The limbs of a plan.
#[derive(Clone, Copy)]
pub(super) struct Limbs<'a> {
    pub(super) clip: &'a Clip,
    pub(super) plan: &'a Plan<'a>,
    pub(super) settings: &'a HoldSettings,
    /// The root goes along with legs.
    pub(super) root_moves: bool,
}

/// Limbs that are solved together: the legs on the root, or one limb.
struct Group<'a> {
    limbs: Limbs<'a>,
    tracks: &'a Tracks,
    /// Which of the plan's, each with the axis that it mostly bends about.
    members: Vec<(usize, DVec3)>,
    moves: [bool; 3],
    /// The length of a limb.
    unit: f64,
}

/// What comes of it.
struct Outcome {
    values: Vec<f64>,
    /// The displacement of the root.
    root: Vec<DVec3>,
    /// Of each limb of few turns the frames in which it may change, with what would do if its joints were balls.
    few: Vec<Vec<Start>>,
}

/// What the limbs of a group do in some frames.
struct Task {
    frames: Range<usize>,
    /// Of each limb, frame after frame, how far the nearest contact is in its ease.
    coming: Vec<Vec<f64>>,
    /// The parts of a [`Problem`].
    eases: Vec<f64>,
    motions: Vec<LegMotion>,
    held: Vec<Held>,
    known: Vec<(usize, f64)>,
}

impl<'a> Limbs<'a> {
    /// The clip in which they hold, as far as they reach.
    ///
    /// - `share`: how much of the correction is applied in a frame
    pub(super) fn hold(self, share: impl Fn(usize) -> f64) -> Clip {
        let Self { clip, plan, .. } = self;
        let tracks = Tracks::new(clip, &joints_of(plan));
        let mut outcome = Outcome {
            values: clip.values().to_vec(),
            root: vec![DVec3::ZERO; clip.n_frames()],
            few: vec![Vec::new(); plan.limbs.len()],
        };
        for group in self.groups(&tracks) {
            for frames in group.runs() {
                group.hold(frames, &mut outcome, &share);
            }
        }
        let Outcome { mut values, root, few } = outcome;
        let displaced = |root: &[DVec3], clip: &Clip| match plan.root {
            Some(joint) if root.iter().any(|by| *by != DVec3::ZERO) => shifted(clip, joint, root),
            _ => clip.clone(),
        };
        let n = clip.skeleton().n_values();
        for (limb, starts) in plan.limbs.iter().zip(&few).filter(|(_, starts)| !starts.is_empty()) {
            let Some(columns) = &limb.columns else { continue };
            let few = Few { clip: &displaced(&root, clip), limb, columns };
            for (frame, mut change) in few.hold(starts) {
                change.iter_mut().for_each(|x| *x *= share(frame));
                let q = &mut values[frame * n..(frame + 1) * n];
                let changed = few.joints().changed(q, &change);
                q.copy_from_slice(&changed);
            }
        }
        let shared: Vec<DVec3> =
            root.iter().enumerate().map(|(frame, by)| *by * share(frame)).collect();
        let joints: Vec<usize> = plan.limbs.iter().flat_map(|plan| plan.limb.joints()).collect();
        displaced(&shared, &clip.with_edited(values, &joints))
    }

    /// The legs that the root carries are solved together, others by themselves, after them.
    fn groups(self, tracks: &'a Tracks) -> Vec<Group<'a>> {
        let Self { clip, plan, root_moves, .. } = self;
        let skeleton = clip.skeleton();
        let (legs, others): (Vec<usize>, Vec<usize>) = (0..plan.limbs.len())
            .partition(|k| plan.limbs[*k].is_leg && plan.carries(skeleton, plan.limbs[*k].limb));
        let all = [legs].into_iter().chain(others.into_iter().map(|limb| vec![limb]));
        let group = |(k, members): (usize, Vec<usize>)| {
            let lengths = members.iter().map(|k| plan.limbs[*k].limb.length(skeleton));
            let length = lengths.sum::<f64>() / members.len() as f64;
            let unit = if length > 0.0 { length } else { 1.0 };
            let root = plan.root.filter(|_| root_moves && k == 0);
            let moves = root.map_or([false; 3], |root| moves_in_world(plan.keep, skeleton, root));
            let members =
                members.into_iter().map(|k| (k, plan.limbs[k].usual_axis(clip, tracks))).collect();
            Group { limbs: self, tracks, members, moves, unit }
        };
        all.enumerate().filter(|(_, members)| !members.is_empty()).map(group).collect()
    }
}

impl<'a> Group<'a> {
    fn limb(&self, member: usize) -> &'a LimbPlan {
        &self.limbs.plan.limbs[self.members[member].0]
    }

    /// Whether feet that hold nothing stay where they are.
    fn stays(&self) -> bool {
        self.limbs.settings.by_hand && self.moves != [false; 3]
    }

    /// Runs of frames in which its limbs may change.
    fn runs(&self) -> Vec<Range<usize>> {
        let Limbs { clip, .. } = self.limbs;
        let margin = if self.moves == [false; 3] { 0.0 } else { MARGIN / clip.frame_time() };
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
        let margin = margin.min(1e9) as usize;
        let around = |point: &Point| {
            let (eased, held) = (point.eased(), &point.frames);
            let first = eased.start.min(held.start.saturating_sub(margin)).saturating_sub(LOCKED);
            let end = eased.end.max(held.end + margin).saturating_add(LOCKED);
            first..end.min(clip.n_frames())
        };
        let points = (0..self.members.len()).flat_map(|member| &self.limb(member).points);
        let mut runs: Vec<Range<usize>> =
            points.filter(|point| !point.frames.is_empty()).map(around).collect();
        runs.sort_by_key(|frames| (frames.start, frames.end));
        runs.dedup_by(|next, run| {
            let meets = next.start <= run.end;
            run.end = if meets { run.end.max(next.end) } else { run.end };
            meets
        });
        runs
    }

    /// Holds in a run of frames.
    fn hold(&self, frames: Range<usize>, outcome: &mut Outcome, share: impl Fn(usize) -> f64) {
        let Limbs { clip, settings, .. } = self.limbs;
        let skeleton = clip.skeleton();
        let mut task = self.task(frames.clone(), &outcome.root);
        if self.holds_already(&task.problem(self)) {
            return;
        }
        // Where the root goes along, limbs alone are no start.
        let start = (self.moves == [false; 3]).then(|| task.problem(self).start());
        let mut change = task.problem(self).solve(start.as_ref());
        let growths = match settings.max_stretch > 0.0 {
            true => self.grow(&mut task, &change),
            false => vec![Vec::new(); self.members.len()],
        };
        if growths.iter().any(|growth| !growth.is_empty()) {
            task.know_root((0..frames.len()).map(|own| change.root(own)));
            change = task.problem(self).solve(Some(&change));
        }
        let problem = task.problem(self);
        let holding = problem.holding();
        let n_members = self.members.len();
        for (own, frame) in frames.enumerate() {
            if self.moves != [false; 3] {
                let by = change.root(own);
                outcome.root[frame] =
                    if by.length() > NOTHING { by * self.unit } else { DVec3::ZERO };
            }
            let q = &mut outcome.values[frame * skeleton.n_values()..][..skeleton.n_values()];
            for (member, growth) in growths.iter().enumerate() {
                if task.eases[own * (1 + n_members) + 1 + member] == 0.0 {
                    continue;
                }
                let LimbPlan { limb, ref columns, .. } = *self.limb(member);
                let holding = &holding[own * n_members + member];
                if columns.is_some() {
                    let found = problem.finished(&change, (own, member), holding, 1.0);
                    let end = task.motions[member].end(own, change.root(own), &found) * self.unit;
                    let stays = self.stays() && task.coming[member][own] == 0.0;
                    let start = Start { frame, change: found, stays: stays.then_some(end) };
                    outcome.few[self.members[member].0].push(start);
                    continue;
                }
                let share = share(frame);
                let found = problem.finished(&change, (own, member), holding, share);
                if !found.is_nothing() {
                    let rotations =
                        limb.joints().map(|joint| self.tracks.pose(frame, joint).rotation);
                    found.write(skeleton, limb, rotations, q);
                }
                if let Some(growth) = growth.get(own).filter(|growth| **growth > 0.0) {
                    let factor = 1.0 + growth * share;
                    stretch_joint(skeleton, limb.mid, factor, q);
                    stretch_joint(skeleton, limb.end, factor, q);
                }
            }
        }
    }

    /// Whether nothing need change.
    fn holds_already(&self, problem: &Problem<'_>) -> bool {
        problem.known.iter().all(|(_, x)| x.abs() <= NOTHING) && problem.farthest() <= NOTHING
    }

    /// What its limbs are to do.
    ///
    /// - `root`: the displacement of the root, on which limbs are that are solved by themselves
    fn task(&self, frames: Range<usize>, root: &[DVec3]) -> Task {
        let Limbs { clip, plan, .. } = self.limbs;
        let (n_frames, n_members) = (frames.len(), self.members.len());
        let mut task = Task {
            coming: Vec::with_capacity(n_members),
            eases: vec![1.0; n_frames * (1 + n_members)],
            motions: Vec::with_capacity(n_members),
            held: Vec::new(),
            known: Vec::new(),
            frames,
        };
        for member in 0..n_members {
            let (active, coming) = self.active(member, &task.frames);
            task.motions.push(self.motion(member, &task.frames, &active));
            for own in 0..n_frames {
                let ease = &mut task.eases[own * (1 + n_members) + 1 + member];
                *ease = match coming[own] {
                    0.0 if !self.stays() => 0.0,
                    ease if ease > 0.0 && ease < 1.0 => EASED,
                    _ => 1.0,
                };
                if coming[own] == 0.0 && self.stays() {
                    let place =
                        self.tracks.place(task.frames.start + own, self.limb(member).limb.end);
                    task.held.push(self.held((member, 0), own, place, STAY));
                }
                self.add(&mut task, (member, own), active[own]);
            }
            task.coming.push(coming);
        }
        let is_edge = |own: usize| {
            own < LOCKED && task.frames.start > 0
                || own + LOCKED >= n_frames && task.frames.end < clip.n_frames()
        };
        for own in (0..n_frames).filter(|own| is_edge(*own)) {
            task.eases[own * (1 + n_members)..(own + 1) * (1 + n_members)].fill(0.0);
        }
        if self.moves == [false; 3] && plan.carries(clip.skeleton(), self.limb(0).limb) {
            let frames = task.frames.clone();
            task.know_root(root[frames].iter().map(|by| *by / self.unit));
        }
        task.known.sort_by_key(|(at, _)| *at);
        task
    }

    /// The first two points that hold of a limb, frame after frame, and how far the nearest of all is in its ease. A pose is all that a limb can hold.
    fn active(
        &self,
        member: usize,
        frames: &Range<usize>,
    ) -> (Vec<[Option<&'a Point>; 2]>, Vec<f64>) {
        let mut active = vec![[None; 2]; frames.len()];
        let mut coming = vec![0.0_f64; frames.len()];
        for point in &self.limb(member).points {
            let eased = point.eased();
            for frame in eased.start.max(frames.start)..eased.end.min(frames.end) {
                let own = frame - frames.start;
                coming[own] = coming[own].max(point.coming(frame));
                let is_pose = matches!(point.target(frame), Target::Pose(_));
                let pair: &mut [Option<&Point>; 2] = &mut active[own];
                let has_pose =
                    pair[0].is_some_and(|first| matches!(first.target(frame), Target::Pose(_)));
                if point.frames.contains(&frame) && !has_pose {
                    *pair = match *pair {
                        [first, None] if !is_pose && first.is_some() => [first, Some(point)],
                        [Some(first), Some(second)] if !is_pose => [Some(first), Some(second)],
                        _ => [Some(point), None],
                    };
                }
            }
        }
        (active, coming)
    }

    fn motion(
        &self,
        member: usize,
        frames: &Range<usize>,
        active: &[[Option<&Point>; 2]],
    ) -> LegMotion {
        let limb = (self.limb(member).limb, self.members[member].1);
        let foot = |frame: usize| {
            let end = self.tracks.place(frame, limb.0.end);
            let arm = |point: &Point| self.tracks.frame_place(frame, &point.frame) - end;
            active[frame - frames.start].map(|point| point.map_or(DVec3::ZERO, arm))
        };
        LegMotion::new(self.limbs.clip, limb, (self.tracks, self.unit), frames.clone(), foot)
    }

    /// A point of a limb at a place in a frame.
    fn held(&self, (leg, point): (usize, usize), own: usize, place: DVec3, weight: f64) -> Held {
        let frames = own..own + 1;
        let (rolls, target, normal) = (frames.clone(), place / self.unit, DVec3::ZERO);
        Held { leg, point, frames, rolls, target, normal, weight }
    }

    /// Adds what a limb holds in a frame.
    fn add(&self, task: &mut Task, (member, own): (usize, usize), active: [Option<&Point>; 2]) {
        let frame = task.frames.start + own;
        // A hand is not turned for what it holds at one point.
        let is_still = !self.limb(member).is_leg && active[1].is_none();
        let mut turn = active[0].filter(|_| is_still).map(|_| DVec3::ZERO);
        for (k, point) in active.into_iter().enumerate() {
            let Some(point) = point else { continue };
            let here = self.tracks.frame_pose(frame, &point.frame);
            let target = point.target(frame);
            if let Target::Pose(pose) = target {
                turn = Some(so3_log(pose.rotation * here.rotation.conjugate()));
            }
            task.held.push(self.held((member, k), own, target.position(here.translation), CONTACT));
        }
        if let Some(turn) = turn {
            let first = own * (3 + OF_LEG * self.members.len()) + 3 + OF_LEG * member + 4;
            let columns = turn.to_array().into_iter().enumerate();
            task.known.extend(columns.map(|(k, x)| (first + k, x)));
        }
    }

    /// Makes bones longer that reach only so, as far as they may: by how much of their length in each frame; no frames for limbs that keep it.
    fn grow(&self, task: &mut Task, change: &Change) -> Vec<Vec<f64>> {
        let Limbs { clip, settings, .. } = self.limbs;
        let of_member = |member: usize| {
            let limb = self.limb(member);
            if !limb.limb.can_stretch(clip.skeleton()) {
                return Vec::new();
            }
            let longest = (1.0 + settings.max_stretch) * usual_length(clip, limb, self.tracks);
            let growth = |held: &Held| {
                let (own, motion) = (held.frames.start, &task.motions[member]);
                let length = motion.thigh[own].length() + motion.shin[own].length();
                let away = motion.away(held, own, change);
                (away.min(longest / self.unit) / length - 1.0).max(0.0)
            };
            let mut growths = vec![0.0_f64; task.frames.len()];
            for held in task.held.iter().filter(|held| held.leg == member && held.weight >= CONTACT)
            {
                let own = held.frames.start;
                growths[own] = growths[own].max(growth(held));
            }
            if growths.iter().all(|growth| *growth <= LEAST_GROWTH) {
                return Vec::new();
            }
            let held = growths.clone();
            for point in &limb.points {
                let last = point.frames.end.saturating_sub(1);
                for frame in point.eased().start.max(task.frames.start)
                    ..point.eased().end.min(task.frames.end)
                {
                    let nearest = frame.clamp(point.frames.start, last) - task.frames.start;
                    let own = &mut growths[frame - task.frames.start];
                    *own = own.max(held[nearest] * at_rest(point.coming(frame)));
                }
            }
            growths
        };
        let growths: Vec<Vec<f64>> = (0..self.members.len()).map(of_member).collect();
        for (motion, growths) in task.motions.iter_mut().zip(&growths) {
            for (own, growth) in growths.iter().enumerate() {
                motion.thigh[own] *= 1.0 + growth;
                motion.shin[own] *= 1.0 + growth;
            }
        }
        growths
    }
}

impl Task {
    /// The root is displaced by so much in each frame.
    fn know_root(&mut self, root: impl Iterator<Item = DVec3>) {
        let n_columns = 3 + OF_LEG * self.motions.len();
        let of_frame = |(own, by): (usize, DVec3)| {
            by.to_array().into_iter().enumerate().map(move |(k, x)| (own * n_columns + k, x))
        };
        self.known.extend(root.enumerate().flat_map(of_frame));
        self.known.sort_by_key(|(at, _)| *at);
    }

    fn problem<'p>(&'p self, group: &Group<'_>) -> Problem<'p> {
        let Limbs { clip, settings, .. } = group.limbs;
        Problem {
            legs: &self.motions,
            held: &self.held,
            root: settings.root_stiffness,
            moves: group.moves,
            eases: &self.eases,
            known: self.known.clone(),
            frame_time: clip.frame_time(),
        }
    }
}

/// Brings the ends of limbs into poses, or as near as they reach, and turned as there.
///
/// - `limbs`: each with frames, and the pose of its end there
pub(super) fn bring_ends(clip: Clip, limbs: &[(&LimbPlan, Vec<(usize, Pose)>)]) -> Clip {
    let joints: Vec<usize> = limbs.iter().flat_map(|(plan, _)| plan.limb.joints()).collect();
    let (skeleton, tracks) = (clip.skeleton(), Tracks::new(&clip, &joints));
    let n = skeleton.n_values();
    let mut values = clip.values().to_vec();
    for (plan, poses) in limbs {
        let limb = (plan.limb, plan.usual_axis(&clip, &tracks));
        let bring = |(frame, goal): &(usize, Pose)| {
            let motion = LegMotion::new(&clip, limb, (&tracks, 1.0), *frame..*frame + 1, |_| {
                [DVec3::ZERO; 2]
            });
            let now = tracks.pose(*frame, plan.limb.end).rotation;
            motion.bringing(0, goal.translation, goal.rotation * now.conjugate())
        };
        let changes = poses.iter().map(bring);
        let Some(columns) = &plan.columns else {
            for ((frame, _), change) in poses.iter().zip(changes) {
                let own = plan.limb.joints().map(|joint| tracks.pose(*frame, joint).rotation);
                change.write(skeleton, plan.limb, own, &mut values[frame * n..(frame + 1) * n]);
            }
            continue;
        };
        let few = Few { clip: &clip, limb: plan, columns };
        for ((frame, _), q) in
            poses.iter().zip(few.bring(poses, changes.map(|change| so3_log(change.knee))))
        {
            values[frame * n..(frame + 1) * n].copy_from_slice(&q);
        }
    }
    clip.with_edited(values, &joints)
}

/// How long the bones of a limb mostly are together: the median, as those that an earlier cleaning made longer must not be made longer again.
fn usual_length(clip: &Clip, limb: &LimbPlan, tracks: &Tracks) -> f64 {
    let length = |frame| {
        let [start, mid, end] = positions(limb.limb, tracks, frame);
        start.distance(mid) + mid.distance(end)
    };
    median((0..clip.n_frames()).map(length)).unwrap_or(0.0)
}
