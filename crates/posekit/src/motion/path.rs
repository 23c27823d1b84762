//! The path of the root where it and the steps disagree: a scaled path, legs of another length, a walk on the spot.
//!
//! A figure whose feet all slide the same way does not slide its feet: its root goes the wrong way. Then the root's path is what must change, and no leg.

use glam::DVec3;

use super::floor::Floor;
use super::paths::Paths;
use super::plant::{Part, Plant};
use super::smooth::Smoother;

/// Half the window in which the slide of a foot is measured \[s\]: short against a step, long against noise.
const HALF_WINDOW: f64 = 0.1;

/// How long after a plant begins, and before it ends, its slide counts fully \[s\]: feet come down and lift off moving.
const EDGE: f64 = 0.12;

/// Over how long what is not known is filled in from what is \[s\].
const FILL: f64 = 0.15;

/// Speeds of slide at which the path is left alone, and at which it is changed all the way \[leg lengths/s\]: 3 and 6 cm/s for a leg of 0.85 m. Feet of good
/// recordings roll by one or two, legs can take up so much within their reach, and viewers do not see it.
const GATE: (f64, f64) = (0.035, 0.07);

/// The speed of slide that is judged is exceeded for this part of the time that feet stand.
const EXCEEDED: f64 = 0.25;

/// How feet slide along the floor, frame after frame.
#[derive(Debug, Clone)]
pub(super) struct Slide {
    /// Mean velocity of what stands \[unit/s\].
    velocities: Vec<DVec3>,
    /// How much is known, from 0 to 1.
    weights: Vec<f64>,
}

impl Slide {
    pub(super) fn new(paths: &Paths, plants: &[Plant], floor: &Floor) -> Self {
        let smoother = Smoother::new(HALF_WINDOW, paths.frame_time, paths.n_frames);
        let mut sums = vec![DVec3::ZERO; paths.n_frames];
        let mut weights = vec![0.0; paths.n_frames];
        // Leg by leg: sums of two are the same in a mirrored clip.
        for leg in 0..paths.legs.len() {
            let mut own = vec![(DVec3::ZERO, 0.0); paths.n_frames];
            for plant in plants.iter().filter(|plant| plant.leg == leg) {
                let Some(path) = paths.legs[leg].part(plant.part) else { continue };
                for frame in plant.frames.clone() {
                    let weight = weight(plant, frame, paths);
                    let velocity = smoother.slope(path, frame);
                    let along = velocity - floor.normal * velocity.dot(floor.normal);
                    own[frame].0 += along * weight;
                    own[frame].1 += weight;
                }
            }
            for (frame, (sum, weight)) in own.into_iter().enumerate() {
                sums[frame] += sum;
                weights[frame] += weight;
            }
        }
        for (sum, weight) in sums.iter_mut().zip(&mut weights) {
            if *weight > 0.0 {
                *sum /= *weight;
            }
            *weight = if *weight < 1.0 { *weight } else { 1.0 };
        }
        Self { velocities: sums, weights }
    }

    /// The speed that is exceeded for a quarter of the time that feet stand \[unit/s\]; 0 where they never do.
    pub(super) fn speed(&self) -> f64 {
        let mut speeds: Vec<(f64, f64)> = self
            .velocities
            .iter()
            .zip(&self.weights)
            .filter(|(_, weight)| **weight > 0.0)
            .map(|(velocity, weight)| (velocity.length(), *weight))
            .collect();
        speeds.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)));
        let mut left = EXCEEDED * speeds.iter().map(|(_, weight)| weight).sum::<f64>();
        for (speed, weight) in speeds {
            left -= weight;
            if left <= 0.0 {
                return speed;
            }
        }
        0.0
    }

    /// How much of the slide the path is to take up, from 0 to 1, for legs of this length.
    pub(super) fn share(&self, length: f64) -> f64 {
        let t = (self.speed() / length - GATE.0) / (GATE.1 - GATE.0);
        let t = t.clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    }

    /// The displacement of the root that takes the slide away, frame after frame; zero at the first.
    ///
    /// # Method
    /// The velocity `u` that minimises `Σ w |u − v|² + (FILL/dt)² |u(t+1) − u(t)|²`, a system of three diagonals, summed up by the trapezoid rule.
    pub(super) fn displacement(&self, share: f64, frame_time: f64) -> Vec<DVec3> {
        /// A pull to standing still that only counts where nothing is known at all.
        const NOTHING: f64 = 1e-6;
        let n = self.weights.len();
        let link = (FILL / frame_time) * (FILL / frame_time) * 0.05;
        let mut pivots: Vec<f64> = Vec::with_capacity(n);
        let mut values: Vec<DVec3> = Vec::with_capacity(n);
        for frame in 0..n {
            let weight = self.weights[frame];
            let links = if frame == 0 || frame + 1 == n { link } else { 2.0 * link };
            let own = weight + NOTHING + if n > 1 { links } else { 0.0 };
            let pull = self.velocities[frame] * weight;
            let (pivot, value) = match pivots.last().zip(values.last()) {
                Some((before, value)) => (own - link * link / before, pull + *value * (link / before)),
                None => (own, pull),
            };
            pivots.push(pivot);
            values.push(value);
        }
        for frame in (0..n).rev() {
            let after = values.get(frame + 1).map_or(DVec3::ZERO, |after| *after * link);
            values[frame] = (values[frame] + after) / pivots[frame];
        }
        let mut place = DVec3::ZERO;
        let mut before = values.first().copied().unwrap_or(DVec3::ZERO);
        for value in &mut values {
            place -= (before + *value) * (0.5 * frame_time * share);
            before = *value;
            *value = place;
        }
        values.iter_mut().take(1).for_each(|first| *first = DVec3::ZERO);
        values
    }
}

/// How much a frame of a plant tells about sliding.
fn weight(plant: &Plant, frame: usize, paths: &Paths) -> f64 {
    let from_start = frame - plant.frames.start + 1;
    let to_end = plant.frames.end - frame;
    let edge = if from_start < to_end { from_start } else { to_end } as f64 * paths.frame_time / EDGE;
    let t = if edge < 1.0 { edge } else { 1.0 };
    // At the ends of a clip feet do not come down, but they count the same.
    let part = match plant.part {
        Part::Heel | Part::Ball => 1.0,
    };
    part * t * t * (3.0 - 2.0 * t)
}
