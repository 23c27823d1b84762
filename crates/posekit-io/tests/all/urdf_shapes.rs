//! What URDF says about velocities, soft limits and the shapes of links.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use posekit::glam::DVec3;
use posekit::skeleton::Limit;
use posekit_io::robot::Geometry;
use posekit_io::urdf::{self, Options};
use posekit_io::{Error, Limits, Robot, Warnings};

use crate::common;

fn read(text: &str) -> Result<(Robot, Vec<String>), Error> {
    let mut warnings = Warnings::new();
    let robot = urdf::read(text, &mut warnings)?;
    Ok((robot, warnings.iter().map(ToString::to_string).collect()))
}

/// Two links and a joint between them.
fn pair(kind: &str, inside: &str) -> String {
    format!(
        "<robot name=\"r\">\n<link name=\"a\"/>\n<link name=\"b\"/>\n\
         <joint name=\"j\" type=\"{kind}\"><parent link=\"a\"/><child link=\"b\"/>{inside}</joint>\n</robot>"
    )
}

/// A link with collision elements.
fn link(collisions: &str) -> String {
    format!("<robot name=\"r\">\n<link name=\"a\">{collisions}</link>\n</robot>")
}

fn solid(geometry: &str) -> String {
    link(&format!("<collision><geometry>{geometry}</geometry></collision>"))
}

#[track_caller]
fn refused(text: &str, parts: &[&str]) {
    let message = read(text).expect_err("the text must be refused").to_string();
    for part in parts {
        assert!(message.contains(part), "`{message}` does not contain `{part}`");
    }
}

#[test]
fn velocities_are_limits_of_degrees_of_freedom() {
    let limit =
        |velocity: &str| format!("<limit lower=\"-1\" upper=\"1\" velocity=\"{velocity}\"/>");
    let (robot, warnings) = read(&pair("revolute", &limit("2.5"))).unwrap();
    assert_eq!((robot.velocity_limits(), warnings.len()), (&[2.5][..], 0));
    let (robot, _) = read(&pair("continuous", "<limit velocity=\"inf\"/>")).unwrap();
    assert_eq!(robot.velocity_limits(), [f64::INFINITY]);
    let (robot, _) = read(&pair("continuous", "")).unwrap();
    assert_eq!(robot.velocity_limits(), [f64::INFINITY]);
    for nothing in ["0", "-3"] {
        let (robot, warnings) = read(&pair("prismatic", &limit(nothing))).unwrap();
        assert_eq!(robot.velocity_limits(), [f64::INFINITY], "{nothing}");
        assert!(warnings[0].contains("read as no limit"), "{warnings:?}");
    }
    refused(&pair("revolute", &limit("fast")), &["joint `j`, line 4", "`fast` is not a number"]);
    refused(&pair("revolute", &limit("nan")), &["not a finite number"]);
    let (robot, warnings) = read(&pair("planar", "<limit velocity=\"2\"/>")).unwrap();
    assert_eq!(robot.velocity_limits(), [f64::INFINITY; 3]);
    assert!(warnings[0].contains("has no unit"), "{warnings:?}");
}

#[test]
fn a_follower_limits_the_speed_of_its_driver() {
    let joint = |name: &str, child: &str, velocity: &str, mimic: &str| {
        format!(
            "<joint name=\"{name}\" type=\"revolute\"><parent link=\"a\"/><child link=\"{child}\"/>\
             <limit lower=\"-9\" upper=\"9\" velocity=\"{velocity}\"/>{mimic}</joint>"
        )
    };
    let text = format!(
        "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"/><link name=\"c\"/>{}{}</robot>",
        joint("driver", "b", "2", ""),
        joint("follower", "c", "1", "<mimic joint=\"driver\" multiplier=\"-4\"/>")
    );
    let (robot, _) = read(&text).unwrap();
    assert_eq!(robot.velocity_limits(), [0.25]);
    let floating = robot.with_free_root().unwrap();
    assert_eq!(floating.velocity_limits()[..6], [f64::INFINITY; 6]);
    assert_eq!(floating.velocity_limits()[6..], [0.25]);
}

#[test]
fn soft_limits_count_where_they_are_asked_for() {
    let text = |kind: &str, safety: &str| {
        let inside = format!(
            "<limit lower=\"-1\" upper=\"1\"/><safety_controller k_velocity=\"1\" {safety}/>"
        );
        pair(kind, &inside)
    };
    let soft = Options::default().with_soft_limits();
    let range = |options: &Options, kind: &str, safety: &str| {
        let mut warnings = Warnings::new();
        let text = text(kind, safety);
        let robot = urdf::read_as(&text, options, &Limits::default(), &mut warnings)?;
        Ok::<_, Error>((robot.skeleton().limit(1), warnings.len()))
    };
    let both = "soft_lower_limit=\"-0.9\" soft_upper_limit=\"0.8\"";
    let limit = |min, max| Limit::Range { min, max };
    let hard = Options::default();
    assert_eq!(range(&hard, "revolute", both).unwrap(), (limit(-1.0, 1.0), 0));
    assert_eq!(range(&soft, "revolute", both).unwrap(), (limit(-0.9, 0.8), 0));
    let wide = "soft_lower_limit=\"-3\" soft_upper_limit=\"0.5\"";
    assert_eq!(range(&soft, "prismatic", wide).unwrap().0, limit(-1.0, 0.5));
    let one = "soft_upper_limit=\"0.5\"";
    assert_eq!(range(&soft, "revolute", one).unwrap().0, limit(-1.0, 0.5));
    assert_eq!(range(&soft, "revolute", "").unwrap(), (limit(-1.0, 1.0), 0));
    // The bounds of a continuous joint are ignored with a warning, hard ones and soft ones.
    assert_eq!(range(&soft, "continuous", both).unwrap(), (Limit::None, 2));
    let error = range(&soft, "revolute", "soft_lower_limit=\"1.5\"").unwrap_err().to_string();
    assert!(error.contains("joint `j`, line 4") && error.contains("do not overlap"), "{error}");
}

#[test]
fn every_solid_is_read() {
    let geometry = |text: &str| {
        let (robot, warnings) = read(&solid(text)).unwrap();
        assert!(warnings.is_empty(), "{warnings:?}");
        robot.shapes()[0].geometry.clone()
    };
    let half_extents = DVec3::new(0.5, 1.0, 1.5);
    assert_eq!(geometry("<box size=\"1 2 3\"/>"), Geometry::Box { half_extents });
    assert_eq!(geometry("<sphere radius=\"2\"/>"), Geometry::Sphere { radius: 2.0 });
    let (radius, half_length) = (0.5, 1.0);
    let cylinder = Geometry::Cylinder { radius, half_length };
    assert_eq!(geometry("<cylinder radius=\"0.5\" length=\"2\"/>"), cylinder);
    let capsule = Geometry::Capsule { radius, half_length };
    assert_eq!(geometry("<capsule radius=\"0.5\" length=\"2\"/>"), capsule);
    let file = "package://arm/meshes/hand.stl".to_owned();
    let mesh = |scale| Geometry::Mesh { file: file.clone(), scale };
    assert_eq!(geometry(&format!("<mesh filename=\"{file}\"/>")), mesh(DVec3::ONE));
    let mirrored = format!("<mesh filename=\"{file}\" scale=\"1 -1 0.001\"/>");
    assert_eq!(geometry(&mirrored), mesh(DVec3::new(1.0, -1.0, 0.001)));
    let drake = |solid: &str| {
        let namespace = "name=\"r\" xmlns:drake=\"http://drake.mit.edu\"";
        let text = self::solid(solid).replace("name=\"r\"", namespace);
        read(&text).unwrap().0.shapes()[0].geometry.clone()
    };
    assert_eq!(drake("<drake:capsule radius=\"0.5\" length=\"2\"/>"), capsule);
    let radii = DVec3::new(1.0, 2.0, 3.0);
    let ellipsoid = Geometry::Ellipsoid { radii };
    assert_eq!(drake("<drake:ellipsoid a=\"1\" b=\"2\" c=\"3\"/>"), ellipsoid);
}

#[test]
fn shapes_have_names_links_and_poses() {
    let text = "<robot name=\"r\"><link name=\"a\"/><link name=\"b\">\
        <collision name=\"palm\"><origin xyz=\"1 2 3\" quat_xyzw=\"0 0 1 0\"/><geometry><sphere radius=\"1\"/></geometry></collision>\
        <collision><geometry><sphere radius=\"2\"/></geometry></collision></link>\
        <joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint></robot>";
    let (robot, _) = read(text).unwrap();
    let [palm, other] = robot.shapes() else { panic!("{:?}", robot.shapes()) };
    assert_eq!((palm.name.as_str(), palm.link, other.name.as_str()), ("palm", 1, ""));
    let moved = palm.link_from_shape.transform_point(DVec3::X);
    assert_eq!(moved, DVec3::new(0.0, 2.0, 3.0));
}

#[test]
fn faulty_shapes_are_refused_with_their_place() {
    for (geometry, part) in [
        ("<box size=\"1 2\"/>", "expected 3 numbers in `size`"),
        ("<box/>", "`box/@size` is missing"),
        ("<box size=\"1 2 -3\"/>", "must not be negative, found -3"),
        ("<sphere radius=\"nan\"/>", "not a finite number"),
        ("<sphere radius=\"1e101\"/>", "larger than 1e100"),
        ("<cylinder radius=\"1\"/>", "`cylinder/@length` is missing"),
        ("<mesh/>", "`mesh/@filename` is missing"),
        ("<mesh filename=\"a.stl\" scale=\"1 1\"/>", "expected 3 numbers in `scale`"),
    ] {
        refused(&solid(geometry), &["link `a`, line 2", part]);
    }
    let twice = link("<collision><geometry/><geometry/></collision>");
    refused(&twice, &["a second <geometry>"]);
}

#[test]
fn what_is_no_shape_is_ignored_with_a_warning() {
    for (text, part) in [
        (link("<collision/>"), "a <collision> without geometry"),
        (link("<collision><geometry/></collision>"), "a <collision> without geometry"),
        (solid("<heightmap/>"), "the solid <heightmap> is unknown"),
        (solid("<mesh filename=\" \"/>"), "a mesh without a file name"),
    ] {
        let (robot, warnings) = read(&text).unwrap();
        assert!(robot.shapes().is_empty(), "{text}");
        assert!(warnings[0].contains(part) && warnings[0].contains("line 2"), "{warnings:?}");
    }
}

#[test]
fn shapes_of_real_robots() {
    let Some(assets) = common::assets() else { return };
    let read_file = |name: &str| {
        urdf::read_file(&assets.join(name), &Limits::default(), &mut Warnings::new()).unwrap()
    };
    let panda = read_file("mesh_robots/panda_description/urdf/panda.urdf");
    assert!(panda.shapes().len() >= 10, "{}", panda.shapes().len());
    let speeds = &panda.velocity_limits()[..7];
    assert_eq!(speeds, [2.3925, 2.3925, 2.3925, 2.3925, 2.871, 2.871, 2.871]);
    for shape in panda.shapes() {
        let Geometry::Mesh { file, .. } = &shape.geometry else { continue };
        assert!(file.starts_with("package://"), "{file}");
    }
    let iiwa = read_file("urdf/iiwa14_primitive_collision.urdf");
    let is_primitive = |geometry: &Geometry| !matches!(geometry, Geometry::Mesh { .. });
    let n_primitives = iiwa.shapes().iter().filter(|shape| is_primitive(&shape.geometry)).count();
    assert!(n_primitives >= 6, "{n_primitives} of {}", iiwa.shapes().len());
}
