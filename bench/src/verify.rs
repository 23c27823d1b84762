//! The judge: measures a returned pose in f64 and believes nobody.

use posekit::glam::DVec3;

use crate::TOLERANCE;
use crate::problems::{ARM, ArmProblem, ChainProblem, arm_reach, arm_tip};

/// Room for the rounding of a solver that stopped exactly at the tolerance, in f32.
const ROUNDING: f64 = 1.01;

/// The measured quality of one answer.
#[derive(Debug, Clone, Copy)]
pub struct Verdict {
    /// Distance from tip to target, as a part of the reach.
    pub error: f64,
    /// Whether the tip is at the target within the tolerance and everything else holds.
    pub solved: bool,
}

impl Verdict {
    /// The verdict on no answer at all.
    pub const NONE: Self = Self { error: f64::INFINITY, solved: false };
}

/// Judges the points of a chain: the root in its place, every bone within 1e-4 of its length, the tip
/// within 1e-4 of the reach; with a pole, the middle joint on the pole's side of the line to the target.
pub fn chain(problem: &ChainProblem, points: &[DVec3]) -> Verdict {
    if points.len() != problem.points.len() || !points.iter().all(|point| point.is_finite()) {
        return Verdict::NONE;
    }
    let reach = problem.reach();
    let error = points[points.len() - 1].distance(problem.target) / reach;
    let root_moved = points[0].distance(problem.points[0]) / reach;
    let bones_hold = points
        .windows(2)
        .zip(&problem.lengths)
        .all(|(pair, length)| (pair[0].distance(pair[1]) - length).abs() <= TOLERANCE * length);
    let bends_well = problem.pole.is_none_or(|pole| bends_towards(problem, points, pole));
    let limit = TOLERANCE * ROUNDING;
    Verdict { error, solved: error <= limit && root_moved <= limit && bones_hold && bends_well }
}

/// Judges the angles of the arm: within limits, the tip within 1e-4 of the reach.
pub fn arm(problem: &ArmProblem, angles: &[f64; 7]) -> Verdict {
    if !angles.iter().all(|angle| angle.is_finite()) {
        return Verdict::NONE;
    }
    let error = arm_tip(angles).distance(problem.target) / arm_reach();
    let within = angles.iter().zip(ARM).all(|(angle, hinge)| angle.abs() <= hinge.limit + 1e-9);
    Verdict { error, solved: error <= TOLERANCE * ROUNDING && within }
}

/// Whether the middle joint and the pole lie on one side of the line from root to target, and in one
/// plane with it, within a hundredth of a radian (poles near the line leave the plane open).
fn bends_towards(problem: &ChainProblem, points: &[DVec3], pole: DVec3) -> bool {
    let axis = (problem.target - points[0]) / problem.target.distance(points[0]);
    let across = |v: DVec3| v - axis * v.dot(axis);
    let (bend, wanted) = (across(points[1] - points[0]), across(pole - points[0]));
    let scale = bend.length() * wanted.length();
    let reach = problem.reach();
    let is_open = bend.length() < 1e-2 * reach || wanted.length() < 1e-2 * reach;
    is_open || (bend.dot(wanted) > 0.0 && bend.cross(wanted).length() < 1e-2 * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem() -> ChainProblem {
        ChainProblem {
            points: vec![DVec3::ZERO, DVec3::X, 2.0 * DVec3::X],
            lengths: vec![1.0, 1.0],
            target: DVec3::new(1.0, 1.0, 0.0),
            pole: Some(5.0 * DVec3::Y),
        }
    }

    #[test]
    fn only_an_answer_that_holds_in_every_respect_is_solved() {
        let target = problem().target;
        let judge = |points: &[DVec3]| chain(&problem(), points).solved;
        assert!(judge(&[DVec3::ZERO, DVec3::Y, target]), "the elbow on the pole's side");
        assert!(!judge(&[DVec3::ZERO, DVec3::X, target]), "the elbow on the other side");
        assert!(!judge(&[DVec3::ZERO, 1.1 * DVec3::Y, target]), "a stretched bone");
        assert!(!judge(&[DVec3::ZERO, DVec3::Y, DVec3::Y + DVec3::Z]), "the tip elsewhere");
        assert!(!judge(&[DVec3::ZERO, DVec3::NAN, target]), "not a number");
        assert!(!judge(&[DVec3::ZERO, target]), "a missing point");
    }
}
