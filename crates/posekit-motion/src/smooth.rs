//! Slopes of sampled curves under noise, with windows in seconds, and how large the noise is.

use core::ops::{Add, Mul, Sub};

use posekit::glam::DVec3;

/// So many tenths of the frames are quiet, and so many deviations of one coordinate is that quantile of a length in space (chi distribution of three degrees of freedom).
const QUIET: (usize, f64) = (3, 1.19);

/// A local parabola, fitted by weighted least squares in a window around each frame: its slope there.
///
/// Weights are tricube, (1 - |t/T|³)³ with `T` half the window, so that samples come and go smoothly and the result hardly depends on the frame rate. Below two
/// frames in half a window it is the sample itself, and the central difference.
#[derive(Debug, Clone)]
pub(super) struct Smoother {
    /// For offsets 1, 2, .. frames; the other side has the sign changed.
    slopes: Vec<f64>,
}

impl Smoother {
    /// - `half_window`: \[s\]
    pub(super) fn new(half_window: f64, frame_time: f64, n_frames: usize) -> Self {
        let weight = |offset: usize| {
            let u = offset as f64 * frame_time / half_window;
            let w = 1.0 - u * u * u;
            if u < 1.0 { w * w * w } else { 0.0 }
        };
        let mut weights = vec![1.0];
        while weights.len() < n_frames && weight(weights.len()) > 0.0 {
            weights.push(weight(weights.len()));
        }
        if weights.len() == 1 {
            weights.push(1.0);
        }
        let weighted = || weights.iter().enumerate().skip(1);
        let second: f64 = weighted().map(|(offset, w)| 2.0 * w * (offset * offset) as f64).sum();
        let slope = |(offset, w): (usize, &f64)| w * offset as f64 / (second * frame_time);
        Self { slopes: weighted().map(slope).collect() }
    }

    /// The scatter of slopes that independent values of scatter 1 have \[1/s\].
    pub(super) fn slope_gain(&self) -> f64 {
        (2.0 * self.slopes.iter().map(|weight| weight * weight).sum::<f64>()).sqrt()
    }

    /// The slope at a frame \[1/s\]. Beyond its ends a curve goes on turned about its last point.
    pub(super) fn slope<T>(&self, curve: &[T], frame: usize) -> T
    where
        T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f64, Output = T>,
    {
        let mut sum = curve[frame] * 0.0;
        if let Some((before, after)) = inside(curve, frame, self.slopes.len()) {
            for ((&weight, &after), &before) in
                self.slopes.iter().zip(after).zip(before.iter().rev())
            {
                sum = sum + (after - before) * weight;
            }
            return sum;
        }
        for (k, &weight) in self.slopes.iter().enumerate() {
            let (before, after) = around(curve, frame, k + 1);
            sum = sum + (after - before) * weight;
        }
        sum
    }
}

/// So many samples before a frame and after it, where the curve has them: most of the time.
fn inside<T>(curve: &[T], frame: usize, reach: usize) -> Option<(&[T], &[T])> {
    let before = curve.get(frame.checked_sub(reach)?..frame)?;
    Some((before, curve.get(frame + 1..frame + 1 + reach)?))
}

/// The samples so many frames before and after; beyond its ends a curve goes on turned about its last point.
fn around<T>(curve: &[T], frame: usize, offset: usize) -> (T, T)
where
    T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f64, Output = T>,
{
    let last = curve.len() - 1;
    let turned = |end: usize, by: usize| {
        let inside = if end == 0 {
            if by < last { by } else { last }
        } else {
            last - if by < last { by } else { last }
        };
        curve[end] * 2.0 - curve[inside]
    };
    let before = if offset <= frame { curve[frame - offset] } else { turned(0, offset - frame) };
    let after = if frame + offset <= last {
        curve[frame + offset]
    } else {
        turned(last, frame + offset - last)
    };
    (before, after)
}

/// The scatter of each coordinate of a path from frame to frame: what is left of it in third differences while it is quiet.
pub(super) fn tremble(at: &[DVec3]) -> f64 {
    let third = |p: &[DVec3]| (p[3] - p[0] - (p[2] - p[1]) * 3.0).length();
    let mut thirds: Vec<f64> = at.windows(4).map(third).collect();
    if thirds.is_empty() {
        return 0.0;
    }
    let quiet = thirds.len() * QUIET.0 / 10;
    let third = *thirds.select_nth_unstable_by(quiet, f64::total_cmp).1;
    // The third difference of independent numbers has twenty times their variance.
    third / (QUIET.1 * 20.0_f64.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parabolas_stay_what_they_are() {
        for frame_time in [1.0 / 120.0, 1.0 / 30.0, 1.0 / 24.0, 0.2] {
            let smoother = Smoother::new(0.1, frame_time, 100);
            let curve: Vec<f64> = (0..100)
                .map(|frame| {
                    let t = f64::from(frame) * frame_time;
                    3.0 + 2.0 * t - 5.0 * t * t
                })
                .collect();
            let t = 50.0 * frame_time;
            assert!((smoother.slope(&curve, 50) - (2.0 - 10.0 * t)).abs() < 1e-9);
        }
    }

    #[test]
    fn ends_and_short_curves_are_finite() {
        let smoother = Smoother::new(0.1, 0.01, 3);
        for curve in [&[1.0][..], &[1.0, 2.0], &[1.0, 2.0, 3.0]] {
            for frame in 0..curve.len() {
                assert!(smoother.slope(curve, frame).is_finite());
            }
        }
        let line: Vec<f64> = (0..20).map(f64::from).collect();
        assert!((Smoother::new(0.1, 0.01, 20).slope(&line, 0) - 100.0).abs() < 1e-9);
    }
}
