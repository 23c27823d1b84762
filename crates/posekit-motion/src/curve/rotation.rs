//! Rotations over time.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | `m` | the rotation in the middle between the two keys, on the shortest arc | |
//! | `h` | rotation vector from `m`: the rotation is `m exp(h)` | rad |
//! | `w` | angular velocity in the frame that turns | rad/s |
//!
//! From key to key `h` is the cubic of points that has the right values and rates at both ends: `w = J h'` with the right Jacobian `J` of the
//! exponential at `h`. The keys are at most a quarter turn from `m`, where `J` has a good inverse. So the curve is of unit length, has the angular
//! velocities that are asked for, is a steady turn where these are that of the steady turn, does not care which of `q` and `-q` a key has, turns along
//! when the world or the joint's own frame is turned, and is the same backwards.

use posekit::glam::{DQuat, DVec3};
use posekit::math::{
    atan2, slerp, so3_exp, so3_log, so3_right_jacobian, so3_right_jacobian_inverse,
};

use super::value::{Animated, Hermite};
use crate::error::{Error, Result};

/// How far from 1 the length of a quaternion may be to be a rounding error: as in a skeleton's values.
const UNIT_WITHIN: f64 = 1e-3;

/// A cubic of rotations: one of rotation vectors from the middle.
#[derive(Debug, Clone, Copy)]
pub struct RotationCubic {
    middle: DQuat,
    vectors: Hermite<DVec3>,
}

impl Animated for DQuat {
    type Rate = DVec3;
    type Cubic = RotationCubic;

    fn between(from: Self, to: Self, part: f64) -> Self {
        if from == to { from } else { slerp(from, to, part) }
    }

    fn steady_rate(from: Self, to: Self, span: f64) -> DVec3 {
        so3_log(from.inverse() * to) / span
    }

    fn mean_rate(rates: [DVec3; 2], weight: f64) -> DVec3 {
        DVec3::mean_rate(rates, weight)
    }

    fn cubic([from, to]: [Self; 2], rates: [DVec3; 2], span: f64) -> RotationCubic {
        let half = so3_log(from.inverse() * to) * 0.5;
        let [leave, arrive] = rates;
        // The two ends are opposite as seen from the middle: the right Jacobian at one is the left one at the other.
        let rates =
            [so3_right_jacobian_inverse(-half) * leave, so3_right_jacobian_inverse(half) * arrive];
        let vectors = DVec3::cubic([-half, half], rates, span);
        RotationCubic { middle: from * so3_exp(half), vectors }
    }

    fn at(cubic: &RotationCubic, part: f64) -> (Self, DVec3) {
        let (vector, rate) = DVec3::at(&cubic.vectors, part);
        (cubic.middle * so3_exp(vector), so3_right_jacobian(vector) * rate)
    }

    fn distance(self, other: Self) -> f64 {
        let between = self.inverse() * other;
        2.0 * atan2(between.xyz().length(), between.w.abs())
    }

    fn checked(self, index: usize) -> Result<Self> {
        if !self.is_finite() {
            return Err(Error::NonFinite { what: "keys", index });
        }
        let length = self.length();
        if (length - 1.0).abs() > UNIT_WITHIN {
            return Err(Error::NotUnit { what: "a key's rotation", length });
        }
        // What has unit length to the last bits keeps its bits.
        Ok(if (length - 1.0).abs() < 1e-15 { self } else { self / length })
    }

    fn is_finite_rate(rate: DVec3) -> bool {
        rate.is_finite()
    }
}
