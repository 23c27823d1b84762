//! Soft reach: how a limb approaches full extension.

/// How a limb approaches full extension.
///
/// The bend of a knee changes infinitely fast as the limb becomes straight: near full reach `R` the bend is proportional to
/// `√(R − distance)`. A target that walks out of range therefore snaps the knee straight. Soft reach lets the end fall
/// behind the target over the last stretch so that the knee straightens gently. The cost is reach: in the soft zone the end
/// is short of the target, which the solution reports ([`Reach::Softened`](crate::limb::Reach::Softened)). It is off by default; turn it
/// on with [`TwoBone::with_soft_reach`](crate::limb::TwoBone::with_soft_reach).
///
/// In every curve `ratio` is the width of the soft zone before full reach, as a fraction of the reach (the two bones'
/// lengths together); it is clamped to 0..=1, and a zone never includes distances that the limb cannot fold to. A ratio of 0 is
/// [`SoftReach::None`]. Targets closer than the zone are reached exactly.
///
/// # Cost and benefit
/// Two bones of length 1, the target receding through full reach at one bone length per second, 60 frames per second:
/// the worst change of the knee's angle in one frame, and the reach that is lost when the target is exactly at full
/// reach. Printed by the example `soft_reach_table`; the whole table is in `docs/soft-reach.md`.
///
/// | curve | zone `ratio` | worst knee step | lost reach | straight at |
/// |---|---|---|---|---|
/// | `None` | 0 | 14.8° | 0 % | full reach |
/// | `Finite` | 0.01 | 6.8° | 0.25 % | 101 % |
/// | `Finite` | 0.03 | 3.9° | 0.75 % | 103 % |
/// | `Finite` ([recommended](Self::RECOMMENDED)) | 0.05 | 3.1° | 1.25 % | 105 % |
/// | `Finite` | 0.10 | 2.2° | 2.50 % | 110 % |
/// | `Finite` | 0.15 | 1.8° | 3.75 % | 115 % |
/// | `Asymptotic` | 0.03 | 3.8° | 1.23 % | never |
/// | `Asymptotic` | 0.05 | 3.0° | 2.05 % | never |
/// | `Asymptotic` | 0.10 | 2.2° | 4.10 % | never |
///
/// # Example
/// ```
/// use posekit::limb::SoftReach;
///
/// let soft = SoftReach::Finite { ratio: 0.05 };
/// assert_eq!(soft.distance(1.8, 2.0, 0.0), 1.8); // closer than the zone: exact
/// assert_eq!(soft.distance(2.0, 2.0, 0.0), 1.975); // at full reach: short by a quarter of the zone
/// assert_eq!(soft.distance(2.1, 2.0, 0.0), 2.0); // one zone beyond: straight
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum SoftReach {
    /// The limb follows the target exactly and stops at full reach.
    #[default]
    None,
    /// A parabola that joins the exact line smoothly at the zone's beginning and is level at full reach, one zone width
    /// *beyond* it: the limb is straight when the target is `R + zone` away. Because the missing length shrinks as a
    /// square, the knee opens at nearly constant speed. The curve of Spine's `softness` \[spine\].
    Finite {
        /// Width of the soft zone / reach.
        ratio: f64,
    },
    /// A curve that joins the exact line smoothly and approaches full reach without ever arriving, so the limb is never
    /// quite straight: `R − zone · (4/(x + 4))⁴` with `x` the target's place in zone widths. The shape of ozz's `soften`
    /// \[ozz\] (its `soften` is 1 − `ratio`) with 4 in place of its 3, whose slope at the beginning is 4/3: there the end
    /// would overtake the target.
    Asymptotic {
        /// Width of the soft zone / reach.
        ratio: f64,
    },
}

impl SoftReach {
    /// `Finite { ratio: 0.05 }`, for characters whose feet leave their reach.
    ///
    /// Of the curves measured, `Finite` loses about 40 % less reach than `Asymptotic` for the same worst knee step, at every
    /// setting, and it does become straight. Its worst step is the speed that the knee has anyway where the zone begins, so
    /// the ratio has a plain meaning: at 0.05 the knee never rotates faster than it does at 95 % of the reach, a fifth of the
    /// snap without soft reach. The price is 1.25 % of the reach, a centimetre on a human leg. Half the zone saves half of
    /// that and makes the step 1.4 times larger; twice the zone costs as much again and makes it 1.4 times smaller.
    pub const RECOMMENDED: Self = Self::Finite { ratio: 0.05 };

    /// The setting's ratio as given; 0 for [`SoftReach::None`].
    #[inline]
    #[must_use]
    pub const fn ratio(self) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Finite { ratio } | Self::Asymptotic { ratio } => ratio,
        }
    }

    /// The distance at which the limb's end is placed for a target at `distance`, all in the same unit.
    ///
    /// - `distance`: from the limb's start to the target, ≥ 0
    /// - `reach`: length of the straight limb, ≥ 0
    /// - `inner_reach`: length of the folded limb, the difference of the bones' lengths
    ///
    /// The result is never above `distance` or `reach` beyond rounding, grows with `distance`, and is `distance` itself
    /// before the soft zone. It is not raised to `inner_reach`.
    #[inline]
    #[must_use]
    pub fn distance(self, distance: f64, reach: f64, inner_reach: f64) -> f64 {
        let zone = (self.ratio().clamp(0.0, 1.0) * reach).min(reach - inner_reach);
        let into_zone = distance - (reach - zone);
        if into_zone <= 0.0 {
            return distance;
        }
        if zone <= 0.0 {
            return distance.min(reach);
        }
        let place = into_zone / zone;
        match self {
            Self::None => distance.min(reach),
            Self::Finite { .. } => {
                let rest = (1.0 - 0.5 * place).max(0.0);
                reach - zone * (rest * rest)
            }
            Self::Asymptotic { .. } => {
                let root = 4.0 / (place + 4.0);
                let square = root * root;
                reach - zone * (square * square)
            }
        }
    }
}
