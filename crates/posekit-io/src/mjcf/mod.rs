//! MJCF: robots and scenes of MuJoCo.
//!
//! The reader supports bodies with their joints, frames in every notation, default classes, sites, masses, the shapes of geoms that may collide or are drawn, with their colours, keyframes, equalities
//! and excluded pairs, with `<include>`, `<frame>`, `<replicate>` and `<attach>` resolved. Every body becomes a link, every named site a frame, every
//! keyframe a state. The skeleton has the poses of MuJoCo's own forward kinematics, which the tests compare.
//!
//! Not read, and named in one [`Warnings`] entry each: tendons, contact pairs, flexes, plugins, height fields, and the masses and
//! surfaces of meshes (no mesh is opened; shapes name their files). Ignored without a warning: lights, cameras, textures, actuators, sensors, simulation options, and everything
//! about forces. Elements that generate bodies (`<composite>`, `<flexcomp>`) are refused.
//!
//! # Configurations
//! The values are those of MuJoCo's `qpos`, in its order and with its zero: bodies depth first, in the order of the file, each with its joints in order. The one difference is
//! that quaternions are x, y, z, w here and w, x, y, z there; [`configuration_from_qpos`] and [`qpos_from_configuration`] convert. A free joint's values
//! are its body's pose in the world. The state `qpos0`, always the first, is the configuration in which the file draws the model: reference values of hinges and slides
//! (`ref`), placements of free bodies. It may be outside the limits, and its values may be non-zero.
//!
//! # Choices where the format is ambiguous
//! - Joint 0 of the skeleton is fixed and carries the link `world`. A body whose last joint has its anchor at the body's origin is the frame of that joint; others have a
//!   fixed joint of the body's name.
//! - A body without a name is `bodyN`, with its number in MuJoCo; a joint without a name is `BODY/hinge`, `BODY/slide` and so on.
//! - A ball joint's range limits the angle of the whole rotation. It becomes a cone and a twist of that angle, which allow more together (a warning).
//! - A linear `<joint>` equality makes its first joint mimic the second; other polynomials are reported. Limits of a mimic joint that leave its driver no value
//!   are ignored, with a warning.
//! - `<connect>` and `<weld>` are kept as closed loops ([`Robot::closures`]), for which there are tasks ([`Robot::closure_tasks`]).
//! - Shapes are the geoms whose `contype` or `conaffinity` is not 0; which pairs those masks allow is not kept.
//!   Drawn are the geoms in groups 0 to 2, which MuJoCo shows, unless their opacity is 0.
//! - Only files in the folder of the model are included or attached, links followed; each is included at most once in a model. Meshes are not opened, and their paths
//!   are relative to that folder.
//! - A mocap body is fixed at its pose in the file. `<freejoint align>` and `alignfree` are ignored, with a warning.
//! - Document types (DTD) and encodings other than UTF-8 are refused.

mod build;
mod classes;
mod compiler;
mod document;
mod equality;
mod files;
mod geom;
mod joint;
mod keyframe;
mod meshes;
mod names;
mod notes;
mod placement;
mod tree;
mod words;

use std::path::Path;

pub use keyframe::{configuration_from_qpos, qpos_from_configuration};

use self::document::Library;
use self::files::Files;
use self::notes::Notes;
use crate::error::Result;
use crate::gltf;
use crate::limits::Limits;
use crate::robot::Robot;
use crate::text;
use crate::warnings::Warnings;
use crate::xml::{self, Element, Source};

/// Reads a robot from the text of an MJCF file that includes no others, with the default [`Limits`].
///
/// # Errors
/// Every fault named in the [module's rules](self), with line and column; see [`Error`](crate::Error). A file that includes or attaches others is refused, as
/// [`Error::Value`](crate::Error::Value); see [`read_file`] and [`read_with_files`].
///
/// # Example
/// ```
/// use posekit_io::{Warnings, mjcf};
///
/// let text = r#"
///   <mujoco model="slider">
///     <worldbody>
///       <body name="cart" pos="0 0 1">
///         <joint name="slide" type="slide" axis="0 0 1" range="0 0.5"/>
///         <geom type="box" size="0.1 0.1 0.1"/>
///         <site name="tool" pos="0.2 0 0"/>
///       </body>
///     </worldbody>
///   </mujoco>"#;
/// let robot = mjcf::read(text, &mut Warnings::new())?;
/// let tool = robot.frame("tool").expect("the file has this site");
/// let poses = robot.skeleton().poses(&[0.25]);
/// assert_eq!(tool.world(&poses).translation.to_array(), [0.2, 0.0, 1.25]);
/// # Ok::<(), posekit_io::Error>(())
/// ```
///
/// # Example: two orientations
/// ```
/// use posekit_io::{Warnings, mjcf};
///
/// let text = r#"<mujoco> <worldbody>
/// <body name="a" quat="1 0 0 0" euler="0 0 90"/> </worldbody> </mujoco>"#;
/// let error = mjcf::read(text, &mut Warnings::new()).unwrap_err();
/// assert!(error.to_string().contains("`quat` and `euler` both give an orientation"));
/// ```
pub fn read(text: &str, warnings: &mut Warnings) -> Result<Robot> {
    read_with(text, &Limits::default(), warnings)
}

/// Reads a robot from the text of an MJCF file that includes no others.
///
/// # Errors
/// As [`read`].
pub fn read_with(text: &str, limits: &Limits, warnings: &mut Warnings) -> Result<Robot> {
    read_with_files(text, limits, gltf::no_files, warnings)
}

/// Reads a robot from the text of an MJCF file and of those that it includes or attaches.
///
/// - `open`: returns the bytes of a file by its path from the folder of the text, with `/` between its parts; [`gltf::folder`] reads them from a
///   folder and [`gltf::no_files`] refuses. A path never leads out of the folder
///
/// Time is linear in the texts including all replicas and attachments, which [`Limits::xml_nodes`] and [`Limits::joints`] bound; neither
/// nesting nor the length of the joint chain uses stack.
///
/// # Errors
/// As [`read`]; and errors of `open`, with the place of the `<include>` or `<model>`.
pub fn read_with_files(
    text: &str,
    limits: &Limits,
    mut open: impl FnMut(&str) -> Result<Vec<u8>>,
    warnings: &mut Warnings,
) -> Result<Robot> {
    let files = Files::read(text, limits, &mut open)?;
    let sources = files
        .list
        .iter()
        .enumerate()
        .map(|(index, file)| Source::of_file(&file.text, index, &file.path, limits))
        .collect::<Result<Vec<_>>>()?;
    let documents =
        sources.iter().map(|source| xml::parse(source, limits)).collect::<Result<Vec<_>>>()?;
    let roots: Vec<Element<'_>> = sources
        .iter()
        .zip(&documents)
        .map(|(source, document)| Element::root(source, document, limits))
        .collect();
    let library = Library { roots: &roots, files: &files, limits };
    let mut notes = Notes::new(warnings, &sources);
    let models = document::read_models(&library, &mut notes)?;
    let tree = tree::walk(&library, &models, &mut notes)?;
    let relations = equality::read(&tree, &library, &models, &mut notes)?;
    let states = keyframe::states(&tree, &library, &models[0], &mut notes)?;
    let robot = build::build_robot(tree, relations, states, &models[0], &mut notes)?;
    notes.finish();
    Ok(robot)
}

/// Reads a robot from the bytes of an MJCF file that includes no others. They must be UTF-8, with or without a byte-order mark.
///
/// # Errors
/// [`Error::Encoding`](crate::Error::Encoding) for other encodings, found or declared; otherwise as [`read`].
pub fn read_bytes(bytes: &[u8], limits: &Limits, warnings: &mut Warnings) -> Result<Robot> {
    read_with(xml::decode(bytes, limits)?, limits, warnings)
}

/// Reads a robot from an MJCF file, with the files that it includes or attaches, which must be in its folder.
///
/// # Errors
/// [`Error::Read`](crate::Error::Read) when the system cannot read the file; otherwise as [`read_with_files`] and [`read_bytes`].
pub fn read_file(path: &Path, limits: &Limits, warnings: &mut Warnings) -> Result<Robot> {
    let bytes = text::read_bytes(path, limits)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let open = gltf::folder(folder, *limits);
    read_with_files(xml::decode(&bytes, limits)?, limits, open, warnings)
}
