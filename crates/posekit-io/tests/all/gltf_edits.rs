//! Animations written back into glTF files: what is edited is there, and nothing else has changed.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    reason = "a helper of a test may fail and speak as a test does; files hold single precision"
)]

use crate::common;

use std::fs;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use posekit_io::gltf::{self, Animation, Asset, Channel, Interpolation, TargetPath, Written};
use posekit_io::{Error, Limits, Result, Warnings};
use serde_json::Value;

/// The parts of a file, taken apart without the reader: its JSON text and the bytes of each buffer.
struct Parts {
    text: String,
    json: Value,
    buffers: Vec<Vec<u8>>,
}

/// What stands in a file, and whether its chunks are laid out as they must be.
fn parts(bytes: &[u8], resolve: &dyn Fn(&str) -> Vec<u8>) -> Parts {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let mut data = None;
    let text = if bytes.starts_with(b"glTF") {
        assert_eq!((word(4), word(8)), (2, bytes.len()), "version and length");
        assert_eq!(&bytes[16..20], b"JSON", "the first chunk");
        let mut at = 20 + word(12);
        let text = String::from_utf8(bytes[20..at].to_vec()).unwrap();
        while at < bytes.len() {
            assert_eq!((at % 4, word(at) % 4), (0, 0), "chunks are aligned");
            let body = at + 8..at + 8 + word(at);
            if &bytes[at + 4..at + 8] == b"BIN\0" {
                data = Some(bytes[body.clone()].to_vec());
            }
            at = body.end;
        }
        assert_eq!(at, bytes.len(), "the last chunk ends the file");
        text
    } else {
        String::from_utf8(bytes.to_vec()).unwrap()
    };
    let json: Value = serde_json::from_str(&text).unwrap();
    let buffer = |buffer: &Value| match buffer["uri"].as_str() {
        None => data.clone().unwrap(),
        Some(uri) => match uri.split_once(";base64,") {
            Some((_, data)) => STANDARD.decode(data).unwrap(),
            None => resolve(uri),
        },
    };
    let buffers: Vec<Vec<u8>> = list(&json["buffers"]).iter().map(buffer).collect();
    for (buffer, bytes) in list(&json["buffers"]).iter().zip(&buffers) {
        let length = size(&buffer["byteLength"]);
        assert!(length <= bytes.len() && bytes.len() < length + 4, "{length}, {}", bytes.len());
    }
    Parts { text, json, buffers }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn size(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap_or(0)).unwrap()
}

/// Where the numbers of an accessor stand: a buffer and a range.
fn place(json: &Value, accessor: usize) -> (usize, std::ops::Range<usize>) {
    let accessor = &json["accessors"][accessor];
    let view = &json["bufferViews"][size(&accessor["bufferView"])];
    let width = match accessor["type"].as_str().unwrap() {
        "SCALAR" => 1,
        "VEC3" => 3,
        _ => 4,
    };
    let start = size(&view["byteOffset"]) + size(&accessor["byteOffset"]);
    (size(&view["buffer"]), start..start + 4 * width * size(&accessor["count"]))
}

/// Every value that differs between two documents, by its path; lists that have grown are compared as far as both go.
fn differences(a: &Value, b: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut ahead = vec![(String::new(), a, b)];
    while let Some((path, a, b)) = ahead.pop() {
        match (a, b) {
            (Value::Array(a), Value::Array(b)) if a.len() <= b.len() => {
                ahead.extend(
                    a.iter().zip(b).enumerate().map(|(i, (a, b))| (format!("{path}[{i}]"), a, b)),
                );
            }
            (Value::Object(a), Value::Object(b)) => {
                for (key, a) in a {
                    ahead.push((format!("{path}.{key}"), a, b.get(key).unwrap_or(&Value::Null)));
                }
            }
            _ if a == b => {}
            _ => found.push(path),
        }
    }
    found.sort();
    found
}

/// How many pieces of a text another lacks: the fewest that must be taken out of it before the rest stands in the other in the same order.
///
/// The shortest way of editing one list into another, by Myers 1986; what is added follows from the lengths.
fn lost(old: &str, new: &str) -> usize {
    let pieces = |text: &str| -> Vec<String> {
        let ends = [',', ':', '{', '}', '[', ']'];
        text.trim_end_matches(' ').split_inclusive(ends).map(str::to_owned).collect()
    };
    let (old, new) = (pieces(old), pieces(new));
    let (n, m) = (old.len(), new.len());
    // How far the old list has come on each diagonal, the one of no difference in the middle.
    let mut reached = vec![0; 2 * (n + m) + 3];
    let middle = n + m + 1;
    for edits in 0..=n + m {
        for diagonal in (middle - edits..=middle + edits).step_by(2) {
            let is_added = diagonal == middle - edits
                || diagonal != middle + edits && reached[diagonal - 1] < reached[diagonal + 1];
            let mut x: usize =
                if is_added { reached[diagonal + 1] } else { reached[diagonal - 1] + 1 };
            while x < n && (x + middle - diagonal) < m && old[x] == new[x + middle - diagonal] {
                x += 1;
            }
            reached[diagonal] = x;
            if x >= n && x + middle - diagonal >= m {
                return (edits + n - m) / 2;
            }
        }
    }
    n
}

#[test]
fn pieces_that_are_lost_are_counted() {
    assert_eq!(lost("a,b,c", "a,b,c"), 0);
    assert_eq!(lost("a,b,c", "a,x,b,y,c"), 0);
    assert_eq!(lost("a,b,c", "a,x,c"), 1);
    assert_eq!(lost("a,b,c", "x,b,a,c"), 1);
    assert_eq!(lost("a,b,c,", ""), 3);
}

fn read_again(written: &Written, resolve: &dyn Fn(&str) -> Vec<u8>) -> Asset {
    let mut files = |path: &str| {
        let new = written.buffers.iter().find(|buffer| buffer.path == path);
        Ok(new.map_or_else(|| resolve(path), |buffer| buffer.bytes.clone()))
    };
    Asset::from_bytes(&written.file, &mut files, &Limits::default(), &mut Warnings::new()).unwrap()
}

/// A channel with other values, all of them single precision.
fn moved(channel: &Channel) -> Channel {
    let mut channel = channel.clone();
    let width = channel.path.width();
    for (i, value) in channel.values.iter_mut().enumerate() {
        // A rotation keeps its length when two of its numbers change places.
        *value = if width == 4 {
            -*value
        } else {
            f64::from((*value * 0.75 + (i % 5) as f64 / 8.0) as f32)
        };
    }
    channel
}

/// The same with a key more at the end.
fn longer(channel: &Channel) -> Channel {
    let mut channel = moved(channel);
    let part = channel.values.len() / channel.times.len();
    channel.values.extend_from_within(channel.values.len() - part..);
    channel.times.push(f64::from((channel.times.last().unwrap() + 0.25) as f32));
    channel
}

#[test]
fn g15_files_that_are_not_edited_are_the_same_bytes() {
    let Some(assets) = common::assets() else { return };
    let files = common::gltf_files(&assets.join("gltf"));
    assert!(files.len() >= 20, "{} files", files.len());
    for path in files {
        let asset = Asset::open(&path, &Limits::default(), &mut Warnings::new())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for animations in [asset.animations(), &[]] {
            let written = asset.write(animations, "new").unwrap();
            assert!(written.file == fs::read(&path).unwrap(), "{}", path.display());
            assert!(written.buffers.is_empty());
        }
        let channels = asset.animations().iter().map(|animation| animation.channels.len());
        println!(
            "{}: {} channels",
            path.file_name().unwrap().to_string_lossy(),
            channels.sum::<usize>()
        );
    }
}

#[test]
fn g15_one_channel_is_edited_and_all_else_stays() {
    let Some(assets) = common::assets() else { return };
    let mut edited = 0;
    for path in common::gltf_files(&assets.join("gltf")) {
        let old_bytes = fs::read(&path).unwrap();
        let folder = path.parent().unwrap().to_owned();
        let resolve = move |uri: &str| fs::read(folder.join(uri)).unwrap();
        let asset = Asset::open(&path, &Limits::default(), &mut Warnings::new()).unwrap();
        let old = parts(&old_bytes, &resolve);
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        for (index, animation) in asset.animations().iter().enumerate().take(2) {
            for (at, change) in [
                (0, moved as fn(&Channel) -> Channel),
                (animation.channels.len() - 1, moved),
                (0, longer),
            ] {
                let mut animations = asset.animations().to_vec();
                let channel = &mut animations[index].channels[at];
                *channel = change(channel);
                let target = (channel.node, channel.path);
                let written = asset.write(&animations, "edited").unwrap();
                let again = read_again(&written, &resolve);
                assert_eq!(again.animations(), animations, "{name}");
                edited += 1;

                // In the text, one sampler and one accessor may have changed, and lists may have grown.
                let new = parts(&written.file, &|uri| {
                    let found = written.buffers.iter().find(|buffer| buffer.path == uri);
                    found.map_or_else(|| resolve(uri), |buffer| buffer.bytes.clone())
                });
                let in_file = &old.json["animations"][index];
                let in_list = list(&in_file["channels"]).iter().find(|channel| {
                    size(&channel["target"]["node"]) == target.0
                        && channel["target"]["path"] == target.1.name()
                });
                let sampler = size(&in_list.unwrap()["sampler"]);
                let output = size(&in_file["samplers"][sampler]["output"]);
                let differences = differences(&old.json, &new.json);
                let allowed = |path: &String| {
                    [
                        format!(".animations[{index}].samplers[{sampler}]."),
                        format!(".animations[{index}].channels[{at}].sampler"),
                        format!(".accessors[{output}].m"),
                        ".buffers[".into(),
                    ]
                    .iter()
                    .any(|start| path.starts_with(start))
                };
                assert!(differences.iter().all(allowed), "{name}: {differences:?}");
                let lost = lost(&old.text, &new.text);
                assert!(lost <= differences.len(), "{name}: {lost} pieces, {differences:?}");

                // Of the bytes, those of the channel's values may have changed, and some may have been added.
                let (buffer, range) = place(&old.json, output);
                for (i, (old, new)) in old.buffers.iter().zip(&new.buffers).enumerate() {
                    let is_same = |(at, (old, new)): (usize, (&u8, &u8))| {
                        old == new || i == buffer && range.contains(&at)
                    };
                    assert!(
                        new.len() >= old.len() && old.iter().zip(new).enumerate().all(is_same),
                        "{name}, buffer {i}"
                    );
                }
                let has_files = old.json["buffers"][0]["uri"]
                    .as_str()
                    .is_some_and(|uri| !uri.starts_with("data:"));
                assert_eq!(written.buffers.len(), usize::from(has_files), "{name}");

                // What has been written is written again as it is.
                let third = again.write(again.animations(), "edited").unwrap();
                assert!(third.file == written.file && third.buffers.is_empty(), "{name}");
            }
        }
    }
    assert!(edited > 50, "{edited} edits");
}

#[test]
fn g15_animations_and_channels_are_added() {
    let Some(assets) = common::assets() else { return };
    for path in common::gltf_files(&assets.join("gltf")) {
        let folder = path.parent().unwrap().to_owned();
        let resolve = move |uri: &str| fs::read(folder.join(uri)).unwrap();
        let asset = Asset::open(&path, &Limits::default(), &mut Warnings::new()).unwrap();
        let old = parts(&fs::read(&path).unwrap(), &resolve);
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let free = |node: &usize| old.json["nodes"][node].get("matrix").is_none();
        let nodes: Vec<usize> = (0..list(&old.json["nodes"]).len()).filter(free).take(3).collect();
        let channel = |(i, &node): (usize, &usize)| Channel {
            node,
            path: [TargetPath::Translation, TargetPath::Rotation, TargetPath::Scale][i],
            interpolation: [Interpolation::Step, Interpolation::Linear, Interpolation::CubicSpline]
                [i],
            times: vec![0.0, 0.25, 1.5],
            values: (0..3 * [3, 4, 9][i]).map(|k| f64::from(k) / 8.0 + 1.0).collect(),
        };
        let channels: Vec<Channel> = nodes.iter().enumerate().map(channel).collect();
        let added = Animation { name: Some("añadido \"2\"".into()), channels };
        let mut animations = asset.animations().to_vec();
        animations.extend([added.clone(), Animation { name: None, ..added.clone() }]);
        if let Some(first) = animations.first_mut().filter(|_| !asset.animations().is_empty()) {
            first.name = Some("renamed".into());
            let is_new = |channel: &&Channel| first.channel(channel.node, channel.path).is_none();
            let new: Vec<Channel> = added.channels.iter().filter(is_new).cloned().collect();
            first.channels.extend(new);
        }
        let written = asset.write(&animations, "more").unwrap();
        assert_eq!(read_again(&written, &resolve).animations(), animations, "{name}");
        let new = parts(&written.file, &|uri| {
            let found = written.buffers.iter().find(|buffer| buffer.path == uri);
            found.map_or_else(|| resolve(uri), |buffer| buffer.bytes.clone())
        });
        let differences = differences(&old.json, &new.json);
        let allowed =
            |path: &String| path == ".animations[0].name" || path == ".buffers[0].byteLength";
        assert!(differences.iter().all(allowed), "{name}: {differences:?}");
        for (old, new) in old.buffers.iter().zip(&new.buffers) {
            assert!(new.starts_with(old), "{name}");
        }
        // One list of times for all, one view for all that is new.
        assert_eq!(list(&new.json["bufferViews"]).len(), list(&old.json["bufferViews"]).len() + 1);
        let times = list(&new.json["accessors"]).iter().skip(list(&old.json["accessors"]).len());
        assert_eq!(times.filter(|accessor| accessor["type"] == "SCALAR").count(), 1, "{name}");
    }
}

/// Two nodes that turn; the second animation is a still.
fn small(bytes: &[u8], uri: Option<&str>) -> String {
    let uri = uri.map_or_else(String::new, |uri| format!(r#", "uri": "{uri}""#));
    format!(
        r#"{{
  "asset": {{ "version": "2.0", "extras": [1.50, 1e3] }},
  "nodes": [ {{ "name": "a" }}, {{ "name": "b" }} ],
  "animations": [
    {{ "samplers": [ {{ "input": 0, "output": 1 }} ],
      "channels": [ {{ "sampler": 0, "target": {{ "node": 0, "path": "rotation" }} }} ] }}
  ],
  "accessors": [
    {{ "bufferView": 0, "componentType": 5126, "type": "SCALAR", "count": 2, "min": [0], "max": [1] }},
    {{ "bufferView": 0, "byteOffset": 8, "componentType": 5126, "type": "VEC4", "count": 2, "min": [0,0,0,0], "max": [1,1,1,1] }}
  ],
  "bufferViews": [ {{ "buffer": 0, "byteLength": 40 }} ],
  "buffers": [ {{ "byteLength": {}{uri} }} ]
}}"#,
        bytes.len()
    )
}

/// Times 0 and 1, and two turns; then what is behind them.
fn small_bytes(behind: &[u8]) -> Vec<u8> {
    let numbers = [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.6, 0.0, 0.0, 0.8_f32];
    numbers.iter().flat_map(|number| number.to_le_bytes()).chain(behind.iter().copied()).collect()
}

fn data_uri(bytes: &[u8]) -> String {
    format!("data:application/gltf-buffer;base64,{}", STANDARD.encode(bytes))
}

fn small_text() -> String {
    let bytes = small_bytes(b"tail");
    small(&bytes, Some(&data_uri(&bytes)))
}

fn container(json: &str, chunks: &[(&[u8; 4], &[u8])], behind: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    for (kind, data) in [(b"JSON", &json[..])].iter().chain(chunks) {
        body.extend(u32::try_from(data.len()).unwrap().to_le_bytes());
        body.extend(*kind);
        body.extend(*data);
    }
    let length = u32::try_from(body.len() + 12).unwrap().to_le_bytes();
    [b"glTF\x02\0\0\0", &length[..], &body, behind].concat()
}

fn open(bytes: &[u8], file: &[u8]) -> Result<Asset> {
    let mut resolve = |_: &str| Ok(file.to_vec());
    Asset::from_bytes(bytes, &mut resolve, &Limits::default(), &mut Warnings::new())
}

/// The animations with other turns: as many, fewer or more keys.
fn turned(asset: &Asset, keys: usize) -> Vec<Animation> {
    let mut animations = asset.animations().to_vec();
    let channel = &mut animations[0].channels[0];
    channel.times = (0..keys).map(|key| key as f64).collect();
    channel.values = [0.0, 0.28125, 0.0, 0.96875].repeat(keys);
    animations
}

/// The text of a container or of a file of text.
fn text_of(bytes: &[u8]) -> String {
    let end = |bytes: &[u8]| 20 + u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
    let text = if bytes.starts_with(b"glTF") { &bytes[20..end(bytes)] } else { bytes };
    String::from_utf8(text.to_vec()).unwrap()
}

#[test]
fn values_are_written_over_where_they_fit() {
    let text = small_text();
    let asset = open(text.as_bytes(), b"").unwrap();
    let turn = [0.0, 0.28125, 0.0, 0.96875_f32].repeat(2);
    let turns: Vec<u8> = turn.iter().flat_map(|number| number.to_le_bytes()).collect();
    let bytes = [&small_bytes(b"")[..8], &turns, b"tail"].concat();
    let written = asset.write(&turned(&asset, 2), "x").unwrap();
    let expected = small(&bytes, Some(&data_uri(&bytes)))
        .replace("[0,0,0,0]", "[0,0.28125,0,0.96875]")
        .replace("[1,1,1,1]", "[0,0.28125,0,0.96875]");
    assert_eq!(String::from_utf8(written.file).unwrap(), expected);

    // With one key less, its bytes stay as they were; the times are new, since others may use the old ones.
    let written = asset.write(&turned(&asset, 1), "x").unwrap();
    let text = String::from_utf8(written.file.clone()).unwrap();
    let is_there = |part: &str| assert!(text.contains(part), "{part}: {text}");
    is_there(r#""samplers": [ { "input": 2, "output": 1 } ]"#);
    is_there(r#""type": "VEC4", "count": 1"#);
    is_there(r#"    { "bufferView": 0, "byteOffset": 8"#);
    is_there(
        "\n    {\"bufferView\":1,\"byteOffset\":0,\"componentType\":5126,\"count\":1,\"type\":\"SCALAR\",\"min\":[0],\"max\":[0]}\n  ],",
    );
    assert_eq!(read_again(&written, &|_| Vec::new()).animations(), turned(&asset, 1));
}

#[test]
fn values_are_added_where_they_do_not_fit_or_are_not_alone() {
    let bytes = small_bytes(b"tail");
    let with = |from: &str, to: &str| {
        let text = small_text();
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    };
    let accessor = r#"{ "bufferView": 0, "byteOffset": 8, "componentType": 5126, "type": "VEC4", "count": 2, "min": [0,0,0,0], "max": [1,1,1,1] }"#;
    let sampler = r#"{ "input": 0, "output": 1 }"#;
    let end = r#""max": [1,1,1,1] }"#;
    let cases = [
        ("a mesh uses it", with("\"nodes\"", r#""meshes": [ { "primitives": [ { "attributes": { "POSITION": 1 } } ] } ], "nodes""#)),
        ("a shape uses it", with("\"nodes\"", r#""meshes": [ { "primitives": [ { "attributes": { }, "targets": [ { "NORMAL": 1 } ] } ] } ], "nodes""#)),
        ("another sampler uses it", with(sampler, &[sampler; 2].join(","))),
        ("an extension may use it", with("\"nodes\"", r#""extensions": { "ACME_x": { "list": [ { "accessor": 1 } ] } }, "nodes""#)),
        ("an extension may use its view", with("\"nodes\"", r#""extras": { "view": 0 }, "nodes""#)),
        ("another accessor has the same bytes", with(accessor, &[accessor; 2].join(","))),
        ("another accessor has some of its bytes", with(end, &format!(r#"{end}, {{ "bufferView": 0, "byteOffset": 36, "componentType": 5126, "type": "SCALAR", "count": 1 }}"#))),
        ("an image has its bytes", with("\"bufferViews\": [", r#""images": [ { "bufferView": 1 } ], "bufferViews": [ { "buffer": 0, "byteOffset": 38, "byteLength": 6 }, "#).replace("\"bufferView\": 0", "\"bufferView\": 1").replace("{ \"bufferView\": 1 }", "{ \"bufferView\": 0 }")),
        ("a view that nothing known uses has its bytes", with(r#""byteLength": 40 }"#, r#""byteLength": 40 }, { "buffer": 0, "byteLength": 9 }"#)),
        ("its view has an extension", with(r#""byteLength": 40 }"#, r#""byteLength": 40, "extensions": { "EXT_meshopt_compression": { } } }"#)),
        ("an accessor is beyond understanding", with(end, &format!(r#"{end}, {{ "count": 1 }}"#))),
        ("its data are not written as they would be again", with("=\"", "\"")),
        ("its data are written with escapes", with("application/gltf", "application\\/gltf")),
        ("another channel uses the sampler", with(r#"{ "sampler": 0, "target": { "node": 0, "path": "rotation" } }"#, r#"{ "sampler": 0, "target": { "node": 1, "path": "rotation" } }, { "sampler": 0, "target": { "node": 0, "path": "rotation" } }"#)),
        ("an extension may use the sampler", with(r#""path": "rotation" } } ]"#, r#""path": "rotation" } } ], "extensions": { }"#)),
    ];
    for (why, text) in cases {
        let asset = open(text.as_bytes(), b"").unwrap_or_else(|error| panic!("{why}: {error}"));
        let animations = turned(&asset, 2);
        let written = asset.write(&animations, "x").unwrap();
        let new = String::from_utf8(written.file.clone()).unwrap();
        let old_data = text.find("base64,").unwrap();
        let data_end = old_data + text[old_data..].find('"').unwrap();
        assert!(new.contains(&text[old_data..data_end]), "{why}: the old data are written over");
        assert_eq!(new.matches("data:application").count(), 2, "{why}");
        assert_eq!(read_again(&written, &|_| Vec::new()).animations(), animations, "{why}");
    }
    // As many keys as there is room for, and one more.
    let asset = open(small_text().as_bytes(), b"").unwrap();
    let written = asset.write(&turned(&asset, 3), "x").unwrap();
    let text = String::from_utf8(written.file).unwrap();
    assert!(
        text.contains(&data_uri(&bytes)) && text.contains(r#"{ "input": 2, "output": 3 }"#),
        "{text}"
    );
}

#[test]
fn g4_containers_are_written_as_they_must_be() {
    let bytes = small_bytes(b"tail!");
    let padded = [&bytes[..], &[7, 7, 7]].concat();
    let text = small(&bytes, None);
    for blanks in 0..5 {
        // The text ends with blanks of its own.
        let text = text.clone() + &"\n".repeat(blanks);
        let old = container(&text, &[(b"BIN\0", &padded), (b"ELSE", b"more")], b"behind the end");
        let asset = open(&old, b"").unwrap();
        assert_eq!(asset.write(asset.animations(), "x").unwrap().file, old);
        // Written over: the same lengths.
        let over = asset.write(&turned(&asset, 2), "x").unwrap().file;
        assert!(over.ends_with(b"ELSEmorebehind the end"));
        assert_eq!(over.windows(8).filter(|part| part == b"tail!\x07\x07\x07").count(), 1);
        // Added: behind the padding, which stays.
        let added = asset.write(&turned(&asset, 3), "x").unwrap().file;
        let whole = added.strip_suffix(b"behind the end").unwrap();
        let new = parts(whole, &|_| Vec::new());
        assert_eq!(&new.buffers[0][..48], &padded[..]);
        assert_eq!(
            (new.buffers[0].len(), size(&new.json["buffers"][0]["byteLength"])),
            (48 + 12 + 48, 108)
        );
        assert!(whole.ends_with(b"\x04\0\0\0ELSEmore"));
        assert_eq!(lost(&text, &new.text), 3, "input, output and length");
        let limits = Limits::default();
        let again = Asset::from_bytes(&added, &mut gltf::no_files, &limits, &mut Warnings::new());
        assert_eq!(again.unwrap().animations(), turned(&asset, 3));
    }
    // A container without data gets some; a container whose buffers are elsewhere keeps them there.
    let empty = r#"{"asset":{"version":"2.0"},"nodes":[{}]}"#;
    let asset = open(&container(empty, &[], b""), b"").unwrap();
    let still = open(small_text().as_bytes(), b"").unwrap();
    let written = asset.write(still.animations(), "x").unwrap();
    let new = parts(&written.file, &|_| Vec::new());
    assert_eq!((new.buffers.len(), new.buffers[0].len()), (1, 40));
    assert!(new.text.starts_with(&empty[..empty.len() - 1]), "{}", new.text);
    assert_eq!(read_again(&written, &|_| Vec::new()).animations(), still.animations());
    let outside = container(&small(&bytes, Some("a.bin")), &[], b"");
    let asset = open(&outside, &bytes).unwrap();
    let written = asset.write(&turned(&asset, 3), "new data").unwrap();
    assert_eq!(written.buffers[0].path, "new data.bin");
    assert!(text_of(&written.file).contains(r#"{"uri":"new%20data.bin","byteLength":60}"#));
}

#[test]
fn files_of_bytes_are_never_written_over() {
    let bytes = small_bytes(b"");
    let text = small(&bytes, Some("walk.bin"));
    let asset = open(text.as_bytes(), &bytes).unwrap();
    let written = asset.write(&turned(&asset, 2), "walk").unwrap();
    assert_eq!(written.buffers.len(), 1);
    assert_eq!(written.buffers[0].path, "walk-2.bin", "the old file is needed still");
    let resolve = |_: &str| bytes.clone();
    let again = read_again(&written, &resolve);
    assert_eq!(again.animations(), turned(&asset, 2));
    assert_eq!(again.files(), ["walk.bin", "walk-2.bin"]);
    for stem in ["", "../a", "/a", "a/../../b", "c:", "a\\b", "http://a"] {
        let error = asset.write(&turned(&asset, 2), stem).unwrap_err();
        assert!(matches!(error, Error::Value { .. }), "{stem}: {error}");
    }
    // A file of text without buffers keeps what is new to itself.
    let empty = r#"{ "asset": { "version": "2.0" }, "nodes": [ { } ] }"#;
    let plain = open(empty.as_bytes(), b"").unwrap();
    let written = plain.write(asset.animations(), "x").unwrap();
    assert!(written.buffers.is_empty());
    assert!(
        text_of(&written.file)
            .starts_with(r#"{ "asset": { "version": "2.0" }, "nodes": [ { } ], "#)
    );
    assert_eq!(read_again(&written, &resolve).animations(), asset.animations());
}

#[test]
fn byte_order_marks_and_blanks_stay() {
    let text = format!("\u{feff}\r\n {}\r\n\t", small_text().replace('\n', "\r\n"));
    let asset = open(text.as_bytes(), b"").unwrap();
    let written = asset.write(&turned(&asset, 3), "x").unwrap();
    let new = String::from_utf8(written.file.clone()).unwrap();
    assert!(new.starts_with(
        "\u{feff}\r\n {\r\n  \"asset\": { \"version\": \"2.0\", \"extras\": [1.50, 1e3] }"
    ));
    assert!(new.ends_with("\r\n}\r\n\t"));
    assert_eq!(lost(&text, &new), 2, "input and output");
    assert_eq!(read_again(&written, &|_| Vec::new()).animations(), turned(&asset, 3));
}

#[test]
fn what_a_reader_would_refuse_is_not_written() {
    let asset = open(small_text().as_bytes(), b"").unwrap();
    let with = |change: fn(&mut Channel)| {
        let mut animations = asset.animations().to_vec();
        change(&mut animations[0].channels[0]);
        asset.write(&animations, "x").map(|_| ()).unwrap_err().to_string()
    };
    for (change, part) in [
        ((|channel| channel.node = 2) as fn(&mut Channel), "there is no such node, only 2"),
        (|channel| channel.values[0] = f64::NAN, "key 0 has NaN"),
        (|channel| channel.values[7] = 1e39, "key 1 has 1e39"),
        (|channel| channel.values[3] = 0.0, "the rotation of key 0 has no length"),
        (|channel| channel.values[3] = 1e-60, "the rotation of key 0 has no length"),
        (|channel| channel.values.truncate(7), "2 keys have 7 numbers"),
        (|channel| channel.path = TargetPath::Scale, "2 keys have 8 numbers, not 3 times 1 each"),
        (|channel| channel.interpolation = Interpolation::CubicSpline, "not 4 times 3 each"),
        (|channel| channel.times[1] = 1e-60, "not later"),
        (|channel| channel.times[0] = -1.0, "key 0 is at -1 s"),
        (|channel| channel.times[1] = f64::INFINITY, "key 1 is at inf s"),
        (
            |channel| {
                channel.times.clear();
                channel.values.clear();
            },
            "0 keys are too few for LINEAR",
        ),
    ] {
        let error = with(change);
        assert!(
            error.starts_with("animations[0].channels[0]: ") && error.contains(part),
            "{error}"
        );
    }
    let mut twice = asset.animations().to_vec();
    let again = twice[0].channels[0].clone();
    twice[0].channels.push(again);
    let error = asset.write(&twice, "x").unwrap_err().to_string();
    assert!(
        error.contains("animations[0].channels[1]: rotation of node 0: another channel"),
        "{error}"
    );
    let mut empty = asset.animations().to_vec();
    empty.push(Animation::default());
    assert!(
        asset
            .write(&empty, "x")
            .unwrap_err()
            .to_string()
            .contains("animations[1]: a new animation needs")
    );
}

#[test]
fn a_node_that_is_moved_has_no_matrix() {
    let node =
        r#"{ "matrix": [0,0,-1,0, 0,1,0,0, 1,0,0,0, 0,0.5,0,1], "extras": { "matrix": 3 } }"#;
    let text = small_text().replace(r#"{ "name": "b" }"#, node);
    let asset = open(text.as_bytes(), b"").unwrap();
    let mut moved = asset.animations().to_vec();
    let mut other = moved[0].channels[0].clone();
    other.node = 1;
    moved[0].channels.push(other);
    let written = asset.write(&moved, "x").unwrap();
    let new = text_of(&written.file);
    let parts = r#"{ "translation": [0.0,0.5,0.0], "rotation": [0.0,0.70710677,0.0,0.70710677], "extras": { "matrix": 3 } }"#;
    assert!(new.contains(parts), "{new}");
    let [before, after] = [text.replace(node, "{}"), new.replace(parts, "{}")];
    assert!(
        lost(&before, &after) <= 3,
        "the bytes and their number, of the view and the buffer: {after}"
    );
    assert_eq!(read_again(&written, &|_| Vec::new()).animations(), moved);
    for (large, small) in [("[0,0,-1,0,", "[0,0,-1e40,0,"), ("[0,0,-1,0,", "[0,0,-1e-60,0,")] {
        let asset = open(text.replace(large, small).as_bytes(), b"").unwrap();
        let error = asset.write(&moved, "x").unwrap_err().to_string();
        assert!(error.contains("leaves single precision"), "{error}");
    }
}

#[test]
fn channels_that_were_passed_over_can_be_given_keys() {
    let text =
        small_text().replacen(r#"{ "bufferView": 0, "componentType""#, r#"{ "componentType""#, 1);
    let asset = open(text.as_bytes(), b"").unwrap();
    assert!(asset.animations()[0].channels.is_empty(), "its times have no data");
    let keys = open(small_text().as_bytes(), b"").unwrap();
    let written = asset.write(&turned(&keys, 2), "x").unwrap();
    let again = read_again(&written, &|_| Vec::new());
    assert_eq!(again.animations(), turned(&keys, 2));
    assert_eq!(
        text_of(&written.file).matches("\"target\"").count(),
        1,
        "no second channel for the same"
    );
}

/// Files with a few bytes changed: reading ends with a result, and what can be read can be edited, written and read again.
#[test]
fn damaged_files_do_no_harm() {
    let Some(assets) = common::assets() else { return };
    let mut state = 1_u64;
    let mut next = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    let bytes = small_bytes(b"tail");
    let names = ["SimpleSkin.gltf", "RiggedSimple.glb", "nop.vrma"]
        .map(|name| fs::read(assets.join("gltf").join(name)).unwrap());
    let own =
        [container(&small(&bytes, None), &[(b"BIN\0", &bytes)], b""), small_text().into_bytes()];
    let (mut read, mut refused) = (0, 0);
    for original in names.iter().chain(&own) {
        for _ in 0..400 {
            let mut damaged = original.clone();
            for _ in 0..=next(3) {
                let at = next(damaged.len());
                match next(4) {
                    // A digit for a digit keeps the text sound and changes what it says.
                    0 | 1 => {
                        let digit = (at..damaged.len()).find(|&at| damaged[at].is_ascii_digit());
                        digit
                            .into_iter()
                            .for_each(|at| damaged[at] = b'0' + u8::try_from(next(10)).unwrap());
                    }
                    2 => damaged[at] = u8::try_from(next(256)).unwrap(),
                    _ => drop(damaged.drain(at..(at + next(9)).min(damaged.len()))),
                }
            }
            let limits = Limits::default();
            let Ok(asset) =
                Asset::from_bytes(&damaged, &mut gltf::no_files, &limits, &mut Warnings::new())
            else {
                refused += 1;
                continue;
            };
            read += 1;
            let change = [moved as fn(&Channel) -> Channel, longer][next(2)];
            let mut animations = asset.animations().to_vec();
            animations
                .iter_mut()
                .flat_map(|animation| &mut animation.channels)
                .for_each(|channel| *channel = change(channel));
            let written = match asset.write(&animations, "x") {
                Ok(written) => written,
                // Damaged numbers may be too large to be moved.
                Err(error) => {
                    assert!(error.to_string().starts_with("animations["), "{error}");
                    continue;
                }
            };
            assert_eq!(read_again(&written, &|_| Vec::new()).animations(), animations);
        }
    }
    println!("{read} read, {refused} refused");
    assert!(read > 200 && refused > 200, "{read} read, {refused} refused");
}
