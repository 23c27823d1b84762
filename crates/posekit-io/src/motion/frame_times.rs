//! The frame times of an animation.

/// Frames per second for keys without a rate, and the least rate for sparse keys: between keys far apart a foot follows curves that fewer
/// frames would miss.
pub(super) const DEFAULT_RATE: f64 = 60.0;
const LEAST_RATE: f64 = 30.0;

/// The least rate of sparse keys that is used unchanged: the lowest rate in use for frames, that of film on television.
const LEAST_SPARSE_RATE: f64 = 24.0 / 1.001;

/// The least rate of keys at every frame: such a motion was sampled, and more frames would only be written back as more keys. Twelve per
/// second are the fewest that animators draw.
const LEAST_EVEN_RATE: f64 = 12.0;

/// Rates that are tried if the smallest distance between keys is not a frame time.
const USUAL_RATES: [f64; 7] = [24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 120.0];

/// Keys closer to each other than this \[s\] do not determine a rate, unless most of them are.
const SMALLEST_STEP: f64 = 1.0 / 480.0;

/// The least frame time for such close keys, as a fraction of their mean distance: every other frame may have been omitted.
const LEAST_PART: f64 = 0.4;

/// The largest rounding of a frame time in single precision from which a rate can be determined.
const LEAST_PRECISION: f64 = 0.1;

/// The tolerance for a key at a frame, in frames, because writers round times.
const OFF_FRAME: f64 = 0.01;

/// The relative rounding error of times in single precision.
const ROUNDING: f64 = 2.5e-7;

/// Frames at a steady rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FrameTimes {
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) frame_time: f64,
    /// The tolerance for a key at a frame \[s\].
    pub(super) snap: f64,
}

impl FrameTimes {
    /// The frames of channels, at the caller's rate or at their own.
    ///
    /// At their own rate the last frame is at the last key. At another, it is the first at or after it.
    ///
    /// - `channels`: the key times of each \[s\]
    pub(super) fn of(channels: &[&[f64]], fps: Option<f64>) -> Self {
        let (start, end) = Self::span(channels).unwrap_or((0.0, 0.0));
        let own = if end > start { own_step(channels, start, end) } else { 1.0 / DEFAULT_RATE };
        let frame_time = fps.map_or(own, |fps| 1.0 / fps);
        // Keys at the frames of another rate come close to these, too, but must not snap to them.
        let off = [frame_time, own].map(|step| farthest_off(channels, start, step));
        let off = if off[0] < off[1] { off[0] } else { off[1] };
        let is_rounded = off <= OFF_FRAME * own;
        let snap = if is_rounded { off } else { 0.0 } + ROUNDING * end;
        Self { start, end, frame_time, snap }
    }

    /// The numbers of keys and frames per second, if there are very many keys without a steady rate and so fewer frames.
    pub(super) fn dropped_rate(channels: &[&[f64]]) -> Option<[f64; 2]> {
        let mean = mean_step(channels).filter(|mean| *mean < SMALLEST_STEP)?;
        let frame_time = Self::of(channels, None).frame_time;
        (frame_time > 1.5 * mean).then_some([1.0 / mean, 1.0 / frame_time])
    }

    /// The times of the first and the last key \[s\].
    pub(super) fn span(channels: &[&[f64]]) -> Option<(f64, f64)> {
        let ends = |times: &&[f64]| Some((*times.first()?, *times.last()?));
        channels.iter().filter_map(ends).reduce(|(start, end), (from, to)| {
            (if from < start { from } else { start }, if to > end { to } else { end })
        })
    }

    /// The number of frames, which may exceed the range of integers.
    pub(super) fn n_frames(&self) -> f64 {
        ((self.end - self.start) / self.frame_time - OFF_FRAME).ceil().max(0.0) + 1.0
    }

    /// The number of frames.
    pub(super) fn count(&self) -> usize {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a count from 1; larger ones have been refused"
        )]
        let count = self.n_frames() as usize;
        count
    }

    pub(super) fn time(&self, frame: usize) -> f64 {
        self.start + self.frame_time * frame as f64
    }
}

/// The frame time of the keys, or a fraction of it.
fn own_step(channels: &[&[f64]], start: f64, end: f64) -> f64 {
    let length = end - start;
    // A whole number of steps must reach the end.
    let whole = |step: f64| length / (length / step).round().max(1.0);
    let gaps = channels.iter().flat_map(|times| times.windows(2));
    let smallest = gaps
        .map(|pair| pair[1] - pair[0])
        .fold(length, |least, gap| if gap < least { gap } else { least });
    let parts = [1.0, 2.0, 3.0].map(|part| smallest / part);
    let usual = USUAL_RATES.map(|rate| 1.0 / rate);
    let mean = mean_step(channels);
    let is_dense = |step: f64| {
        mean.is_some_and(|mean| mean < SMALLEST_STEP && step > LEAST_PART * mean)
            && ROUNDING * end < LEAST_PRECISION * step
    };
    // The mean distance first: a single distance is rounded too much to count thousands of keys by it.
    for step in mean.into_iter().chain(parts).chain(usual).map(whole) {
        if (step >= SMALLEST_STEP || is_dense(step)) && is_on_frames(channels, start, step) {
            let is_every = has_every_frame(channels, [start, end], step);
            let least = if is_every { LEAST_EVEN_RATE } else { LEAST_SPARSE_RATE };
            if step * least * (1.0 - OFF_FRAME) <= 1.0 {
                return step;
            }
            // Every key is also at one of the more frequent frames.
            return step / (step * LEAST_RATE * (1.0 - OFF_FRAME)).ceil().max(1.0);
        }
    }
    whole(1.0 / DEFAULT_RATE)
}

/// The mean distance of the keys of the channel with the most keys.
fn mean_step(channels: &[&[f64]]) -> Option<f64> {
    let most = channels.iter().max_by_key(|times| times.len())?;
    let n_steps = most.len().checked_sub(1).filter(|n| *n > 0)?;
    Some((most.last()? - most.first()?) / n_steps as f64).filter(|step| *step > 0.0)
}

fn is_on_frames(channels: &[&[f64]], start: f64, step: f64) -> bool {
    let is_on = |&time: &f64| {
        let place = (time - start) / step;
        (place - place.round()).abs() * step <= 0.5 * OFF_FRAME * step + ROUNDING * time
    };
    channels.iter().all(|times| times.iter().all(is_on))
}

/// The largest distance of a key from the frames of a rate \[s\].
fn farthest_off(channels: &[&[f64]], start: f64, step: f64) -> f64 {
    let off = |&time: &f64| {
        let place = (time - start) / step;
        (place - place.round()).abs() * step
    };
    channels.iter().flat_map(|times| times.iter().map(off)).fold(0.0, f64::max)
}

/// Whether keys at frames show that there are no others: each channel has one at every frame from its first to its last, or one channel has from the beginning to the end.
/// Writers that omit keys of other channels keep one such channel to show the rate.
fn has_every_frame(channels: &[&[f64]], [start, end]: [f64; 2], step: f64) -> bool {
    let has_no_gap = |times: &[f64]| times.windows(2).all(|pair| pair[1] - pair[0] < 1.5 * step);
    let is_whole = |times: &[f64]| {
        let ends = times.first().zip(times.last());
        ends.is_some_and(|(first, last)| first - start < 0.5 * step && end - last < 0.5 * step)
    };
    channels.iter().all(|times| has_no_gap(times))
        || channels.iter().any(|times| is_whole(times) && has_no_gap(times))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[expect(clippy::cast_possible_truncation, reason = "files have single precision")]
    fn keys(times: &[f64]) -> Vec<f64> {
        times.iter().map(|&t| f64::from(t as f32)).collect()
    }

    fn frame_times(times: &[&[f64]]) -> FrameTimes {
        let channels: Vec<Vec<f64>> = times.iter().map(|times| keys(times)).collect();
        FrameTimes::of(&channels.iter().map(Vec::as_slice).collect::<Vec<_>>(), None)
    }

    #[test]
    fn keys_with_a_rate_are_its_frames() {
        let at = |rate: f64, n: u32| (0..n).map(|k| 2.0 + f64::from(k) / rate).collect::<Vec<_>>();
        for rate in [30.0, 60.0, 120.0, 59.94, 25.0, 24.0, 23.976, 15.0, 12.0] {
            let frames = frame_times(&[&at(rate, 100)]);
            assert!((frames.frame_time * rate - 1.0).abs() < 1e-6, "{rate}: {frames:?}");
            assert_eq!(frames.count(), 100);
            assert_eq!(frames.start, 2.0);
        }
        for (rate, n) in
            [(100.0, 3070), (72.0, 2752), (144.0, 2752), (29.97, 12_000), (23.976, 12_000)]
        {
            let frames = frame_times(&[&at(rate, n), &[2.0]]);
            assert!((frames.frame_time * rate - 1.0).abs() < 1e-6, "{rate}: {frames:?}");
            assert_eq!(frames.count(), n as usize, "{rate}: many keys are as many frames");
        }
        // Ten times a second is too rare, but its keys are frames still.
        let tens = frame_times(&[&at(10.0, 11)]);
        assert_eq!(tens.count(), 31);
        // Of twelve some were left out, so that a curve is between them, unless another channel says that they are frames; those of film are.
        for (rate, alone) in [(12.0, 73), (24.0, 25), (23.976, 25)] {
            let all = at(rate, 25);
            let some: Vec<f64> =
                all.iter().copied().filter(|time| (time - 2.0 - 6.0 / rate).abs() > 1e-9).collect();
            assert_eq!(frame_times(&[&some]).count(), alone, "{rate}");
            assert_eq!(frame_times(&[&some, &all]).count(), 25, "{rate}");
            assert_eq!(frame_times(&[&some, &all[..20]]).count(), alone, "{rate}: not to the end");
        }
        // One that stays has one key, and one may end before the others.
        assert_eq!(frame_times(&[&at(24.0, 25), &[2.0], &at(24.0, 13)]).count(), 25);
        // Keys that were left out are on the same frames.
        let thinned = frame_times(&[&[0.0, 0.1, 0.4], &[0.0, 1.0 / 15.0]]);
        assert!((thinned.frame_time * 30.0 - 1.0).abs() < 1e-6, "{thinned:?}");
    }

    #[test]
    fn keys_of_a_fast_rate_are_its_frames() {
        let at = |rate: f64, n: u32| (0..n).map(|k| f64::from(k) / rate).collect::<Vec<_>>();
        for rate in [500.0, 600.0, 1000.0, 2000.0] {
            let keys = frame_times(&[&at(rate, 3000), &[0.0]]);
            assert!((keys.frame_time * rate - 1.0).abs() < 1e-6, "{rate}: {keys:?}");
            assert_eq!(keys.count(), 3000);
            let mut some = at(rate, 3000);
            some.remove(7);
            assert_eq!(frame_times(&[&some]).count(), 3000, "one was left out");
        }
        // Two of a few that are near to each other are a step, and no rate.
        assert!(frame_times(&[&[0.0, 0.5, 0.501, 1.0]]).frame_time > 1.0 / 70.0);
        // Many without a rate are read at one that is reported.
        let odd: Vec<f64> = (0..2000).map(|k| f64::from(k * k % 7 + 9 * k) * 1e-4).collect();
        let keys = FrameTimes::of(&[&odd], None);
        assert!(
            keys.frame_time > 1.0 / 70.0 && FrameTimes::dropped_rate(&[&odd]).is_some(),
            "{keys:?}"
        );
        assert_eq!(FrameTimes::dropped_rate(&[&at(1000.0, 300)]), None);
    }

    #[test]
    fn keys_without_a_rate_are_sampled() {
        let frames = frame_times(&[&[0.0, 0.1234, 0.777, 1.009]]);
        assert!((frames.frame_time - 1.0 / 60.0).abs() < 2e-4, "{frames:?}");
        assert!(
            (frames.time(frames.count() - 1) - f64::from(1.009_f32)).abs() < 1e-9,
            "its end is a frame"
        );
    }

    #[test]
    fn one_key_is_one_frame_and_a_rate_may_be_given() {
        assert_eq!(frame_times(&[&[3.0]]).count(), 1);
        assert_eq!(frame_times(&[]).count(), 1);
        let frames = FrameTimes::of(&[&keys(&[0.0, 1.01])], Some(30.0));
        assert_eq!((frames.frame_time, frames.count()), (1.0 / 30.0, 32));
    }

    #[test]
    fn only_keys_that_are_meant_to_be_at_frames_are() {
        let at = |rate: f64, n: u32| (0..n).map(|k| 2.0 + f64::from(k) / rate).collect::<Vec<_>>();
        let rounded = |times: Vec<f64>| {
            times.into_iter().map(|time| (time * 1e4).round() / 1e4).collect::<Vec<_>>()
        };
        let snap = |times: &[f64], fps: Option<f64>| FrameTimes::of(&[&keys(times)], fps).snap;
        for n in [3, 10, 1000] {
            for fps in [None, Some(30.0), Some(29.97), Some(60.0), Some(24.0)] {
                let snap = snap(&at(30.0, n), fps);
                assert!(snap < 2e-5, "{n} keys, {fps:?}: single precision rounds {snap}");
            }
            for fps in [None, Some(30.0), Some(60.0)] {
                let snap = snap(&rounded(at(30.0, n)), fps);
                let range = if n > 3 { 3e-5..1e-4 } else { 0.0..1e-4 };
                assert!(range.contains(&snap), "{n} keys, {fps:?}: four digits round {snap}");
            }
        }
        // Without a rate no key is meant to be at a frame.
        assert!(snap(&[0.0, 0.1234, 0.777, 1.009], None) < 1e-6);
    }
}
