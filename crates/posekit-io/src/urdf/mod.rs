//! URDF: robots as links and joints.
//!
//! Read are the names of links and joints, the tree, every joint type, origins (`rpy`, and `quat_xyzw` of URDF 1.2), axes, bounds and `<mimic>`, and the
//! masses of `<inertial>` with their centres. What says where a link can be is honoured or refused, never dropped. Not read: moments of inertia, shapes,
//! meshes and materials (no file named in a URDF is ever opened), joint dynamics, and the soft bounds of `<safety_controller>`. Tags and attributes beyond the standard are named in one [`Warnings`] entry each.
//!
//! # Rules where the format leaves a choice
//! - Joints keep the order of the file as far as parents come first; a file already in that order keeps it.
//! - A revolute or prismatic joint must have a `<limit>`; `lower` and `upper` are 0 by default, with a warning. An infinite bound is
//!   no bound on that side.
//! - A continuous joint has no bounds; those given are ignored with a warning, unless both are 0.
//! - An axis need not be of unit length (a warning beyond 1e-3); a zero axis is refused, except on fixed and floating joints, which have none.
//! - A `<mimic>` on a fixed joint is ignored with a warning; a joint that follows a fixed one is held where that puts it.
//! - A planar joint becomes two slides and a turn, named `NAME/x`, `NAME/y` and `NAME/turn`.
//! - An `<inertial>` must have a `<mass>`, not negative. What hangs on fixed joints weighs where they are fixed: one body for each
//!   moving joint, and one for what stands still.
//! - Closed chains, several roots, document types (DTD), xacro templates and encodings other than UTF-8 are refused.

mod bodies;
mod build;
mod element;
mod mimic;
mod parse;
mod source;
mod tree;

use core::ops::Range;
use std::path::Path;

use posekit::math::Pose;
use posekit::skeleton::{Frame, JointKind, Skeleton};
use posekit::task::Body;

use crate::error::{Error, Result};
use crate::free_root::with_free;
use crate::limits::Limits;
use crate::text;
use crate::warnings::Warnings;

/// A robot read from a URDF file.
#[derive(Debug, Clone)]
pub struct Robot {
    name: String,
    root_link: usize,
    links: Vec<RobotLink>,
    joints: Vec<RobotJoint>,
    skeleton: Skeleton,
    bodies: Vec<Body>,
}

/// A link: a rigid body of the robot, and the frame fixed to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotLink {
    /// The name in the file.
    pub name: String,
    /// The skeleton's joint whose frame is the link's frame.
    pub skeleton_joint: usize,
}

/// A joint as the file has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotJoint {
    /// The name in the file.
    pub name: String,
    /// The type in the file.
    pub kind: UrdfJointKind,
    /// Index of the link it hangs on.
    pub parent_link: usize,
    /// Index of the link it carries.
    pub child_link: usize,
    /// The skeleton's joints made from it: one, or three for a planar joint.
    pub skeleton_joints: Range<usize>,
}

/// The joint types of URDF.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UrdfJointKind {
    /// Does not move.
    Fixed,
    /// Turns about an axis, between bounds.
    Revolute,
    /// Turns about an axis without end.
    Continuous,
    /// Slides along an axis, between bounds.
    Prismatic,
    /// Slides in a plane and turns about its normal.
    Planar,
    /// Moves freely.
    Floating,
}

impl UrdfJointKind {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Fixed,
        Self::Revolute,
        Self::Continuous,
        Self::Prismatic,
        Self::Planar,
        Self::Floating,
    ];

    /// The word in the attribute `type`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Revolute => "revolute",
            Self::Continuous => "continuous",
            Self::Prismatic => "prismatic",
            Self::Planar => "planar",
            Self::Floating => "floating",
        }
    }

    const fn has_axis(self) -> bool {
        !matches!(self, Self::Fixed | Self::Floating)
    }

    const fn n_skeleton_joints(self) -> usize {
        if matches!(self, Self::Planar) { 3 } else { 1 }
    }
}

/// Reads a robot from the text of a URDF file, with the default [`Limits`].
///
/// # Errors
/// Every fault named in the [module's rules](self), with line and column; see [`Error`].
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
/// Time is in proportion to the text, save for sorting names; neither the nesting of elements nor the length of the joint chain costs stack.
///
/// # Errors
/// As [`read`].
pub fn read_with(text: &str, limits: &Limits, warnings: &mut Warnings) -> Result<Robot> {
    let source = source::Source::new(text, limits)?;
    let document = element::parse(&source, limits)?;
    let root = element::Element::root(&source, &document, limits);
    let description = parse::read_robot(root, &source, limits, warnings)?;
    let tree = tree::build_tree(&description)?;
    build::build_robot(&description, &tree, warnings)
}

/// Reads a robot from the bytes of a URDF file, which must be UTF-8, with or without a byte-order mark.
///
/// # Errors
/// [`Error::Encoding`] for other encodings, found or declared; otherwise as [`read`].
pub fn read_bytes(bytes: &[u8], limits: &Limits, warnings: &mut Warnings) -> Result<Robot> {
    let text = text::decode_text(bytes, limits)?;
    if let Some(encoding) = declared_encoding(text)
        && !["utf-8", "utf8", "us-ascii", "ascii"].contains(&encoding.to_ascii_lowercase().as_str())
    {
        let encoding = format!("declared as {}", element::shortened(encoding));
        return Err(Error::Encoding { encoding, byte: 0 });
    }
    read_with(text, limits, warnings)
}

/// Reads a robot from a URDF file. No other file is opened.
///
/// # Errors
/// [`Error::Read`] when the system cannot read the file; otherwise as [`read_bytes`].
pub fn read_file(path: &Path, limits: &Limits, warnings: &mut Warnings) -> Result<Robot> {
    read_bytes(&text::read_bytes(path, limits)?, limits, warnings)
}

/// The encoding named in the XML declaration.
fn declared_encoding(text: &str) -> Option<&str> {
    let declaration = text.strip_prefix("<?xml")?;
    let declaration = &declaration[..declaration.find("?>")?];
    let value = declaration[declaration.find("encoding")?..].split_once('=')?.1.trim_ascii_start();
    let quote = value.chars().next().filter(|&c| c == '"' || c == '\'')?;
    value[1..].split_once(quote).map(|(encoding, _)| encoding)
}

impl Robot {
    /// The robot's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The robot as a skeleton.
    ///
    /// Its joint 0 is fixed and carries the root link; after it come the file's joints by name, parents first.
    #[must_use]
    pub const fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// The robot as a skeleton, without the names of its links.
    #[must_use]
    pub fn into_skeleton(self) -> Skeleton {
        self.skeleton
    }

    /// The links, in the order of the file.
    #[must_use]
    pub fn links(&self) -> &[RobotLink] {
        &self.links
    }

    /// The joints, in the order of the file.
    #[must_use]
    pub fn joints(&self) -> &[RobotJoint] {
        &self.joints
    }

    /// The link that hangs on no joint.
    #[must_use]
    pub fn root_link(&self) -> &RobotLink {
        &self.links[self.root_link]
    }

    /// The frame of a link, for a task to speak about.
    #[must_use]
    pub fn frame(&self, link: &str) -> Option<Frame> {
        let link = self.links.iter().find(|candidate| candidate.name == link)?;
        Some(Frame { joint: link.skeleton_joint, joint_from_frame: Pose::IDENTITY })
    }

    /// What weighs, by the joints that move it, in their order: each with the mass and the centre of mass of its link and of all links fixed to that.
    /// The first is what stands still, if it weighs. Links without an `<inertial>` weigh nothing.
    #[must_use]
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// The same robot on a floating base: the joint that carries its root link, of the same name and index, moves freely.
    ///
    /// # Errors
    /// [`Error::Skeleton`], which a robot that was read does not give.
    pub fn with_free_root(&self) -> Result<Self> {
        Ok(Self { skeleton: with_free(&self.skeleton, |joint| joint == 0)?, ..self.clone() })
    }

    /// The configuration of all zeros (and identity rotations), which robot descriptions are drawn in.
    ///
    /// It may be outside the joints' limits and need not satisfy `<mimic>` offsets; [`Skeleton::neutral`] does both.
    #[must_use]
    pub fn zero_configuration(&self) -> Vec<f64> {
        let mut q = vec![0.0; self.skeleton.n_values()];
        for joint in 0..self.skeleton.n_joints() {
            let values = self.skeleton.value_range(joint);
            if matches!(self.skeleton.kind(joint), JointKind::Ball | JointKind::Free) {
                q[values.end - 1] = 1.0;
            }
        }
        q
    }
}
