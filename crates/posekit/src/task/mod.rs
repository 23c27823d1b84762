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
//! | [`Pole`] | 1 m | the middle joint of a limb points at a pole |
//! | [`Plane`] | 1 m | a frame's origin is on a plane, or on one side of it |
//! | [`Distance`] | 1 or 2 m | two frames have a distance, or one within a range |
//! | [`RelativePose`] | up to 6 | a frame has a pose relative to another |
//! | [`Closure`] | 3 to 6 | two frames coincide: the cut of a closed loop |
//! | [`CenterOfMass`] | up to 3 m | the centre of mass is at a point, or has given coordinates |
//! | [`Support`] | 1 m per side | the centre of mass is above a polygon |
//! | [`Clearance`] | 1 m | two capsules keep a distance |
//! | [`Posture`] | 1 per degree of freedom | the joints have preferred values |
//!
//! # Weights and levels
//! Within a level, tasks are traded against each other: a weight multiplies the residual, and a radian counts as much as an error of the skeleton's
//! reach. Levels are strict priorities: level 1 is solved first, level 2 in the null space of level 1, and so on. A weight of 0 switches
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
//! // The lamp is at a point, and shines at another as far as possible.
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
mod condition;
mod custom;
mod distance;
mod look_at;
mod orientation;
mod plane;
mod pole;
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
pub use custom::{Custom, Formula};
pub use distance::Distance;
pub use look_at::LookAt;
pub use orientation::Orientation;
pub use plane::Plane;
pub use pole::Pole;
pub use pose::{Axes, FramePose};
pub use position::Position;
pub use posture::Posture;
pub(crate) use posture::PostureJoint;
pub use relative_pose::RelativePose;

pub use rows::{Miss, Row, Unit, Wrench};
pub use support::Support;

use crate::Result;
use crate::math::Pose;
use crate::skeleton::{Frame, Skeleton};
use alloc::sync::Arc;
use alloc::vec::Vec;
use condition::{Condition, check_frame, out_of_range};
use glam::DVec3;
pub(crate) use rows::{Frames, Rows};

/// A condition with its weight and its level of priority.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Task {
    /// The condition.
    pub kind: TaskKind,
    /// Weight against other tasks of its level, at least 0. Default 1.
    ///
    /// It multiplies the residual. At 1, an error of one radian counts as much as one of the skeleton's reach. 0 switches the task off.
    pub weight: f64,
    /// Its level, from 1, the most important, to [`Task::LOWEST_LEVEL`]. Default 1.
    pub level: u8,
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
        let mut readings: Rows = Vec::new();
        self.kind.rows(&frames, &mut readings);
        Miss::of(&readings)
    }

    /// Checks the task against a skeleton.
    ///
    /// # Errors
    /// `Error::is_out_of_range` for a frame on a joint that does not exist, a weight below 0, a level 0 or 255, a rotation that is not of unit
    /// length, a capsule or margin above 1e100, or a range whose minimum is above its maximum; `Error::is_degenerate` for a direction without length; `Error::is_not_finite` for NaN
    /// and infinity. `index` is the task's index in the list, for the error.
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

/// The kinds of tasks: one line each.
macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident($kind:ident) $name:literal),+ $(,)?) => {
        /// The kinds of conditions.
        #[derive(Debug, Clone, PartialEq)]
        #[cfg_attr(
            feature = "serde",
            derive(serde::Serialize, serde::Deserialize),
            serde(rename_all = "kebab-case")
        )]
        #[non_exhaustive]
        pub enum TaskKind {
            $($(#[$doc])* $variant($kind),)+
            /// A condition of the program's own.
            #[cfg_attr(feature = "serde", serde(skip))]
            Custom(Custom),
        }

        /// Calls a function with the condition, whichever it is.
        macro_rules! of {
            ($task:expr, $condition:ident => $does:expr) => {
                match $task {
                    $(TaskKind::$variant($condition) => $does,)+
                    TaskKind::Custom($condition) => $does,
                }
            };
        }

        impl TaskKind {
            /// The name used in files.
            #[must_use]
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)+
                    Self::Custom(custom) => custom.name(),
                }
            }

            /// Whether two tasks differ in their targets only.
            pub(crate) fn is_alike(&self, other: &Self) -> bool {
                match (self, other) {
                    $((Self::$variant(a), Self::$variant(b)) => a.is_alike(b),)+
                    (Self::Custom(a), Self::Custom(b)) => a.is_alike(b),
                    _ => false,
                }
            }
        }

        $(impl From<$kind> for TaskKind {
            fn from(task: $kind) -> Self {
                Self::$variant(task)
            }
        }

        impl From<$kind> for Task {
            fn from(task: $kind) -> Self {
                Self::new(task)
            }
        })+
    };
}

kinds! {
    /// A frame's origin is at a point.
    Position(Position) "position",
    /// A frame has an orientation.
    Orientation(Orientation) "orientation",
    /// A frame has a pose, or some coordinates of it.
    Pose(FramePose) "pose",
    /// A frame's axis points at a point.
    LookAt(LookAt) "look-at",
    /// A frame's axis has a direction.
    AxisAlignment(AxisAlignment) "axis-alignment",
    /// The middle joint of a limb points at a pole.
    Pole(Pole) "pole",
    /// A frame's origin stays on a plane, or on one side of it.
    Plane(Plane) "plane",
    /// Two frames have a distance, or one within a range.
    Distance(Distance) "distance",
    /// A frame has a pose relative to another.
    RelativePose(RelativePose) "relative-pose",
    /// Two frames coincide.
    Closure(Closure) "closure",
    /// The centre of mass is at a point, or has given coordinates.
    CenterOfMass(CenterOfMass) "center-of-mass",
    /// The centre of mass is above a polygon.
    Support(Support) "support",
    /// Two capsules keep a distance.
    Clearance(Clearance) "clearance",
    /// The joints have preferred values.
    Posture(Posture) "posture",
}

impl TaskKind {
    /// The frames of the task: up to two, `None` also for a capsule in the world.
    #[must_use]
    pub fn frames(&self) -> [Option<Frame>; 2] {
        of!(self, task => task.frames())
    }

    /// The bodies of a task on the centre of mass.
    #[must_use]
    pub fn bodies(&self) -> Option<&Arc<[Body]>> {
        of!(self, task => task.bodies())
    }

    /// Appends the rows. A task on the centre of mass reads it as the origin of the first frame; a posture has no rows.
    pub(crate) fn rows(&self, frames: &Frames, rows: &mut Rows) {
        of!(self, task => task.rows(frames, rows));
    }

    /// Moves the world's origin, then multiplies all lengths of the target.
    pub(crate) fn rebase(&mut self, origin: DVec3, by: f64) {
        of!(self, task => task.rebase(origin, by));
    }

    /// The largest length in the target.
    pub(crate) fn largest_length(&self) -> f64 {
        of!(self, task => task.largest_length())
    }

    /// The part of [`check`](Task::check) that needs no skeleton.
    pub(crate) fn check_target(&self, index: usize) -> Result<()> {
        of!(self, task => task.check(index))
    }

    fn check(&self, skeleton: &Skeleton, index: usize) -> Result<()> {
        of!(self, task => task.check(index).and_then(|()| task.check_on(skeleton, index)))
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
}
