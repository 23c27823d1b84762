//! The rows D3, D6 and D7 of the table of hazards of many files, and what else befalls folders: odd entries, Ctrl-C, files that lie beside.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

mod motion_support;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use motion_support::{
    clean, content, errors, json, many, motions, place, posekit, run, text, walk,
};

/// The walk many times over: a file that takes as long as any.
fn long(path: &Path, times: usize) {
    let walk = fs::read_to_string(walk()).unwrap();
    let (head, rows) = walk.split_at(walk.find("Frames:").unwrap());
    let rows: Vec<&str> = rows.lines().collect();
    let n = (rows.len() - 2) * times;
    let mut all = format!("{head}Frames: {n}\n{}\n", rows[1]);
    for _ in 0..times {
        for row in &rows[2..] {
            let _ = writeln!(all, "{row}");
        }
    }
    fs::write(path, all).unwrap();
}

/// Starts cleaning a folder with processes of their own for all files.
fn start_apart(folder: &Path, output: &Path, seconds: &str) -> Child {
    posekit()
        .args(["clean", "--json", "--threads", "2", "--timeout", seconds, "-o"])
        .arg(output)
        .arg(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// What came of each file: its name, and why nothing did.
fn reported(report: &str) -> Vec<(String, Option<String>)> {
    let word = |value: &serde_json::Value| value.as_str().map(str::to_owned);
    let files = json(report)["files"].as_array().unwrap().clone();
    files.iter().map(|file| (word(&file["file"]).unwrap(), word(&file["error"]))).collect()
}

/// The process that works on a file, once there is one.
#[cfg(target_os = "linux")]
fn worker_on(file: &str, parent: u32) -> u32 {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(60) {
        let children = fs::read_to_string(format!("/proc/{parent}/task/{parent}/children"));
        let mut all: Vec<u32> = children
            .unwrap_or_default()
            .split_whitespace()
            .map(|process| process.parse().unwrap())
            .collect();
        // Those of other threads are listed with these.
        for task in fs::read_dir(format!("/proc/{parent}/task")).unwrap().flatten() {
            let children = fs::read_to_string(task.path().join("children")).unwrap_or_default();
            all.extend(children.split_whitespace().map(|process| process.parse::<u32>().unwrap()));
        }
        for process in all {
            let words = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
            if words.split(|&byte| byte == 0).any(|word| word == file.as_bytes()) {
                return process;
            }
        }
        sleep(Duration::from_millis(2));
    }
    panic!("no process works on {file}");
}

#[cfg(target_os = "linux")]
fn signal(name: &str, process: u32) {
    let sent = Command::new("kill").args([name, &process.to_string()]).status().unwrap();
    assert!(sent.success(), "{name} is not sent to {process}");
}

#[cfg(target_os = "linux")]
#[test]
fn d3_a_file_that_kills_its_worker_is_named_and_the_others_are_done() {
    let place = place("d3");
    let (folder, output) = (many(&place, 6), place.join("out"));
    long(&folder.join("poison.bvh"), 300);
    let child = start_apart(&folder, &output, "300");
    signal("-KILL", worker_on("poison.bvh", child.id()));
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(4));
    let files = reported(&text(&ended));
    assert_eq!(files.len(), 7);
    for (name, error) in &files {
        let is_poison = name == "poison.bvh";
        assert_eq!(error.is_some(), is_poison, "{name}: {error:?}");
        assert!(!is_poison || error.as_ref().unwrap().contains("its process crashed"), "{error:?}");
    }
    assert_eq!(motions(&output).len(), 6);
    assert!(content(&output).keys().all(|name| !name.to_string_lossy().contains(".posekit-")));
}

#[cfg(target_os = "linux")]
#[test]
fn d6_a_file_that_takes_too_long_is_given_up_and_told() {
    let place = place("d6");
    let (folder, output) = (many(&place, 4), place.join("out"));
    long(&folder.join("endless.bvh"), 300);
    let child = start_apart(&folder, &output, "8");
    // However fast the machine is, a process that is stopped does not end.
    signal("-STOP", worker_on("endless.bvh", child.id()));
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(4));
    let files = reported(&text(&ended));
    let late: Vec<_> = files.iter().filter(|(_, error)| error.is_some()).collect();
    assert!(late.len() == 1 && late[0].0 == "endless.bvh", "{late:?}");
    assert!(late[0].1.as_ref().unwrap().contains("abandoned after 8 s"), "{late:?}");
    // The same bytes as without processes of their own, and nothing that was begun.
    let alone = place.join("alone.bvh");
    assert!(clean(&walk(), &alone, &[]).status.success());
    let whole = fs::read(alone).unwrap();
    let outputs = motions(&output);
    assert!(outputs.len() == 4 && outputs.values().all(|bytes| *bytes == whole));
    assert!(content(&output).keys().all(|name| !name.to_string_lossy().contains(".posekit-")));
    let again = clean(&many_of(&folder, &place), &output, &["--timeout", "60"]);
    assert!(text(&again).contains("4 files: 0 done, 4 done before"), "{}", text(&again));
    let single = run(&["check", "--timeout", "1"], &[&walk()]);
    assert!(single.status.code() == Some(2) && errors(&single).contains("applies to a folder"));
}

/// A folder with the walks of another alone.
#[cfg(target_os = "linux")]
fn many_of(folder: &Path, place: &Path) -> PathBuf {
    let walks = place.join("walks");
    fs::create_dir(&walks).unwrap();
    for (name, bytes) in motions(folder).iter().filter(|(name, _)| !name.starts_with("endless.bvh"))
    {
        fs::write(walks.join(name), bytes).unwrap();
    }
    walks
}

/// A clip is never cut into chunks that could differ from the whole: however many threads there are, one works on it from its first frame to its last.
#[test]
fn d7_a_long_clip_is_the_same_alone_in_a_folder_and_on_any_number_of_threads() {
    let place = place("d7");
    let folder = place.join("captures");
    fs::create_dir(&folder).unwrap();
    let input = folder.join("long.bvh");
    long(&input, 8);
    let alone = place.join("alone.bvh");
    assert!(clean(&input, &alone, &[]).status.success());
    let whole = fs::read(alone).unwrap();
    for (name, more) in [
        ("one", &["--threads", "1"][..]),
        ("many", &["--threads", "8"]),
        ("apart", &["--timeout", "300"]),
    ] {
        let output = place.join(name);
        let ended = clean(&folder, &output, more);
        assert_eq!(ended.status.code(), Some(0), "{name}: {}", errors(&ended));
        assert!(fs::read(output.join("long.bvh")).unwrap() == whole, "{name}");
    }
}

#[cfg(unix)]
#[test]
fn c3_an_interrupted_run_finishes_what_it_began_and_goes_on_the_next_time() {
    let place = place("interrupted");
    let (folder, output) = (many(&place, 60), place.join("out"));
    let child = posekit()
        .args(["clean", "--threads", "2", "-o"])
        .arg(&output)
        .arg(&folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while fs::read_dir(&output).map_or(0, Iterator::count) < 4
        && begun.elapsed() < Duration::from_secs(60)
    {
        std::thread::yield_now();
    }
    assert!(
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success()
    );
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{}", errors(&ended));
    let line = text(&ended).lines().last().unwrap().to_owned();
    assert!(line.contains("not started. Run the command again to continue."), "{line}");
    let done = motions(&output).len();
    assert!((3..60).contains(&done) && line.contains(&format!("60 files: {done} done")), "{line}");
    assert!(content(&output).keys().all(|name| !name.to_string_lossy().contains(".posekit-")));
    let again = clean(&folder, &output, &[]);
    assert!(text(&again).contains(&format!("{} done, {done} done before", 60 - done)));
}

/// As many files as a shell could hand over by a pattern, and more: all are looked at, in the order of their names.
#[test]
fn c4_a_folder_of_a_hundred_thousand_files() {
    let place = place("c4-many");
    let n = 100_000;
    for index in 0..n {
        fs::write(place.join(format!("{index:06}.bvh")), "").unwrap();
    }
    let ended = run(&["info", "--json"], &[&place]);
    let _ = fs::remove_dir_all(&place);
    assert_eq!(ended.status.code(), Some(4));
    let files = reported(&text(&ended));
    assert_eq!(files.len(), n);
    assert!(files.iter().enumerate().all(|(index, (name, error))| {
        *name == format!("{index:06}.bvh")
            && error.as_ref().is_some_and(|why| why.contains("empty"))
    }));
}

#[cfg(unix)]
#[test]
fn odd_entries_of_a_folder_are_told_and_never_waited_for() {
    use std::os::unix::fs::symlink;
    let place = place("odd-entries");
    let folder = many(&place, 1);
    fs::create_dir(folder.join("more")).unwrap();
    symlink("..", folder.join("more/ring")).unwrap();
    symlink("self.bvh", folder.join("self.bvh")).unwrap();
    symlink("nowhere.bvh", folder.join("broken.bvh")).unwrap();
    symlink("../00.bvh", folder.join("more/link.bvh")).unwrap();
    fs::write(folder.join("empty.glb"), "").unwrap();
    assert!(Command::new("mkfifo").arg(folder.join("pipe.bvh")).status().unwrap().success());
    let ended = run(&["info", "--json"], &[&folder]);
    assert_eq!(ended.status.code(), Some(4));
    let files = reported(&text(&ended));
    let good: Vec<&str> =
        files.iter().filter(|file| file.1.is_none()).map(|file| file.0.as_str()).collect();
    assert_eq!(good, ["00.bvh", "more/link.bvh"]);
    let bad: Vec<&str> =
        files.iter().filter(|file| file.1.is_some()).map(|file| file.0.as_str()).collect();
    assert_eq!(bad, ["broken.bvh", "empty.glb", "pipe.bvh", "self.bvh"]);
}

/// A glTF of text, whose buffer is a file of its own: a root that moves for a second.
fn with_buffer(folder: &Path) -> PathBuf {
    let floats = [0.0f32, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
    let bytes: Vec<u8> = floats.iter().flat_map(|value| value.to_le_bytes()).collect();
    fs::write(folder.join("in.bin"), &bytes).unwrap();
    let text = r#"{"asset":{"version":"2.0"},"nodes":[{"name":"root"}],
"animations":[{"samplers":[{"input":0,"output":1}],"channels":[{"sampler":0,"target":{"node":0,"path":"translation"}}]}],
"accessors":[{"bufferView":0,"componentType":5126,"type":"SCALAR","count":2,"min":[0],"max":[1]},
{"bufferView":1,"componentType":5126,"type":"VEC3","count":2}],
"bufferViews":[{"buffer":0,"byteLength":8},{"buffer":0,"byteOffset":8,"byteLength":24}],
"buffers":[{"byteLength":32,"uri":"in.bin"}]}"#;
    let path = folder.join("in.gltf");
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn what_lies_beside_an_output_is_not_replaced_either() {
    let place = place("beside");
    let input = with_buffer(&place);
    let retime = |name: &str, more: &[&str]| {
        let output = place.join(name);
        let arguments = ["retime", "--speed", "2", "-o", output.to_str().unwrap()];
        run(&[&arguments[..], more].concat(), &[&input])
    };
    fs::write(place.join("out.bin"), "precious").unwrap();
    let refused = retime("out.gltf", &[]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
    assert!(errors(&refused).contains("out.bin") && errors(&refused).contains("--force"));
    assert_eq!(fs::read(place.join("out.bin")).unwrap(), b"precious");
    assert!(!place.join("out.gltf").exists());
    assert_eq!(retime("out.gltf", &["--force"]).status.code(), Some(0));
    assert_ne!(fs::read(place.join("out.bin")).unwrap(), b"precious");
    assert_eq!(retime("new.gltf", &[]).status.code(), Some(0));
    // In a folder likewise.
    let folder = place.join("captures");
    fs::create_dir(&folder).unwrap();
    with_buffer(&folder);
    let output = place.join("all");
    for (more, code) in
        [(&["--speed", "2"][..], 0), (&["--speed", "3"], 4), (&["--speed", "3", "--force"], 0)]
    {
        let arguments = ["retime", "-o", output.to_str().unwrap()];
        let ended = run(&[&arguments[..], more].concat(), &[&folder]);
        assert_eq!(ended.status.code(), Some(code), "{more:?}: {}{}", text(&ended), errors(&ended));
    }
}

#[test]
fn a_page_and_a_picture_replace_a_file_only_when_forced_and_never_the_input() {
    let place = place("page-over");
    let input = place.join("walk.bvh");
    fs::copy(walk(), &input).unwrap();
    let over = |path: &Path, more: &[&str]| {
        run(&[&["check", "--report", path.to_str().unwrap()], more].concat(), &[&input])
    };
    let refused = over(&input, &["--force"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(errors(&refused).contains("are the same file"), "{}", errors(&refused));
    assert_eq!(fs::read(&input).unwrap(), fs::read(walk()).unwrap());
    let page = place.join("page.html");
    let codes = [&[][..], &[], &["--force"]].map(|more| over(&page, more).status.code());
    assert_eq!(codes, [Some(1), Some(2), Some(1)]);
    let picture = |path: &Path| {
        let picture = ["--force", "--picture", path.to_str().unwrap()];
        clean(&input, &place.join("out.bvh"), &picture)
    };
    assert_eq!(picture(&input).status.code(), Some(2));
    assert_eq!(fs::read(&input).unwrap(), fs::read(walk()).unwrap());
    let svg = place.join("feet.svg");
    assert_eq!((picture(&svg).status.code(), picture(&svg).status.code()), (Some(0), Some(0)));
}

#[test]
fn what_is_converted_to_and_what_stays_behind_is_told() {
    let place = place("convert-words");
    let glb = place.join("walk.glb");
    assert!(run(&["convert", "-o"], &[&glb, &walk()]).status.success());
    let odd = run(&["convert", "--to", "glb", "-o"], &[&place.join("x.bvh"), &walk()]);
    assert_eq!(odd.status.code(), Some(2));
    assert!(errors(&odd).contains("--to is glb") && !place.join("x.bvh").exists());
    let again = run(&["convert", "-o"], &[&place.join("again.glb"), &glb]);
    assert!(again.status.success() && errors(&again).is_empty(), "{}", errors(&again));
    // The same file with a mesh, which a new one has not.
    let mut text = fs::read_to_string(with_buffer(&place)).unwrap();
    text.insert_str(1, r#""meshes":[{"primitives":[{"attributes":{}}]}],"#);
    let meshed = place.join("meshed.gltf");
    fs::write(&meshed, text).unwrap();
    let lost = run(&["convert", "-o"], &[&place.join("lost.glb"), &meshed]);
    assert_eq!(lost.status.code(), Some(0), "{}", errors(&lost));
    assert!(errors(&lost).contains("without meshes and all else"), "{}", errors(&lost));
}

#[test]
fn a_glb_of_few_keys_is_smaller_and_feet_stand_as_before() {
    let place = place("keys");
    let [fast, cleaned] = ["fast.bvh", "clean.bvh"].map(|name| place.join(name));
    assert!(run(&["retime", "--to-fps", "120", "-o"], &[&fast, &walk()]).status.success());
    assert!(clean(&fast, &cleaned, &[]).status.success());
    let [all, few] = ["all.glb", "few.glb"].map(|name| place.join(name));
    assert!(run(&["convert", "-o"], &[&all, &cleaned]).status.success());
    let reported = run(&["convert", "--keys", "1", "-o"], &[&few, &cleaned]);
    assert!(
        reported.status.success() && text(&reported).contains(" keys written"),
        "{}",
        text(&reported)
    );
    let size = |path: &Path| fs::metadata(path).unwrap().len();
    assert!(2 * size(&few) < size(&all), "{} of {}", size(&few), size(&all));
    let check = run(&["check", "--json", "--bound", "21"], &[&few]);
    assert_eq!(check.status.code(), Some(0), "{}", text(&check));
    let none = run(&["convert", "--keys", "1", "-o"], &[&place.join("x.bvh"), &walk()]);
    assert!(none.status.code() == Some(2) && errors(&none).contains("--keys applies to GLB"));
}

#[test]
fn saved_contacts_replace_contacts_and_never_another_file_of_the_run() {
    let place = place("contacts-over");
    let path = |name: &str| place.join(name).to_str().unwrap().to_owned();
    let (source, made) = (path("walk.bvh"), place.join("clean.bvh"));
    fs::copy(walk(), &source).unwrap();
    let reported = clean(Path::new(&source), &made, &["--force", "--save-contacts", &source]);
    assert_eq!(reported.status.code(), Some(2), "{}", errors(&reported));
    assert_eq!(fs::read(&source).unwrap(), fs::read(walk()).unwrap(), "it is as it was");
    assert!(!made.exists(), "nothing is written");
    let feet = path("feet.json");
    for _ in 0..2 {
        let reported = clean(&walk(), &made, &["--force", "--save-contacts", &feet]);
        assert!(reported.status.success(), "contacts replace contacts: {}", errors(&reported));
    }
    // One file cannot be both; the one that is there stays.
    let contacts = fs::read(&feet).unwrap();
    for option in ["--contacts", "--save-contacts"] {
        let reported = clean(&walk(), &place.join("feet.json"), &["--force", option, &feet]);
        assert!(errors(&reported).contains("are the same file"), "{option}: {}", errors(&reported));
        assert_eq!(fs::read(&feet).unwrap(), contacts);
    }
    let reported = clean(&walk(), &place.join("new.bvh"), &["--save-contacts", &path("new.bvh")]);
    assert!(errors(&reported).contains("are the same file") && !place.join("new.bvh").exists());
    // Nor can contacts, a page and a picture; and what keeps a page from being written is reported before anything is.
    let (new, other) = (path("new.x"), path("other.bvh"));
    let pairs = [
        ["--save-contacts", &new, "--report", &new],
        ["--report", &new, "--picture", &new],
        ["--save-contacts", &new, "--picture", &new],
        ["--report", &other, "--save-contacts", &new],
        ["--report", &source, "--save-contacts", &new],
        ["--report", &path("none/page.html"), "--save-contacts", &new],
    ];
    for options in pairs {
        let reported = clean(&walk(), &place.join("other.bvh"), &options);
        assert!(
            [Some(2), Some(5)].contains(&reported.status.code()),
            "{options:?}: {}",
            errors(&reported)
        );
        let is_any = [&new, &other].into_iter().any(|path| fs::exists(path).unwrap());
        assert!(!is_any, "{options:?}: nothing is written");
    }
    // Contacts may be read from where they are written to.
    let both = ["--force", "--contacts", &feet, "--save-contacts", &feet];
    assert!(clean(&walk(), &made, &both).status.success());
}

#[test]
fn retimed_contacts_come_with_the_way_to_hold_them() {
    let place = place("retime-hint");
    let path = |name: &str| place.join(name).to_str().unwrap().to_owned();
    let feet = path("feet.json");
    let cleaned = place.join("clean.bvh");
    assert!(clean(&walk(), &cleaned, &["--save-contacts", &feet]).status.success());
    let (new, made) = (path("feet-60.json"), path("between.bvh"));
    let arguments =
        ["retime", "--to-fps", "60", "--contacts", &feet, "--save-contacts", &new, "-o", &made];
    let reported = text(&run(&arguments, &[&cleaned]));
    let hint =
        reported.lines().find(|line| line.trim_start().starts_with("posekit clean")).unwrap();
    // What it says is what does it.
    let held = place.join("held.bvh");
    let words: Vec<&str> = hint.split_whitespace().skip(1).collect();
    let words: Vec<&str> = words
        .iter()
        .map(|word| if *word == "OUT" { held.to_str().unwrap() } else { word })
        .collect();
    let again = run(&words, &[]);
    assert_eq!(again.status.code(), Some(0), "{}", errors(&again));
    assert!(text(&run(&["check"], &[&held])).contains("people would notice none"));
    // At old frames they stand as they stood.
    for (fps, speed, is_between) in
        [("30", "1", false), ("30", "2", false), ("15", "1", false), ("25", "1", true)]
    {
        let same = ["retime", "--to-fps", fps, "--speed", speed, "--contacts", &feet];
        let reported = run(
            &[&same[..], &["--save-contacts", &new, "--force", "-o", &made]].concat(),
            &[&cleaned],
        );
        let said = text(&reported);
        assert!(said.contains("contacts: "), "{said}");
        assert_eq!(
            said.contains("Hold them again"),
            is_between,
            "{fps} a second at {speed}: {said}"
        );
    }
    // One that is over before there is a frame would be refused, and is left out.
    let fast = ["--speed", "20", "--contacts", &feet, "--save-contacts", &new, "--force", "-o"];
    let reported = run(&[&["retime"], &fast[..]].concat(), &[&place.join("fast.bvh"), &cleaned]);
    assert!(
        errors(&reported).contains("contain no frame in the new timing"),
        "{}",
        errors(&reported)
    );
    let again = ["clean", "--contacts", &new, "-o"];
    let again = run(&again, &[&place.join("again.bvh"), &place.join("fast.bvh")]);
    assert_eq!(again.status.code(), Some(0), "{}", errors(&again));
}
