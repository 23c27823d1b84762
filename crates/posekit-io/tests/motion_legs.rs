//! Finding legs in every motion of the shared assets.

mod common;

#[path = "support/clips.rs"]
mod clips;

use posekit::motion::{Clip, Leg, Legs, Limb, find_legs};
use posekit_io::motion::{MotionFile, MotionOptions};
use posekit_io::{Limits, Warnings};

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
