//! How the root moves along with what the legs hold.
//!
//! | Symbol | Meaning |
//! |---|---|
//! | `r(t)` | displacement of the root, the unknown |
//! | `δ_c(t)` | displacement that the end of limb `c` needs |
//! | `K_c(t)` | what it costs limb `c` to take up `δ_c − r` itself: much along a nearly straight leg, whose knee would pop, little across it |
//! | `w_c(t)` | 1 while `c` holds, less on the way in and out |
//! | `α` | what it costs to move the root |
//! | `h_c(t)`, `θ_c(t)` | hip and knee of the limb: what they are in the source, and how `r` changes them |
//! | `τ` | times below which changes are jitter, in frames |
//!
//! `r` minimises `Σ_t Σ_c w_c (δ_c − r)ᵀ K_c (δ_c − r) + α |r|² + α τ_r⁴ |D²r|² + Σ_c w_c (α τ_h⁴ |D²(h_c + r)|² + τ_k⁴ (D²θ_c(δ_c − r))²)`, `D²` the second
//! difference: a linear system in a band. Noise of the root makes hips tremble and goes to the root, noise of a knee makes knees tremble and goes to the knee.

use core::ops::Range;

use posekit::glam::{DMat3, DVec3};

/// The second difference of three frames in a row.
pub(super) const SECOND: [f64; 3] = [1.0, -2.0, 1.0];

/// Numbers to a frame.
const SIZE: usize = 3;

/// Frames in a row that a term joins, at most.
const TERM: usize = SECOND.len();

/// Of a column, the diagonal and the entries below it that may differ from zero: terms join three frames in a row.
const WIDTH: usize = TERM * SIZE;

/// What is known already in every so many frames of a clip, and how many.
pub(super) type Pins<'a> = (&'a [DVec3], usize);

/// A quadratic form over the displacements of some frames in a row, and what it pulls them to.
#[derive(Debug, Clone)]
pub(super) struct System {
    /// Column after column, the entry `k` below the diagonal at `k`; behind the last one as many that nothing is asked of as a column reaches down.
    /// Frames that are pinned have none.
    columns: Vec<[f64; WIDTH]>,
    right: Vec<f64>,
    /// The first column of each frame, or its place if it is pinned; empty where none is.
    placed: Vec<Result<usize, DVec3>>,
}

impl System {
    /// Nothing is asked of so many frames.
    ///
    /// - `pins`: where frames of the clip must be; zero where that is not known
    pub(super) fn new(frames: Range<usize>, pins: Option<Pins<'_>>) -> Self {
        let mut n = SIZE * frames.len();
        let mut placed = Vec::new();
        if let Some((places, step)) = pins {
            n = 0;
            placed.extend(frames.map(|frame| {
                if frame.is_multiple_of(step) {
                    return Err(places.get(frame / step).copied().unwrap_or(DVec3::ZERO));
                }
                n += SIZE;
                Ok(n - SIZE)
            }));
        }
        let n = n + WIDTH - 1;
        Self { columns: vec![[0.0; WIDTH]; n], right: vec![0.0; n], placed }
    }

    /// Nothing is asked any more.
    pub(super) fn clear(&mut self) {
        self.columns.fill([0.0; WIDTH]);
        self.right.fill(0.0);
    }

    /// Asks the same as another one of the same frames, in the memory that it has.
    pub(super) fn copy(&mut self, other: &Self) {
        self.columns.copy_from_slice(&other.columns);
        self.right.copy_from_slice(&other.right);
        self.placed.copy_from_slice(&other.placed);
    }

    /// The first column of a frame, or its place if it is pinned.
    #[inline]
    fn first(&self, frame: usize) -> Result<usize, DVec3> {
        if self.placed.is_empty() { Ok(SIZE * frame) } else { self.placed[frame] }
    }

    /// Adds `(r − a)ᵀ K (r − a)` of a frame, with `pull` = `K a`.
    pub(super) fn add(&mut self, frame: usize, stiffness: &DMat3, pull: DVec3) {
        let Ok(first) = self.first(frame) else { return };
        let (stiffness, pull) = (stiffness.to_cols_array_2d(), pull.to_array());
        for k in 0..SIZE {
            let column = first + k;
            for (entry, value) in self.columns[column].iter_mut().zip(&stiffness[k][k..]) {
                *entry += value;
            }
            self.right[column] += pull[k];
        }
    }

    /// Adds `weight |Σ factor r − wanted|²`, the sum over frames in a row from this one.
    pub(super) fn add_sum(
        &mut self,
        frame: usize,
        factors: &[f64],
        mut wanted: DVec3,
        weight: f64,
    ) {
        let (mut rows, mut n) = ([(0, 0.0); TERM], 0);
        for (i, factor) in factors.iter().enumerate() {
            match self.first(frame + i) {
                Ok(row) => {
                    rows[n] = (row, *factor);
                    n += 1;
                }
                Err(place) => wanted -= place * *factor,
            }
        }
        let wanted = wanted.to_array();
        for (i, (row, a)) in rows[..n].iter().enumerate() {
            let weighted = weight * a;
            for (column, b) in &rows[..=i] {
                for entries in &mut self.columns[*column..column + SIZE] {
                    entries[row - column] += weighted * b;
                }
            }
            for (value, wanted) in self.right[*row..row + SIZE].iter_mut().zip(&wanted) {
                *value += weighted * wanted;
            }
        }
    }

    /// Adds `weight (Σ factor · r − wanted)²`, the sum over frames in a row from this one, and of vectors.
    pub(super) fn add_row(
        &mut self,
        frame: usize,
        factors: &[DVec3],
        mut wanted: f64,
        weight: f64,
    ) {
        let (mut rows, mut n) = ([(0, [0.0; SIZE]); TERM], 0);
        for (i, factor) in factors.iter().enumerate() {
            match self.first(frame + i) {
                Ok(row) => {
                    rows[n] = (row, factor.to_array());
                    n += 1;
                }
                Err(place) => wanted -= place.dot(*factor),
            }
        }
        for (i, (row, a)) in rows[..n].iter().enumerate() {
            let weighted = a.map(|a| weight * a);
            for (column, b) in &rows[..i] {
                for (l, entries) in self.columns[*column..column + SIZE].iter_mut().enumerate() {
                    let below = row - column - l;
                    for (entry, a) in entries[below..below + SIZE].iter_mut().zip(&weighted) {
                        *entry += a * b[l];
                    }
                }
            }
            for (l, entries) in self.columns[*row..row + SIZE].iter_mut().enumerate() {
                for (entry, weighted) in entries.iter_mut().zip(&weighted[l..]) {
                    *entry += weighted * a[l];
                }
                self.right[row + l] += weighted[l] * wanted;
            }
        }
    }

    /// Adds all of another one for the same frames.
    pub(super) fn add_all(&mut self, other: &Self) {
        for (column, more) in self.columns.iter_mut().zip(&other.columns) {
            column.iter_mut().zip(more).for_each(|(entry, more)| *entry += more);
        }
        self.right.iter_mut().zip(&other.right).for_each(|(value, more)| *value += more);
    }

    /// Adds what another one asks of frames in a row when the others stay, without what it pulls them to.
    ///
    /// - `first`: which frame of it is the first
    pub(super) fn add_part(&mut self, whole: &Self, first: usize) {
        let n = self.right.len() + 1 - WIDTH;
        let offset = match whole.placed.get(first..) {
            Some(placed) if !placed.is_empty() => placed.iter().find_map(|place| place.ok()),
            _ => Some(SIZE * first),
        };
        let more = offset.and_then(|offset| whole.columns.get(offset..)).unwrap_or_default();
        for (k, (column, more)) in self.columns[..n].iter_mut().zip(more).enumerate() {
            // Further down are frames that stay.
            column.iter_mut().zip(more).take(n - k).for_each(|(entry, more)| *entry += more);
        }
    }

    /// Pulls to zero from now on, and keeps what is pinned there.
    pub(super) fn forget_pull(&mut self) {
        self.right.fill(0.0);
        for place in self.placed.iter_mut().filter_map(|row| row.as_mut().err()) {
            *place = DVec3::ZERO;
        }
    }

    /// The displacements at the minimum; what it asked is lost.
    pub(super) fn solve(&mut self, out: &mut [DVec3]) {
        self.reduce();
        for (frame, out) in out.iter_mut().enumerate() {
            *out = match self.first(frame) {
                Ok(first) => DVec3::from_slice(&self.right[first..first + SIZE]),
                Err(place) => place,
            };
        }
    }

    /// Puts the displacements at the minimum in the place of what it pulls to.
    ///
    /// # Method
    /// `L D Lᵀ` of a band, column by column. Every frame has a pull of its own to zero, so no pivot vanishes.
    fn reduce(&mut self) {
        let n = self.right.len() + 1 - WIDTH;
        let Self { columns, right, .. } = self;
        for at in (0..n).step_by(SIZE) {
            let (columns, right) = (columns[at..].first_chunk_mut(), right[at..].first_chunk_mut());
            let (Some(columns), Some(right)) = (columns, right) else { break };
            eliminate::<0>(columns, right);
            eliminate::<1>(columns, right);
            eliminate::<2>(columns, right);
        }
        for at in (0..n).rev() {
            let [pivot, lower @ ..] = &columns[at];
            let Some([value, below @ ..]) = right[at..].first_chunk_mut::<WIDTH>() else { break };
            *value /= pivot;
            // The nearest is taken off last, since it is known last: so only that waits for it.
            lower.iter().zip(below).rev().for_each(|(lower, below)| *value -= lower * *below);
        }
    }
}

/// Takes one of the columns of a frame off those that it reaches, which leaves of it the pivot and what stands below it divided by that.
///
/// Terms end with a frame, so the second and third column of one reach one and two entries less than the first.
#[inline(always)]
fn eliminate<const AXIS: usize>(columns: &mut [[f64; WIDTH]; WIDTH], right: &mut [f64; WIDTH]) {
    let (scaled, pulled) = (columns[AXIS], right[AXIS]);
    let per_pivot = 1.0 / scaled[0];
    for below in 1..WIDTH - AXIS {
        let lower = scaled[below] * per_pivot;
        for entry in below..WIDTH - AXIS {
            columns[AXIS + below][entry - below] -= scaled[entry] * lower;
        }
        right[AXIS + below] -= lower * pulled;
        columns[AXIS][below] = lower;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A term of a quadratic form.
    type Term = Box<dyn Fn(&[DVec3]) -> f64>;

    #[test]
    fn the_solution_is_the_minimum() {
        let mut seed = 7_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        // As they are, and with every other or third frame of a clip kept, the first of them the fifth of the clip.
        for (n, step) in [1, 2, 3, 30].into_iter().flat_map(|n| [1, 2, 3].map(|step| (n, step))) {
            let places: Vec<DVec3> = (0..20).map(|k| DVec3::splat(0.1 * f64::from(k))).collect();
            let pins = (step > 1).then_some((places.as_slice(), step));
            let mut system = System::new(5..5 + n, pins);
            let mut terms: Vec<Term> = Vec::new();
            let mut vector = || DVec3::new(random(), random(), random());
            for t in 0..n {
                let (normal, aim) = (vector(), vector());
                let outer =
                    DMat3::from_cols(normal * normal.x, normal * normal.y, normal * normal.z);
                let stiffness = outer * 50.0 + DMat3::IDENTITY;
                system.add(t, &stiffness, stiffness * aim);
                terms.push(Box::new(move |r| (r[t] - aim).dot(stiffness * (r[t] - aim))));
                for factors in [&[-1.0, 1.0][..], &[1.0, -2.0, 1.0]] {
                    if t + factors.len() > n {
                        continue;
                    }
                    let wanted = vector();
                    system.add_sum(t, factors, wanted, 30.0);
                    terms.push(Box::new(move |r| {
                        let sum: DVec3 = factors.iter().zip(&r[t..]).map(|(f, r)| *f * *r).sum();
                        30.0 * (sum - wanted).length_squared()
                    }));
                    let factors: Vec<DVec3> = factors.iter().map(|_| vector()).collect();
                    system.add_row(t, &factors, wanted.x, 70.0);
                    terms.push(Box::new(move |r| {
                        let sum: f64 = factors.iter().zip(&r[t..]).map(|(f, r)| f.dot(*r)).sum();
                        70.0 * (sum - wanted.x) * (sum - wanted.x)
                    }));
                }
            }
            let energy = |r: &[DVec3]| terms.iter().map(|term| term(r)).sum::<f64>();
            let mut out = vec![DVec3::ZERO; n];
            system.solve(&mut out);
            for t in 0..n {
                if step > 1 && (5 + t) % step == 0 {
                    assert_eq!(out[t], places[(5 + t) / step], "frame {t} of {n}");
                    continue;
                }
                for axis in DVec3::AXES {
                    let at = |step: f64| {
                        let mut r = out.clone();
                        r[t] += axis * step;
                        energy(&r)
                    };
                    let slope = (at(1e-3) - at(-1e-3)) / 2e-3;
                    assert!(slope.abs() < 1e-8, "frame {t} of {n}: {slope}");
                }
            }
        }
    }
}
