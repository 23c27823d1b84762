//! Robot files, recognised by their content.

use std::path::Path;

use crate::error::{Error, Place, Result};
use crate::limits::Limits;
use crate::robot::Robot;
use crate::warnings::Warnings;
use crate::{mjcf, text, urdf, xml};

/// Programs without the feature do not contain the readers.
const ARE_READ: bool = cfg!(feature = "robots");

/// Reads a robot from the bytes of a URDF, or of an MJCF that includes no other files; the first element identifies the format.
///
/// # Errors
/// [`Error::Unsupported`] without the feature `robots`; otherwise as [`urdf::read_bytes`] and [`mjcf::read_bytes`].
pub fn read_robot(bytes: &[u8], limits: &Limits, warnings: &mut Warnings) -> Result<Robot> {
    if !ARE_READ {
        return Err(not_read());
    }
    let text = xml::decode(bytes, limits)?;
    if is_mjcf(text) {
        mjcf::read_with(text, limits, warnings)
    } else {
        urdf::read_with(text, limits, warnings)
    }
}

/// Reads a robot from a URDF or an MJCF file, the latter with the files of its folder that it includes.
///
/// # Errors
/// [`Error::Unsupported`] without the feature `robots`; otherwise as [`urdf::read_file`] and [`mjcf::read_file`].
pub fn read_robot_file(path: &Path, limits: &Limits, warnings: &mut Warnings) -> Result<Robot> {
    if !ARE_READ {
        return Err(not_read());
    }
    let bytes = text::read_bytes(path, limits)?;
    if is_mjcf(xml::decode(&bytes, limits)?) {
        mjcf::read_file(path, limits, warnings)
    } else {
        urdf::read_bytes(&bytes, limits, warnings)
    }
}

fn not_read() -> Error {
    let message = "robots are read with the library's feature `robots`, which the package `posekit` has in `posekit/robots`";
    Error::Unsupported { place: Place::named("robot"), message: message.into() }
}

fn is_mjcf(text: &str) -> bool {
    xml::first_tag(text) == Some("mujoco")
}
