//! Task input at its extremes: directions and lengths whose squares overflow, frames that are not rigid, joints that do not exist.
//!
//! Cause: lengths were compared by their squares, and a task's frame was checked for NaN only.

use crate::support;

use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;
use posekit::skeleton::{Frame, Joint, Skeleton};
use posekit::task::{
    AxisAlignment, Capsule, Clearance, Closure, Link, LookAt, Orientation, Plane, Position,
    Posture, Support, Task,
};
use support::space_limb;

const EXTREME: [f64; 4] = [1e-300, 1e-160, 1e160, 1e300];

#[test]
fn directions_of_any_length_are_directions() {
    let (skeleton, tip) = space_limb(&[1.0; 2]);
    let q = skeleton.neutral();
    let hinge = |axis| Closure::new([tip, skeleton.frame(0)], Link::Hinge([axis, DVec3::Y]));
    let tasks = |axis: DVec3| -> [Task; 4] {
        [
            LookAt::new(tip, axis, DVec3::new(0.0, 3.0, 1.0)).into(),
            AxisAlignment::new(tip, axis, axis).into(),
            Plane::new(tip, DVec3::Y, axis).into(),
            hinge(axis).into(),
        ]
    };
    let axis = DVec3::new(0.6, 0.0, 0.8);
    for size in EXTREME {
        for (task, plain) in tasks(axis * size).iter().zip(&tasks(axis)) {
            task.check(&skeleton, 0).unwrap();
            let (miss, expected) = (task.miss(&skeleton, &q), plain.miss(&skeleton, &q));
            let name = task.kind.name();
            assert!((miss.distance - expected.distance).abs() < 1e-12, "{name} at {size}");
            assert!((miss.angle - expected.angle).abs() < 1e-12, "{name} at {size}");
        }
    }
    for task in tasks(DVec3::ZERO) {
        assert!(task.check(&skeleton, 0).is_err_and(|error| error.is_degenerate()));
    }
}

#[test]
fn a_support_takes_a_vertical_of_any_length() {
    let corners = [DVec3::ZERO, DVec3::X, DVec3::Z];
    for size in EXTREME {
        let support = Support::try_new(Vec::new(), &corners, DVec3::Y * size, 0.0).unwrap();
        assert_eq!(support, Support::try_new(Vec::new(), &corners, DVec3::Y, 0.0).unwrap());
    }
}

#[test]
fn targets_out_of_all_range_have_finite_misses() {
    let (skeleton, tip) = space_limb(&[1.0; 2]);
    let q = skeleton.neutral();
    let far = DVec3::new(0.0, 1e160, 0.0);
    let tasks: [Task; 3] = [
        Position::new(tip, far).into(),
        Position::new(tip, DVec3::splat(1e-170)).into(),
        LookAt::new(tip, DVec3::X, far).into(),
    ];
    for task in tasks {
        task.check(&skeleton, 0).unwrap();
        let miss = task.miss(&skeleton, &q);
        assert!(miss.distance.is_finite() && miss.angle.is_finite(), "{task:?}: {miss:?}");
    }
    let miss = Task::from(Position::new(tip, far)).miss(&skeleton, &q);
    assert!((miss.distance / 1e160 - 1.0).abs() < 1e-12, "{miss:?}");
}

#[test]
fn capsules_too_large_to_measure_are_refused() {
    let (skeleton, _) = space_limb(&[1.0; 2]);
    let on_arm = Capsule::on_joint(1, [DVec3::ZERO, DVec3::X], 0.1);
    let radius = Capsule::obstacle(DVec3::Y, 1e160);
    let center = Capsule::obstacle(DVec3::Y * 1e160, 0.1);
    for (obstacle, margin) in [(radius, 0.0), (center, 0.0), (on_arm, 1e160)] {
        let task = Task::from(Clearance::new([on_arm, obstacle], margin));
        let error = task.check(&skeleton, 3).unwrap_err();
        assert!(error.is_out_of_range() && error.index() == Some(3), "{error}");
    }
    let large = Task::from(Clearance::new([on_arm, Capsule::obstacle(DVec3::Y, 1e99)], 0.0));
    large.check(&skeleton, 0).unwrap();
    assert!((large.miss(&skeleton, &skeleton.neutral()).distance / 1e99 - 1.0).abs() < 1e-12);
}

#[test]
fn frames_that_are_not_rigid_are_refused() {
    let (skeleton, tip) = space_limb(&[1.0; 2]);
    let rotation = DQuat::from_xyzw(0.0, 0.0, 0.0, 1.5);
    let frame = Frame { joint_from_frame: Pose { rotation, ..tip.joint_from_frame }, ..tip };
    for task in [
        Task::from(Position::new(frame, DVec3::X)),
        Orientation::new(frame, DQuat::IDENTITY).into(),
    ] {
        let error = task.check(&skeleton, 2).unwrap_err();
        assert!(error.to_string().starts_with("task frame[2] is 1.5, must be"), "{error}");
    }
}

#[test]
fn joints_that_do_not_exist_are_refused_and_never_indexed() {
    let skeleton = Skeleton::try_new(vec![Joint::ball("only")]).unwrap();
    let q = skeleton.neutral();
    for joint in [1, usize::MAX] {
        let frame = Frame::new(joint, Pose::IDENTITY);
        let task = Task::from(Position::new(frame, DVec3::X));
        assert!(task.check(&skeleton, 0).is_err());
        assert_eq!(task.miss(&skeleton, &q).distance, f64::INFINITY);
        let capsules =
            [0, joint].map(|joint| Capsule::on_joint(joint, [DVec3::ZERO, DVec3::X], 0.1));
        let pairs = Clearance::all_pairs(&skeleton, &capsules, 0.0);
        assert!(pairs.iter().all(|&pair| Task::from(pair).check(&skeleton, 0).is_err()));
    }
    // A posture of another skeleton.
    let task = Task::from(Posture::new([0.0; 2]));
    assert!(task.check(&skeleton, 0).is_err());
    assert_eq!(task.miss(&skeleton, &q).angle, f64::INFINITY);
}
