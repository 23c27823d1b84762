//! The aiming joint, hazard by hazard; the names follow the tests of ozz's aim job. The ray is rebuilt from the correction.
#![allow(
    clippy::missing_assert_message,
    reason = "the condition is the message; the failing line is printed"
)]

use crate::limb_support;

use limb_support::{angle, unit};
use posekit::glam::{DQuat, DVec3};
use posekit::limb::{Aim, AimSolution, Reach};
use posekit::math::{Pose, rotation_about};
use proptest::prelude::*;

/// Start and direction of the ray after the correction.
fn ray(aim: &Aim, solution: &AimSolution) -> (DVec3, DVec3) {
    let rotation = solution.correction * aim.model_from_joint.rotation;
    let start = aim.model_from_joint.translation + rotation * aim.offset;
    (start, rotation * unit(aim.forward))
}

/// Distance from the target to the ray.
fn miss(aim: &Aim, solution: &AimSolution) -> f64 {
    let (start, forward) = ray(aim, solution);
    let to_target = aim.target - start;
    (to_target - forward * to_target.dot(forward).max(0.0)).length()
}

fn assert_sound(aim: &Aim, solution: &AimSolution) {
    assert!((solution.correction.length() - 1.0).abs() < 1e-14, "{aim:?} gave {solution:?}");
    assert!(solution.correction.w >= 0.0, "{aim:?} gave {solution:?}");
    let size =
        aim.target.length() + aim.model_from_joint.translation.length() + aim.offset.length();
    assert!((miss(aim, solution) - solution.error).abs() < 1e-13 * size, "{aim:?} {solution:?}");
}

fn head() -> Aim {
    Aim::new(Pose::from_translation(DVec3::new(0.3, 1.6, -0.2)), DVec3::new(2.0, 0.5, 1.0))
}

#[test]
fn job_validity() {
    let poison = DVec3::new(0.0, 0.0, f64::NAN);
    let cases = [
        ("position", 2, Aim::new(Pose::from_translation(poison), DVec3::X)),
        ("target", 2, head().with_target(poison)),
        ("forward", 2, head().with_forward(poison)),
        ("offset", 2, head().with_offset(poison)),
        ("up", 2, head().with_up(poison)),
        ("pole", 2, head().with_pole(poison)),
        ("twist", 0, head().with_twist(f64::INFINITY)),
        ("weight", 0, head().with_weight(f64::NAN)),
    ];
    for (what, index, aim) in cases {
        assert_eq!(
            aim.solve().unwrap_err().to_string(),
            format!("{what} is not finite (element {index})")
        );
    }
    let aim = head().with_forward(DVec3::ZERO);
    assert_eq!(aim.solve().unwrap_err().to_string(), "forward has length zero");
}

#[test]
fn joint_correction() {
    let rotations = [DQuat::IDENTITY, rotation_about(unit(DVec3::new(1.0, 2.0, -1.0)), 2.0)];
    for rotation in rotations {
        for target in [DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y, DVec3::Z, -DVec3::Z] {
            for forward in [DVec3::X, DVec3::Z * 5.0, DVec3::new(0.3, -0.4, 0.1)] {
                let pose = Pose::new(rotation, DVec3::new(0.1, 0.2, 0.3));
                let aim = Aim::new(pose, pose.translation + target).with_forward(forward);
                let solution = aim.solve().unwrap();
                assert_sound(&aim, &solution);
                assert!(solution.reach.is_reached() && solution.error < 2e-15);
                // Without a pole nothing is turned about the line of sight.
                let old = rotation * unit(forward);
                assert!(solution.correction.xyz().dot(old).abs() < 1e-15);
            }
        }
    }
}

#[test]
fn forward() {
    // Already aimed: nothing turns.
    let aim = Aim::new(Pose::IDENTITY, DVec3::Z * 3.0);
    assert!(angle(aim.solve().unwrap().correction) < 1e-15);
}

#[test]
fn up_and_pole() {
    for pole in [DVec3::Y, -DVec3::Y, DVec3::new(0.4, 0.1, -2.0)] {
        for up in [DVec3::Y, DVec3::X, DVec3::new(0.1, 1.0, 0.4)] {
            let aim = head().with_pole(pole).with_up(up).with_offset(DVec3::new(0.1, 0.0, 0.05));
            let solution = aim.solve().unwrap();
            assert_sound(&aim, &solution);
            assert!(solution.error < 1e-14 && !solution.pole_degenerate);
            // Seen along the line from the joint to the target, up points exactly to the pole.
            let t = unit(aim.target - aim.model_from_joint.translation);
            let flat = |v: DVec3| unit(v - t * v.dot(t));
            assert!((flat(solution.correction * up) - flat(pole)).length() < 1e-14);
        }
    }
}

#[test]
fn offset() {
    let offsets = [
        DVec3::new(0.0, 0.1, 0.08),
        DVec3::new(0.5, -0.5, 0.0),
        DVec3::Z,
        -DVec3::Z,
        DVec3::X * 1.9,
    ];
    for offset in offsets {
        let aim = head().with_offset(offset);
        let solution = aim.solve().unwrap();
        assert_sound(&aim, &solution);
        assert!(solution.reach.is_reached() && solution.error < 1e-14, "{offset}: {solution:?}");
    }
}

#[test]
fn offset_longer_than_the_distance() {
    // The ray starts beyond the target: its start is turned onto the line to it.
    for (offset, nearest) in [
        (DVec3::new(0.0, 0.0, 3.0), 3.0),
        (DVec3::new(4.0, 0.0, 0.0), 4.0),
        (DVec3::new(4.0, 0.0, 3.0), 5.0),
        (DVec3::new(4.0, 0.0, -3.0), 4.0),
    ] {
        let aim = Aim::new(Pose::IDENTITY, DVec3::new(0.6, 0.0, 0.8)).with_offset(offset);
        let solution = aim.solve().unwrap();
        assert_sound(&aim, &solution);
        let Reach::TooNear { shortfall } = solution.reach else { panic!("{solution:?}") };
        assert!((shortfall - (nearest - 1.0)).abs() < 1e-15);
        assert!((solution.error - shortfall).abs() < 1e-14, "{offset}: {solution:?}");
        // Continuous as the target comes into range.
        let (inside, outside) = [1.0 - 1e-12, 1.0 + 1e-12]
            .map(|k| aim.with_target(aim.target * (nearest * k)).solve().unwrap())
            .into();
        assert!(angle(inside.correction.conjugate() * outside.correction) < 1e-5);
    }
}

#[test]
fn twist() {
    let base = head().with_pole(DVec3::Y).solve().unwrap();
    for twist in [0.5, -3.0, 7.0] {
        let aim = head().with_pole(DVec3::Y).with_twist(twist);
        let solution = aim.solve().unwrap();
        assert_sound(&aim, &solution);
        assert!(solution.error < 1e-14);
        let t = unit(aim.target - aim.model_from_joint.translation);
        let expected = rotation_about(t, twist) * base.correction;
        assert!(angle(expected.conjugate() * solution.correction) < 1e-14);
    }
}

#[test]
fn weight() {
    let full = head().solve().unwrap();
    for weight in [0.0, -1.0] {
        let none = head().with_weight(weight).solve().unwrap();
        assert_eq!(none.correction, DQuat::IDENTITY);
        assert!(none.error > 0.1 && none.reach == full.reach);
    }
    for weight in [1.0, 2.0] {
        assert_eq!(head().with_weight(weight).solve().unwrap(), full);
    }
    let half = head().with_weight(0.5).solve().unwrap();
    let halves = angle(half.correction) / angle(full.correction);
    assert!((halves - 0.5).abs() < 1e-15, "half the weight is half the angle: {halves}");
}

#[test]
fn aligned_target_up() {
    // The pole along the line of sight, or up along the ray: no roll can be chosen, and the flag says so.
    let overhead = Aim::new(Pose::IDENTITY, DVec3::Y * 4.0).with_pole(DVec3::Y);
    let along =
        Aim::new(Pose::IDENTITY, DVec3::X * 2.0 + DVec3::Y).with_pole(DVec3::X).with_up(DVec3::Z);
    let zero_up = along.with_up(DVec3::ZERO);
    let zero_pole = along.with_pole(DVec3::ZERO);
    for aim in [overhead, along, zero_up, zero_pole] {
        let solution = aim.solve().unwrap();
        assert_sound(&aim, &solution);
        assert!(solution.pole_degenerate && solution.reach.is_reached() && solution.error < 1e-14);
        let without = aim.with_pole(None).solve().unwrap();
        assert_eq!(solution.correction, without.correction);
    }
}

#[test]
fn target_too_close() {
    // On the joint itself: nothing to turn to.
    let aim = head().with_target(head().model_from_joint.translation).with_pole(DVec3::Y);
    let solution = aim.solve().unwrap();
    assert_eq!((solution.correction, solution.reach), (DQuat::IDENTITY, Reach::Reached));
    assert!(solution.pole_degenerate);
    let aim = aim.with_offset(DVec3::new(0.0, 0.3, 0.4));
    let solution = aim.solve().unwrap();
    assert_eq!(solution.correction, DQuat::IDENTITY);
    assert!((solution.reach.shortfall() - 0.5).abs() < 1e-15);
    for distance in [1e-300, 1e-100, 1e-20] {
        let aim = Aim::new(Pose::IDENTITY, DVec3::X * distance);
        let solution = aim.solve().unwrap();
        assert!((solution.correction * DVec3::Z - DVec3::X).length() < 1e-15);
    }
}

#[test]
fn exactly_behind_turns_about_up() {
    for up in [DVec3::Y, DVec3::X, DVec3::new(0.2, 0.9, 5.0)] {
        let aim = Aim::new(Pose::IDENTITY, -DVec3::Z).with_up(up);
        let solution = aim.solve().unwrap();
        assert_sound(&aim, &solution);
        let axis = unit(DVec3::new(up.x, up.y, 0.0));
        assert!((solution.correction * axis - axis).length() < 1e-15);
        assert!(solution.error < 1e-15);
    }
    // Where up says nothing either: the fixed rule.
    let aim = Aim::new(Pose::IDENTITY, -DVec3::Z).with_up(DVec3::Z);
    assert!((aim.solve().unwrap().correction * DVec3::Z + DVec3::Z).length() < 1e-15);
}

#[test]
fn local_rotation_of_the_joint() {
    let model_from_parent = rotation_about(unit(DVec3::new(1.0, 1.0, 0.2)), 1.1);
    let parent_from_joint = rotation_about(DVec3::Y, -0.7);
    let pose = Pose::new(model_from_parent * parent_from_joint, DVec3::ZERO);
    let aim = Aim::new(pose, DVec3::new(-3.0, 0.2, 0.4));
    let solution = aim.solve().unwrap();
    let new = solution.parent_from_joint(model_from_parent, pose.rotation);
    let sight = model_from_parent * new * DVec3::Z;
    assert!((sight - unit(aim.target)).length() < 1e-15);
}

fn vector() -> impl Strategy<Value = DVec3> {
    (-2.0..2.0_f64, -2.0..2.0_f64, -2.0..2.0_f64).prop_map(|(x, y, z)| DVec3::new(x, y, z))
}

proptest! {
    #[test]
    fn the_ray_meets_the_target_or_says_by_how_much_not(
        position in vector(), axis in vector(), turn in -3.0..3.0_f64, target in vector(),
        forward in vector(), offset in vector(), up in vector(), pole in vector(), with_pole: bool,
    ) {
        prop_assume!(forward.length() > 1e-3 && axis.length() > 1e-3);
        let pose = Pose::new(rotation_about(unit(axis), turn), position);
        let aim = Aim::new(pose, target).with_forward(forward).with_offset(offset).with_up(up).with_pole(with_pole.then_some(pole));
        let solution = aim.solve().unwrap();
        assert_sound(&aim, &solution);
        prop_assert!((solution.error - solution.reach.shortfall()).abs() < 1e-12);
        // Turning the world turns the answer.
        let world = rotation_about(unit(DVec3::new(0.3, -0.8, 0.5)), 1.9);
        let mut turned = aim.with_target(world * target).with_pole(aim.pole.map(|pole| world * pole));
        turned.model_from_joint = Pose::from_rotation(world) * pose;
        let expected = world * solution.correction * world.conjugate();
        let difference = angle(expected.conjugate() * turned.solve().unwrap().correction);
        prop_assert!(difference < 1e-8, "{difference}");
    }
}
