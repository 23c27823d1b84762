//! Running other programs.

use std::env;
use std::ffi::OsString;
use std::io::{IsTerminal as _, stderr};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

/// The cargo that runs this program, so that the toolchain is the same.
pub(crate) fn cargo() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")))
}

/// A program that cargo has built beside this one: `posekit`, `examples/NAME`.
pub(crate) fn built(name: &str) -> Result<PathBuf> {
    let this = env::current_exe().context("cannot find this program")?;
    Ok(this.with_file_name(format!("{name}{}", env::consts::EXE_SUFFIX)))
}

/// Builds targets with the features that the tests are built with: of the whole workspace, and of what its tests need, as does an example. By themselves these
/// and all below them would be compiled anew.
///
/// - `targets`: besides the example `digest`, as for `cargo build`
pub(crate) fn build_as_tests(targets: &[&str]) -> Result<()> {
    let build = ["build", "--workspace", "--example", "digest"];
    run(cargo().args(build).args(targets).args(quiet_unless_seen()))
}

/// The command `posekit`.
pub(crate) fn posekit() -> Result<PathBuf> {
    build_as_tests(&["--bin", "posekit"])?;
    built("posekit")
}

/// Runs a command with its output on the terminal; a failure is an error that repeats the command.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot start {}", shown(command)))?;
    if !status.success() {
        bail!("{} failed ({status})", shown(command));
    }
    Ok(())
}

/// Runs a command and returns what it wrote to standard output; its errors stay on the terminal.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start {}", shown(command)))?;
    if !output.status.success() {
        bail!("{} failed ({})", shown(command), output.status);
    }
    String::from_utf8(output.stdout)
        .with_context(|| format!("the output of {} is not UTF-8", shown(command)))
}

/// Runs a long step after a line with its name, and prints its time.
pub(crate) fn timed<T>(name: &str, step: impl FnOnce() -> Result<T>) -> Result<T> {
    println!("{name} …");
    let start = Instant::now();
    let value = step()?;
    println!("  done in {:.1} s", start.elapsed().as_secs_f64());
    Ok(value)
}

/// `--quiet` for cargo if there is no terminal for its progress bar.
pub(crate) fn quiet_unless_seen() -> Option<&'static str> {
    (!stderr().is_terminal()).then_some("--quiet")
}

/// Whether a command can be started and succeeds, without showing its output.
pub(crate) fn works(command: &mut Command) -> bool {
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The standard output of a command; `None` if it cannot be started or fails, without a message.
pub(crate) fn quiet(command: &mut Command) -> Option<String> {
    let output = command.stderr(Stdio::null()).output().ok()?;
    let text = output.status.success().then_some(output.stdout)?;
    String::from_utf8(text).ok()
}

/// A command as one would type it; the program without its directory.
fn shown(command: &Command) -> String {
    let program = command.get_program().to_string_lossy();
    let mut text = program.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
    for argument in command.get_args() {
        text.push(' ');
        text.push_str(&argument.to_string_lossy());
    }
    text
}
