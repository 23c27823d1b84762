//! posekit in the comparison.
//!
//! **The place to fill in when a solver of the library exists.** The three lists of methods below are
//! empty until then. A new solver is a variant of the enum, an entry in its list, its name, and a line
//! in `solve_chain`, `solve_limb` or `solve_arm`; batches, timing, judging and ratios are done.
//! Whatever a repeated solve reuses belongs in the workspace: it is built before the clock starts.

use posekit::glam::DVec3;

use crate::TOLERANCE;
use crate::entrant::{Contender, Entrant, arms, chains};
use crate::problems::{ArmProblem, Case, ChainProblem, Problems, arm_reach};
use crate::verify::{self, Verdict};

/// A solver of free chains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChainMethod {}

/// A closed form for a two-bone limb with a pole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimbMethod {}

/// A solver of skeletons, here the seven-hinge arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArmMethod {}

/// The chain solvers to run; the ratios are relative to the first.
pub const CHAIN_METHODS: [ChainMethod; 0] = [];
/// The limb solvers to run; the ratios are relative to the first.
pub const LIMB_METHODS: [LimbMethod; 0] = [];
/// The arm solvers to run; the ratios are relative to the first.
pub const ARM_METHODS: [ArmMethod; 0] = [];

impl ChainMethod {
    /// Name in the report.
    pub fn name(self) -> &'static str {
        match self {}
    }
}

impl LimbMethod {
    /// Name in the report.
    pub fn name(self) -> &'static str {
        match self {}
    }
}

impl ArmMethod {
    /// Name in the report.
    pub fn name(self) -> &'static str {
        match self {}
    }
}

/// What repeated solves of one problem reuse: skeleton, buffers.
#[derive(Debug, Default)]
pub struct Workspace {}

/// Moves `points` (root first) so that the last one meets `target` within `tolerance` \[m\], every bone at
/// its length; returns the iterations taken.
pub fn solve_chain(
    method: ChainMethod,
    _workspace: &mut Workspace,
    _points: &mut [DVec3],
    _lengths: &[f64],
    _target: DVec3,
    _tolerance: f64,
) -> u32 {
    match method {}
}

/// Moves the middle joint and the tip of a limb so that the tip meets `target` and the limb bends
/// towards `pole`.
pub fn solve_limb(
    method: LimbMethod,
    _workspace: &mut Workspace,
    _points: &mut [DVec3],
    _target: DVec3,
    _pole: DVec3,
) {
    match method {}
}

/// Turns the hinges of [`crate::problems::ARM`] so that the tip meets `target` within `tolerance` \[m\];
/// returns the iterations taken.
pub fn solve_arm(
    method: ArmMethod,
    _workspace: &mut Workspace,
    _angles: &mut [f64; 7],
    _target: DVec3,
    _tolerance: f64,
) -> u32 {
    match method {}
}

/// posekit's entries in the comparison.
pub fn contenders() -> Vec<Contender> {
    let mut all = Vec::new();
    for (index, method) in LIMB_METHODS.into_iter().enumerate() {
        let enter = move |problems: &Problems| limb_batch(method, problems);
        let contender = Contender::new(method.name(), Case::has_pole, enter);
        all.push(Contender { is_reference: index == 0, ..contender });
    }
    for (index, method) in CHAIN_METHODS.into_iter().enumerate() {
        let enter = move |problems: &Problems| chain_batch(method, problems);
        let contender = Contender::new(method.name(), Case::is_free_chain, enter);
        all.push(Contender { is_reference: index == 0, ..contender });
    }
    for (index, method) in ARM_METHODS.into_iter().enumerate() {
        let enter = move |problems: &Problems| arm_batch(method, problems);
        let contender = Contender::new(method.name(), Case::is_arm, enter);
        all.push(Contender { is_reference: index == 0, ..contender });
    }
    all
}

/// Chains or limbs, each with its points, solved by `solve`.
struct PointBatch<F> {
    problems: Vec<ChainProblem>,
    points: Vec<Vec<DVec3>>,
    workspaces: Vec<Workspace>,
    solve: F,
}

impl<F> PointBatch<F> {
    fn new(problems: &Problems, solve: F) -> Self {
        let problems = chains(problems).to_vec();
        Self {
            points: problems.iter().map(|problem| problem.points.clone()).collect(),
            workspaces: problems.iter().map(|_| Workspace::default()).collect(),
            problems,
            solve,
        }
    }
}

fn chain_batch(method: ChainMethod, problems: &Problems) -> Box<dyn Entrant> {
    let tolerances: Vec<f64> =
        chains(problems).iter().map(|problem| TOLERANCE * problem.reach()).collect();
    let solve = move |index: usize,
                      problem: &ChainProblem,
                      workspace: &mut Workspace,
                      points: &mut [DVec3]| {
        let (lengths, tolerance) = (&problem.lengths, tolerances[index]);
        solve_chain(method, workspace, points, lengths, problem.target, tolerance)
    };
    Box::new(PointBatch::new(problems, solve))
}

fn limb_batch(method: LimbMethod, problems: &Problems) -> Box<dyn Entrant> {
    let solve =
        move |_: usize, problem: &ChainProblem, workspace: &mut Workspace, points: &mut [DVec3]| {
            let pole = problem.pole.unwrap_or(DVec3::Z);
            solve_limb(method, workspace, points, problem.target, pole);
            0
        };
    Box::new(PointBatch::new(problems, solve))
}

impl<F> Entrant for PointBatch<F>
where
    F: FnMut(usize, &ChainProblem, &mut Workspace, &mut [DVec3]) -> u32,
{
    fn reset(&mut self) {
        for (points, problem) in self.points.iter_mut().zip(&self.problems) {
            points.copy_from_slice(&problem.points);
        }
    }

    fn solve(&mut self, index: usize) -> u32 {
        let (problem, workspace) = (&self.problems[index], &mut self.workspaces[index]);
        (self.solve)(index, problem, workspace, &mut self.points[index])
    }

    fn verdict(&self, index: usize) -> Verdict {
        verify::chain(&self.problems[index], &self.points[index])
    }
}

struct ArmBatch {
    method: ArmMethod,
    problems: Vec<ArmProblem>,
    angles: Vec<[f64; 7]>,
    workspace: Workspace,
    tolerance: f64,
}

fn arm_batch(method: ArmMethod, problems: &Problems) -> Box<dyn Entrant> {
    let problems = arms(problems).to_vec();
    Box::new(ArmBatch {
        method,
        angles: problems.iter().map(|problem| problem.start).collect(),
        problems,
        workspace: Workspace::default(),
        tolerance: TOLERANCE * arm_reach(),
    })
}

impl Entrant for ArmBatch {
    fn reset(&mut self) {
        for (angles, problem) in self.angles.iter_mut().zip(&self.problems) {
            *angles = problem.start;
        }
    }

    fn solve(&mut self, index: usize) -> u32 {
        let target = self.problems[index].target;
        let angles = &mut self.angles[index];
        solve_arm(self.method, &mut self.workspace, angles, target, self.tolerance)
    }

    fn verdict(&self, index: usize) -> Verdict {
        verify::arm(&self.problems[index], &self.angles[index])
    }
}
