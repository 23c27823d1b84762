//! Contacts hold on figures of a program: exactly where they can be reached, with the least change, and nothing else moves.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use core::ops::RangeInclusive;

use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, atan2, rotation_about, sin, so3_log};
use posekit::skeleton::{Frame, Joint, Skeleton};
use posekit_motion::Error;
use posekit_motion::{
    CleanSettings, Clip, Contact, Held, Hold, HoldSettings, Limb, Support, Trajectory, Verdict,
    clean, hold,
};

const RATE: f64 = 60.0;
const FRAMES: usize = 120;

/// Which kind of knees and ankles a figure has.
#[derive(Clone, Copy, PartialEq)]
enum Knee {
    Ball,
    Hinge,
    Free,
}

/// A figure of 14 joints: hips, spine, neck and head; legs with balls of feet; arms.
fn figure(knee: Knee) -> Skeleton {
    figure_with(knee, DVec3::new(0.0, -0.06, 0.13))
}

/// The same with toes that are elsewhere.
fn figure_with(knee: Knee, toes: DVec3) -> Skeleton {
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(DVec3::new(x, y, z));
    let bend = |name: &str| match knee {
        Knee::Ball => Joint::ball(name),
        Knee::Hinge => Joint::revolute(name, DVec3::X),
        Knee::Free => Joint::free(name),
    };
    let foot = |name: &str| if knee == Knee::Free { Joint::free(name) } else { Joint::ball(name) };
    let mut joints =
        vec![Joint::free("hips"), Joint::ball("spine").child_of(0).at(at(0.0, 0.2, 0.0))];
    joints.push(Joint::ball("neck").child_of(1).at(at(0.0, 0.3, 0.0)));
    joints.push(Joint::ball("head").child_of(2).at(at(0.0, 0.15, 0.0)));
    for (side, x) in [("left", 1.0), ("right", -1.0)] {
        let leg = joints.len();
        joints.push(Joint::ball(format!("{side} thigh")).child_of(0).at(at(0.1 * x, 0.0, 0.0)));
        joints.push(bend(&format!("{side} shin")).child_of(leg).at(at(0.0, -0.42, 0.0)));
        joints.push(foot(&format!("{side} foot")).child_of(leg + 1).at(at(0.0, -0.43, 0.0)));
        joints.push(
            Joint::ball(format!("{side} toes")).child_of(leg + 2).at(at(toes.x, toes.y, toes.z)),
        );
        let arm = joints.len();
        joints.push(Joint::ball(format!("{side} arm")).child_of(1).at(at(0.2 * x, 0.25, 0.0)));
        joints.push(Joint::ball(format!("{side} forearm")).child_of(arm).at(at(
            0.28 * x,
            0.0,
            0.0,
        )));
        joints.push(Joint::ball(format!("{side} hand")).child_of(arm + 1).at(at(
            0.25 * x,
            0.0,
            0.0,
        )));
    }
    Skeleton::try_new(joints).unwrap()
}

fn leg(skeleton: &Skeleton, side: &str) -> Limb {
    let find = |part: &str| skeleton.find(&format!("{side} {part}")).unwrap();
    Limb { start: find("thigh"), mid: find("shin"), end: find("foot") }
}

/// A walk that skates: hips go on at one metre a second while the legs swing as they like.
fn walk(knee: Knee) -> Clip {
    let skeleton = figure(knee);
    let n = skeleton.n_values();
    let mut values = skeleton.neutral().repeat(FRAMES);
    for (frame, q) in values.chunks_mut(n).enumerate() {
        let t = frame as f64 / RATE;
        let hips = DVec3::new(0.02 * sin(5.0 * t), 0.86 + 0.02 * sin(11.0 * t), t);
        q[..3].copy_from_slice(&hips.to_array());
        let mut turn = |name: &str, turn: DQuat, angle: f64| {
            let range = skeleton.value_range(skeleton.find(name).unwrap());
            if range.len() == 1 {
                q[range.start] = angle;
            } else {
                q[range.end - 4..range.end].copy_from_slice(&turn.to_array());
            }
        };
        for (side, phase) in [("left", 0.0), ("right", 3.1)] {
            let swing = 0.4 * sin(5.5 * t + phase);
            let bend = 0.5 + 0.3 * sin(5.5 * t + phase + 1.0);
            let twist = rotation_about(DVec3::Y, 0.1 * sin(3.0 * t));
            turn(&format!("{side} thigh"), rotation_about(DVec3::X, -0.3 - swing) * twist, 0.0);
            turn(&format!("{side} shin"), rotation_about(DVec3::X, bend), bend);
            turn(&format!("{side} foot"), rotation_about(DVec3::X, swing - 0.2), 0.0);
            turn(&format!("{side} arm"), rotation_about(DVec3::Z, 0.5 * swing), 0.0);
            turn(&format!("{side} forearm"), rotation_about(DVec3::Y, 0.4 + 0.2 * swing), 0.0);
        }
        turn("spine", rotation_about(DVec3::Y, 0.1 * sin(5.5 * t)), 0.0);
    }
    Clip::try_new(skeleton, 1.0 / RATE, values).unwrap()
}

fn contact(joint: usize, from: f64, to: f64, hold: Hold) -> Contact {
    let frame = Frame::new(joint, Pose::IDENTITY);
    Contact { frame, from, to, hold, on: Support::World, ease_in: 0.15, ease_out: 0.2 }
}

fn legs(clip: &Clip) -> HoldSettings {
    let legs = ["left", "right"].map(|side| leg(clip.skeleton(), side)).to_vec();
    HoldSettings { legs, ..HoldSettings::default() }
}

fn joint(clip: &Clip, name: &str) -> usize {
    clip.skeleton().find(name).unwrap()
}

fn pose(clip: &Clip, frame: usize, joint: usize) -> Pose {
    clip.skeleton().poses(clip.frame(frame))[joint]
}

/// Frames that differ in any bit.
fn changed(a: &Clip, b: &Clip) -> Vec<usize> {
    (0..a.n_frames()).filter(|frame| a.frame(*frame) != b.frame(*frame)).collect()
}

fn largest_step(held: &Held, source: &Clip, joint: usize) -> f64 {
    let shift =
        |frame| pose(&held.clip, frame, joint).translation - pose(source, frame, joint).translation;
    (1..source.n_frames()).map(|frame| shift(frame).distance(shift(frame - 1))).fold(0.0, f64::max)
}

#[test]
fn a_foot_stays_and_the_rest_of_the_clip_keeps_its_bits() {
    for knee in [Knee::Ball, Knee::Hinge, Knee::Free] {
        let clip = walk(knee);
        let foot = joint(&clip, "left foot");
        let held =
            hold(&clip, &[contact(foot, 0.8, 1.1, Hold::Position(None))], &legs(&clip)).unwrap();
        let report = &held.contacts[0];
        assert_eq!(report.frames, 48..67);
        assert!(report.residual < 1e-9 && report.missed.is_empty(), "{report:?}");
        let first = pose(&held.clip, 48, foot).translation;
        for frame in 48..67 {
            assert!(pose(&held.clip, frame, foot).translation.distance(first) < 1e-9);
            // The foot keeps its direction in the world.
            let (now, was) = (pose(&held.clip, frame, foot), pose(&clip, frame, foot));
            assert!(so3_log(now.rotation * was.rotation.conjugate()).length() < 1e-9);
        }
        // Half a second around the contact is all that the root takes to come and go.
        let frames = changed(&clip, &held.clip);
        assert!(frames[0] > 0 && *frames.last().unwrap() < 119, "{frames:?}");
        for name in ["spine", "head", "right thigh", "right foot", "left hand", "left toes"] {
            assert!(!held.changed.contains(&joint(&clip, name)), "{name} changed");
        }
    }
}

#[test]
fn heel_and_ball_hold_together() {
    let clip = walk(Knee::Ball);
    let (foot, toes) = (joint(&clip, "left foot"), joint(&clip, "left toes"));
    let (heel, way) = (pose(&clip, 55, foot).translation, DVec3::new(0.1, -0.3, 1.0));
    let ball = heel + way * (DVec3::new(0.0, -0.06, 0.13).length() / way.length());
    let contacts = [
        contact(foot, 0.8, 1.0, Hold::Position(Some(heel))),
        contact(toes, 0.9, 1.15, Hold::Position(Some(ball))),
    ];
    let held = hold(&clip, &contacts, &legs(&clip)).unwrap();
    for report in &held.contacts {
        assert!(report.residual < 1e-9, "{report:?}");
    }
    assert_eq!(held.contacts[1].limb, Some(leg(clip.skeleton(), "left")));
    // No frame jumps: the correction of about 0.4 m comes in nine frames, by a curve whose steepest part is 1.9 times its mean.
    let step = largest_step(&held, &clip, toes);
    assert!(step < 0.09, "{step}");
}

/// A figure on legs that are all but straight, and are no two straight alike; it slides, and its hips sway a little.
fn slide(rate: f64) -> Clip {
    let skeleton = figure(Knee::Ball);
    let (n, n_frames) = (skeleton.n_values(), 61);
    let mut values = skeleton.neutral().repeat(n_frames);
    for (frame, q) in values.chunks_mut(n).enumerate() {
        let t = frame as f64 / rate;
        let hips = DVec3::new(0.004 * sin(7.0 * t), 0.85, 0.05 * t);
        q[..3].copy_from_slice(&hips.to_array());
        // A two-hundredth of a millimetre at the hips.
        let sway = rotation_about(DVec3::Z, 5e-5 * sin(83.0 * t));
        q[3..7].copy_from_slice(&sway.to_array());
        for (side, phase) in [("left", 0.0), ("right", 1.3)] {
            let bend = 0.9 + 0.3 * sin(4.0 * t + phase) + 0.02 * sin(61.0 * t + phase);
            let bend = bend.to_radians();
            for (part, angle) in [("thigh", -0.5 * bend), ("shin", bend), ("foot", -0.5 * bend)] {
                let range = skeleton.value_range(joint_of(&skeleton, &format!("{side} {part}")));
                let turn = rotation_about(DVec3::X, angle);
                q[range.end - 4..range.end].copy_from_slice(&turn.to_array());
            }
        }
    }
    Clip::try_new(skeleton, 1.0 / rate, values).unwrap()
}

fn joint_of(skeleton: &Skeleton, name: &str) -> usize {
    skeleton.find(name).unwrap()
}

/// The largest second difference of the angles of both knees.
fn roughness(clip: &Clip) -> f64 {
    let angle = |frame: usize, side: &str| {
        let Limb { start, mid, end } = leg(clip.skeleton(), side);
        let [a, b, c] = [start, mid, end].map(|joint| pose(clip, frame, joint).translation);
        atan2((b - a).cross(c - b).length(), (b - a).dot(c - b))
    };
    let of_knee = |side: &str| {
        let angles: Vec<f64> = (0..clip.n_frames()).map(|frame| angle(frame, side)).collect();
        angles.windows(3).map(|w| (w[0] - 2.0 * w[1] + w[2]).abs()).fold(0.0, f64::max)
    };
    of_knee("left").max(of_knee("right"))
}

#[test]
fn straight_knees_do_not_tremble() {
    for rate in [30.0, 60.0, 120.0] {
        let clip = slide(rate);
        let middle = clip.n_frames() / 2;
        let contacts = ["left foot", "right foot"].map(|name| {
            let place = pose(&clip, middle, joint(&clip, name)).translation;
            contact(joint(&clip, name), 0.0, clip.duration(), Hold::Position(Some(place)))
        });
        let held = hold(&clip, &contacts, &legs(&clip)).unwrap();
        for report in &held.contacts {
            assert!(report.residual < 1e-9, "{report:?}");
        }
        // A straight knee turns a hundredth of a millimetre at the hips into a third of a degree; nobody sees less than a fifth of one.
        let after = roughness(&held.clip).to_degrees();
        assert!(after < 0.2, "at {rate} Hz knees tremble by {after} degrees");
        let hips = |clip: &Clip, frame| pose(clip, frame, 0).translation;
        let sunk = (0..clip.n_frames()).map(|k| hips(&clip, k).y - hips(&held.clip, k).y);
        let sunk = sunk.fold(0.0, f64::max);
        assert!(sunk < 0.005, "at {rate} Hz the hips sink by {sunk}");
    }
}

#[test]
fn a_hand_holds_a_pose_and_the_hips_stay() {
    let clip = walk(Knee::Ball);
    let hand = joint(&clip, "right hand");
    let mut target = pose(&clip, 60, hand);
    target.translation.y += 0.05;
    target.rotation = rotation_about(DVec3::Y, 0.5) * target.rotation;
    let target = Pose { rotation: -target.rotation, ..target };
    let held =
        hold(&clip, &[contact(hand, 0.95, 1.05, Hold::Pose(Some(target)))], &legs(&clip)).unwrap();
    let report = &held.contacts[0];
    assert!(report.residual < 1e-9 && report.angle < 1e-9, "{report:?}");
    let arm: Vec<usize> =
        ["right arm", "right forearm", "right hand"].map(|name| joint(&clip, name)).to_vec();
    assert!(arm.iter().all(|joint| held.changed.contains(joint)));
    for (frame, q) in clip.values().chunks(clip.skeleton().n_values()).enumerate() {
        let now = &held.clip.frame(frame)[..3];
        let off = now.iter().zip(&q[..3]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 2e-2, "frame {frame}: the hips went {off}");
    }
}

#[test]
fn a_surface_may_be_slid_along() {
    let clip = walk(Knee::Ball);
    let foot = joint(&clip, "right foot");
    let point = DVec3::new(0.0, 0.12, 0.0);
    let plane = Hold::Surface { point, normal: DVec3::new(0.0, 2.0, 0.2) };
    let held = hold(&clip, &[contact(foot, 0.5, 1.2, plane)], &legs(&clip)).unwrap();
    assert!(held.contacts[0].residual < 1e-9, "{:?}", held.contacts[0]);
    let normal = DVec3::new(0.0, 2.0, 0.2) / DVec3::new(0.0, 2.0, 0.2).length();
    let along = |frame: usize| {
        let (now, was) = (pose(&held.clip, frame, foot), pose(&clip, frame, foot));
        let shift = now.translation - was.translation;
        shift - normal * shift.dot(normal)
    };
    assert!((30..73).all(|frame| along(frame).length() < 1e-9), "it slides as it did");
}

#[test]
fn l26_feet_farther_apart_than_the_legs_reach() {
    let clip = walk(Knee::Ball);
    let [left, right] = ["left foot", "right foot"].map(|name| joint(&clip, name));
    let middle = pose(&clip, 60, 0).translation;
    let at = |x: f64| Hold::Position(Some(DVec3::new(x, 0.1, middle.z)));
    let contacts = [contact(left, 0.8, 1.2, at(1.1)), contact(right, 0.8, 1.2, at(-1.1))];
    let held = hold(&clip, &contacts, &legs(&clip)).unwrap();
    for report in &held.contacts {
        assert_eq!(report.missed.len(), report.frames.len(), "every frame is named");
        assert!(report.residual > 0.1);
    }
    // Both are missed by about as much, and the root goes there without a jump.
    let misses = [held.contacts[0].residual, held.contacts[1].residual];
    assert!((misses[0] - misses[1]).abs() < 0.15, "{misses:?}");
    let step = largest_step(&held, &clip, 0);
    assert!(step < 0.2, "the root jumps by {step}");
    assert!(held.clip.values().iter().all(|value| value.is_finite()));
}

#[test]
fn bones_grow_only_where_they_may() {
    let clip = walk(Knee::Free);
    let foot = joint(&clip, "left foot");
    let hip = pose(&clip, 60, joint(&clip, "left thigh")).translation;
    let target = hip + DVec3::new(0.0, -0.86, 0.0);
    let contacts = [contact(foot, 0.98, 1.02, Hold::Position(Some(target)))];
    let rigid = HoldSettings { root_stiffness: 1e9, ..legs(&clip) };
    let elastic = HoldSettings { max_stretch: 0.02, ..rigid.clone() };
    let bone = |clip: &Clip, frame: usize| {
        let [a, b, c] = ["left thigh", "left shin", "left foot"]
            .map(|name| pose(clip, frame, joint(clip, name)).translation);
        a.distance(b) + b.distance(c)
    };
    for settings in [&rigid, &elastic] {
        let held = hold(&clip, &contacts, settings).unwrap();
        let most = if settings.max_stretch > 0.0 { 0.85 * 1.02 } else { 0.85 };
        for frame in 0..FRAMES {
            assert!(bone(&held.clip, frame) < most + 1e-9);
        }
    }
}

#[test]
fn a_head_is_held_by_the_whole_body() {
    let clip = walk(Knee::Ball);
    let (head, foot) = (joint(&clip, "head"), joint(&clip, "left foot"));
    let target = pose(&clip, 60, head).translation + DVec3::new(0.05, -0.05, 0.0);
    let contacts = [
        contact(head, 0.9, 1.1, Hold::Position(Some(target))),
        contact(foot, 0.9, 1.1, Hold::Position(None)),
    ];
    let held = hold(&clip, &contacts, &legs(&clip)).unwrap();
    assert_eq!(held.contacts[0].limb, None);
    assert!(held.contacts[1].residual < 1e-9, "{:?}", held.contacts[1]);
    assert!(held.contacts[0].residual < 1e-4, "{:?}", held.contacts[0]);
    let step = largest_step(&held, &clip, head);
    assert!(step < 0.05, "{step}");
    assert_eq!(held.clip.frame(0), clip.frame(0));
}

#[test]
fn feet_stay_where_they_are_while_a_head_is_held() {
    let clip = walk(Knee::Ball);
    let head = joint(&clip, "head");
    let target = pose(&clip, 60, head).translation + DVec3::new(0.05, -0.05, 0.0);
    let contacts = [contact(head, 0.98, 1.02, Hold::Position(Some(target)))];
    let held = hold(&clip, &contacts, &legs(&clip)).unwrap();
    assert!(held.contacts[0].residual < 1e-4, "{:?}", held.contacts[0]);
    feet_stay(&clip, &held, held.contacts[0].frames.clone(), 2e-3);
}

/// Both feet are nearer than this to where they are in the source.
fn feet_stay(clip: &Clip, held: &Held, mut frames: core::ops::Range<usize>, most: f64) {
    let feet = ["left foot", "right foot"].map(|name| joint(clip, name));
    let place = |clip: &Clip, frame, foot| pose(clip, frame, foot).translation;
    let moved = |frame, foot| place(&held.clip, frame, foot).distance(place(clip, frame, foot));
    let far = frames.find(|frame| feet.iter().any(|foot| moved(*frame, *foot) >= most));
    assert_eq!(far, None, "a foot moves in this frame");
}

#[test]
fn a_straight_spine_bends_where_the_hips_are_held() {
    let skeleton = figure(Knee::Ball);
    let q = skeleton.neutral();
    let clip = Clip::try_new(skeleton, 1.0 / RATE, q.repeat(FRAMES)).unwrap();
    let head = joint(&clip, "head");
    let nearer = pose(&clip, 60, head).translation - DVec3::Y * 0.1;
    let contacts = [
        contact(0, 0.5, 1.5, Hold::Pose(None)),
        contact(head, 0.5, 1.5, Hold::Position(Some(nearer))),
    ];
    let held = hold(&clip, &contacts, &legs(&clip)).unwrap();
    for contact in &held.contacts {
        assert!(contact.missed.is_empty(), "{contact:?}");
    }
}

#[test]
fn a_foot_that_is_free_is_not_flung_where_the_others_are_out_of_reach() {
    let clip = walk(Knee::Ball);
    let [head, left, right] = ["head", "left foot", "right foot"].map(|name| joint(&clip, name));
    let far = pose(&clip, 60, head).translation + DVec3::new(0.0, 0.5, 0.0);
    let contacts = [
        contact(head, 0.98, 1.02, Hold::Position(Some(far))),
        contact(right, 0.9, 1.1, Hold::Position(None)),
    ];
    let held = hold(&clip, &contacts, &legs(&clip)).unwrap();
    assert!(!held.contacts[0].missed.is_empty(), "{:?}", held.contacts[0]);
    for frame in held.contacts[0].frames.clone() {
        let [before, hips] = [left, 0].map(|joint| pose(&clip, frame, joint).translation);
        let [after, moved] = [left, 0].map(|joint| pose(&held.clip, frame, joint).translation);
        // The hips may take it along, upwards, and no farther.
        let most = moved.distance(hips) + 0.05;
        assert!(after.distance(before) < most, "frame {frame}: {before} {after}");
    }
}

#[test]
fn feet_come_back_after_one_frame_of_another_pose() {
    let clip = walk(Knee::Ball);
    // The first frame is a pose at rest, as captures often begin.
    let mut values = clip.values().to_vec();
    let n = clip.skeleton().n_values();
    values[..n].copy_from_slice(&clip.skeleton().neutral());
    values[1] = 0.86;
    let clip = clip.with_values(values).unwrap();
    let elbow = joint(&clip, "left forearm");
    let target = pose(&clip, 10, elbow).translation;
    let held = hold(&clip, &[contact(elbow, 0.0, 0.1, Hold::Position(Some(target)))], &legs(&clip));
    let held = held.unwrap();
    assert!(held.contacts[0].residual < 1e-4, "{:?}", held.contacts[0]);
    feet_stay(&clip, &held, 2..held.contacts[0].frames.end, 5e-3);
}

#[test]
fn a_body_without_legs_follows_as_fast_as_it_must() {
    let clip = walk(Knee::Ball);
    let spine = joint(&clip, "spine");
    let turned = Pose { rotation: rotation_about(DVec3::Y, 1.0), ..pose(&clip, 60, spine) };
    let contacts = [
        contact(spine, 0.5, 0.5, Hold::Pose(Some(pose(&clip, 60, spine)))),
        contact(spine, 0.5 + 1.0 / RATE, 0.6, Hold::Pose(Some(turned))),
    ];
    let held = hold(&clip, &contacts, &HoldSettings::default()).unwrap();
    for contact in &held.contacts {
        assert!(contact.missed.is_empty() && contact.angle < 1e-4, "{contact:?}");
    }
}

#[test]
fn strength_is_a_part_of_the_way() {
    let clip = walk(Knee::Ball);
    let foot = joint(&clip, "left foot");
    let contacts = [contact(foot, 0.8, 1.1, Hold::Position(None))];
    let none = hold(&clip, &contacts, &HoldSettings { strength: 0.0, ..legs(&clip) }).unwrap();
    let off = none.clip.values().iter().zip(clip.values()).map(|(a, b)| (a - b).abs());
    assert!(off.fold(0.0, f64::max) < 1e-7);
    let full = hold(&clip, &contacts, &legs(&clip)).unwrap();
    let half = hold(&clip, &contacts, &HoldSettings { strength: 0.5, ..legs(&clip) }).unwrap();
    let place = |clip: &Clip| pose(clip, 48, foot).translation;
    let middle = 0.5 * (place(&clip) + place(&full.clip));
    assert!(place(&half.clip).distance(middle) < 1e-9);
}

#[test]
fn nothing_to_hold_changes_nothing() {
    let clip = walk(Knee::Ball);
    let foot = joint(&clip, "left foot");
    assert_eq!(hold(&clip, &[], &legs(&clip)).unwrap().clip, clip);
    let outside = contact(foot, 7.0, 9.0, Hold::Position(None));
    let held = hold(&clip, &[outside], &legs(&clip)).unwrap();
    assert_eq!((held.clip, held.changed), (clip, Vec::new()));
}

#[test]
fn contacts_that_make_no_sense_are_refused() {
    let clip = walk(Knee::Ball);
    let good = contact(0, 0.0, 1.0, Hold::Position(None));
    let refused = |contact: Contact| hold(&clip, &[contact], &legs(&clip)).unwrap_err();
    let error = refused(Contact { frame: Frame::new(99, Pose::IDENTITY), ..good.clone() });
    assert!(
        matches!(error, Error::Posekit(error) if error.is_no_such_joint() && error.index() == Some(99))
    );
    assert!(matches!(refused(Contact { from: f64::NAN, ..good.clone() }), Error::NonFinite { .. }));
    let beyond = |error: Error| matches!(error, Error::JointOutOfBounds { value: 1e300, .. });
    let place = DVec3::new(0.0, 1e300, 0.0);
    let pose = Pose::from_translation(place);
    for hold in [
        Hold::Position(Some(place)),
        Hold::Pose(Some(pose)),
        Hold::Surface { point: place, normal: DVec3::Y },
    ] {
        assert!(beyond(refused(Contact { hold, ..good.clone() })), "{hold:?}");
    }
    let frame = Frame::new(good.frame.joint, pose);
    assert!(beyond(refused(Contact { frame, ..good.clone() })), "the point that holds");
    assert!(matches!(refused(Contact { from: 2.0, ..good.clone() }), Error::OutOfRange { .. }));
    let flat = Hold::Surface { point: DVec3::ZERO, normal: DVec3::ZERO };
    assert!(matches!(refused(Contact { hold: flat, ..good.clone() }), Error::ZeroLength { .. }));
    let settings = HoldSettings { strength: 2.0, ..HoldSettings::default() };
    assert!(matches!(hold(&clip, &[], &settings), Err(Error::OutOfRange { .. })));
}

#[test]
fn l25_no_contacts_and_one_frame() {
    let clip = walk(Knee::Ball);
    let none = CleanSettings { contacts: Some(Vec::new()), ..CleanSettings::default() };
    let cleaned = clean(&clip, &none).unwrap();
    assert_eq!(cleaned.clip, clip, "all off is an untouched copy");
    let one = clip.with_values(clip.frame(3).to_vec()).unwrap();
    let cleaned = clean(&one, &CleanSettings::default()).unwrap();
    assert_eq!(cleaned.clip, one);
    let foot = joint(&clip, "left foot");
    let all = contact(foot, 0.0, clip.duration(), Hold::Position(None));
    let held = hold(&clip, &[Contact { to: 0.3, ..all }], &legs(&clip)).unwrap();
    assert_eq!(held.contacts[0].frames, 0..19, "all on is one plant");
    let fixed = |report: &posekit_motion::PlantReport| report.verdict == Verdict::Fixed;
    assert!(!cleaned.plants.iter().any(fixed));
}

/// How far the displacement of any joint changes from frame to frame at most.
fn roughest(clip: &Clip, held: &Held) -> f64 {
    roughest_in(1..clip.n_frames(), clip, held)
}

/// The same to frames of a range.
fn roughest_in(frames: core::ops::Range<usize>, clip: &Clip, held: &Held) -> f64 {
    let n = clip.skeleton().n_joints();
    let shift = |frame: usize, joint| {
        pose(&held.clip, frame, joint).translation - pose(clip, frame, joint).translation
    };
    let step = |frame: usize, joint| shift(frame, joint).distance(shift(frame - 1, joint));
    let largest = |frame| (0..n).map(|joint| step(frame, joint)).fold(0.0, f64::max);
    frames.map(largest).fold(0.0, f64::max)
}

#[test]
fn a_body_that_is_held_for_long_does_not_jump() {
    let clip = walk(Knee::Ball);
    for name in ["hips", "head", "spine", "left forearm", "right hand"] {
        let held = [contact(joint(&clip, name), 0.4, 1.5, Hold::Position(None))];
        let held = hold(&clip, &held, &legs(&clip)).unwrap();
        assert!(held.contacts[0].missed.is_empty(), "{name}: {:?}", held.contacts[0]);
        // It is half a metre ahead when it lets go, and back in a fifth of a second.
        let step = roughest(&clip, &held);
        assert!(step < 0.25, "{name}: a joint jumps by {step}");
    }
}

#[test]
fn each_foot_stays_as_far_as_its_own_leg_reaches() {
    let clip = walk(Knee::Ball);
    let held = [contact(0, 0.4, 1.0, Hold::Pose(None))];
    let held = hold(&clip, &held, &legs(&clip)).unwrap();
    let mut n_gave_way = 0;
    for frame in held.contacts[0].frames.clone() {
        for side in ["left", "right"] {
            let Limb { start, mid, end } = leg(clip.skeleton(), side);
            let [hip, knee, foot] =
                [start, mid, end].map(|joint| pose(&held.clip, frame, joint).translation);
            let goal = pose(&clip, frame, end).translation;
            let (moved, away) = (foot.distance(goal), hip.distance(goal));
            let length = hip.distance(knee) + knee.distance(foot);
            // The last of a leg goes straight little by little.
            let soft = if away < 0.993 * length { 0.0 } else { 0.002 * length };
            let most = soft + (away - length).max(0.0) + 1e-9;
            assert!(moved < most, "frame {frame}, {side}: {moved} where {away} of {length}");
            let is_straight = hip.distance(foot) > 0.9999 * length;
            assert!(is_straight || away < 1.007 * length, "frame {frame}, {side}: bent");
            n_gave_way += usize::from(is_straight);
        }
    }
    assert!(n_gave_way > 0, "a foot gives way, or nothing is tested");
}

#[test]
fn a_hand_out_of_its_arms_reach_is_held_together_with_a_foot() {
    let clip = walk(Knee::Ball);
    let [hand, foot] = ["right hand", "left foot"].map(|name| joint(&clip, name));
    let far = pose(&clip, 60, hand).translation + DVec3::new(-0.3, -0.3, 0.3);
    let contacts = [
        contact(hand, 0.9, 1.1, Hold::Position(Some(far))),
        contact(foot, 0.7, 1.2, Hold::Position(None)),
    ];
    let held = hold(&clip, &contacts, &legs(&clip)).unwrap();
    for contact in &held.contacts {
        assert!(contact.missed.is_empty(), "{contact:?}");
    }
}

#[test]
fn contacts_that_touch_or_overlap_hold_where_they_are_alone() {
    let clip = walk(Knee::Ball);
    let head = joint(&clip, "head");
    let [a, b] = [50, 70].map(|frame| Hold::Position(Some(pose(&clip, frame, head).translation)));
    // They share the frames from 0.9 s on.
    for end in [0.9, 1.0] {
        let contacts = [contact(head, 0.7, end, a), contact(head, 0.9, 1.2, b)];
        let held = hold(&clip, &contacts, &legs(&clip)).unwrap();
        let shared = held.contacts[1].frames.start..held.contacts[0].frames.end;
        for contact in &held.contacts {
            let elsewhere = contact.missed.iter().find(|frame| !shared.contains(frame));
            assert_eq!(elsewhere, None, "{contact:?}");
        }
    }
}

#[test]
fn knees_that_tremble_about_straight_stay_in_front_under_a_lowered_body() {
    for knee in [Knee::Ball, Knee::Hinge] {
        let source = walk(knee);
        let skeleton = source.skeleton();
        let mut values = source.values().to_vec();
        let shins = ["left", "right"].map(|side| leg(skeleton, side).mid);
        for (frame, q) in values.chunks_mut(skeleton.n_values()).enumerate().skip(40) {
            for shin in shins {
                let angle = 0.06 * sin(0.9 * frame as f64);
                let range = skeleton.value_range(shin);
                if knee == Knee::Hinge {
                    q[range.start] = angle;
                } else {
                    q[range].copy_from_slice(&rotation_about(DVec3::X, angle).to_array());
                }
            }
        }
        let clip = Clip::try_new(skeleton.clone(), source.frame_time(), values).unwrap();
        let lower = pose(&clip, 70, 0).translation + DVec3::new(0.0, -0.15, 0.0);
        let held = [contact(0, 1.05, 1.25, Hold::Position(Some(lower)))];
        let held = hold(&clip, &held, &legs(&clip)).unwrap();
        let step = roughest(&clip, &held);
        assert!(step < 0.15, "a joint jumps by {step}");
        for frame in held.contacts[0].frames.clone() {
            for shin in shins {
                let bend = pose(&held.clip, frame, shin - 1).rotation.conjugate()
                    * pose(&held.clip, frame, shin).rotation;
                let angle = so3_log(bend).x;
                assert!(angle > 0.1, "frame {frame}: the knee is bent by {angle}");
            }
        }
    }
}

#[test]
fn what_ends_while_something_else_holds_lets_go_little_by_little() {
    let clip = walk(Knee::Ball);
    let [shin, forearm] = ["left shin", "right forearm"].map(|name| joint(&clip, name));
    let contacts = [
        contact(shin, 0.5, 1.5, Hold::Position(None)),
        contact(forearm, 0.5, 0.7, Hold::Position(None)),
    ];
    let held = hold(&clip, &contacts, &legs(&clip)).unwrap();
    for contact in &held.contacts {
        assert!(contact.missed.is_empty(), "{contact:?}");
    }
    let step = roughest_in(held.contacts[1].frames.end..60, &clip, &held);
    assert!(step < 0.1, "a joint jumps by {step}");
}

#[test]
fn limbs_that_are_straight_all_along_bend_as_limbs_do() {
    // Toes tell the way, or where they do not, which legs are left and right ones; and knees may be a little beyond straight.
    let toes = [DVec3::new(0.0, -0.06, 0.13), DVec3::new(0.0, -0.06, 0.0)];
    let all = [Knee::Ball, Knee::Hinge, Knee::Free].map(|knee| (knee, toes[0], 0.0));
    for (knee, toes, beyond) in
        all.into_iter().chain([(Knee::Ball, toes[1], 0.0), (Knee::Ball, toes[0], 0.02)])
    {
        let skeleton = figure_with(knee, toes);
        let mut q = skeleton.neutral();
        q[..3].copy_from_slice(&[0.0, 0.9, 0.0]);
        for side in ["left", "right"].into_iter().filter(|_| beyond > 0.0) {
            let shin = skeleton.value_range(leg(&skeleton, side).mid);
            q[shin].copy_from_slice(&rotation_about(DVec3::X, -beyond).to_array());
        }
        let clip = Clip::try_new(skeleton, 1.0 / RATE, q.repeat(FRAMES)).unwrap();
        let hand = joint(&clip, "left hand");
        let nearer = pose(&clip, 0, hand).translation - DVec3::new(0.2, 0.0, 0.0);
        let contacts = [
            contact(0, 0.5, 1.5, Hold::Position(Some(DVec3::new(0.0, 0.7, 0.0)))),
            contact(hand, 0.5, 1.5, Hold::Position(Some(nearer - DVec3::Y * 0.2))),
        ];
        let held = hold(&clip, &contacts, &legs(&clip)).unwrap();
        for contact in &held.contacts {
            assert!(contact.missed.is_empty(), "{contact:?}");
        }
        let at = |name: &str| pose(&held.clip, 60, joint(&clip, name)).translation;
        for side in ["left", "right"] {
            let (hip, knee) = (at(&format!("{side} thigh")), at(&format!("{side} shin")));
            assert!(knee.z > hip.z + 0.2, "{side} knee at {knee}, hip at {hip}");
            assert!((knee.x - hip.x).abs() < 1e-9, "{side} knee at {knee}, hip at {hip}");
        }
        let elbow = at("left forearm");
        assert!(elbow.z < at("left arm").z - 0.1, "elbow at {elbow}");
    }
}

#[test]
fn l10_a_straight_leg_that_nothing_shows_how_to_bend() {
    let bone = Pose::from_translation(DVec3::new(0.0, -0.5, 0.0));
    let joints = vec![
        Joint::free("a"),
        Joint::ball("b").child_of(0),
        Joint::ball("c").child_of(1).at(bone),
        Joint::ball("d").child_of(2).at(bone),
    ];
    let skeleton = Skeleton::try_new(joints).unwrap();
    let clip =
        Clip::try_new(skeleton.clone(), 1.0 / RATE, skeleton.neutral().repeat(FRAMES)).unwrap();
    let leg = Limb { start: 1, mid: 2, end: 3 };
    // The root goes along, or may not.
    for root_stiffness in [2.0, 1e9] {
        let settings = HoldSettings { legs: vec![leg], root_stiffness, ..HoldSettings::default() };
        for up in [0.0, 1e-6, 0.3, 0.9] {
            let place = DVec3::new(0.0, up - 1.0, 0.0);
            let held = [contact(3, 0.5, 1.0, Hold::Position(Some(place)))];
            let held = hold(&clip, &held, &settings).unwrap();
            assert!(
                held.contacts[0].residual < 1e-9,
                "{root_stiffness}, {up}: {:?}",
                held.contacts[0]
            );
            assert!(held.clip.values().iter().all(|value| value.is_finite()));
        }
    }
}

/// A cart that is pushed along in front of the walk and turns this way and that.
fn cart() -> Trajectory {
    let times: Vec<f64> = (0..=40).map(|k| 0.05 * f64::from(k)).collect();
    let pose = |&t: &f64| {
        let turn = rotation_about(DVec3::Y, 0.3 * sin(3.0 * t));
        Pose::new(turn, DVec3::new(0.0, 1.15 + 0.03 * sin(7.0 * t), 0.35 + t))
    };
    let poses = times.iter().map(pose).collect();
    Trajectory::try_new(times, poses).unwrap()
}

/// A joint is in these frames where it should be, and turned as it should.
fn assert_posed(
    clip: &Clip,
    frames: RangeInclusive<usize>,
    joint: usize,
    on: impl Fn(usize) -> Pose,
) {
    for frame in frames {
        let (found, wanted) = (pose(clip, frame, joint), on(frame));
        assert!(found.translation.distance(wanted.translation) < 1e-9, "frame {frame}");
        let turned = so3_log(found.rotation * wanted.rotation.conjugate()).length();
        assert!(turned < 1e-6, "frame {frame}: {turned}");
    }
}

/// Seen from something that moves, a joint stays while it holds where it is in the source's 60th frame.
fn assert_rests_on(
    [after, before]: [&Clip; 2],
    joint: usize,
    on: impl Fn(&Clip, usize) -> Pose,
    most: f64,
) {
    let seen = |clip: &Clip, frame: usize| {
        on(clip, frame).inverse().transform_point(pose(clip, frame, joint).translation)
    };
    for frame in 30..=90 {
        let off = seen(after, frame).distance(seen(before, 60));
        assert!(off < most, "frame {frame}: {off}");
    }
}

#[test]
fn a_hand_goes_with_what_moves() {
    let clip = walk(Knee::Ball);
    let (hand, path) = (joint(&clip, "left hand"), cart());
    let handle = Pose::new(rotation_about(DVec3::X, 0.4), DVec3::new(0.15, 0.0, 0.0));
    let on = Support::Moving(path.clone().into());
    let eases = Contact {
        ease_in: 0.4,
        ease_out: 0.4,
        ..contact(hand, 0.5, 1.5, Hold::Pose(Some(handle)))
    };
    let push = Contact { on, ..eases };
    let held = hold(&clip, std::slice::from_ref(&push), &legs(&clip)).unwrap();
    assert!(held.contacts[0].missed.is_empty(), "{:?}", held.contacts[0]);
    assert_posed(&held.clip, 30..=90, hand, |frame| path.pose(clip.time(frame)) * handle);
    // The arm alone goes, without a jump where it takes hold and lets go.
    let is_own = |&moved: &usize| clip.skeleton().name(moved).starts_with("left ");
    assert!(held.changed.iter().all(is_own), "{:?}", held.changed);
    assert!(largest_step(&held, &clip, hand) < 0.1, "{}", largest_step(&held, &clip, hand));
    // Left open, it stays on the cart where it is in the middle of its time.
    let open = Contact { hold: Hold::Position(None), ..push };
    let held = hold(&clip, &[open], &legs(&clip)).unwrap();
    let cart = |clip: &Clip, frame: usize| path.pose(clip.time(frame));
    assert_rests_on([&held.clip, &clip], hand, cart, 1e-5);
}

#[test]
fn a_foot_stands_on_a_step_that_turns() {
    let clip = walk(Knee::Hinge);
    let foot = joint(&clip, "left foot");
    let middle = pose(&clip, 60, foot);
    let times: Vec<f64> = (0..=20).map(|k| 0.1 * f64::from(k)).collect();
    let turned =
        |&t: &f64| Pose::new(rotation_about(DVec3::Y, 0.6 * (t - 1.0)), middle.translation);
    let poses = times.iter().map(turned).collect();
    let step = Trajectory::try_new(times, poses).unwrap();
    let on = Support::Moving(step.clone().into());
    let stand = Contact { on, ..contact(foot, 0.8, 1.2, Hold::Pose(None)) };
    let held = hold(&clip, &[stand], &legs(&clip)).unwrap();
    assert!(held.contacts[0].missed.is_empty(), "{:?}", held.contacts[0]);
    let own = step.pose(1.0).inverse() * middle;
    assert_posed(&held.clip, 48..=72, foot, |frame| step.pose(clip.time(frame)) * own);
}

#[test]
fn a_hand_stays_on_the_other_one_wherever_that_is_held() {
    let clip = walk(Knee::Ball);
    let [left, right] = ["left hand", "right hand"].map(|name| joint(&clip, name));
    let on = Support::Moving(cart().into());
    let push = Contact { on, ..contact(right, 0.4, 1.6, Hold::Position(Some(DVec3::ZERO))) };
    let beside = DVec3::new(0.0, 0.08, 0.02);
    let on = Support::Joint(right);
    let both = Contact { on, ..contact(left, 0.5, 1.5, Hold::Position(Some(beside))) };
    for contacts in [[push.clone(), both.clone()], [both.clone(), push]] {
        let held = hold(&clip, &contacts, &legs(&clip)).unwrap();
        assert!(held.contacts.iter().all(|contact| contact.missed.is_empty()));
        for frame in 30..=90 {
            let wanted = pose(&held.clip, frame, right).transform_point(beside);
            let off = pose(&held.clip, frame, left).translation.distance(wanted);
            assert!(off < 1e-6, "frame {frame}: {off}");
        }
    }
    // Cleaning holds given contacts in the same way, and a contact on the hips goes with these.
    let hips = Contact { on: Support::Joint(0), hold: Hold::Position(None), ..both };
    let settings = CleanSettings { contacts: Some(vec![hips]), ..CleanSettings::default() };
    let cleaned = clean(&clip, &settings).unwrap();
    assert_rests_on([&cleaned.clip, &clip], left, |clip, frame| pose(clip, frame, 0), 1e-6);
}

#[test]
fn trajectories_and_supports_that_make_no_sense_are_refused() {
    let clip = walk(Knee::Ball);
    let good = contact(joint(&clip, "left hand"), 0.0, 1.0, Hold::Position(None));
    let refused =
        |on: Support| hold(&clip, &[Contact { on, ..good.clone() }], &legs(&clip)).unwrap_err();
    assert!(matches!(refused(Support::Joint(99)), Error::NoSuchJoint { joint: 99, .. }));
    let own = Support::Joint(joint(&clip, "left hand"));
    assert!(matches!(refused(own), Error::Unsuited { .. }));
    let path = |times: &[f64], x: f64| {
        let poses = vec![Pose::from_translation(DVec3::X * x); times.len()];
        Trajectory::try_new(times.to_vec(), poses)
    };
    assert!(matches!(path(&[], 0.0), Err(Error::Length { .. })));
    assert!(matches!(path(&[0.0, 0.0], 0.0), Err(Error::OutOfRange { index: 1, .. })));
    assert!(matches!(path(&[0.0, f64::NAN], 0.0), Err(Error::NonFinite { index: 1, .. })));
    assert!(matches!(path(&[0.0], f64::INFINITY), Err(Error::NonFinite { index: 0, .. })));
    let short = Pose::new(DQuat::from_xyzw(0.0, 0.0, 0.0, 0.5), DVec3::ZERO);
    assert!(matches!(Trajectory::try_new(vec![0.0], vec![short]), Err(Error::NotUnit { .. })));
    let far = Support::Moving(path(&[0.0], 1e101).unwrap().into());
    assert!(matches!(refused(far), Error::JointOutOfBounds { .. }));
    // Beyond its ends it stands.
    let path = path(&[1.0, 2.0], 3.0).unwrap();
    assert_eq!([0.0, 1.5, 9.0].map(|time| path.pose(time).translation.x), [3.0; 3]);
}
