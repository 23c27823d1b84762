//! The passes over the bones that the closed way is made of.

use super::super::{Four, Rough, Space, distance};
use crate::math::sqrt;
use alloc::vec::Vec;
use core::fmt::Debug;

/// Lengths below which a bone counts as a point.
const POINT: f64 = 1e-150;

/// First coordinate of the "direction" of a bone that is a point. No pull comes near it, so such a bone never looks like a
/// kink; its length keeps it out of every sum. Its square is an ordinary number in single precision too.
const NOWHERE: f64 = 1e15;

/// Sum of squares of what the squares of directions miss one by, from which on points do not stand at their distances: a part in
/// a hundred thousand for one bone.
const OFF: f64 = 1e-10;

/// Keep reciprocals finite where a bone is pulled to nothing.
const FLOOR: f64 = 1e-200;
const ROUGH_FLOOR: f32 = 1e-24;

/// `1 / |u + μ|` beyond which single precision is not enough.
const ROUGH_KINK: f64 = 1e3;

/// Lengths and directions of all bones, and a pose in the making.
///
/// Where the bones are not a multiple of four, the last one fills up, without its length.
#[derive(Debug, Clone, Default)]
pub(super) struct Bones {
    n_bones: usize,
    lengths: Vec<f64>,
    /// Unit directions, `dimension` numbers a bone.
    u: Vec<f64>,
    /// For every four bones `dimension` fours of directions, then one of lengths.
    rough: Vec<Rough>,
    /// What the bones are to be multiplied by to be units again.
    scales: Vec<f64>,
    /// Where the bones end when they are pulled, seen from the root and before the last turn.
    ends: Vec<f64>,
}

/// Sums over bones.
#[derive(Debug, Clone)]
pub(super) struct Sums<S: Space> {
    /// `Σ l v`: the chord from root to tip.
    pub(super) chord: S::Row<f64>,
    /// `Σ l v vᵀ / |u + μ|`, lower triangle.
    pub(super) spread: S::Row<S::Row<f64>>,
    /// Largest `1 / |u + μ|`: one over the distance to the nearest kink.
    pub(super) sharpest: f64,
    exact: Kept<S, f64>,
    rough: Kept<S, Rough>,
}

/// Rows for sums and for what is summed up.
#[derive(Debug, Clone)]
struct Kept<S: Space, T: Copy + Debug> {
    rows: [S::Kept<T>; 2],
    square: S::Kept<S::Row<T>>,
}

/// The same in use.
struct Heap<S: Space, T: Copy + Debug> {
    x: S::Row<T>,
    chord: S::Row<T>,
    spread: S::Row<S::Row<T>>,
}

impl<S: Space, T: Copy + Debug> Kept<S, T> {
    fn new(space: S, zero: T) -> Self {
        let rows = [space.keep(zero), space.keep(zero)];
        Self { rows, square: space.keep(space.row(zero)) }
    }

    /// The rows, to be put back, with the sums at zero: what is known to be small lives in registers.
    #[inline(always)]
    fn borrow(&mut self, space: S, zero: T) -> Heap<S, T> {
        let [x, chord] = &mut self.rows;
        let mut heap = Heap::<S, T> {
            x: S::borrow::<T>(x, zero),
            chord: S::borrow::<T>(chord, zero),
            spread: S::borrow::<S::Row<T>>(&mut self.square, space.empty_row(zero)),
        };
        for k in 0..space.n() {
            heap.chord[k] = zero;
            for j in 0..=k {
                heap.spread[k][j] = zero;
            }
        }
        heap
    }

    #[inline(always)]
    fn put_back(&mut self, heap: Heap<S, T>) {
        let [x, chord] = &mut self.rows;
        S::put_back::<T>(x, heap.x);
        S::put_back::<T>(chord, heap.chord);
        S::put_back::<S::Row<T>>(&mut self.square, heap.spread);
    }
}

impl<S: Space> Sums<S> {
    pub(super) fn new(space: S) -> Self {
        let row = space.row(0.0);
        Self {
            chord: row.clone(),
            spread: space.row(row),
            sharpest: 0.0,
            exact: Kept::new(space, 0.0),
            rough: Kept::new(space, Rough::all(0.0)),
        }
    }

    /// Takes over sums in single precision.
    #[inline(always)]
    fn take_rough(&mut self, space: S, heap: &Heap<S, Rough>) {
        for k in 0..space.n() {
            let at = |j: usize| if j <= k { heap.spread[k][j] } else { Rough::all(0.0) };
            let [chord, first, second, third] = Rough::sums([heap.chord[k], at(0), at(1), at(2)]);
            self.chord[k] = chord;
            for (j, sum) in [first, second, third].into_iter().enumerate().take(k + 1) {
                self.spread[k][j] = sum;
            }
            for j in 3..=k {
                self.spread[k][j] = heap.spread[k][j].exact().sum();
            }
        }
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
    /// The lengths, a number a bone.
    pub(super) fn lengths(&self) -> &[f64] {
        &self.lengths[..self.n_bones]
    }

    /// The unit directions, `n` numbers a bone.
    pub(super) fn directions(&self, n: usize) -> &[f64] {
        &self.u[..self.n_bones * n]
    }

    /// Turns every bone: `direction` is asked for the unit directions of four, whose middles are so far along the chain, one after
    /// the other, `n` numbers each.
    pub(super) fn redirect(&mut self, n: usize, mut direction: impl FnMut([f64; 4], &mut [f64])) {
        let mut travelled = 0.0;
        for (u, lengths) in self.u.chunks_exact_mut(4 * n).zip(self.lengths.as_chunks::<4>().0) {
            let middles = lengths.map(|length| {
                travelled += length;
                travelled - 0.5 * length
            });
            direction(middles, u);
        }
    }

    /// The longest bone, the first of several.
    pub(super) fn longest(&self) -> usize {
        let mut longest = 0;
        for (i, &length) in self.lengths().iter().enumerate() {
            if length > self.lengths[longest] {
                longest = i;
            }
        }
        longest
    }

    #[cold]
    #[inline(never)]
    fn make_room(&mut self, n: usize, n_bones: usize) {
        let n_fours = n_bones.div_ceil(4);
        self.n_bones = n_bones;
        self.lengths.clear();
        self.lengths.resize(n_fours * 4, 0.0);
        self.u.resize(n_fours * 4 * n, 0.0);
        self.ends.resize(n_fours * 4 * n, 0.0);
        self.scales.resize(n_fours * 4, 0.0);
        self.rough.resize(n_fours * (n + 1), Rough::all(0.0));
    }

    /// Repeats the last direction where there is no bone.
    #[inline(always)]
    fn fill_up(&mut self, n: usize) {
        let end = self.n_bones * n;
        for i in end..self.u.len() {
            self.u[i] = self.u[i - n];
        }
    }

    /// Reads a pose, and sums it up as [`Bones::sum_roughly`] would for no pull, the chord exactly.
    #[inline(always)]
    pub(super) fn read<S: Space>(
        &mut self,
        space: S,
        lengths: &[f64],
        points: &[f64],
        sums: &mut Sums<S>,
    ) -> Extent {
        let n = space.n();
        if self.n_bones != lengths.len() || self.u.len() != self.lengths.len() * n {
            self.make_room(n, lengths.len());
        }
        self.lengths[..lengths.len()].copy_from_slice(lengths);
        let bones = points.chunks_exact(n).zip(points[n..].chunks_exact(n));
        for ((u, &length), (base, tip)) in self.u.chunks_exact_mut(n).zip(lengths).zip(bones) {
            let by_length = 1.0 / length;
            for k in 0..n {
                u[k] = (tip[k] - base[k]) * by_length;
            }
        }
        self.fill_up(n);
        let (extent, off) = self.measure_roughly(space, sums);
        let last = lengths.len() * n;
        for k in 0..n {
            sums.chord[k] = points[last + k] - points[k];
        }
        // Points off their distances, and bones that are points (whose reciprocal is no number).
        if off > OFF || off.is_nan() {
            self.read_slowly(space, points, sums);
        }
        extent
    }

    /// Reads a pose whose points are not at their distances.
    #[cold]
    #[inline(never)]
    fn read_slowly<S: Space>(&mut self, space: S, points: &[f64], sums: &mut Sums<S>) {
        let n = space.n();
        let bones = points.chunks_exact(n).zip(points[n..].chunks_exact(n));
        for ((u, &length), (base, tip)) in self.u.chunks_exact_mut(n).zip(&self.lengths).zip(bones)
        {
            let size = distance(base, tip);
            for k in 0..n {
                // A bone that is a point, or has no direction, takes the first axis.
                let axis = if k == 0 { 1.0 } else { 0.0 };
                u[k] = if length < POINT {
                    NOWHERE * axis
                } else if size > 0.0 {
                    (tip[k] - base[k]) / size
                } else {
                    axis
                };
            }
        }
        self.fill_up(n);
        self.measure(space, sums);
    }

    /// Takes new directions over, and sums them up without any pull.
    pub(super) fn measure<S: Space>(&mut self, space: S, sums: &mut Sums<S>) {
        let n = space.n();
        self.measure_roughly(space, sums);
        let mut heap = sums.exact.borrow(space, 0.0);
        for (u, &length) in self.u.chunks_exact(n).zip(&self.lengths) {
            for k in 0..n {
                let part = length * u[k];
                heap.chord[k] += part;
                for j in 0..=k {
                    heap.spread[k][j] += part * u[j];
                }
            }
        }
        take(space, &heap, sums);
        sums.exact.put_back(heap);
    }

    /// Takes new directions over and sums them up in single precision; returns also the sum of squares of what the squares of the
    /// directions miss one by.
    #[inline(always)]
    fn measure_roughly<S: Space>(&mut self, space: S, sums: &mut Sums<S>) -> (Extent, f64) {
        let n = space.n();
        let mut heap = sums.rough.borrow(space, Rough::all(0.0));
        let (mut outer, mut longest) = (Four::all(0.0), Four::all(0.0));
        let mut off = Rough::all(0.0);
        let fours = self.u.chunks_exact(4 * n).zip(self.lengths.as_chunks::<4>().0);
        for ((u, lengths), rough) in fours.zip(self.rough.chunks_exact_mut(n + 1)) {
            let weight = Four::new(*lengths);
            for k in 0..n {
                heap.x[k] = Four::new([u[k], u[n + k], u[2 * n + k], u[3 * n + k]]).rough();
            }
            outer += weight;
            longest = longest.max(weight);
            rough[n] = weight.rough();
            let mut more = Rough::all(-1.0);
            for k in 0..n {
                rough[k] = heap.x[k];
                more += heap.x[k] * heap.x[k];
                let part = rough[n] * heap.x[k];
                for j in 0..=k {
                    heap.spread[k][j] += part * heap.x[j];
                }
            }
            off += more * more;
        }
        sums.take_rough(space, &heap);
        sums.sharpest = 1.0;
        sums.rough.put_back(heap);
        (Extent { outer: outer.sum(), longest: longest.largest() }, off.exact().sum())
    }

    /// Sums over the bones turned by the pull `mu`.
    #[inline(never)]
    pub(super) fn sum<S: Space>(&self, space: S, mu: &S::Row<f64>, sums: &mut Sums<S>) {
        let n = space.n();
        let mut heap = sums.exact.borrow(space, 0.0);
        let mut sharpest = 0.0;
        for (u, &length) in self.u.chunks_exact(n).zip(&self.lengths) {
            let mut squared = FLOOR;
            for k in 0..n {
                heap.x[k] = u[k] + mu[k];
                squared += heap.x[k] * heap.x[k];
            }
            // Root and reciprocal do not wait for each other.
            let inverse = 1.0 / squared;
            let scale = sqrt(squared) * inverse;
            sharpest = if scale > sharpest { scale } else { sharpest };
            let weight = length * scale;
            let stiffness = weight * inverse;
            for k in 0..n {
                let part = stiffness * heap.x[k];
                heap.chord[k] += weight * heap.x[k];
                for j in 0..=k {
                    heap.spread[k][j] += part * heap.x[j];
                }
            }
        }
        take(space, &heap, sums);
        sums.sharpest = sharpest;
        sums.exact.put_back(heap);
    }

    /// The same in single precision, in a third of the time; false, and nothing of use summed, where that is not enough.
    #[inline(always)]
    pub(super) fn sum_roughly<S: Space>(
        &self,
        space: S,
        mu: &S::Row<f64>,
        sums: &mut Sums<S>,
    ) -> bool {
        let n = space.n();
        let mut heap = sums.rough.borrow(space, Rough::all(0.0));
        let mut sharpest = Rough::all(0.0);
        for bones in self.rough.chunks_exact(n + 1) {
            let mut squared = Rough::all(ROUGH_FLOOR);
            for k in 0..n {
                heap.x[k] = bones[k] + Four::all(mu[k]).rough();
                squared += heap.x[k] * heap.x[k];
            }
            let inverse = squared.recip();
            let scale = squared.sqrt() * inverse;
            sharpest = sharpest.max(scale);
            let weight = bones[n] * scale;
            let stiffness = weight * inverse;
            for k in 0..n {
                let part = stiffness * heap.x[k];
                heap.chord[k] += weight * heap.x[k];
                for j in 0..=k {
                    heap.spread[k][j] += part * heap.x[j];
                }
            }
        }
        sums.take_rough(space, &heap);
        sums.sharpest = sharpest.exact().largest();
        sums.rough.put_back(heap);
        sums.sharpest < ROUGH_KINK
    }

    /// Lays the bones, turned by the pull `mu`, end to end; sums up their chord, and how near they come to a kink.
    #[inline(always)]
    pub(super) fn pull<S: Space>(&mut self, space: S, mu: &S::Row<f64>, sums: &mut Sums<S>) {
        let n = space.n();
        let bones = self.u.chunks_exact(n).zip(self.ends.chunks_exact_mut(n));
        for ((u, x), scale) in bones.zip(&mut self.scales) {
            let mut squared = FLOOR;
            for k in 0..n {
                x[k] = u[k] + mu[k];
                squared += x[k] * x[k];
            }
            *scale = squared;
        }
        let mut sharpest = Four::all(0.0);
        for scales in self.scales.as_chunks_mut::<4>().0 {
            let four = Four::new(*scales).recip_sqrt();
            sharpest = sharpest.max(four);
            *scales = four.numbers();
        }
        let mut heap = sums.exact.borrow(space, 0.0);
        let bones = self.ends.chunks_exact_mut(n).zip(&self.scales);
        for ((x, scale), length) in bones.zip(&self.lengths) {
            let weight = length * scale;
            for k in 0..n {
                heap.chord[k] += weight * x[k];
                x[k] = heap.chord[k];
            }
        }
        for k in 0..n {
            sums.chord[k] = heap.chord[k];
        }
        sums.sharpest = sharpest.largest();
        sums.exact.put_back(heap);
    }

    /// Writes where [`Bones::pull`] has laid the bones, turned by `turn` (columns) about the root, which stays.
    #[inline(never)]
    pub(super) fn write<S: Space>(&self, space: S, turn: &S::Row<S::Row<f64>>, points: &mut [f64]) {
        let n = space.n();
        let (root, tips) = points.split_at_mut(n);
        for (end, tip) in self.ends.chunks_exact(n).zip(tips.chunks_exact_mut(n)) {
            for k in 0..n {
                let mut at = root[k];
                for j in 0..n {
                    at += turn[j][k] * end[j];
                }
                tip[k] = at;
            }
        }
    }
}

#[inline(always)]
fn take<S: Space>(space: S, heap: &Heap<S, f64>, sums: &mut Sums<S>) {
    for k in 0..space.n() {
        sums.chord[k] = heap.chord[k];
        for j in 0..=k {
            sums.spread[k][j] = heap.spread[k][j];
        }
    }
}
