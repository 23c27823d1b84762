//! The two-bone limb in space, in closed form.
//!
//! | Letter | Meaning |
//! |---|---|
//! | `u`, `v` | first bone (start to mid) and second bone (mid to end), as they are now |
//! | `t` | direction from start to target |
//! | `n` | bend axis: unit, at right angles to both bones, `u × v` when the limb is bent |
//! | `φ` | bend at the mid joint, 0 when straight, positive about `n` |
//! | `α` | angle at the start joint between first bone and line to the end |
//! | `K` | rotation about `n` that opens or closes the limb, in the pose as it is now |
//! | `S` | rotation of the whole limb about the start joint, applied after `K` |

use glam::{DQuat, DVec3};

use super::reach::{ROUNDING, Reach};
use super::rotation::{about_half, half_ratio, part, reject, rotate, with_positive_w};
use super::soft::SoftReach;
use super::triangle::{NO_BONE, Triangle, triangle};
use crate::math::{
    brought_to_size, length, measure, measure_ordinary, normalised, perpendicular,
    power_of_two_near, quaternion, shortest_between, shortest_unscaled, sin_cos, sqrt,
};
use crate::{ErrorKind, Result};

/// Sine of the angle below which two directions count as parallel: a limb bent by less is straight, a pole within it of the
/// line to the target is degenerate. 1e-6 rad is ten times the rounding of the single-precision numbers
/// that poses often come from; smaller and their rounding would choose the knee's direction.
pub(crate) const NO_DIRECTION: f64 = 1e-6;

/// Coordinates above this size could overflow when subtracted, so the problem is scaled down first.
const HUGE: f64 = 1e300;

/// Where the mid joint (knee, elbow) should point, in model space.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Pole {
    /// Keep the limb's own bend plane: the start joint makes the smallest rotation that brings the end to the target.
    #[default]
    None,
    /// The mid joint points in this direction (any length).
    Direction(DVec3),
    /// The mid joint points towards this position.
    Point(DVec3),
}

/// Two bones and a target: which rotations of the start and mid joints put the end joint on the target?
///
/// Plain data: set what differs from the defaults, call [`solve`](Self::solve); on a skeleton, begin with [`on_skeleton`](Self::on_skeleton) and end with
/// [`TwoBoneSolution::apply`]. All positions are in one common space, called model space here; it may be the world. Only positions matter, so the three joints need not be neighbours, the bones need not lie
/// along any axis, and a scaled or mirrored skeleton needs no special treatment.
///
/// # Example: a leg
/// ```
/// use posekit::glam::DVec3;
/// use posekit::limb::{Pole, TwoBone};
///
/// let (hip, knee, ankle) = (DVec3::new(0.0, 0.9, 0.0), DVec3::new(0.0, 0.5, 0.05), DVec3::new(0.0, 0.1, 0.0));
/// let target = DVec3::new(0.1, 0.3, 0.2);
/// // The knee points forward.
/// let leg = TwoBone::new(hip, knee, ankle, target).with_pole(Pole::Direction(DVec3::Z));
/// let solution = leg.solve()?;
/// assert!(solution.reach.is_reached());
/// assert!((solution.end - target).length() < 1e-12);
/// # Ok::<(), posekit::Error>(())
/// ```
///
/// # Example: a target out of reach
/// ```
/// use posekit::glam::DVec3;
/// use posekit::limb::{Reach, TwoBone};
///
/// let arm = TwoBone::new(DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::new(0.0, 5.0, 0.0));
/// let solution = arm.solve()?;
/// assert_eq!(solution.reach, Reach::TooFar { shortfall: 3.0 });
/// assert!((solution.end - DVec3::new(0.0, 2.0, 0.0)).length() < 1e-12);
/// # Ok::<(), posekit::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct TwoBone {
    /// Position of the start joint (hip, shoulder), in model space.
    pub start: DVec3,
    /// Position of the mid joint (knee, elbow), in model space.
    pub mid: DVec3,
    /// Position of the end joint (ankle, wrist), in model space.
    pub end: DVec3,
    /// Where the end joint should be, in model space.
    pub target: DVec3,
    /// Where the mid joint should point. Default: [`Pole::None`].
    pub pole: Pole,
    /// How the limb approaches full extension. Default: [`SoftReach::None`], which reaches every target in range.
    pub soft: SoftReach,
    /// Rotation of the whole limb about the line from start to target, after everything else; right-handed about the
    /// direction to the target \[rad\]. Default 0, which costs no trigonometry.
    pub twist: f64,
    /// The part of the correction to apply, from 0 (none, exactly) to 1 (all); clamped to 0..=1.
    /// Between, each joint makes that part of its rotation by normalised linear interpolation, so the bones keep their length
    /// and the mid joint stays a hinge, but the end does not move on a straight line. Default 1.
    pub weight: f64,
    /// Axis that the mid joint bends about, in model space, any length; a positive rotation about it folds the limb. Not
    /// needed for a bent limb. It defines the bend plane of a straight limb, and a limb that is bent to the other side (a knee
    /// slightly overextended in the pose) is moved through straight to this side. Default `None`.
    ///
    /// With the last frame's [`TwoBoneSolution::mid_axis`], a limb that was straightened bends again to the same side.
    pub mid_axis: Option<DVec3>,
}

/// The rotations of a [`TwoBone`] limb's joints, and their new positions.
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use]
#[non_exhaustive]
pub struct TwoBoneSolution {
    /// Rotation to multiply onto the start joint's model-space rotation, from the left:
    /// `model_from_start_new = start_correction * model_from_start_old`. Everything between start and mid follows. `w ≥ 0`.
    pub start_correction: DQuat,
    /// Rotation to multiply onto the mid joint's *old* model-space rotation, from the left, instead of the start's:
    /// `model_from_mid_new = mid_correction * model_from_mid_old`. It contains the start joint's correction. Everything
    /// from the mid joint to the end follows. `w ≥ 0`.
    pub mid_correction: DQuat,
    /// New position of the mid joint, in model space.
    pub mid: DVec3,
    /// New position of the end joint, in model space.
    pub end: DVec3,
    /// Whether the target is in range, and the remaining distance. For full weight, whatever the weight.
    pub reach: Reach,
    /// Distance from `end` to the target \[m\]. With weight 1 it is the shortfall to rounding.
    pub error: f64,
    /// The axis that the mid joint bends about after the solve, in model space, a unit vector: the [`TwoBone::mid_axis`] of the
    /// next frame. For full weight. Zero only when both bones have length zero.
    pub mid_axis: DVec3,
    /// A pole was given but defines no direction: it is zero, at the start joint, or parallel to the line to the target
    /// (within 1e-6 rad). The limb keeps its own bend plane, as without a pole.
    pub pole_degenerate: bool,
    /// The limb was straight, without a pole or a mid axis to define its bend: the bend axis is
    /// [`perpendicular`] of the first bone's direction.
    pub plane_by_rule: bool,
}

/// A limb and its target as lengths and unit directions.
///
/// The direction of a line of almost no length is meaningless, and may be NaN.
#[derive(Debug, Clone, Copy)]
struct Shape {
    a: f64,
    b: f64,
    /// Distance from start to target.
    d: f64,
    u: DVec3,
    v: DVec3,
    t: DVec3,
}

impl Shape {
    /// True when the squares of all lengths fit.
    #[inline(always)]
    fn has_usual_size(&self) -> bool {
        let outer = self.a + self.b;
        outer > 1e-20 && outer < 1e20 && self.d < 1e100
    }

    /// True when, besides, each line has a direction.
    #[inline(always)]
    fn is_ordinary(&self) -> bool {
        let none = NO_BONE * (self.a + self.b);
        self.has_usual_size() && self.a > none && self.b > none && self.d > none
    }
}

/// The angle between the bones, from their directions.
#[derive(Debug, Clone, Copy)]
struct Bend {
    cross: DVec3,
    sin_squared: f64,
    cos: f64,
}

impl Bend {
    #[inline(always)]
    fn new(u: DVec3, v: DVec3) -> Self {
        let cross = u.cross(v);
        Self { cross, sin_squared: cross.dot(cross), cos: u.dot(v) }
    }

    /// True when the limb is bent enough to define a plane.
    #[inline(always)]
    fn has_direction(&self) -> bool {
        self.sin_squared > NO_DIRECTION * NO_DIRECTION
    }
}

/// The plane that the limb bends in.
#[derive(Debug, Clone, Copy)]
struct BendPlane {
    /// The bend axis `n`, at right angles to the first bone, times `axis_length`.
    axis: DVec3,
    /// Length of `axis`, at least 1e-6: the products below need only ratios, so it is not normalised.
    axis_length: f64,
    /// Numbers in the ratio of cos(φ/2) to sin(φ/2) of the limb as it is.
    half_bend: (f64, f64),
    /// Aligns the second bone of a straight limb exactly with the first.
    straighten: Option<DQuat>,
    /// True when no input chose the axis.
    by_rule: bool,
}

impl TwoBone {
    /// A limb and its target, with the defaults of the other fields.
    #[inline]
    #[must_use]
    pub fn new(start: DVec3, mid: DVec3, end: DVec3, target: DVec3) -> Self {
        Self {
            start,
            mid,
            end,
            target,
            pole: Pole::None,
            soft: SoftReach::None,
            twist: 0.0,
            weight: 1.0,
            mid_axis: None,
        }
    }

    /// The same limb with a soft approach to full extension, for instance [`SoftReach::RECOMMENDED`]: the knee no longer snaps
    /// straight when the target leaves its reach, and the end stays short of targets in the last part of it.
    ///
    /// # Example
    /// ```
    /// use posekit::glam::DVec3;
    /// use posekit::limb::{SoftReach, TwoBone};
    ///
    /// let arm = TwoBone::new(DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::new(0.0, 2.0, 0.0));
    /// assert_eq!(arm.solve()?.reach.shortfall(), 0.0);
    /// let soft = arm.with_soft_reach(SoftReach::RECOMMENDED).solve()?;
    /// assert!((soft.reach.shortfall() - 0.0125 * 2.0).abs() < 1e-12);
    /// # Ok::<(), posekit::Error>(())
    /// ```
    #[inline]
    #[must_use]
    pub const fn with_soft_reach(self, soft: SoftReach) -> Self {
        Self { soft, ..self }
    }

    /// The same limb with another target.
    #[inline]
    #[must_use]
    pub const fn with_target(self, target: DVec3) -> Self {
        Self { target, ..self }
    }

    /// The same limb with its mid joint pointing somewhere.
    #[inline]
    #[must_use]
    pub const fn with_pole(self, pole: Pole) -> Self {
        Self { pole, ..self }
    }

    /// The same limb, rotated about the line to its target \[rad\].
    #[inline]
    #[must_use]
    pub const fn with_twist(self, twist: f64) -> Self {
        Self { twist, ..self }
    }

    /// The same limb with a part of its correction, from 0 to 1.
    #[inline]
    #[must_use]
    pub const fn with_weight(self, weight: f64) -> Self {
        Self { weight, ..self }
    }

    /// The same limb with an axis that its mid joint bends about.
    #[inline]
    #[must_use]
    pub fn with_mid_axis(self, mid_axis: impl Into<Option<DVec3>>) -> Self {
        Self { mid_axis: mid_axis.into(), ..self }
    }

    /// Solves the limb.
    ///
    /// Uses square roots only, unless there is a twist, and does not allocate.
    ///
    /// # Degenerate cases
    /// - Target too far: the limb is straight towards it. Too near for unequal bones: folded, the end on the line to it.
    /// - Target on the start joint (within 1e-60 of the reach): equal bones fold flat and reach it, the first bone staying
    ///   as it is or pointing at the pole; the end of unequal bones stays on its side of the start joint.
    /// - Straight limb: bends about `mid_axis`, else towards the pole, else about [`perpendicular`] of its direction
    ///   (flag `plane_by_rule`).
    /// - Target exactly opposite to the end, as seen from the start: the limb rotates within its own bend plane.
    /// - Pole without a direction: the limb's own bend plane is kept (flag `pole_degenerate`).
    /// - Bone of length zero: the limb is one rigid bone and only points. Both zero: no rotation.
    ///
    /// # Errors
    /// `Error::is_not_finite` naming the field, when any number given is NaN or infinite.
    ///
    /// # Method
    /// The law of cosines \[bridson11\] in its half-angle form \[kahan00\] gives the bend `φ` that the distance needs and
    /// the angle `α`. `K` rotates the mid joint about `n` by the difference of bends; `S` is the shortest rotation from the
    /// line to the end after `K` to the line to the target, then a rotation about that line that brings the knee to the pole.
    /// Inputs and outputs, three positions and two corrections, are those of ozz \[ozz\].
    // Inlined so that a limb that is filled in, solved and read in one place stays in registers (its vectors straddle the
    // stores that write them to memory, and reading them back costs a fifth of the solve) and so that unused outputs are not
    // computed. For the same reason the cold path takes the limb by value and its solution is copied: no value here may
    // have its address taken.
    #[inline(always)]
    pub fn solve(&self) -> Result<TwoBoneSolution> {
        let shape = self.shape();
        let knee = self.pole_direction().map(|pole| Knee::new(pole, shape.t));
        let bend = Bend::new(shape.u, shape.v);
        // Where these hold all positions and the pole are finite: a difference with anything else fails a comparison.
        let is_ordinary = shape.is_ordinary()
            && bend.has_direction()
            && knee.is_none_or(|knee| knee.is_ordinary())
            && self.sum_of_settings() < HUGE
            && self.twist == 0.0;
        if !is_ordinary {
            let solution = (*self).solve_unordinary(shape)?;
            return Ok(TwoBoneSolution { ..solution });
        }
        let Shape { a, b, d, u, t, .. } = shape;
        let (solved, reach) = self.judge(a, b, d);
        let triangle = triangle(a, b, solved);
        let plane = self.bend_plane_of_bent(u, bend);
        let rotation = match knee {
            Some(knee) => rotation_to_knee(&plane, &triangle, u, t, knee.across),
            None => least_rotation(&plane, &triangle, u, t),
        };
        Ok(self.finish(rotation, &plane, &triangle, reach))
    }

    /// Lengths and directions, valid where [`Shape::is_ordinary`] holds.
    #[inline(always)]
    fn shape(&self) -> Shape {
        let first = measure_ordinary(self.mid - self.start);
        let second = measure_ordinary(self.end - self.mid);
        let line = measure_ordinary(self.target - self.start);
        let (a, b, d) = (first.length, second.length, line.length);
        Shape { a, b, d, u: first.direction, v: second.direction, t: line.direction }
    }

    /// Sum of the absolute values of all numbers but positions and pole.
    #[inline(always)]
    fn sum_of_settings(&self) -> f64 {
        self.mid_axis.map_or(0.0, sum_of_sizes)
            + self.soft.ratio().abs()
            + self.twist.abs()
            + self.weight.abs()
    }

    /// [`solve`](Self::solve) for bad input, sizes whose squares do not fit, a twist, a straight limb, a pole that may be
    /// degenerate.
    #[inline(never)]
    fn solve_unordinary(self, shape: Shape) -> Result<TwoBoneSolution> {
        let pole = match self.pole {
            Pole::None => 0.0,
            Pole::Direction(pole) | Pole::Point(pole) => sum_of_sizes(pole),
        };
        // A sum of sizes is infinite or NaN as soon as one number is.
        let positions = [self.start, self.mid, self.end, self.target].map(sum_of_sizes);
        if pole + positions.iter().sum::<f64>() + self.sum_of_settings() < HUGE {
            Ok(if shape.has_usual_size() { self.solve_any(shape) } else { self.solve_extreme() })
        } else {
            self.solve_unusual()
        }
    }

    /// Input that is not finite, or so large that differences could overflow.
    #[cold]
    fn solve_unusual(self) -> Result<TwoBoneSolution> {
        // 2^-16 keeps every difference finite; scaling by a power of two is exact.
        const FACTOR: f64 = 1.0 / 65536.0;
        self.check_finite()?;
        let pole = match self.pole {
            Pole::None => Pole::None,
            Pole::Direction(pole) => Pole::Direction(pole * FACTOR),
            Pole::Point(pole) => Pole::Point(pole * FACTOR),
        };
        let job = Self {
            start: self.start * FACTOR,
            mid: self.mid * FACTOR,
            end: self.end * FACTOR,
            target: self.target * FACTOR,
            pole,
            mid_axis: self.mid_axis.map(|axis| axis * FACTOR),
            ..self
        };
        let shape = job.shape();
        let solution =
            if shape.has_usual_size() { job.solve_any(shape) } else { job.solve_extreme() };
        let grow = |v: DVec3| (v / FACTOR).clamp(DVec3::MIN, DVec3::MAX);
        Ok(TwoBoneSolution {
            mid: grow(solution.mid),
            end: grow(solution.end),
            reach: solution.reach.scaled(1.0 / FACTOR),
            error: (solution.error / FACTOR).min(f64::MAX),
            ..solution
        })
    }

    /// Names the first number that is not finite.
    fn check_finite(&self) -> Result<()> {
        let pole = match self.pole {
            Pole::None => DVec3::ZERO,
            Pole::Direction(pole) | Pole::Point(pole) => pole,
        };
        let vectors = [
            ("start", self.start),
            ("mid", self.mid),
            ("end", self.end),
            ("target", self.target),
            ("pole", pole),
            ("mid_axis", self.mid_axis.unwrap_or(DVec3::ZERO)),
        ];
        for (what, vector) in vectors {
            if let Some(index) = vector.to_array().iter().position(|value| !value.is_finite()) {
                return Err(ErrorKind::NonFinite { what, index }.into());
            }
        }
        let scalars =
            [("soft ratio", self.soft.ratio()), ("twist", self.twist), ("weight", self.weight)];
        match scalars.iter().find(|(_, value)| !value.is_finite()) {
            Some(&(what, _)) => Err(ErrorKind::NonFinite { what, index: 0 }.into()),
            None => Ok(()),
        }
    }

    /// The distance at which the end is placed for a target at distance `d`, and the outcome.
    #[inline(always)]
    fn judge(&self, a: f64, b: f64, d: f64) -> (f64, Reach) {
        let (inner, outer) = ((a - b).abs(), a + b);
        let solved = self.soft.distance(d, outer, inner);
        (solved, Reach::judge(d, solved.max(inner), inner, outer))
    }

    /// The solution from the limb's rotation `S`, times a positive number.
    #[inline(always)]
    fn finish(
        &self,
        rotation: DQuat,
        plane: &BendPlane,
        triangle: &Triangle,
        reach: Reach,
    ) -> TwoBoneSolution {
        let (start_correction, mid_correction) =
            self.weighted(rotation, plane.hinge_rotation(triangle));
        let (mid, end) = self.place(start_correction, mid_correction);
        TwoBoneSolution {
            start_correction,
            mid_correction,
            mid,
            end,
            reach,
            error: length(self.target - end),
            mid_axis: rotate(normalised(rotation), plane.unit_axis()),
            pole_degenerate: false,
            plane_by_rule: false,
        }
    }

    /// [`solve_any`](Self::solve_any) for sizes whose squares do not fit: the shape is brought to size 1 by a power
    /// of two.
    #[cold]
    fn solve_extreme(self) -> TwoBoneSolution {
        let (first, second) = (measure(self.mid - self.start), measure(self.end - self.mid));
        let line = measure(self.target - self.start);
        let (outer, inner) = (first.length + second.length, (first.length - second.length).abs());
        if outer <= 0.0 {
            return self.unrotated(Reach::judge(line.length, 0.0, inner, outer));
        }
        let unit = power_of_two_near(first.length.max(second.length));
        let (a, b) = (first.length / unit, second.length / unit);
        // Any larger distance has the same solution; the shortfall is corrected below.
        let d = (line.length / unit).min(1e99);
        let (u, v, t) = (first.direction, second.direction, line.direction);
        let solution = self.solve_any(Shape { a, b, d, u, v, t });
        let reach = match solution.reach {
            Reach::TooFar { .. } => Reach::TooFar { shortfall: line.length - outer },
            reach => reach.scaled(unit),
        };
        TwoBoneSolution { reach, ..solution }
    }

    /// The solution for any shape: with a twist, of a straight limb, with a pole that may be degenerate.
    ///
    /// Kept apart from the ordinary case, which is some 20 % faster when it need not share its registers with this.
    #[inline(never)]
    fn solve_any(self, shape: Shape) -> TwoBoneSolution {
        let Shape { a, b, d, u, v, t } = shape;
        // A bone of length zero has no direction of its own: it is read as the continuation of the other.
        let none = NO_BONE * (a + b);
        let u = if a > none { u } else { v };
        let v = if b > none { v } else { u };
        let t = (d > none).then_some(t);
        // On the start joint, bones that are equal to rounding fold as equal ones do.
        let equal = (a - b).abs() <= ROUNDING * (a + b);
        let (b, d) = match t {
            Some(_) => (b, d),
            None => (if equal { a } else { b }, 0.0),
        };
        let (solved, reach) = self.judge(a, b, d);
        let triangle = triangle(a, b, solved);
        let mut plane = self.bend_plane(u, v);
        let t = t.unwrap_or_else(|| self.end_direction(u, &plane, equal));
        let asked = self.pole_direction().map(|pole| Knee::new(brought_to_size(pole), t));
        let knee = asked.filter(Knee::is_ordinary);
        let rotation = match knee {
            Some(knee) if plane.by_rule => free_rotation(&mut plane, &triangle, u, t, knee.across),
            Some(knee) => rotation_to_knee(&plane, &triangle, u, t, knee.across),
            None => least_rotation(&plane, &triangle, u, t),
        };
        let solution = self.finish(self.twisted(rotation, t), &plane, &triangle, reach);
        TwoBoneSolution {
            pole_degenerate: asked.is_some() && knee.is_none(),
            plane_by_rule: plane.by_rule && knee.is_none(),
            ..solution
        }
    }

    /// The answer for a limb whose bones have no length.
    fn unrotated(&self, reach: Reach) -> TwoBoneSolution {
        TwoBoneSolution {
            start_correction: DQuat::IDENTITY,
            mid_correction: DQuat::IDENTITY,
            mid: self.mid,
            end: self.end,
            reach,
            error: measure(self.target - self.end).length,
            mid_axis: DVec3::ZERO,
            pole_degenerate: false,
            plane_by_rule: false,
        }
    }

    /// Where the pole lies as seen from the start joint.
    #[inline]
    fn pole_direction(&self) -> Option<DVec3> {
        match self.pole {
            Pole::None => None,
            Pole::Direction(pole) => Some(pole),
            Pole::Point(pole) => Some(pole - self.start),
        }
    }

    /// The plane that the limb bends in now, from the directions of its bones.
    fn bend_plane(&self, u: DVec3, v: DVec3) -> BendPlane {
        let bend = Bend::new(u, v);
        if bend.has_direction() {
            self.bend_plane_of_bent(u, bend)
        } else {
            self.bend_plane_of_straight(u, v, bend.cos)
        }
    }

    /// [`bend_plane`](Self::bend_plane) of a bent limb, from the cross and dot products of its directions.
    #[inline(always)]
    fn bend_plane_of_bent(&self, u: DVec3, bend: Bend) -> BendPlane {
        let Bend { cross, sin_squared, cos } = bend;
        let sin = sqrt(sin_squared);
        // The cross product of nearly parallel bones leans; without its part along `u` it is exact again.
        let mut axis = reject(cross, u);
        let (cos_half, mut sin_half) = half_ratio(cos, sin, 1.0);
        if self.mid_axis.is_some_and(|hint| hint.dot(axis) < 0.0) {
            (axis, sin_half) = (-axis, -sin_half);
        }
        BendPlane {
            axis,
            axis_length: sin,
            half_bend: (cos_half, sin_half),
            straighten: None,
            by_rule: false,
        }
    }

    /// [`bend_plane`](Self::bend_plane) of a limb that is straight or fully folded.
    #[cold]
    fn bend_plane_of_straight(&self, u: DVec3, v: DVec3, cos: f64) -> BendPlane {
        let hint = self.mid_axis.map_or(DVec3::ZERO, |hint| reject(measure(hint).direction, u));
        let by_rule = hint.dot(hint) <= NO_DIRECTION * NO_DIRECTION;
        let axis = if by_rule { perpendicular(u) } else { measure(hint).direction };
        let (along, half_bend) = if cos >= 0.0 { (u, (1.0, 0.0)) } else { (-u, (0.0, 1.0)) };
        let straighten = Some(shortest_between(v, along, axis));
        BendPlane { axis, axis_length: 1.0, half_bend, straighten, by_rule }
    }

    /// A substitute for the direction to a target on the start joint.
    #[cold]
    fn end_direction(&self, u: DVec3, plane: &BendPlane, equal: bool) -> DVec3 {
        if !equal {
            // The end cannot come to the target: it stays on the side where it is.
            return measure(self.end - self.start).direction;
        }
        // While a limb of equal bones folds flat, its end is seen from the start at right angles to the first bone. Taking
        // that direction as it is now keeps the first bone in place ...
        let axis = plane.unit_axis();
        let now = axis.cross(u);
        // ... and rotated with the bone to the pole, it makes the folded limb point exactly there.
        match self.pole_direction().map(|pole| measure(pole).direction) {
            Some(pole) if pole != DVec3::ZERO => rotate(shortest_between(u, pole, axis), now),
            _ => now,
        }
    }

    /// The limb's rotation with the twist about the line to the target.
    #[inline]
    fn twisted(&self, rotation: DQuat, t: DVec3) -> DQuat {
        if self.twist == 0.0 {
            return rotation;
        }
        let (sin_half, cos_half) = sin_cos(0.5 * self.twist);
        about_half(t, cos_half, sin_half) * rotation
    }

    /// Both joints' corrections from `S` and `K`, each times a positive number, by the limb's weight.
    #[inline(always)]
    fn weighted(&self, rotation: DQuat, hinge: DQuat) -> (DQuat, DQuat) {
        if self.weight < 1.0 {
            let weight = self.weight.max(0.0);
            let share = |rotation| part(with_positive_w(normalised(rotation)), weight);
            let (rotation, hinge) = (share(rotation), share(hinge));
            return (rotation, with_positive_w(rotation * hinge));
        }
        // The second need not wait for the length of the first.
        (with_positive_w(normalised(rotation)), with_positive_w(normalised(rotation * hinge)))
    }

    /// The positions of mid and end joint under the corrections.
    #[inline(always)]
    fn place(&self, start_correction: DQuat, mid_correction: DQuat) -> (DVec3, DVec3) {
        if self.weight <= 0.0 {
            return (self.mid, self.end);
        }
        let mid = self.start + rotate(start_correction, self.mid - self.start);
        (mid, mid + rotate(mid_correction, self.end - self.mid))
    }
}

impl BendPlane {
    /// The rotation `K` of the mid joint, about `axis`, that gives the limb the bend of the triangle, times a positive number.
    #[inline(always)]
    fn hinge_rotation(&self, triangle: &Triangle) -> DQuat {
        let ((cos_now, sin_now), (cos_new, sin_new)) = (self.half_bend, triangle.half_bend);
        let cos = cos_new * cos_now + sin_new * sin_now;
        let sin = sin_new * cos_now - cos_new * sin_now;
        let rotation = about_half(self.axis, cos * self.axis_length, sin);
        self.straighten.map_or(rotation, |straighten| rotation * straighten)
    }

    /// `n`, a unit vector.
    fn unit_axis(&self) -> DVec3 {
        self.axis * (1.0 / self.axis_length)
    }
}

/// Sum of the absolute values of a vector's coordinates.
#[inline(always)]
fn sum_of_sizes(v: DVec3) -> f64 {
    v.x.abs() + v.y.abs() + v.z.abs()
}

/// The direction that the mid joint should point in, from the pole.
#[derive(Debug, Clone, Copy)]
struct Knee {
    /// The part of the pole's direction at right angles to the line to the target.
    across: DVec3,
    across_squared: f64,
    pole_squared: f64,
}

impl Knee {
    #[inline(always)]
    fn new(pole: DVec3, t: DVec3) -> Self {
        let across = reject(pole, t);
        Self { across, across_squared: across.dot(across), pole_squared: pole.dot(pole) }
    }

    /// True when there is such a direction and it has an ordinary length, one whose products keep their digits.
    #[inline(always)]
    fn is_ordinary(&self) -> bool {
        self.across_squared > NO_DIRECTION * NO_DIRECTION * self.pole_squared
            && self.pole_squared > 1e-60
            && self.pole_squared < 1e60
    }
}

/// The limb's rotation `S` without a pole: the smallest one.
#[inline(always)]
fn least_rotation(plane: &BendPlane, triangle: &Triangle, u: DVec3, t: DVec3) -> DQuat {
    let (cos, sin) = triangle.start();
    let axis = plane.unit_axis();
    shortest_between(u * cos + axis.cross(u) * sin, t, axis)
}

/// The limb's rotation `S` that brings the mid joint to the side of `knee`, times a positive number.
///
/// # Method
/// `S = Q R⁻¹`, where `R` rotates by `α` about `n` and `Q` takes the frame of `u` and `n` to that of `t` and the new bend
/// axis, `knee × t`. `Q` does not need the triangle, so a processor works on both at once.
///
/// All rotations from `u` to `t` are combinations of two: the shortest, `(u × t, w)` with `w = 1 + u·t`, and the half turn
/// about `s = u + t`; the shortest followed by a rotation about `t` with half-angle `(c, σ)` is `c` times the one and `σ` times
/// the other. Of a vector `x` at right angles to `u` the shortest makes `x − s (s·x) / w`. With `n` and `u × n` for `x` that
/// gives the remaining rotation of the new bend axis about `t`, in dot products alone. `s` is taken as `w t + t × (u × t)`,
/// which is exact next to `u = −t` too. All factors are left unnormalised.
#[inline(always)]
fn rotation_to_knee(
    plane: &BendPlane,
    triangle: &Triangle,
    u: DVec3,
    t: DVec3,
    knee: DVec3,
) -> DQuat {
    let aim = shortest_unscaled(u, t, plane.axis);
    let half_turn = t * aim.w + t.cross(aim.xyz());
    let side = u.cross(plane.axis);
    let along = knee.dot(half_turn);
    // Equal to `aim.w` but for the rounding of `u` and `t`, which next to `u = −t` is all there is.
    let w = 0.5 * half_turn.dot(half_turn);
    let cos = w * knee.dot(side) - along * half_turn.dot(side);
    let sin = along * half_turn.dot(plane.axis) - w * knee.dot(plane.axis);
    let (c, s) = half_ratio(cos, sin, sqrt(cos * cos + sin * sin));
    let frame = quaternion(aim.xyz() * c + half_turn * s, aim.w * c);
    let (cos_half, sin_half) = triangle.half_start;
    frame * about_half(plane.axis, cos_half * plane.axis_length, -sin_half)
}

/// The limb's rotation `S` for a straight limb with a pole and without a bend plane: the smallest rotation of the first bone to
/// its new direction, which adds no twist. Sets the plane's axis to the corresponding one.
#[cold]
fn free_rotation(
    plane: &mut BendPlane,
    triangle: &Triangle,
    u: DVec3,
    t: DVec3,
    knee: DVec3,
) -> DQuat {
    let (cos, sin) = triangle.start();
    let knee = measure(reject(knee, t)).direction;
    let rotation = shortest_between(u, t * cos + knee * sin, plane.axis);
    plane.axis = measure(reject(rotation.conjugate() * knee.cross(t), u)).direction;
    rotation
}

impl TwoBoneSolution {
    /// The start joint's new rotation relative to its parent, for poses that are stored so. The joint values of a
    /// [`Skeleton`](crate::skeleton::Skeleton) lie behind a placement: use [`apply`](Self::apply).
    ///
    /// - `model_from_parent`: model-space rotation of the start joint's parent, which the limb does not move
    /// - `model_from_start`: the start joint's model-space rotation before the solve
    ///
    /// Both must be unit quaternions; this is not checked.
    #[inline]
    #[must_use]
    pub fn parent_from_start(&self, model_from_parent: DQuat, model_from_start: DQuat) -> DQuat {
        model_from_parent.conjugate() * (self.start_correction * model_from_start)
    }

    /// The mid joint's new rotation relative to its parent; for skeletons see [`parent_from_start`](Self::parent_from_start).
    ///
    /// - `model_from_parent`: model-space rotation of the mid joint's parent *before* the solve; the parent is the start
    ///   joint or any joint between, all of which rotate with the start joint
    /// - `model_from_mid`: the mid joint's model-space rotation before the solve
    ///
    /// Both must be unit quaternions; this is not checked.
    #[inline]
    #[must_use]
    pub fn parent_from_mid(&self, model_from_parent: DQuat, model_from_mid: DQuat) -> DQuat {
        (self.start_correction * model_from_parent).conjugate()
            * (self.mid_correction * model_from_mid)
    }
}
