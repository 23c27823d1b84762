//! `ik-geo`: closed forms by subproblems, all branches. Those that it marks as least-squares answers are dropped, and of the others angles are
//! brought inside the bounds by whole turns; branches that are not inside then are dropped, too. It does not check its answers.

use ik_geo::inverse_kinematics::auxiliary::Kinematics;
use ik_geo::robot::{IKSolver, Robot};
use nalgebra_032::{Matrix3, Vector3};

use crate::arms::chain::Chain;
use crate::arms::matrix::{Matrix, Vector, cross, difference, dot, norm};
use crate::arms::robot::Motion;
use crate::arms::solver::{Entered, Outcome, Solver};

/// Axes are parallel or meet if the sine between them, or their distance \[m\], is less.
const EXACT: f64 = 1e-9;

struct IkGeo {
    chain: Chain,
    robot: Robot,
    /// The tool, with all joints at zero.
    tool: Matrix,
    targets: Vec<(Matrix3<f64>, Vector3<f64>)>,
    all: Vec<Vec<f64>>,
}

pub(super) fn all(chain: &Chain) -> Entered {
    let Some(robot) = robot(chain) else { return Ok(None) };
    let tool = chain.tool(&vec![0.0; chain.unknowns.len()]);
    let (targets, all) = (Vec::new(), Vec::new());
    Ok(Some(Box::new(IkGeo { chain: chain.clone(), robot, tool, targets, all })))
}

/// The arm as a product of exponentials, by the family that it belongs to; none where it has no closed form.
fn robot(chain: &Chain) -> Option<Robot> {
    if chain.unknowns.len() != 6 || chain.unknowns.iter().any(|unknown| !unknown.turns) {
        return None;
    }
    let mut axes: Vec<Axis> = Vec::new();
    let mut at = Matrix::IDENTITY;
    for step in &chain.steps {
        at = at * step.joint.origin();
        if let (Some(_), Motion::Turn(axis)) = (step.unknown, step.joint.motion) {
            axes.push(Axis { direction: at.rotate(axis), origin: at.position() });
        }
    }
    let parallel = |a: usize, b: usize| norm(cross(axes[a].direction, axes[b].direction)) < EXACT;
    // The family expects the origins of axes that meet where they meet.
    let make = if parallel(1, 2) && parallel(2, 3) {
        axes[5].origin = axes[5].meet(&axes[4])?;
        Robot::three_parallel_two_intersecting
    } else if parallel(1, 2) {
        let wrist = axes[3].meet(&axes[4])?;
        if norm(difference(wrist, axes[4].meet(&axes[5])?)) > EXACT {
            return None;
        }
        axes[3..].iter_mut().for_each(|axis| axis.origin = wrist);
        Robot::spherical_two_parallel
    } else {
        return None;
    };
    let mut kinematics = Kinematics::<6, 7>::new();
    let column = |[x, y, z]: Vector| Vector3::new(x, y, z);
    let mut before = [0.0; 3];
    let origins = axes.iter().map(|axis| axis.origin).chain([at.position()]);
    for (k, origin) in origins.enumerate() {
        kinematics.p.set_column(k, &column(difference(origin, before)));
        before = origin;
    }
    for (k, axis) in axes.iter().enumerate() {
        kinematics.h.set_column(k, &column(axis.direction));
    }
    Some(make(kinematics))
}

/// A joint with all joints at zero.
struct Axis {
    direction: Vector,
    origin: Vector,
}

impl Axis {
    /// Where it meets another, if it does.
    fn meet(&self, other: &Self) -> Option<Vector> {
        let normal = cross(self.direction, other.direction);
        let between = difference(other.origin, self.origin);
        let squared = dot(normal, normal);
        if squared < EXACT || dot(between, normal).abs() > EXACT * squared.sqrt() {
            return None;
        }
        let along = dot(cross(between, other.direction), normal) / squared;
        Some([0, 1, 2].map(|k| self.origin[k] + along * self.direction[k]))
    }
}

impl Solver for IkGeo {
    fn load(&mut self, targets: &[Matrix]) {
        let back = self.tool.without_translation().inverse();
        let split = |target: &Matrix| {
            let rotation = target.without_translation() * back;
            let [x, y, z] = target.position();
            (Matrix3::from_fn(|row, column| rotation.0[row][column]), Vector3::new(x, y, z))
        };
        self.targets = targets.iter().map(split).collect();
    }

    fn solve(&mut self, target: usize, q: &mut Vec<f64>) -> Outcome {
        let (rotation, translation) = self.targets[target];
        self.all.clear();
        for (answer, is_least_squares) in self.robot.ik(rotation, translation) {
            let mut answer = answer.as_slice().to_vec();
            self.chain.wrap(&mut answer);
            if !is_least_squares && self.chain.is_inside(&answer) {
                self.all.push(answer);
            }
        }
        let away = |answer: &[f64]| {
            let change: Vec<f64> = answer.iter().zip(&*q).map(|(a, b)| a - b).collect();
            change.iter().map(|x| x * x).sum::<f64>()
        };
        self.all.sort_by(|a, b| away(a).total_cmp(&away(b)));
        if let Some(nearest) = self.all.first() {
            q.clone_from(nearest);
        }
        Outcome { is_reached: !self.all.is_empty(), ..Outcome::default() }
    }

    fn all(&mut self) -> Option<&[Vec<f64>]> {
        Some(&self.all)
    }
}
