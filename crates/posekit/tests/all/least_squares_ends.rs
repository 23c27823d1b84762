//! How solves by least squares end: the status, what holds them back, and by how much relaxing it would help.

use crate::support;

use posekit::glam::DVec3;
use posekit::math::{Pose, rotation_about};
use posekit::skeleton::{Frame, Joint, Limit, Mimic, Skeleton};
use posekit::solve::{
    HoldKind, JointOptions, LeastSquares, Method, Settings, Solution, Status, Workspace,
};
use posekit::task::{Position, Task};
use support::solved::{defaults, gantry, least};
use support::{Rng, joints, limb, plane_limb};

#[test]
fn every_status_has_its_case() {
    let (skeleton, tip) = plane_limb(&[1.0, 1.0]);
    let start = [0.4, 0.8];
    let at = |x: f64, y: f64| [Task::from(Position::new(tip, DVec3::new(x, y, 0.0)))];
    assert_eq!(defaults(&skeleton, &start, &at(0.3, 1.0)).status.word(), "reached");
    assert_eq!(defaults(&skeleton, &start, &at(0.3, 9.0)).status.word(), "unreachable");
    let one = Settings::default().with_iterations(1);
    assert_eq!(least(&skeleton, &start, &at(-1.3, -0.2), &one).status.word(), "iteration-limit");
    let range = Limit::Range { min: 0.0, max: 0.5 };
    let (blocked, end) =
        limb(&[1.0, 1.0], |name| Joint::revolute(name, DVec3::Z).with_limit(range));
    let task = [Task::from(Position::new(end, DVec3::new(0.0, 1.5, 0.0)))];
    let solution = defaults(&blocked, &[0.2, 0.2], &task);
    assert_eq!(solution.status.word(), "blocked");
    assert!(!solution.holds.is_empty(), "who blocks?");
    let off_plane = [Task::from(Position::new(tip, DVec3::new(1.0, 0.3, 0.5)))];
    assert_eq!(defaults(&skeleton, &start, &off_plane).status.word(), "stalled");
    let mut workspace = Workspace::default();
    let settings = Settings::default();
    workspace
        .begin(&skeleton, &start, &at(-1.3, -0.2), Method::LeastSquares, &settings)
        .expect("valid");
    assert_eq!(workspace.run_while(|done| done < 1).status.word(), "cancelled");
}

/// Arms of limited hinges, targets that they cannot reach: giving way at a limit by a little shrinks the miss by what was reported.
#[test]
fn relief_is_what_a_wider_limit_gives() {
    const WIDER: f64 = 1e-4;
    let (mut cases, mut jumps, mut failures) = (0, 0, Vec::new());
    for index in 0..300 {
        let mut rng = Rng::new(index);
        let n = rng.whole(2, 5);
        let ranges: Vec<[f64; 2]> = (0..n)
            .map(|_| {
                let min = rng.between(-0.6, 0.3);
                [min, min + rng.between(0.2, 0.8)]
            })
            .collect();
        let axes: Vec<DVec3> = (0..n).map(|_| rng.direction()).collect();
        let arm = |ranges: &[[f64; 2]]| {
            let mut builder = Skeleton::builder();
            for (i, (axis, &[min, max])) in axes.iter().zip(ranges).enumerate() {
                let limit = Limit::Range { min, max };
                let hinge = Joint::revolute(format!("{i}"), *axis).with_limit(limit);
                let placed = hinge.at(Pose::from_translation(DVec3::X));
                builder.add(if i == 0 { placed } else { placed.child_of(i - 1) });
            }
            builder.build().expect("the arm is valid")
        };
        let skeleton = arm(&ranges);
        let tip = Frame::new(n - 1, Pose::from_translation(DVec3::X));
        let target = rng.direction() * rng.between(0.3, 0.9) * n as f64;
        let task: Task = Position::new(tip, target).into();
        let solution = defaults(&skeleton, &skeleton.neutral(), core::slice::from_ref(&task));
        if !matches!(solution.status, Status::Blocked { .. }) {
            continue;
        }
        let joints: Vec<usize> = solution.holds.iter().map(|hold| hold.joint).collect();
        assert_eq!(solution.status, Status::Blocked { joints }, "case {index}");
        let q = &solution.configuration;
        let miss = task.miss(&skeleton, q).distance;
        for hold in solution.holds.iter().filter(|hold| hold.relief > 1e-3) {
            let mut wider = ranges.clone();
            let [min, max] = &mut wider[hold.joint];
            let at_top = *max - q[hold.joint] < 1e-9;
            assert!(at_top || q[hold.joint] - *min < 1e-9, "case {index}: {hold:?} is at no limit");
            if at_top {
                *max += WIDER
            } else {
                *min -= WIDER
            }
            let free = arm(&wider);
            let settings =
                Settings::default().with_least_squares(LeastSquares::default().with_restarts(0));
            let relieved = least(&free, q, core::slice::from_ref(&task), &settings);
            let gain = (miss - task.miss(&free, &relieved.configuration).distance) / WIDER;
            let moved = q.iter().zip(&relieved.configuration).map(|(a, b)| (a - b).abs());
            if moved.fold(0.0, f64::max) > 0.05 {
                // Another pose altogether; the first order says nothing about it.
                jumps += 1;
                continue;
            }
            cases += 1;
            if (gain - hold.relief).abs() > 0.01 * hold.relief + 1e-3 {
                failures.push(format!("case {index}: {hold:?}, but {gain} is gained"));
            }
        }
    }
    let listed = failures.join("\n");
    assert!(cases > 100 && jumps * 20 < cases, "{cases} holds, {jumps} jumps");
    assert!(failures.is_empty(), "{} of {cases}:\n{listed}", failures.len());
}

/// A joint that has made its largest change is no joint at its limit, whichever end of which kind of joint it is.
#[test]
fn largest_changes_are_told_from_limits() {
    let (skeleton, tool) = gantry();
    let wide = |min: f64, max: f64| Limit::Range { min, max };
    let bounded = |leash: &[f64]| {
        Settings::default().with_joints(joints(leash, JointOptions::with_largest_change))
    };
    let kinds = |solution: &Solution| -> Vec<(usize, HoldKind)> {
        solution.holds.iter().map(|hold| (hold.joint, hold.kind)).collect()
    };
    // Slides: up and down.
    let target = DVec3::new(3.0, -3.0, 0.0);
    let solution =
        least(&skeleton, &[0.0; 3], &[Position::new(tool, target).into()], &bounded(&[0.5; 3]));
    assert_eq!(kinds(&solution), [(0, HoldKind::LargestChange), (1, HoldKind::LargestChange)]);
    assert_eq!(solution.status, Status::Blocked { joints: vec![0, 1] });
    // The same where the limit comes first for one of them, and where both come at once.
    let limits = [wide(-9.0, 0.25), wide(-9.0, 9.0), wide(0.0, 0.5)];
    let joints = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().zip(limits).enumerate();
    let joints = joints.map(|(i, (axis, limit))| {
        let slide = Joint::prismatic(format!("{i}"), axis).with_limit(limit);
        if i == 0 { slide } else { slide.child_of(i - 1) }
    });
    let limited = Skeleton::try_new(joints.collect()).expect("the slides are valid");
    let task = [Position::new(limited.frame(2), DVec3::new(3.0, -3.0, 3.0)).into()];
    let solution = least(&limited, &[0.0; 3], &task, &bounded(&[0.5; 3]));
    let expected = [(0, HoldKind::Limit), (1, HoldKind::LargestChange), (2, HoldKind::Limit)];
    assert_eq!(kinds(&solution), expected);
    assert!(solution.holds.iter().all(|hold| hold.relief > 0.1), "{:?}", solution.holds);
    // A follower of negative gain is driven up by a joint that goes down.
    let mimic = Mimic { joint: 0, multiplier: -2.0, offset: 0.1 };
    let joints = vec![
        Joint::revolute("leads", DVec3::Z).with_limit(wide(-2.5, 0.3)),
        Joint::revolute("follows", DVec3::Z).with_mimic(mimic),
    ];
    let pair = Skeleton::try_new(joints).expect("the pair is valid");
    let pointer = Frame::new(1, Pose::from_translation(DVec3::X));
    for (angle, kind) in [(-0.9, HoldKind::LargestChange), (1.5, HoldKind::Limit)] {
        let target = rotation_about(DVec3::Z, 0.1 - 2.0 * angle) * DVec3::X;
        let settings = bounded(&[0.4; 2]);
        let start = [0.0, 0.1];
        let solution = least(&pair, &start, &[Position::new(pointer, target).into()], &settings);
        assert_eq!(kinds(&solution), [(1, kind)], "towards {angle}: {solution:?}");
    }
    // A ball, with a cone that is wide, and one that is narrow.
    for (swing, kind) in [(1.5, HoldKind::LargestChange), (0.1, HoldKind::Limit)] {
        let cone = Limit::Cone { axis: DVec3::X, swing, twist: [-1.0, 1.0] };
        let ball = Skeleton::try_new(vec![Joint::ball("ball").with_limit(cone)]).expect("valid");
        let tip = Frame::new(0, Pose::from_translation(DVec3::X));
        let settings = bounded(&[0.3]);
        let task = [Position::new(tip, DVec3::Y).into()];
        let solution = least(&ball, &ball.neutral(), &task, &settings);
        assert_eq!(kinds(&solution), [(0, kind)], "swing {swing}: {:?}", solution.status);
    }
}
