//! SRDF: a file beside a robot's description, with groups, end effectors, named states, and pairs of links that may touch.
//!
//! A file is merged into its [`Robot`]. Every name must be one of that robot; an error has the line and the unknown name.
//!
//! # Choices where the format is ambiguous
//! - A group has the joints that it names, those that carry the links that it names, those between the base and the tip of its chains (up to a common ancestor and
//!   down again if the tip is not a descendant of the base), and those of its subgroups; and the links that these joints carry.
//! - A `<virtual_joint>` defines how the robot is attached to the world. It is listed in [`Robot::virtual_joints`] and moves nothing; [`Robot::with_free_root`]
//!   makes a robot that floats. Groups and states may name it; its values in a state are ignored with a warning.
//! - `<disable_default_collisions>` disables all pairs of a link, `<enable_collisions>` enables a pair again.
//! - A state may give a value to a mimic joint; the driver's value takes precedence. Values outside limits are kept, with a warning.
//! - `<link_sphere_approximation>` and `<joint_property>` are not read, with a warning.

mod groups;
mod merge;
mod parse;

use std::path::Path;

use crate::error::Result;
use crate::limits::Limits;
use crate::robot::Robot;
use crate::text;
use crate::warnings::Warnings;
use crate::xml;

/// The robot with the properties in the text of an SRDF file, with the default [`Limits`]. Groups, end effectors, states, virtual joints and disabled pairs replace those that it has.
///
/// # Errors
/// [`Error::NoSuchName`](crate::Error::NoSuchName) for an unknown link, joint or group, and every other fault with line and column; see
/// [`Error`](crate::Error).
///
/// # Example
/// ```
/// use posekit_io::{Warnings, srdf, urdf};
///
/// let mut warnings = Warnings::new();
/// let robot = urdf::read(r#"
///   <robot name="slider"> <link name="rail"/> <link name="cart"/>
///     <joint name="slide" type="prismatic"> <parent link="rail"/> <child link="cart"/>
///       <limit lower="0" upper="0.5" effort="1" velocity="1"/> </joint> </robot>"#, &mut warnings)?;
/// let robot = srdf::merge(&robot, r#"
///   <robot name="slider">
///     <group name="axis"> <chain base_link="rail" tip_link="cart"/> </group>
///     <group_state name="out" group="axis"> <joint name="slide" value="0.4"/> </group_state>
///   </robot>"#, &mut warnings)?;
/// let mut q = robot.skeleton().neutral();
/// robot.apply_state(robot.state(Some("axis"), "out").expect("the file has it"), &mut q);
/// assert_eq!(q, [0.4]);
/// # Ok::<(), posekit_io::Error>(())
/// ```
///
/// # Example: an unknown link
/// ```
/// # use posekit_io::{Warnings, srdf, urdf};
/// # let robot = urdf::read(r#"<robot name="r"><link name="a"/></robot>"#, &mut Warnings::new())?;
/// let text = r#"<robot name="r"><disable_collisions link1="a" link2="b" reason="Never"/></robot>"#;
/// let error = srdf::merge(&robot, text, &mut Warnings::new()).unwrap_err();
/// assert_eq!(error.to_string(), "<disable_collisions>, line 1, column 17: there is no link `b`");
/// # Ok::<(), posekit_io::Error>(())
/// ```
pub fn merge(robot: &Robot, text: &str, warnings: &mut Warnings) -> Result<Robot> {
    merge_with(robot, text, &Limits::default(), warnings)
}

/// The robot with the properties in the text of an SRDF file.
///
/// # Errors
/// As [`merge`].
pub fn merge_with(
    robot: &Robot,
    text: &str,
    limits: &Limits,
    warnings: &mut Warnings,
) -> Result<Robot> {
    let source = xml::Source::new(text, limits)?;
    let document = xml::parse(&source, limits)?;
    let root = xml::Element::root(&source, &document, limits);
    let description = parse::read_description(root, &source, limits, warnings)?;
    merge::merge(robot, &description, limits, warnings)
}

/// The robot with the properties in the bytes of an SRDF file.
///
/// # Errors
/// [`Error::Encoding`](crate::Error::Encoding) for encodings other than UTF-8; otherwise as [`merge`].
pub fn merge_bytes(
    robot: &Robot,
    bytes: &[u8],
    limits: &Limits,
    warnings: &mut Warnings,
) -> Result<Robot> {
    merge_with(robot, xml::decode(bytes, limits)?, limits, warnings)
}

/// The robot with the properties in an SRDF file. No other file is opened.
///
/// # Errors
/// [`Error::Read`](crate::Error::Read) when the system cannot read the file; otherwise as [`merge_bytes`].
pub fn merge_file(
    robot: &Robot,
    path: &Path,
    limits: &Limits,
    warnings: &mut Warnings,
) -> Result<Robot> {
    merge_bytes(robot, &text::read_bytes(path, limits)?, limits, warnings)
}
