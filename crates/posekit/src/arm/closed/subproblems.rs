//! The six canonical subproblems of inverse kinematics: rotations of points about axes that must meet points, spheres, planes and each other.
//!
//! `R(k, θ)` is the rotation about the unit vector `k` by `θ`, in the sense of the right hand. Every function gives all solutions, or, where there is none, the angles
//! that come nearest in the sense stated, with [`Angles::is_exact`] false: so an arm degrades continuously at the edge of its reach.
//!
//! | | find | solutions | \[elias22\] |
//! |---|---|---|---|
//! | [`point_on_circle`] | `R(k, θ) p = q` | 1 | 1 |
//! | [`two_circles`] | `R(k₁, θ₁) p₁ = R(k₂, θ₂) p₂` | 2 | 2 |
//! | [`circle_and_sphere`] | <code>\|R(k, θ) p − q\| = d</code> | 2 | 3 |
//! | [`circle_and_plane`] | `h · R(k, θ) p = d` | 2 | 4 |
//! | [`three_circles`] | `p₀ + R(k₁, θ₁) p₁ = R(k₂, θ₂) (p₂ + R(k₃, θ₃) p₃)` | 4 | 5 |
//! | [`four_circles`] | two sums of two terms `h · R(k, θ) p`, in two angles | 4 | 6 |
//!
//! Paden and Kahan posed the first three \[murray94\], Elias and Wen the others. All are reduced to the fourth and the sixth, which are a line through a circle and the
//! intersection of two ellipses.
//!
//! ```
//! use posekit::arm::subproblems::circle_and_plane;
//! use posekit::glam::DVec3;
//!
//! // A point one metre from the z axis is turned until its y is 0.5 m: at 30 and at 150 degrees.
//! let angles = circle_and_plane(DVec3::Y, DVec3::X, DVec3::Z, 0.5);
//! assert!(angles.is_exact() && angles.as_slice().len() == 2);
//! // It never gets to 2 m, and is nearest at 90 degrees.
//! let angles = circle_and_plane(DVec3::Y, DVec3::X, DVec3::Z, 2.0);
//! assert!(!angles.is_exact() && (angles.as_slice()[0][0] - 0.5 * std::f64::consts::PI).abs() < 1e-12);
//! ```

use super::circle::{Pair, Roots, line, turn_between};
use crate::math::atan2;
use glam::{DVec2, DVec3};

/// At most `N` solutions, each with `K` angles in \[-pi, pi\] \[rad\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Angles<const K: usize, const N: usize> {
    list: [[f64; K]; N],
    len: usize,
    is_exact: bool,
}

impl<const K: usize, const N: usize> Angles<K, N> {
    /// The solutions; never none.
    #[must_use]
    pub fn as_slice(&self) -> &[[f64; K]] {
        &self.list[..self.len]
    }

    /// Whether the equation holds for them, to rounding. Otherwise they only come near.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    fn new<T: Copy>(roots: &Roots<T, N>, angles: impl Fn(T) -> [f64; K]) -> Self {
        Self { list: roots.list.map(angles), len: roots.len, is_exact: roots.is_exact }
    }
}

/// A term `h · R(k, θ) p`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Term {
    /// The direction along which the point is measured; its length is a factor.
    pub h: DVec3,
    /// The axis, of unit length.
    pub k: DVec3,
    /// The point.
    pub p: DVec3,
}

impl Term {
    /// `h · R(k, θ) p = constant + coefficients · (cos θ, sin θ)`.
    fn expanded(&self) -> (f64, DVec2) {
        let Self { h, k, p } = *self;
        let constant = h.dot(k) * k.dot(p);
        (constant, DVec2::new(h.dot(p) - constant, h.dot(k.cross(p))))
    }
}

/// Relative to the size of the points, a difference that is rounding.
const ROUNDING: f64 = 1e-9;

/// The angle that brings `R(k, θ) p` nearest to `q`. Exact if it gets there.
///
/// # Degenerate cases
/// If `p` or `q` is on the axis, every angle is as good, and the answer is 0.
#[must_use]
pub fn point_on_circle(p: DVec3, q: DVec3, k: DVec3) -> Angles<1, 1> {
    let turn = turn_about(k, p, q);
    let miss = (p.dot(k) - q.dot(k)).abs().max((p.length_squared() - q.length_squared()).abs());
    let size = p.length_squared().max(q.length_squared()).max(f64::MIN_POSITIVE);
    let roots = Roots { list: [turn], len: 1, is_exact: miss <= ROUNDING * size.max(1.0) };
    Angles::new(&roots, |turn| [angle(turn)])
}

/// The angles for which `R(k₁, θ₁) p₁ = R(k₂, θ₂) p₂`. Where the circles do not meet, the nearest points of two circles with these directions on one sphere.
///
/// # Degenerate cases
/// If the axes are parallel, there are no solutions or infinitely many, of which the one with `θ₁ = 0` is given.
#[must_use]
pub fn two_circles(p: [DVec3; 2], k: [DVec3; 2]) -> Angles<2, 2> {
    let lengths = p.map(|p| p.length_squared());
    let (constant, a) = Term { h: k[1], k: k[0], p: p[0] }.expanded();
    let mut roots = line(a, k[1].dot(p[1]) - constant, 0.0, || DVec2::X);
    roots.is_exact &= (lengths[0] - lengths[1]).abs() <= ROUNDING * lengths[0].max(lengths[1]);
    Angles::new(&roots, |first| {
        let second = turn_about(k[1], p[1], rotated(k[0], first, p[0]));
        [angle(first), angle(second)]
    })
}

/// The angles for which `R(k, θ) p` is at distance `d` from `q`, or as near to that as it gets.
#[must_use]
pub fn circle_and_sphere(p: DVec3, q: DVec3, k: DVec3, d: f64) -> Angles<1, 2> {
    // |R p − q|² = |p|² + |q|² − 2 q · R p.
    circle_and_plane(q, p, k, 0.5 * (p.length_squared() + q.length_squared() - d * d))
}

/// The angles for which `h · R(k, θ) p = d`, or as near to that as it gets.
///
/// # Degenerate cases
/// If the value does not depend on the angle, the answer is 0.
#[must_use]
pub fn circle_and_plane(h: DVec3, p: DVec3, k: DVec3, d: f64) -> Angles<1, 2> {
    let (constant, a) = Term { h, k, p }.expanded();
    Angles::new(&line(a, d - constant, 0.0, || DVec2::X), |turn| [angle(turn)])
}

/// The angles for which `p₀ + R(k₁, θ₁) p₁ = R(k₂, θ₂) (p₂ + R(k₃, θ₃) p₃)`.
///
/// Both sides have the same length and the same part along `k₂`: two linear equations in the sines and cosines of `θ₁` and `θ₃`, solved as [`four_circles`]; then `θ₂` turns the
/// right side to the left.
#[must_use]
pub fn three_circles(p: [DVec3; 4], k: [DVec3; 3]) -> Angles<3, 4> {
    let [first, middle, last] = k;
    let left = |h| Term { h, k: first, p: p[1] };
    let right = |h: DVec3| Term { h: -h, k: last, p: p[3] };
    let squares = p.map(|p| p.length_squared());
    let d = [middle.dot(p[2] - p[0]), 0.5 * (squares[2] + squares[3] - squares[0] - squares[1])];
    let terms = [[left(middle), right(middle)], [left(p[0]), right(p[2])]];
    Angles::new(&pair(terms, d).solve(), |(x, y, _)| {
        let from = p[2] + rotated(last, y, p[3]);
        let to = p[0] + rotated(first, x, p[1]);
        [x, turn_about(middle, from, to), y].map(angle)
    })
}

/// The angles for which both sums `terms[i][0](θ₁) + terms[i][1](θ₂) = d[i]` hold.
///
/// The two terms of an angle must have the same axis; that of the first row counts. Where there is no solution, the real parts of the complex ones.
#[must_use]
pub fn four_circles(terms: [[Term; 2]; 2], d: [f64; 2]) -> Angles<2, 4> {
    Angles::new(&pair(terms, d).solve(), |(x, y, _)| [angle(x), angle(y)])
}

fn pair([first, second]: [[Term; 2]; 2], d: [f64; 2]) -> Pair {
    let second = [0, 1].map(|i| Term { k: first[i].k, ..second[i] });
    let [first, second] = [first, second].map(|row| row.map(|term| term.expanded()));
    Pair {
        a: [first[0].1, second[0].1],
        b: [first[1].1, second[1].1],
        d: [d[0] - first[0].0 - first[1].0, d[1] - second[0].0 - second[1].0],
        softness: 0.0,
    }
}

fn angle(turn: DVec2) -> f64 {
    atan2(turn.y, turn.x)
}

/// The rotation about an axis that brings a point nearest to another.
fn turn_about(k: DVec3, p: DVec3, q: DVec3) -> DVec2 {
    let (constant, coefficients) = Term { h: q, k, p }.expanded();
    debug_assert!(constant.is_finite(), "the points are finite");
    turn_between(DVec2::X, coefficients, || DVec2::X)
}

fn rotated(k: DVec3, turn: DVec2, p: DVec3) -> DVec3 {
    let along = k * k.dot(p);
    along + (p - along) * turn.x + k.cross(p) * turn.y
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::sin_cos;
    use alloc::vec::Vec;
    use core::f64::consts::{PI, TAU};
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = DVec3> {
        prop::array::uniform3(-1.0..1.0_f64).prop_map(DVec3::from_array)
    }

    fn axis() -> impl Strategy<Value = DVec3> {
        vector().prop_filter_map("a direction", |v| {
            let length = crate::math::length(v);
            (length > 0.1).then(|| v / length)
        })
    }

    fn turned(k: DVec3, theta: f64, p: DVec3) -> DVec3 {
        let (sin, cos) = sin_cos(theta);
        rotated(k, DVec2::new(cos, sin), p)
    }

    /// The zeros of a function of an angle by brute force: sign changes, then bisection.
    fn zeros(f: impl Fn(f64) -> f64) -> Vec<f64> {
        const STEPS: usize = 720;
        let at = |k: usize| TAU * k as f64 / STEPS as f64 - PI;
        let mut zeros = Vec::new();
        for k in 0..STEPS {
            let (mut low, mut high) = (at(k), at(k + 1));
            if f(low) * f(high) > 0.0 {
                continue;
            }
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if f(low) * f(middle) <= 0.0 { high = middle } else { low = middle }
            }
            zeros.push(low);
        }
        zeros
    }

    fn least(f: impl Fn(f64) -> f64) -> f64 {
        (0..3600).map(|k| f(TAU * f64::from(k) / 3600.0)).fold(f64::INFINITY, f64::min)
    }

    fn contains<const K: usize, const N: usize>(
        angles: &Angles<K, N>,
        wanted: [f64; K],
        tolerance: f64,
    ) -> bool {
        let near = |a: f64, b: f64| crate::math::wrap_angle(a - b).abs() <= tolerance;
        angles.as_slice().iter().any(|found| found.iter().zip(wanted).all(|(a, b)| near(*a, b)))
    }

    proptest! {
        #[test]
        fn a_point_gets_as_near_to_another_as_it_can(p in vector(), q in vector(), k in axis(), theta in -PI..PI) {
            let found = point_on_circle(p, q, k).as_slice()[0][0];
            let miss = |theta| turned(k, theta, p).distance(q);
            prop_assert!(miss(found) <= least(miss) + 1e-12);
            let there = point_on_circle(p, turned(k, theta, p), k);
            prop_assert!(there.is_exact());
            prop_assume!(p.cross(k).length_squared() > 1e-6);
            prop_assert!(contains(&there, [theta], 1e-9));
        }

        #[test]
        fn two_circles_meet_where_they_were_made_to(p in vector(), k in axis(), l in axis(), a in -PI..PI, b in -PI..PI) {
            prop_assume!(k.cross(l).length_squared() > 1e-3 && p.cross(k).length_squared() > 1e-3);
            let q = turned(l, -b, turned(k, a, p));
            prop_assume!(q.cross(l).length_squared() > 1e-3);
            let found = two_circles([p, q], [k, l]);
            prop_assert!(found.is_exact());
            prop_assert!(contains(&found, [a, b], 1e-5));
            for [a, b] in found.as_slice() {
                prop_assert!(turned(k, *a, p).distance(turned(l, *b, q)) < 1e-7);
            }
        }

        #[test]
        fn circles_apart_give_their_nearest_points(p in axis(), q in axis(), k in axis(), l in axis()) {
            let found = two_circles([p, q], [k, l]);
            prop_assume!(!found.is_exact() && k.cross(l).length_squared() > 1e-3);
            let [a, b] = found.as_slice()[0];
            let reached = turned(k, a, p).distance(turned(l, b, q));
            let best = least(|a| {
                let there = turned(k, a, p);
                turned(l, point_on_circle(q, there, l).as_slice()[0][0], q).distance(there)
            });
            prop_assert!(reached <= best + 1e-9, "{} {}", reached, best);
        }

        #[test]
        fn planes_and_spheres_meet_circles_where_brute_force_says(h in vector(), p in vector(), k in axis(), d in -1.5..1.5_f64) {
            for is_sphere in [false, true] {
                let d = if is_sphere { d.abs() } else { d };
                let value = |theta: f64| {
                    let there = turned(k, theta, p);
                    if is_sphere { (there.distance_squared(h) - d * d) * 0.5 } else { h.dot(there) - d }
                };
                let found = if is_sphere { circle_and_sphere(p, h, k, d) } else { circle_and_plane(h, p, k, d) };
                let expected = zeros(value);
                prop_assert_eq!(found.is_exact(), !expected.is_empty());
                for theta in &expected {
                    prop_assert!(contains(&found, [*theta], 1e-6));
                }
                if found.is_exact() {
                    prop_assert!(found.as_slice().iter().all(|[theta]| value(*theta).abs() < 1e-12));
                } else {
                    let miss = value(found.as_slice()[0][0]).abs();
                    prop_assert!(miss <= least(|theta| value(theta).abs()) + 1e-12);
                }
            }
        }

        #[test]
        fn three_circles_close_as_they_were_made_to(
            p in prop::array::uniform3(vector()),
            k in prop::array::uniform3(axis()),
            angles in prop::array::uniform3(-PI..PI),
            kind in 0..4,
        ) {
            let [a, b, c] = angles;
            let [mut p1, p2, p3] = p;
            let [mut k1, k2, mut k3] = k;
            // Axes that are parallel, or meet: one of the equations is free of an angle.
            match kind {
                1 => k3 = k2,
                2 => k1 = k2,
                3 => p1 = turned(k2, b, turned(k3, c, p3)),
                _ => {}
            }
            if kind == 3 {
                p1 = turned(k1, -a, p1);
            }
            let p0 = if kind == 3 { turned(k2, b, p2) } else { turned(k2, b, p2 + turned(k3, c, p3)) - turned(k1, a, p1) };
            prop_assume!((kind == 1 || k2.cross(k3).length_squared() > 0.01) && (kind == 2 || k1.cross(k2).length_squared() > 0.01));
            let p = [p0, p1, p2, p3];
            let found = three_circles(p, [k1, k2, k3]);
            prop_assert!(found.is_exact());
            let miss = |[a, b, c]: [f64; 3]| {
                (p[0] + turned(k1, a, p[1])).distance(turned(k2, b, p[2] + turned(k3, c, p[3])))
            };
            let best = found.as_slice().iter().map(|angles| miss(*angles)).fold(f64::INFINITY, f64::min);
            prop_assert!(best < 1e-6, "{}", best);
        }

        #[test]
        fn four_circles_have_the_solutions_of_brute_force(
            vectors in prop::array::uniform8(vector()),
            k in prop::array::uniform2(axis()),
            d in prop::array::uniform2(-0.5..0.5_f64),
        ) {
            let term = |i: usize, k: DVec3| Term { h: vectors[2 * i], k, p: vectors[2 * i + 1] };
            let terms = [[term(0, k[0]), term(1, k[1])], [term(2, k[0]), term(3, k[1])]];
            let value = |row: usize, x: f64, y: f64| {
                let at = |term: &Term, theta| term.h.dot(turned(term.k, theta, term.p));
                at(&terms[row][0], x) + at(&terms[row][1], y) - d[row]
            };
            let found = four_circles(terms, d);
            if found.is_exact() {
                let n_good = found.as_slice().iter().filter(|[x, y]| value(0, *x, *y).abs() + value(1, *x, *y).abs() < 1e-6).count();
                prop_assert!(n_good > 0);
            }
            // For each x the y of the first equation, in both branches, put into the second.
            for branch in 0..2 {
                let y_of = |x: f64| {
                    let (constant, a) = terms[0][1].expanded();
                    let other = terms[0][0].h.dot(turned(k[0], x, terms[0][0].p));
                    let roots = line(a, d[0] - other - constant, 0.0, || DVec2::X);
                    (roots.len == 2).then(|| angle(roots.list[branch]))
                };
                let f = |x: f64| y_of(x).map_or(1.0, |y| value(1, x, y));
                for x in zeros(f) {
                    let Some(y) = y_of(x).filter(|y| value(1, x, *y).abs() < 1e-9) else { continue };
                    let slope = (f(x + 1e-5) - f(x - 1e-5)).abs() / 2e-5;
                    if slope > 1e-3 && slope < 1e3 {
                        prop_assert!(contains(&found, [x, y], 1e-4), "{} {} {:?}", x, y, found);
                    }
                }
            }
        }
    }
}
