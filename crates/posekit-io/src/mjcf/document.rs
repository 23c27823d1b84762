//! The parsed files of a model as one: includes are replaced by what they include.

use std::collections::BTreeMap;

use super::classes::Classes;
use super::compiler::Compiler;
use super::files::{Files, folder_of};
use super::geom::clamped;
use super::meshes::{self, Mesh};
use super::notes::Notes;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::xml::{Element, Infinite};

/// The sections that are read; all others are about physics, appearance or control.
const READ: [&str; 8] =
    ["compiler", "default", "asset", "worldbody", "contact", "equality", "keyframe", "include"];

/// The sections that do not affect kinematics and are ignored without a warning.
const SILENT: [&str; 7] = ["option", "size", "visual", "statistic", "custom", "actuator", "sensor"];

/// The first element of every file, and the files that elements name.
pub(super) struct Library<'x> {
    pub(super) roots: &'x [Element<'x>],
    pub(super) files: &'x Files,
    pub(super) limits: &'x Limits,
}

impl<'x> Library<'x> {
    /// The elements inside another, those of included files in place of the `<include>`.
    pub(super) fn children(&self, element: Element<'x>) -> Vec<Element<'x>> {
        let mut list = Vec::new();
        let mut open: Vec<Element<'x>> = reversed(element);
        while let Some(child) = open.pop() {
            match self.named_file(child) {
                Some(file) if child.tag() == "include" => open.extend(reversed(self.roots[file])),
                _ => list.push(child),
            }
        }
        list
    }

    /// The file that an `<include>` or a `<model>` names.
    fn named_file(&self, element: Element<'x>) -> Option<usize> {
        self.files.links.get(&(element.file(), element.byte())).copied()
    }
}

fn reversed(element: Element<'_>) -> Vec<Element<'_>> {
    let mut children: Vec<Element<'_>> = element.children().collect();
    children.reverse();
    children
}

/// One model: the requested one, or an attached one.
pub(super) struct Model<'x> {
    pub(super) name: &'x str,
    pub(super) compiler: Compiler<'x>,
    pub(super) classes: Classes<'x>,
    pub(super) meshes: BTreeMap<String, Mesh>,
    /// The colours of materials without a texture: red, green, blue and opacity, 0 to 1.
    pub(super) materials: BTreeMap<&'x str, [f64; 4]>,
    /// The models that may be attached, by the names of their elements, as indices into the list of models.
    pub(super) models: BTreeMap<String, usize>,
    sections: Vec<Element<'x>>,
}

/// Reads every model, without its tree; the first is the requested one.
pub(super) fn read_models<'x>(
    library: &Library<'x>,
    notes: &mut Notes<'_, 'x>,
) -> Result<Vec<Model<'x>>> {
    let list = &library.files.list;
    let first_files: Vec<usize> =
        (0..list.len()).filter(|&file| list[file].model == file).collect();
    let index_of: BTreeMap<usize, usize> =
        first_files.iter().enumerate().map(|(model, &file)| (file, model)).collect();
    let names: Vec<&'x str> = first_files
        .iter()
        .map(|&file| Ok(library.roots[file].attribute("model", "the model")?.unwrap_or(UNNAMED)))
        .collect::<Result<_>>()?;
    first_files
        .iter()
        .zip(&names)
        .map(|(&file, name)| read_model(library, file, name, &index_of, &names, notes))
        .collect()
}

/// MuJoCo's own name for a model that has none.
const UNNAMED: &str = "MuJoCo Model";

fn read_model<'x>(
    library: &Library<'x>,
    file: usize,
    name: &'x str,
    index_of: &BTreeMap<usize, usize>,
    names: &[&'x str],
    notes: &mut Notes<'_, 'x>,
) -> Result<Model<'x>> {
    let root = library.roots[file];
    if root.tag() != "mujoco" {
        let hint = if root.tag() == "robot" { "; <robot> is a URDF" } else { "" };
        let message =
            format!("an MJCF begins with <mujoco>, this file with <{}>{hint}", root.tag());
        return Err(Error::Unsupported { place: root.place(""), message });
    }
    notes.check_attributes(root, &["model"]);
    let sections = library.children(root);
    for &section in &sections {
        note_section(section, library, notes);
    }
    let of = |tag: &str| -> Vec<Element<'x>> {
        sections.iter().copied().filter(|section| section.tag() == tag).collect()
    };
    let compiler = Compiler::read(&of("compiler"), notes)?;
    let classes = Classes::read(&of("default"), library, notes)?;
    let folder = folder_of(&library.files.list[file].path);
    let (mut meshes, mut models) = (BTreeMap::new(), BTreeMap::new());
    let mut materials = BTreeMap::new();
    for asset in of("asset").into_iter().flat_map(|asset| library.children(asset)) {
        match asset.tag() {
            "mesh" => meshes::add(&mut meshes, asset, folder, &compiler, &classes, notes)?,
            "model" => add_model(asset, library, index_of, names, &mut models)?,
            "material" => add_material(asset, &mut materials, notes),
            "texture" | "hfield" | "skin" => {}
            _ => notes.unknown_tag(asset),
        }
    }
    Ok(Model { name, compiler, classes, meshes, materials, models, sections })
}

/// Reports a section that is not read: the number of its elements of each kind, or that it is unknown.
fn note_section<'x>(section: Element<'x>, library: &Library<'x>, notes: &mut Notes<'_, 'x>) {
    let what = match section.tag() {
        "tendon" => "tendons",
        "deformable" => "flexes and skins",
        "extension" => "plugins",
        tag if READ.contains(&tag) || SILENT.contains(&tag) => return,
        _ => return notes.unknown_tag(section),
    };
    for element in library.children(section) {
        notes.skip(what, element);
    }
}

/// Adds the colour of a material; a fault is a warning, because it is only seen.
fn add_material<'x>(
    asset: Element<'x>,
    materials: &mut BTreeMap<&'x str, [f64; 4]>,
    notes: &mut Notes<'_, 'x>,
) {
    const SUBJECT: &str = "a <material>";
    let read = || -> Result<Option<(&'x str, [f64; 4])>> {
        let name = asset.attribute("name", SUBJECT)?;
        let rgba = asset.numbers::<4>("rgba", SUBJECT, Infinite::Refused)?;
        Ok(name.zip(rgba).filter(|_| !asset.has("texture")))
    };
    match read() {
        Ok(Some((name, rgba))) => _ = materials.insert(name, clamped(rgba)),
        Ok(None) => {}
        Err(error) => notes.warn(asset, SUBJECT, format!("ignored: {error}")),
    }
}

fn add_model<'x>(
    asset: Element<'x>,
    library: &Library<'x>,
    index_of: &BTreeMap<usize, usize>,
    names: &[&'x str],
    models: &mut BTreeMap<String, usize>,
) -> Result<()> {
    const SUBJECT: &str = "a <model>";
    let model = library.named_file(asset).and_then(|file| index_of.get(&file).copied());
    let Some(model) = model else {
        return Err(Error::Missing { place: asset.place(SUBJECT), field: "model/@file".into() });
    };
    let name = asset.attribute("name", SUBJECT)?.unwrap_or(names[model]);
    models.insert(name.to_owned(), model);
    Ok(())
}

impl<'x> Model<'x> {
    /// The elements inside all sections of a name, in the order of the file.
    pub(super) fn inside(&self, tag: &str, library: &Library<'x>) -> Vec<Element<'x>> {
        let sections = self.sections.iter().filter(|section| section.tag() == tag);
        sections.flat_map(|&section| library.children(section)).collect()
    }
}
