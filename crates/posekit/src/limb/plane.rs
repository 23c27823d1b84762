//! The two-bone arm in the plane: both pairs of angles for a point.
//!
//! A bone of length `a` leaves the origin at the angle `θ` from +x; a bone of length `b` leaves its end at the angle `φ`
//! from the first bone's direction. The tip is at `(a cos θ + b cos(θ+φ), a sin θ + b sin(θ+φ))`. Angles are
//! counter-clockwise, in radians, and are returned in (−π, π].

use glam::{DVec2, DVec3};

use super::reach::Reach;
use super::triangle::{NO_BONE, triangle};
use crate::math::{atan2, measure, power_of_two_near, sin_cos, wrap_angle};
use crate::{ErrorKind, Result};

/// The two joint angles of a planar arm.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Angles {
    /// `θ`: direction of the first bone, from +x \[rad\].
    pub start: f64,
    /// `φ`: direction of the second bone, from the first \[rad\]; 0 is straight.
    pub mid: f64,
}

impl Angles {
    /// Position of the elbow, the end of a first bone of length `a`.
    #[must_use]
    pub fn elbow(self, a: f64) -> DVec2 {
        let (sin, cos) = sin_cos(self.start);
        DVec2::new(a * cos, a * sin)
    }

    /// Position of the tip of bones of lengths `a` and `b`.
    #[must_use]
    pub fn tip(self, a: f64, b: f64) -> DVec2 {
        let (sin, cos) = sin_cos(self.start + self.mid);
        self.elbow(a) + DVec2::new(b * cos, b * sin)
    }

    /// Sum of the squared differences to another pair, each wrapped to (−π, π] \[rad²\].
    #[must_use]
    pub fn distance_squared(self, other: Self) -> f64 {
        let start = wrap_angle(self.start - other.start);
        let mid = wrap_angle(self.mid - other.mid);
        start * start + mid * mid
    }
}

/// Which of the two solutions comes first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Choice {
    /// The one that bends counter-clockwise, `φ ≥ 0`.
    Positive,
    /// The one that bends clockwise, `φ ≤ 0`.
    Negative,
    /// The one closer to these angles (by [`Angles::distance_squared`]; counter-clockwise on a tie). Angles that the
    /// target does not determine keep these values.
    Nearest(Angles),
}

/// Both solutions of a planar arm.
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use]
pub struct Solutions {
    /// The chosen solution.
    pub best: Angles,
    /// The other one: its mirror image about the line to the target. Equal to `best` where the arm is straight or folded.
    pub other: Angles,
    /// Whether the tip is on the target, and the remaining distance.
    pub reach: Reach,
}

/// The angles that put the tip of a planar arm on a target, or as close to it as possible.
///
/// - `a`, `b`: lengths of the two bones, ≥ 0, in any unit
/// - `target`: position of the target as seen from the first joint, in the same unit
/// - `choice`: which solution is `best`
///
/// # Degenerate cases
/// - Too far: straight towards the target (`φ = 0`). Too near for unequal bones: folded (`φ = π`), the tip on the line to
///   the target. The angles are continuous across both edges.
/// - Target on the first joint: unequal bones point as if it lay on +x, or with [`Choice::Nearest`] in the direction where
///   the tip is. Equal bones fold and reach it; `θ` is that of [`Choice::Nearest`], else the limit along +x, `∓π/2`.
/// - Bone of length zero: its joint has no effect and keeps its `φ` (0, or that of [`Choice::Nearest`]). Both zero: both
///   angles are kept.
///
/// # Errors
/// `Error::is_not_finite` or `Error::is_out_of_range`, naming the argument.
///
/// # Method
/// Bridson's closed form \[bridson11\] with the law of cosines in half-angle form \[kahan00\] and directions instead of
/// slopes, so that `x = 0` is no special case.
///
/// # Example
/// ```
/// use core::f64::consts::FRAC_PI_2;
/// use posekit::glam::DVec2;
/// use posekit::limb::plane::{Choice, solve};
///
/// let arm = solve(1.0, 1.0, DVec2::new(1.0, 1.0), Choice::Positive)?;
/// assert!(arm.best.start.abs() < 1e-15 && (arm.best.mid - FRAC_PI_2).abs() < 1e-15);
/// assert!((arm.other.start - FRAC_PI_2).abs() < 1e-15 && (arm.other.mid + FRAC_PI_2).abs() < 1e-15);
/// # Ok::<(), posekit::Error>(())
/// ```
///
/// # Example: too far
/// ```
/// use posekit::glam::DVec2;
/// use posekit::limb::{Reach, plane};
///
/// let arm = plane::solve(2.0, 1.0, DVec2::new(0.0, 4.0), plane::Choice::Positive)?;
/// assert_eq!(arm.reach, Reach::TooFar { shortfall: 1.0 });
/// assert_eq!(arm.best.mid, 0.0);
/// # Ok::<(), posekit::Error>(())
/// ```
pub fn solve(a: f64, b: f64, target: DVec2, choice: Choice) -> Result<Solutions> {
    check(a, b, target, choice)?;
    let now = match choice {
        Choice::Nearest(angles) => Some(angles),
        Choice::Positive | Choice::Negative => None,
    };
    let mut line = measure(target.extend(0.0));
    let (inner, outer) = ((a - b).abs(), (a + b).min(f64::MAX));
    if line.length <= NO_BONE * outer {
        line = measure(DVec3::ZERO);
    }
    let solved = line.length.clamp(inner.min(outer), outer);
    let reach = Reach::judge(line.length, solved, inner, outer);
    if outer <= 0.0 {
        let kept = now.unwrap_or_default();
        return Ok(Solutions { best: kept, other: kept, reach });
    }
    if line.length <= 0.0
        && inner <= 0.0
        && let Some(now) = now
    {
        let folded = Angles { start: wrap_angle(now.start), mid: core::f64::consts::PI };
        return Ok(Solutions { best: folded, other: folded, reach });
    }
    let direction = if line.length > 0.0 { line.direction } else { tip_direction(a, b, now) };
    if a.min(b) <= NO_BONE * outer {
        let single = single_bone(a, b, direction, now);
        return Ok(Solutions { best: single, other: single, reach });
    }
    let (positive, negative) = both_sides(a, b, solved, direction);
    let positive_first = match choice {
        Choice::Positive => true,
        Choice::Negative => false,
        Choice::Nearest(now) => positive.distance_squared(now) <= negative.distance_squared(now),
    };
    Ok(if positive_first {
        Solutions { best: positive, other: negative, reach }
    } else {
        Solutions { best: negative, other: positive, reach }
    })
}

/// The counter-clockwise and the clockwise solution for a tip at a distance in a direction.
fn both_sides(a: f64, b: f64, distance: f64, t: DVec3) -> (Angles, Angles) {
    // The triangle needs lengths of ordinary size; scaling by a power of two is exact.
    let scale = power_of_two_near(a.max(b));
    let triangle = triangle(a / scale, b / scale, distance / scale);
    let ((cos_half, sin_half), (cos, sin)) = (triangle.half_bend, triangle.start());
    let bend = 2.0 * atan2(sin_half, cos_half);
    // The first bone is clockwise of the line when the second bends counter-clockwise.
    let angle = |side: f64| {
        let (x, y) = (t.x * cos + side * t.y * sin, t.y * cos - side * t.x * sin);
        Angles { start: wrap_angle(atan2(y, x)), mid: wrap_angle(side * bend) }
    };
    (angle(1.0), angle(-1.0))
}

/// The angles of an arm with one bone of length zero.
fn single_bone(a: f64, b: f64, t: DVec3, now: Option<Angles>) -> Angles {
    let mid = wrap_angle(now.map_or(0.0, |angles| angles.mid));
    let direction = atan2(t.y, t.x);
    Angles { start: wrap_angle(if a > b { direction } else { direction - mid }), mid }
}

/// The direction of the tip at the given angles; +x without angles, or with the tip on the first joint.
fn tip_direction(a: f64, b: f64, now: Option<Angles>) -> DVec3 {
    let size = a.max(b);
    let tip = now.map_or(DVec2::X, |angles| angles.tip(a / size, b / size));
    let direction = measure(tip.extend(0.0)).direction;
    if direction == DVec3::ZERO { DVec3::X } else { direction }
}

fn check(a: f64, b: f64, target: DVec2, choice: Choice) -> Result<()> {
    let now = match choice {
        Choice::Nearest(angles) => angles,
        Choice::Positive | Choice::Negative => Angles::default(),
    };
    let numbers = [
        ("a", 0, a),
        ("b", 0, b),
        ("target", 0, target.x),
        ("target", 1, target.y),
        ("choice", 0, now.start),
        ("choice", 1, now.mid),
    ];
    for (what, index, value) in numbers {
        if !value.is_finite() {
            return Err(ErrorKind::NonFinite { what, index }.into());
        }
    }
    for (what, value) in [("a", a), ("b", b)] {
        if value < 0.0 {
            return Err(ErrorKind::Negative { what, value }.into());
        }
    }
    Ok(())
}
