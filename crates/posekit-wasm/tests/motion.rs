//! Motions on the table: opened, cleaned, edited, posed, and written.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use posekit::glam::DVec3;
use posekit_io::motion::to_bvh;
use posekit_motion::Clip;
use posekit_wasm::motion::{CURVES, Pull, Settings, Table, Target, Which};

const PUPPET: &[u8] = include_bytes!("../../../testdata/figures/puppet.gltf");
const WALK: &[u8] = include_bytes!("../../../testdata/clips/walk.bvh");

fn walk() -> Table {
    Table::open(WALK, "walk.bvh", 0, None).unwrap()
}

fn value(text: &impl serde::Serialize) -> serde_json::Value {
    serde_json::to_value(text).unwrap()
}

fn joint(table: &Table, name: &str) -> usize {
    table.clip(Which::Source).skeleton().find(name).unwrap()
}

fn metric(table: &Table, index: usize) -> (f64, f64) {
    let report = value(&table.report());
    let row = &report["metrics"][index];
    (row["before"].as_f64().unwrap(), row["after"].as_f64().unwrap())
}

#[test]
fn the_walk_says_what_it_is() {
    let info = value(&walk().info());
    assert_eq!(info["format"], "bvh");
    assert_eq!(info["legs"].as_array().unwrap().len(), 2);
    let roles: Vec<&str> =
        info["handles"].as_array().unwrap().iter().map(|h| h["role"].as_str().unwrap()).collect();
    for (role, n) in [("hips", 1), ("foot", 2), ("hand", 2), ("head", 1)] {
        assert_eq!(roles.iter().filter(|&&found| found == role).count(), n, "{role}: {roles:?}");
    }
}

#[test]
fn cleaning_takes_the_drift_away() {
    let mut table = walk();
    let (before, after) = metric(&table, 0);
    assert!(before > 20.0 && after < 1.0, "{before} mm before, {after} mm after");
    table.set(r#"{"isOn": false}"#, None, &[], &[], &[]).unwrap();
    let (before, after) = metric(&table, 0);
    assert_eq!(before.to_bits(), after.to_bits());
    assert_eq!(table.clip(Which::Source), table.clip(Which::Result));
}

#[test]
fn contacts_given_back_hold_as_those_that_were_found() {
    let mut table = walk();
    let contacts = table.contacts().unwrap();
    table.set("{}", Some(&contacts), &[], &[], &[]).unwrap();
    let (_, after) = metric(&table, 1);
    assert!(after < 1.0, "{after} mm");
    let rows = value(&table.report())["plants"].as_array().unwrap().clone();
    assert!(rows.iter().all(|row| row["verdict"] == "held"), "{rows:?}");
}

#[test]
fn a_pull_arrives_and_feet_stay() {
    let mut table = walk();
    let frame = 30;
    let [hand, foot] = ["LeftHand", "LeftFoot"].map(|name| joint(&table, name));
    let skeleton = table.clip(Which::Source).skeleton().clone();
    let before = skeleton.poses(table.configuration(frame).unwrap());
    let target = before[hand].translation + DVec3::new(0.0, 25.0, 10.0);
    let pull = Pull { joint: hand, target: Target::Place(target) };
    let q = table.pull(frame, &[pull], None).unwrap().to_vec();
    let after = skeleton.poses(&q);
    assert!(after[hand].translation.distance(target) < 1e-3);
    assert!(after[foot].translation.distance(before[foot].translation) < 1e-3);
}

#[test]
fn a_pose_that_is_set_is_gone_through() {
    let mut table = walk();
    let frame = 40;
    let hand = joint(&table, "RightHand");
    let skeleton = table.clip(Which::Source).skeleton().clone();
    let from = skeleton.poses(table.configuration(frame).unwrap())[hand].translation;
    let target = from + DVec3::new(0.0, 30.0, 0.0);
    let pull = Pull { joint: hand, target: Target::Place(target) };
    let q = table.pull(frame, &[pull], None).unwrap().to_vec();
    let time = table.clip(Which::Source).time(frame);
    table.set("{}", None, &[time], &q, &[]).unwrap();
    let at = skeleton.poses(table.configuration(frame).unwrap())[hand].translation;
    assert!(at.distance(target) < 0.5, "{}", at.distance(target));
    let (_, worst) = metric(&table, 1);
    assert!(worst < 1.0, "feet drift by {worst} mm");
}

#[test]
fn feet_that_stand_already_stay_when_a_pose_is_set() {
    let cleaned = walk().write("same").unwrap();
    let mut table = Table::open(&cleaned, "walk-clean.bvh", 0, None).unwrap();
    assert_eq!(value(&table.report())["changed"], 0);
    let contacts: serde_json::Value = serde_json::from_str(&table.contacts().unwrap()).unwrap();
    assert_eq!(contacts["contacts"].as_array().unwrap().len(), 17);
    let frame = 40;
    let hips = joint(&table, "Hips");
    let skeleton = table.clip(Which::Source).skeleton().clone();
    let place = skeleton.poses(table.configuration(frame).unwrap())[hips].translation;
    let pull = Pull { joint: hips, target: Target::Place(place - DVec3::new(8.0, 10.0, 0.0)) };
    let q = table.pull(frame, &[pull], None).unwrap().to_vec();
    let time = table.clip(Which::Source).time(frame);
    table.set("{}", None, &[time], &q, &[]).unwrap();
    let moved = skeleton.poses(table.configuration(frame).unwrap())[hips].translation;
    assert!(moved.distance(place) > 10.0);
    let (_, worst) = metric(&table, 1);
    assert!(worst < 1.0, "feet drift by {worst} mm");
}

#[test]
fn a_pose_on_half_of_the_correction_leaves_the_other_half_of_the_path() {
    let mut table = walk();
    let settings = r#"{"strength": 0.5}"#;
    table.set(settings, None, &[], &[], &[]).unwrap();
    let half = table.clip(Which::Result).clone();
    table.set(settings, None, &[half.time(40)], half.frame(40), &[]).unwrap();
    let edited = table.clip(Which::Result);
    let hips = joint(&table, "Hips");
    let at = |clip: &Clip, frame: usize| clip.skeleton().poses(clip.frame(frame))[hips].translation;
    let off = (0..half.n_frames()).map(|frame| at(&half, frame).distance(at(edited, frame)));
    let off = off.fold(0.0, f64::max);
    assert!(off < 2.0, "the hips went on by {off} cm");
}

#[test]
fn hips_that_are_pulled_down_bend_the_knees() {
    let mut table = walk();
    let skeleton = table.clip(Which::Source).skeleton().clone();
    let [hips, foot] = ["Hips", "RightFoot"].map(|name| joint(&table, name));
    let before = skeleton.poses(table.configuration(20).unwrap());
    let target = before[hips].translation - DVec3::Y * 20.0;
    let pull = Pull { joint: hips, target: Target::Place(target) };
    let after = skeleton.poses(table.pull(20, &[pull], None).unwrap());
    assert!(after[hips].translation.distance(target) < 1e-3);
    assert!(after[foot].translation.distance(before[foot].translation) < 1e-3);
}

/// A figure that is carried by a joint between its feet, as characters are that come out of game engines.
fn carried_from_the_floor() -> Table {
    let leg = |side: &str, x: i32| {
        format!(
            "JOINT {side}UpLeg {{ OFFSET {x} 0 0 CHANNELS 3 Zrotation Xrotation Yrotation \
             JOINT {side}Leg {{ OFFSET 0 -43 2 CHANNELS 3 Zrotation Xrotation Yrotation \
             JOINT {side}Foot {{ OFFSET 0 -42 -2 CHANNELS 3 Zrotation Xrotation Yrotation \
             End Site {{ OFFSET 0 -5 12 }} }} }} }}"
        )
    };
    let text = format!(
        "HIERARCHY ROOT Reference {{ OFFSET 0 0 0 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation \
         JOINT Hips {{ OFFSET 0 90 0 CHANNELS 3 Zrotation Xrotation Yrotation \
         JOINT Spine {{ OFFSET 0 20 0 CHANNELS 3 Zrotation Xrotation Yrotation End Site {{ OFFSET 0 40 0 }} }} \
         {} {} }} }} MOTION\nFrames: 2\nFrame Time: 0.04\n{zeros}\n{zeros}\n",
        leg("Left", 9),
        leg("Right", -9),
        zeros = ["0"; 30].join(" "),
    );
    Table::open(text.as_bytes(), "reference.bvh", 0, None).unwrap()
}

#[test]
fn hips_that_are_carried_from_afar_have_the_handle_and_go_with_what_carries_them() {
    let mut table = carried_from_the_floor();
    let skeleton = table.clip(Which::Source).skeleton().clone();
    let [carrier, hips, foot] = ["Reference", "Hips", "LeftFoot"].map(|name| joint(&table, name));
    let handles = value(&table.info())["handles"].clone();
    assert_eq!(handles[0], serde_json::json!({ "joint": hips, "role": "hips" }));
    let before = skeleton.poses(table.configuration(0).unwrap());
    let way = DVec3::new(6.0, -12.0, 3.0);
    let pull = Pull { joint: hips, target: Target::Place(before[hips].translation + way) };
    let after = skeleton.poses(table.pull(0, &[pull], None).unwrap());
    for joint in [carrier, hips] {
        assert!(after[joint].translation.distance(before[joint].translation + way) < 1e-3);
    }
    assert!(after[foot].translation.distance(before[foot].translation) < 1e-3);
    let turned = posekit::math::Pose {
        rotation: before[hips].rotation * posekit::math::so3_exp(DVec3::Y * 0.3),
        translation: before[hips].translation - DVec3::Y * 12.0,
    };
    let pull = Pull { joint: hips, target: Target::Pose(turned) };
    let after = skeleton.poses(table.pull(0, &[pull], None).unwrap());
    assert!(after[hips].translation.distance(turned.translation) < 1e-3);
    assert!(after[hips].rotation.dot(turned.rotation).abs() > 1.0 - 1e-8);
}

#[test]
fn what_is_written_opens_again() {
    let table = walk();
    for format in ["same", "bvh", "glb"] {
        let bytes = table.write(format).unwrap();
        let again = Table::open(&bytes, "again", 0, None).unwrap();
        let [a, b] = [table.clip(Which::Result), again.clip(Which::Source)];
        assert_eq!(a.n_frames(), b.n_frames(), "{format}");
        // A GLB is in metres, the walk in centimetres.
        let unit = if format == "glb" { 100.0 } else { 1.0 };
        for name in ["Hips", "LeftFoot", "RightToeBase", "LeftHand"] {
            let [here, there] = [&table, &again].map(|table| joint(table, name));
            let n = [a, b].map(|clip| clip.skeleton().n_joints());
            let apart = (0..a.n_frames())
                .map(|frame| {
                    let [a, b] = [a, b].map(|clip| clip.skeleton().poses(clip.frame(frame)));
                    a[here].translation.distance(b[there].translation * unit)
                })
                .fold(0.0, f64::max);
            assert!(apart < 1e-2, "{format}: {name} is {apart} cm away, of {n:?} joints");
        }
    }
    assert!(table.write("fbx").is_err());
}

#[test]
fn a_walk_on_the_spot_stays_there_also_when_it_is_edited() {
    let hips = |table: &Table, which: Which, frame: usize| {
        let clip = table.clip(which);
        clip.skeleton().poses(clip.frame(frame))[joint(table, "Hips")].translation
    };
    let walk = walk();
    let clip = walk.clip(Which::Result);
    let n = clip.skeleton().n_values();
    let mut values = clip.values().to_vec();
    // The walk goes along x or z: both are taken off.
    values.chunks_exact_mut(n).for_each(|q| (q[0], q[2]) = (0.0, 0.0));
    let on_the_spot = to_bvh(&clip.with_values(values).unwrap()).unwrap().to_bytes();
    let mut table = Table::open(&on_the_spot, "spot.bvh", 0, None).unwrap();
    let last = table.clip(Which::Source).n_frames() - 1;
    let (before, after) = metric(&table, 0);
    assert!(before > after && after < 1.0, "{before} mm before, {after} mm after");
    let contacts = table.contacts().unwrap();
    table.set("{}", Some(&contacts), &[], &[], &[]).unwrap();
    let (_, after) = metric(&table, 0);
    assert!(after < 1.0, "{after} mm by hand");
    let gone = hips(&table, Which::Result, last).distance(hips(&table, Which::Source, last));
    assert!(gone < 10.0, "it has gone {gone} cm");
}

#[test]
fn curves_and_poses_are_as_long_as_they_say() {
    let table = walk();
    let clip = table.clip(Which::Source);
    let mut out = vec![0.0; clip.n_frames() * CURVES];
    for name in ["Hips", "LeftLeg", "RightFoot"] {
        let joint = joint(&table, name);
        table.curves(Which::Result, joint, &mut out).unwrap();
        let jump =
            |pair: &[f32]| (0..3).map(|k| (pair[k] - pair[CURVES + k]).abs()).fold(0.0, f32::max);
        assert!(out.windows(2 * CURVES).step_by(CURVES).all(|pair| jump(pair) < 60.0), "{name}");
    }
    assert!(table.curves(Which::Result, 999, &mut out).is_err());
    assert!(table.poses(Which::Source, &mut [0.0; 3]).is_err());
}

#[test]
fn a_pose_is_edited_by_the_curves_of_a_joint() {
    let mut table = walk();
    let (arm, hips) = (joint(&table, "LeftArm"), joint(&table, "Hips"));
    let time = table.clip(Which::Source).time(20);
    let q = table.configuration(20).unwrap().to_vec();
    let key = |table: &mut Table, q: &[f64]| table.set("{}", None, &[time], q, &[]).unwrap();
    key(&mut table, &q);
    let mut numbers = table.key_curves(arm).unwrap();
    let same = table.with_curve(&q, arm, &numbers).unwrap();
    assert!(
        q.iter().zip(&same).all(|(a, b)| (a - b).abs() < 1e-12),
        "what is there changes nothing"
    );
    numbers[1] += 50.0;
    let turned = table.with_curve(&q, arm, &numbers).unwrap();
    key(&mut table, &turned);
    let mut out = vec![0.0; table.clip(Which::Source).n_frames() * CURVES];
    table.curves(Which::Result, arm, &mut out).unwrap();
    let apart =
        |found: &[f64]| numbers.iter().zip(found).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let found: Vec<f64> = out[20 * CURVES..21 * CURVES].iter().map(|v| f64::from(*v)).collect();
    assert!(apart(&found[..3]) < 1e-3, "{found:?}, {numbers:?}");
    assert!(
        apart(&table.key_curves(arm).unwrap()) < 1e-6,
        "past a half turn, and not back by a turn"
    );
    let mut placed = table.key_curves(hips).unwrap();
    placed[4] += 12.0;
    let q = table.with_curve(&turned, hips, &placed).unwrap();
    let clip = table.clip(Which::Source);
    let height = |q: &[f64]| clip.skeleton().poses(q)[hips].translation.y;
    assert!((height(&q) - height(&turned) - 12.0).abs() < 1e-9);
    assert!(
        table.with_curve(&q, 999, &placed).is_err() && table.with_curve(&q, hips, &[]).is_err()
    );
    assert!(table.with_curve(&q, hips, &[f64::NAN; CURVES]).is_err());
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let both = [q.clone(), q].concat();
    let mut between = |all: &[&str]| table.set("{}", None, &[0.2, 0.6], &both, &words(all));
    assert!(between(&["linear", "step"]).is_ok());
    assert!(between(&["linear"]).is_err() && between(&["bezier", "step"]).is_err());
}

#[test]
fn faults_say_what_is_wrong_and_change_nothing() {
    let mut table = walk();
    let before = table.clip(Which::Result).clone();
    let refused = [
        table.set(r#"{"strenght": 1}"#, None, &[], &[], &[]),
        table.set(r#"{"strength": 2}"#, None, &[], &[], &[]),
        table.set(r#"{"floor": "lava"}"#, None, &[], &[], &[]),
        table.set("{}", Some("{}"), &[], &[], &[]),
        table.set("{}", None, &[0.0], &[], &[]),
    ];
    assert!(refused.iter().all(Result::is_err));
    assert_eq!(table.clip(Which::Result), &before);
    let unknown = r#"{ "schema": "posekit.contacts/1", "contacts": [ { "joint": "tail", "from": 0, "to": 1, "hold": "position" } ] }"#;
    let error = table.set("{}", Some(unknown), &[], &[], &[]).unwrap_err();
    assert!(error.message.contains("tail") && error.place.is_some(), "{error}");
    let error =
        Table::open(b"HIERARCHY\nROOT hip\n{\nOFFSET 0 0\n", "cut.bvh", 0, None).unwrap_err();
    assert!(error.place.is_some_and(|place| place.line > 0), "a line is named");
    assert!(Table::open(b"Kaydara FBX Binary  ", "x.fbx", 0, None).is_err());
}

#[test]
fn a_character_without_motion_stands_is_posed_and_keeps_its_skin() {
    let still = Table::open(PUPPET, "puppet.gltf", 0, None).unwrap();
    assert_eq!(still.clip(Which::Source).n_frames(), 1);
    for (seconds, frames) in [(1.0, 31), (2.5, 76)] {
        let mut table = Table::open(PUPPET, "puppet.gltf", 0, Some(seconds)).unwrap();
        assert_eq!(table.clip(Which::Source).n_frames(), frames);
        let rest = still.clip(Which::Source);
        let clip = table.clip(Which::Source).clone();
        let skeleton = clip.skeleton();
        for frame in [0, frames - 1] {
            let (poses, at_rest) =
                (skeleton.poses(clip.frame(frame)), rest.skeleton().poses(rest.frame(0)));
            for (joint, pose) in poses.iter().enumerate() {
                let same = rest.skeleton().find(skeleton.name(joint)).unwrap();
                assert!(pose.translation.distance(at_rest[same].translation) < 1e-5);
            }
        }
        // A key in the middle: some joint turns there, and comes back at both ends.
        let joint =
            (1..skeleton.n_joints()).find(|&joint| skeleton.value_range(joint).len() == 4).unwrap();
        let mut q = clip.frame(0).to_vec();
        let range = skeleton.value_range(joint);
        q[range].copy_from_slice(&[0.0, 0.0, 0.6, 0.8]);
        let settings = serde_json::to_string(&Settings { is_on: false, ..Settings::default() });
        table.set(&settings.unwrap(), None, &[0.5 * seconds], &q, &[]).unwrap();
        let written = table.write("same").unwrap();
        let again = Table::open(&written, "again.glb", 0, None).unwrap();
        assert_eq!(again.clip(Which::Source).n_frames(), frames);
        let texts = [PUPPET, &written].map(|bytes| String::from_utf8(bytes.to_vec()).unwrap());
        assert_eq!(texts[0][..600], texts[1][..600], "all else is kept");
        assert!(texts[1].contains("\"skins\"") && texts[1].contains("\"posed\""));
        let middle = again.clip(Which::Source).frame(frames / 2);
        let found = again.clip(Which::Source).skeleton().find(skeleton.name(joint)).unwrap();
        let turned = &middle[again.clip(Which::Source).skeleton().value_range(found)];
        assert!((turned[turned.len() - 2].abs() - 0.6).abs() < 1e-2, "{turned:?}");
    }
    for seconds in [0.0, -1.0, f64::NAN, 1e9] {
        assert!(Table::open(PUPPET, "puppet.gltf", 0, Some(seconds)).is_err(), "{seconds}");
    }
    // A file with clips has its own length.
    let long = Table::open(WALK, "walk.bvh", 0, Some(9.0)).unwrap();
    assert_eq!(long.clip(Which::Source).n_frames(), walk().clip(Which::Source).n_frames());
}
