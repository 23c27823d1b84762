//! What the files say that the motion commands write: their rate, their bones, their bytes, and what they need beside them.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

mod motion_support;

use std::fs;
use std::path::{Path, PathBuf};

use motion_support::{clean, errors, json, place, run, text, walk};
use posekit::glam::DVec3;
use posekit_io::gltf::{Channel, TargetPath, no_files};
use posekit_io::motion::{MotionFile, MotionOptions, to_glb};
use posekit_io::{Error, Limits, Warnings};
use posekit_motion::Clip;
use serde_json::{Value, json};

fn open(path: &Path) -> MotionFile {
    let (options, limits) = (MotionOptions::default(), Limits::default());
    MotionFile::open(path, &options, &limits, &mut Warnings::new()).unwrap()
}

/// What a command said of the one file, with `--json`.
fn reported(arguments: &[&str], paths: &[&Path]) -> Value {
    let output = run(&[&arguments[..1], &["--json"], &arguments[1..]].concat(), paths);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", errors(&output));
    json(&text(&output))["files"][0].clone()
}

/// The first of the motions, as a command reported it.
fn clip(file: &Value) -> &Value {
    &file["clips"][0]
}

/// The walk as a GLB.
fn glb(place: &Path) -> PathBuf {
    let path = place.join("walk.glb");
    let converted = run(&["convert", "-o"], &[&path, &walk()]);
    assert!(converted.status.success(), "{}", errors(&converted));
    path
}

/// The JSON and the data of a GLB.
fn parts(path: &Path) -> (Value, Vec<u8>) {
    let file = fs::read(path).unwrap();
    let length = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    let end = 20 + length(12);
    (serde_json::from_slice(&file[20..end]).unwrap(), file[end + 8..].to_vec())
}

fn put_together(path: &Path, json: &Value, mut data: Vec<u8>) {
    let mut text = serde_json::to_vec(json).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    data.resize(data.len().next_multiple_of(4), 0);
    let size = |n: usize| u32::try_from(n).unwrap().to_le_bytes();
    let whole = size(28 + text.len() + data.len());
    let heads = [&b"glTF"[..], &size(2), &whole, &size(text.len()), b"JSON"].concat();
    let body = [&text[..], &size(data.len()), b"BIN\0", &data].concat();
    fs::write(path, [heads, body].concat()).unwrap();
}

/// Adds a list of numbers to a file, and gives the index of its accessor.
fn add_numbers(json: &mut Value, data: &mut Vec<u8>, kind: &str, numbers: &[f32]) -> usize {
    let start = data.len();
    data.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    let views = json["bufferViews"].as_array_mut().unwrap();
    views.push(json!({ "buffer": 0, "byteOffset": start, "byteLength": data.len() - start }));
    let view = views.len() - 1;
    let width = if kind == "VEC3" { 3 } else { 1 };
    let mut accessor = json!({
        "bufferView": view, "componentType": 5126, "count": numbers.len() / width, "type": kind,
    });
    if width == 1 {
        (accessor["min"], accessor["max"]) =
            (json!([numbers[0]]), json!([numbers[numbers.len() - 1]]));
    }
    json["buffers"][0]["byteLength"] = json!(data.len());
    let accessors = json["accessors"].as_array_mut().unwrap();
    accessors.push(accessor);
    accessors.len() - 1
}

#[expect(clippy::cast_possible_truncation, reason = "files have single precision")]
fn single(value: f64) -> f32 {
    value as f32
}

/// A walk as exporters write it: every joint has a translation, which stays, and a scale, with keys of their own; and a second motion.
fn exported(place: &Path) -> PathBuf {
    let path = glb(place);
    let (mut file, mut data) = parts(&path);
    let end = single(open(&path).seconds(0));
    let input = add_numbers(&mut file, &mut data, "SCALAR", &[0.0, 0.71 * end, end]);
    let ones = add_numbers(&mut file, &mut data, "VEC3", &[1.0; 9]);
    let mut animation = file["animations"][0].clone();
    let joints: Vec<usize> = (1..file["nodes"].as_array().unwrap().len()).collect();
    for joint in joints {
        let rest = file["nodes"][joint]["translation"].clone();
        let rest: Vec<f32> = serde_json::from_value(rest).unwrap_or(vec![0.0; 3]);
        let places = add_numbers(&mut file, &mut data, "VEC3", &rest.repeat(3));
        for (output, path) in [(places, "translation"), (ones, "scale")] {
            let samplers = animation["samplers"].as_array_mut().unwrap();
            samplers.push(json!({ "input": input, "output": output }));
            let sampler = samplers.len() - 1;
            animation["channels"]
                .as_array_mut()
                .unwrap()
                .push(json!({ "sampler": sampler, "target": { "node": joint, "path": path } }));
        }
    }
    let mut other = animation.clone();
    other["name"] = json!("other");
    file["animations"] = json!([animation, other]);
    put_together(&path, &file, data);
    path
}

#[test]
fn a_gltf_in_another_time_is_read_at_the_rate_that_was_asked_for() {
    let place = place("files-rate");
    let input = exported(&place);
    assert_ne!(clip(&reported(&["info"], &[&input]))["fps"], json!(24));
    for (number, (options, fps, frames)) in [
        (&["--to-fps", "24"][..], 24.0, 106),
        (&["--to-fps", "50"], 50.0, 221),
        (&["--fps", "30", "--speed", "2"], 30.0, 67),
        (&["--fps", "30", "--duration", "3.1"], 30.0, 94),
        (&["--speed", "0.7", "--to-fps", "60"], 60.0, 378),
    ]
    .into_iter()
    .enumerate()
    {
        let output = place.join(format!("{number}.glb"));
        let arguments = [&["retime", "--clip", "1"], options, &["-o"]].concat();
        let made = reported(&arguments, &[&output, &input]);
        let found = reported(&["info", "--clip", "1"], &[&output]);
        for (field, expected) in [("fps", fps), ("frames", f64::from(frames))] {
            assert_eq!(clip(&found)[field].as_f64(), Some(expected), "{options:?}: {field}");
            assert_eq!(clip(&made)[field].as_f64(), Some(expected), "{options:?}: {field}");
        }
        let (old, new) = (open(&input), open(&output));
        let [old, new] = [&old, &new].map(|file| file.gltf().unwrap().animations());
        let end = f64::from(frames - 1) / fps;
        // One key says that it stays, at any rate.
        for channel in new[0].channels.iter().filter(|channel| channel.times.len() > 1) {
            assert_eq!(channel.times.len(), frames as usize, "{options:?}: {channel:?}");
            assert!((channel.times[channel.times.len() - 1] - end).abs() < 1e-6, "{options:?}");
        }
        let n_single = new[0].channels.iter().filter(|channel| channel.times.len() == 1).count();
        assert!(n_single < 8, "{n_single}");
        assert_eq!(old[1], new[1], "the other motion is as it was");
    }
    // So few keys that they are taken for keys, not for frames: that is reported.
    let rare = run(&["retime", "--to-fps", "8", "-o"], &[&place.join("rare.glb"), &input]);
    assert!(errors(&rare).contains("--fps 8 reads them as frames"), "{}", errors(&rare));
    let found = reported(&["info", "--fps", "8"], &[&place.join("rare.glb")]);
    assert_eq!(clip(&found)["frames"], json!(36));
}

/// Where a joint is in a frame.
fn at(clip: &Clip, frame: usize, name: &str) -> DVec3 {
    let joint = clip.skeleton().find(name).unwrap();
    clip.skeleton().poses(clip.frame(frame))[joint].translation
}

/// So far apart that both feet are out of reach by a little less than two parts in a hundred, wherever the hips go.
const APART: f64 = 0.009;

/// Contacts that pull both feet apart, by so much more than the legs reach, as a part of their length.
fn wide_apart(source: &Clip, more: f64, path: &Path) {
    let mut contacts = Vec::new();
    for (side, way) in [("Left", 1.0), ("Right", -1.0)] {
        let [hip, knee, ankle] =
            ["UpLeg", "Leg", "Foot"].map(|part| at(source, 60, &format!("{side}{part}")));
        let reach = hip.distance(knee) + knee.distance(ankle);
        // Away from each other, so that hips that come along to one leave the other behind.
        let goal = hip + DVec3::Z * (way * reach * (1.0 + more));
        contacts.push(json!({
            "joint": format!("{side}Foot"), "from": 1.99, "to": 2.01, "hold": "position", "at": goal.to_array(),
        }));
    }
    let file = json!({ "schema": "posekit.contacts/1", "contacts": contacts });
    fs::write(path, file.to_string()).unwrap();
}

/// The translations of nodes that are in the one file and not, or otherwise, in the other.
fn moved(old: &MotionFile, new: &MotionFile) -> Vec<String> {
    let channels = |file: &MotionFile| -> Vec<Channel> {
        file.gltf().unwrap().animations()[0].channels.clone()
    };
    let (before, character) = (channels(old), new.gltf().unwrap().character().unwrap());
    let is_new = |channel: &&Channel| {
        channel.path != TargetPath::Rotation && !before.iter().any(|old| old == *channel)
    };
    let mut names: Vec<String> = channels(new)
        .iter()
        .filter(is_new)
        .map(|channel| character.skeleton().name(character.joint(channel.node).unwrap()).to_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn bones_of_a_gltf_become_longer_where_that_reaches() {
    let place = place("files-stretch");
    let input = glb(&place);
    let (rigid, longer, contacts) =
        (place.join("rigid.glb"), place.join("longer.glb"), place.join("wide.json"));
    let file = open(&input);
    let source = file.clip(0).unwrap();
    let asked = ["--contacts", contacts.to_str().unwrap()];
    let missed = |report: &Value| -> Vec<f64> {
        let contacts = clip(report)["contacts"].as_array().unwrap().clone();
        contacts.iter().map(|contact| contact["residual"].as_f64().unwrap()).collect()
    };
    let cleaned = |output: &Path, more: &[&str]| {
        let all = [&["clean", "--keep-path", "--force"], &asked[..], more, &["-o"]].concat();
        reported(&all, &[output, &input])
    };
    wide_apart(source, APART, &contacts);
    let (without, with) = (cleaned(&rigid, &[]), cleaned(&longer, &["--max-stretch", "0.02"]));
    assert!(missed(&without).iter().all(|miss| *miss > 0.005), "{:?}", missed(&without));
    assert!(missed(&with).iter().all(|miss| *miss < 1e-5), "{:?}", missed(&with));
    let metric = clip(&with)["metrics"].as_array().unwrap().clone();
    let stretch = metric.iter().find(|metric| metric["key"] == "stretch").unwrap();
    let most = stretch["after"].as_f64().unwrap();
    assert!((1.0..=2.0001).contains(&most), "{most} %");
    let (old, new) = (open(&rigid), open(&longer));
    assert_eq!(moved(&old, &new), ["LeftFoot", "LeftLeg", "RightFoot", "RightLeg"]);
    // Away from the contacts bones have their lengths, and nothing is other than without.
    let (a, b) = (old.clip(0).unwrap(), new.clip(0).unwrap());
    for frame in [0, 30, 100, 132] {
        for name in ["Hips", "LeftLeg", "LeftFoot", "RightFoot", "Head"] {
            assert!(at(a, frame, name).distance(at(b, frame, name)) < 1e-6, "{name}, {frame}");
        }
    }
    // Beyond the bound it is missed still, by as much less.
    wide_apart(source, 0.05, &contacts);
    let far = cleaned(&longer, &["--max-stretch", "0.02"]);
    assert!(missed(&far).iter().any(|miss| *miss > 0.01), "{:?}", missed(&far));
    // What was made longer is left as it is by a second run.
    let again = place.join("again.glb");
    wide_apart(source, APART, &contacts);
    cleaned(&longer, &["--max-stretch", "0.02"]);
    let all = [&["clean", "--keep-path", "--max-stretch", "0.02"], &asked[..], &["-o"]].concat();
    assert!(clip(&reported(&all, &[&again, &longer]))["largest_change"].as_f64() < Some(1.0));
    // The joints of a BVH have no channels for it.
    let bvh = clean(&walk(), &place.join("walk.bvh"), &["--max-stretch", "0.02"]);
    assert!(errors(&bvh).contains("have no position channels"), "{}", errors(&bvh));
}

#[test]
fn a_rate_that_is_given_is_written_though_nothing_else_changes() {
    let place = place("files-fps");
    let input = place.join("clean.bvh");
    assert!(clean(&walk(), &input, &[]).status.success());
    let source = fs::read_to_string(&input).unwrap();
    let (_, time) = source.split_once("Frame Time: ").unwrap();
    let time = time.split_whitespace().next().unwrap();
    let expected = source.replacen(&format!("Frame Time: {time}"), "Frame Time: 0.04", 1);
    for (number, command) in
        [&["clean"][..], &["retime", "--speed", "1"], &["convert"]].into_iter().enumerate()
    {
        let output = place.join(format!("{number}.bvh"));
        reported(&[command, &["--fps", "25", "-o"]].concat(), &[&output, &input]);
        assert_eq!(fs::read_to_string(&output).unwrap(), expected, "{command:?}: that alone");
        let found = reported(&["info"], &[&output]);
        assert_eq!(clip(&found)["fps"], json!(25), "{command:?}");
        let same = place.join(format!("{number}-same.bvh"));
        reported(
            &[command, &["--fps", &(1.0 / time.parse::<f64>().unwrap()).to_string(), "-o"]]
                .concat(),
            &[&same, &input],
        );
        assert_eq!(reported(&["info"], &[&same])["clips"], reported(&["info"], &[&input])["clips"]);
    }
    // What is edited, too, keeps the rest of its text.
    let edited = place.join("edited.bvh");
    assert!(clean(&walk(), &edited, &["--fps", "25"]).status.success());
    assert!(fs::read_to_string(&edited).unwrap().contains("Frame Time: 0.04\n"));
    // This repairs a frame time that is none.
    let broken = place.join("broken.bvh");
    fs::write(&broken, source.replacen(time, "0", 1)).unwrap();
    let repaired = place.join("repaired.bvh");
    reported(&["convert", "--fps", "25", "-o"], &[&repaired, &broken]);
    assert_eq!(fs::read_to_string(&repaired).unwrap(), expected);
}

#[test]
fn a_capture_is_converted_to_itself_byte_for_byte() {
    let place = place("files-same");
    let odd = place.join("odd.bvh");
    // Numbers, names, blanks and an End Site that no writer would give.
    let text = "HIERARCHY\r\nROOT  a b\r\n{\r\n  OFFSET 1.50 0 0\r\n  CHANNELS 3 Xrotation Zrotation Yrotation\r\n  End Site\r\n  {\r\n    OFFSET 0 +4.5 0\r\n  }\r\n}\r\nMOTION\r\nFrames:\t2\r\nFrame Time:\t.0333333\r\n4.52346 1e1 -0.000\r\n 4.523460 12 7 \r\n";
    fs::write(&odd, text).unwrap();
    for input in [odd, walk()] {
        let output = place.join("out.bvh");
        reported(&["convert", "--force", "-o"], &[&output, &input]);
        assert_eq!(fs::read(&output).unwrap(), fs::read(&input).unwrap(), "{}", input.display());
    }
    // By way of a GLB numbers have single precision, in which a second way round changes next to nothing.
    let step = |from: &Path, name: &str| {
        let to = place.join(name);
        reported(&["convert", "--unit", "0.01", "-o"], &[&to, from]);
        to
    };
    let (first, second) = {
        let first = step(&step(&walk(), "1.glb"), "1.bvh");
        let again = place.join("2.glb");
        reported(&["convert", "-o"], &[&again, &first]);
        (open(&first), open(&step(&again, "2.bvh")))
    };
    let source = open(&walk());
    let clips = [&source, &first, &second].map(|file| file.clip(0).unwrap());
    let scale = [0.01, 1.0, 1.0];
    for frame in [0, 50, 132] {
        for name in ["Hips", "LeftFoot", "Head"] {
            let [a, b, c] = [0, 1, 2].map(|k| at(clips[k], frame, name) * scale[k]);
            assert!(a.distance(b) < 2e-6 && b.distance(c) < 2e-6, "{name}: {a} {b} {c}");
        }
    }
}

#[test]
fn legs_at_rest_say_which_way_is_up_where_nothing_else_does() {
    let place = place("files-up");
    let folder = place.join("captures");
    fs::create_dir(&folder).unwrap();
    let leg = |side: f64| {
        format!(
            "JOINT hip{side}\n{{\nOFFSET {side} 0 -1\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT knee{side}\n{{\nOFFSET 0 0 -6\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT ankle{side}\n{{\nOFFSET 0 0 -6\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT toe{side}\n{{\nOFFSET 0 3 -1\nCHANNELS 0\n}}\n}}\n}}\n}}\n"
        )
    };
    let file = |legs: &str| {
        let rows =
            format!("{}\n", "0 ".repeat(6 + 9 * legs.matches("JOINT knee").count())).repeat(2);
        format!(
            "HIERARCHY\nROOT pelvis\n{{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n{legs}}}\nMOTION\nFrames: 2\nFrame Time: 0.01\n{rows}"
        )
    };
    fs::write(folder.join("legs.bvh"), file(&(leg(1.0) + &leg(-1.0)))).unwrap();
    fs::write(folder.join("none.bvh"), file("")).unwrap();
    fs::copy(walk(), folder.join("walk.bvh")).unwrap();
    let one = run(&["info"], &[&folder.join("legs.bvh")]);
    assert!(
        text(&one).contains("+z up")
            && text(&one).contains("Z is probably up (by its legs at rest)")
    );
    assert_eq!(errors(&one), "", "reported with all else");
    let all = run(&["info"], &[&folder]);
    let words = errors(&all);
    assert!(words.contains("uncertain; +z is used, and --up overrides it: legs.bvh"), "{words}");
    assert!(words.contains("uncertain; +y is used, and --up overrides it: none.bvh"), "{words}");
    assert!(!words.contains("walk.bvh"), "{words}");
    assert_eq!(errors(&run(&["info", "--up", "z"], &[&folder])), "", "then it is known");
}

#[test]
fn a_fast_motion_keeps_its_frames() {
    let place = place("files-fast");
    let input = place.join("fast.glb");
    let file = open(&walk());
    let source = file.clip(0).unwrap();
    let fast = Clip::try_new(source.skeleton().clone(), 1e-3, source.values().to_vec()).unwrap();
    fs::write(&input, to_glb(&fast, "fast").unwrap()).unwrap();
    let found = reported(&["info"], &[&input]);
    assert_eq!(clip(&found)["fps"].as_f64().map(f64::round), Some(1000.0));
    assert_eq!(clip(&found)["frames"], json!(source.n_frames()));
    assert_eq!(errors(&run(&["info"], &[&input])), "");
    // Without a steady rate there are fewer frames, which is reported.
    let (mut file, mut data) = parts(&input);
    let times: Vec<f32> =
        (0..source.n_frames()).map(|k| (9 * k + k * k % 7) as f32 * 1e-4).collect();
    let input_of = add_numbers(&mut file, &mut data, "SCALAR", &times);
    let old = file["animations"][0]["samplers"][0]["input"].clone();
    for sampler in file["animations"][0]["samplers"].as_array_mut().unwrap() {
        if sampler["input"] == old {
            sampler["input"] = json!(input_of);
        }
    }
    put_together(&input, &file, data);
    let words = errors(&run(&["info"], &[&input]));
    assert!(
        words.contains("keys per second") && words.contains("without a steady rate"),
        "{words}"
    );
    assert_eq!(errors(&run(&["info", "--fps", "500"], &[&input])), "");
}

#[test]
fn what_docs_say_of_another_time_is_measured() {
    let place = place("files-page");
    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/motion.md"))
            .unwrap();
    // The lines of the page, on the clip that it names.
    let (_, lines) = page.split_once("## Another time").unwrap();
    let lines: Vec<&str> =
        lines.lines().filter(|line| line.starts_with("posekit ")).take(3).collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    fs::copy(walk(), place.join("walk.bvh")).unwrap();
    let mut slides = Vec::new();
    for line in lines {
        let words: Vec<&str> = line.split_whitespace().skip(1).collect();
        let output = motion_support::posekit().args(&words).current_dir(&place).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{line}: {}", errors(&output));
        let at = words.iter().position(|word| *word == "-o").unwrap();
        let report = reported(&["check", "--bound", "500"], &[&place.join(words[at + 1])]);
        let metrics = clip(&report)["metrics"].as_array().unwrap().clone();
        slides.push(["drift_median", "drift_max"].map(|key| {
            let metric = metrics.iter().find(|metric| metric["key"] == key).unwrap();
            metric["before"].as_f64().unwrap()
        }));
    }
    let [cleaned, between, held] = <[[f64; 2]; 3]>::try_from(slides).unwrap();
    assert!(cleaned[1] < 0.05 && held[1] < 0.05, "{cleaned:?} {held:?}");
    let sentence = format!(
        "slide by {:.1} mm at the median and {:.1} mm at most after the second line",
        between[0], between[1]
    );
    let flat = page.replace('\n', " ");
    assert!(flat.contains(&sentence), "{sentence}");
}

#[test]
fn two_files_for_one_name_are_told_and_neither_is_lost() {
    let place = place("files-clash");
    let folder = place.join("in");
    fs::create_dir(&folder).unwrap();
    let empty = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n}\nMOTION\nFrames: 0\nFrame Time: 0.03\n";
    fs::write(folder.join("empty.bvh"), empty).unwrap();
    let made = run(&["convert", "-o"], &[&folder.join("empty.glb"), &folder.join("empty.bvh")]);
    assert!(made.status.success(), "{}", errors(&made));
    for (to, timeout) in [("bvh", &[][..]), ("glb", &[]), ("glb", &["--timeout", "60"])] {
        let output = place.join(format!("{to}-{}", timeout.len()));
        let all = [&["convert", "--to", to], timeout, &["-o"]].concat();
        let converted = run(&all, &[&output, &folder]);
        assert_eq!(converted.status.code(), Some(4), "{}", errors(&converted));
        let words = "empty.glb: its output would be that of empty.bvh; rename one of them";
        assert!(text(&converted).contains(words), "{}", text(&converted));
        assert!(output.join(format!("empty.{to}")).is_file());
        // Of the two the one that was first: nothing is written over.
        let again = run(&all, &[&output, &folder]);
        assert_eq!(again.status.code(), Some(4));
        assert!(text(&again).contains("1 done before"), "{}", text(&again));
    }
}

/// A glTF of text with its data, and a picture, in files beside it.
fn with_files_beside(folder: &Path, place: &Path) -> PathBuf {
    let (mut file, data) = parts(&glb(place));
    file["buffers"][0]["uri"] = json!("data/walk%20a.bin");
    file["buffers"][0]["byteLength"] = json!(data.len());
    file["images"] = json!([{ "uri": "skin.png" }]);
    fs::create_dir_all(folder.join("data")).unwrap();
    fs::write(folder.join("data/walk a.bin"), data).unwrap();
    fs::write(folder.join("skin.png"), "picture").unwrap();
    let path = folder.join("walk.gltf");
    fs::write(&path, file.to_string()).unwrap();
    path
}

#[test]
fn what_a_gltf_names_goes_along_with_it() {
    let place = place("files-beside");
    let folder = place.join("in");
    let input = with_files_beside(&folder, &place);
    for (output, from) in [("out", &folder), ("one/walk.gltf", &input)] {
        let target = place.join(output);
        fs::create_dir_all(place.join("one")).unwrap();
        let cleaned = clean(from, &target, &[]);
        assert_eq!(cleaned.status.code(), Some(0), "{}", errors(&cleaned));
        let words = "files that it names are copied beside it: data/walk a.bin, skin.png";
        assert!(errors(&cleaned).contains(words), "{}", errors(&cleaned));
        let made = if from.is_dir() { target.join("walk.gltf") } else { target };
        let own = made.parent().unwrap();
        assert_eq!(fs::read(own.join("skin.png")).unwrap(), b"picture");
        let slide = reported(&["check", "--bound", "500"], &[&made]);
        let metrics = clip(&slide)["metrics"].as_array().unwrap().clone();
        assert!(
            metrics.iter().all(|m| m["key"] != "drift_max" || m["before"].as_f64() < Some(1.0))
        );
    }
    let again = clean(&folder, &place.join("out"), &[]);
    assert!(text(&again).contains("1 done before"), "{}", text(&again));
    // What is there and is something else is not written over.
    fs::create_dir(place.join("taken")).unwrap();
    fs::write(place.join("taken/skin.png"), "another").unwrap();
    let taken = clean(&input, &place.join("taken/walk.gltf"), &[]);
    assert_eq!(taken.status.code(), Some(2));
    assert!(
        errors(&taken).contains("a file beside the output already exists"),
        "{}",
        errors(&taken)
    );
    assert_eq!(fs::read(place.join("taken/skin.png")).unwrap(), b"another");
    assert!(!place.join("taken/walk.gltf").exists(), "nothing is written then");
    // What is not there cannot go along, which is reported.
    fs::remove_file(folder.join("skin.png")).unwrap();
    let without = clean(&input, &place.join("one/without.gltf"), &["--force"]);
    assert_eq!(without.status.code(), Some(0), "{}", errors(&without));
}

/// A link may lead out of the folder: what is there is nobody's business.
#[test]
#[cfg(unix)]
fn what_a_link_leads_out_to_is_not_copied() {
    let place = place("files-linked");
    let folder = place.join("in");
    let input = with_files_beside(&folder, &place);
    fs::write(place.join("secret"), "secret").unwrap();
    fs::remove_file(folder.join("skin.png")).unwrap();
    std::os::unix::fs::symlink(place.join("secret"), folder.join("skin.png")).unwrap();
    let cleaned = clean(&input, &place.join("out.gltf"), &[]);
    assert_eq!(cleaned.status.code(), Some(0), "{}", errors(&cleaned));
    let words = "it names files that are not in its folder: skin.png";
    assert!(errors(&cleaned).contains(words), "{}", errors(&cleaned));
    assert!(!place.join("skin.png").exists(), "it is not copied");
}

/// A time that was mistyped is refused before anything is made, whatever the form: all that is written can be read again.
#[test]
fn a_time_that_no_file_holds_is_refused() {
    let place = place("long");
    for (input, time, limit) in [
        (walk(), ["--duration", "60000"], "1073741824"),
        (glb(&place), ["--speed", "0.0001"], "33554432"),
    ] {
        let output = place.join("out").with_extension(input.extension().unwrap());
        let retimed = run(&[&["retime"], &time[..], &["-o"]].concat(), &[&output, &input]);
        let said = errors(&retimed);
        assert_eq!(retimed.status.code(), Some(3), "{said}");
        assert!(said.contains(limit) && said.contains("reduce the duration"), "{said}");
        assert!(!said.contains("Limits"), "it is reported in words of the command: {said}");
        assert!(!output.exists(), "nothing is written");
    }
}

#[test]
fn a_motion_of_any_length_may_stay_as_long_as_it_is() {
    let text = fs::read(walk()).unwrap();
    let limits = Limits::default().with_motion_bytes(text.len());
    let (options, warnings) = (MotionOptions::default(), &mut Warnings::new());
    let file = MotionFile::from_bytes(&text, &mut no_files, &options, &limits, warnings).unwrap();
    let n_frames = file.clip(0).unwrap().n_frames() as f64;
    assert_eq!(file.check_lengths(&[(0, n_frames)]), Ok(()));
    let longer = file.check_lengths(&[(0, 2.0 * n_frames)]);
    assert!(matches!(longer, Err(Error::TooLarge { .. })), "{longer:?}");
}
