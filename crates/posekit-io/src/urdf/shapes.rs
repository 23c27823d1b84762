//! `<collision>` and `<visual>`: the shapes of a link.

use posekit::glam::DVec3;
use posekit::math::Pose;

use super::materials::Material;
use super::parse::read_origin;
use crate::error::{Error, Result};
use crate::robot::Geometry;
use crate::warnings::Warnings;
use crate::xml::{Element, Infinite, Unknown, only};

/// A shape on a link.
pub(super) struct ShapeElement<'x> {
    /// Empty if the file gives none.
    pub(super) name: &'x str,
    pub(super) link_from_shape: Pose,
    pub(super) geometry: Geometry,
    /// That of a `<visual>`, if it has one.
    pub(super) material: Option<Material<'x>>,
}

/// The shape of a `<visual>`. What is only seen does not stop a robot: a fault is a warning.
pub(super) fn read_visual<'x>(
    visual: Element<'x>,
    subject: &str,
    unknown: &mut Unknown<'x>,
    warnings: &mut Warnings,
) -> Option<ShapeElement<'x>> {
    read_shape(visual, subject, unknown, warnings).unwrap_or_else(|error| {
        warnings.push(visual.place(subject), format!("a <visual> is ignored: {error}"));
        None
    })
}

/// The shape of a `<collision>` or a `<visual>`; `None`, with a warning, if it has none that is supported.
pub(super) fn read_shape<'x>(
    holder: Element<'x>,
    subject: &str,
    unknown: &mut Unknown<'x>,
    warnings: &mut Warnings,
) -> Result<Option<ShapeElement<'x>>> {
    holder.note_unknown_attributes(&["name", "group"], unknown);
    let (mut origin, mut geometry, mut material) = (None, None, None);
    for child in holder.children() {
        match child.tag() {
            "origin" => only(&mut origin, child, subject)?,
            "geometry" => only(&mut geometry, child, subject)?,
            "material" if holder.tag() == "visual" => only(&mut material, child, subject)?,
            _ => unknown.note_tag(child),
        }
    }
    let name = holder.attribute("name", subject)?.unwrap_or_default();
    let origin = origin.map(|origin| read_origin(origin, subject, unknown)).transpose()?;
    let Some(solid) = geometry.and_then(|geometry| geometry.children().next()) else {
        let message = format!("a <{}> without geometry is ignored", holder.tag());
        warnings.push(holder.place(subject), message);
        return Ok(None);
    };
    let geometry = read_geometry(solid, subject, unknown, warnings)?;
    let link_from_shape = origin.unwrap_or(Pose::IDENTITY);
    let material = material.map(|material| Material::read(material, subject, warnings));
    Ok(geometry.map(|geometry| ShapeElement { name, link_from_shape, geometry, material }))
}

fn read_geometry<'x>(
    solid: Element<'x>,
    subject: &str,
    unknown: &mut Unknown<'x>,
    warnings: &mut Warnings,
) -> Result<Option<Geometry>> {
    let mut known = |attributes: &[&str]| solid.note_unknown_attributes(attributes, unknown);
    let length = |name: &str| length(solid, name, subject);
    // Drake writes non-standard solids with its prefix.
    let tag = solid.tag();
    Ok(Some(match tag.strip_prefix("drake:").unwrap_or(tag) {
        "box" => {
            known(&["size"]);
            let size = lengths(solid, "size", subject)?;
            Geometry::Box { half_extents: size / 2.0 }
        }
        "sphere" => {
            known(&["radius"]);
            Geometry::Sphere { radius: length("radius")? }
        }
        "cylinder" => {
            known(&["radius", "length"]);
            Geometry::Cylinder { radius: length("radius")?, half_length: length("length")? / 2.0 }
        }
        "capsule" => {
            known(&["radius", "length"]);
            Geometry::Capsule { radius: length("radius")?, half_length: length("length")? / 2.0 }
        }
        "ellipsoid" => {
            known(&["a", "b", "c"]);
            Geometry::Ellipsoid { radii: DVec3::new(length("a")?, length("b")?, length("c")?) }
        }
        "mesh" => {
            known(&["filename", "scale"]);
            let file = solid.required("filename", subject)?;
            if file.trim().is_empty() {
                warnings.push(solid.place(subject), "a mesh without a file name is ignored");
                return Ok(None);
            }
            let scale = solid.numbers("scale", subject, Infinite::Refused)?.unwrap_or([1.0; 3]);
            Geometry::Mesh { file: file.trim().to_owned(), scale: DVec3::from_array(scale) }
        }
        _ => {
            let message = format!("the solid <{tag}> is unknown; it is ignored");
            warnings.push(solid.place(subject), message);
            return Ok(None);
        }
    }))
}

/// A required length, not negative \[m\].
fn length(element: Element<'_>, name: &str, subject: &str) -> Result<f64> {
    let [value] = sizes(element, name, subject)?;
    Ok(value)
}

fn lengths(element: Element<'_>, name: &str, subject: &str) -> Result<DVec3> {
    sizes(element, name, subject).map(DVec3::from_array)
}

fn sizes<const N: usize>(element: Element<'_>, name: &str, subject: &str) -> Result<[f64; N]> {
    let missing = || Error::Missing {
        place: element.place(subject),
        field: format!("{}/@{name}", element.tag()),
    };
    let values = element.numbers::<N>(name, subject, Infinite::Refused)?.ok_or_else(missing)?;
    match values.iter().find(|value| **value < 0.0) {
        Some(value) => {
            let message = format!("`{name}` must not be negative, found {value}");
            Err(element.invalid(name, subject, message))
        }
        None => Ok(values),
    }
}
