//! Poses for chains to which Newton's method does not apply: bent from straight, rotated at one joint, folded.

use super::super::Space;
use super::bones::Bones;
use super::newton::Rows;
use super::vector::{fixed_across, make_across, make_unit, rotation};
use crate::math::sqrt;
use core::f64::consts::PI;
use core::ops::Range;

/// A chain with less deviation from its chord, relative to its length, bends to no side: seven of the sixteen digits are then
/// rounding.
const SIDELESS: f64 = 1e-9;

/// A smaller squared height of a triangle, relative to a squared side, is rounding: half of the digits of its height are lost.
const FLAT: f64 = 1e-12;

/// Finds the unit direction across the chord to which the chain bends, or, if it bends to none, that of the fixed rule.
pub(super) fn find_across<S: Space>(space: S, bones: &Bones, rows: &mut Rows<S>) {
    let n = space.n();
    let Rows { e, across, g: place, .. } = rows;
    for k in 0..n {
        (place[k], across[k]) = (0.0, 0.0);
    }
    let mut arc = 0.0;
    for i in 0..bones.n_bones() {
        let length = bones.length(space, i);
        for k in 0..n {
            place[k] += bones.vector(space, i, k);
            across[k] += length * place[k];
        }
        arc += length;
    }
    if !make_across(across.as_mut(), e.as_ref(), SIDELESS * arc * arc) {
        fixed_across(e.as_ref(), across.as_mut());
    }
}

/// Bends straight bones into a circular arc whose chord is about `d`.
///
/// An arc of half-angle `a` has chord over length `x = sin a / a`. Inverted by `a = √(6 (1 − x)) (1 + c (1 − x))`, which is
/// exact for the straight arc and, with `c = π / √6 − 1`, for the full circle.
pub(super) fn bend<S: Space>(space: S, bones: &mut Bones, (d, outer): (f64, f64), rows: &Rows<S>) {
    let missing = 1.0 - d / outer;
    let half_angle = sqrt(6.0 * missing) * (1.0 + (PI / sqrt(6.0) - 1.0) * missing);
    let mut travelled = 0.0;
    for i in 0..bones.n_bones() {
        let length = bones.length(space, i);
        let middle = travelled + 0.5 * length;
        travelled += length;
        let direction = unit_circle(half_angle * (1.0 - 2.0 * middle / outer));
        bones.redirect(space, i, direction, (&rows.e, &rows.across));
    }
}

/// Cosine and sine of an angle up to a half turn, to 1e-3, of unit length up to rounding.
///
/// The tangent of a quarter of the angle, `s / c` with `s = x (15 − x²)` and `c = 15 − 6 x²` (Padé), then twice the double angle.
#[inline(always)]
fn unit_circle(angle: f64) -> (f64, f64) {
    let x = 0.25 * angle;
    let (s, c) = (x * (15.0 - x * x), 15.0 - 6.0 * x * x);
    let scale = 1.0 / (c * c + s * s);
    let (c, s) = ((c - s) * (c + s) * scale, 2.0 * c * s * scale);
    ((c - s) * (c + s), 2.0 * c * s)
}

/// Rotates the chain at the joint where the two rigid parts, with chords `a` and `b`, make the highest triangle over `d`; false
/// if no joint can meet the distance.
pub(super) fn hinge<S: Space>(space: S, bones: &mut Bones, d: f64, rows: &mut Rows<S>) -> bool {
    if d <= 0.0 {
        return false;
    }
    let n_bones = bones.n_bones();
    let Rows { g: whole, step: part, .. } = rows;
    add_up(space, bones, 0..n_bones, whole);
    (0..space.n()).for_each(|k| part[k] = 0.0);
    // Squared height of the corner over `d`, the bones before it, and how far along `d` it is.
    let (mut best, mut joint, mut along) = (0.0, 0, 0.0);
    for i in 0..n_bones - 1 {
        let (mut a2, mut b2) = (0.0, 0.0);
        for k in 0..space.n() {
            part[k] += bones.vector(space, i, k);
            a2 += part[k] * part[k];
            b2 += (whole[k] - part[k]) * (whole[k] - part[k]);
        }
        let foot = 0.5 * (d + (a2 - b2) / d);
        let height = a2 - foot * foot;
        if height > best && height > FLAT * a2 {
            (best, joint, along) = (height, i + 1, foot);
        }
    }
    if joint > 0 {
        let height = sqrt(best);
        turn_to_corner(space, bones, 0..joint, (along, height), rows);
        turn_to_corner(space, bones, joint..n_bones, (d - along, -height), rows);
    }
    joint > 0
}

/// Rotates a part of the chain rigidly so that its chord goes `along` the direction `e` of the target and `aside`, to the side of the first
/// part.
fn turn_to_corner<S: Space>(
    space: S,
    bones: &mut Bones,
    part: Range<usize>,
    (along, aside): (f64, f64),
    rows: &mut Rows<S>,
) {
    let n = space.n();
    let Rows { e, across, g: from, step: to, mu: between, part: turn, .. } = rows;
    add_up(space, bones, part.clone(), from);
    if part.start == 0 {
        let size = sqrt(from.as_ref().iter().map(|x| x * x).sum::<f64>());
        to.as_mut().copy_from_slice(from.as_ref());
        if make_across(to.as_mut(), e.as_ref(), SIDELESS * size) {
            across.as_mut().copy_from_slice(to.as_ref());
        }
    }
    for k in 0..n {
        to[k] = along * e[k] + aside * across[k];
    }
    if !make_unit(from.as_mut()) || !make_unit(to.as_mut()) {
        return;
    }
    rotation(space, from, to, between, turn);
    for i in part {
        for k in 0..n {
            from[k] = bones.vector(space, i, k);
        }
        for k in 0..n {
            let turned = (0..n).map(|j| turn[j][k] * from[j]).sum();
            bones.set_vector(space, i, k, turned);
        }
    }
}

/// Folds the chain into three straight pieces in the plane of `e` and `across`: the bone with the chain's midpoint in it, and
/// those before and after, neither of which is longer than half. Exists for every target strictly inside the reach.
pub(super) fn fold<S: Space>(space: S, bones: &mut Bones, (d, outer): (f64, f64), rows: &Rows<S>) {
    let (mut middle, mut before) = (0, 0.0);
    while middle + 1 < bones.n_bones() && 2.0 * (before + bones.length(space, middle)) < outer {
        before += bones.length(space, middle);
        middle += 1;
    }
    let long = bones.length(space, middle);
    let after = outer - long - before;
    // The first two pieces together span anything that closes both triangles; take the middle.
    let shortest = (long - before).abs().max((d - after).abs());
    let span = 0.5 * (shortest + (long + before).min(d + after));
    let knee = corner(span, after, d);
    let hip = corner(before, long, span);
    // From the direction of `span` to that of `e`.
    let (c, s) = if span > 0.0 { (knee.0 / span, knee.1 / span) } else { (1.0, 0.0) };
    let hip = (hip.0 * c - hip.1 * s, hip.0 * s + hip.1 * c);
    let pieces = [
        (0..middle, hip, before),
        (middle..middle + 1, (knee.0 - hip.0, knee.1 - hip.1), long),
        (middle + 1..bones.n_bones(), (d - knee.0, -knee.1), after),
    ];
    for (piece, to, size) in pieces {
        let direction = if size > 0.0 { (to.0 / size, to.1 / size) } else { (1.0, 0.0) };
        for i in piece {
            bones.redirect(space, i, direction, (&rows.e, &rows.across));
        }
    }
}

/// The chord of bones end to end.
fn add_up<S: Space>(space: S, bones: &Bones, part: Range<usize>, chord: &mut S::Row<f64>) {
    for k in 0..space.n() {
        chord[k] = part.clone().map(|i| bones.vector(space, i, k)).sum();
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

#[cfg(test)]
mod tests {
    use super::{PI, unit_circle};

    #[test]
    fn arc_directions_are_units_and_close_to_their_angles() {
        for i in -32..=32 {
            let angle = PI / 32.0 * f64::from(i);
            let (c, s) = unit_circle(angle);
            assert!((c * c + s * s - 1.0).abs() < 2e-15, "not a unit at {angle}");
            let (sine, cosine) = crate::math::sin_cos(angle);
            assert!((c - cosine).abs() < 1e-3 && (s - sine).abs() < 1e-3, "far off at {angle}");
        }
    }
}
