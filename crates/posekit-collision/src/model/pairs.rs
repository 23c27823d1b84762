//! The selection of pairs of links to check.

use std::collections::BTreeMap;

use posekit::skeleton::Skeleton;
use posekit_io::Robot;

use super::CollisionModel;
use crate::convex::Polytope;

/// A pair that is not checked.
#[derive(Debug, Clone, PartialEq)]
pub struct LeftOut {
    /// The names of the two bodies.
    pub names: [String; 2],
    /// The reason.
    pub reason: Reason,
}

/// Why a pair is not checked.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// No joint moves one relative to the other.
    Rigid,
    /// They are on both sides of one joint.
    Adjacent,
    /// The robot's files disable it, with this reason.
    Disabled(String),
    /// They touch in the neutral pose, or are no further apart than [`CollisionOptions::touching`](super::CollisionOptions::touching).
    TouchingAtNeutral {
        /// The distance there, below 0 if they overlap \[m\].
        distance: f64,
    },
    /// They touch in every configuration that was sampled.
    TouchingAlways,
    /// It was excluded by [`CollisionModel::without_pair`].
    Requested,
}

/// Divides the pairs of links into those to check and those excluded by names and joints.
///
/// - `links`: for each body the index of its link
pub(super) fn list(model: &mut CollisionModel, robot: &Robot, links: &[usize]) {
    let groups = rigid_groups(robot);
    let sorted = |a: usize, b: usize| [a.min(b), a.max(b)];
    let disabled: BTreeMap<[usize; 2], &String> = (robot.disabled_pairs().iter())
        .map(|pair| (sorted(pair.links[0], pair.links[1]), &pair.reason))
        .collect();
    for i in 0..links.len() {
        for j in i + 1..links.len() {
            if !model.bodies[i].can_measure(&model.bodies[j]) {
                continue;
            }
            let [a, b] = [groups[links[i]], groups[links[j]]];
            let reason = if a.mover == b.mover {
                Some(Reason::Rigid)
            } else if a.above == b.mover || b.above == a.mover {
                Some(Reason::Adjacent)
            } else {
                let reason = disabled.get(&sorted(links[i], links[j]));
                reason.map(|reason| Reason::Disabled((*reason).clone()))
            };
            match reason {
                Some(reason) => leave_out(model, [i, j], reason),
                None => model.pairs.push([i, j]),
            }
        }
    }
}

fn leave_out(model: &mut CollisionModel, pair: [usize; 2], reason: Reason) {
    let names = pair.map(|body| model.bodies[body].name.clone());
    model.left_out.push(LeftOut { names, reason });
}

/// A group of links that move together.
#[derive(Debug, Clone, Copy)]
struct Group {
    /// The joint of the skeleton that moves them, the last of several in a row; `None` if they are fixed in the world.
    mover: Option<usize>,
    /// The group of their parent link; their own if they are fixed in the world.
    above: Option<usize>,
}

/// The group of every link.
fn rigid_groups(robot: &Robot) -> Vec<Group> {
    let skeleton = robot.skeleton();
    let mover = |link: usize| {
        let joint = robot.links()[link].skeleton_joint;
        skeleton.ancestors(joint).find(|&joint| skeleton.kind(joint).n_dofs() > 0)
    };
    let group = |link: usize| {
        let own = mover(link);
        let parents =
            std::iter::successors(robot.links()[link].parent, |&link| robot.links()[link].parent);
        let above = parents.map(mover).find(|&above| above != own);
        Group { mover: own, above: above.unwrap_or(own) }
    };
    (0..robot.links().len()).map(group).collect()
}

/// Excludes the pairs that touch in the neutral pose, and those that touch in all sampled poses.
///
/// - `near`: the distance up to which bodies count as touching \[m\]
pub(super) fn leave_out_touching(model: &mut CollisionModel, near: f64, samples: u32) {
    let mut polytope = Polytope::default();
    let neutral = model.skeleton.poses(&model.skeleton.neutral());
    let mut reasons: Vec<Option<Reason>> = Vec::with_capacity(model.pairs.len());
    for pair in 0..model.pairs.len() {
        let found = model.measure(pair, &neutral, near, &mut polytope);
        reasons.push(found.map(|found| Reason::TouchingAtNeutral { distance: found.distance }));
    }
    let mut always: Vec<usize> = (0..reasons.len()).filter(|&k| reasons[k].is_none()).collect();
    for index in 0..samples {
        let poses = model.skeleton.poses(&sample(&model.skeleton, index));
        always.retain(|&pair| model.measure(pair, &poses, near, &mut polytope).is_some());
        if always.is_empty() {
            break;
        }
    }
    if samples > 0 {
        always.iter().for_each(|&pair| reasons[pair] = Some(Reason::TouchingAlways));
    }
    for (pair, reason) in core::mem::take(&mut model.pairs).into_iter().zip(reasons) {
        match reason {
            Some(reason) => leave_out(model, pair, reason),
            None => model.pairs.push(pair),
        }
    }
}

/// A configuration of a sequence that fills the ranges of hinges and slides evenly: multiples of the golden ratio's powers in as many dimensions, modulo 1
/// \[roberts18\]. Balls and free joints stay neutral, slides without limits within a metre.
fn sample(skeleton: &Skeleton, index: u32) -> Vec<f64> {
    let mut q = skeleton.neutral();
    let ratio = generalised_golden_ratio(skeleton.n_dofs());
    let mut step = 1.0;
    for joint in 0..skeleton.n_joints() {
        let values = skeleton.value_range(joint);
        if values.len() != 1 || skeleton.mimic(joint).is_some() {
            continue;
        }
        step /= ratio;
        let part = (0.5 + step * f64::from(index + 1)).fract();
        let (min, max) = skeleton.limit(joint).bounds();
        let turn = core::f64::consts::PI;
        let (min, max) = match (min.is_finite(), max.is_finite()) {
            (true, true) => (min, max),
            (true, false) => (min, min + turn),
            (false, true) => (max - turn, max),
            (false, false) => (-turn, turn),
        };
        q[values.start] = min + (max - min) * part;
    }
    skeleton.settle(&mut q);
    skeleton.clamp(&mut q);
    q
}

/// The positive root of `x^(d + 1) = x + 1`.
fn generalised_golden_ratio(d: usize) -> f64 {
    // Newton's method on a convex function from the right of its root.
    let mut x = 2.0_f64;
    for _ in 0..64 {
        let (mut power, mut slope) = (1.0, 0.0);
        for _ in 0..=d {
            slope = slope * x + power;
            power *= x;
        }
        x -= (power - x - 1.0) / (slope - 1.0);
    }
    x
}
