//! Fits the pose of a skeleton to points: from the root outward, every joint moves its levers towards them, inside its limits.
//!
//! For a chain of free joints this *is* the forward half of FABRIK; with limits it is the forward half of Aristidou and Lasenby's constrained version
//! \[aristidou11\], with the best allowed move of each joint instead of their projections. Each joint makes the shortest rotation that aligns its
//! levers, so no twist is added.

use super::moves::{Lever, Style, push_frame};
use super::points::Points;
use super::pose::{State, renormalise};
use super::problem::{NONE, Node, Problem};
use crate::chain::relaxation::Reading;
use alloc::vec::Vec;
use core::ops::Range;
use glam::DVec3;

/// A bone shorter than this fraction of the unit of length has no direction: its ends coincide.
const COINCIDENT: f64 = 1e-12;

/// Which points each node moves, and buffers.
#[derive(Debug, Clone, Default)]
pub(super) struct PoseReader {
    /// Per node: the nearest points outward that do not coincide with it, as a range of `ends`.
    levers: Vec<Range<usize>>,
    ends: Vec<usize>,
    /// Their positions in the frame of their node.
    in_node: Vec<DVec3>,
    pairs: Vec<(usize, usize)>,
    gathered: Vec<Lever>,
}

impl PoseReader {
    /// Finds for every node the nearest points outward that do not coincide with it.
    pub(super) fn prepare(&mut self, problem: &Problem) {
        let (nodes, near) = (&problem.nodes, COINCIDENT * problem.unit);
        let coincides = |bone: DVec3| bone.length_squared() <= near * near;
        let bones = nodes.iter().map(|node| (node.parent, node.placement.translation));
        let bones = bones.chain(problem.points.iter().map(|goal| (goal.node, goal.offset)));
        self.pairs.clear();
        for (point, (parent, bone)) in bones.enumerate() {
            let (mut i, mut is_lever) = (parent, parent != NONE && !coincides(bone));
            while is_lever {
                self.pairs.push((i, point));
                // A node that coincides with its parent shares its levers.
                let Node { parent, placement, .. } = &nodes[i];
                is_lever = *parent != NONE && coincides(placement.translation);
                i = *parent;
            }
        }
        self.pairs.sort_unstable();
        self.ends.clear();
        self.ends.extend(self.pairs.iter().map(|&(_, point)| point));
        self.levers.clear();
        let mut first = 0;
        for node in 0..nodes.len() {
            let count = self.pairs[first..].iter().take_while(|pair| pair.0 == node).count();
            self.levers.push(first..first + count);
            first += count;
        }
        self.in_node.clear();
        self.in_node.resize(self.ends.len(), DVec3::ZERO);
    }

    /// Fits the pose of a free chain, from the start of the solve, so that it does not depend on the iterations in between.
    pub(super) fn finish(&mut self, problem: &Problem, state: &mut State, points: &Points) {
        state.restart(problem);
        self.read(problem, state, points, Reading::Angles);
    }

    /// Moves every joint from its present pose towards the points.
    pub(super) fn read(
        &mut self,
        problem: &Problem,
        state: &mut State,
        points: &Points,
        reading: Reading,
    ) {
        let n_nodes = problem.nodes.len();
        for node in 0..n_nodes {
            let frame = state.world[node];
            for k in self.levers[node].clone() {
                let at = match state.world.get(self.ends[k]) {
                    Some(pose) => pose.translation,
                    None => {
                        let goal = &problem.points[self.ends[k] - n_nodes];
                        state.point_of(goal.node, goal.offset)
                    }
                };
                self.in_node[k] = frame.rotation.conjugate() * (at - frame.translation);
            }
        }
        for node in 0..n_nodes {
            state.update_node(problem, node);
            self.gather(problem, state, points, reading, node);
            state.move_node(problem, node, &self.gathered, 1.0, Style::Best);
            renormalise(&mut state.values.motions[node].rotation);
            state.update_node(problem, node);
        }
        state.update_effectors(problem);
    }

    /// Collects the levers of a node: towards the points, and the axes of its frames towards their targets.
    fn gather(
        &mut self,
        problem: &Problem,
        state: &State,
        points: &Points,
        reading: Reading,
        node: usize,
    ) {
        let world = state.world[node];
        let base = match reading {
            Reading::Angles => points.at(node),
            _ => world.translation,
        };
        self.gathered.clear();
        for k in self.levers[node].clone().filter(|&k| points.branches.moves(self.ends[k])) {
            let (from, to) = (world.rotation * self.in_node[k], points.at(self.ends[k]) - base);
            self.gathered.push(Lever { from, to, weight: 1.0 });
        }
        for goal in problem.rotations.iter().filter(|goal| goal.node == node) {
            let weight = goal.weight * problem.frame_weight();
            push_frame(&mut self.gathered, world.rotation * goal.offset, goal.target, weight);
        }
    }
}
