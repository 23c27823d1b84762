//! Arms in motion: steps of servo loops, and paths that keep limits, velocities and accelerations and never jump.

#![allow(clippy::unwrap_used, reason = "a test that cannot set up its problem must stop")]

use crate::support;

use posekit::arm::{Arm, ArmSettings, Dexterity, Prefer, Track, TrackEnd, TrackFrom, TrackStatus};
use posekit::glam::DVec3;
use posekit::math::{Pose, direction_or, rotation_about, sin, so3_log};
use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
use support::Rng;
use support::arms::{Arm as Rows, IIWA, PUMA};

const VELOCITY: f64 = 2.5;
const PERIOD: f64 = 0.002;

fn exact() -> ArmSettings {
    ArmSettings::default().with_tolerances(1e-6, 1e-6)
}

fn moving(robot: &Rows) -> Arm {
    let arm = Arm::new(&robot.skeleton, robot.flange).unwrap();
    arm.with_velocity_limits(&vec![VELOCITY; robot.skeleton.n_dofs()]).unwrap()
}

/// A straight line of poses at 500 Hz and a quarter of a metre per second.
fn line(from: Pose, direction: DVec3, samples: u32) -> (Vec<f64>, Vec<Pose>) {
    let times = (0..=samples).map(|k| PERIOD * f64::from(k)).collect();
    let step = direction * (0.25 * PERIOD);
    let at = |k: u32| Pose::new(from.rotation, from.translation + step * f64::from(k));
    (times, (0..=samples).map(at).collect())
}

/// What holds for every track: limits, velocities, targets on time or later and met by the skeleton's kinematics, small steps.
fn check(robot: &Rows, track: &Track, targets: &[Pose]) {
    let samples = &track.samples;
    for (k, sample) in samples.iter().enumerate() {
        let q = track.configuration(k);
        assert!(robot.skeleton.within_limits(q, 0.0), "sample {k}: {q:?}");
        assert!(sample.time >= sample.path_time - 1e-12, "early at {k}");
        if let Some(target) = sample.target {
            let (tool, target) = (robot.at(q), targets[target]);
            assert!(tool.translation.distance(target.translation) < 1.001e-6, "sample {k}");
            let turn = so3_log(target.rotation * tool.rotation.conjugate()).length();
            assert!(turn < 1.001e-6, "sample {k}");
        }
        if k > 0 {
            let duration = sample.time - samples[k - 1].time;
            for (a, b) in q.iter().zip(track.configuration(k - 1)) {
                assert!((a - b).abs() <= VELOCITY * duration * (1.0 + 1e-9), "too fast at {k}");
                assert!((a - b).abs() <= 0.1, "a jump at {k}");
            }
        }
    }
    let visited: Vec<usize> = samples.iter().filter_map(|sample| sample.target).collect();
    assert!(visited.iter().copied().eq(0..visited.len()), "every target in order: {visited:?}");
    let is_at_end = visited.len() == targets.len();
    assert_eq!(track.is_completed(), is_at_end, "{:?}", track.status);
}

#[test]
fn lines_are_completed_or_end_for_a_reason() {
    for rows in [PUMA.as_slice(), &IIWA] {
        let robot = Rows::new(rows);
        let arm = moving(&robot);
        let rng = &mut Rng::new(1);
        let (mut completed, mut delayed) = (0, 0);
        for _ in 0..100 {
            let start = robot.configuration(rng);
            let (times, targets) = line(robot.at(&start), rng.direction(), 250);
            let track = arm.track(&times, &targets, &start, &exact()).unwrap();
            check(&robot, &track, &targets);
            completed += u32::from(track.is_completed());
            delayed += u32::from(track.delay() > 0.0);
            match &track.status {
                TrackStatus::Completed => {}
                TrackStatus::Ended { reason: TrackEnd::Limits(joints), .. } => {
                    let last = track.configuration(track.samples.len() - 1);
                    let skeleton = &robot.skeleton;
                    assert!(!joints.is_empty());
                    // Reported a little before the end, where a node is.
                    assert!(joints.iter().all(|&joint| skeleton.touches_limit(joint, last, 0.06)));
                }
                TrackStatus::Ended { reason, dexterity, .. } => {
                    let Dexterity { smallest_singular_value: least, .. } = *dexterity;
                    assert!(least < 0.1, "{reason:?} at a regular configuration: {least}");
                }
                other => panic!("{other:?}"),
            }
        }
        assert!(completed >= 55 && delayed > 10, "{completed} completed, {delayed} delayed");
    }
}

#[test]
fn the_start_is_the_solution_that_leads_furthest() {
    for rows in [PUMA.as_slice(), &IIWA] {
        let robot = Rows::new(rows);
        let arm = moving(&robot);
        let rng = &mut Rng::new(1);
        let mut more = 0;
        for _ in 0..40 {
            let start = robot.configuration(rng);
            let (times, targets) = line(robot.at(&start), rng.direction(), 250);
            let end = |track: &Track| match &track.status {
                TrackStatus::Ended { path_time, .. } => *path_time,
                _ => 0.5,
            };
            let given = arm.track(&times, &targets, &start, &exact()).unwrap();
            let track = arm.track_from_any(&times, &targets, &start, &exact()).unwrap();
            check(&robot, &track, &targets);
            assert!(end(&track) >= end(&given), "{:?} {:?}", track.status, given.status);
            // Of six joints all solutions are known, so no other leads further.
            if rows.len() == 6 && !track.is_completed() {
                for other in arm.solutions(targets[0], &start, &exact()).unwrap() {
                    let other = arm.track(&times, &targets, &other, &exact()).unwrap();
                    assert!(end(&other) <= end(&track), "{:?}", other.status);
                }
            }
            more += u32::from(end(&track) > end(&given));
        }
        assert!(more > 0, "another start leads further at times");
    }
}

#[test]
fn a_path_that_meets_a_limit_begins_a_turn_earlier() {
    let limit = |by: f64| Limit::Range { min: -by, max: by };
    let mut joints = vec![Joint::revolute("0", DVec3::Z).with_limit(limit(6.0))];
    for (i, axis) in [DVec3::Y, DVec3::Y, DVec3::X, DVec3::Y, DVec3::X].into_iter().enumerate() {
        let length = if i < 3 { 0.4 } else { 0.0 };
        let place = Pose::from_translation(DVec3::X * length);
        let joint = Joint::revolute(format!("{}", i + 1), axis).at(place).child_of(i);
        joints.push(joint.with_limit(limit(3.0)));
    }
    let skeleton = Skeleton::try_new(joints).unwrap();
    let tool = Frame::new(5, Pose::from_translation(DVec3::X * 0.1));
    let arm = Arm::new(&skeleton, tool).unwrap();
    let start = [5.5, 0.6, -1.2, 0.3, 0.9, 0.2];
    let begin = arm.pose(&start).unwrap();
    let times: Vec<f64> = (0..=100).map(|k| 0.01 * f64::from(k)).collect();
    // Once around the first axis.
    let turn = |time: &f64| Pose::from_rotation(rotation_about(DVec3::Z, 5.0 * time)) * begin;
    let targets: Vec<Pose> = times.iter().map(turn).collect();
    let given = arm.track(&times, &targets, &start, &exact()).unwrap();
    assert!(!given.is_completed());
    let track = arm.track_from_any(&times, &targets, &start, &exact()).unwrap();
    assert!(track.is_completed(), "{:?}", track.status);
    let [first, last] = [0, track.samples.len() - 1].map(|k| track.configuration(k)[0]);
    assert!((last - first - 5.0).abs() < 1e-5 && first < 0.0, "{first} to {last}");
}

#[test]
fn circle_comes_back_to_where_it_began() {
    let robot = Rows::new(&PUMA);
    let arm = moving(&robot);
    let start = [0.1, 0.6, -0.8, 0.3, 0.9, 0.2];
    let center = robot.at(&start);
    let at = |k: u32| {
        let angle = core::f64::consts::TAU * f64::from(k) / 500.0;
        let offset = rotation_about(DVec3::Z, angle) * (DVec3::X * 0.05) - DVec3::X * 0.05;
        let rotation = center.rotation * rotation_about(DVec3::X, 0.2 * sin(angle));
        Pose::new(rotation, center.translation + offset)
    };
    let targets: Vec<Pose> = (0..=500).map(at).collect();
    let times: Vec<f64> = (0..=500).map(|k| PERIOD * f64::from(k)).collect();
    let track = arm.track(&times, &targets, &start, &exact()).unwrap();
    check(&robot, &track, &targets);
    assert!(track.is_completed() && track.delay() < 1e-9, "{:?}", track.status);
    let last = track.configuration(track.samples.len() - 1);
    assert!(last.iter().zip(&start).all(|(a, b)| (a - b).abs() < 1e-4), "{last:?}");
}

#[test]
fn acceleration_limits_hold_and_both_ends_rest() {
    let robot = Rows::new(&PUMA);
    let limit = 20.0;
    let arm = moving(&robot).with_acceleration_limits(&[limit; 6]).unwrap();
    let rng = &mut Rng::new(2);
    let mut completed = 0;
    for _ in 0..30 {
        let start = robot.configuration(rng);
        let (times, targets) = line(robot.at(&start), rng.direction(), 250);
        let track = arm.track(&times, &targets, &start, &exact()).unwrap();
        check(&robot, &track, &targets);
        completed += u32::from(track.is_completed());
        let time = |k: usize| track.samples[k].time;
        let velocity = |k: usize, i: usize| {
            let (a, b) = (track.configuration(k - 1)[i], track.configuration(k)[i]);
            (b - a) / (time(k) - time(k - 1))
        };
        let n = track.samples.len();
        for (k, i) in (1..n - 1).flat_map(|k| (0..6).map(move |i| (k, i))) {
            let by = velocity(k + 1, i) - velocity(k, i);
            let acceleration = by / (0.5 * (time(k + 1) - time(k - 1)));
            // Differences over the samples beside a corner are up to twice the limit.
            assert!(acceleration.abs() < 2.2 * limit, "sample {k}: {acceleration}");
        }
        for i in 0..6 {
            let first = velocity(1, i).abs();
            assert!(first <= limit * (time(1) - time(0)), "starts at {first}");
        }
    }
    assert!(completed >= 15, "{completed}");
}

#[test]
fn line_out_of_reach_ends_where_the_arm_is_stretched() {
    let robot = Rows::new(&PUMA);
    let arm = moving(&robot);
    let start = [0.0, 0.3, -0.6, 0.0, 0.5, 0.0];
    let from = robot.at(&start);
    let (times, targets) = line(from, direction_or(from.translation, DVec3::X), 4000);
    let track = arm.track(&times, &targets, &start, &exact()).unwrap();
    check(&robot, &track, &targets);
    let TrackStatus::Ended { path_time, reason, dexterity } = &track.status else {
        panic!("{:?}", track.status)
    };
    assert_eq!(*reason, TrackEnd::Reach);
    assert!(*path_time > 0.1 && *path_time < 4.0 && dexterity.smallest_singular_value < 0.05);
}

#[test]
fn first_target_out_of_reach_gives_an_empty_track() {
    let robot = Rows::new(&PUMA);
    let arm = moving(&robot);
    let target = Pose::from_translation(DVec3::X * 9.0);
    let track = arm.track(&[0.0, 1.0], &[target; 2], &[0.0; 6], &exact()).unwrap();
    assert!(track.samples.is_empty() && track.values.is_empty() && !track.is_completed());
}

#[test]
fn cancelled_track_has_no_samples() {
    let robot = Rows::new(&PUMA);
    let accelerations = vec![20.0; robot.skeleton.n_dofs()];
    let arm = moving(&robot).with_acceleration_limits(&accelerations).unwrap();
    let begin = [0.1, 0.6, -0.8, 0.3, 0.9, 0.2];
    let (times, targets) = line(robot.at(&begin), DVec3::Y, 50);
    let mut calls = 0;
    let count = || {
        calls += 1;
        true
    };
    let whole =
        arm.track_while(&times, &targets, &begin, &exact(), TrackFrom::Nearest, count).unwrap();
    assert_eq!(whole, arm.track(&times, &targets, &begin, &exact()).unwrap());
    assert!(whole.is_completed() && calls > 80, "the path and its times: {calls}");
    for most in [0, 1, calls / 2, calls - 1] {
        let mut rest = most;
        let goes_on = || {
            rest -= i32::from(rest > 0);
            rest > 0
        };
        let track = arm
            .track_while(&times, &targets, &begin, &exact(), TrackFrom::Nearest, goes_on)
            .unwrap();
        assert_eq!(track.status, TrackStatus::Cancelled, "after {most} of {calls}");
        assert!(track.samples.is_empty() && track.values.is_empty());
    }
}

#[test]
fn one_refusal_cancels_a_track() {
    let robot = Rows::new(&PUMA);
    let arm = moving(&robot);
    let begin = [0.1, 0.6, -0.8, 0.3, 0.9, 0.2];
    let (times, targets) = line(robot.at(&begin), DVec3::Y, 50);
    // Without a closed form the solutions are searched for, which can be cancelled, too.
    let any_spin = exact().with_bounds([0.0, 0.0, 0.0, 0.0, 0.0, f64::INFINITY]);
    for settings in [exact(), any_spin] {
        for from in [TrackFrom::Nearest, TrackFrom::Any] {
            for refused in [1, 2, 5] {
                let mut calls = 0;
                let goes_on = || {
                    calls += 1;
                    calls != refused
                };
                let track = arm.track_while(&times, &targets, &begin, &settings, from, goes_on);
                assert_eq!(track.unwrap().status, TrackStatus::Cancelled, "{from:?}, {refused}");
            }
        }
    }
}

#[test]
fn wrong_input_is_refused() {
    let robot = Rows::new(&PUMA);
    let arm = Arm::new(&robot.skeleton, robot.flange).unwrap();
    let q = [0.1, 0.2, -0.3, 0.4, 0.5, 0.6];
    let target = robot.at(&q);
    let track = |times: &[f64], n: usize| arm.track(times, &vec![target; n], &q, &exact());
    assert!(track(&[], 0).unwrap_err().is_wrong_length());
    assert!(track(&[0.0], 2).unwrap_err().is_wrong_length());
    assert!(track(&[0.0, f64::NAN], 2).unwrap_err().is_not_finite());
    assert!(track(&[0.0, 0.0], 2).unwrap_err().is_out_of_range());
    assert!(track(&[0.0], 1).unwrap().is_completed());
    let step = |dt: f64| arm.step(target, &mut q.clone(), dt, &exact());
    assert!(step(0.0).unwrap_err().is_out_of_range() && step(f64::NAN).is_err());
    let limited = |limits: &[f64]| arm.clone().with_velocity_limits(limits);
    assert!(limited(&[1.0; 5]).unwrap_err().is_wrong_length());
    assert_eq!(limited(&[1.0, 1.0, 0.0, 1.0, 1.0, 1.0]).unwrap_err().index(), Some(2));
}

#[test]
fn servo_loop_converges_within_velocity_limits() {
    let robot = Rows::new(&IIWA);
    let arm = moving(&robot);
    let rng = &mut Rng::new(3);
    let mut arrived = 0;
    for _ in 0..50 {
        let mut q = robot.configuration(rng);
        let goal: Vec<f64> = q.iter().map(|q| q + rng.between(-0.2, 0.2)).collect();
        let mut goal = goal;
        robot.skeleton.clamp(&mut goal);
        let target = robot.at(&goal);
        let mut last = f64::INFINITY;
        for _ in 0..500 {
            let before = q.clone();
            let step = arm.step(target, &mut q, PERIOD, &exact()).unwrap();
            for (a, b) in q.iter().zip(&before) {
                assert!((a - b).abs() <= VELOCITY * PERIOD * (1.0 + 1e-9));
            }
            assert!(robot.skeleton.within_limits(&q, 0.0));
            last = step.distance;
        }
        arrived += u32::from(last < 1e-6);
    }
    assert!(arrived >= 49, "{arrived} of 50");
}

#[test]
fn redundant_joints_approach_the_posture_while_the_tool_stays() {
    let robot = Rows::new(&IIWA);
    let begin = vec![-0.4, 0.7, 0.3, -1.1, 0.2, 0.9, -0.3];
    let target = robot.at(&begin);
    let approach = |from: &[f64], posture: &[f64]| {
        let arm = moving(&robot).with_posture(posture).unwrap();
        let mut q = from.to_vec();
        for _ in 0..2000 {
            let settings = exact().with_prefer(Prefer::Posture);
            let step = arm.step(target, &mut q, PERIOD, &settings).unwrap();
            assert!(step.distance < 1e-4, "{step:?}");
        }
        q
    };
    let distance =
        |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    // Along the self-motion and back.
    let away = approach(&begin, &[2.0, 0.7, -2.0, -1.1, 2.0, 0.9, 0.0]);
    assert!(distance(&away, &begin) > 0.3, "{away:?}");
    let back = approach(&away, &begin);
    assert!(distance(&back, &begin) < 0.01, "{back:?}");
}
