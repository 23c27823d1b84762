//! Many limbs per frame: two bones in closed form, and copies of one problem that follow their own targets.

use std::rc::Rc;

use posekit::glam::DVec3;
use posekit::limb::{Pole, TwoBone};
use posekit_io::problem::Problem;

use crate::fault::{Fault, Result, wrong_length};
use crate::session::Session;

/// Number of input values of a limb: start, mid, end, target and pole, one after the other.
pub const LIMB_IN: usize = 15;
/// Number of output values of a limb: the mid joint and the end.
pub const LIMB_OUT: usize = 6;

/// Solves two-bone limbs, on positions only.
///
/// - `starts`, `mids`, `ends`: the positions of the three joints, 3 numbers for each limb
/// - `targets`: the target positions of the ends; `poles`: points towards which the mid joints bend, or an empty slice
/// - `out`: the new mid and end of each limb, [`LIMB_OUT`] numbers
///
/// Returns the number of ends that reached their targets. A limb whose numbers are not finite is unchanged.
///
/// # Errors
/// Arrays of the wrong length.
pub fn solve_limbs(
    [starts, mids, ends, targets, poles]: [&[f32]; 5],
    out: &mut [f32],
) -> Result<u32> {
    let n = out.len() / LIMB_OUT;
    for (name, list) in [("starts", starts), ("mids", mids), ("ends", ends), ("targets", targets)] {
        if list.len() != 3 * n {
            return Err(wrong_length(name, 3 * n, list.len()));
        }
    }
    if !poles.is_empty() && poles.len() != 3 * n {
        return Err(wrong_length("poles", 3 * n, poles.len()));
    }
    let mut reached = 0;
    for (limb, out) in out.chunks_exact_mut(LIMB_OUT).enumerate() {
        let [start, mid, end, target] = [starts, mids, ends, targets].map(|list| point(list, limb));
        let pole = if poles.is_empty() { Pole::None } else { Pole::Point(point(poles, limb)) };
        let two_bone = TwoBone::new(start, mid, end, target).with_pole(pole);
        let (mid, end, is_reached) = two_bone
            .solve()
            .map_or((mid, end, false), |found| (found.mid, found.end, found.reach.is_reached()));
        reached += u32::from(is_reached);
        out[..3].copy_from_slice(&mid.as_vec3().to_array());
        out[3..].copy_from_slice(&end.as_vec3().to_array());
    }
    Ok(reached)
}

fn point(list: &[f32], index: usize) -> DVec3 {
    DVec3::from_array([0, 1, 2].map(|axis| f64::from(list[3 * index + axis])))
}

/// Copies of one problem, each with its own target, which start from the result of the previous frame.
#[derive(Debug)]
pub struct Herd {
    members: Vec<Session>,
    dimension: usize,
    target: Vec<f64>,
}

impl Herd {
    /// This many copies of a problem of one target, solved by a method.
    ///
    /// # Errors
    /// As [`Session::begin`]; a problem of more than one task.
    pub fn new(
        problem: &Rc<Problem>,
        n: usize,
        method: &str,
        settings: Option<&str>,
    ) -> Result<Self> {
        if problem.tasks().len() > 1 {
            return Err(Fault::new("a crowd is made of problems of one task each"));
        }
        let mut members = Vec::new();
        for _ in 0..n {
            let mut member = Session::new(Rc::clone(problem));
            member.begin(method, settings, None)?;
            members.push(member);
        }
        let dimension = problem.dimension();
        Ok(Self { members, dimension, target: vec![0.0; dimension] })
    }

    /// The numbers of values in the targets and in the points.
    #[must_use]
    pub fn sizes(&self) -> [usize; 2] {
        let points = self.members.first().map_or(0, Session::points_len);
        [self.members.len() * self.dimension, self.members.len() * points]
    }

    /// Solves every copy for its target, starting from its current pose, and writes its points.
    ///
    /// Returns the number of copies that reached their targets.
    ///
    /// # Errors
    /// Arrays whose lengths are not [`sizes`](Self::sizes); targets that are not finite.
    pub fn solve(&mut self, targets: &[f32], points: &mut [f32]) -> Result<u32> {
        let [n_targets, n_points] = self.sizes();
        if targets.len() != n_targets {
            return Err(wrong_length("targets", n_targets, targets.len()));
        }
        if points.len() != n_points {
            return Err(wrong_length("points", n_points, points.len()));
        }
        let (mut reached, mut rest) = (0, points);
        for (member, target) in self.members.iter_mut().zip(targets.chunks(self.dimension.max(1))) {
            for (own, given) in self.target.iter_mut().zip(target) {
                *own = f64::from(*given);
            }
            member.set_target(0, &self.target)?;
            member.run()?;
            reached += u32::from(member.solution()?.is_reached());
            let found = member.points()?;
            let (own, others) = rest.split_at_mut(found.len());
            for (own, found) in own.iter_mut().zip(found) {
                #[expect(clippy::cast_possible_truncation, reason = "positions to draw are f32")]
                let found = *found as f32;
                *own = found;
            }
            rest = others;
        }
        Ok(reached)
    }
}
