//! The table of cases in `testdata/cases`: every file is a valid problem in the writer's own layout, and the index lists them all.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a helper of a test may fail and speak as a test does"
)]

use std::collections::BTreeSet;
use std::path::PathBuf;

use posekit_io::{ChainData, ChainProblem, Warnings};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cases")
}

struct Case {
    name: String,
    dimension: u64,
    reachable: bool,
    problem: ChainProblem,
}

fn cases() -> Vec<Case> {
    let text = std::fs::read_to_string(folder().join("index.json")).unwrap();
    let index: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(index["schema"], "posekit.cases/1", "the index's format");
    index["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|case| {
            let name = case["name"].as_str().unwrap().to_owned();
            assert!(!case["reason"].as_str().unwrap().is_empty(), "{name} has no reason");
            let text = std::fs::read_to_string(folder().join(format!("{name}.json"))).unwrap();
            let problem =
                ChainProblem::from_json(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            Case {
                dimension: case["dimension"].as_u64().unwrap(),
                reachable: case["reachable"].as_bool().unwrap(),
                name,
                problem,
            }
        })
        .collect()
}

#[test]
fn the_index_lists_every_file_once() {
    let listed: Vec<String> = cases().into_iter().map(|case| case.name).collect();
    let unique: BTreeSet<String> = listed.iter().cloned().collect();
    assert_eq!(unique.len(), listed.len(), "a case is listed twice");
    let mut found: BTreeSet<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    found.remove("index");
    assert_eq!(found, unique);
}

#[test]
fn every_file_is_as_the_writer_writes_it() {
    let bless = std::env::var_os("POSEKIT_BLESS").is_some();
    for case in cases() {
        let path = folder().join(format!("{}.json", case.name));
        let written = case.problem.to_json().unwrap();
        if bless {
            std::fs::write(&path, &written).unwrap();
        }
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, written, "{} (run with POSEKIT_BLESS=1 to rewrite)", case.name);
        assert_eq!(ChainProblem::from_json(&written).unwrap(), case.problem, "{}", case.name);
    }
}

#[test]
fn every_case_becomes_a_skeleton_or_points() {
    for case in cases() {
        let name = &case.name;
        assert_eq!(case.problem.dimension as u64, case.dimension, "{name}");
        let points = case.problem.to_points();
        assert_eq!(points.points.len(), points.dimension * (case.problem.n_bones() + 1), "{name}");
        assert_eq!(points.weights.len(), case.problem.n_bones() + 1, "{name}");
        if matches!(case.problem.chain, ChainData::Points { .. }) {
            continue;
        }
        let mut warnings = Warnings::new();
        let model = case.problem.to_skeleton(&mut warnings).unwrap();
        assert_eq!(model.skeleton.n_joints(), case.problem.n_bones(), "{name}");
        assert!(model.skeleton.within_limits(&model.start, 1e-9), "{name}");
        assert_eq!(
            !warnings.is_empty(),
            name.ends_with("exclude-start") || name.ends_with("excludes-start"),
            "{name}: {warnings:?}"
        );
    }
}

/// What the index says about reach agrees with the plain bound on lengths: nothing beyond the sum of the lengths, or within what the longest bone
/// leaves over, is reachable.
#[test]
fn reachable_cases_are_within_the_bounds_of_their_lengths() {
    for case in cases().iter().filter(|case| case.reachable) {
        let chain = case.problem.to_points();
        let n = chain.dimension;
        let distance = |a: &[f64], b: &[f64]| {
            a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
        };
        let points: Vec<&[f64]> = chain.points.chunks(n).collect();
        let lengths: Vec<f64> = points.windows(2).map(|pair| distance(pair[0], pair[1])).collect();
        let reach: f64 = lengths.iter().sum();
        let longest = lengths.iter().copied().fold(0.0, f64::max);
        let away = distance(points[0], &case.problem.target);
        assert!(away <= reach * (1.0 + 1e-12), "{}: {away} of {reach}", case.name);
        assert!(away >= 2.0 * longest - reach - 1e-12 * reach, "{}", case.name);
    }
}
