//! What the caller may choose.

use crate::chain::relaxation::Reading;
use alloc::vec::Vec;

/// Plain data: how far and how exactly to solve. The defaults suit most problems.
#[derive(Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Settings {
    /// Distance between effector and target that counts as reached, in the problem's units; `None` means 1e-6 of the
    /// chain's reach.
    ///
    /// Larger is faster and coarser. At 0 every iteration is run. Distances below 1e-14 of the reach are rounding and count
    /// as reached whatever is asked for.
    pub tolerance: Option<f64>,
    /// Angle between an effector's orientation and its target that counts as reached \[rad\]. Default 1e-6.
    pub orientation_tolerance: f64,
    /// Iterations after which to stop. Default 500; 0 only measures the start.
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
    /// For [`Method::LeastSquares`](super::Method::LeastSquares).
    pub least_squares: LeastSquares,
    /// Joints (by index) that stay where they start, whatever the method, and so do joints that mimic them. Default none.
    pub locked: Vec<usize>,
    /// What the [root](crate::skeleton::Skeleton::is_root) does: the first joint that moves. Default [`Root::Free`].
    ///
    /// How the skeleton hangs on the world is not decided here but by that joint's kind: only a [free](crate::skeleton::JointKind::Free) one floats.
    pub root: Root,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            tolerance: None,
            orientation_tolerance: 1e-6,
            iterations: 500,
            classic: false,
            trace: Detail::Off,
            ccd: Ccd::default(),
            relaxation: Relaxation::default(),
            least_squares: LeastSquares::default(),
            locked: Vec::new(),
            root: Root::Free,
        }
    }
}

/// How much of the way is recorded in [`Solution::trace`](super::Solution::trace).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
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
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Ccd {
    /// Share of its best move that each joint of the skeleton makes, from 0 to 1; empty means 1 for all.
    ///
    /// A joint of share 0 is held where it starts, whatever the method, and so are joints that mimic it. Shares between shape
    /// the descent; a rescue does not know them.
    pub weights: Vec<f64>,
}

/// Choices of constraint relaxation.
#[derive(Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
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

/// What the [root](crate::skeleton::Skeleton::is_root) does: the first joint that moves, or each of them where the skeleton branches before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Root {
    /// It moves as its kind lets it.
    #[default]
    Free,
    /// It stays where it starts, turned as it is.
    Pinned,
    /// A [free](crate::skeleton::JointKind::Free) root is first carried along with its effectors: moved by the mean of their misses, and
    /// then solved for like any other joint. For figures that are dragged far.
    PrePulled,
}

/// Choices of least squares.
#[derive(Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct LeastSquares {
    /// How unwillingly each joint of the skeleton moves, above 0; empty means 1 for all.
    ///
    /// Among the poses that do what is asked, one with the least sum of stiffness times squared change is returned: a spine ten
    /// times as stiff as an arm bends a tenth as much. Radians and parts of the reach count alike. The sum is the least nearby, a local minimum: that of the
    /// poses around the one that was found first, or, where a [restart](Self::restarts) was needed, around the one that it found.
    pub stiffness: Vec<f64>,
    /// Largest change of each joint of the skeleton from where it starts \[rad, or m for slides\], at least 0; empty means no bound. For
    /// tracking: the largest velocity times the time step. A free joint's position is not bounded.
    pub largest_change: Vec<f64>,
    /// How much staying at the start counts against the tasks of each level, at least 0. Default 0: tasks come first, and staying
    /// decides among the poses that do them equally well.
    ///
    /// Above 0 it is traded against them: poses change more smoothly next to singular ones, and targets are missed by a
    /// little.
    pub regularisation: f64,
    /// Look for the least change among the poses that do what is asked and are near the first that is found. Default true; false returns that first one and takes
    /// fewer iterations.
    pub least_change: bool,
    /// Other starts to try when the first does not arrive, as far as the [iterations](Settings::iterations) go. Default 100; 0 for tracking, where
    /// a jump is worse than a miss.
    pub restarts: u32,
}

impl Default for LeastSquares {
    fn default() -> Self {
        Self {
            stiffness: Vec::new(),
            largest_change: Vec::new(),
            regularisation: 0.0,
            least_change: true,
            restarts: 100,
        }
    }
}

// Clones are written by hand, because a derived `clone_from` throws the buffers away and allocates new ones, and a workspace
// takes its settings over with every problem.

impl Clone for Settings {
    fn clone(&self) -> Self {
        let mut clone = Self::default();
        clone.clone_from(self);
        clone
    }

    fn clone_from(&mut self, source: &Self) {
        let Self {
            tolerance,
            orientation_tolerance,
            iterations,
            classic,
            trace,
            ccd,
            relaxation,
            least_squares,
            locked,
            root,
        } = self;
        (*tolerance, *orientation_tolerance) = (source.tolerance, source.orientation_tolerance);
        (*iterations, *classic, *trace) = (source.iterations, source.classic, source.trace);
        ccd.clone_from(&source.ccd);
        relaxation.clone_from(&source.relaxation);
        least_squares.clone_from(&source.least_squares);
        locked.clone_from(&source.locked);
        *root = source.root;
    }
}

impl Clone for LeastSquares {
    fn clone(&self) -> Self {
        let mut clone = Self::default();
        clone.clone_from(self);
        clone
    }

    fn clone_from(&mut self, source: &Self) {
        let Self { stiffness, largest_change, regularisation, least_change, restarts } = self;
        stiffness.clone_from(&source.stiffness);
        largest_change.clone_from(&source.largest_change);
        *regularisation = source.regularisation;
        (*least_change, *restarts) = (source.least_change, source.restarts);
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
