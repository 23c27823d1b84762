//! Robots and characters with a target for a tip.

use posekit::math::Pose;
use posekit::skeleton::Skeleton;

use crate::error::{Error, Place, Result};
use crate::figure::{
    FigureFrame, FigureGoal, FigurePose, FigureProblem, FigureRoot, FigureSettings, FigureSkeleton,
    FigureTask, FrameOwner,
};
use crate::free_root::with_free;
use crate::gltf::{Character, WRIST, with_fingers_hung};
use crate::robot::Robot;
use crate::warnings::Warnings;

use super::written::joints_of;

/// The names of the links without children that a joint moves: hands, tools, feet.
#[must_use]
pub fn end_links(robot: &Robot) -> Vec<&str> {
    let mut has_child = vec![false; robot.links().len()];
    for parent in robot.links().iter().filter_map(|link| link.parent) {
        has_child[parent] = true;
    }
    let ends = robot.links().iter().zip(has_child).filter(|(_, has_child)| !has_child);
    ends.map(|(link, _)| link.name.as_str()).filter(|name| n_moving_link(robot, name) > 0).collect()
}

/// The link that holds the tool where nobody names one: that of the only end effector, or the only one of the [`end_links`].
#[must_use]
pub fn only_tip(robot: &Robot) -> Option<&str> {
    match (robot.end_effectors(), &*end_links(robot)) {
        ([one], _) => Some(&robot.links()[one.parent_link].name),
        (_, [one]) => Some(one),
        _ => None,
    }
}

/// A figure of a robot with a pose task for a link; its target is the pose in the neutral configuration.
///
/// - `path`: the path of the robot's file in the figure
/// - `tip`: the link; by default the one at an end that the most joints move, the first of several in the file
///
/// # Errors
/// [`Error::NoSuchName`] for an unknown link; [`Error::Value`] for one that no joint moves.
pub fn tip_problem(
    robot: &Robot,
    path: &str,
    tip: Option<&str>,
    has_free_root: bool,
) -> Result<FigureProblem> {
    let link = match tip {
        Some(name) => name,
        None => farthest_end(robot),
    };
    let Some(frame) = robot.frame(link) else {
        let place = Place::named("tip");
        return Err(Error::NoSuchName { place, kind: "link", name: link.to_owned() });
    };
    let skeleton = robot.skeleton();
    if !has_free_root && n_moving(skeleton, frame.joint) == 0 {
        let message = format!("no joint moves the link `{link}`");
        return Err(Error::Value { place: Place::named("tip"), message });
    }
    let Pose { rotation, translation } = frame.world(&skeleton.poses(&skeleton.neutral()));
    let pose = FigurePose {
        target: Some(translation.to_array()),
        orientation: Some(rotation.to_array()),
        along: None,
        about: None,
    };
    let owner = FrameOwner::Link(link.to_owned());
    let frame = FigureFrame { on: owner, position: None, rotation: None };
    Ok(FigureProblem {
        skeleton: FigureSkeleton::Robot {
            urdf: path.to_owned(),
            root: if has_free_root { FigureRoot::Free } else { FigureRoot::Pinned },
        },
        bodies: None,
        start: Vec::new(),
        tasks: vec![FigureTask {
            name: Some(link.to_owned()),
            goal: FigureGoal::Pose { frame, pose },
            weight: None,
            level: None,
        }],
        settings: FigureSettings::default(),
    })
}

/// A figure of a character, with its joints in the figure, and a position task for one of them; its target is the position at rest.
///
/// The joints of a hand of `WebXR`, which are siblings in their file, become a hierarchy by their names, with a warning.
///
/// - `tip`: the joint; by default the one at an end that the most joints move, the first of several in the file
///
/// # Errors
/// [`Error::NoSuchName`] for an unknown joint; [`Error::Value`] for one that no joint moves.
pub fn character_problem(
    character: &Character,
    tip: Option<&str>,
    has_free_root: bool,
    warnings: &mut Warnings,
) -> Result<FigureProblem> {
    let hand = with_fingers_hung(character.skeleton())?;
    if hand.is_some() {
        let message =
            "the joints of the hand are siblings; their hierarchy follows from their WebXR names";
        warnings.push(Place::named("nodes"), message);
    }
    let whole = match (hand, has_free_root) {
        (Some(hand), true) => with_free(&hand, |joint| hand.name(joint) == WRIST)?,
        (Some(hand), false) => hand,
        (None, true) => character.with_free_root()?.skeleton().clone(),
        (None, false) => character.skeleton().clone(),
    };
    let skeleton = &whole;
    let place = || Place::named("tip");
    let joint = match tip {
        Some(name) => skeleton.find(name).ok_or_else(|| Error::NoSuchName {
            place: place(),
            kind: "joint",
            name: name.to_owned(),
        })?,
        None => farthest_joint(skeleton),
    };
    let name = skeleton.name(joint).to_owned();
    // A ball at the tip itself rotates it but does not move it.
    let movers = skeleton.ancestors(joint).skip(1);
    if movers.filter(|&mover| skeleton.kind(mover).n_dofs() > 0).count() == 0 {
        let message = format!("no joint moves the joint `{name}`");
        return Err(Error::Value { place: place(), message });
    }
    let target = skeleton.poses(&skeleton.neutral())[joint].translation.to_array();
    let frame = FigureFrame { on: FrameOwner::Joint(name.clone()), position: None, rotation: None };
    Ok(FigureProblem {
        skeleton: FigureSkeleton::Joints { joints: joints_of(skeleton) },
        bodies: None,
        start: Vec::new(),
        tasks: vec![FigureTask {
            name: Some(name),
            goal: FigureGoal::Position { frame, target },
            weight: None,
            level: None,
        }],
        settings: FigureSettings::default(),
    })
}

/// The joint at an end that the most joints move, the first of several.
fn farthest_joint(skeleton: &Skeleton) -> usize {
    let ends = (0..skeleton.n_joints()).filter(|&joint| skeleton.children(joint).is_empty());
    // `max_by_key` would take the last of several.
    ends.rev().max_by_key(|&joint| n_moving(skeleton, joint)).unwrap_or(0)
}

/// The number of movable joints between a link's joint and the root.
fn n_moving(skeleton: &Skeleton, joint: usize) -> usize {
    skeleton.ancestors(joint).filter(|&joint| skeleton.kind(joint).n_dofs() > 0).count()
}

/// The number of movable joints between a link and the root.
fn n_moving_link(robot: &Robot, link: &str) -> usize {
    robot.frame(link).map_or(0, |frame| n_moving(robot.skeleton(), frame.joint))
}

fn farthest_end(robot: &Robot) -> &str {
    let mut ends = end_links(robot);
    // `max_by_key` would take the last of several.
    ends.reverse();
    let farthest = ends.into_iter().max_by_key(|name| n_moving_link(robot, name));
    farthest.unwrap_or(&robot.root_link().name)
}
