//! The times in which a part of a foot stands, and what became of them.

use core::ops::Range;

/// A part of a foot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The heel, by the joint of the ankle.
    Heel,
    /// The ball, by the joint that the heel lifts off on.
    Ball,
}

/// A time during which a part of a foot stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plant {
    /// Which leg, of those that were looked at.
    pub leg: usize,
    /// Which part of its foot.
    pub part: Part,
    /// The frames in which it stands; never empty.
    pub frames: Range<usize>,
}

impl Plant {
    /// By which plants are sorted.
    pub(crate) fn order(&self) -> (usize, usize, Part) {
        (self.frames.start, self.leg, self.part)
    }
}

/// What became of a plant.
#[derive(Debug, Clone, PartialEq)]
pub struct PlantReport {
    /// Which foot, and when.
    pub plant: Plant,
    /// What was done.
    pub verdict: Verdict,
    /// How far it slid: the largest distance along the floor from its median \[the clip's unit\].
    pub drift_before: f64,
    /// How far it still does.
    pub drift_after: f64,
}

/// What was done about a plant.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Verdict {
    /// It stands now.
    Fixed,
    /// It stood already.
    Clean,
    /// Left as it is: it slides so far that it is meant to, or making it stand would change the motion too much.
    Released {
        /// How far, when the root trajectory is right \[the clip's unit\].
        slide: f64,
    },
    /// Held as well as the legs reach.
    Unreachable {
        /// By how much it is missed at most \[the clip's unit\].
        by: f64,
        /// In how many frames.
        frames: usize,
        /// It is not the legs that are too short, but joints that cannot turn so: what a file has no channels for.
        by_channels: bool,
    },
    /// Left alone because it was asked for.
    Kept,
}

/// Plants that drift less than this stood already \[leg lengths\]: half a millimetre for a leg of 0.85 m, a fortieth of what people see.
pub(super) const CLEAN: f64 = 6e-4;

/// The maximal runs of true.
pub(super) fn runs(flags: &[bool]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (frame, _) in flags.iter().enumerate().filter(|(_, flag)| **flag) {
        match runs.last_mut() {
            Some(last) if last.end == frame => last.end += 1,
            _ => runs.push(frame..frame + 1),
        }
    }
    runs
}
