//! Native times of the solves that WebAssembly is timed with: `posekit-bench-native BATCHES (PROBLEM ROBOT|- METHOD)...`.
//!
//! Prints nanoseconds per solve, a line for each. The same code runs in both: a session of posekit-wasm, begun anew and run to the end.

use std::fs;
use std::hint::black_box;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use posekit_io::Warnings;
use posekit_io::problem::Problem;
use posekit_wasm::session::Session;

/// What a batch takes at least: the clock's own time is nothing beside it.
const BATCH: Duration = Duration::from_millis(2);

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((batches, jobs)) = arguments.split_first() else { bail!("how many batches?") };
    let batches: u32 = batches.parse().context("batches")?;
    for job in jobs.chunks(3) {
        let [problem, robot, method] = job else { bail!("a problem, a robot or -, a method") };
        println!("{}", time(problem, robot, method, batches)?);
    }
    Ok(())
}

/// The fastest batch's time per solve \[ns\].
fn time(problem: &str, robot: &str, method: &str, batches: u32) -> Result<f64> {
    let text = fs::read_to_string(problem).with_context(|| problem.to_owned())?;
    let robot = (robot != "-").then(|| fs::read(robot)).transpose()?;
    let problem = Problem::from_json(&text, robot.as_deref(), &mut Warnings::new())?;
    let mut session = Session::new(Rc::new(problem));
    session.begin(method, None, None)?;
    let mut solve = |times: u32| -> Result<Duration> {
        let start = Instant::now();
        for _ in 0..times {
            session.restart(None)?;
            session.run()?;
            black_box(session.solution()?.error);
        }
        Ok(start.elapsed())
    };
    let mut times = 1;
    while solve(times)? < BATCH {
        times *= 2;
    }
    let mut best = f64::INFINITY;
    for _ in 0..batches {
        best = best.min(solve(times)?.as_nanos() as f64 / f64::from(times));
    }
    Ok(best)
}
