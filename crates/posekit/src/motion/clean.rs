//! Feet that slide are made to stand: footskate removal.

use core::ops::Range;

use glam::DVec3;

use super::find::{Legs, find_legs};
use super::floor::{Floor, FloorChoice, floor_of};
use super::hold::{ContactReport, HoldSettings, hold, root_of};
use super::path::Slide;
use super::paths::Paths;
use super::plant::{DetectSettings, Part, Plant, plants_on};
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
    /// Contacts to hold in place of those that would be found: from a file, or edited by hand. They are held as they are, and no path is changed.
    pub contacts: Option<Vec<Contact>>,
    /// Times \[s\] during which plants are left alone.
    pub keep: Vec<(f64, f64)>,
    /// The figure walks on the spot: feet are judged as if it went on, and it stays on the spot. Default false.
    pub in_place: bool,
    /// The root's path may change where all feet slide with it. Default true.
    pub path: bool,
    /// Before and after a plant, the time in which a foot goes over to it and back \[s\]. Default 0.25, less than most swings.
    pub ease: f64,
    /// A foot that still slides farther than this when the path is right is meant to \[leg lengths\]: its plant is released. Default 0.15.
    pub release: f64,
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
            ease: 0.25,
            release: 0.15,
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
    /// The displacement of the root's path, frame after frame; none where the path was kept.
    pub path: Vec<DVec3>,
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
    /// Left alone because it was asked for.
    Kept,
}

/// Plants that drift less than this stood already \[leg lengths\]: a tenth of a millimetre for a leg of 0.85 m.
const CLEAN: f64 = 1.2e-4;

/// Removes footskate.
///
/// Finds the legs, the floor and when feet stand; sets the path of the root right where all feet slide with it; decides for each plant as a whole; and holds
/// what is left with [`hold`].
///
/// # Degenerate cases
/// Without legs, frames or plants the clip comes back as it is; [`Legs::reason`] says why.
/// # Errors
/// As [`hold`], for settings, legs and contacts that make no sense.
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
    let paths = Paths::new(clip, &legs.legs);
    let floor = floor_of(&paths, settings.floor);
    let plants = plants_on(&paths, &floor, settings.floor, &settings.detect);
    let given = settings.contacts.as_ref();
    let (path_share, path) = match given {
        None if settings.path || settings.in_place => path(&paths, &plants, &floor, settings),
        _ => (0.0, Vec::new()),
    };
    let plan = Planner { clip, paths: &paths, path: &path, legs: &legs.legs, floor, settings };
    let (mut reports, contacts, of_plant) = plan.plan(plants);
    let contacts = given.cloned().unwrap_or(contacts);
    let base = moved(clip, &legs.legs, &path);
    let held = hold(base.as_ref().unwrap_or(clip), &contacts, &hold_settings)?;
    let mut changed = held.changed;
    changed.extend(base.as_ref().and_then(|_| root_joint(clip, &legs.legs)));
    changed.sort_unstable();
    changed.dedup();
    let mut cleaned = held.clip;
    let after = Paths::new(&cleaned, &legs.legs);
    let moved_back: &[DVec3] = &[];
    for (report, contact) in reports.iter_mut().zip(&of_plant) {
        report.drift_after = drift(&after, &report.plant, &floor, moved_back);
        let missed = contact.and_then(|contact| held.contacts.get(contact)).filter(|_| given.is_none());
        if let Some(missed) = missed.filter(|missed| !missed.missed.is_empty()) {
            report.verdict =
                Verdict::Unreachable { by: missed.residual, frames: missed.missed.len() };
        }
    }
    if settings.in_place {
        let back: Vec<DVec3> = path.iter().map(|shift| -*shift).collect();
        cleaned = moved(&cleaned, &legs.legs, &back).unwrap_or(cleaned);
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
    })
}

fn check(settings: &CleanSettings) -> Result<()> {
    let ranges = [
        ("ease", settings.ease, 0.0..=10.0, "from 0 to 10 s"),
        ("release", settings.release, 0.0..=1e3, "from 0 to 1000 leg lengths"),
    ];
    for (what, value, range, need) in ranges {
        if !range.contains(&value) {
            return Err(Error::OutOfRange { what, index: 0, value, need });
        }
    }
    Ok(())
}

/// The displacement of the path, and how much of the slide it takes up.
fn path(
    paths: &Paths,
    plants: &[Plant],
    floor: &Floor,
    settings: &CleanSettings,
) -> (f64, Vec<DVec3>) {
    let slide = Slide::new(paths, plants, floor);
    let share = if settings.in_place { 1.0 } else { slide.share(paths.length) };
    if share <= 0.0 {
        return (0.0, Vec::new());
    }
    (share, slide.displacement(share * settings.strength, paths.frame_time))
}

/// The joint that carries the legs.
fn root_joint(clip: &Clip, legs: &[Leg]) -> Option<usize> {
    let starts: Vec<usize> = legs.iter().map(|leg| leg.limb.start).collect();
    root_of(clip.skeleton(), &starts)
}

/// The clip with its root moved in the world; `None` where nothing moves.
fn moved(clip: &Clip, legs: &[Leg], path: &[DVec3]) -> Option<Clip> {
    if path.is_empty() {
        return None;
    }
    let skeleton = clip.skeleton();
    let root = root_joint(clip, legs)?;
    let place = skeleton.value_range(root).start;
    let above: Vec<usize> = skeleton.ancestors(root).skip(1).collect();
    let placement = skeleton.parent_from_joint(root).rotation;
    let mut values = clip.values().to_vec();
    for (q, shift) in values.chunks_exact_mut(skeleton.n_values()).zip(path) {
        let parent = above
            .iter()
            .rev()
            .fold(Pose::IDENTITY, |parent, &joint| skeleton.pose_on(joint, q, parent));
        let local = (parent.rotation * placement).conjugate() * *shift;
        for (value, more) in q[place..place + 3].iter_mut().zip(local.to_array()) {
            *value += more;
        }
    }
    Some(clip.with_edited(values, &[]))
}

/// How far a plant slides: the largest distance along the floor from its median.
fn drift(paths: &Paths, plant: &Plant, floor: &Floor, path: &[DVec3]) -> f64 {
    let Some(track) = paths.legs.get(plant.leg).and_then(|leg| leg.part(plant.part)) else {
        return 0.0;
    };
    let along = |frame: usize| {
        let point = track[frame] + path.get(frame).copied().unwrap_or(DVec3::ZERO);
        point - floor.normal * point.dot(floor.normal)
    };
    let points: Vec<DVec3> = plant.frames.clone().map(along).collect();
    let mut median = DVec3::ZERO;
    for k in 0..3 {
        let mut sorted: Vec<f64> = points.iter().map(|point| point[k]).collect();
        sorted.sort_by(f64::total_cmp);
        median[k] = 0.5 * (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]);
    }
    points.iter().map(|point| point.distance(median)).fold(0.0, |a, b| if b > a { b } else { a })
}

/// Makes contacts of plants.
struct Planner<'a> {
    clip: &'a Clip,
    paths: &'a Paths,
    path: &'a [DVec3],
    legs: &'a [Leg],
    floor: Floor,
    settings: &'a CleanSettings,
}

impl Planner<'_> {
    /// What becomes of each plant, the contacts, and which of them is which plant's.
    fn plan(&self, plants: Vec<Plant>) -> (Vec<PlantReport>, Vec<Contact>, Vec<Option<usize>>) {
        let mut reports: Vec<PlantReport> =
            plants.into_iter().map(|plant| self.judge(plant)).collect();
        let mut targets: Vec<Option<DVec3>> = vec![None; reports.len()];
        for index in 0..reports.len() {
            let report = &reports[index];
            if matches!(report.verdict, Verdict::Fixed | Verdict::Clean) {
                targets[index] = Some(self.target(index, &reports, &targets));
            }
        }
        let (mut contacts, mut of_plant) = (Vec::new(), Vec::new());
        for (report, target) in reports.iter_mut().zip(&targets) {
            of_plant.push(target.map(|_| contacts.len()));
            if let Some(target) = target {
                contacts.push(self.contact(&report.plant, *target));
            }
        }
        (reports, contacts, of_plant)
    }

    fn judge(&self, plant: Plant) -> PlantReport {
        let time = |frame| self.clip.time(frame);
        let (from, to) = (time(plant.frames.start), time(plant.frames.end - 1));
        let is_kept = self.settings.keep.iter().any(|(start, end)| from <= *end && *start <= to);
        let slide = drift(self.paths, &plant, &self.floor, self.path);
        let verdict = if is_kept {
            Verdict::Kept
        } else if slide > self.settings.release * self.paths.length {
            Verdict::Released { slide }
        } else if slide <= CLEAN * self.paths.length && self.path.is_empty() {
            Verdict::Clean
        } else {
            Verdict::Fixed
        };
        let drift_before = drift(self.paths, &plant, &self.floor, &[]);
        PlantReport { plant, verdict, drift_before, drift_after: drift_before }
    }

    /// Where a part of a foot is when the path is right.
    fn at(&self, leg: usize, part: Part, frame: usize) -> DVec3 {
        let place = self.paths.legs[leg].part(part).map_or(DVec3::ZERO, |path| path[frame]);
        place + self.path.get(frame).copied().unwrap_or(DVec3::ZERO)
    }

    fn mean(&self, plant: &Plant) -> DVec3 {
        let sum: DVec3 = plant
            .frames
            .clone()
            .map(|frame| self.at(plant.leg, plant.part, frame))
            .fold(DVec3::ZERO, |sum, place| sum + place);
        sum / plant.frames.len() as f64
    }

    /// Where a plant stands: in its middle, and as far from the other part of its foot as the foot is long.
    fn target(&self, index: usize, reports: &[PlantReport], targets: &[Option<DVec3>]) -> DVec3 {
        let plant = &reports[index].plant;
        let own = self.mean(plant);
        let other = (0..index).rev().find(|&before| {
            let other = &reports[before].plant;
            targets[before].is_some()
                && other.leg == plant.leg
                && other.part != plant.part
                && other.frames.end > plant.frames.start
        });
        let Some((before, target)) = other.and_then(|k| targets[k].map(|target| (k, target))) else {
            return own;
        };
        let both = overlap(&plant.frames, &reports[before].plant.frames);
        let length = |frame: usize| {
            let [heel, ball] = [Part::Heel, Part::Ball].map(|part| self.at(plant.leg, part, frame));
            heel.distance(ball)
        };
        let foot = both.clone().map(length).sum::<f64>() / both.len() as f64;
        let way = own - target;
        if way == DVec3::ZERO { own } else { target + way * (foot / way.length()) }
    }

    fn contact(&self, plant: &Plant, target: DVec3) -> Contact {
        let leg = &self.legs[plant.leg];
        let joint = match plant.part {
            Part::Heel => leg.limb.end,
            Part::Ball => leg.ball.unwrap_or(leg.limb.end),
        };
        Contact {
            frame: Frame::new(joint, Pose::IDENTITY),
            from: self.clip.time(plant.frames.start),
            to: self.clip.time(plant.frames.end - 1),
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
