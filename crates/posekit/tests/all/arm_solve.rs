//! Serial arms: success verified by the skeleton's own kinematics, choices among configurations, masks, mimics, slides, and input that is wrong.

#![allow(clippy::unwrap_used, reason = "a test that cannot set up its problem must stop")]

use crate::support;

use core::f64::consts::PI;
use posekit::arm::{Arm, ArmSettings, ArmStatus, Prefer};
use posekit::glam::DVec3;
use posekit::math::{Pose, rotation_about, so3_log};
use posekit::skeleton::{Frame, Joint, Limit, Mimic, Skeleton};
use support::Rng;
use support::arms::{Arm as Rows, IIWA, PUMA};

const PREFERENCES: [Prefer; 4] =
    [Prefer::First, Prefer::Nearest, Prefer::Posture, Prefer::Manipulability];

fn exact(prefer: Prefer) -> ArmSettings {
    ArmSettings::default().with_tolerances(1e-6, 1e-6).with_prefer(prefer)
}

/// Distance and angle of a frame from a target, by the skeleton's kinematics.
fn miss(skeleton: &Skeleton, frame: Frame, q: &[f64], target: Pose) -> [f64; 2] {
    let tool = frame.world(&skeleton.poses(q));
    let angle = so3_log(target.rotation * tool.rotation.conjugate()).length();
    [tool.translation.distance(target.translation), angle]
}

fn assert_reached(skeleton: &Skeleton, frame: Frame, q: &[f64], target: Pose) {
    let [distance, angle] = miss(skeleton, frame, q, target);
    assert!(distance < 1.001e-6 && angle < 1.001e-6, "{distance:.1e} m, {angle:.1e} rad");
    assert!(skeleton.within_limits(q, 0.0), "outside the limits: {q:?}");
}

fn change(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

#[test]
fn every_reachable_pose_is_reached_whatever_is_preferred() {
    for rows in [PUMA.as_slice(), &IIWA] {
        let robot = Rows::new(rows);
        let arm = Arm::new(&robot.skeleton, robot.flange).unwrap();
        let rng = &mut Rng::new(1);
        for (prefer, cases) in PREFERENCES.into_iter().zip([2000, 300, 300, 100]) {
            for _ in 0..cases {
                let (goal, mut q) = (robot.configuration(rng), robot.configuration(rng));
                let target = robot.at(&goal);
                let solution = arm.solve(target, &mut q, &exact(prefer)).unwrap();
                assert!(solution.is_reached(), "{prefer:?}: {solution:?} for {goal:?}");
                assert_reached(&robot.skeleton, robot.flange, &q, target);
            }
        }
    }
}

#[test]
fn preferences_are_kept() {
    let robot = Rows::new(&IIWA);
    let rng = &mut Rng::new(2);
    let posture = robot.configuration(rng);
    let arm = Arm::new(&robot.skeleton, robot.flange).unwrap().with_posture(&posture).unwrap();
    let mut sums = [[0.0; 3]; 4];
    for _ in 0..50 {
        let (goal, start) = (robot.configuration(rng), robot.configuration(rng));
        for (prefer, sums) in PREFERENCES.into_iter().zip(&mut sums) {
            let mut q = start.clone();
            let _ = arm.solve(robot.at(&goal), &mut q, &exact(prefer)).unwrap();
            sums[0] += change(&q, &start);
            sums[1] += change(&q, &posture);
            sums[2] += arm.dexterity(&q).unwrap().manipulability;
        }
    }
    let [_, nearest, near_posture, dexterous] = sums;
    for other in sums {
        assert!(nearest[0] <= other[0] && near_posture[1] <= other[1], "{sums:?}");
        assert!(dexterous[2] >= other[2], "{sums:?}");
    }
    assert!(nearest[0] < 0.5 * sums[0][0], "{sums:?}");
}

#[test]
fn near_configuration_is_kept() {
    // What reaches the target already, or almost, is the nearest.
    let robot = Rows::new(&PUMA);
    let arm = Arm::new(&robot.skeleton, robot.flange).unwrap();
    let rng = &mut Rng::new(3);
    for _ in 0..200 {
        let goal = robot.configuration(rng);
        let mut q = goal.clone();
        let solution = arm.solve(robot.at(&goal), &mut q, &exact(Prefer::Nearest)).unwrap();
        assert!(solution.is_reached() && change(&q, &goal) < 1e-9, "{q:?} from {goal:?}");
    }
}

#[test]
fn half_a_turn_is_not_reached_without_moving() {
    let robot = Rows::new(&PUMA);
    let arm = Arm::new(&robot.skeleton, robot.flange).unwrap();
    let start = [0.1, 0.2, -0.3, 0.4, 0.5, 0.6];
    for axis in [DVec3::X, DVec3::Y, DVec3::Z, DVec3::new(0.6, 0.0, 0.8)] {
        for angle in [PI, PI - 1e-9, PI - 1e-3] {
            let at = robot.at(&start);
            let target = Pose::new(at.rotation * rotation_about(axis, angle), at.translation);
            let mut q = start.to_vec();
            let solution = arm.solve(target, &mut q, &exact(Prefer::First)).unwrap();
            let [distance, turn] = miss(&robot.skeleton, robot.flange, &q, target);
            assert!((solution.distance - distance).abs() < 1e-9, "{solution:?}, {distance}");
            assert!((solution.angle - turn).abs() < 1e-6, "{solution:?}, {turn}");
            assert_eq!(solution.is_reached(), distance < 1e-6 && turn < 1e-6);
        }
    }
}

#[test]
fn bounds_free_axes() {
    let robot = Rows::new(&PUMA);
    let arm = Arm::new(&robot.skeleton, robot.flange).unwrap();
    let rng = &mut Rng::new(4);
    let free = f64::INFINITY;
    // Any spin about the tool; half a centimetre along it; a position alone.
    for bounds in
        [[0., 0., 0., 0., 0., free], [0., 0., 0.005, 0., 0., 0.], [0., 0., 0., free, free, free]]
    {
        for prefer in PREFERENCES {
            for _ in 0..100 {
                let (goal, mut q) = (robot.configuration(rng), robot.configuration(rng));
                let target = robot.at(&goal);
                let settings = exact(prefer).with_bounds(bounds);
                assert!(arm.solve(target, &mut q, &settings).unwrap().is_reached());
                let tool = target.inverse() * robot.at(&q);
                let turn = so3_log(tool.rotation);
                let [p, r] = [tool.translation.to_array(), turn.to_array()];
                for k in 0..3 {
                    assert!(p[k].abs() <= bounds[k] + 1e-6, "{tool:?}");
                    // Components of a rotation are those of twice its sine when others are free.
                    assert!(bounds[3..].contains(&free) || r[k].abs() <= 2e-6, "{turn}");
                }
            }
        }
    }
}

#[test]
fn rejected_configurations_are_not_returned() {
    let robot = Rows::new(&PUMA);
    let arm = Arm::new(&robot.skeleton, robot.flange).unwrap();
    let rng = &mut Rng::new(5);
    let mut reached = 0;
    for _ in 0..200 {
        let (goal, mut q) = (robot.configuration(rng), robot.configuration(rng));
        let target = robot.at(&goal);
        let elbow = if goal[2] < 0.0 { |q: &[f64]| q[2] < 0.0 } else { |q: &[f64]| q[2] >= 0.0 };
        let solution = arm.solve_where(target, &mut q, &exact(Prefer::Nearest), elbow).unwrap();
        assert!(!solution.is_reached() || elbow(&q));
        reached += u32::from(solution.is_reached());
        let never = arm.solve_where(target, &mut q, &exact(Prefer::First), |_| false).unwrap();
        assert_eq!(never.status, ArmStatus::NotFound);
    }
    assert!(reached >= 198, "{reached} of 200");
}

/// A rail, a telescope that follows it, continuous hinges and a geared wrist.
fn unusual() -> (Skeleton, Frame) {
    let mut builder = Skeleton::builder();
    let limit = |min, max| Limit::Range { min, max };
    let at = |x: f64, y: f64, z: f64| Pose::from_translation(DVec3::new(x, y, z));
    let rail = Joint::prismatic("rail", DVec3::X).with_limit(limit(-1.0, 1.0));
    let mut last = builder.add(rail);
    let mut add = |joint: Joint, place: Pose| {
        last = builder.add(joint.child_of(last).at(place));
        last
    };
    add(Joint::revolute("turret", DVec3::Z), at(0.0, 0.0, 0.3));
    add(Joint::revolute("shoulder", DVec3::Y).with_limit(limit(-1.5, 1.5)), at(0.0, 0.1, 0.0));
    add(Joint::prismatic("inner", DVec3::Z).with_limit(limit(0.0, 0.4)), at(0.0, 0.0, 0.5));
    let outer = Mimic { joint: 3, multiplier: 0.5, offset: 0.02 };
    add(Joint::prismatic("outer", DVec3::Z).with_mimic(outer), at(0.0, 0.0, 0.1));
    add(Joint::revolute("roll", DVec3::Z), at(0.0, 0.0, 0.1));
    add(Joint::revolute("pitch", DVec3::Y).with_limit(limit(-2.0, 2.0)), at(0.0, 0.0, 0.1));
    let yaw = add(Joint::revolute("yaw", DVec3::Z), at(0.05, 0.0, 0.1));
    (builder.build().unwrap(), Frame::new(yaw, at(0.0, 0.0, 0.1)))
}

fn inside(skeleton: &Skeleton, rng: &mut Rng) -> Vec<f64> {
    let mut q = vec![0.0; skeleton.n_values()];
    for (joint, q) in q.iter_mut().enumerate() {
        let (min, max) = skeleton.limit(joint).bounds();
        *q = rng.between(min.max(-3.0), max.min(3.0));
    }
    skeleton.settle(&mut q);
    q
}

#[test]
fn slides_mimics_and_continuous_joints() {
    let (skeleton, tool) = unusual();
    let arm = Arm::new(&skeleton, tool).unwrap();
    let names: Vec<&str> = arm.joints().map(|joint| skeleton.name(joint)).collect();
    assert_eq!(names, ["rail", "turret", "shoulder", "inner", "roll", "pitch", "yaw"]);
    let rng = &mut Rng::new(6);
    for prefer in PREFERENCES {
        for _ in 0..200 {
            let (goal, mut q) = (inside(&skeleton, rng), inside(&skeleton, rng));
            let target = tool.world(&skeleton.poses(&goal));
            assert!(arm.solve(target, &mut q, &exact(prefer)).unwrap().is_reached());
            assert_reached(&skeleton, tool, &q, target);
            let expected = 0.5 * q[3] + 0.02;
            assert!((q[4] - expected).abs() < 1e-12, "the mimic is at {}", q[4]);
        }
    }
}

#[test]
fn held_joints_stay() {
    let robot = Rows::new(&IIWA);
    let rng = &mut Rng::new(7);
    for held in 0..7 {
        for _ in 0..50 {
            let (goal, mut q) = (robot.configuration(rng), robot.configuration(rng));
            q[held] = goal[held];
            let arm = Arm::with_held(&robot.skeleton, robot.flange, &[held], &q).unwrap();
            assert!(arm.joints().all(|joint| joint != held));
            assert!(
                arm.solve(robot.at(&goal), &mut q, &exact(Prefer::First)).unwrap().is_reached()
            );
            assert_reached(&robot.skeleton, robot.flange, &q, robot.at(&goal));
            assert_eq!(q[held].to_bits(), goal[held].to_bits());
        }
    }
}

#[test]
fn moving_or_scaling_the_world_changes_nothing() {
    let rng = &mut Rng::new(8);
    for _ in 0..100 {
        let robot = Rows::new(&PUMA);
        let (goal, start) = (robot.configuration(rng), robot.configuration(rng));
        let scale = 1024.0;
        let place = Pose::new(rng.rotation(), DVec3::new(1e3, -2e3, 5e2));
        let scaled: Vec<_> =
            PUMA.iter().map(|&(r, a, d, al)| (r, a * scale, d * scale, al)).collect();
        let large = Rows::new(&scaled);
        let mut joints: Vec<Joint> = (0..6).map(|joint| robot.skeleton.joint(joint)).collect();
        joints[0] = joints[0].clone().at(place);
        let moved = Skeleton::try_new(joints).unwrap();
        let solve = |skeleton: &Skeleton, flange: Frame| {
            let arm = Arm::new(skeleton, flange).unwrap();
            let target = flange.world(&skeleton.poses(&goal));
            let mut q = start.clone();
            let solution = arm.solve(target, &mut q, &ArmSettings::default()).unwrap();
            (q, solution.starts, solution.iterations)
        };
        let here = solve(&robot.skeleton, robot.flange);
        assert_eq!(here, solve(&large.skeleton, large.flange));
        let there = solve(&moved, robot.flange);
        assert!(change(&here.0, &there.0) < 1e-9 && here.1 == there.1, "{here:?} {there:?}");
    }
}

#[test]
fn out_of_reach_is_proven() {
    let robot = Rows::new(&PUMA);
    let arm = Arm::new(&robot.skeleton, robot.flange).unwrap();
    let mut q = vec![0.0; 6];
    let target = Pose::from_translation(DVec3::X * 5.0);
    let solution = arm.solve(target, &mut q, &exact(Prefer::First)).unwrap();
    let ArmStatus::Unreachable { shortfall } = solution.status else { panic!("{solution:?}") };
    assert!((shortfall - (5.0 - arm.reach())).abs() < 1e-9);
    // However the tool is rotated, and unless it may be away from the target.
    let [mut rotated, mut away] = [exact(Prefer::First); 2];
    rotated.bounds[3..].fill(f64::INFINITY);
    away.bounds[0] = 1.0;
    let status = |settings| arm.solve(target, &mut [0.0; 6], &settings).unwrap().status;
    assert_eq!(status(rotated), ArmStatus::Unreachable { shortfall });
    assert_eq!(status(away), ArmStatus::NotFound);
    // It points there all the same.
    let at = robot.at(&q).translation;
    assert!(solution.distance < 5.0 && at.x > 0.7 * at.length(), "{at}");
    assert!(robot.skeleton.within_limits(&q, 0.0));
}

#[test]
fn search_ends_when_it_is_cancelled() {
    let robot = Rows::new(&IIWA);
    let arm = Arm::new(&robot.skeleton, robot.flange).unwrap();
    let begin = vec![0.1; robot.skeleton.n_values()];
    let target = robot.at(&[1.5, -1.2, 0.4, 1.9, -0.7, 1.1, 0.3]);
    let mut settings = exact(Prefer::First);
    settings.starts = u32::MAX;
    for most in [0, 1, 40] {
        let (mut q, mut calls) = (begin.clone(), 0);
        let goes_on = || {
            calls += 1;
            calls <= most
        };
        let solution = arm.solve_while(target, &mut q, &settings, |_| false, goes_on).unwrap();
        assert_eq!(solution.status, ArmStatus::NotFound);
        assert_eq!(solution.starts, most);
        let [distance, angle] = miss(&robot.skeleton, robot.flange, &q, target);
        assert!((distance - solution.distance).abs() < 1e-9);
        assert!((angle - solution.angle).abs() < 1e-9);
    }
    let none = arm.solutions_while(target, &begin, &settings, || false).unwrap();
    assert!(none.len() <= arm.solutions(target, &begin, &exact(Prefer::First)).unwrap().len());
}

#[test]
fn jacobian_is_the_derivative() {
    let (skeleton, tool) = unusual();
    let arm = Arm::new(&skeleton, tool).unwrap();
    let rng = &mut Rng::new(9);
    for _ in 0..20 {
        let q = inside(&skeleton, rng);
        let here = arm.pose(&q).unwrap();
        for (joint, column) in arm.joints().zip(arm.jacobian(&q).unwrap()) {
            let mut other = q.clone();
            other[joint] += 1e-6;
            skeleton.settle(&mut other);
            let there = tool.world(&skeleton.poses(&other));
            let linear = (there.translation - here.translation) / 1e-6;
            let angular = so3_log(there.rotation * here.rotation.conjugate()) / 1e-6;
            let expected = [linear.to_array(), angular.to_array()].concat();
            for (number, expected) in column.iter().zip(expected) {
                assert!((number - expected).abs() < 1e-5, "{joint}: {column:?}");
            }
        }
    }
}

#[test]
fn dexterity_vanishes_at_singular_configurations() {
    let robot = Rows::new(&PUMA);
    let arm = Arm::new(&robot.skeleton, robot.flange).unwrap();
    // The wrist's first and last axes are parallel.
    let singular = arm.dexterity(&[0.3, 0.4, -0.5, 0.6, 0.0, 0.7]).unwrap();
    assert!(singular.manipulability < 1e-9 && singular.smallest_singular_value < 1e-8);
    let regular = arm.dexterity(&[0.3, 0.4, -0.5, 0.6, 1.2, 0.7]).unwrap();
    assert!(regular.manipulability > 0.01 && regular.smallest_singular_value > 0.05);
    assert!(regular.largest_singular_value > regular.smallest_singular_value);
}

#[test]
fn wrong_input_is_refused() {
    let robot = Rows::new(&PUMA);
    let arm = Arm::new(&robot.skeleton, robot.flange).unwrap();
    let settings = ArmSettings::default();
    let at = |x: f64| Pose::from_translation(DVec3::X * x);
    assert!(arm.solve(at(0.4), &mut [0.0; 5], &settings).unwrap_err().is_wrong_length());
    let mut q = [0.0; 6];
    assert!(arm.solve(at(f64::NAN), &mut q, &settings).unwrap_err().is_not_finite());
    assert!(arm.solve(at(f64::INFINITY), &mut q, &settings).unwrap_err().is_not_finite());
    let stretched = Pose { rotation: at(0.0).rotation * 1.5, ..at(0.4) };
    assert!(arm.solve(stretched, &mut q, &settings).unwrap_err().is_degenerate());
    let negative = settings.with_tolerances(-1.0, 0.0);
    let error = arm.solve(at(0.4), &mut q, &negative).unwrap_err();
    assert!(error.is_out_of_range() && error.what() == Some("tolerance"));
    let bounds = settings.with_bounds([0.0, 0.0, f64::NAN, 0.0, 0.0, 0.0]);
    let error = arm.solve(at(0.4), &mut q, &bounds).unwrap_err();
    assert_eq!((error.what(), error.index()), (Some("bounds"), Some(2)));
    q[3] = f64::NAN;
    assert!(arm.solve(at(0.4), &mut q, &settings).unwrap_err().is_not_finite());
    assert!(arm.pose(&q).unwrap_err().is_not_finite());
    let ball = Skeleton::try_new(vec![Joint::ball("shoulder")]).unwrap();
    assert!(Arm::new(&ball, Frame::new(0, at(1.0))).unwrap_err().is_unsuited());
    let still = Skeleton::try_new(vec![Joint::fixed("base")]).unwrap();
    assert!(Arm::new(&still, Frame::new(0, at(1.0))).unwrap_err().is_unsuited());
    let held = Arm::with_held(&robot.skeleton, robot.flange, &[9], &[0.0; 6]);
    assert!(held.unwrap_err().is_no_such_joint());
}

#[test]
fn start_outside_the_limits_is_brought_inside() {
    let robot = Rows::new(&PUMA);
    let arm = Arm::new(&robot.skeleton, robot.flange).unwrap();
    let target = robot.at(&[0.2, 0.3, -0.4, 0.5, 0.6, 0.7]);
    let mut q = vec![100.0, -100.0, 1e300, -1e300, 50.0, 7.0];
    assert!(arm.solve(target, &mut q, &exact(Prefer::Nearest)).unwrap().is_reached());
    assert_reached(&robot.skeleton, robot.flange, &q, target);
}
