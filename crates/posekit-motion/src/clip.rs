//! A motion sampled at a steady rate.

use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, slerp};
use posekit::skeleton::{Frame, JointKind, Skeleton};

use crate::error::{Error, Result};

/// Frame times that make sense \[s\]: from a microsecond to a million seconds.
const FRAME_TIMES: core::ops::RangeInclusive<f64> = 1e-6..=1e6;

/// How far from a whole number a time, counted in frames, may be to mean that frame: times are products and quotients of frame times, rounded a few times.
const ON_FRAME: f64 = 1e-6;

/// How far from a frame, counted in frames, an end of a time may be and mean it: people round times, and frame times in files are rounded, so that frames drift away
/// from what a clock says.
const NEAR_FRAME: f64 = 0.02;

/// How far, as a part of itself, a time counted in frames may be off because files round their frame times: to five digits, as
/// `.033333`.
const ROUNDED: f64 = 2e-5;

/// How far, as a part of itself, a time may be off because a file keeps it in single precision, or a frame time was made of such times.
const SINGLE: f64 = 2.5e-7;

/// How far from a frame a time may be at most to be the end of a clip that is sampled, in frames.
const MOST_OFF: f64 = 0.2;

/// A clip that is sampled has at most this many values, 2 GiB of memory: a slip in a rate must not ask for all there is.
const MOST_VALUES: f64 = (1_u64 << 28) as f64;

/// A motion: a skeleton, and a configuration for every frame, at a steady rate.
///
/// Lengths are in the skeleton's unit, whatever that is; [`metres_per_unit`](Self::metres_per_unit) says what is known of it. Every frame
/// is settled, and the quaternions of a joint keep to one side from frame to frame, so that frames can be mixed.
///
/// # Example
/// ```
/// use posekit::glam::DVec3;
/// use posekit_motion::Clip;
/// use posekit::skeleton::{Joint, Skeleton};
///
/// let hip = Skeleton::try_new(vec![Joint::revolute("hip", DVec3::Z)])?;
/// let clip = Clip::try_new(hip, 0.1, vec![0.0, 1.0, 3.0])?;
/// assert_eq!((clip.n_frames(), clip.duration()), (3, 0.2));
/// let mut q = [0.0];
/// clip.sample(0.15, &mut q);
/// assert!((q[0] - 2.0).abs() < 1e-12);
/// # Ok::<(), posekit_motion::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Clip {
    skeleton: Skeleton,
    frame_time: f64,
    /// `n_values` numbers for each frame.
    values: Vec<f64>,
    start: f64,
    up: DVec3,
    metres_per_unit: Option<f64>,
}

impl Clip {
    /// A clip from its frames. Up is +y, it starts at 0 s, and its unit is not known.
    ///
    /// - `frame_time`: from frame to frame \[s\]
    /// - `values`: configurations, one behind the other, [`n_values`](Skeleton::n_values) numbers each; none is a clip without frames
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a frame time outside a microsecond to a million seconds; [`Error::Length`] for values that are no whole number of
    /// frames; what [`Skeleton::check`] says of a frame, with its number.
    pub fn try_new(skeleton: Skeleton, frame_time: f64, mut values: Vec<f64>) -> Result<Self> {
        if !FRAME_TIMES.contains(&frame_time) {
            let need = "from a microsecond to a million seconds";
            return Err(Error::OutOfRange {
                what: "frame time",
                index: 0,
                value: frame_time,
                need,
            });
        }
        let n = skeleton.n_values();
        if !values.len().is_multiple_of(n) {
            let expected = values.len().checked_div(n).unwrap_or(0) * n;
            return Err(Error::Length { what: "values of a clip", expected, found: values.len() });
        }
        for (frame, q) in values.chunks_exact_mut(n.max(1)).enumerate() {
            skeleton.check(q).map_err(|error| Error::Frame { frame, error })?;
            skeleton.settle(q);
        }
        take_one_side(&skeleton, &mut values, 0..skeleton.n_joints());
        let (start, up) = (0.0, DVec3::Y);
        Ok(Self { skeleton, frame_time, values, start, up, metres_per_unit: None })
    }

    /// The same with another direction up.
    ///
    /// # Errors
    /// [`Error::NonFinite`] or [`Error::ZeroLength`] for what is no direction.
    pub fn with_up(self, up: DVec3) -> Result<Self> {
        Ok(Self { up: up_direction(up)?, ..self })
    }

    /// The same with its first frame at another time \[s\].
    #[must_use]
    pub fn with_start(self, start: f64) -> Self {
        Self { start, ..self }
    }

    /// The same with a unit of length \[m\].
    #[must_use]
    pub fn with_metres_per_unit(self, metres_per_unit: Option<f64>) -> Self {
        Self { metres_per_unit, ..self }
    }

    /// The same skeleton, rate, up and unit with other frames.
    ///
    /// # Errors
    /// As [`try_new`](Self::try_new).
    pub fn with_values(&self, values: Vec<f64>) -> Result<Self> {
        let clip = Self::try_new(self.skeleton.clone(), self.frame_time, values)?;
        let (start, up, metres_per_unit) = (self.start, self.up, self.metres_per_unit);
        Ok(Self { start, up, metres_per_unit, ..clip })
    }

    /// The same with frames in which some joints were edited by code that keeps them settled: only quaternions of `joints` are brought to unit length
    /// and to one side, so that all else keeps its bits and costs nothing.
    pub(super) fn with_edited(&self, mut values: Vec<f64>, joints: &[usize]) -> Self {
        take_one_side(&self.skeleton, &mut values, joints.iter().copied());
        Self { skeleton: self.skeleton.clone(), values, ..*self }
    }

    /// The skeleton that moves.
    #[must_use]
    pub const fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// From frame to frame \[s\].
    #[must_use]
    pub const fn frame_time(&self) -> f64 {
        self.frame_time
    }

    /// Which way is up: of unit length, in the world.
    #[must_use]
    pub const fn up(&self) -> DVec3 {
        self.up
    }

    /// The unit of length \[m\], where it is known.
    #[must_use]
    pub const fn metres_per_unit(&self) -> Option<f64> {
        self.metres_per_unit
    }

    /// The number of frames.
    #[must_use]
    pub fn n_frames(&self) -> usize {
        self.values.len().checked_div(self.skeleton.n_values()).unwrap_or(0)
    }

    /// When the first frame is \[s\].
    #[must_use]
    pub const fn start(&self) -> f64 {
        self.start
    }

    /// From the first frame to the last \[s\]; 0 for one frame or none.
    #[must_use]
    pub fn duration(&self) -> f64 {
        self.frame_time * self.n_frames().saturating_sub(1) as f64
    }

    /// When a frame is \[s\].
    #[must_use]
    pub fn time(&self, frame: usize) -> f64 {
        self.start + self.frame_time * frame as f64
    }

    /// The frames from one time to another, both included where a frame is at them \[s\]; none where no frame is between them, or a time is NaN.
    ///
    /// A frame is at a time also where the two differ by a fiftieth of a frame, or by what single precision rounds off.
    #[must_use]
    pub fn frames(&self, from: f64, to: f64) -> core::ops::Range<usize> {
        let n = self.n_frames();
        if from.is_nan() || to.is_nan() {
            return 0..0;
        }
        let count = |time: f64| (time - self.start) / self.frame_time;
        let off =
            |time: f64| NEAR_FRAME + SINGLE * (time.abs() + self.start.abs()) / self.frame_time;
        let first = (count(from) - off(from)).ceil().clamp(0.0, n as f64);
        let end = ((count(to) + off(to)).floor() + 1.0).clamp(first, n as f64);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped to 0..=n"
        )]
        let frames = first as usize..end as usize;
        frames
    }

    /// The configuration of a frame.
    ///
    /// # Panics
    /// When there is no such frame.
    #[must_use]
    pub fn frame(&self, frame: usize) -> &[f64] {
        let n = self.skeleton.n_values();
        &self.values[frame * n..(frame + 1) * n]
    }

    /// All frames, one behind the other.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Where a frame is at a time, as [`sample`](Self::sample) has it: in the world, or as seen from a joint.
    ///
    /// - `frame`, `on`: of joints of the skeleton
    ///
    /// # Panics
    /// As a slice does, when there is no such joint.
    #[must_use]
    pub fn frame_pose(&self, frame: &Frame, on: Option<usize>, time: f64) -> Pose {
        let mut q = self.skeleton.neutral();
        self.sample(time, &mut q);
        let poses = self.skeleton.poses(&q);
        on.map_or(Pose::IDENTITY, |joint| poses[joint]).inverse() * frame.world(&poses)
    }

    /// The configuration at a time: between two frames in proportion, rotations on the shortest arc; before the first and after the last that frame.
    ///
    /// # Degenerate cases
    /// A `q` of the wrong length, a clip without frames, or a time that is NaN, leave `q` as it is.
    pub fn sample(&self, time: f64, q: &mut [f64]) {
        let n = self.n_frames();
        let place = (time - self.start) / self.frame_time;
        if n == 0 || q.len() != self.skeleton.n_values() || place.is_nan() {
            return;
        }
        let place = place.clamp(0.0, (n - 1) as f64);
        let nearest = place.round();
        // A time that means a frame gives that frame, bit for bit.
        let place = if (place - nearest).abs() <= ON_FRAME { nearest } else { place };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped to 0..n"
        )]
        let before = place.floor() as usize;
        let part = place - before as f64;
        let after = if part > 0.0 { before + 1 } else { before };
        mix(&self.skeleton, self.frame(before), self.frame(after), part, q);
    }

    /// Poses of all joints in the world, frame after frame: `n_frames` times `n_joints`.
    #[must_use]
    pub fn poses(&self) -> Vec<Pose> {
        let n = self.skeleton.n_joints();
        let mut poses = vec![Pose::IDENTITY; n * self.n_frames()];
        for (frame, poses) in poses.chunks_exact_mut(n).enumerate() {
            self.skeleton.forward_kinematics(self.frame(frame), poses);
        }
        poses
    }
}

/// A direction up, of unit length.
pub(super) fn up_direction(up: DVec3) -> Result<DVec3> {
    if !up.is_finite() {
        return Err(Error::NonFinite { what: "up", index: 0 });
    }
    // Scaled first, so that the square neither overflows nor vanishes.
    let largest = up.abs().max_element();
    if largest == 0.0 {
        return Err(Error::ZeroLength { what: "up" });
    }
    let scaled = up / largest;
    Ok(scaled / scaled.length())
}

/// How many frames there are in a time, the one at its start and one at its end included. Where the end is off a frame by no more than frame times are rounded,
/// that frame is the one at the end.
///
/// - `n_values`: numbers of a frame, which together must be at most [`MOST_VALUES`]
pub(super) fn n_frames_within(duration: f64, frame_time: f64, n_values: usize) -> Result<usize> {
    let what = "frame time";
    let fault = |need| Error::OutOfRange { what, index: 0, value: frame_time, need };
    if !FRAME_TIMES.contains(&frame_time) {
        return Err(fault("from a microsecond to a million seconds"));
    }
    let place = duration / frame_time;
    let n = (place + (ON_FRAME + ROUNDED * place).min(MOST_OFF)).floor() + 1.0;
    if n.is_nan() || n * n_values.max(1) as f64 > MOST_VALUES {
        return Err(fault("longer: it would give more than 2^28 values"));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 1 to 2^28, since no duration is negative"
    )]
    let n = n.max(1.0) as usize;
    Ok(n)
}

/// The configuration between two: numbers in proportion, rotations on the shortest arc.
///
/// Where the two are the same, so is what is between them, bit for bit.
fn mix(skeleton: &Skeleton, from: &[f64], to: &[f64], part: f64, q: &mut [f64]) {
    q.copy_from_slice(from);
    if part == 0.0 {
        return;
    }
    for (value, (&from, &to)) in q.iter_mut().zip(from.iter().zip(to)) {
        *value = from + part * (to - from);
    }
    for joint in 0..skeleton.n_joints() {
        if let Some(place) = rotation_place(skeleton, joint) {
            let (from, to) = (rotation(from, place), rotation(to, place));
            let between = if from == to { from } else { slerp(from, to, part) };
            q[place..place + 4].copy_from_slice(&between.to_array());
        }
    }
}

/// Brings the quaternions of joints to the side on which they are in the frame before, frame by frame.
fn take_one_side(skeleton: &Skeleton, values: &mut [f64], joints: impl Iterator<Item = usize>) {
    let n = skeleton.n_values();
    let places: Vec<usize> = joints.filter_map(|joint| rotation_place(skeleton, joint)).collect();
    for frame in 1..values.len().checked_div(n).unwrap_or(0) {
        let (before, now) = values[(frame - 1) * n..(frame + 1) * n].split_at_mut(n);
        for &place in &places {
            if rotation(before, place).dot(rotation(now, place)) < 0.0 {
                (-rotation(now, place)).write_to_slice(&mut now[place..place + 4]);
            }
        }
    }
}

/// Where in a configuration the quaternion of a joint stands, if it has one.
pub(super) fn rotation_place(skeleton: &Skeleton, joint: usize) -> Option<usize> {
    match skeleton.kind(joint) {
        JointKind::Ball | JointKind::Free => Some(skeleton.value_range(joint).end - 4),
        JointKind::Fixed | JointKind::Revolute { .. } | JointKind::Prismatic { .. } => None,
    }
}

pub(super) fn rotation(values: &[f64], place: usize) -> DQuat {
    DQuat::from_xyzw(values[place], values[place + 1], values[place + 2], values[place + 3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::PI;
    use posekit::math::rotation_about;
    use posekit::skeleton::Joint;

    fn figure() -> Skeleton {
        let hips = Joint::free("hips");
        let knee = Joint::revolute("knee", DVec3::X).child_of(0);
        Skeleton::try_new(vec![hips, knee]).unwrap()
    }

    fn frame(position: DVec3, turn: DQuat, knee: f64) -> Vec<f64> {
        [&position.to_array()[..], &turn.to_array(), &[knee]].concat()
    }

    #[test]
    fn quaternions_keep_to_one_side() {
        let turn = |angle| rotation_about(DVec3::Y, angle);
        let values =
            [frame(DVec3::ZERO, turn(3.0), 0.0), frame(DVec3::ZERO, -turn(3.2), 0.0)].concat();
        let clip = Clip::try_new(figure(), 0.5, values).unwrap();
        let mut q = vec![0.0; 8];
        clip.sample(0.25, &mut q);
        let found = rotation(&q, 3);
        assert!(found.dot(turn(3.1)).abs() > 1.0 - 1e-15, "{found}");
    }

    #[test]
    fn sampling_gives_frames_and_what_is_between() {
        let values = [
            frame(DVec3::ZERO, DQuat::IDENTITY, 0.1),
            frame(DVec3::X, rotation_about(DVec3::Z, PI / 2.0), 0.3),
        ]
        .concat();
        let clip = Clip::try_new(figure(), 1.0 / 30.0, values).unwrap().with_start(2.0);
        let mut q = vec![0.0; 8];
        for frame in 0..2 {
            clip.sample(clip.time(frame), &mut q);
            assert_eq!(q, clip.frame(frame));
        }
        clip.sample(-5.0, &mut q);
        assert_eq!(q, clip.frame(0));
        clip.sample(2.0 + 0.5 / 30.0, &mut q);
        assert!((q[0] - 0.5).abs() < 1e-9 && (q[7] - 0.2).abs() < 1e-9, "{q:?}");
        assert!(rotation(&q, 3).dot(rotation_about(DVec3::Z, PI / 4.0)) > 1.0 - 1e-12);
    }

    #[test]
    fn frames_of_a_time_are_those_inside() {
        let clip = Clip::try_new(figure(), 1.0 / 120.0, [0.0; 8].repeat(0)).unwrap();
        assert_eq!(clip.frames(0.0, 1.0), 0..0);
        let still = frame(DVec3::ZERO, DQuat::IDENTITY, 0.0);
        let clip = Clip::try_new(figure(), 1.0 / 120.0, still.repeat(121)).unwrap();
        assert_eq!(clip.frames(0.1, 0.2), 12..25);
        assert_eq!(clip.frames(-1.0, 0.0), 0..1);
        assert_eq!(clip.frames(1.0, 9.0), 120..121);
        assert_eq!(clip.frames(0.001, 0.002), 1..1);
        assert_eq!(clip.frames(0.1001, 0.1999), 12..25, "times that were rounded");
        assert_eq!(clip.frames(0.1003, 0.1997), 13..24);
        assert_eq!(clip.frames(f64::NAN, f64::NAN), 0..0);
        // A frame time made of the last of 1800 times, as a file in single precision has it.
        let step = f64::from(59.966_667_f32) / 1799.0;
        let rounded = Clip::try_new(figure(), step, still.repeat(1800)).unwrap();
        for frame in 0..1800_u32 {
            let (time, index) = (f64::from(frame) / 30.0, usize::try_from(frame).unwrap());
            assert_eq!(rounded.frames(0.0, time).end, index + 1, "to {time} s");
            assert_eq!(rounded.frames(time, 99.0).start, index, "from {time} s");
        }
    }

    #[test]
    fn faults_name_the_frame() {
        let mut values = frame(DVec3::ZERO, DQuat::IDENTITY, 0.0).repeat(3);
        values[8 + 7] = f64::NAN;
        let error = Clip::try_new(figure(), 0.1, values).unwrap_err();
        assert_eq!(error.to_string(), r#"frame 1: joint "knee": value is NaN or infinite"#);
        assert!(Clip::try_new(figure(), 0.0, Vec::new()).is_err());
        assert!(Clip::try_new(figure(), 0.1, vec![0.0; 7]).is_err());
    }
}
