//! What is left when nothing helps any more: which tasks are missed, and which limits hold them back.

use super::super::demand::{Demand, Motion};
use super::super::driver::{Residual, worse};
use super::super::rig::{Kind, Rig};
use super::super::rig_run::RigRun;
use super::super::solution::{Hold, HoldKind};
use crate::math::wrap_angle;
use crate::task::{Miss, TaskKind};
use glam::DVec3;

/// What turns the miss by less than this part is rounding.
const PUSH: f64 = 1e-6;

/// How near to a limit counts as at it \[rad, or the reach\].
const AT_LIMIT: f64 = 1e-9;

impl RigRun {
    /// Whether every required task is within its tolerance.
    pub(super) fn is_there(&self) -> bool {
        if self.rig.is_plain {
            return self.rig.is_there();
        }
        let Residual { distance, angle } = self.required_residual();
        distance <= self.rig.distance_tolerance && angle <= self.rig.angle_tolerance
    }

    /// The largest misses of required tasks, from the rows that were measured last.
    pub(in super::super) fn required_residual(&self) -> Residual {
        let system = &self.least.system;
        let mut residual = Residual { distance: 0.0, angle: 0.0 };
        for group in &system.groups {
            if self.rig.demands[group.demand].is_required() {
                let Miss { distance, angle } = Miss::of(&system.rows[group.rows.clone()]);
                residual.distance = worse(residual.distance, distance);
                residual.angle = worse(residual.angle, angle);
            }
        }
        residual
    }

    /// Required tasks that are not met, from the rows that were measured last.
    pub(in super::super) fn list_unmet(&mut self) {
        let (system, rig) = (&self.least.system, &self.rig);
        self.unmet.clear();
        for group in &system.groups {
            let Miss { distance, angle } = Miss::of(&system.rows[group.rows.clone()]);
            let is_met = distance <= rig.distance_tolerance && angle <= rig.angle_tolerance;
            if !is_met && rig.demands[group.demand].is_required() {
                self.unmet.push(group.demand);
            }
        }
    }

    /// The miss of every task, in the caller's units.
    pub(in super::super) fn write_misses(&mut self, out: &mut Vec<Miss>) {
        out.clear();
        let rows = &mut self.report_rows;
        for demand in &self.rig.demands {
            rows.clear();
            let mut miss = if let TaskKind::Posture(posture) = &demand.kind {
                self.rig.miss_of_posture(demand, &posture.configuration)
            } else {
                demand.kind.rows(&self.rig.frames_of(demand), rows);
                Miss::of(rows)
            };
            miss.distance /= self.rig.scale;
            out.push(miss);
        }
        // What is so far off that it was only a direction is measured to where it is.
        for goal in self.rig.points.iter().filter(|goal| goal.wanted != goal.target) {
            out[goal.demand].distance = goal.at.distance(goal.wanted) / self.rig.scale;
        }
    }

    /// Finds room for what least squares may need, once for every size of problem, so that no later solve of that size allocates.
    pub(in super::super) fn make_room_for_least_squares(&mut self) {
        let size = (self.rig.nodes.len(), self.rig.demands.len(), self.rig.bodies.len());
        let (nodes, demands, bodies) = self.least.room;
        if size.0 > nodes || size.1 > demands || size.2 > bodies {
            self.least.room = (size.0.max(nodes), size.1.max(demands), size.2.max(bodies));
            self.settle_least_squares();
            self.least.keep(&self.rig);
        }
    }

    /// The joints at limits, or at their largest change, that hold the effectors back: those that would move outward if they could, and by how much
    /// that would help; or, when none would (a pose at rest), all that stand at a limit.
    pub(in super::super) fn find_blocking(&mut self, holds: &mut Vec<Hold>) {
        // What least squares knows of the present state is put back afterwards: looking must leave no trace.
        self.least.keep(&self.rig);
        self.settle_least_squares();
        self.least.system.differentiate(&self.rig);
        self.least.push_on_joints();
        holds.clear();
        let (least, rig) = (&self.least, &self.rig);
        let miss = least.merit.sqrt();
        let enough = PUSH * miss * rig.unit();
        for block in &least.system.blocks {
            let (i, push) = (block.node, &least.bend[block.range()]);
            let (outward, kind) = match block.motion {
                Motion::Variable => {
                    let ((min, max), value) =
                        (least.step.ranges[block.first], least.step.values[block.first]);
                    let near = AT_LIMIT * if rig.is_hinge(i) { 1.0 } else { rig.reach };
                    let is_held = (push[0] > 0.0 && max - value <= near)
                        || (push[0] < 0.0 && value - min <= near);
                    let outward = if is_held { push[0].abs() } else { 0.0 };
                    (outward, rig.what_stops(i, Some(push[0])))
                }
                Motion::Turn => {
                    let push = DVec3::from_slice(push);
                    let [out, end, off] = rig.walls(i).map(|wall| {
                        let held = wall.filter(|(_, room)| *room <= AT_LIMIT);
                        held.map_or(0.0, |(outward, _)| push.dot(outward))
                    });
                    let limit = out.max(end).max(0.0);
                    if off > limit {
                        (off, HoldKind::LargestChange)
                    } else {
                        (limit, HoldKind::Limit)
                    }
                }
                Motion::Shift => (0.0, HoldKind::Limit),
            };
            if outward > enough {
                let slides = matches!(rig.nodes[i].kind, Kind::Slide { .. });
                let relief = outward / miss / if slides { 1.0 } else { rig.scale };
                holds.push(Hold { joint: rig.nodes[i].joint, kind, relief });
            }
        }
        if holds.is_empty() {
            let held = (0..rig.nodes.len()).filter(|&i| rig.is_at_limit(i));
            holds.extend(held.map(|i| {
                let is_one = rig.nodes[i].variable.is_some();
                let kind = if is_one { rig.what_stops(i, None) } else { HoldKind::Limit };
                Hold { joint: rig.nodes[i].joint, kind, relief: 0.0 }
            }));
        }
        holds.sort_unstable_by_key(|hold| hold.joint);
        holds.dedup_by_key(|hold| hold.joint);
        self.least.put_values_back();
    }
}

impl Rig {
    /// The largest differences of one joint, in run lengths and in angle.
    fn miss_of_posture(&self, demand: &Demand, configuration: &[f64]) -> Miss {
        let mut miss = demand.still;
        let TaskKind::Posture(posture) = &demand.kind else { return miss };
        miss.distance *= self.scale;
        for (i, node) in self.nodes.iter().enumerate() {
            let is_follower = self.mimics.iter().any(|mimic| mimic.0 == node.values.start);
            if is_follower || !posture.cares_for(node.joint) {
                continue;
            }
            let want = self.want_of_values(i, configuration);
            let way = |motion| {
                let value = if motion == Motion::Variable { self.variable_value(i) } else { 0.0 };
                self.way_to(i, motion, value, want).length()
            };
            match node.kind {
                Kind::Slide { .. } => miss.distance = miss.distance.max(way(Motion::Variable)),
                Kind::Hinge { .. } => {
                    let off = way(Motion::Variable) * node.gain.abs();
                    let off = if node.goes_round { wrap_angle(off).abs() } else { off };
                    miss.angle = miss.angle.max(off);
                }
                Kind::Ball => miss.angle = miss.angle.max(way(Motion::Turn)),
                Kind::Free => {
                    miss.angle = miss.angle.max(way(Motion::Turn));
                    miss.distance = miss.distance.max(way(Motion::Shift));
                }
            }
        }
        miss
    }
}
