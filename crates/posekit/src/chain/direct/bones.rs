//! The direct solver's passes over the bones, two at a time, the width of the narrowest vector units.

use super::super::Space;
use alloc::vec::Vec;
use glam::DVec2;

/// `1 / |u + μ|` beyond which a bone has lost its direction: half of the sixteen digits.
pub(super) const KINK: f64 = 1e8;

/// Keeps reciprocals finite if a bone has no length; far below the square of any length that matters, so it changes no other sum.
const FLOOR: f64 = 1e-200;

/// Lengths and vectors of all bones, before and after the pull. An odd number of bones is padded with one of length zero.
#[derive(Debug, Clone, Default)]
pub(super) struct Bones {
    n_bones: usize,
    /// For every two bones, `dimension` pairs of `l u`, then one of `l`.
    pairs: Vec<DVec2>,
    /// For every two bones, `dimension` pairs of `l v`.
    pulled: Vec<DVec2>,
    /// Hessian of Φ, row by row, its upper triangle.
    pub(super) hessian: Vec<f64>,
}

/// Sums over the bones.
#[derive(Debug, Clone)]
pub(super) struct Sums<S: Space> {
    /// `Σ l v`: the chord from root to tip.
    pub(super) chord: S::Row<f64>,
    /// Largest `1 / |u + μ|`: one over the distance to the nearest kink.
    pub(super) sharpest: f64,
    chords: S::Row<DVec2>,
    /// What is added, `l (u + μ)`.
    x: S::Row<DVec2>,
    mu: S::Row<DVec2>,
    /// `O = Σ l v vᵀ / |u + μ|`, lower triangle.
    spreads: S::Row<S::Row<DVec2>>,
}

impl<S: Space> Sums<S> {
    pub(super) fn new(space: S) -> Self {
        let chords = space.row(DVec2::ZERO);
        let spreads = space.row(chords.clone());
        Self {
            chord: space.row(0.0),
            sharpest: 0.0,
            x: chords.clone(),
            mu: chords.clone(),
            chords,
            spreads,
        }
    }
}

/// Measures of a chain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    /// Sum of the lengths.
    pub(super) outer: f64,
    /// The longest bone.
    pub(super) longest: f64,
    /// Mean squared cosine of the bones against the chord, by length.
    pub(super) squared_cosine: f64,
}

/// The larger of each; `a` where `b` is not a number.
#[inline(always)]
fn larger(a: DVec2, b: DVec2) -> DVec2 {
    DVec2::select(b.cmpgt(a), b, a)
}

#[inline(always)]
fn sqrt(pair: DVec2) -> DVec2 {
    DVec2::from_array(pair.to_array().map(crate::math::sqrt))
}

impl Bones {
    /// Reads a pose with a chord along `e`. Puts `O e` into `sums.chord`, for no pull.
    #[inline(never)]
    pub(super) fn read<S: Space>(
        &mut self,
        space: S,
        (lengths, points): (&[f64], &[f64]),
        e: &S::Row<f64>,
        sums: &mut Sums<S>,
    ) -> Extent {
        let n = space.n();
        let n_pairs = lengths.len().div_ceil(2);
        self.n_bones = lengths.len();
        self.pairs.resize(n_pairs * (n + 1), DVec2::ZERO);
        self.pulled.resize(n_pairs * n, DVec2::ZERO);
        self.hessian.resize(n * n, 0.0);
        let (mut outer, mut longest, mut along) = (DVec2::ZERO, DVec2::ZERO, DVec2::ZERO);
        let mut leans = S::take::<DVec2>(&mut sums.chords);
        for k in 0..n {
            leans[k] = DVec2::ZERO;
        }
        for (pair, i) in self.pairs.chunks_exact_mut(n + 1).zip((0..).step_by(2)) {
            let at = &points[i * n..];
            let is_pair = i + 1 < lengths.len();
            for k in 0..n {
                let second = if is_pair { at[2 * n + k] - at[n + k] } else { 0.0 };
                pair[k] = DVec2::new(at[n + k] - at[k], second);
            }
            pair[n] = DVec2::new(lengths[i], if is_pair { lengths[i + 1] } else { 0.0 });
            let (mut squared, mut cosine) = (DVec2::ZERO, DVec2::ZERO);
            for k in 0..n {
                squared += pair[k] * pair[k];
                cosine += pair[k] * e[k];
            }
            let least = pair[n] * (1.0 / KINK);
            if squared.cmplt(least * least).any() {
                point_somewhere(pair, squared);
            }
            outer += pair[n];
            longest = larger(longest, pair[n]);
            let by_length = (pair[n] + DVec2::splat(FLOOR)).recip();
            along += cosine * cosine * by_length;
            for k in 0..n {
                leans[k] += cosine * by_length * pair[k];
            }
        }
        for k in 0..n {
            sums.chord[k] = leans[k].element_sum();
        }
        sums.chords = leans;
        let outer = outer.element_sum();
        let squared_cosine = along.element_sum() / outer;
        Extent { outer, longest: longest.max_element(), squared_cosine }
    }

    /// Pulls the bones: `v = (u + μ) / |u + μ|`, and sums up their chord and the Hessian of Φ.
    #[inline(never)]
    pub(super) fn pull<S: Space>(&mut self, space: S, mu: &S::Row<f64>, sums: &mut Sums<S>) {
        let n = space.n();
        let mut sharpest = DVec2::ZERO;
        // As locals, so that the compiler keeps the sums in registers.
        let [mut x, mut pull, mut chords] =
            [&mut sums.x, &mut sums.mu, &mut sums.chords].map(S::take::<DVec2>);
        let mut spreads = S::take::<S::Row<DVec2>>(&mut sums.spreads);
        for k in 0..n {
            pull[k] = DVec2::splat(mu[k]);
            chords[k] = DVec2::ZERO;
            for j in 0..=k {
                spreads[k][j] = DVec2::ZERO;
            }
        }
        let pairs = self.pairs.chunks_exact(n + 1).zip(self.pulled.chunks_exact_mut(n));
        for (pair, pulled) in pairs {
            let mut squared = DVec2::splat(FLOOR);
            for k in 0..n {
                x[k] = pair[k] + pair[n] * pull[k];
                squared += x[k] * x[k];
            }
            // The root and the reciprocal are independent.
            let inverse = squared.recip();
            let weight = pair[n] * (sqrt(squared) * inverse);
            sharpest = larger(sharpest, weight);
            let stiffness = pair[n] * weight * inverse;
            for k in 0..n {
                let part = stiffness * x[k];
                for j in 0..=k {
                    spreads[k][j] += part * x[j];
                }
                pulled[k] = weight * x[k];
                chords[k] += pulled[k];
            }
        }
        sums.sharpest = sharpest.max_element();
        for k in 0..n {
            sums.chord[k] = chords[k].element_sum();
        }
        self.take_hessian(space, &spreads);
        (sums.x, sums.mu, sums.chords, sums.spreads) = (x, pull, chords, spreads);
    }

    /// `tr(O) − O`. Its diagonal is summed without a difference: next to full reach it is small.
    #[inline(always)]
    fn take_hessian<S: Space>(&mut self, space: S, spreads: &S::Row<S::Row<DVec2>>) {
        let n = space.n();
        for k in 0..n {
            let others = (0..n).filter(|&j| j != k);
            self.hessian[k * n + k] = others.map(|j| spreads[j][j].element_sum()).sum();
            for j in 0..k {
                self.hessian[j * n + k] = -spreads[k][j].element_sum();
            }
        }
    }

    /// Replaces the bones by the pulled ones.
    pub(super) fn take_pulled<S: Space>(&mut self, space: S) {
        let n = space.n();
        let pairs = self.pairs.chunks_exact_mut(n + 1).zip(self.pulled.chunks_exact(n));
        pairs.for_each(|(pair, pulled)| pair[..n].copy_from_slice(pulled));
    }

    /// Writes the pulled bones end to end from the root, rotated by `turn` (columns).
    #[inline(never)]
    pub(super) fn write<S: Space>(
        &self,
        space: S,
        turn: &S::Row<S::Row<f64>>,
        sums: &mut Sums<S>,
        points: &mut [f64],
    ) {
        let n = space.n();
        let (mut turned, mut at) =
            (S::take::<DVec2>(&mut sums.chords), S::take::<f64>(&mut sums.chord));
        let (root, tips) = points.split_at_mut(n);
        at.as_mut().copy_from_slice(root);
        for (pair, tips) in self.pulled.chunks_exact(n).zip(tips.chunks_mut(2 * n)) {
            for k in 0..n {
                turned[k] = DVec2::ZERO;
                for j in 0..n {
                    turned[k] += turn[j][k] * pair[j];
                }
            }
            for k in 0..n {
                at[k] += turned[k].x;
                tips[k] = at[k];
            }
            if tips.len() > n {
                for k in 0..n {
                    at[k] += turned[k].y;
                    tips[n + k] = at[k];
                }
            }
        }
        (sums.chords, sums.chord) = (turned, at);
    }

    pub(super) const fn n_bones(&self) -> usize {
        self.n_bones
    }

    /// The length of a bone.
    #[inline(always)]
    pub(super) fn length<S: Space>(&self, space: S, i: usize) -> f64 {
        self.pairs[i / 2 * (space.n() + 1) + space.n()].as_ref()[i % 2]
    }

    /// A coordinate of the vector of a bone, `l u`.
    #[inline(always)]
    pub(super) fn vector<S: Space>(&self, space: S, i: usize, k: usize) -> f64 {
        self.pairs[i / 2 * (space.n() + 1) + k].as_ref()[i % 2]
    }

    pub(super) fn set_vector<S: Space>(&mut self, space: S, i: usize, k: usize, to: f64) {
        self.pairs[i / 2 * (space.n() + 1) + k].as_mut()[i % 2] = to;
    }

    /// Gives bone `i` the direction `along e + aside across`.
    #[inline(always)]
    pub(super) fn redirect<S: Space>(
        &mut self,
        space: S,
        i: usize,
        (along, aside): (f64, f64),
        (e, across): (&S::Row<f64>, &S::Row<f64>),
    ) {
        let n = space.n();
        let pair = &mut self.pairs[i / 2 * (n + 1)..][..=n];
        let length = pair[n].as_ref()[i % 2];
        for k in 0..n {
            pair[k].as_mut()[i % 2] = length * (along * e[k] + aside * across[k]);
        }
    }
}

/// Gives bones whose ends coincide the direction of the first axis.
#[cold]
fn point_somewhere(pair: &mut [DVec2], squared: DVec2) {
    let n = pair.len() - 1;
    for lane in 0..2 {
        let length = pair[n].as_ref()[lane];
        if squared.as_ref()[lane] < length * length / (KINK * KINK) {
            pair[..n].iter_mut().for_each(|x| x.as_mut()[lane] = 0.0);
            pair[0].as_mut()[lane] = length;
        }
    }
}
