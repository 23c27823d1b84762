//! SRDF: groups, end effectors, states, virtual and passive joints, disabled pairs; and faults with their place.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use std::fmt::Write as _;

use posekit_io::robot::RobotJointKind;
use posekit_io::{Error, Limits, Robot, Warnings, srdf, urdf};

use crate::common;

/// A base, two arms of two links each, and a tool on the left one.
const ROBOT: &str = r#"<robot name="r"><link name="base"/>
  <link name="l1"/><link name="l2"/><link name="tool"/><link name="r1"/><link name="r2"/>
  <joint name="jl1" type="continuous"><parent link="base"/><child link="l1"/></joint>
  <joint name="jl2" type="revolute"><parent link="l1"/><child link="l2"/><limit lower="-1" upper="1"/></joint>
  <joint name="jt" type="fixed"><parent link="l2"/><child link="tool"/></joint>
  <joint name="jr1" type="planar"><parent link="base"/><child link="r1"/></joint>
  <joint name="jr2" type="floating"><parent link="r1"/><child link="r2"/></joint></robot>"#;

fn robot() -> Robot {
    urdf::read(ROBOT, &mut Warnings::new()).unwrap()
}

fn merge(inside: &str) -> Result<(Robot, Vec<String>), Error> {
    let mut warnings = Warnings::new();
    let text = format!("<robot name=\"r\">\n{inside}\n</robot>");
    let robot = srdf::merge(&robot(), &text, &mut warnings)?;
    Ok((robot, warnings.iter().map(ToString::to_string).collect()))
}

#[track_caller]
fn sound(inside: &str) -> Robot {
    let (robot, warnings) = merge(inside).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    robot
}

#[track_caller]
fn refused(inside: &str, parts: &[&str]) {
    let message = merge(inside).expect_err("the text must be refused").to_string();
    for part in parts {
        assert!(message.contains(part), "`{message}` does not contain `{part}`");
    }
}

/// The values of a joint of the skeleton.
fn values<'q>(robot: &Robot, q: &'q [f64], joint: &str) -> &'q [f64] {
    &q[robot.skeleton().value_range(robot.skeleton().find(joint).unwrap())]
}

/// Names of a group's joints and links.
fn members(robot: &Robot, group: &str) -> (Vec<String>, Vec<String>) {
    let group = robot.group(group).unwrap();
    let joints = group.joints.iter().map(|&joint| robot.joints()[joint].name.clone());
    let links = group.links.iter().map(|&link| robot.links()[link].name.clone());
    (joints.collect(), links.collect())
}

#[test]
fn groups_of_chains_joints_links_and_subgroups() {
    let robot = sound(
        "<group name=\"all\"><group name=\"both\"/><link name=\"r1\"/></group>
         <group name=\"left\"><chain base_link=\"base\" tip_link=\"tool\"/></group>
         <group name=\"hand\"><joint name=\"jt\"/></group>
         <group name=\"both\"><group name=\"left\"/><link name=\"r2\"/><link name=\"base\"/></group>
         <group name=\"across\"><chain base_link=\"l1\" tip_link=\"r1\"/></group>
         <group name=\"nothing\"/>",
    );
    let list = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    let left = (list(&["jl1", "jl2", "jt"]), list(&["l1", "l2", "tool"]));
    assert_eq!(members(&robot, "left"), left);
    assert_eq!(members(&robot, "hand"), (list(&["jt"]), list(&["tool"])));
    let both = (list(&["jl1", "jl2", "jt", "jr2"]), list(&["base", "l1", "l2", "tool", "r2"]));
    assert_eq!(members(&robot, "both"), both);
    assert_eq!(members(&robot, "all").0, list(&["jl1", "jl2", "jt", "jr1", "jr2"]));
    assert_eq!(members(&robot, "across").0, list(&["jl1", "jr1"]), "up and down again");
    assert_eq!(members(&robot, "nothing"), (vec![], vec![]));
    let link = |name: &str| robot.find_link(name).unwrap();
    assert_eq!(robot.group("both").unwrap().chains, [[link("base"), link("tool")]]);
    // Unchanged beside that.
    assert_eq!(robot.skeleton(), self::robot().skeleton());
}

#[test]
fn states_and_end_effectors() {
    let robot = sound(
        "<virtual_joint name=\"fixed_base\" type=\"fixed\" parent_frame=\"world\" child_link=\"base\"/>
         <group name=\"left\"><joint name=\"fixed_base\"/><joint name=\"jl1\"/><joint name=\"jl2\"/></group>
         <group name=\"right\"><joint name=\"jr1\"/><joint name=\"jr2\"/></group>
         <group name=\"hand\"><joint name=\"jt\"/></group>
         <group_state name=\"home\" group=\"left\"><joint name=\"jl2\" value=\"0.5\"/><joint name=\"jl1\" value=\" 4 \"/></group_state>
         <group_state name=\"home\" group=\"right\"><joint name=\"jr1\" value=\"1 2 3\"/><joint name=\"jr2\" value=\"4 5 6 0 0 1 0\"/></group_state>
         <end_effector name=\"gripper\" group=\"hand\" parent_link=\"l2\" parent_group=\"left\"/>
         <end_effector name=\"bare\" group=\"hand\" parent_link=\"l2\" parent_group=\"\"/>
         <passive_joint name=\"jl1\"/>",
    );
    let mut q = robot.skeleton().neutral();
    robot.apply_state(robot.state(Some("right"), "home").unwrap(), &mut q);
    assert_eq!(values(&robot, &q, "jl2"), [0.0]);
    let planar = ["jr1/x", "jr1/y", "jr1/turn"].map(|name| values(&robot, &q, name)[0]);
    assert_eq!(planar, [1.0, 2.0, 3.0]);
    assert_eq!(values(&robot, &q, "jr2"), [4.0, 5.0, 6.0, 0.0, 0.0, 1.0, 0.0]);
    robot.apply_state(robot.state(None, "home").unwrap(), &mut q);
    assert_eq!(["jl1", "jl2", "jr1/x"].map(|name| values(&robot, &q, name)[0]), [4.0, 0.5, 1.0]);
    assert!(robot.state(Some("hand"), "home").is_none());
    let [gripper, bare] = robot.end_effectors() else { panic!("{:?}", robot.end_effectors()) };
    assert_eq!(robot.groups()[gripper.group].name, "hand");
    assert_eq!(robot.links()[gripper.parent_link].name, "l2");
    assert_eq!((gripper.parent_group, bare.parent_group), (Some(0), None));
    let passive: Vec<&str> = robot
        .joints()
        .iter()
        .filter(|joint| joint.is_passive)
        .map(|joint| joint.name.as_str())
        .collect();
    assert_eq!(passive, ["jl1"]);
    let [base] = robot.virtual_joints() else { panic!("{:?}", robot.virtual_joints()) };
    assert_eq!((base.kind, base.parent_frame.as_str()), (RobotJointKind::Fixed, "world"));
    // A floating robot keeps them.
    assert_eq!(robot.with_free_root().unwrap().states(), robot.states());
}

#[test]
fn disabled_pairs_are_listed_once_and_enabled_ones_not() {
    let pair = |tag: &str, a: &str, b: &str, reason: &str| {
        format!("<{tag} link1=\"{a}\" link2=\"{b}\" reason=\"{reason}\"/>")
    };
    let robot = sound(
        &[
            pair("disable_collisions", "l1", "base", "Adjacent"),
            pair("disable_collisions", "base", "l1", "Never"),
            pair("disable_collisions", "l2", "r2", "Default"),
            "<disable_default_collisions link=\"tool\"/>".into(),
            pair("enable_collisions", "r2", "l2", ""),
            pair("enable_collisions", "tool", "r1", ""),
        ]
        .concat(),
    );
    let name = |link: usize| robot.links()[link].name.as_str();
    let pairs: Vec<String> = robot
        .disabled_pairs()
        .iter()
        .map(|pair| format!("{} {} {}", name(pair.links[0]), name(pair.links[1]), pair.reason))
        .collect();
    let by_default = |link: &str| format!("tool {link} disabled by default");
    let expected = [
        "l1 base Adjacent".to_owned(),
        by_default("base"),
        by_default("l1"),
        by_default("l2"),
        by_default("r2"),
    ];
    assert_eq!(pairs, expected);
}

#[test]
fn unknown_names_are_refused_with_their_line() {
    let group = "<group name=\"g\"><joint name=\"jl1\"/></group>\n";
    for (inside, parts) in [
        (
            "<group name=\"g\"><link name=\"no\"/></group>",
            ["group `g`, line 2, column 17", "no link `no`"],
        ),
        (
            "<group name=\"g\">\n<joint name=\"no\"/></group>",
            ["group `g`, line 3", "no joint `no`"],
        ),
        ("<group name=\"g\"><group name=\"no\"/></group>", ["group `g`, line 2", "no group `no`"]),
        (
            "<group name=\"g\"><chain base_link=\"base\" tip_link=\"no\"/></group>",
            ["group `g`", "no link `no`"],
        ),
        ("<group_state name=\"s\" group=\"no\"/>", ["state `s`, line 2", "no group `no`"]),
        (
            "<end_effector name=\"e\" group=\"no\" parent_link=\"l2\"/>",
            ["end effector `e`, line 2", "no group `no`"],
        ),
        ("<passive_joint name=\"no\"/>", ["<passive_joint>, line 2", "no joint `no`"]),
        (
            "<disable_collisions link1=\"no\" link2=\"l1\"/>",
            ["<disable_collisions>, line 2", "no link `no`"],
        ),
        (
            "<enable_collisions link1=\"l1\" link2=\"no\"/>",
            ["<enable_collisions>, line 2", "no link `no`"],
        ),
        (
            "<disable_default_collisions link=\"no\"/>",
            ["<disable_default_collisions>, line 2", "no link `no`"],
        ),
        (
            "<virtual_joint name=\"v\" type=\"fixed\" parent_frame=\"w\" child_link=\"no\"/>",
            ["virtual joint `v`, line 2", "no link `no`"],
        ),
    ] {
        refused(inside, &parts);
    }
    let state = format!(
        "{group}<group_state name=\"s\" group=\"g\"><joint name=\"no\" value=\"1\"/></group_state>"
    );
    refused(&state, &["state `s`, line 3", "no joint `no`"]);
    let effector = format!("{group}<end_effector name=\"e\" group=\"g\" parent_link=\"no\"/>");
    refused(&effector, &["end effector `e`, line 3", "no link `no`"]);
    let parent = format!(
        "{group}<end_effector name=\"e\" group=\"g\" parent_link=\"l1\" parent_group=\"no\"/>"
    );
    refused(&parent, &["end effector `e`, line 3", "no group `no`"]);
}

#[test]
fn other_faults_are_refused_with_their_line() {
    for (inside, parts) in [
        ("<group/>", ["`group/@name` is missing", "line 2"]),
        (
            "<group name=\"g\"><chain base_link=\"base\"/></group>",
            ["`chain/@tip_link` is missing", "group `g`"],
        ),
        (
            "<group name=\"g\"/><group name=\"g\"/>",
            ["a second group of this name", "first at line 2"],
        ),
        (
            "<group name=\"g\"><group name=\"h\"/></group><group name=\"h\"><group name=\"g\"/></group>",
            ["group `g`", "includes itself"],
        ),
        ("<group name=\"g\"><group name=\"g\"/></group>", ["group `g`", "includes itself"]),
        (
            "<virtual_joint name=\"v\" type=\"ball\" parent_frame=\"w\" child_link=\"base\"/>",
            ["unknown type `ball`", "floating"],
        ),
        (
            "<disable_collisions link1=\"l1\"/>",
            ["`disable_collisions/@link2` is missing", "line 2"],
        ),
        ("<group name=\"${g}\"/>", ["xacro", "line 2"]),
    ] {
        refused(inside, &parts);
    }
    for (value, part) in [
        ("", "expected numbers in `value`"),
        ("x", "`x` is not a number"),
        ("nan", "not a finite number"),
        ("1 2", "has 1 values, found 2"),
    ] {
        let inside = format!(
            "<group name=\"g\"/><group_state name=\"s\" group=\"g\"><joint name=\"jl1\" value=\"{value}\"/></group_state>"
        );
        refused(&inside, &["state `s`, line 2", part]);
    }
    let turned = "<group name=\"g\"/><group_state name=\"s\" group=\"g\"><joint name=\"jr2\" value=\"0 0 0 0 0 0 2\"/></group_state>";
    refused(turned, &["state `s`", "length 2, not 1"]);
    let other = srdf::merge(&robot(), "<sdf/>", &mut Warnings::new()).unwrap_err().to_string();
    assert!(other.contains("an SRDF begins with <robot>"), "{other}");
}

#[test]
fn what_can_be_lived_with_is_a_warning() {
    let (robot, warnings) = merge(
        "<virtual_joint name=\"v\" type=\"planar\" parent_frame=\"w\" child_link=\"base\"/>
         <group name=\"g\"><joint name=\"jl2\"/></group>
         <group_state name=\"s\" group=\"g\"><joint name=\"jl2\" value=\"2\"/><joint name=\"v\" value=\"0 0 0\"/><joint name=\"jt\" value=\"0\"/></group_state>
         <link_sphere_approximation link=\"l1\"><sphere center=\"0 0 0\" radius=\"1\"/></link_sphere_approximation>",
    )
    .unwrap();
    for (warning, part) in warnings.iter().zip([
        "<link_sphere_approximation>",
        "state `s`, line 4, column 42: `jl2` = 2 is outside its limit -1 to 1",
        "the value of a virtual joint is ignored",
        "the joint `jt` does not move",
    ]) {
        assert!(warning.contains(part), "`{warning}` does not contain `{part}`");
    }
    assert_eq!(warnings.len(), 4, "{warnings:?}");
    assert_eq!(robot.states()[0].values.len(), 1);
    let mut other = Warnings::new();
    srdf::merge(&self::robot(), "<robot name=\"someone\"/>", &mut other).unwrap();
    assert!(other.as_slice()[0].message.contains("`someone`"), "{other:?}");
}

#[test]
fn groups_that_multiply_are_capped() {
    let mut inside =
        String::from("<group name=\"g0\"><chain base_link=\"base\" tip_link=\"l2\"/></group>");
    for k in 1..2000 {
        write!(inside, "<group name=\"g{k}\"><group name=\"g{}\"/></group>", k - 1).unwrap();
    }
    let text = format!("<robot name=\"r\">{inside}</robot>");
    let merge = |limits: &Limits| srdf::merge_with(&robot(), &text, limits, &mut Warnings::new());
    let deep = merge(&Limits::default()).unwrap();
    assert_eq!(members(&deep, "g1999").0, ["jl1", "jl2"]);
    let few = merge(&Limits::default().with_joints(100));
    assert!(matches!(few, Err(Error::TooLarge { field: "joints", .. })), "{few:?}");
}

#[test]
fn cut_and_changed_texts_never_panic() {
    let text = "<robot name=\"r\"><group name=\"g\"><chain base_link=\"base\" tip_link=\"l2\"/></group>\
        <group_state name=\"s\" group=\"g\"><joint name=\"jl2\" value=\"0.5\"/></group_state>\
        <end_effector name=\"e\" group=\"g\" parent_link=\"l2\"/><disable_collisions link1=\"l1\" link2=\"l2\" reason=\"x\"/></robot>";
    let robot = robot();
    let mut sound = 0;
    for at in 0..text.len() {
        let _ = srdf::merge(&robot, &text[..at], &mut Warnings::new());
        for with in ["", "<", "\"", "9", "l", " "] {
            let changed = [&text[..at], with, &text[at + 1..]].concat();
            sound += usize::from(srdf::merge(&robot, &changed, &mut Warnings::new()).is_ok());
        }
    }
    assert!(sound > 100, "{sound}");
}

/// What `MoveIt` ships for a Panda, in small.
const PANDA: &str = r#"<robot name="panda">
  <group name="panda_arm"><chain base_link="panda_link0" tip_link="panda_link8"/></group>
  <group name="hand"><link name="panda_hand"/><link name="panda_leftfinger"/><link name="panda_rightfinger"/></group>
  <group name="panda_arm_hand"><group name="panda_arm"/><group name="hand"/></group>
  <group_state name="ready" group="panda_arm">
    <joint name="panda_joint1" value="0"/><joint name="panda_joint2" value="-0.785"/>
    <joint name="panda_joint3" value="0"/><joint name="panda_joint4" value="-2.356"/>
    <joint name="panda_joint5" value="0"/><joint name="panda_joint6" value="1.571"/>
    <joint name="panda_joint7" value="0.785"/></group_state>
  <end_effector name="hand" parent_link="panda_link8" group="hand" parent_group="panda_arm"/>
  <virtual_joint name="virtual_joint" type="floating" parent_frame="world" child_link="panda_link0"/>
  <disable_collisions link1="panda_link5" link2="panda_link7" reason="Default"/>
</robot>"#;

const UR5E: &str = r#"<robot name="ur5e_robot">
  <group name="manipulator"><chain base_link="base_link" tip_link="tool0"/></group>
  <group_state name="up" group="manipulator"><joint name="shoulder_lift_joint" value="-1.5707"/></group_state>
</robot>"#;

#[test]
fn real_arms_take_their_groups() {
    let Some(assets) = common::assets() else { return };
    let read = |name: &str, text: &str| {
        let mut warnings = Warnings::new();
        let path = assets.join(name);
        let robot = urdf::read_file(&path, &Limits::default(), &mut Warnings::new()).unwrap();
        let text = text.replace("ur5e_robot", robot.name());
        let merged = srdf::merge(&robot, &text, &mut warnings).unwrap();
        assert!(warnings.is_empty(), "{name}: {warnings:?}");
        merged
    };
    let panda = read("mesh_robots/panda_description/urdf/panda.urdf", PANDA);
    assert_eq!(panda.group("panda_arm").unwrap().joints.len(), 8);
    assert_eq!(panda.group("panda_arm_hand").unwrap().joints.len(), 11);
    let mut q = panda.skeleton().neutral();
    panda.apply_state(panda.state(Some("panda_arm"), "ready").unwrap(), &mut q);
    assert_eq!(q[..7], [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785]);
    let ur5e = read("urdf/ur5e.urdf", UR5E);
    let moving = |joint: &&usize| ur5e.joints()[**joint].kind == RobotJointKind::Revolute;
    assert_eq!(ur5e.group("manipulator").unwrap().joints.iter().filter(moving).count(), 6);
}

#[test]
fn the_example_of_the_page_is_merged() {
    let Some(assets) = common::assets() else { return };
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/files.md");
    let page = std::fs::read_to_string(page).unwrap();
    let text = page.split("```xml\n").nth(1).unwrap().split("```").next().unwrap();
    let path = assets.join("mesh_robots/panda_description/urdf/panda.urdf");
    let robot = urdf::read_file(&path, &Limits::default(), &mut Warnings::new()).unwrap();
    let mut warnings = Warnings::new();
    let robot = srdf::merge(&robot, text, &mut warnings).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!((robot.groups().len(), robot.disabled_pairs().len()), (2, 1));
}
