//! Writes an edited clip as keys of its animation.

use core::ops::Range;
use std::collections::{BTreeMap, BTreeSet};

use posekit::glam::{DQuat, DVec3};
use posekit::skeleton::JointKind;
use posekit_motion::{Clip, TimeMap};

use super::bvh_clip::{changed, is_same};
use super::gltf_clip::{ByTarget, GltfClip, Part, by_target};
use super::scales::ScaleFactors;
use crate::error::{Error, Place, Result};
use crate::gltf::{Animation, Channel, Character, Interpolation, OtherChannel, TargetPath};

/// Writes an edited clip into its animation; returns the number of joints that differ.
///
/// - `map`: the retiming of everything that is not in the clip; `None` for no retiming
/// - `old`: the animation in the file
/// - `new`: the same, written
pub(super) fn bake(
    (source, character): (&GltfClip, &Character),
    edited: &Clip,
    map: Option<&TimeMap>,
    old: &Animation,
    new: &mut Animation,
) -> Result<usize> {
    if let Some(map) = map {
        new.channels.iter_mut().for_each(|channel| retime(channel, map));
    }
    let mut bake = Bake::new(source, edited, by_target(old))?;
    bake.factors = ScaleFactors::of(character, &by_target(new), &bake.times, source.frames.snap);
    let joints = if bake.is_aligned {
        changed(source.clip(), edited)
    } else {
        let moves = |joint: &usize| bake.is_moved(*joint);
        (0..edited.skeleton().n_joints()).filter(moves).collect()
    };
    joints.iter().try_for_each(|&joint| bake.joint(joint))?;
    if let Some(map) = map.filter(|_| !bake.is_aligned) {
        bake.sample_others(old, map);
    }
    let written = bake.changed;
    // The index of each channel; searching for each would take quadratic time.
    let places: BTreeMap<_, _> = new
        .channels
        .iter()
        .enumerate()
        .map(|(place, channel)| ((channel.node, channel.path), place))
        .collect();
    for channel in written {
        match places.get(&(channel.node, channel.path)) {
            Some(&place) => new.channels[place] = channel,
            None => new.channels.push(channel),
        }
    }
    Ok(joints.len())
}

/// Retimes the keys of a channel; its curve keeps its shape.
fn retime(channel: &mut Channel, map: &TimeMap) {
    let is_cubic = channel.interpolation == Interpolation::CubicSpline;
    retime_keys(&mut channel.times, is_cubic.then_some(&mut channel.values), map);
}

/// The same for a channel that moves no node.
pub(super) fn retime_other_channel(channel: &mut OtherChannel, map: &TimeMap) {
    retime_keys(&mut channel.times, channel.cubic.as_mut().map(|cubic| &mut cubic.values), map);
}

/// - `cubic`: the values of a cubic with their tangents
fn retime_keys(times: &mut Vec<f64>, cubic: Option<&mut Vec<f64>>, map: &TimeMap) {
    let new: Vec<f64> = times.iter().map(|&time| map.new_time(time)).collect();
    if let Some(values) = cubic {
        let width = values.len() / (3 * times.len()).max(1);
        // Tangents are per second: their change between two keys is kept.
        let slower: Vec<f64> = times
            .windows(2)
            .zip(new.windows(2))
            .map(|(old, new)| (old[1] - old[0]) / (new[1] - new[0]))
            .collect();
        for (key, values) in values.chunks_exact_mut((3 * width).max(1)).enumerate() {
            let before = key.checked_sub(1).and_then(|before| slower.get(before));
            let [before, after] = [before, slower.get(key)].map(|factor| factor.unwrap_or(&1.0));
            values[..width].iter_mut().for_each(|tangent| *tangent *= before);
            values[2 * width..].iter_mut().for_each(|tangent| *tangent *= after);
        }
    }
    *times = new;
}

/// The keys to write into an animation.
struct Bake<'b> {
    source: &'b GltfClip,
    edited: &'b Clip,
    old: ByTarget<'b>,
    /// True if the frames are those that were read.
    is_aligned: bool,
    /// The times of the frames, none after the end of the animation that was read.
    times: Vec<f64>,
    /// The scale factors at these times.
    factors: ScaleFactors,
    changed: Vec<Channel>,
}

impl<'b> Bake<'b> {
    fn new(source: &'b GltfClip, edited: &'b Clip, old: ByTarget<'b>) -> Result<Self> {
        let read = source.clip();
        let shape =
            |clip: &Clip| (clip.n_frames(), clip.frame_time().to_bits(), clip.start().to_bits());
        let is_aligned = shape(read) == shape(edited);
        let n_frames = edited.n_frames();
        if n_frames == 0 {
            let message = "an animation needs a frame; this clip has none".into();
            return Err(Error::Value { place: Place::named("clip"), message });
        }
        let mut times: Vec<f64> = (0..n_frames).map(|frame| edited.time(frame)).collect();
        if let Some(last) = times.last_mut()
            && is_aligned
            && *last > source.frames.end
        {
            *last = source.frames.end;
        }
        let (factors, changed) = (ScaleFactors::default(), Vec::new());
        Ok(Self { source, edited, old, is_aligned, times, factors, changed })
    }

    /// Writes the changes of a joint.
    fn joint(&mut self, joint: usize) -> Result<()> {
        let skeleton = self.edited.skeleton();
        let range = skeleton.value_range(joint);
        let part = &self.source.parts[joint];
        let turn = range.end - 4..range.end;
        if self.differs((part.node, TargetPath::Rotation), turn.clone()) {
            self.put(part.node, TargetPath::Rotation, turn, |_, values| {
                let motion = DQuat::from_xyzw(values[0], values[1], values[2], values[3]);
                Some(part.node_rotation(motion).to_array().to_vec())
            })?;
        }
        let place = range.start..range.start + 3;
        let moved = (part.node, TargetPath::Translation);
        if skeleton.kind(joint) == JointKind::Free && self.differs(moved, place.clone()) {
            let factors: Option<Vec<f64>> = self.factors.of_joint(joint).map(<[f64]>::to_vec);
            if !self.is_aligned && self.only_grows(joint, &place, factors.as_deref()) {
                return Ok(());
            }
            self.put(part.node, TargetPath::Translation, place, |frame, values| {
                let factor = factors.as_ref().map_or(1.0, |factors| factors[frame]);
                translation(part, values, factor)
            })?;
        }
        Ok(())
    }

    /// Whether a joint, at new frames, is where its node is at rest, so that no key is necessary: only scales move it.
    fn only_grows(&self, joint: usize, place: &Range<usize>, factors: Option<&[f64]>) -> bool {
        let part = &self.source.parts[joint];
        let Some(factors) = factors else { return false };
        let is_at_rest = |(frame, &factor): (usize, &f64)| {
            let place = translation(part, &self.edited.frame(frame)[place.clone()], factor);
            place.is_some_and(|place| part.is_at_rest(DVec3::from_slice(&place)))
        };
        !self.old.contains_key(&(part.node, TargetPath::Translation))
            && factors.iter().enumerate().all(is_at_rest)
    }

    /// True if some values of a frame differ from those that were read; at new frames, if the file moves the node, or some values differ from its rest.
    fn differs(&self, target: (usize, TargetPath), range: Range<usize>) -> bool {
        let read = self.source.clip();
        if self.is_aligned {
            return (0..read.n_frames()).any(|frame| !self.is_frame_same(frame, &range));
        }
        self.old.contains_key(&target) || !self.stays(range)
    }

    /// Whether a joint that can move does, at frames other than those read.
    fn is_moved(&self, joint: usize) -> bool {
        let range = self.edited.skeleton().value_range(joint);
        let node = self.source.parts[joint].node;
        let has = |path| self.old.contains_key(&(node, path));
        let is_told = has(TargetPath::Rotation) || has(TargetPath::Translation);
        !range.is_empty() && (is_told || !self.stays(range))
    }

    /// Whether values in all frames equal those of the first frame that was read.
    fn stays(&self, range: Range<usize>) -> bool {
        let first = &self.source.clip().frame(0)[range.clone()];
        (0..self.edited.n_frames())
            .all(|frame| is_same(first, &self.edited.frame(frame)[range.clone()]))
    }

    /// Whether the file has a single key for a target, which is then constant.
    fn has_one_key(&self, target: (usize, TargetPath)) -> bool {
        !self.is_aligned && self.old.get(&target).is_some_and(|old| old.times.len() == 1)
    }

    /// Whether values are the same in all frames.
    fn is_still(&self, range: Range<usize>) -> bool {
        let first = &self.edited.frame(0)[range.clone()];
        (1..self.edited.n_frames())
            .all(|frame| is_same(first, &self.edited.frame(frame)[range.clone()]))
    }

    fn is_frame_same(&self, frame: usize, range: &Range<usize>) -> bool {
        let read = self.source.clip();
        is_same(&read.frame(frame)[range.clone()], &self.edited.frame(frame)[range.clone()])
    }

    /// Keys at the frames; those of unchanged frames keep their bits if the channel already had keys at the frames.
    fn put(
        &mut self,
        node: usize,
        path: TargetPath,
        range: Range<usize>,
        value: impl Fn(usize, &[f64]) -> Option<Vec<f64>>,
    ) -> Result<()> {
        let old = self.old.get(&(node, path)).copied().filter(|old| self.is_on_frames(old));
        let mut times = old.map_or_else(|| self.times.clone(), |old| old.times.clone());
        if self.has_one_key((node, path)) && self.is_still(range.clone()) {
            times.truncate(1);
        }
        let mut values = Vec::with_capacity(times.len() * path.width());
        for frame in 0..times.len() {
            match old.filter(|_| self.is_frame_same(frame, &range)) {
                Some(old) => values.extend_from_slice(old.value(frame)),
                None => {
                    let own = value(frame, &self.edited.frame(frame)[range.clone()]);
                    values.extend(own.ok_or_else(|| {
                        let place = Place::named(format!("node {node}"));
                        let message = "it is under a scale of zero and cannot be moved".into();
                        Error::Value { place, message }
                    })?);
                }
            }
        }
        if path == TargetPath::Rotation {
            keep_to_one_side(&mut values);
        }
        let interpolation = Interpolation::Linear;
        self.changed.push(Channel { node, path, interpolation, times, values });
        Ok(())
    }

    /// Resamples all other channels of joints, such as scales and constant translations, at the frames: keys between frames would imply another rate and another
    /// end of the motion.
    ///
    fn sample_others(&mut self, old: &Animation, map: &TimeMap) {
        let nodes: BTreeSet<usize> = self.source.parts.iter().map(|part| part.node).collect();
        let done: BTreeSet<_> =
            self.changed.iter().map(|channel| (channel.node, channel.path)).collect();
        let is_left = |channel: &&Channel| {
            nodes.contains(&channel.node) && !done.contains(&(channel.node, channel.path))
        };
        for channel in old.channels.iter().filter(is_left) {
            let n_keys = if channel.times.len() == 1 { 1 } else { self.times.len() };
            let times = self.times[..n_keys].to_vec();
            let mut values = Vec::with_capacity(n_keys * channel.path.width());
            let mut key = 0;
            for &time in &times {
                let value = channel.sample(map.old_time(time), self.source.frames.snap, &mut key);
                values.extend_from_slice(&value[..channel.path.width()]);
            }
            let is_step = channel.interpolation == Interpolation::Step;
            let interpolation = if is_step { Interpolation::Step } else { Interpolation::Linear };
            self.changed.push(Channel { interpolation, times, values, ..*channel });
        }
    }

    /// True for keys at the frames, no more and no fewer.
    fn is_on_frames(&self, old: &Channel) -> bool {
        let snap = self.source.frames.snap;
        self.is_aligned
            && old.times.len() == self.times.len()
            && old.times.iter().zip(&self.times).all(|(key, frame)| (key - frame).abs() <= snap)
    }
}

/// - `factor`: the factor of the offset by scales above, relative to the start
fn translation(part: &Part, values: &[f64], factor: f64) -> Option<Vec<f64>> {
    let place = part.node_translation(DVec3::new(values[0], values[1], values[2]))?;
    Some((place / factor).to_array().to_vec())
}

/// Gives each quaternion the sign nearest to the previous one, except those whose bits were kept: readers that interpolate without checking the
/// sign would rotate along the longer arc.
fn keep_to_one_side(values: &mut [f64]) {
    for at in (4..values.len()).step_by(4) {
        let (before, own) = values.split_at_mut(at);
        let dot: f64 = before[at - 4..].iter().zip(&own[..4]).map(|(a, b)| a * b).sum();
        if dot < 0.0 {
            own[..4].iter_mut().for_each(|value| *value = -*value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of a cubic channel of one number between two keys, by its definition in the format.
    fn cubic(channel: &Channel, key: usize, part: f64) -> f64 {
        let span = channel.times[key + 1] - channel.times[key];
        let at = |key: usize, which: usize| channel.values[9 * key + 3 * which];
        let (t2, t3) = (part * part, part * part * part);
        (2.0 * t3 - 3.0 * t2 + 1.0) * at(key, 1)
            + span * (t3 - 2.0 * t2 + part) * at(key, 2)
            + (3.0 * t2 - 2.0 * t3) * at(key + 1, 1)
            + span * (t3 - t2) * at(key + 1, 0)
    }

    #[test]
    fn a_cubic_curve_keeps_its_shape_in_another_time() {
        let values = (0..27).map(|k| f64::from(k * k % 11)).collect();
        let old = Channel {
            node: 0,
            path: TargetPath::Scale,
            interpolation: Interpolation::CubicSpline,
            times: vec![0.0, 0.5, 2.0],
            values,
        };
        let map = TimeMap::try_new(vec![(0.0, 1.0), (0.5, 3.0), (2.0, 3.5)]).unwrap();
        let mut new = old.clone();
        retime(&mut new, &map);
        assert_eq!(new.times, [1.0, 3.0, 3.5]);
        for key in 0..2 {
            for part in [0.0, 0.25, 0.5, 0.9, 1.0] {
                let off = cubic(&new, key, part) - cubic(&old, key, part);
                assert!(off.abs() < 1e-12, "key {key}, {part}: {off}");
            }
        }
    }
}
