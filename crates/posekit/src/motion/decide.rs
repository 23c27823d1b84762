//! What is to be done about a clip: the root's path, and what becomes of each plant.

use glam::DVec3;

use super::clean::CleanSettings;
use super::firm::Past;
use super::floor::Floor;
use super::given::Given;
use super::kept::Kept;
use super::plant::Plant;
use super::seen::{Feet, Seen, Way};
use super::tracks::Tracks;
use super::travel::carrier;
use super::verdict::{Moved, Planner, PlantReport, Verdict, slide};
use super::{Clip, Contact, Hold, Leg};

/// What is decided before anything is held.
pub(super) struct Decided {
    pub(super) floor: Floor,
    /// How much of the slide the root's path takes up.
    pub(super) share: f64,
    /// The displacement of the root's path, frame after frame; none where it is kept.
    pub(super) path: Vec<DVec3>,
    /// Frames from one to the next of those in which the root's way is found first.
    pub(super) step: usize,
    /// The clip is a walk on the spot.
    pub(super) in_place: bool,
    /// What is left alone.
    pub(super) kept: Kept,
    /// In the order of their first frames.
    pub(super) reports: Vec<PlantReport>,
    /// None where nothing slides.
    pub(super) contacts: Vec<Contact>,
    /// Which contact is that of each report.
    pub(super) of_plant: Vec<Option<usize>>,
    /// Where nothing slides, the contacts of what stands.
    pub(super) standing: Vec<Contact>,
}

/// Decides what is to be done.
///
/// A second run changes nothing: a clip in which anything must be held is none that was cleaned, however many feet stand exactly in it. Then each plant is
/// judged by itself.
///
/// - `tracks`: of the clip, with all joints of the legs
pub(super) fn decide(
    clip: &Clip,
    tracks: &Tracks,
    legs: &[Leg],
    settings: &CleanSettings,
) -> Decided {
    let decided = decide_as(clip, tracks, legs, settings, Past::Shown);
    let is_held = decided.reports.iter().any(|report| report.verdict == Verdict::Fixed);
    let is_left = decided.reports.iter().any(|report| report.verdict.is_left());
    if is_held && is_left {
        return decide_as(clip, tracks, legs, settings, Past::Uncleaned);
    }
    decided
}

/// The same of a clip of which is said whether it may have been cleaned.
pub(super) fn decide_as(
    clip: &Clip,
    tracks: &Tracks,
    legs: &[Leg],
    settings: &CleanSettings,
    past: Past,
) -> Decided {
    let seen = Seen::new(tracks, clip, legs, settings);
    // Where nothing is to hold, nothing is to change.
    let is_idle = legs.is_empty() || settings.contacts.as_ref().is_some_and(Vec::is_empty);
    let root = carrier(clip, legs).filter(|_| !is_idle);
    let given = settings.contacts.as_ref();
    let given = given.map(|given| Given::new(clip, tracks, given, seen.pace.step()));
    let way = match root {
        Some(root) if !seen.feet.was_cleaned || settings.in_place => {
            seen.way(tracks, root, settings, given.as_ref(), past)
        }
        _ => Way { in_place: settings.in_place, ..Way::default() },
    };
    // The path is right where most feet stand exactly, cleaned or not.
    let uncleaned = (past == Past::Uncleaned).then(|| seen.uncleaned(settings));
    let Seen { paths, pace, looks, feet, kept } = seen;
    let Way { share, at_looks, path, in_place, feet: along } = way;
    let is_known = along.is_some();
    let Feet { floor, firm, was_cleaned } = along.or(uncleaned).unwrap_or(feet);
    let step = pace.carried(&paths);
    let (reports, contacts, mut of_plant) = {
        let looks = Moved { paths: &looks, path: &at_looks };
        let frames = Moved { paths: &paths, path: &path };
        let plan =
            Planner { clip, frames, looks, legs, floor, settings, in_place, is_known, was_cleaned };
        plan.plan(&firm)
    };
    let (mut contacts, mut standing) = (contacts, Vec::new());
    if reports.iter().all(|report| report.verdict != Verdict::Fixed) {
        core::mem::swap(&mut contacts, &mut standing);
        of_plant.fill(None);
    }
    Decided { floor, share, path, step, in_place, kept, reports, contacts, of_plant, standing }
}

impl Decided {
    /// Adds the plants to be held that came to light later, where nothing is held yet; false where that is none.
    ///
    /// - `source`: tracks of the clip that is cleaned, with all joints of the legs
    pub(super) fn add(&mut self, later: &Self, source: &Tracks) -> bool {
        let n_known = self.contacts.len();
        for (report, contact) in later.reports.iter().zip(&later.of_plant) {
            let contact = contact.filter(|_| report.verdict == Verdict::Fixed);
            let contact = contact.and_then(|contact| later.contacts.get(contact));
            let Some(contact) = contact else { continue };
            if self.contacts[..n_known].iter().any(|other| meet(contact, other)) {
                continue;
            }
            let (joint, plant) = (contact.frame.joint, &report.plant);
            self.make_room(plant, source, joint);
            let drift_before = self.drift(source, joint, plant);
            let contact = self.here(contact, plant, later);
            self.of_plant.push(Some(self.contacts.len()));
            self.contacts.push(contact);
            self.reports.push(PlantReport { drift_before, ..report.clone() });
        }
        let is_any = self.contacts.len() > n_known;
        if is_any {
            self.sort();
        }
        is_any
    }

    /// A contact that was found later, as far from what is held here as from what it was there: from the other part of its foot, else from the way of a walk on the
    /// spot, which is only known where feet stand.
    fn here(&self, contact: &Contact, plant: &Plant, later: &Self) -> Contact {
        let Hold::Position(Some(place)) = contact.hold else { return *contact };
        let beside = later.reports.iter().zip(&later.of_plant).filter_map(|(report, contact)| {
            let Plant { leg, part, ref frames } = report.plant;
            let is_beside = (leg, part.other()) == (plant.leg, plant.part)
                && frames.start < plant.frames.end
                && plant.frames.start < frames.end;
            contact.filter(|_| is_beside).and_then(|contact| later.contacts.get(contact))
        });
        let of_foot = beside.flat_map(|there| {
            let here = self.contacts.iter().filter(|here| meet(here, there));
            here.filter_map(|here| match (here.hold, there.hold) {
                (Hold::Position(here), Hold::Position(there)) => Some(here? - there?),
                _ => None,
            })
        });
        let of_way = || {
            let [here, there] = [self, later].map(|decided| decided.path.get(plant.frames.clone()));
            let (here, there) = here.zip(there).filter(|_| self.in_place)?;
            let off: DVec3 = here.iter().zip(there).map(|(here, there)| *here - *there).sum();
            Some(off / here.len() as f64)
        };
        let off = of_foot.last().or_else(of_way).unwrap_or(DVec3::ZERO);
        Contact { hold: Hold::Position(Some(place + off)), ..*contact }
    }

    /// How far a plant slides in the source: of a walk on the spot as if it went on.
    fn drift(&self, source: &Tracks, joint: usize, plant: &Plant) -> f64 {
        let way = if self.in_place { self.path.as_slice() } else { &[] };
        let shift = |frame: usize| way.get(frame).copied().unwrap_or(DVec3::ZERO);
        slide(|frame| source.place(frame, joint) + shift(frame), plant, &self.floor)
    }

    /// Leaves of reports of a part of a foot what is not during a plant of it: what is before it, or else after it.
    ///
    /// - `source`, `joint`: where that part is, to measure anew what is left
    fn make_room(&mut self, plant: &Plant, source: &Tracks, joint: usize) {
        let mut reports = core::mem::take(&mut self.reports);
        let is_own = |own: &Plant| (own.leg, own.part) == (plant.leg, plant.part);
        for report in reports.iter_mut().filter(|report| is_own(&report.plant)) {
            let frames = &mut report.plant.frames;
            let was = frames.clone();
            if frames.start < plant.frames.start {
                frames.end = frames.end.min(plant.frames.start);
            } else {
                frames.start = frames.start.max(plant.frames.end);
            }
            if *frames != was && frames.start < frames.end {
                report.drift_before = self.drift(source, joint, &report.plant);
                if let Verdict::Released { is_part, .. } = &mut report.verdict {
                    *is_part = true;
                }
            }
        }
        self.reports = reports;
    }

    /// Puts the reports in their order, without those of no frames.
    fn sort(&mut self) {
        let reports = core::mem::take(&mut self.reports).into_iter();
        let mut all: Vec<_> = reports.zip(core::mem::take(&mut self.of_plant)).collect();
        all.retain(|(report, _)| !report.plant.frames.is_empty());
        all.sort_by_key(|(report, _)| {
            let Plant { leg, part, ref frames } = report.plant;
            (frames.start, leg, part)
        });
        (self.reports, self.of_plant) = all.into_iter().unzip();
    }
}

/// Whether two contacts are of the same joint at the same time.
fn meet(a: &Contact, b: &Contact) -> bool {
    a.frame.joint == b.frame.joint && a.from < b.to && b.from < a.to
}

#[cfg(test)]
mod tests {
    use core::ops::Range;

    use super::super::plant::Part;
    use super::*;
    use crate::skeleton::{Joint, Skeleton};

    #[test]
    fn what_came_to_light_later_takes_the_place_of_what_was_released() {
        let report = |leg: usize, frames: Range<usize>| PlantReport {
            plant: Plant { leg, part: Part::Ball, frames },
            verdict: Verdict::Released { slide: 1.0, is_part: false },
            drift_before: 1.0,
            drift_after: 1.0,
        };
        let reports =
            vec![report(0, 0..20), report(1, 5..20), report(0, 25..40), report(0, 30..35)];
        let normal = DVec3::Y;
        let mut decided = Decided {
            floor: Floor { point: DVec3::ZERO, normal },
            share: 0.0,
            path: Vec::new(),
            step: 1,
            in_place: false,
            kept: Kept::none(),
            of_plant: vec![None; reports.len()],
            reports,
            contacts: Vec::new(),
            standing: Vec::new(),
        };
        let skeleton = Skeleton::try_new(vec![Joint::free("ball")]).unwrap();
        // It goes along the floor by 1 in each frame.
        let values = (0..40).flat_map(|frame| [f64::from(frame), 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        let clip = Clip::try_new(skeleton, 0.1, values.collect()).unwrap();
        let source = Tracks::new(&clip, &[0]);
        decided.make_room(&Plant { leg: 0, part: Part::Ball, frames: 15..36 }, &source, 0);
        decided.sort();
        let left: Vec<_> =
            decided.reports.iter().map(|r| (r.plant.leg, r.plant.frames.clone())).collect();
        assert_eq!(left, [(0, 0..15), (1, 5..20), (0, 36..40)]);
        assert_eq!(decided.of_plant.len(), 3);
        let told: Vec<_> =
            decided.reports.iter().map(|r| (r.drift_before, r.verdict.clone())).collect();
        let released = |is_part| Verdict::Released { slide: 1.0, is_part };
        let measured = [(7.0, released(true)), (1.0, released(false)), (1.5, released(true))];
        assert_eq!(told, measured, "what is left is measured anew, and told to be a part");
    }
}
