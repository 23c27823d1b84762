//! The path of the root where it and the steps disagree: a scaled path, legs of another length, a walk on the spot.
//!
//! A figure whose feet all slide the same way does not slide its feet: its root goes the wrong way. Then the root's path is what must change, and no leg.

use core::ops::Range;

use posekit::glam::DVec3;

use super::firm::Firm;
use super::floor::Floor;
use super::metrics::{LEG_LENGTH, VISIBLE_SLIDE};
use super::paths::Paths;
use super::plant::{Plant, STILL};
use super::smooth::Smoother;
use super::verdict::slide;

/// How long after a plant begins, and before it ends, its slide counts fully \[s\]: feet come down and lift off moving.
const EDGE: f64 = 0.12;

/// Over how long slides are smoothed, and what is not known is filled in from what is \[s\]: short against a step, long against noise.
const FILL: f64 = 0.1;

/// Speeds of slide at which the path is left alone, and at which it is changed all the way \[leg lengths/s\]: 3 and 6 cm/s for a leg of 0.85 m. Feet of good
/// recordings roll by one or two, legs can take up so much within their reach, and viewers do not see it.
const GATE: (f64, f64) = (0.035, 0.07);

/// The speed of slide that is judged is exceeded for this part of the time that feet stand.
const EXCEEDED: f64 = 0.25;

/// From how many frames, spread over the clip, slides are judged.
const SAMPLES: usize = 1000;

/// A slide that is known for less than this tells nothing about the path \[s\]: a jump aside has moments at which feet look planted.
const EVIDENCE: f64 = 0.3;

/// Slides scatter by so much about what a scaled path makes of them \[leg lengths/s\].
const SCATTER: f64 = 0.05;

/// Rounds in which that path is found.
const ROUNDS: usize = 10;

/// Feet slide together where their common slide leaves at most this part of the speed of each, and on the whole each goes at least so far along with the others.
const TOGETHER: f64 = 0.5;

/// How feet slide along the floor, frame after frame.
#[derive(Debug, Clone)]
pub(super) struct Slide {
    /// The velocities of what stands, by their weights \[unit/s\].
    sums: Vec<DVec3>,
    /// Smooth mean velocity of what stands \[unit/s\].
    velocities: Vec<DVec3>,
    /// How much is known, from 0 to 1.
    weights: Vec<f64>,
    /// It is known for long enough to be believed.
    pub(super) is_known: bool,
    /// Of each leg by itself the velocities of what stands, by their weights, and these.
    legs: Vec<Vec<(DVec3, f64)>>,
}

impl Slide {
    /// # Method
    /// The velocity `u` that minimises `Σ w |u − v|² + (FILL/dt)² |u(t+1) − u(t)|²`, a system of three diagonals.
    pub(super) fn new(paths: &Paths, plants: &[Firm], floor: &Floor) -> Self {
        let n = paths.n_frames;
        let (mut velocities, mut weights) = (vec![DVec3::ZERO; n], vec![0.0; n]);
        let mut legs = Vec::with_capacity(paths.legs.len());
        // Leg by leg: sums of two are the same in a mirrored clip.
        for leg in 0..paths.legs.len() {
            let mut own = vec![(DVec3::ZERO, 0.0); n];
            // What was left when the clip was cleaned is no reason to change its path again.
            let counts = |firm: &&Firm| firm.plant.leg == leg && !firm.stance.is_left();
            for firm in plants.iter().filter(counts) {
                let Some(path) = paths.legs[leg].part(firm.plant.part) else { continue };
                let looks = &firm.looks;
                for frame in looks.clone() {
                    let weight = weight(looks, frame, paths);
                    let (before, after) = neighbours(frame, looks);
                    let time = (after - before).max(1) as f64 * paths.frame_time;
                    // Looks at the ends of a part that does not move see what is beside it.
                    let velocity = if firm.is_still {
                        DVec3::ZERO
                    } else {
                        (path[after] - path[before]) / time
                    };
                    let along = velocity - floor.normal * velocity.dot(floor.normal);
                    own[frame].0 += along * weight;
                    own[frame].1 += weight;
                }
            }
            for (frame, (sum, weight)) in own.iter().enumerate() {
                velocities[frame] += *sum;
                weights[frame] += weight;
            }
            legs.push(own);
        }
        let sums = velocities.clone();
        smooth(&mut velocities, &weights, FILL / paths.frame_time);
        let n_known = weights.iter().filter(|weight| **weight > 0.0).count();
        let is_known = n_known as f64 * paths.frame_time >= EVIDENCE;
        Self { sums, velocities, weights, is_known, legs }
    }

    /// Whether all feet slide alike: the slides of all legs are those of one path, time by time and on the whole. To be asked before [`with_hips`](Self::with_hips).
    pub(super) fn is_common(&self) -> bool {
        let mean = |leg: &Vec<(DVec3, f64)>| {
            let add = |all: (DVec3, f64), one: &(DVec3, f64)| (all.0 + one.0, all.1 + one.1);
            let (sum, weight) = leg.iter().fold((DVec3::ZERO, 0.0), add);
            (weight > 0.0).then(|| sum / weight)
        };
        let means: Vec<DVec3> = self.legs.iter().filter_map(mean).collect();
        let is_alike = |a: &DVec3, b: &DVec3| {
            a.dot(*b) >= TOGETHER * a.length_squared().max(b.length_squared())
        };
        if !means.iter().all(|a| means.iter().all(|b| is_alike(a, b))) {
            return false;
        }
        let speeds = |of_path: &dyn Fn(usize) -> DVec3| {
            let of_leg = |leg: &[(DVec3, f64)]| {
                let known = leg.iter().enumerate().filter(|(_, (_, weight))| *weight > 0.0);
                let off = known.map(|(frame, (sum, weight))| {
                    ((*sum / *weight - of_path(frame)).length(), *weight)
                });
                off.collect::<Vec<_>>()
            };
            exceeded(self.legs.iter().flat_map(|leg| of_leg(leg)).collect())
        };
        speeds(&|frame| self.velocities[frame]) <= TOGETHER * speeds(&|_| DVec3::ZERO)
    }

    /// The same where the root goes its way and does not stay on the spot: a part of the slide is then what a scaled path makes of it, a part of the velocity of the
    /// hips, and where nothing is known it goes on as they do.
    pub(super) fn with_hips(mut self, paths: &Paths, floor: &Floor) -> Self {
        let hips = hips_along(paths, floor);
        let part = part_of_hips(&hips, &self.sums, &self.weights, SCATTER * paths.length);
        for ((sum, weight), hips) in self.sums.iter_mut().zip(&self.weights).zip(&hips) {
            *sum -= *hips * (part * weight);
        }
        self.velocities.clone_from(&self.sums);
        smooth(&mut self.velocities, &self.weights, FILL / paths.frame_time);
        for (velocity, hips) in self.velocities.iter_mut().zip(&hips) {
            *velocity += *hips * part;
        }
        self
    }

    /// The speed that is exceeded for a quarter of the time that feet stand \[unit/s\]; 0 where they never do.
    pub(super) fn speed(&self) -> f64 {
        let speeds: Vec<(f64, f64)> = self
            .velocities
            .iter()
            .zip(&self.weights)
            .step_by(self.weights.len() / SAMPLES + 1)
            .filter(|(_, weight)| **weight > 0.0)
            .map(|(velocity, weight)| (velocity.length(), *weight))
            .collect();
        exceeded(speeds)
    }

    /// How much of the slide the path is to take up, from 0 to 1, for legs of this length.
    ///
    /// - `whole`: the displacement that takes all of it up
    pub(super) fn share(&self, whole: &[DVec3], plants: &[Firm], length: f64) -> f64 {
        let speed = smooth_step((self.speed() / length - GATE.0) / (GATE.1 - GATE.0));
        let seen = VISIBLE_SLIDE / LEG_LENGTH * length;
        let far = smooth_step(exceeded(carried(whole, plants)) / (0.5 * seen) - 1.0);
        if far > speed { far } else { speed }
    }

    /// The displacement of the root that takes this share of the slide away, frame after frame; zero at the first.
    pub(super) fn displacement(&self, share: f64, frame_time: f64) -> Vec<DVec3> {
        let mut place = DVec3::ZERO;
        let mut before = self.velocities.first().copied().unwrap_or(DVec3::ZERO);
        let mut places = Vec::with_capacity(self.velocities.len());
        for (frame, velocity) in self.velocities.iter().enumerate() {
            if frame > 0 {
                place -= (before + *velocity) * (0.5 * frame_time * share);
            }
            before = *velocity;
            places.push(place);
        }
        places
    }
}

/// Whether it is the root that goes the wrong way, and not some of the feet: of the plants of no leg more slide visibly farther where the root is moved than
/// visibly less far.
///
/// - `way`: the displacement of the root
pub(super) fn suits_all(paths: &Paths, way: &[DVec3], plants: &[Firm], floor: &Floor) -> bool {
    let seen = 0.5 * VISIBLE_SLIDE / LEG_LENGTH * paths.length;
    let gain = |Firm { plant, looks, .. }: &Firm| {
        let looked = Plant { frames: looks.clone(), ..*plant };
        let path = paths.legs[plant.leg].part(plant.part).unwrap_or_default();
        let was = slide(|look| path[look], &looked, floor);
        was - slide(|look| path[look] + way[look], &looked, floor)
    };
    (0..paths.legs.len()).all(|leg| {
        let counts = |firm: &&Firm| firm.plant.leg == leg && !firm.stance.is_left();
        let gains: Vec<f64> = plants.iter().filter(counts).map(gain).collect();
        let n_more = gains.iter().filter(|gain| **gain < -seen).count();
        let n_less = gains.iter().filter(|gain| **gain > seen).count();
        n_more <= n_less
    })
}

/// How far from its middle each plant is carried by a slide, and how long it lasts.
fn carried(whole: &[DVec3], plants: &[Firm]) -> Vec<(f64, f64)> {
    let of_plant = |firm: &Firm| {
        let way = whole.get(firm.looks.clone())?;
        Some((0.5 * way.first()?.distance(*way.last()?), way.len() as f64))
    };
    plants.iter().filter_map(of_plant).collect()
}

/// What is exceeded by the given part of the weights of values; 0 without any.
fn exceeded(mut values: Vec<(f64, f64)>) -> f64 {
    values.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)));
    let mut left = EXCEEDED * values.iter().map(|(_, weight)| weight).sum::<f64>();
    for (value, weight) in values {
        left -= weight;
        if left <= 0.0 {
            return value;
        }
    }
    0.0
}

/// The velocity of the hips along the floor, frame after frame: the mean of all legs'.
fn hips_along(paths: &Paths, floor: &Floor) -> Vec<DVec3> {
    if paths.legs.is_empty() {
        return vec![DVec3::ZERO; paths.n_frames];
    }
    let smoother = Smoother::new(STILL.half_window, paths.frame_time, paths.n_frames);
    let mut own = Vec::with_capacity(paths.legs.len());
    let at = |frame: usize| {
        own.clear();
        own.extend(paths.legs.iter().map(|leg| smoother.slope(&leg.hip, frame)));
        // In the order of their sizes, so that left and right make no difference.
        own.sort_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
        let mean = own.iter().sum::<DVec3>() / own.len() as f64;
        mean - floor.normal * mean.dot(floor.normal)
    };
    (0..paths.n_frames).map(at).collect()
}

/// Which part of the hips' velocity the slide is, but for a steady drift: a line fitted by reweighted least squares, near 0 where hips hardly change theirs.
///
/// - `sums`, `weights`: of velocities at which feet slide, and how much they weigh
/// - `scatter`: slides that are farther than this from the line count little \[unit/s\]
fn part_of_hips(hips: &[DVec3], sums: &[DVec3], weights: &[f64], scatter: f64) -> f64 {
    let all = hips.iter().zip(sums.iter().zip(weights));
    let known: Vec<(DVec3, DVec3, f64)> = all
        .step_by(hips.len() / SAMPLES + 1)
        .filter(|(_, (_, weight))| **weight > 0.0)
        .map(|(hips, (sum, weight))| (*hips, *sum / *weight, *weight))
        .collect();
    let mut counts: Vec<f64> = known.iter().map(|(.., weight)| *weight).collect();
    let mut part = 0.0;
    for _ in 0..ROUNDS {
        let (mut total, mut hips_sum, mut slides_sum) = (0.0, DVec3::ZERO, DVec3::ZERO);
        for ((hips, slide, _), count) in known.iter().zip(&counts) {
            total += count;
            hips_sum += *hips * *count;
            slides_sum += *slide * *count;
        }
        if total <= 0.0 {
            return 0.0;
        }
        let (hips_mean, slides_mean) = (hips_sum / total, slides_sum / total);
        let (mut squares, mut products) = (scatter * scatter, 0.0);
        for ((hips, slide, _), count) in known.iter().zip(&counts) {
            let off = *hips - hips_mean;
            squares += count * off.length_squared();
            products += count * off.dot(*slide - slides_mean);
        }
        part = products / squares;
        for ((hips, slide, weight), count) in known.iter().zip(&mut counts) {
            let off = (*slide - slides_mean - (*hips - hips_mean) * part) / scatter;
            *count = weight / (1.0 + off.length_squared());
        }
    }
    part
}

fn smooth_step(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// The frames before and after one, inside a plant.
fn neighbours(frame: usize, plant: &Range<usize>) -> (usize, usize) {
    let before = if frame > plant.start { frame - 1 } else { frame };
    let after = if frame + 1 < plant.end { frame + 1 } else { frame };
    (before, after)
}

/// Makes of sums of weighted velocities the smooth velocity; `reach` is in frames.
fn smooth(velocities: &mut [DVec3], weights: &[f64], reach: f64) {
    /// A pull to standing still that only counts where nothing is known at all.
    const NOTHING: f64 = 1e-6;
    let n = velocities.len();
    let link = reach * reach;
    let mut pivots: Vec<f64> = Vec::with_capacity(n);
    for frame in 0..n {
        let links = match n {
            1 => 0.0,
            _ if frame == 0 || frame + 1 == n => link,
            _ => 2.0 * link,
        };
        let own = weights[frame] + NOTHING + links;
        let pivot = pivots.last().map_or(own, |before| own - link * link / before);
        if let Some(before) = pivots.last() {
            let carried = velocities[frame - 1] * (link / before);
            velocities[frame] += carried;
        }
        pivots.push(pivot);
    }
    for frame in (0..n).rev() {
        let after = velocities.get(frame + 1).map_or(DVec3::ZERO, |after| *after * link);
        velocities[frame] = (velocities[frame] + after) / pivots[frame];
    }
}

/// How much a frame of a plant tells about sliding.
fn weight(plant: &Range<usize>, frame: usize, paths: &Paths) -> f64 {
    let from_start = frame - plant.start + 1;
    let to_end = plant.end - frame;
    let edge =
        if from_start < to_end { from_start } else { to_end } as f64 * paths.frame_time / EDGE;
    let t = if edge < 1.0 { edge } else { 1.0 };
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use posekit::math::sin;

    #[test]
    fn the_part_of_the_hips_is_told_from_drift_and_rolling_feet() {
        let hips: Vec<DVec3> = (0..200)
            .map(|k| {
                DVec3::new(1.0 + 0.3 * sin(0.1 * f64::from(k)), 0.0, 0.2 * sin(0.07 * f64::from(k)))
            })
            .collect();
        let weights: Vec<f64> = (0..200).map(|k| f64::from(k % 4)).collect();
        let drift = DVec3::new(-0.1, 0.0, 0.05);
        let slide = |k: usize| match k % 10 {
            9 => DVec3::new(0.8, 0.0, -0.4),
            _ => hips[k] * 0.25 + drift,
        };
        let sums: Vec<DVec3> = (0..200).map(|k| slide(k) * weights[k]).collect();
        let part = part_of_hips(&hips, &sums, &weights, 0.05);
        assert!((part - 0.25).abs() < 0.01, "{part}");
        assert_eq!(part_of_hips(&hips, &sums, &[0.0; 200], 0.05), 0.0, "nothing is known");
        let steady = [DVec3::X; 200];
        let part = part_of_hips(&steady, &[drift; 200], &[1.0; 200], 0.05);
        assert!(part.abs() < 1e-9, "a drift: {part}");
    }
}
