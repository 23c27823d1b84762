//! Figures: the file format `posekit.figure/1`.
//!
//! A skeleton (written out joint by joint, or in a URDF or glTF file beside it), where it starts, and everything that must hold at once: hands on points,
//! feet flat, eyes on a target, loops closed, the centre of mass over the feet.

mod goals;
mod model;
mod read;
mod source;
mod write;

use posekit::skeleton::Skeleton;
use posekit::solve::Settings;

use crate::error::Result;
use crate::json::{Cursor, located_in};
use crate::limits::Limits;
use crate::solution::NamedValues;

pub use model::FigureModel;
pub use source::{FigureSource, SourceKind};

/// The name of the format, the first field of every file.
pub const FIGURE_SCHEMA: &str = "posekit.figure/1";

/// A figure and what it must do, as its file has it.
///
/// The fields hold what the file says, bit for bit; [`FigureProblem::to_model`] normalises rotations and axes.
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
///   base. This is how the skeleton hangs on the world; what its first joint may do in a solve is `root` in `settings`.
/// - `bodies`: `joint`, `center` \[m\], `mass` \[kg\]. Without them, those of the URDF.
/// - `start`: values by joint \[rad, m, or x, y, z, w behind them\]; what is not named stands neutral.
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
/// | `relative-pose` | `frames`, otherwise like `pose`, as seen from the first |
/// | `closure` | `frames`, `link`: `ball`, `hinge` (with `axes`, one in each frame) or `weld` |
/// | `center-of-mass` | `target`, `along` |
/// | `support` | `corners`, `up` (default \[0, 0, 1\]), `margin` |
/// | `clearance` | `capsules`: two of { `joint` or `link` or neither, `ends`, `radius` }, `margin` |
/// | `posture` | `values` by joint (the start for others), `cares` by joint (default 1 for those of `values`, for all without it) |
///
/// # Settings
/// `settings`: `locked` (joints that stay), `root` (what the first joint that moves does: `free` to move as its kind lets it, `pinned` where it
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
/// # Example: a frame on a joint that is not there
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
#[derive(Debug, Clone, PartialEq)]
pub struct FigureProblem {
    /// What moves.
    pub skeleton: FigureSkeleton,
    /// What weighs; without it, the bodies of the URDF.
    pub bodies: Option<Vec<FigureBody>>,
    /// Joint values to start from and to change least; joints without an entry stand neutral.
    pub start: Vec<NamedValues>,
    /// What must hold.
    pub tasks: Vec<FigureTask>,
    /// What joints are held, or unwilling to move.
    pub settings: FigureSettings,
}

/// Where a figure's skeleton comes from.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum FigureSkeleton {
    /// Written out, parents first.
    Joints(Vec<FigureJoint>),
    /// A robot or a character in a file of its own, which the caller reads.
    File {
        /// What kind of file.
        kind: SourceKind,
        /// Its path, relative to the figure's file; it has no `..` and no root.
        path: String,
        /// True when its root floats on a free joint instead of standing in the world.
        has_free_root: bool,
    },
}

/// A joint of a skeleton that is written out.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureJoint {
    /// Its name, unique in the file.
    pub name: String,
    /// The joint it hangs on, an earlier one; `None` stands in the world.
    pub parent: Option<String>,
    /// How it moves, and how far.
    pub motion: FigureMotion,
    /// Where it stands on its parent \[m\]; the origin when left out.
    pub position: Option<[f64; 3]>,
    /// How it is turned on its parent, x, y, z, w, of unit length within 1e-3; not at all when left out.
    pub rotation: Option<[f64; 4]>,
    /// The joint that it follows; only for a hinge or a slide.
    pub mimic: Option<FigureMimic>,
}

/// How a joint moves. Axes are in the joint's own frame, of any length but zero.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum FigureMotion {
    /// Not at all.
    Fixed,
    /// Turns about an axis, between two angles \[rad\] if it has a limit.
    Revolute {
        /// The axis.
        axis: [f64; 3],
        /// Smallest and largest angle \[rad\].
        limit: Option<[f64; 2]>,
    },
    /// Slides along an axis, between two distances \[m\] if it has a limit.
    Prismatic {
        /// The direction.
        axis: [f64; 3],
        /// Smallest and largest distance \[m\].
        limit: Option<[f64; 2]>,
    },
    /// Turns any way, within a cone if it has one.
    Ball {
        /// How far it swings and twists.
        cone: Option<FigureCone>,
    },
    /// Moves and turns any way.
    Free,
}

impl FigureMotion {
    /// The word in the field `kind`.
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

/// How far a ball joint swings away from an axis, and twists about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FigureCone {
    /// The axis in the joint's frame; any length but zero.
    pub axis: [f64; 3],
    /// Largest swing \[rad\], 0 to pi.
    pub swing: f64,
    /// Smallest and largest twist \[rad\].
    pub twist: [f64; 2],
}

/// Which joint another follows: `multiplier * value + offset`.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureMimic {
    /// The name of the joint that leads.
    pub joint: String,
    /// The factor; 1 when left out.
    pub multiplier: Option<f64>,
    /// What is added \[rad or m\]; 0 when left out.
    pub offset: Option<f64>,
}

/// Mass carried by a joint.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureBody {
    /// The joint's name.
    pub joint: String,
    /// The centre of mass in the joint's frame \[m\].
    pub center: [f64; 3],
    /// The mass, not negative \[kg\].
    pub mass: f64,
}

/// A frame that a task speaks about.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureFrame {
    /// What it is fixed to.
    pub on: FrameOwner,
    /// Where it stands there \[m\]; the origin when left out.
    pub position: Option<[f64; 3]>,
    /// How it is turned there, x, y, z, w; not at all when left out.
    pub rotation: Option<[f64; 4]>,
}

/// What a frame or a capsule is fixed to.
#[derive(Debug, Clone, PartialEq, Eq)]
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

/// Something that must hold, with its weight and level.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureTask {
    /// What people call it.
    pub name: Option<String>,
    /// What must hold.
    pub goal: FigureGoal,
    /// How much it counts against others of its level, not negative; 1 when left out.
    pub weight: Option<f64>,
    /// Its level, from 1, the most important, which it is when left out.
    pub level: Option<u8>,
}

/// What may be asked for. [`posekit::task`] says what each means.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum FigureGoal {
    /// A frame's origin stands on a point.
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
        /// The side that the normal points to will do.
        is_one_sided: bool,
    },
    /// Two frames are a distance apart.
    Distance {
        /// The frames.
        frames: [FigureFrame; 2],
        /// The least distance, not negative \[m\].
        min: f64,
        /// The largest \[m\]; infinite when the file gives none.
        max: f64,
    },
    /// A frame has a pose as seen from another.
    RelativePose {
        /// The frame seen from, and the one seen.
        frames: [FigureFrame; 2],
        /// The pose in the first frame.
        pose: FigurePose,
    },
    /// Two frames are held together.
    Closure {
        /// The frames.
        frames: [FigureFrame; 2],
        /// How.
        link: FigureLink,
    },
    /// The centre of mass is somewhere.
    CenterOfMass {
        /// The point in the world \[m\].
        target: [f64; 3],
        /// Which of its coordinates count.
        along: [bool; 3],
    },
    /// The centre of mass is over a polygon.
    Support {
        /// Points of the ground \[m\], at least one.
        corners: Vec<[f64; 3]>,
        /// The vertical; +z when left out.
        up: Option<[f64; 3]>,
        /// How far inside, not negative \[m\]; 0 when left out.
        margin: Option<f64>,
    },
    /// Two capsules keep apart.
    Clearance {
        /// The capsules.
        capsules: [FigureCapsule; 2],
        /// The least gap \[m\]; 0 when left out.
        margin: Option<f64>,
    },
    /// The joints have preferred values.
    Posture {
        /// The values; joints without an entry prefer the start.
        values: Vec<NamedValues>,
        /// How much joints care, not negative. When left out, 1 for those with values; for all where none has values either.
        cares: Option<Vec<(String, f64)>>,
    },
}

impl FigureGoal {
    /// The word in the field `task`.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Position { .. } => "position",
            Self::Orientation { .. } => "orientation",
            Self::Pose { .. } => "pose",
            Self::LookAt { .. } => "look-at",
            Self::AxisAlignment { .. } => "axis-alignment",
            Self::Pole { .. } => "pole",
            Self::Plane { .. } => "plane",
            Self::Distance { .. } => "distance",
            Self::RelativePose { .. } => "relative-pose",
            Self::Closure { .. } => "closure",
            Self::CenterOfMass { .. } => "center-of-mass",
            Self::Support { .. } => "support",
            Self::Clearance { .. } => "clearance",
            Self::Posture { .. } => "posture",
        }
    }
}

/// A pose, or some coordinates of it: a position, an orientation or both.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FigurePose {
    /// Where \[m\].
    pub target: Option<[f64; 3]>,
    /// How it is turned, x, y, z, w.
    pub orientation: Option<[f64; 4]>,
    /// Along which axes the position counts; all when left out.
    pub along: Option<[bool; 3]>,
    /// About which axes the orientation counts; all when left out.
    pub about: Option<[bool; 3]>,
}

/// How two frames are held together.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum FigureLink {
    /// Their origins.
    Ball,
    /// Their origins and an axis, given in each; any length but zero.
    Hinge([[f64; 3]; 2]),
    /// Altogether.
    Weld,
}

/// A segment with a radius.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureCapsule {
    /// What carries it; `None` stands in the world.
    pub on: Option<FrameOwner>,
    /// Its ends \[m\]; a sphere has both on one point, which the file gives once.
    pub ends: [[f64; 3]; 2],
    /// Its radius, not negative \[m\].
    pub radius: f64,
}

/// What the [roots](Skeleton::is_root) of a skeleton do: the first joints that move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RootMode {
    /// They move as their kind lets them.
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

/// What joints are held, or unwilling to move.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FigureSettings {
    /// Joints that stay where they start.
    pub locked: Vec<String>,
    /// What the first joint that moves does; [`RootMode::Free`] when left out. The field `root` of the figure itself is another thing: how the
    /// skeleton of a URDF or glTF hangs on the world.
    pub root: Option<RootMode>,
    /// How unwillingly joints move, above 0; 1 for joints without an entry.
    pub stiffness: Vec<(String, f64)>,
    /// Largest changes of joints \[rad or m\], not negative; unbounded for joints without an entry.
    pub largest_change: Vec<(String, f64)>,
    /// How much staying counts against the tasks, not negative; 0 when left out.
    pub regularisation: Option<f64>,
    /// Other starts to try when the first does not arrive; 100 when left out.
    pub restarts: Option<u32>,
    /// Look for the least change among the poses that do what is asked; true when left out.
    pub least_change: Option<bool>,
}

impl FigureProblem {
    /// Reads a figure from the text of its file, with the default [`Limits`]. No other file is opened.
    ///
    /// # Errors
    /// Every fault of the text, the fields and their values, with the path of the value, its line and its column. Unknown and duplicate fields
    /// are faults. Where the joints are written out, so are names that no joint has; those of a URDF are looked up by
    /// [`FigureProblem::to_model`].
    pub fn from_json(text: &str) -> Result<Self> {
        Self::from_json_with(text, &Limits::default())
    }

    /// Reads a figure with other caps.
    ///
    /// # Errors
    /// As [`FigureProblem::from_json`].
    pub fn from_json_with(text: &str, limits: &Limits) -> Result<Self> {
        let problem = read::read(text, limits)?;
        if let FigureSkeleton::Joints(_) = problem.skeleton {
            let model = problem.to_model(None, &mut crate::Warnings::new());
            model.map_err(|error| located_in(error, text, limits))?;
        }
        Ok(problem)
    }

    /// The text of the figure's file: fields in the order of the format's description, one joint, body or task per line, numbers in the shortest
    /// form that reads back exactly.
    ///
    /// The values are written as they are; whether they form a valid figure is checked by the reader.
    ///
    /// # Errors
    /// [`Error::NotFinite`](crate::Error::NotFinite) names the field of a NaN or an infinity.
    pub fn to_json(&self) -> Result<String> {
        write::write(self)
    }

    /// One task as it stands in a figure's file.
    pub(crate) fn task_json(task: &FigureTask, index: usize) -> Result<String> {
        write::task(task, index)
    }

    /// The kind and the path of the file that the skeleton is in, which the caller reads and hands to [`FigureProblem::to_model`]; the path is
    /// relative to the figure's file and does not leave its folder.
    #[must_use]
    pub fn source(&self) -> Option<(SourceKind, &str)> {
        match &self.skeleton {
            FigureSkeleton::File { kind, path, .. } => Some((*kind, path)),
            FigureSkeleton::Joints(_) => None,
        }
    }
}
