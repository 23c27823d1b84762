//! Rows of the tables of hazards of motion that one frame can show.

use crate::support;

use posekit::glam::DVec3;
use posekit::skeleton::Skeleton;
use posekit::solve::{LeastSquares, Method, Settings, Solution, Status, solve};
use posekit::task::{FramePose, Position, Task};
use support::person::{self, LEGS, foot, person};

/// Both feet held on the ground, `apart` metres from each other.
fn planted(skeleton: &Skeleton, apart: f64, whole: bool) -> [Task; 2] {
    let poses = skeleton.poses(&skeleton.neutral());
    [0, 1].map(|side| {
        let mut pose = foot(side).world(&poses);
        pose.translation.y = apart * [0.5, -0.5][side];
        if whole {
            FramePose::new(foot(side), pose).into()
        } else {
            Position::new(foot(side), pose.translation).into()
        }
    })
}

fn stand(skeleton: &Skeleton, from: &[f64], tasks: &[Task]) -> Solution {
    let least_squares = LeastSquares::default().with_restarts(0);
    let settings = Settings::default().with_least_squares(least_squares);
    let solution = solve(skeleton, from, tasks, Method::LeastSquares, &settings);
    let solution = solution.expect("the tasks are valid");
    let q = &solution.configuration;
    assert!(q.iter().all(|x| x.is_finite()), "not finite: {q:?}");
    assert!(skeleton.within_limits(q, 1e-9), "limits broken: {q:?}");
    solution
}

/// L26: planted feet farther apart than both legs reach: both misses are reported, their sum of squares is least, and nothing jumps as the feet go apart.
///
/// How far the feet of a person with straight legs are apart in a split is not known in closed form, because cones of hips and ankles have a say; that
/// there is nothing better nearby is tried out.
#[test]
fn l26_planted_feet_farther_apart_than_both_legs_reach() {
    const STEP: f64 = 0.01;
    let skeleton = person();
    for whole in [false, true] {
        let mut q = skeleton.neutral();
        let mut missed = [0.0; 2];
        for k in 0..=230 {
            let apart = 0.2 + STEP * f64::from(k);
            let tasks = planted(&skeleton, apart, whole);
            let solution = stand(&skeleton, &q, &tasks);
            let misses = tasks.each_ref().map(|task| task.miss(&skeleton, &solution.configuration));
            for (reported, miss) in solution.misses.iter().zip(&misses) {
                assert!(
                    (reported.distance - miss.distance).abs() < 1e-9,
                    "{reported:?} is {miss:?}"
                );
            }
            let (now, before) = (misses.map(|miss| miss.distance), missed);
            let is_there = misses.iter().all(|miss| miss.distance < 3e-6 && miss.angle < 2e-6);
            assert_eq!(solution.is_reached(), is_there, "{apart}: {:?}", solution.status);
            // A foot that cannot stay is left behind by no more than the feet go apart.
            for side in 0..2 {
                let slip = now[side] - before[side];
                assert!(slip.abs() < 2.0 * STEP, "whole {whole}, {apart}: a slip of {slip}");
            }
            let mut v = vec![0.0; skeleton.n_dofs()];
            skeleton.difference(&q, &solution.configuration, &mut v);
            let root = DVec3::from_slice(&v[..3]).length();
            let turn = v[3..].iter().fold(0.0, |worst, x| f64::max(worst, x.abs()));
            // Where the legs get straight, angles go like the square root of what is left: here up to √(2 · 0.01 / 0.92) and what the trunk adds.
            assert!(
                root < 0.15 && turn < 0.4,
                "whole {whole}, {apart}: hips by {root}, a joint by {turn}"
            );
            (q, missed) = (solution.configuration, now);
        }
        // Both feet share what is missing, because nothing tells them apart.
        assert!((missed[0] - missed[1]).abs() < 1e-3, "whole {whole}: {missed:?}");
        assert!(missed[0] > 0.1, "whole {whole}: the split is out of reach: {missed:?}");
    }
}

/// The same from standing at once, against small changes of every joint.
#[test]
fn l26_the_split_is_as_wide_as_can_be() {
    const STEP: f64 = 1e-4;
    let skeleton = person();
    let tasks = planted(&skeleton, 3.0, false);
    let settings = Settings::default();
    let start = skeleton.neutral();
    let solution = solve(&skeleton, &start, &tasks, Method::LeastSquares, &settings);
    let solution = solution.expect("the tasks are valid");
    assert!(!matches!(solution.status, Status::Reached), "three metres are too far");
    let total = |q: &[f64]| -> f64 {
        let squares = tasks.iter().map(|task| task.miss(&skeleton, q).distance);
        squares.map(|distance| distance * distance).sum()
    };
    let q = &solution.configuration;
    let least = total(q);
    for i in 0..skeleton.n_dofs() {
        for by in [STEP, -STEP] {
            let mut v = vec![0.0; skeleton.n_dofs()];
            v[i] = by;
            let mut moved = q.clone();
            skeleton.integrate(q, &v, &mut moved);
            skeleton.clamp(&mut moved);
            let gain = least - total(&moved);
            assert!(gain < 1e-7, "{by} in degree of freedom {i} gains {gain}");
        }
    }
    let knees = LEGS.map(|[_, knee, _]| q[skeleton.value_range(knee).start]);
    assert!(knees.iter().all(|angle| *angle < 0.05), "the knees are straight: {knees:?}");
    let [left, right] = [0, 1].map(|side| foot(side).world(&skeleton.poses(q)).translation);
    assert!((left.distance(right) / 2.0) > person::THIGH + person::SHANK, "{left} {right}");
}
