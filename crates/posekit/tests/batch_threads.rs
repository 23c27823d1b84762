//! A batch has the same bits on any number of threads.

mod batch_support;
mod support;

use batch_support::{Problems, Results, first};
use posekit::arm::ArmSolution;
use posekit::batch::{self, Job};
use support::Rng;

fn on_threads<T: Send>(n_threads: usize, act: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build();
    pool.expect("threads can be started").install(act)
}

#[test]
fn targets_of_one_arm() {
    let problems = Problems::random(&mut Rng::new(1), 7, 5000);
    let expected = problems.one_by_one(&first());
    for n_threads in [1, 2, 8] {
        let results = on_threads(n_threads, || problems.as_batch(&first()));
        assert!(results == expected, "{n_threads} threads");
    }
}

#[test]
fn jobs() {
    let mut rng = Rng::new(2);
    let robots = [3, 6, 9].map(|n_joints| Problems::random(&mut rng, n_joints, 800));
    let arms = robots.each_ref().map(|robot| robot.arm.clone());
    let (mut jobs, mut starts) = (Vec::new(), Vec::new());
    for k in 0..800 {
        for (arm, robot) in robots.iter().enumerate() {
            let n = robot.arm.n_values();
            jobs.push(Job::new(arm, robot.targets[k]));
            starts.extend(&robot.starts[k * n..][..n]);
        }
    }
    let [one, two, eight] = [1, 2, 8].map(|n_threads| {
        let mut values = vec![0.0; starts.len()];
        let mut solutions = vec![ArmSolution::default(); jobs.len()];
        on_threads(n_threads, || {
            batch::solve_jobs(&arms, &jobs, &starts, &first(), &mut values, &mut solutions)
        })
        .expect("valid input");
        Results::new(&values, solutions)
    });
    assert!(one.solutions.iter().any(ArmSolution::is_reached));
    assert!(one == two && one == eight, "the results depend on the threads");
}
