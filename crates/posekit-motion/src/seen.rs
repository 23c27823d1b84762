//! What a clip shows of its feet, and what is done about the path of its root.

use posekit::glam::DVec3;

use super::clean::CleanSettings;
use super::firm::{Firm, Past, Stance, View, firm_parts, least_step};
use super::floor::{Floor, Footing};
use super::frozen::Frozen;
use super::given::Given;
use super::kept::Kept;
use super::pace::Pace;
use super::path::{Slide, suits_all};
use super::paths::Paths;
use super::plant::plants_on;
use super::spot::Spline;
use super::tracks::Tracks;
use super::{Clip, Leg};

/// Whether a clip was cleaned before: of what is firm, one of so many or more stands exactly, as no capture does.
fn was_cleaned(firm: &[Firm], one_of: usize) -> bool {
    let stands = |firm: &&Firm| firm.stance == Stance::Firm;
    let (n_firm, n_signs) =
        (firm.iter().filter(stands).count(), firm.iter().filter(|firm| firm.is_sign).count());
    n_signs > 0 && one_of * n_signs >= n_firm
}

/// Half of what is firm stands exactly in a clip that was cleaned; along a way that could be found because feet do, a third.
const EXACT: [usize; 2] = [2, 3];

/// What is done about the root's path.
#[derive(Debug, Default)]
pub(super) struct Way {
    /// How much of the slide it takes up.
    pub(super) share: f64,
    /// Its displacement, look after look, and frame after frame; none where it is kept.
    pub(super) at_looks: Vec<DVec3>,
    pub(super) path: Vec<DVec3>,
    /// The figure walks on the spot.
    pub(super) in_place: bool,
    /// What feet do along it, where that shows that the clip was cleaned along it.
    pub(super) feet: Option<Feet>,
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
pub(super) struct Seen {
    pub(super) paths: Paths,
    pub(super) pace: Pace,
    /// The paths at the times at which feet are looked at.
    pub(super) looks: Paths,
    frozen: Frozen,
    pub(super) feet: Feet,
    /// What is left alone.
    pub(super) kept: Kept,
}

/// What feet do.
#[derive(Debug)]
pub(super) struct Feet {
    pub(super) floor: Floor,
    pub(super) firm: Vec<Firm>,
    pub(super) was_cleaned: bool,
}

impl Feet {
    fn new(view: View<'_>, kept: &Kept, settings: &CleanSettings, past: Past) -> Self {
        let footing = Footing::find(view.looks, settings.floor);
        let plants = plants_on(&footing, settings.floor, &settings.detect);
        let floor = footing.floor;
        let detect = (settings.firm, &settings.detect);
        let firm = firm_parts(view, &floor, &plants, detect, past);
        let firm = kept.split(firm, view.pace);
        let was_cleaned = past == Past::Shown && was_cleaned(&firm, EXACT[0]);
        Self { floor, firm, was_cleaned }
    }
}

impl Seen {
    /// - `tracks`: of the clip, with all joints of the legs
    pub(super) fn new(
        tracks: &Tracks,
        clip: &Clip,
        legs: &[Leg],
        settings: &CleanSettings,
    ) -> Self {
        let paths = Paths::of(tracks, clip, legs);
        let pace = Pace::new(paths.frame_time, paths.n_frames);
        let looks = pace.looks(&paths);
        let (frozen, kept) = (Frozen::new(clip), Kept::new(clip, settings));
        let view = View { paths: &paths, looks: &looks, pace, frozen: &frozen };
        let feet = Feet::new(view, &kept, settings, Past::Shown);
        Self { paths, pace, looks, frozen, feet, kept }
    }

    /// What its feet do, each plant judged by itself.
    pub(super) fn uncleaned(&self, settings: &CleanSettings) -> Feet {
        Feet::new(self.view(&self.paths, &self.looks), &self.kept, settings, Past::Uncleaned)
    }

    /// The figure on paths that it may go along.
    const fn view<'a>(&'a self, paths: &'a Paths, looks: &'a Paths) -> View<'a> {
        View { paths, looks, pace: self.pace, frozen: &self.frozen }
    }

    /// What is to be done about the path of the root.
    ///
    /// - `given`: what contacts that are given say
    pub(super) fn way(
        &self,
        tracks: &Tracks,
        root: usize,
        settings: &CleanSettings,
        given: Option<&Given>,
        past: Past,
    ) -> Way {
        let Self { paths, looks, pace, feet, kept, .. } = self;
        // A clip that was cleaned with these contacts has its path.
        let least = least_step(paths, pace.step());
        if !settings.in_place && given.is_some_and(|given| given.hold(least)) {
            return Way::default();
        }
        let slide = Slide::new(looks, &feet.firm, &feet.floor);
        let path = |share| slide.displacement(share, looks.frame_time);
        let whole = path(1.0);
        let length = |far: f64, shift: &DVec3| far.max(shift.length());
        let far = whole.iter().fold(0.0, length);
        let strays = strays(tracks, root, paths.n_frames);
        let in_place = settings.in_place
            || slide.is_known
                && far > ON_THE_SPOT.0 * paths.length
                && strays < ON_THE_SPOT.1 * far
                && straightness(&whole) >= STRAIGHT
                && climb(paths) <= LEVEL * paths.length
                && slide.is_common();
        if in_place && paths.n_frames > 0 {
            return self.way_ahead(&whole, settings, given, past);
        }
        // A clip that was cleaned has its path, and where that is kept nothing is asked.
        if !settings.path || feet.was_cleaned || !slide.is_known || strays <= STAYS * paths.length {
            return Way::default();
        }
        // What slides where it is left alone is meant to.
        let firm: Vec<Firm> =
            feet.firm.iter().filter(|firm| firm.stance != Stance::Kept).cloned().collect();
        let slide = if firm.len() < feet.firm.len() {
            Slide::new(looks, &firm, &feet.floor)
        } else {
            slide
        };
        let slide = slide.with_hips(looks, &feet.floor);
        let whole = slide.displacement(1.0, looks.frame_time);
        let share = slide.share(&whole, &firm, paths.length);
        if share <= 0.0 {
            return Way::default();
        }
        let at_looks = slide.displacement(share, looks.frame_time);
        if !suits_all(looks, &at_looks, &firm, &feet.floor) {
            return Way::default();
        }
        let path = pace.filled(&at_looks);
        if kept.shares().is_empty() {
            return Way { share, at_looks, path, ..Way::default() };
        }
        let path = kept.path(&path);
        let at_looks = pace.looks_on(&path);
        Way { share, at_looks, path, ..Way::default() }
    }

    /// The way of a walk on the spot: the one along which contacts that are given hold, or its feet were made to stand, if they were, else what is nearest to the
    /// one that their slide tells.
    fn way_ahead(
        &self,
        slide: &[DVec3],
        settings: &CleanSettings,
        given: Option<&Given>,
        past: Past,
    ) -> Way {
        let Self { paths, looks, pace, feet, kept, .. } = self;
        let along = |spline: &Spline| {
            let at_looks = spline.places(looks.n_frames, looks.frame_time);
            let path = spline.places(paths.n_frames, paths.frame_time);
            Way { share: 1.0, at_looks, path, in_place: true, feet: None }
        };
        let (seen, exactly) = ((paths, *pace), (least_step(paths, pace.step()), feet.floor.normal));
        if let Some(spline) = given.and_then(|given| Spline::leading(&given.off, seen, exactly)) {
            return along(&spline);
        }
        let stands: Vec<_> = feet
            .firm
            .iter()
            .filter_map(|firm| {
                let path = paths.legs[firm.plant.leg].part(firm.plant.part)?;
                (firm.stance == Stance::Firm).then(|| (path, firm.plant.frames.clone()))
            })
            .collect();
        if let Some(spline) = Spline::exact(&stands, seen, exactly) {
            let mut way = along(&spline);
            let (paths, looks) = (paths.along(&way.path), looks.along(&way.at_looks));
            let mut feet = Feet::new(self.view(&paths, &looks), kept, settings, past);
            let stands = was_cleaned(&feet.firm, EXACT[1]);
            feet.was_cleaned = past == Past::Shown && stands;
            if stands {
                way.feet = Some(feet);
                return way;
            }
        }
        match Spline::near(slide, looks.frame_time, paths, *pace) {
            Some(spline) => along(&spline),
            None => Way::default(),
        }
    }
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
