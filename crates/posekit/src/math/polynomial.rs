//! Real roots of polynomials of the second to the fourth degree.

use super::{acos, cos, sqrt};

/// A complex pair whose imaginary part is no more than the root of this fraction of its size counts as a double root: rounding.
const ROUNDING: f64 = 1e-12;

/// The roots of `x⁴ + c₃x³ + c₂x² + c₁x + c₀`: the real ones, and the real parts of the others; with each, whether it is real.
///
/// Ferrari: a root `m` of the resolvent cubic splits the depressed quartic into two quadratics with real coefficients.
pub(crate) fn quartic([c0, c1, c2, c3]: [f64; 4]) -> [(f64, bool); 4] {
    let quarter = 0.25 * c3;
    let square = quarter * quarter;
    let p = c2 - 6.0 * square;
    let q = c1 - 2.0 * quarter * c2 + 8.0 * quarter * square;
    let r = c0 - quarter * c1 + square * c2 - 3.0 * square * square;
    let m = cubic(p, 0.25 * p * p - r, -0.125 * q * q).max(0.0);
    let root = sqrt(2.0 * m);
    let (sum, difference) = (0.5 * p + m, if root > 0.0 { 0.5 * q / root } else { 0.0 });
    // For q = 0 and m = 0 the quadratics differ in their constants alone.
    let apart = if root > 0.0 { difference } else { sqrt((sum * sum - r).max(0.0)) };
    let [a, b] = quadratic(root, sum - apart);
    let [c, d] = quadratic(-root, sum + apart);
    [a, b, c, d].map(|(x, is_real)| (x - quarter, is_real))
}

/// The roots of `x² + px + q`, or their real part.
fn quadratic(p: f64, q: f64) -> [(f64, bool); 2] {
    let half = -0.5 * p;
    let inside = half * half - q;
    let size = half * half + q.abs();
    if inside < 0.0 {
        return [(half, -inside <= ROUNDING * size); 2];
    }
    let far = half + f64::copysign(sqrt(inside), half);
    let near = if far == 0.0 { 0.0 } else { q / far };
    [(far, true), (near, true)]
}

/// The largest real root of `x³ + bx² + cx + d`.
fn cubic(b: f64, c: f64, d: f64) -> f64 {
    let third = b / 3.0;
    let p = c - b * third;
    let q = 2.0 * third * third * third - third * c + d;
    // x = y − b/3, y³ + py + q = 0.
    let (half, cube) = (0.5 * q, -p / 3.0);
    let inside = half * half - cube * cube * cube;
    let mut x = if inside <= 0.0 && cube > 0.0 {
        let size = sqrt(cube);
        2.0 * size * cos(acos(-half / (size * cube)) / 3.0) - third
    } else {
        let far = libm::cbrt(-half - f64::copysign(sqrt(inside.max(0.0)), half));
        far + if far == 0.0 { 0.0 } else { cube / far } - third
    };
    for _ in 0..2 {
        let slope = (3.0 * x + 2.0 * b) * x + c;
        let by = (((x + b) * x + c) * x + d) / slope;
        if by.is_finite() && by.abs() < 0.1 * (x.abs() + third.abs()) {
            x -= by;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The coefficients of `(x − a)(x − b)(x² + px + q)`, from the constant.
    fn product(a: f64, b: f64, p: f64, q: f64) -> [f64; 4] {
        let (s, t) = (-(a + b), a * b);
        [t * q, s * q + t * p, q + s * p + t, p + s]
    }

    fn finds(roots: &[(f64, bool); 4], root: f64, tolerance: f64) -> bool {
        roots.iter().any(|(x, is_real)| *is_real && (x - root).abs() <= tolerance)
    }

    #[test]
    fn special_quartics_have_their_roots() {
        // x⁴ = 0, x⁴ = 1, (x² − 1)(x² − 4), (x − 1)⁴, x⁴ + 1.
        assert!(quartic([0.0; 4]).iter().all(|root| *root == (0.0, true)));
        let roots = quartic([-1.0, 0.0, 0.0, 0.0]);
        assert!(finds(&roots, 1.0, 1e-14) && finds(&roots, -1.0, 1e-14), "{roots:?}");
        let roots = quartic([4.0, 0.0, -5.0, 0.0]);
        for root in [-2.0, -1.0, 1.0, 2.0] {
            assert!(finds(&roots, root, 1e-13), "{roots:?}");
        }
        let roots = quartic([1.0, -4.0, 6.0, -4.0]);
        assert!(finds(&roots, 1.0, 1e-6), "{roots:?}");
        assert!(quartic([1.0, 0.0, 0.0, 0.0]).iter().all(|(_, is_real)| !is_real));
    }

    proptest! {
        #[test]
        fn real_roots_are_found(a in -3.0..3.0_f64, b in -3.0..3.0_f64, p in -3.0..3.0_f64, q in -3.0..3.0_f64) {
            let apart = (a - b).abs();
            let value = |x: f64| (x + p) * x + q;
            prop_assume!(apart > 1e-2 && value(a).abs() > 1e-2 && value(b).abs() > 1e-2);
            prop_assume!((p * p - 4.0 * q).abs() > 1e-3);
            let roots = quartic(product(a, b, p, q));
            prop_assert!(finds(&roots, a, 1e-6) && finds(&roots, b, 1e-6), "{:?}", roots);
            let n_real = roots.iter().filter(|(_, is_real)| *is_real).count();
            prop_assert_eq!(n_real, if p * p > 4.0 * q { 4 } else { 2 });
        }
    }
}
