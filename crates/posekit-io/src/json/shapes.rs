//! Values that several formats have: rotations, ranges, directions.

use posekit::glam::DQuat;

use super::Cursor;
use crate::error::Result;
use crate::rotation::check_unit;

impl Cursor<'_> {
    /// A quaternion x, y, z, w of unit length within 1e-3, as it is written.
    pub(crate) fn rotation(&self) -> Result<[f64; 4]> {
        let quaternion: [f64; 4] = self.array("x, y, z, w")?;
        if let Err(length) = check_unit(DQuat::from_array(quaternion)) {
            return Err(self.invalid(format!(
                "a rotation is a quaternion of length 1 (x, y, z, w), found one of length {length}"
            )));
        }
        Ok(quaternion)
    }

    /// The smallest and the largest of something, in this order.
    pub(crate) fn range(&self) -> Result<[f64; 2]> {
        let [min, max] = self.array("smallest and largest")?;
        if min > max {
            return Err(self.invalid(format!("the smallest, {min}, is above the largest, {max}")));
        }
        Ok([min, max])
    }

    /// An axis or a direction: three numbers, not all zero.
    pub(crate) fn direction(&self, what: &str) -> Result<[f64; 3]> {
        let axis: [f64; 3] = self.array("x, y, z")?;
        if axis == [0.0; 3] {
            return Err(self.invalid(format!("the {what} is zero and has no direction")));
        }
        Ok(axis)
    }

    /// A point.
    pub(crate) fn point(&self) -> Result<[f64; 3]> {
        self.array("x, y, z")
    }
}
