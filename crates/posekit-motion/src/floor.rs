//! Finding the floor: a plane under the feet.

use std::borrow::Cow;

use posekit::glam::DVec3;

use super::bob::without_bob;
use super::clip::Clip;
use super::leg::Leg;
use super::pace::Pace;
use super::paths::Paths;
use super::plant::{EVERYWHERE, Part, Rest, STILL, rest_height};
use super::smooth::Smoother;

/// Samples of each part of each foot that a plane is fitted to, at most: enough for a plane, and a cost that does not grow with the clip.
const SAMPLES: usize = 400;

/// How far above the lowest foot another may be to stand, too \[leg lengths\]: what the stride makes of a steep slope.
const ABREAST: f64 = 0.15;

/// How far apart feet must have been for a slope between them to be believed by half \[leg lengths\]: nearer, the unevenness of feet makes slopes.
const BASE: f64 = 0.25;

/// Heights of standing feet scatter by so much \[leg lengths\]; what is farther from the plane counts little.
const SCATTER: f64 = 0.02;

/// Rounds with the weights of least absolute deviations, and then with weights that let outliers go, at most.
const ROUNDS: usize = 12;

/// A slope that changes by less from one round to the next is found: a hundredth of a millimetre on a metre.
const SETTLED: f64 = 1e-5;

/// The tangent of the steepest slope that is taken for a floor; people slip on steeper ones.
const STEEPEST: f64 = 0.5;

/// The joint of a ball that stands on a floor that is given is this far below and above it at most \[leg lengths\]: 8 and 13 cm for a leg of 0.85 m. Skeletons have no
/// soles, and a floor may be known by these or by the joints. An ankle may be higher by as much as it is above its ball.
const NEAR_BALL: [f64; 2] = [-0.1, 0.15];

/// The same of an ankle whose foot has no ball.
const NEAR_ANKLE: [f64; 2] = [-0.1, 0.3];

/// A plane that feet stand on: the lowest parts of the feet are on it when they stand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Floor {
    /// A point of it.
    pub point: DVec3,
    /// Its normal, of unit length, on the side of up.
    pub normal: DVec3,
}

/// Which floor is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum FloorChoice {
    /// The plane that fits the feet when they stand, tilted if they say so. The default.
    #[default]
    Fit,
    /// A plane perpendicular to up.
    Level,
    /// Each plant has its own height: stairs, steps, rough ground.
    PerPlant,
    /// This one. What stays far from it does not stand.
    Given(Floor),
}

impl Floor {
    /// How high a point is above it.
    #[must_use]
    pub fn height(&self, point: DVec3) -> f64 {
        (point - self.point).dot(self.normal)
    }
}

/// The floor of a clip, as the feet show it where they keep their height.
///
/// It goes through the joints that are lowest when they stand, balls mostly, not through the soles, which a skeleton does not have. With
/// [`FloorChoice::PerPlant`] it is a level one under the lowest foot.
///
/// # Degenerate cases
/// Without legs or frames: level, at height zero. Where feet never keep their height, at the lowest they come.
/// # Method
/// Heights of all parts that keep theirs, one plane for all with an own offset for each part, by least absolute deviations and then with weights that let
/// outliers go; a slope is believed as far as the feet were apart.
#[must_use]
pub fn find_floor(clip: &Clip, legs: &[Leg], choice: FloorChoice) -> Floor {
    match choice {
        FloorChoice::Given(floor) => floor,
        _ => {
            let paths = Paths::new(clip, legs);
            let looks = Pace::new(paths.frame_time, paths.n_frames).looks(&paths);
            Footing::find(&looks, choice).floor
        }
    }
}

/// A floor, and how feet stand on it.
pub(super) struct Footing<'a> {
    pub(super) floor: Floor,
    /// The feet, without what they bob.
    pub(super) paths: Cow<'a, Paths>,
    /// The height above the floor at which each of their parts stands; NaN for parts that never stand on it.
    pub(super) rests: Vec<f64>,
    /// Between which heights above a floor that was given each of them may stand; empty for any.
    pub(super) near: Vec<[f64; 2]>,
}

impl<'a> Footing<'a> {
    /// On a floor that is known.
    ///
    /// - `choice`: how it became known: on one that was given stands only what comes near to it
    pub(super) fn on(paths: &'a Paths, floor: Floor, choice: FloorChoice) -> Self {
        let paths = without_bob(paths, &floor);
        if matches!(choice, FloorChoice::Given(_)) {
            let (rests, near) = rests_near(&paths, &floor).into_iter().unzip();
            return Self { floor, paths, rests, near };
        }
        let rest = |path| rest_height(&paths, path, &floor, EVERYWHERE).height;
        let rests = paths.parts().map(|(.., path)| rest(path)).collect();
        Self { floor, paths, rests, near: Vec::new() }
    }

    /// On the floor that the feet show where they keep their height.
    pub(super) fn find(paths: &'a Paths, choice: FloorChoice) -> Self {
        if let FloorChoice::Given(floor) = choice {
            return Self::on(paths, floor, choice);
        }
        if paths.n_frames == 0 || paths.legs.is_empty() {
            return Self::on(paths, Floor { point: DVec3::ZERO, normal: paths.up }, choice);
        }
        let (floor, rests) = floor_under(paths, choice);
        match without_bob(paths, &floor) {
            paths @ Cow::Borrowed(_) => Self { floor, paths, rests, near: Vec::new() },
            Cow::Owned(steady) => Self::on(paths, floor_under(&steady, choice).0, choice),
        }
    }
}

/// The heights above a floor that is given at which parts of feet stand, where they come near to it, and how near that must be.
fn rests_near(paths: &Paths, floor: &Floor) -> Vec<(f64, [f64; 2])> {
    let rest = |path: &[DVec3], near| rest_height(paths, path, floor, near).height;
    let of_part = |(leg, part, path): (usize, Part, &[DVec3])| {
        let near = match paths.legs[leg].part(Part::Ball).filter(|_| part == Part::Heel) {
            Some(ball) => {
                let above = rest(path, EVERYWHERE) - rest(ball, EVERYWHERE);
                let above = if above > 0.0 { above } else { 0.0 };
                [NEAR_BALL[0] * paths.length, NEAR_BALL[1] * paths.length + above]
            }
            None if part == Part::Ball => NEAR_BALL.map(|bound| bound * paths.length),
            None => NEAR_ANKLE.map(|bound| bound * paths.length),
        };
        let comes = |point: &DVec3| (near[0]..=near[1]).contains(&floor.height(*point));
        let rest = if path.iter().any(comes) { rest(path, near) } else { f64::NAN };
        (rest, near)
    };
    paths.parts().map(of_part).collect()
}

/// The floor under feet, and the height above it at which each of their parts stands.
fn floor_under(paths: &Paths, choice: FloorChoice) -> (Floor, Vec<f64>) {
    let up = paths.up;
    let normal = if choice == FloorChoice::Fit { fitted_normal(paths) } else { up };
    let through_origin = Floor { point: DVec3::ZERO, normal };
    let rests: Vec<Rest> = paths
        .parts()
        .map(|(.., path)| rest_height(paths, path, &through_origin, EVERYWHERE))
        .collect();
    let (mut lowest, mut lowest_ever) = (f64::INFINITY, f64::INFINITY);
    for (rest, (.., path)) in rests.iter().zip(paths.parts()) {
        lowest = if rest.height < lowest && rest.is_supported { rest.height } else { lowest };
        let bottom = path
            .iter()
            .map(|p| p.dot(normal))
            .fold(f64::INFINITY, |a, b| if b < a { b } else { a });
        lowest_ever = if bottom < lowest_ever { bottom } else { lowest_ever };
    }
    let height = if lowest.is_finite() { lowest } else { lowest_ever };
    let rests = rests.into_iter().map(|rest| rest.height - height).collect();
    (Floor { point: normal * height, normal }, rests)
}

/// Directions along a level floor: the two axes of the world that are most level, for the same numbers in a mirrored clip.
pub(super) fn level_axes(up: DVec3) -> (DVec3, DVec3) {
    let least = up.abs().min_position();
    let level = DVec3::AXES[least] - up * up[least];
    let first = level / level.length();
    (first, first.cross(up))
}

/// A place where a part of a foot keeps its height: along the two level axes, and up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    pub(super) s: f64,
    pub(super) t: f64,
    pub(super) height: f64,
    pub(super) weight: f64,
}

fn fitted_normal(paths: &Paths) -> DVec3 {
    let (first, second) = level_axes(paths.up);
    let mut groups = groups(paths, first, second);
    let Some(mut slope) = fit(&groups, BASE * paths.length) else { return paths.up };
    for is_first in [true, false] {
        for _ in 0..ROUNDS {
            reweigh(&mut groups, slope, is_first, SCATTER * paths.length);
            let Some(found) = fit(&groups, BASE * paths.length) else { return paths.up };
            let change = (found.0 - slope.0).abs() + (found.1 - slope.1).abs();
            slope = found;
            if change < SETTLED {
                break;
            }
        }
    }
    let steepness = (slope.0 * slope.0 + slope.1 * slope.1).sqrt();
    if steepness > STEEPEST {
        return paths.up;
    }
    let normal = paths.up - first * slope.0 - second * slope.1;
    normal / normal.length()
}

/// The samples of each part of each foot.
fn groups(paths: &Paths, first: DVec3, second: DVec3) -> Vec<Vec<Sample>> {
    let smoother = Smoother::new(STILL.half_window, paths.frame_time, paths.n_frames);
    let stride = paths.n_frames.div_ceil(2 * SAMPLES);
    let still = STILL.speed * paths.length;
    let heights: Vec<(Part, Vec<f64>)> = paths
        .parts()
        .map(|(_, part, path)| (part, path.iter().map(|p| p.dot(paths.up)).collect()))
        .collect();
    let lowest = |part: Part, frame: usize| {
        let same = heights.iter().filter(|other| other.0 == part).map(|other| other.1[frame]);
        same.fold(f64::INFINITY, |a, b| if b < a { b } else { a })
    };
    let mut groups = Vec::with_capacity(heights.len());
    for ((part, heights), (.., path)) in heights.iter().zip(paths.parts()) {
        let is_standing = |frame: &usize| {
            heights[*frame] < lowest(*part, *frame) + ABREAST * paths.length
                && smoother.slope(heights, *frame).abs() < still
        };
        let sample = |frame: usize| {
            let (s, t) = (path[frame].dot(first), path[frame].dot(second));
            Sample { s, t, height: heights[frame], weight: 1.0 }
        };
        let frames = (0..paths.n_frames).step_by(stride);
        groups.push(frames.filter(is_standing).map(sample).collect());
    }
    groups
}

/// The slopes along both axes that fit best; `None` without samples.
pub(super) fn fit(groups: &[Vec<Sample>], base: f64) -> Option<(f64, f64)> {
    // Sums of each group about its own mean: weight, ss, st, tt, sh, th.
    let mut sums: Vec<[f64; 6]> = groups.iter().map(|group| moments(group)).collect();
    let mut total = [0.0; 6];
    for (k, total) in total.iter_mut().enumerate() {
        // In the order of their sizes, so that left and right make no difference.
        sums.sort_by(|a, b| a[k].abs().total_cmp(&b[k].abs()));
        *total = sums.iter().map(|sums| sums[k]).sum();
    }
    let [weight, ss, st, tt, sh, th] = total;
    if weight <= 0.0 {
        return None;
    }
    let prior = weight * base * base;
    // A believed slope is pulled to level like one more group of feet apart by `base`, a tenth as heavy.
    let (ss, tt) = (ss + 0.1 * prior, tt + 0.1 * prior);
    let determinant = ss * tt - st * st;
    (determinant > 0.0)
        .then(|| ((sh * tt - th * st) / determinant, (th * ss - sh * st) / determinant))
}

fn moments(group: &[Sample]) -> [f64; 6] {
    // Side by side: a sum by itself would wait for its own last addition.
    let [mut weight, mut s_sum, mut t_sum, mut h_sum] = [0.0; 4];
    for x in group {
        weight += x.weight;
        s_sum += x.weight * x.s;
        t_sum += x.weight * x.t;
        h_sum += x.weight * x.height;
    }
    if weight <= 0.0 {
        return [0.0; 6];
    }
    let (s_mean, t_mean, h_mean) = (s_sum / weight, t_sum / weight, h_sum / weight);
    let mut sums = [weight, 0.0, 0.0, 0.0, 0.0, 0.0];
    for Sample { s, t, height, weight } in group {
        let (s, t, h) = (s - s_mean, t - t_mean, height - h_mean);
        let products = [s * s, s * t, t * t, s * h, t * h];
        for (sum, product) in sums[1..].iter_mut().zip(products) {
            *sum += weight * product;
        }
    }
    sums
}

/// Weights from how far each sample is from the plane through the middle of its group.
fn reweigh(groups: &mut [Vec<Sample>], slope: (f64, f64), is_first: bool, scatter: f64) {
    let mut residuals = Vec::new();
    for group in groups {
        residuals.clear();
        residuals.extend(group.iter().map(|x| x.height - slope.0 * x.s - slope.1 * x.t));
        let rest = lower_middle(&residuals, scatter);
        for (sample, residual) in group.iter_mut().zip(&residuals) {
            let off = ((residual - rest) / scatter).abs();
            sample.weight = if is_first {
                1.0 / (off + 0.25)
            } else {
                let down = 1.0 + off * off;
                1.0 / (down * down)
            };
        }
    }
}

/// The height at which a part of a foot stands: the middle of the lowest tenth and what is little above it.
pub(super) fn lower_middle(heights: &[f64], scatter: f64) -> f64 {
    if heights.is_empty() {
        return 0.0;
    }
    let mut keys: Vec<i64> = heights.iter().map(|height| key(*height)).collect();
    let tenth = keys.len() / 10;
    let (_, &mut bottom, _) = keys.select_nth_unstable(tenth);
    let highest = of_key(bottom) + 2.0 * scatter;
    let n_low = heights.iter().filter(|height| **height <= highest).count();
    let rank = n_low / 2;
    // What is below the tenth is on its left by now, and what is above on its right.
    of_key(match rank.checked_sub(tenth + 1) {
        Some(rank) => *keys[tenth + 1..].select_nth_unstable(rank).1,
        None => *keys[..=tenth].select_nth_unstable(rank).1,
    })
}

/// An integer that is ordered as numbers are by `total_cmp`, and compared faster.
pub(super) const fn key(value: f64) -> i64 {
    let bits = value.to_bits().cast_signed();
    bits ^ ((bits >> 63).cast_unsigned() >> 1).cast_signed()
}

/// The number of a [`key`].
pub(super) const fn of_key(key: i64) -> f64 {
    f64::from_bits((key ^ ((key >> 63).cast_unsigned() >> 1).cast_signed()).cast_unsigned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lower_middle_is_what_sorting_finds() {
        let mut seed = 3_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        for n in [1, 2, 5, 9, 10, 11, 19, 20, 100, 401] {
            for scatter in [0.0, 0.01, 0.2, 1.0] {
                let heights: Vec<f64> = (0..n).map(|_| random() - 0.4).collect();
                let mut sorted = heights.clone();
                sorted.sort_by(f64::total_cmp);
                let bottom = sorted[n / 10];
                let n_low = sorted.iter().filter(|h| **h <= bottom + 2.0 * scatter).count();
                let found = lower_middle(&heights, scatter);
                assert_eq!(found.to_bits(), sorted[n_low / 2].to_bits(), "{n}, {scatter}");
            }
        }
        assert_eq!(lower_middle(&[f64::NAN; 3], 0.1).to_bits(), f64::NAN.to_bits());
        assert_eq!(lower_middle(&[], 0.1), 0.0);
    }
}
