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

/// A finger of a gripper has so many joints at most,
const OF_FINGER: usize = 2;

/// and the arm that carries it so many at least.
const OF_ARM: usize = 3;

/// A frame has no more mass \[kg\]: files give it a little, as simulators refuse none.
const OF_FRAME: f64 = 1e-6;

/// The names of the links without children that a joint moves: hands, fingers, feet.
#[must_use]
pub fn end_links(robot: &Robot) -> Vec<&str> {
    Ends::new(robot).ends.iter().map(|&end| robot.links()[end].name.as_str()).collect()
}

/// The link that holds the tool where nobody names one: that of the only end effector, the only one of the [`end_links`], or, where all of these are of one gripper, the frame that is
/// fixed to its palm.
///
/// The fingers of a gripper have a joint or two, and the arm that carries it three at least. A frame is a link without mass, or a milligram; where none is fixed to the palm, or several are, the palm
/// holds the tool.
#[must_use]
pub fn only_tip(robot: &Robot) -> Option<&str> {
    let tip = if let [one] = robot.end_effectors() {
        one.parent_link
    } else {
        let ends = Ends::new(robot);
        let palm = ends.ends.iter().find_map(|&end| ends.palm(end));
        let tip = palm.map_or_else(|| ends.ends.first().copied(), |palm| Some(ends.tool(palm)))?;
        let is_of_it = |&end: &usize| end == tip || palm.is_some() && ends.palm(end) == palm;
        ends.ends.iter().all(is_of_it).then_some(tip)?
    };
    Some(&robot.links()[tip].name)
}

/// The links at the ends of a robot.
struct Ends<'r> {
    robot: &'r Robot,
    /// Of each link, how many links are on it.
    n_children: Vec<usize>,
    /// Of each link, how many joints between it and the root move.
    n_moving: Vec<usize>,
    /// The links without children that move.
    ends: Vec<usize>,
}

impl<'r> Ends<'r> {
    fn new(robot: &'r Robot) -> Self {
        let (skeleton, links) = (robot.skeleton(), robot.links());
        let mut n_children = vec![0; links.len()];
        links.iter().filter_map(|link| link.parent).for_each(|parent| n_children[parent] += 1);
        let mut of_joints = Vec::with_capacity(skeleton.n_joints());
        for joint in 0..skeleton.n_joints() {
            let above = skeleton.parent(joint).map_or(0, |parent| of_joints[parent]);
            of_joints.push(above + usize::from(skeleton.kind(joint).n_dofs() > 0));
        }
        let n_moving = links.iter().map(|link| of_joints[link.skeleton_joint]).collect::<Vec<_>>();
        let is_end = |&link: &usize| n_children[link] == 0 && n_moving[link] > 0;
        let ends = (0..links.len()).filter(is_end).collect();
        Self { robot, n_children, n_moving, ends }
    }

    /// The links above one, the nearest first.
    fn above(&self, link: usize) -> impl Iterator<Item = usize> + use<'r> {
        let links = self.robot.links();
        core::iter::successors(links[link].parent, |&link| links[link].parent)
    }

    /// What an end is on if it is a finger of a gripper.
    fn palm(&self, end: usize) -> Option<usize> {
        let palm = self.above(end).find(|&link| self.n_children[link] > 1)?;
        let of_arm = self.n_moving[palm];
        let of_finger = self.n_moving[end].checked_sub(of_arm)?;
        ((1..=OF_FINGER).contains(&of_finger) && of_arm >= OF_ARM).then_some(palm)
    }

    /// The one frame that is fixed to a palm, or the palm. A link with mass, such as a camera, is no frame.
    fn tool(&self, palm: usize) -> usize {
        let is_fixed = |&end: &usize| {
            self.n_moving[end] == self.n_moving[palm]
                && self.robot.links()[end].mass <= OF_FRAME
                && self.above(end).any(|link| link == palm)
        };
        let mut fixed = self.ends.iter().copied().filter(is_fixed);
        fixed.next().filter(|_| fixed.next().is_none()).unwrap_or(palm)
    }
}

/// A figure of a robot with a pose task for a link; its target is the pose in the neutral configuration.
///
/// - `path`: the path of the robot's file in the figure
/// - `tip`: the link; by default the one at an end that the most joints move, the first of several in the file; for a finger of a gripper what [`only_tip`] takes
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
        None => farthest_tip(robot),
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

fn farthest_tip(robot: &Robot) -> &str {
    let ends = Ends::new(robot);
    // `max_by_key` would take the last of several.
    let farthest = ends.ends.iter().rev().copied().max_by_key(|&end| ends.n_moving[end]);
    let tip = farthest.map(|end| ends.palm(end).map_or(end, |palm| ends.tool(palm)));
    tip.map_or(&robot.root_link().name, |tip| &robot.links()[tip].name)
}
