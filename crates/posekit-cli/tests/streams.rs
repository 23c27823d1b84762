//! Standard input, closed pipes, colours and files that are never half written.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn posekit() -> Command {
    Command::new(env!("CARGO_BIN_EXE_posekit"))
}

fn case(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/cases").join(name)
}

fn with_input(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = posekit()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn a_dash_reads_standard_input() {
    let file = case("plane-limits-knees.json");
    let from_file = posekit().arg("solve").arg(&file).output().unwrap();
    let from_input = with_input(&["solve", "-"], &fs::read(&file).unwrap());
    assert_eq!(from_input.stdout, from_file.stdout);
    assert_eq!(from_input.status.code(), Some(0));
}

#[test]
fn a_model_of_mujoco_includes_files_of_its_folder_but_not_from_standard_input() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/mjcf");
    let solve = ["solve", "--tip", "end", "--position", "0.1", "0", "0.4", "--require-reached"];
    let model = own.join("include/main.xml");
    let output = posekit().args(solve).arg(&model).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("hip"), "its joints are listed");
    let output = with_input(&[&solve[..], &["-"]].concat(), &fs::read(model).unwrap());
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{errors}");
    assert!(errors.contains("an <include>, line 3, column 3"), "{errors}");
}

#[test]
fn bad_input_is_named_and_ends_with_3() {
    let urdf = b"<robot name='r'><link name='a'/><link name='b'/></robot>";
    for (input, part) in [
        (b"".as_slice(), "standard input"),
        (b"\xff\xfe{\0", "UTF-16"),
        (b"{ \"schema\": \"posekit.chain/1\" }", "missing"),
        (
            b"{ \"schema\": \"posekit.figure/2\" }",
            "`posekit.figure/2`, expected `posekit.chain/1` or `posekit.figure/1`",
        ),
        (b"<robot", "line 1"),
        (urdf, "root"),
    ] {
        let output = with_input(&["solve", "-", "--tip", "a", "--position", "0", "0", "0"], input);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        // A chain problem has no tip; without the option its own fault shows.
        let output = if errors.contains("--tip is for robots") {
            with_input(&["solve", "-"], input)
        } else {
            output
        };
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(3), "{errors}");
        assert!(errors.starts_with("error: ") && errors.contains(part), "{errors}");
        assert!(output.stdout.is_empty(), "nothing but a solution on standard output");
    }
}

#[test]
fn a_closed_pipe_is_no_fault() {
    let mut child = posekit()
        .args(["solve", "--trace", "--format", "json"])
        .arg(case("space-hundred.json"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{errors}");
    assert_eq!(errors, "");
}

#[test]
fn no_colours_without_a_terminal() {
    let output = posekit().arg("solve").arg(case("plane-limits-blocked.json")).output().unwrap();
    assert!(!output.stdout.contains(&0x1b), "no escape sequences in a pipe");
}

#[test]
fn files_are_whole_or_as_they_were() {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("files");
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).unwrap();
    let file = place.join("a.svg");
    fs::write(&file, "before").unwrap();
    let draw = |problem: &Path| {
        posekit()
            .args(["draw", "--force", "-o"])
            .args([&file, problem])
            .output()
            .unwrap()
            .status
            .code()
    };
    assert_eq!(draw(&case("index.json")), Some(3), "no problem");
    assert_eq!(fs::read_to_string(&file).unwrap(), "before", "the file is as it was");
    assert_eq!(draw(&case("plane-two-bone.json")), Some(0));
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"), "a whole drawing");
    assert_eq!(fs::read_dir(&place).unwrap().count(), 1, "nothing is left beside it");
}

#[test]
fn every_shell_gets_a_script() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let output = posekit().args(["completions", shell]).output().unwrap();
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(script.contains("require-reached"), "{shell} completes the options of solve");
    }
}
