//! What a clip shows: when which part of which foot stands, on which floor, and how the support moves.

use core::ops::Range;

use posekit::glam::DVec3;

use super::CleanSettings;
use super::contacts::{self, PartMotion, Stance, velocities};
use super::cycle::Cycle;
use crate::floor::{Floor, FloorChoice};
use crate::hold::{Keep, has_few_turns, moves_in_world};
use crate::metrics::drift;
use crate::paths::{joints_of, mean_length};
use crate::plant::{CLEAN, Part, Plant, PlantReport, Verdict, runs};
use crate::tracks::Tracks;
use crate::travel::carrier;
use crate::{Clip, Leg};

/// What rounding leaves of a displacement that a file does not keep \[leg lengths\].
const ROUNDED: f64 = 1e-9;

/// From one frame to the next, a joint that goes farther than this \[leg lengths\] and [`ABRUPT`] times what it goes in the frames beside jumps: no motion does.
const JUMP: f64 = 0.25;

/// See [`JUMP`].
const ABRUPT: f64 = 3.0;

/// A walk is in place if its root stays within this \[leg lengths\] and the support goes farther by [`AWAY`].
const IN_PLACE: f64 = 1.0;

/// See [`IN_PLACE`] \[leg lengths\].
const AWAY: f64 = 1.5;

/// Of how many frames an end is that is kept: of two, so that the clip goes on at the same speed.
const END: usize = 2;

/// How far below and above a floor that is given a ball may stand, and an ankle \[leg lengths\]. Skeletons have no soles, and a floor may be known by these or by the joints.
const NEAR: [[f64; 2]; 2] = [[-0.1, 0.15], [-0.1, 0.3]];

/// A contact of the clip.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) leg: usize,
    pub(super) part: Part,
    pub(super) frames: Range<usize>,
    /// See [`Stance::rolls`].
    pub(super) rolls: Range<usize>,
    /// It is in a time that is kept.
    pub(super) is_kept: bool,
    /// The frame of such a time, right before or after it, in which it stands already.
    pub(super) anchor: Option<usize>,
}

/// What the clip shows; lengths in leg lengths, but for the floor's.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) floor: Floor,
    /// The times between jumps.
    pub(super) segments: Vec<Range<usize>>,
    /// When parts of feet are in contact, those that roll or step without leaving the floor among them.
    pub(super) plants: Vec<Plant>,
    /// What of them is at one place, in the order of their first frames.
    pub(super) found: Vec<Found>,
    /// The displacement of the root trajectory.
    pub(super) path: Vec<DVec3>,
    pub(super) in_place: bool,
}

/// What all steps read; lengths in leg lengths.
pub(super) struct Source<'a> {
    pub(super) clip: &'a Clip,
    pub(super) legs: &'a [Leg],
    pub(super) settings: &'a CleanSettings,
    pub(super) keep: Option<&'a Keep>,
    pub(super) tracks: Tracks,
    /// The joint that carries the legs and can be moved.
    pub(super) root: Option<usize>,
    /// The clip is this cycle among others.
    pub(super) cycle: Option<&'a Cycle>,
    /// How much of the change each frame takes: nothing in times that are kept, all of it away from these.
    pub(super) shares: Vec<f64>,
    /// The mean length of the legs \[the clip's unit\].
    pub(super) length: f64,
}

impl<'a> Source<'a> {
    pub(super) fn new(
        clip: &'a Clip,
        legs: &'a [Leg],
        settings: &'a CleanSettings,
        keep: Option<&'a Keep>,
        cycle: Option<&'a Cycle>,
    ) -> Self {
        let length = mean_length(clip, legs);
        let root = if legs.is_empty() { None } else { carrier(clip, legs) };
        let joints: Vec<usize> = joints_of(legs).into_iter().chain(root).collect();
        let tracks = Tracks::new(clip, &joints);
        let shares = shares(clip, settings);
        Self { clip, legs, settings, keep, tracks, root, cycle, shares, length }
    }

    pub(super) fn at(&self, frame: usize, joint: usize) -> DVec3 {
        self.tracks.place(frame, joint) / self.length
    }

    fn root_at(&self, frame: usize) -> DVec3 {
        self.at(frame, self.root.unwrap_or(self.legs[0].limb.start))
    }

    /// Whether nothing may change in a frame.
    pub(super) fn is_kept(&self, frame: usize) -> bool {
        self.shares[frame] == 0.0
    }

    /// The displacement of the root trajectory \[the clip's unit\].
    pub(super) fn path_of(&self, seen: &Seen) -> Vec<DVec3> {
        seen.path.iter().map(|shift| *shift * self.length).collect()
    }

    /// Along which axes of the world the root can be displaced.
    pub(super) fn moves(&self) -> [bool; 3] {
        let moves = |root| moves_in_world(self.keep, self.clip.skeleton(), root);
        self.root.map_or([false; 3], moves)
    }

    /// Whether the file keeps a displacement of the root.
    pub(super) fn keeps(&self, path: &[DVec3]) -> bool {
        let moves = self.moves();
        let is_kept = |shift: &DVec3| (0..3).all(|axis| moves[axis] || shift[axis].abs() < ROUNDED);
        self.root.is_some() && path.iter().all(is_kept)
    }

    /// Whether the root trajectory may be corrected.
    fn corrects_path(&self) -> bool {
        self.settings.path && !self.settings.keep_ends
    }

    /// Whether a leg is left to [`hold`](crate::hold()): one of its joints turns about too few axes.
    pub(super) fn has_few_turns(&self) -> bool {
        let skeleton = self.clip.skeleton();
        self.legs.iter().any(|leg| has_few_turns(skeleton, leg.limb, self.keep))
    }

    /// When feet stand, and on what.
    pub(super) fn see(&self) -> Seen {
        let n_frames = self.clip.n_frames();
        let segments = if self.legs.is_empty() { Vec::new() } else { self.segments() };
        let mut seen = self.see_as(&segments, self.settings.in_place);
        let is_in_place = |seen: &Seen| self.is_in_place(&seen.path, seen.floor.normal);
        if !seen.in_place && is_in_place(&seen) {
            let in_place = self.see_as(&segments, true);
            // What goes on is seen to go on.
            if is_in_place(&in_place) {
                seen = in_place;
            }
        }
        let may_move = seen.in_place || self.corrects_path() && self.keeps(&seen.path);
        if seen.found.is_empty()
            || !may_move
            || self.root.is_none()
            || self.settings.contacts.as_ref().is_some_and(Vec::is_empty)
        {
            seen.path = vec![DVec3::ZERO; n_frames];
        }
        if let Some(cycle) = self.cycle {
            cycle.repeat(&mut seen);
        }
        seen.path = self.eased(&seen.path);
        seen.found = seen.found.iter().flat_map(|found| self.parted(found)).collect();
        seen.found.sort_by_key(|found| (found.frames.start, found.leg, found.part));
        seen
    }

    /// A root trajectory that stays where it is in times that are kept; in the first of these it is zero. Where none is, its mean is zero, so that no frame counts for more
    /// than another.
    fn eased(&self, path: &[DVec3]) -> Vec<DVec3> {
        let mut place = DVec3::ZERO;
        let mut eased = Vec::with_capacity(path.len());
        for (frame, at) in path.iter().enumerate() {
            if let Some(before) = frame.checked_sub(1) {
                place += (*at - path[before]) * (0.5 * (self.shares[before] + self.shares[frame]));
            }
            eased.push(place);
        }
        let zero = match self.shares.iter().position(|share| *share == 0.0) {
            Some(first) => eased[first],
            None => {
                let own = self.cycle.map_or(0..eased.len(), |cycle| cycle.frames.clone());
                eased[own.clone()].iter().sum::<DVec3>() / own.len().max(1) as f64
            }
        };
        eased.iter_mut().for_each(|place| *place -= zero);
        eased
    }

    /// What of a contact is in times that are kept, and what of it is away from them and long enough. What stands in an end that is kept goes on from there.
    fn parted(&self, found: &Found) -> Vec<Found> {
        let own = &self.shares[found.frames.clone()];
        if own.iter().all(|share| *share == 1.0) {
            return vec![found.clone()];
        }
        let part = |run: Range<usize>, is_kept: bool, anchor: Option<usize>| {
            let frames = found.frames.start + run.start..found.frames.start + run.end;
            Found { rolls: frames.clone(), frames, is_kept, anchor, ..found.clone() }
        };
        let of = |share: f64| runs(&own.iter().map(|own| *own == share).collect::<Vec<_>>());
        let is_long = |run: &Range<usize>| {
            run.len() as f64 * self.clip.frame_time() >= self.settings.shortest
        };
        let held = of(1.0).into_iter().map(|mut run| {
            let anchor = self.end_beside(found, &run);
            match anchor {
                Some(frame) if frame < END => run.start = END - found.frames.start,
                Some(frame) => run.end = frame - found.frames.start,
                None => {}
            }
            (run, anchor)
        });
        let held = held.filter(|(run, _)| is_long(run)).map(|(run, at)| part(run, false, at));
        held.chain(of(0.0).into_iter().map(|run| part(run, true, None))).collect()
    }

    /// The end that is kept in which a contact stands right before a run of its frames, or after it. One least squares goes over from it by itself; contact by contact,
    /// each goes over in its own time.
    fn end_beside(&self, found: &Found, run: &Range<usize>) -> Option<usize> {
        if !self.settings.keep_ends || self.has_few_turns() {
            return None;
        }
        let n = self.clip.n_frames();
        let frames = found.frames.start + run.start..found.frames.start + run.end;
        let goes_over = |mut between: Range<usize>| {
            between.all(|frame| self.shares[frame] > 0.0 && self.shares[frame] < 1.0)
        };
        if found.frames.start < END && goes_over(END..frames.start) {
            Some(END - 1)
        } else if found.frames.end > n - END && goes_over(frames.end..n - END) {
            Some(n - END)
        } else {
            None
        }
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

    /// The contacts of all segments, and the displacement of the root trajectory, which goes on through jumps.
    fn see_as(&self, segments: &[Range<usize>], in_place: bool) -> Seen {
        let (clip, n_frames) = (self.clip, self.clip.n_frames());
        let (mut plants, mut found) = (Vec::new(), Vec::new());
        let mut path: Vec<DVec3> = Vec::with_capacity(n_frames);
        let mut grounds = Vec::new();
        for segment in segments {
            let ([raw, own], steps, ground) = self.see_segment(segment, in_place);
            plants.extend(raw.into_iter().map(|found| Plant {
                leg: found.leg,
                part: found.part,
                frames: found.frames,
            }));
            let n_held: usize = own.iter().map(|found| found.frames.len()).sum();
            grounds.push((n_held, ground));
            found.extend(own);
            let before = path.last().copied().unwrap_or(DVec3::ZERO);
            path.extend(steps.into_iter().map(|step| before + step));
        }
        path.resize(n_frames, DVec3::ZERO);
        // The first of those that most stands on.
        let most =
            grounds.into_iter().reduce(|best, next| if next.0 > best.0 { next } else { best });
        let floor = match (self.settings.floor, most) {
            (FloorChoice::Given(floor), _) => floor,
            (_, Some((_, floor))) => floor,
            _ => Floor { point: DVec3::ZERO, normal: clip.up() },
        };
        plants.sort_by_key(Plant::order);
        Seen { floor, segments: segments.to_vec(), plants, found, path, in_place }
    }

    /// The contacts of a segment and what of them is at one place, the displacement of its root trajectory from its first frame, and its floor.
    fn see_segment(
        &self,
        segment: &Range<usize>,
        in_place: bool,
    ) -> ([Vec<Found>; 2], Vec<DVec3>, Floor) {
        let (frame_time, choice) = (self.clip.frame_time(), self.settings.floor);
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
        let ground = (choice, self.clip.up());
        let period = |cycle: &Cycle| cycle.period() as f64 * frame_time;
        let period = self.cycle.map_or(f64::INFINITY, period);
        let found = contacts::find(
            &parts,
            &velocity,
            ground,
            in_place,
            (frame_time, self.settings.shortest, period),
        );
        let normal = found.ground.normal;
        let path = match found.support.moves() {
            true => found.support.path(&root, normal, frame_time),
            false => vec![DVec3::ZERO; root.len()],
        };
        let supposed = found.supposed.path(&root, normal, frame_time);
        let at = |part: usize, frame: usize| parts[part].at[frame] + supposed[frame];
        let mut stances = contacts::at_one_place(
            (&parts, &found.stances),
            at,
            &velocity,
            (normal, self.settings.firm),
            frame_time,
            self.settings.shortest,
        );
        if let FloorChoice::Given(floor) = choice {
            stances.retain(|stance| {
                let part = &parts[stance.part];
                let height =
                    |frame: usize| floor.height(part.at[frame] * self.length) / self.length;
                let mean: f64 = stance.frames.clone().map(height).sum();
                let [low, high] = NEAR[usize::from(part.part == Part::Heel)];
                (low..=high).contains(&(mean / stance.frames.len() as f64))
            });
        }
        let stances = contacts::without_shuffles(&stances, frame_time);
        let rests = (0..parts.len())
            .filter(|part| stances.iter().any(|stance| stance.part == *part))
            .map(|part| found.ground.rests[part]);
        let lowest = rests.fold(f64::INFINITY, f64::min);
        let all = parts.iter().flat_map(|part| &part.at).map(|at| at.dot(normal));
        let height = if lowest.is_finite() { lowest } else { all.fold(f64::INFINITY, f64::min) };
        let floor = Floor { point: normal * (height * self.length), normal };
        let of_clip = |Stance { part, frames, rolls }: &Stance| Found {
            leg: parts[*part].leg,
            part: parts[*part].part,
            frames: segment.start + frames.start..segment.start + frames.end,
            rolls: segment.start + rolls.start..segment.start + rolls.end,
            is_kept: false,
            anchor: None,
        };
        let all = [&found.stances, &stances].map(|stances| stances.iter().map(of_clip).collect());
        (all, path, floor)
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

    pub(super) fn place(&self, found: &Found, frame: usize, path: &[DVec3]) -> DVec3 {
        self.at(frame, self.legs[found.leg].joint(found.part)) + path[frame]
    }

    /// How far a part slides in a contact \[leg lengths\].
    pub(super) fn slide(&self, found: &Found, path: &[DVec3], floor: &Floor) -> f64 {
        let place = |frame| self.place(found, frame, path);
        let places: Vec<DVec3> = found.frames.clone().map(place).collect();
        drift(&places, floor.normal)
    }

    /// Where a contact stands: where it is in what is kept right beside it, else at the mean of where it is.
    pub(super) fn stance(&self, found: &Found, path: &[DVec3]) -> DVec3 {
        if let Some(anchor) = found.anchor {
            return self.place(found, anchor, path);
        }
        let sum: DVec3 = found.frames.clone().map(|frame| self.place(found, frame, path)).sum();
        sum / found.frames.len() as f64
    }

    /// What becomes of contacts before anything is held.
    pub(super) fn reports(&self, seen: &Seen) -> Vec<PlantReport> {
        let Seen { floor, found, path, in_place, .. } = seen;
        let still = vec![DVec3::ZERO; path.len()];
        let report = |found: &Found| {
            let slide = self.slide(found, path, floor);
            // The path of an in-place walk is how it is judged, and no change.
            let before = if *in_place { slide } else { self.slide(found, &still, floor) };
            let verdict = if found.is_kept {
                Verdict::Kept
            } else if slide > self.settings.release {
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
}

/// How much of the change each frame takes: nothing in times that are kept, all of it farther away than `ease`, and in between it goes over.
fn shares(clip: &Clip, settings: &CleanSettings) -> Vec<f64> {
    let n = clip.n_frames();
    let mut shares = vec![1.0_f64; n];
    let ease = settings.ease / clip.frame_time();
    let ends = [0..END.min(n), n.saturating_sub(END)..n].into_iter();
    let ends = ends.filter(|_| settings.keep_ends);
    let times = settings.keep.iter().map(|(from, to)| clip.frames(*from, *to));
    for frames in times.chain(ends).filter(|frames| !frames.is_empty()) {
        for (frame, share) in shares.iter_mut().enumerate() {
            let away =
                frames.start.saturating_sub(frame).max((frame + 1).saturating_sub(frames.end));
            if (away as f64) < ease || away == 0 {
                let t = if away == 0 { 0.0 } else { away as f64 / ease };
                *share = share.min(t * t * (3.0 - 2.0 * t));
            }
        }
    }
    shares
}
