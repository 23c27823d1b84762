//! Files whose channels cannot express all that joints do: what is reported of a motion is what they keep of it.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use crate::common;

use std::path::Path;

use posekit::glam::DVec3;
use posekit::skeleton::Frame;
use posekit_io::bvh::Loss;
use posekit_io::motion::{MotionFile, MotionOptions, millimetres, verdict_words};
use posekit_io::{Limits, Warnings, gltf};
use posekit_motion::{
    CleanSettings, Cleaned, Clip, Contact, Hold, HoldSettings, PlantReport, Support, Verdict,
    clean_within, find_legs, hold_within,
};

/// The walk with other channels for some joints: those of these names that it has.
fn walk(kept: &[(&str, &str)]) -> MotionFile {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/clips/walk.bvh");
    read(without(&std::fs::read_to_string(path).unwrap(), kept).as_bytes())
}

fn read(bytes: &[u8]) -> MotionFile {
    let (options, limits) = (MotionOptions::default(), Limits::default());
    MotionFile::from_bytes(bytes, &mut gltf::no_files, &options, &limits, &mut Warnings::new())
        .unwrap()
}

fn without(text: &str, kept: &[(&str, &str)]) -> String {
    let (mut out, mut columns, mut joint) = (String::new(), Vec::new(), "");
    let (head, rows) = text.split_once("Frame Time").unwrap();
    for line in head.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let ["ROOT" | "JOINT", name] = words[..] {
            joint = name;
        }
        let Some(channels) = words.strip_prefix(&["CHANNELS"]) else {
            out.push_str(&format!("{line}\n"));
            continue;
        };
        let own = kept.iter().find(|(name, _)| *name == joint);
        let stays = |channel: &str| own.is_none_or(|(_, kept)| kept.contains(channel));
        let left: Vec<&str> = channels[1..].iter().copied().filter(|own| stays(own)).collect();
        columns.extend(channels[1..].iter().map(|channel| stays(channel)));
        out.push_str(&format!("CHANNELS {} {}\n", left.len(), left.join(" ")));
    }
    let (time, rows) = rows.split_once('\n').unwrap();
    out.push_str(&format!("Frame Time{time}\n"));
    for row in rows.lines() {
        let numbers = row.split_whitespace().zip(&columns).filter(|(_, stays)| **stays);
        let left: Vec<&str> = numbers.map(|(number, _)| number).collect();
        out.push_str(&format!("{}\n", left.join(" ")));
    }
    out
}

fn cleaned(file: &MotionFile) -> Cleaned {
    let keep = file.keeper();
    clean_within(file.clip(0).unwrap(), &CleanSettings::default(), keep.as_ref()).unwrap()
}

/// What is read of a file with an edited clip, which it must hold as it is.
fn written(file: &MotionFile, clip: &Clip) -> MotionFile {
    let written = file.write(0, clip, "x").unwrap();
    assert_eq!(written.loss, Loss::default(), "all of it is kept");
    let back = read(&written.file);
    let off = apart(clip, back.clip(0).unwrap());
    assert!(off < 1e-5, "what is written is {off} off what is reported");
    back
}

/// The largest distance of a joint from where it is \[the clip's unit\].
fn apart(a: &Clip, b: &Clip) -> f64 {
    let places = |clip: &Clip, frame: usize| clip.skeleton().poses(clip.frame(frame));
    let off = |frame: usize| {
        let pairs = places(a, frame).into_iter().zip(places(b, frame));
        pairs.map(|(a, b)| a.translation.distance(b.translation)).fold(0.0, f64::max)
    };
    (0..a.n_frames()).map(off).fold(0.0, f64::max)
}

const ANKLES: [(&str, &str); 2] =
    [("LeftFoot", "Zrotation Xrotation"), ("RightFoot", "Zrotation Xrotation")];
const KNEES: [(&str, &str); 2] = [("LeftLeg", "Xrotation"), ("RightLeg", "Xrotation")];
const HIPS: [(&str, &str); 2] =
    [("LeftUpLeg", "Zrotation Xrotation"), ("RightUpLeg", "Zrotation Xrotation")];

/// What a second run, which knows nothing of the first, may move a joint by at most \[mm\].
const AGAIN: f64 = 25.0;

fn mm_per_unit(cleaned: &Cleaned) -> f64 {
    millimetres(&cleaned.clip, &cleaned.legs.legs).unwrap()
}

/// How far a plant slides at most \[mm\].
fn worst(cleaned: &Cleaned) -> f64 {
    cleaned.plants.iter().map(|plant| plant.drift_after * mm_per_unit(cleaned)).fold(0.0, f64::max)
}

#[test]
fn feet_stand_in_what_few_channels_keep() {
    let hinges = [("LeftFoot", "Xrotation"), ("RightFoot", "Xrotation")];
    let root = [("Hips", "Xposition Zposition Zrotation Xrotation Yrotation")];
    let files: [(&str, Vec<(&str, &str)>); 7] = [
        ("ankles with two", ANKLES.to_vec()),
        ("ankles with two and knees with one", [ANKLES, KNEES].concat()),
        ("ankles and knees with one", [hinges, KNEES].concat()),
        ("hips with two", HIPS.to_vec()),
        (
            "hips with two others",
            vec![("LeftUpLeg", "Xrotation Yrotation"), ("RightUpLeg", "Xrotation Yrotation")],
        ),
        ("hips and ankles with two and knees with one", [ANKLES, KNEES, HIPS].concat()),
        ("a root that goes neither up nor down", root.to_vec()),
    ];
    for (what, kept) in files {
        let file = walk(&kept);
        let first = cleaned(&file);
        let n = first.plants.len();
        let is_fixed = |verdict: &Verdict| matches!(verdict, Verdict::Fixed);
        let n_fixed = first.plants.iter().filter(|plant| is_fixed(&plant.verdict)).count();
        assert!((15..20).contains(&n) && n_fixed == n, "{what}: {n_fixed} of {n} hold");
        assert!(worst(&first) < 0.2, "{what}: {} mm", worst(&first));
        let back = written(&file, &first.clip);
        let second = cleaned(&back);
        let again = apart(&second.clip, back.clip(0).unwrap()) * mm_per_unit(&first);
        println!("{what}: {n_fixed} of {n}, worst {:.3}, again {again:.2} mm", worst(&first));
        assert!(again < AGAIN, "{what}: a second run changes {again} mm");
        assert_eq!(
            given_back(&back, &first),
            *back.clip(0).unwrap(),
            "{what}: contacts given back"
        );
    }
}

/// What comes of a clip that was cleaned, cleaned with the contacts in which it stands.
fn given_back(file: &MotionFile, cleaned: &Cleaned) -> Clip {
    let contacts = Some(cleaned.contacts.clone());
    let settings = CleanSettings { contacts, ..CleanSettings::default() };
    clean_within(file.clip(0).unwrap(), &settings, file.keeper().as_ref()).unwrap().clip
}

#[test]
fn what_channels_keep_from_standing_is_told_and_left() {
    let Some(assets) = common::assets() else { return };
    let text = std::fs::read_to_string(assets.join("bvh/cmu_12_01_walk_cgspeed.bvh")).unwrap();
    let kept = [("LeftFoot", "Zrotation"), ("RightFoot", "Zrotation")];
    let file = read(without(&text, &kept).as_bytes());
    let first = cleaned(&file);
    let scale = millimetres(&first.clip, &first.legs.legs).unwrap();
    let mut n_missed = 0;
    for plant in &first.plants {
        if let Verdict::Unreachable { by, by_channels, .. } = plant.verdict {
            n_missed += 1;
            assert!(by_channels && by > 0.0, "{plant:?}");
            let (word, why) = verdict_words(plant, scale, 1.0);
            assert_eq!(word, "unreachable");
            assert!(why.starts_with("out of reach of the file's channels by "), "{why}");
        } else {
            assert!(plant.drift_after * scale < 0.5, "{plant:?}");
        }
    }
    assert!(n_missed > 0 && worst(&first) > 1.0, "{n_missed}: {:?}", first.plants);
    let back = written(&file, &first.clip);
    let again = apart(&cleaned(&back).clip, back.clip(0).unwrap()) * mm_per_unit(&first);
    assert!(again < AGAIN, "a second run changes {again} mm");
}

#[test]
fn a_path_on_which_nothing_stands_is_not_moved_by_every_run() {
    let stiff = [("LeftLeg", "Yrotation Zrotation"), ("RightLeg", "Yrotation Zrotation")];
    let file = walk(&stiff);
    let first = cleaned(&file);
    assert!(!first.plants.is_empty(), "{:?}", first.plants);
    let back = written(&file, &first.clip);
    let again = apart(&cleaned(&back).clip, back.clip(0).unwrap()) * mm_per_unit(&first);
    assert!(again < AGAIN, "a second run changes {again} mm");
}

#[test]
fn legs_whose_knees_have_no_channels_are_left_alone() {
    let file = walk(&[("LeftLeg", ""), ("RightLeg", "")]);
    let clip = file.clip(0).unwrap();
    let legs = find_legs(clip);
    assert_eq!(legs.reason, "no legs: no knee above LeftFoot, RightFoot can turn");
    assert!(legs.legs.is_empty() && !legs.candidates.is_empty(), "{legs:?}");
    assert_eq!(cleaned(&file).clip, *clip);
}

#[test]
fn what_is_pinned_is_told_as_it_is_kept() {
    let arm = [("RightForeArm", "Zrotation Yrotation")];
    let file = walk(&arm);
    let clip = file.clip(0).unwrap();
    let hand = clip.skeleton().find("RightHand").unwrap();
    let frame = Frame::new(hand, posekit::math::Pose::IDENTITY);
    let hold = Hold::Position(None);
    let contact = Contact {
        frame,
        from: 0.5,
        to: 1.5,
        hold,
        on: Support::World,
        ease_in: 0.25,
        ease_out: 0.25,
    };
    let keep = file.keeper();
    let settings = HoldSettings::default();
    let held = hold_within(clip, &[contact], &settings, keep.as_ref()).unwrap();
    let back = written(&file, &held.clip);
    let back = back.clip(0).unwrap();
    let place = |frame| back.skeleton().poses(back.frame(frame))[hand].translation;
    let places: Vec<DVec3> = back.frames(0.5, 1.5).map(place).collect();
    let off = places.iter().map(|place| place.distance(places[0])).fold(0.0, f64::max);
    let residual = held.contacts[0].residual;
    assert!(off <= 2.0 * residual + 1e-6, "{off} where {residual} is reported");
    assert!(residual < 0.1, "the hand holds: {residual}");
}

/// Two turns of an ankle are not the nearest to three, near where the first of them is a right angle: what they keep of them jumps.
#[test]
fn feet_stand_and_do_not_jump_where_two_turns_part() {
    let Some(assets) = common::assets() else { return };
    let text = std::fs::read_to_string(assets.join("bvh/cmu_iclone_002_01.bvh")).unwrap();
    let [ankles, knees] = [("Foot", "Yrotation Xrotation"), ("Calf", "Xrotation")];
    let names = ["L", "R"].map(|side| [ankles, knees].map(|(part, kept)| (side, part, kept)));
    let named = names.as_flattened().iter();
    let kept: Vec<(String, &str)> =
        named.map(|(side, part, kept)| (format!("CC_Base_{side}_{part}"), *kept)).collect();
    let kept: Vec<(&str, &str)> = kept.iter().map(|(name, kept)| (name.as_str(), *kept)).collect();
    let file = read(without(&text, &kept).as_bytes());
    let first = cleaned(&file);
    let is_fixed = |plant: &PlantReport| plant.verdict == Verdict::Fixed;
    assert!(first.plants.len() >= 10 && first.plants.iter().all(is_fixed));
    assert!(worst(&first) < 0.1, "{} mm", worst(&first));
    let (before, after) = first.measures(file.clip(0).unwrap());
    let [before, after] = [before, after].map(|measured| measured.jerk_max);
    assert!(after < 1.1 * before, "feet that jerked by {before} jerk by {after}");
    let back = written(&file, &first.clip);
    let again = apart(&cleaned(&back).clip, back.clip(0).unwrap()) * mm_per_unit(&first);
    assert!(again < AGAIN, "a second run changes {again} mm");
}
