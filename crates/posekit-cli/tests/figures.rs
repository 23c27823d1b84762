//! Figures through the command: what they report, what they refuse, and which files they may open.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

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
        assert!(errors(&output).contains("leaves the folder"), "{}", errors(&output));
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
