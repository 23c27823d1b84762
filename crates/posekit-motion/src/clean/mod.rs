//! Feet that slide are made to stand: footskate removal. `docs/motion-method.md` has the equations, and what was measured.
//!
//! 1. [`cycle`] repeats a cycle before and after itself, so that it stays one.
//! 2. [`source`] finds when feet stand, on which floor, and how its support moves ([`contacts`], [`support`]).
//! 3. One least squares over all frames ([`space_time`](crate::space_time)) finds the smallest change with which they do; closed forms make it exact.
//! 4. Contacts that are given, joints that turn about too few axes, and bones that may stretch are left to [`hold`](crate::hold()).
//! 5. [`slides`] measures the outcome by nothing that cleaning uses.

mod contacts;
mod cycle;
mod outcome;
mod slides;
mod source;
mod support;
#[cfg(test)]
mod tests;

pub use slides::{Slide, slides};

use std::borrow::Cow;

use posekit::glam::DVec3;
use posekit::skeleton::Skeleton;

use crate::error::{Error, Result};
use crate::find::{Legs, find_legs};
use crate::floor::{Floor, FloorChoice};
use crate::hold::{ContactReport, Held, HoldSettings, Keep, check_limb, hold_within};
use crate::metrics::{Metrics, measure_on};
use crate::plant::{Plant, PlantReport};
use crate::travel::along_path;
use crate::{Clip, Contact, Leg};
use outcome::Outcome;
use source::Source;

/// How a clip is cleaned. The defaults suit figures of any size, and clips of any rate.
#[derive(Debug, Clone, PartialEq)]
pub struct CleanSettings {
    /// How much of the correction to apply, from 0 (none) to 1 (all, the default). What is to be done is decided as for all of it.
    pub strength: f64,
    /// Shorter plants are none \[s\]. Default 0.08: the contacts of a sprint last 0.1.
    pub shortest: f64,
    /// What feet stand on.
    pub floor: FloorChoice,
    /// The legs; `None`, the default, to find them.
    pub legs: Option<Vec<Leg>>,
    /// Contacts to hold in place of those that would be found: from a file, or edited by hand. Where they are is on the root trajectory as it is set
    /// right, which they do not change. None at all leave the clip as it is.
    pub contacts: Option<Vec<Contact>>,
    /// Times \[s\] in which the motion is left alone: their frames stay as they are. The root trajectory, where it is set right before and after, stays
    /// where it is meanwhile, so that what slides there slides as it did; from the second such time on, that carries its frames along. Within `ease` before
    /// and after it goes over.
    pub keep: Vec<(f64, f64)>,
    /// The first two and the last two frames are left alone, too, so that the clip goes on into others as before; the root trajectory is not corrected then. A foot that stands in
    /// them stands where it does there. Default false.
    pub keep_ends: bool,
    /// The figure walks in place: feet are judged as if it went on, and it stays in place. Default false: it is found out.
    pub in_place: bool,
    /// The root trajectory may change where all feet slide with it. Default true.
    pub path: bool,
    /// Before and after a plant, and times that are kept, the time in which the motion goes over \[s\]. Default 0.12: longer changes more of the swing, and is hardly smoother.
    pub ease: f64,
    /// A foot that still slides farther than this when the root trajectory is right is meant to \[leg lengths\]: its plant is released. Default 0.15.
    pub release: f64,
    /// Within this of the height at which it stands a part of a foot is firm, and held; outside it rolls: it is coming down or being lifted, and only does not
    /// slide \[leg lengths\]. Default 0.008: 7 mm for a leg of 0.85 m, in which a foot turns by two degrees.
    pub firm: f64,
    /// How contacts are held that are left to [`hold`](crate::hold()); its legs and strength come from here.
    pub hold: HoldSettings,
}

impl Default for CleanSettings {
    fn default() -> Self {
        Self {
            strength: 1.0,
            shortest: 0.08,
            floor: FloorChoice::default(),
            legs: None,
            contacts: None,
            keep: Vec::new(),
            keep_ends: false,
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
    /// The clip with feet that stand. Where nothing has to change, it keeps every bit.
    pub clip: Clip,
    /// The legs, and why these.
    pub legs: Legs,
    /// The floor they stand on.
    pub floor: Floor,
    /// Which floor was asked for.
    pub floor_choice: FloorChoice,
    /// Every plant and what became of it, in the order of their first frames. Where contacts were given, those that they hold, and of these the frames in which they do.
    pub plants: Vec<PlantReport>,
    /// The contacts that were held, to be edited and given back.
    pub contacts: Vec<Contact>,
    /// How well they hold, in the same order. With a strength below 1 they are off by what is left; missed then are the frames in which all of the
    /// correction would miss, too.
    pub held: Vec<ContactReport>,
    /// Where every foot stood already and nothing was held: the contacts in which they stand, for who changes the clip and wants them to go on standing.
    pub standing: Vec<Contact>,
    /// The joints that were changed.
    pub changed: Vec<usize>,
    /// The displacement of the root trajectory, frame after frame; none where it was kept. Of an in-place walk the way it would go, which was taken off
    /// again, whatever the strength.
    pub path: Vec<DVec3>,
    /// It was cleaned as an in-place walk.
    pub is_in_place: bool,
}

impl Cleaned {
    /// The contacts in which something stands: those that were held, or those in which feet stood already.
    #[must_use]
    pub fn stands(&self) -> &[Contact] {
        if self.contacts.is_empty() { &self.standing } else { &self.contacts }
    }

    /// Makes what stands go on standing in the cleaned clip as it was changed since, as by a [`Layer`](crate::Layer) of poses. In-place walks are held as if
    /// they went on.
    ///
    /// - `changed`: of the same skeleton and frames
    /// - `settings`: those of cleaning
    /// - `keep`: what a file keeps, as for [`clean_within`]
    ///
    /// # Errors
    /// As [`hold`](crate::hold()).
    pub fn hold_again(
        &self,
        changed: &Clip,
        settings: &CleanSettings,
        keep: Option<&Keep>,
    ) -> Result<Held> {
        let legs = &self.legs.legs;
        // What stands does so along all of the path, of which a part was applied.
        let strength = settings.strength;
        let left = match self.is_in_place {
            true => 1.0,
            false if strength > 0.0 => (1.0 - strength) / strength,
            false => 0.0,
        };
        let path: Vec<DVec3> = match left > 0.0 {
            true => self.path.iter().map(|shift| *shift * left).collect(),
            false => Vec::new(),
        };
        let hold = |clip: &Clip, contacts: &[Contact], path: &[DVec3]| {
            let settings = holding(legs, settings);
            let held = hold_within(&moved(clip, legs, path), contacts, &settings, keep)?;
            Ok(Held { clip: moved_back(&held.clip, legs, path), ..held })
        };
        let (around, cycle) = cycle::unrolled(changed, legs, settings);
        let Some(cycle) = cycle else { return hold(changed, self.stands(), &path) };
        let path = cycle.repeated(&path);
        let contacts = cycle.contacts(&around, cycle.gain(&path), self.stands());
        Ok(cycle.cut_held(changed, hold(&around, &contacts, &path)?, self.stands().len()))
    }

    /// A clip as its feet are judged: an in-place walk goes on along [`Cleaned::path`], any other is as it is.
    ///
    /// - `clip`: the one that was cleaned, or the cleaned one, as it was changed since or not
    #[must_use]
    pub fn as_judged<'c>(&self, clip: &'c Clip) -> Cow<'c, Clip> {
        if !self.is_in_place {
            return Cow::Borrowed(clip);
        }
        Cow::Owned(moved(clip, &self.legs.legs, &self.path))
    }

    /// Measures of the clip before and after, over the same plants and floor. In-place walks are measured as if they went on.
    ///
    /// - `source`: the clip that was cleaned
    #[must_use]
    pub fn measures(&self, source: &Clip) -> (Metrics, Metrics) {
        let plants: Vec<Plant> = self.plants.iter().map(|report| report.plant.clone()).collect();
        let legs = &self.legs.legs;
        let [before, after] = [source, &self.clip].map(|clip| self.as_judged(clip));
        let floor = (&self.floor, self.floor_choice);
        let measured = measure_on(&before, None, legs, &plants, floor);
        (measured, measure_on(&after, Some(&before), legs, &plants, floor))
    }
}

/// Removes footskate.
///
/// Finds the legs, the floor, how its support moves, and when feet stand; sets the root trajectory right where all feet visibly slide with it; and changes root and
/// legs as little and as smoothly as it takes for feet to stand. A contact that would cost too much is released and reported.
///
/// # Degenerate cases
/// Without legs, frames or plants the clip comes back as it is; [`Legs::reason`] says why.
/// # Errors
/// As [`hold`](crate::hold()), for settings, legs and contacts that make no sense.
pub fn clean(clip: &Clip, settings: &CleanSettings) -> Result<Cleaned> {
    clean_within(clip, settings, None)
}

/// [`clean`] for a file that may not keep all of a clip: feet stand in what it keeps, as far as they can, and that is the clip that comes back.
///
/// - `keep`: what the file keeps; `None` where it keeps every clip
///
/// Where it cannot keep the root trajectory as it would be set right, that stays as it is.
///
/// # Errors
/// As [`clean`].
pub fn clean_within(clip: &Clip, settings: &CleanSettings, keep: Option<&Keep>) -> Result<Cleaned> {
    check(settings)?;
    let legs = match &settings.legs {
        Some(legs) => {
            check_legs(clip.skeleton(), legs)?;
            Legs { legs: legs.clone(), reason: "given".to_owned(), candidates: Vec::new() }
        }
        None => find_legs(clip),
    };
    let (around, cycle) = cycle::unrolled(clip, &legs.legs, settings);
    let source = Source::new(&around, &legs.legs, settings, keep, cycle.as_ref());
    let seen = source.see();
    let Outcome { clip: cleaned, changed, contacts, held, reports } = source.outcome(&seen)?;
    let is_moved = seen.path.iter().any(|shift| *shift != DVec3::ZERO);
    let is_in_place = seen.in_place && is_moved;
    let part = if is_in_place { 1.0 } else { settings.strength } * source.length;
    let path =
        if is_moved { seen.path.iter().map(|shift| *shift * part).collect() } else { Vec::new() };
    let is_held = settings.contacts.is_some() || !changed.is_empty() || is_moved && !is_in_place;
    let (contacts, standing, held) = match is_held {
        true => (contacts, Vec::new(), held),
        false => (Vec::new(), contacts, Vec::new()),
    };
    let cleaned = Cleaned {
        clip: cleaned,
        floor: seen.floor,
        floor_choice: settings.floor,
        plants: reports,
        contacts,
        held,
        standing,
        changed,
        path,
        is_in_place,
        legs,
    };
    let are_given = settings.contacts.is_some();
    Ok(match cycle {
        Some(cycle) => cycle.cut(clip, cleaned, are_given),
        None => cleaned,
    })
}

fn check(settings: &CleanSettings) -> Result<()> {
    let ranges = [
        ("strength", settings.strength, 0.0..=1.0, "from 0 to 1"),
        ("shortest", settings.shortest, 0.0..=10.0, "from 0 to 10 s"),
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

fn check_legs(skeleton: &Skeleton, legs: &[Leg]) -> Result<()> {
    let n_joints = skeleton.n_joints();
    for leg in legs {
        check_limb(skeleton, leg.limb)?;
        if let Some(joint) = leg.ball.filter(|ball| *ball >= n_joints) {
            return Err(Error::NoSuchJoint { what: "ball of a foot", joint, n_joints });
        }
    }
    Ok(())
}

/// What [`clean`] thinks of a clip.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Judged {
    /// The floor that its feet stand on.
    pub floor: Floor,
    /// Every plant and what would become of it, in the order of their first frames.
    pub plants: Vec<PlantReport>,
    /// Of an in-place walk the way that it would go, frame after frame, for [`along_path`].
    pub way: Option<Vec<DVec3>>,
}

/// Judges the plants of a clip as [`clean`] does, and changes nothing.
///
/// - `settings`: those of cleaning, but for its legs and contacts
/// - `keep`: what a file keeps, as for [`clean_within`]
///
/// # Degenerate cases
/// Without legs or frames there are no plants.
/// # Errors
/// As [`clean`].
pub fn judge(
    clip: &Clip,
    legs: &[Leg],
    settings: &CleanSettings,
    keep: Option<&Keep>,
) -> Result<Judged> {
    let settings = CleanSettings { contacts: None, legs: Some(legs.to_vec()), ..settings.clone() };
    let Cleaned { floor, plants, path, is_in_place, .. } = clean_within(clip, &settings, keep)?;
    Ok(Judged { floor, plants, way: is_in_place.then_some(path) })
}

/// The floor of a clip, as its feet show it where they stand.
///
/// It goes through the joints that are lowest when they stand, balls mostly, not through the soles, which a skeleton does not have.
///
/// # Degenerate cases
/// Without legs or frames: level, at height zero. Where feet never stand, at the lowest they come.
#[must_use]
pub fn find_floor(clip: &Clip, legs: &[Leg], choice: FloorChoice) -> Floor {
    let settings = CleanSettings { floor: choice, ..CleanSettings::default() };
    let (around, cycle) = cycle::unrolled(clip, legs, &settings);
    Source::new(&around, legs, &settings, None, cycle.as_ref()).see().floor
}

/// When which parts of feet are in contact, in the order of their first frames. [`clean`] makes stand what of each is at one place: not what rolls.
///
/// - `settings`: those of cleaning, but for its legs and contacts
///
/// # Degenerate cases
/// Without legs or frames there are none.
#[must_use]
pub fn find_plants(clip: &Clip, legs: &[Leg], settings: &CleanSettings) -> Vec<Plant> {
    let (around, cycle) = cycle::unrolled(clip, legs, settings);
    let mut plants = Source::new(&around, legs, settings, None, cycle.as_ref()).see().plants;
    if let Some(cycle) = cycle {
        plants.retain_mut(|plant| cycle.cut_plant(plant));
        plants.sort_by_key(Plant::order);
    }
    plants
}

/// How contacts are held by these legs.
fn holding(legs: &[Leg], settings: &CleanSettings) -> HoldSettings {
    HoldSettings {
        legs: legs.iter().map(|leg| leg.limb).collect(),
        strength: settings.strength,
        ..settings.hold.clone()
    }
}

/// The clip with its root taken back from a path along which it was cleaned.
fn moved_back(clip: &Clip, legs: &[Leg], path: &[DVec3]) -> Clip {
    let back: Vec<DVec3> = path.iter().map(|shift| -*shift).collect();
    moved(clip, legs, &back)
}

/// The clip with its root moved along a path that was found for it.
fn moved(clip: &Clip, legs: &[Leg], path: &[DVec3]) -> Clip {
    let moved = if path.is_empty() { None } else { along_path(clip, legs, path).ok().flatten() };
    moved.unwrap_or_else(|| clip.clone())
}
