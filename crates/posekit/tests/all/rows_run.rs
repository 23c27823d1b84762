//! Hazardous runs, one test per row of the table of hazards: locked joints, goals in conflict, extreme sizes, threads and cancelling.

use crate::support;

use posekit::chain::{Chain, Goals};
use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;
use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
use posekit::solve::{Method, Settings, Solution, Status, Workspace, solve, solve_chain};
use posekit::task::{Orientation, Position, Task};
use support::{Rng, ends_well, limb, plane_limb, space_limb};

const ITERATIVE: [Method; 3] = [Method::Ccd, Method::Fabrik, Method::Relaxation];

/// Every method that takes this problem, with what it returns.
fn by_all(skeleton: &Skeleton, start: &[f64], tasks: &[Task]) -> Vec<(Method, Solution)> {
    let run = |method| match solve(skeleton, start, tasks, method, &Settings::default()) {
        Ok(solution) => Some((method, solution)),
        Err(error) if error.is_unsuited() => None,
        Err(error) => panic!("{}: {error}", method.name()),
    };
    Method::ALL.into_iter().filter_map(run).collect()
}

fn locked_at(value: f64) -> Limit {
    Limit::Range { min: value, max: value }
}

#[test]
fn l17_every_joint_locked() {
    for n in [1, 2, 3, 8] {
        let joint = |name| Joint::revolute(name, DVec3::Z).with_limit(locked_at(0.3));
        let (skeleton, tip) = limb(&vec![1.0; n], joint);
        let start = skeleton.neutral();
        let there = tip.world(&skeleton.poses(&start)).translation;
        for (method, solution) in by_all(&skeleton, &start, &[Position::new(tip, there).into()]) {
            assert!(solution.is_reached(), "{} of {n}: no motion needed", method.name());
        }
        // Within reach of free bones, and sideways, so that every joint would turn if it could.
        let elsewhere = DQuat::from_xyzw(0.0, 0.0, 0.6, 0.8) * (0.9 * there);
        for (method, solution) in by_all(&skeleton, &start, &[Position::new(tip, elsewhere).into()])
        {
            let name = format!("{} of {n}", method.name());
            assert!(solution.configuration.iter().all(|&x| x == 0.3), "{name}: the pose stays");
            match &solution.status {
                Status::Blocked { joints } => {
                    assert!(joints.iter().copied().eq(0..n), "{name}: {joints:?}");
                }
                // One bone has only one distance to its root.
                Status::Unreachable { .. } if n == 1 => {}
                other => panic!("{name}: {other:?}"),
            }
        }
    }
}

#[test]
fn l17_locked_balls_and_slides() {
    let cone = Limit::Cone { axis: DVec3::X, swing: 0.0, twist: [0.0, 0.0] };
    let slide = Joint::prismatic("slide", DVec3::X).with_limit(locked_at(0.2));
    let ball = Joint::ball("ball").with_limit(cone);
    let bone = Pose::from_translation(DVec3::X);
    let skeleton = Skeleton::try_new(vec![
        slide,
        ball.child_of(0).at(bone),
        Joint::revolute("hinge", DVec3::Z).with_limit(locked_at(-0.1)).child_of(1).at(bone),
    ]);
    let skeleton = skeleton.unwrap();
    let start = skeleton.neutral();
    let task: Task = Position::new(Frame::new(2, bone), DVec3::new(2.4, 0.9, 0.3)).into();
    for (method, solution) in by_all(&skeleton, &start, core::slice::from_ref(&task)) {
        let name = method.name();
        assert!(matches!(solution.status, Status::Blocked { .. }), "{name}: {:?}", solution.status);
        for (a, b) in solution.configuration.iter().zip(&start) {
            assert!((a - b).abs() < 1e-12, "{name}: the pose stays, {a} was {b}");
        }
    }
}

#[test]
fn l17_one_joint_held_back_is_named() {
    // The elbow may bend up to 0.5 rad; the target wants more. The shoulder is free.
    let elbow = Limit::Range { min: 0.0, max: 0.5 };
    let bone = Pose::from_translation(DVec3::X);
    let skeleton = Skeleton::try_new(vec![
        Joint::revolute("shoulder", DVec3::Z),
        Joint::revolute("elbow", DVec3::Z).with_limit(elbow).child_of(0).at(bone),
    ])
    .unwrap();
    let task: Task = Position::new(Frame::new(1, bone), DVec3::new(0.5, 0.8, 0.0)).into();
    for (method, solution) in by_all(&skeleton, &[0.0, 0.1], core::slice::from_ref(&task)) {
        let name = method.name();
        assert_eq!(solution.status, Status::Blocked { joints: vec![1] }, "{name}");
        assert!((solution.configuration[1] - 0.5).abs() < 1e-6, "{name}: at its limit");
        // The nearest pose: bent by 0.5, pointing at the target.
        let nearest = 2.0 * posekit::math::cos(0.25) - DVec3::new(0.5, 0.8, 0.0).length();
        let follows_points = matches!(method, Method::Fabrik | Method::Relaxation);
        let tolerance = if follows_points { 1e-3 } else { 1e-6 };
        let off = (solution.error - nearest).abs();
        assert!(off < tolerance, "{name}: {} for {nearest}", solution.error);
    }
}

#[test]
fn l19_two_goals_in_conflict_on_one_effector() {
    let mut rng = Rng::new(50);
    for in_space in [false, true] {
        let (skeleton, tip) = if in_space { space_limb(&[1.0; 5]) } else { plane_limb(&[1.0; 5]) };
        let mut start = skeleton.neutral();
        for _ in 0..10 {
            let v: Vec<f64> = (0..skeleton.n_dofs()).map(|_| rng.between(-1.0, 1.0)).collect();
            let from = start.clone();
            skeleton.integrate(&from, &v, &mut start);
        }
        let (a, b) = (DVec3::new(2.0, 1.0, 0.0), DVec3::new(1.0, 2.5, 0.0));
        for weight in [1.0, 4.0] {
            let first = Task::new(Position::new(tip, a)).weighing(weight);
            let tasks = [first, Position::new(tip, b).into()];
            let mean = (a * weight + b) / (weight + 1.0);
            for (method, solution) in by_all(&skeleton, &start, &tasks) {
                let name = format!("{}, in space: {in_space}, weight {weight}", method.name());
                assert!(!solution.is_reached(), "{name}: both cannot hold");
                assert!(solution.iterations <= Settings::default().iterations, "{name}");
                let again = solve(&skeleton, &start, &tasks, method, &Settings::default()).unwrap();
                assert_eq!(solution, again, "{name}: the same every time");
                let at = tip.world(&skeleton.poses(&solution.configuration)).translation;
                let miss = at.distance(a).max(at.distance(b));
                assert!((solution.error - miss).abs() < 1e-12, "{name}: the larger miss");
                println!(
                    "{name}: {} from the weighted mean, {:?}",
                    at.distance(mean),
                    solution.status
                );
                // On the way between the two; descent by joints ends at the weighted mean.
                assert!(miss <= 1.01 * a.distance(b), "{name}: {at}");
                if method == Method::Ccd && weight == 1.0 {
                    assert!(at.distance(mean) < 0.05, "{name}: {at}, weighted mean {mean}");
                }
            }
        }
    }
}

#[test]
fn l19_position_and_orientation_in_conflict() {
    let (skeleton, tip) = plane_limb(&[1.0, 1.0]);
    let place = Position::new(tip, DVec3::new(1.0, 1.0, 0.0)).into();
    // Out of the plane: hinges about z cannot.
    let turn = Orientation::new(tip, DQuat::from_xyzw(0.6, 0.0, 0.0, 0.8)).into();
    for (method, solution) in by_all(&skeleton, &[0.2, 0.3], &[place, turn]) {
        let name = method.name();
        assert!(!solution.is_reached(), "{name}");
        assert!(solution.orientation_error > 0.5, "{name}: {}", solution.orientation_error);
        assert!(solution.configuration.iter().all(|x| x.is_finite()), "{name}");
    }
}

#[test]
fn l19_one_joint_in_two_chains() {
    // A stem with two arms; the arms want the stem turned opposite ways.
    let bone = Pose::from_translation(DVec3::X);
    let hinge = |name: &str| Joint::revolute(name, DVec3::Z);
    let skeleton = Skeleton::try_new(vec![
        hinge("stem"),
        hinge("left").child_of(0).at(bone),
        hinge("left hand").child_of(1).at(bone),
        hinge("right").child_of(0).at(bone),
        hinge("right hand").child_of(3).at(bone),
    ])
    .unwrap();
    let (left, right) = (Frame::new(2, bone), Frame::new(4, bone));
    let tasks = |x: f64, y: f64| -> [Task; 2] {
        let up = Position::new(left, DVec3::new(x, y, 0.0)).into();
        [up, Position::new(right, DVec3::new(x, -y, 0.0)).into()]
    };
    for (method, solution) in by_all(&skeleton, &[0.1; 5], &tasks(1.5, 1.5)) {
        assert!(solution.is_reached(), "{}: {:?}", method.name(), solution.status);
    }
    for (method, solution) in by_all(&skeleton, &[0.1; 5], &tasks(0.0, 2.9)) {
        let name = method.name();
        assert!(!solution.is_reached(), "{name}: each within reach, both not");
        let again = by_all(&skeleton, &[0.1; 5], &tasks(0.0, 2.9));
        let again = again.iter().find(|(other, _)| *other == method).map(|(_, s)| s);
        assert_eq!(Some(&solution), again, "{name}: the same every time");
    }
}

/// A few of the method's own iterations.
fn iterate(skeleton: &Skeleton, tip: Frame, target: DVec3, method: Method) -> Solution {
    let settings = Settings::default().with_classic(true).with_iterations(10).with_tolerance(0.0);
    let (neutral, mut start) = (skeleton.neutral(), skeleton.neutral());
    skeleton.integrate(&neutral, &vec![1e-3; skeleton.n_dofs()], &mut start);
    let task: Task = Position::new(tip, target).into();
    solve(skeleton, &start, &[task], method, &settings).expect("the problem is valid")
}

#[test]
fn l21_ten_thousand_bones() {
    type Make = fn(&[f64]) -> (Skeleton, Frame);
    let limited: Make = |lengths| {
        limb(lengths, |name| {
            Joint::revolute(name, DVec3::Z).with_limit(Limit::Range { min: -2.0, max: 2.0 })
        })
    };
    for (name, make) in [("plane", plane_limb as Make), ("space", space_limb), ("limited", limited)]
    {
        // An iteration that took time with the square of the bones would keep this test for many minutes, and its runner would end it.
        let (huge, huge_tip) = make(&vec![1.0; 100_000]);
        for method in ITERATIVE {
            let solution = iterate(&huge, huge_tip, DVec3::new(4e4, 3e4, 0.0), method);
            assert!(solution.error.is_finite(), "{name}, {}", method.name());
        }
        let (large, large_tip) = make(&vec![1.0; 10_000]);
        let task: Task = Position::new(large_tip, DVec3::new(4000.0, 3000.0, 0.0)).into();
        for (method, solution) in by_all(&large, &large.neutral(), core::slice::from_ref(&task)) {
            let status = &solution.status;
            assert!(
                ends_well(method, &solution),
                "{name}, {}: {status:?}, {}",
                method.name(),
                solution.error
            );
        }
    }
}

#[test]
fn l21_ten_thousand_points() {
    let chain = Chain::try_straight(3, &vec![1.0; 10_000]).unwrap();
    let goals = Goals { effectors: &[10_000], targets: &[4000.0, 3000.0, 10.0] };
    for method in [Method::Auto, Method::Direct, Method::Fabrik, Method::Relaxation] {
        let solution = solve_chain(&chain, goals, method, &Settings::default()).unwrap();
        assert!(ends_well(method, &solution), "{}: {:?}", method.name(), solution.status);
    }
}

#[test]
fn l21_one_bone() {
    for in_space in [false, true] {
        let (skeleton, tip) = if in_space { space_limb(&[2.0]) } else { plane_limb(&[2.0]) };
        let tasks = |target| [Position::new(tip, target).into()];
        let start = skeleton.neutral();
        for target in [DVec3::new(1.2, 1.6, 0.0), DVec3::new(-2.0, 0.0, 0.0), DVec3::X * 2.0] {
            for (method, solution) in by_all(&skeleton, &start, &tasks(target)) {
                assert!(
                    solution.is_reached(),
                    "{} to {target}: {:?}",
                    method.name(),
                    solution.status
                );
            }
        }
        for (target, by) in [(DVec3::Y * 3.0, 1.0), (DVec3::Y * 0.5, 1.5), (DVec3::ZERO, 2.0)] {
            for (method, solution) in by_all(&skeleton, &start, &tasks(target)) {
                let name = format!("{} to {target}", method.name());
                assert_eq!(solution.status, Status::Unreachable { shortfall: by }, "{name}");
                let off = (solution.error - by).abs();
                assert!(off <= solution.tolerance, "{name}: {}", solution.error);
            }
        }
    }
    let chain = Chain::try_new(2, &[0.0, 0.0, 2.0, 0.0]).unwrap();
    let goals = Goals { effectors: &[1], targets: &[1.2, 1.6] };
    for method in [Method::Auto, Method::Direct, Method::Fabrik, Method::Relaxation] {
        let solution = solve_chain(&chain, goals, method, &Settings::default()).unwrap();
        assert!(ends_well(method, &solution), "{}: {:?}", method.name(), solution.status);
    }
}

#[test]
fn l21_no_bone_between_root_and_effector() {
    // The effector is the first joint itself: turning it moves nothing.
    let (skeleton, _) = space_limb(&[1.0, 1.0]);
    let root = skeleton.frame(0);
    let start = skeleton.neutral();
    for (method, solution) in by_all(&skeleton, &start, &[Position::new(root, DVec3::ZERO).into()])
    {
        assert!(solution.is_reached(), "{}: it stands there", method.name());
        assert_eq!(solution.iterations, 0, "{}", method.name());
    }
    for (method, solution) in by_all(&skeleton, &start, &[Position::new(root, DVec3::Y).into()]) {
        let name = method.name();
        assert_eq!(solution.status, Status::Unreachable { shortfall: 1.0 }, "{name}");
        assert_eq!((solution.error, &solution.configuration), (1.0, &start), "{name}");
    }
    let chain = Chain::try_new(3, &[1.0, 2.0, 3.0]).unwrap();
    for method in [Method::Auto, Method::Direct, Method::Fabrik, Method::Relaxation] {
        let here = Goals { effectors: &[0], targets: &[1.0, 2.0, 3.0] };
        let solution = solve_chain(&chain, here, method, &Settings::default()).unwrap();
        assert!(solution.is_reached(), "{}: it stands there", method.name());
        let there = Goals { effectors: &[0], targets: &[1.0, 2.0, 5.0] };
        let solution = solve_chain(&chain, there, method, &Settings::default()).unwrap();
        assert_eq!(solution.status, Status::Unreachable { shortfall: 2.0 }, "{}", method.name());
        assert_eq!(solution.points, [1.0, 2.0, 3.0], "{}: the root stays", method.name());
    }
}

#[test]
fn l21_nothing_moves() {
    let bone = Pose::from_translation(DVec3::X);
    let fixed = vec![Joint::fixed("a"), Joint::fixed("b").child_of(0).at(bone)];
    let skeleton = Skeleton::try_new(fixed).unwrap();
    let there = Position::new(skeleton.frame(1), DVec3::X).into();
    for (method, solution) in by_all(&skeleton, &[], &[there]) {
        assert!(solution.is_reached(), "{}: it stands there", method.name());
    }
    let elsewhere: Task = Position::new(skeleton.frame(1), DVec3::Y).into();
    for (method, solution) in by_all(&skeleton, &[], core::slice::from_ref(&elsewhere)) {
        let shortfall = DVec3::X.distance(DVec3::Y);
        assert_eq!(solution.status, Status::Unreachable { shortfall }, "{}", method.name());
        assert!(solution.configuration.is_empty(), "{}", method.name());
    }
}

#[test]
fn l21_unlimited_slides_and_floating_bases_reach_anything() {
    let bone = Pose::from_translation(DVec3::X);
    let bases = [
        vec![Joint::free("base")],
        vec![
            Joint::prismatic("x", DVec3::X),
            Joint::prismatic("y", DVec3::Y).child_of(0),
            Joint::prismatic("z", DVec3::Z)
                .with_limit(Limit::Range { min: -1.0, max: f64::INFINITY })
                .child_of(1),
        ],
    ];
    for base in bases {
        for n_hinges in 0..3 {
            let mut joints = base.clone();
            for i in 0..n_hinges {
                let parent = joints.len() - 1;
                let hinge = Joint::revolute(format!("h{i}"), DVec3::Z).child_of(parent).at(bone);
                joints.push(hinge);
            }
            let skeleton = Skeleton::try_new(joints).unwrap();
            let tip = Frame::new(skeleton.n_joints() - 1, bone);
            for far in [0.0, 1e-3, 1.0, 50.0, 1e5] {
                let target = DVec3::new(0.6, -0.64, 0.48) * far;
                let task: Task = Position::new(tip, target).into();
                for (method, solution) in
                    by_all(&skeleton, &skeleton.neutral(), core::slice::from_ref(&task))
                {
                    let poses = skeleton.poses(&solution.configuration);
                    let miss = tip.world(&poses).translation.distance(target);
                    let name = format!("{n_hinges} hinges to {far} by {}", method.name());
                    assert!(solution.is_reached(), "{name}: {:?}, {miss:e}", solution.status);
                    assert!(miss <= 2e-6 * (far + 5.0), "{name}: {miss:e}");
                }
            }
        }
    }
}

#[test]
fn l21_no_task() {
    let (skeleton, _) = plane_limb(&[1.0, 1.0]);
    for (method, solution) in by_all(&skeleton, &[0.3, 0.4], &[]) {
        let name = method.name();
        assert!(solution.is_reached() && solution.iterations == 0, "{name}: nothing to do");
        assert_eq!(solution.configuration, [0.3, 0.4], "{name}: nothing moved");
    }
    let chain = Chain::try_straight(2, &[1.0]).unwrap();
    let none = Goals { effectors: &[], targets: &[] };
    for method in [Method::Auto, Method::Fabrik, Method::Relaxation] {
        let solution = solve_chain(&chain, none, method, &Settings::default()).unwrap();
        assert!(solution.is_reached(), "{}: nothing to do", method.name());
    }
}

#[test]
fn l24_many_threads_give_the_same_bits() {
    let range = Limit::Range { min: -1.5, max: 1.5 };
    let (skeleton, tip) = limb(&[1.0; 6], |name| Joint::revolute(name, DVec3::Z).with_limit(range));
    let task: Task = Position::new(tip, DVec3::new(1.0, 3.0, 0.0)).into();
    let run = |method| {
        solve(&skeleton, &[0.0; 6], core::slice::from_ref(&task), method, &Settings::default())
            .unwrap()
    };
    for method in ITERATIVE {
        let alone = run(method);
        std::thread::scope(|scope| {
            let others: Vec<_> = (0..8).map(|_| scope.spawn(|| run(method))).collect();
            for other in others {
                assert_eq!(other.join().unwrap(), alone, "{}", method.name());
            }
        });
    }
}

#[test]
fn l24_cancelled_returns_the_best_so_far() {
    let wide = Limit::Range { min: -3.0, max: 3.0 };
    let (free, tip) = plane_limb(&[1.0; 12]);
    let (limited, _) = limb(&[1.0; 12], |name| Joint::revolute(name, DVec3::Z).with_limit(wide));
    let task: Task = Position::new(tip, DVec3::new(11.9, 0.3, 0.0)).into();
    let start = [0.5; 12];
    // No iteration is enough at tolerance zero.
    let settings = Settings::default().with_classic(true).with_tolerance(0.0);
    for skeleton in [&free, &limited] {
        for method in ITERATIVE {
            let mut workspace = Workspace::default();
            workspace
                .begin(skeleton, &start, core::slice::from_ref(&task), method, &settings)
                .unwrap();
            let mut asked = Vec::new();
            let solution = workspace.run_while(|done| {
                asked.push(done);
                done < 4
            });
            let name = method.name();
            assert_eq!((&solution.status, solution.iterations), (&Status::Cancelled, 4), "{name}");
            let poses = skeleton.poses(&solution.configuration);
            let miss = tip.world(&poses).translation.distance(DVec3::new(11.9, 0.3, 0.0));
            assert!((solution.error - miss).abs() < 1e-12, "{name}: the error of what is returned");
            assert_eq!(asked, [0, 1, 2, 3, 4], "{name}: asked before every iteration");
            let first = solve(
                skeleton,
                &start,
                core::slice::from_ref(&task),
                method,
                &settings.clone().with_iterations(0),
            );
            assert!(solution.error <= first.unwrap().error, "{name}: no worse than the start");
        }
    }
}

#[test]
fn l24_a_budget_of_nothing_returns_the_start() {
    let (skeleton, tip) = plane_limb(&[1.0; 5]);
    let task: Task = Position::new(tip, DVec3::new(1.0, 3.0, 0.0)).into();
    let start = [0.1, 0.2, 0.3, 0.4, 0.5];
    for method in ITERATIVE {
        let mut workspace = Workspace::default();
        workspace
            .begin(&skeleton, &start, core::slice::from_ref(&task), method, &Settings::default())
            .unwrap();
        let solution = workspace.run_while(|_| false);
        let name = method.name();
        assert_eq!((&solution.status, solution.iterations), (&Status::Cancelled, 0), "{name}");
        for (a, b) in solution.configuration.iter().zip(&start) {
            assert!((a - b).abs() < 1e-14, "{name}: {a} was {b}");
        }
    }
}

/// A free chain that follows its target goes on as points, however it is given the target.
#[test]
fn l24_a_free_chain_follows_a_changed_task_as_a_target() {
    let mut builder = Skeleton::builder();
    let bone = Pose::from_translation(DVec3::X);
    let mut last = builder.add(Joint::ball("0"));
    for name in ["1", "2", "3", "4", "5"] {
        last = builder.add(Joint::ball(name).child_of(last).at(bone));
    }
    let chain = builder.build().unwrap();
    let tip = Frame::new(last, bone);
    let at = |x: f64| Position::new(tip, DVec3::new(x, 2.0, 1.0));
    let solve = |by_task: bool| {
        let mut workspace = Workspace::default();
        let (start, settings) = (chain.neutral(), Settings::default());
        workspace.begin(&chain, &start, &[at(1.0).into()], Method::Fabrik, &settings).unwrap();
        let mut found = Vec::new();
        for step in 0..5 {
            let target = at(1.0 + 0.3 * f64::from(step));
            if by_task {
                workspace.set_target(0, &target.into()).unwrap();
            } else {
                workspace.retarget(&target.target_in_world.to_array()).unwrap();
            }
            let solution = workspace.run();
            assert!(solution.is_reached(), "step {step}");
            found.push((solution.iterations, solution.configuration.clone()));
        }
        found
    };
    assert_eq!(solve(true), solve(false), "the same steps to the same bits");
}
