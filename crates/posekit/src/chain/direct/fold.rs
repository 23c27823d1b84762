//! The ways for chains that Newton's method cannot pull: bent from straight, turned at one joint, folded.

use super::super::{Four, Space};
use super::Way;
use super::bones::Bones;
use super::vector::{fixed_across, make_across, make_unit, rotate};
use crate::math::sqrt;
use alloc::vec::Vec;

/// Finds the unit direction across the chord to which bones bend, or, where they do not, the fixed rule.
pub(super) fn find_across<S: Space>(
    space: S,
    bones: &Bones,
    e: &S::Row<f64>,
    place: &mut S::Row<f64>,
    across: &mut S::Row<f64>,
) {
    let n = space.n();
    for k in 0..n {
        (place[k], across[k]) = (0.0, 0.0);
    }
    let mut arc = 0.0;
    for (u, length) in bones.directions(n).chunks_exact(n).zip(bones.lengths()) {
        for k in 0..n {
            // A bone that is a point has no direction to speak of.
            place[k] += length * u[k];
            across[k] += length * place[k];
        }
        arc += length;
    }
    if !make_across(across.as_mut(), e.as_ref(), 1e-9 * arc * arc) {
        fixed_across(e.as_ref(), across.as_mut());
    }
}

/// Bends straight bones into a circular arc whose chord is a little shorter than `d`, so that Newton has to pull, not push.
///
/// An arc of half-angle `a` has chord over length `sin a / a`; `√(6 (1 − x)) (1 + 0.28 (1 − x))` inverts that to 2 %.
pub(super) fn bend<S: Space>(
    space: S,
    bones: &mut Bones,
    (d, outer): (f64, f64),
    e: &S::Row<f64>,
    across: &S::Row<f64>,
) {
    let slack = 1.0 - d / outer;
    let half_angle = sqrt(6.0 * slack) * (1.0 + 0.28 * slack);
    let by_length = 2.0 * half_angle / outer;
    let n = space.n();
    bones.redirect(n, |middles, u| {
        let angles = Four::all(half_angle) - Four::all(by_length) * Four::new(middles);
        let (cosines, sines) = unit_circle(angles);
        let turns = cosines.numbers().into_iter().zip(sines.numbers());
        for (u, (cosine, sine)) in u.chunks_exact_mut(n).zip(turns) {
            for k in 0..n {
                u[k] = cosine * e[k] + sine * across[k];
            }
        }
    });
}

/// A chain laid out flat, one bone after the other.
#[derive(Debug, Clone, Default)]
pub(super) struct Flat {
    n: usize,
    lengths: Vec<f64>,
    /// Bone directions, `n` numbers a bone.
    u: Vec<f64>,
    /// Direction of the chord and of the target.
    e: Vec<f64>,
    /// Unit direction across `e`, in which a chain without a bend is bent.
    across: Vec<f64>,
    /// Three vectors in passing.
    spare: [Vec<f64>; 3],
}

impl Flat {
    /// Takes over the bones, the direction of their chord, and the direction across it to which they bend.
    pub(super) fn read<S: Space>(
        &mut self,
        space: S,
        bones: &Bones,
        e: &S::Row<f64>,
        across: &S::Row<f64>,
    ) {
        let n = space.n();
        self.n = n;
        self.lengths.clear();
        self.lengths.extend_from_slice(bones.lengths());
        self.u.clear();
        self.u.extend_from_slice(bones.directions(n));
        self.e.clear();
        self.e.extend_from_slice(e.as_ref());
        self.across.clear();
        self.across.extend_from_slice(across.as_ref());
        self.spare.iter_mut().for_each(|row| row.resize(n, 0.0));
    }

    /// Meets a target strictly inside the reach, at distance `d`, without asking for the least change.
    pub(super) fn turn_or_fold(&mut self, d: f64, outer: f64) -> Way {
        if self.turn_at_one_joint(d) {
            return Way::Hinged;
        }
        self.fold(d, outer);
        Way::Folded
    }

    /// Lays the bones end to end from the root, which stays, all turned by `turn` (columns).
    pub(super) fn write<S: Space>(&self, space: S, turn: &S::Row<S::Row<f64>>, points: &mut [f64]) {
        let n = space.n();
        for (i, (u, length)) in self.u.chunks_exact(n).zip(&self.lengths).enumerate() {
            for k in 0..n {
                let turned: f64 = (0..n).map(|j| turn[j][k] * u[j]).sum();
                points[(i + 1) * n + k] = points[i * n + k] + length * turned;
            }
        }
    }

    /// Turns the chain at the one joint where the two rigid parts, with chords `a` and `b`, make the fullest triangle with
    /// `d`; false when no joint can.
    fn turn_at_one_joint(&mut self, d: f64) -> bool {
        let n = self.n;
        if d <= 0.0 {
            return false;
        }
        let [whole, part, _] = &mut self.spare;
        add_up(whole, &self.u, &self.lengths);
        part.fill(0.0);
        let mut best = (0.0, 0, 0.0, 0.0);
        for i in 0..self.lengths.len() - 1 {
            let (mut a2, mut b2) = (0.0, 0.0);
            for k in 0..n {
                part[k] += self.lengths[i] * self.u[i * n + k];
                a2 += part[k] * part[k];
                b2 += (whole[k] - part[k]) * (whole[k] - part[k]);
            }
            let fullness = (4.0 * a2 * d * d - (a2 + d * d - b2) * (a2 + d * d - b2)) / (d * d);
            if fullness > best.0 {
                best = (fullness, i + 1, a2, b2);
            }
        }
        let (fullness, joint, a2, b2) = best;
        // A triangle thinner than this is all rounding.
        if fullness <= 1e-12 * a2 {
            return false;
        }
        let along = (a2 + d * d - b2) / (2.0 * d);
        self.turn_parts(joint, (along, 0.5 * sqrt(fullness)), d);
        true
    }

    /// Turns bones `..joint` so that their chord ends at `corner` (along `e`, across), and the rest so that theirs goes on
    /// to the target.
    fn turn_parts(&mut self, joint: usize, corner: (f64, f64), d: f64) {
        let n = self.n;
        let parts = [(0, joint, corner), (joint, self.lengths.len(), (d - corner.0, -corner.1))];
        let [from, to, way] = &mut self.spare;
        add_up(from, &self.u[..joint * n], &self.lengths);
        if !make_across(from, &self.e, 1e-9 * d) {
            from.copy_from_slice(&self.across);
        }
        self.across.copy_from_slice(from);
        for (first, last, (along, aside)) in parts {
            add_up(from, &self.u[first * n..last * n], &self.lengths[first..]);
            for ((to, e), across) in to.iter_mut().zip(&self.e).zip(&self.across) {
                *to = along * e + aside * across;
            }
            if make_unit(from) && make_unit(to) {
                rotate(&mut self.u[first * n..last * n], from, to, way);
            }
        }
    }

    /// Folds the chain into two straight pieces, or three when one bone is too long for two, in the plane of `e` and
    /// `across`. Exists for every target strictly inside the reach.
    fn fold(&mut self, d: f64, outer: f64) {
        let (mut before, mut best) = (0.0, (f64::INFINITY, 0, 0.0));
        for (i, length) in self.lengths.iter().enumerate().take(self.lengths.len() - 1) {
            before += length;
            let unevenness = (2.0 * before - outer).abs();
            if unevenness < best.0 {
                best = (unevenness, i + 1, before);
            }
        }
        let n_bones = self.lengths.len();
        if best.0 <= d {
            let (_, joint, a) = best;
            let corner = corner(a, outer - a, d);
            self.lay(0..joint, corner, a);
            self.lay(joint..n_bones, (d - corner.0, -corner.1), outer - a);
            return;
        }
        // The bone with the chain's midpoint in it: neither of the straight pieces beside it is longer than half.
        let (mut middle, mut before) = (0, 0.0);
        while middle + 1 < n_bones && 2.0 * (before + self.lengths[middle]) < outer {
            before += self.lengths[middle];
            middle += 1;
        }
        let long = self.lengths[middle];
        let after = outer - long - before;
        // The first two pieces together span `span`, anything that closes both triangles; take the middle.
        let shortest = (long - before).abs().max((d - after).abs());
        let longest_span = (long + before).min(d + after);
        let span = 0.5 * (shortest + longest_span);
        let knee = corner(span, after, d);
        let hip = corner(before, long, span);
        // Turn the small triangle's corner from its own chord into the direction of `span`.
        let (c, s) = if span > 0.0 { (knee.0 / span, knee.1 / span) } else { (1.0, 0.0) };
        let hip = (hip.0 * c - hip.1 * s, hip.0 * s + hip.1 * c);
        self.lay(0..middle, hip, before);
        self.lay(middle..middle + 1, (knee.0 - hip.0, knee.1 - hip.1), long);
        self.lay(middle + 1..n_bones, (d - knee.0, -knee.1), after);
    }

    /// Lays some bones straight along `to` (along `e`, across), a vector of the given size.
    fn lay(&mut self, bones: core::ops::Range<usize>, to: (f64, f64), size: f64) {
        let n = self.n;
        let (along, aside) = if size > 0.0 { (to.0 / size, to.1 / size) } else { (1.0, 0.0) };
        for u in self.u[bones.start * n..bones.end * n].chunks_exact_mut(n) {
            for ((u, e), across) in u.iter_mut().zip(&self.e).zip(&self.across) {
                *u = along * e + aside * across;
            }
        }
    }
}

/// The chord of bones laid end to end, with directions `u` and the first of `lengths`.
fn add_up(chord: &mut [f64], u: &[f64], lengths: &[f64]) {
    chord.fill(0.0);
    for (u, length) in u.chunks_exact(chord.len()).zip(lengths) {
        for (x, u) in chord.iter_mut().zip(u) {
            *x += length * u;
        }
    }
}

/// The corner of a triangle over a base of length `base` from the origin along the first axis: `a` from the origin, `b` from
/// the base's end, on the positive side.
fn corner(a: f64, b: f64, base: f64) -> (f64, f64) {
    if base <= 0.0 {
        return (0.0, a);
    }
    // (a − b)(a + b) keeps the digits that a² − b² loses.
    let along = 0.5 * (base + (a - b) * (a + b) / base);
    (along, sqrt(((a - along) * (a + along)).max(0.0)))
}

/// Cosine and sine, a unit as exactly as rounding allows, of an angle that is met to 1e-2 (at 3.2) and far better below 2.
///
/// The tangent of a quarter of the angle by its series, then twice the double angle.
fn unit_circle(angle: Four) -> (Four, Four) {
    let quarter = angle * Four::all(0.25);
    let square = quarter * quarter;
    let mut series = Four::all(17.0 / 315.0);
    for term in [2.0 / 15.0, 1.0 / 3.0, 1.0] {
        series = series * square + Four::all(term);
    }
    let tangent = quarter * series;
    let one = Four::all(1.0);
    let scale = (one + tangent * tangent).recip();
    let (c, s) = ((one - tangent * tangent) * scale, (tangent + tangent) * scale);
    (c * c - s * s, c * s + c * s)
}

#[cfg(test)]
mod tests {
    use super::{Four, unit_circle};

    #[test]
    fn arc_directions_are_units_and_close_to_their_angles() {
        for i in -32..=32 {
            let angle = 0.1 * f64::from(i);
            let (c, s) = unit_circle(Four::all(angle));
            let (c, s) = (c.numbers()[0], s.numbers()[3]);
            assert!((c * c + s * s - 1.0).abs() < 1e-15, "not a unit at {angle}");
            let (sine, cosine) = crate::math::sin_cos(angle);
            assert!((c - cosine).abs() < 2e-2 && (s - sine).abs() < 2e-2, "far off at {angle}");
        }
    }
}
