//! An edited clip as keys of its animation.

use core::ops::Range;
use std::collections::{BTreeMap, BTreeSet};

use posekit::glam::{DQuat, DVec3};
use posekit::skeleton::JointKind;
use posekit_motion::{Clip, TimeMap};

use super::capture::{changed, is_same};
use super::cast::{ByTarget, Cast, Part, by_target};
use super::growth::Growth;
use crate::error::{Error, Place, Result};
use crate::gltf::{Animation, Aside, Channel, Character, Interpolation, TargetPath};

/// Writes an edited clip into the animation that it was made of; returns how many joints differ.
///
/// - `map`: in which time what is not of the clip goes along; `None` for the time it has
/// - `old`: the animation as the file has it
/// - `new`: the same, written
pub(super) fn bake(
    (cast, character): (&Cast, &Character),
    edited: &Clip,
    map: Option<&TimeMap>,
    old: &Animation,
    new: &mut Animation,
) -> Result<usize> {
    if let Some(map) = map {
        new.channels.iter_mut().for_each(|channel| retime(channel, map));
    }
    let mut bake = Bake::new(cast, edited, by_target(old))?;
    bake.growth = Growth::of(character, &by_target(new), &bake.times, cast.pace.snap);
    let joints = if bake.is_aligned {
        changed(cast.clip(), edited)
    } else {
        let moves = |joint: &usize| bake.is_moved(*joint);
        (0..edited.skeleton().n_joints()).filter(moves).collect()
    };
    joints.iter().try_for_each(|&joint| bake.joint(joint))?;
    if let Some(map) = map.filter(|_| !bake.is_aligned) {
        bake.sample_others(old, map);
    }
    let written = bake.changed;
    // Where each channel stands; looking for each would take the square of their number.
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

/// Brings the keys of a channel into another time; its curve keeps its shape.
fn retime(channel: &mut Channel, map: &TimeMap) {
    let is_cubic = channel.interpolation == Interpolation::CubicSpline;
    retime_keys(&mut channel.times, is_cubic.then_some(&mut channel.values), map);
}

/// The same for a channel that moves no node.
pub(super) fn retime_aside(aside: &mut Aside, map: &TimeMap) {
    retime_keys(&mut aside.times, aside.cubic.as_mut().map(|cubic| &mut cubic.values), map);
}

/// - `cubic`: of a cubic its values with their tangents
fn retime_keys(times: &mut Vec<f64>, cubic: Option<&mut Vec<f64>>, map: &TimeMap) {
    let new: Vec<f64> = times.iter().map(|&time| map.new_time(time)).collect();
    if let Some(values) = cubic {
        let width = values.len() / (3 * times.len()).max(1);
        // Tangents are by the second: what they come to from one key to the next stays.
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

/// Keys on their way into an animation.
struct Bake<'b> {
    cast: &'b Cast,
    edited: &'b Clip,
    old: ByTarget<'b>,
    /// True where the frames are those that were read.
    is_aligned: bool,
    /// When the frames are; none behind the end of what was read.
    times: Vec<f64>,
    /// How large things are at these times.
    growth: Growth,
    changed: Vec<Channel>,
}

impl<'b> Bake<'b> {
    fn new(cast: &'b Cast, edited: &'b Clip, old: ByTarget<'b>) -> Result<Self> {
        let read = cast.clip();
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
            && *last > cast.pace.end
        {
            *last = cast.pace.end;
        }
        let (growth, changed) = (Growth::default(), Vec::new());
        Ok(Self { cast, edited, old, is_aligned, times, growth, changed })
    }

    /// Writes what changed of a joint.
    fn joint(&mut self, joint: usize) -> Result<()> {
        let skeleton = self.edited.skeleton();
        let range = skeleton.value_range(joint);
        let part = &self.cast.parts[joint];
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
            let factors: Option<Vec<f64>> = self.growth.of_joint(joint).map(<[f64]>::to_vec);
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

    /// Whether a joint is at other frames where its node is at rest, so that no key is needed: scales alone move it.
    fn only_grows(&self, joint: usize, place: &Range<usize>, factors: Option<&[f64]>) -> bool {
        let part = &self.cast.parts[joint];
        let Some(factors) = factors else { return false };
        let is_at_rest = |(frame, &factor): (usize, &f64)| {
            let place = translation(part, &self.edited.frame(frame)[place.clone()], factor);
            place.is_some_and(|place| part.is_at_rest(DVec3::from_slice(&place)))
        };
        !self.old.contains_key(&(part.node, TargetPath::Translation))
            && factors.iter().enumerate().all(is_at_rest)
    }

    /// True where some of a frame's values are not those that were read; at other frames where the file moves the same, or some are not those it is at.
    fn differs(&self, target: (usize, TargetPath), range: Range<usize>) -> bool {
        let read = self.cast.clip();
        if self.is_aligned {
            return (0..read.n_frames()).any(|frame| !self.is_frame_same(frame, &range));
        }
        self.old.contains_key(&target) || !self.stays(range)
    }

    /// Whether a joint that can move does, at other frames than were read.
    fn is_moved(&self, joint: usize) -> bool {
        let range = self.edited.skeleton().value_range(joint);
        let node = self.cast.parts[joint].node;
        let has = |path| self.old.contains_key(&(node, path));
        let is_told = has(TargetPath::Rotation) || has(TargetPath::Translation);
        !range.is_empty() && (is_told || !self.stays(range))
    }

    /// Whether values are in all frames what they were in the first that was read.
    fn stays(&self, range: Range<usize>) -> bool {
        let first = &self.cast.clip().frame(0)[range.clone()];
        (0..self.edited.n_frames())
            .all(|frame| is_same(first, &self.edited.frame(frame)[range.clone()]))
    }

    /// Whether the file has one key of a target, which then says that it stays.
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
        let read = self.cast.clip();
        is_same(&read.frame(frame)[range.clone()], &self.edited.frame(frame)[range.clone()])
    }

    /// Keys at the frames; those of frames that did not change keep their bits where the channel had keys at the frames before.
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
                        let message = "it stands under a scale of zero and cannot be moved".into();
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

    /// Brings all else that joints have, such as scales and places that stay, to the frames: keys that are at no frame would say another rate and another
    /// end than the motion has.
    ///
    fn sample_others(&mut self, old: &Animation, map: &TimeMap) {
        let nodes: BTreeSet<usize> = self.cast.parts.iter().map(|part| part.node).collect();
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
                let value = channel.sample(map.old_time(time), self.cast.pace.snap, &mut key);
                values.extend_from_slice(&value[..channel.path.width()]);
            }
            let is_step = channel.interpolation == Interpolation::Step;
            let interpolation = if is_step { Interpolation::Step } else { Interpolation::Linear };
            self.changed.push(Channel { interpolation, times, values, ..*channel });
        }
    }

    /// True for keys at the frames, no more and no fewer.
    fn is_on_frames(&self, old: &Channel) -> bool {
        let snap = self.cast.pace.snap;
        self.is_aligned
            && old.times.len() == self.times.len()
            && old.times.iter().zip(&self.times).all(|(key, frame)| (key - frame).abs() <= snap)
    }
}

/// - `factor`: by how much scales above make the offset larger than it is at first
fn translation(part: &Part, values: &[f64], factor: f64) -> Option<Vec<f64>> {
    let place = part.node_translation(DVec3::new(values[0], values[1], values[2]))?;
    Some((place / factor).to_array().to_vec())
}

/// Turns the sign of each quaternion to the side of the one before it, save of those whose bits were kept: readers that mix numbers without a look at the
/// sign would turn the long way.
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
