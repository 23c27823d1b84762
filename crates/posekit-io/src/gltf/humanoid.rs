//! The humanoid bones that VRM and VRMA files name.

use super::nodes::Tree;
use crate::json::{Cursor, Object};

/// The bones that a file names, with their nodes, in the order of the file: `leftUpperLeg`, `hips` and so on, the names of VRM.
///
/// Faults in the extension are ignored, because nothing depends on it.
pub(super) fn read_bones(file: &Object<'_>, tree: &Tree<'_>) -> Vec<(String, usize)> {
    let Some(extensions) = file.optional("extensions").and_then(|field| field.as_object()) else {
        return Vec::new();
    };
    let bones = ["VRMC_vrm", "VRMC_vrm_animation", "VRM"].iter().find_map(|name| {
        let extension = extensions.optional(name)?.as_object()?;
        extension.optional("humanoid")?.as_object()?.optional("humanBones")
    });
    let node = |bone: &Cursor<'_>| {
        let node = bone.as_object()?.optional("node")?.as_index()?;
        (node < tree.len()).then_some(node)
    };
    let Some(bones) = bones else { return Vec::new() };
    if let Some(list) = bones.as_list() {
        // The first version of VRM has a list.
        let bone = |bone: &Cursor<'_>| {
            let name = bone.as_object()?.optional("bone")?.as_text()?;
            Some((name.to_owned(), node(bone)?))
        };
        return list.iter().filter_map(bone).collect();
    }
    let fields = bones.as_object();
    let bone = |(name, bone): (&str, Cursor<'_>)| Some((name.to_owned(), node(&bone)?));
    fields.map_or_else(Vec::new, |fields| fields.fields().filter_map(bone).collect())
}
