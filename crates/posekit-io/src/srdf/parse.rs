//! Parses and checks XML elements, without resolving names.

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::robot::RobotJointKind;
use crate::warnings::Warnings;
use crate::xml::{Element, Source, Unknown, shortened};

/// An element, and its subject in messages.
#[derive(Clone, Copy)]
pub(super) struct Named<'x> {
    pub(super) element: Element<'x>,
    pub(super) name: &'x str,
}

/// A file's content, in document order.
pub(super) struct Description<'x> {
    pub(super) name: Named<'x>,
    pub(super) groups: Vec<GroupElement<'x>>,
    pub(super) states: Vec<StateElement<'x>>,
    pub(super) end_effectors: Vec<EndEffectorElement<'x>>,
    pub(super) virtual_joints: Vec<VirtualJointElement<'x>>,
    pub(super) passive_joints: Vec<Named<'x>>,
    pub(super) disabled: Vec<PairElement<'x>>,
    pub(super) enabled: Vec<PairElement<'x>>,
    /// Links with all their pairs disabled.
    pub(super) disabled_links: Vec<Named<'x>>,
}

pub(super) struct GroupElement<'x> {
    pub(super) named: Named<'x>,
    pub(super) links: Vec<Named<'x>>,
    pub(super) joints: Vec<Named<'x>>,
    /// Base and tip of each chain.
    pub(super) chains: Vec<[Named<'x>; 2]>,
    pub(super) subgroups: Vec<Named<'x>>,
}

pub(super) struct StateElement<'x> {
    pub(super) named: Named<'x>,
    pub(super) group: &'x str,
    pub(super) values: Vec<(Named<'x>, Vec<f64>)>,
}

pub(super) struct EndEffectorElement<'x> {
    pub(super) named: Named<'x>,
    pub(super) group: &'x str,
    pub(super) parent_link: &'x str,
    pub(super) parent_group: Option<&'x str>,
}

pub(super) struct VirtualJointElement<'x> {
    pub(super) named: Named<'x>,
    pub(super) kind: RobotJointKind,
    pub(super) parent_frame: &'x str,
    pub(super) child_link: &'x str,
}

pub(super) struct PairElement<'x> {
    pub(super) element: Element<'x>,
    pub(super) links: [&'x str; 2],
    pub(super) reason: &'x str,
}

pub(super) fn read_description<'x>(
    root: Element<'x>,
    source: &Source<'_>,
    limits: &Limits,
    warnings: &mut Warnings,
) -> Result<Description<'x>> {
    root.check_robot("an SRDF")?;
    let mut unknown = Unknown::default();
    let mut all = Description {
        name: named(root, "name", "the robot")?,
        groups: Vec::new(),
        states: Vec::new(),
        end_effectors: Vec::new(),
        virtual_joints: Vec::new(),
        passive_joints: Vec::new(),
        disabled: Vec::new(),
        enabled: Vec::new(),
        disabled_links: Vec::new(),
    };
    root.note_unknown_attributes(&["name", "version"], &mut unknown);
    for element in root.children() {
        read_part(element, &mut all, &mut unknown)?;
        if all.groups.len().max(all.states.len()) > limits.joints {
            let what = "the number of groups or states".into();
            return Err(Error::TooLarge { what, limit: limits.joints, field: "joints" });
        }
    }
    unknown.report(source, warnings);
    Ok(all)
}

fn read_part<'x>(
    element: Element<'x>,
    all: &mut Description<'x>,
    unknown: &mut Unknown<'x>,
) -> Result<()> {
    match element.tag() {
        "group" => all.groups.push(read_group(element, unknown)?),
        "group_state" => all.states.push(read_state(element, unknown)?),
        "end_effector" => all.end_effectors.push(read_end_effector(element, unknown)?),
        "virtual_joint" => all.virtual_joints.push(read_virtual_joint(element, unknown)?),
        "passive_joint" => all.passive_joints.push(named(element, "name", "a passive joint")?),
        "disable_collisions" => all.disabled.push(read_pair(element, unknown)?),
        "enable_collisions" => all.enabled.push(read_pair(element, unknown)?),
        "disable_default_collisions" => {
            all.disabled_links.push(named(element, "link", "<disable_default_collisions>")?);
        }
        _ => unknown.note_tag(element),
    }
    Ok(())
}

fn named<'x>(element: Element<'x>, attribute: &str, subject: &str) -> Result<Named<'x>> {
    Ok(Named { element, name: element.name(attribute, subject)? })
}

fn read_group<'x>(element: Element<'x>, unknown: &mut Unknown<'x>) -> Result<GroupElement<'x>> {
    let own = named(element, "name", "a group")?;
    let subject = format!("group `{}`", shortened(own.name));
    element.note_unknown_attributes(&["name"], unknown);
    let mut group = GroupElement {
        named: own,
        links: Vec::new(),
        joints: Vec::new(),
        chains: Vec::new(),
        subgroups: Vec::new(),
    };
    for child in element.children() {
        match child.tag() {
            "link" => group.links.push(named(child, "name", &subject)?),
            "joint" => group.joints.push(named(child, "name", &subject)?),
            "chain" => {
                child.note_unknown_attributes(&["base_link", "tip_link"], unknown);
                let base = named(child, "base_link", &subject)?;
                group.chains.push([base, named(child, "tip_link", &subject)?]);
            }
            "group" => group.subgroups.push(named(child, "name", &subject)?),
            _ => unknown.note_tag(child),
        }
    }
    Ok(group)
}

fn read_state<'x>(element: Element<'x>, unknown: &mut Unknown<'x>) -> Result<StateElement<'x>> {
    let own = named(element, "name", "a group state")?;
    let subject = format!("state `{}`", shortened(own.name));
    element.note_unknown_attributes(&["name", "group"], unknown);
    let group = element.name("group", &subject)?;
    let mut values = Vec::new();
    for child in element.children() {
        if child.tag() != "joint" {
            unknown.note_tag(child);
            continue;
        }
        child.note_unknown_attributes(&["name", "value"], unknown);
        values.push((named(child, "name", &subject)?, child.list("value", &subject)?));
    }
    Ok(StateElement { named: own, group, values })
}

fn read_end_effector<'x>(
    element: Element<'x>,
    unknown: &mut Unknown<'x>,
) -> Result<EndEffectorElement<'x>> {
    let own = named(element, "name", "an end effector")?;
    let subject = format!("end effector `{}`", shortened(own.name));
    element.note_unknown_attributes(&["name", "group", "parent_link", "parent_group"], unknown);
    let parent_group = element.attribute("parent_group", &subject)?;
    Ok(EndEffectorElement {
        named: own,
        group: element.name("group", &subject)?,
        parent_link: element.name("parent_link", &subject)?,
        // Editors write an empty one for none.
        parent_group: parent_group.filter(|name| !name.trim().is_empty()),
    })
}

fn read_virtual_joint<'x>(
    element: Element<'x>,
    unknown: &mut Unknown<'x>,
) -> Result<VirtualJointElement<'x>> {
    const KINDS: [RobotJointKind; 3] =
        [RobotJointKind::Fixed, RobotJointKind::Planar, RobotJointKind::Floating];
    let own = named(element, "name", "a virtual joint")?;
    let subject = format!("virtual joint `{}`", shortened(own.name));
    element.note_unknown_attributes(&["name", "type", "parent_frame", "child_link"], unknown);
    let word = element.required("type", &subject)?;
    let kind = KINDS.into_iter().find(|kind| kind.name() == word).ok_or_else(|| {
        let known = KINDS.map(RobotJointKind::name).join(", ");
        let message = format!("unknown type `{}`, expected {known}", shortened(word));
        element.invalid("type", &subject, message)
    })?;
    Ok(VirtualJointElement {
        named: own,
        kind,
        parent_frame: element.name("parent_frame", &subject)?,
        child_link: element.name("child_link", &subject)?,
    })
}

fn read_pair<'x>(element: Element<'x>, unknown: &mut Unknown<'x>) -> Result<PairElement<'x>> {
    element.note_unknown_attributes(&["link1", "link2", "reason"], unknown);
    let subject = format!("<{}>", element.tag());
    let links = [element.name("link1", &subject)?, element.name("link2", &subject)?];
    let reason = element.attribute("reason", &subject)?.unwrap_or_default();
    Ok(PairElement { element, links, reason })
}
