//! Costs of single unknowns: postures, regularisation, least change.
//!
//! A cost is a term `w (x − t)²` of the objective with weight `w` and target `t`. Several costs of one unknown sum to one about their weighted
//! mean.

use super::LeastSquares;
use super::levels::LEAST_CHANGE;
use super::structure::{Block, Motion};
use crate::math::{Pose, so3_log, wrap_angle};
use crate::solve::pose::State;
use crate::solve::problem::{NONE, Problem};
use glam::DVec3;

/// A cost of one block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cost {
    block: Block,
    weight: f64,
    /// Its fraction of all costs of the block.
    share: f64,
    /// The target of the variable of a hinge or slide.
    value: f64,
    /// The target of a ball or free joint.
    motion: Pose,
    /// An unlimited hinge: the difference is wrapped.
    wraps: bool,
}

impl LeastSquares {
    /// The preferred values of a posture have changed.
    pub(in crate::solve) fn forget_costs(&mut self) {
        self.costs_level = 0;
    }

    /// Lists the costs of a level.
    pub(super) fn list_costs(&mut self, problem: &Problem, state: &State, level: u8) {
        let is_last = level == LEAST_CHANGE;
        let stay = if is_last { 1.0 } else { problem.stay_cost(level) };
        if stay == 0.0 && self.costs_level == level {
            return;
        }
        self.costs_level = level;
        self.costs.clear();
        if stay > 0.0 || problem.postures(Some(level)).next().is_some() {
            for k in 0..self.system.structure.blocks.len() {
                self.list_costs_of(problem, state, self.system.structure.blocks[k], stay, level);
            }
        }
        // The weights are constant within a level.
        let (n, step) = (self.system.structure.n_unknowns, &mut self.step);
        step.cost.clear();
        step.cost.resize(n, 0.0);
        step.target.resize(n, 0.0);
        for cost in &self.costs {
            step.cost[cost.block.range()].iter_mut().for_each(|sum| *sum += cost.weight);
        }
        for cost in &mut self.costs {
            cost.share = cost.weight / step.cost[cost.block.first];
        }
    }

    fn list_costs_of(
        &mut self,
        problem: &Problem,
        state: &State,
        block: Block,
        stay: f64,
        level: u8,
    ) {
        let node = &problem.nodes[block.node];
        let (variable, unit) = (problem.variables.get(node.variable), problem.unit);
        let by = if problem.is_angle(&block) { unit * unit } else { 1.0 };
        let wraps = variable.is_some_and(|variable| variable.wraps);
        let mut add = |weight: f64, value: f64, motion: Pose| {
            if weight > 0.0 {
                self.costs.push(Cost { block, weight, share: 1.0, value, motion, wraps });
            }
        };
        let begun = state.begun.variables.get(node.variable).copied().unwrap_or(0.0);
        add(by * stay * node.stiffness, begun, state.begun.motions[block.node]);
        let joint =
            if node.variable == NONE { Some(node.joint) } else { problem.joint_of(node.variable) };
        let Some(joint) = joint else { return };
        for (posture, weight) in problem.postures(Some(level)) {
            let by = match posture.radian.filter(|_| problem.is_angle(&block)) {
                Some(length) => (length * problem.scale) * (length * problem.scale),
                None => by,
            };
            let weight = posture.care(joint) * weight * by;
            if variable.is_some() {
                add(weight, problem.preferred_value(posture, node.variable), Pose::IDENTITY);
            } else {
                add(weight, 0.0, problem.preferred_motion(posture, node));
            }
        }
    }

    /// Finds the targets of the costs relative to the present pose.
    pub(super) fn aim_costs(&mut self, problem: &Problem, state: &State) {
        let target = &mut self.step.target;
        target.fill(0.0);
        for Cost { block, share, value, motion, wraps, .. } in &self.costs {
            let (i, node) = (block.node, &problem.nodes[block.node]);
            if block.motion == Motion::Variable {
                let off = value - state.values.variables[node.variable];
                target[block.first] += share * if *wraps { wrap_angle(off) } else { off };
                continue;
            }
            let now = state.values.motions[i];
            let off: DVec3 = match block.motion {
                Motion::Displacement => motion.translation - now.translation,
                _ => so3_log(motion.rotation * now.rotation.conjugate()),
            };
            let off = state.before(node) * off * *share;
            target[block.range()].iter_mut().zip(off.to_array()).for_each(|(sum, by)| *sum += by);
        }
    }

    /// Whether a level has costs besides its rows.
    pub(super) fn has_costs(&self, problem: &Problem, level: u8) -> bool {
        problem.stay_cost(level) > 0.0 || problem.postures(Some(level)).next().is_some()
    }
}

impl Problem {
    /// Cost of the change from the start against the tasks of a level.
    fn stay_cost(&self, level: u8) -> f64 {
        self.settings.least_squares.regularisation / self.weight_unit(level)
    }
}
