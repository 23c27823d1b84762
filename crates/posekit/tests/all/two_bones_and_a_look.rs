//! The closed form of two bones reaches one point. What is asked for besides is refused, not passed over.

#![allow(clippy::unwrap_used, reason = "a test that cannot set up its problem must stop")]

use crate::support;

use posekit::Error;
use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;
use posekit::skeleton::{Frame, Joint, Skeleton};
use posekit::solve::{Method, Settings, Workspace};
use posekit::task::{AxisAlignment, LookAt, Orientation, Plane, Position, Posture, Task};
use support::problems::{Problem, Recipe};

fn leg() -> (Skeleton, Frame) {
    let bone = Pose::from_translation(DVec3::X);
    let knee = Joint::revolute("knee", DVec3::Y).child_of(0).at(bone);
    let skeleton = Skeleton::try_new(vec![Joint::ball("hip"), knee]).unwrap();
    (skeleton, Frame::new(1, bone))
}

/// It refuses, or does what is asked; also in a workspace that has solved the point before.
#[test]
fn a_second_task_is_done_or_refused() {
    let (skeleton, tip) = leg();
    let point: Task = Position::new(tip, DVec3::new(1.2, 0.5, 0.0)).into();
    let more: [Task; 5] = [
        LookAt::new(tip, DVec3::Z, DVec3::new(5.0, 1.0, 3.0)).into(),
        AxisAlignment::new(tip, DVec3::Z, DVec3::Y).into(),
        Orientation::new(tip, DQuat::from_xyzw(0.6, 0.0, 0.0, 0.8)).into(),
        Plane::new(tip, DVec3::Z, DVec3::Z).into(),
        Posture::new(skeleton.neutral()).into(),
    ];
    for more in more {
        for level in [1, 2] {
            let second = more.clone().at_level(level);
            for tasks in [[point.clone(), second.clone()], [second.clone(), point.clone()]] {
                for is_used in [false, true] {
                    let mut workspace = Workspace::default();
                    let (start, settings) = (skeleton.neutral(), Settings::default());
                    let mut begin = |tasks: &[Task]| {
                        workspace.begin(&skeleton, &start, tasks, Method::TwoBone, &settings)
                    };
                    if is_used {
                        begin(core::slice::from_ref(&point)).unwrap();
                    }
                    let kinds = [tasks[0].kind.name(), tasks[1].kind.name()];
                    match begin(&tasks) {
                        Err(error) => assert!(error.is_unsuited(), "{error}"),
                        Ok(()) => {
                            let q = workspace.run().configuration.clone();
                            let off = point.miss(&skeleton, &q).distance;
                            assert!(off < 2e-6, "{kinds:?} at level {level}: {off} off the point");
                        }
                    }
                }
            }
        }
    }
}

/// What another problem has left in the workspace plays no part in it.
#[test]
fn a_refusal_in_a_used_workspace_is_a_refusal() {
    let recipe = Recipe { seed: 537_585_802_923_759_925, n_joints: 1, n_tasks: 2, traits: 0 };
    let before = Problem::new(recipe);
    let task: Task = AxisAlignment::new(before.skeleton.frame(0), DVec3::X, DVec3::Y).into();
    let mut workspace = Workspace::default();
    let _ = before.solve_in(&mut workspace, Method::LeastSquares);
    let settings = Settings::default();
    let begun =
        workspace.begin(&before.skeleton, &before.start, &[task], Method::TwoBone, &settings);
    assert!(begun.as_ref().is_err_and(Error::is_unsuited), "{begun:?}");
    assert_eq!(workspace.run().configuration, before.start, "it stays at its start");
}

/// Whether a look alone, or nothing, is asked for.
#[test]
fn without_a_point_there_is_nothing_to_close() {
    let (skeleton, tip) = leg();
    let look: Task = LookAt::new(tip, DVec3::Z, DVec3::new(5.0, 1.0, 3.0)).into();
    let off: Task = Position::new(tip, DVec3::ONE).into();
    for tasks in [vec![], vec![look], vec![off.weighing(0.0)]] {
        let mut workspace = Workspace::default();
        let start = skeleton.neutral();
        let begun =
            workspace.begin(&skeleton, &start, &tasks, Method::TwoBone, &Settings::default());
        assert!(begun.as_ref().is_err_and(Error::is_unsuited), "{tasks:?}: {begun:?}");
        assert_eq!(workspace.run().configuration, start, "it stays at its start");
    }
}
