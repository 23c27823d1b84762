//! Robot arms: many targets in order, whatever the threads; maps that are the same however they were made.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use posekit::math::{cos, sin};

fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name)
}

/// An empty folder of a test's own.
fn place(name: &str) -> PathBuf {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("arms").join(name);
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).unwrap();
    place
}

/// A command on the six-axis arm.
fn on_arm(command: &str) -> Command {
    let mut posekit = Command::new(env!("CARGO_BIN_EXE_posekit"));
    posekit.arg(command).arg(testdata("arm6.urdf")).args(["--tip", "tool0"]);
    posekit
}

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// Targets in a spiral, most of them within reach.
fn spiral(path: &Path, count: u32) {
    let row = |k: u32| {
        let t = f64::from(k);
        let (x, y, z) = (0.7 * sin(0.7 * t), 0.7 * cos(0.7 * t), 0.3 + 0.2 * sin(0.13 * t));
        format!("{x},{y},{z},{},0.2,{}\n", 0.3 * t, 0.1 * t)
    };
    let rows: String = (0..count).map(row).collect();
    fs::write(path, format!("x,y,z,roll,pitch,yaw\n{rows}")).unwrap();
}

#[test]
fn answers_do_not_depend_on_threads_nor_on_how_rows_arrive() {
    let place = place("threads");
    let targets = place.join("t.csv");
    spiral(&targets, 300);
    let with = |threads: &str| {
        run(on_arm("solve").arg("--targets").arg(&targets).args(["--threads", threads])).stdout
    };
    let one = with("1");
    assert_eq!(one.iter().filter(|byte| **byte == b'\n').count(), 300);
    assert!(with("2") == one && with("7") == one);
    // Through a pipe, a few rows at a time.
    let mut child = on_arm("solve")
        .args(["--targets", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut input, text) = (child.stdin.take().unwrap(), fs::read(&targets).unwrap());
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let writer = std::thread::spawn(move || {
        text.chunks(997).for_each(|part| input.write_all(part).unwrap())
    });
    let mut all = Vec::new();
    output.read_to_end(&mut all).unwrap();
    writer.join().unwrap();
    assert!(child.wait().unwrap().success() && all == one);
}

#[test]
fn a_row_has_the_answer_that_it_has_alone() {
    let place = place("alone");
    let rows: Vec<String> = (0..40)
        .map(|k| {
            let t = f64::from(k);
            let position = format!("[{},{},0.3]", 0.5 * sin(t), 0.5 * cos(t));
            match k % 5 {
                0 | 1 => format!("{{\"position\":{position}}}"),
                2 => "{\"position\":[1]}".to_owned(),
                _ => format!("{{\"position\":{position},\"orientation\":[0,0,0,1]}}"),
            }
        })
        .collect();
    let solve = |rows: &[String], options: &[&str]| {
        let path = place.join("t.jsonl");
        fs::write(&path, rows.join("\n")).unwrap();
        let output = on_arm("solve").arg("--targets").arg(path).args(options).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    // Without the numbers of rows and lines.
    let answer = |line: &str| line.split_once("\"status\"").unwrap().1.replace("line 1,", "");
    for options in [&["--threads", "3"][..], &["--threads", "3", "--all"]] {
        let together = solve(&rows, options);
        assert_eq!(together.lines().count(), rows.len());
        for (k, (line, row)) in together.lines().zip(&rows).enumerate() {
            let alone = solve(core::slice::from_ref(row), options);
            let line = line.replace(&format!("line {},", k + 1), "line 1,");
            assert_eq!(answer(&line), answer(alone.trim_end()), "row {k}");
        }
    }
}

#[test]
fn a_row_is_answered_before_the_next_one_comes() {
    let mut child = on_arm("solve")
        .args(["--targets", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for number in 1..=3 {
        input.write_all(b"{\"position\":[0.3,0.2,0.4]}\n").unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        assert!(
            line.starts_with(&format!("{{\"target\":{number},\"status\":\"reached\"")),
            "{line}"
        );
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_closed_pipe_is_no_fault() {
    let place = place("pipe");
    let targets = place.join("t.csv");
    spiral(&targets, 20_000);
    let mut child = on_arm("solve")
        .arg("--targets")
        .arg(&targets)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.starts_with("{\"target\":1,"));
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), [].as_slice()));
}

#[test]
fn the_three_forms_of_targets_and_of_answers_agree() {
    let place = place("forms");
    let solve = |targets: &str, output: &str| {
        let output = place.join(output);
        let mut command = on_arm("solve");
        command.arg("--targets").arg(testdata("targets").join(targets)).arg("-o").arg(&output);
        run(&mut command);
        fs::read(output).unwrap()
    };
    let [csv, parquet] =
        ["csv", "parquet"].map(|end| solve(&format!("poses.{end}"), &format!("{end}.csv")));
    assert_eq!(csv, parquet);
    assert!(solve("poses.csv", "a.parquet").starts_with(b"PAR1"));
    assert_eq!(solve("poses.csv", "b.parquet"), solve("poses.parquet", "c.parquet"));
    // A target of JSON lines is the first of the others.
    let first = |bytes: &[u8]| bytes.split(|byte| *byte == b'\n').nth(1).unwrap().to_vec();
    assert_eq!(first(&solve("poses.jsonl", "jsonl.csv")), first(&csv));
    assert_eq!(fs::read_dir(&place).unwrap().count(), 6, "nothing is left beside the outputs");
}

#[test]
fn damaged_parquet_is_an_error() {
    let place = place("damaged");
    let whole = fs::read(testdata("targets/poses.parquet")).unwrap();
    let file = place.join("t.parquet");
    for cut in [5, 40, whole.len() / 2, whole.len() - 3] {
        fs::write(&file, &whole[..cut]).unwrap();
        let output = on_arm("solve").arg("--targets").arg(&file).output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{cut}");
    }
    for at in (4..whole.len()).step_by(7) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        fs::write(&file, &bytes).unwrap();
        let output = on_arm("solve").arg("--targets").arg(&file).output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | 3 | 4)), "{at}: {:?}", output.status);
    }
}

/// A small map.
fn map(output: &Path) -> Command {
    let mut command = on_arm("map");
    command.args(["--voxel", "0.2", "--orientations", "12", "--force", "-o"]).arg(output);
    command
}

#[test]
fn shards_merge_to_the_bytes_of_one_run() {
    let place = place("shards");
    let whole = place.join("whole.parquet");
    let [svg, glb] = ["a.svg", "a.glb"].map(|name| place.join(name));
    run(map(&whole).args(["--threads", "1", "--picture"]).arg(&svg).arg("--cloud").arg(&glb));
    let shards = [1, 2, 3].map(|number| {
        let path = place.join(format!("{number}.parquet"));
        run(map(&path).args(["--shard", &format!("{number}/3"), "--threads", "2"]));
        path
    });
    let merged = place.join("merged.parquet");
    let [svg2, glb2] = ["b.svg", "b.glb"].map(|name| place.join(name));
    let mut merge = Command::new(env!("CARGO_BIN_EXE_posekit"));
    merge.args(["map", "--merge"]).args([&shards[2], &shards[0], &shards[1]]);
    run(merge.arg("-o").arg(&merged).arg("--picture").arg(&svg2).arg("--cloud").arg(&glb2));
    for (one, other) in [(&whole, &merged), (&svg, &svg2), (&glb, &glb2)] {
        assert!(fs::read(one).unwrap() == fs::read(other).unwrap(), "{}", other.display());
    }
    let text = fs::read_to_string(&svg).unwrap();
    assert!(text.starts_with("<svg") && text.contains("Share of the orientations reached"));
    assert!(fs::read(&glb).unwrap().starts_with(b"glTF"));
    assert!(!place.join("whole.parquet.parts").exists(), "finished parts go with the map");
    // A shard of another map is none of this one.
    run(map(&shards[1]).args(["--starts", "5", "--shard", "2/3"]));
    let mut merge = Command::new(env!("CARGO_BIN_EXE_posekit"));
    let output =
        merge.args(["map", "--force", "--merge"]).args(&shards).arg("-o").arg(&merged).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("not shards of one map"));
}

#[test]
fn a_run_that_was_killed_goes_on() {
    let place = place("killed");
    let [whole, other] = ["a.parquet", "b.parquet"].map(|name| place.join(name));
    run(&mut map(&whole));
    let parts = place.join("b.parquet.parts");
    let mut child = map(&other).args(["--threads", "1"]).spawn().unwrap();
    let begun = Instant::now();
    let n_done = || fs::read_dir(&parts).map_or(0, Iterator::count);
    while n_done() < 4 && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!other.exists() && n_done() >= 4, "it was killed on its way");
    // What is half written or damaged is done again.
    let damaged = parts.join("0.part");
    fs::write(&damaged, &fs::read(&damaged).unwrap()[..10]).unwrap();
    let refused = map(&other).output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "it is not begun again by itself");
    let refused = map(&other).args(["--resume", "--starts", "3"]).output().unwrap();
    assert_eq!(refused.status.code(), Some(2), "nor with other options");
    run(map(&other).arg("--resume"));
    assert!(fs::read(&whole).unwrap() == fs::read(&other).unwrap());
    assert!(!parts.exists());
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_no_half_file() {
    let place = place("interrupted");
    let [targets, output] = ["t.csv", "out.csv"].map(|name| place.join(name));
    spiral(&targets, 200_000);
    let mut child = on_arm("solve")
        .arg("--targets")
        .arg(&targets)
        .args(["--all", "--threads", "1", "-o"])
        .arg(&output)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Once the hidden file is there, it listens.
    let begun = Instant::now();
    while fs::read_dir(&place).unwrap().count() < 2 && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    std::thread::sleep(Duration::from_millis(300));
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(interrupt.unwrap().success());
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130), "{errors}");
    assert!(errors.contains("no file was written"), "{errors}");
    assert_eq!(fs::read_dir(&place).unwrap().count(), 1, "only the targets are there");
}

#[test]
fn bench_counts_what_is_verified() {
    let output = run(on_arm("bench").args(["--targets", "50", "--json"]));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["schema"], "posekit.bench/1");
    let methods = json["methods"].as_array().unwrap();
    assert_eq!(methods.len(), 4);
    for method in methods {
        assert_eq!(method["reached"], 50, "{method}");
        let [median, slowest] =
            ["median_us", "slowest_us"].map(|key| method[key].as_f64().unwrap());
        assert!(median > 0.0 && median <= slowest);
    }
}
