//! Robot files, recognised by their content.

use std::path::Path;

use crate::error::Result;
use crate::limits::Limits;
use crate::robot::Robot;
use crate::warnings::Warnings;
use crate::{mjcf, text, urdf, xml};

/// Reads a robot from the bytes of a URDF, or of an MJCF that includes no other files; the first element identifies the format.
///
/// # Errors
/// As [`urdf::read_bytes`] and [`mjcf::read_bytes`].
pub fn read_robot(bytes: &[u8], limits: &Limits, warnings: &mut Warnings) -> Result<Robot> {
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
/// As [`urdf::read_file`] and [`mjcf::read_file`].
pub fn read_robot_file(path: &Path, limits: &Limits, warnings: &mut Warnings) -> Result<Robot> {
    let bytes = text::read_bytes(path, limits)?;
    if is_mjcf(xml::decode(&bytes, limits)?) {
        mjcf::read_file(path, limits, warnings)
    } else {
        urdf::read_bytes(&bytes, limits, warnings)
    }
}

fn is_mjcf(text: &str) -> bool {
    xml::first_tag(text) == Some("mujoco")
}
