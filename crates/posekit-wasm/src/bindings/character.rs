//! The JavaScript API of characters in a pose.

use posekit::glam::DQuat;
use posekit_io::{Limits, gltf};
use wasm_bindgen::prelude::*;

use super::Result;
use crate::fault::{Fault, wrong_length};

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
