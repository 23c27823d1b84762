//! Changes on top of a motion.

use posekit::glam::DQuat;
use posekit::skeleton::Skeleton;

use super::clip::{Clip, rotation, rotation_place};
use super::curve::{Animated, Curve, Interpolation, Key};
use crate::error::{Error, Result};

/// Poses set at a few times on top of a clip, blended in between: the clip keeps its detail and goes through the poses.
///
/// What is kept of a pose is how it differs from the clip: how far each rotation is turned on, in its joint's own frame, and what is added to each other
/// value. Between poses these differences follow smooth curves, straight lines, or stay until the next pose; before the first they come up from nothing, and after the
/// last they fade. Where the layer does nothing the clip stays as it is, bit for bit.
///
/// # Example: a knee that bends more for a moment
/// ```
/// use posekit::glam::DVec3;
/// use posekit_motion::{Clip, Layer};
/// use posekit::skeleton::{Joint, Skeleton};
///
/// let knee = Skeleton::try_new(vec![Joint::revolute("knee", DVec3::X)])?;
/// let clip = Clip::try_new(knee, 0.1, vec![0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6])?;
/// let mut layer = Layer::new(0.2);
/// layer.set(&clip, 0.3, &[1.3])?;
/// let bent = layer.apply(&clip)?;
/// assert_eq!(bent.frame(3), [1.3]);
/// assert!((bent.frame(2)[0] - 0.7).abs() < 1e-12);
/// assert_eq!((bent.frame(1), bent.frame(6)), (clip.frame(1), clip.frame(6)));
/// # Ok::<(), posekit_motion::Error>(())
/// ```
/// # Method
/// Motion displacement mapping \[bruderlin95\], with the curves of [`Curve`].
#[derive(Debug, Clone, PartialEq)]
pub struct Layer {
    ease: f64,
    /// In the order of their times.
    keys: Vec<PoseKey>,
}

#[derive(Debug, Clone, PartialEq)]
struct PoseKey {
    time: f64,
    /// What is added to the values of a configuration; rotations are what they are turned on by.
    change: Vec<f64>,
    /// How the changes go on to the next key.
    interpolation: Interpolation,
}

impl Layer {
    /// A layer that changes nothing yet.
    ///
    /// - `ease`: how long it takes to come up before the first pose and to fade after the last \[s\]. With 0, or what is no time, the clip is changed at
    ///   the poses and between them alone.
    #[must_use]
    pub fn new(ease: f64) -> Self {
        Self { ease: if ease.is_finite() && ease > 0.0 { ease } else { 0.0 }, keys: Vec::new() }
    }

    /// When the poses are \[s\], in order.
    pub fn times(&self) -> impl ExactSizeIterator<Item = f64> + '_ {
        self.keys.iter().map(|key| key.time)
    }

    /// Sets the pose at a time, in place of one that is there.
    ///
    /// - `q`: the whole configuration; joints that are as in the clip are held there
    ///
    /// # Errors
    /// [`Error::NonFinite`] for the time; what [`Skeleton::check`] says of `q`; [`Error::Length`] where the layer has poses of another skeleton, and for a clip
    /// without frames.
    pub fn set(&mut self, clip: &Clip, time: f64, q: &[f64]) -> Result<()> {
        let skeleton = clip.skeleton();
        if !time.is_finite() {
            return Err(Error::NonFinite { what: "time of a pose", index: 0 });
        }
        self.check(clip)?;
        skeleton.check(q)?;
        let mut wanted = q.to_vec();
        skeleton.settle(&mut wanted);
        let mut change = skeleton.neutral();
        clip.sample(time, &mut change);
        for place in rotation_places(skeleton) {
            let (from, to) = (rotation(&change, place), rotation(&wanted, place));
            // What is the same is the same to the last bit.
            let turn = if from == to { DQuat::IDENTITY } else { from.inverse() * to };
            wanted[place..place + 4].copy_from_slice(&turn.to_array());
            change[place..place + 4].fill(0.0);
        }
        change.iter_mut().zip(&wanted).for_each(|(value, wanted)| *value = wanted - *value);
        let interpolation = Interpolation::default();
        match self.keys.binary_search_by(|key| key.time.total_cmp(&time)) {
            Ok(index) => self.keys[index].change = change,
            Err(index) => self.keys.insert(index, PoseKey { time, change, interpolation }),
        }
        Ok(())
    }

    /// How the changes go on from the pose at a time to the next pose: on smooth curves, unless this says otherwise. False where there is no pose.
    pub fn set_interpolation(&mut self, time: f64, interpolation: Interpolation) -> bool {
        let found = self.keys.iter_mut().find(|key| key.time == time);
        found.map(|key| key.interpolation = interpolation).is_some()
    }

    /// Takes the pose at a time away; false where there is none.
    pub fn remove(&mut self, time: f64) -> bool {
        let found = self.keys.iter().position(|key| key.time == time);
        found.map(|index| self.keys.remove(index)).is_some()
    }

    /// Moves a pose to another time, past others too.
    ///
    /// # Errors
    /// [`Error::OutOfRange`] where there is no pose, or another one is at the new time; [`Error::NonFinite`] for the new time.
    pub fn move_key(&mut self, from: f64, to: f64) -> Result<()> {
        let refused = |value, need| Error::OutOfRange { what: "poses", index: 0, value, need };
        if !to.is_finite() {
            return Err(Error::NonFinite { what: "time of a pose", index: 0 });
        }
        let found = self.keys.iter().position(|key| key.time == from);
        let index = found.ok_or(refused(from, "the time of a pose"))?;
        if from != to && self.times().any(|time| time == to) {
            return Err(refused(to, "a time without a pose"));
        }
        self.keys[index].time = to;
        self.keys.sort_by(|a, b| a.time.total_cmp(&b.time));
        Ok(())
    }

    /// The clip with the poses.
    ///
    /// # Errors
    /// [`Error::Length`] for a clip of another skeleton.
    pub fn apply(&self, clip: &Clip) -> Result<Clip> {
        let (Some(first), Some(last)) = (self.keys.first(), self.keys.last()) else {
            return Ok(clip.clone());
        };
        self.check(clip)?;
        let n = clip.skeleton().n_values();
        let frames = clip.frames(first.time - self.ease, last.time + self.ease);
        let mut values = clip.values().to_vec();
        let mut is_number = vec![true; n];
        for place in rotation_places(clip.skeleton()) {
            is_number[place..place + 4].fill(false);
            let Some(curve) = self.curve(|change| rotation(change, place), DQuat::IDENTITY)? else {
                continue;
            };
            for frame in frames.clone() {
                let turn = curve.value(clip.time(frame)).unwrap_or_default();
                let values = &mut values[frame * n + place..][..4];
                values.copy_from_slice(&(rotation(values, 0) * turn).to_array());
            }
        }
        for place in (0..n).filter(|&place| is_number[place]) {
            let Some(curve) = self.curve(|change| change[place], 0.0)? else { continue };
            for frame in frames.clone() {
                values[frame * n + place] += curve.value(clip.time(frame)).unwrap_or_default();
            }
        }
        clip.with_values(values)
    }

    /// One of the changes over time, from nothing to nothing; `None` where it is nothing at all poses.
    fn curve<V: Animated + PartialEq>(
        &self,
        part: impl Fn(&[f64]) -> V,
        nothing: V,
    ) -> Result<Option<Curve<V>>> {
        if self.keys.iter().all(|key| part(&key.change) == nothing) {
            return Ok(None);
        }
        let key = |key: &PoseKey| Key::new(key.time, part(&key.change), key.interpolation);
        let mut keys: Vec<Key<V>> = self.keys.iter().map(key).collect();
        if let Some(last) = keys.last_mut() {
            last.interpolation = Interpolation::Cubic;
        }
        let mut curve = Curve::try_new(keys)?;
        if let Some((first, last)) = curve.span().filter(|_| self.ease > 0.0) {
            let rest = |time| Key::new(time, nothing, Interpolation::Cubic);
            curve.set(rest(first - self.ease))?;
            let end = curve.set(rest(last + self.ease))?;
            // The ends stay at rest, so that the clip is left without a corner.
            (1..end).for_each(|index| curve.smooth_key(index));
        } else {
            curve.smooth();
        }
        Ok(Some(curve))
    }

    fn check(&self, clip: &Clip) -> Result<()> {
        let expected = self.keys.first().map_or(clip.skeleton().n_values(), |key| key.change.len());
        let found = if clip.n_frames() == 0 { 0 } else { clip.skeleton().n_values() };
        let what = "configuration of the clip";
        if found == expected { Ok(()) } else { Err(Error::Length { what, expected, found }) }
    }
}

fn rotation_places(skeleton: &Skeleton) -> impl Iterator<Item = usize> + '_ {
    (0..skeleton.n_joints()).filter_map(|joint| rotation_place(skeleton, joint))
}

#[cfg(test)]
mod tests {
    use super::*;
    use posekit::glam::DVec3;
    use posekit::math::rotation_about;
    use posekit::skeleton::Joint;

    fn walk() -> Clip {
        let hips = Joint::free("hips");
        let knee = Joint::ball("knee").child_of(0);
        let figure = Skeleton::try_new(vec![hips, knee]).unwrap();
        let frame = |k: usize| {
            let (turn, bend) = (rotation_about(DVec3::Y, 0.1 * k as f64), 0.05 * (k % 7) as f64);
            let knee = rotation_about(DVec3::X, bend);
            [&[0.1 * k as f64, 1.0, 0.0][..], &turn.to_array(), &knee.to_array()].concat()
        };
        Clip::try_new(figure, 0.05, (0..40).flat_map(frame).collect()).unwrap()
    }

    #[test]
    fn poses_are_met_and_the_rest_stays_bit_for_bit() {
        let clip = walk();
        let mut layer = Layer::new(0.3);
        let mut wanted = Vec::new();
        for frame in [12, 20] {
            let mut q = clip.frame(frame).to_vec();
            q[1] -= 0.2;
            let knee = rotation(&q, 7) * rotation_about(DVec3::Z, 0.4);
            q[7..11].copy_from_slice(&knee.to_array());
            layer.set(&clip, clip.time(frame), &q).unwrap();
            wanted.push((frame, q));
        }
        let edited = layer.apply(&clip).unwrap();
        for (frame, q) in wanted {
            let found = edited.frame(frame);
            let apart = found.iter().zip(&q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-12, "frame {frame}: {apart}");
        }
        for frame in (0..=6).chain(26..40) {
            assert_eq!(edited.frame(frame), clip.frame(frame), "frame {frame}");
        }
        // What no pose changes stays too.
        (0..40).for_each(|frame| assert_eq!(edited.frame(frame)[0], clip.frame(frame)[0]));
    }

    #[test]
    fn poses_move_and_go() {
        let clip = walk();
        let mut layer = Layer::new(0.0);
        let mut q = clip.frame(4).to_vec();
        q[1] = 3.0;
        layer.set(&clip, 0.2, &q).unwrap();
        layer.set(&clip, 1.0, clip.frame(20)).unwrap();
        layer.move_key(0.2, 1.5).unwrap();
        assert_eq!(layer.times().collect::<Vec<_>>(), [1.0, 1.5]);
        assert!((layer.apply(&clip).unwrap().frame(30)[1] - 3.0).abs() < 1e-12);
        assert!(layer.move_key(1.5, 1.0).is_err());
        assert!(layer.move_key(0.7, 0.8).is_err());
        assert!(layer.remove(1.5));
        assert!(!layer.remove(1.5));
        assert_eq!(layer.apply(&clip).unwrap(), clip);
    }

    #[test]
    fn changes_follow_their_interpolation() {
        let clip = walk();
        let mut layer = Layer::new(0.3);
        for (time, up) in [(0.5, 1.0), (1.0, 2.0)] {
            let mut q = vec![0.0; clip.skeleton().n_values()];
            clip.sample(time, &mut q);
            q[1] += up;
            layer.set(&clip, time, &q).unwrap();
        }
        let up = |layer: &Layer, frame: usize| layer.apply(&clip).unwrap().frame(frame)[1] - 1.0;
        assert!((up(&layer, 12) - 1.2).abs() > 1e-3, "a cubic is not linear");
        let smooth = up(&layer, 24);
        assert!(layer.set_interpolation(0.5, Interpolation::Linear));
        assert!((up(&layer, 12) - 1.2).abs() < 1e-9);
        assert!(layer.set_interpolation(0.5, Interpolation::Step));
        assert!((up(&layer, 19) - 1.0).abs() < 1e-9 && (up(&layer, 20) - 2.0).abs() < 1e-9);
        assert!(
            layer.set_interpolation(1.0, Interpolation::Step),
            "the last one fades all the same"
        );
        assert!((up(&layer, 24) - smooth).abs() < 0.3 && up(&layer, 26).abs() < 1e-12);
        assert!(!layer.set_interpolation(0.7, Interpolation::Step));
    }

    #[test]
    fn faults_are_refused() {
        let (clip, mut layer) = (walk(), Layer::new(f64::NAN));
        assert!(layer.set(&clip, f64::NAN, clip.frame(0)).is_err());
        assert!(layer.set(&clip, 0.0, &[0.0]).is_err());
        let empty = clip.with_values(Vec::new()).unwrap();
        assert!(layer.set(&empty, 0.0, clip.frame(0)).is_err());
        layer.set(&clip, 0.0, clip.frame(1)).unwrap();
        assert!(layer.apply(&empty).is_err());
    }
}
