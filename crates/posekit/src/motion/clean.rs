//! Feet that slide are made to stand: footskate removal.

use core::ops::Range;

use glam::DVec3;

use super::find::{Legs, find_legs};
use super::firm::{Firm, SURE, Stance, Stands, firm_parts, least_step};
use super::floor::{Floor, FloorChoice, floor_of, key, of_key};
use super::hold::{ContactReport, HoldSettings, hold_on_path};
use super::metrics::{LEG_LENGTH, Metrics, VISIBLE_SLIDE, measure};
use super::pace::Pace;
use super::path::Slide;
use super::paths::{Paths, joints_of};
use super::plant::{DetectSettings, Found, Part, Plant, plants_on, slot};
use super::spot::Spline;
use super::tracks::Tracks;
use super::travel::{along_path, carrier};
use super::{Clip, Contact, Hold, Leg};
use crate::error::{Error, Result};
use crate::math::Pose;
use crate::skeleton::Frame;

/// How a clip is cleaned. The defaults suit figures of any size, and clips of any rate.
#[derive(Debug, Clone, PartialEq)]
pub struct CleanSettings {
    /// How much of the correction to apply, from 0 (none) to 1 (all, the default).
    pub strength: f64,
    /// When a foot is taken to stand.
    pub detect: DetectSettings,
    /// What it stands on.
    pub floor: FloorChoice,
    /// The legs; `None`, the default, to find them.
    pub legs: Option<Vec<Leg>>,
    /// Contacts to hold in place of those that would be found: from a file, or edited by hand. Where they are is on the root's path as it is set
    /// right, which they do not change: those that a clip was cleaned with, given back, clean it in the same way. None at all leave it as it is.
    pub contacts: Option<Vec<Contact>>,
    /// Times \[s\] during which plants are left alone.
    pub keep: Vec<(f64, f64)>,
    /// The figure walks on the spot: feet are judged as if it went on, and it stays on the spot. Default false: it is found out.
    pub in_place: bool,
    /// The root's path may change where all feet slide with it. Default true.
    pub path: bool,
    /// Before and after a plant, the time in which a foot goes over to it and back \[s\]. Default 0.12: longer changes more of the swing, and is hardly smoother.
    pub ease: f64,
    /// A foot that still slides farther than this when the path is right is meant to \[leg lengths\]: its plant is released. Default 0.15.
    pub release: f64,
    /// Within this of the height at which it stands a part of a foot is firm, and held; outside it is coming down or being lifted, and free \[leg
    /// lengths\]. Default 0.008: 7 mm for a leg of 0.85 m, in which a foot turns by two degrees.
    pub firm: f64,
    /// How contacts are held; its legs and strength come from here.
    pub hold: HoldSettings,
}

impl Default for CleanSettings {
    fn default() -> Self {
        Self {
            strength: 1.0,
            detect: DetectSettings::default(),
            floor: FloorChoice::default(),
            legs: None,
            contacts: None,
            keep: Vec::new(),
            in_place: false,
            path: true,
            ease: 0.12,
            release: 0.15,
            firm: 0.008,
            hold: HoldSettings::default(),
        }
    }
}

/// A cleaned clip, and what was done.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Cleaned {
    /// The clip with feet that stand. Joints and frames that need no change keep every bit.
    pub clip: Clip,
    /// The legs, and why these.
    pub legs: Legs,
    /// The floor they stand on.
    pub floor: Floor,
    /// Every plant and what became of it, in the order of their first frames.
    pub plants: Vec<PlantReport>,
    /// The contacts that were held, to be edited and given back.
    pub contacts: Vec<Contact>,
    /// How well they hold, in the same order.
    pub held: Vec<ContactReport>,
    /// The joints that were changed.
    pub changed: Vec<usize>,
    /// How much of the slide was taken for a wrong path of the root, from 0 to 1.
    pub path_share: f64,
    /// The displacement of the root's path, frame after frame; none where the path was kept. Of a walk on the spot the way it would go, which was taken off
    /// again.
    pub path: Vec<DVec3>,
    /// It was cleaned as a walk on the spot.
    pub is_in_place: bool,
}

impl Cleaned {
    /// Measures of the clip before and after, over the same plants, those that are firm, and floor. Walks on the spot are measured as if they went on.
    ///
    /// - `source`: the clip that was cleaned
    #[must_use]
    pub fn measures(&self, source: &Clip) -> (Metrics, Metrics) {
        let is_firm =
            |report: &&PlantReport| !matches!(report.verdict, Verdict::Rolling | Verdict::Left);
        let firm = self.plants.iter().filter(is_firm);
        let plants: Vec<Plant> = firm.map(|report| report.plant.clone()).collect();
        let legs = &self.legs.legs;
        if !self.is_in_place {
            let before = measure(source, None, legs, &plants, &self.floor);
            return (before, measure(&self.clip, Some(source), legs, &plants, &self.floor));
        }
        let [before, after] = [source, &self.clip].map(|clip| moved(clip, legs, &self.path));
        let measured = measure(&before, None, legs, &plants, &self.floor);
        (measured, measure(&after, Some(&before), legs, &plants, &self.floor))
    }
}

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
    },
    /// Left as it is: the foot rolls through it, and at no time is firm enough to stand.
    Rolling,
    /// Left as it is: most plants of the clip stand exactly, so that it was cleaned before, and this is the rest of a plant that does,
    /// is short, or slides less than viewers see.
    Left,
    /// Left alone because it was asked for.
    Kept,
}

/// Plants that drift less than this stood already \[leg lengths\]: half a millimetre for a leg of 0.85 m, a fortieth of what people see. Where all of a clip's
/// plants do, the clip is left as it is.
const CLEAN: f64 = 6e-4;

/// A foot that is off the place where it stands for less than this, and near to it, comes back to the same place \[s\].
const STAY: f64 = 0.3;

/// Removes footskate.
///
/// Finds the legs, the floor and when feet stand; sets the path of the root right where all feet slide with it; decides for each plant as a whole; and holds
/// what is left with [`hold`](super::hold).
///
/// # Degenerate cases
/// Without legs, frames or plants the clip comes back as it is; [`Legs::reason`] says why.
/// # Errors
/// As [`hold`](super::hold), for settings, legs and contacts that make no sense.
pub fn clean(clip: &Clip, settings: &CleanSettings) -> Result<Cleaned> {
    check(settings)?;
    let legs = match &settings.legs {
        Some(legs) => {
            Legs { legs: legs.clone(), reason: "given".to_owned(), candidates: Vec::new() }
        }
        None => find_legs(clip),
    };
    let hold_settings = HoldSettings {
        legs: legs.legs.iter().map(|leg| leg.limb).collect(),
        strength: settings.strength,
        ..settings.hold.clone()
    };
    let tracks = Tracks::new(clip, &joints_of(&legs.legs));
    let seen = Seen::new(&tracks, clip, &legs.legs, settings);
    let given = settings.contacts.as_ref();
    // Where nothing is to hold, nothing is to change.
    let is_idle = legs.legs.is_empty() || given.is_some_and(Vec::is_empty);
    let root = carrier(clip, &legs.legs).filter(|_| !is_idle);
    let way = match root {
        Some(root) if (settings.path && !seen.feet.was_cleaned) || settings.in_place => {
            seen.way(&tracks, root, settings)
        }
        _ => Way { in_place: settings.in_place, ..Way::default() },
    };
    let Seen { paths, pace, looks, feet } = seen;
    let Way { share: path_share, at_looks, path, in_place, feet: along } = way;
    let is_known = along.is_some();
    let Feet { floor, firm, was_cleaned } = along.unwrap_or(feet);
    let step = pace.carried(&paths);
    let (mut reports, contacts, of_plant) = {
        let looks = Moved { paths: &looks, path: &at_looks };
        let frames = Moved { paths: &paths, path: &path };
        let legs = &legs.legs;
        let plan =
            Planner { clip, frames, looks, legs, floor, settings, in_place, is_known, was_cleaned };
        plan.plan(&firm)
    };
    // What holding needs most memory for comes now.
    drop((paths, looks, at_looks));
    let contacts = given.cloned().unwrap_or(contacts);
    let feet: Vec<usize> =
        legs.legs.iter().flat_map(|leg| leg.ball.into_iter().chain([leg.limb.end])).collect();
    let (held, after) =
        hold_on_path(clip, tracks, (&path, step), &contacts, &feet, &hold_settings)?;
    for (report, contact) in reports.iter_mut().zip(&of_plant) {
        let joint = legs.legs[report.plant.leg].joint(report.plant.part);
        report.drift_after = drift(|frame| after.place(frame, joint), &report.plant, &floor);
        let missed =
            contact.and_then(|contact| held.contacts.get(contact)).filter(|_| given.is_none());
        if let Some(missed) = missed.filter(|missed| !missed.missed.is_empty()) {
            report.verdict =
                Verdict::Unreachable { by: missed.residual, frames: missed.missed.len() };
        }
    }
    let (mut cleaned, changed) = (held.clip, held.changed);
    if in_place && contacts.is_empty() {
        // There and back is not to the bit where it was.
        cleaned = clip.clone();
    } else if in_place {
        let back: Vec<DVec3> = path.iter().map(|shift| -*shift).collect();
        cleaned = moved(&cleaned, &legs.legs, &back);
    }
    Ok(Cleaned {
        clip: cleaned,
        legs,
        floor,
        plants: reports,
        contacts,
        held: held.contacts,
        changed,
        path_share,
        path,
        is_in_place: in_place,
    })
}

fn check(settings: &CleanSettings) -> Result<()> {
    let ranges = [
        ("ease", settings.ease, 0.0..=10.0, "from 0 to 10 s"),
        ("firm", settings.firm, 0.0..=1e3, "from 0 to 1000 leg lengths"),
        ("release", settings.release, 0.0..=1e3, "from 0 to 1000 leg lengths"),
    ];
    for (what, value, range, need) in ranges {
        if !range.contains(&value) {
            return Err(Error::OutOfRange { what, index: 0, value, need });
        }
    }
    Ok(())
}

/// Whether a clip was cleaned before: half of what is firm or more stands exactly, as no capture does.
fn was_cleaned(firm: &[Firm]) -> bool {
    let stands = |firm: &&Firm| firm.stance == Stance::Firm;
    let (n_firm, n_still) =
        (firm.iter().filter(stands).count(), firm.iter().filter(|firm| firm.is_still).count());
    n_still > 0 && 2 * n_still >= n_firm
}

/// What is done about the root's path.
#[derive(Debug, Default)]
struct Way {
    /// How much of the slide it takes up.
    share: f64,
    /// Its displacement, look after look, and frame after frame; none where it is kept.
    at_looks: Vec<DVec3>,
    path: Vec<DVec3>,
    /// The figure walks on the spot.
    in_place: bool,
    /// What feet do along it, where that shows that the clip was cleaned along it.
    feet: Option<Feet>,
}

/// A figure walks on the spot where its feet would take it at least this far \[leg lengths\], and it stays within this part of that.
const ON_THE_SPOT: (f64, f64) = (0.5, 0.25);

/// The way that they would take it is this straight: its ends are apart by so much of its length.
const STRAIGHT: f64 = 0.85;

/// The hips of a walk keep their height to this \[leg lengths\]; those of who sits down or gets up do not.
const LEVEL: f64 = 0.35;

/// A root that moves by less than this is meant to stay where it is \[leg lengths\].
const STAYS: f64 = 1e-3;

/// What a clip shows of its feet.
struct Seen {
    paths: Paths,
    pace: Pace,
    /// The paths at the times at which feet are looked at.
    looks: Paths,
    feet: Feet,
}

/// What feet do.
#[derive(Debug)]
struct Feet {
    floor: Floor,
    firm: Vec<Firm>,
    was_cleaned: bool,
}

impl Feet {
    fn new(paths: &Paths, looks: &Paths, pace: Pace, settings: &CleanSettings) -> Self {
        let floor = floor_of(looks, settings.floor);
        let plants = plants_on(looks, &floor, settings.floor, &settings.detect);
        let detect = (settings.firm, &settings.detect);
        let firm = firm_parts((paths, looks, pace), &floor, &plants, detect);
        let was_cleaned = was_cleaned(&firm);
        Self { floor, firm, was_cleaned }
    }
}

impl Seen {
    /// - `tracks`: of the clip, with all joints of the legs
    fn new(tracks: &Tracks, clip: &Clip, legs: &[Leg], settings: &CleanSettings) -> Self {
        let paths = Paths::of(tracks, clip, legs);
        let pace = Pace::new(paths.frame_time, paths.n_frames);
        let looks = pace.looks(&paths);
        let feet = Feet::new(&paths, &looks, pace, settings);
        Self { paths, pace, looks, feet }
    }

    /// What is to be done about the path of the root.
    fn way(&self, tracks: &Tracks, root: usize, settings: &CleanSettings) -> Way {
        let Self { paths, looks, pace, feet } = self;
        let slide = Slide::new(looks, &feet.firm, &feet.floor);
        let path = |share| slide.displacement(share, looks.frame_time);
        let whole = path(1.0);
        let length = |far: f64, shift: &DVec3| far.max(shift.length());
        let far = whole.iter().fold(0.0, length);
        let strays = strays(tracks, root, paths.n_frames);
        let in_place = settings.in_place
            || slide.is_known
                && slide.is_common
                && far > ON_THE_SPOT.0 * paths.length
                && strays < ON_THE_SPOT.1 * far
                && straightness(&whole) >= STRAIGHT
                && climb(paths) <= LEVEL * paths.length;
        if in_place && paths.n_frames > 0 {
            return self.way_ahead(&path(settings.strength), settings);
        }
        let share = match slide.is_known && strays > STAYS * paths.length {
            true => slide.share(&whole, &feet.firm, paths.length),
            false => 0.0,
        };
        if share <= 0.0 {
            return Way { in_place, ..Way::default() };
        }
        let at_looks = path(share * settings.strength);
        let path = pace.filled(&at_looks);
        Way { share, at_looks, path, in_place, feet: None }
    }

    /// The way of a walk on the spot: the one along which its feet were made to stand, if they were, else what is nearest to the one that their slide tells.
    fn way_ahead(&self, slide: &[DVec3], settings: &CleanSettings) -> Way {
        let Self { paths, looks, pace, feet } = self;
        let along = |spline: &Spline| {
            let at_looks = spline.places(looks.n_frames, looks.frame_time);
            let path = spline.places(paths.n_frames, paths.frame_time);
            Way { share: 1.0, at_looks, path, in_place: true, feet: None }
        };
        let stands: Vec<_> = feet
            .firm
            .iter()
            .filter_map(|firm| {
                let path = paths.legs[firm.plant.leg].part(firm.plant.part)?;
                (firm.stance == Stance::Firm).then(|| (path, firm.plant.frames.clone()))
            })
            .collect();
        let least = least_step(paths, pace.step());
        if let Some(spline) = Spline::exact(&stands, (paths, *pace), (least, feet.floor.normal)) {
            let mut way = along(&spline);
            let (paths, looks) = (paths.along(&way.path), looks.along(&way.at_looks));
            let feet = Feet::new(&paths, &looks, *pace, settings);
            if feet.was_cleaned {
                way.feet = Some(feet);
                return way;
            }
        }
        match Spline::near(slide, looks.frame_time, paths, *pace) {
            Some(spline) => along(&spline),
            None => Way { in_place: true, ..Way::default() },
        }
    }
}

/// The way that a walk on the spot would go, as [`clean`] judges it: frame after frame, for [`along_path`]. `None` where the figure is not on the spot.
///
/// - `settings`: those of cleaning; with `in_place` every clip is taken for a walk on the spot
///
/// # Degenerate cases
/// `None` without legs, without frames, and where no joint that carries the legs can be moved.
#[must_use]
pub fn way_on_the_spot(clip: &Clip, legs: &[Leg], settings: &CleanSettings) -> Option<Vec<DVec3>> {
    let root = carrier(clip, legs).filter(|_| !legs.is_empty() && clip.n_frames() > 0)?;
    let tracks = Tracks::new(clip, &joints_of(legs));
    let seen = Seen::new(&tracks, clip, legs, settings);
    if seen.feet.was_cleaned && !settings.in_place {
        return None;
    }
    let whole = CleanSettings { strength: 1.0, ..settings.clone() };
    let way = seen.way(&tracks, root, &whole);
    way.in_place.then_some(way.path)
}

/// How far a joint gets from where it is first \[the clip's unit\].
fn strays(tracks: &Tracks, joint: usize, n_frames: usize) -> f64 {
    let at = |frame: usize| tracks.place(frame, joint);
    (1..n_frames).map(|frame| at(frame).distance(at(0))).fold(0.0, f64::max)
}

/// How far apart the ends of a way are, of its length.
fn straightness(way: &[DVec3]) -> f64 {
    let length: f64 = way.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
    way.last().map_or(0.0, |end| end.distance(way[0])) / length
}

/// How much the heights of all hips change at least \[the clip's unit\].
fn climb(paths: &Paths) -> f64 {
    let of_leg = |hip: &[DVec3]| {
        let heights = hip.iter().map(|place| place.dot(paths.up));
        let ends = (f64::INFINITY, f64::NEG_INFINITY);
        let (low, high) = heights.fold(ends, |(low, high), z| (low.min(z), high.max(z)));
        high - low
    };
    paths.legs.iter().map(|leg| of_leg(&leg.hip)).fold(f64::INFINITY, f64::min)
}

/// The clip with its root moved along a path that was found for it.
fn moved(clip: &Clip, legs: &[Leg], path: &[DVec3]) -> Clip {
    let moved = if path.is_empty() { None } else { along_path(clip, legs, path).ok().flatten() };
    moved.unwrap_or_else(|| clip.clone())
}

/// How far a plant slides: the largest distance along the floor from its median.
pub(super) fn drift(at: impl Fn(usize) -> DVec3, plant: &Plant, floor: &Floor) -> f64 {
    let along = |frame: usize| {
        let point = at(frame);
        point - floor.normal * point.dot(floor.normal)
    };
    let points: Vec<DVec3> = plant.frames.clone().map(along).collect();
    let mut median = DVec3::ZERO;
    let mut keys = Vec::with_capacity(points.len());
    for k in 0..3 {
        keys.clear();
        keys.extend(points.iter().map(|point| key(point[k])));
        median[k] = middle(&mut keys);
    }
    points.iter().map(|point| point.distance(median)).fold(0.0, |a, b| if b > a { b } else { a })
}

/// The median of numbers by their [`key`]s: of an even number the mean of the two in the middle, so that it is the same seen from both sides.
fn middle(keys: &mut [i64]) -> f64 {
    let rank = keys.len() / 2;
    let is_even = keys.len().is_multiple_of(2);
    let (below, upper, _) = keys.select_nth_unstable(rank);
    let upper = of_key(*upper);
    let lower = below.iter().max().filter(|_| is_even);
    lower.map_or(upper, |lower| 0.5 * (of_key(*lower) + upper))
}

/// Where joints are, in frames or in looks, and by how much the root is moved then.
#[derive(Clone, Copy)]
struct Moved<'a> {
    paths: &'a Paths,
    path: &'a [DVec3],
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
struct Planner<'a> {
    clip: &'a Clip,
    frames: Moved<'a>,
    looks: Moved<'a>,
    legs: &'a [Leg],
    floor: Floor,
    settings: &'a CleanSettings,
    in_place: bool,
    /// The way of a walk on the spot is the one that it was cleaned along.
    is_known: bool,
    was_cleaned: bool,
}

impl Planner<'_> {
    /// What becomes of each plant, the contacts, and which of them is which plant's.
    fn plan(&self, firm: &[Firm]) -> (Vec<PlantReport>, Vec<Contact>, Vec<Option<usize>>) {
        let mut reports: Vec<PlantReport> = firm.iter().map(|firm| self.judge(firm)).collect();
        if self.was_cleaned {
            self.leave_rests(&mut reports);
        }
        let mut targets: Vec<Option<DVec3>> = vec![None; reports.len()];
        let mut contacts = Vec::new();
        let mut of_plant = vec![None; reports.len()];
        if reports.iter().all(|report| report.verdict != Verdict::Fixed) {
            return (reports, contacts, of_plant);
        }
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
            if self.is_known || is_short || is_on_the_way || report.drift_before <= seen {
                report.verdict = Verdict::Left;
            }
        }
    }

    fn judge(&self, firm: &Firm) -> PlantReport {
        let plant = firm.plant.clone();
        let time = |frame| self.clip.time(frame);
        let (from, to) = (time(plant.frames.start), time(plant.frames.end - 1));
        let is_kept = self.settings.keep.iter().any(|(start, end)| from <= *end && *start <= to);
        let (seen, looked) = self.seen(firm);
        let on_path = |look| seen.at(plant.leg, plant.part, look);
        let slide = drift(on_path, &looked.plant, &self.floor);
        let verdict = match firm.stance {
            _ if is_kept => Verdict::Kept,
            Stance::Rolling => Verdict::Rolling,
            Stance::Left => Verdict::Left,
            _ if slide > self.settings.release * self.frames.paths.length => {
                Verdict::Released { slide }
            }
            _ if slide <= CLEAN * self.frames.paths.length && self.keeps_stands() => Verdict::Clean,
            Stance::Firm => Verdict::Fixed,
        };
        let was = |frame| self.frames.was_at(plant.leg, plant.part, frame);
        let drift_before = if self.in_place { slide } else { drift(was, &plant, &self.floor) };
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
            if drift(at, &whole, &self.floor) <= self.seen_slide() {
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
        let own = sum / time;
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
