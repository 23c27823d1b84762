//! Builds a skeleton from a checked tree of links and joints.

use std::collections::BTreeSet;

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::math::{rotation_about, shortest_rotation};
use posekit::skeleton::{Joint, Limit, Mimic, Skeleton};

use super::mimic::{self, Follow};
use super::parse::{Description, JointElement, LinkElement};
use super::shapes::ShapeElement;
use super::tree::Tree;
use crate::error::{Error, Result};
use crate::robot::{
    Robot, RobotJoint, RobotJointKind, RobotLink, RobotParts, RobotShape, RobotVisual,
};
use crate::warnings::Warnings;

pub(super) fn build_robot(
    description: &Description<'_>,
    tree: &Tree,
    warnings: &mut Warnings,
) -> Result<Robot> {
    let follows = mimic::resolve(&description.joints)?;
    let mut plan = Plan::new(description, tree);
    for &index in &tree.order {
        plan.add(index, follows[index], warnings);
    }
    let mut builder = Skeleton::builder();
    let links = plan.links();
    let joints = plan.joints();
    for joint in plan.list {
        builder.add(joint);
    }
    let skeleton = builder.build().map_err(|error| located(error, description))?;
    let mut parts = RobotParts::new(description.name, skeleton, links, joints);
    for (link, element) in description.links.iter().enumerate() {
        parts.shapes.extend(element.shapes.iter().map(|own| shape(link, own)));
        parts.visuals.extend(element.visuals.iter().map(|own| RobotVisual {
            shape: shape(link, own),
            color: own.material.and_then(|material| description.materials.color(material)),
        }));
    }
    Robot::try_new(parts)
}

fn shape(link: usize, element: &ShapeElement<'_>) -> RobotShape {
    RobotShape {
        name: element.name.to_owned(),
        link,
        link_from_shape: element.link_from_shape,
        geometry: element.geometry.clone(),
    }
}

/// The place of errors that only the skeleton's builder can detect: a mimic joint whose limits leave its driver no value.
fn located(error: posekit::Error, description: &Description<'_>) -> Error {
    match description.joints.iter().find(|joint| error.joint() == Some(joint.name)) {
        Some(joint) => Error::Value {
            place: joint.element.place(format!("joint `{}`", joint.name)),
            message: error.to_string(),
        },
        None => Error::Skeleton(error),
    }
}

/// The skeleton's joints under construction.
struct Plan<'d> {
    description: &'d Description<'d>,
    tree: &'d Tree,
    /// Names of the skeleton's joints: those of the file, and those made for the root and for planar joints.
    names: BTreeSet<String>,
    list: Vec<Joint>,
    /// Index in the skeleton of the first joint made from each joint of the file. Known for all from the start, because a joint may mimic a later one.
    first_of_joint: Vec<usize>,
}

impl<'d> Plan<'d> {
    fn new(description: &'d Description<'d>, tree: &'d Tree) -> Self {
        let names = description.joints.iter().map(|joint| joint.name.to_owned()).collect();
        let mut first_of_joint = vec![0; description.joints.len()];
        let mut next = 1;
        for &joint in &tree.order {
            first_of_joint[joint] = next;
            next += n_skeleton_joints(description.joints[joint].kind);
        }
        let mut plan = Self { description, tree, names, list: Vec::new(), first_of_joint };
        // The root link has no joint of its own in the file; a fixed one carries it, so that every link is the frame of a joint.
        let root = plan.fresh_name(description.links[tree.root].name.to_owned());
        plan.list.push(Joint::fixed(root));
        plan
    }

    /// The name, with underscores appended until it is unique.
    fn fresh_name(&mut self, mut name: String) -> String {
        while !self.names.insert(name.clone()) {
            name.push('_');
        }
        name
    }

    /// The links of the file, on the joints that carry them.
    fn links(&self) -> Vec<RobotLink> {
        let link = |(index, element): (usize, &LinkElement<'_>)| {
            let above = self.tree.joint_of_link[index];
            let inertial = element.inertial.unwrap_or_default();
            RobotLink {
                name: element.name.to_owned(),
                skeleton_joint: self.joint_of_link(index),
                parent: above.map(|joint| self.tree.links_of_joint[joint].0),
                mass: inertial.mass,
                center_in_link: inertial.center,
            }
        };
        self.description.links.iter().enumerate().map(link).collect()
    }

    /// The joints of the file, with their joints in the skeleton.
    fn joints(&self) -> Vec<RobotJoint> {
        let joint = |(index, element): (usize, &JointElement<'_>)| {
            let (parent_link, child_link) = self.tree.links_of_joint[index];
            let first = self.first_of_joint[index];
            RobotJoint {
                name: element.name.to_owned(),
                kind: element.kind,
                parent_link,
                child_link,
                skeleton_joints: first..first + n_skeleton_joints(element.kind),
                max_speed: element.max_speed,
                is_passive: false,
            }
        };
        self.description.joints.iter().enumerate().map(joint).collect()
    }

    /// The joint whose frame is the link's.
    fn joint_of_link(&self, link: usize) -> usize {
        self.tree.joint_of_link[link].map_or(0, |joint| {
            self.first_of_joint[joint] + n_skeleton_joints(self.description.joints[joint].kind) - 1
        })
    }

    fn add(&mut self, index: usize, follow: Follow, warnings: &mut Warnings) {
        let element = &self.description.joints[index];
        let parent = self.joint_of_link(self.tree.links_of_joint[index].0);
        if let Follow::Constant { value } = follow {
            let place = element.element.place(format!("joint `{}`", element.name));
            let message = format!("mimics a joint that does not move; it is fixed at {value}");
            warnings.push(place, message);
            let pose = element.parent_from_joint * motion(element, value);
            self.list.push(Joint::fixed(element.name).child_of(parent).at(pose));
            return;
        }
        let joint = match element.kind {
            RobotJointKind::Fixed => Joint::fixed(element.name),
            RobotJointKind::Ball => Joint::ball(element.name),
            RobotJointKind::Floating => Joint::free(element.name),
            RobotJointKind::Revolute | RobotJointKind::Continuous => {
                Joint::revolute(element.name, element.axis)
            }
            RobotJointKind::Prismatic => Joint::prismatic(element.name, element.axis),
            RobotJointKind::Planar => return self.add_planar(element, parent),
        };
        let mut joint = joint.child_of(parent).at(element.parent_from_joint);
        if let Some([min, max]) = element.limit.filter(|_| !self.holds_driver(index, follow)) {
            joint = joint.with_limit(Limit::Range { min, max });
        } else if let (Some(_), Follow::Joint { joint: driver, .. }) = (element.limit, follow) {
            let place = element.element.place(format!("joint `{}`", element.name));
            let driver = self.description.joints[driver].name;
            let message =
                format!("its limits would restrict `{driver}` to one value; they are ignored");
            warnings.push(place, message);
        }
        if let Follow::Joint { joint: driver, multiplier, offset } = follow {
            let driver = self.first_of_joint[driver];
            joint = joint.with_mimic(Mimic { joint: driver, multiplier, offset });
        }
        self.list.push(joint);
    }

    /// True when a mimic joint's limits leave its driver a single value although the driver's own limits leave more. This is common in grippers: the
    /// mimic joint rotates in the opposite direction but repeats the driver's range.
    fn holds_driver(&self, index: usize, follow: Follow) -> bool {
        let joints = &self.description.joints;
        let Follow::Joint { joint: driver, multiplier, offset } = follow else { return false };
        let (Some([min, max]), Some([low, high])) = (joints[index].limit, joints[driver].limit)
        else {
            return false;
        };
        let (a, b) = (multiplier * low + offset, multiplier * high + offset);
        let (from, to) = (a.min(b).max(min), a.max(b).min(max));
        // The ranges meet in a point; ranges that do not meet at all are an error of the skeleton's builder.
        let room = (a - b).abs();
        room > 0.0 && (to - from).abs() <= 1e-9 * room
    }

    /// Two slides in the plane normal to the axis, and a rotation about it. For the axis z the slides are along x and y; for another axis they are these,
    /// rotated by the smallest rotation from z.
    fn add_planar(&mut self, element: &JointElement<'_>, parent: usize) {
        let plane = shortest_rotation(DVec3::Z, element.axis);
        let name = |suffix: &str| format!("{}/{suffix}", element.name);
        let (x, y, turn) = (name("x"), name("y"), name("turn"));
        let (x, y, turn) = (self.fresh_name(x), self.fresh_name(y), self.fresh_name(turn));
        let first = self.list.len();
        self.list.push(
            Joint::prismatic(x, plane * DVec3::X).child_of(parent).at(element.parent_from_joint),
        );
        self.list.push(Joint::prismatic(y, plane * DVec3::Y).child_of(first));
        self.list.push(Joint::revolute(turn, element.axis).child_of(first + 1));
    }
}

/// The number of skeleton joints made from a joint.
const fn n_skeleton_joints(kind: RobotJointKind) -> usize {
    if matches!(kind, RobotJointKind::Planar) { 3 } else { 1 }
}

/// The motion of a joint with one value.
fn motion(element: &JointElement<'_>, value: f64) -> Pose {
    match element.kind {
        RobotJointKind::Prismatic => Pose::from_translation(element.axis * value),
        _ => Pose::from_rotation(rotation_about(element.axis, value)),
    }
}
