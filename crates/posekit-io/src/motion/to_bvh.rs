//! Writes any clip as a BVH.

use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;
use posekit::skeleton::{JointKind, Skeleton};
use posekit_motion::Clip;

use crate::bvh::{Axis, Channel, Convention, File, Node, Positions, Rig, rule_of, survey};
use crate::error::Result;
use crate::warnings::Warnings;

/// The most common order of rotations.
const TURNS: [Axis; 3] = [Axis::Z, Axis::X, Axis::Y];

/// Names end at a ` {` and at line ends, which are replaced by these.
const STAND_IN: char = '_';

/// A clip as a BVH, in the clip's unit and with its up axis, neither of which the format can store.
///
/// Frames of a BVH are parallel to the world's at rest; offsets and rotations are converted accordingly, so that every joint is where it was. All joints have
/// three rotation channels, roots and joints that translate on their parent also positions, which replace the offsets; the offsets of roots are zero, so that
/// both [rules](Positions) for positions agree there. So are those of other joints with positions for which a [survey](crate::bvh::survey) would not guess
/// the rule, as in a figure that sits all the time, with its hips closer to zero than to their offset at rest.
///
/// # Errors
/// [`Error::Value`](crate::Error::Value) for lengths beyond single precision and a name that is blank; [`Error::Skeleton`](crate::Error::Skeleton) for lengths
/// beyond the range of the library.
pub fn to_bvh(clip: &Clip) -> Result<File> {
    let skeleton = clip.skeleton();
    let (order, rests) = (depth_first(skeleton), rests(skeleton));
    let nodes = nodes(skeleton, &order, &rests);
    let file = File::try_new(nodes, clip.frame_time(), Vec::new())?;
    let convention = Convention::default().with_positions(Positions::FromParent);
    let rig = Rig::try_new(&file, &convention, &mut Warnings::new())?;
    let mut configurations = Vec::with_capacity(rig.skeleton().n_values() * clip.n_frames());
    let mut poses = vec![Pose::IDENTITY; skeleton.n_joints()];
    for frame in 0..clip.n_frames() {
        skeleton.forward_kinematics(clip.frame(frame), &mut poses);
        let turned: Vec<Pose> = poses
            .iter()
            .zip(&rests)
            .map(|(pose, rest)| {
                Pose::new(pose.rotation * rest.rotation.conjugate(), pose.translation)
            })
            .collect();
        for (joint, &old) in order.iter().enumerate() {
            let local = match skeleton.parent(old) {
                Some(above) => turned[above].inverse() * turned[old],
                None => turned[old],
            };
            if rig.skeleton().kind(joint) == JointKind::Free {
                let offset = rig.skeleton().parent_from_joint(joint).translation;
                configurations.extend((local.translation - offset).to_array());
            }
            configurations.extend(unit(local.rotation).to_array());
        }
    }
    let near = vec![0.0; file.n_channels()];
    let (rows, _) = rig.rows(&configurations, &near)?;
    without_doubt(file.with_values(rows)?)
}

/// The same motion such that readers guess the rule for positions correctly: if the offsets would mislead them, those that contradict
/// the rule are set to zero, where both rules agree.
///
/// No other offsets are changed: they are the figure at rest, to which other programs apply motions.
fn without_doubt(file: File) -> Result<File> {
    let meant = Some(Positions::FromParent);
    if file.n_frames() == 0 || survey(&file).positions == meant {
        return Ok(file);
    }
    let mut nodes = file.nodes().to_vec();
    for (index, node) in nodes.iter_mut().enumerate() {
        let has_positions =
            node.channels.iter().any(|channel| matches!(channel, Channel::Position(_)));
        if has_positions && rule_of(&file, index, node) != meant {
            node.offset = DVec3::ZERO;
        }
    }
    File::try_new(nodes, file.frame_time(), file.values().to_vec())
}

/// Normalised, because products of many rotations drift from unit length.
fn unit(rotation: DQuat) -> DQuat {
    rotation / rotation.length()
}

/// All joints at rest.
fn rests(skeleton: &Skeleton) -> Vec<Pose> {
    skeleton.poses(&skeleton.neutral())
}

/// Joints in depth-first order.
fn depth_first(skeleton: &Skeleton) -> Vec<usize> {
    let n = skeleton.n_joints();
    let mut ahead: Vec<usize> =
        (0..n).rev().filter(|&joint| skeleton.parent(joint).is_none()).collect();
    let mut order = Vec::with_capacity(n);
    while let Some(joint) = ahead.pop() {
        order.push(joint);
        ahead.extend(skeleton.children(joint).iter().rev());
    }
    order
}

fn nodes(skeleton: &Skeleton, order: &[usize], rests: &[Pose]) -> Vec<Node> {
    let mut place_of = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, &joint)| place_of[joint] = place);
    let turns = TURNS.map(Channel::Rotation);
    let node = |&joint: &usize| {
        let parent = skeleton.parent(joint);
        let moves = matches!(skeleton.kind(joint), JointKind::Free | JointKind::Prismatic { .. });
        let places = if parent.is_none() || moves { &Axis::ALL[..] } else { &[] };
        let offset = match parent {
            Some(above) => rests[joint].translation - rests[above].translation,
            None => DVec3::ZERO,
        };
        Node {
            name: writable(skeleton.name(joint)).into_bytes(),
            parent: parent.map(|above| place_of[above]),
            offset,
            channels: places.iter().copied().map(Channel::Position).chain(turns).collect(),
            is_end_site: false,
        }
    };
    order.iter().map(node).collect()
}

/// A name that a file can contain.
fn writable(name: &str) -> String {
    let plain = name.trim_matches(|c: char| c.is_whitespace() || c.is_control());
    let replaced = |c: char| if matches!(c, '\n' | '\r' | '\0' | '{') { STAND_IN } else { c };
    plain.chars().map(replaced).collect()
}
