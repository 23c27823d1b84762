//! Sums of squares over frames, minimised in damped Gauss-Newton steps on banded normal equations.

use core::ops::Range;

use crate::banded::Banded;

/// Of frames that are solved together the last ones are solved anew with those that follow \[s\]: longer than anything blends.
const OVERLAP: f64 = 1.0;

/// So many times [`OVERLAP`] is solved together: what a processor keeps close by.
const WINDOW: usize = 4;

/// Solves a run of frames window by window, so that time and memory stay in proportion to its length, and what is hard somewhere takes its steps there alone.
///
/// - `n`: unknowns of a frame
/// - `solve`: the unknowns of some frames, from those of all frames before
pub(crate) fn in_windows(
    n_frames: usize,
    (n, frame_time): (usize, f64),
    mut solve: impl FnMut(Range<usize>, &[f64]) -> Vec<f64>,
) -> Vec<f64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
    let overlap = ((OVERLAP / frame_time) as usize).max(16);
    let mut x = Vec::with_capacity(n * n_frames);
    let mut first = 0;
    while first < n_frames {
        let left = n_frames - first;
        let is_last = left / overlap <= WINDOW;
        let last = if is_last { n_frames } else { first + WINDOW * overlap };
        let found = solve(first..last, &x);
        let end = if is_last { last } else { last - overlap };
        x.extend_from_slice(&found[..(end - first) * n]);
        first = end;
    }
    x
}

/// A sum of squares of many unknowns.
pub(crate) trait Sum {
    /// Steps at most.
    const STEPS: usize;
    /// A step that makes the sum less by no more than this part of it is the last.
    const SETTLED: f64;
    /// So is a whole one that gains less than foreseen by no more than this part, as that is what the next one gains; 0 where nothing makes exact what is found.
    const SETTLED_NEXT: f64 = 0.0;
    /// By how much the damping grows from 1.
    const GROWTH: f64;
    /// How much of the curvature counts: none to begin with, and more with every step that the system stays positive definite with it.
    const CURVATURES: &'static [f64] = &[0.0];

    /// Its value.
    fn cost(&self, x: &[f64]) -> f64;

    /// Sets the matrix to half the Hessian of Gauss and Newton, with so much of the curvature that it leaves out, and returns half the way down.
    fn linearise(&self, x: &[f64], curvature: f64, hessian: &mut Banded) -> Vec<f64>;

    /// Makes a step no longer than what its linear model is good for.
    fn shorten(&self, step: &mut [f64]);

    /// Minimises it, from unknowns to begin with.
    fn minimise(&self, x: &mut Vec<f64>, matrix: &mut Banded) {
        let mut cost = self.cost(x);
        let (mut damping, mut curved) = (0.0, 0);
        for _ in 0..Self::STEPS {
            let down = self.linearise(x, Self::CURVATURES[curved], matrix);
            let mut step = down.clone();
            if damping > 0.0 {
                (0..step.len()).for_each(|at| matrix.add(at, at, damping));
            }
            if !matrix.factorise() {
                if curved == 0 {
                    break;
                }
                curved = 0;
                continue;
            }
            matrix.solve(&mut step);
            let whole = step.clone();
            self.shorten(&mut step);
            let is_whole = damping == 0.0 && step == whole;
            let foreseen: f64 = step.iter().zip(&down).map(|(step, down)| step * down).sum();
            let next: Vec<f64> = x.iter().zip(&step).map(|(x, step)| x + step).collect();
            let next_cost = self.cost(&next);
            // NaN is no improvement.
            if next_cost <= cost {
                let gain = cost - next_cost;
                (*x, cost) = (next, next_cost);
                damping = if damping > 1.0 { damping / Self::GROWTH } else { 0.0 };
                curved = (curved + 1).min(Self::CURVATURES.len() - 1);
                let is_last = is_whole && (foreseen - gain).abs() < Self::SETTLED_NEXT * cost;
                if is_last || gain < Self::SETTLED * cost {
                    break;
                }
            } else if next_cost - cost < Self::SETTLED * cost {
                break;
            } else {
                damping = if damping > 0.0 { damping * Self::GROWTH } else { 1.0 };
            }
        }
    }
}
