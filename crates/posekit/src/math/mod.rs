//! Poses, rotations and the small algebra under them.
//!
//! The only home of transcendental functions: everything here calls `libm`, never the standard library, so that a result has
//! the same bits on every target, in debug and in release. The functions are total: a degenerate argument (zero vector,
//! half turn, zero angle) has a documented answer. What they do *not* check is NaN and infinity, unless they say so; those
//! are refused where data enters, by [`Skeleton`](crate::skeleton::Skeleton) and the solvers.
//!
//! Conventions: right-handed frames, radians, quaternions in the order x, y, z, w, matrices column by column unless a
//! function says otherwise, spatial vectors linear part first.

mod angle;
mod angles;
mod direction;
mod exact;
mod lie;
mod linalg;
mod polynomial;
mod pose;
mod rotation;
mod sequence;
mod simd;

// Public for posekit-motion; not part of the documented interface.
#[doc(hidden)]
pub use angle::half_angle;
pub(crate) use angle::sin_cos_each;
pub use angle::{acos, asin, atan2, cos, sin, sin_cos, wrap_angle};
pub(crate) use angles::{atan2_each, sines_and_cosines};
pub use direction::direction_or;
pub(crate) use direction::{brought_to_size, length, measure, measure_ordinary, power_of_two_near};
pub(crate) use exact::{ceil, floor, sqrt};
pub use lie::{
    Twist, se3_exp, se3_log, slerp, so3_exp, so3_left_jacobian, so3_left_jacobian_inverse, so3_log,
    so3_right_jacobian, so3_right_jacobian_inverse,
};
pub(crate) use linalg::{
    cholesky_factor, cholesky_factor_square, cholesky_solve, cholesky_solve_square, dot,
    symmetric_eigenvalues,
};
pub(crate) use polynomial::quartic;
pub use pose::Pose;
pub use rotation::{SwingTwist, perpendicular, rotation_about, shortest_rotation, swing_twist};
pub(crate) use rotation::{
    UNIT_TOLERANCE, canonical, check_unit, normalised, quaternion, shortest_between,
    shortest_unscaled, unit_or_identity,
};
pub(crate) use sequence::weyl;
#[cfg(feature = "simd")]
pub(crate) use simd::Wide;
pub(crate) use simd::{Lanes, Mask, Vector};
