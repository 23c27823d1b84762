//! Conversion of a scene with joints to a figure.

use posekit::glam::DQuat;
use posekit::math::Pose;
use posekit::skeleton::{Frame, JointKind, Limit, Skeleton};
use posekit::task::{FramePose, Orientation, Position, Task, TaskKind};

use super::scene::Rig;
use crate::figure::{
    FigureCone, FigureFrame, FigureGoal, FigureJoint, FigureMimic, FigureMotion, FigurePose,
    FigureProblem, FigureSettings, FigureSkeleton, FigureTask, FrameOwner,
};
use crate::solution::NamedValues;

/// The joints, the start and the tasks of a scene as a figure.
pub(super) fn figure_of(rig: &Rig) -> FigureProblem {
    let skeleton = &rig.skeleton;
    let values = |joint: usize| NamedValues {
        name: skeleton.name(joint).to_owned(),
        values: rig.start[skeleton.value_range(joint)].to_vec(),
    };
    let moves = |joint: &usize| !skeleton.value_range(*joint).is_empty();
    FigureProblem {
        skeleton: FigureSkeleton::Joints { joints: joints_of(skeleton) },
        bodies: None,
        start: (0..skeleton.n_joints()).filter(moves).map(values).collect(),
        tasks: tasks(rig),
        settings: FigureSettings::default(),
    }
}

/// The joints of a skeleton, as in a figure's file.
pub(super) fn joints_of(skeleton: &Skeleton) -> Vec<FigureJoint> {
    (0..skeleton.n_joints()).map(|joint| written_joint(skeleton, joint)).collect()
}

fn tasks(rig: &Rig) -> Vec<FigureTask> {
    let frame = || written_frame(&rig.skeleton, rig.tip);
    let goal = |task: &Task| match &task.kind {
        TaskKind::Position(Position { target_in_world, .. }) => {
            Some(FigureGoal::Position { frame: frame(), target: target_in_world.to_array() })
        }
        TaskKind::Orientation(Orientation { world_from_target, .. }) => {
            let orientation = world_from_target.to_array();
            Some(FigureGoal::Orientation { frame: frame(), orientation })
        }
        TaskKind::Pose(FramePose { world_from_target: Pose { rotation, translation }, .. }) => {
            let pose = FigurePose {
                target: Some(translation.to_array()),
                orientation: Some(rotation.to_array()),
                along: None,
                about: None,
            };
            Some(FigureGoal::Pose { frame: frame(), pose })
        }
        _ => None,
    };
    let task = |goal| FigureTask { name: None, goal, weight: None, level: None };
    rig.tasks().iter().filter_map(goal).map(task).collect()
}

fn written_frame(skeleton: &Skeleton, frame: Frame) -> FigureFrame {
    let Pose { rotation, translation } = frame.joint_from_frame;
    FigureFrame {
        on: FrameOwner::Joint(skeleton.name(frame.joint).to_owned()),
        position: Some(translation.to_array()).filter(|at| *at != [0.0; 3]),
        rotation: (rotation != DQuat::IDENTITY).then(|| rotation.to_array()),
    }
}

fn written_joint(skeleton: &Skeleton, joint: usize) -> FigureJoint {
    let Pose { rotation, translation } = skeleton.parent_from_joint(joint);
    let name = |joint: usize| skeleton.name(joint).to_owned();
    FigureJoint {
        name: name(joint),
        parent: skeleton.parent(joint).map(name),
        motion: motion(skeleton.kind(joint), skeleton.limit(joint)),
        position: Some(translation.to_array()).filter(|at| *at != [0.0; 3]),
        rotation: (rotation != DQuat::IDENTITY).then(|| rotation.to_array()),
        mimic: skeleton.mimic(joint).map(|mimic| FigureMimic {
            joint: name(mimic.joint),
            multiplier: Some(mimic.multiplier),
            offset: Some(mimic.offset),
        }),
    }
}

fn motion(kind: JointKind, limit: Limit) -> FigureMotion {
    let range = match limit {
        Limit::Range { min, max } => Some([min, max]),
        _ => None,
    };
    match kind {
        JointKind::Fixed => FigureMotion::Fixed,
        JointKind::Revolute { axis } => {
            FigureMotion::Revolute { axis: axis.to_array(), limit: range }
        }
        JointKind::Prismatic { axis } => {
            FigureMotion::Prismatic { axis: axis.to_array(), limit: range }
        }
        JointKind::Ball => FigureMotion::Ball {
            cone: match limit {
                Limit::Cone { axis, swing, twist } => {
                    Some(FigureCone { axis: axis.to_array(), swing, twist })
                }
                _ => None,
            },
        },
        JointKind::Free => FigureMotion::Free,
    }
}
