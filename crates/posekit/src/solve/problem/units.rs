//! The unit of length, and the reach of each point.
//!
//! The unit is defined by bones and finite slides, never by a position in the world, so that the result does not depend on where a figure is.

use super::{Carrier, Goal, Kind, NONE, Problem, rotation_at};
use crate::chain::Reach;
use glam::DVec3;

/// A difference of two positions below this fraction of them is rounding.
const ROUNDING_OF_PLACES: f64 = 1e-9;

impl Problem {
    /// Brings lengths to the order of one.
    pub(super) fn rescale(&mut self) {
        let unit = self.length_of_bones();
        self.scale = power_of_two_below(unit).recip();
        self.unit = if unit > 0.0 { unit * self.scale } else { 1.0 };
        let by = self.scale;
        for node in &mut self.nodes {
            node.placement.translation *= by;
            node.bone *= by;
            let is_length = self.variables.get(node.variable).map(|variable| variable.is_length);
            match (node.kind, is_length) {
                (Kind::Slide { .. }, Some(false)) => node.gain *= by,
                (Kind::Hinge { .. }, Some(true)) => node.gain /= by,
                _ => {}
            }
        }
        for goal in &mut self.goals {
            goal.kind.rebase(DVec3::ZERO, by);
            for carrier in &mut goal.carriers {
                carrier.node_from_frame.translation *= by;
            }
        }
        for (carrier, _) in &mut self.bodies {
            carrier.node_from_frame.translation *= by;
        }
        self.find_ranges();
    }

    /// The ranges of the variables, in the problem's units.
    fn find_ranges(&mut self) {
        for variable in &mut self.variables {
            variable.unit = if variable.is_length { self.scale } else { 1.0 };
            let by = variable.unit;
            let (min, max) = variable.limit.bounds();
            let (min, max) = ((min - variable.start) * by, (max - variable.start) * by);
            let change = variable.max * by;
            variable.is_largest_change = [-change > min, change < max];
            (variable.min, variable.max) = if variable.wraps {
                (f64::NEG_INFINITY, f64::INFINITY)
            } else {
                (min.max(-change), max.min(change))
            };
        }
    }

    /// The longest sum of bones and finite slides to a frame or body of a task of the first level \[m\]; if that is 0, of all bones, moving or
    /// not; then the largest length in a target; then over the tasks of all levels and all bones; 0 if nothing has a length.
    fn length_of_bones(&self) -> f64 {
        // Lower levels must not change the first one, and so not its unit.
        let first = self.levels.first().map_or(0, |level| level.0);
        let longest = |lowest: u8| {
            let goals = self.goals.iter().filter(|goal| goal.weight > 0.0 && goal.level <= lowest);
            goals.map(|goal| self.length_to_goal(goal)).fold(0.0, f64::max)
        };
        let bones = longest(first);
        if bones > 0.0 {
            return bones;
        }
        if self.length_of_skeleton > 0.0 {
            return self.length_of_skeleton;
        }
        let in_targets =
            self.goals.iter().map(|goal| goal.kind.largest_length()).fold(0.0, f64::max);
        if in_targets > ROUNDING_OF_PLACES * self.origin.length() {
            return in_targets;
        }
        let bones = self.nodes.iter().filter(|node| node.parent != NONE).map(|node| node.bone);
        bones.fold(longest(u8::MAX), f64::max)
    }

    /// The longest sum of bones and finite slides to the frames or bodies of a task. A slide counts at most as much as the bones or the
    /// distance to the target: a long rail must not loosen the tolerance.
    fn length_to_goal(&self, goal: &Goal) -> f64 {
        let distance = || match Goal::whole_targets(&goal.kind).0 {
            Some(target) => (target - self.start_of(&goal.carriers[0])).length(),
            None => 0.0,
        };
        let bodies = self.bodies[goal.bodies.clone()].iter().map(|body| &body.0);
        let lengths = goal.carriers.iter().chain(bodies).map(|carrier| {
            let bones = self.bones_to(carrier);
            bones + self.slides_to(carrier, || bones.max(distance()))
        });
        lengths.fold(0.0, f64::max)
    }

    /// Sum of the bones from the first joint to a frame.
    fn bones_to(&self, carrier: &Carrier) -> f64 {
        let (mut i, mut bone, mut sum) =
            (carrier.node, carrier.node_from_frame.translation.length(), 0.0);
        while i != NONE {
            sum += bone;
            (bone, i) = (self.nodes[i].bone, self.nodes[i].parent);
        }
        sum
    }

    /// Sum of the widths of the finite slides on the path to a frame, each at most `most`.
    fn slides_to(&self, carrier: &Carrier, most: impl Fn() -> f64) -> f64 {
        let (mut i, mut sum) = (carrier.node, 0.0);
        while let Some(node) = self.nodes.get(i) {
            if let Kind::Slide { .. } = node.kind {
                let (min, max) = self.variables[node.variable].limit.bounds();
                let width = (max - min) * node.gain.abs();
                sum += if width.is_finite() { width.min(most()) } else { 0.0 };
            }
            i = node.parent;
        }
        sum
    }

    /// The origin of a frame at the start.
    fn start_of(&self, carrier: &Carrier) -> DVec3 {
        let (mut i, mut at) = (carrier.node, carrier.node_from_frame.translation);
        while let Some(node) = self.nodes.get(i) {
            if matches!(node.kind, Kind::Ball | Kind::Free) {
                at = rotation_at(&self.start[node.values.clone()]) * at;
            }
            at = node.placement.transform_point(at);
            i = node.parent;
        }
        at
    }

    /// The possible distances of a point from its root node.
    pub(super) fn reach_of(&self, node: usize, offset: DVec3) -> Reach {
        let (mut i, mut bone, mut reach) = (node, offset, Reach::POINT);
        while i != NONE {
            let node = &self.nodes[i];
            let (short, long) = match node.kind {
                Kind::Slide { axis } => {
                    let variable = &self.variables[node.variable];
                    let (min, max) = variable.limit.bounds();
                    let at = |end: f64| (end - variable.start) * variable.unit * node.gain;
                    lengths_along(bone, axis, at(min).min(at(max)), at(min).max(at(max)))
                }
                Kind::Free => (0.0, f64::INFINITY),
                Kind::Hinge { .. } | Kind::Ball => (bone.length(), bone.length()),
            };
            reach = reach.with_slide(short, long);
            (bone, i) = (node.placement.translation, node.parent);
        }
        reach
    }
}

/// Smallest and largest length of a bone whose base slides along `axis` by `min..=max`.
fn lengths_along(bone: DVec3, axis: DVec3, min: f64, max: f64) -> (f64, f64) {
    let at = |x: f64| (bone + axis * x).length();
    let foot = (-bone.dot(axis)).max(min).min(max);
    let is_finite = min.is_finite() && max.is_finite();
    (at(foot), if is_finite { at(min).max(at(max)) } else { f64::INFINITY })
}

/// The power of two that brings a positive number into 1..2; 1 for zero.
pub(crate) fn power_of_two_below(x: f64) -> f64 {
    if x < f64::MIN_POSITIVE {
        return 1.0;
    }
    f64::from_bits(x.to_bits() & 0x7ff0_0000_0000_0000)
}
