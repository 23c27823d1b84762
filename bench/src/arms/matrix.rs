//! Rigid transforms as plain matrices: the arithmetic of the judge, which shares nothing with posekit's.
#![expect(
    clippy::disallowed_methods,
    reason = "the functions of std are not those that are judged"
)]

use std::ops::Mul;

/// A vector.
pub type Vector = [f64; 3];

/// A rotation and a translation: the upper three rows of a 4 × 4 matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Matrix(pub [[f64; 4]; 3]);

impl Matrix {
    /// No rotation and no translation.
    pub const IDENTITY: Self =
        Self([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]]);

    /// A translation.
    pub fn translation([x, y, z]: Vector) -> Self {
        Self([[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z]])
    }

    /// A rotation about a unit axis (Rodrigues' formula).
    pub fn rotation([x, y, z]: Vector, angle: f64) -> Self {
        let (s, c) = angle.sin_cos();
        let v = 1.0 - c;
        Self([
            [c + x * x * v, x * y * v - z * s, x * z * v + y * s, 0.0],
            [y * x * v + z * s, c + y * y * v, y * z * v - x * s, 0.0],
            [z * x * v - y * s, z * y * v + x * s, c + z * z * v, 0.0],
        ])
    }

    /// The `<origin>` of a URDF: roll, pitch and yaw about fixed axes, after a translation.
    pub fn origin(xyz: Vector, [roll, pitch, yaw]: Vector) -> Self {
        Self::translation(xyz)
            * Self::rotation([0.0, 0.0, 1.0], yaw)
            * Self::rotation([0.0, 1.0, 0.0], pitch)
            * Self::rotation([1.0, 0.0, 0.0], roll)
    }

    /// The translation.
    pub fn position(&self) -> Vector {
        self.0.map(|row| row[3])
    }

    /// A column of the rotation.
    pub fn column(&self, index: usize) -> Vector {
        self.0.map(|row| row[index])
    }

    /// A direction, rotated.
    pub fn rotate(&self, [x, y, z]: Vector) -> Vector {
        self.0.map(|row| row[0] * x + row[1] * y + row[2] * z)
    }

    /// The rotation alone.
    #[must_use]
    pub fn without_translation(&self) -> Self {
        Self(self.0.map(|[x, y, z, _]| [x, y, z, 0.0]))
    }

    /// The inverse.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let position = self.position();
        Self([0, 1, 2].map(|row| {
            let [x, y, z] = self.column(row);
            [x, y, z, -dot([x, y, z], position)]
        }))
    }

    /// The distance between two origins.
    pub fn distance(&self, other: &Self) -> f64 {
        norm(difference(self.position(), other.position()))
    }

    /// The angle between two orientations \[rad\], exact near zero.
    pub fn angle(&self, other: &Self) -> f64 {
        let m = (self.inverse() * *other).0;
        let sine = 0.5 * norm([m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]]);
        sine.atan2(0.5 * (m[0][0] + m[1][1] + m[2][2] - 1.0))
    }

    /// x, y, z, w of the rotation, from the largest of the four candidates (Shepperd's method).
    pub fn quaternion(&self) -> [f64; 4] {
        let m = &self.0;
        let trace = m[0][0] + m[1][1] + m[2][2];
        let mut q = [0.0; 4];
        let i = (0..3).max_by(|&a, &b| m[a][a].total_cmp(&m[b][b])).unwrap_or_default();
        if trace >= m[i][i] {
            q = [m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1], 1.0 + trace];
        } else {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            q[i] = 1.0 + m[i][i] - m[j][j] - m[k][k];
            q[j] = m[j][i] + m[i][j];
            q[k] = m[k][i] + m[i][k];
            q[3] = m[k][j] - m[j][k];
        }
        let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        q.map(|x| x / length)
    }
}

impl Mul for Matrix {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let mut product = self.0.map(|row| [0.0, 0.0, 0.0, row[3]]);
        for (out, row) in product.iter_mut().zip(&self.0) {
            for (k, line) in other.0.iter().enumerate() {
                out.iter_mut().zip(line).for_each(|(sum, x)| *sum += row[k] * x);
            }
        }
        Self(product)
    }
}

/// The scalar product.
pub fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The length of a vector.
pub fn norm(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

/// From one point to another, backwards: `a − b`.
pub fn difference(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The vector product.
pub fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;

    use super::*;

    #[test]
    fn an_origin_rotates_about_fixed_axes_in_the_order_of_urdf() {
        // Roll takes y to z, then yaw leaves z where it is.
        let origin = Matrix::origin([1.0, 2.0, 3.0], [FRAC_PI_2, 0.0, FRAC_PI_2]);
        let close = |a: Vector, b: Vector| norm(difference(a, b)) < 1e-15;
        assert!(close(origin.column(1), [0.0, 0.0, 1.0]));
        assert!(close(origin.column(0), [0.0, 1.0, 0.0]));
        assert!(close(origin.position(), [1.0, 2.0, 3.0]));
    }

    #[test]
    fn the_inverse_undoes() {
        let m = Matrix::origin([0.3, -1.0, 2.0], [0.4, -1.2, 2.9]);
        let product = m * m.inverse();
        assert!(product.distance(&Matrix::IDENTITY) < 1e-15);
        assert!(product.angle(&Matrix::IDENTITY) < 1e-15);
    }

    #[test]
    fn angles_are_exact_from_tiny_to_a_half_turn() {
        let axis = [2.0 / 7.0, -3.0 / 7.0, 6.0 / 7.0];
        for angle in [1e-12, 1e-7, 1.0, 3.0, 3.1] {
            let found = Matrix::rotation(axis, angle).angle(&Matrix::IDENTITY);
            assert!((found - angle).abs() < 1e-14_f64.max(1e-9 * angle), "{angle}: {found}");
        }
    }

    #[test]
    fn quaternions_are_right_in_all_four_cases() {
        for (axis, angle) in [
            ([0.0, 0.6, 0.8], 0.3),
            ([1.0, 0.0, 0.0], 3.1),
            ([0.0, 1.0, 0.0], 3.1),
            ([0.0, 0.0, 1.0], 3.1),
        ] {
            let q = Matrix::rotation(axis, angle).quaternion();
            let (s, c) = (0.5_f64 * angle).sin_cos();
            let expected = [axis[0] * s, axis[1] * s, axis[2] * s, c];
            let sign = if q[3] * c < 0.0 { -1.0 } else { 1.0 };
            assert!(q.iter().zip(expected).all(|(a, b)| (a - sign * b).abs() < 1e-12), "{q:?}");
        }
    }
}
