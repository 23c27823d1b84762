//! Faulty MJCF files, one test for each way to break the reader: refused with a place and a reason; never a panic, a hang or an overflow of the stack.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a helper of a test may fail and speak as a test does"
)]

use crate::common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use posekit_io::robot::Robot;
use posekit_io::{Error, Limits, Place, Warnings, mjcf};

fn read(text: &str) -> Result<Robot, Error> {
    mjcf::read(text, &mut Warnings::new())
}

/// The error of a text, whose message must hold every part.
#[track_caller]
fn refused(text: &str, parts: &[&str]) -> Error {
    let error = read(text).expect_err("the text must be refused");
    let message = error.to_string();
    for part in parts {
        assert!(message.contains(part), "`{message}` does not contain `{part}`");
    }
    error
}

fn world(inside: &str) -> String {
    format!("<mujoco>\n<worldbody>\n{inside}\n</worldbody></mujoco>")
}

/// A body with a joint of these attributes.
fn joint(attributes: &str) -> String {
    world(&format!("<body name='b'>\n<joint name='j' {attributes}/><geom size='1'/></body>"))
}

/// A model with files beside it.
fn read_with_files(text: &str, files: &[(&str, &str)]) -> Result<Robot, Error> {
    let files: BTreeMap<&str, &str> = files.iter().copied().collect();
    let open = |path: &str| match files.get(path) {
        Some(text) => Ok(text.as_bytes().to_vec()),
        None => Err(Error::Read { message: "there is no such file".into(), path: path.into() }),
    };
    mjcf::read_with_files(text, &Limits::default(), open, &mut Warnings::new())
}

#[track_caller]
fn refused_with_files(text: &str, files: &[(&str, &str)], parts: &[&str]) -> Error {
    let error = read_with_files(text, files).expect_err("the text must be refused");
    let message = error.to_string();
    for part in parts {
        assert!(message.contains(part), "`{message}` does not contain `{part}`");
    }
    error
}

#[test]
fn other_formats_and_broken_texts() {
    refused("<robot name='r'><link name='a'/></robot>", &["begins with <mujoco>", "a URDF"]);
    refused("<mujocoinclude/>", &["begins with <mujoco>", "<mujocoinclude>"]);
    refused("", &["the file is empty"]);
    refused("<mujoco>", &["ends too early"]);
    refused("<mujoco><worldbody></mujoco>", &["line 1"]);
    refused("<!DOCTYPE mujoco [<!ENTITY a 'b'>]><mujoco/>", &["DTD", "not allowed"]);
    let wide: Vec<u8> = "<mujoco/>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let error = mjcf::read_bytes(&wide, &Limits::default(), &mut Warnings::new()).unwrap_err();
    assert!(matches!(error, Error::Encoding { .. }), "{error}");
    let declared = b"<?xml version='1.0' encoding='latin1'?><mujoco/>";
    let error = mjcf::read_bytes(declared, &Limits::default(), &mut Warnings::new()).unwrap_err();
    assert!(error.to_string().contains("latin1"), "{error}");
    // A model without bodies is the world alone.
    let robot = read("<mujoco/>").unwrap();
    assert_eq!((robot.name(), robot.links().len()), ("MuJoCo Model", 1));
}

#[test]
fn faults_have_line_and_column() {
    let error = refused(&joint("axis='0 0'"), &["expected 3 numbers in `axis`, found 2"]);
    let Some(Place { subject, line, column, .. }) = error.place() else {
        panic!("an error about a value has a place");
    };
    assert_eq!((subject.as_str(), *line, *column), ("joint `j`", 4, 23));
}

#[test]
fn numbers_that_are_none() {
    for (number, part) in [
        ("x", "`x` is not a number"),
        ("1,5", "a decimal comma?"),
        ("nan", "not a finite number"),
        ("inf", "not a finite number"),
        ("1e101", "the largest number allowed"),
    ] {
        refused(&joint(&format!("axis='0 0 {number}'")), &[part, "line 4"]);
        refused(&world(&format!("<body pos='0 0 {number}'/>")), &[part]);
        refused(&world(&format!("<geom size='{number}'/>")), &[part]);
    }
}

#[test]
fn orientations_that_are_none() {
    for (orientation, part) in [
        ("quat='0 0 0 0'", "the quaternion is zero"),
        ("quat='1 0 0'", "expected 4 numbers"),
        ("axisangle='0 0 0 1'", "the axis is zero"),
        ("zaxis='0 0 0'", "the axis is zero"),
        ("xyaxes='1 0 0 2 0 0'", "not parallel"),
        ("xyaxes='0 0 0 1 0 0'", "not parallel"),
        ("euler='1 2'", "expected 3 numbers"),
        ("euler='1 2 3' zaxis='1 0 0'", "both give an orientation"),
    ] {
        for tag in ["body", "frame", "site", "geom size='1'"] {
            refused(&world(&format!("<{tag} {orientation}/>")), &[part, "line 3"]);
        }
    }
    refused(&world("<geom type='capsule' size='1' fromto='1 2 3 1 2 3'/>"), &["the same point"]);
    refused(
        &world("<geom type='capsule' size='1' pos='1 0 0' fromto='0 0 0 0 0 1'/>"),
        &["omit `pos`"],
    );
    refused(&world("<geom size='1' fromto='0 0 0 0 0 1'/>"), &["not for sphere"]);
}

#[test]
fn compiler_settings_that_are_none() {
    let compiler = |attributes: &str| format!("<mujoco><compiler {attributes}/></mujoco>");
    refused(&compiler("coordinate='global'"), &["global coordinates", "MuJoCo 2.3.3"]);
    refused(&compiler("angle='degrees'"), &["`angle` is `degrees`, expected radian, degree"]);
    for sequence in ["xy", "xyzx", "xyw", ""] {
        refused(&compiler(&format!("eulerseq='{sequence}'")), &["`eulerseq` is three of"]);
    }
    refused(&compiler("autolimits='yes'"), &["expected false, true"]);
}

#[test]
fn joints_that_are_none() {
    refused(&joint("type='screw'"), &["`type` is `screw`, expected free, ball, slide, hinge"]);
    refused(&joint("axis='0 0 0'"), &["the axis is zero"]);
    refused(&joint("limited='maybe'"), &["expected false, true, auto"]);
    refused(&joint("limited='true'"), &["a limited joint needs a range"]);
    refused(&joint("limited='true' range='1 0'"), &["a limited joint needs a range"]);
    refused(&joint("type='ball' range='-10 10'"), &["begins at 0"]);
    let text = joint("range='0 1'").replace("<mujoco>", "<mujoco><compiler autolimits='false'/>");
    refused(&text, &["must have the attribute `limited`"]);
    refused(&world("<joint/>"), &["a joint must be inside the <body> that it moves"]);
    refused(&world("<freejoint/>"), &["a joint must be inside the <body>"]);
    refused(&world("<body><body><freejoint/></body></body>"), &["bodies in the world"]);
    refused(
        &world("<body><replicate count='2'><joint/></replicate></body>"),
        &["a joint must be inside"],
    );
}

#[test]
fn geoms_and_masses_that_are_none() {
    refused(&world("<geom type='cube' size='1'/>"), &["`type` is `cube`"]);
    refused(&world("<geom/>"), &["a sphere needs 1 positive numbers"]);
    refused(&world("<geom type='box' size='1 2'/>"), &["a box needs 3 positive numbers"]);
    refused(&world("<geom size='1 2 3 4'/>"), &["at most 3 numbers in `size`"]);
    refused(&world("<geom type='mesh'/>"), &["names a `mesh`"]);
    refused(&world("<geom type='mesh' mesh='m'/>"), &["there is no mesh `m`"]);
    refused(&world("<geom size='1' mass='-1'/>"), &["must not be negative"]);
    refused(&world("<body><inertial pos='0 0 0'/></body>"), &["inertial/@mass", "is missing"]);
    refused(&world("<body><inertial mass='1'/></body>"), &["inertial/@pos", "is missing"]);
    refused(&world("<body><inertial mass='-1' pos='0 0 0'/></body>"), &["must not be negative"]);
    let mesh = "<mujoco><asset><mesh name='m'/>\n<mesh name='m'/></asset></mujoco>";
    refused(mesh, &["a second mesh `m`", "line 2"]);
    // A mass beyond every number that is allowed.
    let huge = world("<body><geom type='box' size='1e100 1e100 1e100'/></body>");
    refused(&huge, &["links[1].mass"]);
}

#[test]
fn names_that_are_missing_or_taken() {
    refused(&world("<body name='a'/>\n<body name='a'/>"), &["a second body", "first at line 3"]);
    refused(&world("<body name='world'/>"), &["a second body of this name"]);
    let two = "<body><joint name='j'/>\n<joint name='j'/><geom size='1'/></body>";
    refused(&world(two), &["a second joint", "first at line 3"]);
    refused(&world("<site name='s'/><site name='s'/>"), &["a second site"]);
    refused(&joint("class='none'"), &["there is no class `none`", "line 4"]);
    refused(&world("<body childclass='none'/>"), &["there is no class `none`"]);
    let relation = |inside: &str| joint("").replace("</mujoco>", &format!("{inside}</mujoco>"));
    refused(
        &relation("<equality><joint joint1='j' joint2='k'/></equality>"),
        &["there is no joint `k`"],
    );
    refused(&relation("<equality><joint joint2='j'/></equality>"), &["joint/@joint1", "missing"]);
    refused(&relation("<equality><connect body1='b'/></equality>"), &["connect/@anchor"]);
    refused(
        &relation("<contact><exclude body1='b' body2='c'/></contact>"),
        &["there is no body `c`"],
    );
    refused(&relation("<contact><exclude body1='b'/></contact>"), &["exclude/@body2"]);
    let ball = joint("type='ball'");
    let ball = ball.replace("</mujoco>", "<equality><joint joint1='j'/></equality></mujoco>");
    refused(&ball, &["only hinges and slides"]);
}

#[test]
fn classes_that_are_none() {
    let class = |inside: &str| format!("<mujoco>\n<default>{inside}</default></mujoco>");
    refused(&class("<default/>"), &["default/@class", "is missing"]);
    refused(&class("<default class=' '/>"), &["the name is empty"]);
    refused(&class("<default class='a'/><default class='a'/>"), &["a second class `a`"]);
    // A fault of a class is where the class has it, in whatever element it is found.
    let text = class("<joint axis='0 0 0'/>")
        .replace("</mujoco>", "<worldbody>\n<body><joint/></body></worldbody></mujoco>");
    refused(&text, &["the axis is zero", "line 2"]);
}

#[test]
fn keyframes_of_another_model() {
    let key = |qpos: &str| {
        let key = format!("<keyframe><key name='k' qpos='{qpos}'/></keyframe></mujoco>");
        joint("").replace("</mujoco>", &key)
    };
    refused(&key("1 2"), &["key `k`", "at most 1 numbers"]);
    refused(&key(""), &["key `k`", "expected 1 numbers in `qpos`, found 0"]);
    refused(&key("x"), &["`x` is not a number"]);
}

#[test]
fn what_makes_bodies_of_its_own_is_refused() {
    refused(&world("<composite type='cable'/>"), &["<composite>", "not supported"]);
    refused(&world("<body><flexcomp name='f'/></body>"), &["<flexcomp>", "not supported"]);
}

#[test]
fn a_text_alone_includes_nothing() {
    let error = refused("<mujoco>\n<include file='a.xml'/></mujoco>", &["no other file is read"]);
    assert_eq!(error.place().unwrap().line, 2);
    refused("<mujoco><asset><model file='a.xml'/></asset></mujoco>", &["no other file is read"]);
    refused("<mujoco><include/></mujoco>", &["include/@file", "is missing"]);
    refused("<mujoco><include file=' '/></mujoco>", &["the name is empty"]);
}

#[test]
fn includes_stay_in_the_folder() {
    for file in ["../a.xml", "b/../../a.xml", "/a.xml", "c:/a.xml", "b\\a.xml", "."] {
        let text = format!("<mujoco><include file='{file}'/></mujoco>");
        refused_with_files(&text, &[("a.xml", "<x><option/></x>")], &["only files in the model's"]);
    }
    // Also from a folder inside: its parts are seen from the model first, and then from there.
    let files = [("b/a.xml", "<x><include file='../../c.xml'/></x>"), ("c.xml", "<x/>")];
    refused_with_files("<mujoco><include file='b/a.xml'/></mujoco>", &files, &["leads out of it"]);
    let files = [
        ("b/a.xml", "<x><include file='c.xml'/></x>"),
        ("b/c.xml", "<x><worldbody><body name='there'/></worldbody></x>"),
        ("c.xml", "<x><worldbody><body name='here'/></worldbody></x>"),
    ];
    let text = "<mujoco><include file='b/a.xml'/></mujoco>";
    assert!(read_with_files(text, &files).unwrap().find_link("here").is_some());
    assert!(read_with_files(text, &files[..2]).unwrap().find_link("there").is_some());
}

#[test]
fn a_link_out_of_the_folder_is_not_followed() {
    let folder = std::env::temp_dir().join(format!("posekit-mjcf-{}", std::process::id()));
    let inside = folder.join("inside");
    std::fs::create_dir_all(&inside).unwrap();
    std::fs::write(folder.join("a.xml"), "<x><worldbody/></x>").unwrap();
    std::fs::write(inside.join("b.xml"), "<mujoco><include file='a.xml'/></mujoco>").unwrap();
    let read = || {
        let path = inside.join("b.xml");
        mjcf::read_file(&path, &Limits::default(), &mut Warnings::new())
    };
    assert!(read().unwrap_err().to_string().contains("a.xml"), "the file is not there");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(folder.join("a.xml"), inside.join("a.xml")).unwrap();
        let message = read().unwrap_err().to_string();
        assert!(message.contains("leads out of"), "{message}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn faults_of_an_included_file_name_it() {
    let files = [("parts/a.xml", "<x>\n<worldbody>\n<body pos='1'/></worldbody></x>")];
    let text = "<mujoco><include file='parts/a.xml'/></mujoco>";
    refused_with_files(text, &files, &["parts/a.xml, <body>, line 3, column 12: expected 3"]);
    let files = [("a.xml", "<x>\n<worldbody>")];
    let text = "<mujoco><include file='a.xml'/></mujoco>";
    refused_with_files(text, &files, &["a.xml, line 2", "ends too early"]);
    refused_with_files(text, &[], &["an <include>, line 1", "no such file"]);
    refused_with_files(text, &[("a.xml", "")], &["a.xml", "the file is empty"]);
}

#[test]
fn files_that_include_each_other_end() {
    let twice = "<mujoco><include file='a.xml'/><include file='a.xml'/></mujoco>";
    refused_with_files(twice, &[("a.xml", "<x><option/></x>")], &["included a second time"]);
    let files =
        [("a.xml", "<x><include file='b.xml'/></x>"), ("b.xml", "<x><include file='a.xml'/></x>")];
    let text = "<mujoco><include file='a.xml'/></mujoco>";
    refused_with_files(text, &files, &["`a.xml` is included a second time"]);
    let model = |file: &str| format!("<mujoco><asset><model file='{file}'/></asset></mujoco>");
    let (a, b) = (model("b.xml"), model("a.xml"));
    let files = [("a.xml", a.as_str()), ("b.xml", b.as_str())];
    refused_with_files(&model("a.xml"), &files, &["a model that attaches itself"]);
    // Many files are too many.
    let limits = Limits::default().with_files(3);
    let includes: String = (0..3).map(|i| format!("<include file='{i}.xml'/>")).collect();
    let open = |_: &str| Ok(b"<x/>".to_vec());
    let text = format!("<mujoco>{includes}</mujoco>");
    let error = mjcf::read_with_files(&text, &limits, open, &mut Warnings::new()).unwrap_err();
    assert!(matches!(error, Error::TooLarge { field: "files", .. }), "{error}");
}

#[test]
fn attachments_that_are_none() {
    let files = [("a.xml", "<mujoco model='m'><worldbody><body name='b'/></worldbody></mujoco>")];
    let attach = |attributes: &str| {
        format!(
            "<mujoco><asset><model name='a' file='a.xml'/></asset>\n\
             <worldbody><attach {attributes}/></worldbody></mujoco>"
        )
    };
    for (attributes, part) in [
        ("model='none' prefix='p'", "there is no model `none`"),
        ("model='a' body='none' prefix='p'", "there is no body `none`"),
        ("model='a' frame='b' prefix='p'", "there is no frame `b`"),
        ("model='a' body='b'", "attach/@prefix"),
        ("prefix='p'", "names a `body` or a `frame`"),
        ("body='none' prefix='p'", "there is no body `none`"),
    ] {
        refused_with_files(&attach(attributes), &files, &[part, "line 2"]);
    }
    let twice = attach("model='a' prefix='p'/><attach model='a' prefix='p'");
    refused_with_files(&twice, &files, &["a second body of this name"]);
    let robot = attach("model='a' prefix='p'");
    refused_with_files(&robot, &[("a.xml", "<robot name='r'/>")], &["a.xml", "a URDF"]);
}

/// Reads a text that asks for more than it may have; it must be refused soon.
#[track_caller]
fn refused_soon(text: &str, field: &str) {
    let start = Instant::now();
    let error = read(text).expect_err("the text must be refused");
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    assert!(matches!(&error, Error::TooLarge { field: found, .. } if *found == field), "{error}");
}

#[test]
fn replicas_without_end_are_refused() {
    let nested = |depth: usize, count: u64, inside: &str| {
        let open = format!("<replicate count='{count}'>").repeat(depth);
        world(&format!("{open}{inside}{}", "</replicate>".repeat(depth)))
    };
    refused_soon(&nested(1, 1_000_000_000_000, ""), "joints");
    refused_soon(&nested(1, 1_000_000_000_000, "<body/>"), "joints");
    refused_soon(&nested(200, 9, "<geom size='1'/>"), "joints");
    refused_soon(&nested(2, 1000, &"<light/>".repeat(10)), "joints");
    refused_soon(&nested(1, 60_000, &"<light/>".repeat(100)), "xml_nodes");
    refused_soon(&nested(1, 60_000, &"<geom size='1'/>".repeat(2)), "joints");
    refused_soon(
        &nested(1, 60_000, &format!("<body name='{}'/>", "n".repeat(60_000))),
        "file_bytes",
    );
    // Not a number of replicas at all.
    for count in ["-1", "1.5", "x", ""] {
        refused(&world(&format!("<replicate count='{count}'/>")), &["`count` is a whole number"]);
    }
    refused(&world("<replicate/>"), &["replicate/@count", "is missing"]);
    assert_eq!(read(&nested(1, 0, "<body/>")).unwrap().links().len(), 1);
}

#[test]
fn a_body_that_attaches_itself_ends() {
    refused_soon(&world("<body name='a'><attach body='a' prefix='p'/></body>"), "xml_depth");
    let pair = "<body name='a'><attach body='b' prefix='p'/></body>\
                <body name='b'><attach body='a' prefix='q'/><attach body='a' prefix='r'/></body>";
    assert!(read(&world(pair)).is_err());
}

#[test]
fn references_to_many_replicas_are_bounded() {
    let many =
        "<replicate count='250'><replicate count='250'><body name='b'/></replicate></replicate>";
    let text = world(many).replace(
        "</mujoco>",
        "<contact><exclude body1='b' body2='b'/><exclude body1='b' body2='b'/></contact></mujoco>",
    );
    refused_soon(&text, "xml_nodes");
}

#[test]
fn deep_and_long_models_cost_no_stack() {
    let deep = format!("{}{}", "<body>".repeat(250), "</body>".repeat(250));
    assert_eq!(read(&world(&deep)).unwrap().links().len(), 251);
    refused_soon(
        &world(&format!("{}{}", "<body>".repeat(300), "</body>".repeat(300))),
        "xml_depth",
    );
    let classes = format!(
        "<mujoco>{}{}</mujoco>",
        (0..250).map(|i| format!("<default class='c{i}'>")).collect::<String>(),
        "</default>".repeat(250)
    );
    assert!(read(&classes).is_ok());
    // A chain of followers, and a list of them.
    let joints: String =
        (0..5000).map(|i| format!("<body><joint name='j{i}'/><geom size='1'/></body>")).collect();
    let equalities: String =
        (1..5000).map(|i| format!("<joint joint1='j{}' joint2='j{i}'/>", i - 1)).collect();
    let text =
        world(&joints).replace("</mujoco>", &format!("<equality>{equalities}</equality></mujoco>"));
    let start = Instant::now();
    assert_eq!(read(&text).unwrap().skeleton().n_dofs(), 1);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

fn small_models(folder: &Path, list: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            small_models(&path, list);
        } else if path.extension().is_some_and(|ending| ending == "xml") {
            list.push(path);
        }
    }
}

/// Reads changed bytes with the files beside the original; the result is a robot whose poses are numbers, or an error.
fn read_changed(bytes: &[u8], folder: &Path) -> bool {
    let limits = Limits::default();
    let Ok(text) = posekit_io::decode_text(bytes, &limits) else { return false };
    let open = posekit_io::gltf::folder(folder, limits);
    let Ok(robot) = mjcf::read_with_files(text, &limits, open, &mut Warnings::new()) else {
        return false;
    };
    let skeleton = robot.skeleton();
    for state in robot.states() {
        let mut q = robot.zero_configuration();
        robot.apply_state(state, &mut q);
        assert!(skeleton.poses(&q).iter().all(|pose| pose.is_finite()), "{text}");
    }
    assert!(skeleton.within_limits(&skeleton.neutral(), 1e-9), "{text}");
    true
}

#[test]
fn cut_and_changed_models_never_panic_or_hang() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/mjcf");
    let mut files = Vec::new();
    small_models(&own, &mut files);
    assert!(files.len() >= 14, "{files:?}");
    if let Some(assets) = common::assets() {
        small_models(&assets.join("mjcf/mujoco_notation"), &mut files);
    }
    let mut state = 1;
    #[expect(clippy::cast_possible_truncation, reason = "a number below the bound")]
    let mut below = |bound: usize| (common::uniform(&mut state) * bound as f64) as usize;
    let (mut n_read, mut n_refused) = (0, 0);
    for file in &files {
        let folder = file.parent().unwrap();
        let whole = std::fs::read(file).unwrap();
        let start = Instant::now();
        for _ in 0..60 {
            let cut = &whole[..below(whole.len() + 1)];
            n_refused += usize::from(!read_changed(cut, folder));
            // A few bytes become others, or those of another place.
            let mut changed = whole.clone();
            for _ in 0..=below(4) {
                let at = below(changed.len());
                changed[at] = match below(3) {
                    0 => whole[below(whole.len())],
                    1 => b"<>/'\"0-9e "[below(10)],
                    _ => changed[at] ^ (1 << below(7)),
                };
            }
            n_read += usize::from(read_changed(&changed, folder));
            // A piece is taken out, or put in twice.
            let (a, b) = (below(whole.len()), below(whole.len()));
            let (from, to) = (a.min(b), a.max(b));
            read_changed(&[&whole[..from], &whole[to..]].concat(), folder);
            read_changed(&[&whole[..to], &whole[from..]].concat(), folder);
        }
        assert!(start.elapsed() < Duration::from_secs(60), "{}", file.display());
    }
    println!("{n_read} changed texts are still models, {n_refused} cut ones are none");
    assert!(n_read > 0 && n_refused > 0);
}
