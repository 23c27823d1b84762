//! Nodes as a skeleton.

use std::collections::BTreeSet;

use posekit::glam::{DAffine3, DQuat};
use posekit::math::Pose;
use posekit::skeleton::{Joint, Skeleton};

use super::accessors::Lists;
use super::bind::read_form;
use super::channels::{warn, warn_of_unknown};
use super::nodes::{Tree, read_index};
use super::scenes::check_scenes;
use super::{Character, Rest};
use crate::error::{Place, Result};
use crate::json::Object;
use crate::warnings::Warnings;

/// The role of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It is not part of the skeleton.
    None,
    /// It is fixed, above or below joints that move.
    Fixed,
    /// It rotates.
    Ball,
}

/// The skeleton of a file.
pub(super) fn assemble<'d>(
    file: &Object<'d>,
    tree: &Tree<'_>,
    lists: &Lists<'d>,
    warnings: &mut Warnings,
) -> Result<Character> {
    check_scenes(file, tree)?;
    let skinned = read_skins(file, tree, lists, warnings)?;
    let roles = roles(tree, &skinned);
    check_matrices(tree, &roles, warnings)?;
    let nodes: Vec<usize> =
        tree.order.iter().copied().filter(|&node| roles[node] != Role::None).collect();
    let (rotations, affines) = world(tree);
    let mut joint_of = vec![None; tree.len()];
    nodes.iter().enumerate().for_each(|(joint, &node)| joint_of[node] = Some(joint));
    let mut names = Names::default();
    let joints = nodes.iter().map(|&node| {
        let name = names.of(tree, node, warnings);
        let joint = if roles[node] == Role::Ball { Joint::ball(name) } else { Joint::fixed(name) };
        let pose = |node: usize| Pose::new(rotations[node], affines[node].translation);
        let parent = tree.parents[node];
        match parent.and_then(|parent| joint_of[parent].map(|joint| (parent, joint))) {
            Some((node_above, above)) => {
                joint.child_of(above).at(pose(node_above).inverse() * pose(node))
            }
            None => joint.at(pose(node)),
        }
    });
    let skeleton = Skeleton::try_new(joints.collect())?;
    warn_of_scales(tree, &roles, warnings);
    let root = common_root(tree, &roles).and_then(|node| joint_of[node]);
    let rest = |&node: &usize| {
        let local = tree.local[node];
        let translation = local.affine.translation;
        let (rotation, linear) = (local.rotation, local.affine.matrix3);
        Rest { translation, rotation, linear }
    };
    let rests = nodes.iter().map(rest).collect();
    Ok(Character { skeleton, nodes, rests, root })
}

/// The nodes that skins list.
pub(super) fn read_skins<'d>(
    file: &Object<'d>,
    tree: &Tree<'_>,
    lists: &Lists<'d>,
    warnings: &mut Warnings,
) -> Result<BTreeSet<usize>> {
    let mut all = BTreeSet::new();
    let Some(skins) = file.optional("skins") else { return Ok(all) };
    let list = skins.list()?;
    if list.is_empty() {
        return Err(skins.invalid("the list must not be empty; omit it"));
    }
    for skin in list {
        let fields = skin.any_object()?;
        let known = ["inverseBindMatrices", "skeleton", "joints", "name"];
        warn_of_unknown(&fields, &known, warnings);
        let joints = fields.required("joints")?;
        let mut own = BTreeSet::new();
        for joint in joints.list()? {
            let node = read_index(&joint, tree.len(), "node")?;
            if !own.insert(node) {
                return Err(joint.invalid(format!("node {node} is in the list already")));
            }
        }
        let Some(shared) = shared_ancestors(tree, own.iter().copied()) else {
            return Err(joints.invalid("a skin needs at least one joint"));
        };
        read_form(&fields, lists, own.len(), warnings)?;
        if shared.is_empty() {
            let message = "the joints of a skin should have a common ancestor; these have none";
            warn(warnings, &joints, message);
        }
        if let Some(field) = fields.optional("skeleton") {
            let node = read_index(&field, tree.len(), "node")?;
            if !shared.contains(&node) {
                return Err(field.invalid(format!("node {node} is not an ancestor of all joints")));
            }
        }
        all.extend(own);
    }
    Ok(all)
}

/// The common ancestors of these nodes, themselves included, nearest first; `None` without nodes.
fn shared_ancestors(tree: &Tree<'_>, mut nodes: impl Iterator<Item = usize>) -> Option<Vec<usize>> {
    let mut shared: Vec<usize> = tree.ancestors(nodes.next()?).collect();
    let mut depth_of = vec![usize::MAX; tree.len()];
    shared.iter().enumerate().for_each(|(depth, &node)| depth_of[node] = depth);
    let mut first = 0;
    let mut is_known = vec![false; tree.len()];
    for node in nodes {
        // The first common ancestor with the path of the first node; paths that have been followed already are not followed again.
        let mut meeting = None;
        for above in tree.ancestors(node) {
            if depth_of[above] != usize::MAX {
                meeting = Some(depth_of[above]);
                break;
            }
            if core::mem::replace(&mut is_known[above], true) {
                meeting = Some(first);
                break;
            }
        }
        first = first.max(meeting.unwrap_or(shared.len()));
    }
    Some(shared.split_off(first.min(shared.len())))
}

fn roles(tree: &Tree<'_>, skinned: &BTreeSet<usize>) -> Vec<Role> {
    if skinned.is_empty() {
        return vec![Role::Ball; tree.len()];
    }
    let mut roles = vec![Role::None; tree.len()];
    for &node in skinned {
        for above in tree.ancestors(node) {
            if roles[above] != Role::None {
                break;
            }
            roles[above] = Role::Fixed;
        }
    }
    skinned.iter().for_each(|&node| roles[node] = Role::Ball);
    // Nodes below a joint are part of the skeleton.
    let mut hangs = vec![false; tree.len()];
    for &node in &tree.order {
        hangs[node] = roles[node] == Role::Ball || tree.parents[node].is_some_and(|p| hangs[p]);
        if hangs[node] && roles[node] == Role::None {
            roles[node] = Role::Fixed;
        }
    }
    roles
}

/// Refuses matrices that cannot be decomposed if something at or below them rotates; others do not affect a skeleton.
fn check_matrices(tree: &Tree<'_>, roles: &[Role], warnings: &mut Warnings) -> Result<()> {
    let mut carries: Vec<bool> = roles.iter().map(|&role| role == Role::Ball).collect();
    for &node in tree.order.iter().rev() {
        if let Some(parent) = tree.parents[node].filter(|_| carries[node]) {
            carries[parent] = true;
        }
    }
    for node in 0..tree.len() {
        let Some(fault) = tree.local[node].fault else { continue };
        let whose = tree.names[node].map(|name| format!(" of `{name}`")).unwrap_or_default();
        let matrix = tree.list[node].any_object()?.required("matrix")?;
        if carries[node] {
            let message = format!("the matrix{whose} {fault}; joints depend on it");
            return Err(matrix.invalid(message));
        }
        warn(warnings, &matrix, &format!("the matrix{whose} {fault}; no joint depends on it"));
    }
    Ok(())
}

/// The rotations of all nodes in the world, and their transforms with scale.
fn world(tree: &Tree<'_>) -> (Vec<DQuat>, Vec<DAffine3>) {
    let mut rotations = vec![DQuat::IDENTITY; tree.len()];
    let mut affines = vec![DAffine3::IDENTITY; tree.len()];
    for &node in &tree.order {
        let local = tree.local[node];
        (rotations[node], affines[node]) = match tree.parents[node] {
            Some(parent) => {
                ((rotations[parent] * local.rotation).normalize(), affines[parent] * local.affine)
            }
            None => (local.rotation, local.affine),
        };
    }
    (rotations, affines)
}

/// The nearest common ancestor of all joints that rotate.
fn common_root(tree: &Tree<'_>, roles: &[Role]) -> Option<usize> {
    let balls = tree.order.iter().copied().filter(|&node| roles[node] == Role::Ball);
    shared_ancestors(tree, balls)?.first().copied()
}

/// Warns of non-uniform scales above joints that rotate, which would shear them.
fn warn_of_scales(tree: &Tree<'_>, roles: &[Role], warnings: &mut Warnings) {
    let mut is_warned = vec![false; tree.len()];
    // The nearest such ancestor of each node, passed from parent to child: following the path up from every node would take quadratic time.
    let mut uneven_above = vec![None; tree.len()];
    for &node in &tree.order {
        let Some(parent) = tree.parents[node] else { continue };
        uneven_above[node] =
            if tree.local[parent].is_even { uneven_above[parent] } else { Some(parent) };
        let Some(uneven) = uneven_above[node].filter(|_| roles[node] == Role::Ball) else {
            continue;
        };
        if !core::mem::replace(&mut is_warned[uneven], true) {
            let message = "scales its children by different amounts along its axes; their bones keep their lengths at rest";
            warn(warnings, &tree.list[uneven], message);
        }
    }
}

/// Unique names for joints.
#[derive(Debug, Default)]
struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// The name of a node; its number if it has none, and with its number as a suffix if the name is taken.
    fn of(&mut self, tree: &Tree<'_>, node: usize, warnings: &mut Warnings) -> String {
        let plain = tree.names[node].map_or_else(|| format!("node {node}"), str::to_owned);
        if self.taken.insert(plain.clone()) {
            return plain;
        }
        let mut name = format!("{plain} (node {node})");
        while !self.taken.insert(name.clone()) {
            name.push('\'');
        }
        let message = format!("another node has the name `{plain}`; this joint is named `{name}`");
        warnings.push(Place::named(tree.list[node].path()), message);
        name
    }
}
