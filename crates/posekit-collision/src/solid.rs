//! The public type of convex shapes.

use posekit::glam::DVec3;
use posekit_io::robot::Geometry;

use crate::convex::{Convex, Core, Hull};
use crate::error::{Error, Result};

/// A convex solid in a frame of its own: an obstacle, or a shape of a link.
#[derive(Debug, Clone)]
pub struct Solid {
    pub(crate) convex: Convex,
}

/// Largest size of a solid \[m\]: products of six lengths stay finite.
pub(crate) const LARGEST: f64 = 1e30;

impl Solid {
    /// A box, sphere, cylinder, capsule, ellipsoid or half-space.
    ///
    /// # Errors
    /// [`Error::Solid`] for a size that is negative, not finite or above 1e30 m; for a mesh, which must be read from its file: see [`hull`](Self::hull).
    pub fn new(geometry: &Geometry) -> Result<Self> {
        let (core, radius) = match *geometry {
            Geometry::Box { half_extents } => (Core::Box(check_each(half_extents)?), 0.0),
            Geometry::Sphere { radius } => (Core::Point, radius),
            Geometry::Cylinder { radius, half_length } => {
                let (radius, half_length) = (check(radius)?, check(half_length)?);
                (Core::Cylinder { radius, half_length }, 0.0)
            }
            Geometry::Capsule { radius, half_length } => {
                (Core::Segment(check(half_length)?), radius)
            }
            Geometry::Ellipsoid { radii } => (Core::Ellipsoid(check_each(radii)?), 0.0),
            Geometry::HalfSpace => (Core::HalfSpace, 0.0),
            Geometry::Mesh { .. } => return Err(fault("a mesh must be read first")),
            _ => return Err(fault("its kind is not supported")),
        };
        Ok(Self { convex: Convex { core, radius: check(radius)? } })
    }

    /// The convex hull of points.
    ///
    /// It has up to 256 of the points as vertices. Points that are still outside are covered by a radius around it, so that the solid is never too small.
    ///
    /// # Errors
    /// [`Error::Solid`] without points, and for one that is not finite or further than 1e30 m from the origin.
    pub fn hull(points: &[DVec3]) -> Result<Self> {
        for point in points {
            check_each(point.abs())?;
        }
        let (hull, radius) = Hull::new(points).ok_or_else(|| fault("it has no points"))?;
        Ok(Self { convex: Convex { core: Core::Hull(hull), radius } })
    }
}

fn fault(message: impl Into<String>) -> Error {
    Error::Solid { message: message.into() }
}

fn check(length: f64) -> Result<f64> {
    if (0.0..=LARGEST).contains(&length) {
        return Ok(length);
    }
    Err(fault(format!("{length} is not within 0 to {LARGEST:e} m")))
}

fn check_each(lengths: DVec3) -> Result<DVec3> {
    lengths.to_array().into_iter().try_for_each(|length| check(length).map(|_| ()))?;
    Ok(lengths)
}
