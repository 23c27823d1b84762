//! Small vectors of any dimension, and the rotation between two of them.

use super::super::Space;
use crate::math::{perpendicular, sqrt};
use glam::DVec3;

/// A component of a vector is rounding if it is at most this fraction of it: a sum of ten thousand bones loses four digits.
const ROUNDED: f64 = 1e-12;

/// Cosine below which a rotation is composed of two, by way of a direction between: the sum of both directions, which defines its
/// plane, is then shorter than 0.15 and would amplify rounding sevenfold.
const OPPOSITE: f64 = -0.99;

#[inline(always)]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Scales a vector to length one; false, and unchanged, for the zero vector.
#[inline(always)]
pub(super) fn make_unit(v: &mut [f64]) -> bool {
    let size = sqrt(dot(v, v));
    if size > 0.0 {
        v.iter_mut().for_each(|x| *x /= size);
    }
    size > 0.0
}

/// Replaces `v` by the unit vector of its component across `e`; false, and `v` unusable, if that is no longer than `least` or
/// is rounding.
#[inline(always)]
pub(super) fn make_across(v: &mut [f64], e: &[f64], least: f64) -> bool {
    let least = least.max(ROUNDED * sqrt(dot(v, v)));
    subtract_along(v, e);
    if sqrt(dot(v, v)) <= least {
        return false;
    }
    // Scaling up a small component has scaled up its rounding along `e` as well.
    make_unit(v);
    subtract_along(v, e);
    make_unit(v)
}

/// Subtracts the component along the unit vector `e` from `v`.
#[inline(always)]
fn subtract_along(v: &mut [f64], e: &[f64]) {
    let along = dot(v, e);
    for (x, e) in v.iter_mut().zip(e) {
        *x -= along * e;
    }
}

/// The fixed rule for a direction across `e`: to the right in the plane, `e` × [`perpendicular`] in space, so that later joints
/// rotate in the positive sense, as those of [`limb`](crate::limb) do; otherwise from the coordinate axis in which `e` is smallest (the first
/// of several).
pub(super) fn fixed_across(e: &[f64], across: &mut [f64]) {
    match *e {
        [x, y] => across.copy_from_slice(&[y, -x]),
        [x, y, z] => {
            let e = DVec3::new(x, y, z);
            across.copy_from_slice(&e.cross(perpendicular(e)).to_array());
        }
        _ => {
            let smaller = |a: usize, b: usize| if e[b].abs() < e[a].abs() { b } else { a };
            across.fill(0.0);
            across[(1..e.len()).fold(0, smaller)] = 1.0;
            make_across(across, e, 0.0);
        }
    }
}

/// Columns of the shortest rotation from the unit vector `from` to the unit vector `to`.
///
/// Near exactly opposite vectors it is composed of two, by way of a direction across, that of [`fixed_across`] for exactly opposite ones.
#[inline(always)]
pub(super) fn rotation<S: Space>(
    space: S,
    from: &S::Row<f64>,
    to: &S::Row<f64>,
    between: &mut S::Row<f64>,
    columns: &mut S::Row<S::Row<f64>>,
) {
    let n = space.n();
    for k in 0..n {
        for j in 0..n {
            columns[k][j] = if j == k { 1.0 } else { 0.0 };
        }
    }
    if dot(from.as_ref(), to.as_ref()) >= OPPOSITE {
        return rotate(space, columns, from, to);
    }
    between.as_mut().copy_from_slice(to.as_ref());
    if !make_across(between.as_mut(), from.as_ref(), 0.0) {
        fixed_across(from.as_ref(), between.as_mut());
    }
    rotate(space, columns, from, between);
    rotate(space, columns, between, to);
}

/// Rotates columns by two reflections: `x − 2 s (s·x) / (s·s) + 2 t (f·x)` with `s = f + t`.
#[inline(always)]
fn rotate<S: Space>(
    space: S,
    columns: &mut S::Row<S::Row<f64>>,
    from: &S::Row<f64>,
    to: &S::Row<f64>,
) {
    let n = space.n();
    let mut size = 0.0;
    for k in 0..n {
        size += (from[k] + to[k]) * (from[k] + to[k]);
    }
    let scale = 2.0 / size;
    for c in 0..n {
        let x = &mut columns[c];
        let (f, t) = (dot(from.as_ref(), x.as_ref()), dot(to.as_ref(), x.as_ref()));
        let (a, b) = (scale * (f + t), 2.0 * f);
        for k in 0..n {
            x[k] += b * to[k] - a * (from[k] + to[k]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Fixed;
    use super::{dot, make_unit, rotation};

    #[test]
    fn rotations_are_rotations_also_next_to_opposite() {
        let from = [1.0, 0.0, 0.0];
        for tilt in [1.0, 0.3, 1e-3, 1e-8, 1e-12, 0.0] {
            for sign in [1.0, -1.0] {
                let mut to = [sign, tilt, -0.5 * tilt];
                make_unit(&mut to);
                let mut columns = [[0.0; 3]; 3];
                rotation(Fixed::<3>, &from, &to, &mut [0.0; 3], &mut columns);
                assert!(columns[0].iter().zip(&to).all(|(a, b)| (a - b).abs() < 1e-14));
                for i in 0..3 {
                    for j in 0..3 {
                        let unit = f64::from(u8::from(i == j));
                        assert!((dot(&columns[i], &columns[j]) - unit).abs() < 1e-14, "{tilt}");
                    }
                }
            }
        }
    }
}
