//! Points at fixed distances, on which relaxation, FABRIK and the direct solver work, for chains in any dimension and for skeletons.
//!
//! A chain is moved to the origin and scaled to the order of one by a power of two, so that a problem in other units takes the same steps. The
//! points of a skeleton are its nodes, then its effectors, in the problem's units.

use super::pose::State;
use super::problem::{NONE, Problem, power_of_two_below, worse};
use crate::chain::{Bones, Chain, Goals, Reach, Space, distance, fabrik, in_space, point};
use crate::math::sqrt;
use crate::task::Miss;
use alloc::vec::Vec;
use glam::DVec3;

/// See the module.
#[derive(Debug, Clone, Default)]
pub(super) struct Points {
    pub(super) dimension: usize,
    /// Multiplies a length in the caller's units.
    pub(super) scale: f64,
    /// The origin, in the caller's units and frame; in space for a skeleton.
    origin: Vec<f64>,
    parents: Vec<usize>,
    lengths: Vec<f64>,
    weights: Vec<f64>,
    pub(super) effectors: Vec<usize>,
    pub(super) targets: Vec<f64>,
    /// The pose, at the exact lengths.
    pub(super) points: Vec<f64>,
    start: Vec<f64>,
    kept: Vec<f64>,
    pub(super) branches: fabrik::Branches,
    /// Unbranched, and the tip is the only effector.
    pub(super) is_path: bool,
    /// Sum of the bones to the effector that reaches farthest.
    pub(super) unit: f64,
    reaches: Vec<Reach>,
    /// Per effector: by how much its target is out of reach, proven.
    shortfalls: Vec<f64>,
}

impl Points {
    /// Starts from a chain, its effectors and their targets.
    pub(super) fn begin_chain(&mut self, chain: &Chain, goals: Goals<'_>) {
        let n = chain.dimension();
        self.dimension = n;
        self.parents.clone_from(&chain.parents);
        self.effectors.clear();
        self.effectors.extend_from_slice(goals.effectors);
        let tip = chain.n_points() - 1;
        self.is_path = chain.is_path() && self.effectors.as_slice() == [tip];
        self.reaches.clear();
        self.reaches.extend(goals.effectors.iter().map(|&effector| {
            if self.is_path {
                // The same sum, without following the parents.
                Reach::of_bones(chain.lengths[1..].iter().rev().copied())
            } else {
                chain.reach(effector)
            }
        }));
        let unit = self.reaches.iter().map(|reach| reach.outer).fold(0.0, f64::max);
        self.scale = power_of_two_below(unit).recip();
        self.unit = unit * self.scale;
        let scale = self.scale;
        self.reaches.iter_mut().for_each(|reach| *reach = reach.scaled(scale));
        self.lengths.clear();
        self.lengths.extend(chain.lengths.iter().map(|length| length * scale));
        self.weights.clone_from(&chain.weights);
        self.origin.clear();
        self.origin.extend_from_slice(point(&chain.points, n, 0));
        let inside = |x: f64, origin: f64| (x - origin) * scale;
        map_points(&mut self.points, (&chain.points, n), &self.origin, inside);
        self.aim(goals.targets);
    }

    /// Starts from the nodes and effectors of a skeleton in their present pose.
    ///
    /// - `dimension`: 3, or 2 for a chain in the plane
    pub(super) fn begin_figure(&mut self, problem: &Problem, state: &State, dimension: usize) {
        (self.dimension, self.scale, self.unit) = (dimension, problem.scale, problem.unit);
        let n_nodes = problem.nodes.len();
        self.parents.clear();
        let nodes = problem.nodes.iter().enumerate();
        self.parents.extend(nodes.map(|(i, n)| if n.parent == NONE { i } else { n.parent }));
        let points = problem.points.iter().enumerate();
        self.parents.extend(points.map(
            |(k, goal)| {
                if goal.node == NONE { n_nodes + k } else { goal.node }
            },
        ));
        self.origin.clear();
        self.origin.extend(problem.origin.to_array());
        self.is_path = problem.is_path();
        self.reaches.clear();
        self.reaches.extend(problem.points.iter().map(|goal| goal.reach));
        self.take(problem, state);
        self.place_targets(problem);
        self.prepare_branches();
    }

    /// Weighs the points of a skeleton, for relaxation.
    pub(super) fn weigh(&mut self, problem: &Problem) {
        let joints = problem.nodes.iter().map(|node| node.joint);
        self.weights.clear();
        self.weights.extend(joints.map(|joint| problem.settings.joint_options(joint).weight));
        self.weights.resize(self.parents.len(), 1.0);
    }

    /// Effectors and targets of a skeleton: its points, and the joint behind a point whose frame has a target orientation too, which fixes the
    /// position of the joint.
    fn place_targets(&mut self, problem: &Problem) {
        self.effectors.clear();
        self.targets.clear();
        self.shortfalls.clear();
        for (k, goal) in problem.points.iter().enumerate() {
            self.effectors.push(problem.nodes.len() + k);
            self.targets.extend_from_slice(&goal.target.to_array()[..self.dimension]);
            self.shortfalls.push(goal.shortfall);
            let rotation = problem.rotations.iter().find(|rotation| rotation.node == goal.node);
            if let (Some(rotation), true) = (rotation, goal.node != NONE) {
                let world_from_node = rotation.target * rotation.offset.conjugate();
                let joint = goal.target - world_from_node * goal.offset;
                self.effectors.push(goal.node);
                self.targets.extend(joint.to_array());
                self.shortfalls.push(0.0);
            }
        }
    }

    /// Copies the points, and the bones between them, which prismatic joints change, from a pose.
    pub(super) fn take(&mut self, problem: &Problem, state: &State) {
        let n = self.dimension;
        self.points.clear();
        let effectors = problem.points.iter().map(|goal| state.point_of(goal.node, goal.offset));
        for at in state.world.iter().map(|pose| pose.translation).chain(effectors) {
            self.points.extend_from_slice(&at.to_array()[..n]);
        }
        self.lengths.clear();
        for (child, &parent) in self.parents.iter().enumerate() {
            let length = match problem.points.get(child.wrapping_sub(problem.nodes.len())) {
                Some(goal) if goal.node != NONE => goal.offset.length(),
                _ => self.at(child).distance(self.at(parent)),
            };
            self.lengths.push(length);
        }
    }

    /// Point `i` in space.
    pub(super) fn at(&self, i: usize) -> DVec3 {
        match point(&self.points, self.dimension, i) {
            [x, y, z] => DVec3::new(*x, *y, *z),
            [x, y] => DVec3::new(*x, *y, 0.0),
            _ => DVec3::ZERO,
        }
    }

    /// Finds the points that move, which the direct solver need not know.
    pub(super) fn prepare_branches(&mut self) {
        if !self.is_path {
            self.start.clone_from(&self.points);
        }
        self.branches.prepare(self.dimension, &self.parents, &self.effectors);
    }

    /// Moves the targets of a chain (flat, in the chain's units).
    pub(super) fn aim(&mut self, targets: &[f64]) {
        let inside = |x: f64, origin: f64| (x - origin) * self.scale;
        map_points(&mut self.targets, (targets, self.dimension), &self.origin, inside);
        self.shortfalls.clear();
        let targets = self.targets.chunks_exact(self.dimension);
        self.shortfalls.extend(
            targets
                .zip(&self.reaches)
                .map(|(target, reach)| reach.shortfall(sqrt(target.iter().map(|x| x * x).sum()))),
        );
    }

    /// Largest amount by which a target is out of reach, proven.
    pub(super) fn shortfall(&self) -> f64 {
        self.shortfalls.iter().copied().fold(0.0, f64::max)
    }

    /// The inputs of a step, and the points that it moves.
    pub(super) fn parts(&mut self) -> (Bones<'_>, Goals<'_>, &mut [f64], &mut fabrik::Branches) {
        let Self { parents, lengths, weights, effectors, targets, points, branches, .. } = self;
        (Bones { parents, lengths, weights }, Goals { effectors, targets }, points, branches)
    }

    /// Moves points without an effector in their subtree along with their parents.
    pub(super) fn carry(&mut self) {
        if !self.is_path {
            let start = core::mem::take(&mut self.start);
            let n = self.dimension;
            let (bones, _, points, branches) = self.parts();
            fabrik::carry(n, bones, &start, points, branches);
            self.start = start;
        }
    }

    pub(super) fn keep(&mut self) {
        self.kept.clone_from(&self.points);
    }

    pub(super) fn recall(&mut self) {
        self.points.clone_from(&self.kept);
    }

    /// Largest distance of an effector from its target, minus its proven shortfall.
    pub(super) fn gap(&self) -> Miss {
        let gaps = self.misses().zip(&self.shortfalls).map(|(miss, short)| miss - short);
        Miss { distance: gaps.fold(0.0, worse), angle: 0.0 }
    }

    /// Largest distance of an effector from its target.
    pub(super) fn residual(&self) -> Miss {
        Miss { distance: self.misses().fold(0.0, worse), angle: 0.0 }
    }

    /// A monotonic function of the sum of squared misses. A single miss is not squared, and so cannot overflow.
    pub(super) fn merit(&self) -> f64 {
        match self.effectors.len() {
            1 => self.residual().distance,
            _ => self.misses().map(|off| off * off).sum(),
        }
    }

    /// Largest deviation of a bone from its length.
    pub(super) fn stretch(&self) -> f64 {
        let n = self.dimension;
        let stretch = |(child, &parent): (usize, &usize)| {
            let ends = [child, parent].map(|i| point(&self.points, n, i));
            (distance(ends[0], ends[1]) - self.lengths[child]).abs()
        };
        self.parents.iter().enumerate().map(stretch).fold(0.0, worse)
    }

    fn misses(&self) -> impl Iterator<Item = f64> + '_ {
        let n = self.dimension;
        self.effectors.iter().enumerate().map(move |(e, &effector)| {
            let (at, target) = (point(&self.points, n, effector), point(&self.targets, n, e));
            let squared: f64 = at.iter().zip(target).map(|(a, b)| (a - b) * (a - b)).sum();
            // The square of a very distant target overflows.
            if squared.is_finite() { sqrt(squared) } else { distance(at, target) }
        })
    }

    /// Writes points in the caller's units and frame.
    pub(super) fn write(&self, points: &[f64], out: &mut Vec<f64>) {
        let (n, scale) = (self.dimension, self.scale.recip());
        map_points(out, (points, n), &self.origin, |x, origin| x * scale + origin);
    }
}

/// Maps each coordinate of points, zero beyond their `dimension`, together with that of the origin.
fn map_points(
    out: &mut Vec<f64>,
    (points, dimension): (&[f64], usize),
    origin: &[f64],
    by: impl Fn(f64, f64) -> f64,
) {
    out.resize(points.len() / dimension * origin.len(), 0.0);
    in_space!(origin.len(), space => {
        let n = space.n();
        for (to, from) in out.chunks_exact_mut(n).zip(points.chunks_exact(dimension)) {
            for k in 0..n {
                to[k] = by(from.get(k).copied().unwrap_or(0.0), origin[k]);
            }
        }
    });
}
