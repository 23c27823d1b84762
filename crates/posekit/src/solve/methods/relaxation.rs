//! Constraint relaxation: the effectors are put on their targets, and one bone after the other is brought to its length.
//!
//! A pass visits the bones from the tips inward and moves the ends `a` and `b` of each along it,
//!
//! ```text
//! d = (|b − a| − l) (b − a) / |b − a|,   a ← a + d wₐ / (wₐ + w_b),   b ← b − d w_b / (wₐ + w_b)
//! ```
//!
//! with the weights `w` of the points; the root and the effectors stay. Ryan Juckett, *Constraint Relaxation IK in 2D* \[juckett09relax\], in any
//! dimension. After the passes of an iteration a pose is fitted to the relaxed points, whose distances are not exact.

use crate::chain::relaxation::{Reading, Thresholds, read, relax_watched};
use crate::solve::points::Points;
use crate::solve::settings::Settings;
use alloc::vec::Vec;

/// Points that are being relaxed.
#[derive(Debug, Clone, Default)]
pub(super) struct Relaxed {
    pub(super) points: Vec<f64>,
    held: Vec<bool>,
    thresholds: Thresholds,
    /// How points at the exact lengths are fitted to these.
    pub(super) reading: Reading,
}

impl Relaxed {
    /// Starts from a pose.
    ///
    /// - `may_stretch`: for a chain of points; the bones of joints keep their lengths, whatever the settings
    pub(super) fn begin(&mut self, points: &Points, settings: &Settings, may_stretch: bool) {
        self.thresholds = if settings.classic {
            Thresholds::published(points.scale)
        } else {
            Thresholds::RELATIVE
        };
        self.reading = match settings.relaxation.reading {
            Reading::Stretched if !may_stretch => Reading::Angles,
            reading => reading,
        };
        self.held.clear();
        self.held.resize(points.points.len() / points.dimension, false);
        self.resume(points);
    }

    /// Continues from a pose.
    pub(super) fn resume(&mut self, points: &Points) {
        self.points.clone_from(&points.points);
    }

    /// Some passes over the bones; `moved` is called after each bone that was moved, with the point at its end and all points.
    pub(super) fn relax(
        &mut self,
        points: &mut Points,
        passes: u32,
        moved: &mut impl FnMut(usize, &[f64]),
    ) {
        let n = points.dimension;
        let (bones, goals, _, _) = points.parts();
        let (at, held) = (&mut self.points, &mut self.held);
        relax_watched(n, bones, at, goals, held, passes, self.thresholds, moved);
    }

    /// Fits points at the exact lengths to the relaxed points.
    pub(super) fn read(&self, points: &mut Points) {
        let n = points.dimension;
        let (bones, _, at, _) = points.parts();
        read(n, bones, &self.points, self.reading, at);
    }
}
