//! Motions of the shared assets as clips.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]
#![allow(dead_code, reason = "every suite uses a part of it")]

use std::path::Path;

use posekit::glam::DVec3;
use posekit::skeleton::{Joint, JointKind, Skeleton};
use posekit_io::bvh::{self, Axis, Convention, Options, Positions, Rig};
use posekit_io::{Limits, Warnings};
use posekit_motion::Clip;

use super::common;

/// Every BVH of the shared assets by name; none where the assets are not at hand.
pub(crate) fn all() -> Vec<(String, Clip)> {
    let Some(assets) = common::assets() else { return Vec::new() };
    let entries = std::fs::read_dir(assets.join("bvh")).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    files.iter().map(|path| (name(path), read(path))).collect()
}

/// A BVH as a clip: up, and the rule for positions, as they seem to be.
pub(crate) fn read(path: &Path) -> Clip {
    let warnings = &mut Warnings::new();
    let file = bvh::read_file(path, &Options::lenient(), &Limits::default(), warnings).unwrap();
    let survey = bvh::survey(&file);
    let rule = survey.positions.unwrap_or(Positions::FromOffset);
    let rig = Rig::try_new(&file, &Convention::default().with_positions(rule), warnings).unwrap();
    let up = survey.up.map_or(DVec3::Y, |up| {
        let axis = match up.axis {
            Axis::X => DVec3::X,
            Axis::Y => DVec3::Y,
            Axis::Z => DVec3::Z,
        };
        if up.is_negative { -axis } else { axis }
    });
    let values = rig.configurations(&file);
    let clip = Clip::try_new(rig.skeleton().clone(), file.frame_time(), values).unwrap();
    clip.with_up(up).unwrap().with_metres_per_unit(survey.metres_per_unit)
}

/// Files that are no sound motion of a whole figure over time, and why.
const NOT_SOUND: [(&str, &str); 12] = [
    ("bvh_anim_simple", "two joints"),
    ("bvhfiles_jl_example", "its feet never keep still"),
    ("bvhio_example", "two frames"),
    ("fairmotion_sinusoidal", "a chain"),
    ("kinect_openni", "full of the sensor's noise"),
    ("makehuman_dance1", "one frame"),
    ("makehuman_face_poseunits", "a face"),
    ("makehuman_tpose", "one frame"),
    ("makehuman_walk1", "half a second by hand, feet that go through the floor"),
    ("makehuman_zombieWalk1", "walks on the spot"),
    ("pybvh_full_precision_frame_time", "two joints"),
    ("pybvh_rotation_first_root", "four joints"),
];

/// The sound motions of the shared assets by name: optical captures, CMU's most of them.
pub(crate) fn sound() -> Vec<(String, Clip)> {
    let is_sound = |(name, _): &(String, Clip)| !NOT_SOUND.iter().any(|(other, _)| other == name);
    // The first frame of files made by `cgspeed` is a pose with spread arms at the origin.
    let cut = |(name, clip): (String, Clip)| {
        let from = usize::from(name.contains("cgspeed"));
        let n = clip.skeleton().n_values();
        let values = clip.values()[from * n..].to_vec();
        let start = clip.time(from);
        (name, clip.with_values(values).unwrap().with_start(start))
    };
    all().into_iter().filter(is_sound).map(cut).collect()
}

/// The same clip of joints that are only numbered.
pub(crate) fn unnamed(clip: &Clip) -> Clip {
    let skeleton = clip.skeleton();
    let joints = (0..skeleton.n_joints()).map(|joint| {
        let name = format!("joint {joint}");
        let made = match skeleton.kind(joint) {
            JointKind::Free => Joint::free(name),
            JointKind::Fixed => Joint::fixed(name),
            _ => Joint::ball(name),
        };
        let made = made.at(skeleton.parent_from_joint(joint));
        skeleton.parent(joint).map_or(made.clone(), |parent| made.child_of(parent))
    });
    let built = Skeleton::try_new(joints.collect()).unwrap();
    let made = Clip::try_new(built, clip.frame_time(), clip.values().to_vec()).unwrap();
    made.with_up(clip.up()).unwrap()
}
