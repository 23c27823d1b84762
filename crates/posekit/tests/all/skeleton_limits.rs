//! Limits on whole configurations: clamping, mimic joints, rest poses outside.

use core::f64::consts::PI;
use posekit::glam::{DQuat, DVec3};
use posekit::math::{rotation_about, swing_twist};
use posekit::skeleton::{Joint, Limit, Mimic, Skeleton};
use proptest::prelude::*;

/// One joint of every kind, each limited where it can be, and a follower.
fn limited(range: (f64, f64), swing: f64, twist: [f64; 2], multiplier: f64) -> Skeleton {
    let (min, max) = range;
    let mut builder = Skeleton::builder();
    let root = builder.add(Joint::free("root"));
    let hinge = builder.add(
        Joint::revolute("hinge", DVec3::Z).child_of(root).with_limit(Limit::Range { min, max }),
    );
    builder.add(
        Joint::prismatic("slide", DVec3::X)
            .child_of(hinge)
            .with_limit(Limit::Range { min: min - 1.0, max: max + 1.0 }),
    );
    builder.add(Joint::ball("ball").child_of(hinge).with_limit(Limit::Cone {
        axis: DVec3::new(0.0, 2.0, 0.0),
        swing,
        twist,
    }));
    let mimic = Mimic { joint: hinge, multiplier, offset: 0.25 };
    builder.add(Joint::revolute("follower", DVec3::X).child_of(root).with_mimic(mimic));
    builder.build().expect("the skeleton is valid")
}

#[test]
fn l16_limits_that_exclude_the_rest_pose() {
    // Accepted; the rest pose is then the nearest one inside, and a start at zero is clamped and counted.
    let skeleton = limited((0.5, 1.0), 0.4, [0.3, 0.6], 2.0);
    let neutral = skeleton.neutral();
    assert!(skeleton.within_limits(&neutral, 1e-12));
    assert_eq!(neutral[7], 0.5);
    assert_eq!(neutral[8], 0.0);
    assert_eq!(neutral[13], 1.25);
    let ball = DQuat::from_slice(&neutral[9..13]);
    assert!((ball - rotation_about(DVec3::Y, 0.3)).length() < 1e-15);

    let mut start = vec![0.0; skeleton.n_values()];
    (start[6], start[12]) = (1.0, 1.0);
    skeleton.settle(&mut start);
    assert!(!skeleton.within_limits(&start, 0.1));
    assert_eq!(skeleton.clamp(&mut start), 3, "hinge, ball and follower");
    assert_eq!(start, neutral);
    assert_eq!(skeleton.clamp(&mut start), 0);
}

#[test]
fn l17_locked_joints_clamp_to_their_only_value() {
    let skeleton = limited((0.2, 0.2), 0.0, [0.1, 0.1], -1.0);
    let mut q = skeleton.neutral();
    let only = q.clone();
    q[7] = 1.0;
    q[9..13].copy_from_slice(&rotation_about(DVec3::X, 2.0).to_array());
    assert_eq!(skeleton.clamp(&mut q), 2);
    assert_eq!(q[7], only[7]);
    assert!((DQuat::from_slice(&q[9..13]) - rotation_about(DVec3::Y, 0.1)).length() < 1e-15);
}

#[test]
fn limits_at_their_edges_are_touched() {
    let skeleton = limited((-1.0, 1.0), 0.5, [-0.5, 0.5], 1.0);
    let (hinge, slide, ball) = (1, 2, 3);
    let mut q = skeleton.neutral();
    assert!((0..skeleton.n_joints()).all(|joint| !skeleton.touches_limit(joint, &q, 1e-6)));
    q[7] = 1.0 - 1e-7;
    q[9..13].copy_from_slice(&rotation_about(DVec3::X, -0.5).to_array());
    assert!(skeleton.touches_limit(hinge, &q, 1e-6));
    assert!(skeleton.touches_limit(ball, &q, 1e-6));
    assert!(!skeleton.touches_limit(slide, &q, 1e-6));
    let too_short = &q[..10];
    assert!([hinge, ball].into_iter().all(|joint| !skeleton.touches_limit(joint, too_short, 1e-6)));
}

proptest! {
    #[test]
    fn clamped_configurations_are_inside_and_stay(
        values in prop::collection::vec(-5.0..5.0_f64, 14),
        min in -2.0..2.0_f64, span in 0.0..8.0_f64,
        swing in 0.0..=PI, twist in -4.0..4.0_f64, twist_span in 0.0..7.0_f64,
        multiplier in -2.0..2.0_f64,
    ) {
        let skeleton = limited((min, min + span), swing, [twist, twist + twist_span], multiplier);
        let mut q = values;
        skeleton.settle(&mut q);
        let start = q.clone();
        let changed = skeleton.clamp(&mut q);
        prop_assert!(skeleton.within_limits(&q, 1e-12));
        prop_assert_eq!(changed == 0, q == start);
        prop_assert_eq!(&q[..7], &start[..7], "the free joint has no limit");
        let clamped = q.clone();
        prop_assert_eq!(skeleton.clamp(&mut q), 0);
        prop_assert_eq!(q, clamped);
    }

    #[test]
    fn followers_stay_inside_their_own_ranges(
        value in -9.0..9.0_f64, multiplier in -3.0..3.0_f64, offset in -1.0..1.0_f64,
        own in 0.1..2.0_f64, driver in 0.1..2.0_f64,
    ) {
        let range = |size: f64| Limit::Range { min: -size, max: size };
        let mimic = Mimic { joint: 0, multiplier, offset };
        let skeleton = Skeleton::try_new(vec![
            Joint::revolute("driver", DVec3::X).with_limit(range(driver)),
            Joint::revolute("follower", DVec3::X).with_mimic(mimic).with_limit(range(own)),
        ]);
        // Some of these have no common value at all, which is an error of its own.
        if let Ok(skeleton) = skeleton {
            let mut q = [value, 0.0];
            skeleton.clamp(&mut q);
            prop_assert!(q[0].abs() <= driver && q[1].abs() <= own + 1e-12 * (1.0 + own));
        }
    }

    #[test]
    fn clamping_a_swing_keeps_its_axis_and_the_twist(
        x in -1.0..1.0_f64, z in -1.0..1.0_f64, angle in 0.5..3.0_f64, twist in -3.0..3.0_f64,
    ) {
        prop_assume!(x.abs() + z.abs() > 0.1);
        let axis = DVec3::new(x, 0.0, z) / (x * x + z * z).sqrt();
        let q = rotation_about(axis, angle) * rotation_about(DVec3::Y, twist);
        let limit = Limit::Cone { axis: DVec3::Y, swing: 0.4, twist: [-PI, PI] };
        let split = swing_twist(limit.clamp_rotation(q), DVec3::Y);
        prop_assert!((split.swing - rotation_about(axis, 0.4)).length() < 1e-13);
        prop_assert!((split.twist - twist).abs() < 1e-13);
    }
}
