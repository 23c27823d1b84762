//! The JavaScript API of robots' descriptions.

use wasm_bindgen::prelude::*;

use super::Result;
use crate::robot::description;

/// A robot's shapes, largest speeds and named states, as JSON, by the joints of its problem.
///
/// `visuals` (with `color`: red, green, blue, opacity, if the file gives it) and `collisions` are lists of objects with `joint`, `pose` on it (7 numbers), `kind`
/// (`box`, `sphere`, `cylinder`, `capsule`, `ellipsoid`, `mesh`, `half-space`), `size` (half extents; radii; radius and half length, along z; the scale of a mesh)
/// and for a mesh `file`, as written. `maxSpeeds` has a number or null for each joint, `states` objects with `name`, `group` and `values`, pairs of a joint
/// and its values, `warnings` those about the SRDF.
///
/// - `text`: a URDF, or an MJCF that includes no other file
/// - `srdf`: the text of the SRDF beside it
#[wasm_bindgen(js_name = describeRobot)]
pub fn describe_robot(text: &str, srdf: Option<String>) -> Result<String> {
    Ok(description(text, srdf.as_deref())?)
}
