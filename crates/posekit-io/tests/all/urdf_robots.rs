//! What the URDF reader makes of sound files: joint kinds, origins, order, frames, and every robot of the shared assets.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a helper of a test may fail and speak as a test does"
)]

use crate::common;

use std::path::Path;

use posekit::glam::{DQuat, DVec3};
use posekit::math::sin;
use posekit::skeleton::JointKind;
use posekit_io::problem::only_tip;
use posekit_io::robot::RobotJointKind;
use posekit_io::{Error, Limits, Robot, Warnings, urdf};

fn read(text: &str) -> Robot {
    urdf::read(text, &mut Warnings::new()).unwrap()
}

fn joint(name: &str, kind: &str, parent: &str, child: &str, inside: &str) -> String {
    format!(
        "<joint name=\"{name}\" type=\"{kind}\"><parent link=\"{parent}\"/><child link=\"{child}\"/>{inside}</joint>"
    )
}

fn pair(kind: &str, inside: &str) -> Robot {
    read(&format!(
        "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/>{}</robot>",
        joint("j", kind, "a", "b", inside)
    ))
}

#[test]
fn every_joint_kind_moves_as_it_should() {
    let limit = "<limit lower=\"-1\" upper=\"1\"/>";
    let tip =
        |robot: &Robot, q: &[f64]| robot.frame("b").unwrap().world(&robot.skeleton().poses(q));
    let robot = pair("fixed", "<origin xyz=\"1 2 3\"/>");
    assert_eq!(tip(&robot, &[]).translation, DVec3::new(1.0, 2.0, 3.0));
    let robot = pair("prismatic", &format!("{limit}<axis xyz=\"0 1 0\"/>"));
    assert_eq!(tip(&robot, &[0.5]).translation, DVec3::new(0.0, 0.5, 0.0));
    let robot = pair("floating", "");
    assert_eq!(robot.zero_configuration(), [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(robot.skeleton().n_dofs(), 6);
    let robot = pair("revolute", &format!("{limit}<axis xyz=\"0 0 1\"/>"));
    assert!((tip(&robot, &[0.5]).rotation.z - sin(0.25)).abs() < 1e-15);
    assert!(robot.skeleton().within_limits(&[1.0], 0.0));
    assert!(!robot.skeleton().within_limits(&[1.1], 1e-9));
}

#[test]
fn a_planar_joint_is_two_slides_and_a_turn() {
    let robot = pair("planar", "<axis xyz=\"0 0 1\"/><origin xyz=\"0 0 5\"/>");
    let skeleton = robot.skeleton();
    assert_eq!(robot.joints()[0].kind, RobotJointKind::Planar);
    assert_eq!(robot.joints()[0].skeleton_joints, 1..4);
    assert_eq!([1, 2, 3].map(|joint| skeleton.name(joint)), ["j/x", "j/y", "j/turn"]);
    let pose = robot.frame("b").unwrap().world(&skeleton.poses(&[1.0, 2.0, 0.5]));
    assert_eq!(pose.translation, DVec3::new(1.0, 2.0, 5.0));
    assert!((pose.rotation.z - sin(0.25)).abs() < 1e-15);
    // About another axis the slides stay normal to it.
    let robot = pair("planar", "<axis xyz=\"0 1 1\"/>");
    let pose = robot.frame("b").unwrap().world(&robot.skeleton().poses(&[1.0, 2.0, 0.0]));
    assert!(pose.translation.dot(DVec3::new(0.0, 1.0, 1.0)).abs() < 1e-12);
    assert!((pose.translation.length() - 5.0_f64.sqrt()).abs() < 1e-12);
}

#[test]
fn origins_turn_about_fixed_axes_in_the_order_x_y_z() {
    let pose = |origin: &str| {
        let robot = pair("fixed", &format!("<origin {origin}/>"));
        robot.frame("b").unwrap().world(&robot.skeleton().poses(&[]))
    };
    let half_turn = std::f64::consts::FRAC_PI_2;
    let found = pose(&format!("rpy=\"{half_turn} 0 {half_turn}\"")).rotation * DVec3::Y;
    // Roll takes y to z, and yaw leaves z where it is.
    assert!((found - DVec3::Z).length() < 1e-15, "{found}");
    let found = pose(&format!("rpy=\"0 {half_turn} {half_turn}\"")).rotation * DVec3::Z;
    // Pitch takes z to x, yaw takes x to y.
    assert!((found - DVec3::Y).length() < 1e-15, "{found}");
    let found = pose("quat_xyzw=\"0 0 0.6 0.8\" xyz=\"1 0 0\"");
    assert!((found.rotation * DVec3::X - DVec3::new(0.28, 0.96, 0.0)).length() < 1e-12);
    assert_eq!(found.translation, DVec3::X);
    assert_eq!(pose("").rotation, DQuat::IDENTITY);
    let refused = |origin: &str| {
        let text = format!(
            "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/>{}</robot>",
            joint("j", "fixed", "a", "b", &format!("<origin {origin}/>"))
        );
        urdf::read(&text, &mut Warnings::new()).unwrap_err().to_string()
    };
    assert!(refused("rpy=\"0 0 0\" quat_xyzw=\"0 0 0 1\"").contains("omit one"));
    assert!(refused("quat_xyzw=\"0 0 0 2\"").contains("length 2"));
    assert!(refused("rpy=\"0 0 0 1\"").contains("expected 3 numbers"));
}

#[test]
fn joints_come_parents_first_and_otherwise_as_in_the_file() {
    let links: String =
        ["a", "b", "c", "d", "e"].map(|name| format!("<link name=\"{name}\"/>")).concat();
    let names = |joints: &[(&str, &str, &str)]| -> Vec<String> {
        let joints: String = joints
            .iter()
            .map(|(name, parent, child)| joint(name, "continuous", parent, child, ""))
            .collect();
        let robot = read(&format!("<robot name=\"r\">{joints}{links}</robot>"));
        (1..robot.skeleton().n_joints())
            .map(|joint| robot.skeleton().name(joint).to_owned())
            .collect()
    };
    let sorted = [("j", "a", "b"), ("k", "a", "c"), ("l", "b", "d"), ("m", "c", "e")];
    assert_eq!(names(&sorted), ["j", "k", "l", "m"]);
    let reversed = [("m", "c", "e"), ("l", "b", "d"), ("k", "a", "c"), ("j", "a", "b")];
    assert_eq!(names(&reversed), ["k", "m", "j", "l"]);
}

#[test]
fn every_link_has_a_frame() {
    let text = format!(
        "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/><link name=\"c\"/>{}{}</robot>",
        joint("j", "continuous", "a", "b", "<origin xyz=\"0 0 1\"/>"),
        joint("k", "planar", "b", "c", "<origin xyz=\"0 0 1\"/>")
    );
    let robot = read(&text);
    assert_eq!(robot.root_link().name, "a");
    let poses = robot.skeleton().poses(&robot.zero_configuration());
    for (link, z) in [("a", 0.0), ("b", 1.0), ("c", 2.0)] {
        assert_eq!(robot.frame(link).unwrap().world(&poses).translation.z, z, "{link}");
    }
    assert!(robot.frame("d").is_none());
    assert_eq!(robot.joints()[1].parent_link, 1);
    let lone = read("<robot name=\"r\"><link name=\"only\"/></robot>");
    assert_eq!((lone.skeleton().n_joints(), lone.skeleton().n_values()), (1, 0));
    assert!(lone.frame("only").is_some());
}

#[test]
fn a_missing_file_is_named_last() {
    let error =
        urdf::read_file(Path::new("no/such.urdf"), &Limits::default(), &mut Warnings::new())
            .unwrap_err();
    assert!(matches!(error, Error::Read { .. }));
    assert!(error.to_string().ends_with(": no/such.urdf"), "{error}");
}

#[test]
fn truncated_and_changed_bytes_never_panic() {
    let text = format!(
        "<?xml version=\"1.0\"?>\n<robot name=\"r\"><!-- c --><link name=\"a\"/><link name=\"b\"/><link name=\"c\"/>{}{}</robot>\n",
        joint(
            "j",
            "revolute",
            "a",
            "b",
            "<origin xyz=\"0 0 1\" rpy=\"0 0 1\"/><axis xyz=\"0 0 1\"/><limit lower=\"-1\" upper=\"1\"/>"
        ),
        joint(
            "k",
            "prismatic",
            "b",
            "c",
            "<limit lower=\"-1\" upper=\"1\"/><mimic joint=\"j\" multiplier=\"2\"/>"
        )
    );
    let check = |bytes: &[u8]| {
        let Ok(robot) = urdf::read_bytes(bytes, &Limits::default(), &mut Warnings::new()) else {
            return 0;
        };
        let poses = robot.skeleton().poses(&robot.skeleton().neutral());
        assert!(poses.iter().all(|pose| pose.is_finite()), "{}", String::from_utf8_lossy(bytes));
        1
    };
    let bytes = text.as_bytes();
    let mut read = 0;
    for at in 0..bytes.len() {
        check(&bytes[..at]);
        read += check(&[&bytes[..at], &bytes[at + 1..]].concat());
        for replacement in
            [b'<', b'>', b'"', b'/', b'&', b'!', b'-', b'9', b'e', b' ', b'j', 0, 0xFF]
        {
            let mut changed = bytes.to_vec();
            changed[at] = replacement;
            read += check(&changed);
        }
    }
    // A fixed sequence of several changes at once.
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).unwrap()
    };
    for _ in 0..3000 {
        let mut changed = bytes.to_vec();
        for _ in 0..=next(4) {
            let (from, to, length) = (next(bytes.len()), next(bytes.len()), next(40));
            let piece = bytes[from..(from + length).min(bytes.len())].to_vec();
            let to = to.min(changed.len());
            changed.splice(to..(to + next(20)).min(changed.len()), piece);
        }
        read += check(&changed);
    }
    assert!(read > 100, "many changes leave a sound file: {read}");
}

/// A row of the table of URDF files in the assets' manifest.
struct Row {
    file: String,
    name: String,
    links: usize,
    joints: usize,
    kinds: Vec<(String, usize)>,
    independent: usize,
    mimic: usize,
    first_link: String,
    last_link: String,
    moving_in_chain: usize,
    tip: DVec3,
}

/// Text between two marks, and what follows the second.
fn between<'t>(text: &'t str, before: &str, after: &str) -> (&'t str, &'t str) {
    let start =
        text.find(before).unwrap_or_else(|| panic!("no `{before}` in `{text}`")) + before.len();
    let length = text[start..].find(after).unwrap_or_else(|| panic!("no `{after}` in `{text}`"));
    (&text[start..start + length], &text[start + length + after.len()..])
}

fn number<T: std::str::FromStr>(text: &str) -> T {
    text.trim().parse().unwrap_or_else(|_| panic!("`{text}` is not a number"))
}

fn parse_row(line: &str) -> Row {
    let (file, rest) = between(line, "`urdf/", "`");
    let (name, rest) = between(rest, "robot `", "`; ");
    let (links, rest) = between(rest, "", " links, ");
    let (joints, rest) = between(rest, "", " joints (");
    let (kinds, rest) = between(rest, "", "); ");
    let (independent, rest) = between(rest, "", " independent");
    let (mimic, rest) = match rest.strip_prefix(", ") {
        Some(rest) => between(rest, "", " mimic"),
        None => ("0", rest),
    };
    let (first_link, rest) = between(rest, "deepest chain `", "` to `");
    let (last_link, rest) = between(rest, "", "`: ");
    let (moving_in_chain, rest) = between(rest, "", " moving joints");
    let (tip, _) = between(rest, "zero-config tip (", ") m");
    let tip: Vec<f64> = tip.split(',').map(number).collect();
    let kinds = kinds.split(", ").map(|kind| kind.split_once(' ').unwrap());
    Row {
        file: file.to_owned(),
        name: name.to_owned(),
        links: number(links),
        joints: number(joints),
        kinds: kinds.map(|(count, kind)| (kind.to_owned(), number(count))).collect(),
        independent: number(independent),
        mimic: number(mimic),
        first_link: first_link.to_owned(),
        last_link: last_link.to_owned(),
        moving_in_chain: number(moving_in_chain),
        tip: DVec3::new(tip[0], tip[1], tip[2]),
    }
}

#[test]
fn every_robot_of_the_assets_agrees_with_the_manifest() {
    let Some(assets) = common::assets() else { return };
    let manifest = std::fs::read_to_string(assets.join("MANIFEST.md")).unwrap();
    let rows: Vec<Row> = manifest
        .lines()
        .filter(|line| line.starts_with("| `urdf/") && line.contains("robot `"))
        .map(parse_row)
        .collect();
    let files = std::fs::read_dir(assets.join("urdf"))
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|end| end == "urdf"))
        .count();
    assert_eq!(rows.len(), files, "the manifest has a row for every file");
    for row in &rows {
        check_row(row, &assets.join("urdf").join(&row.file));
    }
}

fn check_row(row: &Row, path: &Path) {
    let file = &row.file;
    let mut warnings = Warnings::new();
    let robot = urdf::read_file(path, &Limits::default(), &mut warnings)
        .unwrap_or_else(|error| panic!("{file}: {error}"));
    for warning in &warnings {
        println!("{file}: {warning}");
    }
    let skeleton = robot.skeleton();
    assert_eq!(robot.name(), row.name, "{file}");
    assert_eq!(robot.links().len(), row.links, "{file}");
    assert_eq!(robot.joints().len(), row.joints, "{file}");
    for (kind, count) in &row.kinds {
        let found = robot.joints().iter().filter(|joint| joint.kind.name() == kind).count();
        assert_eq!(found, *count, "{file}: {kind}");
    }
    let moving = |joint: &usize| !matches!(skeleton.kind(*joint), JointKind::Fixed);
    let followers =
        (0..skeleton.n_joints()).filter(|&joint| skeleton.mimic(joint).is_some()).count();
    let independent = (0..skeleton.n_joints()).filter(moving).count() - followers;
    assert_eq!(independent, row.independent, "{file}");
    assert_eq!(skeleton.n_dofs(), row.independent, "{file}");
    // A file may have <mimic> on fixed joints, which follow nothing.
    assert!(followers <= row.mimic, "{file}");
    assert_eq!(robot.root_link().name, row.first_link, "{file}");
    let frame = robot.frame(&row.last_link).unwrap();
    let ancestors = std::iter::successors(Some(frame.joint), |&joint| skeleton.parent(joint));
    assert_eq!(ancestors.filter(moving).count(), row.moving_in_chain, "{file}");
    let tip = frame.world(&skeleton.poses(&robot.zero_configuration())).translation;
    assert!((tip - row.tip).abs().max_element() <= 1e-4, "{file}: {tip}, expected {}", row.tip);
}

/// A tool that nobody names: what the fingers of a gripper are on, and the only end that a joint moves.
#[test]
fn the_only_tip_of_robots_of_the_assets() {
    let Some(assets) = common::assets() else { return };
    for (file, tip) in [
        // Beside tool0 a link `base` that no joint moves.
        ("urdf/ur5e.urdf", Some("tool0")),
        // Fingers on a palm, without a frame and with one.
        ("urdf/panda_arm_hand.urdf", Some("panda_hand")),
        ("urdf/panda.urdf", Some("panda_hand_tcp")),
        // A jaw, and a frame on the palm.
        ("mesh_robots/SO101/so101_new_calib.urdf", Some("gripper_frame_link")),
        // Two tools, four feet, and the fingers of a hand without an arm.
        ("urdf/ur5.urdf", None),
        ("urdf/anymal_c.urdf", None),
        ("urdf/allegro_hand_right.urdf", None),
        ("urdf/robotiq_arg2f_85.urdf", None),
    ] {
        let mut warnings = Warnings::new();
        let robot = urdf::read_file(&assets.join(file), &Limits::default(), &mut warnings).unwrap();
        assert_eq!(only_tip(&robot), tip, "{file}");
    }
}
