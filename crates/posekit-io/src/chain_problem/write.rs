//! Writing a chain problem.

use super::{CHAIN_SCHEMA, ChainData, ChainProblem, PlaneBone, SpaceBone, SpaceConstraint};
use crate::error::Result;
use crate::json::{Fields, list_in_lines, number, numbers, text_value};

pub(super) fn write(problem: &ChainProblem) -> Result<String> {
    let mut file = Fields::new();
    file.add("schema", text_value(CHAIN_SCHEMA));
    file.add("dimension", problem.dimension.to_string());
    match &problem.chain {
        ChainData::Plane { root, bones } => {
            file.add_some("root", root.map(|root| numbers(&root, "root")).transpose()?);
            file.add("bones", in_lines(bones, plane_bone)?);
        }
        ChainData::Space { root, bones } => {
            file.add_some("root", root.map(|root| numbers(&root, "root")).transpose()?);
            file.add("bones", in_lines(bones, space_bone)?);
        }
        ChainData::Points { points, weights } => {
            let point = |point: &Vec<f64>, index| numbers(point, &format!("points[{index}]"));
            file.add("points", in_lines(points, point)?);
            let weights = weights.as_ref().map(|weights| numbers(weights, "weights"));
            file.add_some("weights", weights.transpose()?);
        }
    }
    file.add("target", numbers(&problem.target, "target")?);
    let orientation = problem.orientation.map(|rotation| numbers(&rotation, "orientation"));
    file.add_some("orientation", orientation.transpose()?);
    Ok(file.file())
}

fn in_lines<T>(items: &[T], write: impl Fn(&T, usize) -> Result<String>) -> Result<String> {
    let lines: Result<Vec<String>> =
        items.iter().enumerate().map(|(index, item)| write(item, index)).collect();
    Ok(list_in_lines(&lines?))
}

fn plane_bone(bone: &PlaneBone, index: usize) -> Result<String> {
    let name = |field: &str| format!("bones[{index}].{field}");
    let mut fields = Fields::new();
    fields.add("length", number(bone.length, &name("length"))?);
    fields.add("angle", number(bone.angle, &name("angle"))?);
    let weight = bone.weight.map(|weight| number(weight, &name("weight")));
    fields.add_some("weight", weight.transpose()?);
    let limit = bone.limit.map(|limit| numbers(&limit, &name("limit")));
    fields.add_some("limit", limit.transpose()?);
    Ok(fields.inline())
}

fn space_bone(bone: &SpaceBone, index: usize) -> Result<String> {
    let name = |field: &str| format!("bones[{index}].{field}");
    let mut fields = Fields::new();
    fields.add("offset", numbers(&bone.offset, &name("offset"))?);
    fields.add("rotation", numbers(&bone.rotation, &name("rotation"))?);
    let weight = bone.weight.map(|weight| number(weight, &name("weight")));
    fields.add_some("weight", weight.transpose()?);
    match bone.constraint {
        Some(SpaceConstraint::Hinge { axis, limit }) => {
            fields.add("hinge", numbers(&axis, &name("hinge"))?);
            let limit = limit.map(|limit| numbers(&limit, &name("limit")));
            fields.add_some("limit", limit.transpose()?);
        }
        Some(SpaceConstraint::Cone { swing, twist }) => {
            let mut cone = Fields::new();
            cone.add("swing", number(swing, &name("cone.swing"))?);
            cone.add("twist", numbers(&twist, &name("cone.twist"))?);
            fields.add("cone", cone.inline());
        }
        None => {}
    }
    Ok(fields.inline())
}
