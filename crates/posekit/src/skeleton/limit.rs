//! Limits of joints.

use crate::math::{SwingTwist, ceil, direction_or, floor, rotation_about, swing_twist, wrap_angle};
use core::f64::consts::{PI, TAU};
use glam::{DQuat, DVec3};

/// A rotation this little outside its limit counts as inside \[rad\]. What [`Limit::clamp_rotation`] returns is outside by rounding,
/// about 1e-15, and must not be clamped again; more than this and a solver's tolerance would see it.
const ROUNDING: f64 = 1e-12;

/// The limit of a joint's motion, in the joint's own frame.
///
/// The methods accept any numbers; their results are meaningful only for limits that the skeleton's builder has accepted
/// (no NaN, minimum not above maximum, swing in 0..=pi, a unit axis). A file format that writes NaN for "unlimited" is translated by
/// its reader; here NaN is refused.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum Limit {
    /// Unlimited.
    #[default]
    None,
    /// Of a revolute \[rad\] or prismatic \[m\] joint: its value is in \[min, max\].
    ///
    /// Infinite bounds mean unlimited on that side. A revolute joint's value is not taken modulo a turn: a range may span several
    /// turns, and a value beyond it is clamped to the nearer end. See [`equivalent_angle`](Self::equivalent_angle).
    Range {
        /// Smallest value.
        min: f64,
        /// Largest value.
        max: f64,
    },
    /// Of a ball joint, whose rotation is split into `swing * twist about axis`.
    Cone {
        /// Axis of the twist and of the cone, usually the bone's direction. The builder normalises it.
        axis: DVec3,
        /// Largest angle by which the axis may swing away from itself, in \[0, pi\] \[rad\].
        swing: f64,
        /// Smallest and largest twist \[rad\], compared modulo a turn: \[3, 4\] holds the twist -2.5. A span of a full turn or more, or an
        /// infinite bound, means unlimited.
        twist: [f64; 2],
    },
}

impl Limit {
    /// The limit as one word, for messages: no, range, cone.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::None => "no",
            Self::Range { .. } => "range",
            Self::Cone { .. } => "cone",
        }
    }

    /// Smallest and largest value of a revolute or prismatic joint; infinite where there is no range.
    #[inline]
    #[must_use]
    pub const fn bounds(&self) -> (f64, f64) {
        match *self {
            Self::Range { min, max } => (min, max),
            Self::None | Self::Cone { .. } => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    /// Whether a hinge under it can point in every direction: no range, or one of a full turn or more.
    #[must_use]
    pub fn holds_whole_turn(&self) -> bool {
        let (min, max) = self.bounds();
        max - min >= TAU * (1.0 - ROUNDING)
    }

    /// The nearest value inside the range, not modulo a turn. NaN gives the minimum.
    #[inline]
    #[must_use]
    pub fn clamp_value(&self, value: f64) -> f64 {
        match *self {
            // Not `f64::clamp`, which panics on bounds that the builder has not seen, nor `max` and `min`, which may
            // return either of two zeros.
            Self::Range { max, .. } if value > max => max,
            Self::Range { min, .. } if value >= min => value,
            Self::Range { min, .. } => min,
            Self::None | Self::Cone { .. } => value,
        }
    }

    /// Whether a value is inside the range or outside by at most `tolerance`. NaN never is, under a range.
    #[inline]
    #[must_use]
    pub fn contains_value(&self, value: f64, tolerance: f64) -> bool {
        match *self {
            Self::Range { min, max } => value >= min - tolerance && value <= max + tolerance,
            Self::None | Self::Cone { .. } => true,
        }
    }

    /// The angle equal to `angle` modulo a turn that is inside the range and nearest to `near`; of two equally near ones the larger.
    ///
    /// An angle outside by rounding (1e-12 rad) is moved to the bound, so that the result is always inside.
    ///
    /// # Degenerate cases
    /// `None` when no equivalent angle is inside the range, or when a number is NaN or infinite (other than a bound).
    ///
    /// # Example: a wrist that rotates by more than a full turn
    /// ```
    /// use posekit::skeleton::Limit;
    /// let wrist = Limit::Range { min: -6.0, max: 6.0 };
    /// let angle = wrist.equivalent_angle(-2.0, 3.0).unwrap();
    /// assert!((angle - 4.283_185_307_179_586).abs() < 1e-15);
    /// assert_eq!(Limit::Range { min: 0.0, max: 1.0 }.equivalent_angle(-2.0, 0.0), None);
    /// ```
    #[must_use]
    pub fn equivalent_angle(&self, angle: f64, near: f64) -> Option<f64> {
        if !angle.is_finite() || !near.is_finite() {
            return None;
        }
        let (min, max) = self.bounds();
        let nearest = angle + TAU * floor((near - angle) / TAU + 0.5);
        let candidate = if nearest < min {
            angle + TAU * ceil((min - ROUNDING - angle) / TAU)
        } else if nearest > max {
            angle + TAU * floor((max + ROUNDING - angle) / TAU)
        } else {
            nearest
        };
        self.contains_value(candidate, 2.0 * ROUNDING).then(|| self.clamp_value(candidate))
    }

    /// The rotation brought inside the cone: the swing's angle clamped about its own axis, the twist to the nearer end in the circular sense.
    ///
    /// A rotation inside comes back unchanged, to the bit; a changed one has the sign nearer to the given rotation.
    ///
    /// # Degenerate cases
    /// A twist exactly opposite the middle of its interval goes to the maximum. A swing by half a turn has no twist, so only its angle is
    /// clamped and the twist then is the allowed one nearest to 0. Zero swing and zero twist lock the joint at the identity.
    /// Limits other than a cone return the rotation as it is.
    #[must_use]
    pub fn clamp_rotation(&self, rotation: DQuat) -> DQuat {
        let Self::Cone { axis, swing, twist } = *self else {
            return rotation;
        };
        let split = swing_twist(rotation, axis);
        let swing_angle = split.swing_angle();
        if excess(split, swing_angle, swing, twist) <= ROUNDING {
            return rotation;
        }
        let clamped_swing = if swing_angle > swing {
            let swing_axis = direction_or(split.swing.xyz(), DVec3::ZERO);
            rotation_about(swing_axis, swing)
        } else {
            split.swing
        };
        let clamped = clamped_swing * rotation_about(axis, clamp_circular(split.twist, twist));
        if clamped.dot(rotation) < 0.0 { -clamped } else { clamped }
    }

    /// Whether a rotation is inside the cone, or outside by at most `tolerance` \[rad\].
    ///
    /// The twist counts by the angle of the rotation that brings it inside, which falls to zero as the swing approaches half a turn, where
    /// the twist is undefined. Limits other than a cone hold every rotation.
    #[must_use]
    pub fn contains_rotation(&self, rotation: DQuat, tolerance: f64) -> bool {
        let Self::Cone { axis, swing, twist } = *self else {
            return true;
        };
        let split = swing_twist(rotation, axis);
        excess(split, split.swing_angle(), swing, twist) <= tolerance
    }

    /// Whether a value is within `tolerance` of a bound of the range, or beyond it. Infinite bounds are never touched.
    #[must_use]
    pub fn touches_value(&self, value: f64, tolerance: f64) -> bool {
        let (min, max) = self.bounds();
        value <= min + tolerance || value >= max - tolerance
    }

    /// Whether a rotation is within `tolerance` \[rad\] of the edge of the cone or an end of the twist, or beyond it.
    #[must_use]
    pub fn touches_rotation(&self, rotation: DQuat, tolerance: f64) -> bool {
        let Self::Cone { axis, swing, twist } = *self else {
            return false;
        };
        let split = swing_twist(rotation, axis);
        let at_edge = swing < PI && split.swing_angle() >= swing - tolerance;
        at_edge || -twist_room(split.twist, twist) * split.swing.w >= -tolerance
    }
}

/// By how much a split rotation is outside a cone \[rad\]; zero or less inside.
fn excess(split: SwingTwist, swing_angle: f64, swing: f64, twist: [f64; 2]) -> f64 {
    let twist_excess = -twist_room(split.twist, twist);
    // The swing's w is the cosine of half its angle: 1 without swing, 0 at half a turn.
    (swing_angle - swing).max(twist_excess * split.swing.w)
}

/// Distance from a twist to the nearer end of its interval, in the circular sense; negative outside, infinite when unlimited.
fn twist_room(twist: f64, [min, max]: [f64; 2]) -> f64 {
    let span = max - min;
    if span >= TAU {
        return f64::INFINITY;
    }
    let middle = min + 0.5 * span;
    0.5 * span - wrap_angle(twist - middle).abs()
}

/// The twist, or the nearer end of its interval in the circular sense, in (-pi, pi].
fn clamp_circular(twist: f64, [min, max]: [f64; 2]) -> f64 {
    if twist_room(twist, [min, max]) >= 0.0 {
        return twist;
    }
    let middle = min + 0.5 * (max - min);
    wrap_angle(if wrap_angle(twist - middle) > 0.0 { max } else { min })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cone(swing: f64, min: f64, max: f64) -> Limit {
        Limit::Cone { axis: DVec3::Y, swing, twist: [min, max] }
    }

    fn rotation() -> impl Strategy<Value = DQuat> {
        prop::array::uniform4(-1.0..1.0_f64)
            .prop_map(DQuat::from_array)
            .prop_filter("long enough to normalise", |q| q.length() > 0.1)
            .prop_map(|q| q / q.length())
    }

    #[test]
    fn values_clamp_to_the_nearer_end() {
        let range = Limit::Range { min: -1.0, max: 7.0 };
        assert_eq!(range.clamp_value(-4.0), -1.0);
        assert_eq!(range.clamp_value(6.5), 6.5);
        assert_eq!(range.clamp_value(100.0), 7.0);
        assert_eq!(range.clamp_value(f64::NAN), -1.0);
        assert_eq!(Limit::None.clamp_value(1e9), 1e9);
        assert!(range.contains_value(7.05, 0.1) && !range.contains_value(7.05, 0.01));
        assert!(!range.contains_value(f64::NAN, 1.0));
        assert!(range.touches_value(6.95, 0.1) && !range.touches_value(3.0, 0.1));
        assert!(!Limit::None.touches_value(1e300, 1.0));
        let inverted = Limit::Range { min: 1.0, max: -1.0 };
        assert_eq!(inverted.clamp_value(0.0), -1.0);
    }

    #[test]
    fn equivalent_angles() {
        let range = Limit::Range { min: -PI, max: 3.0 * PI };
        assert_eq!(range.equivalent_angle(PI, 9.0), Some(3.0 * PI));
        assert_eq!(range.equivalent_angle(PI, -3.0), Some(-PI));
        assert_eq!(range.equivalent_angle(0.5, 100.0), Some(0.5 + TAU));
        assert_eq!(range.equivalent_angle(0.5, -100.0), Some(0.5));
        assert_eq!(range.equivalent_angle(0.0, PI), Some(TAU));
        assert_eq!(Limit::None.equivalent_angle(0.25, 20.0 * PI), Some(0.25 + 20.0 * PI));
        let narrow = Limit::Range { min: 1.0, max: 1.5 };
        assert_eq!(narrow.equivalent_angle(0.0, 1.2), None);
        assert_eq!(narrow.equivalent_angle(1.5 + 1e-13, 0.0), Some(1.5));
        assert_eq!(narrow.equivalent_angle(1.0 - 1e-13 - TAU, 0.0), Some(1.0));
        assert_eq!(narrow.equivalent_angle(f64::NAN, 0.0), None);
        assert_eq!(narrow.equivalent_angle(0.0, f64::INFINITY), None);
    }

    #[test]
    fn twists_clamp_in_the_circular_sense() {
        assert_eq!(clamp_circular(0.2, [-0.5, 0.5]), 0.2);
        assert_eq!(clamp_circular(0.8, [-0.5, 0.5]), 0.5);
        assert_eq!(clamp_circular(3.0, [-3.1, -2.9]), -3.1);
        assert_eq!(clamp_circular(-2.5, [3.0, 4.0]), -2.5);
        assert_eq!(clamp_circular(2.9, [3.0, 4.0]), 3.0);
        assert_eq!(clamp_circular(-2.0, [3.0, 4.0]), 4.0 - TAU);
        assert_eq!(clamp_circular(PI, [-0.5, 0.5]), 0.5);
        assert_eq!(clamp_circular(3.0, [f64::NEG_INFINITY, 0.0]), 3.0);
        assert_eq!(clamp_circular(3.0, [f64::NEG_INFINITY, f64::INFINITY]), 3.0);
    }

    #[test]
    fn swing_clamps_about_its_own_axis() {
        let limit = cone(0.5, -PI, PI);
        let q = rotation_about(DVec3::X, 1.2);
        let clamped = limit.clamp_rotation(q);
        assert!((clamped - rotation_about(DVec3::X, 0.5)).length() < 1e-15);
        let clamped = limit.clamp_rotation(-q);
        assert!((clamped + rotation_about(DVec3::X, 0.5)).length() < 1e-15);
        let half_turn = DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0);
        assert!((limit.clamp_rotation(half_turn) - rotation_about(DVec3::X, 0.5)).length() < 1e-15);
    }

    #[test]
    fn zero_cone_locks_the_joint() {
        let clamped = cone(0.0, 0.0, 0.0).clamp_rotation(rotation_about(DVec3::splat(0.6), 1.0));
        assert!((clamped.dot(DQuat::IDENTITY).abs() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn limits_of_another_kind_do_nothing() {
        let q = rotation_about(DVec3::X, 1.2);
        assert_eq!(Limit::None.clamp_rotation(q), q);
        assert!(Limit::Range { min: 0.0, max: 0.0 }.contains_rotation(q, 0.0));
        assert_eq!(cone(0.1, 0.0, 0.0).clamp_value(3.0), 3.0);
        assert!(!Limit::None.touches_rotation(q, 1.0));
    }

    #[test]
    fn touching_the_cone() {
        let limit = cone(0.5, -0.2, 0.2);
        assert!(limit.touches_rotation(rotation_about(DVec3::X, 0.5), 1e-9));
        assert!(limit.touches_rotation(rotation_about(DVec3::Y, -0.2), 1e-9));
        assert!(!limit.touches_rotation(rotation_about(DVec3::Y, 0.1), 1e-9));
        assert!(!cone(PI, -9.0, 9.0).touches_rotation(rotation_about(DVec3::X, PI), 1e-9));
    }

    proptest! {
        #[test]
        fn clamped_rotations_are_inside_and_stay(
            q in rotation(), swing in 0.0..=PI, min in -7.0..7.0_f64, span in 0.0..7.0_f64,
        ) {
            let limit = cone(swing, min, min + span);
            let clamped = limit.clamp_rotation(q);
            prop_assert!(limit.contains_rotation(clamped, 1e-13));
            prop_assert_eq!(limit.clamp_rotation(clamped), clamped);
            prop_assert!((clamped.length() - 1.0).abs() < 1e-14);
            if limit.contains_rotation(q, 0.0) {
                prop_assert_eq!(clamped, q);
            }
            prop_assert!((limit.clamp_rotation(-q) + clamped).length() < 1e-14);
        }

        #[test]
        fn equivalent_angle_is_the_nearest(
            angle in -9.0..9.0_f64, near in -20.0..20.0_f64, min in -9.0..9.0_f64, span in 0.0..15.0_f64,
        ) {
            let limit = Limit::Range { min, max: min + span };
            let inside = (-10..=10)
                .map(|turns| angle + TAU * f64::from(turns))
                .filter(|a| limit.contains_value(*a, 0.0))
                .map(|a| (a - near).abs())
                .fold(f64::INFINITY, f64::min);
            match limit.equivalent_angle(angle, near) {
                Some(found) => {
                    prop_assert!(limit.contains_value(found, 0.0));
                    prop_assert!(wrap_angle(found - angle).abs() < 1e-11);
                    prop_assert!(((found - near).abs() - inside).abs() < 1e-11);
                }
                None => prop_assert!(inside.is_infinite()),
            }
        }
    }

    #[test]
    fn half_turn_swing_has_no_twist_to_clamp() {
        let limit = cone(PI, 0.5, 1.0);
        let q = DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0);
        assert!(limit.contains_rotation(q, 0.0));
        assert_eq!(limit.clamp_rotation(q), q);
    }
}
