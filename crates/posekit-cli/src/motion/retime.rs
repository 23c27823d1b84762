//! `posekit retime`: the same motion at another rate or with another duration.

use posekit_io::ContactsFile;
use posekit_motion::{Clip, Contact, Interpolation, Keyframes, TimeMap};

use super::contacts::{read_contacts, write_contacts};
use super::record::FileRecord;
use super::run::{Made, Task};
use crate::failure::{Failure, Result};
use crate::motion_args::RetimeArgs;
use crate::output::{plain, report};

/// The longest time between keys that are read as frames \[s\].
const LONGEST_FRAME: f64 = 1.001 / 12.0;

/// The tolerance for a time at a frame, in frames: rates are rounded in files.
const OFF_FRAME: f64 = 1e-3;

/// Reads, resamples and writes.
pub(crate) fn retime(args: &RetimeArgs) -> Result<()> {
    if args.contacts.is_some() && args.input.single().is_none() {
        return Err(Failure::usage("--contacts applies to a single file, not to several"));
    }
    let task = Task {
        command: "retime",
        input: &args.input,
        batch: &args.batch,
        output: Some(&args.output),
        extension: None,
        spreads: false,
    };
    let outcome = task.run(|opened, place| {
        let mut record = opened.record();
        let (mut edits, mut maps) = (Vec::new(), Vec::new());
        let mut is_between = false;
        let chosen = opened.chosen()?;
        let length = |&index: &usize| Some((index, n_frames(opened.clip(index).ok()?, args)?));
        let lengths: Vec<_> = chosen.iter().filter_map(length).collect();
        opened.file.check_lengths(&lengths).map_err(|error| opened.failure(error))?;
        for index in chosen {
            let retimed = opened.clip(index).and_then(|clip| Ok((clip, retimed(clip, args)?)));
            record.clips.push(match retimed {
                Ok((_, (clip, _))) if clip.n_frames() == 0 => {
                    opened.clip_error(index, "it has no frames")
                }
                Ok((before, (clip, map))) => {
                    if let (Some(from), Some(to)) = (&args.contacts, &args.save_contacts) {
                        opened.only("a file of contacts", "")?;
                        let contacts = read_contacts(from, before.skeleton())?;
                        let (moved, warning) = retimed_contacts(&contacts, &clip, &map);
                        record.warnings.extend(warning);
                        let file = ContactsFile::from_contacts(&moved, before.skeleton());
                        write_contacts(to, &file.map_err(|error| opened.failure(error))?)?;
                    }
                    is_between |= lies_between(before, &clip, &map);
                    let clip_record = opened.clip_record(index, &clip);
                    edits.push((index, clip));
                    maps.push(map);
                    clip_record
                }
                Err(failure) => opened.clip_fault(index, &failure),
            });
        }
        if opened.file.bvh().is_none() {
            record.warnings.extend(rare_keys(edits.iter().map(|(_, clip)| clip)));
        }
        let outputs = opened.written_in(&maps, &edits, place, &mut record)?;
        Ok(Made { record, outputs, view: is_between })
    })?;
    let is_done = !outcome.files.iter().any(FileRecord::is_failed);
    let is_between = outcome.view;
    outcome.print(&task, false)?;
    if let Some(saved) = args.save_contacts.as_ref().filter(|_| is_done && !args.batch.json) {
        let made = args.output.output.display();
        let saved = saved.display();
        let mut text = format!("contacts: {saved}\n");
        if is_between == Some(true) {
            text += &format!(
                "Feet that stood still may slide a little between the old frames. Hold them again:\n  posekit clean {made} --contacts {saved} -o OUT\n"
            );
        }
        report(&plain(&text))?;
    }
    Ok(())
}

/// Contacts in the new timing of a clip, and a warning if some are so short that they contain no frame: these would hold nothing, and be refused.
fn retimed_contacts(
    contacts: &[Contact],
    clip: &Clip,
    map: &TimeMap,
) -> (Vec<Contact>, Option<String>) {
    let holds = |contact: &Contact| !clip.frames(contact.from, contact.to).is_empty();
    let all = contacts.iter().map(|contact| contact.retimed(map));
    let moved: Vec<Contact> = all.filter(holds).collect();
    let (n_all, n_left) = (contacts.len(), contacts.len() - moved.len());
    let words = || {
        format!("{n_left} of {n_all} contacts contain no frame in the new timing and are omitted")
    };
    (moved, (n_left > 0).then(words))
}

/// Whether a frame in the new timing differs from all old ones by more than rounding of their times.
fn lies_between(before: &Clip, after: &Clip, map: &TimeMap) -> bool {
    let off = |frame: usize| {
        let old = (map.old_time(after.time(frame)) - before.start()) / before.frame_time();
        (old - old.round()).abs()
    };
    (0..after.n_frames()).any(|frame| off(frame) > OFF_FRAME)
}

/// A warning if a glTF, which has no field for a rate, gets so few keys per second that they are not read as frames.
fn rare_keys<'c>(mut clips: impl Iterator<Item = &'c Clip>) -> Option<String> {
    let is_rare = |clip: &&Clip| clip.n_frames() > 1 && clip.frame_time() > LONGEST_FRAME;
    let rate = 1.0 / clips.find(is_rare)?.frame_time();
    Some(format!(
        "a glTF does not store its rate, and fewer than 12 keys per second are read as a curve; --fps {rate} reads them as frames"
    ))
}

/// The speed factor of a clip, its map of times, and its new frame time.
fn pace(clip: &Clip, args: &RetimeArgs) -> Result<(f64, TimeMap, f64)> {
    let speed = match args.duration {
        Some(_) if clip.duration() == 0.0 => {
            return Err(Failure::input("it has one frame or none, and no duration"));
        }
        Some(duration) => clip.duration() / duration,
        None => args.speed.unwrap_or(1.0),
    };
    let map = TimeMap::speed(speed, clip.start()).map_err(|_| {
        let duration = args.duration.map_or_else(String::new, |s| format!("--duration {s:e} is "));
        Failure::usage(format!("{duration}a speed of {speed:.1e}, and is not from 1e-6 to 1e6"))
    })?;
    Ok((speed, map, args.to_fps.map_or(clip.frame_time(), |fps| 1.0 / fps)))
}

/// The number of frames of the result; errors are reported later.
fn n_frames(clip: &Clip, args: &RetimeArgs) -> Option<f64> {
    let (speed, _, frame_time) = pace(clip, args).ok()?;
    Some((clip.duration() / speed / frame_time).floor() + 1.0)
}

/// A clip in its new timing, and its map of times.
fn retimed(clip: &Clip, args: &RetimeArgs) -> Result<(Clip, TimeMap)> {
    let (speed, map, frame_time) = pace(clip, args)?;
    let clip = if args.smooth {
        // The curve is sampled at the mapped times, and the samples become the frames of the new timing.
        let curve = Keyframes::through(clip, Interpolation::Cubic)?;
        let fine = curve.sample(frame_time * speed)?;
        Clip::try_new(clip.skeleton().clone(), frame_time, fine.values().to_vec())?
            .with_up(clip.up())?
            .with_start(clip.start())
            .with_metres_per_unit(clip.metres_per_unit())
    } else {
        clip.retimed(&map, frame_time)?
    };
    Ok((clip, map))
}
