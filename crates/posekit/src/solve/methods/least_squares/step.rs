//! One damped step within the limits: the quadratic program of an iteration.
//!
//! | symbol | meaning | shape | unit |
//! |---|---|---|---|
//! | `x` | the step | n | rad, or lengths |
//! | `e`, `J` | weighted residuals (target minus value), and the Jacobian of the values | m, m × n | lengths |
//! | `w`, `t` | costs of single unknowns (postures, least change), and their targets relative to the present pose | n | length², rad |
//! | `D` | damping plus costs | n | length² |
//! | `x₀` | the minimum of the costs alone, `tᵢ wᵢ / Dᵢ` | n | rad |
//! | `y` | the multiplier of each row; for a soft row its residual after the step, `e − J x` | m | 1 / length |
//!
//! ```text
//! minimise    Σ |J x − e|² over soft rows + Σ Dᵢ (x − x₀)ᵢ²
//! subject to  J x = e    on equality rows (tasks of higher levels)
//!             J x ≥ e    on inequality rows (floors, keep-outs)
//!             room.0 ≤ x ≤ room.1,    n · x ≤ room on the rotations of balls
//! ```
//!
//! Without inequalities the solution is `x = x₀ + D⁻¹ Jᵀ y` with `(J D⁻¹ Jᵀ + C) y = e − J x₀`, where `C` is 1 for a soft row and 0 for an
//! equality: a system with as many unknowns as there are rows.
//!
//! Inequalities are handled by an active set (\[nocedal06\], section 16.5) as in \[baerlocher04\] and \[escande14\]: constraints that the step would
//! violate join as equalities and the step is solved again; constraints with a multiplier of the wrong sign are released, at most once each, so
//! that the rounds terminate.

use super::anderson::Anderson;
use super::rows::{Group, System, add_scaled, make_room, refill};
use super::structure::{Block, Motion};
use crate::math::{cholesky_factor, cholesky_solve, so3_log, sqrt, swing_twist};
use crate::skeleton::Limit;
use crate::solve::pose::State;
use crate::solve::problem::{NONE, Problem, rotation_at};
use alloc::vec::Vec;
use glam::DVec3;

/// The most rounds of the active set. Each adds or releases every constraint that it finds, so few are needed.
const ROUNDS: u32 = 16;

/// The largest sum of changes along the path to one task in one step \[rad, or the unit of length\]: the range of validity of the linear model
/// of a chain, whatever its number of joints. Displacements may be as large as the distance to the farthest target.
const LARGEST_STEP: f64 = 1.5;

/// Rows are consistent if a step leaves less than this fraction of their residuals.
const CONSISTENT: f64 = 1e-3;

/// A step this short is rounding \[rad, or the unit of length\].
const NO_STEP: f64 = 1e-15;

/// An equality row is dropped if less than this fraction of its square is independent of the rows before it: its direction is lost at a
/// singular pose. The root is an angle of 3e-5, which still has ten significant digits.
const INDEPENDENT: f64 = 1e-9;

/// An equality row is rounding if the square of its gradient is less than this fraction of the sum over all rows.
const VANISHING: f64 = 1e-14;

/// Fraction of the trace added to soft rows, so that the factorisation does not break down by rounding.
const ROUNDING: f64 = 1e-15;

/// The smallest fraction of the damping that applies to an unknown; see [`Step::share_damping`].
const LEAST_SHARE: f64 = 1e-12;

/// Two limits of a ball are the same limit, found again in a later round, if the cosine between their normals is larger.
const SAME_NORMAL: f64 = 0.999;

/// Rounding by which a rotation vector may cross a limit of a ball \[rad\].
const ROUNDING_ANGLE: f64 = 1e-12;

/// An active half-space `normal · x ≤ room` of the rotation of a ball.
#[derive(Debug, Clone, Copy)]
struct HalfSpace {
    block: usize,
    normal: DVec3,
    /// Its multiplier had the wrong sign; it does not join again.
    is_released: bool,
}

/// The data of one unknown.
#[derive(Debug, Clone, Copy, Default)]
struct Unknown {
    /// Relative cost of changes: a slide by the unit of length counts like a radian.
    stiffness: f64,
    /// Its fraction of the damping: see [`Step::share_damping`].
    share: f64,
    /// Damping plus cost, and the inverse: 0 for an unknown that is not solved for.
    d: f64,
    inverse: f64,
    /// Its change if it is at a limit, or along the normals of its half-spaces.
    fixed: f64,
    /// The range of its change.
    room: (f64, f64),
    is_angle: bool,
    /// It is an active limit.
    is_fixed: bool,
    /// Lower levels may not move it.
    is_frozen: bool,
    was_released: bool,
}

impl Unknown {
    /// Resets it for a step.
    fn begin(&mut self, damping: f64, cost: f64) {
        self.d = damping * self.share * self.stiffness + cost;
        (self.is_fixed, self.was_released, self.fixed) = (self.is_frozen, false, 0.0);
    }

    /// Its change without the rows, `x₀`.
    fn begin_round(&mut self, cost: f64, target: f64) -> f64 {
        // A fixed or undamped unknown is not solved for.
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
    /// Costs of single unknowns, and their targets.
    pub(super) cost: Vec<f64>,
    pub(super) target: Vec<f64>,
    push: Vec<f64>,
    half_spaces: Vec<HalfSpace>,
    /// The Jacobian with the normals projected out, where there are half-spaces.
    projected: Vec<f64>,
    is_projected: bool,
    /// Whether each row is active, and whether it was and has been released.
    is_active: Vec<bool>,
    was_released: Vec<bool>,
    /// The active rows.
    active: Vec<usize>,
    gram: Vec<f64>,
    /// The multiplier of each row, 0 for an inactive one.
    y: Vec<f64>,
    /// Right sides of the active rows, and the change of every row by the step.
    right: Vec<f64>,
    by_row: Vec<f64>,
    /// The fractions of rotations and of displacements that are taken.
    parts: [f64; 2],
}

impl Step {
    /// Solves for the step `x`; false if it is zero.
    ///
    /// - `misses`: `e` of each row; the first `n_equalities` rows are equalities
    /// - `damping`: multiplied by the stiffness of each unknown
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
        self.is_active.extend(rows.map(|(row, miss)| !row.reading.is_floor || *miss > 0.0));
        refill(&mut self.was_released, misses.len(), false);
        for _ in 0..ROUNDS {
            if !self.solve_equalities(system, misses, n_equalities) {
                return false;
            }
            self.limit_length(problem, system);
            let stopped = self.stop_at_limits(problem, state, system);
            let joined = self.join_inequalities(system, misses);
            if !stopped && !joined && !self.release(system) {
                break;
            }
        }
        self.shorten();
        self.x.iter().any(|x| x.abs() > NO_STEP)
    }

    /// Whether some change, ignoring limits, solves every row except inequalities to first order.
    pub(super) fn is_consistent(
        &mut self,
        problem: &Problem,
        state: &State,
        system: &System,
    ) -> bool {
        self.begin(problem, state, system, 1.0);
        self.half_spaces.clear();
        self.is_active.clear();
        self.is_active.extend(system.rows.iter().map(|row| !row.reading.is_floor));
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

    /// Resets the unknowns.
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

    /// Sets the step to `x₀`.
    fn begin_round(&mut self) {
        self.x.clear();
        let costs = self.cost.iter().zip(&self.target);
        let unknowns = self.unknowns.iter_mut().zip(costs);
        self.x.extend(unknowns.map(|(unknown, (w, t))| unknown.begin_round(*w, *t)));
    }

    /// Limits the fractions of the step that are taken, by the largest sums of changes along the path to a task.
    fn limit_length(&mut self, problem: &Problem, system: &System) {
        self.parts = [1.0; 2];
        // The sum of all changes bounds that of every path.
        if self.x.iter().map(|x| x.abs()).sum::<f64>() > LARGEST_STEP * problem.unit.min(1.0) {
            let [rotation, displacement] = self.longest_paths(system);
            let parts = [LARGEST_STEP / rotation, farthest(problem, system) / displacement];
            self.parts = parts.map(|part| part.min(1.0));
        }
    }

    /// The fraction of the step of an unknown that is taken.
    fn part_of(&self, unknown: usize) -> f64 {
        self.parts[usize::from(!self.unknowns[unknown].is_angle)]
    }

    /// Scales the step by the fractions that are taken.
    fn shorten(&mut self) {
        if !self.is_whole() {
            for i in 0..self.x.len() {
                self.x[i] *= self.part_of(i);
            }
        }
    }

    /// Whether the whole step is taken.
    pub(super) fn is_whole(&self) -> bool {
        self.parts == [1.0; 2]
    }

    /// Lists the unknowns of a problem.
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

    /// Damps every unknown in proportion to the largest residual of the tasks that depend on it. Damping models curvature, which grows with the
    /// residual; with uniform damping, one target far out of reach would slow the convergence of all others.
    pub(super) fn share_damping(&mut self, system: &System) {
        let miss = |group: &Group| {
            let counts = |r: &usize| !system.rows[*r].reading.is_floor || system.misses[*r] > 0.0;
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

    /// Damps all unknowns uniformly.
    pub(super) fn damp_alike(&mut self) {
        self.unknowns.iter_mut().for_each(|unknown| unknown.share = 1.0);
    }

    /// Reserves capacity for all rows and unknowns, so that no later step allocates.
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

    /// Fixes the unknowns that have costs.
    pub(super) fn freeze_costed(&mut self) {
        for (unknown, cost) in self.unknowns.iter_mut().zip(&self.cost) {
            unknown.is_frozen |= *cost > 0.0;
        }
    }

    /// Applies Anderson acceleration to the unknowns that are not fixed; true if the step changed.
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
        // The right side, e − J x₀.
        self.find_residual(system, misses);
        let m = self.active.len();
        let n_equalities = self.active.iter().take_while(|&&r| r < n_equalities).count();
        if m == 0 {
            return true;
        }
        self.solve_by_rows(system, n_equalities)
    }

    /// The residuals of active rows after the step, into `y`.
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
            // No free unknown moves an active row. The residuals of soft rows remain their multipliers.
            self.active[..n_equalities].iter().for_each(|&r| self.y[r] = 0.0);
            return true;
        }
        for r in 0..n_equalities {
            // The gradient of this equality is rounding.
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

    /// Solves for the right sides in `y` with the existing factor, and adds the step `D⁻¹ Jᵀ y`.
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
        let columns = system.columns(jacobian).zip(&self.unknowns);
        for ((mut rows, mut column), unknown) in columns.filter(|(_, u)| u.inverse > 0.0) {
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

    /// Solves for other residuals with the existing factor: what to add to the step. Only for steps without equalities.
    pub(super) fn solve_again(&mut self, system: &System, misses: &[f64], out: &mut Vec<f64>) {
        refill(out, system.structure.n_unknowns, 0.0);
        self.y.clear();
        let rows = misses.iter().zip(&self.is_active);
        self.y.extend(rows.map(|(miss, is_active)| if *is_active { *miss } else { 0.0 }));
        self.add_solution(system, out);
    }

    /// Whether there is a factor to solve with.
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

    /// Fixes unknowns, and rotations of balls along normals, that the step would move out of their limits; true if there were any.
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
            // The normals of one ball are rarely orthogonal; the second is projected onto the plane of the first.
            let first = others.find(|half| !half.is_released).map(|half| half.normal);
            let within = first.map_or(normal, |first| reject(normal, first));
            let Some(normal) = within.try_normalize() else { continue };
            self.half_spaces.push(HalfSpace { block: k, normal, is_released: false });
            self.fix(block.first, self.fixed(block.first) + normal * room.max(0.0));
            found = true;
        }
        found
    }

    /// The negative gradient of the objective along each unknown: `Jᵀ y` plus costs, minus damping.
    fn find_push(&mut self, system: &System) {
        let costs = self.cost.iter().zip(&self.target).zip(self.unknowns.iter().zip(&self.x));
        self.push.clear();
        self.push.extend(costs.map(|((cost, by), (unknown, x))| cost * by - unknown.d * x));
        system.add_transposed(&self.y, &mut self.push);
    }

    /// Releases limits and inequality rows whose multipliers have the wrong sign: the objective decreases towards the inside. True if there were
    /// any.
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
            if system.rows[r].reading.is_floor && self.y[r] < 0.0 && !self.was_released[r] {
                (self.is_active[r], self.was_released[r]) = (false, true);
                found = true;
            }
        }
        found
    }

    /// The rotation of a ball along the normals of its half-spaces; `first` is the first of its unknowns.
    fn fixed(&self, first: usize) -> DVec3 {
        DVec3::from_array([0, 1, 2].map(|k| self.unknowns[first + k].fixed))
    }

    fn fix(&mut self, first: usize, by: DVec3) {
        for (unknown, by) in self.unknowns[first..].iter_mut().zip(by.to_array()) {
            unknown.fixed = by;
        }
    }

    /// Projects the normals of half-spaces out of the free part of the step.
    fn project_step(&mut self, system: &System) {
        for half in self.half_spaces.iter().filter(|half| !half.is_released) {
            let first = system.structure.blocks[half.block].first;
            let (x, fixed) = (DVec3::from_slice(&self.x[first..]), self.fixed(first));
            (reject(x - fixed, half.normal) + fixed).write_to_slice(&mut self.x[first..]);
        }
    }

    /// Activates the inequality rows that the step would violate; true if there were any.
    fn join_inequalities(&mut self, system: &System, misses: &[f64]) -> bool {
        if self.active.len() == misses.len() {
            return false;
        }
        // The change of every row by the whole step.
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
    /// The limits of a ball as half-spaces of rotation vectors in the world, `normal · x ≤ room`, to first order: the edge of its cone, the
    /// nearer end of its twist range, and its largest change.
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
            // The rate of twist is ω · (z + R z) / (1 + cos swing): about the bisector of the axis before and after the motion, and faster
            // the larger the swing.
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

/// The largest displacement of one step.
fn farthest(problem: &Problem, system: &System) -> f64 {
    let rows = system.rows.iter().filter(|row| row.reading.is_length());
    rows.fold(LARGEST_STEP * problem.unit, |farthest, row| {
        farthest.max(row.reading.counted().abs())
    })
}

/// The component of a vector orthogonal to a unit direction.
fn reject(v: DVec3, direction: DVec3) -> DVec3 {
    v - direction * direction.dot(v)
}

/// Adds a multiple of the upper triangle of `c cᵀ` to an `m × m` matrix.
///
/// - `out`: the matrix, starting at the element that belongs to the first of `c`
fn add_square(column: &[f64], by: f64, m: usize, out: &mut [f64]) {
    if let Ok(column) = <&[f64; 6]>::try_from(column) {
        // The six rows of a pose, which the compiler unrolls.
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
