//! When a part of a foot that stands is firm, and not rolling.

use core::ops::Range;

use super::clean::CleanSettings;
use super::clip::Clip;
use super::floor::{Floor, Footing};
use super::frozen::Frozen;
use super::leg::Leg;
use super::metrics::{LEG_LENGTH, VISIBLE_SLIDE};
use super::pace::Pace;
use super::paths::Paths;
use super::plant::{DetectSettings, Found, Part, Plant, crossing, plants_on, runs, slot};
use super::smooth::Smoother;
use super::verdict::slide;

/// A part that moves less than this does not move \[leg lengths\]: a hundredth of a millimetre, below what any capture keeps still.
pub(super) const STILL: f64 = 1.2e-5;

/// In so much time \[s\].
const STILL_TIME: f64 = 1.0 / 30.0;

/// What is still for less than this, or for less than three frames, may be so by chance \[s\].
const SHORTEST: f64 = 0.04;

/// A part is firm for so long at least, which is three frames of any rate but the lowest \[s\].
pub(super) const BRIEFEST: f64 = 0.1;

/// What of a plant is not firm at the height of the rest of it must be so at another for so long \[s\]: longer than a heel takes to lift off.
const RESETTLED: f64 = 0.6;

/// A plant this near to one of the same foot that stands exactly is a rest of it \[s\]: the time in which cleaning goes over to a plant and back.
pub(super) const REST: f64 = 0.15;

/// A plant is no rest of anything where no foot stands exactly for so long before and after \[s\]: longer than the steps that cleaning may have missed between others.
const FAR: f64 = 1.0;

/// What is firm for so long is firm on any path of the root; shorter steps may be found only after a path was changed \[s\].
pub(super) const SURE: f64 = 0.25;

/// A clip as its feet are looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) paths: &'a Paths,
    /// The paths at the times at which feet are looked at.
    pub(super) looks: &'a Paths,
    pub(super) pace: Pace,
    pub(super) frozen: &'a Frozen,
}

/// A plant, or what of it is firm.
#[derive(Debug, Clone)]
pub(super) struct Firm {
    pub(super) plant: Plant,
    /// How long before its first frame it begins, and after its last it ends, in frames, below one.
    pub(super) lead: [f64; 2],
    /// The looks in it.
    pub(super) looks: Range<usize>,
    /// How long before the first of them it begins, and after the last it ends, in looks, below one.
    pub(super) look_lead: [f64; 2],
    /// It does not move at all.
    pub(super) is_still: bool,
    /// And is a sign that the clip was cleaned.
    pub(super) is_sign: bool,
    pub(super) stance: Stance,
    /// Frames of kept times before and after it, to which its part of the foot stands on.
    pub(super) beside: [Option<usize>; 2],
}

impl Firm {
    fn new(found: &Found, stance: Stance, pace: Pace) -> Self {
        let looks = found.plant.frames.clone();
        let (frames, lead) = pace.seen(&looks, found.lead);
        let plant = Plant { frames, ..found.plant };
        Self {
            plant,
            lead,
            looks,
            look_lead: found.lead,
            is_still: false,
            is_sign: false,
            stance,
            beside: [None; 2],
        }
    }
}

/// How a plant stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stance {
    /// Firmly.
    Firm,
    /// At no time firmly.
    Loose,
    /// Not exactly, in a clip whose plants mostly do, but beside one that does.
    Beside,
    /// Not exactly, in such a clip, but shortly, or so that nobody sees it.
    Slight,
    /// In a time that is left alone.
    Kept,
}

impl Stance {
    /// Whether it is what cleaning leaves beside what it has held.
    pub(super) const fn is_left(self) -> bool {
        matches!(self, Self::Beside | Self::Slight)
    }
}

/// Whether a clip may be one that was cleaned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Past {
    /// It shows: of what was cleaned before, plants beside those that stand exactly are left.
    Shown,
    /// It was not, whatever stands exactly: each plant is judged by itself.
    Uncleaned,
}

/// What of plants stands firmly: that is what [`clean`](super::clean) holds, and what a slide is one of.
///
/// - `plants`: as [`find_plants`](super::find_plants) gives them for the same legs and floor
/// - `settings`: its `firm`, `floor` and `detect`; of plants that were found with these, those are firm that [`clean`](super::clean()) says are
///
/// A heel is planted, to the detector, while its foot rolls over it and off it; its way then is no slide. Plants that roll all the time give none, a plant that
/// is firm at several times gives several. They come in the order of their first frames, then legs, then parts.
///
/// # Degenerate cases
/// No plants, none of these legs or none inside the clip give none.
#[must_use]
pub fn firm_plants(
    clip: &Clip,
    legs: &[Leg],
    floor: &Floor,
    plants: &[Plant],
    settings: &CleanSettings,
) -> Vec<Plant> {
    let paths = Paths::new(clip, legs);
    let is_inside = |plant: &&Plant| {
        plant.leg < legs.len()
            && !plant.frames.is_empty()
            && plant.frames.end <= clip.n_frames()
            && paths.legs[plant.leg].part(plant.part).is_some()
    };
    let pace = Pace::new(paths.frame_time, paths.n_frames);
    let looks = pace.looks(&paths);
    // As they were found, where they were, for frames tell less of where they end than looks.
    let known =
        plants_on(&Footing::on(&looks, *floor, settings.floor), settings.floor, &settings.detect);
    let in_frames = |found: Found| (in_frames(&found, pace), found);
    let known: Vec<(Plant, Found)> = known.into_iter().map(in_frames).collect();
    let found = |plant: &Plant| {
        let first = known.partition_point(|(other, _)| other.frames.start < plant.frames.start);
        let mut near =
            known[first..].iter().take_while(|(o, _)| o.frames.start == plant.frames.start);
        let of_frames = || {
            let frames = pace.looks_at(&plant.frames);
            Found { plant: Plant { frames, ..*plant }, lead: [0.5; 2] }
        };
        let same = near.find(|(other, _)| other == plant);
        same.map_or_else(of_frames, |(_, found)| found.clone())
    };
    let mut plants: Vec<Found> = plants.iter().filter(is_inside).map(found).collect();
    plants.retain(|found| !found.plant.frames.is_empty());
    let view = View { paths: &paths, looks: &looks, pace, frozen: &Frozen::new(clip) };
    let firm = firm_parts(view, floor, &plants, (settings.firm, &settings.detect), Past::Shown);
    let firm = firm.into_iter().filter(|firm| firm.stance == Stance::Firm);
    firm.map(|firm| firm.plant).collect()
}

/// What of each plant is firm: where the part neither comes down nor is being lifted, in the order of plants.
///
/// - `band`: how far from the height at which it stands it still is \[leg lengths\]
///
/// A heel stands, to the detector, while its foot rolls over it and off it; to hold it then would take the roll away. Where a part does not move at all
/// in a plant, that and nothing else is firm: it was cleaned before, or made by hand. In a clip with mostly such plants, what is found beside one is a rest of it
/// that was left, and is left again, as is what is short or slides less than viewers see; others, and those far from all of these, are judged like any. What stands exactly only because the
/// figure does not move at all goes on to where its plant ends, unless the clip shows otherwise that it was cleaned.
pub(super) fn firm_parts(
    View { paths, looks, pace, frozen }: View<'_>,
    floor: &Floor,
    plants: &[Found],
    (band, detect): (f64, &DetectSettings),
    past: Past,
) -> Vec<Firm> {
    let still: Vec<Exact> =
        plants.iter().map(|found| Exact::new(paths, frozen, &in_frames(found, pace))).collect();
    let n_signs = still.iter().filter(|exact| exact.is_sign).count();
    let was_cleaned = past == Past::Shown && 2 * n_signs > plants.len();
    // Also where no plant is found, as of a foot that stands for as short as that and comes from a jump.
    let exact = was_cleaned.then(|| exact_stands(paths));
    let smoother = Smoother::new(detect.half_window, looks.frame_time, looks.n_frames);
    let heights: Vec<(usize, Part, Vec<f64>)> = looks
        .parts()
        .map(|(leg, part, path)| (leg, part, path.iter().map(|p| floor.height(*p)).collect()))
        .collect();
    let heights_of = |leg: usize, part: Part| {
        let own = heights.iter().find(|heights| heights.0 == leg && heights.1 == part);
        own.map(|heights| heights.2.as_slice())
    };
    let held = pace.held(frozen);
    let is_rest = |frames: usize| frames as f64 <= REST / paths.frame_time;
    let mut firm = Vec::with_capacity(plants.len());
    for (found, still) in plants.iter().zip(&still) {
        let plant = &found.plant;
        if still.is_sign || still.is_whole || was_cleaned && !still.runs.is_empty() {
            let part = |frames: &Range<usize>| Firm {
                plant: Plant { frames: frames.clone(), ..*plant },
                lead: [0.0; 2],
                looks: pace.looks_at(frames),
                look_lead: [0.0; 2],
                is_still: true,
                is_sign: still.is_sign || was_cleaned,
                stance: Stance::Firm,
                beside: [None; 2],
            };
            firm.extend(still.runs.iter().map(part));
        } else if exact
            .as_ref()
            .is_some_and(|exact| exact.are_beside(&in_frames(found, pace), is_rest))
        {
            firm.push(Firm::new(found, Stance::Beside, pace));
        } else {
            let own = heights_of(plant.leg, plant.part).unwrap_or_default();
            let ball = heights_of(plant.leg, Part::Ball).filter(|_| plant.part == Part::Heel);
            let heights = (own, ball, held.as_slice());
            let mut parts = firm_runs(looks, found, heights, band * looks.length, &smoother);
            if parts.is_empty() {
                firm.push(Firm::new(found, Stance::Loose, pace));
            } else if exact
                .as_ref()
                .is_some_and(|exact| !exact.are_far(&in_frames(found, pace), paths.frame_time))
            {
                parts.retain(|part| is_bad(looks, &part.plant, floor));
                if parts.is_empty() {
                    firm.push(Firm::new(found, Stance::Slight, pace));
                }
            }
            firm.extend(parts.iter().map(|part| Firm::new(part, Stance::Firm, pace)));
        }
    }
    firm.sort_by_key(|firm| (firm.looks.start, firm.plant.leg, firm.plant.part));
    firm
}

fn in_frames(found: &Found, pace: Pace) -> Plant {
    Plant { frames: pace.frames(&found.plant.frames, found.lead).0, ..found.plant }
}

/// Whether viewers see that a plant slides that no cleaning before can have missed.
fn is_bad(paths: &Paths, plant: &Plant, floor: &Floor) -> bool {
    let Some(path) = paths.legs[plant.leg].part(plant.part) else { return false };
    if (plant.frames.len() as f64) * paths.frame_time < SURE {
        return false;
    }
    slide(|frame| path[frame], plant, floor) > VISIBLE_SLIDE / LEG_LENGTH * paths.length
}

/// The frames in which parts of feet do not move at all.
fn exact_stands(paths: &Paths) -> Stands {
    let mut stands = Stands::new(paths.legs.len());
    for (leg, part, _) in paths.parts() {
        let plant = Plant { leg, part, frames: 0..paths.n_frames };
        let runs = still_parts(paths, &plant).into_iter();
        runs.for_each(|frames| stands.add(&Plant { leg, part, frames }));
    }
    stands
}

/// When parts of feet stand.
pub(super) struct Stands(Vec<Vec<Range<usize>>>);

impl Stands {
    pub(super) fn new(n_legs: usize) -> Self {
        Self(vec![Vec::new(); 2 * n_legs])
    }

    /// - `plant`: later than those of the same part before it
    pub(super) fn add(&mut self, plant: &Plant) {
        self.0[slot(plant.leg, plant.part)].push(plant.frames.clone());
    }

    /// Whether a part of the same foot stands during a plant, or shortly before or after it.
    ///
    /// - `is_near`: whether so many frames are a short time
    pub(super) fn are_beside(&self, plant: &Plant, is_near: impl Fn(usize) -> bool) -> bool {
        let of_foot = [Part::Heel, Part::Ball].map(|part| &self.0[slot(plant.leg, part)]);
        of_foot.into_iter().any(|stands| is_one_near(stands, &plant.frames, &is_near))
    }

    /// Whether no foot stands for long before a plant, during it, and for long after.
    ///
    /// - `time`: from a frame to the next \[s\]
    pub(super) fn are_far(&self, plant: &Plant, time: f64) -> bool {
        let is_near = |frames: usize| frames as f64 * time <= FAR;
        !self.0.iter().any(|stands| is_one_near(stands, &plant.frames, &is_near))
    }
}

/// Whether one of the times at which a part stands is near to these frames.
fn is_one_near(
    stands: &[Range<usize>],
    frames: &Range<usize>,
    is_near: &impl Fn(usize) -> bool,
) -> bool {
    let is_long_before = |stand: &Range<usize>| !is_near(frames.start.saturating_sub(stand.end));
    let next = stands.get(stands.partition_point(is_long_before));
    next.is_some_and(|stand| is_near(stand.start.saturating_sub(frames.end)))
}

/// Where a part keeps within a band about the height at which it stands, and its foot is flat if it is the heel.
///
/// A foot that stands for long may come to stand at another height, where it sinks in or is turned: what is left of a plant and keeps that well is firm, too.
///
/// - `own`, `ball`: heights of the part, and of the ball in front of it if it is a heel
/// - `held`: in which looks the figure is as it was before
fn firm_runs(
    paths: &Paths,
    found: &Found,
    (own, ball, held): (&[f64], Option<&[f64]>, &[bool]),
    band: f64,
    smoother: &Smoother,
) -> Vec<Found> {
    let smooth = |raw: &[f64]| -> Vec<f64> {
        found.plant.frames.clone().map(|frame| smoother.value(raw, frame)).collect()
    };
    let heights = smooth(own);
    // The joint of the ankle is not where the heel touches: it stands while the foot is flat.
    let lift = |ball: &[f64]| -> Vec<f64> {
        smooth(ball).iter().zip(&heights).map(|(ball, heel)| ball - heel).collect()
    };
    let lifts = ball.map(lift);
    let held = &held[found.plant.frames.clone()];
    let mut firm = Vec::new();
    let mut spans = vec![(0..heights.len(), BRIEFEST)];
    while let Some((span, least)) = spans.pop() {
        let lifts = lifts.as_deref().map(|lifts| &lifts[span.clone()]);
        let mut own =
            parts_of(found, &span, &room(&heights[span.clone()], lifts, &held[span.clone()], band));
        own.retain(|Found { plant, lead }| {
            let time = (plant.frames.len() - 1) as f64 + lead[0] + lead[1];
            time * paths.frame_time >= least || plant.frames.len() == paths.n_frames
        });
        if !own.is_empty() {
            let is_long = |gap: &Range<usize>| gap.len() as f64 * paths.frame_time >= RESETTLED;
            let gaps = between(found, &own, span).filter(is_long);
            spans.extend(gaps.map(|gap| (gap, RESETTLED)));
        }
        firm.append(&mut own);
    }
    firm.sort_by_key(|found| found.plant.frames.start);
    firm
}

/// How far inside the band a part is at each look, above 0 where it is firm.
///
/// - `heights`, `lifts`: of the part, and of the ball above it if it is a heel; never empty
/// - `held`: as for [`firm_runs`]; a foot that was caught on its way stands no longer at that height for it
fn room(heights: &[f64], lifts: Option<&[f64]>, held: &[bool], band: f64) -> Vec<f64> {
    let of_moving = |values: &[f64], quarter: usize| {
        let moving = values.iter().zip(held).filter(|(_, held)| !**held);
        let moving: Vec<f64> = moving.map(|(value, _)| *value).collect();
        let mut values = if moving.is_empty() { values.to_vec() } else { moving };
        let rank = values.len() * quarter / 4;
        *values.select_nth_unstable_by(rank, f64::total_cmp).1
    };
    let rest = of_moving(heights, 1);
    let mut room: Vec<f64> = heights.iter().map(|height| band - (height - rest).abs()).collect();
    if let Some(lifts) = lifts {
        let flat = of_moving(lifts, 2);
        for (room, lift) in room.iter_mut().zip(lifts) {
            let own = band - (lift - flat).abs();
            *room = if own < *room { own } else { *room };
        }
    }
    room
}

/// The parts of a span of a plant in which there is room.
///
/// - `span`: from the plant's first look on
fn parts_of(found: &Found, span: &Range<usize>, room: &[f64]) -> Vec<Found> {
    let plant = &found.plant;
    let outer = [
        if span.start == 0 { found.lead[0] } else { 0.0 },
        if span.end == plant.frames.len() { found.lead[1] } else { 0.0 },
    ];
    let part = |run: Range<usize>| {
        let edges = [(run.start, run.start.checked_sub(1)), (run.end - 1, Some(run.end))];
        let mut lead = outer;
        for (lead, (inside, outside)) in lead.iter_mut().zip(edges) {
            if let Some(outside) = outside.and_then(|outside| room.get(outside)) {
                *lead = crossing(room[inside], *outside);
            }
        }
        let start = plant.frames.start + span.start;
        Found { plant: Plant { frames: run.start + start..run.end + start, ..*plant }, lead }
    };
    let is_firm: Vec<bool> = room.iter().map(|room| *room >= 0.0).collect();
    runs(&is_firm).into_iter().map(part).collect()
}

/// What of a span of a plant is before, between and after parts of it.
fn between(
    found: &Found,
    parts: &[Found],
    span: Range<usize>,
) -> impl Iterator<Item = Range<usize>> {
    let first = found.plant.frames.start;
    let starts = parts.iter().map(move |part| part.plant.frames.start - first);
    let ends = parts.iter().map(move |part| part.plant.frames.end - first);
    let ends = core::iter::once(span.start).chain(ends);
    ends.zip(starts.chain([span.end])).map(|(end, start)| end..start)
}

/// Long enough to stand, or all of the clip.
fn is_long(run: &Range<usize>, paths: &Paths) -> bool {
    let time = (run.len() as f64 + 0.5) * paths.frame_time;
    (run.len() > 2 && time >= SHORTEST) || run.len() == paths.n_frames
}

/// A part that moves less than this in so many frames does not move.
pub(super) fn least_step(paths: &Paths, frames: usize) -> f64 {
    STILL * paths.length * paths.frame_time * frames as f64 / STILL_TIME
}

/// How far a plant stands exactly.
struct Exact {
    /// The frames in which its part does not move at all.
    runs: Vec<Range<usize>>,
    /// It was held, or made so: the figure moves meanwhile.
    is_sign: bool,
    /// All of it is this, but for moments.
    is_whole: bool,
}

impl Exact {
    fn new(paths: &Paths, frozen: &Frozen, plant: &Plant) -> Self {
        let runs = still_parts(paths, plant);
        let is_sign = runs.iter().any(|run| is_long(&(0..1 + frozen.n_moving(run)), paths));
        let n_still: usize = runs.iter().map(Range::len).sum();
        let is_whole = n_still > 0 && !is_long(&(n_still..plant.frames.len()), paths);
        Self { runs, is_sign, is_whole }
    }
}

/// The frames of a plant in which its part does not move at all.
fn still_parts(paths: &Paths, plant: &Plant) -> Vec<Range<usize>> {
    let Some(path) = paths.legs[plant.leg].part(plant.part) else { return Vec::new() };
    let limit = least_step(paths, 1);
    let moves = |frame: usize| path[frame].distance_squared(path[frame + 1]) > limit * limit;
    let (mut all, mut start) = (Vec::new(), plant.frames.start);
    for frame in plant.frames.clone() {
        if frame + 1 == plant.frames.end || moves(frame) {
            all.push(start..frame + 1);
            start = frame + 1;
        }
    }
    all.retain(|run| is_long(run, paths));
    all
}
