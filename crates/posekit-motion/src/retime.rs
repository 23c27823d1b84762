//! The same motion at another rate, or in another time.

use std::sync::Arc;

use super::clip::{Clip, n_frames_within};
use super::contact::{Contact, Support};
use crate::error::{Error, Result};

/// Which time becomes which: straight between pairs of times, and at the first and last pace outside them.
///
/// # Example: the second half at double speed
/// ```
/// use posekit_motion::TimeMap;
///
/// let map = TimeMap::try_new(vec![(0.0, 0.0), (2.0, 2.0), (4.0, 3.0)])?;
/// assert_eq!((map.new_time(3.0), map.old_time(2.5)), (2.5, 3.0));
/// assert_eq!(map.new_time(6.0), 4.0);
/// # Ok::<(), posekit_motion::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TimeMap {
    /// Old and new times \[s\], both rising.
    pairs: Vec<(f64, f64)>,
}

impl TimeMap {
    /// A map by pairs of an old time and a new one \[s\].
    ///
    /// # Errors
    /// [`Error::Length`] for fewer than two pairs; [`Error::NonFinite`]; [`Error::OutOfRange`] for pairs whose times do not both rise.
    pub fn try_new(pairs: Vec<(f64, f64)>) -> Result<Self> {
        let what = "pairs of times";
        if pairs.len() < 2 {
            return Err(Error::Length { what, expected: 2, found: pairs.len() });
        }
        if let Some(index) = pairs.iter().position(|(a, b)| !(a.is_finite() && b.is_finite())) {
            return Err(Error::NonFinite { what, index });
        }
        let rises = |pair: &[(f64, f64)]| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1;
        match pairs.windows(2).position(|pair| !rises(pair)) {
            Some(index) => Err(Error::OutOfRange {
                what,
                index: index + 1,
                value: pairs[index + 1].1,
                need: "later than the pair before, in both times",
            }),
            None => Ok(Self { pairs }),
        }
    }

    /// Everything faster by a factor, from a time on that stays where it is \[s\].
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a factor outside 1e-6 to 1e6.
    pub fn speed(factor: f64, from: f64) -> Result<Self> {
        if !(1e-6..=1e6).contains(&factor) {
            let need = "from 1e-6 to 1e6";
            return Err(Error::OutOfRange { what: "speed", index: 0, value: factor, need });
        }
        Self::try_new(vec![(from, from), (from + factor, from + 1.0)])
    }

    /// When what was at an old time is now \[s\].
    #[must_use]
    pub fn new_time(&self, old: f64) -> f64 {
        along(&self.pairs, old, |pair| pair)
    }

    /// When what is at a new time was \[s\].
    #[must_use]
    pub fn old_time(&self, new: f64) -> f64 {
        along(&self.pairs, new, |(old, new)| (new, old))
    }
}

/// The second of two times that belongs to the first.
fn along(pairs: &[(f64, f64)], time: f64, view: impl Fn((f64, f64)) -> (f64, f64)) -> f64 {
    let after = pairs.partition_point(|&pair| view(pair).0 <= time).clamp(1, pairs.len() - 1);
    let ((from, at_from), (to, at_to)) = (view(pairs[after - 1]), view(pairs[after]));
    if time == to {
        return at_to;
    }
    at_from + (time - from) * ((at_to - at_from) / (to - from))
}

impl Clip {
    /// The same motion at another rate. Frames that both rates have are the same, bit for bit; others are in proportion between
    /// two, as in [`sample`](Self::sample).
    ///
    /// The last frame is the last that is not after the clip's end, by more than frame times are rounded in files. For curves without corners go by
    /// [`Keyframes::through`](super::Keyframes::through); they swing past what stops at once, such as a foot that comes to stand.
    ///
    /// - `frame_time`: from frame to frame \[s\]
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a frame time outside a microsecond to a million seconds, or one that gives more than 2²⁸ values.
    pub fn resampled(&self, frame_time: f64) -> Result<Self> {
        let n_frames = n_frames_within(self.duration(), frame_time, self.skeleton().n_values())?;
        let old_time = |frame| self.start() + frame_time * frame as f64;
        self.sampled_at(n_frames, frame_time, self.start(), old_time)
    }

    /// The same motion in another time, at a rate of its own. Its first frame is where the map puts it.
    ///
    /// - `frame_time`: from frame to frame \[s\]
    ///
    /// # Errors
    /// As [`resampled`](Self::resampled).
    pub fn retimed(&self, map: &TimeMap, frame_time: f64) -> Result<Self> {
        let (start, end) =
            (map.new_time(self.start()), map.new_time(self.start() + self.duration()));
        let n_frames = n_frames_within(end - start, frame_time, self.skeleton().n_values())?;
        let old_time = |frame| map.old_time(start + frame_time * frame as f64);
        self.sampled_at(n_frames, frame_time, start, old_time)
    }

    fn sampled_at(
        &self,
        n_frames: usize,
        frame_time: f64,
        start: f64,
        old_time: impl Fn(usize) -> f64,
    ) -> Result<Self> {
        let n = self.skeleton().n_values();
        let n_frames = if self.n_frames() == 0 { 0 } else { n_frames };
        let mut values = vec![0.0; n * n_frames];
        for (frame, q) in values.chunks_exact_mut(n.max(1)).enumerate() {
            self.sample(old_time(frame), q);
        }
        let clip =
            Self::try_new(self.skeleton().clone(), frame_time, values)?.with_up(self.up())?;
        Ok(clip.with_start(start).with_metres_per_unit(self.metres_per_unit()))
    }
}

impl Contact {
    /// The contact of a motion in another time.
    #[must_use]
    pub fn retimed(&self, map: &TimeMap) -> Self {
        let (from, to) = (map.new_time(self.from), map.new_time(self.to));
        let ease_in = from - map.new_time(self.from - self.ease_in);
        let ease_out = map.new_time(self.to + self.ease_out) - to;
        let on = match &self.on {
            Support::Moving(path) => {
                Support::Moving(Arc::new(path.retimed(|time| map.new_time(time))))
            }
            on => on.clone(),
        };
        let (ease_in, ease_out) = (ease_in.max(0.0), ease_out.max(0.0));
        Self { from, to, ease_in, ease_out, on, ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Hold;
    use posekit::glam::DVec3;
    use posekit::skeleton::{Joint, Skeleton};

    fn ramp(n_frames: u32, frame_time: f64) -> Clip {
        let slide = Skeleton::try_new(vec![Joint::prismatic("slide", DVec3::X)]).unwrap();
        let values = (0..n_frames).map(f64::from).collect();
        Clip::try_new(slide, frame_time, values).unwrap().with_start(0.5)
    }

    #[test]
    fn frames_that_both_rates_have_are_the_same() {
        let clip = ramp(121, 1.0 / 120.0);
        let half = clip.resampled(1.0 / 60.0).unwrap();
        assert_eq!((half.n_frames(), half.start(), half.duration()), (61, 0.5, 1.0));
        let expected: Vec<f64> = (0..61).map(|frame| f64::from(2 * frame)).collect();
        assert_eq!(half.values(), expected);
        let back = half.resampled(1.0 / 120.0).unwrap();
        let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12;
        assert!(back.n_frames() == 121 && back.values().iter().zip(clip.values()).all(near));
        assert_eq!(clip.resampled(clip.frame_time()).unwrap(), clip);
        let odd = clip.resampled(1.0 / 25.0).unwrap();
        assert!(odd.n_frames() == 26 && (odd.frame(1)[0] - 4.8).abs() < 1e-12);
    }

    #[test]
    fn the_last_frame_of_a_rounded_frame_time_is_kept() {
        for (frame_time, rate) in [(0.041_666_7, 24.0), (0.033_333, 30.0), (0.008_333_3, 120.0)] {
            for n in [13, 37, 1201] {
                let clip = ramp(n, frame_time);
                let duration = f64::from(n - 1) / rate;
                let map = TimeMap::speed(clip.duration() / duration, clip.start()).unwrap();
                let retimed = clip.retimed(&map, frame_time).unwrap();
                assert_eq!(retimed.n_frames(), clip.n_frames(), "{n} frames of {frame_time} s");
                let last = retimed.frame(retimed.n_frames() - 1)[0];
                assert!((last - f64::from(n - 1)).abs() < 0.05, "{last} of {n}");
                let resampled = clip.resampled(1.0 / rate).unwrap();
                assert_eq!(resampled.n_frames(), clip.n_frames(), "{n} of {frame_time} at {rate}");
            }
        }
        // What is no frame's time is still left out.
        assert_eq!(ramp(4, 0.1).resampled(0.11).unwrap().n_frames(), 3);
    }

    #[test]
    fn a_rate_that_asks_for_all_memory_is_refused() {
        let clip = ramp(2, 1e6);
        assert!(clip.resampled(1e-6).is_err() && clip.resampled(f64::NAN).is_err());
        assert_eq!(ramp(0, 1.0).resampled(0.5).unwrap().n_frames(), 0);
        assert_eq!(ramp(1, 1.0).resampled(0.5).unwrap().n_frames(), 1);
    }

    #[test]
    fn speed_keeps_the_start_and_moves_the_contacts() {
        let clip = ramp(61, 1.0 / 60.0);
        let map = TimeMap::speed(2.0, clip.start()).unwrap();
        let fast = clip.retimed(&map, clip.frame_time()).unwrap();
        assert_eq!((fast.n_frames(), fast.start()), (31, 0.5));
        assert!((fast.frame(10)[0] - 20.0).abs() < 1e-9);
        let contact = Contact {
            frame: clip.skeleton().frame(0),
            from: 0.7,
            to: 0.9,
            hold: Hold::Position(None),
            on: Support::World,
            ease_in: 0.1,
            ease_out: 0.2,
        };
        let moved = contact.retimed(&map);
        let found = [moved.from, moved.to, moved.ease_in, moved.ease_out];
        for (found, expected) in found.into_iter().zip([0.6, 0.7, 0.05, 0.1]) {
            assert!((found - expected).abs() < 1e-12, "{found} for {expected}");
        }
    }

    #[test]
    fn maps_go_both_ways_and_through_their_pairs() {
        let pairs = vec![(0.0, 1.0), (0.4, 1.1), (2.0, 7.0)];
        let map = TimeMap::try_new(pairs.clone()).unwrap();
        for (old, new) in pairs {
            assert_eq!((map.new_time(old), map.old_time(new)), (new, old));
        }
        for time in [-3.0, 0.1, 0.39, 1.5, 12.0] {
            assert!((map.old_time(map.new_time(time)) - time).abs() < 1e-12, "{time}");
        }
        assert!(TimeMap::try_new(vec![(0.0, 0.0), (1.0, 0.0)]).is_err());
        assert!(TimeMap::try_new(vec![(0.0, 0.0)]).is_err());
        assert!(TimeMap::speed(0.0, 0.0).is_err() && TimeMap::speed(f64::NAN, 0.0).is_err());
    }
}
