//! Forward kinematics, tangent vectors and Jacobians, on random trees of every kind of joint.

use crate::support;

use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, Twist, rotation_about, se3_exp, se3_log, so3_log, wrap_angle};
use posekit::skeleton::{Frame, Joint, Limit, Mimic, Skeleton};
use proptest::prelude::*;
use support::Rng;

/// Some pose.
fn some_pose(rng: &mut Rng) -> Pose {
    let (linear, angular) = (rng.vector(1.0), rng.vector(2.0));
    se3_exp(Twist::new(linear, angular))
}

/// A tree of up to 12 joints; about a third of the hinges and slides follow one of the others.
fn random_joints(rng: &mut Rng) -> Vec<Joint> {
    let mut joints: Vec<Joint> = Vec::new();
    let n = 1 + rng.below(12);
    for i in 0..n {
        let name = format!("j{i}");
        let axis = rng.vector(1.0) + DVec3::splat(1e-3);
        let joint = match rng.below(6) {
            0 => Joint::fixed(name),
            1 | 2 => Joint::revolute(name, axis),
            3 => Joint::prismatic(name, axis),
            4 => Joint::ball(name),
            _ => Joint::free(name),
        };
        let placement = if rng.unit() < 0.2 { Pose::IDENTITY } else { some_pose(rng) };
        let joint = joint.at(placement);
        let on_world = i == 0 || rng.unit() < 0.1;
        joints.push(if on_world { joint } else { joint.child_of(rng.below(i)) });
    }
    let movable: Vec<usize> = (0..n).filter(|i| joints[*i].kind.axis().is_some()).collect();
    for (k, &follower) in movable.iter().enumerate().skip(1) {
        if rng.unit() < 0.4 {
            let joint = movable[rng.below(k)];
            let (multiplier, offset) = (rng.between(-2.0, 2.0), rng.between(-1.0, 1.0));
            joints[follower].mimic = Some(Mimic { joint, multiplier, offset });
        }
    }
    joints
}

fn random_configuration(skeleton: &Skeleton, rng: &mut Rng) -> Vec<f64> {
    let v: Vec<f64> = (0..skeleton.n_dofs()).map(|_| rng.between(-1.5, 1.5)).collect();
    let mut q = vec![0.0; skeleton.n_values()];
    skeleton.integrate(&skeleton.neutral(), &v, &mut q);
    q
}

fn random(seed: u64) -> (Skeleton, Vec<f64>, Rng) {
    let mut rng = Rng::new(seed);
    let joints = random_joints(&mut rng);
    let skeleton = Skeleton::try_new(joints).expect("the random tree is valid");
    let q = random_configuration(&skeleton, &mut rng);
    (skeleton, q, rng)
}

/// Velocity of a frame along one degree of freedom by central differences: linear, then angular, in the world.
fn by_differences(skeleton: &Skeleton, q: &[f64], frame: &Frame, dof: usize, h: f64) -> [f64; 6] {
    let pose_at = |step: f64| {
        let mut v = vec![0.0; skeleton.n_dofs()];
        v[dof] = step;
        let mut moved = vec![0.0; skeleton.n_values()];
        skeleton.integrate(q, &v, &mut moved);
        frame.world(&skeleton.poses(&moved))
    };
    let (ahead, behind) = (pose_at(h), pose_at(-h));
    let linear = (ahead.translation - behind.translation) / (2.0 * h);
    let angular = so3_log(ahead.rotation * behind.rotation.conjugate()) / (2.0 * h);
    Twist::new(linear, angular).to_array()
}

fn close(a: Pose, b: Pose, tolerance: f64) -> bool {
    let turn = so3_log(a.rotation * b.rotation.conjugate()).length();
    turn < tolerance && (a.translation - b.translation).length() < tolerance
}

#[test]
fn planar_arm_of_known_pose() {
    let mut builder = Skeleton::builder();
    let one = builder.add(Joint::revolute("one", DVec3::Z));
    let step = Pose::from_translation(DVec3::new(2.0, 0.0, 0.0));
    let two = builder.add(Joint::revolute("two", DVec3::Z).child_of(one).at(step));
    let tip = builder.add(Joint::fixed("tip").child_of(two).at(step));
    let arm = builder.build().unwrap();
    let quarter = core::f64::consts::FRAC_PI_2;
    let world = arm.poses(&[quarter, -quarter]);
    assert!((world[tip].translation - DVec3::new(2.0, 2.0, 0.0)).length() < 1e-15);
    let mut jacobian = [0.0; 12];
    arm.jacobian(&world, &arm.frame(tip), &mut jacobian);
    let expected = [-2.0, 2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0];
    for (found, expected) in jacobian.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-15);
    }
}

#[test]
fn slide_and_free_joint_of_known_pose() {
    let mut builder = Skeleton::builder();
    let placed = Pose::new(rotation_about(DVec3::Z, core::f64::consts::FRAC_PI_2), DVec3::Z);
    let base = builder.add(Joint::free("base").at(placed));
    let rail = builder.add(Joint::prismatic("rail", DVec3::new(0.0, 3.0, 0.0)).child_of(base));
    let skeleton = builder.build().unwrap();
    // One metre along the placement's x (the world's y), half a turn about x, then two metres along the turned y.
    let q = [1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0];
    let world = skeleton.poses(&q);
    assert!((world[base].translation - DVec3::new(0.0, 1.0, 1.0)).length() < 1e-15);
    assert!((world[rail].translation - DVec3::new(2.0, 1.0, 1.0)).length() < 1e-15);
    assert_eq!(skeleton.motion(rail, &q), Pose::from_translation(DVec3::Y * 2.0));
}

#[test]
fn l3_zero_length_bone() {
    // A joint at no distance from its parent carries rotation only; a fixed one there might as well not be.
    let step = Pose::from_translation(DVec3::X);
    let with = Skeleton::try_new(vec![
        Joint::ball("root"),
        Joint::fixed("nothing").child_of(0),
        Joint::revolute("elbow", DVec3::Z).child_of(1).at(step),
        Joint::fixed("tip").child_of(2).at(step),
    ])
    .unwrap();
    let without = Skeleton::try_new(vec![
        Joint::ball("root"),
        Joint::revolute("elbow", DVec3::Z).child_of(0).at(step),
        Joint::fixed("tip").child_of(1).at(step),
    ])
    .unwrap();
    let q = [0.48, -0.6, 0.0, 0.64, 0.7];
    let (a, b) = (with.poses(&q), without.poses(&q));
    assert_eq!([a[0], a[2], a[3]], [b[0], b[1], b[2]]);
    assert_eq!(a[1], a[0]);
    let (mut ja, mut jb) = ([0.0; 24], [0.0; 24]);
    with.jacobian(&a, &with.frame(3), &mut ja);
    without.jacobian(&b, &without.frame(2), &mut jb);
    assert_eq!(ja, jb);

    // All of them at no distance: nothing is NaN.
    let point = Skeleton::try_new(vec![
        Joint::ball("a"),
        Joint::ball("b").child_of(0),
        Joint::revolute("c", DVec3::X).child_of(1),
    ])
    .unwrap();
    let q = point.neutral();
    let world = point.poses(&q);
    let mut jacobian = [f64::NAN; 42];
    point.jacobian(&world, &point.frame(2), &mut jacobian);
    assert!(jacobian.iter().all(|x| x.is_finite()));
    assert!(world.iter().all(|pose| pose.translation == DVec3::ZERO));
}

#[test]
fn l21_ten_thousand_joints_stay_rigid() {
    let mut rng = Rng::new(21);
    let mut joints = vec![Joint::ball("j0")];
    for i in 1..10_000 {
        let joint = Joint::revolute(format!("j{i}"), rng.vector(1.0)).child_of(i - 1);
        joints.push(joint.at(Pose::from_translation(DVec3::X)));
    }
    let chain = Skeleton::try_new(joints).unwrap();
    let q = random_configuration(&chain, &mut rng);
    let world = chain.poses(&q);
    for pair in world.windows(2) {
        let length = (pair[1].translation - pair[0].translation).length();
        assert!((length - 1.0).abs() < 1e-10, "a bone of length {length}");
    }
}

#[test]
fn shapes_of_another_size_leave_the_output_alone() {
    // In debug builds these assert, which is tested by their messages; in release they return.
    let skeleton = Skeleton::try_new(vec![Joint::revolute("a", DVec3::Z)]).unwrap();
    if cfg!(debug_assertions) {
        let message = std::panic::catch_unwind(|| skeleton.poses(&[])).unwrap_err();
        let text = message.downcast_ref::<String>().unwrap();
        assert_eq!(text, "a slice has 0 elements, expected 1");
        return;
    }
    let mut world = [Pose::from_translation(DVec3::X)];
    skeleton.forward_kinematics(&[], &mut world);
    skeleton.forward_kinematics(&[0.0, 1.0], &mut world);
    assert_eq!(world, [Pose::from_translation(DVec3::X)]);
    let mut out = [7.0];
    skeleton.integrate(&[0.0], &[], &mut out);
    skeleton.difference(&[0.0], &[], &mut out);
    assert_eq!(out, [7.0]);
    assert_eq!(skeleton.clamp(&mut []), 0);
}

#[test]
fn frame_on_no_joint_leaves_the_jacobian_alone() {
    let skeleton = Skeleton::try_new(vec![Joint::revolute("a", DVec3::Z)]).unwrap();
    let mut out = [7.0; 6];
    skeleton.jacobian(&[Pose::IDENTITY], &Frame::new(1, Pose::IDENTITY), &mut out);
    assert_eq!(out, [7.0; 6]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn jacobian_matches_central_differences(seed in any::<u64>()) {
        let (skeleton, q, mut rng) = random(seed);
        let world = skeleton.poses(&q);
        let frame = Frame::new(rng.below(skeleton.n_joints()), some_pose(&mut rng));
        let mut jacobian = vec![f64::NAN; 6 * skeleton.n_dofs()];
        skeleton.jacobian(&world, &frame, &mut jacobian);
        for (dof, column) in jacobian.chunks(6).enumerate() {
            let expected = by_differences(&skeleton, &q, &frame, dof, 1e-5);
            let scale = 1.0 + expected.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            for (found, expected) in column.iter().zip(expected) {
                let error = (found - expected).abs();
                prop_assert!(error < 1e-7 * scale, "dof {dof}: {found} against {expected}");
            }
        }
    }

    #[test]
    fn kinematics_is_the_product_of_placements_and_motions(seed in any::<u64>()) {
        let (skeleton, q, _) = random(seed);
        let world = skeleton.poses(&q);
        for joint in 0..skeleton.n_joints() {
            let own = skeleton.parent_from_joint(joint) * skeleton.motion(joint, &q);
            let expected = match skeleton.parent(joint) {
                Some(parent) => world[parent] * own,
                None => own,
            };
            prop_assert!(close(world[joint], expected, 1e-12));
        }
    }

    #[test]
    fn moving_the_root_moves_everything(seed in any::<u64>()) {
        let mut rng = Rng::new(seed);
        let mut joints = random_joints(&mut rng);
        let moved_by = some_pose(&mut rng);
        let skeleton = Skeleton::try_new(joints.clone()).unwrap();
        let q = random_configuration(&skeleton, &mut rng);
        for joint in joints.iter_mut().filter(|joint| joint.parent.is_none()) {
            joint.parent_from_joint = moved_by * joint.parent_from_joint;
        }
        let moved = Skeleton::try_new(joints).unwrap();
        for (before, after) in skeleton.poses(&q).into_iter().zip(moved.poses(&q)) {
            prop_assert!(close(moved_by * before, after, 1e-11));
        }
    }

    #[test]
    fn difference_undoes_integrate(seed in any::<u64>()) {
        let (skeleton, q, mut rng) = random(seed);
        let v: Vec<f64> = (0..skeleton.n_dofs()).map(|_| rng.between(-1.5, 1.5)).collect();
        let mut moved = vec![f64::NAN; q.len()];
        skeleton.integrate(&q, &v, &mut moved);
        prop_assert_eq!(skeleton.check(&moved), Ok(()));
        let mut settled = moved.clone();
        skeleton.settle(&mut settled);
        prop_assert_eq!(&settled, &moved);
        let mut back = vec![f64::NAN; v.len()];
        skeleton.difference(&q, &moved, &mut back);
        for (found, expected) in back.iter().zip(&v) {
            prop_assert!((found - expected).abs() < 1e-13);
        }
    }

    #[test]
    fn followers_follow(seed in any::<u64>()) {
        let (skeleton, q, _) = random(seed);
        for joint in 0..skeleton.n_joints() {
            if let Some(mimic) = skeleton.mimic(joint) {
                prop_assert!(skeleton.mimic(mimic.joint).is_none());
                let driver = q[skeleton.value_range(mimic.joint).start];
                prop_assert_eq!(q[skeleton.value_range(joint).start], mimic.value(driver));
            }
        }
    }
}

#[test]
fn turning_a_ball_is_in_its_own_frame_after_motion() {
    let ball = Skeleton::try_new(vec![Joint::ball("b").with_limit(Limit::None)]).unwrap();
    let q = rotation_about(DVec3::X, 1.0);
    let mut out = [0.0; 4];
    ball.integrate(&q.to_array(), &[0.0, 0.0, 0.3], &mut out);
    let expected = q * rotation_about(DVec3::Z, 0.3);
    assert!((DQuat::from_array(out) - expected).length() < 1e-15);
    let log = se3_log(Pose::from_rotation(expected));
    assert!(wrap_angle(log.angular.length()) > 1.0);
}
