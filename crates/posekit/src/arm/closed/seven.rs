//! Seven joints: one of them is fixed, and six remain.
//!
//! The poses that reach a target are curves, along which every joint moves unless it stands still at a turning point. Of the joints that leave a closed form, the one that
//! moves most of all on average is the best parameter.

use super::chain::{Chain, SIX, product};
use super::plan::Plan;
use crate::arm::frame::Frame;
use crate::arm::kernel::Joint;
use crate::math::{cholesky_factor_square, cholesky_solve_square, sin_cos, weyl};
use core::f64::consts::{PI, TAU};
use glam::DVec2;

/// Angles at which a fixed joint must leave the same closed form. No special ones.
const ANGLES: [f64; 4] = [-2.3, -0.7, 0.4, 1.9];

/// The joint to fix, and the plan for the others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fixed {
    pub(super) joint: usize,
    pub(super) plan: Plan,
}

impl Fixed {
    pub(super) fn find(joints: &[Joint], tool: Frame) -> Option<Self> {
        let shares = shares(joints, &tool);
        let fixed = (0..joints.len()).filter_map(|joint| {
            let [a, b, c, d] = ANGLES.map(|angle| chain(joints, tool, joint, angle));
            let plan = Plan::find(&[a?, b?, c?, d?])?;
            Some(Self { joint, plan })
        });
        let cost = |fixed: &Self| fixed.plan.cost() - shares[fixed.joint];
        fixed.min_by(|a, b| cost(a).total_cmp(&cost(b)))
    }
}

/// The chain that remains with a joint at an angle, which includes that of its link.
pub(super) fn chain(joints: &[Joint], tool: Frame, fixed: usize, angle: f64) -> Option<Chain<SIX>> {
    let (sin, cos) = sin_cos(angle);
    Chain::fixing(joints, tool, fixed, DVec2::new(cos, sin))
}

/// For each joint the mean square of its part in the motion that leaves the tool where it is.
fn shares(joints: &[Joint], tool: &Frame) -> [f64; SIX + 1] {
    const POSES: u32 = 32;
    let mut shares = [0.0; SIX + 1];
    for pose in 0..POSES {
        let columns = columns(joints, tool, pose);
        let mut gram = [[0.0; SIX]; SIX];
        for column in &columns {
            for (row, left) in gram.iter_mut().zip(column) {
                row.iter_mut().zip(column).for_each(|(sum, right)| *sum += left * right);
            }
        }
        // Of I − Jᵀ (J Jᵀ)⁻¹ J, the diagonal.
        if cholesky_factor_square(&mut gram, 0.0) {
            for (share, column) in shares.iter_mut().zip(&columns) {
                let mut y = *column;
                cholesky_solve_square(&gram, &mut y);
                let rest = 1.0 - y.iter().zip(column).map(|(a, b)| a * b).sum::<f64>();
                *share += rest.clamp(0.0, 1.0) / f64::from(POSES);
            }
        }
    }
    shares
}

/// The Jacobian of the tool in a pose of the low-discrepancy sequence, column by column.
fn columns(joints: &[Joint], tool: &Frame, pose: u32) -> [[f64; SIX]; SIX + 1] {
    let mut frames = [Frame::IDENTITY; SIX + 1];
    let mut frame = Frame::IDENTITY;
    for (i, joint) in joints.iter().enumerate().take(SIX + 1) {
        frame.follow(&joint.link);
        frames[i] = frame;
        let (min, max) = match joint.max - joint.min < TAU {
            true => (joint.min, joint.max),
            false => (-PI, PI),
        };
        frame.turn(sin_cos(min + weyl(pose, i) * (max - min) + joint.angle));
    }
    let tip = product(&frame, tool).origin;
    frames.map(|frame| {
        let axis = frame.axes[2];
        let v = axis.cross(tip - frame.origin);
        [v.x, v.y, v.z, axis.x, axis.y, axis.z]
    })
}
