//! The walk of `testdata` is what its program makes; with `POSEKIT_BLESS=1` it is made anew.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use std::path::Path;
use std::{env, fs};

#[path = "../examples/walk.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "a program, of which one function is tested"
)]
mod program;

#[test]
fn the_walk_is_up_to_date() {
    let bless = env::var_os("POSEKIT_BLESS").is_some();
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/motions/walk.bvh");
    let fresh = program::walk(true).unwrap().to_bytes();
    if bless {
        fs::write(&kept, &fresh).unwrap();
    }
    let same = fs::read(&kept).is_ok_and(|kept| kept == fresh);
    assert!(same, "testdata/motions/walk.bvh is out of date: see testdata/README.md");
}
