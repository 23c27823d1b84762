//! What contacts that are given say of a clip: whether it was cleaned with them.

use glam::DVec3;

use super::clip::Clip;
use super::contact::{Contact, Hold};
use super::tracks::Tracks;

/// How far feet are from where contacts that are given hold them.
#[derive(Debug)]
pub(super) struct Given {
    /// Frames that are seen, in their order, and how far from there a foot is in them.
    pub(super) off: Vec<(usize, DVec3)>,
}

impl Given {
    /// - `tracks`: of the clip; contacts on joints that have none say nothing
    /// - `step`: from one frame that is seen to the next
    pub(super) fn new(clip: &Clip, tracks: &Tracks, contacts: &[Contact], step: usize) -> Self {
        let of_contact = |contact: &Contact| {
            let Hold::Position(Some(place)) = contact.hold else { return Vec::new() };
            let frames = clip.frames(contact.from, contact.to);
            let seen = (frames.start.next_multiple_of(step)..frames.end).step_by(step);
            let off = |frame| (frame, tracks.frame_place(frame, &contact.frame) - place);
            seen.map(off).collect()
        };
        let known = contacts.iter().filter(|contact| tracks.has(&[contact.frame.joint]));
        let mut off: Vec<_> = known.flat_map(of_contact).collect();
        off.sort_by_key(|(frame, _)| *frame);
        Self { off }
    }

    /// Whether most hold in the clip as it is.
    ///
    /// - `least`: what is less is nothing \[the clip's unit\]
    pub(super) fn hold(&self, least: f64) -> bool {
        let n_held = self.off.iter().filter(|(_, off)| off.length() <= least).count();
        n_held > 0 && 2 * n_held >= self.off.len()
    }
}
