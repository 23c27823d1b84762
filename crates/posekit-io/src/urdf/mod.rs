//! URDF: robots as links and joints.
//!
//! Read are the names of links and joints, the tree, every joint type, origins (`rpy`, and `quat_xyzw` of URDF 1.2), axes, bounds, velocity limits and `<mimic>`,
//! the masses of `<inertial>` with their centres, the shapes of `<collision>`, and those of `<visual>` with the colours of their materials. What says where a link can be is
//! honoured or refused, never dropped; what is only seen is ignored with a warning where it is at fault. Not read: moments of inertia, textures, joint dynamics; no file named in a URDF is ever opened. Extensions for simulators and
//! controllers (`<gazebo>`, `<transmission>`, `<mujoco>`, tags with a prefix such as `<drake:joint>`) are passed over; other tags and attributes beyond the
//! standard are named in one [`Warnings`] entry each.
//!
//! # Rules where the format leaves a choice
//! - Joints keep the order of the file as far as parents come first; a file already in that order keeps it.
//! - A revolute or prismatic joint must have a `<limit>`; `lower` and `upper` are 0 by default, with a warning. An infinite bound is
//!   no bound on that side.
//! - The soft limits of a `<safety_controller>` count only with [`Options::with_soft_limits`]; then the range is what both limits allow.
//! - A velocity of 0 or below is read as no limit, with a warning.
//! - The length of a `<capsule>` is that of its cylinder, without the round ends.
//! - A continuous joint has no bounds; those given are ignored with a warning, unless both are 0.
//! - An axis need not be of unit length (a warning beyond 1e-3); a zero axis is refused, except on fixed and floating joints, which have none.
//! - A `<mimic>` on a fixed joint is ignored with a warning; a joint that follows a fixed one is held where that puts it.
//! - A planar joint becomes two slides and a turn, named `NAME/x`, `NAME/y` and `NAME/turn`.
//! - An `<inertial>` must have a `<mass>`, not negative. What hangs on fixed joints weighs where they are fixed: one body for each
//!   moving joint, and one for what stands still.
//! - Closed chains, several roots, document types (DTD), xacro templates and encodings other than UTF-8 are refused.

mod build;
mod materials;
mod mimic;
mod parse;
mod shapes;
mod tree;

use std::path::Path;

use crate::error::Result;
use crate::limits::Limits;
use crate::robot::Robot;
use crate::text;
use crate::warnings::Warnings;
use crate::xml;

/// Options for reading a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Options {
    /// True where joints keep the soft limits of their `<safety_controller>`, inside which a controller holds them. Otherwise only `<limit>` counts.
    pub has_soft_limits: bool,
}

impl Options {
    /// With the soft limits of `<safety_controller>`.
    #[must_use]
    pub const fn with_soft_limits(mut self) -> Self {
        self.has_soft_limits = true;
        self
    }
}

/// Reads a robot from the text of a URDF file, with the default [`Limits`].
///
/// # Errors
/// Every fault named in the [module's rules](self), with line and column; see [`Error`](crate::Error).
///
/// # Example
/// ```
/// use posekit_io::{Warnings, urdf};
///
/// let text = r#"
///   <robot name="slider">
///     <link name="rail"/>
///     <link name="cart"/>
///     <joint name="slide" type="prismatic">
///       <parent link="rail"/> <child link="cart"/>
///       <axis xyz="0 0 1"/> <limit lower="0" upper="0.5" effort="1" velocity="1"/>
///     </joint>
///   </robot>"#;
/// let robot = urdf::read(text, &mut Warnings::new())?;
/// let frame = robot.frame("cart").expect("the file has this link");
/// let poses = robot.skeleton().poses(&[0.25]);
/// assert_eq!(frame.world(&poses).translation.z, 0.25);
/// # Ok::<(), posekit_io::Error>(())
/// ```
///
/// # Example: a loop
/// ```
/// use posekit_io::{Warnings, urdf};
///
/// let text = r#"<robot name="r"> <link name="a"/> <link name="b"/>
/// <joint name="j" type="fixed"> <parent link="a"/> <child link="b"/> </joint>
/// <joint name="k" type="fixed"> <parent link="b"/> <child link="a"/> </joint> </robot>"#;
/// let error = urdf::read(text, &mut Warnings::new()).unwrap_err();
/// assert!(error.to_string().contains("the links form a loop"));
/// ```
pub fn read(text: &str, warnings: &mut Warnings) -> Result<Robot> {
    read_with(text, &Limits::default(), warnings)
}

/// Reads a robot from the text of a URDF file.
///
/// Time is linear in the text, except for sorting names; neither the nesting of elements nor the length of the joint chain uses stack.
///
/// # Errors
/// As [`read`].
pub fn read_with(text: &str, limits: &Limits, warnings: &mut Warnings) -> Result<Robot> {
    read_as(text, &Options::default(), limits, warnings)
}

/// Reads a robot from the text of a URDF file, with options.
///
/// # Errors
/// As [`read`].
pub fn read_as(
    text: &str,
    options: &Options,
    limits: &Limits,
    warnings: &mut Warnings,
) -> Result<Robot> {
    let source = xml::Source::new(text, limits)?;
    let document = xml::parse(&source, limits)?;
    let root = xml::Element::root(&source, &document, limits);
    let description = parse::read_robot(root, &source, options, limits, warnings)?;
    let tree = tree::build_tree(&description)?;
    build::build_robot(&description, &tree, warnings)
}

/// Reads a robot from the bytes of a URDF file, which must be UTF-8, with or without a byte-order mark.
///
/// # Errors
/// [`Error::Encoding`](crate::Error::Encoding) for other encodings, found or declared; otherwise as [`read`].
pub fn read_bytes(bytes: &[u8], limits: &Limits, warnings: &mut Warnings) -> Result<Robot> {
    read_with(xml::decode(bytes, limits)?, limits, warnings)
}

/// Reads a robot from a URDF file. No other file is opened.
///
/// # Errors
/// [`Error::Read`](crate::Error::Read) when the system cannot read the file; otherwise as [`read_bytes`].
pub fn read_file(path: &Path, limits: &Limits, warnings: &mut Warnings) -> Result<Robot> {
    read_bytes(&text::read_bytes(path, limits)?, limits, warnings)
}
