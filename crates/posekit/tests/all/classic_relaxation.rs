//! Classic constraint relaxation against the published text, iteration by iteration.
//!
//! The reference keeps the bases of the bones as plain vectors of any dimension and does, bone by bone, what the text says.

use crate::support;

use posekit::chain::relaxation::Reading;
use posekit::chain::{Chain, Goals};
use posekit::glam::DVec3;
use posekit::math::{atan2, sin_cos, wrap_angle};
use posekit::solve::{
    Detail, JointOptions, Method, Relaxation, Settings, Solution, Status, solve, solve_chain,
};
use posekit::task::{Position, Task};
use support::{Rng, joints, plane_limb, plane_tip};

/// How near the two must stay.
const SAME: f64 = 1e-9;

/// The text's constant: squared lengths and sums of weights at or below it are passed over.
const EPSILON: f64 = 1e-4;

/// The bases of the bones, with each bone's length and the weight of its base.
struct Bones {
    bases: Vec<Vec<f64>>,
    lengths: Vec<f64>,
    weights: Vec<f64>,
}

fn minus(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

fn squared(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum()
}

fn add(to: &mut [f64], v: &[f64], factor: f64) {
    to.iter_mut().zip(v).for_each(|(x, y)| *x += factor * y);
}

impl Bones {
    fn iterate(&mut self, target: &[f64]) {
        let last = self.bases.len() - 1;
        // The end bone points at the target and slides until its tip is there.
        let to_target = minus(target, &self.bases[last]);
        if squared(&to_target) > EPSILON {
            let stretch = self.lengths[last] / squared(&to_target).sqrt() - 1.0;
            add(&mut self.bases[last], &to_target, -stretch);
        }
        // The bones between share their correction by the weights of their ends.
        for bone in (1..last).rev() {
            let (w1, w2) = (self.weights[bone], self.weights[bone + 1]);
            let v = minus(&self.bases[bone + 1], &self.bases[bone]);
            if squared(&v) > EPSILON && w1 + w2 > EPSILON {
                let d = squared(&v).sqrt();
                let u = (self.lengths[bone] - d) / d;
                add(&mut self.bases[bone], &v, -u * (w1 / (w1 + w2)));
                add(&mut self.bases[bone + 1], &v, u * (w2 / (w1 + w2)));
            }
        }
        // The root stays; its bone moves its other end.
        let v = minus(&self.bases[1], &self.bases[0]);
        if squared(&v) > EPSILON {
            let stretch = self.lengths[0] / squared(&v).sqrt() - 1.0;
            add(&mut self.bases[1], &v, stretch);
        }
    }

    /// The text's way back to angles, in the plane: the directions of the bones, the last one's to the target.
    fn angles(&self, target: &[f64]) -> Vec<f64> {
        let mut before = 0.0;
        let ends = self.bases[1..].iter().map(Vec::as_slice).chain([target]);
        let directions = self.bases.iter().zip(ends).map(|(base, end)| minus(end, base));
        directions
            .map(|v| {
                let world = atan2(v[1], v[0]);
                wrap_angle(world - core::mem::replace(&mut before, world))
            })
            .collect()
    }

    /// The points with the target as the tip.
    fn flat(&self, target: &[f64]) -> Vec<f64> {
        self.bases.iter().flatten().chain(target).copied().collect()
    }
}

fn classic(iterations: u32, relaxation: Relaxation) -> Settings {
    Settings::default()
        .with_classic(true)
        .with_trace(Detail::Iterations)
        .with_tolerance(0.0)
        .with_iterations(iterations)
        .with_relaxation(relaxation)
}

/// Weights of all kinds: small, large, and zero alone and in neighbours.
fn weights(rng: &mut Rng, n: usize) -> Vec<f64> {
    (0..n)
        .map(|_| match rng.whole(0, 5) {
            0 => 0.0,
            1 => rng.between(0.0, 1e-4),
            _ => rng.between(0.1, 4.0),
        })
        .collect()
}

fn assert_same(mine: &[f64], theirs: &[f64], name: &str) {
    assert_eq!(mine.len(), theirs.len(), "{name}: numbers");
    for (k, (a, b)) in mine.iter().zip(theirs).enumerate() {
        assert!((a - b).abs() < SAME, "{name}: number {k} is {a}, expected {b}");
    }
}

/// A random limb in the plane: lengths, angles, and the bases that belong to them.
fn plane_bones(rng: &mut Rng, n: usize) -> (Vec<f64>, Bones) {
    let lengths: Vec<f64> = (0..n).map(|_| rng.between(0.2, 2.0)).collect();
    let angles: Vec<f64> = (0..n).map(|_| rng.angle()).collect();
    let (mut at, mut world) = ([0.0, 0.0], 0.0);
    let mut bases = Vec::new();
    for (length, angle) in lengths.iter().zip(&angles) {
        bases.push(at.to_vec());
        world += angle;
        let (s, c) = sin_cos(world);
        at = [at[0] + length * c, at[1] + length * s];
    }
    (angles, Bones { bases, weights: weights(rng, n), lengths })
}

fn by_relaxation(
    lengths: &[f64],
    start: &[f64],
    target: [f64; 2],
    settings: &Settings,
) -> Solution {
    let (skeleton, tip) = plane_limb(lengths);
    let task: Task = Position::new(tip, DVec3::new(target[0], target[1], 0.0)).into();
    solve(&skeleton, start, core::slice::from_ref(&task), Method::Relaxation, settings)
        .expect("the problem is valid")
}

#[test]
fn angles_of_plane_limbs_equal_the_text() {
    let mut rng = Rng::new(10);
    for n in 2..=25 {
        for case in 0..12 {
            let (start, mut bones) = plane_bones(&mut rng, n);
            let far = rng.between(0.05, 1.2) * bones.lengths.iter().sum::<f64>();
            let (s, c) = sin_cos(rng.angle());
            let target = [far * c, far * s];
            let settings = classic(20, Relaxation::default())
                .with_joints(joints(&bones.weights, JointOptions::with_weight));
            let solution = by_relaxation(&bones.lengths, &start, target, &settings);
            assert_eq!(solution.trace.len(), 20, "all iterations are run");
            for step in &solution.trace {
                bones.iterate(&target);
                let name = format!("{n} bones, case {case}, iteration {}", step.iteration);
                let relaxed: Vec<f64> =
                    step.points.chunks_exact(3).flat_map(|p| [p[0], p[1]]).collect();
                assert_same(&relaxed, &bones.flat(&target), &name);
                let angles = bones.angles(&target);
                for (mine, theirs) in step.configuration.iter().zip(&angles) {
                    assert!(wrap_angle(mine - theirs).abs() < SAME, "{name}: {mine}, {theirs}");
                }
                let miss = plane_tip(&bones.lengths, &angles)
                    .distance(DVec3::new(target[0], target[1], 0.0));
                assert!((step.error - miss).abs() < SAME, "{name}: the error of the rigid bones");
            }
        }
    }
}

#[test]
fn points_of_chains_equal_the_text_in_any_dimension() {
    let mut rng = Rng::new(11);
    for dimension in [1, 2, 3, 4, 7] {
        for n in 2..=25 {
            let mut coordinates =
                || -> Vec<f64> { (0..dimension).map(|_| rng.between(-1.5, 1.5)).collect() };
            let bases: Vec<Vec<f64>> = (0..n).map(|_| coordinates()).collect();
            let (tip, target) = (coordinates(), coordinates());
            let points: Vec<f64> = bases.iter().chain([&tip]).flatten().copied().collect();
            let all_weights = weights(&mut rng, n + 1);
            let chain = Chain::try_new(dimension, &points).unwrap();
            let chain = chain.with_weights(&all_weights).unwrap();
            let lengths = chain.lengths()[1..].to_vec();
            let mut bones = Bones { bases, lengths, weights: all_weights[..n].to_vec() };
            let goals = Goals { effectors: &[n], targets: &target };
            let settings = classic(20, Relaxation::default());
            let solution = solve_chain(&chain, goals, Method::Relaxation, &settings).unwrap();
            for step in &solution.trace {
                bones.iterate(&target);
                let name = format!("{n} bones in dimension {dimension}, {}", step.iteration);
                assert_same(&step.points, &bones.flat(&target), &name);
            }
        }
    }
}

#[test]
fn several_passes_are_several_iterations_of_the_text() {
    let mut rng = Rng::new(12);
    for n in [2, 5, 12] {
        let (start, mut bones) = plane_bones(&mut rng, n);
        let target = [0.4 * n as f64, 0.3];
        let relaxation = Relaxation::default().with_passes(3);
        let joints = joints(&bones.weights, JointOptions::with_weight);
        let settings = classic(6, relaxation).with_joints(joints);
        let solution = by_relaxation(&bones.lengths, &start, target, &settings);
        for step in &solution.trace {
            (0..3).for_each(|_| bones.iterate(&target));
            let relaxed: Vec<f64> =
                step.points.chunks_exact(3).flat_map(|p| [p[0], p[1]]).collect();
            assert_same(&relaxed, &bones.flat(&target), &format!("{n} bones, {}", step.iteration));
        }
    }
}

#[test]
fn the_other_readings_are_as_the_text_describes_them() {
    let mut rng = Rng::new(13);
    for n in 2..=25 {
        let (_, mut bones) = plane_bones(&mut rng, n);
        let target = [0.5, -0.4];
        let tip = {
            let (base, (s, c)) = (&bones.bases[n - 1], sin_cos(rng.angle()));
            [base[0] + bones.lengths[n - 1] * c, base[1] + bones.lengths[n - 1] * s]
        };
        let chain = Chain::try_new(2, &bones.flat(&tip)).unwrap();
        let mut all_weights = bones.weights.clone();
        all_weights.push(1.0);
        let chain = chain.with_weights(&all_weights).unwrap();
        let goals = Goals { effectors: &[n], targets: &target };
        let run = |reading| {
            let relaxation = Relaxation::default().with_reading(reading);
            // One iteration, so that the best found is the one just run.
            let settings = classic(1, relaxation).with_iterations(1);
            solve_chain(&chain, goals, Method::Relaxation, &settings).unwrap()
        };
        let (stretched, measured) = (run(Reading::Stretched), run(Reading::Remeasured));
        bones.iterate(&target);
        let relaxed = bones.flat(&target);
        assert_same(&stretched.trace[0].points, &relaxed, "stretched: as they are");
        assert_eq!(stretched.trace[0].error, 0.0, "stretched bones do reach");
        // From the root outward, every point comes to its bone's length from its parent's new place.
        let mut placed = relaxed.clone();
        for i in 1..=n {
            let (from, to) = (placed[2 * i - 2..2 * i].to_vec(), placed[2 * i..2 * i + 2].to_vec());
            let v = minus(&to, &from);
            let scale = bones.lengths[i - 1] / squared(&v).sqrt();
            for k in 0..2 {
                placed[2 * i + k] = from[k] + v[k] * scale;
            }
        }
        let miss = squared(&minus(&placed[2 * n..], &target)).sqrt();
        assert!((measured.trace[0].error - miss).abs() < SAME, "{n} bones: re-measured");
    }
}

#[test]
fn a_bone_whose_ends_coincide_is_passed_over_until_a_neighbour_parts_them() {
    // Points 1 and 2 coincide although their bone is 1 long; the bone's length comes from elsewhere, so both are laid by hand.
    let lengths = [1.0, 5e-3, 1.0];
    let start = [0.0, 0.3, 0.4];
    let (_, mut bones) = plane_bones(&mut Rng::new(14), 3);
    bones.lengths = lengths.to_vec();
    bones.weights = vec![1.0; 3];
    let second = [1.0 + 5e-3 * sin_cos(0.3).1, 5e-3 * sin_cos(0.3).0];
    bones.bases = vec![vec![0.0, 0.0], vec![1.0, 0.0], second.to_vec()];
    let target = [second[0] + 1.0 + 2e-3, second[1]];
    let solution = by_relaxation(&lengths, &start, target, &classic(8, Relaxation::default()));
    for step in &solution.trace {
        bones.iterate(&target);
        let relaxed: Vec<f64> = step.points.chunks_exact(3).flat_map(|p| [p[0], p[1]]).collect();
        assert_same(&relaxed, &bones.flat(&target), &format!("iteration {}", step.iteration));
    }
}

#[test]
fn figure_2_locks_up_in_classic_mode_and_is_left_by_default() {
    let target = [0.7, 0.0];
    let settings = classic(100, Relaxation::default()).with_tolerance(None);
    let locked = by_relaxation(&[1.0, 1.0], &[0.0, 0.0], target, &settings);
    assert!(matches!(locked.status, Status::Stalled | Status::IterationLimit), "{locked:?}");
    for step in &locked.trace {
        let bent = step.points.chunks_exact(3).any(|point| point[1].abs() > 1e-9);
        assert!(!bent, "the points never leave their line: {:?}", step.points);
    }
    let out = by_relaxation(&[1.0, 1.0], &[0.0, 0.0], target, &Settings::default());
    assert!(out.is_reached() && out.escaped_at.is_some());
    let tip = plane_tip(&[1.0, 1.0], &out.configuration);
    assert!(tip.distance(DVec3::new(0.7, 0.0, 0.0)) <= 2e-6, "measured again: {tip}");
}
