//! The conventions of every command for what it writes: the terminal, where a closed pipe is not an error, and files, which are never half written and never
//! replaced without `--force`.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use serde::Serialize;
use serde_json::ser::Formatter;
use tempfile::NamedTempFile;

use crate::args::Replace;
use crate::failure::{Failure, Result};

/// How much is printed, and where; set once, before a command runs.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Console {
    /// Nothing but errors and what was asked for as data.
    pub(crate) is_quiet: bool,
    /// Longer reports.
    pub(crate) is_verbose: bool,
    /// An output goes to standard output, so reports go to standard error.
    pub(crate) is_taken: bool,
}

static CONSOLE: OnceLock<Console> = OnceLock::new();

impl Console {
    /// Applies from now on.
    pub(crate) fn set(self) {
        let _ = CONSOLE.set(self);
    }

    pub(crate) fn get() -> Self {
        CONSOLE.get().copied().unwrap_or_default()
    }
}

/// Whether a path means standard input or standard output.
pub(crate) fn is_dash(path: &Path) -> bool {
    path == Path::new("-")
}

/// Prints a report for people, which `--quiet` omits.
pub(crate) fn report(text: &str) -> Result<()> {
    if Console::get().is_quiet { Ok(()) } else { print(text) }
}

/// Prints a report for programs. It goes to standard output unless an output does; colours are removed where there is no terminal.
///
/// A closed pipe (`posekit ... | head`) is a success.
pub(crate) fn print(text: &str) -> Result<()> {
    if Console::get().is_taken {
        let _ = anstream::stderr().lock().write_all(text.as_bytes());
        return Ok(());
    }
    print_on(text).map(|_| ())
}

/// Prints to standard output; false if the pipe is closed.
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

/// Prints a warning, which `--quiet` omits.
pub(crate) fn warn(text: &str) {
    if !Console::get().is_quiet {
        note(&format!("warning: {text}"));
    }
}

/// Text without characters that could move the cursor or change colours.
pub(crate) fn plain(text: &str) -> String {
    let is_other = |c: char| c.is_control() && c != '\n' && c != '\t';
    text.chars().map(|c| if is_other(c) { '\u{FFFD}' } else { c }).collect()
}

/// A number and what it counts.
pub(crate) fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// A value as indented JSON with the shortest numbers that read back the same: a whole number has no `.0`.
pub(crate) fn json(value: &impl Serialize) -> Result<String> {
    let text = serde_json::to_string_pretty(value).map_err(Failure::output)?;
    // Every value ends a line, and only a number can end in `.0`.
    Ok((text + "\n").replace(".0\n", "\n").replace(".0,\n", ",\n"))
}

/// The same in one line.
pub(crate) fn json_line(value: &impl Serialize) -> Result<String> {
    let mut bytes = Vec::new();
    let mut writer = serde_json::Serializer::with_formatter(&mut bytes, Shortest);
    value.serialize(&mut writer).map_err(Failure::output)?;
    bytes.push(b'\n');
    String::from_utf8(bytes).map_err(Failure::output)
}

struct Shortest;

impl Formatter for Shortest {
    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        let text = serde_json::to_string(&value)?;
        writer.write_all(text.strip_suffix(".0").unwrap_or(&text).as_bytes())
    }
}

/// The name of the input, and of the output, in messages.
pub(crate) const INPUT: &str = "the input";
pub(crate) const OUTPUT: &str = "the output";

/// Outputs that may replace an input, with `--force`: it is read before they are written.
const IN_PLACE: [[&str; 2]; 2] = [[OUTPUT, INPUT], ["--save-contacts", "--contacts"]];

/// The files of a command line, each with the name of its option.
#[derive(Debug, Default)]
pub(crate) struct Files<'a> {
    inputs: Vec<(&'static str, &'a Path)>,
    outputs: Vec<(&'static str, &'a Path)>,
    /// Existing outputs are replaced.
    force: bool,
}

impl<'a> Files<'a> {
    pub(crate) fn new(replace: Replace) -> Self {
        Self { force: replace.force, ..Self::default() }
    }

    /// Adds inputs.
    pub(crate) fn reads<P: AsRef<Path> + ?Sized + 'a>(
        mut self,
        name: &'static str,
        files: impl IntoIterator<Item = &'a P>,
    ) -> Self {
        self.inputs.extend(files.into_iter().map(|file| (name, file.as_ref())));
        self
    }

    /// Adds an output, if it was given.
    pub(crate) fn writes(mut self, name: &'static str, file: Option<&'a PathBuf>) -> Self {
        self.outputs.extend(file.map(|file| (name, file.as_path())));
        self
    }

    /// Whether an output goes to standard output.
    pub(crate) fn is_stdout_taken(&self) -> bool {
        self.outputs.iter().any(|(_, path)| is_dash(path))
    }

    /// Refuses outputs that would be lost or replace something, before any work.
    pub(crate) fn check(&self) -> Result<()> {
        one_dash("standard input", &self.inputs)?;
        one_dash("standard output", &self.outputs)?;
        let outputs = self.outputs.iter().filter(|(_, path)| !is_dash(path));
        for (index, (what, path)) in outputs.clone().enumerate() {
            let own = place(path);
            let is_same = |(_, other): &&(&str, &Path)| {
                !is_dash(other) && own.is_some() && place(other) == own
            };
            let input = self.inputs.iter().find(is_same);
            let other = outputs.clone().take(index).find(is_same);
            let name = |file: Option<&(&'static str, &Path)>| file.map(|(name, _)| *name);
            let lost = name(input).filter(|input| !IN_PLACE.contains(&[*what, *input]));
            if let Some(first) = lost.or(name(other)) {
                let path = path.display();
                return Err(Failure::usage(format!(
                    "{first} and {what} are the same file: {path}"
                )));
            }
            if path.is_file() && !self.force {
                let state = if input.is_some() { "is the input" } else { "already exists" };
                return Err(exists(&format!("{what} {state}"), path));
            }
            no_folder(path).map_or(Ok(()), Err)?;
        }
        Ok(())
    }
}

/// Refuses to replace a file.
pub(crate) fn exists(what: &str, path: &Path) -> Failure {
    Failure::usage(format!("{what}; give --force to replace it: {}", path.display()))
}

fn one_dash(what: &str, files: &[(&str, &Path)]) -> Result<()> {
    let mut dashes = files.iter().filter(|(_, path)| is_dash(path)).map(|(name, _)| *name);
    let (Some(first), Some(second)) = (dashes.next(), dashes.next()) else { return Ok(()) };
    Err(Failure::usage(format!("only one of {first} and {second} can be {what}")))
}

/// The absolute path of a file, without links if it exists.
fn place(path: &Path) -> Option<PathBuf> {
    path.canonicalize().or_else(|_| std::path::absolute(path)).ok()
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

/// Creates a folder and those above it.
pub(crate) fn make_folder(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(|error| {
        Failure::output(format!("cannot make the folder: {error}: {}", folder.display()))
    })
}

/// A file that is written whole or not at all: into a hidden file beside it, which is synced to disk before it is renamed, and removed if it is not finished.
///
/// `-` is standard output. A path that is not an ordinary file (a pipe, a terminal) is written to directly. A link is kept, and its target is written. The file
/// keeps the permissions of the one that it replaces.
#[derive(Debug)]
pub(crate) struct Pending {
    to: To,
    /// The path as given.
    named: PathBuf,
}

#[derive(Debug)]
enum To {
    /// Standard output; what follows a closed pipe is dropped.
    Stdout {
        is_closed: bool,
    },
    Direct(File),
    /// The temporary file, and its final path.
    Beside(NamedTempFile, PathBuf),
}

impl Pending {
    /// Begins the file.
    pub(crate) fn begin(path: &Path) -> Result<Self> {
        let to = if is_dash(path) { Ok(To::Stdout { is_closed: false }) } else { To::file(path) };
        let to = to.map_err(|error| cannot_write(path, &error))?;
        Ok(Self { to, named: path.to_owned() })
    }

    /// Moves the file to its final path.
    pub(crate) fn finish(self) -> Result<()> {
        let placed = match self.to {
            To::Stdout { .. } | To::Direct(_) => return Ok(()),
            To::Beside(file, end) => {
                file.as_file().sync_all().and_then(|()| Ok(file.persist(end).map(|_| ())?))
            }
        };
        placed.map_err(|error| cannot_write(&self.named, &error))
    }

    /// The error of a failed write.
    pub(crate) fn failed(&self, error: &io::Error) -> Failure {
        cannot_write(&self.named, error)
    }
}

impl To {
    fn file(path: &Path) -> io::Result<Self> {
        let end = end_of_links(path);
        let found = fs::metadata(&end).ok();
        if found.as_ref().is_some_and(|found| !found.is_file()) {
            return Ok(Self::Direct(File::options().write(true).open(&end)?));
        }
        if end.file_name().is_none() {
            return Err(ErrorKind::InvalidFilename.into());
        }
        let folder = end.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        collect_stale(folder);
        let begins = beginning_of_temporary(std::process::id());
        let mut builder = tempfile::Builder::new();
        builder.prefix(&begins).suffix(ENDING);
        #[cfg(unix)]
        let builder = builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder)?;
        if let Some(found) = found {
            file.as_file().set_permissions(found.permissions())?;
        }
        Ok(Self::Beside(file, end))
    }
}

impl Write for Pending {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.to {
            To::Stdout { is_closed: true } => Ok(bytes.len()),
            To::Stdout { is_closed } => {
                let mut out = io::stdout().lock();
                match out.write_all(bytes).and_then(|()| out.flush()) {
                    Err(error) if error.kind() == ErrorKind::BrokenPipe => *is_closed = true,
                    written => written?,
                }
                Ok(bytes.len())
            }
            To::Direct(file) => file.write(bytes),
            To::Beside(file, _) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.to {
            To::Stdout { .. } => Ok(()),
            To::Direct(file) => file.flush(),
            To::Beside(file, _) => file.flush(),
        }
    }
}

/// A text that is written piece by piece: to a file, or to standard output.
#[derive(Debug)]
pub(crate) enum Stream {
    Stdout,
    File(io::BufWriter<Pending>),
}

impl Stream {
    /// To a file, if there is one.
    pub(crate) fn to(path: Option<&Path>) -> Result<Self> {
        match path.filter(|path| !is_dash(path)) {
            Some(path) => Ok(Self::File(io::BufWriter::new(Pending::begin(path)?))),
            None => Ok(Self::Stdout),
        }
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
    format!("{BEGINNING}{process}-")
}

const BEGINNING: &str = ".posekit-";
const ENDING: &str = ".tmp";

/// Removes the unfinished files of processes that were killed, once for each folder: those that nobody has written to for a day.
fn collect_stale(folder: &Path) {
    const STALE: Duration = Duration::from_secs(24 * 3600);
    static SEEN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    if !SEEN.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned()) {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        let is_ours = name.strip_prefix(BEGINNING.as_bytes()).is_some_and(|rest| {
            let n = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            n > 0 && rest.get(n) == Some(&b'-') && rest.ends_with(ENDING.as_bytes())
        });
        let age = || entry.metadata().ok()?.modified().ok()?.elapsed().ok();
        if is_ours && age().is_some_and(|age| age > STALE) {
            let _ = fs::remove_file(entry.path());
        }
    }
}
