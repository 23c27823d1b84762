//! What several tests need.
#![allow(clippy::print_stdout, reason = "a skipped test says so")]

use std::path::PathBuf;

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
