//! Feet that slide are made to stand: footskate removal.

use std::borrow::Cow;

use posekit::glam::DVec3;

use super::again::see_again;
use super::decide::{Decided, decide};
use super::find::{Legs, find_legs};
use super::firm::{Past, STILL};
use super::floor::{Floor, FloorChoice};
use super::given::are_standing;
use super::hold::{
    Along, Asked, ContactReport, Held, HoldSettings, Keep, has_few_turns, hold_on_path, hold_within,
};
use super::metrics::{Metrics, measure_on};
use super::paths::{joints_of, mean_length};
use super::plant::{DetectSettings, Plant};
use super::seen::Seen;
use super::tracks::Tracks;
use super::travel::{along_path, carrier};
use super::verdict::{PlantReport, Verdict, slide};
use super::{Clip, Contact, Leg};
use crate::error::{Error, Result};

/// How a clip is cleaned. The defaults suit figures of any size, and clips of any rate.
#[derive(Debug, Clone, PartialEq)]
pub struct CleanSettings {
    /// How much of the correction to apply, from 0 (none) to 1 (all, the default). What is to be done is decided as for all of it.
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
    /// Times \[s\] in which the motion is left alone: their frames stay as they are. The way of a root that is set right before and after stays
    /// where it is meanwhile, so that what slides there slides as it did; from the second such time on, that carries its frames along. Within `ease` before
    /// and after it goes over. What stands there is no reason to change the path.
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
    /// What cleans. Not for use yet: the other engine is being measured.
    #[doc(hidden)]
    pub engine: Engine,
}

/// What cleans.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Engine {
    /// Stage after stage, each contact by closed forms. The default.
    #[default]
    Staged,
    /// Contacts by a hidden Markov model, the change by one least squares.
    SpaceTime,
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
            engine: Engine::default(),
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
    /// Which floor was asked for.
    pub floor_choice: FloorChoice,
    /// Every plant and what became of it, in the order of their first frames. Where contacts were given, what of a plant is shortly beside them is no part of it.
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
    /// How much of the slide was taken for a wrong path of the root, from 0 to 1.
    pub path_share: f64,
    /// The displacement of the root's path, frame after frame; none where the path was kept. Of a walk on the spot the way it would go, which was taken off
    /// again, whatever the strength.
    pub path: Vec<DVec3>,
    /// It was cleaned as a walk on the spot.
    pub is_in_place: bool,
}

impl Cleaned {
    /// The contacts in which something stands: those that were held, or those in which feet stood already.
    #[must_use]
    pub fn stands(&self) -> &[Contact] {
        if self.contacts.is_empty() { &self.standing } else { &self.contacts }
    }

    /// Makes what stands go on standing in the cleaned clip as it was changed since, as by a [`Layer`](super::Layer) of poses. Walks on the spot are held as if
    /// they went on.
    ///
    /// - `changed`: of the same skeleton and frames
    /// - `settings`: those of cleaning
    /// - `keep`: what a file keeps, as for [`clean_within`]
    ///
    /// # Errors
    /// As [`hold`](super::hold).
    pub fn hold_again(
        &self,
        changed: &Clip,
        settings: &CleanSettings,
        keep: Option<&Keep<'_>>,
    ) -> Result<Held> {
        let legs = &self.legs.legs;
        // What stands does so along all of the path, of which a part was applied.
        let strength = settings.strength;
        let left = match self.is_in_place {
            true => 1.0,
            false if strength > 0.0 => (1.0 - strength) / strength,
            false => 0.0,
        };
        let settings = holding(legs, settings);
        if left == 0.0 || self.path.is_empty() {
            return hold_within(changed, self.stands(), &settings, keep);
        }
        let left: Vec<DVec3> = self.path.iter().map(|shift| *shift * left).collect();
        let ahead = keep.map(|keep| kept_ahead(keep, legs, &left));
        let keep = ahead.as_ref();
        let held = hold_within(&moved(changed, legs, &left), self.stands(), &settings, keep)?;
        Ok(Held { clip: moved_back(&held.clip, legs, &left), ..held })
    }

    /// A clip as its feet are judged: a walk on the spot goes on along [`Cleaned::path`], any other is as it is.
    ///
    /// - `clip`: the one that was cleaned, or the cleaned one, as it was changed since or not
    #[must_use]
    pub fn as_judged<'c>(&self, clip: &'c Clip) -> Cow<'c, Clip> {
        if !self.is_in_place {
            return Cow::Borrowed(clip);
        }
        Cow::Owned(moved(clip, &self.legs.legs, &self.path))
    }

    /// Measures of the clip before and after, over the same plants, those that are firm, and floor. Walks on the spot are measured as if they went on.
    ///
    /// - `source`: the clip that was cleaned
    #[must_use]
    pub fn measures(&self, source: &Clip) -> (Metrics, Metrics) {
        let counted = self.plants.iter().filter(|report| report.verdict.is_counted());
        let plants: Vec<Plant> = counted.map(|report| report.plant.clone()).collect();
        let legs = &self.legs.legs;
        let [before, after] = [source, &self.clip].map(|clip| self.as_judged(clip));
        let floor = (&self.floor, self.floor_choice);
        let measured = measure_on(&before, None, legs, &plants, floor);
        (measured, measure_on(&after, Some(&before), legs, &plants, floor))
    }
}

/// How often a cleaned clip is looked at again, at most.
const LOOKS: usize = 4;

/// Removes footskate.
///
/// Finds the legs, the floor and when feet stand; sets the path of the root right where all feet slide with it; decides for each plant as a whole; and holds
/// what is left with [`hold`](super::hold). Where more feet may come to stand by that, it looks again at what it made, and holds these, too, so that a second
/// run has nothing left to change.
///
/// # Degenerate cases
/// Without legs, frames or plants the clip comes back as it is; [`Legs::reason`] says why.
/// # Errors
/// As [`hold`](super::hold), for settings, legs and contacts that make no sense.
pub fn clean(clip: &Clip, settings: &CleanSettings) -> Result<Cleaned> {
    clean_within(clip, settings, None)
}

/// [`clean`] for a file that may not keep all of a clip: feet stand in what it keeps, as far as they can, and that is the clip that comes back.
///
/// - `keep`: what the file keeps; `None` where it keeps every clip
///
/// Where it cannot keep the path of the root as it would be set right, the path stays as it is.
///
/// # Errors
/// As [`clean`].
pub fn clean_within(
    clip: &Clip,
    settings: &CleanSettings,
    keep: Option<&Keep<'_>>,
) -> Result<Cleaned> {
    check(settings)?;
    let legs = match &settings.legs {
        Some(legs) => {
            Legs { legs: legs.clone(), reason: "given".to_owned(), candidates: Vec::new() }
        }
        None => find_legs(clip),
    };
    if settings.engine == Engine::SpaceTime {
        return super::engine::clean(clip, legs, settings, keep);
    }
    let Solved { decided, mut held, mut after, stands } = solve(clip, &legs.legs, settings, keep)?;
    let given = settings.contacts.as_ref();
    let mut whole = None;
    if settings.strength < 1.0 && !stands {
        let reached = held.contacts;
        let tracks = Tracks::new(clip, &joints_of(&legs.legs));
        let of = (clip, legs.legs.as_slice(), settings, keep);
        (held, after) = hold_decided(of, tracks, &decided, settings.strength)?;
        // Out of reach is what all of it does not reach.
        for (part, whole) in held.contacts.iter_mut().zip(&reached) {
            part.missed.clone_from(&whole.missed);
            part.by_channels = whole.by_channels;
        }
        whole = Some(reached);
    }
    let Decided {
        floor,
        share: path_share,
        path,
        in_place,
        kept,
        mut reports,
        contacts,
        of_plant,
        standing,
        ..
    } = decided;
    let standing = if given.is_some() { Vec::new() } else { standing };
    let contacts = given.cloned().unwrap_or(contacts);
    if stands {
        held.contacts.iter_mut().for_each(|held| held.missed.clear());
    }
    for (report, contact) in reports.iter_mut().zip(&of_plant) {
        let joint = legs.legs[report.plant.leg].joint(report.plant.part);
        report.drift_after = slide(|frame| after.place(frame, joint), &report.plant, &floor);
        let reached = whole.as_ref().unwrap_or(&held.contacts);
        let missed = contact.and_then(|contact| reached.get(contact)).filter(|_| given.is_none());
        if let Some(missed) = missed.filter(|missed| !missed.missed.is_empty()) {
            report.verdict = Verdict::Unreachable {
                by: missed.residual,
                frames: missed.missed.len(),
                by_channels: missed.by_channels,
            };
        }
    }
    let (mut cleaned, changed) = (held.clip, held.changed);
    if stands || in_place && contacts.is_empty() {
        // There and back is not to the bit where it was.
        cleaned = clip.clone();
    } else if in_place {
        cleaned = kept.restored(clip, moved_back(&cleaned, &legs.legs, &path));
    }
    let path_part = if in_place { 1.0 } else { settings.strength };
    let path = path.into_iter().map(|shift| shift * path_part).collect();
    Ok(Cleaned {
        clip: cleaned,
        legs,
        floor,
        floor_choice: settings.floor,
        plants: reports,
        contacts,
        held: held.contacts,
        standing,
        changed,
        path_share,
        path,
        is_in_place: in_place,
    })
}

/// What is decided, and the clip in which all of it holds.
struct Solved {
    decided: Decided,
    held: Held,
    /// The tracks of that clip, with the feet.
    after: Tracks,
    /// All stands as it is given, and is only measured.
    stands: bool,
}

/// Decides, holds, and looks again at what comes of it until nothing more comes to light.
fn solve(
    clip: &Clip,
    legs: &[Leg],
    settings: &CleanSettings,
    keep: Option<&Keep<'_>>,
) -> Result<Solved> {
    let tracks = Tracks::new(clip, &joints_of(legs));
    let mut decided = decide(clip, &tracks, legs, settings);
    let on_foot = CleanSettings { path: false, ..settings.clone() };
    let mut settings = settings;
    if keep.is_some_and(|keep| decided.leaves_channels(clip, legs, keep)) {
        settings = &on_foot;
        decided = decide(clip, &tracks, legs, settings);
    }
    let hold = |tracks: Tracks, decided: &Decided, strength: f64| {
        hold_decided((clip, legs, settings, keep), tracks, decided, strength)
    };
    let mut stands = false;
    if let Some(given) = settings.contacts.as_ref().filter(|given| !given.is_empty()) {
        let found = CleanSettings { contacts: None, ..settings.clone() };
        let found = decide(clip, &tracks, legs, &found);
        stands = are_standing(clip, given, &found.standing, STILL * mean_length(clip, legs));
        if stands {
            decided = found;
        } else {
            let (as_it_is, _) = hold(tracks.clone(), &decided, 0.0)?;
            stands = as_it_is.contacts.iter().all(|contact| contact.missed.is_empty());
        }
    }
    if settings.contacts.is_some() {
        let (held, after) = hold(tracks, &decided, if stands { 0.0 } else { 1.0 })?;
        return Ok(Solved { decided, held, after, stands });
    }
    let has_few_turns = legs.iter().any(|leg| has_few_turns(clip.skeleton(), leg.limb, keep));
    let source = has_few_turns.then(|| tracks.clone());
    let settle = |tracks: Tracks, decided: &mut Decided| {
        let mut made = hold(tracks, decided, 1.0)?;
        let Some(source) = &source else { return Ok::<_, Error>(made) };
        while decided.leave_unkept((clip, legs), &made.0.contacts, (source, &made.1)) {
            made = hold(source.clone(), decided, 1.0)?;
        }
        Ok(made)
    };
    let (mut held, mut after) = settle(tracks, &mut decided)?;
    let mut n_held = None;
    for _ in 0..LOOKS {
        let Some(later) = see_again(&held.clip, &after, &decided, legs, settings) else { break };
        let tracks = Tracks::new(clip, &joints_of(legs));
        // What was left once may stand among others; where no more does than before, it is left for good.
        let is_more = n_held.is_none_or(|n_held| decided.contacts.len() > n_held);
        n_held = Some(decided.contacts.len());
        if !(is_more && decided.add(&later, legs, &tracks)) {
            if decided.is_unsure(&later) {
                decided.leave();
                (held, after) = hold(tracks, &decided, 1.0)?;
            } else {
                decided.leave_as(&later, legs, &tracks);
            }
            break;
        }
        (held, after) = settle(tracks, &mut decided)?;
    }
    Ok(Solved { decided, held, after, stands })
}

/// Holds the contacts that are given, or else those that were decided, with this strength.
///
/// - `tracks`: of the clip, as far as they are known
fn hold_decided(
    (clip, legs, settings, keep): (&Clip, &[Leg], &CleanSettings, Option<&Keep<'_>>),
    tracks: Tracks,
    decided: &Decided,
    strength: f64,
) -> Result<(Held, Tracks)> {
    let contacts = settings.contacts.as_ref().unwrap_or(&decided.contacts);
    let Decided { path, step, kept, in_place, .. } = decided;
    // The way of a walk on the spot is no change.
    let path_part = if *in_place { 1.0 } else { strength };
    let along = Along { path, path_part, step: *step, shares: kept.shares() };
    let feet: Vec<usize> =
        legs.iter().flat_map(|leg| leg.ball.into_iter().chain([leg.limb.end])).collect();
    let settings = CleanSettings { strength, ..settings.clone() };
    let ahead = keep.filter(|_| *in_place).map(|keep| kept_ahead(keep, legs, path));
    let keep = ahead.as_ref().or(keep);
    let asked = Asked { contacts, to_body: &[], also: &feet };
    hold_on_path(clip, tracks, along, asked, &holding(legs, &settings), keep)
}

fn check(settings: &CleanSettings) -> Result<()> {
    let ranges = [
        ("strength", settings.strength, 0.0..=1.0, "from 0 to 1"),
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
    let way = seen.way(&tracks, root, settings, None, Past::Shown);
    way.in_place.then_some(way.path)
}

/// What [`clean`] thinks of a clip before it changes anything.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct Judged {
    /// The floor that its feet stand on.
    pub floor: Floor,
    /// Every plant and what would become of it, in the order of their first frames; also what comes to light only where others stand.
    pub plants: Vec<PlantReport>,
    /// Of a walk on the spot the way that it would go, frame after frame, for [`along_path`].
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
    keep: Option<&Keep<'_>>,
) -> Result<Judged> {
    check(settings)?;
    let settings = CleanSettings { contacts: None, ..settings.clone() };
    let Decided { floor, path, in_place, reports, .. } =
        solve(clip, legs, &settings, keep)?.decided;
    let way = (in_place && !path.is_empty()).then_some(path);
    Ok(Judged { floor, plants: reports, way })
}

/// How contacts are held by these legs.
fn holding(legs: &[Leg], settings: &CleanSettings) -> HoldSettings {
    HoldSettings {
        legs: legs.iter().map(|leg| leg.limb).collect(),
        strength: settings.strength,
        ..settings.hold.clone()
    }
}

/// What a file keeps of a clip, as seen with its root moved along a path that is no part of it.
fn kept_ahead<'k>(keep: &'k Keep<'k>, legs: &'k [Leg], path: &'k [DVec3]) -> Keep<'k> {
    Keep {
        axes: keep.axes.clone(),
        cut: Box::new(move |held| {
            Some(moved(&(keep.cut)(&moved_back(held, legs, path))?, legs, path))
        }),
    }
}

/// The clip with its root taken back from a path along which it was cleaned.
pub(super) fn moved_back(clip: &Clip, legs: &[Leg], path: &[DVec3]) -> Clip {
    let back: Vec<DVec3> = path.iter().map(|shift| -*shift).collect();
    moved(clip, legs, &back)
}

/// The clip with its root moved along a path that was found for it.
fn moved(clip: &Clip, legs: &[Leg], path: &[DVec3]) -> Clip {
    let moved = if path.is_empty() { None } else { along_path(clip, legs, path).ok().flatten() };
    moved.unwrap_or_else(|| clip.clone())
}
