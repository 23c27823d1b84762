//! `skelly`: its three solvers on a posture, with their buffers kept. In f64, although its documentation
//! uses f32: that is a sixth slower and solves far more (two bones from a random start: 100 % against
//! 31 % for the rotor solver and 53 % for FRIK).

use nalgebra::{Isometry3, Point3, Vector3};
use posekit::glam::DVec3;
use skelly::ik::fabrik::FabrikSolver;
use skelly::ik::frik::FrikSolver;
use skelly::ik::rotor::RotorSolver;
use skelly::ik::{IkSolver, StepResult};
use skelly::{Posture, Skelly};

use crate::entrant::{Entrant, chains};
use crate::problems::{ChainProblem, Problems};
use crate::verify::{self, Verdict};
use crate::{MAX_ITERATIONS, TOLERANCE};

/// The goal is not part of skelly's own trait, though all three have it.
trait PositionGoal: IkSolver<f64> {
    fn goal(&mut self, bone: usize, position: Point3<f64>);
}

macro_rules! position_goal {
    ($($solver:ident)*) => {$(
        impl PositionGoal for $solver<f64> {
            fn goal(&mut self, bone: usize, position: Point3<f64>) {
                self.set_position_goal(bone, position);
            }
        }
    )*};
}
position_goal!(FabrikSolver FrikSolver RotorSolver);

struct State<S> {
    skelly: Skelly<f64>,
    posture: Posture<f64>,
    solver: S,
}

struct Batch<S> {
    problems: Vec<ChainProblem>,
    states: Vec<State<S>>,
}

pub(super) fn fabrik(problems: &Problems) -> Box<dyn Entrant> {
    Box::new(Batch::<FabrikSolver<f64>>::new(problems))
}

pub(super) fn frik(problems: &Problems) -> Box<dyn Entrant> {
    Box::new(Batch::<FrikSolver<f64>>::new(problems))
}

pub(super) fn rotor(problems: &Problems) -> Box<dyn Entrant> {
    Box::new(Batch::<RotorSolver<f64>>::new(problems))
}

impl<S: PositionGoal> Batch<S> {
    fn new(problems: &Problems) -> Self {
        let problems = chains(problems).to_vec();
        let states = problems.iter().map(state).collect();
        Self { problems, states }
    }
}

/// The chain as bones with the start's offsets, in the identity orientation. The tolerance belongs to
/// the solver, and reaches differ, so that each problem has a solver.
fn state<S: PositionGoal>(problem: &ChainProblem) -> State<S> {
    let vector = |v: DVec3| Vector3::new(v.x, v.y, v.z);
    let mut skelly = Skelly::new();
    let mut bone = skelly.add_root(Point3::from(vector(problem.points[0])));
    for pair in problem.points.windows(2) {
        bone = skelly.attach(vector(pair[1] - pair[0]), bone);
    }
    let mut solver = S::new(TOLERANCE * problem.reach());
    solver.goal(bone, Point3::from(vector(problem.target)));
    State { posture: Posture::new(&skelly), skelly, solver }
}

impl<S: PositionGoal> Entrant for Batch<S> {
    fn reset(&mut self) {
        for state in &mut self.states {
            state.posture = Posture::new(&state.skelly);
        }
    }

    fn solve(&mut self, index: usize) -> u32 {
        let state = &mut self.states[index];
        for iteration in 0..MAX_ITERATIONS {
            // The step that finds the goal met changes nothing, and is not counted.
            if state.solver.solve_step(&state.skelly, &mut state.posture) != StepResult::Unsolved {
                return iteration;
            }
        }
        MAX_ITERATIONS
    }

    fn verdict(&self, index: usize) -> Verdict {
        let state = &self.states[index];
        let mut globals = vec![Isometry3::identity(); state.skelly.len()];
        state.posture.write_globals(&state.skelly, &Isometry3::identity(), &mut globals);
        let points: Vec<DVec3> = globals
            .iter()
            .map(|global| global.translation.vector)
            .map(|v| DVec3::new(v.x, v.y, v.z))
            .collect();
        verify::chain(&self.problems[index], &points)
    }
}
