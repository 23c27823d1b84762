//! Tasks as least squares sees them: rows of misses and how the joints change them.
//!
//! A task speaks about frames; a row of it says how its value changes when a frame moves (a wrench). A joint moves every frame
//! below it like a rigid body, so an element of the Jacobian is the wrench times the frame's velocity at unit speed of the
//! joint. Which joints those are is listed once per solve, as a path from the root.

use super::rig::{BASE, Kind, Rig};
use crate::math::Pose;
use crate::task::{Miss, Reading, Row, Task, TaskKind, Wrench};
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
    /// What misses are multiplied by: the root of the weight.
    root_weight: f64,
    pub(super) level: u8,
    /// By how much a posture is missed by joints that do not move.
    pub(super) still: Miss,
}

impl Demand {
    pub(super) fn new(task: &Task, carriers: [Carrier; 2], bodies: Range<usize>) -> Self {
        let (kind, still) = (task.kind.clone(), Miss::default());
        let (weight, level) = (task.weight, task.level);
        Self { kind, carriers, bodies, weight, root_weight: weight.sqrt(), level, still }
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

    /// Whether any joint moves its first (0) or second (1) frame, or its bodies.
    fn moves(&self, side: usize) -> bool {
        self.carriers[side].node != BASE || (side == 0 && !self.bodies.is_empty())
    }

    #[inline]
    pub(super) fn units(&self, rig: &Rig) -> Units {
        Units { length: self.root_weight, angle: self.root_weight * rig.unit() }
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

/// What the miss of a row is multiplied by: the root of its task's weight, and the length that a radian counts like.
#[derive(Debug, Clone, Copy)]
pub(super) struct Units {
    pub(super) length: f64,
    pub(super) angle: f64,
}

impl Units {
    fn of(self, row: &Reading) -> f64 {
        if row.is_length() { self.length } else { self.angle }
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
    motion: Motion,
    /// Place of the block's first column among those of the demand.
    column: usize,
    /// Which of the two frames it moves.
    moves: [bool; 2],
}

/// Neighbouring unknowns that a demand's rows touch.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Place of the first among the demand's columns.
    pub(super) column: usize,
}

/// The rows of one demand, and where their part of the Jacobian is.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub(super) demand: usize,
    pub(super) rows: Range<usize>,
    /// First element in [`System::jacobian`].
    pub(super) first: usize,
    /// Where the demand's frames were when it was measured.
    pub(super) frames: [Pose; 2],
}

impl Group {
    /// Number of rows.
    pub(super) fn height(&self) -> usize {
        self.rows.len()
    }
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
    /// Unknowns that each demand's rows touch, ascending.
    runs: Vec<Run>,
    runs_of: Vec<Range<usize>>,
    /// Demands by level, those of weight 0 and postures left out.
    pub(super) order: Vec<usize>,
    /// How many of these were measured last, and how many unknowns they touch.
    n_measured: usize,
    pub(super) n_touched: usize,
    pub(super) rows: Vec<Reading>,
    /// The rows of one demand with their gradients.
    gradients: Vec<Row>,
    /// The demands measured last, with their rows.
    pub(super) groups: Vec<Group>,
    /// How values grow, weighted like the misses: group after group; in a group, column after column for the unknowns that its
    /// [runs](Self::runs) name, each as long as the group has rows.
    pub(super) jacobian: Vec<f64>,
    /// Weighted misses, those of floors whatever their sign.
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
        self.n_measured = usize::MAX;
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
        self.list_columns();
        self.measure(rig, self.order.len());
        self.n_rows = self.rows.len();
        make_room(&mut self.gradients, self.n_rows);
        make_room(&mut self.jacobian, self.n_rows * self.n_unknowns);
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
                    let (motion, moves) = (self.blocks[block].motion, [side == 0, side == 1]);
                    self.steps.push(Step { node, block, motion, column: 0, moves });
                }
                node = rig.nodes[node].parent;
            }
        }
    }

    fn add_runs(&mut self, first_step: usize) {
        let first = self.runs.len();
        let ranges = self.steps[first_step..].iter().map(|step| self.blocks[step.block].range());
        self.runs.extend(ranges.map(|range| Run { start: range.start, end: range.end, column: 0 }));
        self.runs[first..].sort_unstable_by_key(|run| run.start);
        let mut kept = first;
        for k in first..self.runs.len() {
            let run = self.runs[k];
            if kept > first && run.start <= self.runs[kept - 1].end {
                self.runs[kept - 1].end = self.runs[kept - 1].end.max(run.end);
            } else {
                self.runs[kept] = run;
                kept += 1;
            }
        }
        self.runs.truncate(kept);
        let mut column = 0;
        for run in &mut self.runs[first..] {
            run.column = column;
            column += run.end - run.start;
        }
        self.runs_of.push(first..kept);
    }

    /// Finds the column of every step's block.
    fn list_columns(&mut self) {
        for (path, runs) in self.paths.iter().zip(&self.runs_of) {
            for step in &mut self.steps[path.clone()] {
                let first = self.blocks[step.block].first;
                let run = self.runs[runs.clone()].iter().find(|run| run.end > first);
                step.column = run.map_or(0, |run| run.column + first - run.start);
            }
        }
    }

    /// Nodes that move a demand's frames.
    pub(super) fn nodes_on_path(&self, demand: usize) -> impl Iterator<Item = usize> + '_ {
        self.steps[self.paths[demand].clone()].iter().map(|step| step.node)
    }

    /// The joints that move a group's frames, each with its unknown, where there are at most so many and all unknowns are single values that no two
    /// joints share.
    pub(super) fn simple_path(
        &self,
        group: &Group,
        most: usize,
    ) -> Option<impl Iterator<Item = (usize, usize)> + '_> {
        let path = &self.steps[self.paths[group.demand].clone()];
        let n_columns =
            self.runs(group.demand).last().map_or(0, |run| run.column + run.end - run.start);
        let is_simple = self.n_unknowns == self.blocks.len() && n_columns == path.len();
        (is_simple && path.len() <= most)
            .then(|| path.iter().map(|step| (step.node, self.blocks[step.block].first)))
    }

    /// Unknowns that the rows of a demand touch.
    pub(super) fn runs(&self, demand: usize) -> &[Run] {
        &self.runs[self.runs_of[demand].clone()]
    }

    /// Finds the rows of the first `n_demands` of [`order`](Self::order) and their weighted misses.
    pub(super) fn measure(&mut self, rig: &Rig, n_demands: usize) {
        if self.n_measured != n_demands {
            self.n_measured = n_demands;
            let runs = self.order[..n_demands].iter().flat_map(|&k| self.runs(k));
            self.n_touched = runs.map(|run| run.end).max().unwrap_or(0);
        }
        self.rows.clear();
        self.groups.clear();
        self.misses.clear();
        let mut first = 0;
        for &k in &self.order[..n_demands] {
            let (demand, first_row) = (&rig.demands[k], self.rows.len());
            let frames = rig.frames_of(demand);
            demand.kind.rows(&frames, &mut self.rows);
            let units = demand.units(rig);
            self.misses.extend(self.rows[first_row..].iter().map(|row| row.miss * units.of(row)));
            let rows = first_row..self.rows.len();
            if rows.is_empty() {
                continue;
            }
            let n_columns = self.runs(k).last().map_or(0, |run| run.column + run.end - run.start);
            let group = Group { demand: k, rows, first, frames };
            first += n_columns * group.height();
            self.groups.push(group);
        }
    }

    /// Forgets the rows from `n_rows` on, where a group begins.
    pub(super) fn truncate(&mut self, n_rows: usize) {
        self.rows.truncate(n_rows);
        self.misses.truncate(n_rows);
        self.groups.retain(|group| group.rows.end <= n_rows);
    }

    /// Fills in the Jacobian of the rows measured, in the pose where they were measured.
    pub(super) fn differentiate(&mut self, rig: &Rig) {
        let size = self.groups.last().map_or(0, |group| {
            let width = self.runs(group.demand).last();
            group.first + group.height() * width.map_or(0, |run| run.column + run.end - run.start)
        });
        self.jacobian.clear();
        self.jacobian.resize(size, 0.0);
        let mut carried = core::mem::take(&mut self.carried);
        for k in 0..self.groups.len() {
            let Group { demand, frames, .. } = self.groups[k];
            let demand = &rig.demands[demand];
            self.gradients.clear();
            demand.kind.rows(&frames, &mut self.gradients);
            if demand.bodies.is_empty() {
                self.add_columns(rig, k, |node, side| {
                    (frames[side].translation - rig.world[node].translation, 1.0)
                });
            } else {
                // Each node carries a part of the mass and moves the centre by so much of what it moves that part's centre.
                let total = rig.weigh(demand, &mut carried);
                self.add_columns(rig, k, |node, _| {
                    let (mass, moment) = carried[node];
                    ((moment - rig.world[node].translation * mass) / total, mass / total)
                });
            }
        }
        self.carried = carried;
    }

    /// The columns of a group. `arm` says for a node and a frame: the lever from the node to the frame, and by how much of a slide of the node
    /// the frame moves.
    fn add_columns(&mut self, rig: &Rig, k: usize, arm: impl Fn(usize, usize) -> (DVec3, f64)) {
        let rows = self.groups[k].rows.clone();
        let mut row = rows.start;
        while row < rows.end {
            row += match rows.end - row {
                6.. => self.add_rows::<6>(rig, k, row, &arm),
                3.. => self.add_rows::<3>(rig, k, row, &arm),
                _ => self.add_rows::<1>(rig, k, row, &arm),
            };
        }
    }

    /// `M` rows of a group's columns, as many as the compiler shall work on at once; returns their number.
    fn add_rows<const M: usize>(
        &mut self,
        rig: &Rig,
        k: usize,
        first_row: usize,
        arm: &impl Fn(usize, usize) -> (DVec3, f64),
    ) -> usize {
        let Group { demand, ref rows, first, .. } = self.groups[k];
        let (height, first) = (rows.len(), first + first_row - rows.start);
        let (demand, path) = (&rig.demands[demand], self.paths[demand].clone());
        let gradients = &self.gradients[first_row - rows.start..];
        for side in (0..2).filter(|&side| demand.moves(side)) {
            let wrenches = Wrenches::<M>::gather(gradients, demand.units(rig), side);
            for step in self.steps[path.clone()].iter().filter(|step| step.moves[side]) {
                let out = &mut self.jacobian[first + step.column * height..];
                let (lever, share) = arm(step.node, side);
                match step.motion {
                    Motion::Variable => {
                        let (v, w) = rig.velocity(step.node, lever, share);
                        wrenches.add_power(v, w, out);
                    }
                    Motion::Turn => {
                        for k in 0..3 {
                            wrenches.add_moment(k, lever, &mut out[k * height..]);
                        }
                    }
                    Motion::Shift => {
                        for (k, axis) in DVec3::AXES.into_iter().enumerate() {
                            wrenches.add_power(axis * share, DVec3::ZERO, &mut out[k * height..]);
                        }
                    }
                }
            }
        }
        M
    }
}

/// Wrenches of `M` rows on one frame, component by component; aligned for two components at a time.
#[repr(align(16))]
struct Wrenches<const M: usize> {
    force: [[f64; M]; 3],
    moment: [[f64; M]; 3],
}

impl<const M: usize> Wrenches<M> {
    #[inline(always)]
    fn gather(rows: &[Row], units: Units, side: usize) -> Self {
        let mut all = Self { force: [[0.0; M]; 3], moment: [[0.0; M]; 3] };
        for (r, row) in rows.iter().enumerate().take(M) {
            let (Wrench { force, moment }, by) = (row.wrenches[side], units.of(&row.reading));
            for k in 0..3 {
                all.force[k][r] = force[k] * by;
                all.moment[k][r] = moment[k] * by;
            }
        }
        all
    }

    /// Adds how fast the rows' values change while the frame's origin moves by `v` and the frame turns by `w`.
    #[inline(always)]
    fn add_power(&self, v: DVec3, w: DVec3, out: &mut [f64]) {
        let Some(out) = out.first_chunk_mut::<M>() else { return };
        let (v, w, mut sums) = (v.to_array(), w.to_array(), *out);
        for k in 0..3 {
            for r in 0..M {
                sums[r] += self.force[k][r] * v[k];
            }
            for r in 0..M {
                sums[r] += self.moment[k][r] * w[k];
            }
        }
        *out = sums;
    }

    /// Adds the moment about one axis through a point that the frame's origin is `lever` away from.
    #[inline(always)]
    fn add_moment(&self, axis: usize, lever: DVec3, out: &mut [f64]) {
        let Some(out) = out.first_chunk_mut::<M>() else { return };
        let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
        for r in 0..M {
            let arm = lever[next] * self.force[last][r] - lever[last] * self.force[next][r];
            out[r] += self.moment[axis][r] + arm;
        }
    }
}

/// Room for `n` elements in all.
pub(super) fn make_room<T>(list: &mut Vec<T>, n: usize) {
    list.reserve(n.saturating_sub(list.len()));
}

impl Rig {
    /// World poses of a demand's frames, or the centre of mass as the first one's origin.
    #[inline]
    pub(super) fn frames_of(&self, demand: &Demand) -> [Pose; 2] {
        let [first, second] = &demand.carriers;
        if demand.bodies.is_empty() {
            return [self.frame_of(first), self.frame_of(second)];
        }
        let (mut sum, mut total) = (DVec3::ZERO, 0.0);
        for (carrier, mass) in &self.bodies[demand.bodies.clone()] {
            sum += self.frame_of(carrier).translation * *mass;
            total += mass;
        }
        [Pose::from_translation(sum / total), Pose::IDENTITY]
    }

    #[inline(always)]
    fn frame_of(&self, carrier: &Carrier) -> Pose {
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
                *moment += self.frame_of(carrier).translation * *mass;
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

    /// How a point at `lever` from a one-value node moves and turns per unit of the node's variable; of a slide it has a `share`.
    #[inline(always)]
    pub(super) fn velocity(&self, i: usize, lever: DVec3, share: f64) -> (DVec3, DVec3) {
        let gain = self.nodes[i].gain;
        match self.nodes[i].kind {
            Kind::Hinge { axis } => {
                let axis = self.in_world(i, axis) * gain;
                (axis.cross(lever), axis)
            }
            Kind::Slide { axis } => (self.in_world(i, axis) * (gain * share), DVec3::ZERO),
            Kind::Ball | Kind::Free => (DVec3::ZERO, DVec3::ZERO),
        }
    }
}
