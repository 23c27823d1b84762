//! Finding plants: when which part of which foot stands.

use core::ops::Range;

use posekit::glam::DVec3;

use super::clip::Clip;
use super::floor::{Floor, FloorChoice, Footing, lower_middle};
use super::ground::{Ground, Sample};
use super::leg::Leg;
use super::pace::Pace;
use super::paths::Paths;
use super::smooth::Smoother;
use crate::error::{Error, Result};

/// A part of a foot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The heel, by the joint of the ankle.
    Heel,
    /// The ball, by the joint that the heel lifts off on.
    Ball,
}

impl Part {
    /// The other one.
    pub(super) const fn other(self) -> Self {
        match self {
            Self::Heel => Self::Ball,
            Self::Ball => Self::Heel,
        }
    }
}

/// Where the list of a part of a foot is, among lists of all parts of all feet.
pub(super) const fn slot(leg: usize, part: Part) -> usize {
    2 * leg + part as usize
}

/// A time during which a part of a foot stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plant {
    /// Which leg, of those that were looked at.
    pub leg: usize,
    /// Which part of its foot.
    pub part: Part,
    /// The frames in which it stands; never empty.
    pub frames: Range<usize>,
}

/// When a foot is taken to stand. Lengths are in leg lengths (hip to ankle along the bones), times in seconds, so that size and frame rate make no
/// difference.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct DetectSettings {
    /// A plant has a frame lower than this above the height at which the part stands \[leg lengths\]. Default 0.045: 4 cm for a leg of 0.85 m.
    pub enter_height: f64,
    /// And goes on as long as it is lower than this. Default 0.055: what feet roll and floors bend in a plant.
    pub leave_height: f64,
    /// A plant has a frame in which its height changes slower than this \[leg lengths/s\]. Default 0.25: 21 cm/s for a leg of 0.85 m.
    pub enter_speed: f64,
    /// And goes on as long as it changes slower than this. Default 0.5: toes bend under a running foot.
    pub leave_speed: f64,
    /// A plant has a frame in which the foot moves slower than this along the floor, against what the floor itself seems to slide \[leg lengths/s\]. Default 0.35:
    /// 30 cm/s for a leg of 0.85 m.
    pub enter_slip: f64,
    /// And goes on as long as it moves slower than this. Default 0.5; a swinging foot moves at 2 and more.
    pub leave_slip: f64,
    /// Shorter plants are none \[s\]. Default 0.08: the contacts of a sprint last 0.1.
    pub shortest: f64,
    /// Shorter gaps, in which the foot stays low, are filled \[s\]. Default 0.06.
    pub bridge: f64,
    /// Half the window in which heights are smoothed \[s\]. Default 0.08: longer hides the contacts of a run, shorter lets noise split plants.
    pub half_window: f64,
}

impl Default for DetectSettings {
    fn default() -> Self {
        Self {
            enter_height: 0.045,
            leave_height: 0.055,
            enter_speed: 0.25,
            leave_speed: 0.5,
            enter_slip: 0.35,
            leave_slip: 0.5,
            shortest: 0.08,
            bridge: 0.06,
            half_window: 0.08,
        }
    }
}

/// When a part of a foot keeps its height, for the floor's and its own height to be measured.
pub(super) struct Still {
    /// \[leg lengths/s\]
    pub(super) speed: f64,
    /// \[s\]
    pub(super) half_window: f64,
}

pub(super) const STILL: Still = Still { speed: 0.2, half_window: 0.1 };

/// Samples from which a resting height is measured, at most.
const REST_SAMPLES: usize = 2000;

/// How much heights of a resting part scatter \[leg lengths\].
const REST_SCATTER: f64 = 0.02;

/// A part whose velocity along the floor changes faster than this is being swung, and at no height at which it stands, though it keep it for a moment \[leg
/// lengths/s²\]: the toes of who runs on feet too long for the legs go through the floor as they leave it.
const SWUNG: f64 = 12.0;

/// From so much time before to so much after \[s\].
const SWUNG_TIME: f64 = 0.05;

/// For how long a part must have kept its height for this to mean anything \[s\].
const REST_LEAST: f64 = 0.1;

/// How far the height at which a part stands may be from what it was first taken for \[leg lengths\].
const SETTLED: f64 = 0.06;

/// What is left of a plant that is cut back lasts so long at least \[s\].
const TRIMMED_LEAST: f64 = 0.2;

/// How much the height of a plant above the floor may change \[leg lengths\]: more than on the floor, which legs of the wrong length float above when they bend.
const STEP_SPREAD: f64 = 0.06;

/// For how long at least a foot must keep its height above the floor to stand on something there \[s\].
const STEP_LEAST: f64 = 0.2;

/// How far before and after a plant of its own height is looked for where the foot came from and went \[s\].
const SWING: f64 = 0.4;

/// How far above or below such a plant the foot must have been there to tell \[leg lengths\].
const LIFT: f64 = 0.02;

/// At any height.
pub(super) const EVERYWHERE: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

/// Finds when which part of which foot stands.
///
/// - `legs`: of the clip's skeleton, from [`find_legs`](super::find_legs) or somebody who knows
/// - `floor`: from [`find_floor`](super::find_floor)
/// - `choice`: with [`FloorChoice::PerPlant`] the height above the floor does not count; a part that keeps its height must have come down to it and go
///   up from it; with [`FloorChoice::Given`] what is far from the floor does not stand
///
/// Plants come in the order of their first frames, then legs, then parts.
///
/// # Degenerate cases
/// No legs, no frames or no plants give none.
/// # Method
/// Height above the floor less the height at which this part stands, and its rate of change, both smoothed; with hysteresis in both directions of time.
/// Speed along the floor counts only against that at which the floor itself seems to slide, which is what most feet that are low and keep their height
/// do around that time: a drift, a scaled path or a walk on the spot does not change what is found, while a foot that swings low is told from one that stands.
/// Where feet that stand go up and down with a part of what the hips do, as those of legs of a wrong length under a root that was left where it was, that part
/// is taken off their heights first.
#[must_use]
pub fn find_plants(
    clip: &Clip,
    legs: &[Leg],
    floor: &Floor,
    choice: FloorChoice,
    settings: &DetectSettings,
) -> Vec<Plant> {
    let paths = Paths::new(clip, legs);
    let pace = Pace::new(paths.frame_time, paths.n_frames);
    let looks = pace.looks(&paths);
    let found = plants_on(&Footing::on(&looks, *floor, choice), choice, settings);
    let whole = |found: Found| {
        let (frames, _) = pace.frames(&found.plant.frames, found.lead);
        Plant { frames, ..found.plant }
    };
    let mut plants: Vec<Plant> = found.into_iter().map(whole).collect();
    plants.sort_by_key(|plant| (plant.frames.start, plant.leg, plant.part));
    plants
}

/// A plant, and when it begins and ends between frames.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub(super) plant: Plant,
    /// How long before its first frame it begins, and after its last it ends, in frames, below one.
    pub(super) lead: [f64; 2],
}

/// Plants from flags, one for each frame: labels of another program, or drawn by hand.
///
/// # Errors
/// [`Error::Length`] when there are more or fewer flags than frames.
pub fn plants_of_flags(
    flags: &[bool],
    leg: usize,
    part: Part,
    n_frames: usize,
) -> Result<Vec<Plant>> {
    if flags.len() != n_frames {
        let what = "contact flags";
        return Err(Error::Length { what, expected: n_frames, found: flags.len() });
    }
    Ok(runs(flags).into_iter().map(|frames| Plant { leg, part, frames }).collect())
}

pub(super) fn plants_on(
    footing: &Footing<'_>,
    choice: FloorChoice,
    settings: &DetectSettings,
) -> Vec<Found> {
    let paths = &footing.paths;
    if paths.n_frames == 0 {
        return Vec::new();
    }
    let (mut tracks, ground) = tracks_of(footing, choice, settings);
    tracks.iter_mut().for_each(|track| track.settle(&ground));
    let mut plants = Vec::new();
    for (track, (leg, part, _)) in tracks.iter().zip(paths.parts()) {
        let found = track.plants(&ground, &lowest_of(paths, &tracks, part));
        plants.extend(found.into_iter().map(|frames| Found {
            lead: track.lead(&frames, &ground),
            plant: Plant { leg, part, frames },
        }));
    }
    plants.sort_by_key(|Found { plant, .. }| (plant.frames.start, plant.leg, plant.part));
    plants
}

/// How high the lowest of all feet is in each frame, by one part of them, above the floor and not above where it stands; heels of feet that have a ball count as
/// never lowest, since people stand on their toes.
fn lowest_of(paths: &Paths, tracks: &[Track<'_>], part: Part) -> Vec<f64> {
    let mut lowest = vec![f64::INFINITY; paths.n_frames];
    for (track, (leg, other, _)) in tracks.iter().zip(paths.parts()) {
        let is_foremost = other == Part::Ball || paths.legs[leg].ball.is_none();
        if other == part && is_foremost {
            for (lowest, height) in lowest.iter_mut().zip(&track.heights) {
                *lowest = lowest.min(height + track.rest);
            }
        } else if other == part {
            lowest.fill(-f64::INFINITY);
        }
    }
    lowest
}

/// How fast the floor seems to slide.
pub(super) fn ground_of(
    footing: &Footing<'_>,
    choice: FloorChoice,
    settings: &DetectSettings,
) -> Ground {
    tracks_of(footing, choice, settings).1
}

fn tracks_of<'a>(
    footing: &Footing<'_>,
    choice: FloorChoice,
    settings: &'a DetectSettings,
) -> (Vec<Track<'a>>, Ground) {
    let Footing { floor, paths, rests, near } = footing;
    let smoother = Smoother::new(settings.half_window, paths.frame_time, paths.n_frames);
    let is_level = choice != FloorChoice::PerPlant;
    let track = |(index, (path, rest)): (usize, (&[DVec3], &f64))| {
        let near = near.get(index).copied().unwrap_or(EVERYWHERE);
        Track::new(paths, (path, *rest), floor, &smoother, (is_level, near), settings)
    };
    let parts = paths.parts().map(|(.., path)| path);
    let tracks: Vec<Track<'_>> = parts.zip(rests).enumerate().map(track).collect();
    let ground = Ground::new(&tracks, paths.n_frames, paths.frame_time);
    (tracks, ground)
}

/// How one part of a foot moves: smoothed, in leg lengths.
#[derive(Debug)]
pub(super) struct Track<'a> {
    /// Above the height at which it stands.
    heights: Vec<f64>,
    /// The height above the floor at which it stands.
    rest: f64,
    /// How fast the height changes \[1/s\].
    rises: Vec<f64>,
    /// Along the floor \[1/s\].
    velocities: Vec<DVec3>,
    frame_time: f64,
    /// True where the height above the floor counts.
    is_level: bool,
    /// True in frames in which it is near enough to the floor to stand on it; empty where it may stand at any height.
    is_near: Vec<bool>,
    settings: &'a DetectSettings,
}

impl<'a> Track<'a> {
    /// - `rest`: the height above the floor at which it stands
    fn new(
        paths: &Paths,
        (path, rest): (&[DVec3], f64),
        floor: &Floor,
        smoother: &Smoother,
        (is_level, near): (bool, [f64; 2]),
        settings: &'a DetectSettings,
    ) -> Self {
        let is_off = rest.is_nan();
        let rest = if is_off { 0.0 } else { rest };
        let raw: Vec<f64> = path.iter().map(|point| floor.height(*point) - rest).collect();
        let n = path.len();
        let heights: Vec<f64> =
            (0..n).map(|frame| smoother.value(&raw, frame) / paths.length).collect();
        let (mut rises, mut velocities) = (Vec::with_capacity(n), Vec::with_capacity(n));
        for frame in 0..n {
            let velocity = smoother.slope(path, frame) / paths.length;
            let rise = velocity.dot(floor.normal);
            rises.push(rise);
            velocities.push(velocity - floor.normal * rise);
        }
        let frame_time = paths.frame_time;
        let rest = rest / paths.length;
        let is_in = |height: &f64| {
            !is_off && (near[0]..=near[1]).contains(&((height + rest) * paths.length))
        };
        let is_near =
            if near == EVERYWHERE { Vec::new() } else { heights.iter().map(is_in).collect() };
        Self { heights, rest, rises, velocities, frame_time, is_level, is_near, settings }
    }

    /// How surely it stands, and its velocity along the floor, at every so many frames.
    pub(super) fn standing(&self, step: usize) -> Vec<Sample> {
        let settings = self.settings;
        let sure = |frame: usize| {
            let low = 1.0 - self.heights[frame] / settings.leave_height;
            let still = 1.0 - self.rises[frame].abs() / settings.leave_speed;
            let low = if self.is_level { low.clamp(0.0, 1.0) } else { 1.0 };
            let still = if still > 0.0 { still } else { 0.0 };
            let low = if self.is_near(frame) { low } else { 0.0 };
            (low * still * still, self.velocities[frame])
        };
        (0..self.heights.len()).step_by(step).map(sure).collect()
    }

    /// Whether it is near enough to the floor to stand on it.
    fn is_near(&self, frame: usize) -> bool {
        self.is_near.get(frame).copied().unwrap_or(true)
    }

    fn slip(&self, frame: usize, ground: &Ground) -> f64 {
        self.velocities[frame].distance(ground.velocity(frame))
    }

    /// Measures the height at which it stands again, now that it is known when it does not slip: feet that swing low are left out.
    fn settle(&mut self, ground: &Ground) {
        let settings = self.settings;
        let stands = |frame: &usize| {
            self.rises[*frame].abs() < settings.enter_speed
                && self.slip(*frame, ground) < settings.enter_slip
                && self.heights[*frame] < SETTLED + settings.leave_height
        };
        let stride = self.heights.len().div_ceil(REST_SAMPLES);
        let heights: Vec<f64> = (0..self.heights.len())
            .step_by(stride)
            .filter(stands)
            .map(|frame| self.heights[frame])
            .collect();
        if (heights.len() * stride) as f64 * self.frame_time >= REST_LEAST {
            let rest = lower_middle(&heights, REST_SCATTER).clamp(-SETTLED, SETTLED);
            self.heights.iter_mut().for_each(|height| *height -= rest);
            self.rest += rest;
        }
    }

    /// The runs of frames in which it stands: on the floor, and on what is above it.
    fn plants(&self, ground: &Ground, lowest: &[f64]) -> Vec<Range<usize>> {
        let settings = self.settings;
        let mut stands = vec![false; self.heights.len()];
        if self.is_level {
            let (height, speed) = (settings.leave_height, settings.leave_speed);
            let is_low = |frame: usize, height: f64| self.heights[frame] < height;
            let loose = |frame| {
                is_low(frame, height) && self.keeps(frame, ground, speed, settings.leave_slip)
            };
            let (height, speed) = (settings.enter_height, settings.enter_speed);
            let tight = |frame| {
                is_low(frame, height) && self.keeps(frame, ground, speed, settings.enter_slip)
            };
            self.runs_of(loose, tight).into_iter().flatten().for_each(|frame| stands[frame] = true);
        }
        for run in self.plateaus(ground, lowest) {
            stands[run].fill(true);
        }
        stands.iter_mut().enumerate().for_each(|(frame, stands)| *stands &= self.is_near(frame));
        let found = self.bridged(runs(&stands));
        found.into_iter().map(|run| self.trimmed(run, ground)).collect()
    }

    /// A plant without the frames at its ends in which the foot still lands or lifts off already, by the bounds for entering; at most a quarter at either end, and
    /// nothing of the short plants of a run.
    fn trimmed(&self, run: Range<usize>, ground: &Ground) -> Range<usize> {
        let settings = self.settings;
        let level = self.heights[run.clone()].iter().fold(f64::INFINITY, |a, b| a.min(*b));
        let moves = |frame: &usize| {
            self.heights[*frame] - level > settings.enter_height
                || !self.keeps(*frame, ground, settings.enter_speed, settings.enter_slip)
        };
        let spare = run.len().saturating_sub(frames_of(TRIMMED_LEAST, self.frame_time));
        let most = (run.len() / 4).min(spare / 2);
        let first = run.clone().take(most).take_while(moves).count();
        let last = run.clone().rev().take(most).take_while(moves).count();
        run.start + first..run.end - last
    }

    /// How long before the first frame of a run, and after its last, it stands, in frames: where the first of what it keeps to is broken.
    fn lead(&self, run: &Range<usize>, ground: &Ground) -> [f64; 2] {
        let last = self.heights.len() - 1;
        let before = run.start.checked_sub(1).map(|outside| (run.start, outside));
        let after = (run.end <= last).then_some((run.end - 1, run.end));
        [before, after].map(|edge| {
            let Some((inside, outside)) = edge else { return 0.0 };
            let [inside, outside] = [inside, outside].map(|frame| self.room(frame, ground));
            let mut rooms = inside.into_iter().zip(outside);
            let broken = rooms.find(|(inside, outside)| *inside >= 0.0 && *outside < 0.0);
            broken.map_or(0.5, |(inside, outside)| crossing(inside, outside))
        })
    }

    /// How far inside its bounds a frame is, above 0 where it is: those to go on, then those of a foot above the floor, then those to begin.
    fn room(&self, frame: usize, ground: &Ground) -> [f64; 3] {
        let settings = self.settings;
        let keeps = |speed: f64, slip: f64| {
            let still = 1.0 - self.rises[frame].abs() / speed;
            let stays = 1.0 - self.slip(frame, ground) / slip;
            if still < stays { still } else { stays }
        };
        let loose = keeps(settings.leave_speed, settings.leave_slip);
        let low = 1.0 - self.heights[frame] / settings.leave_height;
        let low = if self.is_level && low < loose { low } else { loose };
        [low, loose, keeps(settings.enter_speed, settings.enter_slip)]
    }

    fn keeps(&self, frame: usize, ground: &Ground, speed: f64, slip: f64) -> bool {
        self.rises[frame].abs() < speed && self.slip(frame, ground) < slip
    }

    /// The runs of frames that are loosely so and at least once tightly.
    fn runs_of(
        &self,
        loose: impl Fn(usize) -> bool,
        tight: impl Fn(usize) -> bool,
    ) -> Vec<Range<usize>> {
        let flags: Vec<bool> = (0..self.heights.len()).map(loose).collect();
        let mut found = runs(&flags);
        found.retain(|run| run.clone().any(&tight));
        found
    }

    /// Where it keeps its height at whatever height: as the lowest foot, since nobody hovers, or having come down to it and going up from it, as on steps and
    /// rough ground.
    fn plateaus(&self, ground: &Ground, lowest: &[f64]) -> Vec<Range<usize>> {
        let settings = self.settings;
        let (speed, slip) = (settings.leave_speed, settings.leave_slip);
        // Where a floor has been found, what is above it must keep its height better to be another.
        let speed = if self.is_level { settings.enter_speed } else { speed };
        let loose = |frame| self.keeps(frame, ground, speed, slip);
        let tight = |frame| self.keeps(frame, ground, settings.enter_speed, settings.enter_slip);
        let mut found = self.bridged(self.runs_of(loose, tight));
        found.retain(|run| {
            let is_sure = !self.is_level
                || (self.spread(run) < STEP_SPREAD && is_long(run, self.frame_time, STEP_LEAST));
            self.is_lowest(run, lowest) || (is_sure && self.comes_down_to(run))
        });
        found
    }

    /// How much its height changes in a run.
    fn spread(&self, run: &Range<usize>) -> f64 {
        let heights = self.heights[run.clone()].iter();
        let (low, high) = heights
            .fold((f64::INFINITY, -f64::INFINITY), |(low, high), h| (low.min(*h), high.max(*h)));
        high - low
    }

    /// True where it is among the lowest feet nearly all the time of a run that is long enough for nobody to fly.
    fn is_lowest(&self, run: &Range<usize>, lowest: &[f64]) -> bool {
        let is_low = |frame: &usize| {
            self.heights[*frame] + self.rest < lowest[*frame] + self.settings.enter_height
        };
        let n_low = run.clone().filter(is_low).count();
        is_long(run, self.frame_time, STEP_LEAST) && n_low * 10 >= run.len() * 9
    }

    /// True unless it rises to where it stands, or falls from there: a foot that is held up is no plant.
    fn comes_down_to(&self, run: &Range<usize>) -> bool {
        let mut level = self.heights[run.clone()].to_vec();
        let rank = level.len() / 2;
        let level = *level.select_nth_unstable_by(rank, f64::total_cmp).1;
        let swing = frames_of(SWING, self.frame_time);
        // From the plant outwards: what comes first, higher or lower?
        let falls = |frames: &mut dyn Iterator<Item = usize>| {
            let off = frames.map(|frame| self.heights[frame] - level).find(|off| off.abs() > LIFT);
            off.is_some_and(|off| off < 0.0)
        };
        let first = run.start.saturating_sub(swing);
        let end = (run.end + swing).min(self.heights.len());
        !falls(&mut (first..run.start).rev()) && !falls(&mut (run.end..end))
    }

    /// Fills short gaps in which the foot stays low, and drops what is short.
    fn bridged(&self, runs: Vec<Range<usize>>) -> Vec<Range<usize>> {
        let settings = self.settings;
        let stays_low = |gap: Range<usize>| {
            let level = self.heights[gap.start - 1].max(self.heights[gap.end]);
            self.heights[gap].iter().all(|height| *height < level + settings.enter_height)
        };
        let mut joined: Vec<Range<usize>> = Vec::new();
        for run in runs {
            match joined.last_mut() {
                Some(last)
                    if (run.start - last.end) as f64 * self.frame_time <= settings.bridge
                        && stays_low(last.end..run.start) =>
                {
                    last.end = run.end;
                }
                _ => joined.push(run),
            }
        }
        joined.retain(|run| is_long(run, self.frame_time, settings.shortest));
        joined
    }
}

/// How far from a frame to the next what has room in the one and none in the other reaches, in frames below one.
pub(super) fn crossing(inside: f64, outside: f64) -> f64 {
    (inside / (inside - outside)).clamp(0.0, 0.999)
}

/// True for a run that lasts so long.
fn is_long(run: &Range<usize>, frame_time: f64, shortest: f64) -> bool {
    // Half a frame: where a frame's time begins and ends is not known better.
    (run.len() as f64 + 0.5) * frame_time >= shortest
}

/// Frames in a time, at least one.
pub(super) fn frames_of(time: f64, frame_time: f64) -> usize {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped first")]
    let frames = (time / frame_time).clamp(1.0, 1e9) as usize;
    frames
}

/// The maximal runs of true.
pub(super) fn runs(flags: &[bool]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (frame, _) in flags.iter().enumerate().filter(|(_, flag)| **flag) {
        match runs.last_mut() {
            Some(last) if last.end == frame => last.end += 1,
            _ => runs.push(frame..frame + 1),
        }
    }
    runs
}

/// The height above a floor at which a part of a foot stands.
pub(super) struct Rest {
    pub(super) height: f64,
    /// False where the part hardly ever keeps its height.
    pub(super) is_supported: bool,
}

/// - `near`: heights above the floor outside of which it does not stand
pub(super) fn rest_height(paths: &Paths, path: &[DVec3], floor: &Floor, near: [f64; 2]) -> Rest {
    let smoother = Smoother::new(STILL.half_window, paths.frame_time, paths.n_frames);
    let raw: Vec<f64> = path.iter().map(|point| floor.height(*point)).collect();
    let stride = raw.len().div_ceil(REST_SAMPLES).max(1);
    let mut still: Vec<usize> = (0..raw.len())
        .step_by(stride)
        .filter(|&frame| smoother.slope(&raw, frame).abs() < STILL.speed * paths.length)
        .filter(|&frame| (near[0]..=near[1]).contains(&raw[frame]))
        .collect();
    let is_enough =
        |still: &[usize]| (still.len() * stride) as f64 * paths.frame_time >= REST_LEAST;
    let is_supported = is_enough(&still);
    let is_steady =
        |frame: &&usize| change_of_velocity(paths, path, **frame, floor, &smoother) < SWUNG;
    let steady: Vec<usize> = still.iter().filter(is_steady).copied().collect();
    if is_enough(&steady) {
        still = steady;
    }
    let still: Vec<f64> = still.into_iter().map(|frame| raw[frame]).collect();
    let low: Vec<f64>;
    let heights = if still.is_empty() {
        low = raw.into_iter().filter(|height| (near[0]..=near[1]).contains(height)).collect();
        &low
    } else {
        &still
    };
    Rest { height: lower_middle(heights, REST_SCATTER * paths.length), is_supported }
}

/// How fast the velocity of a part along the floor changes about a frame \[leg lengths/s²\]; 0 where the clip is no longer than a frame.
fn change_of_velocity(
    paths: &Paths,
    path: &[DVec3],
    frame: usize,
    floor: &Floor,
    smoother: &Smoother,
) -> f64 {
    let reach = frames_of(SWUNG_TIME, paths.frame_time);
    let before = frame.saturating_sub(reach);
    let after = if frame + reach < path.len() { frame + reach } else { path.len() - 1 };
    if before == after {
        return 0.0;
    }
    let change = smoother.slope(path, after) - smoother.slope(path, before);
    let along = change - floor.normal * change.dot(floor.normal);
    along.length() / ((after - before) as f64 * paths.frame_time * paths.length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l25_flags_become_plants() {
        let of = |flags: &[bool], n| plants_of_flags(flags, 1, Part::Ball, n);
        let frames = |flags: &[bool]| -> Vec<(usize, usize)> {
            let plants = of(flags, flags.len()).unwrap();
            plants.iter().map(|plant| (plant.frames.start, plant.frames.end)).collect()
        };
        assert_eq!(frames(&[true; 5]), [(0, 5)]);
        assert_eq!(frames(&[false; 5]), []);
        assert_eq!(frames(&[true]), [(0, 1)]);
        assert_eq!(frames(&[true, false, true, true]), [(0, 1), (2, 4)]);
        let error = of(&[true; 4], 5).unwrap_err();
        assert_eq!(error.to_string(), "contact flags has 4 elements, expected 5");
        assert!(of(&[true; 6], 5).is_err());
    }
}
