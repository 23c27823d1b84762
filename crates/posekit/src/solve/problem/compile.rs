//! Compiles a skeleton and its tasks into a problem: finds the joints that the tasks depend on, folds fixed joints into them, and lists the
//! targets that each moves.

use super::{
    Carrier, Goal, Kind, NONE, Node, PointTarget, Problem, RotationTarget, Variable, extend,
};
use crate::math::Pose;
use crate::skeleton::{Frame, JointKind, Limit, Skeleton};
use crate::task::{PostureJoint, Task, TaskKind};
use glam::{DQuat, DVec3};

/// In `node_of_joint`: a task depends on the joint, which has no node (yet).
const HELD: usize = NONE - 1;

/// Only tasks of weight 0, which are measured but not solved for, depend on the joint.
const MEASURED: usize = NONE - 2;

impl Problem {
    /// Compiles a checked problem.
    ///
    /// - `start`: with mimics applied, inside the limits
    pub(crate) fn compile(&mut self, skeleton: &Skeleton, start: &[f64], tasks: &[Task]) {
        self.start.clear();
        self.start.extend_from_slice(start);
        self.still.clone_from(&self.start);
        self.list_levels(tasks);
        self.mark_ancestors(skeleton, tasks);
        self.list_nodes(skeleton);
        self.list_variable_nodes();
        self.origin = self.nodes.first().map_or(DVec3::ZERO, |node| node.placement.translation);
        let roots = self.nodes.iter_mut().filter(|node| node.parent == NONE);
        roots.for_each(|node| node.placement.translation -= self.origin);
        self.list_goals(skeleton, tasks);
        self.rescale();
        self.place_targets(tasks);
        self.list_moved();
        self.set_tolerance();
    }

    /// Copies the values of the joints that no task depends on.
    pub(crate) fn set_still(&mut self, skeleton: &Skeleton, q: &[f64]) {
        for joint in (0..skeleton.n_joints()).filter(|&i| self.node_of_joint[i] == NONE) {
            let values = skeleton.value_range(joint);
            self.still[values.clone()].copy_from_slice(&q[values]);
        }
    }

    /// The levels of tasks with a weight, and their largest weights: only ratios of weights matter.
    fn list_levels(&mut self, tasks: &[Task]) {
        self.levels.clear();
        for task in tasks.iter().filter(|task| task.weight > 0.0) {
            match self.levels.iter_mut().find(|level| level.0 == task.level) {
                Some((_, largest)) => *largest = largest.max(task.weight),
                None => self.levels.push((task.level, task.weight)),
            }
        }
        self.levels.sort_by_key(|level| level.0);
    }

    /// The divisor of the weights of a level.
    pub(crate) fn weight_unit(&self, level: u8) -> f64 {
        self.levels.iter().find(|known| known.0 == level).map_or(1.0, |known| known.1)
    }

    /// Marks every joint that a task depends on.
    fn mark_ancestors(&mut self, skeleton: &Skeleton, tasks: &[Task]) {
        self.node_of_joint.clear();
        self.node_of_joint.resize(skeleton.n_joints(), NONE);
        let mut mark = |joint| skeleton.ancestors(joint).for_each(|i| self.node_of_joint[i] = HELD);
        for task in tasks.iter().filter(|task| task.weight > 0.0) {
            joints_of(task).for_each(&mut mark);
            if let TaskKind::Posture(posture) = &task.kind {
                let joints = (0..skeleton.n_joints()).filter(|&i| skeleton.mimic(i).is_none());
                joints.filter(|&i| posture.cares_for(i)).for_each(&mut mark);
            }
        }
        self.mark_followers(skeleton, tasks);
    }

    /// Marks the joints of tasks of weight 0: those that move nonetheless, because they follow a joint that a task depends on, become nodes.
    fn mark_followers(&mut self, skeleton: &Skeleton, tasks: &[Task]) {
        let driver = |joint| skeleton.mimic(joint).map_or(joint, |mimic| mimic.joint);
        self.variable_of_joint.clear();
        self.variable_of_joint.resize(skeleton.n_joints(), NONE);
        for joint in (0..skeleton.n_joints()).filter(|&i| self.node_of_joint[i] == HELD) {
            self.variable_of_joint[driver(joint)] = HELD;
        }
        for task in tasks.iter().filter(|task| task.weight <= 0.0) {
            for i in joints_of(task).flat_map(|joint| skeleton.ancestors(joint)) {
                let follows = self.variable_of_joint[driver(i)] == HELD;
                if self.node_of_joint[i] != HELD {
                    self.node_of_joint[i] = if follows { HELD } else { MEASURED };
                }
            }
        }
    }

    fn list_nodes(&mut self, skeleton: &Skeleton) {
        self.nodes.clear();
        self.variables.clear();
        self.variable_of_joint.clear();
        self.variable_of_joint.resize(skeleton.n_joints(), NONE);
        self.mimics.clear();
        for joint in 0..skeleton.n_joints() {
            let mimic = skeleton.mimic(joint);
            if let Some(mimic) = mimic {
                let place = |joint| skeleton.value_range(joint).start;
                self.mimics.push((place(joint), place(mimic.joint), mimic));
            }
            let (driver, gain) =
                mimic.map_or((joint, 1.0), |mimic| (mimic.joint, mimic.multiplier));
            let options = self.settings.joint_options(driver);
            if self.node_of_joint[joint] != HELD || options.locked || gain == 0.0 {
                continue;
            }
            let Some(kind) = moving(skeleton.kind(joint)) else { continue };
            let largest_change = options.largest_change;
            let stands = self.stands(skeleton, joint);
            let (parent, placement) = self.carry_up(skeleton, joint, stands);
            // A bone ends where its joint is before it slides.
            let at_zero = match kind {
                Kind::Hinge { .. } | Kind::Ball => placement,
                _ => self.carry_up(skeleton, joint, skeleton.parent_from_joint(joint)).1,
            };
            let bone = at_zero.translation.length();
            let (kind, placement, node_from_joint) = aligned(kind, placement);
            let one_value = matches!(kind, Kind::Hinge { .. } | Kind::Slide { .. });
            let variable =
                if one_value { self.variable_of(skeleton, driver, largest_change) } else { NONE };
            self.node_of_joint[joint] = self.nodes.len();
            self.nodes.push(Node {
                joint,
                parent,
                placement,
                bone,
                is_rotated: placement.rotation != DQuat::IDENTITY,
                node_from_joint,
                kind,
                variable,
                gain,
                cone: if kind == Kind::Ball { skeleton.limit(joint) } else { Limit::None },
                largest_change: if one_value { f64::INFINITY } else { largest_change },
                stiffness: options.stiffness,
                ccd_weight: self.settings.joint_options(joint).share,
                is_pre_pulled: options.pre_pulled && kind == Kind::Free,
                values: skeleton.value_range(joint),
                moves_points: 0..0,
                moves_rotations: 0..0,
            });
        }
    }

    /// The start pose of a moving joint in its parent; of a ball or free joint without its rotation.
    fn stands(&self, skeleton: &Skeleton, joint: usize) -> Pose {
        let parent_from_joint = skeleton.parent_from_joint(joint);
        let motion = || skeleton.motion(joint, &self.start);
        match skeleton.kind(joint) {
            JointKind::Ball => parent_from_joint,
            JointKind::Free => parent_from_joint * Pose::from_translation(motion().translation),
            _ => parent_from_joint * motion(),
        }
    }

    /// The node above, and a pose in `joint`'s parent transformed to it through joints that do not move.
    fn carry_up(&self, skeleton: &Skeleton, joint: usize, pose: Pose) -> (usize, Pose) {
        let (mut carried, mut next) = (pose, skeleton.parent(joint));
        while let Some(i) = next {
            if let Some(node) = self.nodes.get(self.node_of_joint[i]) {
                if node.node_from_joint != DQuat::IDENTITY {
                    carried = Pose::from_rotation(node.node_from_joint) * carried;
                }
                return (self.node_of_joint[i], carried);
            }
            carried = skeleton.parent_from_joint(i) * skeleton.motion(i, &self.start) * carried;
            next = skeleton.parent(i);
        }
        (NONE, carried)
    }

    /// The variable that a joint drives, created on first use. Until the unit is known its `max` is the largest change.
    fn variable_of(&mut self, skeleton: &Skeleton, driver: usize, largest_change: f64) -> usize {
        let known = self.variable_of_joint[driver];
        if known != NONE {
            self.variables[known].wraps = false;
            return known;
        }
        let (value, limit) = (skeleton.value_range(driver).start, skeleton.limit(driver));
        let is_length = matches!(skeleton.kind(driver), JointKind::Prismatic { .. });
        self.variable_of_joint[driver] = self.variables.len();
        self.variables.push(Variable {
            value,
            start: self.start[value],
            unit: 1.0,
            is_length,
            limit,
            min: f64::NEG_INFINITY,
            max: largest_change,
            is_largest_change: [false; 2],
            wraps: !is_length && limit.holds_whole_turn() && largest_change == f64::INFINITY,
            nodes: 0..0,
        });
        self.variables.len() - 1
    }

    /// Lists the nodes of every variable.
    fn list_variable_nodes(&mut self) {
        let Self { nodes, variables, nodes_of_variables: list, .. } = self;
        list.clear();
        list.extend((0..nodes.len()).filter(|&i| nodes[i].variable != NONE));
        list.sort_unstable_by_key(|&i| (nodes[i].variable, i));
        for (index, &i) in list.iter().enumerate() {
            let variable = &mut variables[nodes[i].variable];
            extend(&mut variable.nodes, index..index + 1);
            // A follower has no range of its own to be wrapped into.
            variable.wraps &= nodes[i].gain == 1.0 && nodes[i].values.start == variable.value;
        }
    }

    fn list_goals(&mut self, skeleton: &Skeleton, tasks: &[Task]) {
        self.goals.clear();
        self.bodies.clear();
        self.posture_joints.clear();
        self.length_of_skeleton = 0.0;
        for task in tasks {
            if self.levels.first().is_some_and(|level| level.0 == task.level) {
                let frames = task.kind.frames().into_iter().flatten();
                let longest = frames.map(|frame| bones_to(skeleton, frame));
                self.length_of_skeleton = longest.fold(self.length_of_skeleton, f64::max);
            }
            let carriers = task.kind.frames().map(|frame| self.carrier(skeleton, frame));
            let first_body = self.bodies.len();
            for body in task.kind.bodies().into_iter().flat_map(|bodies| bodies.iter()) {
                let at = Pose::from_translation(body.center_in_joint);
                let carrier = self.carrier(skeleton, Some(Frame::new(body.joint, at)));
                self.bodies.push((carrier, body.mass));
            }
            let bodies = first_body..self.bodies.len();
            if matches!(task.kind, TaskKind::Posture(_)) && self.posture_joints.is_empty() {
                let joints = 0..skeleton.n_joints();
                self.posture_joints.extend(joints.filter_map(|i| PostureJoint::of(skeleton, i)));
            }
            let mut kind = task.kind.clone();
            kind.rebase(self.origin, 1.0);
            let weight = task.weight / self.weight_unit(task.level);
            self.goals.push(Goal { kind, carriers, bodies, weight, level: task.level });
        }
    }

    /// A frame of the skeleton on the node that carries it; none is the world's.
    fn carrier(&self, skeleton: &Skeleton, frame: Option<Frame>) -> Carrier {
        let Some(Frame { joint, joint_from_frame }) = frame else { return Carrier::WORLD };
        if let Some(node) = self.nodes.get(self.node_of_joint[joint]) {
            let node_from_frame = Pose::from_rotation(node.node_from_joint) * joint_from_frame;
            return Carrier { node: self.node_of_joint[joint], node_from_frame };
        }
        let motion = skeleton.motion(joint, &self.start);
        let parent_from_frame = skeleton.parent_from_joint(joint) * motion * joint_from_frame;
        let (node, mut node_from_frame) = self.carry_up(skeleton, joint, parent_from_frame);
        if node == NONE {
            node_from_frame.translation -= self.origin;
        }
        Carrier { node, node_from_frame }
    }

    /// Lists the targets of methods other than least squares: points and full rotations.
    fn place_targets(&mut self, tasks: &[Task]) {
        self.points.clear();
        self.rotations.clear();
        (self.is_plain, self.pole) = (true, None);
        for (goal, task) in tasks.iter().enumerate().filter(|(_, task)| task.weight > 0.0) {
            if matches!(task.kind, TaskKind::Pole(_)) && self.pole.is_none() && task.level == 1 {
                self.pole = Some(goal);
                continue;
            }
            let (position, rotation) = Goal::whole_targets(&task.kind);
            let is_whole = match &task.kind {
                TaskKind::Pose(task) => task.axes.are_whole(),
                _ => position.is_some() || rotation.is_some(),
            };
            self.is_plain &= is_whole && task.level == 1;
            if task.level > 1 {
                continue;
            }
            let weight = self.goals[goal].weight;
            let Carrier { node, node_from_frame: Pose { rotation: turn, translation: offset } } =
                self.goals[goal].carriers[0];
            if let Some(target) = position {
                let root = self.nodes.get(self.root_node(node));
                let root = root.map_or(offset, |node| node.placement.translation);
                let reach = self.reach_of(node, offset);
                let point = PointTarget {
                    node,
                    root,
                    offset,
                    target_in_metres: target,
                    target,
                    reach,
                    shortfall: 0.0,
                    weight,
                    goal,
                };
                self.points.push(point);
                self.aim(self.points.len() - 1, target);
            }
            if let Some(target) = rotation {
                let offset = turn.normalize();
                self.rotations.push(RotationTarget { node, offset, target, weight, goal });
            }
        }
        self.pole = self.pole.filter(|_| self.is_plain);
        self.is_plain &= self.pole.is_none();
    }

    /// Lists the targets that each node moves: those on it and on its descendants.
    fn list_moved(&mut self) {
        let Self { nodes, points, rotations, movers, moved, .. } = self;
        movers.clear();
        let points = points.iter().enumerate().map(|(k, goal)| (goal.node, 0, k));
        let rotations = rotations.iter().enumerate().map(|(k, goal)| (goal.node, 1, k));
        for (mut i, kind, target) in points.chain(rotations) {
            while i != NONE {
                movers.push((i, kind, target));
                i = nodes[i].parent;
            }
        }
        // Descendants are listed first; reversed, the list is nearly in order.
        movers.reverse();
        movers.sort_unstable();
        moved.clear();
        for &(i, kind, target) in &*movers {
            let node = &mut nodes[i];
            let ranges = [&mut node.moves_points, &mut node.moves_rotations];
            extend(ranges[kind], moved.len()..moved.len() + 1);
            moved.push(target);
        }
    }
}

/// The joints that carry the frames and bodies of a task.
fn joints_of(task: &Task) -> impl Iterator<Item = usize> {
    let frames = task.kind.frames().into_iter().flatten().map(|frame| frame.joint);
    let bodies = task.kind.bodies().into_iter().flat_map(|bodies| bodies.iter());
    frames.chain(bodies.map(|body| body.joint))
}

/// Sum of the bones from the first joint that is not fixed to a frame \[m\].
fn bones_to(skeleton: &Skeleton, frame: Frame) -> f64 {
    let can_move = |&i: &usize| skeleton.kind(i) != JointKind::Fixed;
    let Some(first) = skeleton.ancestors(frame.joint).filter(can_move).last() else { return 0.0 };
    let bones = skeleton.ancestors(frame.joint).take_while(|&i| i != first);
    let bones = bones.map(|i| skeleton.parent_from_joint(i).translation.length());
    frame.joint_from_frame.translation.length() + bones.sum::<f64>()
}

/// The kind and placement of a hinge or slide whose node is aligned with the node above, and the rotation from the joint to the node.
fn aligned(kind: Kind, placement: Pose) -> (Kind, Pose, DQuat) {
    let Pose { rotation, translation } = placement;
    let rotated = |axis: DVec3| {
        let axis = rotation * axis;
        if rotation == DQuat::IDENTITY { axis } else { axis / axis.length() }
    };
    let kind = match kind {
        Kind::Hinge { axis } => Kind::Hinge { axis: rotated(axis) },
        Kind::Slide { axis } => Kind::Slide { axis: rotated(axis) },
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
