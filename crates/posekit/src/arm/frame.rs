//! Frames of one problem, or of several at once.

use super::kernel::Link;
use crate::math::{Lanes, Pose, Vector, normalised};
use core::ops::Mul;
use glam::{DMat3, DQuat, DVec3};

/// A rigid transform with its rotation as three axes: cheaper to rotate about one of them than a quaternion.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frame<V: Lanes = f64> {
    pub(super) axes: [V::Vector; 3],
    pub(super) origin: V::Vector,
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
        Pose::new(normalised(self.rotation()), self.origin * unit)
    }

    pub(super) fn rotation(&self) -> DQuat {
        let [x, y, z] = self.axes;
        DQuat::from_mat3(&DMat3::from_cols(x, y, z))
    }
}

#[cfg(feature = "simd")]
impl<V: Lanes> Frame<V> {
    /// The same frame for every problem.
    #[inline(always)]
    pub(super) fn splat(like: V, frame: &Frame) -> Self {
        let vector = |v: DVec3| V::Vector::from_parts(v.parts().map(|number| like.splat(number)));
        Self { axes: frame.axes.map(vector), origin: vector(frame.origin) }
    }

    /// Replaces the frame of one problem.
    #[inline(always)]
    pub(super) fn set_lane(&mut self, lane: usize, frame: &Frame) {
        let set = |vector: &mut V::Vector, from: DVec3| {
            let mut parts = vector.parts();
            for (part, number) in parts.iter_mut().zip(from.parts()) {
                part.set_lane(lane, number);
            }
            *vector = V::Vector::from_parts(parts);
        };
        self.axes.iter_mut().zip(frame.axes).for_each(|(axis, from)| set(axis, from));
        set(&mut self.origin, frame.origin);
    }
}

impl<V: Lanes> Frame<V> {
    /// The frame of one problem.
    pub(super) fn lane(&self, lane: usize) -> Frame {
        let vector = |v: V::Vector| DVec3::from_parts(v.parts().map(|number| number.lane(lane)));
        Frame { axes: self.axes.map(vector), origin: vector(self.origin) }
    }

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
    pub(super) fn turn<T: Copy>(&mut self, (sin, cos): (T, T))
    where
        V::Vector: Mul<T, Output = V::Vector>,
    {
        let [x, y, z] = self.axes;
        self.axes = [x * cos + y * sin, y * cos - x * sin, z];
    }
}
