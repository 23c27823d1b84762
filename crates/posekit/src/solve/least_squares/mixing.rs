//! Mixing: the next step from what the last few steps left over.
//!
//! Where misses or changes remain at the end, Gauss–Newton steps shrink by a constant factor only, because they know nothing of the curvature
//! that those leave behind. The steps `x(q)` are taken for a function that should vanish, and its slope along the last few moves is
//! used to jump nearer to its zero \[walker11\].
//!
//! | symbol | meaning | shape |
//! |---|---|---|
//! | `x` | the step that Gauss and Newton would take here | n |
//! | `P`, `Q` | changes of the pose and of `x` over the last moves | n × k |
//! | `g` | the mix: minimises `\|x − Q g\|` | k |
//!
//! The step taken is `x − (P + Q) g`.

use super::super::demand::make_room;
use crate::math::{cholesky_factor, cholesky_solve, dot};

/// Moves remembered.
const MEMORY: usize = 5;

/// A mixed step longer than so many plain ones is not believed.
const LONGEST: f64 = 10.0;

/// Part of the trace that keeps the mix finite when moves are alike.
const ALIKE: f64 = 1e-12;

/// The last few moves.
#[derive(Debug, Clone, Default)]
pub(super) struct Mixer {
    /// `P` and `Q`, move after move, the oldest overwritten first.
    moves: Vec<f64>,
    turns: Vec<f64>,
    n_moves: usize,
    next: usize,
    /// The last plain step, and the last step taken.
    plain: Vec<f64>,
    taken: Vec<f64>,
    gram: Vec<f64>,
    mix: Vec<f64>,
}

impl Mixer {
    /// Forgets all moves.
    pub(super) fn forget(&mut self) {
        (self.n_moves, self.next) = (0, 0);
        self.plain.clear();
        self.taken.clear();
    }

    /// Makes room for steps of so many unknowns.
    pub(super) fn reserve(&mut self, n: usize) {
        for list in [&mut self.moves, &mut self.turns] {
            make_room(list, MEMORY * n);
        }
        for list in [&mut self.plain, &mut self.taken] {
            make_room(list, n);
        }
        make_room(&mut self.gram, MEMORY * MEMORY);
        make_room(&mut self.mix, MEMORY);
    }

    /// Remembers the step that was taken last.
    pub(super) fn remember(&mut self, x: &[f64], part: f64) {
        self.taken.clear();
        self.taken.extend(x.iter().map(|x| x * part));
    }

    /// Mixes a plain step; true when it changed.
    pub(super) fn mix(&mut self, x: &mut [f64]) -> bool {
        let n = x.len();
        self.learn(x);
        self.plain.clear();
        self.plain.extend_from_slice(x);
        let k = self.n_moves;
        if k == 0 {
            return false;
        }
        self.gram.clear();
        self.mix.clear();
        for a in self.turns.chunks_exact(n).take(k) {
            self.mix.push(dot(a, x));
            self.gram.extend(self.turns.chunks_exact(n).take(k).map(|b| dot(a, b)));
        }
        let trace: f64 = (0..k).map(|i| self.gram[i * k + i]).sum();
        for i in 0..k {
            self.gram[i * k + i] += ALIKE * trace;
        }
        if !cholesky_factor(&mut self.gram, k, 0.0) {
            return false;
        }
        cholesky_solve(&self.gram, &mut self.mix);
        let pairs = self.moves.chunks_exact(n).zip(self.turns.chunks_exact(n));
        for ((moved, turned), g) in pairs.zip(&self.mix) {
            for ((x, p), q) in x.iter_mut().zip(moved).zip(turned) {
                *x -= g * (p + q);
            }
        }
        let is_sound = dot(x, x) <= LONGEST * LONGEST * dot(&self.plain, &self.plain);
        if !is_sound {
            x.copy_from_slice(&self.plain);
        }
        is_sound
    }

    /// Takes in what the last move changed.
    fn learn(&mut self, x: &[f64]) {
        let n = x.len();
        if self.taken.len() != n || self.plain.len() != n {
            return;
        }
        self.moves.resize(MEMORY * n, 0.0);
        self.turns.resize(MEMORY * n, 0.0);
        let place = self.next * n..(self.next + 1) * n;
        self.moves[place.clone()].copy_from_slice(&self.taken);
        for ((turned, now), before) in self.turns[place].iter_mut().zip(x).zip(&self.plain) {
            *turned = now - before;
        }
        self.next = (self.next + 1) % MEMORY;
        self.n_moves = (self.n_moves + 1).min(MEMORY);
    }
}
