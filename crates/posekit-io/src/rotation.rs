//! Rotations in files: quaternions x, y, z, w of length 1 up to the digits written.

use posekit::glam::DQuat;

/// The tolerance for the length of a quaternion: wide enough for numbers written with four digits, too narrow for four numbers that are
/// not a rotation.
const UNIT_TOLERANCE: f64 = 1e-3;

/// `Err` with the length of a quaternion that is not a rotation.
pub(crate) fn check_unit(rotation: DQuat) -> Result<(), f64> {
    let length = rotation.length();
    if (length - 1.0).abs() <= UNIT_TOLERANCE { Ok(()) } else { Err(length) }
}

/// A quaternion of a file, normalised. Readers refuse those that are not near unit length; zero becomes the identity.
pub(crate) fn unit_rotation(rotation: [f64; 4]) -> DQuat {
    let rotation = DQuat::from_array(rotation);
    if rotation.length_squared() > 0.0 { rotation.normalize() } else { DQuat::IDENTITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits_are_enough() {
        assert_eq!(check_unit(DQuat::from_xyzw(0.5774, 0.5774, 0.5774, 0.0)), Ok(()));
        assert_eq!(check_unit(DQuat::from_xyzw(0.0, 0.0, 0.0, 1.0011)), Err(1.0011));
        assert_eq!(check_unit(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.9989)), Err(0.9989));
        assert!(check_unit(DQuat::from_xyzw(0.0, f64::NAN, 0.0, 1.0)).is_err());
    }
}
