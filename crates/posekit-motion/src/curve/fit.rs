//! Few keys for many samples.

use super::{Animated, Curve, Interpolation, Key};
use crate::error::{Error, Result};

/// A piece has at most this many samples, so that the time of a fit is in proportion to the samples, however they are. Half a minute at 30 per second.
const LONGEST: usize = 1024;

impl<V: Animated> Curve<V> {
    /// A cubic curve without corners, with few keys, that is nowhere further than a tolerance from any sample.
    ///
    /// - `start`, `frame_time`: when the first sample is, and from sample to sample \[s\]; `frame_time` > 0
    /// - `tolerance`: difference, distance or angle \[rad\]; at 0 every sample that is not on the way is a key
    ///
    /// The bound is checked at every sample on the curve that is returned. Between samples nothing is known and nothing is promised.
    ///
    /// # Degenerate cases
    /// Samples that are all within the tolerance of the first give one key; no samples give none.
    /// # Errors
    /// [`Error::OutOfRange`] for a tolerance that is negative or NaN, otherwise as [`try_new`](Self::try_new).
    /// # Method
    /// Keys lie on samples and have the rates of the samples there. Where a piece is off by more than the tolerance it gets a key at its worst sample; at the end each
    /// key is taken out again where the pieces around it do without. The idea of splitting at the worst point is Schneider's \[schneider90\].
    pub fn fitted(start: f64, frame_time: f64, values: &[V], tolerance: f64) -> Result<Self> {
        if tolerance.is_nan() || tolerance < 0.0 {
            let need = "0 or more";
            return Err(Error::OutOfRange { what: "tolerance", index: 0, value: tolerance, need });
        }
        let dense = Self::through(start, frame_time, values, Interpolation::Cubic)?;
        let Some(first) = dense.keys.first() else { return Ok(dense) };
        if dense.keys.iter().all(|key| key.value.distance(first.value) <= tolerance) {
            return Ok(Self { keys: vec![first.with_rate(V::Rate::default())] });
        }
        let chosen = spare(&dense.keys, split(&dense.keys, tolerance), tolerance);
        Ok(Self { keys: chosen.into_iter().map(|index| dense.keys[index]).collect() })
    }
}

/// Indices of keys, in order, so that every piece between them is within the tolerance.
fn split<V: Animated>(keys: &[Key<V>], tolerance: f64) -> Vec<usize> {
    let mut chosen = vec![0];
    // Ends of pieces that are still to be looked at, the next one last.
    let mut ends: Vec<usize> = (LONGEST..keys.len() - 1).step_by(LONGEST).collect();
    ends.push(keys.len() - 1);
    ends.reverse();
    let mut from = 0;
    while let Some(&to) = ends.last() {
        match worst(keys, from, to, tolerance) {
            Some(index) => ends.push(index),
            None => {
                chosen.push(to);
                from = to;
                ends.pop();
            }
        }
    }
    chosen
}

/// The chosen keys without those that the pieces around them can do without.
fn spare<V: Animated>(keys: &[Key<V>], chosen: Vec<usize>, tolerance: f64) -> Vec<usize> {
    let mut kept = vec![0];
    let mut from = 0;
    for pair in chosen.windows(2).skip(1) {
        if pair[1] - from > LONGEST || worst(keys, from, pair[1], tolerance).is_some() {
            from = pair[0];
            kept.push(from);
        }
    }
    if let Some(&last) = chosen.last() {
        kept.push(last);
    }
    kept
}

/// The sample furthest from the cubic between two others, if any is further from it than the tolerance.
fn worst<V: Animated>(keys: &[Key<V>], from: usize, to: usize, tolerance: f64) -> Option<usize> {
    if to - from < 2 {
        return None;
    }
    let cubic = super::cubic(&keys[from], &keys[to]);
    let span = keys[to].time - keys[from].time;
    let mut worst = None;
    let mut most = tolerance;
    for index in from + 1..to {
        let part = (keys[index].time - keys[from].time) / span;
        let off = V::at(&cubic, part).0.distance(keys[index].value);
        if off > most || off.is_nan() {
            (worst, most) = (Some(index), off);
        }
    }
    worst
}
