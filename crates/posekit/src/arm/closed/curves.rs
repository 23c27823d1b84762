//! The curves of poses with which seven joints reach a target.

use super::certify::{Candidate, Candidates};
use super::{Closed, SAMPLES};
use crate::arm::goal::Goal;
use crate::arm::kernel::Kernel;
use crate::arm::{Arm, ArmSettings, BySize, Solver};
use crate::error::{ErrorKind, Result};
use crate::math::{Pose, wrap_angle};
use alloc::vec::Vec;

/// Poses that reach one target and lead into each other: a part of a self-motion that is inside the limits.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SelfMotion {
    /// The arm angle, or the value of the joint that [`Family::parameter`](super::Family::parameter) names \[rad\], ascending.
    pub parameters: Vec<f64>,
    /// A configuration of the whole skeleton for each.
    pub configurations: Vec<Vec<f64>>,
}

/// How near a curve is to the target \[units of length, rad\]: beyond its end, poses are only almost there.
const TOLERANCE: f64 = 1e-10;

/// No joint moves more from sample to sample \[rad\]; otherwise a curve ends, and another begins.
const CONTINUOUS: f64 = 0.8;

/// Trials of shorter steps from one sample to the next, and the shortest step, as a part of that.
const TRIALS: u32 = 80;
const SHORTEST: f64 = 1e-9;

/// A curve in the making.
struct Curve<const N: usize> {
    samples: Vec<(f64, [f64; N])>,
    is_open: bool,
}

impl Arm {
    /// The self-motion of an arm with seven joints: all curves of configurations inside the limits that reach a target, sampled over its parameter.
    ///
    /// - `target`: in the world
    /// - `q`: a configuration of the whole skeleton. It gives the values of other joints, and chooses among angles that differ by whole turns; the parameter covers
    ///   its range, or a turn around the value in `q`.
    /// - `samples`: steps of the parameter, 2 to 10000; there are more where joints move fast. Curves that are shorter than a step can be missed. The ends of the
    ///   others are found to a billionth of a step.
    ///
    /// # Errors
    /// Those of [`solve`](Self::solve); [`Error::is_unsuited`](crate::Error::is_unsuited) if the arm has no closed form with a parameter;
    /// [`Error::is_out_of_range`](crate::Error::is_out_of_range) for `samples`.
    pub fn self_motion(&self, target: Pose, q: &[f64], samples: u32) -> Result<Vec<SelfMotion>> {
        if !(2..=10_000).contains(&samples) {
            let (what, need) = ("samples", "2 to 10000");
            let value = f64::from(samples);
            return Err(ErrorKind::OutOfRange { what, index: 0, value, need }.into());
        }
        let goal = self.goal(target, q, &ArmSettings::default())?.with_tolerance(TOLERANCE);
        match (&self.closed, &self.solver) {
            (Some(closed), BySize::Seven(solver)) if !closed.is_of_six() => {
                let start = self.start(solver, q);
                let curves = closed.curves(&solver.kernel, &goal, &start, samples);
                Ok(curves.into_iter().map(|curve| self.self_motion_of(&curve, q)).collect())
            }
            _ => {
                let need = "seven joints with a closed form";
                Err(ErrorKind::Unsuited { method: "self-motion", need }.into())
            }
        }
    }

    /// Samples of the self-motion of seven joints.
    pub(in crate::arm) fn self_motion_starts<const N: usize>(
        &self,
        solver: &Solver<N>,
        goal: &Goal,
        start: &[f64; N],
    ) -> Vec<[f64; N]> {
        let has_curves =
            |closed: &&Closed| Closed::fits(N) && !closed.is_of_six() && !goal.has_bounds();
        let Some(closed) = self.closed.as_deref().filter(has_curves) else { return Vec::new() };
        let curves = closed.curves(&solver.kernel, goal, start, SAMPLES);
        curves.iter().flat_map(|curve| &curve.samples).map(|(_, x)| *x).collect()
    }

    fn self_motion_of<const N: usize>(&self, curve: &Curve<N>, q: &[f64]) -> SelfMotion {
        let configuration = |(_, x): &(f64, [f64; N])| {
            let mut q = q.to_vec();
            self.write(x, &mut q);
            q
        };
        SelfMotion {
            parameters: curve.samples.iter().map(|(parameter, _)| *parameter).collect(),
            configurations: curve.samples.iter().map(configuration).collect(),
        }
    }
}

impl Closed {
    fn curves<const N: usize>(
        &self,
        kernel: &Kernel<N>,
        goal: &Goal,
        start: &[f64; N],
        samples: u32,
    ) -> Vec<Curve<N>> {
        let (_, min, max) = self.range(goal, start);
        let step = (max - min) / f64::from(samples);
        let mut curves: Vec<Curve<N>> = Vec::new();
        for k in 0..=samples {
            let parameter = (min + f64::from(k) * step).min(max);
            for curve in curves.iter_mut().filter(|curve| curve.is_open) {
                self.prolong(kernel, goal, curve, parameter);
            }
            let slice = self.slice(goal, start, parameter);
            let mut found = Candidates::NONE;
            self.certified(kernel, goal, start, &slice, &mut found);
            for Candidate { x, .. } in found.iter() {
                let heads = curves.iter().filter(|curve| curve.is_open);
                if heads.filter_map(|curve| curve.samples.last()).all(|(_, head)| !is_same(head, x))
                {
                    let mut curve = Curve { samples: alloc::vec![(parameter, *x)], is_open: true };
                    if k > 0 {
                        self.prolong(kernel, goal, &mut curve, parameter - step);
                        curve.samples.reverse();
                    }
                    curve.is_open = true;
                    curves.push(curve);
                }
            }
        }
        curves
    }

    /// Goes on with a curve to a parameter, in shorter steps where joints move fast, or to its end, if it does not go so far.
    fn prolong<const N: usize>(
        &self,
        kernel: &Kernel<N>,
        goal: &Goal,
        curve: &mut Curve<N>,
        parameter: f64,
    ) {
        let Some(&(mut last, mut x)) = curve.samples.last() else { return };
        let least = SHORTEST * (parameter - last).abs();
        let mut by = parameter - last;
        for _ in 0..TRIALS {
            let is_whole = by.abs() >= (parameter - last).abs();
            let next = if is_whole { parameter } else { last + by };
            match self.next(kernel, goal, &x, next) {
                Some(pose) => {
                    (last, x) = (next, pose);
                    curve.samples.push((last, x));
                    if is_whole {
                        return;
                    }
                }
                None => by *= 0.5,
            }
            if by.abs() < least {
                break;
            }
        }
        curve.is_open = false;
    }

    /// The pose at a parameter into which another leads.
    fn next<const N: usize>(
        &self,
        kernel: &Kernel<N>,
        goal: &Goal,
        from: &[f64; N],
        parameter: f64,
    ) -> Option<[f64; N]> {
        let slice = self.slice(goal, from, parameter);
        let mut found = Candidates::NONE;
        self.certified(kernel, goal, from, &slice, &mut found);
        let x = found.iter().next()?.x;
        x.iter().zip(from).all(|(a, b)| (a - b).abs() <= CONTINUOUS).then_some(x)
    }
}

/// Whether two poses are the same, or a whole turn apart.
fn is_same<const N: usize>(a: &[f64; N], b: &[f64; N]) -> bool {
    const SAME: f64 = 1e-4;
    a.iter().zip(b).all(|(a, b)| wrap_angle(a - b).abs() <= SAME)
}
