//! `posekit info`: what motion files hold.

use posekit::motion::{Clip, find_legs};

use super::record::{ClipRecord, LegRecord};
use super::run::{Made, Task, or_json};
use crate::failure::Result;
use crate::motion_args::InfoArgs;

/// Reads and tells.
pub(crate) fn info(args: &InfoArgs) -> Result<()> {
    let task = Task {
        command: "info",
        input: &args.input,
        batch: &args.batch,
        output: None,
        extension: None,
        options: String::new(),
    };
    let outcome = task.run(|opened, _| {
        let mut record = opened.record();
        for index in opened.chosen()? {
            record.clips.push(match opened.file.clip(index) {
                Ok(clip) => with_skeleton(opened.clip_record(index, clip), clip),
                Err(error) => opened.failed_clip(index, &error),
            });
        }
        Ok(Made { record, outputs: Vec::new(), view: () })
    });
    or_json(outcome, "info", args.batch.json)?.tell(&task, false)
}

/// A record with the joints and the legs.
fn with_skeleton(record: ClipRecord, clip: &Clip) -> ClipRecord {
    let skeleton = clip.skeleton();
    let names = (0..skeleton.n_joints()).map(|joint| skeleton.name(joint).to_owned());
    let legs = find_legs(clip);
    ClipRecord {
        joint_names: names.collect(),
        legs: legs.legs.iter().map(|leg| LegRecord::of(leg, skeleton)).collect(),
        legs_reason: legs.reason,
        candidates: legs.candidates,
        ..record
    }
}
