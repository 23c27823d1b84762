//! A map as a point cloud for any glTF viewer.

use posekit_io::gltf::points_glb;

use super::reach_map::ReachMap;
use crate::draw::{Theme, ramp};
use crate::failure::{Failure, Result};

/// A GLB with a point for each voxel that is reached, in the colour of its share of orientations.
pub(super) fn glb(map: &ReachMap) -> Result<Vec<u8>> {
    let reached = || map.cells.iter().filter(|cell| cell.measured.reached > 0);
    let points: Vec<[f32; 3]> = reached().map(|cell| cell.center.as_vec3().to_array()).collect();
    if points.is_empty() {
        return Err(Failure::input("no voxel is reached, so there is nothing to show in --cloud"));
    }
    // Most viewers have a dark background.
    let colour = |share| ramp(share, Theme::Dark).0.map(linear);
    let colours: Vec<[f32; 3]> = reached().map(|cell| colour(map.share(cell))).collect();
    let name = format!("reach of {}", map.about.tip);
    points_glb(&points, &colours, &name).map_err(Failure::output)
}

/// A channel of sRGB as a linear value, as in glTF, within 0.002. A cubic has the same bits on every machine.
fn linear(channel: u8) -> f32 {
    let c = f32::from(channel) / 255.0;
    c * (c * (c * 0.305_306 + 0.682_171) + 0.012_523)
}
