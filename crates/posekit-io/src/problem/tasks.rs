//! The tasks of a problem as words and numbers, for pages that show them.

use posekit::glam::{DQuat, DVec3};
use posekit::task::{Task, TaskKind};
use serde::Serialize;

use super::figure::Label;
use crate::figure::{FigureProblem, FigureTask};

/// A task of a problem, for pages that show it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct ProblemTask<'a> {
    /// Its kind, by its name in files.
    task: &'static str,
    /// The name of the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    /// The frames that it is about, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<&'a str>,
    /// Its level, from 1.
    level: u8,
    /// Its weight.
    weight: f64,
    /// The point at which it aims \[m\], if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<[f64; 3]>,
    /// The orientation at which it aims, x, y, z, w, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    orientation: Option<[f64; 4]>,
    /// The direction at which it aims, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    direction: Option<[f64; 3]>,
    /// The task as in a figure's file; a chain of points has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a FigureTask>,
}

/// Each task.
pub(super) fn described<'a>(
    tasks: &[Task],
    labels: &'a [Label],
    figure: Option<&'a FigureProblem>,
) -> Vec<ProblemTask<'a>> {
    let describe = |(index, task): (usize, &Task)| {
        let (position, orientation, direction) = aim(&task.kind);
        let label = labels.get(index);
        ProblemTask {
            task: task.kind.name(),
            name: label.and_then(|label| label.name.as_deref()),
            frame: label.map(|label| label.frame.as_str()),
            level: task.level,
            weight: task.weight,
            position: position.map(|to| to.to_array()),
            orientation: orientation.map(|to| to.to_array()),
            direction: direction.map(|to| to.to_array()),
            file: figure.and_then(|figure| figure.tasks.get(index)),
        }
    };
    tasks.iter().enumerate().map(describe).collect()
}

/// The target of a task: a position, an orientation, a direction.
const fn aim(kind: &TaskKind) -> (Option<DVec3>, Option<DQuat>, Option<DVec3>) {
    match kind {
        TaskKind::Position(task) => (Some(task.target_in_world), None, None),
        TaskKind::LookAt(task) => (Some(task.target_in_world), None, None),
        TaskKind::Pole(task) => (Some(task.pole_in_world), None, None),
        TaskKind::CenterOfMass(task) => (Some(task.target_in_world), None, None),
        TaskKind::Orientation(task) => (None, Some(task.world_from_target), None),
        TaskKind::AxisAlignment(task) => (None, None, Some(task.direction_in_world)),
        TaskKind::Plane(task) => (Some(task.point_in_world), None, Some(task.normal_in_world)),
        TaskKind::Pose(task) => {
            let (pose, axes) = (task.world_from_target, task.axes);
            let along = axes.along[0] || axes.along[1] || axes.along[2];
            let about = axes.about[0] || axes.about[1] || axes.about[2];
            let position = if along { Some(pose.translation) } else { None };
            (position, if about { Some(pose.rotation) } else { None }, None)
        }
        _ => (None, None, None),
    }
}
