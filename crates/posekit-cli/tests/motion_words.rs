//! What the motion commands say agrees with what they show, with each other, and with what was done.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

mod motion_support;

use std::fs;
use std::path::{Path, PathBuf};

use motion_support::{clean, errors, json, place, posekit, run, text, walk};
use serde_json::Value;

/// A file of the shared assets; `None` where these are not at hand.
fn asset(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("POSEKIT_ASSETS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/assets"),
        PathBuf::from,
    );
    Some(folder.join(name)).filter(|path| path.is_file())
}

/// The motion of the first file that `--json` tells of.
fn clip(arguments: &[&str], paths: &[&Path]) -> Value {
    let output = run(&[&arguments[..1], &["--json"], &arguments[1..]].concat(), paths);
    json(&text(&output))["files"][0]["clips"][0].clone()
}

fn plants(clip: &Value) -> &Vec<Value> {
    clip["plants"].as_array().unwrap()
}

/// When and where a plant is, and how far it slides as the file is.
fn reported(plant: &Value) -> (String, String) {
    let when = format!("{} {} {} {}", plant["leg"], plant["part"], plant["from"], plant["to"]);
    (when, format!("{:.3}", plant["drift_before"].as_f64().unwrap()))
}

#[test]
fn an_answer_agrees_with_its_table_and_with_the_check() {
    let Some(knight) = asset("gltf/Knight.glb") else { return };
    let out = place("words-agree").join("out.glb");
    for clip_number in ["1", "3", "7", "36", "47"] {
        let clean = clip(&["clean", "--force", "--clip", clip_number, "-o"], &[&out, &knight]);
        let check = clip(&["check", "--clip", clip_number], &[&knight]);
        let [clean, check] =
            [&clean, &check].map(|clip| plants(clip).iter().map(reported).collect::<Vec<_>>());
        assert_eq!(clean, check, "motion {clip_number}");
    }
}

#[test]
fn what_is_cleaned_is_judged_plant_by_plant_however_many_stand_exactly() {
    let Some(knight) = asset("gltf/Knight.glb") else { return };
    let out = place("words-judged").join("out.glb");
    let jump = clip(&["clean", "--clip", "Jump_Full_Short", "-o"], &[&out, &knight]);
    let heel = plants(&jump).iter().find(|plant| plant["leg"] == 1 && plant["part"] == "heel");
    let heel = heel.unwrap();
    // It was left, and went from 20.3 to 30.3 mm with the hips that came along with the other foot.
    assert_eq!(heel["verdict"], "fixed", "{heel}");
    assert!(heel["drift_after"].as_f64().unwrap() < 0.1, "{heel}");
    let again = out.with_file_name("again.glb");
    let second = clip(&["clean", "--clip", "Jump_Full_Short", "-o"], &[&again, &out]);
    assert!(second["largest_change"].as_f64().unwrap() < 21.0, "{second}");
}

#[test]
fn feet_that_slide_each_its_own_way_walk_on_no_spot() {
    let Some(knight) = asset("gltf/Knight.glb") else { return };
    let out = place("words-no-spot").join("out.glb");
    // One foot slides far ahead, the other a little back.
    let chop = clip(&["clean", "--clip", "Dualwield_Melee_Attack_Chop", "-o"], &[&out, &knight]);
    let check = clip(&["check"], &[&out]);
    assert!(plants(&chop).iter().any(|plant| plant["verdict"] == "fixed"), "{chop}");
    let slides = |plant: &Value| plant["drift_before"].as_f64() > Some(21.0);
    assert!(!plants(&check).iter().any(slides), "{check}");
    for clip in [chop, check] {
        assert_eq!(clip.get("walks_on_the_spot"), None, "{clip}");
    }
    let walk = clip(&["check", "--clip", "Walking_A"], &[&knight]);
    assert_eq!(walk["walks_on_the_spot"], true);
}

#[test]
fn a_row_has_one_slide() {
    let Some(knight) = asset("gltf/Knight.glb") else { return };
    let out = place("words-one-slide").join("out.glb");
    let table = |name: &str| {
        text(&run(&["clean", "-v", "--force", "--clip", name, "-o"], &[&out, &knight]))
    };
    let words = table("Dodge_Forward");
    let slides = words.lines().filter(|line| line.contains("must be intended"));
    let twice = slides.filter(|line| line.matches(" mm").count() > 1).count();
    assert_eq!(twice, 0, "{words}");
}

#[test]
fn a_change_of_the_hips_way_is_told() {
    let place = place("words-way");
    let words = text(&clean(&walk(), &place.join("walk.bvh"), &[]));
    assert!(words.contains("The root trajectory was corrected by up to 474 mm"), "{words}");
    let again = text(&clean(&place.join("walk.bvh"), &place.join("again.bvh"), &[]));
    assert!(!again.contains("root trajectory"), "{again}");
}

#[test]
fn the_median_of_an_even_number_is_between_the_middle_two() {
    let Some(clip_file) = asset("bvh/pybvh_bvh_test1.bvh") else { return };
    let check = clip(&["check"], &[&clip_file]);
    let mut slides: Vec<f64> =
        plants(&check).iter().map(|plant| plant["drift_before"].as_f64().unwrap()).collect();
    slides.sort_by(f64::total_cmp);
    let n = slides.len();
    assert!(n > 1, "{slides:?}");
    let middle = 0.5 * (slides[(n - 1) / 2] + slides[n / 2]);
    let metrics = check["metrics"].as_array().unwrap();
    let metric = metrics.iter().find(|metric| metric["key"] == "drift_median").unwrap();
    assert!((metric["before"].as_f64().unwrap() - middle).abs() < 1e-9, "{metric}, {middle}");
    let words = text(&run(&["check"], &[&clip_file]));
    assert!(words.contains(&format!("by {middle:.1} mm at the median")), "{words}");
}

/// A folder with the walk, a figure without legs that has two motions, and a character with none.
fn folder(place: &Path) -> PathBuf {
    let folder = place.join("folder");
    fs::create_dir(&folder).unwrap();
    fs::copy(walk(), folder.join("walk.bvh")).unwrap();
    let still = r#"{"asset":{"version":"2.0"},"nodes":[{"name":"a","children":[1]},{"name":"b"}],"scenes":[{"nodes":[0]}],"scene":0}"#;
    fs::write(folder.join("still.gltf"), still).unwrap();
    // Two keys: at 0 and 1 s, at the origin and one above it.
    let values: [f32; 8] = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    fs::write(folder.join("keys.bin"), bytes).unwrap();
    let moves = |name: &str| {
        format!(
            r#"{{"name":"{name}","samplers":[{{"input":0,"output":1}}],"channels":[{{"sampler":0,"target":{{"node":0,"path":"translation"}}}}]}}"#
        )
    };
    let two = format!(
        r#"{{"asset":{{"version":"2.0"}},"nodes":[{{"name":"a","children":[1]}},{{"name":"b","translation":[0,1,0]}}],"scenes":[{{"nodes":[0]}}],"scene":0,
"buffers":[{{"uri":"keys.bin","byteLength":32}}],"bufferViews":[{{"buffer":0,"byteLength":8}},{{"buffer":0,"byteOffset":8,"byteLength":24}}],
"accessors":[{{"bufferView":0,"componentType":5126,"count":2,"type":"SCALAR","min":[0],"max":[1]}},{{"bufferView":1,"componentType":5126,"count":2,"type":"VEC3"}}],
"animations":[{},{}]}}"#,
        moves("up"),
        moves("again")
    );
    fs::write(folder.join("two.gltf"), two).unwrap();
    folder
}

#[test]
fn a_folder_says_of_every_file_why_no_foot_was_judged() {
    let place = place("words-folder");
    let folder = folder(&place);
    let report = place.join("page.html");
    let output = posekit().arg("check").arg(&folder).arg("--report").arg(&report).output().unwrap();
    let table = text(&output);
    let row = |name: &str| table.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    assert!(row("two.gltf").contains("✓ 2 motions, no legs found"), "{table}");
    assert!(row("still.gltf").contains("– no motion"), "{table}");
    let page = fs::read_to_string(report).unwrap();
    for remark in ["no legs found in 2 of 2 motions", ">no motion<"] {
        assert!(page.contains(remark), "{remark} is not on the page");
    }
}

#[test]
fn a_page_draws_the_plants_of_its_headline() {
    let place = place("words-page");
    let report = place.join("page.html");
    let page = |arguments: &[&str], input: &Path| {
        let output = posekit()
            .args(arguments)
            .arg(input)
            .args(["--force", "--report"])
            .arg(&report)
            .output()
            .unwrap();
        assert!(output.status.code().is_some_and(|code| code < 2), "{}", errors(&output));
        fs::read_to_string(&report).unwrap()
    };
    let out = place.join("out.bvh");
    let out = out.to_str().unwrap();
    // One plant is kept: it slides on the most, and is what is drawn.
    let kept = page(&["clean", "--keep-path", "--keep", "1:1.6", "-o", out], &walk());
    let now = kept.split("The worst now, from above: ").nth(1).unwrap().split('<').next().unwrap();
    let most = now.split("before, ").nth(1).unwrap().split(" after").next().unwrap();
    assert!(now.contains("left unchanged as requested"), "{now}");
    let headline = kept.split("<h1>").nth(1).unwrap().split("</h1>").next().unwrap();
    let headline = headline.replace('\u{a0}', " ");
    assert!(headline.contains(&format!("to {most}")), "{headline}: {now}");
    // Where time is reported, its name is no mark's neighbour.
    let name = kept.split("time (s)").next().unwrap().rsplit("<text").next().unwrap();
    assert!(name.contains("middle"), "{name}");
}

#[test]
fn a_pin_says_what_it_lacks() {
    let place = place("words-pin");
    let out = place.join("out.bvh");
    let nothing = run(&["pin", "-o"], &[&out, &walk()]);
    assert_eq!(nothing.status.code(), Some(2));
    let words = errors(&nothing);
    assert!(words.contains("--joint <NAME>|--contacts <FILE>"), "{words}");
    let contacts = place.join("contacts.json");
    let pin =
        || run(&["pin", "--force", "--contacts"], &[&contacts, Path::new("-o"), &out, &walk()]);
    fs::write(&contacts, "").unwrap();
    assert!(errors(&pin()).contains("the file of contacts is empty"), "{}", errors(&pin()));
    fs::write(&contacts, r#"{"schema":"posekit.contacts/1","contacts":[]}"#).unwrap();
    let words = text(&pin());
    let why = format!("{} has no contacts, so nothing is held.", contacts.display());
    assert!(words.contains(&format!("Nothing was changed: {why}")), "{words}");
    assert_eq!(fs::read(&out).unwrap(), fs::read(walk()).unwrap(), "the copy is the same");
}

#[test]
fn a_folder_that_is_missing_is_named() {
    let place = place("words-missing");
    let output = clean(&walk(), &place.join("none/out.bvh"), &[]);
    assert!(!output.status.success(), "{}", text(&output));
    let words = errors(&output);
    assert!(words.contains("there is no folder") && words.contains("create it first"), "{words}");
    // A folder that is named as one is made.
    let folder = place.join("new/");
    assert!(clean(&walk(), &folder, &[]).status.success());
    assert!(folder.join("walk.bvh").is_file());
}

#[cfg(unix)]
#[test]
fn a_link_is_written_through() {
    let place = place("words-link");
    let (real, link) = (place.join("real.bvh"), place.join("link.bvh"));
    fs::copy(walk(), &real).unwrap();
    std::os::unix::fs::symlink("real.bvh", &link).unwrap();
    let output = clean(&walk(), &link, &["--force"]);
    assert!(output.status.success(), "{}", errors(&output));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink(), "the link stays");
    assert_ne!(fs::read(&real).unwrap(), fs::read(walk()).unwrap(), "what it leads to is written");
    let others = fs::read_dir(&place).unwrap().count();
    assert_eq!(others, 2, "and nothing else is left");
}

#[test]
fn contacts_in_which_feet_stand_already_change_nothing() {
    let Some(knight) = asset("gltf/Knight.glb") else { return };
    let place = place("words-standing");
    let (first, contacts) = (place.join("first.glb"), place.join("feet.json"));
    let saved = run(
        &["clean", "--clip", "Idle", "--save-contacts"],
        &[&contacts, Path::new("-o"), &first, &knight],
    );
    assert!(saved.status.success(), "{}", errors(&saved));
    let second = place.join("second.glb");
    let again = run(
        &["clean", "--clip", "Idle", "--contacts"],
        &[&contacts, Path::new("-o"), &second, &knight],
    );
    let words = text(&again);
    assert!(words.contains("Nothing was changed: all contacts hold already."), "{words}");
    assert_eq!(fs::read(&second).unwrap(), fs::read(&knight).unwrap(), "not one bit");
}

#[test]
fn a_pin_leaves_the_feet_that_the_file_names_and_nothing_else() {
    let Some(figure) = asset("gltf/hips_spine_twisting.vrma") else { return };
    let out = place("words-named").join("out.vrma");
    let arguments = ["pin", "--joint", "LeftHand", "--from", "10", "--to", "14", "--force", "-o"];
    let pinned = clip(&arguments, &[&out, &figure]);
    let shifts = pinned["shifts"].as_array().unwrap();
    assert!(shifts.iter().any(|shift| shift["part"] == "hips"), "{shifts:?}");
    let feet: Vec<&Value> = shifts.iter().filter(|shift| shift["part"] == "foot").collect();
    let is_foot = |shift: &&Value| shift["joint"].as_str().unwrap().ends_with("Foot");
    assert!(feet.iter().all(is_foot), "{feet:?}");
}
