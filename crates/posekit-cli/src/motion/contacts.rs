//! Contact files.

use std::path::Path;

use posekit::skeleton::Skeleton;
use posekit_io::{ContactsFile, Limits, read_text};
use posekit_motion::{Clip, Contact};

use super::words::digits;
use crate::failure::{Failure, Result};
use crate::output::write_file;

/// Why nothing was changed if a contact file is empty.
pub(super) fn no_contacts(path: &Path) -> String {
    format!("{} has no contacts, so nothing is held", path.display())
}

/// The contacts in a file, for a skeleton.
pub(super) fn read_contacts(path: &Path, skeleton: &Skeleton) -> Result<Vec<Contact>> {
    let in_file = |error| Failure::in_file(error, path.display());
    let text = read_text(path, &Limits::default()).map_err(in_file)?;
    if text.trim().is_empty() {
        return Err(Failure::in_file("the file of contacts is empty", path.display()));
    }
    let file = ContactsFile::from_json(&text).map_err(in_file)?;
    file.to_contacts(skeleton).map_err(|error| in_file(error.located_in(&text)))
}

/// Refuses contacts that contain no frame of the clip: they belong to another clip or timing.
pub(super) fn refuse_outside(contacts: &[Contact], clip: &Clip) -> Result<()> {
    let outside = |contact: &&Contact| clip.frames(contact.from, contact.to).is_empty();
    let Some(contact) = contacts.iter().find(outside) else { return Ok(()) };
    // The first frame after it, if it is inside the clip.
    let next = clip.frames(contact.from, f64::INFINITY).start;
    let there = if (1..clip.n_frames()).contains(&next) {
        format!(
            "frames are at {} and {} s",
            digits(clip.time(next - 1), 4),
            digits(clip.time(next), 4)
        )
    } else {
        let end = clip.start() + clip.duration();
        format!("the motion is from {} to {} s", digits(clip.start(), 4), digits(end, 4))
    };
    let [from, to] = [contact.from, contact.to].map(|time| digits(time, 4));
    Err(Failure::usage(format!("there is no frame from {from} to {to} s; {there}")))
}

/// Refuses contacts in a time that is kept unchanged.
pub(super) fn refuse_kept(contacts: &[Contact], keep: &[(f64, f64)], clip: &Clip) -> Result<()> {
    let frames = |(from, to): (f64, f64)| clip.frames(from, to);
    for &(from, to) in keep {
        let kept = frames((from, to));
        let meets = |contact: &&Contact| {
            let held = frames((contact.from, contact.to));
            held.start < kept.end && kept.start < held.end
        };
        if let Some(contact) = contacts.iter().find(meets) {
            return Err(Failure::usage(format!(
                "--keep {}:{} leaves this time unchanged, but --contacts holds {} from {} to {} s; contacts saved with the same --keep do not overlap it",
                digits(from, 4),
                digits(to, 4),
                clip.skeleton().name(contact.frame.joint),
                digits(contact.from, 2),
                digits(contact.to, 2)
            )));
        }
    }
    Ok(())
}

/// Writes contacts.
pub(super) fn write_contacts(path: &Path, file: &ContactsFile) -> Result<()> {
    let text = file.to_json().map_err(|error| Failure::in_file(error, path.display()))?;
    write_file(path, &text)
}
