//! Robots: the result of every reader of robot files, whatever the format.
//!
//! A [`Robot`] has links (rigid bodies with frames and masses), joints, a skeleton that moves them, and the other properties in its files: velocity limits, shapes
//! for collision checking and for drawing, groups, end effectors, named states, named frames, and pairs of links that may touch. [`RobotParts`] is the same as plain data;
//! readers fill it in and [`Robot::try_new`] checks it.

mod bodies;
mod check;
mod parts;
mod speeds;

use posekit::math::Pose;
use posekit::skeleton::{Frame, JointKind, Skeleton};
use posekit::task::{Body, Closure, Link};

pub use parts::{
    DisabledPair, Geometry, RobotClosure, RobotEndEffector, RobotFrame, RobotGroup, RobotJoint,
    RobotJointKind, RobotLink, RobotParts, RobotShape, RobotState, RobotVisual, StateValues,
    VirtualJoint,
};

use crate::error::Result;
use crate::free_root::with_free;

/// The name of the state in which a file draws a robot, if that is not all zeros.
pub(crate) const DRAWN_STATE: &str = "qpos0";

/// A robot: a skeleton with the names and properties of its links and joints.
///
/// Links, joints and groups are named by their indices in [`links`](Self::links), [`joints`](Self::joints) and [`groups`](Self::groups).
///
/// # Example
/// ```
/// use posekit_io::{Warnings, urdf};
///
/// let text = r#"
///   <robot name="slider">
///     <link name="rail"/> <link name="cart"/>
///     <joint name="slide" type="prismatic">
///       <parent link="rail"/> <child link="cart"/>
///       <axis xyz="0 0 1"/> <limit lower="0" upper="0.5" effort="1" velocity="0.3"/>
///     </joint>
///   </robot>"#;
/// let robot = urdf::read(text, &mut Warnings::new())?;
/// assert_eq!(robot.root_link().name, "rail");
/// assert_eq!(robot.velocity_limits(), [0.3]);
/// # Ok::<(), posekit_io::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Robot {
    parts: RobotParts,
    root_link: usize,
    bodies: Vec<Body>,
    velocity_limits: Vec<f64>,
}

impl Robot {
    /// A robot from its parts.
    ///
    /// # Errors
    /// [`Error::Value`](crate::Error::Value) names the part at fault, such as `links[3].parent`: an index out of range, links that do not form a tree, a name that is
    /// empty or repeated, a number that is not finite or out of range, values that do not fit a joint.
    pub fn try_new(parts: RobotParts) -> Result<Self> {
        let root_link = check::root_link(&parts)?;
        check::check(&parts)?;
        Ok(Self {
            bodies: bodies::sum(&parts.skeleton, &parts.links),
            velocity_limits: speeds::per_dof(&parts.skeleton, &parts.joints),
            root_link,
            parts,
        })
    }

    /// The robot as plain data, which can be changed and validated again.
    #[must_use]
    pub fn into_parts(self) -> RobotParts {
        self.parts
    }

    /// The robot's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.parts.name
    }

    /// The robot as a skeleton. Its joint 0 carries the root link, followed by the joints made from those of the file, parents first.
    #[must_use]
    pub const fn skeleton(&self) -> &Skeleton {
        &self.parts.skeleton
    }

    /// The robot as a skeleton, without the names of its links.
    #[must_use]
    pub fn into_skeleton(self) -> Skeleton {
        self.parts.skeleton
    }

    /// The links, in the order of the file.
    #[must_use]
    pub fn links(&self) -> &[RobotLink] {
        &self.parts.links
    }

    /// The joints, in the order of the file.
    #[must_use]
    pub fn joints(&self) -> &[RobotJoint] {
        &self.parts.joints
    }

    /// The root link.
    #[must_use]
    pub fn root_link(&self) -> &RobotLink {
        &self.parts.links[self.root_link]
    }

    /// Index of the link of this name.
    #[must_use]
    pub fn find_link(&self, name: &str) -> Option<usize> {
        self.parts.links.iter().position(|link| link.name == name)
    }

    /// Index of the joint of this name.
    #[must_use]
    pub fn find_joint(&self, name: &str) -> Option<usize> {
        self.parts.joints.iter().position(|joint| joint.name == name)
    }

    /// The frame of this name, for tasks: that of a link, or else one of [`frames`](Self::frames).
    #[must_use]
    pub fn frame(&self, name: &str) -> Option<Frame> {
        let named = || {
            let found = self.parts.frames.iter().find(|frame| frame.name == name)?;
            let joint = self.parts.links[found.link].skeleton_joint;
            Some(Frame::new(joint, found.link_from_frame))
        };
        self.find_link(name).map(|link| self.link_frame(link)).or_else(named)
    }

    /// The frame of a link by its index.
    ///
    /// # Panics
    /// As a slice does, when there is no such link.
    #[must_use]
    pub fn link_frame(&self, link: usize) -> Frame {
        Frame::new(self.parts.links[link].skeleton_joint, Pose::IDENTITY)
    }

    /// Named frames on links: sites, tools.
    #[must_use]
    pub fn frames(&self) -> &[RobotFrame] {
        &self.parts.frames
    }

    /// The masses by the joints that move them, in order: each is the mass and the centre of mass of a link and of all links fixed to it.
    /// The first is that of the fixed part, if it has a mass.
    #[must_use]
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// The largest speed of each degree of freedom of the skeleton \[rad/s, m/s\]; infinite if the file gives none. Mimic joints limit their drivers.
    #[must_use]
    pub fn velocity_limits(&self) -> &[f64] {
        &self.velocity_limits
    }

    /// The shapes of the links for collision checking.
    #[must_use]
    pub fn shapes(&self) -> &[RobotShape] {
        &self.parts.shapes
    }

    /// The shapes that the links are drawn with.
    #[must_use]
    pub fn visuals(&self) -> &[RobotVisual] {
        &self.parts.visuals
    }

    /// Groups of joints: an arm, a hand, a leg.
    #[must_use]
    pub fn groups(&self) -> &[RobotGroup] {
        &self.parts.groups
    }

    /// The group of this name.
    #[must_use]
    pub fn group(&self, name: &str) -> Option<&RobotGroup> {
        self.parts.groups.iter().find(|group| group.name == name)
    }

    /// The end effectors: hands, grippers, tools.
    #[must_use]
    pub fn end_effectors(&self) -> &[RobotEndEffector] {
        &self.parts.end_effectors
    }

    /// The named states, in the order of the file.
    #[must_use]
    pub fn states(&self) -> &[RobotState] {
        &self.parts.states
    }

    /// The state of this name and group; of several, the first.
    ///
    /// - `group`: the name of the state's group; `None` for any, and for states that belong to none
    #[must_use]
    pub fn state(&self, group: Option<&str>, name: &str) -> Option<&RobotState> {
        let is_of = |state: &&RobotState| {
            let own = state.group.map(|group| self.parts.groups[group].name.as_str());
            state.name == name && group.is_none_or(|group| own == Some(group))
        };
        self.parts.states.iter().find(is_of)
    }

    /// Sets the values of a state in a configuration, and those of mimic joints that depend on them. Other values are unchanged.
    ///
    /// # Panics
    /// As slices do, when the configuration or the state belongs to another robot.
    pub fn apply_state(&self, state: &RobotState, q: &mut [f64]) {
        for StateValues { joint, values } in &state.values {
            let mut rest = values.as_slice();
            for skeleton_joint in self.parts.joints[*joint].skeleton_joints.clone() {
                let slot = &mut q[self.skeleton().value_range(skeleton_joint)];
                let (own, others) = rest.split_at(slot.len());
                slot.copy_from_slice(own);
                rest = others;
            }
        }
        self.skeleton().settle(q);
    }

    /// How the robot is attached to the world according to its files. They move nothing; [`with_free_root`](Self::with_free_root) makes a robot that floats.
    #[must_use]
    pub fn virtual_joints(&self) -> &[VirtualJoint] {
        &self.parts.virtual_joints
    }

    /// Pairs of links that are not checked for collisions, with the reason that the file gives.
    #[must_use]
    pub fn disabled_pairs(&self) -> &[DisabledPair] {
        &self.parts.disabled_pairs
    }

    /// The closed loops, which are open in the skeleton, a tree; [`closure_tasks`](Self::closure_tasks) close them in a solve.
    #[must_use]
    pub fn closures(&self) -> &[RobotClosure] {
        &self.parts.closures
    }

    /// A task for each closed loop that closes it.
    #[must_use]
    pub fn closure_tasks(&self) -> Vec<Closure> {
        let task = |closure: &RobotClosure| {
            let [a, b] = [0, 1].map(|end| {
                let Frame { joint, .. } = self.link_frame(closure.links[end]);
                Frame::new(joint, closure.link_from_frame[end])
            });
            Closure::new([a, b], if closure.is_rigid { Link::Weld } else { Link::Ball })
        };
        self.parts.closures.iter().map(task).collect()
    }

    /// The configuration to start from: the one in which the file draws the robot (the state `qpos0` of an MJCF, or else zeros), clamped to the limits, with
    /// mimic joints updated.
    #[must_use]
    pub fn start_configuration(&self) -> Vec<f64> {
        let mut q = self.zero_configuration();
        if let Some(drawn) = self.state(None, DRAWN_STATE) {
            self.apply_state(drawn, &mut q);
        }
        self.skeleton().clamp(&mut q);
        q
    }

    /// The same robot on a floating base: the joint that carries its root link, of the same name and index, moves freely.
    ///
    /// # Errors
    /// [`Error::Skeleton`](crate::Error::Skeleton), which does not occur for a robot that was read.
    pub fn with_free_root(&self) -> Result<Self> {
        let skeleton = with_free(self.skeleton(), |joint| joint == 0)?;
        Self::try_new(RobotParts { skeleton, ..self.parts.clone() })
    }

    /// The configuration of all zeros (and identity rotations), in which robot descriptions are drawn.
    ///
    /// It may violate limits and the offsets of mimic joints; [`Skeleton::neutral`] does not.
    #[must_use]
    pub fn zero_configuration(&self) -> Vec<f64> {
        let skeleton = self.skeleton();
        let mut q = vec![0.0; skeleton.n_values()];
        for joint in 0..skeleton.n_joints() {
            let values = skeleton.value_range(joint);
            if matches!(skeleton.kind(joint), JointKind::Ball | JointKind::Free) {
                q[values.end - 1] = 1.0;
            }
        }
        q
    }
}
