//! The rows C1 to C9 of the table of hazards of a command line and D1 to D9 of one of many files, on the motion commands, as far as they concern them; and what
//! the commands tell.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

mod motion_support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use motion_support::{
    captures, clean, content, cut, errors, json, many, motions, place, posekit, run, text, walk,
};

#[test]
fn c1_output_is_whole_or_as_it_was() {
    let place = place("c1");
    let (input, output) = (place.join("in.bvh"), place.join("out.bvh"));
    fs::copy(walk(), &input).unwrap();
    let same = clean(&input, &input, &[]);
    assert_eq!(same.status.code(), Some(2));
    assert!(errors(&same).contains("the output is the input"), "{}", errors(&same));
    assert_eq!(fs::read(&input).unwrap(), fs::read(walk()).unwrap(), "the input is as it was");
    fs::write(&output, "kept").unwrap();
    let there = clean(&input, &output, &[]);
    assert!(there.status.code() == Some(2) && errors(&there).contains("--force"));
    assert_eq!(fs::read(&output).unwrap(), b"kept");
    assert_eq!(clean(&input, &output, &["--force"]).status.code(), Some(0));
    assert!(fs::read(&output).unwrap().starts_with(b"HIERARCHY"));
    assert_eq!(clean(&input, &input, &["--force"]).status.code(), Some(0), "in place, when forced");
    let missing = clean(&walk(), &place.join("no/such/folder/out.bvh"), &[]);
    assert_eq!(missing.status.code(), Some(5), "the folder of one file is not made up");
    // A full disk: this device takes nothing.
    #[cfg(target_os = "linux")]
    {
        let full = clean(&walk(), Path::new("/dev/full"), &[]);
        assert_eq!(full.status.code(), Some(5), "{}", errors(&full));
    }
    assert_eq!(fs::read_dir(&place).unwrap().count(), 2, "nothing is left beside them");
}

/// The disk is full in the middle of a file: the limit of a file's size fails a write as a full disk does.
#[cfg(target_os = "linux")]
#[test]
fn c1_a_write_that_fails_half_way_leaves_the_old_file_and_nothing_else() {
    let place = place("c1-full");
    let output = place.join("out.bvh");
    fs::write(&output, "old").unwrap();
    let limited = |blocks: u32, output: &Path| {
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
        let program = env!("CARGO_BIN_EXE_posekit");
        std::process::Command::new("bash")
            .args(["-c", &script, "-", program, "clean", "--force", "-o"])
            .args([output, &walk()])
            .output()
            .unwrap()
    };
    let full = limited(16, &output);
    assert_eq!(full.status.code(), Some(5), "{}", errors(&full));
    assert!(errors(&full).contains("cannot write the file"), "{}", errors(&full));
    assert_eq!(fs::read(&output).unwrap(), b"old");
    assert_eq!(fs::read_dir(&place).unwrap().count(), 1, "what was begun is taken away");
    assert_eq!(limited(100_000, &output).status.code(), Some(0));
    // A name that no file can have fails when it is given to what is written already.
    let long = limited(100_000, &place.join(format!("{}.bvh", "x".repeat(260))));
    assert_eq!(long.status.code(), Some(5), "{}", errors(&long));
    assert_eq!(fs::read_dir(&place).unwrap().count(), 1, "and that is taken away, too");
}

#[test]
fn c2_exit_codes_are_those_of_the_help() {
    let place = place("c2");
    let folder = captures(&place);
    assert_eq!(run(&["check"], &[&walk()]).status.code(), Some(1), "feet slide");
    assert_eq!(run(&["check", "--bound", "500"], &[&walk()]).status.code(), Some(0));
    assert_eq!(run(&["check", "--bound", "no"], &[&walk()]).status.code(), Some(2));
    assert_eq!(run(&["info"], &[&place.join("none.bvh")]).status.code(), Some(3), "missing");
    assert_eq!(run(&["info"], &[&folder.join("bad.bvh")]).status.code(), Some(3), "faulty");
    assert_eq!(run(&["info"], &[&place.join("captures/more/..")]).status.code(), Some(4));
    assert_eq!(run(&["info", "-"], &[]).status.code(), Some(3), "standard input is empty");
    fs::create_dir(place.join("empty")).unwrap();
    assert_eq!(run(&["info"], &[&place.join("empty")]).status.code(), Some(3), "no motions");
    assert_eq!(clean(&folder, &walk(), &[]).status.code(), Some(2), "a folder into a file");
    let cleaned = clean(&folder, &place.join("out"), &[]);
    assert_eq!(cleaned.status.code(), Some(4), "{}", errors(&cleaned));
    assert!(
        text(&cleaned).contains("bad.bvh") && text(&cleaned).contains("4 files: 3 done, 1 failed")
    );
    let mut child =
        posekit().arg("info").arg(walk()).arg("--json").stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0), "a closed pipe is no fault");
}

#[test]
fn c3_a_killed_run_leaves_no_part_of_a_file() {
    let place = place("c3");
    let folder = place.join("captures");
    fs::create_dir(&folder).unwrap();
    for index in 0..40 {
        fs::copy(walk(), folder.join(format!("{index:02}.bvh"))).unwrap();
    }
    let whole = place.join("whole.bvh");
    assert!(clean(&walk(), &whole, &[]).status.success());
    let whole = fs::read(&whole).unwrap();
    let output = place.join("out");
    let arguments = ["clean", "--threads", "2", "-o"];
    let mut child =
        posekit().args(arguments).arg(&output).arg(&folder).stdout(Stdio::null()).spawn().unwrap();
    let begun = Instant::now();
    while fs::read_dir(&output).map_or(0, Iterator::count) < 4
        && begun.elapsed() < Duration::from_secs(60)
    {
        std::thread::yield_now();
    }
    let _ = child.kill();
    let _ = child.wait();
    for (name, bytes) in content(&output) {
        let is_own = name.file_name().unwrap().to_string_lossy().starts_with(".posekit-");
        assert!(is_own || bytes == whole, "{} is whole", name.display());
    }
    let again = clean(&folder, &output, &[]);
    assert_eq!(again.status.code(), Some(0), "it goes on where it was: {}", errors(&again));
    let is_motion = |name: &Path| name.extension().is_some_and(|end| end == "bvh");
    let outputs: Vec<_> =
        content(&output).into_iter().filter(|(name, _)| is_motion(name)).collect();
    assert!(outputs.len() == 40 && outputs.iter().all(|(_, bytes)| *bytes == whole));
}

#[test]
fn c4_odd_names_work() {
    let place = place("c4");
    let long = format!("{}.bvh", "x".repeat(250));
    let mut names = vec![
        long,
        "-leading.bvh".to_owned(),
        "two words ü 歩く.bvh".to_owned(),
        "[a]*?.bvh".to_owned(),
    ];
    if cfg!(windows) {
        names.pop();
    }
    let mut paths: Vec<PathBuf> = names.iter().map(|name| place.join(name)).collect();
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt as _;
        paths.push(place.join(std::ffi::OsStr::from_bytes(b"not \xff utf-8.bvh")));
    }
    for path in &paths {
        fs::copy(walk(), path).unwrap();
        let output = run(&["info"], &[path]);
        assert_eq!(output.status.code(), Some(0), "{}: {}", path.display(), errors(&output));
    }
    let dash = posekit().current_dir(&place).args(["info", "--", "-leading.bvh"]).output().unwrap();
    assert_eq!(dash.status.code(), Some(0), "{}", errors(&dash));
    let all = clean(&place, &place.join("out"), &[]);
    assert_eq!(all.status.code(), Some(0), "{}{}", text(&all), errors(&all));
    assert_eq!(content(&place.join("out")).len(), paths.len());
}

#[test]
fn c5_the_content_says_what_a_file_is() {
    let place = place("c5");
    let glb = place.join("walk.glb");
    assert!(posekit().arg("convert").arg(walk()).arg("-o").arg(&glb).status().unwrap().success());
    let lie = place.join("lie.bvh");
    fs::copy(&glb, &lie).unwrap();
    let output = run(&["info"], &[&lie]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output).contains("GLB"), "{}", text(&output));
    assert!(errors(&output).contains("ends in .bvh"), "{}", errors(&output));
    let other = place.join("other.bvh");
    fs::write(&other, "Kaydara FBX Binary  ").unwrap();
    let output = run(&["info"], &[&other]);
    assert!(
        output.status.code() == Some(3) && errors(&output).contains("FBX"),
        "{}",
        errors(&output)
    );
}

#[test]
fn c6_json_is_json_also_when_all_fails() {
    let place = place("c6");
    let folder = captures(&place);
    let none = place.join("none.bvh");
    let out = place.join("out.bvh");
    for (arguments, paths) in [
        (vec!["info", "--json"], vec![walk()]),
        (vec!["info", "--json"], vec![none.clone()]),
        (vec!["check", "--json"], vec![folder.clone()]),
        (vec!["check", "--json"], vec![folder.join("bad.bvh")]),
        (vec!["clean", "--json", "-o", out.to_str().unwrap()], vec![walk()]),
        (vec!["clean", "--json", "-o", out.to_str().unwrap()], vec![walk()]),
        (
            vec!["clean", "--json", "--legs", "Nobody", "--force", "-o", out.to_str().unwrap()],
            vec![walk()],
        ),
        (
            vec![
                "pin",
                "--json",
                "--joint",
                "Nobody",
                "--from",
                "0",
                "--to",
                "1",
                "--force",
                "-o",
                out.to_str().unwrap(),
            ],
            vec![walk()],
        ),
        (
            vec!["retime", "--json", "--speed", "2", "--force", "-o", out.to_str().unwrap()],
            vec![none.clone()],
        ),
        (vec!["convert", "--json", "-o", out.to_str().unwrap()], vec![none]),
    ] {
        let output = posekit().args(&arguments).args(&paths).output().unwrap();
        let value = json(&text(&output));
        assert_eq!(value["schema"], "posekit.motion-report/1", "{arguments:?}");
        assert!(value.get("files").is_some() || value.get("error").is_some(), "{arguments:?}");
    }
    let twice = || text(&run(&["check", "--json"], &[&folder]));
    assert_eq!(twice(), twice(), "keys keep their order");
}

#[test]
fn c7_language_and_terminal_change_no_byte() {
    let place = place("c7");
    let plain = text(&run(&["check"], &[&walk()]));
    for (key, value) in [
        ("LC_ALL", "de_DE.UTF-8"),
        ("LC_ALL", "C"),
        ("NO_COLOR", "1"),
        ("LANG", "tr_TR.UTF-8"),
        ("TERM", "dumb"),
    ] {
        let output = posekit().env(key, value).arg("check").arg(walk()).output().unwrap();
        assert_eq!(text(&output), plain, "{key}={value}");
        let out = place.join(format!("{value}.bvh"));
        assert!(
            posekit()
                .env(key, value)
                .arg("clean")
                .arg(walk())
                .arg("-o")
                .arg(&out)
                .output()
                .unwrap()
                .status
                .success()
        );
    }
    let written: Vec<Vec<u8>> = content(&place).into_values().collect();
    assert!(written.windows(2).all(|pair| pair[0] == pair[1]));
    assert!(!plain.contains('\u{1b}'));
}

#[test]
fn c8_any_number_of_threads_gives_the_same_bytes() {
    let place = place("c8");
    let folder = captures(&place);
    let results: Vec<_> = ["1", "2", "7"]
        .into_iter()
        .map(|threads| {
            let out = place.join(threads);
            let report = place.join(format!("{threads}.html"));
            let more = ["--json", "--threads", threads, "--report", report.to_str().unwrap()];
            let output = clean(&folder, &out, &more);
            (text(&output), content(&out), fs::read(report).unwrap())
        })
        .collect();
    assert_eq!(results[0].1.len(), 3);
    for other in &results[1..] {
        assert!(results[0] == *other, "tables, files and pages");
    }
}

#[test]
fn c9_a_second_run_changes_nothing_and_says_so() {
    let place = place("c9");
    let [once, twice] = ["once.bvh", "twice.bvh"].map(|name| place.join(name));
    assert!(clean(&walk(), &once, &[]).status.success());
    let again = clean(&once, &twice, &[]);
    assert!(text(&again).contains("Already clean"), "{}", text(&again));
    assert_eq!(fs::read(&once).unwrap(), fs::read(&twice).unwrap());
    assert_eq!(run(&["check", "--bound", "20"], &[&once]).status.code(), Some(0));
}

#[test]
fn d2_what_is_done_is_skipped_by_its_content() {
    let place = place("d2");
    let (folder, out) = (captures(&place), place.join("out"));
    let line = |output: &Output| text(output).lines().last().unwrap_or_default().to_owned();
    assert_eq!(line(&clean(&folder, &out, &[])), "4 files: 3 done, 1 failed");
    let before = content(&out);
    assert_eq!(line(&clean(&folder, &out, &[])), "4 files: 0 done, 3 done before, 1 failed");
    assert_eq!(content(&out), before);
    // Other options and what was edited by hand: neither replaces anything.
    assert_eq!(line(&clean(&folder, &out, &["--strength", "0.5"])), "4 files: 0 done, 4 failed");
    assert_eq!(content(&out), before);
    fs::write(out.join("a.bvh"), "edited").unwrap();
    let kept = clean(&folder, &out, &[]);
    assert!(
        text(&kept).contains("2 done before, 2 failed") && text(&kept).contains("--force"),
        "{}",
        text(&kept)
    );
    assert_eq!(fs::read(out.join("a.bvh")).unwrap(), b"edited");
    assert_eq!(line(&clean(&folder, &out, &["--force"])), "4 files: 3 done, 1 failed");
    assert_eq!(content(&out), before);
}

#[test]
fn the_report_asks_for_nothing_from_outside() {
    let place = place("report");
    let input = place.join("<script>alert(1)</script>.bvh".replace('/', "-"));
    fs::copy(walk(), &input).unwrap();
    let page = |name: &str, arguments: &[&str]| {
        let report = place.join(name);
        let output =
            posekit().args(arguments).arg(&input).arg("--report").arg(&report).output().unwrap();
        assert!(output.status.code().is_some_and(|code| code < 2), "{}", errors(&output));
        fs::read_to_string(report).unwrap()
    };
    let out = place.join("out.bvh");
    let cleaned = page("clean.html", &["clean", "--force", "-o", out.to_str().unwrap()]);
    for text in [&cleaned, &page("check.html", &["check"])] {
        let namespaces = text.matches("http://www.w3.org/2000/svg").count();
        assert_eq!(
            text.matches("http").count(),
            namespaces + 1,
            "only SVG's namespace and http-equiv"
        );
        for part in [" src=", "url(", "@import", "NaN", "<script>alert"] {
            assert!(!text.contains(part), "{part} is not on the page");
        }
        assert!(text.contains("&lt;script&gt;alert"), "the name is shown as it is");
    }
    let place_of = |part: &str| cleaned.find(part).unwrap();
    assert!(place_of("<h1>") < place_of("<canvas") && place_of("<canvas") < place_of(">Measures<"));
    assert_eq!(cleaned.matches("<canvas").count(), 2, "before and after");
    let again = page("again.html", &["clean", "--force", "-o", out.to_str().unwrap()]);
    assert_eq!(again, cleaned, "the same file gives the same page");
}

#[test]
fn a_file_without_motions_says_that_it_has_none() {
    let place = place("still");
    let input = place.join("still.gltf");
    let still = r#"{"asset":{"version":"2.0"},"nodes":[{"name":"a","children":[1]},{"name":"b"}],"scenes":[{"nodes":[0]}],"scene":0}"#;
    fs::write(&input, still).unwrap();
    for (command, words) in [("info", "2 joints, no motion"), ("check", "no motion in it")] {
        let output = run(&[command], &[&input]);
        assert!(output.status.success() && text(&output).contains(words), "{}", text(&output));
    }
    let output = run(
        &["pin", "--joint", "a", "--from", "0", "--to", "1", "-o"],
        &[&place.join("x.gltf"), &input],
    );
    assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
    assert!(errors(&output).contains("needs a motion, but there is none"), "{}", errors(&output));
}

#[test]
fn a_motion_without_frames_has_a_page_that_says_so() {
    let place = place("no-frames");
    let input = cut(&place, "none.bvh", 0..0);
    let page = |command: &[&str]| {
        let report = place.join("page.html");
        let output = posekit()
            .args(command)
            .arg(&input)
            .arg("--force")
            .arg("--report")
            .arg(&report)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        fs::read_to_string(report).unwrap()
    };
    let out = place.join("out.bvh");
    for page in [page(&["clean", "-o", out.to_str().unwrap()]), page(&["check"])] {
        assert!(page.contains("No motion: there are no frames.") && !page.contains("<canvas"));
    }
}

#[test]
fn c5_an_output_that_says_another_format_is_refused() {
    let place = place("c5-output");
    let glb = place.join("walk.glb");
    assert!(run(&["convert", "-o"], &[&glb, &walk()]).status.success());
    let pin = ["pin", "--joint", "Head", "--from", "1", "--to", "2", "-o"];
    let retime = ["retime", "--speed", "2", "-o"];
    for command in [&["clean", "-o"][..], &pin, &retime] {
        for (input, name) in
            [(walk(), "z.glb"), (walk(), "z.VRM"), (glb.clone(), "z.bvh"), (glb.clone(), "z.gltf")]
        {
            let output = run(command, &[&place.join(name), &input]);
            assert_eq!(output.status.code(), Some(2), "{command:?} {name}: {}", text(&output));
            assert!(errors(&output).contains("writes the format of its input"));
            assert_eq!(
                errors(&output).contains("posekit convert"),
                name.ends_with("glb") || name.ends_with("bvh")
            );
            assert!(!place.join(name).exists());
        }
        for (input, name) in [(walk(), "z.motion"), (glb.clone(), "z.vrma")] {
            let output = run(command, &[&place.join(name), &input]);
            assert_eq!(output.status.code(), Some(0), "{name}: {}", errors(&output));
            fs::remove_file(place.join(name)).unwrap();
        }
    }
}

/// The contacts that the walk is cleaned with, some seconds later; those that fit into it.
fn late_contacts(place: &Path, later: f64, end: f64) -> PathBuf {
    let found = place.join("found.json");
    let saved = clean(
        &walk(),
        &place.join("saved.bvh"),
        &["--force", "--save-contacts", found.to_str().unwrap()],
    );
    assert!(saved.status.success(), "{}", errors(&saved));
    let mut value = json(&fs::read_to_string(found).unwrap());
    let contacts = value["contacts"].as_array_mut().unwrap();
    for contact in contacts.iter_mut() {
        for time in ["from", "to"] {
            contact[time] = (contact[time].as_f64().unwrap() + later).into();
        }
    }
    contacts.retain(|contact| contact["to"].as_f64().unwrap() < end);
    let path = place.join("late.json");
    fs::write(&path, value.to_string()).unwrap();
    path
}

#[test]
fn given_contacts_are_told_and_plants_are_measured() {
    let place = place("given");
    let late = late_contacts(&place, 0.5, 4.4);
    let given = ["--contacts", late.to_str().unwrap()];
    let reported = clean(&walk(), &place.join("late.bvh"), &given);
    assert_eq!(reported.status.code(), Some(0), "{}", errors(&reported));
    assert!(text(&reported).contains("given contacts"), "{}", text(&reported));
    assert!(
        text(&reported).contains("median slide") && !text(&reported).contains("fixed"),
        "{}",
        text(&reported)
    );
    let report = clean(&walk(), &place.join("json.bvh"), &[&given[..], &["--json"]].concat());
    let clip = &json(&text(&report))["files"][0]["clips"][0];
    let plants = clip["plants"].as_array().unwrap();
    assert!(plants.iter().all(|plant| plant["verdict"] == "measured"));
    assert!(clip["contacts"].as_array().is_some_and(|contacts| contacts.len() > 8));

    let outside = place.join("outside.json");
    let mut far = json(&fs::read_to_string(&late).unwrap());
    far["contacts"][0]["from"] = 40.0.into();
    far["contacts"][0]["to"] = 41.0.into();
    fs::write(&outside, far.to_string()).unwrap();
    for command in ["clean", "pin"] {
        let arguments = [command, "--contacts", outside.to_str().unwrap(), "-o"];
        let refused = run(&arguments, &[&place.join("outside.bvh"), &walk()]);
        assert_eq!(refused.status.code(), Some(2), "{}", text(&refused));
        assert!(
            errors(&refused).contains("there is no frame from 40 to 41 s"),
            "{}",
            errors(&refused)
        );
    }
}

#[test]
fn nothing_changed_is_told_with_its_reason() {
    let place = place("unchanged");
    let none = place.join("none.json");
    fs::write(&none, r#"{"schema":"posekit.contacts/1","contacts":[]}"#).unwrap();
    let all = ["--keep", "0:10", "--keep-path"];
    let empty = format!("{} has no contacts, so nothing is held", none.display());
    for (more, why) in [
        (&["--contacts", none.to_str().unwrap()][..], empty.as_str()),
        (&["--strength", "0"], "the strength is 0"),
        (&all, "all plants found are left unchanged"),
    ] {
        let output = clean(&walk(), &place.join("out.bvh"), &[more, &["--force"]].concat());
        let text = text(&output);
        assert!(text.contains(&format!("Nothing was changed: {why}.")), "{text}");
        assert!(!text.contains("Already clean") && !text.contains("unreachable"), "{text}");
        assert_eq!(fs::read(place.join("out.bvh")).unwrap(), fs::read(walk()).unwrap());
    }
    let half = text(&clean(&walk(), &place.join("half.bvh"), &["--strength", "0.5", "-v"]));
    assert!(half.contains("lessened") && !half.contains("unreachable"), "{half}");
}

#[test]
fn where_no_foot_stands_it_is_said_and_no_measure_is_zero() {
    let place = place("no-plants");
    let input = cut(&place, "two.bvh", 20..22);
    let output = run(&["check"], &[&input]);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        text(&output).contains("no foot stands in this motion, so none was judged"),
        "{}",
        text(&output)
    );
    let report = json(&text(&run(&["check", "--json"], &[&input])));
    let metrics = report["files"][0]["clips"][0]["metrics"].as_array().unwrap().clone();
    let of =
        |key: &str| metrics.iter().find(|metric| metric["key"] == key).unwrap()["before"].clone();
    assert!(
        of("drift_max").is_null() && of("visible_share").is_null() && of("knee_max").is_number()
    );
}

#[test]
fn errors_name_options_of_the_command() {
    let place = place("options");
    let original = fs::read_to_string(walk()).unwrap();
    let refused = |name: &str, content: &str| {
        let path = place.join(name);
        fs::write(&path, content).unwrap();
        let output = run(&["info"], &[&path]);
        assert_eq!(output.status.code(), Some(3));
        errors(&output)
    };
    let time = original.lines().find(|line| line.starts_with("Frame Time")).unwrap();
    for (name, line) in [("zero", "Frame Time: 0"), ("huge", "Frame Time: 1e30"), ("none", "")] {
        let error = refused(name, &original.replace(time, line));
        assert!(error.contains("--fps") && !error.contains("Options"), "{error}");
        assert!(error.len() < 300, "{error}");
    }
    let more = refused("more", &original.replace("Frames: 133", "Frames: 134"));
    assert!(more.contains("--lenient") && !more.contains("leniently"), "{more}");
    let out = place.join("out.bvh");
    let out = out.to_str().unwrap();
    for (arguments, says) in [
        (&["info", "--fps", "1e308"][..], &["0.000001 to 1000000"][..]),
        (&["retime", "--speed", "1e-9", "-o", out], &["0.000001 to 1000000"]),
        (&["retime", "-o", out], &["--speed", "--duration", "--to-fps"]),
        (&["clean", "--max-stretch", "0.03", "-o", out], &["0 to 0.02"]),
        (&["check", "--legs", "LeftFoot,LeftFoot"], &["LeftFoot", "given twice"]),
        (&["check", "--legs", "LeftFoot, RightFoot,LeftFoot"], &["LeftFoot", "given twice"]),
    ] {
        let output = run(arguments, &[&walk()]);
        let error = errors(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(says.iter().all(|says| error.contains(says)), "{arguments:?}: {error}");
        assert!(error.len() < 1000 && !error.contains("speed[0]"), "{error}");
    }
    // How fast a duration is depends on the motion.
    let slow = run(&["retime", "--duration", "1e300", "-o", out], &[&walk()]);
    assert_eq!(slow.status.code(), Some(3));
    assert!(errors(&slow).contains("--duration 1e300 is a speed of 4.4e-300"), "{}", errors(&slow));
    let stretched = clean(&walk(), Path::new(out), &["--max-stretch", "0.02"]);
    assert!(errors(&stretched).contains("warning: --max-stretch"), "{}", errors(&stretched));
    let failed = run(&["check", "--json"], &[Path::new("no-such.bvh")]);
    assert_eq!(json(&text(&failed))["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn a_pinned_hand_that_drags_feet_says_so() {
    let place = place("drag");
    let pin = |name: &str, times: [&str; 2], more: &[&str]| {
        let arguments = ["pin", "--joint", "RightHand", "--from", times[0], "--to", times[1], "-o"];
        let output = run(
            &[&arguments[..], &[place.join(name).to_str().unwrap()], more].concat(),
            &[&walk()],
        );
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        text(&output)
    };
    let far = pin("far.bvh", ["0.5", "3.5"], &[]);
    for word in [
        "Joints that moved to hold it: Hips by up to",
        "LeftFoot by up to",
        "RightFoot by up to",
        "--contacts",
    ] {
        assert!(far.contains(word), "{word}: {far}");
    }
    let near = pin("near.bvh", ["1", "1"], &[]);
    assert!(!near.contains("Joints that moved"), "{near}");
    let report = json(&pin("json.bvh", ["0.5", "4"], &["--json"]));
    let shifts = report["files"][0]["clips"][0]["shifts"].as_array().unwrap().clone();
    assert_eq!(shifts.len(), 3, "hips and both feet");
    // The hand stays where the walk goes on for metres.
    // The hand stays where the walk goes on for metres.
    assert!(shifts.iter().all(|shift| shift["largest"].as_f64().unwrap() > 10.0), "{shifts:?}");
}

#[test]
fn d1_a_killed_run_is_taken_up_and_its_report_lists_all() {
    let place = place("d1");
    let folder = many(&place, 24);
    fs::write(folder.join("bad.bvh"), "HIERARCHY\n").unwrap();
    let output = place.join("out");
    for done in [2, 8, 16] {
        let mut child = posekit()
            .args(["clean", "--threads", "2", "-o"])
            .arg(&output)
            .arg(&folder)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let begun = Instant::now();
        while fs::read_dir(&output).map_or(0, Iterator::count) < done
            && begun.elapsed() < Duration::from_secs(60)
        {
            std::thread::yield_now();
        }
        let _ = child.kill();
        let _ = child.wait();
    }
    let last = clean(&folder, &output, &["--json"]);
    assert_eq!(last.status.code(), Some(4), "{}", errors(&last));
    let report = json(&text(&last));
    let files = report["files"].as_array().unwrap();
    let failed: Vec<_> = files.iter().filter(|file| file.get("error").is_some()).collect();
    assert!(files.len() == 25 && failed.len() == 1 && failed[0]["file"] == "bad.bvh");
    assert!(files.iter().any(|file| file["skipped"] == true), "what was done is not done again");
    let outputs: Vec<Vec<u8>> = motions(&output).into_values().collect();
    assert!(outputs.len() == 24 && outputs.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn d4_two_runs_into_one_folder_do_not_mix() {
    let place = place("d4");
    let folder = many(&place, 12);
    let output = place.join("out");
    let start = || {
        posekit()
            .args(["clean", "-o"])
            .arg(&output)
            .arg(&folder)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    for run in [start(), start()] {
        let ended = run.wait_with_output().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{}", errors(&ended));
    }
    let outputs: Vec<Vec<u8>> = motions(&output).into_values().collect();
    let alone = place.join("alone.bvh");
    assert!(clean(&walk(), &alone, &[]).status.success());
    let whole = fs::read(alone).unwrap();
    assert!(outputs.len() == 12 && outputs.iter().all(|bytes| *bytes == whole));
    assert!(content(&output).keys().all(|name| !name.to_string_lossy().contains(".posekit-")));
}

#[test]
fn d5_reports_do_not_depend_on_the_order_of_workers() {
    let place = place("d5");
    let folder = captures(&place);
    let report = |threads: &str| {
        let page = place.join(format!("{threads}.html"));
        let more = ["--json", "--threads", threads, "--report", page.to_str().unwrap()];
        let output = run(&[&["check"], &more[..]].concat(), &[&folder]);
        (text(&output), fs::read(page).unwrap())
    };
    let one = report("1");
    assert!(one == report("4") && one == report("64"));
    let value = json(&one.0);
    let names: Vec<&str> = value["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["file"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["a.bvh", "b.BVH", "bad.bvh", "more/c.bvh"]);
}

#[test]
fn d8_results_carry_the_version() {
    let report = run(&["info", "--json"], &[&walk()]);
    assert_eq!(json(&text(&report))["version"], env!("CARGO_PKG_VERSION"));
}
