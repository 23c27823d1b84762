//! BVH files as skeletons: kinds of joints, names, what channels cannot hold, and angles that go on without jumps.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use posekit::glam::DVec3;
use posekit::math::{rotation_about, so3_log};
use posekit::skeleton::JointKind;
use posekit_io::bvh::{self, Convention, File, Options, Positions, Rig};
use posekit_io::{Limits, Warnings};

/// A file of one root with this offset and these channels, and rows.
fn file(offset: &str, channels: &str, rows: &[&str]) -> File {
    let text = format!(
        "HIERARCHY\nROOT hip\n{{\nOFFSET {offset}\nCHANNELS {channels}\n}}\nMOTION\nFrames: {}\nFrame Time: 0.1\n{}\n",
        rows.len(),
        rows.join("\n")
    );
    let warnings = &mut Warnings::new();
    bvh::read_bytes(text.as_bytes(), &Options::strict(), &Limits::default(), warnings).unwrap()
}

fn rig(file: &File, convention: Convention) -> Rig {
    Rig::try_new(file, &convention, &mut Warnings::new()).unwrap()
}

fn plain(file: &File) -> Rig {
    rig(file, Convention::default())
}

#[test]
fn b8_a_joint_is_of_the_kind_that_holds_its_channels() {
    for (channels, kind) in [
        ("0", JointKind::Fixed),
        ("1 Yrotation", JointKind::Revolute { axis: DVec3::Y }),
        ("1 Zposition", JointKind::Prismatic { axis: DVec3::Z }),
        ("2 Zrotation Xrotation", JointKind::Ball),
        ("3 Zrotation Xrotation Yrotation", JointKind::Ball),
        ("2 Xposition Yposition", JointKind::Free),
        ("2 Xposition Yrotation", JointKind::Free),
        ("4 Xposition Yposition Zposition Yrotation", JointKind::Free),
        ("6 Xposition Yposition Zposition Zrotation Xrotation Yrotation", JointKind::Free),
    ] {
        let rig = plain(&file("0 1 0", channels, &[]));
        assert_eq!(rig.skeleton().kind(0), kind, "{channels}");
        let poses = rig.skeleton().poses(&rig.skeleton().neutral());
        assert_eq!(poses[0].translation, DVec3::Y, "{channels}: at rest at its offset");
    }
}

#[test]
fn b8_any_channels_hold_what_they_said() {
    for (channels, row) in [
        ("1 Yrotation", "400"),
        ("1 Zposition", "-3.5"),
        ("2 Zrotation Xrotation", "190 100"),
        ("2 Xrotation Zrotation", "-20 -170"),
        ("2 Yposition Xrotation", "7 -200"),
        ("4 Zrotation Xposition Yrotation Xrotation", "10 1 200 30"),
        ("5 Xposition Yposition Zposition Yrotation Zrotation", "1 2 3 170 -95"),
        ("6 Zrotation Xrotation Yrotation Zposition Yposition Xposition", "10 20 30 4 5 6"),
    ] {
        let file = file("1 2 3", channels, &[row]);
        for rule in [Positions::FromOffset, Positions::FromParent] {
            let convention = Convention::default().with_positions(rule).with_metres_per_unit(0.01);
            let rig = rig(&file, convention);
            let q = rig.configurations(&file);
            let (values, loss) = rig.rows(&q, file.frame(0)).unwrap();
            assert!(loss.angle < 1e-7 && loss.distance == 0.0, "{channels}: {loss:?}");
            for (found, value) in values.iter().zip(file.values()) {
                assert!((found - value).abs() < 1e-5, "{channels}: {values:?}");
            }
        }
    }
}

#[test]
fn what_channels_cannot_hold_is_measured() {
    let file = file("0 0 0", "3 Xposition Zposition Yrotation", &["0 0 0"]);
    let rig = plain(&file);
    let mut q = vec![1.0, -0.25, 2.0, 0.0, 0.0, 0.0, 1.0];
    let tilt = rotation_about(DVec3::Y, 0.5) * rotation_about(DVec3::X, 0.1);
    q[3..].copy_from_slice(&tilt.to_array());
    let mut row = [0.0; 3];
    let loss = rig.row(&q, &[0.0; 3], &mut row);
    assert_eq!((row[0], row[1], loss.distance), (1.0, 2.0, 0.25));
    assert!((loss.angle - 0.1).abs() < 1e-9, "{}", loss.angle);
    assert!((row[2].to_radians() - 0.5).abs() < 1e-9, "{row:?}");
}

#[test]
fn b13_the_middle_turn_at_a_right_angle_keeps_its_pose_and_its_angles() {
    let rows = ["10 89 20", "10 90 20", "10.5 90 20.5", "11 91 21", "11 90 -21", "0 -90 170"];
    let file = file("0 0 0", "3 Zrotation Xrotation Yrotation", &rows);
    let rig = plain(&file);
    let q = rig.configurations(&file);
    let (values, _) = rig.rows(&q, file.frame(0)).unwrap();
    let again = rig.configurations(&file.with_values(values.clone()).unwrap());
    for frame in 0..rows.len() {
        let pose = |q: &[f64]| rig.skeleton().motion(0, &q[4 * frame..4 * frame + 4]).rotation;
        assert!(so3_log(pose(&q).inverse() * pose(&again)).length() < 1e-8, "frame {frame}");
    }
    for frame in 0..4 {
        for channel in 0..3 {
            let off = values[3 * frame + channel] - file.frame(frame)[channel];
            assert!(off.abs() < 1e-6, "frame {frame}: {:?}", &values[3 * frame..3 * frame + 3]);
        }
    }
    // 11 + -21 is what counts; both outer turns go half of the way, or the other way with the opposite middle.
    let locked = &values[12..15];
    assert!((locked[0] - 11.0).abs() < 21.5 && (locked[2] - 21.0).abs() < 21.5, "{locked:?}");
}

#[test]
fn b13_no_jumps_where_the_file_has_them() {
    let rows = ["179 0 0", "-179 0 0", "-177 0 0", "5 180 180", "7 180 180", "9 180 -180"];
    let file = file("0 0 0", "3 Zrotation Xrotation Yrotation", &rows);
    let rig = plain(&file);
    let (values, _) = rig.rows(&rig.configurations(&file), file.frame(0)).unwrap();
    // (5, 180, 180) is (185, 0, 0) in other words, and goes on from 183.
    for (frame, expected) in [179.0, 181.0, 183.0, 185.0, 187.0, 189.0].into_iter().enumerate() {
        let row = &values[3 * frame..3 * frame + 3];
        let off = [row[0] - expected, row[1], row[2]];
        assert!(off.iter().all(|off| off.abs() < 1e-9), "frame {frame}: {row:?}");
    }
}

#[test]
fn b13_a_hinge_goes_on_turning() {
    let file = file("0 0 0", "1 Xrotation", &["170", "-170", "-100", "20", "130"]);
    let rig = plain(&file);
    let (values, _) = rig.rows(&rig.configurations(&file), file.frame(0)).unwrap();
    for (value, expected) in values.iter().zip([170.0, 190.0, 260.0, 380.0, 490.0]) {
        assert!((value - expected).abs() < 1e-9, "{values:?}");
    }
}

#[test]
fn decimals_of_a_file_come_back_to_the_bit_and_made_ones_are_short() {
    let channels = "6 Xposition Yposition Zposition Zrotation Xrotation Yrotation";
    let rows = ["4.52346 -0.1 1234.5678 10.518065 -33.4662 71.86223", "0.3 7 8.1 1e-3 2.7 -0.7"];
    let file = file("0.1 0.2 0.3", channels, &rows);
    for rule in [Positions::FromParent, Positions::FromOffset] {
        let convention =
            Convention::default().with_positions(rule).with_metres_per_unit(0.05644444444444444);
        let rig = rig(&file, convention);
        let (values, _) = rig.rows(&rig.configurations(&file), file.frame(0)).unwrap();
        assert_eq!(values, file.values(), "{rule:?}");
        let mut q = rig.configurations(&file);
        q[0] += 1.0 / 3.0;
        let (values, _) = rig.rows(&q, file.frame(0)).unwrap();
        let text = String::from_utf8(file.with_values(values).unwrap().to_bytes()).unwrap();
        let longest = text.split_whitespace().filter_map(|word| word.split_once('.'));
        let longest = longest.map(|(_, decimals)| decimals.len()).max();
        assert_eq!(longest, Some(8), "{text}");
    }
}

#[test]
fn rotation_first_roots_are_not_moved_by_their_turns() {
    let turned = file(
        "0 0 0",
        "6 Zrotation Xrotation Yrotation Xposition Yposition Zposition",
        &["90 0 0 1 2 3"],
    );
    let rig = plain(&turned);
    let poses = rig.skeleton().poses(&rig.configurations(&turned));
    assert_eq!(poses[0].translation, DVec3::new(1.0, 2.0, 3.0));
}

#[test]
fn positions_by_both_rules_and_units() {
    let file = file("0 100 0", "3 Xposition Yposition Yrotation", &["1 98 0"]);
    let stands = |rule, unit| {
        let convention = Convention::default().with_positions(rule).with_metres_per_unit(unit);
        let rig = rig(&file, convention);
        rig.skeleton().poses(&rig.configurations(&file))[0].translation
    };
    assert_eq!(stands(Positions::FromOffset, 1.0), DVec3::new(1.0, 198.0, 0.0));
    assert_eq!(stands(Positions::FromParent, 1.0), DVec3::new(1.0, 98.0, 0.0));
    let small = stands(Positions::FromParent, 0.01);
    assert!((small - DVec3::new(0.01, 0.98, 0.0)).length() < 1e-15, "{small}");
    for unit in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let convention = Convention::default().with_metres_per_unit(unit);
        let error = Rig::try_new(&file, &convention, &mut Warnings::new()).unwrap_err();
        assert!(error.to_string().contains("metres_per_unit"), "{error}");
    }
}

#[test]
fn b10_leaves_have_tips_and_b11_names_are_given_once() {
    let text = b"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 0\nEnd Site\n{\nOFFSET 0 0 4\n}\nJOINT a\n{\nOFFSET 0 1 0\nCHANNELS 0\n}\nJOINT\n{\nOFFSET 0 2 0\nCHANNELS 0\nJOINT \xFF\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\nJOINT \xFE\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\n}\n}\nMOTION\nFrames: 0\nFrame Time: 1\n";
    let mut warnings = Warnings::new();
    let file =
        bvh::read_bytes(text, &Options::strict(), &Limits::default(), &mut warnings).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    let rig = Rig::try_new(&file, &Convention::default(), &mut warnings).unwrap();
    let names: Vec<&str> = (0..5).map(|joint| rig.skeleton().name(joint)).collect();
    assert_eq!(names, ["a", "a (joint 2)", "joint 3", "\u{FFFD}", "\u{FFFD} (joint 5)"]);
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    let tips: Vec<(usize, usize, f64)> = rig
        .tips()
        .iter()
        .map(|tip| (tip.node, tip.frame.joint, tip.frame.joint_from_frame.translation.z))
        .collect();
    assert_eq!(tips, [(1, 0, 4.0), (2, 1, 0.0), (4, 3, 0.0), (5, 4, 0.0)]);
    assert_eq!((rig.joint(0), rig.joint(1), rig.joint(2)), (Some(0), None, Some(1)));
    assert_eq!(rig.node(2), 3);
}

#[test]
fn lengths_that_do_not_fit_are_refused_or_left_alone() {
    let own = file("0 0 0", "3 Zrotation Xrotation Yrotation", &["1 2 3"]);
    let other = file("0 0 0", "1 Zrotation", &["1"]);
    let rig = plain(&own);
    assert!(rig.configurations(&other).is_empty(), "another file");
    assert!(rig.rows(&[0.0; 5], &[0.0; 3]).is_err(), "no whole configurations");
    assert!(rig.rows(&[0.0; 4], &[0.0; 2]).is_err(), "not a whole number of rows");
    let mut q = [9.0; 4];
    rig.configuration(&[0.0; 2], &mut q);
    assert_eq!(q, [9.0; 4]);
    let mut row = [9.0; 2];
    let _ = rig.row(&[0.0; 4], &[0.0; 3], &mut row);
    assert_eq!(row, [9.0; 2]);
}
