//! The way of a walk on the spot, as a spline: so that it is found again, to the last digits, in a clip that was cleaned along it.
//!
//! A foot that was held stands exactly, along that way and no other. Which way it was, a cleaned clip does not say; but it was one of few, for a spline has less
//! freedom than feet have frames. So the spline that lets most feet stand exactly, if there is one, is the way that the clip was cleaned along.

use core::ops::Range;

use posekit::glam::DVec3;

use super::floor::level_axes;
use super::pace::Pace;
use super::paths::Paths;

/// From one knot to the next at least \[s\]: longer than a few frames, or feet could not tell which spline it was; short against a step.
const KNOT: f64 = 0.2;

/// The same in frames that are seen.
const KNOT_FRAMES: f64 = 3.0;

/// Polynomials of this degree in time between knots.
const DEGREE: usize = 3;

/// Coefficients that a step from one frame to the next depends on.
const BAND: usize = DEGREE + 2;

/// What bends of the spline cost where nothing else is known, against what a foot that does not stand costs.
const BEND: f64 = 1e-9;

/// Rounds of the reweighting that finds the way along which most feet stand, by their least sum of steps and then by most of them being none.
const ROUNDS: [usize; 2] = [18, 18];

/// Steps of a foot that are longer than this count less, in the first of these rounds and in the first of those \[leg lengths\].
const FAR: [f64; 2] = [1e-2, 1e-3];

/// What is left of that from round to round.
const NEARER: f64 = 0.68;

/// What a step counts in the first rounds that no other part of a foot takes at that time: those that are held together take the same.
const ALONE: f64 = 0.01;

/// The slope of a step that may be the floor's, which is not known to the last digit.
const FLAT: f64 = 5e-3;

/// The floor along which feet were held may be steeper than the one that is known by so much, whose slope is not known to the last digit.
const SLOPE: f64 = 0.1;

/// What more slope than is known costs in the first round, and less from round to round, against what a foot costs that leaves the plane: or where all steps go
/// about the same way, one that does leave it would lean it across.
const LEVEL: f64 = 1e-2;

/// So many steps along one plane are no chance: any two are.
const FEWEST: usize = 3;

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
        Some(spline.beginning_at_zero())
    }

    /// The way along which most of these feet stand exactly, if there is one.
    ///
    /// - `stands`: paths of feet, and the frames in which they may stand
    /// - `least`: what is less is no step \[the clip's unit\]
    /// - `normal`: of the floor
    pub(super) fn exact(
        stands: &[(&[DVec3], Range<usize>)],
        (paths, pace): (&Paths, Pace),
        (least, normal): (f64, DVec3),
    ) -> Option<Self> {
        let mut spline = Self::empty(paths, pace);
        let steps = spline.steps(stands, (paths, pace), least);
        spline.fit(steps, paths.length, (least, normal), |spline, still| {
            let is_flat =
                |step: &&&Step| step.moved.dot(normal).abs() <= least + FLAT * step.moved.length();
            let n_flat = still.iter().filter(is_flat).count();
            let [n_known, n_stretches] = spline.known(still);
            still.len() > n_known - n_stretches || 4 * n_flat >= 3 * still.len()
        })?;
        Some(spline.beginning_at_zero())
    }

    /// The way along which most of these feet are where they are to be, if there is one.
    ///
    /// - `off`: frames, and how far from there a foot is in them
    /// - `least`, `normal`: as for [`exact`](Self::exact)
    pub(super) fn leading(
        off: &[(usize, DVec3)],
        (paths, pace): (&Paths, Pace),
        (least, normal): (f64, DVec3),
    ) -> Option<Self> {
        let mut spline = Self::empty(paths, pace);
        let place = |(frame, off): &(usize, DVec3)| {
            let (first, own) = spline.basis(*frame as f64 * paths.frame_time);
            let mut basis = [0.0; BAND];
            basis[..own.len()].copy_from_slice(&own);
            Step { first, basis, moved: *off, weight: 1.0 }
        };
        // Parts of a foot that are held together are off alike, and tell it once.
        let is_same =
            |a: &(usize, DVec3), b: &(usize, DVec3)| a.0 == b.0 && a.1.distance(b.1) <= 2.0 * least;
        let steps = off.chunk_by(is_same).map(|same| place(&same[0])).collect();
        spline.fit(steps, paths.length, (least, normal), |spline, still| {
            still.len() > spline.known(still)[0]
        })?;
        Some(spline)
    }

    /// Finds the coefficients along which most steps are none; nothing where most are some, or may be none by chance.
    ///
    /// - `is_sure`: whether it is no chance that these are none
    ///
    /// # Method
    /// Least squares of steps that count the less the longer they are, from round to round more strictly. More feet must stand than the spline has freedom there, or
    /// they would stand by chance; unless most keep exactly to one plane, too, of which the way knows nothing: then it is these that it is sought for.
    fn fit(
        &mut self,
        mut steps: Vec<Step>,
        length: f64,
        (least, normal): (f64, DVec3),
        is_sure: impl Fn(&Self, &[&Step]) -> bool,
    ) -> Option<()> {
        if steps.is_empty() {
            return None;
        }
        let n_all = steps.len();
        let plane = plane_of(&steps, normal, FAR[1] * length);
        let is_level = |step: &Step| step.moved.dot(plane).abs() <= 2.0 * least;
        let n_level = steps.iter().filter(|step| is_level(step)).count();
        let are_level = n_level >= FEWEST && 2 * n_level >= n_all;
        if are_level {
            steps.retain(is_level);
        }
        // What keeps to one plane mostly stands altogether.
        self.bring_to(&steps, |_, _| 1.0)?;
        if !are_level || steps.iter().any(|step| step.left(self) > least) {
            self.bring_to_most(&steps, length)?;
        }
        let still: Vec<&Step> = steps.iter().filter(|step| step.left(self) <= least).collect();
        (2 * still.len() >= n_all && (are_level || is_sure(self, &still))).then_some(())
    }

    /// How many coefficients count for steps, and in how many stretches; steps do not tell where a stretch begins.
    fn known(&self, steps: &[&Step]) -> [usize; 2] {
        let mut counts = vec![false; self.coefficients.len() + 1];
        for step in steps {
            let own = counts[step.first..].iter_mut().zip(&step.basis);
            own.for_each(|(counts, value)| *counts |= *value != 0.0);
        }
        let n_stretches = counts.windows(2).filter(|pair| pair[0] && !pair[1]).count();
        [counts.iter().filter(|counts| **counts).count(), n_stretches]
    }

    /// Finds the coefficients anew.
    ///
    /// - `weight`: what a step counts, from what of it is left along the way as it is
    fn bring_to(&mut self, steps: &[Step], weight: impl Fn(&Step, f64) -> f64) -> Option<()> {
        let mut system = Band::new(self.coefficients.len());
        for step in steps {
            system.add(step.first, &step.basis, -step.moved, weight(step, step.left(self)));
        }
        self.coefficients = system.solve()?;
        Some(())
    }

    /// Finds the coefficients along which most steps are none.
    ///
    /// - `length`: of the legs \[the clip's unit\]
    fn bring_to_most(&mut self, steps: &[Step], length: f64) -> Option<()> {
        self.coefficients.fill(DVec3::ZERO);
        let [mut far, nearer] = FAR.map(|far| far * length);
        for _ in 0..ROUNDS[0] {
            self.bring_to(steps, |step, left| step.weight * far / left.max(far))?;
            far *= NEARER;
        }
        far = nearer;
        for _ in 0..ROUNDS[1] {
            self.bring_to(steps, |_, left| {
                let off = 1.0 + left * left / (far * far);
                1.0 / (off * off)
            })?;
            far *= NEARER;
        }
        Some(())
    }

    fn steps(
        &self,
        stands: &[(&[DVec3], Range<usize>)],
        (paths, pace): (&Paths, Pace),
        least: f64,
    ) -> Vec<Step> {
        let step = pace.step();
        let mut at_frames: Vec<Vec<DVec3>> = vec![Vec::new(); paths.n_frames];
        for (path, frames) in stands {
            let first = frames.start.next_multiple_of(step);
            for frame in (first..frames.end.saturating_sub(step)).step_by(step) {
                at_frames[frame].push(path[frame + step] - path[frame]);
            }
        }
        let mut steps = Vec::new();
        for (frame, all) in at_frames.iter().enumerate() {
            for moved in all {
                let n_same = all.iter().filter(|o| (**o - *moved).length() <= 2.0 * least).count();
                let weight = if n_same > 1 { 1.0 } else { ALONE };
                let [from, to] = [frame, frame + step].map(|k| k as f64 * paths.frame_time);
                steps.push(Step { weight, moved: *moved, ..self.step(from, to) });
            }
        }
        steps
    }

    /// Its own step from one time to another.
    fn step(&self, from: f64, to: f64) -> Step {
        let ((first, before), (last, after)) = (self.basis(from), self.basis(to));
        let mut basis = [0.0; BAND];
        basis.iter_mut().zip(before).for_each(|(value, before)| *value -= before);
        basis[last - first..].iter_mut().zip(after).for_each(|(value, after)| *value += after);
        Step { first, basis, moved: DVec3::ZERO, weight: 0.0 }
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

    fn beginning_at_zero(mut self) -> Self {
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
    /// What it counts at first.
    weight: f64,
}

impl Step {
    /// How far the foot moves along the way.
    fn left(&self, spline: &Spline) -> f64 {
        let coefficients = spline.coefficients[self.first..].iter();
        let way: DVec3 = coefficients.zip(&self.basis).map(|(c, b)| *c * *b).sum();
        (self.moved + way).length()
    }
}

/// The normal of the plane that most steps keep to, near the one of the floor as it is known.
///
/// - `far`: steps farther off than this count less, in the first round
///
/// # Method
/// Least squares of how far steps leave the plane, those that do so far counting less, from round to round more strictly.
fn plane_of(steps: &[Step], normal: DVec3, mut far: f64) -> DVec3 {
    let (first, second) = level_axes(normal);
    let (mut plane, mut level) = (normal, LEVEL);
    for _ in 0..ROUNDS[1] {
        let (mut xx, mut xy, mut yy, mut x, mut y) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for Step { moved, .. } in steps {
            let off = moved.dot(plane) / far;
            let near = 1.0 / (1.0 + off * off);
            let (a, b) = (moved.dot(first), moved.dot(second));
            let (weight, height) = (near * near, moved.dot(normal));
            xx += weight * a * a;
            xy += weight * a * b;
            yy += weight * b * b;
            x -= weight * a * height;
            y -= weight * b * height;
        }
        let least = level * (xx + yy) + f64::MIN_POSITIVE;
        let (xx, yy) = (xx + least, yy + least);
        let determinant = xx * yy - xy * xy;
        let slope =
            first * ((x * yy - y * xy) / determinant) + second * ((y * xx - x * xy) / determinant);
        if !slope.is_finite() || slope.length() > SLOPE {
            break;
        }
        plane = normal + slope;
        plane /= plane.length();
        far *= NEARER;
        level *= NEARER;
    }
    plane
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

#[cfg(test)]
mod tests {
    use super::*;
    use posekit::math::sin;

    const RATE: f64 = 30.0;

    /// Two feet of a walk that was cleaned along a way, each held for ten frames, while the other one is lifted.
    fn feet(way: &[DVec3]) -> [Vec<DVec3>; 2] {
        let lifted = |k: usize, foot: usize| {
            let is_lifted = k / 10 % 2 != foot;
            if is_lifted {
                DVec3::new(0.004, 0.002, 0.0) * ((k % 10) as f64 + 1.0)
            } else {
                DVec3::ZERO
            }
        };
        [0, 1].map(|foot| way.iter().enumerate().map(|(k, way)| lifted(k, foot) - *way).collect())
    }

    fn walk(n: usize) -> (Paths, Pace, Vec<Range<usize>>) {
        let frame_time = 1.0 / RATE;
        let (up, legs) = (DVec3::Y, Vec::new());
        let paths = Paths { legs, n_frames: n, frame_time, up, length: 0.85 };
        let stands = (0..n / 10 - 1).map(|k| 10 * k..10 * k + 12).collect();
        (paths, Pace::new(frame_time, n), stands)
    }

    fn speedy(n: usize) -> Vec<DVec3> {
        let at = |k: usize| {
            let t = k as f64 / RATE;
            DVec3::X * (1.3 * t + 0.02 * sin(9.0 * t)) + DVec3::Z * (0.03 * sin(5.0 * t))
        };
        (0..n).map(at).collect()
    }

    #[test]
    fn the_way_of_a_cleaned_walk_is_found_again() {
        let (paths, pace, stands) = walk(120);
        let way = Spline::near(&speedy(120), 1.0 / RATE, &paths, pace).unwrap();
        let places = way.places(120, 1.0 / RATE);
        // Of twelve frames in which a foot seems to stand, ten were held.
        let feet = feet(&places);
        let stands: Vec<(&[DVec3], Range<usize>)> =
            stands.iter().enumerate().map(|(k, s)| (feet[k % 2].as_slice(), s.clone())).collect();
        let found = Spline::exact(&stands, (&paths, pace), (1e-5, DVec3::Y)).unwrap();
        // At its end too little is known.
        for (a, b) in places.iter().zip(found.places(120, 1.0 / RATE)).take(100) {
            assert!((*a - b).length() < 1e-5, "{a} {b}");
        }
    }

    #[test]
    fn the_way_that_contacts_hold_along_is_found() {
        let (paths, pace, stands) = walk(120);
        let way = Spline::near(&speedy(120), 1.0 / RATE, &paths, pace).unwrap();
        let places = way.places(120, 1.0 / RATE);
        // One foot of all is missed for two frames.
        let missed = |frame: usize| if frame / 2 == 21 { DVec3::X * 0.03 } else { DVec3::ZERO };
        let stands = stands.into_iter().take(10).flatten();
        let off: Vec<(usize, DVec3)> =
            stands.map(|frame| (frame, missed(frame) - places[frame])).collect();
        let least = (1e-5, DVec3::Y);
        let found = Spline::leading(&off, (&paths, pace), least).unwrap();
        for (a, b) in places.iter().zip(found.places(120, 1.0 / RATE)).take(100) {
            assert!((*a - b).length() < 1e-5, "{a} {b}");
        }
        let loose: Vec<_> = off
            .iter()
            .map(|(frame, off)| {
                let t = *frame as f64;
                (*frame, *off + DVec3::new(sin(t), sin(2.0 * t), sin(3.0 * t)) * 1e-3)
            })
            .collect();
        assert!(Spline::leading(&loose, (&paths, pace), least).is_none());
    }

    #[test]
    fn a_walk_that_was_not_cleaned_has_no_such_way() {
        let (paths, pace, stands) = walk(120);
        let mut seed = 5_u64;
        let mut way = speedy(120);
        for place in &mut way {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            *place +=
                DVec3::new(1.0, 0.3, 0.2) * (1e-3 * ((seed >> 11) as f64 / (1_u64 << 53) as f64));
        }
        let feet = feet(&way);
        let stands: Vec<(&[DVec3], Range<usize>)> =
            stands.iter().enumerate().map(|(k, s)| (feet[k % 2].as_slice(), s.clone())).collect();
        assert!(Spline::exact(&stands, (&paths, pace), (1e-5, DVec3::Y)).is_none());
        assert!(Spline::exact(&[], (&paths, pace), (1e-5, DVec3::Y)).is_none());
    }

    #[test]
    fn short_steps_on_a_floor_that_is_not_known_well_tell_the_way() {
        // Four steps of a foot, each time, which any spline can follow, on a floor that leans by a hundredth more than it seems.
        let (paths, pace, _) = walk(120);
        let stands: Vec<Range<usize>> = (0..11).map(|k| 10 * k + 1..10 * k + 7).collect();
        let lean = DVec3::new(0.01, 1.0, -0.01);
        let normal = lean / lean.length();
        let way: Vec<DVec3> =
            speedy(120).into_iter().map(|place| place - normal * place.dot(normal)).collect();
        let way = Spline::near(&way, 1.0 / RATE, &paths, pace).unwrap().places(120, 1.0 / RATE);
        let exact = |feet: &[Vec<DVec3>; 2]| {
            let paths_of = |(k, s): (usize, &Range<usize>)| (feet[k % 2].as_slice(), s.clone());
            let stands: Vec<_> = stands.iter().enumerate().map(paths_of).collect();
            Spline::exact(&stands, (&paths, pace), (1e-5, DVec3::Y))
        };
        // The last of five frames is the first in which it is lifted.
        let held = feet(&way).map(|foot| {
            let lifted = |(k, place): (usize, DVec3)| {
                if k % 10 == 6 { place + normal * 1e-3 } else { place }
            };
            foot.into_iter().enumerate().map(lifted).collect()
        });
        let found = exact(&held).unwrap().places(120, 1.0 / RATE);
        for k in (0..11).map(|k| 10 * k + 1) {
            for frame in k..k + 4 {
                let [step, wanted] = [&found, &way].map(|way| way[frame + 1] - way[frame]);
                assert!((step - wanted).length() < 1e-5, "{frame}: {step} {wanted}");
            }
        }
        let mut seed = 9_u64;
        let loose = held.map(|foot| {
            let off = |place: DVec3| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                place + normal * (1e-3 * ((seed >> 11) as f64 / (1_u64 << 53) as f64))
            };
            foot.into_iter().map(off).collect()
        });
        assert!(exact(&loose).is_none());
    }

    #[test]
    fn a_spline_near_a_line_is_that_line() {
        let (paths, pace, _) = walk(40);
        let line: Vec<DVec3> = (0..40_u32).map(|k| DVec3::X * f64::from(k)).collect();
        let spline = Spline::near(&line, 1.0 / RATE, &paths, pace).unwrap();
        for (a, b) in line.iter().zip(spline.places(40, 1.0 / RATE)) {
            assert!((*a - b).length() < 1e-6, "{a} {b}");
        }
    }
}
