//! Single steps of FABRIK and constraint relaxation, against slow references written out from the texts.

use crate::support;

use posekit::chain::relaxation::{Reading, Thresholds, read, relax};
use posekit::chain::{Bones, Chain, Goals, fabrik};
use support::Rng;

fn apart(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

fn at(points: &[f64], dimension: usize, i: usize) -> &[f64] {
    &points[i * dimension..(i + 1) * dimension]
}

/// A random tree's points and lengths for the given parents.
fn grow(rng: &mut Rng, dimension: usize, parents: &[usize]) -> (Vec<f64>, Vec<f64>) {
    let (mut points, mut lengths) = (vec![0.0; dimension], vec![0.0]);
    for &parent in &parents[1..] {
        let bone = rng.vector_in(dimension);
        lengths.push(apart(&bone, &vec![0.0; dimension]));
        let child: Vec<f64> =
            at(&points, dimension, parent).iter().zip(&bone).map(|(p, b)| p + b).collect();
        points.extend(child);
    }
    (points, lengths)
}

fn path(n_points: usize) -> Vec<usize> {
    (0..n_points).map(|i| i.saturating_sub(1)).collect()
}

/// One pass of seed 000, in any dimension: the last bone onto the target, the inner ones by weight, the root's last.
fn reference_pass(points: &mut [Vec<f64>], target: &[f64], lengths: &[f64], weights: &[f64]) {
    const EPSILON: f64 = 1e-4;
    let squared =
        |v: &[f64], w: &[f64]| v.iter().zip(w).map(|(a, b)| (b - a) * (b - a)).sum::<f64>();
    let n_bones = lengths.len();
    points[n_bones] = target.to_vec();
    for bone in (0..n_bones).rev() {
        let (base, tip) = (points[bone].clone(), points[bone + 1].clone());
        let total = weights[bone] + weights[bone + 1];
        let is_last = bone + 1 == n_bones;
        let is_first = bone == 0;
        if squared(&base, &tip) <= EPSILON || (is_first && is_last) {
            continue;
        }
        let scale = lengths[bone] / squared(&base, &tip).sqrt() - 1.0;
        let (base_share, tip_share) = match (is_first, is_last) {
            (_, true) => (1.0, 0.0),
            (true, _) => (0.0, 1.0),
            _ if total <= EPSILON => continue,
            _ => (weights[bone] / total, weights[bone + 1] / total),
        };
        for k in 0..base.len() {
            points[bone][k] -= base_share * scale * (tip[k] - base[k]);
            points[bone + 1][k] += tip_share * scale * (tip[k] - base[k]);
        }
    }
}

#[test]
fn relaxation_equals_the_text_pass_by_pass() {
    let mut rng = Rng::new(1);
    for case in 0..300 {
        let dimension = [2, 3, 7][case % 3];
        let n_bones = 1 + case % 25;
        let parents = path(n_bones + 1);
        let (mut points, lengths) = grow(&mut rng, dimension, &parents);
        let mut weights: Vec<f64> = (0..=n_bones).map(|_| rng.unit()).collect();
        // Points that do not move, and neighbours of which neither does.
        if case % 4 == 0 {
            weights[n_bones / 2] = 0.0;
            weights[n_bones / 2 + 1] = 0.0;
        }
        // Coincident points: a bone without a direction.
        if case % 5 == 0 && n_bones > 2 {
            let copied = at(&points, dimension, 1).to_vec();
            points[2 * dimension..3 * dimension].copy_from_slice(&copied);
        }
        let target = rng.vector_in(dimension);
        let mut slow: Vec<Vec<f64>> = points.chunks(dimension).map(<[f64]>::to_vec).collect();
        let bones = Bones { parents: &parents, lengths: &lengths, weights: &weights };
        let goals = Goals { effectors: &[n_bones], targets: &target };
        let mut held = vec![false; n_bones + 1];
        for pass in 0..10 {
            relax(dimension, bones, &mut points, goals, &mut held, 1, Thresholds::published(1.0));
            reference_pass(&mut slow, &target, &lengths[1..], &weights);
            let off = apart(&points, &slow.concat());
            assert!(off < 1e-9, "case {case}, pass {pass}: {off:e}");
        }
    }
}

#[test]
fn several_passes_are_passes_one_after_the_other() {
    let mut rng = Rng::new(2);
    let parents = path(8);
    let (points, lengths) = grow(&mut rng, 3, &parents);
    let target = rng.vector_in(3);
    let bones = Bones { parents: &parents, lengths: &lengths, weights: &[1.0; 8] };
    let goals = Goals { effectors: &[7], targets: &target };
    let (mut once, mut thrice) = (points.clone(), points);
    let mut held = [false; 8];
    relax(3, bones, &mut thrice, goals, &mut held, 3, Thresholds::RELATIVE);
    for _ in 0..3 {
        relax(3, bones, &mut once, goals, &mut held, 1, Thresholds::RELATIVE);
    }
    assert_eq!(once, thrice, "bit for bit");
}

#[test]
fn three_readings_of_relaxed_points() {
    let parents = path(3);
    let lengths = [0.0, 1.0, 1.0];
    let bones = Bones { parents: &parents, lengths: &lengths, weights: &[1.0; 3] };
    let start = [0.0, 0.0, 1.0, 0.0, 2.0, 0.0];
    // Relaxed: the first bone twice too long along y, the second goes from there to (3, 2).
    let relaxed = [0.0, 0.0, 0.0, 2.0, 3.0, 2.0];
    let reading = |reading| {
        let mut points = start;
        read(2, bones, &relaxed, reading, &mut points);
        points
    };
    assert_eq!(reading(Reading::Stretched), relaxed, "as they are");
    assert_eq!(reading(Reading::Angles), [0.0, 0.0, 0.0, 1.0, 1.0, 1.0], "directions kept");
    let points = reading(Reading::Remeasured);
    // From (0, 1) towards (3, 2): one tenth of the square root of ten times (3, 1).
    let unit = 1.0 / 10.0_f64.sqrt();
    let expected = [0.0, 0.0, 0.0, 1.0, 3.0 * unit, 1.0 + unit];
    assert!(apart(&points, &expected) < 1e-15, "measured anew from the root: {points:?}");
}

#[test]
fn readings_keep_lengths_in_every_dimension_and_directions_of_coincident_ends() {
    let mut rng = Rng::new(3);
    for dimension in [2, 3, 7] {
        let parents = [0, 0, 1, 1, 3];
        let (points, lengths) = grow(&mut rng, dimension, &parents);
        let bones = Bones { parents: &parents, lengths: &lengths, weights: &[1.0; 5] };
        let mut relaxed: Vec<f64> = points.iter().map(|x| x + 0.3 * rng.unit()).collect();
        let twin = at(&relaxed, dimension, 1).to_vec();
        relaxed[2 * dimension..3 * dimension].copy_from_slice(&twin);
        for reading in [Reading::Angles, Reading::Remeasured] {
            let mut answer = points.clone();
            read(dimension, bones, &relaxed, reading, &mut answer);
            for (i, &parent) in parents.iter().enumerate().skip(1) {
                let bone = apart(at(&answer, dimension, i), at(&answer, dimension, parent));
                assert!((bone - lengths[i]).abs() < 1e-14, "{reading:?}, bone {i}");
            }
            if reading == Reading::Angles {
                let vector = |points: &[f64]| -> Vec<f64> {
                    let (tip, base) = (at(points, dimension, 2), at(points, dimension, 1));
                    tip.iter().zip(base).map(|(a, b)| a - b).collect()
                };
                assert!(apart(&vector(&points), &vector(&answer)) < 1e-14, "the old direction");
            }
        }
    }
}

#[test]
fn fabrik_equals_the_text_on_paths() {
    let mut rng = Rng::new(4);
    let drag = |from: &[f64], to: &[f64], length: f64| -> Vec<f64> {
        let share = length / apart(from, to);
        from.iter().zip(to).map(|(f, t)| (1.0 - share) * f + share * t).collect()
    };
    for case in 0..300 {
        let dimension = [2, 3, 7][case % 3];
        let n_bones = 2 + case % 24;
        let parents = path(n_bones + 1);
        let (mut points, lengths) = grow(&mut rng, dimension, &parents);
        let target = rng.vector_in(dimension);
        let mut slow: Vec<Vec<f64>> = points.chunks(dimension).map(<[f64]>::to_vec).collect();
        let root = slow[0].clone();
        let weights = vec![1.0; n_bones + 1];
        let bones = Bones { parents: &parents, lengths: &lengths, weights: &weights };
        let mut branches = fabrik::Branches::default();
        branches.prepare(dimension, &parents, &[n_bones]);
        for iteration in 0..10 {
            let goals = Goals { effectors: &[n_bones], targets: &target };
            fabrik::backward(dimension, bones, &mut points, goals, &mut branches);
            fabrik::forward(dimension, bones, &mut points, &branches);
            slow[n_bones].clone_from(&target);
            for i in (0..n_bones).rev() {
                slow[i] = drag(&slow[i + 1], &slow[i], lengths[i + 1]);
            }
            slow[0].clone_from(&root);
            for i in 0..n_bones {
                slow[i + 1] = drag(&slow[i], &slow[i + 1], lengths[i + 1]);
            }
            let off = apart(&points, &slow.concat());
            assert!(off < 1e-9, "case {case}, iteration {iteration}: {off:e}");
        }
    }
}

#[test]
fn trees_with_sub_bases_reach_all_their_targets_and_carry_the_rest() {
    let mut rng = Rng::new(5);
    for dimension in [2, 3, 7] {
        // A trunk of two, two arms of three from its end, and a branch of two that nobody pulls at from its middle.
        let parents = [0, 0, 1, 2, 3, 4, 2, 6, 7, 1, 9];
        let (start, lengths) = grow(&mut rng, dimension, &parents);
        // Targets that some pose of this tree reaches: the effectors of another one with the same lengths.
        let mut other = vec![0.0; start.len()];
        for (i, &parent) in parents.iter().enumerate().skip(1) {
            let v = rng.vector_in(dimension);
            let size = apart(&v, &vec![0.0; dimension]);
            for k in 0..dimension {
                other[i * dimension + k] = other[parent * dimension + k] + lengths[i] * v[k] / size;
            }
        }
        let effectors = [5, 8];
        let targets: Vec<f64> =
            effectors.iter().flat_map(|&e| at(&other, dimension, e).to_vec()).collect();
        let bones = Bones { parents: &parents, lengths: &lengths, weights: &[1.0; 11] };
        let goals = Goals { effectors: &effectors, targets: &targets };
        let mut branches = fabrik::Branches::default();
        branches.prepare(dimension, &parents, &effectors);
        assert!(branches.moves(2) && !branches.moves(9) && !branches.moves(10));
        let mut points = start.clone();
        for _ in 0..2000 {
            fabrik::backward(dimension, bones, &mut points, goals, &mut branches);
            fabrik::forward(dimension, bones, &mut points, &branches);
        }
        fabrik::carry(dimension, bones, &start, &mut points, &branches);
        for (e, &effector) in effectors.iter().enumerate() {
            let miss = apart(at(&points, dimension, effector), at(&targets, dimension, e));
            assert!(miss < 1e-6, "dimension {dimension}: effector {effector} misses by {miss:e}");
        }
        for (i, &parent) in parents.iter().enumerate().skip(1) {
            let bone = apart(at(&points, dimension, i), at(&points, dimension, parent));
            assert!((bone - lengths[i]).abs() < 1e-13, "bone {i}");
        }
        for (child, parent) in [(9, 1), (10, 9)] {
            for k in 0..dimension {
                let (c, p) = (child * dimension + k, parent * dimension + k);
                let turned = (points[c] - points[p]) - (start[c] - start[p]);
                assert!(turned.abs() < 1e-14, "bone {child} must not turn");
            }
        }
    }
}

#[test]
fn l6_fabrik_with_coincident_points_keeps_lengths() {
    let parents = path(4);
    let lengths = [0.0, 1.0, 1.0, 1.0];
    let bones = Bones { parents: &parents, lengths: &lengths, weights: &[1.0; 4] };
    let mut points = [0.0, 0.0, 1.0, 0.0, 0.5, 0.0, 1.5, 0.0];
    let goals = Goals { effectors: &[3], targets: &[0.5, 0.0] };
    let mut branches = fabrik::Branches::default();
    branches.prepare(2, &parents, &[3]);
    fabrik::backward(2, bones, &mut points, goals, &mut branches);
    fabrik::forward(2, bones, &mut points, &branches);
    assert!(points.iter().all(|x| x.is_finite()), "{points:?}");
    for i in 1..4 {
        let bone = apart(at(&points, 2, i), at(&points, 2, i - 1));
        assert!((bone - 1.0).abs() < 1e-15, "bone {i}: {bone}");
    }
}

#[test]
fn bones_that_may_stretch_reach_everything() {
    use posekit::chain::relaxation::Reading;
    use posekit::solve::{Method, Settings, solve_chain};
    let chain = Chain::try_straight(2, &[1.0, 1.0]).unwrap();
    let goals = Goals { effectors: &[2], targets: &[5.0, 0.0] };
    let mut settings = Settings::default();
    settings.relaxation.reading = Reading::Stretched;
    let solution = solve_chain(&chain, goals, Method::Relaxation, &settings).unwrap();
    assert!(solution.is_reached(), "{:?}", solution.status);
    assert_eq!(solution.points[4..], [5.0, 0.0], "the tip stands on the target");
}

#[test]
fn whole_iterations_are_the_steps_one_after_the_other() {
    let lengths = [1.0, 0.7, 1.2, 0.4];
    let chain = Chain::try_straight(3, &lengths).unwrap();
    let (mut whole, mut stepped) = (chain.points().to_vec(), chain.points().to_vec());
    let target = [0.9, 1.1, -0.6];
    let done = fabrik::reach(3, &lengths, &mut whole, &target, 0.0, 7);
    let mut branches = fabrik::Branches::default();
    branches.prepare(3, chain.parents(), &[4]);
    let weights = [1.0; 5];
    let bones = Bones { parents: chain.parents(), lengths: chain.lengths(), weights: &weights };
    for _ in 0..done {
        let goals = Goals { effectors: &[4], targets: &target };
        fabrik::backward(3, bones, &mut stepped, goals, &mut branches);
        fabrik::forward(3, bones, &mut stepped, &branches);
    }
    assert_eq!((done, whole), (7, stepped), "the same bits");
}
