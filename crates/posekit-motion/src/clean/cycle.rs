//! Cycles are cleaned as they are played: again and again.

use core::cmp::Reverse;
use core::mem;
use core::ops::Range;
use std::borrow::Cow;

use posekit::glam::DVec3;

use super::source::{Found, Seen};
use super::{CleanSettings, Cleaned};
use crate::hold::{ContactReport, Held};
use crate::paths::{joints_of, mean_length};
use crate::plant::Plant;
use crate::travel::{carrier, shifted};
use crate::{Clip, Contact, Leg};

/// In a cycle the last pose is the first one to this \[leg lengths\].
const SAME: f64 = 1e-3;

/// How much of what is played before and after a cycle is cleaned with it \[s\]: nothing that is farther away has a say in it.
const AROUND: f64 = 2.0;

/// And how many times the cycle at most.
const MOST_AROUND: usize = 8;

/// A cycle among others before and after it.
#[derive(Debug)]
pub(super) struct Cycle {
    /// Its frames, the last one of which is the first one of the next.
    pub(super) frames: Range<usize>,
    /// How far the root goes in it \[the clip's unit\].
    travel: DVec3,
    /// One that is back where it was goes round and round at its place.
    pub(super) returns: bool,
    /// What is back where it was is so to this \[the clip's unit\].
    near: f64,
}

/// A clip whose last pose is its first one as it is played, with the cycles before and after it; any other as it is.
pub(super) fn unrolled<'c>(
    clip: &'c Clip,
    legs: &[Leg],
    settings: &CleanSettings,
) -> (Cow<'c, Clip>, Option<Cycle>) {
    let found = Cycle::find(clip, legs, settings);
    let unrolled = found.as_ref().map(|cycle| cycle.unrolled(clip, carrier(clip, legs)));
    (unrolled.map_or(Cow::Borrowed(clip), Cow::Owned), found)
}

impl Cycle {
    fn find(clip: &Clip, legs: &[Leg], settings: &CleanSettings) -> Option<Self> {
        let last = clip.n_frames().checked_sub(1).filter(|last| *last > 1)?;
        if settings.keep_ends || !settings.keep.is_empty() {
            return None;
        }
        let root = carrier(clip, legs);
        let carried = root.or(legs.first().map(|leg| leg.limb.start))?;
        let [first, end] = [0, last].map(|frame| clip.skeleton().poses(clip.frame(frame)));
        let way = |joint: usize| end[joint].translation - first[joint].translation;
        let (travel, near) = (way(carried), SAME * mean_length(clip, legs));
        let returns = travel.length() < near;
        let is_back = |joint: &usize| (way(*joint) - travel).length() < near;
        if !(returns || root.is_some()) || !joints_of(legs).iter().all(is_back) {
            return None;
        }
        let wanted = (AROUND / clip.frame_time()).ceil().min((MOST_AROUND * last) as f64);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded")]
        let around = wanted as usize;
        Some(Self { frames: around..around + last + 1, travel, returns, near })
    }

    /// From a pose to the same one \[frames\].
    pub(super) fn period(&self) -> usize {
        self.frames.len() - 1
    }

    fn unrolled(&self, clip: &Clip, root: Option<usize>) -> Clip {
        let (around, period) = (self.frames.start, self.period());
        // The cycle itself keeps its last frame, the ones before it their first, the ones after it their last.
        let before = (0..around).rev().map(|away| {
            let rounds = away / period + 1;
            (rounds * period - away - 1, -(rounds as f64))
        });
        let after = (0..around).map(|away| (away % period + 1, (away / period + 1) as f64));
        let own = (0..=period).map(|frame| (frame, 0.0));
        let (frames, rounds): (Vec<usize>, Vec<f64>) = before.chain(own).chain(after).unzip();
        let values = frames.iter().flat_map(|frame| clip.frame(*frame)).copied().collect();
        let unrolled = clip
            .with_edited(values, &all_joints(clip))
            .with_start(clip.start() - around as f64 * clip.frame_time());
        let Some(root) = root else { return unrolled };
        let path: Vec<DVec3> = rounds.iter().map(|rounds| self.travel * *rounds).collect();
        shifted(&unrolled, root, &path)
    }

    /// How many cycles begin before it, as many as end after it.
    fn n_before(&self) -> usize {
        self.frames.start.div_ceil(self.period())
    }

    /// Frames of one of all cycles, as far as there are, where these are its frames.
    ///
    /// - `round`: which one: [`n_before`](Self::n_before) for the cycle itself, up to twice as many
    fn in_round(&self, frames: &Range<usize>, round: usize) -> Range<usize> {
        let (later, sooner) = (round * self.period(), self.n_before() * self.period());
        let n_frames = self.frames.start + self.frames.end;
        let at = |frame: usize| (frame + later).saturating_sub(sooner).min(n_frames);
        at(frames.start)..at(frames.end)
    }

    /// How much farther a displacement of the root is at the end of the cycle than at its beginning.
    pub(super) fn gain(&self, path: &[DVec3]) -> DVec3 {
        path[self.frames.end - 1] - path[self.frames.start]
    }

    /// What is seen in the cycle is so before and after it, too.
    pub(super) fn repeat(&self, seen: &mut Seen) {
        let (first, period, n_frames) = (self.frames.start, self.period(), seen.path.len());
        // A figure that comes back where it was goes on doing so; in place it goes as far each time.
        if self.returns && !seen.in_place {
            let each = self.gain(&seen.path) / period as f64;
            seen.path.iter_mut().enumerate().for_each(|(frame, at)| *at -= each * frame as f64);
        }
        seen.path = self.repeated(&seen.path[self.frames.clone()]);
        // What stands longer than a cycle always does; of what it may be in the cycle, which ends may show differently, the longest.
        let is_always = |found: &Found| found.frames.len() > period;
        let mut own = mem::take(&mut seen.found);
        own.retain(|found| {
            is_always(found) || (first..first + period).contains(&found.frames.start)
        });
        own.sort_by_key(|found| Reverse(found.frames.len()));
        for found in own {
            for round in 0..=2 * self.n_before() {
                let again = |frames: &Range<usize>| match is_always(&found) {
                    true => 0..n_frames,
                    false => self.in_round(frames, round),
                };
                let (frames, rolls) = (again(&found.frames), again(&found.rolls));
                let meets = |other: &Found| {
                    (other.leg, other.part) == (found.leg, found.part)
                        && frames.start.max(other.frames.start) < frames.end.min(other.frames.end)
                };
                if !frames.is_empty() && !seen.found.iter().any(meets) {
                    seen.found.push(Found { frames, rolls, ..found.clone() });
                }
            }
        }
    }

    /// A displacement of the root in each frame of the cycle as it goes on before and after it; none where it is not known for each.
    pub(super) fn repeated(&self, path: &[DVec3]) -> Vec<DVec3> {
        let (period, n_before) = (self.period(), self.n_before());
        let at = |frame: usize| {
            let frame = frame + n_before * period - self.frames.start;
            let rounds = (frame / period) as f64 - n_before as f64;
            path[frame % period] + (path[period] - path[0]) * rounds
        };
        let all = 0..self.frames.start + self.frames.end;
        let is_known = path.len() == self.frames.len();
        if is_known { all.map(at).collect() } else { all.map(|_| DVec3::ZERO).collect() }
    }

    /// Contacts that are given for the cycle as they hold while it is played again and again: first they themselves, which hold in it alone, then those before and after it of
    /// joints that are back at its end.
    ///
    /// - `gain`: of the displacement of the root \[the clip's unit\]
    /// - `given`: that make sense
    pub(super) fn contacts(&self, unrolled: &Clip, gain: DVec3, given: &[Contact]) -> Vec<Contact> {
        let [first, last] = [self.frames.start, self.frames.end - 1];
        let [begin, end] =
            [first, last].map(|frame| unrolled.skeleton().poses(unrolled.frame(frame)));
        let in_cycle = |contact: &Contact| {
            let frames = self.common(&unrolled.frames(contact.from, contact.to));
            first + frames.start..first + frames.end
        };
        let own: Vec<Range<usize>> = given.iter().map(in_cycle).collect();
        let holds = |joint: usize, frame: usize| {
            let mut all = given.iter().zip(&own);
            all.any(|(contact, own)| contact.frame.joint == joint && own.contains(&frame))
        };
        // What is outside the cycle has no frames.
        let timed = |contact: Contact, frames: &Range<usize>| {
            let times = (!frames.is_empty())
                .then(|| [frames.start, frames.end - 1].map(|frame| unrolled.time(frame)));
            let [from, to] = times.unwrap_or([f64::MIN; 2]);
            Contact { from, to, ..contact }
        };
        let pairs = || given.iter().zip(&own);
        let mut all: Vec<Contact> =
            pairs().map(|(contact, own)| timed(contact.clone(), own)).collect();
        let is_back = |contact: &Contact| {
            let joint = contact.frame.joint;
            let way = end[joint].translation - begin[joint].translation;
            (way - self.travel).length() <= self.near
        };
        for (contact, own) in pairs().filter(|(contact, own)| !own.is_empty() && is_back(contact)) {
            // Of two cycles the one whose contact it is holds the frame that they share.
            let joint = contact.frame.joint;
            let starts_later = usize::from(own.start == first && holds(joint, last));
            let ends_sooner = usize::from(own.end == last + 1 && holds(joint, first));
            for round in (0..=2 * self.n_before()).filter(|round| *round != self.n_before()) {
                let rounds = round as f64 - self.n_before() as f64;
                let frames = match rounds > 0.0 {
                    true => own.start + starts_later..own.end,
                    false => own.start..own.end - ends_sooner,
                };
                let frames = self.in_round(&frames, round);
                if !frames.is_empty() {
                    let later = rounds * self.period() as f64 * unrolled.frame_time();
                    let again = contact.moved(later, (self.travel + gain) * rounds);
                    all.push(timed(again, &frames));
                }
            }
        }
        all
    }

    /// What cleaning made of the cycle, without what is before and after it.
    ///
    /// - `clip`: the cycle as it was
    pub(super) fn cut(&self, clip: &Clip, cleaned: Cleaned, are_given: bool) -> Cleaned {
        let Cleaned { clip: unrolled, mut plants, mut contacts, mut standing, mut held, .. } =
            cleaned;
        plants.retain_mut(|report| self.cut_plant(&mut report.plant));
        plants.sort_by_key(|report| report.plant.order());
        if !are_given {
            contacts.retain_mut(|contact| cut_contact(clip, contact));
            standing.retain_mut(|contact| cut_contact(clip, contact));
            held.retain(|report| !self.common(&report.frames).is_empty());
        }
        held.iter_mut().for_each(|report| self.cut_report(report));
        let path = cleaned.path.get(self.frames.clone()).unwrap_or_default().to_vec();
        let clip = self.cut_clip(clip, &unrolled, &cleaned.changed);
        Cleaned { clip, plants, contacts, standing, held, path, ..cleaned }
    }

    /// What holding made of the cycle, without what is before and after it.
    ///
    /// - `clip`: the cycle as it was
    /// - `n_given`: of the contacts of the cycle itself
    pub(super) fn cut_held(&self, clip: &Clip, held: Held, n_given: usize) -> Held {
        let Held { clip: unrolled, mut contacts, changed } = held;
        contacts.truncate(n_given);
        contacts.iter_mut().for_each(|report| self.cut_report(report));
        Held { clip: self.cut_clip(clip, &unrolled, &changed), contacts, changed }
    }

    fn cut_report(&self, report: &mut ContactReport) {
        report.frames = self.common(&report.frames);
        report.missed.retain(|frame| self.frames.contains(frame));
        report.missed.iter_mut().for_each(|frame| *frame -= self.frames.start);
    }

    /// Leaves of a plant what of it is in the cycle, counted from its first frame; whether there is any.
    pub(super) fn cut_plant(&self, plant: &mut Plant) -> bool {
        plant.frames = self.common(&plant.frames);
        !plant.frames.is_empty()
    }

    /// Which frames of the cycle, counted from its first one, are among these.
    fn common(&self, frames: &Range<usize>) -> Range<usize> {
        let Range { start, end } = self.frames;
        let at = |frame: usize| frame.clamp(start, end) - start;
        at(frames.start)..at(frames.end)
    }

    /// The frames of the cycle, with quaternions on the side on which they were.
    fn cut_clip(&self, clip: &Clip, unrolled: &Clip, changed: &[usize]) -> Clip {
        if changed.is_empty() {
            return clip.clone();
        }
        let n = clip.skeleton().n_values();
        let cut = &unrolled.values()[self.frames.start * n..self.frames.end * n];
        // Each frame takes the side of the one before: the first one that of the clip's.
        let after_first = clip.with_edited([clip.frame(0), cut].concat(), &all_joints(clip));
        clip.with_edited(after_first.values()[n..].to_vec(), &[])
    }
}

fn all_joints(clip: &Clip) -> Vec<usize> {
    (0..clip.skeleton().n_joints()).collect()
}

/// Leaves of a contact what of it is in the clip; whether there is any.
fn cut_contact(clip: &Clip, contact: &mut Contact) -> bool {
    let frames = clip.frames(contact.from, contact.to);
    let Some(last) = frames.clone().last() else { return false };
    (contact.from, contact.to) = (clip.time(frames.start), clip.time(last));
    true
}
