//! `posekit convert`: motions from one format to another.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use posekit_io::gltf;
use posekit_io::motion::{Format, to_bvh, to_glb, to_glb_within};
use posekit_motion::Clip;

use super::files::{folder_of_motions, is_folder};
use super::names::file_names;
use super::record::{ClipRecord, FileRecord};
use super::run::{Made, Task};
use super::source::{Opened, Output, clip_record};
use crate::failure::{Failure, Result};
use crate::input::head;
use crate::motion_args::{ConvertArgs, Target};

/// Reads, makes one or several new files, and writes them.
pub(crate) fn convert(args: &ConvertArgs) -> Result<()> {
    let target = target(args)?;
    if args.keys.is_some() && target == Target::Bvh {
        return Err(Failure::usage("--keys applies to GLB only; a BVH has all frames"));
    }
    if args.to_unit.is_some() && target == Target::Glb {
        return Err(Failure::usage("--to-unit applies to BVH only; a GLB is in metres"));
    }
    let task = Task {
        command: "convert",
        input: &args.input,
        batch: &args.batch,
        output: Some(&args.output),
        extension: Some(target.extension()),
        spreads: true,
    };
    let outcome = task.run(|opened, place| {
        let mut record = opened.record();
        let chosen = opened.chosen()?;
        let outputs = match (chosen.as_slice(), folder(args, place)) {
            ([index], _) if target == Target::Bvh && opened.file.bvh().is_some() => {
                let clip = opened.clip(*index)?;
                record.clips.push(opened.clip_record(*index, clip));
                // From BVH to BVH the file is copied, except in another unit.
                if let (Some(file), Some(factor)) = (opened.file.bvh(), factor(clip, args)?) {
                    let file = file.scaled(factor).map_err(|error| opened.failure(error))?;
                    let outputs = vec![Output { path: place.to_owned(), bytes: file.to_bytes() }];
                    return Ok(Made { record, outputs, view: () });
                }
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
    let is_in_folder = is_folder(&args.output.output) && args.input.single().is_some();
    opened.file.n_clips() == 1 || !is_in_folder
}

/// The output folder for several motions of a file, if the output is a folder.
fn folder(args: &ConvertArgs, place: &Path) -> Option<PathBuf> {
    let output = &args.output.output;
    if args.input.single().is_none() {
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
    let (bytes, kept_keys) = written(opened, &clip, title, target, args)?;
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
    let (bytes, _) = written(opened, &clip, &title, target, args)?;
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

/// The factor from the unit of a clip to the one requested, unless they are the same.
fn factor(clip: &Clip, args: &ConvertArgs) -> Result<Option<f64>> {
    let Some(to) = args.to_unit else { return Ok(None) };
    let Some(from) = clip.metres_per_unit() else {
        return Err(Failure::usage("the unit of the input is unknown; give it with --unit"));
    };
    Ok(Some(from / to).filter(|factor| *factor != 1.0))
}

/// A clip in its new format, with the number of its keys and of all keys.
fn written(
    opened: &Opened<'_>,
    clip: &Clip,
    title: &str,
    target: Target,
    args: &ConvertArgs,
) -> Result<(Vec<u8>, Option<[usize; 2]>)> {
    let failed = |error| opened.failure(error);
    Ok(match (target, args.keys) {
        (Target::Bvh, _) => {
            let file = to_bvh(clip).map_err(failed)?;
            let factor = factor(clip, args)?.unwrap_or(1.0);
            (file.scaled(factor).map_err(failed)?.to_bytes(), None)
        }
        (Target::Glb, None) => (to_glb(clip, title).map_err(failed)?, None),
        (Target::Glb, Some(mm)) => {
            let thinned = to_glb_within(clip, title, mm / 1e3).map_err(failed)?;
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
    let is_one = args.input.single().is_some() && !is_folder(output);
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
        (None, _) if is_folder(output) && args.input.single().is_some() => {
            Ok(other_than(&args.input.files[0]))
        }
        _ => Err(Failure::usage(
            "the output format is missing: the name of the output must end in .bvh or .glb, or give --to",
        )),
    }
}

/// The format that a file does not have; read errors are reported later.
fn other_than(file: &Path) -> Target {
    match Format::of(&head(file)) {
        Ok(Format::Bvh) => Target::Glb,
        _ => Target::Bvh,
    }
}
