//! The walk of `testdata` is what its program makes, and its feet do what it says; with `POSEKIT_BLESS=1` it is made anew.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use std::path::Path;
use std::{env, fs};

use posekit::math::Pose;

#[path = "../examples/walk.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "a program, of which the parts are tested"
)]
mod program;

#[test]
fn the_walk_is_up_to_date() {
    let bless = env::var_os("POSEKIT_BLESS").is_some();
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/clips/walk.bvh");
    let fresh = program::file(true).unwrap().to_bytes();
    if bless {
        fs::write(&kept, &fresh).unwrap();
    }
    let same = fs::read(&kept).is_ok_and(|kept| kept == fresh);
    assert!(same, "testdata/clips/walk.bvh is out of date: see testdata/README.md");
}

#[test]
fn legs_reach_every_step() {
    let clip = program::walk(3.0, 60.0).unwrap();
    let n = clip.skeleton().n_joints();
    for (side, sign, behind) in [("Left", 1.0, 0.0), ("Right", -1.0, 0.5)] {
        let ankle = clip.skeleton().find(&format!("{side}Foot")).unwrap();
        for (frame, poses) in clip.poses().chunks(n).enumerate() {
            let time = clip.time(frame);
            let (asked, _) = program::foot(sign, time, time / program::CYCLE - behind);
            let missed = (poses[ankle].translation - asked.translation).length();
            assert!(missed < 1e-9, "{side} at {time} s: {missed} cm");
        }
    }
}

#[test]
fn planted_feet_stand_still_and_sliding_ones_do_not() {
    let clip = program::walk(3.0, 60.0).unwrap();
    let ball = clip.skeleton().find("LeftToeBase").unwrap();
    let n = clip.skeleton().n_joints();
    let poses = clip.poses();
    let drift = |poses: &[Pose]| {
        let at = |frame: usize| poses[frame * n + ball].translation;
        let still = clip.frames(
            program::CYCLE * (1.0 + program::FLAT),
            program::CYCLE * (1.0 + program::LEAVES),
        );
        let first = at(still.start);
        still.map(|frame| (at(frame) - first).length()).fold(0.0, f64::max)
    };
    assert!(drift(&poses) < 1e-9, "{}", drift(&poses));
    let slid = program::sliding(&clip).unwrap().poses();
    assert!(drift(&slid) > 8.0, "{}", drift(&slid));
}
