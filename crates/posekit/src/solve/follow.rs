//! Point methods on a skeleton: the joints become points, FABRIK or relaxation moves the points, and from the root outward
//! every joint turns its levers towards them, inside its limits.
//!
//! For a chain of free joints that outward reading *is* FABRIK's forward half; with limits it is the forward half of
//! Aristidou and Lasenby's constrained version, with each joint's best allowed turn in place of their projections. A joint
//! only ever makes the shortest turn that serves its levers, so no twist is added.

use super::driver::Recorder;
use super::rig::BASE;
use super::rig_run::RigRun;
use super::solution::Phase;
use super::turn::{Lever, Style};
use crate::chain::relaxation::{Reading, Thresholds, relax};
use crate::chain::{Bones, Goals, fabrik};
use glam::DVec3;

/// The points of a rig: one per node, then one per point goal, in run units.
#[derive(Debug, Clone, Default)]
pub(super) struct Web {
    points: Vec<f64>,
    parents: Vec<usize>,
    lengths: Vec<f64>,
    weights: Vec<f64>,
    effectors: Vec<usize>,
    targets: Vec<f64>,
    held: Vec<bool>,
    /// Per node: the points that its turn moves first (past points that coincide with it), as a range of `levers`.
    lever_ranges: Vec<core::ops::Range<usize>>,
    levers: Vec<usize>,
    /// Scratch for the levers: (node, point).
    pairs: Vec<(usize, usize)>,
    /// Where the points of `levers` are, in the frame of their node after it moved.
    arms: Vec<DVec3>,
    /// Relaxation goes on from its own points, not from the pose.
    is_relaxed: bool,
    /// A trace shows these points, which have left the pose.
    is_shown: bool,
    /// Laid out for the present tasks.
    is_ready: bool,
}

impl RigRun {
    /// There are new tasks; points are laid out for them when a method first asks.
    pub(super) fn forget_web(&mut self) {
        self.web.is_ready = false;
        self.forget_points();
    }

    /// Lays out the points for the present tasks.
    fn prepare_web(&mut self) {
        if core::mem::replace(&mut self.web.is_ready, true) {
            return;
        }
        let (rig, web) = (&self.rig, &mut self.web);
        let n_nodes = rig.nodes.len();
        web.parents.clear();
        web.parents.extend(
            rig.nodes.iter().enumerate().map(|(i, n)| if n.parent == BASE { i } else { n.parent }),
        );
        for (k, goal) in rig.points.iter().enumerate() {
            web.parents.push(if goal.node == BASE { n_nodes + k } else { goal.node });
        }
        let n_points = web.parents.len();
        web.lengths.resize(n_points, 0.0);
        web.points.resize(3 * n_points, 0.0);
        web.held.resize(n_points, false);
        web.weights.clear();
        for node in &rig.nodes {
            web.weights.push(self.relaxation.weights.get(node.joint).copied().unwrap_or(1.0));
        }
        web.weights.resize(n_points, 1.0);
        self.place_targets();
        self.collect_levers();
        self.branches.prepare(3, &self.web.parents, &self.web.effectors);
    }

    /// Effectors and their targets: the goals, and, where the frame's orientation is asked for too, the joint that carries
    /// it, which then has only one place to be.
    pub(super) fn place_targets(&mut self) {
        let (rig, web) = (&self.rig, &mut self.web);
        if !web.is_ready {
            return;
        }
        web.effectors.clear();
        web.targets.clear();
        for (k, goal) in rig.points.iter().enumerate() {
            web.effectors.push(rig.nodes.len() + k);
            web.targets.extend(goal.target.to_array());
            let turn = rig.turns.iter().find(|turn| turn.node == goal.node);
            if let (Some(turn), true) = (turn, goal.node != BASE) {
                let world_from_node = turn.target * turn.offset.conjugate();
                web.effectors.push(goal.node);
                web.targets.extend((goal.target - world_from_node * goal.offset).to_array());
            }
        }
    }

    /// Finds for every node the nearest points outward that do not coincide with it.
    fn collect_levers(&mut self) {
        let n_nodes = self.rig.nodes.len();
        let web = &mut self.web;
        let near = 1e-12 * self.rig.reach;
        let coincides = |point: usize| -> bool {
            let bone = if point < n_nodes {
                self.rig.nodes[point].placement.translation
            } else {
                self.rig.points[point - n_nodes].offset
            };
            bone.length_squared() <= near * near
        };
        web.pairs.clear();
        for point in 0..web.parents.len() {
            let mut node = web.parents[point];
            let mut is_lever = node != point && !coincides(point);
            while is_lever {
                web.pairs.push((node, point));
                is_lever = web.parents[node] != node && coincides(node);
                node = web.parents[node];
            }
        }
        web.pairs.sort_unstable();
        web.levers.clear();
        web.levers.extend(web.pairs.iter().map(|&(_, point)| point));
        web.lever_ranges.clear();
        let mut first = 0;
        for node in 0..n_nodes {
            let count = web.pairs[first..].iter().take_while(|pair| pair.0 == node).count();
            web.lever_ranges.push(first..first + count);
            first += count;
        }
        web.arms.resize(web.levers.len(), DVec3::ZERO);
    }

    /// Puts the points where the pose is.
    fn take_points(&mut self) {
        self.prepare_web();
        let (rig, web) = (&self.rig, &mut self.web);
        for (i, world) in rig.world.iter().enumerate() {
            web.points[3 * i..3 * i + 3].copy_from_slice(&world.translation.to_array());
        }
        for (k, goal) in rig.points.iter().enumerate() {
            let at = 3 * (rig.nodes.len() + k);
            web.points[at..at + 3].copy_from_slice(&goal.at.to_array());
        }
    }

    /// Measures the bones between the points, which slides change.
    fn measure_bones(&mut self) {
        let web = &mut self.web;
        for point in 0..web.parents.len() {
            web.lengths[point] =
                at(&web.points, point).distance(at(&web.points, web.parents[point]));
        }
    }

    /// Turns every joint so that the pose passes through given points, one per node and goal (flat, `dimension` numbers each,
    /// in run units; a missing third coordinate is that of the pose the solve began with).
    pub(super) fn read_pose(&mut self, dimension: usize, points: &[f64]) {
        if self.rig.state != self.begun {
            self.rig.state.clone_from(&self.begun);
            self.rig.update();
        }
        self.take_points();
        for (p, q) in self.web.points.chunks_exact_mut(3).zip(points.chunks_exact(dimension)) {
            p[..dimension].copy_from_slice(q);
        }
        self.read_points(Reading::Angles);
        self.web.is_relaxed = false;
    }

    /// The pose was changed from outside: relaxation starts from it again.
    pub(super) fn forget_points(&mut self) {
        self.web.is_relaxed = false;
        self.web.is_shown = false;
    }

    /// Writes the points that a trace shows, in the caller's units.
    pub(super) fn write_shown_points(&self, out: &mut Vec<f64>) {
        if self.web.is_shown {
            out.clear();
            out.extend(self.web.points.iter().map(|x| x / self.rig.scale));
        } else {
            self.rig.write_points(out);
        }
    }

    /// FABRIK: inward on the points, outward on the joints.
    pub(super) fn follow_fabrik(&mut self, recorder: &mut Recorder<'_>) {
        self.take_points();
        self.measure_bones();
        let web = &mut self.web;
        let bones = Bones { parents: &web.parents, lengths: &web.lengths, weights: &web.weights };
        let goals = Goals { effectors: &web.effectors, targets: &web.targets };
        fabrik::backward(3, bones, &mut web.points, goals, &mut self.branches);
        if recorder.wants_half_steps() {
            self.web.is_shown = true;
            recorder.half_step(self, Phase::Backward);
            self.web.is_shown = false;
        }
        self.read_points(Reading::Remeasured);
        if recorder.wants_half_steps() {
            recorder.half_step(self, Phase::Forward);
        }
    }

    /// Relaxation: some passes on the points, then the joints follow.
    pub(super) fn follow_relaxation(&mut self, recorder: &mut Recorder<'_>) {
        if !self.web.is_relaxed {
            self.take_points();
            self.measure_bones();
        }
        let web = &mut self.web;
        let bones = Bones { parents: &web.parents, lengths: &web.lengths, weights: &web.weights };
        let goals = Goals { effectors: &web.effectors, targets: &web.targets };
        let off =
            if self.classic { Thresholds::published(self.rig.scale) } else { Thresholds::RELATIVE };
        let passes = self.relaxation.passes;
        let by = if recorder.wants_half_steps() { 1 } else { passes };
        relax(3, bones, &mut web.points, goals, &mut web.held, by, off);
        web.is_shown = true;
        for done in by..passes {
            // The joints follow after the last pass only.
            recorder.half_step(self, Phase::Pass(done));
            let web = &mut self.web;
            let bones =
                Bones { parents: &web.parents, lengths: &web.lengths, weights: &web.weights };
            let goals = Goals { effectors: &web.effectors, targets: &web.targets };
            relax(3, bones, &mut web.points, goals, &mut web.held, 1, off);
        }
        // Limits and slides pull the pose away from the points; then they have to start from the pose each time.
        let is_free = self.rig.nodes.iter().all(super::rig::Node::is_free_ball);
        self.web.is_relaxed = is_free || self.classic;
        self.read_points(self.relaxation.reading);
        if recorder.wants_half_steps() {
            recorder.half_step(self, Phase::Pass(passes));
        }
    }

    /// From the root outward, every joint turns its levers towards the points.
    fn read_points(&mut self, reading: Reading) {
        for node in 0..self.rig.nodes.len() {
            let frame = self.rig.world[node];
            for k in self.web.lever_ranges[node].clone() {
                let point = self.lever_at(self.web.levers[k]);
                self.web.arms[k] = frame.rotation.conjugate() * (point - frame.translation);
            }
        }
        for node in 0..self.rig.nodes.len() {
            self.rig.update_node(node);
            let world = self.rig.world[node];
            let base = match reading {
                Reading::Angles => at(&self.web.points, node),
                _ => world.translation,
            };
            self.levers.clear();
            for k in self.web.lever_ranges[node].clone() {
                let point = self.web.levers[k];
                if !self.branches.moves(point) {
                    continue;
                }
                let is = world.rotation * self.web.arms[k];
                let wish = at(&self.web.points, point) - base;
                self.levers.push(Lever { is, wish, weight: 1.0 });
            }
            self.push_frame_goals(node);
            self.rig.move_node(node, &self.levers, 1.0, Style::Best);
            self.rig.renormalise_node(node);
            self.rig.update_node(node);
        }
        self.rig.update_goals();
    }

    /// A joint that carries a frame goal turns towards it, beside its levers.
    fn push_frame_goals(&mut self, node: usize) {
        for goal in self.rig.turns.iter().filter(|goal| goal.node == node) {
            let is = self.rig.world[node].rotation * goal.offset;
            let weight = goal.weight * self.rig.frame_weight();
            super::ccd::push_frame(&mut self.levers, is, goal.target, weight);
        }
    }

    /// Where a point of the web is in the present pose.
    fn lever_at(&self, point: usize) -> DVec3 {
        let n_nodes = self.rig.nodes.len();
        if point < n_nodes {
            self.rig.world[point].translation
        } else {
            self.rig.points[point - n_nodes].at
        }
    }
}

fn at(points: &[f64], point: usize) -> DVec3 {
    DVec3::from_slice(&points[3 * point..3 * point + 3])
}
