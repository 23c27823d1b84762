//! How the root moves along with what the legs hold.
//!
//! | Symbol | Meaning |
//! |---|---|
//! | `r(t)` | displacement of the root, the unknown |
//! | `δ_c(t)` | displacement that the end of limb `c` needs |
//! | `K_c(t)` | what it costs limb `c` to take up `δ_c − r` itself: much along a nearly straight leg, whose knee would pop, little across it |
//! | `w_c(t)` | 1 while `c` holds, less on the way in and out |
//! | `α` | what it costs to move the root |
//!
//! `r` minimises `Σ_t Σ_c w_c (δ_c − r)ᵀ K_c (δ_c − r) + α |r|² + κ_c |D(δ_c − r)|² + ν |D r|²`, `D` the difference to the next frame: a linear system of blocks of
//! three in a band of three. The differences send what is fast and common to all that is held, which is noise of the root, to the root, and spare the
//! knees. They are first differences because these cannot swing over at the ends of a contact, where noise has a slope.

use glam::{DMat3, DVec3};

/// What one frame adds to the system.
#[derive(Debug, Clone, Copy)]
pub(super) struct Demand {
    /// `Σ w K + α`.
    pub(super) stiffness: DMat3,
    /// `Σ w K δ`.
    pub(super) pull: DVec3,
    /// `Σ κ + ν` between this frame and the next.
    pub(super) link: f64,
    /// `Σ κ Dδ` between this frame and the next.
    pub(super) slope: DVec3,
}

/// Solves for `r` on a run of frames; before the first and after the last it is zero.
///
/// # Method
/// Block elimination of the block-tridiagonal matrix, front to back. Its blocks off the diagonal are multiples of the identity.
pub(super) fn solve(demands: &[Demand], scratch: &mut Vec<Factor>, out: &mut [DVec3]) {
    let n = demands.len().min(out.len());
    scratch.clear();
    for t in 0..n {
        let here = &demands[t];
        let before = t.checked_sub(1).map(|t| &demands[t]);
        let link_before = before.map_or(0.0, |before| before.link);
        let mut diagonal =
            here.stiffness + DMat3::from_diagonal(DVec3::splat(link_before + here.link));
        let mut forward =
            here.pull + before.map_or(DVec3::ZERO, |before| before.slope) - here.slope;
        if let Some(Factor { inverse, forward: y }) = scratch.last() {
            diagonal -= *inverse * (link_before * link_before);
            forward += *inverse * *y * link_before;
        }
        scratch.push(Factor { inverse: diagonal.inverse(), forward });
    }
    let mut after = DVec3::ZERO;
    for t in (0..n).rev() {
        let Factor { inverse, forward } = scratch[t];
        after = inverse * (forward + after * demands[t].link);
        out[t] = after;
    }
}

/// One row of the factor: the inverse of its pivot, and its right side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Factor {
    inverse: DMat3,
    forward: DVec3,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The gradient of what is minimised.
    fn gradient(demands: &[Demand], r: &[DVec3]) -> Vec<DVec3> {
        let n = r.len() as isize;
        let value = |t: isize| if (0..n).contains(&t) { r[t as usize] } else { DVec3::ZERO };
        let mut out: Vec<DVec3> =
            demands.iter().zip(r).map(|(d, r)| d.stiffness * *r - d.pull).collect();
        for t in 0..n {
            let demand = demands[t as usize];
            let force = (value(t + 1) - value(t)) * demand.link - demand.slope;
            out[t as usize] -= force;
            if t + 1 < n {
                out[t as usize + 1] += force;
            }
        }
        out
    }

    #[test]
    fn the_gradient_of_the_solution_is_zero() {
        let mut seed = 7_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        let demands: Vec<Demand> = (0..30)
            .map(|_| {
                let n = DVec3::new(random(), random(), random());
                let outer = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
                Demand {
                    stiffness: outer * 50.0 + DMat3::IDENTITY,
                    pull: DVec3::new(random(), random(), random()) * 10.0,
                    link: 100.0 * random(),
                    slope: DVec3::new(random(), random(), random()),
                }
            })
            .collect();
        let mut out = vec![DVec3::ZERO; 30];
        solve(&demands, &mut Vec::new(), &mut out);
        for (t, force) in gradient(&demands, &out).iter().enumerate() {
            assert!(force.length() < 1e-9, "frame {t}: {force}");
        }
    }
}
