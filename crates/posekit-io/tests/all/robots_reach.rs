//! Robots that others wrote: every link that ends a chain is sent to where it was in a random
//! configuration inside the limits, and must get there.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test that cannot set up its problem must stop, and says how many it solved"
)]

use crate::common;

use common::random_configuration;
use posekit::solve::{Method, Settings, Workspace};
use posekit::task::{Orientation, Position};
use posekit_io::{Limits, Warnings, urdf};

/// Sends every link that ends a chain to where it was in a random configuration; with `turned` in the orientation that it had
/// there. Returns how many were solved, how many there were, and what failed.
fn send_all(method: Method, turned: bool, rounds: u32) -> Option<(usize, usize, Vec<String>)> {
    let folder = common::assets()?.join("urdf");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    let (mut solved, mut total, mut failures) = (0, 0, Vec::new());
    let mut workspace = Workspace::default();
    for path in paths {
        let limits = Limits::default();
        let robot = urdf::read_file(&path, &limits, &mut Warnings::default()).unwrap();
        let skeleton = robot.skeleton();
        let mut state = 7;
        for leaf in (0..skeleton.n_joints()).filter(|&j| skeleton.children(j).is_empty()) {
            for round in 0..rounds {
                let truth = random_configuration(skeleton, &mut state);
                let start = random_configuration(skeleton, &mut state);
                let frame = skeleton.frame(leaf);
                let target = frame.world(&skeleton.poses(&truth));
                let mut tasks = vec![Position::new(frame, target.translation).into()];
                if turned {
                    tasks.push(Orientation::new(frame, target.rotation).into());
                }
                workspace.begin(skeleton, &start, &tasks, method, &Settings::default()).unwrap();
                let solution = workspace.run();
                total += 1;
                solved += usize::from(solution.is_reached());
                let inside = skeleton.within_limits(&solution.configuration, 1e-9);
                assert!(inside, "limits broken: {path:?} {}", skeleton.name(leaf));
                if !solution.is_reached() {
                    failures.push(format!(
                        "{} {} round {round}: {:?} error {:.3e} {:.3e} after {}",
                        path.file_name().unwrap().to_string_lossy(),
                        skeleton.name(leaf),
                        solution.status.word(),
                        solution.error,
                        solution.orientation_error,
                        solution.iterations
                    ));
                }
            }
        }
    }
    println!("{}: {solved} of {total}", method.name());
    Some((solved, total, failures))
}

#[test]
fn every_tip_is_put_where_it_can_be() {
    let Some((_, total, failures)) = send_all(Method::Auto, false, 25) else { return };
    // One or two of ten thousand end in a corner of their limits.
    let listed = failures.join("\n");
    assert!(failures.len() * 2000 <= total, "{} of {total} fail:\n{listed}", failures.len());
}

/// Methods that are named run themselves to the end, which limits and singular poses make long.
#[test]
fn named_methods_put_most_tips_where_they_can_be() {
    for (method, per_cent) in [(Method::Ccd, 92), (Method::Fabrik, 92), (Method::Relaxation, 85)] {
        let Some((solved, total, failures)) = send_all(method, false, 25) else { return };
        let listed = failures.join("\n");
        assert!(solved * 100 >= total * per_cent, "{} fail:\n{listed}", failures.len());
    }
}

/// Descent alone, towards whole poses from random starts.
#[test]
fn descent_finds_many_whole_poses() {
    let Some((solved, total, failures)) = send_all(Method::Ccd, true, 10) else { return };
    assert!(solved * 100 >= total * 75, "{} fail:\n{}", failures.len(), failures.join("\n"));
}
