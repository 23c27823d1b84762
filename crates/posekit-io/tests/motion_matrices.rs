//! Characters whose legs are given as matrices: they are found, cleaned, and written as the format wants it.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use std::path::Path;

use posekit::motion::{CleanSettings, Verdict, clean};
use posekit_io::gltf::no_files;
use posekit_io::motion::{MotionFile, MotionOptions, to_glb};
use posekit_io::{Limits, Warnings};
use serde_json::{Value, json};

const FEET: [&str; 2] = ["LeftFoot", "RightFoot"];

fn open(bytes: &[u8]) -> MotionFile {
    let (options, limits) = (MotionOptions::default(), Limits::default());
    MotionFile::from_bytes(bytes, &mut no_files, &options, &limits, &mut Warnings::new()).unwrap()
}

/// JSON and data of a GLB.
fn parts(file: &[u8]) -> (Value, Vec<u8>) {
    let length = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    let end = 20 + length(12);
    (serde_json::from_slice(&file[20..end]).unwrap(), file[end + 8..].to_vec())
}

fn glb(json: &Value, data: &[u8]) -> Vec<u8> {
    let mut text = serde_json::to_vec(json).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    let size = |n: usize| u32::try_from(n).unwrap().to_le_bytes();
    let sizes = [2, 28 + text.len() + data.len(), text.len(), data.len()].map(size);
    let head: [&[u8]; 5] = [b"glTF", &sizes[0], &sizes[1], &sizes[2], b"JSON"];
    [&head.concat(), &text[..], &sizes[3], b"BIN\0", data].concat()
}

/// The walk with feet that no channel turns, whose places are matrices.
fn walk() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/clips/walk.bvh");
    let (options, limits) = (MotionOptions::default(), Limits::default());
    let walk = MotionFile::open(&path, &options, &limits, &mut Warnings::new()).unwrap();
    let (mut json, data) = parts(&to_glb(walk.clip(0).unwrap(), "walk").unwrap());
    for foot in FEET {
        let nodes = json["nodes"].as_array_mut().unwrap();
        let index = nodes.iter().position(|node| node["name"] == foot).unwrap();
        let node = nodes[index].as_object_mut().unwrap();
        assert!(!node.contains_key("rotation"), "feet of the walk are not turned at rest");
        let place: [f64; 3] = serde_json::from_value(node.remove("translation").unwrap()).unwrap();
        let [x, y, z] = place;
        node.insert("matrix".into(), json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1]));
        let channels = json["animations"][0]["channels"].as_array_mut().unwrap();
        channels.retain(|channel| channel["target"]["node"] != index);
    }
    glb(&json, &data)
}

#[test]
fn legs_with_matrices_are_found_and_their_feet_made_to_stand() {
    let bytes = walk();
    let file = open(&bytes);
    let clip = file.clip(0).unwrap();
    let cleaned = clean(clip, &CleanSettings::default()).unwrap();
    let name = |joint: usize| clip.skeleton().name(joint);
    let ankles: Vec<&str> = cleaned.legs.legs.iter().map(|leg| name(leg.limb.end)).collect();
    assert_eq!(ankles, FEET, "{}", cleaned.legs.reason);
    let fixed = cleaned.plants.iter().filter(|plant| plant.verdict == Verdict::Fixed).count();
    assert!(fixed >= 4, "{fixed} of {}", cleaned.plants.len());

    let written = file.write(0, &cleaned.clip, "").unwrap();
    let again = open(&written.file);
    // In single precision, where the cleaned clip says; so plants hold in the file, too.
    let found = again.clip(0).unwrap();
    for frame in 0..clip.n_frames() {
        let [is, was] = [found, &cleaned.clip].map(|clip| clip.skeleton().poses(clip.frame(frame)));
        for (joint, (is, was)) in is.iter().zip(&was).enumerate() {
            let off = is.translation.distance(was.translation);
            assert!(off < 2e-6, "{} in frame {frame}: {off} m", name(joint));
        }
    }
    // A second run finds nothing to do.
    let second = clean(found, &CleanSettings::default()).unwrap();
    for (a, b) in second.clip.values().iter().zip(found.values()) {
        assert!((a - b).abs() < 1e-4, "{a} was {b}");
    }
    // Only those nodes have another form that are turned now, and only their fields do.
    let ((old, old_data), (new, new_data)) = (parts(&bytes), parts(&written.file));
    assert!(
        new_data.starts_with(&old_data[..old_data.len() / 2]) || new_data.len() >= old_data.len()
    );
    for (index, (old, new)) in
        old["nodes"].as_array().unwrap().iter().zip(new["nodes"].as_array().unwrap()).enumerate()
    {
        if FEET.iter().any(|foot| old["name"] == *foot) {
            assert!(new.get("matrix").is_none() && new.get("rotation").is_some(), "{new}");
            assert_eq!(old["children"], new["children"]);
        } else {
            assert_eq!(old, new, "node {index}");
        }
    }
    assert_eq!(old["skins"], new["skins"]);
}
