//! The state of a solve: the values of all joints, and their world poses.
//!
//! A hinge or slide is defined by the value of its variable; its rotation or displacement is a cache, so that kinematics needs no sine. Balls
//! and free joints are defined by their quaternions and displacements.

use super::problem::{Kind, NONE, Node, PointTarget, Problem, Variable, far, rotation_at, worse};
use crate::math::{Pose, sin_cos, so3_log};
use crate::task::{Miss, Posture, TaskKind};
use alloc::vec::Vec;
use glam::{DQuat, DVec3};

/// The values of all joints.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Values {
    /// Of each variable, relative to its start.
    pub(crate) variables: Vec<f64>,
    /// The motion of each node in its own frame; a cache for nodes with a variable.
    pub(crate) motions: Vec<Pose>,
}

impl Values {
    /// Copies other values; allocates only while growing.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.variables.clone_from(&other.variables);
        self.motions.clone_from(&other.motions);
    }
}

/// The present pose of the nodes.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    pub(crate) values: Values,
    /// The values when the solve began or its targets last moved: the reference of least change.
    pub(crate) begun: Values,
    /// World pose of each node.
    pub(crate) world: Vec<Pose>,
    /// The positions of the points with targets.
    pub(crate) points: Vec<DVec3>,
    /// The orientations of the frames with rotation targets.
    pub(crate) rotations: Vec<DQuat>,
}

impl State {
    /// Sets the start of a problem.
    pub(crate) fn begin(&mut self, problem: &Problem) {
        self.values.variables.clear();
        self.values.variables.resize(problem.variables.len(), 0.0);
        self.values.motions.clear();
        self.values.motions.extend(problem.nodes.iter().map(|node| {
            let rotates = matches!(node.kind, Kind::Ball | Kind::Free);
            let values = &problem.start[node.values.clone()];
            Pose::from_rotation(if rotates { rotation_at(values) } else { DQuat::IDENTITY })
        }));
        self.begun.copy_from(&self.values);
        self.update(problem);
    }

    /// Restores saved values.
    pub(crate) fn restore(&mut self, problem: &Problem, values: &Values) {
        self.values.copy_from(values);
        self.update(problem);
    }

    /// Restores the values at which the solve began.
    pub(crate) fn restart(&mut self, problem: &Problem) {
        if self.values != self.begun {
            self.values.copy_from(&self.begun);
            self.update(problem);
        }
    }

    /// Forward kinematics: one pass.
    pub(crate) fn update(&mut self, problem: &Problem) {
        self.world.resize(problem.nodes.len(), Pose::IDENTITY);
        // The parent of most nodes is the one before, which then need not be read back.
        let mut last = Pose::IDENTITY;
        for (i, node) in problem.nodes.iter().enumerate() {
            let above = if node.parent == i.wrapping_sub(1) { last } else { self.above(node) };
            last = self.place(i, node, above);
        }
        self.update_effectors(problem);
    }

    /// World pose of one node, from the node above.
    #[inline]
    pub(crate) fn update_node(&mut self, problem: &Problem, i: usize) {
        let node = &problem.nodes[i];
        self.place(i, node, self.above(node));
    }

    #[inline(always)]
    fn place(&mut self, i: usize, node: &Node, above: Pose) -> Pose {
        let before = rotation_before(node, above.rotation);
        let motion = self.values.motions[i];
        let mut world = Pose {
            rotation: before * motion.rotation,
            translation: above.transform_point(node.placement.translation),
        };
        if !matches!(node.kind, Kind::Hinge { .. } | Kind::Ball) {
            world.translation += before * motion.translation;
        }
        self.world[i] = world;
        world
    }

    #[inline]
    fn above(&self, node: &Node) -> Pose {
        if node.parent == NONE { Pose::IDENTITY } else { self.world[node.parent] }
    }

    /// World rotation of a node before it moves.
    #[inline]
    pub(crate) fn before(&self, node: &Node) -> DQuat {
        rotation_before(node, self.above(node).rotation)
    }

    /// The world direction of an axis that is invariant under the node's motion, such as that of a hinge.
    #[inline]
    pub(crate) fn in_world(&self, i: usize, axis: DVec3) -> DVec3 {
        self.world[i].rotation * axis
    }

    /// The world position of a point of a node, or of the world.
    #[inline]
    pub(crate) fn point_of(&self, node: usize, offset: DVec3) -> DVec3 {
        if node == NONE { offset } else { self.world[node].transform_point(offset) }
    }

    /// Updates points and rotations from the nodes.
    pub(crate) fn update_effectors(&mut self, problem: &Problem) {
        let Self { points, rotations, world, .. } = self;
        points.clear();
        points.extend(problem.points.iter().map(|goal| match world.get(goal.node) {
            Some(pose) => pose.transform_point(goal.offset),
            None => goal.offset,
        }));
        rotations.clear();
        rotations.extend(problem.rotations.iter().map(|goal| match world.get(goal.node) {
            Some(pose) => pose.rotation * goal.offset,
            None => goal.offset,
        }));
    }

    /// Sets a variable and the motions of its nodes.
    #[inline]
    pub(crate) fn set_variable(&mut self, problem: &Problem, variable: usize, x: f64) {
        self.values.variables[variable] = x;
        for &i in problem.nodes_of(variable) {
            let node = &problem.nodes[i];
            let (motion, value) = (&mut self.values.motions[i], node.gain * x);
            match node.kind {
                Kind::Hinge { axis } => {
                    let (s, c) = sin_cos(0.5 * value);
                    motion.rotation = hinge_rotation(axis, (c, s));
                }
                Kind::Slide { axis } => motion.translation = axis * value,
                Kind::Ball | Kind::Free => {}
            }
        }
    }

    /// Sets the rotation of a ball or free joint, in the frame before its motion, clamped to its limits.
    pub(crate) fn set_rotation(&mut self, problem: &Problem, i: usize, rotation: DQuat) {
        let node = &problem.nodes[i];
        let motion = &mut self.values.motions[i];
        motion.rotation = if problem.is_limited(node) {
            problem.allowed_rotation(node, motion.rotation, rotation)
        } else {
            rotation
        };
    }

    /// Moves a free joint by a displacement in the world.
    pub(crate) fn shift(&mut self, problem: &Problem, i: usize, by: DVec3) {
        let in_node = self.before(&problem.nodes[i]).conjugate() * by;
        self.values.motions[i].translation += in_node;
    }

    /// Normalises quaternions, which drift by an ulp per product.
    pub(crate) fn renormalise(&mut self) {
        self.values.motions.iter_mut().for_each(|motion| renormalise(&mut motion.rotation));
    }

    /// Moves pre-pulled joints by the mean error of the points that they move.
    pub(crate) fn pre_pull(&mut self, problem: &Problem) {
        for (i, node) in problem.nodes.iter().enumerate().filter(|(_, node)| node.is_pre_pulled) {
            let (mut sum, mut weight) = (DVec3::ZERO, 0.0);
            for &k in &problem.moved[node.moves_points.clone()] {
                let goal = &problem.points[k];
                sum += (goal.target - self.points[k]) * goal.weight;
                weight += goal.weight;
            }
            if weight > 0.0 {
                self.shift(problem, i, sum / weight);
                self.update(problem);
            }
        }
    }

    /// Largest errors of points and rotations, in the problem's units.
    pub(crate) fn residual(&self, problem: &Problem) -> Miss {
        self.measure(problem, |k| self.points[k].distance(problem.points[k].target))
    }

    /// The same minus proven shortfalls, which the published methods do not know.
    pub(crate) fn gap(&self, problem: &Problem) -> Miss {
        if problem.settings.classic {
            return self.residual(problem);
        }
        self.measure(problem, |k| {
            let goal = &problem.points[k];
            self.points[k].distance(goal.target) - goal.shortfall
        })
    }

    fn measure(&self, problem: &Problem, distance: impl Fn(usize) -> f64) -> Miss {
        let distance = (0..problem.points.len()).map(distance).fold(0.0, worse);
        let rotations = self.rotations.iter().zip(&problem.rotations);
        let angles = rotations.map(|(at, goal)| so3_log(goal.target * at.conjugate()).length());
        Miss { distance, angle: angles.fold(0.0, worse) }
    }

    /// Whether every point and rotation is within its tolerance.
    pub(crate) fn is_there(&self, problem: &Problem) -> bool {
        let enough = problem.tolerance.distance * problem.tolerance.distance;
        let is_met =
            |(at, goal): (&DVec3, &PointTarget)| at.distance_squared(goal.target) <= enough;
        self.points.iter().zip(&problem.points).all(is_met)
            && (problem.rotations.is_empty()
                || self.residual(problem).angle <= problem.tolerance.angle)
    }

    /// Weighted sum of squared errors of points and rotations: the objective of a descent.
    pub(crate) fn sum_of_squares(&self, problem: &Problem) -> f64 {
        let points = self.points.iter().zip(&problem.points);
        let points: f64 =
            points.map(|(at, goal)| goal.weight * at.distance_squared(goal.target)).sum();
        let axes = |q: DQuat, t: DQuat| -> f64 {
            DVec3::AXES.iter().map(|&axis| (q * axis).distance_squared(t * axis)).sum()
        };
        let rotations = self.rotations.iter().zip(&problem.rotations);
        let rotations: f64 = rotations.map(|(at, goal)| goal.weight * axes(*at, goal.target)).sum();
        points + problem.frame_weight() * rotations
    }

    /// Writes the joint values of the whole skeleton, inside the limits and with mimics applied.
    ///
    /// An unlimited hinge has the value nearest to its start or, if a posture includes it, to its preferred value.
    pub(crate) fn write_values(&self, problem: &Problem, q: &mut Vec<f64>) {
        q.clear();
        q.extend_from_slice(&problem.still);
        for (k, variable) in problem.variables.iter().enumerate() {
            let x = variable.start + self.values.variables[k] / variable.unit;
            let equivalent = variable.wraps.then(|| {
                let near = problem.reference_value(k).unwrap_or(self.begun.variables[k]);
                variable.limit.equivalent_angle(x, variable.start + near)
            });
            q[variable.value] =
                equivalent.flatten().unwrap_or_else(|| variable.limit.clamp_value(x));
        }
        for (node, motion) in problem.nodes.iter().zip(&self.values.motions) {
            let values = &mut q[node.values.clone()];
            match node.kind {
                Kind::Hinge { .. } | Kind::Slide { .. } => {}
                Kind::Ball => motion.rotation.write_to_slice(values),
                Kind::Free => {
                    let start = DVec3::from_slice(values);
                    (start + motion.translation / problem.scale).write_to_slice(values);
                    motion.rotation.write_to_slice(&mut values[3..]);
                }
            }
        }
        problem.apply_mimics(q);
    }

    /// Writes the positions of the nodes, then of the point targets' frames, in the caller's units and frame.
    pub(crate) fn write_points(&self, problem: &Problem, out: &mut Vec<f64>) {
        out.clear();
        let nodes = self.world.iter().map(|pose| pose.translation);
        let goals = problem.points.iter().map(|goal| self.point_of(goal.node, goal.offset));
        for point in nodes.chain(goals) {
            out.extend((point / problem.scale + problem.origin).to_array());
        }
    }

    /// Sets the state from a configuration of the skeleton, to measure the result.
    pub(crate) fn read_values(&mut self, problem: &Problem, q: &[f64]) {
        for (k, variable) in problem.variables.iter().enumerate() {
            let x = (q[variable.value] - variable.start) * variable.unit;
            self.set_variable(problem, k, x);
        }
        for (node, motion) in problem.nodes.iter().zip(&mut self.values.motions) {
            let (values, start) = (&q[node.values.clone()], &problem.start[node.values.clone()]);
            match node.kind {
                Kind::Hinge { .. } | Kind::Slide { .. } => {}
                Kind::Ball => motion.rotation = rotation_at(values),
                Kind::Free => {
                    motion.rotation = rotation_at(values);
                    let moved = DVec3::from_slice(values) - DVec3::from_slice(start);
                    motion.translation = moved * problem.scale;
                }
            }
        }
        self.update(problem);
    }

    /// Takes over a configuration to start from, as far as largest changes allow.
    pub(crate) fn enter(&mut self, problem: &Problem, q: &[f64]) {
        self.restart(problem);
        let inside = core::mem::take(&mut self.begun);
        self.read_values(problem, q);
        for (k, variable) in problem.variables.iter().enumerate() {
            self.set_variable(problem, k, variable.clamp(self.values.variables[k]));
        }
        for (i, inside) in inside.motions.iter().enumerate() {
            if problem.nodes[i].variable == NONE {
                let motion = &mut self.values.motions[i].rotation;
                let desired = core::mem::replace(motion, inside.rotation);
                self.set_rotation(problem, i, desired);
            }
        }
        self.begun = inside;
        self.update(problem);
    }

    /// Distance of a point from where it must be, however far that is \[m\].
    pub(crate) fn true_distance(&self, problem: &Problem, point: usize) -> f64 {
        let goal = &problem.points[point];
        far(self.point_of(goal.node, goal.offset) / problem.scale - goal.target_in_metres)
    }
}

impl Problem {
    /// The joint that drives a variable, where it is a node.
    pub(crate) fn joint_of(&self, variable: usize) -> Option<usize> {
        let value = self.variables[variable].value;
        let mut nodes = self.nodes_of(variable).iter().map(|&i| &self.nodes[i]);
        nodes.find(|node| node.values.start == value).map(|node| node.joint)
    }

    /// Where a posture would have a variable.
    pub(crate) fn preferred_value(&self, posture: &Posture, variable: usize) -> f64 {
        let Variable { value, start, unit, .. } = self.variables[variable];
        (posture.configuration[value] - start) * unit
    }

    /// How a posture would have a ball or free joint move.
    pub(crate) fn preferred_motion(&self, posture: &Posture, node: &Node) -> Pose {
        let values = node.values.clone();
        let (desired, start) = (&posture.configuration[values.clone()], &self.start[values]);
        let moved = match node.kind {
            Kind::Free => DVec3::from_slice(desired) - DVec3::from_slice(start),
            _ => DVec3::ZERO,
        };
        Pose::new(rotation_at(desired), moved * self.scale)
    }

    /// The postures that count, of one level or of all.
    pub(crate) fn postures(&self, level: Option<u8>) -> impl Iterator<Item = (&Posture, f64)> {
        let goals = self
            .goals
            .iter()
            .filter(move |goal| goal.weight > 0.0 && level.is_none_or(|level| goal.level == level));
        goals.filter_map(|goal| match &goal.kind {
            TaskKind::Posture(posture) => Some((posture, goal.weight)),
            _ => None,
        })
    }

    /// The value that a hinge that goes round should be nearest to: what the first posture that cares prefers.
    fn reference_value(&self, variable: usize) -> Option<f64> {
        let joint = self.joint_of(variable)?;
        let mut postures = self.postures(None).filter(|(posture, _)| posture.cares_for(joint));
        postures.next().map(|(posture, _)| self.preferred_value(posture, variable))
    }
}

#[inline(always)]
fn rotation_before(node: &Node, above: DQuat) -> DQuat {
    if node.is_rotated { above * node.placement.rotation } else { above }
}

/// One Newton step towards unit length, exact for lengths close to 1.
#[inline]
pub(crate) fn renormalise(rotation: &mut DQuat) {
    *rotation *= 1.5 - 0.5 * rotation.length_squared();
}

/// A rotation about a unit axis from the cosine and sine of half its angle.
#[inline]
pub(crate) fn hinge_rotation(axis: DVec3, (c, s): (f64, f64)) -> DQuat {
    DQuat::from_xyzw(axis.x * s, axis.y * s, axis.z * s, c)
}
