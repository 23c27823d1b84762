//! A figure ready to be solved and shown: a skeleton and its tasks.

use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;
use posekit::skeleton::{Frame, JointKind};
use posekit::solve::{Method, Settings, Solution, Workspace};
use posekit::task::{Miss, Task, TaskKind};

use super::scene::{Body, Origin, Prepared, Rig, Scene};
use crate::figure::{FigureFrame, FigureGoal, FigureModel, FigureProblem, SourceKind};

/// A figure with its tasks.
#[derive(Debug, Clone)]
pub struct FigureScene {
    /// Its title.
    pub title: String,
    /// Its skeleton and start; the tip is the first frame of a task.
    pub rig: Rig,
    /// The tasks.
    pub tasks: Vec<Task>,
    /// The labels of the tasks, in the same order.
    pub labels: Vec<Label>,
    /// Mass of all bodies \[kg\].
    pub mass: f64,
    /// The links of a robot by the joints whose frames they are; empty without a robot.
    pub links: Vec<Option<String>>,
    /// The largest speed of each degree of freedom \[rad/s, m/s\]; infinite where the file gives none.
    pub velocity_limits: Vec<f64>,
    /// The settings of the file.
    settings: Settings,
    /// The file.
    pub problem: FigureProblem,
}

/// The label of a task.
#[derive(Debug, Clone)]
pub struct Label {
    /// Its name in the file.
    pub name: Option<String>,
    /// Its frames.
    pub frame: String,
}

impl FigureScene {
    /// The scene of a figure that was read.
    pub fn new(title: String, problem: &FigureProblem, model: FigureModel) -> Self {
        let frames = || model.tasks.iter().flat_map(|task| task.kind.frames()).flatten();
        let tip =
            frames().next().unwrap_or_else(|| model.skeleton.frame(model.skeleton.n_joints() - 1));
        let (target, orientation) = model.tasks.iter().find_map(target_of).unzip();
        let labels = problem
            .tasks
            .iter()
            .map(|task| Label { name: task.name.clone(), frame: frame_words(&task.goal) })
            .collect();
        Self {
            title,
            rig: Rig {
                origin: Origin::Robot,
                skeleton: model.skeleton,
                start: model.start,
                tip,
                target,
                orientation: orientation.flatten(),
                weights: Vec::new(),
            },
            tasks: model.tasks,
            labels,
            mass: model.bodies.iter().map(|body| body.mass).sum(),
            links: model.links,
            velocity_limits: model.velocity_limits,
            settings: model.settings,
            problem: problem.clone(),
        }
    }

    /// The given settings with those of the file; shares and weights of joints, which a file does not have, are the given ones.
    #[must_use]
    pub fn settings(&self, given: Settings) -> Settings {
        let Settings { joints, least_squares, .. } = &self.settings;
        let mut settings = given.with_least_squares(*least_squares);
        for index in 0..joints.len().max(settings.joints.len()) {
            let (own, joint) = (self.settings.joint_options(index), settings.joint(index));
            *joint = own.with_share(joint.share).with_weight(joint.weight);
        }
        settings
    }

    /// The input of one solve with these settings, which include [those of the file](Self::settings).
    #[must_use]
    pub fn prepare(&self, settings: Settings) -> Prepared<'_> {
        Prepared::of_rig(&self.rig, self.tasks.clone(), settings)
    }

    /// Solves to the end.
    ///
    /// # Errors
    /// As [`Workspace::begin`].
    pub fn solve(&self, method: Method, settings: &Settings) -> posekit::Result<Solution> {
        let mut workspace = Workspace::default();
        let rig = &self.rig;
        workspace.begin(&rig.skeleton, &rig.start, &self.tasks, method, settings)?;
        Ok(workspace.run().clone())
    }

    /// The method that runs for a requested one; the same if it does not apply.
    pub fn chosen(&self, method: Method) -> Method {
        let mut workspace = Workspace::default();
        let (rig, settings) = (&self.rig, &self.settings);
        match workspace.begin(&rig.skeleton, &rig.start, &self.tasks, method, settings) {
            Ok(()) => workspace.solution().choice.method,
            Err(_) => method,
        }
    }

    /// Joints that can move.
    pub fn moving(&self) -> Vec<usize> {
        let is_fixed = |joint: usize| self.rig.skeleton.kind(joint) == JointKind::Fixed;
        (0..self.rig.skeleton.n_joints()).filter(|&joint| !is_fixed(joint)).collect()
    }

    /// The parts of a task's miss that apply to it: a distance, an angle.
    pub fn relevant_miss(&self, task: usize, miss: Miss) -> [Option<f64>; 2] {
        let [length, angle] = measures(&self.tasks[task].kind, &self.rig);
        [length.then_some(miss.distance), angle.then_some(miss.angle)]
    }

    /// Whether a task is within the tolerances.
    pub fn is_met(miss: Miss, solution: &Solution, settings: &Settings) -> bool {
        miss.distance <= solution.tolerance && miss.angle <= settings.angle_tolerance()
    }

    /// The figure as a scene, to be drawn.
    pub fn scene(&self) -> Scene {
        let origin = if self.is_flat() { Origin::Plane } else { Origin::Robot };
        let rig = Rig { origin, ..self.rig.clone() };
        let is_character = self.problem.source().is_some_and(|(kind, _)| kind == SourceKind::Gltf);
        let up = if is_character { DVec3::Y } else { DVec3::Z };
        let body = Body::Joints(Box::new(rig));
        Scene { title: self.title.clone(), unit: "m", up, body }
    }

    /// From each joint with a frame to that frame, except the tip: the parts of hands and feet that the skeleton itself does not show.
    pub fn ends(&self, q: &[f64]) -> Vec<[DVec3; 2]> {
        let world = self.rig.skeleton.poses(q);
        let frames = self.tasks.iter().flat_map(|task| task.kind.frames()).flatten();
        let end = |frame: Frame| [world[frame.joint].translation, frame.world(&world).translation];
        frames.filter(|frame| *frame != self.rig.tip).map(end).collect()
    }

    /// True when everything stays in the plane z = 0: all hinges are about z, and they and all frames are in it.
    fn is_flat(&self) -> bool {
        let skeleton = &self.rig.skeleton;
        let is_flat = |pose: Pose| {
            let turn = pose.rotation;
            pose.translation.z == 0.0 && turn.x == 0.0 && turn.y == 0.0
        };
        let stays = |joint: usize| match skeleton.kind(joint) {
            JointKind::Fixed => true,
            JointKind::Revolute { axis } => axis.x == 0.0 && axis.y == 0.0,
            JointKind::Prismatic { axis } => axis.z == 0.0,
            _ => false,
        };
        let mut joints = 0..skeleton.n_joints();
        let mut frames = self.tasks.iter().flat_map(|task| task.kind.frames()).flatten();
        joints.all(|joint| stays(joint) && is_flat(skeleton.parent_from_joint(joint)))
            && frames.all(|frame| is_flat(frame.joint_from_frame))
    }

    /// The largest distance by which a task of level 1 is missed at the start.
    pub fn start_error(&self) -> f64 {
        let rig = &self.rig;
        let first = self.tasks.iter().filter(|task| task.level == 1 && task.weight > 0.0);
        let required = first.filter(|task| !is_preference(task));
        required.map(|task| task.miss(&rig.skeleton, &rig.start).distance).fold(0.0, f64::max)
    }
}

/// True for a task that does not affect the status.
pub const fn is_preference(task: &Task) -> bool {
    matches!(task.kind, TaskKind::Posture(_))
}

/// The position and the orientation of a task's target in a picture.
fn target_of(task: &Task) -> Option<(DVec3, Option<DQuat>)> {
    match &task.kind {
        TaskKind::Position(task) => Some((task.target_in_world, None)),
        TaskKind::Pose(task) if task.axes.along == [true; 3] => {
            let pose = task.world_from_target;
            Some((pose.translation, (task.axes.about == [true; 3]).then_some(pose.rotation)))
        }
        _ => None,
    }
}

/// Whether a task has a distance, and an angle.
fn measures(kind: &TaskKind, rig: &Rig) -> [bool; 2] {
    use posekit::task::Link;
    let any = |axes: [bool; 3]| axes.contains(&true);
    match kind {
        TaskKind::Orientation(_) | TaskKind::LookAt(_) | TaskKind::AxisAlignment(_) => {
            [false, true]
        }
        TaskKind::Pose(task) => [any(task.axes.along), any(task.axes.about)],
        TaskKind::RelativePose(task) => [any(task.axes.along), any(task.axes.about)],
        TaskKind::Closure(task) => [true, task.link != Link::Ball],
        TaskKind::Posture(task) => {
            let cares = |joint: &usize| task.cares.get(*joint).is_none_or(|&care| care > 0.0);
            let kinds =
                || (0..rig.skeleton.n_joints()).filter(cares).map(|joint| rig.skeleton.kind(joint));
            let slides = |kind| matches!(kind, JointKind::Prismatic { .. } | JointKind::Free);
            let turns = |kind| !matches!(kind, JointKind::Prismatic { .. } | JointKind::Fixed);
            [kinds().any(slides), kinds().any(turns)]
        }
        _ => [true, false],
    }
}

/// The frames of a task, by their names in the file.
fn frame_words(goal: &FigureGoal) -> String {
    let one = |frame: &FigureFrame| frame.on.name().to_owned();
    let two = |[a, b]: &[FigureFrame; 2]| format!("{}, {}", one(a), one(b));
    match goal {
        FigureGoal::Position { frame, .. }
        | FigureGoal::Orientation { frame, .. }
        | FigureGoal::Pose { frame, .. }
        | FigureGoal::LookAt { frame, .. }
        | FigureGoal::AxisAlignment { frame, .. }
        | FigureGoal::Plane { frame, .. } => one(frame),
        FigureGoal::Pole { frames, .. }
        | FigureGoal::Distance { frames, .. }
        | FigureGoal::RelativePose { frames, .. }
        | FigureGoal::Closure { frames, .. } => two(frames),
        FigureGoal::CenterOfMass { .. } | FigureGoal::Support { .. } => "centre of mass".to_owned(),
        FigureGoal::Clearance { capsules, .. } => {
            let name = |which: usize| {
                capsules[which].on.as_ref().map_or("the world", |on| on.name()).to_owned()
            };
            format!("{}, {}", name(0), name(1))
        }
        FigureGoal::Posture { values, .. } if !values.is_empty() => {
            let names: Vec<&str> = values.iter().map(|entry| entry.name.as_str()).collect();
            names.join(", ")
        }
        _ => "joints".to_owned(),
    }
}
