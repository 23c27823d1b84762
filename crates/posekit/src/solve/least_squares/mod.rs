//! Least squares: any number of tasks on any skeleton, at the limits and beyond reach.
//!
//! A step is damped (Levenberg and Marquardt, \[wampler86\]), so that it stays finite at singular poses; it ends at the limits rather than being
//! cut off there (`step`). Damping falls tenfold with every step that helps and rises with every one that does not;
//! where steps fail because the valley is curved, they are bent along it \[transtrum12\]. What the tasks of a level leave free
//! belongs to the next level, and in the end to the least change (`levels`).
//!
//! The same steps rescue the other methods where those stall or crawl.

mod arm;
mod columns;
mod levels;
mod mixing;
mod report;
mod step;

use levels::Pull;

pub(super) use levels::Levels;

use super::demand::{Motion, System, make_room};
use super::rig::Rig;
use super::rig_run::RigRun;
use crate::math::{Pose, dot, so3_exp};
use columns::{add_product, add_transposed};
use glam::DVec3;
use mixing::Mixer;
use step::Step;

/// An attempt ends when this many steps have not even halved the sum of squares: another start is worth more. Unless it is
/// [`CLOSE`], where valleys are narrow and patience pays.
const STEPS_TO_HALVE: u32 = 4;

/// The same for one start among many: it ends when this many steps leave more than this part.
const DOUBTFUL_STEPS: u32 = 2;
const DOUBTFUL_PART: f64 = 0.75;

/// On the way to the nearest pose steps go on until one leaves this part of the sum of squares.
const STANDSTILL: f64 = 1.0 - 1e-11;

/// A push on the joints this small, relative to the miss and the reach, is rounding: the pose is at rest.
const REST: f64 = 1e-11;

/// A longer step shows by itself that something is pushed \[rad, or the reach\].
const RESTLESS: f64 = 1e-6;

/// Sum of squares, relative to the reach, below which an attempt is close: 3e-4 of the reach.
const CLOSE: f64 = 1e-7;

/// How far along a step its bend is probed, and the largest bend, relative to the step, that is believed \[transtrum12\].
const PROBE: f64 = 0.1;
const LARGEST_BEND: f64 = 0.75;

/// Damping is at least this, and after a step that failed at least that, relative to the square of the reach.
const LEAST_DAMPING: f64 = 1e-18;
const FIRST_DAMPING: f64 = 1e-9;

/// Steps to take at a damping before it falls again, where steps are mixed.
const PATIENCE: u32 = 6;

/// A step no longer than this that does not help has failed by rounding \[rad, or the reach\].
const ROUNDING_STEP: f64 = 1e-9;

/// Steps that fail in a row before one iteration of the method gives up.
const TRIES: u32 = 12;

/// How long to go on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Until {
    /// While it looks as if the goals will be met.
    Hopeless,
    /// While it looks as if they will be met soon: there are other starts to try.
    Doubtful,
    /// Until nothing moves: to the nearest pose.
    AtRest,
}

/// What became of a step.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Outcome {
    /// It helped: the sum of squares before.
    Better(f64),
    /// It did not; everything is as it was, and damping is higher.
    Worse,
    /// There is none to take.
    AtRest,
}

/// Buffers, and where a descent stands.
#[derive(Debug, Clone, Default)]
pub(super) struct LeastSquares {
    pub(super) system: System,
    step: Step,
    kept: Snapshot,
    kept_misses: Vec<f64>,
    bend: Vec<f64>,
    wishes: Vec<f64>,
    pulls: Vec<Pull>,
    /// The level whose pulls these are; 0 for none.
    pulls_level: u8,
    /// Values of the one-value unknowns where the solve began.
    begun_values: Vec<f64>,
    /// Demands that take part, and those of the first level.
    n_demands: usize,
    n_first: usize,
    pub(super) is_prepared: bool,
    /// Sizes that the buffers have had room for: nodes, demands, bodies.
    room: (usize, usize, usize),
    damping: f64,
    /// The sum of squares now.
    merit: f64,
    is_curved: bool,
    mixer: Mixer,
    /// Steps are mixed: on the way to a pose that misses its targets.
    mixes: bool,
    /// Steps of the present damping still to take.
    patience: u32,
    pub(super) levels: Levels,
}

/// A pose to return to: a state, and the values of the one-value unknowns that belong to it.
#[derive(Debug, Clone, Default)]
struct Snapshot {
    state: Vec<Pose>,
    values: Vec<f64>,
}

impl Snapshot {
    fn take(&mut self, rig: &Rig, values: &[f64]) {
        self.state.clone_from(&rig.state);
        self.values.clear();
        self.values.extend_from_slice(values);
    }

    fn put_back(&self, rig: &mut Rig, values: &mut Vec<f64>) {
        rig.state.clone_from(&self.state);
        values.clone_from(&self.values);
        rig.update();
    }

    fn reserve(&mut self, rig: &Rig, n_unknowns: usize) {
        self.state.clone_from(&rig.state);
        make_room(&mut self.values, n_unknowns);
    }
}

impl RigRun {
    /// Makes the present pose the one that least squares goes on from.
    pub(super) fn settle_least_squares(&mut self) {
        let least = &mut self.least;
        if !core::mem::replace(&mut least.is_prepared, true) {
            least.system.prepare(&self.rig);
            least.pulls_level = 0;
            least.list_ranges(&self.rig);
            least.step.list_stiffness(&self.rig, &least.system);
            least.reserve(&self.rig);
        }
        least.step.values.clear();
        read_values(&least.system, &self.rig, &mut least.step.values);
        if self.begun == self.rig.state {
            least.begun_values.clone_from(&least.step.values);
        } else {
            core::mem::swap(&mut self.rig.state, &mut self.begun);
            least.begun_values.clear();
            read_values(&least.system, &self.rig, &mut least.begun_values);
            core::mem::swap(&mut self.rig.state, &mut self.begun);
        }
        self.descend_anew();
    }

    /// Starts over from the present pose, whose values least squares knows.
    pub(super) fn descend_anew(&mut self) {
        let least = &mut self.least;
        least.levels.start_over();
        least.n_demands = least.n_first;
        least.list_pulls(&self.rig, &self.begun, 1);
        let merit = least.measure(&self.rig);
        (least.damping, least.is_curved) = (1e-3 * merit, false);
        least.step.thaw();
        least.patience = 0;
    }

    /// Least squares on the first level until it is met or nothing helps; returns the steps taken.
    pub(super) fn least_squares(&mut self, steps: u32, until: Until) -> u32 {
        self.settle_least_squares();
        let (mut taken, mut milestone) = (0, self.least.merit);
        let unit = self.rig.unit();
        // Where misses stay, the model overshoots and damping has to find its level; where they vanish, it can vanish too.
        let ease = if until == Until::AtRest { 3.0 } else { 10.0 };
        self.least.mixes = until == Until::AtRest;
        self.least.mixer.forget();
        let (stride, part) = match until {
            Until::Hopeless => (STEPS_TO_HALVE, 0.5),
            Until::Doubtful => (DOUBTFUL_STEPS, DOUBTFUL_PART),
            Until::AtRest => (u32::MAX, 1.0),
        };
        while taken < steps && !self.is_there() {
            let merit = self.least.merit;
            if taken % stride == stride - 1 {
                if merit > (part * milestone).max(CLOSE * unit * unit) {
                    break;
                }
                milestone = merit;
            }
            taken += 1;
            match self.least.descend(&mut self.rig, ease) {
                Outcome::AtRest => break,
                Outcome::Better(before) => {
                    if until == Until::AtRest && self.least.merit >= STANDSTILL * before {
                        break;
                    }
                }
                Outcome::Worse => {}
            }
        }
        if until == Until::AtRest {
            self.least.step.damp_alike();
        }
        taken
    }

    /// One iteration of the method: a step that helps, if there is one.
    pub(super) fn iterate_least_squares(&mut self) {
        self.least.mixes = false;
        for _ in 0..TRIES {
            if self.least.descend(&mut self.rig, 10.0) != Outcome::Worse {
                break;
            }
        }
    }
}

impl LeastSquares {
    /// Takes over the limits, and the demands of the first level.
    fn list_ranges(&mut self, rig: &Rig) {
        let levels = self.system.order.iter().map(|&k| rig.demands[k].level);
        self.n_first = levels.take_while(|&level| level == 1).count();
        const OPEN: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);
        let ranges = &mut self.step.ranges;
        ranges.clear();
        ranges.resize(self.system.n_unknowns, OPEN);
        for block in self.system.blocks.iter().filter(|block| block.motion == Motion::Variable) {
            // What turns freely is brought into its range when it is written.
            if !rig.turns_freely(block.node) {
                ranges[block.first] = rig.variable_range(block.node);
            }
        }
    }

    /// Writes the joint values of the nodes.
    pub(super) fn write_values(&self, rig: &Rig, q: &mut [f64]) {
        for block in &self.system.blocks {
            let node = &rig.nodes[block.node];
            let values = &mut q[node.values.clone()];
            let turn = rig.state[block.node].rotation;
            match block.motion {
                Motion::Variable => {
                    let value = node.gain * self.step.values[block.first] + node.bias;
                    values[0] = rig.brought_inside(node, value, values[0]);
                }
                Motion::Turn if values.len() == 4 => turn.write_to_slice(values),
                Motion::Turn => turn.write_to_slice(&mut values[3..]),
                Motion::Shift => {
                    (rig.state[block.node].translation / rig.scale).write_to_slice(values);
                }
            }
        }
    }

    /// The present values become those to change least, and those that returned angles are nearest to.
    pub(super) fn remember_start(&mut self, rig: &mut Rig) {
        if !self.is_prepared {
            return;
        }
        self.begun_values.clone_from(&self.step.values);
        for block in self.system.blocks.iter().filter(|b| b.motion == Motion::Variable) {
            let node = &rig.nodes[block.node];
            if rig.turns_freely(block.node) {
                rig.start[node.values.start] = self.step.values[block.first];
            }
        }
    }

    /// A posture may have changed.
    pub(super) fn forget_pulls(&mut self) {
        self.pulls_level = 0;
    }

    /// Makes room for all rows and unknowns at once, so that no later step allocates.
    fn reserve(&mut self, rig: &Rig) {
        let (m, n) = (self.system.n_rows, self.system.n_unknowns);
        for list in [&mut self.kept_misses, &mut self.wishes] {
            make_room(list, m);
        }
        for list in [&mut self.bend, &mut self.begun_values] {
            make_room(list, n);
        }
        self.kept.reserve(rig, n);
        let postures = rig.demands.iter().filter(|demand| demand.is_pull()).count();
        make_room(&mut self.pulls, (1 + postures) * self.system.blocks.len());
        self.levels.reserve(m, n, rig);
        self.mixer.reserve(n);
        self.step.reserve(&self.system);
    }

    /// The sum of squares in the present pose.
    pub(super) fn merit(&self) -> f64 {
        self.merit
    }

    /// Finds misses and pulls in the present pose; returns the sum of squares.
    fn measure(&mut self, rig: &Rig) -> f64 {
        self.system.measure(rig, self.n_demands);
        self.aim_pulls(rig);
        self.merit = self.sum_of_squares(0);
        self.merit
    }

    /// Sum of squares of the rows from `first` on and of the pulls.
    fn sum_of_squares(&self, first: usize) -> f64 {
        let rows = self.system.rows[first..].iter().zip(&self.system.misses[first..]);
        let counted = rows.map(|(row, &miss)| if row.is_floor { miss.max(0.0) } else { miss });
        let misses: f64 = counted.map(|miss| miss * miss).sum();
        let pulls = self.step.pull.iter().zip(&self.step.toward);
        misses + pulls.map(|(pull, by)| pull * by * by).sum::<f64>()
    }

    /// One damped step on the first level, taken back unless it helps.
    fn descend(&mut self, rig: &mut Rig, ease: f64) -> Outcome {
        let unit = rig.unit();
        if !self.solve_for_arm(rig) {
            self.system.differentiate(rig);
            if self.mixes {
                self.step.share_damping(&self.system);
            }
            if !self.step.solve(rig, &self.system, &self.system.misses, 0, self.damping) {
                return Outcome::AtRest;
            }
            if self.step.longest() <= RESTLESS && self.is_at_rest(REST * unit) {
                return Outcome::AtRest;
            }
        }
        self.keep(rig);
        let is_mixed = self.mixes && self.step.scale >= 1.0 && self.step.mix(&mut self.mixer);
        if !is_mixed && self.is_curved && self.step.scale >= 1.0 && self.step.can_solve_again() {
            self.bend(rig);
        }
        self.apply(rig, self.step.scale);
        if self.mixes {
            self.mixer.remember(&self.step.x, self.step.scale);
        }
        let before = self.merit;
        if self.measure(rig) < before {
            self.ease(ease.recip(), LEAST_DAMPING * unit * unit);
            return Outcome::Better(before);
        }
        self.recall(rig);
        self.measure(rig);
        if self.step.longest() <= ROUNDING_STEP {
            return Outcome::AtRest;
        }
        self.harden(is_mixed, ease, FIRST_DAMPING * unit * unit);
        Outcome::Worse
    }

    /// A step has helped: less damping, but where steps are mixed and one has failed lately not at once, because only steps of one
    /// damping can be mixed.
    fn ease(&mut self, by: f64, least: f64) {
        self.patience = self.patience.saturating_sub(1);
        if self.patience == 0 {
            self.damping = (by * self.damping).max(least);
        }
    }

    /// A step has failed: a plain one asks for more damping, a mixed one is tried again without the mix.
    fn harden(&mut self, is_mixed: bool, by: f64, least: f64) {
        self.mixer.forget();
        if !is_mixed {
            self.damping = (by * self.damping).max(least);
            self.is_curved = true;
            self.patience = if self.mixes { PATIENCE } else { 0 };
        }
    }

    fn keep(&mut self, rig: &Rig) {
        self.kept.take(rig, &self.step.values);
    }

    /// Returns to the values kept, where the state is put back by someone else.
    fn put_values_back(&mut self) {
        self.step.values.clone_from(&self.kept.values);
    }

    fn recall(&mut self, rig: &mut Rig) {
        self.kept.put_back(rig, &mut self.step.values);
    }

    /// Moves the pose along a part of the step.
    fn apply(&mut self, rig: &mut Rig, part: f64) {
        for block in &self.system.blocks {
            let i = block.first;
            match block.motion {
                Motion::Variable => {
                    let (min, max) = self.step.ranges[i];
                    let value = (self.step.values[i] + self.step.x[i] * part).clamp(min, max);
                    self.step.values[i] = value;
                    rig.set_variable(block.node, value);
                }
                Motion::Turn => {
                    let turn = DVec3::from_slice(&self.step.x[block.range()]) * part;
                    rig.rotate_ball(block.node, so3_exp(rig.before(block.node).conjugate() * turn));
                }
                Motion::Shift => {
                    let shift = DVec3::from_slice(&self.step.x[block.range()]) * part;
                    let i = block.node;
                    let in_node = rig.before(i).conjugate() * shift;
                    rig.state[i].translation += in_node;
                }
            }
        }
        rig.update();
    }

    /// Bends the step along the valley that the goals are met in: geodesic acceleration \[transtrum12\].
    ///
    /// Near a singular pose the valley is narrow and curved and the straight step runs into its side. A probe a little way
    /// along the step shows by how much the effectors leave the tangent; half of that, solved for with the factor at hand, is taken
    /// back.
    fn bend(&mut self, rig: &mut Rig) {
        self.kept_misses.clone_from(&self.system.misses);
        self.apply(rig, PROBE);
        self.system.measure(rig, self.n_demands);
        self.recall(rig);
        core::mem::swap(&mut self.kept_misses, &mut self.system.misses);
        // The effectors' second derivative along the step is 2 (e − h J Δq − e(h)) / h².
        let (system, leaves) = (&self.system, &mut self.kept_misses);
        leaves.iter_mut().zip(&system.misses).for_each(|(at, e)| *at -= e);
        add_product(system, &system.jacobian, &self.step.x, PROBE, leaves);
        leaves.iter_mut().for_each(|leaves| *leaves /= PROBE * PROBE);
        self.step.solve_again(system, leaves, &mut self.bend);
        let (size, straight) = (dot(&self.bend, &self.bend), dot(&self.step.x, &self.step.x));
        if size <= LARGEST_BEND * LARGEST_BEND * straight {
            for (x, by) in self.step.x.iter_mut().zip(&self.bend) {
                *x += by;
            }
        }
    }

    /// True when no joint is pushed: `|Jᵀ e|` is nothing beside `|e|`.
    fn is_at_rest(&mut self, least: f64) -> bool {
        self.push_on_joints();
        let push: f64 = self.bend.iter().map(|x| x * x).sum();
        push <= least * least * self.merit
    }

    /// `Jᵀ e` and the pulls, into `bend`: which way each unknown would go.
    fn push_on_joints(&mut self) {
        self.bend.clear();
        self.bend.extend(self.step.pull.iter().zip(&self.step.toward).map(|(pull, by)| pull * by));
        let system = &self.system;
        let counts = |r: usize| !system.rows[r].is_floor || system.misses[r] > 0.0;
        self.kept_misses.clear();
        self.kept_misses.extend(
            (0..system.misses.len()).map(|r| if counts(r) { system.misses[r] } else { 0.0 }),
        );
        add_transposed(system, &system.jacobian, &self.kept_misses, &mut self.bend);
    }
}

/// Values of the one-value unknowns in the present state; 0 for the others.
fn read_values(system: &System, rig: &Rig, out: &mut Vec<f64>) {
    for block in &system.blocks {
        match block.motion {
            Motion::Variable => out.push(rig.variable_value(block.node)),
            Motion::Turn | Motion::Shift => out.extend([0.0; 3]),
        }
    }
}
