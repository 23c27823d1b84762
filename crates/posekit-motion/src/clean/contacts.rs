//! When which part of which foot is in contact: a hidden Markov model for each part, whose parameters are estimated together with its states.
//!
//! The states of a part are *contact* and *free*; those of a foot are the pairs: swing (neither), heel, toe, flat (both). In contact, the height `h` over the
//! part's resting height, the velocity `v` along the floor relative to the support, and the vertical speed `w` have Student's t-distributions about zero;
//! free, they are spread out evenly. Contact is the more likely by
//!
//! ```text
//! e = C − (ν+1)/2 ln(1 + h²/νσh²) − (ν+2)/2 ln(1 + v²/νσv²) − (ν+1)/2 ln(1 + w²/νσw²)
//! ```
//!
//! The evidence of a frame counts for as long as it lasts, so that the frame rate does not matter, and each change of state costs [`SWITCH`], which stands for the usual durations. The most
//! likely states are found by Viterbi's algorithm; from them the floor, the resting heights and the velocity of the support are estimated again (hard
//! expectation maximisation).

use core::ops::Range;

use posekit::glam::DVec3;

use super::support::{STEP, Sample, Support};
use crate::floor::{FloorChoice, level_axes};
use crate::metrics::{median, median_place};
use crate::plant::{CLEAN, Part, runs};
use crate::smooth::{Smoother, tremble};

/// Degrees of freedom of the emissions: tails as heavy as a mean and a variance allow.
const NU: f64 = 3.0;

/// Scatter of the height of a part in contact \[leg lengths\]: 17 mm for a leg of 0.85 m; what a foot rolls and floors bend.
const HEIGHT: f64 = 0.02;

/// Scatter of the speed along the floor \[leg lengths/s\].
pub(super) const SPEED: f64 = 0.12;

/// Scatter of the vertical speed \[leg lengths/s\].
const RISE: f64 = 0.08;

/// A foot that rolls moves its joints at this part of the root's speed, which counts where it is more than [`SPEED`] or [`RISE`].
const ROLLS: f64 = 0.06;

/// Scatter of a part in contact about its place \[leg lengths\].
const PLACE: f64 = 0.006;

/// What it costs at most that a part is far from its resting height while its foot is the lowest, in nats: nobody hovers, so that it stands on a step or on rough ground. About
/// what it says that a height is known.
const UNEVEN: f64 = 2.3;

/// Evidence for contact of a part that is exactly at rest, against one that is free, in nats.
const REST: f64 = 4.0;

/// What each change of state costs, in nats times seconds: a contact at rest must last 0.05 s to pay for both of its changes.
const SWITCH: f64 = 0.1;

/// Nobody steps in less \[s\]: a part that goes from one place to another in this shuffles or pivots, and to hold it at both would shake the figure.
const STEPPING: f64 = 0.1;

/// Half the window in which velocities are fitted \[s\].
const HALF_WINDOW: f64 = 0.06;

/// Rounds of estimation.
const ROUNDS: usize = 6;

/// In each round, how many times [`SPEED`] speeds scatter: at first the support's velocity is hardly known.
const ANNEALED: [f64; ROUNDS] = [4.0, 4.0, 3.0, 2.0, 1.4, 1.0];

/// In what time the velocity of the support of an in-place walk may change \[s\]: what the root does not show of a walk's speed changes within a step.
const WITHIN_STEP: f64 = 0.02;

/// A tilt of the floor is believed as far as feet were apart by more than this \[leg lengths\].
const BASE: f64 = 0.08;

/// The tangent of the steepest floor.
const STEEPEST: f64 = 0.5;

/// A part of a foot, frame after frame; lengths in leg lengths.
#[derive(Debug)]
pub(super) struct PartMotion {
    pub(super) leg: usize,
    pub(super) part: Part,
    pub(super) at: Vec<DVec3>,
    pub(super) velocity: Vec<DVec3>,
    /// Scatter of places from frame to frame, and what it makes of velocities.
    noise: [f64; 2],
}

impl PartMotion {
    pub(super) fn new(leg: usize, part: Part, at: Vec<DVec3>, frame_time: f64) -> Self {
        let velocity = velocities(&at, frame_time);
        let place = tremble(&at);
        let gain = Smoother::new(HALF_WINDOW, frame_time, at.len()).slope_gain();
        Self { leg, part, at, velocity, noise: [place, place * gain] }
    }
}

/// Root of the sum of both squares.
fn with(scatter: f64, noise: f64) -> f64 {
    (scatter * scatter + noise * noise).sqrt()
}

/// Velocities of a path, by local parabolas.
pub(super) fn velocities(at: &[DVec3], frame_time: f64) -> Vec<DVec3> {
    let smoother = Smoother::new(HALF_WINDOW, frame_time, at.len());
    (0..at.len()).map(|frame| smoother.slope(at, frame)).collect()
}

/// A time in which a part of a foot is in contact.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stance {
    /// Which of the parts.
    pub(super) part: usize,
    pub(super) frames: Range<usize>,
    /// The same, and before and after it the frames in which the part rolls: it is coming down or being lifted, and does not slide.
    pub(super) rolls: Range<usize>,
}

/// What is known of the ground.
#[derive(Debug, Clone)]
pub(super) struct Ground {
    pub(super) normal: DVec3,
    /// Of each part the height along the normal at which it stands.
    pub(super) rests: Vec<f64>,
}

impl Ground {
    /// To begin with each part stands where it is lowest while it keeps its height.
    fn new(parts: &[PartMotion], normal: DVec3) -> Self {
        let of_part = |part: &PartMotion| {
            let keeps = |frame: &usize| part.velocity[*frame].dot(normal).abs() < 4.0 * RISE;
            let mut frames: Vec<usize> = (0..part.at.len()).filter(keeps).collect();
            if frames.is_empty() {
                frames = (0..part.at.len()).collect();
            }
            lowest(frames.iter().map(|f| part.at[*f].dot(normal)).collect())
        };
        Self { normal, rests: parts.iter().map(of_part).collect() }
    }

    /// The plane and resting heights that fit parts in contact.
    fn fit(&mut self, parts: &[PartMotion], states: &[Vec<bool>], choice: FloorChoice, up: DVec3) {
        if choice == FloorChoice::Fit {
            let (first, second) = level_axes(up);
            let of_part = |(part, states): (&PartMotion, &Vec<bool>)| {
                let frames = (0..part.at.len()).filter(|frame| states[*frame]);
                let sample = |frame: usize| {
                    let at = part.at[frame];
                    let (s, t) = (at.dot(first), at.dot(second));
                    crate::floor::Sample { s, t, height: at.dot(up) }
                };
                frames.map(sample).collect()
            };
            let groups: Vec<Vec<_>> = parts.iter().zip(states).map(of_part).collect();
            if let Some((s, t)) = crate::floor::fit(&groups, BASE)
                && s * s + t * t < STEEPEST * STEEPEST
            {
                let normal = up - first * s - second * t;
                self.normal = normal / normal.length();
            }
        }
        for ((part, states), rest) in parts.iter().zip(states).zip(&mut self.rests) {
            let frames = (0..part.at.len()).filter(|frame| states[*frame]);
            *rest = median(frames.map(|f| part.at[f].dot(self.normal))).unwrap_or(*rest);
        }
    }
}

/// Contacts, with what was estimated with them.
#[derive(Debug)]
pub(super) struct Contacts {
    pub(super) ground: Ground,
    /// As far as it is believed.
    pub(super) support: Support,
    pub(super) supposed: Support,
    pub(super) stances: Vec<Stance>,
}

/// Finds the contacts of a motion without jumps.
///
/// - `root`: velocity of the root in each frame \[leg lengths/s\]
/// - `in_place`: the support moves as in an in-place walk, whatever people see
/// - `shortest`: shorter contacts are none \[s\]
/// - `period`: in what time the motion repeats; infinite if it does not \[s\]
pub(super) fn find(
    parts: &[PartMotion],
    root: &[DVec3],
    (choice, up): (FloorChoice, DVec3),
    in_place: bool,
    (frame_time, shortest, period): (f64, f64, f64),
) -> Contacts {
    let normal = match choice {
        FloorChoice::Given(floor) => floor.normal,
        _ => up,
    };
    let motion = Motion { parts, root, choice, up, in_place, frame_time };
    let (states, ground, supposed) = motion.estimate(Ground::new(parts, normal));
    let stances = stances_of(&states, frame_time, shortest);
    let mut support = supposed.clone();
    if !in_place {
        support.keep_visible(parts, &stances, (frame_time, period));
    }
    Contacts { ground, support, supposed, stances }
}

/// What the model is fitted to.
struct Motion<'a> {
    parts: &'a [PartMotion],
    root: &'a [DVec3],
    choice: FloorChoice,
    up: DVec3,
    in_place: bool,
    frame_time: f64,
}

impl Motion<'_> {
    /// States, ground and support by turns.
    fn estimate(&self, mut ground: Ground) -> (Vec<Vec<bool>>, Ground, Support) {
        let mut support = Support::still(self.root.len());
        let mut states = Vec::new();
        for round in 0..ROUNDS {
            let speed = (round > 0).then(|| SPEED * ANNEALED[round]);
            states.clear();
            let lowest = self.lowest(&ground);
            for (part, rest) in self.parts.iter().zip(&ground.rests) {
                let ground = (*rest, ground.normal, lowest.as_slice());
                let evidence = self.evidence(part, ground, (&support, speed));
                states.push(most_likely(&evidence, SWITCH));
            }
            ground.fit(self.parts, &states, self.choice, self.up);
            let samples = samples(self.parts, &states, ground.normal);
            let memory = if self.in_place { WITHIN_STEP } else { STEP };
            support =
                Support::estimate(&samples, self.root, ground.normal, (memory, self.frame_time));
        }
        (states, ground, support)
    }

    /// Which leg's foot is the lowest in each frame, each above its resting height.
    fn lowest(&self, ground: &Ground) -> Vec<usize> {
        let of_frame = |frame: usize| {
            let heights = self.parts.iter().zip(&ground.rests);
            let heights =
                heights.map(|(part, rest)| (part.at[frame].dot(ground.normal) - rest, part.leg));
            heights.min_by(|a, b| a.0.total_cmp(&b.0)).map_or(0, |lowest| lowest.1)
        };
        (0..self.root.len()).map(of_frame).collect()
    }

    /// The evidence for contact in each frame.
    fn evidence(
        &self,
        part: &PartMotion,
        (rest, normal, lowest): (f64, DVec3, &[usize]),
        (support, speed): (&Support, Option<f64>),
    ) -> Vec<f64> {
        let evidence = |frame: usize| {
            let velocity = part.velocity[frame];
            let rise = velocity.dot(normal);
            let travel = self.root[frame].length();
            let rolls = ROLLS * travel;
            let mut e = REST - tail(rise / with(RISE.max(rolls), part.noise[1]), 1.0);
            if self.choice != FloorChoice::PerPlant {
                let height = part.at[frame].dot(normal) - rest;
                let off = tail(height / with(HEIGHT, part.noise[0]), 1.0);
                e -= if lowest[frame] == part.leg { off.min(UNEVEN) } else { off };
            }
            if let Some(speed) = speed {
                let along = velocity - normal * rise - support.velocity[frame];
                e -= tail(along.length() / with(speed.max(rolls), part.noise[1]), 2.0);
            }
            e * self.frame_time
        };
        (0..part.at.len()).map(evidence).collect()
    }
}

/// The middle of the lowest tenth of some heights and what is little above it; 0 of none.
fn lowest(mut heights: Vec<f64>) -> f64 {
    heights.sort_by(f64::total_cmp);
    let Some(bottom) = heights.get(heights.len() / 10) else { return 0.0 };
    let highest = bottom + 2.0 * HEIGHT;
    heights[heights.partition_point(|height| *height <= highest) / 2]
}

/// The parts of contacts that are at one place each: within one, a frame is in contact the less likely the farther it is from the median of all of them, by the same
/// model; what is left out is looked at again by itself.
///
/// - `at`: where a part is in a frame, on the support
/// - `root`: as for [`find`]
/// - `firm`: at both ends of a contact, where a part is farther above or below than this \[leg lengths\], it is coming down or being lifted, and free
pub(super) fn at_one_place(
    (parts, stances): (&[PartMotion], &[Stance]),
    at: impl Fn(usize, usize) -> DVec3,
    root: &[DVec3],
    (normal, firm): (DVec3, f64),
    frame_time: f64,
    shortest: f64,
) -> Vec<Stance> {
    let mut rest: Vec<Stance> = stances.to_vec();
    let mut made = Vec::new();
    while let Some(Stance { part, frames, .. }) = rest.pop() {
        if let Some(still) = at_rest(&parts[part].at, &frames, root) {
            let place = parts[part].at[still.start];
            let is_other = |frames: &Range<usize>| {
                frames.clone().any(|frame| parts[part].at[frame].distance(place) > 3.0 * PLACE)
            };
            let beside = [frames.start..still.start, still.end..frames.end].into_iter();
            let beside = beside.filter(is_other);
            rest.extend(beside.map(|frames| Stance { part, rolls: frames.clone(), frames }));
            made.push(Stance { part, rolls: still.clone(), frames: still });
            continue;
        }
        let n = frames.len();
        let place = median_place(frames.clone().map(|frame| at(part, frame)));
        let evidence = |frame: usize| {
            let off = at(part, frame).distance(place);
            (REST - tail(off / with(PLACE, parts[part].noise[0]), 3.0)) * frame_time
        };
        let evidence: Vec<f64> = frames.clone().map(evidence).collect();
        let states = most_likely(&evidence, SWITCH);
        for (is_contact, states) in
            [(true, states.clone()), (false, states.iter().map(|state| !state).collect())]
        {
            for run in stances_of(&[states], frame_time, shortest) {
                let frames = frames.start + run.frames.start..frames.start + run.frames.end;
                let run = Stance { part, rolls: frames.clone(), frames };
                if is_contact {
                    let firm = with(firm, 2.0 * parts[part].noise[0]);
                    let is_firm =
                        |frame: &usize| (at(part, *frame) - place).dot(normal).abs() <= firm;
                    let from = run.frames.clone().find(is_firm).unwrap_or(run.frames.end);
                    let to = run.frames.clone().rev().find(is_firm).map_or(from, |last| last + 1);
                    if (to - from) as f64 * frame_time >= shortest {
                        made.push(Stance { part, frames: from..to, rolls: run.frames });
                    }
                } else if run.frames.len() < n {
                    rest.push(run);
                }
            }
        }
    }
    made
}

/// The frames in which a part stands exactly while the root goes on, if these are most of a contact: so it was made to stand, and around them it rolls.
fn at_rest(at: &[DVec3], frames: &Range<usize>, root: &[DVec3]) -> Option<Range<usize>> {
    let place = median_place(frames.clone().map(|frame| at[frame]));
    let is_there: Vec<bool> =
        frames.clone().map(|f| at[f].distance(place) < CLEAN && root[f] != DVec3::ZERO).collect();
    let longest = runs(&is_there).into_iter().max_by_key(ExactSizeIterator::len)?;
    (2 * longest.len() > frames.len())
        .then(|| frames.start + longest.start..frames.start + longest.end)
}

/// The contacts without those to which a part goes from another within [`STEPPING`]: the longer of both counts.
pub(super) fn without_shuffles(stances: &[Stance], frame_time: f64) -> Vec<Stance> {
    let gives_way = |own: &Stance| {
        stances.iter().any(|other| {
            let (from, to) = match other.frames.start < own.frames.start {
                true => (other.frames.end, own.frames.start),
                false => (own.frames.end, other.frames.start),
            };
            let (n, n_other) = (own.frames.len(), other.frames.len());
            other.part == own.part
                && other.frames != own.frames
                && to.saturating_sub(from) as f64 * frame_time < STEPPING
                && (n, own.frames.start) < (n_other, other.frames.start)
        })
    };
    stances.iter().filter(|own| !gives_way(own)).cloned().collect()
}

/// Minus the logarithm of Student's t-distribution in so many dimensions, without what does not depend on the sample.
fn tail(z: f64, dimensions: f64) -> f64 {
    0.5 * (NU + dimensions) * libm::log1p(z * z / NU)
}

/// The velocities along the floor that show how the support moves.
fn samples(parts: &[PartMotion], states: &[Vec<bool>], normal: DVec3) -> Vec<Sample> {
    let mut samples = Vec::new();
    for (part, states_of_part) in parts.iter().zip(states) {
        let frames = (0..part.at.len()).filter(|frame| states_of_part[*frame]);
        samples.extend(frames.map(|frame| {
            let velocity = part.velocity[frame];
            Sample { frame, velocity: velocity - normal * velocity.dot(normal) }
        }));
    }
    samples
}

/// The runs of contact that are long enough.
fn stances_of(states: &[Vec<bool>], frame_time: f64, shortest: f64) -> Vec<Stance> {
    let mut stances = Vec::new();
    for (part, states) in states.iter().enumerate() {
        let mut from = None;
        for frame in 0..=states.len() {
            let is_contact = states.get(frame).copied().unwrap_or(false);
            match (from, is_contact) {
                (None, true) => from = Some(frame),
                (Some(start), false) => {
                    if (frame - start) as f64 * frame_time >= shortest {
                        stances.push(Stance { part, frames: start..frame, rolls: start..frame });
                    }
                    from = None;
                }
                _ => {}
            }
        }
    }
    stances
}

/// The states of a chain with two states that are most likely together: the evidence of all frames in contact, less the cost of each change, is largest.
fn most_likely(evidence: &[f64], switch: f64) -> Vec<bool> {
    let (mut free, mut contact) = (0.0, 0.0);
    // Whether each of both states was the other one in the frame before.
    let mut changed = vec![[false; 2]; evidence.len()];
    for (e, changed) in evidence.iter().zip(&mut changed) {
        *changed = [contact - switch > free, free - switch > contact];
        (free, contact) = (
            if changed[0] { contact - switch } else { free },
            if changed[1] { free - switch } else { contact } + e,
        );
    }
    let mut state = contact > free;
    let mut states = vec![false; evidence.len()];
    for frame in (0..evidence.len()).rev() {
        states[frame] = state;
        state ^= changed[frame][usize::from(state)];
    }
    states
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_likely_states_are_those_of_an_exhaustive_search() {
        let mut seed = 9_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        for n in 1..=11 {
            for switch in [0.1, 0.7, 2.0] {
                let evidence: Vec<f64> = (0..n).map(|_| 2.0 * random()).collect();
                let score = |states: &dyn Fn(usize) -> bool| {
                    let in_contact = (0..n).filter(|frame| states(*frame));
                    let changes = (1..n).filter(|frame| states(*frame) != states(frame - 1));
                    in_contact.map(|frame| evidence[frame]).sum::<f64>()
                        - switch * changes.count() as f64
                };
                let best = (0..1_u32 << n)
                    .map(|bits| score(&|frame| bits >> frame & 1 == 1))
                    .fold(f64::NEG_INFINITY, f64::max);
                let found = most_likely(&evidence, switch);
                assert!((score(&|frame| found[frame]) - best).abs() < 1e-12, "{evidence:?}");
            }
        }
    }

    #[test]
    fn a_part_rests_where_half_of_its_low_heights_are_lower() {
        let mut seed = 3_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        for n in [1, 2, 5, 9, 10, 11, 19, 20, 100, 401] {
            for spread in [0.0, 1.0, 5.0, 50.0] {
                let heights: Vec<f64> =
                    (0..n).map(|_| spread * HEIGHT * (random() - 0.4)).collect();
                let below = |than: f64| heights.iter().filter(|h| **h < than).count();
                let is_bottom = |h: &&f64| below(**h) <= n / 10;
                let bottom = heights.iter().filter(is_bottom).copied().fold(f64::MIN, f64::max);
                let n_low = heights.iter().filter(|h| **h <= bottom + 2.0 * HEIGHT).count();
                let found = lowest(heights.clone());
                assert!(heights.contains(&found), "{n}, {spread}");
                let is_middle = spread == 0.0 || below(found) == n_low / 2;
                assert!(is_middle, "{n}, {spread}: {} of {n_low}", below(found));
            }
        }
        assert_eq!(lowest(vec![f64::NAN; 3]).to_bits(), f64::NAN.to_bits());
        assert_eq!(lowest(Vec::new()), 0.0);
    }

    #[test]
    fn states_do_not_depend_on_the_frame_rate() {
        let evidence = |rate: usize| -> Vec<f64> {
            let of_frame = |frame: usize| {
                let time = frame as f64 / rate as f64;
                let e = if (0.5..1.0).contains(&time) { 3.0 } else { -2.0 };
                e / rate as f64
            };
            (0..2 * rate).map(of_frame).collect()
        };
        for rate in [30, 60, 120] {
            let states = most_likely(&evidence(rate), SWITCH);
            let expected = |frame: usize| (rate / 2..rate).contains(&frame);
            assert!((0..2 * rate).all(|frame| states[frame] == expected(frame)), "{rate} Hz");
        }
    }
}
