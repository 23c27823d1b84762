//! How fast the floor seems to slide under the feet.

use glam::DVec3;

use super::plant::Track;

/// From one estimate to the next \[s\].
const STEP: f64 = 1.0 / 30.0;

/// Feet that stand up to this time before and after a moment say how the floor slides then \[s\]: longer than the heel of a swinging foot is low and level, shorter
/// than a stride.
const WINDOW: f64 = 0.25;

/// Rounds of the reweighting that finds the middle of velocities.
const ROUNDS: usize = 8;

/// Velocities nearer than this to the middle count alike \[leg lengths/s\].
const ALIKE: f64 = 0.1;

/// Less than this weight of standing feet in a window says nothing; a foot that stands in one step weighs 1.
const LEAST: f64 = 0.05;

/// The velocity of the floor under the feet at steps in time \[leg lengths/s\]: zero in a sound clip, something else where the whole figure slides, be it by a path that was
/// scaled, a drift, or a walk on the spot.
#[derive(Debug)]
pub(super) struct Ground {
    /// Frames from one velocity to the next.
    step: usize,
    velocities: Vec<DVec3>,
}

impl Ground {
    /// The weighted geometric median of the velocities of all parts of feet, those that are low and keep their height counting most.
    pub(super) fn new(tracks: &[Track<'_>], n_frames: usize, frame_time: f64) -> Self {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let step = (STEP / frame_time).round().clamp(1.0, 1e6) as usize;
        let n = n_frames.div_ceil(step);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let reach = (WINDOW / (frame_time * step as f64)).clamp(1.0, 1e6) as usize;
        let samples: Vec<Vec<(f64, DVec3)>> =
            tracks.iter().map(|track| track.standing(step)).collect();
        let mut found: Vec<Option<DVec3>> = Vec::with_capacity(n);
        let mut near = Vec::new();
        for at in 0..n {
            near.clear();
            let first = at.saturating_sub(reach);
            let end = if at + reach < n { at + reach + 1 } else { n };
            for k in first..end {
                let off = k.abs_diff(at) as f64 / (reach + 1) as f64;
                let fade = 1.0 - off * off;
                let here = samples.iter().map(|track| (track[k].0 * fade, track[k].1));
                near.extend(here.filter(|(weight, _)| *weight > 0.0));
            }
            found.push(median(&mut near, ALIKE));
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

/// The weighted geometric median, by reweighted means; `None` for too little weight.
fn median(samples: &mut [(f64, DVec3)], alike: f64) -> Option<DVec3> {
    // In an order that left and right do not change.
    samples.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = samples.iter().map(|sample| sample.0).sum();
    if total < LEAST {
        return None;
    }
    let mut middle = samples.iter().map(|(weight, v)| *v * *weight).sum::<DVec3>() / total;
    for _ in 0..ROUNDS {
        let (mut sum, mut weights) = (DVec3::ZERO, 0.0);
        for (weight, velocity) in samples.iter() {
            let weight = weight / (velocity.distance(middle) + alike);
            sum += *velocity * weight;
            weights += weight;
        }
        middle = sum / weights;
    }
    Some(middle)
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
