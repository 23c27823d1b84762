//! Convex solids, and the distance or penetration depth of two.
//!
//! A [`Convex`] is a core (a point, a segment, a box, a cylinder, an ellipsoid or a hull) with everything within a radius of it. Cores are represented by their support
//! functions: the point farthest in a direction. Distances of separate cores come from [`gjk`], depths of overlapping ones from [`penetration`]; a rounded
//! solid rarely needs the second.

mod gjk;
mod hull;
mod penetration;
mod polytope;
mod separation;
#[cfg(test)]
mod tests;

use posekit::glam::DVec3;
use posekit::math::direction_or;

pub(crate) use hull::Hull;
pub(crate) use polytope::Polytope;
pub(crate) use separation::{Separation, separation};

/// A convex solid in a frame of its own.
#[derive(Debug, Clone)]
pub(crate) struct Convex {
    pub(crate) core: Core,
    /// Points within this distance of the core belong to the solid, at least 0 \[m\].
    pub(crate) radius: f64,
}

/// The core of a solid \[m\].
#[derive(Debug, Clone)]
pub(crate) enum Core {
    /// The origin.
    Point,
    /// A segment along z, from minus to plus this length.
    Segment(f64),
    /// A box about the origin, by half of its edges.
    Box(DVec3),
    /// A cylinder about z.
    Cylinder { radius: f64, half_length: f64 },
    /// An ellipsoid about the origin, by its semi-axes.
    Ellipsoid(DVec3),
    /// The convex hull of points.
    Hull(Hull),
    /// Everything below z = 0.
    HalfSpace,
}

/// A point of a core, and a hint for the next search on it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Support {
    pub(crate) point: DVec3,
    pub(crate) hint: usize,
}

/// The hint of the first search.
pub(crate) const NO_HINT: usize = usize::MAX;

impl Convex {
    /// A sphere that contains the solid: its centre and its radius, infinite for a half-space.
    pub(crate) fn bounding_sphere(&self) -> (DVec3, f64) {
        let (center, radius) = match &self.core {
            Core::Point => (DVec3::ZERO, 0.0),
            Core::Segment(half_length) => (DVec3::ZERO, *half_length),
            Core::Box(half_extents) => (DVec3::ZERO, half_extents.length()),
            Core::Cylinder { radius, half_length } => {
                (DVec3::ZERO, (radius * radius + half_length * half_length).sqrt())
            }
            Core::Ellipsoid(radii) => (DVec3::ZERO, radii.max_element()),
            Core::Hull(hull) => hull.bounding_sphere(),
            Core::HalfSpace => (DVec3::ZERO, f64::INFINITY),
        };
        (center, radius + self.radius)
    }

    /// A point of the core that is farthest in a direction of any length but zero. A half-space has none; its origin is returned.
    ///
    /// - `hint`: that of the previous support, or [`NO_HINT`]
    pub(crate) fn support(&self, direction: DVec3, hint: usize) -> Support {
        let signs = |lengths: DVec3| {
            DVec3::new(
                lengths.x.copysign(direction.x),
                lengths.y.copysign(direction.y),
                lengths.z.copysign(direction.z),
            )
        };
        let point = match &self.core {
            Core::Point | Core::HalfSpace => DVec3::ZERO,
            Core::Segment(half_length) => DVec3::new(0.0, 0.0, half_length.copysign(direction.z)),
            Core::Box(half_extents) => signs(*half_extents),
            Core::Cylinder { radius, half_length } => {
                let across = DVec3::new(direction.x, direction.y, 0.0);
                let rim = direction_or(across, DVec3::ZERO) * *radius;
                DVec3::new(rim.x, rim.y, half_length.copysign(direction.z))
            }
            Core::Ellipsoid(radii) => *radii * direction_or(*radii * direction, DVec3::ZERO),
            Core::Hull(hull) => return hull.support(direction, hint),
        };
        Support { point, hint: NO_HINT }
    }
}
