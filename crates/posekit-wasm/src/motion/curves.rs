//! The motion curves of a joint, and poses that are edited by them.

use posekit::glam::DVec3;
use posekit::math::{so3_exp, so3_log};
use posekit::skeleton::JointKind;
use posekit_motion::Interpolation;

use super::{PoseKey, Table, Which, narrow};
use crate::fault::{Fault, Result, wrong_length};

/// Number of values of a joint's curves at a time: its rotation on its parent as a rotation vector \[degrees\], then its position in the world.
pub const CURVES: usize = 6;

const DEGREES: f64 = 180.0 * core::f64::consts::FRAC_1_PI;

/// The interpolation with this name.
///
/// # Errors
/// Any word but `cubic`, `linear` and `step`.
pub(super) fn interpolation(word: &str) -> Result<Interpolation> {
    match word {
        "cubic" => Ok(Interpolation::Cubic),
        "linear" => Ok(Interpolation::Linear),
        "step" => Ok(Interpolation::Step),
        _ => Err(Fault::new(format!("an interpolation is cubic, linear or step, not {word:?}"))),
    }
}

impl Table {
    /// Writes the curves of a joint, [`CURVES`] numbers for each frame.
    ///
    /// Rotation vectors are continued past a half turn, so that curves do not jump.
    ///
    /// # Errors
    /// No such joint; an array of the wrong length.
    pub fn curves(&self, which: Which, joint: usize, out: &mut [f32]) -> Result<()> {
        let clip = self.clip(which);
        if out.len() != clip.n_frames() * CURVES {
            return Err(wrong_length("out", clip.n_frames() * CURVES, out.len()));
        }
        let mut last = DVec3::ZERO;
        for (frame, out) in out.chunks_exact_mut(CURVES).enumerate() {
            let numbers = self.numbers(clip.frame(frame), joint, last)?;
            last = DVec3::from_slice(&numbers);
            out.iter_mut().zip(numbers).for_each(|(out, value)| *out = narrow(value));
        }
        Ok(())
    }

    /// The numbers of a joint in the poses that were set, [`CURVES`] for each, on the same turn as the result's curves.
    ///
    /// # Errors
    /// No such joint.
    pub fn key_curves(&self, joint: usize) -> Result<Vec<f64>> {
        let clip = self.clip(Which::Result);
        let mut curves = vec![0.0_f32; clip.n_frames() * CURVES];
        self.curves(Which::Result, joint, &mut curves)?;
        let of_key = |key: &PoseKey| {
            let frame = clip.frames(key.time, f64::INFINITY).start.min(clip.n_frames() - 1);
            let near = [0, 1, 2].map(|axis| f64::from(curves[frame * CURVES + axis]));
            self.numbers(&key.q, joint, DVec3::from_array(near))
        };
        let numbers = self.keys.iter().map(of_key).collect::<Result<Vec<_>>>()?;
        Ok(numbers.concat())
    }

    /// A configuration in which a joint is as its curves say: turned and placed as far as its kind can.
    ///
    /// # Errors
    /// What the skeleton says of `q`; no such joint; an array that is not [`CURVES`] long; numbers that are not finite.
    pub fn with_curve(&self, q: &[f64], joint: usize, numbers: &[f64]) -> Result<Vec<f64>> {
        let skeleton = self.source.skeleton();
        skeleton.check(q)?;
        // The frame in which it is placed, before its own motion.
        let placed = skeleton.world_pose(q, joint)? * skeleton.motion(joint, q).inverse();
        if numbers.len() != CURVES {
            return Err(wrong_length("numbers", CURVES, numbers.len()));
        }
        if numbers.iter().any(|number| !number.is_finite()) {
            return Err(Fault::new("the numbers of a curve are finite"));
        }
        let vector = DVec3::from_slice(numbers) / DEGREES;
        let place = placed.inverse().transform_point(DVec3::from_slice(&numbers[3..]));
        let mut q = q.to_vec();
        let own = &mut q[skeleton.value_range(joint)];
        match skeleton.kind(joint) {
            JointKind::Fixed => {}
            JointKind::Revolute { axis } => own[0] = axis.dot(vector),
            JointKind::Prismatic { axis } => own[0] = axis.dot(place),
            JointKind::Ball => own.copy_from_slice(&so3_exp(vector).to_array()),
            JointKind::Free => {
                own[..3].copy_from_slice(&place.to_array());
                own[3..].copy_from_slice(&so3_exp(vector).to_array());
            }
        }
        skeleton.settle(&mut q);
        Ok(q)
    }

    /// - `near`: the rotation vector is on the turn nearest to this \[degrees\]
    fn numbers(&self, q: &[f64], joint: usize, near: DVec3) -> Result<[f64; CURVES]> {
        let skeleton = self.source.skeleton();
        let [x, y, z] = skeleton.world_pose(q, joint)?.translation.to_array();
        let vector = continued(so3_log(skeleton.motion(joint, q).rotation), near / DEGREES);
        let [a, b, c] = (vector * DEGREES).to_array();
        Ok([a, b, c, x, y, z])
    }
}

/// The rotation vector of the same rotation that is nearest to another.
fn continued(vector: DVec3, near: DVec3) -> DVec3 {
    let angle = vector.length();
    if angle < 1e-9 {
        return vector;
    }
    let turn = vector * (core::f64::consts::TAU / angle);
    let turns = ((near - vector).dot(turn) / turn.length_squared()).round();
    vector + turn * turns
}
