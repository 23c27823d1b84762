//! What the caller may choose.

use crate::chain::relaxation::Reading;

/// Plain data: how far and how exactly to solve. The defaults suit most problems.
#[derive(Debug, PartialEq)]
pub struct Settings {
    /// Distance between effector and target that counts as reached, in the problem's units; `None` means 1e-6 of the
    /// chain's reach.
    ///
    /// Larger is faster and coarser. At 0 every iteration is run. Distances below 1e-14 of the reach are rounding and count
    /// as reached whatever is asked for.
    pub tolerance: Option<f64>,
    /// Angle between an effector's orientation and its target that counts as reached \[rad\]. Default 1e-6.
    pub orientation_tolerance: f64,
    /// Iterations after which to stop. Default 200; 0 only measures the start.
    pub iterations: u32,
    /// Run the published iteration exactly as its text gives it: absolute thresholds, early exit, no way out of a
    /// stall, no acceleration. For study and comparison. Default false.
    pub classic: bool,
    /// What to record on the way. Default nothing.
    pub trace: Detail,
    /// For [`Method::Ccd`](super::Method::Ccd).
    pub ccd: Ccd,
    /// For [`Method::Relaxation`](super::Method::Relaxation).
    pub relaxation: Relaxation,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tolerance: None,
            orientation_tolerance: 1e-6,
            iterations: 200,
            classic: false,
            trace: Detail::Off,
            ccd: Ccd::default(),
            relaxation: Relaxation::default(),
        }
    }
}

/// How much of the way is recorded in [`Solution::trace`](super::Solution::trace).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Detail {
    /// Nothing; nothing is allocated.
    #[default]
    Off,
    /// The state after every iteration.
    Iterations,
    /// Also the state after every half-step: each joint for cyclic coordinate descent, each half for FABRIK, each pass for
    /// relaxation.
    HalfSteps,
}

/// Choices of cyclic coordinate descent.
#[derive(Debug, PartialEq, Default)]
pub struct Ccd {
    /// Share of its best move that each joint of the skeleton makes, from 0 to 1; empty means 1 for all.
    ///
    /// A joint of share 0 is held where it starts, whatever the method, and so are joints that mimic it. Shares between shape
    /// the descent; a rescue does not know them.
    pub weights: Vec<f64>,
}

/// Choices of constraint relaxation.
#[derive(Debug, PartialEq)]
pub struct Relaxation {
    /// How willingly each joint of the skeleton moves, at least 0; empty means 1 for all. A
    /// [`Chain`](crate::chain::Chain) has its own weights.
    pub weights: Vec<f64>,
    /// Passes over the bones per iteration. More passes take longer and leave less error in the lengths. Default 1.
    pub passes: u32,
    /// How relaxed points become a pose. Default [`Reading::Angles`].
    pub reading: Reading,
}

impl Default for Relaxation {
    fn default() -> Self {
        Self { weights: Vec::new(), passes: 1, reading: Reading::Angles }
    }
}

// Clones are written by hand, because a derived `clone_from` throws the buffers away and allocates new ones, and a workspace
// takes its settings over with every problem.

impl Clone for Settings {
    fn clone(&self) -> Self {
        let (ccd, relaxation) = (self.ccd.clone(), self.relaxation.clone());
        Self { ccd, relaxation, ..*self }
    }

    fn clone_from(&mut self, source: &Self) {
        let (mut ccd, mut relaxation) =
            (core::mem::take(&mut self.ccd), core::mem::take(&mut self.relaxation));
        ccd.clone_from(&source.ccd);
        relaxation.clone_from(&source.relaxation);
        *self = Self { ccd, relaxation, ..*source };
    }
}

impl Clone for Ccd {
    fn clone(&self) -> Self {
        Self { weights: self.weights.clone() }
    }

    fn clone_from(&mut self, source: &Self) {
        self.weights.clone_from(&source.weights);
    }
}

impl Clone for Relaxation {
    fn clone(&self) -> Self {
        Self { weights: self.weights.clone(), ..*self }
    }

    fn clone_from(&mut self, source: &Self) {
        let mut weights = core::mem::take(&mut self.weights);
        weights.clone_from(&source.weights);
        *self = Self { weights, ..*source };
    }
}
