//! The penetration depth of two convex sets, and the direction of the shortest separation.
//!
//! # Method
//! Expanding polytopes \[vandenbergen01\]: a polytope inside the Minkowski difference is extended where its surface is nearest to the origin, until the surface there is that of the
//! difference. A difference without volume, such as that of two segments that cross, has depth 0 along its normal.

use posekit::glam::DVec3;
use posekit::math::{direction_or, perpendicular};

use super::gjk::{Simplex, Vertex};
use super::polytope::{Face, Polytope};

/// An overlap.
#[derive(Debug, Clone, Copy)]
pub(super) struct Overlap {
    /// Unit vector: the first set separates from the second by moving against it.
    pub(super) normal: DVec3,
    /// The depth \[m\]; below 0 by rounding if the sets only touch.
    pub(super) depth: f64,
    /// The points of the two sets farthest inside the other.
    pub(super) witnesses: [DVec3; 2],
}

/// The largest number of steps. The boxes and hulls of a robot take about ten, round shapes gain a digit in three or four.
const STEPS: usize = 64;

/// The search ends when the bounds of the depth differ by this fraction of the size of the sets.
const GAP: f64 = 1e-12;

/// Differences thinner than this fraction of their size count as flat.
const FLAT: f64 = 1e-10;

/// The overlap of sets whose difference has the origin in `simplex`, at least nearly.
pub(super) fn penetration(
    mut support: impl FnMut(DVec3) -> Vertex,
    simplex: &Simplex,
    polytope: &mut Polytope,
) -> Overlap {
    let (tetrahedron, size) = match filled(&mut support, &simplex.vertices[..simplex.n]) {
        Ok(found) => found,
        Err(normal) => {
            return Overlap { normal, depth: 0.0, witnesses: simplex.witnesses() };
        }
    };
    let flat = Overlap { normal: DVec3::X, depth: 0.0, witnesses: simplex.witnesses() };
    if !polytope.start(tetrahedron) {
        return flat;
    }
    let (mut best, mut depth) = (DVec3::X, f64::INFINITY);
    for _ in 0..STEPS {
        let Some((at, face)) = nearest(polytope) else { break };
        let vertex = support(face.normal);
        let above = face.normal.dot(vertex.w);
        if above < depth {
            (best, depth) = (face.normal, above);
        }
        if above - face.offset <= GAP * size || !polytope.grow(at, vertex, size) {
            break;
        }
    }
    if depth == f64::INFINITY {
        return flat;
    }
    let [on_a, on_b] = witnesses(polytope, best, depth, GAP.sqrt() * size);
    // On round solids the polytope's surface differs slightly from that of the difference: the points share the deviation.
    let missing = (best * depth - (on_a - on_b)) / 2.0;
    Overlap { normal: best, depth, witnesses: [on_a + missing, on_b - missing] }
}

/// A tetrahedron of positive volume with the given vertices, and the size of the set; or a direction in which the set is flat.
pub(super) fn filled(
    mut support: impl FnMut(DVec3) -> Vertex,
    given: &[Vertex],
) -> Result<([Vertex; 4], f64), DVec3> {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z, -DVec3::X, -DVec3::Y, -DVec3::Z];
    let extremes = axes.map(&mut support);
    let extent = |k: usize| (extremes[k].w - extremes[k + 3].w)[k];
    let size = DVec3::new(extent(0), extent(1), extent(2)).length();
    let least = FLAT * size;
    let mut found: Vertices = Vertices::new(given);
    // The vertices of a search may coincide or be collinear.
    found.keep_independent(least);
    if found.n == 1 {
        let at = found.list[0].w;
        let farthest =
            extremes.into_iter().max_by(|a, b| (a.w - at).length().total_cmp(&(b.w - at).length()));
        farthest
            .filter(|vertex| (vertex.w - at).length() > least)
            .map(|vertex| found.push(vertex))
            .ok_or(DVec3::X)?;
    }
    if found.n == 2 {
        let along = direction_or(found.list[1].w - found.list[0].w, DVec3::X);
        let across = perpendicular(along);
        let beside = along.cross(across);
        let vertices = [across, beside, -across, -beside].map(&mut support);
        let away = |vertex: &Vertex| (vertex.w - found.list[0].w).cross(along).length();
        let farthest = vertices.into_iter().max_by(|a, b| away(a).total_cmp(&away(b)));
        let farthest = farthest.filter(|vertex| away(vertex) > least).ok_or(across)?;
        found.push(farthest);
    }
    if found.n == 3 {
        let [a, b, c] = [0, 1, 2].map(|k| found.list[k].w);
        let normal = direction_or((b - a).cross(c - a), DVec3::X);
        let vertices = [normal, -normal].map(&mut support);
        let height = |vertex: &Vertex| (vertex.w - a).dot(normal).abs();
        let [up, down] = vertices;
        let farthest = if height(&down) > height(&up) { down } else { up };
        if height(&farthest) <= least {
            return Err(normal);
        }
        found.push(farthest);
    }
    Ok((found.list, size))
}

/// Up to four vertices.
struct Vertices {
    list: [Vertex; 4],
    n: usize,
}

impl Vertices {
    fn new(given: &[Vertex]) -> Self {
        let mut list = [Vertex::default(); 4];
        list[..given.len()].copy_from_slice(given);
        Self { list, n: given.len() }
    }

    fn push(&mut self, vertex: Vertex) {
        self.list[self.n] = vertex;
        self.n += 1;
    }

    /// Drops affinely dependent vertices.
    fn keep_independent(&mut self, least: f64) {
        let given = Self { list: self.list, n: self.n };
        self.n = 1;
        for vertex in &given.list[1..given.n] {
            let from_first = vertex.w - self.list[0].w;
            let edge = |k: usize| self.list[k].w - self.list[0].w;
            let away = match self.n {
                1 => from_first.length(),
                2 => from_first.cross(direction_or(edge(1), DVec3::X)).length(),
                _ => from_first.dot(direction_or(edge(1).cross(edge(2)), DVec3::X)).abs(),
            };
            if away > least {
                self.push(*vertex);
            }
        }
    }
}

/// The face nearest to the origin.
fn nearest(polytope: &Polytope) -> Option<(usize, Face)> {
    let faces = polytope.faces.iter().copied().enumerate();
    faces.min_by(|(_, a), (_, b)| a.offset.total_cmp(&b.offset))
}

/// The points of the sets that correspond to the nearest point of the surface, by the face in its plane that contains it.
fn witnesses(polytope: &Polytope, normal: DVec3, depth: f64, near: f64) -> [DVec3; 2] {
    let at = normal * depth;
    let mut best = ([0.0; 3], [0; 3], f64::NEG_INFINITY);
    for face in polytope.faces.iter().filter(|face| face.offset <= depth + near) {
        let [a, b, c] = face.vertices.map(|k| polytope.vertices[k].w - at);
        let whole = (b - a).cross(c - a);
        let scale = whole.length_squared().recip();
        let weights = [b.cross(c), c.cross(a), a.cross(b)].map(|part| part.dot(whole) * scale);
        let least = weights.iter().copied().fold(f64::INFINITY, f64::min);
        if least > best.2 {
            best = (weights, face.vertices, least);
        }
    }
    let (weights, vertices, _) = best;
    let mut positive = weights.map(|weight| weight.max(0.0));
    if positive == [0.0; 3] {
        positive = [1.0; 3];
    }
    let sum = positive[0] + positive[1] + positive[2];
    let point = |of: fn(&Vertex) -> DVec3| {
        let parts = vertices.iter().zip(positive);
        parts
            .fold(DVec3::ZERO, |total, (&k, part)| total + of(&polytope.vertices[k]) * (part / sum))
    };
    [point(|vertex| vertex.a), point(|vertex| vertex.b)]
}
