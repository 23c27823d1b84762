//! A motion file that is open: its bytes' number, its motions, and what is written of it.

use std::fs;
use std::path::{Path, PathBuf};

use posekit_io::motion::{Format, MotionFile, MotionOptions, Written};
use posekit_io::{Limits, Warnings, gltf};
use posekit_motion::{Clip, TimeMap};

use super::files::Input;
use super::record::{ClipRecord, FileRecord, finite};
use crate::content::Digest;
use crate::failure::{Failure, Result};
use crate::motion_args::MotionInput;

/// A file and how it is to be read.
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

/// A file to be written.
#[derive(Debug)]
pub(super) struct Output {
    pub(super) path: PathBuf,
    pub(super) bytes: Vec<u8>,
}

impl<'a> Source<'a> {
    /// Reads the bytes of a file.
    pub(super) fn read(input: &'a Input, args: &'a MotionInput) -> Result<Self> {
        let failed = |message: String| Failure::in_file(message, &input.name);
        let limits = Limits::default();
        let size = fs::metadata(&input.path)
            .map_err(|error| failed(format!("cannot read the file: {error}")))?
            .len();
        if size > limits.motion_bytes as u64 {
            return Err(failed(format!("the file is larger than {} bytes", limits.motion_bytes)));
        }
        let bytes = fs::read(&input.path)
            .map_err(|error| failed(format!("cannot read the file: {error}")))?;
        Ok(Self { input, args, bytes })
    }

    /// A number for all that is read: the file, and the buffers beside it that it names.
    pub(super) fn digest(&self) -> Digest {
        let mut digest = Digest::new().with(&self.bytes);
        let folder = self.input.path.parent().unwrap_or(Path::new(""));
        for name in named_buffers(&self.bytes) {
            digest = digest.with(name.as_bytes());
            if let Ok(bytes) = fs::read(folder.join(name)) {
                digest = digest.with(&bytes);
            }
        }
        digest
    }

    /// Reads what the bytes say.
    pub(super) fn open(&'a self) -> Result<Opened<'a>> {
        let mut warnings = Warnings::new();
        let limits = Limits::default();
        let folder = self.input.path.parent().unwrap_or(Path::new(""));
        let (mut resolve, options) = (gltf::folder(folder, limits), self.options());
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
    /// The same file, read again, in which these joints can move on their parents.
    pub(super) fn with_movable(&self, joints: &[usize]) -> Result<Self> {
        let opened = self.source.open()?;
        Ok(Self { file: opened.file.with_movable(joints), ..opened })
    }
}

impl Opened<'_> {
    /// The motions that are asked for, by their numbers.
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

    /// What `--clip` takes: numbers and names.
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

    /// The one motion that is asked for.
    ///
    /// - `need`: what needs a single one
    /// - `or_what`: what else can be done where there are several
    pub(super) fn only(&self, need: &str, or_what: &str) -> Result<usize> {
        match self.chosen()?.as_slice() {
            [index] => Ok(*index),
            [] => Err(Failure::usage(format!(
                "{need} needs a motion, and there is none: {}",
                self.source.input.name
            ))),
            many => Err(Failure::usage(format!(
                "{need} is for one motion, and there are {}; choose with --clip ({}){}: {}",
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

    /// What the file is called, without its folder and ending.
    pub(super) fn title(&self) -> String {
        let stem = self.source.input.path.file_stem();
        stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
    }

    /// A fault of the file.
    pub(super) fn failure(&self, error: posekit_io::Error) -> Failure {
        Failure::in_file(in_options(&error), &self.source.input.name)
    }

    /// A motion that nothing came of.
    pub(super) fn failed_clip(&self, index: usize, error: &posekit_io::Error) -> ClipRecord {
        self.clip_error(index, in_options(error))
    }

    /// The same, by what was thrown.
    pub(super) fn clip_fault(&self, index: usize, failure: &Failure) -> ClipRecord {
        self.clip_error(index, failure.message(&self.source.input.name))
    }

    /// The same, by the reason.
    pub(super) fn clip_error(&self, index: usize, error: impl Into<String>) -> ClipRecord {
        let name = self.file.clip_name(index).map(str::to_owned);
        let number = self.number(index);
        ClipRecord { name, number, error: Some(error.into()), ..ClipRecord::default() }
    }

    /// What there is to say of the file before anything is done.
    pub(super) fn record(&self) -> FileRecord {
        FileRecord {
            file: self.source.input.name.clone(),
            format: self.file.format().to_string(),
            survey: if self.file.bvh().is_some() { self.file.survey() } else { String::new() },
            warnings: self.warnings.clone(),
            ..FileRecord::default()
        }
    }

    /// What there is to say of a motion before anything is done.
    pub(super) fn clip_record(&self, index: usize, clip: &Clip) -> ClipRecord {
        let name = self.file.clip_name(index).map(str::to_owned);
        let record = ClipRecord { name, number: self.number(index), ..clip_record(clip) };
        // One key says no rate.
        let has_rate = self.file.bvh().is_some() || clip.n_frames() > 1;
        ClipRecord { fps: record.fps.filter(|_| has_rate), ..record }
    }

    /// Which motion it is, from 1, where there are several.
    fn number(&self, index: usize) -> Option<usize> {
        (self.file.n_clips() > 1).then_some(index + 1)
    }

    /// A motion as a clip; where it cannot be had, nothing, and the record says why.
    pub(super) fn clip_or_fault(&self, index: usize, record: &mut FileRecord) -> Option<&Clip> {
        let clip = self.clip(index);
        clip.map_err(|failure| record.clips.push(self.clip_fault(index, &failure))).ok()
    }

    /// The files to be written, with edited motions in place of those that the file has.
    ///
    /// - `edits`: of the motions of the record that have no fault, in their order; the record learns how many joints were written anew for each
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

    /// The same for motions in another time.
    ///
    /// - `maps`: which time has become which, of each edit
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
        // What did not change is not written: of a glTF the others stay as they are, of a BVH all of the file does. Only what was mended in reading, or got
        // another rate, must be written in any case.
        let is_changed = |index: usize, clip: &Clip| {
            self.file.differs_from_text() || self.file.clip(index).is_ok_and(|read| read != clip)
        };
        let good = record.clips.iter_mut().filter(|clip| clip.error.is_none());
        let (mut changed, mut told) = (Vec::new(), Vec::new());
        for ((index, clip), record) in edits.iter().zip(good) {
            record.changed_joints = Some(0);
            if is_changed(*index, clip) {
                changed.push((*index, clip));
                told.push(record);
            }
        }
        let (mut bytes, mut beside) = (self.source.bytes.clone(), Vec::new());
        if !changed.is_empty() {
            let stem = output.file_stem().unwrap_or_default().to_string_lossy();
            let written = write(&self.file, &changed, &stem);
            let written = written.map_err(|error| self.failure(error))?;
            told.iter_mut().zip(written.joints).for_each(|(told, n)| told.changed_joints = Some(n));
            if written.loss != Default::default() {
                record.warnings.push(format!(
                    "what the channels of the file cannot hold is left out: {}",
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
        // The file comes last, so that it is never there without what it names.
        outputs.push(Output { path: output.to_owned(), bytes });
        Ok(outputs)
    }

    /// What is to be said of a direction up that is hardly known. Of one file it is told with all else that the file seems to mean.
    fn doubt_of_up(&self) -> Option<String> {
        if self.file.is_up_known() || !self.source.args.file.is_dir() {
            return None;
        }
        let up = self.file.clip(0).ok()?.up();
        let (axis, size) = [("x", up.x), ("y", up.y), ("z", up.z)]
            .into_iter()
            .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))?;
        let sign = if size < 0.0 { '-' } else { '+' };
        Some(format!(
            "which way is up is hardly known; {sign}{axis} is taken, and --up gives another"
        ))
    }

    /// A name that says something else than the content.
    fn odd_name(&self) -> Option<String> {
        let named = self.other_ending(&self.source.input.relative)?;
        let found = self.found();
        Some(format!("its name ends in .{named}, and its content is {found}; it is read as that"))
    }

    /// Refuses an output whose name says another format than the input has, in which it would be written.
    pub(super) fn fits(&self, output: &Path) -> Result<()> {
        let Some(named) = self.other_ending(output) else { return Ok(()) };
        let found = self.found();
        let instead = match named.as_str() {
            "gltf" | "vrm" | "vrma" => "let the output's name end as the input's format does",
            _ => "use `posekit convert` for another",
        };
        Err(Failure::usage(format!(
            "the command writes the format of its input, {found}, and the output's name ends in .{named}; {instead}: {}",
            output.display()
        )))
    }

    /// What a name ends in, in small letters, where that is a format that the content is not.
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

    /// What the content is, in words.
    fn found(&self) -> String {
        if gltf::is_binary(&self.source.bytes) {
            "a binary glTF".to_owned()
        } else {
            self.file.format().to_string()
        }
    }

    /// Copies of the files that a glTF names, buffers and images, for a folder that has them not: what is written names them still.
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
            warnings.push(format!("what it names is copied beside it: {}", copied.join(", ")));
        }
        if !missing.is_empty() {
            warnings.push(format!("it names what is not in its folder: {}", missing.join(", ")));
        }
        copies
    }
}

/// What a reader says, with the options of the command line in place of those of the library.
fn in_options(error: &posekit_io::Error) -> String {
    let words = [
        ("`Options::with_frame_time`", "--fps"),
        ("can be read leniently", "can be read with --lenient"),
    ];
    let text = match error {
        // No option raises a cap.
        posekit_io::Error::TooLarge { what, limit, .. } => {
            format!("{what} is more than {limit}, the most that is taken")
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

/// Frames per second: a whole number where the frame time was meant to be of one (`.03333`), and not of the rates of television just below it.
fn clean_rate(frame_time: f64) -> f64 {
    /// 29.97 is short for this part of 30.
    const TELEVISION: f64 = 1000.0 / 1001.0;
    let rate = 1.0 / frame_time;
    let whole = rate.round();
    let off = (rate - whole).abs();
    if off < 1e-3 * whole && off < (rate - TELEVISION * whole).abs() { whole } else { rate }
}

/// What the channels of a BVH could not hold.
fn loss_words(loss: &posekit_io::bvh::Loss, clip: &Clip) -> String {
    let unit =
        clip.metres_per_unit().map_or_else(|| " units".to_owned(), |unit| format!(" × {unit} m"));
    format!("at most {:.3}° and {:.4}{unit}", loss.angle.to_degrees(), loss.distance)
}

/// The buffers that a glTF text names, as it names them.
fn named_buffers(bytes: &[u8]) -> Vec<String> {
    let is_text = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    let parse = || serde_json::from_slice::<serde_json::Value>(bytes).ok();
    let Some(text) = is_text.then(parse).flatten() else { return Vec::new() };
    let entries = text.get("buffers").and_then(|list| list.as_array());
    let uris = entries.into_iter().flatten().filter_map(|entry| entry.get("uri")?.as_str());
    uris.filter(|uri| !uri.starts_with("data:")).map(|uri| uri.replace("%20", " ")).collect()
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
