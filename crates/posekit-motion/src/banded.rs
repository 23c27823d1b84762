//! Banded symmetric systems, solved by Cholesky's factorisation.

/// A symmetric matrix whose entries farther than `width` from the diagonal are zero: the upper triangle, row after row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Banded {
    width: usize,
    /// Of each row the entries from the diagonal to `width` columns after it; those after the last column are unused.
    rows: Vec<f64>,
}

impl Banded {
    /// Makes it the zero matrix of `n` rows, in the memory that it has.
    pub(crate) fn set_zero(&mut self, n: usize, width: usize) {
        self.width = width;
        self.rows.clear();
        self.rows.resize(n * (width + 1), 0.0);
    }

    /// Adds to the entry at `(row, column)` and its mirror image; `row` is at most `column`, and at most `width` before it.
    #[inline]
    pub(crate) fn add(&mut self, row: usize, column: usize, value: f64) {
        self.rows[row * (self.width + 1) + column - row] += value;
    }

    /// Replaces the matrix with its Cholesky factor `U`, `A = Uᵀ U`; `false` where it is not positive definite, and the content is then of no use.
    ///
    /// The diagonal of the factor is stored inverted. Columns that nothing couples stay zero and cost nothing.
    pub(crate) fn factorise(&mut self) -> bool {
        let (width, stride) = (self.width, self.width + 1);
        let mut own = vec![0.0; stride];
        for row in 0..self.rows.len() / stride {
            let (above, rest) = self.rows.split_at_mut(row * stride);
            own.copy_from_slice(&rest[..stride]);
            // The part of the row `back` above that is over this one, from this one's diagonal on.
            let over =
                |back: usize| &above[(row - back) * stride + back..(row - back + 1) * stride];
            let most = width.min(row);
            let mut back = 1;
            // Four at once, so that this row is read and written a fourth as often.
            while back + 3 <= most {
                subtract_four(
                    &mut own,
                    [over(back), over(back + 1), over(back + 2), over(back + 3)],
                );
                back += 4;
            }
            (back..=most).for_each(|back| subtract(&mut own, over(back), 0));
            if !(own[0] > 0.0 && own[0].is_finite()) {
                return false;
            }
            let inverse = 1.0 / own[0].sqrt();
            rest[0] = inverse;
            let entries = rest[1..stride].iter_mut().zip(&own[1..]);
            entries.for_each(|(entry, own)| *entry = own * inverse);
        }
        true
    }

    /// Solves `A x = b` in place, for a matrix that was factorised.
    pub(crate) fn solve(&self, b: &mut [f64]) {
        let rows = || self.rows.chunks_exact(self.width + 1).enumerate();
        for (row, own) in rows() {
            b[row] *= own[0];
            let value = b[row];
            b[row + 1..].iter_mut().zip(&own[1..]).for_each(|(b, entry)| *b -= entry * value);
        }
        for (row, own) in rows().rev() {
            let n = own.len().min(b.len() - row);
            b[row] = (b[row] - dot(&b[row + 1..row + n], &own[1..n])) * own[0];
        }
    }
}

/// Takes a row times its first entry off another, from a place on.
fn subtract(own: &mut [f64], over: &[f64], from: usize) {
    let factor = over[0];
    if factor != 0.0 {
        let pairs = own[from..].iter_mut().zip(&over[from..]);
        pairs.for_each(|(own, over)| *own -= factor * over);
    }
}

/// The same with four rows, each one shorter than the one before.
fn subtract_four(own: &mut [f64], over: [&[f64]; 4]) {
    let [a, b, c, d] = over;
    let (f, g, h, i) = (a[0], b[0], c[0], d[0]);
    if f == 0.0 && g == 0.0 && h == 0.0 && i == 0.0 {
        return;
    }
    let shortest = d.len();
    let (a, b, c) = (&a[..shortest], &b[..shortest], &c[..shortest]);
    for ((((own, a), b), c), d) in own[..shortest].iter_mut().zip(a).zip(b).zip(c).zip(d) {
        *own -= (f * a + g * b) + (h * c + i * d);
    }
    over[..3].iter().for_each(|over| subtract(own, over, shortest));
}

/// The inner product, in four sums that do not wait for each other.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (a, b) = (a.chunks_exact(4), b.chunks_exact(4));
    let rest: f64 = a.remainder().iter().zip(b.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a.zip(b) {
        (0..4).for_each(|k| sums[k] += a[k] * b[k]);
    }
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
            let mut banded = Banded::default();
            banded.set_zero(n, width);
            let mut dense = vec![vec![0.0; n]; n];
            for row in 0..n {
                for column in row.saturating_sub(width)..=row {
                    let value =
                        random() + if row == column { 3.0 * width as f64 + 2.0 } else { 0.0 };
                    banded.add(column, row, value);
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
        let mut banded = Banded::default();
        banded.set_zero(2, 1);
        [(0, 0, 1.0), (0, 1, 2.0), (1, 1, 1.0)].iter().for_each(|&(i, j, v)| banded.add(i, j, v));
        assert!(!banded.factorise());
    }
}
