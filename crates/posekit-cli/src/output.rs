//! Writing to the terminal, where a closed pipe is not an error, and to files, which are never left half written.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::failure::{Failure, Result};

/// Prints to standard output; colours are removed where there is no terminal.
///
/// A closed pipe (`posekit ... | head`) is a success.
pub(crate) fn print(text: &str) -> Result<()> {
    print_on(text).map(|_| ())
}

/// The same; false if the pipe is closed.
fn print_on(text: &str) -> Result<bool> {
    let mut out = anstream::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::output(format!("cannot write to standard output: {error}"))),
    }
}

/// Prints to standard error; failures are ignored. Control characters, which file names may contain, become `�`.
pub(crate) fn note(text: &str) {
    let mut out = anstream::stderr().lock();
    let _ = writeln!(out, "{}", plain(text));
}

/// Text without characters that could move the cursor or change colours.
pub(crate) fn plain(text: &str) -> String {
    let is_other = |c: char| c.is_control() && c != '\n' && c != '\t';
    text.chars().map(|c| if is_other(c) { '\u{FFFD}' } else { c }).collect()
}

/// Writes a text file whole or not at all; see [`Pending`].
pub(crate) fn write_file(path: &Path, text: &str) -> Result<()> {
    write_bytes(path, text.as_bytes())
}

/// Writes a file whole or not at all; see [`Pending`].
pub(crate) fn write_bytes(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut pending = Pending::begin(path)?;
    pending.write_all(bytes).map_err(|error| pending.failed(&error))?;
    pending.finish()
}

/// A file that is written whole or not at all: into a hidden file beside it, which is synced to disk before it is renamed, and removed if it is not finished.
///
/// A path that is not an ordinary file (a pipe, a terminal) is written to directly. A link is kept, and its target is written.
#[derive(Debug)]
pub(crate) struct Pending {
    file: File,
    /// The path as given.
    named: PathBuf,
    /// The temporary file, and its final path.
    beside: Option<(PathBuf, PathBuf)>,
}

impl Pending {
    /// Begins the file.
    pub(crate) fn begin(path: &Path) -> Result<Self> {
        // Process id and counter make the name unique among runs and threads; it is short, however long the file's name is.
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let named = path.to_owned();
        let end = end_of_links(path);
        if fs::metadata(&end).is_ok_and(|found| !found.is_file()) {
            let file = File::options().write(true).open(&end);
            let file = file.map_err(|error| cannot_write(path, &error))?;
            return Ok(Self { file, named, beside: None });
        }
        if end.file_name().is_none() {
            return Err(cannot_write(path, &io::Error::from(ErrorKind::InvalidFilename)));
        }
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let beginning = beginning_of_temporary(std::process::id());
        let beside = end.with_file_name(format!("{beginning}{count}.tmp"));
        let file = File::create(&beside).map_err(|error| cannot_write(path, &error))?;
        Ok(Self { file, named, beside: Some((beside, end)) })
    }

    /// Moves the file to its final path.
    pub(crate) fn finish(mut self) -> Result<()> {
        let Some((beside, end)) = self.beside.take() else { return Ok(()) };
        let placed = self.file.sync_all().and_then(|()| fs::rename(&beside, end));
        placed.map_err(|error| {
            let _ = fs::remove_file(&beside);
            self.failed(&error)
        })
    }

    /// The error of a failed write.
    pub(crate) fn failed(&self, error: &io::Error) -> Failure {
        cannot_write(&self.named, error)
    }
}

impl Write for Pending {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let Some((beside, _)) = &self.beside {
            let _ = fs::remove_file(beside);
        }
    }
}

/// Standard output, or a file in its place.
#[derive(Debug)]
pub(crate) enum Stream {
    Stdout,
    File(io::BufWriter<Pending>),
}

impl Stream {
    /// To a file, if there is one.
    pub(crate) fn to(path: Option<&Path>) -> Result<Self> {
        let begin = |path| Ok(Self::File(io::BufWriter::new(Pending::begin(path)?)));
        path.map_or(Ok(Self::Stdout), begin)
    }

    /// Writes; false once standard output is a closed pipe.
    pub(crate) fn write(&mut self, text: &str) -> Result<bool> {
        match self {
            Self::Stdout => print_on(text),
            Self::File(file) => {
                let written = file.write_all(text.as_bytes());
                written.map_err(|error| file.get_ref().failed(&error)).map(|()| true)
            }
        }
    }

    /// Moves a file to its final path.
    pub(crate) fn finish(self) -> Result<()> {
        let Self::File(mut file) = self else { return Ok(()) };
        file.flush().map_err(|error| file.get_ref().failed(&error))?;
        let parts = file.into_parts();
        parts.0.finish()
    }
}

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    let why = || Failure::output(format!("cannot write the file: {error}: {}", path.display()));
    no_folder(path).unwrap_or_else(why)
}

/// Refuses two names of one file: the second write would replace the first, or a file that is still to be read.
///
/// - `files`: a description of each, and its path, if it was given
pub(crate) fn refuse_same(files: &[(&str, Option<&PathBuf>)]) -> Result<()> {
    let place = |path: &PathBuf| path.canonicalize().or_else(|_| std::path::absolute(path)).ok();
    let mut known: Vec<(&str, Option<PathBuf>)> = Vec::new();
    for (what, path) in files.iter().filter_map(|(what, path)| Some((*what, (*path)?))) {
        let own = place(path);
        if let Some((first, _)) = known.iter().find(|(_, known)| *known == own) {
            let path = path.display();
            return Err(Failure::usage(format!("{first} and {what} are the same file: {path}")));
        }
        known.push((what, own));
    }
    Ok(())
}

/// The error of a file whose folder does not exist.
pub(crate) fn no_folder(path: &Path) -> Option<Failure> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty())?;
    (!folder.exists()).then(|| {
        let (folder, path) = (folder.display(), path.display());
        Failure::output(format!("there is no folder {folder}; create it first: {path}"))
    })
}

/// The final target of a link, existing or not; any other path itself.
fn end_of_links(path: &Path) -> PathBuf {
    /// The largest number of links followed, as in operating systems.
    const MOST: usize = 40;
    let mut end = path.to_owned();
    for _ in 0..MOST {
        let Ok(next) = fs::read_link(&end) else { break };
        end = end.parent().map_or_else(|| next.clone(), |folder| folder.join(&next));
    }
    end
}

/// The prefix of the names of files that a process has not finished writing.
pub(crate) fn beginning_of_temporary(process: u32) -> String {
    format!(".posekit-{process}-")
}

/// Writes a page, a picture or contacts; an existing file is replaced only if it is of the same kind.
///
/// - `is_one`: whether the content of a file is of that kind; an empty file counts as one
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
