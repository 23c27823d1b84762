//! Reading and checking a chain problem.

use core::f64::consts::PI;

use super::{CHAIN_SCHEMA, ChainData, ChainProblem, PlaneBone, SpaceBone, SpaceConstraint};
use crate::error::{Error, Result};
use crate::json::{Cursor, Document, Object, check_schema};
use crate::limits::{LARGEST, Limits};

const FILE_FIELDS: [&str; 8] =
    ["schema", "dimension", "root", "bones", "points", "weights", "target", "orientation"];

pub(super) fn read(text: &str, limits: &Limits) -> Result<ChainProblem> {
    let document = Document::parse(text, limits)?;
    let root = document.root().with_largest(LARGEST);
    check_schema(&root, CHAIN_SCHEMA)?;
    let file = root.object(&FILE_FIELDS)?;
    let dimension = read_dimension(&file)?;
    let chain = match (file.optional("bones"), file.optional("points")) {
        (Some(_), Some(points)) => {
            return Err(points.invalid("a problem has `bones` or `points`, not both"));
        }
        (None, Some(points)) => read_points(&file, &points, dimension)?,
        (Some(bones), None) => read_bones(&file, &bones, dimension)?,
        (None, None) => {
            let field = if dimension == 2 || dimension == 3 { "bones" } else { "points" };
            return Err(Error::Missing { place: root.place(), field: field.into() });
        }
    };
    let target = file.required("target")?.numbers_exact(dimension, "the dimension")?;
    let orientation = read_orientation(&file, &chain)?;
    check_joints(&chain, limits)?;
    Ok(ChainProblem { dimension, chain, target, orientation })
}

fn read_dimension(file: &Object<'_>) -> Result<usize> {
    let dimension = file.required("dimension")?;
    match dimension.count()? {
        0 => Err(dimension.invalid("the dimension must be at least 1")),
        count => Ok(count as usize),
    }
}

/// The limit of the list itself is one higher, for the points of as many bones.
fn check_joints(chain: &ChainData, limits: &Limits) -> Result<()> {
    let count = match chain {
        ChainData::Plane { bones, .. } => bones.len(),
        ChainData::Space { bones, .. } => bones.len(),
        ChainData::Points { points, .. } => points.len() - 1,
    };
    if count > limits.joints {
        let what = "the number of bones".into();
        return Err(Error::TooLarge { what, limit: limits.joints, field: "joints" });
    }
    Ok(())
}

fn read_orientation(file: &Object<'_>, chain: &ChainData) -> Result<Option<[f64; 4]>> {
    let Some(orientation) = file.optional("orientation") else { return Ok(None) };
    if !matches!(chain, ChainData::Space { .. }) {
        return Err(orientation.invalid("an orientation needs `bones` in dimension 3"));
    }
    orientation.rotation().map(Some)
}

fn read_points(file: &Object<'_>, points: &Cursor<'_>, dimension: usize) -> Result<ChainData> {
    if let Some(root) = file.optional("root") {
        return Err(root.invalid("`points` begin with the root; omit `root`"));
    }
    let list = points.list()?;
    if list.len() < 2 {
        return Err(points.invalid(format!("needs at least two points, found {}", list.len())));
    }
    let coordinates: Result<Vec<Vec<f64>>> =
        list.iter().map(|point| point.numbers_exact(dimension, "the dimension")).collect();
    let weights = match file.optional("weights") {
        Some(weights) => Some(read_weights(&weights, list.len())?),
        None => None,
    };
    Ok(ChainData::Points { points: coordinates?, weights })
}

fn read_weights(weights: &Cursor<'_>, n_points: usize) -> Result<Vec<f64>> {
    let list = weights.list()?;
    if list.len() != n_points && list.len() + 1 != n_points {
        return Err(weights.invalid(format!(
            "expected {n_points} weights (one per point) or {} (one per bone), found {}",
            n_points - 1,
            list.len()
        )));
    }
    list.iter().map(|weight| weight.non_negative("a weight")).collect()
}

fn read_bones(file: &Object<'_>, bones: &Cursor<'_>, dimension: usize) -> Result<ChainData> {
    if let Some(weights) = file.optional("weights") {
        return Err(weights.invalid("`weights` are for `points`; a bone has its own `weight`"));
    }
    let list = bones.list()?;
    if list.is_empty() {
        return Err(bones.invalid("needs at least one bone"));
    }
    let root = file.optional("root");
    match dimension {
        2 => {
            let root = root.map(|root| root.array("the dimension")).transpose()?;
            let list: Result<Vec<PlaneBone>> = list.iter().map(read_plane_bone).collect();
            Ok(ChainData::Plane { root, bones: list? })
        }
        3 => {
            let root = root.map(|root| root.array("the dimension")).transpose()?;
            let list: Result<Vec<SpaceBone>> = list.iter().map(read_space_bone).collect();
            Ok(ChainData::Space { root, bones: list? })
        }
        _ => Err(bones.invalid(format!(
            "`bones` need dimension 2 or 3, but the dimension is {dimension}; give `points`"
        ))),
    }
}

fn read_plane_bone(bone: &Cursor<'_>) -> Result<PlaneBone> {
    let fields = bone.object(&["length", "angle", "weight", "limit"])?;
    Ok(PlaneBone {
        length: fields.required("length")?.non_negative("a length")?,
        angle: fields.required("angle")?.number()?,
        weight: read_weight(&fields)?,
        limit: read_limit(&fields)?,
    })
}

fn read_space_bone(bone: &Cursor<'_>) -> Result<SpaceBone> {
    let fields = bone.object(&["offset", "rotation", "weight", "hinge", "limit", "cone"])?;
    let offset = fields.required("offset")?.array("x, y, z")?;
    Ok(SpaceBone {
        offset,
        rotation: fields.required("rotation")?.rotation()?,
        weight: read_weight(&fields)?,
        constraint: read_constraint(&fields, offset)?,
    })
}

fn read_constraint(fields: &Object<'_>, offset: [f64; 3]) -> Result<Option<SpaceConstraint>> {
    let (hinge, cone) = (fields.optional("hinge"), fields.optional("cone"));
    if let (None, Some(limit)) = (&hinge, fields.optional("limit")) {
        return Err(limit.invalid("a limit in space needs a `hinge`; a free joint takes a `cone`"));
    }
    match (hinge, cone) {
        (Some(_), Some(cone)) => Err(cone.invalid("a joint has a `hinge` or a `cone`, not both")),
        (Some(hinge), None) => {
            let axis = hinge.direction("axis")?;
            Ok(Some(SpaceConstraint::Hinge { axis, limit: read_limit(fields)? }))
        }
        (None, Some(cone)) => read_cone(&cone, offset).map(Some),
        (None, None) => Ok(None),
    }
}

fn read_cone(cone: &Cursor<'_>, offset: [f64; 3]) -> Result<SpaceConstraint> {
    let fields = cone.object(&["swing", "twist"])?;
    let swing = fields.required("swing")?;
    let angle = swing.number()?;
    if !(0.0..=PI).contains(&angle) {
        return Err(swing.invalid(format!("the swing must be from 0 to pi, found {angle}")));
    }
    if offset == [0.0; 3] {
        return Err(cone.invalid("a cone opens about the bone's offset, which is zero here"));
    }
    let twist = fields.required("twist")?.range()?;
    Ok(SpaceConstraint::Cone { swing: angle, twist })
}

fn read_weight(fields: &Object<'_>) -> Result<Option<f64>> {
    fields.optional("weight").map(|weight| weight.non_negative("a weight")).transpose()
}

fn read_limit(fields: &Object<'_>) -> Result<Option<[f64; 2]>> {
    fields.optional("limit").map(|limit| limit.range()).transpose()
}
