//! The benchmark workspace, which has its own lock file because of the other libraries in it.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::process::{cargo, run};
use crate::wasm;

const MANIFEST: &str = "bench/Cargo.toml";

/// Runs the comparison with other libraries and the steps of the task solver; `race`, `steps` or `questions` (the criterion benches) as the first
/// argument runs only that, `arms` the comparison on robot arms and then every limb of the robots (`arms success` only these), `wasm` the comparison of WebAssembly,
/// `motion` that of tools that clean clips, `motion speed` only the speed of posekit's own, `motion hold` only random contacts. All other arguments are passed on.
///
/// # Errors
/// When the workspace does not build or the run fails.
pub(crate) fn bench(arguments: &[String]) -> Result<()> {
    match arguments.split_first() {
        Some((first, rest)) if first == "questions" => {
            run(cargo().args(["bench", "--manifest-path", MANIFEST, "--benches", "--"]).args(rest))
        }
        Some((first, rest)) if first == "steps" => steps(rest),
        Some((first, rest)) if first == "arms" => arms(rest),
        Some((first, _)) if first == "wasm" => web(),
        Some((first, rest)) if first == "motion" => program("motion", rest),
        Some((first, rest)) if first == "race" => program("compare", rest),
        Some(_) => program("compare", arguments),
        None => {
            program("compare", &[])?;
            steps(&[])
        }
    }
}

/// WebAssembly against native and against solvers in JavaScript.
fn web() -> Result<()> {
    const FOLDER: &str = "bench/wasm";
    const NATIVE: &str = "posekit-bench-native";
    wasm::wasm(&[])?;
    let manifest = format!("{FOLDER}/Cargo.toml");
    run(cargo().args(["build", "--quiet", "--release", "--locked", "--manifest-path", &manifest]))?;
    crate::node::install(Path::new(FOLDER))?;
    // The package is a link, and its dependencies are beside the link.
    let flags = ["--preserve-symlinks", "--preserve-symlinks-main"];
    let native = format!("{FOLDER}/target/release/{NATIVE}{}", env::consts::EXE_SUFFIX);
    run(Command::new("node").args(flags).args([&format!("{FOLDER}/compare.js"), &native]))
}

/// Steps of the task solver, after those of the Python libraries if available.
fn steps(arguments: &[String]) -> Result<()> {
    // Without arguments the tables are written, and then the times of the other libraries must be from this run.
    if arguments.is_empty() {
        run_python_peers()?;
    }
    program("steps", arguments)
}

/// Runs the Python libraries; reports it if they cannot be run, and continues.
fn run_python_peers() -> Result<()> {
    const RESULTS: &str = "bench/target/python/results.json";
    if env::var_os("POSEKIT_ASSETS").is_none() {
        println!(
            "the Python libraries are skipped: POSEKIT_ASSETS names no folder with their robots"
        );
        return forget(RESULTS);
    }
    run_python("bench/python/run.py", RESULTS)
}

fn run_python(script: &str, results: &str) -> Result<()> {
    forget(results)?;
    if let Err(error) = run(Command::new("python3").arg(script)) {
        println!("the Python libraries are skipped: {error:#}");
    }
    Ok(())
}

/// Removes results of an earlier run, which must not appear beside those of this one.
fn forget(results: &str) -> Result<()> {
    if fs::exists(results)? {
        fs::remove_file(results)?;
    }
    Ok(())
}

/// Arms, after those of the Python libraries if available, and then every limb.
fn arms(arguments: &[String]) -> Result<()> {
    if !arguments.is_empty() {
        return arms_program(arguments);
    }
    arms_program(&["targets".to_owned()])?;
    run_python("bench/python/arms/compare.py", "bench/target/arms/results.json")?;
    arms_program(&[])?;
    arms_program(&["success".to_owned()])
}

/// The program, with the library that needs cmake, if cmake is installed.
fn arms_program(arguments: &[String]) -> Result<()> {
    let mut command = cargo();
    command.args(["run", "--quiet", "--release", "--manifest-path", MANIFEST, "--bin", "arms"]);
    if Command::new("cmake").arg("--version").output().is_ok() {
        // Its copy of NLopt requires a policy that cmake 4 has dropped.
        command.args(["--features", "ik-geo"]).env("CMAKE_POLICY_VERSION_MINIMUM", "3.5");
    }
    run(command.arg("--").args(arguments))
}

fn program(name: &str, arguments: &[String]) -> Result<()> {
    run(cargo()
        .args(["run", "--quiet", "--release", "--manifest-path", MANIFEST])
        .args(["--bin", name, "--"])
        .args(arguments))
}
