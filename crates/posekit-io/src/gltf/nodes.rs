//! Nodes: the placement of each on its parent, and the tree that they form.

use posekit::glam::{DAffine3, DMat3, DQuat, DVec3};

use super::channels::warn;
use crate::error::{Error, Result};
use crate::json::{Cursor, Object};
use crate::limits::{LARGEST, Limits};
use crate::warnings::Warnings;

/// The tolerance for the length of a rotation; files are written in single precision, and some by hand.
const UNIT_TOLERANCE: f64 = 1e-2;

/// The tolerance for the orthogonality of a matrix that counts as a rotation and a scale.
const SQUARE_TOLERANCE: f64 = 1e-3;

/// Scales with a smaller relative difference are equal.
const EQUAL_SCALES: f64 = 1e-4;

/// All nodes of a file.
#[derive(Debug, Default)]
pub(super) struct Tree<'d> {
    /// The list in the file, for places.
    pub(super) list: Vec<Cursor<'d>>,
    pub(super) names: Vec<Option<&'d str>>,
    pub(super) parents: Vec<Option<usize>>,
    pub(super) local: Vec<Placement>,
    /// Every node, parents first, in the order of the file among siblings.
    pub(super) order: Vec<usize>,
}

/// The placement of a node on its parent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placement {
    pub(super) rotation: DQuat,
    pub(super) affine: DAffine3,
    /// False where the scale differs between axes.
    pub(super) is_even: bool,
    /// Why a matrix cannot be decomposed; nothing below it can rotate.
    pub(super) fault: Option<&'static str>,
}

/// A decomposed matrix: first the scale is applied, then the rotation, then the translation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts {
    pub(super) translation: DVec3,
    pub(super) rotation: DQuat,
    /// A reflection is a negative scale of x; the choice of the axis does not affect positions.
    pub(super) scale: DVec3,
}

impl Tree<'_> {
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// The node and all its ancestors.
    pub(super) fn ancestors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        core::iter::successors(Some(node), |&node| self.parents[node])
    }
}

/// Reads all nodes.
pub(super) fn read_nodes<'d>(
    file: &Object<'d>,
    limits: &Limits,
    warnings: &mut Warnings,
) -> Result<Tree<'d>> {
    let nodes = file.required("nodes")?.with_largest(LARGEST);
    let list = nodes.list()?;
    if list.is_empty() {
        return Err(nodes.invalid("there are no nodes, so there is no skeleton"));
    }
    if list.len() > limits.joints {
        let what = "the number of nodes".into();
        return Err(Error::TooLarge { what, limit: limits.joints, field: "joints" });
    }
    let mut tree = Tree {
        names: Vec::with_capacity(list.len()),
        parents: vec![None; list.len()],
        local: Vec::with_capacity(list.len()),
        order: Vec::with_capacity(list.len()),
        list,
    };
    let mut children = Vec::with_capacity(tree.len());
    for index in 0..tree.len() {
        let node = tree.list[index].any_object()?;
        tree.names.push(node.optional("name").map(|name| name.text()).transpose()?);
        tree.local.push(read_placement(&tree.list[index], &node, warnings)?);
        children.push(read_children(&node, index, &mut tree.parents)?);
    }
    walk(&mut tree, &children)?;
    Ok(tree)
}

/// The children of a node, each of which has no other parent.
fn read_children(
    node: &Object<'_>,
    index: usize,
    parents: &mut [Option<usize>],
) -> Result<Vec<usize>> {
    let Some(children) = node.optional("children") else { return Ok(Vec::new()) };
    let claim = |child: &Cursor<'_>| {
        let found = read_index(child, parents.len(), "node")?;
        match parents[found].replace(index) {
            None if found != index => Ok(found),
            None => Err(child.invalid("the node is its own child")),
            Some(other) => {
                Err(child.invalid(format!("node {found} is a child of node {other} already")))
            }
        }
    };
    children.list()?.iter().map(claim).collect()
}

/// The index of an existing object.
pub(super) fn read_index(cursor: &Cursor<'_>, count: usize, what: &str) -> Result<usize> {
    let index = cursor.count()?;
    let found = usize::try_from(index).ok().filter(|&index| index < count);
    found.ok_or_else(|| {
        let last = match count.checked_sub(1) {
            Some(last) => format!("the last is {last}"),
            None => "there are none".to_owned(),
        };
        cursor.invalid(format!("there is no {what} {index}; {last}"))
    })
}

/// Orders parents before children. Because no node has two parents, nodes that the traversal does not reach are in a cycle or below one.
fn walk(tree: &mut Tree<'_>, children: &[Vec<usize>]) -> Result<()> {
    let mut ahead: Vec<usize> =
        (0..tree.len()).rev().filter(|&node| tree.parents[node].is_none()).collect();
    while let Some(node) = ahead.pop() {
        tree.order.push(node);
        ahead.extend(children[node].iter().rev());
    }
    if tree.order.len() == tree.len() {
        return Ok(());
    }
    let mut is_seen = vec![false; tree.len()];
    tree.order.iter().for_each(|&node| is_seen[node] = true);
    let first = is_seen.iter().position(|seen| !seen).unwrap_or_default();
    // From a node in a cycle, or below one, this number of steps up leads into the cycle.
    let inside = tree.ancestors(first).nth(tree.len()).unwrap_or(first);
    let above = tree.ancestors(inside).skip(1);
    let ring: Vec<String> =
        above.take_while(|&node| node != inside).map(|node| node.to_string()).collect();
    let ring = core::iter::once(inside.to_string()).chain(ring).collect::<Vec<_>>().join(", ");
    let place = tree.list[inside].place();
    Err(Error::Tree { place, message: format!("nodes form a cycle: {ring}") })
}

fn read_placement(
    cursor: &Cursor<'_>,
    node: &Object<'_>,
    warnings: &mut Warnings,
) -> Result<Placement> {
    let three = |field: &str, otherwise: DVec3| match node.optional(field) {
        Some(vector) => vector.array("x, y, z").map(DVec3::from_array),
        None => Ok(otherwise),
    };
    let (translation, scale) = (three("translation", DVec3::ZERO)?, three("scale", DVec3::ONE)?);
    let rotation = node.optional("rotation").map(|field| read_rotation(&field)).transpose()?;
    if let Some(matrix) = node.optional("matrix") {
        if ["translation", "rotation", "scale"].iter().any(|part| node.optional(part).is_some()) {
            return Err(matrix.invalid("a node has a matrix or translation, rotation and scale"));
        }
        return read_matrix(&matrix);
    }
    if scale.min_element() == 0.0 && scale.max_element() == 0.0 {
        warn(warnings, cursor, "the scale is 0: everything below it has no size");
    }
    let rotation = rotation.unwrap_or(DQuat::IDENTITY);
    let affine = DAffine3::from_scale_rotation_translation(scale, rotation, translation);
    Ok(Placement { rotation, affine, is_even: is_even(scale), fault: None })
}

fn is_even(scale: DVec3) -> bool {
    let size = scale.abs();
    size.max_element() - size.min_element() <= EQUAL_SCALES * size.max_element()
}

pub(super) fn read_rotation(field: &Cursor<'_>) -> Result<DQuat> {
    let rotation = DQuat::from_array(field.array("x, y, z, w")?);
    let length = rotation.length();
    if (length - 1.0).abs() > UNIT_TOLERANCE {
        return Err(field.invalid(format!("a rotation has length 1, this one has {length}")));
    }
    Ok(rotation / length)
}

/// The placement of a node by a matrix, column by column.
fn read_matrix(field: &Cursor<'_>) -> Result<Placement> {
    let affine = matrix(field)?;
    Ok(match taken_apart(&affine) {
        Ok(Parts { rotation, scale, .. }) => {
            Placement { rotation, affine, is_even: is_even(scale), fault: None }
        }
        Err(fault) => {
            Placement { rotation: DQuat::IDENTITY, affine, is_even: false, fault: Some(fault) }
        }
    })
}

fn matrix(field: &Cursor<'_>) -> Result<DAffine3> {
    let m: [f64; 16] = field.array("a 4 x 4 matrix, column by column")?;
    if [m[3], m[7], m[11], m[15]] != [0.0, 0.0, 0.0, 1.0] {
        return Err(field.invalid("the last row of the matrix must be 0, 0, 0, 1"));
    }
    let column = |i: usize| DVec3::new(m[i], m[i + 1], m[i + 2]);
    let matrix3 = DMat3::from_cols(column(0), column(4), column(8));
    Ok(DAffine3 { matrix3, translation: column(12) })
}

/// The matrix of a node as rotation, scale and translation, or why it cannot be decomposed.
pub(super) fn matrix_parts(
    field: &Cursor<'_>,
) -> Result<core::result::Result<Parts, &'static str>> {
    Ok(taken_apart(&matrix(&field.clone().with_largest(LARGEST))?))
}

fn taken_apart(affine: &DAffine3) -> core::result::Result<Parts, &'static str> {
    let matrix = affine.matrix3;
    let axes = [matrix.x_axis, matrix.y_axis, matrix.z_axis];
    let [x, y, z] = axes.map(|axis| axis.normalize_or_zero());
    if [x.dot(y), y.dot(z), z.dot(x)].iter().any(|cosine| cosine.abs() > SQUARE_TOLERANCE) {
        return Err("shears, which the format forbids");
    }
    if [x, y, z].contains(&DVec3::ZERO) {
        return Err("has an axis of zero length, so its rotation is undefined");
    }
    let mirror = if x.cross(y).dot(z) < 0.0 { -1.0 } else { 1.0 };
    let x = x * mirror;
    let y = (y - x * x.dot(y)).normalize_or_zero();
    let rotation = DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y)));
    let [along_x, along_y, along_z] = axes.map(DVec3::length);
    let scale = DVec3::new(mirror * along_x, along_y, along_z);
    Ok(Parts { translation: affine.translation, rotation, scale })
}
