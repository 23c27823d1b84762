//! Slides among hinges, joints that are held, and lengths at the ends of what numbers can hold.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up its problem must stop")]

use crate::support;

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::{Frame, Joint, Limit, Mimic, Skeleton};
use posekit::solve::{Method, Settings, solve};
use posekit::task::{Position, Task};
use support::{ends_well, locking};

const METHODS: [Method; 4] = [Method::Auto, Method::Ccd, Method::Fabrik, Method::Relaxation];

fn bone(length: f64) -> Pose {
    Pose::from_translation(DVec3::X * length)
}

/// A rail of almost any length must not make every miss look small.
#[test]
fn a_long_rail_does_not_loosen_the_tolerance() {
    let rail = Joint::prismatic("rail", DVec3::X).with_limit(Limit::Range { min: -1e9, max: 1e9 });
    let hinge = |name: &str, parent| Joint::revolute(name, DVec3::Z).child_of(parent);
    let joints = vec![rail, hinge("a", 0), hinge("b", 1).at(bone(1.0))];
    let skeleton = Skeleton::try_new(joints).unwrap();
    let task: Task = Position::new(Frame::new(2, bone(1.0)), DVec3::new(5.0, 1.0, 0.0)).into();
    for method in METHODS {
        let solution =
            solve(&skeleton, &[0.0; 3], core::slice::from_ref(&task), method, &Settings::default())
                .unwrap();
        assert!(solution.is_reached(), "{method:?}: {:?}", solution.status);
        assert!(solution.error < 1e-4, "{method:?}: {} off", solution.error);
    }
}

/// A slide that copies a hinge counts metres per radian, a hinge that copies a slide radians per metre.
#[test]
fn joints_of_different_kinds_may_mimic_each_other() {
    for scale in [1.0, 1e-3, 1e3] {
        for slide_drives in [false, true] {
            let turn = Joint::revolute("turn", DVec3::Z);
            let slide = Joint::prismatic("slide", DVec3::X);
            let (first, second, multiplier) =
                if slide_drives { (slide, turn, 0.8 / scale) } else { (turn, slide, 1.2 * scale) };
            let mimic = Mimic { joint: 0, multiplier, offset: 0.0 };
            let second = second.child_of(0).at(bone(scale)).with_mimic(mimic);
            let wrist = Joint::revolute("wrist", DVec3::Z).child_of(1).at(bone(scale));
            let skeleton = Skeleton::try_new(vec![first, second, wrist]).unwrap();
            let tip = Frame::new(2, bone(scale));
            let mut truth = vec![if slide_drives { 0.5 * scale } else { 0.5 }, 0.0, 0.7];
            skeleton.settle(&mut truth);
            let target = tip.world(&skeleton.poses(&truth)).translation;
            let task: Task = Position::new(tip, target).into();
            for method in METHODS {
                let settings = Settings::default();
                let solution =
                    solve(&skeleton, &[0.0; 3], core::slice::from_ref(&task), method, &settings)
                        .unwrap();
                let name = format!("{method:?}, scale {scale:e}, slide drives: {slide_drives}");
                assert!(ends_well(method, &solution), "{name}: {:?}", solution.status);
                let q = &solution.configuration;
                assert!((q[1] - multiplier * q[0]).abs() <= 1e-12 * (1.0 + q[1].abs()), "{name}");
            }
        }
    }
}

/// What the settings hold stays where it starts, through every rescue; what is left decides what can be reached.
#[test]
fn locked_joints_stay_where_they_start() {
    let joints = (0..5).map(|i| {
        let joint = Joint::revolute(format!("b{i}"), DVec3::Z);
        if i == 0 { joint } else { joint.child_of(i - 1).at(bone(1.0)) }
    });
    let skeleton = Skeleton::try_new(joints.collect()).unwrap();
    let tip = Frame::new(4, bone(1.0));
    let start = [0.3, 0.0, 0.1, 0.0, 0.0];
    for locked in [&[0, 1, 2, 3, 4][..], &[0, 1, 2], &[1, 2, 3, 4]] {
        for target in [DVec3::new(2.0, 2.0, 0.0), DVec3::new(-1.0, 0.0, 0.0)] {
            let settings = locking(locked);
            let task: Task = Position::new(tip, target).into();
            for method in METHODS {
                let solution =
                    solve(&skeleton, &start, core::slice::from_ref(&task), method, &settings)
                        .unwrap();
                for &i in locked {
                    let moved = solution.configuration[i] != start[i];
                    assert!(!moved, "{method:?}: joint {i} moved");
                }
            }
        }
    }
}

#[test]
fn lengths_whose_squares_vanish_or_overflow() {
    for scale in [1e-300, 1e-200, 1e-120, 1e90] {
        let joints = [Joint::ball("a"), Joint::ball("b").child_of(0).at(bone(scale))];
        let skeleton = Skeleton::try_new(joints.to_vec()).unwrap();
        let target = DVec3::new(0.3, 0.4, 0.5) * scale;
        let task: Task = Position::new(Frame::new(1, bone(scale)), target).into();
        for method in METHODS {
            let settings = Settings::default();
            let start = skeleton.neutral();
            let solution =
                solve(&skeleton, &start, core::slice::from_ref(&task), method, &settings).unwrap();
            assert!(solution.is_reached(), "{method:?} at {scale:e}: {:?}", solution.status);
            let poses = skeleton.poses(&solution.configuration);
            let tip = poses[1].transform_point(DVec3::X * scale);
            let off = (tip - target).abs().max_element();
            assert!(off <= 1e-5 * scale, "{method:?} at {scale:e}: {off:e} off");
        }
    }
}
