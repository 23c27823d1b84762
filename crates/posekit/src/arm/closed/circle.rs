//! Equations between points of the unit circle, to which all closed forms of arms are reduced.
//!
//! An angle is the point `(cos, sin)`, a unit [`DVec2`]: `a.rotate(b)` adds two angles, and rotates a vector. So nothing is converted to an angle and back
//! until a solution is complete.

use crate::math::{quartic, sqrt};
use glam::DVec2;

/// An equation without a solution, missed by no more than this fraction, counts as one with a double solution: rounding.
const ROUNDING: f64 = 1e-12;

/// A line this near to a tangent \[squared, relative\] is one: the two solutions are apart by rounding alone.
const TANGENT: f64 = 8.0 * f64::EPSILON;

/// Coefficients below this have no direction: every angle is as good. The unit of length is the arm's.
pub(super) const NO_DIRECTION: f64 = 1e-9;

/// Solutions of an equation or of a pair of them, at most `N`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Roots<T, const N: usize> {
    pub(super) list: [T; N],
    pub(super) len: usize,
    /// The equation holds; otherwise these are the points that come nearest.
    pub(super) is_exact: bool,
}

/// The angle of the reverse rotation.
#[inline(always)]
pub(super) fn inverse(turn: DVec2) -> DVec2 {
    DVec2::new(turn.x, -turn.y)
}

/// The rotation that leads from one direction to another, or `otherwise` if one of them is none.
#[inline(always)]
pub(super) fn turn_between(from: DVec2, to: DVec2, otherwise: impl FnOnce() -> DVec2) -> DVec2 {
    let turn = inverse(from).rotate(to);
    let length = sqrt(turn.length_squared());
    if length > NO_DIRECTION * NO_DIRECTION && from.length_squared() > NO_DIRECTION * NO_DIRECTION {
        turn / length
    } else {
        otherwise()
    }
}

/// `a · x = d` for a point `x` of the circle: the fourth subproblem.
///
/// If the line misses the circle, the point nearest to it, or, if that may be because `d` is inaccurate, two points beside it: from between them, where two solutions
/// become one, no descent finds either. If `a` vanishes, `otherwise`.
///
/// - `softness`: how far `d` may be off, as a part of the radius
#[inline(always)]
pub(super) fn line(
    a: DVec2,
    d: f64,
    softness: f64,
    otherwise: impl FnOnce() -> DVec2,
) -> Roots<DVec2, 2> {
    let radius_squared = a.length_squared();
    if radius_squared <= NO_DIRECTION * NO_DIRECTION {
        let is_exact = d.abs() <= NO_DIRECTION;
        return Roots { list: [otherwise(); 2], len: 1, is_exact };
    }
    let inside = radius_squared - d * d;
    if inside > TANGENT * radius_squared {
        let (along, across) = (a * d, a.perp() * sqrt(inside));
        let by = 1.0 / radius_squared;
        return Roots {
            list: [(along + across) * by, (along - across) * by],
            len: 2,
            is_exact: true,
        };
    }
    let nearest = a * (f64::copysign(1.0, d) / sqrt(radius_squared));
    if inside.abs() < 2.0 * softness * radius_squared {
        let beside = nearest.perp() * sqrt(2.0 * softness);
        return Roots { list: [nearest + beside, nearest - beside], len: 2, is_exact: false };
    }
    Roots { list: [nearest; 2], len: 1, is_exact: -inside <= ROUNDING * radius_squared }
}

/// Two linear equations in two points of the circle, `a[i] · x + b[i] · y = d[i]`: the sixth subproblem.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub(super) a: [DVec2; 2],
    pub(super) b: [DVec2; 2],
    pub(super) d: [f64; 2],
    /// How far the equations may be off, as a part of the radius of the circles.
    pub(super) softness: f64,
}

/// A solution of a [`Pair`], and whether it is one, or only near.
pub(super) type Ends = (DVec2, DVec2, bool);

impl Pair {
    /// The same with combined equations, each a row of factors.
    #[inline(always)]
    pub(super) fn mixed(&self, rows: [DVec2; 2]) -> Self {
        let mixed = |v: [DVec2; 2]| rows.map(|row| v[0] * row.x + v[1] * row.y);
        let d = rows.map(|row| row.dot(DVec2::from_array(self.d)));
        Self { a: mixed(self.a), b: mixed(self.b), d, ..*self }
    }

    /// The same with `x` and `y` exchanged.
    #[inline(always)]
    pub(super) fn swapped(&self) -> Self {
        Self { a: self.b, b: self.a, ..*self }
    }

    /// At most four solutions of a pair whose first equation is free of `y`: the fourth subproblem, twice.
    #[inline(always)]
    pub(super) fn in_turn(&self, [x_if_any, y_if_any]: [impl Fn() -> DVec2; 2]) -> Roots<Ends, 4> {
        let mut roots = Roots { list: [(DVec2::X, DVec2::X, false); 4], len: 0, is_exact: false };
        let first = line(self.a[0], self.d[0], self.softness, x_if_any);
        for x in first.list.into_iter().take(first.len) {
            let rest = self.d[1] - self.a[1].dot(x);
            let second = line(self.b[1], rest, self.softness, &y_if_any);
            let is_exact = first.is_exact && second.is_exact;
            for y in second.list.into_iter().take(second.len) {
                roots.list[roots.len] = (x, y, is_exact);
                roots.len += 1;
            }
            roots.is_exact |= is_exact;
        }
        roots
    }

    /// The same for any pair.
    pub(super) fn solve(&self) -> Roots<Ends, 4> {
        let any = || DVec2::X;
        let [swapped, pair] = [self.swapped(), *self];
        let back = |mut roots: Roots<Ends, 4>| {
            roots.list = roots.list.map(|(y, x, is_exact)| (x, y, is_exact));
            roots
        };
        match (dependence(self.b), dependence(self.a)) {
            (None, _) => pair.together(any),
            (_, None) => back(swapped.together(any)),
            (Some(row), _) => pair.mixed([row, row.perp()]).in_turn([any, any]),
        }
    }

    /// At most four solutions, where `B` is regular.
    ///
    /// With `y = B⁻¹ (d − A x)` on the circle, `x` is a zero of a trigonometric polynomial of the second degree, which has the roots of a quartic.
    /// Complex roots give their real parts, and are not exact. If the polynomial vanishes, `x` is `otherwise`.
    pub(super) fn together(&self, otherwise: impl FnOnce() -> DVec2) -> Roots<Ends, 4> {
        let [b0, b1] = self.b;
        let by = 1.0 / b0.perp_dot(b1);
        // The rows of B⁻¹.
        let (top, bottom) = (DVec2::new(b1.y, -b0.y) * by, DVec2::new(-b1.x, b0.x) * by);
        let rows = [top, bottom].map(|row| self.a[0] * row.x + self.a[1] * row.y);
        let right = [top, bottom].map(|row| row.dot(DVec2::from_array(self.d)));
        let y = |x: DVec2| DVec2::new(right[0] - rows[0].dot(x), right[1] - rows[1].dot(x));
        let squares = [rows[0], rows[1]];
        let [xx, yy] =
            [0, 1].map(|i| squares[0][i] * squares[0][i] + squares[1][i] * squares[1][i]);
        let once = -2.0 * (rows[0] * right[0] + rows[1] * right[1]);
        let twice = DVec2::new(0.5 * (xx - yy), rows[0].x * rows[0].y + rows[1].x * rows[1].y);
        let constant = right[0] * right[0] + right[1] * right[1] - 1.0 + 0.5 * (xx + yy);
        let zeros = Wave { constant, once, twice }.zeros(otherwise);
        let unit = |v: DVec2| v / sqrt(v.length_squared()).max(f64::MIN_POSITIVE);
        Roots {
            list: zeros.list.map(|(x, is_exact)| (x, unit(y(x)), is_exact)),
            len: zeros.len,
            is_exact: zeros.is_exact,
        }
    }
}

/// A combination of two rows that vanishes, of unit length, if there is one.
fn dependence(rows: [DVec2; 2]) -> Option<DVec2> {
    /// The sine between rows that are parallel.
    const PARALLEL: f64 = 1e-9;
    let [a, b] = rows;
    let squares = DVec2::new(a.length_squared(), b.length_squared());
    let is_dependent = a.perp_dot(b).abs() <= PARALLEL * sqrt(squares.x * squares.y)
        || squares.min_element() <= NO_DIRECTION * NO_DIRECTION;
    // Orthogonal to the coefficients of both along the longer row.
    let along = if squares.x > squares.y { a } else { b };
    let row = DVec2::new(b.dot(along), -a.dot(along));
    let length = sqrt(row.length_squared());
    is_dependent.then(|| if length > 0.0 { row / length } else { DVec2::X })
}

/// `constant + once · (cos θ, sin θ) + twice · (cos 2θ, sin 2θ)`.
#[derive(Debug, Clone, Copy)]
struct Wave {
    constant: f64,
    once: DVec2,
    twice: DVec2,
}

/// Newton steps for each zero: two bring the eight digits of the closed form to sixteen.
const NEWTON: usize = 3;

impl Wave {
    fn value(&self, x: DVec2) -> f64 {
        self.constant + self.once.dot(x) + self.twice.dot(x.rotate(x))
    }

    fn slope(&self, x: DVec2) -> f64 {
        self.once.dot(x.perp()) + 2.0 * self.twice.dot(x.rotate(x).perp())
    }

    /// The same, of `θ + shift`.
    fn shifted(&self, shift: DVec2) -> Self {
        let back = inverse(shift);
        Self {
            constant: self.constant,
            once: back.rotate(self.once),
            twice: back.rotate(back).rotate(self.twice),
        }
    }

    /// At most four; with each, whether it is real.
    fn zeros(&self, otherwise: impl FnOnce() -> DVec2) -> Roots<(DVec2, bool), 4> {
        // θ = π is the infinity of tan θ/2, so it is put where the wave is far from zero. Of five equal angles, it cannot be near zero at all.
        const FIFTHS: [DVec2; 5] = [
            DVec2::new(1.0, 0.0),
            DVec2::new(0.309_016_994_374_947_45, 0.951_056_516_295_153_5),
            DVec2::new(-0.809_016_994_374_947_5, 0.587_785_252_292_473_1),
            DVec2::new(-0.809_016_994_374_947_5, -0.587_785_252_292_473_1),
            DVec2::new(0.309_016_994_374_947_45, -0.951_056_516_295_153_5),
        ];
        let mut far = FIFTHS[0];
        for fifth in FIFTHS {
            if self.value(fifth).abs() > self.value(far).abs() {
                far = fifth;
            }
        }
        if self.value(far).abs() <= NO_DIRECTION {
            return Roots { list: [(otherwise(), true); 4], len: 1, is_exact: true };
        }
        let shift = -far;
        let Self { constant: k, once, twice } = self.shifted(shift);
        let leading = k - once.x + twice.x;
        let coefficients = [
            k + once.x + twice.x,
            2.0 * once.y + 4.0 * twice.y,
            2.0 * k - 6.0 * twice.x,
            2.0 * once.y - 4.0 * twice.y,
        ];
        let roots = quartic(coefficients.map(|c| c / leading));
        let list = roots.map(|(t, is_real)| {
            let square = t * t;
            let x = DVec2::new(1.0 - square, 2.0 * t) / (1.0 + square);
            let x = x.rotate(shift);
            (if is_real { self.refined(x) } else { x }, is_real)
        });
        distinct(list)
    }

    fn refined(&self, x: DVec2) -> DVec2 {
        let mut x = x;
        for _ in 0..NEWTON {
            let (value, slope) = (self.value(x), self.slope(x));
            let by = -value / slope;
            // At a double zero the closed form is as good as it gets.
            if by.abs() < 0.1 {
                x += x.perp() * by;
                x /= sqrt(x.length_squared());
            }
        }
        x
    }
}

/// The points that differ, real ones first; complex ones only where there are none.
fn distinct(all: [(DVec2, bool); 4]) -> Roots<(DVec2, bool), 4> {
    const SAME: f64 = 1e-14;
    let mut roots = Roots { list: all, len: 0, is_exact: all.iter().any(|(_, is_real)| *is_real) };
    for wanted in [true, false] {
        for (x, is_real) in all {
            let is_new = |known: &(DVec2, bool)| known.0.distance_squared(x) > SAME;
            if is_real == wanted && roots.list[..roots.len].iter().all(is_new) {
                roots.list[roots.len] = (x, is_real);
                roots.len += 1;
            }
        }
    }
    roots
}
