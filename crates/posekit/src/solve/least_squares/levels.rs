//! Levels: what one leaves free belongs to the next, and in the end to the least change.
//!
//! When the first level is done, its rows turn hard: a step for the next level keeps them as they are, to first order, and what the second
//! order breaks is mended before the step is judged. A step that cannot be mended is taken back, so a lower level never
//! disturbs a higher one. Rows that are met are held at their targets, the others where they ended.

use super::super::demand::{Block, Demand, Motion, make_room};
use super::super::rig::{Kind, Rig};
use super::super::rig_run::RigRun;
use super::columns::add_product;
use super::{LeastSquares, Snapshot};
use crate::math::{Pose, so3_log, wrap_angle};
use crate::task::{Task, TaskKind};
use glam::{DQuat, DVec3};

/// Steps of one level, those that are taken back included.
const STEPS: u32 = 100;

/// Steps taken back in a row after which a level is as good as it gets.
const TRIES: u32 = 20;

/// Mends after a step, at most.
const MENDS: u32 = 4;

/// Damping of a mend, relative to the square of the reach: rounding, squared.
const MEND_DAMPING: f64 = 1e-14;

/// Rows of higher levels are held to this part of the reach.
const HELD: f64 = 1e-11;

/// A level is done when a step is this short \[rad, or the reach\], or leaves this part of the sum of squares; the least change already when a
/// step is this part of the change.
const SHORT: f64 = 1e-9;
const STANDSTILL: f64 = 1.0 - 1e-11;
const LITTLE: f64 = 1e-6;

/// Damping of a level's first step, and the least, relative to the square of the reach: next to nothing.
const FIRST_DAMPING: f64 = 1e-6;
const LEAST_DAMPING: f64 = 1e-12;

/// Damping of a level's first step at most, relative to the weakest pull.
const BESIDE_PULLS: f64 = 1e-3;

/// What stands in for the level of the least change, below all that tasks can have.
const LEAST_CHANGE: u8 = Task::LOWEST_LEVEL + 1;

/// Where the levels after the first stand.
#[derive(Debug, Clone, Default)]
pub(in super::super) struct Levels {
    /// The level under way; 0 before any has begun.
    level: u8,
    steps: u32,
    /// Steps taken back in a row.
    rejected: u32,
    n_hard: usize,
    /// Misses at which hard rows are held.
    held: Vec<f64>,
    /// How far the rows of each level that is done are off, now, before and at the start of a step.
    strains: Vec<f64>,
    before: Vec<f64>,
    at_start: Vec<f64>,
    /// The pose before a mend.
    unmended: Snapshot,
    /// Zeros, for mends.
    no_pull: Vec<f64>,
    is_done: bool,
}

impl Levels {
    pub(in super::super) fn start_over(&mut self) {
        (self.level, self.is_done) = (0, false);
    }

    fn worst(&self) -> f64 {
        self.strains.iter().copied().fold(0.0, f64::max)
    }

    pub(super) fn reserve(&mut self, n_rows: usize, n_unknowns: usize, rig: &Rig) {
        for list in [&mut self.held, &mut self.strains, &mut self.before, &mut self.at_start] {
            make_room(list, n_rows);
        }
        self.unmended.reserve(rig, n_unknowns);
        self.no_pull.clear();
        self.no_pull.resize(n_unknowns, 0.0);
    }
}

impl RigRun {
    /// One step of the levels after the first; false when there is nothing left to do.
    pub(in super::super) fn refine_levels(&mut self) -> bool {
        if self.least.levels.is_done {
            return false;
        }
        if self.least.levels.level == 0 {
            self.settle_least_squares();
            self.next_level();
        }
        while !self.least.levels.is_done {
            if self.least.levels.steps < STEPS && self.least.refine(&mut self.rig) {
                self.forget_points();
                return true;
            }
            self.next_level();
        }
        self.forget_points();
        false
    }

    /// Turns the rows of the level that has ended hard and goes on to the next.
    fn next_level(&mut self) {
        let tolerance = (self.rig.distance_tolerance, self.rig.angle_tolerance);
        let (least, rig) = (&mut self.least, &mut self.rig);
        if least.levels.level == 0 {
            // The first level has been solved for its rows. Where something pulls, there is more to do.
            least.begin_levels();
        } else {
            least.hold(rig, tolerance);
        }
        if least.levels.level == 0 && !least.has_pulls(rig, 1) {
            least.levels.level = 1;
            least.hold(rig, tolerance);
        }
        let now = least.levels.level;
        let later = rig.demands.iter().filter(|d| d.weight > 0.0 && d.level > now);
        least.levels.level = match later.map(|demand| demand.level).min() {
            Some(level) => level,
            None if now != LEAST_CHANGE && self.wants_least_change => LEAST_CHANGE,
            None => {
                least.levels.is_done = true;
                return;
            }
        };
        least.start_level(rig, &self.begun);
    }
}

impl LeastSquares {
    /// Nothing is held yet.
    fn begin_levels(&mut self) {
        self.levels.held.clear();
        self.levels.n_hard = 0;
        self.step.thaw();
    }

    /// Whether anything but rows counts at a level.
    fn has_pulls(&self, rig: &Rig, level: u8) -> bool {
        rig.regularisation > 0.0
            || rig.demands.iter().any(|demand| demand.is_pull() && demand.level == level)
    }

    /// Holds all rows that are there: at their targets where these are met, and then to rounding, else where they are.
    fn hold(&mut self, rig: &mut Rig, tolerance: (f64, f64)) {
        self.hold_here(rig, tolerance);
        self.mend(rig);
        self.hold_here(rig, tolerance);
        // What was pulled somewhere has found its place among all that was free.
        if self.has_pulls(rig, self.levels.level) {
            self.step.freeze_pulled();
        }
    }

    fn hold_here(&mut self, rig: &Rig, (distance, angle): (f64, f64)) {
        self.system.measure(rig, self.n_demands);
        let rows = self.system.rows.iter().zip(&self.system.misses);
        self.levels.held.clear();
        self.levels.held.extend(rows.map(|(row, miss)| {
            let is_met = row.counted().abs() <= if row.is_length() { distance } else { angle };
            if is_met { 0.0 } else { *miss }
        }));
        self.levels.n_hard = self.levels.held.len();
    }

    fn start_level(&mut self, rig: &Rig, begun: &[Pose]) {
        let level = self.levels.level;
        let included = self.system.order.iter().take_while(|&&k| rig.demands[k].level <= level);
        self.n_demands = included.count();
        (self.levels.steps, self.levels.rejected) = (0, 0);
        self.mixer.forget();
        (self.mixes, self.patience) = (true, 0);
        self.list_pulls(rig, begun, level);
        self.measure_level(rig);
        // Pulls are damping enough for what they pull at; more would only slow them down.
        let pulls = self.step.pull.iter().filter(|pull| **pull > 0.0);
        let weakest = pulls.fold(f64::INFINITY, |least: f64, pull| least.min(*pull));
        self.damping = (FIRST_DAMPING * rig.unit() * rig.unit()).min(BESIDE_PULLS * weakest);
    }

    fn measure_level(&mut self, rig: &Rig) -> f64 {
        self.system.measure(rig, self.n_demands);
        // A floor that a level has left broken is held there, as any other row is.
        for (row, held) in self.system.rows.iter_mut().zip(&self.levels.held) {
            row.is_floor &= *held <= 0.0;
        }
        self.aim_pulls(rig);
        self.merit = self.sum_of_squares(self.levels.n_hard);
        self.merit
    }

    /// What is asked of every row: of a hard one, to come back to where it is held.
    fn gather_wishes(&mut self) {
        let held = &self.levels.held;
        self.wishes.clear();
        self.wishes.extend(
            self.system
                .misses
                .iter()
                .enumerate()
                .map(|(r, miss)| miss - held.get(r).unwrap_or(&0.0)),
        );
    }

    /// How far the rows that are held are from where they are held, the worst of each level that is done, into `strains`; returns the worst of
    /// all.
    fn strain(&mut self, rig: &Rig) -> f64 {
        let (system, levels) = (&self.system, &mut self.levels);
        levels.strains.clear();
        let (mut worst, mut level) = (0.0, None);
        for group in system.groups.iter().filter(|group| group.rows.end <= levels.n_hard) {
            let of_group = rig.demands[group.demand].level;
            if level != Some(of_group) {
                level = Some(of_group);
                levels.strains.push(0.0);
            }
            for r in group.rows.clone() {
                let off = system.misses[r] - levels.held[r];
                let off = if system.rows[r].is_floor { off.max(0.0) } else { off.abs() };
                if let Some(last) = levels.strains.last_mut() {
                    *last = f64::max(*last, off);
                }
                worst = f64::max(worst, off);
            }
        }
        worst
    }

    /// Measures the strain again; whether no level that is done is worse off than before by more than rounding.
    fn holds(&mut self, rig: &Rig) -> bool {
        let mut before = core::mem::take(&mut self.levels.before);
        before.clone_from(&self.levels.strains);
        self.strain(rig);
        let enough = HELD * rig.unit();
        let holds =
            self.levels.strains.iter().zip(&before).all(|(now, then)| *now <= enough.max(*then));
        self.levels.before = before;
        holds
    }

    /// One step of the present level; false when it is done.
    fn refine(&mut self, rig: &mut Rig) -> bool {
        self.levels.steps += 1;
        self.system.differentiate(rig);
        self.gather_wishes();
        let n_hard = self.levels.n_hard;
        if !self.step.solve(rig, &self.system, &self.wishes, n_hard, self.damping) {
            return false;
        }
        let (strain, before, enough) = (self.strain(rig), self.merit, HELD * rig.unit());
        self.levels.at_start.clone_from(&self.levels.strains);
        if strain <= enough && self.is_short() {
            return false;
        }
        let is_mixed = self.step.scale >= 1.0 && strain <= enough && self.step.mix(&mut self.mixer);
        self.keep(rig);
        self.apply(rig, self.step.scale);
        self.mixer.remember(&self.step.x, self.step.scale);
        self.mend(rig);
        if n_hard == 0 && self.merit >= before {
            self.straighten(rig);
        }
        // Coming back to where rows are held may cost the level something.
        let helps = self.merit < before || strain > enough;
        self.levels.strains.clone_from(&self.levels.at_start);
        if helps && self.holds(rig) {
            self.levels.rejected = 0;
            self.ease(0.1, LEAST_DAMPING * rig.unit() * rig.unit());
            return strain > enough || self.merit < STANDSTILL * before;
        }
        self.recall(rig);
        self.measure_level(rig);
        self.harden(is_mixed, 10.0, 0.0);
        self.levels.rejected += u32::from(!is_mixed);
        self.levels.rejected < TRIES
    }

    /// Takes back what the second order of a step without hard rows did to them, with the factor at hand: what pulls softly leads along a curved
    /// valley of rows that are met, whose sides are steep beside it.
    fn straighten(&mut self, rig: &mut Rig) {
        if !self.step.can_solve_again() {
            return;
        }
        // What the rows miss beyond what the first order said, e(x) − (e − J x).
        let system = &self.system;
        self.kept_misses.clear();
        self.kept_misses
            .extend(system.misses.iter().zip(&self.wishes).map(|(now, then)| now - then));
        let (x, part) = (&self.step.x, self.step.scale);
        add_product(system, &system.jacobian, x, part, &mut self.kept_misses);
        self.step.solve_again(system, &self.kept_misses, &mut self.bend);
        self.step.x.iter_mut().for_each(|x| *x *= part);
        self.step.scale = 1.0;
        core::mem::swap(&mut self.step.x, &mut self.bend);
        self.apply(rig, 1.0);
        core::mem::swap(&mut self.step.x, &mut self.bend);
        for (x, by) in self.step.x.iter_mut().zip(&self.bend) {
            *x += by;
        }
        self.mixer.remember(&self.step.x, 1.0);
        self.measure_level(rig);
    }

    /// Whether the step is next to nothing, by itself or beside the change so far.
    fn is_short(&self) -> bool {
        let longest = self.step.longest();
        let of_change: f64 = self.step.x.iter().zip(&self.step.pull).map(|(x, p)| p * x * x).sum();
        let is_little = of_change <= LITTLE * LITTLE * self.merit;
        longest <= SHORT || (!self.pulls.is_empty() && is_little)
    }

    /// Brings the rows that are held back to where they are held, by the least change, as far as that goes.
    fn mend(&mut self, rig: &mut Rig) {
        self.measure_level(rig);
        let unit = rig.unit();
        for _ in 0..MENDS {
            let before = self.strain(rig);
            if before <= 0.1 * HELD * unit {
                return;
            }
            self.system.truncate(self.levels.n_hard);
            self.system.differentiate(rig);
            self.gather_wishes();
            core::mem::swap(&mut self.step.pull, &mut self.levels.no_pull);
            // Softly, with next to no damping: rows that depend on each other then share what is left of them.
            let damping = MEND_DAMPING * unit * unit;
            let moves = self.step.solve(rig, &self.system, &self.wishes, 0, damping);
            core::mem::swap(&mut self.step.pull, &mut self.levels.no_pull);
            if !moves {
                break;
            }
            self.levels.unmended.take(rig, &self.step.values);
            self.apply(rig, self.step.scale);
            self.measure_level(rig);
            let holds = self.holds(rig);
            if !holds || self.levels.worst() >= before {
                self.levels.unmended.put_back(rig, &mut self.step.values);
                break;
            }
        }
        self.measure_level(rig);
    }

    /// Lists what pulls at a level, and where to: postures, staying at the start.
    pub(super) fn list_pulls(&mut self, rig: &Rig, begun: &[Pose], level: u8) {
        let stay = if level == LEAST_CHANGE { 1.0 } else { rig.regularisation };
        let unit = rig.unit();
        if stay == 0.0 && self.pulls_level == level {
            return;
        }
        self.pulls_level = level;
        self.pulls.clear();
        let has_postures = rig.demands.iter().any(Demand::is_pull);
        if stay == 0.0 && !has_postures {
            return;
        }
        for &block in &self.system.blocks {
            let i = block.node;
            let weight = if rig.turns(&block) { unit * unit } else { 1.0 };
            let frees = block.motion == Motion::Variable && rig.turns_freely(i);
            let mut add = |weight: f64, want: Want| {
                if weight > 0.0 {
                    self.pulls.push(Pull { block, weight, share: 1.0, want, frees });
                }
            };
            if stay > 0.0 {
                let want = rig.want_of_state(i, begun, self.begun_values[block.first]);
                add(weight * stay * rig.nodes[i].stiffness, want);
            }
            let postures = rig.demands.iter().filter(|d| d.is_pull() && d.level == level);
            for demand in postures {
                if let TaskKind::Posture(posture) = &demand.kind {
                    let care = posture.care(rig.nodes[i].joint) * demand.weight * weight;
                    add(care, rig.want_of_values(i, &posture.configuration));
                }
            }
        }
        // The pulls themselves do not change while the level lasts.
        let n = self.system.n_unknowns;
        self.step.pull.clear();
        self.step.pull.resize(n, 0.0);
        for pull in &self.pulls {
            for i in pull.block.range() {
                self.step.pull[i] += pull.weight;
            }
        }
        for pull in &mut self.pulls {
            pull.share = pull.weight / self.step.pull[pull.block.first];
        }
    }

    /// Finds where the pulls lead from the present pose: the sum of all pulls leads to their mean.
    pub(super) fn aim_pulls(&mut self, rig: &Rig) {
        let n = self.system.n_unknowns;
        let toward = &mut self.step.toward;
        toward.resize(n, 0.0);
        toward.fill(0.0);
        if self.pulls.is_empty() {
            self.step.pull.clear();
            self.step.pull.resize(n, 0.0);
            return;
        }
        for pull in &self.pulls {
            let Pull { block, share, .. } = *pull;
            if block.motion == Motion::Variable {
                let off = pull.want.value - self.step.values[block.first];
                toward[block.first] += share * if pull.frees { wrap_angle(off) } else { off };
            } else {
                let way = rig.way_to(block.node, block.motion, 0.0, pull.want) * share;
                for (toward, by) in toward[block.range()].iter_mut().zip(way.to_array()) {
                    *toward += by;
                }
            }
        }
    }
}

/// What pulls at a block of unknowns, and where to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pull {
    block: Block,
    weight: f64,
    /// Its part of all that pulls at the block.
    share: f64,
    want: Want,
    /// A hinge that goes round: the short way is taken.
    frees: bool,
}

/// Where a node should be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Want {
    /// The variable of a one-value joint.
    value: f64,
    turn: DQuat,
    slide: DVec3,
}

impl Rig {
    /// Where a node was in another state, with the value of its variable there.
    fn want_of_state(&self, i: usize, state: &[Pose], value: f64) -> Want {
        Want { value, turn: state[i].rotation, slide: state[i].translation }
    }

    /// Where a configuration has a node.
    pub(super) fn want_of_values(&self, i: usize, q: &[f64]) -> Want {
        let (mut value, mut turn, mut slide) = (0.0, DQuat::IDENTITY, DVec3::ZERO);
        match self.nodes[i].kind {
            Kind::Hinge { .. } | Kind::Slide { .. } => value = self.variable_in(i, q),
            Kind::Ball => turn = self.turn_in(i, q),
            Kind::Free => {
                turn = self.turn_in(i, q);
                slide = DVec3::from_slice(&q[self.nodes[i].values.clone()]) * self.scale;
            }
        }
        Want { value, turn, slide }
    }

    /// What the unknowns of a node's motion must change by; `value` is its variable now.
    pub(super) fn way_to(&self, i: usize, motion: Motion, value: f64, want: Want) -> DVec3 {
        let in_node = match motion {
            Motion::Variable => return DVec3::X * (want.value - value),
            Motion::Turn => so3_log(want.turn * self.state[i].rotation.conjugate()),
            Motion::Shift => want.slide - self.state[i].translation,
        };
        self.before(i) * in_node
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{Method, Settings};
    use super::*;
    use crate::math::rotation_about;
    use crate::skeleton::{Joint, Limit, Mimic, Skeleton};
    use crate::task::{Posture, Task};

    /// A joint of every kind, and one that follows another.
    fn figure() -> Skeleton {
        let placed = Pose::new(rotation_about(DVec3::Y, 0.6), DVec3::new(0.3, 0.1, -0.2));
        let range = Limit::Range { min: -2.0, max: 2.0 };
        let mimic = Mimic { joint: 2, multiplier: -1.7, offset: 0.2 };
        let kinds = [
            Joint::free("hips"),
            Joint::ball("spine"),
            Joint::revolute("knee", DVec3::new(0.6, 0.8, 0.0)).with_limit(range),
            Joint::revolute("wheel", DVec3::Z),
            Joint::prismatic("rail", DVec3::X),
            Joint::revolute("follower", DVec3::X).with_mimic(mimic),
        ];
        let joints = kinds
            .into_iter()
            .enumerate()
            .map(|(i, joint)| if i == 0 { joint } else { joint.child_of(i - 1).at(placed) });
        Skeleton::try_new(joints.collect()).expect("the figure is valid")
    }

    /// A configuration; `k` tells one from another.
    fn pose(skeleton: &Skeleton, k: f64) -> Vec<f64> {
        let mut q = skeleton.neutral();
        q[..3].copy_from_slice(&[0.2 * k, -0.1, 0.3 - 0.1 * k]);
        rotation_about(DVec3::new(0.36, 0.48, 0.8), 0.5 * k).write_to_slice(&mut q[3..7]);
        rotation_about(DVec3::new(0.8, -0.6, 0.0), 0.3 - k).write_to_slice(&mut q[7..11]);
        // The short way from one to the other leads across the turn.
        q[11..14].copy_from_slice(&[0.4 * k, 2.4 * k, -0.3 * k]);
        skeleton.settle(&mut q);
        q
    }

    fn begun(skeleton: &Skeleton, start: &[f64], posture: &Posture) -> RigRun {
        let task = Task::new(posture.clone()).weighing(0.3);
        let mut run = RigRun::default();
        run.begin(skeleton, start, &[task], Method::LeastSquares, &Settings::default());
        run.settle_least_squares();
        run
    }

    /// A posture pulls the way, and as hard, as its sum of squares falls: compares the pulls with central differences.
    #[test]
    fn pulls_are_the_gradient_of_a_posture() {
        const H: f64 = 1e-5;
        let skeleton = figure();
        for (from, to) in [(0.7, -1.2), (-1.2, 0.7), (1.3, 1.1), (0.5, 0.5)] {
            let (start, wanted) = (pose(&skeleton, from), pose(&skeleton, to));
            let posture = Posture::new(wanted).caring([1.0, 0.4, 2.0, 0.7, 3.0, 1.0]);
            let mut run = begun(&skeleton, &start, &posture);
            let (least, rig) = (&mut run.least, &mut run.rig);
            least.push_on_joints();
            let told = least.bend.clone();
            assert_eq!(told.len(), skeleton.n_dofs(), "one for each degree of freedom");
            for (i, told) in told.into_iter().enumerate() {
                let mut moved = |h: f64| {
                    least.keep(rig);
                    least.step.x.clear();
                    least.step.x.resize(least.system.n_unknowns, 0.0);
                    least.step.x[i] = h;
                    least.apply(rig, 1.0);
                    let merit = least.measure(rig);
                    least.recall(rig);
                    merit
                };
                // Half of it, since the squares are not halved.
                let slope = 0.5 * (moved(-H) - moved(H)) / (2.0 * H);
                assert!((slope - told).abs() < 1e-8, "{from} to {to}, {i}: {slope} {told}");
            }
        }
    }

    /// What a posture says is missing is all that is: a step by it leaves none of its miss, and each joint that does not care where it is.
    #[test]
    fn a_posture_is_where_its_pulls_lead() {
        let skeleton = figure();
        let (start, wanted) = (pose(&skeleton, 0.7), pose(&skeleton, -1.2));
        for careless in 0..5 {
            let mut cares = [1.0, 0.4, 2.0, 0.7, 3.0, 0.0];
            cares[careless] = 0.0;
            let posture = Posture::new(wanted.clone()).caring(cares);
            let mut run = begun(&skeleton, &start, &posture);
            let (least, rig) = (&mut run.least, &mut run.rig);
            least.step.x.clone_from(&least.step.toward);
            least.apply(rig, 1.0);
            let mut q = start.clone();
            least.write_values(rig, &mut q);
            let miss = Task::new(posture.clone()).miss(&skeleton, &q);
            assert!(miss.distance < 1e-12 && miss.angle < 1e-12, "{careless}: {miss:?}");
            assert!(Task::new(posture).miss(&skeleton, &start).angle > 0.5, "was far");
            let values = skeleton.value_range(careless);
            let stays = q[values.clone()].iter().zip(&start[values]);
            assert!(stays.fold(0.0, |m: f64, (a, b)| m.max((a - b).abs())) < 1e-15, "{careless}");
        }
    }
}
