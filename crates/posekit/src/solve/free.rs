//! Free chains: an unbranched skeleton of unlimited balls, or of unlimited hinges about +z in a plane z = const, with one
//! point to reach.
//!
//! For these the points say everything. FABRIK and relaxation run on the points alone and joints are turned once, at the end;
//! and there is a closed way to the target, which is how cyclic coordinate descent gets out of its stalls here.

use super::driver::{Recorder, Residual, Run};
use super::points::PointsRun;
use super::rig::{BASE, Bound, Kind, Node, Rig};
use super::rig_run::RigRun;
use super::solution::TraceStep;
use crate::chain::{Chain, Goals};
use glam::DVec3;

/// Points under the driver, with the skeleton that they stand for.
#[derive(Debug)]
pub(super) struct FreeRun<'a> {
    pub(super) points: &'a mut PointsRun,
    pub(super) skeleton: &'a mut RigRun,
}

impl FreeRun<'_> {
    /// Turns the joints to where the points are.
    pub(super) fn read_pose(&mut self) {
        let mut points = core::mem::take(&mut self.skeleton.flat);
        self.points.write_points(&mut points);
        points.iter_mut().for_each(|x| *x *= self.skeleton.rig.scale);
        self.skeleton.read_pose(self.points.dimension, &points);
        self.skeleton.flat = points;
    }
}

impl Run for FreeRun<'_> {
    fn merit(&self, residual: Residual) -> f64 {
        self.points.merit(residual)
    }

    fn iterate(&mut self, recorder: &mut Recorder<'_>) {
        if !recorder.wants_half_steps() {
            self.points.iterate_with(None);
            return;
        }
        let skeleton = &mut *self.skeleton;
        self.points.iterate_with(Some(&mut |points, phase| {
            recorder.half_step(&mut FreeRun { points, skeleton }, phase);
        }));
    }

    fn residual(&self) -> Residual {
        self.points.residual()
    }

    fn rescue(&mut self, attempt: u32, budget: u32) -> Option<u32> {
        self.points.rescue(attempt, budget)
    }

    fn keep(&mut self) {
        self.points.keep();
    }

    fn recall(&mut self) {
        self.points.recall();
    }

    fn describe(&mut self, step: &mut TraceStep) {
        self.read_pose();
        self.skeleton.rig.write_values(&mut step.configuration);
        self.points.describe(step);
        if self.points.dimension == 2 {
            let height = self.skeleton.rig.world[0].translation.z / self.skeleton.rig.scale;
            lift(&mut step.points, height);
        }
    }
}

/// Gives flat points of the plane a third coordinate, in place.
fn lift(points: &mut Vec<f64>, height: f64) {
    let n = points.len() / 2;
    points.resize(3 * n, 0.0);
    for i in (0..n).rev() {
        points[3 * i + 2] = height;
        points[3 * i + 1] = points[2 * i + 1];
        points[3 * i] = points[2 * i];
    }
}

impl RigRun {
    /// The closed way to the target from the pose that the solve began with, for the joints as points of free bones. False
    /// where there is none: on branches and with several goals.
    ///
    /// For a free chain the joints then reach. For others it is a guess: each joint has turned as its limits let it.
    pub(super) fn reach_as_if_free(&mut self) -> bool {
        if !self.rig.is_path() {
            return false;
        }
        let dimension = self.rig.plane_or_space();
        self.rig.state.clone_from(&self.begun);
        self.rig.update();
        let mut target = DVec3::ZERO;
        self.rig.fill_chain(dimension, &[], &mut self.chain, &mut target);
        let effector = [self.chain.n_points() - 1];
        let goals = Goals { effectors: &effector, targets: &target.to_array()[..dimension] };
        let mut points = core::mem::take(&mut self.points);
        let tolerance = Some(self.rig.distance_tolerance / self.rig.scale);
        let settings = super::Settings { tolerance, ..super::Settings::default() };
        points.begin(&self.chain, goals, super::Method::Direct, &settings, true);
        points.aim_closer();
        let reached = points.reach_directly();
        if reached {
            FreeRun { points: &mut points, skeleton: self }.read_pose();
        }
        self.points = points;
        reached
    }
}

impl Rig {
    /// 3 for a free chain of balls, 2 for one of hinges in a plane, none for anything else.
    pub(super) fn free_dimension(&self) -> Option<usize> {
        let is_unlimited =
            |(i, node): (usize, &Node)| node.bound == Bound::None && self.is_alone(i);
        if !self.is_path() || !self.nodes.iter().enumerate().all(is_unlimited) {
            return None;
        }
        let dimension = self.plane_or_space();
        let is_free = dimension == 2 || self.nodes.iter().all(|node| node.kind == Kind::Ball);
        is_free.then_some(dimension)
    }

    /// True when one point is to be reached, by the last of joints that follow each other without branches.
    pub(super) fn is_path(&self) -> bool {
        let ([goal], []) = (self.points.as_slice(), self.turns.as_slice()) else { return false };
        let follows = |(i, node): (usize, &Node)| node.parent == i.wrapping_sub(1);
        goal.node != BASE
            && goal.node + 1 == self.nodes.len()
            && self.nodes.iter().enumerate().all(follows)
    }

    /// 2 when all joints are hinges about +z and everything lies in one plane z = const, else 3.
    pub(super) fn plane_or_space(&self) -> usize {
        let [goal, ..] = self.points.as_slice() else { return 3 };
        let flat = |v: DVec3| v.z.abs() <= 1e-14 * self.reach;
        let height = self.nodes[0].placement.translation.z;
        let is_plane = self.nodes.iter().enumerate().all(|(i, node)| {
            node.kind == Kind::Hinge { axis: DVec3::Z }
                && (i == 0 || flat(node.placement.translation))
        });
        let in_plane = flat(goal.offset) && flat(goal.target - DVec3::Z * height);
        if is_plane && in_plane { 2 } else { 3 }
    }

    /// The points of a free chain, with the weights of its joints, and its target, in the caller's units.
    pub(super) fn fill_chain(
        &self,
        dimension: usize,
        weights: &[f64],
        chain: &mut Chain,
        target: &mut DVec3,
    ) {
        // Exact: the scale is a power of two.
        let by = self.scale.recip();
        let units = |v: DVec3| v * by;
        chain.dimension = dimension;
        chain.points.clear();
        chain.parents.clear();
        chain.lengths.clear();
        chain.weights.clear();
        for (i, world) in self.world.iter().enumerate() {
            let point = units(world.translation);
            chain.points.extend_from_slice(&point.to_array()[..dimension]);
            chain.parents.push(i.saturating_sub(1));
            let bone = if i == 0 { DVec3::ZERO } else { self.nodes[i].placement.translation };
            chain.lengths.push(bone.length() / self.scale);
            chain.weights.push(weights.get(self.nodes[i].joint).copied().unwrap_or(1.0));
        }
        for goal in &self.points {
            chain.points.extend_from_slice(&units(goal.at).to_array()[..dimension]);
            chain.parents.push(self.nodes.len() - 1);
            chain.lengths.push(goal.offset.length() / self.scale);
            chain.weights.push(1.0);
            *target = units(goal.wanted);
        }
    }
}
