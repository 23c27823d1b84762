//! The convex hull of points, with few vertices.

use posekit::glam::DVec3;

use super::gjk::{Outcome, Vertex, gjk};
use super::penetration::filled;
use super::polytope::Polytope;
use super::{NO_HINT, Support};

/// A convex polytope, given by its vertices and edges.
#[derive(Debug, Clone)]
pub(crate) struct Hull {
    points: Vec<DVec3>,
    /// Neighbours of vertex `i`: `neighbours[starts[i]..starts[i + 1]]`.
    starts: Vec<usize>,
    neighbours: Vec<usize>,
    /// A start vertex for each [`octant`]: the farthest one in a direction of it.
    extremes: [usize; 8],
}

/// The largest number of vertices of a hull. Twice as many would halve the error of a round mesh, from about 1 % of its radius, and make a search on it a little longer.
const MOST_VERTICES: usize = 256;

/// A hull is complete when no point is farther outside than this fraction of its size.
const FINISHED: f64 = 1e-5;

/// The thickness of a flat mesh, as a fraction of its size.
const THICKNESS: f64 = 1e-6;

impl Hull {
    /// A hull of some of the points, and the largest distance of the others from it; `None` without points.
    ///
    /// # Method
    /// A tetrahedron is extended by the point farthest outside, as in quickhull \[barber96\], until all are inside or there are [`MOST_VERTICES`].
    pub(crate) fn new(points: &[DVec3]) -> Option<(Self, f64)> {
        let mut points = points.to_vec();
        let first = *points.first()?;
        let mut polytope = Polytope::default();
        let start =
            |points: &[DVec3]| filled(|direction| farthest(points, direction), &[vertex(first)]);
        // A mesh in a plane, a line or a point is thickened once for each missing dimension.
        for _ in 0..3 {
            if let Err(normal) = start(&points) {
                let thickness = normal * (THICKNESS * size_of(&points));
                let above: Vec<DVec3> = points.iter().map(|point| *point + thickness).collect();
                points.extend(above);
            }
        }
        let hull = match start(&points) {
            Ok((tetrahedron, size)) if polytope.start(tetrahedron) => {
                grow(&mut polytope, &points, size);
                Self::from_surface(&polytope)
            }
            // All points are the same.
            _ => Self::point(first),
        };
        let error = points.iter().map(|&point| hull.distance(point)).fold(0.0, f64::max);
        Some((hull, error))
    }

    fn point(at: DVec3) -> Self {
        Self { points: vec![at], starts: vec![0, 0], neighbours: Vec::new(), extremes: [0; 8] }
    }

    fn from_surface(polytope: &Polytope) -> Self {
        let mut edges: Vec<[usize; 2]> = Vec::with_capacity(3 * polytope.faces.len());
        for face in &polytope.faces {
            let [i, j, k] = face.vertices;
            edges.extend([[i, j], [j, k], [k, i]]);
        }
        edges.sort_unstable();
        // Vertices that are inside now have no edges any more.
        let mut index = vec![usize::MAX; polytope.vertices.len()];
        let (points, neighbours) = (Vec::new(), Vec::new());
        let mut hull = Self { points, starts: vec![0], neighbours, extremes: [0; 8] };
        for chunk in edges.chunk_by(|a, b| a[0] == b[0]) {
            index[chunk[0][0]] = hull.points.len();
            hull.points.push(polytope.vertices[chunk[0][0]].w);
        }
        for chunk in edges.chunk_by(|a, b| a[0] == b[0]) {
            hull.neighbours.extend(chunk.iter().map(|edge| index[edge[1]]));
            hull.starts.push(hull.neighbours.len());
        }
        for sign in 0..8_u8 {
            let part = |bit: u8| if sign & bit == 0 { 1.0 } else { -1.0 };
            let diagonal = DVec3::new(part(1), part(2), part(4));
            hull.extremes[octant(diagonal)] = farthest_index(&hull.points, diagonal);
        }
        hull
    }

    /// The vertex farthest in a direction. On a convex polytope every vertex but the farthest has a neighbour that is farther.
    pub(crate) fn support(&self, direction: DVec3, hint: usize) -> Support {
        let mut at = if hint < self.points.len() { hint } else { self.extremes[octant(direction)] };
        let mut far = self.points[at].dot(direction);
        loop {
            let mut next = at;
            for &neighbour in &self.neighbours[self.starts[at]..self.starts[at + 1]] {
                let here = self.points[neighbour].dot(direction);
                if here > far {
                    (next, far) = (neighbour, here);
                }
            }
            if next == at {
                return Support { point: self.points[at], hint: at };
            }
            at = next;
        }
    }

    /// How far outside a point is; 0 inside.
    fn distance(&self, point: DVec3) -> f64 {
        let mut hint = NO_HINT;
        let support = |direction: DVec3| {
            let found = self.support(direction, hint);
            hint = found.hint;
            vertex(found.point - point)
        };
        match gjk(support, DVec3::X, f64::INFINITY) {
            Outcome::Apart(simplex) => simplex.point().length(),
            Outcome::Beyond { .. } | Outcome::Touching(_) => 0.0,
        }
    }

    /// A sphere that contains all vertices, about the middle of their bounding box.
    pub(crate) fn bounding_sphere(&self) -> (DVec3, f64) {
        let (min, max) = bounds(&self.points);
        let center = (min + max) / 2.0;
        let radius = self.points.iter().map(|point| point.distance(center)).fold(0.0, f64::max);
        (center, radius)
    }

    /// Its vertices.
    #[cfg(test)]
    pub(crate) fn points(&self) -> &[DVec3] {
        &self.points
    }
}

/// Extends a polytope by the points farthest outside.
fn grow(polytope: &mut Polytope, points: &[DVec3], size: f64) {
    loop {
        let mut best: Option<(usize, usize, f64)> = None;
        for (at, face) in polytope.faces.iter_mut().enumerate() {
            let (point, height) = *face.farthest.get_or_insert_with(|| {
                let point = farthest_index(points, face.normal);
                (point, face.normal.dot(points[point]) - face.offset)
            });
            if best.is_none_or(|(_, _, most)| height > most) {
                best = Some((at, point, height));
            }
        }
        let Some((at, point, height)) = best else { return };
        if height <= FINISHED * size || polytope.vertices.len() >= MOST_VERTICES {
            return;
        }
        if !polytope.grow(at, vertex(points[point]), size) {
            // Because of rounding, there is no valid surface with this point.
            polytope.faces[at].farthest = Some((point, 0.0));
        }
    }
}

/// The signs of a direction as a number below 8.
fn octant(direction: DVec3) -> usize {
    let sign = |part: f64, bit: usize| if part.is_sign_negative() { bit } else { 0 };
    sign(direction.x, 1) | sign(direction.y, 2) | sign(direction.z, 4)
}

const fn vertex(w: DVec3) -> Vertex {
    Vertex { w, a: w, b: DVec3::ZERO }
}

fn farthest(points: &[DVec3], direction: DVec3) -> Vertex {
    vertex(points[farthest_index(points, direction)])
}

fn farthest_index(points: &[DVec3], direction: DVec3) -> usize {
    let (mut best, mut far) = (0, f64::NEG_INFINITY);
    for (index, point) in points.iter().enumerate() {
        let here = point.dot(direction);
        if here > far {
            (best, far) = (index, here);
        }
    }
    best
}

fn bounds(points: &[DVec3]) -> (DVec3, DVec3) {
    let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    points.iter().fold(start, |(min, max), &point| (min.min(point), max.max(point)))
}

fn size_of(points: &[DVec3]) -> f64 {
    let (min, max) = bounds(points);
    (max - min).length()
}
