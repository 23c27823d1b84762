//! Every motion file of the shared assets: to clips, back unchanged, back edited, and from one format to the other.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a helper of a test may fail and speak as a test does"
)]

use crate::common;

use std::path::{Path, PathBuf};

use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, rotation_about, so3_log};
use posekit::skeleton::{JointKind, Skeleton};
use posekit_io::gltf::{folder, no_files};
use posekit_io::motion::{Format, MotionFile, MotionOptions, Written, to_bvh, to_glb};
use posekit_io::{Limits, Result, Warnings};
use posekit_motion::{
    CleanSettings, Clip, Contact, Hold, HoldSettings, Keep, Leg, Limb, along_path, clean_within,
};

use common::{assets, gltf_files};

/// The one that has a row more than it says.
const MISCOUNTED: &str = "Boxing_Toes.bvh";

fn bvh_files(assets: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(assets.join("bvh")).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "bvh"));
    files.sort();
    files
}

/// Leniently where it must be: one of the files declares a frame too few.
fn open(path: &Path) -> Result<MotionFile> {
    let options = MotionOptions::default();
    let open = |options| MotionFile::open(path, &options, &Limits::default(), &mut Warnings::new());
    open(options).or_else(|_| open(options.lenient()))
}

/// Reads what was written beside the file that it came from.
fn again(written: &Written, path: &Path) -> MotionFile {
    let mut others = folder(path.parent().unwrap(), Limits::default());
    let mut resolve = |name: &str| {
        let new = written.beside.iter().find(|file| file.path == name);
        new.map_or_else(|| others(name), |file| Ok(file.bytes.clone()))
    };
    let options = MotionOptions::default();
    let warnings = &mut Warnings::new();
    MotionFile::from_bytes(&written.file, &mut resolve, &options, &Limits::default(), warnings)
        .unwrap()
}

fn from_bytes(bytes: &[u8], options: &MotionOptions) -> MotionFile {
    let warnings = &mut Warnings::new();
    MotionFile::from_bytes(bytes, &mut no_files, options, &Limits::default(), warnings).unwrap()
}

/// Every joint that can is turned a little more from frame to frame, every second one only in the second half, and free ones are moved.
fn edited(clip: &Clip) -> Clip {
    let (skeleton, n) = (clip.skeleton(), clip.n_frames());
    let mut values = clip.values().to_vec();
    let size = size(clip);
    for (frame, q) in values.chunks_exact_mut(skeleton.n_values().max(1)).enumerate() {
        let part = frame as f64 / n as f64;
        for joint in (0..skeleton.n_joints()).filter(|joint| joint % 2 == 0 || part > 0.5) {
            let range = skeleton.value_range(joint);
            match skeleton.kind(joint) {
                JointKind::Ball | JointKind::Free => {
                    let at = range.end - 4;
                    let turn = DQuat::from_slice(&q[at..range.end]);
                    let more = rotation_about(DVec3::new(0.6, 0.0, 0.8), 0.3 + part);
                    q[at..range.end].copy_from_slice(&(turn * more).to_array());
                    if skeleton.kind(joint) == JointKind::Free {
                        q[range.start + 1] += 0.1 * size;
                    }
                }
                JointKind::Revolute { .. } => q[range.start] += 0.2,
                _ => {}
            }
        }
    }
    clip.with_values(values).unwrap()
}

fn size(clip: &Clip) -> f64 {
    let poses = clip.skeleton().poses(&clip.skeleton().neutral());
    let off = |pose: &Pose| (pose.translation - poses[0].translation).length();
    poses.iter().map(off).fold(1e-3, f64::max)
}

/// How far two clips are apart: the largest distance of joints of the same name, and the largest angle between rotations of the same joint.
fn apart(a: &Clip, b: &Clip) -> f64 {
    assert_eq!(a.n_frames(), b.n_frames(), "as many frames");
    let name = |skeleton: &Skeleton, joint: usize| skeleton.name(joint).to_owned();
    let pairs: Vec<(usize, usize)> = (0..a.skeleton().n_joints())
        .map(|joint| (joint, b.skeleton().find(&name(a.skeleton(), joint)).unwrap()))
        .collect();
    let mut most: f64 = 0.0;
    for frame in 0..a.n_frames() {
        let (p, q) = (a.skeleton().poses(a.frame(frame)), b.skeleton().poses(b.frame(frame)));
        for &(i, j) in &pairs {
            most = most.max((p[i].translation - q[j].translation).length());
        }
    }
    most
}

/// The largest angle between the rotations of the same joints.
fn turned(a: &Clip, b: &Clip) -> f64 {
    let mut most: f64 = 0.0;
    for frame in 0..a.n_frames() {
        let (p, q) = (a.skeleton().poses(a.frame(frame)), b.skeleton().poses(b.frame(frame)));
        for (p, q) in p.iter().zip(&q) {
            most = most.max(so3_log(p.rotation.conjugate() * q.rotation).length());
        }
    }
    most
}

/// Of a text that was edited, all words stay as they are but the numbers of joints from the frame on in which they differ.
fn assert_others_stay(file: &MotionFile, new: &Clip, before: &[u8], after: &[u8]) {
    let words = |text: &[u8]| -> Vec<Vec<u8>> {
        let words = text.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
        words.map(<[u8]>::to_vec).collect()
    };
    let (before, after) = (words(before), words(after));
    assert_eq!(before.len(), after.len(), "as many words");
    let (bvh, clip) = (file.bvh().unwrap(), file.clip(0).unwrap());
    let mut may_differ = vec![false; before.len()];
    let first = before.len() - bvh.n_frames() * bvh.n_channels();
    let nodes: Vec<usize> =
        (0..bvh.nodes().len()).filter(|&node| !bvh.nodes()[node].is_end_site).collect();
    // Behind an edit, angles may have to go on by whole turns.
    let mut is_edited = vec![false; nodes.len()];
    for frame in 0..bvh.n_frames() {
        for (joint, &node) in nodes.iter().enumerate() {
            let range = clip.skeleton().value_range(joint);
            is_edited[joint] |= clip.frame(frame)[range.clone()] != new.frame(frame)[range];
            if is_edited[joint] {
                let start = first + frame * bvh.n_channels();
                bvh.channel_range(node).for_each(|channel| may_differ[start + channel] = true);
            }
        }
    }
    for (index, (old, new)) in before.iter().zip(&after).enumerate() {
        assert!(may_differ[index] || old == new, "word {index}");
    }
}

#[test]
fn every_bvh_is_edited_and_read_again() {
    let Some(assets) = assets() else { return };
    let files = bvh_files(&assets);
    assert!(files.len() > 25, "{} files", files.len());
    for path in files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let file = open(&path).unwrap();
        assert_eq!((file.format(), file.n_clips()), (Format::Bvh, 1));
        let clip = file.clip(0).unwrap();
        println!(
            "{name}: {} joints, {} frames, {}",
            clip.skeleton().n_joints(),
            clip.n_frames(),
            file.survey()
        );
        let same = file.write(0, clip, "").unwrap();
        assert_eq!(same.joints, [0], "{name}");
        let text = std::fs::read(&path).unwrap();
        let is_right = name != MISCOUNTED;
        let expected = if is_right { text.clone() } else { file.bvh().unwrap().to_bytes() };
        assert!(same.file == expected, "{name}: a file that is not edited stays as it is");
        let new = edited(clip);
        let written = file.write(0, &new, "").unwrap();
        assert!(written.joints[0] > 0 || clip.n_frames() == 0, "{name}");
        let convention =
            MotionOptions::default().with_positions(posekit_io::bvh::Positions::FromOffset);
        let _ = convention;
        if is_right {
            assert_others_stay(&file, &new, &text, &written.file);
        }
        let back = again(&written, &path);
        if written.loss.angle > 1e-9 || written.loss.distance > 1e-9 {
            println!("  loses {:?}", written.loss);
            continue;
        }
        // What positions count from is guessed anew, and an edit may change the guess.
        let scale = size(clip).max(1.0);
        let miss = apart(&new, back.clip(0).unwrap()) / scale;
        assert!(miss < 1e-9, "{name}: {miss} off");
    }
}

#[test]
fn every_gltf_is_edited_and_read_again() {
    let Some(assets) = assets() else { return };
    let files = gltf_files(&assets.join("gltf"));
    assert!(files.len() > 15, "{} files", files.len());
    let mut n_clips = 0;
    for path in files {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let file = open(&path).unwrap();
        println!("{name}: {}, {} motions", file.format(), file.n_clips());
        // The rest of a long list goes the same way.
        for index in 0..file.n_clips().min(4) {
            let clip = file.clip(index).unwrap();
            n_clips += 1;
            println!(
                "  {:?}: {} joints, {} free, {} frames at {:.2}/s from {} s",
                file.clip_name(index),
                clip.skeleton().n_joints(),
                (0..clip.skeleton().n_joints())
                    .filter(|&j| clip.skeleton().kind(j) == JointKind::Free)
                    .count(),
                clip.n_frames(),
                1.0 / clip.frame_time(),
                clip.start(),
            );
            assert!((file.seconds(index) - clip.duration()).abs() <= clip.frame_time());
            let same = file.write(index, clip, "new").unwrap();
            assert_eq!(
                (&same.joints[..], &same.file),
                (&[0][..], &std::fs::read(&path).unwrap()),
                "{name}"
            );
            let new = edited(clip);
            let written = file.write(index, &new, "new").unwrap();
            let back = again(&written, &path);
            let back = back.clip(index).unwrap();
            assert_eq!(back.skeleton().n_joints(), new.skeleton().n_joints());
            let miss = apart(&new, back) / size(clip);
            assert!(miss < 2e-6, "{name}, motion {index}: {miss} off");
            assert!(turned(&new, back) < 2e-6, "{name}, motion {index}");
        }
    }
    assert!(n_clips > 10, "{n_clips} motions");
}

/// A clip that was rested has as many joints and stands where it stood.
#[test]
fn every_motion_goes_from_one_format_to_the_other() {
    let Some(assets) = assets() else { return };
    let all = bvh_files(&assets).into_iter().chain(gltf_files(&assets.join("gltf")));
    for path in all {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let file = open(&path).unwrap();
        for index in 0..file.n_clips().min(2) {
            let clip = file.clip(index).unwrap();
            if clip.n_frames() == 0 {
                assert!(to_glb(clip, "x").unwrap_err().to_string().contains("no frames"), "{name}");
                continue;
            }
            let size = size(clip);
            let bvh = to_bvh(clip).unwrap();
            let options =
                MotionOptions::default().with_positions(posekit_io::bvh::Positions::FromParent);
            let back = from_bytes(&bvh.to_bytes(), &options);
            let miss = apart(clip, back.clip(0).unwrap()) / size;
            // Every joint is written to eight decimals.
            assert!(miss < 1e-7, "{name}, motion {index}, as BVH: {miss} off");
            let glb = to_glb(clip, "motion").unwrap();
            let options = MotionOptions::default().with_fps(1.0 / clip.frame_time());
            let back = from_bytes(&glb, &options);
            if back.n_clips() == 0 {
                println!("{name}, motion {index}: nothing moves");
                continue;
            }
            let back = back.clip(0).unwrap();
            // Turned upright and in metres, the places of joints are compared.
            let unit = clip.metres_per_unit().unwrap_or(1.0);
            let turn = posekit::math::shortest_rotation(clip.up(), DVec3::Y);
            assert_eq!(back.up(), DVec3::Y);
            for frame in [0, clip.n_frames() / 2, clip.n_frames() - 1] {
                let then = clip.skeleton().poses(clip.frame(frame));
                let mut q = vec![0.0; back.skeleton().n_values()];
                back.sample(clip.time(frame), &mut q);
                let now = back.skeleton().poses(&q);
                let far = then.iter().map(|pose| pose.translation.length()).fold(size, f64::max);
                for joint in 0..clip.skeleton().n_joints() {
                    let own = back.skeleton().find(clip.skeleton().name(joint)).unwrap();
                    let place = turn * then[joint].translation * unit;
                    let miss = (now[own].translation - place).length() / (far * unit);
                    assert!(
                        miss < 3e-6,
                        "{name}, motion {index}, frame {frame}: {} {miss} off",
                        clip.skeleton().name(joint)
                    );
                }
            }
        }
    }
}

/// Nobody says by which rule positions of a new BVH count: what its reader guesses is what was meant, also of figures that sit and lie.
#[test]
fn every_motion_of_a_gltf_is_read_as_it_was_when_it_is_a_bvh() {
    let Some(assets) = assets() else { return };
    let (mut n_clips, mut n_at_rest) = (0, 0);
    for path in gltf_files(&assets.join("gltf")) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let file = open(&path).unwrap();
        for index in 0..file.n_clips() {
            let clip = file.clip(index).unwrap();
            let bvh = to_bvh(clip).unwrap();
            let back = from_bytes(&bvh.to_bytes(), &MotionOptions::default());
            let back = back.clip(0).unwrap();
            let miss = apart(clip, back) / size(clip);
            assert!(miss < 1e-7, "{name}, motion {index}: {miss} off");
            n_clips += 1;
            n_at_rest += usize::from(is_same_at_rest(clip.skeleton(), back.skeleton()));
        }
    }
    println!("{n_at_rest} of {n_clips} motions have the bones that they had");
    assert!(n_clips > 100 && n_at_rest + 5 > n_clips, "{n_at_rest} of {n_clips}");
}

/// Whether all joints but roots stand on their parents as they did.
fn is_same_at_rest(a: &Skeleton, b: &Skeleton) -> bool {
    let (p, q) = (a.poses(&a.neutral()), b.poses(&b.neutral()));
    (0..a.n_joints()).all(|joint| {
        let Some(parent) = a.parent(joint) else { return true };
        let of = |joint: usize| b.find(a.name(joint)).unwrap();
        let bone = p[joint].translation - p[parent].translation;
        (bone - (q[of(joint)].translation - q[of(parent)].translation)).length() < 1e-9
    })
}

/// How far apart joints are in the first pose and the last one, as seen from the joint that carries the legs, and how far that joint goes \[the clip's unit\].
fn gap_of_ends(clip: &Clip, hips: usize) -> (f64, DVec3) {
    let last = clip.n_frames() - 1;
    let [first, last] = [0, last].map(|frame| clip.skeleton().poses(clip.frame(frame)));
    let travel = last[hips].translation - first[hips].translation;
    let off = first.iter().zip(&last).map(|(a, b)| b.translation - a.translation - travel);
    (off.map(DVec3::length).fold(0.0, f64::max), travel)
}

/// By how much a pose and a place, which are the same at both ends of a clip, are so no more in another one \[leg lengths\].
fn opened(clip: &Clip, other: &Clip, leg: Limb) -> f64 {
    let (gap, travel) = gap_of_ends(clip, leg.start);
    let (gap_after, travel_after) = gap_of_ends(other, leg.start);
    (gap_after - gap).max(travel_after.distance(travel)) / leg.length(clip.skeleton())
}

#[test]
fn cycles_stay_closed_when_feet_are_made_to_stand() {
    let Some(assets) = assets() else { return };
    let (mut n_cycles, mut n_given) = (0, 0);
    for name in ["Knight.glb", "Fox.glb", "CesiumMan.glb"] {
        let file = open(&assets.join("gltf").join(name)).unwrap();
        for index in 0..file.n_clips() {
            let clip = file.clip(index).unwrap();
            let legs = file.legs_of(clip).legs;
            let Some(Leg { limb, .. }) = legs.first().filter(|_| clip.n_frames() > 8) else {
                continue;
            };
            let (gap, travel) = gap_of_ends(clip, limb.start);
            if gap.max(travel.length()) > 1e-3 * limb.length(clip.skeleton()) {
                continue;
            }
            n_cycles += 1;
            let limb = *limb;
            let settings = CleanSettings { legs: Some(legs.clone()), ..CleanSettings::default() };
            let stays = |settings: &CleanSettings, keep: Option<&Keep>, how: &str| {
                let cleaned = clean_within(clip, settings, keep).unwrap();
                let by = opened(clip, &cleaned.clip, limb);
                assert!(by < 1e-3, "{name}, {:?}, {how}: {by} legs", file.clip_name(index));
                cleaned
            };
            let found = stays(&settings, None, "as found");
            let aside = DVec3::new(0.02, 0.0, 0.0) * limb.length(clip.skeleton());
            let contacts: Vec<Contact> = found
                .stands()
                .iter()
                .map(|contact| match contact.hold {
                    Hold::Position(Some(at)) => {
                        Contact { hold: Hold::Position(Some(at + aside)), ..contact.clone() }
                    }
                    _ => contact.clone(),
                })
                .collect();
            n_given += contacts.len();
            let given = CleanSettings { contacts: Some(contacts.clone()), ..settings.clone() };
            let held = stays(&given, None, "contacts given");
            assert_eq!(held.contacts, contacts, "those that were given come back");
            assert_eq!(held.held.len(), contacts.len(), "and no others are reported");
            let hold = HoldSettings { max_stretch: 0.02, ..HoldSettings::default() };
            let _ = stays(&CleanSettings { hold, ..settings.clone() }, None, "bones may stretch");
            let n_joints = clip.skeleton().n_joints();
            let mut keep = Keep { axes: vec![None; n_joints], moves: vec![[true; 3]; n_joints] };
            legs.iter().for_each(|leg| keep.axes[leg.limb.mid] = Some(vec![DVec3::X]));
            let _ = stays(&settings, Some(&keep), "knees with one axis");
            // Its hips are lowered, and its feet made to stand again.
            let down = clip.up() * (-0.05 * limb.length(clip.skeleton()));
            let lowered = along_path(&found.clip, &legs, &vec![down; clip.n_frames()]);
            let lowered = lowered.unwrap().unwrap();
            let again = found.hold_again(&lowered, &settings, None).unwrap().clip;
            let by = opened(&lowered, &again, limb);
            assert!(by < 3e-3, "{name}, {:?}, lowered: {by} legs", file.clip_name(index));
        }
    }
    assert!(n_cycles > 40, "{n_cycles} cycles");
    assert!(n_given > 200, "{n_given} contacts given");
}

#[test]
fn the_legs_that_a_vrm_names_are_known() {
    let Some(assets) = assets() else { return };
    let mut n_files = 0;
    for path in gltf_files(&assets.join("gltf")) {
        let file = open(&path).unwrap();
        let Some(legs) = file.legs() else { continue };
        n_files += 1;
        let rest = file.rest().unwrap();
        let skeleton = rest.skeleton();
        let poses = skeleton.poses(rest.frame(0));
        println!("{}: {} legs", path.display(), legs.len());
        for leg in legs {
            let limb = leg.limb;
            let is_below = skeleton.ancestors(limb.end).any(|joint| joint == limb.mid)
                && skeleton.ancestors(limb.mid).any(|joint| joint == limb.start);
            assert!(is_below, "{}: a chain", path.display());
            assert!(poses[limb.end].translation.y < poses[limb.start].translation.y, "{leg:?}");
        }
    }
    assert!(n_files >= 2, "{n_files} files name legs");
}
