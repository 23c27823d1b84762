//! A rigid body of several solids, and the distance between two.

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::skeleton::Skeleton;

use crate::convex::{Convex, Core, Polytope, Separation, separation};

/// Solids fixed to a joint or to the world.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) name: String,
    /// `None` for an obstacle in the world.
    pub(crate) joint: Option<usize>,
    solids: Vec<Placed>,
    /// A sphere around all solids, in the joint's frame; its radius is infinite with a half-space.
    sphere: Sphere,
}

/// A solid in the frame of a joint.
#[derive(Debug)]
struct Placed {
    joint_from_solid: Pose,
    convex: Convex,
    /// Around it, in the joint's frame.
    sphere: Sphere,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Sphere {
    pub(crate) center: DVec3,
    pub(crate) radius: f64,
}

impl Body {
    /// A body of at least one solid, each with its pose in the joint's frame (or in the world).
    pub(crate) fn new(name: String, joint: Option<usize>, solids: Vec<(Pose, Convex)>) -> Self {
        let placed = |(joint_from_solid, convex): (Pose, Convex)| {
            let (center, radius) = convex.bounding_sphere();
            let sphere = Sphere { center: joint_from_solid.transform_point(center), radius };
            Placed { joint_from_solid, convex, sphere }
        };
        let solids: Vec<Placed> = solids.into_iter().map(placed).collect();
        let (mut min, mut max) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for Placed { sphere: Sphere { center, .. }, .. } in &solids {
            (min, max) = (min.min(*center), max.max(*center));
        }
        let center = (min + max) / 2.0;
        let reach = |solid: &Placed| solid.sphere.center.distance(center) + solid.sphere.radius;
        let radius = solids.iter().map(reach).fold(0.0, f64::max);
        Self { name, joint, solids, sphere: Sphere { center, radius } }
    }

    /// Whether a joint moves it.
    pub(crate) fn moves(&self, skeleton: &Skeleton) -> bool {
        self.joint.is_some_and(|joint| {
            skeleton.ancestors(joint).any(|above| skeleton.kind(above).n_dofs() > 0)
        })
    }

    /// Whether there is a distance to another: there is none between half-spaces.
    pub(crate) fn can_measure(&self, other: &Self) -> bool {
        let is_bounded = |solid: &Placed| !matches!(solid.convex.core, Core::HalfSpace);
        self.solids.iter().any(is_bounded) || other.solids.iter().any(is_bounded)
    }

    /// The sphere around it.
    pub(crate) fn sphere(&self, world_from_joint: Pose) -> Sphere {
        self.sphere.placed(world_from_joint)
    }
}

impl Sphere {
    fn placed(self, world_from_joint: Pose) -> Self {
        Self { center: world_from_joint.transform_point(self.center), ..self }
    }

    /// A lower bound of the distance of what is inside.
    pub(crate) fn gap(self, other: Self) -> f64 {
        self.center.distance(other.center) - self.radius - other.radius
    }
}

/// The separation of the two solids of two bodies that are nearest to each other, in the world; `None` when it is above `cutoff`.
pub(crate) fn between(
    a: &Body,
    world_from_a: Pose,
    b: &Body,
    world_from_b: Pose,
    cutoff: f64,
    polytope: &mut Polytope,
) -> Option<Separation> {
    if a.sphere(world_from_a).gap(b.sphere(world_from_b)) > cutoff {
        return None;
    }
    let (mut nearest, mut cutoff) = (None, cutoff);
    for on_a in &a.solids {
        let world_from_solid = world_from_a * on_a.joint_from_solid;
        let sphere = on_a.sphere.placed(world_from_a);
        for on_b in &b.solids {
            if sphere.gap(on_b.sphere.placed(world_from_b)) > cutoff {
                continue;
            }
            let a_from_b = world_from_solid.inverse() * world_from_b * on_b.joint_from_solid;
            let found = separation(&on_a.convex, &on_b.convex, a_from_b, cutoff, polytope);
            if let Some(Separation { distance, direction, points }) = found {
                cutoff = distance;
                nearest = Some(Separation {
                    distance,
                    direction: world_from_solid.transform_vector(direction),
                    points: points.map(|point| world_from_solid.transform_point(point)),
                });
            }
        }
    }
    nearest
}
