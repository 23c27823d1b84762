//! The triangle of two bones and the line from start to end.

/// The angles of the triangle that two bones make, as sines and cosines.
///
/// | Letter | Meaning |
/// |---|---|
/// | `a`, `b`, `d` | lengths of the first bone, the second bone, and the line from start to end |
/// | `φ` | bend at the middle joint, 0 when straight, π when folded |
/// | `α` | angle at the start joint between the first bone and the line to the end |
#[derive(Debug, Clone, Copy)]
pub(super) struct Triangle {
    /// cos(φ/2), sin(φ/2), both ≥ 0.
    pub(super) half_bend: (f64, f64),
    /// cos α, sin α with sin α ≥ 0.
    pub(super) start: (f64, f64),
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
/// near the fold the small factor is a plain difference of inputs, so nothing is lost there, and no arc cosine can leave
/// its range. The angle at the start is taken from whichever bone is longer, because at the end of a very short bone it
/// would be lost in rounding.
#[inline]
pub(super) fn triangle(a: f64, b: f64, d: f64) -> Triangle {
    let (long, short) = if a >= b { (a, b) } else { (b, a) };
    let outer = a + b;
    if short <= 0.0 {
        return Triangle { half_bend: (1.0, 0.0), start: (1.0, 0.0) };
    }
    // Everything below is measured in reaches, so products cannot leave the range of numbers.
    let per_reach = 1.0 / outer;
    if !per_reach.is_finite() || short * per_reach < 1e-290 {
        return Triangle { half_bend: (1.0, 0.0), start: (1.0, 0.0) };
    }
    let difference = (long - short) * per_reach;
    let (long, short) = (long * per_reach, short * per_reach);
    // The band of reachable distances is `2 short` wide; the nearer of its edges fixes the place in it.
    let band = 2.0 * short;
    let (above_inner, below_outer) = {
        let (low, high) = (d * per_reach - difference, (outer - d) * per_reach);
        if low < high {
            let low = low.clamp(0.0, band);
            (low, band - low)
        } else {
            let high = high.clamp(0.0, band);
            (band - high, high)
        }
    };
    let d = difference + above_inner;
    let per_product = 1.0 / (4.0 * long * short);
    let cos_half = (above_inner * (d + difference) * per_product).sqrt();
    let sin_half = (below_outer * (d + 1.0) * per_product).sqrt();
    // Twice the triangle's area over the long bone and d, and the law of cosines there; both times `2 long d`.
    let sin_long = 4.0 * long * short * cos_half * sin_half;
    let cos_long = d * d + difference;
    let size = (sin_long * sin_long + cos_long * cos_long).sqrt();
    let (cos_long, sin_long) =
        if size > 0.0 { (cos_long / size, sin_long / size) } else { (0.0, 1.0) };
    let start = if a >= b {
        (cos_long, sin_long)
    } else {
        // The angles at the two ends of the line add up to the bend.
        let (cos_bend, sin_bend) =
            (cos_half * cos_half - sin_half * sin_half, 2.0 * cos_half * sin_half);
        (
            cos_bend * cos_long + sin_bend * sin_long,
            (sin_bend * cos_long - cos_bend * sin_long).max(0.0),
        )
    };
    Triangle { half_bend: (cos_half, sin_half), start }
}
