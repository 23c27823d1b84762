//! One damped step inside the limits.
//!
//! | symbol | meaning | shape | unit |
//! |---|---|---|---|
//! | `x` | the step | n | rad, or run lengths |
//! | `e`, `J` | weighted misses and how values grow with `x` | m, m × n | run lengths |
//! | `p`, `D` | the pulls on each unknown; damping and pulls together | n | reach² |
//! | `r` | where the pulls want the unknowns, relative to now | n | rad |
//! | `x₀` | what the pulls alone would do, `rᵢ pᵢ / Dᵢ` | n | rad |
//! | `y` | the multiplier of each row; of a soft one what the step leaves of its miss, `e − J x` | m | 1 / reach |
//!
//! Soft rows are traded, hard rows hold: `x` minimises `Σ |J x − e|² over soft rows + Σ Dᵢ (x − x₀)ᵢ²` subject to `J x = e` on hard rows.
//! The answer is `x = x₀ + D⁻¹ Jᵀ y` with `(J D⁻¹ Jᵀ + C) y = e − J x₀`, where `C` is 1 for a soft row and 0 for a hard one: a problem in
//! as many unknowns as there are rows. Where there are soft rows alone, and more of them than unknowns that they touch
//! (`n_touched`: those come first), the same over these: `(Jᵀ J + D) (x − x₀) = Jᵀ (e − J x₀)`; the others stay at `x₀`.
//!
//! Limits are an active set: an unknown that the step would carry past its limit is set to end at it, a ball's direction out of its
//! cone likewise, and the step is solved again. Rows that count only where they are broken (floors) join when the
//! step would break them.

use super::super::demand::{Block, Group, Motion, Run, System, make_room};
use super::super::rig::{Bound, Rig};
use super::columns::{add_product, add_transposed, for_columns, for_transposed};
use super::mixing::Mixer;
use crate::math::{cholesky_factor, cholesky_solve, so3_log, swing_twist};
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
pub(super) const INDEPENDENT: f64 = 1e-9;

/// The same for a row beside all rows together.
const VANISHING: f64 = 1e-14;

/// Part of the trace that keeps the factorisation of soft rows from breaking down by rounding.
pub(super) const ROUNDING: f64 = 1e-15;

/// The least part of the damping that an unknown takes.
const LEAST_SHARE: f64 = 1e-12;

/// Place of a row that takes no part.
const NOWHERE: usize = usize::MAX;

/// A ball's direction that is set: to end at a limit.
#[derive(Debug, Clone, Copy)]
struct Wall {
    block: usize,
    outward: DVec3,
    /// Let go again: it stands in nobody's way, and is not put up a second time.
    is_open: bool,
}

/// What a step knows of an unknown, besides where it is and what pulls at it.
#[derive(Debug, Clone, Copy, Default)]
struct Unknown {
    /// How much damping it takes: a slide by the reach counts like a radian.
    stiffness: f64,
    /// How much of the damping it takes: see [`Step::share_damping`].
    share: f64,
    /// Damping and pulls, and their inverse: 0 for what is not solved for.
    d: f64,
    inverse: f64,
    /// By how much it changes if it is set, and in the directions of its walls.
    fixed: f64,
    /// It is set: to end at a limit.
    is_set: bool,
    /// Lower levels may not move it.
    is_frozen: bool,
    /// Each is released once at most, so that the rounds end.
    was_released: bool,
}

impl Unknown {
    /// As a step begins.
    fn begin(&mut self, damping: f64, pull: f64) {
        self.d = damping * self.share * self.stiffness + pull;
        (self.is_set, self.was_released, self.fixed) = (self.is_frozen, false, 0.0);
    }

    /// What it does without the rows: `x₀`.
    fn begin_round(&mut self, pull: f64, toward: f64) -> f64 {
        // An unknown that is set, or that nothing holds, is not solved for.
        self.inverse = if self.is_set || self.d <= 0.0 { 0.0 } else { self.d.recip() };
        toward * pull * self.inverse + self.fixed
    }
}

/// Buffers of a step.
#[derive(Debug, Clone, Default)]
pub(super) struct Step {
    /// The step.
    pub(super) x: Vec<f64>,
    unknowns: Vec<Unknown>,
    /// Pulls of each unknown, and where to.
    pub(super) pull: Vec<f64>,
    pub(super) toward: Vec<f64>,
    /// Values of the one-value unknowns, and their limits.
    pub(super) values: Vec<f64>,
    pub(super) ranges: Vec<(f64, f64)>,
    push: Vec<f64>,
    walls: Vec<Wall>,
    /// The Jacobian with the walls projected out, where there are any.
    j: Vec<f64>,
    has_walls: bool,
    /// Whether each row takes part, and whether it did and was dropped; once at most, so that the rounds end.
    is_active: Vec<bool>,
    was_dropped: Vec<bool>,
    /// The rows that do, and the place of each row among them.
    active: Vec<usize>,
    places: Vec<usize>,
    gram: Vec<f64>,
    /// The multiplier of each row, 0 where it takes no part.
    y: Vec<f64>,
    /// Right sides, one number for each active row or each unknown, and what the step does to every row.
    right: Vec<f64>,
    by_row: Vec<f64>,
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
        self.begin(damping);
        self.walls.clear();
        self.is_active.clear();
        self.is_active
            .extend(system.rows.iter().zip(misses).map(|(row, miss)| !row.is_floor || *miss > 0.0));
        refill(&mut self.was_dropped, misses.len(), false);
        for _ in 0..ACTIVE_SET_ROUNDS {
            if !self.solve_free(system, misses, n_hard) {
                return false;
            }
            self.cut(self.longest_path(system));
            let stopped = self.stop_at_limits(rig, system);
            let joined = self.join_floors(system, misses);
            if !stopped && !joined && !self.release(system) {
                break;
            }
        }
        self.x.iter().any(|x| x.abs() > NOTHING)
    }

    /// Forgets the last step.
    pub(super) fn begin(&mut self, damping: f64) {
        for (unknown, pull) in self.unknowns.iter_mut().zip(&self.pull) {
            unknown.begin(damping, *pull);
        }
    }

    /// Sets the step to what it is without the rows, `x₀`.
    pub(super) fn begin_round(&mut self) {
        self.x.clear();
        let pulls = self.pull.iter().zip(&self.toward);
        let unknowns = self.unknowns.iter_mut().zip(pulls);
        self.x.extend(unknowns.map(|(unknown, (p, r))| unknown.begin_round(*p, *r)));
    }

    /// The inverse of an unknown's damping and pulls.
    pub(super) fn inverse(&self, unknown: usize) -> f64 {
        self.unknowns[unknown].inverse
    }

    /// Takes so much of the step that its changes along the way to a task, `longest` together, are not too long.
    pub(super) fn cut(&mut self, longest: f64) {
        self.scale = (LARGEST_STEP / longest).min(1.0);
    }

    /// Whether no one-value unknown leaves its range.
    pub(super) fn stays_inside(&self) -> bool {
        let mut all = self.x.iter().zip(&self.values).zip(&self.ranges);
        all.all(|((x, value), (min, max))| {
            let end = value + x * self.scale;
            *min <= end && end <= *max
        })
    }

    /// Lists how much damping each unknown takes.
    pub(super) fn list_stiffness(&mut self, rig: &Rig, system: &System) {
        let slides = (rig.unit() * rig.unit()).recip();
        self.unknowns.clear();
        for block in &system.blocks {
            let by = if rig.turns(block) { 1.0 } else { slides };
            let stiffness = by * rig.nodes[block.node].stiffness;
            let unknown = Unknown { stiffness, share: 1.0, ..Unknown::default() };
            self.unknowns.extend(block.range().map(|_| unknown));
        }
    }

    /// Damps every unknown by what the tasks miss that it moves, beside what the worst one misses. The curvature that damping stands in for grows
    /// with the miss: what one target far out of reach asks for would keep all others from theirs.
    pub(super) fn share_damping(&mut self, system: &System) {
        let miss = |group: &Group| {
            let counts = |r: &usize| !system.rows[*r].is_floor || system.misses[*r] > 0.0;
            let squares =
                group.rows.clone().filter(counts).map(|r| system.misses[r] * system.misses[r]);
            squares.sum::<f64>().sqrt()
        };
        let worst = system.groups.iter().map(miss).fold(0.0, f64::max);
        self.unknowns.iter_mut().for_each(|unknown| unknown.share = LEAST_SHARE);
        for group in &system.groups {
            let share = if worst > 0.0 { miss(group) / worst } else { 1.0 };
            for run in system.runs(group.demand) {
                for unknown in &mut self.unknowns[run.start..run.end] {
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
    pub(super) fn reserve(&mut self, system: &System) {
        let (m, n) = (system.n_rows, system.n_unknowns);
        make_room(&mut self.right, m.max(n));
        make_room(&mut self.unknowns, n);
        for list in
            [&mut self.x, &mut self.push, &mut self.pull, &mut self.toward, &mut self.values]
        {
            make_room(list, n);
        }
        make_room(&mut self.j, m * n);
        make_room(&mut self.places, m);
        make_room(&mut self.y, m);
        make_room(&mut self.by_row, m);
        // Solved over the unknowns only where these are fewer.
        make_room(&mut self.gram, m * m);
        make_room(&mut self.active, m);
        make_room(&mut self.is_active, m);
        make_room(&mut self.was_dropped, m);
        make_room(&mut self.walls, 6 * system.blocks.len());
    }

    /// The largest change of an unknown.
    pub(super) fn longest(&self) -> f64 {
        self.x.iter().fold(0.0, |longest: f64, x| longest.max(x.abs()))
    }

    /// Lets all unknowns move.
    pub(super) fn thaw(&mut self) {
        self.unknowns.iter_mut().for_each(|unknown| unknown.is_frozen = false);
    }

    /// Keeps the unknowns that something pulls at where they are.
    pub(super) fn freeze_pulled(&mut self) {
        for (unknown, pull) in self.unknowns.iter_mut().zip(&self.pull) {
            unknown.is_frozen |= *pull > 0.0;
        }
    }

    /// Mixes the step with the last ones; what is set stays set. True when it changed.
    pub(super) fn mix(&mut self, mixer: &mut Mixer) -> bool {
        self.push.clone_from(&self.x);
        if !mixer.mix(&mut self.x) {
            return false;
        }
        for ((x, plain), unknown) in self.x.iter_mut().zip(&self.push).zip(&self.unknowns) {
            if unknown.is_set {
                *x = *plain;
            }
        }
        true
    }

    /// The step of the unknowns that are not set, for the rows that are active.
    fn solve_free(&mut self, system: &System, misses: &[f64], n_hard: usize) -> bool {
        self.begin_round();
        self.project_on_walls(system);
        self.fill_jacobian(system);
        self.list_active(misses.len());
        // What is asked of each row beyond what x₀ does.
        self.leave(system, misses);
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

    /// What the step leaves of the misses of active rows, into `y`.
    fn leave(&mut self, system: &System, misses: &[f64]) {
        self.y.clear();
        self.y.extend_from_slice(misses);
        add_product(system, &system.jacobian, &self.x, -1.0, &mut self.y);
        if self.active.len() < misses.len() {
            for (y, is_active) in self.y.iter_mut().zip(&self.is_active) {
                *y = if *is_active { *y } else { 0.0 };
            }
        }
    }

    fn list_active(&mut self, n_rows: usize) {
        if self.active.len() == n_rows
            && self.places.len() == n_rows
            && !self.is_active.contains(&false)
        {
            return;
        }
        self.active.clear();
        self.places.clear();
        for r in 0..n_rows {
            self.places.push(if self.is_active[r] { self.active.len() } else { NOWHERE });
            if self.is_active[r] {
                self.active.push(r);
            }
        }
    }

    /// The Jacobian with the walls projected out.
    fn fill_jacobian(&mut self, system: &System) {
        self.has_walls = self.walls.iter().any(|wall| !wall.is_open);
        if self.has_walls {
            self.j.clone_from(&system.jacobian);
        }
        for wall in self.walls.iter().filter(|wall| !wall.is_open) {
            let block = system.blocks[wall.block].range();
            for group in &system.groups {
                let height = group.height();
                let runs = system.runs(group.demand).iter();
                for run in runs.filter(|run| run.start <= block.start && block.end <= run.end) {
                    let first = group.first + (run.column + block.start - run.start) * height;
                    for r in first..first + height {
                        let three =
                            DVec3::new(self.j[r], self.j[r + height], self.j[r + 2 * height]);
                        [self.j[r], self.j[r + height], self.j[r + 2 * height]] =
                            less(three, wall.outward).to_array();
                    }
                }
            }
        }
    }

    /// The Jacobian of what may move.
    fn jacobian<'a>(&'a self, system: &'a System) -> &'a [f64] {
        if self.has_walls { &self.j } else { &system.jacobian }
    }

    fn solve_in_tasks(&mut self, system: &System, n_hard: usize) -> bool {
        let m = self.active.len();
        self.fill_gram(system);
        let trace: f64 = (0..m).map(|r| self.gram[r * m + r]).sum();
        if trace <= 0.0 {
            // Everything that could help is set to end at a limit, or nothing can. What soft rows miss still pushes.
            self.active[..n_hard].iter().for_each(|&r| self.y[r] = 0.0);
            return true;
        }
        for r in 0..n_hard {
            // A hard row that nothing moves any more is nothing but rounding.
            if self.gram[r * m + r] <= VANISHING * trace {
                self.gram[r * m + r] = 0.0;
            }
        }
        for r in n_hard..m {
            self.gram[r * m + r] += 1.0 + ROUNDING * trace;
        }
        if !cholesky_factor(&mut self.gram, m, INDEPENDENT) {
            return false;
        }
        let mut x = core::mem::take(&mut self.x);
        self.add_answer(system, &mut x);
        self.x = x;
        true
    }

    /// Solves with the factor at hand for the right sides in `y`, and adds the step that they ask for, `D⁻¹ Jᵀ y`.
    fn add_answer(&mut self, system: &System, out: &mut [f64]) {
        if self.active.len() == self.y.len() {
            cholesky_solve(&self.gram, &mut self.y);
        } else {
            self.right.clear();
            self.right.extend(self.active.iter().map(|&r| self.y[r]));
            cholesky_solve(&self.gram, &mut self.right);
            for (&r, y) in self.active.iter().zip(&self.right) {
                self.y[r] = *y;
            }
        }
        let unknowns = &self.unknowns;
        for_transposed(system, self.jacobian(system), &self.y, |i, push| {
            out[i] += unknowns[i].inverse * push;
        });
    }

    /// The upper triangle of `J D⁻¹ Jᵀ`, group by group over the unknowns that both touch.
    fn fill_gram(&mut self, system: &System) {
        let m = self.active.len();
        let mut gram = core::mem::take(&mut self.gram);
        refill(&mut gram, m * m, 0.0);
        let are_all_active = m == system.rows.len();
        for (k, a) in system.groups.iter().enumerate() {
            match a.height() {
                6 if are_all_active => self.add_square::<6>(system, a, &mut gram, m),
                3 if are_all_active => self.add_square::<3>(system, a, &mut gram, m),
                _ => self.add_pair(system, a, a, &mut gram, m),
            }
            for b in &system.groups[..k] {
                self.add_pair(system, a, b, &mut gram, m);
            }
        }
        self.gram = gram;
    }

    /// One group with itself, its `M` rows all active: the size that the compiler unrolls.
    fn add_square<const M: usize>(&self, system: &System, a: &Group, gram: &mut [f64], m: usize) {
        let mut sums = [[0.0; M]; M];
        // In halves, whose sums stay in registers.
        self.sum_rows(system, a, 0..M / 2, &mut sums);
        self.sum_rows(system, a, M / 2..M, &mut sums);
        for (i, sums) in sums.iter().enumerate() {
            let first = (a.rows.start + i) * m + a.rows.start;
            gram[first..first + M].copy_from_slice(sums);
        }
    }

    /// Some rows of a group with all of them.
    #[inline(always)]
    fn sum_rows<const M: usize>(
        &self,
        system: &System,
        a: &Group,
        rows: Range<usize>,
        out: &mut [[f64; M]; M],
    ) {
        let mut sums = [[0.0; M]; M];
        for_columns::<M>(system, a, self.jacobian(system), 0, |unknown, column| {
            let by = self.unknowns[unknown].inverse;
            for i in rows.clone() {
                let scaled = column[i] * by;
                // From the diagonal on, two at a time.
                for j in (i & !1)..M {
                    sums[i][j] += scaled * column[j];
                }
            }
        });
        out[rows.clone()].copy_from_slice(&sums[rows]);
    }

    /// Two groups, over the runs that they share.
    fn add_pair(&self, system: &System, a: &Group, b: &Group, gram: &mut [f64], m: usize) {
        let jacobian = self.jacobian(system);
        let (runs, others) = (system.runs(a.demand), system.runs(b.demand));
        let (mut i, mut j) = (0, 0);
        while i < runs.len() && j < others.len() {
            let (run, other) = (runs[i], others[j]);
            let (start, end) = (run.start.max(other.start), run.end.min(other.end));
            for unknown in start..end {
                let by = self.unknowns[unknown].inverse;
                if by == 0.0 {
                    continue;
                }
                let column = |g: &Group, run: &Run| {
                    let first = g.first + (run.column + unknown - run.start) * g.height();
                    first..first + g.height()
                };
                let (left, right) = (&jacobian[column(a, &run)], &jacobian[column(b, &other)]);
                for (&p, x) in self.places[a.rows.clone()].iter().zip(left) {
                    if p == NOWHERE {
                        continue;
                    }
                    let scaled = x * by;
                    for (&q, y) in self.places[b.rows.clone()].iter().zip(right) {
                        if q != NOWHERE {
                            gram[q * m + p] += scaled * y;
                        }
                    }
                }
            }
            if run.end <= other.end { i += 1 } else { j += 1 }
        }
    }

    /// `(Jᵀ J + D) (x − x₀) = Jᵀ e`, over the unknowns that the rows touch.
    fn solve_in_joints(&mut self, system: &System, misses: &[f64]) -> bool {
        let n = system.n_touched;
        let mut gram = core::mem::take(&mut self.gram);
        let mut right = core::mem::take(&mut self.right);
        refill(&mut gram, n * n, 0.0);
        refill(&mut right, n, 0.0);
        for group in &system.groups {
            self.add_group_in_joints(system, group, &mut gram, &mut right);
        }
        for a in 0..n {
            gram[a * n + a] += self.unknowns[a].d;
        }
        let solved = cholesky_factor(&mut gram, n, 0.0);
        if solved {
            cholesky_solve(&gram, &mut right);
            for ((x, z), unknown) in self.x.iter_mut().zip(&right).zip(&self.unknowns) {
                *x += if unknown.is_set { 0.0 } else { *z };
            }
        }
        (self.gram, self.right) = (gram, right);
        // What the step leaves of each miss stands in for the multipliers.
        self.leave(system, misses);
        solved
    }

    fn add_group_in_joints(
        &self,
        system: &System,
        group: &Group,
        gram: &mut [f64],
        right: &mut [f64],
    ) {
        let (n, height) = (system.n_touched, group.height());
        let (y, active) = (&self.y[group.rows.clone()], &self.is_active[group.rows.clone()]);
        let unknowns = || system.runs(group.demand).iter().flat_map(|run| run.start..run.end);
        let jacobian = self.jacobian(system);
        let column = |k: usize| &jacobian[group.first + k * height..group.first + (k + 1) * height];
        for (k, a) in unknowns().enumerate().filter(|(_, a)| !self.unknowns[*a].is_set) {
            right[a] += small_dot(column(k), y);
            for (l, b) in
                unknowns().enumerate().take(k + 1).filter(|(_, b)| !self.unknowns[*b].is_set)
            {
                let products = column(k).iter().zip(column(l)).zip(active);
                gram[b * n + a] +=
                    products.map(|((x, y), on)| if *on { x * y } else { 0.0 }).sum::<f64>();
            }
        }
    }

    /// Solves again for other misses, with the factor at hand: what to add to the step. For steps without hard rows only.
    pub(super) fn solve_again(&mut self, system: &System, misses: &[f64], out: &mut Vec<f64>) {
        refill(out, system.n_unknowns, 0.0);
        self.y.clear();
        let asked = misses.iter().zip(&self.is_active);
        self.y.extend(asked.map(|(miss, is_active)| if *is_active { *miss } else { 0.0 }));
        self.add_answer(system, out);
    }

    /// Whether the factor at hand is the tasks'.
    pub(super) fn can_solve_again(&self) -> bool {
        self.solved_in_tasks && !self.active.is_empty()
    }

    /// The largest sum of changes on the way to one task.
    fn longest_path(&self, system: &System) -> f64 {
        let along = |runs: &[Run]| -> f64 {
            runs.iter().flat_map(|run| &self.x[run.start..run.end]).map(|x| x.abs()).sum()
        };
        let paths = system.groups.iter().map(|group| along(system.runs(group.demand)));
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
                    let unknown = &mut self.unknowns[i];
                    if unknown.is_set {
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
                    (unknown.is_set, unknown.fixed) = (true, end - value);
                    found = true;
                }
                Motion::Turn => found |= self.stop_at_walls(rig, k, block),
                Motion::Shift => {}
            }
        }
        found
    }

    /// What still pulls at each unknown: `Jᵀ y` and the pulls, less the damping.
    fn find_push(&mut self, system: &System) {
        let pulls = self.pull.iter().zip(&self.toward).zip(self.unknowns.iter().zip(&self.x));
        self.push.clear();
        self.push.extend(pulls.map(|((pull, by), (unknown, x))| pull * by - unknown.d * x));
        add_transposed(system, &system.jacobian, &self.y, &mut self.push);
    }

    /// Lets go of unknowns that are set to end at a limit although, with the others set, they would rather come back from it, and of
    /// floors that hold their rows down; true if there were any.
    fn release(&mut self, system: &System) -> bool {
        let mut found = false;
        if self.unknowns.iter().any(|unknown| unknown.is_set) || !self.walls.is_empty() {
            self.find_push(system);
            for (i, unknown) in self.unknowns.iter_mut().enumerate() {
                let (min, max) = self.ranges[i];
                let end = self.values[i] + unknown.fixed;
                let outward = if end - min < max - end { -self.push[i] } else { self.push[i] };
                let may_go = unknown.is_set && !unknown.is_frozen && !unknown.was_released;
                if may_go && outward < 0.0 && min < max {
                    (unknown.is_set, unknown.was_released, unknown.fixed) = (false, true, 0.0);
                    found = true;
                }
            }
        }
        for k in 0..self.walls.len() {
            let Wall { block, outward, is_open } = self.walls[k];
            let first = system.blocks[block].first;
            if !is_open && outward.dot(DVec3::from_slice(&self.push[first..])) < 0.0 {
                self.walls[k].is_open = true;
                self.fix(first, less(self.fixed(first), outward));
                found = true;
            }
        }
        for &r in &self.active {
            if system.rows[r].is_floor && self.y[r] < 0.0 && !self.was_dropped[r] {
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
            self.fix(block.first, self.fixed(block.first) + outward * room.max(0.0));
            found = true;
        }
        found
    }

    /// What a ball does in the directions of its walls; `first` is the first of its unknowns.
    fn fixed(&self, first: usize) -> DVec3 {
        DVec3::from_array([0, 1, 2].map(|k| self.unknowns[first + k].fixed))
    }

    fn fix(&mut self, first: usize, by: DVec3) {
        for (unknown, by) in self.unknowns[first..].iter_mut().zip(by.to_array()) {
            unknown.fixed = by;
        }
    }

    /// Takes the walls' directions out of the part of the step that is free.
    fn project_on_walls(&mut self, system: &System) {
        for wall in self.walls.iter().filter(|wall| !wall.is_open) {
            let first = system.blocks[wall.block].first;
            let (x, fixed) = (DVec3::from_slice(&self.x[first..]), self.fixed(first));
            (less(x - fixed, wall.outward) + fixed).write_to_slice(&mut self.x[first..]);
        }
    }

    /// Floors that the step would break take part from now on; true if there were any.
    fn join_floors(&mut self, system: &System, misses: &[f64]) -> bool {
        if self.active.len() == misses.len() {
            return false;
        }
        // What the step does to every row.
        refill(&mut self.by_row, misses.len(), 0.0);
        add_product(system, &system.jacobian, &self.x, self.scale, &mut self.by_row);
        let mut found = false;
        for r in 0..misses.len() {
            if self.is_active[r] || (self.was_dropped[r] && misses[r] <= 0.0) {
                continue;
            }
            if self.by_row[r] < misses[r] {
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
            let parts = swing_twist(self.state[i].rotation, axis);
            let swing_axis = parts.swing.xyz().try_normalize();
            let room = swing - parts.swing_angle();
            out = swing_axis.map(|axis| (self.before(i) * axis, room));
            // The twist grows with what turns about the middle between the axis before the motion and after it, faster the more
            // the axis swings: by ω · (z + R z) / (1 + cos swing).
            let middle = (self.before(i) * axis + self.world[i].rotation * axis).try_normalize();
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
            let turned = so3_log(self.state[i].rotation * self.start_turn(i).conjugate());
            let room = node.leash - turned.length();
            off = turned.try_normalize().map(|axis| (self.before(i) * axis, room));
        }
        [out, end, off]
    }
}

/// Sum of a few products.
#[inline]
fn small_dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// A vector less its part in a direction.
fn less(v: DVec3, direction: DVec3) -> DVec3 {
    v - direction * direction.dot(v)
}

fn refill<T: Clone>(list: &mut Vec<T>, n: usize, value: T) {
    list.clear();
    list.resize(n, value);
}
