//! The example of docs/collisions.md, compiled and run.
#![allow(clippy::missing_assert_message, reason = "the page's code is as users write it")]

use std::fs;
use std::path::Path;

use posekit::glam::DVec3;
use posekit::math::Pose;
use posekit::solve::{Method, Settings, solve};
use posekit::task::{Position, Task};
use posekit_collision::{CollisionModel, CollisionOptions, Query, Solid};
use posekit_io::robot::Geometry;
use posekit_io::{Warnings, urdf};

#[rustfmt::skip]
fn example() -> Result<(), Box<dyn std::error::Error>> {
// Page: begin
let text = r#"<robot name="arm">
  <link name="base"> <collision> <geometry> <sphere radius="0.2"/> </geometry> </collision> </link>
  <link name="upper"/>
  <link name="lower"> <collision> <origin xyz="0.25 0 0" rpy="0 1.5707963 0"/> <geometry> <capsule radius="0.05" length="0.4"/> </geometry> </collision> </link>
  <joint name="shoulder" type="continuous"> <parent link="base"/> <child link="upper"/> <axis xyz="0 0 1"/> </joint>
  <joint name="elbow" type="continuous"> <parent link="upper"/> <child link="lower"/> <origin xyz="0.5 0 0"/> <axis xyz="0 0 1"/> </joint>
</robot>"#;
let mut warnings = Warnings::new();
let robot = urdf::read(text, &mut warnings)?;
let model = CollisionModel::from_robot(&robot, &CollisionOptions::default(), &mut warnings)?;
let post = Solid::new(&Geometry::Cylinder { radius: 0.05, half_length: 0.5 })?;
let model = model.with_obstacle("post", Pose::from_translation(DVec3::new(0.0, 0.6, 0.0)), post)?;

// Any pose can be checked: here the lower arm is on the post.
let mut query = Query::default();
let on_the_post = [1.6, 0.2];
let contacts = model.check(&on_the_post, 0.0, &mut query)?;
assert_eq!(model.names(contacts[0].pair), ["lower", "post"]);
assert!(contacts[0].distance < 0.0);

// The target of the tip is behind the post; a gap of two centimetres has priority.
let margin = 0.02;
let mut tip = robot.frame("lower").expect("the file has it");
tip.joint_from_frame.translation.x = 0.5;
let mut tasks = model.clearances(margin)?;
tasks.push(Task::new(Position::new(tip, DVec3::new(0.0, 0.62, 0.0))).at_level(2));
let start = [0.3, 0.5];
let solution = solve(robot.skeleton(), &start, &tasks, Method::Auto, &Settings::default())?;

// The tip comes as close as the gap allows; `holding` names the pair in the way.
let held = model.holding(&solution, margin, &mut query)?;
assert_eq!(model.names(held[0].pair), ["lower", "post"]);
assert!(model.check(&solution.configuration, margin - 1e-5, &mut query)?.is_empty());
// Page: end
Ok(())
}

#[test]
fn the_example_of_the_page_works() {
    example().expect("it works");
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/collisions.md");
    let page = fs::read_to_string(page).expect("the page").replace('\r', "");
    let source = include_str!("page.rs").replace('\r', "");
    let between = |text: &str, begin: &str, end: &str| {
        let (_, rest) = text.split_once(begin).expect("it begins");
        rest.split_once(end).expect("it ends").0.trim_matches('\n').to_owned()
    };
    let here = between(&source, "// Page: begin\n", "// Page: end");
    assert_eq!(between(&page, "```rust\n", "```"), here, "the page shows the code that runs");
}
