//! Skeletons of glTF files: where joints stand, which nodes they are, and what is refused. Files of other makers come from the shared assets.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a helper of a test may fail and speak as a test does"
)]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use posekit::glam::{DMat4, DQuat, DVec3};
use posekit::skeleton::JointKind;
use posekit_io::gltf::{self, Character};
use posekit_io::{Error, Limits, Result, Warnings};
use serde_json::Value;

fn read(json: &str) -> Result<Character> {
    gltf::read_bytes(json.as_bytes(), &Limits::default(), &mut Warnings::new())
}

/// A file with these nodes, and more fields behind them.
fn file(nodes: &str, more: &str) -> String {
    format!(r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [{nodes}]{more} }}"#)
}

/// The error of a file.
fn refused(json: &str) -> String {
    read(json).map(|_| ()).unwrap_err().to_string()
}

/// A binary container with this JSON, and these numbers in its headers where they are given.
fn binary(json: &str, version: u32, length: Option<u32>, chunk: Option<u32>) -> Vec<u8> {
    let size = u32::try_from(json.len()).unwrap();
    let mut bytes = b"glTF".to_vec();
    bytes.extend(version.to_le_bytes());
    bytes.extend(length.unwrap_or(size + 20).to_le_bytes());
    bytes.extend(chunk.unwrap_or(size).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(json.as_bytes());
    bytes
}

/// The JSON of a file, taken out without the reader.
fn json_of(bytes: &[u8]) -> Value {
    if !bytes.starts_with(b"glTF") {
        return serde_json::from_slice(bytes).unwrap();
    }
    let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap());
    serde_json::from_slice(&bytes[20..20 + usize::try_from(length).unwrap()]).unwrap()
}

fn numbers<const N: usize>(value: &Value) -> Option<[f64; N]> {
    let list: Vec<f64> = value.as_array()?.iter().filter_map(Value::as_f64).collect();
    list.try_into().ok()
}

/// Where a node stands in the world, by matrices alone.
fn world(file: &Value, node: usize) -> DMat4 {
    let nodes = file["nodes"].as_array().unwrap();
    let own = &nodes[node];
    let local = numbers(&own["matrix"]).map_or_else(
        || {
            DMat4::from_scale_rotation_translation(
                DVec3::from_array(numbers(&own["scale"]).unwrap_or([1.0; 3])),
                DQuat::from_array(numbers(&own["rotation"]).unwrap_or([0.0, 0.0, 0.0, 1.0])),
                DVec3::from_array(numbers(&own["translation"]).unwrap_or_default()),
            )
        },
        |columns: [f64; 16]| DMat4::from_cols_array(&columns),
    );
    let holds = |parent: &Value| {
        let children = parent["children"].as_array();
        children.is_some_and(|list| list.iter().any(|child| child.as_u64() == Some(node as u64)))
    };
    match nodes.iter().position(holds) {
        Some(parent) => world(file, parent) * local,
        None => local,
    }
}

/// Every glTF of the shared assets, except those that are wrong on purpose.
fn files(folder: &Path) -> Vec<PathBuf> {
    let is_gltf = |path: &Path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        matches!(extension, Some("gltf" | "glb" | "vrm" | "vrma"))
    };
    let mut all: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let is_validators = entry.to_string_lossy().contains("validator_");
        if entry.is_dir() && !is_validators {
            all.extend(files(&entry));
        } else if is_gltf(&entry) {
            all.push(entry);
        }
    }
    all.sort();
    all
}

#[test]
fn every_character_of_the_assets_stands_where_its_nodes_stand() {
    let Some(assets) = common::assets() else { return };
    let files = files(&assets.join("gltf"));
    assert!(files.len() >= 20, "{} files", files.len());
    for path in files {
        let bytes = fs::read(&path).unwrap();
        let mut warnings = Warnings::new();
        let character = gltf::read_bytes(&bytes, &Limits::default(), &mut warnings)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let file = json_of(&bytes);
        let skeleton = character.skeleton();
        let poses = skeleton.poses(&skeleton.neutral());
        let mut balls = 0;
        for (joint, pose) in poses.iter().enumerate() {
            let expected = world(&file, character.node(joint)).w_axis.truncate();
            let off = pose.translation.distance(expected);
            assert!(off < 1e-6 * (1.0 + expected.length()), "{}: {joint}: {off}", path.display());
            assert_eq!(character.joint(character.node(joint)), Some(joint));
            balls += usize::from(skeleton.kind(joint) == JointKind::Ball);
        }
        let skins = file["skins"].as_array().cloned().unwrap_or_default();
        let skinned = skins.iter().flat_map(|skin| skin["joints"].as_array().unwrap().clone());
        let mut skinned: Vec<u64> = skinned.map(|node| node.as_u64().unwrap()).collect();
        skinned.sort_unstable();
        skinned.dedup();
        let expected = if skinned.is_empty() { skeleton.n_joints() } else { skinned.len() };
        assert_eq!(balls, expected, "{}", path.display());
        let free = character.with_free_root().unwrap();
        let count = |kind| {
            (0..skeleton.n_joints()).filter(|&joint| free.skeleton().kind(joint) == kind).count()
        };
        assert!(count(JointKind::Free) > 0, "{}", path.display());
        println!(
            "{}: {} joints, {balls} of them turn; {} warnings",
            path.file_name().unwrap().to_string_lossy(),
            skeleton.n_joints(),
            warnings.len()
        );
    }
}

/// The validator's reports say what is wrong with each file; of those faults that concern the skeleton, none is passed over and each is named where it is.
#[test]
fn faults_of_the_validators_files_are_told_apart() {
    let Some(assets) = common::assets() else { return };
    // Faults of accessors and scenes say nothing of where bones are.
    let structural =
        ["EMPTY_ENTITY", "UNDEFINED_PROPERTY", "SKIN_NO_COMMON_ROOT", "SKIN_SKELETON_INVALID"];
    let mut told = 0;
    for entry in fs::read_dir(assets.join("gltf/validator_skin")).unwrap() {
        let path = entry.unwrap().path();
        let Some(report) = path.to_str().and_then(|path| path.strip_suffix(".report.json")) else {
            continue;
        };
        let (file, path) = (PathBuf::from(report), path.clone());
        let report: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let messages = report["issues"]["messages"].as_array().unwrap();
        let concerns = |message: &&Value| {
            let code = message["code"].as_str().unwrap();
            let pointer = message["pointer"].as_str().unwrap_or_default();
            let is_reference =
                code == "UNRESOLVED_REFERENCE" && !pointer.ends_with("inverseBindMatrices");
            message["severity"] == 0 && (is_reference || structural.contains(&code))
        };
        let fault = messages.iter().find(concerns);
        let mut warnings = Warnings::new();
        let result = gltf::read_file(&file, &Limits::default(), &mut warnings).map(|_| ());
        // A file about something else that has no nodes has no skeleton.
        if result.as_ref().is_err_and(|error| error.to_string().contains("`nodes` is missing")) {
            continue;
        }
        let words = match result {
            Ok(()) => warnings.as_slice().first().map(ToString::to_string),
            Err(error) => Some(error.to_string()),
        };
        match (fault, words) {
            (None, None) => {}
            (None, Some(words)) => panic!("{file:?}: {words}"),
            (Some(fault), None) => panic!("{file:?}: {fault} is passed over"),
            (Some(fault), Some(words)) => {
                told += 1;
                let pointer = fault["pointer"].as_str().unwrap();
                let steps = pointer.trim_start_matches('/').split('/');
                let path = steps.fold(String::new(), |path, step| match step.parse::<u32>() {
                    Ok(index) => format!("{path}[{index}]"),
                    Err(_) if path.is_empty() => step.to_owned(),
                    Err(_) => format!("{path}.{step}"),
                });
                assert!(words.starts_with(&path), "{file:?}: {path}: {words}");
            }
        }
    }
    assert!(told >= 3, "{told} files have such faults");
}

#[test]
fn roles_of_nodes() {
    // An armature turned and scaled, hips, a leg, a sword on the leg, and a lamp that has nothing to do with it.
    let nodes = r#"{ "name": "armature", "children": [1], "rotation": [0.7071068, 0, 0, 0.7071068], "scale": [0.01, 0.01, 0.01] },
        { "name": "hips", "children": [2], "translation": [0, 0, -100] },
        { "name": "leg", "children": [3], "translation": [0, 50, 0] },
        { "name": "sword", "translation": [10, 0, 0] }, { "name": "lamp" }"#;
    let character = read(&file(nodes, r#", "skins": [ { "joints": [2, 1] } ]"#)).unwrap();
    let skeleton = character.skeleton();
    let kinds: Vec<_> = (0..4).map(|joint| (skeleton.name(joint), skeleton.kind(joint))).collect();
    let (fixed, ball) = (JointKind::Fixed, JointKind::Ball);
    assert_eq!(kinds, [("armature", fixed), ("hips", ball), ("leg", ball), ("sword", fixed)]);
    assert_eq!((skeleton.n_joints(), character.joint(4)), (4, None));
    let poses = skeleton.poses(&skeleton.neutral());
    let sword = poses[3].translation;
    assert!(sword.distance(DVec3::new(0.1, 1.0, 0.5)) < 1e-6, "centimetres, z up: {sword}");
    let free = character.with_free_root().unwrap();
    assert_eq!([0, 1, 2].map(|joint| free.skeleton().kind(joint)), [fixed, JointKind::Free, ball]);
    // Without skins every node turns, and what has no parent is free.
    let character = read(&file(nodes, "")).unwrap();
    assert!((0..5).all(|joint| character.skeleton().kind(joint) == ball));
    let free = character.with_free_root().unwrap();
    let count = (0..5).filter(|&joint| free.skeleton().kind(joint) == JointKind::Free).count();
    assert_eq!(count, 2, "armature and lamp");
}

#[test]
fn names_are_kept_and_made_unique() {
    let nodes = r#"{ "name": "bone", "children": [1, 2] }, { "name": "bone" }, { }"#;
    let mut warnings = Warnings::new();
    let text = file(nodes, "");
    let character = gltf::read_bytes(text.as_bytes(), &Limits::default(), &mut warnings).unwrap();
    let names: Vec<&str> = (0..3).map(|joint| character.skeleton().name(joint)).collect();
    assert_eq!(names, ["bone", "bone (node 1)", "node 2"]);
    assert_eq!(warnings.len(), 1);
}

#[test]
fn g4_containers() {
    let json = file(r#"{ "name": "a" }"#, "");
    let read = |bytes: &[u8]| gltf::read_bytes(bytes, &Limits::default(), &mut Warnings::new());
    let good = binary(&json, 2, None, None);
    assert!(gltf::is_binary(&good) && !gltf::is_binary(json.as_bytes()));
    assert_eq!(read(&good).unwrap().skeleton().name(0), "a");
    let long = [&good[..], b"more"].concat();
    let mut warnings = Warnings::new();
    assert!(gltf::read_bytes(&long, &Limits::default(), &mut warnings).is_ok());
    assert_eq!(warnings.len(), 1, "what stands behind the end is left out");
    for (bytes, part) in [
        (binary(&json, 1, None, None), "version 1, only 2"),
        (binary(&json, 2, Some(u32::MAX), None), "4294967295 bytes are declared"),
        (binary(&json, 2, Some(0), None), "ends inside the JSON chunk"),
        (binary(&json, 2, Some(16), None), "ends inside the JSON chunk"),
        (binary(&json, 2, None, Some(u32::MAX)), "ends inside the JSON chunk"),
        (binary(&json, 2, None, Some(0)), "line 1, column 1"),
        (b"glTF".to_vec(), "ends inside the header"),
        (good.iter().map(|&byte| if byte == b'J' { b'B' } else { byte }).collect(), "must be JSON"),
    ] {
        let error = read(&bytes).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    for end in 0..good.len() {
        assert!(read(&good[..end]).is_err(), "cut at {end}");
    }
}

#[test]
fn g8_trees() {
    for (nodes, part) in [
        (r#"{ "children": [0] }"#, "nodes[0].children[0]"),
        (r#"{ "children": [1] }, { "children": [0] }"#, "nodes form a ring: 0, 1"),
        (r#"{ }, { "children": [2] }, { "children": [3] }, { "children": [1] }"#, "ring"),
        (r#"{ "children": [2] }, { "children": [2] }, { }"#, "node 2 is a child of node 0 already"),
        (r#"{ "children": [99] }"#, "there is no node 99, only 1"),
        (r#"{ "children": [-1] }"#, "a whole number"),
        (r#"{ "children": [0.5] }"#, "a whole number"),
        ("", "there are no nodes"),
    ] {
        let error = refused(&file(nodes, ""));
        assert!(error.contains(part) && error.contains("nodes"), "{error}");
    }
    assert!(refused(r#"{ "asset": { "version": "1.0" }, "nodes": [{}] }"#).contains("only 2.0"));
    assert!(refused(r#"{ "nodes": [{}] }"#).contains("`asset` is missing"));
}

#[test]
fn g9_skins() {
    let nodes = r#"{ "children": [1] }, { "name": "a" }, { "name": "b" }"#;
    for (skin, part) in [
        (r#"{ "joints": [1, 1] }"#, "skins[0].joints[1]"),
        (r#"{ "joints": [] }"#, "at least one joint"),
        (r#"{ "joints": [7] }"#, "no node 7"),
        (r#"{ "joints": [1], "skeleton": 2 }"#, "node 2 is not above all joints"),
        (r#"{ "joints": [1], "skeleton": 3 }"#, "no node 3"),
        ("{ }", "`joints` is missing"),
    ] {
        let error = refused(&file(nodes, &format!(r#", "skins": [ {skin} ]"#)));
        assert!(error.contains(part), "{error}");
    }
    assert!(read(&file(nodes, r#", "skins": [ { "joints": [1], "skeleton": 0 } ]"#)).is_ok());
    // Against the format, but there are such files, and where their bones are is clear.
    let mut warnings = Warnings::new();
    let text = file(nodes, r#", "skins": [ { "joints": [1, 2] } ]"#);
    let character = gltf::read_bytes(text.as_bytes(), &Limits::default(), &mut warnings).unwrap();
    assert_eq!((character.skeleton().n_joints(), warnings.len()), (3, 1));
}

#[test]
fn g10_placements() {
    let one = |fields: &str| file(&format!("{{ {fields} }}"), "");
    for (fields, part) in [
        (r#""matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1], "scale": [1,1,1]"#, "matrix or"),
        (r#""matrix": [1,0,0,0, 1,1,0,0, 0,0,1,0, 0,0,0,1]"#, "shears"),
        (r#""matrix": [0,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]"#, "no length"),
        (r#""matrix": [1,0,0,1, 0,1,0,0, 0,0,1,0, 0,0,0,1]"#, "last row"),
        (r#""matrix": [1,0,0]"#, "expected 16 numbers"),
        (r#""rotation": [0, 0, 0, 2]"#, "length 1"),
        (r#""rotation": [0, 0, 0, 0]"#, "length 1"),
        (r#""translation": [1e200, 0, 0]"#, "largest number"),
        (r#""scale": "big""#, "nodes[0].scale"),
    ] {
        let error = refused(&one(fields));
        assert!(error.contains(part), "{error}");
    }
    // A mirror turns nothing round: what hangs on it stands where the matrix puts it, and the joint's rotation is one.
    let mirrored = r#"{ "children": [1], "scale": [-1, 1, 1] }, { "translation": [1, 2, 3] }"#;
    let by_matrix = r#"{ "children": [1], "matrix": [-1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1] }, { "translation": [1, 2, 3] }"#;
    for nodes in [mirrored, by_matrix] {
        let character = read(&file(nodes, "")).unwrap();
        let poses = character.skeleton().poses(&character.skeleton().neutral());
        assert!(poses[1].translation.distance(DVec3::new(-1.0, 2.0, 3.0)) < 1e-12);
        assert!((poses[1].rotation.length() - 1.0).abs() < 1e-12);
    }
    for (scale, n_warnings) in [("[2, 2, 2]", 0), ("[2, 1, 1]", 1), ("[0, 0, 0]", 1)] {
        let nodes =
            format!(r#"{{ "children": [1], "scale": {scale} }}, {{ "translation": [1, 0, 0] }}"#);
        let mut warnings = Warnings::new();
        let text = file(&nodes, "");
        let character =
            gltf::read_bytes(text.as_bytes(), &Limits::default(), &mut warnings).unwrap();
        assert_eq!(warnings.len(), n_warnings, "{scale}");
        assert!(
            character.skeleton().poses(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0])[1]
                .translation
                .is_finite()
        );
    }
}

#[test]
fn g13_deep_and_wide_trees() {
    let n = 60_000;
    let deep: Vec<String> = (0..n)
        .map(|node| match node + 1 {
            child if child < n => {
                format!(r#"{{ "children": [{child}], "translation": [0, 1, 0] }}"#)
            }
            _ => "{}".to_owned(),
        })
        .collect();
    let character = read(&file(&deep.join(","), "")).unwrap();
    assert_eq!(character.skeleton().n_joints(), n);
    let wide = vec!["{}"; 70_000].join(",");
    let error = read(&file(&wide, "")).unwrap_err();
    assert!(matches!(error, Error::TooLarge { field: "joints", .. }), "{error}");
}
