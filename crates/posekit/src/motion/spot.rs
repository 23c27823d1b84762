//! The way of a walk on the spot, as a spline: so that it is found again, to the last digits, in a clip that was cleaned along it.
//!
//! A foot that was held stands exactly, along that way and no other. Which way it was, a cleaned clip does not say; but it was one of few, for a spline has less
//! freedom than feet have frames. So the spline that lets most feet stand exactly, if there is one, is the way that the clip was cleaned along.

use core::ops::Range;

use glam::DVec3;

use super::pace::Pace;
use super::paths::Paths;

/// From one knot to the next at least \[s\]: longer than a few frames, or feet could not tell which spline it was; short against a step.
const KNOT: f64 = 0.15;

/// The same in frames that are seen.
const KNOT_FRAMES: f64 = 3.0;

/// Polynomials of this degree in time between knots.
const DEGREE: usize = 3;

/// Coefficients that a step from one frame to the next depends on.
const BAND: usize = DEGREE + 2;

/// What bends of the spline cost where nothing else is known, against what a foot that does not stand costs.
const BEND: f64 = 1e-9;

/// Rounds of the reweighting that finds the way along which most feet stand.
const ROUNDS: usize = 36;

/// Steps of a foot that are longer than this count less in the first round \[leg lengths\], in the last those longer than a millionth of it.
const FAR: f64 = 1e-2;

/// What is left of that from round to round.
const NEARER: f64 = 0.68;

/// A way along the floor, as a cubic spline with equal times between its knots.
#[derive(Debug, Clone)]
pub(super) struct Spline {
    knot: f64,
    /// It stays where it is then \[s\].
    end: f64,
    coefficients: Vec<DVec3>,
}

impl Spline {
    /// - `paths`, `pace`: of a clip that is not empty
    fn empty(paths: &Paths, pace: Pace) -> Self {
        let seen = paths.frame_time * pace.step() as f64;
        let knot = if KNOT_FRAMES * seen > KNOT { KNOT_FRAMES * seen } else { KNOT };
        let end = ((paths.n_frames - 1) / pace.step()) as f64 * seen;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let n_pieces = (end / knot).clamp(0.0, 1e9) as usize + 1;
        Self { knot, end, coefficients: vec![DVec3::ZERO; n_pieces + DEGREE] }
    }

    /// The spline nearest to places at equal times from the first on, and zero at the first.
    ///
    /// - `looks`: as many as there are in the clip
    /// - `time`: from one of them to the next \[s\]
    pub(super) fn near(looks: &[DVec3], time: f64, paths: &Paths, pace: Pace) -> Option<Self> {
        let mut spline = Self::empty(paths, pace);
        let mut system = Band::new(spline.coefficients.len());
        for (look, place) in looks.iter().enumerate() {
            let (first, basis) = spline.basis(look as f64 * time);
            system.add(first, &basis, *place, 1.0);
        }
        spline.coefficients = system.solve()?;
        Some(spline.from_zero())
    }

    /// The way along which most of these feet stand exactly, if there is one.
    ///
    /// - `stands`: paths of feet, and the frames in which they may stand
    /// - `least`: what is less is no step \[the clip's unit\]
    ///
    /// # Method
    /// The least sum of steps, as least squares of steps that count the less the longer they are.
    pub(super) fn exact(
        stands: &[(&[DVec3], Range<usize>)],
        (paths, pace): (&Paths, Pace),
        least: f64,
    ) -> Option<Self> {
        let mut spline = Self::empty(paths, pace);
        let steps = spline.steps(stands, (paths, pace));
        if steps.is_empty() {
            return None;
        }
        let mut far = paths.length * FAR;
        for _ in 0..ROUNDS {
            let mut system = Band::new(spline.coefficients.len());
            for step in &steps {
                let off = step.left(&spline).length();
                let weight = if off > far { far / off } else { 1.0 };
                system.add(step.first, &step.basis, -step.moved, weight);
            }
            spline.coefficients = system.solve()?;
            far *= NEARER;
        }
        let n_still = steps.iter().filter(|step| step.left(&spline).length() <= least).count();
        (2 * n_still >= steps.len()).then(|| spline.from_zero())
    }

    fn steps(
        &self,
        stands: &[(&[DVec3], Range<usize>)],
        (paths, pace): (&Paths, Pace),
    ) -> Vec<Step> {
        let step = pace.step();
        let mut steps = Vec::new();
        for (path, frames) in stands {
            let first = frames.start.next_multiple_of(step);
            for frame in (first..frames.end.saturating_sub(step)).step_by(step) {
                let [from, to] = [frame, frame + step];
                let times = [from, to].map(|frame| frame as f64 * paths.frame_time);
                let (first, before) = self.basis(times[0]);
                let (last, after) = self.basis(times[1]);
                let mut basis = [0.0; BAND];
                before.iter().enumerate().for_each(|(k, value)| basis[k] -= value);
                after.iter().enumerate().for_each(|(k, value)| basis[k + last - first] += value);
                steps.push(Step { first, basis, moved: path[to] - path[from] });
            }
        }
        steps
    }

    /// The first of the coefficients that count at a time, and how much each does.
    fn basis(&self, time: f64) -> (usize, [f64; DEGREE + 1]) {
        let at = if time < self.end { time } else { self.end } / self.knot;
        let last = self.coefficients.len() - DEGREE - 1;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let first = (at.max(0.0) as usize).min(last);
        let u = at - first as f64;
        let v = 1.0 - u;
        let sixths = [
            v * v * v,
            4.0 - 6.0 * u * u + 3.0 * u * u * u,
            4.0 - 6.0 * v * v + 3.0 * v * v * v,
            u * u * u,
        ];
        (first, sixths.map(|value| value / 6.0))
    }

    /// Where it is at a time.
    fn place(&self, time: f64) -> DVec3 {
        let (first, basis) = self.basis(time);
        basis.iter().zip(&self.coefficients[first..]).map(|(b, c)| *c * *b).sum()
    }

    /// At equal times from the first on.
    pub(super) fn places(&self, n: usize, time: f64) -> Vec<DVec3> {
        (0..n).map(|k| self.place(k as f64 * time)).collect()
    }

    fn from_zero(mut self) -> Self {
        let first = self.place(0.0);
        self.coefficients.iter_mut().for_each(|coefficient| *coefficient -= first);
        self
    }
}

/// A step of a foot from one frame that is seen to the next.
struct Step {
    /// The first coefficient that the way's own step depends on.
    first: usize,
    /// How much each counts.
    basis: [f64; BAND],
    moved: DVec3,
}

impl Step {
    /// What the foot moves along the way.
    fn left(&self, spline: &Spline) -> DVec3 {
        let coefficients = spline.coefficients[self.first..].iter();
        self.moved + coefficients.zip(&self.basis).map(|(c, b)| *c * *b).sum::<DVec3>()
    }
}

/// Least squares for the coefficients of a spline: of a column, the diagonal and what is below it in the band.
struct Band {
    columns: Vec<[f64; BAND]>,
    right: Vec<DVec3>,
}

impl Band {
    /// Bends cost a little, and so does the first coefficient, because steps do not say where a way begins.
    fn new(n: usize) -> Self {
        let mut band = Self { columns: vec![[0.0; BAND]; n], right: vec![DVec3::ZERO; n] };
        band.add(0, &[1.0], DVec3::ZERO, BEND);
        for first in 0..n.saturating_sub(2) {
            band.add(first, &[1.0, -2.0, 1.0], DVec3::ZERO, BEND);
        }
        band
    }

    /// Adds `weight |Σ factor c − wanted|²`, the sum over coefficients in a row from one on; those beyond the last count for nothing.
    fn add(&mut self, first: usize, factors: &[f64], wanted: DVec3, weight: f64) {
        for (k, a) in factors.iter().enumerate().filter(|(_, factor)| **factor != 0.0) {
            for (below, b) in factors[k..].iter().enumerate() {
                self.columns[first + k][below] += weight * a * b;
            }
            self.right[first + k] += wanted * (weight * a);
        }
    }

    /// The coefficients at the minimum; `None` where they are not determined.
    fn solve(mut self) -> Option<Vec<DVec3>> {
        let n = self.columns.len();
        for at in 0..n {
            let column = self.columns[at];
            if column[0] <= 0.0 {
                return None;
            }
            for below in 1..BAND.min(n - at) {
                let factor = column[below] / column[0];
                for k in below..BAND {
                    self.columns[at + below][k - below] -= factor * column[k];
                }
                let pulled = self.right[at] * factor;
                self.right[at + below] -= pulled;
            }
        }
        for at in (0..n).rev() {
            let mut value = self.right[at];
            for below in 1..BAND.min(n - at) {
                value -= self.right[at + below] * self.columns[at][below];
            }
            self.right[at] = value / self.columns[at][0];
        }
        Some(self.right)
    }
}
