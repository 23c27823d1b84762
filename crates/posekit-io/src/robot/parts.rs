//! A robot as plain data.

use core::ops::Range;

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::Skeleton;

/// The data of a [`Robot`](super::Robot). Indices refer to entries of its lists.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RobotParts {
    /// The robot's name.
    pub name: String,
    /// The skeleton; joint 0 carries the root link.
    pub skeleton: Skeleton,
    /// Links with unique names; by their parents they form one tree.
    pub links: Vec<RobotLink>,
    /// Joints with unique names.
    pub joints: Vec<RobotJoint>,
    /// Shapes of links for collision checking.
    pub shapes: Vec<RobotShape>,
    /// Shapes that links are drawn with.
    pub visuals: Vec<RobotVisual>,
    /// Frames on links: sites, tools.
    pub frames: Vec<RobotFrame>,
    /// Groups of joints.
    pub groups: Vec<RobotGroup>,
    /// Hands, grippers, tools.
    pub end_effectors: Vec<RobotEndEffector>,
    /// Named states.
    pub states: Vec<RobotState>,
    /// Attachments of links to the world.
    pub virtual_joints: Vec<VirtualJoint>,
    /// Pairs of links that are not checked for collisions.
    pub disabled_pairs: Vec<DisabledPair>,
    /// Closed loops.
    pub closures: Vec<RobotClosure>,
}

impl RobotParts {
    /// Links on a skeleton; every other list is empty.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        skeleton: Skeleton,
        links: Vec<RobotLink>,
        joints: Vec<RobotJoint>,
    ) -> Self {
        Self {
            name: name.into(),
            skeleton,
            links,
            joints,
            shapes: Vec::new(),
            visuals: Vec::new(),
            frames: Vec::new(),
            groups: Vec::new(),
            end_effectors: Vec::new(),
            states: Vec::new(),
            virtual_joints: Vec::new(),
            disabled_pairs: Vec::new(),
            closures: Vec::new(),
        }
    }
}

/// A link: a rigid body of the robot, and the frame fixed to it.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotLink {
    /// The name in the file.
    pub name: String,
    /// The skeleton's joint whose frame is the link's frame.
    pub skeleton_joint: usize,
    /// Index of the parent link; `None` for the root link.
    pub parent: Option<usize>,
    /// The mass; 0 if the file gives none \[kg\].
    pub mass: f64,
    /// The centre of mass in the link's frame \[m\].
    pub center_in_link: DVec3,
}

/// A joint of the file. Several joints may connect the same two links, one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotJoint {
    /// The name in the file.
    pub name: String,
    /// The kind of the joint.
    pub kind: RobotJointKind,
    /// Index of the parent link.
    pub parent_link: usize,
    /// Index of the child link.
    pub child_link: usize,
    /// The skeleton's joints made from it: one, or three for a planar joint.
    pub skeleton_joints: Range<usize>,
    /// Largest speed, > 0 \[rad/s or m/s\]; infinite if the file gives none.
    pub max_speed: f64,
    /// True for a joint without a motor: a caster, a passive hinge. A solver may move it like any other.
    pub is_passive: bool,
}

/// The kind of a robot's joint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RobotJointKind {
    /// Does not move.
    Fixed,
    /// Rotates about an axis, between bounds.
    Revolute,
    /// Rotates about an axis without bounds.
    Continuous,
    /// Slides along an axis.
    Prismatic,
    /// Slides in a plane and rotates about its normal.
    Planar,
    /// Rotates freely.
    Ball,
    /// Moves and rotates freely.
    Floating,
}

impl RobotJointKind {
    /// The kind as one word, that of URDF if there is one: fixed, revolute, continuous, prismatic, planar, ball, floating.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Revolute => "revolute",
            Self::Continuous => "continuous",
            Self::Prismatic => "prismatic",
            Self::Planar => "planar",
            Self::Ball => "ball",
            Self::Floating => "floating",
        }
    }
}

/// A shape that a link is drawn with.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotVisual {
    /// The shape. A half-space is a floor.
    pub shape: RobotShape,
    /// Red, green, blue and opacity, 0 to 1, as in the file; `None` if it gives no colour.
    pub color: Option<[f64; 4]>,
}

/// A shape of a link.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotShape {
    /// The name in the file; empty if it has none.
    pub name: String,
    /// Index of the link that it is fixed to.
    pub link: usize,
    /// Its pose in the frame of the link.
    pub link_from_shape: Pose,
    /// The solid.
    pub geometry: Geometry,
}

/// A solid in a frame of its own. Lengths are in metres, at least 0.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Geometry {
    /// A box about the origin.
    Box {
        /// Half of its edges along x, y and z.
        half_extents: DVec3,
    },
    /// A sphere about the origin.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// A cylinder about z.
    Cylinder {
        /// Its radius.
        radius: f64,
        /// Half of its length, from the origin to a cap.
        half_length: f64,
    },
    /// A segment along z with a radius.
    Capsule {
        /// Its radius.
        radius: f64,
        /// Half of its segment, without the round ends.
        half_length: f64,
    },
    /// An ellipsoid about the origin.
    Ellipsoid {
        /// Its semi-axes along x, y and z.
        radii: DVec3,
    },
    /// The surface in a mesh file.
    Mesh {
        /// The file's name as written: a path or a URI such as `package://NAME/meshes/hand.stl`. Readers do not open it.
        file: String,
        /// Factor of each coordinate; negative ones mirror.
        scale: DVec3,
    },
    /// Everything below the plane z = 0.
    HalfSpace,
}

/// A frame on a link.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotFrame {
    /// Its name.
    pub name: String,
    /// Index of the link that it is fixed to.
    pub link: usize,
    /// Its pose in the frame of the link.
    pub link_from_frame: Pose,
}

/// Joints that belong together: an arm, a hand, a leg.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RobotGroup {
    /// Its name.
    pub name: String,
    /// Indices of its joints, ascending, each once.
    pub joints: Vec<usize>,
    /// Indices of its links, ascending, each once.
    pub links: Vec<usize>,
    /// Base and tip link of each chain in its definition.
    pub chains: Vec<[usize; 2]>,
}

/// A hand, a gripper or a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RobotEndEffector {
    /// Its name.
    pub name: String,
    /// Index of the group that it consists of.
    pub group: usize,
    /// Index of the link that it is attached to.
    pub parent_link: usize,
    /// Index of the group that carries it, if the file names one.
    pub parent_group: Option<usize>,
}

/// Values of some joints under a name.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotState {
    /// Its name; states of different groups may share it.
    pub name: String,
    /// Index of the group that it belongs to.
    pub group: Option<usize>,
    /// The joints and their values.
    pub values: Vec<StateValues>,
}

/// The values of a joint in a named state.
#[derive(Debug, Clone, PartialEq)]
pub struct StateValues {
    /// Index of the joint.
    pub joint: usize,
    /// The values of its skeleton joints, in order \[rad, m; quaternions x, y, z, w\].
    pub values: Vec<f64>,
}

/// The attachment of a link to the world. It is not part of the skeleton and moves nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VirtualJoint {
    /// Its name.
    pub name: String,
    /// Fixed, planar or floating.
    pub kind: RobotJointKind,
    /// The parent frame outside of the robot.
    pub parent_frame: String,
    /// Index of the child link.
    pub child_link: usize,
}

/// Two links that are not checked for collisions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisabledPair {
    /// Indices of the links.
    pub links: [usize; 2],
    /// The reason given in the file; may be empty.
    pub reason: String,
}

/// A closed loop that is open in the tree of links: two frames on two links that coincide.
#[derive(Debug, Clone, PartialEq)]
pub struct RobotClosure {
    /// Its name in the file; may be empty.
    pub name: String,
    /// Indices of the links.
    pub links: [usize; 2],
    /// The pose of the frame on each link, in the frame of the link.
    pub link_from_frame: [Pose; 2],
    /// True when the orientations of the frames coincide too, not only their origins.
    pub is_rigid: bool,
}
