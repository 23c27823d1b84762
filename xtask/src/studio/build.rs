//! Builds the missing or outdated parts of the studio: the WebAssembly package, Node's packages, the page.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context as _, Result, bail};

use crate::process::{run, timed, works};
use crate::{node, wasm};

/// The source of the page, and its static folder.
const SOURCE: &str = "studio";
pub(super) const SITE: &str = "studio/dist";

/// Says that the page was built for an address of its own.
const BASED: &str = "studio/dist/base.txt";

/// The WebAssembly module, and its sources.
const MODULE: &str = "crates/posekit-wasm/pkg";
const MODULE_SOURCES: [&str; 7] = [
    "Cargo.toml",
    "Cargo.lock",
    "crates/posekit/src",
    "crates/posekit-motion/src",
    "crates/posekit-io/src",
    "crates/posekit-wasm",
    "tools/bindgen",
];

/// The sources of the page besides the module.
const SITE_SOURCES: [&str; 9] = [
    "testdata",
    "studio/tsconfig.json",
    "studio/src",
    "studio/public",
    "studio/build",
    "studio/index.html",
    "studio/package-lock.json",
    "studio/vite.config.ts",
    "Cargo.toml",
];

/// Builds all missing or outdated parts; a page that is published under an address is always built anew.
pub(super) fn everything(base: Option<&str>) -> Result<()> {
    check_node()?;
    module()?;
    packages()?;
    match base {
        Some(base) => {
            timed("Building the page", || run(vite().env("POSEKIT_BASE", base)))?;
            fs::write(BASED, base).context(BASED)
        }
        None => site(),
    }
}

/// The command that builds the page.
fn vite() -> Command {
    let mut command = tool("vite");
    command.arg("build");
    command
}

/// Checks for Node and npm in the versions that the page requires.
pub(super) fn check_node() -> Result<()> {
    if !works(Command::new("node").arg("--version")) || !works(npm().arg("--version")) {
        bail!(
            "node and npm are not installed: the studio needs Node 20.19 or later; see https://nodejs.org"
        );
    }
    Ok(())
}

/// npm, in the page's folder.
pub(super) fn npm() -> Command {
    node::npm(SOURCE)
}

/// A tool of the page's packages, in the page's folder.
pub(super) fn tool(name: &str) -> Command {
    let mut command = npm();
    command.args(["exec", "--no", "--", name]);
    command
}

/// The WebAssembly package, by its own job.
pub(super) fn module() -> Result<()> {
    if is_fresh(Path::new(MODULE), &MODULE_SOURCES) {
        return Ok(());
    }
    wasm::wasm(&[])
}

/// Node's packages.
pub(super) fn packages() -> Result<()> {
    node::install(SOURCE)
}

/// The static folder.
pub(super) fn site() -> Result<()> {
    let mut sources = SITE_SOURCES.to_vec();
    sources.push(MODULE);
    if is_fresh(Path::new(SITE), &sources) && !Path::new(BASED).exists() {
        return Ok(());
    }
    timed("Building the page", || run(&mut vite()))
}

/// Whether a folder exists and none of the sources has changed since its newest file was written.
fn is_fresh(made: &Path, sources: &[&str]) -> bool {
    let Some(made) = newest(made) else { return false };
    sources.iter().filter_map(|source| newest(Path::new(source))).all(|changed| changed <= made)
}

/// The time of the newest file at or below a path; `None` if there is none. Build products
/// (`pkg`, `target`, `node_modules`) do not count.
fn newest(path: &Path) -> Option<SystemTime> {
    let metadata = fs::metadata(path).ok()?;
    if metadata.is_file() {
        return metadata.modified().ok();
    }
    let entries = fs::read_dir(path).ok()?.flatten();
    entries
        .filter(|entry| {
            !["pkg", "target", "node_modules"].iter().any(|name| entry.file_name() == *name)
        })
        .filter_map(|entry| newest(&entry.path()))
        .max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::env;
    use std::time::Duration;

    fn write(path: &Path, age: u64) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "x").unwrap();
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
    }

    #[test]
    fn a_folder_is_fresh_until_a_source_changes() {
        let folder = env::temp_dir().join(format!("posekit-fresh-{}", std::process::id()));
        let source = folder.join("src");
        let made = folder.join("made");
        let fresh = || is_fresh(&made, &[source.to_str().unwrap()]);
        write(&source.join("deep/a.ts"), 60);
        assert!(!fresh(), "nothing made yet");
        write(&made.join("index.html"), 30);
        assert!(fresh(), "made after the source");
        write(&source.join("node_modules/b.js"), 0);
        assert!(fresh(), "packages are no source");
        write(&source.join("c.ts"), 0);
        assert!(!fresh(), "a source is newer");
        fs::remove_dir_all(folder).unwrap();
    }
}
