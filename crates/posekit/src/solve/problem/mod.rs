//! A problem as every method reads it: the joints that move something, their variables, and the tasks.
//!
//! `begin` compiles it once from a skeleton, a start and tasks ([`compile`]); after that it is read-only but for the targets
//! ([`Problem::set_target`]). What moves is a [`State`](super::pose::State).
//!
//! # Frames and units
//! Inside, the origin is the first joint that moves, where it starts, and lengths are multiplied by a power of two that brings the
//! bones to the order of one (`units`). So nothing depends on where the figure stands or on the unit of length.
//! Every value of a hinge or slide counts from where it starts: it is 0 when a solve begins.

mod compile;
mod units;

pub(crate) use units::power_of_two_below;

use crate::Result;
use crate::chain::Reach;
use crate::math::{Pose, so3_exp, so3_log};
use crate::skeleton::{Limit, Mimic};
use crate::task::{FramePose, Miss, PostureJoint, TaskKind};
use alloc::vec::Vec;
use core::ops::Range;
use glam::{DQuat, DVec3};

/// Stands for the world where a node is named, and for none where a variable is.
pub(crate) const NONE: usize = usize::MAX;

/// Distance, in units of length, beyond which a target is only a direction: squares of larger distances would drown what is left
/// to gain. Of the square of 1e6, the sixteen digits of a number still resolve 1e-4.
const HORIZON: f64 = 1e6;

/// What differences of places are off by, relative to these: a few roundings.
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

/// A joint that moves something that a task speaks about. Fixed and locked joints are folded into the nodes below them.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) joint: usize,
    /// The node above, or [`NONE`] for the world.
    pub(crate) parent: usize,
    /// The node before it moves, in the node above. A hinge or slide stands here as it starts.
    pub(crate) placement: Pose,
    /// Distance from the node above to the placement, but for where a slide or free joint starts.
    pub(crate) bone: f64,
    /// Whether the placement rotates.
    pub(crate) is_rotated: bool,
    /// From the joint to this node. A hinge or slide at its start is aligned with the node above, which saves a product in every pass.
    pub(crate) node_from_joint: DQuat,
    pub(crate) kind: Kind,
    /// The variable of a hinge or slide.
    pub(crate) variable: usize,
    /// Change of the node's value per change of its variable.
    pub(crate) gain: f64,
    /// The cone of a ball; hinges and slides have the ranges of their variables.
    pub(crate) cone: Limit,
    /// How far a ball may turn from where it starts \[rad\].
    pub(crate) largest_change: f64,
    /// Cost of its changes in least squares.
    pub(crate) stiffness: f64,
    /// Part of its best move that it makes in cyclic coordinate descent.
    pub(crate) ccd_weight: f64,
    /// A floating root that is carried along before the solve.
    pub(crate) is_pulled: bool,
    /// Place in the configuration.
    pub(crate) values: Range<usize>,
    /// The point targets that it moves, and the rotation targets, as ranges of [`Problem::moved`].
    pub(crate) moves_points: Range<usize>,
    pub(crate) moves_rotations: Range<usize>,
}

/// A number that hinges and slides move with: the value of one joint, and of those that mimic it. It counts from where it starts.
#[derive(Debug, Clone)]
pub(crate) struct Variable {
    /// Place of the driver's value in the configuration, and what it is at the start.
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
    /// One hinge alone, whose range holds every direction: its value is brought into the range by whole turns.
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
    /// Whether the status waits for it.
    pub(crate) fn is_required(&self) -> bool {
        self.level == 1 && self.has_rows()
    }

    /// Whether it counts and has rows; a posture has none.
    pub(crate) fn has_rows(&self) -> bool {
        self.weight > 0.0 && !matches!(self.kind, TaskKind::Posture(_))
    }

    /// The position and the rotation that a task asks for as a whole, in its own frame and units.
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

/// A point that must stand on a target.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PointTarget {
    pub(crate) node: usize,
    /// Where the first node that moves it stands when the solve begins; the point itself where nothing moves it.
    pub(crate) root: DVec3,
    pub(crate) offset: DVec3,
    /// Where it must be, from the origin \[m\].
    pub(crate) wanted: DVec3,
    /// What methods aim at: the same in the problem's units, or, beyond the [`HORIZON`], a nearer point in the same direction.
    pub(crate) target: DVec3,
    /// The distances that it can have from its root.
    pub(crate) reach: Reach,
    /// By how much `target` is out of reach, proven.
    pub(crate) shortfall: f64,
    pub(crate) weight: f64,
    /// Place in [`Problem::goals`].
    pub(crate) goal: usize,
}

/// A frame that must have an orientation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RotationTarget {
    pub(crate) node: usize,
    pub(crate) offset: DQuat,
    pub(crate) target: DQuat,
    pub(crate) weight: f64,
    /// Place in [`Problem::goals`].
    pub(crate) goal: usize,
}

/// See the module.
#[derive(Debug, Clone, Default)]
pub(crate) struct Problem {
    pub(crate) nodes: Vec<Node>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) nodes_of_variables: Vec<usize>,
    pub(crate) goals: Vec<Goal>,
    /// What has mass: where, and how much.
    pub(crate) bodies: Vec<(Carrier, f64)>,
    /// What methods that move one joint at a time understand of the tasks.
    pub(crate) points: Vec<PointTarget>,
    pub(crate) rotations: Vec<RotationTarget>,
    /// The targets that each node moves; see [`Node::moves_points`].
    pub(crate) moved: Vec<usize>,
    /// The same before they are split by node: the node, 0 for a point and 1 for a rotation, and the target.
    movers: Vec<(usize, usize, usize)>,
    /// All tasks that count are in `points` and `rotations`.
    pub(crate) is_plain: bool,
    /// Cost of leaving the start, against the tasks of each level.
    pub(crate) regularisation: f64,
    /// The levels that have tasks, ascending, with what their weights were divided by.
    pub(crate) levels: Vec<(u8, f64)>,
    /// The configuration at the start, settled and inside the limits.
    pub(crate) start: Vec<f64>,
    /// The values of joints that no task moves.
    pub(crate) still: Vec<f64>,
    /// The problem's origin, in the world \[m\].
    pub(crate) origin: DVec3,
    /// Problem lengths per metre: a power of two.
    pub(crate) scale: f64,
    /// The length that a radian counts like: bones and finite slides, of the order of one.
    pub(crate) unit: f64,
    /// Misses that count as none.
    pub(crate) tolerance: Miss,
    pub(crate) posture_joints: Vec<PostureJoint>,
    /// Mimic joints: place of the value, place of the driver's, and how they follow.
    mimics: Vec<(usize, usize, Mimic)>,
    /// The longest sum of bones to a frame of the first level, whatever holds them [m].
    length_of_skeleton: f64,
    node_of_joint: Vec<usize>,
    variable_of_joint: Vec<usize>,
}

impl Problem {
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

    /// By how much the targets are out of reach, proven \[m\]; 0 where they may be in reach.
    pub(crate) fn shortfall(&self) -> f64 {
        let beyond = |goal: &PointTarget| {
            goal.reach
                .scaled(self.scale.recip())
                .shortfall(far(goal.wanted - goal.root / self.scale))
        };
        let out = self.points.iter().filter(|goal| goal.shortfall > 0.0);
        out.map(beyond).fold(0.0, f64::max)
    }

    /// Whether a target is so far away that it is only a direction.
    pub(crate) fn is_beyond_horizon(&self, goal: &PointTarget) -> bool {
        goal.target != goal.root + (goal.wanted - goal.root / self.scale) * self.scale
    }

    /// The first node above a node, or it itself; [`NONE`] for the world.
    pub(crate) fn root_node(&self, mut node: usize) -> usize {
        while node != NONE && self.nodes[node].parent != NONE {
            node = self.nodes[node].parent;
        }
        node
    }

    /// Puts mimic joints where their drivers put them.
    pub(crate) fn apply_mimics(&self, q: &mut [f64]) {
        for (follower, driver, mimic) in &self.mimics {
            q[*follower] = mimic.value(q[*driver]);
        }
    }

    /// Gives a task another target. False where it is of another kind or speaks about other frames.
    ///
    /// # Errors
    /// For a posture whose values are not those of the skeleton's joints.
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
        goal.wanted = target - self.origin;
        let path = goal.wanted - goal.root / self.scale;
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

    /// Whether one point must be reached by the last of joints that follow each other without branches, and nothing else counts.
    pub(crate) fn is_path(&self) -> bool {
        let ([goal], [], true) = (self.points.as_slice(), self.rotations.as_slice(), self.is_plain)
        else {
            return false;
        };
        let follows = |(i, node): (usize, &Node)| node.parent == i.wrapping_sub(1);
        goal.node != NONE
            && goal.node + 1 == self.nodes.len()
            && self.nodes.iter().enumerate().all(follows)
    }

    /// 2 when all joints are hinges about +z and everything lies in one plane z = const, else 3.
    pub(crate) fn dimension(&self) -> usize {
        let flat = |v: DVec3| v.z.abs() <= super::driver::ROUNDING * self.unit;
        let is_hinge = |node: &Node| node.kind == Kind::Hinge { axis: DVec3::Z };
        let [first, rest @ ..] = self.nodes.as_slice() else { return 3 };
        let is_plane = is_hinge(first)
            && rest.iter().all(|node| is_hinge(node) && flat(node.placement.translation))
            && self.points.iter().all(|goal| flat(goal.offset) && flat(goal.target - goal.root));
        if is_plane { 2 } else { 3 }
    }

    /// The dimension of a free chain: 3 for an unlimited path of balls, 2 for one of hinges in a plane, none for anything else.
    pub(crate) fn free_dimension(&self) -> Option<usize> {
        let is_unlimited = |(i, node)| !self.is_limited(node) && self.is_alone(i);
        if !self.is_path() || !self.nodes.iter().enumerate().all(is_unlimited) {
            return None;
        }
        let dimension = self.dimension();
        let is_free = dimension == 2 || self.nodes.iter().all(|node| node.kind == Kind::Ball);
        is_free.then_some(dimension)
    }

    /// What a rotation target counts beside a point target: a radian like the unit of length, spread over three axes of which two turn.
    #[inline]
    pub(crate) fn frame_weight(&self) -> f64 {
        0.5 * self.unit * self.unit
    }

    /// A ball's rotation brought inside its cone and its largest change.
    ///
    /// - `now`: a rotation that is inside
    ///
    /// # Method
    /// The nearest in the cone, else the nearest within the largest change, else the last of the way from `now` that is in both, by bisection.
    pub(crate) fn allowed_rotation(&self, node: &Node, now: DQuat, wanted: DQuat) -> DQuat {
        let held = node.cone.clamp_rotation(wanted);
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

/// The length of a vector, also where its square overflows or vanishes.
pub(crate) fn far(v: DVec3) -> f64 {
    let largest = v.abs().max_element();
    if (1e-100..1e100).contains(&largest) || largest == 0.0 {
        v.length()
    } else {
        largest * (v / largest).length()
    }
}
