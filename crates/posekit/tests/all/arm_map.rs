//! Reachability maps: voxels, orientations and what is measured at a point.

#![allow(clippy::unwrap_used, reason = "a test that cannot set up its problem must stop")]

use std::f64::consts::PI;

use posekit::arm::map::{NearestLimit, Voxels, orientations};
use posekit::arm::{Arm, ArmSettings};
use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, acos, direction_or, rotation_about, sin_cos};
use posekit::skeleton::{Frame, Joint, Limit, Skeleton};

/// Six axes with a spherical wrist, of reach 0.9 m, on a base 0.2 m up.
fn six_axes(limit: Limit) -> (Skeleton, Arm) {
    let mut builder = Skeleton::builder();
    let base = Joint::revolute("base", DVec3::Z).at(Pose::from_translation(DVec3::Z * 0.2));
    let mut last = builder.add(base.with_limit(limit));
    for (name, axis, length) in [
        ("shoulder", DVec3::Y, 0.0),
        ("elbow", DVec3::Y, 0.5),
        ("roll", DVec3::X, 0.3),
        ("pitch", DVec3::Y, 0.0),
        ("yaw", DVec3::X, 0.0),
    ] {
        let joint = Joint::revolute(name, axis).child_of(last).with_limit(limit);
        last = builder.add(joint.at(Pose::from_translation(DVec3::X * length)));
    }
    let skeleton = builder.build().unwrap();
    let tool = Frame::new(last, Pose::from_translation(DVec3::X * 0.1));
    let arm = Arm::new(&skeleton, tool).unwrap();
    (skeleton, arm)
}

#[test]
fn voxels_fill_the_ball_once_and_lie_on_the_lattice() {
    let center = DVec3::new(0.3, -0.1, 1.05);
    let voxels = Voxels::around(center, 0.8, 0.1).unwrap();
    let all: Vec<[i32; 3]> = voxels.indices().collect();
    let mut sorted = all.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(all, sorted, "in order, none twice");
    let volume = 4.0 / 3.0 * PI * (0.8 * 0.8 * 0.8) / 1e-3;
    let n_voxels = all.len() as f64;
    assert!((n_voxels / volume - 1.0).abs() < 0.02, "{n_voxels} of {volume}");
    for &index in &all {
        assert!(voxels.center_of(index).distance(center) <= 0.8);
        assert_eq!(voxels.index_of(voxels.center_of(index)), index);
    }
    let one = Voxels::around(DVec3::splat(0.05), 0.0, 0.1).unwrap();
    assert_eq!(one.indices().collect::<Vec<_>>(), [[0, 0, 0]]);
}

#[test]
fn voxels_that_would_be_too_many_or_none_are_refused() {
    for (center, radius, size) in [
        (0.0, 1.0, 0.0),
        (0.0, 1.0, -0.1),
        (0.0, 1.0, f64::NAN),
        (0.0, 1.0, f64::INFINITY),
        (0.0, 1.0, 1e-4),
        (0.0, f64::INFINITY, 0.1),
        (0.0, f64::NAN, 0.1),
        (f64::NAN, 1.0, 0.1),
        (1e12, 1.0, 0.1),
    ] {
        let error = Voxels::around(DVec3::splat(center), radius, size).unwrap_err();
        assert!(error.is_out_of_range(), "{center} {radius} {size}: {error}");
    }
}

#[test]
fn orientations_are_spread_evenly() {
    let all = orientations(500);
    let apart = |a: &DQuat, b: &DQuat| 2.0 * acos(a.dot(*b).abs().min(1.0));
    for (i, a) in all.iter().enumerate() {
        assert!((a.length() - 1.0).abs() < 1e-15);
        let nearest = all.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, b)| apart(a, b));
        let nearest = nearest.fold(f64::INFINITY, f64::min);
        // Balls of this size around each of 500 orientations would fill a fifth to all of the space.
        assert!(nearest > 0.2 && nearest < 0.6, "{i}: {nearest}");
    }
    // No orientation at all is far from the next one.
    for k in 0..50 {
        let angle = 0.37 * f64::from(k);
        let (sine, cosine) = sin_cos(angle);
        let axis = direction_or(DVec3::new(sine, cosine, 0.5), DVec3::Z);
        let any = rotation_about(axis, angle);
        let nearest = all.iter().map(|other| apart(&any, other)).fold(f64::INFINITY, f64::min);
        assert!(nearest < 0.55, "{k}: {nearest}");
    }
    assert!(orientations(0).is_empty());
}

#[test]
fn a_free_wrist_reaches_all_orientations_inside_and_none_outside() {
    let (skeleton, arm) = six_axes(Limit::None);
    let (all, settings, neutral) = (orientations(30), ArmSettings::default(), skeleton.neutral());
    assert_eq!(arm.base().translation, DVec3::Z * 0.2);
    assert!((arm.reach() - 0.9).abs() < 1e-12);
    let at = |x: f64| {
        let point = DVec3::new(x, 0.0, 0.2);
        arm.reachability(point, &all, &neutral, &settings).unwrap()
    };
    // The wrist can be anywhere between 0.2 and 0.8 m, the tool is 0.1 m before it.
    let inside = at(0.5);
    assert_eq!(inside.reached, 30);
    assert_eq!(inside.limit_margin, 1.0, "there are no limits");
    assert!(inside.smallest_singular_value > 0.01 && inside.smallest_singular_value < 1.0);
    let border = at(0.8);
    assert!(border.reached > 5 && border.reached < 25, "{border:?}");
    for nowhere in [0.91, 0.05] {
        assert_eq!(at(nowhere).reached, 0, "{nowhere}");
        assert_eq!((at(nowhere).limit_margin, at(nowhere).smallest_singular_value), (0.0, 0.0));
    }
}

#[test]
fn the_margin_is_that_of_the_joint_nearest_to_a_limit() {
    let (skeleton, arm) = six_axes(Limit::Range { min: -2.0, max: 2.0 });
    let q = [0.3, -0.6, 1.5, -0.4, 0.9, 0.2];
    assert!((arm.limit_margin(&q).unwrap() - 0.25).abs() < 1e-15);
    assert_eq!(arm.limit_margin(&[0.0, 0.0, 0.0, 2.0, 0.0, 0.0]).unwrap(), 0.0);
    assert_eq!(arm.limit_margin(&[0.0; 6]).unwrap(), 1.0);
    let NearestLimit { joint, limit, distance, margin, .. } =
        arm.nearest_limit(&q).unwrap().unwrap();
    assert_eq!(margin, arm.limit_margin(&q).unwrap());
    assert_eq!(q[joint] + distance, limit);
    assert!(arm.limit_margin(&[0.0; 5]).unwrap_err().is_wrong_length());
    assert!(arm.limit_margin(&[f64::NAN; 6]).unwrap_err().is_not_finite());
    assert!(skeleton.within_limits(&q, 0.0));
}

#[test]
fn poses_are_spread_over_the_ranges() {
    let (skeleton, arm) = six_axes(Limit::Range { min: -2.0, max: 1.0 });
    let mut q = skeleton.neutral();
    let mut sums = [0.0; 6];
    for index in 0..1000 {
        arm.spread(index, &mut q).unwrap();
        assert!(skeleton.within_limits(&q, 0.0));
        sums.iter_mut().zip(&q).for_each(|(sum, x)| *sum += x);
    }
    assert!(sums.iter().all(|sum| (sum / 1000.0 + 0.5).abs() < 0.01), "{sums:?}");
    assert!(arm.spread(0, &mut [0.0; 2]).unwrap_err().is_wrong_length());
}
