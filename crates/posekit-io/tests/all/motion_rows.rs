//! Clips of motion files and back, case by case.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use base64::Engine;
use posekit::glam::{DAffine3, DQuat, DVec3};
use posekit::skeleton::JointKind;
use posekit_io::gltf::{Interpolation, TargetPath, no_files};
use posekit_io::motion::{Format, MotionFile, MotionOptions, to_glb, to_glb_within};
use posekit_io::{Error, Limits, Result, Warnings};
use posekit_motion::{Clip, TimeMap, find_legs};

fn open_with(bytes: &[u8], options: &MotionOptions) -> Result<MotionFile> {
    MotionFile::from_bytes(bytes, &mut no_files, options, &Limits::default(), &mut Warnings::new())
}

fn open(bytes: impl AsRef<[u8]>) -> MotionFile {
    open_with(bytes.as_ref(), &MotionOptions::default()).unwrap()
}

/// An armature at a hundredth of its size, with hips and a knee; three keys a half second apart.
fn scene(nodes: &str, more_channels: &str) -> String {
    let numbers: [&[f32]; 4] = [
        &[0.0, 0.5, 1.0],
        &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.6, 0.8, 0.0, 0.0, 1.0, 0.0],
        &[0.0, 90.0, 0.0, 0.0, 91.0, 0.0, 0.0, 90.0, 30.0],
        &[2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0],
    ];
    let bytes: Vec<u8> =
        numbers.iter().flat_map(|list| list.iter().flat_map(|x| x.to_le_bytes())).collect();
    let data = base64::engine::general_purpose::STANDARD.encode(&bytes);
    format!(
        r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [ {nodes} ],
  "animations": [ {{ "samplers": [ {{ "input": 0, "output": 1 }}, {{ "input": 0, "output": 2 }}, {{ "input": 0, "output": 3 }} ],
    "channels": [ {{ "sampler": 0, "target": {{ "node": 2, "path": "rotation" }} }},
                  {{ "sampler": 1, "target": {{ "node": 1, "path": "translation" }} }}{more_channels} ] }} ],
  "accessors": [ {{ "bufferView": 0, "componentType": 5126, "type": "SCALAR", "count": 3, "min": [0], "max": [1] }},
    {{ "bufferView": 0, "byteOffset": 12, "componentType": 5126, "type": "VEC4", "count": 3 }},
    {{ "bufferView": 0, "byteOffset": 60, "componentType": 5126, "type": "VEC3", "count": 3 }},
    {{ "bufferView": 0, "byteOffset": 96, "componentType": 5126, "type": "VEC3", "count": 3 }} ],
  "bufferViews": [ {{ "buffer": 0, "byteLength": {n} }} ],
  "buffers": [ {{ "byteLength": {n}, "uri": "data:application/octet-stream;base64,{data}" }} ] }}"#,
        n = bytes.len()
    )
}

const FIGURE: &str = r#"{ "name": "armature", "scale": [0.01, 0.01, 0.01], "children": [1] },
  { "name": "hips", "translation": [0, 90, 0], "children": [2] }, { "name": "knee", "translation": [0, -40, 0] }"#;

fn place(clip: &Clip, name: &str, frame: usize) -> DVec3 {
    let joint = clip.skeleton().find(name).unwrap();
    clip.skeleton().poses(clip.frame(frame))[joint].translation
}

fn assert_at(found: DVec3, expected: [f64; 3]) {
    assert!((found - DVec3::from_array(expected)).length() < 1e-6, "{found}, not {expected:?}");
}

#[test]
fn scales_above_are_applied_and_taken_back() {
    let file = open(scene(FIGURE, ""));
    let clip = file.clip(0).unwrap();
    // Two keys a second are sampled thirty times, and every key is a frame.
    assert_eq!((clip.n_frames(), clip.duration(), clip.metres_per_unit()), (31, 1.0, Some(1.0)));
    assert_at(place(clip, "hips", 15), [0.0, 0.91, 0.0]);
    assert_at(place(clip, "knee", 30), [0.0, 0.5, 0.3]);
    let hips = clip.skeleton().value_range(1);
    assert!(matches!(clip.skeleton().kind(1), JointKind::Free), "hips move on their parent");
    let mut values = clip.values().to_vec();
    let n = clip.skeleton().n_values();
    values.chunks_exact_mut(n).for_each(|q| q[hips.start + 1] += 0.05);
    let written = file.write(0, &clip.with_values(values).unwrap(), "").unwrap();
    assert_eq!(written.joints, [1], "hips alone");
    let again = open(&written.file);
    assert_at(place(again.clip(0).unwrap(), "hips", 15), [0.0, 0.96, 0.0]);
    let channel =
        again.gltf().unwrap().animations()[0].channel(1, TargetPath::Translation).unwrap();
    assert_eq!((channel.times.len(), channel.value(0)), (31, &[0.0, 95.0, 0.0][..]));
}

#[test]
fn a_scale_that_an_animation_sets_counts_from_its_beginning() {
    let more = r#", { "sampler": 2, "target": { "node": 1, "path": "scale" } }"#;
    let file = open(scene(FIGURE, more));
    assert_at(place(file.clip(0).unwrap(), "knee", 0), [0.0, 0.1, 0.0]);
    assert_at(
        file.rest().unwrap().skeleton().poses(file.rest().unwrap().frame(0))[2].translation,
        [0.0, 0.5, 0.0],
    );
}

#[test]
fn a_figure_that_appears_has_the_lengths_that_it_comes_to() {
    // Scales of zero at first, and then of two: the figure pops in.
    let more = r#", { "sampler": 2, "target": { "node": 1, "path": "scale" } }"#;
    let [zeros, twos] = [[0.0_f32; 3], [2.0; 3]].map(|scale| {
        let bytes: Vec<u8> = scale.iter().flat_map(|x| x.to_le_bytes()).collect();
        base64::engine::general_purpose::STANDARD.encode(bytes)
    });
    let text = scene(FIGURE, more);
    // Three numbers are whole groups of four letters, from the first scale on.
    let first = text.find(&twos.repeat(3)).unwrap();
    let popping = [&text[..first], &zeros, &text[first + zeros.len()..]].concat();
    let file = open(popping);
    assert_at(place(file.clip(0).unwrap(), "knee", 0), [0.0, 0.1, 0.0]);
    // What is moved under it can be written.
    let clip = file.clip(0).unwrap();
    let hips = clip.skeleton().value_range(clip.skeleton().find("hips").unwrap());
    let mut values = clip.values().to_vec();
    let n = clip.skeleton().n_values();
    values.chunks_exact_mut(n).for_each(|q| q[hips.start] += 0.25);
    let written = file.write(0, &clip.with_values(values).unwrap(), "").unwrap();
    let again = open(&written.file);
    assert_at(place(again.clip(0).unwrap(), "hips", 0), [0.25, 0.9, 0.0]);
}

/// The scene with a scale of a node at each of its three keys.
fn growing(nodes: &str, node: usize, scales: [[f32; 3]; 3]) -> String {
    let more = format!(r#", {{ "sampler": 2, "target": {{ "node": {node}, "path": "scale" }} }}"#);
    let encode = |scale: [f32; 3]| {
        let bytes: Vec<u8> = scale.iter().flat_map(|x| x.to_le_bytes()).collect();
        base64::engine::general_purpose::STANDARD.encode(bytes)
    };
    let twos = encode([2.0; 3]).repeat(3);
    let text = scene(nodes, &more);
    assert!(text.contains(&twos), "three numbers are whole groups of four letters");
    text.replace(&twos, &scales.map(encode).concat())
}

/// Where the hips and what hangs on them are by the format's own words: each node's scale, turn and place, from the root down.
fn by_the_format(
    file: &MotionFile,
    node: usize,
    chain: &[(usize, DVec3, f64)],
    time: f64,
) -> DVec3 {
    let animation = &file.gltf().unwrap().animations()[0];
    let at = |node: usize, path: TargetPath| {
        let channel = animation.channel(node, path)?;
        let key = channel.times.iter().position(|&key| (key - time).abs() < 1e-6).unwrap();
        Some(channel.value(key).to_vec())
    };
    let mut world = DAffine3::IDENTITY;
    for &(index, rest, size) in chain {
        let place = at(index, TargetPath::Translation).map_or(rest, |v| DVec3::from_slice(&v));
        let turn =
            at(index, TargetPath::Rotation).map_or(DQuat::IDENTITY, |v| DQuat::from_slice(&v));
        let scale =
            at(index, TargetPath::Scale).map_or(DVec3::splat(size), |v| DVec3::from_slice(&v));
        world *= DAffine3::from_scale_rotation_translation(scale, turn, place);
        if index == node {
            break;
        }
    }
    world.translation
}

const TALL: &str = r#"{ "name": "armature", "scale": [0.01, 0.01, 0.01], "children": [1] },
  { "name": "hips", "translation": [0, 90, 0], "children": [2] },
  { "name": "knee", "translation": [0, -40, 0], "children": [3] }, { "name": "ankle", "translation": [3, -38, 0] }"#;

const CHAIN: [(usize, DVec3, f64); 4] = [
    (0, DVec3::ZERO, 0.01),
    (1, DVec3::new(0.0, 90.0, 0.0), 1.0),
    (2, DVec3::new(0.0, -40.0, 0.0), 1.0),
    (3, DVec3::new(3.0, -38.0, 0.0), 1.0),
];

#[test]
fn scales_that_stay_or_change_alike_along_all_axes_are_followed() {
    let flat = |scale: f32| [scale; 3];
    for node in 0..3 {
        for scales in [
            // Constant, though not what it is at rest: what exporters write for every bone.
            [flat(2.0), flat(2.0), flat(2.0)],
            [[2.0, 3.0, 4.0]; 3],
            [flat(1.0), flat(1.5), flat(0.5)],
            [flat(0.01), flat(0.02), flat(0.01)],
            // In proportion, though not the same along all axes; nothing turns below it.
            [[2.0, 1.0, 1.0], [4.0, 2.0, 2.0], [2.0, 1.0, 1.0]],
        ] {
            let turns_below = node < 2 && scales[0] != [scales[0][0]; 3];
            let file = open(growing(TALL, node, scales));
            let clip = file.clip(0).unwrap();
            for (frame, time) in [(0, 0.0), (15, 0.5), (30, 1.0)] {
                for (joint, name) in ["armature", "hips", "knee", "ankle"].iter().enumerate() {
                    if turns_below && joint == 3 {
                        continue;
                    }
                    let expected = by_the_format(&file, joint, &CHAIN, time);
                    let off = place(clip, name, frame).distance(expected);
                    assert!(off < 1e-6 * (1.0 + expected.length()), "{name}: {off} of {expected}");
                }
            }
        }
    }
}

#[test]
fn what_is_edited_under_a_scale_that_changes_is_written_as_it_is() {
    let text = growing(TALL, 0, [[0.01; 3], [0.02; 3], [0.005; 3]]);
    let file = open(&text);
    let clip = file.clip(0).unwrap();
    assert_eq!(file.write(0, clip, "").unwrap().file, text.as_bytes());
    // Hips are moved in the world, and the knee is turned.
    let (n, skeleton) = (clip.skeleton().n_values(), clip.skeleton());
    let [hips, knee] = [1, 2].map(|joint| skeleton.value_range(joint));
    let mut values = clip.values().to_vec();
    for q in values.chunks_exact_mut(n) {
        q[hips.start] += 0.25;
        q[knee.end - 4..knee.end].copy_from_slice(&[0.0, 0.0, 0.6, 0.8]);
    }
    let edited = clip.with_values(values).unwrap();
    let written = file.write(0, &edited, "").unwrap();
    assert_eq!(written.joints, [2]);
    let again = open(&written.file);
    for frame in [0, 7, 15, 22, 30] {
        for name in ["hips", "knee", "ankle"] {
            assert_at(
                place(again.clip(0).unwrap(), name, frame),
                place(&edited, name, frame).to_array(),
            );
        }
    }
    assert!(again.gltf().unwrap().animations()[0].channel(2, TargetPath::Translation).is_none());
    // In another time scales go along, and no bone gets keys for what its scale does.
    let map = TimeMap::speed(0.5, 0.0).unwrap();
    let slower = clip.retimed(&map, clip.frame_time()).unwrap();
    let slow = open(file.write_retimed(&[(0, &slower, &map)], "").unwrap().file);
    let found = slow.clip(0).unwrap();
    for frame in [0, 15, 30, 45, 60] {
        for name in ["hips", "knee", "ankle"] {
            assert_at(place(found, name, frame), place(&slower, name, frame).to_array());
        }
    }
    let animation = &slow.gltf().unwrap().animations()[0];
    assert!(animation.channel(2, TargetPath::Translation).is_none());
    let turns = animation.channels.iter().find(|channel| channel.path == TargetPath::Rotation);
    let times = &animation.channel(0, TargetPath::Scale).unwrap().times;
    assert_eq!((times, times.len()), (&turns.unwrap().times, slower.n_frames()), "at the frames");
}

#[test]
fn a_scale_that_changes_unevenly_is_told_by_its_joint() {
    let warned = |text: &str| {
        let (options, limits) = (MotionOptions::default(), Limits::default());
        let mut warnings = Warnings::new();
        let file = MotionFile::from_bytes(
            text.as_bytes(),
            &mut no_files,
            &options,
            &limits,
            &mut warnings,
        )
        .unwrap();
        (file, warnings.iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    let squashed = [[1.0, 1.0, 1.0], [1.5, 0.7, 1.5], [1.0, 1.0, 1.0]];
    let (file, reported) = warned(&growing(TALL, 1, squashed));
    assert!(
        reported.len() == 1
            && reported[0].contains("the scale of `hips` changes differently along its axes"),
        "{reported:?}"
    );
    let clip = file.clip(0).unwrap();
    assert_at(place(clip, "hips", 15) - place(clip, "knee", 15), [0.0, 0.4, 0.0]);
    // Nothing hangs on the ankle; what is followed, or hidden for a while, needs no word.
    let even = [[1.0; 3], [2.0; 3], [1.0; 3]];
    let hidden = [[0.0; 3], [2.0; 3], [2.0; 3]];
    for (node, scales) in [(3, squashed), (1, even), (1, hidden)] {
        let (file, reported) = warned(&growing(TALL, node, scales));
        assert!(reported.is_empty(), "{reported:?}");
        assert!(file.clip(0).is_ok());
    }
}

#[test]
fn a_place_that_stays_is_no_motion() {
    // The third accessor has the same place three times, though not that at rest.
    let more = r#", { "sampler": 2, "target": { "node": 2, "path": "translation" } }"#;
    let file = open(scene(FIGURE, more));
    let clip = file.clip(0).unwrap();
    assert!(matches!(clip.skeleton().kind(2), JointKind::Ball), "a knee");
    assert_at(place(clip, "knee", 0), [0.02, 0.92, 0.02]);
}

/// Nodes of a knee that is a matrix: a quarter turn about z, twice the size, and what else is given; an ankle hangs on it.
fn knee_by_matrix(columns: &str) -> String {
    format!(
        r#"{{ "name": "armature", "scale": [0.01, 0.01, 0.01], "children": [1, 2] }}, {{ "name": "hips", "children": [3] }},
  {{ "name": "arm" }}, {{ "name": "knee", "children": [4],
    "matrix" : [{columns}, 0, -40, 0, 1] }}, {{ "name": "ankle", "translation": [0, -20, 0] }}"#
    )
}

#[test]
fn a_node_with_a_matrix_turns_and_is_written_as_its_parts() {
    for (columns, rotation, scale) in [
        ("0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0", "0.0,0.0,0.70710677,0.70710677", "[2.0,2.0,2.0]"),
        ("0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0", "0.0,0.0,0.70710677,0.70710677", ""),
        // A mirror, and other lengths along each axis.
        ("-2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0", "0.0,0.0,0.0,1.0", "[-2.0,3.0,4.0]"),
    ] {
        let text = scene(&knee_by_matrix(columns), "");
        let file = open(&text);
        let clip = file.clip(0).unwrap();
        let knee = clip.skeleton().find("knee").unwrap();
        assert!(matches!(clip.skeleton().kind(knee), JointKind::Ball), "it may turn");
        // What is not moved stays as it is, to the byte.
        assert_eq!(file.write(0, clip, "").unwrap().file, text.as_bytes());
        let mut values = clip.values().to_vec();
        let (n, range) = (clip.skeleton().n_values(), clip.skeleton().value_range(knee));
        values
            .chunks_exact_mut(n)
            .for_each(|q| q[range.clone()].copy_from_slice(&[0.6, 0.0, 0.0, 0.8]));
        let turned = clip.with_values(values).unwrap();
        let written = file.write(0, &turned, "").unwrap();
        assert_eq!(written.joints, [1]);
        let again = open(&written.file);
        let found = again.clip(0).unwrap();
        for frame in [0, 15, 30] {
            for name in ["hips", "knee", "ankle"] {
                assert_at(place(found, name, frame), place(&turned, name, frame).to_array());
            }
        }
        // In its place the node has its parts, in the layout of the text; all the other nodes are as they were.
        let new = String::from_utf8(written.file).unwrap();
        let scale =
            if scale.is_empty() { String::new() } else { format!(",\n    \"scale\" : {scale}") };
        let parts =
            format!("\"translation\" : [0.0,-40.0,0.0],\n    \"rotation\" : [{rotation}]{scale}");
        let nodes = text.replace(&format!("\"matrix\" : [{columns}, 0, -40, 0, 1]"), &parts);
        let end = nodes.find("\"animations\"").unwrap();
        assert_eq!(new[..end], nodes[..end]);
        assert_eq!(again.write(0, found, "").unwrap().file, new.as_bytes());
    }
}

#[test]
fn a_matrix_that_shears_is_refused_by_name_where_joints_stand_on_it() {
    let sheared = "1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0";
    let error =
        open_with(scene(&knee_by_matrix(sheared), "").as_bytes(), &MotionOptions::default());
    let words = error.unwrap_err().to_string();
    assert!(
        words.starts_with("nodes[3].matrix") && words.contains("the matrix of `knee` shears"),
        "{words}"
    );
    // A sword in a hand, on which nothing turns, does no harm.
    let skin = r#""skins": [ { "joints": [1, 2, 4] } ], "animations""#;
    let nodes = knee_by_matrix(sheared)
        .replace(r#""children": [4],"#, "")
        .replace(r#""name": "arm""#, r#""name": "arm", "children": [4]"#);
    let text = scene(&nodes, "").replace("\"animations\"", skin);
    let mut warnings = Warnings::new();
    let options = MotionOptions::default();
    let file = MotionFile::from_bytes(
        text.as_bytes(),
        &mut no_files,
        &options,
        &Limits::default(),
        &mut warnings,
    )
    .unwrap();
    let reported: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    assert!(reported[0].contains("nodes[3].matrix: the matrix of `knee` shears"), "{reported:?}");
    assert_at(place(file.clip(0).unwrap(), "knee", 0), [0.0, 0.5, 0.0]);
}

#[test]
fn keys_of_frames_that_did_not_change_keep_their_bits() {
    // Thirty keys a second are frames.
    let options = MotionOptions::default().with_fps(2.0);
    let text = scene(FIGURE, "");
    let file = open_with(text.as_bytes(), &options).unwrap();
    let clip = file.clip(0).unwrap();
    assert_eq!(clip.n_frames(), 3);
    let knee = clip.skeleton().value_range(2);
    let mut values = clip.values().to_vec();
    let n = clip.skeleton().n_values();
    values[n..][knee].copy_from_slice(&[0.6, 0.0, 0.0, 0.8]);
    let written = file.write(0, &clip.with_values(values).unwrap(), "").unwrap();
    let again = open(&written.file);
    let (old, new) =
        (&file.gltf().unwrap().animations()[0], &again.gltf().unwrap().animations()[0]);
    let turn = |animation: &posekit_io::gltf::Animation, key: usize| {
        animation.channel(2, TargetPath::Rotation).unwrap().value(key).to_vec()
    };
    assert_eq!((turn(new, 0), turn(new, 2)), (turn(old, 0), turn(old, 2)));
    assert!((turn(new, 1)[0].abs() - 0.6).abs() < 1e-6, "{:?}", turn(new, 1));
    assert_eq!(old.channel(1, TargetPath::Translation), new.channel(1, TargetPath::Translation));
    assert_eq!(new.channel(2, TargetPath::Rotation).unwrap().interpolation, Interpolation::Linear);
}

#[test]
fn other_frames_and_several_clips_are_written() {
    let file = open(scene(FIGURE, ""));
    let clip = file.clip(0).unwrap();
    let half: Vec<f64> =
        (0..clip.n_frames()).step_by(2).flat_map(|k| clip.frame(k).to_vec()).collect();
    let slow = Clip::try_new(clip.skeleton().clone(), 0.5, half).unwrap();
    let written = file.write(0, &slow, "").unwrap();
    let again = open(&written.file);
    assert_eq!(again.seconds(0), 7.5);
    assert_at(
        place(again.clip(0).unwrap(), "hips", again.clip(0).unwrap().n_frames() - 1),
        [0.0, 0.9, 0.3],
    );
    let same = file.write_clips(&[(0, &slow), (0, clip)], "").unwrap();
    assert_eq!(same.file, file.gltf().unwrap().bytes(), "the later one counts");
    assert!(
        matches!(file.write_clips(&[(1, clip)], ""), Err(Error::NoSuchName { .. })),
        "one motion"
    );
}

#[test]
fn what_is_not_of_the_clip_goes_along_in_time() {
    let scale = r#", { "sampler": 2, "target": { "node": 2, "path": "scale" } }"#;
    let file = open(scene(FIGURE, scale));
    let clip = file.clip(0).unwrap();
    let map = TimeMap::speed(0.5, clip.start()).unwrap();
    let slow = clip.retimed(&map, clip.frame_time()).unwrap();
    let times = |written: &[u8]| {
        let animation = open(written).gltf().unwrap().animations()[0].clone();
        animation.channel(2, TargetPath::Scale).unwrap().times.clone()
    };
    let written = file.write_retimed(&[(0, &slow, &map)], "").unwrap();
    let found = times(&written.file);
    assert_eq!((found.len(), found[0], found[60]), (61, 0.0, 2.0), "at the frames");
    assert_eq!(open(&written.file).seconds(0), 2.0);
    assert_eq!(times(&file.write(0, &slow, "").unwrap().file), [0.0, 0.5, 1.0], "not asked for");
    let same = file.write_retimed(&[(0, clip, &TimeMap::speed(1.0, 0.0).unwrap())], "").unwrap();
    assert_eq!(same.file, file.gltf().unwrap().bytes(), "a time that is the same changes nothing");
}

#[test]
fn what_cannot_be_is_refused() {
    let file = open(scene(FIGURE, ""));
    let other = open(scene(&FIGURE.replace("knee", "elbow"), ""));
    let error = file.write(0, other.clip(0).unwrap(), "").unwrap_err();
    assert!(error.to_string().contains("a different skeleton"), "{error}");
    let options = MotionOptions::default().with_fps(1e9);
    let error = open_with(scene(FIGURE, "").as_bytes(), &options).unwrap().clip(0).unwrap_err();
    assert!(matches!(error, Error::TooLarge { field: "animation_values", .. }), "{error}");
    for fps in [0.0, -1.0, f64::NAN] {
        let options = MotionOptions::default().with_fps(fps);
        assert!(open_with(scene(FIGURE, "").as_bytes(), &options).is_err(), "{fps}");
    }
    for (bytes, word) in [
        (&b""[..], "empty"),
        (b"PK\x03\x04rest", "zip"),
        (b"Kaydara FBX Binary  \0", "FBX"),
        (b"hello", "neither BVH nor glTF"),
        (b"<?xml version=\"1.0\"?>", "XML"),
    ] {
        let error = open_with(bytes, &MotionOptions::default()).unwrap_err();
        assert!(error.to_string().contains(word), "{word}: {error}");
    }
    assert_eq!(Format::of(b"\xEF\xBB\xBF \r\nhierarchy"), Ok(Format::Bvh));
}

/// Row C5: what a file holds counts, not its name.
#[test]
fn c5_a_name_that_lies_is_told() {
    let path = std::env::temp_dir().join(format!("posekit-lies-{}.bvh", std::process::id()));
    std::fs::write(&path, scene(FIGURE, "")).unwrap();
    let mut warnings = Warnings::new();
    let file =
        MotionFile::open(&path, &MotionOptions::default(), &Limits::default(), &mut warnings);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(file.unwrap().format(), Format::Gltf);
    assert!(
        warnings.as_slice()[0].message.contains("is that of BVH, but its content is glTF"),
        "{warnings:?}"
    );
}

/// Row G14: a file without legs is told apart, with what there is instead.
#[test]
fn g14_without_legs_there_are_candidates_or_a_reason() {
    let file = open(scene(FIGURE, ""));
    let legs = find_legs(file.clip(0).unwrap());
    assert!(legs.legs.is_empty(), "{legs:?}");
    assert!(!legs.reason.is_empty(), "a word on it");
}

const TURNS: &str = "HIERARCHY
ROOT hips
{
OFFSET 0 0 0
CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
JOINT knee
{
OFFSET 0 -40 0
CHANNELS 3 Zrotation Xrotation Yrotation
}
}
MOTION
Frames: 4
Frame Time: 0.02
";

/// The file with the angle of the knee moved in these frames.
fn knee_moved(rows: &str, frames: &[usize]) -> String {
    let file = open(format!("{TURNS}{rows}"));
    let clip = file.clip(0).unwrap();
    let range = clip.skeleton().value_range(1);
    let mut values = clip.values().to_vec();
    let n = clip.skeleton().n_values();
    for &frame in frames {
        values[frame * n..][range.clone()].copy_from_slice(&[0.0, 1.0, 0.0, 0.0]);
    }
    let written = file.write(0, &clip.with_values(values).unwrap(), "").unwrap();
    String::from_utf8(written.file).unwrap().strip_prefix(TURNS).unwrap().to_owned()
}

#[test]
fn only_numbers_that_differ_are_written() {
    let rows = "0 80.0 0 0 0 0 0 0 +179.50\n 0\t80.0 0 0 0 0 0 0 -179.50 \n0 80 0 0 0 0 0 0 -179.00\n0 80 0 0 0 0 0 0 -178.50\n";
    assert_eq!(knee_moved(rows, &[]), rows);
    // A jump of the file's stays where nothing was edited before it or at it.
    let moved = knee_moved(rows, &[3]);
    assert_eq!(moved, rows.replace("-178.50", "-180"));
    // Behind an edit angles go on without a jump, and so do those that follow.
    let moved = knee_moved(rows, &[0]);
    let expected = "0 80.0 0 0 0 0 0 0 180\n 0\t80.0 0 0 0 0 0 0 180.5 \n0 80 0 0 0 0 0 0 181\n0 80 0 0 0 0 0 0 181.5\n";
    assert_eq!(moved, expected);
}

/// The times and the values of a sampler, decoded from the text alone.
fn sampler(file: &[u8], channel: usize) -> [Vec<f32>; 2] {
    let json: serde_json::Value = serde_json::from_slice(file).unwrap();
    let number = |value: &serde_json::Value| usize::try_from(value.as_u64().unwrap_or(0)).unwrap();
    let animation = &json["animations"][0];
    let sampler = &animation["samplers"][number(&animation["channels"][channel]["sampler"])];
    ["input", "output"].map(|side| {
        let accessor = &json["accessors"][number(&sampler[side])];
        let view = &json["bufferViews"][number(&accessor["bufferView"])];
        let uri = json["buffers"][number(&view["buffer"])]["uri"].as_str().unwrap();
        let data = uri.split_once(',').unwrap().1;
        let bytes = base64::engine::general_purpose::STANDARD.decode(data).unwrap();
        let start = number(&view["byteOffset"]) + number(&accessor["byteOffset"]);
        let width = if accessor["type"] == "VEC3" { 3 } else { 1 };
        let all = bytes[start..].chunks_exact(4).take(width * number(&accessor["count"]));
        all.map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect()
    })
}

#[test]
fn weights_of_shapes_go_along_in_time() {
    let weights = |node: usize| {
        format!(r#", {{ "sampler": 2, "target": {{ "node": {node}, "path": "weights" }} }}"#)
    };
    let pointer = r#", { "sampler": 2, "target": { "path": "pointer", "extensions": {
        "KHR_animation_pointer": { "pointer": "/materials/0/pbrMetallicRoughness/roughnessFactor" } } } }"#;
    let cubic = |text: String| {
        text.replace(r#""output": 3 }"#, r#""output": 3, "interpolation": "CUBICSPLINE" }"#)
    };
    for (text, channels, factors) in [
        (scene(FIGURE, &weights(2)), vec![2], [1.0; 3]),
        // A sampler that several share.
        (scene(FIGURE, &(weights(2) + &weights(1) + pointer)), vec![2, 3, 4], [1.0; 3]),
        // Tangents are by the second.
        (cubic(scene(FIGURE, &weights(2))), vec![2], [0.5, 1.0, 0.5]),
        (cubic(scene(FIGURE, &(weights(2) + &weights(1)))), vec![2, 3], [0.5, 1.0, 0.5]),
    ] {
        let file = open(&text);
        let clip = file.clip(0).unwrap();
        let map = TimeMap::speed(0.5, clip.start()).unwrap();
        let slow = clip.retimed(&map, clip.frame_time()).unwrap();
        let written = file.write_retimed(&[(0, &slow, &map)], "").unwrap();
        for &channel in &channels {
            let ([times, values], [_, old]) =
                (sampler(&written.file, channel), sampler(text.as_bytes(), channel));
            assert_eq!(times, [0.0, 1.0, 2.0], "channel {channel}");
            let mut expected = old;
            // Outside the first and the last key there is no time to be by.
            let n = expected.len();
            for (k, value) in
                expected.iter_mut().enumerate().filter(|(k, _)| (1..n - 1).contains(k))
            {
                *value *= factors[k % 3];
            }
            assert_eq!(values, expected, "channel {channel}");
        }
        assert_eq!(open(&written.file).seconds(0), 2.0);
        let same =
            file.write_retimed(&[(0, clip, &TimeMap::speed(1.0, 0.0).unwrap())], "").unwrap();
        assert_eq!(same.file, text.as_bytes());
    }
}

#[test]
fn an_animation_that_moves_no_joint_has_a_time_too() {
    for path in ["scale", "weights"] {
        let only =
            format!(r#"{{ "sampler": 2, "target": {{ "node": 2, "path": "{path}" }} }} ] }} ],"#);
        let all = scene(FIGURE, "");
        let (start, end) = (
            all.find(r#"{ "sampler": 0, "target""#).unwrap(),
            all.find(r#"  "accessors""#).unwrap(),
        );
        let text = format!("{}{only}\n{}", &all[..start], &all[end..]);
        let file = open(&text);
        let clip = file.clip(0).unwrap();
        assert_eq!((file.seconds(0), clip.duration()), (1.0, 1.0), "{path}");
        let map = TimeMap::speed(2.0, clip.start()).unwrap();
        let fast = clip.retimed(&map, clip.frame_time()).unwrap();
        let written = file.write_retimed(&[(0, &fast, &map)], "").unwrap();
        // What a joint has is at the frames; what is of no joint keeps its keys.
        let n_keys = if path == "scale" { fast.n_frames() } else { 3 };
        let times = &sampler(&written.file, 0)[0];
        assert_eq!((times.len(), times[0], times[n_keys - 1]), (n_keys, 0.0, 0.5), "{path}");
        assert_eq!(written.joints, [0], "no joint moves, and none gets keys");
        let again: serde_json::Value = serde_json::from_slice(&written.file).unwrap();
        assert_eq!(again["animations"][0]["channels"].as_array().map(Vec::len), Some(1));
    }
}

#[test]
fn keys_at_every_frame_keep_their_rate_through_a_gltf() {
    for rate in [24.0, 25.0, 15.0, 30.0, 120.0] {
        let file = open(scene(FIGURE, ""));
        let clip = file.clip(0).unwrap().resampled(1.0 / 60.0).unwrap();
        let clip =
            Clip::try_new(clip.skeleton().clone(), 1.0 / rate, clip.values().to_vec()).unwrap();
        let glb = to_glb(&clip, "walk").unwrap();
        let again = open(glb);
        let again = again.clip(0).unwrap();
        assert_eq!(again.n_frames(), clip.n_frames(), "{rate}");
        assert!((again.frame_time() * rate - 1.0).abs() < 1e-6, "{rate}");
    }
}

/// A BVH whose rows are all the same.
fn still(n_frames: usize, row: &str) -> String {
    let head = "HIERARCHY\nROOT hip\n{\n OFFSET 0 0 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n\
        JOINT knee\n {\n OFFSET 0 -40 0\n CHANNELS 3 Zrotation Xrotation Yrotation\n }\n}\nMOTION\n";
    let rows = format!("{row}\n").repeat(n_frames);
    format!("{head}Frames: {n_frames}\nFrame Time: 0.04\n{rows}")
}

#[test]
fn a_motion_in_which_nothing_moves_keeps_its_frames_through_a_gltf() {
    for (row, n_channels) in [("0 0 0 0 0 0 0 0 0", 1), ("0 90 0 0 10 0 0 20 0", 3)] {
        let clip = open(still(50, row)).clip(0).unwrap().clone().with_metres_per_unit(Some(0.01));
        let again = open(to_glb(&clip, "still").unwrap());
        let found = again.clip(0).unwrap();
        assert_eq!(
            (found.n_frames(), again.gltf().unwrap().animations()[0].channels.len()),
            (50, n_channels)
        );
        assert!((found.frame_time() - 0.04).abs() < 1e-6 && (found.duration() - 1.96).abs() < 1e-6);
        let thinned = to_glb_within(&clip, "still", 0.001).unwrap();
        assert!((open(thinned.file).clip(0).unwrap().duration() - 1.96).abs() < 1e-6);
    }
}

#[test]
fn a_motion_of_one_frame_keeps_its_one_key_at_its_time() {
    let clip = open(still(1, "0 90 0 0 10 0 0 20 0")).clip(0).unwrap().clone().with_start(3.0);
    let file = open(to_glb(&clip, "pose").unwrap());
    let times = |file: &MotionFile| -> Vec<Vec<f64>> {
        let channels = &file.gltf().unwrap().animations()[0].channels;
        channels.iter().map(|channel| channel.times.clone()).collect()
    };
    assert_eq!(
        times(&file),
        [[3.0], [3.0], [3.0]],
        "the hip's turn and place, and the knee's turn"
    );
    let read = file.clip(0).unwrap();
    assert_eq!((read.n_frames(), read.start()), (1, 3.0));
    // Edited, it still has the one; at another rate it has no more.
    let mut values = read.values().to_vec();
    values[1] += 5.0;
    let edited = read.with_values(values).unwrap();
    let again = open(file.write(0, &edited, "").unwrap().file);
    assert_eq!(times(&again), [[3.0], [3.0], [3.0]]);
    assert_at(place(again.clip(0).unwrap(), "hip", 0), place(&edited, "hip", 0).to_array());
    let slower = read.retimed(&TimeMap::speed(0.5, 0.0).unwrap(), 1.0 / 24.0).unwrap();
    let map = TimeMap::speed(0.5, 0.0).unwrap();
    let retimed = open(file.write_retimed(&[(0, &slower, &map)], "").unwrap().file);
    assert_eq!(times(&retimed), [[6.0], [6.0], [6.0]]);
}
