//! The rows of a task: residuals with their gradients.

use crate::math::{Pose, asin, sqrt};
use alloc::vec::Vec;
use glam::DVec3;

/// How a value changes when a frame moves: `force · v + moment · ω`, for the velocity `v` of the frame's origin and its angular
/// velocity `ω`, both in world axes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Wrench {
    /// Change per metre that the frame's origin moves.
    pub force: DVec3,
    /// Change per radian that the frame rotates about its origin.
    pub moment: DVec3,
}

impl Wrench {
    /// No change.
    pub const ZERO: Self = Self { force: DVec3::ZERO, moment: DVec3::ZERO };

    /// A change with the frame's origin only.
    #[must_use]
    pub const fn push(force: DVec3) -> Self {
        Self { force, moment: DVec3::ZERO }
    }

    /// A change with the frame's rotation only.
    #[must_use]
    pub const fn twist(moment: DVec3) -> Self {
        Self { force: DVec3::ZERO, moment }
    }
}

impl core::ops::Neg for Wrench {
    type Output = Self;
    fn neg(self) -> Self {
        Self { force: -self.force, moment: -self.moment }
    }
}

/// The unit of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unit {
    /// Metres.
    #[default]
    Length,
    /// Radians.
    Angle,
    /// Differences of unit vectors, `2 sin(angle / 2)` together.
    Chord,
}

/// The residual of one scalar equation of a task in one pose.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Reading {
    /// Target minus value. Of a [floor](Self::is_floor): positive if it is violated, negative if it is satisfied.
    pub miss: f64,
    /// The unit of `miss`.
    pub unit: Unit,
    /// The value may be anything from the target up: only a positive miss counts.
    pub is_floor: bool,
}

impl Reading {
    /// Measured in metres.
    #[must_use]
    pub(crate) fn is_length(&self) -> bool {
        self.unit == Unit::Length
    }

    /// The part of the miss that counts.
    #[inline]
    #[must_use]
    pub(crate) fn counted(&self) -> f64 {
        if self.is_floor { self.miss.max(0.0) } else { self.miss }
    }
}

/// One scalar equation of a task, with its gradient.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Row {
    /// Its residual.
    pub(crate) reading: Reading,
    /// How the value changes with the task's first and second frame.
    pub(crate) wrenches: [Wrench; 2],
}

impl Row {
    /// An equation on the first frame.
    ///
    /// - `miss`: target minus value
    /// - `wrench`: how the value grows when the frame moves
    #[must_use]
    pub const fn new(unit: Unit, miss: f64, wrench: Wrench) -> Self {
        Self::between(unit, miss, wrench, Wrench::ZERO)
    }

    /// The same on two frames.
    #[must_use]
    pub const fn between(unit: Unit, miss: f64, a: Wrench, b: Wrench) -> Self {
        Self { reading: Reading { miss, unit, is_floor: false }, wrenches: [a, b] }
    }

    /// The same as an inequality: any value from the target up satisfies it.
    #[must_use]
    pub const fn floor(self) -> Self {
        Self { reading: Reading { is_floor: true, ..self.reading }, ..self }
    }
}

/// The rows of tasks.
pub(crate) type Rows = Vec<Row>;

/// The miss of a task: the norms of its residual in length and in angle.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Miss {
    /// In length \[m\].
    pub distance: f64,
    /// In angle \[rad\].
    pub angle: f64,
}

impl Miss {
    /// Whether neither part is larger than another miss's.
    #[must_use]
    pub(crate) fn is_within(self, tolerance: Self) -> bool {
        self.distance <= tolerance.distance && self.angle <= tolerance.angle
    }

    /// The miss of a task that does not fit its skeleton.
    pub(crate) const INFINITE: Self = Self { distance: f64::INFINITY, angle: f64::INFINITY };

    /// The norms of some rows, by their units.
    #[must_use]
    pub(crate) fn of(rows: &[Row]) -> Self {
        let miss = Self::of_scaled(rows, 1.0);
        if miss.distance.is_finite() && miss.distance > 0.0 {
            return miss;
        }
        // The squares of lengths beyond 1e150 overflow, those below 1e-160 vanish.
        let readings = rows.iter().map(|row| row.reading).filter(|row| row.is_length());
        let lengths = readings.map(|row| row.counted().abs());
        let largest = lengths.fold(0.0, f64::max);
        if largest <= 0.0 || !largest.is_finite() {
            return miss;
        }
        let miss = Self::of_scaled(rows, largest);
        Self { distance: miss.distance.min(f64::MAX), ..miss }
    }

    /// [`of`](Self::of), lengths being squared in this unit.
    fn of_scaled(rows: &[Row], unit: f64) -> Self {
        let mut squares = [0.0; 3];
        for Row { reading: row, .. } in rows {
            let value = if row.is_length() { row.counted() / unit } else { row.counted() };
            squares[row.unit as usize] += value * value;
        }
        let [length, angle, chord] = squares;
        let aim = if chord > 0.0 { 2.0 * asin((0.5 * sqrt(chord)).min(1.0)) } else { 0.0 };
        let distance = sqrt(length) * unit;
        Self { distance, angle: sqrt(angle + aim * aim) }
    }
}

/// Pushes three rows, one for each of these axes.
pub(super) fn push_axes(rows: &mut Rows, axes: [DVec3; 3], row: impl Fn(usize, DVec3) -> Row) {
    for (k, axis) in axes.into_iter().enumerate() {
        rows.push(row(k, axis));
    }
}

/// World poses of a task's frames; the identity where it has only one, or none.
pub(crate) type Frames = [Pose; 2];

#[cfg(test)]
pub(super) mod testing {
    //! The one finite-difference test that every task passes.

    use super::*;
    use crate::math::{Twist, se3_exp};
    use glam::DQuat;

    /// Generic poses, the angles between them up to two radians.
    pub(in crate::task) fn some_frames() -> Vec<Frames> {
        let pose = |k: f64| Pose {
            rotation: DQuat::from_xyzw(0.3 * k, 0.4 - 0.2 * k, 0.1 + 0.1 * k, 1.0).normalize(),
            translation: DVec3::new(0.5 + 0.3 * k, -0.2 * k, 0.7 - 0.1 * k * k),
        };
        (0..6).map(|k| [pose(f64::from(k)), pose(2.0 - 0.7 * f64::from(k))]).collect()
    }

    /// A row's value falls by as much as its miss grows: compares wrenches with central differences of misses.
    pub(in crate::task) fn check_gradient(rows_at: impl Fn(&Frames, &mut Vec<Row>)) {
        const H: f64 = 1e-5;
        for frames in some_frames() {
            let mut rows = Vec::new();
            rows_at(&frames, &mut rows);
            assert!(!rows.is_empty(), "a task has rows");
            for frame in 0..2 {
                for k in 0..6 {
                    let mut unit = [0.0; 6];
                    unit[k] = 1.0;
                    let moved = |h: f64| {
                        let twist = Twist::from_array(unit) * h;
                        let mut frames = frames;
                        let pose = &mut frames[frame];
                        pose.translation += twist.linear;
                        pose.rotation = se3_exp(Twist::new(DVec3::ZERO, twist.angular)).rotation
                            * pose.rotation;
                        let mut rows = Vec::new();
                        rows_at(&frames, &mut rows);
                        rows
                    };
                    for (row, (after, before)) in rows.iter().zip(moved(H).iter().zip(moved(-H))) {
                        let slope = (before.reading.miss - after.reading.miss) / (2.0 * H);
                        let Wrench { force, moment } = row.wrenches[frame];
                        let gradient = Twist::new(force, moment).to_array()[k];
                        assert!(
                            (slope - gradient).abs() < 1e-8,
                            "frame {frame}, {k}: {slope} {gradient}"
                        );
                    }
                }
            }
        }
    }
}
