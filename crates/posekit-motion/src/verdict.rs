//! What becomes of each plant, and the contacts that are made of those that are held.

use core::ops::Range;

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::Frame;

use super::clean::CleanSettings;
use super::firm::{Firm, SURE, Stance, Stands};
use super::floor::Floor;
use super::metrics::{LEG_LENGTH, VISIBLE_SLIDE, drift};
use super::paths::Paths;
use super::plant::{Found, Part, Plant, slot};
use super::{Clip, Contact, Hold, Leg};

/// What became of a plant.
#[derive(Debug, Clone, PartialEq)]
pub struct PlantReport {
    /// Which foot, and when.
    pub plant: Plant,
    /// What was done.
    pub verdict: Verdict,
    /// How far it slid: the largest distance along the floor from its median \[the clip's unit\].
    pub drift_before: f64,
    /// How far it still does.
    pub drift_after: f64,
}

/// What was done about a plant.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Verdict {
    /// It stands now.
    Fixed,
    /// It stood already.
    Clean,
    /// Left as it is: it slides so far that it is meant to.
    Released {
        /// How far, when the path is right \[the clip's unit\].
        slide: f64,
    },
    /// Held as well as the legs reach.
    Unreachable {
        /// By how much it is missed at most \[the clip's unit\].
        by: f64,
        /// In how many frames.
        frames: usize,
        /// It is not the legs that are too short, but joints that cannot turn so: what a file has no channels for.
        by_channels: bool,
    },
    /// Left as it is: the foot rolls through it, one part about the other, and at no time is firm enough to stand.
    Rolling,
    /// Left as it is: at no time is it firm enough to stand, and the foot does not roll but goes along, comes down or is lifted.
    Passing,
    /// Left as it is: most plants of the clip stand exactly, and nothing in it must be held, so that it may have been cleaned before. This one is during, shortly
    /// before or after another of the same foot that stands exactly: it may be the way there.
    Beside,
    /// Left as it is, in such a clip: it is short, or slides less than viewers see.
    Slight,
    /// Left as it is: so little of the clip would stand that it would not be known as a cleaned one, but changed by every run.
    Unsure,
    /// Left alone because it was asked for.
    Kept,
}

impl Verdict {
    /// Whether it is left because most plants stand exactly.
    pub(super) const fn is_left(&self) -> bool {
        matches!(self, Self::Beside | Self::Slight)
    }

    /// Whether measures are over such a plant: not over a foot that is firm at no time, nor over the rest of a plant.
    #[must_use]
    pub const fn is_counted(&self) -> bool {
        !matches!(self, Self::Rolling | Self::Passing) && !self.is_left()
    }
}

/// Plants that drift less than this stood already \[leg lengths\]: half a millimetre for a leg of 0.85 m, a fortieth of what people see. Where all of a clip's
/// plants do, the clip is left as it is.
pub(super) const CLEAN: f64 = 6e-4;

/// A foot rolls where the one part of it goes along by no more than this part of what the other does.
const STAYS: f64 = 0.5;

/// A foot that is off the place where it stands for less than this, and near to it, comes back to the same place \[s\].
const STAY: f64 = 0.3;

/// How far a plant slides.
pub(super) fn slide(at: impl Fn(usize) -> DVec3, plant: &Plant, floor: &Floor) -> f64 {
    let path: Vec<DVec3> = plant.frames.clone().map(at).collect();
    drift(&path, floor.normal)
}

/// Whether a foot rolls through a plant of one part: the other part stays, while this one goes along.
///
/// - `own`: how far this part slides
fn rolls(moved: &Moved<'_>, plant: &Plant, own: f64, floor: &Floor) -> bool {
    let other = plant.part.other();
    moved.paths.legs[plant.leg].part(other).is_some() && {
        let at = |frame| moved.at(plant.leg, other, frame);
        slide(at, plant, floor) <= STAYS * own
    }
}

/// Where joints are, in frames or in looks, and by how much the root is moved then.
#[derive(Clone, Copy)]
pub(super) struct Moved<'a> {
    pub(super) paths: &'a Paths,
    pub(super) path: &'a [DVec3],
}

impl Moved<'_> {
    /// Where a part of a foot is when the path is right.
    fn at(&self, leg: usize, part: Part, frame: usize) -> DVec3 {
        self.was_at(leg, part, frame) + self.path.get(frame).copied().unwrap_or(DVec3::ZERO)
    }

    fn was_at(&self, leg: usize, part: Part, frame: usize) -> DVec3 {
        self.paths.legs[leg].part(part).map_or(DVec3::ZERO, |path| path[frame])
    }

    /// The mean place over the time of a plant, also over what of it is between frames, by the trapezoid rule.
    fn mean(&self, plant: &Plant, lead: [f64; 2]) -> DVec3 {
        let at = |frame: usize| self.at(plant.leg, plant.part, frame);
        let (first, last) = (plant.frames.start, plant.frames.end - 1);
        let (mut sum, mut time) = (DVec3::ZERO, 0.0);
        for frame in first..last {
            sum += 0.5 * (at(frame) + at(frame + 1));
            time += 1.0;
        }
        let outside =
            [first.checked_sub(1), Some(last + 1).filter(|next| *next < self.paths.n_frames)];
        for ((inside, outside), lead) in [first, last].into_iter().zip(outside).zip(lead) {
            if let Some(outside) = outside {
                let (inside, outside) = (at(inside), at(outside));
                sum += (inside + (outside - inside) * (0.5 * lead)) * lead;
                time += lead;
            }
        }
        if time > 0.0 { sum / time } else { at(first) }
    }
}

/// Makes contacts of plants.
pub(super) struct Planner<'a> {
    pub(super) clip: &'a Clip,
    pub(super) frames: Moved<'a>,
    pub(super) looks: Moved<'a>,
    pub(super) legs: &'a [Leg],
    pub(super) floor: Floor,
    pub(super) settings: &'a CleanSettings,
    pub(super) in_place: bool,
    /// The way of a walk on the spot is the one that it was cleaned along.
    pub(super) is_known: bool,
    pub(super) was_cleaned: bool,
}

impl Planner<'_> {
    /// What becomes of each plant, the contacts of those that stand, and which of them is which plant's.
    pub(super) fn plan(
        &self,
        firm: &[Firm],
    ) -> (Vec<PlantReport>, Vec<Contact>, Vec<Option<usize>>) {
        let mut reports: Vec<PlantReport> = firm.iter().map(|firm| self.judge(firm)).collect();
        if self.was_cleaned {
            self.leave_rests(&mut reports);
        }
        let mut targets: Vec<Option<DVec3>> = vec![None; reports.len()];
        let mut contacts = Vec::new();
        let mut of_plant = vec![None; reports.len()];
        let (places, place_of) = self.places(firm, &reports);
        let mut latest = vec![None; 2 * self.legs.len()];
        for (index, report) in reports.iter().enumerate() {
            if matches!(report.verdict, Verdict::Fixed | Verdict::Clean) {
                let Plant { leg, part, .. } = report.plant;
                let same = &places[place_of[index]];
                let known = same.iter().find_map(|&other| targets[other]);
                let beside = latest[slot(leg, part.other())]
                    .and_then(|other: usize| Some((&firm[other], targets[other]?)));
                let target = known.unwrap_or_else(|| self.target(index, same, firm, beside));
                targets[index] = Some(target);
                latest[slot(leg, part)] = Some(index);
                of_plant[index] = Some(contacts.len());
                contacts.push(self.contact(&report.plant, target, firm[index].lead));
            }
        }
        (reports, contacts, of_plant)
    }

    /// Where a clip was cleaned before, what is found anew and is as slight as can have been missed is a rest of that, and is left.
    fn leave_rests(&self, reports: &mut [PlantReport]) {
        let seen = self.seen_slide();
        let mut exact = Stands::new(self.legs.len());
        let is_exact = |report: &&PlantReport| report.verdict == Verdict::Clean;
        reports.iter().filter(is_exact).for_each(|report| exact.add(&report.plant));
        let time = |frames: usize| frames as f64 * self.clip.frame_time();
        for report in reports.iter_mut().filter(|report| report.verdict == Verdict::Fixed) {
            let plant = &report.plant;
            let is_short = time(plant.frames.len()) < SURE;
            let is_on_the_way = time(plant.frames.len()) < 2.0 * SURE
                && exact.are_beside(plant, |frames| time(frames) < SURE);
            // Where nothing stands along a way that is known, it is not known well.
            if is_on_the_way {
                report.verdict = Verdict::Beside;
            } else if self.is_known
                || (is_short || report.drift_before <= seen)
                    && !exact.are_far(plant, self.clip.frame_time())
            {
                report.verdict = Verdict::Slight;
            }
        }
    }

    fn judge(&self, firm: &Firm) -> PlantReport {
        let plant = firm.plant.clone();
        let (seen, looked) = self.seen(firm);
        let on_path = |look| seen.at(plant.leg, plant.part, look);
        let own = slide(on_path, &looked.plant, &self.floor);
        // What is reported is measured in the frames that people have, as what is left of it will be.
        let right = |frame| self.frames.at(plant.leg, plant.part, frame);
        let in_frames = slide(right, &plant, &self.floor);
        let verdict = match firm.stance {
            Stance::Kept => Verdict::Kept,
            Stance::Loose if rolls(&seen, &looked.plant, own, &self.floor) => Verdict::Rolling,
            Stance::Loose => Verdict::Passing,
            Stance::Beside => Verdict::Beside,
            Stance::Slight => Verdict::Slight,
            _ if own > self.settings.release * self.frames.paths.length => {
                Verdict::Released { slide: in_frames }
            }
            _ if own <= CLEAN * self.frames.paths.length && self.keeps_stands() => Verdict::Clean,
            Stance::Firm => Verdict::Fixed,
        };
        let was = |frame| self.frames.was_at(plant.leg, plant.part, frame);
        let drift_before = if self.in_place { in_frames } else { slide(was, &plant, &self.floor) };
        PlantReport { plant, verdict, drift_before, drift_after: drift_before }
    }

    /// Feet that stand already need not be held: no path is changed, or only that which they stand along.
    fn keeps_stands(&self) -> bool {
        self.frames.path.is_empty() || self.is_known
    }

    /// What is judged of a plant: its looks, or its frames where it does not move, because looks at its ends see what is beside it.
    fn seen(&self, firm: &Firm) -> (Moved<'_>, Found) {
        if firm.is_still || firm.looks.is_empty() {
            return (self.frames, Found { plant: firm.plant.clone(), lead: firm.lead });
        }
        let plant = Plant { frames: firm.looks.clone(), ..firm.plant };
        (self.looks, Found { plant, lead: firm.look_lead })
    }

    /// Plants that stand at one place: shortly before and after one another, and not away from where the one before ended. And which of these lists each plant is in.
    fn places(&self, firm: &[Firm], reports: &[PlantReport]) -> (Vec<Vec<usize>>, Vec<usize>) {
        let mut places: Vec<Vec<usize>> = (0..firm.len()).map(|index| vec![index]).collect();
        let mut place_of: Vec<usize> = (0..firm.len()).collect();
        let mut held = vec![Vec::new(); 2 * self.legs.len()];
        for (index, (firm, report)) in firm.iter().zip(reports).enumerate() {
            if !firm.is_still && report.verdict == Verdict::Fixed {
                held[slot(firm.plant.leg, firm.plant.part)].push(index);
            }
        }
        let stays = |before: &usize, after: &usize| self.stays(&firm[*before], &firm[*after]);
        for same in held.iter().flat_map(|held| held.chunk_by(stays)).filter(|same| same.len() > 1)
        {
            let (first, last) = (same[0], same[same.len() - 1]);
            let looks = firm[first].looks.start..firm[last].looks.end;
            let whole = Plant { frames: looks, ..firm[first].plant };
            let at = |look| self.looks.at(whole.leg, whole.part, look);
            if slide(at, &whole, &self.floor) <= self.seen_slide() {
                same.iter().for_each(|&index| place_of[index] = first);
                places[first] = same.to_vec();
            }
        }
        (places, place_of)
    }

    /// Whether a part of a foot stands where it stood before.
    fn stays(&self, before: &Firm, after: &Firm) -> bool {
        let (before, after) = (&before.plant, &after.plant);
        let gap = after.frames.start.saturating_sub(before.frames.end - 1) as f64;
        let [from, to] = [before.frames.end - 1, after.frames.start]
            .map(|frame| self.frames.at(before.leg, before.part, frame));
        gap * self.frames.paths.frame_time <= STAY && from.distance(to) <= self.seen_slide()
    }

    /// What viewers see of a slide, in the clip's unit.
    fn seen_slide(&self) -> f64 {
        VISIBLE_SLIDE / LEG_LENGTH * self.frames.paths.length
    }

    /// Where a plant stands: in the middle of it and of those at the same place, and as far from the other part of its foot as the foot is long.
    ///
    /// - `beside`: the latest plant of that other part, and where it stands
    fn target(
        &self,
        index: usize,
        same: &[usize],
        firm: &[Firm],
        beside: Option<(&Firm, DVec3)>,
    ) -> DVec3 {
        let plant = &firm[index].plant;
        let (mut sum, mut time) = (DVec3::ZERO, 0.0);
        for &other in same {
            let (seen, looked) = self.seen(&firm[other]);
            let more = (looked.plant.frames.len() - 1) as f64 + looked.lead[0] + looked.lead[1];
            let more = if more > 0.0 { more } else { 1.0 };
            sum += seen.mean(&looked.plant, looked.lead) * more;
            time += more;
        }
        // What stands on into a time that is left alone stands where it does there.
        let kept = same.iter().flat_map(|&other| firm[other].beside).flatten();
        let kept: Vec<DVec3> =
            kept.map(|frame| self.frames.at(plant.leg, plant.part, frame)).collect();
        let own = match kept.len() {
            0 => sum / time,
            n => kept.iter().sum::<DVec3>() / n as f64,
        };
        let lasts = |(other, _): &(&Firm, DVec3)| other.plant.frames.end > plant.frames.start;
        let Some((other, target)) = beside.filter(lasts) else { return own };
        let both = overlap(&firm[index].looks, &other.looks);
        if both.is_empty() {
            return own;
        }
        let length = |look: usize| {
            let [heel, ball] =
                [Part::Heel, Part::Ball].map(|part| self.looks.at(plant.leg, part, look));
            heel.distance(ball)
        };
        let foot = both.clone().map(length).sum::<f64>() / both.len() as f64;
        let way = own - target;
        if way == DVec3::ZERO { own } else { target + way * (foot / way.length()) }
    }

    fn contact(&self, plant: &Plant, target: DVec3, lead: [f64; 2]) -> Contact {
        let [before, after] = lead.map(|lead| lead * self.clip.frame_time());
        // The ends of the clip are no ends of plants.
        let before = if plant.frames.start == 0 { 0.0 } else { before };
        let after = if plant.frames.end == self.clip.n_frames() { 0.0 } else { after };
        let joint = self.legs[plant.leg].joint(plant.part);
        Contact {
            frame: Frame::new(joint, Pose::IDENTITY),
            from: self.clip.time(plant.frames.start) - before,
            to: self.clip.time(plant.frames.end - 1) + after,
            hold: Hold::Position(Some(target)),
            ease_in: self.settings.ease,
            ease_out: self.settings.ease,
        }
    }
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    let start = if a.start > b.start { a.start } else { b.start };
    let end = if a.end < b.end { a.end } else { b.end };
    start..end
}
