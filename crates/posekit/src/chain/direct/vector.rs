//! Small vectors and matrices of any dimension, as far as the closed way needs them.

use super::super::Space;
use crate::math::{perpendicular, sqrt};
use glam::DVec3;

#[inline(always)]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Scales a vector to length one; false, and zero, for the zero vector.
pub(super) fn make_unit(v: &mut [f64]) -> bool {
    let size = sqrt(dot(v, v));
    v.iter_mut().for_each(|x| *x /= size.max(f64::MIN_POSITIVE));
    size > 0.0
}

/// Leaves of `v` the unit part across `e`; false, and `v` unusable, when that part is no larger than `least` or is rounding.
pub(super) fn make_across(v: &mut [f64], e: &[f64], least: f64) -> bool {
    let least = least.max(1e-12 * sqrt(dot(v, v)));
    take_off(v, e);
    if sqrt(dot(v, v)) <= least {
        return false;
    }
    // A small part is not quite across yet: what rounding left along `e` has grown with it.
    make_unit(v);
    take_off(v, e);
    make_unit(v)
}

/// Takes the part along the unit vector `e` off `v`.
fn take_off(v: &mut [f64], e: &[f64]) {
    let along = dot(v, e);
    for (x, e) in v.iter_mut().zip(e) {
        *x -= along * e;
    }
}

/// The fixed rule for a direction across `e`: to the right in the plane, `e` × [`perpendicular`] in space, so that later joints
/// turn the positive way, as those of [`limb`](crate::limb) do; else from the coordinate axis in which `e` is smallest (the first
/// of several).
pub(super) fn fixed_across(e: &[f64], across: &mut [f64]) {
    match *e {
        [x, y] => return across.copy_from_slice(&[y, -x]),
        [x, y, z] => {
            let e = DVec3::new(x, y, z);
            return across.copy_from_slice(&e.cross(perpendicular(e)).to_array());
        }
        _ => {}
    }
    let mut smallest = 0;
    for k in 1..e.len() {
        if e[k].abs() < e[smallest].abs() {
            smallest = k;
        }
    }
    across.fill(0.0);
    across[smallest] = 1.0;
    make_across(across, e, 0.0);
}

/// Cosine below which a rotation is done in two turns, because it says too little about its plane.
const OPPOSITE: f64 = -0.99;

/// Rotates vectors, laid end to end, by the shortest rotation from the unit vector `from` to the unit vector `to`.
///
/// Next to exactly opposite it is done in two turns by way of a direction across, which there is that of [`fixed_across`].
pub(super) fn rotate(vectors: &mut [f64], from: &[f64], to: &[f64], way: &mut [f64]) {
    let cosine = dot(from, to);
    if cosine >= OPPOSITE {
        rotate_less(vectors, from, to);
        return;
    }
    way.copy_from_slice(to);
    if !make_across(way, from, 1e-9) {
        fixed_across(from, way);
    }
    rotate_less(vectors, from, way);
    rotate_less(vectors, way, to);
}

/// The rotation is two reflections: `x − 2 s (s·x) / (s·s) + 2 t (f·x)` with `s = f + t`.
#[inline(always)]
fn rotate_less(vectors: &mut [f64], from: &[f64], to: &[f64]) {
    let size: f64 = from.iter().zip(to).map(|(f, t)| (f + t) * (f + t)).sum();
    let scale = 2.0 / size;
    for x in vectors.chunks_exact_mut(from.len()) {
        let (f, t) = (dot(from, x), dot(to, x));
        let (a, b) = (scale * (f + t), 2.0 * f);
        for (k, x) in x.iter_mut().enumerate() {
            *x += b * to[k] - a * (from[k] + to[k]);
        }
    }
}

/// Columns of the shortest rotation from the unit vector `from` to the unit vector `to`.
#[inline(always)]
pub(super) fn rotation<S: Space>(
    space: S,
    from: &S::Row<f64>,
    to: &S::Row<f64>,
    way: &mut S::Row<f64>,
    columns: &mut S::Row<S::Row<f64>>,
) {
    let n = space.n();
    for k in 0..n {
        for j in 0..n {
            columns[k][j] = if j == k { 1.0 } else { 0.0 };
        }
    }
    let (mut cosine, mut size) = (0.0, 0.0);
    for k in 0..n {
        cosine += from[k] * to[k];
        size += (from[k] + to[k]) * (from[k] + to[k]);
    }
    if cosine >= OPPOSITE {
        let scale = 2.0 / size;
        for k in 0..n {
            let (a, b) = (scale * (from[k] + to[k]), 2.0 * from[k]);
            for j in 0..n {
                columns[k][j] += b * to[j] - a * (from[j] + to[j]);
            }
        }
        return;
    }
    for k in 0..n {
        rotate(columns[k].as_mut(), from.as_ref(), to.as_ref(), way.as_mut());
    }
}

/// Inverts a symmetric positive definite matrix in place (full storage in, full storage out) but for the factor that is returned;
/// where it is not positive definite, that is not above zero.
#[inline(always)]
pub(super) fn invert<S: Space>(space: S, h: &mut S::Row<S::Row<f64>>) -> f64 {
    match space.n() {
        2 => invert_2(space, h),
        3 => invert_3(space, h),
        _ => sweep(space, h),
    }
}

#[inline(always)]
fn invert_2<S: Space>(_: S, h: &mut S::Row<S::Row<f64>>) -> f64 {
    let (a, b, c) = (h[0][0], h[1][0], h[1][1]);
    (h[0][0], h[1][1]) = (c, a);
    (h[0][1], h[1][0]) = (-b, -b);
    1.0 / (a * c - b * b)
}

#[inline(always)]
fn invert_3<S: Space>(_: S, h: &mut S::Row<S::Row<f64>>) -> f64 {
    let (a, b, c) = (h[0][0], h[1][1], h[2][2]);
    let (p, q, r) = (h[1][0], h[2][0], h[2][1]);
    let (bc, ac, ab) = (b * c - r * r, a * c - q * q, a * b - p * p);
    let (pp, qq, rr) = (q * r - p * c, p * r - q * b, p * q - r * a);
    (h[0][0], h[1][1], h[2][2]) = (bc, ac, ab);
    (h[0][1], h[0][2], h[1][2]) = (pp, qq, rr);
    (h[1][0], h[2][0], h[2][1]) = (pp, qq, rr);
    1.0 / (a * bc + p * pp + q * qq)
}

/// Gauss and Jordan's elimination, one pivot after the other: what any dimension can do.
fn sweep<S: Space>(space: S, h: &mut S::Row<S::Row<f64>>) -> f64 {
    let n = space.n();
    for p in 0..n {
        let pivot = h[p][p];
        if pivot.is_nan() || pivot <= 0.0 {
            return 0.0;
        }
        let inverse = 1.0 / pivot;
        for i in (0..n).filter(|&i| i != p) {
            let factor = h[i][p] * inverse;
            for j in (0..n).filter(|&j| j != p) {
                let change = factor * h[p][j];
                h[i][j] -= change;
            }
            h[i][p] = -factor;
        }
        for j in (0..n).filter(|&j| j != p) {
            h[p][j] *= inverse;
        }
        h[p][p] = inverse;
    }
    1.0
}

#[cfg(test)]
mod tests {
    use super::super::super::Fixed;
    use super::{dot, invert_2, invert_3, make_unit, rotate, rotation, sweep};

    /// A symmetric positive definite matrix with eigenvalues about 1 and `least`.
    fn matrix<const D: usize>(least: f64) -> [[f64; D]; D] {
        let mut v: [f64; D] = core::array::from_fn(|i| 1.0 + 0.3 * i as f64);
        make_unit(&mut v);
        core::array::from_fn(|i| {
            core::array::from_fn(|j| f64::from(u8::from(i == j)) - (1.0 - least) * v[i] * v[j])
        })
    }

    fn check<const D: usize>(least: f64, invert: impl Fn(&mut [[f64; D]; D]) -> f64) {
        let h = matrix::<D>(least);
        let mut inverse = h;
        let factor = invert(&mut inverse);
        assert!(factor > 0.0, "not positive definite at {least}");
        for (i, row) in h.iter().enumerate() {
            for j in 0..D {
                let product: f64 =
                    row.iter().zip(&inverse).map(|(x, column)| factor * x * column[j]).sum();
                let unit = f64::from(u8::from(i == j));
                assert!((product - unit).abs() < 1e-14 / least, "{D}: {i} {j} at {least}");
            }
        }
    }

    #[test]
    fn closed_forms_and_elimination_invert() {
        for least in [1.0, 1e-2, 1e-6, 1e-10] {
            check::<2>(least, |h| invert_2(Fixed::<2>, h));
            check::<3>(least, |h| invert_3(Fixed::<3>, h));
            check::<2>(least, |h| sweep(Fixed::<2>, h));
            check::<3>(least, |h| sweep(Fixed::<3>, h));
            check::<6>(least, |h| sweep(Fixed::<6>, h));
        }
        let mut not = matrix::<3>(-1e-2);
        assert!(invert_3(Fixed::<3>, &mut not) < 0.0, "not positive definite");
        assert!(sweep(Fixed::<3>, &mut matrix::<3>(-1e-2)) <= 0.0, "by elimination neither");
    }

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
                let mut image = from;
                rotate(&mut image, &from, &to, &mut [0.0; 3]);
                assert!(image.iter().zip(&to).all(|(a, b)| (a - b).abs() < 1e-14), "{tilt}");
            }
        }
    }
}
