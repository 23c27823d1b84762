//! The standing figure as the studio reads it: `studio/src/core/scenes/figure.json`, written by `POSEKIT_BLESS=1 cargo nextest run -p posekit-cli studio_figure`.
//!
//! A problem in the format `posekit.figure/1`, and beside it the shapes to draw: body parts, plates and rods.

use std::fmt::Write as _;
use std::path::Path;

use posekit::glam::DQuat;
use posekit::math::Pose;
use posekit::skeleton::{Frame, JointKind, Limit, Skeleton};
use posekit::task::TaskKind;
use serde_json::{Map, Value, json};

use crate::figures::{NamedTask, Stance, TaskScene, standing_figure};

fn joint_json(skeleton: &Skeleton, joint: usize) -> Value {
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| fields.insert(name.to_owned(), value);
    put("name", json!(skeleton.name(joint)));
    put("parent", json!(skeleton.parent(joint).map(|parent| skeleton.name(parent))));
    let axis = match skeleton.kind(joint) {
        JointKind::Revolute { axis } => {
            put("kind", json!("revolute"));
            Some(axis)
        }
        JointKind::Ball => {
            put("kind", json!("ball"));
            None
        }
        JointKind::Free => {
            put("kind", json!("free"));
            None
        }
        other => panic!("the figure has no such joint: {other:?}"),
    };
    let Pose { rotation, translation } = skeleton.parent_from_joint(joint);
    put("position", json!(translation.to_array()));
    if rotation != DQuat::IDENTITY {
        put("rotation", json!(rotation.to_array()));
    }
    if let Some(axis) = axis {
        put("axis", json!(axis.to_array()));
    }
    match skeleton.limit(joint) {
        Limit::Range { min, max } => {
            put("limit", json!([min, max]));
        }
        Limit::Cone { axis, swing, twist } => {
            put("cone", json!({ "axis": axis.to_array(), "swing": swing, "twist": twist }));
        }
        _ => {}
    }
    Value::Object(fields)
}

fn frame_json(skeleton: &Skeleton, frame: Frame) -> Value {
    let Pose { rotation, translation } = frame.joint_from_frame;
    let mut fields =
        json!({ "joint": skeleton.name(frame.joint), "position": translation.to_array() });
    if rotation != DQuat::IDENTITY {
        fields["rotation"] = json!(rotation.to_array());
    }
    fields
}

fn task_json(scene: &TaskScene, named: &NamedTask, ground: &[[f64; 3]]) -> Value {
    let frame = |frame| frame_json(&scene.skeleton, frame);
    let mut task = match &named.task.kind {
        TaskKind::Pose(pose) => json!({
            "task": "pose", "frame": frame(pose.frame),
            "target": pose.world_from_target.translation.to_array(),
            "orientation": pose.world_from_target.rotation.to_array(),
        }),
        TaskKind::Position(position) => json!({
            "task": "position", "frame": frame(position.frame),
            "target": position.target_in_world.to_array(),
        }),
        TaskKind::AxisAlignment(align) => json!({
            "task": "axis-alignment", "frame": frame(align.frame),
            "axis": align.axis_in_frame.to_array(),
            "direction": align.direction_in_world.to_array(),
        }),
        TaskKind::LookAt(look) => json!({
            "task": "look-at", "frame": frame(look.frame),
            "axis": look.axis_in_frame.to_array(), "target": look.target_in_world.to_array(),
        }),
        TaskKind::Support(_) => json!({ "task": "support", "corners": ground, "margin": 0.02 }),
        other => panic!("the figure has no such task: {other:?}"),
    };
    task["name"] = json!(named.words);
    task
}

fn lines(text: &mut String, name: &str, [open, close]: [char; 2], items: &[String]) {
    let _ = write!(text, "  {}: {open}\n    {}\n  {close}", json!(name), items.join(",\n    "));
}

/// The file: one line for each joint, value, task and part.
fn file() -> String {
    let scene = standing_figure().unwrap();
    let stance = Stance::try_new().unwrap();
    let Stance { figure, holding, .. } = &stance;
    let skeleton = &scene.skeleton;
    let ground: Vec<[f64; 3]> =
        figure.ground_contact(holding).iter().map(|corner| corner.to_array()).collect();
    let joints = 0..skeleton.n_joints();
    let named = |joint: usize, value: Value| format!("{}: {value}", json!(skeleton.name(joint)));
    let start = |joint: usize| match &holding[skeleton.value_range(joint)] {
        [value] => json!(value),
        values => json!(values),
    };
    let bodies = figure.bodies.iter().map(|body| {
        let center = body.center_in_joint.to_array();
        json!({ "joint": skeleton.name(body.joint), "center": center, "mass": body.mass })
    });
    let parts = scene.parts.iter().map(|part| {
        let ends = part.ends.map(|end| end.to_array());
        json!({ "joint": skeleton.name(part.joint), "ends": ends, "radii": part.radii })
    });
    let plates = scene.plates.iter().map(|plate| {
        json!({ "corners": plate.corners.iter().map(|corner| corner.to_array()).collect::<Vec<_>>() })
    });
    let rods = scene
        .rods
        .iter()
        .map(|(ends, radius)| json!({ "ends": ends.map(|end| end.to_array()), "radius": radius }));
    let text = |values: &mut dyn Iterator<Item = Value>| -> Vec<String> {
        values.map(|value| value.to_string()).collect()
    };
    let list = ['[', ']'];
    let object = ['{', '}'];
    let sections: [(&str, [char; 2], Vec<String>); 8] = [
        ("joints", list, text(&mut joints.clone().map(|joint| joint_json(skeleton, joint)))),
        ("bodies", list, text(&mut bodies.into_iter())),
        ("start", object, joints.clone().map(|joint| named(joint, start(joint))).collect()),
        (
            "stiffness",
            object,
            joints.map(|joint| named(joint, json!(scene.stiffness[joint]))).collect(),
        ),
        (
            "tasks",
            list,
            text(&mut scene.named_tasks.iter().map(|named| task_json(&scene, named, &ground))),
        ),
        ("parts", list, text(&mut parts.into_iter())),
        ("plates", list, text(&mut plates.into_iter())),
        ("rods", list, text(&mut rods.into_iter())),
    ];
    let mut all = String::from("{\n");
    for (index, (name, brackets, items)) in sections.iter().enumerate() {
        if index > 0 {
            all.push_str(",\n");
        }
        lines(&mut all, name, *brackets, items);
    }
    all.push_str("\n}\n");
    all
}

#[test]
fn the_studio_has_the_standing_figure_of_the_demo() {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studio/src/core/scenes/figure.json");
    let text = file();
    if std::env::var_os("POSEKIT_BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == text,
        "studio/src/core/scenes/figure.json is out of date: see the top of this file"
    );
}
