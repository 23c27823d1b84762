//! The file of a figure's skeleton.

use std::path::Path;

use posekit::skeleton::Skeleton;

use crate::error::Result;
use crate::gltf::{self, Character};
use crate::limits::Limits;
use crate::robot::Robot;
use crate::robot_file::{read_robot, read_robot_file};
use crate::text;
use crate::warnings::Warnings;

/// The kind of file of a figure's skeleton.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SourceKind {
    /// A robot, in URDF or in MJCF.
    Urdf,
    /// A character.
    Gltf,
}

impl SourceKind {
    /// The field that names such a file.
    #[must_use]
    pub const fn field(self) -> &'static str {
        match self {
            Self::Urdf => "urdf",
            Self::Gltf => "gltf",
        }
    }
}

/// The content of the file of a figure's skeleton.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "a figure has one, and readers borrow it")]
pub enum FigureSource {
    /// A robot.
    Robot(Robot),
    /// A character from glTF.
    Character(Character),
}

impl FigureSource {
    /// Reads a file of a kind from its bytes.
    ///
    /// # Errors
    /// As [`read_robot`] and [`gltf::read_bytes`].
    pub fn read_bytes(
        kind: SourceKind,
        bytes: &[u8],
        limits: &Limits,
        warnings: &mut Warnings,
    ) -> Result<Self> {
        match kind {
            SourceKind::Urdf => read_robot(bytes, limits, warnings).map(Self::Robot),
            SourceKind::Gltf => gltf::read_bytes(bytes, limits, warnings).map(Self::Character),
        }
    }

    /// Reads a file of a kind; an MJCF with the files of its folder that it includes.
    ///
    /// # Errors
    /// [`Error::Read`](crate::Error::Read) when the system cannot read the file; otherwise as [`read_bytes`](Self::read_bytes) and [`read_robot_file`].
    pub fn read_file(
        kind: SourceKind,
        path: &Path,
        limits: &Limits,
        warnings: &mut Warnings,
    ) -> Result<Self> {
        match kind {
            SourceKind::Urdf => read_robot_file(path, limits, warnings).map(Self::Robot),
            SourceKind::Gltf => {
                Self::read_bytes(kind, &text::read_bytes(path, limits)?, limits, warnings)
            }
        }
    }

    /// Its skeleton.
    #[must_use]
    pub const fn skeleton(&self) -> &Skeleton {
        match self {
            Self::Robot(robot) => robot.skeleton(),
            Self::Character(character) => character.skeleton(),
        }
    }

    /// The same on a floating base.
    pub(super) fn with_free_root(&self) -> Result<Self> {
        match self {
            Self::Robot(robot) => robot.with_free_root().map(Self::Robot),
            Self::Character(character) => character.with_free_root().map(Self::Character),
        }
    }

    /// The robot, whose links frames may name.
    pub(super) const fn robot(&self) -> Option<&Robot> {
        match self {
            Self::Robot(robot) => Some(robot),
            Self::Character(_) => None,
        }
    }
}
