//! What least squares returns when there is no answer, or more than one: the nearest pose, and the least change.
//!
//! Misses are measured by [`Task::miss`], gradients by [`Skeleton::jacobian`]; nothing is taken from the solver.

use crate::support;

use posekit::glam::DVec3;
use posekit::math::{Pose, wrap_angle};
use posekit::skeleton::{Frame, Joint, JointKind, Limit, Skeleton};
use posekit::solve::{JointOptions, Method, Settings, Solution, solve};
use posekit::task::{AxisAlignment, Position, Task, TaskKind};
use support::random::{Figure, Traits};
use support::{Rng, joints};

const CASES: u64 = 500;

/// What counts as reached, as a part of the reach.
const TOLERANCE: f64 = 1e-6;

/// Share of hard random cases that may be left unfinished because the iterations run out, those of the solve or of the least change. Whoever
/// stops before that must be right.
const FEW: f64 = 0.01;

/// Steps that the least change takes at most.
const LEVEL_STEPS: u32 = 100;

/// Cases that are not as good as they must be.
#[derive(Default)]
struct Failures {
    /// Those that had iterations left, and those that had not.
    early: Vec<String>,
    late: Vec<String>,
}

impl Failures {
    fn add(&mut self, solution: &Solution, settings: &Settings, case: String) {
        let ran_out = solution.iterations >= settings.iterations.min(LEVEL_STEPS);
        let line = format!("{case}: {} after {}", solution.status.word(), solution.iterations);
        if ran_out { self.late.push(line) } else { self.early.push(line) }
    }

    fn check(&self, total: u64, what: &str) {
        let (early, late) = (self.early.len(), self.late.len());
        let listed = self.early.iter().chain(&self.late).take(20).cloned().collect::<Vec<_>>();
        let report =
            format!("{early} and {late} of {total} are not {what}:\n{}", listed.join("\n"));
        assert!(early == 0, "{report}");
        assert!(late as f64 <= FEW * total as f64, "{report}");
    }
}

fn least(figure: &Figure, start: &[f64], tasks: &[Task], stiffness: &[f64]) -> Solution {
    let joints = joints(stiffness, JointOptions::with_stiffness);
    by(figure, start, tasks, &Settings::default().with_joints(joints))
}

fn by(figure: &Figure, start: &[f64], tasks: &[Task], settings: &Settings) -> Solution {
    let solution = solve(&figure.skeleton, start, tasks, Method::LeastSquares, settings);
    let solution = solution.expect("the tasks are valid");
    let q = &solution.configuration;
    assert!(figure.skeleton.within_limits(q, 1e-9), "limits broken");
    solution
}

/// Weighted sum of squared distances.
fn merit(skeleton: &Skeleton, tasks: &[Task], q: &[f64]) -> f64 {
    tasks.iter().map(|task| task.weight * square(task.miss(skeleton, q).distance)).sum()
}

fn square(x: f64) -> f64 {
    x * x
}

/// How much a step along `v` inside the limits lowers the merit.
fn gain(figure: &Figure, tasks: &[Task], q: &[f64], v: &[f64]) -> f64 {
    let mut moved = q.to_vec();
    figure.skeleton.integrate(q, v, &mut moved);
    figure.skeleton.clamp(&mut moved);
    merit(&figure.skeleton, tasks, q) - merit(&figure.skeleton, tasks, &moved)
}

/// Position tasks for every tip, some beyond reach, of random weights.
fn conflicting(rng: &mut Rng, figure: &Figure) -> Vec<Task> {
    let target = |rng: &mut Rng| rng.direction() * rng.between(0.2, 2.0) * figure.reach;
    let mut tasks: Vec<Task> = Vec::new();
    for &tip in &figure.tips {
        tasks.push(Task::new(Position::new(tip, target(rng))).weighing(rng.between(0.2, 5.0)));
    }
    tasks.push(Position::new(figure.tips[0], target(rng)).into());
    tasks
}

/// Two points for one tip, and what the others cannot reach: no step inside the limits, small or large, comes nearer by more than the
/// tolerance.
fn check_nearest(traits: Traits) {
    let mut failures = Failures::default();
    for index in 0..CASES {
        let mut rng = Rng::new(index);
        let figure = Figure::random(&mut rng, traits);
        let start = figure.pose(&mut rng);
        let tasks = conflicting(&mut rng, &figure);
        let settings = Settings::default().with_iterations(1000);
        let solution = by(&figure, &start, &tasks, &settings);
        assert!(!solution.is_reached(), "case {index}: one tip cannot be in two places");
        let (q, n) = (&solution.configuration, figure.skeleton.n_dofs());
        let mut best = 0.0_f64;
        for step in [1e-4, 1e-3, 1e-2] {
            let unit = |i: usize, by: f64| (0..n).map(|k| if k == i { by } else { 0.0 }).collect();
            let mut steps: Vec<Vec<f64>> =
                (0..n).flat_map(|i| [unit(i, step), unit(i, -step)]).collect();
            for _ in 0..50 {
                steps.push((0..n).map(|_| rng.between(-step, step)).collect());
            }
            let gains = steps.iter().map(|v| gain(&figure, &tasks, q, v));
            best = gains.fold(best, f64::max);
        }
        let now = merit(&figure.skeleton, &tasks, q).sqrt();
        let nearer = best / (2.0 * now);
        if nearer > TOLERANCE * figure.reach {
            failures.add(&solution, &settings, format!("case {index}, {nearer:.1e}"));
        }
    }
    failures.check(CASES, "at rest");
}

#[test]
fn free_figures_come_nearest() {
    check_nearest(Traits::default());
}

#[test]
fn limited_figures_come_nearest() {
    check_nearest(Traits { limits: true, ..Traits::default() });
}

#[test]
fn floating_figures_come_nearest() {
    check_nearest(Traits { limits: true, floats: true, ..Traits::default() });
}

/// A plane arm of two bones inside narrow ranges against every pose of a fine grid.
#[test]
fn brute_force_finds_nothing_nearer() {
    const GRID: u32 = 400;
    for index in 0..100 {
        let mut rng = Rng::new(index);
        let mut ranges = [(); 2].map(|()| {
            let min = rng.between(-2.0, 1.0);
            (min, min + rng.between(0.2, 2.0))
        });
        ranges[0].0 -= 0.1;
        let hinge = |name: &str, (min, max)| {
            Joint::revolute(name, DVec3::Z).with_limit(Limit::Range { min, max })
        };
        let bone = Pose::from_translation(DVec3::X);
        let joints = vec![hinge("a", ranges[0]), hinge("b", ranges[1]).child_of(0).at(bone)];
        let skeleton = Skeleton::try_new(joints).expect("the arm is valid");
        let tip = Frame::new(1, bone);
        let target = DVec3::new(rng.between(-2.0, 2.0), rng.between(-2.0, 2.0), 0.0);
        let task: Task = Position::new(tip, target).into();
        let settings = Settings::default();
        let tasks = [task.clone()];
        let solution =
            solve(&skeleton, &skeleton.neutral(), &tasks, Method::LeastSquares, &settings)
                .expect("the task is valid");
        let found = task.miss(&skeleton, &solution.configuration).distance;
        let mut nearest = f64::INFINITY;
        for i in 0..=GRID {
            for j in 0..=GRID {
                let at =
                    |(min, max): (f64, f64), k| min + (max - min) * f64::from(k) / f64::from(GRID);
                let q = [at(ranges[0], i), at(ranges[1], j)];
                nearest = nearest.min(task.miss(&skeleton, &q).distance);
            }
        }
        // Another start is worth a jump when it leaves less than nine tenths of the miss.
        assert!(0.9 * found <= nearest + 1e-6, "case {index}: {found}, the grid has {nearest}");
    }
}

/// How far the change from the start is from being least: its gradient, less what the tasks and the limits hold.
///
/// Returns its norm and the norm of the whole gradient. Hinges at a limit may only go inside.
fn spare_change(
    figure: &Figure,
    tasks: &[Task],
    start: &[f64],
    q: &[f64],
    stiffness: &[f64],
) -> (f64, f64) {
    let skeleton = &figure.skeleton;
    let n = skeleton.n_dofs();
    let mut gradient = vec![0.0; n];
    skeleton.difference(start, q, &mut gradient);
    for joint in 0..skeleton.n_joints() {
        let is_free = matches!(skeleton.kind(joint), JointKind::Free);
        let dofs = skeleton.dof_range(joint);
        if let (1, Limit::None) = (dofs.len(), skeleton.limit(joint)) {
            // Whole turns are no change.
            gradient[dofs.start] = wrap_angle(gradient[dofs.start]);
        }
        for (k, i) in dofs.enumerate() {
            let unit = if is_free && k < 3 { square(figure.reach.recip()) } else { 1.0 };
            gradient[i] *= unit * stiffness[joint];
        }
    }
    let poses = skeleton.poses(q);
    let mut rows = Vec::new();
    for task in tasks {
        let TaskKind::Position(position) = task.kind else { continue };
        let mut jacobian = vec![0.0; 6 * n];
        skeleton.jacobian(&poses, &position.frame, &mut jacobian);
        rows.extend((0..3).map(|k| (0..n).map(|i| jacobian[6 * i + k]).collect::<Vec<_>>()));
    }
    // Whether an unknown is at its smallest or largest value.
    let ends: Vec<(bool, bool)> = (0..n).map(|i| ends_of(skeleton, q, i)).collect();
    let down: Vec<f64> = gradient.iter().map(|x| -x).collect();
    (norm(&allowed(&rows, &ends, &down)), norm(&gradient))
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The nearest direction that keeps the tasks and goes inside at the ends: of those that come of holding some of the unknowns at an end
/// and letting the others go, the longest that goes nowhere outside.
fn allowed(rows: &[Vec<f64>], ends: &[(bool, bool)], wish: &[f64]) -> Vec<f64> {
    let n = wish.len();
    let at_end: Vec<usize> = (0..n).filter(|&i| ends[i] != (false, false)).collect();
    let mut best = vec![0.0; n];
    for held in 0..1_u32 << at_end.len() {
        let mut rows = rows.to_vec();
        let kept = at_end.iter().enumerate().filter(|(k, _)| held & (1 << k) != 0);
        rows.extend(kept.map(|(_, &i)| (0..n).map(|k| if k == i { 1.0 } else { 0.0 }).collect()));
        let way = less_rows(&basis_of(&rows), wish);
        let tolerance = 1e-12 * norm(wish);
        let stays = (0..n)
            .all(|i| (!ends[i].0 || way[i] >= -tolerance) && (!ends[i].1 || way[i] <= tolerance));
        if stays && norm(&way) > norm(&best) {
            best = way;
        }
    }
    best
}

/// How near counts as at an end \[rad\]: the least change is done when its steps are a millionth of the change.
const AT_END: f64 = 1e-5;

fn ends_of(skeleton: &Skeleton, q: &[f64], dof: usize) -> (bool, bool) {
    let joint = (0..skeleton.n_joints()).find(|&j| skeleton.dof_range(j).contains(&dof));
    let joint = joint.expect("every degree of freedom belongs to a joint");
    let value = q[skeleton.value_range(joint).start];
    match (skeleton.kind(joint), skeleton.limit(joint)) {
        (JointKind::Revolute { .. }, Limit::Range { min, max }) => {
            (value - min < AT_END, max - value < AT_END)
        }
        _ => (false, false),
    }
}

/// `v` less its part in the span of the rows.
fn less_rows(basis: &[Vec<f64>], v: &[f64]) -> Vec<f64> {
    let mut v = v.to_vec();
    for b in basis {
        let part: f64 = v.iter().zip(b).map(|(a, b)| a * b).sum();
        v.iter_mut().zip(b).for_each(|(v, b)| *v -= part * b);
    }
    v
}

/// An orthonormal basis of the span of some rows.
fn basis_of(rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for row in rows {
        let left = less_rows(&basis, &less_rows(&basis, row));
        let size = norm(&left);
        if size > 1e-7 * norm(row) {
            basis.push(left.iter().map(|x| x / size).collect());
        }
    }
    basis
}

/// All tips stand where a random pose has them, from another random pose.
fn check_least_change(traits: Traits, near: Option<f64>) {
    let (mut failures, mut reached) = (Failures::default(), 0);
    for index in 0..CASES {
        let mut rng = Rng::new(index);
        let mut figure = Figure::random(&mut rng, traits);
        let start = figure.pose(&mut rng);
        let truth = match near {
            Some(by) => figure.pose_near(&mut rng, &start, by),
            None => figure.pose(&mut rng),
        };
        let poses = figure.skeleton.poses(&truth);
        let place = |tip: &Frame| Position::new(*tip, tip.world(&poses).translation).into();
        let tasks: Vec<Task> = figure.tips.iter().map(place).collect();
        let n = figure.skeleton.n_joints();
        let stiffness: Vec<f64> = (0..n).map(|_| rng.between(0.1, 10.0)).collect();
        let solution = least(&figure, &start, &tasks, &stiffness);
        if !solution.is_reached() {
            continue;
        }
        reached += 1;
        // A floating figure's reach, with which lengths are compared, has the way to its targets in it.
        figure.reach = 1e6 * solution.tolerance;
        let q = &solution.configuration;
        let (spare, whole) = spare_change(&figure, &tasks, &start, q, &stiffness);
        if spare > 1e-4 * whole + 1e-7 {
            let case = format!("case {index}, {n} joints, {spare:.1e} of {whole:.1e}");
            failures.add(&solution, &Settings::default(), case);
        }
    }
    assert!(reached * 10 > CASES * 9, "only {reached} are reached");
    failures.check(reached, "least");
}

#[test]
fn free_figures_change_least() {
    check_least_change(Traits::default(), None);
}

#[test]
fn free_figures_change_least_for_near_targets() {
    check_least_change(Traits::default(), Some(0.2));
}

#[test]
fn floating_figures_change_least() {
    check_least_change(Traits { floats: true, ..Traits::default() }, Some(0.5));
}

/// Hinges with ranges only, so that what holds them is known exactly.
#[test]
fn limited_hinges_change_least() {
    let mut failures = Failures::default();
    for index in 0..CASES {
        let mut rng = Rng::new(index);
        let mut builder = Skeleton::builder();
        let n = rng.whole(4, 9);
        let mut reach = 0.0;
        for i in 0..n {
            let (middle, half) = (rng.between(-0.3, 0.3), rng.between(0.3, 1.0));
            let limit = Limit::Range { min: middle - half, max: middle + half };
            let joint = Joint::revolute(format!("{i}"), rng.direction()).with_limit(limit);
            let bone = rng.direction() * rng.between(0.2, 1.0);
            reach += bone.length();
            let placement = Pose { rotation: rng.rotation(), translation: bone };
            builder.add(if i == 0 { joint } else { joint.child_of(i - 1).at(placement) });
        }
        let tip = Frame::new(n - 1, Pose::from_translation(DVec3::X));
        let skeleton = builder.build().expect("the limb is valid");
        let figure = Figure { skeleton, tips: vec![tip], reach };
        let (start, truth) = (figure.pose(&mut rng), figure.pose(&mut rng));
        let target = tip.world(&figure.skeleton.poses(&truth)).translation;
        let tasks = [Position::new(tip, target).into()];
        let stiffness: Vec<f64> = (0..n).map(|_| rng.between(0.1, 10.0)).collect();
        let solution = least(&figure, &start, &tasks, &stiffness);
        let q = &solution.configuration;
        let (spare, whole) = spare_change(&figure, &tasks, &start, q, &stiffness);
        if solution.is_reached() && spare > 1e-4 * whole + 1e-7 {
            let case = format!("case {index}, {n} joints, {spare:.1e} of {whole:.1e}");
            failures.add(&solution, &Settings::default(), case);
        }
    }
    failures.check(CASES, "least");
}

/// Three hinges about one line turn an axis together: each turns by a share of one over its stiffness.
#[test]
fn coaxial_hinges_share_a_turn_by_stiffness() {
    let hinge = |name: &str| Joint::revolute(name, DVec3::Z);
    let joints = vec![hinge("a"), hinge("b").child_of(0), hinge("c").child_of(1)];
    let skeleton = Skeleton::try_new(joints).expect("the joints are valid");
    let figure = Figure { skeleton, tips: Vec::new(), reach: 1.0 };
    let direction = DVec3::new(posekit::math::cos(1.5), posekit::math::sin(1.5), 0.0);
    let task = AxisAlignment::new(figure.skeleton.frame(2), DVec3::X, direction).into();
    let q = least(&figure, &[0.0; 3], &[task], &[1.0, 2.0, 4.0]).configuration;
    for (value, share) in q.iter().zip([4.0, 2.0, 1.0]) {
        assert!((value - 1.5 * share / 7.0).abs() < 1e-6, "{q:?}");
    }
}

/// What the least change costs nothing is not changed: joints that no task hangs on stay to the bit.
#[test]
fn joints_without_tasks_stay() {
    let mut rng = Rng::new(3);
    for _ in 0..50 {
        let figure = Figure::random(&mut rng, Traits { limits: true, ..Traits::default() });
        let (start, truth) = (figure.pose(&mut rng), figure.pose(&mut rng));
        let tip = figure.tips[0];
        let target = tip.world(&figure.skeleton.poses(&truth)).translation;
        let q = least(&figure, &start, &[Position::new(tip, target).into()], &[]).configuration;
        let moved: Vec<usize> = figure.skeleton.ancestors(tip.joint).collect();
        for joint in (0..figure.skeleton.n_joints()).filter(|joint| !moved.contains(joint)) {
            let values = figure.skeleton.value_range(joint);
            assert_eq!(q[values.clone()], start[values], "joint {joint}");
        }
    }
}
