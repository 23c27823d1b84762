//! Tasks: what a pose must satisfy.
//!
//! A [`Task`] is a condition (a [`TaskKind`], one file each) with a weight and a level of priority. Most are about one or two frames
//! of the skeleton (the end effectors) and have a target for them.
//!
//! | kind | rows | satisfied when |
//! |---|---|---|
//! | [`Position`] | 3 m | a frame's origin is at a point |
//! | [`Orientation`] | 3 rad | a frame has an orientation |
//! | [`FramePose`] | up to 6 | a frame has a pose, or any of its six coordinates |
//! | [`LookAt`] | 3 | a frame's axis points at a point |
//! | [`AxisAlignment`] | 3 | a frame's axis has a direction |
//! | [`Plane`] | 1 m | a frame's origin is on a plane, or on one side of it |
//! | [`Distance`] | 1 or 2 m | two frames have a distance, or one within a range |
//! | [`RelativePose`] | up to 6 | a frame has a pose as seen from another |
//! | [`Closure`] | 3 to 6 | two frames coincide: the cut of a closed loop |
//! | [`CenterOfMass`] | up to 3 m | the centre of mass is at a point, or has given coordinates |
//! | [`Support`] | 1 m a side | the centre of mass is above a polygon |
//! | [`Clearance`] | 1 m | two capsules keep a distance |
//! | [`Posture`] | 1 a joint | the joints have preferred values |
//!
//! # Weights and levels
//! Within a level, tasks are weighed against each other: a weight multiplies the residual, and a radian counts like a miss by the reach of the
//! skeleton. Levels are strict priorities: level 1 is solved first, level 2 in the null space of level 1, and so on. A weight of 0 switches
//! a task off; it is still reported.
//!
//! ```
//! use posekit::glam::DVec3;
//! use posekit::math::Pose;
//! use posekit::skeleton::{Frame, Joint, Skeleton};
//! use posekit::solve::{Method, Settings, solve};
//! use posekit::task::{LookAt, Position, Task};
//!
//! let mut builder = Skeleton::builder();
//! let bone = Pose::from_translation(DVec3::X);
//! let shoulder = builder.add(Joint::ball("shoulder"));
//! let elbow = builder.add(Joint::ball("elbow").child_of(shoulder).at(bone));
//! let wrist = builder.add(Joint::ball("wrist").child_of(elbow).at(bone));
//! let arm = builder.build()?;
//! let lamp = arm.frame(wrist);
//!
//! // The lamp stands on a point, and shines at another as far as that allows.
//! let tasks = [
//!     Position::new(lamp, DVec3::new(1.0, 1.0, 0.0)).into(),
//!     Task::new(LookAt::new(lamp, DVec3::X, DVec3::new(0.0, 5.0, 1.0))).at_level(2),
//! ];
//! let solution = solve(&arm, &arm.neutral(), &tasks, Method::LeastSquares, &Settings::default())?;
//! assert!(solution.is_reached());
//! assert!(tasks[1].miss(&arm, &solution.configuration).angle < 1e-6);
//! # Ok::<(), posekit::Error>(())
//! ```

mod axis_alignment;
mod center_of_mass;
mod clearance;
mod closure;
mod distance;
mod look_at;
mod orientation;
mod plane;
mod pose;
mod position;
mod posture;
mod relative_pose;
mod rows;
mod support;

pub use axis_alignment::AxisAlignment;
pub use center_of_mass::{Body, CenterOfMass, center_of_mass};
pub use clearance::{Capsule, Clearance};
pub use closure::{Closure, Link};
pub use distance::Distance;
pub use look_at::LookAt;
pub use orientation::Orientation;
pub use plane::Plane;
pub use pose::{Axes, FramePose};
pub use position::Position;
pub use posture::Posture;
pub(crate) use posture::PostureJoint;
pub use relative_pose::RelativePose;
pub use rows::Miss;
pub(crate) use rows::{Reading, Row, Wrench};
pub use support::Support;

use crate::math::{Pose, check_unit};
use crate::skeleton::{Frame, LARGEST, Skeleton};
use crate::{ErrorKind, Result};
use alloc::sync::Arc;
use alloc::vec::Vec;
use glam::{DQuat, DVec3};
use rows::{Frames, Rows};

/// A condition with its weight and its level of priority.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Task {
    /// The condition.
    pub kind: TaskKind,
    /// Weight against other tasks of its level, at least 0. Default 1.
    ///
    /// It multiplies the residual. At 1, a miss of one radian counts like a miss by the reach of the skeleton. 0 switches the task off.
    pub weight: f64,
    /// Its level, from 1, the most important, to [`Task::LOWEST_LEVEL`]. Default 1.
    pub level: u8,
}

/// The conditions that there are.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum TaskKind {
    /// A frame's origin is at a point.
    Position(Position),
    /// A frame has an orientation.
    Orientation(Orientation),
    /// A frame has a pose, or some coordinates of it.
    Pose(FramePose),
    /// A frame's axis points at a point.
    LookAt(LookAt),
    /// A frame's axis has a direction.
    AxisAlignment(AxisAlignment),
    /// A frame's origin stays on a plane, or on one side of it.
    Plane(Plane),
    /// Two frames have a distance, or one within a range.
    Distance(Distance),
    /// A frame has a pose as seen from another.
    RelativePose(RelativePose),
    /// Two frames coincide.
    Closure(Closure),
    /// The centre of mass is at a point, or has given coordinates.
    CenterOfMass(CenterOfMass),
    /// The centre of mass is above a polygon.
    Support(Support),
    /// Two capsules keep a distance.
    Clearance(Clearance),
    /// The joints have preferred values.
    Posture(Posture),
}

impl Task {
    /// The lowest level of priority, 254; least change of the joints comes after it.
    pub const LOWEST_LEVEL: u8 = u8::MAX - 1;

    /// A task of weight 1 at level 1.
    #[must_use]
    pub fn new(kind: impl Into<TaskKind>) -> Self {
        Self { kind: kind.into(), weight: 1.0, level: 1 }
    }

    /// The same with another weight.
    #[must_use]
    pub fn weighing(self, weight: f64) -> Self {
        Self { weight, ..self }
    }

    /// The same at another level.
    #[must_use]
    pub fn at_level(self, level: u8) -> Self {
        Self { level, ..self }
    }

    /// The miss of the task in a configuration, by forward kinematics.
    ///
    /// - `q`: a settled configuration of the skeleton that the task was made for
    ///
    /// # Degenerate cases
    /// Infinite for a task that does not fit the skeleton (a joint that does not exist, a posture of another length), which [`check`](Self::check)
    /// refuses, and for a `q` of the wrong length.
    #[must_use]
    pub fn miss(&self, skeleton: &Skeleton, q: &[f64]) -> Miss {
        if q.len() != skeleton.n_values() || !self.kind.fits(skeleton) {
            return Miss::INFINITE;
        }
        if let TaskKind::Posture(posture) = &self.kind {
            return posture.miss(skeleton, q);
        }
        let world_from_joint = skeleton.poses(q);
        let world = |frame: Option<Frame>| {
            frame.map_or(Pose::IDENTITY, |frame| frame.world(&world_from_joint))
        };
        let frames = match self.kind.bodies() {
            Some(bodies) => {
                [Pose::from_translation(center_of_mass(bodies, &world_from_joint)), Pose::IDENTITY]
            }
            None => self.kind.frames().map(world),
        };
        let mut readings: Vec<Reading> = Vec::new();
        self.kind.rows(&frames, &mut readings);
        Miss::of(&readings)
    }

    /// Checks the task against a skeleton.
    ///
    /// # Errors
    /// `Error::is_out_of_range` for a frame on a joint that does not exist, a weight below 0, a level 0 or 255, a rotation that is not of unit
    /// length, a capsule or margin above 1e100, or a range whose minimum is above its maximum; `Error::is_degenerate` for a direction without length; `Error::is_not_finite` for NaN
    /// and infinity. `index` is the task's place in the list and is what the error names.
    pub fn check(&self, skeleton: &Skeleton, index: usize) -> Result<()> {
        for frame in self.kind.frames().into_iter().flatten() {
            check_frame(&frame, skeleton, index)?;
        }
        self.kind.check(skeleton, index)?;
        if !self.weight.is_finite() || self.weight < 0.0 {
            return out_of_range("task weight", index, self.weight, "at least 0");
        }
        if !(1..=Self::LOWEST_LEVEL).contains(&self.level) {
            return out_of_range("task level", index, f64::from(self.level), "from 1 to 254");
        }
        Ok(())
    }
}

impl TaskKind {
    /// The name used in files.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Position(_) => "position",
            Self::Orientation(_) => "orientation",
            Self::Pose(_) => "pose",
            Self::LookAt(_) => "look-at",
            Self::AxisAlignment(_) => "axis-alignment",
            Self::Plane(_) => "plane",
            Self::Distance(_) => "distance",
            Self::RelativePose(_) => "relative-pose",
            Self::Closure(_) => "closure",
            Self::CenterOfMass(_) => "center-of-mass",
            Self::Support(_) => "support",
            Self::Clearance(_) => "clearance",
            Self::Posture(_) => "posture",
        }
    }

    /// The frames of the task: up to two, `None` also for a capsule in the world.
    #[must_use]
    pub fn frames(&self) -> [Option<Frame>; 2] {
        match self {
            Self::Position(task) => [Some(task.frame), None],
            Self::Orientation(task) => [Some(task.frame), None],
            Self::Pose(task) => [Some(task.frame), None],
            Self::LookAt(task) => [Some(task.frame), None],
            Self::AxisAlignment(task) => [Some(task.frame), None],
            Self::Plane(task) => [Some(task.frame), None],
            Self::Distance(task) => task.frames.map(Some),
            Self::RelativePose(task) => task.frames.map(Some),
            Self::Closure(task) => task.frames.map(Some),
            Self::Clearance(task) => [task.capsules[0].frame(), task.capsules[1].frame()],
            Self::CenterOfMass(_) | Self::Support(_) | Self::Posture(_) => [None; 2],
        }
    }

    /// Whether the skeleton has every joint of the task.
    fn fits(&self, skeleton: &Skeleton) -> bool {
        let exists = |joint: usize| joint < skeleton.n_joints();
        self.frames().into_iter().flatten().all(|frame| exists(frame.joint))
            && self.bodies().is_none_or(|bodies| bodies.iter().all(|body| exists(body.joint)))
            && match self {
                Self::Posture(task) => task.configuration.len() == skeleton.n_values(),
                _ => true,
            }
    }

    /// Whether two tasks differ in their targets only.
    pub(crate) fn is_alike(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::CenterOfMass(a), Self::CenterOfMass(b)) => {
                a.bodies == b.bodies && a.axes == b.axes
            }
            (Self::Support(a), Self::Support(b)) => a.bodies() == b.bodies() && a.is_alike(b),
            (Self::Pose(a), Self::Pose(b)) => a.frame == b.frame && a.axes == b.axes,
            (Self::RelativePose(a), Self::RelativePose(b)) => {
                a.frames == b.frames && a.axes == b.axes
            }
            (Self::Closure(a), Self::Closure(b)) => a.frames == b.frames && a.link == b.link,
            (Self::Posture(a), Self::Posture(b)) => {
                a.configuration.len() == b.configuration.len()
                    && a.cares == b.cares
                    && a.radian == b.radian
            }
            (Self::Distance(a), Self::Distance(b)) => {
                a.frames == b.frames && a.n_rows() == b.n_rows()
            }
            (Self::Clearance(a), Self::Clearance(b)) => {
                a.capsules.map(|capsule| capsule.joint) == b.capsules.map(|capsule| capsule.joint)
            }
            _ => self.name() == other.name() && self.frames() == other.frames(),
        }
    }

    /// The bodies of a task on the centre of mass.
    #[must_use]
    pub fn bodies(&self) -> Option<&Arc<[Body]>> {
        match self {
            Self::CenterOfMass(task) => Some(&task.bodies),
            Self::Support(task) => Some(task.bodies()),
            _ => None,
        }
    }

    /// Appends the rows. A task on the centre of mass reads it as the origin of the first frame; a posture has no rows.
    pub(crate) fn rows(&self, frames: &Frames, rows: &mut impl Rows) {
        match self {
            Self::Position(task) => task.rows(frames, rows),
            Self::Orientation(task) => task.rows(frames, rows),
            Self::Pose(task) => task.rows(frames, rows),
            Self::LookAt(task) => task.rows(frames, rows),
            Self::AxisAlignment(task) => task.rows(frames, rows),
            Self::Plane(task) => task.rows(frames, rows),
            Self::Distance(task) => task.rows(frames, rows),
            Self::RelativePose(task) => task.rows(frames, rows),
            Self::Closure(task) => task.rows(frames, rows),
            Self::CenterOfMass(task) => task.rows(frames[0].translation, rows),
            Self::Support(task) => task.rows(frames[0].translation, rows),
            Self::Clearance(task) => task.rows(frames, rows),
            Self::Posture(_) => {}
        }
    }

    /// Moves the world's origin, then multiplies all lengths of the target.
    pub(crate) fn rebase(&mut self, origin: DVec3, by: f64) {
        match self {
            Self::Position(task) => task.target_in_world -= origin,
            Self::Pose(task) => task.world_from_target.translation -= origin,
            Self::LookAt(task) => task.target_in_world -= origin,
            Self::Plane(task) => task.point_in_world -= origin,
            Self::CenterOfMass(task) => task.target_in_world -= origin,
            Self::Support(task) => task.move_origin(origin),
            Self::Clearance(task) => task.move_origin(origin),
            Self::Orientation(_)
            | Self::AxisAlignment(_)
            | Self::Distance(_)
            | Self::RelativePose(_)
            | Self::Closure(_)
            | Self::Posture(_) => {}
        }
        self.scale(by);
    }

    /// Multiplies all lengths of the target.
    fn scale(&mut self, by: f64) {
        match self {
            Self::Position(task) => task.scale(by),
            Self::Pose(task) => task.scale(by),
            Self::LookAt(task) => task.scale(by),
            Self::Plane(task) => task.scale(by),
            Self::Distance(task) => task.scale(by),
            Self::RelativePose(task) => task.scale(by),
            Self::CenterOfMass(task) => task.scale(by),
            Self::Support(task) => task.scale(by),
            Self::Clearance(task) => task.scale(by),
            Self::Orientation(_) | Self::AxisAlignment(_) | Self::Closure(_) | Self::Posture(_) => {
            }
        }
    }

    /// The largest length in the target.
    pub(crate) fn largest_length(&self) -> f64 {
        let of = |v: DVec3| v.abs().max_element();
        match self {
            Self::Position(task) => of(task.target_in_world),
            Self::Pose(task) => of(task.world_from_target.translation),
            Self::LookAt(task) => of(task.target_in_world),
            Self::Plane(task) => of(task.point_in_world),
            Self::Distance(task) => {
                if task.max.is_finite() {
                    task.max
                } else {
                    task.min
                }
            }
            Self::RelativePose(task) => of(task.a_from_target.translation),
            Self::CenterOfMass(task) => of(task.target_in_world),
            Self::Support(task) => task.largest_length(),
            Self::Clearance(task) => {
                task.capsules.iter().fold(task.margin.abs(), |largest, capsule| {
                    let [a, b] = capsule.ends.map(of);
                    largest.max(a).max(b).max(capsule.radius)
                })
            }
            Self::Orientation(_) | Self::AxisAlignment(_) | Self::Closure(_) | Self::Posture(_) => {
                0.0
            }
        }
    }

    fn check(&self, skeleton: &Skeleton, index: usize) -> Result<()> {
        self.check_target(index)?;
        match self {
            Self::CenterOfMass(task) => center_of_mass::check_bodies(&task.bodies, skeleton, index),
            Self::Support(task) => center_of_mass::check_bodies(task.bodies(), skeleton, index),
            Self::Posture(task) => task.check(skeleton, index),
            _ => Ok(()),
        }
    }

    /// The part of [`check`](Task::check) that needs no skeleton.
    pub(crate) fn check_target(&self, index: usize) -> Result<()> {
        let point = |v: DVec3| check_finite(v.is_finite(), index);
        match self {
            Self::Position(task) => point(task.target_in_world),
            Self::Orientation(task) => check_rotation("task target", task.world_from_target, index),
            Self::Pose(task) => check_pose(task.world_from_target, index),
            Self::LookAt(task) => {
                point(task.target_in_world)?;
                check_direction(task.axis_in_frame, index)
            }
            Self::AxisAlignment(task) => {
                check_direction(task.axis_in_frame, index)?;
                check_direction(task.direction_in_world, index)
            }
            Self::Plane(task) => {
                point(task.point_in_world)?;
                check_direction(task.normal_in_world, index)
            }
            Self::Distance(task) => {
                check_finite(task.min.is_finite() && !task.max.is_nan(), index)?;
                if task.min < 0.0 {
                    return out_of_range("task target", index, task.min, "at least 0");
                }
                if task.max < task.min {
                    return out_of_range(
                        "task target",
                        index,
                        task.max,
                        "at least the least distance",
                    );
                }
                Ok(())
            }
            Self::RelativePose(task) => check_pose(task.a_from_target, index),
            Self::Closure(task) => match task.link {
                Link::Hinge(axes) => axes.iter().try_for_each(|&axis| check_direction(axis, index)),
                Link::Ball | Link::Weld => Ok(()),
            },
            Self::CenterOfMass(task) => point(task.target_in_world),
            Self::Support(task) => task.check(index),
            Self::Clearance(task) => {
                let radii = task.capsules.map(|capsule| capsule.radius);
                let ends = task.capsules.iter().flat_map(|capsule| capsule.ends);
                let mut lengths =
                    ends.flat_map(|end| end.to_array()).chain(radii).chain([task.margin]);
                lengths.try_for_each(|length| check_length(length, index))?;
                match radii.into_iter().find(|&radius| radius < 0.0) {
                    Some(radius) => out_of_range("task radius", index, radius, "at least 0"),
                    None => Ok(()),
                }
            }
            Self::Posture(task) => {
                check_finite(task.configuration.iter().all(|x| x.is_finite()), index)
            }
        }
    }
}

fn out_of_range(what: &'static str, index: usize, value: f64, need: &'static str) -> Result<()> {
    Err(ErrorKind::OutOfRange { what, index, value, need }.into())
}

fn check_finite(is_finite: bool, index: usize) -> Result<()> {
    if is_finite { Ok(()) } else { Err(ErrorKind::NonFinite { what: "task target", index }.into()) }
}

/// Refuses a length whose square could overflow.
fn check_length(length: f64, index: usize) -> Result<()> {
    check_finite(length.is_finite(), index)?;
    if length.abs() <= LARGEST {
        return Ok(());
    }
    out_of_range("task target", index, length, "a length of at most 1e100")
}

fn check_direction(v: DVec3, index: usize) -> Result<()> {
    check_finite(v.is_finite(), index)?;
    if v == DVec3::ZERO {
        Err(ErrorKind::ZeroLength { what: "task direction" }.into())
    } else {
        Ok(())
    }
}

fn check_rotation(what: &'static str, rotation: DQuat, index: usize) -> Result<()> {
    check_finite(rotation.is_finite(), index)?;
    check_unit(rotation)
        .or_else(|length| out_of_range(what, index, length, "a quaternion of unit length"))
}

fn check_pose(pose: Pose, index: usize) -> Result<()> {
    check_finite(pose.translation.is_finite(), index)?;
    check_rotation("task target", pose.rotation, index)
}

fn check_frame(frame: &Frame, skeleton: &Skeleton, index: usize) -> Result<()> {
    if frame.joint >= skeleton.n_joints() {
        let need = "the index of a joint";
        return out_of_range("task frame joint", index, frame.joint as f64, need);
    }
    if !frame.joint_from_frame.is_finite() {
        return Err(ErrorKind::NonFinite { what: "task frame", index }.into());
    }
    check_rotation("task frame", frame.joint_from_frame.rotation, index)
}

macro_rules! kinds {
    ($($variant:ident($kind:ident)),+ $(,)?) => {$(
        impl From<$kind> for TaskKind {
            fn from(task: $kind) -> Self {
                Self::$variant(task)
            }
        }

        impl From<$kind> for Task {
            fn from(task: $kind) -> Self {
                Self::new(task)
            }
        }
    )+};
}

kinds! {
    Position(Position), Orientation(Orientation), Pose(FramePose), LookAt(LookAt), AxisAlignment(AxisAlignment), Plane(Plane),
    Distance(Distance), RelativePose(RelativePose), Closure(Closure), CenterOfMass(CenterOfMass), Support(Support),
    Clearance(Clearance), Posture(Posture),
}
