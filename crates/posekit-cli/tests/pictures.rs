//! The pictures of docs/command.md are what `posekit draw` draws; `cargo xtask bless` redraws them.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use std::path::Path;
use std::process::Command;
use std::{env, fs};

const ARM: &str = "testdata/arm6.urdf --tip tool0 --position 0.38 -0.35 0.25 --orientation 1 0 0 0 \
                   --start 0.4,-1.3,-1.5,-1.4,1.3,0 --solver least-squares";
const LOCK_UP: &str = "testdata/cases/plane-straight-inline.json --solver fabrik";

#[test]
fn the_pictures_are_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let bless = env::var_os("TRYCMD").is_some_and(|word| word == "overwrite");
    for (name, arguments, title) in [
        ("arm", ARM, "A six-axis arm reaches"),
        ("lock-up", LOCK_UP, "A straight chain, its target on its own line"),
    ] {
        let fresh = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.svg"));
        let mut draw = Command::new(env!("CARGO_BIN_EXE_posekit"));
        draw.current_dir(&root).arg("draw").args(arguments.split_whitespace());
        draw.args(["--force", "--title", title, "-o"]).arg(&fresh);
        assert!(draw.output().unwrap().status.success(), "{name} is drawn");
        let kept = root.join("docs/images").join(format!("{name}.svg"));
        if bless {
            fs::copy(&fresh, &kept).unwrap();
        }
        let same = fs::read(&fresh).unwrap() == fs::read(&kept).unwrap();
        assert!(same, "docs/images/{name}.svg is out of date: run cargo xtask bless");
    }
}

#[test]
fn the_picture_of_the_walk_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let bless = env::var_os("TRYCMD").is_some_and(|word| word == "overwrite");
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let fresh = place.join("motion-walk.svg");
    let mut clean = Command::new(env!("CARGO_BIN_EXE_posekit"));
    clean.current_dir(&root).args(["clean", "testdata/clips/walk.bvh", "--force", "-o"]);
    clean.arg(place.join("walk-clean.bvh")).arg("--picture").arg(&fresh);
    assert!(clean.output().unwrap().status.success(), "the walk is cleaned");
    let kept = root.join("docs/images/motion-walk.svg");
    if bless {
        fs::copy(&fresh, &kept).unwrap();
    }
    let same = fs::read(&fresh).unwrap() == fs::read(&kept).unwrap();
    assert!(same, "docs/images/motion-walk.svg is out of date: run cargo xtask bless");
}

#[test]
fn the_picture_of_the_reach_is_up_to_date() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let bless = env::var_os("TRYCMD").is_some_and(|word| word == "overwrite");
    let place = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let fresh = place.join("reach.svg");
    let mut map = Command::new(env!("CARGO_BIN_EXE_posekit"));
    map.current_dir(&root).args([
        "map",
        "testdata/arm6.urdf",
        "--tip",
        "tool0",
        "--resume",
        "--force",
    ]);
    map.args(["--voxel", "0.1", "--orientations", "20", "-o"]).arg(place.join("reach.csv"));
    assert!(map.arg("--picture").arg(&fresh).output().unwrap().status.success(), "it is measured");
    let kept = root.join("docs/images/reach.svg");
    if bless {
        fs::copy(&fresh, &kept).unwrap();
    }
    let same = fs::read(&fresh).unwrap() == fs::read(&kept).unwrap();
    assert!(same, "docs/images/reach.svg is out of date: run cargo xtask bless");
}
