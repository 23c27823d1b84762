//! Runs every case for every solver, prints a table after each, and rewrites their part of `bench/RESULTS.md`.

use std::env;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use posekit_bench::measure::{self, Settings};
use posekit_bench::problems::CASES;
use posekit_bench::{entrant, probe, report};

const HELP: &str = "\
Usage: compare [OPTIONS]

  --case NAME       only the cases whose name contains NAME; writes no file
  --problems N      problems per case (default 512)
  --rounds N        rounds per case (default 31)
  --seconds S       time after which a solver takes no further rounds of a case (default 1)
  --quick           128 problems, 5 rounds, 0.2 s; writes no file
  --help            this text";

struct Options {
    settings: Settings,
    filter: String,
    write: bool,
}

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == probe::ARGUMENT) {
        return probe::serve(&arguments[1..]);
    }
    let Some(options) = options(&arguments)? else {
        println!("{HELP}");
        return Ok(());
    };
    let contenders = entrant::all();
    let mut tables = Vec::new();
    for case in CASES.iter().filter(|case| case.name.contains(&options.filter)) {
        let rows = measure::case(case, &contenders, &options.settings)?;
        let table = report::case_table(case, &rows);
        println!("{table}");
        tables.push(table);
    }
    if tables.is_empty() {
        bail!("no case is named like {:?}", options.filter);
    }
    if options.write {
        report::write_part(&report::document(&options.settings, &tables)).context("RESULTS.md")?;
        println!("bench/RESULTS.md is rewritten");
    }
    Ok(())
}

/// The options, or nothing when help was asked for.
fn options(arguments: &[String]) -> Result<Option<Options>> {
    let settings = Settings { problems: 512, rounds: 31, budget: Duration::from_secs(1) };
    let mut options = Options { settings, filter: String::new(), write: true };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().with_context(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--case" => {
                options.filter.clone_from(value()?);
                options.write = false;
            }
            "--problems" => options.settings.problems = value()?.parse()?,
            "--rounds" => options.settings.rounds = value()?.parse()?,
            "--seconds" => {
                options.settings.budget = Duration::try_from_secs_f64(value()?.parse()?)?
            }
            "--quick" => {
                let budget = Duration::from_millis(200);
                options.settings = Settings { problems: 128, rounds: 5, budget };
                options.write = false;
            }
            "--help" | "-h" => return Ok(None),
            other => bail!("unknown option {other}\n\n{HELP}"),
        }
    }
    if options.settings.problems == 0 || options.settings.rounds == 0 {
        bail!("at least one problem and one round");
    }
    Ok(Some(options))
}
