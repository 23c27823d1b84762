//! The distance or penetration depth of two solids, with the nearest points.

use posekit::glam::DVec3;
use posekit::math::{Pose, direction_or};

use super::gjk::{Outcome, Vertex, gjk};
use super::penetration::penetration;
use super::{Convex, Core, NO_HINT, Polytope};

/// The separation of two solids, in the frame of the first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Separation {
    /// The distance of the surfaces, or a lower bound above the cutoff; below 0 the depth of the overlap \[m\].
    pub(crate) distance: f64,
    /// Unit vector from the second to the first: moving the first along it increases the distance.
    pub(crate) direction: DVec3,
    /// The nearest points of the two surfaces. Beyond the cutoff, points of two separating planes.
    pub(crate) points: [DVec3; 2],
}

/// The separation of two solids; `None` for two half-spaces. A distance above `cutoff` is a lower bound.
///
/// - `a_from_b`: the pose of the second in the frame of the first
/// - `polytope`: a buffer
pub(crate) fn separation(
    a: &Convex,
    b: &Convex,
    a_from_b: Pose,
    cutoff: f64,
    polytope: &mut Polytope,
) -> Option<Separation> {
    match (&a.core, &b.core) {
        (Core::HalfSpace, Core::HalfSpace) => None,
        (Core::HalfSpace, _) => Some(above_plane(b, a_from_b)),
        (_, Core::HalfSpace) => {
            let Separation { distance, direction, points } = above_plane(a, a_from_b.inverse());
            let [on_plane, on_a] = points.map(|point| a_from_b.transform_point(point));
            let direction = -a_from_b.transform_vector(direction);
            Some(Separation { distance, direction, points: [on_a, on_plane] })
        }
        _ => Some(between(a, b, a_from_b, cutoff, polytope)),
    }
}

/// The separation of the half-space below z = 0 and a solid.
fn above_plane(solid: &Convex, plane_from_solid: Pose) -> Separation {
    let down = plane_from_solid.inverse().transform_vector(-DVec3::Z);
    let lowest = plane_from_solid.transform_point(solid.support(down, NO_HINT).point);
    let distance = lowest.z - solid.radius;
    let points = [DVec3::new(lowest.x, lowest.y, 0.0), lowest - DVec3::Z * solid.radius];
    Separation { distance, direction: -DVec3::Z, points }
}

fn between(
    a: &Convex,
    b: &Convex,
    a_from_b: Pose,
    cutoff: f64,
    polytope: &mut Polytope,
) -> Separation {
    let b_from_a = a_from_b.inverse();
    let (mut hint_a, mut hint_b) = (NO_HINT, NO_HINT);
    let mut support = |direction: DVec3| {
        let on_a = a.support(direction, hint_a);
        let on_b = b.support(-b_from_a.transform_vector(direction), hint_b);
        (hint_a, hint_b) = (on_a.hint, on_b.hint);
        let on_b = a_from_b.transform_point(on_b.point);
        Vertex { w: on_a.point - on_b, a: on_a.point, b: on_b }
    };
    let radii = a.radius + b.radius;
    let start = direction_or(-a_from_b.translation, DVec3::X);
    let (distance, direction, [on_a, on_b]) = match gjk(&mut support, start, cutoff + radii) {
        Outcome::Beyond { direction, vertex } => {
            (direction.dot(vertex.w), direction, [vertex.a, vertex.b])
        }
        Outcome::Apart(simplex) => {
            let v = simplex.point();
            (v.length(), direction_or(v, DVec3::X), simplex.witnesses())
        }
        Outcome::Touching(simplex) => {
            let overlap = penetration(&mut support, &simplex, polytope);
            (-overlap.depth, -overlap.normal, overlap.witnesses)
        }
    };
    let points = [on_a - direction * a.radius, on_b + direction * b.radius];
    Separation { distance: distance - radii, direction, points }
}
