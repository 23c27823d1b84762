//! Traces by half-steps: each joint of cyclic coordinate descent, both halves of FABRIK, each pass of relaxation.

use crate::support;

use posekit::chain::{Chain, Goals};
use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
use posekit::solve::{
    Detail, Method, Phase, Relaxation, Settings, Solution, TraceStep, Workspace, solve, solve_chain,
};
use posekit::task::{Position, Task};
use support::{limb, plane_limb, space_limb};

/// Runs of every iteration, so that none is cut short.
fn settings(trace: Detail, passes: u32) -> Settings {
    Settings::default()
        .with_trace(trace)
        .with_tolerance(0.0)
        .with_classic(true)
        .with_iterations(4)
        .with_relaxation(Relaxation::default().with_passes(passes))
}

/// Free limbs in the plane and in space, limited ones, and one with a fixed joint in the middle.
fn limbs() -> Vec<(&'static str, Skeleton, Frame, Vec<f64>)> {
    let lengths = [1.0, 0.8, 0.6, 0.4];
    let range = Limit::Range { min: -1.0, max: 1.2 };
    let cone = Limit::Cone { axis: DVec3::X, swing: 0.8, twist: [-0.3, 0.3] };
    let limbs = [
        ("plane", plane_limb(&lengths)),
        ("space", space_limb(&lengths)),
        ("ranges", limb(&lengths, |n| Joint::revolute(n, DVec3::Z).with_limit(range))),
        ("cones", limb(&lengths, |n| Joint::ball(n).with_limit(cone))),
        ("fixed", limb(&lengths, |n| if n == "b2" { Joint::fixed(n) } else { Joint::ball(n) })),
    ];
    let start = |skeleton: &Skeleton| {
        let (neutral, mut q) = (skeleton.neutral(), skeleton.neutral());
        skeleton.integrate(&neutral, &vec![0.2; skeleton.n_dofs()], &mut q);
        skeleton.clamp(&mut q);
        q
    };
    limbs.into_iter().map(|(name, (s, tip))| (name, s.clone(), tip, start(&s))).collect()
}

const TARGET: DVec3 = DVec3::new(1.1, 1.3, 0.0);

fn run(
    skeleton: &Skeleton,
    tip: Frame,
    start: &[f64],
    method: Method,
    settings: &Settings,
) -> Solution {
    solve(skeleton, start, &[Position::new(tip, TARGET).into()], method, settings)
        .expect("the problem is valid")
}

fn phases(steps: &[TraceStep], iteration: u32) -> Vec<Phase> {
    let of = steps.iter().filter(|step| step.iteration == iteration);
    of.map(|step| step.phase).collect()
}

/// Half-steps say what the method does; they do not change it, not in the last bit.
fn assert_same_way(whole: &Solution, halves: &Solution, name: &str) {
    let iterations: Vec<&TraceStep> =
        halves.trace.iter().filter(|step| step.phase == Phase::Iteration).collect();
    assert_eq!(whole.trace.len(), iterations.len(), "{name}: iterations");
    for (a, b) in whole.trace.iter().zip(iterations) {
        assert_eq!(a.error.to_bits(), b.error.to_bits(), "{name}: {} and {}", a.error, b.error);
        assert_eq!(a.configuration, b.configuration, "{name}: iteration {}", a.iteration);
        assert_eq!(a.points, b.points, "{name}: iteration {}", a.iteration);
    }
}

/// What every step of a skeleton's trace must be: joint values that carry the error, inside the limits.
fn assert_sound(skeleton: &Skeleton, tip: Frame, step: &TraceStep, name: &str) {
    let name = format!("{name}, iteration {}, {:?}", step.iteration, step.phase);
    assert!(skeleton.within_limits(&step.configuration, 2e-12), "{name}: limits");
    let poses = skeleton.poses(&step.configuration);
    let miss = tip.world(&poses).translation.distance(TARGET);
    // After the inward half the points have left the joints.
    if step.phase != Phase::Backward {
        assert!((step.error - miss).abs() < 1e-12, "{name}: {} for {miss}", step.error);
    }
    assert!(step.points.iter().all(|x| x.is_finite()), "{name}: finite");
}

#[test]
fn ccd_moves_joints_from_tip_to_root() {
    for (name, skeleton, tip, start) in limbs() {
        let whole = run(&skeleton, tip, &start, Method::Ccd, &settings(Detail::Iterations, 1));
        let halves = run(&skeleton, tip, &start, Method::Ccd, &settings(Detail::HalfSteps, 1));
        assert_same_way(&whole, &halves, name);
        let moving = (0..4).rev().filter(|&joint| name != "fixed" || joint != 2);
        let expected: Vec<Phase> = moving.map(Phase::Joint).chain([Phase::Iteration]).collect();
        for iteration in 1..=4 {
            assert_eq!(phases(&halves.trace, iteration), expected, "{name}: iteration {iteration}");
        }
        let mut before = start.clone();
        let mut error = f64::INFINITY;
        for step in &halves.trace {
            assert_sound(&skeleton, tip, step, name);
            assert!(step.error <= error + 1e-12, "{name}: descent goes up: {:?}", step.phase);
            error = step.error;
            // A half-step moves one joint and no other.
            if let Phase::Joint(moved) = step.phase {
                for joint in (0..skeleton.n_joints()).filter(|&joint| joint != moved) {
                    let values = skeleton.value_range(joint);
                    let pairs = before[values.clone()].iter().zip(&step.configuration[values]);
                    for (a, b) in pairs {
                        assert!((a - b).abs() < 1e-12, "{name}: {joint} moved with {moved}");
                    }
                }
            }
            before.clone_from(&step.configuration);
        }
    }
}

#[test]
fn ccd_that_arrives_inside_an_iteration_stops_there() {
    let (skeleton, tip) = plane_limb(&[1.0, 1.0, 1.0]);
    // Where the last joint alone takes the tip.
    let target = DVec3::new(2.0, 1.0, 0.0);
    let settings = Settings::default().with_trace(Detail::HalfSteps);
    let task: Task = Position::new(tip, target).into();
    let solution =
        solve(&skeleton, &[0.0; 3], core::slice::from_ref(&task), Method::Ccd, &settings).unwrap();
    assert_eq!(phases(&solution.trace, 1), [Phase::Joint(2), Phase::Iteration]);
    assert!(solution.is_reached() && solution.iterations == 1);
}

#[test]
fn fabrik_reaches_backward_then_forward() {
    for (name, skeleton, tip, start) in limbs() {
        let whole = run(&skeleton, tip, &start, Method::Fabrik, &settings(Detail::Iterations, 1));
        let halves = run(&skeleton, tip, &start, Method::Fabrik, &settings(Detail::HalfSteps, 1));
        assert_same_way(&whole, &halves, name);
        for iteration in 1..=4 {
            let expected = [Phase::Backward, Phase::Forward, Phase::Iteration];
            assert_eq!(phases(&halves.trace, iteration), expected, "{name}: iteration {iteration}");
        }
        for step in &halves.trace {
            assert_sound(&skeleton, tip, step, name);
            let end = DVec3::from_slice(&step.points[step.points.len() - 3..]);
            let root = DVec3::from_slice(&step.points[..3]);
            match step.phase {
                Phase::Backward => {
                    assert!(
                        end.distance(TARGET) < 1e-12,
                        "{name}: the tip is on its target: {end}"
                    );
                }
                _ => assert!(root.length() < 1e-12, "{name}: the root is in its place"),
            }
        }
    }
}

#[test]
fn relaxation_passes_one_by_one() {
    for (name, skeleton, tip, start) in limbs() {
        for passes in [1, 3] {
            let method = Method::Relaxation;
            let whole = run(&skeleton, tip, &start, method, &settings(Detail::Iterations, passes));
            let halves = run(&skeleton, tip, &start, method, &settings(Detail::HalfSteps, passes));
            assert_same_way(&whole, &halves, name);
            let expected: Vec<Phase> =
                (1..=passes).map(Phase::Pass).chain([Phase::Iteration]).collect();
            for iteration in 1..=4 {
                let (bones, found): (Vec<Phase>, Vec<Phase>) = phases(&halves.trace, iteration)
                    .into_iter()
                    .partition(|phase| matches!(phase, Phase::Bone(_)));
                assert_eq!(found, expected, "{name}: {passes} passes, iteration {iteration}");
                assert!(bones.len() >= passes as usize, "{name}: {bones:?}");
            }
            for step in &halves.trace {
                assert_sound(&skeleton, tip, step, name);
            }
        }
    }
}

#[test]
fn chains_of_points_have_the_same_half_steps() {
    let points = [0., 0., 1., 0., 1.8, 0.6, 2.1, 1.2, 1.9, 0.1];
    let chain = Chain::try_tree(2, &points, &[0, 0, 1, 2, 1]).unwrap();
    let goals = Goals { effectors: &[3, 4], targets: &[1.5, 1.6, 1.2, -0.7] };
    let of = |method, trace, passes| {
        solve_chain(&chain, goals, method, &settings(trace, passes)).unwrap()
    };
    let whole = of(Method::Fabrik, Detail::Iterations, 1);
    let halves = of(Method::Fabrik, Detail::HalfSteps, 1);
    assert_same_way(&whole, &halves, "fabrik");
    for step in &halves.trace {
        if step.phase == Phase::Backward {
            for (effector, target) in [(3, [1.5, 1.6]), (4, [1.2, -0.7])] {
                let at = &step.points[2 * effector..2 * effector + 2];
                assert_eq!(at, target, "effectors stand on their targets");
            }
        }
        if step.phase == Phase::Forward {
            for (child, parent) in [(1, 0), (2, 1), (3, 2), (4, 1)] {
                let d = |k: usize| step.points[2 * child + k] - step.points[2 * parent + k];
                let length = (d(0) * d(0) + d(1) * d(1)).sqrt();
                assert!((length - chain.lengths()[child]).abs() < 1e-12, "bone {child}: {length}");
            }
        }
    }
    let whole = of(Method::Relaxation, Detail::Iterations, 2);
    let halves = of(Method::Relaxation, Detail::HalfSteps, 2);
    assert_same_way(&whole, &halves, "relaxation");
    let bones = [4, 3, 2, 1].map(Phase::Bone);
    let expected =
        [&bones[..], &[Phase::Pass(1)], &bones, &[Phase::Pass(2), Phase::Iteration]].concat();
    assert_eq!(phases(&halves.trace, 1), expected, "relaxation");
    for step in &halves.trace {
        let Phase::Bone(child) = step.phase else { continue };
        let parent = [0, 0, 1, 2, 1][child];
        let d = |k: usize| step.points[2 * child + k] - step.points[2 * parent + k];
        let length = (d(0) * d(0) + d(1) * d(1)).sqrt();
        assert!((length - chain.lengths()[child]).abs() < 1e-12, "bone {child}: {length}");
    }
}

#[test]
fn rescues_are_in_the_trace() {
    let (skeleton, tip) = plane_limb(&[1.0; 4]);
    let task: Task = Position::new(tip, DVec3::new(2.3, 0.0, 0.0)).into();
    for method in [Method::Ccd, Method::Fabrik, Method::Relaxation] {
        let settings = Settings::default().with_trace(Detail::Iterations);
        let solution =
            solve(&skeleton, &[0.0; 4], core::slice::from_ref(&task), method, &settings).unwrap();
        let escape = solution.trace.iter().find(|step| step.phase == Phase::Escape);
        let escape = escape.expect("the straight limb has to be left");
        assert_eq!(Some(escape.iteration), solution.escaped_at, "{}", method.name());
        let last = solution.trace.last().expect("there is a trace");
        assert!((last.error - solution.error).abs() < 1e-12, "{}: ends there", method.name());
        let iterations = solution.trace.iter().map(|step| step.iteration);
        assert!(iterations.is_sorted(), "{}: in order", method.name());
    }
}

#[test]
fn without_detail_nothing_is_recorded() {
    let (skeleton, tip) = plane_limb(&[1.0; 4]);
    let task = [Position::new(tip, DVec3::new(1.0, 2.0, 0.0)).into()];
    let mut workspace = Workspace::default();
    for method in [Method::Ccd, Method::Fabrik, Method::Relaxation, Method::Direct] {
        let traced = Settings::default().with_trace(Detail::HalfSteps);
        workspace.begin(&skeleton, &[0.1; 4], &task, method, &traced).unwrap();
        let with = workspace.run().clone();
        assert!(!with.trace.is_empty(), "{}", method.name());
        workspace.begin(&skeleton, &[0.1; 4], &task, method, &Settings::default()).unwrap();
        let without = workspace.run();
        assert!(without.trace.is_empty(), "{}: nothing left over", method.name());
        assert_eq!(with.configuration, without.configuration, "{}: the same result", method.name());
    }
    // A frame elsewhere than at a joint is a point of its own.
    let moved = Frame::new(3, Pose::from_translation(DVec3::new(0.5, 0.5, 0.0)));
    let task = [Position::new(moved, DVec3::new(1.0, 2.0, 0.0)).into()];
    let traced = Settings::default().with_trace(Detail::Iterations);
    let solution = solve(&skeleton, &[0.1; 4], &task, Method::Ccd, &traced).unwrap();
    assert_eq!(solution.trace[0].points.len(), 15, "four joints and the effector");
}
