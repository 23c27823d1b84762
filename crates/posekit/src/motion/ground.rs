//! How fast the floor seems to slide under the feet.

use core::cmp::Reverse;

use glam::DVec3;

use super::plant::Track;

/// From one estimate to the next \[s\].
const STEP: f64 = 1.0 / 30.0;

/// Feet that stand up to this time before and after a moment say how the floor slides then \[s\]: longer than the heel of a swinging foot is low and level, shorter
/// than a stride.
const WINDOW: f64 = 0.3;

/// Those up to this time away count fully \[s\], those farther away only where there are none.
const NEAR: f64 = 0.08;

/// Rounds of the reweighting that finds the middle of velocities.
const ROUNDS: usize = 5;

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
        let mut found: Vec<Option<DVec3>> = Vec::with_capacity(n);
        let mut near = Crowd::default();
        for at in 0..n {
            near.clear();
            let first = at.saturating_sub(reach);
            let end = if at + reach < n { at + reach + 1 } else { n };
            for k in first..end {
                let off = k.abs_diff(at) as f64 * step_time / NEAR;
                let fade = 1.0 / (1.0 + off * off * off * off);
                let here = samples.iter().map(|track| (track[k].0 * fade, track[k].1));
                near.samples.extend(here.filter(|(weight, _)| *weight > SLIGHT));
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
    samples: Vec<Sample>,
    /// The samples from the heaviest down: weights, and velocities along each axis, each by itself, so that a compiler can take several at once.
    weights: Vec<f64>,
    axes: [Vec<f64>; 3],
    /// Bits of the weight, which are ordered as positive numbers are, and index.
    order: Vec<(u64, usize)>,
    /// How much each counts for the middle at hand.
    near: Vec<f64>,
}

impl Crowd {
    fn clear(&mut self) {
        self.samples.clear();
        self.weights.clear();
        self.axes.iter_mut().for_each(Vec::clear);
        self.order.clear();
    }

    /// Of all velocities the one with most others near to it; `None` for too little weight.
    fn mode(&mut self) -> Option<DVec3> {
        self.sort();
        let total: f64 = self.weights.iter().sum();
        if total < LEAST {
            return None;
        }
        let weighted = (0..self.weights.len()).map(|k| self.velocity(k) * self.weights[k]);
        let mean = weighted.sum::<DVec3>() / total;
        let mut best = (self.density(mean), mean);
        // Where all agree, which is the rule, their mean is near the best already.
        if best.0 < AGREED * total {
            for start in 0..self.weights.len().min(STARTS) {
                let velocity = self.velocity(start);
                let density = self.density(velocity);
                if density > best.0 {
                    best = (density, velocity);
                }
            }
        }
        let mut middle = best.1;
        for _ in 0..ROUNDS {
            self.weigh(middle);
            let (mut sum, mut weights) = (DVec3::ZERO, 0.0);
            let [x, y, z] = &self.axes;
            for ((weight, x), (y, z)) in self.near.iter().zip(x).zip(y.iter().zip(z)) {
                sum += DVec3::new(*x, *y, *z) * *weight;
                weights += weight;
            }
            middle = sum / weights;
        }
        Some(middle)
    }

    /// Brings the samples in an order that left and right do not change.
    fn sort(&mut self) {
        let samples = self.samples.iter().enumerate();
        self.order.extend(samples.map(|(k, sample)| (sample.0.to_bits(), k)));
        self.order.sort_unstable_by_key(|(weight, _)| Reverse(*weight));
        self.weights.extend(self.order.iter().map(|(weight, _)| f64::from_bits(*weight)));
        for (axis, values) in self.axes.iter_mut().enumerate() {
            values.extend(self.order.iter().map(|(_, k)| self.samples[*k].1[axis]));
        }
    }

    fn velocity(&self, k: usize) -> DVec3 {
        let [x, y, z] = &self.axes;
        DVec3::new(x[k], y[k], z[k])
    }

    /// How many velocities are near to one, by weight.
    fn density(&mut self, middle: DVec3) -> f64 {
        self.weigh(middle);
        self.near.iter().sum()
    }

    /// Finds how much each sample counts for a middle.
    fn weigh(&mut self, middle: DVec3) {
        let [x, y, z] = &self.axes;
        let near = |((weight, x), (y, z)): ((&f64, &f64), (&f64, &f64))| {
            let off = 1.0 + middle.distance_squared(DVec3::new(*x, *y, *z)) / (ALIKE * ALIKE);
            weight / (off * off)
        };
        self.near.clear();
        self.near.extend(self.weights.iter().zip(x).zip(y.iter().zip(z)).map(near));
    }
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
