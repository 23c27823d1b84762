//! Scenes and skinned nodes, as far as they affect the skeleton.

use super::channels::warn;
use super::nodes::{Tree, read_index};
use crate::error::Result;
use crate::json::Object;
use crate::warnings::Warnings;

/// Refuses scenes that list missing nodes, or nodes with parents.
pub(super) fn check_scenes(file: &Object<'_>, tree: &Tree<'_>) -> Result<()> {
    for (node, cursor) in roots_of_scenes(file, tree)?.into_iter().flatten() {
        if let Some(parent) = tree.parents[node] {
            return Err(cursor.invalid(format!(
                "node {node} is a child of node {parent}; a scene lists nodes without parents"
            )));
        }
    }
    Ok(())
}

/// The nodes that each scene lists.
fn roots_of_scenes<'d>(
    file: &Object<'d>,
    tree: &Tree<'_>,
) -> Result<Vec<Vec<(usize, crate::json::Cursor<'d>)>>> {
    let scenes = file.optional("scenes").map_or(Ok(Vec::new()), |scenes| scenes.list())?;
    let roots = |scene: &crate::json::Cursor<'d>| {
        let nodes = scene.any_object()?.optional("nodes");
        let nodes = nodes.map_or(Ok(Vec::new()), |nodes| nodes.list())?;
        nodes.into_iter().map(|node| Ok((read_index(&node, tree.len(), "node")?, node))).collect()
    };
    scenes.iter().map(roots).collect()
}

/// Warns of nodes whose transforms have no effect, because a skin follows its joints, and of skins whose joints are not in the same scene.
pub(super) fn warn_of_skinned_nodes(
    file: &Object<'_>,
    tree: &Tree<'_>,
    warnings: &mut Warnings,
) -> Result<()> {
    let skins = file.optional("skins").map_or(Ok(Vec::new()), |skins| skins.list())?;
    let tops = tops(tree);
    let top_of_skin: Vec<Option<usize>> = skins
        .iter()
        .map(|skin| {
            let joints = skin.any_object()?.required("joints")?.list()?;
            joints.first().map(|joint| Ok(tops[read_index(joint, tree.len(), "node")?])).transpose()
        })
        .collect::<Result<_>>()?;
    // For each top node, the skinned nodes below it, and the top nodes of their joints.
    let mut shown = vec![Vec::new(); tree.len()];
    let is_moved = |node: usize| tree.local[node].affine != posekit::glam::DAffine3::IDENTITY;
    let mut is_moved_above = vec![false; tree.len()];
    for &node in &tree.order {
        is_moved_above[node] =
            tree.parents[node].is_some_and(|parent| is_moved_above[parent] || is_moved(parent));
        let Some(field) = tree.list[node].any_object()?.optional("skin") else { continue };
        let skin = read_index(&field, skins.len(), "skin")?;
        if is_moved(node) || is_moved_above[node] {
            let whose = if is_moved(node) { "its own transform" } else { "that of an ancestor" };
            let message = format!(
                "its mesh is skinned, so only joints move it; {whose} has no effect, as the format specifies"
            );
            warn(warnings, &tree.list[node], &message);
        }
        shown[tops[node]].extend(top_of_skin[skin].map(|top| (node, top)));
    }
    let mut is_here = vec![false; tree.len()];
    for roots in roots_of_scenes(file, tree)? {
        roots.iter().for_each(|(root, _)| is_here[*root] = true);
        for (root, _) in &roots {
            // Each is checked in the first scene that has it, so that the time is linear in the text.
            for (node, top) in core::mem::take(&mut shown[*root]) {
                if !is_here[top] {
                    warn(
                        warnings,
                        &tree.list[node],
                        "has a skin whose joints are not in its scene",
                    );
                }
            }
        }
        roots.iter().for_each(|(root, _)| is_here[*root] = false);
    }
    Ok(())
}

/// The topmost ancestor of each node.
fn tops(tree: &Tree<'_>) -> Vec<usize> {
    let mut tops: Vec<usize> = (0..tree.len()).collect();
    for &node in &tree.order {
        if let Some(parent) = tree.parents[node] {
            tops[node] = tops[parent];
        }
    }
    tops
}
