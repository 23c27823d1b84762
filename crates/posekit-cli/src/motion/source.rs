//! An open motion file: its motions, and its edited output.

use std::fs;
use std::path::{Path, PathBuf};

use posekit_io::motion::{Format, MotionFile, MotionOptions, Written};
use posekit_io::{Limits, Warnings, gltf};
use posekit_motion::{Clip, TimeMap};

use super::files::Input;
use super::record::{ClipRecord, FileRecord, finite};
use crate::failure::{Failure, Result};
use crate::input::read_bytes;
use crate::motion_args::MotionInput;
use crate::output::is_dash;

/// A file and the options for reading it.
pub(super) struct Source<'a> {
    pub(super) input: &'a Input,
    args: &'a MotionInput,
    bytes: Vec<u8>,
}

/// A file that was read.
pub(super) struct Opened<'a> {
    source: &'a Source<'a>,
    pub(super) file: MotionFile,
    pub(super) warnings: Vec<String>,
}

/// Writes edited motions into a file; the text is the stem of new files beside it.
type Write<'w> = &'w dyn Fn(&MotionFile, &[(usize, &Clip)], &str) -> posekit_io::Result<Written>;

/// A file to write.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) path: PathBuf,
    pub(super) bytes: Vec<u8>,
}

impl<'a> Source<'a> {
    /// Reads the bytes of a file, as far as its beginning is that of a motion.
    pub(super) fn read(input: &'a Input, args: &'a MotionInput) -> Result<Self> {
        let failed = |message: String| Failure::in_file(message, &input.name);
        let bytes = read_bytes(&input.path, Limits::default().motion_bytes, |head| {
            Format::of(head).map(|_| ()).map_err(|error| in_options(&error))
        });
        Ok(Self { input, args, bytes: bytes.map_err(failed)? })
    }

    /// Parses the bytes.
    pub(super) fn open(&'a self) -> Result<Opened<'a>> {
        let mut warnings = Warnings::new();
        let limits = Limits::default();
        let folder = self.input.path.parent().unwrap_or(Path::new(""));
        let mut inside = gltf::folder(folder, limits);
        // Standard input has no folder.
        let mut resolve = |name: &str| {
            if is_dash(&self.input.path) { gltf::no_files(name) } else { inside(name) }
        };
        let options = self.options();
        let file =
            MotionFile::from_bytes(&self.bytes, &mut resolve, &options, &limits, &mut warnings)
                .map_err(|error| Failure::in_file(in_options(&error), &self.input.name))?;
        let mut opened = Opened { source: self, file, warnings: Vec::new() };
        opened.warnings.extend(warnings.iter().map(ToString::to_string));
        opened.warnings.extend(opened.odd_name());
        opened.warnings.extend(opened.doubt_of_up());
        Ok(opened)
    }

    fn options(&self) -> MotionOptions {
        let mut options = MotionOptions::default();
        options.fps = self.args.fps;
        options.up = self.args.up.map(crate::motion_args::Up::direction);
        options.metres_per_unit = self.args.unit;
        options.is_lenient = self.args.lenient;
        options.fills_gaps = self.args.lenient;
        options
    }
}

impl<'a> Opened<'a> {
    /// The same file, read again, with translations for these joints.
    pub(super) fn with_movable(&self, joints: &[usize]) -> Result<Self> {
        let opened = self.source.open()?;
        Ok(Self { file: opened.file.with_movable(joints), ..opened })
    }
}

impl Opened<'_> {
    /// The selected motions, by their indices.
    pub(super) fn chosen(&self) -> Result<Vec<usize>> {
        let all = 0..self.file.n_clips();
        let Some(word) = &self.source.args.clip else { return Ok(all.collect()) };
        let by_name = all.clone().find(|&index| self.file.clip_name(index) == Some(word));
        let by_number = || {
            let number: usize = word.parse().ok()?;
            number.checked_sub(1).filter(|index| all.contains(index))
        };
        by_name.or_else(by_number).map(|index| vec![index]).ok_or_else(|| {
            Failure::usage(format!(
                "there is no motion {word:?}; it has {}: {}",
                self.names(),
                self.source.input.name
            ))
        })
    }

    /// The values that `--clip` accepts: numbers and names.
    fn names(&self) -> String {
        const MOST: usize = 12;
        let n = self.file.n_clips();
        let name = |index: usize| match self.file.clip_name(index) {
            Some(name) => format!("{} {name:?}", index + 1),
            None => (index + 1).to_string(),
        };
        let names: Vec<String> = (0..n.min(MOST)).map(name).collect();
        match n {
            0 => "none".to_owned(),
            n if n > MOST => format!("{} and {} more", names.join(", "), n - MOST),
            _ => names.join(", "),
        }
    }

    /// The single selected motion.
    ///
    /// - `need`: what requires a single motion
    /// - `or_what`: an alternative if there are several
    pub(super) fn only(&self, need: &str, or_what: &str) -> Result<usize> {
        match self.chosen()?.as_slice() {
            [index] => Ok(*index),
            [] => Err(Failure::usage(format!(
                "{need} needs a motion, but there is none: {}",
                self.source.input.name
            ))),
            many => Err(Failure::usage(format!(
                "{need} needs a single motion, but there are {}; choose with --clip ({}){}: {}",
                many.len(),
                self.names(),
                or_what,
                self.source.input.name
            ))),
        }
    }

    /// A motion as a clip.
    pub(super) fn clip(&self, index: usize) -> Result<&Clip> {
        self.file.clip(index).map_err(|error| self.failure(error))
    }

    /// The name of the file, without its folder and extension.
    pub(super) fn title(&self) -> String {
        let stem = self.source.input.relative.file_stem();
        stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
    }

    /// A fault of the file.
    pub(super) fn failure(&self, error: posekit_io::Error) -> Failure {
        Failure::in_file(in_options(&error), &self.source.input.name)
    }

    /// The record of a motion that failed.
    pub(super) fn failed_clip(&self, index: usize, error: &posekit_io::Error) -> ClipRecord {
        self.clip_error(index, in_options(error))
    }

    /// The same, from an error.
    pub(super) fn clip_fault(&self, index: usize, failure: &Failure) -> ClipRecord {
        self.clip_error(index, failure.message(&self.source.input.name))
    }

    /// The same, from a reason.
    pub(super) fn clip_error(&self, index: usize, error: impl Into<String>) -> ClipRecord {
        let name = self.file.clip_name(index).map(str::to_owned);
        let number = self.number(index);
        ClipRecord { name, number, error: Some(error.into()), ..ClipRecord::default() }
    }

    /// The record of the file before processing.
    pub(super) fn record(&self) -> FileRecord {
        FileRecord {
            file: self.source.input.name.clone(),
            format: self.file.format().to_string(),
            survey: if self.file.bvh().is_some() { self.file.survey() } else { String::new() },
            warnings: self.warnings.clone(),
            ..FileRecord::default()
        }
    }

    /// The record of a motion before processing.
    pub(super) fn clip_record(&self, index: usize, clip: &Clip) -> ClipRecord {
        let name = self.file.clip_name(index).map(str::to_owned);
        let record = ClipRecord { name, number: self.number(index), ..clip_record(clip) };
        // A single key has no rate.
        let has_rate = self.file.bvh().is_some() || clip.n_frames() > 1;
        ClipRecord { fps: record.fps.filter(|_| has_rate), ..record }
    }

    /// The number of a motion, from 1, if there are several.
    fn number(&self, index: usize) -> Option<usize> {
        (self.file.n_clips() > 1).then_some(index + 1)
    }

    /// A motion as a clip; `None` if it cannot be read, with the reason in the record.
    pub(super) fn clip_or_fault(&self, index: usize, record: &mut FileRecord) -> Option<&Clip> {
        let clip = self.clip(index);
        clip.map_err(|failure| record.clips.push(self.clip_fault(index, &failure))).ok()
    }

    /// The files to write, with edited motions in place of those in the file.
    ///
    /// - `edits`: the edits of the motions without an error, in order; the number of changed joints is added to the record of each
    pub(super) fn written(
        &self,
        edits: &[(usize, Clip)],
        output: &Path,
        record: &mut FileRecord,
    ) -> Result<Vec<Output>> {
        let write = |file: &MotionFile, changed: &[(usize, &Clip)], stem: &str| {
            file.write_clips(changed, stem)
        };
        self.written_by(&write, edits, output, record)
    }

    /// The same for retimed motions.
    ///
    /// - `maps`: the map of times of each edit
    pub(super) fn written_in(
        &self,
        maps: &[TimeMap],
        edits: &[(usize, Clip)],
        output: &Path,
        record: &mut FileRecord,
    ) -> Result<Vec<Output>> {
        let write = |file: &MotionFile, changed: &[(usize, &Clip)], stem: &str| {
            let mapped = |&(index, clip): &(usize, _)| {
                let edit = edits.iter().position(|edit| edit.0 == index)?;
                Some((index, clip, maps.get(edit)?))
            };
            file.write_retimed(&changed.iter().filter_map(mapped).collect::<Vec<_>>(), stem)
        };
        self.written_by(&write, edits, output, record)
    }

    fn written_by(
        &self,
        write: Write<'_>,
        edits: &[(usize, Clip)],
        output: &Path,
        record: &mut FileRecord,
    ) -> Result<Vec<Output>> {
        // Unchanged motions are not written: a glTF keeps them, and an unchanged BVH is copied. A file that was repaired in reading, or has
        // another rate, must always be written.
        let is_changed = |index: usize, clip: &Clip| {
            self.file.differs_from_text() || self.file.clip(index).is_ok_and(|read| read != clip)
        };
        let good = record.clips.iter_mut().filter(|clip| clip.error.is_none());
        let (mut changed, mut changed_records) = (Vec::new(), Vec::new());
        for ((index, clip), record) in edits.iter().zip(good) {
            record.changed_joints = Some(0);
            if is_changed(*index, clip) {
                changed.push((*index, clip));
                changed_records.push(record);
            }
        }
        let (mut bytes, mut beside) = (self.source.bytes.clone(), Vec::new());
        if !changed.is_empty() {
            let stem = output.file_stem().unwrap_or_default().to_string_lossy();
            let written = write(&self.file, &changed, &stem);
            let written = written.map_err(|error| self.failure(error))?;
            for (record, n) in changed_records.iter_mut().zip(written.joints) {
                record.changed_joints = Some(n);
            }
            if written.loss != Default::default() {
                record.warnings.push(format!(
                    "the channels of the file cannot represent all of it; the loss is {}",
                    loss_words(&written.loss, changed[0].1)
                ));
            }
            (bytes, beside) = (written.file, written.beside);
        }
        let folder = output.parent().unwrap_or(Path::new(""));
        let mut outputs = self.named_beside(folder, &mut record.warnings);
        outputs.extend(
            beside
                .into_iter()
                .map(|file| Output { path: folder.join(file.path), bytes: file.bytes }),
        );
        // The file comes last, so that it never exists without the files that it names.
        outputs.push(Output { path: output.to_owned(), bytes });
        Ok(outputs)
    }

    /// A warning about an uncertain up axis. For a single file the other guesses report it.
    fn doubt_of_up(&self) -> Option<String> {
        if self.file.is_up_known() || self.source.args.single().is_some() {
            return None;
        }
        let up = self.file.clip(0).ok()?.up();
        let (axis, size) = [("x", up.x), ("y", up.y), ("z", up.z)]
            .into_iter()
            .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))?;
        let sign = if size < 0.0 { '-' } else { '+' };
        Some(format!("the up axis is uncertain; {sign}{axis} is used, and --up overrides it"))
    }

    /// A warning about an extension that does not match the content.
    fn odd_name(&self) -> Option<String> {
        let named = self.other_ending(&self.source.input.relative)?;
        let found = self.found();
        Some(format!(
            "its name ends in .{named}, but its content is {found}, and it is read as such"
        ))
    }

    /// Refuses an output whose extension does not match the format of the input, which it would have.
    pub(super) fn fits(&self, output: &Path) -> Result<()> {
        let Some(named) = self.other_ending(output) else { return Ok(()) };
        let found = self.found();
        let instead = match named.as_str() {
            "gltf" | "vrm" | "vrma" => "give the output the extension of that format",
            _ => "use `posekit convert` for another",
        };
        Err(Failure::usage(format!(
            "the command writes the format of its input, {found}, but the name of the output ends in .{named}; {instead}: {}",
            output.display()
        )))
    }

    /// The extension of a name, in lower case, if it is that of another format than the content's.
    fn other_ending(&self, name: &Path) -> Option<String> {
        let named = name.extension()?.to_str()?.to_ascii_lowercase();
        let is_binary = gltf::is_binary(&self.source.bytes);
        let fits = match named.as_str() {
            "bvh" => self.file.format() == Format::Bvh,
            "gltf" => self.file.bvh().is_none() && !is_binary,
            "glb" | "vrm" | "vrma" => is_binary,
            _ => true,
        };
        (!fits).then_some(named)
    }

    /// The format of the content, as text.
    fn found(&self) -> String {
        if gltf::is_binary(&self.source.bytes) {
            "a binary glTF".to_owned()
        } else {
            self.file.format().to_string()
        }
    }

    /// Copies of the files that a glTF names, buffers and images, for an output folder without them: the output still names them.
    fn named_beside(&self, folder: &Path, warnings: &mut Vec<String>) -> Vec<Output> {
        let own = self.source.input.path.parent().unwrap_or(Path::new(""));
        let mut inside = gltf::folder(own, Limits::default());
        let named = self.file.gltf().map_or(&[][..], gltf::Asset::files);
        let (mut copies, mut copied, mut missing) = (Vec::new(), Vec::new(), Vec::new());
        for name in named {
            let path = folder.join(name);
            match inside(name) {
                Ok(bytes) if fs::read(&path).is_ok_and(|there| there == bytes) => {}
                Ok(bytes) => {
                    copied.push(name.as_str());
                    copies.push(Output { path, bytes });
                }
                Err(_) if path.exists() => {}
                Err(_) => missing.push(name.as_str()),
            }
        }
        if !copied.is_empty() {
            warnings
                .push(format!("files that it names are copied beside it: {}", copied.join(", ")));
        }
        if !missing.is_empty() {
            warnings
                .push(format!("it names files that are not in its folder: {}", missing.join(", ")));
        }
        copies
    }
}

/// The message of a reader, with the options of the command line in place of those of the library.
fn in_options(error: &posekit_io::Error) -> String {
    let words = [
        ("`Options::with_frame_time`", "--fps"),
        ("can be read leniently", "can be read with --lenient"),
    ];
    let text = match error {
        // No option raises a limit.
        posekit_io::Error::TooLarge { what, limit, .. } => {
            format!("{what} is more than the limit of {limit}")
        }
        other => other.to_string(),
    };
    words.iter().fold(text, |text, (library, option)| text.replace(library, option))
}

/// Size, rate and world of a clip.
pub(super) fn clip_record(clip: &Clip) -> ClipRecord {
    ClipRecord {
        joints: clip.skeleton().n_joints(),
        frames: clip.n_frames(),
        fps: Some(clean_rate(clip.frame_time())),
        seconds: clip.duration(),
        start: clip.start(),
        up: clip.up().to_array(),
        metres_per_unit: clip.metres_per_unit().and_then(finite),
        ..ClipRecord::default()
    }
}

/// Frames per second: a whole number if the frame time is a rounded one (`.03333`), but not for the broadcast rates just below.
fn clean_rate(frame_time: f64) -> f64 {
    /// The exact ratio of 29.97 to 30.
    const TELEVISION: f64 = 1000.0 / 1001.0;
    let rate = 1.0 / frame_time;
    let whole = rate.round();
    let off = (rate - whole).abs();
    if off < 1e-3 * whole && off < (rate - TELEVISION * whole).abs() { whole } else { rate }
}

/// The part that the channels of a BVH could not represent.
fn loss_words(loss: &posekit_io::bvh::Loss, clip: &Clip) -> String {
    let unit =
        clip.metres_per_unit().map_or_else(|| " units".to_owned(), |unit| format!(" × {unit} m"));
    format!("at most {:.3}° and {:.4}{unit}", loss.angle.to_degrees(), loss.distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_told_as_they_were_meant() {
        for (frame_time, rate) in
            [(0.0333333, 30.0), (0.03333, 30.0), (0.00833, 120.0), (0.04, 25.0)]
        {
            assert_eq!(clean_rate(frame_time), rate, "{frame_time}");
        }
        for rate in [29.97, 59.94, 23.976, 30_000.0 / 1001.0, 12.5] {
            assert!((clean_rate(1.0 / rate) - rate).abs() < 1e-9, "{rate}");
        }
    }
}
