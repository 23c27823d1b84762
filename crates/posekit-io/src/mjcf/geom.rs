//! `<geom>`: masses of bodies, and the shapes that collide or are drawn.

use core::f64::consts::PI;
use core::ops::RangeInclusive;
use std::collections::BTreeMap;

use posekit::glam::DVec3;
use posekit::math::Pose;

use super::classes::Attributes;
use super::compiler::Compiler;
use super::document::Model;
use super::meshes::Mesh;
use super::notes::Notes;
use super::placement;
use crate::error::{Error, Result};
use crate::robot::Geometry;
use crate::xml::{Element, shortened};

/// The attributes of a geom; those that are not read are about contacts and fluids.
pub(super) const KNOWN: [&str; 36] = [
    "adhesion",
    "axisangle",
    "castshadow",
    "class",
    "conaffinity",
    "condim",
    "contype",
    "density",
    "euler",
    "fitscale",
    "fluidcoef",
    "fluidshape",
    "friction",
    "fromto",
    "gap",
    "group",
    "hfield",
    "margin",
    "mass",
    "material",
    "mesh",
    "name",
    "pos",
    "priority",
    "quat",
    "rgba",
    "shellinertia",
    "size",
    "solimp",
    "solmix",
    "solref",
    "surfacevel",
    "type",
    "user",
    "xyaxes",
    "zaxis",
];

/// Density of a geom that gives neither mass nor density: that of water \[kg/m³\].
const DENSITY: f64 = 1000.0;

/// The properties of a geom that are read.
pub(super) struct Geom {
    /// Pose in the frame of its body.
    pub(super) body_from_geom: Pose,
    /// The shape, if it may collide with something or is drawn.
    pub(super) shape: Option<Geometry>,
    pub(super) is_solid: bool,
    pub(super) is_drawn: bool,
    /// Red, green, blue and opacity, 0 to 1, if the file gives them.
    pub(super) color: Option<[f64; 4]>,
    pub(super) weight: Weight,
}

/// The groups that MuJoCo shows unless one asks for others.
const DRAWN_GROUPS: RangeInclusive<f64> = 0.0..=2.0;

/// The contribution of a geom to the mass of its body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Weight {
    /// A mass about the geom's origin \[kg\].
    Known(f64),
    /// That of a mesh, which is not read.
    Unknown,
}

/// The solid of a geom.
enum Solid {
    Primitive(Geometry),
    Mesh,
    /// A kind that is not read, by its name in the warning.
    Skipped(&'static str),
}

impl Geom {
    /// Reads a geom.
    ///
    /// - `body_from_frame`: the frame of the element
    pub(super) fn read<'x>(
        element: Element<'x>,
        attributes: &Attributes<'x>,
        model: &Model<'x>,
        body_from_frame: Pose,
        subject: &str,
        notes: &mut Notes<'_, 'x>,
    ) -> Result<Self> {
        let compiler = &model.compiler;
        let (pose, half_length) = placement::pose_and_length(attributes, compiler, subject)?;
        let mut body_from_geom = body_from_frame * pose;
        let solid = solid(attributes, half_length, subject)?;
        let group = attributes.number("group", subject);
        let group = or_note(group, element, subject, notes).unwrap_or_default();
        let color = or_note(color(attributes, model, subject), element, subject, notes);
        let weight = weight(attributes, compiler, &solid, group, subject)?;
        let mask = |name| Ok::<_, Error>(attributes.number(name, subject)?.unwrap_or(1.0) != 0.0);
        let is_solid = mask("contype")? || mask("conaffinity")?;
        let is_drawn = DRAWN_GROUPS.contains(&group) && color.is_none_or(|[.., alpha]| alpha > 0.0);
        let mut shape = None;
        if is_solid || is_drawn {
            match solid {
                Solid::Primitive(geometry) => shape = Some(geometry),
                Solid::Mesh => {
                    let found = mesh(attributes, &model.meshes, subject).map(Some);
                    let found =
                        if is_solid { found? } else { or_note(found, element, subject, notes) };
                    if let Some(mesh) = found {
                        body_from_geom = body_from_geom * mesh.mesh_from_file;
                        let scale = mesh.scale;
                        let file = mesh.file.clone();
                        shape = file.map(|file| Geometry::Mesh { file, scale });
                        if shape.is_none() {
                            notes.skip("shapes whose mesh is in the model", element);
                        }
                    }
                }
                Solid::Skipped(what) => notes.skip(what, element),
            }
        }
        Ok(Self { body_from_geom, shape, is_solid, is_drawn, color, weight })
    }
}

/// What is only seen does not stop a model: a fault is a warning.
fn or_note<'x, T>(
    read: Result<Option<T>>,
    element: Element<'x>,
    subject: &str,
    notes: &mut Notes<'_, 'x>,
) -> Option<T> {
    read.unwrap_or_else(|error| {
        notes.warn(element, subject, format!("ignored: {error}"));
        None
    })
}

/// The colour of a geom: its own, or that of its material.
fn color(
    attributes: &Attributes<'_>,
    model: &Model<'_>,
    subject: &str,
) -> Result<Option<[f64; 4]>> {
    let own = attributes.numbers::<4>("rgba", subject)?.map(clamped);
    let material = attributes.text("material", subject)?;
    Ok(own.or_else(|| model.materials.get(material?).copied()))
}

/// A colour between 0 and 1.
pub(super) fn clamped(rgba: [f64; 4]) -> [f64; 4] {
    rgba.map(|part| part.clamp(0.0, 1.0))
}

/// The solid: by `type`, which is `sphere` by default; with a mesh, all other types would be fitted to it.
fn solid(attributes: &Attributes<'_>, half_length: Option<f64>, subject: &str) -> Result<Solid> {
    let kind = attributes.text("type", subject)?.unwrap_or("sphere");
    let skipped = match kind {
        "mesh" => return Ok(Solid::Mesh),
        _ if attributes.holder("mesh").is_some() => Some("shapes that are fitted to a mesh"),
        "hfield" => Some("height fields"),
        "sdf" => Some("signed distance fields"),
        _ => None,
    };
    if let Some(what) = skipped {
        return Ok(Solid::Skipped(what));
    }
    if half_length.is_some() && !["capsule", "cylinder", "box", "ellipsoid"].contains(&kind) {
        let message =
            format!("`fromto` is for capsule, cylinder, box and ellipsoid, not for {kind}");
        return Err(attributes.invalid("fromto", subject, message));
    }
    let sizes = attributes.sizes(subject)?;
    let size = |at: usize| {
        let size = sizes[at].unwrap_or_default();
        if size > 0.0 {
            return Ok(size);
        }
        let message = format!("a {kind} needs {} positive numbers in `size`", at + 1);
        Err(attributes.invalid("size", subject, message))
    };
    let length = |at: usize| half_length.map_or_else(|| size(at), Ok);
    // With `fromto`, a box and an ellipsoid are as wide as they are deep.
    let three = || match half_length {
        Some(length) => Ok::<_, Error>(DVec3::new(size(0)?, size(0)?, length)),
        None => Ok(DVec3::new(size(0)?, size(1)?, size(2)?)),
    };
    let geometry = match kind {
        "plane" => Geometry::HalfSpace,
        "sphere" => Geometry::Sphere { radius: size(0)? },
        "capsule" => Geometry::Capsule { radius: size(0)?, half_length: length(1)? },
        "cylinder" => Geometry::Cylinder { radius: size(0)?, half_length: length(1)? },
        "ellipsoid" => Geometry::Ellipsoid { radii: three()? },
        "box" => Geometry::Box { half_extents: three()? },
        _ => {
            let message = format!(
                "`type` is `{}`, expected plane, hfield, sphere, capsule, ellipsoid, cylinder, box, mesh, sdf",
                shortened(kind)
            );
            return Err(attributes.invalid("type", subject, message));
        }
    };
    Ok(Solid::Primitive(geometry))
}

fn mesh<'m>(
    attributes: &Attributes<'_>,
    meshes: &'m BTreeMap<String, Mesh>,
    subject: &str,
) -> Result<&'m Mesh> {
    let Some(name) = attributes.text("mesh", subject)? else {
        return Err(attributes.invalid("type", subject, "a geom of type mesh names a `mesh`"));
    };
    meshes.get(name).ok_or_else(|| {
        let message = format!("there is no mesh `{}` in <asset>", shortened(name));
        attributes.invalid("mesh", subject, message)
    })
}

/// The mass of a geom: its `mass`, or its volume times its `density`.
fn weight(
    attributes: &Attributes<'_>,
    compiler: &Compiler<'_>,
    solid: &Solid,
    group: f64,
    subject: &str,
) -> Result<Weight> {
    let [least, most] = compiler.weighing_groups;
    if !(least..=most).contains(&group) {
        return Ok(Weight::Known(0.0));
    }
    let number = |name| match attributes.number(name, subject)? {
        Some(number) if number < 0.0 => {
            let message = format!("`{name}` must not be negative, found {number}");
            Err(attributes.invalid(name, subject, message))
        }
        number => Ok(number),
    };
    let (mass, density) = (number("mass")?, number("density")?.unwrap_or(DENSITY));
    let is_shell = attributes.text("shellinertia", subject)? == Some("true");
    Ok(match (solid, mass) {
        // A plane has neither volume nor mass.
        (Solid::Primitive(Geometry::HalfSpace) | Solid::Skipped("height fields"), _) => {
            Weight::Known(0.0)
        }
        (_, Some(0.0)) => Weight::Known(0.0),
        (Solid::Primitive(_), Some(mass)) => Weight::Known(mass),
        (_, None) if density == 0.0 => Weight::Known(0.0),
        (Solid::Primitive(geometry), None) if !is_shell => {
            Weight::Known(density * volume(geometry))
        }
        // The centre of a mesh is unknown, because meshes are not read.
        _ => Weight::Unknown,
    })
}

/// The volume of a primitive \[m³\].
fn volume(geometry: &Geometry) -> f64 {
    let ball = |DVec3 { x, y, z }: DVec3| 4.0 / 3.0 * PI * x * y * z;
    match *geometry {
        Geometry::Box { half_extents: DVec3 { x, y, z } } => 8.0 * x * y * z,
        Geometry::Sphere { radius } => ball(DVec3::splat(radius)),
        Geometry::Ellipsoid { radii } => ball(radii),
        Geometry::Cylinder { radius, half_length } => 2.0 * PI * radius * radius * half_length,
        Geometry::Capsule { radius, half_length } => {
            2.0 * PI * radius * radius * half_length + ball(DVec3::splat(radius))
        }
        _ => 0.0,
    }
}
