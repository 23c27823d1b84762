//! Validation of a robot's parts.

use std::collections::BTreeMap;

use posekit::glam::DVec3;
use posekit::math::Pose;

use super::{Geometry, RobotParts, RobotShape, StateValues};
use crate::error::{Error, Place, Result};
use crate::limits::LARGEST;
use crate::rotation::check_unit;

/// Index of the root link; an error if the links do not form a tree.
pub(super) fn root_link(parts: &RobotParts) -> Result<usize> {
    let links = &parts.links;
    let mut roots = (0..links.len()).filter(|&link| links[link].parent.is_none());
    let root = roots.next().ok_or_else(|| fault("links", "no link is the root"))?;
    if let Some(second) = roots.next() {
        return Err(fault(format!("links[{second}].parent"), "a second root"));
    }
    let mut children = vec![Vec::new(); links.len()];
    for (link, parent) in links.iter().map(|link| link.parent).enumerate() {
        if let Some(parent) = parent {
            index(parent, links.len(), || format!("links[{link}].parent"))?;
            children[parent].push(link);
        }
    }
    let mut is_reached = vec![false; links.len()];
    let mut open = vec![root];
    while let Some(link) = open.pop() {
        is_reached[link] = true;
        open.extend(&children[link]);
    }
    match is_reached.iter().position(|is_reached| !is_reached) {
        Some(link) => Err(fault(format!("links[{link}].parent"), "the links form a loop")),
        None => Ok(root),
    }
}

/// Validates everything else.
pub(super) fn check(parts: &RobotParts) -> Result<()> {
    check_links(parts)?;
    check_joints(parts)?;
    check_shapes_and_frames(parts)?;
    check_groups(parts)?;
    check_states(parts)?;
    check_closures(parts)
}

fn fault(subject: impl Into<String>, message: impl Into<String>) -> Error {
    Error::Value { place: Place::named(subject), message: message.into() }
}

/// Checks an index into a list of this length.
fn index(index: usize, length: usize, subject: impl FnOnce() -> String) -> Result<()> {
    if index < length {
        return Ok(());
    }
    Err(fault(subject(), format!("{index} is not below {length}")))
}

/// Checks that names are not empty and unique.
fn names<'a>(list: &str, names: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut first = BTreeMap::new();
    for (index, name) in names.enumerate() {
        let message = match first.insert(name, index) {
            Some(first) => format!("{list}[{first}] has the name `{name}` too"),
            None if name.is_empty() => "the name is empty".into(),
            None => continue,
        };
        return Err(fault(format!("{list}[{index}].name"), message));
    }
    Ok(())
}

/// Checks that numbers are finite and within the bounds of readers.
fn sizes(numbers: &[f64], least: f64, subject: impl FnOnce() -> String) -> Result<()> {
    match numbers.iter().find(|number| !(least..=LARGEST).contains(*number)) {
        Some(number) => {
            Err(fault(subject(), format!("{number} is not within {least:e} to {LARGEST:e}")))
        }
        None => Ok(()),
    }
}

fn pose(pose: &Pose, subject: impl Fn() -> String) -> Result<()> {
    sizes(&pose.translation.to_array(), -LARGEST, &subject)?;
    check_unit(pose.rotation)
        .map_err(|length| fault(subject(), format!("the rotation has length {length}, not 1")))
}

fn check_links(parts: &RobotParts) -> Result<()> {
    names("links", parts.links.iter().map(|link| link.name.as_str()))?;
    for (at, link) in parts.links.iter().enumerate() {
        index(link.skeleton_joint, parts.skeleton.n_joints(), || {
            format!("links[{at}].skeleton_joint")
        })?;
        sizes(&[link.mass], 0.0, || format!("links[{at}].mass"))?;
        let center = link.center_in_link.to_array();
        sizes(&center, -LARGEST, || format!("links[{at}].center_in_link"))?;
    }
    Ok(())
}

fn check_joints(parts: &RobotParts) -> Result<()> {
    names("joints", parts.joints.iter().map(|joint| joint.name.as_str()))?;
    for (at, joint) in parts.joints.iter().enumerate() {
        index(joint.parent_link, parts.links.len(), || format!("joints[{at}].parent_link"))?;
        index(joint.child_link, parts.links.len(), || format!("joints[{at}].child_link"))?;
        let made = &joint.skeleton_joints;
        if made.start > made.end || made.end > parts.skeleton.n_joints() {
            let message = format!("{made:?} are not all joints of the skeleton");
            return Err(fault(format!("joints[{at}].skeleton_joints"), message));
        }
        if joint.max_speed.is_nan() || joint.max_speed <= 0.0 {
            let message = format!("{} is not above 0", joint.max_speed);
            return Err(fault(format!("joints[{at}].max_speed"), message));
        }
    }
    Ok(())
}

fn check_shapes_and_frames(parts: &RobotParts) -> Result<()> {
    let n_links = parts.links.len();
    for (at, shape) in parts.shapes.iter().enumerate() {
        check_shape(shape, n_links, || format!("shapes[{at}]"))?;
    }
    for (at, visual) in parts.visuals.iter().enumerate() {
        check_shape(&visual.shape, n_links, || format!("visuals[{at}].shape"))?;
        let color = visual.color.unwrap_or_default();
        if color.iter().any(|part| !(0.0..=1.0).contains(part)) {
            let message = format!("{color:?} is not four numbers from 0 to 1");
            return Err(fault(format!("visuals[{at}].color"), message));
        }
    }
    names("frames", parts.frames.iter().map(|frame| frame.name.as_str()))?;
    for (at, frame) in parts.frames.iter().enumerate() {
        index(frame.link, parts.links.len(), || format!("frames[{at}].link"))?;
        pose(&frame.link_from_frame, || format!("frames[{at}].link_from_frame"))?;
    }
    Ok(())
}

fn check_shape(shape: &RobotShape, n_links: usize, subject: impl Fn() -> String) -> Result<()> {
    index(shape.link, n_links, || format!("{}.link", subject()))?;
    pose(&shape.link_from_shape, || format!("{}.link_from_shape", subject()))?;
    check_geometry(&shape.geometry, || format!("{}.geometry", subject()))
}

fn check_geometry(geometry: &Geometry, subject: impl FnOnce() -> String) -> Result<()> {
    let lengths = |DVec3 { x, y, z }| [x, y, z];
    match geometry {
        Geometry::Box { half_extents } => sizes(&lengths(*half_extents), 0.0, subject),
        Geometry::Sphere { radius } => sizes(&[*radius], 0.0, subject),
        Geometry::Cylinder { radius, half_length } | Geometry::Capsule { radius, half_length } => {
            sizes(&[*radius, *half_length], 0.0, subject)
        }
        Geometry::Ellipsoid { radii } => sizes(&lengths(*radii), 0.0, subject),
        Geometry::Mesh { scale, .. } => sizes(&lengths(*scale), -LARGEST, subject),
        Geometry::HalfSpace => Ok(()),
    }
}

fn check_groups(parts: &RobotParts) -> Result<()> {
    let (n_links, n_joints) = (parts.links.len(), parts.joints.len());
    names("groups", parts.groups.iter().map(|group| group.name.as_str()))?;
    for (at, group) in parts.groups.iter().enumerate() {
        let links = group.links.iter().chain(group.chains.iter().flatten());
        for &link in links {
            index(link, n_links, || format!("groups[{at}]"))?;
        }
        for &joint in &group.joints {
            index(joint, n_joints, || format!("groups[{at}].joints"))?;
        }
    }
    names("end_effectors", parts.end_effectors.iter().map(|effector| effector.name.as_str()))?;
    for (at, effector) in parts.end_effectors.iter().enumerate() {
        index(effector.parent_link, n_links, || format!("end_effectors[{at}].parent_link"))?;
        for group in [Some(effector.group), effector.parent_group].into_iter().flatten() {
            index(group, parts.groups.len(), || format!("end_effectors[{at}]"))?;
        }
    }
    for (at, joint) in parts.virtual_joints.iter().enumerate() {
        index(joint.child_link, n_links, || format!("virtual_joints[{at}].child_link"))?;
    }
    for (at, pair) in parts.disabled_pairs.iter().enumerate() {
        for link in pair.links {
            index(link, n_links, || format!("disabled_pairs[{at}].links"))?;
        }
    }
    Ok(())
}

fn check_closures(parts: &RobotParts) -> Result<()> {
    for (at, closure) in parts.closures.iter().enumerate() {
        for (link, frame) in closure.links.iter().zip(&closure.link_from_frame) {
            index(*link, parts.links.len(), || format!("closures[{at}].links"))?;
            pose(frame, || format!("closures[{at}].link_from_frame"))?;
        }
    }
    Ok(())
}

fn check_states(parts: &RobotParts) -> Result<()> {
    for (at, state) in parts.states.iter().enumerate() {
        if let Some(group) = state.group {
            index(group, parts.groups.len(), || format!("states[{at}].group"))?;
        }
        for StateValues { joint, values } in &state.values {
            index(*joint, parts.joints.len(), || format!("states[{at}].values"))?;
            let made = parts.joints[*joint].skeleton_joints.clone();
            let expected: usize = made.map(|joint| parts.skeleton.value_range(joint).len()).sum();
            let (name, found) = (&parts.joints[*joint].name, values.len());
            let subject = || format!("states[{at}].values");
            if found != expected {
                let message = format!("the joint `{name}` has {expected} values, found {found}");
                return Err(fault(subject(), message));
            }
            sizes(values, -LARGEST, subject)?;
        }
    }
    Ok(())
}
