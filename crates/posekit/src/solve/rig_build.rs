//! From a skeleton and its tasks to a rig: finds the joints that move an effector, folds what is fixed into them, lists which
//! goals each one moves, and brings lengths to the order of one.

use super::demand::{Carrier, Demand};
use super::points::power_of_two_below;
use super::rig::{BASE, Bound, Kind, Node, PointGoal, Rig, TurnGoal};
use super::settings::{Root, Settings};
use crate::math::{Pose, sin_cos};
use crate::skeleton::{Frame, JointKind, Limit, Skeleton};
use crate::task::{Axes, FramePose, Miss, Posture, PostureJoint, Task, TaskKind};
use glam::{DQuat, DVec3};

/// Lengths up to this and down to its inverse can be squared without a thought.
const TAME: f64 = 1e30;

impl Rig {
    /// Copies what the tasks need of a skeleton. `start` must have been checked and clamped.
    pub(super) fn build(
        &mut self,
        skeleton: &Skeleton,
        start: &[f64],
        tasks: &[Task],
        settings: &Settings,
    ) {
        self.start.clear();
        self.start.extend_from_slice(start);
        self.regularisation = settings.least_squares.regularisation;
        self.mark_ancestors(skeleton, tasks);
        self.collect_nodes(skeleton, settings);
        self.collect_goals(skeleton, tasks);
        self.collect_downstream();
        self.rescale();
        self.leash();
        self.state_from(start);
        self.update();
        self.measure_shortfall();
    }

    /// Marks every joint that something asked for depends on.
    fn mark_ancestors(&mut self, skeleton: &Skeleton, tasks: &[Task]) {
        self.node_of_joint.clear();
        self.node_of_joint.resize(skeleton.n_joints(), BASE);
        for task in tasks.iter().filter(|task| task.weight > 0.0) {
            for frame in task.kind.frames().into_iter().flatten() {
                self.mark_from(skeleton, frame.joint);
            }
            for body in task.kind.bodies().into_iter().flat_map(|bodies| bodies.iter()) {
                self.mark_from(skeleton, body.joint);
            }
            if let TaskKind::Posture(posture) = &task.kind {
                for joint in 0..skeleton.n_joints() {
                    if posture.cares_for(joint) && skeleton.mimic(joint).is_none() {
                        self.mark_from(skeleton, joint);
                    }
                }
            }
        }
    }

    fn mark_from(&mut self, skeleton: &Skeleton, joint: usize) {
        for i in skeleton.ancestors(joint) {
            self.node_of_joint[i] = 0;
        }
    }

    fn collect_nodes(&mut self, skeleton: &Skeleton, settings: &Settings) {
        let ccd_weights = &settings.ccd.weights;
        self.nodes.clear();
        self.sharers.clear();
        self.variable_of_joint.clear();
        self.variable_of_joint.resize(skeleton.n_joints(), BASE);
        self.mimics.clear();
        for joint in 0..skeleton.n_joints() {
            if let Some(mimic) = skeleton.mimic(joint) {
                let values =
                    (skeleton.value_range(joint).start, skeleton.value_range(mimic.joint).start);
                self.mimics.push((values.0, values.1, mimic.multiplier, mimic.offset));
            }
            if self.node_of_joint[joint] == BASE {
                continue;
            }
            let (driver, gain, bias) = match skeleton.mimic(joint) {
                Some(mimic) => (mimic.joint, mimic.multiplier, mimic.offset),
                None => (joint, 1.0, 0.0),
            };
            let is_held = ccd_weights.get(driver) == Some(&0.0)
                || settings.locked.contains(&driver)
                || (settings.root == Root::Pinned && skeleton.is_root(driver));
            let Some(kind) = moving(skeleton.kind(joint)).filter(|_| !is_held) else {
                self.node_of_joint[joint] = BASE - 1;
                continue;
            };
            let one_value = matches!(kind, Kind::Hinge { .. } | Kind::Slide { .. });
            let variable = one_value.then(|| self.variable_of(driver));
            self.node_of_joint[joint] = self.nodes.len();
            let (parent, placement) =
                self.carry_up(skeleton, joint, skeleton.parent_from_joint(joint));
            let (kind, placement, node_from_joint) = without_turn(kind, placement);
            self.nodes.push(Node {
                joint,
                parent,
                placement,
                node_from_joint,
                is_turned: placement.rotation != DQuat::IDENTITY,
                kind,
                is_pulled: settings.root == Root::PrePulled && skeleton.is_root(joint),
                bound: bound(kind, scaled_limit(skeleton.limit(driver), gain, bias)),
                ccd_weight: ccd_weights.get(joint).copied().unwrap_or(1.0),
                stiffness: settings.least_squares.stiffness.get(driver).copied().unwrap_or(1.0),
                goes_round: matches!(kind, Kind::Hinge { .. })
                    && skeleton.limit(driver).holds_whole_turn(),
                leash: settings.least_squares.largest_change.get(driver).map_or(
                    f64::INFINITY,
                    |by| {
                        if one_value { by * gain.abs() } else { *by }
                    },
                ),
                values: skeleton.value_range(joint),
                variable,
                is_leashed_at: [false; 2],
                is_alone: true,
                gain,
                bias,
                driver_slides: matches!(skeleton.kind(driver), JointKind::Prismatic { .. }),
                moves: [0..0, 0..0],
            });
        }
        for node in &mut self.nodes {
            node.is_alone = node.variable.is_none_or(|variable| self.sharers[variable] == 1);
        }
    }

    /// The node above, and a pose in `joint`'s parent carried up to it through fixed joints.
    #[inline(always)]
    fn carry_up(&self, skeleton: &Skeleton, joint: usize, pose: Pose) -> (usize, Pose) {
        let mut carried = pose;
        let mut next = skeleton.parent(joint);
        while let Some(i) = next {
            if self.node_of_joint[i] < BASE - 1 {
                return (self.node_of_joint[i], self.in_node(self.node_of_joint[i], carried));
            }
            carried = self.fixed_pose(skeleton, i) * carried;
            next = skeleton.parent(i);
        }
        (BASE, carried)
    }

    /// A pose in the joint of a node, as one in the node.
    #[inline]
    fn in_node(&self, node: usize, pose: Pose) -> Pose {
        let turn = self.nodes[node].node_from_joint;
        Pose { rotation: turn * pose.rotation, translation: turn * pose.translation }
    }

    /// Pose in its parent of a joint that does not move: a fixed one, or one that is held where it starts.
    #[inline(always)]
    fn fixed_pose(&self, skeleton: &Skeleton, joint: usize) -> Pose {
        let placement = skeleton.parent_from_joint(joint);
        if skeleton.kind(joint) == JointKind::Fixed {
            placement
        } else {
            placement * skeleton.motion(joint, &self.start)
        }
    }

    fn variable_of(&mut self, driver: usize) -> usize {
        let variable = &mut self.variable_of_joint[driver];
        if *variable == BASE {
            *variable = self.sharers.len();
            self.sharers.push(0);
        }
        let variable = *variable;
        self.sharers[variable] += 1;
        variable
    }

    fn collect_goals(&mut self, skeleton: &Skeleton, tasks: &[Task]) {
        self.points.clear();
        self.turns.clear();
        self.demands.clear();
        self.bodies.clear();
        self.posture_joints.clear();
        self.is_plain = true;
        for task in tasks {
            let [first, second] = task.kind.frames();
            let carriers = [self.carrier(skeleton, first), self.carrier(skeleton, second)];
            let is_lever =
                task.level == 1 && self.collect_levers(&task.kind, carriers[0], task.weight);
            // What weighs nothing is switched off.
            self.is_plain &= is_lever || task.weight == 0.0;
            let first_body = self.bodies.len();
            for body in task.kind.bodies().into_iter().flat_map(|bodies| bodies.iter()) {
                let at = Pose::from_translation(body.center_in_joint);
                let carrier = self.carrier(skeleton, Some(Frame::new(body.joint, at)));
                self.bodies.push((carrier, body.mass));
            }
            let bodies = first_body..self.bodies.len();
            let mut demand = Demand::new(task, carriers, bodies);
            if let TaskKind::Posture(posture) = &task.kind {
                if self.posture_joints.is_empty() {
                    let joints =
                        (0..skeleton.n_joints()).filter_map(|i| PostureJoint::of(skeleton, i));
                    self.posture_joints.extend(joints);
                }
                demand.still = self.miss_of_still_joints(posture);
            }
            self.demands.push(demand);
        }
    }

    /// By how much joints that do not move miss a posture.
    pub(super) fn miss_of_still_joints(&self, posture: &Posture) -> Miss {
        let is_still = |joint: &&PostureJoint| self.node_of_joint[joint.joint()] >= BASE - 1;
        let still = self.posture_joints.iter().filter(is_still);
        still.fold(Miss::default(), |worst, joint| posture.add_miss(worst, joint, &self.start))
    }

    /// Adds what the methods that move one joint at a time understand: points and whole rotations; false for the rest.
    fn collect_levers(&mut self, kind: &TaskKind, carrier: Carrier, weight: f64) -> bool {
        let (position, rotation) = match kind {
            TaskKind::Position(task) => (Some(task.target_in_world), None),
            TaskKind::Orientation(task) => (None, Some(task.world_from_target)),
            TaskKind::Pose(FramePose {
                axes: Axes { along, about }, world_from_target, ..
            }) => {
                let position = (*along == [true; 3]).then_some(world_from_target.translation);
                let rotation = (*about == [true; 3]).then_some(world_from_target.rotation);
                (position, rotation)
            }
            _ => (None, None),
        };
        let Carrier { node, node_from_frame } = carrier;
        if weight == 0.0 {
            return false;
        }
        if let Some(target) = position {
            let demand = self.demands.len();
            let offset = node_from_frame.translation;
            let nodes = [self.first_node(node), node];
            self.points.push(PointGoal::new(nodes, offset, target, weight, demand));
        }
        if let Some(target) = rotation {
            self.turns.push(TurnGoal {
                node,
                offset: node_from_frame.rotation.normalize(),
                target: target.normalize(),
                weight,
                at: DQuat::IDENTITY,
                demand: self.demands.len(),
            });
        }
        match kind {
            TaskKind::Pose(task) => task.axes.are_whole(),
            _ => position.is_some() || rotation.is_some(),
        }
    }

    /// A frame of the skeleton on the node that carries it; none is the world's.
    fn carrier(&self, skeleton: &Skeleton, frame: Option<Frame>) -> Carrier {
        let Some(frame) = frame else { return Carrier::WORLD };
        let mut node_from_frame = frame.joint_from_frame;
        let mut node = self.node_of_joint[frame.joint];
        if node < BASE - 1 {
            node_from_frame = self.in_node(node, node_from_frame);
        } else {
            let parent_from_frame = self.fixed_pose(skeleton, frame.joint) * node_from_frame;
            (node, node_from_frame) = self.carry_up(skeleton, frame.joint, parent_from_frame);
        }
        Carrier { node, node_from_frame }
    }

    /// Which goals each node moves: those on it and those its children move. Linear in the goals' depths.
    fn collect_downstream(&mut self) {
        // Counted first, in the ends of the ranges; then the ranges are laid out empty, and filled.
        self.for_each_moved(|node, kind, _, _| node.moves[kind].end += 1);
        let mut next = 0;
        for node in &mut self.nodes {
            for range in &mut node.moves {
                let count = range.end;
                *range = next..next;
                next += count;
            }
        }
        self.downstream.clear();
        self.downstream.resize(next, 0);
        self.for_each_moved(|node, kind, goal, downstream| {
            downstream[node.moves[kind].end] = goal;
            node.moves[kind].end += 1;
        });
    }

    /// Every node with every goal that it moves: the kind of goal (0 for points, 1 for turns), its index, and the list.
    fn for_each_moved(&mut self, mut act: impl FnMut(&mut Node, usize, usize, &mut [usize])) {
        let points = self.points.iter().enumerate().map(|(k, goal)| (goal.node, 0, k));
        let turns = self.turns.iter().enumerate().map(|(k, goal)| (goal.node, 1, k));
        for (mut node, kind, goal) in points.chain(turns) {
            while node != BASE {
                act(&mut self.nodes[node], kind, goal, &mut self.downstream);
                node = self.nodes[node].parent;
            }
        }
    }

    /// Brings lengths to the order of one: first by the largest number, so that no square can overflow or vanish, then by
    /// the reach.
    fn rescale(&mut self) {
        let bones = self.nodes.iter().map(|node| node.placement.translation);
        let goals = self.points.iter().flat_map(|goal| [goal.offset, goal.wanted]);
        let bodies = self.bodies.iter().map(|(carrier, _)| carrier.node_from_frame.translation);
        let largest =
            bones.chain(goals).chain(bodies).fold(0.0, |m: f64, v| m.max(v.abs().max_element()));
        let largest = self.demands.iter().fold(largest, |m, demand| m.max(demand.largest_length()));
        let largest = self.nodes.iter().fold(largest, |m, node| m.max(self.largest_slide(node)));
        // Numbers whose squares are numbers can wait for the second.
        let is_tame = (TAME.recip()..TAME).contains(&largest);
        let first = if is_tame { 1.0 } else { power_of_two_below(largest).recip() };
        if !is_tame {
            self.scale_lengths(first);
        }
        let full = self.full_reach(first);
        let wanted = power_of_two_below(full).recip();
        // Bones next to nothing beside a target: both scales in one must still be a number.
        let second = if (first * wanted).is_normal() { wanted } else { 1.0 };
        self.scale_lengths(second);
        for reach in &mut self.reaches {
            *reach = reach.scaled(second);
        }
        self.scale = first * second;
        self.reach = full * second;
        self.convert_gains();
    }

    /// The largest length among where a node has slid to and how far it may slide; 0 for one that turns only.
    fn largest_slide(&self, node: &Node) -> f64 {
        let slid = &self.start[node.values.clone()];
        let slid = match node.kind {
            Kind::Slide { .. } => slid[0].abs(),
            Kind::Free => DVec3::from_slice(slid).abs().max_element(),
            _ => return 0.0,
        };
        let Bound::Span { min, max } = node.bound else { return slid };
        [min, max].into_iter().filter(|end| end.is_finite()).fold(slid, |m, end| m.max(end.abs()))
    }

    /// What misses are compared with, in units of the first scaling.
    fn full_reach(&mut self, first: f64) -> f64 {
        let mut full = 0.0_f64;
        self.reaches.clear();
        for goal in 0..self.points.len() {
            let reach = self.measure_reach(goal);
            if self.points[goal].weight > 0.0 {
                full = full.max(self.extent(goal, reach.outer, first));
            }
            self.reaches.push(reach);
        }
        // Lower levels change nothing for the first one, and so not what its misses are compared with.
        let heavy = self.demands.iter().filter(|demand| demand.weight > 0.0);
        let first = heavy.map(|demand| demand.level).min();
        for k in 0..self.demands.len() {
            let has_point = self.points.iter().any(|goal| goal.demand == k);
            let demand = &self.demands[k];
            if has_point || demand.weight == 0.0 || Some(demand.level) != first {
                continue;
            }
            for carrier in self.demands[k].carriers {
                full = full.max(self.length_to(carrier));
            }
            for body in self.demands[k].bodies.clone() {
                full = full.max(self.length_to(self.bodies[body].0));
            }
        }
        if full == 0.0 {
            // Effectors that nothing moves: their distance from the origin is all there is to compare with.
            for goal in &self.points {
                let first = self.first_node(goal.node);
                let at = if first == BASE {
                    goal.offset
                } else {
                    self.nodes[first].placement.translation
                };
                full = full.max(at.length());
            }
        }
        if full == 0.0 {
            let lengths = self.nodes.iter().map(|node| node.placement.translation.length());
            full = lengths.fold(0.0, f64::max);
        }
        if full == 0.0 {
            // Slides alone: what is asked for.
            full = self.demands.iter().fold(0.0, |m: f64, demand| m.max(demand.largest_length()));
        }
        full
    }

    fn scale_lengths(&mut self, by: f64) {
        for node in &mut self.nodes {
            node.placement.translation *= by;
            if let Bound::Span { min, max } = &mut node.bound {
                (*min, *max) = (*min * by, *max * by);
            }
        }
        for goal in &mut self.points {
            goal.offset *= by;
            goal.wanted *= by;
            goal.target = goal.wanted;
            goal.at = goal.offset;
        }
        for demand in &mut self.demands {
            demand.scale(by);
        }
        for (carrier, _) in &mut self.bodies {
            carrier.node_from_frame.translation *= by;
        }
    }

    /// Sum of the bones from the world to a frame.
    fn length_to(&self, carrier: Carrier) -> f64 {
        let (mut node, mut sum) = (carrier.node, carrier.node_from_frame.translation.length());
        while node != BASE && self.nodes[node].parent != BASE {
            sum += self.nodes[node].placement.translation.length();
            node = self.nodes[node].parent;
        }
        if carrier.node == BASE { 0.0 } else { sum }
    }

    /// Narrows ranges to what each joint may change from its start.
    fn leash(&mut self) {
        for node in &mut self.nodes {
            if node.leash == f64::INFINITY {
                continue;
            }
            let start = self.start[node.values.start];
            let (old, by) = match (node.kind, node.bound) {
                (Kind::Hinge { .. }, Bound::Arc { min, max, .. }) => ((min, max), 1.0),
                (Kind::Slide { .. }, Bound::Span { min, max }) => ((min, max), self.scale),
                (Kind::Hinge { .. }, _) => ((f64::NEG_INFINITY, f64::INFINITY), 1.0),
                (Kind::Slide { .. }, _) => ((f64::NEG_INFINITY, f64::INFINITY), self.scale),
                (Kind::Ball | Kind::Free, _) => continue,
            };
            let ends = [(start - node.leash) * by, (start + node.leash) * by];
            node.is_leashed_at = [ends[0] > old.0, ends[1] < old.1];
            let (min, max) = (old.0.max(ends[0]), old.1.min(ends[1]));
            node.bound = bound(node.kind, Limit::Range { min, max });
        }
    }

    /// Slides and hinges that share a variable: the variable is in the units of its driver, radians or run lengths.
    fn convert_gains(&mut self) {
        for node in &mut self.nodes {
            let is_slide = matches!(node.kind, Kind::Slide { .. });
            if is_slide {
                node.bias *= self.scale;
            }
            match (is_slide, node.driver_slides) {
                (true, false) => node.gain *= self.scale,
                (false, true) => node.gain /= self.scale,
                _ => {}
            }
        }
    }

    /// What a goal's misses are compared with: the outer radius, but where a joint slides far or without limit no more than the
    /// bones on the way, how far it has moved already, and the distance that the target asks for.
    fn extent(&self, goal: usize, outer: f64, scale: f64) -> f64 {
        let goal = &self.points[goal];
        let (mut node, mut bone, mut sum, mut slides) = (goal.node, goal.offset, 0.0, false);
        while node != BASE {
            sum += bone.length();
            let values = &self.start[self.nodes[node].values.clone()];
            match self.nodes[node].kind {
                Kind::Slide { .. } => (slides, sum) = (true, sum + values[0].abs() * scale),
                Kind::Free => {
                    (slides, sum) = (true, sum + (DVec3::from_slice(values) * scale).length());
                }
                _ => {}
            }
            bone = self.nodes[node].placement.translation;
            node = self.nodes[node].parent;
        }
        if slides { outer.min(sum + goal.target.distance(bone)) } else { outer }
    }
}

impl Rig {
    /// Hands the new target of a task to the methods that move one joint at a time.
    pub(super) fn aim_levers(&mut self, task: usize, kind: &TaskKind) {
        let (position, rotation) = match kind {
            TaskKind::Position(task) => (Some(task.target_in_world), None),
            TaskKind::Orientation(task) => (None, Some(task.world_from_target)),
            TaskKind::Pose(FramePose { world_from_target, .. }) => {
                (Some(world_from_target.translation), Some(world_from_target.rotation))
            }
            _ => (None, None),
        };
        for goal in self.points.iter_mut().filter(|goal| goal.demand == task) {
            goal.wanted = position.map_or(goal.wanted, |target| target * self.scale);
        }
        for goal in self.turns.iter_mut().filter(|goal| goal.demand == task) {
            goal.target = rotation.map_or(goal.target, DQuat::normalize);
        }
    }

    /// Carries roots that float along by the mean of the misses of the points that they move.
    pub(super) fn pull_root(&mut self) {
        for i in 0..self.nodes.len() {
            let node = &self.nodes[i];
            if node.kind != Kind::Free || !node.is_pulled {
                continue;
            }
            let (mut sum, mut weight) = (DVec3::ZERO, 0.0);
            for k in node.moves[0].clone() {
                let goal = &self.points[self.downstream[k]];
                sum += (goal.target - self.place_of(goal)) * goal.weight;
                weight += goal.weight;
            }
            if weight > 0.0 {
                let in_node = self.before(i).conjugate() * (sum / weight);
                self.state[i].translation += in_node;
            }
        }
        self.update();
    }
}

/// How a joint moves and is placed when its node stands like the node above, where that can be, and the turn from the joint to the node.
fn without_turn(kind: Kind, placement: Pose) -> (Kind, Pose, DQuat) {
    let Pose { rotation, translation } = placement;
    if rotation == DQuat::IDENTITY {
        return (kind, placement, rotation);
    }
    let turned = |axis: DVec3| {
        let axis = rotation * axis;
        axis / axis.length()
    };
    let kind = match kind {
        Kind::Hinge { axis } => Kind::Hinge { axis: turned(axis) },
        Kind::Slide { axis } => Kind::Slide { axis: turned(axis) },
        Kind::Ball | Kind::Free => return (kind, placement, DQuat::IDENTITY),
    };
    (kind, Pose::from_translation(translation), rotation)
}

fn moving(kind: JointKind) -> Option<Kind> {
    match kind {
        JointKind::Fixed => None,
        JointKind::Revolute { axis } => Some(Kind::Hinge { axis }),
        JointKind::Prismatic { axis } => Some(Kind::Slide { axis }),
        JointKind::Ball => Some(Kind::Ball),
        JointKind::Free => Some(Kind::Free),
    }
}

/// The driver's range as seen by a joint with value = gain × variable + bias.
fn scaled_limit(limit: Limit, gain: f64, bias: f64) -> Limit {
    match limit {
        Limit::Range { min, max } => {
            let (a, b) = (gain * min + bias, gain * max + bias);
            Limit::Range { min: a.min(b), max: a.max(b) }
        }
        other => other,
    }
}

fn bound(kind: Kind, limit: Limit) -> Bound {
    match (kind, limit) {
        (Kind::Hinge { .. }, Limit::Range { min, max }) => {
            let half = 0.5 * (max - min);
            if half < core::f64::consts::PI {
                let (s, c) = sin_cos(min + half);
                let (half_sine, half_cosine) = sin_cos(half);
                Bound::Arc { min, max, middle: (c, s), half_cosine, half_sine }
            } else if min.is_finite() || max.is_finite() {
                // A full turn or more: every direction is inside; the value is brought into the range at the end.
                Bound::Arc { min, max, middle: (1.0, 0.0), half_cosine: -2.0, half_sine: 0.0 }
            } else {
                Bound::None
            }
        }
        (Kind::Slide { .. }, Limit::Range { min, max }) => Bound::Span { min, max },
        (Kind::Ball, limit @ Limit::Cone { .. }) => Bound::Cone(limit),
        _ => Bound::None,
    }
}
