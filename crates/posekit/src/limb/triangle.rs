//! The triangle of two bones and the line from start to end.

use super::rotation::half_ratio;
use crate::math::sqrt;

/// A bone shorter than this fraction of the limb counts as one of length zero: its effect on the end is below rounding.
pub(super) const NO_BONE: f64 = 1e-60;

/// The angles of the triangle that two bones make.
///
/// | Letter | Meaning |
/// |---|---|
/// | `a`, `b`, `d` | lengths of the first bone, the second bone, and the line from start to end |
/// | `φ` | bend at the middle joint, 0 when straight, π when folded |
/// | `α` | angle at the start joint between the first bone and the line to the end |
///
/// Each is given as two numbers in the ratio of the cosine to the sine of *half* the angle, which is what quaternions are
/// made of; their common factor is arbitrary, because the caller normalises once at the end.
#[derive(Debug, Clone, Copy)]
pub(super) struct Triangle {
    /// In the ratio of cos(φ/2) to sin(φ/2), both ≥ 0, not both 0.
    pub(super) half_bend: (f64, f64),
    /// In the ratio of cos(α/2) to sin(α/2), both ≥ 0, not both 0.
    pub(super) half_start: (f64, f64),
}

impl Triangle {
    /// A straight limb: both angles 0.
    const STRAIGHT: Self = Self { half_bend: (1.0, 0.0), half_start: (1.0, 0.0) };

    /// cos α and sin α.
    #[inline]
    pub(super) fn start(&self) -> (f64, f64) {
        let (cos_half, sin_half) = self.half_start;
        let (cos_squared, sin_squared) = (cos_half * cos_half, sin_half * sin_half);
        let scale = 1.0 / (cos_squared + sin_squared);
        ((cos_squared - sin_squared) * scale, 2.0 * cos_half * sin_half * scale)
    }
}

/// The triangle with sides `a`, `b` and `d`, where `d` is brought into `|a − b|..=a + b`.
///
/// # Degenerate cases
/// With a bone of length zero the triangle is a line: `φ = 0`, `α = 0`. With `d = 0` (equal bones) the limb is folded and
/// `α = π/2`, the limit from `d > 0`.
///
/// # Method
/// The half-angle law of cosines with differences of lengths kept as factors, after Kahan's needle-like triangles
/// \[kahan00\]: `cos²(φ/2) = (d − |a−b|)(d + |a−b|) / 4ab` and `sin²(φ/2) = (a+b−d)(a+b+d) / 4ab`. Near full reach and
/// near the fold the small factor is a plain difference of inputs, so no digits are lost, and no arc cosine can leave
/// its range. The angle at the start follows from the one at the end of the longer bone, because at the end of a very short bone it
/// would be lost in rounding.
///
/// Lengths must be 0 or within 1e-80..=1e100, the sum of the bones within 1e-20..=1e20, so that products keep their digits.
// Inlined into the one hot caller: a call would spill the limb's registers, which costs a sixth of the solve.
#[inline(always)]
pub(super) fn triangle(a: f64, b: f64, d: f64) -> Triangle {
    let (long, short) = if a >= b { (a, b) } else { (b, a) };
    let outer = a + b;
    if short <= NO_BONE * outer {
        return Triangle::STRAIGHT;
    }
    let inner = long - short;
    // The band of reachable distances is two short bones wide; the distance to its closer edge is exact.
    let band = 2.0 * short;
    let (low, high) = (d - inner, outer - d);
    let lower = low < high;
    let edge = if lower { low } else { high }.clamp(0.0, band);
    let rest = band - edge;
    let (above_inner, below_outer) = if lower { (edge, rest) } else { (rest, edge) };
    let d = inner + above_inner;
    // Up to a common factor these are cos(φ/2) and sin(φ/2), and their product is twice the triangle's area ...
    let cos_bend = sqrt(above_inner * (d + inner));
    let sin_bend = sqrt(below_outer * (d + outer));
    // ... which with the law of cosines is the angle at the end of the long bone, times `2 long d`.
    let (cos_long, sin_long) = (d * d + inner * outer, cos_bend * sin_bend);
    let size = sqrt(sin_long * sin_long + cos_long * cos_long);
    if size <= 0.0 {
        return Triangle { half_bend: (0.0, 1.0), half_start: (1.0, 1.0) };
    }
    let (cos_long, sin_long) = half_ratio(cos_long, sin_long, size);
    // The angles at the two ends of the line add up to the bend.
    let cos_short = cos_bend * cos_long + sin_bend * sin_long;
    let sin_short = (sin_bend * cos_long - cos_bend * sin_long).max(0.0);
    Triangle {
        half_bend: (cos_bend, sin_bend),
        half_start: if a >= b { (cos_long, sin_long) } else { (cos_short, sin_short) },
    }
}
