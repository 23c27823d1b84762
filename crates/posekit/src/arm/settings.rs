//! Settings and outcomes of a solve: plain data.

/// Which of the configurations that reach the target is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
#[non_exhaustive]
pub enum Prefer {
    /// The nearest to the given configuration of those found, by the sum of squared changes; redundant joints move towards it as far as the
    /// target permits. The default.
    #[default]
    Nearest,
    /// The first that is found: the fastest. From a configuration near the target it is usually the nearest, too.
    First,
    /// The nearest of those found to the arm's [posture](super::Arm::with_posture), by the sum of squared differences; redundant joints move towards
    /// it. From where the arm comes makes no difference to it.
    Posture,
    /// The one of those found with the greatest [manipulability](super::Dexterity::manipulability), to which redundant joints climb: the farthest from
    /// singular.
    Manipulability,
}

/// Tolerances of a solve, and the work that it may take. Plain data.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
#[non_exhaustive]
pub struct ArmSettings {
    /// Distance from the target that counts as reached \[m\]; `None` means 1e-6 of the arm's length.
    pub tolerance: Option<f64>,
    /// Angle from the target's orientation that counts as reached \[rad\]; `None` means 1e-6.
    pub orientation_tolerance: Option<f64>,
    /// Task-space bounds: how far the tool may be from the target along x, y and z \[m\], and rotated about x, y and z \[rad\], in the target's own axes. Infinite
    /// where an axis does not matter. Default 0: the whole pose.
    pub bounds: [f64; 6],
    /// Which configuration is wanted.
    pub prefer: Prefer,
    /// The most starts from which the target is tried. Default 200; fewer if it is proven out of reach.
    pub starts: u32,
    /// The most steps over all starts. Default no limit but that of the starts, of 30 steps each.
    pub iterations: u32,
}

impl Default for ArmSettings {
    fn default() -> Self {
        Self {
            tolerance: None,
            orientation_tolerance: None,
            bounds: [0.0; 6],
            prefer: Prefer::Nearest,
            starts: 200,
            iterations: u32::MAX,
        }
    }
}

impl ArmSettings {
    /// With absolute tolerances of position \[m\] and orientation \[rad\].
    #[must_use]
    pub const fn with_tolerances(self, position: f64, orientation: f64) -> Self {
        Self { tolerance: Some(position), orientation_tolerance: Some(orientation), ..self }
    }

    /// With another choice among configurations.
    #[must_use]
    pub const fn with_prefer(self, prefer: Prefer) -> Self {
        Self { prefer, ..self }
    }

    /// With [task-space bounds](Self::bounds).
    #[must_use]
    pub const fn with_bounds(self, bounds: [f64; 6]) -> Self {
        Self { bounds, ..self }
    }
}

/// What became of a solve.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum ArmStatus {
    /// The tool is at the target, within the tolerances.
    Reached,
    /// Proven: no configuration reaches the target, not even outside the limits.
    Unreachable {
        /// By how much the target is further than the arm is long \[m\]; 0 where it is not, and the [closed form](super::Arm::family) of six joints has no
        /// solution.
        shortfall: f64,
    },
    /// Proven by the closed form of six joints: every configuration that reaches the target is outside the limits.
    OutsideLimits,
    /// No start led to the target, and nothing is proven: it is out of reach, or only reached outside the limits, or hard to find.
    #[default]
    NotFound,
    /// In a [batch](crate::batch) alone: the target is no pose. It is not finite, or its rotation is further than 0.001 from unit length. The
    /// configuration is the start, and both distances are infinite.
    InvalidTarget,
}

/// The outcome of a solve. The configuration is in the caller's slice.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct ArmSolution {
    /// Whether the target was reached.
    pub status: ArmStatus,
    /// Distance of the tool from the target outside the [bounds](ArmSettings::bounds) \[m\].
    pub distance: f64,
    /// Angle of the tool from the target's orientation outside the bounds \[rad\].
    pub angle: f64,
    /// Steps over all starts.
    pub iterations: u32,
    /// Starts that were tried.
    pub starts: u32,
}

impl ArmSolution {
    /// Whether the tool is at the target.
    #[must_use]
    pub fn is_reached(&self) -> bool {
        self.status == ArmStatus::Reached
    }
}
