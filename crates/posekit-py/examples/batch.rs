//! The batch of `bench/python/package.py` in Rust, to compare with: nanoseconds per target.
//!
//! ```sh
//! cargo run --release --package posekit-py --example batch -- panda.urdf panda_link8 100000
//! ```
#![expect(clippy::print_stdout, reason = "it prints what it measures")]

use std::env;
use std::error::Error;
use std::path::Path;
use std::time::Instant;

use posekit::arm::{Arm, ArmSettings, ArmSolution, Prefer};
use posekit::batch;
use posekit::math::Pose;
use posekit_io::{Limits, Warnings, urdf};
use rayon::ThreadPoolBuilder;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [robot, tip, count] = [0, 1, 2].map(|index| arguments.get(index).map(String::as_str));
    let mut warnings = Warnings::new();
    let robot = match robot {
        Some(path) => urdf::read_file(Path::new(path), &Limits::default(), &mut warnings)?,
        None => urdf::read(include_str!("../../../testdata/arm6.urdf"), &mut warnings)?,
    };
    let tip = robot.frame(tip.unwrap_or("tool0")).ok_or("there is no such link")?;
    let count: u32 = count.unwrap_or("200").parse()?;
    let arm = Arm::new(robot.skeleton(), tip)?;
    let start = robot.start_configuration();
    let target = |index| -> posekit::Result<Pose> {
        let mut q = start.clone();
        arm.spread(2 * index, &mut q)?;
        arm.pose(&q)
    };
    let targets = (0..count).map(target).collect::<posekit::Result<Vec<_>>>()?;
    let mut values = vec![0.0; targets.len() * arm.n_values()];
    let mut solutions = vec![ArmSolution::default(); targets.len()];
    for threads in [1, 0] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        for prefer in [Prefer::First, Prefer::Nearest] {
            let settings = ArmSettings::default().with_prefer(prefer);
            let begun = Instant::now();
            pool.install(|| {
                batch::solve(&arm, &targets, &start, &settings, &mut values, &mut solutions)
            })?;
            let each = begun.elapsed().as_nanos() / u128::from(count.max(1));
            let reached = solutions.iter().filter(|solution| solution.is_reached()).count();
            let threads = pool.current_num_threads();
            println!("{prefer:?}, {threads} threads: {each} ns per target, {reached} reached");
        }
    }
    Ok(())
}
