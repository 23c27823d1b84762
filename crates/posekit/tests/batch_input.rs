//! Bad input of a batch is an error that names the argument, and changes nothing.

mod batch_support;
mod support;

use batch_support::{Problems, first};
use posekit::arm::{ArmSettings, ArmSolution};
use posekit::batch::{self, Job};
use posekit::{Error, Result};
use support::Rng;

fn problems() -> Problems {
    Problems::random(&mut Rng::new(1), 4, 3)
}

/// Solves with so many starts, values and solutions.
fn solve_with(lengths: [usize; 3], settings: &ArmSettings) -> Result<()> {
    let problems = problems();
    let (starts, mut values) = (vec![0.1; lengths[0]], vec![7.0; lengths[1]]);
    let mut solutions = vec![ArmSolution::default(); lengths[2]];
    let Problems { arm, targets, .. } = &problems;
    let result = batch::solve(arm, targets, &starts, settings, &mut values, &mut solutions);
    if result.is_err() {
        assert!(values.iter().all(|x| *x == 7.0), "values have changed");
    }
    let jobs: Vec<Job> = targets.iter().map(|target| Job::new(0, *target)).collect();
    let mut values = vec![7.0; lengths[1]];
    let arms = [arm.clone()];
    let of_jobs = batch::solve_jobs(&arms, &jobs, &starts, settings, &mut values, &mut solutions);
    if lengths[0] != 4 {
        let message = |result: &Result<()>| result.as_ref().err().map(Error::to_string);
        assert_eq!(message(&of_jobs), message(&result), "jobs are checked likewise");
    }
    result
}

fn wrong_length(lengths: [usize; 3]) -> Error {
    let error = solve_with(lengths, &first()).expect_err("a wrong length");
    assert!(error.is_wrong_length(), "{error}");
    error
}

#[test]
fn lengths() {
    assert_eq!(solve_with([12, 12, 3], &first()), Ok(()));
    assert_eq!(solve_with([4, 12, 3], &first()), Ok(()), "one start for all");
    assert_eq!(wrong_length([8, 12, 3]).to_string(), "starts has 8 elements, expected 12");
    assert_eq!(wrong_length([0, 12, 3]).what(), Some("starts"));
    assert_eq!(wrong_length([12, 11, 3]).what(), Some("values"));
    assert_eq!(wrong_length([12, 12, 4]).what(), Some("solutions"));
    assert_eq!(wrong_length([12, 12, 0]).what(), Some("solutions"));
}

#[test]
fn starts_that_are_not_finite() {
    let Problems { arm, targets, mut starts, .. } = problems();
    let mut solutions = [ArmSolution::default(); 3];
    for (index, value) in [(0, f64::NAN), (5, f64::INFINITY), (11, f64::NEG_INFINITY)] {
        let before = core::mem::replace(&mut starts[index], value);
        let mut values = vec![7.0; 12];
        let error = batch::solve(&arm, &targets, &starts, &first(), &mut values, &mut solutions)
            .unwrap_err();
        assert!(error.is_not_finite(), "{error}");
        assert_eq!((error.what(), error.index()), (Some("starts"), Some(index)));
        assert!(values.iter().all(|x| *x == 7.0), "values have changed");
        starts[index] = before;
    }
}

#[test]
fn settings() {
    let mut bad = [first(); 3];
    bad[0].tolerance = Some(-1e-6);
    bad[1].orientation_tolerance = Some(f64::NAN);
    bad[2].bounds[4] = -1.0;
    for settings in bad {
        let error = solve_with([12, 12, 3], &settings).expect_err("a bad setting");
        assert!(error.is_out_of_range(), "{error}");
    }
}

#[test]
fn no_targets() {
    let Problems { arm, starts, .. } = problems();
    assert_eq!(batch::solve(&arm, &[], &starts[..4], &first(), &mut [], &mut []), Ok(()));
    assert_eq!(batch::solve(&arm, &[], &[], &first(), &mut [], &mut []), Ok(()));
    assert_eq!(batch::solve_jobs(&[], &[], &[], &first(), &mut [], &mut []), Ok(()));
}

#[test]
fn a_job_without_an_arm() {
    let Problems { arm, targets, starts, .. } = problems();
    let jobs = [Job::new(0, targets[0]), Job::new(2, targets[1])];
    let (mut values, mut solutions) = (vec![0.0; 8], [ArmSolution::default(); 2]);
    let error =
        batch::solve_jobs(&[arm], &jobs, &starts[..8], &first(), &mut values, &mut solutions)
            .expect_err("there is one arm");
    assert!(error.is_out_of_range(), "{error}");
    assert_eq!((error.what(), error.index()), (Some("job arm"), Some(1)));
}
