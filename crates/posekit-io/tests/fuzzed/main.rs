//! What the fuzz targets start from, and what they once found: nothing of it panics, and what is read and written comes back.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a helper of a test may fail and speak as a test does"
)]

mod checks;

use std::path::{Path, PathBuf};

fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

fn check(target: &str, check: fn(&[u8])) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let seeds = files(&here.join("../../fuzz/corpus").join(target));
    assert!(!seeds.is_empty(), "{target} has files to start from");
    let found = files(&here.join("tests/fuzzed/found").join(target));
    for path in seeds.into_iter().chain(found) {
        println!("{}", path.file_name().unwrap_or_default().to_string_lossy());
        check(&std::fs::read(&path).unwrap());
    }
}

#[test]
fn bvh() {
    check("bvh", checks::bvh);
}

#[test]
fn gltf() {
    check("gltf", checks::gltf);
}

#[test]
fn contacts() {
    check("contacts", checks::contacts);
}

#[test]
fn pipeline() {
    check("pipeline", checks::pipeline);
}

#[test]
fn robot() {
    check("robot", checks::robot);
}

#[test]
fn chain() {
    check("chain", checks::chain);
}

#[test]
fn figure() {
    check("figure", checks::figure);
}

#[test]
fn solution() {
    check("solution", checks::solution);
}
