//! Resolves the names of a file to the links and joints of a robot.

use std::collections::{BTreeMap, BTreeSet};

use posekit::glam::DQuat;
use posekit::skeleton::JointKind;

use super::groups;
use super::parse::{Description, EndEffectorElement, Named, PairElement, StateElement};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::robot::{DisabledPair, Robot, RobotEndEffector, RobotState, StateValues, VirtualJoint};
use crate::rotation::check_unit;
use crate::warnings::Warnings;
use crate::xml::{Element, shortened};

/// The largest number of disabled pairs, for each joint that a robot may have.
const PAIRS_PER_JOINT: usize = 64;

/// The robot with all properties in the file.
pub(super) fn merge(
    robot: &Robot,
    file: &Description<'_>,
    limits: &Limits,
    warnings: &mut Warnings,
) -> Result<Robot> {
    if file.name.name != robot.name() {
        let (own, other) = (shortened(robot.name()), shortened(file.name.name));
        let place = file.name.element.place("");
        warnings.push(place, format!("the file is for `{other}`, the robot is `{own}`"));
    }
    let names = Names::new(robot, file);
    let groups = groups::resolve(&names, &file.groups, limits)?;
    let mut parts = robot.clone().into_parts();
    parts.end_effectors = file
        .end_effectors
        .iter()
        .map(|element| end_effector(&names, element))
        .collect::<Result<_>>()?;
    parts.states = file
        .states
        .iter()
        .map(|element| state(&names, element, warnings))
        .collect::<Result<_>>()?;
    parts.virtual_joints = virtual_joints(&names, file)?;
    for joint in &file.passive_joints {
        if let Some(index) = names.joint(joint, "<passive_joint>")? {
            parts.joints[index].is_passive = true;
        }
    }
    parts.disabled_pairs = disabled_pairs(&names, file, limits)?;
    parts.groups = groups;
    Robot::try_new(parts)
}

/// Looks names up.
pub(super) struct Names<'a> {
    pub(super) robot: &'a Robot,
    links: BTreeMap<&'a str, usize>,
    joints: BTreeMap<&'a str, usize>,
    /// The groups of the file, with unique names.
    groups: BTreeMap<&'a str, usize>,
    virtual_joints: BTreeSet<&'a str>,
    /// The joints that carry each link.
    joints_above: Vec<Vec<usize>>,
}

impl<'a> Names<'a> {
    fn new(robot: &'a Robot, file: &Description<'a>) -> Self {
        let mut joints_above = vec![Vec::new(); robot.links().len()];
        for (index, joint) in robot.joints().iter().enumerate() {
            joints_above[joint.child_link].push(index);
        }
        let links = robot.links().iter().enumerate();
        let joints = robot.joints().iter().enumerate();
        let groups = file.groups.iter().enumerate();
        Self {
            robot,
            links: links.map(|(index, link)| (link.name.as_str(), index)).collect(),
            joints: joints.map(|(index, joint)| (joint.name.as_str(), index)).collect(),
            groups: groups.map(|(index, group)| (group.named.name, index)).collect(),
            virtual_joints: file.virtual_joints.iter().map(|joint| joint.named.name).collect(),
            joints_above,
        }
    }

    /// Index of a link.
    pub(super) fn link(&self, at: Element<'_>, name: &str, subject: &str) -> Result<usize> {
        self.links.get(name).copied().ok_or_else(|| no_such("link", at, name, subject))
    }

    /// Index of a joint; `None` for a virtual one.
    pub(super) fn joint(&self, named: &Named<'_>, subject: &str) -> Result<Option<usize>> {
        match self.joints.get(named.name) {
            Some(&joint) => Ok(Some(joint)),
            None if self.virtual_joints.contains(named.name) => Ok(None),
            None => Err(no_such("joint", named.element, named.name, subject)),
        }
    }

    /// Index of a group.
    pub(super) fn group(&self, at: Element<'_>, name: &str, subject: &str) -> Result<usize> {
        self.groups.get(name).copied().ok_or_else(|| no_such("group", at, name, subject))
    }

    /// The joints that carry a link; none for the root link.
    pub(super) fn joints_above(&self, link: usize) -> impl Iterator<Item = usize> + '_ {
        self.joints_above[link].iter().copied()
    }
}

fn no_such(kind: &'static str, at: Element<'_>, name: &str, subject: &str) -> Error {
    Error::NoSuchName { place: at.place(subject), kind, name: name.to_owned() }
}

fn end_effector(names: &Names<'_>, element: &EndEffectorElement<'_>) -> Result<RobotEndEffector> {
    let Named { element: at, name } = element.named;
    let subject = format!("end effector `{}`", shortened(name));
    let parent_group = element.parent_group.map(|name| names.group(at, name, &subject));
    Ok(RobotEndEffector {
        name: name.to_owned(),
        group: names.group(at, element.group, &subject)?,
        parent_link: names.link(at, element.parent_link, &subject)?,
        parent_group: parent_group.transpose()?,
    })
}

fn state(
    names: &Names<'_>,
    element: &StateElement<'_>,
    warnings: &mut Warnings,
) -> Result<RobotState> {
    let Named { element: at, name } = element.named;
    let subject = format!("state `{}`", shortened(name));
    let group = names.group(at, element.group, &subject)?;
    let mut values = Vec::new();
    for (named, given) in &element.values {
        let place = || named.element.place(subject.as_str());
        match names.joint(named, &subject)? {
            None => warnings.push(place(), "the value of a virtual joint is ignored"),
            Some(joint) if n_values(names.robot, joint) == 0 => {
                let message =
                    format!("the joint `{}` does not move; its value is ignored", named.name);
                warnings.push(place(), message);
            }
            Some(joint) => {
                check_values(names.robot, joint, named, given, &subject, warnings)?;
                values.push(StateValues { joint, values: given.clone() });
            }
        }
    }
    Ok(RobotState { name: name.to_owned(), group: Some(group), values })
}

fn n_values(robot: &Robot, joint: usize) -> usize {
    let made = robot.joints()[joint].skeleton_joints.clone();
    made.map(|joint| robot.skeleton().value_range(joint).len()).sum()
}

/// Checks the number of values, and that rotations have unit length; warns of values outside of limits.
fn check_values(
    robot: &Robot,
    joint: usize,
    named: &Named<'_>,
    given: &[f64],
    subject: &str,
    warnings: &mut Warnings,
) -> Result<()> {
    let (name, at) = (named.name, named.element);
    let fault = |message| Err(at.invalid("value", subject, message));
    let expected = n_values(robot, joint);
    if given.len() != expected {
        return fault(format!("the joint `{name}` has {expected} values, found {}", given.len()));
    }
    let mut rest = given;
    for skeleton_joint in robot.joints()[joint].skeleton_joints.clone() {
        let kind = robot.skeleton().kind(skeleton_joint);
        let (own, others) = rest.split_at(kind.n_values());
        rest = others;
        match (kind, own) {
            (JointKind::Revolute { .. } | JointKind::Prismatic { .. }, &[value]) => {
                let (min, max) = robot.skeleton().limit(skeleton_joint).bounds();
                if !(min..=max).contains(&value) {
                    let message = format!("`{name}` = {value} is outside its limit {min} to {max}");
                    warnings.push(at.place(subject), message);
                }
            }
            (_, &[.., x, y, z, w]) => {
                if let Err(length) = check_unit(DQuat::from_xyzw(x, y, z, w)) {
                    let message = format!("the rotation of `{name}` has length {length}, not 1");
                    return fault(message);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

fn virtual_joints(names: &Names<'_>, file: &Description<'_>) -> Result<Vec<VirtualJoint>> {
    let joint = |element: &super::parse::VirtualJointElement<'_>| {
        let Named { element: at, name } = element.named;
        let subject = format!("virtual joint `{}`", shortened(name));
        Ok(VirtualJoint {
            name: name.to_owned(),
            kind: element.kind,
            parent_frame: element.parent_frame.to_owned(),
            child_link: names.link(at, element.child_link, &subject)?,
        })
    };
    file.virtual_joints.iter().map(joint).collect()
}

/// The disabled pairs, in the order of the file, those of whole links last; each once, and without those that are enabled.
fn disabled_pairs(
    names: &Names<'_>,
    file: &Description<'_>,
    limits: &Limits,
) -> Result<Vec<DisabledPair>> {
    let links = |pair: &PairElement<'_>| -> Result<[usize; 2]> {
        let subject = format!("<{}>", pair.element.tag());
        let [a, b] = pair.links;
        Ok([names.link(pair.element, a, &subject)?, names.link(pair.element, b, &subject)?])
    };
    let sorted = |[a, b]: [usize; 2]| [a.min(b), a.max(b)];
    let mut seen = BTreeSet::new();
    for pair in &file.enabled {
        seen.insert(sorted(links(pair)?));
    }
    let mut pairs = Vec::new();
    for pair in &file.disabled {
        let links = links(pair)?;
        if seen.insert(sorted(links)) {
            pairs.push(DisabledPair { links, reason: pair.reason.to_owned() });
        }
    }
    for named in &file.disabled_links {
        let link = names.link(named.element, named.name, "<disable_default_collisions>")?;
        for other in (0..names.robot.links().len()).filter(|&other| other != link) {
            if seen.insert(sorted([link, other])) {
                let reason = "disabled by default".to_owned();
                pairs.push(DisabledPair { links: [link, other], reason });
            }
        }
        if pairs.len() / PAIRS_PER_JOINT > limits.joints {
            let what = "the number of disabled pairs".into();
            return Err(Error::TooLarge { what, limit: limits.joints, field: "joints" });
        }
    }
    Ok(pairs)
}
