//! The tasks of a problem as text and numbers, for pages that show them.

use posekit::glam::{DQuat, DVec3};
use posekit::task::{Task, TaskKind};

use super::figure::Label;
use crate::error::Result;
use crate::figure::FigureProblem;
use crate::json::{Fields, list_in_lines, number, numbers, text_value};

/// A list of objects, one for each task: `task` (its kind), `name` and `frame` (labels of the task and of its frames), `level`, `weight`, the target
/// (`position`, `orientation`, `direction`, each omitted if it has none), and `file`, the task as in a figure's file.
pub(super) fn tasks_json(
    tasks: &[Task],
    labels: &[Label],
    written: Option<&FigureProblem>,
) -> Result<String> {
    let line = |(index, task): (usize, &Task)| -> Result<String> {
        let at = format!("tasks[{index}]");
        let mut fields = Fields::new();
        fields.add("task", text_value(task.kind.name()));
        if let Some(label) = labels.get(index) {
            fields.add_some("name", label.name.as_deref().map(text_value));
            fields.add("frame", text_value(&label.frame));
        }
        fields.add("level", task.level.to_string());
        fields.add("weight", number(task.weight, &at)?);
        let (position, orientation, direction) = aim(&task.kind);
        let point = |at: DVec3| numbers(&at.to_array(), "target");
        fields.add_some("position", position.map(point).transpose()?);
        let turn = |turn: DQuat| numbers(&turn.to_array(), "orientation");
        fields.add_some("orientation", orientation.map(turn).transpose()?);
        fields.add_some("direction", direction.map(point).transpose()?);
        let file = written.and_then(|figure| figure.tasks.get(index));
        fields
            .add_some("file", file.map(|task| FigureProblem::task_json(task, index)).transpose()?);
        Ok(fields.inline())
    };
    let lines: Result<Vec<String>> = tasks.iter().enumerate().map(line).collect();
    Ok(list_in_lines(&lines?))
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
