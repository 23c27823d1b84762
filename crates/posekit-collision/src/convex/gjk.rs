//! The distance of two convex sets from their support points.
//!
//! The Minkowski difference `A - B` contains the origin exactly if the sets intersect, and its point nearest to the origin is the shortest way from B to A. The search keeps a
//! simplex of support points, finds its point `v` nearest to the origin, and adds the support point towards the origin, until there is no progress.
//!
//! | symbol | meaning |
//! |---|---|
//! | `v` | point of the simplex nearest to the origin \[m\]; its length bounds the distance from above |
//! | `w` | support point of the difference in direction `-v` \[m\]; `v · w / ‖v‖` bounds the distance from below |
//!
//! # Method
//! Gilbert, Johnson and Keerthi \[gilbert88\]; nearest points of simplices by their faces \[ericson05\], section 9.5.

use posekit::glam::DVec3;

/// A point of the difference, and the corresponding points of the two sets.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Vertex {
    pub(super) w: DVec3,
    pub(super) a: DVec3,
    pub(super) b: DVec3,
}

/// Up to four vertices, with the barycentric weights of a point.
#[derive(Debug, Clone, Copy)]
pub(super) struct Simplex {
    pub(super) vertices: [Vertex; 4],
    pub(super) weights: [f64; 4],
    pub(super) n: usize,
}

/// The outcome of a search.
#[derive(Debug)]
pub(super) enum Outcome {
    /// The sets are separate; the weights of the simplex give the nearest points.
    Apart(Simplex),
    /// They are farther apart than the cutoff: their distance is at least that of this vertex along this direction, from the second set to the first.
    Beyond { direction: DVec3, vertex: Vertex },
    /// They intersect, at least nearly; the simplex is at the origin.
    Touching(Simplex),
}

/// The largest number of steps. Polytopes need a few; round shapes gain a digit in two or three steps.
const STEPS: usize = 128;

/// The search ends when the bounds of the distance differ by this fraction of the size of the sets: as exact as rounding allows, because the direction of a distance has only
/// the square root of its accuracy.
const GAP: f64 = 4.0 * f64::EPSILON;

/// Sets this close, relative to their size, count as touching: below it rounding would determine the direction.
const TOUCHING: f64 = 1e-9;

/// The search.
///
/// - `support`: the vertex farthest in a direction of any length but zero
/// - `start`: a direction to begin with, roughly from the second set to the first
/// - `cutoff`: a distance beyond which the answer does not matter \[m\]
pub(super) fn gjk(mut support: impl FnMut(DVec3) -> Vertex, start: DVec3, cutoff: f64) -> Outcome {
    let first = support(-start);
    let mut simplex = Simplex { vertices: [first; 4], weights: [1.0, 0.0, 0.0, 0.0], n: 1 };
    let mut v = first.w;
    let mut size = first.w.length();
    for _ in 0..STEPS {
        let length = v.length();
        if length <= TOUCHING * size || length == 0.0 {
            return Outcome::Touching(simplex);
        }
        let vertex = support(-v);
        size = size.max(vertex.w.length());
        let below = v.dot(vertex.w);
        if below > cutoff * length {
            return Outcome::Beyond { direction: v / length, vertex };
        }
        let is_known = simplex.vertices[..simplex.n].iter().any(|known| known.w == vertex.w);
        if is_known || length * length - below <= GAP * size * length {
            return Outcome::Apart(simplex);
        }
        let Some(next) = simplex.with(vertex).reduced() else {
            return Outcome::Touching(simplex.with(vertex));
        };
        let nearest = next.point();
        // No further progress because of rounding.
        if nearest.length_squared() >= v.length_squared() {
            return Outcome::Apart(simplex);
        }
        (simplex, v) = (next, nearest);
    }
    Outcome::Apart(simplex)
}

impl Simplex {
    fn with(mut self, vertex: Vertex) -> Self {
        self.vertices[self.n] = vertex;
        self.weights[self.n] = 0.0;
        self.n += 1;
        self
    }

    /// The point with these weights.
    pub(super) fn point(&self) -> DVec3 {
        self.sum(|vertex| vertex.w)
    }

    /// The corresponding points of the two sets.
    pub(super) fn witnesses(&self) -> [DVec3; 2] {
        [self.sum(|vertex| vertex.a), self.sum(|vertex| vertex.b)]
    }

    fn sum(&self, of: impl Fn(&Vertex) -> DVec3) -> DVec3 {
        let parts = self.vertices.iter().zip(self.weights).take(self.n);
        parts.fold(DVec3::ZERO, |sum, (vertex, weight)| sum + of(vertex) * weight)
    }

    /// The smallest face that contains the point nearest to the origin; `None` if the simplex contains the origin.
    fn reduced(self) -> Option<Self> {
        let w = self.vertices.map(|vertex| vertex.w);
        let nearest = match self.n {
            1 => Nearest::vertex(&w, 0),
            2 => Nearest::on_segment(&w, [0, 1]),
            3 => Nearest::on_triangle(&w, [0, 1, 2]),
            _ => Nearest::on_tetrahedron(&w)?,
        };
        let mut reduced = Self { n: 0, ..self };
        for k in (0..self.n).filter(|&k| nearest.weights[k] > 0.0) {
            reduced.vertices[reduced.n] = self.vertices[k];
            reduced.weights[reduced.n] = nearest.weights[k];
            reduced.n += 1;
        }
        Some(reduced)
    }
}

/// The point of a simplex nearest to the origin.
#[derive(Debug, Clone, Copy)]
struct Nearest {
    weights: [f64; 4],
    distance_squared: f64,
}

impl Nearest {
    fn new(w: &[DVec3; 4], weights: [f64; 4]) -> Self {
        let point = w[0] * weights[0] + w[1] * weights[1] + w[2] * weights[2] + w[3] * weights[3];
        Self { weights, distance_squared: point.length_squared() }
    }

    fn vertex(w: &[DVec3; 4], i: usize) -> Self {
        let mut weights = [0.0; 4];
        weights[i] = 1.0;
        Self::new(w, weights)
    }

    fn on_segment(w: &[DVec3; 4], [i, j]: [usize; 2]) -> Self {
        let edge = w[j] - w[i];
        let whole = edge.length_squared();
        let part = if whole > 0.0 { (-w[i].dot(edge) / whole).clamp(0.0, 1.0) } else { 0.0 };
        let mut weights = [0.0; 4];
        (weights[i], weights[j]) = (1.0 - part, part);
        Self::new(w, weights)
    }

    fn on_triangle(w: &[DVec3; 4], [i, j, k]: [usize; 3]) -> Self {
        let [a, b, c] = [w[i], w[j], w[k]];
        let normal = (b - a).cross(c - a);
        let whole = normal.length_squared();
        if whole > 0.0 {
            let parts = [normal.dot(b.cross(c)), normal.dot(c.cross(a)), normal.dot(a.cross(b))];
            if parts.iter().all(|&part| part > 0.0) {
                let sum = parts[0] + parts[1] + parts[2];
                let mut weights = [0.0; 4];
                for (at, part) in [i, j, k].into_iter().zip(parts) {
                    weights[at] = part / sum;
                }
                return Self::new(w, weights);
            }
        }
        let edges = [[i, j], [j, k], [k, i]].map(|edge| Self::on_segment(w, edge));
        edges[0].or_nearer(edges[1]).or_nearer(edges[2])
    }

    /// `None` if the tetrahedron contains the origin. Only faces with the origin on their outer side can be nearest.
    fn on_tetrahedron(w: &[DVec3; 4]) -> Option<Self> {
        const FACES: [([usize; 3], usize); 4] =
            [([0, 1, 2], 3), ([0, 1, 3], 2), ([0, 2, 3], 1), ([1, 2, 3], 0)];
        let mut nearest: Option<Self> = None;
        for (face, opposite) in FACES {
            let [a, b, c] = face.map(|k| w[k]);
            let normal = (b - a).cross(c - a);
            let inside = normal.dot(w[opposite] - a);
            // A tetrahedron without volume has no interior: all of its faces count.
            if -normal.dot(a) * inside <= 0.0 || inside == 0.0 {
                let here = Self::on_triangle(w, face);
                nearest = Some(nearest.map_or(here, |nearest| nearest.or_nearer(here)));
            }
        }
        nearest
    }

    fn or_nearer(self, other: Self) -> Self {
        if other.distance_squared < self.distance_squared { other } else { self }
    }
}
