//! Tasks of whole bodies.

use std::cell::Cell;
use std::collections::BTreeMap;

use posekit::glam::DVec3;
use posekit::skeleton::Frame;
use posekit::solve::{Method, Settings, Solution, Status as Ending, Workspace};
use posekit::task::{
    self, Axes, AxisAlignment, CenterOfMass, Closure, Distance, FramePose, Link, LookAt,
    Orientation, Plane, Pole, Position, Posture, RelativePose, Support, TaskKind,
};
use posekit_io::Robot;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};

use crate::arrays::{Array, shaped, vector, wrong_shape};
use crate::description::Description;
use crate::fault::{collision, invalid, invalid_at, library};
use crate::interrupt::Signals;
use crate::poses::{one_point, one_pose, one_rotation};
use crate::results::record;
use crate::status::Status;
use crate::tool::{frame_named, joints_named};

/// A task as `posekit.Task` has it.
#[derive(FromPyObject)]
pub(crate) struct Task<'py> {
    kind: String,
    frames: Vec<String>,
    arguments: Bound<'py, PyDict>,
    weight: f64,
    level: i64,
}

/// The keywords of `solve_tasks`.
pub(crate) struct TaskOptions<'a> {
    pub(crate) method: &'a str,
    pub(crate) tolerance: Option<f64>,
    pub(crate) orientation_tolerance: Option<f64>,
    pub(crate) iterations: Option<u32>,
    pub(crate) is_tracking: bool,
    pub(crate) locked: &'a [String],
    pub(crate) stiffness: BTreeMap<String, f64>,
    pub(crate) dt: Option<f64>,
    pub(crate) closes_loops: bool,
}

/// Solves tasks on a robot.
pub(crate) fn solve<'py>(
    py: Python<'py>,
    description: &Description,
    tasks: &[Task<'py>],
    start: &[f64],
    options: &TaskOptions<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    thread_local! {
        /// Keeps its buffers from solve to solve.
        static WORKSPACE: Cell<Workspace> = Cell::default();
    }
    let robot = &description.robot;
    let (method, settings) = (options.method()?, options.settings(robot)?);
    let mut all = Vec::with_capacity(tasks.len());
    // The end of each task's own in the list: most have one.
    let mut ends = Vec::with_capacity(tasks.len());
    for (index, task) in tasks.iter().enumerate() {
        all.extend(task.on(description, index)?);
        ends.push(all.len());
    }
    if options.closes_loops {
        all.extend(robot.closure_tasks().into_iter().map(task::Task::new));
    }
    // A signal's handler may solve, too: it finds another workspace.
    let mut workspace = WORKSPACE.take();
    let mut signals = Signals::default();
    let begun = py.detach(|| {
        workspace.begin(robot.skeleton(), start, &all, method, &settings)?;
        workspace.run_while(|_| signals.go_on());
        Ok(())
    });
    let result = begun
        .map_err(|error| library(&error))
        .and_then(|()| signals.check())
        .and_then(|()| given(py, robot, workspace.solution(), &ends));
    WORKSPACE.set(workspace);
    result
}

/// A solution as Python has it.
fn given<'py>(
    py: Python<'py>,
    robot: &Robot,
    solution: &Solution,
    ends: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let mut misses = Vec::with_capacity(2 * ends.len());
    let mut begin = 0;
    for &end in ends {
        let own = &solution.misses[begin..end];
        misses.push(own.iter().map(|miss| miss.distance).fold(0.0, f64::max));
        misses.push(own.iter().map(|miss| miss.angle).fold(0.0, f64::max));
        begin = end;
    }
    let shortfall = match solution.status {
        Ending::Unreachable { shortfall } => shortfall,
        _ => 0.0,
    };
    let blocked: Vec<&str> =
        solution.holds.iter().map(|hold| robot.skeleton().name(hold.joint)).collect();
    let method = solution.escaped_by.unwrap_or(solution.choice.method);
    let fields = (
        vector(py, &solution.configuration),
        Status::of_solve(&solution.status).member(py)?,
        solution.error,
        solution.orientation_error,
        shaped(py, misses, &[ends.len(), 2])?,
        blocked,
        solution.iterations,
        method.name(),
        shortfall,
    );
    record(py, "TaskSolution", &CLASS, fields)
}

impl TaskOptions<'_> {
    fn method(&self) -> PyResult<Method> {
        method_named(self.method)
    }

    fn settings(&self, robot: &Robot) -> PyResult<Settings> {
        let mut settings =
            if self.is_tracking { Settings::tracking() } else { Settings::default() };
        settings.tolerance = self.tolerance;
        settings.orientation_tolerance = self.orientation_tolerance;
        settings.iterations = self.iterations.unwrap_or(settings.iterations);
        for name in self.locked {
            joints_named(robot, name)?
                .into_iter()
                .for_each(|joint| settings.joint(joint).locked = true);
        }
        for (name, stiffness) in &self.stiffness {
            joints_named(robot, name)?
                .into_iter()
                .for_each(|joint| settings.joint(joint).stiffness = *stiffness);
        }
        if let Some(dt) = self.dt {
            if dt.is_nan() || dt <= 0.0 {
                return Err(invalid(format!("dt: it must be above 0, not {dt}"), "dt"));
            }
            let skeleton = robot.skeleton();
            for joint in 0..skeleton.n_joints() {
                let limits = &robot.velocity_limits()[skeleton.dof_range(joint)];
                let slowest = limits.iter().copied().fold(f64::INFINITY, f64::min);
                settings.joint(joint).largest_change = slowest * dt;
            }
        }
        Ok(settings)
    }
}

/// A method by its name.
pub(crate) fn method_named(name: &str) -> PyResult<Method> {
    Method::ALL.into_iter().find(|method| method.name() == name).ok_or_else(|| {
        let names = Method::ALL.map(Method::name).join(", ");
        invalid(format!("method: {name:?} is none of {names}"), "method")
    })
}

impl<'py> Task<'py> {
    /// The task on a robot; for clearances, one for each pair of parts.
    fn on(&self, description: &Description, index: usize) -> PyResult<Vec<task::Task>> {
        let level = u8::try_from(self.level).unwrap_or(0);
        if !(1..=task::Task::LOWEST_LEVEL).contains(&level) {
            let most = task::Task::LOWEST_LEVEL;
            let message = format!(
                "tasks[{index}]: its level is {}, and must be from 1 to {most}",
                self.level
            );
            return Err(invalid_at(message, "tasks", index));
        }
        let all = match self.kind.as_str() {
            "clearance" => description
                .collisions()?
                .clearances(self.number("margin")?)
                .map_err(|error| collision(&error))?,
            _ => vec![task::Task::new(self.kind(&description.robot)?)],
        };
        Ok(all.into_iter().map(|task| task.weighing(self.weight).at_level(level)).collect())
    }

    fn kind(&self, robot: &Robot) -> PyResult<TaskKind> {
        let bodies = || robot.bodies().to_vec();
        Ok(match self.kind.as_str() {
            "position" => Position::new(self.frame(robot, 0)?, self.point("target")?).into(),
            "orientation" => {
                let rotation = one_rotation(&self.argument("rotation")?)?;
                Orientation::new(self.frame(robot, 0)?, rotation).into()
            }
            "pose" => {
                let target = one_pose(&self.argument("target")?, "target")?;
                FramePose::new(self.frame(robot, 0)?, target).along(self.axes()?).into()
            }
            "look-at" => {
                LookAt::new(self.frame(robot, 0)?, self.point("axis")?, self.point("target")?)
                    .into()
            }
            "axis-alignment" => {
                let (axis, direction) = (self.point("axis")?, self.point("direction")?);
                AxisAlignment::new(self.frame(robot, 0)?, axis, direction).into()
            }
            "pole" => {
                let (upper, tip) = (self.frame(robot, 0)?, self.frame(robot, 1)?);
                Pole::new(upper, self.point("mid")?, tip, self.point("pole")?).into()
            }
            "plane" => {
                let (point, normal) = (self.point("point")?, self.point("normal")?);
                let plane = Plane::new(self.frame(robot, 0)?, point, normal);
                let is_one_sided: bool = self.argument("one_sided")?.extract()?;
                if is_one_sided { plane.one_sided().into() } else { plane.into() }
            }
            "distance" => {
                let frames = [self.frame(robot, 0)?, self.frame(robot, 1)?];
                Distance::between(frames, self.number("least")?, self.number("most")?).into()
            }
            "relative-pose" => {
                let frames = [self.frame(robot, 0)?, self.frame(robot, 1)?];
                let target = one_pose(&self.argument("target")?, "target")?;
                RelativePose::new(frames, target).along(self.axes()?).into()
            }
            "closure" => {
                let frames = [self.frame(robot, 0)?, self.frame(robot, 1)?];
                let is_rigid: bool = self.argument("rigid")?.extract()?;
                Closure::new(frames, if is_rigid { Link::Weld } else { Link::Ball }).into()
            }
            "center-of-mass" => {
                let axes = self.argument("axes")?.extract()?;
                CenterOfMass::new(bodies(), self.point("target")?).along(axes).into()
            }
            "support" => {
                let corners = self.points("corners")?;
                let (up, margin) = (self.point("up")?, self.number("margin")?);
                let support = Support::try_new(bodies(), &corners, up, margin);
                support.map_err(|error| library(&error))?.into()
            }
            "posture" => {
                let n_values = robot.skeleton().n_values();
                let q = Array::vector(&self.argument("q")?, "q", n_values)?;
                Posture::new(q.values().to_vec()).into()
            }
            other => return Err(invalid(format!("there is no task {other:?}"), "tasks")),
        })
    }

    /// One of the task's frames, by its index; the first with the offset, if one was given.
    fn frame(&self, robot: &Robot, index: usize) -> PyResult<Frame> {
        let name = self.frames.get(index).map_or("", String::as_str);
        let mut frame = frame_named(robot, name)?;
        if let (0, Some(offset)) = (index, self.arguments.get_item("offset")?)
            && !offset.is_none()
        {
            frame.joint_from_frame = frame.joint_from_frame * one_pose(&offset, "offset")?;
        }
        Ok(frame)
    }

    fn argument(&self, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let given = self.arguments.get_item(name)?;
        given.ok_or_else(|| invalid(format!("the task {:?} lacks {name}", self.kind), name))
    }

    fn point(&self, name: &'static str) -> PyResult<DVec3> {
        one_point(&self.argument(name)?, name)
    }

    fn number(&self, name: &str) -> PyResult<f64> {
        self.argument(name)?.extract()
    }

    fn points(&self, name: &'static str) -> PyResult<Vec<DVec3>> {
        let array = Array::finite(&self.argument(name)?, name)?;
        match *array.shape() {
            [_, 3] => Ok(array.values().chunks_exact(3).map(DVec3::from_slice).collect()),
            _ => Err(wrong_shape(name, array.shape(), "(n, 3)")),
        }
    }

    fn axes(&self) -> PyResult<Axes> {
        let along = self.argument("along")?.extract()?;
        Ok(Axes { along, about: self.argument("about")?.extract()? })
    }
}
