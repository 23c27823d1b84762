//! From a tree of bodies to a robot.

use std::collections::BTreeSet;

use posekit::glam::DVec3;
use posekit::math::{Pose, rotation_about};
use posekit::skeleton::{Joint, Limit, Mimic, Skeleton};

use super::document::Model;
use super::equality::{ClosurePart, Follow, Relations};
use super::joint::{JointPart, Motion};
use super::names::Names;
use super::notes::Notes;
use super::tree::{ShapePart, Tree};
use crate::error::{Error, Result};
use crate::robot::{
    DisabledPair, Robot, RobotClosure, RobotFrame, RobotJoint, RobotJointKind, RobotLink,
    RobotParts, RobotShape, RobotState, RobotVisual,
};

pub(super) fn build_robot<'x>(
    mut tree: Tree<'x>,
    relations: Relations<'x>,
    states: Vec<RobotState>,
    model: &Model<'x>,
    notes: &mut Notes<'_, 'x>,
) -> Result<Robot> {
    name_the_unnamed(&mut tree);
    let mut plan = Plan::new(&tree);
    plan.couple(&tree, &relations, notes);
    let skeleton = Skeleton::try_new(plan.list).map_err(|error| located(error, &tree))?;
    let joints = joints(&tree, &plan.index_of_joint);
    let links = links(&tree, &plan.joint_of_body, model, notes);
    let mut parts = RobotParts::new(model.name, skeleton, links, joints);
    parts.states = states;
    parts.disabled_pairs = relations
        .excluded
        .into_iter()
        .map(|(links, reason)| DisabledPair { links, reason })
        .collect();
    for part in tree.shapes {
        let ShapePart { name, body: link, body_from_shape: link_from_shape, geometry, .. } = part;
        let shape = RobotShape { name, link, link_from_shape, geometry };
        if part.is_drawn {
            parts.visuals.push(RobotVisual { shape: shape.clone(), color: part.color });
        }
        if part.is_solid {
            parts.shapes.push(shape);
        }
    }
    parts.frames = tree
        .sites
        .into_iter()
        .filter(|site| !site.name.is_empty())
        .map(|site| RobotFrame {
            name: site.name,
            link: site.body,
            link_from_frame: site.body_from_site,
        })
        .collect();
    close_loops(Robot::try_new(parts)?, relations.closures)
}

/// Names unnamed elements: bodies `body3`, with their numbers in MuJoCo, and joints `NAME/hinge`, after their bodies.
fn name_the_unnamed(tree: &mut Tree<'_>) {
    let fresh = |names: &Names<'_>, given: &mut BTreeSet<String>, mut name: String| {
        while names.has(&name) || !given.insert(name.clone()) {
            name.push('_');
        }
        name
    };
    let mut given = BTreeSet::new();
    for (index, body) in tree.bodies.iter_mut().enumerate() {
        if body.name.is_empty() {
            body.name = fresh(&tree.body_names, &mut given, format!("body{index}"));
        }
    }
    let mut given = BTreeSet::new();
    for joint in &mut tree.joints {
        if joint.name.is_empty() {
            let name = format!("{}/{}", tree.bodies[joint.body].name, joint.motion.name());
            joint.name = fresh(&tree.joint_names, &mut given, name);
        }
    }
}

/// The skeleton's joints as they are planned.
struct Plan {
    list: Vec<Joint>,
    /// The joint whose frame is that of the body.
    joint_of_body: Vec<usize>,
    /// The joint of the skeleton that is made from each joint of the file.
    index_of_joint: Vec<usize>,
}

impl Plan {
    fn new(tree: &Tree<'_>) -> Self {
        // The joint of a body itself, if it needs one, has the body's name, unless another joint has it.
        let mut names: BTreeSet<&str> =
            tree.joints.iter().map(|joint| joint.name.as_str()).collect();
        let mut fresh: Vec<String> = Vec::with_capacity(tree.bodies.len());
        for body in &tree.bodies {
            let mut name = body.name.clone();
            while names.contains(name.as_str()) {
                name.push('_');
            }
            fresh.push(name);
        }
        names.clear();
        let mut plan =
            Self { list: Vec::new(), joint_of_body: Vec::new(), index_of_joint: Vec::new() };
        let mut joints_of = vec![Vec::new(); tree.bodies.len()];
        for (index, joint) in tree.joints.iter().enumerate() {
            joints_of[joint.body].push(index);
        }
        plan.index_of_joint = vec![0; tree.joints.len()];
        for (body, name) in fresh.into_iter().enumerate() {
            plan.add_body(tree, body, name, &joints_of[body]);
        }
        plan
    }

    /// The joints of a body, each about its anchor, and a fixed joint if the body's frame is not that of the last one.
    fn add_body(&mut self, tree: &Tree<'_>, body: usize, name: String, joints: &[usize]) {
        let part = &tree.bodies[body];
        let mut parent = part.parent.map(|parent| self.joint_of_body[parent]);
        let mut parent_from_body = part.parent_from_body;
        for &index in joints {
            let joint = &tree.joints[index];
            let (placement, joint_from_body) = placements(joint, parent_from_body);
            self.index_of_joint[index] = self.list.len();
            self.list.push(made(joint, parent, placement));
            parent = Some(self.list.len() - 1);
            parent_from_body = joint_from_body;
        }
        if joints.is_empty() || parent_from_body != Pose::IDENTITY {
            let joint = Joint::fixed(name).at(parent_from_body);
            self.list.push(child_of(joint, parent));
        }
        self.joint_of_body.push(self.list.len() - 1);
    }

    /// Couples mimic joints to their drivers.
    fn couple<'x>(
        &mut self,
        tree: &Tree<'x>,
        relations: &Relations<'x>,
        notes: &mut Notes<'_, 'x>,
    ) {
        for (follower, follow) in relations.follows.iter().enumerate() {
            let at = self.index_of_joint[follower];
            match *follow {
                None => {}
                Some(Follow::Value { element, value }) => {
                    let message = format!("`{}` is fixed at {value}", tree.joints[follower].name);
                    notes.warn(element, "an equality", message);
                    self.list[at].limit = Limit::Range { min: value, max: value };
                }
                Some(Follow::Joint { element, joint, multiplier, offset }) => {
                    let joint = self.index_of_joint[joint];
                    let mimic = Mimic { joint, multiplier, offset };
                    if leaves_no_room(self.list[at].limit, self.list[joint].limit, mimic) {
                        let [follower, driver] =
                            [at, joint].map(|joint| self.list[joint].name.clone());
                        let message = format!(
                            "the limits of `{follower}` would restrict `{driver}` to one value or none; they are ignored"
                        );
                        notes.warn(element, "an equality", message);
                        self.list[at].limit = Limit::None;
                    }
                    self.list[at].mimic = Some(mimic);
                }
            }
        }
    }
}

/// The placement of a joint on its predecessor, and of its body in the joint's frame.
///
/// A hinge and a ball rotate about the anchor. At the reference value of a hinge or a slide, the body is where the file draws it.
fn placements(joint: &JointPart<'_>, parent_from_body: Pose) -> (Pose, Pose) {
    let to = Pose::from_translation;
    let back = if joint.reference == 0.0 {
        Pose::IDENTITY
    } else if joint.motion == Motion::Slide {
        to(joint.axis * -joint.reference)
    } else {
        Pose::from_rotation(rotation_about(joint.axis, -joint.reference))
    };
    match joint.motion {
        // Its values are the pose in the world.
        Motion::Free => (Pose::IDENTITY, Pose::IDENTITY),
        Motion::Slide => (parent_from_body * back, Pose::IDENTITY),
        Motion::Ball | Motion::Hinge => {
            // Zero minus zero, so that a zero anchor gives exactly no displacement, including the sign.
            (parent_from_body * to(joint.anchor) * back, to(DVec3::ZERO - joint.anchor))
        }
    }
}

fn made(joint: &JointPart<'_>, parent: Option<usize>, parent_from_joint: Pose) -> Joint {
    let name = joint.name.as_str();
    let made = match joint.motion {
        Motion::Free => Joint::free(name),
        Motion::Ball => Joint::ball(name),
        Motion::Slide => Joint::prismatic(name, joint.axis),
        Motion::Hinge => Joint::revolute(name, joint.axis),
    };
    child_of(made.at(parent_from_joint).with_limit(joint.limit()), parent)
}

fn child_of(joint: Joint, parent: Option<usize>) -> Joint {
    match parent {
        Some(parent) => joint.child_of(parent),
        None => joint,
    }
}

/// Whether a mimic joint's limits restrict its driver to one value or none of those that the driver's own limits allow.
fn leaves_no_room(follower: Limit, driver: Limit, mimic: Mimic) -> bool {
    let ((min, max), (low, high)) = (follower.bounds(), driver.bounds());
    let (a, b) = (mimic.value(low), mimic.value(high));
    let (from, to) = (a.min(b).max(min), a.max(b).min(max));
    // This does not matter if the driver or the mimic joint does not move.
    let room = (a - b).abs();
    follower != Limit::None && room > 0.0 && to - from <= 1e-9 * room.min(max - min)
}

/// The place of errors that only the skeleton's builder can detect, such as limits of mimic joints that leave their driver no value.
fn located(error: posekit::Error, tree: &Tree<'_>) -> Error {
    match tree.joints.iter().find(|joint| error.joint() == Some(&joint.name)) {
        Some(joint) => Error::Value {
            place: joint.element.place(format!("joint `{}`", joint.name)),
            message: error.to_string(),
        },
        None => Error::Skeleton(error),
    }
}

fn joints(tree: &Tree<'_>, index_of_joint: &[usize]) -> Vec<RobotJoint> {
    let joint = |(joint, &at): (&JointPart<'_>, &usize)| RobotJoint {
        name: joint.name.clone(),
        kind: match (joint.motion, joint.range) {
            (Motion::Free, _) => RobotJointKind::Floating,
            (Motion::Ball, _) => RobotJointKind::Ball,
            (Motion::Slide, _) => RobotJointKind::Prismatic,
            (Motion::Hinge, Some(_)) => RobotJointKind::Revolute,
            (Motion::Hinge, None) => RobotJointKind::Continuous,
        },
        parent_link: tree.bodies[joint.body].parent.unwrap_or_default(),
        child_link: joint.body,
        skeleton_joints: at..at + 1,
        max_speed: f64::INFINITY,
        is_passive: false,
    };
    tree.joints.iter().zip(index_of_joint).map(joint).collect()
}

/// The links with their masses, scaled if the model gives their sum.
fn links<'x>(
    tree: &Tree<'x>,
    joint_of_body: &[usize],
    model: &Model<'x>,
    notes: &mut Notes<'_, 'x>,
) -> Vec<RobotLink> {
    let mut links = Vec::with_capacity(tree.bodies.len());
    for (body, &skeleton_joint) in tree.bodies.iter().zip(joint_of_body) {
        // The world has no mass.
        let mut weight = (0.0, DVec3::ZERO);
        if let Some(element) = body.element {
            let (mass, center, is_partial) = body.weight();
            weight = (mass, center);
            if is_partial {
                notes.count("too light, as their meshes are not read: ", "bodies", element);
            }
        }
        links.push(RobotLink {
            name: body.name.clone(),
            skeleton_joint,
            parent: body.parent,
            mass: weight.0,
            center_in_link: weight.1,
        });
    }
    let sum: f64 = links.iter().map(|link| link.mass).sum();
    if let Some(total) = model.compiler.total_mass.filter(|_| sum > 0.0) {
        links.iter_mut().for_each(|link| link.mass *= total / sum);
    }
    links
}

/// Adds the loops, whose frames coincide in the configuration in which the file draws the model.
fn close_loops(robot: Robot, closures: Vec<ClosurePart>) -> Result<Robot> {
    if closures.is_empty() {
        return Ok(robot);
    }
    let mut drawn = robot.zero_configuration();
    for value in robot.states().iter().take(1).flat_map(|state| &state.values) {
        let joint = robot.joints()[value.joint].skeleton_joints.start;
        drawn[robot.skeleton().value_range(joint)].copy_from_slice(&value.values);
    }
    let poses = robot.skeleton().poses(&drawn);
    let closure = |part: ClosurePart| {
        let [first, second] = part.bodies.map(|body| robot.link_frame(body).world(&poses));
        let frames = match part.body_from_frame {
            [Some(a), Some(b)] => [a, b],
            [Some(a), None] => [a, second.inverse() * first * a],
            [None, Some(b)] => [first.inverse() * second * b, b],
            [None, None] => [Pose::IDENTITY, second.inverse() * first],
        };
        RobotClosure {
            name: part.name,
            links: part.bodies,
            link_from_frame: frames,
            is_rigid: part.is_rigid,
        }
    };
    let closures = closures.into_iter().map(closure).collect();
    let mut parts = robot.into_parts();
    parts.closures = closures;
    Robot::try_new(parts)
}
