//! Steps of the task solver on the problems of `bench/python` and on figures of sixty joints; prints the tables and rewrites
//! their part of `bench/RESULTS.md`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::env;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result, bail};
use posekit_bench::report::write_part;
use posekit_bench::steps::figure::{Joints, figure};
use posekit_bench::steps::file::{self, Case, Problem};
use posekit_bench::steps::measure::{self, defaults, tracking};
use posekit_bench::steps::model::Model;
use posekit_bench::steps::report::{Measured, section};
use posekit_bench::steps::{cold, peers};

const HELP: &str = "\
Usage: steps [OPTIONS]

  --case NAME       only the cases whose name contains NAME; writes no file
  --passes N        times round each path (default 20, as the peers)
  --no-write        writes no file
  --help            this text

Robots come from the folder that POSEKIT_ASSETS names, problems and the peers' times from
bench/target/python, where bench/python/run.py leaves them.";

/// The system's allocator, with a count.
struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is handed to the system's allocator unchanged; counting touches no memory that it manages.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(old, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

struct Options {
    filter: String,
    passes: usize,
    write: bool,
}

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let Some(options) = options(&arguments)? else {
        println!("{HELP}");
        return Ok(());
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/python");
    let peers = peers::read(&folder.join("results.json"))?;
    let mut notes = Vec::new();
    let mut measured = robots(&options, &folder.join("problems.json"), &mut notes)?;
    for joints in [Joints::Hinges, Joints::Balls] {
        let (model, path) = figure(joints);
        if model.name.contains(&options.filter) {
            measured.push(measure(&model, &path, &[], &options)?);
        }
    }
    if measured.is_empty() {
        bail!("no case is named like {:?}", options.filter);
    }
    match &peers {
        None => notes.push("The peers in Python were not run.".to_owned()),
        Some(peers) => notes.extend(
            peers.failures.iter().map(|f| format!("{} could not be run: {}", f.peer, f.reason)),
        ),
    }
    let text = section(&measured, peers.as_ref(), &notes);
    println!("{text}");
    if options.write {
        write_part(&text).context("RESULTS.md")?;
        println!("bench/RESULTS.md has its part about steps anew");
    }
    Ok(())
}

/// The robots of the problem file, where there are robots and a file.
fn robots(options: &Options, problems: &Path, notes: &mut Vec<String>) -> Result<Vec<Measured>> {
    let Some(assets) = env::var_os("POSEKIT_ASSETS").map(PathBuf::from) else {
        notes.push("Robots are left out: POSEKIT_ASSETS names no folder.".to_owned());
        return Ok(Vec::new());
    };
    if !problems.exists() {
        notes.push("Robots are left out: bench/python/generate.py has not been run.".to_owned());
        return Ok(Vec::new());
    }
    let file = file::read(problems)?;
    let cases = file.cases.iter().filter(|case| case.name.contains(&options.filter));
    cases.map(|case| robot(case, &assets, options)).collect()
}

fn robot(case: &Case, assets: &Path, options: &Options) -> Result<Measured> {
    let model = Model::read(case, assets)?;
    measure(&model, &case.track, &case.warm, options)
}

fn measure(model: &Model, path: &Problem, warm: &[Problem], options: &Options) -> Result<Measured> {
    let (steps, allocations) = {
        // Everything grows to its size in the first pass, which is judged and not timed.
        let mut run = measure::Run::new(model, path, options.passes)?;
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        run.steps()?;
        let after = ALLOCATIONS.load(Ordering::Relaxed);
        (run.finish(), after - before)
    };
    let free = model.carefree();
    let mut solves = vec![
        ("path, tracking", measure::frames(model, path, &tracking())?),
        ("path, defaults", measure::frames(model, path, &defaults())?),
        ("path, no posture, tracking", measure::frames(&free, path, &tracking())?),
        ("path, no posture, defaults", measure::frames(&free, path, &defaults())?),
    ];
    let mut convergence = None;
    if !warm.is_empty() {
        convergence = Some(measure::convergence(model, warm)?);
        solves.push(("warm, tracking", measure::solves(model, warm, &tracking())?));
        solves.push(("warm, defaults", measure::solves(model, warm, &defaults())?));
        let cold = cold::problems(model, warm.len());
        solves.push(("cold, tracking", measure::solves(model, &cold, &tracking())?));
        solves.push(("cold, defaults", measure::solves(model, &cold, &defaults())?));
    }
    let sizes = [model.n_moving(), model.skeleton.n_dofs()];
    Ok(Measured { name: model.name.clone(), sizes, steps, allocations, convergence, solves })
}

/// The options, or nothing when help was asked for.
fn options(arguments: &[String]) -> Result<Option<Options>> {
    let mut options = Options { filter: String::new(), passes: 20, write: true };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().with_context(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--case" => {
                options.filter.clone_from(value()?);
                options.write = false;
            }
            "--passes" => options.passes = value()?.parse()?,
            "--no-write" => options.write = false,
            "--help" | "-h" => return Ok(None),
            other => bail!("unknown option {other}\n\n{HELP}"),
        }
    }
    if options.passes == 0 {
        bail!("at least one pass");
    }
    Ok(Some(options))
}
