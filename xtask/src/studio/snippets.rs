//! Compiles and runs the Rust programs that the page offers, and compares their output with the page's results.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use super::build;
use crate::process::{build_as_tests, output, run};

/// The folder for them.
const FOLDER: &str = "target/snippets";
/// The files that the page's scripts write for each: the program, and the first line of its output.
const PROGRAM: &str = "main.rs";
const EXPECTED: &str = "expected.txt";

/// Writes every program, compiles each text once, and runs it on each problem.
///
/// # Errors
/// When a program does not compile, does not run, or disagrees with the page.
pub(super) fn check() -> Result<()> {
    let folder = env::current_dir()?.join(FOLDER);
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot empty {FOLDER}"))?;
    }
    run(build::tool("vitest")
        .args(["run", "--config", "tests/snippets.config.ts"])
        .env("SNIPPETS", &folder))?;
    build_as_tests(&["--lib"])?;
    let mut compiled = BTreeMap::new();
    let places = places(&folder)?;
    for place in &places {
        let text = read(&place.join(PROGRAM))?;
        let program = match compiled.get(&text) {
            Some(program) => program,
            None => compiled.entry(text).or_insert(compile(place)?),
        };
        compare(place, program)?;
    }
    println!("{} Rust snippets, {} different programs, ran", places.len(), compiled.len());
    Ok(())
}

fn places(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("no snippets in {FOLDER}"))?;
    let mut places: Vec<PathBuf> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    places.sort();
    if places.is_empty() {
        bail!("the page offers no Rust snippets");
    }
    Ok(places)
}

/// Compiles against the libraries that cargo has just built, which are beside this program.
fn compile(place: &Path) -> Result<PathBuf> {
    let this = env::current_exe().context("cannot find this program")?;
    let built = this.parent().context("this program has no folder")?;
    let program = place.join(format!("main{}", env::consts::EXE_SUFFIX));
    let mut command = Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    command.args(["--edition", "2024", "-D", "warnings", "-L"]).arg(built.join("deps"));
    for name in ["posekit", "posekit_io", "posekit_motion"] {
        command
            .arg("--extern")
            .arg(format!("{name}={}", built.join(format!("lib{name}.rlib")).display()));
    }
    run(command.arg(place.join(PROGRAM)).arg("-o").arg(&program))?;
    Ok(program)
}

fn compare(place: &Path, program: &Path) -> Result<()> {
    let printed = output(Command::new(program).current_dir(place))?;
    let expected = read(&place.join(EXPECTED))?;
    let first = printed.lines().next().unwrap_or_default();
    if first != expected {
        bail!("{}: the program prints {first:?}, the page shows {expected:?}", place.display());
    }
    Ok(())
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}
