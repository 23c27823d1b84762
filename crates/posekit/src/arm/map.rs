//! Reachability maps: at which points of space, and in how many orientations, an arm can hold its tool.
//!
//! Space is divided into [`Voxels`], and [`Arm::reachability`] tries a set of [`orientations`] at the centre of one \[zacharias07\]. Voxels do not depend on each
//! other, so they may be measured in any order, by any number of threads or machines.
//!
//! ```
//! use posekit::arm::map::{Voxels, orientations};
//! use posekit::arm::{Arm, ArmSettings};
//! # use posekit::glam::DVec3;
//! # use posekit::math::Pose;
//! # use posekit::skeleton::{Frame, Joint, Skeleton};
//! # let mut builder = Skeleton::builder();
//! # let mut last = builder.add(Joint::revolute("base", DVec3::Z));
//! # for (name, axis, length) in [
//! #     ("shoulder", DVec3::Y, 0.1), ("elbow", DVec3::Y, 0.4),
//! #     ("roll", DVec3::X, 0.3), ("pitch", DVec3::Y, 0.0), ("yaw", DVec3::X, 0.0),
//! # ] {
//! #     let placement = Pose::from_translation(DVec3::X * length);
//! #     last = builder.add(Joint::revolute(name, axis).child_of(last).at(placement));
//! # }
//! # let robot = builder.build()?;
//! # let frame = Frame::new(last, Pose::IDENTITY);
//! let arm = Arm::new(&robot, frame)?;
//! let voxels = Voxels::around(arm.base().translation, arm.reach(), 0.4)?;
//! let orientations = orientations(8);
//! let settings = ArmSettings::default();
//! let measure = |point| arm.reachability(point, &orientations, &robot.neutral(), &settings);
//! let shares = voxels.centers().map(|point| Ok(measure(point)?.reached as f64 / 8.0));
//! let shares: Vec<f64> = shares.collect::<posekit::Result<_>>()?;
//! // The wrist is spherical and no joint has limits: these points are reached in every orientation.
//! assert!(!shares.is_empty() && shares.iter().all(|share| *share == 1.0));
//! # Ok::<(), posekit::Error>(())
//! ```

use super::kernel::Joint;
use super::path::MOST_JOINTS;
use super::starts::range_to_try;
use super::{Arm, ArmSettings, Prefer};
use crate::error::{ErrorKind, Result};
use crate::math::{Pose, ceil, floor, normalised, sin_cos, sqrt, weyl};
use alloc::vec::Vec;
use core::f64::consts::{SQRT_2, TAU};
use glam::{DQuat, DVec3};

/// Cubes of one size whose centres are within a distance of a point. Their faces lie at whole multiples of the size, so that the voxels of two arms in one world
/// are the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Voxels {
    size: f64,
    center: DVec3,
    radius: f64,
    /// The first index along each axis, and one past the last.
    range: [(i32, i32); 3],
}

/// The most voxels along an axis.
const MOST: f64 = 2000.0;

impl Voxels {
    /// - `center`, `radius`: the ball that the centres of the voxels are in \[m\]
    /// - `size`: of a voxel \[m\]
    ///
    /// # Errors
    /// [`Error::is_out_of_range`](crate::Error::is_out_of_range) for a size that is not positive, that divides the ball into more than 2000 voxels along an
    /// axis, or of which the centre is more than a thousand million away.
    pub fn around(center: DVec3, radius: f64, size: f64) -> Result<Self> {
        let refuse =
            |what, value, need| Err(ErrorKind::OutOfRange { what, index: 0, value, need }.into());
        if !(size > 0.0 && size.is_finite()) {
            return refuse("voxel size", size, "positive");
        }
        if !(radius >= 0.0 && 2.0 * radius <= MOST * size) {
            return refuse("radius", radius, "0 to 1000 voxels");
        }
        if !center.is_finite() || center.abs().max_element() > 1e9 * size {
            return refuse("centre", center.abs().max_element(), "within 1e9 voxels");
        }
        let range = [center.x, center.y, center.z].map(|middle| {
            let [low, high] = [floor((middle - radius) / size), ceil((middle + radius) / size)];
            (whole(low), whole(high))
        });
        Ok(Self { size, center, radius, range })
    }

    /// Length of an edge \[m\].
    #[must_use]
    pub const fn size(&self) -> f64 {
        self.size
    }

    /// The indices of all voxels, in the order of x, then y, then z.
    pub fn indices(&self) -> impl Iterator<Item = [i32; 3]> + '_ {
        let [x, y, z] = self.range.map(|(low, high)| low..high);
        let cells = x.flat_map(move |i| {
            let z = z.clone();
            y.clone().flat_map(move |j| z.clone().map(move |k| [i, j, k]))
        });
        cells.filter(|&index| self.center_of(index).distance(self.center) <= self.radius)
    }

    /// The centres of all voxels, in the same order \[m\].
    pub fn centers(&self) -> impl Iterator<Item = DVec3> + '_ {
        self.indices().map(|index| self.center_of(index))
    }

    /// The centre of a voxel \[m\].
    #[must_use]
    pub fn center_of(&self, [i, j, k]: [i32; 3]) -> DVec3 {
        DVec3::new(f64::from(i) + 0.5, f64::from(j) + 0.5, f64::from(k) + 0.5) * self.size
    }

    /// The voxel that a point is in.
    #[must_use]
    pub fn index_of(&self, point: DVec3) -> [i32; 3] {
        (point / self.size).to_array().map(|x| whole(floor(x)))
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "an index of a voxel; of a point far away, the last one there is"
)]
const fn whole(x: f64) -> i32 {
    x as i32
}

/// Orientations that are spread evenly over all there are.
///
/// # Method
/// The super-Fibonacci spiral \[alexa22\]: two golden-ratio rotations in orthogonal planes of the unit quaternions.
#[must_use]
pub fn orientations(count: u32) -> Vec<DQuat> {
    /// The positive solution of ψ⁴ = ψ + 4.
    const PSI: f64 = 1.533_751_168_755_204_3;
    let orientation = |k| {
        let s = f64::from(k) + 0.5;
        let t = s / f64::from(count);
        let ((sin_a, cos_a), (sin_b, cos_b)) = (sin_cos(TAU * s / SQRT_2), sin_cos(TAU * s / PSI));
        let [r, rest] = [sqrt(t), sqrt(1.0 - t)];
        normalised(DQuat::from_xyzw(r * sin_a, r * cos_a, rest * sin_b, rest * cos_b))
    };
    (0..count).map(orientation).collect()
}

/// How well an arm can hold its tool at a point.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Reachability {
    /// How many of the orientations were reached.
    pub reached: u32,
    /// Mean of the [limit margins](Arm::limit_margin) of the poses found; 0 without any.
    pub limit_margin: f64,
    /// Mean of the smallest [singular values](Arm::dexterity) of the poses found, with lengths in metres; 0 without any.
    pub smallest_singular_value: f64,
}

/// How near a joint is to its limit.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct NearestLimit {
    /// The joint, by its index in the skeleton.
    pub joint: usize,
    /// The nearer end of its range \[rad, m\].
    pub limit: f64,
    /// How far the joint is from that \[rad, m\].
    pub distance: f64,
    /// The distance in halves of the range: 0 at a limit, 1 in the middle.
    pub margin: f64,
}

impl Arm {
    /// Tries orientations of the tool at a point, and measures the first pose found for each.
    ///
    /// - `point`: of the tool's origin, in the world \[m\]
    /// - `start`: the configuration of the whole skeleton from which the first orientation is tried; each of the others is from the pose found before
    /// - `settings`: tolerances and number of starts; their bounds, and which pose they prefer, are ignored. Fewer starts are faster and miss some of the
    ///   poses near the border of what can be reached.
    ///
    /// # Errors
    /// Those of [`solve`](Self::solve).
    pub fn reachability(
        &self,
        point: DVec3,
        orientations: &[DQuat],
        start: &[f64],
        settings: &ArmSettings,
    ) -> Result<Reachability> {
        let free = [0.0, 0.0, 0.0, f64::INFINITY, f64::INFINITY, f64::INFINITY];
        let any = ArmSettings { bounds: free, prefer: Prefer::First, ..*settings };
        let whole = ArmSettings { bounds: [0.0; 6], ..any };
        let mut q = start.to_vec();
        let mut all = Reachability::default();
        // Where the point cannot be reached, no orientation can.
        if !self.solve(Pose::from_translation(point), &mut q, &any)?.is_reached() {
            return Ok(all);
        }
        let mut last = q.clone();
        for &orientation in orientations {
            q.copy_from_slice(&last);
            if self.solve(Pose::new(orientation, point), &mut q, &whole)?.is_reached() {
                all.reached += 1;
                all.limit_margin += self.limit_margin(&q)?;
                all.smallest_singular_value += self.dexterity(&q)?.smallest_singular_value;
                last.copy_from_slice(&q);
            }
        }
        let count = f64::from(all.reached.max(1));
        all.limit_margin /= count;
        all.smallest_singular_value /= count;
        Ok(all)
    }

    /// Writes configuration number `index` of a sequence that fills the ranges of the joints evenly: poses to test with. A joint without limits has a whole
    /// turn about zero, a slide a few units of the arm's length. Joints that are not of the arm stay.
    ///
    /// # Errors
    /// [`Error::is_wrong_length`](crate::Error::is_wrong_length) or [`is_not_finite`](crate::Error::is_not_finite) for `q`.
    pub fn spread(&self, index: u32, q: &mut [f64]) -> Result<()> {
        /// Not the dimensions of the solver's own starts: from these, its own poses would be found too easily.
        const DIMENSION: usize = 17;
        self.check(q)?;
        let mut x = [0.0; MOST_JOINTS];
        for (i, (x, joint)) in x.iter_mut().zip(&self.path.joints).enumerate() {
            let (min, length) = range_to_try(joint);
            *x = min + weyl(index, DIMENSION + i) * length;
        }
        self.write(&x, q);
        Ok(())
    }

    /// How far the joints are from their limits: the least of all, from 0 at a limit to 1 in the middle of a range, which is also the margin of joints without
    /// limits.
    ///
    /// # Errors
    /// [`Error::is_wrong_length`](crate::Error::is_wrong_length) or [`is_not_finite`](crate::Error::is_not_finite) for `q`.
    pub fn limit_margin(&self, q: &[f64]) -> Result<f64> {
        Ok(self.nearest_limit(q)?.map_or(1.0, |nearest| nearest.margin))
    }

    /// The joint with the least [margin](Self::limit_margin), the first of several; `None` if no joint has a limit at both ends.
    ///
    /// # Errors
    /// [`Error::is_wrong_length`](crate::Error::is_wrong_length) or [`is_not_finite`](crate::Error::is_not_finite) for `q`.
    pub fn nearest_limit(&self, q: &[f64]) -> Result<Option<NearestLimit>> {
        self.check(q)?;
        let limits = self.path.unknowns().filter_map(|(i, source)| {
            nearest_limit(&self.path.joints[i], source.joint, q[source.value])
        });
        Ok(limits.reduce(|best, other| if other.margin < best.margin { other } else { best }))
    }
}

/// The nearer end of a joint's range, if it has two.
fn nearest_limit(joint: &Joint, index: usize, value: f64) -> Option<NearestLimit> {
    let (min, max) = (joint.min * joint.unit, joint.max * joint.unit);
    let half = 0.5 * (max - min);
    if !half.is_finite() {
        return None;
    }
    let (limit, distance) =
        if value - min < max - value { (min, value - min) } else { (max, max - value) };
    let distance = distance.max(0.0);
    // A joint that cannot move is at its limit.
    let margin = if half > 0.0 { distance / half } else { 0.0 };
    Some(NearestLimit { joint: index, limit, distance, margin })
}
