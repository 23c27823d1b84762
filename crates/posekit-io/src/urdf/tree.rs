//! Orders links and joints as a tree, parents first.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::parse::{Description, JointElement, LinkElement};
use crate::error::{Error, Result};

/// The tree: indices into the description's lists.
pub(super) struct Tree {
    /// The link that is not the child of any joint.
    pub(super) root: usize,
    /// Parent and child link of each joint.
    pub(super) links_of_joint: Vec<(usize, usize)>,
    /// The joint whose child is this link.
    pub(super) joint_of_link: Vec<Option<usize>>,
    /// The joints, parents first, otherwise in the order of the file, so that a sorted file keeps its order.
    pub(super) order: Vec<usize>,
}

pub(super) fn build_tree(description: &Description<'_>) -> Result<Tree> {
    let (links, joints) = (&description.links, &description.joints);
    let index_of_link = index_links(links)?;
    check_joint_names(joints)?;
    if links.is_empty() {
        let message = "the robot has no links".into();
        return Err(Error::Tree { place: description.element.place("the robot"), message });
    }
    let links_of_joint = resolve_links(joints, &index_of_link)?;
    let joint_of_link = parents_of_links(description, &links_of_joint)?;
    let (root, order) = order_joints(description, &links_of_joint, &joint_of_link)?;
    Ok(Tree { root, links_of_joint, joint_of_link, order })
}

fn index_links<'x>(links: &[LinkElement<'x>]) -> Result<BTreeMap<&'x str, usize>> {
    let mut index_of = BTreeMap::new();
    for (index, link) in links.iter().enumerate() {
        if let Some(first) = index_of.insert(link.name, index) {
            return Err(Error::Duplicate {
                place: link.element.place(format!("link `{}`", link.name)),
                message: "a second link of this name".into(),
                first_line: links[first].element.line(),
            });
        }
    }
    Ok(index_of)
}

fn check_joint_names(joints: &[JointElement<'_>]) -> Result<()> {
    let mut index_of = BTreeMap::new();
    for (index, joint) in joints.iter().enumerate() {
        if let Some(first) = index_of.insert(joint.name, index) {
            return Err(Error::Duplicate {
                place: joint.element.place(format!("joint `{}`", joint.name)),
                message: "a second joint of this name".into(),
                first_line: joints[first].element.line(),
            });
        }
    }
    Ok(())
}

fn resolve_links(
    joints: &[JointElement<'_>],
    index_of_link: &BTreeMap<&str, usize>,
) -> Result<Vec<(usize, usize)>> {
    joints
        .iter()
        .map(|joint| {
            let index = |name: &str| {
                index_of_link.get(name).copied().ok_or_else(|| Error::NoSuchName {
                    place: joint.element.place(format!("joint `{}`", joint.name)),
                    kind: "link",
                    name: name.to_owned(),
                })
            };
            let (parent, child) = (index(joint.parent)?, index(joint.child)?);
            if parent == child {
                let message = format!(
                    "the joint connects link `{}` to itself (closed chains are not supported)",
                    joint.parent
                );
                let place = joint.element.place(format!("joint `{}`", joint.name));
                return Err(Error::Tree { place, message });
            }
            Ok((parent, child))
        })
        .collect()
}

fn parents_of_links(
    description: &Description<'_>,
    links_of_joint: &[(usize, usize)],
) -> Result<Vec<Option<usize>>> {
    let (links, joints) = (&description.links, &description.joints);
    let mut joint_of_link = vec![None; links.len()];
    for (index, &(_, child)) in links_of_joint.iter().enumerate() {
        if let Some(first) = joint_of_link[child] {
            let (first, second): (&JointElement<'_>, _) = (&joints[first], &joints[index]);
            let message = format!(
                "link `{}` is the child of two joints, `{}` (line {}) and `{}` (closed chains are not supported)",
                links[child].name,
                first.name,
                first.element.line(),
                second.name
            );
            let place = second.element.place(format!("joint `{}`", second.name));
            return Err(Error::Tree { place, message });
        }
        joint_of_link[child] = Some(index);
    }
    Ok(joint_of_link)
}

/// The root link and the joints in order; an error if there is not exactly one root, or some joints are not connected to it.
fn order_joints(
    description: &Description<'_>,
    links_of_joint: &[(usize, usize)],
    joint_of_link: &[Option<usize>],
) -> Result<(usize, Vec<usize>)> {
    let roots: Vec<usize> =
        (0..joint_of_link.len()).filter(|&link| joint_of_link[link].is_none()).collect();
    if roots.len() > 1 {
        return Err(several_roots(description, &roots));
    }
    let mut joints_below = vec![Vec::new(); joint_of_link.len()];
    for (index, &(parent, _)) in links_of_joint.iter().enumerate() {
        joints_below[parent].push(index);
    }
    let mut ready: BinaryHeap<Reverse<usize>> = BinaryHeap::new();
    for &root in &roots {
        ready.extend(joints_below[root].iter().copied().map(Reverse));
    }
    let mut order = Vec::with_capacity(links_of_joint.len());
    while let Some(Reverse(joint)) = ready.pop() {
        order.push(joint);
        ready.extend(joints_below[links_of_joint[joint].1].iter().copied().map(Reverse));
    }
    match roots.first() {
        Some(&root) if order.len() == links_of_joint.len() => Ok((root, order)),
        _ => Err(closed_chain(description, links_of_joint, joint_of_link, &order)),
    }
}

fn several_roots(description: &Description<'_>, roots: &[usize]) -> Error {
    const NAMED: usize = 8;
    let name = |&link: &usize| format!("`{}`", description.links[link].name);
    let mut names: Vec<String> = roots.iter().take(NAMED).map(name).collect();
    if roots.len() > NAMED {
        names.push(format!("{} more", roots.len() - NAMED));
    }
    let second = &description.links[roots[1]];
    Error::Tree {
        place: second.element.place(format!("link `{}`", second.name)),
        message: format!(
            "{} links are not the child of any joint, but a robot must have one root: {}",
            roots.len(),
            names.join(", ")
        ),
    }
}

/// Follows parents from a joint that is not connected to the root; because each has one parent, that ends in a loop.
fn closed_chain(
    description: &Description<'_>,
    links_of_joint: &[(usize, usize)],
    joint_of_link: &[Option<usize>],
    order: &[usize],
) -> Error {
    const NAMED: usize = 16;
    let mut reached = vec![false; links_of_joint.len()];
    for &joint in order {
        reached[joint] = true;
    }
    let start = reached.iter().position(|&reached| !reached).unwrap_or(0);
    let mut joint = start;
    let mut seen = vec![false; links_of_joint.len()];
    while !seen[joint] {
        seen[joint] = true;
        joint = joint_of_link[links_of_joint[joint].0].unwrap_or(joint);
    }
    let first = joint;
    let link_name = |link: usize| format!("`{}`", description.links[link].name);
    let mut link = links_of_joint[first].0;
    let mut names = vec![link_name(link)];
    while let Some(above) = joint_of_link[link] {
        if names.len() > NAMED {
            names.push("...".into());
            break;
        }
        link = links_of_joint[above].0;
        names.push(link_name(link));
        if above == first {
            break;
        }
    }
    names.reverse();
    let element = &description.joints[first];
    Error::Tree {
        place: element.element.place(format!("joint `{}`", element.name)),
        message: format!(
            "the links form a loop: {} (closed chains are not supported)",
            names.join(" -> ")
        ),
    }
}
