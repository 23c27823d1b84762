//! The problem that every method reads: the joints that move an effector, their variables, and the tasks.
//!
//! `begin` compiles it from a skeleton, a start and tasks ([`compile`]); after that only its targets change ([`Problem::set_target`]). Methods move
//! a [`State`](super::pose::State).
//!
//! # Frames and units
//! The internal origin is the start position of the first joint that moves, and lengths are multiplied by a power of two that brings the
//! bones to the order of one (`units`), so that the result depends neither on the position of the figure nor on the unit of length.
//! The value of a hinge or slide is relative to its start: 0 when a solve begins.

mod compile;
mod units;

pub(crate) use units::power_of_two_below;

use crate::Result;
use crate::chain::Reach;
use crate::math::{Pose, so3_exp, so3_log};
use crate::skeleton::{Limit, Mimic};
use crate::solve::settings::Settings;
use crate::task::{FramePose, Miss, PostureJoint, TaskKind};
use alloc::vec::Vec;
use core::ops::Range;
use glam::{DQuat, DVec3};

/// The world in place of a node, and none in place of a variable.
pub(crate) const NONE: usize = usize::MAX;

/// Distance in units of length beyond which a target is only a direction: in the squares of larger distances, remaining improvements would be
/// lost to rounding. Double precision resolves 1e-4 in the square of 1e6.
const HORIZON: f64 = 1e6;

/// Relative to the unit of length, smaller distances are rounding: 1e-16 per operation, accumulated over a hundred bones.
const ROUNDING: f64 = 1e-14;

/// The relative rounding error of a difference of positions: a few operations.
const ROUNDING_OF_PLACES: f64 = 4.0 * f64::EPSILON;

/// How a node moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    /// Turns about a unit axis in its own frame.
    Hinge { axis: DVec3 },
    /// Slides along a unit axis in its own frame.
    Slide { axis: DVec3 },
    /// Turns freely.
    Ball,
    /// Turns and moves freely.
    Free,
}

/// A joint that moves a frame or body of a task. Fixed and locked joints are folded into the nodes below them.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) joint: usize,
    /// The node above, or [`NONE`] for the world.
    pub(crate) parent: usize,
    /// The node before its motion, in the node above; for a hinge or slide, at its start.
    pub(crate) placement: Pose,
    /// Distance from the node above to the placement, without the start value of a slide or free joint.
    pub(crate) bone: f64,
    /// Whether the placement rotates.
    pub(crate) is_rotated: bool,
    /// A hinge or slide at its start is aligned with the node above, which saves a product in every pass.
    pub(crate) node_from_joint: DQuat,
    pub(crate) kind: Kind,
    /// The variable of a hinge or slide.
    pub(crate) variable: usize,
    /// Change of the node's value per change of its variable.
    pub(crate) gain: f64,
    /// The cone of a ball; hinges and slides have the ranges of their variables.
    pub(crate) cone: Limit,
    /// The largest rotation of a ball from its start \[rad\].
    pub(crate) largest_change: f64,
    /// Cost of its changes in least squares.
    pub(crate) stiffness: f64,
    /// Fraction of its best move in cyclic coordinate descent.
    pub(crate) ccd_weight: f64,
    /// A free joint that is moved by the mean error before the solve.
    pub(crate) is_pre_pulled: bool,
    /// Its values in the configuration.
    pub(crate) values: Range<usize>,
    /// The point targets and rotation targets that it moves, as ranges of [`Problem::moved`].
    pub(crate) moves_points: Range<usize>,
    pub(crate) moves_rotations: Range<usize>,
}

/// The value of a hinge or slide, and of those that mimic it, relative to its start.
#[derive(Debug, Clone)]
pub(crate) struct Variable {
    /// Index of the driver's value in the configuration, and that value at the start.
    pub(crate) value: usize,
    pub(crate) start: f64,
    /// Units of this variable per unit of that value: 1 for an angle.
    pub(crate) unit: f64,
    pub(crate) is_length: bool,
    /// The limit of the driver, in the configuration's units.
    pub(crate) limit: Limit,
    /// The range from the start, with the largest change taken into account.
    pub(crate) min: f64,
    pub(crate) max: f64,
    /// Whether the lower and the upper end are the largest change, nearer than the limit.
    pub(crate) is_largest_change: [bool; 2],
    /// A hinge without followers whose range includes every direction: its value is wrapped into the range.
    pub(crate) wraps: bool,
    /// The nodes that move with it, as a range of [`Problem::nodes_of_variables`].
    pub(crate) nodes: Range<usize>,
}

impl Variable {
    /// The nearest allowed value.
    #[inline]
    pub(crate) fn clamp(&self, x: f64) -> f64 {
        // Not `f64::clamp`, which panics where rounding has crossed the ends.
        if x > self.max {
            self.max
        } else if x >= self.min {
            x
        } else {
            self.min
        }
    }
}

/// A frame on the node that carries it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Carrier {
    pub(crate) node: usize,
    pub(crate) node_from_frame: Pose,
}

impl Carrier {
    /// The world's own frame.
    const WORLD: Self = Self { node: NONE, node_from_frame: Pose::IDENTITY };
}

/// A task in the problem's frame and units.
#[derive(Debug, Clone)]
pub(crate) struct Goal {
    pub(crate) kind: TaskKind,
    pub(crate) carriers: [Carrier; 2],
    /// Its part of [`Problem::bodies`].
    pub(crate) bodies: Range<usize>,
    /// Relative to the largest of its level.
    pub(crate) weight: f64,
    pub(crate) level: u8,
}

impl Goal {
    /// Whether it decides the status.
    pub(crate) fn is_required(&self) -> bool {
        self.level == 1 && self.has_rows()
    }

    /// Whether it has a weight and rows; a posture has none.
    pub(crate) fn has_rows(&self) -> bool {
        self.weight > 0.0 && !matches!(self.kind, TaskKind::Posture(_))
    }

    /// The full position and rotation targets of a task, in its own frame and units.
    fn whole_targets(kind: &TaskKind) -> (Option<DVec3>, Option<DQuat>) {
        match kind {
            TaskKind::Position(task) => (Some(task.target_in_world), None),
            TaskKind::Orientation(task) => (None, Some(task.world_from_target.normalize())),
            TaskKind::Pose(FramePose { axes, world_from_target, .. }) => (
                (axes.along == [true; 3]).then_some(world_from_target.translation),
                (axes.about == [true; 3]).then(|| world_from_target.rotation.normalize()),
            ),
            _ => (None, None),
        }
    }
}

/// A point and its target.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PointTarget {
    pub(crate) node: usize,
    /// Position of its root node at the start; the point itself if nothing moves it.
    pub(crate) root: DVec3,
    pub(crate) offset: DVec3,
    /// The target of the task, from the origin \[m\].
    pub(crate) target_in_metres: DVec3,
    /// What methods aim at: the same in the problem's units or, beyond the [`HORIZON`], a closer point in the same direction.
    pub(crate) target: DVec3,
    /// The possible distances from its root.
    pub(crate) reach: Reach,
    /// The proven distance of `target` from the reachable set.
    pub(crate) shortfall: f64,
    pub(crate) weight: f64,
    /// Index in [`Problem::goals`].
    pub(crate) goal: usize,
}

/// A frame and its target orientation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RotationTarget {
    pub(crate) node: usize,
    pub(crate) offset: DQuat,
    pub(crate) target: DQuat,
    pub(crate) weight: f64,
    /// Index in [`Problem::goals`].
    pub(crate) goal: usize,
}

/// See the module.
#[derive(Debug, Clone, Default)]
pub(crate) struct Problem {
    pub(crate) nodes: Vec<Node>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) nodes_of_variables: Vec<usize>,
    pub(crate) goals: Vec<Goal>,
    /// The bodies: where, and their masses.
    pub(crate) bodies: Vec<(Carrier, f64)>,
    /// The targets that methods other than least squares solve for.
    pub(crate) points: Vec<PointTarget>,
    pub(crate) rotations: Vec<RotationTarget>,
    /// The targets that each node moves; see [`Node::moves_points`].
    pub(crate) moved: Vec<usize>,
    /// The same as a list: the node, 0 for a point and 1 for a rotation, and the target.
    movers: Vec<(usize, usize, usize)>,
    /// All tasks with a weight are in `points` and `rotations`.
    pub(crate) is_plain: bool,
    /// The pole of a limb, where everything else is plain.
    pub(crate) pole: Option<usize>,
    pub(crate) settings: Settings,
    /// The levels that have tasks, ascending, with the divisor of their weights.
    pub(crate) levels: Vec<(u8, f64)>,
    /// The configuration at the start, settled and inside the limits.
    pub(crate) start: Vec<f64>,
    /// The configuration, with the values of joints that no task depends on.
    pub(crate) still: Vec<f64>,
    /// The problem's origin, in the world \[m\].
    pub(crate) origin: DVec3,
    /// Problem lengths per metre: a power of two.
    pub(crate) scale: f64,
    /// The length that a radian counts as: bones and finite slides, of the order of one.
    pub(crate) unit: f64,
    /// Misses that count as reached.
    pub(crate) tolerance: Miss,
    pub(crate) posture_joints: Vec<PostureJoint>,
    /// Mimic joints: index of the value, index of the driver's value, and their relation.
    mimics: Vec<(usize, usize, Mimic)>,
    /// The longest sum of bones to a frame of the first level, moving or not \[m\].
    length_of_skeleton: f64,
    node_of_joint: Vec<usize>,
    variable_of_joint: Vec<usize>,
}

impl Problem {
    /// Becomes a problem without joints and tasks.
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.variables.clear();
        self.goals.clear();
        self.points.clear();
        self.rotations.clear();
        self.levels.clear();
        self.still.clear();
    }

    /// Sets the units of a problem of points without joints.
    pub(crate) fn set_units(&mut self, scale: f64, unit: f64) {
        (self.scale, self.unit) = (scale, unit);
        self.set_tolerance();
    }

    fn set_tolerance(&mut self) {
        let Settings { tolerance, .. } = self.settings;
        let distance = tolerance.map_or(1e-6 * self.unit, |metres| metres * self.scale);
        let distance = distance.max(ROUNDING * self.unit).max(f64::MIN_POSITIVE);
        self.tolerance = Miss { distance, angle: self.settings.angle_tolerance().max(ROUNDING) };
    }

    /// Misses divided by their tolerances: at most 1 means reached.
    pub(crate) fn tolerances(&self, miss: Miss) -> f64 {
        worse(miss.distance / self.tolerance.distance, miss.angle / self.tolerance.angle)
    }

    /// Whether a solve ends as soon as the tolerance is met.
    pub(crate) fn stops_early(&self) -> bool {
        self.settings.tolerance != Some(0.0)
    }

    /// The nodes that move with a variable.
    #[inline]
    pub(crate) fn nodes_of(&self, variable: usize) -> &[usize] {
        &self.nodes_of_variables[self.variables[variable].nodes.clone()]
    }

    /// Whether a hinge or slide is the only one on its variable; true for balls.
    #[inline]
    pub(crate) fn is_alone(&self, node: usize) -> bool {
        let variable = self.nodes[node].variable;
        variable == NONE || self.variables[variable].nodes.len() == 1
    }

    /// Whether node `i` is the first on its variable.
    pub(crate) fn leads(&self, i: usize) -> bool {
        let variable = self.nodes[i].variable;
        variable == NONE || self.nodes_of(variable).first() == Some(&i)
    }

    /// Whether a hinge or slide has a range, or a ball a cone or a largest change.
    pub(crate) fn is_limited(&self, node: &Node) -> bool {
        match self.variables.get(node.variable) {
            Some(variable) => variable.min > f64::NEG_INFINITY || variable.max < f64::INFINITY,
            None => node.cone != Limit::None || node.largest_change < f64::INFINITY,
        }
    }

    /// The largest proven distance of a target from its reachable set \[m\]; 0 if all may be in reach.
    pub(crate) fn shortfall(&self) -> f64 {
        let beyond = |goal: &PointTarget| {
            goal.reach
                .scaled(self.scale.recip())
                .shortfall(far(goal.target_in_metres - goal.root / self.scale))
        };
        let out = self.points.iter().filter(|goal| goal.shortfall > 0.0);
        out.map(beyond).fold(0.0, f64::max)
    }

    /// Whether a target is so far away that it is only a direction.
    pub(crate) fn is_beyond_horizon(&self, goal: &PointTarget) -> bool {
        goal.target != goal.root + (goal.target_in_metres - goal.root / self.scale) * self.scale
    }

    /// The first node above a node, or it itself; [`NONE`] for the world.
    pub(crate) fn root_node(&self, mut node: usize) -> usize {
        while node != NONE && self.nodes[node].parent != NONE {
            node = self.nodes[node].parent;
        }
        node
    }

    /// Sets mimic joints from their drivers.
    pub(crate) fn apply_mimics(&self, q: &mut [f64]) {
        for (follower, driver, mimic) in &self.mimics {
            q[*follower] = mimic.value(q[*driver]);
        }
    }

    /// Moves the target of a task. False if the kind or its frames differ.
    ///
    /// # Errors
    /// For a posture whose values do not fit the skeleton's joints.
    pub(crate) fn set_target(&mut self, task: usize, kind: &TaskKind) -> Result<bool> {
        let Some(goal) = self.goals.get_mut(task).filter(|goal| goal.kind.is_alike(kind)) else {
            return Ok(false);
        };
        if let TaskKind::Posture(posture) = kind {
            posture.check_values(&self.posture_joints, task)?;
        }
        goal.kind.clone_from(kind);
        goal.kind.rebase(self.origin, self.scale);
        let (position, rotation) = Goal::whole_targets(kind);
        let point = self.points.iter().position(|goal| goal.goal == task);
        if let (Some(point), Some(target)) = (point, position) {
            self.aim(point, target);
        }
        for goal in self.rotations.iter_mut().filter(|goal| goal.goal == task) {
            goal.target = rotation.unwrap_or(goal.target);
        }
        Ok(true)
    }

    /// Moves the target of a point.
    ///
    /// - `target`: in the caller's units and frame
    pub(crate) fn aim(&mut self, point: usize, target: DVec3) {
        let goal = &mut self.points[point];
        goal.target_in_metres = target - self.origin;
        let path = goal.target_in_metres - goal.root / self.scale;
        let (distance, horizon) = (far(path), HORIZON * self.unit);
        let part = if distance * self.scale > horizon { horizon / distance } else { self.scale };
        goal.target = goal.root + path * part;
        let beyond = goal.reach.shortfall((distance * self.scale).min(horizon));
        let rounding = 1e-12 * self.unit + ROUNDING_OF_PLACES * far(self.origin) * self.scale;
        goal.shortfall = if beyond > rounding { beyond } else { 0.0 };
        match &mut self.goals[goal.goal].kind {
            TaskKind::Position(task) => task.target_in_world = goal.target,
            TaskKind::Pose(task) => task.world_from_target.translation = goal.target,
            _ => {}
        }
    }

    /// Whether the only task, apart from a pole, is a point on the last node of an unbranched path of nodes.
    pub(crate) fn is_path(&self) -> bool {
        let ([goal], []) = (self.points.as_slice(), self.rotations.as_slice()) else {
            return false;
        };
        if !self.is_plain && self.pole.is_none() {
            return false;
        }
        let follows = |(i, node): (usize, &Node)| node.parent == i.wrapping_sub(1);
        goal.node != NONE
            && goal.node + 1 == self.nodes.len()
            && self.nodes.iter().enumerate().all(follows)
    }

    /// 2 when all joints are hinges about +z and everything lies in one plane z = const, else 3.
    pub(crate) fn dimension(&self) -> usize {
        let flat = |v: DVec3| v.z.abs() <= ROUNDING * self.unit;
        let is_hinge = |node: &Node| node.kind == Kind::Hinge { axis: DVec3::Z };
        let [first, rest @ ..] = self.nodes.as_slice() else { return 3 };
        let is_plane = is_hinge(first)
            && rest.iter().all(|node| is_hinge(node) && flat(node.placement.translation))
            && self.points.iter().all(|goal| flat(goal.offset) && flat(goal.target - goal.root));
        if is_plane { 2 } else { 3 }
    }

    /// Whether this is a free chain: an unlimited path of balls, or of hinges in a plane.
    pub(crate) fn is_free(&self) -> bool {
        let is_unlimited = |(i, node)| !self.is_limited(node) && self.is_alone(i);
        self.is_plain
            && self.is_path()
            && self.nodes.iter().enumerate().all(is_unlimited)
            && (self.nodes.iter().all(|node| node.kind == Kind::Ball) || self.dimension() == 2)
    }

    /// The weight of a rotation target's three axes beside a point target: a radian counts as the unit of length, and moves two of the axes.
    #[inline]
    pub(crate) fn frame_weight(&self) -> f64 {
        0.5 * self.unit * self.unit
    }

    /// Clamps a ball's rotation to its cone and its largest change.
    ///
    /// - `now`: a rotation inside both
    ///
    /// # Method
    /// The nearest rotation in the cone, else the nearest within the largest change, else the last on the geodesic from `now` that is in both, by
    /// bisection.
    pub(crate) fn allowed_rotation(&self, node: &Node, now: DQuat, desired: DQuat) -> DQuat {
        let held = node.cone.clamp_rotation(desired);
        if node.largest_change == f64::INFINITY {
            return held;
        }
        let start = rotation_at(&self.start[node.values.clone()]);
        let off = |rotation: DQuat| so3_log(rotation * start.conjugate());
        if off(held).length() <= node.largest_change {
            return held;
        }
        let short = {
            let off = off(held);
            so3_exp(off * (node.largest_change / off.length())) * start
        };
        if node.cone.contains_rotation(short, 0.0) {
            return short;
        }
        let by = so3_log(short * now.conjugate());
        let is_allowed = |rotation: DQuat| {
            node.cone.contains_rotation(rotation, 0.0)
                && off(rotation).length() <= node.largest_change
        };
        let (mut inside, mut step) = (0.0, 0.5);
        while step > 1e-9 {
            if is_allowed(so3_exp(by * (inside + step)) * now) {
                inside += step;
            }
            step *= 0.5;
        }
        so3_exp(by * inside) * now
    }
}

/// Extends a range by one that follows it.
pub(crate) fn extend(range: &mut Range<usize>, next: Range<usize>) {
    let start = if range.start == range.end { next.start } else { range.start };
    *range = start..next.end;
}

/// The rotation in the values of a ball or free joint.
pub(crate) fn rotation_at(values: &[f64]) -> DQuat {
    values.last_chunk().map_or(DQuat::IDENTITY, |rotation| DQuat::from_array(*rotation).normalize())
}

/// The length of a vector, even if its square overflows or underflows.
pub(crate) fn far(v: DVec3) -> f64 {
    let largest = v.abs().max_element();
    if (1e-100..1e100).contains(&largest) || largest == 0.0 {
        v.length()
    } else {
        largest * (v / largest).length()
    }
}

/// The larger of two errors; infinite for NaN, which overflow can cause and `f64::max` would ignore.
#[inline]
pub(crate) fn worse(a: f64, b: f64) -> f64 {
    if b.is_nan() { f64::INFINITY } else { a.max(b) }
}
