//! A batch has the bits of one solve after the other, whatever the arm, the settings, and the rows beside each other.

mod batch_support;
mod support;

use batch_support::{Problems, Results, configuration, first};
use posekit::arm::{Arm, ArmSettings, ArmSolution, ArmStatus, Prefer};
use posekit::batch::{self, Job};
use posekit::glam::DVec3;
use posekit::math::{Pose, so3_log};
use support::Rng;
use support::arms::{self, IIWA, PUMA};

fn assert_same_bits(problems: &Problems, settings: &ArmSettings, what: &str) {
    let (batch, single) = (problems.as_batch(settings), problems.one_by_one(settings));
    for (k, (batch, single)) in batch.solutions.iter().zip(&single.solutions).enumerate() {
        assert_eq!(batch, single, "{what}, row {k}: {:?}", problems.targets[k]);
    }
    assert_eq!(batch, single, "{what}");
}

#[test]
fn arms_of_all_kinds() {
    let mut rng = Rng::new(1);
    let mut reached = 0;
    for case in 0..60 {
        let n_joints = 1 + case % 10;
        let problems = Problems::random(&mut rng, n_joints, 64);
        let mut settings = first();
        settings.starts = [1, 24][case % 2];
        assert_same_bits(&problems, &settings, &format!("case {case}"));
        let solutions = problems.as_batch(&settings).solutions;
        reached += solutions.iter().filter(|solution| solution.is_reached()).count();
    }
    assert!(reached > 1000, "only {reached} of 3840 targets were reached: the cases are too hard");
}

#[test]
fn bounds_and_tolerances() {
    let mut rng = Rng::new(2);
    let bounds = [
        [0.01, 0.0, 0.02, 0.0, 0.3, 0.0],
        [0.0, 0.0, 0.0, f64::INFINITY, f64::INFINITY, f64::INFINITY],
        [f64::INFINITY, 0.0, 0.0, 0.0, 0.0, f64::INFINITY],
    ];
    for case in 0..18 {
        let problems = Problems::random(&mut rng, 3 + case % 6, 48);
        let mut settings = first();
        settings.bounds = bounds[case % 3];
        if case % 2 == 0 {
            (settings.tolerance, settings.orientation_tolerance) = (Some(1e-3), Some(0.0));
        }
        assert_same_bits(&problems, &settings, &format!("case {case}"));
    }
}

#[test]
fn industrial_arms() {
    let mut rng = Rng::new(3);
    for rows in [&PUMA[..], &IIWA] {
        let arms::Arm { skeleton, flange } = arms::Arm::new(rows);
        let problems = Problems::of(skeleton, flange, &mut rng, 1600);
        assert_same_bits(&problems, &first(), "first");
    }
}

#[test]
fn the_nearest_pose() {
    let mut rng = Rng::new(4);
    for case in 0..6 {
        let problems = Problems::random(&mut rng, 3 + case, 32);
        let mut settings = first();
        settings.prefer = Prefer::Nearest;
        assert_same_bits(&problems, &settings, &format!("case {case}"));
    }
}

#[test]
fn one_start_for_all_targets() {
    let mut problems = Problems::random(&mut Rng::new(5), 6, 100);
    let start = problems.starts[..problems.arm.n_values()].to_vec();
    problems.starts = start.repeat(100);
    let (n, settings) = (problems.starts.len(), first());
    let (mut values, mut solutions) = (vec![0.0; n], vec![ArmSolution::default(); 100]);
    batch::solve(&problems.arm, &problems.targets, &start, &settings, &mut values, &mut solutions)
        .expect("valid input");
    assert_eq!(Results::new(&values, solutions), problems.as_batch(&settings));
}

#[test]
fn any_part_of_a_batch() {
    let problems = Problems::random(&mut Rng::new(6), 7, 700);
    let (whole, n) = (problems.as_batch(&first()), problems.arm.n_values());
    for part in [0..1, 0..3, 5..5, 17..300, 100..700, 699..700] {
        let values = part.start * n..part.end * n;
        let problems = Problems {
            skeleton: problems.skeleton.clone(),
            arm: problems.arm.clone(),
            targets: problems.targets[part.clone()].to_vec(),
            starts: problems.starts[values.clone()].to_vec(),
        };
        let results = problems.as_batch(&first());
        assert_eq!(results.values, whole.values[values], "{part:?}");
        assert_eq!(results.solutions, whole.solutions[part.clone()], "{part:?}");
    }
}

#[test]
fn jobs_of_several_robots() {
    let mut rng = Rng::new(7);
    let robots = [6, 2, 7, 10].map(|n_joints| Problems::random(&mut rng, n_joints, 300));
    let arms: Vec<Arm> = robots.iter().map(|robot| robot.arm.clone()).collect();
    let (mut jobs, mut starts, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    let singles = robots.each_ref().map(|robot| robot.one_by_one(&first()));
    for k in 0..300 {
        // The first arm is in the list twice as often.
        for arm in [0, 1, 2, 3].into_iter().filter(|arm| *arm == 0 || (k + arm) % 2 == 0) {
            let n = arms[arm].n_values();
            jobs.push(Job::new(arm, robots[arm].targets[k]));
            starts.extend(&robots[arm].starts[k * n..][..n]);
            expected.push((singles[arm].solutions[k], &singles[arm].values[k * n..][..n]));
        }
    }
    let mut values = vec![0.0; starts.len()];
    let mut solutions = vec![ArmSolution::default(); jobs.len()];
    batch::solve_jobs(&arms, &jobs, &starts, &first(), &mut values, &mut solutions)
        .expect("valid input");
    let mut offset = 0;
    for (k, (solution, row)) in expected.into_iter().enumerate() {
        assert_eq!(solutions[k], solution, "job {k}");
        let found: Vec<u64> = values[offset..][..row.len()].iter().map(|x| x.to_bits()).collect();
        assert_eq!(found, row, "job {k}");
        offset += row.len();
    }
}

#[test]
fn bases_and_tools_of_jobs() {
    let mut rng = Rng::new(8);
    let robot = arms::Arm::new(&IIWA);
    let arm = Arm::new(&robot.skeleton, robot.flange).expect("a serial arm");
    let mut random = || Pose::new(rng.rotation(), rng.vector(0.5));
    let mut jobs: Vec<Job> = (0..200).map(|_| Job::new(0, random()).with_tool(random())).collect();
    let mut starts = Vec::new();
    for job in &mut jobs {
        let q = configuration(&robot.skeleton, &mut rng);
        job.base = job.target * job.tool.inverse() * arm.pose(&q).expect("valid").inverse();
        starts.extend(configuration(&robot.skeleton, &mut rng));
    }
    let (mut values, mut solutions) = (starts.clone(), vec![ArmSolution::default(); 200]);
    batch::solve_jobs(
        core::slice::from_ref(&arm),
        &jobs,
        &starts,
        &first(),
        &mut values,
        &mut solutions,
    )
    .expect("valid input");
    for ((job, solution), q) in jobs.iter().zip(&solutions).zip(values.chunks_exact(7)) {
        assert!(solution.is_reached(), "{job:?}: {solution:?}");
        let tip = job.base * arm.pose(q).expect("valid") * job.tool;
        let angle = so3_log(tip.rotation.inverse() * job.target.rotation).length();
        assert!(tip.translation.distance(job.target.translation) < 5e-6 && angle < 2e-6, "{job:?}");
    }
}

/// What is no pose.
fn no_poses() -> [Pose; 4] {
    let pose = Pose::from_translation(DVec3::X);
    [
        Pose { translation: DVec3::new(0.0, f64::NAN, 0.0), ..pose },
        Pose { translation: DVec3::new(0.0, 0.0, f64::INFINITY), ..pose },
        Pose { rotation: pose.rotation * 1.01, ..pose },
        Pose { rotation: pose.rotation * f64::NAN, ..pose },
    ]
}

#[test]
fn what_is_no_pose_does_not_end_a_batch() {
    let mut problems = Problems::random(&mut Rng::new(9), 6, 40);
    let (expected, n) = (problems.one_by_one(&first()), problems.arm.n_values());
    for (k, no_pose) in no_poses().into_iter().enumerate() {
        problems.targets[9 * k] = no_pose;
    }
    let results = problems.as_batch(&first());
    for (k, solution) in results.solutions.iter().enumerate() {
        let values = k * n..(k + 1) * n;
        if k % 9 == 0 && k / 9 < 4 {
            assert_eq!(solution.status, ArmStatus::InvalidTarget, "row {k}");
            assert_eq!((solution.distance, solution.angle), (f64::INFINITY, f64::INFINITY));
            let start = problems.starts[values.clone()].iter().map(|x| x.to_bits());
            assert!(start.eq(results.values[values].iter().copied()), "row {k}");
        } else {
            assert_eq!(*solution, expected.solutions[k], "row {k}");
            assert_eq!(results.values[values.clone()], expected.values[values], "row {k}");
        }
    }
}

#[test]
fn bases_and_tools_that_are_no_poses() {
    let problems = Problems::random(&mut Rng::new(10), 6, 1);
    let job = Job::new(0, problems.targets[0]);
    let far = Pose::from_translation(DVec3::splat(f64::MAX));
    let mut jobs =
        vec![job, Job::new(0, far).with_base(Pose { translation: -far.translation, ..far })];
    jobs.extend(no_poses().map(|no_pose| job.with_base(no_pose)));
    jobs.extend(no_poses().map(|no_pose| job.with_tool(no_pose)));
    let starts = problems.starts.repeat(jobs.len());
    let (mut values, mut solutions) = (starts.clone(), vec![ArmSolution::default(); jobs.len()]);
    let arms = [problems.arm];
    batch::solve_jobs(&arms, &jobs, &starts, &first(), &mut values, &mut solutions)
        .expect("valid input");
    assert_ne!(solutions[0].status, ArmStatus::InvalidTarget);
    for (job, solution) in jobs.iter().zip(&solutions).skip(1) {
        assert_eq!(solution.status, ArmStatus::InvalidTarget, "{job:?}");
    }
}
