//! Bodies and the pairs of them that are checked.

mod body;
mod build;
mod pairs;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::Skeleton;
use posekit::solve::Solution;
use posekit::task::{Custom, Task};

use crate::convex::{Polytope, Separation};
use crate::error::{Error, Result};
use crate::solid::{LARGEST, Solid};
use crate::task::PairClearance;

pub(crate) use body::{Body, between};
pub use pairs::{LeftOut, Reason};

/// The bodies of a robot and around it, and the pairs that are checked.
///
/// Bodies are the links that have shapes, by their names, and obstacles. Pairs are numbered from 0; [`names`](Self::names) returns their bodies. See the
/// [crate's example](crate).
#[derive(Debug, Clone)]
pub struct CollisionModel {
    pub(crate) skeleton: Skeleton,
    pub(crate) bodies: Vec<Arc<Body>>,
    /// The number of links among the bodies; the others are obstacles.
    pub(crate) n_links: usize,
    pub(crate) pairs: Vec<[usize; 2]>,
    pub(crate) left_out: Vec<LeftOut>,
}

/// Options for a model.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct CollisionOptions {
    /// The folder of the robot's file, to which the names of its meshes are relative; without it, meshes are omitted with a warning.
    pub folder: Option<PathBuf>,
    /// Distance up to which two links count as touching at rest and are excluded \[m\]; default 0. Use the margin of the tasks, so that no
    /// task requires a larger distance than the robot's design has.
    pub touching: f64,
    /// Number of sampled configurations in which a pair must always touch to be excluded; 0, the default, samples none.
    pub samples: u32,
}

impl CollisionOptions {
    /// With meshes, whose names are relative to a folder or name a package above it: see [`posekit_io::mesh::find`].
    #[must_use]
    pub fn with_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Excludes pairs that are no further apart than this in the neutral pose \[m\].
    #[must_use]
    pub const fn with_touching(mut self, touching: f64) -> Self {
        self.touching = touching;
        self
    }

    /// Excludes pairs that touch in this number of configurations spread over the ranges of the joints.
    #[must_use]
    pub const fn with_samples(mut self, samples: u32) -> Self {
        self.samples = samples;
        self
    }
}

/// Two bodies that are closer than the margin of a check.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// Number of the pair.
    pub pair: usize,
    /// The distance of their surfaces; below 0 the depth of the overlap \[m\].
    pub distance: f64,
    /// The nearest points of the two surfaces, in the world \[m\].
    pub points: [DVec3; 2],
    /// Unit vector in the world: moving the first body along it increases the distance.
    pub direction: DVec3,
}

/// The buffers of checks, reusable for any number of checks and models.
#[derive(Debug, Clone, Default)]
pub struct Query {
    world_from_joint: Vec<Pose>,
    contacts: Vec<Contact>,
    polytope: Polytope,
}

impl CollisionModel {
    /// Number of pairs that are checked.
    #[must_use]
    pub fn n_pairs(&self) -> usize {
        self.pairs.len()
    }

    /// The names of the two bodies of a pair.
    ///
    /// # Panics
    /// As a slice does, when there is no such pair.
    #[must_use]
    pub fn names(&self, pair: usize) -> [&str; 2] {
        self.pairs[pair].map(|body| self.bodies[body].name.as_str())
    }

    /// The number of the pair of two bodies, in either order; `None` when it is not checked.
    #[must_use]
    pub fn find_pair(&self, a: &str, b: &str) -> Option<usize> {
        (0..self.pairs.len()).find(|&pair| [[a, b], [b, a]].contains(&self.names(pair)))
    }

    /// The names of all bodies.
    pub fn bodies(&self) -> impl Iterator<Item = &str> {
        self.bodies.iter().map(|body| body.name.as_str())
    }

    /// The pairs that are not checked, and why.
    #[must_use]
    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// The pairs that are closer than a margin, in order.
    ///
    /// - `q`: a configuration of the robot's skeleton
    /// - `margin`: 0 finds overlaps and touches; up to 1e30 m, or infinite for all pairs
    ///
    /// # Errors
    /// [`Error::Configuration`] for an invalid configuration; [`Error::Margin`] for a margin that is negative or NaN.
    pub fn check<'q>(&self, q: &[f64], margin: f64, query: &'q mut Query) -> Result<&'q [Contact]> {
        self.skeleton.check(q)?;
        if margin != f64::INFINITY {
            check_margin(margin)?;
        }
        let Query { world_from_joint, contacts, polytope } = query;
        world_from_joint.resize(self.skeleton.n_joints(), Pose::IDENTITY);
        self.skeleton.forward_kinematics(q, world_from_joint);
        contacts.clear();
        for pair in 0..self.pairs.len() {
            if let Some(found) = self.measure(pair, world_from_joint, margin, polytope) {
                let Separation { distance, direction, points } = found;
                contacts.push(Contact { pair, distance, points, direction });
            }
        }
        Ok(contacts)
    }

    /// The separation of a pair, if it is up to `margin`.
    fn measure(
        &self,
        pair: usize,
        world_from_joint: &[Pose],
        margin: f64,
        polytope: &mut Polytope,
    ) -> Option<Separation> {
        let [a, b] = self.pairs[pair].map(|body| &*self.bodies[body]);
        let [at_a, at_b] = [a, b].map(|body| body.placed(world_from_joint));
        let found = between(a, at_a, b, at_b, margin, polytope);
        (found.distance <= margin).then_some(found)
    }

    /// Tasks that keep all pairs at least a margin apart: one [`PairClearance`] of weight 1 on level 1 for all pairs between the same two rigid parts, in the
    /// order of [`rigid_pairs`](Self::rigid_pairs).
    ///
    /// With the robot's other tasks on level 2, clearances have priority; the status of the solution is then that of the clearances, and its misses show the errors of the other tasks. On the
    /// same level all are solved together, with restarts if the path is blocked, and traded if not all can be met.
    ///
    /// # Errors
    /// [`Error::Margin`] for a margin that is not within 0 to 1e30 m.
    pub fn clearances(&self, margin: f64) -> Result<Vec<Task>> {
        check_margin(margin)?;
        let task = |pairs: Vec<usize>| {
            let bodies = |pair: usize| self.pairs[pair].map(|body| Arc::clone(&self.bodies[body]));
            Task::new(Custom::new(PairClearance::new(
                pairs.into_iter().map(bodies).collect(),
                margin,
            )))
        };
        Ok(self.rigid_pairs().into_iter().map(task).collect())
    }

    /// The pairs, grouped by their two rigid parts: links without a joint between them, or an obstacle. Each list is ascending, and the lists are
    /// in the order of their first pairs.
    #[must_use]
    pub fn rigid_pairs(&self) -> Vec<Vec<usize>> {
        // All fixed links are one part, but every obstacle is its own.
        let part = |body: usize| (self.bodies[body].joint, (body >= self.n_links).then_some(body));
        let mut index_of = BTreeMap::new();
        let mut lists: Vec<Vec<usize>> = Vec::new();
        for (pair, bodies) in self.pairs.iter().enumerate() {
            let at = *index_of.entry(bodies.map(part)).or_insert(lists.len());
            if at == lists.len() {
                lists.push(Vec::new());
            }
            lists[at].push(pair);
        }
        lists
    }

    /// The pairs that hold a solution back: those at the margin of their tasks, within the solution's tolerance.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn holding<'q>(
        &self,
        solution: &Solution,
        margin: f64,
        query: &'q mut Query,
    ) -> Result<&'q [Contact]> {
        check_margin(margin)?;
        self.check(&solution.configuration, margin + 2.0 * solution.tolerance, query)
    }

    /// The same model with an obstacle, which is checked against every link that moves.
    ///
    /// # Errors
    /// [`Error::Duplicate`] for a name that exists already; [`Error::Pose`] for a pose that is not finite or whose rotation is not of unit length.
    pub fn with_obstacle(
        mut self,
        name: impl Into<String>,
        world_from_solid: Pose,
        solid: Solid,
    ) -> Result<Self> {
        let name = name.into();
        if self.bodies().any(|body| body == name) {
            return Err(Error::Duplicate { name });
        }
        let Pose { rotation, translation } = world_from_solid;
        let is_rigid = (rotation.length() - 1.0).abs() < 1e-3;
        let is_near = translation.is_finite() && translation.abs().max_element() <= LARGEST;
        if !is_rigid || !is_near {
            return Err(Error::Pose { name });
        }
        let world_from_solid = Pose::new(rotation.normalize(), translation);
        let index = self.bodies.len();
        build::check_count(index + 1)?;
        let obstacle = Body::new(name, None, vec![(world_from_solid, solid.convex)]);
        let is_checked = |body: &Body| body.joint.is_some() && obstacle.can_measure(body);
        let others = (0..index).filter(|&other| is_checked(&self.bodies[other]));
        let pairs: Vec<[usize; 2]> = others.map(|other| [other, index]).collect();
        self.pairs.extend(pairs);
        self.bodies.push(Arc::new(obstacle));
        Ok(self)
    }

    /// The same model without the pair of two bodies.
    ///
    /// # Errors
    /// [`Error::NoSuchBody`]; a pair that is not checked anyway is not an error.
    pub fn without_pair(mut self, a: &str, b: &str) -> Result<Self> {
        let find = |name: &str| {
            let found = self.bodies().position(|body| body == name);
            found.ok_or_else(|| Error::NoSuchBody { name: name.to_owned() })
        };
        let bodies = [find(a)?, find(b)?];
        if let Some(pair) = self.find_pair(a, b) {
            self.pairs.remove(pair);
            let names = bodies.map(|body| self.bodies[body].name.clone());
            self.left_out.push(LeftOut { names, reason: Reason::Requested });
        }
        Ok(self)
    }
}

fn check_margin(margin: f64) -> Result<()> {
    if (0.0..=LARGEST).contains(&margin) {
        return Ok(());
    }
    Err(Error::Margin { found: margin, limit: LARGEST })
}
