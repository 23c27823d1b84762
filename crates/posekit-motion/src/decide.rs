//! What is to be done about a clip: the root's path, and what becomes of each plant.

use posekit::glam::DVec3;

use super::clean::CleanSettings;
use super::firm::Past;
use super::floor::Floor;
use super::given::{Given, within};
use super::hold::{ContactReport, Keep};
use super::kept::Kept;
use super::plant::{Plant, frames_of};
use super::seen::{Feet, Seen, Way};
use super::tracks::Tracks;
use super::travel::{carrier, shifted};
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

/// A foot that is held may be no more than this faster than it was \[leg lengths/s\]: what few channels must turn far for is better left.
const FLUNG: f64 = 1.5;

/// So long before and after a plant, too \[s\].
const FLUNG_TIME: f64 = 0.3;

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
        _ => Way::default(),
    };
    // The path is right where most feet stand exactly, cleaned or not.
    let uncleaned = (past == Past::Uncleaned).then(|| seen.uncleaned(settings));
    let Seen { paths, pace, looks, feet, kept, .. } = seen;
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
    let mut decided =
        Decided { floor, share, path, step, in_place, kept, reports, contacts, of_plant, standing };
    if let Some(given) = &settings.contacts {
        decided.see_within(clip, given, legs, tracks);
    }
    decided
}

impl Decided {
    /// Whether a file does not keep the path as it is set right. That of a walk on the spot is not written.
    pub(super) fn leaves_channels(&self, clip: &Clip, legs: &[Leg], keep: &Keep<'_>) -> bool {
        let root = carrier(clip, legs).filter(|_| !self.in_place && !self.path.is_empty());
        root.is_some_and(|root| (keep.cut)(&shifted(clip, root, &self.path)).is_some())
    }

    /// Adds the plants to be held that came to light later, where nothing is held yet; false where that is none.
    ///
    /// - `source`: tracks of the clip that is cleaned, with all joints of the legs
    pub(super) fn add(&mut self, later: &Self, legs: &[Leg], source: &Tracks) -> bool {
        let n_known = self.contacts.len();
        for (report, contact) in later.reports.iter().zip(&later.of_plant) {
            let contact = contact.filter(|_| report.verdict == Verdict::Fixed);
            let contact = contact.and_then(|contact| later.contacts.get(contact));
            let Some(contact) = contact else { continue };
            if self.contacts[..n_known].iter().any(|other| meet(contact, other)) {
                continue;
            }
            let (joint, plant) = (contact.frame.joint, &report.plant);
            let drift_before = self.drift(source, joint, plant, self.in_place);
            let contact = self.here(contact, plant, later);
            self.of_plant.push(Some(self.contacts.len()));
            self.contacts.push(contact);
            self.reports.push(PlantReport { drift_before, ..report.clone() });
        }
        let is_any = self.contacts.len() > n_known;
        if is_any {
            self.leave_as(later, legs, source);
        }
        is_any
    }

    /// Whether so little stands that the clip is not known as a cleaned one, or the way of a walk on the spot not found again, and it would be changed once more.
    ///
    /// - `later`: what is decided of the clip in which all stands
    pub(super) fn is_unsure(&self, later: &Self) -> bool {
        let is_left = |plant: &Plant| self.left().any(|left| overlap(left, plant));
        let is_held =
            |report: &PlantReport| report.verdict == Verdict::Fixed && !is_left(&report.plant);
        later.reports.iter().any(is_held) || !later.in_place && !later.path.is_empty()
    }

    /// The plants that are left because channels keep them off.
    pub(super) fn left(&self) -> impl Iterator<Item = &Plant> {
        let is_left = |report: &&PlantReport| {
            matches!(report.verdict, Verdict::Unreachable { by_channels: true, .. })
        };
        self.reports.iter().filter(is_left).map(|report| &report.plant)
    }

    /// Leaves all plants as they are.
    pub(super) fn leave(&mut self) {
        self.contacts.clear();
        self.of_plant.fill(None);
        // The way of a walk on the spot is no change.
        if !self.in_place {
            self.path.clear();
            self.share = 0.0;
        }
        let fixed = self.reports.iter_mut().filter(|report| report.verdict == Verdict::Fixed);
        fixed.for_each(|report| report.verdict = Verdict::Unsure);
    }

    /// Leaves as they are plants that channels keep from standing, or for which they fling the foot; false where that is none.
    ///
    /// To hold them as well as it goes would be no end: a second run would see another place in them, and hold that as well as it goes.
    ///
    /// - `held`: how the contacts are held
    /// - `both`: tracks of the clip, and of that in which all stands, with the feet
    pub(super) fn leave_unkept(
        &mut self,
        (clip, legs): (&Clip, &[Leg]),
        held: &[ContactReport],
        (source, after): (&Tracks, &Tracks),
    ) -> bool {
        let near = frames_of(FLUNG_TIME, clip.frame_time());
        let way = |frame: usize| self.path.get(frame).copied().unwrap_or(DVec3::ZERO);
        // How much farther than it did a foot goes in a frame of a plant, or shortly before and after.
        let flung = |leg: &Leg, plant: &Plant| {
            let first = plant.frames.start.saturating_sub(near).max(1);
            let end = (plant.frames.end + near).min(clip.n_frames());
            let parts = [Some(leg.limb.end), leg.ball];
            let of_part = |joint: usize| {
                let was = |frame: usize| source.place(frame, joint) + way(frame);
                let most = |step: &dyn Fn(usize) -> f64| (first..end).map(step).fold(0.0, f64::max);
                let now = |frame: usize| after.place(frame, joint);
                most(&|frame| now(frame).distance(now(frame - 1)))
                    - most(&|frame| was(frame).distance(was(frame - 1)))
            };
            parts.into_iter().flatten().map(of_part).fold(0.0, f64::max)
        };
        let mut is_left = vec![false; self.contacts.len()];
        for (report, contact) in self.reports.iter_mut().zip(&self.of_plant) {
            let Some(contact) = *contact else { continue };
            let (leg, plant) = (&legs[report.plant.leg], &report.plant);
            let size = leg.limb.length(clip.skeleton());
            let ContactReport { residual, missed, by_channels, .. } = &held[contact];
            let flung = flung(leg, plant);
            let is_flung = flung > FLUNG * clip.frame_time() * size;
            if is_flung || *by_channels {
                is_left[contact] = true;
                let (by, frames) = if is_flung {
                    (flung.max(*residual), plant.frames.len())
                } else {
                    (*residual, missed.len())
                };
                report.verdict = Verdict::Unreachable { by, frames, by_channels: true };
            }
        }
        // Where each of those that stay is among them.
        let mut n_kept = 0;
        let places: Vec<Option<usize>> = is_left
            .iter()
            .map(|is_left| {
                n_kept += usize::from(!is_left);
                (!is_left).then(|| n_kept - 1)
            })
            .collect();
        for contact in &mut self.of_plant {
            *contact = contact.and_then(|contact| places[contact]);
        }
        let mut all = is_left.iter();
        self.contacts.retain(|_| all.next().is_some_and(|is_left| !is_left));
        let is_any = n_kept < is_left.len();
        if is_any && self.reports.iter().all(|report| report.verdict != Verdict::Fixed) {
            self.standing = core::mem::take(&mut self.contacts);
            self.of_plant.fill(None);
        }
        is_any
    }

    /// A contact that was found later, as far from what is held here as from what it was there: from the other part of its foot, else from the way of a walk on the
    /// spot, which is only known where feet stand.
    fn here(&self, contact: &Contact, plant: &Plant, later: &Self) -> Contact {
        let Hold::Position(Some(place)) = contact.hold else { return *contact };
        let beside = later.reports.iter().zip(&later.of_plant).filter_map(|(report, contact)| {
            let other = Plant { part: plant.part.other(), ..plant.clone() };
            let is_beside = overlap(&report.plant, &other);
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

    /// Takes off plants what of them is shortly beside contacts that are given: it may slide as long as these stand.
    fn see_within(&mut self, clip: &Clip, given: &[Contact], legs: &[Leg], source: &Tracks) {
        for index in 0..self.reports.len() {
            let Plant { leg, part, ref frames } = self.reports[index].plant;
            let joint = legs[leg].joint(part);
            let plant = Plant { leg, part, frames: within(clip, given, joint, frames) };
            if plant.frames == *frames {
                continue;
            }
            let drift_before = self.drift(source, joint, &plant, self.in_place);
            let report = &mut self.reports[index];
            (report.plant, report.drift_before) = (plant, drift_before);
        }
    }

    /// How far a plant slides in the source, on the path of its root as it is or as it is set right.
    fn drift(&self, source: &Tracks, joint: usize, plant: &Plant, on_path: bool) -> f64 {
        let way = if on_path { self.path.as_slice() } else { &[] };
        let shift = |frame: usize| way.get(frame).copied().unwrap_or(DVec3::ZERO);
        slide(|frame| source.place(frame, joint) + shift(frame), plant, &self.floor)
    }

    /// Tells of what is left as it is what is seen of it where all that is held stands, as a second run sees it: of plants of which a part is held now what is a
    /// plant by itself, and all that is released.
    ///
    /// - `source`: as for [`add`](Self::add)
    pub(super) fn leave_as(&mut self, later: &Self, legs: &[Leg], source: &Tracks) {
        let all = || self.reports.iter().zip(&self.of_plant);
        let held: Vec<Plant> = all()
            .filter(|(_, contact)| contact.is_some())
            .map(|(report, _)| report.plant.clone())
            .collect();
        let is_held = |plant: &Plant| held.iter().any(|held| overlap(held, plant));
        let parted: Vec<Plant> = all()
            .filter(|(report, contact)| contact.is_none() && is_held(&report.plant))
            .map(|(report, _)| report.plant.clone())
            .collect();
        let is_part = |plant: &Plant| parted.iter().any(|was| overlap(was, plant));
        let is_released = |report: &PlantReport| matches!(report.verdict, Verdict::Released { .. });
        let left = later.reports.iter().zip(&later.of_plant).filter_map(|(report, contact)| {
            let is_left = contact.is_none() && !is_held(&report.plant);
            (is_left && (is_part(&report.plant) || is_released(report))).then_some(report)
        });
        let more: Vec<PlantReport> = left
            .map(|report| {
                let joint = legs[report.plant.leg].joint(report.plant.part);
                let drift = |on_path| self.drift(source, joint, &report.plant, on_path);
                let verdict = match &report.verdict {
                    Verdict::Released { .. } => Verdict::Released { slide: drift(true) },
                    other => other.clone(),
                };
                PlantReport { drift_before: drift(self.in_place), verdict, ..report.clone() }
            })
            .collect();
        let is_seen_anew = |plant: &Plant| {
            parted.contains(plant) || more.iter().any(|more| overlap(&more.plant, plant))
        };
        let reports = core::mem::take(&mut self.reports).into_iter();
        let (mut reports, mut of_plant): (Vec<_>, Vec<_>) = reports
            .zip(core::mem::take(&mut self.of_plant))
            .filter(|(report, contact)| contact.is_some() || !is_seen_anew(&report.plant))
            .unzip();
        of_plant.resize(reports.len() + more.len(), None);
        reports.extend(more);
        (self.reports, self.of_plant) = (reports, of_plant);
        self.sort();
    }

    /// Puts the reports in their order.
    fn sort(&mut self) {
        let reports = core::mem::take(&mut self.reports).into_iter();
        let mut all: Vec<_> = reports.zip(core::mem::take(&mut self.of_plant)).collect();
        all.sort_by_key(|(report, _)| {
            let Plant { leg, part, ref frames } = report.plant;
            (frames.start, leg, part)
        });
        (self.reports, self.of_plant) = all.into_iter().unzip();
    }
}

/// Whether two plants are of the same part of a foot at the same time.
fn overlap(a: &Plant, b: &Plant) -> bool {
    (a.leg, a.part) == (b.leg, b.part)
        && a.frames.start < b.frames.end
        && b.frames.start < a.frames.end
}

/// Whether two contacts are of the same joint at the same time.
fn meet(a: &Contact, b: &Contact) -> bool {
    a.frame.joint == b.frame.joint && a.from < b.to && b.from < a.to
}

#[cfg(test)]
mod tests {
    use core::ops::Range;

    use super::*;
    use crate::leg::{Limb, Side};
    use crate::plant::Part;
    use posekit::skeleton::{Joint, Skeleton};

    #[test]
    fn what_came_to_light_later_takes_the_place_of_what_was_released() {
        let released = || Verdict::Released { slide: 0.5 };
        let report = |leg: usize, frames: Range<usize>, verdict: Verdict| PlantReport {
            plant: Plant { leg, part: Part::Ball, frames },
            verdict,
            drift_before: 0.5,
            drift_after: 0.5,
        };
        let decided = |reports: Vec<PlantReport>, held: &[Range<usize>]| Decided {
            floor: Floor { point: DVec3::ZERO, normal: DVec3::Y },
            share: 0.0,
            path: Vec::new(),
            step: 1,
            in_place: false,
            kept: Kept::none(),
            of_plant: {
                let contact = |r: &PlantReport| held.iter().position(|h| *h == r.plant.frames);
                reports.iter().map(contact).collect()
            },
            reports,
            contacts: held
                .iter()
                .map(|held| Contact {
                    frame: posekit::skeleton::Frame::new(0, posekit::math::Pose::IDENTITY),
                    from: 0.1 * held.start as f64,
                    to: 0.1 * (held.end - 1) as f64,
                    hold: Hold::Position(Some(DVec3::ZERO)),
                    ease_in: 0.1,
                    ease_out: 0.1,
                })
                .collect(),
            standing: Vec::new(),
        };
        let skeleton = Skeleton::try_new(vec![Joint::free("ball")]).unwrap();
        // It goes along the floor by 1 in each frame.
        let values = (0..40).flat_map(|frame| [f64::from(frame), 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        let clip = Clip::try_new(skeleton, 0.1, values.collect()).unwrap();
        let source = Tracks::new(&clip, &[0]);
        let limb = Limb { start: 0, mid: 0, end: 0 };
        let leg = Leg { limb, ball: Some(0), side: Side::Left };
        let first = vec![report(0, 0..30, released()), report(1, 5..20, released())];
        let mut whole = decided(first, &[]);
        // Frames from 10 to 15 are no plant any more, and the other foot is released for a shorter time.
        let second = vec![
            report(0, 0..10, Verdict::Fixed),
            report(1, 5..15, released()),
            report(0, 15..20, Verdict::Passing),
            report(0, 20..30, released()),
        ];
        let held = 0..10;
        let legs = [leg.clone(), leg];
        assert!(whole.add(&decided(second, core::slice::from_ref(&held)), &legs, &source));
        let left: Vec<_> = whole
            .reports
            .iter()
            .map(|r| (r.plant.leg, r.plant.frames.clone(), r.drift_before, r.verdict.clone()))
            .collect();
        let wanted = [
            (0, 0..10, 4.5, Verdict::Fixed),
            (1, 5..15, 4.5, Verdict::Released { slide: 4.5 }),
            (0, 15..20, 2.0, Verdict::Passing),
            (0, 20..30, 4.5, Verdict::Released { slide: 4.5 }),
        ];
        assert_eq!(left, wanted);
        assert_eq!(whole.of_plant, [Some(0), None, None, None]);
    }
}
