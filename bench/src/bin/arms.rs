//! Arms and limbs: prints the tables and rewrites their parts of `bench/RESULTS.md`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use posekit_bench::arms::problem::{self, Problem, arms};
use posekit_bench::arms::report::{self, Extent, Measured};
use posekit_bench::arms::{chain::Chain, cold, kernel, limbs, lines, ours, peers, python, success};
use posekit_bench::report::write_part;

const HELP: &str = "\
Usage: arms [COMMAND] [OPTIONS]

Commands:
  (none)            the four arms: random starts, lines, pieces
  targets           writes the targets for the peers in Python to bench/target/arms
  success           every arm and limb of every URDF and MJCF file below the folder

Options:
  --case NAME       only the arms or limbs whose name contains NAME; writes no file
  --problems N      targets for each arm (default 1000) or limb (default 10000)
  --lines N         lines for each arm (default 200)
  --rounds N        rounds (default 5)
  --seed SEED       with success: only the target with this seed, as failures are listed; writes no file
  --no-write        writes no file
  --help            this text

Robots come from the folder that POSEKIT_ASSETS names, by default ../shared/assets.";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Command {
    Arms,
    Targets,
    Success,
}

struct Options {
    command: Command,
    filter: String,
    problems: Option<usize>,
    lines: usize,
    rounds: usize,
    seed: Option<u64>,
    write: bool,
}

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let Some(options) = options(&arguments)? else {
        println!("{HELP}");
        return Ok(());
    };
    match options.command {
        Command::Arms => compare(&options),
        Command::Targets => problem::write(&arms(&assets()?)?, options.problems.unwrap_or(1000)),
        Command::Success => succeed(&options),
    }
}

/// The folder of robots.
fn assets() -> Result<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder =
        env::var_os("POSEKIT_ASSETS").map_or_else(|| root.join("../shared/assets"), PathBuf::from);
    let folder = [folder, root.join("shared/assets")].into_iter().find(|folder| folder.is_dir());
    folder.context("POSEKIT_ASSETS names no folder of robots")
}

fn compare(options: &Options) -> Result<()> {
    let python = python::read()?;
    let notes = notes(python.as_ref());
    let extent = Extent {
        problems: options.problems.unwrap_or(1000),
        lines: options.lines,
        rounds: options.rounds,
        clock: kernel::clock(),
    };
    let mut measured = Vec::new();
    for chain in arms(&assets()?)?.iter().filter(|chain| chain.name.contains(&options.filter)) {
        let mut arm = measure(chain, &extent)?;
        let rows = python.as_ref().and_then(|python| python.rows.get(&chain.name));
        arm.cold.extend(rows.into_iter().flatten().cloned());
        eprintln!("{} is measured", chain.name);
        measured.push(arm);
    }
    if measured.is_empty() {
        bail!("no arm is named like {:?}", options.filter);
    }
    finish(&report::section(&measured, &extent, &notes), options)
}

/// Who could not take part.
fn notes(python: Option<&python::Peers>) -> Vec<String> {
    let mut notes: Vec<String> = peers::left_out().map(str::to_owned).into_iter().collect();
    let Some(python) = python else {
        notes.push("The peers in Python were not run.".to_owned());
        return notes;
    };
    let load = python.load_average;
    notes.push(format!("Load average after the peers in Python had run: {load:.2}."));
    let failures = python.failures.iter();
    notes.extend(failures.map(|f| format!("{} could not be run: {}", f.peer, f.reason)));
    notes
}

fn measure(chain: &Chain, extent: &Extent) -> Result<Measured> {
    let problems = Problem::draw_all(chain, extent.problems);
    let contenders = [&ours::COLD[..], &peers::cold()].concat();
    let cold = cold::run(chain, &problems, &contenders, extent.rounds)?;
    let contenders = [&ours::WARM[..], &peers::WARM].concat();
    let lines = lines::draw(chain, extent.lines)?;
    let lines = lines::run(chain, &lines, &contenders, extent.rounds)?;
    // Pieces are short: ten times the rounds.
    let pieces = kernel::pieces(chain, 10 * extent.rounds)?;
    Ok(Measured { name: chain.name.clone(), n_joints: chain.unknowns.len(), cold, lines, pieces })
}

fn succeed(options: &Options) -> Result<()> {
    let (folder, problems) = (assets()?, options.problems.unwrap_or(10_000));
    let found = limbs::find(&folder)?;
    let left_out = |(file, reason): &(PathBuf, String)| format!("{} ({reason})", file.display());
    let left_out: Vec<String> = found.left_out.iter().map(left_out).collect();
    let mut notes = Vec::new();
    if !left_out.is_empty() {
        notes.push(format!("Skipped: {}.", left_out.join("; ")));
    }
    let mut rows = Vec::new();
    for limb in found.limbs.iter().filter(|limb| limb.chain.name.contains(&options.filter)) {
        let row = match options.seed {
            Some(seed) => success::run_seeds(limb, &folder, [seed].into_iter()),
            None => success::run(limb, &folder, problems),
        };
        match row {
            Ok(row) => {
                eprintln!("{}: {} failures of {}", row.name, row.failures.len(), row.total);
                rows.push(row);
            }
            Err(error) => notes.push(format!("{} was not run: {error:#}.", limb.chain.name)),
        }
    }
    if rows.is_empty() {
        bail!("no limb is named like {:?}", options.filter);
    }
    let all: Vec<&success::Row> = rows.iter().collect();
    let list = problem::folder()?.join("failures.txt");
    fs::write(&list, report::failures(&all, usize::MAX))
        .with_context(|| list.display().to_string())?;
    println!("every failure is in {}", list.display());
    finish(&report::limbs_section(&rows, problems, &notes), options)
}

fn finish(text: &str, options: &Options) -> Result<()> {
    println!("{text}");
    if options.write {
        write_part(text).context("RESULTS.md")?;
        println!("bench/RESULTS.md has this part anew");
    }
    Ok(())
}

/// The options, or nothing when help was asked for.
fn options(arguments: &[String]) -> Result<Option<Options>> {
    let mut options = Options {
        command: Command::Arms,
        filter: String::new(),
        problems: None,
        lines: 200,
        rounds: 5,
        seed: None,
        write: true,
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().with_context(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "targets" => options.command = Command::Targets,
            "success" => options.command = Command::Success,
            "--case" => {
                options.filter.clone_from(value()?);
                options.write = false;
            }
            "--problems" => options.problems = Some(value()?.parse()?),
            "--lines" => options.lines = value()?.parse()?,
            "--rounds" => options.rounds = value()?.parse()?,
            "--seed" => {
                options.seed = Some(value()?.parse()?);
                options.write = false;
            }
            "--no-write" => options.write = false,
            "--help" | "-h" => return Ok(None),
            other => bail!("unknown option {other}\n\n{HELP}"),
        }
    }
    if options.problems == Some(0) || options.lines == 0 || options.rounds == 0 {
        bail!("at least one problem, one line and one round");
    }
    Ok(Some(options))
}
