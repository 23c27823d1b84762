//! Characters whose nodes are not as plain as a skeleton: legs that are given as matrices, figures that grow. Legs are found, cleaned, and written as the
//! format wants it.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use std::path::Path;

use posekit::math::Pose;
use posekit_io::gltf::{TargetPath, no_files};
use posekit_io::motion::{MotionFile, MotionOptions, to_glb};
use posekit_io::{Limits, Warnings};
use posekit_motion::{CleanSettings, Clip, Part, Verdict, clean};
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

/// JSON and data of the walk.
fn walk() -> (Value, Vec<u8>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/clips/walk.bvh");
    let (options, limits) = (MotionOptions::default(), Limits::default());
    let walk = MotionFile::open(&path, &options, &limits, &mut Warnings::new()).unwrap();
    parts(&to_glb(walk.clip(0).unwrap(), "walk").unwrap())
}

/// The walk with feet that no channel turns, whose places are matrices.
fn with_matrices() -> Vec<u8> {
    let (mut json, data) = walk();
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
    let bytes = with_matrices();
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
    // A second run finds next to nothing to do.
    let second = clean(found, &CleanSettings::default()).unwrap();
    let n = clip.skeleton().n_joints();
    let off = |(a, b): (&Pose, &Pose)| a.translation.distance(b.translation);
    let off: f64 = second.clip.poses().iter().zip(&found.poses()).map(off).sum();
    let off = off / (n * clip.n_frames()) as f64;
    assert!(off < 1e-3, "joints are moved by {off} m on average");
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

/// The walk on a node that makes it a tenth larger on its way, and smaller in the end than it began.
fn growing() -> Vec<u8> {
    let (mut json, mut data) = walk();
    let numbers: [&[f32]; 2] =
        [&[0.0, 2.0, 4.0], &[1.0, 1.0, 1.0, 1.1, 1.1, 1.1, 0.95, 0.95, 0.95]];
    let length = |list: &Value| list.as_array().unwrap().len();
    let (n_views, n_nodes) = (length(&json["bufferViews"]), length(&json["nodes"]));
    for (list, kind) in numbers.iter().zip(["SCALAR", "VEC3"]) {
        let (start, view) = (data.len(), length(&json["bufferViews"]));
        data.extend(list.iter().flat_map(|x| x.to_le_bytes()));
        let own = json!({ "buffer": 0, "byteOffset": start, "byteLength": 4 * list.len() });
        json["bufferViews"].as_array_mut().unwrap().push(own);
        let accessor = json!({ "bufferView": view, "componentType": 5126, "count": 3, "type": kind, "min": [0.0], "max": [4.0] });
        json["accessors"].as_array_mut().unwrap().push(accessor);
    }
    assert_eq!(length(&json["accessors"]), n_views + 2, "every accessor has a view of its own");
    json["buffers"][0]["byteLength"] = json!(data.len());
    json["nodes"].as_array_mut().unwrap().push(json!({ "name": "armature", "children": [0] }));
    json["scenes"][0]["nodes"] = json!([n_nodes]);
    let animation = &mut json["animations"][0];
    let sampler = length(&animation["samplers"]);
    let samplers = animation["samplers"].as_array_mut().unwrap();
    samplers.push(json!({ "input": n_views, "output": n_views + 1 }));
    let target = json!({ "node": n_nodes, "path": "scale" });
    animation["channels"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "sampler": sampler, "target": target }));
    glb(&json, &data)
}

#[test]
fn feet_of_a_figure_that_grows_stand_where_it_is_drawn() {
    let file = open(&growing());
    let clip = file.clip(0).unwrap();
    let cleaned = clean(clip, &CleanSettings::default()).unwrap();
    // A foot that grows while heel and ball stand has no room for both: by so much they cannot be reached, and it is reported.
    let near = |verdict: &Verdict| match verdict {
        Verdict::Fixed => true,
        Verdict::Unreachable { by, .. } => *by < 5e-3,
        _ => false,
    };
    let held: Vec<_> = cleaned.plants.iter().filter(|plant| near(&plant.verdict)).collect();
    assert!(held.len() >= 12, "{} of {}", held.len(), cleaned.plants.len());
    let written = file.write(0, &cleaned.clip, "").unwrap();
    let again = open(&written.file);
    let found = again.clip(0).unwrap();
    let most = |clip: &Clip| {
        let mut slid: f64 = 0.0;
        for report in &held {
            let leg = &cleaned.legs.legs[report.plant.leg];
            let joint =
                if report.plant.part == Part::Heel { leg.limb.end } else { leg.ball.unwrap() };
            let at = |frame| clip.skeleton().poses(clip.frame(frame))[joint].translation;
            let first = at(report.plant.frames.start);
            for frame in report.plant.frames.clone() {
                slid = slid.max((at(frame) - first).with_y(0.0).length());
            }
        }
        slid
    };
    assert!(most(clip) > 0.03, "it slid by {} m", most(clip));
    let slid = most(found);
    assert!(slid < 5e-3, "it still slides by {slid} m");
    // The scale is as it was.
    let ((old, _), (new, _)) = (parts(&growing()), parts(&written.file));
    assert_eq!(old["nodes"], new["nodes"]);
    let scales = |file: &MotionFile| {
        let node = old["nodes"].as_array().unwrap().len() - 1;
        file.gltf().unwrap().animations()[0].channel(node, TargetPath::Scale).cloned()
    };
    assert!(scales(&file).is_some() && scales(&file) == scales(&again));
}
