//! The target as the kernel sees it.

use super::frame::Frame;
use super::kernel::Column;
use super::path::Path;
use crate::math::{Lanes, Mask, Pose, Vector};
use glam::DVec3;

/// Near half a turn, below this square of twice the cosine of half the angle, the antisymmetric part of a rotation matrix vanishes and its axis is
/// read from the symmetric part.
const HALF_TURN: f64 = 1e-3;

/// Where the tool must come, in units of length, for one problem or several that differ in their targets alone.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal<V: Lanes = f64> {
    /// The base of the arm in the frame of the target.
    pub(super) base: Frame<V>,
    /// How far the tool may be off along and about each axis of the target, if at all.
    bounds: Option<Column>,
    distance: f64,
    angle: f64,
}

impl Goal {
    /// - `bounds`: \[m\] and \[rad\]; zero for none
    /// - `tolerances`: of position \[m\] and orientation \[rad\]
    pub(super) fn new(path: &Path, target: Pose, bounds: &Column, tolerances: [f64; 2]) -> Self {
        let [x, y, z, rx, ry, rz] = *bounds;
        let has_bounds = bounds.iter().any(|bounds| *bounds > 0.0);
        let bounds = [x / path.unit, y / path.unit, z / path.unit, rx, ry, rz];
        Self {
            base: Frame::new(target.inverse() * path.base, path.unit),
            bounds: has_bounds.then_some(bounds),
            distance: tolerances[0] / path.unit,
            angle: tolerances[1],
        }
    }

    /// The target in the frame of the base.
    pub(super) fn in_base(&self) -> Frame {
        let [x, y, z] = self.base.axes;
        let axes =
            [DVec3::new(x.x, y.x, z.x), DVec3::new(x.y, y.y, z.y), DVec3::new(x.z, y.z, z.z)];
        let p = self.base.origin;
        Frame { axes, origin: -DVec3::new(x.dot(p), y.dot(p), z.dot(p)) }
    }

    /// Whether position and orientation count: 1, or 0 if an axis is free.
    pub(super) fn counts(&self) -> [f32; 2] {
        let bounds = self.bounds.unwrap_or_default();
        let counts = |bounds: &[f64]| if bounds.contains(&f64::INFINITY) { 0.0 } else { 1.0 };
        [counts(&bounds[..3]), counts(&bounds[3..])]
    }

    /// Whether the tool may be off.
    pub(super) fn has_bounds(&self) -> bool {
        self.bounds.is_some()
    }

    /// By how much the target is further than a reach; 0 if the tool may be away from it.
    pub(super) fn shortfall(&self, reach: f64) -> f64 {
        let [x, y, z, ..] = self.bounds.unwrap_or_default();
        if [x, y, z] == [0.0; 3] { self.base.origin.length() - reach } else { 0.0 }
    }
}

impl<V: Lanes> Goal<V> {
    /// The same goal for every problem.
    #[cfg(feature = "simd")]
    pub(super) fn splat(like: V, goal: &Goal) -> Self {
        let Goal { base, bounds, distance, angle } = goal;
        Self { base: Frame::splat(like, base), bounds: *bounds, distance: *distance, angle: *angle }
    }

    /// From the tool to the target, as far as it counts.
    #[inline(always)]
    pub(super) fn error(&self, tool: &Frame<V>) -> Column<V> {
        let [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]] =
            [tool.axes[0].parts(), tool.axes[1].parts(), tool.axes[2].parts()];
        let [px, py, pz] = tool.origin.parts();
        // The square of twice the cosine of half the angle.
        let square = xx + 1.0 + yy + zz;
        let by = square.splat(1.0) / square.sqrt();
        let mut error = [-px, -py, -pz, (zy - yz) * by, (xz - zx) * by, (yx - xy) * by];
        let is_half_turn = !square.above(square.splat(HALF_TURN));
        if is_half_turn.any() {
            replace_half_turns(tool, is_half_turn, &mut error);
        }
        if let Some(bounds) = &self.bounds {
            for r in 0..6 {
                error[r] -= error[r].clamped(-bounds[r], bounds[r]);
            }
        }
        error
    }

    /// Takes rows in which the tool is free out of the Jacobian.
    #[inline(always)]
    pub(super) fn free_rows<const N: usize>(
        &self,
        error: &Column<V>,
        columns: &mut [Column<V>; N],
    ) {
        if let Some(bounds) = &self.bounds {
            for r in 0..6 {
                let zero = error[r].splat(0.0);
                let is_free = error[r].equals(zero);
                if bounds[r] > 0.0 && is_free.any() {
                    for column in columns.iter_mut() {
                        column[r] = V::select(is_free, zero, column[r]);
                    }
                }
            }
        }
    }

    /// The same target with one tolerance for position \[units of length\] and orientation \[rad\].
    pub(super) fn with_tolerance(&self, tolerance: f64) -> Self {
        Self { distance: tolerance, angle: tolerance, ..*self }
    }

    /// Whether distances are within the tolerances.
    pub(super) fn accepts(&self, distance: f64, angle: f64) -> bool {
        distance <= self.distance && angle <= self.angle
    }

    /// Whether an error is within the tolerances.
    #[inline(always)]
    pub(super) fn is_reached(&self, error: &Column<V>) -> V::Mask {
        let [x, y, z, rx, ry, rz] = *error;
        let distance = x.splat(self.distance * self.distance);
        let angle = x.splat(self.angle * self.angle);
        (x * x + y * y + z * z).up_to(distance) & (rx * rx + ry * ry + rz * rz).up_to(angle)
    }
}

/// Replaces the rotations of the problems in a mask.
#[cold]
fn replace_half_turns<V: Lanes>(tool: &Frame<V>, problems: V::Mask, error: &mut Column<V>) {
    for lane in (0..V::COUNT).filter(|&lane| problems.lane(lane)) {
        for (error, number) in error[3..].iter_mut().zip(half_turn(&tool.lane(lane))) {
            error.set_lane(lane, number);
        }
    }
}

/// The rotation from a tool to the target, as twice the vector part of its quaternion.
fn half_turn(tool: &Frame) -> [f64; 3] {
    let q = tool.rotation();
    let by = if q.w < 0.0 { 2.0 } else { -2.0 };
    [by * q.x, by * q.y, by * q.z]
}
