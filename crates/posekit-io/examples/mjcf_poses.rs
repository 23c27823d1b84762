//! Where the bodies of a MuJoCo model are, for configurations `qpos` given on standard input.
//!
//!     cargo run -p posekit-io --example mjcf_poses -- MODEL.xml < QPOS.json
//!
//! Standard input is a JSON list of configurations in MuJoCo's order, each a list of numbers. Standard output is what the file says of joints, links and
//! states, and the poses of all links and sites at each configuration (x, y, z, then a quaternion w, x, y, z). `tools/mujoco/compare.py` compares them
//! with MuJoCo's own. Without a file it shows a small model of its own.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example talks to the terminal")]

use std::error::Error;
use std::io::{self, Read as _};
use std::path::Path;
use std::process::ExitCode;

use posekit::math::Pose;
use posekit::skeleton::Frame;
use posekit_io::robot::{
    Geometry, Robot, RobotClosure, RobotJoint, RobotLink, RobotShape, RobotState,
};
use posekit_io::{Limits, Warnings, mjcf};
use serde_json::{Value, json};

const PENDULUM: &str = r#"
<mujoco model="pendulum">
  <worldbody>
    <body name="arm" pos="0 0 2">
      <joint name="pivot" axis="0 1 0" range="-90 90"/>
      <geom type="capsule" size="0.05" fromto="0 0 0  0 0 -1"/>
      <site name="tip" pos="0 0 -1"/>
    </body>
  </worldbody>
  <keyframe> <key name="raised" qpos="-1.5707963267948966"/> </keyframe>
</mujoco>"#;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut warnings = Warnings::new();
    let (robot, configurations) = match std::env::args().nth(1) {
        Some(path) => {
            let robot = mjcf::read_file(Path::new(&path), &Limits::default(), &mut warnings)?;
            let mut text = String::new();
            io::stdin().read_to_string(&mut text)?;
            (robot, serde_json::from_str(&text)?)
        }
        None => (mjcf::read(PENDULUM, &mut warnings)?, vec![vec![0.0], vec![0.5]]),
    };
    for warning in &warnings {
        eprintln!("warning: {warning}");
    }
    println!("{}", report(&robot, &configurations)?);
    Ok(())
}

fn report(robot: &Robot, configurations: &[Vec<f64>]) -> Result<Value, &'static str> {
    let skeleton = robot.skeleton();
    let joint = |joint: &RobotJoint| {
        let (min, max) = skeleton.limit(joint.skeleton_joints.start).bounds();
        let limit = min.is_finite().then_some([min, max]);
        json!({ "name": joint.name, "kind": joint.kind.name(), "limit": limit })
    };
    let link = |link: &RobotLink| {
        let center = link.center_in_link.to_array();
        json!({ "name": link.name, "mass": link.mass, "center": center })
    };
    let shape = |shape: &RobotShape| {
        let (kind, size) = size(&shape.geometry)?;
        let pose = numbers(shape.link_from_shape);
        Some(json!({ "link": shape.link, "kind": kind, "size": size, "pose": pose }))
    };
    let closure = |closure: &RobotClosure| {
        let poses = closure.link_from_frame.map(numbers);
        json!({ "links": closure.links, "poses": poses, "is_rigid": closure.is_rigid })
    };
    let states: Option<Vec<Value>> = robot
        .states()
        .iter()
        .map(|state| Some(json!({ "name": state.name, "qpos": qpos(robot, state)? })))
        .collect();
    let frames = frames(robot);
    let poses: Option<Vec<Vec<[f64; 7]>>> = configurations
        .iter()
        .map(|qpos| {
            let q = mjcf::configuration_from_qpos(skeleton, qpos)?;
            let poses = skeleton.poses(&q);
            Some(frames.iter().map(|frame| numbers(frame.world(&poses))).collect())
        })
        .collect();
    Ok(json!({
        "joints": robot.joints().iter().map(joint).collect::<Vec<_>>(),
        "links": robot.links().iter().map(link).collect::<Vec<_>>(),
        "sites": robot.frames().iter().map(|frame| frame.name.as_str()).collect::<Vec<_>>(),
        "shapes": robot.shapes().iter().filter_map(shape).collect::<Vec<_>>(),
        "closures": robot.closures().iter().map(closure).collect::<Vec<_>>(),
        "states": states.ok_or("a state has another size")?,
        "poses": poses.ok_or("a configuration has another number of values than the model")?,
    }))
}

/// The frames of all links, then of all sites.
fn frames(robot: &Robot) -> Vec<Frame> {
    let links = (0..robot.links().len()).map(|link| robot.link_frame(link));
    let sites = robot.frames().iter().map(|site| {
        let Frame { joint, .. } = robot.link_frame(site.link);
        Frame::new(joint, site.link_from_frame)
    });
    links.chain(sites).collect()
}

/// A primitive as MuJoCo names and measures it; nothing for a mesh.
fn size(geometry: &Geometry) -> Option<(&'static str, Vec<f64>)> {
    Some(match *geometry {
        Geometry::HalfSpace => ("plane", vec![]),
        Geometry::Sphere { radius } => ("sphere", vec![radius]),
        Geometry::Capsule { radius, half_length } => ("capsule", vec![radius, half_length]),
        Geometry::Cylinder { radius, half_length } => ("cylinder", vec![radius, half_length]),
        Geometry::Ellipsoid { radii } => ("ellipsoid", radii.to_array().to_vec()),
        Geometry::Box { half_extents } => ("box", half_extents.to_array().to_vec()),
        _ => return None,
    })
}

/// A state as the file has it: values that follow others are not moved.
fn qpos(robot: &Robot, state: &RobotState) -> Option<Vec<f64>> {
    let mut q = robot.zero_configuration();
    for value in &state.values {
        let joint = robot.joints()[value.joint].skeleton_joints.start;
        q[robot.skeleton().value_range(joint)].copy_from_slice(&value.values);
    }
    mjcf::qpos_from_configuration(robot.skeleton(), &q)
}

fn numbers(pose: Pose) -> [f64; 7] {
    let ([x, y, z], [i, j, k, w]) = (pose.translation.to_array(), pose.rotation.to_array());
    [x, y, z, w, i, j, k]
}
