//! The three passes over the bones that the closed way is made of. Each takes two bones at a time.

use super::super::{Pair, Space, distance};

/// Lengths below which a bone counts as a point.
const POINT: f64 = 1e-150;

/// First coordinate of the "direction" of a bone that is a point. No pull comes near it, so such a bone never looks like a
/// kink; its length keeps it out of every sum.
const NOWHERE: f64 = 1e30;

/// Keeps the reciprocal finite where a bone is pulled to nothing.
const FLOOR: f64 = 1e-200;

/// Lengths and unit directions of all bones, two bones side by side.
#[derive(Debug, Clone, Default)]
pub(super) struct Bones {
    pub(super) n_bones: usize,
    pub(super) lengths: Vec<Pair>,
    /// `dimension` pairs for every two bones.
    pub(super) u: Vec<Pair>,
    /// Bone vectors of the answer, like `u`.
    turned: Vec<Pair>,
}

/// Sums over bones, and one bone in passing.
///
/// Passed by value, so that what is known to be small stays in registers.
#[derive(Debug, Clone)]
pub(super) struct Sums<S: Space> {
    x: S::Row<Pair>,
    /// `Σ l v`: the chord from root to tip.
    chord: S::Row<Pair>,
    /// `Σ l v vᵀ / |u + μ|`, lower triangle.
    spread: S::Row<S::Row<Pair>>,
    /// The last point written.
    at: S::Row<f64>,
    /// Largest `1 / |u + μ|`.
    sharpest: Pair,
}

impl<S: Space> Sums<S> {
    pub(super) fn new(space: S) -> Self {
        let row = space.row(Pair::zero());
        let spread = space.row(row.clone());
        Self { x: row.clone(), chord: row, spread, at: space.row(0.0), sharpest: Pair::zero() }
    }

    /// All rows, to be worked on and put back, with the sums at zero.
    #[inline(always)]
    fn borrow(&mut self, space: S) -> Self {
        let mut sums = Self {
            x: S::borrow(&mut self.x),
            chord: S::borrow(&mut self.chord),
            spread: S::borrow(&mut self.spread),
            at: S::borrow(&mut self.at),
            sharpest: Pair::zero(),
        };
        for k in 0..space.n() {
            sums.chord[k] = Pair::zero();
            for j in 0..=k {
                sums.spread[k][j] = Pair::zero();
            }
        }
        sums
    }

    #[inline(always)]
    pub(super) fn chord(&self, k: usize) -> f64 {
        self.chord[k].sum()
    }

    #[inline(always)]
    pub(super) fn spread(&self, k: usize, j: usize) -> f64 {
        self.spread[k][j].sum()
    }

    /// Largest `1 / |u + μ|`: one over the distance to the nearest kink.
    #[inline(always)]
    pub(super) fn sharpest(&self) -> f64 {
        self.sharpest.largest()
    }
}

/// What a chain is, whatever its pose.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    /// Sum of the lengths.
    pub(super) outer: f64,
    /// The longest bone.
    pub(super) longest: f64,
}

impl Extent {
    /// What the longest bone exceeds all others by.
    pub(super) fn inner(self) -> f64 {
        (2.0 * self.longest - self.outer).max(0.0)
    }
}

impl Bones {
    pub(super) fn length(&self, i: usize) -> f64 {
        self.lengths[i / 2].halves()[i % 2]
    }

    pub(super) fn direction<S: Space>(&self, space: S, i: usize, k: usize) -> f64 {
        self.u[i / 2 * space.n() + k].halves()[i % 2]
    }

    /// The longest bone, the first of several.
    pub(super) fn longest(&self) -> usize {
        let mut longest = 0;
        for i in 1..self.n_bones {
            if self.length(i) > self.length(longest) {
                longest = i;
            }
        }
        longest
    }

    /// Reads a pose, and sums it up as [`Bones::pulled`] would for no pull.
    #[inline(never)]
    pub(super) fn read<S: Space>(
        &mut self,
        space: S,
        lengths: &[f64],
        points: &[f64],
        sums: &mut Sums<S>,
    ) -> Extent {
        let n = space.n();
        let n_pairs = lengths.len().div_ceil(2);
        self.n_bones = lengths.len();
        if self.lengths.len() != n_pairs || self.u.len() != n_pairs * n {
            self.lengths.resize(n_pairs, Pair::zero());
            self.u.resize(n_pairs * n, Pair::zero());
            self.turned.resize(n_pairs * n, Pair::zero());
        }
        let Sums { mut x, mut chord, mut spread, at, .. } = sums.borrow(space);
        let (mut outer, mut longest, mut off) = (Pair::zero(), Pair::zero(), Pair::zero());
        let pairs = self.lengths.iter_mut().zip(self.u.chunks_exact_mut(n));
        for (c, (kept, u)) in pairs.enumerate() {
            let base = &points[2 * c * n..];
            let mut length;
            let weight;
            if 2 * c + 1 < lengths.len() {
                let (base, middle, tip) = (&base[..n], &base[n..2 * n], &base[2 * n..3 * n]);
                length = Pair::new(lengths[2 * c], lengths[2 * c + 1]);
                weight = length;
                for k in 0..n {
                    x[k] = Pair::new(middle[k] - base[k], tip[k] - middle[k]);
                }
            } else {
                // The missing half doubles the last bone, without its weight.
                let (base, tip) = (&base[..n], &base[n..2 * n]);
                length = Pair::both(lengths[2 * c]);
                weight = Pair::new(lengths[2 * c], 0.0);
                for k in 0..n {
                    x[k] = Pair::both(tip[k] - base[k]);
                }
            }
            *kept = weight;
            outer += weight;
            longest = longest.max(weight);
            length = length.recip();
            let mut squared = Pair::zero();
            for k in 0..n {
                x[k] = x[k] * length;
                squared += x[k] * x[k];
            }
            // Points at their distances give units but for rounding; two terms of the root's series mend that.
            let more = squared - Pair::both(1.0);
            off += more * more;
            let mend = Pair::both(1.0) - more * (Pair::both(0.5) - more * Pair::both(0.375));
            for k in 0..n {
                x[k] = x[k] * mend;
                u[k] = x[k];
            }
            for k in 0..n {
                let part = weight * x[k];
                chord[k] += part;
                for j in 0..=k {
                    spread[k][j] += part * x[j];
                }
            }
        }
        let extent = Extent { outer: outer.sum(), longest: longest.largest() };
        *sums = Sums { x, chord, spread, at, sharpest: Pair::both(1.0) };
        // Points off their distances, and bones that are points (whose reciprocal is no number).
        if off.sum() > 1e-10 || off.sum().is_nan() {
            self.read_slowly(space, lengths, points, sums);
        }
        extent
    }

    /// The same, with a root for every bone.
    #[cold]
    #[inline(never)]
    fn read_slowly<S: Space>(
        &mut self,
        space: S,
        lengths: &[f64],
        points: &[f64],
        sums: &mut Sums<S>,
    ) {
        let n = space.n();
        let Sums { x, mut chord, mut spread, at, .. } = sums.borrow(space);
        let pairs = self.lengths.iter().zip(self.u.chunks_exact_mut(n));
        for (c, (&weight, u)) in pairs.enumerate() {
            for k in 0..n {
                // A bone that is a point, or has no direction, takes the first axis.
                let axis = if k == 0 { 1.0 } else { 0.0 };
                let [first, second] = [2 * c, 2 * c + 1].map(|i| {
                    let i = i.min(lengths.len() - 1);
                    let base = &points[i * n..(i + 1) * n];
                    let tip = &points[(i + 1) * n..(i + 2) * n];
                    let size = distance(base, tip);
                    if lengths[i] < POINT {
                        NOWHERE * axis
                    } else if size > 0.0 {
                        (tip[k] - base[k]) / size
                    } else {
                        axis
                    }
                });
                u[k] = Pair::new(first, second);
            }
            for k in 0..n {
                let part = weight * u[k];
                chord[k] += part;
                for j in 0..=k {
                    spread[k][j] += part * u[j];
                }
            }
        }
        *sums = Sums { x, chord, spread, at, sharpest: Pair::both(1.0) };
    }

    /// Sums over the bones turned by the pull `mu`.
    #[inline(never)]
    pub(super) fn pulled<S: Space>(&self, space: S, mu: &S::Row<f64>, sums: &mut Sums<S>) {
        let n = space.n();
        let Sums { mut x, mut chord, mut spread, at, mut sharpest } = sums.borrow(space);
        for (u, &length) in self.u.chunks_exact(n).zip(&self.lengths) {
            let mut squared = Pair::both(FLOOR);
            for k in 0..n {
                x[k] = u[k] + Pair::both(mu[k]);
                squared += x[k] * x[k];
            }
            // Root and reciprocal do not wait for each other.
            let inverse = squared.recip();
            let scale = squared.sqrt() * inverse;
            sharpest = sharpest.max(scale);
            let weight = length * scale;
            let stiffness = weight * inverse;
            for k in 0..n {
                let part = stiffness * x[k];
                chord[k] += weight * x[k];
                for j in 0..=k {
                    spread[k][j] += part * x[j];
                }
            }
        }
        *sums = Sums { x, chord, spread, at, sharpest };
    }

    /// Lays the bones, turned by the pull `mu` and then by `turn` (columns), end to end from the root, which stays; sums up
    /// their chord before the turn.
    #[inline(never)]
    pub(super) fn write<S: Space>(
        &mut self,
        space: S,
        mu: &S::Row<f64>,
        turn: &S::Row<S::Row<f64>>,
        points: &mut [f64],
        sums: &mut Sums<S>,
    ) {
        let n = space.n();
        let Sums { mut x, mut chord, spread, mut at, mut sharpest } = sums.borrow(space);
        let pairs = self.u.chunks_exact(n).zip(&self.lengths);
        for ((u, &length), turned) in pairs.zip(self.turned.chunks_exact_mut(n)) {
            let mut squared = Pair::both(FLOOR);
            for k in 0..n {
                x[k] = u[k] + Pair::both(mu[k]);
                squared += x[k] * x[k];
            }
            let scale = squared.sqrt() * squared.recip();
            sharpest = sharpest.max(scale);
            let weight = length * scale;
            for k in 0..n {
                x[k] = weight * x[k];
                chord[k] += x[k];
            }
            for k in 0..n {
                let mut bone = Pair::zero();
                for j in 0..n {
                    bone += Pair::both(turn[j][k]) * x[j];
                }
                turned[k] = bone;
            }
        }
        let (root, tips) = points.split_at_mut(n);
        for k in 0..n {
            at[k] = root[k];
        }
        let mut tips = tips.chunks_exact_mut(n);
        for bones in self.turned.chunks_exact(n) {
            for half in 0..2 {
                if let Some(tip) = tips.next() {
                    for k in 0..n {
                        at[k] += bones[k].halves()[half];
                        tip[k] = at[k];
                    }
                }
            }
        }
        *sums = Sums { x, chord, spread, at, sharpest };
    }
}
