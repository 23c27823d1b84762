//! Readers and writers for posekit: robots in URDF and MJCF, characters in glTF, motions in BVH, chain problems, figures and solutions in posekit's own JSON.
//!
//! A file becomes plain data or a [`Skeleton`](posekit::skeleton::Skeleton), independent of how it will be solved.
//!
//! ```
//! use posekit_io::{ChainProblem, Warnings};
//!
//! let text = r#"{ "schema": "posekit.chain/1", "dimension": 2,
//!                 "bones": [ { "length": 1.0, "angle": 0.3 }, { "length": 1.0, "angle": 0.5 } ],
//!                 "target": [0.8, 1.1] }"#;
//! let mut warnings = Warnings::new();
//! let model = ChainProblem::from_json(text)?.to_skeleton(&mut warnings)?;
//! assert_eq!(model.skeleton.n_joints(), 2);
//! assert_eq!(model.start, [0.3, 0.5]);
//! assert!(warnings.is_empty());
//! # Ok::<(), posekit_io::Error>(())
//! ```
//!
//! - [`ChainProblem`] is the file `posekit.chain/1`: bones or points, and a target.
//! - [`FigureProblem`] is the file `posekit.figure/1`: a skeleton, and all its tasks.
//! - [`SolutionFile`] is the file `posekit.solution/1`: a solution, and its trace.
//! - [`urdf::read`] gives a [`Robot`]: a skeleton, and the names and properties of its links and joints.
//! - [`mjcf::read_file`] gives the same for a model of MuJoCo, and [`read_robot_file`] recognises either format.
//! - [`srdf::merge`] adds groups, end effectors, named states and disabled pairs to a robot.
//! - [`mesh::read_points`] gives the points of a mesh, [`mesh::find`] the file that a robot's file names.
//! - [`gltf::read_bytes`] gives a [`Character`](gltf::Character): the skeleton of a glTF, GLB or VRM file. [`gltf::Asset`] has its animations too, and
//!   writes them back into the file, leaving everything else unchanged, byte for byte.
//! - [`bvh::read_bytes`] gives a [`File`](bvh::File): a hierarchy, and a row of channels for each frame; a [`Rig`](bvh::Rig) makes a skeleton and
//!   configurations of it, and rows of configurations.
//! - [`motion::MotionFile`] is any file with a motion: it gives [`Clip`](posekit_motion::Clip)s and writes edited ones back. [`ContactsFile`] is the file
//!   `posekit.contacts/1`: the contacts of a clip.
//! - [`problem`] prepares them for a workspace, and converts solutions to files.
//! - [`Error`] is a fault with its place: a JSON path or an XML element, line, column and byte. [`Warnings`] collects recoverable faults.
//!   [`Limits`] bounds the sizes of files. [`Kind`] names what a file is that was given to the wrong reader.
//!
//! # Guarantees
//! No input makes a reader panic, hang, overflow the stack or allocate out of proportion to the input. No file but the requested one is opened, except
//! those that a glTF asset or an MJCF has in its own folder; no program is run, nothing is fetched. A problem that is read and written again is the same, bit for bit.
//!
//! # Conventions
//! Metres, radians, quaternions x, y, z, w; transforms are named `b_from_a`. Text is UTF-8; a byte-order mark is skipped. In a BVH only
//! the keywords are ASCII; its numbers keep the file's units until a rig is made.
//!
//! # Features
//! `robots`, on by default: [`read_robot`] and figures read robots, and posekit's feature `arm` is on. Programs without it that call none of the readers of robots do
//! not contain them.
//!
//! `typescript`: the types of the files implement `ts_rs::TS`, from which their types in TypeScript are made. With or without it they implement `serde::Serialize`, for JSON.
//!
//! # What it does not do
//! It does not write URDF or MJCF; it reads only the points of meshes, and no morph target weights of glTF; it does not decompress anything or expand xacro templates.
#![forbid(unsafe_code)]

pub mod bvh;
pub mod gltf;
pub mod mesh;
pub mod mjcf;
pub mod motion;
pub mod problem;
pub mod robot;
pub mod srdf;
pub mod urdf;

mod chain_problem;
mod contacts;
mod error;
mod figure;
mod free_root;
mod json;
mod kind;
mod limits;
mod robot_file;
mod rotation;
mod solution;
mod text;
mod warnings;
mod xml;

pub use chain_problem::{
    CHAIN_SCHEMA, ChainData, ChainModel, ChainProblem, PlaneBone, PointChain, SpaceBone,
    SpaceConstraint,
};
pub use contacts::{
    CONTACTS_SCHEMA, ContactEntry, ContactsFile, DEFAULT_EASE, HoldEntry, SupportEntry, SupportKey,
};
pub use error::{Error, Place, Result};
pub use figure::{
    FIGURE_SCHEMA, FigureBody, FigureCapsule, FigureCone, FigureDistance, FigureFrame, FigureGoal,
    FigureJoint, FigureLink, FigureMimic, FigureModel, FigureMotion, FigurePose, FigureProblem,
    FigureRoot, FigureSettings, FigureSkeleton, FigureSource, FigureTask, FrameOwner, RootMode,
    SourceKind,
};
pub use json::schema_of;
pub use kind::Kind;
pub use limits::Limits;
pub use robot::Robot;
pub use robot_file::{read_robot, read_robot_file};
pub use solution::{
    NamedChoice, NamedHold, NamedValues, Outcome, SOLUTION_SCHEMA, SolutionFile, TaskMiss,
    TraceEntry, bone_name,
};
pub use text::{decode_text, read_text};
pub use warnings::{Warning, Warnings};
