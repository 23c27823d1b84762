//! Frames, and the target as the kernel sees it.

use super::kernel::{Column, Link};
use super::path::Path;
use crate::math::{Pose, normalised, sqrt};
use glam::{DMat3, DQuat, DVec3};

/// Near half a turn, below this square of twice the cosine of half the angle, the antisymmetric part of a rotation matrix vanishes and its axis is
/// read from the symmetric part.
const HALF_TURN: f64 = 1e-3;

/// A rigid transform with its rotation as three axes: cheaper to rotate about one of them than a quaternion.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame {
    pub(super) axes: [DVec3; 3],
    pub(super) origin: DVec3,
}

impl Frame {
    pub(super) const IDENTITY: Self = Self { axes: DVec3::AXES, origin: DVec3::ZERO };

    /// A pose, with its translation in other units.
    pub(super) fn new(pose: Pose, unit: f64) -> Self {
        let DMat3 { x_axis, y_axis, z_axis } = DMat3::from_quat(pose.rotation);
        Self { axes: [x_axis, y_axis, z_axis], origin: pose.translation / unit }
    }

    /// As a pose, in metres.
    pub(super) fn pose(&self, unit: f64) -> Pose {
        let [x, y, z] = self.axes;
        let rotation = normalised(DQuat::from_mat3(&DMat3::from_cols(x, y, z)));
        Pose::new(rotation, self.origin * unit)
    }

    /// Goes along a link.
    #[inline(always)]
    pub(super) fn follow(&mut self, link: &Link) {
        let ([x, y, z], t) = (self.axes, link.translation);
        let (sin, cos) = link.turn;
        self.origin += x * t.x + y * t.y + z * t.z;
        self.axes = [x, y * cos + z * sin, z * cos - y * sin];
    }

    /// Rotates about z.
    #[inline(always)]
    pub(super) fn turn(&mut self, (sin, cos): (f64, f64)) {
        let [x, y, z] = self.axes;
        self.axes = [x * cos + y * sin, y * cos - x * sin, z];
    }
}

/// Where the tool must come, in units of length.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal {
    /// The base of the arm in the frame of the target.
    pub(super) base: Frame,
    /// How far the tool may be off along and about each axis of the target, if at all.
    slack: Option<Column>,
    distance: f64,
    angle: f64,
}

impl Goal {
    /// - `slack`: \[m\] and \[rad\]; zero for none
    /// - `tolerances`: of position \[m\] and orientation \[rad\]
    pub(super) fn new(path: &Path, target: Pose, slack: &Column, tolerances: [f64; 2]) -> Self {
        let [x, y, z, rx, ry, rz] = *slack;
        let has_slack = slack.iter().any(|slack| *slack > 0.0);
        let slack = [x / path.unit, y / path.unit, z / path.unit, rx, ry, rz];
        Self {
            base: Frame::new(target.inverse() * path.base, path.unit),
            slack: has_slack.then_some(slack),
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
        let slack = self.slack.unwrap_or_default();
        let counts = |slack: &[f64]| if slack.contains(&f64::INFINITY) { 0.0 } else { 1.0 };
        [counts(&slack[..3]), counts(&slack[3..])]
    }

    /// By how much the target is further than a reach, without regard to slack.
    pub(super) fn shortfall(&self, reach: f64) -> f64 {
        if self.slack.is_some() { 0.0 } else { self.base.origin.length() - reach }
    }

    /// From the tool to the target, as far as it counts.
    #[inline(always)]
    pub(super) fn error(&self, tool: &Frame) -> Column {
        let ([x, y, z], p) = (tool.axes, tool.origin);
        // The square of twice the cosine of half the angle.
        let square = 1.0 + x.x + y.y + z.z;
        let [rx, ry, rz] = if square > HALF_TURN {
            let by = 1.0 / sqrt(square);
            [(z.y - y.z) * by, (x.z - z.x) * by, (y.x - x.y) * by]
        } else {
            half_turn(tool)
        };
        let error = [-p.x, -p.y, -p.z, rx, ry, rz];
        match &self.slack {
            None => error,
            Some(slack) => core::array::from_fn(|r| error[r] - error[r].clamp(-slack[r], slack[r])),
        }
    }

    /// Takes rows in which the tool is free out of the Jacobian.
    #[inline(always)]
    pub(super) fn free_rows<const N: usize>(&self, error: &Column, columns: &mut [Column; N]) {
        if let Some(slack) = &self.slack {
            for r in (0..6).filter(|&r| slack[r] > 0.0 && error[r] == 0.0) {
                columns.iter_mut().for_each(|column| column[r] = 0.0);
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
    pub(super) fn is_reached(&self, error: &Column) -> bool {
        let [x, y, z, rx, ry, rz] = *error;
        x * x + y * y + z * z <= self.distance * self.distance
            && rx * rx + ry * ry + rz * rz <= self.angle * self.angle
    }
}

/// The rotation from a tool to the target, as twice the vector part of its quaternion.
#[cold]
fn half_turn(tool: &Frame) -> [f64; 3] {
    let [x, y, z] = tool.axes;
    let q = DQuat::from_mat3(&DMat3::from_cols(x, y, z));
    let by = if q.w < 0.0 { 2.0 } else { -2.0 };
    [by * q.x, by * q.y, by * q.z]
}
