//! The arm of a robot that moves a tool, and how it is solved.

use posekit::arm::{Arm, ArmSettings, Prefer};
use posekit::math::Pose;
use posekit::skeleton::Frame;
use posekit_io::Robot;
use pyo3::prelude::*;

use crate::arrays::Array;
use crate::description::Description;
use crate::fault;

/// The most names that a message lists.
const NAMED: usize = 12;

/// What a tool is, by names.
pub(crate) struct ToolOptions<'a, 'py> {
    /// A link or a frame.
    pub(crate) tip: Option<&'a str>,
    pub(crate) group: Option<&'a str>,
    /// From the tip to the tool.
    pub(crate) offset: Option<&'a Bound<'py, PyAny>>,
    pub(crate) held: &'a [String],
    /// The configuration of held joints.
    pub(crate) at: Option<&'a Bound<'py, PyAny>>,
    pub(crate) posture: Option<&'a Bound<'py, PyAny>>,
    pub(crate) velocity_limits: Option<&'a Bound<'py, PyAny>>,
    pub(crate) acceleration_limits: Option<&'a Bound<'py, PyAny>>,
}

/// The arm that moves a tool.
#[derive(Clone)]
pub(crate) struct Tool {
    pub(crate) tip: String,
    pub(crate) frame: Frame,
    pub(crate) arm: Arm,
}

impl Tool {
    /// The tool that the options name; a message where none is named and the robot has several, or the arm is unsuitable.
    pub(crate) fn new(
        description: &Description,
        options: &ToolOptions<'_, '_>,
    ) -> PyResult<Result<Self, String>> {
        let robot = &description.robot;
        let start = robot.start_configuration();
        let at = match options.at {
            Some(at) => Array::vector(at, "at", start.len())?.values().to_vec(),
            None => start,
        };
        let mut held = options
            .held
            .iter()
            .map(|name| joints_named(robot, name))
            .collect::<PyResult<Vec<_>>>()?
            .concat();
        let named = match (options.tip, options.group) {
            (Some(tip), _) => Some(tip),
            (None, Some(group)) => Some(tip_of_group(robot, group)?),
            (None, None) => posekit_io::problem::only_tip(robot),
        };
        let Some(tip) = named else { return Ok(Err(which_tip(robot))) };
        let mut frame = frame_named(robot, tip)?;
        if let Some(offset) = options.offset {
            let tip_from_tool = crate::poses::one_pose(offset, "offset")?;
            frame.joint_from_frame = frame.joint_from_frame * tip_from_tool;
        }
        if let Some(group) = options.group {
            held.extend(outside_of_group(robot, group, frame)?);
        }
        let n_dofs = robot.skeleton().n_dofs();
        let mut arm = match Arm::with_held(robot.skeleton(), frame, &held, &at) {
            Ok(arm) => arm,
            Err(error) if error.is_unsuited() && options.tip.is_none() => {
                return Ok(Err(format!("{tip}: {error}")));
            }
            Err(error) if error.is_unsuited() => {
                return Ok(Err(format!("{tip}: {error}; solve_tasks solves for it")));
            }
            Err(error) => return Err(fault::library(&error)),
        };
        let velocities = match options.velocity_limits {
            Some(limits) => rates(limits, "velocity_limits", n_dofs)?,
            None => robot.velocity_limits().to_vec(),
        };
        arm = arm.with_velocity_limits(&velocities).map_err(|error| fault::library(&error))?;
        if let Some(limits) = options.acceleration_limits {
            let accelerations = rates(limits, "acceleration_limits", n_dofs)?;
            arm = arm
                .with_acceleration_limits(&accelerations)
                .map_err(|error| fault::library(&error))?;
        }
        if let Some(posture) = options.posture {
            let posture = Array::vector(posture, "posture", at.len())?;
            arm = arm.with_posture(posture.values()).map_err(|error| fault::library(&error))?;
        }
        Ok(Ok(Self { tip: tip.to_owned(), frame, arm }))
    }
}

/// Limits of rates: one for all degrees of freedom, or one for each.
fn rates(limits: &Bound<'_, PyAny>, what: &'static str, n_dofs: usize) -> PyResult<Vec<f64>> {
    match limits.extract::<f64>() {
        Ok(limit) => Ok(vec![limit; n_dofs]),
        // Infinity means that there is no limit; `Arm` checks the rest.
        Err(_) => Ok(Array::read(limits, what)?.values().to_vec()),
    }
}

/// The frame of a link, or a named frame on one.
pub(crate) fn frame_named(robot: &Robot, name: &str) -> PyResult<Frame> {
    robot.frame(name).ok_or_else(|| {
        let links: Vec<&str> = robot.links().iter().map(|link| link.name.as_str()).collect();
        fault::invalid(
            format!("there is no link or frame {name:?}; links: {}", listed(&links)),
            "frame",
        )
    })
}

/// The skeleton's joints of a joint of the file, or of the skeleton itself.
pub(crate) fn joints_named(robot: &Robot, name: &str) -> PyResult<Vec<usize>> {
    let of_file =
        || Some(robot.joints()[robot.find_joint(name)?].skeleton_joints.clone().collect());
    let of_skeleton = || Some(vec![robot.skeleton().find(name)?]);
    of_file().or_else(of_skeleton).ok_or_else(|| {
        let joints: Vec<&str> = robot.joints().iter().map(|joint| joint.name.as_str()).collect();
        fault::invalid(format!("there is no joint {name:?}; joints: {}", listed(&joints)), "joint")
    })
}

fn tip_of_group<'a>(robot: &'a Robot, name: &str) -> PyResult<&'a str> {
    let group = group_named(robot, name)?;
    let link = group.chains.last().map(|[_, tip]| *tip).or_else(|| group.links.last().copied());
    let link =
        link.ok_or_else(|| fault::invalid(format!("the group {name:?} has no links"), "group"))?;
    Ok(&robot.links()[link].name)
}

fn group_named<'a>(robot: &'a Robot, name: &str) -> PyResult<&'a posekit_io::robot::RobotGroup> {
    robot.group(name).ok_or_else(|| {
        let groups: Vec<&str> = robot.groups().iter().map(|group| group.name.as_str()).collect();
        fault::invalid(format!("there is no group {name:?}; groups: {}", listed(&groups)), "group")
    })
}

/// The joints between the root and a tool that are not of a group.
fn outside_of_group(robot: &Robot, name: &str, frame: Frame) -> PyResult<Vec<usize>> {
    let group = group_named(robot, name)?;
    let inside: Vec<usize> = group
        .joints
        .iter()
        .flat_map(|&joint| robot.joints()[joint].skeleton_joints.clone())
        .collect();
    let path = robot.skeleton().ancestors(frame.joint);
    Ok(path.filter(|joint| !inside.contains(joint)).collect())
}

fn which_tip(robot: &Robot) -> String {
    let ends = posekit_io::problem::end_links(robot);
    if ends.is_empty() {
        return "no joint moves a link of the robot".to_owned();
    }
    format!("name the link that holds the tool, as tip=; links at the ends: {}", listed(&ends))
}

pub(crate) fn listed(names: &[&str]) -> String {
    match names.len().saturating_sub(NAMED) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..NAMED].join(", ")),
    }
}

/// The keywords of `Robot.solve` and similar methods.
pub(crate) struct SolveOptions<'a, 'py> {
    pub(crate) prefer: &'a str,
    pub(crate) tolerance: Option<f64>,
    pub(crate) orientation_tolerance: Option<f64>,
    pub(crate) bounds: Option<&'a Bound<'py, PyAny>>,
    pub(crate) starts: Option<u32>,
}

impl Default for SolveOptions<'_, '_> {
    fn default() -> Self {
        let (tolerance, orientation_tolerance) = (None, None);
        Self { prefer: "nearest", tolerance, orientation_tolerance, bounds: None, starts: None }
    }
}

impl SolveOptions<'_, '_> {
    /// - `has_free_rotation`: the target is a point
    pub(crate) fn settings(&self, has_free_rotation: bool) -> PyResult<ArmSettings> {
        let mut settings = ArmSettings::default().with_prefer(prefer(self.prefer)?);
        settings.tolerance = self.tolerance;
        settings.orientation_tolerance = self.orientation_tolerance;
        if let Some(bounds) = self.bounds {
            let bounds = Array::read(bounds, "bounds")?;
            match <[f64; 6]>::try_from(bounds.values()) {
                Ok(six) => settings.bounds = six,
                Err(_) => {
                    return Err(fault::invalid(
                        "bounds: it must have 6 numbers: x, y, z and rotations about them",
                        "bounds",
                    ));
                }
            }
        }
        if has_free_rotation {
            settings.bounds[3..].fill(f64::INFINITY);
        }
        settings.starts = self.starts.unwrap_or(settings.starts);
        Ok(settings)
    }
}

fn prefer(word: &str) -> PyResult<Prefer> {
    match word {
        "nearest" => Ok(Prefer::Nearest),
        "first" => Ok(Prefer::First),
        "posture" => Ok(Prefer::Posture),
        "manipulability" => Ok(Prefer::Manipulability),
        _ => Err(fault::invalid(
            format!("prefer: {word:?} is none of nearest, first, posture, manipulability"),
            "prefer",
        )),
    }
}

/// The pose of a frame relative to the world, in a configuration.
pub(crate) fn world_pose(robot: &Robot, frame: &Frame, q: &[f64]) -> Pose {
    frame.world(&robot.skeleton().poses(q))
}
