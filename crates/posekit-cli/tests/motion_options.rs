//! What the options of `posekit clean` promise, by the command: how much is applied, what is left unchanged, which floor, and which path.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

mod motion_support;

use std::fs;
use std::path::{Path, PathBuf};

use motion_support::{clean, errors, json, place, posekit, text, walk};
use serde_json::Value;

/// Captures of the collection of assets; none where it is not at hand, which on a build server is a failure.
fn captures(names: &[&str]) -> Vec<PathBuf> {
    let folder = std::env::var_os("POSEKIT_ASSETS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/assets"),
        PathBuf::from,
    );
    let is_here = folder.join("MANIFEST.md").is_file();
    let is_server = std::env::var("CI").as_deref() == Ok("true");
    assert!(is_here || !is_server, "no assets at {}", folder.display());
    let names = names.iter().filter(|_| is_here);
    names.map(|name| folder.join("bvh").join(name)).collect()
}

/// What is reported of the one motion of a file.
fn reported(input: &Path, output: &Path, more: &[&str]) -> Value {
    let run = clean(input, output, &[more, &["--force", "--json"]].concat());
    assert!(run.status.success(), "{more:?}: {}", errors(&run));
    json(&text(&run))["files"][0]["clips"][0].take()
}

/// What the command says, and what it warns of.
fn said(input: &Path, output: &Path, more: &[&str]) -> (String, String) {
    let run = clean(input, output, &[more, &["--force"]].concat());
    assert!(run.status.success(), "{more:?}: {}", errors(&run));
    (text(&run), errors(&run))
}

fn plants(reported: &Value) -> &[Value] {
    reported["plants"].as_array().map_or(&[], Vec::as_slice)
}

fn slide(plant: &Value, when: &str) -> f64 {
    plant[when].as_f64().unwrap()
}

/// The largest slides, before and after.
fn worst(reported: &Value) -> [f64; 2] {
    ["drift_before", "drift_after"]
        .map(|when| plants(reported).iter().map(|plant| slide(plant, when)).fold(0.0, f64::max))
}

/// The rows of numbers of a BVH.
fn rows(path: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).unwrap();
    let (_, motion) = text.split_once("Frame Time:").unwrap();
    let rows = motion.lines().skip(1).filter(|row| !row.trim().is_empty());
    rows.map(|row| row.split_whitespace().map(str::to_owned).collect()).collect()
}

#[test]
fn half_of_the_strength_leaves_half_of_every_slide() {
    let place = place("options-half");
    let output = place.join("out.bvh");
    let some = ["makehuman_zombieWalk1.bvh", "cmu_iclone_002_01.bvh", "mocapbank.bvh"];
    for input in captures(&some).into_iter().chain([walk()]) {
        let whole = reported(&input, &output, &[]);
        for part in [0.5, 0.25] {
            let reported = reported(&input, &output, &["--strength", &part.to_string()]);
            assert_eq!(plants(&reported).len(), plants(&whole).len(), "{}", input.display());
            for (plant, whole) in plants(&reported).iter().zip(plants(&whole)) {
                let (was, is) = (slide(plant, "drift_before"), slide(plant, "drift_after"));
                let before = slide(whole, "drift_before");
                assert!((was - before).abs() < 1e-6, "before is before: {was} and {before}");
                if plant["verdict"] == "lessened" {
                    let left = (1.0 - part) * was;
                    assert!((is - left).abs() < 0.02 * was + 0.05, "{is} of {was}, not {left}");
                }
            }
        }
    }
}

#[test]
fn no_strength_changes_nothing() {
    let place = place("options-none");
    let output = place.join("out.bvh");
    for input in captures(&["makehuman_zombieWalk1.bvh"]).into_iter().chain([walk()]) {
        let (reported, _) = said(&input, &output, &["--strength", "0"]);
        assert!(reported.contains("Nothing was changed: the strength is 0."), "{reported}");
        assert_eq!(fs::read(&output).unwrap(), fs::read(&input).unwrap());
    }
}

#[test]
fn contacts_that_are_saved_at_any_strength_are_those_of_all_of_it() {
    let place = place("options-saved");
    let [output, other, half, all] =
        ["out.bvh", "other.bvh", "half.json", "all.json"].map(|name| place.join(name));
    let path = |path: &Path| path.to_str().unwrap().to_owned();
    let _ = said(&walk(), &output, &["--strength", "0.5", "--save-contacts", &path(&half)]);
    let _ = said(&walk(), &other, &["--save-contacts", &path(&all)]);
    assert_eq!(fs::read(&half).unwrap(), fs::read(&all).unwrap());
    let given = place.join("given.bvh");
    let (reported, _) = said(&walk(), &given, &["--contacts", &path(&half)]);
    assert!(reported.contains("17 of 17 given contacts hold now."), "{reported}");
    let (reported, _) = said(&walk(), &given, &["--contacts", &path(&half), "--strength", "0.5"]);
    assert!(
        reported.contains(
            "17 given contacts, partly corrected as requested, with a remaining error of up to"
        ),
        "{reported}"
    );
    assert!(!reported.contains("missed"), "{reported}");
}

#[test]
fn what_is_kept_is_as_it_was() {
    let place = place("options-kept");
    let output = place.join("out.bvh");
    for more in [&[][..], &["--keep-path"], &["--strength", "0.5"]] {
        let keep = [&["--keep", "0.5:1.5", "--keep", "2.5:3"], more].concat();
        let reported = reported(&walk(), &output, &keep);
        let mut n_kept = 0;
        for plant in plants(&reported) {
            let (was, is) = (slide(plant, "drift_before"), slide(plant, "drift_after"));
            if plant["reason"] == "left unchanged as requested" {
                n_kept += 1;
                assert!((was - is).abs() < 1e-3, "{more:?}: {was} became {is}");
            } else if !more.contains(&"--strength") {
                assert!(is < 0.01, "{more:?}: {is} of {was} is left beside what is kept");
            }
        }
        assert!(n_kept >= 9, "{n_kept}");
        let (before, after) = (rows(&walk()), rows(&output));
        assert_eq!(before[15..46], after[15..46], "frames of the first time that is kept");
        let mut offsets = Vec::new();
        for (was, is) in before[75..91].iter().zip(&after[75..91]) {
            assert_eq!(was[3..], is[3..], "poses of the second");
            let number = |row: &[String], k: usize| row[k].parse::<f64>().unwrap();
            offsets.push([0, 1, 2].map(|k| number(is, k) - number(was, k)));
        }
        for k in 0..3 {
            let values = offsets.iter().map(|offset| offset[k]);
            let (low, high) =
                (values.clone().fold(f64::MAX, f64::min), values.fold(f64::MIN, f64::max));
            assert!(high - low < 1e-3, "it goes along as a whole: {low} to {high}");
        }
    }
}

#[test]
fn ends_that_are_kept_are_as_they_were() {
    let output = place("options-ends").join("out.bvh");
    let reported = reported(&walk(), &output, &["--keep-ends"]);
    let (before, after) = (rows(&walk()), rows(&output));
    let last = before.len() - 1;
    assert_eq!([&before[..2], &before[last - 1..]], [&after[..2], &after[last - 1..]]);
    assert_ne!(before[last / 2], after[last / 2]);
    let is_fixed = |plant: &&Value| plant["verdict"] == "fixed";
    let fixed: Vec<f64> = plants(&reported)
        .iter()
        .filter(is_fixed)
        .map(|plant| slide(plant, "drift_after"))
        .collect();
    assert!(fixed.len() > 5 && fixed.iter().all(|slide| *slide < 0.01), "{fixed:?}");
}

#[test]
fn words_of_what_is_kept_and_lessened() {
    let place = place("options-words");
    let output = place.join("out.bvh");
    let (reported, _) = said(&walk(), &output, &["--keep", "1:2"]);
    assert!(
        reported.contains("14 of 20 plants hold now, 6 left unchanged: the median"),
        "{reported}"
    );
    let (reported, _) = said(&walk(), &output, &["--keep", "1:2", "--strength", "0.5"]);
    assert!(
        reported.contains(
            "14 of 20 plants, partly corrected as requested, 6 left unchanged: the median"
        ),
        "{reported}"
    );
    let (_, warned) = said(&walk(), &output, &["--keep", "30:40"]);
    assert!(
        warned.contains("--keep 30:40 has no effect: there is no frame in this time"),
        "{warned}"
    );
    let (reported, _) = said(&walk(), &output, &["--keep", "0:9"]);
    assert!(reported.contains("Nothing was changed"), "{reported}");
    assert_eq!(fs::read(&output).unwrap(), fs::read(walk()).unwrap());
}

#[test]
fn contacts_are_refused_in_a_time_that_is_kept() {
    let place = place("options-refused");
    let [output, again, saved, kept] =
        ["out.bvh", "again.bvh", "saved.json", "kept.json"].map(|name| place.join(name));
    let path = |path: &Path| path.to_str().unwrap().to_owned();
    let _ = said(&walk(), &output, &["--save-contacts", &path(&saved)]);
    let refused = clean(&walk(), &again, &["--contacts", &path(&saved), "--keep", "1:2"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        errors(&refused).contains("--keep 1:2 leaves this time unchanged"),
        "{}",
        errors(&refused)
    );
    let _ = said(&walk(), &output, &["--keep", "1:2", "--save-contacts", &path(&kept)]);
    let (reported, _) = said(&walk(), &again, &["--keep", "1:2", "--contacts", &path(&kept)]);
    assert!(reported.contains(" given contacts hold now."), "{reported}");
}

#[test]
fn what_is_told_of_given_contacts_is_what_a_check_of_the_result_tells() {
    let place = place("options-retimed");
    let [clean, between, held] =
        ["clean.bvh", "between.bvh", "held.bvh"].map(|name| place.join(name));
    let [saved, moved] = ["feet.json", "feet-50.json"].map(|name| place.join(name));
    let path = |path: &Path| path.to_str().unwrap().to_owned();
    let _ = said(&walk(), &clean, &["--save-contacts", &path(&saved)]);
    let retime = ["retime", &path(&clean), "--to-fps", "50", "-o", &path(&between)];
    let contacts = ["--contacts", &path(&saved), "--save-contacts", &path(&moved)];
    let run = posekit().args(retime).args(contacts).output().unwrap();
    assert!(run.status.success(), "{}", errors(&run));
    let given = ["--contacts", &path(&moved)];
    let [before, after] = worst(&reported(&between, &held, &given));
    assert!(before > 0.1 && after < 0.01, "{before} to {after}");
    let (words, _) = said(&between, &held, &given);
    let rest = "the median slide fell from 0.1 mm to 0.0 mm, the worst from 0.2 mm to 0.0 mm.";
    let wanted = format!("17 of 17 given contacts hold now. 17 plants found in the source: {rest}");
    assert!(words.contains(&wanted), "{words}");
    let check = posekit().args(["check", "--json"]).arg(&held).output().unwrap();
    let check = json(&text(&check))["files"][0]["clips"][0].take();
    let reported = reported(&between, &held, &given);
    assert_eq!(plants(&reported).len(), plants(&check).len());
    for (reported, checked) in plants(&reported).iter().zip(plants(&check)) {
        assert!((slide(reported, "drift_after") - slide(checked, "drift_before")).abs() < 0.01);
    }
    // What they leave out is none of the plants, and is judged as far as they hold it.
    let mut file = json(&fs::read_to_string(&moved).unwrap());
    let all = file["contacts"].as_array_mut().unwrap();
    all.remove(9);
    let long = &mut all[4];
    long["to"] = (long["to"].as_f64().unwrap() - 0.2).into();
    fs::write(&moved, file.to_string()).unwrap();
    let reported = self::reported(&between, &held, &given);
    let n_sliding =
        plants(&reported).iter().filter(|plant| slide(plant, "drift_after") > 0.05).count();
    assert_eq!((plants(&reported).len(), n_sliding), (16, 0), "{reported}");
}

#[test]
fn contacts_of_which_none_holds_have_no_others() {
    let place = place("options-missed");
    let (output, file) = (place.join("out.bvh"), place.join("far.json"));
    // Farther apart than hands can be.
    let contact = |joint: &str, x: f64| {
        format!(
            r#"{{"joint": "{joint}", "from": 1, "to": 2, "hold": "position", "at": [{x}, 90, 90]}}"#
        )
    };
    let both = format!(
        r#"{{"schema": "posekit.contacts/1", "contacts": [{}, {}]}}"#,
        contact("LeftHand", 400.0),
        contact("RightHand", -400.0)
    );
    fs::write(&file, both).unwrap();
    let (reported, _) = said(&walk(), &output, &["--contacts", file.to_str().unwrap()]);
    let answer = reported.lines().find(|line| line.contains("given contacts")).unwrap();
    assert!(answer.starts_with("0 of 2 given contacts hold now, missed by up to"), "{answer}");
    let number = answer.split("up to ").nth(1).unwrap().split(" mm").next().unwrap();
    assert!(number.split('.').nth(1).is_none_or(|digits| digits.len() <= 1), "{number}");
}

#[test]
fn a_floor_is_where_it_is_given() {
    let place = place("options-floor");
    let output = place.join("out.bvh");
    let found = reported(&walk(), &output, &[]);
    let near = reported(&walk(), &output, &["--floor", "0"]);
    assert_eq!(plants(&near).len(), plants(&found).len());
    let depth = |reported: &Value| {
        let metrics = reported["metrics"].as_array().unwrap();
        metrics.iter().find(|metric| metric["key"] == "penetration").unwrap()["before"].as_f64()
    };
    assert!(depth(&near).unwrap() < 1.0);
    let deep = reported(&walk(), &output, &["--floor", "6"]);
    assert!((depth(&deep).unwrap() - 40.0).abs() < 3.0, "balls are 4.5 cm below it: {deep}");
    for height in ["20", "500", "-20"] {
        let far = reported(&walk(), &output, &["--floor", height]);
        assert!(plants(&far).is_empty(), "{height}");
        let (_, warned) = said(&walk(), &output, &["--floor", height]);
        let words = format!(
            "--floor {height}: no foot stands near this height; the lowest feet are at 1.50"
        );
        assert!(warned.contains(&words), "{warned}");
        assert_eq!(fs::read(&output).unwrap(), fs::read(walk()).unwrap());
        let check = posekit().args(["check", "--floor", height]).arg(walk()).output().unwrap();
        assert!(errors(&check).contains(&words), "{}", errors(&check));
    }
}

#[test]
fn a_walk_on_the_spot_is_one_also_where_the_path_is_kept() {
    let place = place("options-path");
    let (output, other) = (place.join("out.bvh"), place.join("other.bvh"));
    for zombie in captures(&["makehuman_zombieWalk1.bvh"]) {
        let kept = reported(&zombie, &output, &["--keep-path", "--in-place"]);
        assert_eq!(kept["walks_on_the_spot"], true);
        let [before, after] = worst(&kept);
        assert!(before < 100.0 && after < 0.1, "{before} to {after}");
        let _ = reported(&zombie, &other, &["--in-place"]);
        assert_eq!(fs::read(&output).unwrap(), fs::read(&other).unwrap());
    }
}

#[test]
fn a_walk_that_travels_is_not_clean_on_the_spot() {
    let place = place("options-travels");
    let output = place.join("out.bvh");
    let (reported, warned) = said(&walk(), &output, &["--in-place"]);
    assert!(!reported.contains("lready clean"), "{reported}");
    assert!(
        warned.contains("the figure travels 5.5 m, so this is not an in-place walk"),
        "{warned}"
    );
    let check = posekit().args(["check", "--in-place"]).arg(walk()).output().unwrap();
    assert!(errors(&check).contains("so this is not an in-place walk"), "{}", errors(&check));
    for zombie in captures(&["makehuman_zombieWalk1.bvh"]) {
        let (_, warned) = said(&zombie, &output, &["--in-place"]);
        assert!(!warned.contains("travels"), "{warned}");
    }
}
