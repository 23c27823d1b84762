//! Solutions of two bones and of aims, written into the joint values of every character of the shared assets.
//!
//! Cause: the rotations of a solution are relative to the parent, while a joint's values are its motion behind its placement on
//! the parent. Written straight into them, feet of glTF characters missed their targets by half a leg and more.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a helper of a test may fail and speak as a test does"
)]

use crate::common;

use crate::clips;

use posekit::glam::{DQuat, DVec3};
use posekit::limb::{Aim, Pole, TwoBone};
use posekit::math::{direction_or, rotation_about};
use posekit::skeleton::Skeleton;
use posekit_io::motion::{MotionFile, MotionOptions};
use posekit_io::{Limits, Warnings};
use posekit_motion::{Clip, find_legs};

/// A pose of a character, and its legs: hip, knee and ankle.
struct Case {
    name: String,
    skeleton: Skeleton,
    q: Vec<f64>,
    legs: Vec<[usize; 3]>,
}

impl Case {
    fn new(name: String, clip: &Clip) -> Self {
        let legs = find_legs(clip).legs;
        let legs = legs.iter().map(|leg| [leg.limb.start, leg.limb.mid, leg.limb.end]).collect();
        let q = clip.frame(clip.n_frames() / 2).to_vec();
        Self { name, skeleton: clip.skeleton().clone(), q, legs }
    }
}

/// Every character of the shared assets that has legs.
fn characters() -> Vec<Case> {
    let Some(assets) = common::assets() else { return Vec::new() };
    let mut cases: Vec<Case> = Vec::new();
    for path in common::gltf_files(&assets) {
        let (options, limits) = (MotionOptions::default(), Limits::default());
        let Ok(file) = MotionFile::open(&path, &options, &limits, &mut Warnings::new()) else {
            continue;
        };
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        cases.extend(file.rest().map(|clip| Case::new(format!("{name}, at rest"), &clip)));
        cases.extend(file.clip(0).map(|clip| Case::new(name, clip)));
    }
    cases.extend(clips::all().into_iter().map(|(name, clip)| Case::new(name, &clip)));
    cases.retain(|case| !case.legs.is_empty());
    cases
}

fn at(case: &Case, q: &[f64], joint: usize) -> DVec3 {
    case.skeleton.world_pose(q, joint).unwrap().translation
}

/// Limbs with their targets, all in reach: the foot drawn in and swung about the hip; and the length of the leg.
fn limbs(case: &Case) -> Vec<([usize; 3], TwoBone, f64)> {
    let mut all = Vec::new();
    for &joints in &case.legs {
        let [hip, knee, foot] = joints.map(|joint| at(case, &case.q, joint));
        let (thigh, shin) = (hip.distance(knee), knee.distance(foot));
        let (inner, outer) = ((thigh - shin).abs(), thigh + shin);
        for (part, axis, angle) in [
            (0.0, DVec3::X, 0.4),
            (0.3, DVec3::Z, -0.9),
            (0.7, DVec3::new(0.6, 0.8, 0.0), 2.0),
            (0.95, DVec3::Y, 3.0),
        ] {
            let distance = inner + (0.05 + 0.9 * part) * (outer - inner);
            let line = rotation_about(axis, angle) * direction_or(foot - hip, DVec3::X);
            let target = hip + line * distance;
            let limb = TwoBone::on_skeleton(&case.skeleton, &case.q, joints, target).unwrap();
            let pole = Pole::Direction(DVec3::new(0.3, 0.1, 0.9));
            all.extend([(joints, limb, outer), (joints, limb.with_pole(pole), outer)]);
        }
    }
    all
}

#[test]
fn feet_stand_on_their_targets() {
    let (mut n, mut worst) = (0, 0.0_f64);
    let characters = characters();
    for case in &characters {
        for (joints, limb, length) in limbs(case) {
            let solution = limb.solve().unwrap();
            assert!(solution.reach.is_reached(), "{}: {:?}", case.name, solution.reach);
            let mut q = case.q.clone();
            assert!(solution.apply(&case.skeleton, &mut q, joints).unwrap(), "{}", case.name);
            let [hip, knee, foot] = joints.map(|joint| at(case, &q, joint));
            let miss = foot.distance(limb.target).max(knee.distance(solution.mid)) / length;
            assert!(miss < 1e-9, "{}: {miss}", case.name);
            assert!(hip.distance(limb.start) <= 1e-9 * length, "{}: the hip moved", case.name);
            (n, worst) = (n + 1, worst.max(miss));
        }
    }
    println!("{} poses of characters, {n} limbs, worst miss {worst:e}", characters.len());
    assert!(characters.is_empty() || characters.len() >= 30, "{} characters", characters.len());
}

/// The rotation where a user without `apply` would write it.
fn write_straight(skeleton: &Skeleton, q: &mut [f64], joint: usize, rotation: DQuat) {
    let values = skeleton.value_range(joint);
    rotation.write_to_slice(&mut q[values.end - 4..values.end]);
}

#[test]
fn written_behind_the_placement_unchanged_feet_are_off() {
    let mut off: Vec<&str> = Vec::new();
    let characters = characters();
    for case in &characters {
        let worst = limbs(case).into_iter().map(|(joints, limb, length)| {
            let solution = limb.solve().unwrap();
            let [start, mid, end] = joints;
            let rotation = |joint| case.skeleton.world_rotation(&case.q, joint).unwrap();
            let above = |joint| case.skeleton.parent(joint).map_or(DQuat::IDENTITY, rotation);
            let mut q = case.q.clone();
            let on_start = solution.parent_from_start(above(start), rotation(start));
            let on_mid = solution.parent_from_mid(above(mid), rotation(mid));
            write_straight(&case.skeleton, &mut q, start, on_start);
            write_straight(&case.skeleton, &mut q, mid, on_mid);
            at(case, &q, end).distance(limb.target) / length
        });
        let worst = worst.fold(0.0, f64::max);
        println!("{}: {worst:.3} of the leg", case.name);
        if worst > 0.2 {
            off.push(&case.name);
        }
    }
    assert!(characters.is_empty() || off.len() >= 4, "{off:?}");
}

#[test]
fn knees_look_at_points() {
    for case in &characters() {
        for &[hip, knee, foot] in &case.legs {
            let mut q = case.q.clone();
            let target = at(case, &q, hip) + DVec3::new(0.7, -0.2, 0.9);
            let shin = case.skeleton.world_pose(&q, knee).unwrap();
            let along = shin.inverse().transform_point(at(case, &q, foot));
            let aim = Aim::on_skeleton(&case.skeleton, &q, knee, target).unwrap();
            let solution = aim.with_forward(along).solve().unwrap();
            assert!(solution.apply(&case.skeleton, &mut q, knee).unwrap(), "{}", case.name);
            let (from, to) = (at(case, &q, knee), at(case, &q, foot));
            let along = |line: DVec3| direction_or(line, DVec3::ZERO);
            let off = along(to - from).cross(along(target - from)).length();
            assert!(off < 1e-9, "{}: {off}", case.name);
        }
    }
}
