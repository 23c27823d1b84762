//! Banded symmetric systems, solved by Cholesky's factorisation.

/// A symmetric matrix whose entries farther than `width` from the diagonal are zero: the lower triangle, row after row.
#[derive(Debug, Clone)]
pub(super) struct Banded {
    width: usize,
    /// Of each row the entries from `width` columns before the diagonal to the diagonal; those before the first column are unused.
    rows: Vec<f64>,
}

impl Banded {
    /// The zero matrix.
    pub(super) fn zero(n: usize, width: usize) -> Self {
        Self { width, rows: vec![0.0; n * (width + 1)] }
    }

    /// Adds to the entry at `(row, column)` and its mirror image; `column` is at most `row`, and at most `width` before it.
    #[inline]
    pub(super) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.rows[row * (self.width + 1) + self.width + column - row] += value;
    }

    /// Takes over the entries of a matrix of the same shape.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.rows.copy_from_slice(&other.rows);
    }

    /// Replaces the matrix with its Cholesky factor `L`, `A = L Lᵀ`; `false` where it is not positive definite, and the content is then of no use.
    ///
    /// The diagonal of the factor is stored inverted.
    pub(super) fn factorise(&mut self) -> bool {
        let (width, stride) = (self.width, self.width + 1);
        for row in 0..self.rows.len() / stride {
            let (above, own) = self.rows.split_at_mut(row * stride);
            let own = &mut own[..stride];
            let first = row.saturating_sub(width);
            for column in first..row {
                let other = &above[column * stride..(column + 1) * stride];
                let at = width + column - row;
                let start = width + first - row;
                let sum = dot(&own[start..at], &other[width - (at - start)..width]);
                own[at] = (own[at] - sum) * other[width];
            }
            let start = width + first - row;
            let pivot = own[width] - dot(&own[start..width], &own[start..width]);
            if !(pivot > 0.0 && pivot.is_finite()) {
                return false;
            }
            own[width] = 1.0 / pivot.sqrt();
        }
        true
    }

    /// Solves `A x = b` in place, for a matrix that was factorised.
    pub(super) fn solve(&self, b: &mut [f64]) {
        let (width, stride) = (self.width, self.width + 1);
        for row in 0..b.len() {
            let own = &self.rows[row * stride..(row + 1) * stride];
            let n = if row < width { row } else { width };
            b[row] = (b[row] - dot(&own[width - n..width], &b[row - n..row])) * own[width];
        }
        for row in (0..b.len()).rev() {
            let own = &self.rows[row * stride..(row + 1) * stride];
            let value = b[row] * own[width];
            b[row] = value;
            let n = if row < width { row } else { width };
            for (b, entry) in b[row - n..row].iter_mut().zip(&own[width - n..width]) {
                *b -= value * entry;
            }
        }
    }
}

/// The dot product, in four sums side by side: one sum would wait for its own last addition.
#[inline]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let (fours_a, fours_b) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest = fours_a.remainder().iter().zip(fours_b.remainder());
    let mut sums = [0.0; 4];
    for (a, b) in fours_a.zip(fours_b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += a * b;
        }
    }
    let rest: f64 = rest.map(|(a, b)| a * b).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gauss elimination with a full matrix.
    fn dense_solution(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
        let n = b.len();
        for pivot in 0..n {
            for row in pivot + 1..n {
                let factor = a[row][pivot] / a[pivot][pivot];
                for column in pivot..n {
                    a[row][column] -= factor * a[pivot][column];
                }
                b[row] -= factor * b[pivot];
            }
        }
        for row in (0..n).rev() {
            let known: f64 = (row + 1..n).map(|column| a[row][column] * b[column]).sum();
            b[row] = (b[row] - known) / a[row][row];
        }
        b
    }

    #[test]
    fn solutions_are_those_of_dense_elimination() {
        let mut seed = 5_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        for (n, width) in [(1, 0), (1, 3), (5, 4), (7, 2), (30, 6), (41, 11)] {
            let mut banded = Banded::zero(n, width);
            let mut dense = vec![vec![0.0; n]; n];
            for row in 0..n {
                for column in row.saturating_sub(width)..=row {
                    let value = random() + if row == column { 3.0 * width as f64 + 2.0 } else { 0.0 };
                    banded.add(row, column, value);
                    dense[row][column] = value;
                    dense[column][row] = value;
                }
            }
            let b: Vec<f64> = (0..n).map(|_| random()).collect();
            let mut x = b.clone();
            assert!(banded.factorise());
            banded.solve(&mut x);
            for (x, expected) in x.iter().zip(dense_solution(dense, b)) {
                assert!((x - expected).abs() < 1e-12, "{n}, {width}: {x}, {expected}");
            }
        }
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_is_refused() {
        let mut banded = Banded::zero(2, 1);
        [(0, 0, 1.0), (1, 0, 2.0), (1, 1, 1.0)].iter().for_each(|&(i, j, v)| banded.add(i, j, v));
        assert!(!banded.factorise());
    }
}
