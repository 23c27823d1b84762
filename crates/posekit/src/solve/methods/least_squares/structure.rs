//! The unknowns, and which of them each task depends on: found once per problem.
//!
//! An unknown is a variable of hinges and slides, or one of the three components of a rotation or displacement of a ball or free joint. A task
//! depends on the nodes on the paths from its frames to the world.

use crate::solve::problem::{Kind, NONE, Problem};
use alloc::vec::Vec;
use core::ops::Range;

/// The motion of a block of unknowns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Motion {
    /// That of a variable, with all nodes that share it.
    Variable,
    /// A rotation vector, in world axes.
    Rotation,
    /// A displacement, in world axes.
    Displacement,
}

/// A block of unknowns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    /// The node, or the first of those that share a variable.
    pub(super) node: usize,
    pub(super) motion: Motion,
    /// The first of one or three unknowns.
    pub(super) first: usize,
}

impl Block {
    pub(super) fn range(&self) -> Range<usize> {
        self.first..self.first + if self.motion == Motion::Variable { 1 } else { 3 }
    }
}

/// A node on the path to a task's frames.
#[derive(Debug, Clone, Copy)]
pub(super) struct Link {
    pub(super) node: usize,
    pub(super) block: Block,
    /// Which of the two frames it moves.
    pub(super) moves: [bool; 2],
}

impl Link {
    fn key(&self) -> (usize, usize) {
        (self.node, self.block.first)
    }
}

/// See the module.
#[derive(Debug, Clone, Default)]
pub(super) struct Structure {
    pub(super) blocks: Vec<Block>,
    pub(super) n_unknowns: usize,
    /// The tasks with rows, sorted by level.
    pub(super) order: Vec<usize>,
    links: Vec<Link>,
    links_of: Vec<Range<usize>>,
    blocks_of_node: Vec<[usize; 2]>,
    nodes_by_level: Vec<(u8, usize)>,
}

impl Structure {
    /// Lists unknowns and dependencies.
    pub(super) fn prepare(&mut self, problem: &Problem) {
        self.list_blocks(problem);
        self.order.clear();
        self.order.extend((0..problem.goals.len()).filter(|&k| problem.goals[k].has_rows()));
        self.order.sort_by_key(|&k| problem.goals[k].level);
        self.links.clear();
        self.links_of.clear();
        for goal in &problem.goals {
            let first = self.links.len();
            let [a, b] = goal.carriers.map(|carrier| carrier.node);
            self.add_path(problem, a, 0);
            self.add_path(problem, b, 1);
            for (carrier, _) in &problem.bodies[goal.bodies.clone()] {
                self.add_path(problem, carrier.node, 0);
            }
            self.merge_links(first);
        }
    }

    /// Unknowns that the first level moves come first, then those that the second adds, and so on: the result of a level is then identical to
    /// the last bit whatever the levels below it contain.
    fn list_blocks(&mut self, problem: &Problem) {
        self.list_nodes_by_level(problem);
        self.blocks.clear();
        self.blocks_of_node.clear();
        self.blocks_of_node.resize(problem.nodes.len(), [NONE; 2]);
        self.n_unknowns = 0;
        for &(_, i) in &self.nodes_by_level {
            let motions: &[Motion] = match problem.nodes[i].kind {
                Kind::Hinge { .. } | Kind::Slide { .. } => &[Motion::Variable],
                Kind::Ball => &[Motion::Rotation],
                Kind::Free => &[Motion::Rotation, Motion::Displacement],
            };
            if !problem.leads(i) {
                continue;
            }
            for (k, &motion) in motions.iter().enumerate() {
                self.blocks_of_node[i][k] = self.blocks.len();
                let block = Block { node: i, motion, first: self.n_unknowns };
                self.n_unknowns = block.range().end;
                self.blocks.push(block);
            }
        }
        for variable in 0..problem.variables.len() {
            let nodes = problem.nodes_of(variable);
            for &follower in &nodes[1..] {
                self.blocks_of_node[follower] = self.blocks_of_node[nodes[0]];
            }
        }
    }

    /// The nodes, sorted by the first level that moves each.
    fn list_nodes_by_level(&mut self, problem: &Problem) {
        let levels = &mut self.nodes_by_level;
        levels.clear();
        levels.extend((0..problem.nodes.len()).map(|i| (u8::MAX, i)));
        for goal in problem.goals.iter().filter(|goal| goal.weight > 0.0) {
            problem.for_each_mover(goal, |i| levels[i].0 = levels[i].0.min(goal.level));
        }
        for &(level, _) in &problem.levels {
            for (posture, _) in problem.postures(Some(level)) {
                let cares = |i: usize| posture.cares_for(problem.nodes[i].joint);
                let cared = levels.iter_mut().filter(|(_, i)| cares(*i));
                cared.for_each(|(first, _)| *first = (*first).min(level));
            }
        }
        for variable in 0..problem.variables.len() {
            let nodes = problem.nodes_of(variable);
            let first = nodes.iter().map(|&i| levels[i].0).min().unwrap_or(u8::MAX);
            nodes.iter().for_each(|&i| levels[i].0 = first);
        }
        levels.sort_unstable();
    }

    fn add_path(&mut self, problem: &Problem, mut node: usize, side: usize) {
        while node != NONE {
            for block in self.blocks_of_node[node].into_iter().filter(|&block| block != NONE) {
                self.links.push(Link {
                    node,
                    block: self.blocks[block],
                    moves: [side == 0, side == 1],
                });
            }
            node = problem.nodes[node].parent;
        }
    }

    /// Sorts the links of one task, from `first` on, and merges duplicates.
    fn merge_links(&mut self, first: usize) {
        self.links[first..].sort_unstable_by_key(Link::key);
        let mut kept = first;
        for k in first..self.links.len() {
            let link = self.links[k];
            match self.links[first..kept].last_mut() {
                Some(last) if last.key() == link.key() => {
                    last.moves = [last.moves[0] | link.moves[0], last.moves[1] | link.moves[1]];
                }
                _ => {
                    self.links[kept] = link;
                    kept += 1;
                }
            }
        }
        self.links.truncate(kept);
        self.links_of.push(first..kept);
    }

    /// The nodes on the paths to a task's frames.
    pub(super) fn links(&self, goal: usize) -> &[Link] {
        &self.links[self.links_of[goal].clone()]
    }
}
