//! Which limits block a pose, and by how much.

use super::LeastSquares;
use super::structure::{Block, Motion};
use crate::math::sqrt;
use crate::solve::methods::Method;
use crate::solve::pose::State;
use crate::solve::problem::{Kind, NONE, Problem};
use crate::solve::solution::{Hold, HoldKind};
use alloc::vec::Vec;
use glam::DVec3;

/// A gradient below this fraction of that of a rigid bone is rounding.
const SLOPE: f64 = 1e-6;

/// The distance from a limit that counts as at the limit \[rad, or the unit of length\].
const AT_LIMIT: f64 = 1e-9;

/// A joint at a limit: the first-order decrease of the residual per unit beyond it, and which limit it is.
type Held = Option<(f64, HoldKind)>;

impl LeastSquares {
    /// The joints whose limit or largest change blocks the effectors: those whose gradient points outward or, if none does (at a local minimum),
    /// all that are at a limit and move a task with a residual.
    pub(in crate::solve) fn find_holds(
        &mut self,
        problem: &Problem,
        state: &State,
        holds: &mut Vec<Hold>,
    ) {
        holds.clear();
        self.resume(problem, state);
        self.system.differentiate(problem, state);
        self.find_slope(false);
        let rows = (0..self.system.rows.len()).map(|r| self.system.counted(r));
        let miss = sqrt(rows.map(|e| e * e).sum());
        let enough = SLOPE * miss * problem.unit;
        let blocks = &self.system.structure.blocks;
        let root_weight = sqrt(problem.weight_unit(1));
        for block in blocks {
            if let Some((slope, kind)) =
                self.held(problem, state, block).filter(|held| held.0 > enough)
            {
                let slides = matches!(problem.nodes[block.node].kind, Kind::Slide { .. });
                let relief = slope / miss * root_weight / if slides { 1.0 } else { problem.scale };
                holds.push(Hold { joint: problem.nodes[block.node].joint, kind, relief });
            }
        }
        if holds.is_empty() {
            for block in blocks.iter().filter(|block| self.moves_misses(block)) {
                if let Some(kind) = nearest_limit(problem, state, block) {
                    holds.push(Hold { joint: problem.nodes[block.node].joint, kind, relief: 0.0 });
                }
            }
        }
        holds.sort_unstable_by_key(|hold| hold.joint);
        holds.dedup_by_key(|hold| hold.joint);
    }

    /// The outward gradient of a block that is at a limit.
    fn held(&self, problem: &Problem, state: &State, block: &Block) -> Held {
        let push = &self.curvature[block.range()];
        match block.motion {
            Motion::Variable => {
                let index = problem.nodes[block.node].variable;
                let (variable, x) = (&problem.variables[index], state.values.variables[index]);
                let end = usize::from(push[0] > 0.0);
                let room = if end == 1 { variable.max - x } else { x - variable.min };
                let near = AT_LIMIT * if variable.is_length { problem.unit } else { 1.0 };
                (room <= near).then(|| (push[0].abs(), kind_of(variable.is_largest_change[end])))
            }
            Motion::Rotation => {
                let push = DVec3::from_slice(push);
                let spaces = state.half_spaces(problem, block.node);
                let [edge, end, change] = spaces.map(|space| {
                    let held = space.filter(|(_, room)| *room <= AT_LIMIT);
                    held.map_or(0.0, |(normal, _)| push.dot(normal))
                });
                let limit = edge.max(end).max(0.0);
                Some((change.max(limit), kind_of(change > limit)))
            }
            Motion::Displacement => None,
        }
    }

    /// Whether a block moves a row with a residual.
    fn moves_misses(&self, block: &Block) -> bool {
        let system = &self.system;
        system.groups.iter().any(|group| {
            let is_missed = group.rows.clone().any(|r| system.counted(r) != 0.0);
            let columns = system.columns(&system.jacobian).skip(block.first);
            let mut blocks = columns.take(block.range().len());
            let moves = |x: &f64| x.abs() > SLOPE;
            is_missed
                && blocks.any(|(rows, column)| {
                    group.rows.clone().any(|r| rows.contains(&r) && moves(&column[r - rows.start]))
                })
        })
    }
}

fn kind_of(is_largest_change: bool) -> HoldKind {
    if is_largest_change { HoldKind::LargestChange } else { HoldKind::Limit }
}

/// The limit that a block is at.
fn nearest_limit(problem: &Problem, state: &State, block: &Block) -> Option<HoldKind> {
    let node = &problem.nodes[block.node];
    if node.variable == NONE {
        let spaces = state.half_spaces(problem, block.node);
        let is_at = |space: &Option<(DVec3, f64)>| space.is_some_and(|(_, room)| room <= AT_LIMIT);
        let place = spaces.iter().position(is_at)?;
        return Some(kind_of(place == 2));
    }
    let (variable, x) = (&problem.variables[node.variable], state.values.variables[node.variable]);
    let (down, up) = (x - variable.min, variable.max - x);
    let near = AT_LIMIT * if variable.is_length { problem.unit } else { 1.0 };
    (down.min(up) <= near).then(|| kind_of(variable.is_largest_change[usize::from(up < down)]))
}
