//! Scales that change during a motion.
//!
//! A node is placed at its offset times the scales of all ancestors. If these change uniformly, along all axes alike, the offset
//! is the initial one times a factor for each frame, independent of rotations; so a joint below translates on its parent, and its edits
//! can be written back. A scale that changes differently along its axes would shear rotated joints below it, by an amount that depends
//! on every rotation: it is not applied, and bones keep their initial lengths.

use posekit::glam::DVec3;

use super::gltf_clip::{ByTarget, first_scale};
use crate::gltf::{Channel, Character, TargetPath};

/// Scales with a smaller relative difference are equal.
const SAME_SCALE: f64 = 1e-3;

/// A figure whose scale is less than this fraction of the largest is hidden, as in many files; the largest is used.
pub(super) const HIDDEN: f64 = 1e-3;

/// The factors of each joint's offset on its parent relative to the start, at some times.
#[derive(Debug, Default)]
pub(super) struct ScaleFactors {
    factors: Vec<Vec<f64>>,
    /// The index of each joint's list; `None` if no scale above it changes.
    of_joint: Vec<Option<usize>>,
}

impl ScaleFactors {
    /// - `times`: the times of the factors \[s\], ascending
    /// - `snap`: the tolerance for a key at a time \[s\]
    pub(super) fn of(
        character: &Character,
        channels: &ByTarget<'_>,
        times: &[f64],
        snap: f64,
    ) -> Self {
        let skeleton = character.skeleton();
        let mut all = Self::default();
        // The list for the children of each joint.
        let mut below: Vec<Option<usize>> = Vec::with_capacity(skeleton.n_joints());
        for joint in 0..skeleton.n_joints() {
            let above = skeleton.parent(joint).and_then(|parent| below[parent]);
            all.of_joint.push(above);
            let own = channels
                .get(&(character.node(joint), TargetPath::Scale))
                .filter(|channel| !skeleton.children(joint).is_empty() && changes(channel))
                .and_then(|channel| factors(channel, times, snap));
            below.push(match (above, own) {
                (above, None) => above,
                (None, Some(own)) => Some(all.add(own)),
                (Some(above), Some(own)) => {
                    let both = all.factors[above].iter().zip(own).map(|(a, b)| a * b).collect();
                    Some(all.add(both))
                }
            });
        }
        all
    }

    fn add(&mut self, factors: Vec<f64>) -> usize {
        self.factors.push(factors);
        self.factors.len() - 1
    }

    /// The factors of a joint, one for each time.
    pub(super) fn of_joint(&self, joint: usize) -> Option<&[f64]> {
        self.of_joint.get(joint).copied().flatten().map(|list| self.factors[list].as_slice())
    }
}

/// The changes of a scale as factors of the first; `None` if it is constant, or changes differently along its axes.
fn factors(channel: &Channel, times: &[f64], snap: f64) -> Option<Vec<f64>> {
    let first = first_scale(channel)?;
    let mut key = 0;
    let at = |&time: &f64| {
        let [x, y, z, _] = channel.sample(time, snap, &mut key);
        DVec3::new(x, y, z)
    };
    let scales: Vec<DVec3> = times.iter().map(at).collect();
    let size = |scale: &DVec3| scale.abs().max_element();
    let largest = scales.iter().copied().reduce(|a, b| if size(&b) > size(&a) { b } else { a })?;
    let factor = |scale: &DVec3| {
        let shown = if size(scale) < HIDDEN * size(&largest) { largest } else { *scale };
        let along = shown / first;
        let is_even = (along.max_element() - along.min_element()).abs() <= SAME_SCALE * along.x;
        (along.is_finite() && along.x > 0.0 && is_even).then_some(along.x)
    };
    let factors: Vec<f64> = scales.iter().map(factor).collect::<Option<_>>()?;
    factors.iter().any(|factor| (factor - 1.0).abs() > SAME_SCALE).then_some(factors)
}

/// Whether a scale changes, by its keys.
fn changes(channel: &Channel) -> bool {
    let first = DVec3::from_slice(channel.value(0));
    let differs = |key: usize| {
        let off = (DVec3::from_slice(channel.value(key)) - first).abs().max_element();
        off > SAME_SCALE * first.abs().max_element()
    };
    (0..channel.times.len()).any(differs)
}

/// Whether a scale changes and is applied, by its keys.
pub(super) fn grows(channel: &Channel) -> bool {
    changes(channel) && factors(channel, &channel.times, 0.0).is_some()
}

/// Whether a scale changes and is not applied, by its keys.
pub(super) fn shears(channel: &Channel) -> bool {
    changes(channel) && shows_change(channel) && factors(channel, &channel.times, 0.0).is_none()
}

/// Whether a scale changes while it is not hidden.
fn shows_change(channel: &Channel) -> bool {
    let at = |key: usize| DVec3::from_slice(channel.value(key));
    let keys = || (0..channel.times.len()).map(at);
    let size = |scale: DVec3| scale.abs().max_element();
    let largest = keys().map(size).fold(0.0, f64::max);
    let mut shown = keys().filter(|scale| size(*scale) >= HIDDEN * largest);
    let Some(first) = shown.next() else { return false };
    shown.any(|scale| (scale - first).abs().max_element() > SAME_SCALE * size(first))
}
