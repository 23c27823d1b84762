//! A batch allocates nothing: its memory is that of the caller.

mod batch_support;
mod counting;
mod support;

use batch_support::{Problems, first};
use counting::allocations;
use posekit::arm::{ArmSettings, ArmSolution, Prefer};
use posekit::batch::{self, Job};
use support::Rng;

/// Runs in a thread of a pool, if there are pools: to hand work to one allocates now and then.
fn in_one_thread(act: impl FnOnce() + Send) {
    #[cfg(feature = "rayon")]
    rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread").install(act);
    #[cfg(not(feature = "rayon"))]
    act();
}

fn nearest() -> ArmSettings {
    let mut settings = first();
    settings.prefer = Prefer::Nearest;
    settings
}

#[test]
fn a_batch_allocates_nothing() {
    for (n_joints, settings) in [(6, first()), (7, first()), (12, first()), (6, nearest())] {
        let problems = Problems::random(&mut Rng::new(n_joints as u64), n_joints, 1200);
        let Problems { arm, targets, starts, .. } = &problems;
        let (mut values, mut solutions) =
            (vec![0.0; starts.len()], vec![ArmSolution::default(); targets.len()]);
        let jobs: Vec<Job> = targets.iter().map(|target| Job::new(0, *target)).collect();
        let arms = [arm.clone()];
        in_one_thread(|| {
            let mut run = || {
                batch::solve(arm, targets, starts, &settings, &mut values, &mut solutions)
                    .expect("valid input");
                batch::solve_jobs(&arms, &jobs, starts, &settings, &mut values, &mut solutions)
                    .expect("valid input");
            };
            run();
            assert_eq!(allocations(&mut run), 0, "{n_joints} joints, {:?}", settings.prefer);
        });
        assert!(solutions.iter().any(ArmSolution::is_reached));
    }
}
