//! Poses in the notations that Python's users have: 4 × 4 matrices, position and quaternion, or position and rotation apart.

use posekit::glam::{DAffine3, DMat3, DMat4, DQuat, DVec3};
use posekit::math::Pose;
use pyo3::prelude::*;

use crate::arrays::{Array, not_finite, wrong_shape};
use crate::fault::{invalid, invalid_at};

/// Numbers of a pose with its rotation as a quaternion: x, y, z, then qx, qy, qz, qw.
const SEVEN: usize = 7;

/// Targets of one call.
pub(crate) struct Targets {
    /// In the world; the translation is `NaN` where a row is not a pose.
    pub(crate) poses: Vec<Pose>,
    /// Only the positions were given.
    pub(crate) has_free_rotation: bool,
}

/// What to do with a row that is not a pose.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Invalid {
    /// An error for all.
    Refuse,
    /// The status of the row.
    Mark,
}

impl Invalid {
    /// - `word`: the argument `invalid`
    pub(crate) fn named(word: &str) -> PyResult<Self> {
        match word {
            "raise" => Ok(Self::Refuse),
            "mark" => Ok(Self::Mark),
            _ => Err(invalid("invalid: it must be \"raise\" or \"mark\"", "invalid")),
        }
    }
}

/// The notation of a pose.
#[derive(Clone, Copy)]
enum Notation {
    Matrix,
    Seven,
    Point,
}

impl Notation {
    /// That of arrays of a shape.
    const fn of(shape: &[usize]) -> Option<Self> {
        match *shape {
            [4, 4] => Some(Self::Matrix),
            [SEVEN] => Some(Self::Seven),
            [3] => Some(Self::Point),
            _ => None,
        }
    }
}

/// Reads one target: a matrix (4, 4), a position and quaternion (7,), or a position (3,) with or without a rotation.
pub(crate) fn target(
    target: &Bound<'_, PyAny>,
    rotation: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Pose, bool)> {
    let array = Array::read(target, "target")?;
    let Some(notation) = Notation::of(array.shape()) else {
        return Err(wrong_shape("target", array.shape(), "(4, 4), (7,) or (3,)"));
    };
    // The fast path of servo loops: what is a finite pose needs no other check.
    if let (Notation::Matrix, None, Ok(pose)) = (notation, rotation, pose(notation, array.values()))
    {
        return Ok((pose, false));
    }
    array.check_finite("target")?;
    let rotation = rotation.map(one_rotation).transpose()?;
    match (notation, rotation) {
        (Notation::Point, Some(rotation)) => {
            Ok((Pose::new(rotation, point(array.values())), false))
        }
        (Notation::Point, None) => Ok((Pose::from_translation(point(array.values())), true)),
        (_, Some(_)) => Err(two_rotations()),
        (notation, None) => {
            let pose = pose(notation, array.values())
                .map_err(|words| invalid(format!("target: {words}"), "target"))?;
            Ok((pose, false))
        }
    }
}

/// Reads many targets: matrices (n, 4, 4), positions and quaternions (n, 7), or positions (n, 3) with or without rotations.
pub(crate) fn targets(
    targets: &Bound<'_, PyAny>,
    rotations: Option<&Bound<'_, PyAny>>,
    invalid_rows: Invalid,
) -> PyResult<Targets> {
    let array = Array::read(targets, "targets")?;
    let shape = array.shape();
    let notation = shape.split_first().and_then(|(_, row)| Notation::of(row));
    let Some(notation) = notation else {
        return Err(wrong_shape("targets", shape, "(n, 4, 4), (n, 7) or (n, 3)"));
    };
    let n = shape[0];
    let rotations = rotations.map(|given| Array::read(given, "rotations")).transpose()?;
    if rotations.is_some() && !matches!(notation, Notation::Point) {
        return Err(two_rotations());
    }
    let width = rotations.as_ref().map(|given| rotation_rows(given, n)).transpose()?;
    let size = shape[1..].iter().product::<usize>();
    let mut poses = Vec::with_capacity(n);
    for row in 0..n {
        let numbers = &array.values()[row * size..(row + 1) * size];
        let rotation = rotations.as_ref().zip(width);
        let found = match finite_row(&array, "targets", row, size) {
            Err(error) => Err(error),
            Ok(()) => match rotation {
                None => pose(notation, numbers).map_err(|words| {
                    invalid_at(format!("targets[{row}]: {words}"), "targets", row)
                }),
                Some((rotations, width)) => finite_row(rotations, "rotations", row, width)
                    .and_then(|()| {
                        let rotation = &rotations.values()[row * width..(row + 1) * width];
                        let rotation = rotation_of(rotation).map_err(|words| {
                            invalid_at(format!("rotations[{row}]: {words}"), "rotations", row)
                        })?;
                        Ok(Pose::new(rotation, point(numbers)))
                    }),
            },
        };
        match (found, invalid_rows) {
            (Ok(pose), _) => poses.push(pose),
            (Err(_), Invalid::Mark) => poses.push(Pose::from_translation(DVec3::NAN)),
            (Err(error), Invalid::Refuse) => return Err(error),
        }
    }
    let has_free_rotation = matches!(notation, Notation::Point) && rotations.is_none();
    Ok(Targets { poses, has_free_rotation })
}

/// Reads a rotation: a matrix (3, 3) or a quaternion x, y, z, w.
pub(crate) fn one_rotation(object: &Bound<'_, PyAny>) -> PyResult<DQuat> {
    let array = Array::finite(object, "rotation")?;
    if !matches!(array.shape(), [3, 3] | [4]) {
        return Err(wrong_shape("rotation", array.shape(), "(3, 3), or (4,) for x, y, z, w"));
    }
    rotation_of(array.values()).map_err(|words| invalid(format!("rotation: {words}"), "rotation"))
}

/// Reads a pose that must have a rotation.
pub(crate) fn one_pose(object: &Bound<'_, PyAny>, what: &'static str) -> PyResult<Pose> {
    let array = Array::finite(object, what)?;
    match Notation::of(array.shape()) {
        Some(notation @ (Notation::Matrix | Notation::Seven)) => pose(notation, array.values())
            .map_err(|words| invalid(format!("{what}: {words}"), what)),
        _ => Err(wrong_shape(what, array.shape(), "(4, 4) or (7,)")),
    }
}

/// Reads one pose for all of `n` rows, or one for each.
pub(crate) fn poses(
    object: &Bound<'_, PyAny>,
    what: &'static str,
    n: usize,
) -> PyResult<Vec<Pose>> {
    let array = Array::finite(object, what)?;
    let shape = array.shape();
    let (notation, size) = match (Notation::of(shape), shape.split_first()) {
        (Some(Notation::Matrix | Notation::Seven), _) => {
            return Ok(vec![one_pose(object, what)?; n]);
        }
        (None, Some((&rows, row))) if rows == n => (Notation::of(row), row.iter().product()),
        _ => (None, 1),
    };
    let Some(notation @ (Notation::Matrix | Notation::Seven)) = notation else {
        let wanted = format!("(4, 4), (7,), ({n}, 4, 4) or ({n}, 7)");
        return Err(wrong_shape(what, shape, &wanted));
    };
    let row = |(row, numbers)| {
        pose(notation, numbers)
            .map_err(|words| invalid_at(format!("{what}[{row}]: {words}"), what, row))
    };
    array.values().chunks_exact(size).enumerate().map(row).collect()
}

/// Reads a point or direction.
pub(crate) fn one_point(object: &Bound<'_, PyAny>, what: &'static str) -> PyResult<DVec3> {
    Ok(point(Array::vector(object, what, 3)?.values()))
}

fn two_rotations() -> PyErr {
    invalid("rotation: the target has one of its own", "rotation")
}

fn finite_row(array: &Array<'_>, what: &'static str, row: usize, size: usize) -> PyResult<()> {
    let numbers = &array.values()[row * size..(row + 1) * size];
    match numbers.iter().position(|value| !value.is_finite()) {
        Some(k) => Err(not_finite(what, array.shape(), row * size + k, numbers[k])),
        None => Ok(()),
    }
}

/// Numbers of each rotation in rows of them.
fn rotation_rows(rotations: &Array<'_>, n: usize) -> PyResult<usize> {
    match *rotations.shape() {
        [rows, 3, 3] if rows == n => Ok(9),
        [rows, 4] if rows == n => Ok(4),
        _ => {
            let wanted = format!("({n}, 3, 3) or ({n}, 4)");
            Err(wrong_shape("rotations", rotations.shape(), &wanted))
        }
    }
}

/// Numbers as a pose: finite ones, except that matrices are checked.
fn pose(notation: Notation, numbers: &[f64]) -> Result<Pose, String> {
    match (notation, numbers) {
        (Notation::Matrix, numbers) if numbers.len() == 16 => {
            let matrix = DMat4::from_cols_slice(numbers).transpose();
            Pose::try_from_mat4(matrix).map_err(|error| error.to_string())
        }
        (Notation::Seven, &[x, y, z, qx, qy, qz, qw]) => {
            Ok(Pose::new(rotation_of(&[qx, qy, qz, qw])?, DVec3::new(x, y, z)))
        }
        _ => Ok(Pose::from_translation(point(numbers))),
    }
}

/// A rotation from its matrix, row after row, or its quaternion, which the solver normalises.
fn rotation_of(numbers: &[f64]) -> Result<DQuat, String> {
    /// How far the length of a quaternion may be from 1, as for the solver.
    const OFF: f64 = 1e-3;
    match *numbers {
        [x, y, z, w] => {
            let quaternion = DQuat::from_xyzw(x, y, z, w);
            let length = quaternion.length();
            if (length - 1.0).abs() > OFF {
                return Err(format!(
                    "the quaternion x, y, z, w has the length {length}, and must have 1"
                ));
            }
            Ok(quaternion)
        }
        _ => {
            let matrix = DMat3::from_cols_slice(numbers).transpose();
            let affine = DAffine3::from_mat3(matrix);
            Pose::try_from_affine3(affine)
                .map(|pose| pose.rotation)
                .map_err(|error| error.to_string())
        }
    }
}

fn point(numbers: &[f64]) -> DVec3 {
    match *numbers {
        [x, y, z, ..] => DVec3::new(x, y, z),
        _ => DVec3::ZERO,
    }
}

/// Appends a pose as a matrix, row after row.
pub(crate) fn write_matrix(pose: Pose, out: &mut Vec<f64>) {
    out.extend_from_slice(&pose.to_mat4().transpose().to_cols_array());
}
