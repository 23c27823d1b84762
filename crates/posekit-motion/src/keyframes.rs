//! A motion as keys: curves for every joint.

use posekit::glam::{DQuat, DVec3};
use posekit::skeleton::{JointKind, Skeleton};

use super::clip::{self, Clip, rotation, rotation_place};
use super::curve::{Animated, Curve, Interpolation};
use crate::error::Result;

/// The curves of one joint; those that its kind has no use for are empty.
///
/// A curve without keys leaves the joint at its neutral values.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Track {
    /// The value of a hinge \[rad\] or of a sliding joint, in the skeleton's unit.
    pub value: Curve<f64>,
    /// The translation of a free joint, in the skeleton's unit.
    pub translation: Curve<DVec3>,
    /// The rotation of a ball or a free joint.
    pub rotation: Curve<DQuat>,
}

/// How far a fitted curve may be from what it is fitted to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// Of rotations and hinges \[rad\]. Default 1e-3, which moves a hand at arm's length by less than a millimetre.
    pub angle: f64,
    /// Of translations and sliding joints, in the skeleton's unit. Default 1e-3.
    pub length: f64,
}

impl Default for Tolerance {
    fn default() -> Self {
        Self { angle: 1e-3, length: 1e-3 }
    }
}

/// A motion as keys: a skeleton, and curves for every joint.
///
/// # Example
/// ```
/// use posekit::glam::DVec3;
/// use posekit_motion::{Interpolation, Key, Keyframes};
/// use posekit::skeleton::{Joint, Skeleton};
///
/// let door = Skeleton::try_new(vec![Joint::revolute("door", DVec3::Y)])?;
/// let mut motion = Keyframes::new(door);
/// motion.track_mut(0).unwrap().value.set(Key::new(0.0, 0.0, Interpolation::Cubic))?;
/// motion.track_mut(0).unwrap().value.set(Key::new(1.0, 1.5, Interpolation::Cubic))?;
/// let clip = motion.sample(0.25)?;
/// assert_eq!((clip.n_frames(), clip.frame(2)), (5, &[0.75][..]));
/// # Ok::<(), posekit_motion::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Keyframes {
    skeleton: Skeleton,
    tracks: Vec<Track>,
    up: DVec3,
    metres_per_unit: Option<f64>,
}

impl Keyframes {
    /// A motion without keys; +y is up, and the unit of length not known.
    #[must_use]
    pub fn new(skeleton: Skeleton) -> Self {
        let tracks = vec![Track::default(); skeleton.n_joints()];
        Self { skeleton, tracks, up: DVec3::Y, metres_per_unit: None }
    }

    /// A clip's frames as keys, with straight or cubic curves between them.
    ///
    /// # Errors
    /// None for frames of a clip; those of [`Curve::through`].
    pub fn through(clip: &Clip, interpolation: Interpolation) -> Result<Self> {
        let (start, step) = (clip.start(), clip.frame_time());
        let numbers = |values: &[f64], _| Curve::through(start, step, values, interpolation);
        let points = |values: &[DVec3]| Curve::through(start, step, values, interpolation);
        let turns = |values: &[DQuat]| Curve::through(start, step, values, interpolation);
        Self::made(clip, numbers, points, turns)
    }

    /// Few keys for a clip: cubic curves without corners that are at no frame further from the clip than the tolerance, joint by joint, each in its
    /// own frame. It is checked at every frame.
    ///
    /// # Errors
    /// [`Error::OutOfRange`](crate::Error::OutOfRange) for a tolerance that is negative or NaN.
    pub fn fit(clip: &Clip, tolerance: &Tolerance) -> Result<Self> {
        let (start, step) = (clip.start(), clip.frame_time());
        let numbers = |values: &[f64], is_angle| {
            let within = if is_angle { tolerance.angle } else { tolerance.length };
            Curve::fitted(start, step, values, within)
        };
        let points = |values: &[DVec3]| Curve::fitted(start, step, values, tolerance.length);
        let turns = |values: &[DQuat]| Curve::fitted(start, step, values, tolerance.angle);
        Self::made(clip, numbers, points, turns)
    }

    fn made(
        clip: &Clip,
        numbers: impl Fn(&[f64], bool) -> Result<Curve<f64>>,
        points: impl Fn(&[DVec3]) -> Result<Curve<DVec3>>,
        turns: impl Fn(&[DQuat]) -> Result<Curve<DQuat>>,
    ) -> Result<Self> {
        let skeleton = clip.skeleton();
        let mut motion = Self::new(skeleton.clone());
        (motion.up, motion.metres_per_unit) = (clip.up(), clip.metres_per_unit());
        for joint in 0..skeleton.n_joints() {
            let place = skeleton.value_range(joint).start;
            let track = &mut motion.tracks[joint];
            let kind = skeleton.kind(joint);
            if has_value(kind) {
                let values: Vec<f64> = samples(clip, |q| q[place]);
                track.value = numbers(&values, matches!(kind, JointKind::Revolute { .. }))?;
            }
            if kind == JointKind::Free {
                track.translation = points(&samples(clip, |q| point(q, place)))?;
            }
            if let Some(place) = rotation_place(skeleton, joint) {
                track.rotation = turns(&samples(clip, |q| rotation(q, place)))?;
            }
        }
        Ok(motion)
    }

    /// The same with another direction up, and another unit of length \[m\]: [`Clip::up`] and [`Clip::metres_per_unit`] of what is sampled.
    ///
    /// # Errors
    /// As [`Clip::with_up`].
    pub fn with_world(self, up: DVec3, metres_per_unit: Option<f64>) -> Result<Self> {
        let up = clip::up_direction(up)?;
        Ok(Self { up, metres_per_unit, ..self })
    }

    /// The skeleton that moves.
    #[must_use]
    pub const fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// The curves of all joints.
    #[must_use]
    pub fn tracks(&self) -> &[Track] {
        &self.tracks
    }

    /// The curves of a joint, to be changed; `None` where there is no such joint.
    pub fn track_mut(&mut self, joint: usize) -> Option<&mut Track> {
        self.tracks.get_mut(joint)
    }

    /// The times of the first key of all and the last \[s\]; `None` without keys.
    #[must_use]
    pub fn span(&self) -> Option<(f64, f64)> {
        let spans =
            |track: &Track| [track.value.span(), track.translation.span(), track.rotation.span()];
        let all = self.tracks.iter().flat_map(spans).flatten();
        all.reduce(|(from, to), (first, last)| (from.min(first), to.max(last)))
    }

    /// The number of keys of all curves.
    #[must_use]
    pub fn n_keys(&self) -> usize {
        let count = |track: &Track| {
            track.value.keys().len() + track.translation.keys().len() + track.rotation.keys().len()
        };
        self.tracks.iter().map(count).sum()
    }

    /// The configuration at a time. What has no keys is neutral.
    ///
    /// # Degenerate cases
    /// A `q` of the wrong length stays as it is.
    pub fn configuration(&self, time: f64, q: &mut [f64]) {
        if q.len() != self.skeleton.n_values() {
            return;
        }
        q.copy_from_slice(&self.skeleton.neutral());
        self.fill(time, q);
    }

    /// Writes what has keys into a configuration.
    fn fill(&self, time: f64, q: &mut [f64]) {
        for (joint, track) in self.tracks.iter().enumerate() {
            let range = self.skeleton.value_range(joint);
            if has_value(self.skeleton.kind(joint)) {
                if let Some(value) = track.value.value(time) {
                    q[range.start] = value;
                }
                continue;
            }
            if let Some(point) = track.translation.value(time).filter(|_| range.len() == 7) {
                q[range.start..range.start + 3].copy_from_slice(&point.to_array());
            }
            let place = rotation_place(&self.skeleton, joint);
            if let Some((place, rotation)) = place.zip(track.rotation.value(time)) {
                q[place..place + 4].copy_from_slice(&rotation.to_array());
            }
        }
        self.skeleton.settle(q);
    }

    /// Frames at a steady rate, from the first key on: the last frame is the last that is not after the last key.
    ///
    /// - `frame_time`: from frame to frame \[s\]
    ///
    /// # Degenerate cases
    /// Without keys, a clip without frames.
    /// # Errors
    /// [`Error::OutOfRange`](crate::Error::OutOfRange) for a frame time outside a microsecond to a million seconds, or one that gives more than 2²⁸ values; what
    /// [`Skeleton::check`] says of a configuration.
    pub fn sample(&self, frame_time: f64) -> Result<Clip> {
        let (from, to) = self.span().unwrap_or((0.0, 0.0));
        let n = self.skeleton.n_values();
        let n_frames = match self.span() {
            Some(_) => clip::n_frames_within(to - from, frame_time, n)?,
            None => 0,
        };
        let neutral = self.skeleton.neutral();
        let mut values = neutral.repeat(n_frames);
        for (frame, q) in values.chunks_exact_mut(n.max(1)).enumerate() {
            self.fill(from + frame_time * frame as f64, q);
        }
        let clip = Clip::try_new(self.skeleton.clone(), frame_time, values)?.with_up(self.up)?;
        Ok(clip.with_start(from).with_metres_per_unit(self.metres_per_unit))
    }
}

/// One thing of every frame.
fn samples<V: Animated>(clip: &Clip, of: impl Fn(&[f64]) -> V) -> Vec<V> {
    (0..clip.n_frames()).map(|frame| of(clip.frame(frame))).collect()
}

fn point(q: &[f64], place: usize) -> DVec3 {
    DVec3::new(q[place], q[place + 1], q[place + 2])
}

const fn has_value(kind: JointKind) -> bool {
    matches!(kind, JointKind::Revolute { .. } | JointKind::Prismatic { .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Key;
    use posekit::math::{sin, so3_exp};
    use posekit::skeleton::Joint;

    /// A root, a fixed joint, a ball, a hinge and a slide that all move smoothly.
    fn waves(n_frames: u32) -> Clip {
        let joints = vec![
            Joint::free("root"),
            Joint::fixed("socket").child_of(0),
            Joint::ball("ball").child_of(1),
            Joint::revolute("hinge", DVec3::Z).child_of(2),
            Joint::prismatic("slide", DVec3::X).child_of(3),
        ];
        let skeleton = Skeleton::try_new(joints).unwrap();
        let frame = |frame: u32| {
            let t = f64::from(frame) / 30.0;
            let turn = |a: f64| so3_exp(DVec3::new(sin(a * t), t, sin(t) * a)).to_array();
            let root = [sin(t), sin(2.0 * t), t];
            [&root[..], &turn(1.0), &turn(2.0), &[sin(3.0 * t), 2.0 * sin(t)]].concat()
        };
        let values = (0..n_frames).flat_map(frame).collect();
        let clip = Clip::try_new(skeleton, 1.0 / 30.0, values).unwrap().with_start(1.0);
        clip.with_metres_per_unit(Some(0.01)).with_up(DVec3::Z).unwrap()
    }

    #[test]
    fn a_clip_through_keys_is_the_clip() {
        let clip = waves(40);
        for kind in [Interpolation::Step, Interpolation::Linear, Interpolation::Cubic] {
            let motion = Keyframes::through(&clip, kind).unwrap();
            assert_eq!(motion.n_keys(), 40 * 5);
            assert_eq!(motion.sample(clip.frame_time()).unwrap(), clip, "{kind:?}");
        }
    }

    #[test]
    fn a_fit_holds_its_bound_at_every_frame_with_fewer_keys() {
        let clip = waves(300);
        let tolerance = Tolerance { angle: 2e-3, length: 5e-4 };
        let motion = Keyframes::fit(&clip, &tolerance).unwrap();
        assert!(motion.n_keys() * 4 < 300 * 5, "{} keys", motion.n_keys());
        let found = motion.sample(clip.frame_time()).unwrap();
        let mut change = vec![0.0; clip.skeleton().n_dofs()];
        for frame in 0..clip.n_frames() {
            clip.skeleton().difference(clip.frame(frame), found.frame(frame), &mut change);
            let part = |range: core::ops::Range<usize>| {
                change[range].iter().map(|d| d * d).sum::<f64>().sqrt()
            };
            let bounds = [tolerance.length, tolerance.angle].map(|bound| bound + 1e-12);
            assert!(part(0..3) <= bounds[0] && part(3..6) <= bounds[1], "root, frame {frame}");
            assert!(part(6..9) <= bounds[1] && part(9..10) <= bounds[1], "frame {frame}");
            assert!(part(10..11) <= bounds[0], "slide, frame {frame}");
        }
    }

    #[test]
    fn what_has_no_keys_is_neutral() {
        let mut motion = Keyframes::new(waves(1).skeleton().clone());
        assert_eq!((motion.span(), motion.n_keys()), (None, 0));
        assert_eq!(motion.sample(0.1).unwrap().n_frames(), 0);
        let key = Key::new(2.0, 0.5, Interpolation::Step);
        motion.track_mut(3).unwrap().value.set(key).unwrap();
        assert!(motion.track_mut(5).is_none());
        let clip = motion.sample(0.1).unwrap();
        let mut expected = motion.skeleton().neutral();
        expected[11] = 0.5;
        assert_eq!((clip.n_frames(), clip.start(), clip.frame(0)), (1, 2.0, &expected[..]));
        let mut q = [1.0; 3];
        motion.configuration(0.0, &mut q);
        assert_eq!(q, [1.0; 3], "the wrong length");
    }
}
