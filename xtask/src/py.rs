//! The Python package: built, installed in an environment of its own, and tested there.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::process::{output, posekit, run, timed, works};

/// The virtual environment of the tests.
const ENVIRONMENT: &str = "target/python";
/// A list of the packages that the tests need, and one of those that they are compared with.
const NEEDED: &str = "python/tests/requirements.txt";
const PEERS: &str = "python/tests/requirements-peers.txt";
/// The engine of `posekit.ray`.
const RAY: &str = "python/tests/requirements-ray.txt";
/// Of this package one file is compared, so that what it depends on, `PyTorch` among others, is left out.
const ALONE: &str = "lerobot==0.4.4";

const PYTHON: &str = if cfg!(windows) { "python" } else { "python3" };

/// Builds and tests the package; `ray` tests its jobs on a Ray of several processes; `peers` also tests against other packages for robots, which are large; `wheel` builds a
/// wheel for other machines and tests it in an empty environment.
///
/// # Errors
/// When a build or a test fails.
pub(crate) fn py(arguments: &[String]) -> Result<()> {
    match arguments {
        [] => test(),
        [word] if word == "ray" => ray(),
        [word] if word == "peers" => peers(),
        [word] if word == "wheel" => wheel(),
        _ => bail!("usage: cargo xtask py [ray|peers|wheel]"),
    }
}

/// The gate: the package in an environment, types, tests, and the table of cases.
///
/// # Errors
/// When a build or a test fails.
pub(crate) fn test() -> Result<()> {
    let python = environment()?;
    install(&python)?;
    tool(&python, "ruff", &["check", "--quiet", "python"])?;
    tool(&python, "ruff", &["format", "--quiet", "--check", "python"])?;
    tool(&python, "mypy", &["--no-error-summary", "python/posekit"])?;
    // From another folder, so that the package is found where it is installed.
    run(module(&python, "mypy.stubtest")
        .args(["--concise", "--ignore-disjoint-bases", "posekit._posekit"])
        .current_dir(ENVIRONMENT))?;
    pytest(&python, &[])
}

/// What the gate lacks here.
pub(crate) fn missing() -> Option<String> {
    let is_new = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
    (!works(Command::new(PYTHON).args(["-c", is_new])))
        .then(|| "no Python 3.10 or later with venv and pip".to_owned())
}

/// The gate of the jobs on Ray.
///
/// # Errors
/// When the build or a test fails.
pub(crate) fn ray() -> Result<()> {
    let python = environment()?;
    install_list(&python, RAY)?;
    install(&python)?;
    pytest(&python, &["-m", "ray"])
}

/// What that gate lacks here.
pub(crate) fn ray_missing() -> Option<String> {
    if cfg!(windows) {
        return Some("the jobs on Ray need Linux or macOS".to_owned());
    }
    let is_installed = Path::new(ENVIRONMENT).join("installed-requirements-ray.txt").is_file();
    let wanted = || {
        let mut pip = Command::new(PYTHON);
        pip.args(["-m", "pip", "install", "--dry-run", "--quiet", "--retries", "1", "--no-deps"]);
        works(pip.args(["--ignore-installed", "--only-binary", ":all:", "-r", RAY]))
    };
    missing().or_else(|| {
        (!is_installed && !wanted()).then(|| "no wheel of Ray for this Python".to_owned())
    })
}

/// The tests against peers.
fn peers() -> Result<()> {
    let python = environment()?;
    install_list(&python, PEERS)?;
    install_package(&python, &["--no-deps", ALONE])?;
    install(&python)?;
    pytest(&python, &["-m", "peers"])
}

/// A wheel for all Linux machines of the last years, built with the linker of zig; on other systems for the system itself. It is installed into an empty environment
/// and the tests are run there.
fn wheel() -> Result<()> {
    let python = environment()?;
    // `pip install .` writes into `target/wheels`.
    let folder = "target/python-wheel";
    if fs::exists(folder)? {
        fs::remove_dir_all(folder)?;
    }
    let mut command = module(&python, "maturin");
    command.args(["build", "--release", "--locked", "--out", folder]);
    if cfg!(target_os = "linux") {
        install_package(&python, &["ziglang"])?;
        command.args(["--zig", "--compatibility", "manylinux2014"]);
        // maturin looks for zig in the Python that it finds.
        command.env("PATH", path_with(&python)?);
    }
    run(&mut command)?;
    let wheels: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    let [wheel] = wheels.as_slice() else { bail!("{folder} has {} files", wheels.len()) };
    println!("{}", wheel.display());
    let empty = "target/python-empty";
    run(Command::new(PYTHON).args(["-m", "venv", "--clear", empty]))?;
    let python = interpreter(empty)?;
    // Whatever else is on this machine, it must not be needed.
    run(module(&python, "pip").args(["install", "--quiet", "--only-binary", ":all:"]).arg(wheel))?;
    let found =
        output(Command::new(&python).args(["-c", "import posekit; print(posekit.__version__)"]))?;
    println!("posekit {} in an environment with nothing but NumPy", found.trim());
    install_list(&python, NEEDED)?;
    pytest(&python, &[])
}

/// The Python of the environment, with what the tests need.
fn environment() -> Result<PathBuf> {
    let folder = Path::new(ENVIRONMENT);
    if !folder.is_dir() {
        timed(&format!("Making {ENVIRONMENT}"), || {
            run(Command::new(PYTHON).args(["-m", "venv", ENVIRONMENT]))
        })?;
    }
    let python = interpreter(ENVIRONMENT)?;
    install_list(&python, NEEDED)?;
    Ok(python)
}

fn interpreter(environment: &str) -> Result<PathBuf> {
    let name = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
    // A path that holds in other folders; a link is not followed, as it makes the environment.
    Ok(std::path::absolute(Path::new(environment).join(name))?)
}

/// Installs a list of packages, unless that has been done.
fn install_list(python: &Path, list: &str) -> Result<()> {
    let wanted = fs::read_to_string(list).with_context(|| list.to_owned())?;
    let name = list.rsplit('/').next().unwrap_or(list);
    let bin = python.parent().context("the interpreter is in a folder")?;
    let stamp = bin.with_file_name(format!("installed-{name}"));
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    timed(&format!("Installing {list}"), || install_package(python, &["-r", list]))?;
    fs::write(stamp, wanted).context("cannot write into the environment")
}

fn install_package(python: &Path, arguments: &[&str]) -> Result<()> {
    run(module(python, "pip")
        .args(["install", "--quiet", "--disable-pip-version-check"])
        .args(arguments))
}

/// Builds the package as `pip install .` does, but in the profile of the tests, which are slow only where they are compiled, and installs it.
fn install(python: &Path) -> Result<()> {
    timed("Building the Python package", || {
        let mut command = module(python, "pip");
        command.args(["install", "--quiet", "--disable-pip-version-check", "--force-reinstall"]);
        command.args(["--no-deps", "--no-build-isolation"]);
        command.args(["--config-settings", "build-args=--profile dev --locked", "."]);
        // maturin is a program of the environment.
        run(command.env("PATH", path_with(python)?))
    })
}

fn path_with(python: &Path) -> Result<std::ffi::OsString> {
    let own = python.parent().context("the interpreter is in a folder")?.to_path_buf();
    let others = env::var_os("PATH").unwrap_or_default();
    Ok(env::join_paths([own].into_iter().chain(env::split_paths(&others)))?)
}

fn pytest(python: &Path, arguments: &[&str]) -> Result<()> {
    // The answers of the command must have the same bits.
    posekit()?;
    run(module(python, "pytest").args(["--quiet", "python/tests"]).args(arguments))
}

fn tool(python: &Path, name: &str, arguments: &[&str]) -> Result<()> {
    run(module(python, name).args(arguments))
}

fn module(python: &Path, name: &str) -> Command {
    let mut command = Command::new(python);
    command.args(["-m", name]);
    command
}
