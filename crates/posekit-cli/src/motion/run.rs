//! What all motion commands share: processing one file or a folder of them, from the input to the report.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::child;
use super::completed::CompletedFiles;
use super::files::{Input, Inputs, folder_of_motions, inputs, is_folder, outputs};
use super::record::{FileRecord, NOT_BEGUN, SCHEMA};
use super::source::{Opened, Output, Source};
use super::words;
use crate::failure::{Failure, Result};
use crate::motion_args::{BatchArgs, MotionInput, MotionOutput};
use crate::output::{no_folder, note, print, write_bytes};
use crate::parallel;
use crate::stop::Stop;

/// The largest number of warnings printed; others are only counted.
const MOST_WARNINGS: usize = 20;

/// A task for one file or a folder.
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
    /// All options on which the output depends.
    pub(super) options: String,
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
    pub(super) is_folder: bool,
    /// The failure of a single file.
    failure: Option<Failure>,
}

impl Task<'_> {
    /// Processes the file, or all files of the folder.
    ///
    /// - `work`: processes an opened file, given the path of its output
    pub(super) fn run<V: Send>(
        &self,
        work: impl Fn(&Opened<'_>, &Path) -> Result<Made<V>> + Sync,
    ) -> Result<Outcome<V>> {
        let output = self.output.map(|output| output.output.as_path());
        if let Some(only) = &self.batch.only {
            return self.part(only, &work);
        }
        let found = inputs(&self.input.file, output)?;
        let places = match output {
            Some(output) => outputs(&found, output, self.extension)?,
            None => vec![Ok(PathBuf::new()); found.files.len()],
        };
        if found.folder.is_none() {
            if self.batch.timeout.is_some() {
                return Err(Failure::usage("--timeout applies to a folder, not to a single file"));
            }
            let (input, place) = (&found.files[0], places[0].clone().unwrap_or_default());
            // A path that ends in a separator is created as a folder; any other missing folder is an error before any work.
            let is_file = output.is_some_and(|output| !is_folder(output));
            if let Some(failure) = is_file.then(|| no_folder(&place)).flatten() {
                return Err(failure);
            }
            return Ok(match self.one(input, &place, None, &work) {
                Ok((record, view)) => {
                    Outcome { files: vec![record], view, is_folder: false, failure: None }
                }
                Err(failure) => {
                    let record = FileRecord::failed(&input.name, failure.message(&input.name));
                    Outcome {
                        files: vec![record],
                        view: None,
                        is_folder: false,
                        failure: Some(failure),
                    }
                }
            });
        }
        self.folder(&found, &places, &work)
    }

    fn folder<V: Send>(
        &self,
        found: &Inputs,
        places: &[core::result::Result<PathBuf, String>],
        work: &(impl Fn(&Opened<'_>, &Path) -> Result<Made<V>> + Sync),
    ) -> Result<Outcome<V>> {
        if found.files.is_empty() {
            let message = "there are no motions (.bvh, .glb, .gltf, .vrm, .vrma) in the folder";
            return Err(Failure::in_file(message, self.input.file.display()));
        }
        if let Some(output) = self.output {
            fs::create_dir_all(&output.output).map_err(|error| {
                Failure::output(format!(
                    "cannot make the folder: {error}: {}",
                    output.output.display()
                ))
            })?;
        }
        let completed = self.completed();
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
            match self.batch.timeout {
                Some(seconds) => {
                    let motions = self.spreads.then(|| folder_of_motions(place));
                    let folders = [
                        place.parent(),
                        completed.as_ref().map(CompletedFiles::folder),
                        motions.as_deref(),
                    ];
                    let folders: Vec<&Path> = folders.into_iter().flatten().collect();
                    child::run(input, seconds, &folders, &stop)
                }
                None => self.record(input, place, completed.as_ref(), work),
            }
        };
        let done = parallel::run(&items, threads, &stop, |(input, _)| input.name.clone(), one);
        let record = |(result, input): (Option<_>, &Input)| {
            let result = result.unwrap_or_else(|| Err(NOT_BEGUN.to_owned()));
            result.unwrap_or_else(|message| FileRecord::failed(&input.name, message))
        };
        let files = done.into_iter().zip(&found.files).map(record).collect();
        Ok(Outcome { files, view: None, is_folder: true, failure: None })
    }

    /// Processes one file of a folder on behalf of another process, and prints the result for it.
    fn part<V: Send>(
        &self,
        only: &Path,
        work: &(impl Fn(&Opened<'_>, &Path) -> Result<Made<V>> + Sync),
    ) -> Result<Outcome<V>> {
        let input = Input::within(&self.input.file, only.to_owned());
        let output = self.output.map(|output| output.output.as_path());
        let inputs = Inputs { files: vec![input], folder: Some(self.input.file.clone()) };
        let place = match output {
            Some(output) => outputs(&inputs, output, self.extension)?.remove(0).unwrap_or_default(),
            None => PathBuf::new(),
        };
        let completed = self.completed();
        let one = |input: &Input| self.record(input, &place, completed.as_ref(), work);
        let name = |input: &Input| input.name.clone();
        let done = parallel::run(&inputs.files, 1, &Stop::default(), name, one).pop().flatten();
        let record = done.unwrap_or_else(|| Err(NOT_BEGUN.to_owned()));
        let record =
            record.unwrap_or_else(|message| FileRecord::failed(&inputs.files[0].name, message));
        print(&serde_json::to_string(&record).map_err(Failure::output)?)?;
        Err(Failure::part_done())
    }

    fn completed(&self) -> Option<CompletedFiles> {
        self.output.map(|output| CompletedFiles::of(&output.output))
    }

    /// The result for one file of a folder.
    fn record<V>(
        &self,
        input: &Input,
        place: &Path,
        completed: Option<&CompletedFiles>,
        work: &impl Fn(&Opened<'_>, &Path) -> Result<Made<V>>,
    ) -> FileRecord {
        match self.one(input, place, completed, work) {
            Ok((record, _)) => record,
            Err(failure) => FileRecord::failed(&input.name, failure.message(&input.name)),
        }
    }

    /// Processes one file, from its bytes to its output.
    fn one<V>(
        &self,
        input: &Input,
        place: &Path,
        completed: Option<&CompletedFiles>,
        work: &impl Fn(&Opened<'_>, &Path) -> Result<Made<V>>,
    ) -> Result<(FileRecord, Option<V>)> {
        let source = Source::read(input, self.input)?;
        let version = [env!("CARGO_PKG_VERSION"), self.command, &self.options];
        let key = || version.iter().fold(source.digest(), |sum, part| sum.with(part.as_bytes()));
        let key = completed.map(|completed| (completed, key()));
        let is_forced = self.output.is_some_and(|output| output.force);
        if let Some((completed, key)) = key.filter(|_| !is_forced)
            && let Some(record) = completed.done(place, key)
        {
            return Ok((FileRecord { skipped: true, ..record }, None));
        }
        let refused = (self.output.is_some() && !is_forced && !self.spreads)
            .then(|| refuse_to_replace(input, place, completed))
            .and_then(Result::err);
        if completed.is_none()
            && let Some(failure) = refused
        {
            return Err(failure);
        }
        let opened = source.open()?;
        // In a folder names are kept, even if the extension does not match the content.
        if self.output.is_some() && self.extension.is_none() && completed.is_none() {
            opened.fits(place)?;
        }
        let Made { mut record, outputs, view } = work(&opened, place)?;
        let is_ours = completed.is_some_and(|completed| completed.is_ours(place));
        if !is_forced && !is_ours && self.spreads {
            // In a folder, an existing file with the same bytes may be from a run that was killed.
            let mut others = outputs.iter().filter(|made| completed.is_none() || !is_there(made));
            others.try_for_each(|made| refuse_to_replace(input, &made.path, None))?;
        } else if !is_forced && !is_ours && refused.is_none() {
            refuse_to_replace_beside(&outputs)?;
        }
        // In a folder, an existing file with the same bytes may be from a run that was killed before it could record it.
        if let Some(failure) = refused
            && !outputs.iter().all(is_there)
        {
            return Err(failure);
        }
        if self.output.is_some() && !record.is_failed() {
            let is_one = outputs.last().is_none_or(|made| made.path == place);
            let folder = outputs.last().and_then(|made| made.path.parent());
            record.output = folder.map(|folder| self.shown(if is_one { place } else { folder }));
            let is_in_folder = self.output.is_some_and(|output| is_folder(&output.output));
            if let Some(folder) = folder.filter(|_| completed.is_some() || is_in_folder) {
                fs::create_dir_all(folder).map_err(|error| {
                    Failure::output(format!(
                        "cannot make the folder: {error}: {}",
                        folder.display()
                    ))
                })?;
            }
            for output in &outputs {
                // Files beside the output may need folders of their own, for example textures; the folder of the output itself must exist.
                let parent = output.path.parent().filter(|parent| Some(*parent) != folder);
                if let Some(parent) = parent.filter(|_| folder.is_some_and(Path::is_dir)) {
                    fs::create_dir_all(parent).map_err(|error| {
                        Failure::output(format!(
                            "cannot make the folder: {error}: {}",
                            parent.display()
                        ))
                    })?;
                }
                write_bytes(&output.path, &output.bytes)?;
            }
            if let Some((completed, key)) = key {
                completed.add(place, key, &outputs, &record);
            }
        }
        Ok((record, Some(view)))
    }

    /// The name of an output in reports: with `/` on every system, relative to the output folder.
    fn shown(&self, place: &Path) -> String {
        let base = self.output.map(|output| output.output.as_path());
        let base = base.filter(|_| self.input.file.is_dir());
        let relative = base.and_then(|base| place.strip_prefix(base).ok()).unwrap_or(place);
        relative.to_string_lossy().replace('\\', "/")
    }
}

/// Whether a file has the bytes that would be written.
fn is_there(output: &Output) -> bool {
    fs::read(&output.path).is_ok_and(|bytes| bytes == output.bytes)
}

/// Refuses to replace an existing file unless an earlier run wrote it.
fn refuse_to_replace(
    input: &Input,
    place: &Path,
    completed: Option<&CompletedFiles>,
) -> Result<()> {
    if !place.is_file() || completed.is_some_and(|completed| completed.is_ours(place)) {
        return Ok(());
    }
    let same = |path: &Path| path.canonicalize().ok();
    let what = if same(&input.path) == same(place) {
        "the output is the input"
    } else {
        "the output already exists"
    };
    Err(Failure::usage(format!("{what}; give --force to replace it: {}", place.display())))
}

/// The same for files beside the output, such as the buffers of a glTF.
fn refuse_to_replace_beside(outputs: &[Output]) -> Result<()> {
    let beside = &outputs[..outputs.len().saturating_sub(1)];
    let Some(other) = beside.iter().find(|other| other.path.is_file() && !is_there(other)) else {
        return Ok(());
    };
    Err(Failure::usage(format!(
        "a file beside the output already exists; give --force to replace it: {}",
        other.path.display()
    )))
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
            let json = Json { schema: SCHEMA, command, version, files: &self.files };
            let text = serde_json::to_string_pretty(&json).map_err(Failure::output)?;
            print(&(text + "\n"))?;
        } else if self.is_folder {
            let table = words::summary_table(&self.files);
            print(&format!("{table}\n{}\n", words::summary_line(&self.files)))?;
        } else {
            self.print_one()?;
        }
        self.warn();
        let is_json = task.batch.json;
        let failure = match self.failure {
            Some(failure) => failure,
            None if self.files.iter().any(FileRecord::is_left) => Failure::stopped(),
            None if self.files.iter().any(FileRecord::is_failed) => {
                if self.is_folder {
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
            note(&format!("warning: {warning}: {}", file.file));
        }
        let more = all().count().saturating_sub(MOST_WARNINGS);
        if more > 0 {
            note(&format!("… and {}; --json lists all", words::count(more, "warning")));
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
        print(&(words::file_text(file) + &written.unwrap_or_default()))
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
pub(super) fn or_json<T>(result: Result<T>, task: &str, is_json: bool) -> Result<T> {
    if let (Err(Failure { error: Some(error), .. }), true) = (&result, is_json) {
        let error = format!("{error:#}");
        let json = serde_json::json!({
            "schema": SCHEMA, "command": task, "version": env!("CARGO_PKG_VERSION"), "error": error,
        });
        print(&format!("{json:#}\n"))?;
    }
    result
}
