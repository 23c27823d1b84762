//! A figure as a skeleton with its tasks.

use std::collections::BTreeMap;
use std::sync::Arc;

use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;
use posekit::skeleton::{Frame, Joint, Limit, Mimic, Skeleton};
use posekit::solve::Settings;
use posekit::task::{
    Axes, AxisAlignment, Body, Capsule, CenterOfMass, Clearance, Closure, Distance, FramePose,
    Link, LookAt, Orientation, Plane, Pole, Position, Posture, RelativePose, Support, Task,
    TaskKind,
};

use super::{
    FigureBody, FigureCapsule, FigureDistance, FigureFrame, FigureGoal, FigureJoint, FigureLink,
    FigureMotion, FigurePose, FigureProblem, FigureRoot, FigureSettings, FigureSkeleton,
    FigureSource, FigureTask, FrameOwner,
};
use crate::error::{Error, Place, Result};
use crate::robot::Robot;
use crate::rotation::{check_unit, unit_rotation};
use crate::solution::NamedValues;
use crate::warnings::Warnings;

/// The tolerance for a mimic joint's value against that of its driver, relative to the larger of it and 1: six written digits are enough.
const FOLLOWING: f64 = 1e-6;

/// The largest number of postures. Each has a value for every joint, so many of them would be out of proportion to the file.
const MOST_POSTURES: usize = 16;

/// A figure as a skeleton with a start and tasks, ready to be solved.
#[derive(Debug, Clone)]
pub struct FigureModel {
    /// The joints: those of the file in its order, or those of the robot.
    pub skeleton: Skeleton,
    /// The configuration to start from, within the limits.
    pub start: Vec<f64>,
    /// The tasks, in the order of the file.
    pub tasks: Vec<Task>,
    /// The masses: the bodies of the file, or else those of the robot; shared by the tasks on the centre of mass.
    pub bodies: Arc<[Body]>,
    /// The settings of the file, the others at their defaults.
    pub settings: Settings,
    /// The links of a robot by the joints whose frames they are: a name or nothing for each joint. Empty without a robot.
    pub links: Vec<Option<String>>,
    /// The largest speed of each degree of freedom \[rad/s, m/s\], as a robot's file gives it; infinite where there is none.
    pub velocity_limits: Vec<f64>,
}

impl FigureProblem {
    /// The figure as a skeleton, a start, and tasks for the solvers.
    ///
    /// The start is clamped to the limits, with a warning for each joint that changes; an equivalent angle within its limit, a
    /// whole number of turns away, is preferred. Rotations, axes and directions are normalised.
    ///
    /// - `source`: the content of the file that [`FigureProblem::source`] names, read by the caller; ignored if it names none
    ///
    /// # Errors
    /// Unknown names and inconsistent values, by JSON path; [`Error::located_in`] adds line and column.
    /// [`Error::Missing`] if a source is named and none is given.
    pub fn to_model(
        &self,
        source: Option<&FigureSource>,
        warnings: &mut Warnings,
    ) -> Result<FigureModel> {
        match &self.skeleton {
            FigureSkeleton::Joints { joints } => self.assemble(build(joints)?, None, warnings),
            FigureSkeleton::Robot { root, .. } | FigureSkeleton::Character { root, .. } => {
                let Some(source) = source else {
                    let kind = self.source().map_or("joints", |(kind, _)| kind.field());
                    return Err(Error::Missing {
                        place: Place::named(kind),
                        field: "source".into(),
                    });
                };
                let is_free = *root == FigureRoot::Free;
                let free = is_free.then(|| source.with_free_root()).transpose()?;
                let source = free.as_ref().unwrap_or(source);
                self.assemble(source.skeleton().clone(), source.robot(), warnings)
            }
        }
    }

    fn assemble(
        &self,
        skeleton: Skeleton,
        robot: Option<&Robot>,
        warnings: &mut Warnings,
    ) -> Result<FigureModel> {
        let names = Names { skeleton: &skeleton, robot };
        let start = start(&names, &self.start, warnings)?;
        let bodies: Arc<[Body]> = match &self.bodies {
            Some(bodies) => names.bodies(bodies)?.into(),
            None => robot.map_or(Vec::new(), |robot| robot.bodies().to_vec()).into(),
        };
        check_postures(&self.tasks)?;
        let context = Context { names, start: &start, bodies: &bodies };
        let tasks: Result<Vec<Task>> =
            self.tasks.iter().enumerate().map(|(index, task)| context.task(task, index)).collect();
        let tasks = tasks?;
        let settings = context.names.settings(&self.settings)?;
        let links = robot.map_or(Vec::new(), links_by_joint);
        let velocity_limits = robot.map_or_else(
            || vec![f64::INFINITY; skeleton.n_dofs()],
            |robot| robot.velocity_limits().to_vec(),
        );
        Ok(FigureModel { start, tasks, bodies, settings, skeleton, links, velocity_limits })
    }
}

/// For each joint of a robot the link that it carries; the first two of a planar joint's three carry none.
fn links_by_joint(robot: &Robot) -> Vec<Option<String>> {
    let mut links = vec![None; robot.skeleton().n_joints()];
    for link in robot.links() {
        links[link.skeleton_joint] = Some(link.name.clone());
    }
    links
}

fn check_postures(tasks: &[FigureTask]) -> Result<()> {
    let is_posture = |task: &FigureTask| matches!(task.goal, FigureGoal::Posture { .. });
    let mut postures = tasks.iter().enumerate().filter(|(_, task)| is_posture(task));
    match postures.nth(MOST_POSTURES) {
        Some((index, _)) => Err(Error::Unsupported {
            place: Place::named(format!("tasks[{index}]")),
            message: format!("more than {MOST_POSTURES} postures; combine them"),
        }),
        None => Ok(()),
    }
}

fn value_error(subject: impl Into<String>, message: impl Into<String>) -> Error {
    Error::Value { place: Place::named(subject), message: message.into() }
}

fn no_such_joint(subject: impl Into<String>, name: &str) -> Error {
    Error::NoSuchName { place: Place::named(subject), kind: "joint", name: name.to_owned() }
}

/// The direction of a vector of any length, however small or large; zero stays zero for the checks to refuse.
fn direction(vector: [f64; 3]) -> DVec3 {
    let vector = DVec3::from_array(vector);
    let scale = vector.abs().max_element();
    (vector / scale).try_normalize().unwrap_or(DVec3::ZERO)
}

fn offset(position: Option<[f64; 3]>, rotation: Option<[f64; 4]>) -> Pose {
    let rotation = rotation.map_or(DQuat::IDENTITY, unit_rotation);
    Pose::new(rotation, DVec3::from_array(position.unwrap_or_default()))
}

/// The skeleton of the joints in the file.
fn build(joints: &[FigureJoint]) -> Result<Skeleton> {
    let mut index_of = BTreeMap::new();
    for (index, joint) in joints.iter().enumerate() {
        if let Some(first) = index_of.insert(joint.name.as_str(), index) {
            let message = format!("joints[{first}] has the name `{}` too", joint.name);
            return Err(value_error(format!("joints[{index}].name"), message));
        }
    }
    let mut list = Vec::with_capacity(joints.len());
    for (index, joint) in joints.iter().enumerate() {
        list.push(build_joint(joint, index, &index_of)?);
    }
    Skeleton::try_new(list).map_err(|error| refused(&error, &index_of))
}

fn build_joint(
    joint: &FigureJoint,
    index: usize,
    index_of: &BTreeMap<&str, usize>,
) -> Result<Joint> {
    let range =
        |limit: Option<[f64; 2]>| limit.map_or(Limit::None, |[min, max]| Limit::Range { min, max });
    let name = joint.name.as_str();
    let built = match joint.motion {
        FigureMotion::Fixed => Joint::fixed(name),
        FigureMotion::Free => Joint::free(name),
        FigureMotion::Revolute { axis, limit } => {
            Joint::revolute(name, direction(axis)).with_limit(range(limit))
        }
        FigureMotion::Prismatic { axis, limit } => {
            Joint::prismatic(name, direction(axis)).with_limit(range(limit))
        }
        FigureMotion::Ball { cone } => {
            Joint::ball(name).with_limit(cone.map_or(Limit::None, |cone| Limit::Cone {
                axis: direction(cone.axis),
                swing: cone.swing,
                twist: cone.twist,
            }))
        }
    };
    let mut built = built.at(offset(joint.position, joint.rotation));
    let find = |name: &str, field: &str| {
        let found = index_of.get(name).copied();
        found.ok_or_else(|| no_such_joint(format!("joints[{index}].{field}"), name))
    };
    if let Some(parent) = &joint.parent {
        let parent_index = find(parent, "parent")?;
        if parent_index >= index {
            let message = format!("the parent `{parent}` must come before `{name}`");
            return Err(value_error(format!("joints[{index}].parent"), message));
        }
        built = built.child_of(parent_index);
    }
    if let Some(mimic) = &joint.mimic {
        built = built.with_mimic(Mimic {
            joint: find(&mimic.joint, "mimic.joint")?,
            multiplier: mimic.multiplier.unwrap_or(1.0),
            offset: mimic.offset.unwrap_or(0.0),
        });
    }
    Ok(built)
}

/// Errors that only the skeleton's builder can detect: cycles of mimic joints, and limits that leave a driver no value.
fn refused(error: &posekit::Error, index_of: &BTreeMap<&str, usize>) -> Error {
    let index = error.joint().and_then(|joint| index_of.get(joint));
    let subject = index.map_or_else(|| "joints".to_owned(), |index| format!("joints[{index}]"));
    value_error(subject, error.to_string())
}

/// Looks names up.
struct Names<'a> {
    skeleton: &'a Skeleton,
    robot: Option<&'a Robot>,
}

impl Names<'_> {
    fn joint(&self, name: &str, subject: impl Into<String>) -> Result<usize> {
        self.skeleton.find(name).ok_or_else(|| no_such_joint(subject, name))
    }

    /// The frame of a joint, a link, or a named frame of a robot.
    fn owner(&self, owner: &FrameOwner, subject: &str) -> Result<Frame> {
        let (name, robot) = match (owner, self.robot) {
            (FrameOwner::Joint(name), _) => {
                return Ok(self.skeleton.frame(self.joint(name, subject)?));
            }
            (FrameOwner::Link(name), Some(robot)) => (name, robot),
            (FrameOwner::Link(_), None) => {
                return Err(value_error(subject, "only a robot has links; give a `joint`"));
            }
        };
        robot.frame(name).ok_or_else(|| Error::NoSuchName {
            place: Place::named(subject),
            kind: "link",
            name: name.clone(),
        })
    }

    fn frame(&self, frame: &FigureFrame, subject: &str) -> Result<Frame> {
        let Frame { joint, joint_from_frame } = self.owner(&frame.on, subject)?;
        Ok(Frame::new(joint, joint_from_frame * offset(frame.position, frame.rotation)))
    }

    fn bodies(&self, bodies: &[FigureBody]) -> Result<Vec<Body>> {
        let body = |(index, body): (usize, &FigureBody)| {
            Ok(Body {
                joint: self.joint(&body.joint, format!("bodies[{index}].joint"))?,
                center_in_joint: DVec3::from_array(body.center),
                mass: body.mass,
            })
        };
        bodies.iter().enumerate().map(body).collect()
    }

    /// A number for each joint, 0 for those that are not named; empty when none is.
    fn per_joint(&self, list: &[(String, f64)], subject: &str) -> Result<Vec<f64>> {
        if list.is_empty() {
            return Ok(Vec::new());
        }
        let mut all = vec![0.0; self.skeleton.n_joints()];
        for (name, value) in list {
            all[self.joint(name, format!("{subject}.{name}"))?] = *value;
        }
        Ok(all)
    }

    fn settings(&self, settings: &FigureSettings) -> Result<Settings> {
        let mut all = Settings::default();
        let usual = all.least_squares;
        all.least_squares = usual
            .with_regularisation(settings.regularisation.unwrap_or(usual.regularisation))
            .with_restarts(settings.restarts.unwrap_or(usual.restarts))
            .with_least_change(settings.least_change.unwrap_or(usual.least_change));
        if let Some(root) = settings.root {
            root.apply(self.skeleton, &mut all);
        }
        for (index, name) in settings.locked.iter().enumerate() {
            all.joint(self.joint(name, format!("settings.locked[{index}]"))?).locked = true;
        }
        for (name, value) in &settings.stiffness {
            let joint = self.joint(name, format!("settings.stiffness.{name}"))?;
            all.joint(joint).stiffness = *value;
        }
        for (name, value) in &settings.largest_change {
            let joint = self.joint(name, format!("settings.largest_change.{name}"))?;
            all.joint(joint).largest_change = *value;
        }
        Ok(all)
    }

    /// Assigns named values, and updates the joints that mimic them.
    ///
    /// A mimic joint's value may be given if it agrees with its driver: the values of a solution are a valid start.
    fn place_values(&self, q: &mut [f64], list: &[NamedValues], subject: &str) -> Result<()> {
        let mut followers = Vec::new();
        for entry in list {
            let subject = format!("{subject}.{}", entry.name);
            let joint = self.joint(&entry.name, subject.as_str())?;
            let values = self.skeleton.value_range(joint);
            if values.len() != entry.values.len() {
                let kind = self.skeleton.kind(joint).name();
                let (expected, found) = (values.len(), entry.values.len());
                let message = format!("a {kind} joint has {expected} values, found {found}");
                return Err(value_error(subject, message));
            }
            if let Some(mimic) = self.skeleton.mimic(joint) {
                followers.push((subject, mimic.joint, values.start, entry.values[0]));
                continue;
            }
            let slot = &mut q[values];
            slot.copy_from_slice(&entry.values);
            if let Some(rotation) = slot.last_chunk_mut::<4>() {
                if let Err(length) = check_unit(DQuat::from_array(*rotation)) {
                    let message = format!("the rotation (x, y, z, w) has length {length}, not 1");
                    return Err(value_error(subject, message));
                }
                *rotation = unit_rotation(*rotation).to_array();
            }
        }
        self.skeleton.settle(q);
        for (subject, driver, at, given) in followers {
            if (q[at] - given).abs() > FOLLOWING * given.abs().max(1.0) {
                let (driver, follows) = (self.skeleton.name(driver), q[at]);
                let message =
                    format!("it mimics `{driver}`, which sets it to {follows}, not {given}");
                return Err(value_error(subject, message));
            }
        }
        Ok(())
    }
}

/// The configuration to start from.
fn start(names: &Names<'_>, list: &[NamedValues], warnings: &mut Warnings) -> Result<Vec<f64>> {
    let skeleton = names.skeleton;
    let mut q = skeleton.neutral();
    names.place_values(&mut q, list, "start")?;
    for joint in 0..skeleton.n_joints() {
        if let (Some(slot), posekit::skeleton::JointKind::Revolute { .. }) =
            (q.get_mut(skeleton.value_range(joint).start), skeleton.kind(joint))
        {
            *slot = skeleton.limit(joint).equivalent_angle(*slot, *slot).unwrap_or(*slot);
        }
    }
    // Mimic joints are updated.
    skeleton.settle(&mut q);
    let given = q.clone();
    skeleton.clamp(&mut q);
    for entry in list {
        let values = skeleton.value_range(names.joint(&entry.name, "start")?);
        if q[values.clone()] != given[values.clone()] {
            let place = Place::named(format!("start.{}", entry.name));
            let message = match (&given[values.clone()], &q[values]) {
                ([from], [to]) => format!("{from} is outside the limit; {to} is used"),
                _ => "the rotation is outside the cone; the nearest rotation inside is used"
                    .to_owned(),
            };
            warnings.push(place, message);
        }
    }
    Ok(q)
}

/// The context for making tasks.
struct Context<'a> {
    names: Names<'a>,
    start: &'a [f64],
    bodies: &'a Arc<[Body]>,
}

impl Context<'_> {
    fn task(&self, task: &FigureTask, index: usize) -> Result<Task> {
        let at = format!("tasks[{index}]");
        let made = Task::new(self.kind(&task.goal, &at)?)
            .weighing(task.weight.unwrap_or(1.0))
            .at_level(task.level.unwrap_or(1));
        made.check(self.names.skeleton, index)
            .map_err(|error| value_error(at, error.to_string()))?;
        Ok(made)
    }

    fn kind(&self, goal: &FigureGoal, at: &str) -> Result<TaskKind> {
        let frame = |frame: &FigureFrame| self.names.frame(frame, &format!("{at}.frame"));
        let frames = |[a, b]: &[FigureFrame; 2]| -> Result<[Frame; 2]> {
            let frame = |frame, which| self.names.frame(frame, &format!("{at}.frames[{which}]"));
            Ok([frame(a, 0)?, frame(b, 1)?])
        };
        let point = DVec3::from_array;
        Ok(match goal {
            FigureGoal::Position { frame: on, target } => {
                Position::new(frame(on)?, point(*target)).into()
            }
            FigureGoal::Orientation { frame: on, orientation } => {
                Orientation::new(frame(on)?, unit_rotation(*orientation)).into()
            }
            FigureGoal::Pose { frame: on, pose } => {
                let (target, axes) = pose_of(pose);
                FramePose::new(frame(on)?, target).along(axes).into()
            }
            FigureGoal::LookAt { frame: on, axis, target } => {
                LookAt::new(frame(on)?, direction(*axis), point(*target)).into()
            }
            FigureGoal::AxisAlignment { frame: on, axis, direction: target } => {
                AxisAlignment::new(frame(on)?, direction(*axis), direction(*target)).into()
            }
            FigureGoal::Pole { frames: on, mid, target } => {
                let [upper, tip] = frames(on)?;
                Pole::new(upper, point(*mid), tip, point(*target)).into()
            }
            FigureGoal::Plane { frame: on, point: at, normal, is_one_sided } => {
                let plane = Plane::new(frame(on)?, point(*at), direction(*normal));
                if *is_one_sided { plane.one_sided() } else { plane }.into()
            }
            FigureGoal::Distance { frames: on, distance } => {
                let (min, max) = match *distance {
                    FigureDistance::Exactly { distance } => (distance, distance),
                    FigureDistance::Between { min, max } => {
                        (min.unwrap_or(0.0), max.unwrap_or(f64::INFINITY))
                    }
                };
                Distance::between(frames(on)?, min, max).into()
            }
            FigureGoal::RelativePose { frames: on, pose } => {
                let (target, axes) = pose_of(pose);
                RelativePose::new(frames(on)?, target).along(axes).into()
            }
            FigureGoal::Closure { frames: on, link } => {
                let link = match *link {
                    FigureLink::Ball => Link::Ball,
                    FigureLink::Hinge { axes } => Link::Hinge(axes.map(direction)),
                    FigureLink::Weld => Link::Weld,
                };
                Closure::new(frames(on)?, link).into()
            }
            FigureGoal::CenterOfMass { target, along } => {
                CenterOfMass::new(self.weighing(at)?, point(*target))
                    .along(along.unwrap_or([true; 3]))
                    .into()
            }
            FigureGoal::Support { corners, up, margin } => {
                let corners: Vec<DVec3> = corners.iter().copied().map(point).collect();
                let up = up.map_or(DVec3::Z, direction);
                Support::try_new(self.weighing(at)?, &corners, up, margin.unwrap_or(0.0))
                    .map_err(|error| value_error(at, error.to_string()))?
                    .into()
            }
            FigureGoal::Clearance { capsules: [a, b], margin } => {
                let capsules = [self.capsule(a, at, 0)?, self.capsule(b, at, 1)?];
                Clearance::new(capsules, margin.unwrap_or(0.0)).into()
            }
            FigureGoal::Posture { values, cares } => self.posture(values, cares.as_deref(), at)?,
        })
    }

    /// The bodies, at least one of which must have a mass.
    fn weighing(&self, at: &str) -> Result<Arc<[Body]>> {
        if self.bodies.iter().any(|body| body.mass > 0.0) {
            return Ok(Arc::clone(self.bodies));
        }
        let message = "no body has a mass; give `bodies`, or a URDF whose links have an <inertial>";
        Err(value_error(at, message))
    }

    fn capsule(&self, capsule: &FigureCapsule, at: &str, which: usize) -> Result<Capsule> {
        let subject = format!("{at}.capsules[{which}]");
        let on = capsule.on.as_ref().map(|on| self.names.owner(on, &subject)).transpose()?;
        let place = |end| {
            let end = DVec3::from_array(end);
            on.map_or(end, |on| on.joint_from_frame.transform_point(end))
        };
        let ends = capsule.ends.map(place);
        Ok(Capsule { joint: on.map(|on| on.joint), ends, radius: capsule.radius })
    }

    fn posture(
        &self,
        values: &[NamedValues],
        cares: Option<&[(String, f64)]>,
        at: &str,
    ) -> Result<TaskKind> {
        let mut q = self.start.to_vec();
        self.names.place_values(&mut q, values, &format!("{at}.values"))?;
        let named: Vec<(String, f64)>;
        let cares = match cares {
            Some(cares) => cares,
            None => {
                named = values.iter().map(|entry| (entry.name.clone(), 1.0)).collect();
                &named
            }
        };
        let cares = self.names.per_joint(cares, &format!("{at}.cares"))?;
        Ok(Posture::new(q).caring(cares).into())
    }
}

/// A pose, and the coordinates of it that count.
fn pose_of(pose: &FigurePose) -> (Pose, Axes) {
    let which = |is_there: bool, axes: Option<[bool; 3]>| {
        if is_there { axes.unwrap_or([true; 3]) } else { [false; 3] }
    };
    let axes = Axes {
        along: which(pose.target.is_some(), pose.along),
        about: which(pose.orientation.is_some(), pose.about),
    };
    (offset(pose.target, pose.orientation), axes)
}
