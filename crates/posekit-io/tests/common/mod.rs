//! What several tests need.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a helper of a test may fail and speak as a test does"
)]
#![allow(dead_code, reason = "every suite uses a part of it")]

use std::path::{Path, PathBuf};

use posekit::skeleton::Skeleton;

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

/// Every glTF of the shared assets, except those that are wrong on purpose.
pub(crate) fn gltf_files(folder: &Path) -> Vec<PathBuf> {
    let is_gltf = |path: &Path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        matches!(extension, Some("gltf" | "glb" | "vrm" | "vrma"))
    };
    let mut all: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let is_validators = entry.to_string_lossy().contains("validator_");
        if entry.is_dir() && !is_validators {
            all.extend(gltf_files(&entry));
        } else if is_gltf(&entry) {
            all.push(entry);
        }
    }
    all.sort();
    all
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
