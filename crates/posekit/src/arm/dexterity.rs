//! How well an arm moves its tool from a configuration: its Jacobian and singular values.

use super::frame::Frame;
use super::kernel::{Column, Kernel, add_square};
use super::{Arm, by_size};
use crate::Result;
use crate::math::{cholesky_factor_square, sqrt, symmetric_eigenvalues};

/// The singular values of an arm's Jacobian, of which linear rows are in metres and angular rows in radians.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Dexterity {
    /// Product of the singular values \[yoshikawa85\], 0 in a singular configuration; of an arm with fewer than six joints of as many of them, the largest.
    pub manipulability: f64,
    /// The smallest of these singular values: how fast the tool moves, at least, per unit of joint velocity.
    pub smallest_singular_value: f64,
    /// The largest.
    pub largest_singular_value: f64,
}

impl Arm {
    /// The Jacobian of the tool at its origin, in the world frame: six rows, linear first, one column for each of the
    /// [joints](Self::joints), columns one after the other.
    ///
    /// Columns of joints that others mimic include what these add.
    ///
    /// # Errors
    /// [`Error::is_wrong_length`](crate::Error::is_wrong_length) or [`is_not_finite`](crate::Error::is_not_finite) for `q`.
    pub fn jacobian(&self, q: &[f64]) -> Result<alloc::vec::Vec<[f64; 6]>> {
        self.check(q)?;
        let base = Frame::new(self.path.base, self.path.unit);
        Ok(by_size!(&self.solver, solver => {
            let columns = solver.kernel.jacobian(&base, &self.path.read(q));
            self.path.unknowns().map(|(i, _)| in_metres(&columns[i], self.path.unit, self.path.joints[i].unit)).collect()
        }))
    }

    /// The singular values of the [Jacobian](Self::jacobian).
    ///
    /// # Errors
    /// As [`jacobian`](Self::jacobian).
    pub fn dexterity(&self, q: &[f64]) -> Result<Dexterity> {
        self.check(q)?;
        Ok(by_size!(&self.solver, solver => self.dexterity_of(&solver.kernel, &self.path.read(q))))
    }

    pub(super) fn dexterity_of<const N: usize>(
        &self,
        kernel: &Kernel<N>,
        x: &[f64; N],
    ) -> Dexterity {
        let columns = kernel.jacobian(&Frame::IDENTITY, x);
        let mut gram = [[0.0; 6]; 6];
        for (i, _) in self.path.unknowns() {
            let column = in_metres(&columns[i], self.path.unit, self.path.joints[i].unit);
            for (row, a) in gram.iter_mut().zip(column) {
                row.iter_mut().zip(column).for_each(|(sum, b)| *sum += a * b);
            }
        }
        let mut values = symmetric_eigenvalues(gram).map(|value| sqrt(value.max(0.0)));
        values.sort_by(|a, b| b.total_cmp(a));
        let values = &values[..self.path.unknowns().count().min(6)];
        Dexterity {
            manipulability: values.iter().product(),
            smallest_singular_value: values[values.len() - 1],
            largest_singular_value: values[0],
        }
    }
}

/// The change with which manipulability is differentiated \[rad, units of length\]: with smaller ones rounding prevails.
const DIFFERENCE: f64 = 1e-4;

/// Change of the unknowns per gradient of the logarithm of manipulability. Half of it and twice as much arrive at the same place in as many steps.
const CLIMB: f64 = 0.3;

impl<const N: usize> Kernel<N> {
    /// Product of the singular values, in units of length; 0 for fewer than six joints.
    pub(super) fn manipulability(&self, x: &[f64; N]) -> f64 {
        let mut gram = [[0.0; 6]; 6];
        for column in &self.jacobian(&Frame::IDENTITY, x) {
            add_square(&mut gram, column);
        }
        if !cholesky_factor_square(&mut gram, 0.0) {
            return 0.0;
        }
        let inverse: f64 = (0..6).map(|i| gram[i][i]).product();
        if inverse > 0.0 { sqrt(1.0 / inverse) } else { 0.0 }
    }

    /// A step towards greater manipulability: along the gradient of its logarithm.
    pub(super) fn climb(&self, x: &[f64; N]) -> [f64; N] {
        let here = self.manipulability(x).max(f64::MIN_POSITIVE);
        let at = |i: usize, by: f64| {
            let mut x = *x;
            x[i] += by;
            self.manipulability(&x)
        };
        core::array::from_fn(|i| {
            CLIMB * (at(i, DIFFERENCE) - at(i, -DIFFERENCE)) / (2.0 * DIFFERENCE * here)
        })
    }
}

/// A column of the kernel, whose lengths are in its own unit, in metres.
///
/// - `of_joint`: metres or radians of one unit of the joint
fn in_metres(column: &Column, unit: f64, of_joint: f64) -> Column {
    let [x, y, z, rx, ry, rz] = *column;
    [x * unit, y * unit, z * unit, rx, ry, rz].map(|value| value / of_joint)
}
