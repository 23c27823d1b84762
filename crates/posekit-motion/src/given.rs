//! What contacts that are given say of a clip: whether it was cleaned with them.

use core::ops::Range;

use posekit::glam::DVec3;

use super::clip::Clip;
use super::contact::{Contact, Hold};
use super::plant::frames_of;
use super::tracks::Tracks;

/// Whether contacts are, for the frames of a clip, those in which its feet stand already: they ask for nothing then. Where feet stand depends on the floor that
/// they were found on, by less than can be seen.
///
/// - `least`: places nearer than this are the same \[the clip's unit\]
pub(super) fn are_standing(
    clip: &Clip,
    contacts: &[Contact],
    standing: &[Contact],
    least: f64,
) -> bool {
    let is_same = |(a, b): (&Contact, &Contact)| {
        let is_there = match (a.hold, b.hold) {
            (Hold::Position(Some(a)), Hold::Position(Some(b))) => a.distance(b) <= least,
            (a, b) => a == b,
        };
        is_there && a.frame == b.frame && clip.frames(a.from, a.to) == clip.frames(b.from, b.to)
    };
    contacts.len() == standing.len() && contacts.iter().zip(standing).all(is_same)
}

/// A plant may begin and end so long beside a contact and be what it holds \[s\]: where a foot comes to stand between frames, it is found by the next of them.
const BESIDE: f64 = 0.1;

/// The frames of a plant without those that are shortly before or after contacts on its joint; where more is beside them, they are not all that stands.
pub(super) fn within(
    clip: &Clip,
    contacts: &[Contact],
    joint: usize,
    frames: &Range<usize>,
) -> Range<usize> {
    let beside = frames_of(BESIDE, clip.frame_time());
    let own = contacts.iter().filter(|contact| contact.frame.joint == joint);
    let held = own.map(|contact| clip.frames(contact.from, contact.to));
    let held = held.filter(|held| held.start < frames.end && frames.start < held.end);
    let held = held.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end));
    let Some(Range { start, end }) = held else { return frames.clone() };
    let start = if start > frames.start + beside { frames.start } else { start.max(frames.start) };
    let end = if end + beside < frames.end { frames.end } else { end.min(frames.end) };
    start..end
}

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
