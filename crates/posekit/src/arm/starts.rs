//! Where to start from: the poses of a small table that bring the tool nearest to the target.
//!
//! Descents from the nearest of 128 poses take a third of the steps of those from a random pose, and twice as many of them succeed. A larger table
//! costs more time than it saves. Poses are the points of a low-discrepancy sequence: number `k` is always the same.

use super::frame::Frame;
use super::goal::Goal;
use super::kernel::{Joint, Kernel};
use crate::math::weyl;
use alloc::boxed::Box;
use core::f64::consts::PI;

/// Poses in the table.
pub(super) const TABLE: usize = 128;

/// The tools of the poses: positions, then rotations as quaternions, in single precision: they only choose among starts.
type Keys = [[f32; TABLE]; 7];

/// The table, and the sequence behind it.
#[derive(Debug, Clone)]
pub(super) struct Starts<const N: usize> {
    keys: Box<Keys>,
    /// The least value of each unknown, and the length of the range to try.
    ranges: [(f64, f64); N],
}

impl<const N: usize> Starts<N> {
    pub(super) fn new(kernel: &Kernel<N>) -> Self {
        let ranges = kernel.joints.each_ref().map(range_to_try);
        let mut starts = Self { keys: Box::new([[0.0; TABLE]; 7]), ranges };
        for k in 0..TABLE {
            let tool = kernel.tool(&Frame::IDENTITY, &starts.pose(k));
            for (list, key) in starts.keys.iter_mut().zip(key(&tool)) {
                list[k] = key;
            }
        }
        starts
    }

    /// Pose `k` of the sequence; the first ones are those of the table.
    #[expect(clippy::cast_possible_truncation, reason = "fewer starts than 2^32 are tried")]
    pub(super) fn pose(&self, k: usize) -> [f64; N] {
        core::array::from_fn(|i| {
            let (min, length) = self.ranges[i];
            min + weyl(k as u32, i) * length
        })
    }

    /// The squared errors of the poses in the table.
    #[inline(always)]
    pub(super) fn measure(&self, goal: &Goal, merits: &mut [f32; TABLE]) {
        let ([x, y, z, rx, ry, rz, rw], counts) = (key(&goal.in_base()), goal.counts());
        let [keys_x, keys_y, keys_z, keys_rx, keys_ry, keys_rz, keys_rw] = &*self.keys;
        for k in 0..TABLE {
            let [dx, dy, dz] = [keys_x[k] - x, keys_y[k] - y, keys_z[k] - z];
            let cosine = keys_rx[k] * rx + keys_ry[k] * ry + keys_rz[k] * rz + keys_rw[k] * rw;
            merits[k] = counts[0] * (dx * dx + dy * dy + dz * dz)
                + counts[1] * 4.0 * (1.0 - cosine * cosine);
        }
    }
}

/// The position and the quaternion of a tool.
#[expect(clippy::cast_possible_truncation, reason = "single precision is enough to choose")]
fn key(tool: &Frame) -> [f32; 7] {
    let (rotation, [px, py, pz]) = (tool.rotation(), tool.origin.to_array());
    [px, py, pz, rotation.x, rotation.y, rotation.z, rotation.w].map(|x| x as f32)
}

/// All of a range, or one turn, or twice the unit of length, about its middle or the value in it that is nearest to zero.
pub(super) fn range_to_try(joint: &Joint) -> (f64, f64) {
    let half = if joint.is_slide { 1.0 } else { PI };
    let (min, max) = (joint.min, joint.max);
    if max - min <= 2.0 * half {
        return (min, max - min);
    }
    let middle = 0.0_f64.max(min + half).min(max - half);
    (middle - half, 2.0 * half)
}
