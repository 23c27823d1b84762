//! Anderson acceleration: extrapolates the next step from the last few \[walker11\].
//!
//! Where residuals or changes remain at the minimum, Gauss–Newton converges only linearly, because it neglects the curvature weighted by them.
//! The step `x(q)` is treated as a function whose root is sought; its secants along the last few moves predict that root.
//!
//! | symbol | meaning | shape |
//! |---|---|---|
//! | `x` | the Gauss–Newton step here | n |
//! | `P`, `F` | the last moves, and the changes of `x` over them | n × k |
//! | `g` | coefficients: minimise `\|x − F g\|` | k |
//!
//! The step taken is `x − (P + F) g`.

use super::rows::make_room;
use crate::math::{cholesky_factor, cholesky_solve, dot};
use alloc::vec::Vec;

/// Moves stored.
const MEMORY: usize = 5;

/// An accelerated step longer than this many plain ones is rejected.
const LONGEST: f64 = 10.0;

/// Fraction of the trace added to the diagonal, so that the coefficients stay finite when moves are nearly parallel.
const REGULARISATION: f64 = 1e-12;

/// The last few moves.
#[derive(Debug, Clone, Default)]
pub(super) struct Anderson {
    /// `P` and `F`, move after move, the oldest overwritten first.
    moves: Vec<f64>,
    changes: Vec<f64>,
    n_moves: usize,
    next: usize,
    /// The last plain step, and the last step taken.
    plain: Vec<f64>,
    taken: Vec<f64>,
    gram: Vec<f64>,
    coefficients: Vec<f64>,
}

impl Anderson {
    /// Discards all moves.
    pub(super) fn forget(&mut self) {
        (self.n_moves, self.next) = (0, 0);
        self.plain.clear();
        self.taken.clear();
    }

    /// Reserves capacity for steps of `n` unknowns.
    pub(super) fn reserve(&mut self, n: usize) {
        for list in [&mut self.moves, &mut self.changes] {
            make_room(list, MEMORY * n);
        }
        for list in [&mut self.plain, &mut self.taken] {
            make_room(list, n);
        }
        make_room(&mut self.gram, MEMORY * MEMORY);
        make_room(&mut self.coefficients, MEMORY);
    }

    /// Stores the last step taken.
    pub(super) fn remember(&mut self, x: &[f64]) {
        self.taken.clear();
        self.taken.extend_from_slice(x);
    }

    /// Accelerates a plain step; true if it changed.
    pub(super) fn accelerate(&mut self, x: &mut [f64]) -> bool {
        let n = x.len();
        self.learn(x);
        self.plain.clear();
        self.plain.extend_from_slice(x);
        if self.n_moves == 0 || !self.find_coefficients(x) {
            return false;
        }
        let pairs = self.moves.chunks_exact(n).zip(self.changes.chunks_exact(n));
        for ((moved, changed), g) in pairs.zip(&self.coefficients) {
            for ((x, p), f) in x.iter_mut().zip(moved).zip(changed) {
                *x -= g * (p + f);
            }
        }
        let is_sound = dot(x, x) <= LONGEST * LONGEST * dot(&self.plain, &self.plain);
        if !is_sound {
            x.copy_from_slice(&self.plain);
        }
        is_sound
    }

    /// `g` from the normal equations of `|x − F g|`; false if they are singular.
    fn find_coefficients(&mut self, x: &[f64]) -> bool {
        let (n, k) = (x.len(), self.n_moves);
        self.gram.clear();
        self.coefficients.clear();
        for a in self.changes.chunks_exact(n).take(k) {
            self.coefficients.push(dot(a, x));
            self.gram.extend(self.changes.chunks_exact(n).take(k).map(|b| dot(a, b)));
        }
        let trace: f64 = (0..k).map(|i| self.gram[i * k + i]).sum();
        for i in 0..k {
            self.gram[i * k + i] += REGULARISATION * trace;
        }
        let is_solvable = cholesky_factor(&mut self.gram, k, 0.0);
        if is_solvable {
            cholesky_solve(&self.gram, &mut self.coefficients);
        }
        is_solvable
    }

    /// Stores the last move and the change of the plain step over it.
    fn learn(&mut self, x: &[f64]) {
        let n = x.len();
        if self.taken.len() != n || self.plain.len() != n {
            return;
        }
        self.moves.resize(MEMORY * n, 0.0);
        self.changes.resize(MEMORY * n, 0.0);
        let place = self.next * n..(self.next + 1) * n;
        self.moves[place.clone()].copy_from_slice(&self.taken);
        for ((changed, now), before) in self.changes[place].iter_mut().zip(x).zip(&self.plain) {
            *changed = now - before;
        }
        self.next = (self.next + 1) % MEMORY;
        self.n_moves = (self.n_moves + 1).min(MEMORY);
    }
}
