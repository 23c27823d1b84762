//! Robots that would go through themselves or through obstacles are held back, and the pair that does it is named.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a helper of a test may fail and speak as a test does"
)]

mod common;

use common::{assets, model, random_configuration};
use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::Frame;
use posekit::solve::{Method, Settings, Solution, solve};
use posekit::task::{FramePose, Position, Task};
use posekit_collision::{CollisionModel, Query, Solid};
use posekit_io::Robot;
use posekit_io::robot::Geometry;

const MARGIN: f64 = 0.01;

/// A solve with all pairs apart on level 1 and a point to reach on level 2.
fn reach(
    robot: &Robot,
    model: &CollisionModel,
    start: &[f64],
    tips: &[(Frame, DVec3)],
) -> Solution {
    let mut tasks = model.clearances(MARGIN).unwrap();
    tasks.extend(
        tips.iter().map(|&(tip, target)| Task::new(Position::new(tip, target)).at_level(2)),
    );
    solve(robot.skeleton(), start, &tasks, Method::Auto, &Settings::default()).unwrap()
}

/// The least distance of all pairs.
fn least(model: &CollisionModel, q: &[f64]) -> f64 {
    let mut query = Query::default();
    let all = model.check(q, f64::INFINITY, &mut query).unwrap();
    all.iter().map(|contact| contact.distance).fold(f64::INFINITY, f64::min)
}

/// The pairs that hold a solution back.
fn held(model: &CollisionModel, solution: &Solution) -> Vec<String> {
    let mut query = Query::default();
    let held = model.holding(solution, MARGIN, &mut query).unwrap();
    held.iter().map(|contact| model.names(contact.pair).join(" ")).collect()
}

fn panda() -> Option<(Robot, CollisionModel)> {
    let path = assets()?.join("mesh_robots/panda_description/urdf/panda.urdf");
    let (robot, model, warnings) = model(&path, MARGIN);
    assert!(warnings.is_empty(), "{warnings:?}");
    Some((robot, model))
}

const PANDA_READY: [f64; 9] = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785, 0.02, 0.02];

#[test]
fn a_panda_does_not_put_its_hand_through_its_base() {
    let Some((robot, model)) = panda() else { return };
    assert!(model.find_pair("panda_link0", "panda_hand").is_some());
    let hand = robot.frame("panda_hand").unwrap();
    let start = &PANDA_READY[..robot.skeleton().n_values()];
    let inside = DVec3::new(-0.05, 0.0, 0.08);
    // Left to itself it goes there.
    let task = Task::new(Position::new(hand, inside));
    let free = solve(robot.skeleton(), start, &[task], Method::Auto, &Settings::default()).unwrap();
    assert!(least(&model, &free.configuration) < -0.02, "the target is inside the base");
    let solution = reach(&robot, &model, start, &[(hand, inside)]);
    let gap = least(&model, &solution.configuration);
    assert!(gap >= MARGIN - 1e-5, "{gap}");
    let named = held(&model, &solution);
    assert!(named.iter().any(|pair| pair.starts_with("panda_link0 ")), "{named:?}");
    let miss =
        hand.world(&robot.skeleton().poses(&solution.configuration)).translation.distance(inside);
    println!(
        "panda: {} iterations, {miss:.3} m from the target, held by {named:?}",
        solution.iterations
    );
    assert!(miss > 0.03, "the base is in the way");
}

#[test]
fn an_obstacle_is_named() {
    let Some((robot, model)) = panda() else { return };
    let post = Solid::new(&Geometry::Capsule { radius: 0.06, half_length: 0.5 }).unwrap();
    let at = Pose::from_translation(DVec3::new(0.45, 0.0, 0.5));
    let model = model.with_obstacle("post", at, post).unwrap();
    let hand = robot.frame("panda_hand").unwrap();
    let mut start = PANDA_READY[..robot.skeleton().n_values()].to_vec();
    start[0] = 0.9;
    assert!(least(&model, &start) > MARGIN);
    let solution = reach(&robot, &model, &start, &[(hand, DVec3::new(0.45, 0.0, 0.5))]);
    assert!(least(&model, &solution.configuration) >= MARGIN - 1e-5);
    let named = held(&model, &solution);
    assert!(named.iter().any(|pair| pair.ends_with(" post")), "{named:?}");
}

#[test]
fn two_arms_stay_apart() {
    let Some(assets) = assets() else { return };
    let (robot, model, warnings) = model(&assets.join("urdf/baxter.urdf"), MARGIN);
    assert!(!warnings.is_empty(), "its meshes are not in the folder");
    let tip = |name: &str| robot.frame(name).unwrap();
    let (left, right) = (tip("left_gripper"), tip("right_gripper"));
    let start = robot.skeleton().neutral();
    // Both hands to one point between the arms.
    let between = DVec3::new(0.75, 0.0, 0.35);
    let tips = [(left, between), (right, between)];
    let tasks = tips.map(|(tip, target)| Task::new(Position::new(tip, target)));
    let free = solve(robot.skeleton(), &start, &tasks, Method::Auto, &Settings::default()).unwrap();
    assert!(free.is_reached() && least(&model, &free.configuration) < 0.0);
    let solution = reach(&robot, &model, &start, &tips);
    let gap = least(&model, &solution.configuration);
    assert!(gap >= MARGIN - 1e-5, "{gap}");
    let named = held(&model, &solution);
    println!(
        "baxter: {} pairs, {} iterations, held by {named:?}",
        model.n_pairs(),
        solution.iterations
    );
    let is_across = |pair: &String| pair.contains("left_") && pair.contains("right_");
    assert!(named.iter().any(is_across), "{named:?}");
    // Where they are not in each other's way, both arrive.
    let mut state = 2;
    let truth = loop {
        let q = random_configuration(robot.skeleton(), &mut state);
        if least(&model, &q) > 2.0 * MARGIN {
            break robot.skeleton().poses(&q);
        }
    };
    let apart = [left, right].map(|tip| (tip, tip.world(&truth).translation));
    let mut tasks = model.clearances(MARGIN).unwrap();
    tasks.extend(apart.map(|(tip, target)| Task::new(Position::new(tip, target))));
    let both = solve(robot.skeleton(), &start, &tasks, Method::Auto, &Settings::default()).unwrap();
    let poses = robot.skeleton().poses(&both.configuration);
    let miss = apart.map(|(tip, target)| tip.world(&poses).translation.distance(target));
    assert!(miss.iter().all(|miss| *miss < 1e-5), "{miss:?}");
    assert!(least(&model, &both.configuration) >= MARGIN - 1e-5);
}

#[test]
fn poses_that_are_free_are_reached_without_collision() {
    let Some((robot, model)) = panda() else { return };
    let skeleton = robot.skeleton();
    let hand = robot.frame("panda_hand").unwrap();
    let (mut state, mut n, mut reached) = (4, 0, 0);
    while n < 60 {
        let truth = random_configuration(skeleton, &mut state);
        if least(&model, &truth) < 2.0 * MARGIN {
            continue;
        }
        n += 1;
        let target = hand.world(&skeleton.poses(&truth));
        let mut tasks = model.clearances(MARGIN).unwrap();
        tasks.push(Task::new(FramePose::new(hand, target)));
        let start = &PANDA_READY[..skeleton.n_values()];
        let solution = solve(skeleton, start, &tasks, Method::Auto, &Settings::default()).unwrap();
        if solution.is_reached() {
            reached += 1;
            let gap = least(&model, &solution.configuration);
            assert!(gap >= MARGIN - 1e-5, "{n}: {gap}");
        }
    }
    println!("{reached} of {n} free poses reached");
    assert!(reached * 10 >= n * 9, "{reached} of {n}");
}
