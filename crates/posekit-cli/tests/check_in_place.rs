//! `posekit check --in-place`: a walk on the spot is judged as if it went on.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use posekit_io::bvh::{self, Axis, Channel, File};
use posekit_io::{Limits, Warnings};

fn walk() -> File {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/clips/walk.bvh");
    let (options, limits) = (bvh::Options::strict(), Limits::default());
    bvh::read_file(&path, &options, &limits, &mut Warnings::new()).unwrap()
}

/// The walk with its hips going up and down alone, as a treadmill would keep them.
fn on_the_spot() -> File {
    let file = walk();
    let along = [Axis::X, Axis::Z].map(|axis| {
        file.nodes()[0].channels.iter().position(|&own| own == Channel::Position(axis)).unwrap()
    });
    let n = file.n_channels();
    let mut values = file.values().to_vec();
    values.chunks_exact_mut(n).for_each(|row| along.iter().for_each(|&place| row[place] = 0.0));
    file.with_values(values).unwrap()
}

/// The walk without any positions: nothing in it can be moved.
fn fixed() -> File {
    let file = walk();
    let mut nodes = file.nodes().to_vec();
    let n_places = nodes[0].channels.len() - 3;
    nodes[0].channels.drain(..n_places);
    let rows = (0..file.n_frames()).flat_map(|frame| file.frame(frame)[n_places..].to_vec());
    File::try_new(nodes, file.frame_time(), rows.collect()).unwrap()
}

fn written(name: &str, file: &File) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("check-in-place");
    fs::create_dir_all(&place).unwrap();
    let path = place.join(name);
    fs::write(&path, file.to_bytes()).unwrap();
    path
}

fn check(path: &Path, more: &[&str]) -> Output {
    let command = env!("CARGO_BIN_EXE_posekit");
    Command::new(command).arg("check").arg(path).args(more).output().unwrap()
}

/// How far the plants of a file drift \[mm\], one after the other.
fn drifts(path: &Path, more: &[&str]) -> Vec<f64> {
    let output = check(path, &[more, &["--json"]].concat());
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let plants = report["files"][0]["clips"][0]["plants"].as_array().unwrap();
    plants.iter().map(|plant| plant["drift_before"].as_f64().unwrap()).collect()
}

fn largest(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

#[test]
fn a_walk_on_the_spot_slides_unless_it_is_taken_for_one() {
    let path = written("spot.bvh", &on_the_spot());
    let (plain, ahead) = (drifts(&path, &[]), drifts(&path, &["--in-place"]));
    assert!(plain.len() > 4 && plain.len() == ahead.len(), "{plain:?}, {ahead:?}");
    // A step takes half a metre on the spot, and stands where the figure goes on.
    assert!(plain.iter().filter(|drift| **drift > 100.0).count() * 2 > plain.len(), "{plain:?}");
    assert!(largest(&ahead) < 0.2 * largest(&plain), "{ahead:?} of {plain:?}");
    assert_eq!(check(&path, &[]).status.code(), Some(1), "feet slide");
}

#[test]
fn the_bound_counts_for_what_is_left() {
    let path = written("bound.bvh", &on_the_spot());
    let left = largest(&drifts(&path, &["--in-place"]));
    let bound = |more: f64| format!("{}", (left + more).max(0.0));
    let code = |bound: &str| check(&path, &["--in-place", "--bound", bound]).status.code();
    assert_eq!(code(&bound(1.0)), Some(0), "nothing slides farther than {left} mm");
    assert_eq!(code(&bound(-1.0)), Some(1), "one slides {left} mm");
}

#[test]
fn what_a_scaled_path_slides_is_no_fault_in_place() {
    let path = written("walk.bvh", &walk());
    let (plain, ahead) = (drifts(&path, &[]), drifts(&path, &["--in-place"]));
    assert!(largest(&ahead) < 0.5 * largest(&plain), "{ahead:?} of {plain:?}");
}

#[test]
fn a_figure_that_nothing_can_move_is_refused() {
    let path = written("fixed.bvh", &fixed());
    let output = check(&path, &["--in-place"]);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("no joint that carries the legs can be moved"), "{errors}");
    assert_ne!(check(&path, &[]).status.code(), Some(2), "without it, it is measured");
}
