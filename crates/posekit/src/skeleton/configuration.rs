//! Configurations: check, settle, clamp, and integration along tangent vectors.

use super::joint::JointKind;
use super::tree::Skeleton;
use crate::error::{ErrorKind, Result};
use crate::math::{UNIT_TOLERANCE, check_unit, so3_exp, so3_log, unit_or_identity};
use alloc::vec;
use alloc::vec::Vec;
use glam::{DQuat, DVec3};

/// Largest size of any length, angle or mimic number: its square, and a few such squares multiplied together, stay finite.
pub(crate) const LARGEST: f64 = 1e100;

impl Skeleton {
    /// The rest configuration: zeros and identity rotations, clamped to the limits, mimic joints at the values of their drivers.
    #[must_use]
    pub fn neutral(&self) -> Vec<f64> {
        let mut q = vec![0.0; self.n_values];
        for (kind, start) in self.kinds.iter().zip(&self.value_starts) {
            match kind {
                JointKind::Ball => q[start + 3] = 1.0,
                JointKind::Free => q[start + 6] = 1.0,
                JointKind::Fixed | JointKind::Revolute { .. } | JointKind::Prismatic { .. } => {}
            }
        }
        self.clamp(&mut q);
        q
    }

    /// Checks a configuration that came from outside. Limits are not part of it: see [`within_limits`](Self::within_limits).
    ///
    /// # Errors
    /// - `Error::is_wrong_length` unless there are [`n_values`](Self::n_values) numbers.
    /// - `Error::is_not_finite`, or `Error::is_out_of_range` for a number above 1e100.
    /// - `Error::is_degenerate` for a quaternion further than 0.001 from unit length.
    pub fn check(&self, q: &[f64]) -> Result<()> {
        if q.len() != self.n_values {
            let (expected, found) = (self.n_values, q.len());
            return Err(ErrorKind::Length { what: "configuration", expected, found }.into());
        }
        let is_plain_unit = |&place: &usize| {
            is_plainly_unit(DQuat::from_slice(&q[place..place + 4]).length_squared())
        };
        if are_plainly_good(q) && self.rotations.iter().all(is_plain_unit) {
            return Ok(());
        }
        (0..self.n_joints())
            .try_for_each(|joint| self.check_values(joint, &q[self.value_range(joint)]))
    }

    fn check_values(&self, joint: usize, values: &[f64]) -> Result<()> {
        let name = || self.names[joint].clone();
        for &value in values {
            if !value.is_finite() {
                return Err(ErrorKind::JointNonFinite { joint: name(), field: "value" }.into());
            }
            if value.abs() > LARGEST {
                let (min, max) = (-LARGEST, LARGEST);
                let joint = name();
                return Err(
                    ErrorKind::JointOutOfBounds { joint, field: "value", value, min, max }.into()
                );
            }
        }
        match rotation_in(values) {
            None => Ok(()),
            Some(rotation) => check_unit(rotation).map_err(|length| {
                ErrorKind::JointNotUnit { joint: name(), field: "value", length }.into()
            }),
        }
    }

    /// Makes a checked configuration exact: quaternions of unit length, mimic joints at the values that follow from their drivers.
    ///
    /// Signs of quaternions are kept, and so is every bit of a configuration that is settled already.
    ///
    /// # Degenerate cases
    /// A zero or non-finite quaternion becomes the identity. A `q` of the wrong length is left as it is.
    pub fn settle(&self, q: &mut [f64]) {
        if !fits(q.len(), self.n_values) {
            return;
        }
        for &place in &self.rotations {
            let values = &mut q[place..place + 4];
            unit_or_identity(DQuat::from_slice(values)).write_to_slice(values);
        }
        self.apply_mimics(q);
    }

    /// Brings every joint inside its limit, each by itself, then sets mimic joints from their drivers.
    ///
    /// Values go to the nearer bound, rotations as in [`Limit::clamp_rotation`](super::Limit::clamp_rotation); values inside keep every bit.
    /// Mimic joints are inside their own ranges to rounding, because their drivers' ranges were narrowed when the skeleton was built.
    ///
    /// Returns the number of joints that were changed, mimic joints included.
    ///
    /// # Degenerate cases
    /// A `q` of the wrong length is left as it is.
    pub fn clamp(&self, q: &mut [f64]) -> usize {
        if !fits(q.len(), self.n_values) {
            return 0;
        }
        let changed = (0..self.n_joints()).filter(|&joint| self.clamp_joint(joint, q)).count();
        changed + self.apply_mimics(q)
    }

    /// Clamps one independent joint; true if it changed.
    pub(crate) fn clamp_joint(&self, joint: usize, q: &mut [f64]) -> bool {
        let limit = &self.limits[joint];
        let start = self.value_starts[joint];
        match self.kinds[joint] {
            JointKind::Revolute { .. } | JointKind::Prismatic { .. }
                if self.mimics[joint].is_none() =>
            {
                let value = q[start];
                q[start] = limit.clamp_value(value);
                q[start] != value
            }
            JointKind::Ball => {
                let values = &mut q[start..start + 4];
                let rotation = DQuat::from_slice(values);
                let clamped = limit.clamp_rotation(rotation);
                set_rotation(values, clamped);
                clamped != rotation
            }
            _ => false,
        }
    }

    /// Sets mimic joints from their drivers; returns how many changed.
    pub(crate) fn apply_mimics(&self, q: &mut [f64]) -> usize {
        let mut moved = 0;
        for &follower in &self.followers {
            let Some(mimic) = self.mimics[follower] else { continue };
            let value = mimic.value(q[self.value_starts[mimic.joint]]);
            let slot = &mut q[self.value_starts[follower]];
            moved += usize::from(*slot != value);
            *slot = value;
        }
        moved
    }

    /// Whether every joint, mimic joints included, is inside its limit or outside by at most `tolerance` \[rad, or m for prismatic joints\].
    ///
    /// # Degenerate cases
    /// A `q` of the wrong length, or NaN under a limit, is not inside.
    #[must_use]
    pub fn within_limits(&self, q: &[f64], tolerance: f64) -> bool {
        q.len() == self.n_values
            && (0..self.n_joints()).all(|joint| {
                let (limit, start) = (&self.limits[joint], self.value_starts[joint]);
                match self.kinds[joint] {
                    JointKind::Revolute { .. } | JointKind::Prismatic { .. } => {
                        limit.contains_value(q[start], tolerance)
                    }
                    JointKind::Ball => {
                        let rotation = DQuat::from_slice(&q[start..start + 4]);
                        limit.contains_rotation(rotation, tolerance)
                    }
                    JointKind::Fixed | JointKind::Free => true,
                }
            })
    }

    /// Whether a joint is within `tolerance` of an edge of its limit, or beyond it \[rad, or m for a prismatic joint\].
    ///
    /// # Degenerate cases
    /// A `q` of the wrong length touches nothing.
    ///
    /// # Panics
    /// As a slice does, when there is no such joint.
    #[must_use]
    pub fn touches_limit(&self, joint: usize, q: &[f64], tolerance: f64) -> bool {
        if q.len() != self.n_values {
            return false;
        }
        let limit = &self.limits[joint];
        match (self.kinds[joint], &q[self.value_range(joint)]) {
            (JointKind::Revolute { .. } | JointKind::Prismatic { .. }, &[value]) => {
                limit.touches_value(value, tolerance)
            }
            (JointKind::Ball, values) => {
                limit.touches_rotation(DQuat::from_slice(values), tolerance)
            }
            _ => false,
        }
    }

    /// Moves a settled configuration along a tangent vector for unit time; limits are not applied.
    ///
    /// - `q`: a configuration, [`n_values`](Self::n_values) numbers
    /// - `v`: a tangent vector, [`n_dofs`](Self::n_dofs) numbers; see the [module](super) for what each means
    /// - `out`: the new configuration, settled
    ///
    /// # Degenerate cases
    /// Slices of the wrong length leave `out` as it is.
    pub fn integrate(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        let shapes = [(q.len(), self.n_values), (v.len(), self.n_dofs), (out.len(), self.n_values)];
        if !shapes.into_iter().all(|(found, expected)| fits(found, expected)) {
            return;
        }
        for joint in 0..self.n_joints() {
            if self.mimics[joint].is_some() {
                continue;
            }
            let values = self.value_range(joint);
            integrate_joint(&q[values.clone()], &v[self.dof_range(joint)], &mut out[values]);
        }
        self.apply_mimics(out);
    }

    /// The tangent vector that leads from one settled configuration to another: [`integrate`](Self::integrate)`(from, out)` gives `to`.
    ///
    /// Rotations take the shorter arc. Mimic joints have no elements of their own: their drivers' count.
    ///
    /// - `from`, `to`: configurations, [`n_values`](Self::n_values) numbers each
    /// - `out`: [`n_dofs`](Self::n_dofs) numbers
    ///
    /// # Degenerate cases
    /// Slices of the wrong length leave `out` as it is.
    pub fn difference(&self, from: &[f64], to: &[f64], out: &mut [f64]) {
        let shapes =
            [(from.len(), self.n_values), (to.len(), self.n_values), (out.len(), self.n_dofs)];
        if !shapes.into_iter().all(|(found, expected)| fits(found, expected)) {
            return;
        }
        for joint in 0..self.n_joints() {
            if self.mimics[joint].is_some() {
                continue;
            }
            let values = self.value_range(joint);
            let dofs = &mut out[self.dof_range(joint)];
            joint_difference(&from[values.clone()], &to[values], dofs);
        }
    }
}

/// A quick test that all values are finite and not too large; false may be a false alarm.
fn are_plainly_good(q: &[f64]) -> bool {
    // The sum of all sizes is no smaller than any of them, and NaN if one is; four sums do not depend on one another.
    let (fours, rest) = q.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for four in fours {
        sums.iter_mut().zip(four).for_each(|(sum, value)| *sum += value.abs());
    }
    sums.iter().sum::<f64>() + rest.iter().map(|value| value.abs()).sum::<f64>() <= LARGEST
}

/// A quick test for the squared length of a unit quaternion: half the tolerance that [`check_unit`] allows.
#[inline]
fn is_plainly_unit(length_squared: f64) -> bool {
    (length_squared - 1.0).abs() < UNIT_TOLERANCE
}

/// [`Skeleton::integrate`] for one joint; its kind follows from the number of values.
fn integrate_joint(q: &[f64], v: &[f64], out: &mut [f64]) {
    let n_plain = n_plain(q);
    for k in 0..n_plain {
        out[k] = q[k] + v[k];
    }
    if let Some(rotation) = rotation_in(q) {
        let by = so3_exp(DVec3::from_slice(&v[n_plain..]));
        set_rotation(out, unit_or_identity(rotation * by));
    }
}

/// [`Skeleton::difference`] for one joint.
fn joint_difference(from: &[f64], to: &[f64], out: &mut [f64]) {
    let n_plain = n_plain(from);
    for k in 0..n_plain {
        out[k] = to[k] - from[k];
    }
    if let (Some(a), Some(b)) = (rotation_in(from), rotation_in(to)) {
        so3_log(a.conjugate() * b).write_to_slice(&mut out[n_plain..]);
    }
}

/// Number of a joint's values that are not its quaternion.
#[inline]
fn n_plain(values: &[f64]) -> usize {
    if values.len() < 4 { values.len() } else { values.len() - 4 }
}

/// The quaternion among a joint's values, the last four of four or seven.
#[inline]
pub(crate) fn rotation_in(values: &[f64]) -> Option<DQuat> {
    values.last_chunk().copied().map(DQuat::from_array)
}

#[inline]
pub(super) fn set_rotation(values: &mut [f64], rotation: DQuat) {
    if let Some(place) = values.last_chunk_mut() {
        *place = rotation.to_array();
    }
}

/// Whether a slice has the length that it must have: the one check of shapes at the entry of a kernel.
#[inline]
pub(super) fn fits(found: usize, expected: usize) -> bool {
    debug_assert!(found == expected, "a slice has {found} elements, expected {expected}");
    found == expected
}
