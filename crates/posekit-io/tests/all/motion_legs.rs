//! Finding legs in every motion of the shared assets.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use crate::common;

use crate::clips;

use posekit::math::Pose;
use posekit::skeleton::Frame;
use posekit_io::motion::{MotionFile, MotionOptions};
use posekit_io::{Limits, Warnings};
use posekit_motion::{
    Clip, Contact, Hold, HoldSettings, Leg, Legs, Limb, Support, find_legs, hold,
};

/// Start, mid, end and ball of every leg, by name.
fn shown(clip: &Clip, legs: &Legs) -> String {
    let name = |joint: usize| clip.skeleton().name(joint);
    let one = |leg: &Leg| {
        let limb = &leg.limb;
        let ball = leg.ball.map_or("-", name);
        format!("{} {} {} {ball}", name(limb.start), name(limb.mid), name(limb.end))
    };
    legs.legs.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// What is expected of files: parts of the names of the left leg's joints.
const LEFT: [(&str, &str); 22] = [
    ("Boxing_Toes", "LeftHip LeftKnee LeftAnkle LeftToes"),
    ("bvhfiles_jl_example", "J_L_Hip J_L_Knee J_L_Ankle J_L_Bale"),
    ("bvhio_example", "LeftUpLeg LeftLowLeg LeftFoot -"),
    ("cmu_01_01_cgspeed", "LeftUpLeg LeftLeg LeftFoot LeftToeBase"),
    ("cmu_12_01_walk_cgspeed", "LeftUpLeg LeftLeg LeftFoot LeftToeBase"),
    ("cmu_iclone_002_01", "CC_Base_L_Thigh CC_Base_L_Calf CC_Base_L_Foot CC_Base_L_ToeBase"),
    ("cmu_iclone_005_05", "CC_Base_L_Thigh CC_Base_L_Calf CC_Base_L_Foot CC_Base_L_ToeBase"),
    ("kinect_openni", "HipLeft KneeLeft AnkleLeft -"),
    ("makehuman_dance1", "UpLeg_L LoLeg_L Foot_L Toe_L"),
    ("makehuman_tpose", "upperleg01.L lowerleg01.L foot.L metatarsal1.L"),
    ("makehuman_walk1", "UpLeg_L LoLeg_L Foot_L Toe_L"),
    ("makehuman_zombieWalk1", "UpLeg_L LoLeg_L Foot_L Toe_L"),
    ("meredith_figure8_walk", "LeftUpLeg LeftLeg LeftFoot LeftToeBase"),
    ("mocapbank", "LeftHip LeftKnee LeftAnkle -"),
    ("pybvh_bvh_test1", "LeftUpLeg LeftLeg LeftFoot LeftToeBase"),
    ("pybvh_bvh_test2", "LeftHip LeftKnee LeftAnkle LeftToe"),
    ("pybvh_bvh_test3", "LeftUpLeg LeftLeg LeftFoot LeftForeFoot"),
    ("salsa_10_daz", "lThigh lShin lFoot -"),
    ("walk01_blender", "LeftUpLeg LeftLeg LeftFoot -"),
    ("bvh_anim_simple", ""),
    ("fairmotion_sinusoidal", ""),
    ("pybvh_full_precision_frame_time", ""),
];

#[test]
fn legs_of_every_file_are_found() {
    let all = clips::all();
    for (file, clip) in &all {
        let legs = find_legs(clip);
        println!("{file}: {} [{}] {:?}", shown(clip, &legs), legs.reason, legs.candidates);
        let Some((_, left)) = LEFT.iter().find(|(name, _)| name == file) else { continue };
        let found = shown(clip, &legs);
        assert_eq!(found.split("; ").next(), Some(*left), "{file}");
        assert!(matches!(legs.legs.len(), 0 | 2), "{file}: {found}");
    }
}

#[test]
fn without_their_names_legs_are_found_by_shape() {
    for (file, clip) in clips::sound() {
        let named = find_legs(&clip).legs;
        let found = find_legs(&clips::unnamed(&clip));
        let limbs = |legs: &[Leg]| -> Vec<Limb> {
            let mut limbs: Vec<Limb> = legs.iter().map(|leg| leg.limb).collect();
            limbs.sort_by_key(|limb| limb.end);
            limbs
        };
        assert_eq!(limbs(&found.legs), limbs(&named), "{file}: {}", found.reason);
    }
}

/// The right arm of files by name, and a joint of the hand; `-` where the whole body holds, as it does a head and an elbow.
const RIGHT_ARMS: [(&str, &str, &str, &str); 16] = [
    ("Boxing_Toes", "RightShoulder RightElbow RightWrist", "RightWrist", "RightElbow"),
    ("bvhfiles_jl_example", "J_R_Shoulder J_R_Elbow J_R_Hand", "J_R_Hand", "J_R_Elbow"),
    ("bvhio_example", "RightUpArm RightLowArm RightHand", "RightHand", "RightCollar"),
    ("cmu_01_01_cgspeed", "RightArm RightForeArm RightHand", "RThumb", "RightForeArm"),
    ("cmu_12_01_walk_cgspeed", "RightArm RightForeArm RightHand", "RightHandIndex1", "Head"),
    (
        "cmu_iclone_002_01",
        "CC_Base_R_Upperarm CC_Base_R_Forearm CC_Base_R_Hand",
        "CC_Base_R_Thumb3",
        "CC_Base_Head",
    ),
    ("kinect_openni", "ShoulderRight ElbowRight WristRight", "WristRight", "Head"),
    ("makehuman_dance1", "UpArm_R LoArm_R Hand_R", "Thumb3_R", "UpArm_R"),
    ("makehuman_face_poseunits", "upperarm01.R lowerarm01.R wrist.R", "wrist.R", "neck03"),
    ("makehuman_walk1", "UpArm_R LoArm_R Hand_R", "Index2_R", "LoLeg_R"),
    ("meredith_figure8_walk", "RightArm RightForeArm RightHand", "RightHand_End", "Spine"),
    ("mocapbank", "RightShoulder RightElbow RightWrist", "RightWrist", "Neck"),
    ("pybvh_bvh_test1", "RightArm RightForeArm RightHand", "RightHand", "Spine3"),
    ("pybvh_bvh_test2", "RightShoulder RightElbow RightWrist", "RightWrist", "Head"),
    ("salsa_10_daz", "rShldr rForeArm rHand", "rIndex2", "lForeArm"),
    ("walk01_blender", "RightArm RightForeArm RightHand", "RightHand", "RightForeArm"),
];

/// What holds a joint of a clip, by name.
fn holder(clip: &Clip, joint: usize) -> String {
    let frame = Frame::new(joint, Pose::IDENTITY);
    let hold_now = Hold::Position(None);
    let contact = Contact {
        frame,
        from: 0.0,
        to: 0.0,
        hold: hold_now,
        on: Support::World,
        ease_in: 0.0,
        ease_out: 0.0,
    };
    let legs = find_legs(clip).legs.iter().map(|leg| leg.limb).collect();
    let held = hold(clip, &[contact], &HoldSettings { legs, ..HoldSettings::default() }).unwrap();
    let name = |joint: usize| clip.skeleton().name(joint);
    held.contacts[0].limb.map_or("-".to_owned(), |Limb { start, mid, end }| {
        format!("{} {} {}", name(start), name(mid), name(end))
    })
}

#[test]
fn hands_are_held_by_their_arms_and_heads_by_the_whole_body() {
    for (file, clip) in &clips::all() {
        let known = RIGHT_ARMS.iter().find(|(name, ..)| name == file);
        let Some((_, arm, hand, other)) = known else { continue };
        let joint = |name: &str| clip.skeleton().find(name).unwrap();
        assert_eq!(holder(clip, joint(hand)), *arm, "{file}: {hand}");
        assert_eq!(holder(clip, joint(other)), "-", "{file}: {other}");
    }
}

#[test]
fn without_their_names_arms_hold_hands_by_shape() {
    let (mut n_same, mut n_arms) = (0, 0);
    for (file, clip) in clips::sound() {
        let known = RIGHT_ARMS.iter().find(|(name, ..)| *name == file);
        let Some((_, arm, ..)) = known else { continue };
        let joints = arm.split(' ').map(|name| clip.skeleton().find(name).unwrap());
        let joints: Vec<usize> = joints.collect();
        let unnamed = clips::unnamed(&clip);
        let names: Vec<&str> = joints.iter().map(|joint| unnamed.skeleton().name(*joint)).collect();
        let found = holder(&unnamed, joints[2]);
        println!("{file}: {found}, {}", names.join(" "));
        n_same += usize::from(found == names.join(" "));
        n_arms += 1;
    }
    // The collar bones of cmu_12_01 are as long as forearms.
    assert!(n_same + 1 >= n_arms, "{n_same} of {n_arms}");
}

/// Rigs have joints that steer the feet, and move them in some motions and not in others.
#[test]
fn all_motions_of_a_figure_have_the_same_legs() {
    let Some(assets) = common::assets() else { return };
    let mut n_files = 0;
    for path in common::gltf_files(&assets) {
        let (options, limits) = (MotionOptions::default(), Limits::default());
        let Ok(file) = MotionFile::open(&path, &options, &limits, &mut Warnings::new()) else {
            continue;
        };
        let legs = |index: usize| {
            let clip = file.clip(index).ok()?;
            Some(shown(clip, &find_legs(clip)))
        };
        let all: Vec<String> = (0..file.n_clips()).filter_map(legs).collect();
        n_files += usize::from(all.len() > 1);
        for (index, legs) in all.iter().enumerate() {
            assert_eq!(legs, &all[0], "{}: {index}", path.display());
        }
    }
    assert!(n_files >= 4, "{n_files} files of several motions");
}

/// Who sits on the floor has hands that end as low as feet.
#[test]
fn hands_of_a_sitting_figure_are_no_legs() {
    let all = clips::all();
    for (name, clip) in all.iter().filter(|(name, _)| name == "mocapbank") {
        let legs = shown(clip, &find_legs(clip));
        for start in (0..clip.n_frames() - 150).step_by(20) {
            let part = (start..start + 150).flat_map(|frame| clip.frame(frame).to_vec()).collect();
            let part = clip.with_values(part).unwrap();
            assert_eq!(shown(&part, &find_legs(&part)), legs, "{name} from frame {start}");
        }
    }
    assert!(all.is_empty() || all.iter().any(|(name, _)| name == "mocapbank"));
}
