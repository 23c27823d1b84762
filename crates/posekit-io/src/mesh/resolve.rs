//! From the name of a mesh in a robot's file to a file on disk.

use std::fs;
use std::path::{Path, PathBuf};

use crate::limits::Limits;
use crate::text;

/// The largest `package.xml` that is read \[bytes\]; real ones have a few thousand.
const LONGEST_MANIFEST: usize = 1 << 20;

/// The file that a robot's file in `folder` names, if it exists.
///
/// - A path is relative to the folder, or absolute; a leading `file://` is dropped.
/// - `package://NAME/PATH` (and `model://`) is searched in the folder and in those above it: in one whose `package.xml` has the name, in one of that
///   name, and in a folder of that name beside them. The innermost that has the file is used.
///
/// # Degenerate cases
/// Names of other schemes, such as `http://`, have no file.
#[must_use]
pub fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    if let Some(rest) = name.strip_prefix("package://").or_else(|| name.strip_prefix("model://")) {
        let (package, path) = rest.split_once('/')?;
        return find_in_package(folder, package, path);
    }
    let path = name.strip_prefix("file://").unwrap_or(name);
    if path.contains("://") {
        return None;
    }
    is_file(folder.join(path))
}

fn find_in_package(folder: &Path, package: &str, path: &str) -> Option<PathBuf> {
    // A name such as `..` is not a package.
    if package.is_empty() || package.starts_with('.') {
        return None;
    }
    let folder = folder.canonicalize().ok()?;
    folder.ancestors().find_map(|above| {
        let is_package =
            above.file_name().is_some_and(|name| name == package) || has_manifest(above, package);
        let here = if is_package { is_file(above.join(path)) } else { None };
        here.or_else(|| is_file(above.join(package).join(path)))
    })
}

fn is_file(path: PathBuf) -> Option<PathBuf> {
    fs::metadata(&path).is_ok_and(|found| found.is_file()).then_some(path)
}

/// Whether a folder has a `package.xml` with this name.
fn has_manifest(folder: &Path, package: &str) -> bool {
    let limits = Limits::default().with_file_bytes(LONGEST_MANIFEST);
    let path = folder.join("package.xml");
    if is_file(path.clone()).is_none() {
        return false;
    }
    let text = text::read_text(&path, &limits).unwrap_or_default();
    let name = text.split_once("<name>").and_then(|(_, rest)| rest.split_once("</name>"));
    name.is_some_and(|(name, _)| name.trim() == package)
}
