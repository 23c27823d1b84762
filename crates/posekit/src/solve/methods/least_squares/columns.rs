//! Products with the Jacobian, whose columns are packed group by group (see [`System::jacobian`]).
//!
//! A column is as long as its group has rows. What is done to columns is done to six, three or one of their rows at once: the lengths
//! of a pose and of a point are constants to the compiler, which then keeps sums in registers.

use super::rows::{Group, System};

/// Calls a function for all rows of a group, as many at once as there are left of a usual number.
macro_rules! by_parts {
    ($height:expr, $name:ident($($argument:expr),*)) => {{
        let mut first = 0;
        while first < $height {
            match $height - first {
                6.. => {
                    $name::<6>(first, $($argument),*);
                    first += 6;
                }
                3.. => {
                    $name::<3>(first, $($argument),*);
                    first += 3;
                }
                _ => {
                    $name::<1>(first, $($argument),*);
                    first += 1;
                }
            }
        }
    }};
}

/// Hands over each unknown that a group touches with `M` rows of its column, from `first` on.
#[inline(always)]
pub(super) fn for_columns<const M: usize>(
    system: &System,
    group: &Group,
    j: &[f64],
    first: usize,
    mut act: impl FnMut(usize, &[f64; M]),
) {
    let (height, mut at) = (group.height(), group.first + first);
    for span in system.structure.spans(group.goal) {
        for unknown in span.start..span.end {
            if let Some(column) = j[at..].first_chunk::<M>() {
                act(unknown, column);
            }
            at += height;
        }
    }
}

/// Adds `by J x` to one number per row.
pub(super) fn add_product(system: &System, j: &[f64], x: &[f64], by: f64, out: &mut [f64]) {
    for group in &system.groups {
        by_parts!(group.height(), add_rows_of_product(system, group, j, x, by, out));
    }
}

#[inline(always)]
fn add_rows_of_product<const M: usize>(
    first: usize,
    system: &System,
    group: &Group,
    j: &[f64],
    x: &[f64],
    by: f64,
    out: &mut [f64],
) {
    let Some(out) = out[group.rows.start + first..].first_chunk_mut::<M>() else { return };
    let mut sums = *out;
    for_columns::<M>(system, group, j, first, |unknown, column| {
        let scaled = x[unknown] * by;
        for r in 0..M {
            sums[r] += scaled * column[r];
        }
    });
    *out = sums;
}

/// Hands over `(Jᵀ y)ᵢ` of each unknown, in as many parts as there are groups that touch it.
#[inline(always)]
pub(super) fn for_transposed(
    system: &System,
    j: &[f64],
    y: &[f64],
    mut act: impl FnMut(usize, f64),
) {
    for group in &system.groups {
        by_parts!(group.height(), for_rows_of_transposed(system, group, j, y, &mut act));
    }
}

#[inline(always)]
fn for_rows_of_transposed<const M: usize>(
    first: usize,
    system: &System,
    group: &Group,
    j: &[f64],
    y: &[f64],
    act: &mut impl FnMut(usize, f64),
) {
    let Some(y) = y[group.rows.start + first..].first_chunk::<M>() else { return };
    for_columns::<M>(system, group, j, first, |unknown, column| {
        // Two at a time.
        let mut sums = [0.0; 2];
        for r in 0..M {
            sums[r & 1] += column[r] * y[r];
        }
        act(unknown, sums[0] + sums[1]);
    });
}

/// Adds `Jᵀ y` to one number per unknown.
pub(super) fn add_transposed(system: &System, j: &[f64], y: &[f64], out: &mut [f64]) {
    for_transposed(system, j, y, |unknown, by| out[unknown] += by);
}
