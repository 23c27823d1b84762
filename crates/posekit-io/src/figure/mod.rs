//! Figures: the file format `posekit.figure/1`.
//!
//! A skeleton (joint by joint, or in a URDF or glTF file beside it), its start, and all its tasks: hands on points,
//! feet flat, eyes on a target, loops closed, the centre of mass over the feet.

mod goals;
mod model;
mod read;
mod source;
mod write;

use posekit::skeleton::Skeleton;
use posekit::solve::Settings;
use serde::Serialize;

use crate::error::Result;
use crate::json::{self, Cursor, located_in};
use crate::limits::Limits;
use crate::solution::NamedValues;

pub use model::FigureModel;
pub use source::{FigureSource, SourceKind};

/// The name of the format, the first field of every file.
pub const FIGURE_SCHEMA: &str = "posekit.figure/1";

/// The content of a figure file: a skeleton and its tasks.
///
/// The fields have the values of the file, bit for bit; [`FigureProblem::to_model`] normalises rotations and axes.
///
/// ```json
/// { "schema": "posekit.figure/1",
///   "joints": [ { "name": "hip", "parent": null, "kind": "revolute", "axis": [0, 1, 0], "limit": [-1, 1] },
///               { "name": "knee", "parent": "hip", "kind": "revolute", "axis": [0, 1, 0], "position": [0, 0, -0.4] } ],
///   "start": { "knee": 0.2 },
///   "tasks": [ { "task": "position", "frame": { "joint": "knee", "position": [0, 0, -0.4] }, "target": [0.1, 0, -0.7] },
///              { "task": "posture", "level": 2 } ] }
/// ```
///
/// # Skeleton
/// - `joints`, parents first: `name`, `parent` (a name, or null), `kind` (fixed, revolute, prismatic, ball, free), `axis` of a hinge or a slide,
///   `position` \[m\] and `rotation` (x, y, z, w) on the parent, `limit` \[min, max\] of a hinge or a slide, `cone` { `axis`, `swing`, `twist` } of a
///   ball, `mimic` { `joint`, `multiplier`, `offset` }.
/// - or `urdf` or `gltf`, a path relative to the file that does not leave its folder, and `root`: `pinned` (the default) or `free` for a floating
///   base. This determines how the skeleton is attached to the world; `root` in `settings` determines what its first joint may do in a solve.
/// - `bodies`: `joint`, `center` \[m\], `mass` \[kg\]. Without them, those of the URDF.
/// - `start`: values by joint \[rad, m, or x, y, z, w behind them\]; other joints start at their neutral values.
///
/// # Tasks
/// Every task has `task`, and may have `name`, `weight` (default 1) and `level` (default 1). A frame is a joint's name, or
/// { `joint` or `link`, `position`, `rotation` } for an offset from it.
///
/// | `task` | fields |
/// |---|---|
/// | `position` | `frame`, `target` |
/// | `orientation` | `frame`, `orientation` |
/// | `pose` | `frame`, `target` and `orientation` or one of them, `along` and `about`: which of `["x", "y", "z"]` count |
/// | `look-at` | `frame`, `axis`, `target` |
/// | `axis-alignment` | `frame`, `axis`, `direction` |
/// | `plane` | `frame`, `point`, `normal`, `one_sided` |
/// | `distance` | `frames`, and `distance` or `min`, `max` or both |
/// | `relative-pose` | `frames`, otherwise like `pose`, relative to the first |
/// | `closure` | `frames`, `link`: `ball`, `hinge` (with `axes`, one in each frame) or `weld` |
/// | `center-of-mass` | `target`, `along` |
/// | `support` | `corners`, `up` (default \[0, 0, 1\]), `margin` |
/// | `clearance` | `capsules`: two of { `joint` or `link` or neither, `ends`, `radius` }, `margin` |
/// | `posture` | `values` by joint (the start for others), `cares` by joint (default 1 for those of `values`, for all without it) |
///
/// # Settings
/// `settings`: `locked` (joints that stay), `root` (for the first joint that moves: `free` to move as its kind allows, `pinned` where it
/// starts, or `pre-pulled`), `stiffness` and `largest_change` by joint, `regularisation`, `restarts`, `least_change`.
///
/// # Example
/// ```
/// use posekit::solve::{Method, solve};
/// use posekit_io::{FigureProblem, Warnings};
///
/// let figure = FigureProblem::from_json(
///     r#"{ "schema": "posekit.figure/1",
///          "joints": [ { "name": "shoulder", "parent": null, "kind": "ball" },
///                      { "name": "elbow", "parent": "shoulder", "kind": "revolute", "axis": [0, 0, 1], "position": [1, 0, 0] } ],
///          "tasks": [ { "task": "position", "frame": { "joint": "elbow", "position": [1, 0, 0] }, "target": [0, 1, 1] } ] }"#,
/// )?;
/// assert_eq!(FigureProblem::from_json(&figure.to_json()?)?, figure);
/// let model = figure.to_model(None, &mut Warnings::new())?;
/// let solution = solve(&model.skeleton, &model.start, &model.tasks, Method::Auto, &model.settings)?;
/// assert!(solution.is_reached());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Example: a frame on an unknown joint
/// ```
/// use posekit_io::FigureProblem;
///
/// let error = FigureProblem::from_json(
///     r#"{ "schema": "posekit.figure/1", "joints": [ { "name": "neck", "parent": null, "kind": "ball" } ],
///          "tasks": [ { "task": "look-at", "frame": "head", "axis": [1, 0, 0], "target": [0, 1, 0] } ] }"#,
/// )
/// .unwrap_err();
/// assert_eq!(error.to_string(), "tasks[0].frame, line 2, column 51: there is no joint `head`");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(optional_fields, rename = "FigureProblem")
)]
#[serde(tag = "schema", rename = "posekit.figure/1")]
pub struct FigureProblem {
    /// The skeleton.
    #[serde(flatten)]
    pub skeleton: FigureSkeleton,
    /// The masses; by default the bodies of the URDF.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bodies: Option<Vec<FigureBody>>,
    /// Joint values to start from, whose change is minimised; joints without an entry start at their neutral values.
    #[serde(
        serialize_with = "crate::solution::write::values",
        default,
        skip_serializing_if = "Vec::is_empty"
    )]
    #[cfg_attr(feature = "typescript", ts(type = "Record<string, number | readonly number[]>"))]
    pub start: Vec<NamedValues>,
    /// The tasks.
    pub tasks: Vec<FigureTask>,
    /// The settings of the solve.
    #[serde(skip_serializing_if = "write::is_default")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
    pub settings: FigureSettings,
}

/// The skeleton of a figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[non_exhaustive]
#[serde(untagged)]
pub enum FigureSkeleton {
    /// Written out, parents first.
    Joints {
        /// The joints.
        joints: Vec<FigureJoint>,
    },
    /// A robot in a separate file, which the caller reads.
    Robot {
        /// The path of a URDF or an MJCF, relative to the figure's file, without `..` or a root.
        urdf: String,
        /// How it is attached to the world.
        #[serde(skip_serializing_if = "write::is_default")]
        #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
        root: FigureRoot,
    },
    /// A character in a separate file, which the caller reads.
    Character {
        /// The path of a glTF, as that of a robot.
        gltf: String,
        /// How it is attached to the world.
        #[serde(skip_serializing_if = "write::is_default")]
        #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
        root: FigureRoot,
    },
}

/// How the skeleton of another file is attached to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[non_exhaustive]
#[serde(rename_all = "kebab-case")]
pub enum FigureRoot {
    /// It is fixed.
    #[default]
    Pinned,
    /// It floats: its root is a free joint.
    Free,
}

/// A joint of a skeleton in the figure file itself.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct FigureJoint {
    /// Its name, unique in the file.
    pub name: String,
    /// The name of its parent, an earlier joint; none for a root.
    #[serde(serialize_with = "write::or_null")]
    #[cfg_attr(feature = "typescript", ts(type = "string | null"))]
    pub parent: Option<String>,
    /// The kind of the joint, with its limits.
    #[serde(flatten)]
    pub motion: FigureMotion,
    /// Its position on its parent \[m\]; by default the origin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<[f64; 3]>,
    /// Its rotation on its parent, x, y, z, w, of unit length within 1e-3; by default the identity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotation: Option<[f64; 4]>,
    /// The joint that it mimics; only for a hinge or a slide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mimic: Option<FigureMimic>,
}

/// The kind of a joint. Axes are in the joint's own frame, of any length but zero.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[non_exhaustive]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum FigureMotion {
    /// Does not move.
    Fixed,
    /// Rotates about an axis, between two angles \[rad\] if it has a limit.
    Revolute {
        /// The axis.
        axis: [f64; 3],
        /// Smallest and largest angle \[rad\].
        #[serde(skip_serializing_if = "Option::is_none")]
        limit: Option<[f64; 2]>,
    },
    /// Slides along an axis, between two distances \[m\] if it has a limit.
    Prismatic {
        /// The direction.
        axis: [f64; 3],
        /// Smallest and largest distance \[m\].
        #[serde(skip_serializing_if = "Option::is_none")]
        limit: Option<[f64; 2]>,
    },
    /// Rotates freely, within a cone if it has one.
    Ball {
        /// The limits of swing and twist.
        #[serde(skip_serializing_if = "Option::is_none")]
        cone: Option<FigureCone>,
    },
    /// Moves and rotates freely.
    Free,
}

impl FigureMotion {
    /// The value of the field `kind`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Revolute { .. } => "revolute",
            Self::Prismatic { .. } => "prismatic",
            Self::Ball { .. } => "ball",
            Self::Free => "free",
        }
    }
}

/// The limits of a ball joint's swing away from an axis and twist about it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct FigureCone {
    /// The axis in the joint's frame; any length but zero.
    pub axis: [f64; 3],
    /// Largest swing \[rad\], 0 to pi.
    pub swing: f64,
    /// Smallest and largest twist \[rad\].
    pub twist: [f64; 2],
}

/// A mimic relation: `multiplier * value + offset`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct FigureMimic {
    /// The name of the driver.
    pub joint: String,
    /// The factor; 1 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multiplier: Option<f64>,
    /// The offset \[rad or m\]; 0 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<f64>,
}

/// A mass on a joint.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct FigureBody {
    /// The joint's name.
    pub joint: String,
    /// The centre of mass in the joint's frame \[m\].
    pub center: [f64; 3],
    /// The mass, not negative \[kg\].
    pub mass: f64,
}

/// A frame of a task.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(as = "write::WrittenFrame<'static>"))]
pub struct FigureFrame {
    /// The joint or link to which it is fixed.
    pub on: FrameOwner,
    /// Its position there \[m\]; by default the origin.
    pub position: Option<[f64; 3]>,
    /// Its rotation there, x, y, z, w; by default the identity.
    pub rotation: Option<[f64; 4]>,
}

/// The joint or link to which a frame or a capsule is fixed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "kebab-case")]
pub enum FrameOwner {
    /// A joint, by name.
    Joint(String),
    /// A link of a URDF, by name.
    Link(String),
}

impl FrameOwner {
    /// The name of the joint or link.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Joint(name) | Self::Link(name) => name,
        }
    }
}

/// A task, with its weight and level.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct FigureTask {
    /// Its name, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The goal.
    #[serde(flatten)]
    pub goal: FigureGoal,
    /// Its weight among others of its level, not negative; 1 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// Its level, from 1, the most important and the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
}

/// The goal of a task. [`posekit::task`] defines each.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[non_exhaustive]
#[serde(tag = "task", rename_all = "kebab-case")]
pub enum FigureGoal {
    /// A frame's origin is at a point.
    Position {
        /// The frame.
        frame: FigureFrame,
        /// The point in the world \[m\].
        target: [f64; 3],
    },
    /// A frame has an orientation.
    Orientation {
        /// The frame.
        frame: FigureFrame,
        /// The orientation in the world, x, y, z, w.
        orientation: [f64; 4],
    },
    /// A frame has a pose, or some coordinates of it.
    Pose {
        /// The frame.
        frame: FigureFrame,
        /// The pose in the world.
        #[serde(flatten)]
        pose: FigurePose,
    },
    /// A frame's axis points at a point.
    LookAt {
        /// The frame.
        frame: FigureFrame,
        /// The axis in the frame; any length but zero.
        axis: [f64; 3],
        /// The point in the world \[m\].
        target: [f64; 3],
    },
    /// A frame's axis has a direction.
    AxisAlignment {
        /// The frame.
        frame: FigureFrame,
        /// The axis in the frame; any length but zero.
        axis: [f64; 3],
        /// The direction in the world; any length but zero.
        direction: [f64; 3],
    },
    /// The middle joint of a limb points at a pole.
    Pole {
        /// The upper bone, its origin at the limb's first joint, and the tip.
        frames: [FigureFrame; 2],
        /// The middle joint in the first frame \[m\].
        mid: [f64; 3],
        /// The pole in the world \[m\].
        target: [f64; 3],
    },
    /// A frame's origin is on a plane, or on one side of it.
    Plane {
        /// The frame.
        frame: FigureFrame,
        /// A point of the plane \[m\].
        point: [f64; 3],
        /// Its normal; any length but zero.
        normal: [f64; 3],
        /// Whether the whole side of the normal is allowed.
        #[serde(rename = "one_sided", skip_serializing_if = "core::ops::Not::not")]
        #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
        is_one_sided: bool,
    },
    /// Two frames are a distance apart.
    Distance {
        /// The frames.
        frames: [FigureFrame; 2],
        /// How far.
        #[serde(flatten)]
        distance: FigureDistance,
    },
    /// A frame has a pose relative to another.
    RelativePose {
        /// The reference frame, and the other one.
        frames: [FigureFrame; 2],
        /// The pose in the first frame.
        #[serde(flatten)]
        pose: FigurePose,
    },
    /// Two frames are held together.
    Closure {
        /// The frames.
        frames: [FigureFrame; 2],
        /// The kind of connection.
        #[serde(flatten)]
        link: FigureLink,
    },
    /// The centre of mass is at a point.
    CenterOfMass {
        /// The point in the world \[m\].
        target: [f64; 3],
        /// The axes along which it counts; by default all.
        #[serde(serialize_with = "write::axes", skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(type = "(\"x\" | \"y\" | \"z\")[]", optional))]
        along: Option<[bool; 3]>,
    },
    /// The centre of mass is over a polygon.
    Support {
        /// Points on the ground \[m\], at least one.
        corners: Vec<[f64; 3]>,
        /// The up direction; +z by default.
        #[serde(skip_serializing_if = "Option::is_none")]
        up: Option<[f64; 3]>,
        /// The margin inside, not negative \[m\]; 0 by default.
        #[serde(skip_serializing_if = "Option::is_none")]
        margin: Option<f64>,
    },
    /// Two capsules stay apart.
    Clearance {
        /// The capsules.
        capsules: [FigureCapsule; 2],
        /// The least gap \[m\]; 0 by default.
        #[serde(skip_serializing_if = "Option::is_none")]
        margin: Option<f64>,
    },
    /// The joints have preferred values.
    Posture {
        /// The values; joints without an entry prefer the start.
        #[serde(
            serialize_with = "crate::solution::write::values",
            default,
            skip_serializing_if = "Vec::is_empty"
        )]
        #[cfg_attr(
            feature = "typescript",
            ts(type = "Record<string, number | readonly number[]>")
        )]
        values: Vec<NamedValues>,
        /// The weights of joints, not negative. By default 1 for those with values, or for all if none has a value.
        #[serde(serialize_with = "write::some_numbers", skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "typescript", ts(type = "Record<string, number>", optional))]
        cares: Option<Vec<(String, f64)>>,
    },
}

/// A pose, or some coordinates of it: a position, an orientation or both.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct FigurePose {
    /// The position \[m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<[f64; 3]>,
    /// The orientation, x, y, z, w.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orientation: Option<[f64; 4]>,
    /// The axes along which the position counts; by default all.
    #[serde(serialize_with = "write::axes", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(type = "(\"x\" | \"y\" | \"z\")[]", optional))]
    pub along: Option<[bool; 3]>,
    /// The axes about which the orientation counts; by default all.
    #[serde(serialize_with = "write::axes", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(type = "(\"x\" | \"y\" | \"z\")[]", optional))]
    pub about: Option<[bool; 3]>,
}

/// A distance \[m\]: one, or the least and the largest. None is negative.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[serde(untagged)]
pub enum FigureDistance {
    /// Exactly this.
    Exactly {
        /// The distance.
        distance: f64,
    },
    /// A range.
    Between {
        /// The least; 0 by default.
        #[serde(skip_serializing_if = "Option::is_none")]
        min: Option<f64>,
        /// The largest; unbounded by default.
        #[serde(skip_serializing_if = "Option::is_none")]
        max: Option<f64>,
    },
}

/// The kind of connection of two frames.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[non_exhaustive]
#[serde(tag = "link", rename_all = "kebab-case")]
pub enum FigureLink {
    /// Their origins coincide.
    Ball,
    /// Their origins and an axis coincide.
    Hinge {
        /// The axis in each frame, of any length but zero.
        axes: [[f64; 3]; 2],
    },
    /// The frames coincide.
    Weld,
}

/// A segment with a radius.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(
        type = "{ joint?: string, link?: string, ends: [number, number, number][], radius: number }"
    )
)]
pub struct FigureCapsule {
    /// The joint or link to which it is fixed; `None` for the world.
    #[serde(flatten)]
    pub on: Option<FrameOwner>,
    /// Its ends \[m\]; both ends of a sphere are the same point, which the file has once.
    #[serde(serialize_with = "write::ends")]
    pub ends: [[f64; 3]; 2],
    /// Its radius, not negative \[m\].
    pub radius: f64,
}

/// The mode of the roots of a skeleton, the first joints that move.
///
/// They are those of [`Skeleton::is_root`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[non_exhaustive]
#[serde(rename_all = "kebab-case")]
pub enum RootMode {
    /// They move as their kind allows.
    Free,
    /// They are [locked](posekit::solve::JointOptions::locked).
    Pinned,
    /// They are [pre-pulled](posekit::solve::JointOptions::pre_pulled).
    PrePulled,
}

impl RootMode {
    const ALL: [Self; 3] = [Self::Free, Self::Pinned, Self::PrePulled];

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Pinned => "pinned",
            Self::PrePulled => "pre-pulled",
        }
    }

    pub(crate) fn read(value: &Cursor<'_>) -> Result<Self> {
        let word = value.text()?;
        Self::ALL.into_iter().find(|mode| mode.word() == word).ok_or_else(|| {
            value.invalid(format!("unknown root `{word}`, expected free, pinned or pre-pulled"))
        })
    }

    /// Sets the options of the roots.
    pub fn apply(self, skeleton: &Skeleton, settings: &mut Settings) {
        for root in (0..skeleton.n_joints()).filter(|&joint| skeleton.is_root(joint)) {
            let options = settings.joint(root);
            (options.locked, options.pre_pulled) = (self == Self::Pinned, self == Self::PrePulled);
        }
    }
}

/// The settings of a figure's solve.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct FigureSettings {
    /// Joints that keep their start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(as = "Option<_>", optional))]
    pub locked: Vec<String>,
    /// The mode of the roots; free by default. The field `root` of the figure itself is different: how the
    /// skeleton of a URDF or glTF is attached to the world.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<RootMode>,
    /// The stiffness of joints, above 0; 1 for joints without an entry.
    #[serde(serialize_with = "write::numbers", default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(type = "Record<string, number>"))]
    pub stiffness: Vec<(String, f64)>,
    /// Largest changes of joints \[rad or m\], not negative; unbounded for joints without an entry.
    #[serde(serialize_with = "write::numbers", default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(type = "Record<string, number>"))]
    pub largest_change: Vec<(String, f64)>,
    /// The weight of the change from the start against the tasks, not negative; 0 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regularisation: Option<f64>,
    /// Number of other starts to try if the first does not reach the targets; 100 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restarts: Option<u32>,
    /// Minimise the change among the poses that meet the tasks; true by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_change: Option<bool>,
}

impl FigureProblem {
    /// Reads a figure from the text of its file, with the default [`Limits`]. No other file is opened.
    ///
    /// # Errors
    /// Every fault of the text, the fields and their values, with the path of the value, its line and its column. Unknown and duplicate fields
    /// are faults. If the joints are in the file itself, so are names that no joint has; those of a URDF are looked up by
    /// [`FigureProblem::to_model`].
    pub fn from_json(text: &str) -> Result<Self> {
        Self::from_json_with(text, &Limits::default())
    }

    /// Reads a figure with other limits.
    ///
    /// # Errors
    /// As [`FigureProblem::from_json`].
    pub fn from_json_with(text: &str, limits: &Limits) -> Result<Self> {
        let problem = read::read(text, limits)?;
        if let FigureSkeleton::Joints { .. } = problem.skeleton {
            let model = problem.to_model(None, &mut crate::Warnings::new());
            model.map_err(|error| located_in(error, text, limits))?;
        }
        Ok(problem)
    }

    /// The text of the figure's file: fields in the order of the format's description, one joint, body or task per line, numbers in the shortest
    /// form that reads back exactly.
    ///
    /// The values are written unchecked; readers check whether they form a valid figure.
    ///
    /// # Errors
    /// [`Error::NotFinite`](crate::Error::NotFinite) names the field of a NaN or an infinity.
    pub fn to_json(&self) -> Result<String> {
        json::file(self)
    }

    /// The kind and the path of the skeleton's file, which the caller reads and passes to [`FigureProblem::to_model`]; the path is
    /// relative to the figure's file and does not leave its folder.
    #[must_use]
    pub fn source(&self) -> Option<(SourceKind, &str)> {
        match &self.skeleton {
            FigureSkeleton::Robot { urdf, .. } => Some((SourceKind::Urdf, urdf)),
            FigureSkeleton::Character { gltf, .. } => Some((SourceKind::Gltf, gltf)),
            FigureSkeleton::Joints { .. } => None,
        }
    }
}
