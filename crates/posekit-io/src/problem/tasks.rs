//! The tasks of a problem as text and numbers, for pages that show them.

use posekit::glam::{DQuat, DVec3};
use posekit::task::{Task, TaskKind};
use serde::Serialize;

use super::figure::Label;
use crate::error::Result;
use crate::figure::{FigureProblem, FigureTask};
use crate::json;

/// A task of a problem, for pages that show it.
#[derive(Serialize)]
struct WrittenTask<'a> {
    /// Its kind.
    task: &'static str,
    /// The label of the task, and that of its frames.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frame: Option<&'a str>,
    level: u8,
    weight: f64,
    /// The target: each only if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    orientation: Option<[f64; 4]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    direction: Option<[f64; 3]>,
    /// As in a figure's file.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a FigureTask>,
}

/// A list of objects, one for each task.
pub(super) fn tasks_json(
    tasks: &[Task],
    labels: &[Label],
    written: Option<&FigureProblem>,
) -> Result<String> {
    let line = |(index, task): (usize, &Task)| {
        let (position, orientation, direction) = aim(&task.kind);
        let label = labels.get(index);
        WrittenTask {
            task: task.kind.name(),
            name: label.and_then(|label| label.name.as_deref()),
            frame: label.map(|label| label.frame.as_str()),
            level: task.level,
            weight: task.weight,
            position: position.map(|to| to.to_array()),
            orientation: orientation.map(|to| to.to_array()),
            direction: direction.map(|to| to.to_array()),
            file: written.and_then(|figure| figure.tasks.get(index)),
        }
    };
    let lines: Vec<WrittenTask<'_>> = tasks.iter().enumerate().map(line).collect();
    json::inline(&lines)
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
