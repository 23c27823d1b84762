//! Compares the kinematics of MJCF files with MuJoCo's own, which is a Python package.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::process::{build_as_tests, built, run, timed, works};

/// The version of the expected results; the package depends on `NumPy`.
const MUJOCO: &str = "mujoco==4.0.0";

/// A virtual environment with MuJoCo.
const ENVIRONMENT: &str = "target/mujoco";

/// The repository's own models, compared in addition to those of the assets.
const OWN: &str = "testdata/mjcf";

const PROGRAM: &str = "mjcf_poses";

/// Compares every MJCF file of the repository and of the assets.
///
/// # Errors
/// When a file differs, or when the environment cannot be made.
pub(crate) fn compare() -> Result<()> {
    let assets = assets();
    let folders: Vec<PathBuf> =
        ["mjcf", "mesh_robots"].iter().map(|name| assets.join(name)).collect();
    let (folders, missing): (Vec<_>, Vec<_>) =
        folders.into_iter().partition(|folder| folder.is_dir());
    for folder in missing {
        println!("skipped, because it does not exist: {}", folder.display());
    }
    let python = environment()?;
    let program = program()?;
    run(Command::new(python)
        .arg("-W")
        .arg("ignore::UserWarning")
        .arg("tools/mujoco/compare.py")
        .arg(program)
        .arg(OWN)
        .args(folders))
}

/// What is missing for the comparison: Python, or the models.
pub(crate) fn missing() -> Option<String> {
    if !works(Command::new(PYTHON).arg("--version")) {
        return Some("no Python: install Python 3.10 or later, with venv and pip".to_owned());
    }
    no_assets()
}

/// What is missing if there are no robots and characters that others made.
pub(crate) fn no_assets() -> Option<String> {
    let assets = assets();
    let message = || format!("no assets at {}: set POSEKIT_ASSETS", assets.display());
    (!assets.join("mjcf").is_dir()).then(message)
}

const PYTHON: &str = if cfg!(windows) { "python" } else { "python3" };

/// The folder of shared assets, as the tests find it.
fn assets() -> PathBuf {
    env::var_os("POSEKIT_ASSETS").map_or_else(|| PathBuf::from("../shared/assets"), PathBuf::from)
}

/// The Python of the environment, which is created on the first run.
fn environment() -> Result<PathBuf> {
    let folder = Path::new(ENVIRONMENT);
    let python = folder.join(if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" });
    let stamp = folder.join("installed");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == MUJOCO) {
        return Ok(python);
    }
    timed(&format!("Installing {MUJOCO} into {ENVIRONMENT}"), || {
        run(Command::new(PYTHON).args(["-m", "venv", "--clear", ENVIRONMENT]))?;
        run(Command::new(&python).args(["-m", "pip", "install", "--quiet", MUJOCO]))
    })?;
    fs::write(stamp, MUJOCO).context("cannot write beside the environment")?;
    Ok(python)
}

/// The example that reads a model and prints poses, which the step of the examples has built.
fn program() -> Result<PathBuf> {
    build_as_tests(&["--example", PROGRAM])?;
    // Python searches the path for a program without a folder.
    fs::canonicalize(built(&format!("examples/{PROGRAM}"))?).context("cargo did not build it")
}
