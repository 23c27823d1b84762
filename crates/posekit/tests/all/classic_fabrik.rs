//! Classic FABRIK against the published text, iteration by iteration: plain forward and backward reaching, root and target.

use crate::support;

use posekit::chain::{Chain, Goals};
use posekit::glam::DVec3;
use posekit::math::sin_cos;
use posekit::solve::{Detail, Method, Settings, Status, solve, solve_chain};
use posekit::task::{Position, Task};
use support::{Rng, plane_limb, plane_tip, space_limb};

/// How near the two must stay.
const SAME: f64 = 1e-9;

/// A chain as the text has it: points and the lengths between them.
struct Segments {
    points: Vec<Vec<f64>>,
    lengths: Vec<f64>,
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

/// The point at `length` from `from`, in the direction of `to`.
fn along(from: &[f64], to: &[f64], length: f64) -> Vec<f64> {
    let far = distance(from, to);
    from.iter().zip(to).map(|(a, b)| a + length * ((b - a) / far)).collect()
}

impl Segments {
    fn random(rng: &mut Rng, dimension: usize, n: usize) -> Self {
        let mut point = || (0..dimension).map(|_| rng.between(-1.5, 1.5)).collect::<Vec<f64>>();
        let points: Vec<Vec<f64>> = (0..=n).map(|_| point()).collect();
        let lengths = points.windows(2).map(|pair| distance(&pair[0], &pair[1])).collect();
        Self { points, lengths }
    }

    fn iterate(&mut self, target: &[f64]) {
        let (root, n) = (self.points[0].clone(), self.lengths.len());
        self.points[n] = target.to_vec();
        for i in (0..n).rev() {
            self.points[i] = along(&self.points[i + 1], &self.points[i], self.lengths[i]);
        }
        self.points[0] = root;
        for i in 0..n {
            self.points[i + 1] = along(&self.points[i], &self.points[i + 1], self.lengths[i]);
        }
    }

    fn miss(&self, target: &[f64]) -> f64 {
        distance(&self.points[self.lengths.len()], target)
    }

    fn flat(&self) -> Vec<f64> {
        self.points.concat()
    }
}

fn classic(tolerance: f64, iterations: u32) -> Settings {
    Settings::default()
        .with_classic(true)
        .with_trace(Detail::Iterations)
        .with_tolerance(tolerance)
        .with_iterations(iterations)
}

fn assert_same(mine: &[f64], theirs: &[f64], name: &str) {
    assert_eq!(mine.len(), theirs.len(), "{name}: numbers");
    for (k, (a, b)) in mine.iter().zip(theirs).enumerate() {
        assert!((a - b).abs() < SAME, "{name}: number {k} is {a}, expected {b}");
    }
}

/// The text's loop: until the tip is within the tolerance, at most so many times.
fn compare(
    mut segments: Segments,
    target: &[f64],
    (tolerance, limit): (f64, u32),
    solve: impl FnOnce(&Settings) -> posekit::solve::Solution,
    name: &str,
) {
    let solution = solve(&classic(tolerance, limit));
    let mut done = 0;
    while done < limit && (tolerance == 0.0 || segments.miss(target) > tolerance) {
        segments.iterate(target);
        let step = &solution.trace[done as usize];
        done += 1;
        let name = format!("{name}, iteration {done}");
        assert_same(&step.points, &segments.flat(), &name);
        assert!((step.error - segments.miss(target)).abs() < SAME, "{name}: the error");
    }
    assert_eq!(solution.trace.len(), done as usize, "{name}: iterations");
    assert_eq!(solution.iterations, done, "{name}: iterations counted");
    let reached = tolerance > 0.0 && segments.miss(target) <= tolerance;
    assert!(!reached || solution.status == Status::Reached, "{name}: {:?}", solution.status);
}

#[test]
fn chains_equal_the_text_in_any_dimension() {
    let mut rng = Rng::new(20);
    for dimension in [1, 2, 3, 5] {
        for n in 2..=25 {
            for tolerance in [0.0, 1e-3, 1e-7] {
                let segments = Segments::random(&mut rng, dimension, n);
                let target: Vec<f64> =
                    segments.points[0].iter().map(|x| x + rng.between(-1.0, 1.0)).collect();
                let chain = Chain::try_new(dimension, &segments.flat()).unwrap();
                let goals = Goals { effectors: &[n], targets: &target };
                let run = |settings: &Settings| {
                    solve_chain(&chain, goals, Method::Fabrik, settings).unwrap()
                };
                let name = format!("{n} bones in dimension {dimension}, tolerance {tolerance}");
                compare(segments, &target, (tolerance, 25), run, &name);
            }
        }
    }
}

#[test]
fn joints_in_the_plane_and_in_space_equal_the_text() {
    let mut rng = Rng::new(21);
    for n in 2..=25 {
        for in_space in [false, true] {
            let lengths: Vec<f64> = (0..n).map(|_| rng.between(0.2, 2.0)).collect();
            let (skeleton, tip) =
                if in_space { space_limb(&lengths) } else { plane_limb(&lengths) };
            let mut start = Vec::new();
            for _ in 0..n {
                if in_space {
                    start.extend(rng.rotation().to_array());
                } else {
                    start.push(rng.angle());
                }
            }
            let poses = skeleton.poses(&start);
            let mut points: Vec<Vec<f64>> =
                poses.iter().map(|pose| pose.translation.to_array().to_vec()).collect();
            points.push(tip.world(&poses).translation.to_array().to_vec());
            let far = rng.between(0.1, 0.95) * lengths.iter().sum::<f64>();
            let (s, c) = sin_cos(rng.angle());
            let target = if in_space { rng.direction() } else { DVec3::new(c, s, 0.0) } * far;
            let task: Task = Position::new(tip, target).into();
            let run = |settings: &Settings| {
                let solution = solve(
                    &skeleton,
                    &start,
                    core::slice::from_ref(&task),
                    Method::Fabrik,
                    settings,
                )
                .unwrap();
                // The joint values of every step carry the same points.
                for step in &solution.trace {
                    let poses = skeleton.poses(&step.configuration);
                    let mut flat: Vec<f64> =
                        poses.iter().flat_map(|pose| pose.translation.to_array()).collect();
                    flat.extend(tip.world(&poses).translation.to_array());
                    assert_same(&flat, &step.points, "joints and points");
                }
                solution
            };
            let name = format!("{n} bones, in space: {in_space}");
            let segments = Segments { points, lengths };
            compare(segments, &target.to_array(), (1e-3, 25), run, &name);
        }
    }
}

#[test]
fn targets_out_of_reach_are_followed_as_in_the_text() {
    let mut rng = Rng::new(22);
    for n in [2, 7, 25] {
        let segments = Segments::random(&mut rng, 3, n);
        let far = 1.5 * segments.lengths.iter().sum::<f64>();
        let target = (DVec3::from_slice(&segments.points[0]) + rng.direction() * far).to_array();
        let chain = Chain::try_new(3, &segments.flat()).unwrap();
        let goals = Goals { effectors: &[n], targets: &target };
        let run = |settings: &Settings| {
            let solution = solve_chain(&chain, goals, Method::Fabrik, settings).unwrap();
            assert!(matches!(solution.status, Status::Unreachable { .. }), "proven anyway");
            solution
        };
        compare(segments, &target, (1e-3, 25), run, &format!("{n} bones, too far"));
    }
}

#[test]
fn figures_2_and_3_lock_fabrik_up_too_and_are_left_by_default() {
    let (skeleton, tip) = plane_limb(&[1.0, 1.0]);
    let target = DVec3::new(0.7, 0.0, 0.0);
    let task: Task = Position::new(tip, target).into();
    let run = |settings: &Settings| {
        solve(&skeleton, &[0.0, 0.0], core::slice::from_ref(&task), Method::Fabrik, settings)
            .unwrap()
    };
    let locked = run(&classic(1e-6, 100));
    assert!(!locked.is_reached() && locked.escaped_at.is_none());
    for step in &locked.trace {
        let bent = step.points.chunks_exact(3).any(|point| point[1].abs() > 1e-9);
        assert!(!bent, "the points never leave their line: {:?}", step.points);
    }
    let out = run(&Settings::default());
    assert!(out.is_reached() && out.escaped_at.is_some());
    assert!(plane_tip(&[1.0, 1.0], &out.configuration).distance(target) <= 2e-6);
}
