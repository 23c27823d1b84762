//! Writing: to the terminal, where a closed pipe is no fault, and to files, which are never left half written.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::failure::{Failure, Result};

/// Prints to standard output; colours are removed where there is no terminal.
///
/// A reader that closes the pipe early (`posekit ... | head`) has what it wanted: that is a success.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::output(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints to standard error; nothing can be done if that fails. Control characters, which names of files may bring, become `�`.
pub(crate) fn note(text: &str) {
    let mut out = anstream::stderr().lock();
    let _ = writeln!(out, "{}", plain(text));
}

/// Text without characters that could move the cursor or change colours.
pub(crate) fn plain(text: &str) -> String {
    let is_other = |c: char| c.is_control() && c != '\n' && c != '\t';
    text.chars().map(|c| if is_other(c) { '\u{FFFD}' } else { c }).collect()
}

/// Writes a text file whole or not at all; see [`write_bytes`].
pub(crate) fn write_file(path: &Path, text: &str) -> Result<()> {
    write_bytes(path, text.as_bytes())
}

/// Writes a file whole or not at all: into a hidden file beside it, which is on the disk before it is renamed.
///
/// A path that is no ordinary file (a pipe, a terminal) is written to directly. A link stays one: what it leads to is written.
pub(crate) fn write_bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    // Process and count keep apart what runs and threads write at the same time; the name is short, however long the file's is.
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let failed = |error: io::Error| {
        let why = || Failure::output(format!("cannot write the file: {error}: {}", path.display()));
        no_folder(path).unwrap_or_else(why)
    };
    let end = end_of_links(path);
    let path = end.as_path();
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return fs::write(path, bytes).map_err(failed);
    }
    if path.file_name().is_none() {
        return Err(failed(io::Error::from(ErrorKind::InvalidFilename)));
    }
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let beginning = beginning_of_temporary(std::process::id());
    let beside = path.with_file_name(format!("{beginning}{count}.tmp"));
    let written = File::create(&beside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&beside, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&beside);
        failed(error)
    })
}

/// Why a file cannot be written where the folder that it is to lie in is not there.
pub(crate) fn no_folder(path: &Path) -> Option<Failure> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty())?;
    (!folder.exists()).then(|| {
        let (folder, path) = (folder.display(), path.display());
        Failure::output(format!("there is no folder {folder}; make it first: {path}"))
    })
}

/// What a link leads to in the end, be it there or not; a path that is no link is itself.
fn end_of_links(path: &Path) -> PathBuf {
    /// Links that lead to links, at most, as systems have it.
    const MOST: usize = 40;
    let mut end = path.to_owned();
    for _ in 0..MOST {
        let Ok(next) = fs::read_link(&end) else { break };
        end = end.parent().map_or_else(|| next.clone(), |folder| folder.join(&next));
    }
    end
}

/// What names of files begin with that a process has not finished writing.
pub(crate) fn beginning_of_temporary(process: u32) -> String {
    format!(".posekit-{process}-")
}

/// Writes a page, a picture or contacts; what is there is replaced only if it is one, too.
///
/// - `is_one`: whether what a file holds is; an empty one may be
pub(crate) fn write_again(path: &Path, text: &str, is_one: impl Fn(&[u8]) -> bool) -> Result<()> {
    refuse_other(path, is_one)?;
    write_file(path, text)
}

/// Refuses to replace what [`write_again`] would not.
pub(crate) fn refuse_other(path: &Path, is_one: impl Fn(&[u8]) -> bool) -> Result<()> {
    let may_go = |old: Vec<u8>| old.is_empty() || is_one(&old);
    if path.is_file() && !fs::read(path).is_ok_and(may_go) {
        return Err(Failure::usage(format!(
            "the existing file has other content and is not replaced: {}",
            path.display()
        )));
    }
    Ok(())
}
