//! The engine on a made-up walker whose contacts are known.
#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small counts")]

use posekit::limb::{Pole, TwoBone};
use posekit::skeleton::{Joint, Skeleton};

use core::ops::Range;

use posekit::math::Pose;
use posekit::skeleton::Frame;

use super::outcome::is_costly;
use super::*;
use crate::clip::rotation_place;
use crate::find::find_legs;
use crate::plant::Verdict;
use crate::space_time::{CONTACT, Held as HeldPart};
use crate::travel::along_path;
use crate::{Contact, Hold, Limb, Support};

/// Seconds from step to step of one foot, and the part of it in contact.
const GAIT: [f64; 2] = [1.1, 0.6];

/// \[m/s\]
const SPEED: f64 = 1.0;

fn walker() -> Skeleton {
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(DVec3::new(x, y, z));
    let mut joints = vec![Joint::free("Hips")];
    for (side, x) in [("Left", 0.1), ("Right", -0.1)] {
        let hip = joints.len();
        joints.push(Joint::ball(format!("{side}UpLeg")).at(at(x, 0.0, 0.0)).child_of(0));
        joints.push(Joint::ball(format!("{side}Leg")).at(at(0.0, -0.45, 0.0)).child_of(hip));
        joints.push(Joint::ball(format!("{side}Foot")).at(at(0.0, -0.45, 0.0)).child_of(hip + 1));
        joints
            .push(Joint::ball(format!("{side}ToeBase")).at(at(0.0, -0.06, 0.15)).child_of(hip + 2));
    }
    Skeleton::try_new(joints).unwrap()
}

/// Where an ankle is: at one place in contact, on a smooth arc between.
fn ankle_at(time: f64, leg: usize) -> DVec3 {
    let [period, contact] = GAIT;
    let phase = time / period + 0.5 * leg as f64 + 10.0;
    let (step, phase) = (phase.floor(), phase.fract());
    let place = |step: f64| SPEED * period * (step + 0.5 * contact - 0.5 * leg as f64 - 10.0);
    let s = ((phase - contact) / (1.0 - contact)).max(0.0);
    let way = s * s * s * (10.0 + s * (6.0 * s - 15.0));
    let lift = 16.0 * s * s * (1.0 - s) * (1.0 - s);
    let z = place(step) + way * (place(step + 1.0) - place(step));
    DVec3::new(0.1 - 0.2 * leg as f64, 0.08 + 0.1 * lift, z)
}

/// A walk whose feet stand exactly.
fn walk(rate: f64, seconds: f64) -> Clip {
    let skeleton = walker();
    let rest = skeleton.poses(&skeleton.neutral());
    let mut values = Vec::new();
    for frame in 0..=(seconds * rate).round() as usize {
        let time = frame as f64 / rate;
        let mut q = skeleton.neutral();
        let root = DVec3::new(0.0, 0.88 + 0.01 * posekit::math::sin(12.0 * time), SPEED * time);
        root.write_to_slice(&mut q[..3]);
        for leg in 0..2 {
            let [hip, knee, ankle] =
                [1, 2, 3].map(|joint| rest[4 * leg + joint].translation + root);
            let limb = TwoBone::new(hip, knee, ankle, ankle_at(time, leg));
            let solved = limb.with_pole(Pole::Direction(DVec3::Z)).solve().unwrap();
            let turns = [
                solved.start_correction,
                solved.start_correction.conjugate() * solved.mid_correction,
                solved.mid_correction.conjugate(),
            ];
            for (k, turn) in turns.iter().enumerate() {
                let place = rotation_place(&skeleton, 4 * leg + 1 + k).unwrap();
                turn.write_to_slice(&mut q[place..place + 4]);
            }
        }
        values.extend(q);
    }
    Clip::try_new(skeleton, 1.0 / rate, values).unwrap()
}

/// The walk with its root trajectory too long by this part: all feet slide.
fn too_long(clip: &Clip, part: f64) -> Clip {
    let along = |frame| DVec3::Z * (part * SPEED * clip.time(frame));
    let path: Vec<DVec3> = (0..clip.n_frames()).map(along).collect();
    along_path(clip, &find_legs(clip).legs, &path).unwrap().unwrap()
}

fn frames(clip: &Clip, frames: Range<usize>) -> Clip {
    let n = clip.skeleton().n_values();
    clip.with_values(clip.values()[frames.start * n..frames.end * n].to_vec()).unwrap()
}

/// The largest distance of a joint between two clips, the means of their roots brought together.
fn apart(a: &Clip, b: &Clip, every: usize) -> f64 {
    let n = a.skeleton().n_joints();
    let (a, b) = (a.poses(), b.poses());
    let a: Vec<&[Pose]> = a.chunks(n).step_by(every).collect();
    let pairs = || a.iter().zip(b.chunks(n));
    let shift = |(a, b): (&&[Pose], &[Pose])| a[0].translation - b[0].translation;
    let mean = pairs().map(shift).sum::<DVec3>() / pairs().count() as f64;
    let of_frame = |(a, b): (&&[Pose], &[Pose])| {
        let off = a.iter().zip(b).map(|(a, b)| (a.translation - b.translation - mean).length());
        off.fold(0.0, f64::max)
    };
    pairs().map(of_frame).fold(0.0, f64::max)
}

/// The farthest that a foot is from where it should stand while the gait has it in contact, from its mean there.
fn worst_contact(clip: &Clip) -> f64 {
    let n = clip.skeleton().n_joints();
    let poses = clip.poses();
    let mut worst = 0.0_f64;
    for leg in 0..2 {
        let in_contact = |frame: &usize| {
            let phase = (clip.time(*frame) / GAIT[0] + 0.5 * leg as f64).fract();
            (0.1..GAIT[1] - 0.1).contains(&phase)
        };
        for joint in [4 * leg + 3, 4 * leg + 4] {
            let contact: Vec<usize> = (0..clip.n_frames()).filter(in_contact).collect();
            for run in contact.chunk_by(|a, b| a + 1 == *b) {
                let at = |frame: &usize| poses[*frame * n + joint].translation;
                let mean = run.iter().map(at).sum::<DVec3>() / run.len() as f64;
                worst = run.iter().map(|frame| at(frame).distance(mean)).fold(worst, f64::max);
            }
        }
    }
    worst
}

#[test]
fn a_sound_walk_keeps_every_bit() {
    for rate in [30.0, 60.0, 120.0] {
        let walk = walk(rate, 4.0);
        let cleaned = clean(&walk, &CleanSettings::default()).unwrap();
        assert!(cleaned.plants.len() >= 12, "{} contacts", cleaned.plants.len());
        assert_eq!(cleaned.clip, walk, "{rate} Hz");
    }
}

#[test]
fn a_trajectory_that_is_too_long_is_corrected_and_feet_stand() {
    let sound = walk(60.0, 5.0);
    for part in [-0.2, 0.3, 0.5] {
        let faulty = too_long(&sound, part);
        assert!(worst_contact(&faulty) > 0.03);
        let cleaned = clean(&faulty, &CleanSettings::default()).unwrap();
        assert!(worst_contact(&cleaned.clip) < 1e-3, "{part}: {}", worst_contact(&cleaned.clip));
        assert!(
            apart(&cleaned.clip, &sound, 1) < 0.02,
            "{part}: {}",
            apart(&cleaned.clip, &sound, 1)
        );
        assert!(cleaned.held.iter().all(|held| held.residual < 1e-6 && held.missed.is_empty()));
    }
}

#[test]
fn strength_and_kept_frames_are_kept() {
    let faulty = too_long(&walk(60.0, 4.0), 0.3);
    let none =
        clean(&faulty, &CleanSettings { strength: 0.0, ..CleanSettings::default() }).unwrap();
    assert!(apart(&none.clip, &faulty, 1) < 1e-9);
    let kept = CleanSettings { keep: vec![(1.0, 2.0)], path: false, ..CleanSettings::default() };
    let cleaned = clean(&faulty, &kept).unwrap();
    assert_eq!(frames(&cleaned.clip, 60..121), frames(&faulty, 60..121));
    assert!(cleaned.clip != faulty);
}

#[test]
fn trims_and_shifts_make_no_difference() {
    let faulty = too_long(&walk(60.0, 5.0), 0.3);
    let whole = clean(&faulty, &CleanSettings::default()).unwrap().clip;
    for trim in [1, 2, 5, 16] {
        let part = frames(&faulty, trim..faulty.n_frames());
        let cleaned = clean(&part, &CleanSettings::default()).unwrap().clip;
        let off = apart(&frames(&whole, trim..whole.n_frames()), &cleaned, 1);
        assert!(off < 0.005, "{trim} frames: {off}");
        let late = clean(&part.clone().with_start(77.7), &CleanSettings::default()).unwrap().clip;
        assert!(apart(&late, &cleaned, 1) < 1e-12);
    }
}

#[test]
fn rates_agree() {
    let cleaned = [30.0, 60.0, 120.0].map(|rate| {
        clean(&too_long(&walk(rate, 5.0), 0.3), &CleanSettings::default()).unwrap().clip
    });
    for (k, every) in [(1, 2), (2, 4)] {
        let off = apart(&cleaned[k], &cleaned[0], every);
        assert!(off < 0.005, "{every} frames for one: {off}");
    }
}

#[test]
fn a_t_pose_before_the_motion_changes_nothing() {
    let faulty = too_long(&walk(60.0, 4.0), 0.3);
    let skeleton = faulty.skeleton();
    let mut pose = skeleton.neutral();
    DVec3::new(0.8, 0.96, -0.5).write_to_slice(&mut pose[..3]);
    let values = [&pose, faulty.values()].concat();
    let with_pose = faulty.with_values(values).unwrap();
    let alone = clean(&faulty, &CleanSettings::default()).unwrap().clip;
    let cleaned = clean(&with_pose, &CleanSettings::default()).unwrap().clip;
    let after = frames(&cleaned, 1..cleaned.n_frames());
    assert!(apart(&after, &alone, 1) < 1e-3, "{}", apart(&after, &alone, 1));
    assert!(worst_contact(&after) < 1e-3);
}

#[test]
fn an_in_place_walk_stays_in_place() {
    let sound = walk(60.0, 5.0);
    let in_place = too_long(&sound, -1.0);
    let cleaned = clean(&in_place, &CleanSettings::default()).unwrap();
    assert!(cleaned.is_in_place);
    let root = |clip: &Clip, frame: usize| clip.frame(frame)[2];
    let extent = (0..in_place.n_frames()).map(|frame| root(&cleaned.clip, frame).abs());
    assert!(extent.fold(0.0, f64::max) < 0.1);
    let judged = cleaned.as_judged(&cleaned.clip);
    assert!(worst_contact(&judged) < 0.01, "{}", worst_contact(&judged));
}

#[test]
fn contacts_that_slide_too_far_are_released() {
    let faulty = too_long(&walk(60.0, 4.0), 0.3);
    let strict = CleanSettings { release: 0.02, path: false, ..CleanSettings::default() };
    let cleaned = clean(&faulty, &strict).unwrap();
    let released = |report: &&PlantReport| matches!(report.verdict, Verdict::Released { .. });
    assert!(cleaned.plants.iter().filter(released).count() > 8);
    // What is released is reported with the slide that it still has.
    for report in cleaned.plants.iter().filter(released) {
        assert!(report.drift_after > 0.02 * 0.9 && report.drift_before > 0.02 * 0.9);
    }
}

#[test]
fn contacts_hold_with_eases_of_any_length() {
    let faulty = too_long(&walk(60.0, 4.0), 0.1);
    for ease in [0.0, 0.01, 0.5, 10.0] {
        let cleaned =
            clean(&faulty, &CleanSettings { ease, path: false, ..CleanSettings::default() })
                .unwrap();
        let fixed: Vec<&PlantReport> =
            cleaned.plants.iter().filter(|report| report.verdict == Verdict::Fixed).collect();
        assert!(fixed.len() > 8, "{ease}: {:?}", cleaned.plants);
        // The root takes its part, too.
        let root = |clip: &Clip, frame: usize| DVec3::from_slice(clip.frame(frame));
        let displaced = (0..faulty.n_frames())
            .map(|frame| root(&faulty, frame).distance(root(&cleaned.clip, frame)))
            .fold(0.0, f64::max);
        assert!(displaced > 1e-4, "{ease}: {displaced}");
        for report in fixed {
            assert!(report.drift_after < 1e-6 && report.drift_before > 1e-3, "{ease}: {report:?}");
        }
    }
}

#[test]
fn the_cost_of_a_contact_is_bounded() {
    let walk = walk(60.0, 1.0);
    let legs = find_legs(&walk).legs;
    let settings = CleanSettings::default();
    let source = Source::new(&walk, &legs, &settings, None, None);
    let n = walk.n_frames();
    let motions = source.leg_motions(0..n, &vec![DVec3::ZERO; n]);
    let ankle = source.at(30, legs[0].limb.end);
    // The root takes its part over 0.08 s: a single frame half a leg away costs less than the bound.
    for (off, costly) in [(0.005, false), (0.9, true)] {
        let target = ankle + DVec3::X * off;
        let held = [HeldPart {
            leg: 0,
            point: 0,
            frames: 30..31,
            rolls: 30..31,
            target,
            normal: DVec3::Y,
            weight: CONTACT,
        }];
        let eases = source.eases(&(0..n));
        let problem = source.problem((&motions, &held), [true; 3], &eases);
        assert_eq!(is_costly(&problem.solve(None), &held[0]), costly, "{off}");
    }
}

#[test]
fn given_contacts_are_held_where_they_are_given() {
    let sound = walk(60.0, 2.0);
    let ankle = find_legs(&sound).legs[0].limb.end;
    let place =
        sound.skeleton().poses(sound.frame(20))[ankle].translation + DVec3::new(0.01, 0.0, 0.02);
    let contact = Contact {
        frame: Frame::new(ankle, Pose::IDENTITY),
        from: 0.2,
        to: 0.4,
        hold: Hold::Position(Some(place)),
        on: Support::World,
        ease_in: 0.0,
        ease_out: 0.0,
    };
    let given = CleanSettings {
        contacts: Some(vec![contact.clone()]),
        path: false,
        ..CleanSettings::default()
    };
    let cleaned = clean(&sound, &given).unwrap();
    for frame in 12..=24 {
        let pose = cleaned.clip.skeleton().poses(cleaned.clip.frame(frame))[ankle];
        assert!(pose.translation.distance(place) < 1e-9, "frame {frame}");
    }
    let rail = Contact { hold: Hold::Surface { point: place, normal: DVec3::Y }, ..contact };
    let other = CleanSettings { contacts: Some(vec![rail]), ..CleanSettings::default() };
    assert!(clean(&sound, &other).unwrap().held.iter().all(|held| held.missed.is_empty()));
}

#[test]
fn slides_are_measured_on_the_clip_alone() {
    let sound = walk(60.0, 4.0);
    let legs = find_legs(&sound).legs;
    let worst = |clip: &Clip| slides(clip, &legs).iter().map(|s| s.distance).fold(0.0, f64::max);
    assert!(worst(&sound) < 0.08, "{}", worst(&sound));
    // A foot that goes along at 0.3 m/s while it is low.
    assert!(worst(&too_long(&sound, 0.3)) > worst(&sound) + 0.04);
}

#[test]
fn few_frames_and_no_legs_come_back() {
    let walk = walk(60.0, 1.0);
    for n in 0..5 {
        let short = frames(&walk, 0..n);
        assert_eq!(clean(&short, &CleanSettings::default()).unwrap().clip, short, "{n} frames");
    }
    let none = CleanSettings { legs: Some(Vec::new()), ..CleanSettings::default() };
    assert_eq!(clean(&walk, &none).unwrap().clip, walk);
}

#[test]
fn legs_that_make_no_sense_are_refused() {
    let walk = walk(30.0, 1.0);
    let leg = find_legs(&walk).legs[0].clone();
    let Limb { start, mid, end } = leg.limb;
    let limbs = [(start, mid, 99), (end, mid, start), (start, start, end)];
    let mut wrong: Vec<Leg> = limbs
        .into_iter()
        .map(|(start, mid, end)| Leg { limb: Limb { start, mid, end }, ..leg.clone() })
        .collect();
    wrong.push(Leg { ball: Some(99), ..leg });
    for leg in wrong {
        let settings = CleanSettings { legs: Some(vec![leg]), ..CleanSettings::default() };
        let error = clean(&walk, &settings).unwrap_err();
        assert!(matches!(error, Error::NoSuchJoint { .. } | Error::Unsuited { .. }), "{error}");
    }
}
