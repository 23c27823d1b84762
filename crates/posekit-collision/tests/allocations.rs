//! Checks and tasks allocate nothing after the first of a size.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

#[path = "../../posekit/tests/counting/mod.rs"]
mod counting;

mod common;

use std::hint::black_box;

use common::{assets, model, random_configuration};
use counting::allocations;
use posekit::task::Task;
use posekit_collision::Query;

#[test]
fn checks_allocate_nothing() {
    let Some(assets) = assets() else { return };
    let (robot, model, _) =
        model(&assets.join("mesh_robots/panda_description/urdf/panda.urdf"), 0.01);
    let mut state = 1;
    let poses: Vec<Vec<f64>> =
        (0..100).map(|_| random_configuration(robot.skeleton(), &mut state)).collect();
    let mut query = Query::default();
    let mut check = || {
        for q in &poses {
            black_box(model.check(q, 0.02, &mut query).unwrap());
        }
    };
    check();
    assert_eq!(allocations(check), 0);
}

#[test]
fn solves_with_clearances_allocate_nothing() {
    use posekit::solve::{Method, Settings, Workspace};
    use posekit::task::Position;
    let Some(assets) = assets() else { return };
    let (robot, model, _) =
        model(&assets.join("mesh_robots/panda_description/urdf/panda.urdf"), 0.01);
    let hand = robot.frame("panda_hand").unwrap();
    let skeleton = robot.skeleton();
    let mut tasks = model.clearances(0.01).unwrap();
    let target = hand.world(&skeleton.poses(&skeleton.neutral())).translation;
    tasks.push(Task::new(Position::new(hand, target)));
    let mut workspace = Workspace::default();
    let settings = Settings::default();
    let mut state = 1;
    let starts: Vec<Vec<f64>> =
        (0..20).map(|_| random_configuration(skeleton, &mut state)).collect();
    let mut solve = || {
        for start in &starts {
            workspace.begin(skeleton, start, &tasks, Method::LeastSquares, &settings).unwrap();
            black_box(workspace.run().error);
        }
    };
    solve();
    assert_eq!(allocations(solve), 0);
}
