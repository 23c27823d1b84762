//! `posekit info`: the content of motion files.

use posekit_io::motion::MotionFile;
use posekit_motion::Clip;

use super::record::{ClipRecord, LegRecord};
use super::run::{Made, Task};
use super::source::clip_record;
use crate::failure::{Failure, Result};
use crate::motion_args::InfoArgs;

/// Reads and reports.
pub(crate) fn info(args: &InfoArgs) -> Result<()> {
    if args.srdf.is_some() {
        return Err(Failure::usage("--srdf applies to a robot, but this file is none"));
    }
    let task = Task {
        command: "info",
        input: &args.input,
        batch: &args.batch,
        output: None,
        extension: None,
        spreads: false,
    };
    let outcome = task.run(|opened, _| {
        let mut record = opened.record();
        for index in opened.chosen()? {
            record.clips.push(match opened.file.clip(index) {
                Ok(clip) => with_skeleton(opened.clip_record(index, clip), &opened.file, clip),
                Err(error) => opened.failed_clip(index, &error),
            });
        }
        // A character without a motion still has joints and legs.
        if let (0, Ok(rest)) = (opened.file.n_clips(), opened.file.rest()) {
            record.clips.push(ClipRecord {
                frames: 0,
                fps: None,
                ..with_skeleton(clip_record(&rest), &opened.file, &rest)
            });
        }
        Ok(Made { record, outputs: Vec::new(), view: () })
    })?;
    outcome.print(&task, false)
}

/// A record with the joints and the legs.
fn with_skeleton(record: ClipRecord, file: &MotionFile, clip: &Clip) -> ClipRecord {
    let skeleton = clip.skeleton();
    let names = (0..skeleton.n_joints()).map(|joint| skeleton.name(joint).to_owned());
    let legs = file.legs_of(clip);
    ClipRecord {
        joint_names: names.collect(),
        legs: legs.legs.iter().map(|leg| LegRecord::of(leg, skeleton)).collect(),
        legs_reason: legs.reason,
        candidates: legs.candidates,
        ..record
    }
}
