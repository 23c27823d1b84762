//! Two frames have a distance.

use super::condition::{Condition, check_finite, out_of_range};
use super::rows::{Frames, Row, Rows, Unit, Wrench};
use crate::Result;
use crate::math::{direction_or, length};
use crate::skeleton::Frame;
use glam::DVec3;

/// The origins of two frames have a distance, or one within a range: a rod, a rope, two hands on one box.
///
/// One row \[m\] for a distance; for a range, one for each bound, which counts only where it is violated.
///
/// # Degenerate cases
/// Two origins at one point are pushed apart along the world's x.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Distance {
    /// The two frames.
    pub frames: [Frame; 2],
    /// Least distance, at least 0 \[m\].
    pub min: f64,
    /// Largest distance, at least `min`; may be infinite \[m\].
    pub max: f64,
}

impl Distance {
    /// Exactly this distance.
    #[must_use]
    pub const fn new(frames: [Frame; 2], distance: f64) -> Self {
        Self { frames, min: distance, max: distance }
    }

    /// Any distance from `min` to `max`.
    #[must_use]
    pub const fn between(frames: [Frame; 2], min: f64, max: f64) -> Self {
        Self { frames, min, max }
    }

    /// Number of rows.
    pub(super) fn n_rows(&self) -> usize {
        if self.min == self.max {
            1
        } else {
            usize::from(self.min > 0.0) + usize::from(self.max < f64::INFINITY)
        }
    }
}

impl Condition for Distance {
    fn frames(&self) -> [Option<Frame>; 2] {
        self.frames.map(Some)
    }

    fn rows(&self, [a, b]: &Frames, rows: &mut Rows) {
        let line = b.translation - a.translation;
        let (distance, out) = (length(line), Wrench::push(direction_or(line, DVec3::X)));
        let at_least = Row::between(Unit::Length, self.min - distance, -out, out);
        if self.min == self.max {
            rows.push(at_least);
            return;
        }
        if self.min > 0.0 {
            rows.push(at_least.floor());
        }
        if self.max < f64::INFINITY {
            rows.push(Row::between(Unit::Length, distance - self.max, out, -out).floor());
        }
    }

    fn rebase(&mut self, _: DVec3, by: f64) {
        self.min *= by;
        self.max *= by;
    }

    fn largest_length(&self) -> f64 {
        if self.max.is_finite() { self.max } else { self.min }
    }

    fn is_alike(&self, other: &Self) -> bool {
        self.frames == other.frames && self.n_rows() == other.n_rows()
    }

    fn check(&self, task: usize) -> Result<()> {
        check_finite(self.min.is_finite() && !self.max.is_nan(), task)?;
        if self.min < 0.0 {
            return out_of_range("task target", task, self.min, "at least 0");
        }
        if self.max < self.min {
            return out_of_range("task target", task, self.max, "at least the least distance");
        }
        Ok(())
    }
}

#[cfg(test)]
#[test]
fn gradient() {
    let frame = Frame::new(0, crate::math::Pose::IDENTITY);
    for task in [Distance::new([frame; 2], 0.7), Distance::between([frame; 2], 0.5, 0.6)] {
        super::rows::testing::check_gradient(|frames, rows| task.rows(frames, rows));
    }
}
