//! The velocity of the support, and the root trajectory on which it is at rest.
//!
//! The support moves at `u(t) + k r(t)`: a slow drift `u`, and a fraction `k` of the root's velocity `r` along the floor, which is what a root trajectory of the wrong scale, or
//! legs of the wrong length, make of it. Both are fitted to the velocities of the parts in contact by reweighted least squares.

use posekit::glam::DVec3;

use super::contacts::{PartMotion, SPEED, Stance};
use crate::metrics::{LEG_LENGTH, VISIBLE_SLIDE, median};

/// In what time the drift may change \[s\]: about one step.
pub(super) const STEP: f64 = 0.4;

/// Feet slide visibly if a median contact slides by so many times what people see \[prazak11\]: at 1.5, the roll of captured feet moves two sound clips by 20 to 40 mm at some
/// frame rates.
const VISIBLY: f64 = 1.75;

/// From round to round, the scatter of the velocities \[leg lengths/s\]: at first feet that swing low are among them.
const SCATTER: [f64; 5] = [1.0, 0.5, 0.25, 0.1, 0.1];

/// Contacts that must slide alike for the support to move: a step of each foot, and one more.
const ALIKE: usize = 3;

/// In what time around \[s\].
const AROUND: f64 = 1.5;

/// Feet slide alike where the support explains this part of their slides.
const EXPLAINED: f64 = 0.5;

/// The velocity of a part in contact, along the floor \[leg lengths/s\].
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    pub(super) frame: usize,
    pub(super) velocity: DVec3,
}

/// How the support moves, along the floor \[leg lengths/s\].
#[derive(Debug, Clone)]
pub(super) struct Support {
    pub(super) velocity: Vec<DVec3>,
    /// The fraction of the root's velocity.
    k: f64,
    /// The rest.
    drift: Vec<DVec3>,
    /// How much of both is believed in each frame.
    share: Vec<f64>,
}

impl Support {
    /// A support at rest.
    pub(super) fn still(n_frames: usize) -> Self {
        let still = vec![DVec3::ZERO; n_frames];
        Self { velocity: still.clone(), k: 0.0, drift: still, share: vec![0.0; n_frames] }
    }

    /// - `root`: velocity of the root in each frame
    pub(super) fn estimate(
        samples: &[Sample],
        root: &[DVec3],
        normal: DVec3,
        (memory, frame_time): (f64, f64),
    ) -> Self {
        let root: Vec<DVec3> = root.iter().map(|v| *v - normal * v.dot(normal)).collect();
        let (mut k, mut drift) = (0.0, vec![DVec3::ZERO; root.len()]);
        for scatter in SCATTER {
            let weight = |sample: &Sample| {
                let off = sample.velocity - root[sample.frame] * k - drift[sample.frame];
                1.0 / (1.0 + off.length_squared() / (scatter * scatter))
            };
            let weights: Vec<f64> = samples.iter().map(weight).collect();
            let (mut both, mut square) = (0.0, 0.0);
            for (sample, weight) in samples.iter().zip(&weights) {
                let (v, r) = (sample.velocity - drift[sample.frame], root[sample.frame]);
                both += weight * v.dot(r);
                // A root that is as slow as parts scatter says nothing of it.
                square += weight * (r.length_squared() + SPEED * SPEED);
            }
            k = if square > 0.0 { both / square } else { 0.0 };
            let value = |s: &Sample| s.velocity - root[s.frame] * k;
            let decay = libm::exp(-frame_time / memory);
            drift = slow_mean(samples, &weights, value, root.len(), decay);
        }
        let velocity = root.iter().zip(&drift).map(|(r, u)| *r * k + *u).collect();
        Self { velocity, k, share: vec![1.0; drift.len()], drift }
    }

    /// Believes it only where feet visibly slide alike: around a contact at least [`ALIKE`] of them, by a median that people see, which the support explains.
    ///
    /// - `period`: in what time the motion repeats, which makes one contact many \[s\]
    pub(super) fn keep_visible(
        &mut self,
        parts: &[PartMotion],
        stances: &[Stance],
        (frame_time, period): (f64, f64),
    ) {
        struct Slide {
            middle: f64,
            before: f64,
            after: f64,
        }
        let visible = VISIBLY * VISIBLE_SLIDE / LEG_LENGTH;
        let slide = |stance: &Stance| {
            let (part, frames) = (&parts[stance.part], stance.frames.clone());
            let (first, last) = (frames.start, frames.end - 1);
            let moved = part.at[last] - part.at[first];
            let support: DVec3 = (first..last).map(|frame| self.velocity[frame] * frame_time).sum();
            let middle = 0.5 * (first + last) as f64 * frame_time;
            Slide { middle, before: moved.length(), after: (moved - support).length() }
        };
        let slides: Vec<Slide> = stances.iter().map(slide).collect();
        let are_alike = |near: &[&Slide]| {
            let before = median(near.iter().map(|s| s.before)).unwrap_or(0.0);
            let after = median(near.iter().map(|s| s.after)).unwrap_or(0.0);
            before > visible && after < EXPLAINED * before
        };
        let is_open = |own: &Slide| {
            let within =
                |time: f64| slides.iter().filter(move |s| (s.middle - own.middle).abs() <= time);
            let near: Vec<&Slide> = within(AROUND).collect();
            within(AROUND.min(0.5 * period)).count() >= ALIKE && are_alike(&near)
        };
        let all: Vec<&Slide> = slides.iter().collect();
        let rounds = (self.velocity.len() as f64 * frame_time / period).max(1.0);
        if all.len() as f64 >= ALIKE as f64 * rounds && are_alike(&all) {
            return;
        }
        let open: Vec<f64> = slides.iter().map(|s| f64::from(u8::from(is_open(s)))).collect();
        let mut samples = Vec::new();
        let mut values = Vec::new();
        for (stance, open) in stances.iter().zip(&open) {
            for frame in stance.frames.clone() {
                samples.push(Sample { frame, velocity: DVec3::X * *open });
                values.push(1.0);
            }
        }
        let n = self.velocity.len();
        let decay = libm::exp(-frame_time / STEP);
        let share = slow_mean(&samples, &values, |s| s.velocity, n, decay);
        self.share = share.into_iter().map(|share| share.x).collect();
        self.velocity.iter_mut().zip(&self.share).for_each(|(v, share)| *v *= *share);
    }

    /// The displacement of the root's trajectory on which the support is at rest, from the first frame.
    ///
    /// - `root`: where the root is in each frame \[leg lengths\]
    pub(super) fn path(&self, root: &[DVec3], normal: DVec3, frame_time: f64) -> Vec<DVec3> {
        let mut place = DVec3::ZERO;
        let mut path = Vec::with_capacity(root.len());
        for (frame, at) in root.iter().enumerate() {
            path.push(place);
            if let Some(next) = root.get(frame + 1) {
                let step = *next - *at;
                let along = step - normal * step.dot(normal);
                let share = 0.5 * (self.share[frame] + self.share[frame + 1]);
                let drift = 0.5 * (self.drift[frame] + self.drift[frame + 1]);
                place -= (along * self.k + drift * frame_time) * share;
            }
        }
        path
    }

    /// Whether it moves at any time.
    pub(super) fn moves(&self) -> bool {
        self.share.iter().any(|share| *share > 0.0)
    }
}

/// The weighted mean of values around each frame, by a kernel that decays on both sides by `decay` from frame to frame.
fn slow_mean(
    samples: &[Sample],
    weights: &[f64],
    value: impl Fn(&Sample) -> DVec3,
    n_frames: usize,
    decay: f64,
) -> Vec<DVec3> {
    let mut sums = vec![(DVec3::ZERO, 0.0); n_frames];
    for (sample, weight) in samples.iter().zip(weights) {
        sums[sample.frame].0 += value(sample) * *weight;
        sums[sample.frame].1 += weight;
    }
    let mut after = vec![(DVec3::ZERO, 0.0); n_frames];
    let mut sum = (DVec3::ZERO, 0.0);
    for frame in (0..n_frames).rev() {
        after[frame] = sum;
        sum = ((sum.0 + sums[frame].0) * decay, (sum.1 + sums[frame].1) * decay);
    }
    let mut sum = (DVec3::ZERO, 0.0);
    let mut means = Vec::with_capacity(n_frames);
    for (own, after) in sums.iter().zip(after) {
        sum = (sum.0 * decay + own.0, sum.1 * decay + own.1);
        let (total, weight) = (sum.0 + after.0, sum.1 + after.1);
        means.push(if weight > f64::MIN_POSITIVE { total / weight } else { DVec3::ZERO });
    }
    means
}
