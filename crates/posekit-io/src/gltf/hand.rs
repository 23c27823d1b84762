//! Hands of `WebXR`, whose joints are siblings.

use posekit::skeleton::{JointKind, Skeleton};

use crate::error::Result;

/// The joint that carries the fingers.
pub(crate) const WRIST: &str = "wrist";

/// The fingers of the `WebXR` Hand Input Module, and the joints of each from the wrist out; a thumb has no intermediate phalanx.
const FINGERS: [&str; 5] =
    ["thumb", "index-finger", "middle-finger", "ring-finger", "pinky-finger"];
const JOINTS: [&str; 5] =
    ["metacarpal", "phalanx-proximal", "phalanx-intermediate", "phalanx-distal", "tip"];

/// The same skeleton with the fingers of a hand as chains below its wrist, if all joints are siblings: the standard provides every
/// joint separately, and its models are made accordingly. The names of the joints determine the hierarchy. The rest pose is unchanged.
///
/// `None` for other skeletons, including hands that have a hierarchy already.
pub(crate) fn with_fingers_hung(skeleton: &Skeleton) -> Result<Option<Skeleton>> {
    let Some(parents) = parents_by_name(skeleton) else { return Ok(None) };
    let order = parents_first(&parents);
    let world = skeleton.poses(&skeleton.neutral());
    let mut place_of = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, &joint)| place_of[joint] = place);
    let joint = |&index: &usize| {
        let mut joint = skeleton.joint(index);
        let parent = parents[index];
        if let Some(parent) = parent.filter(|_| parent != joint.parent) {
            joint.parent_from_joint = world[parent].inverse() * world[index];
        }
        joint.parent = parent.map(|parent| place_of[parent]);
        joint.mimic = None;
        joint
    };
    Ok(Some(Skeleton::try_new(order.iter().map(joint).collect())?))
}

/// The parent of each joint by the names; `None` unless all joints of one hand exist, each movable and without a movable ancestor.
fn parents_by_name(skeleton: &Skeleton) -> Option<Vec<Option<usize>>> {
    let mut parents: Vec<Option<usize>> =
        (0..skeleton.n_joints()).map(|joint| skeleton.parent(joint)).collect();
    let moves = |joint: usize| skeleton.kind(joint).n_dofs() > 0;
    let stands_alone = |joint: usize| {
        skeleton.kind(joint) == JointKind::Ball && !skeleton.ancestors(joint).skip(1).any(moves)
    };
    let wrist = skeleton.find(WRIST).filter(|&joint| stands_alone(joint))?;
    for finger in FINGERS {
        let mut above = wrist;
        for name in JOINTS {
            if finger == "thumb" && name == "phalanx-intermediate" {
                continue;
            }
            let joint = skeleton.find(&format!("{finger}-{name}"));
            let joint = joint.filter(|&joint| stands_alone(joint))?;
            parents[joint] = Some(above);
            above = joint;
        }
    }
    Some(parents)
}

/// All joints, parents first, otherwise in their order.
fn parents_first(parents: &[Option<usize>]) -> Vec<usize> {
    let mut children = vec![Vec::new(); parents.len()];
    let mut ahead = Vec::new();
    for (joint, parent) in parents.iter().enumerate().rev() {
        match parent {
            Some(parent) => children[*parent].push(joint),
            None => ahead.push(joint),
        }
    }
    let mut order = Vec::with_capacity(parents.len());
    while let Some(joint) = ahead.pop() {
        order.push(joint);
        ahead.extend(&children[joint]);
    }
    order
}

#[cfg(test)]
mod tests {
    use posekit::glam::{DQuat, DVec3};
    use posekit::math::Pose;
    use posekit::skeleton::Joint;

    use super::*;

    /// The joints of a hand beside each other on an armature, those of each finger from the tip in.
    fn flat() -> Vec<Joint> {
        let mut joints = vec![Joint::fixed("armature")];
        let mut along = 0.0;
        for finger in FINGERS {
            for name in JOINTS.iter().rev() {
                if finger == "thumb" && *name == "phalanx-intermediate" {
                    continue;
                }
                along += 0.125;
                let turn = DQuat::from_xyzw(0.0, 0.6, 0.0, 0.8);
                let pose = Pose::new(turn, DVec3::new(along, 0.25, 1.0 - along));
                joints.push(Joint::ball(format!("{finger}-{name}")).child_of(0).at(pose));
            }
        }
        joints.push(Joint::ball(WRIST).child_of(0));
        joints
    }

    #[test]
    fn fingers_are_hung_on_the_wrist_and_stay_where_they_are() {
        let beside = Skeleton::try_new(flat()).unwrap();
        let hand = with_fingers_hung(&beside).unwrap().unwrap();
        assert_eq!(hand.n_joints(), beside.n_joints());
        let above = |name: &str| {
            let joint = hand.find(name).unwrap();
            hand.parent(joint).map(|parent| hand.name(parent))
        };
        assert_eq!(above("wrist"), Some("armature"));
        assert_eq!(above("pinky-finger-metacarpal"), Some("wrist"));
        assert_eq!(above("thumb-phalanx-distal"), Some("thumb-phalanx-proximal"));
        assert_eq!(above("ring-finger-tip"), Some("ring-finger-phalanx-distal"));
        let (old, new) = (beside.poses(&beside.neutral()), hand.poses(&hand.neutral()));
        for joint in 0..hand.n_joints() {
            let was = old[beside.find(hand.name(joint)).unwrap()];
            assert!(was.translation.distance(new[joint].translation) < 1e-12, "{joint}");
            assert!(was.rotation.dot(new[joint].rotation).abs() > 1.0 - 1e-12, "{joint}");
        }
    }

    #[test]
    fn other_skeletons_stay_as_they_are() {
        let without_a_tip: Vec<Joint> =
            flat().into_iter().filter(|joint| joint.name != "thumb-tip").collect();
        let mut hanging = flat();
        let wrist = hanging.len() - 1;
        hanging.push(Joint::ball("palm").child_of(wrist));
        hanging[wrist].name = "palm".to_owned();
        hanging[wrist + 1].name = WRIST.to_owned();
        for joints in [without_a_tip, hanging] {
            let skeleton = Skeleton::try_new(joints).unwrap();
            assert!(with_fingers_hung(&skeleton).unwrap().is_none());
        }
    }
}
