//! What the MJCF reader makes of sound models: orientations, joints, classes, replicas, attached models, masses, shapes, states and loops. `cargo xtask mjcf`
//! compares the same files with MuJoCo itself.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a helper of a test may fail and speak as a test does"
)]

use crate::common;

use std::f64::consts::{FRAC_PI_2, PI, SQRT_2};
use std::path::{Path, PathBuf};

use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;
use posekit::skeleton::{JointKind, Limit};
use posekit::task::Task;
use posekit_io::robot::{Geometry, Robot, RobotJointKind};
use posekit_io::{Error, Limits, Warnings, mjcf};

fn read_with_warnings(text: &str) -> (Robot, Warnings) {
    let mut warnings = Warnings::new();
    let robot = mjcf::read(text, &mut warnings).unwrap();
    (robot, warnings)
}

/// A robot whose text is worth no warning.
#[track_caller]
fn read(text: &str) -> Robot {
    let (robot, warnings) = read_with_warnings(text);
    assert!(warnings.is_empty(), "{warnings:?}");
    robot
}

fn world(inside: &str) -> String {
    format!("<mujoco><worldbody>{inside}</worldbody></mujoco>")
}

/// The configuration in which the file draws the model.
fn drawn(robot: &Robot) -> Vec<f64> {
    let mut q = robot.zero_configuration();
    robot.apply_state(robot.state(None, "qpos0").unwrap(), &mut q);
    q
}

fn pose(robot: &Robot, frame: &str, q: &[f64]) -> Pose {
    robot.frame(frame).unwrap().world(&robot.skeleton().poses(q))
}

#[track_caller]
fn assert_near(found: DVec3, expected: [f64; 3]) {
    let expected = DVec3::from_array(expected);
    assert!((found - expected).length() < 1e-12, "{found} is not {expected}");
}

/// The directions of the x and y axes of a site with this orientation.
fn axes(compiler: &str, orientation: &str) -> [DVec3; 2] {
    let text =
        format!("<mujoco>{compiler}<worldbody><site name='s' {orientation}/></worldbody></mujoco>");
    let rotation = pose(&read(&text), "s", &[]).rotation;
    [rotation * DVec3::X, rotation * DVec3::Y]
}

#[test]
fn every_notation_of_an_orientation() {
    let check = |compiler: &str, orientation: &str, x: [f64; 3], y: [f64; 3]| {
        let [found_x, found_y] = axes(compiler, orientation);
        assert_near(found_x, x);
        assert_near(found_y, y);
    };
    let (x, y, z) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]);
    let minus = |v: [f64; 3]| v.map(|number| -number);
    check("", "", x, y);
    // Quaternions are w, x, y, z, of any length.
    check("", "quat='3 0 0 3'", y, minus(x));
    check("", "axisangle='0 0 5 90'", y, minus(x));
    check("<compiler angle='radian'/>", "axisangle='0 0 5 1.5707963267948966'", y, minus(x));
    check("", "xyaxes='0 2 0 -1 7 0'", y, minus(x));
    check("", "zaxis='9 0 0'", minus(z), y);
    // Half a turn about x where z points down.
    check("", "zaxis='0 0 -1'", x, minus(y));
    check("", "zaxis='0 0 1'", x, y);
    // About x, then about the new z: x goes to the old z direction's y.
    check("", "euler='90 0 90'", z, minus(x));
    check("<compiler eulerseq='xyz'/>", "euler='90 0 90'", z, minus(x));
    // The same angles about axes that stay: about x, then about the old z.
    check("<compiler eulerseq='XYZ'/>", "euler='90 0 90'", y, z);
    check("<compiler eulerseq='zyx'/>", "euler='90 0 90'", y, z);
    check("<compiler eulerseq='xyZ'/>", "euler='90 0 90'", y, z);
}

#[test]
fn a_segment_gives_position_orientation_and_length() {
    let robot = read(&world(
        "<body name='b'><geom name='g' type='capsule' size='0.1' fromto='1 0 0 1 0 4'/>\
         <geom type='box' size='0.1' fromto='0 0 0 2 0 0'/></body>\
         <site name='s' type='cylinder' size='1' fromto='0 0 0 0 2 0'/>",
    ));
    assert_eq!(robot.shapes()[0].geometry, Geometry::Capsule { radius: 0.1, half_length: 2.0 });
    assert_near(robot.shapes()[0].link_from_shape.translation, [1.0, 0.0, 2.0]);
    let half_extents = DVec3::new(0.1, 0.1, 1.0);
    assert_eq!(robot.shapes()[1].geometry, Geometry::Box { half_extents });
    // The z axis points from the second point to the first.
    assert_near(pose(&robot, "s", &[]).rotation * DVec3::Z, [0.0, -1.0, 0.0]);
    assert_near(pose(&robot, "s", &[]).translation, [0.0, 1.0, 0.0]);
}

#[test]
fn a_hinge_turns_about_its_anchor_and_leaves_the_body_at_its_reference() {
    let robot = read(&world(
        "<body name='b' pos='1 0 0'><joint name='j' pos='0 1 0' axis='0 0 2' ref='90'/><geom size='1'/>\
         <site name='s' pos='1 0 0'/></body>",
    ));
    assert_eq!(drawn(&robot), [FRAC_PI_2]);
    assert_near(pose(&robot, "b", &[FRAC_PI_2]).translation, [1.0, 0.0, 0.0]);
    // At 0 the body is turned back by a quarter about (1, 1).
    let at_zero = pose(&robot, "b", &[0.0]);
    assert_near(at_zero.translation, [0.0, 1.0, 0.0]);
    assert_near(at_zero.rotation * DVec3::X, [0.0, -1.0, 0.0]);
    assert_near(pose(&robot, "s", &[0.0]).translation, [0.0, 0.0, 0.0]);
    // The anchor is not the body's origin: the link has a joint of its own, with its name.
    assert_eq!(robot.skeleton().name(robot.links()[1].skeleton_joint), "b");
}

#[test]
fn a_slide_starts_at_its_reference_and_has_no_anchor() {
    let robot = read(&world(
        "<body name='b' pos='0 0 1'><joint name='j' type='slide' pos='5 5 5' axis='0 0 3' ref='0.5' range='0 90'/>\
         <geom size='1'/></body>",
    ));
    assert_near(pose(&robot, "b", &[0.5]).translation, [0.0, 0.0, 1.0]);
    assert_near(pose(&robot, "b", &[2.0]).translation, [0.0, 0.0, 2.5]);
    // A distance is no angle.
    assert_eq!(robot.skeleton().limit(1), Limit::Range { min: 0.0, max: 90.0 });
    assert_eq!(robot.links()[1].skeleton_joint, 1);
    assert_eq!(robot.joints()[0].kind, RobotJointKind::Prismatic);
}

#[test]
fn the_joints_of_a_body_move_it_one_after_the_other() {
    let robot = read(&world(
        "<body name='b'><joint name='x' type='slide' axis='1 0 0'/><joint name='turn'/>\
         <joint name='y' type='slide' axis='0 1 0'/><geom size='1'/></body>",
    ));
    let found = pose(&robot, "b", &[1.0, FRAC_PI_2, 2.0]);
    // The second slide is along the axis that the turn has moved.
    assert_near(found.translation, [-1.0, 0.0, 0.0]);
    assert_near(found.rotation * DVec3::X, [0.0, 1.0, 0.0]);
    let links: Vec<_> =
        robot.joints().iter().map(|joint| (joint.parent_link, joint.child_link)).collect();
    assert_eq!(links, [(0, 1); 3]);
}

#[test]
fn a_free_body_has_its_pose_in_the_world_as_its_values() {
    let robot = read(&world(
        "<frame pos='0 0 1'><body name='b' pos='1 2 3' euler='0 0 90'><freejoint name='root'/><geom size='1'/></body></frame>",
    ));
    let q = drawn(&robot);
    assert_near(DVec3::from_slice(&q), [1.0, 2.0, 4.0]);
    assert_eq!(robot.joints()[0].kind, RobotJointKind::Floating);
    assert_near(pose(&robot, "b", &q).rotation * DVec3::X, [0.0, 1.0, 0.0]);
    let qpos = mjcf::qpos_from_configuration(robot.skeleton(), &q).unwrap();
    let half = SQRT_2 / 2.0;
    for (found, expected) in qpos.iter().zip([1.0, 2.0, 4.0, half, 0.0, 0.0, half]) {
        assert!((found - expected).abs() < 1e-15, "{qpos:?}");
    }
    assert_eq!(mjcf::configuration_from_qpos(robot.skeleton(), &qpos).unwrap(), q);
}

#[test]
fn quaternions_are_reordered_and_normalised() {
    let robot =
        read(&world("<body><joint type='ball' name='b'/><joint name='h'/><geom size='1'/></body>"));
    let skeleton = robot.skeleton();
    let q = mjcf::configuration_from_qpos(skeleton, &[0.0, 2.0, 0.0, 0.0, 0.7]).unwrap();
    assert_eq!(q, [1.0, 0.0, 0.0, 0.0, 0.7]);
    let q = mjcf::configuration_from_qpos(skeleton, &[0.0, 0.0, 0.0, 0.0, 0.7]).unwrap();
    assert_eq!(q, [0.0, 0.0, 0.0, 1.0, 0.7]);
    assert_eq!(mjcf::configuration_from_qpos(skeleton, &[0.0; 4]), None);
    assert_eq!(mjcf::qpos_from_configuration(skeleton, &[0.0; 6]), None);
}

#[test]
fn a_balls_range_is_a_cone_with_a_warning() {
    let (robot, warnings) = read_with_warnings(&world(
        "<body><joint name='b' type='ball' range='0 60'/><geom size='1'/></body>",
    ));
    let angle = PI / 3.0;
    let Limit::Cone { swing, twist: [min, max], .. } = robot.skeleton().limit(1) else {
        panic!("a ball's limit is a cone");
    };
    assert!((swing - angle).abs() < 1e-15 && max == swing && min == -swing);
    assert_eq!(warnings.len(), 1);
    assert!(warnings.as_slice()[0].message.contains("the whole rotation"), "{warnings:?}");
    // Every rotation is within half a turn.
    let robot = read(&world("<body><joint type='ball' range='0 180'/><geom size='1'/></body>"));
    assert_eq!(robot.skeleton().limit(1), Limit::None);
    assert_eq!(robot.joints()[0].kind, RobotJointKind::Ball);
}

#[test]
fn a_joint_is_limited_as_its_words_and_its_range_say() {
    let limited = |compiler: &str, joint: &str| {
        let text = format!(
            "<mujoco>{compiler}<worldbody><body><joint {joint}/><geom size='1'/></body></worldbody></mujoco>"
        );
        let robot = read(&text);
        assert_eq!(
            robot.joints()[0].kind == RobotJointKind::Revolute,
            robot.skeleton().limit(1) != Limit::None
        );
        robot.skeleton().limit(1) != Limit::None
    };
    assert!(limited("", "range='-1 1'"));
    assert!(limited("", "range='-1 1' limited='auto'"));
    assert!(!limited("", "range='-1 1' limited='false'"));
    assert!(!limited("", "range='0 0'"));
    assert!(!limited("", ""));
    assert!(limited("<compiler autolimits='false'/>", "range='-1 1' limited='true'"));
    assert!(!limited("<compiler autolimits='false'/>", "range='-1 1' limited='false'"));
    let (robot, warnings) =
        read_with_warnings(&world("<body><joint range='2 1'/><geom size='1'/></body>"));
    assert_eq!(robot.skeleton().limit(1), Limit::None);
    assert!(warnings.as_slice()[0].message.contains("not ascending"), "{warnings:?}");
}

#[test]
fn angles_are_degrees_unless_the_model_says_radians_wherever_it_says_so() {
    let joint =
        "<worldbody><body><joint range='-90 90' ref='90'/><geom size='1'/></body></worldbody>";
    let robot = read(&format!("<mujoco>{joint}</mujoco>"));
    assert_eq!(robot.skeleton().limit(1), Limit::Range { min: -FRAC_PI_2, max: FRAC_PI_2 });
    assert_eq!(drawn(&robot), [FRAC_PI_2]);
    let robot = read(&format!("<mujoco>{joint}<compiler angle='radian'/></mujoco>"));
    assert_eq!(robot.skeleton().limit(1), Limit::Range { min: -90.0, max: 90.0 });
    assert_eq!(drawn(&robot), [90.0]);
}

fn testdata(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/mjcf").join(path)
}

fn read_file(path: &str) -> (Robot, Warnings) {
    let mut warnings = Warnings::new();
    let robot = mjcf::read_file(&testdata(path), &Limits::default(), &mut warnings).unwrap();
    (robot, warnings)
}

fn axis_of(robot: &Robot, joint: &str) -> DVec3 {
    let index = robot.skeleton().find(joint).unwrap();
    robot.skeleton().kind(index).axis().unwrap()
}

#[test]
fn classes_hold_where_they_are_named_and_below() {
    let (robot, warnings) = read_file("classes.xml");
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(axis_of(&robot, "of the body"), DVec3::X);
    assert_eq!(axis_of(&robot, "of main"), DVec3::Y);
    let kind = |name: &str| robot.skeleton().kind(robot.skeleton().find(name).unwrap());
    assert_eq!(kind("of its own class"), JointKind::Prismatic { axis: DVec3::X });
    assert_eq!(kind("inherited by bodies"), JointKind::Prismatic { axis: DVec3::X });
    let limit = |name: &str| robot.skeleton().limit(robot.skeleton().find(name).unwrap());
    assert_eq!(limit("of its own class"), Limit::None);
    assert_eq!(limit("inherited by bodies"), Limit::Range { min: 0.0, max: 2.0 });
    assert_eq!(limit("of main"), Limit::Range { min: -1.0, max: 1.0 });
    // One size replaces one size.
    let half_extents = DVec3::new(0.5, 0.2, 0.3);
    assert_eq!(robot.shapes()[0].geometry, Geometry::Box { half_extents });
    // An orientation replaces another, in whatever notation.
    let frame = |name: &str| {
        &robot.frames().iter().find(|frame| frame.name == name).unwrap().link_from_frame
    };
    assert_near(frame("replaced").rotation * DVec3::Z, [1.0, 0.0, 0.0]);
    assert_near(frame("of the frame").rotation * DVec3::Y, [0.0, -1.0, 0.0]);
    // What the main class gets in a later section does not reach classes that were made before.
    assert!((robot.links()[1].mass - 1000.0 * 8.0 * 0.5 * 0.2 * 0.3).abs() < 1e-12);
}

#[test]
fn replicas_have_numbers_and_are_referred_to_together() {
    let (robot, _) = read_file("replicas.xml");
    let names: Vec<&str> = robot.links().iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names[1..6], ["post-0", "arm0-0", "hand0-0", "arm1-0", "hand1-0"]);
    assert_eq!(robot.links().len(), 1 + 3 * 5);
    assert!(robot.frame("tile00").is_some() && robot.frame("tile11").is_some());
    // Each second joint follows the first of its own replica.
    let skeleton = robot.skeleton();
    for outer in 0..3 {
        for inner in 0..2 {
            let find = |name: &str| skeleton.find(&format!("{name}{inner}-{outer}")).unwrap();
            let mimic = skeleton.mimic(find("second")).unwrap();
            assert_eq!((mimic.joint, mimic.multiplier), (find("first"), -1.0));
        }
    }
    // And each post is excluded from the hands that it carries.
    assert_eq!(robot.disabled_pairs().len(), 6);
    for pair in robot.disabled_pairs() {
        let [post, hand] = pair.links.map(|link| names[link]);
        assert_eq!(post.strip_prefix("post"), hand.get(5..), "{post} {hand}");
    }
}

#[test]
fn attached_models_keep_their_own_settings_under_a_prefix() {
    let (robot, warnings) = read_file("attach/robot.xml");
    assert!(warnings.is_empty(), "{warnings:?}");
    let names: Vec<&str> = robot.links().iter().map(|link| link.name.as_str()).collect();
    assert_eq!(
        names[..6],
        ["world", "base", "left_upper", "left_lower", "left_hand_palm", "right_upper"]
    );
    // Radians and the class of the arm, degrees and the class of the robot.
    let limit = |name: &str| robot.skeleton().limit(robot.skeleton().find(name).unwrap());
    assert_eq!(limit("left_shoulder"), Limit::Range { min: -2.0, max: 2.0 });
    assert_eq!(axis_of(&robot, "left_elbow"), DVec3::Y);
    assert_eq!(axis_of(&robot, "turn"), DVec3::Z);
    // The arm's own equality, in each of the arms; and the robot's between them.
    let skeleton = robot.skeleton();
    let follows = |name: &str| skeleton.mimic(skeleton.find(name).unwrap()).unwrap();
    assert_eq!(follows("left_elbow").joint, skeleton.find("left_shoulder").unwrap());
    assert!((follows("left_elbow").multiplier - 0.5).abs() < 1e-15);
    // 0.1 + 0.5 (shoulder - 0.4).
    assert!((follows("left_elbow").offset + 0.1).abs() < 1e-15);
    assert_eq!(follows("right_shoulder").joint, skeleton.find("left_shoulder").unwrap());
    assert!(robot.frame("spare_hand_tool").is_some());
    assert!(robot.find_link("second_post").is_some());
}

#[test]
fn included_files_stand_where_they_are_included() {
    let (robot, warnings) = read_file("include/main.xml");
    assert!(warnings.is_empty(), "{warnings:?}");
    let names: Vec<&str> = robot.links().iter().map(|link| link.name.as_str()).collect();
    assert_eq!(names, ["world", "from the first file", "trunk", "limb", "tip"]);
    assert_eq!(
        robot.skeleton().limit(robot.skeleton().find("hip").unwrap()),
        Limit::Range { min: -1.5, max: 1.5 }
    );
    assert_near(pose(&robot, "end", &drawn(&robot)).translation, [0.0, 0.0, 0.35]);
}

#[test]
fn loops_are_data_whose_frames_coincide_where_the_file_draws_them() {
    let (robot, warnings) = read_file("loops.xml");
    assert_eq!(robot.closures().len(), 6);
    let said = |words: &str| warnings.iter().any(|warning| warning.message.contains(words));
    assert!(
        said("`Robot::closure_tasks`: loops (6 of them)") && said("not active"),
        "{warnings:?}"
    );
    let poses = robot.skeleton().poses(&drawn(&robot));
    let ends = |at: usize| {
        let closure = &robot.closures()[at];
        [0, 1].map(|end| {
            robot.link_frame(closure.links[end]).world(&poses) * closure.link_from_frame[end]
        })
    };
    assert_eq!(robot.closures()[0].name, "wrist pin");
    for at in [0, 1, 3] {
        let [a, b] = ends(at);
        assert!((a.translation - b.translation).length() < 1e-14, "{at}");
        if robot.closures()[at].is_rigid {
            assert!(a.rotation.dot(b.rotation).abs() > 1.0 - 1e-14, "{at}");
        }
    }
    // The tasks of the loops that are closed where they are drawn miss nothing there.
    for (at, task) in robot.closure_tasks().into_iter().enumerate() {
        let miss = Task::from(task).miss(robot.skeleton(), &drawn(&robot));
        assert_eq!(miss.distance < 1e-12, [0, 1, 3].contains(&at), "{at}: {miss:?}");
    }
    // The second is between the crank and the world; the third names sites, which are apart.
    assert_eq!(robot.closures()[1].links, [1, 0]);
    assert_near(robot.closures()[2].link_from_frame[0].translation, [0.5, 0.0, 0.0]);
    // The fifth says how the piston is on the crank.
    let [crank_from_piston, piston] = robot.closures()[4].link_from_frame;
    assert_near(crank_from_piston.translation, [0.1, 0.2, 0.3]);
    assert_eq!(
        (crank_from_piston.rotation, piston),
        (DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0), Pose::IDENTITY)
    );
}

#[test]
fn joints_follow_by_straight_lines_counted_from_their_references() {
    let text = |equality: &str| {
        format!(
            "<mujoco><compiler angle='radian'/><worldbody>\
             <body><joint name='a' ref='0.5'/><geom size='1'/></body>\
             <body><joint name='b' ref='2'/><geom size='1'/></body>\
             <body><joint name='c'/><geom size='1'/></body></worldbody>\
             <equality>{equality}</equality></mujoco>"
        )
    };
    let robot = read(&text("<joint joint1='a' joint2='b' polycoef='0.1 3'/>"));
    let mimic = robot.skeleton().mimic(1).unwrap();
    assert_eq!((mimic.joint, mimic.multiplier), (2, 3.0));
    assert!((mimic.value(2.0) - 0.6).abs() < 1e-15);
    let one_warning = |equality: &str, words: &str| {
        let (robot, warnings) = read_with_warnings(&text(equality));
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings.as_slice()[0].message.contains(words), "{warnings:?}");
        robot
    };
    let robot = one_warning("<joint joint1='a' polycoef='0.25'/>", "fixed at 0.75");
    assert_eq!(robot.skeleton().limit(1), Limit::Range { min: 0.75, max: 0.75 });
    let robot = one_warning("<joint joint1='a' joint2='b' polycoef='0 1 2'/>", "not linear");
    assert_eq!(robot.skeleton().mimic(1), None);
    let twice = "<joint joint1='a' joint2='b'/><joint joint1='a' joint2='c'/>";
    let robot = one_warning(twice, "follows another joint already");
    assert_eq!(robot.skeleton().mimic(1).unwrap().joint, 2);
    let circle = "<joint joint1='a' joint2='b'/><joint joint1='b' joint2='c'/><joint joint1='c' joint2='a'/>";
    let robot = one_warning(circle, "would follow itself");
    assert_eq!(robot.skeleton().mimic(3), None);
}

#[test]
fn a_follower_whose_limits_leave_its_driver_nothing_loses_them() {
    let text = |range: &str| {
        format!(
            "<mujoco><compiler angle='radian'/><worldbody>\
             <body><joint name='a' range='{range}'/><geom size='1'/></body>\
             <body><joint name='b' range='0 0.8'/><geom size='1'/></body></worldbody>\
             <equality><joint joint1='a' joint2='b' polycoef='0 -1'/></equality></mujoco>"
        )
    };
    for range in ["0 0.8", "1 2"] {
        let (robot, warnings) = read_with_warnings(&text(range));
        assert!(warnings.as_slice()[0].message.contains("they are ignored"), "{warnings:?}");
        assert_eq!(robot.skeleton().limit(2), Limit::Range { min: 0.0, max: 0.8 });
    }
    let robot = read(&text("-0.5 0"));
    assert_eq!(robot.skeleton().limit(2), Limit::Range { min: 0.0, max: 0.5 });
}

#[test]
fn keyframes_are_states() {
    let (robot, _) = read_file("joints.xml");
    let names: Vec<&str> = robot.states().iter().map(|state| state.name.as_str()).collect();
    assert_eq!(names, ["qpos0", "away", "key1"]);
    let mut q = robot.zero_configuration();
    robot.apply_state(robot.state(None, "away").unwrap(), &mut q);
    let qpos = mjcf::qpos_from_configuration(robot.skeleton(), &q).unwrap();
    let expected = [
        [0.5, 0.1, -1.0, 0.5, 0.5, 0.5, 0.5, 0.2, 0.3, 0.4, 3.0, 2.0, 1.0].as_slice(),
        // The quaternion 0 0 0 2 is of unit length now.
        &[0.0, 0.0, 0.0, 1.0, 7.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0],
    ];
    assert_eq!(qpos, expected.concat());
}

#[test]
fn masses_are_given_or_follow_from_shapes() {
    let text = |compiler: &str| {
        format!(
            "<mujoco>{compiler}<worldbody><geom size='1' mass='7'/>\
             <body><inertial pos='0 0 1' mass='2'/><geom size='1' mass='3' pos='5 0 0'/></body>\
             <body><geom size='0.1' pos='1 0 0' density='300'/><geom type='box' size='0.1 0.2 0.3' mass='4' pos='0 1 0'/></body>\
             </worldbody></mujoco>"
        )
    };
    let masses = |compiler: &str| -> Vec<f64> {
        read(&text(compiler)).links().iter().map(|link| link.mass).collect()
    };
    let ball = 300.0 * 4.0 / 3.0 * PI * 0.001;
    let close = |found: &[f64], expected: [f64; 3]| {
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
        }
    };
    close(&masses(""), [0.0, 2.0, ball + 4.0]);
    close(&masses("<compiler inertiafromgeom='true'/>"), [0.0, 3.0, ball + 4.0]);
    close(&masses("<compiler inertiafromgeom='false'/>"), [0.0, 2.0, 0.0]);
    close(&masses("<compiler boundmass='3'/>"), [0.0, 3.0, ball + 4.0]);
    let sum = 2.0 + ball + 4.0;
    close(&masses("<compiler settotalmass='1'/>"), [0.0, 2.0 / sum, (ball + 4.0) / sum]);
    let robot = read(&text(""));
    assert_near(robot.links()[1].center_in_link, [0.0, 0.0, 1.0]);
    assert_near(robot.links()[2].center_in_link, [ball / (ball + 4.0), 4.0 / (ball + 4.0), 0.0]);
}

#[test]
fn shapes_are_the_geoms_that_may_collide() {
    let text = "<mujoco><compiler meshdir='meshes/' />\
         <default><default class='visual'><geom type='mesh' contype='0' conaffinity='0' mass='0'/></default>\
         <default class='collision'><geom type='mesh' mass='0'/></default><mesh scale='2 2 2'/></default>\
         <asset><mesh file='sub/hand.obj'/><mesh name='m' file='b.stl' scale='1 -1 1' refpos='0 0 1'/></asset>\
         <worldbody><geom type='plane' size='0 0 1' pos='0 0 -1'/><body name='b'>\
         <geom class='visual' mesh='hand'/><geom class='collision' name='palm' mesh='hand'/>\
         <geom class='collision' mesh='m' pos='1 0 0'/><geom size='0.1' conaffinity='0'/>\
         <geom type='cylinder' size='0.1 0.2'/><geom type='ellipsoid' size='1 2 3'/></body></worldbody></mujoco>";
    let robot = read(text);
    let kinds: Vec<(usize, &Geometry)> =
        robot.shapes().iter().map(|shape| (shape.link, &shape.geometry)).collect();
    let mesh = |file: &str, scale| Geometry::Mesh { file: file.into(), scale };
    assert_eq!(
        kinds,
        [
            (0, &Geometry::HalfSpace),
            (1, &mesh("meshes/sub/hand.obj", DVec3::splat(2.0))),
            (1, &mesh("meshes/b.stl", DVec3::new(1.0, -1.0, 1.0))),
            (1, &Geometry::Sphere { radius: 0.1 }),
            (1, &Geometry::Cylinder { radius: 0.1, half_length: 0.2 }),
            (1, &Geometry::Ellipsoid { radii: DVec3::new(1.0, 2.0, 3.0) }),
        ]
    );
    assert_eq!(robot.shapes()[1].name, "palm");
    assert_near(robot.shapes()[2].link_from_shape.translation, [1.0, 0.0, -1.0]);
}

#[test]
fn what_is_not_read_is_named_once_for_each_kind() {
    let text = "<mujoco><option timestep='1'/><worldbody><light/><camera name='c'/>\
         <body name='b' gravcomp='1'><joint name='j' damping='1' odd='1'/><geom size='1' odd='2'/><geom size='1' odd='2'/><what/>\
         <geom type='mesh' mesh='m'/></body></worldbody>\
         <asset><mesh name='m' vertex='0 0 0'/></asset>\
         <actuator><motor joint='j'/><position joint='j'/></actuator><sensor><gyro site='s'/></sensor>\
         <tendon><fixed/></tendon><contact><pair geom1='a' geom2='b'/></contact><unheard/></mujoco>";
    let (_, warnings) = read_with_warnings(text);
    let said: Vec<String> = warnings.iter().map(|warning| warning.message.clone()).collect();
    for words in [
        "unknown attribute `odd` of <joint>; ignored",
        "unknown attribute `odd` of <geom>; ignored, 2 times",
        "<what> does not affect the joints; ignored",
        "<unheard> does not affect the joints; ignored",
        "tendons (1 of them)",
        "contact pairs (1 of them)",
        "too light, as their meshes are not read: bodies (1 of them)",
        "shapes whose mesh is in the model (1 of them)",
    ] {
        let n_times = said.iter().filter(|message| message.contains(words)).count();
        assert_eq!(n_times, 1, "{words}: {said:?}");
    }
    assert_eq!(said.len(), 8, "{said:?}");
}

#[test]
fn what_has_no_name_is_named_after_its_number_and_body() {
    let robot = read(&world(
        "<body><joint/><joint type='slide'/><geom size='1'/></body><body name='body1_'><joint/><joint/><geom size='1'/></body>\
         <body name='hip'><joint name='hip' pos='1 0 0'/><geom size='1'/></body>",
    ));
    let links: Vec<&str> = robot.links().iter().map(|link| link.name.as_str()).collect();
    assert_eq!(links, ["world", "body1", "body1_", "hip"]);
    let joints: Vec<&str> = robot.joints().iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(joints, ["body1/hinge", "body1/slide", "body1_/hinge", "body1_/hinge_", "hip"]);
    // The link's own joint makes way for the file's joint of the same name.
    assert_eq!(robot.skeleton().name(robot.links()[3].skeleton_joint), "hip_");
}

#[test]
fn every_model_of_the_assets_is_read_or_refused_for_a_known_reason() {
    let Some(folder) = common::assets() else { return };
    let mut files = Vec::new();
    for part in ["mjcf", "mesh_robots"] {
        collect(&folder.join(part), &mut files);
    }
    let mut refused = Vec::new();
    for file in &files {
        match mjcf::read_file(file, &Limits::default(), &mut Warnings::new()) {
            Ok(robot) => {
                let q = drawn(&robot);
                let is_finite = |pose: &Pose| pose.is_finite();
                assert!(robot.skeleton().poses(&q).iter().all(is_finite), "{}", file.display());
            }
            Err(error) => refused.push((file.file_name().unwrap().to_owned(), error)),
        }
    }
    println!("{} files", files.len());
    assert!(files.len() >= 74, "{} files", files.len());
    let name = |at: usize| refused[at].0.to_str().unwrap();
    assert_eq!(refused.len(), 3, "{refused:?}");
    // Its includes were not copied; it is a part of others; its keyframes are for the model that includes it.
    assert!(matches!((name(0), &refused[0].1), ("dm_quadruped.xml", Error::Value { .. })));
    assert!(matches!((name(1), &refused[1].1), ("keyframes.xml", Error::Value { .. })));
    assert!(matches!(
        (name(2), &refused[2].1),
        ("joints_properties.xml", Error::Unsupported { .. })
    ));
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "xml")
            && path.file_name().is_some_and(|name| name != "package.xml")
        {
            files.push(path);
        }
    }
}
