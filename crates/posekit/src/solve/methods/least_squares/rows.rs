//! The rows of the tasks in the present pose, and the Jacobian.
//!
//! The gradient of a row with respect to the motion of a frame is a wrench. A joint moves every frame below it as a rigid body, so an element of
//! the Jacobian is the wrench times the velocity of the frame at unit speed of the joint.

use super::structure::{Motion, Structure};
use crate::math::{Pose, sqrt};
use crate::solve::pose::State;
use crate::solve::problem::{Goal, Kind, Problem, extend};
use crate::task::{Row, Wrench};
use alloc::vec::Vec;
use core::ops::Range;
use glam::DVec3;

/// The rows of one task.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub(super) goal: usize,
    pub(super) rows: Range<usize>,
    /// The frames in the world.
    pub(super) frames: [Pose; 2],
}

/// Rows of the tasks of some levels.
#[derive(Debug, Clone, Default)]
pub(super) struct System {
    pub(super) structure: Structure,
    /// The number of rows of all tasks.
    pub(super) n_rows: usize,
    /// Their wrenches are weighted like the residuals.
    pub(super) rows: Vec<Row>,
    pub(super) groups: Vec<Group>,
    /// Weighted residuals `e`; of inequalities with either sign.
    pub(super) misses: Vec<f64>,
    /// The Jacobian of the values, weighted like the residuals, by columns.
    pub(super) jacobian: Vec<f64>,
    /// Its number of rows, and for each unknown the rows from the first to the last that it moves.
    height: usize,
    extents: Vec<Range<usize>>,
    /// Mass and mass × centre of what each node carries.
    carried: Vec<(f64, DVec3)>,
}

impl System {
    /// Prepares for a problem.
    pub(super) fn prepare(&mut self, problem: &Problem, state: &State) {
        self.structure.prepare(problem);
        self.measure(problem, state, self.structure.order.len());
        self.n_rows = self.rows.len();
        make_room(&mut self.jacobian, self.n_rows * self.structure.n_unknowns);
        make_room(&mut self.extents, self.structure.n_unknowns);
    }

    /// Measures the rows of the first `n_goals` of [`Structure::order`] and their weighted residuals.
    pub(super) fn measure(&mut self, problem: &Problem, state: &State, n_goals: usize) {
        let order = &self.structure.order[..n_goals];
        self.rows.clear();
        self.groups.clear();
        self.misses.clear();
        for &k in order {
            let (goal, first_row) = (&problem.goals[k], self.rows.len());
            let frames = problem.frames_of(goal, state);
            goal.kind.rows(&frames, &mut self.rows);
            // The root of the weight, and for angles the length that a radian counts as.
            let (length, angle) = (sqrt(goal.weight), sqrt(goal.weight) * problem.unit);
            for row in &mut self.rows[first_row..] {
                let by = if row.reading.is_length() { length } else { angle };
                self.misses.push(row.reading.miss * by);
                for Wrench { force, moment } in &mut row.wrenches {
                    (*force, *moment) = (*force * by, *moment * by);
                }
            }
            let rows = first_row..self.rows.len();
            if !rows.is_empty() {
                self.groups.push(Group { goal: k, rows, frames });
            }
        }
    }

    /// Drops the rows from `n_rows` on, where a group begins.
    pub(super) fn truncate(&mut self, n_rows: usize) {
        self.rows.truncate(n_rows);
        self.misses.truncate(n_rows);
        self.groups.retain(|group| group.rows.end <= n_rows);
    }

    /// Computes the Jacobian of the measured rows, at the pose where they were measured.
    pub(super) fn differentiate(&mut self, problem: &Problem, state: &State) {
        let Self { structure, rows: all, groups, jacobian, carried, height, extents, .. } = self;
        *height = all.len();
        refill(jacobian, *height * structure.n_unknowns, 0.0);
        refill(extents, structure.n_unknowns, 0..0);
        for Group { goal: index, rows, frames } in groups {
            let goal = &problem.goals[*index];
            let mass = (!goal.bodies.is_empty()).then(|| state.weigh(problem, goal, carried));
            for link in structure.links(*index) {
                let block = &link.block;
                extents[block.range()].iter_mut().for_each(|extent| extend(extent, rows.clone()));
                let columns = &mut jacobian[block.first * *height + rows.start..];
                let at = state.world[link.node].translation;
                for side in [0, 1] {
                    if !link.moves[side] {
                        continue;
                    }
                    // The lever from the node to the frame, and the displacement of the frame per displacement of the node: for the centre of
                    // mass, the fraction of the mass that the node carries.
                    let (lever, share) = match mass {
                        None => (frames[side].translation - at, 1.0),
                        Some(mass) => {
                            let (part, moment) = carried[link.node];
                            ((moment - at * part) / mass, part / mass)
                        }
                    };
                    let wrenches = all[rows.clone()].iter().map(|row| &row.wrenches[side]);
                    match block.motion {
                        Motion::Variable => {
                            let (v, w) = state.velocity(problem, link.node, lever, share);
                            for (r, Wrench { force, moment }) in wrenches.enumerate() {
                                columns[r] += force.dot(v) + moment.dot(w);
                            }
                        }
                        Motion::Rotation => add_three(columns, *height, wrenches, |wrench| {
                            wrench.moment + lever.cross(wrench.force)
                        }),
                        Motion::Displacement => {
                            add_three(columns, *height, wrenches, |wrench| wrench.force * share);
                        }
                    }
                }
            }
        }
    }

    /// The columns of the Jacobian, or of another matrix of its shape: the rows where it may be nonzero, and its elements there.
    pub(super) fn columns<'a>(
        &'a self,
        matrix: &'a [f64],
    ) -> impl Iterator<Item = (Range<usize>, &'a [f64])> {
        let columns = self.extents.iter().zip(matrix.chunks_exact(self.height.max(1)));
        columns.map(|(rows, column)| (rows.clone(), &column[rows.clone()]))
    }

    /// Adds `by J x` to one number per row.
    pub(super) fn add_product(&self, x: &[f64], by: f64, out: &mut [f64]) {
        let columns = self.columns(&self.jacobian).zip(x);
        for ((rows, column), x) in columns.filter(|(_, x)| **x != 0.0) {
            add_scaled(column, by * x, &mut out[rows]);
        }
    }

    /// Adds `Jᵀ y` to one number per unknown.
    pub(super) fn add_transposed(&self, y: &[f64], out: &mut [f64]) {
        for (out, (rows, column)) in out.iter_mut().zip(self.columns(&self.jacobian)) {
            *out += column.iter().zip(&y[rows]).map(|(x, y)| x * y).sum::<f64>();
        }
    }
}

impl State {
    /// The linear and angular velocity of a point at `lever` from a hinge or slide per unit of its variable; of a displacement it takes a
    /// `share`.
    fn velocity(&self, problem: &Problem, i: usize, lever: DVec3, share: f64) -> (DVec3, DVec3) {
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

    /// The mass, and mass times centre, that each node carries; returns the total mass.
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

/// Adds a vector to each row of three columns.
fn add_three<'a>(
    columns: &mut [f64],
    height: usize,
    wrenches: impl Iterator<Item = &'a Wrench>,
    gradient: impl Fn(&Wrench) -> DVec3,
) {
    for (r, wrench) in wrenches.enumerate() {
        let v = gradient(wrench);
        columns[r] += v.x;
        columns[height + r] += v.y;
        columns[2 * height + r] += v.z;
    }
}

/// Adds a multiple of one list to another.
pub(super) fn add_scaled(list: &[f64], by: f64, out: &mut [f64]) {
    out.iter_mut().zip(list).for_each(|(sum, x)| *sum += by * x);
}

/// Sets a list to `n` times a value.
pub(super) fn refill<T: Clone>(list: &mut Vec<T>, n: usize, value: T) {
    list.clear();
    list.resize(n, value);
}

/// Reserves capacity for `n` elements in total.
pub(super) fn make_room<T>(list: &mut Vec<T>, n: usize) {
    list.reserve(n.saturating_sub(list.len()));
}
