//! What tests of the motion commands share: running them, and looking at what they wrote.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "each test program uses a part of it, and a helper of a test may fail as a test does"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub(crate) fn posekit() -> Command {
    Command::new(env!("CARGO_BIN_EXE_posekit"))
}

pub(crate) fn walk() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/clips/walk.bvh")
}

/// An empty folder of a test's own.
pub(crate) fn place(name: &str) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("motion-rows").join(name);
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).unwrap();
    place
}

/// A folder with the walk under three names, one file that is none, and one that is no motion at all.
pub(crate) fn captures(place: &Path) -> PathBuf {
    let folder = place.join("captures");
    fs::create_dir_all(folder.join("more")).unwrap();
    for name in ["a.bvh", "b.BVH", "more/c.bvh"] {
        fs::copy(walk(), folder.join(name)).unwrap();
    }
    fs::write(folder.join("bad.bvh"), "HIERARCHY\nROOT x\n{\n").unwrap();
    fs::write(folder.join("notes.txt"), "nothing").unwrap();
    folder
}

pub(crate) fn run(arguments: &[&str], paths: &[&Path]) -> Output {
    posekit().args(arguments).args(paths).output().unwrap()
}

pub(crate) fn clean(input: &Path, output: &Path, more: &[&str]) -> Output {
    posekit().arg("clean").arg(input).arg("-o").arg(output).args(more).output().unwrap()
}

pub(crate) fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub(crate) fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Every file of a folder by its name, save notes on what is done.
pub(crate) fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && path.file_name().unwrap() != ".posekit" {
                folders.push(path);
            } else if path.is_file() {
                let name = path.strip_prefix(folder).unwrap().to_owned();
                all.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    all
}

/// Whether a text is one JSON value; keys in the order of the text.
pub(crate) fn json(text: &str) -> serde_json::Value {
    let is_finite = !text.contains("NaN") && !text.contains("Infinity");
    assert!(is_finite, "JSON has no such numbers: {text}");
    serde_json::from_str(text).unwrap()
}

/// A folder of many walks.
pub(crate) fn many(place: &Path, n: usize) -> PathBuf {
    let folder = place.join("captures");
    fs::create_dir(&folder).unwrap();
    for index in 0..n {
        fs::copy(walk(), folder.join(format!("{index:02}.bvh"))).unwrap();
    }
    folder
}

/// Files of an output folder that are motions.
pub(crate) fn motions(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let is_motion = |name: &Path| name.extension().is_some_and(|end| end == "bvh");
    content(folder).into_iter().filter(|(name, _)| is_motion(name)).collect()
}

/// The walk with some of its frames alone.
pub(crate) fn cut(place: &Path, name: &str, frames: core::ops::Range<usize>) -> PathBuf {
    let text = fs::read_to_string(walk()).unwrap();
    let (head, motion) = text.split_once("Frames:").unwrap();
    let mut lines = motion.lines().skip(1);
    let time = lines.next().unwrap();
    let rows: String =
        lines.skip(frames.start).take(frames.len()).map(|row| format!("{row}\n")).collect();
    let path = place.join(name);
    fs::write(&path, format!("{head}Frames: {}\n{time}\n{rows}", frames.len())).unwrap();
    path
}
