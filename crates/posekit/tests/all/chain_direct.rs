//! The direct solver of free chains: always reached, lengths kept, least changed, continuous, the same in every frame and unit.

use crate::support;

use posekit::chain::Reach;
use posekit::chain::direct::{DirectWorkspace, Outcome, reach};
use posekit::glam::DVec3;
use posekit::math::perpendicular;
use support::Rng;

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    norm(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>())
}

fn total(lengths: &[f64]) -> f64 {
    lengths.iter().sum()
}

fn laid(lengths: &[f64], directions: &[Vec<f64>]) -> Vec<f64> {
    let mut at = vec![0.0; directions[0].len()];
    let mut points = at.clone();
    for (length, u) in lengths.iter().zip(directions) {
        at.iter_mut().zip(u).for_each(|(x, u)| *x += length * u);
        points.extend_from_slice(&at);
    }
    points
}

fn tip(points: &[f64], dimension: usize) -> &[f64] {
    &points[points.len() - dimension..]
}

/// Solves and checks what must hold whatever the problem: no NaN, exact lengths, root in place. Returns points, outcome and miss.
fn solved(
    dimension: usize,
    lengths: &[f64],
    start: &[f64],
    target: &[f64],
    tolerance: f64,
) -> (Vec<f64>, Outcome, f64) {
    let mut points = start.to_vec();
    let mut workspace = DirectWorkspace::default();
    let outcome = reach(dimension, lengths, &mut points, target, tolerance, &mut workspace);
    assert!(points.iter().all(|x| x.is_finite()), "not finite: {outcome:?} {lengths:?} {target:?}");
    assert_eq!(points[..dimension], start[..dimension], "the root moved");
    let scale = total(lengths).max(norm(&start[..dimension]));
    for (i, length) in lengths.iter().enumerate() {
        let bone = apart(
            &points[i * dimension..(i + 1) * dimension],
            &points[(i + 1) * dimension..(i + 2) * dimension],
        );
        assert!(
            (bone - length).abs() <= 1e-13 * scale,
            "bone {i}: {bone} for {length}, {outcome:?}"
        );
    }
    let miss = apart(tip(&points, dimension), target);
    (points, outcome, miss)
}

fn lengths(rng: &mut Rng, n: usize, equal: bool) -> Vec<f64> {
    (0..n).map(|_| if equal { 1.0 } else { 0.1 + rng.unit() } / n as f64).collect()
}

fn start(rng: &mut Rng, dimension: usize, lengths: &[f64], kind: usize) -> Vec<f64> {
    let along = rng.direction_in(dimension);
    let directions: Vec<Vec<f64>> = (0..lengths.len())
        .map(|i| match kind {
            0 => rng.direction_in(dimension),
            1 => along.clone(),
            2 => along.iter().map(|x| if i % 2 == 0 { *x } else { -x }).collect(),
            _ => {
                let mut axis = vec![0.0; dimension];
                axis[i % dimension] = 1.0;
                axis
            }
        })
        .collect();
    laid(lengths, &directions)
}

#[test]
fn every_target_inside_the_reach_is_met_exactly() {
    let mut rng = Rng::new(88_172_645_463_325_252);
    let mut ways = std::collections::BTreeMap::new();
    for case in 0..40_000 {
        let dimension = [2, 3, 5][case % 3];
        let n = 2 + rng.below(29);
        let equal = rng.below(2) == 0;
        let bones = lengths(&mut rng, n, equal);
        let kind = rng.below(4);
        let pose = start(&mut rng, dimension, &bones, kind);
        let range = bones.iter().fold(Reach::POINT, |r, &l| r.with_bone(l));
        let share = match rng.below(6) {
            0 => 1.0 - 1e-12,
            1 => 1.0 - 1e-6 * rng.unit(),
            2 => 1e-9,
            3 => 0.0,
            _ => rng.unit(),
        };
        let d = range.inner + share * (range.outer - range.inner);
        // In any direction, on the line of the first bone, behind it, or towards the tip.
        let mut towards = match rng.below(4) {
            0 => pose[dimension..2 * dimension].to_vec(),
            1 => pose[dimension..2 * dimension].iter().map(|x| -x).collect(),
            2 => tip(&pose, dimension).to_vec(),
            _ => rng.direction_in(dimension),
        };
        let size = norm(&towards);
        if size < 1e-12 {
            towards = rng.direction_in(dimension);
        } else {
            towards.iter_mut().for_each(|x| *x /= size);
        }
        let target: Vec<f64> = towards.iter().map(|x| d * x).collect();
        let (_, outcome, miss) = solved(dimension, &bones, &pose, &target, 1e-12 * range.outer);
        *ways.entry(format!("{outcome:?}")).or_insert(0) += 1;
        assert!(
            miss <= 1e-12 * range.outer,
            "case {case}: {outcome:?} misses by {miss:e} at {share}, {n} bones in {dimension}, start {kind}, {bones:?}"
        );
    }
    println!("{ways:?}");
    assert!(ways.len() >= 4, "the cases cover swing, least, hinged, folded: {ways:?}");
}

#[test]
fn small_moves_of_the_target_move_points_little() {
    // Where the answer is the least change, points move by at most 10 times what the target does, unless bones are next to
    // a kink (a bone that nearly turns through the opposite of its direction), the target next to the root or to full reach,
    // where bends grow with the square root of what is missing.
    let mut rng = Rng::new(3);
    let (mut worst, mut compared) = (0.0_f64, 0);
    for case in 0..6000 {
        let dimension = [2, 3, 5][case % 3];
        let n = 3 + rng.below(15);
        let bones = lengths(&mut rng, n, false);
        let pose = start(&mut rng, dimension, &bones, 0);
        let d = total(&bones) * (0.3 + 0.6 * rng.unit());
        let towards = rng.direction_in(dimension);
        let target: Vec<f64> = towards.iter().map(|x| d * x).collect();
        let step = rng.direction_in(dimension);
        let moved: Vec<f64> = target.iter().zip(&step).map(|(x, s)| x + 1e-6 * s).collect();
        let cosine = tip(&pose, dimension).iter().zip(&towards).map(|(a, b)| a * b).sum::<f64>()
            / norm(tip(&pose, dimension));
        if cosine < -0.9 || norm(tip(&pose, dimension)) < 0.1 {
            continue;
        }
        let (a, outcome_a, _) = solved(dimension, &bones, &pose, &target, 1e-12);
        let (b, outcome_b, _) = solved(dimension, &bones, &pose, &moved, 1e-12);
        if (outcome_a, outcome_b) != (Outcome::Least, Outcome::Least)
            || nearest_kink(dimension, &pose, &a) < 0.3
        {
            continue;
        }
        let furthest = a.chunks(dimension).zip(b.chunks(dimension)).map(|(a, b)| apart(a, b));
        worst = worst.max(furthest.fold(0.0, f64::max) / 1e-6);
        compared += 1;
    }
    println!("{compared} compared, at most {worst:.1} times as far");
    assert!(compared > 3000, "most cases must be ordinary: {compared}");
    assert!(worst < 10.0, "a point moves {worst} times as far as the target");
}

/// Smallest angle, as a chord, between a bone's answer and the opposite of its direction in the swung start.
fn nearest_kink(dimension: usize, start: &[f64], answer: &[f64]) -> f64 {
    let swung = swing(dimension, start, tip(answer, dimension));
    bones_of(dimension, &swung)
        .iter()
        .zip(bones_of(dimension, answer))
        .map(|(u, v)| apart(&scaled(u), &scaled(&v).iter().map(|x| -x).collect::<Vec<_>>()))
        .fold(f64::INFINITY, f64::min)
}

fn scaled(v: &[f64]) -> Vec<f64> {
    v.iter().map(|x| x / norm(v)).collect()
}

fn bones_of(dimension: usize, points: &[f64]) -> Vec<Vec<f64>> {
    let points: Vec<&[f64]> = points.chunks(dimension).collect();
    points.windows(2).map(|w| w[1].iter().zip(w[0]).map(|(a, b)| a - b).collect()).collect()
}

/// The chain swung by the shortest rotation so that its tip lies in the direction of `to`: two mirrors, written out.
fn swing(dimension: usize, points: &[f64], to: &[f64]) -> Vec<f64> {
    let (f, t) = (scaled(tip(points, dimension)), scaled(to));
    let mirror = |x: &[f64], m: &[f64]| -> Vec<f64> {
        let dot: f64 = x.iter().zip(m).map(|(x, m)| x * m).sum();
        let size: f64 = m.iter().map(|m| m * m).sum();
        x.iter().zip(m).map(|(x, m)| x - 2.0 * dot / size * m).collect()
    };
    let between: Vec<f64> = f.iter().zip(&t).map(|(f, t)| f + t).collect();
    points.chunks(dimension).flat_map(|p| mirror(&mirror(p, &f), &between)).collect()
}

/// `Σ l |v − u|²` from the swung start.
fn change(dimension: usize, bones: &[f64], swung: &[f64], answer: &[f64]) -> f64 {
    let pairs = bones_of(dimension, swung).into_iter().zip(bones_of(dimension, answer));
    let turned = pairs.map(|(u, v)| apart(&scaled(&u), &scaled(&v)));
    turned.zip(bones).map(|(turned, length)| length * turned * turned).sum()
}

#[test]
fn no_pose_nearby_that_reaches_is_changed_less() {
    let mut rng = Rng::new(17);
    let mut compared = 0;
    for case in 0..600 {
        let dimension = [2, 3, 5][case % 3];
        let n = 3 + rng.below(10);
        let bones = lengths(&mut rng, n, false);
        let pose = start(&mut rng, dimension, &bones, 0);
        let d = total(&bones) * (0.1 + 0.85 * rng.unit());
        let target: Vec<f64> = rng.direction_in(dimension).iter().map(|x| d * x).collect();
        let (answer, outcome, _) = solved(dimension, &bones, &pose, &target, 1e-13);
        if outcome != Outcome::Least {
            continue;
        }
        let swung = swing(dimension, &pose, &target);
        let least = change(dimension, &bones, &swung, &answer);
        for size in [1e-1, 1e-2, 1e-3] {
            // Shake the answer, then let the same method mend it: a feasible pose nearby.
            let shaken: Vec<Vec<f64>> = bones_of(dimension, &answer)
                .iter()
                .map(|v| {
                    let (by, length) = (rng.direction_in(dimension), norm(v));
                    let moved = v.iter().zip(&by).map(|(v, s)| v + size * length * s);
                    scaled(&moved.collect::<Vec<_>>())
                })
                .collect();
            let (other, _, miss) =
                solved(dimension, &bones, &laid(&bones, &shaken), &target, 1e-13);
            assert!(miss < 1e-12, "the shaken pose must reach too: {miss:e}");
            let changed = change(dimension, &bones, &swung, &other);
            assert!(changed >= least - 1e-12, "case {case}: {changed} < {least} at {size}");
            compared += 1;
        }
    }
    assert!(compared > 1500, "most cases must be ordinary: {compared}");
}

#[test]
fn elbows_stay_on_their_side() {
    // An arm bent to the left stays bent to the left for every target that it is swung to.
    for bend in [0.05, 0.5, 1.5, 2.5] {
        let (sine, cosine) = posekit::math::sin_cos(bend);
        let pose = laid(&[0.6, 0.4], &[vec![1.0, 0.0], vec![cosine, sine]]);
        for i in 1..50 {
            let d = 0.2 + 0.8 * f64::from(i) / 50.0;
            let (points, _, miss) = solved(2, &[0.6, 0.4], &pose, &[0.6 * d, 0.8 * d], 1e-12);
            let (x, y) = (points[2], points[3]);
            let side = x * (points[5] - y) - y * (points[4] - x);
            assert!(miss < 1e-12 && side > 0.0, "bend {bend}, distance {d}: {side}");
        }
    }
}

#[test]
fn l3_zero_length_bones_change_nothing() {
    let mut rng = Rng::new(5);
    for dimension in [2, 3, 7] {
        for kind in 0..4 {
            let bones = lengths(&mut rng, 6, false);
            let pose = start(&mut rng, dimension, &bones, kind);
            let d = 0.8 * total(&bones);
            let target: Vec<f64> = rng.direction_in(dimension).iter().map(|x| d * x).collect();
            let (plain, outcome, _) = solved(dimension, &bones, &pose, &target, 1e-12);
            let (mut more_bones, mut more_pose) = (Vec::new(), pose[..dimension].to_vec());
            for (i, length) in bones.iter().enumerate() {
                more_bones.extend([*length, 0.0]);
                let at = &pose[(i + 1) * dimension..(i + 2) * dimension];
                more_pose.extend(at.iter().chain(at));
            }
            let (more, more_way, miss) = solved(dimension, &more_bones, &more_pose, &target, 1e-12);
            assert_eq!(outcome, more_way, "dimension {dimension}, start {kind}");
            assert!(
                miss < 1e-12,
                "{outcome:?} in {dimension} from start {kind} misses by {miss:e}"
            );
            for i in 0..=6 {
                let a = &plain[i * dimension..(i + 1) * dimension];
                let b = &more[2 * i * dimension..(2 * i + 1) * dimension];
                assert!(apart(a, b) < 1e-10, "point {i}: {outcome:?} {a:?} {b:?}");
            }
        }
    }
    let (points, outcome, _) = solved(3, &[0.0, 0.0], &[1.0; 9], &[2.0, 0.0, 0.0], 1e-9);
    assert_eq!((outcome, points), (Outcome::Nearest, vec![1.0; 9]), "l4: nothing to move");
}

#[test]
fn l5_target_at_root_folds_equal_bones_and_comes_near_with_unequal_ones() {
    for dimension in [2, 3, 5] {
        for kind in 0..4 {
            let mut rng = Rng::new(7 + kind as u64);
            let root = vec![0.0; dimension];
            for n in [2, 3, 5, 10] {
                let bones = vec![0.1; n];
                let pose = start(&mut rng, dimension, &bones, kind);
                let (_, outcome, miss) = solved(dimension, &bones, &pose, &root, 1e-12);
                assert!(miss < 1e-12, "{n} bones, start {kind}: {outcome:?} misses by {miss:e}");
            }
            let bones = [0.5, 0.2, 0.1];
            let pose = start(&mut rng, dimension, &bones, kind);
            let (_, outcome, miss) = solved(dimension, &bones, &pose, &root, 1e-12);
            assert_eq!(outcome, Outcome::Nearest, "the inner radius is 0.2");
            assert!((miss - 0.2).abs() < 1e-14, "{miss}");
        }
    }
}

#[test]
fn l6_target_on_a_joint_or_on_the_tip() {
    let mut rng = Rng::new(11);
    for dimension in [2, 3, 4] {
        let bones = lengths(&mut rng, 8, false);
        let pose = start(&mut rng, dimension, &bones, 0);
        for joint in 1..=8 {
            let target = pose[joint * dimension..(joint + 1) * dimension].to_vec();
            let (points, outcome, miss) = solved(dimension, &bones, &pose, &target, 1e-12);
            assert!(miss < 1e-12, "joint {joint}: {outcome:?} misses by {miss:e}");
            if joint == 8 {
                assert_eq!(outcome, Outcome::Swing, "already there");
                assert!(apart(&points, &pose) < 1e-14, "and must not move");
            }
        }
    }
}

#[test]
fn l7_too_far_is_straight_towards_and_steady() {
    let mut rng = Rng::new(13);
    for dimension in [2, 3, 5] {
        let bones = lengths(&mut rng, 7, false);
        let pose = start(&mut rng, dimension, &bones, 0);
        let towards = rng.direction_in(dimension);
        let target: Vec<f64> = towards.iter().map(|x| 1e6 * x).collect();
        let (points, outcome, miss) = solved(dimension, &bones, &pose, &target, 1e-12);
        assert_eq!(outcome, Outcome::Nearest, "out of reach");
        assert!((miss - (1e6 - total(&bones))).abs() < 1e-8, "{miss}");
        let (again, ..) = solved(dimension, &bones, &points, &target, 1e-12);
        assert!(apart(&points, &again) < 1e-14, "solving again moves nothing");
    }
}

#[test]
fn l8_too_near_is_the_longest_bone_towards_and_the_others_against() {
    for (bones, d) in
        [(vec![1.0, 0.3], 0.5), (vec![0.2, 1.0, 0.1], 0.3), (vec![0.1, 0.1, 1.0], 0.0)]
    {
        let pose = laid(&bones, &vec![vec![0.0, 1.0, 0.0]; bones.len()]);
        let inner = 2.0 - total(&bones);
        let (points, outcome, miss) = solved(3, &bones, &pose, &[d, 0.0, 0.0], 1e-12);
        assert_eq!(outcome, Outcome::Nearest, "inside the inner radius");
        assert!((miss - (inner - d)).abs() < 1e-14, "{miss} for {inner} less {d}: {points:?}");
    }
}

#[test]
fn l9_full_reach_one_ulp_this_side_or_that() {
    let mut rng = Rng::new(19);
    for dimension in [2, 3, 5] {
        for kind in 0..4 {
            let bones = lengths(&mut rng, 5, false);
            let pose = start(&mut rng, dimension, &bones, kind);
            let outer = bones.iter().sum::<f64>();
            let mut last: Option<Vec<f64>> = None;
            for ulps in [-1000, -64, -4, -2, -1, 0, 1, 2, 4, 64] {
                let d = outer * (1.0 + f64::from(ulps) * f64::EPSILON);
                let mut target = vec![0.0; dimension];
                target[1] = d;
                let (points, outcome, miss) = solved(dimension, &bones, &pose, &target, 1e-12);
                assert!(miss < 1e-12, "{ulps} ulps: {outcome:?} misses by {miss:e}");
                // Bends grow with the square root of what is missing: 1e-6 for the 1000 ulps.
                if let Some(last) = last {
                    assert!(apart(&points, &last) < 3e-6, "a jump at {ulps} ulps, start {kind}");
                }
                last = Some(points);
            }
        }
    }
}

#[test]
fn l10_straight_chain_target_on_line() {
    // The fixed rule: to the right in the plane, direction × perpendicular in space.
    let (points, outcome, _) =
        solved(2, &[0.5, 0.5], &[0., 0., 0.5, 0., 1., 0.], &[0.6, 0.0], 1e-12);
    assert_eq!(outcome, Outcome::Least, "bent by way of an arc");
    assert!(points[3] < -0.3 && (points[2] - 0.3).abs() < 1e-9, "to the right: {points:?}");
    let start = [0., 0., 0., 0., 0., 0.5, 0., 0., 1.];
    let (points, ..) = solved(3, &[0.5, 0.5], &start, &[0., 0., 0.6], 1e-12);
    let side = DVec3::Z.cross(perpendicular(DVec3::Z));
    let bend = DVec3::from_slice(&points[3..6]).dot(side);
    assert!(bend > 0.3, "towards {side}: {points:?}");
    for n in [2, 3, 5, 10, 50, 100] {
        for dimension in [2, 3, 5] {
            let bones = vec![1.0 / f64::from(n); n as usize];
            let mut along = vec![0.0; dimension];
            along[0] = 1.0;
            let pose = laid(&bones, &vec![along; n as usize]);
            for share in [0.999_999, 0.9, 0.5, 0.1, 1e-6] {
                for sign in [1.0, -1.0] {
                    let mut target = vec![0.0; dimension];
                    target[0] = sign * share;
                    let (_, outcome, miss) = solved(dimension, &bones, &pose, &target, 1e-12);
                    assert!(miss < 1e-12, "{n} bones to {share}: {outcome:?} misses by {miss:e}");
                }
            }
        }
    }
}

#[test]
fn l11_target_exactly_opposite_turns_by_the_fixed_rule() {
    let pose = [0., 0., 0.4, 0.2, 0.8, 0.0];
    let bone = norm(&[0.4, 0.2]);
    let (points, outcome, miss) = solved(2, &[bone, bone], &pose, &[-0.8, 0.0], 1e-12);
    assert_eq!(outcome, Outcome::Swing, "the distance is right already");
    assert!(miss < 1e-15 && (points[3] + 0.2).abs() < 1e-15, "half a turn: {points:?}");
    let pose = [0., 0., 0., 0.4, 0.2, 0.0, 0.8, 0.0, 0.0];
    let (points, _, miss) = solved(3, &[bone, bone], &pose, &[-0.8, 0.0, 0.0], 1e-12);
    assert!(miss < 1e-15, "{miss:e}");
    assert!(
        (points[4] + 0.2).abs() < 1e-15 && points[5].abs() < 1e-15,
        "by outcome of y: {points:?}"
    );
}

#[test]
fn l13_scales_from_a_millionth_to_a_million() {
    let mut rng = Rng::new(23);
    for case in 0..200 {
        let bones = lengths(&mut rng, 2 + case % 9, false);
        let pose = start(&mut rng, 3, &bones, case % 4);
        let towards = rng.direction_in(3);
        let d = total(&bones) * (0.5 + 0.45 * rng.unit());
        let target: Vec<f64> = towards.iter().map(|x| d * x).collect();
        let (points, outcome, least) = solved(3, &bones, &pose, &target, 1e-12);
        for scale in [1e-6, 1e-3, 1e3, 1e6, 1024.0] {
            let times = |v: &[f64]| v.iter().map(|x| x * scale).collect::<Vec<_>>();
            let (other, other_way, miss) =
                solved(3, &times(&bones), &times(&pose), &times(&target), 1e-12 * scale);
            assert_eq!(outcome, other_way, "scale {scale}");
            assert!(
                (miss - least * scale).abs() < 1e-12 * scale,
                "case {case}: {outcome:?} misses by {miss:e} at scale {scale}"
            );
            if scale == 1024.0 {
                assert_eq!(other, times(&points), "powers of two scale every bit");
            }
        }
    }
}

#[test]
fn l21_one_bone_no_bone_and_ten_thousand() {
    let (points, outcome, _) = solved(3, &[2.0], &[0., 0., 0., 2., 0., 0.], &[0., 5., 0.], 1e-12);
    assert_eq!((outcome, points[4]), (Outcome::Nearest, 2.0), "one bone points");
    let (_, outcome, miss) = solved(3, &[2.0], &[0., 0., 0., 2., 0., 0.], &[0., 2., 0.], 1e-12);
    assert!(matches!(outcome, Outcome::Nearest | Outcome::Swing) && miss < 1e-15, "{outcome:?}");
    let mut workspace = DirectWorkspace::default();
    let mut points = [1.0, 2.0];
    assert_eq!(reach(2, &[], &mut points, &[0.0, 0.0], 1e-9, &mut workspace), Outcome::None);
    let mut rng = Rng::new(29);
    for case in 0..20 {
        // Linear in the bones: anything worse would take minutes.
        let bones = lengths(&mut rng, 10_000, false);
        let pose = start(&mut rng, 3, &bones, case % 4);
        let (_, outcome, miss) = solved(3, &bones, &pose, &[0.1, 0.2, 0.2], 1e-12);
        assert!(miss < 1e-12, "start {}: {outcome:?} misses by {miss:e}", case % 4);
    }
}

#[test]
fn one_dimension_and_shapes_that_do_not_fit_are_refused_untouched() {
    let mut workspace = DirectWorkspace::default();
    let mut points = [0.0, 1.0, 2.0];
    assert_eq!(reach(1, &[1.0, 1.0], &mut points, &[0.5], 1e-9, &mut workspace), Outcome::None);
    assert_eq!(reach(0, &[], &mut points, &[], 1e-9, &mut workspace), Outcome::None);
    assert_eq!(reach(3, &[1.0], &mut points, &[0.5], 1e-9, &mut workspace), Outcome::None);
    assert_eq!(reach(2, &[1.0], &mut points, &[0.5, 0.0], 1e-9, &mut workspace), Outcome::None);
    assert_eq!(points, [0.0, 1.0, 2.0]);
}

#[test]
fn turning_the_world_turns_the_answer() {
    let mut rng = Rng::new(31);
    for case in 0..500 {
        let bones = lengths(&mut rng, 2 + case % 12, false);
        let pose = start(&mut rng, 3, &bones, 0);
        let d = total(&bones) * (0.2 + 0.79 * rng.unit());
        let target: Vec<f64> = rng.direction_in(3).iter().map(|x| d * x).collect();
        let axis = rng.direction_in(3);
        let turn =
            posekit::math::rotation_about(DVec3::new(axis[0], axis[1], axis[2]), 6.0 * rng.unit());
        let turned = |v: &[f64]| -> Vec<f64> {
            v.chunks(3).flat_map(|p| (turn * DVec3::new(p[0], p[1], p[2])).to_array()).collect()
        };
        let (points, outcome, _) = solved(3, &bones, &pose, &target, 1e-13);
        let (other, other_way, _) = solved(3, &bones, &turned(&pose), &turned(&target), 1e-13);
        assert_eq!(outcome, other_way, "case {case}");
        if outcome == Outcome::Least {
            assert!(apart(&turned(&points), &other) < 1e-9, "case {case}: the answer did not turn");
        }
    }
}

#[test]
fn a_workspace_never_changes_a_result() {
    let mut rng = Rng::new(37);
    let mut shared = DirectWorkspace::default();
    for case in 0..300 {
        let dimension = 2 + rng.below(6);
        let n = 1 + rng.below(20);
        let bones = lengths(&mut rng, n, case % 2 == 0);
        let pose = start(&mut rng, dimension, &bones, case % 4);
        let target: Vec<f64> = rng.direction_in(dimension).iter().map(|x| 0.7 * x).collect();
        let (fresh, outcome, _) = solved(dimension, &bones, &pose, &target, 1e-9);
        let mut points = pose.clone();
        let again = reach(dimension, &bones, &mut points, &target, 1e-9, &mut shared);
        assert_eq!((outcome, fresh), (again, points), "case {case}");
    }
}

#[test]
fn points_off_their_distances_come_back_to_them() {
    let mut rng = Rng::new(41);
    for dimension in [2, 3, 6] {
        let bones = lengths(&mut rng, 9, false);
        let pose: Vec<f64> =
            start(&mut rng, dimension, &bones, 0).iter().map(|x| x + 0.01 * rng.unit()).collect();
        let target: Vec<f64> =
            rng.direction_in(dimension).iter().zip(&pose).map(|(x, root)| root + 0.4 * x).collect();
        let (_, outcome, miss) = solved(dimension, &bones, &pose, &target, 1e-12);
        assert!(miss < 1e-12, "{outcome:?} misses by {miss:e}");
    }
}
