//! Footskate removal on one formulation: contacts by a hidden Markov model, the change by one least squares over root and legs. See `docs/motion-method.md`.
//!
//! It stands beside the engine of [`clean`](crate::clean()), which is the default, until it is nowhere much worse.

mod banded;
mod contacts;
mod slides;
mod space_time;
mod support;
#[cfg(test)]
mod tests;

pub use slides::{Slide, slides};

use core::ops::Range;

use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, atan2, direction_or};
use posekit::skeleton::{Frame, JointKind};

use crate::clean::{CleanSettings, Cleaned};
use crate::clip::rotation_place;
use crate::error::{Error, Result};
use crate::find::Legs;
use crate::floor::{Floor, FloorChoice, find_floor};
use crate::hold::{ContactReport, Keep};
use crate::metrics::drift;
use crate::paths::{joints_of, mean_length};
use crate::plant::{Part, Plant};
use crate::tracks::Tracks;
use crate::travel::{carrier, shifted};
use crate::verdict::{CLEAN, PlantReport, Verdict};
use crate::{Clip, Contact, Hold, Leg};
use contacts::{PartMotion, Stance, velocities};
use space_time::{Change, Held, LegMotion, Problem};

/// From one frame to the next, a joint that goes farther than this \[leg lengths\] and [`ABRUPT`] times what it goes in the frames beside jumps: no motion does.
const JUMP: f64 = 0.25;

/// See [`JUMP`].
const ABRUPT: f64 = 3.0;

/// What a contact may cost: displacement of the root \[leg lengths\], rotation of hip, knee and foot \[rad\]. Beyond, it is released.
const BOUND: [f64; 4] = [0.15, 0.6, 0.6, 0.45];

/// Rounds of releasing contacts.
const RELEASES: usize = 3;

/// A miss larger than this part of a leg is one.
const MISS: f64 = 1e-4;

/// A walk is in place if its root stays within this \[leg lengths\] and the support goes farther by [`AWAY`].
const IN_PLACE: f64 = 1.0;

/// See [`IN_PLACE`] \[leg lengths\].
const AWAY: f64 = 1.5;

/// How many frames of a clip, spread over it, tell about which axis a knee mostly bends.
const AXIS_SAMPLES: usize = 200;

/// A contact of the clip.
#[derive(Debug, Clone)]
struct Found {
    leg: usize,
    part: Part,
    frames: Range<usize>,
    /// See [`Stance::rolls`].
    rolls: Range<usize>,
    /// Where it was given to be \[leg lengths\].
    given: Option<DVec3>,
}

/// What all steps read: lengths in leg lengths.
struct Source<'a> {
    clip: &'a Clip,
    legs: &'a [Leg],
    tracks: Tracks,
    root: Option<usize>,
    length: f64,
}

/// Cleans a clip.
pub(crate) fn clean(
    clip: &Clip,
    legs: Legs,
    settings: &CleanSettings,
    keep: Option<&Keep<'_>>,
) -> Result<Cleaned> {
    let source = Source::new(clip, &legs.legs);
    let choice = settings.floor;
    let mut floor = find_floor(clip, &legs.legs, choice);
    let n_frames = clip.n_frames();
    let mut locked = vec![false; n_frames];
    for (from, to) in &settings.keep {
        locked[clip.frames(*from, *to)].fill(true);
    }
    let segments = if legs.legs.is_empty() { Vec::new() } else { source.segments() };
    let bounds = (settings.detect.shortest, settings.firm);
    let mut in_place = settings.in_place;
    let (mut found, mut path) = source.contacts(&segments, (&mut floor, choice), in_place, bounds);
    if !in_place && source.is_in_place(&path, floor.normal) {
        in_place = true;
        (found, path) = source.contacts(&segments, (&mut floor, choice), in_place, bounds);
    }
    if !in_place && !settings.path || source.root.is_none() {
        path.fill(DVec3::ZERO);
    }
    if let Some(given) = &settings.contacts {
        found = source.given(given)?;
    }
    found.sort_by_key(|found| (found.frames.start, found.leg, found.part));
    let mut reports = source.reports(&found, &path, (&floor, settings), (&locked, in_place));
    let kept = |report: &PlantReport| matches!(report.verdict, Verdict::Fixed | Verdict::Clean);
    let mut solved: Vec<(Range<usize>, Vec<Held>, Option<Change>)> = Vec::new();
    for segment in segments {
        let legs = source.leg_motions(segment.clone(), &path);
        let mut change;
        let mut round = 0;
        let held = loop {
            let of_segment = |k: &usize| {
                kept(&reports[*k])
                    && found[*k].frames.start >= segment.start
                    && found[*k].frames.end <= segment.end
            };
            let own: Vec<usize> = (0..found.len()).filter(of_segment).collect();
            let held = source.targets(&own, &found, &path, (segment.start, floor.normal));
            let needs = own.iter().any(|k| source.slide(&found[*k], &path, &floor) > CLEAN);
            change = None;
            if !needs && settings.contacts.is_none() {
                break held;
            }
            let problem = source.problem(&legs, &held, &locked[segment.clone()]);
            let solution = problem.solve();
            let costly: Vec<usize> = own
                .into_iter()
                .zip(&held)
                .filter(|(_, held)| is_costly(&solution, held))
                .map(|(k, _)| k)
                .collect();
            change = Some(solution);
            if costly.is_empty() || round == RELEASES || settings.contacts.is_some() {
                break held;
            }
            round += 1;
            for k in costly {
                let slide = source.slide(&found[k], &path, &floor) * source.length;
                reports[k].verdict = Verdict::Released { slide };
            }
        };
        solved.push((segment, held, change));
    }
    let (cleaned, changed) = source.applied(&path, in_place, &solved, &locked, settings.strength);
    let cleaned = keep.and_then(|keep| (keep.cut)(&cleaned)).unwrap_or(cleaned);
    let part = if in_place { 1.0 } else { settings.strength };
    let is_moved = path.iter().any(|shift| *shift != DVec3::ZERO);
    let path: Vec<DVec3> = path.iter().map(|shift| *shift * (part * source.length)).collect();
    let travels = in_place.then_some(path.as_slice());
    let (contacts, held) =
        source.held(&solved, &cleaned, travels, settings, &mut reports, &found, &floor);
    let is_changed = is_moved || solved.iter().any(|(.., change)| change.is_some());
    let (contacts, standing) =
        if is_changed { (contacts, Vec::new()) } else { (Vec::new(), contacts) };
    let held = if is_changed { held } else { Vec::new() };
    Ok(Cleaned {
        clip: cleaned,
        floor,
        floor_choice: choice,
        plants: reports,
        contacts,
        held,
        standing,
        changed,
        path_share: f64::from(u8::from(is_moved)),
        path: if is_moved { path } else { Vec::new() },
        is_in_place: in_place && is_moved,
        legs,
    })
}

/// Whether the change at a contact is more than [`BOUND`].
fn is_costly(change: &Change, held: &Held) -> bool {
    held.frames.clone().any(|frame| {
        let [hip, knee, foot] = change.turns(frame, held.leg);
        let cost = [change.root(frame).length(), hip, knee, foot];
        cost.iter().zip(BOUND).any(|(cost, bound)| *cost > bound)
    })
}

impl<'a> Source<'a> {
    fn new(clip: &'a Clip, legs: &'a [Leg]) -> Self {
        let root = carrier(clip, legs);
        let joints: Vec<usize> = joints_of(legs).into_iter().chain(root).collect();
        let tracks = Tracks::new(clip, &joints);
        Self { clip, legs, tracks, root, length: mean_length(clip, legs) }
    }

    fn at(&self, frame: usize, joint: usize) -> DVec3 {
        self.tracks.place(frame, joint) / self.length
    }

    fn root_at(&self, frame: usize) -> DVec3 {
        self.at(frame, self.root.unwrap_or(self.legs[0].limb.start))
    }

    /// The times between jumps, such as that from a T-pose in the first frame to the motion.
    fn segments(&self) -> Vec<Range<usize>> {
        let joints = joints_of(self.legs);
        let n_frames = self.clip.n_frames();
        let step = |frame: usize| {
            let moved = |joint: &usize| self.at(frame, *joint).distance(self.at(frame + 1, *joint));
            joints.iter().map(moved).fold(0.0, f64::max)
        };
        let steps: Vec<f64> = (1..n_frames).map(|frame| step(frame - 1)).collect();
        let mut segments = Vec::new();
        let mut start = 0;
        for (frame, step) in steps.iter().enumerate() {
            let before = frame.checked_sub(1).map_or(0.0, |before| steps[before]);
            let beside = before.max(steps.get(frame + 1).copied().unwrap_or(0.0));
            if *step > JUMP + ABRUPT * beside {
                segments.push(start..frame + 1);
                start = frame + 1;
            }
        }
        if start < n_frames {
            segments.push(start..n_frames);
        }
        segments
    }

    /// The contacts of all segments, and the displacement of the root trajectory. It goes on through jumps, and its mean is zero, so that no frame counts for more than another.
    fn contacts(
        &self,
        segments: &[Range<usize>],
        (floor, choice): (&mut Floor, FloorChoice),
        in_place: bool,
        bounds: (f64, f64),
    ) -> (Vec<Found>, Vec<DVec3>) {
        let mut found = Vec::new();
        let mut path: Vec<DVec3> = Vec::with_capacity(self.clip.n_frames());
        for segment in segments {
            let ground = (&mut *floor, choice);
            let (own, steps) = self.segment_contacts(segment, ground, in_place, bounds);
            found.extend(own);
            let before = path.last().copied().unwrap_or(DVec3::ZERO);
            path.extend(steps.into_iter().map(|step| before + step));
        }
        path.resize(self.clip.n_frames(), DVec3::ZERO);
        let mean = path.iter().sum::<DVec3>() / path.len().max(1) as f64;
        path.iter_mut().for_each(|place| *place -= mean);
        (found, path)
    }

    /// The contacts of a segment, and the displacement of its root trajectory from its first frame.
    fn segment_contacts(
        &self,
        segment: &Range<usize>,
        (floor, choice): (&mut Floor, FloorChoice),
        in_place: bool,
        bounds: (f64, f64),
    ) -> (Vec<Found>, Vec<DVec3>) {
        let frame_time = self.clip.frame_time();
        let (shortest, firm) = bounds;
        let mut parts = Vec::new();
        for (leg, own) in self.legs.iter().enumerate() {
            let joints = [(Part::Heel, Some(own.limb.end)), (Part::Ball, own.ball)];
            for (part, joint) in joints.into_iter().filter_map(|(part, joint)| Some((part, joint?)))
            {
                let at = segment.clone().map(|frame| self.at(frame, joint)).collect();
                parts.push(PartMotion::new(leg, part, at, frame_time));
            }
        }
        let root: Vec<DVec3> = segment.clone().map(|frame| self.root_at(frame)).collect();
        let velocity = velocities(&root, frame_time);
        let ground = (choice, self.clip.up(), floor.normal);
        let found = contacts::find(&parts, &velocity, ground, in_place, frame_time, shortest);
        let path = match found.support.moves() {
            true => found.support.path(&root, found.ground.normal, frame_time),
            false => vec![DVec3::ZERO; root.len()],
        };
        let of_clip = |Stance { part, frames, rolls }: &Stance| Found {
            leg: parts[*part].leg,
            part: parts[*part].part,
            frames: segment.start + frames.start..segment.start + frames.end,
            rolls: segment.start + rolls.start..segment.start + rolls.end,
            given: None,
        };
        if choice == FloorChoice::Fit && !found.stances.is_empty() {
            let lowest = found.ground.rests.iter().copied().fold(f64::INFINITY, f64::min);
            let normal = found.ground.normal;
            *floor = Floor { point: normal * (lowest * self.length), normal };
        }
        let supposed = found.supposed.path(&root, found.ground.normal, frame_time);
        let at = |part: usize, frame: usize| parts[part].at[frame] + supposed[frame];
        let stances = contacts::at_one_place(
            (&parts, &found.stances),
            at,
            (found.ground.normal, firm),
            frame_time,
            shortest,
        );
        let stances = contacts::without_pivots(&parts, stances, frame_time);
        (stances.iter().map(of_clip).collect(), path)
    }

    /// Contacts that were given, as far as they are of feet.
    fn given(&self, contacts: &[Contact]) -> Result<Vec<Found>> {
        let mut found = Vec::new();
        for contact in contacts {
            let joint = contact.frame.joint;
            let is_of = |leg: &Leg| leg.limb.end == joint || leg.ball == Some(joint);
            let leg = self.legs.iter().position(is_of);
            let (Some(leg), Hold::Position(at), true) =
                (leg, contact.hold, contact.frame.joint_from_frame == Pose::IDENTITY)
            else {
                let need = "contacts that hold the joint of an ankle or a ball at a point";
                return Err(Error::Unsuited { method: "space-time", need });
            };
            let part = if self.legs[leg].limb.end == joint { Part::Heel } else { Part::Ball };
            let frames = self.clip.frames(contact.from, contact.to);
            if !frames.is_empty() {
                let rolls = frames.clone();
                found.push(Found {
                    leg,
                    part,
                    frames,
                    rolls,
                    given: at.map(|at| at / self.length),
                });
            }
        }
        Ok(found)
    }

    /// Whether the root stays where it is while the support moves far.
    fn is_in_place(&self, path: &[DVec3], normal: DVec3) -> bool {
        let extent = |at: &dyn Fn(usize) -> DVec3| {
            let along = |frame: usize| at(frame) - normal * at(frame).dot(normal);
            let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
            for frame in 0..path.len() {
                (low, high) = (low.min(along(frame)), high.max(along(frame)));
            }
            (high - low).length()
        };
        if path.iter().all(|shift| *shift == DVec3::ZERO) {
            return false;
        }
        let root = extent(&|frame| self.root_at(frame));
        root < IN_PLACE && extent(&|frame| path[frame]) > root + AWAY
    }

    fn place(&self, found: &Found, frame: usize, path: &[DVec3]) -> DVec3 {
        self.at(frame, self.legs[found.leg].joint(found.part)) + path[frame]
    }

    /// How far a part slides in a contact \[leg lengths\].
    fn slide(&self, found: &Found, path: &[DVec3], floor: &Floor) -> f64 {
        let place = |frame| self.place(found, frame, path);
        let places: Vec<DVec3> = found.frames.clone().map(place).collect();
        drift(&places, floor.normal)
    }

    fn mean_place(&self, found: &Found, path: &[DVec3]) -> DVec3 {
        let sum: DVec3 = found.frames.clone().map(|frame| self.place(found, frame, path)).sum();
        sum / found.frames.len() as f64
    }

    /// What becomes of contacts before anything is solved.
    fn reports(
        &self,
        found: &[Found],
        path: &[DVec3],
        (floor, settings): (&Floor, &CleanSettings),
        (locked, in_place): (&[bool], bool),
    ) -> Vec<PlantReport> {
        let still = vec![DVec3::ZERO; path.len()];
        let report = |found: &Found| {
            let slide = self.slide(found, path, floor);
            // The path of a walk in place is how it is judged, and no change.
            let before = if in_place { slide } else { self.slide(found, &still, floor) };
            let verdict = if found.frames.clone().any(|frame| locked[frame]) {
                Verdict::Kept
            } else if !self.is_free(found.leg) {
                let (by, frames) = (slide * self.length, found.frames.len());
                Verdict::Unreachable { by, frames, by_channels: true }
            } else if slide > settings.release && found.given.is_none() {
                Verdict::Released { slide: slide * self.length }
            } else if slide < CLEAN && before < CLEAN {
                Verdict::Clean
            } else {
                Verdict::Fixed
            };
            let plant = Plant { leg: found.leg, part: found.part, frames: found.frames.clone() };
            let before = before * self.length;
            PlantReport { plant, verdict, drift_before: before, drift_after: before }
        };
        found.iter().map(report).collect()
    }

    /// Whether a leg's joints turn as a leg's do.
    fn is_free(&self, leg: usize) -> bool {
        let (skeleton, limb) = (self.clip.skeleton(), self.legs[leg].limb);
        let is_ball = |joint| rotation_place(skeleton, joint).is_some();
        let is_hinge = matches!(skeleton.kind(limb.mid), JointKind::Revolute { .. });
        is_ball(limb.start) && is_ball(limb.end) && (is_ball(limb.mid) || is_hinge)
    }

    /// Where contacts are held: at the mean of where they are; a heel as far from the ball held at the same time as the foot is long.
    fn targets(
        &self,
        own: &[usize],
        found: &[Found],
        path: &[DVec3],
        (start, normal): (usize, DVec3),
    ) -> Vec<Held> {
        let place =
            |k: &usize| found[*k].given.unwrap_or_else(|| self.mean_place(&found[*k], path));
        let places: Vec<DVec3> = own.iter().map(place).collect();
        let held = |(k, target): (&usize, &DVec3)| {
            let Found { leg, part, ref frames, ref rolls, given } = found[*k];
            let mut target = *target;
            let beside = |(other, _): &(&usize, &DVec3)| {
                let other = &found[**other];
                let shared = frames.end.min(other.frames.end) as f64
                    - frames.start.max(other.frames.start) as f64;
                let is_ball = part == Part::Heel && other.part == Part::Ball && other.leg == leg;
                (is_ball && shared > 0.0).then_some(shared)
            };
            let balls = own.iter().zip(&places).filter_map(|pair| Some((beside(&pair)?, pair)));
            if let Some((_, (other, ball))) = balls.max_by(|a, b| a.0.total_cmp(&b.0))
                && given.is_none()
            {
                let middle = found[*other].frames.start.max(frames.start);
                let joints = [Part::Heel, Part::Ball].map(|part| self.legs[leg].joint(part));
                let [heel, toe] = joints.map(|joint| self.at(middle, joint));
                target = *ball + direction_or(target - *ball, heel - toe) * heel.distance(toe);
            }
            // While another part of the foot is held, it may roll about that.
            let is_alone = |frame: &usize| {
                own.iter().all(|other| {
                    let other = &found[*other];
                    other.leg != leg || !other.frames.contains(frame)
                })
            };
            let before = (rolls.start..frames.start).rev().take_while(is_alone).count();
            let after = (frames.end..rolls.end).take_while(is_alone).count();
            let frames = frames.start - start..frames.end - start;
            let rolls = frames.start - before..frames.end + after;
            Held { leg, part, frames, rolls, target, normal }
        };
        own.iter().zip(&places).map(held).collect()
    }

    fn problem<'p>(
        &self,
        legs: &'p [LegMotion],
        held: &'p [Held],
        locked: &'p [bool],
    ) -> Problem<'p> {
        let frame_time = self.clip.frame_time();
        Problem { legs, held, has_root: self.root.is_some(), locked, frame_time }
    }

    /// The legs over a segment, on the root's trajectory.
    fn leg_motions(&self, segment: Range<usize>, path: &[DVec3]) -> Vec<LegMotion> {
        let of_leg = |(index, leg): (usize, &Leg)| {
            let limb = leg.limb;
            let axis_in_mid = self.axis_in_mid(leg);
            let is_hinge = rotation_place(self.clip.skeleton(), limb.mid).is_none();
            let n = segment.len();
            let mut motion = LegMotion {
                hip: Vec::with_capacity(n),
                thigh: Vec::with_capacity(n),
                shin: Vec::with_capacity(n),
                foot: Vec::with_capacity(n),
                axis: Vec::with_capacity(n),
                flexion: Vec::with_capacity(n),
                is_free: self.is_free(index),
            };
            for frame in segment.clone() {
                let [hip, knee, ankle] =
                    [limb.start, limb.mid, limb.end].map(|joint| self.at(frame, joint));
                let ball = leg.ball.map_or(ankle, |ball| self.at(frame, ball));
                let (u, v) = (knee - hip, ankle - knee);
                let usual = self.tracks.pose(frame, limb.mid).rotation * axis_in_mid;
                let sine = u.cross(v);
                let size = (u.length_squared() * v.length_squared()).sqrt().max(f64::MIN_POSITIVE);
                // The plane of a leg that is as good as straight is not in its bones.
                let axis = if is_hinge {
                    usual
                } else {
                    direction_or(sine / size + usual * STRAIGHT, usual)
                };
                motion.hip.push(hip + path[frame]);
                motion.thigh.push(u);
                motion.shin.push(v);
                motion.foot.push(ball - ankle);
                motion.flexion.push(atan2(sine.dot(axis), u.dot(v)));
                motion.axis.push(axis);
            }
            motion
        };
        self.legs.iter().enumerate().map(of_leg).collect()
    }

    /// The axis that a knee mostly bends about, in its own frame; its own where it is a hinge.
    fn axis_in_mid(&self, leg: &Leg) -> DVec3 {
        let limb = leg.limb;
        let mut sum = DVec3::ZERO;
        for frame in (0..self.clip.n_frames()).step_by(self.clip.n_frames() / AXIS_SAMPLES + 1) {
            let [hip, knee, ankle] =
                [limb.start, limb.mid, limb.end].map(|joint| self.tracks.pose(frame, joint));
            let (u, v) = (knee.translation - hip.translation, ankle.translation - knee.translation);
            sum += knee.rotation.conjugate() * u.cross(v);
        }
        match self.clip.skeleton().kind(limb.mid) {
            JointKind::Revolute { axis } if sum.dot(axis) < 0.0 => -axis,
            JointKind::Revolute { axis } => axis,
            _ => direction_or(sum, DVec3::X),
        }
    }

    /// The clip with the change, and the joints that changed.
    fn applied(
        &self,
        path: &[DVec3],
        in_place: bool,
        solved: &[(Range<usize>, Vec<Held>, Option<Change>)],
        locked: &[bool],
        strength: f64,
    ) -> (Clip, Vec<usize>) {
        let skeleton = self.clip.skeleton();
        let n = skeleton.n_values();
        let mut values = self.clip.values().to_vec();
        let mut shifts: Vec<DVec3> = match in_place {
            true => vec![DVec3::ZERO; path.len()],
            false => path.iter().map(|shift| *shift * (strength * self.length)).collect(),
        };
        let mut changed: Vec<usize> = Vec::new();
        for (segment, held, change) in solved {
            let Some(change) = change else { continue };
            let legs = self.leg_motions(segment.clone(), path);
            let problem = self.problem(&legs, held, &locked[segment.clone()]);
            for frame in segment.clone().filter(|frame| !locked[*frame]) {
                let own = frame - segment.start;
                shifts[frame] += change.root(own) * (strength * self.length);
                let q = &mut values[frame * n..(frame + 1) * n];
                for leg in (0..legs.len()).filter(|leg| legs[*leg].is_free) {
                    let turns = problem.finished(change, own, leg);
                    let part = |turn| posekit::math::slerp(DQuat::IDENTITY, turn, strength);
                    let (hip, knee, foot) = (part(turns.hip), part(turns.knee), part(turns.foot));
                    let limb = self.legs[leg].limb;
                    let back = (hip * knee).conjugate() * foot;
                    for (joint, turn) in [(limb.start, hip), (limb.mid, knee), (limb.end, back)] {
                        self.turn(frame, joint, turn, q);
                    }
                }
            }
            let is_held = legs.iter().zip(self.legs).filter(|(motion, _)| motion.is_free);
            changed
                .extend(is_held.flat_map(|(_, leg)| [leg.limb.start, leg.limb.mid, leg.limb.end]));
        }
        changed.sort_unstable();
        changed.dedup();
        let cleaned = self.clip.with_edited(values, &changed);
        match self.root.filter(|_| shifts.iter().any(|shift| *shift != DVec3::ZERO)) {
            Some(root) => {
                changed.push(root);
                changed.sort_unstable();
                (shifted(&cleaned, root, &shifts), changed)
            }
            None => (cleaned, changed),
        }
    }

    /// Puts a rotation of the world on top of a joint's.
    fn turn(&self, frame: usize, joint: usize, turn: DQuat, q: &mut [f64]) {
        let skeleton = self.clip.skeleton();
        let world_from_joint = self.tracks.pose(frame, joint).rotation;
        if let JointKind::Revolute { axis } = skeleton.kind(joint) {
            let about = turn.xyz().dot(world_from_joint * axis);
            q[skeleton.value_range(joint).start] += 2.0 * atan2(about, turn.w);
            return;
        }
        let Some(place) = rotation_place(skeleton, joint) else { return };
        let now = DQuat::from_slice(&q[place..place + 4]);
        let new = now * (world_from_joint.conjugate() * turn * world_from_joint);
        (new * (1.0 / new.length())).write_to_slice(&mut q[place..place + 4]);
    }

    /// The contacts that were held, and how well, as the edited clip has them.
    #[expect(clippy::too_many_arguments, reason = "all that was found, once")]
    fn held(
        &self,
        solved: &[(Range<usize>, Vec<Held>, Option<Change>)],
        cleaned: &Clip,
        travels: Option<&[DVec3]>,
        settings: &CleanSettings,
        reports: &mut [PlantReport],
        found: &[Found],
        floor: &Floor,
    ) -> (Vec<Contact>, Vec<ContactReport>) {
        let after = Tracks::new(cleaned, &joints_of(self.legs));
        let after = after.moved(travels.unwrap_or_default());
        let (mut contacts, mut held_reports) = (Vec::new(), Vec::new());
        for (report, found) in reports.iter_mut().zip(found) {
            let joint = self.legs[found.leg].joint(found.part);
            let places: Vec<DVec3> =
                found.frames.clone().map(|frame| after.place(frame, joint)).collect();
            report.drift_after = drift(&places, floor.normal);
            let of = |held: &&Held, start: usize| {
                (held.leg, held.part) == (found.leg, found.part)
                    && held.frames.start + start == found.frames.start
            };
            let held = solved.iter().find_map(|(segment, held, change)| {
                let held = held.iter().find(|held| of(held, segment.start))?;
                Some((held, change.is_some()))
            });
            let Some((held, is_changed)) = held else { continue };
            let target = held.target * self.length;
            let off = |place: &DVec3| place.distance(target);
            let residual = places.iter().map(off).fold(0.0, f64::max);
            let is_missed = |frame: &usize| {
                off(&places[*frame - found.frames.start]) > MISS * self.length
                    && settings.strength == 1.0
                    && is_changed
            };
            let missed: Vec<usize> = found.frames.clone().filter(is_missed).collect();
            if !missed.is_empty() {
                let (by, frames) = (residual, missed.len());
                report.verdict = Verdict::Unreachable { by, frames, by_channels: false };
            }
            contacts.push(Contact {
                frame: Frame::new(joint, Pose::IDENTITY),
                from: self.clip.time(found.frames.start),
                to: self.clip.time(found.frames.end - 1),
                hold: Hold::Position(Some(target)),
                ease_in: settings.ease,
                ease_out: settings.ease,
            });
            held_reports.push(ContactReport {
                frames: found.frames.clone(),
                limb: Some(self.legs[found.leg].limb),
                residual,
                angle: 0.0,
                missed,
                by_channels: false,
            });
        }
        (contacts, held_reports)
    }
}

/// What the usual axis of a knee counts against that of its bones, whose weight is the sine of its flexion.
const STRAIGHT: f64 = 0.05;
