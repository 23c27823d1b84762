//! posekit in the comparison.
//!
//! What a program does once is done before the clock starts: skeletons, chains, settings, and one
//! [`Workspace`] for the whole batch. Timed is what it does for every solve: the start pose goes in, the
//! target goes in, the answer is copied out. Answers are wiped before every round, so that none can be
//! judged twice.
//!
//! Solvers with rotations in their name are given joint rotations and give joint rotations back; their
//! points are made from those by this crate's own forward kinematics before they are judged.

use posekit::chain::{Chain, DirectWorkspace, Goals, direct, fabrik};
use posekit::glam::{DQuat, DVec3};
use posekit::limb::{Pole, SoftReach, TwoBone};
use posekit::math::{Pose, atan2, shortest_rotation, wrap_angle};
use posekit::skeleton::{Frame, Joint, Limit, Skeleton};
use posekit::solve::{Method, Settings, Workspace};
use posekit::task::Position;

use crate::entrant::{Contender, Entrant, arms, chains};
use crate::problems::{ARM, ARM_TIP, ArmProblem, Case, ChainProblem, Problems, arm_reach};
use crate::verify::{self, Verdict};
use crate::{MAX_ITERATIONS, TOLERANCE};

/// Solvers of free chains on points, with their names; the ratios are relative to the first.
pub const ON_POINTS: [(Method, &str); 3] = [
    (Method::Direct, "posekit direct (f64)"),
    (Method::Fabrik, "posekit FABRIK (f64)"),
    (Method::Relaxation, "posekit relaxation (f64)"),
];

/// The same methods on the caller's own points: no checks, no status, as the peers' functions on slices.
pub const ON_SLICES: [(Method, &str); 2] = [
    (Method::Direct, "posekit direct, slices (f64)"),
    (Method::Fabrik, "posekit FABRIK, slices (f64)"),
];

/// Solvers of free chains on joints, with their names.
pub const ON_JOINTS: [(Method, &str); 3] = [
    (Method::Direct, "posekit direct, rotations (f64)"),
    (Method::Fabrik, "posekit FABRIK, rotations (f64)"),
    (Method::Ccd, "posekit CCD, rotations (f64)"),
];

/// posekit's entries in the comparison.
pub fn contenders() -> Vec<Contender> {
    let limb = |problems: &Problems| -> Box<dyn Entrant> {
        Box::new(LimbBatch::new(chains(problems), Variant::default()))
    };
    let mut all = vec![Contender::new("posekit two-bone, rotations (f64)", Case::has_pole, limb)];
    for (method, name) in ON_POINTS {
        add_chain(&mut all, name, move |problems, dimension| {
            Box::new(ChainBatch::new(chains(problems), dimension, method, TOLERANCE))
        });
    }
    for (method, name) in ON_SLICES {
        add_chain(&mut all, name, move |problems, dimension| {
            Box::new(SliceBatch::new(chains(problems), dimension, method))
        });
    }
    for (method, name) in ON_JOINTS {
        add_chain(&mut all, name, move |problems, dimension| {
            Box::new(JointBatch::new(chains(problems), dimension, method, TOLERANCE))
        });
    }
    all.push(Contender::new("posekit CCD (f64)", Case::is_arm, |problems| {
        Box::new(ArmBatch::new(arms(problems), Method::Ccd))
    }));
    let references = ["posekit two-bone, rotations (f64)", ON_POINTS[0].1, "posekit CCD (f64)"];
    for contender in &mut all {
        contender.is_reference = references.contains(&contender.name);
    }
    all
}

/// Enters a solver of free chains twice: for space and, with two coordinates a point, for the plane.
fn add_chain(
    all: &mut Vec<Contender>,
    name: &'static str,
    enter: impl Fn(&Problems, usize) -> Box<dyn Entrant> + Copy + 'static,
) {
    let in_space = |case: &Case| case.is_free_chain() && !case.in_plane();
    all.push(Contender::new(name, in_space, move |problems| enter(problems, 3)));
    let in_plane = |case: &Case| case.is_free_chain() && case.in_plane();
    all.push(Contender::new(name, in_plane, move |problems| enter(problems, 2)));
}

/// The settings of every contender: the tolerance as an absolute distance \[m\].
fn settings(tolerance: f64) -> Settings {
    Settings::default().with_tolerance(tolerance).with_iterations(MAX_ITERATIONS)
}

/// Chains of points: points in, points out.
#[derive(Debug)]
pub struct ChainBatch {
    problems: Vec<ChainProblem>,
    method: Method,
    dimension: usize,
    chains: Vec<Chain>,
    settings: Vec<Settings>,
    answers: Vec<Vec<f64>>,
    workspace: Workspace,
}

impl ChainBatch {
    /// Problems with `dimension` coordinates a point, to be solved to `tolerance` \[parts of the reach\].
    ///
    /// # Panics
    /// When a problem is not a chain, which is a mistake in this crate.
    pub fn new(
        problems: &[ChainProblem],
        dimension: usize,
        method: Method,
        tolerance: f64,
    ) -> Self {
        let flat = |problem: &ChainProblem| -> Vec<f64> {
            problem.points.iter().flat_map(|p| p.to_array().into_iter().take(dimension)).collect()
        };
        let chain = |problem| Chain::try_new(dimension, &flat(problem)).expect("a chain");
        Self {
            method,
            dimension,
            chains: problems.iter().map(chain).collect(),
            settings: problems.iter().map(|p| settings(tolerance * p.reach())).collect(),
            answers: problems.iter().map(flat).collect(),
            problems: problems.to_vec(),
            workspace: Workspace::default(),
        }
    }
}

impl Entrant for ChainBatch {
    fn reset(&mut self) {
        self.answers.iter_mut().for_each(|answer| answer.fill(f64::NAN));
    }

    fn solve(&mut self, index: usize) -> u32 {
        let chain = &self.chains[index];
        let target = self.problems[index].target.to_array();
        let goals =
            Goals { effectors: &[chain.n_points() - 1], targets: &target[..self.dimension] };
        let begun = self.workspace.begin_chain(chain, goals, self.method, &self.settings[index]);
        if begun.is_err() {
            return 0;
        }
        let solution = self.workspace.run();
        self.answers[index].copy_from_slice(&solution.points);
        solution.iterations
    }

    fn verdict(&self, index: usize) -> Verdict {
        let coordinate = |point: &[f64], k: usize| point.get(k).copied().unwrap_or(0.0);
        let points: Vec<DVec3> = self.answers[index]
            .chunks_exact(self.dimension)
            .map(|p| DVec3::new(p[0], coordinate(p, 1), coordinate(p, 2)))
            .collect();
        verify::chain(&self.problems[index], &points)
    }
}

/// Chains of points as plain slices, by the functions of `posekit::chain`.
#[derive(Debug)]
pub struct SliceBatch {
    chains: ChainBatch,
    lengths: Vec<Vec<f64>>,
    direct: DirectWorkspace,
}

impl SliceBatch {
    /// Problems with `dimension` coordinates a point, by `Direct` or `Fabrik`.
    pub fn new(problems: &[ChainProblem], dimension: usize, method: Method) -> Self {
        let chains = ChainBatch::new(problems, dimension, method, TOLERANCE);
        let lengths = chains.chains.iter().map(|chain| chain.lengths()[1..].to_vec()).collect();
        Self { chains, lengths, direct: DirectWorkspace::default() }
    }
}

impl Entrant for SliceBatch {
    fn reset(&mut self) {
        self.chains.reset();
    }

    fn solve(&mut self, index: usize) -> u32 {
        let batch = &mut self.chains;
        let (problem, lengths) = (&batch.problems[index], &self.lengths[index]);
        let target = &problem.target.to_array()[..batch.dimension];
        let points = &mut batch.answers[index];
        points.copy_from_slice(batch.chains[index].points());
        let tolerance = batch.settings[index].tolerance.unwrap_or(TOLERANCE);
        if batch.method == Method::Fabrik {
            let limit = MAX_ITERATIONS;
            return fabrik::reach(batch.dimension, lengths, points, target, tolerance, limit);
        }
        direct::reach(batch.dimension, lengths, points, target, tolerance, &mut self.direct);
        1
    }

    fn verdict(&self, index: usize) -> Verdict {
        self.chains.verdict(index)
    }
}

/// Chains of joints: balls in space, hinges about +z in the plane. Joint values in, joint values out.
#[derive(Debug)]
pub struct JointBatch {
    problems: Vec<ChainProblem>,
    method: Method,
    in_plane: bool,
    skeletons: Vec<Skeleton>,
    settings: Vec<Settings>,
    starts: Vec<Vec<f64>>,
    answers: Vec<Vec<f64>>,
    workspace: Workspace,
}

impl JointBatch {
    /// Problems in space (`dimension` 3) or the plane (2), to be solved to `tolerance` \[parts of the reach\].
    ///
    /// # Panics
    /// When a problem is not a chain, which is a mistake in this crate.
    pub fn new(
        problems: &[ChainProblem],
        dimension: usize,
        method: Method,
        tolerance: f64,
    ) -> Self {
        let in_plane = dimension == 2;
        let starts: Vec<Vec<f64>> =
            problems.iter().map(|problem| start_values(problem, in_plane)).collect();
        Self {
            method,
            in_plane,
            skeletons: problems.iter().map(|p| skeleton(&p.lengths, in_plane)).collect(),
            settings: problems.iter().map(|p| settings(tolerance * p.reach())).collect(),
            answers: starts.clone(),
            starts,
            problems: problems.to_vec(),
            workspace: Workspace::default(),
        }
    }
}

/// Bones along +x of their joints' frames.
fn skeleton(lengths: &[f64], in_plane: bool) -> Skeleton {
    let mut builder = Skeleton::builder();
    for (i, _) in lengths.iter().enumerate() {
        let name = format!("joint{i}");
        let joint = if in_plane { Joint::revolute(name, DVec3::Z) } else { Joint::ball(name) };
        builder.add(match i.checked_sub(1) {
            Some(parent) => joint.child_of(parent).at(along_x(lengths[parent])),
            None => joint,
        });
    }
    builder.build().expect("a chain of joints")
}

fn along_x(length: f64) -> Pose {
    Pose::from_translation(DVec3::X * length)
}

/// The joint values of a problem's start.
fn start_values(problem: &ChainProblem, in_plane: bool) -> Vec<f64> {
    let mut values = Vec::new();
    let (mut above, mut heading) = (DQuat::IDENTITY, 0.0);
    for pair in problem.points.windows(2) {
        let bone = pair[1] - pair[0];
        if in_plane {
            let angle = atan2(bone.y, bone.x);
            values.push(wrap_angle(angle - heading));
            heading = angle;
        } else {
            let turned = shortest_rotation(DVec3::X, bone);
            values.extend((above.conjugate() * turned).normalize().to_array());
            above = turned;
        }
    }
    values
}

impl Entrant for JointBatch {
    fn reset(&mut self) {
        self.answers.iter_mut().for_each(|answer| answer.fill(f64::NAN));
    }

    fn solve(&mut self, index: usize) -> u32 {
        let (skeleton, problem) = (&self.skeletons[index], &self.problems[index]);
        let last = problem.lengths.len() - 1;
        let frame = Frame::new(last, along_x(problem.lengths[last]));
        let tasks = [Position::new(frame, problem.target).into()];
        let (start, settings) = (&self.starts[index], &self.settings[index]);
        if self.workspace.begin(skeleton, start, &tasks, self.method, settings).is_err() {
            return 0;
        }
        let solution = self.workspace.run();
        self.answers[index].copy_from_slice(&solution.configuration);
        solution.iterations
    }

    fn verdict(&self, index: usize) -> Verdict {
        let problem = &self.problems[index];
        let per_joint = if self.in_plane { 1 } else { 4 };
        let mut points = vec![problem.points[0]];
        let mut rotation = DQuat::IDENTITY;
        for (values, length) in self.answers[index].chunks_exact(per_joint).zip(&problem.lengths) {
            rotation *= match *values {
                [angle] => DQuat::from_axis_angle(DVec3::Z, angle),
                _ => DQuat::from_slice(values),
            };
            points.push(points[points.len() - 1] + rotation * (DVec3::X * *length));
        }
        verify::chain(problem, &points)
    }
}

/// What a limb is asked for beside its target.
#[derive(Debug, Clone, Copy)]
pub struct Variant {
    /// Whether the middle joint bends towards the problem's pole.
    pub pole: bool,
    /// How it approaches full reach.
    pub soft: SoftReach,
}

impl Default for Variant {
    /// With the pole, exactly: what the comparison asks for.
    fn default() -> Self {
        Self { pole: true, soft: SoftReach::None }
    }
}

/// Two-bone limbs: joint positions and rotations in, joint rotations out.
#[derive(Debug)]
pub struct LimbBatch {
    problems: Vec<ChainProblem>,
    variant: Variant,
    /// Rotations of start and middle joint in the model; their bones lie along their +x.
    starts: Vec<[DQuat; 2]>,
    answers: Vec<[DQuat; 2]>,
}

impl LimbBatch {
    /// Limbs with their starts as rotations.
    pub fn new(problems: &[ChainProblem], variant: Variant) -> Self {
        let rotations = |problem: &ChainProblem| {
            [0, 1].map(|i| shortest_rotation(DVec3::X, problem.points[i + 1] - problem.points[i]))
        };
        let starts: Vec<_> = problems.iter().map(rotations).collect();
        Self { problems: problems.to_vec(), variant, answers: starts.clone(), starts }
    }
}

impl Entrant for LimbBatch {
    fn reset(&mut self) {
        self.answers.fill([DQuat::NAN; 2]);
    }

    fn solve(&mut self, index: usize) -> u32 {
        let problem = &self.problems[index];
        let [start, mid, end] = problem.points[..] else { return 0 };
        let pole = problem.pole.filter(|_| self.variant.pole).map_or(Pole::None, Pole::Point);
        let limb = TwoBone::new(start, mid, end, problem.target)
            .with_pole(pole)
            .with_soft_reach(self.variant.soft);
        if let Ok(solution) = limb.solve() {
            let [start, mid] = self.starts[index];
            self.answers[index] =
                [solution.start_correction * start, solution.mid_correction * mid];
        }
        0
    }

    fn verdict(&self, index: usize) -> Verdict {
        let problem = &self.problems[index];
        let mut points = vec![problem.points[0]];
        for (rotation, length) in self.answers[index].iter().zip(&problem.lengths) {
            points.push(points[points.len() - 1] + *rotation * (DVec3::X * *length));
        }
        verify::chain(problem, &points)
    }
}

/// The seven-hinge arm: one skeleton for the batch, angles in, angles out.
#[derive(Debug)]
pub struct ArmBatch {
    problems: Vec<ArmProblem>,
    method: Method,
    skeleton: Skeleton,
    tip: Frame,
    settings: Settings,
    answers: Vec<[f64; 7]>,
    workspace: Workspace,
}

impl ArmBatch {
    /// Problems of the arm, to be solved to the tolerance of the comparison.
    pub fn new(problems: &[ArmProblem], method: Method) -> Self {
        Self {
            method,
            skeleton: arm(),
            tip: Frame::new(ARM.len() - 1, Pose::from_translation(ARM_TIP)),
            settings: settings(TOLERANCE * arm_reach()),
            answers: problems.iter().map(|problem| problem.start).collect(),
            problems: problems.to_vec(),
            workspace: Workspace::default(),
        }
    }
}

/// The arm from the numbers that the judge and the peers use.
///
/// # Panics
/// When the arm is not a skeleton, which is a mistake in this crate.
pub fn arm() -> Skeleton {
    let mut builder = Skeleton::builder();
    for (i, hinge) in ARM.iter().enumerate() {
        let joint = Joint::revolute(format!("joint{i}"), hinge.axis)
            .at(Pose::from_translation(hinge.offset))
            .with_limit(Limit::Range { min: -hinge.limit, max: hinge.limit });
        builder.add(match i.checked_sub(1) {
            Some(parent) => joint.child_of(parent),
            None => joint,
        });
    }
    builder.build().expect("the arm")
}

impl Entrant for ArmBatch {
    fn reset(&mut self) {
        self.answers.fill([f64::NAN; 7]);
    }

    fn solve(&mut self, index: usize) -> u32 {
        let problem = &self.problems[index];
        let tasks = [Position::new(self.tip, problem.target).into()];
        let begun = self.workspace.begin(
            &self.skeleton,
            &problem.start,
            &tasks,
            self.method,
            &self.settings,
        );
        if begun.is_err() {
            return 0;
        }
        let solution = self.workspace.run();
        self.answers[index].copy_from_slice(&solution.configuration);
        solution.iterations
    }

    fn verdict(&self, index: usize) -> Verdict {
        verify::arm(&self.problems[index], &self.answers[index])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problems::CASES;

    #[test]
    fn starts_of_joints_are_the_starts_of_points() {
        for case in CASES.iter().filter(|case| case.is_free_chain()) {
            let problems = case.problems(5);
            let problems = chains(&problems);
            let dimension = if case.in_plane() { 2 } else { 3 };
            let batch = JointBatch::new(problems, dimension, Method::Ccd, TOLERANCE);
            for (index, problem) in problems.iter().enumerate() {
                let frame = Frame::new(
                    problem.lengths.len() - 1,
                    along_x(problem.lengths[problem.lengths.len() - 1]),
                );
                let tip = frame.world(&batch.skeletons[index].poses(&batch.starts[index]));
                let expected = problem.points[problem.points.len() - 1];
                assert!(tip.translation.distance(expected) < 1e-9, "{}", case.name);
            }
        }
    }

    #[test]
    fn every_entry_solves_an_ordinary_problem() {
        for case in CASES.iter().filter(|case| ["two-bone", "random-5"].contains(&case.name)) {
            let problems = case.problems(5);
            for contender in contenders().iter().filter(|contender| (contender.accepts)(case)) {
                let mut entrant = (contender.enter)(&problems);
                entrant.reset();
                for index in 0..problems.len() {
                    assert!(!entrant.verdict(index).solved, "{} before it starts", contender.name);
                    entrant.solve(index);
                    assert!(entrant.verdict(index).solved, "{} in {}", contender.name, case.name);
                }
            }
        }
    }
}
