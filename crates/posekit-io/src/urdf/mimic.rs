//! `<mimic>`: couplings of joints, checked before the skeleton is built so that errors can name the lines.

use std::collections::BTreeMap;

use super::parse::{JointElement, MimicElement};
use crate::error::{Error, Result};
use crate::robot::RobotJointKind;

/// The relation that determines a joint's value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Follow {
    /// None: the joint moves independently, or not at all.
    Nothing,
    /// `multiplier * value of joint + offset`; the joint is an index into the file's joints.
    Joint { joint: usize, multiplier: f64, offset: f64 },
    /// A joint that never moves, so that this one stays at a value too.
    Constant { value: f64 },
}

/// Resolves every `<mimic>` to the joint it names; a follower of a follower keeps naming the follower.
///
/// A joint that follows a fixed one, directly or through others, is held at the value this gives (the fixed joint's value counts as 0).
pub(super) fn resolve(joints: &[JointElement<'_>]) -> Result<Vec<Follow>> {
    let index_of: BTreeMap<&str, usize> =
        joints.iter().enumerate().map(|(index, joint)| (joint.name, index)).collect();
    let drivers: Result<Vec<Option<usize>>> =
        joints.iter().map(|joint| driver(joint, joints, &index_of)).collect();
    let drivers = drivers?;
    let mut follows = vec![None; joints.len()];
    for start in 0..joints.len() {
        let mut path = Vec::new();
        let mut joint = start;
        // Down the chain of drivers to a joint that is resolved already or follows nothing; a chain longer than the list is a loop.
        while follows[joint].is_none() {
            path.push(joint);
            match drivers[joint] {
                Some(driver) if path.len() <= joints.len() => joint = driver,
                Some(_) => return Err(loop_error(joints, &drivers, joint)),
                None => break,
            }
        }
        for &joint in path.iter().rev() {
            follows[joint] = Some(follow(&joints[joint], drivers[joint], joints, &follows));
        }
    }
    Ok(follows.into_iter().map(|follow| follow.unwrap_or(Follow::Nothing)).collect())
}

fn driver(
    joint: &JointElement<'_>,
    joints: &[JointElement<'_>],
    index_of: &BTreeMap<&str, usize>,
) -> Result<Option<usize>> {
    let Some(mimic) = joint.mimic else { return Ok(None) };
    let place = || mimic.element.place(format!("joint `{}`", joint.name));
    let Some(&driver) = index_of.get(mimic.joint) else {
        return Err(Error::NoSuchName { place: place(), kind: "joint", name: mimic.joint.into() });
    };
    let kind = joints[driver].kind;
    if matches!(kind, RobotJointKind::Planar | RobotJointKind::Floating) {
        return Err(Error::Unsupported {
            place: place(),
            message: format!("a joint cannot mimic `{}`, which is {}", mimic.joint, kind.name()),
        });
    }
    Ok(Some(driver))
}

fn follow(
    joint: &JointElement<'_>,
    driver: Option<usize>,
    joints: &[JointElement<'_>],
    follows: &[Option<Follow>],
) -> Follow {
    let (Some(driver), Some(MimicElement { multiplier, offset, .. })) = (driver, joint.mimic)
    else {
        return Follow::Nothing;
    };
    match follows[driver] {
        _ if joints[driver].kind == RobotJointKind::Fixed => Follow::Constant { value: offset },
        Some(Follow::Constant { value }) => Follow::Constant { value: multiplier * value + offset },
        _ => Follow::Joint { joint: driver, multiplier, offset },
    }
}

fn loop_error(joints: &[JointElement<'_>], drivers: &[Option<usize>], inside: usize) -> Error {
    const NAMED: usize = 16;
    let mut names = vec![format!("`{}`", joints[inside].name)];
    let mut joint = inside;
    while let Some(driver) = drivers[joint] {
        if names.len() > NAMED {
            names.push("...".into());
            break;
        }
        names.push(format!("`{}`", joints[driver].name));
        if driver == inside {
            break;
        }
        joint = driver;
    }
    let place = joints[inside].mimic.map_or_else(
        || joints[inside].element.place(""),
        |mimic| mimic.element.place(format!("joint `{}`", joints[inside].name)),
    );
    let message = format!("<mimic> forms a loop: {}", names.join(" follows "));
    Error::Tree { place, message }
}
