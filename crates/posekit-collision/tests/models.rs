//! Bodies, pairs, what is left out, obstacles, and faults.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

mod common;

use common::model_of;
use posekit::glam::{DQuat, DVec3};
use posekit::math::Pose;
use posekit::solve::Solution;
use posekit_collision::{CollisionModel, CollisionOptions, Error, Query, Reason, Solid};
use posekit_io::robot::{DisabledPair, Geometry};
use posekit_io::{Robot, Warnings, urdf};

/// Four links in a row along x, a metre apart, each with a ball; between the last two nothing moves. A fifth link without a shape.
const ROW: &str = r#"<robot name="row">
  <link name="a"><collision><geometry><sphere radius="0.3"/></geometry></collision></link>
  <link name="b"><collision><geometry><sphere radius="0.3"/></geometry></collision></link>
  <link name="c"><collision><geometry><sphere radius="0.3"/></geometry></collision></link>
  <link name="d"><collision><geometry><sphere radius="0.3"/></geometry></collision>
                 <collision><origin xyz="0 0 1"/><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
  <link name="bare"/>
  <joint name="j1" type="continuous"><parent link="a"/><child link="b"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/></joint>
  <joint name="j2" type="continuous"><parent link="b"/><child link="c"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/></joint>
  <joint name="w" type="fixed"><parent link="c"/><child link="d"/><origin xyz="1 0 0"/></joint>
  <joint name="j3" type="continuous"><parent link="d"/><child link="bare"/></joint></robot>"#;

fn row() -> (Robot, CollisionModel) {
    model_of(ROW)
}

fn ball(radius: f64) -> Solid {
    Solid::new(&Geometry::Sphere { radius }).unwrap()
}

fn reason(model: &CollisionModel, a: &str, b: &str) -> Option<Reason> {
    let is_pair = |names: &[String; 2]| names == &[a, b] || names == &[b, a];
    model.left_out().iter().find(|left| is_pair(&left.names)).map(|left| left.reason.clone())
}

#[test]
fn pairs_that_joints_leave_out_are_named() {
    let (_, model) = row();
    assert_eq!(model.bodies().collect::<Vec<_>>(), ["a", "b", "c", "d"]);
    let pairs: Vec<[&str; 2]> = (0..model.n_pairs()).map(|pair| model.names(pair)).collect();
    assert_eq!(pairs, [["a", "c"], ["a", "d"]]);
    assert_eq!(reason(&model, "a", "b"), Some(Reason::Adjacent));
    assert_eq!(reason(&model, "b", "c"), Some(Reason::Adjacent));
    assert_eq!(reason(&model, "d", "b"), Some(Reason::Adjacent), "welded to c");
    assert_eq!(reason(&model, "c", "d"), Some(Reason::Rigid));
    assert_eq!((model.find_pair("d", "a"), model.find_pair("a", "b")), (Some(1), None));
}

#[test]
fn distances_follow_the_joints() {
    let (_, model) = row();
    let mut query = Query::default();
    let all = model.check(&[0.0, 0.0, 0.0], f64::INFINITY, &mut query).unwrap();
    let distances: Vec<f64> = all.iter().map(|contact| contact.distance).collect();
    assert!((distances[0] - 1.4).abs() < 1e-12 && (distances[1] - 2.4).abs() < 1e-12);
    // Folded back: c lies on a.
    let near = model.check(&[core::f64::consts::PI, 0.0, 0.0], 0.0, &mut query).unwrap();
    assert_eq!(near.iter().map(|contact| contact.pair).collect::<Vec<_>>(), [0]);
    assert!((near[0].distance + 0.6).abs() < 1e-9, "{near:?}");
    // The higher solid of d is farther and does not count.
    let [on_a, on_d] = model.check(&[0.0, 0.0, 0.0], 2.5, &mut query).unwrap()[1].points;
    assert!(on_a.distance(DVec3::new(0.3, 0.0, 0.0)) < 1e-12, "{on_a}");
    assert!(on_d.distance(DVec3::new(2.7, 0.0, 0.0)) < 1e-12, "{on_d}");
}

#[test]
fn pairs_that_touch_at_rest_or_always_are_left_out() {
    let touching = ROW.replace("<sphere radius=\"0.3\"/>", "<sphere radius=\"1.2\"/>");
    let (_, model) = model_of(&touching);
    let Some(Reason::TouchingAtNeutral { distance }) = reason(&model, "a", "c") else {
        panic!("{:?}", model.left_out())
    };
    assert!((distance + 0.4).abs() < 1e-12, "{distance}");
    assert_eq!(model.n_pairs(), 1, "a and d are apart");
    // A rod that turns about its middle meets a ball only when it is turned towards it.
    let rods = r#"<robot name="r">
      <link name="a"><collision><origin xyz="0 0.5 0"/><geometry><sphere radius="0.1"/></geometry></collision></link>
      <link name="b"/>
      <link name="c"><collision><geometry><box size="3 0.2 0.2"/></geometry></collision></link>
      <joint name="j1" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/><limit lower="-1.7" upper="-1.4"/></joint>
      <joint name="j2" type="revolute"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/><limit lower="-0.01" upper="0.01"/></joint></robot>"#;
    let robot = urdf::read(
        &rods.replace("lower=\"-1.7\" upper=\"-1.4\"", "lower=\"-1.7\" upper=\"0\""),
        &mut Warnings::new(),
    )
    .unwrap();
    let build = |robot: &Robot, samples| {
        let options = CollisionOptions::default().with_samples(samples);
        CollisionModel::from_robot(robot, &options, &mut Warnings::new()).unwrap()
    };
    assert_eq!(build(&robot, 64).n_pairs(), 1, "apart at rest and in some poses");
    let robot = urdf::read(rods, &mut Warnings::new()).unwrap();
    assert!(matches!(build(&robot, 0).left_out()[0].reason, Reason::TouchingAtNeutral { .. }));
}

#[test]
fn pairs_that_always_touch_are_found_by_sampling() {
    // A small ball that is outside of a large one only where its slide is at the end of its range, as it is at rest.
    let text = r#"<robot name="r">
      <link name="a"><collision><geometry><sphere radius="0.5"/></geometry></collision></link>
      <link name="b"/>
      <link name="c"><collision><origin xyz="0.505 0 0"/><geometry><sphere radius="0.001"/></geometry></collision></link>
      <joint name="j1" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="-1 0 0"/><limit lower="0" upper="0.9"/></joint>
      <joint name="j2" type="continuous"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/></joint></robot>"#;
    let robot = urdf::read(text, &mut Warnings::new()).unwrap();
    let build = |samples| {
        let options = CollisionOptions::default().with_samples(samples);
        CollisionModel::from_robot(&robot, &options, &mut Warnings::new()).unwrap()
    };
    assert_eq!(build(0).n_pairs(), 1);
    let sampled = build(8);
    assert_eq!(sampled.n_pairs(), 0);
    assert_eq!(sampled.left_out()[0].reason, Reason::TouchingAlways);
}

#[test]
fn disabled_pairs_keep_their_reason() {
    let (robot, _) = row();
    let mut parts = robot.into_parts();
    parts.disabled_pairs = vec![DisabledPair { links: [2, 0], reason: "Never".into() }];
    let robot = Robot::try_new(parts).unwrap();
    let model =
        CollisionModel::from_robot(&robot, &CollisionOptions::default(), &mut Warnings::new())
            .unwrap();
    assert_eq!(reason(&model, "a", "c"), Some(Reason::Disabled("Never".into())));
    assert_eq!(model.n_pairs(), 1);
    let model = model.without_pair("d", "a").unwrap();
    assert_eq!((model.n_pairs(), reason(&model, "a", "d")), (0, Some(Reason::Requested)));
    assert!(matches!(model.without_pair("a", "nobody"), Err(Error::NoSuchBody { .. })));
}

#[test]
fn obstacles_are_checked_against_what_moves() {
    let (_, model) = row();
    let at = |x: f64, y: f64| Pose::from_translation(DVec3::new(x, y, 0.0));
    let model = model.with_obstacle("post", at(2.0, 1.0), ball(0.5)).unwrap();
    let wall = Solid::new(&Geometry::HalfSpace).unwrap();
    // Its inside is everything beyond y = 5.
    let turned =
        Pose::new(DQuat::from_xyzw(0.5_f64.sqrt(), 0.0, 0.0, 0.5_f64.sqrt()), DVec3::Y * 5.0);
    let model = model.with_obstacle("wall", turned, wall).unwrap();
    let pairs: Vec<[&str; 2]> = (2..model.n_pairs()).map(|pair| model.names(pair)).collect();
    let expected =
        [["b", "post"], ["c", "post"], ["d", "post"], ["b", "wall"], ["c", "wall"], ["d", "wall"]];
    assert_eq!(pairs, expected, "a stands still; obstacles are not checked against each other");
    let mut query = Query::default();
    let all = model.check(&[0.0; 3], f64::INFINITY, &mut query).unwrap();
    let distance = |pair: [&str; 2]| all[model.find_pair(pair[0], pair[1]).unwrap()].distance;
    assert!((distance(["c", "post"]) - 0.2).abs() < 1e-12);
    assert!((distance(["c", "wall"]) - 4.7).abs() < 1e-12);
    let touching = model.check(&[0.0; 3], 0.25, &mut query).unwrap();
    assert_eq!(touching.len(), 1);
    assert!((touching[0].direction + DVec3::Y).length() < 1e-12, "c is pushed down");
}

#[test]
fn bad_input_is_refused() {
    let (_, model) = row();
    let mut query = Query::default();
    assert!(matches!(model.check(&[0.0; 2], 0.0, &mut query), Err(Error::Configuration(_))));
    assert!(matches!(model.check(&[f64::NAN; 3], 0.0, &mut query), Err(Error::Configuration(_))));
    for margin in [-0.1, f64::NAN, f64::NEG_INFINITY] {
        assert!(matches!(model.check(&[0.0; 3], margin, &mut query), Err(Error::Margin { .. })));
        assert!(matches!(model.clearances(margin), Err(Error::Margin { .. })));
    }
    assert!(matches!(model.clearances(f64::INFINITY), Err(Error::Margin { .. })));
    let mut solution = Solution::default();
    solution.configuration = vec![0.0; 3];
    assert!(model.holding(&solution, f64::NAN, &mut query).is_err());
    let obstacle = |name: &str, pose| model.clone().with_obstacle(name, pose, ball(1.0));
    assert!(matches!(obstacle("a", Pose::IDENTITY), Err(Error::Duplicate { .. })));
    let nan = Pose::from_translation(DVec3::new(f64::NAN, 0.0, 0.0));
    let zero = Pose { rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), translation: DVec3::ZERO };
    for pose in [nan, zero, Pose::from_translation(DVec3::X * 1e40)] {
        assert!(matches!(obstacle("o", pose), Err(Error::Pose { .. })));
    }
    for geometry in [
        Geometry::Sphere { radius: -1.0 },
        Geometry::Sphere { radius: f64::NAN },
        Geometry::Box { half_extents: DVec3::new(1.0, f64::INFINITY, 1.0) },
        Geometry::Cylinder { radius: 1.0, half_length: 1e31 },
        Geometry::Mesh { file: "a.stl".into(), scale: DVec3::ONE },
    ] {
        assert!(matches!(Solid::new(&geometry), Err(Error::Solid { .. })), "{geometry:?}");
    }
    assert!(Solid::hull(&[]).is_err() && Solid::hull(&[DVec3::NAN]).is_err());
}

#[test]
fn meshes_that_are_not_there_are_left_out_with_a_warning() {
    let text =
        ROW.replace("<box size=\"0.2 0.2 0.2\"/>", "<mesh filename=\"package://no/d.stl\"/>");
    let robot = urdf::read(&text, &mut Warnings::new()).unwrap();
    let build = |options: &CollisionOptions| {
        let mut warnings = Warnings::new();
        let model = CollisionModel::from_robot(&robot, options, &mut warnings).unwrap();
        assert_eq!(model.bodies().count(), 4, "d has its ball");
        warnings.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let without = build(&CollisionOptions::default());
    assert_eq!(
        without,
        ["link `d`: the mesh is omitted, because no folder is given: package://no/d.stl"]
    );
    let missing = build(&CollisionOptions::default().with_folder(env!("CARGO_MANIFEST_DIR")));
    assert_eq!(missing, ["link `d`: the mesh does not exist and is omitted: package://no/d.stl"]);
    let huge = ROW.replace("xyz=\"0 0 1\"", "xyz=\"0 0 1e50\"");
    let robot = urdf::read(&huge, &mut Warnings::new()).unwrap();
    let mut warnings = Warnings::new();
    CollisionModel::from_robot(&robot, &CollisionOptions::default(), &mut warnings).unwrap();
    assert!(warnings.as_slice()[0].message.contains("further than 1e30 m"), "{warnings:?}");
}
