//! `posekit convert`: motions from one format to another.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use posekit_io::gltf;
use posekit_io::motion::{Format, to_bvh, to_glb, to_glb_within};
use posekit_motion::Clip;

use super::files::{folder_of_motions, is_folder};
use super::names::file_names;
use super::record::{ClipRecord, FileRecord};
use super::run::{Made, Task, or_json};
use super::source::{Opened, Output, clip_record};
use crate::failure::{Failure, Result};
use crate::motion_args::{ConvertArgs, Target};

/// The number of first bytes that identify a format.
const HEAD: u64 = 4096;

/// Reads, makes one or several new files, and writes them.
pub(crate) fn convert(args: &ConvertArgs) -> Result<()> {
    or_json(begin(args), "convert", args.batch.json)
}

fn begin(args: &ConvertArgs) -> Result<()> {
    let target = target(args)?;
    if args.keys.is_some() && target == Target::Bvh {
        return Err(Failure::usage("--keys applies to GLB only; a BVH has all frames"));
    }
    let task = Task {
        command: "convert",
        input: &args.input,
        batch: &args.batch,
        output: Some(&args.output),
        extension: Some(target.extension()),
        spreads: true,
        options: format!("{target:?} {:?} {}", args.keys, args.input.key()),
    };
    let outcome = task.run(|opened, place| {
        let mut record = opened.record();
        let chosen = opened.chosen()?;
        let outputs = match (chosen.as_slice(), folder(args, place)) {
            ([index], _) if target == Target::Bvh && opened.file.bvh().is_some() => {
                let clip = opened.clip(*index)?;
                record.clips.push(opened.clip_record(*index, clip));
                // From BVH to BVH the file is copied.
                let outputs = opened.written(&[(*index, clip.clone())], place, &mut record)?;
                record.clips.iter_mut().for_each(|clip| clip.changed_joints = None);
                outputs
            }
            ([], _) => vec![rest(opened, target, args, place, &mut record)?],
            ([index], _) if is_named_after_file(args, opened) => {
                let clip = opened.clip(*index)?;
                let title = title(opened, *index, place);
                let (bytes, converted) = converted(opened, *index, clip, &title, target, args)?;
                record.clips.push(converted);
                vec![Output { path: place.to_owned(), bytes }]
            }
            (all, Some(folder)) => spread(opened, all, target, args, &folder, &mut record),
            (_, None) => {
                opened.only("a converted file", ", or name a folder for all of them: -o OUT/")?;
                Vec::new()
            }
        };
        warn(opened, target, &mut record);
        Ok(Made { record, outputs, view: () })
    })?;
    outcome.print(&task, false)
}

/// Whether a single selected motion is written to a file named after its input: not in a folder if the input has other motions, which could be written there as well.
fn is_named_after_file(args: &ConvertArgs, opened: &Opened<'_>) -> bool {
    let is_in_folder = is_folder(&args.output.output) && !args.input.file.is_dir();
    opened.file.n_clips() == 1 || !is_in_folder
}

/// The output folder for several motions of a file, if the output is a folder.
fn folder(args: &ConvertArgs, place: &Path) -> Option<PathBuf> {
    let output = &args.output.output;
    if args.input.file.is_dir() {
        return Some(folder_of_motions(place));
    }
    is_folder(output).then(|| output.clone())
}

/// The name of a motion that has none in its file.
fn title(opened: &Opened<'_>, index: usize, place: &Path) -> String {
    let stem = || place.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let name = opened.file.clip_name(index).map(str::to_owned);
    name.or_else(stem).unwrap_or_default()
}

/// A motion in its new format, and its record.
fn converted(
    opened: &Opened<'_>,
    index: usize,
    clip: &Clip,
    title: &str,
    target: Target,
    args: &ConvertArgs,
) -> Result<(Vec<u8>, ClipRecord)> {
    // A GLB has at least one frame; without a motion it is the pose of the figure.
    let is_empty = clip.n_frames() == 0 && target == Target::Glb;
    let clip = if is_empty {
        Cow::Owned(opened.file.rest().map_err(|error| opened.failure(error))?)
    } else {
        Cow::Borrowed(clip)
    };
    let (bytes, kept_keys) =
        written(&clip, title, target, args).map_err(|error| opened.failure(error))?;
    Ok((bytes, ClipRecord { kept_keys, ..opened.clip_record(index, &clip) }))
}

/// The rest pose of a character without a motion, to which other programs apply motions.
fn rest(
    opened: &Opened<'_>,
    target: Target,
    args: &ConvertArgs,
    place: &Path,
    record: &mut FileRecord,
) -> Result<Output> {
    let clip = opened.file.rest().map_err(|error| opened.failure(error))?;
    let title = opened.title();
    let (bytes, _) = written(&clip, &title, target, args).map_err(|error| opened.failure(error))?;
    record.warnings.push(match target {
        Target::Bvh => "there is no motion in it; its rest pose is written as one frame".into(),
        Target::Glb => "there is no motion in it; its joints are written in the rest pose".into(),
    });
    record.clips.push(ClipRecord { frames: 0, fps: None, ..clip_record(&clip) });
    Ok(Output { path: place.to_owned(), bytes })
}

/// A file for each of several motions; one that cannot be written does not stop the others.
fn spread(
    opened: &Opened<'_>,
    chosen: &[usize],
    target: Target,
    args: &ConvertArgs,
    folder: &Path,
    record: &mut FileRecord,
) -> Vec<Output> {
    let titles: Vec<Option<&str>> =
        chosen.iter().map(|&index| opened.file.clip_name(index)).collect();
    let names = file_names(&titles, &opened.title(), target.extension());
    let mut outputs = Vec::with_capacity(chosen.len());
    for (&index, name) in chosen.iter().zip(names) {
        let path = folder.join(&name);
        let title = title(opened, index, &path);
        let made = opened
            .clip(index)
            .and_then(|clip| converted(opened, index, clip, &title, target, args));
        record.clips.push(match made {
            Ok((bytes, converted)) => {
                outputs.push(Output { path, bytes });
                ClipRecord { output: Some(name), ..converted }
            }
            Err(failure) => opened.clip_fault(index, &failure),
        });
    }
    outputs
}

/// A clip in its new format, with the number of its keys and of all keys.
fn written(
    clip: &Clip,
    title: &str,
    target: Target,
    args: &ConvertArgs,
) -> posekit_io::Result<(Vec<u8>, Option<[usize; 2]>)> {
    Ok(match (target, args.keys) {
        (Target::Bvh, _) => (to_bvh(clip)?.to_bytes(), None),
        (Target::Glb, None) => (to_glb(clip, title)?, None),
        (Target::Glb, Some(mm)) => {
            let thinned = to_glb_within(clip, title, mm / 1e3)?;
            (thinned.file, Some([thinned.kept, thinned.of]))
        }
    })
}

/// Warnings about what the new format lacks or represents differently.
fn warn(opened: &Opened<'_>, target: Target, record: &mut FileRecord) {
    if target == Target::Bvh {
        return;
    }
    if record.clips.iter().any(|clip| clip.error.is_none() && clip.metres_per_unit.is_none()) {
        let message =
            "its unit of length is unknown and is written as a metre; give it with --unit";
        record.warnings.push(message.to_owned());
    }
    if opened.file.gltf().is_some_and(gltf::Asset::has_meshes) {
        let message = "only joints and the motion are written, without meshes and all else";
        record.warnings.push(message.to_owned());
    }
}

/// The requested format, else that of the output's extension, else, for a folder, the one that the input does not have.
fn target(args: &ConvertArgs) -> Result<Target> {
    let output = &args.output.output;
    let is_one = !args.input.file.is_dir() && !is_folder(output);
    let named = output.extension().and_then(|ending| ending.to_str()).filter(|_| is_one);
    let named = named.map(str::to_ascii_lowercase);
    match (args.to, named.as_deref()) {
        (Some(target), Some(other @ ("bvh" | "glb" | "gltf" | "vrm" | "vrma")))
            if other != target.extension() =>
        {
            let to = target.extension();
            Err(Failure::usage(format!(
                "--to is {to}, but the name of the output ends in .{other}: {}",
                output.display()
            )))
        }
        (Some(target), _) => Ok(target),
        (None, Some("bvh")) => Ok(Target::Bvh),
        (None, Some("glb")) => Ok(Target::Glb),
        (None, _) if is_folder(output) && !args.input.file.is_dir() => {
            Ok(other_than(&args.input.file))
        }
        _ => Err(Failure::usage(
            "the output format is missing: the name of the output must end in .bvh or .glb, or give --to",
        )),
    }
}

/// The format that a file does not have; read errors are reported later.
fn other_than(file: &Path) -> Target {
    let mut head = Vec::new();
    let read = File::open(file).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    match read.ok().and_then(|_| Format::of(&head).ok()) {
        Some(Format::Bvh) => Target::Glb,
        _ => Target::Bvh,
    }
}
