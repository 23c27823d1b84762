//! Measuring a motion: how far planted feet slide, and what a change cost.

use core::ops::Range;

use posekit::glam::DVec3;
use posekit::math::acos;

use super::change::{Change, change_from};
use super::clip::Clip;
use super::floor::{Floor, FloorChoice};
use super::leg::Leg;
use super::paths::{LegPaths, Paths};
use super::plant::{Part, Plant, runs};
use crate::power::exp2;

/// The leg length to which all lengths are scaled \[m\], so that figures of any size and unit compare.
pub const LEG_LENGTH: f64 = 0.85;

/// Slide that viewers begin to see \[m\] \[prazak11\].
pub const VISIBLE_SLIDE: f64 = 0.021;

/// Height at which the weighted skate stops counting \[m\], of the paper that brought it up.
const SKATE_HEIGHT: f64 = 0.025;

/// Below this height a foot may skate, by the skating ratio \[m\], and from this speed it does \[m/s\].
const RATIO: (f64, f64) = (0.05, 0.5);

/// Over this time the skating ratio takes the mean speed \[s\]: five frames at 20 Hz.
const RATIO_WINDOW: f64 = 0.25;

/// Depth and height that penetration and floating leave out \[m\].
const TOLERANCE: f64 = 0.005;

/// Around the ends of plants in which the jerk counts as theirs \[s\].
const EDGE: f64 = 0.1;

/// How a motion's feet stand, in metres of a figure with legs of [`LEG_LENGTH`], and seconds.
///
/// The published measures disagree, and some are higher for sound captures than for bad ones: a low swinging foot counts as a contact for the weighted
/// skate and the skating ratio. The drift of plants is what to look at.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Metrics {
    /// Of each plant how far its joint goes along the floor from its middle place: max over its frames of |p - median(p)|, both along the floor \[m\].
    pub drifts: Vec<f64>,
    /// The [`median`] of the drifts \[m\]; 0 without plants.
    pub drift_median: f64,
    /// The largest of the drifts \[m\]; 0 without plants.
    pub drift_max: f64,
    /// The part of the plants that drift farther than [`VISIBLE_SLIDE`].
    pub visible_share: f64,
    /// Mean step along the floor from one planted frame to the next \[m\].
    pub slide: f64,
    /// The same for a second \[m/s\].
    pub slide_speed: f64,
    /// Mean over feet and frames of v (2 - 2^(h/H)), with the speed v along the floor, the height h above it, within 0 and H = 2.5 cm \[m/s\] \[zhang18\].
    pub weighted_skate: f64,
    /// The part of the frames in which a foot is below 5 cm in this one and the next, and is faster than 0.5 m/s along the floor, now and in the mean of a
    /// quarter of a second \[karunratanakul23\].
    pub skating_ratio: f64,
    /// Mean depth of the lowest part of a foot below the floor, less 5 mm \[m\].
    pub penetration: f64,
    /// Mean height of the lowest part of a foot above the floor while one is planted, less 5 mm \[m\].
    pub floating: f64,
    /// Mean size of the third difference of hips, knees and feet \[m/s³\].
    pub jerk: f64,
    /// The largest of these \[m/s³\].
    pub jerk_max: f64,
    /// The largest of these within a tenth of a second of the ends of plants \[m/s³\].
    pub edge_jerk: f64,
    /// The largest second difference of a knee's angle \[rad/s²\].
    pub knee_pop: f64,
    /// The straightest knee \[rad\]; a half turn is straight.
    pub knee_max: f64,
    /// Against the source, where one was given that has the same joints and frames.
    pub change: Option<Change>,
}

/// Measures a motion.
///
/// - `source`: what it was made from
/// - `plants`: of these legs, as [`find_plants`](super::find_plants) gives them; those outside the clip are left out
/// - `floor`: heights are above it, less the height at which the part of the foot is lowest in its plants
///
/// # Degenerate cases
/// Without frames or legs all measures are 0.
#[must_use]
pub fn measure(
    clip: &Clip,
    source: Option<&Clip>,
    legs: &[Leg],
    plants: &[Plant],
    floor: &Floor,
) -> Metrics {
    measure_on(clip, source, legs, plants, (floor, FloorChoice::Fit))
}

/// [`measure`] on a floor that was chosen: what stands deeper than one that was [given](FloorChoice::Given) is below it, and not less of a height.
#[must_use]
pub fn measure_on(
    clip: &Clip,
    source: Option<&Clip>,
    legs: &[Leg],
    plants: &[Plant],
    (floor, choice): (&Floor, FloorChoice),
) -> Metrics {
    let is_given = matches!(choice, FloorChoice::Given(_));
    let paths = Paths::new(clip, legs);
    let scale = LEG_LENGTH / paths.length;
    let mut metrics = standing(&paths, plants, floor, scale);
    let heights = Heights::new(&paths, plants, (floor, is_given), scale);
    heights.skate(&paths, floor, scale, &mut metrics);
    heights.touch(plants, paths.n_frames, &mut metrics);
    smoothness(&paths, plants, scale, &mut metrics);
    metrics.change = source.and_then(|source| change_from(clip, source, legs, scale));
    metrics
}

/// How much two sets of plants of one clip agree: F1 over the frames of all parts of feet, twice the frames that both have over the frames of both. 1 for two
/// empty sets.
#[must_use]
pub fn agreement(found: &[Plant], truth: &[Plant]) -> f64 {
    let count = |plants: &[Plant]| plants.iter().map(|plant| plant.frames.len()).sum::<usize>();
    let both: usize = found
        .iter()
        .flat_map(|a| truth.iter().map(move |b| (a, b)))
        .filter(|(a, b)| (a.leg, a.part) == (b.leg, b.part))
        .map(|(a, b)| {
            a.frames.end.min(b.frames.end).saturating_sub(a.frames.start.max(b.frames.start))
        })
        .sum();
    let all = count(found) + count(truth);
    if all == 0 { 1.0 } else { 2.0 * both as f64 / all as f64 }
}

/// The path of a plant's joint, in its frames; `None` for a plant that the clip does not have.
fn path_of<'a>(paths: &'a Paths, plant: &Plant) -> Option<&'a [DVec3]> {
    let path = paths.legs.get(plant.leg)?.part(plant.part)?;
    path.get(plant.frames.clone()).filter(|path| !path.is_empty())
}

/// How far a point goes along the floor from its middle place: the largest distance from the median of its places, all laid on the floor.
///
/// - `path`: where it is in each frame; 0 of none and of one
/// - `normal`: of the floor, of length 1
#[must_use]
pub fn drift(path: &[DVec3], normal: DVec3) -> f64 {
    if path.is_empty() {
        return 0.0;
    }
    let along: Vec<DVec3> = path.iter().map(|point| *point - normal * point.dot(normal)).collect();
    let middle = median_place(along.iter().copied());
    along.iter().map(|point| point.distance(middle)).fold(0.0, |a, b| if b > a { b } else { a })
}

/// The median of numbers: of an even number of them the mean of the two in the middle, so that it is the same seen from both sides; `None` of none.
#[must_use]
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    let rank = values.len() / 2;
    let is_even = values.len().is_multiple_of(2);
    if values.is_empty() {
        return None;
    }
    let (below, upper, _) = values.select_nth_unstable_by(rank, f64::total_cmp);
    let lower = below.iter().copied().reduce(f64::max).filter(|_| is_even);
    Some(lower.map_or(*upper, |lower| 0.5 * (lower + *upper)))
}

/// The median of places, axis by axis; the origin of none.
pub(crate) fn median_place(places: impl Iterator<Item = DVec3> + Clone) -> DVec3 {
    let of_axis = |axis: usize| median(places.clone().map(|place| place[axis])).unwrap_or(0.0);
    DVec3::new(of_axis(0), of_axis(1), of_axis(2))
}

fn standing(paths: &Paths, plants: &[Plant], floor: &Floor, scale: f64) -> Metrics {
    let drift = |plant| path_of(paths, plant).map_or(0.0, |path| drift(path, floor.normal) * scale);
    let drifts: Vec<f64> = plants.iter().map(drift).collect();
    let mut sorted = drifts.clone();
    sorted.sort_by(f64::total_cmp);
    let visible = sorted.len() - sorted.partition_point(|drift| *drift <= VISIBLE_SLIDE);
    let (mut way, mut steps) = (0.0, 0_usize);
    for path in plants.iter().filter_map(|plant| path_of(paths, plant)) {
        for step in path.windows(2) {
            way += along(step[1] - step[0], floor).length() * scale;
            steps += 1;
        }
    }
    let slide = way / steps.max(1) as f64;
    Metrics {
        drift_median: median(drifts.iter().copied()).unwrap_or(0.0),
        drift_max: sorted.last().copied().unwrap_or(0.0),
        visible_share: visible as f64 / sorted.len().max(1) as f64,
        drifts,
        slide,
        slide_speed: slide / paths.frame_time,
        weighted_skate: 0.0,
        skating_ratio: 0.0,
        penetration: 0.0,
        floating: 0.0,
        jerk: 0.0,
        jerk_max: 0.0,
        edge_jerk: 0.0,
        knee_pop: 0.0,
        knee_max: 0.0,
        change: None,
    }
}

fn along(v: DVec3, floor: &Floor) -> DVec3 {
    v - floor.normal * v.dot(floor.normal)
}

/// Heights of all parts of all feet above where they stand \[m\].
struct Heights(Vec<(usize, Part, Vec<f64>)>);

impl Heights {
    fn new(paths: &Paths, plants: &[Plant], (floor, is_given): (&Floor, bool), scale: f64) -> Self {
        let of_part = |(leg, part, path): (usize, Part, &[DVec3])| {
            let mut heights: Vec<f64> = path.iter().map(|p| floor.height(*p) * scale).collect();
            let own = plants.iter().filter(|plant| (plant.leg, plant.part) == (leg, part));
            let mut planted: Vec<f64> = own
                .filter_map(|plant| heights.get(plant.frames.clone()))
                .flatten()
                .copied()
                .collect();
            planted.sort_by(f64::total_cmp);
            let rest = planted.get(planted.len() / 4).copied().unwrap_or(0.0);
            // What stands deeper than a floor that was given is in it.
            let rest = if is_given && rest < 0.0 { 0.0 } else { rest };
            heights.iter_mut().for_each(|height| *height -= rest);
            (leg, part, heights)
        };
        Self(paths.parts().map(of_part).collect())
    }

    /// The published measures, by the foremost part of each foot.
    fn skate(&self, paths: &Paths, floor: &Floor, scale: f64, metrics: &mut Metrics) {
        let n = paths.n_frames;
        if n < 2 || paths.legs.is_empty() {
            return;
        }
        let mut skates = vec![false; n - 1];
        let mut weighted: Vec<f64> = Vec::with_capacity(paths.legs.len());
        for (leg, part, heights) in &self.0 {
            let foremost = if paths.legs[*leg].ball.is_some() { Part::Ball } else { Part::Heel };
            let Some(path) = paths.legs[*leg].part(*part).filter(|_| *part == foremost) else {
                continue;
            };
            let rate = scale / paths.frame_time;
            let speeds: Vec<f64> =
                path.windows(2).map(|p| along(p[1] - p[0], floor).length() * rate).collect();
            let share = |(height, speed): (&f64, &f64)| {
                let height = (height / SKATE_HEIGHT).clamp(0.0, 1.0);
                speed * (2.0 - exp2(height))
            };
            weighted.push(heights.iter().zip(&speeds).map(share).sum::<f64>() / (n - 1) as f64);
            ratio(heights, &speeds, paths.frame_time, &mut skates);
        }
        weighted.sort_by(f64::total_cmp);
        metrics.weighted_skate = weighted.iter().sum::<f64>() / weighted.len().max(1) as f64;
        let n_skating = skates.iter().filter(|skates| **skates).count();
        metrics.skating_ratio = n_skating as f64 / (n - 1) as f64;
    }

    /// How deep and how high the lowest part is.
    fn touch(&self, plants: &[Plant], n_frames: usize, metrics: &mut Metrics) {
        let mut is_planted = vec![false; n_frames];
        for plant in plants {
            let frames = is_planted.get_mut(plant.frames.clone()).unwrap_or_default();
            frames.fill(true);
        }
        let n_planted = is_planted.iter().filter(|planted| **planted).count();
        for (frame, is_planted) in is_planted.into_iter().enumerate() {
            let heights = self.0.iter().map(|(.., heights)| heights[frame]);
            let lowest = heights.fold(f64::INFINITY, f64::min);
            if lowest < -TOLERANCE {
                metrics.penetration += (-lowest - TOLERANCE) / n_frames as f64;
            } else if is_planted && lowest > TOLERANCE && lowest.is_finite() {
                metrics.floating += (lowest - TOLERANCE) / n_planted as f64;
            }
        }
    }
}

/// Marks the frames in which a foot skates by the rule of the skating ratio.
fn ratio(heights: &[f64], speeds: &[f64], frame_time: f64, skates: &mut [bool]) {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let half = (RATIO_WINDOW / frame_time / 2.0).clamp(0.0, 1e6) as usize;
    for frame in 0..speeds.len() {
        let is_low = heights[frame] < RATIO.0 && heights[frame + 1] < RATIO.0;
        if is_low && speeds[frame] > RATIO.1 {
            let end = (frame + half + 1).min(speeds.len());
            let around = &speeds[frame.saturating_sub(half)..end];
            let mean = around.iter().sum::<f64>() / around.len() as f64;
            skates[frame] |= mean > RATIO.1;
        }
    }
}

/// Jerk and knees.
fn smoothness(paths: &Paths, plants: &[Plant], scale: f64, metrics: &mut Metrics) {
    let rate = 1.0 / paths.frame_time;
    let near_edge = near_edges(paths, plants);
    let (mut sums, mut count) = (Vec::new(), 0_usize);
    for leg in &paths.legs {
        let ball = leg.ball.as_ref();
        for path in [&leg.hip, &leg.knee, &leg.ankle].into_iter().chain(ball) {
            let mut sum = 0.0;
            for (frame, p) in path.windows(4).enumerate() {
                let third = (p[3] - p[0]) - (p[2] - p[1]) * 3.0;
                let jerk = third.length() * scale * rate * rate * rate;
                sum += jerk;
                metrics.jerk_max = metrics.jerk_max.max(jerk);
                if near_edge[frame] {
                    metrics.edge_jerk = metrics.edge_jerk.max(jerk);
                }
            }
            count += path.len().saturating_sub(3);
            sums.push(sum);
        }
        let knees = knee_angles(leg);
        for angles in knees.windows(3) {
            let second = (angles[2] - angles[1]) - (angles[1] - angles[0]);
            metrics.knee_pop = metrics.knee_pop.max(second.abs() * rate * rate);
        }
        metrics.knee_max = knees.iter().copied().fold(metrics.knee_max, f64::max);
    }
    sums.sort_by(f64::total_cmp);
    metrics.jerk = sums.iter().sum::<f64>() / count.max(1) as f64;
}

/// True for the third differences that reach into the time around the end of a plant.
fn near_edges(paths: &Paths, plants: &[Plant]) -> Vec<bool> {
    let mut near = vec![false; paths.n_frames];
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let reach = (EDGE / paths.frame_time).clamp(1.0, 1e6) as usize;
    for plant in plants {
        for edge in [plant.frames.start, plant.frames.end] {
            let end = (edge + reach).min(near.len());
            let start = edge.saturating_sub(reach + 3).min(end);
            near[start..end].fill(true);
        }
    }
    near
}

/// The angle inside a knee in every frame \[rad\].
pub(super) fn knee_angles(leg: &LegPaths) -> Vec<f64> {
    let joints = leg.hip.iter().zip(&leg.knee).zip(&leg.ankle);
    joints
        .map(|((hip, knee), ankle)| {
            let (thigh, shin) = (*hip - *knee, *ankle - *knee);
            let lengths = (thigh.length_squared() * shin.length_squared()).sqrt();
            if lengths > 0.0 { acos(thigh.dot(shin) / lengths) } else { 0.0 }
        })
        .collect()
}

/// The frames in which no part of any foot is planted.
#[must_use]
pub fn airborne(plants: &[Plant], n_frames: usize) -> Vec<Range<usize>> {
    let mut is_free = vec![true; n_frames];
    for plant in plants {
        let frames = plant.frames.start.min(n_frames)..plant.frames.end.min(n_frames);
        is_free[frames].fill(false);
    }
    runs(&is_free)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drift_is_the_farthest_from_the_middle() {
        let path: Vec<DVec3> =
            [0.0, 1.0, 1.0, 1.0, 4.0].map(|x| DVec3::new(x, 7.0 * x, 0.0)).to_vec();
        assert!((drift(&path, DVec3::Y) - 3.0).abs() < 1e-12);
        assert_eq!(drift(&path[..1], DVec3::Y), 0.0);
    }

    #[test]
    fn the_median_of_an_even_number_is_between_the_middle_two() {
        assert_eq!(median([]), None);
        assert_eq!(median([3.0]), Some(3.0));
        assert_eq!(median([9.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median([9.0, 1.0, 4.0, 2.0]), Some(3.0));
    }

    #[test]
    fn agreement_is_f1() {
        let plant = |frames| Plant { leg: 0, part: Part::Heel, frames };
        assert_eq!(agreement(&[], &[]), 1.0);
        assert_eq!(agreement(&[plant(0..10)], &[]), 0.0);
        assert_eq!(agreement(&[plant(0..10)], &[plant(5..15)]), 0.5);
        let other = Plant { part: Part::Ball, ..plant(0..10) };
        assert_eq!(agreement(&[plant(0..10)], &[other]), 0.0);
    }

    #[test]
    fn nobody_on_the_ground_is_in_the_air() {
        let plant = |frames| Plant { leg: 0, part: Part::Heel, frames };
        assert_eq!(airborne(&[plant(2..4), plant(3..6)], 8), [0..2, 6..8]);
    }
}
