//! Small dense algebra, row by row. No allocation.

use super::sqrt;

use super::simd::Lanes;

/// Cholesky factor of a symmetric positive semidefinite matrix, in place; rows that depend on the rows before them are skipped.
///
/// - `a`: `n × n`, row by row; only the upper triangle is read; on return `U` of `a = Uᵀ D U` above the diagonal, and on it the
///   *reciprocals* of `D`, 0 for a skipped row; the lower triangle is scratch
/// - `n`: the order
/// - `independent`: a row counts as dependent where its pivot is at most this fraction of its diagonal element, or rounding
///
/// With the factor, [`cholesky_solve`] gives a solution that is 0 in the skipped rows. Returns false when an element is
/// not finite; `a` is then half-factored.
///
/// # Degenerate cases
/// `n = 0` is allowed. A slice shorter than `n * n` returns false. Of a matrix without a positive pivot every row is skipped.
/// # Method
/// Without square roots; each row is eliminated from all below it at once, which keeps the chains of dependent operations short \[golub13\], section 4.2.
#[must_use]
pub(crate) fn cholesky_factor(a: &mut [f64], n: usize, independent: f64) -> bool {
    if n.checked_mul(n).is_none_or(|size| a.len() < size) {
        return false;
    }
    // The orders of a point and of a pose are constants to the compiler.
    match n {
        3 => factor_square::<3>(a, independent),
        6 => factor_square::<6>(a, independent),
        _ => factor(a, n, independent.max(f64::EPSILON)),
    }
}

/// [`cholesky_factor`] of a constant order up to six, with no loop left.
#[inline(always)]
pub(crate) fn cholesky_factor_square<V: Lanes, const N: usize>(
    u: &mut [[V; N]; N],
    independent: f64,
) -> V::Mask {
    let least = independent.max(f64::EPSILON);
    let least = core::array::from_fn(|i| u[i][i] * least);
    eliminate::<V, N, 0>(u, &least)
        & eliminate::<V, N, 1>(u, &least)
        & eliminate::<V, N, 2>(u, &least)
        & eliminate::<V, N, 3>(u, &least)
        & eliminate::<V, N, 4>(u, &least)
        & eliminate::<V, N, 5>(u, &least)
}

/// The same in a slice.
#[inline(always)]
fn factor_square<const N: usize>(a: &mut [f64], independent: f64) -> bool {
    let mut u = [[0.0; N]; N];
    for (row, a) in u.iter_mut().zip(a.chunks_exact(N)) {
        row.copy_from_slice(a);
    }
    let is_sound = cholesky_factor_square(&mut u, independent);
    for (row, a) in u.iter().zip(a.chunks_exact_mut(N)) {
        a.copy_from_slice(row);
    }
    is_sound
}

/// Takes row `K` out of those below it.
#[inline(always)]
fn eliminate<V: Lanes, const N: usize, const K: usize>(
    u: &mut [[V; N]; N],
    least: &[V; N],
) -> V::Mask {
    if K >= N {
        let zero = u[0][0].splat(0.0);
        return zero.equals(zero);
    }
    let (row, pivot) = (u[K], u[K][K]);
    let inverse = V::select(pivot.up_to(least[K]), pivot.splat(0.0), pivot.splat(1.0) / pivot);
    for i in K + 1..N {
        let scaled = row[i] * inverse;
        // From the diagonal on, two at a time.
        for j in (i & !1)..N {
            u[i][j] -= scaled * row[j];
        }
    }
    u[K] = row.map(|u| u * inverse);
    u[K][K] = inverse;
    pivot.is_finite() & inverse.is_finite()
}

#[inline(always)]
fn factor(a: &mut [f64], n: usize, least: f64) -> bool {
    // The diagonal as it was is kept below the diagonal, in the first column.
    for i in 1..n {
        a[i * n] = a[i * n + i];
    }
    for k in 0..n {
        let (above, below) = a.split_at_mut((k + 1) * n);
        let row = &mut above[k * n..];
        let (diagonal, pivot) = (row[0], row[k]);
        let inverse = if pivot <= least * diagonal { 0.0 } else { pivot.recip() };
        // The reciprocal of a tiny pivot may overflow.
        if !pivot.is_finite() || !inverse.is_finite() {
            return false;
        }
        row[k] = inverse;
        for (i, out) in (k + 1..n).zip(below.chunks_exact_mut(n)) {
            let scaled = row[i] * inverse;
            for (out, u) in out[i..].iter_mut().zip(&row[i..n]) {
                *out -= scaled * u;
            }
        }
        for u in &mut row[k + 1..n] {
            *u *= inverse;
        }
    }
    true
}

/// Solves `Uᵀ D U x = b` in place, with the factor of [`cholesky_factor`].
///
/// - `u`: `n × n`, row by row; the upper triangle is read
/// - `b`: `n` numbers, `n` taken from its length; the solution on return
///
/// # Degenerate cases
/// With a slice `u` shorter than `n * n`, `b` is unchanged.
pub(crate) fn cholesky_solve(u: &[f64], b: &mut [f64]) {
    let n = b.len();
    if n.checked_mul(n).is_none_or(|size| u.len() < size) {
        return;
    }
    match n {
        3 => solve_square::<3>(u, b),
        6 => solve_square::<6>(u, b),
        _ => solve(u, n, b),
    }
}

/// [`cholesky_solve`] of a constant order: each known value is eliminated from all others at once, which keeps the chains of dependent operations short.
#[inline(always)]
pub(crate) fn cholesky_solve_square<V: Lanes, const N: usize>(u: &[[V; N]; N], x: &mut [V; N]) {
    for k in 0..N {
        let known = x[k];
        for j in k + 1..N {
            x[j] -= u[k][j] * known;
        }
        x[k] = known * u[k][k];
    }
    for k in (0..N).rev() {
        let known = x[k];
        for j in 0..k {
            x[j] -= u[j][k] * known;
        }
    }
}

/// The same in slices.
#[inline(always)]
fn solve_square<const N: usize>(a: &[f64], b: &mut [f64]) {
    let Some(b) = b.first_chunk_mut::<N>() else { return };
    let mut u = [[0.0; N]; N];
    for (row, a) in u.iter_mut().zip(a.chunks_exact(N)) {
        row.copy_from_slice(a);
    }
    let mut x = *b;
    cholesky_solve_square(&u, &mut x);
    *b = x;
}

#[inline(always)]
fn solve(u: &[f64], n: usize, b: &mut [f64]) {
    let b = &mut b[..n];
    for k in 0..n {
        let (row, x) = (&u[k * n..][..n], b[k]);
        for j in k + 1..n {
            b[j] -= row[j] * x;
        }
        b[k] = x * row[k];
    }
    for k in (0..n).rev() {
        let row = &u[k * n..][..n];
        b[k] -= dot(&row[k + 1..], &b[k + 1..]);
    }
}

/// The eigenvalues of a symmetric matrix, in no particular order. An element that is not finite gives values that are not.
///
/// # Method
/// Cyclic Jacobi rotations \[golub13\], section 8.5: each makes one element vanish, and after a few sweeps all are rounding.
#[must_use]
pub(crate) fn symmetric_eigenvalues<const N: usize>(mut a: [[f64; N]; N]) -> [f64; N] {
    /// Convergence is quadratic: matrices of order six need four to six.
    const SWEEPS: usize = 12;
    for _ in 0..SWEEPS {
        let mut is_diagonal = true;
        for p in 0..N {
            for q in p + 1..N {
                if a[p][q].abs() <= f64::EPSILON * f64::EPSILON * (a[p][p].abs() + a[q][q].abs()) {
                    continue;
                }
                is_diagonal = false;
                let ratio = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let tangent = f64::copysign(1.0, ratio) / (ratio.abs() + sqrt(1.0 + ratio * ratio));
                let cosine = 1.0 / sqrt(1.0 + tangent * tangent);
                rotate(&mut a, p, q, (tangent * cosine, cosine));
            }
        }
        if is_diagonal {
            break;
        }
    }
    core::array::from_fn(|i| a[i][i])
}

/// Rotates rows and columns `p` and `q`.
fn rotate<const N: usize>(a: &mut [[f64; N]; N], p: usize, q: usize, (sine, cosine): (f64, f64)) {
    for row in a.iter_mut() {
        (row[p], row[q]) = (cosine * row[p] - sine * row[q], sine * row[p] + cosine * row[q]);
    }
    for k in 0..N {
        let (x, y) = (a[p][k], a[q][k]);
        (a[p][k], a[q][k]) = (cosine * x - sine * y, sine * x + cosine * y);
    }
}

/// Sum of products over the shorter of two slices, in four interleaved partial sums; zeros at the end do not change it.
#[inline]
#[must_use]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len().min(b.len());
    let mut sums = [0.0; 4];
    let (a4, b4) = (a[..n].chunks_exact(4), b[..n].chunks_exact(4));
    let (a_rest, b_rest) = (a4.remainder(), b4.remainder());
    for (x, y) in a4.zip(b4) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    for ((sum, x), y) in sums.iter_mut().zip(a_rest).zip(b_rest) {
        *sum += x * y;
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3])
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    #[test]
    fn eigenvalues_of_known_matrices() {
        // The second difference with both ends held: 2 - 2 cos(k pi / 4).
        let root = sqrt(2.0);
        let mut values =
            symmetric_eigenvalues([[2.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 2.0]]);
        values.sort_by(f64::total_cmp);
        for (value, expected) in values.iter().zip([2.0 - root, 2.0, 2.0 + root]) {
            assert!((value - expected).abs() < 1e-14, "{values:?}");
        }
        assert_eq!(symmetric_eigenvalues([[0.0; 6]; 6]), [0.0; 6]);
        assert!(symmetric_eigenvalues([[f64::NAN; 2]; 2])[0].is_nan());
    }

    proptest! {
        #[test]
        fn eigenvalues_keep_trace_and_determinant(rows in prop::array::uniform3(prop::array::uniform6(-1.0..1.0))) {
            let mut gram = [[0.0; 6]; 6];
            for (i, j) in (0..6).flat_map(|i| (0..6).map(move |j| (i, j))) {
                gram[i][j] = rows.iter().map(|row: &[f64; 6]| row[i] * row[j]).sum();
            }
            let mut values = symmetric_eigenvalues(gram);
            let trace: f64 = (0..6).map(|i| gram[i][i]).sum();
            prop_assert!((values.iter().sum::<f64>() - trace).abs() < 1e-13);
            // Three rows: three eigenvalues vanish.
            values.sort_by(f64::total_cmp);
            prop_assert!(values[..3].iter().all(|value| value.abs() < 1e-14), "{:?}", values);
            let squares: f64 = gram.iter().flatten().map(|a| a * a).sum();
            prop_assert!((values.iter().map(|v| v * v).sum::<f64>() - squares).abs() < 1e-12);
        }
    }

    #[test]
    fn cholesky_of_a_known_matrix() {
        // From U = [1 3 -4; 0 1 5; 0 0 1] and D = [4 1 9].
        let mut a = [4.0, 12.0, -16.0, 0.0, 37.0, -43.0, 0.0, 0.0, 98.0];
        assert!(cholesky_factor(&mut a, 3, 0.0));
        let upper = [a[0], a[1], a[2], a[4], a[5], a[8]];
        assert_eq!(upper, [0.25, 3.0, -4.0, 1.0, 5.0, 1.0 / 9.0]);
        let mut b = [4.0, 12.0, -16.0];
        cholesky_solve(&a, &mut b);
        assert_eq!(b, [1.0, 0.0, 0.0]);
    }

    #[test]
    fn cholesky_refuses_what_is_not_finite() {
        for mut a in
            [[f64::NAN, 0.0, 0.0, 1.0], [1.0, f64::NAN, 0.0, 1.0], [f64::INFINITY, 0.0, 0.0, 1.0]]
        {
            assert!(!cholesky_factor(&mut a, 2, 0.0), "{a:?}");
        }
        assert!(cholesky_factor(&mut [], 0, 0.0));
        assert!(!cholesky_factor(&mut [1.0], 2, 0.0));
        assert!(!cholesky_factor(&mut [1.0], usize::MAX, 0.0));
        let mut b = [1.0, 2.0];
        cholesky_solve(&[1.0], &mut b);
        assert_eq!(b, [1.0, 2.0]);
    }

    #[test]
    fn dependent_rows_are_skipped() {
        // The third row is the sum of the first two.
        let rows = [[1.0, 2.0, 0.5], [0.0, 1.0, -1.0], [1.0, 3.0, -0.5]];
        let mut a: Vec<f64> = (0..9).map(|k| dot(&rows[k / 3], &rows[k % 3])).collect();
        let full = a.clone();
        assert!(cholesky_factor(&mut a, 3, 1e-9));
        assert_eq!(a[8], 0.0);
        let x = [0.7, -1.3, 0.0];
        let mut b: Vec<f64> = full.chunks_exact(3).map(|row| dot(row, &x)).collect();
        cholesky_solve(&a, &mut b);
        assert!(b.iter().zip(x).all(|(b, x)| (b - x).abs() < 1e-13), "{b:?}");
        // Without a positive pivot every row is skipped.
        let mut negative = [-1.0];
        assert!(cholesky_factor(&mut negative, 1, 0.0));
        assert_eq!(negative, [0.0]);
    }

    proptest! {
        #[test]
        fn cholesky_solves(n in 1_usize..12, values in prop::collection::vec(-1.0..1.0_f64, 156)) {
            let (matrix, x) = (&values[..n * n], &values[144..144 + n]);
            let at = |i: usize, j: usize| -> f64 {
                let sum: f64 = (0..n).map(|k| matrix[i * n + k] * matrix[j * n + k]).sum();
                sum + if i == j { 0.1 } else { 0.0 }
            };
            let mut a: Vec<f64> = (0..n * n).map(|k| at(k / n, k % n)).collect();
            let mut b: Vec<f64> = (0..n).map(|i| (0..n).map(|j| at(i, j) * x[j]).sum()).collect();
            prop_assert!(cholesky_factor(&mut a, n, 0.0));
            cholesky_solve(&a, &mut b);
            for (found, expected) in b.iter().zip(x) {
                prop_assert!((found - expected).abs() < 1e-11);
            }
        }
    }
}
