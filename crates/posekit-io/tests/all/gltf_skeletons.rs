//! Skeletons of glTF files: where joints stand, which nodes they are, and what is refused. Files of other makers come from the shared assets.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a helper of a test may fail and speak as a test does"
)]

use crate::common;

use std::fs;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use posekit::glam::{DMat4, DQuat, DVec3, Mat4};
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

#[test]
fn every_character_of_the_assets_stands_where_its_nodes_stand() {
    let Some(assets) = common::assets() else { return };
    let files = common::gltf_files(&assets.join("gltf"));
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
    assert_eq!(warnings.len(), 1, "what follows the end is left out");
    for (bytes, part) in [
        (binary(&json, 1, None, None), "version 1, only 2"),
        (binary(&json, 2, Some(u32::MAX), None), "4294967295 bytes are declared"),
        (binary(&json, 2, Some(0), None), "ends inside the JSON chunk"),
        (binary(&json, 2, Some(16), None), "ends inside the JSON chunk"),
        (binary(&json, 2, None, Some(u32::MAX)), "ends inside the JSON chunk"),
        (binary(&json, 2, None, Some(0)), "ends inside a chunk"),
        (b"glTF".to_vec(), "ends inside the header"),
        (good.iter().map(|&byte| if byte == b'J' { b'B' } else { byte }).collect(), "must be JSON"),
        // A bad magic is no container, and then no text either.
        ([b"glTG", &good[4..]].concat(), "the file is binary"),
        ([b"GLTF", &good[4..]].concat(), "the file is binary"),
    ] {
        let error = read(&bytes).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    for end in 0..good.len() {
        assert!(read(&good[..end]).is_err(), "cut at {end}");
    }
    // Behind the JSON: data once, and first; then what else there is.
    let bin: &[u8] = b"\x04\0\0\0BIN\0data";
    let other: &[u8] = b"\0\0\0\0ELSE";
    for (chunks, part) in [
        (vec![bin], None),
        (vec![bin, other], None),
        (vec![other, other], None),
        (vec![bin, bin], Some("only the second chunk may be BIN")),
        (vec![other, bin], Some("only the second chunk may be BIN")),
        (vec![bin, b"\0\0\0\0JSON"], Some("only the first chunk may be JSON")),
        (vec![&bin[..11]], Some("ends inside a chunk")),
        (vec![bin, b"\0\0\0"], Some("ends inside a chunk")),
        (vec![b"\xFF\xFF\xFF\xFFBIN\0"], Some("ends inside a chunk")),
    ] {
        let chunks = chunks.concat();
        let size = u32::try_from(good.len() + chunks.len()).unwrap();
        let bytes = [binary(&json, 2, Some(size), None), chunks].concat();
        match (read(&bytes), part) {
            (Ok(_), None) => {}
            (Err(error), Some(part)) if error.to_string().contains(part) => {}
            (result, _) => panic!("{part:?}: {:?}", result.map(|_| ())),
        }
    }
}

#[test]
fn g8_trees() {
    for (nodes, part) in [
        (r#"{ "children": [0] }"#, "nodes[0].children[0]"),
        (r#"{ "children": [1] }, { "children": [0] }"#, "nodes form a cycle: 0, 1"),
        (r#"{ }, { "children": [2] }, { "children": [3] }, { "children": [1] }"#, "cycle"),
        (r#"{ "children": [2] }, { "children": [2] }, { }"#, "node 2 is a child of node 0 already"),
        (r#"{ "children": [99] }"#, "there is no node 99; the last is 0"),
        (r#"{ "children": [-1] }"#, "a whole number"),
        (r#"{ "children": [0.5] }"#, "a whole number"),
        ("", "there are no nodes"),
    ] {
        let error = refused(&file(nodes, ""));
        assert!(error.contains(part) && error.contains("nodes"), "{error}");
    }
    for (scene, part) in [
        ("[1]", "scenes[0].nodes[0]"),
        ("[0, 1]", "node 1 is a child of node 0"),
        ("[2]", "no node 2"),
        ("0", "scenes[0].nodes"),
    ] {
        let text = file(
            r#"{ "children": [1] }, { }"#,
            &format!(r#", "scenes": [ {{ "nodes": {scene} }} ]"#),
        );
        assert!(refused(&text).contains(part), "{scene}: {}", refused(&text));
    }
    assert!(read(&file("{ }", r#", "scenes": [ { "nodes": [0] }, { } ]"#)).is_ok());
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
        (r#"{ "joints": [1], "skeleton": 2 }"#, "node 2 is not an ancestor of all joints"),
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

/// Bones stand where they stand whatever a mesh is bound with, so what is wrong with the matrices is said, and the character is read.
#[test]
fn g9_inverse_bind_matrices() {
    let one = Mat4::IDENTITY.to_cols_array();
    let with = |at: usize, value: f32| {
        let mut matrix = one;
        matrix[at] = value;
        matrix
    };
    for (matrices, kind, part) in [
        (vec![one, one], "MAT4", None),
        (vec![with(0, -1e-3), with(12, 1e6)], "MAT4", None),
        (vec![one], "MAT4", Some("1 matrices are too few for 2 joints")),
        (vec![one, with(3, f32::NAN)], "MAT4", Some("matrix 1, and possibly others, is singular")),
        (vec![with(5, 0.0), one], "MAT4", Some("matrix 0, and possibly others, is singular")),
        (vec![[0.0; 16]; 2], "MAT4", Some("matrix 0, and possibly others, is singular")),
        (vec![one, one], "MAT3", Some("MAT4 of FLOAT, not MAT3 of FLOAT")),
    ] {
        let bytes = matrices.iter().flatten().flat_map(|number| number.to_le_bytes());
        let data = STANDARD.encode(bytes.collect::<Vec<u8>>());
        let (count, length) = (matrices.len(), matrices.len() * 64);
        let more = format!(
            r#", "skins": [ {{ "joints": [0, 1], "inverseBindMatrices": 0 }} ],
            "accessors": [ {{ "bufferView": 0, "componentType": 5126, "type": "{kind}", "count": {count} }} ],
            "bufferViews": [ {{ "buffer": 0, "byteLength": {length} }} ],
            "buffers": [ {{ "byteLength": {length}, "uri": "data:;base64,{data}" }} ]"#
        );
        let text = file(r#"{ "children": [1] }, { }"#, &more);
        let (mut warnings, limits) = (Warnings::new(), Limits::default());
        let mut no_files = gltf::no_files;
        gltf::Asset::from_bytes(text.as_bytes(), &mut no_files, &limits, &mut warnings).unwrap();
        let words: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        match part {
            None => assert!(words.is_empty(), "{words:?}"),
            Some(part) => {
                assert_eq!(words.len(), 1, "{words:?}");
                assert!(words[0].starts_with("skins[0].inverseBindMatrices: "), "{words:?}");
                assert!(words[0].contains(part), "{words:?}");
            }
        }
    }
    let missing = r#", "skins": [ { "joints": [0], "inverseBindMatrices": 3 } ]"#;
    assert!(refused(&file("{ }", missing)).contains("skins[0].inverseBindMatrices"));
}

#[test]
fn g10_placements() {
    let one = |fields: &str| file(&format!("{{ {fields} }}"), "");
    for (fields, part) in [
        (r#""matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1], "scale": [1,1,1]"#, "matrix or"),
        (r#""matrix": [1,0,0,0, 1,1,0,0, 0,0,1,0, 0,0,0,1]"#, "shears"),
        (r#""matrix": [0,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1]"#, "zero length"),
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
    let n = 200_000;
    let deep: Vec<String> = (0..n)
        .map(|node| match node + 1 {
            child if child < n => {
                format!(r#"{{ "children": [{child}], "translation": [0, 1, 0] }}"#)
            }
            _ => "{}".to_owned(),
        })
        .collect();
    let text = file(&deep.join(","), "");
    let limits = Limits::default().with_joints(n);
    let warnings = &mut Warnings::new();
    let character = gltf::read_bytes(text.as_bytes(), &limits, warnings).unwrap();
    assert_eq!(character.skeleton().n_joints(), n);
    assert!(matches!(read(&text), Err(Error::TooLarge { field: "joints", .. })), "by default");
    let wide = vec!["{}"; 1_000_000].join(",");
    let error = read(&file(&wide, "")).unwrap_err();
    assert!(matches!(error, Error::TooLarge { field: "joints", .. }), "{error}");
}
