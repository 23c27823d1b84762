//! Closed forms written into the joint values of small skeletons: hinges, limits, and what is refused.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use crate::support;

use posekit::glam::{DQuat, DVec3};
use posekit::limb::{Aim, Pole, TwoBone};
use posekit::math::{Pose, rotation_about};
use posekit::skeleton::{Joint, Limit, Mimic, Skeleton};
use support::Rng;

const LEG: [usize; 3] = [1, 3, 5];

/// A leg on a body that stands askew, with a joint in the middle of each bone, every placement rotated at random.
fn leg(rng: &mut Rng, knee: Joint) -> Skeleton {
    let down = DVec3::new(0.0, -0.2, 0.0);
    let mut place = |translation| Pose::new(rng.rotation(), translation);
    let joints = vec![
        Joint::free("body").at(place(DVec3::ONE)),
        Joint::ball("hip").child_of(0).at(place(DVec3::X)),
        Joint::ball("thigh twist").child_of(1).at(Pose::from_translation(down)),
        knee.child_of(2).at(Pose::from_translation(down)),
        Joint::fixed("shin twist").child_of(3).at(place(down)),
        Joint::ball("ankle").child_of(4).at(place(down)),
    ];
    Skeleton::try_new(joints).unwrap()
}

fn position(skeleton: &Skeleton, q: &[f64], joint: usize) -> DVec3 {
    skeleton.world_pose(q, joint).unwrap().translation
}

fn hinge(min: f64, max: f64) -> Joint {
    Joint::revolute("knee", DVec3::X).with_limit(Limit::Range { min, max })
}

/// A leg whose shin is in the plane of a knee that turns about x, and a bend of it.
fn hinged_leg(rng: &mut Rng, knee: Joint, angle: f64) -> (Skeleton, Vec<f64>) {
    let down = Pose::from_translation(DVec3::new(0.0, -0.4, 0.0));
    let tilted = Pose::new(rng.rotation(), DVec3::Y);
    let joints = vec![
        Joint::fixed("body").at(tilted),
        Joint::ball("hip").child_of(0).at(Pose::new(rng.rotation(), DVec3::X)),
        Joint::fixed("thigh").child_of(1),
        knee.child_of(2).at(down),
        Joint::fixed("shin").child_of(3),
        Joint::ball("ankle").child_of(4).at(down),
    ];
    let skeleton = Skeleton::try_new(joints).unwrap();
    let mut q = skeleton.neutral();
    skeleton.set_rotation(&mut q, 1, rng.rotation()).unwrap();
    q[skeleton.value_range(3).start] = angle;
    (skeleton, q)
}

#[test]
fn the_end_stands_on_the_target_whatever_the_placements() {
    let mut rng = Rng::new(1);
    for _ in 0..200 {
        let skeleton = leg(&mut rng, Joint::ball("knee"));
        let mut q = skeleton.neutral();
        for joint in [0, 1, 2, 3, 5] {
            skeleton.set_rotation(&mut q, joint, rng.rotation()).unwrap();
        }
        let [hip, knee, ankle] = LEG.map(|joint| position(&skeleton, &q, joint));
        let (thigh, shin) = (hip.distance(knee), knee.distance(ankle));
        let inner = (thigh - shin).abs();
        let distance = inner + rng.between(0.05, 0.95) * (thigh + shin - inner);
        let target = hip + rng.direction() * distance;
        let limb = TwoBone::on_skeleton(&skeleton, &q, LEG, target)
            .unwrap()
            .with_pole(Pole::Direction(rng.direction()));
        for weight in [1.0, 0.4] {
            let solution = limb.with_weight(weight).solve().unwrap();
            let mut q = q.clone();
            assert!(solution.apply(&skeleton, &mut q, LEG).unwrap());
            assert!(position(&skeleton, &q, 3).distance(solution.mid) < 1e-14);
            assert!(position(&skeleton, &q, 5).distance(solution.end) < 1e-14);
            let miss = solution.end.distance(target);
            assert!(weight < 1.0 || miss < 1e-14, "{miss:e}");
        }
    }
}

#[test]
fn a_hinge_takes_its_angle() {
    let mut rng = Rng::new(2);
    for k in 0..200 {
        let flexed = rng.between(0.2, 2.0) * if k % 2 == 0 { 1.0 } else { -1.0 };
        let knee = Joint::revolute("knee", DVec3::X);
        let (skeleton, mut q) = hinged_leg(&mut rng, knee, flexed);
        let target = position(&skeleton, &q, 1) + rng.direction() * rng.between(0.05, 0.79);
        let limb = TwoBone::on_skeleton(&skeleton, &q, LEG, target).unwrap();
        assert!(limb.solve().unwrap().apply(&skeleton, &mut q, LEG).unwrap());
        let miss = position(&skeleton, &q, 5).distance(target);
        assert!(miss < 1e-12, "{miss:e} at {}", target.distance(limb.start));
        let value = q[skeleton.value_range(3).start];
        assert!(value * flexed > 0.0, "the knee keeps its side: {flexed} to {value}");
    }
}

#[test]
fn a_straight_hinge_bends_where_its_range_is() {
    let mut rng = Rng::new(3);
    for (min, max) in [(0.0, 2.5), (-2.5, 0.0)] {
        let (skeleton, mut q) = hinged_leg(&mut rng, hinge(min, max), 0.0);
        let hip = position(&skeleton, &q, 1);
        let target = hip + (position(&skeleton, &q, 5) - hip) * 0.7;
        let limb = TwoBone::on_skeleton(&skeleton, &q, LEG, target).unwrap();
        assert!(limb.solve().unwrap().apply(&skeleton, &mut q, LEG).unwrap());
        assert!(skeleton.within_limits(&q, 0.0));
        assert!(position(&skeleton, &q, 5).distance(target) < 1e-12);
    }
}

#[test]
fn limits_hold_and_are_reported() {
    let mut rng = Rng::new(4);
    let (skeleton, mut q) = hinged_leg(&mut rng, hinge(0.0, 1.0), 0.5);
    let hip = position(&skeleton, &q, 1);
    let target = hip + (position(&skeleton, &q, 5) - hip) * 0.3;
    let limb = TwoBone::on_skeleton(&skeleton, &q, LEG, target).unwrap();
    assert!(!limb.solve().unwrap().apply(&skeleton, &mut q, LEG).unwrap());
    assert_eq!(q[skeleton.value_range(3).start], 1.0);

    let cone = Limit::Cone { axis: DVec3::Z, swing: 0.3, twist: [-0.1, 0.1] };
    let neck = Skeleton::try_new(vec![Joint::ball("neck").with_limit(cone)]).unwrap();
    let mut q = neck.neutral();
    let behind = Aim::on_skeleton(&neck, &q, 0, DVec3::new(1.0, 0.2, -1.0)).unwrap();
    assert!(!behind.solve().unwrap().apply(&neck, &mut q, 0).unwrap());
    assert!(neck.within_limits(&q, 1e-12) && q != neck.neutral());
}

#[test]
fn what_a_joint_cannot_do_is_refused_and_changes_nothing() {
    let mut rng = Rng::new(5);
    let (skeleton, q) = hinged_leg(&mut rng, hinge(0.0, 2.5), 0.5);
    // The hip cannot be read as a knee: the axis of the limb's bend is not the hinge's.
    let sideways = Joint::revolute("knee", DVec3::new(1.0, 1.0, 0.0));
    let (askew, askew_q) = hinged_leg(&mut rng, sideways, 1.0);
    let target = position(&askew, &askew_q, 1) + DVec3::new(0.1, -0.3, 0.2);
    let solution = TwoBone::on_skeleton(&askew, &askew_q, LEG, target).unwrap().solve().unwrap();
    let mut changed = askew_q.clone();
    let error = solution.apply(&askew, &mut changed, LEG).unwrap_err();
    assert!(error.is_out_of_range() && error.joint() == Some("knee"), "{error}");
    assert_eq!(changed, askew_q);

    let limb =
        |joints| TwoBone::on_skeleton(&skeleton, &q, joints, DVec3::ZERO).unwrap_err().to_string();
    let order = |above, below| format!("joint {above:?} is not above {below:?} in the skeleton");
    assert_eq!(limb([3, 1, 5]), order("knee", "hip"));
    assert_eq!(limb([1, 1, 5]), order("hip", "hip"));
    assert_eq!(limb([1, 5, 3]), order("ankle", "knee"));
    assert_eq!(limb([1, 3, 6]), "limb names joint 6, but the skeleton has 6 joints");
    let mut short = vec![0.0; 3];
    let solution = TwoBone::on_skeleton(&skeleton, &q, LEG, target).unwrap().solve().unwrap();
    assert!(solution.apply(&skeleton, &mut short, LEG).is_err_and(|error| error.is_wrong_length()));
    let aim = Aim::on_skeleton(&skeleton, &q, 1, target).unwrap().solve().unwrap();
    assert!(aim.apply(&skeleton, &mut short, 1).is_err_and(|error| error.is_wrong_length()));
    assert!(Aim::on_skeleton(&skeleton, &q, 6, target).is_err());
}

#[test]
fn rotations_are_read_as_they_were_set() {
    let mut rng = Rng::new(6);
    for _ in 0..200 {
        let skeleton = leg(&mut rng, Joint::revolute("knee", DVec3::new(0.0, 0.6, 0.8)));
        let mut q = skeleton.neutral();
        for joint in [0, 1, 2, 5] {
            let rotation = rng.rotation();
            skeleton.set_rotation(&mut q, joint, rotation).unwrap();
            assert!(skeleton.rotation(&q, joint).unwrap().dot(rotation).abs() > 1.0 - 1e-15);
            let rotation = rng.rotation();
            skeleton.set_world_rotation(&mut q, joint, rotation).unwrap();
            assert!(skeleton.poses(&q)[joint].rotation.dot(rotation).abs() > 1.0 - 1e-14);
            let world = skeleton.world_rotation(&q, joint).unwrap();
            assert!(world.dot(rotation).abs() > 1.0 - 1e-14);
        }
        let poses = skeleton.poses(&q);
        for (joint, &pose) in poses.iter().enumerate() {
            let alone = skeleton.world_pose(&q, joint).unwrap();
            assert!(alone.translation.distance(pose.translation) < 1e-14);
        }
        // About the axis of the knee, also in the world; on the nearest turn.
        let turned = poses[3].rotation * rotation_about(DVec3::new(0.0, 0.6, 0.8), 0.7);
        let knee = skeleton.value_range(3).start;
        q[knee] = 20.0;
        let before = skeleton.set_world_rotation(&mut q, 3, turned);
        assert_eq!(before, Ok(()));
        assert!((q[knee] - (0.7 + 6.0 * core::f64::consts::PI)).abs() < 1e-12, "{}", q[knee]);
    }
}

#[test]
fn rotations_that_are_none_are_refused() {
    let follower = Mimic { joint: 0, multiplier: 2.0, offset: 0.0 };
    let skeleton = Skeleton::try_new(vec![
        Joint::revolute("motor", DVec3::Z),
        Joint::revolute("gear", DVec3::Z).child_of(0).with_mimic(follower),
        Joint::prismatic("slide", DVec3::Z).child_of(0),
    ])
    .unwrap();
    let mut q = skeleton.neutral();
    let quarter = rotation_about(DVec3::Z, 0.5);
    let gear = skeleton.set_rotation(&mut q, 1, quarter).unwrap_err().to_string();
    let can = "rad away from the nearest one that a mimic joint can have";
    assert!(
        gear.starts_with("joint \"gear\": the rotation is 0.5") && gear.ends_with(can),
        "{gear}"
    );
    let slide = skeleton.set_rotation(&mut q, 2, quarter).unwrap_err();
    assert!(slide.is_out_of_range() && slide.joint() == Some("slide"), "{slide}");
    skeleton.set_rotation(&mut q, 2, DQuat::IDENTITY).unwrap();
    assert_eq!(q, skeleton.neutral());
    skeleton.set_rotation(&mut q, 0, quarter).unwrap();
    assert!((q[1] - 1.0).abs() < 1e-15, "the gear follows: {q:?}");
    for (rotation, message) in [
        (DQuat::from_xyzw(0.0, f64::NAN, 0.0, 1.0), "rotation is not finite (element 1)"),
        (DQuat::from_xyzw(0.0, 0.0, 0.0, 1.5), "rotation is not a unit quaternion (length 1.5"),
    ] {
        let error = skeleton.set_rotation(&mut q, 0, rotation).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
        assert!(skeleton.set_world_rotation(&mut q, 0, rotation).is_err());
    }
    let nobody = skeleton.rotation(&q, 3).unwrap_err();
    assert!(nobody.is_no_such_joint() && nobody.index() == Some(3), "{nobody}");
    assert!(skeleton.world_pose(&q[..2], 0).is_err_and(|error| error.is_wrong_length()));
    let mut short = [0.0];
    let no_length = skeleton.set_world_rotation(&mut short, 0, quarter);
    assert!(no_length.unwrap_err().to_string().ends_with("has 1 elements, expected 3"));
}
