//! The file `posekit.figure/1`: what it accepts, what it refuses and where it says the fault is, and the way to a skeleton with tasks.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use std::path::{Path, PathBuf};
use std::{env, fs};

use posekit::glam::DVec3;
use posekit::skeleton::{JointKind, Limit};
use posekit::solve::{JointOptions, Method, Settings, solve};
use posekit_io::{
    Error, FigureModel, FigureProblem, FigureRoot, FigureSkeleton, FigureSource, Limits,
    SourceKind, Warnings, schema_of, urdf,
};

/// An arm of a ball and a hinge, and a slide and a free joint beside it.
const JOINTS: &str = r#"{ "name": "ball", "parent": null, "kind": "ball", "cone": { "axis": [1, 0, 0], "swing": 1.5, "twist": [-1, 1] } },
    { "name": "hinge", "parent": "ball", "kind": "revolute", "position": [1, 0, 0], "axis": [0, 0, 2], "limit": [-1, 2] },
    { "name": "hand", "parent": "hinge", "kind": "fixed", "position": [1, 0, 0], "rotation": [0, 0, 0.6, 0.8] },
    { "name": "slide", "parent": null, "kind": "prismatic", "axis": [0, 1, 0], "limit": [0, 1], "mimic": { "joint": "hinge", "multiplier": 0.5, "offset": 0.1 } },
    { "name": "base", "parent": null, "kind": "free" }"#;

/// A figure with these joints and these fields behind them.
fn figure(joints: &str, rest: &str) -> String {
    format!("{{ \"schema\": \"posekit.figure/1\",\n  \"joints\": [ {joints} ],\n  {rest} }}")
}

/// A figure that has nothing to do but this.
fn task(task: &str) -> String {
    figure(JOINTS, &format!("\"tasks\": [ {task} ]"))
}

/// A figure without tasks.
fn with(fields: &str) -> String {
    figure(JOINTS, &format!("{fields}, \"tasks\": []"))
}

/// One task of every kind, and several shapes of some.
const TASKS: &str = r#"
    { "task": "position", "name": "a name", "frame": "hand", "target": [1, 2, 3], "weight": 0, "level": 254 },
    { "task": "position", "frame": { "joint": "hand", "position": [0, 0, 1], "rotation": [0, 0.6, 0, 0.8] }, "target": [1, 2, 3] },
    { "task": "orientation", "frame": "hand", "orientation": [0, 0, 0, 1] },
    { "task": "pose", "frame": "hand", "target": [1, 2, 3], "orientation": [0, 0, 0, 1], "about": ["x", "y"] },
    { "task": "pose", "frame": "hand", "target": [1, 2, 3], "along": ["z"] },
    { "task": "look-at", "frame": "hand", "axis": [1, 0, 0], "target": [1, 2, 3] },
    { "task": "axis-alignment", "frame": "hand", "axis": [1, 0, 0], "direction": [0, 0, 2] },
    { "task": "pole", "frames": ["slide", "hand"], "mid": [0, 0, 1], "target": [1, 2, 3] },
    { "task": "plane", "frame": "hand", "point": [0, 0, 0], "normal": [0, 0, 1], "one_sided": true },
    { "task": "plane", "frame": "hand", "point": [0, 0, 0], "normal": [0, 0, 1] },
    { "task": "distance", "frames": ["hand", "slide"], "distance": 0.5 },
    { "task": "distance", "frames": ["hand", "slide"], "min": 0.25 },
    { "task": "distance", "frames": ["hand", "slide"], "max": 2 },
    { "task": "distance", "frames": ["hand", "slide"], "min": 0.25, "max": 2 },
    { "task": "relative-pose", "frames": ["hand", "base"], "orientation": [0, 0, 0, 1] },
    { "task": "closure", "frames": ["hand", "slide"], "link": "ball" },
    { "task": "closure", "frames": ["hand", "slide"], "link": "hinge", "axes": [[0, 0, 1], [0, 1, 0]] },
    { "task": "closure", "frames": ["hand", "slide"], "link": "weld" },
    { "task": "center-of-mass", "target": [0, 0, 0] },
    { "task": "center-of-mass", "target": [0, 0, 0], "along": ["x", "y"] },
    { "task": "support", "corners": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "up": [0, 0, 1], "margin": 0.1 },
    { "task": "clearance", "capsules": [{ "joint": "hand", "ends": [[0, 0, 0], [1, 0, 0]], "radius": 0.1 }, { "ends": [[5, 5, 5]], "radius": 1 }], "margin": 0.02 },
    { "task": "posture" },
    { "task": "posture", "values": { "hinge": 0.5, "ball": [0, 0, 0, 1] }, "cares": { "hinge": 2 } }"#;

/// A figure with every field that the format has, save a URDF.
fn everything() -> String {
    let rest = format!(
        r#""bodies": [ {{ "joint": "hand", "center": [0, 0, 0.1], "mass": 2 }}, {{ "joint": "base", "center": [0, 0, 0], "mass": 0 }} ],
  "start": {{ "hinge": 0.5, "base": [1, 2, 3, 0, 0, 0, 1] }},
  "tasks": [ {TASKS} ],
  "settings": {{ "locked": ["base"], "root": "pre-pulled", "stiffness": {{ "ball": 3 }}, "largest_change": {{ "hinge": 0.1 }}, "regularisation": 0.01, "restarts": 7, "least_change": false }}"#
    );
    figure(JOINTS, &rest)
}

/// The error of a text, which must hold every part and a line.
#[track_caller]
fn refused(text: &str, part: &str) -> Error {
    let error = FigureProblem::from_json(text).expect_err("the text must be refused");
    let message = error.to_string();
    assert!(message.contains(part), "`{message}` does not contain `{part}`");
    assert!(message.contains("line "), "`{message}` names no line");
    error
}

#[track_caller]
fn model(text: &str) -> (FigureModel, Vec<String>) {
    let mut warnings = Warnings::new();
    let model = FigureProblem::from_json(text).unwrap().to_model(None, &mut warnings).unwrap();
    (model, warnings.iter().map(ToString::to_string).collect())
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/figures")
}

#[test]
fn writing_and_reading_again_changes_nothing() {
    let robot = r#"{ "schema": "posekit.figure/1", "urdf": "robots/a.urdf", "root": "free", "tasks": [
        { "task": "position", "frame": { "link": "tool" }, "target": [0.30000000000000004, 1e-320, 1e100] } ] }"#;
    for text in [everything(), robot.to_owned()] {
        let problem = FigureProblem::from_json(&text).unwrap();
        let written = problem.to_json().unwrap();
        let again = FigureProblem::from_json(&written).unwrap();
        assert_eq!(again, problem);
        assert_eq!(again.to_json().unwrap(), written);
    }
}

#[test]
fn the_examples_are_as_the_writer_lays_them_out_and_are_solved() {
    for name in ["humanoid", "four-bar", "leg", "cart", "puppet"] {
        let path = folder().join(format!("{name}.json"));
        let text = fs::read_to_string(&path).unwrap().replace('\r', "");
        let problem = FigureProblem::from_json(&text).unwrap();
        let written = problem.to_json().unwrap();
        if env::var_os("POSEKIT_BLESS").is_some() {
            fs::write(&path, &written).unwrap();
        } else {
            assert_eq!(text, written, "{name}");
        }
        let mut warnings = Warnings::new();
        let source = problem.source().map(|(kind, path)| {
            let path = folder().join(path);
            FigureSource::read_file(kind, &path, &Limits::default(), &mut warnings).unwrap()
        });
        let model = problem.to_model(source.as_ref(), &mut warnings).unwrap();
        assert!(warnings.is_empty(), "{name}");
        let FigureModel { skeleton, start, tasks, settings, .. } = &model;
        let solution = solve(skeleton, start, tasks, Method::Auto, settings).unwrap();
        assert!(skeleton.within_limits(&solution.configuration, 0.0), "{name}");
        // The others stand at a limit on purpose.
        assert_eq!(
            solution.is_reached(),
            ["humanoid", "four-bar", "puppet"].contains(&name),
            "{name}"
        );
        assert_eq!(solution.holds.is_empty(), solution.is_reached(), "{name}");
    }
}

#[test]
fn every_kind_of_task_becomes_the_task_of_its_name() {
    let problem = FigureProblem::from_json(&everything()).unwrap();
    let (model, _) = model(&everything());
    assert_eq!(model.tasks.len(), problem.tasks.len());
    let mut words: Vec<&str> = Vec::new();
    for (made, asked) in model.tasks.iter().zip(&problem.tasks) {
        assert_eq!(serde_json::to_value(asked).unwrap()["task"], made.kind.name());
        words.push(made.kind.name());
    }
    words.dedup();
    assert_eq!(words.len(), 14, "{words:?}");
    let first = &model.tasks[0];
    assert_eq!((first.weight, first.level), (0.0, 254));
    assert_eq!((model.tasks[1].weight, model.tasks[1].level), (1.0, 1));
}

#[test]
fn joints_are_built_as_they_are_written() {
    let (model, warnings) = model(&everything());
    let skeleton = &model.skeleton;
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(skeleton.n_joints(), 5);
    assert_eq!(skeleton.kind(1), JointKind::Revolute { axis: DVec3::Z });
    // The hinge may go no farther than the slide that follows it: half its value and 0.1 is in [0, 1].
    assert_eq!(skeleton.limit(1), Limit::Range { min: -0.2, max: 1.8 });
    assert_eq!(skeleton.parent(2), Some(1));
    assert_eq!(skeleton.mimic(3).unwrap().joint, 1);
    let hand = skeleton.parent_from_joint(2);
    assert_eq!((hand.translation, hand.rotation.z), (DVec3::X, 0.6));
    let base = skeleton.value_range(4);
    assert_eq!(model.start[base], [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(model.start[skeleton.value_range(3)], [0.35], "the slide follows");
    assert_eq!((model.bodies.len(), model.bodies[0].mass), (2, 2.0));
}

#[test]
fn settings_go_to_the_joints_they_name() {
    let (model, _) = model(&everything());
    let settings = &model.settings;
    let usual = JointOptions::default();
    let root = usual.with_pre_pulled(true);
    let (stiff, slow) = (root.with_stiffness(3.0), usual.with_largest_change(0.1));
    assert_eq!(settings.joints, [stiff, slow, usual, root, root.with_locked(true)]);
    let least = &settings.least_squares;
    assert_eq!((least.regularisation, least.restarts, least.least_change), (0.01, 7, false));
    let plain = self::model(&with(r#""start": {}"#)).0.settings;
    assert_eq!(plain, Settings::default());
}

#[test]
fn postures_care_for_what_they_name() {
    let cares = |text: &str| {
        let (model, _) = model(&task(text));
        let posekit::task::TaskKind::Posture(posture) = &model.tasks[0].kind else { panic!() };
        (posture.configuration.to_vec(), posture.cares.to_vec())
    };
    let (all, none) = cares(r#"{ "task": "posture" }"#);
    assert_eq!((all.len(), none.len()), (13, 0));
    let (q, some) = cares(r#"{ "task": "posture", "values": { "hinge": 0.5 } }"#);
    assert_eq!(some, [0.0, 1.0, 0.0, 0.0, 0.0]);
    assert_eq!((q[4], q[5]), (0.5, 0.35), "what follows a preferred joint is preferred there");
    let (_, some) = cares(r#"{ "task": "posture", "cares": { "ball": 2 } }"#);
    assert_eq!(some, [2.0, 0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn the_values_of_a_solution_are_a_start() {
    let (model, _) = model(&with(r#""start": { "slide": 0.3500001, "hinge": 0.5 }"#));
    let slide = model.skeleton.value_range(3);
    assert_eq!(model.start[slide], [0.35], "what the hinge says");
    let part = "start.slide, line 7, column 23: it mimics `hinge`, which sets it to 0.35, not 0.36";
    refused(&with(r#""start": { "slide": 0.36, "hinge": 0.5 }"#), part);
}

#[test]
fn a_start_outside_its_limit_is_brought_inside_and_that_is_said() {
    let (model, warnings) = model(&with(r#""start": { "hinge": 2.5 }"#));
    assert_eq!(model.start[4], 1.8);
    assert_eq!(warnings, ["start.hinge: 2.5 is outside the limit; 1.8 is used"]);
    let turns = 0.5 + 2.0 * core::f64::consts::TAU;
    let (model, warnings) = self::model(&with(&format!(r#""start": {{ "hinge": {turns} }}"#)));
    assert!((model.start[4] - 0.5).abs() < 1e-14 && warnings.is_empty(), "{warnings:?}");
    let (_, warnings) = self::model(&with(r#""start": { "ball": [0, 0, 1, 0] }"#));
    assert_eq!(warnings.len(), 1);
}

#[test]
fn what_the_file_says_wrong_about_its_skeleton_is_refused() {
    let joint = |joint: &str| figure(joint, "\"tasks\": []");
    for (text, part) in [
        (joint(""), "joints, line 2, column 13: needs at least one joint"),
        (joint("3"), "joints[0], line 2, column 15: expected an object, found the number 3"),
        (
            joint(r#"{ "name": "a", "parent": null }"#),
            "joints[0], line 2, column 15: `kind` is missing",
        ),
        (joint(r#"{ "name": "a", "kind": "fixed" }"#), "`parent` is missing"),
        (
            joint(r#"{ "name": " ", "parent": null, "kind": "fixed" }"#),
            "joints[0].name, line 2, column 25: the name is empty",
        ),
        (joint(r#"{ "name": "a", "parent": null, "kind": "hinge" }"#), "unknown kind `hinge`"),
        (
            joint(r#"{ "name": "a", "parent": null, "kind": "fixed", "lenght": 1 }"#),
            "unknown field `lenght`",
        ),
        (joint(r#"{ "name": "a", "parent": null, "kind": "revolute" }"#), "`axis` is missing"),
        (
            joint(r#"{ "name": "a", "parent": null, "kind": "revolute", "axis": [0, 0, 0] }"#),
            "joints[0].axis, line 2, column 74: the axis is zero",
        ),
        (
            joint(r#"{ "name": "a", "parent": null, "kind": "revolute", "axis": [0, 1] }"#),
            "expected 3 numbers",
        ),
        (
            joint(
                r#"{ "name": "a", "parent": null, "kind": "revolute", "axis": [0, 0, 1], "limit": [1, 0] }"#,
            ),
            "the smallest, 1, is above the largest, 0",
        ),
        (
            joint(
                r#"{ "name": "a", "parent": null, "kind": "revolute", "axis": [0, 0, 1], "cone": {} }"#,
            ),
            "a revolute joint has no `cone`",
        ),
        (
            joint(r#"{ "name": "a", "parent": null, "kind": "ball", "limit": [0, 1] }"#),
            "a ball joint has no `limit`",
        ),
        (
            joint(r#"{ "name": "a", "parent": null, "kind": "free", "axis": [0, 0, 1] }"#),
            "a free joint has no `axis`",
        ),
        (
            joint(
                r#"{ "name": "a", "parent": null, "kind": "ball", "cone": { "axis": [0, 0, 1], "swing": 4, "twist": [0, 0] } }"#,
            ),
            "the swing must be from 0 to pi",
        ),
        (
            joint(r#"{ "name": "a", "parent": null, "kind": "fixed", "rotation": [0, 0, 0, 2] }"#),
            "a rotation is a quaternion of length 1",
        ),
        (
            joint(r#"{ "name": "a", "parent": null, "kind": "fixed", "position": [0, 0, 1e101] }"#),
            "larger than 1e100",
        ),
        (
            joint(r#"{ "name": "a", "parent": null, "kind": "fixed", "position": [0, 0, 1e999] }"#),
            "number out of range",
        ),
        (
            joint(r#"{ "name": "a", "parent": "b", "kind": "fixed" }"#),
            "joints[0].parent, line 2, column 40: there is no joint `b`",
        ),
        (
            joint(r#"{ "name": "a", "parent": "a", "kind": "fixed" }"#),
            "the parent `a` must come before `a`",
        ),
        (
            joint(
                r#"{ "name": "a", "parent": "b", "kind": "fixed" }, { "name": "b", "parent": null, "kind": "fixed" }"#,
            ),
            "the parent `b` must come before `a`",
        ),
        (
            joint(
                r#"{ "name": "a", "parent": null, "kind": "fixed" }, { "name": "a", "parent": null, "kind": "fixed" }"#,
            ),
            "joints[1].name, line 2, column 75: joints[0] has the name `a` too",
        ),
        (
            joint(r#"{ "name": "a", "parent": null, "kind": "ball", "mimic": { "joint": "a" } }"#),
            "a ball joint has no single value",
        ),
        (
            joint(
                r#"{ "name": "a", "parent": null, "kind": "revolute", "axis": [0, 0, 1], "mimic": { "joint": "b" } }"#,
            ),
            "joints[0].mimic.joint, line 2, column 105: there is no joint `b`",
        ),
        (
            joint(
                r#"{ "name": "a", "parent": null, "kind": "revolute", "axis": [0, 0, 1], "mimic": { "joint": "a" } }"#,
            ),
            "joints[0], line 2, column 15: mimic joints form a cycle",
        ),
    ] {
        refused(&text, part);
    }
}

#[test]
fn what_the_file_says_wrong_about_its_tasks_is_refused() {
    for (text, part) in [
        (r#"{ "frame": "hand" }"#, "tasks[0], line 7, column 14: `task` is missing"),
        (
            r#"{ "task": "touch", "frame": "hand" }"#,
            "unknown task `touch`, expected position, orientation",
        ),
        (r#"{ "task": "position", "frame": "hand" }"#, "`target` is missing"),
        (r#"{ "task": "position", "target": [0, 0, 0] }"#, "`frame` is missing"),
        (
            r#"{ "task": "position", "frame": "hand", "target": [0, 0, 0], "axis": [1, 0, 0] }"#,
            "unknown field `axis`, expected task, name, weight, level, frame, target",
        ),
        (
            r#"{ "task": "position", "frame": "foot", "target": [0, 0, 0] }"#,
            "tasks[0].frame, line 7, column 45: there is no joint `foot`",
        ),
        (
            r#"{ "task": "position", "frame": { "position": [0, 0, 0] }, "target": [0, 0, 0] }"#,
            "`joint` is missing",
        ),
        (
            r#"{ "task": "position", "frame": { "link": "hand" }, "target": [0, 0, 0] }"#,
            "only a robot has links",
        ),
        (
            r#"{ "task": "position", "frame": { "joint": "a", "link": "b" }, "target": [0, 0, 0] }"#,
            "`joint` or `link`, not both",
        ),
        (
            r#"{ "task": "position", "frame": "hand", "target": [0, 0, 0], "weight": -1 }"#,
            "tasks[0].weight",
        ),
        (
            r#"{ "task": "position", "frame": "hand", "target": [0, 0, 0], "level": 0 }"#,
            "a level is from 1",
        ),
        (
            r#"{ "task": "position", "frame": "hand", "target": [0, 0, 0], "level": 256 }"#,
            "a level is from 1",
        ),
        (
            r#"{ "task": "position", "frame": "hand", "target": [0, 0, 0], "level": 1.5 }"#,
            "expected a whole number",
        ),
        (
            r#"{ "task": "orientation", "frame": "hand", "orientation": [0, 0, 0, 0] }"#,
            "quaternion of length 1",
        ),
        (r#"{ "task": "pose", "frame": "hand" }"#, "`target` is missing"),
        (
            r#"{ "task": "pose", "frame": "hand", "target": [0, 0, 0], "about": ["x"] }"#,
            "axes of `orientation`, but `orientation` is missing",
        ),
        (
            r#"{ "task": "pose", "frame": "hand", "target": [0, 0, 0], "along": ["w"] }"#,
            "unknown axis `w`",
        ),
        (
            r#"{ "task": "look-at", "frame": "hand", "axis": [0, 0, 0], "target": [0, 0, 0] }"#,
            "the axis is zero",
        ),
        (
            r#"{ "task": "axis-alignment", "frame": "hand", "axis": [1, 0, 0], "direction": [0, 0, 0] }"#,
            "the direction is zero",
        ),
        (
            r#"{ "task": "plane", "frame": "hand", "point": [0, 0, 0], "normal": [0, 0, 0] }"#,
            "the normal is zero",
        ),
        (
            r#"{ "task": "plane", "frame": "hand", "point": [0, 0, 0], "normal": [0, 0, 1], "one_sided": 1 }"#,
            "expected true or false",
        ),
        (
            r#"{ "task": "distance", "frames": ["hand"], "distance": 1 }"#,
            "expected a list of 2 (the two frames), found 1",
        ),
        (r#"{ "task": "distance", "frames": ["hand", "base"] }"#, "`distance` is missing"),
        (
            r#"{ "task": "distance", "frames": ["hand", "base"], "distance": 1, "max": 2 }"#,
            "not both",
        ),
        (
            r#"{ "task": "distance", "frames": ["hand", "base"], "min": 3, "max": 2 }"#,
            "`min`, 3, is above `max`, 2",
        ),
        (
            r#"{ "task": "distance", "frames": ["hand", "head"], "min": 3 }"#,
            "tasks[0].frames[1], line 7, column 55: there is no joint `head`",
        ),
        (
            r#"{ "task": "closure", "frames": ["hand", "base"], "link": "glue" }"#,
            "unknown link `glue`",
        ),
        (
            r#"{ "task": "closure", "frames": ["hand", "base"], "link": "hinge" }"#,
            "`axes` is missing",
        ),
        (
            r#"{ "task": "closure", "frames": ["hand", "base"], "link": "ball", "axes": [] }"#,
            "only a hinge has `axes`",
        ),
        (
            r#"{ "task": "center-of-mass", "target": [0, 0, 0] }"#,
            "tasks[0], line 7, column 14: no body has a mass",
        ),
        (r#"{ "task": "support", "corners": [[0, 0, 0]] }"#, "no body has a mass"),
        (r#"{ "task": "support", "corners": [] }"#, "at least one corner"),
        (
            r#"{ "task": "support", "corners": [[0, 0, 0]], "margin": -1 }"#,
            "a margin must not be negative",
        ),
        (
            r#"{ "task": "clearance", "capsules": [{ "ends": [[0, 0, 0]], "radius": 1 }, { "joint": "x", "ends": [[0, 0, 0]], "radius": 1 }] }"#,
            "tasks[0].capsules[1], line 7, column 88: there is no joint `x`",
        ),
        (
            r#"{ "task": "clearance", "capsules": [{ "ends": [], "radius": 1 }, { "ends": [[0, 0, 0]], "radius": 1 }] }"#,
            "expected one point or two, found 0",
        ),
        (
            r#"{ "task": "clearance", "capsules": [{ "ends": [[0, 0, 0]], "radius": -1 }, { "ends": [[0, 0, 0]], "radius": 1 }] }"#,
            "a radius must not be negative",
        ),
        (
            r#"{ "task": "posture", "values": { "head": 1 } }"#,
            "tasks[0].values.head, line 7, column 55: there is no joint `head`",
        ),
        (r#"{ "task": "posture", "values": { "ball": 1 } }"#, "a ball joint has 4 values, found 1"),
        (r#"{ "task": "posture", "values": { "ball": [0, 0, 0, 0] } }"#, "has length 0, not 1"),
        (
            r#"{ "task": "posture", "values": { "slide": 1 } }"#,
            "tasks[0].values.slide, line 7, column 56: it mimics `hinge`, which sets it to 0.1, not 1",
        ),
        (r#"{ "task": "posture", "cares": { "hinge": -1 } }"#, "a care must not be negative"),
        (&vec![r#"{ "task": "posture" }"#; 17].join(", "), "more than 16 postures"),
    ] {
        refused(&task(text), part);
    }
}

#[test]
fn what_the_file_says_wrong_elsewhere_is_refused() {
    for (fields, part) in [
        (r#""goal": 1"#, "unknown field `goal`"),
        (r#""root": "free""#, "among `joints`, give the first one the kind `free`"),
        (r#""urdf": "a.urdf""#, "a figure has one of `joints`, `urdf` and `gltf`"),
        (r#""bodies": [ { "joint": "hand", "center": [0, 0, 0] } ]"#, "`mass` is missing"),
        (
            r#""bodies": [ { "joint": "hand", "center": [0, 0, 0], "mass": -1 } ]"#,
            "a mass must not be negative",
        ),
        (r#""bodies": [ { "joint": "head", "center": [0, 0, 0], "mass": 1 } ]"#, "bodies[0].joint"),
        (r#""start": { "head": 1 }"#, "start.head, line 7, column 22: there is no joint `head`"),
        (r#""start": { "hand": 1 }"#, "a fixed joint has 0 values, found 1"),
        (r#""start": { "base": [0, 0, 0] }"#, "a free joint has 7 values, found 3"),
        (r#""start": { "hinge": "high" }"#, "expected a number"),
        (r#""settings": { "speed": 1 }"#, "unknown field `speed`"),
        (r#""settings": { "locked": ["head"] }"#, "settings.locked[0]"),
        (
            r#""settings": { "root": "loose" }"#,
            "unknown root `loose`, expected free, pinned or pre-pulled",
        ),
        (
            r#""settings": { "stiffness": { "hinge": 0 } }"#,
            "settings.stiffness.hinge, line 7, column 41: a stiffness must be above 0",
        ),
        (r#""settings": { "stiffness": { "head": 1 } }"#, "there is no joint `head`"),
        (r#""settings": { "largest_change": { "hinge": -1 } }"#, "must not be negative"),
        (r#""settings": { "regularisation": -1 }"#, "must not be negative"),
        (r#""settings": { "restarts": 1.5 }"#, "expected a whole number"),
        (r#""settings": { "least_change": 1 }"#, "expected true or false"),
    ] {
        refused(&with(fields), part);
    }
    refused(r#"{ "schema": "posekit.figure/1", "tasks": [] }"#, "`joints` is missing");
    refused(&figure(JOINTS, r#""start": {}"#), "`tasks` is missing");
    refused(r#"{ "schema": "posekit.figure/2" }"#, "expected `posekit.figure/1`");
}

#[test]
fn u10_a_robot_beside_the_file_and_nowhere_else() {
    let robot = |path: &str| {
        format!(r#"{{ "schema": "posekit.figure/1", "urdf": "{path}", "tasks": [] }}"#)
    };
    for path in ["a.urdf", "robots/a.urdf", "a b/..c.urdf"] {
        let source = |text: &str| {
            let problem = FigureProblem::from_json(text).unwrap();
            problem.source().map(|(kind, path)| (kind, path.to_owned()))
        };
        assert_eq!(source(&robot(path)), Some((SourceKind::Urdf, path.to_owned())));
        let character = robot(path).replace("urdf\":", "gltf\":");
        assert_eq!(source(&character), Some((SourceKind::Gltf, path.to_owned())));
    }
    for path in [
        "/etc/passwd",
        "../a.urdf",
        "a/../../b.urdf",
        "..",
        "C:/a.urdf",
        "package://robot/a.urdf",
        "http://example.com/a.urdf",
        "file:///a.urdf",
        "~/a.urdf",
        "a\\\\..\\\\b.urdf",
        "\\\\\\\\host\\\\a.urdf",
    ] {
        refused(&robot(path), "is outside of the folder of the figure's file");
    }
    refused(&robot(" "), "the path is empty");
    refused(
        r#"{ "schema": "posekit.figure/1", "urdf": "a.urdf", "gltf": "a.glb", "tasks": [] }"#,
        "gltf, line 1, column 59: a figure has one of `joints`, `urdf` and `gltf`",
    );
}

const ROBOT: &str = r#"<robot name="r"> <link name="body"> <inertial> <mass value="2"/> </inertial> </link> <link name="head"/>
    <joint name="neck" type="continuous"> <parent link="body"/> <child link="head"/> <axis xyz="0 0 1"/> </joint> </robot>"#;

#[test]
fn a_robot_stands_or_floats() {
    let robot = FigureSource::Robot(urdf::read(ROBOT, &mut Warnings::new()).unwrap());
    let text = |fields: &str| {
        format!(
            r#"{{ "schema": "posekit.figure/1", "urdf": "r.urdf", {fields}
                 "tasks": [ {{ "task": "position", "frame": {{ "link": "head" }}, "target": [0, 0, 1] }},
                            {{ "task": "center-of-mass", "target": [0, 0, 0] }} ] }}"#
        )
    };
    let model = |fields: &str| {
        let problem = FigureProblem::from_json(&text(fields)).unwrap();
        problem.to_model(Some(&robot), &mut Warnings::new())
    };
    let pinned = model("").unwrap();
    assert_eq!((pinned.skeleton.kind(0), pinned.bodies[0].mass), (JointKind::Fixed, 2.0));
    let free = model(r#""root": "free", "start": { "body": [0, 0, 5, 0, 0, 0, 1] },"#).unwrap();
    assert_eq!(free.skeleton.kind(0), JointKind::Free);
    assert_eq!(free.start, [0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    assert_eq!(free.tasks[0].kind.frames()[0].unwrap().joint, 1);
    // A body of the file replaces those of the robot.
    let own = model(r#""bodies": [ { "joint": "neck", "center": [0, 0, 0], "mass": 7 } ],"#);
    assert_eq!(own.unwrap().bodies[0].mass, 7.0);
    // Names are looked up when the robot is there, and faults are found in the text again.
    let fields = r#""start": { "neck.x": 1 },"#;
    let error = model(fields).unwrap_err();
    assert_eq!(error.to_string(), "start.neck.x: there is no joint `neck.x`");
    let expected = "start.neck.x, line 1, column 72: there is no joint `neck.x`";
    assert_eq!(error.located_in(&text(fields)).to_string(), expected);
    let problem = FigureProblem::from_json(&text("").replace("head", "hand")).unwrap();
    let error = problem.to_model(Some(&robot), &mut Warnings::new()).unwrap_err();
    assert_eq!(error.to_string(), "tasks[0].frame: there is no link `hand`");
    assert!(matches!(problem.skeleton, FigureSkeleton::Robot { root: FigureRoot::Pinned, .. }));
    let error = problem.to_model(None, &mut Warnings::new()).unwrap_err();
    assert_eq!(error.to_string(), "urdf: `source` is missing");
}

/// The hips of a character hang on nodes that do not move. Whether they float is the figure's `root`; what they may do is that of its settings.
#[test]
fn the_root_of_a_character_is_its_hips() {
    let file = fs::read(folder().join("puppet.gltf")).unwrap();
    let source =
        FigureSource::read_bytes(SourceKind::Gltf, &file, &Limits::default(), &mut Warnings::new());
    let source = source.unwrap();
    let moved = |hangs: &str, root: &str, iterations: u32| {
        let text = format!(
            r#"{{ "schema": "posekit.figure/1", "gltf": "puppet.gltf", "root": "{hangs}", "settings": {{ "root": "{root}" }},
                 "tasks": [ {{ "task": "position", "frame": "LeftHand", "target": [3, 2.5, 0.45] }} ] }}"#
        );
        let figure = FigureProblem::from_json(&text).unwrap();
        let model = figure.to_model(Some(&source), &mut Warnings::new()).unwrap();
        let hips = model.skeleton.find("Hips").unwrap();
        assert!(model.skeleton.parent(hips).is_some(), "they hang on the armature");
        let settings = model.settings.with_iterations(iterations);
        let method = Method::LeastSquares;
        let solution = solve(&model.skeleton, &model.start, &model.tasks, method, &settings);
        let solution = solution.unwrap();
        let pose = |q: &[f64]| model.skeleton.poses(q)[hips];
        let (is, was) = (pose(&solution.configuration), pose(&model.start));
        (is.translation.distance(was.translation), is.rotation != was.rotation)
    };
    assert_eq!(moved("free", "pinned", 500), (0.0, false), "held back, not carried along");
    assert!(moved("free", "free", 500).0 > 1.0, "free to go");
    assert!(moved("free", "pre-pulled", 0).0 > 1.0, "carried along before the first iteration");
    assert_eq!(moved("pinned", "pinned", 500), (0.0, false), "in place, and not turned either");
    assert_eq!(moved("pinned", "free", 500), (0.0, true), "in place, but it turns");
    assert_eq!(moved("pinned", "pre-pulled", 0), (0.0, false), "what does not float stays");
}

#[test]
fn cut_texts_are_refused_and_never_panic() {
    let text = everything();
    for (end, _) in text.char_indices() {
        assert!(FigureProblem::from_json(&text[..end]).is_err());
    }
}

#[test]
fn changed_texts_never_panic() {
    let text = everything();
    for (at, _) in text.char_indices().step_by(3) {
        for with in ["0", "\"", "[]", "{}", "-1", "null", "1e100", "base"] {
            let changed = format!("{}{with}{}", &text[..at], &text[at + 1..]);
            if let Ok(problem) = FigureProblem::from_json(&changed) {
                let written = problem.to_json().unwrap();
                assert_eq!(FigureProblem::from_json(&written).unwrap(), problem);
            }
        }
    }
}

#[test]
fn schemas_are_told_apart() {
    let schema = |text: &str| schema_of(text, &Limits::default()).unwrap();
    assert_eq!(schema(&everything()).as_deref(), Some("posekit.figure/1"));
    assert_eq!(schema("{}"), None);
    assert_eq!(schema("[1]"), None);
    assert_eq!(schema(r#"{ "schema": 3 }"#), None);
    assert!(schema_of("{", &Limits::default()).is_err());
}
