//! A frame of a session allocates nothing: not for a moved target, a new start, a run, or reading what came of it.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

#[path = "../../posekit/tests/counting/mod.rs"]
mod counting;

use std::hint::black_box;
use std::rc::Rc;

use counting::allocations;
use posekit::glam::DVec3;
use posekit::math::sin_cos;
use posekit_io::Warnings;
use posekit_io::problem::Problem;
use posekit_wasm::crowd::Herd;
use posekit_wasm::session::{Session, methods};

const FIGURE: &str = r#"{ "schema": "posekit.figure/1", "joints": [
    { "name": "shoulder", "parent": null, "kind": "ball", "cone": { "axis": [1, 0, 0], "swing": 1.5, "twist": [-1, 1] } },
    { "name": "elbow", "parent": "shoulder", "kind": "revolute", "axis": [0, 1, 0], "position": [0.3, 0, 0], "limit": [-2.5, 0] },
    { "name": "wrist", "parent": "elbow", "kind": "ball", "position": [0.3, 0, 0] } ],
  "tasks": [ { "task": "position", "frame": { "joint": "wrist", "position": [0.1, 0, 0] }, "target": [0.4, 0.1, 0.2] },
             { "task": "orientation", "frame": "wrist", "orientation": [0, 0, 0, 1], "level": 2 } ] }"#;

const LIMB: &str = r#"{ "schema": "posekit.chain/1", "dimension": 2, "target": [0.5, 1.2],
  "bones": [ { "length": 1, "angle": 0.2 }, { "length": 1, "angle": 0.3 }, { "length": 0.5, "angle": 0.1 } ] }"#;

const POINTS: &str = r#"{ "schema": "posekit.chain/1", "dimension": 3, "target": [0.5, 1.2, 0.4],
  "points": [[0, 0, 0], [1, 0, 0], [2, 0, 0.1], [3, 0, 0]] }"#;

fn problem(text: &str) -> Rc<Problem> {
    Rc::new(Problem::from_json(text, None, &mut Warnings::new()).unwrap())
}

#[test]
fn frames_allocate_nothing() {
    for text in [FIGURE, LIMB, POINTS] {
        let problem = problem(text);
        for method in methods(&problem) {
            let mut session = Session::new(Rc::clone(&problem));
            session.begin(method, None, None).unwrap();
            let mut frame = |index: i32| {
                let (sin, cos) = sin_cos(0.1 * f64::from(index));
                let target = [0.4 + 0.1 * sin, 0.9 + 0.1 * cos, 0.2];
                session.set_target(0, &target[..problem.dimension()]).unwrap();
                if index % 3 == 0 {
                    session.restart(None).unwrap();
                }
                session.run().unwrap();
                black_box(session.points().unwrap());
                black_box(session.poses().unwrap());
                black_box(session.solution().unwrap().error);
            };
            (0..100).for_each(&mut frame);
            let count = allocations(|| (0..100).for_each(&mut frame));
            assert_eq!(count, 0, "{method} on {text}");
        }
    }
}

#[test]
fn joints_and_frames_that_move_allocate_nothing_and_are_solved_for() {
    let problem = problem(FIGURE);
    let mut session = Session::new(Rc::clone(&problem));
    session.begin("auto", None, None).unwrap();
    let mut frame = |index: i32| {
        let stretch = 0.02 * f64::from(index % 10);
        let (elbow, wrist) = ([0.3 + stretch, 0.0, 0.0], [0.25, stretch, 0.0]);
        let mut placements = [[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]; 3];
        placements[1][..3].copy_from_slice(&elbow);
        placements[2][..3].copy_from_slice(&wrist);
        session.set_placements(placements.as_flattened()).unwrap();
        session.set_frame(0, 0, &[0.1 + stretch, 0.0, 0.0]).unwrap();
        session.set_target(0, &[0.3, 0.1, 0.2 + stretch]).unwrap();
        session.restart(None).unwrap();
        session.run().unwrap();
        assert!(session.solution().unwrap().is_reached());
        let poses = session.poses().unwrap();
        let at = |joint: usize| DVec3::from_slice(&poses[7 * joint..]);
        assert!((at(0).distance(at(1)) - elbow[0]).abs() < 1e-12);
    };
    (0..50).for_each(&mut frame);
    assert_eq!(allocations(|| (0..50).for_each(&mut frame)), 0);
    assert_eq!(problem.skeleton().unwrap().parent_from_joint(1).translation.x, 0.3, "shared");
    for (task, index) in [(0, 1), (2, 0)] {
        assert!(session.set_frame(task, index, &[0.0; 3]).is_err(), "{task} {index}");
    }
    assert!(session.set_placements(&[0.0; 7]).is_err());
    assert!(session.set_placements(&[f64::NAN; 21]).is_err());
}

#[test]
fn a_frame_of_a_crowd_allocates_nothing() {
    let mut herd = Herd::new(&problem(LIMB), 10, "auto", None).unwrap();
    let [n_targets, n_points] = herd.sizes();
    let (mut targets, mut points) = (vec![0.0_f32; n_targets], vec![0.0_f32; n_points]);
    let mut frame = |index: u16| {
        let turn = 0.1 * f32::from(index);
        targets
            .iter_mut()
            .enumerate()
            .for_each(|(k, x)| *x = 0.9 + 0.05 * (turn + k as f32).fract());
        assert_eq!(herd.solve(&targets, &mut points).unwrap(), 10, "frame {index}");
    };
    (0..50).for_each(&mut frame);
    assert_eq!(allocations(|| (0..50).for_each(&mut frame)), 0);
}
