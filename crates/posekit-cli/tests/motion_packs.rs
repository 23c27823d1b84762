//! Files with several motions, and characters with none: what each of the motion commands makes of them.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

mod motion_support;

use std::fs;
use std::path::{Path, PathBuf};

use motion_support::{clean, content, errors, json, place, run, text, walk};
use serde_json::{Value, json};

/// A GLB with the walk four times: under two names that some systems take for one, under one that no system takes, and under none.
fn pack(place: &Path) -> PathBuf {
    let path = place.join("pack.glb");
    let converted = run(&["convert", "-o"], &[&path, &walk()]);
    assert!(converted.status.success(), "{}", errors(&converted));
    edit(&path, |json| {
        let walk = json["animations"][0].clone();
        let named = |name: Value| {
            let mut walk = walk.clone();
            walk["name"] = name;
            walk
        };
        let mut without = walk.clone();
        without.as_object_mut().unwrap().remove("name");
        json["animations"] =
            json!([named(json!("Walk")), named(json!("walk")), named(json!("a/b:c")), without]);
    });
    path
}

/// Changes the JSON of a GLB.
fn edit(path: &Path, change: impl FnOnce(&mut Value)) {
    let file = fs::read(path).unwrap();
    let length = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    let end = 20 + length(12);
    let mut json = serde_json::from_slice(&file[20..end]).unwrap();
    change(&mut json);
    let mut text = serde_json::to_vec(&json).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    let size = |n: usize| u32::try_from(n).unwrap().to_le_bytes();
    let (whole, own) = (size(20 + text.len() + file.len() - end), size(text.len()));
    let parts: [&[u8]; 7] = [b"glTF", &size(2), &whole, &own, b"JSON", &text, &file[end..]];
    fs::write(path, parts.concat()).unwrap();
}

fn names(folder: &Path) -> Vec<String> {
    content(folder).into_keys().map(|name| name.to_string_lossy().replace('\\', "/")).collect()
}

#[test]
fn each_motion_of_a_file_goes_to_a_file_of_its_own() {
    let place = place("packs-convert");
    let pack = pack(&place);
    let one = run(&["convert", "-o"], &[&place.join("one.bvh"), &pack]);
    assert_eq!(one.status.code(), Some(2));
    let words = errors(&one);
    assert!(
        words.contains("there are 4") && words.contains("a folder for all of them: -o OUT/"),
        "{words}"
    );

    let folder = place.join("motions");
    let output = run(&["convert", "--json", "-o"], &[&folder.join(""), &pack]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let expected = ["Walk.bvh", "a_b_c.bvh", "pack-4.bvh", "walk-2.bvh"];
    assert_eq!(names(&folder), expected);
    let report = json(&text(&output));
    let clips = report["files"][0]["clips"].as_array().unwrap();
    let reported: Vec<_> = clips
        .iter()
        .map(|clip| (clip["number"].as_u64(), clip["output"].as_str().unwrap()))
        .collect();
    assert_eq!(
        reported,
        [
            (Some(1), "Walk.bvh"),
            (Some(2), "walk-2.bvh"),
            (Some(3), "a_b_c.bvh"),
            (Some(4), "pack-4.bvh")
        ]
    );
    // Each is the walk, and the same as when it is asked for by its number.
    let alone = place.join("alone.bvh");
    assert!(run(&["convert", "--clip", "3", "-o"], &[&alone, &pack]).status.success());
    for (name, bytes) in content(&folder) {
        assert!(bytes == fs::read(&alone).unwrap(), "{}", name.display());
    }

    // What is there is not replaced, and nothing of it is written then.
    let before = content(&folder);
    fs::remove_file(folder.join("Walk.bvh")).unwrap();
    fs::write(folder.join("walk-2.bvh"), "edited by hand").unwrap();
    let again = run(&["convert", "-o"], &[&folder, &pack]);
    assert_eq!(again.status.code(), Some(2), "{}", text(&again));
    assert!(
        errors(&again).contains("give --force to replace it")
            && errors(&again).contains("walk-2.bvh")
    );
    assert!(!folder.join("Walk.bvh").exists());
    let forced = run(&["convert", "--force", "-o"], &[&folder, &pack]);
    assert!(forced.status.success() && content(&folder) == before);
    assert!(
        text(&forced).contains("  walk-2.bvh\n") && text(&forced).contains("written: "),
        "{}",
        text(&forced)
    );

    // One of several keeps its name in a folder, too.
    let chosen = place.join("chosen");
    assert!(run(&["convert", "--clip", "3", "-o"], &[&chosen.join(""), &pack]).status.success());
    assert_eq!(names(&chosen), ["a_b_c.bvh"]);
}

#[test]
fn a_motion_that_cannot_be_converted_stops_none_of_the_others() {
    let place = place("packs-fault");
    let pack = pack(&place);
    // The last key of the second motion comes after four months: no one could hold its frames.
    edit(&pack, |json| {
        let input = json["animations"][1]["samplers"][0]["input"].clone();
        let mut late = json["accessors"][usize::try_from(input.as_u64().unwrap()).unwrap()].clone();
        let (view, buffer) = (json["bufferViews"].as_array().unwrap().len(), 1);
        late["sparse"] = json!({ "count": 1, "indices": { "bufferView": view, "componentType": 5123 },
            "values": { "bufferView": view, "byteOffset": 4 } });
        let uri = "data:application/octet-stream;base64,hAAAAICWGEs=";
        json["buffers"].as_array_mut().unwrap().push(json!({ "byteLength": 8, "uri": uri }));
        let own = json!({ "buffer": buffer, "byteLength": 8 });
        json["bufferViews"].as_array_mut().unwrap().push(own);
        let accessors = json["accessors"].as_array_mut().unwrap();
        accessors.push(late);
        let late = accessors.len() - 1;
        for sampler in json["animations"][1]["samplers"].as_array_mut().unwrap() {
            if sampler["input"] == input {
                sampler["input"] = json!(late);
            }
        }
    });
    let folder = place.join("motions");
    let output = run(&["convert", "-o"], &[&folder.join(""), &pack]);
    assert_eq!(output.status.code(), Some(4), "{}", text(&output) + &errors(&output));
    assert_eq!(names(&folder), ["Walk.bvh", "a_b_c.bvh", "pack-4.bvh"]);
    assert!(text(&output).contains("the number of values"), "{}", text(&output));
    let alone = run(&["convert", "--clip", "2", "-o"], &[&place.join("x.bvh"), &pack]);
    assert!(alone.status.code() == Some(3) && errors(&alone).contains("reduce the rate"));
}

#[test]
fn folders_of_packs_become_folders_of_motions() {
    let place = place("packs-folder");
    let captures = place.join("captures");
    fs::create_dir_all(captures.join("more")).unwrap();
    pack(&captures.join("more"));
    fs::copy(walk(), captures.join("walk.bvh")).unwrap();
    let out = place.join("out");
    let convert = |to: &str, more: &[&str]| {
        let output = run(&[&["convert", "--to", to, "-o"], more].concat(), &[&out, &captures]);
        (output.status.code(), text(&output) + &errors(&output))
    };
    let (code, reported) = convert("bvh", &[]);
    assert_eq!(code, Some(0), "{reported}");
    let expected = [
        "more/pack/Walk.bvh",
        "more/pack/a_b_c.bvh",
        "more/pack/pack-4.bvh",
        "more/pack/walk-2.bvh",
        "walk.bvh",
    ];
    assert_eq!(names(&out), expected);
    assert!(reported.contains("4 motions"), "{reported}");
    let (code, reported) = convert("bvh", &[]);
    assert!(code == Some(0) && reported.contains("2 files: 0 done, 2 done before"), "{reported}");
    // One that is gone is made again; one that was edited is not replaced.
    let (first, second) = (out.join("more/pack/Walk.bvh"), out.join("more/pack/walk-2.bvh"));
    fs::remove_file(&first).unwrap();
    let (code, reported) = convert("bvh", &[]);
    assert!(
        code == Some(0) && first.is_file() && reported.contains("1 done, 1 done before"),
        "{reported}"
    );
    fs::write(&second, "edited by hand").unwrap();
    let (code, reported) = convert("bvh", &[]);
    assert!(code == Some(4) && reported.contains("give --force"), "{reported}");
    assert_eq!(fs::read_to_string(&second).unwrap(), "edited by hand");

    // And back: a folder of motion captures as GLB.
    let back = place.join("back");
    let output = run(&["convert", "--to", "glb", "-o"], &[&back, &out.join("more")]);
    assert_eq!(output.status.code(), Some(4), "one was edited: {}", errors(&output));
    assert_eq!(names(&back).len(), 3, "{:?}", names(&back));
}

#[test]
fn several_motions_are_a_table_and_one_of_them_is_told_whole() {
    let place = place("packs-reported");
    let pack = pack(&place);
    let out = place.join("clean.glb");
    let cleaned = clean(&pack, &out, &[]);
    assert!(cleaned.status.success(), "{}", errors(&cleaned));
    for (reported, heads) in [
        (text(&run(&["info"], &[&pack])), &["frames", "fps"][..]),
        (text(&run(&["check"], &[&pack])), &["plants", "slide (mm)", "worst (mm)", "slide by"]),
        (text(&cleaned), &["plants", "before (mm)", "after (mm)", "68 of 68 plants hold now"]),
    ] {
        assert!(reported.contains("GLB, 4 motions, 27 joints, +y up, unit 1 m"), "{reported}");
        assert!(heads.iter().all(|head| reported.contains(head)), "{reported}");
        assert_eq!(
            reported.matches("left leg: LeftUpLeg").count(),
            1,
            "legs are named once: {reported}"
        );
        assert!(
            reported.lines().count() < 20
                && reported.lines().all(|line| line.chars().count() <= 160),
            "{reported}"
        );
        assert!(reported.contains("\n3  a/b:c "), "{reported}");
    }
    let one = text(&run(&["check", "-v", "--clip", "a/b:c"], &[&pack]));
    assert!(one.contains("\nleft heel ") && one.contains("straightest knee"), "{one}");
    // All motions of the cleaned file are clean.
    let again = run(&["check", "--bound", "0.5"], &[&out]);
    assert_eq!(again.status.code(), Some(0), "{}", text(&again));
}

#[test]
fn a_character_without_a_motion_is_converted_as_it_rests() {
    let place = place("packs-rest");
    let still = pack(&place);
    edit(&still, |json| {
        json.as_object_mut().unwrap().remove("animations");
    });
    let [bvh, glb, back] = ["rest.bvh", "rest.glb", "back.bvh"].map(|name| place.join(name));
    let output = run(&["convert", "-o"], &[&bvh, &still]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(
        errors(&output).contains("its rest pose is written as one frame"),
        "{}",
        errors(&output)
    );
    assert!(text(&output).contains("27 joints, no motion"), "{}", text(&output));
    let written = fs::read_to_string(&bvh).unwrap();
    let (head, rows) = written.split_once("Frames: 1\n").unwrap();
    assert!(head.contains("JOINT LeftUpLeg"), "{head}");
    let rows: Vec<&str> = rows.lines().skip(1).collect();
    let turned = rows[0].split(' ').skip(3).filter(|angle| angle.parse() != Ok(0.0)).count();
    assert_eq!((rows.len(), turned), (1, 0), "at rest no joint is turned");
    // As a GLB it has joints and no motion, and comes back as the same.
    assert!(run(&["convert", "-o"], &[&glb, &still]).status.success());
    assert!(text(&run(&["info"], &[&glb])).contains("no motion"));
    assert!(run(&["convert", "-o"], &[&back, &glb]).status.success());
    assert_eq!(fs::read_to_string(&back).unwrap(), written);
    // Nothing is to be cleaned, and the copy is the same.
    let copy = place.join("copy.glb");
    let cleaned = clean(&still, &copy, &[]);
    assert!(cleaned.status.success() && text(&cleaned).contains("no motion in it"));
    assert_eq!(fs::read(&copy).unwrap(), fs::read(&still).unwrap());
}

#[test]
fn a_file_goes_into_a_folder_under_its_own_name() {
    let place = place("packs-into");
    let input = place.join("walk.bvh");
    fs::copy(walk(), &input).unwrap();
    let out = place.join("out");
    // A folder that is not there yet is one by the end of its name.
    assert!(clean(&input, &out.join(""), &[]).status.success());
    let retimed = run(&["retime", "--to-fps", "15", "-o"], &[&place.join("more").join(""), &input]);
    assert!(retimed.status.success(), "{}", errors(&retimed));
    let convert = run(&["convert", "-o"], &[&out, &input]);
    assert!(convert.status.success(), "a BVH becomes a GLB: {}", errors(&convert));
    assert_eq!(names(&out), ["walk.bvh", "walk.glb"]);
    assert_eq!(names(&place.join("more")), ["walk.bvh"]);
    for (folder, words) in [(&out, "already exists"), (&place, "the output is the input")] {
        let refused = clean(&input, folder, &[]);
        assert_eq!(refused.status.code(), Some(2));
        assert!(errors(&refused).contains(words), "{}", errors(&refused));
    }
    assert_eq!(fs::read(&input).unwrap(), fs::read(walk()).unwrap());
}

#[test]
fn the_page_of_several_motions_has_an_index_and_a_section_for_each() {
    let place = place("packs-page");
    let pack = pack(&place);
    let [out, page] = ["clean.glb", "page.html"].map(|name| place.join(name));
    let cleaned = clean(&pack, &out, &["--json", "--report", page.to_str().unwrap()]);
    assert!(cleaned.status.success(), "{}", errors(&cleaned));
    let page = fs::read_to_string(page).unwrap();
    let index = page.split("<nav").nth(1).unwrap().split("</nav>").next().unwrap();
    for head in ["motion", "hips (mm)", "change (mm)", "at (s)", "deepest (mm)"] {
        assert!(index.contains(&format!(">{head}</th>")), "{head}: {index}");
    }
    for number in 1..=4 {
        assert!(index.contains(&format!("href=\"#motion-{number}\"")), "{index}");
        assert!(page.contains(&format!("id=\"motion-{number}\"")), "motion {number}");
    }
    let clip = json(&text(&cleaned))["files"][0]["clips"][0].clone();
    let number = |key: &str| clip[key].as_f64().unwrap();
    assert!(number("hip_shift") > 1.0 && number("hip_shift") <= number("largest_change"), "{clip}");
    assert!((0.0..=4.5).contains(&number("largest_change_time")), "{clip}");
    assert!((0.0..50.0).contains(&number("deepest_foot")), "{clip}");
}
