//! `posekit check --in-place`: a walk on the spot is judged as if it went on.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use posekit_io::bvh::{self, Axis, Channel, File, Node};
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
fn a_walk_on_the_spot_is_found_and_judged_as_if_it_went_on() {
    let path = written("spot.bvh", &on_the_spot());
    let (found, given) = (drifts(&path, &[]), drifts(&path, &["--in-place"]));
    // A step takes half a metre on the spot, and stands where the figure goes on.
    assert!(found.len() > 4 && largest(&found) < 21.0, "{found:?}");
    assert_eq!(found, given);
    let output = check(&path, &[]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("in-place walk"), "{text}");
    let ahead = check(&written("ahead.bvh", &walk()), &[]);
    assert!(!String::from_utf8_lossy(&ahead.stdout).contains("in-place walk"));
}

#[test]
fn what_was_cleaned_on_the_spot_is_not_worse_to_the_check() {
    let path = written("dirty.bvh", &on_the_spot());
    let cleaned = path.with_file_name("cleaned.bvh");
    let mut clean = Command::new(env!("CARGO_BIN_EXE_posekit"));
    let output = clean.arg("clean").arg(&path).arg("--force").arg("-o").arg(&cleaned).output();
    assert!(output.unwrap().status.success());
    let (before, after) = (drifts(&path, &[]), drifts(&cleaned, &[]));
    assert!(largest(&before) < 21.0 && largest(&after) < 21.0, "{after:?} after {before:?}");
    assert_eq!(check(&cleaned, &[]).status.code(), Some(0));
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

/// What can walk on no spot is judged as it is, by both commands, and both say why.
#[test]
fn what_cannot_walk_on_the_spot_is_judged_as_it_is() {
    let fixed = written("fixed.bvh", &fixed());
    // Of the walk the hips alone.
    let pelvis = [Node { channels: vec![Channel::Rotation(Axis::Y)], ..walk().nodes()[0].clone() }];
    let pelvis = File::try_new(pelvis.to_vec(), 0.04, vec![0.0, 10.0, 0.0]).unwrap();
    let nothing = written("pelvis.bvh", &pelvis);
    for (path, words) in [
        (&fixed, "--in-place has no effect: no joint that carries the legs can be moved"),
        (&nothing, "No legs were found"),
    ] {
        let output = fixed.with_file_name("not-on-the-spot.bvh");
        let reported = |output: &Output| {
            let said = [&output.stdout[..], &output.stderr[..]].concat();
            String::from_utf8_lossy(&said).into_owned()
        };
        let (plain, given) = (check(path, &[]), check(path, &["--in-place"]));
        assert_eq!(plain.status.code(), given.status.code(), "{}", reported(&given));
        assert_eq!(plain.stdout, given.stdout, "the same is found");
        let mut clean = Command::new(env!("CARGO_BIN_EXE_posekit"));
        clean.arg("clean").arg(path).args(["--in-place", "--force", "-o"]).arg(&output);
        let cleaned = clean.output().unwrap();
        assert!(cleaned.status.success(), "{}", reported(&cleaned));
        for said in [reported(&given), reported(&cleaned)] {
            assert!(said.contains(words), "{said}");
            assert!(!said.contains("in-place walk: feet are judged"), "{said}");
        }
    }
}

#[test]
fn pages_draw_a_walk_on_the_spot_as_it_is_judged() {
    let path = written("page.bvh", &on_the_spot());
    let [cleaned, report, picture] =
        ["page-clean.bvh", "page.html", "page.svg"].map(|name| path.with_file_name(name));
    let extent = |page: &str| {
        let step: f64 =
            page.split("\"step\":").nth(1).unwrap().split(',').next().unwrap().parse().unwrap();
        step * f64::from(i16::MAX)
    };
    let mut clean = Command::new(env!("CARGO_BIN_EXE_posekit"));
    clean.arg("clean").arg(&path).arg("--force").arg("-o").arg(&cleaned);
    assert!(
        clean
            .arg("--report")
            .arg(&report)
            .arg("--picture")
            .arg(&picture)
            .status()
            .unwrap()
            .success()
    );
    let page = fs::read_to_string(&report).unwrap();
    assert!(page.contains("The figure walks in place"));
    // On the spot nothing is farther from the middle than the head; the walk goes on for five metres.
    assert!(extent(&page) > 2.5, "{} m", extent(&page));
    assert!(fs::read_to_string(picture).unwrap().contains("an in-place walk as if it advanced"));
    check(&path, &["--report", report.to_str().unwrap()]);
    let page = fs::read_to_string(&report).unwrap();
    assert!(page.contains("The figure walks in place") && extent(&page) > 2.5);
}
