//! Collada, as far as convex hulls need it: the positions of meshes, placed by the nodes of the scenes.

use std::collections::BTreeMap;

use posekit::glam::{DMat4, DQuat, DVec3};
use posekit::math::rotation_about;
use roxmltree::Node;

use super::fault;
use crate::error::Result;
use crate::limits::Limits;
use crate::xml;

/// The largest number of nodes visited, counting each reference: more than any file has, and a bound for cyclic references.
const MOST_NODES: usize = 1 << 16;

/// The largest number of points of a mesh, counting each placement.
const MOST_POINTS: usize = 1 << 24;

/// The points of a Collada text \[m\].
pub(super) fn points(text: &str, limits: &Limits) -> Result<Vec<DVec3>> {
    let source = xml::Source::new(text, limits)?;
    let document = xml::parse(&source, limits)?;
    let root = document.root_element();
    if root.tag_name().name() != "COLLADA" {
        return Err(fault(format!(
            "a Collada file begins with <COLLADA>, not <{}>",
            root.tag_name().name()
        )));
    }
    let library = Library::new(root);
    let mut points = library.scene_points(root)?;
    let unit = unit(root)?;
    points.iter_mut().for_each(|point| *point *= unit);
    Ok(points)
}

/// Metres in one unit of the file.
fn unit(root: Node<'_, '_>) -> Result<f64> {
    let unit = children(root, "asset").flat_map(|asset| children(asset, "unit")).next();
    let Some(text) = unit.and_then(|unit| unit.attribute("meter")) else { return Ok(1.0) };
    match text.trim().parse() {
        Ok(meter) if meter > 0.0 && f64::is_finite(meter) => Ok(meter),
        _ => Err(fault(format!("the unit `{}` is not a length", xml::shortened(text)))),
    }
}

fn children<'a, 'x>(
    node: Node<'a, 'x>,
    tag: &'static str,
) -> impl Iterator<Item = Node<'a, 'x>> + use<'a, 'x> {
    node.children().filter(move |child| child.tag_name().name() == tag)
}

/// Numbers separated by white space.
fn numbers(node: Node<'_, '_>) -> Result<Vec<f64>> {
    let number = |word: &str| {
        word.parse::<f64>()
            .map_err(|_| fault(format!("`{}` is not a number", xml::shortened(word))))
    };
    node.text().unwrap_or_default().split_ascii_whitespace().map(number).collect()
}

/// The elements that others refer to.
struct Library<'a, 'x> {
    by_id: BTreeMap<&'a str, Node<'a, 'x>>,
}

impl<'a, 'x> Library<'a, 'x> {
    fn new(root: Node<'a, 'x>) -> Self {
        let named = root.descendants().filter_map(|node| Some((node.attribute("id")?, node)));
        Self { by_id: named.collect() }
    }

    /// The element that an attribute names as `#id`.
    fn target(&self, node: Node<'a, 'x>, attribute: &str) -> Option<Node<'a, 'x>> {
        let id = node.attribute(attribute)?.strip_prefix('#')?;
        self.by_id.get(id).copied()
    }

    /// The points of all scenes; without scenes, of all geometries where they are.
    fn scene_points(&self, root: Node<'a, 'x>) -> Result<Vec<DVec3>> {
        let scenes = children(root, "library_visual_scenes")
            .flat_map(|library| children(library, "visual_scene"));
        let mut open: Vec<_> = scenes.map(|scene| (scene, DMat4::IDENTITY)).collect();
        let mut points = Vec::new();
        if open.is_empty() {
            let libraries = children(root, "library_geometries");
            for geometry in libraries.flat_map(|library| children(library, "geometry")) {
                self.add_geometry(geometry, DMat4::IDENTITY, &mut points)?;
            }
        }
        let mut visited = 0;
        while let Some((node, scene_from_parent)) = open.pop() {
            visited += 1;
            if visited > MOST_NODES {
                return Err(fault(format!("the scene has more than {MOST_NODES} nodes")));
            }
            let scene_from_node = scene_from_parent * placement(node)?;
            for child in node.children() {
                match child.tag_name().name() {
                    "node" => open.push((child, scene_from_node)),
                    "instance_node" => {
                        let target = self.target(child, "url");
                        open.extend(target.map(|target| (target, scene_from_node)));
                    }
                    "instance_geometry" => {
                        if let Some(geometry) = self.target(child, "url") {
                            self.add_geometry(geometry, scene_from_node, &mut points)?;
                        }
                    }
                    _ => {}
                }
            }
        }
        Ok(points)
    }

    /// Adds the positions of the meshes of a geometry.
    fn add_geometry(
        &self,
        geometry: Node<'a, 'x>,
        scene_from_geometry: DMat4,
        points: &mut Vec<DVec3>,
    ) -> Result<()> {
        let vertices = children(geometry, "mesh").flat_map(|mesh| children(mesh, "vertices"));
        let inputs = vertices.flat_map(|vertices| children(vertices, "input"));
        for input in inputs.filter(|input| input.attribute("semantic") == Some("POSITION")) {
            let Some(source) = self.target(input, "source") else { continue };
            let Some(array) = children(source, "float_array").next() else { continue };
            let stride = children(source, "technique_common")
                .flat_map(|technique| children(technique, "accessor"))
                .find_map(|accessor| accessor.attribute("stride")?.trim().parse().ok())
                .unwrap_or(3);
            let values = numbers(array)?;
            if stride >= 3 {
                let point = |values: &[f64]| DVec3::new(values[0], values[1], values[2]);
                let whole = values.chunks_exact(stride).map(point);
                points.extend(whole.map(|point| scene_from_geometry.transform_point3(point)));
            }
            if points.len() > MOST_POINTS {
                return Err(fault(format!("the mesh has more than {MOST_POINTS} points")));
            }
        }
        Ok(())
    }
}

/// The product of the transforms of a node, the first outermost.
fn placement(node: Node<'_, '_>) -> Result<DMat4> {
    let mut whole = DMat4::IDENTITY;
    for child in node.children() {
        let tag = child.tag_name().name();
        let expected = match tag {
            "matrix" => 16,
            "translate" | "scale" => 3,
            "rotate" => 4,
            _ => continue,
        };
        let values = numbers(child)?;
        if values.len() != expected {
            let message = format!("<{tag}> has {} numbers, not {expected}", values.len());
            return Err(fault(message));
        }
        let vector = DVec3::new(values[0], values[1], values[2]);
        whole *= match tag {
            "matrix" => DMat4::from_cols_slice(&values).transpose(),
            "translate" => DMat4::from_translation(vector),
            "scale" => DMat4::from_scale(vector),
            _ => DMat4::from_quat(turned(vector, values[3])),
        };
    }
    Ok(whole)
}

/// A rotation about an axis of any length, by degrees.
fn turned(axis: DVec3, angle_deg: f64) -> DQuat {
    match axis.try_normalize() {
        Some(axis) if angle_deg.is_finite() => rotation_about(axis, angle_deg.to_radians()),
        _ => DQuat::IDENTITY,
    }
}
