//! A robot or figure with tasks, as posekit takes it.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, so3_log};
use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
use posekit::task::{FramePose, Orientation, Position, Posture, Task, TaskKind};
use posekit_io::{Limits, Warnings, urdf};

use super::file::{Case, Coordinates, Problem};

/// A skeleton and what is asked of it.
#[derive(Debug, Clone)]
pub struct Model {
    /// What to call it.
    pub name: String,
    /// Joints that do not move are fixed.
    pub skeleton: Skeleton,
    effectors: Vec<(Coordinates, Frame)>,
    posture_weight: f64,
    /// Places in a configuration of the values that a problem names.
    places: Vec<usize>,
}

impl Model {
    /// A figure whose problems name whole configurations. Postures weigh as in the file.
    pub fn new(
        name: &str,
        skeleton: Skeleton,
        effectors: Vec<(Coordinates, Frame)>,
        posture_weight: f64,
    ) -> Self {
        let places = (0..skeleton.n_values()).collect();
        Self { name: name.to_owned(), skeleton, effectors, posture_weight, places }
    }

    /// The robot of a case. `assets` is the folder that has `urdf/`.
    ///
    /// # Errors
    /// When the robot cannot be read or has no such joint or link.
    pub fn read(case: &Case, assets: &Path) -> Result<Self> {
        let path = assets.join("urdf").join(&case.urdf);
        let robot = urdf::read_file(&path, &Limits::default(), &mut Warnings::default())?;
        let skeleton = reduced(robot.skeleton(), case)?;
        let place = |name: &String| -> Result<usize> {
            let joint = skeleton.find(name).with_context(|| format!("no joint {name}"))?;
            Ok(skeleton.value_range(joint).start)
        };
        let places = case.joints.iter().map(place).collect::<Result<_>>()?;
        let mut effectors = Vec::new();
        for task in &case.tasks {
            let frame =
                robot.frame(&task.frame).with_context(|| format!("no link {}", task.frame))?;
            effectors.push((task.kind, frame));
        }
        Ok(Self { places, ..Self::new(&case.name, skeleton, effectors, case.posture_weight) })
    }

    /// The same without a posture.
    #[must_use]
    pub fn carefree(&self) -> Self {
        Self { posture_weight: 0.0, ..self.clone() }
    }

    /// How many joints move.
    pub fn n_moving(&self) -> usize {
        let joints = 0..self.skeleton.n_joints();
        joints.filter(|&joint| !self.skeleton.value_range(joint).is_empty()).count()
    }

    /// The range of each value that a problem names \[rad, m\]; a whole turn for what has none.
    pub(super) fn ranges(&self) -> Vec<(f64, f64)> {
        let turn = core::f64::consts::PI;
        let mut ranges = vec![(-turn, turn); self.skeleton.n_values()];
        for joint in 0..self.skeleton.n_joints() {
            if let Limit::Range { min, max } = self.skeleton.limit(joint) {
                ranges[self.skeleton.value_range(joint).start] = (min, max);
            }
        }
        self.places.iter().map(|&place| ranges[place]).collect()
    }

    /// The configuration that a problem starts from.
    pub fn start(&self, problem: &Problem) -> Vec<f64> {
        let mut q = self.skeleton.neutral();
        for (&place, value) in self.places.iter().zip(&problem.start) {
            q[place] = *value;
        }
        if let Some(base) = problem.start_base {
            q[..7].copy_from_slice(&base);
        }
        q
    }

    /// The tasks, at the targets given, and a posture at a configuration.
    pub fn tasks(&self, targets: &[Vec<f64>], posture: &[f64]) -> Vec<Task> {
        let mut tasks: Vec<Task> = Vec::new();
        for ((coordinates, frame), values) in self.effectors.iter().zip(targets) {
            let pose = pose(*coordinates, values);
            tasks.push(match coordinates {
                Coordinates::Pose => FramePose::new(*frame, pose).into(),
                Coordinates::Position => Position::new(*frame, pose.translation).into(),
                Coordinates::Orientation => Orientation::new(*frame, pose.rotation).into(),
            });
        }
        // The file's weights multiply the error, posekit's its square, and the base has no posture.
        let is_free = |joint| self.skeleton.value_range(joint).len() == 7;
        let cares = (0..self.skeleton.n_joints()).map(|joint| f64::from(!is_free(joint)));
        let posture = Posture::new(posture).caring(cares.collect::<Vec<_>>());
        tasks.push(Task::from(posture).weighing(self.posture_weight * self.posture_weight));
        tasks
    }

    /// Targets as poses; the part without a say is the identity.
    pub fn prepare(&self, targets: &[Vec<f64>]) -> Vec<Pose> {
        let pairs = self.effectors.iter().zip(targets);
        pairs.map(|((coordinates, _), values)| pose(*coordinates, values)).collect()
    }

    /// Where a configuration has the effectors, in the numbers of the file.
    pub fn targets_at(&self, q: &[f64]) -> Vec<Vec<f64>> {
        let poses = self.skeleton.poses(q);
        let at = |(coordinates, frame): &(Coordinates, Frame)| {
            let pose = frame.world(&poses);
            let (position, turn) = (pose.translation.to_array(), pose.rotation.to_array());
            match coordinates {
                Coordinates::Pose => [&position[..], &turn].concat(),
                Coordinates::Position => position.to_vec(),
                Coordinates::Orientation => turn.to_vec(),
            }
        };
        self.effectors.iter().map(at).collect()
    }

    /// The largest distance \[m\] or angle \[rad\] between a task's frame and its target, by forward kinematics.
    pub fn worst_error(&self, targets: &[Vec<f64>], q: &[f64]) -> f64 {
        let poses = self.skeleton.poses(q);
        let mut worst = 0.0_f64;
        for ((coordinates, frame), values) in self.effectors.iter().zip(targets) {
            let (at, target) = (frame.world(&poses), pose(*coordinates, values));
            if *coordinates != Coordinates::Orientation {
                worst = worst.max(at.translation.distance(target.translation));
            }
            if *coordinates != Coordinates::Position {
                worst = worst.max(so3_log(target.rotation * at.rotation.conjugate()).length());
            }
        }
        worst
    }
}

/// Moves the targets of tasks.
pub fn set_targets(tasks: &mut [Task], targets: &[Pose]) {
    for (task, target) in tasks.iter_mut().zip(targets) {
        match &mut task.kind {
            TaskKind::Pose(task) => task.world_from_target = *target,
            TaskKind::Position(task) => task.target_in_world = target.translation,
            TaskKind::Orientation(task) => task.world_from_target = target.rotation,
            _ => {}
        }
    }
}

/// A target of the file.
fn pose(coordinates: Coordinates, values: &[f64]) -> Pose {
    let position = || DVec3::from_slice(values);
    let turn = || DQuat::from_slice(&values[values.len() - 4..]).normalize();
    match coordinates {
        Coordinates::Pose => Pose::new(turn(), position()),
        Coordinates::Position => Pose::from_translation(position()),
        Coordinates::Orientation => Pose::new(turn(), DVec3::ZERO),
    }
}

/// The robot with nothing moving but the joints of the case, and its base if that floats.
fn reduced(robot: &Skeleton, case: &Case) -> Result<Skeleton> {
    let mut builder = Skeleton::builder();
    let mut found = 0;
    for index in 0..robot.n_joints() {
        let name = robot.name(index);
        let mut joint = match robot.parent(index) {
            None if case.floating_base => Joint::free(name),
            _ if case.joints.iter().any(|moving| moving == name) => {
                found += 1;
                ensure!(robot.value_range(index).len() == 1, "joint {name} does not move");
                Joint::new(name, robot.kind(index)).with_limit(robot.limit(index))
            }
            _ => Joint::fixed(name),
        };
        joint.parent = robot.parent(index);
        builder.add(joint.at(robot.parent_from_joint(index)));
    }
    if found != case.joints.len() {
        bail!("{} of the {} joints are not in {}", case.joints.len() - found, found, case.urdf);
    }
    Ok(builder.build()?)
}
