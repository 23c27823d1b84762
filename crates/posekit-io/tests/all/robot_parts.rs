//! Robots from plain data: what is refused, and with which name.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;
use posekit::skeleton::{Joint, Skeleton};
use posekit_io::Robot;
use posekit_io::robot::{
    DisabledPair, Geometry, RobotFrame, RobotGroup, RobotJoint, RobotJointKind, RobotLink,
    RobotParts, RobotShape, RobotState, StateValues,
};

/// A base and an arm on a hinge.
fn parts() -> RobotParts {
    let mut builder = Skeleton::builder();
    let base = builder.add(Joint::fixed("base"));
    builder.add(Joint::revolute("hinge", DVec3::Z).child_of(base));
    let link = |name: &str, skeleton_joint, parent| RobotLink {
        name: name.into(),
        skeleton_joint,
        parent,
        mass: 1.0,
        center_in_link: DVec3::X,
    };
    let joint = RobotJoint {
        name: "hinge".into(),
        kind: RobotJointKind::Continuous,
        parent_link: 0,
        child_link: 1,
        skeleton_joints: 1..2,
        max_speed: 2.0,
        is_passive: false,
    };
    let links = vec![link("base", 0, None), link("arm", 1, Some(0))];
    RobotParts::new("r", builder.build().unwrap(), links, vec![joint])
}

fn shape(geometry: Geometry) -> RobotShape {
    RobotShape { name: String::new(), link: 1, link_from_shape: Pose::IDENTITY, geometry }
}

#[test]
fn a_robot_gives_back_its_parts() {
    let mut parts = parts();
    let offset = Pose::from_translation(DVec3::Y);
    let frame = |name: &str| RobotFrame { name: name.into(), link: 1, link_from_frame: offset };
    parts.frames = vec![frame("tool"), frame("base")];
    parts.shapes = vec![shape(Geometry::Sphere { radius: 0.1 })];
    let robot = Robot::try_new(parts).unwrap();
    assert_eq!((robot.find_link("arm"), robot.find_joint("hinge")), (Some(1), Some(0)));
    assert_eq!((robot.velocity_limits(), robot.bodies().len()), (&[2.0][..], 2));
    assert_eq!(robot.frame("tool").unwrap().joint_from_frame, offset);
    assert_eq!(robot.frame("base").unwrap(), robot.link_frame(0), "a link goes first");
    assert!(robot.frame("nothing").is_none());
    let again = Robot::try_new(robot.clone().into_parts()).unwrap();
    assert_eq!(again.links(), robot.links());
}

#[test]
fn faults_are_named() {
    type Change = fn(&mut RobotParts);
    let changes: [(Change, &str); 20] = [
        (|p| p.links.clear(), "links: no link is the root"),
        (|p| p.links[1].parent = None, "links[1].parent: a second root"),
        (|p| p.links[1].parent = Some(1), "links[1].parent: the links form a loop"),
        (|p| p.links[1].parent = Some(9), "links[1].parent: 9 is not below 2"),
        (|p| p.links[1].name = "base".into(), "links[1].name: links[0] has the name `base` too"),
        (|p| p.links[1].name.clear(), "links[1].name: the name is empty"),
        (|p| p.links[1].skeleton_joint = 2, "links[1].skeleton_joint: 2 is not below 2"),
        (|p| p.links[1].mass = -1.0, "links[1].mass: -1 is not within"),
        (|p| p.links[1].center_in_link.x = f64::NAN, "links[1].center_in_link: NaN"),
        (|p| p.joints[0].skeleton_joints = 1..3, "joints[0].skeleton_joints: 1..3"),
        (|p| p.joints[0].child_link = 2, "joints[0].child_link: 2 is not below 2"),
        (|p| p.joints[0].max_speed = 0.0, "joints[0].max_speed: 0 is not above 0"),
        (|p| p.joints[0].max_speed = f64::NAN, "joints[0].max_speed: NaN is not above 0"),
        (
            |p| p.shapes = vec![shape(Geometry::Sphere { radius: -1.0 })],
            "shapes[0].geometry: -1 is not within",
        ),
        (
            |p| p.shapes = vec![RobotShape { link: 7, ..shape(Geometry::HalfSpace) }],
            "shapes[0].link: 7 is not below 2",
        ),
        (
            |p| {
                let link_from_shape = Pose::from_rotation(DQuat::from_xyzw(0.0, 0.0, 0.0, 2.0));
                p.shapes = vec![RobotShape { link_from_shape, ..shape(Geometry::HalfSpace) }];
            },
            "shapes[0].link_from_shape: the rotation has length 2, not 1",
        ),
        (
            |p| {
                let group = RobotGroup { name: "g".into(), joints: vec![1], ..Default::default() };
                p.groups = vec![group];
            },
            "groups[0].joints: 1 is not below 1",
        ),
        (
            |p| {
                let values = vec![StateValues { joint: 0, values: vec![1.0, 2.0] }];
                p.states = vec![RobotState { name: "s".into(), group: None, values }];
            },
            "states[0].values: the joint `hinge` has 1 values, found 2",
        ),
        (
            |p| p.states = vec![RobotState { name: "s".into(), group: Some(0), values: vec![] }],
            "states[0].group: 0 is not below 0",
        ),
        (
            |p| p.disabled_pairs = vec![DisabledPair { links: [0, 2], reason: String::new() }],
            "disabled_pairs[0].links: 2 is not below 2",
        ),
    ];
    for (change, expected) in changes {
        let mut parts = parts();
        change(&mut parts);
        let message = Robot::try_new(parts).expect_err(expected).to_string();
        assert!(message.starts_with(expected), "`{message}`, expected `{expected}`");
    }
}
