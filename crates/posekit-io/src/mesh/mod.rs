//! Meshes of robots: their files, and the points of their surfaces.
//!
//! A convex hull needs only points. STL (binary and ASCII) and OBJ are read by the crate `mesh-loader`, Collada (`.dae`) by a reader of its own: the nodes of its
//! scenes are placed by their matrices, and its unit is converted to metres; `up_axis` is ignored, as in ROS.

mod dae;
mod resolve;

use std::path::Path;

use posekit::glam::DVec3;

use crate::error::{Error, Place, Result};
use crate::limits::Limits;
use crate::text;

pub use resolve::find;

/// A format of meshes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MeshFormat {
    /// Stereolithography, binary or ASCII.
    Stl,
    /// Wavefront.
    Obj,
    /// Collada.
    Dae,
}

impl MeshFormat {
    /// The format of a file's extension, in any case.
    #[must_use]
    pub fn of_path(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "stl" => Some(Self::Stl),
            "obj" => Some(Self::Obj),
            "dae" => Some(Self::Dae),
            _ => None,
        }
    }
}

/// The distinct points of a mesh, in an order that depends only on them \[m; the file's unit if the format has none\].
///
/// # Errors
/// [`Error::Value`] for an invalid mesh, for points that are not finite, and for a mesh without points; for Collada also the errors of its XML.
pub fn read_points(bytes: &[u8], format: MeshFormat, limits: &Limits) -> Result<Vec<DVec3>> {
    text::check_size(bytes.len() as u64, limits)?;
    let mut points = match format {
        MeshFormat::Dae => dae::points(text::decode_text(bytes, limits)?, limits)?,
        MeshFormat::Stl | MeshFormat::Obj => loaded(bytes, format)?,
    };
    if points.iter().any(|point| !point.is_finite()) {
        return Err(fault("a point of the mesh is not finite"));
    }
    // Positive and negative zero are the same point.
    points.iter_mut().for_each(|point| *point += DVec3::ZERO);
    let key = |point: &DVec3| point.to_array();
    points
        .sort_unstable_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(core::cmp::Ordering::Equal));
    points.dedup();
    if points.is_empty() {
        return Err(fault("the mesh has no points"));
    }
    Ok(points)
}

/// The points of the mesh in a file, whose format is known by its name.
///
/// # Errors
/// [`Error::Unsupported`] for other names; [`Error::Read`] when the system cannot read the file; otherwise as [`read_points`].
pub fn read_points_of_file(path: &Path, limits: &Limits) -> Result<Vec<DVec3>> {
    let Some(format) = MeshFormat::of_path(path) else {
        let message = format!("meshes are read from .stl, .obj and .dae: {}", path.display());
        return Err(Error::Unsupported { place: Place::named("mesh"), message });
    };
    read_points(&text::read_bytes(path, limits)?, format, limits)
}

fn fault(message: impl Into<String>) -> Error {
    Error::Value { place: Place::named("mesh"), message: message.into() }
}

/// The vertices from mesh-loader. It opens no other file: the materials of an OBJ are not available.
fn loaded(bytes: &[u8], format: MeshFormat) -> Result<Vec<DVec3>> {
    let loader = mesh_loader::Loader::<Vec<u8>>::default();
    let none = |_: &Path| Err(std::io::ErrorKind::NotFound.into());
    let scene = match format {
        MeshFormat::Stl => loader.load_stl_from_slice(bytes, "mesh.stl"),
        _ => loader.load_obj_from_slice_with_reader(bytes, "mesh.obj", none),
    };
    let scene = scene.map_err(|error| fault(error.to_string()))?;
    let vertices = scene.meshes.iter().flat_map(|mesh| &mesh.vertices);
    Ok(vertices.map(|vertex| DVec3::from_array(vertex.map(f64::from))).collect())
}
