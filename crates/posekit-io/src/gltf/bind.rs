//! Inverse bind matrices of skins. A skeleton does not need them, so their faults are warnings, except references to missing objects.

use posekit::glam::DVec3;

use super::accessors::{Accessor, Component, Lists};
use super::buffers::Buffers;
use super::channels::warn;
use super::nodes::read_index;
use crate::error::Result;
use crate::json::{Cursor, Object};
use crate::warnings::Warnings;

/// A matrix is singular if its determinant is less than this fraction of the product of its axes' lengths.
const FLAT: f64 = 1e-9;

/// The matrices of a skin, if their format is valid.
pub(super) fn read_form<'d>(
    skin: &Object<'d>,
    lists: &Lists<'d>,
    n_joints: usize,
    warnings: &mut Warnings,
) -> Result<Option<Accessor<'d>>> {
    let Some(field) = skin.optional("inverseBindMatrices") else { return Ok(None) };
    let accessor = lists.accessor(read_index(&field, lists.accessors.len(), "accessor")?)?;
    if (accessor.kind, accessor.component) != ("MAT4", Component::F32) {
        let (kind, form) = (accessor.kind, accessor.component.name());
        warn(warnings, &field, &format!("the matrices are MAT4 of FLOAT, not {kind} of {form}"));
        return Ok(None);
    }
    if accessor.count < n_joints as u64 {
        let message = format!("{} matrices are too few for {n_joints} joints", accessor.count);
        warn(warnings, &field, &message);
    }
    if accessor.span.is_some_and(|span| span.is_strided) {
        warn(warnings, &field, "the buffer view of the matrices should have no `byteStride`");
    }
    Ok(Some(accessor))
}

/// Checks the matrices of all skins that are available without opening another file.
///
/// - `room`: the largest number of values checked; many skins may share the same ones
pub(super) fn check_matrices<'d>(
    file: &Object<'d>,
    lists: &Lists<'d>,
    buffers: &mut Buffers<'_, 'd>,
    mut room: usize,
    warnings: &mut Warnings,
) -> Result<()> {
    let skins = file.optional("skins").map_or(Ok(Vec::new()), |skins| skins.list())?;
    for skin in skins {
        let fields = skin.any_object()?;
        // Faults of the format have been reported when the skin was read.
        let Some(accessor) = read_form(&fields, lists, 0, &mut Warnings::new())? else { continue };
        let is_at_hand = accessor.spans().all(|span| buffers.is_at_hand(lists, span.buffer));
        if !is_at_hand
            || !buffers.has_bytes(lists, &accessor)
            || lists.check_compression(&accessor).is_err()
        {
            continue;
        }
        let numbers = usize::try_from(accessor.count.saturating_mul(16)).unwrap_or(usize::MAX);
        let Some(left) = room.checked_sub(numbers) else { break };
        room = left;
        let numbers = accessor.read(lists, buffers)?;
        if let Some(at) = numbers.chunks_exact(16).position(|matrix| !is_sound(matrix)) {
            warn_of_matrix(&fields.required("inverseBindMatrices")?, at, warnings);
        }
    }
    Ok(())
}

fn warn_of_matrix(field: &Cursor<'_>, at: usize, warnings: &mut Warnings) {
    let message = format!(
        "matrix {at}, and possibly others, is singular or not finite; its part of the skin cannot be drawn"
    );
    warn(warnings, field, &message);
}

/// True for a matrix, column by column, that has an inverse.
fn is_sound(matrix: &[f64]) -> bool {
    let axis = |i: usize| DVec3::new(matrix[i], matrix[i + 1], matrix[i + 2]);
    let [x, y, z] = [0, 4, 8].map(axis);
    let volume = x.dot(y.cross(z)).abs();
    // NaN compares as false.
    matrix.iter().all(|number| number.is_finite())
        && volume > FLAT * x.length() * y.length() * z.length()
}
