//! Which limits block a pose, and by how much.

use super::LeastSquares;
use super::rows::refill;
use super::structure::{Block, Motion};
use crate::math::{dot, sqrt};
use crate::solve::methods::Method;
use crate::solve::pose::State;
use crate::solve::problem::{Kind, Problem};
use crate::solve::solution::{Hold, HoldKind};
use alloc::vec::Vec;
use glam::DVec3;

/// A gradient below this fraction of that of a rigid bone is rounding.
const SLOPE: f64 = 1e-6;

/// The distance from a limit that counts as at the limit \[rad, or the unit of length\].
const AT_LIMIT: f64 = 1e-9;

/// A limit of a block.
struct Wall {
    /// The outward direction; of a variable, along the first axis.
    normal: DVec3,
    /// The distance to it \[rad, or the unit of length\].
    room: f64,
    kind: HoldKind,
}

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
        // The negative gradient of half the sum of squares, `Jᵀ e`.
        self.right.clear();
        self.right.extend((0..self.system.rows.len()).map(|r| self.system.counted(r)));
        refill(&mut self.curvature, self.system.structure.n_unknowns, 0.0);
        self.system.add_transposed(&self.right, &mut self.curvature);
        let miss = sqrt(dot(&self.right, &self.right));
        let enough = SLOPE * miss * problem.unit;
        let blocks = &self.system.structure.blocks;
        let root_weight = sqrt(problem.weight_unit(1));
        for block in blocks {
            let push = &self.curvature[block.range()];
            let push = DVec3::from_array([0, 1, 2].map(|k| push.get(k).copied().unwrap_or(0.0)));
            let node = &problem.nodes[block.node];
            let slopes = at_limits(problem, state, block).map(|at| (push.dot(at.normal), at.kind));
            let steepest = slopes.reduce(|most, next| if next.0 > most.0 { next } else { most });
            if let Some((slope, kind)) = steepest.filter(|steepest| steepest.0 > enough) {
                let slides = matches!(node.kind, Kind::Slide { .. });
                let relief = slope / miss * root_weight / if slides { 1.0 } else { problem.scale };
                holds.push(Hold { joint: node.joint, kind, relief });
            }
        }
        if holds.is_empty() {
            for block in blocks.iter().filter(|block| self.moves_misses(block)) {
                if let Some(Wall { kind, .. }) = at_limits(problem, state, block).next() {
                    holds.push(Hold { joint: problem.nodes[block.node].joint, kind, relief: 0.0 });
                }
            }
        }
        holds.sort_unstable_by_key(|hold| hold.joint);
        holds.dedup_by_key(|hold| hold.joint);
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

/// The limits that a block is at.
fn at_limits(problem: &Problem, state: &State, block: &Block) -> impl Iterator<Item = Wall> {
    let kind_of =
        |is_change: bool| [HoldKind::Limit, HoldKind::LargestChange][usize::from(is_change)];
    let walls = match block.motion {
        Motion::Variable => {
            let index = problem.nodes[block.node].variable;
            let (variable, x) = (&problem.variables[index], state.values.variables[index]);
            let unit = if variable.is_length { problem.unit } else { 1.0 };
            let ends = [(-1.0, x - variable.min), (1.0, variable.max - x)];
            let [low, high] = [0, 1].map(|end| {
                let (sign, room) = ends[end];
                let kind = kind_of(variable.is_largest_change[end]);
                Some(Wall { normal: DVec3::X * sign, room: room / unit, kind })
            });
            [low, high, None]
        }
        Motion::Rotation => {
            let spaces = state.half_spaces(problem, block.node);
            [0, 1, 2].map(|k| {
                spaces[k].map(|(normal, room)| Wall { normal, room, kind: kind_of(k == 2) })
            })
        }
        Motion::Displacement => [const { None }; 3],
    };
    walls.into_iter().flatten().filter(|wall| wall.room <= AT_LIMIT)
}
