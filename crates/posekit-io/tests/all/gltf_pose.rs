//! Characters written in a pose.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use posekit::glam::DQuat;
use posekit::skeleton::JointKind;
use posekit_io::{Limits, Warnings, gltf};

use crate::common;

/// In every character of the assets, the pose that was written is the pose at rest that is read.
#[test]
fn a_pose_becomes_the_pose_at_rest() {
    let Some(assets) = common::assets() else { return };
    let limits = Limits::default();
    let read = |bytes: &[u8]| gltf::read_bytes(bytes, &limits, &mut Warnings::new());
    let mut n_posed = 0;
    for path in common::gltf_files(&assets) {
        let bytes = std::fs::read(&path).unwrap();
        let Ok(character) = read(&bytes) else { continue };
        let skeleton = character.skeleton();
        let mut q = skeleton.neutral();
        let mut turns = Vec::new();
        for joint in
            (0..skeleton.n_joints()).filter(|&joint| skeleton.kind(joint) == JointKind::Ball)
        {
            let turn = DQuat::from_euler(posekit::glam::EulerRot::XYZ, 0.3, -0.2, 0.1);
            q[skeleton.value_range(joint)].copy_from_slice(&turn.to_array());
            turns.push((character.node(joint), turn));
        }
        let posed = gltf::with_pose(&bytes, &turns, &limits).unwrap();
        let again = read(&posed).unwrap();
        let (wanted, found) =
            (skeleton.poses(&q), again.skeleton().poses(&again.skeleton().neutral()));
        let size = wanted.iter().map(|pose| pose.translation.length()).fold(1.0, f64::max);
        for (joint, (wanted, found)) in wanted.iter().zip(&found).enumerate() {
            let apart = (wanted.translation - found.translation).length();
            assert!(apart < 1e-5 * size, "{}, joint {joint}: {apart}", path.display());
            assert!(
                wanted.rotation.dot(found.rotation).abs() > 1.0 - 1e-9,
                "{}, joint {joint}",
                path.display()
            );
        }
        assert_eq!(gltf::with_pose(&bytes, &[], &limits).unwrap(), bytes, "{}", path.display());
        n_posed += usize::from(!turns.is_empty());
    }
    assert!(n_posed > 5, "{n_posed}");
}

#[test]
fn faults_name_the_node() {
    let text = r#"{ "asset": { "version": "2.0" }, "nodes": [ { "name": "arm" } ] }"#;
    let fault = |node, turn| {
        let turns = [(node, turn)];
        gltf::with_pose(text.as_bytes(), &turns, &Limits::default()).unwrap_err().to_string()
    };
    assert!(fault(1, DQuat::IDENTITY).contains("nodes[1]: there is no such node, only 1"));
    let message = fault(0, DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0));
    assert!(message.contains("nodes[0]: a rotation has length 0, not 1"), "{message}");
    let twice = [(0, DQuat::IDENTITY); 2];
    let message = gltf::with_pose(text.as_bytes(), &twice, &Limits::default()).unwrap_err();
    assert!(message.to_string().contains("nodes[0]: the node is given twice"), "{message}");
}
