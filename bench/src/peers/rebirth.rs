//! `rebirth-ik`: its allocation-free functions on plain points, which its author calls the hot path.

use posekit::glam::DVec3;
use rebirth_ik::Vec3;

use crate::entrant::{Entrant, chains};
use crate::problems::{ChainProblem, Problems};
use crate::verify::{self, Verdict};
use crate::{MAX_ITERATIONS, TOLERANCE};

struct State {
    start: Vec<Vec3>,
    points: Vec<Vec3>,
    lengths: Vec<f32>,
    target: Vec3,
    tolerance: f32,
    pole: Option<Vec3>,
}

impl State {
    fn new(problem: &ChainProblem) -> Self {
        let start: Vec<Vec3> = problem.points.iter().map(|&point| narrow(point)).collect();
        Self {
            points: start.clone(),
            start,
            lengths: problem.lengths.iter().map(|&length| length as f32).collect(),
            target: narrow(problem.target),
            tolerance: (TOLERANCE * problem.reach()) as f32,
            pole: problem.pole.map(narrow),
        }
    }

    fn verdict(&self, problem: &ChainProblem) -> Verdict {
        let points: Vec<DVec3> = self
            .points
            .iter()
            .map(|point| DVec3::new(point.x.into(), point.y.into(), point.z.into()))
            .collect();
        verify::chain(problem, &points)
    }
}

fn narrow(v: DVec3) -> Vec3 {
    Vec3::new(v.x as f32, v.y as f32, v.z as f32)
}

struct Chain {
    problems: Vec<ChainProblem>,
    states: Vec<State>,
}

pub(super) fn chain(problems: &Problems) -> Box<dyn Entrant> {
    let problems = chains(problems).to_vec();
    let states = problems.iter().map(State::new).collect();
    Box::new(Chain { problems, states })
}

impl Entrant for Chain {
    fn reset(&mut self) {
        for state in &mut self.states {
            state.points.copy_from_slice(&state.start);
        }
    }

    fn solve(&mut self, index: usize) -> u32 {
        let state = &mut self.states[index];
        rebirth_ik::solve_chain(
            &mut state.points,
            &state.lengths,
            state.target,
            MAX_ITERATIONS,
            state.tolerance,
        )
        .iterations
    }

    fn verdict(&self, index: usize) -> Verdict {
        self.states[index].verdict(&self.problems[index])
    }
}

struct TwoBone(Chain);

pub(super) fn two_bone(problems: &Problems) -> Box<dyn Entrant> {
    let problems = chains(problems).to_vec();
    let states = problems.iter().map(State::new).collect();
    Box::new(TwoBone(Chain { problems, states }))
}

impl Entrant for TwoBone {
    fn reset(&mut self) {
        self.0.reset();
    }

    fn solve(&mut self, index: usize) -> u32 {
        let state = &mut self.0.states[index];
        let [base, middle, tip] = state.points[..] else { return 0 };
        let answer = rebirth_ik::two_bone(base, middle, tip, state.target, state.pole);
        (state.points[1], state.points[2]) = answer;
        0
    }

    fn verdict(&self, index: usize) -> Verdict {
        self.0.verdict(index)
    }
}
