//! What a robot looks like, and what its files say of its joints.

use posekit::math::Pose;
use posekit_io::robot::{Geometry, RobotShape, RobotState};
use posekit_io::{Limits, Robot, Warnings, read_robot, srdf};
use serde::Serialize;

use crate::POSE;
use crate::fault::Result;
use crate::session::numbers_of;

/// The description of a robot; joints are those of its skeleton, by index.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "RobotDescription"))]
#[serde(rename_all = "camelCase")]
pub struct Description<'r> {
    name: &'r str,
    /// How it looks.
    visuals: Vec<Shape<'r>>,
    /// What it is for collisions.
    collisions: Vec<Shape<'r>>,
    /// The largest speed of each joint \[rad/s, m/s\]; null where the file gives none.
    max_speeds: Vec<Option<f64>>,
    states: Vec<State<'r>>,
    /// Those of the SRDF; the problem has those of the robot's own file.
    warnings: Vec<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields, rename = "RobotShape"))]
struct Shape<'r> {
    /// The joint that it is on.
    joint: usize,
    /// Its pose there: position, then quaternion x, y, z, w.
    pose: [f64; POSE],
    #[cfg_attr(
        test,
        ts(
            type = "\"box\" | \"sphere\" | \"cylinder\" | \"capsule\" | \"ellipsoid\" | \"mesh\" | \"half-space\""
        )
    )]
    kind: &'static str,
    /// Half extents; radii; radius and half length, along z; the scale of a mesh.
    size: Vec<f64>,
    /// The file of a mesh, as the robot's file names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'r str>,
    /// Red, green, blue, opacity, if the file gives them.
    #[serde(skip_serializing_if = "Option::is_none")]
    color: Option<[f64; 4]>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "RobotState"))]
struct State<'r> {
    name: &'r str,
    group: Option<&'r str>,
    /// Joints, each with its values.
    values: Vec<(usize, &'r [f64])>,
}

/// Reads a robot, and the warnings about its SRDF.
///
/// - `text`: a URDF, or an MJCF that includes no other file
/// - `srdf`: the text of the SRDF beside it
///
/// # Errors
/// Those of the readers.
pub fn read(text: &str, srdf: Option<&str>) -> Result<(Robot, Warnings)> {
    let limits = Limits::default();
    let mut robot = read_robot(text.as_bytes(), &limits, &mut Warnings::new())?;
    let mut warnings = Warnings::new();
    if let Some(srdf) = srdf {
        robot = srdf::merge_with(&robot, srdf, &limits, &mut warnings)?;
    }
    Ok((robot, warnings))
}

impl<'r> Description<'r> {
    /// Describes a robot.
    #[must_use]
    pub fn new(robot: &'r Robot, warnings: &Warnings) -> Self {
        let mut max_speeds = vec![None; robot.skeleton().n_joints()];
        for joint in robot.joints().iter().filter(|joint| joint.max_speed.is_finite()) {
            max_speeds[joint.skeleton_joints.clone()].fill(Some(joint.max_speed));
        }
        let visuals = robot
            .visuals()
            .iter()
            .map(|visual| Shape { color: visual.color, ..shape(robot, &visual.shape) });
        Self {
            name: robot.name(),
            visuals: visuals.collect(),
            collisions: robot.shapes().iter().map(|own| shape(robot, own)).collect(),
            max_speeds,
            states: robot.states().iter().map(|own| state(robot, own)).collect(),
            warnings: warnings.iter().map(ToString::to_string).collect(),
        }
    }
}

fn shape<'r>(robot: &Robot, shape: &'r RobotShape) -> Shape<'r> {
    let frame = robot.link_frame(shape.link);
    let pose: Pose = frame.joint_from_frame * shape.link_from_shape;
    let (kind, size) = match &shape.geometry {
        Geometry::Box { half_extents } => ("box", half_extents.to_array().to_vec()),
        Geometry::Sphere { radius } => ("sphere", vec![*radius]),
        Geometry::Cylinder { radius, half_length } => ("cylinder", vec![*radius, *half_length]),
        Geometry::Capsule { radius, half_length } => ("capsule", vec![*radius, *half_length]),
        Geometry::Ellipsoid { radii } => ("ellipsoid", radii.to_array().to_vec()),
        Geometry::Mesh { scale, .. } => ("mesh", scale.to_array().to_vec()),
        // Kinds that are added later are not drawn.
        _ => ("half-space", Vec::new()),
    };
    let file = match &shape.geometry {
        Geometry::Mesh { file, .. } => Some(file.as_str()),
        _ => None,
    };
    Shape { joint: frame.joint, pose: numbers_of(pose), kind, size, file, color: None }
}

fn state<'r>(robot: &'r Robot, state: &'r RobotState) -> State<'r> {
    let mut values = Vec::new();
    for entry in &state.values {
        let mut rest = entry.values.as_slice();
        for joint in robot.joints()[entry.joint].skeleton_joints.clone() {
            let (own, others) = rest.split_at(robot.skeleton().value_range(joint).len());
            values.push((joint, own));
            rest = others;
        }
    }
    State {
        name: &state.name,
        group: state.group.map(|group| robot.groups()[group].name.as_str()),
        values,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TEXT: &str = r#"<robot name="slider">
        <link name="rail"><collision><geometry><sphere radius="2"/></geometry></collision></link>
        <link name="cart"><visual><origin xyz="1 0 0"/>
            <geometry><mesh filename="package://p/cart.stl" scale="1 1 -1"/></geometry>
            <material name=""><color rgba="1 0 0 1"/></material></visual></link>
        <joint name="slide" type="prismatic"><parent link="rail"/><child link="cart"/>
            <axis xyz="0 0 1"/><limit lower="0" upper="0.5" velocity="0.3"/></joint></robot>"#;
    const SRDF: &str = r#"<robot name="slider"><group name="all"><joint name="slide"/></group>
        <group_state name="up" group="all"><joint name="slide" value="0.5"/></group_state></robot>"#;

    #[test]
    fn a_description_has_shapes_speeds_and_states() {
        let (robot, warnings) = read(TEXT, Some(SRDF)).expect("both texts are valid");
        let found = serde_json::to_value(Description::new(&robot, &warnings))
            .expect("the description is JSON");
        let pose = json!([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        let visual = json!({ "joint": 1, "pose": pose, "kind": "mesh", "size": [1.0, 1.0, -1.0],
            "file": "package://p/cart.stl", "color": [1.0, 0.0, 0.0, 1.0] });
        assert_eq!(found["visuals"], json!([visual]));
        assert_eq!(
            (&found["collisions"][0]["kind"], &found["collisions"][0]["size"]),
            (&json!("sphere"), &json!([2.0]))
        );
        assert_eq!(found["maxSpeeds"], json!([null, 0.3]));
        assert_eq!(
            found["states"],
            json!([{ "name": "up", "group": "all", "values": [[1, [0.5]]] }])
        );
    }

    #[test]
    fn a_fault_of_the_srdf_has_its_place() {
        let fault = read(
            TEXT,
            Some("<robot name=\"slider\">\n<group name=\"g\"><joint name=\"no\"/></group></robot>"),
        )
        .expect_err("the joint does not exist");
        assert!(fault.message.contains("`no`"), "{}", fault.message);
        assert_eq!(fault.place.map(|place| place.line), Some(2));
    }
}
