//! The rows of the tasks in the present pose, and the Jacobian.
//!
//! A row says how its value changes when a frame moves (a wrench). A joint moves every frame below it like a rigid body, so an element of the
//! Jacobian is the wrench times the velocity of the frame at unit speed of the joint.

use super::structure::{Motion, Structure};
use crate::math::{Pose, sqrt};
use crate::solve::pose::State;
use crate::solve::problem::{Goal, Kind, NONE, Problem};
use crate::task::{Reading, Row, Wrench};
use alloc::vec::Vec;
use core::ops::Range;
use glam::DVec3;

/// What misses are multiplied by: the root of the weight, and the length that a radian counts like.
#[derive(Debug, Clone, Copy)]
pub(super) struct Units {
    pub(super) length: f64,
    pub(super) angle: f64,
}

impl Units {
    pub(super) fn of(problem: &Problem, goal: &Goal) -> Self {
        let root = sqrt(goal.weight);
        Self { length: root, angle: root * problem.unit }
    }

    fn by(self, row: &Reading) -> f64 {
        if row.is_length() { self.length } else { self.angle }
    }
}

/// The rows of one task, and where their part of the Jacobian is.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub(super) goal: usize,
    pub(super) rows: Range<usize>,
    /// First element in [`System::jacobian`].
    pub(super) first: usize,
    /// Where the frames are.
    pub(super) frames: [Pose; 2],
}

impl Group {
    /// Number of rows.
    pub(super) fn height(&self) -> usize {
        self.rows.len()
    }
}

/// Rows of the tasks of some levels.
#[derive(Debug, Clone, Default)]
pub(super) struct System {
    pub(super) structure: Structure,
    /// Rows of all tasks together.
    pub(super) n_rows: usize,
    pub(super) rows: Vec<Reading>,
    pub(super) groups: Vec<Group>,
    /// Weighted misses `e`; those of inequalities whatever their sign.
    pub(super) misses: Vec<f64>,
    /// How values grow, weighted like the misses: group after group; in a group, column after column for the unknowns of its
    /// [spans](Structure::spans), each as long as the group has rows.
    pub(super) jacobian: Vec<f64>,
    gradients: Vec<Row>,
    /// Mass and mass × centre of what each node carries.
    carried: Vec<(f64, DVec3)>,
}

impl System {
    /// Takes over a problem.
    pub(super) fn prepare(&mut self, problem: &Problem, state: &State) {
        self.structure.prepare(problem);
        self.measure(problem, state, self.structure.order.len());
        self.n_rows = self.rows.len();
        make_room(&mut self.gradients, self.n_rows);
        make_room(&mut self.jacobian, self.n_rows * self.structure.n_unknowns);
    }

    /// Finds the rows of the first `n_goals` of [`Structure::order`] and their weighted misses.
    pub(super) fn measure(&mut self, problem: &Problem, state: &State, n_goals: usize) {
        let order = &self.structure.order[..n_goals];
        self.rows.clear();
        self.groups.clear();
        self.misses.clear();
        let mut first = 0;
        for &k in order {
            let (goal, first_row) = (&problem.goals[k], self.rows.len());
            let frames = problem.frames_of(goal, state);
            goal.kind.rows(&frames, &mut self.rows);
            let (units, new) = (Units::of(problem, goal), &self.rows[first_row..]);
            self.misses.extend(new.iter().map(|row| row.miss * units.by(row)));
            let rows = first_row..self.rows.len();
            if !rows.is_empty() {
                let size = rows.len() * self.structure.n_columns(k);
                self.groups.push(Group { goal: k, rows, first, frames });
                first += size;
            }
        }
    }

    /// Forgets the rows from `n_rows` on, where a group begins.
    pub(super) fn truncate(&mut self, n_rows: usize) {
        self.rows.truncate(n_rows);
        self.misses.truncate(n_rows);
        self.groups.retain(|group| group.rows.end <= n_rows);
    }

    /// Fills in the Jacobian of the rows measured, in the pose where they were measured.
    pub(super) fn differentiate(&mut self, problem: &Problem, state: &State) {
        let size = self
            .groups
            .last()
            .map_or(0, |group| group.first + group.height() * self.structure.n_columns(group.goal));
        self.jacobian.clear();
        self.jacobian.resize(size, 0.0);
        let mut carried = core::mem::take(&mut self.carried);
        for k in 0..self.groups.len() {
            let Group { goal, frames, .. } = self.groups[k];
            let goal = &problem.goals[goal];
            self.gradients.clear();
            goal.kind.rows(&frames, &mut self.gradients);
            if goal.bodies.is_empty() {
                self.add_columns(problem, state, k, |node, side| {
                    (frames[side].translation - state.world[node].translation, 1.0)
                });
            } else {
                // Each node carries a part of the mass, and moves the centre by so much of what it moves that part's centre.
                let total = state.weigh(problem, goal, &mut carried);
                self.add_columns(problem, state, k, |node, _| {
                    let (mass, moment) = carried[node];
                    ((moment - state.world[node].translation * mass) / total, mass / total)
                });
            }
        }
        self.carried = carried;
    }

    /// The columns of a group. `lever` says for a node and a frame: the lever from the node to the frame, and by how much of a slide of the
    /// node the frame moves.
    fn add_columns(
        &mut self,
        problem: &Problem,
        state: &State,
        k: usize,
        lever: impl Fn(usize, usize) -> (DVec3, f64),
    ) {
        let rows = self.groups[k].rows.clone();
        let mut row = rows.start;
        while row < rows.end {
            row += match rows.end - row {
                6.. => self.add_rows::<6>(problem, state, k, row, &lever),
                3.. => self.add_rows::<3>(problem, state, k, row, &lever),
                _ => self.add_rows::<1>(problem, state, k, row, &lever),
            };
        }
    }

    /// `M` rows of a group's columns, as many as the compiler shall work on at once; returns their number.
    fn add_rows<const M: usize>(
        &mut self,
        problem: &Problem,
        state: &State,
        k: usize,
        first_row: usize,
        lever: &impl Fn(usize, usize) -> (DVec3, f64),
    ) -> usize {
        let Group { goal: index, ref rows, first, .. } = self.groups[k];
        let (height, first) = (rows.len(), first + first_row - rows.start);
        let goal = &problem.goals[index];
        let gradients = &self.gradients[first_row - rows.start..];
        let is_moved = |side: usize| {
            goal.carriers[side].node != NONE || (side == 0 && !goal.bodies.is_empty())
        };
        for side in (0..2).filter(|&side| is_moved(side)) {
            let wrenches = Wrenches::<M>::gather(gradients, Units::of(problem, goal), side);
            for link in self.structure.links(index).iter().filter(|link| link.moves[side]) {
                let out = &mut self.jacobian[first + link.column * height..];
                let (lever, share) = lever(link.node, side);
                match link.motion {
                    Motion::Variable => {
                        let (v, w) = state.velocity(problem, link.node, lever, share);
                        wrenches.add_power(v, w, out);
                    }
                    Motion::Rotation => {
                        for k in 0..3 {
                            wrenches.add_moment(k, lever, &mut out[k * height..]);
                        }
                    }
                    Motion::Displacement => {
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
            let (Wrench { force, moment }, by) = (row.wrenches[side], units.by(&row.reading));
            for k in 0..3 {
                all.force[k][r] = force[k] * by;
                all.moment[k][r] = moment[k] * by;
            }
        }
        all
    }

    /// Adds how fast the rows' values change while the frame's origin moves by `v` and the frame rotates by `w`.
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
            let by_lever = lever[next] * self.force[last][r] - lever[last] * self.force[next][r];
            out[r] += self.moment[axis][r] + by_lever;
        }
    }
}

impl State {
    /// How a point at `lever` from a hinge or slide moves and rotates per unit of its variable; of a displacement it has a `share`.
    #[inline(always)]
    pub(super) fn velocity(
        &self,
        problem: &Problem,
        i: usize,
        lever: DVec3,
        share: f64,
    ) -> (DVec3, DVec3) {
        let node = &problem.nodes[i];
        match node.kind {
            Kind::Hinge { axis } => {
                let axis = self.in_world(i, axis) * node.gain;
                (axis.cross(lever), axis)
            }
            Kind::Slide { axis } => (self.in_world(i, axis) * (node.gain * share), DVec3::ZERO),
            Kind::Ball | Kind::Free => (DVec3::ZERO, DVec3::ZERO),
        }
    }

    /// Mass, and mass times centre, that each node carries; returns the whole mass.
    fn weigh(&self, problem: &Problem, goal: &Goal, carried: &mut Vec<(f64, DVec3)>) -> f64 {
        carried.clear();
        carried.resize(problem.nodes.len(), (0.0, DVec3::ZERO));
        let mut total = 0.0;
        for (carrier, mass) in &problem.bodies[goal.bodies.clone()] {
            total += mass;
            if let Some((own, moment)) = carried.get_mut(carrier.node) {
                *own += mass;
                *moment += self.frame_of(carrier).translation * *mass;
            }
        }
        for i in (0..problem.nodes.len()).rev() {
            let (mass, moment) = carried[i];
            if let Some(above) = carried.get_mut(problem.nodes[i].parent) {
                above.0 += mass;
                above.1 += moment;
            }
        }
        total
    }
}

/// Room for `n` elements in all.
pub(super) fn make_room<T>(list: &mut Vec<T>, n: usize) {
    list.reserve(n.saturating_sub(list.len()));
}
