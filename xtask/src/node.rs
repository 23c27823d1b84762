//! Node and its packages, for the package for browsers, the studio and the comparison with JavaScript.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::process::{run, timed};

/// npm in a folder.
pub(crate) fn npm(folder: impl AsRef<Path>) -> Command {
    let mut command = Command::new(if cfg!(windows) { "npm.cmd" } else { "npm" });
    command.current_dir(folder);
    command
}

/// Installs the packages of a folder's lock file, unless they are installed. A copy of the lock file beside the packages identifies them.
///
/// # Errors
/// When there is no lock file, or npm fails.
pub(crate) fn install(folder: impl AsRef<Path>) -> Result<()> {
    let folder = folder.as_ref();
    let lock = fs::read(folder.join("package-lock.json"))
        .with_context(|| format!("cannot read the lock file in {}", folder.display()))?;
    let stamp = folder.join("node_modules/.installed-lock.json");
    if fs::read(&stamp).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    timed(&format!("Installing the Node packages of {}", folder.display()), || {
        run(npm(folder).args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]))
    })?;
    fs::write(stamp, lock).context("cannot write beside Node's packages")
}
