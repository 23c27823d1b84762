//! Chains of points under the driver: relaxation, FABRIK and the direct method, in any dimension.

use super::driver::{Recorder, Residual, Run, worse};
use super::solution::{Phase, TraceStep};
use super::{Detail, Method, Relaxation, Settings};
use crate::chain::relaxation::{Reading, Thresholds, read, relax};
use crate::chain::{
    Bones, Chain, DirectWorkspace, Goals, Reach, Space, direct, distance, fabrik, in_space, point,
};

/// The closed way is taken to this part of the tolerance where its answer is carried over to joints, which must leave it met, but not
/// beyond what rounding allows, in parts of the reach.
const TIGHTER: f64 = 0.1;
const TIGHTEST: f64 = 1e-13;

/// Where half-steps are recorded.
pub(super) type HalfSteps<'a> = &'a mut dyn FnMut(&mut PointsRun, Phase);

/// The state of a chain that is being solved.
///
/// Inside, the root is the origin and lengths are of the order of one: multiplied by `scale`, a power of two, so that the
/// same problem in other units takes the same steps, bit for bit where the units differ by a power of two.
#[derive(Debug, Clone, Default)]
pub(super) struct PointsRun {
    method: Option<Method>,
    pub(super) dimension: usize,
    pub(super) scale: f64,
    root: Vec<f64>,
    parents: Vec<usize>,
    lengths: Vec<f64>,
    /// Only for relaxation.
    weights: Vec<f64>,
    /// Only when some points do not move by themselves.
    start: Vec<f64>,
    /// The pose at the exact lengths.
    points: Vec<f64>,
    /// Relaxation's own state, whose lengths are off; for the other methods nothing.
    relaxed: Vec<f64>,
    kept: Vec<f64>,
    effectors: Vec<usize>,
    targets: Vec<f64>,
    held: Vec<bool>,
    branches: fabrik::Branches,
    direct: DirectWorkspace,
    relaxation: Relaxation,
    thresholds: Option<Thresholds>,
    is_path: bool,
    pub(super) reach: f64,
    /// Per effector: the distances from the root that it can have.
    reaches: Vec<Reach>,
    /// How exactly the closed way is taken.
    direct_tolerance: f64,
    /// Largest amount by which a target lies out of its effector's reach.
    pub(super) shortfall: f64,
}

impl PointsRun {
    /// Takes over a chain, its effectors and their targets (flat, in the chain's units).
    ///
    /// - `is_path`: whether the chain is one
    pub(super) fn begin(
        &mut self,
        chain: &Chain,
        goals: Goals<'_>,
        method: Method,
        settings: &Settings,
        is_path: bool,
    ) {
        let n = chain.dimension();
        self.method = Some(method);
        self.dimension = n;
        self.relaxation.clone_from(&settings.relaxation);
        self.parents.clone_from(&chain.parents);
        self.effectors.clear();
        self.effectors.extend_from_slice(goals.effectors);
        self.is_path = is_path;
        self.measure_reach(chain);
        let asked = settings.tolerance.map_or(1e-6 * self.reach, |t| t * self.scale);
        self.direct_tolerance = asked.max(TIGHTEST * self.reach);
        let scale = self.scale;
        self.lengths.clear();
        self.lengths.extend(chain.lengths.iter().map(|length| length * scale));
        self.root.clear();
        self.root.extend_from_slice(point(&chain.points, n, 0));
        to_run_units(&mut self.points, &chain.points, &self.root, scale);
        if method == Method::Relaxation {
            self.begin_relaxation(chain, settings);
        }
        if !self.all_move() {
            self.start.clone_from(&self.points);
        }
        // A single path needs them for its half-steps only.
        let in_halves = method == Method::Fabrik && settings.trace == Detail::HalfSteps;
        if in_halves || !self.all_move() {
            self.branches.prepare(n, &self.parents, &self.effectors);
        }
        self.retarget(goals.targets);
    }

    fn measure_reach(&mut self, chain: &Chain) {
        self.reaches.clear();
        let is_path = self.is_path;
        self.reaches.extend(self.effectors.iter().map(|&effector| {
            if is_path {
                // The same sum, without asking each point for its parent.
                Reach::of_bones(chain.lengths[1..=effector].iter().rev().copied())
            } else {
                chain.reach(effector)
            }
        }));
        let full = self.reaches.iter().map(|reach| reach.outer).fold(0.0, f64::max);
        self.scale = power_of_two_below(full).recip();
        self.reach = full * self.scale;
        for reach in &mut self.reaches {
            *reach = reach.scaled(self.scale);
        }
    }

    fn begin_relaxation(&mut self, chain: &Chain, settings: &Settings) {
        self.weights.clone_from(&chain.weights);
        self.relaxed.clone_from(&self.points);
        self.held.clear();
        self.held.resize(self.parents.len(), false);
        self.thresholds = Some(if settings.classic {
            Thresholds::published(self.scale)
        } else {
            Thresholds::RELATIVE
        });
    }

    /// Leaves room for carrying the answers over to joints.
    pub(super) fn aim_closer(&mut self) {
        self.direct_tolerance = (TIGHTER * self.direct_tolerance).max(TIGHTEST * self.reach);
    }

    /// Moves the targets (flat, in the chain's units); the pose stays.
    pub(super) fn retarget(&mut self, targets: &[f64]) {
        to_run_units(&mut self.targets, targets, &self.root, self.scale);
        self.shortfall = 0.0;
        for (target, reach) in self.targets.chunks_exact(self.dimension).zip(&self.reaches) {
            let far = target.iter().map(|x| x * x).sum::<f64>().sqrt();
            self.shortfall = self.shortfall.max(reach.shortfall(far));
        }
    }

    /// The pose in the chain's units.
    pub(super) fn write_points(&self, out: &mut Vec<f64>) {
        to_caller_units(out, &self.points, &self.root, self.scale);
    }

    /// How many effectors there are.
    pub(super) fn n_goals(&self) -> usize {
        self.effectors.len()
    }

    /// True when bones may stretch: then nothing is out of reach.
    pub(super) fn may_stretch(&self) -> bool {
        self.method == Some(Method::Relaxation) && self.relaxation.reading == Reading::Stretched
    }

    /// True when the closed way applies: no branches, and the tip is what must reach.
    pub(super) fn is_single_path(&self) -> bool {
        self.dimension > 1 && self.all_move()
    }

    /// True for a path whose tip is what must reach: every point is on the way.
    fn all_move(&self) -> bool {
        self.is_path && self.effectors.as_slice() == [self.parents.len() - 1]
    }

    /// Puts points that no effector moves where their parents carry them.
    pub(super) fn carry(&mut self) {
        if self.all_move() {
            return;
        }
        let bones =
            Bones { parents: &self.parents, lengths: &self.lengths, weights: &self.weights };
        fabrik::carry(self.dimension, bones, &self.start, &mut self.points, &self.branches);
    }

    /// The closed way from the present pose; false where there is none.
    pub(super) fn reach_directly(&mut self) -> bool {
        if !self.is_single_path() {
            return false;
        }
        let (lengths, points) = (&self.lengths[1..], &mut self.points);
        let way = direct::reach(
            self.dimension,
            lengths,
            points,
            &self.targets,
            self.direct_tolerance,
            &mut self.direct,
        );
        if self.method == Some(Method::Relaxation) {
            self.relaxed.copy_from_slice(&self.points);
        }
        way != direct::Way::None
    }

    /// One iteration. Half-steps are told to `record`, where there is one.
    pub(super) fn iterate_with(&mut self, record: Option<HalfSteps<'_>>) {
        match self.method {
            Some(Method::Relaxation) => self.relax(record),
            Some(Method::Fabrik) => self.reach_back_and_forth(record),
            _ => {
                self.reach_directly();
            }
        }
    }

    fn relax(&mut self, mut record: Option<HalfSteps<'_>>) {
        let passes = self.relaxation.passes;
        let by = if record.is_some() { 1 } else { passes };
        let mut done = 0;
        while done < passes {
            let bones =
                Bones { parents: &self.parents, lengths: &self.lengths, weights: &self.weights };
            let goals = Goals { effectors: &self.effectors, targets: &self.targets };
            let off = self.thresholds.unwrap_or(Thresholds::RELATIVE);
            relax(self.dimension, bones, &mut self.relaxed, goals, &mut self.held, by, off);
            let reading = self.relaxation.reading;
            read(self.dimension, bones, &self.relaxed, reading, &mut self.points);
            done += by;
            if let Some(record) = &mut record {
                record(self, Phase::Pass(done));
            }
        }
    }

    fn reach_back_and_forth(&mut self, mut record: Option<HalfSteps<'_>>) {
        if record.is_none() && self.all_move() {
            fabrik::sweep(self.dimension, &self.lengths[1..], &mut self.points, &self.targets);
            return;
        }
        let bones =
            Bones { parents: &self.parents, lengths: &self.lengths, weights: &self.weights };
        let goals = Goals { effectors: &self.effectors, targets: &self.targets };
        fabrik::backward(self.dimension, bones, &mut self.points, goals, &mut self.branches);
        if let Some(record) = &mut record {
            record(self, Phase::Backward);
        }
        let bones =
            Bones { parents: &self.parents, lengths: &self.lengths, weights: &self.weights };
        fabrik::forward(self.dimension, bones, &mut self.points, &self.branches);
        if let Some(record) = &mut record {
            record(self, Phase::Forward);
        }
    }

    /// Distances of the effectors from their targets.
    fn misses(&self) -> impl Iterator<Item = f64> + '_ {
        let n = self.dimension;
        self.effectors.iter().enumerate().map(move |(e, &effector)| {
            let (at, target) = (point(&self.points, n, effector), point(&self.targets, n, e));
            let mut squared = 0.0;
            in_space!(n, space => for k in 0..space.n() {
                squared += (at[k] - target[k]) * (at[k] - target[k]);
            });
            // A target beyond what can be squared is measured the slow way.
            if squared.is_infinite() { distance(at, target) } else { squared.sqrt() }
        })
    }
}

impl Run for PointsRun {
    fn iterate(&mut self, recorder: &mut Recorder<'_>) {
        if recorder.wants_half_steps() {
            self.iterate_with(Some(&mut |run, phase| recorder.half_step(run, phase)));
        } else {
            self.iterate_with(None);
        }
    }

    fn residual(&self) -> Residual {
        Residual { distance: self.misses().fold(0.0, worse), angle: 0.0 }
    }

    fn merit(&self, residual: Residual) -> f64 {
        // A lone miss need not be squared, and so cannot overflow.
        if self.effectors.len() == 1 {
            residual.distance
        } else {
            self.misses().map(|off| off * off).sum()
        }
    }

    fn rescue(&mut self, attempt: u32, _budget: u32) -> Option<u32> {
        (attempt == 0 && self.reach_directly()).then_some(1)
    }

    fn keep(&mut self) {
        self.kept.clone_from(&self.points);
    }

    fn recall(&mut self) {
        self.points.clone_from(&self.kept);
    }

    fn describe(&mut self, step: &mut TraceStep) {
        step.error = self.residual().distance / self.scale;
        let relaxed = self.method == Some(Method::Relaxation);
        let shown = if relaxed { &self.relaxed } else { &self.points };
        to_caller_units(&mut step.points, shown, &self.root, self.scale);
    }
}

/// The power of two that brings a positive number into 1..2; 1 for zero.
pub(super) fn power_of_two_below(x: f64) -> f64 {
    if x < f64::MIN_POSITIVE {
        return 1.0;
    }
    f64::from_bits(x.to_bits() & 0x7ff0_0000_0000_0000)
}

fn to_run_units(out: &mut Vec<f64>, points: &[f64], root: &[f64], scale: f64) {
    out.resize(points.len(), 0.0);
    in_space!(root.len(), space => {
        let n = space.n();
        for (to, from) in out.chunks_exact_mut(n).zip(points.chunks_exact(n)) {
            for k in 0..n {
                to[k] = (from[k] - root[k]) * scale;
            }
        }
    });
}

fn to_caller_units(out: &mut Vec<f64>, points: &[f64], root: &[f64], scale: f64) {
    // Exact: the scale is a power of two.
    let scale = scale.recip();
    out.resize(points.len(), 0.0);
    in_space!(root.len(), space => {
        let n = space.n();
        for (to, from) in out.chunks_exact_mut(n).zip(points.chunks_exact(n)) {
            for k in 0..n {
                to[k] = from[k] * scale + root[k];
            }
        }
    });
}
