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
//! `r` minimises `Σ_t Σ_c w_c (δ_c − r)ᵀ K_c (δ_c − r) + α |r|² + κ |D²(δ_c − r)|² + ν |D² r|²`, a linear system of blocks of three in a band of five. The second differences
//! send what is fast and common to all that is held, which is noise of the root, to the root, and spare the knees.

use glam::{DMat3, DVec3};

/// What one frame adds to the system.
#[derive(Debug, Clone, Copy)]
pub(super) struct Demand {
    /// `Σ w K + α`.
    pub(super) stiffness: DMat3,
    /// `Σ w K δ`.
    pub(super) pull: DVec3,
    /// `κ` of this frame and its neighbours, summed over limbs, plus `ν`.
    pub(super) bending: f64,
    /// `Σ κ D²δ`.
    pub(super) bend: DVec3,
}

/// Solves for `r` on a run of frames; before the first and after the last it is zero.
///
/// # Method
/// Block Cholesky (`L D Lᵀ`) of the block-pentadiagonal matrix, front to back. Its blocks off the diagonal begin as multiples of the identity.
pub(super) fn solve(demands: &[Demand], scratch: &mut Vec<Factor>, out: &mut [DVec3]) {
    let n = demands.len().min(out.len());
    scratch.clear();
    for t in 0..n {
        factor_row(demands, t, scratch);
    }
    // Backward: x_t = D⁻¹ y_t − L1ᵀ x_{t+1} − L2ᵀ x_{t+2}.
    for t in (0..n).rev() {
        let mut x = scratch[t].inverse * scratch[t].forward;
        if t + 1 < n {
            x -= scratch[t + 1].one.transpose() * out[t + 1];
        }
        if t + 2 < n {
            x -= scratch[t + 2].two.transpose() * out[t + 2];
        }
        out[t] = x;
    }
}

/// One row of the factor.
#[derive(Debug, Clone, Copy)]
pub(super) struct Factor {
    /// `D_t⁻¹`.
    inverse: DMat3,
    /// `D_t`.
    diagonal: DMat3,
    /// `L_{t, t−1}`.
    one: DMat3,
    /// `L_{t, t−2}`.
    two: DMat3,
    forward: DVec3,
}

/// Bending and bend of a frame, nothing outside the run.
fn at(demands: &[Demand], t: Option<usize>) -> (f64, DVec3) {
    t.and_then(|t| demands.get(t)).map_or((0.0, DVec3::ZERO), |demand| (demand.bending, demand.bend))
}

fn factor_row(demands: &[Demand], t: usize, rows: &mut Vec<Factor>) {
    let (k_before, b_before) = at(demands, t.checked_sub(1));
    let (k_here, b_here) = at(demands, Some(t));
    let (k_after, b_after) = at(demands, Some(t + 1));
    let own = k_before + 4.0 * k_here + k_after;
    let mut diagonal = demands[t].stiffness + DMat3::from_diagonal(DVec3::splat(own));
    let mut forward = demands[t].pull + (b_before + b_after) - 2.0 * b_here;
    let (mut one, mut two) = (DMat3::ZERO, DMat3::ZERO);
    if let Some(before) = t.checked_sub(2) {
        let Factor { inverse, diagonal: pivot, forward: y, .. } = rows[before];
        // A_{t,t−2} = k_{t−1} I.
        two = inverse * k_before;
        diagonal -= two * pivot * two.transpose();
        forward -= two * y;
    }
    if let Some(before) = t.checked_sub(1) {
        let Factor { inverse, one: one_before, forward: y, .. } = rows[before];
        // A_{t,t−1} = −2 (k_{t−1} + k_t) I.
        let mut off = DMat3::from_diagonal(DVec3::splat(-2.0 * (k_before + k_here)));
        if let Some(two_before) = t.checked_sub(2) {
            off -= two * rows[two_before].diagonal * one_before.transpose();
        }
        one = off * inverse;
        diagonal -= one * rows[before].diagonal * one.transpose();
        forward -= one * y;
    }
    rows.push(Factor { inverse: diagonal.inverse(), diagonal, one, two, forward });
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
            let bent = value(t - 1) - 2.0 * value(t) + value(t + 1);
            let force = bent * demand.bending - demand.bend;
            for (k, factor) in [(t - 1, 1.0), (t, -2.0), (t + 1, 1.0)] {
                if (0..n).contains(&k) {
                    out[k as usize] += force * factor;
                }
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
                    bending: 100.0 * random(),
                    bend: DVec3::new(random(), random(), random()),
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
