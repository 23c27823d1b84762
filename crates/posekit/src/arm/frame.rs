//! Points and frames of one problem, or of several at once.

use super::kernel::Link;
use crate::math::{Lanes, Pose, normalised};
use core::ops::{Add, Mul, Sub};
use glam::{DMat3, DQuat, DVec3};

/// A vector in space.
#[derive(Debug, Clone, Copy)]
pub(super) struct Vector<V> {
    pub(super) x: V,
    pub(super) y: V,
    pub(super) z: V,
}

impl<V: Lanes> Vector<V> {
    #[inline(always)]
    pub(super) fn splat(number: V) -> Self {
        Self { x: number, y: number, z: number }
    }

    #[inline(always)]
    pub(super) fn dot(self, other: Self) -> V {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    #[inline(always)]
    pub(super) fn cross(self, other: Self) -> Self {
        Self {
            x: self.y * other.z - other.y * self.z,
            y: self.z * other.x - other.z * self.x,
            z: self.x * other.y - other.x * self.y,
        }
    }
}

impl From<DVec3> for Vector<f64> {
    fn from(DVec3 { x, y, z }: DVec3) -> Self {
        Self { x, y, z }
    }
}

impl From<Vector<f64>> for DVec3 {
    fn from(Vector { x, y, z }: Vector<f64>) -> Self {
        Self { x, y, z }
    }
}

impl<V: Lanes> Add for Vector<V> {
    type Output = Self;

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl<V: Lanes> Sub for Vector<V> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

/// By numbers that are the same for all problems, or not.
impl<V: Lanes + Mul<T, Output = V>, T: Copy> Mul<T> for Vector<V> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, factor: T) -> Self {
        Self { x: self.x * factor, y: self.y * factor, z: self.z * factor }
    }
}

/// A rigid transform with its rotation as three axes: cheaper to rotate about one of them than a quaternion. Its vectors are [`Vector`]s, or `DVec3` for one
/// problem.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame<T = Vector<f64>> {
    pub(super) axes: [T; 3],
    pub(super) origin: T,
}

impl<T: From<DVec3>> Frame<T> {
    pub(super) fn identity() -> Self {
        Self { axes: DVec3::AXES.map(T::from), origin: DVec3::ZERO.into() }
    }

    /// A pose, with its translation in other units.
    pub(super) fn new(pose: Pose, unit: f64) -> Self {
        let DMat3 { x_axis, y_axis, z_axis } = DMat3::from_quat(pose.rotation);
        let axes = [x_axis, y_axis, z_axis].map(T::from);
        Self { axes, origin: (pose.translation / unit).into() }
    }
}

impl<T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f64, Output = T>> Frame<T> {
    /// Goes along a link.
    #[inline(always)]
    pub(super) fn follow(&mut self, link: &Link) {
        let ([x, y, z], t) = (self.axes, link.translation);
        let (sin, cos) = link.turn;
        self.origin = self.origin + (x * t.x + y * t.y + z * t.z);
        self.axes = [x, y * cos + z * sin, z * cos - y * sin];
    }

    /// Rotates about z.
    #[inline(always)]
    pub(super) fn turn<S: Copy>(&mut self, (sin, cos): (S, S))
    where
        T: Mul<S, Output = T>,
    {
        let [x, y, z] = self.axes;
        self.axes = [x * cos + y * sin, y * cos - x * sin, z];
    }
}

impl From<Frame> for Frame<DVec3> {
    fn from(Frame { axes, origin }: Frame) -> Self {
        Self { axes: axes.map(DVec3::from), origin: origin.into() }
    }
}

impl Frame {
    /// As a pose, in metres.
    pub(super) fn pose(&self, unit: f64) -> Pose {
        Pose::new(normalised(self.rotation()), DVec3::from(self.origin) * unit)
    }

    pub(super) fn rotation(&self) -> DQuat {
        let [x, y, z] = self.axes.map(DVec3::from);
        DQuat::from_mat3(&DMat3::from_cols(x, y, z))
    }
}

#[cfg(feature = "simd")]
impl<V: Lanes> Frame<Vector<V>> {
    /// The same frame for every problem.
    #[inline(always)]
    pub(super) fn splat(like: V, frame: &Frame) -> Self {
        let vector = |Vector { x, y, z }: Vector<f64>| {
            let [x, y, z] = [x, y, z].map(|number| like.splat(number));
            Vector { x, y, z }
        };
        Self { axes: frame.axes.map(vector), origin: vector(frame.origin) }
    }

    /// Replaces the frame of one problem.
    #[inline(always)]
    pub(super) fn set_lane(&mut self, lane: usize, frame: &Frame) {
        let [x, y, z] = &mut self.axes;
        let vectors = [
            (x, frame.axes[0]),
            (y, frame.axes[1]),
            (z, frame.axes[2]),
            (&mut self.origin, frame.origin),
        ];
        for (Vector { x, y, z }, from) in vectors {
            x.set_lane(lane, from.x);
            y.set_lane(lane, from.y);
            z.set_lane(lane, from.z);
        }
    }
}

impl<V: Lanes> Frame<Vector<V>> {
    /// The frame of one problem.
    pub(super) fn lane(&self, lane: usize) -> Frame {
        let vector = |Vector { x, y, z }: Vector<V>| {
            let [x, y, z] = [x, y, z].map(|number| number.lane(lane));
            Vector { x, y, z }
        };
        Frame { axes: self.axes.map(vector), origin: vector(self.origin) }
    }
}
