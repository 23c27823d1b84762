//! `fabrik`: plane only, root at the origin, and no bound on its iterations.

use cgmath::Vector2;
use fabrik::Fabrik;
use posekit::glam::DVec3;

use crate::TOLERANCE;
use crate::entrant::{Entrant, chains};
use crate::problems::{ChainProblem, Problems};
use crate::verify::{self, Verdict};

struct Batch {
    problems: Vec<ChainProblem>,
    solvers: Vec<Fabrik>,
}

pub(super) fn chain(problems: &Problems) -> Box<dyn Entrant> {
    let problems = chains(problems).to_vec();
    let solvers = problems.iter().map(solver).collect();
    Box::new(Batch { problems, solvers })
}

fn solver(problem: &ChainProblem) -> Fabrik {
    let points = problem.points.iter().map(|point| Vector2::new(point.x, point.y)).collect();
    Fabrik::new(points, TOLERANCE * problem.reach())
}

impl Entrant for Batch {
    fn reset(&mut self) {
        self.solvers = self.problems.iter().map(solver).collect();
    }

    fn solve(&mut self, index: usize) -> u32 {
        let target = self.problems[index].target;
        let iterations = self.solvers[index].move_to(Vector2::new(target.x, target.y), true);
        u32::try_from(iterations).unwrap_or(u32::MAX)
    }

    /// The crate gives angles, not points; the points are laid out from them with the exact lengths.
    fn verdict(&self, index: usize) -> Verdict {
        let problem = &self.problems[index];
        let mut heading = 0.0;
        let mut points = vec![problem.points[0]];
        for (angle, length) in self.solvers[index].angles().iter().zip(&problem.lengths) {
            heading += angle;
            let turn = posekit::glam::DQuat::from_rotation_z(heading);
            points.push(points[points.len() - 1] + turn * (DVec3::X * *length));
        }
        verify::chain(problem, &points)
    }
}
