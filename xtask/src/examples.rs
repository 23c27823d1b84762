//! Runs every example of every crate, because examples are documentation.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::process::{build_as_tests, built, output};

/// Runs each `crates/*/examples/*.rs` with no arguments; it must end with success.
///
/// # Errors
/// When an example does not build or fails.
pub(crate) fn run_every_one() -> Result<()> {
    // All at once, so that they build side by side.
    build_as_tests(&["--examples"])?;
    let mut count = 0;
    for package in sorted_entries(Path::new("crates"), "")? {
        let directory = Path::new("crates").join(&package).join("examples");
        if !directory.is_dir() {
            continue;
        }
        for file in sorted_entries(&directory, ".rs")? {
            let name = file.trim_end_matches(".rs");
            output(&mut Command::new(built(&format!("examples/{name}"))?))
                .with_context(|| format!("example {name} of {package}"))?;
            count += 1;
        }
    }
    println!("{count} examples ran");
    Ok(())
}

fn sorted_entries(directory: &Path, ending: &str) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(directory).with_context(|| format!("{}", directory.display()))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(ending) {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}
