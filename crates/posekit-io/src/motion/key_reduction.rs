//! Key reduction for the channels of a glTF: linear interpolation of the remaining keys reproduces the frames within a distance.

use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, slerp};

use super::frame_times::FrameTimes;

/// Keys between which a rotation changes by more than this are kept, because the shorter arc would be ambiguous \[cosine of half the angle\].
const FURTHEST_TURN: f64 = 0.5;

/// The number of times the bounds of channels are halved before all keys are kept.
const MOST_HALVINGS: usize = 16;

/// The number of bisections towards the largest sufficient bound.
const REFINEMENTS: usize = 3;

/// The target of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moves {
    Rotation,
    Translation,
}

/// A channel to write: a value for every frame, and the frames that become keys.
#[derive(Debug)]
pub(super) struct Track {
    pub(super) joint: usize,
    pub(super) moves: Moves,
    pub(super) values: Vec<f32>,
    pub(super) keys: Vec<usize>,
}

/// The figure at rest, as it is written.
#[derive(Debug)]
pub(super) struct Rest<'r> {
    pub(super) parents: Vec<Option<usize>>,
    pub(super) locals: &'r [Pose],
}

impl Track {
    pub(super) const fn width(&self) -> usize {
        match self.moves {
            Moves::Rotation => 4,
            Moves::Translation => 3,
        }
    }

    /// The values of the keys. Consecutive rotations have signs for interpolation along the shorter arc.
    pub(super) fn of_keys(&self) -> Vec<f32> {
        let width = self.width();
        let mut out: Vec<f32> = Vec::with_capacity(self.keys.len() * width);
        for &key in &self.keys {
            let value = &self.values[width * key..width * (key + 1)];
            let turns_back = self.moves == Moves::Rotation
                && out.len() >= width
                && out[out.len() - width..].iter().zip(value).map(|(a, b)| a * b).sum::<f32>()
                    < 0.0;
            out.extend(value.iter().map(|number| if turns_back { -number } else { *number }));
        }
        out
    }

    fn rotation(&self, frame: usize) -> DQuat {
        let at = 4 * frame;
        let [x, y, z, w] = [0, 1, 2, 3].map(|i| f64::from(self.values[at + i]));
        DQuat::from_xyzw(x, y, z, w)
    }

    fn place(&self, frame: usize) -> DVec3 {
        let at = 3 * frame;
        let [x, y, z] = [0, 1, 2].map(|i| f64::from(self.values[at + i]));
        DVec3::new(x, y, z)
    }

    /// The deviation of a frame from the linear interpolation of two others: a distance, or half an angle.
    fn miss(&self, times: &[f32], [from, to]: [usize; 2], frame: usize) -> f64 {
        let part = part(times, [from, to], frame);
        match self.moves {
            Moves::Translation => {
                self.place(from).lerp(self.place(to), part).distance(self.place(frame))
            }
            Moves::Rotation => {
                let found = slerp(self.rotation(from), self.rotation(to), part);
                (self.rotation(frame).conjugate() * found).xyz().length()
            }
        }
    }

    /// Whether all frames between two are close to the linear interpolation.
    fn fits(&self, times: &[f32], [from, to]: [usize; 2], within: f64) -> bool {
        let is_clear = self.moves == Moves::Translation
            || self.rotation(from).dot(self.rotation(to)).abs() > FURTHEST_TURN;
        is_clear && (from + 1..to).all(|frame| self.miss(times, [from, to], frame) <= within)
    }

    /// Chooses keys, each as far after the previous one as possible.
    ///
    /// - `within`: the largest deviation of a frame; a distance, or half an angle
    fn choose(&mut self, times: &[f32], within: f64) {
        let last = times.len() - 1;
        let mut keys = vec![0];
        let mut from = 0;
        while from < last {
            // Doubling, then bisection.
            let (mut good, mut bad) = (from + 1, last + 1);
            while good + 1 < bad {
                let far = if bad > last { 2 * good - from } else { usize::midpoint(good, bad) };
                let next = far.min(bad - 1);
                if self.fits(times, [from, next], within) { good = next } else { bad = next }
            }
            keys.push(good);
            from = good;
        }
        self.keys = keys;
    }
}

/// Reduces the keys of channels so that no joint deviates by more than a distance at any frame. Constant channels keep their single key.
///
/// A glTF does not store a rate: if the remaining keys do not determine the frames, one moving channel keeps all of its keys.
pub(super) fn reduce_keys(tracks: &mut [Track], rest: &Rest<'_>, times: &[f32], distance: f64) {
    let mut moving: Vec<usize> =
        (0..tracks.len()).filter(|&index| tracks[index].keys.len() > 1).collect();
    let could_tell = tell_frames(tracks, times);
    thin_some(tracks, &moving, rest, times, distance);
    let shortest = (0..moving.len()).min_by_key(|&at| tracks[moving[at]].width());
    if let Some(at) = shortest.filter(|_| could_tell && !tell_frames(tracks, times)) {
        tracks[moving.remove(at)].keys = (0..times.len()).collect();
        thin_some(tracks, &moving, rest, times, distance);
    }
}

/// Whether a reader determines the number of frames from the keys.
fn tell_frames(tracks: &[Track], times: &[f32]) -> bool {
    let of_track = |track: &Track| track.keys.iter().map(|&key| f64::from(times[key])).collect();
    let channels: Vec<Vec<f64>> = tracks.iter().map(of_track).collect();
    let channels: Vec<&[f64]> = channels.iter().map(Vec::as_slice).collect();
    FrameTimes::of(&channels, None).count() == times.len()
}

/// The same for some channels; the others are unchanged.
///
/// The bound for each channel is found by trial: deviations along a chain add up, but seldom all of them at once.
fn thin_some(tracks: &mut [Track], some: &[usize], rest: &Rest<'_>, times: &[f32], distance: f64) {
    let reaches = rest.reaches();
    let mut holds = |share: f64| {
        choose_some(tracks, some, times, &reaches, share * distance);
        rest.worst(tracks, times) <= distance
    };
    let halved = core::iter::successors(Some(1.0), |share| Some(0.5 * share));
    let Some((halvings, mut share)) =
        halved.take(MOST_HALVINGS).enumerate().find(|(_, share)| holds(*share))
    else {
        some.iter().for_each(|&index| tracks[index].keys = (0..times.len()).collect());
        return;
    };
    if halvings > 0 {
        let mut too_much = 2.0 * share;
        for _ in 0..REFINEMENTS {
            let middle = 0.5 * (share + too_much);
            if holds(middle) { share = middle } else { too_much = middle }
        }
        choose_some(tracks, some, times, &reaches, share * distance);
    }
}

/// Chooses the keys of some channels.
///
/// - `length`: the largest displacement of a joint by each
fn choose_some(tracks: &mut [Track], some: &[usize], times: &[f32], reaches: &[f64], length: f64) {
    for &index in some {
        let track = &mut tracks[index];
        // Half of a small angle, whose sine is nearly equal to it.
        let within = match track.moves {
            Moves::Translation => length,
            Moves::Rotation => 0.5 * length / reaches[track.joint],
        };
        track.choose(times, within);
    }
}

impl Rest<'_> {
    /// The reach of the descendants of each joint; at least a tenth of the figure, because a joint without children carries skin.
    fn reaches(&self) -> Vec<f64> {
        let mut reaches = vec![0.0_f64; self.locals.len()];
        for joint in (0..self.locals.len()).rev() {
            if let Some(parent) = self.parents[joint] {
                let own = reaches[joint] + self.locals[joint].translation.length();
                reaches[parent] = reaches[parent].max(own);
            }
        }
        let size = reaches.iter().copied().fold(0.0, f64::max);
        let least = if size > 0.0 { 0.1 * size } else { 1.0 };
        reaches.iter().map(|reach| reach.max(least)).collect()
    }

    /// The largest deviation of a joint from its position without key reduction.
    fn worst(&self, tracks: &[Track], times: &[f32]) -> f64 {
        let n = self.locals.len();
        let mut next = vec![1; tracks.len()];
        let mut worlds = vec![[Pose::IDENTITY; 2]; n];
        let mut worst = 0.0_f64;
        for frame in 0..times.len() {
            for (pair, local) in worlds.iter_mut().zip(self.locals) {
                *pair = [*local; 2];
            }
            for (track, next) in tracks.iter().zip(&mut next) {
                while *next + 1 < track.keys.len() && track.keys[*next] < frame {
                    *next += 1;
                }
                set(track, times, *next, frame, &mut worlds[track.joint]);
            }
            for joint in 0..n {
                if let Some(parent) = self.parents[joint] {
                    let above = worlds[parent];
                    let own = worlds[joint];
                    worlds[joint] = [above[0] * own[0], above[1] * own[1]];
                }
                let [whole, thinned] = worlds[joint];
                worst = worst.max(whole.translation.distance(thinned.translation));
            }
        }
        worst
    }
}

/// Sets the target of a channel, from all keys and from those that are kept.
fn set(track: &Track, times: &[f32], next: usize, frame: usize, pair: &mut [Pose; 2]) {
    let [whole, thinned] = pair;
    let is_still = track.keys.len() == 1;
    let ends = if is_still { [0, 0] } else { [track.keys[next - 1], track.keys[next]] };
    let part = if is_still { 0.0 } else { part(times, ends, frame) };
    match track.moves {
        Moves::Translation => {
            let frame = if is_still { 0 } else { frame };
            whole.translation = track.place(frame);
            thinned.translation = track.place(ends[0]).lerp(track.place(ends[1]), part);
        }
        Moves::Rotation => {
            let frame = if is_still { 0 } else { frame };
            whole.rotation = track.rotation(frame);
            thinned.rotation = slerp(track.rotation(ends[0]), track.rotation(ends[1]), part);
        }
    }
}

/// The interpolation parameter of a frame between two others, by their times.
fn part(times: &[f32], [from, to]: [usize; 2], frame: usize) -> f64 {
    let [from, to, at] = [from, to, frame].map(|frame| f64::from(times[frame]));
    if to > from { (at - from) / (to - from) } else { 0.0 }
}
