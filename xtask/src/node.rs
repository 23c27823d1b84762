//! Node and its packages, as the package for browsers, the studio and the comparison with JavaScript need them.

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

/// Installs exactly what a folder's lock file says, unless that has been done. A copy of the lock file beside the packages says which they are.
///
/// # Errors
/// When there is no lock file, or npm fails.
pub(crate) fn install(folder: impl AsRef<Path>) -> Result<()> {
    let folder = folder.as_ref();
    let wanted = fs::read(folder.join("package-lock.json"))
        .with_context(|| format!("cannot read the lock file in {}", folder.display()))?;
    let stamp = folder.join("node_modules/.installed-lock.json");
    if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    timed(&format!("Installing the Node packages of {}", folder.display()), || {
        run(npm(folder).args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]))
    })?;
    fs::write(stamp, wanted).context("cannot write beside Node's packages")
}
