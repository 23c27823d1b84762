//! The clip in which contacts hold, and how well they do.

use core::ops::Range;

use posekit::glam::DVec3;
use posekit::math::{Pose, direction_or};
use posekit::skeleton::Frame;

use super::source::{Found, Seen, Source};
use super::{holding, moved_back};
use crate::error::Result;
use crate::hold::{Along, ContactReport, MISS, check_contacts, hold_on_joints, hold_on_path};
use crate::metrics::drift;
use crate::paths::joints_of;
use crate::plant::{CLEAN, Part, PlantReport, Verdict};
use crate::space_time::{CONTACT, Change, EASE, Held, LegMotion, Problem, ROOT, usual_axis};
use crate::tracks::Tracks;
use crate::travel::shifted;
use crate::{Clip, Contact, Hold, Leg, Support};

/// What a contact may cost: displacement of the root \[leg lengths\], rotation of hip, knee and foot \[rad\]. Beyond, it is released.
const BOUND: [f64; 4] = [0.15, 0.6, 0.6, 0.45];

/// Eases shorter than this part of [`EASE`] are as short: less than a frame.
const LEAST_EASE: f64 = 0.25;

/// Rounds of releasing contacts.
const RELEASES: usize = 3;

/// A clip in which contacts hold.
pub(super) struct Outcome {
    pub(super) clip: Clip,
    /// The joints that were changed.
    pub(super) changed: Vec<usize>,
    /// What holds, or stands already.
    pub(super) contacts: Vec<Contact>,
    /// How well, in the same order.
    pub(super) held: Vec<ContactReport>,
    pub(super) reports: Vec<PlantReport>,
}

/// A segment, what is held in it, and the change that does, if any is needed.
type Solved = (Range<usize>, Vec<Held>, Option<Change>);

impl Source<'_> {
    /// Makes contacts hold.
    pub(super) fn outcome(&self, seen: &Seen) -> Result<Outcome> {
        let settings = self.settings;
        let mut outcome = if let Some(given) = &settings.contacts {
            self.hold_given(seen, given)?
        } else if self.has_few_turns() || settings.hold.max_stretch > 0.0 {
            self.hold_found(seen)?
        } else {
            self.hold_smoothly(seen)
        };
        let after = self.judged_tracks(&outcome.clip, seen);
        for report in &mut outcome.reports {
            let joint = self.legs[report.plant.leg].joint(report.plant.part);
            let places: Vec<DVec3> =
                report.plant.frames.clone().map(|frame| after.place(frame, joint)).collect();
            report.drift_after = drift(&places, seen.floor.normal);
        }
        Ok(outcome)
    }

    /// Where the legs of the clip with what was changed are, as they are judged: an in-place walk goes on.
    fn judged_tracks(&self, cleaned: &Clip, seen: &Seen) -> Tracks {
        let path = if seen.in_place { self.path_of(seen) } else { Vec::new() };
        Tracks::new(cleaned, &joints_of(self.legs)).moved(&path)
    }

    /// By one least squares over all frames.
    fn hold_smoothly(&self, seen: &Seen) -> Outcome {
        let Seen { floor, segments, found, path, in_place, .. } = seen;
        let mut reports = self.reports(seen);
        let moves = self.moves();
        let mut solved: Vec<Solved> = Vec::new();
        for segment in segments {
            let legs = self.leg_motions(segment.clone(), path);
            let (mut round, mut last) = (0, None);
            loop {
                let own = self.held_in(segment, found, &reports);
                let held = self.targets(&own, found, path, (segment.start, floor.normal));
                if own.iter().all(|k| self.slide(&found[*k], path, floor) < CLEAN) {
                    solved.push((segment.clone(), held, None));
                    break;
                }
                let eases = self.eases(segment);
                let problem = self.problem((&legs, &held), moves, &eases);
                let change = problem.solve(last.as_ref());
                let costly: Vec<usize> = own
                    .into_iter()
                    .zip(&held)
                    .filter(|(_, held)| is_costly(&change, held))
                    .map(|(k, _)| k)
                    .collect();
                if costly.is_empty() || round == RELEASES {
                    solved.push((segment.clone(), held, Some(change)));
                    break;
                }
                (round, last) = (round + 1, Some(change));
                for k in costly {
                    let slide = self.slide(&found[k], path, floor) * self.length;
                    reports[k].verdict = Verdict::Released { slide };
                }
            }
        }
        let (clip, changed) = self.applied((path, *in_place), (&solved, moves));
        let (contacts, held) = self.contacts_of(&solved, &clip, seen, &mut reports);
        Outcome { clip, changed, contacts, held, reports }
    }

    /// By [`hold`](crate::hold()), where joints turn about few axes or bones may stretch.
    fn hold_found(&self, seen: &Seen) -> Result<Outcome> {
        let mut reports = self.reports(seen);
        loop {
            let mut own = Vec::new();
            let mut contacts = Vec::new();
            for segment in &seen.segments {
                let of_segment = self.held_in(segment, &seen.found, &reports);
                let targets =
                    self.targets(&of_segment, &seen.found, &seen.path, (0, seen.floor.normal));
                contacts.extend(targets.iter().map(|held| self.contact(held, 0)));
                own.extend(of_segment);
            }
            if own.iter().all(|k| reports[*k].verdict == Verdict::Clean) {
                let held = Vec::new();
                return Ok(Outcome {
                    clip: self.clip.clone(),
                    changed: Vec::new(),
                    contacts,
                    held,
                    reports,
                });
            }
            let (clip, changed, held) = self.hold_contacts(seen, &contacts)?;
            let mut is_kept = true;
            for (k, held) in own.iter().zip(&held).filter(|(_, held)| !held.missed.is_empty()) {
                let ContactReport { residual: by, by_channels, .. } = *held;
                reports[*k].verdict =
                    Verdict::Unreachable { by, frames: held.missed.len(), by_channels };
                // What channels keep from standing is left as it is, and the rest held without it.
                is_kept &= !by_channels;
            }
            if is_kept {
                return Ok(Outcome { clip, changed, contacts, held, reports });
            }
        }
    }

    /// Contacts that are given.
    fn hold_given(&self, seen: &Seen, given: &[Contact]) -> Result<Outcome> {
        check_contacts(self.clip.skeleton(), given)?;
        let all = match self.cycle {
            Some(cycle) => cycle.contacts(self.clip, cycle.gain(&seen.path) * self.length, given),
            None => given.to_vec(),
        };
        let (clip, mut changed, mut held) = self.hold_contacts(seen, &all)?;
        let still = CLEAN * self.length;
        let stood = self.hold_with(seen, &all, 0.0)?;
        let stands = stood.2.iter().all(|contact| {
            contact.missed.is_empty() || contact.residual < still && contact.angle < CLEAN
        });
        let mut clip = clip;
        if stands {
            (clip, changed, held) = (self.clip.clone(), Vec::new(), stood.2);
            held.iter_mut().for_each(|held| held.missed.clear());
        }
        held.truncate(given.len());
        let mut reports = self.reports(seen);
        reports.retain_mut(|report| {
            let joint = self.legs[report.plant.leg].joint(report.plant.part);
            let own = &report.plant.frames;
            let of = |contact: &Contact| {
                let frames = self.clip.frames(contact.from, contact.to);
                let common = frames.start.max(own.start)..frames.end.min(own.end);
                (contact.frame.joint == joint && !common.is_empty()).then_some(common)
            };
            let all =
                given.iter().filter_map(of).reduce(|a, b| a.start.min(b.start)..a.end.max(b.end));
            let Some(frames) = all else { return false };
            report.plant.frames = frames.clone();
            let places: Vec<DVec3> = frames
                .map(|frame| {
                    self.at(frame, joint)
                        + if seen.in_place { seen.path[frame] } else { DVec3::ZERO }
                })
                .collect();
            let before = drift(&places, seen.floor.normal);
            report.drift_before = before * self.length;
            report.verdict = if stands || before < CLEAN { Verdict::Clean } else { Verdict::Fixed };
            true
        });
        Ok(Outcome { clip, changed, contacts: given.to_vec(), held, reports })
    }

    /// Contacts by [`hold`](crate::hold()) with the strength of the settings; what is missed is what all of the correction would miss, too.
    fn hold_contacts(
        &self,
        seen: &Seen,
        contacts: &[Contact],
    ) -> Result<(Clip, Vec<usize>, Vec<ContactReport>)> {
        let strength = self.settings.strength;
        let whole = self.hold_with(seen, contacts, 1.0)?;
        if strength >= 1.0 {
            return Ok(whole);
        }
        let mut part = self.hold_with(seen, contacts, strength)?;
        for (part, whole) in part.2.iter_mut().zip(whole.2) {
            (part.missed, part.by_channels) = (whole.missed, whole.by_channels);
        }
        Ok(part)
    }

    fn hold_with(
        &self,
        seen: &Seen,
        contacts: &[Contact],
        strength: f64,
    ) -> Result<(Clip, Vec<usize>, Vec<ContactReport>)> {
        let (clip, legs) = (self.clip, self.legs);
        let path = self.path_of(seen);
        // The path of an in-place walk is no change.
        let path_part = if seen.in_place { 1.0 } else { strength };
        let is_kept = self.shares.iter().any(|share| *share < 1.0);
        let shares = if is_kept { self.shares.as_slice() } else { &[] };
        let along = Along { path: &path, path_part, shares };
        let settings = crate::HoldSettings { strength, ..holding(legs, self.settings) };
        let hold = |contacts: &[Contact]| hold_on_path(clip, along, contacts, &settings, self.keep);
        let held = hold_on_joints(clip, contacts, hold)?;
        let clip = if seen.in_place { moved_back(&held.clip, legs, &path) } else { held.clip };
        Ok((self.restored(clip), held.changed, held.contacts))
    }

    /// The clip with the frames of times that are kept as they were, to the bit, where the root trajectory is as it was.
    fn restored(&self, clip: Clip) -> Clip {
        let Some(first) = self.shares.iter().position(|share| *share == 0.0) else { return clip };
        let n = clip.skeleton().n_values();
        let mut values = clip.values().to_vec();
        for frame in (first..clip.n_frames()).take_while(|frame| self.is_kept(*frame)) {
            values[frame * n..(frame + 1) * n].copy_from_slice(self.clip.frame(frame));
        }
        clip.with_edited(values, &[])
    }

    /// Which contacts of a segment are to stand.
    fn held_in(
        &self,
        segment: &Range<usize>,
        found: &[Found],
        reports: &[PlantReport],
    ) -> Vec<usize> {
        let is_held = |k: &usize| {
            matches!(
                reports[*k].verdict,
                Verdict::Fixed | Verdict::Clean | Verdict::Unreachable { by_channels: false, .. }
            ) && found[*k].frames.start >= segment.start
                && found[*k].frames.end <= segment.end
        };
        (0..found.len()).filter(is_held).collect()
    }

    /// What is held as a contact.
    fn contact(&self, held: &Held, start: usize) -> Contact {
        let joint = self.legs[held.leg].joint([Part::Heel, Part::Ball][held.point]);
        Contact {
            frame: Frame::new(joint, Pose::IDENTITY),
            from: self.clip.time(start + held.frames.start),
            to: self.clip.time(start + held.frames.end - 1),
            hold: Hold::Position(Some(held.target * self.length)),
            on: Support::World,
            ease_in: self.settings.ease,
            ease_out: self.settings.ease,
        }
    }

    /// Where contacts are held: each where it stands; a heel as far from the ball held at the same time as the foot is long.
    fn targets(
        &self,
        own: &[usize],
        found: &[Found],
        path: &[DVec3],
        (start, normal): (usize, DVec3),
    ) -> Vec<Held> {
        let place = |k: &usize| self.stance(&found[*k], path);
        let places: Vec<DVec3> = own.iter().map(place).collect();
        // Those that may share frames with some, as all are in the order of their first frames.
        let longest = own.iter().map(|k| found[*k].frames.len()).max().unwrap_or(0);
        let around = |frames: &Range<usize>| {
            let first = own.partition_point(|k| found[*k].frames.start + longest <= frames.start);
            let end = own.partition_point(|k| found[*k].frames.start < frames.end);
            first..end.max(first)
        };
        let held = |(k, target): (&usize, &DVec3)| {
            let Found { leg, part, ref frames, ref rolls, .. } = found[*k];
            let mut target = *target;
            let near = around(rolls);
            // The part of the foot that the other one goes by, as far as the foot is long.
            let leads = |found: &Found, other: &Found| match found.part {
                Part::Ball => found.anchor.is_some() || other.anchor.is_none(),
                Part::Heel => found.anchor.is_some() && other.anchor.is_none(),
            };
            let beside = |(other, _): &(&usize, &DVec3)| {
                let other = &found[**other];
                let shared = frames.end.min(other.frames.end) as f64
                    - frames.start.max(other.frames.start) as f64;
                let is_other = part != other.part && other.leg == leg;
                (is_other && shared > 0.0 && leads(other, &found[*k])).then_some(shared)
            };
            let pairs = own[near.clone()].iter().zip(&places[near.clone()]);
            let leading = pairs.filter_map(|pair| Some((beside(&pair)?, pair)));
            if let Some((_, (other, at))) = leading.max_by(|a, b| a.0.total_cmp(&b.0)) {
                let middle = found[*other].frames.start.max(frames.start);
                let joints = [part, found[*other].part].map(|part| self.legs[leg].joint(part));
                let [own, lead] = joints.map(|joint| self.at(middle, joint));
                target = *at + direction_or(target - *at, own - lead) * own.distance(lead);
            }
            // While another part of the foot is held, it may roll about that.
            let is_alone = |frame: &usize| {
                own[near.clone()].iter().all(|other| {
                    let other = &found[*other];
                    other.leg != leg || !other.frames.contains(frame)
                })
            };
            let before = (rolls.start..frames.start).rev().take_while(is_alone).count();
            let after = (frames.end..rolls.end).take_while(is_alone).count();
            let frames = frames.start - start..frames.end - start;
            let rolls = frames.start - before..frames.end + after;
            Held { leg, point: part as usize, frames, rolls, target, normal, weight: CONTACT }
        };
        own.iter().zip(&places).map(held).collect()
    }

    pub(super) fn problem<'p>(
        &self,
        (legs, held): (&'p [LegMotion], &'p [Held]),
        moves: [bool; 3],
        eases: &'p [f64],
    ) -> Problem<'p> {
        let (root, frame_time) = (ROOT, self.clip.frame_time());
        Problem { legs, held, root, moves, eases, known: Vec::new(), frame_time }
    }

    /// How slowly root and legs blend in the frames of a segment; 0 in those that are kept.
    pub(super) fn eases(&self, segment: &Range<usize>) -> Vec<f64> {
        let ease = (self.settings.ease / EASE).max(LEAST_EASE);
        let of_frame = |frame| if self.is_kept(frame) { 0.0 } else { ease };
        let all = segment.clone().map(of_frame);
        all.flat_map(|ease| core::iter::repeat_n(ease, 1 + self.legs.len())).collect()
    }

    /// The legs over a segment, on the root's trajectory.
    pub(super) fn leg_motions(&self, segment: Range<usize>, path: &[DVec3]) -> Vec<LegMotion> {
        let of_leg = |leg: &Leg| {
            let (tracks, limb) = (&self.tracks, leg.limb);
            let axis = usual_axis(self.clip, limb, tracks, (0.0, DVec3::X));
            let foot = |frame: usize| {
                let [ball, ankle] = [leg.ball.unwrap_or(limb.end), limb.end];
                [DVec3::ZERO, tracks.place(frame, ball) - tracks.place(frame, ankle)]
            };
            let frames = segment.clone();
            let mut motion =
                LegMotion::new(self.clip, (limb, axis), (tracks, self.length), frames, foot);
            motion.hip.iter_mut().zip(&path[segment.clone()]).for_each(|(hip, by)| *hip += *by);
            motion
        };
        self.legs.iter().map(of_leg).collect()
    }

    /// The clip with the change, and the joints that changed.
    fn applied(
        &self,
        (path, in_place): (&[DVec3], bool),
        (solved, moves): (&[Solved], [bool; 3]),
    ) -> (Clip, Vec<usize>) {
        let n = self.clip.skeleton().n_values();
        let strength = self.settings.strength;
        let mut values = self.clip.values().to_vec();
        let mut shifts: Vec<DVec3> = match in_place {
            true => vec![DVec3::ZERO; path.len()],
            false => path.iter().map(|shift| *shift * (strength * self.length)).collect(),
        };
        let mut changed: Vec<usize> = Vec::new();
        for (segment, held, change) in solved {
            let Some(change) = change else { continue };
            let legs = self.leg_motions(segment.clone(), path);
            let eases = self.eases(segment);
            let problem = self.problem((&legs, held), moves, &eases);
            let holding = problem.holding();
            for frame in segment.clone().filter(|frame| !self.is_kept(*frame)) {
                let own = frame - segment.start;
                shifts[frame] += change.root(own) * (strength * self.length);
                let q = &mut values[frame * n..(frame + 1) * n];
                for leg in 0..legs.len() {
                    let holding = &holding[own * legs.len() + leg];
                    let limb = self.legs[leg].limb;
                    let rotations =
                        limb.joints().map(|joint| self.tracks.pose(frame, joint).rotation);
                    let turns = problem.finished(change, (own, leg), holding, strength);
                    turns.write(self.clip.skeleton(), limb, rotations, q);
                }
            }
            changed.extend(self.legs.iter().flat_map(|leg| leg.limb.joints()));
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

    /// The contacts that were held, and how well, as the edited clip has them.
    fn contacts_of(
        &self,
        solved: &[Solved],
        cleaned: &Clip,
        seen: &Seen,
        reports: &mut [PlantReport],
    ) -> (Vec<Contact>, Vec<ContactReport>) {
        let after = self.judged_tracks(cleaned, seen);
        let (mut contacts, mut held_reports) = (Vec::new(), Vec::new());
        for (report, found) in reports.iter_mut().zip(&seen.found) {
            let of = |held: &&Held, start: usize| {
                (held.leg, held.point) == (found.leg, found.part as usize)
                    && held.frames.start + start == found.frames.start
            };
            let held = solved.iter().find_map(|(segment, held, change)| {
                let held = held.iter().find(|held| of(held, segment.start))?;
                Some((held, segment.start, change.is_some()))
            });
            let Some((held, start, is_changed)) = held else { continue };
            let joint = self.legs[found.leg].joint(found.part);
            let target = held.target * self.length;
            let off = |frame: usize| after.place(frame, joint).distance(target);
            let residual = found.frames.clone().map(off).fold(0.0, f64::max);
            let is_missed = |frame: &usize| {
                off(*frame) > MISS * self.length && self.settings.strength == 1.0 && is_changed
            };
            let missed: Vec<usize> = found.frames.clone().filter(is_missed).collect();
            if !missed.is_empty() {
                let (by, frames) = (residual, missed.len());
                report.verdict = Verdict::Unreachable { by, frames, by_channels: false };
            }
            contacts.push(self.contact(held, start));
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

/// Whether the change at a contact is more than [`BOUND`].
pub(super) fn is_costly(change: &Change, held: &Held) -> bool {
    held.frames.clone().any(|frame| {
        let [hip, knee, foot] = change.turns(frame, held.leg);
        let cost = [change.root(frame).length(), hip, knee, foot];
        cost.iter().zip(BOUND).any(|(cost, bound)| *cost > bound)
    })
}
