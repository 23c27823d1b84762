//! One damped step inside the limits.
//!
//! | symbol | meaning | shape | unit |
//! |---|---|---|---|
//! | `x` | the step | n | rad, or run lengths |
//! | `e`, `J` | weighted misses and how values grow with `x` | m, m × n | run lengths |
//! | `D` | damping and pulls of each unknown | n | reach² |
//! | `r` | where the pulls want the unknowns, relative to now | n | rad |
//! | `K` | `J D^(-1/2)` | m × n | 1 |
//!
//! Soft rows are traded, hard rows hold: `x` minimises `Σ |J x − e|² over soft rows + Σ Dᵢ (xᵢ − rᵢ pᵢ / Dᵢ)²` subject to `J x = e` on hard rows.
//! With `x = x₀ + D^(-1/2) z` the answer is `z = Kᵀ y`, `(K Kᵀ + C) y = e − J x₀`, where `C` is 1 for a soft row and 0 for a hard one: a problem in
//! as many unknowns as there are rows. Where there are more soft rows than unknowns, the same in as many unknowns as
//! there are joints: `(Kᵀ K + 1) z = Kᵀ (e − J x₀)`.
//!
//! Limits are an active set: an unknown that the step would carry past its limit is set to end at it, a ball's direction out of its
//! cone likewise, and the step is solved again. Rows that count only where they are broken (floors) join when the
//! step would break them.

use super::super::demand::{Block, Motion, System, make_room};
use super::super::rig::{Bound, Rig};
use super::mixing::Mixer;
use crate::math::{cholesky_factor_semidefinite as factor, cholesky_solve, so3_log, swing_twist};
use crate::skeleton::Limit;
use core::ops::Range;
use glam::DVec3;

/// Solves of one step while unknowns are set to their limits.
const ACTIVE_SET_ROUNDS: u32 = 16;

/// Largest sum of changes along the way to one task in one step \[rad, or the reach\]: how far the linear picture of a chain
/// holds, whatever the number of its joints.
const LARGEST_STEP: f64 = 1.5;

/// A step no longer than this is rounding \[rad, or the reach\].
const NOTHING: f64 = 1e-15;

/// A hard row of which less than this part (squared) is independent of the rows before it is not asked for: the direction is lost in
/// a singular pose.
const INDEPENDENT: f64 = 1e-9;

/// Part of the trace that keeps the factorisation of soft rows from breaking down by rounding.
const ROUNDING: f64 = 1e-15;

/// A ball's direction that is set: to end at a limit.
#[derive(Debug, Clone, Copy)]
struct Wall {
    block: usize,
    outward: DVec3,
    /// Let go again: it stands in nobody's way, and is not put up a second time.
    is_open: bool,
}

/// Buffers of a step.
#[derive(Debug, Clone, Default)]
pub(super) struct Step {
    /// The step.
    pub(super) x: Vec<f64>,
    /// Damping and pulls.
    pub(super) d: Vec<f64>,
    /// Pulls of each unknown, and where to.
    pub(super) pull: Vec<f64>,
    pub(super) toward: Vec<f64>,
    /// Values of the one-value unknowns, and their limits.
    pub(super) values: Vec<f64>,
    pub(super) ranges: Vec<(f64, f64)>,
    /// Unknowns that are set: to end at a limit.
    is_set: Vec<bool>,
    /// Unknowns that lower levels may not move.
    frozen: Vec<bool>,
    /// Each is released once at most, so that the rounds end.
    was_released: Vec<bool>,
    was_dropped: Vec<bool>,
    push: Vec<f64>,
    walls: Vec<Wall>,
    fixed: Vec<f64>,
    k: Vec<f64>,
    active: Vec<usize>,
    is_active: Vec<bool>,
    pub(super) gram: Vec<f64>,
    pub(super) y: Vec<f64>,
    /// Inverse square roots of `d`; 0 for what is set.
    root: Vec<f64>,
    right: Vec<f64>,
    /// The part of the step that was taken.
    pub(super) scale: f64,
    solved_in_tasks: bool,
}

impl Step {
    /// Solves for the step `x`; false when nothing moves.
    ///
    /// - `misses`: what is asked of each row; the first `n_hard` rows are hard
    /// - `damping`: times each joint's stiffness
    pub(super) fn solve(
        &mut self,
        rig: &Rig,
        system: &System,
        misses: &[f64],
        n_hard: usize,
        damping: f64,
    ) -> bool {
        let n = system.n_unknowns;
        self.d.clear();
        // A slide by the reach counts like a radian.
        let unit = rig.unit();
        let slides = damping / (unit * unit);
        for block in &system.blocks {
            let by = if rig.turns(block) { damping } else { slides };
            for i in block.range() {
                self.d.push(by * rig.nodes[block.node].stiffness + self.pull[i]);
            }
        }
        self.walls.clear();
        self.is_set.clone_from(&self.frozen);
        refill(&mut self.was_released, n, false);
        refill(&mut self.fixed, n, 0.0);
        self.is_active.clear();
        self.is_active
            .extend(system.rows.iter().zip(misses).map(|(row, miss)| !row.is_floor || *miss > 0.0));
        refill(&mut self.was_dropped, misses.len(), false);
        for _ in 0..ACTIVE_SET_ROUNDS {
            if !self.solve_free(system, misses, n_hard) {
                return false;
            }
            self.scale = (LARGEST_STEP / self.longest_path(system)).min(1.0);
            let stopped = self.stop_at_limits(rig, system);
            let joined = self.join_floors(system, misses);
            if !stopped && !joined && !self.release(system) {
                break;
            }
        }
        self.x.iter().any(|x| x.abs() > NOTHING)
    }

    /// Makes room for all rows and unknowns at once, so that no later step allocates.
    pub(super) fn reserve(&mut self, system: &System) {
        let (m, n) = (system.n_rows, system.n_unknowns);
        for list in [&mut self.y, &mut self.right] {
            make_room(list, m.max(n));
        }
        for list in [&mut self.x, &mut self.d, &mut self.push, &mut self.fixed, &mut self.root] {
            make_room(list, n);
        }
        for list in [&mut self.pull, &mut self.toward, &mut self.values] {
            make_room(list, n);
        }
        for list in [&mut self.is_set, &mut self.frozen, &mut self.was_released] {
            make_room(list, n);
        }
        make_room(&mut self.k, m * n);
        make_room(&mut self.gram, (m * m).max(n * n));
        make_room(&mut self.active, m);
        make_room(&mut self.is_active, m);
        make_room(&mut self.was_dropped, m);
        make_room(&mut self.walls, 2 * system.blocks.len());
    }

    /// The largest change of an unknown.
    pub(super) fn longest(&self) -> f64 {
        self.x.iter().fold(0.0, |longest: f64, x| longest.max(x.abs()))
    }

    /// Lets all unknowns move.
    pub(super) fn thaw(&mut self, n: usize) {
        refill(&mut self.frozen, n, false);
    }

    /// Keeps the unknowns that something pulls at where they are.
    pub(super) fn freeze_pulled(&mut self) {
        for (frozen, pull) in self.frozen.iter_mut().zip(&self.pull) {
            *frozen |= *pull > 0.0;
        }
    }

    /// Mixes the step with the last ones; what is set stays set. True when it changed.
    pub(super) fn mix(&mut self, mixer: &mut Mixer) -> bool {
        self.push.clone_from(&self.x);
        if !mixer.mix(&mut self.x) {
            return false;
        }
        for ((x, plain), set) in self.x.iter_mut().zip(&self.push).zip(&self.is_set) {
            if *set {
                *x = *plain;
            }
        }
        true
    }

    /// The step of the unknowns that are not set, for the rows that are active.
    fn solve_free(&mut self, system: &System, misses: &[f64], n_hard: usize) -> bool {
        let n = system.n_unknowns;
        // x₀: what is set, and what the pulls alone would do.
        self.x.clear();
        for i in 0..n {
            let pulled =
                if self.pull[i] > 0.0 { self.toward[i] * self.pull[i] / self.d[i] } else { 0.0 };
            self.x.push(if self.is_set[i] { 0.0 } else { pulled });
        }
        self.project_on_walls(system);
        for (x, fixed) in self.x.iter_mut().zip(&self.fixed) {
            *x += fixed;
        }
        self.active.clear();
        self.active.extend((0..misses.len()).filter(|&r| self.is_active[r]));
        self.fill_k(system);
        self.y.clear();
        for &r in &self.active {
            let row = &system.jacobian[r * n..(r + 1) * n];
            let runs = system.runs(system.row_demand[r]);
            let known: f64 =
                runs.iter().map(|run| dot(&row[run.clone()], &self.x[run.clone()])).sum();
            self.y.push(misses[r] - known);
        }
        let m = self.active.len();
        let n_hard = self.active.iter().take_while(|&&r| r < n_hard).count();
        self.solved_in_tasks = n_hard > 0 || m <= system.n_touched;
        if m == 0 {
            return true;
        }
        if self.solved_in_tasks {
            self.solve_in_tasks(system, n_hard)
        } else {
            self.solve_in_joints(system, misses)
        }
    }

    /// `K`: the Jacobian without what is set, scaled by the damping.
    fn fill_k(&mut self, system: &System) {
        let n = system.n_unknowns;
        self.root.clear();
        // The inverse square roots, 0 for what is set.
        self.root.extend(
            self.d
                .iter()
                .zip(&self.is_set)
                .map(|(d, set)| if *set { 0.0 } else { d.sqrt().recip() }),
        );
        self.k.clear();
        self.k.resize(self.active.len() * n, 0.0);
        for (place, &r) in self.active.iter().enumerate() {
            let row = &system.jacobian[r * n..(r + 1) * n];
            let out = &mut self.k[place * n..(place + 1) * n];
            for run in system.runs(system.row_demand[r]) {
                for i in run.clone() {
                    out[i] = row[i] * self.root[i];
                }
            }
            for wall in self.walls.iter().filter(|wall| !wall.is_open) {
                project(&mut out[system.blocks[wall.block].range()], wall.outward);
            }
        }
    }

    fn solve_in_tasks(&mut self, system: &System, n_hard: usize) -> bool {
        let (m, n) = (self.active.len(), system.n_unknowns);
        self.fill_gram(system);
        let trace: f64 = (0..m).map(|r| self.gram[r * m + r]).sum();
        if trace <= 0.0 {
            // Everything that could help is set to end at a limit, or nothing can.
            self.y.fill(0.0);
            return true;
        }
        for r in n_hard..m {
            self.gram[r * m + r] += 1.0 + ROUNDING * trace;
        }
        if !factor(&mut self.gram, m, INDEPENDENT) {
            return false;
        }
        cholesky_solve(&self.gram, &mut self.y);
        for (place, &r) in self.active.iter().enumerate() {
            let (row, y) = (&self.k[place * n..(place + 1) * n], self.y[place]);
            for run in system.runs(system.row_demand[r]) {
                for i in run.clone() {
                    self.x[i] += self.root[i] * row[i] * y;
                }
            }
        }
        true
    }

    /// The lower triangle of `K Kᵀ`, over the unknowns that two rows share.
    fn fill_gram(&mut self, system: &System) {
        let (m, n) = (self.active.len(), system.n_unknowns);
        self.gram.clear();
        self.gram.resize(m * m, 0.0);
        for a in 0..m {
            let row = &self.k[a * n..(a + 1) * n];
            let runs = system.runs(system.row_demand[self.active[a]]);
            for b in 0..=a {
                let other = &self.k[b * n..(b + 1) * n];
                let others = system.runs(system.row_demand[self.active[b]]);
                self.gram[a * m + b] = shared_dot(row, runs, other, others);
            }
        }
    }

    fn solve_in_joints(&mut self, system: &System, misses: &[f64]) -> bool {
        let (n, stride) = (system.n_touched, system.n_unknowns);
        refill(&mut self.gram, n * n, 0.0);
        let mut right = core::mem::take(&mut self.right);
        refill(&mut right, n, 0.0);
        for (row, y) in self.k.chunks_exact(stride).zip(&self.y) {
            for a in (0..n).filter(|&a| row[a] != 0.0) {
                right[a] += row[a] * y;
                for b in 0..=a {
                    self.gram[a * n + b] += row[a] * row[b];
                }
            }
        }
        for a in 0..n {
            self.gram[a * n + a] += 1.0;
        }
        let solved = factor(&mut self.gram, n, 0.0);
        if solved {
            cholesky_solve(&self.gram, &mut right);
            for (x, (z, by)) in self.x.iter_mut().zip(right.iter().zip(&self.root)) {
                *x += z * by;
            }
        }
        self.right = right;
        // What the step leaves of each miss stands in for the multipliers.
        for (&r, y) in self.active.iter().zip(&mut self.y) {
            let row = &system.jacobian[r * stride..(r + 1) * stride];
            *y = misses[r] - dot(row, &self.x);
        }
        solved
    }

    /// Solves again for other misses of the soft rows, with the factor at hand: what to add to the step. For steps without hard rows,
    /// pulls and set unknowns only.
    pub(super) fn solve_again(&mut self, system: &System, out: &mut Vec<f64>) {
        let n = system.n_unknowns;
        refill(out, n, 0.0);
        cholesky_solve(&self.gram, &mut self.y);
        for (row, y) in self.k.chunks_exact(n).zip(&self.y) {
            for ((out, k), by) in out.iter_mut().zip(row).zip(&self.root) {
                *out += by * k * y;
            }
        }
    }

    /// Whether every row took part and the factor at hand is the tasks'.
    pub(super) fn can_solve_again(&self, system: &System) -> bool {
        self.solved_in_tasks && self.active.len() == system.rows.len()
    }

    /// The largest sum of changes on the way to one task.
    fn longest_path(&self, system: &System) -> f64 {
        let along = |runs: &[Range<usize>]| -> f64 {
            runs.iter().flat_map(|run| &self.x[run.clone()]).map(|x| x.abs()).sum()
        };
        let paths = system.measured().iter().map(|&demand| along(system.runs(demand)));
        let longest = paths.fold(0.0, f64::max);
        if longest > 0.0 { longest } else { self.x.iter().fold(0.0, |m, x| m.max(x.abs())) }
    }

    /// Sets the unknowns, and the directions of balls, that the step would carry out of their limits; true if there were any.
    fn stop_at_limits(&mut self, rig: &Rig, system: &System) -> bool {
        let mut found = false;
        for (k, block) in system.blocks.iter().enumerate() {
            match block.motion {
                Motion::Variable => {
                    let (i, (min, max)) = (block.first, self.ranges[block.first]);
                    if self.is_set[i] {
                        continue;
                    }
                    let (value, by) = (self.values[i], self.x[i] * self.scale);
                    let end = if value + by > max {
                        max
                    } else if value + by < min {
                        min
                    } else {
                        continue;
                    };
                    (self.is_set[i], self.fixed[i]) = (true, end - value);
                    found = true;
                }
                Motion::Turn => found |= self.stop_at_walls(rig, k, block),
                Motion::Shift => {}
            }
        }
        found
    }

    /// Lets go of unknowns that are set to end at a limit although, with the others set, they would rather come back from it, and of
    /// floors that hold their rows down; true if there were any.
    fn release(&mut self, system: &System) -> bool {
        let n = system.n_unknowns;
        let mut found = false;
        if self.is_set.contains(&true) || !self.walls.is_empty() {
            // What still pulls at each unknown: Jᵀ y and the pulls, less the damping.
            self.push.clear();
            self.push.extend((0..n).map(|i| self.pull[i] * self.toward[i] - self.d[i] * self.x[i]));
            for (&r, y) in self.active.iter().zip(&self.y) {
                let row = &system.jacobian[r * n..(r + 1) * n];
                for run in system.runs(system.row_demand[r]) {
                    for i in run.clone() {
                        self.push[i] += row[i] * y;
                    }
                }
            }
            for i in 0..n {
                let (min, max) = self.ranges[i];
                let end = self.values[i] + self.fixed[i];
                let outward = if end - min < max - end { -self.push[i] } else { self.push[i] };
                if self.is_set[i]
                    && !self.frozen[i]
                    && outward < 0.0
                    && !self.was_released[i]
                    && min < max
                {
                    (self.is_set[i], self.was_released[i], self.fixed[i]) = (false, true, 0.0);
                    found = true;
                }
            }
        }
        for wall in self.walls.iter_mut().filter(|wall| !wall.is_open) {
            let block = system.blocks[wall.block].range();
            if wall.outward.dot(DVec3::from_slice(&self.push[block.clone()])) < 0.0 {
                wall.is_open = true;
                let fixed = &mut self.fixed[block];
                project(fixed, wall.outward);
                found = true;
            }
        }
        for (&r, &y) in self.active.iter().zip(&self.y) {
            if system.rows[r].is_floor && y < 0.0 && !self.was_dropped[r] {
                (self.is_active[r], self.was_dropped[r]) = (false, true);
                found = true;
            }
        }
        found
    }

    fn stop_at_walls(&mut self, rig: &Rig, k: usize, block: &Block) -> bool {
        let mut found = false;
        let turn = DVec3::from_slice(&self.x[block.range()]) * self.scale;
        for wall in rig.walls(block.node).into_iter().flatten() {
            let (outward, room) = wall;
            let known = self.walls.iter().any(|w| w.block == k && w.outward.dot(outward) > 0.999);
            if known || turn.dot(outward) <= room + 1e-12 {
                continue;
            }
            let last = self.walls.iter().find(|w| w.block == k && !w.is_open).map(|w| w.outward);
            // Two walls of one ball are seldom square to each other; the second is set within the first.
            let within = last.map_or(outward, |first| outward - first * first.dot(outward));
            let Some(outward) = within.try_normalize() else { continue };
            self.walls.push(Wall { block: k, outward, is_open: false });
            let fixed = &mut self.fixed[block.range()];
            for (fixed, by) in fixed.iter_mut().zip((outward * room.max(0.0)).to_array()) {
                *fixed += by;
            }
            found = true;
        }
        found
    }

    /// Takes the walls' directions out of the part of the step that is free.
    fn project_on_walls(&mut self, system: &System) {
        for wall in self.walls.iter().filter(|wall| !wall.is_open) {
            project(&mut self.x[system.blocks[wall.block].range()], wall.outward);
        }
    }

    /// Floors that the step would break take part from now on; true if there were any.
    fn join_floors(&mut self, system: &System, misses: &[f64]) -> bool {
        let n = system.n_unknowns;
        let mut found = false;
        for r in 0..misses.len() {
            if self.is_active[r] || (self.was_dropped[r] && misses[r] <= 0.0) {
                continue;
            }
            let row = &system.jacobian[r * n..(r + 1) * n];
            let gain = dot(row, &self.x) * self.scale;
            if gain < misses[r] {
                self.is_active[r] = true;
                found = true;
            }
        }
        found
    }
}

impl Rig {
    /// Whether a block's unknowns are angles.
    pub(super) fn turns(&self, block: &Block) -> bool {
        match block.motion {
            Motion::Variable => !self.nodes[block.node].driver_slides,
            Motion::Turn => true,
            Motion::Shift => false,
        }
    }

    /// World axes about which a ball may not turn much further, and by how much it may: out of its cone, beyond an end of its twist, and
    /// farther from its start than it is leashed.
    pub(super) fn walls(&self, i: usize) -> [Option<(DVec3, f64)>; 3] {
        let node = &self.nodes[i];
        let (mut out, mut end, mut off) = (None, None, None);
        if let Bound::Cone(Limit::Cone { axis, swing, twist }) = node.bound {
            let parts = swing_twist(self.state.turn[i], axis);
            let swing_axis = parts.swing.xyz().try_normalize();
            let room = swing - parts.swing_angle();
            out = swing_axis.map(|axis| (self.before[i].rotation * axis, room));
            // The twist grows with what turns about the middle between the axis before the motion and after it, faster the more
            // the axis swings: by ω · (z + R z) / (1 + cos swing).
            let middle =
                (self.before[i].rotation * axis + self.world[i].rotation * axis).try_normalize();
            let (to_max, to_min) = (twist[1] - parts.twist, parts.twist - twist[0]);
            if twist[1] - twist[0] < core::f64::consts::TAU {
                let slow = parts.swing.w.abs();
                end = middle.map(|middle| {
                    if to_max <= to_min {
                        (middle, to_max * slow)
                    } else {
                        (-middle, to_min * slow)
                    }
                });
            }
        }
        if node.leash < f64::INFINITY {
            let turned = so3_log(self.state.turn[i] * self.start_turn(i).conjugate());
            let room = node.leash - turned.length();
            off = turned.try_normalize().map(|axis| (self.before[i].rotation * axis, room));
        }
        [out, end, off]
    }
}

/// Sum of products over the unknowns that both rows touch.
fn shared_dot(a: &[f64], runs: &[Range<usize>], b: &[f64], others: &[Range<usize>]) -> f64 {
    let (mut i, mut j, mut sum) = (0, 0, 0.0);
    while i < runs.len() && j < others.len() {
        let (start, end) = (runs[i].start.max(others[j].start), runs[i].end.min(others[j].end));
        if start < end {
            sum += dot(&a[start..end], &b[start..end]);
        }
        if runs[i].end <= others[j].end { i += 1 } else { j += 1 }
    }
    sum
}

/// Takes a direction out of three components.
fn project(three: &mut [f64], direction: DVec3) {
    let v = DVec3::from_slice(three);
    (v - direction * direction.dot(v)).write_to_slice(three);
}

/// Sum of products, in four interleaved partial sums; zeros at the end change nothing.
#[inline]
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let (a_rest, b_rest) = (a4.remainder(), b4.remainder());
    for (x, y) in a4.zip(b4) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    for ((sum, x), y) in sums.iter_mut().zip(a_rest).zip(b_rest) {
        *sum += x * y;
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3])
}

fn refill<T: Clone>(list: &mut Vec<T>, n: usize, value: T) {
    list.clear();
    list.resize(n, value);
}
