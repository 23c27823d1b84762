//! Models of the robots of the shared assets: built without a panic, sound in random poses, and honest about what they leave out.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a helper of a test may fail and speak as a test does"
)]

mod common;

use std::path::PathBuf;

use common::{assets, model, random_configuration};
use posekit_collision::{Query, Reason};

fn urdf_files(folder: &std::path::Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            files.extend(urdf_files(&entry));
        } else if entry.extension().is_some_and(|end| end == "urdf") {
            files.push(entry);
        }
    }
    files.sort();
    files
}

#[test]
fn every_robot_has_a_model() {
    let Some(assets) = assets() else { return };
    let mut files = urdf_files(&assets.join("urdf"));
    files.extend(urdf_files(&assets.join("mesh_robots")));
    let mut query = Query::default();
    for file in &files {
        let (robot, model, warnings) = model(file, 0.0);
        let mut state = 1;
        let mut touching = 0;
        for _ in 0..20 {
            let q = random_configuration(robot.skeleton(), &mut state);
            let all = model.check(&q, f64::INFINITY, &mut query).unwrap().to_vec();
            assert_eq!(all.len(), model.n_pairs());
            for contact in &all {
                let [a, b] = contact.points;
                let is_sound =
                    contact.distance.is_finite() && (contact.direction.length() - 1.0).abs() < 1e-9;
                assert!(is_sound, "{}: {contact:?}", file.display());
                let along = contact.direction * contact.distance;
                assert!((a - b - along).length() < 1e-6, "{}: {contact:?}", file.display());
            }
            // A margin shows the same pairs, and no others.
            let near: Vec<usize> =
                all.iter().filter(|c| c.distance <= 0.0).map(|c| c.pair).collect();
            let found: Vec<usize> =
                model.check(&q, 0.0, &mut query).unwrap().iter().map(|c| c.pair).collect();
            assert_eq!(near, found, "{}", file.display());
            touching += near.len();
        }
        println!(
            "{}: {} bodies, {} pairs, {} left out, {} warnings, {touching} touches in 20 poses",
            file.file_name().unwrap().to_string_lossy(),
            model.bodies().count(),
            model.n_pairs(),
            model.left_out().len(),
            warnings.len()
        );
    }
    assert!(files.len() >= 30, "{}", files.len());
}

#[test]
fn neutral_poses_are_free_of_contacts() {
    let Some(assets) = assets() else { return };
    for name in [
        "panda_description/urdf/panda.urdf",
        "g1_description/g1_29dof_rev_1_0.urdf",
        "SO101/so101_new_calib.urdf",
    ] {
        let (robot, model, warnings) = model(&assets.join("mesh_robots").join(name), 0.0);
        assert!(warnings.is_empty(), "{name}: {warnings:?}");
        let mut query = Query::default();
        let touching = model.check(&robot.skeleton().neutral(), 0.0, &mut query).unwrap();
        assert!(touching.is_empty(), "{name}: {touching:?}");
        let at_rest = |reason: &Reason| matches!(reason, Reason::TouchingAtNeutral { .. });
        for left in model.left_out().iter().filter(|left| at_rest(&left.reason)) {
            println!("{name}: {left:?}");
        }
    }
}
