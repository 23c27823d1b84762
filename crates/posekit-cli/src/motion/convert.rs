//! `posekit convert`: motions from one form to another.

use posekit_io::gltf;
use posekit_io::motion::{to_bvh, to_glb, to_glb_within};

use super::record::ClipRecord;
use super::run::{Made, Task, or_json};
use super::source::Output;
use crate::failure::{Failure, Result};
use crate::motion_args::{ConvertArgs, Target};

/// Reads, makes a new file, writes it.
pub(crate) fn convert(args: &ConvertArgs) -> Result<()> {
    or_json(begin(args), "convert", args.batch.json)
}

fn begin(args: &ConvertArgs) -> Result<()> {
    let target = target(args)?;
    if args.keys.is_some() && target == Target::Bvh {
        return Err(Failure::usage("--keys is for GLB; a BVH has all its frames"));
    }
    let task = Task {
        command: "convert",
        input: &args.input,
        batch: &args.batch,
        output: Some(&args.output),
        extension: Some(target.extension()),
        options: format!("{target:?} {:?} {}", args.keys, args.input.key()),
    };
    let outcome = task.run(|opened, place| {
        let index = opened.only("a converted file")?;
        let clip = opened.clip(index)?;
        let name = opened.file.clip_name(index).map_or_else(
            || {
                place
                    .file_stem()
                    .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
            },
            str::to_owned,
        );
        let mut kept = None;
        let bytes = match (target, args.keys) {
            (Target::Bvh, _) => to_bvh(clip).map(|file| file.to_bytes()),
            (Target::Glb, None) => to_glb(clip, &name),
            (Target::Glb, Some(mm)) => to_glb_within(clip, &name, mm / 1e3).map(|thinned| {
                kept = Some([thinned.kept, thinned.of]);
                thinned.file
            }),
        };
        let bytes = bytes.map_err(|error| opened.failure(error))?;
        let mut record = opened.record();
        if target == Target::Glb && clip.metres_per_unit().is_none() {
            let message =
                "its unit of length is not known, and is written as a metre; give it with --unit";
            record.warnings.push(message.to_owned());
        }
        if target == Target::Glb && opened.file.gltf().is_some_and(gltf::Asset::has_meshes) {
            let message = "only joints and the motion are written; meshes and all else stay behind";
            record.warnings.push(message.to_owned());
        }
        record.clips.push(ClipRecord { kept_keys: kept, ..opened.clip_record(index, clip) });
        let outputs = vec![Output { path: place.to_owned(), bytes }];
        Ok(Made { record, outputs, view: () })
    })?;
    outcome.tell(&task, false)
}

/// The form that was asked for, else the one that the output's name ends in.
fn target(args: &ConvertArgs) -> Result<Target> {
    let named = args.output.output.extension().and_then(|ending| ending.to_str());
    let named = named.map(str::to_ascii_lowercase);
    match (args.to, named.as_deref()) {
        (Some(target), Some(other @ ("bvh" | "glb" | "gltf" | "vrm" | "vrma")))
            if other != target.extension() && !args.input.file.is_dir() =>
        {
            let to = target.extension();
            Err(Failure::usage(format!(
                "--to says {to}, and the output's name ends in .{other}: {}",
                args.output.output.display()
            )))
        }
        (Some(target), _) => Ok(target),
        (None, Some("bvh")) => Ok(Target::Bvh),
        (None, Some("glb")) => Ok(Target::Glb),
        _ => Err(Failure::usage(
            "what to convert to is not said: let the output's name end in .bvh or .glb, or give --to",
        )),
    }
}
