//! Closed forms of arms: every family, on arms made for it.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up its problem must stop")]

use glam::{DQuat, DVec3};
use posekit::arm::{Arm, ArmSettings};
use posekit::glam;
use posekit::math::Pose;
use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
use std::f64::consts::{FRAC_PI_2, PI};

/// A number in 0..1 from a counter: `SplitMix64`.
fn uniform(state: &mut u64) -> f64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// An arm from its Denavit-Hartenberg table: rows of `d`, `a` and `alpha` behind each joint.
fn from_table(table: &[[f64; 3]], limit: Limit) -> (Skeleton, Frame) {
    let mut builder = Skeleton::builder();
    let mut placement = Pose::from_translation(DVec3::new(0.1, -0.2, 0.3));
    let mut last = None;
    for (i, [d, a, alpha]) in table.iter().enumerate() {
        let mut joint = Joint::revolute(format!("joint{i}"), DVec3::Z).at(placement).with_limit(limit);
        if let Some(last) = last {
            joint = joint.child_of(last);
        }
        last = Some(builder.add(joint));
        placement = Pose::from_translation(DVec3::Z * *d)
            * Pose::new(DQuat::from_rotation_x(*alpha), DVec3::X * *a);
    }
    (builder.build().unwrap(), Frame::new(last.unwrap(), placement))
}

const FREE: Limit = Limit::Range { min: -PI, max: PI };

const PUMA: [[f64; 3]; 6] = [
    [0.0, 0.0, -FRAC_PI_2],
    [0.2435, 0.4318, 0.0],
    [-0.0934, -0.0203, FRAC_PI_2],
    [0.4331, 0.0, -FRAC_PI_2],
    [0.0, 0.0, FRAC_PI_2],
    [0.0563, 0.0, 0.0],
];
const UR5E: [[f64; 3]; 6] = [
    [0.1625, 0.0, FRAC_PI_2],
    [0.0, -0.425, 0.0],
    [0.0, -0.3922, 0.0],
    [0.1333, 0.0, FRAC_PI_2],
    [0.0997, 0.0, -FRAC_PI_2],
    [0.0996, 0.0, 0.0],
];

fn random(skeleton: &Skeleton, state: &mut u64) -> Vec<f64> {
    let mut q = skeleton.neutral();
    for (joint, x) in q.iter_mut().enumerate() {
        let (min, max) = skeleton.limit(joint).bounds();
        *x = min + (max - min) * uniform(state);
    }
    q
}

#[test]
fn generating_configuration_is_among_the_solutions() {
    for (name, table) in [("puma", PUMA), ("ur5e", UR5E)] {
        let (skeleton, tool) = from_table(&table, FREE);
        let arm = Arm::new(&skeleton, tool).unwrap();
        println!("{name}: {}", arm.family().unwrap());
        let (mut state, mut count, mut worst) = (1, 0, 0.0_f64);
        for problem in 0..1000 {
            let truth = random(&skeleton, &mut state);
            let start = random(&skeleton, &mut state);
            let target = tool.world(&skeleton.poses(&truth));
            let all = arm.solutions(target, &start, &ArmSettings::default()).unwrap();
            count += all.len();
            for q in &all {
                let pose = tool.world(&skeleton.poses(q));
                worst = worst.max(pose.translation.distance(target.translation));
                let by = (pose.rotation.inverse() * target.rotation).xyz().length();
                worst = worst.max(2.0 * by);
            }
            let nearest = all.iter().map(|q| q.iter().zip(&truth).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)).fold(f64::INFINITY, f64::min);
            assert!(nearest < 1e-6, "{name} {problem}: {nearest} {}", all.len());
        }
        println!("{name}: {count} solutions of 1000 targets, worst {worst:e}");
    }
}
