//! The joint path: which configurations the arm goes through.

use super::{GoesOn, PosePath, TrackEnd};
use crate::arm::Solver;
use crate::arm::goal::Goal;
use crate::arm::kernel::{Joint, Kernel, Pace, Residual};
use crate::arm::settings::Prefer;
use alloc::vec::Vec;
use core::f64::consts::TAU;

/// The largest change of an unknown between two nodes \[rad, units of length\]. Between them the tool leaves a straight path by about an eighth of its square:
/// 0.3 mm in an arm of a metre.
const LARGEST_CHANGE: f64 = 0.05;

/// Less change from the node before makes no node, except at targets: the quotient with a short time would be rounding.
const SMALLEST_CHANGE: f64 = 0.3 * LARGEST_CHANGE;

/// A branch has ended if it can be followed for no more than this part of a segment: where it goes on, small steps get through.
const SMALLEST_PART: f64 = 1e-6;

/// Steps to the next pose, which is near; quadratic convergence takes one to three.
const STEPS: u32 = 8;

/// Redundant joints move away from a limit within this part of their range, by this part of how far they are within it per node.
const MARGIN: f64 = 0.1;
const RETREAT: f64 = 0.2;

/// Motions through the null space change unknowns by at most this part of the motion along the path.
const SHARE: f64 = 0.5;

/// Nodes of a motion through the null space where the path does not go on, in each direction: a whole turn of several joints.
const MOST_NODES_ASIDE: u32 = 400;

/// It must let the path go on for this part of a segment, and is tried this many times.
const WORTHWHILE_PART: f64 = 1.0 / 64.0;
const MOST_MOTIONS_ASIDE: u32 = 100;

/// A joint is at a limit if it is nearer \[rad, units of length\].
const AT_LIMIT: f64 = 1e-3;

/// A configuration on the path.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node<const N: usize> {
    pub(super) x: [f64; N],
    pub(super) residual: Residual,
    /// The time on the path \[s\].
    pub(super) path_time: f64,
    /// The index of the target that is here.
    pub(super) target: Option<usize>,
}

/// Goes along a path.
pub(super) struct Follower<'a, const N: usize> {
    path: &'a PosePath<'a>,
    solver: &'a Solver<N>,
    is_redundant: bool,
    motions_aside: u32,
    pub(super) nodes: Vec<Node<N>>,
}

impl<'a, const N: usize> Follower<'a, N> {
    /// - `x`: a configuration at the first target
    pub(super) fn new(path: &'a PosePath<'a>, solver: &'a Solver<N>, x: [f64; N]) -> Self {
        let (target, path_time) = (path.targets[0], path.times[0]);
        let residual = solver.kernel.residual(&path.arm.goal_at(target, path.settings), &x);
        let mut nodes = Vec::with_capacity(path.targets.len());
        nodes.push(Node { x, residual, path_time, target: Some(0) });
        let is_redundant = path.arm.is_redundant(path.settings);
        Self { path, solver, is_redundant, motions_aside: 0, nodes }
    }

    /// Goes as far as possible; the reason why not to the end, or `None` if the track is cancelled.
    pub(super) fn follow(&mut self, goes_on: GoesOn<'_>) -> Option<Option<TrackEnd>> {
        let mut end = None;
        for target in 1..self.path.targets.len() {
            end = self.follow_to(target, goes_on)?;
            if end.is_some() {
                break;
            }
        }
        // Nodes at targets, and others at some distance from the one before.
        let mut last = self.nodes[0].x;
        self.nodes.retain(|node| {
            let is_kept = node.target.is_some() || largest_change(&node.x, &last) > SMALLEST_CHANGE;
            if is_kept {
                last = node.x;
            }
            is_kept
        });
        Some(end)
    }

    /// Goes to the next target; as [`follow`](Self::follow).
    fn follow_to(&mut self, target: usize, goes_on: GoesOn<'_>) -> Option<Option<TrackEnd>> {
        let (segment, end) = (target - 1, self.path.times[target]);
        let duration = end - self.path.times[segment];
        let least = SMALLEST_PART * duration;
        let mut part = duration;
        while goes_on() {
            let from = self.nodes[self.nodes.len() - 1];
            let rest = end - from.path_time;
            let path_time = if part > rest - least { end } else { from.path_time + part };
            let goal = self.path.goal(segment, path_time);
            if let Some((x, residual)) = self.reach(&goal, &self.predicted(path_time), &from.x) {
                let target = (path_time == end).then_some(target);
                self.nodes.push(Node { x, residual, path_time, target });
                if target.is_some() {
                    return Some(None);
                }
                part *= 2.0;
            } else if part > least {
                part *= 0.5;
            } else if self.move_aside(segment, from) {
                part = duration;
            } else {
                return Some(Some(self.reason(&from, &goal)));
            }
        }
        None
    }

    /// Where the unknowns go if they move on as they do.
    fn predicted(&self, path_time: f64) -> [f64; N] {
        let [before, last] = match self.nodes.as_slice() {
            [.., before, last] if last.path_time > before.path_time => [before, last],
            [.., last] => return last.x,
            [] => return [0.0; N],
        };
        let by = (path_time - last.path_time) / (last.path_time - before.path_time);
        core::array::from_fn(|i| {
            self.solver.kernel.joints[i].clamp(last.x[i] + by.min(2.0) * (last.x[i] - before.x[i]))
        })
    }

    /// The configuration at a pose near that of `from`, if joints need not change by much.
    fn reach(
        &self,
        goal: &Goal,
        predicted: &[f64; N],
        from: &[f64; N],
    ) -> Option<([f64; N], Residual)> {
        let kernel = &self.solver.kernel;
        let arrive = |mut x: [f64; N]| {
            let descent = kernel.descend(goal, &mut x, Pace::patient(STEPS));
            let is_near = largest_change(&x, from) <= LARGEST_CHANGE;
            (descent.has_reached && is_near).then_some((x, descent.residual))
        };
        let mut x = *predicted;
        if self.is_redundant
            && let Some(wanted) = self.wanted(&x)
        {
            let largest = largest_change(&wanted, &[0.0; N]);
            let by = (SHARE * largest_change(&x, from) / largest).min(1.0);
            kernel.advance(goal, &mut x, Some(&wanted.map(|wanted| wanted * by)));
        }
        // Where the motion does not go on as before, it may go on from here.
        arrive(x).or_else(|| arrive(*from))
    }

    /// The preferred change of redundant joints, if there is one.
    fn wanted(&self, x: &[f64; N]) -> Option<[f64; N]> {
        match self.path.settings.prefer {
            Prefer::Nearest | Prefer::First => {
                let retreat = core::array::from_fn(|i| self.solver.kernel.joints[i].retreat(x[i]));
                (retreat != [0.0; N]).then_some(retreat)
            }
            prefer => self.solver.wanted(x, prefer),
        }
    }

    /// Where the path does not go on: moves through the null space, the tool staying where it is, first towards the posture, then the other way, until it
    /// does.
    fn move_aside(&mut self, segment: usize, from: Node<N>) -> bool {
        if !self.is_redundant || self.motions_aside == MOST_MOTIONS_ASIDE {
            return false;
        }
        self.motions_aside += 1;
        let here = self.path.goal(segment, from.path_time);
        let end = self.path.times[segment + 1];
        let part = WORTHWHILE_PART * (end - self.path.times[segment]);
        let ahead = self.path.goal(segment, (from.path_time + part).min(end));
        let towards = core::array::from_fn(|i| self.solver.posture[i] - from.x[i]);
        let back = towards.map(|by: f64| -by);
        self.slide(&from, &here, &ahead, towards) || self.slide(&from, &here, &ahead, back)
    }

    /// Moves through the null space in one direction until the path goes on.
    fn slide(
        &mut self,
        from: &Node<N>,
        here: &Goal,
        ahead: &Goal,
        mut direction: [f64; N],
    ) -> bool {
        let kernel = &self.solver.kernel;
        let (n_before, mut x) = (self.nodes.len(), from.x);
        for _ in 0..MOST_NODES_ASIDE {
            let by = LARGEST_CHANGE / largest_change(&direction, &[0.0; N]);
            let mut next = x;
            kernel.advance(here, &mut next, Some(&direction.map(|change| change * by)));
            let descent = kernel.descend(here, &mut next, Pace::patient(STEPS));
            let moved = largest_change(&next, &x);
            if !descent.has_reached || !(0.01..2.0).contains(&(moved / LARGEST_CHANGE)) {
                break;
            }
            direction = core::array::from_fn(|i| next[i] - x[i]);
            x = next;
            self.nodes.push(Node { x, residual: descent.residual, target: None, ..*from });
            if self.reach(ahead, &x, &x).is_some() {
                return true;
            }
        }
        self.nodes.truncate(n_before);
        false
    }

    /// Why the path does not go on.
    fn reason(&self, from: &Node<N>, goal: &Goal) -> TrackEnd {
        let Solver { kernel, .. } = self.solver;
        let unlimited = kernel.without_limits(|i| {
            let Joint { min, max, .. } = kernel.joints[i];
            from.x[i] - min <= AT_LIMIT || max - from.x[i] <= AT_LIMIT
        });
        let mut x = from.x;
        let descent = unlimited.descend(goal, &mut x, Pace::patient(STEPS));
        if descent.has_reached && largest_change(&x, &from.x) <= LARGEST_CHANGE {
            let unknowns = self.path.arm.path.unknowns();
            let beyond = unknowns.filter(|(i, _)| !kernel.joints[*i].contains(x[*i]));
            return TrackEnd::Limits(beyond.map(|(_, source)| source.joint).collect());
        }
        let is_reachable = self.path.arm.is_reachable(self.solver, goal, from.x);
        if is_reachable { TrackEnd::Singularity } else { TrackEnd::Reach }
    }
}

impl Joint {
    /// The change away from a limit that is near.
    fn retreat(&self, x: f64) -> f64 {
        let margin = MARGIN * (self.max - self.min);
        if !margin.is_finite() {
            return 0.0;
        }
        RETREAT * ((self.min + margin - x).max(0.0) - (x - (self.max - margin)).max(0.0))
    }
}

impl<const N: usize> Kernel<N> {
    /// A configuration with one angle a whole turn further from the limit that it comes to, for each angle that can be there.
    ///
    /// - `last`: where the motion from it ends
    pub(super) fn turned_starts(
        &self,
        start: &[f64; N],
        last: &[f64; N],
    ) -> impl Iterator<Item = [f64; N]> {
        self.joints.iter().enumerate().filter_map(|(i, joint)| {
            let by = match () {
                () if last[i] - joint.min <= LARGEST_CHANGE => TAU,
                () if joint.max - last[i] <= LARGEST_CHANGE => -TAU,
                () => return None,
            };
            let mut other = *start;
            other[i] += by;
            (joint.turns && joint.contains(other[i])).then_some(other)
        })
    }

    /// A copy without the limits of some joints.
    fn without_limits(&self, which: impl Fn(usize) -> bool) -> Self {
        let mut kernel = self.clone();
        for i in (0..N).filter(|&i| which(i)) {
            (kernel.joints[i].min, kernel.joints[i].max) = (f64::NEG_INFINITY, f64::INFINITY);
        }
        kernel
    }
}

pub(super) fn largest_change<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).fold(0.0, |largest, (a, b)| f64::max(largest, (a - b).abs()))
}
