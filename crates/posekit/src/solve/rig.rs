//! The working copy of a skeleton: only the joints that move an effector, laid out for the inner loops.
//!
//! Inside, rotations stay quaternions from the first iteration to the last; angles appear at both ends only. A hinge keeps its
//! turn as the half-angle pair (cosine, sine), limits are compared with it without inverse functions. Lengths are of the
//! order of one, multiplied by a power of two (see [`PointsRun`](super::points::PointsRun)).

use super::demand::{Carrier, Demand};
use super::driver::{Residual, worse};
use super::solution::HoldKind;
use crate::chain::Reach;
use crate::math::{Pose, atan2, sin_cos, so3_exp, so3_log, swing_twist};
use crate::skeleton::Limit;
use crate::task::PostureJoint;
use core::ops::Range;
use glam::{DQuat, DVec3};

/// Marks "no node above": the base.
pub(super) const BASE: usize = usize::MAX;

/// How a node moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// Turns about a unit axis in its own frame.
    Hinge { axis: DVec3 },
    /// Slides along a unit axis in its own frame.
    Slide { axis: DVec3 },
    /// Turns freely.
    Ball,
    /// Turns and moves freely.
    Free,
}

/// What holds a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Bound {
    None,
    /// A hinge's range as an arc: inside where the cosine of the distance from the middle is at least `half_cosine`.
    Arc {
        min: f64,
        max: f64,
        middle: (f64, f64),
        half_cosine: f64,
        half_sine: f64,
    },
    /// A slide's range.
    Span {
        min: f64,
        max: f64,
    },
    /// A ball's cone and twist.
    Cone(Limit),
}

/// A joint that moves an effector.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) joint: usize,
    pub(super) parent: usize,
    /// From this node before it moves to the node above (or the world): fixed joints between are folded in.
    pub(super) placement: Pose,
    /// From the joint to this node. The axis of a joint with one value takes over how the joint is placed, and its node stands
    /// like the node above: a product less in every pass.
    pub(super) node_from_joint: DQuat,
    /// Whether the placement turns.
    pub(super) is_turned: bool,
    pub(super) kind: Kind,
    /// A root that is to be carried along first.
    pub(super) is_pulled: bool,
    pub(super) bound: Bound,
    pub(super) ccd_weight: f64,
    /// How unwillingly it moves, for least squares.
    pub(super) stiffness: f64,
    /// A hinge's range holds every direction.
    pub(super) goes_round: bool,
    /// Largest turn of a ball from where it starts \[rad\].
    pub(super) leash: f64,
    /// Whether the lower and the upper end of its bound are how far it may change, nearer than its limit.
    pub(super) is_leashed_at: [bool; 2],
    /// Place in the skeleton's configuration.
    pub(super) values: Range<usize>,
    /// The independent variable of a one-value joint: value = gain × variable + bias, each in radians or run lengths.
    pub(super) variable: Option<usize>,
    /// It is the only one on its variable.
    pub(super) is_alone: bool,
    pub(super) gain: f64,
    pub(super) bias: f64,
    /// The variable is a length.
    pub(super) driver_slides: bool,
    /// Position goals and orientation goals that this node moves, as ranges of [`Rig::downstream`].
    pub(super) moves: [Range<usize>; 2],
}

/// A point that must stand on a target.
#[derive(Debug, Clone, Copy)]
pub(super) struct PointGoal {
    pub(super) node: usize,
    /// The first node that moves it.
    root: usize,
    pub(super) offset: DVec3,
    /// Where it should be.
    pub(super) wanted: DVec3,
    /// What the methods aim at: the same, or, a million reaches off and more, a nearer point in the same direction.
    pub(super) target: DVec3,
    /// By how much the target is out of reach, proven.
    shortfall: f64,
    pub(super) weight: f64,
    pub(super) at: DVec3,
    /// Place in [`Rig::demands`].
    pub(super) demand: usize,
}

impl PointGoal {
    /// A goal in the caller's units, with the first and the last node that move it.
    pub(super) fn new(
        [root, node]: [usize; 2],
        offset: DVec3,
        wanted: DVec3,
        weight: f64,
        demand: usize,
    ) -> Self {
        let (target, at) = (wanted, offset);
        Self { node, root, offset, wanted, target, shortfall: 0.0, weight, at, demand }
    }
}

/// Distance in reaches beyond which a target is only a direction; squares of larger distances would drown what is left to
/// gain.
const FAR: f64 = 1e6;

/// A frame that must have an orientation.
#[derive(Debug, Clone, Copy)]
pub(super) struct TurnGoal {
    pub(super) node: usize,
    pub(super) offset: DQuat,
    pub(super) target: DQuat,
    pub(super) weight: f64,
    pub(super) at: DQuat,
    /// Place in [`Rig::demands`].
    pub(super) demand: usize,
}

impl Node {
    /// True for a ball without limits.
    pub(super) fn is_free_ball(&self) -> bool {
        self.kind == Kind::Ball && self.bound == Bound::None
    }

    /// World rotation before it moves, from that of the node above.
    #[inline(always)]
    fn before(&self, above: DQuat) -> DQuat {
        if self.is_turned { above * self.placement.rotation } else { above }
    }
}

/// The working copy. See the module.
#[derive(Debug, Clone, Default)]
pub(super) struct Rig {
    pub(super) nodes: Vec<Node>,
    pub(super) points: Vec<PointGoal>,
    pub(super) turns: Vec<TurnGoal>,
    /// All tasks, for least squares.
    pub(super) demands: Vec<Demand>,
    /// What weighs: where, and how much.
    pub(super) bodies: Vec<(Carrier, f64)>,
    /// The joints that postures speak about, where there are any.
    pub(super) posture_joints: Vec<PostureJoint>,
    /// Everything asked for is in `points` and `turns`.
    pub(super) is_plain: bool,
    /// How much staying at the start counts.
    pub(super) regularisation: f64,
    pub(super) downstream: Vec<usize>,
    /// Per point goal; see [`Rig::reach_of`].
    pub(super) reaches: Vec<Reach>,
    /// Everything an iteration changes: how each node has turned and moved in its own frame.
    pub(super) state: Vec<Pose>,
    /// World pose of each node.
    pub(super) world: Vec<Pose>,
    /// How many nodes share each variable.
    pub(super) sharers: Vec<u32>,
    /// The variable that each independent joint is, `BASE` for none yet.
    pub(super) variable_of_joint: Vec<usize>,
    pub(super) start: Vec<f64>,
    pub(super) scale: f64,
    pub(super) reach: f64,
    pub(super) shortfall: f64,
    pub(super) distance_tolerance: f64,
    pub(super) angle_tolerance: f64,
    pub(super) node_of_joint: Vec<usize>,
    pub(super) mimics: Vec<(usize, usize, f64, f64)>,
}

impl Rig {
    /// The distances that a point goal can have from the first joint that moves it, in the units of the nodes.
    pub(super) fn measure_reach(&self, goal: usize) -> Reach {
        let goal = &self.points[goal];
        // What remains when one bone points against all others is what its ends add to more than the sum of all.
        let (mut outer, mut longest, mut widest) = (0.0, 0.0_f64, 0.0_f64);
        let (mut node, mut bone) = (goal.node, goal.offset);
        while node != BASE {
            let (short, long) = match (self.nodes[node].kind, self.nodes[node].bound) {
                (Kind::Slide { axis }, Bound::Span { min, max }) => {
                    slide_lengths(bone, axis, min, max)
                }
                (Kind::Slide { axis }, _) => {
                    slide_lengths(bone, axis, f64::NEG_INFINITY, f64::INFINITY)
                }
                (Kind::Free, _) => (0.0, f64::INFINITY),
                _ => {
                    let length = bone.length();
                    (length, length)
                }
            };
            outer += long;
            longest = if long > longest { long } else { longest };
            widest = if short + long > widest { short + long } else { widest };
            bone = self.nodes[node].placement.translation;
            node = self.nodes[node].parent;
        }
        // Infinite bones leave no number, and then nothing is too near.
        Reach { inner: (widest - outer).max(0.0), outer, longest }
    }

    /// The distances that a point goal can have from the first joint that moves it.
    pub(super) fn reach_of(&self, goal: usize) -> Reach {
        self.reaches[goal]
    }

    /// The nodes from the first that moves a point goal to the last.
    pub(super) fn first_node(&self, mut node: usize) -> usize {
        while node != BASE && self.nodes[node].parent != BASE {
            node = self.nodes[node].parent;
        }
        node
    }

    /// What is proven about the targets: out of reach, by how much.
    pub(super) fn measure_shortfall(&mut self) {
        self.shortfall = 0.0;
        for i in 0..self.points.len() {
            let goal = self.points[i];
            let root = if goal.root == BASE {
                goal.at
            } else {
                self.nodes[goal.root].placement.translation
            };
            let (way, reach) = (goal.wanted - root, self.reach_of(i));
            let far = way.length();
            let shortfall = reach.shortfall(far);
            let is_out = shortfall > 1e-12 * self.reach;
            if is_out {
                self.shortfall = self.shortfall.max(shortfall);
            }
            let horizon = FAR * self.unit();
            let (target, seen) = if far > horizon {
                (root + way * (horizon / far), horizon)
            } else {
                (goal.wanted, far)
            };
            self.points[i].target = target;
            self.points[i].shortfall = if is_out { reach.shortfall(seen) } else { 0.0 };
            self.demands[goal.demand].set_position(target);
        }
    }

    /// Sets the state from joint values.
    pub(super) fn state_from(&mut self, q: &[f64]) {
        self.state.clear();
        for node in &self.nodes {
            let values = &q[node.values.clone()];
            let (turn, slide) = match node.kind {
                Kind::Hinge { axis } => {
                    let (s, c) = sin_cos(0.5 * values[0]);
                    (hinge_turn(axis, (c, s)), DVec3::ZERO)
                }
                Kind::Slide { axis } => (DQuat::IDENTITY, axis * (values[0] * self.scale)),
                Kind::Ball => (DQuat::from_slice(values), DVec3::ZERO),
                Kind::Free => {
                    (DQuat::from_slice(&values[3..]), DVec3::from_slice(values) * self.scale)
                }
            };
            self.state.push(Pose { rotation: turn.normalize(), translation: slide });
        }
    }

    /// Writes the state as joint values of the whole skeleton: inside the limits, mimics kept.
    pub(super) fn write_values(&self, q: &mut Vec<f64>) {
        q.clear();
        q.extend_from_slice(&self.start);
        for (i, node) in self.nodes.iter().enumerate() {
            let values = &mut q[node.values.clone()];
            match node.kind {
                Kind::Hinge { .. } => values[0] = self.hinge_value(i, values[0]),
                Kind::Slide { axis } => values[0] = self.slide_value(i, axis),
                Kind::Ball => self.state[i].rotation.write_to_slice(values),
                Kind::Free => {
                    (self.state[i].translation / self.scale).write_to_slice(values);
                    self.state[i].rotation.write_to_slice(&mut values[3..]);
                }
            }
        }
        self.write_mimics(q);
    }

    /// A joint that others copy takes its value from the first of its nodes, and every copy from it.
    pub(super) fn write_mimics(&self, q: &mut [f64]) {
        for &(follower, driver, gain, bias) in &self.mimics {
            let moved = self.nodes.iter().find(|node| node.values.start == follower);
            let driver_moved = self.nodes.iter().any(|node| node.values.start == driver);
            if moved.is_some() && !driver_moved && gain != 0.0 {
                q[driver] = (q[follower] - bias) / gain;
            }
        }
        for &(follower, driver, gain, bias) in &self.mimics {
            q[follower] = gain * q[driver] + bias;
        }
    }

    /// A hinge's angle: the turn nearest to where it started, inside its range.
    fn hinge_value(&self, i: usize, start: f64) -> f64 {
        let (c, s) = self.hinge_half(i);
        let angle = 2.0 * atan2(s, c);
        match self.nodes[i].bound {
            Bound::Arc { min, max, .. } => {
                let range = Limit::Range { min, max };
                let off = |end: f64| crate::math::wrap_angle(angle - end).abs();
                let outside = || if off(min) < off(max) { min } else { max };
                range.equivalent_angle(angle, start).unwrap_or_else(outside)
            }
            _ => Limit::None.equivalent_angle(angle, start).unwrap_or(angle),
        }
    }

    /// A one-value joint's value (in run units), as it is returned: in the caller's units, inside its range, an angle as near to `start` as can
    /// be.
    #[inline]
    pub(super) fn brought_inside(&self, node: &Node, value: f64, start: f64) -> f64 {
        match (node.kind, node.bound) {
            (Kind::Slide { .. }, Bound::Span { min, max }) => value.clamp(min, max) / self.scale,
            (Kind::Slide { .. }, _) => value / self.scale,
            (_, Bound::Arc { min, max, .. }) => {
                let range = Limit::Range { min, max };
                let nearest =
                    if node.goes_round { range.equivalent_angle(value, start) } else { None };
                nearest.unwrap_or_else(|| value.clamp(min, max))
            }
            _ => Limit::None.equivalent_angle(value, start).unwrap_or(value),
        }
    }

    fn slide_value(&self, i: usize, axis: DVec3) -> f64 {
        let value = self.state[i].translation.dot(axis);
        match self.nodes[i].bound {
            Bound::Span { min, max } => value.clamp(min, max) / self.scale,
            _ => value / self.scale,
        }
    }

    /// Half-angle cosine and sine of a hinge.
    #[inline]
    pub(super) fn hinge_half(&self, i: usize) -> (f64, f64) {
        let Kind::Hinge { axis } = self.nodes[i].kind else { return (1.0, 0.0) };
        let turn = self.state[i].rotation;
        (turn.w, turn.xyz().dot(axis))
    }

    /// Forward kinematics of all nodes from the state, and of the goals of a plain problem: one pass.
    pub(super) fn update(&mut self) {
        self.world.resize(self.nodes.len(), Pose::IDENTITY);
        // Most nodes hang on the one just before, which then need not be read back.
        let mut last = Pose::IDENTITY;
        for i in 0..self.nodes.len() {
            let parent = self.nodes[i].parent;
            let above = if parent == i.wrapping_sub(1) { last } else { self.world_of(parent) };
            last = self.place_node(i, above);
        }
        // Who else asks for them asks by `place_of`.
        if self.is_plain {
            self.update_goals();
        }
    }

    /// World pose of one node, from its parent's.
    #[inline]
    pub(super) fn update_node(&mut self, i: usize) {
        self.place_node(i, self.world_of(self.nodes[i].parent));
    }

    #[inline]
    fn world_of(&self, node: usize) -> Pose {
        if node == BASE { Pose::IDENTITY } else { self.world[node] }
    }

    #[inline(always)]
    fn place_node(&mut self, i: usize, above: Pose) -> Pose {
        let node = &self.nodes[i];
        let before = node.before(above.rotation);
        let mut world = Pose {
            rotation: before * self.state[i].rotation,
            translation: above.transform_point(node.placement.translation),
        };
        if !matches!(node.kind, Kind::Hinge { .. } | Kind::Ball) {
            world.translation += before * self.state[i].translation;
        }
        self.world[i] = world;
        world
    }

    /// World rotation of a node before it moves.
    #[inline]
    pub(super) fn before(&self, i: usize) -> DQuat {
        let node = &self.nodes[i];
        node.before(self.world_of(node.parent).rotation)
    }

    /// A direction of a node's frame that its motion leaves as it is, such as a hinge's axis or the way of a slide, in the world.
    #[inline]
    pub(super) fn in_world(&self, i: usize, axis: DVec3) -> DVec3 {
        self.world[i].rotation * axis
    }

    /// Where the point of a goal is.
    pub(super) fn place_of(&self, goal: &PointGoal) -> DVec3 {
        if goal.node == BASE {
            goal.offset
        } else {
            self.world[goal.node].transform_point(goal.offset)
        }
    }

    /// Where the effectors are.
    pub(super) fn update_goals(&mut self) {
        for i in 0..self.points.len() {
            self.points[i].at = self.place_of(&self.points[i]);
        }
        for goal in &mut self.turns {
            let base =
                if goal.node == BASE { DQuat::IDENTITY } else { self.world[goal.node].rotation };
            goal.at = base * goal.offset;
        }
    }

    /// Rounding lets quaternions drift by an ulp a product; called once an iteration.
    pub(super) fn renormalise(&mut self) {
        self.state.iter_mut().for_each(|moved| renormalise(&mut moved.rotation));
    }

    /// The same for one node.
    pub(super) fn renormalise_node(&mut self, i: usize) {
        renormalise(&mut self.state[i].rotation);
    }

    /// The length that a radian counts like: the reach, or 1 where nothing reaches.
    pub(super) fn unit(&self) -> f64 {
        if self.reach > 0.0 { self.reach } else { 1.0 }
    }

    /// How far off the effectors are.
    pub(super) fn residual(&self) -> Residual {
        self.measure(|goal| goal.at.distance(goal.wanted))
    }

    /// How far off they are from the nearest that their bones could make it: what there is to gain.
    pub(super) fn gap(&self) -> Residual {
        self.measure(|goal| goal.at.distance(goal.target) - goal.shortfall)
    }

    fn measure(&self, distance_of: impl Fn(&PointGoal) -> f64) -> Residual {
        // What weighs nothing is switched off.
        let points = self.points.iter().filter(|goal| goal.weight > 0.0);
        let distance = points.map(distance_of).fold(0.0, worse);
        let mut angle = 0.0_f64;
        for goal in self.turns.iter().filter(|goal| goal.weight > 0.0) {
            angle = worse(angle, so3_log(goal.target * goal.at.conjugate()).length());
        }
        Residual { distance, angle }
    }

    pub(super) fn is_there(&self) -> bool {
        let points = self.points.iter().all(|goal| {
            let off = goal.at.distance_squared(goal.target);
            off <= self.distance_tolerance * self.distance_tolerance || goal.weight == 0.0
        });
        points && (self.turns.is_empty() || self.residual().angle <= self.angle_tolerance)
    }

    /// World positions of the nodes, then of the point goals, in the caller's units.
    pub(super) fn write_points(&self, out: &mut Vec<f64>) {
        out.clear();
        // Exact: the scale is a power of two.
        let by = self.scale.recip();
        for pose in &self.world {
            out.extend((pose.translation * by).to_array());
        }
        for goal in &self.points {
            out.extend((self.place_of(goal) * by).to_array());
        }
    }

    /// True when a node stands at a limit (within 1e-9 rad, or of the reach).
    pub(super) fn is_at_limit(&self, i: usize) -> bool {
        match self.nodes[i].bound {
            Bound::None => false,
            Bound::Arc { min, max, .. } => {
                let value = self.hinge_value(i, self.start[self.nodes[i].values.start]);
                value - min <= 1e-9 || max - value <= 1e-9
            }
            Bound::Span { min, max } => {
                let Kind::Slide { axis } = self.nodes[i].kind else { return false };
                let value = self.state[i].translation.dot(axis);
                value - min <= 1e-9 * self.reach || max - value <= 1e-9 * self.reach
            }
            Bound::Cone(Limit::Cone { axis, swing, twist }) => {
                let parts = swing_twist(self.state[i].rotation, axis);
                parts.swing_angle() >= swing - 1e-9
                    || parts.twist - twist[0] <= 1e-9
                    || twist[1] - parts.twist <= 1e-9
            }
            Bound::Cone(_) => false,
        }
    }

    /// What keeps node `i`, whose joint has one value, from going further: by `way` down or up, or, without a way, where it is nearest.
    pub(super) fn what_stops(&self, i: usize, way: Option<f64>) -> HoldKind {
        let node = &self.nodes[i];
        let (min, max) = self.variable_range(i);
        let value = self.variable_value(i);
        // A follower of negative gain goes down as its variable goes up.
        let is_up = way.unwrap_or((value - min) - (max - value)) * node.gain > 0.0;
        if node.is_leashed_at[usize::from(is_up)] {
            HoldKind::LargestChange
        } else {
            HoldKind::Limit
        }
    }

    /// True when node `i` is the only one on its variable.
    #[inline]
    pub(super) fn is_alone(&self, i: usize) -> bool {
        self.nodes[i].is_alone
    }

    /// True when node `i` is the first on its variable.
    pub(super) fn leads(&self, i: usize) -> bool {
        self.leader(i) == i
    }

    /// The first node on the variable of node `i`.
    pub(super) fn leader(&self, i: usize) -> usize {
        let variable = self.nodes[i].variable;
        self.nodes.iter().position(|node| node.variable == variable).unwrap_or(i)
    }

    /// True for a joint that turns about one axis.
    pub(super) fn is_hinge(&self, i: usize) -> bool {
        matches!(self.nodes[i].kind, Kind::Hinge { .. })
    }

    /// Whether any joint is held near where it starts.
    pub(super) fn is_leashed(&self) -> bool {
        self.nodes.iter().any(|node| node.leash < f64::INFINITY)
    }

    /// True for a hinge of its own that goes round: every direction is inside its range.
    pub(super) fn turns_freely(&self, i: usize) -> bool {
        let node = &self.nodes[i];
        node.goes_round && self.is_alone(i) && node.gain == 1.0 && node.leash == f64::INFINITY
    }

    /// Turns a ball further, in the frame before its motion, and back into its cone where rounding leads out of it.
    pub(super) fn rotate_ball(&mut self, i: usize, by: DQuat) {
        let mut turned = (by * self.state[i].rotation).normalize();
        if let Bound::Cone(limit) = self.nodes[i].bound {
            turned = limit.clamp_rotation(turned);
        }
        if self.nodes[i].leash < f64::INFINITY {
            let start = self.start_turn(i);
            let off = so3_log(turned * start.conjugate());
            let far = off.length();
            if far > self.nodes[i].leash {
                turned = so3_exp(off * (self.nodes[i].leash / far)) * start;
            }
        }
        self.state[i].rotation = turned;
    }

    /// Where a ball's rotation started.
    pub(super) fn start_turn(&self, i: usize) -> DQuat {
        self.turn_in(i, &self.start)
    }

    /// A ball's rotation in a configuration.
    pub(super) fn turn_in(&self, i: usize, q: &[f64]) -> DQuat {
        let values = &q[self.nodes[i].values.clone()];
        values.last_chunk().map_or(DQuat::IDENTITY, |turn| DQuat::from_array(*turn).normalize())
    }

    /// The variable of node `i` in a configuration.
    pub(super) fn variable_in(&self, i: usize, q: &[f64]) -> f64 {
        let node = &self.nodes[i];
        let mimic = self.mimics.iter().find(|mimic| mimic.0 == node.values.start);
        let value = q[mimic.map_or(node.values.start, |mimic| mimic.1)];
        if node.driver_slides { value * self.scale } else { value }
    }

    /// The value of a one-value node, in run units.
    pub(super) fn node_value(&self, i: usize) -> f64 {
        let node = &self.nodes[i];
        match node.kind {
            Kind::Slide { axis } => self.state[i].translation.dot(axis),
            _ => self.hinge_value(i, self.start[node.values.start]),
        }
    }

    /// How much a node's value changes per unit of its variable.
    pub(super) fn gain(&self, i: usize) -> f64 {
        self.nodes[i].gain
    }

    /// The variable's value, from one of its nodes.
    pub(super) fn variable_value(&self, i: usize) -> f64 {
        let node = &self.nodes[i];
        let value = self.node_value(i);
        (value - node.bias) / if node.gain == 0.0 { 1.0 } else { node.gain }
    }

    /// The values that a node's range leaves its variable.
    pub(super) fn variable_range(&self, i: usize) -> (f64, f64) {
        let node = &self.nodes[i];
        let (min, max) = match node.bound {
            Bound::Arc { min, max, .. } | Bound::Span { min, max } => (min, max),
            _ => return (f64::NEG_INFINITY, f64::INFINITY),
        };
        if node.gain == 0.0 {
            return (0.0, 0.0);
        }
        let bias = node.bias;
        let (a, b) = ((min - bias) / node.gain, (max - bias) / node.gain);
        (a.min(b), a.max(b))
    }

    /// Brings a variable's value into the range of node `i`, which moves with it.
    pub(super) fn clamp_variable(&self, i: usize, x: f64) -> f64 {
        let (min, max) = self.variable_range(i);
        x.clamp(min, max)
    }

    /// Sets the variable that node `i` moves with.
    #[inline]
    pub(super) fn set_variable(&mut self, i: usize, x: f64) {
        let variable = self.nodes[i].variable;
        if self.is_alone(i) {
            self.set_node(i, x);
            return;
        }
        for k in 0..self.nodes.len() {
            if self.nodes[k].variable == variable {
                self.set_node(k, x);
            }
        }
    }

    #[inline(always)]
    fn set_node(&mut self, i: usize, x: f64) {
        let node = &self.nodes[i];
        let value = node.gain * x + node.bias;
        match node.kind {
            Kind::Hinge { axis } => {
                let (s, c) = sin_cos(0.5 * value);
                self.state[i].rotation = hinge_turn(axis, (c, s));
            }
            Kind::Slide { axis } => self.state[i].translation = axis * value,
            _ => {}
        }
    }
}

/// One Newton step towards unit length: exact to rounding next to it.
#[inline]
pub(super) fn renormalise(turn: &mut DQuat) {
    *turn *= 1.5 - 0.5 * turn.length_squared();
}

/// A rotation about a unit axis from its half-angle cosine and sine.
#[inline]
pub(super) fn hinge_turn(axis: DVec3, (c, s): (f64, f64)) -> DQuat {
    DQuat::from_xyzw(axis.x * s, axis.y * s, axis.z * s, c)
}

/// Smallest and largest length of a bone whose base slides along `axis` by `min..=max`.
fn slide_lengths(bone: DVec3, axis: DVec3, min: f64, max: f64) -> (f64, f64) {
    let at = |x: f64| (bone + axis * x).length();
    let foot = (-bone.dot(axis)).clamp(min, max);
    let longest =
        if min.is_finite() && max.is_finite() { at(min).max(at(max)) } else { f64::INFINITY };
    (at(foot), longest)
}
