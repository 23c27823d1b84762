//! `posekit.contacts/1`: what is read, what is refused, and that it comes back bit for bit.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, rotation_about};
use posekit::skeleton::{Frame, Joint, Skeleton};
use posekit_io::{ContactsFile, DEFAULT_EASE};
use posekit_motion::{Contact, Hold, Support, Trajectory};
use proptest::prelude::*;

fn figure() -> Skeleton {
    let hips = Joint::free("hips");
    Skeleton::try_new(vec![hips, Joint::ball("left \"foot\"").child_of(0)]).unwrap()
}

fn file(contact: &str) -> String {
    format!("{{ \"schema\": \"posekit.contacts/1\",\n  \"contacts\": [ {{ {contact} }} ] }}")
}

fn refused(contact: &str) -> String {
    ContactsFile::from_json(&file(contact)).unwrap_err().to_string()
}

#[test]
fn what_is_left_out_has_its_default() {
    let text = file(r#""joint": "hips", "from": 1, "to": 1, "hold": "position""#);
    let contacts = ContactsFile::from_json(&text).unwrap().to_contacts(&figure()).unwrap();
    let frame = figure().frame(0);
    let (ease_in, ease_out) = (DEFAULT_EASE, DEFAULT_EASE);
    let hold = Hold::Position(None);
    let on = Support::World;
    assert_eq!(contacts, [Contact { frame, from: 1.0, to: 1.0, hold, on, ease_in, ease_out }]);
    let none = r#"{ "schema": "posekit.contacts/1", "contacts": [] }"#;
    assert_eq!(ContactsFile::from_json(none).unwrap(), ContactsFile::default());
}

#[test]
fn faults_are_named_with_their_place() {
    let good = r#""joint": "hips", "from": 1, "to": 2"#;
    for (more, words) in [
        (r#", "hold": "grip""#, "contacts[0].hold, line 2"),
        (r#", "hold": "position", "normal": [0, 1, 0]"#, "contacts[0].normal, line 2"),
        (r#", "hold": "position", "rotation": [0, 0, 0, 1]"#, "no meaning for the hold `position`"),
        (r#", "hold": "pose", "at": [0, 1, 0]"#, "`at` and `rotation`, or neither"),
        (r#", "hold": "pose", "at": [0, 1, 0], "rotation": [0, 0, 0, 2]"#, "length 2"),
        (r#", "hold": "surface", "at": [0, 1, 0]"#, "`normal` is missing"),
        (r#", "hold": "surface", "at": [0, 1, 0], "normal": [0, 0, 0]"#, "has no direction"),
        (r#", "hold": "position", "ease_in": -1"#, "must not be negative"),
        (r#", "hold": "position", "at": [0, 1]"#, "expected 3 numbers"),
        (r#", "hold": "position", "at": [0, 1, 1e101]"#, "largest number allowed"),
        (r#", "hold": "position", "until": 3"#, "unknown field `until`"),
        (r#", "hold": "position", "from": 3"#, "duplicate field `from`"),
        (r#", "hold": "position", "on": []"#, "contacts[0].on, line 2"),
        (r#", "hold": "position", "on": [ { "time": 1 } ]"#, "`at` is missing"),
        (
            r#", "hold": "position", "on": [ { "time": 1, "at": [0, 0, 0] }, { "time": 1, "at": [0, 0, 0] } ]"#,
            "contacts[0].on[1].time, line 2",
        ),
        ("", "`hold` is missing"),
    ] {
        let message = refused(&format!("{good}{more}"));
        assert!(message.contains(words), "{more}: {message}");
    }
    let message = refused(r#""joint": "hips", "from": 2, "to": 1, "hold": "position""#);
    assert!(
        message.contains("contacts[0].to, line 2") && message.contains("ends at 1 s"),
        "{message}"
    );
    let other = r#"{ "schema": "posekit.contacts/2", "contacts": [] }"#;
    assert!(
        ContactsFile::from_json(other).unwrap_err().to_string().contains("contacts/2"),
        "version"
    );
}

#[test]
fn a_joint_that_is_not_there_is_named_with_its_line() {
    let text = file(r#""joint": "tail", "from": 1, "to": 2, "hold": "position""#);
    let file = ContactsFile::from_json(&text).unwrap();
    let error = file.to_contacts(&figure()).unwrap_err().located_in(&text);
    assert_eq!(error.to_string(), "contacts[0].joint, line 2, column 28: there is no joint `tail`");
    let text =
        self::file(r#""joint": "hips", "from": 1, "to": 2, "hold": "position", "on": "tail""#);
    let on_tail = ContactsFile::from_json(&text).unwrap();
    let error = on_tail.to_contacts(&figure()).unwrap_err().located_in(&text).to_string();
    assert!(error.starts_with("contacts[0].on, line 2") && error.ends_with("`tail`"), "{error}");
    let elsewhere = Contact {
        frame: Frame::new(7, Pose::IDENTITY),
        from: 0.0,
        to: 1.0,
        hold: Hold::Position(None),
        on: Support::World,
        ease_in: 0.0,
        ease_out: 0.0,
    };
    let on_nothing =
        Contact { frame: figure().frame(0), on: Support::Joint(7), ..elsewhere.clone() };
    for contact in [elsewhere, on_nothing] {
        assert!(ContactsFile::from_contacts(&[contact], &figure()).is_err(), "joint 7");
    }
}

fn vector() -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(-1e3..1e3).prop_map(DVec3::from_array)
}

fn turn() -> impl Strategy<Value = DQuat> {
    (vector(), -7.0..7.0)
        .prop_map(|(axis, angle)| rotation_about(axis.normalize_or(DVec3::X), angle))
}

fn contact() -> impl Strategy<Value = Contact> {
    let pose = || (turn(), vector()).prop_map(|(turn, place)| Pose::new(turn, place));
    let hold = prop_oneof![
        prop::option::of(vector()).prop_map(Hold::Position),
        prop::option::of(pose()).prop_map(Hold::Pose),
        (vector(), vector()).prop_map(|(point, normal)| Hold::Surface { point, normal }),
    ];
    let times = (-10.0..10.0, 0.0..10.0, 0.0..1.0, 0.0..1.0);
    let on = prop_oneof![
        Just(Support::World),
        Just(Support::Joint(0)),
        prop::collection::vec((0.001..1.0, pose()), 1..4).prop_map(|keys| {
            let mut time = -1.0;
            let times = keys.iter().map(|(more, _)| {
                time += more;
                time
            });
            let (times, poses) = (times.collect(), keys.iter().map(|(_, pose)| *pose).collect());
            Support::Moving(Trajectory::try_new(times, poses).unwrap().into())
        }),
    ];
    (0_usize..2, pose(), hold, on, times).prop_map(
        |(joint, offset, hold, on, (from, more, ease_in, ease_out))| {
            let frame = Frame::new(joint, offset);
            Contact { frame, from, to: from + more, hold, on, ease_in, ease_out }
        },
    )
}

proptest! {
    #[test]
    fn contacts_come_back_bit_for_bit(contacts in prop::collection::vec(contact(), 0..5)) {
        let file = ContactsFile::from_contacts(&contacts, &figure()).unwrap();
        let text = file.to_json().unwrap();
        let read = ContactsFile::from_json(&text).unwrap();
        prop_assert_eq!(&read, &file);
        prop_assert_eq!(read.to_json().unwrap(), text);
        prop_assert_eq!(read.to_contacts(&figure()).unwrap(), contacts);
    }
}
