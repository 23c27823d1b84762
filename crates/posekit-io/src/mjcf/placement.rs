//! Poses in any notation: `pos` with `quat`, `axisangle`, `xyaxes`, `zaxis` or `euler`, and `fromto`.

use posekit::glam::{DMat3, DQuat, DVec3, DVec4};
use posekit::math::{Pose, atan2, direction_or, rotation_about};

use super::classes::{Attributes, ORIENTATIONS};
use super::compiler::Compiler;
use crate::error::Result;
use crate::xml::{Element, Infinite};

/// The least component of a unit vector perpendicular to another that determines a plane; less is rounding.
const SMALLEST: f64 = 1e-14;

/// The pose of an element without a class: a body, a frame, an inertia.
pub(super) fn pose(element: Element<'_>, compiler: &Compiler<'_>, subject: &str) -> Result<Pose> {
    let position = element.numbers::<3>("pos", subject, Infinite::Refused)?.unwrap_or_default();
    let rotation = orientation(element, compiler, subject)?;
    Ok(Pose::new(rotation, DVec3::from_array(position)))
}

/// The pose of a geom or a site, and half of its length if it has `fromto`.
pub(super) fn pose_and_length(
    attributes: &Attributes<'_>,
    compiler: &Compiler<'_>,
    subject: &str,
) -> Result<(Pose, Option<f64>)> {
    let position = attributes.numbers::<3>("pos", subject)?.unwrap_or_default();
    let position = DVec3::from_array(position);
    let Some([a, b, c, d, e, f]) = attributes.numbers::<6>("fromto", subject)? else {
        let holder = attributes.orientation();
        let rotation = holder.map(|holder| orientation(holder, compiler, subject)).transpose()?;
        return Ok((Pose::new(rotation.unwrap_or(DQuat::IDENTITY), position), None));
    };
    if position != DVec3::ZERO {
        let message = "`fromto` determines the position, too; omit `pos`";
        return Err(attributes.invalid("pos", subject, message));
    }
    let (from, to) = (DVec3::new(a, b, c), DVec3::new(d, e, f));
    // MuJoCo's z axis points from the second point to the first.
    let rotation = z_to(from - to).ok_or_else(|| {
        attributes.invalid("fromto", subject, "both ends of `fromto` are the same point")
    })?;
    Ok((Pose::new(rotation, 0.5 * (from + to)), Some(0.5 * (from - to).length())))
}

/// The orientation of an element, in the one notation that it uses; none by default.
fn orientation(element: Element<'_>, compiler: &Compiler<'_>, subject: &str) -> Result<DQuat> {
    let mut given = ORIENTATIONS.into_iter().filter(|name| element.has(name));
    let Some(name) = given.next() else { return Ok(DQuat::IDENTITY) };
    if let Some(second) = given.next() {
        let message = format!("`{name}` and `{second}` both give an orientation; omit one");
        return Err(element.invalid(second, subject, message));
    }
    let too_small = |what: &str| element.invalid(name, subject, format!("the {what} is zero"));
    match name {
        "quat" => quaternion(element, name, subject),
        "axisangle" => {
            let [x, y, z, angle] = required(element, name, subject)?;
            let axis = unit(DVec3::new(x, y, z)).ok_or_else(|| too_small("axis"))?;
            Ok(rotation_about(axis, compiler.angle(angle)))
        }
        "xyaxes" => {
            let [a, b, c, d, e, f] = required(element, name, subject)?;
            let (x, y) = (DVec3::new(a, b, c), DVec3::new(d, e, f));
            let message = "the x and y axes must be two directions, not parallel";
            from_axes(x, y).ok_or_else(|| element.invalid(name, subject, message))
        }
        "zaxis" => {
            let z = DVec3::from_array(required(element, name, subject)?);
            z_to(z).ok_or_else(|| too_small("axis"))
        }
        _ => Ok(from_euler(required(element, name, subject)?, compiler)),
    }
}

/// A quaternion w, x, y, z of any length but zero.
pub(super) fn quaternion(element: Element<'_>, name: &str, subject: &str) -> Result<DQuat> {
    unit_quaternion(required(element, name, subject)?)
        .ok_or_else(|| element.invalid(name, subject, "the quaternion is zero"))
}

/// The rotation of a quaternion w, x, y, z; `None` for zero.
pub(super) fn unit_quaternion([w, x, y, z]: [f64; 4]) -> Option<DQuat> {
    let numbers = DVec4::new(x, y, z, w);
    // Scaled first, so that neither tiny nor huge numbers lose precision.
    let unit = (numbers / numbers.abs().max_element()).try_normalize()?;
    Some(DQuat::from_vec4(unit))
}

/// Euler angles about the axes of `eulerseq`, in its order. An axis in lower case rotates with the frame, one in upper case stays.
pub(super) fn from_euler(angles: [f64; 3], compiler: &Compiler<'_>) -> DQuat {
    let steps = angles.into_iter().zip(compiler.euler_sequence);
    steps.fold(DQuat::IDENTITY, |rotation, (angle, (axis, is_fixed))| {
        let step = rotation_about(axis, compiler.angle(angle));
        if is_fixed { step * rotation } else { rotation * step }
    })
}

fn required<const N: usize>(element: Element<'_>, name: &str, subject: &str) -> Result<[f64; N]> {
    let numbers = element.numbers::<N>(name, subject, Infinite::Refused)?;
    numbers.ok_or_else(|| element.invalid(name, subject, "it is missing"))
}

/// The direction of a vector of any length but zero.
pub(super) fn unit(vector: DVec3) -> Option<DVec3> {
    let direction = direction_or(vector, DVec3::ZERO);
    (direction != DVec3::ZERO).then_some(direction)
}

/// The smallest rotation that takes z to a direction; half a turn about x where they are opposite, as in MuJoCo.
fn z_to(direction: DVec3) -> Option<DQuat> {
    let direction = unit(direction)?;
    let across = DVec3::Z.cross(direction);
    let sine = across.length();
    let axis = if sine < SMALLEST { DVec3::X } else { across / sine };
    Some(rotation_about(axis, atan2(sine, direction.z)))
}

/// The frame whose x axis is the first direction, and whose y axis is the component of the second perpendicular to it.
fn from_axes(x: DVec3, y: DVec3) -> Option<DQuat> {
    let (x, y) = (unit(x)?, unit(y)?);
    let across = y - x * x.dot(y);
    if across.length() < SMALLEST {
        return None;
    }
    let y = unit(across)?;
    Some(DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))))
}
