//! A convex polytope that is extended point by point, for hulls and for penetration depths.

use posekit::glam::DVec3;

use super::gjk::Vertex;

/// A closed surface of triangles, all of them seen counter-clockwise from outside.
#[derive(Debug, Clone, Default)]
pub(crate) struct Polytope {
    pub(super) vertices: Vec<Vertex>,
    pub(super) faces: Vec<Face>,
    /// Edges around the faces that a new vertex sees.
    horizon: Vec<[usize; 2]>,
    /// Faces that a new vertex sees.
    seen: Vec<usize>,
}

/// A triangle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Face {
    pub(super) vertices: [usize; 3],
    /// Unit normal, outwards.
    pub(super) normal: DVec3,
    /// Distance of its plane from the origin along the normal \[m\].
    pub(super) offset: f64,
    /// For the owner: the vertex farthest outside of it, and its distance.
    pub(super) farthest: Option<(usize, f64)>,
}

/// A vertex sees a face when it is above its plane, or below it by no more than rounding, as a fraction of the polytope's size. Faces in one plane are
/// seen together, which avoids degenerate triangles.
const ROUNDING: f64 = 1e-12;

impl Polytope {
    /// The surface of a tetrahedron of positive volume.
    pub(super) fn start(&mut self, tetrahedron: [Vertex; 4]) -> bool {
        self.vertices.clear();
        self.faces.clear();
        self.vertices.extend(tetrahedron);
        for (face, opposite) in [([0, 1, 2], 3), ([0, 1, 3], 2), ([0, 2, 3], 1), ([1, 2, 3], 0)] {
            let [i, j, k] = face;
            let Some(made) = self.face(face) else { return false };
            let is_outwards = made.normal.dot(self.vertices[opposite].w) < made.offset;
            let outwards = if is_outwards { Some(made) } else { self.face([i, k, j]) };
            self.faces.extend(outwards);
        }
        self.faces.len() == 4
    }

    /// Adds a vertex outside of a face: the visible faces are replaced by a cone to it. False, without changes, if there is no valid surface because of rounding.
    ///
    /// - `size`: the size of the polytope, for the tolerance of rounding \[m\]
    pub(super) fn grow(&mut self, from: usize, vertex: Vertex, size: f64) -> bool {
        self.find_seen(from, vertex.w, -ROUNDING * size);
        if self.seen.len() == self.faces.len() {
            return false;
        }
        let new = self.vertices.len();
        self.vertices.push(vertex);
        let n_old = self.faces.len();
        for at in 0..self.horizon.len() {
            let [i, j] = self.horizon[at];
            let Some(face) = self.face([i, j, new]) else {
                self.faces.truncate(n_old);
                self.vertices.pop();
                return false;
            };
            self.faces.push(face);
        }
        // In descending order, so that the indices of the others stay valid.
        self.seen.sort_unstable();
        for at in (0..self.seen.len()).rev() {
            self.faces.swap_remove(self.seen[at]);
        }
        true
    }

    /// The triangle of three vertices; `None` without area.
    fn face(&self, vertices: [usize; 3]) -> Option<Face> {
        let [a, b, c] = vertices.map(|k| self.vertices[k].w);
        let normal = (b - a).cross(c - a).try_normalize()?;
        Some(Face { vertices, normal, offset: normal.dot(a), farthest: None })
    }

    /// Finds all faces that a point sees, starting at one, and collects the edges of the horizon.
    fn find_seen(&mut self, from: usize, point: DVec3, least: f64) {
        self.seen.clear();
        self.horizon.clear();
        self.seen.push(from);
        let mut next = 0;
        while let Some(&at) = self.seen.get(next) {
            next += 1;
            let [i, j, k] = self.faces[at].vertices;
            for edge in [[i, j], [j, k], [k, i]] {
                match self.across(edge) {
                    Some(beside) if self.seen.contains(&beside) => {}
                    Some(beside) if self.sees(beside, point, least) => self.seen.push(beside),
                    _ => self.horizon.push(edge),
                }
            }
        }
    }

    fn sees(&self, face: usize, point: DVec3, least: f64) -> bool {
        let Face { normal, offset, .. } = self.faces[face];
        normal.dot(point) - offset > least
    }

    /// The face on the other side of an edge.
    fn across(&self, [i, j]: [usize; 2]) -> Option<usize> {
        self.faces.iter().position(|face| {
            let [a, b, c] = face.vertices;
            [[a, b], [b, c], [c, a]].contains(&[j, i])
        })
    }
}
