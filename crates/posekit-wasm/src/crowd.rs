//! Many limbs a frame: two bones in closed form, and copies of one problem that follow targets of their own.

use std::rc::Rc;

use posekit::glam::DVec3;
use posekit::limb::{Pole, TwoBone};
use posekit_io::problem::Problem;

use crate::fault::{Fault, Result};
use crate::session::{Session, wrong_length};

/// Numbers that a limb is given: start, mid, end, target and pole, one after the other.
pub const LIMB_IN: usize = 15;
/// Numbers that a limb gives: the mid joint and the end.
pub const LIMB_OUT: usize = 6;

/// Solves limbs of two bones, by their positions alone.
///
/// - `starts`, `mids`, `ends`: where the three joints stand, 3 numbers a limb
/// - `targets`: where the ends must go; `poles`: points that the mid joints point towards, or nothing at all
/// - `out`: the new mid and end of each limb, [`LIMB_OUT`] numbers
///
/// Returns how many ends have reached their target. A limb whose numbers are not finite stays where it is.
///
/// # Errors
/// Arrays of other lengths than their limbs need.
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

/// Copies of one problem, each with a target of its own, which start from where they stood the frame before.
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

    /// Numbers that the targets are, and numbers that the points are.
    #[must_use]
    pub fn sizes(&self) -> [usize; 2] {
        let points = self.members.first().map_or(0, Session::points_len);
        [self.members.len() * self.dimension, self.members.len() * points]
    }

    /// Solves every copy for its target, from where it stands, and writes its points.
    ///
    /// Returns how many have reached their target.
    ///
    /// # Errors
    /// Arrays of other lengths than [`sizes`](Self::sizes); targets that are not finite.
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
                #[expect(clippy::cast_possible_truncation, reason = "what is drawn is f32")]
                let found = *found as f32;
                *own = found;
            }
            rest = others;
        }
        Ok(reached)
    }
}
