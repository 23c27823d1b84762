//! How far feet slide in a clip, measured over all its frames: from the joints' places alone, by nothing that cleaning uses.

use core::ops::Range;

use crate::plant::Part;
use crate::{Clip, Leg};

/// A part of a foot is low within this of its lowest height while slow \[leg lengths\]: 2.5 cm for a leg of 0.85 m.
const LOW: f64 = 0.03;

/// It is slow below this speed \[leg lengths/s\]; a swinging foot moves at 2 and more.
const SLOW: f64 = 0.5;

/// Shorter times are passed over \[s\].
const SHORTEST: f64 = 0.1;

/// A time in which a part of a foot is low and slow, and how far it slides meanwhile.
#[derive(Debug, Clone, PartialEq)]
pub struct Slide {
    /// Which leg.
    pub leg: usize,
    /// Which part of its foot.
    pub part: Part,
    /// The frames.
    pub frames: Range<usize>,
    /// The largest distance from where it is in the middle frame, along the floor \[leg lengths\].
    pub distance: f64,
}

/// The slides of all parts of all feet.
#[must_use]
pub fn slides(clip: &Clip, legs: &[Leg]) -> Vec<Slide> {
    let (poses, n, up) = (clip.poses(), clip.skeleton().n_joints(), clip.up());
    let rate = 1.0 / clip.frame_time();
    let mut slides = Vec::new();
    for (leg, own) in legs.iter().enumerate() {
        let length = own.limb.length(clip.skeleton());
        let joints = [(Part::Heel, Some(own.limb.end)), (Part::Ball, own.ball)];
        for (part, joint) in joints {
            let Some(joint) = joint else { continue };
            let at = |frame: usize| poses[frame * n + joint].translation / length;
            let is_slow = |frame: usize| {
                let next = if frame + 1 < clip.n_frames() { frame + 1 } else { frame };
                let before = frame.saturating_sub(1);
                let frames = (next - before).max(1) as f64;
                at(next).distance(at(before)) * rate / frames < SLOW
            };
            let slow: Vec<bool> = (0..clip.n_frames()).map(is_slow).collect();
            let lowest = (0..clip.n_frames())
                .filter(|frame| slow[*frame])
                .map(|frame| at(frame).dot(up))
                .fold(f64::INFINITY, f64::min);
            let stands = |frame: usize| slow[frame] && at(frame).dot(up) < lowest + LOW;
            let mut frame = 0;
            while frame < clip.n_frames() {
                let end = (frame..clip.n_frames()).find(|f| !stands(*f)).unwrap_or(clip.n_frames());
                if (end - frame) as f64 >= SHORTEST * rate {
                    let middle = at((frame + end) / 2);
                    let off = |frame: usize| {
                        let off = at(frame) - middle;
                        (off - up * off.dot(up)).length()
                    };
                    let distance = (frame..end).map(off).fold(0.0, f64::max);
                    slides.push(Slide { leg, part, frames: frame..end, distance });
                }
                frame = end.max(frame + 1);
            }
        }
    }
    slides
}
