//! Where least squares starts from when a method is locked up.
//!
//! A pose in which every joint is at rest although the target is not met (the straight limb with its target on its own line) gives
//! `Jᵀ e = 0` and no step. Such poses are saddles, and any bend that the limits allow escapes from them. The attempts are, in order: the
//! present pose; for a single limb, the pose of its bones if they were free, as far as the joints can follow; an arc to either side whose
//! chord fits the distance of the target, instead of the pose of a limb, added to the pose of a figure; then points of a low-discrepancy
//! sequence over the ranges of the joints that move missed tasks. Point `k` is always the same; nothing is random.

use super::methods::OnPoints;
use super::methods::least_squares::Until;
use super::pose::State;
use super::problem::{Goal, Kind, NONE, Node, Problem, Variable};
use crate::math::{perpendicular, rotation_about, sin_cos, sqrt, weyl};
use crate::task::Rows;
use alloc::vec::Vec;
use core::f64::consts::{PI, TAU};
use glam::DVec3;

/// Restarts for a target that is proven out of reach: the straight pose and two arcs.
const OUT_OF_REACH: u32 = 3;

/// The minimum of the first attempt counts as the best when [`SAME_MINIMUM`] others have led back to it, and at least one in this many of the
/// restarts allowed: fewer if tasks contradict each other, to first order, in a generic pose, which usually means a compromise. (For the
/// hardest targets of robot arms one start in twenty reaches.)
const SAME_MINIMUM: u32 = 7;
const SAME_PART: u32 = 6;
const SAME_PART_OF_CONFLICT: u32 = 14;

/// Sums of squares between these multiples of the first one belong to the same minimum: attempts end before they are at rest.
const SAME: [f64; 2] = [0.999, 2.0];

/// How a restart changes the pose.
#[derive(Debug, Clone, Copy)]
enum Pattern {
    /// An arc to one side, added to the pose.
    Arc(f64),
    /// An arc to one side, in place of the angles of the pose.
    ArcAlone(f64),
    /// A point of the sequence.
    Sequence(u32),
}

/// Which restarts are left, and their buffers.
#[derive(Debug, Clone, Default)]
pub(super) struct Restarts {
    /// Points of the sequence that have been used.
    draws: u32,
    /// The sum of squares of the first attempt, and the number of others that led to it.
    first: f64,
    n_same: u32,
    /// Whether tasks contradict each other, once known.
    pub(super) has_conflict: Option<bool>,
    /// The nodes that a restart moves, and the tasks that it is for.
    is_displaced: Vec<bool>,
    unmet: Vec<usize>,
    rows: Rows,
    free_chain: OnPoints,
}

impl Restarts {
    /// Resets for a new solve.
    pub(super) fn begin(&mut self) {
        (self.draws, self.n_same) = (0, 0);
        self.has_conflict = None;
    }

    /// Whether the next attempt is the first from a generic pose.
    pub(super) fn is_generic(&self) -> bool {
        self.draws == 1 && self.has_conflict.is_none()
    }

    /// Records the result of an attempt.
    pub(super) fn learn(&mut self, attempt: u32, sum_of_squares: f64) {
        if attempt == 0 {
            (self.first, self.n_same) = (sum_of_squares, 0);
        } else if (SAME[0] * self.first..=SAME[1] * self.first).contains(&sum_of_squares) {
            self.n_same += 1;
        }
    }

    /// Moves the state to the pose that reaches if its joints are free, as far as they can follow.
    pub(super) fn reach_freely(&mut self, problem: &Problem, state: &mut State) {
        self.free_chain.reach(problem, state);
    }

    /// Moves the state to the start of an attempt; returns how long to iterate from there, or none if nothing is left to try.
    pub(super) fn start(
        &mut self,
        attempt: u32,
        problem: &Problem,
        state: &mut State,
    ) -> Option<Until> {
        let allowed = problem.settings.least_squares.restarts;
        let most = if problem.shortfall() > 0.0 { allowed.min(OUT_OF_REACH) } else { allowed };
        let is_conflict = self.has_conflict == Some(true);
        let part = if is_conflict { SAME_PART_OF_CONFLICT } else { SAME_PART };
        let is_best = self.n_same >= SAME_MINIMUM.max(allowed / part);
        if problem.nodes.is_empty() || attempt > most || is_best {
            return None;
        }
        let is_limb = problem.is_path()
            && problem.nodes.iter().all(|n| n.largest_change.is_infinite())
            && problem.variables.iter().all(|variable| variable.is_largest_change == [false; 2]);
        match attempt {
            0 => return Some(Until::Hopeless),
            1 if is_limb => self.reach_freely(problem, state),
            _ => {
                if is_limb {
                    state.restart(problem);
                }
                self.choose_displaced(attempt, problem, state);
                let pattern = match attempt {
                    1 => Pattern::Arc(1.0),
                    2 if is_limb => Pattern::ArcAlone(1.0),
                    3 if is_limb => Pattern::ArcAlone(-1.0),
                    2 => Pattern::Arc(-1.0),
                    _ => {
                        self.draws += 1;
                        Pattern::Sequence(self.draws)
                    }
                };
                displace(problem, state, pattern, &self.is_displaced);
                if state.values == state.begun {
                    // Everything is locked.
                    return None;
                }
                state.update(problem);
            }
        }
        // Most starts of a single limb reach the target, one in three of those of a figure.
        Some(if is_limb { Until::Hopeless } else { Until::Doubtful })
    }

    /// Chooses the joints to move, cycling through four sets: those of one missed task, with or without the joints of tasks that are met; those of
    /// all missed tasks; all joints, floating roots included.
    fn choose_displaced(&mut self, attempt: u32, problem: &Problem, state: &State) {
        let Self { is_displaced, unmet, rows, .. } = self;
        unmet.clear();
        let is_met = |goal: &Goal, rows: &mut Rows| {
            problem.miss_of(goal, state, rows).is_within(problem.tolerance)
        };
        let goals = || problem.goals.iter().enumerate().filter(|(_, goal)| goal.is_required());
        unmet.extend(goals().filter(|(_, goal)| !is_met(goal, rows)).map(|(k, _)| k));
        let one = unmet.get((attempt / 4) as usize % unmet.len().max(1));
        let variant = attempt % 4;
        is_displaced.clear();
        is_displaced.resize(problem.nodes.len(), false);
        for (k, goal) in goals() {
            let is_chosen = match variant {
                0 | 1 => Some(&k) == one,
                2 => unmet.contains(&k),
                _ => true,
            };
            if is_chosen {
                problem.for_each_mover(goal, |i| {
                    is_displaced[i] = variant == 3 || problem.nodes[i].kind != Kind::Free;
                });
            }
        }
        if variant == 1 {
            for (_, goal) in goals().filter(|(k, _)| !unmet.contains(k)) {
                problem.for_each_mover(goal, |i| is_displaced[i] = false);
            }
        }
    }
}

impl Problem {
    /// Visits the nodes that move the frames or the bodies of a task, some of them more than once.
    pub(super) fn for_each_mover(&self, goal: &Goal, mut act: impl FnMut(usize)) {
        let bodies = self.bodies[goal.bodies.clone()].iter().map(|(carrier, _)| carrier.node);
        for mut i in goal.carriers.iter().map(|carrier| carrier.node).chain(bodies) {
            while i != NONE {
                act(i);
                i = self.nodes[i].parent;
            }
        }
    }
}

impl Problem {
    /// The range in which restarts place a variable: all of its range, or, if that is longer than two turns of its slowest hinge or than twice the unit of
    /// length, about one turn around its present value.
    fn range_to_try(&self, variable: usize, now: f64, is_displaced: &[bool]) -> (f64, f64) {
        let half = |&i: &usize| {
            let Node { kind, gain, .. } = &self.nodes[i];
            if matches!(kind, Kind::Slide { .. }) {
                self.unit / gain.abs()
            } else {
                PI / gain.abs()
            }
        };
        let displaced = self.nodes_of(variable).iter().filter(|&&i| is_displaced[i]);
        let half = displaced.map(half).fold(0.0, f64::max);
        let Variable { min, max, .. } = self.variables[variable];
        if max - min <= 4.0 * half {
            (min, max)
        } else {
            (min.max(now - half), max.min(now + half))
        }
    }
}

/// Moves the chosen joints by a pattern, inside the limits.
fn displace(problem: &Problem, state: &mut State, pattern: Pattern, is_displaced: &[bool]) {
    // Of the nodes of one variable, the first that is displaced.
    let first = |i: usize| match problem.nodes[i].variable {
        NONE => i,
        variable => *problem.nodes_of(variable).iter().find(|&&i| is_displaced[i]).unwrap_or(&i),
    };
    let displaced = || (0..problem.nodes.len()).filter(|&i| is_displaced[i] && first(i) == i);
    let n = displaced().count();
    let (half_angle, across) = (arc_half_angle(problem), side_axis(problem, state));
    let mut dimension = 0;
    for (place, i) in displaced().enumerate() {
        // The first joint of an arc lifts the chord, the others bend it back evenly.
        let even = if place == 0 { half_angle } else { -2.0 * half_angle / (n.max(2) - 1) as f64 };
        let node = &problem.nodes[i];
        if node.kind == Kind::Ball || node.kind == Kind::Free {
            let rotation = match pattern {
                Pattern::Arc(side) | Pattern::ArcAlone(side) => {
                    rotation_about(state.before(node).conjugate() * across, side * even)
                }
                Pattern::Sequence(k) => {
                    let [u, v, w] = [0, 1, 2].map(|j| weyl(k, dimension + j));
                    dimension += 3;
                    let (s, c) = sin_cos(TAU * u);
                    let z = 2.0 * v - 1.0;
                    let flat = sqrt(1.0 - z * z);
                    rotation_about(DVec3::new(flat * c, flat * s, z), PI * (2.0 * w - 1.0))
                }
            };
            let now = state.values.motions[i].rotation;
            state.set_rotation(problem, i, (rotation * now).normalize());
        } else {
            let variable = &problem.variables[node.variable];
            let old = state.values.variables[node.variable];
            let (low, high) = problem.range_to_try(node.variable, old, is_displaced);
            let x = match pattern {
                Pattern::Arc(side) => old + side * even,
                Pattern::ArcAlone(side) => side * even - variable.start * variable.unit,
                Pattern::Sequence(k) => {
                    dimension += 1;
                    low + weyl(k, dimension - 1) * (high - low)
                }
            };
            state.set_variable(problem, node.variable, variable.clamp(x));
        }
    }
}

/// World axis about which free joints bend: across the line from the first joint to the target.
fn side_axis(problem: &Problem, state: &State) -> DVec3 {
    let line = problem.points.first().map_or(DVec3::X, |goal| {
        let root = problem.root_node(goal.node);
        goal.target - state.world.get(root).map_or(DVec3::ZERO, |world| world.translation)
    });
    perpendicular(if line == DVec3::ZERO { DVec3::X } else { line })
}

/// Half the angle of the arc whose chord is the distance to the first target: of an arc of length 1 and half angle `a` the chord is
/// `sin a / a ≈ 1 − a²/6`, and the factor behind it brings a closed circle, `a = π`, to within 1 % as well.
fn arc_half_angle(problem: &Problem) -> f64 {
    let Some(goal) = problem.points.first().filter(|goal| goal.node != NONE) else { return 1.0 };
    let outer = goal.reach.outer.max(f64::MIN_POSITIVE);
    let short = (1.0 - goal.target.distance(goal.root) / outer).clamp(0.0, 1.0);
    sqrt(6.0 * short) * (1.0 + 0.28 * short)
}
