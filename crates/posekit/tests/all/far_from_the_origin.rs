//! Where a figure stands changes nothing: bones and slides that end are what lengths are compared with, not the world.

#![allow(clippy::unwrap_used, reason = "a test that cannot set up its problem must stop")]

use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, so3_log};
use posekit::skeleton::{Frame, Joint, Skeleton};
use posekit::solve::{Method, Settings, Solution, solve};
use posekit::task::{Orientation, Position, Task};

const FAR: [f64; 5] = [10.0, 1e3, 1e4, 1e5, 1e6];

/// A free body whose two points and whose orientation contradict each other, moved along by `far`: where it ends, and the answer.
fn torn(far: f64, by_placement: bool) -> (Pose, Solution) {
    let home = DVec3::X * far;
    let placement = Pose::from_translation(if by_placement { home } else { DVec3::ZERO });
    let skeleton = Skeleton::try_new(vec![Joint::free("body").at(placement)]).unwrap();
    let tip = Frame::new(0, Pose::from_translation(DVec3::X * 0.3));
    let tasks: [Task; 3] = [
        Position::new(skeleton.frame(0), home).into(),
        Position::new(tip, home + DVec3::new(0.2, 0.1, 0.0)).into(),
        Orientation::new(skeleton.frame(0), DQuat::IDENTITY).into(),
    ];
    let mut start = skeleton.neutral();
    if !by_placement {
        start[0] = far;
    }
    let solution = solve(&skeleton, &start, &tasks, Method::Auto, &Settings::default()).unwrap();
    let pose = skeleton.poses(&solution.configuration)[0];
    (Pose { translation: pose.translation - home, ..pose }, solution)
}

#[test]
fn a_body_torn_by_three_tasks_ends_in_the_same_pose() {
    let (here, near) = torn(0.0, true);
    assert!(so3_log(here.rotation).length() > 0.01, "it turns: {here:?}");
    for far in FAR {
        for by_placement in [true, false] {
            let (there, solution) = torn(far, by_placement);
            let name = format!("{far} away, by its placement: {by_placement}");
            assert_eq!(solution.status, near.status, "{name}");
            // To 1e-6 of its length, or what rounding leaves of it.
            let rounding = 1e-6 + 1e-11 * far;
            let off = there.translation.distance(here.translation);
            assert!(off < rounding, "{name}: {off} off");
            let turned = so3_log(here.rotation.conjugate() * there.rotation).length();
            assert!(turned < 10.0 * rounding, "{name}: turned by {turned}");
        }
    }
}

/// Before, a body 10 cm off at 100 km counted as there.
#[test]
fn a_body_off_its_target_is_not_there() {
    for far in FAR {
        let skeleton = Skeleton::try_new(vec![Joint::free("body")]).unwrap();
        let tip = Frame::new(0, Pose::from_translation(DVec3::X * 0.3));
        let home = DVec3::new(far, -far, 0.5 * far);
        let mut start = skeleton.neutral();
        home.write_to_slice(&mut start[..3]);
        let target = home + DVec3::new(0.3, 0.1, 0.0);
        let tasks =
            [Position::new(tip, target).into(), Orientation::new(tip, DQuat::IDENTITY).into()];
        for method in [Method::Auto, Method::Ccd, Method::LeastSquares] {
            let solution = solve(&skeleton, &start, &tasks, method, &Settings::default()).unwrap();
            let at = tip.world(&skeleton.poses(&solution.configuration)).translation;
            let off = at.distance(target);
            assert!(off < 1e-6, "{} at {far}: {off} off, {:?}", method.name(), solution.status);
        }
    }
}

#[test]
fn a_rail_without_ends_lends_no_length() {
    let rail = Joint::prismatic("rail", DVec3::X);
    let skeleton =
        Skeleton::try_new(vec![rail, Joint::revolute("arm", DVec3::Z).child_of(0)]).unwrap();
    let tip = Frame::new(1, Pose::from_translation(DVec3::X));
    for method in [Method::Auto, Method::Ccd, Method::Fabrik, Method::LeastSquares] {
        for far in [0.0, 1e3, 1e6] {
            let target = DVec3::new(far + 1.5, 0.3, 0.0);
            let task: Task = Position::new(tip, target).into();
            let tasks = core::slice::from_ref(&task);
            let solution =
                solve(&skeleton, &[far, 0.1], tasks, method, &Settings::default()).unwrap();
            let off =
                tip.world(&skeleton.poses(&solution.configuration)).translation.distance(target);
            let name = format!("{} at {far}", method.name());
            assert!(off < 1.1e-6, "{name}: {off} off, {:?}", solution.status);
            let tolerance = solution.tolerance;
            assert!((tolerance - 1e-6).abs() < 1e-12, "{name}: the arm is 1 m, not {tolerance:e}");
        }
    }
}
