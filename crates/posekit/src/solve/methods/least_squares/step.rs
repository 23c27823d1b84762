//! One damped step inside the limits: the quadratic program of an iteration.
//!
//! | symbol | meaning | shape | unit |
//! |---|---|---|---|
//! | `x` | the step | n | rad, or lengths |
//! | `e`, `J` | weighted misses, and how values grow with `x` | m, m × n | lengths |
//! | `w`, `t` | costs of single unknowns (postures, the least change), and where these would have them, relative to now | n | length², rad |
//! | `D` | damping and costs together | n | length² |
//! | `x₀` | what the costs alone would do, `tᵢ wᵢ / Dᵢ` | n | rad |
//! | `y` | the multiplier of each row; of a soft one what the step leaves of its miss, `e − J x` | m | 1 / length |
//!
//! ```text
//! minimise    Σ |J x − e|² over soft rows + Σ Dᵢ (x − x₀)ᵢ²
//! subject to  J x = e    on equality rows (tasks of higher levels)
//!             J x ≥ e    on inequality rows (floors, keep-outs)
//!             room.0 ≤ x ≤ room.1,    n · x ≤ room on the rotations of balls
//! ```
//!
//! Without inequalities the answer is `x = x₀ + D⁻¹ Jᵀ y` with `(J D⁻¹ Jᵀ + C) y = e − J x₀`, where `C` is 1 for a soft row and 0 for an equality: a system
//! in as many unknowns as there are rows.
//!
//! Inequalities are an active set \[nocedal06\], section 16.5, as in \[baerlocher04\] and \[escande14\]: what the step would violate joins as an equality and the step is
//! solved again; what has a multiplier of the wrong sign is released, each once at most, so that the rounds end.

use super::anderson::Anderson;
use super::rows::{Group, System, add_scaled, make_room, refill};
use super::structure::{Block, Motion};
use crate::math::{cholesky_factor, cholesky_solve, so3_log, sqrt, swing_twist};
use crate::skeleton::Limit;
use crate::solve::pose::State;
use crate::solve::problem::{NONE, Problem, rotation_at};
use alloc::vec::Vec;
use glam::DVec3;

/// Rounds of the active set. Each adds or releases all that it finds, so few are needed; the bound is for the worst case.
const ROUNDS: u32 = 16;

/// Largest sum of changes along the path to one task in one step \[rad, or the unit of length\]: how far the linear model of a chain holds,
/// whatever the number of its joints. Displacements may go as far as the farthest target.
const LARGEST_STEP: f64 = 1.5;

/// Rows of which a step would leave less than this part are consistent.
const CONSISTENT: f64 = 1e-3;

/// A step no longer than this is rounding \[rad, or the unit of length\].
const NO_STEP: f64 = 1e-15;

/// An equality row of which less than this part (squared) is independent of the rows before it is left out: the direction is lost in
/// a singular pose. The root of it is an angle of 3e-5, of which rounding still leaves ten digits.
const INDEPENDENT: f64 = 1e-9;

/// An equality row that moves less than this part (squared) of what all rows together move is rounding.
const VANISHING: f64 = 1e-14;

/// Part of the trace that keeps the factorisation of soft rows from breaking down by rounding.
const ROUNDING: f64 = 1e-15;

/// The least part of the damping that an unknown takes; see [`Step::share_damping`].
const LEAST_SHARE: f64 = 1e-12;

/// Two limits of a ball whose normals have a larger cosine are the same limit, seen again in a later round.
const SAME_NORMAL: f64 = 0.999;

/// A rotation vector may cross a limit of a ball by so much, which is rounding \[rad\].
const ROUNDING_ANGLE: f64 = 1e-12;

/// A half-space `normal · x ≤ room` for the rotation of a ball that takes part as an equality.
#[derive(Debug, Clone, Copy)]
struct HalfSpace {
    block: usize,
    normal: DVec3,
    /// It holds nothing back, and does not join again.
    is_released: bool,
}

/// What a step knows of an unknown.
#[derive(Debug, Clone, Copy, Default)]
struct Unknown {
    /// Cost of its changes, relative: a slide by the unit of length counts like a radian.
    stiffness: f64,
    /// Its share of the damping: see [`Step::share_damping`].
    share: f64,
    /// Damping and cost, and their inverse: 0 for what is not solved for.
    d: f64,
    inverse: f64,
    /// Its change where it is at a limit, or along the normals of its half-spaces.
    fixed: f64,
    /// How far it may go down and up.
    room: (f64, f64),
    is_angle: bool,
    /// It goes to a limit.
    is_fixed: bool,
    /// Lower levels may not move it.
    is_frozen: bool,
    was_released: bool,
}

impl Unknown {
    /// As a step begins.
    fn begin(&mut self, damping: f64, cost: f64) {
        self.d = damping * self.share * self.stiffness + cost;
        (self.is_fixed, self.was_released, self.fixed) = (self.is_frozen, false, 0.0);
    }

    /// What it does without the rows: `x₀`.
    fn begin_round(&mut self, cost: f64, target: f64) -> f64 {
        // An unknown that is fixed, or that nothing damps, is not solved for.
        self.inverse = if self.is_fixed || self.d <= 0.0 { 0.0 } else { self.d.recip() };
        target * cost * self.inverse + self.fixed
    }
}

/// The quadratic program and its buffers.
#[derive(Debug, Clone, Default)]
pub(super) struct Step {
    /// The step.
    pub(super) x: Vec<f64>,
    unknowns: Vec<Unknown>,
    /// Costs of single unknowns, and where these would have them.
    pub(super) cost: Vec<f64>,
    pub(super) target: Vec<f64>,
    push: Vec<f64>,
    half_spaces: Vec<HalfSpace>,
    /// The Jacobian with the normals projected out, where there are half-spaces.
    projected: Vec<f64>,
    is_projected: bool,
    /// Whether each row takes part, and whether it did and was released.
    is_active: Vec<bool>,
    was_released: Vec<bool>,
    /// The rows that do.
    active: Vec<usize>,
    gram: Vec<f64>,
    /// The multiplier of each row, 0 where it takes no part.
    y: Vec<f64>,
    /// Right sides, one number for each active row or each unknown, and what the step does to every row.
    right: Vec<f64>,
    by_row: Vec<f64>,
    /// The part of rotations that is taken, and of displacements.
    parts: [f64; 2],
}

impl Step {
    /// Solves for the step `x`; false when nothing moves.
    ///
    /// - `misses`: `e` of each row; the first `n_equalities` rows are equalities
    /// - `damping`: times the stiffness of each unknown
    pub(super) fn solve(
        &mut self,
        problem: &Problem,
        state: &State,
        system: &System,
        misses: &[f64],
        n_equalities: usize,
        damping: f64,
    ) -> bool {
        self.begin(problem, state, system, damping);
        self.half_spaces.clear();
        self.is_active.clear();
        let rows = system.rows.iter().zip(misses);
        self.is_active.extend(rows.map(|(row, miss)| !row.is_floor || *miss > 0.0));
        refill(&mut self.was_released, misses.len(), false);
        for _ in 0..ROUNDS {
            if !self.solve_equalities(system, misses, n_equalities) {
                return false;
            }
            let [rotation, displacement] = self.longest_paths(system);
            self.limit_length(rotation, displacement, farthest(problem, system));
            let stopped = self.stop_at_limits(problem, state, system);
            let joined = self.join_inequalities(system, misses);
            if !stopped && !joined && !self.release(system) {
                break;
            }
        }
        self.shorten();
        self.x.iter().any(|x| x.abs() > NO_STEP)
    }

    /// Whether some change, limits aside, would do to every row but the inequalities what it misses, to first order.
    pub(super) fn is_consistent(
        &mut self,
        problem: &Problem,
        state: &State,
        system: &System,
    ) -> bool {
        self.begin(problem, state, system, 1.0);
        self.half_spaces.clear();
        self.is_active.clear();
        self.is_active.extend(system.rows.iter().map(|row| !row.is_floor));
        let n_rows = system.rows.len();
        if !self.solve_equalities(system, &system.misses, n_rows) {
            return false;
        }
        let misses = system.misses.iter().zip(&self.is_active);
        let worst =
            misses.fold(0.0, |worst: f64, (e, on)| if *on { worst.max(e.abs()) } else { worst });
        self.find_residual(system, &system.misses);
        self.y.iter().all(|left| left.abs() <= CONSISTENT * worst)
    }

    /// Forgets the last step.
    fn begin(&mut self, problem: &Problem, state: &State, system: &System, damping: f64) {
        for (unknown, cost) in self.unknowns.iter_mut().zip(&self.cost) {
            unknown.begin(damping, *cost);
        }
        for block in &system.structure.blocks {
            if let Some(variable) = problem.variables.get(problem.nodes[block.node].variable) {
                let x = state.values.variables[problem.nodes[block.node].variable];
                self.unknowns[block.first].room = (variable.min - x, variable.max - x);
            }
        }
    }

    /// Sets the step to what it is without the rows, `x₀`.
    fn begin_round(&mut self) {
        self.x.clear();
        let costs = self.cost.iter().zip(&self.target);
        let unknowns = self.unknowns.iter_mut().zip(costs);
        self.x.extend(unknowns.map(|(unknown, (w, t))| unknown.begin_round(*w, *t)));
    }

    /// Allows so much of the step that the rotations along the path to a task, and the displacements, are not too large: the longest sums of
    /// either, and how far displacements may go.
    fn limit_length(&mut self, rotation: f64, displacement: f64, farthest: f64) {
        self.parts = [LARGEST_STEP / rotation, farthest / displacement].map(|part| part.min(1.0));
    }

    /// The part of the step that is taken of an unknown.
    fn part_of(&self, unknown: usize) -> f64 {
        self.parts[usize::from(!self.unknowns[unknown].is_angle)]
    }

    /// Shortens the step to the part that is taken.
    fn shorten(&mut self) {
        if !self.is_whole() {
            for i in 0..self.x.len() {
                self.x[i] *= self.part_of(i);
            }
        }
    }

    /// Whether all of the step is taken.
    pub(super) fn is_whole(&self) -> bool {
        self.parts == [1.0; 2]
    }

    /// Takes over the unknowns of a problem.
    pub(super) fn prepare(&mut self, problem: &Problem, system: &System) {
        let slides = (problem.unit * problem.unit).recip();
        self.unknowns.clear();
        for block in &system.structure.blocks {
            let is_angle = problem.is_angle(block);
            let by = if is_angle { 1.0 } else { slides };
            let stiffness = by * problem.nodes[block.node].stiffness;
            let room = (f64::NEG_INFINITY, f64::INFINITY);
            let unknown = Unknown { stiffness, share: 1.0, room, is_angle, ..Unknown::default() };
            self.unknowns.extend(block.range().map(|_| unknown));
        }
        self.reserve(system);
    }

    /// Damps every unknown in proportion to the worst miss of the tasks that depend on it. The curvature that damping stands in for grows with
    /// the miss; damped alike, one target far out of reach would keep all others from theirs.
    pub(super) fn share_damping(&mut self, system: &System) {
        let miss = |group: &Group| {
            let counts = |r: &usize| !system.rows[*r].is_floor || system.misses[*r] > 0.0;
            let squares =
                group.rows.clone().filter(counts).map(|r| system.misses[r] * system.misses[r]);
            sqrt(squares.sum())
        };
        let worst = system.groups.iter().map(miss).fold(0.0, f64::max);
        self.unknowns.iter_mut().for_each(|unknown| unknown.share = LEAST_SHARE);
        for group in &system.groups {
            let share = if worst > 0.0 { miss(group) / worst } else { 1.0 };
            for link in system.structure.links(group.goal) {
                for unknown in &mut self.unknowns[link.block.range()] {
                    unknown.share = unknown.share.max(share);
                }
            }
        }
    }

    /// Damps all unknowns alike.
    pub(super) fn damp_alike(&mut self) {
        self.unknowns.iter_mut().for_each(|unknown| unknown.share = 1.0);
    }

    /// Makes room for all rows and unknowns at once, so that no later step allocates.
    fn reserve(&mut self, system: &System) {
        let (m, n) = (system.n_rows, system.structure.n_unknowns);
        make_room(&mut self.right, m.max(n));
        make_room(&mut self.unknowns, n);
        for list in [&mut self.x, &mut self.push, &mut self.cost, &mut self.target] {
            make_room(list, n);
        }
        make_room(&mut self.projected, m * n);
        make_room(&mut self.y, m);
        make_room(&mut self.by_row, m);
        make_room(&mut self.gram, m * m);
        make_room(&mut self.active, m);
        make_room(&mut self.is_active, m);
        make_room(&mut self.was_released, m);
        make_room(&mut self.half_spaces, 6 * system.structure.blocks.len());
    }

    /// The largest change of an unknown.
    pub(super) fn longest(&self) -> f64 {
        self.x.iter().fold(0.0, |longest: f64, x| longest.max(x.abs()))
    }

    /// Lets all unknowns move.
    pub(super) fn unfreeze(&mut self) {
        self.unknowns.iter_mut().for_each(|unknown| unknown.is_frozen = false);
    }

    /// Keeps the unknowns that have costs where they are.
    pub(super) fn freeze_costed(&mut self) {
        for (unknown, cost) in self.unknowns.iter_mut().zip(&self.cost) {
            unknown.is_frozen |= *cost > 0.0;
        }
    }

    /// Accelerates the step by the last ones; what is fixed stays fixed. True when it changed.
    pub(super) fn accelerate(&mut self, anderson: &mut Anderson) -> bool {
        self.push.clone_from(&self.x);
        if !anderson.accelerate(&mut self.x) {
            return false;
        }
        for ((x, plain), unknown) in self.x.iter_mut().zip(&self.push).zip(&self.unknowns) {
            if unknown.is_fixed {
                *x = *plain;
            }
        }
        true
    }

    /// The step of the unknowns that are not fixed, for the rows that are active.
    fn solve_equalities(&mut self, system: &System, misses: &[f64], n_equalities: usize) -> bool {
        self.begin_round();
        self.project_step(system);
        self.is_projected = self.half_spaces.iter().any(|half| !half.is_released);
        if self.is_projected {
            self.project_jacobian(system);
        }
        self.active.clear();
        self.active.extend((0..misses.len()).filter(|&r| self.is_active[r]));
        // What is left for the rows beyond what x₀ does.
        self.find_residual(system, misses);
        let m = self.active.len();
        let n_equalities = self.active.iter().take_while(|&&r| r < n_equalities).count();
        if m == 0 {
            return true;
        }
        self.solve_by_rows(system, n_equalities)
    }

    /// What the step leaves of the misses of active rows, into `y`.
    fn find_residual(&mut self, system: &System, misses: &[f64]) {
        self.y.clear();
        self.y.extend_from_slice(misses);
        system.add_product(&self.x, -1.0, &mut self.y);
        if self.active.len() < misses.len() {
            for (y, is_active) in self.y.iter_mut().zip(&self.is_active) {
                *y = if *is_active { *y } else { 0.0 };
            }
        }
    }

    /// The Jacobian with the normals of half-spaces projected out.
    fn project_jacobian(&mut self, system: &System) {
        self.projected.clone_from(&system.jacobian);
        let m = system.rows.len();
        for half in self.half_spaces.iter().filter(|half| !half.is_released) {
            let j = &mut self.projected[system.structure.blocks[half.block].first * m..];
            for r in 0..m {
                let three = DVec3::new(j[r], j[m + r], j[2 * m + r]);
                [j[r], j[m + r], j[2 * m + r]] = reject(three, half.normal).to_array();
            }
        }
    }

    fn solve_by_rows(&mut self, system: &System, n_equalities: usize) -> bool {
        let m = self.active.len();
        self.fill_gram(system);
        let trace: f64 = (0..m).map(|r| self.gram[r * m + r]).sum();
        if trace <= 0.0 {
            // Everything that could help is at a limit, or nothing can. What soft rows miss still pushes.
            self.active[..n_equalities].iter().for_each(|&r| self.y[r] = 0.0);
            return true;
        }
        for r in 0..n_equalities {
            // An equality that nothing moves any more is rounding.
            if self.gram[r * m + r] <= VANISHING * trace {
                self.gram[r * m + r] = 0.0;
            }
        }
        for r in n_equalities..m {
            self.gram[r * m + r] += 1.0 + ROUNDING * trace;
        }
        if !cholesky_factor(&mut self.gram, m, INDEPENDENT) {
            return false;
        }
        let mut x = core::mem::take(&mut self.x);
        self.add_solution(system, &mut x);
        self.x = x;
        true
    }

    /// Solves with the factor at hand for the right sides in `y`, and adds the step that they ask for, `D⁻¹ Jᵀ y`.
    fn add_solution(&mut self, system: &System, out: &mut [f64]) {
        self.right.clear();
        self.right.extend(self.active.iter().map(|&r| self.y[r]));
        cholesky_solve(&self.gram, &mut self.right);
        self.active.iter().zip(&self.right).for_each(|(&r, y)| self.y[r] = *y);
        let jacobian = if self.is_projected { &self.projected } else { &system.jacobian };
        let columns = system.columns(jacobian).zip(&self.unknowns);
        for (out, ((rows, column), unknown)) in out.iter_mut().zip(columns) {
            *out +=
                unknown.inverse * column.iter().zip(&self.y[rows]).map(|(x, y)| x * y).sum::<f64>();
        }
    }

    /// The upper triangle of `J D⁻¹ Jᵀ` over the active rows.
    fn fill_gram(&mut self, system: &System) {
        let m = self.active.len();
        refill(&mut self.gram, m * m, 0.0);
        let jacobian = if self.is_projected { &self.projected } else { &system.jacobian };
        for ((mut rows, mut column), unknown) in system.columns(jacobian).zip(&self.unknowns) {
            if m < system.rows.len() {
                let [start, end] =
                    [rows.start, rows.end].map(|row| self.active.partition_point(|&r| r < row));
                let active = self.active[start..end].iter();
                self.right.clear();
                self.right.extend(active.map(|&r| column[r - rows.start]));
                (rows, column) = (start..end, &self.right);
            }
            if !column.is_empty() {
                add_square(column, unknown.inverse, m, &mut self.gram[rows.start * (m + 1)..]);
            }
        }
    }

    /// Solves again for other misses, with the factor at hand: what to add to the step. For steps without equalities only.
    pub(super) fn solve_again(&mut self, system: &System, misses: &[f64], out: &mut Vec<f64>) {
        refill(out, system.structure.n_unknowns, 0.0);
        self.y.clear();
        let rows = misses.iter().zip(&self.is_active);
        self.y.extend(rows.map(|(miss, is_active)| if *is_active { *miss } else { 0.0 }));
        self.add_solution(system, out);
    }

    /// Whether there is a factor at hand.
    pub(super) fn can_solve_again(&self) -> bool {
        !self.active.is_empty()
    }

    /// The largest sums of rotations, and of displacements, along the path to one task.
    fn longest_paths(&self, system: &System) -> [f64; 2] {
        let mut longest = [0.0_f64; 2];
        for group in &system.groups {
            let mut sums = [0.0; 2];
            for link in system.structure.links(group.goal) {
                for i in link.block.range() {
                    sums[usize::from(!self.unknowns[i].is_angle)] += self.x[i].abs();
                }
            }
            longest = [0, 1].map(|k| longest[k].max(sums[k]));
        }
        longest
    }

    /// Fixes the unknowns, and the rotations of balls along normals, that the step would carry out of their limits; true if there were any.
    fn stop_at_limits(&mut self, problem: &Problem, state: &State, system: &System) -> bool {
        let mut found = false;
        for (k, block) in system.structure.blocks.iter().enumerate() {
            match block.motion {
                Motion::Variable => {
                    let by = self.x[block.first] * self.part_of(block.first);
                    let unknown = &mut self.unknowns[block.first];
                    let (min, max) = unknown.room;
                    if !unknown.is_fixed && (by > max || by < min) {
                        unknown.is_fixed = true;
                        unknown.fixed = if by > max { max } else { min };
                        found = true;
                    }
                }
                Motion::Rotation => found |= self.stop_at_half_spaces(problem, state, k, block),
                Motion::Displacement => {}
            }
        }
        found
    }

    fn stop_at_half_spaces(
        &mut self,
        problem: &Problem,
        state: &State,
        k: usize,
        block: &Block,
    ) -> bool {
        let mut found = false;
        let rotation = DVec3::from_slice(&self.x[block.range()]) * self.part_of(block.first);
        for (normal, room) in state.half_spaces(problem, block.node).into_iter().flatten() {
            let mut others = self.half_spaces.iter().filter(|half| half.block == k);
            let is_known = others.clone().any(|half| half.normal.dot(normal) > SAME_NORMAL);
            if is_known || rotation.dot(normal) <= room + ROUNDING_ANGLE {
                continue;
            }
            // The normals of one ball are seldom orthogonal; the second is taken within the plane of the first.
            let first = others.find(|half| !half.is_released).map(|half| half.normal);
            let within = first.map_or(normal, |first| reject(normal, first));
            let Some(normal) = within.try_normalize() else { continue };
            self.half_spaces.push(HalfSpace { block: k, normal, is_released: false });
            self.fix(block.first, self.fixed(block.first) + normal * room.max(0.0));
            found = true;
        }
        found
    }

    /// The slope of the objective along each unknown: `Jᵀ y` and the costs, less the damping.
    fn find_push(&mut self, system: &System) {
        let costs = self.cost.iter().zip(&self.target).zip(self.unknowns.iter().zip(&self.x));
        self.push.clear();
        self.push.extend(costs.map(|((cost, by), (unknown, x))| cost * by - unknown.d * x));
        system.add_transposed(&self.y, &mut self.push);
    }

    /// Releases limits and inequality rows whose multipliers have the wrong sign: with the others fixed, the objective falls on the inside. True if
    /// there were any.
    fn release(&mut self, system: &System) -> bool {
        let mut found = false;
        if self.unknowns.iter().any(|unknown| unknown.is_fixed) || !self.half_spaces.is_empty() {
            self.find_push(system);
            for (unknown, push) in self.unknowns.iter_mut().zip(&self.push) {
                let ((min, max), end) = (unknown.room, unknown.fixed);
                let outward = if end - min < max - end { -push } else { *push };
                let may_go = unknown.is_fixed && !unknown.is_frozen && !unknown.was_released;
                if may_go && outward < 0.0 && min < max {
                    (unknown.is_fixed, unknown.was_released, unknown.fixed) = (false, true, 0.0);
                    found = true;
                }
            }
        }
        for k in 0..self.half_spaces.len() {
            let HalfSpace { block, normal, is_released } = self.half_spaces[k];
            let first = system.structure.blocks[block].first;
            if !is_released && normal.dot(DVec3::from_slice(&self.push[first..])) < 0.0 {
                self.half_spaces[k].is_released = true;
                self.fix(first, reject(self.fixed(first), normal));
                found = true;
            }
        }
        for &r in &self.active {
            if system.rows[r].is_floor && self.y[r] < 0.0 && !self.was_released[r] {
                (self.is_active[r], self.was_released[r]) = (false, true);
                found = true;
            }
        }
        found
    }

    /// What a ball does along the normals of its half-spaces; `first` is the first of its unknowns.
    fn fixed(&self, first: usize) -> DVec3 {
        DVec3::from_array([0, 1, 2].map(|k| self.unknowns[first + k].fixed))
    }

    fn fix(&mut self, first: usize, by: DVec3) {
        for (unknown, by) in self.unknowns[first..].iter_mut().zip(by.to_array()) {
            unknown.fixed = by;
        }
    }

    /// Takes the normals of half-spaces out of the part of the step that is free.
    fn project_step(&mut self, system: &System) {
        for half in self.half_spaces.iter().filter(|half| !half.is_released) {
            let first = system.structure.blocks[half.block].first;
            let (x, fixed) = (DVec3::from_slice(&self.x[first..]), self.fixed(first));
            (reject(x - fixed, half.normal) + fixed).write_to_slice(&mut self.x[first..]);
        }
    }

    /// Inequality rows that the step would violate take part from now on; true if there were any.
    fn join_inequalities(&mut self, system: &System, misses: &[f64]) -> bool {
        if self.active.len() == misses.len() {
            return false;
        }
        // What the step does to every row, were it taken whole.
        refill(&mut self.by_row, misses.len(), 0.0);
        system.add_product(&self.x, 1.0, &mut self.by_row);
        let mut found = false;
        for r in 0..misses.len() {
            let is_out = self.is_active[r] || (self.was_released[r] && misses[r] <= 0.0);
            if !is_out && self.by_row[r] < misses[r] {
                self.is_active[r] = true;
                found = true;
            }
        }
        found
    }
}

impl Problem {
    /// Whether the unknowns of a block are angles.
    pub(super) fn is_angle(&self, block: &Block) -> bool {
        match block.motion {
            Motion::Variable => !self.variables[self.nodes[block.node].variable].is_length,
            Motion::Rotation => true,
            Motion::Displacement => false,
        }
    }
}

impl State {
    /// The limits of a ball as half-spaces for rotation vectors in the world, `normal · x ≤ room`, to first order: the edge of its cone, the
    /// nearer end of its twist, and its largest change.
    pub(super) fn half_spaces(&self, problem: &Problem, i: usize) -> [Option<(DVec3, f64)>; 3] {
        let node = &problem.nodes[i];
        if node.variable != NONE || !problem.is_limited(node) {
            return [None; 3];
        }
        let (rotation, before) = (self.values.motions[i].rotation, self.before(node));
        let (mut edge, mut end, mut change) = (None, None, None);
        if let Limit::Cone { axis, swing, twist } = node.cone {
            let parts = swing_twist(rotation, axis);
            let room = swing - parts.swing_angle();
            edge = parts.swing.xyz().try_normalize().map(|axis| (before * axis, room));
            // The twist grows with what rotates about the bisector of the axis before the motion and after it, faster the more the axis
            // swings: by ω · (z + R z) / (1 + cos swing).
            let bisector = (before * axis + self.world[i].rotation * axis).try_normalize();
            let turned = Limit::Range { min: twist[0], max: twist[1] };
            let middle = 0.5 * (twist[0] + twist[1]);
            let now = turned.equivalent_angle(parts.twist, middle).unwrap_or(parts.twist);
            let (to_max, to_min) = (twist[1] - now, now - twist[0]);
            if twist[1] - twist[0] < core::f64::consts::TAU {
                let slow = parts.swing.w.abs();
                let (sign, room) = if to_max <= to_min { (1.0, to_max) } else { (-1.0, to_min) };
                end = bisector.map(|bisector| (bisector * sign, room * slow));
            }
        }
        if node.largest_change < f64::INFINITY {
            let start = rotation_at(&problem.start[node.values.clone()]);
            let off = so3_log(rotation * start.conjugate());
            let room = node.largest_change - off.length();
            change = off.try_normalize().map(|axis| (before * axis, room));
        }
        [edge, end, change]
    }
}

/// How far displacements may go in one step.
fn farthest(problem: &Problem, system: &System) -> f64 {
    let rows = system.rows.iter().filter(|row| row.is_length());
    rows.fold(LARGEST_STEP * problem.unit, |farthest, row| farthest.max(row.counted().abs()))
}

/// A vector without its part along a direction.
fn reject(v: DVec3, direction: DVec3) -> DVec3 {
    v - direction * direction.dot(v)
}

/// Adds a multiple of `c cᵀ`, of which the upper triangle counts, to the part of an m × m matrix that begins where it belongs.
fn add_square(column: &[f64], by: f64, m: usize, out: &mut [f64]) {
    if let Ok(column) = <&[f64; 6]>::try_from(column) {
        // One pose: the compiler unrolls it.
        for (k, x) in column.iter().enumerate() {
            let out = out[k * m..].first_chunk_mut::<6>();
            out.into_iter()
                .for_each(|out| add_scaled(&column[k & !1..], x * by, &mut out[k & !1..]));
        }
    } else {
        for (k, x) in column.iter().enumerate() {
            add_scaled(&column[k..], x * by, &mut out[k * m + k..]);
        }
    }
}
