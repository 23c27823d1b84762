//! Rigid bodies of several solids, and the distance of two.

use posekit::glam::DVec3;
use posekit::math::{Pose, direction_or};

use crate::convex::{Convex, Core, Polytope, Separation, separation};

/// Solids fixed to a joint that moves, or to the world.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) name: String,
    /// `None` if it is fixed in the world.
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
    /// A bounding sphere in the joint's frame.
    sphere: Sphere,
}

#[derive(Debug, Clone, Copy)]
struct Sphere {
    center: DVec3,
    radius: f64,
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

    /// Whether the distance to another body is defined: it is not between half-spaces.
    pub(crate) fn can_measure(&self, other: &Self) -> bool {
        let is_bounded = |solid: &Placed| !matches!(solid.convex.core, Core::HalfSpace);
        self.solids.iter().any(is_bounded) || other.solids.iter().any(is_bounded)
    }

    /// The radius of a sphere around it, infinite with a half-space.
    pub(crate) const fn radius(&self) -> f64 {
        self.sphere.radius
    }

    /// Its pose, given the poses of all joints.
    pub(crate) fn placed(&self, world_from_joint: &[Pose]) -> Pose {
        self.joint.map_or(Pose::IDENTITY, |joint| world_from_joint[joint])
    }

    fn sphere(&self, world_from_joint: Pose) -> Sphere {
        self.sphere.placed(world_from_joint)
    }
}

impl Sphere {
    fn placed(self, world_from_joint: Pose) -> Self {
        Self { center: world_from_joint.transform_point(self.center), ..self }
    }

    /// The distance of two bounding spheres, a lower bound for their contents.
    fn separation(a: Self, b: Self) -> Separation {
        let apart = a.center - b.center;
        let direction = direction_or(apart, DVec3::X);
        let points = [a.center - direction * a.radius, b.center + direction * b.radius];
        Separation { distance: apart.length() - a.radius - b.radius, direction, points }
    }
}

/// The separation of two bodies, that of their nearest solids, in the world. A distance above `cutoff` is a lower bound.
pub(crate) fn between(
    a: &Body,
    world_from_a: Pose,
    b: &Body,
    world_from_b: Pose,
    cutoff: f64,
    polytope: &mut Polytope,
) -> Separation {
    let whole = Sphere::separation(a.sphere(world_from_a), b.sphere(world_from_b));
    if whole.distance > cutoff {
        return whole;
    }
    let mut nearest = Separation { distance: f64::INFINITY, ..whole };
    for on_a in &a.solids {
        let world_from_solid = world_from_a * on_a.joint_from_solid;
        let solid_from_b = world_from_solid.inverse() * world_from_b;
        let sphere = on_a.sphere.placed(world_from_a);
        for on_b in &b.solids {
            let cutoff = cutoff.min(nearest.distance);
            let bound = Sphere::separation(sphere, on_b.sphere.placed(world_from_b));
            let found = if bound.distance > cutoff {
                bound
            } else {
                let a_from_b = solid_from_b * on_b.joint_from_solid;
                let found = separation(&on_a.convex, &on_b.convex, a_from_b, cutoff, polytope);
                let Some(Separation { distance, direction, points }) = found else { continue };
                let direction = world_from_solid.transform_vector(direction);
                let points = points.map(|point| world_from_solid.transform_point(point));
                Separation { distance, direction, points }
            };
            if found.distance < nearest.distance {
                nearest = found;
            }
        }
    }
    nearest
}
