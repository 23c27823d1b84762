//! Least squares on the hazards that have names, one test for each.
//!
//! Everything is measured by [`Task::miss`] and forward kinematics, from the returned joint values alone.

use crate::support;

use posekit::Error;
use posekit::glam::{DQuat, DVec3};
use posekit::math::{Pose, rotation_about, so3_log};
use posekit::skeleton::{Frame, Joint, JointKind, Limit, Mimic, Skeleton};
use posekit::solve::{JointOptions, LeastSquares, Method, Settings, Status, Workspace, solve};
use posekit::task::{
    AxisAlignment, Body, Capsule, CenterOfMass, Clearance, Closure, Distance, FramePose, Link,
    LookAt, Orientation, Plane, Position, Posture, RelativePose, Support, Task, TaskKind,
    center_of_mass,
};
use support::person::{self, bodies, capsules, eyes, foot, hand, person};
use support::random::{Figure, N_KINDS, Traits};
use support::solved::{defaults, gantry, least};
use support::{Rng, joints, locking, space_limb};

fn locked() -> JointOptions {
    JointOptions::default().with_locked(true)
}

fn pre_pulled() -> JointOptions {
    JointOptions::default().with_pre_pulled(true)
}

// Tasks against each other.

/// Two places for one tool: it stands between them as their weights say.
#[test]
fn conflicting_tasks() {
    let (skeleton, tool) = gantry();
    let (a, b) = (DVec3::new(1.0, 2.0, 0.0), DVec3::new(-3.0, 0.0, 4.0));
    let tasks = [Position::new(tool, a).into(), Task::new(Position::new(tool, b)).weighing(3.0)];
    let solution = defaults(&skeleton, &[0.5; 3], &tasks);
    assert!(!solution.is_reached(), "{:?}", solution.status);
    let at = DVec3::from_slice(&solution.configuration);
    let mean = (a + b * 3.0) / 4.0;
    assert!(at.distance(mean) < 1e-6, "{at}, not {mean}");
}

/// The same two places, one above the other: the first has all, the second is missed by what is left.
#[test]
fn contradictory_levels() {
    let (skeleton, tool) = gantry();
    let (a, b) = (DVec3::new(1.0, 2.0, 0.0), DVec3::new(-3.0, 0.0, 4.0));
    for (first, second) in [(a, b), (b, a)] {
        let tasks = [
            Task::new(Position::new(tool, second)).at_level(7).weighing(100.0),
            Position::new(tool, first).into(),
        ];
        let solution = defaults(&skeleton, &[0.5; 3], &tasks);
        assert!(solution.is_reached(), "{:?}", solution.status);
        assert!(tasks[1].miss(&skeleton, &solution.configuration).distance < 1e-9 * 5.0, "first");
        let missed = tasks[0].miss(&skeleton, &solution.configuration).distance;
        assert!((missed - a.distance(b)).abs() < 1e-8, "the second is missed by {missed}");
    }
}

/// A task that weighs nothing changes nothing, is measured all the same, and nobody waits for it.
#[test]
fn zero_weights() {
    for index in 0..200 {
        let mut rng = Rng::new(index);
        let figure = Figure::random(&mut rng, Traits { limits: true, ..Traits::default() });
        let (start, truth) = (figure.pose(&mut rng), figure.pose(&mut rng));
        let kind = rng.whole(0, N_KINDS - 1);
        let nothing = figure.task(&mut rng, kind, &truth).weighing(0.0);
        let tip = figure.tips[0];
        let target = tip.world(&figure.skeleton.poses(&truth)).translation;
        let task: Task = Position::new(tip, target).into();
        let alone = defaults(&figure.skeleton, &start, core::slice::from_ref(&task));
        let both = defaults(&figure.skeleton, &start, &[nothing.clone(), task]);
        let name = nothing.kind.name();
        assert_eq!(alone.is_reached(), both.is_reached(), "case {index}, {name}");
        let mut v = vec![0.0; figure.skeleton.n_dofs()];
        figure.skeleton.difference(&alone.configuration, &both.configuration, &mut v);
        let off = v.iter().fold(0.0, |worst, x| f64::max(worst, x.abs()));
        assert!(off < 1e-9, "case {index}, {name}: moved by {off}");
        let only = defaults(&figure.skeleton, &start, &[nothing]);
        assert!(only.is_reached(), "case {index}, {name}: {:?}", only.status);
        figure.skeleton.difference(&start, &only.configuration, &mut v);
        assert!(v.iter().all(|x| x.abs() < 1e-12), "case {index}, {name}: {v:?}");
    }
}

/// No tasks: everything holds, and the start is the answer.
#[test]
fn empty_task_list() {
    let mut rng = Rng::new(1);
    for method in [Method::LeastSquares, Method::Auto] {
        let figure = Figure::random(&mut rng, Traits { limits: true, ..Traits::default() });
        let start = figure.pose(&mut rng);
        let settings = Settings::default();
        let solution = solve(&figure.skeleton, &start, &[], method, &settings);
        let solution = solution.expect("nothing is valid");
        assert_eq!((solution.status, solution.iterations), (Status::Reached, 0));
        assert_eq!(solution.configuration, start);
    }
}

/// What `auto` says of no tasks, and of tasks that are all switched off: not that they are orientations.
#[test]
fn nothing_is_asked_for() {
    let (skeleton, tip) = space_limb(&[1.0, 0.8]);
    let off = Task::new(Position::new(tip, DVec3::X)).weighing(0.0);
    let stiff = joints(&vec![2.0; skeleton.n_joints()], JointOptions::with_stiffness);
    let settings = [Settings::default(), Settings::default().with_joints(stiff)];
    for (tasks, settings) in [(&[][..], &settings[0]), (&[off], &settings[0]), (&[], &settings[1])]
    {
        let solution =
            solve(&skeleton, &skeleton.neutral(), tasks, Method::Auto, settings).unwrap();
        assert_eq!(solution.choice.reason, "no tasks");
    }
}

/// Targets that nothing reaches, near and very far, alone and together: finite, and as near as a straight arm comes.
#[test]
fn unreachable_tasks() {
    let (skeleton, tip) = space_limb(&[1.0, 0.8, 0.4]);
    for far in [2.2001, 3.0, 1e3, 1e9] {
        let direction = DVec3::new(2.0, -1.0, 2.0) / 3.0;
        let task = Position::new(tip, direction * far).into();
        let solution = defaults(&skeleton, &skeleton.neutral(), &[task]);
        assert!(matches!(solution.status, Status::Unreachable { .. }), "{:?}", solution.status);
        let tip_at = tip.world(&skeleton.poses(&solution.configuration)).translation;
        let nearest = direction * 2.2;
        assert!(tip_at.distance(nearest) < 1e-4, "{tip_at} for {far}, not {nearest}");
    }
    let everything: Vec<Task> = vec![
        Position::new(tip, DVec3::X * 5.0).into(),
        Position::new(tip, DVec3::NEG_X * 5.0).into(),
        Orientation::new(tip, rotation_about(DVec3::Z, 2.0)).into(),
        Orientation::new(tip, rotation_about(DVec3::Y, -2.0)).into(),
        LookAt::new(tip, DVec3::X, DVec3::Y * 9.0).into(),
        Distance::between([tip, skeleton.frame(0)], 9.0, f64::INFINITY).into(),
        Closure::new([tip, skeleton.frame(0)], Link::Weld).into(),
    ];
    let solution = defaults(&skeleton, &skeleton.neutral(), &everything);
    assert!(!solution.is_reached() && solution.misses.len() == 7, "{:?}", solution.status);
}

/// What one target far out of reach misses keeps no other from its own: a second arm reaches, and a person's feet stand while a hand points at the
/// horizon.
#[test]
fn a_far_target_beside_one_in_reach() {
    let mut joints = Vec::new();
    for side in ["left", "right"] {
        let (shoulder, first) = (DVec3::Y * if side == "left" { 1.0 } else { -1.0 }, joints.len());
        let hinge = |name: &str| Joint::revolute(format!("{side} {name}"), DVec3::Z);
        joints.push(hinge("shoulder").at(Pose::from_translation(shoulder)));
        joints.push(hinge("elbow").at(Pose::from_translation(DVec3::X)).child_of(first));
    }
    let skeleton = Skeleton::try_new(joints).expect("the arms are valid");
    let tip = |joint| Frame::new(joint, Pose::from_translation(DVec3::X));
    let near = Position::new(tip(1), DVec3::new(0.5, 2.2, 0.0));
    for far in [5.0, 30.0, 1e3, 1e5] {
        let away = Position::new(tip(3), DVec3::new(far, -1.0 - far, 0.0));
        let solution = defaults(&skeleton, &[0.3, 0.3, -0.3, -0.3], &[near.into(), away.into()]);
        // The sum of squares has no digits left for less.
        let rounding = 3e-8 * far;
        assert!(solution.misses[0].distance < rounding.max(1e-6), "{far}: {:?}", solution.misses);
        assert!((solution.configuration[2] + 0.25 * core::f64::consts::PI).abs() < 1e-3);
    }
    let skeleton = person();
    let start = skeleton.neutral();
    let poses = skeleton.poses(&start);
    let stand = |side| Task::new(Position::new(foot(side), foot(side).world(&poses).translation));
    let settings = locking(&[0]);
    for far in [3.0, 20.0, 1e3] {
        let point = Position::new(hand(0), DVec3::new(0.2 * far, 0.4, far)).into();
        let solution = least(&skeleton, &start, &[stand(0), stand(1), point], &settings);
        assert!(solution.misses[..2].iter().all(|m| m.distance < 1e-6), "{:?}", solution.misses);
    }
}

// Bad numbers.

/// NaN or infinity in any number of any kind of task is an error that names the task, never a panic and never a pose.
#[test]
fn nan_is_refused() {
    let (skeleton, tip) = space_limb(&[1.0, 0.8, 0.4]);
    let frames = [tip, skeleton.frame(0)];
    let body = Body { joint: 1, center_in_joint: DVec3::ZERO, mass: 1.0 };
    let ball = Capsule::on_joint(2, [DVec3::ZERO, DVec3::X], 0.1);
    let rock = Capsule::obstacle(DVec3::Y, 0.1);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let (mut checked, start) = (0, skeleton.neutral());
        let mut refused = |what: &str, task: Task| {
            let good = Position::new(tip, DVec3::X).into();
            let tasks = [good, task];
            let settings = Settings::default();
            let result = solve(&skeleton, &start, &tasks, Method::LeastSquares, &settings);
            let error = result.expect_err(&format!("{what} = {bad} is taken")).to_string();
            let names_kind = error.starts_with("task ") || error.starts_with("posture ");
            let names_task = error.contains("[1]") || error.contains("(element 1)");
            assert!(names_kind && names_task, "{what} = {bad}: `{error}` does not name the task");
            checked += 1;
        };
        let vectors = |v: DVec3| {
            (0..3).map(move |k| {
                let mut v = v.to_array();
                v[k] = bad;
                DVec3::from_array(v)
            })
        };
        let rotations = || {
            (0..4).map(|k| {
                let mut q = DQuat::IDENTITY.to_array();
                q[k] = bad;
                DQuat::from_array(q)
            })
        };
        let turned = |rotation| Pose { rotation, translation: DVec3::X };
        for v in vectors(DVec3::X) {
            refused("position", Position::new(tip, v).into());
            refused(
                "offset",
                Position::new(Frame::new(2, Pose::from_translation(v)), DVec3::X).into(),
            );
            refused("pose", FramePose::new(tip, Pose::from_translation(v)).into());
            refused("look-at target", LookAt::new(tip, DVec3::X, v).into());
            refused("look-at axis", LookAt::new(tip, v, DVec3::X).into());
            refused("alignment axis", AxisAlignment::new(tip, v, DVec3::X).into());
            refused("alignment direction", AxisAlignment::new(tip, DVec3::X, v).into());
            refused("plane point", Plane::new(tip, v, DVec3::X).into());
            refused("plane normal", Plane::new(tip, DVec3::X, v).one_sided().into());
            refused("relative", RelativePose::new(frames, Pose::from_translation(v)).into());
            refused("hinge a", Closure::new(frames, Link::Hinge([v, DVec3::X])).into());
            refused("hinge b", Closure::new(frames, Link::Hinge([DVec3::X, v])).into());
            refused("center of mass", CenterOfMass::new([body], v).into());
            refused(
                "body",
                CenterOfMass::new([Body { center_in_joint: v, ..body }], DVec3::X).into(),
            );
            refused(
                "end",
                Clearance::new([Capsule { ends: [v, DVec3::X], ..ball }, rock], 0.1).into(),
            );
            refused(
                "end",
                Clearance::new([Capsule { ends: [DVec3::X, v], ..ball }, rock], 0.1).into(),
            );
            refused("rock", Clearance::new([ball, Capsule::obstacle(v, 0.1)], 0.1).into());
            assert!(Support::try_new([body], &[DVec3::X, v], DVec3::Z, 0.0).is_err(), "corner");
            assert!(Support::try_new([body], &[DVec3::X], v, 0.0).is_err(), "vertical");
        }
        for q in rotations() {
            refused("orientation", Orientation::new(tip, q).into());
            refused("pose", FramePose::new(tip, turned(q)).into());
            refused("relative", RelativePose::new(frames, turned(q)).into());
            refused("offset", Position::new(Frame::new(2, turned(q)), DVec3::X).into());
        }
        refused("distance", Distance::new(frames, bad).into());
        refused("least distance", Distance::between(frames, bad, 1.0).into());
        if bad != f64::INFINITY {
            refused("largest distance", Distance::between(frames, 0.1, bad).into());
        }
        refused("mass", CenterOfMass::new([Body { mass: bad, ..body }], DVec3::X).into());
        refused("radius", Clearance::new([Capsule { radius: bad, ..ball }, rock], 0.1).into());
        refused("radius", Clearance::new([ball, Capsule { radius: bad, ..rock }], 0.1).into());
        refused("margin", Clearance::new([ball, rock], bad).into());
        assert!(Support::try_new([body], &[DVec3::X], DVec3::Z, bad).is_err(), "margin");
        let heavy = Support::try_new([Body { mass: bad, ..body }], &[DVec3::X], DVec3::Z, 0.0);
        refused("support mass", heavy.expect("the corner is finite").into());
        for k in 0..start.len() {
            let mut q = start.clone();
            q[k] = bad;
            refused("posture", Posture::new(q).into());
        }
        let rest = Posture::new(start.clone());
        refused("care", rest.clone().caring([bad, 1.0, 1.0]).into());
        refused("weight", Task::new(rest).weighing(bad));
        assert!(checked > 80, "only {checked} numbers are tried");
        for field in 0..3 {
            let mut settings = Settings::default();
            match field {
                0 => settings.joint(1).stiffness = bad,
                1 => settings.joint(1).largest_change = bad,
                _ => settings.least_squares.regularisation = bad,
            }
            // A change without bound is no bound.
            if field == 1 && bad == f64::INFINITY {
                continue;
            }
            let task = Position::new(tip, DVec3::X).into();
            let result = solve(&skeleton, &start, &[task], Method::LeastSquares, &settings);
            assert!(result.is_err(), "setting {field} = {bad} is taken");
        }
    }
}

// Rank.

/// The same task ten times over is the same task once.
#[test]
fn duplicate_tasks() {
    let (skeleton, tip) = space_limb(&[1.0, 0.8, 0.4]);
    let task: Task = Position::new(tip, DVec3::new(0.5, 1.0, -0.3)).into();
    let once = defaults(&skeleton, &skeleton.neutral(), core::slice::from_ref(&task));
    let often = defaults(&skeleton, &skeleton.neutral(), &vec![task.clone(); 10]);
    assert!(once.is_reached() && often.is_reached(), "{:?} {:?}", once.status, often.status);
    let mut v = vec![0.0; skeleton.n_dofs()];
    skeleton.difference(&once.configuration, &often.configuration, &mut v);
    assert!(v.iter().all(|x| x.abs() < 1e-5), "{v:?}");
    let levels: Vec<Task> = (1..=5).map(|level| task.clone().at_level(level)).collect();
    let stacked = defaults(&skeleton, &skeleton.neutral(), &levels);
    assert!(stacked.is_reached(), "{:?}", stacked.status);
    assert!(stacked.misses.iter().all(|miss| miss.distance < 1e-8), "{:?}", stacked.misses);
}

/// Tasks on what nothing moves: met or not, the rest goes on.
#[test]
fn tasks_on_the_base() {
    let bone = Pose::from_translation(DVec3::X);
    let joints = vec![
        Joint::fixed("base"),
        Joint::ball("shoulder").child_of(0),
        Joint::ball("elbow").child_of(1).at(bone),
    ];
    let skeleton = Skeleton::try_new(joints).expect("the arm is valid");
    let (base, tip) = (skeleton.frame(0), Frame::new(2, bone));
    let reach = Task::new(Position::new(tip, DVec3::new(0.5, 0.5, 1.0)));
    for (target, is_met) in [(DVec3::ZERO, true), (DVec3::Y, false)] {
        let on_base: [Task; 4] = [
            Position::new(base, target).into(),
            FramePose::new(base, Pose::from_translation(target)).into(),
            Plane::new(base, target, DVec3::Y).into(),
            Distance::new([base, skeleton.frame(1)], target.length()).into(),
        ];
        for task in on_base {
            let name = task.kind.name();
            let alone = defaults(&skeleton, &skeleton.neutral(), core::slice::from_ref(&task));
            assert_eq!(alone.is_reached(), is_met, "{name}: {:?}", alone.status);
            let both = defaults(&skeleton, &skeleton.neutral(), &[task, reach.clone()]);
            assert_eq!(both.is_reached(), is_met, "{name}: {:?}", both.status);
            let miss = reach.miss(&skeleton, &both.configuration).distance;
            assert!(miss < 4e-6, "{name}: the tip is {miss} off");
        }
    }
}

/// Starts where the Jacobian has lost a direction: straight, folded, all axes in one line.
#[test]
fn singular_starts() {
    let targets = [DVec3::X * 1.2, DVec3::new(-0.6, 0.0, 0.0), DVec3::Y * 1.3, DVec3::Z * 1.1];
    let (balls, tip) = space_limb(&[1.0, 0.8, 0.4]);
    let flat = DQuat::from_rotation_y(core::f64::consts::PI).to_array();
    let straight = balls.neutral();
    let folded = [straight[..4].to_vec(), flat.to_vec(), straight[8..].to_vec()].concat();
    for start in [straight, folded] {
        for target in targets {
            let task = FramePose::new(tip, Pose::from_translation(target));
            for task in [task.into(), Position::new(tip, target).into()] {
                let solution = defaults(&balls, &start, &[task]);
                assert!(solution.is_reached(), "{target}: {:?}", solution.status);
            }
        }
    }
}

// What is held.

/// Locked joints keep every bit, and so do those that mimic them; with all locked the start is the answer.
#[test]
fn locked_joints() {
    for index in 0..200 {
        let mut rng = Rng::new(index);
        let figure = Figure::random(&mut rng, Traits { limits: true, slides: true, floats: false });
        let (skeleton, n) = (&figure.skeleton, figure.skeleton.n_joints());
        let (start, truth) = (figure.pose(&mut rng), figure.pose(&mut rng));
        let kind = rng.whole(0, N_KINDS - 1);
        let task = figure.task(&mut rng, kind, &truth);
        let some: Vec<usize> = (0..n).filter(|_| rng.whole(0, 1) == 0).collect();
        for locked in [some, (0..n).collect()] {
            let settings = locking(&locked);
            let solution = least(skeleton, &start, core::slice::from_ref(&task), &settings);
            for joint in locked {
                let values = skeleton.value_range(joint);
                assert_eq!(
                    solution.configuration[values.clone()],
                    start[values],
                    "case {index}: joint {joint} of {n}"
                );
            }
        }
    }
}

#[test]
fn locked_driver_holds_its_mimic() {
    let bone = Pose::from_translation(DVec3::X);
    let hinge = |name: &str| Joint::revolute(name, DVec3::Z);
    let mimic = Mimic { joint: 1, multiplier: -0.5, offset: 0.2 };
    let joints = vec![
        hinge("a"),
        hinge("b").child_of(0).at(bone),
        hinge("c").child_of(1).at(bone).with_mimic(mimic),
    ];
    let skeleton = Skeleton::try_new(joints).expect("the finger is valid");
    let mut start = vec![0.1, 0.4, 0.0];
    skeleton.settle(&mut start);
    let task: Task = Position::new(Frame::new(2, bone), DVec3::new(0.5, 1.5, 0.0)).into();
    let settings = locking(&[1]);
    let solution = least(&skeleton, &start, core::slice::from_ref(&task), &settings);
    assert_eq!(solution.configuration[1..], start[1..]);
    assert_ne!(solution.configuration[0], start[0], "the first joint helps");
    let free = defaults(&skeleton, &start, &[task]);
    assert!((free.configuration[2] - mimic.value(free.configuration[1])).abs() < 1e-12, "mimics");
}

/// A pinned root keeps every bit; a free one goes along; a pre-pulled one is carried to where its hands are wanted.
#[test]
fn pinned_and_pulled_roots() {
    let skeleton = person();
    let start = skeleton.neutral();
    let far = DVec3::new(4.0, -2.0, 1.0);
    let place = |side: usize| {
        let at = hand(side).world(&skeleton.poses(&start)).translation;
        Position::new(hand(side), at + far).into()
    };
    let tasks = [place(0), place(1)];
    for options in [JointOptions::default(), locked(), pre_pulled()] {
        let settings = Settings::default().with_joint(person::HIPS, options);
        let solution = least(&skeleton, &start, &tasks, &settings);
        let hips = skeleton.value_range(person::HIPS);
        let moved = DVec3::from_slice(&solution.configuration[hips.clone()]);
        if options.locked {
            assert_eq!(solution.configuration[hips.clone()], start[hips]);
            assert!(!solution.is_reached(), "the hands are metres away");
        } else {
            assert!(solution.is_reached(), "{options:?}: {:?}", solution.status);
            assert!(moved.distance(far) < 1.5, "{options:?}: the hips have moved by {moved}");
        }
        if options.pre_pulled {
            assert!(moved.distance(far) < 1e-3, "carried along, the hands are there: {moved}");
        }
    }
}

/// The root is the first joint that moves, whatever fixed nodes it hangs on, as the hips of characters do, and nothing below it is one.
#[test]
fn roots_on_fixed_joints() {
    let lift = Pose::new(rotation_about(DVec3::X, 0.7), DVec3::new(0.0, 0.3, 0.9));
    let hung = |kind: fn(&str) -> Joint| {
        let joints = vec![
            Joint::fixed("up"),
            Joint::fixed("armature").child_of(0).at(lift),
            kind("hips").child_of(1).at(lift),
            Joint::ball("spine").child_of(2).at(lift),
            Joint::free("prop").child_of(3).at(lift),
        ];
        Skeleton::try_new(joints).expect("the figure is valid")
    };
    for kind in [|name: &str| Joint::ball(name), |name: &str| Joint::free(name)] {
        let skeleton = hung(kind);
        let roots: Vec<usize> = (0..5).filter(|&joint| skeleton.is_root(joint)).collect();
        assert_eq!(roots, [2]);
        let start = skeleton.neutral();
        let hand = Frame::new(3, Pose::from_translation(DVec3::X * 0.5));
        let at = hand.world(&skeleton.poses(&start)).translation;
        let far = DVec3::new(2.0, 1.0, -1.5);
        let task = [Position::new(hand, at + far).into()];
        let hips = |options: JointOptions, iterations: u32| {
            let settings = Settings::default().with_joint(2, options).with_iterations(iterations);
            let q = least(&skeleton, &start, &task, &settings).configuration;
            skeleton.poses(&q)[2]
        };
        let before = skeleton.poses(&start)[2];
        assert_eq!(hips(locked(), 500), before, "pinned");
        assert_ne!(hips(JointOptions::default(), 500), before, "free");
        let carried = hips(pre_pulled(), 0).translation - before.translation;
        let floats = skeleton.kind(2) == JointKind::Free;
        let expected = if floats { far } else { DVec3::ZERO };
        assert!(carried.distance(expected) < 1e-9, "carried along by {carried}");
    }
}

/// A pre-pulled joint below another moves by what is left.
#[test]
fn pre_pulled_below_pre_pulled() {
    let joints = vec![Joint::free("hips"), Joint::free("prop").child_of(0).at(Pose::IDENTITY)];
    let skeleton = Skeleton::try_new(joints).expect("the figure is valid");
    let start = skeleton.neutral();
    let far = DVec3::new(5.0, 5.0, 5.0);
    let tasks = [
        Position::new(skeleton.frame(0), far).into(),
        Position::new(skeleton.frame(1), -far).into(),
    ];
    let settings = Settings::default().with_joints([pre_pulled(); 2]).with_iterations(0);
    let poses = skeleton.poses(&least(&skeleton, &start, &tasks, &settings).configuration);
    assert!(poses[0].translation.length() < 1e-12, "the mean of both: {}", poses[0].translation);
    assert!(poses[1].translation.distance(-far) < 1e-12, "at its own: {}", poses[1].translation);
}

/// Every method carries a pre-pulled root along first; the published iterations stay as they are.
#[test]
fn every_method_pulls_the_root() {
    let skeleton = person();
    let start = skeleton.neutral();
    let far = DVec3::new(4.0, -2.0, 1.0);
    let at = hand(0).world(&skeleton.poses(&start)).translation;
    let task: Task = Position::new(hand(0), at + far).into();
    for method in [Method::Ccd, Method::Fabrik, Method::Relaxation, Method::LeastSquares] {
        for classic in [false, true] {
            let settings = Settings::default()
                .with_joint(person::HIPS, pre_pulled())
                .with_iterations(0)
                .with_classic(classic);
            let measured =
                solve(&skeleton, &start, core::slice::from_ref(&task), method, &settings);
            let error = measured.unwrap().error;
            let left = if classic { far.length() } else { 0.0 };
            assert!((error - left).abs() < 1e-9, "{method:?}, classic {classic}: {error}");
        }
    }
}

/// A target that is refused changes nothing, not on a chain that is solved by its points either.
#[test]
fn a_refused_target_leaves_the_solve_as_it_was() {
    let (skeleton, tip) = space_limb(&[1.0, 0.8, 0.6]);
    let start = skeleton.neutral();
    let task: Task = Position::new(tip, DVec3::new(0.9, 0.7, 0.4)).into();
    let run = |disturb: bool| {
        let mut workspace = Workspace::default();
        let tasks = core::slice::from_ref(&task);
        workspace.begin(&skeleton, &start, tasks, Method::Fabrik, &Settings::default()).unwrap();
        let _ = workspace.step();
        if disturb {
            let other = Orientation::new(tip, DQuat::IDENTITY).into();
            let refused = workspace.set_target(0, &other);
            assert!(refused.as_ref().is_err_and(Error::is_unsuited), "{refused:?}");
        }
        workspace.run().clone()
    };
    assert_eq!(run(true), run(false));
}

/// A level beyond the lowest is refused: there the least change stands.
#[test]
fn levels_have_an_end() {
    let skeleton = person();
    let start = skeleton.neutral();
    let at = |level| Task::new(Position::new(hand(0), DVec3::X)).at_level(level);
    for level in [0, Task::LOWEST_LEVEL + 1] {
        let refused = at(level).check(&skeleton, 3).unwrap_err();
        assert_eq!(refused.to_string(), format!("task level[3] is {level}, must be from 1 to 254"));
    }
    let last =
        solve(&skeleton, &start, &[at(Task::LOWEST_LEVEL)], Method::Auto, &Settings::default());
    assert!(last.unwrap().misses[0].distance < 1e-6, "the lowest level is solved like any other");
}

/// No joint changes by more than it may, whatever is asked.
#[test]
fn largest_change_is_never_exceeded() {
    let mut moved = [0_u32; 3];
    for index in 0..500 {
        let mut rng = Rng::new(index);
        let traits = Traits {
            limits: index.is_multiple_of(2),
            slides: true,
            floats: index.is_multiple_of(3),
        };
        let figure = Figure::random(&mut rng, traits);
        let (skeleton, start) = (&figure.skeleton, figure.pose(&mut rng));
        let truth = figure.pose(&mut rng);
        let tasks: Vec<Task> = (0..3)
            .map(|_| {
                let kind = rng.whole(0, N_KINDS - 1);
                let level = if rng.whole(0, 2) == 0 { 2 } else { 1 };
                figure.task(&mut rng, kind, &truth).at_level(level)
            })
            .collect();
        let n = skeleton.n_joints();
        let bounds: Vec<f64> = (0..n)
            .map(|_| if rng.whole(0, 5) == 0 { 0.0 } else { rng.between(0.0, 0.3) })
            .collect();
        let joints = joints(&bounds, JointOptions::with_largest_change);
        let settings = Settings::default().with_joints(joints);
        let solution = least(skeleton, &start, &tasks, &settings);
        for (joint, bound) in bounds.into_iter().enumerate() {
            let values = skeleton.value_range(joint);
            let (from, to) = (&start[values.clone()], &solution.configuration[values]);
            let rotation = |v: &[f64]| DQuat::from_slice(&v[v.len() - 4..]);
            let turn = |from, to| so3_log(rotation(from).conjugate() * rotation(to)).length();
            let (kind, change) = match skeleton.kind(joint) {
                JointKind::Revolute { .. } => (0, posekit::math::wrap_angle(to[0] - from[0]).abs()),
                JointKind::Prismatic { .. } => (1, (to[0] - from[0]).abs()),
                JointKind::Ball | JointKind::Free => (2, turn(from, to)),
                JointKind::Fixed => continue,
            };
            let name = skeleton.kind(joint).name();
            assert!(change <= bound + 1e-9, "case {index}, {name}: {change} of {bound}");
            moved[kind] += u32::from(change > 0.9 * bound && bound > 0.0);
        }
    }
    assert!(moved.iter().all(|&n| n > 50), "the bounds do bind: {moved:?}");
}

/// Step by step inside its velocity limits, an arm still arrives.
#[test]
fn an_arm_arrives_at_its_own_speed() {
    let (skeleton, tip) = space_limb(&[1.0, 0.8, 0.4]);
    let joints = joints(&[0.05; 3], JointOptions::with_largest_change);
    let least_squares = LeastSquares::default().with_restarts(0);
    let settings = Settings::default().with_joints(joints).with_least_squares(least_squares);
    let task: Task = Position::new(tip, DVec3::new(-0.5, 1.0, 0.4)).into();
    let (mut q, mut before) = (skeleton.neutral(), f64::INFINITY);
    for step in 0..200 {
        let solution = least(&skeleton, &q, core::slice::from_ref(&task), &settings);
        q.clone_from(&solution.configuration);
        let miss = task.miss(&skeleton, &q).distance;
        if solution.is_reached() {
            assert!(step > 10, "two radians take more than {step} steps");
            return;
        }
        assert!(miss < before, "step {step}: from {before} to {miss}");
        before = miss;
    }
    panic!("still {before} away");
}

// Keeping clear.

/// An arm of four bones reaches past spheres that its bones must not touch.
#[test]
fn keep_out_spheres() {
    let (mut cases, mut failures) = (0, Vec::new());
    for index in 0..300 {
        let mut rng = Rng::new(index);
        let bones = [1.0, 0.8, 0.7, 0.5];
        let (skeleton, tip) = space_limb(&bones);
        let pose =
            |rng: &mut Rng| (0..4).flat_map(|_| rng.rotation().to_array()).collect::<Vec<_>>();
        let (start, truth) = (pose(&mut rng), pose(&mut rng));
        let target = tip.world(&skeleton.poses(&truth)).translation;
        let mut tasks: Vec<Task> = vec![Position::new(tip, target).into()];
        for _ in 0..3 {
            let rock = Capsule::obstacle(rng.direction() * rng.between(0.5, 2.0), 0.25);
            for (joint, length) in bones.into_iter().enumerate() {
                let bone = Capsule::on_joint(joint, [DVec3::ZERO, DVec3::X * length], 0.05);
                tasks.push(Clearance::new([bone, rock], 0.02).into());
            }
        }
        // The truth must be clear for the question to have an answer.
        let is_clear =
            |q: &[f64]| tasks[1..].iter().all(|task| task.miss(&skeleton, q).distance <= 3e-6);
        if !is_clear(&truth) {
            continue;
        }
        cases += 1;
        let solution = defaults(&skeleton, &start, &tasks);
        let q = &solution.configuration;
        let off = tasks[0].miss(&skeleton, q).distance;
        if !is_clear(q) || off > 3.1e-6 {
            failures.push(format!(
                "{index}: {} after {}",
                solution.status.word(),
                solution.iterations
            ));
        }
    }
    let listed = failures.join(", ");
    // Obstacles make traps that no local method is sure to leave.
    assert!(cases > 30 && failures.len() * 50 <= cases, "{} of {cases}: {listed}", failures.len());
}

/// Hands of a person reach for all sorts of places without touching head, trunk, legs or each other.
#[test]
fn self_collision_capsules() {
    let skeleton = person();
    let clear: Vec<Task> =
        Clearance::all_pairs(&skeleton, &capsules(), 0.01).into_iter().map(Task::from).collect();
    assert!(clear.len() > 15, "{} pairs", clear.len());
    let start = skeleton.neutral();
    let settings = Settings::default().with_joint(person::HIPS, locked());
    let (mut touched, mut failures) = (0, Vec::new());
    for index in 0..100 {
        let mut rng = Rng::new(index);
        let mut tasks = clear.clone();
        // Close to the body, and across it.
        let mut place = |out: f64| {
            DVec3::new(rng.between(0.2, 0.3), out * rng.between(-0.25, 0.2), rng.between(0.2, 0.6))
        };
        let hands = [place(1.0), place(-1.0)];
        if hands[0].distance(hands[1]) < 0.15 {
            continue;
        }
        tasks.extend([0, 1].map(|side| Task::from(Position::new(hand(side), hands[side]))));
        let freely = least(&skeleton, &start, &tasks[clear.len()..], &settings);
        let hits =
            clear.iter().any(|task| task.miss(&skeleton, &freely.configuration).distance > 1e-4);
        touched += usize::from(hits);
        let solution = least(&skeleton, &start, &tasks, &settings);
        let q = &solution.configuration;
        let worst = tasks.iter().map(|task| task.miss(&skeleton, q).distance).fold(0.0, f64::max);
        if worst > 3e-6 {
            let word = solution.status.word();
            failures.push(format!("{index}: {word} after {}, {worst:.1e}", solution.iterations));
        }
    }
    let listed = failures.join("\n");
    assert!(touched > 5, "only {touched} would touch unless they keep clear");
    assert!(failures.is_empty(), "{} fail, {touched} hard:\n{listed}", failures.len());
}

// Balance.

/// A person on both feet reaches ahead, to the sides and to the floor; the centre of mass stays over the soles.
#[test]
fn center_of_mass_over_the_support() {
    let (skeleton, start, weights) = (person(), person().neutral(), bodies());
    let ground = -person::STANDING;
    let corners: Vec<DVec3> = [0.1, -0.1]
        .into_iter()
        .flat_map(|y| {
            [(-0.05, 0.04), (0.2, 0.04), (0.2, -0.04), (-0.05, -0.04)]
                .map(|(x, d)| DVec3::new(x, y + d, ground))
        })
        .collect();
    let soles = [0, 1].map(|side| {
        let pose = foot(side).world(&skeleton.poses(&start));
        Task::from(FramePose::new(foot(side), pose))
    });
    let mut leaned = 0;
    for target in [
        DVec3::new(0.6, 0.2, 0.2),
        DVec3::new(0.5, -0.5, 0.1),
        DVec3::new(0.4, 0.3, -0.4),
        DVec3::new(0.55, 0.0, -0.5),
        DVec3::new(-0.3, 0.5, 0.3),
    ] {
        let margin = 0.02;
        let support = Support::try_new(weights.clone(), &corners, DVec3::Z, margin);
        let reach = Task::new(Position::new(hand(0), target));
        let [left, right] = soles.clone();
        let unbalanced = defaults(&skeleton, &start, &[left.clone(), right.clone(), reach.clone()]);
        let balance = support.expect("the corners are finite").into();
        let tasks = [left, right, reach, balance];
        let solution = defaults(&skeleton, &start, &tasks);
        assert!(solution.is_reached(), "{target}: {:?} {:?}", solution.status, solution.misses);
        // The hull of the soles is the rectangle around them.
        let over = |q: &[f64]| {
            let c = center_of_mass(&weights, &skeleton.poses(q));
            let inset = margin - 1e-5;
            c.x >= -0.05 + inset && c.x <= 0.2 - inset && c.y.abs() <= 0.14 - inset
        };
        assert!(over(&solution.configuration), "{target}: the person falls");
        leaned += u32::from(!over(&unbalanced.configuration));
    }
    assert!(leaned > 0, "without the task some would fall");
}

// Looking.

/// A target exactly behind, where the gradient is zero: hinge, ball and a head that helps with its trunk.
#[test]
fn look_at_from_exactly_behind() {
    let yaw = Skeleton::try_new(vec![Joint::revolute("yaw", DVec3::Z)]).expect("valid");
    let ball = Skeleton::try_new(vec![Joint::ball("eye")]).expect("valid");
    for (name, skeleton) in [("hinge", &yaw), ("ball", &ball)] {
        let eye = skeleton.frame(0);
        let tasks: [Task; 2] = [
            LookAt::new(eye, DVec3::X, DVec3::NEG_X * 3.0).into(),
            AxisAlignment::new(eye, DVec3::X, DVec3::NEG_X).into(),
        ];
        for task in tasks {
            assert!((task.miss(skeleton, &skeleton.neutral()).angle - person::BEHIND).abs() < 1e-7);
            let solution = defaults(skeleton, &skeleton.neutral(), core::slice::from_ref(&task));
            let miss = task.miss(skeleton, &solution.configuration).angle;
            assert!(solution.is_reached() && miss < 1e-6, "{name}, {}: {miss}", task.kind.name());
        }
    }
    let skeleton = person();
    let behind = eyes().world(&skeleton.poses(&skeleton.neutral())).translation - DVec3::X * 2.0;
    let task: Task = LookAt::new(eyes(), DVec3::X, behind).into();
    let solution = defaults(&skeleton, &skeleton.neutral(), &[task]);
    assert!(solution.is_reached(), "{:?}", solution.status);
}

// One-sided tasks.

/// A rope counts only when it is taut.
#[test]
fn a_rope_counts_only_when_taut() {
    let bone = Pose::from_translation(DVec3::X);
    let joints = vec![
        Joint::fixed("post"),
        Joint::ball("shoulder").child_of(0).at(Pose::from_translation(DVec3::Y)),
        Joint::ball("elbow").child_of(1).at(bone),
    ];
    let skeleton = Skeleton::try_new(joints).expect("the arm is valid");
    let (post, tip) = (skeleton.frame(0), Frame::new(2, bone));
    let start = skeleton.neutral();
    let rope: Task = Distance::between([post, tip], 0.0, 1.5).into();
    let reach = |target: DVec3| Task::new(Position::new(tip, target));
    // Loose: as if it were not there.
    let near = reach(DVec3::new(0.8, 0.8, 0.3));
    let without = defaults(&skeleton, &start, core::slice::from_ref(&near));
    let with = defaults(&skeleton, &start, &[near, rope.clone()]);
    assert!(with.is_reached(), "{:?}", with.status);
    let mut v = vec![0.0; skeleton.n_dofs()];
    skeleton.difference(&without.configuration, &with.configuration, &mut v);
    assert!(v.iter().all(|x| x.abs() < 1e-4), "a loose rope pulls: {v:?}");
    // Taut: the tip stops at its length, in the direction of the target as far as can be.
    let far = reach(DVec3::new(1.6, 1.2, 0.0)).at_level(2);
    let solution = defaults(&skeleton, &start, &[far, rope.clone()]);
    assert!(solution.is_reached(), "{:?}", solution.status);
    let at = tip.world(&skeleton.poses(&solution.configuration)).translation;
    let nearest = DVec3::new(1.6, 1.2, 0.0) * (1.5 / 2.0);
    assert!(at.distance(nearest) < 1e-4, "{at}, not {nearest}");
    // A rod counts both ways.
    let rod = Distance::new([post, tip], 0.9).into();
    let solution = defaults(&skeleton, &start, &[rod]);
    let at = tip.world(&skeleton.poses(&solution.configuration)).translation;
    assert!((at.length() - 0.9).abs() < 4e-6, "{}", at.length());
}

/// A floor holds what would sink and lets go what is above.
#[test]
fn a_floor_is_one_sided() {
    let (skeleton, tool) = gantry();
    let floor: Task = Plane::new(tool, DVec3::Z * 0.5, DVec3::Z).one_sided().into();
    for (z, expected) in [(2.0, 2.0), (0.5, 0.5), (-1.0, 0.5)] {
        let wish = Task::new(Position::new(tool, DVec3::new(0.3, 0.2, z))).at_level(2);
        for start in [1.0, -1.0] {
            let start = [0.0, 0.0, start];
            let solution = defaults(&skeleton, &start, &[wish.clone(), floor.clone()]);
            let at = DVec3::from_slice(&solution.configuration);
            assert!(solution.is_reached(), "{:?}", solution.status);
            assert!(at.distance(DVec3::new(0.3, 0.2, expected)) < 1e-5, "{at} for {z}");
        }
    }
    let alone = defaults(&skeleton, &[0.1, 0.2, 3.0], core::slice::from_ref(&floor));
    assert_eq!(alone.configuration, [0.1, 0.2, 3.0]);
    let two_sided: Task = Plane::new(tool, DVec3::Z * 0.5, DVec3::Z * 9.0).into();
    let solution = defaults(&skeleton, &[0.1, 0.2, 3.0], &[two_sided]);
    assert!((solution.configuration[2] - 0.5).abs() < 1e-5, "{:?}", solution.configuration);
}

/// A gripper whose fingers mimic each other opens to a width.
#[test]
fn mimicking_fingers() {
    let finger = Pose::from_translation(DVec3::new(0.0, 0.0, 0.1));
    let range = Limit::Range { min: 0.0, max: 0.8 };
    let mimic = Mimic { joint: 0, multiplier: -1.0, offset: 0.0 };
    let joints = vec![
        Joint::revolute("left", DVec3::X)
            .at(Pose::from_translation(DVec3::Y * 0.02))
            .with_limit(range),
        Joint::revolute("right", DVec3::X)
            .at(Pose::from_translation(DVec3::Y * -0.02))
            .with_mimic(mimic),
    ];
    let skeleton = Skeleton::try_new(joints).expect("the gripper is valid");
    let pads = [Frame::new(0, finger), Frame::new(1, finger)];
    for width in [0.04, 0.1, 0.15] {
        let task: Task = Distance::new(pads, width).into();
        let solution = defaults(&skeleton, &[0.3, -0.3], &[task]);
        let found = |q: &[f64]| {
            let poses = skeleton.poses(q);
            pads[0].world(&poses).translation.distance(pads[1].world(&poses).translation)
        };
        let q = &solution.configuration;
        assert_eq!(q[1], mimic.value(q[0]));
        assert!(q[0] >= 0.0 && q[0] <= 0.8, "{q:?}");
        let open = found(q);
        let narrowest = found(&[0.8, -0.8]);
        let widest = found(&[0.0, 0.0]);
        let expected = width.clamp(narrowest.min(widest), narrowest.max(widest));
        assert!((open - expected).abs() < 1e-6, "{open} for {width}");
    }
}

/// Kinds that speak of no frame at all are still told from the others.
#[test]
fn kinds_are_all_made() {
    let mut rng = Rng::new(0);
    let figure = Figure::random(&mut rng, Traits::default());
    let truth = figure.pose(&mut rng);
    let mut names: Vec<&str> =
        (0..N_KINDS).map(|kind| figure.task(&mut rng, kind, &truth).kind.name()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), N_KINDS, "{names:?}");
    for kind in 0..N_KINDS {
        for _ in 0..20 {
            let task = figure.task(&mut rng, kind, &truth);
            let miss = task.miss(&figure.skeleton, &truth);
            let is_held = miss.distance < 1e-12 && miss.angle < 1e-7;
            assert!(is_held, "{}: {miss:?}", task.kind.name());
            assert!(!matches!(task.kind, TaskKind::Posture(_)) || kind == N_KINDS - 1);
        }
    }
}

/// Another posture is measured on every joint, those that are locked included, and one that is no configuration is refused.
#[test]
fn a_posture_that_is_set_is_checked_and_measured() {
    let skeleton = person();
    let start = skeleton.neutral();
    let posture = |q: &[f64]| TaskKind::from(Posture::new(q));
    let ball = (0..skeleton.n_joints()).rfind(|&i| skeleton.kind(i) == JointKind::Ball).unwrap();
    let turn = skeleton.value_range(ball);
    let mut bent = start.clone();
    rotation_about(DVec3::X, 0.4).write_to_slice(&mut bent[turn.clone()]);
    let settings = locking(&[ball]);
    let tasks = [Task::new(posture(&start)), Position::new(hand(0), DVec3::ONE).into()];
    let mut workspace = Workspace::default();
    workspace.begin(&skeleton, &start, &tasks, Method::LeastSquares, &settings).unwrap();
    workspace.set_target(0, &posture(&bent)).unwrap();
    let solution = workspace.run().clone();
    let miss = Task::new(posture(&bent)).miss(&skeleton, &solution.configuration);
    assert!(miss.angle > 0.399, "the locked joint misses the posture: {miss:?}");
    assert!((solution.misses[0].angle - miss.angle).abs() < 1e-12, "{:?}", solution.misses);

    let (mut long, mut huge) = (bent.clone(), bent);
    long[turn.end - 1] *= 1.1;
    huge[0] = 1e101;
    for wrong in [long, huge] {
        let refused = workspace.set_target(0, &posture(&wrong)).unwrap_err();
        assert!(refused.is_out_of_range() && refused.what() == Some("task target"), "{refused}");
        assert_eq!(*workspace.solution(), solution, "what is refused changes nothing");
    }
}
