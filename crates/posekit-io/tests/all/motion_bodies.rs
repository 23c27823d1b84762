//! Points that only the whole body can hold: they hold, and nothing jumps.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use crate::common;

use std::path::{Path, PathBuf};

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::Frame;
use posekit_io::motion::{MotionFile, MotionOptions};
use posekit_io::{Limits, Warnings};
use posekit_motion::{Clip, Contact, Held, Hold, HoldSettings, Limb, Support, hold_within};

/// A joint, when it is held \[s\], and where.
type Pin<'a> = (&'a str, [f64; 2], Option<[f64; 3]>);

fn open(path: &Path) -> MotionFile {
    let (options, limits) = (MotionOptions::default(), Limits::default());
    MotionFile::open(path, &options, &limits, &mut Warnings::new()).unwrap()
}

fn walk() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/clips/walk.bvh")
}

/// Holds points as `posekit pin` does, and tells how far a joint jumps from one frame to the next beyond its own way, in lengths of a leg.
fn pinned(file: &MotionFile, pins: &[Pin<'_>]) -> (Held, f64) {
    let clip = file.clip(0).unwrap();
    let contact = |&(joint, [from, to], at): &Pin<'_>| {
        let joint = clip.skeleton().find(joint).unwrap();
        let hold = Hold::Position(at.map(DVec3::from_array));
        let frame = Frame::new(joint, Pose::IDENTITY);
        Contact { frame, from, to, hold, on: Support::World, ease_in: 0.25, ease_out: 0.25 }
    };
    let contacts: Vec<Contact> = pins.iter().map(contact).collect();
    let legs: Vec<Limb> = file.legs_of(clip).legs.iter().map(|leg| leg.limb).collect();
    let Limb { start, mid, end } = legs[0];
    let keep = file.keeper();
    let settings =
        HoldSettings { legs, root_stiffness: 20.0, by_hand: true, ..HoldSettings::default() };
    let held = hold_within(clip, &contacts, &settings, keep.as_ref()).unwrap();
    let places = |clip: &Clip| -> Vec<Vec<DVec3>> {
        let poses = |frame| clip.skeleton().poses(clip.frame(frame));
        let places = |frame| poses(frame).iter().map(|pose| pose.translation).collect();
        (0..clip.n_frames()).map(places).collect()
    };
    let (before, after) = (places(clip), places(&held.clip));
    let leg = before[0][start].distance(before[0][mid]) + before[0][mid].distance(before[0][end]);
    let mut largest = 0.0_f64;
    for (before, after) in before.windows(2).zip(after.windows(2)) {
        for joint in 0..before[0].len() {
            let own = before[1][joint] - before[0][joint];
            let now = after[1][joint] - after[0][joint];
            largest = largest.max(now.distance(own) - 1.5 * own.length());
        }
    }
    (held, largest / leg)
}

/// Parts of a walk that go on for a while; each frame by itself goes over from one way to hold them to another.
#[test]
fn a_body_that_holds_several_points_does_not_jump() {
    let file = open(&walk());
    let pins: [Pin<'_>; 3] = [
        ("HeadEnd", [2.0783, 2.2783], Some([11.4427, 169.0703, 275.5402])),
        ("LeftShoulder", [2.0783, 2.6783], Some([16.7184, 137.0865, 299.5378])),
        ("LeftForeArm", [2.0783, 2.3783], Some([25.3162, 108.7401, 264.5490])),
    ];
    let (held, jump) = pinned(&file, &pins);
    assert!(jump < 0.25, "a joint jumps by {jump} legs");
    // No pose holds all three.
    let unit = file.clip(0).unwrap().metres_per_unit();
    let missed = held.contacts.iter().map(|contact| contact.residual).fold(0.0, f64::max);
    assert!(missed < 6.0, "{missed} units of {unit:?} m");
}

#[test]
fn bodies_of_files_do_not_jump() {
    let Some(assets) = common::assets() else { return };
    for (name, pins, most) in [
        (
            "pybvh_bvh_test1.bvh",
            &[
                ("LeftHand", [1.1086, 1.7086], Some([-5.2234, -1.9459, 42.6750])),
                ("Neck", [1.1086, 1.4086], Some([8.3606, -7.5529, 59.0416])),
                ("LeftForeArm", [0.0152, 0.2152], Some([-16.5596, -8.6237, 46.6633])),
            ][..],
            0.2,
        ),
        (
            "cmu_iclone_002_03.bvh",
            &[
                ("CC_Base_R_Thumb2", [0.8938, 1.0938], Some([-15.3668, 144.8505, 315.7163])),
                ("CC_Base_NeckTwist01", [0.8938, 1.4167], Some([-5.9584, 159.1601, 343.9812])),
            ],
            0.15,
        ),
        (
            "cmu_12_01_walk_cgspeed.bvh",
            &[
                ("LeftForeArm", [0.0789, 0.6789], Some([3.1522, 16.9693, -20.5629])),
                ("Head", [2.1245, 2.3245], Some([-0.2695, 23.1691, 9.8236])),
                ("Hips", [0.0789, 0.6789], Some([-0.6174, 17.0357, -21.4666])),
                ("RightForeArm", [0.0789, 0.2789], Some([-3.5352, 16.4650, -23.8283])),
            ],
            0.15,
        ),
    ] {
        let (held, jump) = pinned(&open(&assets.join("bvh").join(name)), pins);
        let missed = held.contacts.iter().any(|contact| !contact.missed.is_empty());
        assert!(!missed, "{name}: {:?}", held.contacts);
        assert!(jump < most, "{name}: a joint jumps by {jump} legs");
    }
}

/// Points that come apart: no pose holds both of one forearm, and a far one holds all of an arm and a head; nothing is thrown for them.
#[test]
fn points_that_no_near_pose_holds_throw_nothing_about() {
    let Some(assets) = common::assets() else { return };
    for (name, pins, can_hold, most) in [
        (
            "cmu_iclone_005_01.bvh",
            &[
                ("CC_Base_L_ElbowShareBone", [2.1601, 2.4601], [18.9743, 125.3567, 249.7679]),
                ("CC_Base_L_ForearmTwist02", [2.1601, 2.7601], [13.6070, 116.8504, 273.2129]),
            ][..],
            false,
            0.15,
        ),
        (
            "cmu_iclone_002_03.bvh",
            &[
                ("CC_Base_L_Forearm", [0.8354, 0.9354], [15.1806, 133.4653, 252.3549]),
                ("CC_Base_L_Thumb1", [0.1212, 0.7212], [17.1080, 116.5457, 124.2343]),
                ("CC_Base_L_Eye", [0.8441, 0.9441], [-3.3131, 176.4812, 270.8210]),
                ("CC_Base_Teeth01", [0.5716, 0.6716], [-2.2806, 171.1647, 185.5737]),
            ],
            true,
            0.15,
        ),
    ] {
        let pins: Vec<Pin<'_>> =
            pins.iter().map(|&(joint, time, at)| (joint, time, Some(at))).collect();
        let (held, jump) = pinned(&open(&assets.join("bvh").join(name)), &pins);
        let holds = held.contacts.iter().all(|contact| contact.missed.is_empty());
        assert_eq!(holds, can_hold, "{name}: {:?}", held.contacts);
        assert!(jump < most, "{name}: a joint jumps by {jump} legs");
    }
}

/// The second is within the arm's reach, the first is not: the body would jump from its own way of holding to the arm's.
#[test]
fn a_hand_that_is_held_twice_is_held_in_one_way() {
    let pins: [Pin<'_>; 2] = [("RightHand", [1.5, 2.0], None), ("RightHand", [2.2, 2.25], None)];
    let (held, _) = pinned(&open(&walk()), &pins);
    for contact in &held.contacts {
        assert!(contact.missed.is_empty(), "{contact:?}");
    }
}

/// With the hips held, too, a leg reaches only where its foot turns.
#[test]
fn a_leg_holds_its_toes_while_its_hips_are_held() {
    let Some(assets) = common::assets() else { return };
    let file = open(&assets.join("bvh/meredith_figure8_walk.bvh"));
    let pins: [Pin<'_>; 2] = [
        ("LeftToeBase", [4.0216, 4.2216], Some([66.5140, -1.3967, 69.6053])),
        ("Hips", [4.0216, 4.2216], Some([53.9823, 33.8473, 60.3844])),
    ];
    let (held, _) = pinned(&file, &pins);
    for contact in &held.contacts {
        assert!(contact.missed.is_empty(), "{contact:?}");
    }
}
