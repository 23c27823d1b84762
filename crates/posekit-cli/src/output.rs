//! Writing: to the terminal, where a closed pipe is no fault, and to files, which are never left half written.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

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

/// Prints one line to standard error; nothing can be done if that fails.
pub(crate) fn note(text: &str) {
    let mut out = anstream::stderr().lock();
    let _ = writeln!(out, "{text}");
}

/// Writes a file whole or not at all: into a file beside it, then renamed over it.
///
/// A path that is no ordinary file (a pipe, a terminal) is written to directly.
pub(crate) fn write_file(path: &Path, text: &str) -> Result<()> {
    let failed = |error: io::Error| {
        Failure::output(format!("cannot write the file: {error}: {}", path.display()))
    };
    if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return fs::write(path, text).map_err(failed);
    }
    let Some(name) = path.file_name() else {
        return Err(failed(io::Error::from(ErrorKind::InvalidFilename)));
    };
    // The process number keeps two runs that write the same file apart.
    let mut beside = name.to_owned();
    beside.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(beside);
    let written = File::create(&beside)
        .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&beside, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&beside);
        failed(error)
    })
}
