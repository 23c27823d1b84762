//! What all motion commands share: processing one file or several, from the input to the report.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::child;
use super::files::{Input, Inputs, folder_of_motions, inputs, outputs};
use super::record::{FileRecord, NOT_BEGUN, SCHEMA};
use super::source::{Opened, Output, Source};
use super::words;
use crate::failure::{Failure, Result};
use crate::motion_args::{BatchArgs, MotionInput, MotionOutput};
use crate::output::{
    count, exists, is_dash, json, make_folder, note, print, report, warn, write_bytes, write_file,
};
use crate::parallel;
use crate::stop::Stop;

/// The largest number of warnings printed; others are only counted.
const MOST_WARNINGS: usize = 20;

/// A task for one file or several.
pub(super) struct Task<'a> {
    /// The command's name.
    pub(super) command: &'static str,
    pub(super) input: &'a MotionInput,
    pub(super) batch: &'a BatchArgs,
    /// The output, if the command writes.
    pub(super) output: Option<&'a MotionOutput>,
    /// The extension of outputs; `None` keeps that of the input, and its format.
    pub(super) extension: Option<&'static str>,
    /// Whether a file with several motions may become several files in a folder.
    pub(super) spreads: bool,
}

/// The result for a file.
pub(super) struct Made<V> {
    pub(super) record: FileRecord,
    /// The files to write, the requested one last; all of them if there is one for each motion.
    pub(super) outputs: Vec<Output>,
    /// Further data for a page.
    pub(super) view: V,
}

/// The results for all files.
pub(super) struct Outcome<V> {
    /// In the order of the files.
    pub(super) files: Vec<FileRecord>,
    /// Further data for a page, for a single file.
    pub(super) view: Option<V>,
    pub(super) is_many: bool,
    /// The failure of a single file.
    failure: Option<Failure>,
}

impl Task<'_> {
    /// Processes the file, or all of several.
    ///
    /// - `work`: processes an opened file, given the path of its output
    pub(super) fn run<V: Send>(
        &self,
        work: impl Fn(&Opened<'_>, &Path) -> Result<Made<V>> + Sync,
    ) -> Result<Outcome<V>> {
        let output = self.output.map(|output| output.output.as_path());
        if let [name, path, place] = self.batch.only.as_slice() {
            let name = name.to_string_lossy().into_owned();
            return self.part(Input { name, ..Input::given(path) }, place, &work);
        }
        let found = inputs(&self.input.files, output)?;
        let places = match output {
            Some(output) => outputs(&found, output, self.extension)?,
            None => vec![Ok(PathBuf::new()); found.files.len()],
        };
        if found.is_many {
            return self.several(&found, &places, &work);
        }
        if self.batch.timeout.is_some() {
            return Err(Failure::usage("--timeout applies to a folder or several files"));
        }
        let (input, place) = (&found.files[0], places[0].clone().unwrap_or_default());
        let outcome =
            |record, view, failure| Outcome { files: vec![record], view, is_many: false, failure };
        Ok(match self.one(input, &place, &work) {
            Ok((record, view)) => outcome(record, view, None),
            Err(failure) => {
                let record = FileRecord::failed(&input.name, failure.message(&input.name));
                outcome(record, None, Some(failure))
            }
        })
    }

    fn several<V: Send>(
        &self,
        found: &Inputs,
        places: &[core::result::Result<PathBuf, String>],
        work: &(impl Fn(&Opened<'_>, &Path) -> Result<Made<V>> + Sync),
    ) -> Result<Outcome<V>> {
        if let Some(output) = self.output {
            make_folder(&output.output)?;
        }
        let items: Vec<_> = found.files.iter().zip(places).collect();
        let threads = self.batch.threads.map_or_else(parallel::cores, usize::from);
        let stop = Stop::listen();
        let one = |(input, place): &(&Input, &core::result::Result<PathBuf, String>)| {
            let place = match (&input.fault, place) {
                (Some(message), _) | (None, Err(message)) => {
                    return FileRecord::failed(&input.name, message);
                }
                (None, Ok(place)) => place,
            };
            let Some(seconds) = self.batch.timeout else { return self.record(input, place, work) };
            let motions = self.spreads.then(|| folder_of_motions(place));
            let folders: Vec<&Path> =
                place.parent().into_iter().chain(motions.as_deref()).collect();
            child::run(input, place, seconds, &folders, &stop)
        };
        let done = parallel::run(&items, threads, &stop, |(input, _)| input.name.clone(), one);
        let record = |(result, input): (Option<_>, &Input)| {
            let result = result.unwrap_or_else(|| Err(NOT_BEGUN.to_owned()));
            result.unwrap_or_else(|message| FileRecord::failed(&input.name, message))
        };
        let files = done.into_iter().zip(&found.files).map(record).collect();
        Ok(Outcome { files, view: None, is_many: true, failure: None })
    }

    /// Processes one of several files on behalf of another process, and prints the result for it.
    fn part<V: Send>(
        &self,
        input: Input,
        place: &Path,
        work: &(impl Fn(&Opened<'_>, &Path) -> Result<Made<V>> + Sync),
    ) -> Result<Outcome<V>> {
        let one = |input: &Input| self.record(input, place, work);
        let name = |input: &Input| input.name.clone();
        let inputs = [input];
        let done = parallel::run(&inputs, 1, &Stop::default(), name, one).pop().flatten();
        let record = done.unwrap_or_else(|| Err(NOT_BEGUN.to_owned()));
        let record = record.unwrap_or_else(|message| FileRecord::failed(&inputs[0].name, message));
        // Not a report: those may go to standard error.
        write_file(Path::new("-"), &serde_json::to_string(&record).map_err(Failure::output)?)?;
        Err(Failure::part_done())
    }

    /// The result for one of several files.
    fn record<V>(
        &self,
        input: &Input,
        place: &Path,
        work: &impl Fn(&Opened<'_>, &Path) -> Result<Made<V>>,
    ) -> FileRecord {
        match self.one(input, place, work) {
            Ok((record, _)) => record,
            Err(failure) => FileRecord::failed(&input.name, failure.message(&input.name)),
        }
    }

    /// Processes one file, from its bytes to its output.
    fn one<V>(
        &self,
        input: &Input,
        place: &Path,
        work: &impl Fn(&Opened<'_>, &Path) -> Result<Made<V>>,
    ) -> Result<(FileRecord, Option<V>)> {
        let is_single = self.output.is_some() && self.input.single().is_some();
        if is_single && !self.spreads {
            self.refuse_to_replace(input, place, place)?;
        }
        let source = Source::read(input, self.input)?;
        let opened = source.open()?;
        // In a folder names are kept, even if the extension does not match the content.
        if is_single && self.extension.is_none() {
            opened.fits(place)?;
        }
        let Made { mut record, outputs, view } = work(&opened, place)?;
        if self.output.is_some() && !record.is_failed() {
            self.write(input, place, &outputs, &mut record)?;
        }
        Ok((record, Some(view)))
    }

    /// Writes the outputs of a file, unless all of them are there already, from an earlier run.
    fn write(
        &self,
        input: &Input,
        place: &Path,
        outputs: &[Output],
        record: &mut FileRecord,
    ) -> Result<()> {
        let Some(last) = outputs.last() else { return Ok(()) };
        if is_dash(&last.path) {
            if outputs.len() > 1 {
                let message = "other files go with the output; give the name of a file, or convert it to .glb first";
                return Err(Failure::in_file(message, &input.name));
            }
            return write_bytes(&last.path, &last.bytes);
        }
        let folder = last.path.parent().unwrap_or(Path::new(""));
        record.output = Some(self.shown(if last.path == place { place } else { folder }));
        let is_forced = self.output.is_some_and(|output| output.replace.force);
        record.skipped = !is_forced && outputs.iter().all(is_there);
        if record.skipped {
            return Ok(());
        }
        for output in outputs.iter().filter(|output| !is_there(output)) {
            self.refuse_to_replace(input, place, &output.path)?;
        }
        for Output { path, bytes } in outputs {
            // Files beside the output may need folders of their own, for example textures.
            path.parent().map_or(Ok(()), make_folder)?;
            write_bytes(path, bytes)?;
        }
        Ok(())
    }

    /// Refuses to replace an existing file without `--force`.
    fn refuse_to_replace(&self, input: &Input, place: &Path, path: &Path) -> Result<()> {
        if !path.is_file() || self.output.is_some_and(|output| output.replace.force) {
            return Ok(());
        }
        let real = |path: &Path| path.canonicalize().ok();
        Err(exists(
            match () {
                () if real(&input.path) == real(path) => "the output is the input",
                () if path == place || self.spreads => "the output already exists",
                () => "a file beside the output already exists",
            },
            path,
        ))
    }

    /// The name of an output in reports: with `/` on every system, relative to the output folder.
    fn shown(&self, place: &Path) -> String {
        let base = self.output.map(|output| output.output.as_path());
        let base = base.filter(|_| self.input.single().is_none());
        let relative = base.and_then(|base| place.strip_prefix(base).ok()).unwrap_or(place);
        relative.to_string_lossy().replace('\\', "/")
    }
}

/// Whether a file has the bytes that would be written. Only an ordinary file is read: a device may have no end.
fn is_there(output: &Output) -> bool {
    let size = output.bytes.len() as u64;
    let is_as_long = |found: fs::Metadata| found.is_file() && found.len() == size;
    fs::metadata(&output.path).is_ok_and(is_as_long)
        && fs::read(&output.path).is_ok_and(|bytes| bytes == output.bytes)
}

/// What `--json` prints.
#[derive(Serialize)]
struct Json<'a> {
    schema: &'static str,
    command: &'static str,
    version: &'static str,
    files: &'a [FileRecord],
}

impl<V> Outcome<V> {
    /// Prints the results and returns the result of the command.
    ///
    /// - `has_findings`: whether a check found something
    pub(super) fn print(self, task: &Task<'_>, has_findings: bool) -> Result<()> {
        if task.batch.json {
            let (command, version) = (task.command, env!("CARGO_PKG_VERSION"));
            print(&json(&Json { schema: SCHEMA, command, version, files: &self.files })?)?;
        } else if self.is_many {
            let table = words::summary_table(&self.files);
            report(&format!("{table}\n{}\n", words::summary_line(&self.files)))?;
        } else {
            self.print_one()?;
        }
        self.warn();
        let is_json = task.batch.json;
        let failure = match self.failure {
            Some(failure) => failure,
            None if self.files.iter().any(FileRecord::is_left) => Failure::stopped(),
            None if self.files.iter().any(FileRecord::is_failed) => {
                if self.is_many {
                    Failure::some_failed()
                } else {
                    self.first_failure()
                }
            }
            None if self.files.iter().any(FileRecord::has_failed_motion) => Failure::some_failed(),
            None if has_findings => Failure::findings(),
            None => return Ok(()),
        };
        Err(if is_json { reported(failure) } else { failure })
    }

    /// The first warnings, each with its file.
    fn warn(&self) {
        let all = || {
            self.files.iter().flat_map(|file| file.warnings.iter().map(move |text| (file, text)))
        };
        for (file, warning) in all().take(MOST_WARNINGS) {
            warn(&format!("{warning}: {}", file.file));
        }
        let more = all().count().saturating_sub(MOST_WARNINGS);
        if more > 0 {
            warn(&format!("… and {}; --json lists all", count(more, "other")));
        }
    }

    fn print_one(&self) -> Result<()> {
        let Some(file) = self.files.first().filter(|_| self.failure.is_none()) else {
            return Ok(());
        };
        if file.is_failed() && file.clips.len() < 2 {
            return Ok(());
        }
        let written = file.output.as_ref().map(|output| format!("written: {output}\n"));
        report(&(words::file_text(file) + &written.unwrap_or_default()))
    }

    fn first_failure(&self) -> Failure {
        let file = self.files.first();
        let error = file.and_then(FileRecord::first_error).unwrap_or_default();
        Failure::in_file(error, file.map_or("", |file| &file.file))
    }
}

/// Prints a failure to standard error that standard output has reported already.
fn reported(failure: Failure) -> Failure {
    if let Some(error) = &failure.error {
        note(&format!("error: {error:#}"));
    }
    Failure { error: None, ..failure }
}

/// Prints a failure before any file as JSON, if JSON is requested.
pub(crate) fn or_json<T>(result: Result<T>, task: &str, is_json: bool) -> Result<T> {
    if let (Err(Failure { error: Some(error), .. }), true) = (&result, is_json) {
        let error = format!("{error:#}");
        print(&json(&serde_json::json!({
            "schema": SCHEMA, "command": task, "version": env!("CARGO_PKG_VERSION"), "error": error,
        }))?)?;
    }
    result
}
