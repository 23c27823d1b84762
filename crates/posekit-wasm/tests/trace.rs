//! What a trace shows of half-steps whose points the joint values cannot say.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use std::rc::Rc;

use posekit::solve::Phase;
use posekit_io::Warnings;
use posekit_io::problem::Problem;
use posekit_wasm::session::{Session, phase_code};

const ROPE: &str = r#"{ "schema": "posekit.chain/1", "dimension": 2, "target": [0.5, 1.2],
  "bones": [ { "length": 1, "angle": 0.2 }, { "length": 1, "angle": 0.3 }, { "length": 0.5, "angle": 0.1 } ] }"#;

const ARM: &str = r#"{ "schema": "posekit.chain/1", "dimension": 2, "target": [0.5, 1.2],
  "bones": [ { "length": 1, "angle": 0.2, "limit": [-2, 2] }, { "length": 1, "angle": 0.3, "limit": [-2, 2] },
             { "length": 0.5, "angle": 0.1, "limit": [-2, 2] } ] }"#;

/// The points behind every half-step of a phase.
fn points_behind(text: &str, phase: Phase) -> Vec<Vec<f64>> {
    let problem = Rc::new(Problem::from_json(text, None, &mut Warnings::new()).unwrap());
    let mut session = Session::new(problem);
    session.begin("fabrik", Some(r#"{ "trace": "half-steps" }"#), None).unwrap();
    session.run().unwrap();
    let (wanted, _) = phase_code(phase);
    let mut found = Vec::new();
    for step in 0..session.trace_len().unwrap() {
        let [_, code, _, _] = session.trace_header(step).unwrap();
        if code == f64::from(wanted) {
            found.push(session.trace_points(step).unwrap().to_vec());
        }
    }
    found
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

#[test]
fn fabriks_way_inward_begins_at_the_target_and_its_way_outward_at_the_root() {
    for text in [ROPE, ARM] {
        let inward = points_behind(text, Phase::Backward);
        assert!(!inward.is_empty(), "no half-step inward in {text}");
        for points in &inward {
            assert!(distance(&points[6..], &[0.5, 1.2]) < 1e-12, "tip of {points:?} in {text}");
        }
        // The root stays where it is, and the first bone is off length until the way outward.
        let first = distance(&inward[0][..2], &inward[0][2..4]);
        assert!((first - 1.0).abs() > 1e-3, "first bone of {:?} in {text}", inward[0]);
        for points in points_behind(text, Phase::Forward) {
            assert!(distance(&points[..2], &[0.0, 0.0]) < 1e-12, "root of {points:?} in {text}");
        }
    }
}

#[test]
fn a_turn_that_is_asked_for_is_off_first_and_then_not() {
    let text = r#"{ "schema": "posekit.chain/1", "dimension": 3, "target": [0.6, 0.5, 0.3], "orientation": [0, 0, 0.5, 0.866025403784],
      "bones": [ { "offset": [1, 0, 0], "rotation": [0, 0, 0, 1] }, { "offset": [1, 0, 0], "rotation": [0, 0, 0.38, 0.925] },
                 { "offset": [0.5, 0, 0], "rotation": [0, 0, 0, 1] } ] }"#;
    let problem = Rc::new(Problem::from_json(text, None, &mut Warnings::new()).unwrap());
    let mut session = Session::new(problem);
    session.begin("least-squares", Some(r#"{ "trace": "iterations" }"#), None).unwrap();
    session.run().unwrap();
    let last = session.trace_len().unwrap() - 1;
    assert!(session.trace_turn(0).unwrap() > 1e-4, "off by {}", session.trace_turn(0).unwrap());
    assert!(
        session.trace_turn(last).unwrap() < 1e-4,
        "off by {}",
        session.trace_turn(last).unwrap()
    );
    assert!(session.trace_turn(last + 1).is_err(), "a step that is not there");
}
