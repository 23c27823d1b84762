//! Frames in which nothing of a figure moves: a pose that is held before, in or after a motion.
//!
//! Feet stand exactly in them whatever they did before, as they do in a clip that was cleaned, where hips and knees move meanwhile. So they are no sign of that.

use core::ops::Range;

use super::clip::Clip;

/// Numbers of a pose that differ by less are the same: what interpolating between equal poses leaves.
const SAME: f64 = 1e-9;

/// From which frames of a clip to the next nothing moves.
#[derive(Debug)]
pub(super) struct Frozen(Vec<bool>);

impl Frozen {
    pub(super) fn new(clip: &Clip) -> Self {
        let is_same = |(a, b): (&f64, &f64)| (a - b).abs() <= SAME;
        let stays = |frame: usize| clip.frame(frame).iter().zip(clip.frame(frame + 1)).all(is_same);
        Self((1..clip.n_frames()).map(|next| stays(next - 1)).collect())
    }

    /// In how many of the steps between these frames something moves.
    pub(super) fn n_moving(&self, frames: &Range<usize>) -> usize {
        let steps = self.0.get(frames.start..frames.end.saturating_sub(1)).unwrap_or_default();
        steps.iter().filter(|is_frozen| !**is_frozen).count()
    }

    /// Whether it is the same up to a frame as in the one before.
    pub(super) fn is_held(&self, frame: usize) -> bool {
        let step = frame.checked_sub(1).and_then(|step| self.0.get(step));
        step.copied().unwrap_or(false)
    }
}
