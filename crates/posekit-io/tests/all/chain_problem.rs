//! The file `posekit.chain/1`: what it accepts, what it refuses and where it says the fault is, and the way to a skeleton.

use core::f64::consts::{FRAC_PI_2, PI};

use posekit::math::{cos, sin};
use posekit_io::{ChainData, ChainProblem, Error, Limits, SpaceConstraint, Warnings};

/// A problem in the plane with these bones.
fn plane(bones: &str) -> String {
    format!(
        "{{ \"schema\": \"posekit.chain/1\", \"dimension\": 2,\n  \"bones\": [ {bones} ],\n  \"target\": [0.8, 1.1] }}"
    )
}

/// A problem in space with these bones.
fn space(bones: &str) -> String {
    format!(
        "{{ \"schema\": \"posekit.chain/1\", \"dimension\": 3, \"bones\": [ {bones} ], \"target\": [1, 1, 1] }}"
    )
}

const FREE: &str = r#""offset": [1, 0, 0], "rotation": [0, 0, 0, 1]"#;

/// The error of a text, which must hold `part` and a line.
#[track_caller]
fn refused(text: &str, part: &str) -> Error {
    let error = ChainProblem::from_json(text).expect_err("the text must be refused");
    let message = error.to_string();
    assert!(message.contains(part), "`{message}` does not contain `{part}`");
    assert!(message.contains("line "), "`{message}` names no line");
    error
}

#[test]
fn the_example_of_the_format_is_read() {
    let text = plane(r#"{ "length": 1.0, "angle": 0.3, "weight": 1.0, "limit": [-1.2, 1.2] }"#);
    let problem = ChainProblem::from_json(&text).unwrap();
    let ChainData::Plane { root, bones } = &problem.chain else { panic!("not in the plane") };
    assert_eq!(*root, None);
    assert_eq!((bones[0].length, bones[0].angle), (1.0, 0.3));
    assert_eq!((bones[0].weight, bones[0].limit), (Some(1.0), Some([-1.2, 1.2])));
    assert_eq!(problem.target, [0.8, 1.1]);
}

#[test]
fn a_byte_order_mark_is_skipped() {
    let text = format!("\u{FEFF}{}", plane(r#"{ "length": 1, "angle": 0 }"#));
    assert!(ChainProblem::from_json(&text).is_ok());
}

#[test]
fn writing_and_reading_again_changes_nothing() {
    let texts = [
        plane(r#"{ "length": 0.1, "angle": 0.30000000000000004 }, { "length": 0, "angle": -0.0, "weight": 0, "limit": [-1e-300, 1e100] }"#),
        space(r#"{ "offset": [1, 2, 3], "rotation": [0, 0, 0.70710678118, 0.70710678118], "hinge": [0, 0, 2], "limit": [-1, 1] },
                 { "offset": [0, 0, 1e-320], "rotation": [0, 0, 0, -1.0009], "cone": { "swing": 3.141592653589793, "twist": [-0.5, 0.5] } }"#),
        r#"{ "schema": "posekit.chain/1", "dimension": 1, "points": [[0], [1], [3]], "weights": [1, 0.5], "target": [2] }"#.to_owned(),
        r#"{ "schema": "posekit.chain/1", "dimension": 3, "root": [1, 2, 3], "bones": [ { "offset": [1, 0, 0], "rotation": [0, 0, 0, 1], "weight": 2 } ],
             "target": [2, 1, 1], "orientation": [0.6, 0, 0, 0.8] }"#.to_owned(),
    ];
    for text in texts {
        let problem = ChainProblem::from_json(&text).unwrap();
        let written = problem.to_json().unwrap();
        let again = ChainProblem::from_json(&written).unwrap();
        assert_eq!(again, problem);
        assert_eq!(again.to_json().unwrap(), written);
    }
}

#[test]
fn the_text_has_a_fixed_layout() {
    let text = plane(
        r#"{ "angle": 0.5, "limit": [0, 1], "length": 1 }, { "length": 2, "angle": 0, "weight": 0.5 }"#,
    );
    let expected = r#"{
  "schema": "posekit.chain/1",
  "dimension": 2,
  "bones": [
    { "length": 1, "angle": 0.5, "limit": [0, 1] },
    { "length": 2, "angle": 0, "weight": 0.5 }
  ],
  "target": [0.8, 1.1]
}
"#;
    assert_eq!(ChainProblem::from_json(&text).unwrap().to_json().unwrap(), expected);
}

#[test]
fn unknown_fields_are_refused_by_name() {
    let error =
        refused(&plane(r#"{ "length": 1, "angle": 0, "lenght": 2 }"#), "unknown field `lenght`");
    let Error::UnknownField { place, .. } = error else { panic!("{error:?}") };
    assert_eq!((place.subject.as_str(), place.line), ("bones[0].lenght", 2));
    refused(&plane(r#"{ "length": 1, "angle": 0, "hinge": [0, 0, 1] }"#), "`hinge`");
    refused(&space(&format!(r#"{{ {FREE}, "angle": 1 }}"#)), "`angle`");
    refused(
        &plane(r#"{ "length": 1, "angle": 0 }"#).replace("\"target\"", "\"goal\": 1, \"target\""),
        "unknown field `goal`",
    );
    refused(
        &space(&format!(r#"{{ {FREE}, "cone": {{ "swing": 1, "twist": [0, 0], "axis": 1 }} }}"#)),
        "bones[0].cone.axis",
    );
}

#[test]
fn missing_fields_are_named() {
    refused(&plane(r#"{ "length": 1 }"#), "bones[0], line 2, column 14: `angle` is missing");
    refused(&space(r#"{ "offset": [1, 0, 0] }"#), "`rotation` is missing");
    refused("{}", "`schema` is missing");
    refused(r#"{ "schema": "posekit.chain/1" }"#, "`dimension` is missing");
    refused(
        r#"{ "schema": "posekit.chain/1", "dimension": 2, "target": [0, 0] }"#,
        "`bones` is missing",
    );
    refused(
        r#"{ "schema": "posekit.chain/1", "dimension": 5, "target": [0] }"#,
        "`points` is missing",
    );
    refused(
        &plane(r#"{ "length": 1, "angle": 0 }"#).replace("\"target\"", "\"weights\""),
        "weights",
    );
    refused(
        r#"{ "schema": "posekit.chain/1", "dimension": 2, "bones": [ { "length": 1, "angle": 0 } ] }"#,
        "`target` is missing",
    );
}

#[test]
fn another_schema_is_refused_before_its_fields() {
    refused(r#"{ "schema": "posekit.chain/2", "novelty": 1 }"#, "`posekit.chain/2`");
    refused(r#"{ "schema": "posekit.solution/1", "solver": "ccd" }"#, "expected `posekit.chain/1`");
    refused(r#"{ "schema": 1 }"#, "expected a string, found the number 1");
    refused("[]", "expected an object, found a list of 0");
}

#[test]
fn duplicate_fields_are_refused() {
    refused(&plane(r#"{ "length": 1, "length": 2, "angle": 0 }"#), "duplicate field `length`");
    refused(
        r#"{ "schema": "posekit.chain/1", "schema": "posekit.chain/1" }"#,
        "duplicate field `schema`",
    );
}

#[test]
fn numbers_must_be_finite_and_numbers() {
    let error = refused(&plane(r#"{ "length": 1e999, "angle": 0 }"#), "number out of range");
    let Error::Syntax { place, .. } = error else { panic!("{error:?}") };
    assert_eq!(place.subject, "bones[0].length");
    refused(&plane(r#"{ "length": NaN, "angle": 0 }"#), "bones[0].length");
    refused(&plane(r#"{ "length": "1", "angle": 0 }"#), "expected a number, found a string");
    refused(&plane(r#"{ "length": null, "angle": 0 }"#), "expected a number, found null");
    refused(&plane(r#"{ "length": 1, "angle": 0 }"#).replace("1.1]", "-1e400]"), "target[1]");
    let error = refused(&plane(r#"{ "length": 1, "angle": -1.1e100 }"#), "larger than 1e100");
    let Error::Value { place, .. } = error else { panic!("{error:?}") };
    assert_eq!(place.subject, "bones[0].angle");
    assert!(ChainProblem::from_json(&plane(r#"{ "length": 1e100, "angle": -1e100 }"#)).is_ok());
}

#[test]
fn lengths_and_weights_must_not_be_negative() {
    let bones = r#"{ "length": 1, "angle": 0 }, { "length": 1, "angle": 0 }, { "length": 0, "angle": 0 }, { "length": -0.5, "angle": 0 }"#;
    refused(&plane(bones), "bones[3].length");
    refused(&plane(r#"{ "length": 1, "angle": 0, "weight": -1 }"#), "bones[0].weight");
}

#[test]
fn limits_must_be_in_order() {
    refused(&plane(r#"{ "length": 1, "angle": 0, "limit": [1, -1] }"#), "bones[0].limit");
    refused(&plane(r#"{ "length": 1, "angle": 0, "limit": [1] }"#), "expected 2 numbers");
    assert!(
        ChainProblem::from_json(&plane(r#"{ "length": 1, "angle": 0, "limit": [1, 1] }"#)).is_ok()
    );
    let hinge = format!(r#"{{ {FREE}, "hinge": [0, 0, 1], "limit": [2, 1] }}"#);
    refused(&space(&hinge), "the smallest, 2, is above the largest, 1");
    refused(&space(&format!(r#"{{ {FREE}, "limit": [0, 1] }}"#)), "needs a `hinge`");
}

#[test]
fn hinges_and_cones_are_checked() {
    let cone = r#""cone": { "swing": 1, "twist": [-1, 1] }"#;
    assert!(ChainProblem::from_json(&space(&format!("{{ {FREE}, {cone} }}"))).is_ok());
    refused(&space(&format!(r#"{{ {FREE}, {cone}, "hinge": [0, 0, 1] }}"#)), "not both");
    refused(&space(&format!(r#"{{ {FREE}, {cone}, "limit": [0, 1] }}"#)), "needs a `hinge`");
    refused(&space(&format!(r#"{{ {FREE}, "hinge": [0, 0, 0] }}"#)), "bones[0].hinge");
    refused(&space(&format!(r#"{{ {FREE}, "hinge": [0, 1] }}"#)), "expected 3 numbers");
    for swing in ["-0.1", "3.15"] {
        let bone = format!(r#"{{ {FREE}, "cone": {{ "swing": {swing}, "twist": [0, 0] }} }}"#);
        refused(&space(&bone), "bones[0].cone.swing");
    }
    let bone = format!(r#"{{ {FREE}, "cone": {{ "swing": 1, "twist": [5, 4] }} }}"#);
    refused(&space(&bone), "bones[0].cone.twist");
    let bone = format!(r#"{{ "offset": [0, 0, 0], "rotation": [0, 0, 0, 1], {cone} }}"#);
    refused(&space(&bone), "which is zero here");
}

#[test]
fn rotations_must_be_near_unit_length() {
    let bone =
        |w: &str| space(&format!(r#"{{ "offset": [1, 0, 0], "rotation": [0, 0, 0, {w}] }}"#));
    assert!(ChainProblem::from_json(&bone("0.9991")).is_ok());
    assert!(ChainProblem::from_json(&bone("-1.0009")).is_ok());
    for w in ["0.99", "1.002", "0", "1e200"] {
        refused(&bone(w), "bones[0].rotation");
    }
}

#[test]
fn the_dimension_rules_everything() {
    for dimension in ["0", "-1", "2.5", "1e10", "\"2\""] {
        let text = plane(r#"{ "length": 1, "angle": 0 }"#)
            .replace("\"dimension\": 2", &format!("\"dimension\": {dimension}"));
        refused(&text, "dimension, line 1");
    }
    let bones = plane(r#"{ "length": 1, "angle": 0 }"#);
    refused(&bones.replace("\"dimension\": 2", "\"dimension\": 4"), "give `points`");
    refused(&bones.replace("[0.8, 1.1]", "[0.8, 1.1, 0]"), "target");
    refused(&bones.replace("\"bones\"", "\"root\": [1], \"bones\""), "root");
    refused(&bones.replace("\"bones\"", "\"orientation\": [0, 0, 0, 1], \"bones\""), "orientation");
    refused(&plane(""), "needs at least one bone");
}

#[test]
fn points_exclude_bones_and_root() {
    let text = r#"{ "schema": "posekit.chain/1", "dimension": 2, "points": [[0, 0], [1, 0]], "target": [0, 1] }"#;
    assert!(ChainProblem::from_json(text).is_ok());
    refused(&text.replace("\"target\"", "\"root\": [0, 0], \"target\""), "root");
    refused(&text.replace("\"target\"", "\"bones\": [], \"target\""), "not both");
    refused(&text.replace("[[0, 0], [1, 0]]", "[[0, 0]]"), "at least two points");
    refused(&text.replace("[1, 0]]", "[1, 0, 0]]"), "points[1]");
    refused(&text.replace("\"target\"", "\"weights\": [1, 1, 1], \"target\""), "2 weights");
    refused(&text.replace("\"target\"", "\"weights\": [1, -1], \"target\""), "weights[1]");
    refused(
        &plane(r#"{ "length": 1, "angle": 0 }"#)
            .replace("\"target\"", "\"weights\": [1], \"target\""),
        "weights",
    );
}

#[test]
fn caps_are_named() {
    let bone = r#"{ "length": 1, "angle": 0 }"#;
    let text = plane(&[bone; 5].join(", "));
    assert!(ChainProblem::from_json_with(&text, &Limits::default().with_joints(5)).is_ok());
    let error = ChainProblem::from_json_with(&text, &Limits::default().with_joints(4)).unwrap_err();
    assert!(matches!(error, Error::TooLarge { limit: 4, field: "joints", .. }), "{error}");
    let error = ChainProblem::from_json_with(&text, &Limits::default().with_joints(2)).unwrap_err();
    assert!(matches!(error, Error::TooLarge { limit: 2, field: "joints", .. }), "{error}");
    let error =
        ChainProblem::from_json_with(&text, &Limits::default().with_file_bytes(20)).unwrap_err();
    assert!(error.to_string().contains("Limits::file_bytes"), "{error}");
}

#[test]
fn deep_nesting_is_refused_without_stack() {
    for text in ["[".repeat(500_000), "{\"bones\":".repeat(500_000), plane(&"[".repeat(500_000))] {
        refused(&text, "recursion limit");
    }
}

#[test]
fn a_problem_made_by_hand_is_not_written_with_nan() {
    let mut problem = ChainProblem::from_json(&plane(r#"{ "length": 1, "angle": 0 }"#)).unwrap();
    problem.target[1] = f64::NAN;
    assert_eq!(problem.to_json().unwrap_err(), Error::NotFinite { field: "target[1]".into() });
}

#[test]
fn truncated_and_changed_texts_never_panic() {
    let text = space(&format!(
        r#"{{ {FREE}, "hinge": [0, 0, 1], "limit": [-1, 1] }}, {{ {FREE}, "cone": {{ "swing": 1, "twist": [0, 0] }} }}"#
    ));
    let mut read = 0;
    for at in 0..text.len() {
        read += usize::from(ChainProblem::from_json(&text[..at]).is_ok());
        for replacement in ["\"", "{", "]", "-", "9", "e", "null", "\\", "\u{e9}"] {
            let changed = format!("{}{replacement}{}", &text[..at], &text[at + 1..]);
            if let Ok(problem) = ChainProblem::from_json(&changed) {
                read += 1;
                let model = problem.to_skeleton(&mut Warnings::new()).unwrap();
                assert!(model.start.iter().all(|value| value.is_finite()), "{changed}");
                assert!(
                    problem.to_points().points.iter().all(|value| value.is_finite()),
                    "{changed}"
                );
            }
        }
    }
    assert!(read > 0, "changed digits are still numbers");
}

#[test]
fn bones_in_the_plane_become_hinges_about_z() {
    let text = plane(r#"{ "length": 2, "angle": 0.5 }, { "length": 1, "angle": -0.25, "limit": [-1, 1], "weight": 3 }"#)
        .replace("\"bones\"", "\"root\": [1, 2], \"bones\"");
    let problem = ChainProblem::from_json(&text).unwrap();
    let mut warnings = Warnings::new();
    let model = problem.to_skeleton(&mut warnings).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(model.skeleton.name(1), "bone1");
    assert_eq!(model.start, [0.5, -0.25]);
    assert_eq!(model.weights, [1.0, 3.0, 1.0]);
    assert_eq!(model.target.to_array(), [0.8, 1.1, 0.0]);
    let tip = model.tip.world(&model.skeleton.poses(&model.start)).translation;
    let points = problem.to_points().points;
    assert!((tip.x - points[4]).abs() < 1e-12 && (tip.y - points[5]).abs() < 1e-12, "{tip}");
    assert_eq!(tip.z, 0.0);
}

#[test]
fn bones_in_space_agree_with_their_points() {
    let text = space(
        r#"{ "offset": [1, 0, 0], "rotation": [0, 0, 0.6, 0.8] },
           { "offset": [0, 0.5, 0], "rotation": [0, 0, 0.6, 0.8], "hinge": [0, 0, 3] },
           { "offset": [0, 0, 0], "rotation": [0, 0, 0, 1] },
           { "offset": [0, 0, 0.25], "rotation": [0.6, 0, 0, 0.8], "cone": { "swing": 2, "twist": [-1, 1] } }"#,
    );
    let problem = ChainProblem::from_json(&text).unwrap();
    let mut warnings = Warnings::new();
    let model = problem.to_skeleton(&mut warnings).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    let poses = model.skeleton.poses(&model.start);
    let points = problem.to_points().points;
    for joint in 0..4 {
        let expected = &points[3 * joint..3 * joint + 3];
        let found = poses[joint].translation.to_array();
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "joint {joint}");
        }
    }
    let tip = model.tip.world(&poses).translation.to_array();
    for (found, expected) in tip.iter().zip(&points[12..]) {
        assert!((found - expected).abs() < 1e-12, "tip");
    }
}

#[test]
fn a_start_outside_its_limits_is_brought_in_and_said() {
    let bones = r#"{ "length": 1, "angle": 2, "limit": [-1, 1] }, { "length": 1, "angle": 6.3, "limit": [-1, 1] }, { "length": 1, "angle": 9 }"#;
    let mut warnings = Warnings::new();
    let model = ChainProblem::from_json(&plane(bones)).unwrap().to_skeleton(&mut warnings).unwrap();
    assert_eq!(model.start[0], 1.0);
    assert!(
        (model.start[1] - (6.3 - 2.0 * PI)).abs() < 1e-12,
        "a whole turn away is the same pose"
    );
    assert_eq!(model.start[2], 9.0);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert_eq!(
        warnings.as_slice()[0].to_string(),
        "bones[0]: the start, 2 rad, is outside its limit; 1 rad is used"
    );
}

#[test]
fn a_limit_beyond_half_a_turn_finds_its_start() {
    let bone = r#"{ "offset": [1, 0, 0], "rotation": [0, 0, 1, 0.000001], "hinge": [0, 0, -1], "limit": [3.1, 3.3] }"#;
    let mut warnings = Warnings::new();
    let model = ChainProblem::from_json(&space(bone)).unwrap().to_skeleton(&mut warnings).unwrap();
    assert!((model.start[0] - PI).abs() < 1e-5, "{}", model.start[0]);
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn a_hinge_keeps_only_its_own_turn() {
    let half = (0.5_f64).sqrt();
    let bone = format!(
        r#"{{ "offset": [1, 0, 0], "rotation": [{half}, 0, 0, {half}], "hinge": [0, 0, 1] }},
           {{ "offset": [1, 0, 0], "rotation": [0, 0, {half}, {half}], "hinge": [0, 0, 1e-200] }}"#
    );
    let problem = ChainProblem::from_json(&space(&bone)).unwrap();
    let ChainData::Space { bones, .. } = &problem.chain else { panic!("not in space") };
    assert!(matches!(bones[0].constraint, Some(SpaceConstraint::Hinge { limit: None, .. })));
    let mut warnings = Warnings::new();
    let model = problem.to_skeleton(&mut warnings).unwrap();
    assert!(model.start[0].abs() < 1e-12);
    assert!((model.start[1] - FRAC_PI_2).abs() < 1e-12);
    assert_eq!(warnings.len(), 1);
    assert!(
        warnings.as_slice()[0].to_string().starts_with("bones[0].rotation: rotates by 90° about")
    );
}

#[test]
fn a_start_outside_its_cone_is_brought_in() {
    let bone = r#"{ "offset": [1, 0, 0], "rotation": [0, 0, 0.6, 0.8], "cone": { "swing": 0.5, "twist": [-1, 1] } }"#;
    let mut warnings = Warnings::new();
    let model = ChainProblem::from_json(&space(bone)).unwrap().to_skeleton(&mut warnings).unwrap();
    assert_eq!(warnings.len(), 1);
    assert!(model.skeleton.within_limits(&model.start, 1e-9));
    let tip = model.tip.world(&model.skeleton.poses(&model.start)).translation;
    assert!((tip.x - cos(0.5)).abs() < 1e-9 && (tip.y - sin(0.5)).abs() < 1e-9, "{tip}");
}

#[test]
fn points_have_no_joints() {
    let text = r#"{ "schema": "posekit.chain/1", "dimension": 2, "points": [[0, 0], [1, 0]], "target": [0, 1] }"#;
    let problem = ChainProblem::from_json(text).unwrap();
    assert_eq!(problem.n_bones(), 1);
    let error = problem.to_skeleton(&mut Warnings::new()).unwrap_err();
    assert!(error.to_string().contains("give `bones`"), "{error}");
}
