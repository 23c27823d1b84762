//! A joint that aims: a head, a turret, a bone whose axis must pass through a point.

use glam::{DQuat, DVec3};

use super::reach::Reach;
use super::rotation::{about_half, about_unscaled, part, reject, with_positive_w};
use crate::math::{
    Pose, measure, normalised, perpendicular, shortest_between, sin_cos, sqrt, unit_or_identity,
};
use crate::{ErrorKind, Result};

/// Sine of the angle below which a direction defines no rotation about another; ten times the rounding of single-precision
/// input.
const NO_DIRECTION: f64 = 1e-6;

/// Coordinates above this size could overflow when subtracted, so the problem is scaled down first.
const HUGE: f64 = 1e300;

/// A joint, a ray fixed to it, and a target: which rotation of the joint makes the ray meet the target?
///
/// The ray starts at `offset` and points along `forward`, both in the joint's own frame: for a head joint whose eyes lie
/// in front of and above it, the line of sight. Plain data: set what differs from the defaults, call [`solve`](Self::solve). Model space is any
/// space that the joint's pose and the target share.
///
/// For a chain (spine, neck, head) solve the joints one after another from the tip to the root, each with its own weight
/// and with the ray expressed in its frame, and apply each correction before the next; the last with weight 1.
///
/// # Example
/// ```
/// use posekit::glam::DVec3;
/// use posekit::limb::Aim;
/// use posekit::math::Pose;
///
/// let head = Pose::from_translation(DVec3::new(0.0, 1.6, 0.0));
/// let target = DVec3::new(2.0, 1.0, 1.0);
/// let solution = Aim::new(head, target).with_offset(DVec3::new(0.0, 0.1, 0.08)).solve()?;
/// let eye = head.translation + solution.correction * DVec3::new(0.0, 0.1, 0.08);
/// let sight = solution.correction * DVec3::Z;
/// assert!(sight.cross(target - eye).length() < 1e-12); // the line of sight passes through the target
/// # Ok::<(), posekit::Error>(())
/// ```
///
/// # Example: a target inside the offset
/// ```
/// use posekit::glam::DVec3;
/// use posekit::limb::{Aim, Reach};
/// use posekit::math::Pose;
///
/// let aim = Aim::new(Pose::IDENTITY, DVec3::new(0.25, 0.0, 0.0)).with_offset(DVec3::Z);
/// assert_eq!(aim.solve()?.reach, Reach::TooNear { shortfall: 0.75 });
/// # Ok::<(), posekit::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Aim {
    /// The joint's pose, in model space.
    pub model_from_joint: Pose,
    /// The point to aim at, in model space.
    pub target: DVec3,
    /// Direction of the ray, in the joint's frame, any length > 0. Default +z, forward in glTF.
    pub forward: DVec3,
    /// Start of the ray, in the joint's frame \[m\]. Default: the joint itself.
    pub offset: DVec3,
    /// The axis that should point towards the pole, in the joint's frame, any length. Used only with a pole, and as the
    /// axis of rotation when the target is exactly behind. Default +y.
    pub up: DVec3,
    /// Direction, in model space, that `up` should point to as nearly as the aim allows (any length). Default `None`: the
    /// smallest rotation that aims, without roll.
    pub pole: Option<DVec3>,
    /// Rotation about the line from joint to target, after everything else; right-handed about the direction to the target
    /// \[rad\]. Default 0, which costs no trigonometry.
    pub twist: f64,
    /// The part of the rotation to apply, from 0 (none, exactly) to 1 (all), by normalised linear interpolation; clamped to
    /// 0..=1. Default 1.
    pub weight: f64,
}

/// The rotation of an [`Aim`]'s joint.
#[derive(Debug, Clone, Copy, PartialEq)]
#[must_use]
#[non_exhaustive]
pub struct AimSolution {
    /// Rotation to multiply onto the joint's model-space rotation, from the left:
    /// `model_from_joint_new = correction * model_from_joint_old`. `w ≥ 0`.
    pub correction: DQuat,
    /// Whether the ray can meet the target: [`Reach::Reached`], or [`Reach::TooNear`] when the target is closer to the
    /// joint than every point of the ray. For full weight, whatever the weight.
    pub reach: Reach,
    /// Distance from the target to the ray after the rotation \[m\].
    pub error: f64,
    /// A pole was given but has no effect: it points along the line to the target or is zero, or `up` points along the
    /// aimed direction or is zero (all within 1e-6 rad), or the target is at the joint. No roll is applied.
    pub pole_degenerate: bool,
}

/// The vectors in model space, relative to the joint, scaled.
struct Setup {
    forward: DVec3,
    up: DVec3,
    offset: DVec3,
    line: DVec3,
    /// The factor of the positions.
    factor: f64,
}

impl Aim {
    /// A joint that aims its +z axis at a target, with the defaults of the other fields.
    #[must_use]
    pub fn new(model_from_joint: Pose, target: DVec3) -> Self {
        Self {
            model_from_joint,
            target,
            forward: DVec3::Z,
            offset: DVec3::ZERO,
            up: DVec3::Y,
            pole: None,
            twist: 0.0,
            weight: 1.0,
        }
    }

    /// The same aim at another target.
    #[inline]
    #[must_use]
    pub const fn with_target(self, target: DVec3) -> Self {
        Self { target, ..self }
    }

    /// The same aim with another direction of the ray, in the joint's frame.
    #[inline]
    #[must_use]
    pub const fn with_forward(self, forward: DVec3) -> Self {
        Self { forward, ..self }
    }

    /// The same aim with another start of the ray, in the joint's frame \[m\].
    #[inline]
    #[must_use]
    pub const fn with_offset(self, offset: DVec3) -> Self {
        Self { offset, ..self }
    }

    /// The same aim with another axis that points towards the pole, in the joint's frame.
    #[inline]
    #[must_use]
    pub const fn with_up(self, up: DVec3) -> Self {
        Self { up, ..self }
    }

    /// The same aim with a direction, in model space, that `up` points to.
    #[inline]
    #[must_use]
    pub fn with_pole(self, pole: impl Into<Option<DVec3>>) -> Self {
        Self { pole: pole.into(), ..self }
    }

    /// The same aim, rotated about the line to the target \[rad\].
    #[inline]
    #[must_use]
    pub const fn with_twist(self, twist: f64) -> Self {
        Self { twist, ..self }
    }

    /// The same aim with a part of its rotation, from 0 to 1.
    #[inline]
    #[must_use]
    pub const fn with_weight(self, weight: f64) -> Self {
        Self { weight, ..self }
    }

    /// Solves the aim. Square roots only, unless there is a twist; does not allocate.
    ///
    /// # Degenerate cases
    /// - Target closer than every point of the ray: the ray's nearest point is rotated onto the line from joint to target
    ///   ([`Reach::TooNear`]); the answer is continuous as the target comes into range.
    /// - Target on the joint: no rotation. Without an offset the ray starts there, so it counts as reached.
    /// - Target exactly behind: half a turn about `up` (made perpendicular to the ray), or about [`perpendicular`] of the
    ///   direction where `up` is parallel to the ray.
    /// - Pole or `up` parallel to the line to the target: flag `pole_degenerate`.
    ///
    /// # Errors
    /// `Error::is_not_finite` naming the field; `Error::is_degenerate` for a `forward` or a rotation that is zero.
    /// A rotation that is not of unit length is normalised.
    ///
    /// # Method
    /// The ray meets the sphere through the target around the joint in one point ahead of its start. The
    /// shortest rotation takes that point to the target; a rotation about the line to the target then brings `up` closest to
    /// the pole. Inputs and outputs are those of ozz's aim job \[ozz\].
    pub fn solve(&self) -> Result<AimSolution> {
        let setup = self.setup()?;
        let line = measure(setup.line);
        let (meeting, nearest) = meeting_point(&setup, line.length);
        let reach = Reach::judge_near(line.length, nearest);
        let (rotation, pole_degenerate) = self.rotation(&setup, meeting, line.direction);
        let mut correction = with_positive_w(rotation);
        if self.weight < 1.0 {
            correction = part(correction, self.weight.max(0.0));
        }
        let from_ray = setup.line - correction * setup.offset;
        let forward = correction * setup.forward;
        let error = measure(from_ray - forward * from_ray.dot(forward).max(0.0)).length;
        Ok(AimSolution {
            correction,
            reach: reach.scaled(1.0 / setup.factor),
            error: (error / setup.factor).min(f64::MAX),
            pole_degenerate,
        })
    }

    /// The full rotation, and whether a pole was given without effect.
    fn rotation(&self, setup: &Setup, meeting: DVec3, t: DVec3) -> (DQuat, bool) {
        if t == DVec3::ZERO {
            return (DQuat::IDENTITY, self.pole.is_some());
        }
        let meeting = measure(meeting).direction;
        let mut rotation = shortest_between(meeting, t, behind_axis(setup.up, meeting));
        let mut pole_degenerate = false;
        if let Some(pole) = self.pole {
            let up = reject(rotation * setup.up, t);
            let pole = reject(measure(pole).direction, t);
            pole_degenerate = up.dot(up).min(pole.dot(pole)) <= NO_DIRECTION * NO_DIRECTION;
            if !pole_degenerate {
                rotation =
                    normalised(about_unscaled(t, up.dot(pole), t.dot(up.cross(pole))) * rotation);
            }
        }
        if self.twist != 0.0 {
            let (sin_half, cos_half) = sin_cos(0.5 * self.twist);
            rotation = about_half(t, cos_half, sin_half) * rotation;
        }
        (rotation, pole_degenerate)
    }

    /// Checks the input and brings it into model space.
    fn setup(&self) -> Result<Setup> {
        self.check_finite()?;
        let forward = measure(self.forward).direction;
        if forward == DVec3::ZERO {
            return Err(ErrorKind::ZeroLength { what: "forward" }.into());
        }
        let rotation = self.model_from_joint.rotation;
        if rotation.to_array() == [0.0; 4] {
            return Err(ErrorKind::ZeroLength { what: "rotation" }.into());
        }
        let rotation = unit_or_identity(rotation);
        let position = self.model_from_joint.translation;
        let largest = position.abs().max(self.target.abs()).max(self.offset.abs()).max_element();
        let factor = if largest < HUGE { 1.0 } else { 1.0 / 65536.0 };
        Ok(Setup {
            forward: rotation * forward,
            up: rotation * measure(self.up).direction,
            offset: rotation * (self.offset * factor),
            line: self.target * factor - position * factor,
            factor,
        })
    }

    /// Names the first number that is not finite.
    fn check_finite(&self) -> Result<()> {
        let rotation = self.model_from_joint.rotation.to_array();
        let vectors = [
            ("position", self.model_from_joint.translation),
            ("target", self.target),
            ("forward", self.forward),
            ("offset", self.offset),
            ("up", self.up),
            ("pole", self.pole.unwrap_or(DVec3::ZERO)),
        ];
        if let Some(index) = rotation.iter().position(|value| !value.is_finite()) {
            return Err(ErrorKind::NonFinite { what: "rotation", index }.into());
        }
        for (what, vector) in vectors {
            if let Some(index) = vector.to_array().iter().position(|value| !value.is_finite()) {
                return Err(ErrorKind::NonFinite { what, index }.into());
            }
        }
        match [("twist", self.twist), ("weight", self.weight)].iter().find(|(_, v)| !v.is_finite())
        {
            Some(&(what, _)) => Err(ErrorKind::NonFinite { what, index: 0 }.into()),
            None => Ok(()),
        }
    }
}

impl AimSolution {
    /// The joint's new rotation relative to its parent, for poses that are stored so. The joint values of a
    /// [`Skeleton`](crate::skeleton::Skeleton) lie behind a placement: use [`apply`](Self::apply).
    ///
    /// - `model_from_parent`: model-space rotation of the joint's parent
    /// - `model_from_joint`: the joint's model-space rotation before the solve
    ///
    /// Both must be unit quaternions; this is not checked.
    #[inline]
    #[must_use]
    pub fn parent_from_joint(&self, model_from_parent: DQuat, model_from_joint: DQuat) -> DQuat {
        model_from_parent.conjugate() * (self.correction * model_from_joint)
    }
}

/// The point of the ray that lies as far from the joint as the target does, or else the ray's point nearest to the joint;
/// and the distance of that nearest point.
fn meeting_point(setup: &Setup, distance: f64) -> (DVec3, f64) {
    let offset = measure(setup.offset);
    let along = offset.direction.dot(setup.forward) * offset.length;
    // Rejected twice: the second time removes the rounding of a long offset along the ray.
    let across = reject(reject(setup.offset, setup.forward), setup.forward);
    let across_length = measure(across).length;
    let nearest = if along > 0.0 { offset.length } else { across_length };
    let on_sphere = if distance > across_length {
        // Roots of the factors: the product of two lengths could overflow.
        sqrt(distance - across_length) * sqrt(distance + across_length)
    } else {
        0.0
    };
    let ahead = on_sphere.max(along).max(0.0);
    (across + setup.forward * ahead, nearest)
}

/// The axis of rotation when the target is exactly behind.
fn behind_axis(up: DVec3, direction: DVec3) -> DVec3 {
    let axis = reject(up, direction);
    let size_squared = axis.dot(axis);
    if size_squared > NO_DIRECTION * NO_DIRECTION {
        axis * (1.0 / sqrt(size_squared))
    } else {
        perpendicular(direction)
    }
}
