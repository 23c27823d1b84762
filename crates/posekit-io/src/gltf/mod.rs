//! Characters from glTF 2.0: `.gltf`, `.glb`, and `.vrm` and `.vrma`, which are the same container.
//!
//! - [`read_bytes`] and [`read_file`] read the hierarchy of nodes: the bones at rest. No buffer is read, and no other file is opened.
//! - [`Asset`] also reads animations, from buffers in the file or beside it, and writes a file with other [`Animation`]s that is otherwise
//!   the same. Meshes, materials and extensions are unchanged.
//!
//! # From nodes to joints
//! - The nodes that skins list are balls. Nodes above them are fixed joints, so that an armature keeps its place; nodes below them, such as a sword in a
//!   hand, are fixed as well and can carry a task. In a file without skins every node is a ball.
//! - A joint has the position of its node, with the scales of all ancestors applied, and the product of the rotations of its ancestors and its own. At neutral
//!   values the skeleton is the character at rest.
//! - Skeletons have no scale. Under uniform scales, mirrored ones included, a joint's rotation is the node's rotation; under non-uniform ones the
//!   bones keep their lengths at rest, with a warning.
//!
//! Lengths are metres, y is up, as the format specifies.
//!
//! # From channels to keys
//! A [`Channel`] has the content of the file: keys at times, of one part of one node's transform on its parent, with one of three interpolations. Nothing is
//! sampled, resampled or normalised. Numbers are single precision in files and exact in f64; normalised integers become the numbers that they
//! represent, sparse accessors are resolved. Morph target weights are ignored.
//!
//! # Errors and warnings
//! If a file is inconsistent, or something necessary is missing, reading ends with an error that names the JSON path. A violation of the format
//! that leaves no doubt about skeleton and keys, such as a stride, missing bounds, or too few inverse bind matrices, is a warning with the path
//! only.

mod accessors;
mod animation;
mod asset;
mod bind;
mod buffers;
mod channels;
mod container;
mod hand;
mod humanoid;
mod new_file;
mod nodes;
mod other_channels;
mod pose;
mod sample;
mod scenes;
mod skeleton;
mod store;
mod uri;
mod usage;
mod write;

use std::path::Path;

use posekit::glam::{DMat3, DQuat, DVec3};
use posekit::skeleton::Skeleton;

use self::accessors::Lists;
use self::container::Container;
use crate::error::Result;
use crate::free_root::with_free;
use crate::limits::Limits;
use crate::text;
use crate::warnings::Warnings;

pub(crate) use hand::{WRIST, with_fingers_hung};
pub(crate) use new_file::{NewFile, container};
pub(crate) use other_channels::OtherChannel;

pub use animation::{Animation, Channel, Interpolation, TargetPath};
pub use asset::{Asset, BufferFile, LONGEST_STAND, Written, folder, no_files};
pub use new_file::points_glb;
pub use pose::with_pose;

/// A character: its skeleton, and the nodes of its joints.
#[derive(Debug, Clone)]
pub struct Character {
    skeleton: Skeleton,
    /// The node of each joint.
    nodes: Vec<usize>,
    /// The placement of each joint's node on its parent at rest.
    rests: Vec<Rest>,
    /// The joint that carries all moving joints, if there is one.
    root: Option<usize>,
}

/// The placement of a node on its parent at rest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rest {
    pub(crate) translation: DVec3,
    pub(crate) rotation: DQuat,
    /// Rotation and scale.
    pub(crate) linear: DMat3,
}

/// Reads a character from the bytes of a `.gltf`, `.glb`, `.vrm` or `.vrma` file.
///
/// # Errors
/// By JSON path, such as `nodes[3].children[0]`: nodes with two parents or in a cycle, references to missing objects, matrices with shear above
/// joints, or beside other transforms, rotations that are not of unit length, skins without joints. Containers that are truncated or not glTF 2.0. A file
/// without nodes has no skeleton and is an error.
///
/// # Example: a bone and its child
/// ```
/// use posekit_io::{Limits, Warnings, gltf};
///
/// let text = r#"{ "asset": { "version": "2.0" },
///   "nodes": [ { "name": "arm", "children": [1], "translation": [0, 1.4, 0] }, { "name": "hand", "translation": [0.6, 0, 0] } ] }"#;
/// let character = gltf::read_bytes(text.as_bytes(), &Limits::default(), &mut Warnings::new())?;
/// let skeleton = character.skeleton();
/// let hand = skeleton.find("hand").unwrap();
/// assert_eq!(skeleton.poses(&skeleton.neutral())[hand].translation.to_array(), [0.6, 1.4, 0.0]);
/// # Ok::<(), posekit_io::Error>(())
/// ```
pub fn read_bytes(bytes: &[u8], limits: &Limits, warnings: &mut Warnings) -> Result<Character> {
    text::check_size(bytes.len() as u64, limits)?;
    let container = Container::split(bytes, limits, warnings)?;
    let document = asset::parse(&container, bytes, limits)?;
    let file = document.root().any_object()?;
    container::check_version(&file)?;
    let tree = nodes::read_nodes(&file, limits, warnings)?;
    skeleton::assemble(&file, &tree, &Lists::read(&file)?, warnings)
}

/// Reads a character from a file. No other file is opened.
///
/// # Errors
/// [`Error::Read`](crate::Error::Read) when the system cannot read the file; otherwise as [`read_bytes`].
pub fn read_file(path: &Path, limits: &Limits, warnings: &mut Warnings) -> Result<Character> {
    read_bytes(&text::read_bytes(path, limits)?, limits, warnings)
}

/// True for bytes that begin like a binary glTF container.
#[must_use]
pub fn is_binary(bytes: &[u8]) -> bool {
    bytes.starts_with(container::MAGIC)
}

impl Character {
    /// The character as a skeleton, parents first; neutral values are its pose at rest.
    #[must_use]
    pub const fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// The index of a joint's node.
    ///
    /// # Panics
    /// When the skeleton has no such joint.
    #[must_use]
    pub fn node(&self, joint: usize) -> usize {
        self.nodes[joint]
    }

    /// The joint of a node, if the node is part of the skeleton.
    #[must_use]
    pub fn joint(&self, node: usize) -> Option<usize> {
        self.nodes.iter().position(|&candidate| candidate == node)
    }

    /// The placement of a joint's node on its parent at rest.
    pub(crate) fn rest(&self, joint: usize) -> &Rest {
        &self.rests[joint]
    }

    /// True for the joint that carries all moving joints; if there is none, for every joint without a parent.
    pub(crate) fn is_root(&self, joint: usize) -> bool {
        self.root.map_or(self.skeleton.parent(joint).is_none(), |root| root == joint)
    }

    /// The same character on a floating base: the joint that carries all moving joints, usually the hips, moves freely. If there is no such
    /// joint, every joint without a parent does.
    ///
    /// # Errors
    /// [`Error::Skeleton`](crate::Error::Skeleton), which does not occur for a character that was read.
    pub fn with_free_root(&self) -> Result<Self> {
        let skeleton = with_free(&self.skeleton, |joint| self.is_root(joint))?;
        Ok(Self { skeleton, ..self.clone() })
    }
}
