//! Out of a stall or a crawl: where the rescues of joints with axes and limits start from.
//!
//! A pose in which every joint is at rest although the target is not met (the straight limb with its target on its own line)
//! gives `Jᵀ e = 0` and no step. Such poses are saddles: the way out is a bend, and any bend that the limits allow will do.
//! The attempts are, in order: the pose that the bones would take if they were free, as far as the joints follow; an arc to
//! either side whose chord fits the target's distance, in place of the pose that the solve began with, then added to it; a
//! zigzag and an S to either side; the middle of all ranges; then points of a low-discrepancy sequence over the ranges. The
//! sequence is fixed; nothing is random.
//!
//! Least squares tries two arcs, then points of the sequence for what the missed tasks hang on, as many as its iterations allow. Of
//! those seldom more than one in three arrives, so a start is given up as soon as it looks doubtful.

use super::least_squares::Until;
use super::rig::{BASE, Kind, Rig};
use super::rig_run::RigRun;
use crate::math::{perpendicular, rotation_about, sin_cos};
use glam::DVec3;

/// Attempts after which the driver is told that there is nothing left to try.
const ATTEMPTS: u32 = 24;

/// Attempts after those, for problems with several goals: each bends what some goals hang on and leaves the rest.
const MORE_ATTEMPTS: u32 = 48;

/// The first pattern that is a point of the sequence.
const SEQUENCE: u32 = 9;

/// Steps of one attempt.
const STEPS: u32 = 40;

impl RigRun {
    /// One attempt to get to the targets; the number of steps taken, or `None` when nothing is left to try.
    pub(super) fn break_free(&mut self, attempt: u32, budget: u32) -> Option<u32> {
        // A target out of reach is not worth many starts: the present one, the straight one and two arcs.
        let all = if self.rig.shortfall > 0.0 { 4 } else { ATTEMPTS + MORE_ATTEMPTS };
        let attempts = match self.is_least_squares() {
            true if self.rig.shortfall > 0.0 => all.min(self.restarts.saturating_add(1)),
            true => self.restarts.saturating_add(1),
            false => all,
        };
        if self.rig.nodes.is_empty() || attempt >= attempts {
            return None;
        }
        // One limb that may move as far as it likes: its points know the way.
        let is_limb = self.rig.is_path() && self.rig.is_plain && !self.rig.is_leashed();
        let is_one_by_one = self.is_least_squares() && !is_limb;
        match attempt {
            0 if is_limb && self.rig.free_dimension().is_some() => {
                self.reach_as_if_free();
                return Some(1);
            }
            0 => {}
            1 if is_limb && self.reach_as_if_free() => {}
            _ if is_one_by_one || attempt >= ATTEMPTS => self.bend_unmet(attempt),
            _ => {
                self.rig.state.clone_from(&self.begun);
                self.mark(|_| true);
                self.rig.bend(attempt.saturating_sub(2), &self.bends);
                self.rig.update();
            }
        }
        let until = if is_one_by_one && attempt > 0 { Until::Doubtful } else { Until::Hopeless };
        let steps = self.least_squares(budget.min(STEPS), until);
        self.forget_points();
        Some(steps.max(1))
    }
}

impl RigRun {
    /// Bends what tasks that are not met hang on, in four ways in turn: what one of them hangs on, without or with what tasks that are
    /// met hang on too; what all of them hang on; everything, floating roots included.
    fn bend_unmet(&mut self, attempt: u32) {
        self.settle_least_squares();
        self.list_unmet();
        let (unmet, order) = (&self.unmet, &self.least.system.order);
        let one = unmet.get((attempt / 4) as usize % unmet.len().max(1));
        let way = attempt % 4;
        self.bends.clear();
        self.bends.resize(self.rig.nodes.len(), false);
        let is_required = |k: &&usize| self.rig.demands[**k].is_required();
        let bent = order.iter().filter(is_required).filter(|k| match way {
            0 | 1 => Some(*k) == one,
            2 => unmet.contains(k),
            _ => true,
        });
        for node in bent.flat_map(|&k| self.least.system.nodes_on_path(k)) {
            self.bends[node] = way == 3 || self.rig.nodes[node].kind != Kind::Free;
        }
        if way == 1 {
            let met = order.iter().filter(is_required).filter(|k| !unmet.contains(k));
            met.flat_map(|&k| self.least.system.nodes_on_path(k))
                .for_each(|node| self.bends[node] = false);
        }
        // First an arc to either side, which leads out of straight limbs; then the sequence, no point of it twice.
        let pattern = if attempt <= 2 {
            1 + attempt
        } else {
            self.draws += 1;
            SEQUENCE + self.draws
        };
        self.rig.bend(pattern, &self.bends);
        self.rig.update();
    }

    /// Marks the nodes to bend.
    fn mark(&mut self, is_bent: impl Fn(usize) -> bool) {
        self.bends.clear();
        self.bends.extend((0..self.rig.nodes.len()).map(is_bent));
    }
}

impl Rig {
    /// Bends the marked joints in one of many fixed ways, inside the limits.
    fn bend(&mut self, pattern: u32, marked: &[bool]) {
        let n = marked.iter().filter(|is_marked| **is_marked).count();
        let mut variables_seen = 0;
        let half_angle = self.arc_half_angle();
        let marked = (0..self.nodes.len()).filter(|&i| marked[i]);
        for (place, i) in marked.enumerate() {
            let along = (place as f64 + 0.5) / n as f64;
            // What a joint of an arc contributes: its first joint lifts the chord, the others bend it back evenly.
            let even =
                if place == 0 { half_angle } else { -2.0 * half_angle / (n.max(2) - 1) as f64 };
            let sign = if pattern.is_multiple_of(2) { 1.0 } else { -1.0 };
            let by = match pattern / 2 {
                0 | 1 => sign * even,
                2 => sign * if place % 2 == 0 { 0.5 } else { -1.0 },
                3 => sign * if along < 0.5 { even } else { -even },
                _ => 0.0,
            };
            match self.nodes[i].kind {
                Kind::Hinge { .. } | Kind::Slide { .. } => {
                    let sequence = weyl(pattern, variables_seen);
                    variables_seen += 1;
                    self.bend_variable(i, by, pattern, sequence);
                }
                Kind::Ball | Kind::Free => self.bend_ball(i, by, pattern, place),
            }
        }
    }

    fn bend_variable(&mut self, i: usize, by: f64, pattern: u32, sequence: f64) {
        let (old, (min, max)) = (self.variable_value(i), self.variable_range(i));
        let width = if matches!(self.nodes[i].kind, Kind::Hinge { .. }) {
            core::f64::consts::PI
        } else {
            self.reach
        };
        let (low, high) = (min.max(old - width), max.min(old + width));
        let x = match pattern {
            0 | 1 => by,
            2..=7 => old + by,
            8 => 0.5 * (low + high),
            _ => low + sequence * (high - low),
        };
        self.set_variable(i, self.clamp_variable(i, x));
    }

    fn bend_ball(&mut self, i: usize, by: f64, pattern: u32, place: usize) {
        let across = self.before(i).conjugate() * self.side_axis();
        let by = if pattern < SEQUENCE - 1 {
            by
        } else {
            core::f64::consts::PI * (2.0 * weyl(pattern, place + 7) - 1.0)
        };
        let axis = if pattern < SEQUENCE {
            across
        } else {
            let (s, c) = sin_cos(core::f64::consts::TAU * weyl(pattern, place + 13));
            (across * c + across.cross(DVec3::new(c, s, 0.5)) * s).normalize_or(across)
        };
        self.rotate_ball(i, rotation_about(axis, by));
    }

    /// World axis about which free joints bend: across the line from the first joint to the target.
    fn side_axis(&self) -> DVec3 {
        let line = self.points.first().map_or(DVec3::X, |goal| {
            let root = self.first_node(goal.node);
            goal.target - if root == BASE { DVec3::ZERO } else { self.world[root].translation }
        });
        perpendicular(if line == DVec3::ZERO { DVec3::X } else { line })
    }

    /// Half the angle of the arc whose chord is the distance to the first target.
    fn arc_half_angle(&self) -> f64 {
        let Some(goal) = self.points.first() else { return 1.0 };
        let root = self.first_node(goal.node);
        if root == BASE {
            return 0.0;
        }
        let far = goal.target.distance(self.nodes[root].placement.translation);
        let slack = (1.0 - far / self.reach_of(0).outer.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        (6.0 * slack).sqrt() * (1.0 + 0.28 * slack)
    }
}

/// Their roots are independent over the rationals, so no two dimensions move together.
const PRIMES: [u8; 40] = [
    2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97,
    101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173,
];

/// A number in 0..1 of a sequence that fills every dimension evenly: multiples of square roots of primes \[weyl16\].
fn weyl(index: u32, dimension: usize) -> f64 {
    let round = (dimension / PRIMES.len() + 1) as f64;
    let step = round * f64::from(PRIMES[dimension % PRIMES.len()]).sqrt();
    let x = step * f64::from(index + 1) + 0.5 * (dimension % 7) as f64;
    x - x.floor()
}
