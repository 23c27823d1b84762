//! Hazardous input, one test per row of the table of hazards: numbers, quaternions, limits and settings as they come in.

use crate::support;

use posekit::chain::{Chain, Goals};
use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, rotation_about};
use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
use posekit::solve::{
    JointOptions, Method, Progress, Relaxation, Settings, Solution, Status, Workspace, solve,
    solve_chain,
};
use posekit::task::{Orientation, Position, Task};
use support::{Rng, ends_well, joints, limb, locking, plane_limb, space_limb};

const BAD: [f64; 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

/// Every method that takes this problem, with what it returns.
fn by_all(
    skeleton: &Skeleton,
    start: &[f64],
    tasks: &[Task],
    settings: &Settings,
) -> Vec<(Method, Solution)> {
    let run = |method| match solve(skeleton, start, tasks, method, settings) {
        Ok(solution) => Some((method, solution)),
        Err(error) if error.is_unsuited() => None,
        Err(error) => panic!("{}: {error}", method.name()),
    };
    Method::ALL.into_iter().filter_map(run).collect()
}

/// Asserts that every method refuses the problem for the same reason, or because it does not suit it.
fn all_refuse(skeleton: &Skeleton, start: &[f64], task: &Task, settings: &Settings, reason: &str) {
    for method in Method::ALL {
        let refused = solve(skeleton, start, core::slice::from_ref(task), method, settings);
        let message = refused.map(|_| ()).expect_err("nobody takes this").to_string();
        assert!(message.contains(reason), "{}: {message:?} lacks {reason:?}", method.name());
    }
}

#[test]
fn l1_target_not_finite() {
    let (skeleton, tip) = plane_limb(&[1.0; 3]);
    let chain = Chain::try_straight(3, &[1.0; 3]).unwrap();
    for bad in BAD {
        for axis in 0..3 {
            let mut target = [1.0, 1.0, 0.0];
            target[axis] = bad;
            let task: Task = Position::new(tip, DVec3::from_array(target)).into();
            all_refuse(&skeleton, &[0.1; 3], &task, &Settings::default(), "task target");
            let goals = Goals { effectors: &[3], targets: &target };
            for method in [Method::Auto, Method::Direct, Method::Fabrik, Method::Relaxation] {
                let refused = solve_chain(&chain, goals, method, &Settings::default());
                assert_eq!(
                    refused.unwrap_err().to_string(),
                    format!("targets is not finite (element {axis})")
                );
            }
        }
        for k in 0..4 {
            let mut target = [0.0, 0.0, 0.0, 1.0];
            target[k] = bad;
            let task: Task = Orientation::new(tip, DQuat::from_array(target)).into();
            all_refuse(&skeleton, &[0.1; 3], &task, &Settings::default(), "task target");
        }
    }
}

#[test]
fn l1_a_refused_problem_leaves_the_workspace_untouched() {
    let (skeleton, tip) = plane_limb(&[1.0; 6]);
    let task: Task = Position::new(tip, DVec3::new(2.0, 3.0, 0.0)).into();
    let start = [0.1; 6];
    let mut limited = Skeleton::builder();
    limited.add(Joint::revolute("a", DVec3::X).with_limit(Limit::Range { min: 0.0, max: 1.0 }));
    let limited = limited.build().unwrap();
    let finger = Frame::new(0, Pose::from_translation(DVec3::Y));
    let elsewhere: Task = Position::new(finger, DVec3::Z).into();
    let not_finite: Task = Position::new(tip, DVec3::NAN).into();
    let branched = Chain::try_tree(2, &[0., 0., 1., 0., 2., 0., 2., 1.], &[0, 0, 1, 1]).unwrap();
    let two = Goals { effectors: &[2, 3], targets: &[1.0, 1.0, 1.0, 0.5] };
    for method in [Method::Auto, Method::Ccd, Method::Fabrik, Method::Relaxation] {
        let settings = Settings::default();
        let undisturbed =
            solve(&skeleton, &start, core::slice::from_ref(&task), method, &settings).unwrap();
        let mut workspace = Workspace::default();
        workspace
            .begin(&skeleton, &start, core::slice::from_ref(&task), method, &settings)
            .unwrap();
        let _ = workspace.step();
        let before = workspace.solution().clone();
        assert!(
            workspace
                .begin(&skeleton, &start, core::slice::from_ref(&not_finite), method, &settings)
                .is_err()
        );
        assert!(
            workspace
                .begin(&skeleton, &[0.0; 5], core::slice::from_ref(&task), method, &settings)
                .is_err()
        );
        assert!(workspace.begin_chain(&branched, two, Method::Direct, &settings).is_err());
        assert!(workspace.begin_chain(&branched, two, Method::Ccd, &settings).is_err());
        assert!(workspace.retarget(&[f64::NAN, 0.0, 0.0]).is_err());
        assert!(workspace.retarget(&[1.0]).is_err());
        assert_eq!(workspace.solution(), &before, "{}: the solution", method.name());
        assert_eq!(workspace.run(), &undisturbed, "{}: the rest of the way", method.name());
        // Whether a method suits a problem shows only when the problem has been taken over.
        for unsuited in [Method::Direct, Method::TwoBone] {
            assert!(
                workspace
                    .begin(&limited, &[0.5], core::slice::from_ref(&elsewhere), unsuited, &settings)
                    .is_err()
            );
            assert_eq!(workspace.step(), Progress::Done, "the refused problem is not solved");
            let solution = workspace.solution();
            assert_eq!((&solution.status, solution.iterations), (&Status::Cancelled, 0));
            assert!((solution.configuration[0] - 0.5).abs() < 1e-15, "it stands at its start");
        }
    }
}

#[test]
fn l2_not_finite_start_frame_weight() {
    let (skeleton, tip) = plane_limb(&[1.0; 3]);
    let task: Task = Position::new(tip, DVec3::Y).into();
    let settings = Settings::default();
    for bad in BAD {
        for i in 0..3 {
            let mut start = [0.1; 3];
            start[i] = bad;
            all_refuse(&skeleton, &start, &task, &settings, &format!("\"b{i}\": value"));
        }
        let mut moved = tip;
        moved.joint_from_frame.translation.y = bad;
        all_refuse(
            &skeleton,
            &[0.1; 3],
            &Position::new(moved, DVec3::Y).into(),
            &settings,
            "task frame",
        );
        let mut turned = tip;
        turned.joint_from_frame.rotation.w = bad;
        all_refuse(
            &skeleton,
            &[0.1; 3],
            &Position::new(turned, DVec3::Y).into(),
            &settings,
            "task frame",
        );
        let weighed = Task::new(Position::new(tip, DVec3::Y)).weighing(bad);
        all_refuse(&skeleton, &[0.1; 3], &weighed, &settings, "task weight");
        let mut settings = Settings::default();
        settings.joint(2).weight = bad;
        all_refuse(&skeleton, &[0.1; 3], &task, &settings, "weight[2]");
        settings.joint(1).share = bad;
        all_refuse(&skeleton, &[0.1; 3], &task, &settings, "share[1]");
    }
}

#[test]
fn l14_quaternions_in_start_and_target() {
    let (skeleton, tip) = space_limb(&[1.0, 0.8, 0.5]);
    let mut rng = Rng::new(30);
    let start: Vec<f64> = (0..3).flat_map(|_| rng.rotation().to_array()).collect();
    let target = DVec3::new(0.7, -0.9, 0.6);
    let task = [Position::new(tip, target).into()];
    let settings = Settings::default();
    let exact = by_all(&skeleton, &start, &task, &settings);
    assert_eq!(exact.len(), 6, "all but the two-bone form");
    // Off unit length by what a text file loses.
    let rounded: Vec<f64> = start.iter().map(|x| x * 1.0005).collect();
    for ((method, a), (_, b)) in exact.iter().zip(by_all(&skeleton, &rounded, &task, &settings)) {
        let off = a.points.iter().zip(&b.points).fold(0.0_f64, |m, (x, y)| m.max((x - y).abs()));
        assert!(off < 1e-6 && b.is_reached(), "{}: {off:e}", method.name());
    }
    // The other sign is the same rotation: the same points, to the bit.
    let mut negated = start.clone();
    negated[4..8].iter_mut().for_each(|x| *x = -*x);
    for ((method, a), (_, b)) in exact.iter().zip(by_all(&skeleton, &negated, &task, &settings)) {
        assert_eq!(a.points, b.points, "{}: the sign of a quaternion", method.name());
    }
    let mut zero = start;
    zero[4..8].fill(0.0);
    all_refuse(&skeleton, &zero, &task[0], &settings, "\"b1\": value is not a unit quaternion");
    let no_target = Orientation::new(tip, DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0)).into();
    all_refuse(&skeleton, &skeleton.neutral(), &no_target, &settings, "task target");
}

#[test]
fn l14_the_sign_of_a_target_orientation() {
    let (skeleton, tip) = space_limb(&[1.0, 0.8, 0.5]);
    let turn = rotation_about(DVec3::new(0.6, 0.0, 0.8), 1.0);
    let place = Position::new(tip, DVec3::new(0.9, 0.9, 0.6));
    let run = |turn| {
        let tasks = [place.into(), Orientation::new(tip, turn).into()];
        by_all(&skeleton, &skeleton.neutral(), &tasks, &Settings::default())
    };
    for ((method, a), (_, b)) in run(turn).iter().zip(run(-turn)) {
        assert!(a.is_reached(), "{}: {:?}", method.name(), a.status);
        assert_eq!(a.points, b.points, "{}", method.name());
    }
}

#[test]
fn l16_start_outside_the_limits_is_brought_inside() {
    let range = Limit::Range { min: 0.5, max: 1.5 };
    let (skeleton, tip) =
        limb(&[1.0, 1.0, 1.0], |name| Joint::revolute(name, DVec3::Z).with_limit(range));
    let inside = skeleton.poses(&[0.6, 0.8, 1.1]);
    let task: Task = Position::new(tip, tip.world(&inside).translation).into();
    for start in [[0.0; 3], [-100.0, 3.0, 0.7], [1.5, 1.6, 0.4]] {
        for (method, solution) in
            by_all(&skeleton, &start, core::slice::from_ref(&task), &Settings::default())
        {
            assert!(solution.is_reached(), "{}: {:?}", method.name(), solution.status);
            assert!(skeleton.within_limits(&solution.configuration, 0.0), "{}", method.name());
        }
        let only_measured = Settings::default().with_iterations(0);
        for (method, solution) in
            by_all(&skeleton, &start, core::slice::from_ref(&task), &only_measured)
        {
            let mut clamped = start.to_vec();
            skeleton.clamp(&mut clamped);
            for (a, b) in solution.configuration.iter().zip(&clamped) {
                assert!((a - b).abs() < 1e-15, "{}: the nearer bound", method.name());
            }
        }
    }
}

#[test]
fn l16_a_ball_that_starts_outside_its_cone() {
    let cone = Limit::Cone { axis: DVec3::X, swing: 0.6, twist: [-0.2, 0.2] };
    let (skeleton, tip) = limb(&[1.0, 1.0, 1.0], |name| Joint::ball(name).with_limit(cone));
    let out = rotation_about(DVec3::Z, 2.0).to_array();
    let start: Vec<f64> = [out, out, out].concat();
    let task: Task = Position::new(tip, DVec3::new(2.6, 0.7, 0.3)).into();
    for (method, solution) in
        by_all(&skeleton, &start, core::slice::from_ref(&task), &Settings::default())
    {
        assert!(ends_well(method, &solution), "{}: {:?}", method.name(), solution.status);
        assert!(skeleton.within_limits(&solution.configuration, 2e-12), "{}", method.name());
    }
}

#[test]
fn l18_ranges_beyond_a_turn_and_without_end() {
    let ranges = [
        Limit::Range { min: -10.0, max: 10.0 },
        Limit::Range { min: f64::NEG_INFINITY, max: f64::INFINITY },
        Limit::Range { min: f64::NEG_INFINITY, max: 9.5 },
        Limit::Range { min: 6.0, max: 6.0 + core::f64::consts::TAU },
        Limit::None,
    ];
    for range in ranges {
        let joint = |name| Joint::revolute(name, DVec3::Z).with_limit(range);
        let (skeleton, tip) = limb(&[1.0, 1.0, 1.0], joint);
        let start = [8.9, 7.0, 9.1];
        let goal = skeleton.poses(&[8.7, 7.2, 9.2]);
        let task: Task = Position::new(tip, tip.world(&goal).translation).into();
        for (method, solution) in
            by_all(&skeleton, &start, core::slice::from_ref(&task), &Settings::default())
        {
            let name = format!("{} in {range:?}", method.name());
            assert!(solution.is_reached(), "{name}: {:?}", solution.status);
            assert!(skeleton.within_limits(&solution.configuration, 0.0), "{name}: limits broken");
            for (a, b) in solution.configuration.iter().zip(&start) {
                assert!((a - b).abs() < 1.0, "{name}: no joint has jumped by a turn: {a}, was {b}");
            }
        }
    }
}

#[test]
fn l18_a_cone_with_a_twist_beyond_a_turn() {
    let cone = Limit::Cone { axis: DVec3::X, swing: 1.0, twist: [-7.0, f64::INFINITY] };
    let (skeleton, tip) = limb(&[1.0, 1.0], |name| Joint::ball(name).with_limit(cone));
    let turned = rotation_about(DVec3::X, 3.0).to_array();
    let start = [turned, turned].concat();
    let task: Task = Position::new(tip, DVec3::new(1.7, 0.5, 0.2)).into();
    for (method, solution) in
        by_all(&skeleton, &start, core::slice::from_ref(&task), &Settings::default())
    {
        assert!(solution.is_reached(), "{}: {:?}", method.name(), solution.status);
    }
}

#[test]
fn l22_no_iterations_only_measures() {
    let (skeleton, tip) = plane_limb(&[1.0, 0.8, 0.5]);
    let start = [0.3, -0.4, 0.5];
    let target = DVec3::new(0.2, 1.1, 0.0);
    let miss = tip.world(&skeleton.poses(&start)).translation.distance(target);
    let none = Settings::default().with_iterations(0);
    let task: Task = Position::new(tip, target).into();
    for (method, solution) in by_all(&skeleton, &start, core::slice::from_ref(&task), &none) {
        let name = method.name();
        assert_eq!((solution.iterations, &solution.status), (0, &Status::IterationLimit), "{name}");
        assert!((solution.error - miss).abs() < 1e-14, "{name}: {:e}", solution.error - miss);
        for (a, b) in solution.configuration.iter().zip(&start) {
            assert!((a - b).abs() < 1e-15, "{name}: {a} was {b}");
        }
    }
    let there = tip.world(&skeleton.poses(&start)).translation;
    for (method, solution) in by_all(&skeleton, &start, &[Position::new(tip, there).into()], &none)
    {
        assert!(solution.is_reached(), "{}: there already", method.name());
    }
}

#[test]
fn l22_tolerance_zero_runs_every_iteration() {
    let (skeleton, tip) = plane_limb(&[1.0, 0.8, 0.5]);
    let task: Task = Position::new(tip, DVec3::new(0.2, 1.1, 0.0)).into();
    let settings = Settings::default().with_tolerance(0.0).with_iterations(30);
    for method in [Method::Ccd, Method::Fabrik, Method::Relaxation] {
        for classic in [false, true] {
            let settings = settings.clone().with_classic(classic);
            let solution =
                solve(&skeleton, &[0.3; 3], core::slice::from_ref(&task), method, &settings)
                    .unwrap();
            let name = format!("{}, classic {classic}", method.name());
            assert!(solution.error < 1e-5, "{name}: {:e}", solution.error);
            assert!(solution.iterations <= 30, "{name}: {}", solution.iterations);
            assert!(!classic || solution.iterations == 30, "{name}: {}", solution.iterations);
        }
    }
}

#[test]
fn l22_tolerances_weights_and_passes_out_of_range() {
    let (skeleton, tip) = plane_limb(&[1.0; 3]);
    let task: Task = Position::new(tip, DVec3::Y).into();
    let refuse = |settings: Settings, reason: &str| {
        all_refuse(&skeleton, &[0.1; 3], &task, &settings, reason);
    };
    for bad in [-1e-9, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        refuse(Settings::default().with_tolerance(bad), "tolerance[0] is");
        let orientation_tolerance = Some(bad);
        let settings = Settings::default().with_orientation_tolerance(orientation_tolerance);
        refuse(settings, "orientation_tolerance[0] is");
    }
    let each = |values: &[f64], with| Settings::default().with_joints(joints(values, with));
    refuse(each(&[1.0, -0.1, 1.0], JointOptions::with_share), "share[1]");
    refuse(each(&[1.0, 1.0, 1.1], JointOptions::with_share), "share[2]");
    refuse(each(&[1.0, 0.0], JointOptions::with_share), "to hold a joint, lock it");
    refuse(each(&[1.0, -0.1, 1.0], JointOptions::with_weight), "weight[1]");
    refuse(each(&[1.0; 4], JointOptions::with_weight), "names joint 3, but the skeleton has 3");
    let relaxation = Relaxation::default().with_passes(0);
    refuse(Settings::default().with_relaxation(relaxation), "relaxation.passes");
    let weighed = Task::new(Position::new(tip, DVec3::Y)).weighing(-1.0);
    all_refuse(&skeleton, &[0.1; 3], &weighed, &Settings::default(), "task weight");
    // A frame on a joint that is not there, and too many values.
    let nowhere = Position::new(Frame::new(3, Pose::IDENTITY), DVec3::Y);
    all_refuse(&skeleton, &[0.1; 3], &nowhere.into(), &Settings::default(), "task frame joint");
    all_refuse(&skeleton, &[0.1; 4], &task, &Settings::default(), "expected 3");
}

#[test]
fn l22_locked_joints_and_weights_of_zero() {
    let (skeleton, tip) = plane_limb(&[1.0; 4]);
    let task: Task = Position::new(tip, DVec3::new(1.0, 2.0, 0.0)).into();
    let start = [0.3, 0.4, -0.2, 0.5];
    // The first joint does not take part; the others still reach.
    let mut classic = locking(&[0]).with_classic(true).with_iterations(2000);
    classic.joint(2).share = 0.5;
    let solution =
        solve(&skeleton, &start, core::slice::from_ref(&task), Method::Ccd, &classic).unwrap();
    assert!(solution.configuration[0] == 0.3, "held: {}", solution.configuration[0]);
    let task = task.weighing(0.0);
    for (method, solution) in
        by_all(&skeleton, &start, core::slice::from_ref(&task), &Settings::default())
    {
        let finite = solution.configuration.iter().all(|x| x.is_finite());
        assert!(finite, "{}: a task of no weight", method.name());
    }
    let joints = joints(&[0.0; 4], JointOptions::with_weight);
    let loose = Settings::default().with_joints(joints);
    let mut held = loose.clone();
    held.joints.iter_mut().for_each(|joint| joint.locked = true);
    let task: Task = Position::new(tip, DVec3::new(1.0, 2.0, 0.0)).into();
    for settings in [loose, held] {
        for (method, solution) in by_all(&skeleton, &start, core::slice::from_ref(&task), &settings)
        {
            let finite = solution.configuration.iter().all(|x| x.is_finite());
            assert!(finite, "{}: all weights are zero", method.name());
        }
    }
}

#[test]
fn l24_progress_after_the_end_stays_done() {
    let (skeleton, tip) = plane_limb(&[1.0; 4]);
    let task: Task = Position::new(tip, DVec3::new(1.0, 2.0, 0.0)).into();
    let mut workspace = Workspace::default();
    workspace
        .begin(
            &skeleton,
            &[0.1; 4],
            core::slice::from_ref(&task),
            Method::Ccd,
            &Settings::default(),
        )
        .unwrap();
    let solution = workspace.run().clone();
    assert_eq!(workspace.step(), Progress::Done, "nothing more to do");
    assert_eq!(workspace.solution(), &solution, "and nothing was done");
}
