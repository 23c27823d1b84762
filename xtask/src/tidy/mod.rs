//! The repository's own rules, which a compiler does not check.
//!
//! Every rule is a function from text to findings, which can be tested on strings; this file reads
//! the tracked files.

mod arrows;
mod citations;
mod links;
mod map;
mod text;

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::process::output;

/// A violation of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    /// Line, from 1; 0 for the whole file.
    line: usize,
    /// The fault, and what to do.
    message: String,
}

impl Finding {
    fn new(line: usize, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}

/// A text file of the repository.
struct File {
    path: String,
    text: String,
}

/// Applies every rule to every file that git tracks or would track.
///
/// # Errors
/// When a rule is broken, after printing all findings; when git does not answer.
pub(crate) fn tidy() -> Result<()> {
    let files = text_files()?;
    let mut count = 0;
    for file in &files {
        for finding in findings(file, &files) {
            count += 1;
            match finding.line {
                0 => println!("{}: {}", file.path, finding.message),
                line => println!("{}:{line}: {}", file.path, finding.message),
            }
        }
    }
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let architecture = text_of(&files, "ARCHITECTURE.md").unwrap_or_default();
    for finding in map::missing_rooms(architecture, &paths) {
        count += 1;
        println!("ARCHITECTURE.md: {}", finding.message);
    }
    if count > 0 {
        bail!("{count} findings");
    }
    println!("{} files are tidy", files.len());
    Ok(())
}

fn findings(file: &File, files: &[File]) -> Vec<Finding> {
    let mut found = Vec::new();
    if file.path.ends_with(".rs") {
        found.extend(text::missing_module_doc(&file.text));
        found.extend(text::too_long(&file.text));
        found.extend(arrows::forbidden(&file.path, &file.text));
        let references = text_of(files, "docs/references.md").unwrap_or_default();
        found.extend(citations::unknown(&file.text, references));
    }
    if file.path.ends_with(".md") {
        found.extend(links::broken(&file.path, &file.text, Path::exists));
    }
    if !is_lock_file(&file.path) {
        found.extend(text::machine_paths(&file.text));
        found.extend(text::registry_hosts(&file.text));
        found.extend(text::unfinished_marks(&file.text));
    }
    found
}

fn is_lock_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.ends_with(".lock") || name == "package-lock.json"
}

fn text_of<'a>(files: &'a [File], path: &str) -> Option<&'a str> {
    files.iter().find(|file| file.path == path).map(|file| file.text.as_str())
}

/// Tracked files and those that a `git add .` would track, in git's order, without binary ones.
fn text_files() -> Result<Vec<File>> {
    let listing = output(Command::new("git").args([
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ]))?;
    let mut files = Vec::new();
    for path in listing.split('\0').filter(|path| !path.is_empty()) {
        // A file deleted in the working tree is still listed, and a binary one has no lines.
        let Ok(bytes) = fs::read(path) else { continue };
        if let Ok(text) = String::from_utf8(bytes) {
            files.push(File { path: path.to_owned(), text });
        }
    }
    if files.is_empty() {
        bail!("git lists no files: tidy needs a checkout");
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lock_files_are_known_by_name() {
        for path in ["Cargo.lock", "bench/Cargo.lock", "studio/package-lock.json"] {
            assert!(is_lock_file(path), "{path} is a lock file");
        }
        assert!(!is_lock_file("xtask/src/lock.rs"), "only the ending counts");
    }
}
