//! The same question gives the same bits, in a used workspace and in a new one; and the unit of length changes nothing.

use crate::support;

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::{Frame, JointKind, Limit, Skeleton};
use posekit::solve::{JointOptions, LeastSquares, Method, Settings, Solution, Workspace, solve};
use posekit::task::{Body, Capsule, Task, TaskKind};
use support::random::{Figure, N_KINDS, Traits};
use support::{Rng, joints};

const CASES: u64 = 400;

/// A question of one to four tasks on two levels.
struct Question {
    figure: Figure,
    start: Vec<f64>,
    tasks: Vec<Task>,
    settings: Settings,
}

impl Question {
    /// Tasks of the kinds below `kinds`.
    fn random(index: u64, kinds: usize) -> Self {
        let mut rng = Rng::new(index);
        let traits = Traits {
            limits: index.is_multiple_of(2),
            slides: index.is_multiple_of(3),
            floats: index.is_multiple_of(5),
        };
        let figure = Figure::random(&mut rng, traits);
        let (start, truth) = (figure.pose(&mut rng), figure.pose(&mut rng));
        let tasks = (0..rng.whole(1, 4))
            .map(|_| {
                let kind = rng.whole(0, kinds - 1);
                let level = if rng.whole(0, 2) == 0 { 2 } else { 1 };
                figure.task(&mut rng, kind, &truth).at_level(level).weighing(rng.between(0.5, 2.0))
            })
            .collect();
        let n = figure.skeleton.n_joints();
        let n = if index.is_multiple_of(4) { n } else { 0 };
        let stiffness: Vec<f64> = (0..n).map(|_| rng.between(0.1, 10.0)).collect();
        let least_squares = LeastSquares::default()
            .with_regularisation(if index.is_multiple_of(7) { 0.01 } else { 0.0 });
        let joints = joints(&stiffness, JointOptions::with_stiffness);
        let settings = Settings::default().with_joints(joints).with_least_squares(least_squares);
        Self { figure, start, tasks, settings }
    }

    fn solve(&self) -> Solution {
        let Self { figure, start, tasks, settings } = self;
        let solution = solve(&figure.skeleton, start, tasks, Method::LeastSquares, settings);
        solution.expect("the tasks are valid")
    }

    fn solve_in(&self, workspace: &mut Workspace) -> Solution {
        let Self { figure, start, tasks, settings } = self;
        let method = Method::LeastSquares;
        workspace.begin(&figure.skeleton, start, tasks, method, settings).expect("valid");
        workspace.run().clone()
    }
}

/// Bits, not values: `-0.0` is not `0.0`.
fn assert_same(name: &str, a: &Solution, b: &Solution) {
    let bits = |q: &[f64]| q.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&a.configuration), bits(&b.configuration), "{name}");
    assert_eq!(a, b, "{name}");
}

#[test]
fn a_used_workspace_and_a_new_one_agree() {
    let mut used = Workspace::default();
    for index in 0..CASES {
        let question = Question::random(index, N_KINDS);
        let fresh = question.solve();
        assert_same(&format!("case {index}"), &fresh, &question.solve_in(&mut used));
        assert_same(&format!("case {index} again"), &fresh, &question.solve_in(&mut used));
    }
}

/// Looking at what has been found so far changes nothing.
#[test]
fn looking_on_changes_nothing() {
    let mut workspace = Workspace::default();
    for index in 0..CASES / 4 {
        let question = Question::random(index, N_KINDS);
        let Question { figure, start, tasks, settings } = &question;
        let method = Method::LeastSquares;
        workspace.begin(&figure.skeleton, start, tasks, method, settings).expect("valid");
        while workspace.step() == posekit::solve::Progress::Continuing {
            let _ = workspace.solution();
        }
        assert_same(&format!("case {index}"), &question.solve(), workspace.solution());
    }
}

fn scaled_pose(pose: Pose, by: f64) -> Pose {
    Pose { translation: pose.translation * by, ..pose }
}

/// The same figure in another unit of length.
fn scaled_skeleton(skeleton: &Skeleton, by: f64) -> Skeleton {
    let joints = (0..skeleton.n_joints()).map(|i| {
        let mut joint = skeleton.joint(i);
        joint.parent_from_joint = scaled_pose(joint.parent_from_joint, by);
        if let (JointKind::Prismatic { .. }, Limit::Range { min, max }) = (joint.kind, joint.limit)
        {
            joint.limit = Limit::Range { min: min * by, max: max * by };
        }
        joint.mimic = None;
        joint
    });
    Skeleton::try_new(joints.collect()).expect("still valid")
}

fn scaled_values(skeleton: &Skeleton, q: &[f64], by: f64) -> Vec<f64> {
    let mut q = q.to_vec();
    for i in 0..skeleton.n_joints() {
        let n_lengths = match skeleton.kind(i) {
            JointKind::Prismatic { .. } => 1,
            JointKind::Free => 3,
            _ => 0,
        };
        q[skeleton.value_range(i)][..n_lengths].iter_mut().for_each(|x| *x *= by);
    }
    q
}

/// Everything that [`Figure::task`] makes but support polygons, whose corners a task does not give back.
fn scaled_task(skeleton: &Skeleton, task: &Task, by: f64) -> Task {
    let frame = |frame: &mut Frame| {
        frame.joint_from_frame = scaled_pose(frame.joint_from_frame, by);
    };
    let mut task = task.clone();
    match &mut task.kind {
        TaskKind::Position(position) => {
            frame(&mut position.frame);
            position.target_in_world *= by;
        }
        TaskKind::Orientation(orientation) => frame(&mut orientation.frame),
        TaskKind::Pose(pose) => {
            frame(&mut pose.frame);
            pose.world_from_target = scaled_pose(pose.world_from_target, by);
        }
        TaskKind::LookAt(look) => {
            frame(&mut look.frame);
            look.target_in_world *= by;
        }
        TaskKind::AxisAlignment(alignment) => frame(&mut alignment.frame),
        TaskKind::Pole(pole) => {
            frame(&mut pole.upper);
            frame(&mut pole.tip);
            pole.mid_in_upper *= by;
            pole.pole_in_world *= by;
        }
        TaskKind::Plane(plane) => {
            frame(&mut plane.frame);
            plane.point_in_world *= by;
        }
        TaskKind::Distance(distance) => {
            distance.frames.iter_mut().for_each(frame);
            distance.min *= by;
            distance.max *= by;
        }
        TaskKind::RelativePose(relative) => {
            relative.frames.iter_mut().for_each(frame);
            relative.a_from_target = scaled_pose(relative.a_from_target, by);
        }
        TaskKind::Closure(closure) => closure.frames.iter_mut().for_each(frame),
        TaskKind::CenterOfMass(mass) => {
            let scaled = |body: &Body| Body { center_in_joint: body.center_in_joint * by, ..*body };
            mass.bodies = mass.bodies.iter().map(scaled).collect();
            mass.target_in_world *= by;
        }
        TaskKind::Clearance(clearance) => {
            clearance.margin *= by;
            for Capsule { ends, radius, .. } in &mut clearance.capsules {
                *ends = ends.map(|end: DVec3| end * by);
                *radius *= by;
            }
        }
        TaskKind::Posture(posture) => {
            posture.configuration = scaled_values(skeleton, &posture.configuration, by).into();
        }
        kind => panic!("{} is not scaled", kind.name()),
    }
    task
}

/// Solves that end after at most this many iterations amplify rounding by less than [`NOTHING`].
const FEW: u32 = 40;

/// Angles this far apart are the same \[rad\]: the least change ends with a step of a millionth of the change.
const NOTHING: f64 = 3e-5;

/// In millimetres, in kilometres and in another power of two: the same steps, the same angles.
///
/// A power of two rounds nothing, so every bit is the same whatever happens on the way. A thousand rounds every length, and what is left of
/// that at the end depends on the way: a restart is chosen by comparing misses, a problem that no pose solves ends where the gain
/// falls below a threshold, and a long way bends past folds; each of them turns a last bit into another step or another pose. So the
/// angles must agree where the way is short and leads straight there; elsewhere the status, in all but one of a hundred: now and then the
/// last bit decides which restart arrives.
#[test]
fn the_unit_of_length_changes_nothing() {
    let (mut failures, mut turned, mut n_straight) = (Vec::new(), Vec::new(), 0);
    for index in 0..CASES {
        let mut question = Question::random(index, N_KINDS);
        question.tasks.retain(|task| !matches!(task.kind, TaskKind::Support(_)));
        // Building normalises axes once more; so for both.
        let built_twice = scaled_skeleton(&question.figure.skeleton, 1.0);
        let figure = core::mem::replace(&mut question.figure.skeleton, built_twice);
        let metres = question.solve();
        let is_straight = metres.is_reached()
            && metres.escaped_at.is_none()
            && metres.accelerated_at.is_none()
            && metres.iterations <= FEW;
        n_straight += u64::from(is_straight);
        for by in [1000.0, 1e-3, 1024.0] {
            let skeleton = &question.figure.skeleton;
            let tasks = question.tasks.iter().map(|task| scaled_task(skeleton, task, by));
            let tasks: Vec<Task> = tasks.collect();
            let start = scaled_values(skeleton, &question.start, by);
            let scaled = scaled_skeleton(&figure, by);
            let method = Method::LeastSquares;
            let other = solve(&scaled, &start, &tasks, method, &question.settings).expect("valid");
            let back = scaled_values(skeleton, &other.configuration, by.recip());
            let mut v = vec![0.0; skeleton.n_dofs()];
            skeleton.difference(&metres.configuration, &back, &mut v);
            let off = v.iter().fold(0.0, |worst, x| f64::max(worst, x.abs()));
            let words = [metres.status.word(), other.status.word()];
            let (a, b) = (metres.iterations, other.iterations);
            let place = format!("case {index} by {by}: {words:?}, {off:.1e} off, {a}, {b}");
            if is_straight && (off > NOTHING || words[0] != words[1]) {
                failures.push(place);
            } else if words[0] != words[1] {
                turned.push(place);
            }
            if by == 1024.0 {
                let name = format!("case {index}: a power of two rounds nothing");
                assert_eq!(metres.configuration, back, "{name}");
                assert_eq!(metres.iterations, other.iterations, "{name}");
            }
        }
    }
    assert!(n_straight * 2 > CASES, "only {n_straight} of {CASES} go straight there");
    // The last bit may decide whether an inequality joins a step.
    let are_few = failures.len() as u64 * 1000 <= CASES * 3;
    assert!(are_few, "{} of {}:\n{}", failures.len(), CASES * 3, failures.join("\n"));
    let listed = turned.join("\n");
    assert!(turned.len() as u64 * 100 <= CASES * 3, "{} end otherwise:\n{listed}", turned.len());
}
