//! Figures through the command: what they report, what they refuse, and which files they may open.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use posekit::solve::HoldKind;
use posekit_io::{Outcome, SolutionFile};

const CART: &str = r#"<robot name="r"> <link name="rail"/> <link name="cart"/>
  <joint name="slide" type="prismatic"> <parent link="rail"/> <child link="cart"/> <axis xyz="1 0 0"/>
  <limit lower="-1" upper="1" effort="1" velocity="1"/> </joint> </robot>"#;

fn figure(urdf: &str, joint: &str) -> String {
    format!(
        "{{ \"schema\": \"posekit.figure/1\", \"urdf\": \"{urdf}\",\n  \"tasks\": [ {{ \"task\": \"position\", \"frame\": \"{joint}\", \"target\": [0.5, 0, 0] }} ] }}"
    )
}

fn solve(arguments: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_posekit")).arg("solve").args(arguments).output().unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A fresh folder with a robot in it, and one beside it.
fn place(name: &str) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("figures").join(name);
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(place.join("inner/robots")).unwrap();
    fs::write(place.join("inner/robots/cart.urdf"), CART).unwrap();
    fs::write(place.join("outside.urdf"), CART).unwrap();
    place
}

#[test]
fn a_robot_below_the_figure_is_found_from_anywhere() {
    let place = place("below");
    let file = place.join("inner/figure.json");
    fs::write(&file, figure("robots/cart.urdf", "slide")).unwrap();
    for file in [file.as_path(), &fs::canonicalize(&file).unwrap()] {
        let output = solve(&[file]);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    }
    let mut here = Command::new(env!("CARGO_BIN_EXE_posekit"));
    let output = here.current_dir(place.join("inner")).args(["solve", "figure.json"]).output();
    assert_eq!(output.unwrap().status.code(), Some(0));
    let mut piped = Command::new(env!("CARGO_BIN_EXE_posekit"));
    let piped = piped.current_dir(place.join("inner")).args(["solve", "-"]);
    let output = piped.stdin(Stdio::from(fs::File::open(&file).unwrap())).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
}

#[test]
fn u10_no_path_of_a_file_leaves_its_folder() {
    let place = place("leaves");
    let file = place.join("inner/figure.json");
    let absolute = fs::canonicalize(place.join("outside.urdf")).unwrap();
    for path in ["../outside.urdf", absolute.to_str().unwrap()] {
        fs::write(&file, figure(path, "slide")).unwrap();
        let output = solve(&[&file]);
        assert_eq!(output.status.code(), Some(3), "{path}");
        assert!(errors(&output).contains("urdf, line 1, column 41: "), "{}", errors(&output));
        assert!(errors(&output).contains("is outside of the folder"), "{}", errors(&output));
    }
    // On the command line a person says what may be opened.
    fs::write(&file, figure("nothing.urdf", "slide")).unwrap();
    let output = solve(&[&file, Path::new("--skeleton"), &place.join("outside.urdf")]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_folder_is_not_followed() {
    let place = place("link");
    let file = place.join("inner/figure.json");
    std::os::unix::fs::symlink("../outside.urdf", place.join("inner/link.urdf")).unwrap();
    fs::write(&file, figure("link.urdf", "slide")).unwrap();
    let output = solve(&[&file]);
    assert_eq!(output.status.code(), Some(3));
    assert!(errors(&output).contains("leads out of the folder"), "{}", errors(&output));
}

#[test]
fn faults_name_the_file_they_are_in() {
    let place = place("faults");
    let file = place.join("inner/figure.json");
    for (text, robot, parts) in [
        (
            figure("robots/cart.urdf", "lift"),
            CART,
            ["tasks[0].frame, line 2, column 45: there is no joint `lift`", "figure.json"],
        ),
        (
            figure("robots/cart.urdf", "slide"),
            "<robot name=\"r\"/>",
            ["the robot has no links", "cart.urdf"],
        ),
        (figure("robots/none.urdf", "slide"), CART, ["cannot read the file", "none.urdf"]),
        (
            figure("robots/cart.urdf", "slide").replace("urdf\":", "gltf\":"),
            CART,
            ["line 1, column 1", "cart.urdf"],
        ),
    ] {
        fs::write(&file, text).unwrap();
        fs::write(place.join("inner/robots/cart.urdf"), robot).unwrap();
        let output = solve(&[&file]);
        assert_eq!(output.status.code(), Some(3));
        let (errors, [part, named]) = (errors(&output), parts);
        assert!(errors.contains(part) && errors.trim_end().ends_with(named), "{errors}");
    }
}

#[test]
fn the_file_for_programs_agrees_with_itself() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/figures");
    for (name, n_tasks) in
        [("humanoid", 6), ("four-bar", 2), ("leg", 2), ("cart", 2), ("puppet", 5)]
    {
        let file = folder.join(format!("{name}.json"));
        let json = ["--format", "json", "--trace"].map(Path::new);
        let output = solve(&[&file, json[0], json[1], json[2]]);
        let found = SolutionFile::from_json(&String::from_utf8(output.stdout).unwrap()).unwrap();
        let misses = found.misses.as_ref().unwrap();
        assert_eq!(misses.len(), n_tasks, "{name}");
        let is_first = |level: u8| level == 1;
        let first = misses.iter().filter(|miss| is_first(miss.level));
        let all_met = first.clone().all(|miss| miss.is_met);
        assert_eq!(all_met, found.outcome == Outcome::Reached, "{name}");
        let largest = first.filter_map(|miss| miss.distance).fold(0.0, f64::max);
        assert_eq!(largest, found.error, "{name}");
        let holds = found.holds.as_ref().unwrap();
        match &found.outcome {
            Outcome::Blocked { joints } => {
                let named: Vec<&String> = holds.iter().map(|hold| &hold.joint).collect();
                assert_eq!(named, joints.iter().collect::<Vec<_>>(), "{name}");
                assert!(holds.iter().all(|hold| hold.relief > 0.0), "{name}");
            }
            _ => assert!(holds.is_empty(), "{name}"),
        }
        let choice = found.choice.as_ref().unwrap();
        assert_eq!(choice.method, found.solver, "{name}");
        let trace = found.trace.as_ref().unwrap();
        assert!(trace.iter().all(|entry| entry.points.len() == found.points.len()), "{name}");
    }
}

/// Solves a figure of two bones in the plane, whose settings and tasks are given.
fn two_bones(name: &str, rest: &str, options: &[&str]) -> Output {
    let file = place(name).join("figure.json");
    let text = format!(
        r#"{{ "schema": "posekit.figure/1",
             "joints": [ {{ "name": "a", "parent": null, "kind": "revolute", "axis": [0, 0, 1], "limit": [-2.5, 2.5] }},
                         {{ "name": "b", "parent": "a", "kind": "revolute", "axis": [0, 0, 1], "position": [1, 0, 0] }},
                         {{ "name": "tip", "parent": "b", "kind": "fixed", "position": [1, 0, 0] }} ],
             "start": {{ "a": 0.2, "b": 0.3 }}, {rest} }}"#
    );
    fs::write(&file, text).unwrap();
    let options: Vec<&Path> = options.iter().map(Path::new).collect();
    solve(&[&[file.as_path()], options.as_slice()].concat())
}

fn words(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", errors(output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const UP: &str = r#""tasks": [ { "task": "position", "frame": "tip", "target": [0, 1.6, 0] } ]"#;

#[test]
fn a_largest_change_is_not_called_a_limit() {
    let slow = format!(r#"{UP}, "settings": {{ "largest_change": {{ "a": 0.1, "b": 0.2 }} }}"#);
    let text = words(&two_bones("slow", &slow, &[]));
    let first = "■ held back by a (largest change 5.73°) and b (largest change 11.5°)";
    assert!(text.starts_with(first), "{text}");
    assert!(text.contains("■ held back by b (largest change 11.5°): "), "{text}");
    let json = words(&two_bones("slow-json", &slow, &["--format", "json"]));
    let kinds: Vec<HoldKind> = {
        let holds = SolutionFile::from_json(&json).unwrap().holds.unwrap();
        holds.iter().map(|hold| hold.kind).collect()
    };
    assert_eq!(kinds, [HoldKind::LargestChange; 2]);
}

#[test]
fn nothing_to_do_is_said_so() {
    let text = words(&two_bones("nothing", r#""tasks": []"#, &["--explain"]));
    assert!(text.contains("auto (least-squares): no tasks"), "{text}");
    assert!(text.contains("tolerance   none, no tasks"), "{text}");
    assert!(!text.contains("e-30"), "no number that means nothing: {text}");
}

#[test]
fn every_point_of_a_solution_has_its_joint() {
    let json = words(&two_bones("points", UP, &["--format", "json"]));
    let file = SolutionFile::from_json(&json).unwrap();
    assert_eq!(file.point_names.unwrap(), ["a", "b", "tip"]);
    assert_eq!((file.points.len(), file.configuration.unwrap().len()), (3, 2));
}

/// What the command line says counts, also against the file.
#[test]
fn restarts_and_least_change_are_options() {
    let redundant = r#""tasks": [ { "task": "plane", "frame": "tip", "point": [0, 0.5, 0], "normal": [0, 1, 0] } ]"#;
    let file = |settings: &str| format!(r#"{redundant}, "settings": {{ {settings} }}"#);
    let q = |name: &str, settings: &str, options: &[&str]| {
        let options = [&["--format", "json"], options].concat();
        let json = words(&two_bones(name, &file(settings), &options));
        let values = SolutionFile::from_json(&json).unwrap().configuration.unwrap();
        values.into_iter().map(|named| named.values[0]).collect::<Vec<f64>>()
    };
    let least = q("least", "", &[]);
    let first = q("first", r#""least_change": false"#, &[]);
    let change = |q: &[f64]| (q[0] - 0.2) * (q[0] - 0.2) + (q[1] - 0.3) * (q[1] - 0.3);
    assert!(change(&first) > change(&least) + 1e-9, "{first:?} and {least:?}");
    assert_eq!(q("asked", "", &["--no-least-change"]), first);
    // A target that no start reaches: without restarts little is tried.
    let far = r#""tasks": [ { "task": "position", "frame": "tip", "target": [0, 1, 0.5] } ]"#;
    let tried = |name: &str, settings: &str, options: &[&str]| {
        let options = [&["--format", "json"], options].concat();
        let text = format!(r#"{far}, "settings": {{ {settings} }}"#);
        SolutionFile::from_json(&words(&two_bones(name, &text, &options))).unwrap().iterations
    };
    let (all, none) = (tried("all", "", &[]), tried("none", r#""restarts": 0"#, &[]));
    assert!(none < all / 4, "{none} of {all}");
    assert_eq!(tried("none-asked", "", &["--restarts", "0"]), none);
    assert_eq!(tried("all-asked", r#""restarts": 0"#, &["--restarts", "100"]), all);
    for option in [&["--restarts", "3"][..], &["--no-least-change"]] {
        let output = two_bones("unsuited", UP, &[option, &["--solver", "ccd"]].concat());
        assert_eq!(output.status.code(), Some(2), "{option:?}");
        let reported = errors(&output);
        assert!(
            reported.contains(option[0]) && reported.contains("--solver least-squares"),
            "{reported}"
        );
    }
}

#[test]
fn obstacles_are_drawn() {
    let place = place("drawn");
    let (file, picture) = (place.join("figure.json"), place.join("figure.svg"));
    let draw = |tasks: &str| {
        let text = format!(
            r#"{{ "schema": "posekit.figure/1", "joints": [ {{ "name": "arm", "parent": null, "kind": "ball" }},
                 {{ "name": "hand", "parent": "arm", "kind": "fixed", "position": [1, 0, 0] }} ], "tasks": [ {tasks} ] }}"#
        );
        fs::write(&file, text).unwrap();
        let mut draw = Command::new(env!("CARGO_BIN_EXE_posekit"));
        let output = draw.args(["draw", "--force", "-o"]).args([&picture, &file]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        let text = fs::read_to_string(&picture).unwrap();
        ["rod-edge", "plate"].map(|class| text.matches(&format!("class=\"{class}\"")).count())
    };
    let reach = r#"{ "task": "position", "frame": "hand", "target": [0, 1, 0] }"#;
    let clear = |at: &str| {
        format!(
            r#", {{ "task": "clearance", "capsules": [ {{ "joint": "arm", "ends": [[0, 0, 0], [1, 0, 0]], "radius": 0.1 }},
                 {{ "ends": [{at}], "radius": 0.2 }} ] }}"#
        )
    };
    assert_eq!(draw(reach), [0, 0], "nothing to keep out of");
    let both = format!("{reach}{}{}", clear("[0.7, 0.7, 0]"), clear("[0.7, 0.7, 2], [0, 0, 2]"));
    assert_eq!(draw(&both), [2, 1], "two obstacles, and the arm once");
}
