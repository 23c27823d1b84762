//! Products with the Jacobian, whose columns are packed group by group: see [`System::jacobian`].
//!
//! A column is as long as its group has rows. The usual lengths, of a pose and of a point, are constants to the compiler, which then
//! unrolls what is done to a column.

use super::super::demand::{Group, System};

/// Calls a function with a group's height, as a constant where it is a usual one.
macro_rules! by_height {
    ($height:expr, $name:ident($($argument:expr),*)) => {
        match $height {
            6 => $name(6, $($argument),*),
            3 => $name(3, $($argument),*),
            height => $name(height, $($argument),*),
        }
    };
}

/// Adds `by J x` to one number per row.
pub(super) fn add_product(system: &System, j: &[f64], x: &[f64], by: f64, out: &mut [f64]) {
    for group in &system.groups {
        by_height!(group.height(), add_product_of(system, group, j, x, by, out));
    }
}

#[inline(always)]
fn add_product_of(
    height: usize,
    system: &System,
    group: &Group,
    j: &[f64],
    x: &[f64],
    by: f64,
    out: &mut [f64],
) {
    let out = &mut out[group.rows.start..][..height];
    let mut columns = j[group.first..].chunks_exact(height);
    for run in system.runs(group.demand) {
        for (x, column) in x[run.start..run.end].iter().zip(columns.by_ref()) {
            let scaled = x * by;
            for (out, j) in out.iter_mut().zip(column) {
                *out += scaled * j;
            }
        }
    }
}

/// Adds `Jᵀ y` to one number per unknown.
pub(super) fn add_transposed(system: &System, j: &[f64], y: &[f64], out: &mut [f64]) {
    for group in &system.groups {
        by_height!(group.height(), add_transposed_of(system, group, j, y, out));
    }
}

#[inline(always)]
fn add_transposed_of(
    height: usize,
    system: &System,
    group: &Group,
    j: &[f64],
    y: &[f64],
    out: &mut [f64],
) {
    let y = &y[group.rows.start..][..height];
    let mut columns = j[group.first..].chunks_exact(height);
    for run in system.runs(group.demand) {
        for (out, column) in out[run.start..run.end].iter_mut().zip(columns.by_ref()) {
            *out += column.iter().zip(y).map(|(j, y)| j * y).sum::<f64>();
        }
    }
}
