//! Whether a target is in range, and how far it is out of range.

/// Shortfalls below this fraction of the reach are rounding, not distance.
///
/// It is some thousands of times the rounding of one operation, so a target computed to lie exactly at full reach is
/// `Reached` however its coordinates were computed, and a million times below anything a person or a robot can notice.
pub(super) const ROUNDING: f64 = 1e-12;

/// Outcome of a closed form: the target is reached, or missed by a distance.
///
/// The outcome follows from the geometry alone, for full weight: it does not depend on the limb's current pose.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Reach {
    /// The target is met, to rounding (1e-12 of the reach).
    Reached,
    /// The target is in range, but [`SoftReach`](crate::limb::SoftReach) holds the limb back from it.
    Softened {
        /// Distance left to the target \[m\].
        shortfall: f64,
    },
    /// The target is beyond the length of the limb. The limb points straight at it, or nearly so with soft reach.
    TooFar {
        /// Distance of the target beyond the fully straight limb \[m\].
        shortfall: f64,
    },
    /// The target is closer than the limb can fold. The folded limb's end lies on the line to the target.
    TooNear {
        /// Distance from the target to the nearest point in range \[m\].
        shortfall: f64,
    },
}

impl Reach {
    /// True for [`Reach::Reached`].
    #[inline]
    #[must_use]
    pub fn is_reached(self) -> bool {
        matches!(self, Self::Reached)
    }

    /// The remaining distance, zero when reached \[m\].
    #[inline]
    #[must_use]
    pub fn shortfall(self) -> f64 {
        match self {
            Self::Reached => 0.0,
            Self::Softened { shortfall }
            | Self::TooFar { shortfall }
            | Self::TooNear { shortfall } => shortfall,
        }
    }

    /// The same outcome in other units.
    pub(super) fn scaled(self, factor: f64) -> Self {
        let scale = |shortfall: f64| (shortfall * factor).min(f64::MAX);
        match self {
            Self::Reached => Self::Reached,
            Self::Softened { shortfall } => Self::Softened { shortfall: scale(shortfall) },
            Self::TooFar { shortfall } => Self::TooFar { shortfall: scale(shortfall) },
            Self::TooNear { shortfall } => Self::TooNear { shortfall: scale(shortfall) },
        }
    }

    /// The outcome for a target at `distance` for a limb that covers distances from `inner` to `outer` and places its end
    /// at `solved`.
    #[inline]
    pub(super) fn judge(distance: f64, solved: f64, inner: f64, outer: f64) -> Self {
        let rounding = ROUNDING * outer;
        if distance - outer > rounding {
            Self::TooFar { shortfall: distance - outer }
        } else if inner - distance > rounding {
            Self::TooNear { shortfall: inner - distance }
        } else if distance - solved > rounding {
            Self::Softened { shortfall: distance - solved }
        } else {
            Self::Reached
        }
    }

    /// The outcome for a target at `distance` where only distances below `inner` are out of range.
    #[inline]
    pub(super) fn judge_near(distance: f64, inner: f64) -> Self {
        if inner - distance > ROUNDING * inner {
            Self::TooNear { shortfall: inner - distance }
        } else {
            Self::Reached
        }
    }
}
