//! The JavaScript API of what robots look like, and of characters in a pose.

use posekit::glam::DQuat;
use posekit_io::{Limits, gltf};
use wasm_bindgen::prelude::*;

use super::Result;
use crate::fault::{Fault, wrong_length};
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
pub fn describe_robot(
    #[wasm_bindgen(unchecked_param_type = "string | Uint8Array")] text: &str,
    #[wasm_bindgen(unchecked_optional_param_type = "string | Uint8Array | null")] srdf: Option<
        String,
    >,
) -> Result<String> {
    Ok(description(text, srdf.as_deref())?)
}

/// The file of a character (`.glb`, `.gltf`, `.vrm`) in a pose: some of its nodes rotated, all else as it was, byte for byte.
///
/// - `nodes`: the indices of the nodes
/// - `turns`: for each its rotation in its own frame, 4 numbers, such as the value of a ball joint
#[wasm_bindgen(js_name = poseGltf)]
pub fn pose_gltf(file: &[u8], nodes: &[u32], turns: &[f64]) -> Result<Vec<u8>> {
    if turns.len() != 4 * nodes.len() {
        return Err(wrong_length("turns", 4 * nodes.len(), turns.len()).into());
    }
    let turn = |numbers: &[f64]| DQuat::from_slice(numbers);
    let turns: Vec<_> =
        nodes.iter().map(|&node| node as usize).zip(turns.chunks_exact(4).map(turn)).collect();
    Ok(gltf::with_pose(file, &turns, &Limits::default()).map_err(Fault::from)?)
}
