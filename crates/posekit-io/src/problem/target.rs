//! The targets and frames of tasks as plain numbers, for front ends that move them.

use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;
use posekit::task::TaskKind;

use crate::error::{Error, Place, Result};
use crate::rotation::check_unit;

/// The number of values of a task's target; 0 for tasks whose target is not a distance, position, direction, orientation or pose.
///
/// 2 for a distance (the least and the largest), 3 for a point or a direction, 4 for an orientation (x, y, z, w), 7 for a pose (a point, then x, y, z, w).
#[must_use]
pub const fn target_len(kind: &TaskKind) -> usize {
    match kind {
        TaskKind::Distance(_) => 2,
        TaskKind::Position(_)
        | TaskKind::LookAt(_)
        | TaskKind::AxisAlignment(_)
        | TaskKind::Pole(_)
        | TaskKind::Plane(_)
        | TaskKind::CenterOfMass(_) => 3,
        TaskKind::Orientation(_) => 4,
        TaskKind::Pose(_) | TaskKind::RelativePose(_) => 7,
        _ => 0,
    }
}

/// Sets the target of a task: a point (of a position, a look-at, a pole, a plane, a centre of mass), a direction, an orientation, or a pose, whose
/// point or rotation may be given alone. A plane may be given by 6 numbers, a point and its normal. In two dimensions a point may have two numbers; its z is kept. A distance has one number, or two
/// for a range.
///
/// Rotations may be off unit length by 1e-3 and are normalised.
///
/// # Errors
/// [`Error::Value`] for a number of values that the task does not accept, values that are not finite, and an invalid rotation;
/// [`Error::Unsupported`] for a task without such a target.
///
/// # Example
/// ```
/// use posekit::glam::DVec3;
/// use posekit::math::Pose;
/// use posekit::skeleton::Frame;
/// use posekit::task::{Position, TaskKind};
/// use posekit_io::problem::set_target;
///
/// let mut kind = TaskKind::from(Position::new(Frame::new(0, Pose::IDENTITY), DVec3::ZERO));
/// set_target(&mut kind, &[1.0, 2.0, 3.0])?;
/// assert!(matches!(kind, TaskKind::Position(task) if task.target_in_world == DVec3::new(1.0, 2.0, 3.0)));
/// assert!(set_target(&mut kind, &[1.0]).is_err());
/// # Ok::<(), posekit_io::Error>(())
/// ```
pub fn set_target(kind: &mut TaskKind, numbers: &[f64]) -> Result<()> {
    check_finite(numbers)?;
    match kind {
        TaskKind::Position(task) => set_point(&mut task.target_in_world, numbers),
        TaskKind::LookAt(task) => set_point(&mut task.target_in_world, numbers),
        TaskKind::Pole(task) => set_point(&mut task.pole_in_world, numbers),
        TaskKind::Plane(task) => match numbers.split_at_checked(3) {
            Some((point, normal)) if normal.len() == 3 => {
                set_point(&mut task.point_in_world, point)?;
                set_point(&mut task.normal_in_world, normal)
            }
            _ => set_point(&mut task.point_in_world, numbers),
        },
        TaskKind::CenterOfMass(task) => set_point(&mut task.target_in_world, numbers),
        TaskKind::AxisAlignment(task) => set_point(&mut task.direction_in_world, numbers),
        TaskKind::Orientation(task) => set_rotation(&mut task.world_from_target, numbers),
        TaskKind::Pose(task) => set_pose(&mut task.world_from_target, numbers),
        TaskKind::RelativePose(task) => set_pose(&mut task.a_from_target, numbers),
        TaskKind::Distance(task) => {
            let (min, max) = match *numbers {
                [distance] => (distance, distance),
                [min, max] => (min, max),
                _ => return Err(wrong_count("1 or 2 numbers", numbers)),
            };
            if !(0.0..=max).contains(&min) {
                return Err(fault(format!("{min} to {max} are no distances")));
            }
            (task.min, task.max) = (min, max);
            Ok(())
        }
        other => {
            let message =
                format!("the target of a task `{}` cannot be set by numbers", other.name());
            Err(Error::Unsupported { place: Place::named("target"), message })
        }
    }
}

/// Writes the target of a task into the first [`target_len`] numbers.
///
/// # Degenerate cases
/// Nothing is written if there is no such target, or the slice is too short.
pub fn write_target(kind: &TaskKind, out: &mut [f64]) {
    let Some(out) = out.get_mut(..target_len(kind)) else { return };
    let pose = |pose: &Pose, out: &mut [f64]| {
        out[..3].copy_from_slice(&pose.translation.to_array());
        out[3..].copy_from_slice(&pose.rotation.to_array());
    };
    match kind {
        TaskKind::Position(task) => out.copy_from_slice(&task.target_in_world.to_array()),
        TaskKind::LookAt(task) => out.copy_from_slice(&task.target_in_world.to_array()),
        TaskKind::Pole(task) => out.copy_from_slice(&task.pole_in_world.to_array()),
        TaskKind::Plane(task) => out.copy_from_slice(&task.point_in_world.to_array()),
        TaskKind::CenterOfMass(task) => out.copy_from_slice(&task.target_in_world.to_array()),
        TaskKind::AxisAlignment(task) => out.copy_from_slice(&task.direction_in_world.to_array()),
        TaskKind::Orientation(task) => out.copy_from_slice(&task.world_from_target.to_array()),
        TaskKind::Pose(task) => pose(&task.world_from_target, out),
        TaskKind::RelativePose(task) => pose(&task.a_from_target, out),
        TaskKind::Distance(task) => out.copy_from_slice(&[task.min, task.max]),
        _ => {}
    }
}

/// Moves a frame of a task on its joint: a point, an orientation or a pose, as [`set_target`].
///
/// - `index`: 0, or 1 for the second frame of a task with two; of a pole 0 is the upper bone, 1 the tip, and 2 the middle joint in the upper bone, a point
///
/// # Errors
/// [`Error::Value`] as for [`set_target`]; [`Error::Unsupported`] for a task without such a frame.
pub fn set_frame(kind: &mut TaskKind, index: usize, numbers: &[f64]) -> Result<()> {
    check_finite(numbers)?;
    let frame = match (index, &mut *kind) {
        (0, TaskKind::Position(task)) => &mut task.frame,
        (0, TaskKind::Orientation(task)) => &mut task.frame,
        (0, TaskKind::Pose(task)) => &mut task.frame,
        (0, TaskKind::LookAt(task)) => &mut task.frame,
        (0, TaskKind::AxisAlignment(task)) => &mut task.frame,
        (0, TaskKind::Plane(task)) => &mut task.frame,
        (0, TaskKind::Pole(task)) => &mut task.upper,
        (1, TaskKind::Pole(task)) => &mut task.tip,
        (2, TaskKind::Pole(task)) => return set_point(&mut task.mid_in_upper, numbers),
        (0 | 1, TaskKind::Distance(task)) => &mut task.frames[index],
        (0 | 1, TaskKind::RelativePose(task)) => &mut task.frames[index],
        (_, other) => {
            let message = format!("a task `{}` has no frame {index} to move", other.name());
            return Err(Error::Unsupported { place: Place::named("frame"), message });
        }
    };
    set_pose(&mut frame.joint_from_frame, numbers)
}

fn check_finite(numbers: &[f64]) -> Result<()> {
    match numbers.iter().position(|number| !number.is_finite()) {
        None => Ok(()),
        Some(index) => {
            Err(fault(format!("number {index} is {}, which is not finite", numbers[index])))
        }
    }
}

fn set_point(point: &mut DVec3, numbers: &[f64]) -> Result<()> {
    *point = match *numbers {
        [x, y] => DVec3::new(x, y, point.z),
        [x, y, z] => DVec3::new(x, y, z),
        _ => return Err(wrong_count("2 or 3 numbers", numbers)),
    };
    Ok(())
}

fn set_rotation(rotation: &mut DQuat, numbers: &[f64]) -> Result<()> {
    let &[x, y, z, w] = numbers else { return Err(wrong_count("4 numbers", numbers)) };
    let given = DQuat::from_xyzw(x, y, z, w);
    if let Err(length) = check_unit(given) {
        return Err(fault(format!("the rotation (x, y, z, w) has length {length}, not 1")));
    }
    *rotation = given.normalize();
    Ok(())
}

fn set_pose(pose: &mut Pose, numbers: &[f64]) -> Result<()> {
    match numbers.len() {
        2 | 3 => set_point(&mut pose.translation, numbers),
        4 => set_rotation(&mut pose.rotation, numbers),
        7 => {
            let (point, rotation) = numbers.split_at(3);
            let mut both = *pose;
            set_point(&mut both.translation, point)?;
            set_rotation(&mut both.rotation, rotation)?;
            *pose = both;
            Ok(())
        }
        _ => Err(wrong_count("2, 3, 4 or 7 numbers", numbers)),
    }
}

fn wrong_count(expected: &str, numbers: &[f64]) -> Error {
    fault(format!("expected {expected}, found {}", numbers.len()))
}

fn fault(message: String) -> Error {
    Error::Value { place: Place::named("target"), message }
}
