//! Tasks as least squares sees them: rows of misses and how the joints change them.
//!
//! A task speaks about frames; a row of it says how its value changes when a frame moves (a wrench). A joint moves every frame
//! below it like a rigid body, so an element of the Jacobian is the wrench times the frame's velocity at unit speed of the
//! joint. Which joints those are is listed once per solve, as a path from the root.

use super::rig::{BASE, Kind, Rig};
use crate::math::Pose;
use crate::task::{Miss, Row, Task, TaskKind, Unit, Wrench};
use core::ops::Range;
use glam::DVec3;

/// A frame on the node that carries it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Carrier {
    pub(super) node: usize,
    pub(super) node_from_frame: Pose,
}

impl Carrier {
    /// The world's own frame.
    pub(super) const WORLD: Self = Self { node: BASE, node_from_frame: Pose::IDENTITY };
}

/// A task, its lengths in units of the run.
#[derive(Debug, Clone)]
pub(super) struct Demand {
    pub(super) kind: TaskKind,
    pub(super) carriers: [Carrier; 2],
    /// Its part of [`Rig::bodies`].
    pub(super) bodies: Range<usize>,
    pub(super) weight: f64,
    pub(super) level: u8,
    /// By how much a posture is missed by joints that do not move.
    pub(super) still: Miss,
}

impl Demand {
    pub(super) fn new(task: &Task, carriers: [Carrier; 2], bodies: Range<usize>) -> Self {
        let Task { kind, weight, level } = task.clone();
        Self { kind, carriers, bodies, weight, level, still: Miss::default() }
    }

    /// Multiplies all lengths.
    pub(super) fn scale(&mut self, by: f64) {
        self.kind.scale(by);
        for carrier in &mut self.carriers {
            carrier.node_from_frame.translation *= by;
        }
    }

    /// The largest length in it.
    pub(super) fn largest_length(&self) -> f64 {
        let offsets = self.carriers.iter().map(|carrier| carrier.node_from_frame.translation);
        offsets.fold(self.kind.largest_length(), |m, offset| m.max(offset.abs().max_element()))
    }

    /// Moves the target of a position, or of a pose's position.
    pub(super) fn set_position(&mut self, target: DVec3) {
        match &mut self.kind {
            TaskKind::Position(task) => task.target_in_world = target,
            TaskKind::Pose(task) => task.world_from_target.translation = target,
            _ => {}
        }
    }

    /// Whether the status waits for it.
    pub(super) fn is_required(&self) -> bool {
        self.level == 1 && self.weight > 0.0 && !matches!(self.kind, TaskKind::Posture(_))
    }

    /// Whether it pulls on joints and has no rows.
    pub(super) fn is_pull(&self) -> bool {
        self.weight > 0.0 && matches!(self.kind, TaskKind::Posture(_))
    }
}

/// What moves with one unknown, or with the three of a turn or a shift.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Motion {
    /// The variable of a one-value joint, and of all that share it.
    Variable,
    /// A rotation vector, in world axes.
    Turn,
    /// A translation, in world axes.
    Shift,
}

/// A block of unknowns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    pub(super) node: usize,
    pub(super) motion: Motion,
    /// The first unknown; there are one or three.
    pub(super) first: usize,
}

impl Block {
    pub(super) fn size(&self) -> usize {
        if self.motion == Motion::Variable { 1 } else { 3 }
    }

    pub(super) fn range(&self) -> Range<usize> {
        self.first..self.first + self.size()
    }
}

/// A node on the way from the root to a task's frames.
#[derive(Debug, Clone, Copy)]
struct Step {
    node: usize,
    block: usize,
    /// Which of the two frames it moves.
    moves: [bool; 2],
}

/// What a solve's rows and unknowns are, found once; and their values, found every iteration.
#[derive(Debug, Clone, Default)]
pub(super) struct System {
    pub(super) blocks: Vec<Block>,
    pub(super) n_unknowns: usize,
    /// Rows of all demands together.
    pub(super) n_rows: usize,
    steps: Vec<Step>,
    /// Steps of each demand.
    paths: Vec<Range<usize>>,
    /// Ranges of unknowns that a demand's rows touch, ascending.
    runs: Vec<Range<usize>>,
    runs_of: Vec<Range<usize>>,
    /// Demands by level, those of weight 0 and postures left out.
    pub(super) order: Vec<usize>,
    /// How many of these were measured last.
    n_measured: usize,
    pub(super) rows: Vec<Row>,
    /// The demand of each row.
    pub(super) row_demand: Vec<usize>,
    /// `rows × unknowns`, row after row, weighted, like the misses: how values grow.
    pub(super) jacobian: Vec<f64>,
    /// Weighted misses, positive ones of floors included whatever their sign.
    pub(super) misses: Vec<f64>,
    /// Mass and mass × centre of what each node carries.
    carried: Vec<(f64, DVec3)>,
    block_of_node: Vec<[usize; 2]>,
    by_level: Vec<(u8, usize)>,
}

impl System {
    /// Lists unknowns and paths.
    pub(super) fn prepare(&mut self, rig: &Rig) {
        self.list_blocks(rig);
        self.order.clear();
        self.order.extend((0..rig.demands.len()).filter(|&k| {
            rig.demands[k].weight > 0.0 && !matches!(rig.demands[k].kind, TaskKind::Posture(_))
        }));
        self.order.sort_by_key(|&k| rig.demands[k].level);
        self.steps.clear();
        self.paths.clear();
        self.runs.clear();
        self.runs_of.clear();
        for demand in &rig.demands {
            let first = self.steps.len();
            if demand.bodies.is_empty() {
                let [a, b] = demand.carriers.map(|carrier| carrier.node);
                self.add_path(rig, a, b);
            } else {
                for body in demand.bodies.clone() {
                    self.add_path(rig, rig.bodies[body].0.node, BASE);
                }
            }
            self.steps[first..].sort_unstable_by_key(|step| (step.node, step.block));
            let steps = &mut self.steps;
            let mut kept = first;
            for k in first..steps.len() {
                if kept > first
                    && steps[kept - 1].node == steps[k].node
                    && steps[kept - 1].block == steps[k].block
                {
                    let moves = steps[k].moves;
                    let last = &mut steps[kept - 1].moves;
                    *last = [last[0] | moves[0], last[1] | moves[1]];
                } else {
                    steps[kept] = steps[k];
                    kept += 1;
                }
            }
            steps.truncate(kept);
            self.paths.push(first..kept);
            self.add_runs(first);
        }
        self.measure(rig, self.order.len());
        self.n_rows = self.rows.len();
        self.jacobian.reserve(self.n_rows * self.n_unknowns);
        self.truncate(0);
    }

    /// Unknowns of the joints that the first level moves come first, then those that the second adds, and so on: what a level does is then
    /// the same to the last bit whatever the levels below it ask for.
    fn list_blocks(&mut self, rig: &Rig) {
        self.list_node_levels(rig);
        self.blocks.clear();
        self.block_of_node.clear();
        self.block_of_node.resize(rig.nodes.len(), [BASE; 2]);
        self.n_unknowns = 0;
        for place in 0..rig.nodes.len() {
            let i = self.by_level[place].1;
            let motions: &[Motion] = match rig.nodes[i].kind {
                Kind::Hinge { .. } | Kind::Slide { .. } => &[Motion::Variable],
                Kind::Ball => &[Motion::Turn],
                Kind::Free => &[Motion::Turn, Motion::Shift],
            };
            let leader = if rig.is_alone(i) { i } else { rig.leader(i) };
            for (k, &motion) in motions.iter().enumerate() {
                if leader == i {
                    self.block_of_node[i][k] = self.blocks.len();
                    let block = Block { node: i, motion, first: self.n_unknowns };
                    self.n_unknowns += block.size();
                    self.blocks.push(block);
                }
            }
        }
        for i in (0..rig.nodes.len()).filter(|&i| !rig.is_alone(i)) {
            self.block_of_node[i] = self.block_of_node[rig.leader(i)];
        }
    }

    /// The most important level that moves each node, with the node, in order.
    fn list_node_levels(&mut self, rig: &Rig) {
        self.by_level.clear();
        self.by_level.extend((0..rig.nodes.len()).map(|i| (u8::MAX, i)));
        for demand in rig.demands.iter().filter(|demand| demand.weight > 0.0) {
            let bodies = rig.bodies[demand.bodies.clone()].iter().map(|(carrier, _)| carrier);
            for carrier in demand.carriers.iter().chain(bodies) {
                let mut node = carrier.node;
                while node != BASE {
                    self.by_level[node].0 = self.by_level[node].0.min(demand.level);
                    node = rig.nodes[node].parent;
                }
            }
            if let TaskKind::Posture(posture) = &demand.kind {
                for (level, i) in &mut self.by_level {
                    if posture.cares_for(rig.nodes[*i].joint) {
                        *level = (*level).min(demand.level);
                    }
                }
            }
        }
        self.by_level.sort_unstable();
    }

    fn add_path(&mut self, rig: &Rig, a: usize, b: usize) {
        for (side, start) in [a, b].into_iter().enumerate() {
            let mut node = start;
            while node != BASE {
                for block in self.block_of_node[node].into_iter().filter(|&block| block != BASE) {
                    self.steps.push(Step { node, block, moves: [side == 0, side == 1] });
                }
                node = rig.nodes[node].parent;
            }
        }
    }

    fn add_runs(&mut self, first_step: usize) {
        let first = self.runs.len();
        self.runs.extend(self.steps[first_step..].iter().map(|s| self.blocks[s.block].range()));
        self.runs[first..].sort_unstable_by_key(|run| run.start);
        let mut kept = first;
        for k in first..self.runs.len() {
            let run = self.runs[k].clone();
            if kept > first && run.start <= self.runs[kept - 1].end {
                self.runs[kept - 1].end = self.runs[kept - 1].end.max(run.end);
            } else {
                self.runs[kept] = run;
                kept += 1;
            }
        }
        self.runs.truncate(kept);
        self.runs_of.push(first..kept);
    }

    /// The demands that were measured last.
    pub(super) fn measured(&self) -> &[usize] {
        &self.order[..self.n_measured]
    }

    /// Nodes that move a demand's frames.
    pub(super) fn nodes_on_path(&self, demand: usize) -> impl Iterator<Item = usize> + '_ {
        self.steps[self.paths[demand].clone()].iter().map(|step| step.node)
    }

    /// Unknowns that the rows of a demand touch.
    pub(super) fn runs(&self, demand: usize) -> &[Range<usize>] {
        &self.runs[self.runs_of[demand].clone()]
    }

    /// Finds the rows of the first `n_demands` of [`order`](Self::order) and their weighted misses.
    pub(super) fn measure(&mut self, rig: &Rig, n_demands: usize) {
        self.rows.clear();
        self.row_demand.clear();
        self.misses.clear();
        self.n_measured = n_demands;
        for &k in &self.order[..n_demands] {
            let demand = &rig.demands[k];
            demand.kind.rows(&rig.frames_of(demand), &mut self.rows);
            self.row_demand.resize(self.rows.len(), k);
            let weight = demand.weight.sqrt();
            for row in &mut self.rows[self.misses.len()..] {
                let by = if row.unit == Unit::Length { weight } else { weight * rig.unit() };
                self.misses.push(row.miss * by);
                for wrench in &mut row.wrenches {
                    wrench.force *= by;
                    wrench.moment *= by;
                }
            }
        }
    }

    /// Forgets the rows from `n_rows` on.
    pub(super) fn truncate(&mut self, n_rows: usize) {
        self.rows.truncate(n_rows);
        self.row_demand.truncate(n_rows);
        self.misses.truncate(n_rows);
    }

    /// Every demand that has rows, with their range.
    pub(super) fn row_groups(&self) -> impl Iterator<Item = (usize, Range<usize>)> + '_ {
        let mut first = 0;
        self.row_demand.chunk_by(|a, b| a == b).map(move |group| {
            let rows = first..first + group.len();
            first = rows.end;
            (group[0], rows)
        })
    }

    /// Fills in the Jacobian of the rows measured.
    pub(super) fn differentiate(&mut self, rig: &Rig) {
        let n = self.n_unknowns;
        self.jacobian.clear();
        self.jacobian.resize(self.rows.len() * n, 0.0);
        let mut first = 0;
        while let Some(&demand) = self.row_demand.get(first) {
            let same = self.row_demand[first..].iter().take_while(|&&k| k == demand).count();
            let rows = first..first + same;
            if rig.demands[demand].bodies.is_empty() {
                self.differentiate_frames(rig, demand, rows.clone());
            } else {
                self.differentiate_mass(rig, demand, rows.clone());
            }
            first = rows.end;
        }
    }

    fn differentiate_frames(&mut self, rig: &Rig, demand: usize, rows: Range<usize>) {
        let n = self.n_unknowns;
        let at = rig.frames_of(&rig.demands[demand]).map(|frame| frame.translation);
        for step in &self.steps[self.paths[demand].clone()] {
            let Block { motion, first, .. } = self.blocks[step.block];
            let center = rig.world[step.node].translation;
            let levers = at.map(|at| at - center);
            let joint = rig.one_axis(step.node);
            for (row, out) in self.rows[rows.clone()]
                .iter()
                .zip(self.jacobian[rows.start * n..].chunks_exact_mut(n))
            {
                let [a, b] = row.wrenches;
                let (mut force, mut moment) = (DVec3::ZERO, DVec3::ZERO);
                if step.moves[0] {
                    force += a.force;
                    moment += a.moment + levers[0].cross(a.force);
                }
                if step.moves[1] {
                    force += b.force;
                    moment += b.moment + levers[1].cross(b.force);
                }
                put(&mut out[first..], motion, joint, Wrench { force, moment });
            }
        }
    }

    /// Each node carries a part of the mass and moves the centre by so much of what it moves that part's centre.
    fn differentiate_mass(&mut self, rig: &Rig, demand: usize, rows: Range<usize>) {
        let n = self.n_unknowns;
        let total = rig.weigh(&rig.demands[demand], &mut self.carried);
        for step in &self.steps[self.paths[demand].clone()] {
            let Block { motion, first, .. } = self.blocks[step.block];
            let (mass, moment) = self.carried[step.node];
            let lever = (moment - rig.world[step.node].translation * mass) / total;
            let joint = rig.one_axis(step.node);
            for (row, out) in self.rows[rows.clone()]
                .iter()
                .zip(self.jacobian[rows.start * n..].chunks_exact_mut(n))
            {
                let push = row.wrenches[0].force;
                let wrench = Wrench { force: push * (mass / total), moment: lever.cross(push) };
                put(&mut out[first..], motion, joint, wrench);
            }
        }
    }
}

/// A one-value joint's axis in the world, and how much it moves per unit of its variable.
#[derive(Debug, Clone, Copy)]
pub(super) struct OneAxis {
    axis: DVec3,
    gain: f64,
    turns: bool,
}

/// Adds what the unknowns of a block do to a row whose wrench about the node's centre is known.
#[inline(always)]
fn put(out: &mut [f64], motion: Motion, joint: OneAxis, wrench: Wrench) {
    let three = match motion {
        Motion::Variable => {
            let by = if joint.turns { wrench.moment } else { wrench.force };
            out[0] += joint.gain * joint.axis.dot(by);
            return;
        }
        Motion::Turn => wrench.moment,
        Motion::Shift => wrench.force,
    };
    for (out, by) in out.iter_mut().zip(three.to_array()) {
        *out += by;
    }
}

impl Rig {
    /// World poses of a demand's frames, or the centre of mass as the first one's origin.
    pub(super) fn frames_of(&self, demand: &Demand) -> [Pose; 2] {
        if demand.bodies.is_empty() {
            return demand.carriers.map(|carrier| self.frame_of(carrier));
        }
        let (mut sum, mut total) = (DVec3::ZERO, 0.0);
        for (carrier, mass) in &self.bodies[demand.bodies.clone()] {
            sum += self.frame_of(*carrier).translation * *mass;
            total += mass;
        }
        [Pose::from_translation(sum / total), Pose::IDENTITY]
    }

    #[inline]
    fn frame_of(&self, carrier: Carrier) -> Pose {
        if carrier.node == BASE {
            carrier.node_from_frame
        } else {
            self.world[carrier.node] * carrier.node_from_frame
        }
    }

    /// Mass, and mass times centre, that each node carries; returns the whole mass.
    fn weigh(&self, demand: &Demand, carried: &mut Vec<(f64, DVec3)>) -> f64 {
        carried.clear();
        carried.resize(self.nodes.len(), (0.0, DVec3::ZERO));
        let mut total = 0.0;
        for (carrier, mass) in &self.bodies[demand.bodies.clone()] {
            total += mass;
            if carrier.node != BASE {
                let (own, moment) = &mut carried[carrier.node];
                *own += mass;
                *moment += self.frame_of(*carrier).translation * *mass;
            }
        }
        for i in (0..self.nodes.len()).rev() {
            let parent = self.nodes[i].parent;
            if parent != BASE {
                let (mass, moment) = carried[i];
                carried[parent].0 += mass;
                carried[parent].1 += moment;
            }
        }
        total
    }

    #[inline]
    fn one_axis(&self, i: usize) -> OneAxis {
        let (axis, turns) = match self.nodes[i].kind {
            Kind::Hinge { axis } => (axis, true),
            Kind::Slide { axis } => (axis, false),
            Kind::Ball | Kind::Free => (DVec3::ZERO, true),
        };
        OneAxis { axis: self.before[i].rotation * axis, gain: self.nodes[i].gain, turns }
    }
}
