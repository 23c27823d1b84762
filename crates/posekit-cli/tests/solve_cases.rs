//! The table of cases through the command: every solver reaches what is reachable, and the status is right where nothing is.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use posekit_io::{ChainData, ChainProblem, Outcome, SolutionFile};

/// Most iterations that a reachable case may take.
const MOST_ITERATIONS: u32 = 250;

struct Case {
    name: String,
    file: PathBuf,
    is_reachable: bool,
    problem: ChainProblem,
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cases");
    let index = fs::read_to_string(folder.join("index.json")).unwrap();
    let index: serde_json::Value = serde_json::from_str(&index).unwrap();
    let case = |case: &serde_json::Value| {
        let name = case["name"].as_str().unwrap().to_owned();
        let file = folder.join(format!("{name}.json"));
        let problem = ChainProblem::from_json(&fs::read_to_string(&file).unwrap()).unwrap();
        Case { name, file, is_reachable: case["reachable"].as_bool().unwrap(), problem }
    };
    index["cases"].as_array().unwrap().iter().map(case).collect()
}

/// What the command found; `None` when the solver does not fit the problem.
fn solve(case: &Case, arguments: &[&str]) -> Option<SolutionFile> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_posekit"));
    command.arg("solve").arg(&case.file).args(["--format", "json"]).args(arguments);
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => {
            Some(SolutionFile::from_json(&String::from_utf8(output.stdout).unwrap()).unwrap())
        }
        Some(2) => {
            assert!(errors.contains("needs"), "{}: {errors}", case.name);
            None
        }
        code => panic!("{}: exit {code:?}: {errors}", case.name),
    }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

fn lengths(case: &Case) -> Vec<f64> {
    let chain = case.problem.to_points();
    let points: Vec<&[f64]> = chain.points.chunks(chain.dimension).collect();
    points.windows(2).map(|pair| distance(pair[0], pair[1])).collect()
}

/// What every solution promises, whatever its status.
fn faults(case: &Case, found: &SolutionFile) -> Vec<String> {
    let mut faults = Vec::new();
    let lengths = lengths(case);
    let reach: f64 = lengths.iter().sum();
    if found.points.len() != lengths.len() + 1 {
        faults.push(format!("{} points for {} bones", found.points.len(), lengths.len()));
    }
    for (pair, length) in found.points.windows(2).zip(&lengths) {
        if (distance(&pair[0], &pair[1]) - length).abs() > 1e-12 * reach {
            faults.push(format!("a bone of {length} became {}", distance(&pair[0], &pair[1])));
        }
    }
    let off = distance(found.points.last().unwrap(), &case.problem.target);
    if (off - found.error).abs() > 1e-12 * (reach + off) {
        faults.push(format!("the error is {off}, not {}", found.error));
    }
    match &case.problem.chain {
        ChainData::Plane { bones, .. } => {
            let angles = found.angles.as_deref().unwrap_or_default();
            let is_wrapped = |angle: &f64| *angle > -3.2 && *angle <= core::f64::consts::PI;
            if angles.len() != bones.len() || !angles.iter().all(is_wrapped) {
                faults.push(format!("angles {angles:?}"));
            }
            for (bone, angle) in bones.iter().zip(angles) {
                if bone.limit.is_some_and(|[min, max]| *angle < min - 1e-9 || *angle > max + 1e-9) {
                    faults.push(format!("{angle} is outside {:?}", bone.limit));
                }
            }
        }
        ChainData::Space { bones, .. }
            if found.rotations.as_ref().map(Vec::len) != Some(bones.len()) =>
        {
            faults.push("not one rotation per bone".to_owned());
        }
        _ => {}
    }
    faults
}

/// Where a method that is named, and so runs itself to the end, is known for slow progress: near the full reach, and relaxation in long chains.
fn is_slow_there(name: &str, solver: &str) -> bool {
    let is_iterative = matches!(solver, "ccd" | "fabrik" | "relaxation");
    let is_stretched = name.contains("near-reach") || name.contains("full-reach");
    is_iterative && is_stretched || solver == "relaxation" && name.ends_with("-hundred")
}

#[test]
fn every_reachable_case_is_reached_by_every_solver() {
    let mut failures = Vec::new();
    for case in cases().iter().filter(|case| case.is_reachable) {
        for solver in ["ccd", "fabrik", "relaxation", "direct", "two-bone", "least-squares", "auto"]
        {
            let Some(found) = solve(case, &["--solver", solver]) else { continue };
            let mut wrong = faults(case, &found);
            let is_slow = found.iterations > MOST_ITERATIONS;
            if found.outcome == Outcome::IterationLimit && is_slow_there(&case.name, solver) {
                continue;
            }
            if found.outcome != Outcome::Reached || is_slow {
                let (outcome, iterations) = (&found.outcome, found.iterations);
                wrong.push(format!("{outcome:?}, {iterations} iterations, error {}", found.error));
            }
            failures.extend(wrong.iter().map(|what| format!("{} by {solver}: {what}", case.name)));
        }
    }
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures.join("\n"));
}

/// What a case that cannot be reached may end in, by its name.
fn is_right(name: &str, outcome: &Outcome) -> bool {
    match name {
        "plane-limits-blocked" | "space-cones-blocked" => {
            matches!(outcome, Outcome::Blocked { joints } if !joints.is_empty())
        }
        // Out of reach for reasons that lengths alone do not prove.
        "space-hinges-off-plane" | "space-orientation-too-far" | "points-line-gap" => {
            matches!(outcome, Outcome::Stalled | Outcome::IterationLimit)
        }
        _ => matches!(outcome, Outcome::Unreachable { .. }),
    }
}

#[test]
fn every_unreachable_case_has_the_right_status() {
    let mut failures = Vec::new();
    for case in cases().iter().filter(|case| !case.is_reachable) {
        for solver in ["ccd", "fabrik", "relaxation", "direct", "two-bone", "least-squares", "auto"]
        {
            let Some(found) = solve(case, &["--solver", solver]) else { continue };
            let mut wrong = faults(case, &found);
            if !is_right(&case.name, &found.outcome) {
                wrong.push(format!("{:?}", found.outcome));
            }
            if let Outcome::Unreachable { shortfall } = found.outcome {
                // The nearest pose is found, and is as far off as was proven.
                let reach: f64 = lengths(case).iter().sum();
                if (found.error - shortfall).abs() > 1e-6 * (reach + shortfall) {
                    wrong.push(format!("error {}, shortfall {shortfall}", found.error));
                }
            }
            failures.extend(wrong.iter().map(|what| format!("{} by {solver}: {what}", case.name)));
        }
    }
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures.join("\n"));
}

/// Every solver's classic iteration and its trace are valid files too.
#[test]
fn classic_traces_count_their_iterations() {
    for case in cases() {
        for solver in ["ccd", "fabrik", "relaxation"] {
            let options = ["--solver", solver, "--classic", "--trace", "--iterations", "5"];
            let Some(found) = solve(&case, &options) else { continue };
            let trace = found.trace.clone().unwrap_or_default();
            let counts: Vec<u32> = trace.iter().map(|entry| entry.iteration).collect();
            let expected: Vec<u32> = (1..=found.iterations).collect();
            assert_eq!(counts, expected, "{} by {solver}", case.name);
            for entry in &trace {
                assert_eq!(entry.points.len(), found.points.len(), "{} by {solver}", case.name);
            }
        }
    }
}
