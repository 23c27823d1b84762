//! Conversion between MuJoCo's `qpos` and posekit's configurations, which have the same values in the same order, except that MuJoCo's quaternions are w, x, y, z. And `<keyframe>`.

use posekit::skeleton::Skeleton;

use super::document::{Library, Model};
use super::joint::Motion;
use super::notes::Notes;
use super::placement::unit_quaternion;
use super::tree::Tree;
use super::words::subject;
use crate::error::Result;
use crate::robot::{DRAWN_STATE, RobotState, StateValues};

/// The configuration of a skeleton for MuJoCo's `qpos`; quaternions become x, y, z, w and of unit length.
///
/// # Degenerate cases
/// A zero quaternion becomes the identity, as in MuJoCo. `None` when there are not as many numbers as the skeleton has values.
#[must_use]
pub fn configuration_from_qpos(skeleton: &Skeleton, qpos: &[f64]) -> Option<Vec<f64>> {
    if qpos.len() != skeleton.n_values() {
        return None;
    }
    let mut q = qpos.to_vec();
    for joint in 0..skeleton.n_joints() {
        from_qpos(&mut q[skeleton.value_range(joint)]);
    }
    Some(q)
}

/// MuJoCo's `qpos` for a configuration of a skeleton; quaternions become w, x, y, z.
///
/// # Degenerate cases
/// `None` when there are not as many numbers as the skeleton has values.
#[must_use]
pub fn qpos_from_configuration(skeleton: &Skeleton, q: &[f64]) -> Option<Vec<f64>> {
    if q.len() != skeleton.n_values() {
        return None;
    }
    let mut qpos = q.to_vec();
    for joint in 0..skeleton.n_joints() {
        if let Some(quaternion) = qpos[skeleton.value_range(joint)].last_chunk_mut::<4>() {
            quaternion.rotate_right(1);
        }
    }
    Some(qpos)
}

/// The values of one joint; those of hinges and slides stay as they are.
fn from_qpos(values: &mut [f64]) {
    if let Some(quaternion) = values.last_chunk_mut::<4>() {
        *quaternion = unit_quaternion(*quaternion).map_or([0.0, 0.0, 0.0, 1.0], |q| q.to_array());
    }
}

/// The number of values of a joint.
const fn n_values(motion: Motion) -> usize {
    match motion {
        Motion::Free => 7,
        Motion::Ball => 4,
        Motion::Slide | Motion::Hinge => 1,
    }
}

/// The state in which the file draws the model, then those of its keyframes.
pub(super) fn states<'x>(
    tree: &Tree<'x>,
    library: &Library<'x>,
    model: &Model<'x>,
    notes: &mut Notes<'_, 'x>,
) -> Result<Vec<RobotState>> {
    const KNOWN: [&str; 8] = ["act", "ctrl", "mpos", "mquat", "name", "qpos", "qvel", "time"];
    let mut states =
        vec![RobotState { name: DRAWN_STATE.into(), group: None, values: drawn(tree) }];
    let n_values: usize = tree.joints.iter().map(|joint| n_values(joint.motion)).sum();
    for (index, key) in model.inside("keyframe", library).into_iter().enumerate() {
        if key.tag() != "key" {
            notes.unknown_tag(key);
            continue;
        }
        let subject = subject(key);
        notes.check_attributes(key, &KNOWN);
        let Some(qpos) = key.number_list("qpos", &subject, n_values)? else {
            notes.warn(key, &subject, "the keyframe has no `qpos`; it is not read");
            continue;
        };
        if qpos.len() != n_values {
            let message = format!("expected {n_values} numbers in `qpos`, found {}", qpos.len());
            return Err(key.invalid("qpos", &subject, message));
        }
        if key.has("mpos") || key.has("mquat") {
            notes.warn(key, &subject, "`mpos` and `mquat` of mocap bodies are not read");
        }
        let name = match key.attribute("name", &subject)? {
            Some(name) if !name.is_empty() => name.to_owned(),
            _ => format!("key{index}"),
        };
        states.push(RobotState { name, group: None, values: split(tree, &qpos) });
    }
    Ok(states)
}

/// The values of each joint.
fn split(tree: &Tree<'_>, qpos: &[f64]) -> Vec<StateValues> {
    let mut rest = qpos;
    let of_joint = |(joint, part): (usize, &super::joint::JointPart<'_>)| {
        let (own, others) = rest.split_at(n_values(part.motion));
        rest = others;
        let mut values = own.to_vec();
        from_qpos(&mut values);
        StateValues { joint, values }
    };
    tree.joints.iter().enumerate().map(of_joint).collect()
}

/// The values of the drawn configuration.
fn drawn(tree: &Tree<'_>) -> Vec<StateValues> {
    let of_joint = |(joint, part): (usize, &super::joint::JointPart<'_>)| {
        let values = match part.motion {
            Motion::Free => {
                let pose = tree.bodies[part.body].parent_from_body;
                [&pose.translation.to_array()[..], &pose.rotation.to_array()].concat()
            }
            Motion::Ball => vec![0.0, 0.0, 0.0, 1.0],
            Motion::Slide | Motion::Hinge => vec![part.reference],
        };
        StateValues { joint, values }
    };
    tree.joints.iter().enumerate().map(of_joint).collect()
}
