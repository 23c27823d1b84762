//! How fast the floor seems to slide under the feet.

use core::cmp::Reverse;
use core::ops::Range;

use posekit::glam::DVec3;

use super::plant::Track;

/// From one estimate to the next \[s\].
const STEP: f64 = 1.0 / 30.0;

/// Feet that stand up to this time before and after a moment say how the floor slides then \[s\]: longer than the heel of a swinging foot is low and level, shorter
/// than a stride.
const WINDOW: f64 = 0.3;

/// Those up to this time away count fully \[s\], those farther away only where there are none.
const NEAR: f64 = 0.08;

/// Rounds of the reweighting that finds the middle of velocities, at most.
const ROUNDS: usize = 5;

/// A middle that moves by less is found \[leg lengths/s\]: a thousandth of what makes velocities differ.
const SETTLED: f64 = 2e-4;

/// Velocities nearer than this count as the same \[leg lengths/s\].
const ALIKE: f64 = 0.2;

/// A foot whose velocity along the floor changes faster than this counts little \[leg lengths/s²\]: one that stands slides as steadily as the body goes, one that
/// swings is slowed down within a tenth of a second.
const STEADY: f64 = 4.0;

/// Less than this weight of standing feet in a window says nothing; a foot that stands in one step weighs 1.
const LEAST: f64 = 0.01;

/// Samples of less weight are left out.
const SLIGHT: f64 = 0.001;

/// How many of the heaviest samples are tried as the middle.
const STARTS: usize = 12;

/// The part of all weight that must be near to the mean of all for no other middle to be looked for.
const AGREED: f64 = 0.8;

/// The velocity of the floor under the feet at steps in time \[leg lengths/s\]: zero in a sound clip, something else where the whole figure slides, be it by a path that was
/// scaled, a drift, or a walk on the spot.
#[derive(Debug)]
pub(super) struct Ground {
    /// Frames from one velocity to the next.
    step: usize,
    velocities: Vec<DVec3>,
}

impl Ground {
    /// The velocity that most parts of feet agree on, those that are low, keep their height and are steady counting most.
    pub(super) fn new(tracks: &[Track<'_>], n_frames: usize, frame_time: f64) -> Self {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let step = (STEP / frame_time).round().clamp(1.0, 1e6) as usize;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let reach = (WINDOW / (frame_time * step as f64)).clamp(1.0, 1e6) as usize;
        let step_time = frame_time * step as f64;
        let samples: Vec<Vec<Sample>> =
            tracks.iter().map(|track| steadied(track.standing(step), step_time)).collect();
        let n = n_frames.div_ceil(step);
        let fade = |steps: usize| {
            let off = steps as f64 * step_time / NEAR;
            1.0 / (1.0 + off * off * off * off)
        };
        let fades: Vec<f64> = (0..=reach.min(n)).map(fade).collect();
        let mut found: Vec<Option<DVec3>> = Vec::with_capacity(n);
        let mut near = Crowd::default();
        for at in 0..n {
            near.clear();
            let first = at.saturating_sub(reach);
            let end = if at + reach < n { at + reach + 1 } else { n };
            for track in &samples {
                let around = track[first..end].iter().zip(first..end);
                near.add(around.map(|(sample, k)| (sample.0 * fades[k.abs_diff(at)], sample.1)));
            }
            found.push(near.mode());
        }
        Self { step, velocities: filled(&found) }
    }

    /// The velocity at a frame.
    pub(super) fn velocity(&self, frame: usize) -> DVec3 {
        let at = frame / self.step;
        let part = (frame % self.step) as f64 / self.step as f64;
        let here = self.velocities.get(at).copied().unwrap_or(DVec3::ZERO);
        let next = self.velocities.get(at + 1).copied().unwrap_or(here);
        here + (next - here) * part
    }
}

/// How surely a part of a foot stands, and its velocity along the floor.
pub(super) type Sample = (f64, DVec3);

/// The samples of one part of a foot, those counting less whose velocity changes.
fn steadied(mut samples: Vec<Sample>, step: f64) -> Vec<Sample> {
    let changes: Vec<f64> = (0..samples.len())
        .map(|k| {
            let (before, after) = (k.saturating_sub(1), (k + 1).min(samples.len() - 1));
            let time = (after - before).max(1) as f64 * step;
            (samples[after].1 - samples[before].1).length() / time / STEADY
        })
        .collect();
    for (sample, change) in samples.iter_mut().zip(changes) {
        sample.0 /= 1.0 + change * change;
    }
    samples
}

/// Samples of all parts of feet around a moment. The buffers serve many moments.
#[derive(Debug, Default)]
struct Crowd {
    /// Weights, and velocities along each axis, part by part, each by itself, so that a compiler can take several at once.
    weights: Vec<f64>,
    axes: [Vec<f64>; 3],
    /// How much each part weighs, and its samples.
    parts: Vec<(f64, Range<usize>)>,
    /// Bits of the weight, which are ordered as positive numbers are, and index.
    order: Vec<(u64, usize)>,
    /// How much each counts for the middle at hand.
    near: Vec<f64>,
}

impl Crowd {
    fn clear(&mut self) {
        self.weights.clear();
        self.axes.iter_mut().for_each(Vec::clear);
        self.parts.clear();
        self.order.clear();
    }

    /// Adds the samples of a part, without those that weigh next to nothing.
    fn add(&mut self, samples: impl Iterator<Item = Sample>) {
        let start = self.weights.len();
        for (weight, velocity) in samples.filter(|(weight, _)| *weight > SLIGHT) {
            self.weights.push(weight);
            self.axes.iter_mut().zip(velocity.to_array()).for_each(|(axis, v)| axis.push(v));
        }
        self.parts.push((self.weights[start..].iter().sum(), start..self.weights.len()));
    }

    /// Of all velocities the one with most others near to it; `None` for too little weight.
    fn mode(&mut self) -> Option<DVec3> {
        // From the heaviest part down, so that left and right make no difference.
        self.parts.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (sum, total) = self.sum(&self.weights);
        if total < LEAST {
            return None;
        }
        let mean = sum / total;
        let mut best = (self.density(mean), mean);
        // Where all agree, which is the rule, their mean is near the best already.
        if best.0 < AGREED * total {
            self.bring_heaviest_first();
            for k in 0..self.order.len().min(STARTS) {
                let velocity = self.velocity(self.order[k].1);
                let density = self.density(velocity);
                if density > best.0 {
                    best = (density, velocity);
                }
            }
            self.weigh(best.1);
        }
        let mut middle = self.mean_near();
        for _ in 1..ROUNDS {
            self.weigh(middle);
            let before = core::mem::replace(&mut middle, self.mean_near());
            if middle.distance_squared(before) < SETTLED * SETTLED {
                break;
            }
        }
        Some(middle)
    }

    /// Finds the heaviest samples, in their order.
    fn bring_heaviest_first(&mut self) {
        let weights = self.weights.iter().enumerate();
        self.order.extend(weights.map(|(k, weight)| (weight.to_bits(), k)));
        let heavier = |sample: &(u64, usize)| Reverse(*sample);
        if self.order.len() > STARTS {
            self.order.select_nth_unstable_by_key(STARTS, heavier);
            self.order.truncate(STARTS);
        }
        self.order.sort_unstable_by_key(heavier);
    }

    fn velocity(&self, k: usize) -> DVec3 {
        let [x, y, z] = &self.axes;
        DVec3::new(x[k], y[k], z[k])
    }

    /// How many velocities are near to one, by weight.
    fn density(&mut self, middle: DVec3) -> f64 {
        self.weigh(middle);
        let near = |(_, part): &(f64, Range<usize>)| sum_of(&self.near[part.clone()]);
        self.parts.iter().map(near).sum()
    }

    /// The mean of the velocities, each counting as for the middle at hand.
    fn mean_near(&self) -> DVec3 {
        let (sum, weights) = self.sum(&self.near);
        sum / weights
    }

    /// The sum of the velocities by some weights, and that of the weights.
    fn sum(&self, weights: &[f64]) -> (DVec3, f64) {
        let (mut all, mut total) = (DVec3::ZERO, 0.0);
        for (_, part) in &self.parts {
            let weights = &weights[part.clone()];
            let [x, y, z] = self.axes.each_ref().map(|axis| dot(weights, &axis[part.clone()]));
            all += DVec3::new(x, y, z);
            total += sum_of(weights);
        }
        (all, total)
    }

    /// Finds how much each sample counts for a middle.
    fn weigh(&mut self, middle: DVec3) {
        const PER_SQUARE: f64 = 1.0 / (ALIKE * ALIKE);
        let [x, y, z] = &self.axes;
        let near = |((weight, x), (y, z)): ((&f64, &f64), (&f64, &f64))| {
            let off = 1.0 + middle.distance_squared(DVec3::new(*x, *y, *z)) * PER_SQUARE;
            weight / (off * off)
        };
        self.near.clear();
        self.near.extend(self.weights.iter().zip(x).zip(y.iter().zip(z)).map(near));
    }
}

/// The sum of numbers: four sums side by side, so that none waits for another.
fn sum_of(values: &[f64]) -> f64 {
    let (fours, rest) = values.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for four in fours {
        sums.iter_mut().zip(four).for_each(|(sum, value)| *sum += value);
    }
    sums.iter().chain(rest).sum()
}

/// [`sum_of`] products.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a_fours, a_rest), (b_fours, b_rest)) = (a.as_chunks::<4>(), b.as_chunks::<4>());
    let mut sums = [0.0; 4];
    for (a, b) in a_fours.iter().zip(b_fours) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>()
}

/// Between what was found in proportion, before and after it the same.
fn filled(found: &[Option<DVec3>]) -> Vec<DVec3> {
    let mut all = Vec::with_capacity(found.len());
    let mut before: Option<(usize, DVec3)> = None;
    for (at, found) in found.iter().enumerate() {
        if let Some(velocity) = found {
            let (from, start) = before.unwrap_or((at, *velocity));
            for k in all.len()..at {
                let part = if at > from {
                    k.saturating_sub(from) as f64 / (at - from) as f64
                } else {
                    1.0
                };
                all.push(start + (*velocity - start) * part);
            }
            all.push(*velocity);
            before = Some((at, *velocity));
        }
    }
    let last = before.map_or(DVec3::ZERO, |(_, velocity)| velocity);
    all.resize(found.len(), last);
    all
}
