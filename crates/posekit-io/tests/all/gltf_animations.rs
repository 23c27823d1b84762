//! Animations of glTF files: what is read, and what is refused. Files of other makers come from the shared assets.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a helper of a test may fail and speak as a test does"
)]

use crate::common;

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use posekit_io::gltf::{self, Asset, Interpolation, TargetPath};
use posekit_io::{Error, Limits, Result, Warnings};
use serde_json::Value;

/// A knee that bends in a second.
const TIMES: [f32; 3] = [0.0, 0.5, 1.0];
const TURNS: [f32; 12] = [0.0, 0.0, 0.0, 1.0, 0.28, 0.0, 0.0, 0.96, 0.6, 0.0, 0.0, 0.8];

fn bytes_of(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// A file whose one buffer holds these bytes, as a data URI.
fn file(bytes: &[u8]) -> String {
    let (length, data) = (bytes.len(), STANDARD.encode(bytes));
    format!(
        r#"{{ "asset": {{ "version": "2.0" }}, "nodes": [ {{ "name": "knee" }}, {{ }} ],
  "animations": [ {{ "name": "bend", "samplers": [ {{ "input": 0, "output": 1, "interpolation": "LINEAR" }} ],
                    "channels": [ {{ "sampler": 0, "target": {{ "node": 0, "path": "rotation" }} }} ] }} ],
  "accessors": [ {{ "bufferView": 0, "componentType": 5126, "type": "SCALAR", "count": 3, "min": [0], "max": [1] }},
                 {{ "bufferView": 1, "componentType": 5126, "type": "VEC4", "count": 3 }} ],
  "bufferViews": [ {{ "buffer": 0, "byteLength": 12 }}, {{ "buffer": 0, "byteOffset": 12, "byteLength": 48 }} ],
  "buffers": [ {{ "uri": "data:application/octet-stream;base64,{data}", "byteLength": {length} }} ] }}"#
    )
}

fn sound() -> String {
    file(&bytes_of(&[&TIMES[..], &TURNS].concat()))
}

fn read_with(
    json: &str,
    resolve: &mut dyn FnMut(&str) -> Result<Vec<u8>>,
    warnings: &mut Warnings,
) -> Result<Asset> {
    Asset::from_bytes(json.as_bytes(), resolve, &Limits::default(), warnings)
}

fn read(json: &str) -> Result<Asset> {
    read_with(json, &mut gltf::no_files, &mut Warnings::new())
}

/// The sound file with one part replaced.
fn changed(from: &str, to: &str) -> String {
    let text = sound();
    assert!(text.contains(from), "there is no {from}");
    text.replacen(from, to, 1)
}

/// The error of a file.
fn refused(json: &str) -> String {
    read(json).map(|_| ()).unwrap_err().to_string()
}

/// The sound file with one part replaced is refused with words that hold these.
fn check_refused(cases: &[(&str, &str, &[&str])]) {
    for (from, to, parts) in cases {
        let error = refused(&changed(from, to));
        assert!(parts.iter().all(|part| error.contains(part)), "{to}: {error}");
    }
}

#[test]
fn a_sound_file_is_read() {
    let mut warnings = Warnings::new();
    let asset = read_with(&sound(), &mut gltf::no_files, &mut warnings).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    let animation = &asset.animations()[0];
    assert_eq!((animation.name.as_deref(), animation.duration()), (Some("bend"), 1.0));
    let channel = &animation.channels[0];
    assert_eq!((channel.node, channel.path), (0, TargetPath::Rotation));
    assert_eq!(channel.interpolation, Interpolation::Linear);
    assert_eq!(channel.times, TIMES.map(f64::from));
    assert_eq!(channel.value(2), [0.6_f32, 0.0, 0.0, 0.8].map(f64::from));
    assert_eq!(asset.character().unwrap().skeleton().n_joints(), 2);
}

#[test]
fn integers_stand_for_numbers_up_to_one() {
    let bytes_behind_times = |bytes: &[u8]| [&bytes_of(&TIMES)[..], bytes].concat();
    let i16s =
        |numbers: [i16; 12]| -> Vec<u8> { numbers.iter().flat_map(|n| n.to_le_bytes()).collect() };
    let half = 1.0 / 127.0;
    let cases: [(u32, Vec<u8>, [f64; 4]); 4] = [
        (5120, vec![0, 0, 0, 127, 1, 0x80, 0, 127, 0, 0, 0, 127], [half, -1.0, 0.0, 1.0]),
        (5121, vec![0, 0, 0, 255, 51, 0, 0, 255, 0, 0, 0, 255], [0.2, 0.0, 0.0, 1.0]),
        (5122, i16s([0, 0, 0, 32767, -32768, 0, 0, 0, 0, 0, 0, 32767]), [-1.0, 0.0, 0.0, 0.0]),
        (5123, i16s([0, 0, 0, -1, 13107, 0, 0, -1, 0, 0, 0, -1]), [0.2, 0.0, 0.0, 1.0]),
    ];
    for (form, bytes, expected) in cases {
        let json = file(&bytes_behind_times(&bytes))
            .replace(
                r#""componentType": 5126, "type": "VEC4""#,
                &format!(r#""componentType": {form}, "normalized": true, "type": "VEC4""#),
            )
            .replace(r#""byteLength": 48"#, &format!(r#""byteLength": {}"#, bytes.len()));
        let asset = read(&json).unwrap_or_else(|error| panic!("{form}: {error}"));
        assert_eq!(asset.animations()[0].channels[0].value(1), expected, "{form}");
        let error = refused(&json.replace(r#""normalized": true"#, r#""normalized": false"#));
        assert!(error.contains("normalised integers"), "{error}");
    }
}

#[test]
fn strides_and_offsets_are_followed() {
    // Times and turns side by side, behind 8 bytes of something else.
    let rows = (0..3).flat_map(|i| [&TIMES[i..=i], &TURNS[4 * i..4 * i + 4]].concat());
    let numbers: Vec<f32> = [9.0, 9.0].into_iter().chain(rows).collect();
    let json = file(&bytes_of(&numbers))
        .replace(
            r#"{ "buffer": 0, "byteLength": 12 }"#,
            r#"{ "buffer": 0, "byteOffset": 4, "byteLength": 64, "byteStride": 20 }"#,
        )
        .replacen(r#""bufferView": 0,"#, r#""bufferView": 0, "byteOffset": 4,"#, 1)
        .replacen(r#""bufferView": 1,"#, r#""bufferView": 0, "byteOffset": 8,"#, 1);
    let mut warnings = Warnings::new();
    let asset = read_with(&json, &mut gltf::no_files, &mut warnings).unwrap();
    assert_eq!(asset.animations(), read(&sound()).unwrap().animations());
    assert_eq!(warnings.len(), 2, "the format has no strides for animations: {warnings:?}");
}

/// The URIs that leave the asset's folder, or are none.
#[test]
fn g1_uris_stay_in_the_folder() {
    let mut asked = Vec::new();
    for uri in [
        "../a.bin",
        "a/../../b.bin",
        "/etc/a.bin",
        "//host/a.bin",
        "file:///etc/a.bin",
        "http://host/a.bin",
        "HTTPS://host/a.bin",
        "..\\\\a.bin",
        "a\\\\b.bin",
        "c:/a.bin",
        "C:a.bin",
        "%2e%2e/a.bin",
        "..%2fa.bin",
        "%2Fa.bin",
        "http%3A//host/a.bin",
        "..%5ca.bin",
        ".. /a.bin",
        ".../a.bin",
        "a.bin%00",
        "a%0A.bin",
        "",
        ".",
        "a/",
        "blob:a",
    ] {
        let json = external(uri);
        let error = read_with(
            &json,
            &mut |path| {
                asked.push(path.to_owned());
                Ok(Vec::new())
            },
            &mut Warnings::new(),
        );
        let error = error.map(|_| ()).unwrap_err();
        assert!(
            matches!(&error, Error::Unsupported { place, .. } if place.subject == "buffers[0].uri"),
            "{uri}: {error}"
        );
        assert!(error.to_string().contains("only files in the asset's folder"), "{uri}: {error}");
    }
    assert!(asked.is_empty(), "{asked:?}");
}

/// The sound file with its bytes in a file of this name.
fn external(uri: &str) -> String {
    let text = sound();
    let (start, end) = (text.find("data:").unwrap(), text.rfind("\", \"byteLength\"").unwrap());
    [&text[..start], uri, &text[end..]].concat()
}

/// A folder that is new and goes away.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("posekit-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn g1_links_stay_in_the_folder() {
    let folder = Folder::new("g1");
    let bytes = bytes_of(&[&TIMES[..], &TURNS].concat());
    let inside = folder.0.join("inside");
    fs::create_dir_all(inside.join("deep")).unwrap();
    fs::write(folder.0.join("out.bin"), &bytes).unwrap();
    fs::write(inside.join("deep/in.bin"), &bytes).unwrap();
    let open = |uri: &str| {
        let path = inside.join("a.gltf");
        fs::write(&path, external(uri)).unwrap();
        Asset::open(&path, &Limits::default(), &mut Warnings::new())
    };
    assert_eq!(open("deep/in.bin").unwrap().animations().len(), 1);
    assert_eq!(open("deep/in.bin").unwrap().files(), ["deep/in.bin"]);
    assert!(matches!(open("none.bin"), Err(Error::Read { .. })));
    assert!(
        open("deep").unwrap_err().to_string().contains("not a file"),
        "a folder is not a buffer"
    );
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../out.bin", inside.join("link.bin")).unwrap();
        std::os::unix::fs::symlink("deep/in.bin", inside.join("good.bin")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", inside.join("zero.bin")).unwrap();
        std::os::unix::fs::symlink("..", inside.join("up")).unwrap();
        assert!(open("good.bin").is_ok(), "a link inside");
        for uri in ["link.bin", "up/out.bin", "zero.bin"] {
            let error = open(uri).unwrap_err().to_string();
            assert!(error.contains("leads out of the asset's folder"), "{uri}: {error}");
        }
    }
}

#[test]
fn g2_names_in_uris() {
    let bytes = bytes_of(&[&TIMES[..], &TURNS].concat());
    for (uri, expected) in [
        ("my%20walk.bin", "my walk.bin"),
        ("my walk.bin", "my walk.bin"),
        ("./a/%C3%A9t%C3%A9.bin", "a/été.bin"),
        ("été.bin", "été.bin"),
        ("a%252e.bin", "a%2e.bin"),
    ] {
        let mut asked = Vec::new();
        let asset = read_with(
            &external(uri),
            &mut |path| {
                asked.push(path.to_owned());
                Ok(bytes.clone())
            },
            &mut Warnings::new(),
        );
        assert_eq!(asset.unwrap().files(), [expected]);
        assert_eq!(asked, [expected]);
    }
    for (uri, part) in [
        ("%FF.bin", "not UTF-8"),
        ("%FF%FE.bin", "not UTF-8"),
        ("a%.bin", "hexadecimal"),
        ("a%2", "hexadecimal"),
        ("%zz", "hexadecimal"),
    ] {
        let error = refused(&external(uri));
        assert!(error.starts_with("buffers[0].uri") && error.contains(part), "{uri}: {error}");
    }
    assert!(refused(&external("a.bin")).contains("no other file is read"));
    let short =
        read_with(&external("a.bin"), &mut |_| Ok(bytes[..59].to_vec()), &mut Warnings::new());
    assert!(short.unwrap_err().to_string().contains("60 bytes are declared, but there are 59"));
    // What is asked for is not trusted either: many buffers may name the same large file.
    let limits = Limits::default().with_file_bytes(3000);
    let buffer = r#"{ "uri": "a.bin", "byteLength": 60 }"#;
    let json = external("a.bin")
        .replace(buffer, &[buffer; 2].join(","))
        .replace(r#"{ "buffer": 0, "byteOffset": 12"#, r#"{ "buffer": 1, "byteOffset": 12"#);
    let large = |size: usize| {
        let resolve = &mut |_: &str| Ok([&bytes[..], &vec![0; size - 60]].concat());
        Asset::from_bytes(json.as_bytes(), resolve, &limits, &mut Warnings::new())
    };
    assert!(large(1500).is_ok());
    let error = large(1501).unwrap_err();
    assert!(matches!(error, Error::TooLarge { field: "file_bytes", limit: 3000, .. }), "{error}");
}

#[test]
fn g3_data_uris() {
    let data = STANDARD.encode(bytes_of(&[&TIMES[..], &TURNS].concat()));
    for (from, to, part) in [
        (data.as_str(), "AAA*", "not base64"),
        (&data, "A", "not base64"),
        (&data, "AAAA AAAA", "not base64"),
        (&data, "", "60 bytes are declared, but there are 0"),
        (&data[..4], "", "60 bytes are declared, but there are 57"),
        (";base64,", ",", "only those in base64"),
        (";base64,", ";base64", "only those in base64"),
        (r#""byteLength": 60"#, r#""byteLength": 61"#, "61 bytes are declared, but there are 60"),
        (r#""byteLength": 60"#, r#""byteLength": 4294967295"#, "4294967295 bytes are declared"),
    ] {
        let error = refused(&changed(from, to));
        assert!(error.starts_with("buffers[0]") && error.contains(part), "{to}: {error}");
    }
    assert!(read(&changed("data:application/octet-stream", "DATA:")).is_ok());
    // The cap holds for the text, of which the bytes are a part, before anything is decoded.
    let json = sound();
    let limits = Limits::default().with_file_bytes(json.len() - 1);
    let error =
        Asset::from_bytes(json.as_bytes(), &mut gltf::no_files, &limits, &mut Warnings::new());
    assert!(matches!(error, Err(Error::TooLarge { field: "file_bytes", .. })));
}

#[test]
fn g5_views_and_accessors() {
    check_refused(&[
        (r#""count": 3, "min""#, r#""count": 0, "min""#, &["accessors[0].count", "at least 1"]),
        (
            r#""count": 3, "min""#,
            r#""count": 4, "min""#,
            &["accessors[0]", "4 elements of 4 bytes"],
        ),
        (
            r#""count": 3, "min""#,
            r#""count": 4294967295, "min""#,
            &["accessors[0]", "more than the 12 bytes"],
        ),
        (
            r#""count": 3, "min""#,
            r#""count": 4611686018427387904, "min""#,
            &["accessors[0].count", "a whole number"],
        ),
        (r#""count": 3, "min""#, r#""count": -3, "min""#, &["accessors[0].count"]),
        (r#""count": 3, "min""#, r#""count": 2.5, "min""#, &["accessors[0].count"]),
        (
            r#""bufferView": 1,"#,
            r#""bufferView": 1, "byteOffset": 4294967292,"#,
            &["accessors[1]", "from byte 4294967292"],
        ),
        (
            r#""bufferView": 1,"#,
            r#""bufferView": 1, "byteOffset": 2,"#,
            &["accessors[1]", "more than the 48"],
        ),
        (
            r#""bufferView": 1,"#,
            r#""bufferView": 2,"#,
            &["accessors[1].bufferView", "no buffer view 2"],
        ),
        (
            r#""byteOffset": 12, "byteLength": 48"#,
            r#""byteOffset": 13, "byteLength": 48"#,
            &["bufferViews[1]", "60 of buffers[0]"],
        ),
        (
            r#""byteOffset": 12, "byteLength": 48"#,
            r#""byteOffset": 4294967295, "byteLength": 4294967295"#,
            &["bufferViews[1]"],
        ),
        (
            r#""byteOffset": 12, "byteLength": 48"#,
            r#""byteOffset": 10, "byteLength": 48"#,
            &["accessors[1]", "multiple of their size"],
        ),
        (
            r#""byteLength": 48"#,
            r#""byteLength": 48, "byteStride": 8"#,
            &["accessors[1]", "stride of 8"],
        ),
        (
            r#""byteLength": 48"#,
            r#""byteLength": 48, "byteStride": 252"#,
            &["accessors[1]", "252 apart"],
        ),
        (r#""byteLength": 48"#, r#""byteLength": 48, "byteStride": 4294967295"#, &["accessors[1]"]),
        (
            r#""byteLength": 48"#,
            r#""byteLength": 48, "byteStride": 0"#,
            &["bufferViews[1].byteStride"],
        ),
        (r#""byteLength": 48"#, r#""byteLength": 0"#, &["bufferViews[1].byteLength"]),
        (
            r#"{ "buffer": 0, "byteOffset""#,
            r#"{ "buffer": 1, "byteOffset""#,
            &["bufferViews[1].buffer", "no buffer 1"],
        ),
        (
            r#""componentType": 5126"#,
            r#""componentType": 5124"#,
            &["accessors[0].componentType", "5124"],
        ),
        (r#""type": "SCALAR""#, r#""type": "VEC5""#, &["accessors[0].type"]),
        (r#""type": "SCALAR", "#, "", &["accessors[0]", "`type` is missing"]),
    ]);
}

/// The sound file whose turns are all the same, save those that are replaced.
fn sparse(count: &str, indices: &str, form: u32, bytes: &[u8]) -> String {
    let times = bytes_of(&TIMES);
    let same = bytes_of(&TURNS[..4].repeat(3));
    let bytes = [&times[..], &same, bytes].concat();
    let rest = bytes.len() - 60;
    let (view, sparse) = (
        format!(
            r#"{{ "buffer": 0, "byteOffset": 12, "byteLength": 48 }}, {{ "buffer": 0, "byteOffset": 60, "byteLength": {rest} }}"#
        ),
        format!(
            r#""count": 3, "sparse": {{ "count": {count}, "indices": {{ "bufferView": 2, {indices} "componentType": {form} }}, "values": {{ "bufferView": 2 }} }} }} ],"#
        ),
    );
    file(&bytes)
        .replace(r#"{ "buffer": 0, "byteOffset": 12, "byteLength": 48 }"#, &view)
        .replace(r#""count": 3 } ],"#, &sparse)
}

#[test]
fn g6_sparse_accessors() {
    let turn = bytes_of(&TURNS[8..]);
    let with = |indices: &[u8]| [&turn[..], &turn, indices].concat();
    let offset = r#""byteOffset": 32,"#;
    let good = sparse("1", offset, 5121, &with(&[1]));
    let asset = read(&good).unwrap();
    let channel = &asset.animations()[0].channels[0];
    assert_eq!(channel.value(0), TURNS[..4].iter().map(|&x| f64::from(x)).collect::<Vec<_>>());
    assert_eq!(channel.value(1), TURNS[8..].iter().map(|&x| f64::from(x)).collect::<Vec<_>>());
    assert!(read(&sparse("2", offset, 5123, &with(&[0, 0, 2, 0]))).is_ok());
    assert!(read(&sparse("2", offset, 5125, &with(&[0, 0, 0, 0, 2, 0, 0, 0]))).is_ok());
    for (count, offset, form, indices, part) in [
        ("2000000000", offset, 5121, vec![1], "2000000000 sparse elements replace"),
        ("0", offset, 5121, vec![1], "at least 1"),
        ("4", offset, 5121, vec![0, 1, 2, 3], "there are only 3"),
        ("1", offset, 5121, vec![3], "index 3 is beyond the 3 elements"),
        ("2", offset, 5121, vec![1, 1], "not above the previous one"),
        ("2", offset, 5121, vec![2, 1], "not above the previous one"),
        ("2", offset, 5123, vec![1, 0], "2 elements of 2 bytes"),
        ("1", offset, 5122, vec![1, 0], "unsigned"),
        ("1", r#""byteOffset": 33,"#, 5123, vec![1, 0, 0], "multiple of their size"),
        ("3", "", 5121, vec![], "3 elements of 16 bytes"),
    ] {
        let error = refused(&sparse(count, offset, form, &with(&indices)));
        assert!(error.starts_with("accessors[1].sparse") && error.contains(part), "{error}");
    }
    // Numbers that are not there at all are zeros; so many times cannot be.
    let view = r#""bufferView": 0, "componentType": 5126, "type": "SCALAR", "count": 3,"#;
    let sparse_times = |count: u32| {
        let count = format!(
            r#""componentType": 5126, "type": "SCALAR", "count": {count}, "sparse": {{ "count": 1, "indices": {{ "bufferView": 2, "byteOffset": 32, "componentType": 5121 }}, "values": {{ "bufferView": 2 }} }},"#
        );
        good.replace(view, &count).replace(
            r#""count": 3, "sparse""#,
            &format!(r#""count": {}, "sparse""#, 4_000_000_000_u32),
        )
    };
    let error = refused(&sparse_times(4_000_000_000).replace(r#""bufferView": 1, "#, ""));
    assert!(error.contains("4000000000 times, of which only 1"), "{error}");
}

#[test]
fn g7_animations() {
    let sampler = r#""sampler": 0, "target""#;
    let second = r#"{ "sampler": 0, "target": { "node": 0, "path": "rotation" } } ] } ]"#;
    check_refused(&[
        (
            r#""type": "VEC4", "count": 3"#,
            r#""type": "VEC4", "count": 2"#,
            &[
                "animations[0].channels[0].sampler",
                "rotation of `knee` (node 0): 3 times but 2 values",
            ],
        ),
        (
            "\"LINEAR\"",
            "\"CUBICSPLINE\"",
            &["rotation of `knee`", "3 times but 3 values, three each"],
        ),
        ("\"LINEAR\"", "\"linear\"", &["animations[0].samplers[0].interpolation"]),
        (
            r#""path": "rotation""#,
            r#""path": "scale""#,
            &["scale of `knee`", "VEC3 of FLOAT, not VEC4"],
        ),
        (r#""type": "VEC4""#, r#""type": "VEC2""#, &["rotation of `knee`", "not VEC2 of FLOAT"]),
        (
            r#""componentType": 5126, "type": "VEC4""#,
            r#""componentType": 5125, "type": "VEC4""#,
            &["not VEC4 of UNSIGNED_INT"],
        ),
        (
            r#""componentType": 5126, "type": "SCALAR""#,
            r#""componentType": 5125, "type": "SCALAR""#,
            &["animations[0].samplers[0].input", "UNSIGNED_INT"],
        ),
        (r#""node": 0"#, r#""node": 2"#, &["animations[0].channels[0].target.node", "no node 2"]),
        (
            sampler,
            r#""sampler": 1, "target""#,
            &["animations[0].channels[0].sampler", "no sampler 1"],
        ),
        (r#""input": 0"#, r#""input": 2"#, &["animations[0].samplers[0].input", "no accessor 2"]),
        (r#""output": 1"#, r#""output": -1"#, &["animations[0].samplers[0].output"]),
        (
            r#"{ "name": "knee" }"#,
            r#"{ "matrix": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1] }"#,
            &["animations[0].channels[0].target", "a node with a matrix"],
        ),
        (
            r#"} ] } ]"#,
            &format!("}}, {second}"),
            &[
                "animations[0].channels[0].target",
                "channel 1 has the same target: rotation of `knee`",
            ],
        ),
        (r#""path": "rotation""#, r#""path": 3"#, &["animations[0].channels[0].target.path"]),
        (
            r#""target": { "node": 0, "path": "rotation" }"#,
            r#""extras": 0"#,
            &["animations[0].channels[0]", "`target` is missing"],
        ),
    ]);
    let with = |times: [f32; 3], turns: [f32; 12]| {
        refused(&file(&bytes_of(&[&times[..], &turns].concat())))
    };
    for (times, part) in [
        ([0.0, 0.5, 0.5], "key 2 is at 0.5 s"),
        ([0.0, 0.5, 0.4], "not later"),
        ([-0.5, 0.5, 1.0], "key 0 is at -0.5 s"),
        ([0.0, f32::NAN, 1.0], "key 1 is at NaN s"),
        ([0.0, 1.0, f32::INFINITY], "key 2 is at inf s"),
    ] {
        let error = with(times, TURNS);
        assert!(
            error.starts_with("animations[0].samplers[0].input") && error.contains(part),
            "{error}"
        );
        assert!(error.contains("rotation of `knee`"), "{error}");
    }
    for (value, part) in [(f32::NAN, "key 1 has NaN"), (f32::NEG_INFINITY, "key 1 has -inf")] {
        let mut turns = TURNS;
        turns[5] = value;
        let error = with(TIMES, turns);
        assert!(
            error.starts_with("animations[0].samplers[0].output") && error.contains(part),
            "{error}"
        );
    }
    assert!(with(TIMES, [0.0; 12]).contains("the rotation of key 0 has no length"));
    // What is passed over, and what is odd.
    for (from, to, n_channels, part) in [
        (r#""node": 0, "#, "", 0, "names no node"),
        (r#""path": "rotation""#, r#""path": "pointer""#, 0, "is unknown"),
        (r#""path": "rotation""#, r#""path": "weights""#, 0, "no morph targets"),
        (r#", "min": [0], "max": [1]"#, "", 1, "`min` and `max`"),
        (r#""bufferView": 0, "#, "", 0, "samplers[0].input: has no data"),
        (r#""bufferView": 1, "#, "", 0, "samplers[0].output: has no data"),
        (r#""uri": "data"#, r#""url": "data"#, 0, "samplers[0].input: has no data"),
        (
            r#"{ "name": "knee" }"#,
            r#"{ "name": "knee", "skin": 0 }"#,
            1,
            "follows its joints instead",
        ),
    ] {
        let json = changed(from, to)
            .replace(r#""accessors""#, r#""skins": [ { "joints": [1] } ], "accessors""#);
        let mut warnings = Warnings::new();
        let asset = read_with(&json, &mut gltf::no_files, &mut warnings).unwrap();
        assert_eq!(asset.animations()[0].channels.len(), n_channels, "{to}");
        let words =
            warnings.as_slice().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        assert!(words.contains(part), "{to}: {words}");
    }
    let mut stretched = TURNS;
    stretched[3] = 1.5;
    let mut warnings = Warnings::new();
    let json = file(&bytes_of(&[&TIMES[..], &stretched].concat()));
    assert!(read_with(&json, &mut gltf::no_files, &mut warnings).is_ok());
    assert!(warnings.as_slice()[0].message.contains("key 0 has length 1.5"), "{warnings:?}");
}

#[test]
fn g7_many_channels_may_share_large_data_up_to_a_cap() {
    let channel = r#"{ "sampler": 0, "target": { "node": 0, "path": "rotation" } }"#;
    let n = 1000;
    let channels: Vec<String> =
        (0..n).map(|node| channel.replace("\"node\": 0", &format!("\"node\": {node}"))).collect();
    let nodes = vec!["{}"; n].join(",");
    let json = changed(channel, &channels.join(",")).replace(r#"{ "name": "knee" }, { }"#, &nodes);
    let read = |values: usize| {
        let limits = Limits::default().with_animation_values(values);
        Asset::from_bytes(json.as_bytes(), &mut gltf::no_files, &limits, &mut Warnings::new())
    };
    assert!(read(15 * n).is_ok());
    let error = read(15 * n - 1).unwrap_err();
    assert!(matches!(error, Error::TooLarge { field: "animation_values", .. }), "{error}");
}

#[test]
fn g11_extensions() {
    let required = |name: &str| {
        changed(r#""nodes""#, &format!(r#""extensionsRequired": ["{name}"], "nodes""#))
    };
    for (name, n_warnings) in [
        ("KHR_draco_mesh_compression", 0),
        ("KHR_texture_basisu", 0),
        ("EXT_meshopt_compression", 0),
        ("KHR_materials_unlit", 0),
        ("ACME_strange_nodes", 1),
    ] {
        let mut warnings = Warnings::new();
        assert!(read_with(&required(name), &mut gltf::no_files, &mut warnings).is_ok(), "{name}");
        assert_eq!(warnings.len(), n_warnings, "{name}: {warnings:?}");
    }
    // The animation's own bytes are compressed: refused, whether the file says so at its top or only has nothing else.
    let view = r#"{ "buffer": 0, "byteOffset": 12, "byteLength": 48 }"#;
    for name in ["EXT_meshopt_compression", "KHR_meshopt_compression"] {
        let compressed = format!(
            r#"{{ "buffer": 0, "byteOffset": 12, "byteLength": 48, "extensions": {{ "{name}": {{ "buffer": 0, "byteLength": 9 }} }} }}"#
        );
        let error = refused(&required(name).replace(view, &compressed));
        assert!(
            error.contains(&format!("bufferViews[1].extensions.{name}"))
                && error.contains("compressed"),
            "{error}"
        );
        let stand_in = compressed.replacen(
            r#""buffer": 0, "byteOffset": 12"#,
            r#""buffer": 1, "byteOffset": 12"#,
            1,
        );
        let json = sound()
            .replace(view, &stand_in)
            .replace(r#"60 } ]"#, r#"60 }, { "byteLength": 60 } ]"#);
        assert!(refused(&json).contains("compressed"));
        // With plain bytes beside the compressed ones the animation can be read.
        assert!(read(&sound().replace(view, &compressed)).is_ok(), "{name}");
    }
}

/// A mesh that is kept compressed, which nobody here can open, goes through an edit of the animation as it is.
#[test]
fn g11_what_is_compressed_is_copied_through() {
    let mesh = r#""extensionsRequired": ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_texture_basisu"],
  "meshes": [ { "primitives": [ { "attributes": {}, "extensions": { "KHR_draco_mesh_compression": { "bufferView": 2, "attributes": {} } } } ] } ],
  "images": [ { "bufferView": 3, "mimeType": "image/ktx2" } ], "nodes""#;
    let views = r#""byteLength": 48 }, { "buffer": 0, "byteOffset": 60, "byteLength": 5 },
    { "buffer": 0, "byteOffset": 66, "byteLength": 2, "extensions": { "EXT_meshopt_compression": { "buffer": 0, "byteLength": 2 } } } ]"#;
    let kept = *b"drac\x01\xFFk2";
    let json = file(&[bytes_of(&[&TIMES[..], &TURNS].concat()), kept.to_vec()].concat())
        .replace("\"nodes\"", mesh)
        .replace(r#""byteLength": 48 } ]"#, views);
    let asset = read(&json).unwrap();
    let mut animations = asset.animations().to_vec();
    animations[0].channels[0].values[4..8].copy_from_slice(&[0.0, 1.0, 0.0, 0.0]);
    let written = asset.write(&animations, "new").unwrap().file;
    let text = String::from_utf8(written).unwrap();
    assert_ne!(text, json);
    assert!(text.contains(mesh) && text.contains(views), "{text}");
    let data = text.split("base64,").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(STANDARD.decode(data).unwrap()[60..], kept);
    assert_eq!(read(&text).unwrap().animations(), animations);
}

#[test]
fn g12_json() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    for (from, to, part) in [
        ("\"nodes\"", &*format!("\"extras\": {deep}, \"nodes\""), "recursion limit"),
        ("\"nodes\"", r#""asset": { "version": "2.0" }, "nodes""#, "duplicate field `asset`"),
        ("\"nodes\"", r#""extras": { "a": 1, "a": 2 }, "nodes""#, "duplicate field `a`"),
        ("\"knee\"", r#""\ud800""#, "hex escape"),
        ("\"knee\"", "\"kn\u{0}ee\"", "NUL"),
        ("{ \"name\": \"knee\" }", "{ \"name\": 7 }", "nodes[0].name"),
    ] {
        let error = refused(&changed(from, to));
        assert!(error.contains(part), "{error}");
    }
    // A text longer than any file may be is refused by its size, before it is looked at.
    let limits = Limits::default().with_file_bytes(1 << 20);
    let long = changed("\"knee\"", &format!("\"{}\"", "k".repeat(1 << 20)));
    let error =
        Asset::from_bytes(long.as_bytes(), &mut gltf::no_files, &limits, &mut Warnings::new());
    assert!(matches!(error, Err(Error::TooLarge { field: "file_bytes", .. })));
    let marked = format!("\u{feff}{}", sound());
    assert_eq!(read(&marked).unwrap().animations(), read(&sound()).unwrap().animations());
}

#[test]
fn g13_many_animations() {
    let n = 100_000;
    let one = r#"{ "samplers": [ { "input": 0, "output": 1 } ], "channels": [ { "sampler": 0, "target": { "node": 0, "path": "rotation" } } ] }"#;
    let text = sound();
    let (start, end) =
        (text.find("\"animations\": [").unwrap() + 15, text.find("\"accessors\"").unwrap());
    let json = [&text[..start], &vec![one; n].join(",\n"), " ],\n", &text[end..]].concat();
    let limits = Limits::default().with_joints(200_000);
    let asset =
        Asset::from_bytes(json.as_bytes(), &mut gltf::no_files, &limits, &mut Warnings::new())
            .unwrap();
    assert_eq!(asset.animations().len(), n);
    let mut animations = asset.animations().to_vec();
    for animation in &mut animations {
        animation.channels[0].values[3] = -1.0;
    }
    let written = asset.write(&animations, "many").unwrap();
    let again =
        Asset::from_bytes(&written.file, &mut gltf::no_files, &limits, &mut Warnings::new())
            .unwrap();
    assert_eq!(again.animations(), animations);
    assert!(matches!(read(&json), Err(Error::TooLarge { field: "joints", .. })));
}

/// The paths of everything that a validator's report finds wrong.
fn pointers(report: &Value) -> Vec<String> {
    let messages = report["issues"]["messages"].as_array().unwrap();
    let faults = messages.iter().filter(|message| message["severity"].as_u64().unwrap() < 2);
    let path = |message: &Value| {
        let steps = message["pointer"].as_str().unwrap().trim_start_matches('/').split('/');
        steps.fold(String::new(), |path, step| match step.parse::<u32>() {
            Ok(index) => format!("{path}[{index}]"),
            Err(_) if path.is_empty() => step.to_owned(),
            Err(_) => format!("{path}.{step}"),
        })
    };
    faults.map(path).collect()
}

/// True when words are about this path, and not about something inside it.
fn names(words: &str, path: &str) -> bool {
    words.strip_prefix(path).is_some_and(|rest| rest.starts_with([':', ',']))
}

/// The validator's reports say what is wrong with each file; each fault is named where it is, and sound files have none.
#[test]
fn validators_files_are_told_apart() {
    let Some(assets) = common::assets() else { return };
    let (mut sound, mut faulty) = (0, 0);
    for folder in ["gltf/validator_animation", "gltf/validator_skin"] {
        let mut entries: Vec<PathBuf> =
            fs::read_dir(assets.join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        for path in entries {
            let Some(file) = path.to_str().and_then(|path| path.strip_suffix(".report.json"))
            else {
                continue;
            };
            let report: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
            let expected = pointers(&report);
            let mut warnings = Warnings::new();
            let result = Asset::open(Path::new(file), &Limits::default(), &mut warnings);
            let words: Vec<String> = warnings
                .iter()
                .map(ToString::to_string)
                .chain(result.err().map(|error| error.to_string()))
                // The validator's files have accessors without numbers, of which it says nothing.
                .filter(|words| !words.contains("has no data"))
                .collect();
            println!("{}: {words:?}", path.file_stem().unwrap().to_string_lossy());
            // A reader of the skeleton alone says nothing else.
            let mut warnings = Warnings::new();
            let character = gltf::read_file(Path::new(file), &Limits::default(), &mut warnings);
            let character = character.map(|_| ()).map_err(|error| error.to_string());
            for word in warnings.iter().map(ToString::to_string).chain(character.err()) {
                assert!(
                    words.contains(&word) || word.contains("`nodes` is missing"),
                    "{file}: {word}"
                );
            }
            if expected.is_empty() {
                sound += 1;
                assert!(words.is_empty(), "{file}: {words:?}");
                continue;
            }
            faulty += 1;
            assert!(!words.is_empty(), "{file}: {expected:?} are passed over");
            // An error ends the reading; until then nothing else is said than what the report says.
            for word in &words {
                assert!(
                    expected.iter().any(|path| names(word, path)),
                    "{file}: {word} is not in {expected:?}"
                );
            }
        }
    }
    assert_eq!((sound, faulty), (2, 32));
}
