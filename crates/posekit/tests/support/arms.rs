//! Industrial arms by their published Denavit–Hartenberg rows.

use super::Rng;
use core::f64::consts::FRAC_PI_2;
use posekit::glam::DVec3;
use posekit::math::{Pose, rotation_about};
use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
use posekit::task::{FramePose, Task};

/// Range \[degrees\], then a, d \[m\] and alpha of the link after the joint.
type Row = ([f64; 2], f64, f64, f64);

const QUARTER: f64 = FRAC_PI_2;

/// Puma 560.
pub(crate) const PUMA: [Row; 6] = [
    ([-160.0, 160.0], 0.0, 0.0, QUARTER),
    ([-45.0, 225.0], 0.4318, 0.0, 0.0),
    ([-225.0, 45.0], 0.0203, 0.15005, -QUARTER),
    ([-110.0, 170.0], 0.0, 0.4318, QUARTER),
    ([-100.0, 100.0], 0.0, 0.0, -QUARTER),
    ([-266.0, 266.0], 0.0, 0.0, 0.0),
];

/// KUKA LBR iiwa 7 R800.
pub(crate) const IIWA: [Row; 7] = [
    ([-170.0, 170.0], 0.0, 0.34, -QUARTER),
    ([-120.0, 120.0], 0.0, 0.0, QUARTER),
    ([-170.0, 170.0], 0.0, 0.4, QUARTER),
    ([-120.0, 120.0], 0.0, 0.0, -QUARTER),
    ([-170.0, 170.0], 0.0, 0.4, -QUARTER),
    ([-120.0, 120.0], 0.0, 0.0, QUARTER),
    ([-175.0, 175.0], 0.0, 0.126, 0.0),
];

/// An arm and its flange.
#[derive(Debug, Clone)]
pub(crate) struct Arm {
    pub(crate) skeleton: Skeleton,
    pub(crate) flange: Frame,
}

impl Arm {
    pub(crate) fn new(rows: &[Row]) -> Self {
        let mut place = Pose::IDENTITY;
        let mut joints = Vec::new();
        for (i, &(range, a, d, alpha)) in rows.iter().enumerate() {
            let [min, max] = range.map(f64::to_radians);
            let joint = Joint::revolute(format!("j{i}"), DVec3::Z).at(place);
            let joint = joint.with_limit(Limit::Range { min, max });
            joints.push(if i == 0 { joint } else { joint.child_of(i - 1) });
            let rotation = rotation_about(DVec3::X, alpha);
            place = Pose { rotation, translation: DVec3::new(a, 0.0, d) };
        }
        let skeleton = Skeleton::try_new(joints).expect("the rows are valid");
        Self { skeleton, flange: Frame::new(rows.len() - 1, place) }
    }

    /// A configuration evenly inside the ranges.
    pub(crate) fn configuration(&self, rng: &mut Rng) -> Vec<f64> {
        let inside = |i: usize| {
            let (min, max) = self.skeleton.limit(i).bounds();
            rng.between(min, max)
        };
        (0..self.skeleton.n_joints()).map(inside).collect()
    }

    /// Where the flange is in a configuration.
    pub(crate) fn at(&self, q: &[f64]) -> Pose {
        self.flange.world(&self.skeleton.poses(q))
    }

    /// The whole pose that the flange has in a configuration.
    pub(crate) fn pose_of(&self, q: &[f64]) -> Task {
        FramePose::new(self.flange, self.at(q)).into()
    }
}
