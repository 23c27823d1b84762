//! `<mesh>` assets: the files that geoms name. None of them is opened.

use std::collections::BTreeMap;

use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;

use super::classes::{Classes, Kind, MAIN};
use super::compiler::Compiler;
use super::notes::Notes;
use super::placement;
use super::words::subject;
use crate::error::{Error, Result};
use crate::xml::{Element, Infinite, shortened};

const KNOWN: [&str; 17] = [
    "builtin",
    "class",
    "content_type",
    "face",
    "file",
    "inertia",
    "material",
    "maxhullvert",
    "name",
    "normal",
    "params",
    "refpos",
    "refquat",
    "scale",
    "smoothnormal",
    "texcoord",
    "vertex",
];

/// A mesh asset.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Mesh {
    /// Path of the file from the folder of the requested model; `None` for a mesh inside the model.
    pub(super) file: Option<String>,
    /// Factor of each coordinate.
    pub(super) scale: DVec3,
    /// The frame of the file's coordinates, scaled, in the frame of the mesh: the inverse of `refpos` and `refquat`.
    pub(super) mesh_from_file: Pose,
}

/// Reads an asset and adds it under its name, by default that of its file, without folder and extension.
pub(super) fn add<'x>(
    meshes: &mut BTreeMap<String, Mesh>,
    asset: Element<'x>,
    folder: &str,
    compiler: &Compiler<'x>,
    classes: &Classes<'x>,
    notes: &mut Notes<'_, 'x>,
) -> Result<()> {
    let subject = subject(asset);
    notes.check_attributes(asset, &KNOWN);
    let attributes = classes.attributes(asset, Kind::Mesh, MAIN, &subject)?;
    let scale = attributes.numbers::<3>("scale", &subject)?;
    let file = asset.attribute("file", &subject)?;
    let name = match (asset.attribute("name", &subject)?, file) {
        (Some(name), _) => name,
        (None, Some(file)) => stem(file),
        (None, None) => {
            return Err(Error::Missing {
                place: asset.place(&subject),
                field: "mesh/@name".into(),
            });
        }
    };
    let position = asset.numbers::<3>("refpos", &subject, Infinite::Refused)?;
    let rotation = match asset.has("refquat") {
        true => placement::quaternion(asset, "refquat", &subject)?,
        false => DQuat::IDENTITY,
    };
    let file_from_mesh = Pose::new(rotation, DVec3::from_array(position.unwrap_or_default()));
    let mesh = Mesh {
        file: file.map(|file| path(file, folder, compiler)),
        scale: scale.map_or(DVec3::ONE, DVec3::from_array),
        mesh_from_file: file_from_mesh.inverse(),
    };
    if meshes.insert(name.to_owned(), mesh).is_some() {
        let message = format!("a second mesh `{}`", shortened(name));
        return Err(asset.invalid("name", &subject, message));
    }
    Ok(())
}

/// The name of a file without folder and extension.
fn stem(file: &str) -> &str {
    let name = last_part(file);
    name.rfind('.').map_or(name, |dot| &name[..dot])
}

fn last_part(file: &str) -> &str {
    file.rfind(['/', '\\']).map_or(file, |slash| &file[slash + 1..])
}

/// The path of a mesh: absolute, or relative to the folder of the model and its `meshdir`.
fn path(file: &str, folder: &str, compiler: &Compiler<'_>) -> String {
    let file = if compiler.strips_paths { last_part(file) } else { file };
    let meshes = compiler.mesh_folder.or(compiler.asset_folder).unwrap_or_default();
    let slash = if meshes.is_empty() || meshes.ends_with('/') { "" } else { "/" };
    if file.starts_with('/') {
        file.to_owned()
    } else if meshes.starts_with('/') {
        format!("{meshes}{slash}{file}")
    } else {
        format!("{folder}{meshes}{slash}{file}")
    }
}
