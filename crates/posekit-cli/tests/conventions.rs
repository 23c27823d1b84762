//! What all commands share: `-`, `--force`, exit codes, permissions, several inputs, quiet and verbose reports, and what wrong files are called.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

mod motion_support;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use motion_support::{captures, errors, json, place, posekit, run, text, walk};

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name)
}

fn with_input(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = posekit()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that refuses its input does not read all of it.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

#[test]
fn a_dash_is_standard_input_and_standard_output_of_every_command() {
    let place = place("dashes");
    let chain = fs::read(testdata("cases/plane-two-bone.json")).unwrap();
    let arm = fs::read(testdata("arm6.urdf")).unwrap();
    let motion = fs::read(walk()).unwrap();
    let path = |name: &str| testdata(name).to_str().unwrap().to_owned();
    let (poses, line) = (path("targets/poses.csv"), path("targets/line.csv"));
    let tip = ["--tip", "tool0"];
    let solve = [&["solve", "-", "--targets", &poses, "--format", "csv", "-o", "-"][..], &tip];
    let track = [
        &["track", "-", "--path", &line, "--start", "0.4,-1.3,-1.5,-1.4,1.3,0", "-o", "-"][..],
        &tip,
    ];
    let map = [&["map", "-", "--voxel", "0.4", "--orientations", "4", "-o", "-"][..], &tip];
    for (arguments, input, begins, report) in [
        (vec!["draw", "-", "-o", "-"], &chain, "<svg", "✓ reached"),
        (solve.concat(), &arm, "target,status", "3 of 4 targets reached"),
        (track.concat(), &arm, "time,path_time", "followed to the end"),
        (map.concat(), &arm, "x,y,z", "voxels reached"),
        (
            vec!["check", "-", "--report", "-"],
            &motion,
            "<!DOCTYPE html>",
            "Every plant and measure",
        ),
        (vec!["clean", "-", "-o", "-"], &motion, "HIERARCHY", "17 of 17 plants hold now"),
        (vec!["convert", "-", "-o", "-", "--to", "bvh"], &motion, "HIERARCHY", "BVH, 27 joints"),
    ] {
        let ended = with_input(&arguments, input);
        let (out, err) = (text(&ended), errors(&ended));
        let expected = i32::from(arguments[0] == "check");
        assert_eq!(code(&ended), expected, "{arguments:?}: {err}");
        assert!(out.starts_with(begins), "{arguments:?}: {out}");
        assert!(err.contains(report) && !out.contains(report), "{arguments:?}: {err}");
    }
    let glb = with_input(&["convert", "-", "-o", "-", "--to", "glb"], &motion);
    assert!(glb.stdout.starts_with(b"glTF"), "a binary output is written as it is");
    for (arguments, part) in [
        (vec!["clean", "-", "-o", "-", "--report", "-"], "only one of the output and --report"),
        (vec!["solve", "-", "--tip", "t", "--targets", "-"], "can be standard input"),
    ] {
        let ended = with_input(&arguments, b"");
        assert_eq!(code(&ended), 2, "{arguments:?}");
        assert!(errors(&ended).contains(part), "{}", errors(&ended));
    }
    // For one that is named so.
    fs::write(place.join("-"), &chain).unwrap();
    let named = posekit().args(["solve", "./-"]).current_dir(&place).output().unwrap();
    assert_eq!(code(&named), 0, "{}", errors(&named));
}

#[test]
fn only_force_replaces_a_file_and_nothing_replaces_a_problem() {
    let place = place("force");
    let copy = |name: &str, from: &str| {
        fs::copy(testdata(from), place.join(name)).unwrap();
    };
    copy("chain.json", "cases/plane-two-bone.json");
    copy("arm.urdf", "arm6.urdf");
    copy("poses.csv", "targets/poses.csv");
    copy("line.csv", "targets/line.csv");
    copy("walk.bvh", "clips/walk.bvh");
    let run = |words: &str| {
        posekit().args(words.split_whitespace()).current_dir(&place).output().unwrap()
    };
    fs::write(place.join("there.svg"), "precious").unwrap();
    for name in ["there.csv", "there.bvh", "there.html", "there.json"] {
        fs::write(place.join(name), "precious").unwrap();
    }
    let tip = "--tip tool0";
    for command in [
        "draw chain.json -o there.svg".to_owned(),
        "demo -o there.html".to_owned(),
        format!("solve arm.urdf {tip} --targets poses.csv -o there.csv"),
        format!("track arm.urdf {tip} --path line.csv -o there.csv"),
        format!("map arm.urdf {tip} --voxel 0.5 --orientations 2 -o there.csv"),
        "check walk.bvh --report there.html".to_owned(),
        "clean walk.bvh -o there.bvh".to_owned(),
        "clean walk.bvh -o new.bvh --picture there.svg".to_owned(),
        "clean walk.bvh -o new.bvh --save-contacts there.json".to_owned(),
        "convert walk.bvh -o there.bvh".to_owned(),
    ] {
        let ended = run(&command);
        assert_eq!(code(&ended), 2, "{command}: {}", errors(&ended));
        assert!(errors(&ended).contains("already exists; give --force"), "{}", errors(&ended));
        assert!(!place.join("new.bvh").exists(), "{command}: nothing is written");
    }
    for name in ["there.svg", "there.csv", "there.bvh", "there.html", "there.json"] {
        assert_eq!(fs::read(place.join(name)).unwrap(), b"precious", "{name}");
    }
    assert_eq!(code(&run("draw chain.json -o there.svg --force")), 0);
    assert!(fs::read(place.join("there.svg")).unwrap().starts_with(b"<svg"));
    for command in [
        "draw chain.json -o ./chain.json --force".to_owned(),
        format!("solve arm.urdf {tip} --targets poses.csv -o poses.csv --force"),
        format!("track arm.urdf {tip} --path line.csv -o arm.urdf --force"),
        "check walk.bvh --report walk.bvh --force".to_owned(),
        "clean walk.bvh -o new.bvh --report new.bvh".to_owned(),
    ] {
        let ended = run(&command);
        assert_eq!(code(&ended), 2, "{command}: {}", errors(&ended));
        assert!(errors(&ended).contains("are the same file"), "{}", errors(&ended));
    }
    // A motion may be edited in place.
    assert!(errors(&run("clean walk.bvh -o walk.bvh")).contains("is the input; give --force"));
    assert_eq!(code(&run("clean walk.bvh -o walk.bvh --force")), 0);
    assert!(text(&run("clean walk.bvh -o again.bvh")).contains("Already clean"));
}

#[cfg(unix)]
#[test]
fn permissions_are_kept_and_unfinished_files_of_killed_processes_are_removed() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::time::{Duration, SystemTime};
    let place = place("permissions");
    let draw = |output: &str| {
        let output = posekit()
            .args(["draw", "--force", "-o", output])
            .arg(testdata("cases/plane-two-bone.json"))
            .current_dir(&place)
            .output()
            .unwrap();
        assert_eq!(code(&output), 0, "{}", errors(&output));
    };
    let mode = |name: &str| fs::metadata(place.join(name)).unwrap().permissions().mode() & 0o777;
    for kept in [0o640, 0o604, 0o666] {
        fs::write(place.join("a.svg"), "before").unwrap();
        fs::set_permissions(place.join("a.svg"), fs::Permissions::from_mode(kept)).unwrap();
        draw("a.svg");
        assert_eq!(mode("a.svg"), kept);
    }
    draw("new.svg");
    fs::write(place.join("usual"), "").unwrap();
    assert_eq!(mode("new.svg"), mode("usual"), "a new file is as any other");
    let [old, young, other] = [".posekit-1-abc.tmp", ".posekit-2-abc.tmp", ".posekit-notes.tmp"]
        .map(|name| place.join(name));
    let hours_ago = |hours: u64| SystemTime::now() - Duration::from_secs(3600 * hours);
    for (path, hours) in [(&old, 25), (&young, 23), (&other, 25)] {
        fs::write(path, "half").unwrap();
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(hours_ago(hours)).unwrap();
    }
    draw("new.svg");
    assert!(!old.exists() && young.exists(), "one that may still be written is left alone");
    assert!(other.exists(), "a file of another program is left alone");
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_cannot_be_written_ends_with_5() {
    let place = place("full");
    let chain = testdata("cases/plane-two-bone.json");
    let chain = chain.to_str().unwrap();
    for output in ["/dev/full", "none/a.svg", "/proc/a.svg"] {
        let ended = run(&["draw", chain, "--force", "-o", output], &[]);
        assert_eq!(code(&ended), 5, "{output}: {}", errors(&ended));
    }
    let full = || fs::File::options().write(true).open("/dev/full").unwrap();
    for arguments in [
        vec!["solve", chain],
        vec!["draw", chain, "-o", "-"],
        vec!["solve", chain, "--format", "json"],
    ] {
        let ended = posekit().args(&arguments).stdout(full()).output().unwrap();
        assert_eq!(code(&ended), 5, "{arguments:?}: {}", errors(&ended));
    }
    let output = place.join("missing/out.bvh");
    assert_eq!(code(&run(&["clean", "-o"], &[&output, &walk()])), 5);
}

#[test]
fn several_inputs_are_processed_as_a_folder_is() {
    let place = place("several");
    let folder = captures(&place);
    let path = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let output = place.join("out").to_str().unwrap().to_owned();
    let (a, c, bad, none) = (path("a.bvh"), path("more/c.bvh"), path("bad.bvh"), path("none.bvh"));
    for more in [&["--timeout", "60"][..], &[]] {
        let _ = fs::remove_dir_all(&output);
        let ended =
            run(&[&["clean", &a, &c, &bad, &none, "-o", &output, "--json"], more].concat(), &[]);
        assert_eq!(code(&ended), 4, "{}", errors(&ended));
        let files = json(&text(&ended))["files"].as_array().unwrap().clone();
        let names: Vec<&str> = files.iter().map(|file| file["file"].as_str().unwrap()).collect();
        assert_eq!(names, [&a, &c, &bad, &none]);
        assert_eq!(files.iter().filter(|file| file["error"].is_string()).count(), 2);
        assert!(
            Path::new(&output).join("a.bvh").is_file()
                && Path::new(&output).join("c.bvh").is_file()
        );
    }
    // Two inputs for one output: the second is refused before any process starts.
    for more in [&["--timeout", "60"][..], &[]] {
        let d2 = place.join(format!("d{}", more.len())).to_str().unwrap().to_owned() + "/";
        let ended = run(&[&["convert", &a, &a, "--to", "glb", "-o", &d2], more].concat(), &[]);
        assert_eq!(code(&ended), 4, "{}", errors(&ended));
        assert!(text(&ended).contains("its output would be that of"), "{}", text(&ended));
    }
    // Commands without an output, reports on standard output, and what follows `--`, in processes too; folders are made as deep as they are named.
    let deep = place.join("new/deep").to_str().unwrap().to_owned();
    for arguments in [
        &["info", &a, &c][..],
        &["check", &a, &c],
        &["check", "--json", "--", &a, &c],
        &["clean", &a, &c, "-o", &deep],
        &["clean", &a, &c, "-o", &deep, "--force", "--report", "-"],
    ] {
        let options = [&arguments[..1], &["--timeout", "60"], &arguments[1..]].concat();
        let ended = run(&options, &[]);
        assert!([0, 1].contains(&code(&ended)), "{options:?}: {}", errors(&ended));
        let said = text(&ended) + &errors(&ended);
        assert!(!said.contains("crashed"), "{options:?}: {said}");
    }
    let single = run(&["clean", &a, &c, "-o", &a, "--force"], &[]);
    assert!(
        code(&single) == 2 && errors(&single).contains("must be a folder"),
        "{}",
        errors(&single)
    );
    let dash = run(&["clean", &a, &c, "-o", "-"], &[]);
    assert!(code(&dash) == 2 && errors(&dash).contains("must be a folder"), "{}", errors(&dash));
    let robots = [testdata("arm6.urdf"), PathBuf::from(&a), testdata("arm6.urdf")];
    let robots: Vec<&Path> = robots.iter().map(PathBuf::as_path).collect();
    let ended = run(&["info", "--json"], &robots);
    assert_eq!(code(&ended), 4, "{}", errors(&ended));
    let all = json(&text(&ended));
    assert_eq!(all["robots"].as_array().unwrap().len(), 2);
    assert!(all["errors"][0].as_str().unwrap().contains("it is a BVH"), "{all}");
    let ended = with_input(&["info", "-"], &fs::read(testdata("arm6.urdf")).unwrap());
    assert!(text(&ended).contains("posekit solve - --tip tool0 --position"), "{}", text(&ended));
}

#[test]
fn reports_are_short_long_or_not_there() {
    let walk = walk();
    let check = |more: &[&str]| run(&[&["check"], more].concat(), &[&walk]);
    let (short, long, none) = (check(&[]), check(&["-v"]), check(&["-q"]));
    assert!(text(&short).contains("17 plants slide by") && !text(&short).contains("left heel"));
    assert!(text(&long).contains("left heel") && text(&long).contains("knee pop"));
    assert_eq!((text(&none), errors(&none), code(&none)), (String::new(), String::new(), 1));
    assert!(!text(&check(&["-q", "--json"])).is_empty(), "data is no report");
    assert_eq!(code(&check(&["--max-slide", "100"])), 0);
    assert_eq!(code(&check(&["--bound", "100"])), 0, "the name it had before");
    let chain = testdata("cases/plane-two-bone.json");
    assert_eq!(text(&run(&["solve", "-q", "--method", "ccd"], &[&chain])), "");
}

#[test]
fn numbers_in_json_are_shortest() {
    let text = text(&run(&["check", "--json"], &[&walk()]));
    let mut lines = text.lines().map(|line| line.trim_end_matches(','));
    assert!(lines.clone().any(|line| line.ends_with("\"start\": 0")), "{text}");
    assert!(lines.all(|line| !line.ends_with(".0")), "{text}");
}

#[test]
fn wrong_files_are_called_what_they_are() {
    let place = place("kinds");
    let write = |name: &str, bytes: &[u8]| {
        fs::write(place.join(name), bytes).unwrap();
        place.join(name)
    };
    let gzip = write("walk.bvh.gz", b"\x1F\x8B\x08\0\0\0\0\0");
    let glb = {
        let whole = place.join("walk.glb");
        assert_eq!(code(&run(&["convert", "-o"], &[&whole, &walk()])), 0);
        let bytes = fs::read(whole).unwrap();
        write("cut.glb", &bytes[..bytes.len() / 2])
    };
    let cut_bvh = {
        let bytes = fs::read(walk()).unwrap();
        write("cut.bvh", &bytes[..bytes.len() / 2])
    };
    let cut_arm = {
        let bytes = fs::read(testdata("arm6.urdf")).unwrap();
        write("cut.urdf", &bytes[..bytes.len() / 2])
    };
    let cut_chain = write("cut.json", b"{ \"schema\": \"posekit.chain/1\", \"dimension\": 2,");
    let (arm, chain) = (testdata("arm6.urdf"), testdata("cases/plane-two-bone.json"));
    let solve = ["solve", "--tip", "tool0", "--position", "0", "0", "0"];
    for (arguments, file, part) in [
        (&["info"][..], &gzip, "compressed with gzip; decompress it first"),
        (&["solve"], &gzip, "compressed with gzip; decompress it first"),
        (&["check"], &arm, "it is a URDF; motions are read from"),
        (&["check"], &chain, "it is a chain problem; motions are read from"),
        (&["solve"], &walk(), "it is a BVH; `posekit solve` and `draw` read"),
        (&["bench", "--tip", "x"], &walk(), "it is a BVH; a robot is read from"),
        (&["check"], &glb, "cut"),
        (&["check"], &cut_bvh, "cut here, and the complete rows can be read with --lenient"),
        (&solve, &cut_arm, "ends"),
        (&["solve"], &cut_chain, "EOF"),
    ] {
        let ended = run(arguments, &[file]);
        assert_eq!(code(&ended), 3, "{arguments:?} {}: {}", file.display(), errors(&ended));
        assert!(errors(&ended).contains(part), "{}: {}", file.display(), errors(&ended));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn sources_without_an_end_are_not_read_to_it() {
    let zero = Path::new("/dev/zero");
    for arguments in [
        &["info"][..],
        &["check"],
        &["solve"],
        &["bench", "--tip", "a"],
        &["pin", "--contacts", "/dev/zero", "-o", "/dev/null"],
    ] {
        let file = if arguments[0] == "pin" { walk() } else { zero.to_owned() };
        let ended = run(arguments, &[&file]);
        assert_eq!(code(&ended), 3, "{arguments:?}: {}", errors(&ended));
    }
    let arm = testdata("arm6.urdf");
    let ended = run(&["solve", "--tip", "tool0", "--targets", "/dev/zero"], &[&arm]);
    assert_eq!(code(&ended), 3, "{}", errors(&ended));
}

#[test]
fn a_written_bvh_has_the_unit_that_was_asked_for() {
    let place = place("units");
    let [metres, glb, inches] =
        ["metres.bvh", "walk.glb", "inches.bvh"].map(|name| place.join(name));
    assert_eq!(code(&run(&["convert", "--to-unit", "1", "-o"], &[&metres, &walk()])), 0);
    assert_eq!(code(&run(&["convert", "-o"], &[&glb, &walk()])), 0);
    assert_eq!(code(&run(&["convert", "--to-unit", "0.0254", "-o"], &[&inches, &glb])), 0);
    let hips = |file: &Path| {
        let text = fs::read_to_string(file).unwrap();
        let row = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap().to_owned();
        row.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap()
    };
    let first = hips(&walk());
    assert!((hips(&metres) * 100.0 - first).abs() < 1e-3, "{} and {first}", hips(&metres));
    assert!((hips(&inches) * 2.54 - first).abs() < 1e-2, "{} and {first}", hips(&inches));
    let info = |file: &Path| json(&text(&run(&["info", "--json"], &[file])));
    assert_eq!(info(&metres)["files"][0]["clips"][0]["metres_per_unit"], 1);
    let refused = run(&["convert", "--to-unit", "1", "--force", "-o"], &[&glb, &walk()]);
    assert!(code(&refused) == 2 && errors(&refused).contains("BVH only"), "{}", errors(&refused));
}

#[test]
fn a_gltf_whose_extras_have_many_elements_opens() {
    let place = place("extras");
    let glb = place.join("walk.glb");
    assert_eq!(code(&run(&["convert", "-o"], &[&glb, &walk()])), 0);
    let bytes = fs::read(&glb).unwrap();
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let mut text = String::from_utf8(bytes[20..20 + length].to_vec()).unwrap();
    let end = text.rfind('}').unwrap();
    text.replace_range(end.., &format!(",\"extras\":[{}0]}}", "0,".repeat(70_000)));
    while !text.len().is_multiple_of(4) {
        text.push(' ');
    }
    let size = |n: usize| u32::try_from(n).unwrap().to_le_bytes();
    let rest = &bytes[20 + length..];
    let head =
        [&b"glTF"[..], &size(2), &size(20 + text.len() + rest.len()), &size(text.len()), b"JSON"];
    let large = place.join("extras.glb");
    fs::write(&large, [&head.concat()[..], text.as_bytes(), rest].concat()).unwrap();
    let ended = run(&["check", "--max-slide", "100"], &[&large]);
    assert_eq!(code(&ended), 0, "{}", errors(&ended));
    let cleaned = place.join("clean.glb");
    assert_eq!(code(&run(&["clean", "-o"], &[&cleaned, &large])), 0);
    assert!(fs::read(cleaned).unwrap().windows(9).any(|part| part == b"\"extras\":"));
}

#[test]
fn there_are_manual_pages() {
    let page = run(&["man"], &[]);
    assert!(
        text(&page).contains(".TH posekit 1") && text(&page).contains("clean"),
        "{}",
        text(&page)
    );
    let page = run(&["man", "clean"], &[]);
    assert!(text(&page).contains("max\\-stretch"), "{}", text(&page));
    assert_eq!(code(&run(&["man", "nothing"], &[])), 2);
}

#[test]
fn an_srdf_shows_groups_states_and_pairs_that_are_not_checked() {
    let place = place("srdf");
    let srdf = place.join("arm6.srdf");
    let description = r#"<robot name="arm6">
  <group name="arm"> <chain base_link="base" tip_link="tool0"/> </group>
  <group_state name="up" group="arm"> <joint name="elbow" value="0.5"/> </group_state>
  <disable_collisions link1="base" link2="upper_arm" reason="Never"/>
</robot>"#;
    fs::write(&srdf, description).unwrap();
    let info = |more: &[&str]| {
        run(
            &[&["info", "--srdf", srdf.to_str().unwrap()], more].concat(),
            &[&testdata("arm6.urdf")],
        )
    };
    let shown = text(&info(&[]));
    for part in ["arm    shoulder_pan, shoulder_lift", "up     arm    elbow 0.5", "base, upper_arm"]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let value = json(&text(&info(&["--json"])));
    assert_eq!(value["groups"][0]["joints"].as_array().unwrap().len(), 7, "{value}");
    assert_eq!(value["disabled_pairs"][0]["reason"], "Never");
    fs::write(&srdf, description.replace("tool0", "hand")).unwrap();
    let refused = info(&[]);
    assert!(code(&refused) == 3 && errors(&refused).contains("hand"), "{}", errors(&refused));
    let motion = run(&["info", "--srdf", srdf.to_str().unwrap()], &[&walk()]);
    assert_eq!(code(&motion), 2, "{}", errors(&motion));
}

#[test]
fn every_command_that_reports_has_json() {
    let place = place("json");
    let path = |name: &str| place.join(name).to_str().unwrap().to_owned();
    let (svg, csv, map, page) = (path("a.svg"), path("a.csv"), path("map.csv"), path("demo.html"));
    let (arm, line) = (testdata("arm6.urdf"), testdata("targets/line.csv"));
    let chain = testdata("cases/plane-two-bone.json");
    let (arm, line, chain) =
        (arm.to_str().unwrap(), line.to_str().unwrap(), chain.to_str().unwrap());
    let start = "0.4,-1.3,-1.5,-1.4,1.3,0";
    for (arguments, schema) in [
        (vec!["solve", chain], "posekit.solution/1"),
        (vec!["draw", chain, "-o", &svg], "posekit.solution/1"),
        (vec!["demo", "-o", &page], "posekit.demo/1"),
        (
            vec!["track", arm, "--tip", "tool0", "--path", line, "--start", start, "-o", &csv],
            "posekit.track-report/1",
        ),
        (
            vec!["map", arm, "--tip", "tool0", "--voxel", "0.5", "--orientations", "2", "-o", &map],
            "posekit.map-report/1",
        ),
        (vec!["bench", arm, "--tip", "tool0", "--targets", "5"], "posekit.bench/1"),
        (vec!["info", arm], "posekit.robot-info/1"),
    ] {
        let ended = run(&[&arguments[..], &["--json"]].concat(), &[]);
        assert_eq!(code(&ended), 0, "{arguments:?}: {}", errors(&ended));
        assert_eq!(json(&text(&ended))["schema"], schema, "{arguments:?}");
    }
}

#[test]
fn a_robot_that_cannot_be_read_is_reported_as_one() {
    let ended = run(&["info", "none.urdf", "--json"], &[]);
    assert_eq!(code(&ended), 3, "{}", errors(&ended));
    let report = json(&text(&ended));
    assert_eq!(report["schema"], "posekit.robot-info/1", "{report}");
    assert!(report["errors"][0].as_str().unwrap().contains("none.urdf"), "{report}");
    assert_eq!(errors(&ended).matches("error: ").count(), 1, "{}", errors(&ended));
}
