//! What several tests need.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a helper of a test may fail and speak as a test does"
)]
#![allow(dead_code, reason = "every suite uses a part of it")]

use std::path::{Path, PathBuf};

use posekit::skeleton::Skeleton;
use posekit_collision::{CollisionModel, CollisionOptions};
use posekit_io::{Limits, Robot, Warnings, urdf};

/// The folder of shared assets, or `None` where it is not at hand; on a build server that is a failure.
pub(crate) fn assets() -> Option<PathBuf> {
    let folder = std::env::var_os("POSEKIT_ASSETS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/assets"),
        PathBuf::from,
    );
    if folder.join("MANIFEST.md").is_file() {
        return Some(folder);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "no assets at {}", folder.display());
    println!("skipped: no assets at {}; set POSEKIT_ASSETS", folder.display());
    None
}

/// A robot of a file with its model, without the pairs that are no further apart than `touching` at rest, and what was warned about the model.
pub(crate) fn model(path: &Path, touching: f64) -> (Robot, CollisionModel, Warnings) {
    let robot = urdf::read_file(path, &Limits::default(), &mut Warnings::new()).unwrap();
    let folder = path.parent().unwrap();
    let options = CollisionOptions::default().with_folder(folder).with_touching(touching);
    let mut warnings = Warnings::new();
    let model = CollisionModel::from_robot(&robot, &options, &mut warnings).unwrap();
    (robot, model, warnings)
}

/// A robot of a text with its model.
pub(crate) fn model_of(text: &str) -> (Robot, CollisionModel) {
    let robot = urdf::read(text, &mut Warnings::new()).unwrap();
    let options = CollisionOptions::default();
    let model = CollisionModel::from_robot(&robot, &options, &mut Warnings::new()).unwrap();
    (robot, model)
}

/// A number in 0..1 from a counter: `SplitMix64`.
pub(crate) fn uniform(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// A configuration inside the limits; joints that only turn or slide are moved.
pub(crate) fn random_configuration(skeleton: &Skeleton, state: &mut u64) -> Vec<f64> {
    let mut q = skeleton.neutral();
    for joint in 0..skeleton.n_joints() {
        let values = skeleton.value_range(joint);
        if values.len() == 1 {
            let (min, max) = skeleton.limit(joint).bounds();
            let (min, max) = (min.max(-3.1), max.min(3.1));
            q[values.start] = min + (max - min) * uniform(state);
        }
    }
    skeleton.settle(&mut q);
    skeleton.clamp(&mut q);
    q
}
