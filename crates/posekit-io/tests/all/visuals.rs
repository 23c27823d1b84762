//! The shapes that robots are drawn with.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use std::path::PathBuf;

use posekit::glam::DVec3;
use posekit_io::robot::{Geometry, RobotVisual};
use posekit_io::{Limits, Robot, Warnings, mesh, mjcf, read_robot_file, urdf};

use crate::common;

fn link(inside: &str) -> String {
    format!("<robot name=\"r\"><link name=\"a\">\n{inside}\n</link></robot>")
}

fn warned(text: &str) -> (Robot, Vec<String>) {
    let mut warnings = Warnings::new();
    let robot = match text.starts_with("<mujoco") {
        true => mjcf::read(text, &mut warnings).unwrap(),
        false => urdf::read(text, &mut warnings).unwrap(),
    };
    (robot, warnings.iter().map(ToString::to_string).collect())
}

fn colors(robot: &Robot) -> Vec<Option<[f64; 4]>> {
    robot.visuals().iter().map(|visual| visual.color).collect()
}

const BOX: &str = "<geometry><box size=\"2 4 6\"/></geometry>";

#[test]
fn visuals_of_urdf_have_shape_place_and_colour() {
    let text = format!(
        "<robot name=\"r\">
         <material name=\"red\"><color rgba=\"1 0 0 1\"/></material>
         <link name=\"a\">
           <visual name=\"v\"><origin xyz=\"1 2 3\"/>{BOX}<material name=\"red\"/></visual>
           <visual>{BOX}<material name=\"red\"><color rgba=\"0 0 1 0.5\"/></material></visual>
           <visual>{BOX}<material name=\"late\"/></visual>
           <visual>{BOX}<material name=\"late\"><color rgba=\"0 9 0 1\"/></material></visual>
           <visual>{BOX}<material name=\"nowhere\"/></visual>
           <collision>{BOX}</collision>
         </link></robot>"
    );
    let (robot, warnings) = warned(&text);
    assert_eq!((robot.visuals().len(), robot.shapes().len()), (5, 1));
    assert!(warnings.is_empty(), "{warnings:?}");
    let RobotVisual { shape, .. } = &robot.visuals()[0];
    assert_eq!((shape.name.as_str(), shape.link), ("v", 0));
    assert_eq!(shape.link_from_shape.translation, DVec3::new(1.0, 2.0, 3.0));
    assert_eq!(shape.geometry, Geometry::Box { half_extents: DVec3::new(1.0, 2.0, 3.0) });
    let green = Some([0.0, 1.0, 0.0, 1.0]);
    let expected = [Some([1.0, 0.0, 0.0, 1.0]), Some([0.0, 0.0, 1.0, 0.5]), green, green, None];
    assert_eq!(colors(&robot), expected);
}

#[test]
fn a_fault_of_what_is_only_seen_is_a_warning() {
    let cases = [
        ("<visual/>", 0, "a <visual> without geometry is ignored"),
        (
            "<visual><geometry><sphere radius=\"-1\"/></geometry></visual>",
            0,
            "must not be negative",
        ),
        ("<visual><geometry><torus/></geometry></visual>", 0, "<torus> is unknown"),
        (
            "<visual><origin xyz=\"1 x 2\"/><geometry><sphere radius=\"1\"/></geometry></visual>",
            0,
            "is ignored",
        ),
        (
            "<visual><geometry><sphere radius=\"1\"/></geometry><material><color rgba=\"red\"/></material></visual>",
            1,
            "a material is ignored",
        ),
    ];
    for (inside, n_visuals, message) in cases {
        let (robot, warnings) = warned(&link(inside));
        assert_eq!(robot.visuals().len(), n_visuals, "{inside}");
        let [warning] = warnings.as_slice() else { panic!("{inside}: {warnings:?}") };
        assert!(warning.contains(message) && warning.contains("line 2"), "{warning}");
    }
}

#[test]
fn geoms_of_mjcf_are_drawn_by_their_groups() {
    let text = "<mujoco>
      <default><default class=\"seen\"><geom group=\"2\" contype=\"0\" conaffinity=\"0\" material=\"dark\"/></default></default>
      <asset>
        <material name=\"dark\" rgba=\"0.1 0.1 0.1 1\"/> <texture name=\"t\" builtin=\"flat\" type=\"2d\" width=\"8\" height=\"8\"/>
        <material name=\"image\" texture=\"t\" rgba=\"1 0 0 1\"/>
        <hfield name=\"h\" nrow=\"2\" ncol=\"2\" size=\"1 1 1 1\"/>
      </asset>
      <worldbody><body name=\"b\">
        <geom size=\"1\"/>
        <geom class=\"seen\" size=\"2\"/>
        <geom class=\"seen\" size=\"3\" rgba=\"1 0 0 1\"/>
        <geom class=\"seen\" size=\"4\" material=\"image\"/>
        <geom class=\"seen\" size=\"5\" rgba=\"1 1 1 0\"/>
        <geom group=\"3\" size=\"6\"/>
        <geom group=\"3\" contype=\"0\" conaffinity=\"0\" type=\"hfield\" hfield=\"h\"/>
      </body></worldbody></mujoco>";
    let (robot, warnings) = warned(text);
    let size = |geometry: &Geometry| match geometry {
        Geometry::Sphere { radius } => *radius,
        _ => f64::NAN,
    };
    let drawn: Vec<f64> = robot.visuals().iter().map(|own| size(&own.shape.geometry)).collect();
    assert_eq!(drawn, [1.0, 2.0, 3.0, 4.0]);
    let solid: Vec<f64> = robot.shapes().iter().map(|shape| size(&shape.geometry)).collect();
    assert_eq!(solid, [1.0, 6.0]);
    let expected = [None, Some([0.1, 0.1, 0.1, 1.0]), Some([1.0, 0.0, 0.0, 1.0]), None];
    assert_eq!(colors(&robot), expected);
    // What neither collides nor is drawn is of no interest; a height field that is drawn is missed.
    assert!(warnings.is_empty(), "{warnings:?}");
    let shown = text.replace("<geom group=\"3\" contype", "<geom group=\"1\" contype");
    let (_, warnings) = warned(&shown);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("not read: height fields"), "{warnings:?}");
}

#[test]
fn a_wrong_group_or_colour_of_a_geom_is_a_warning() {
    for attribute in ["group=\"front\"", "rgba=\"red\""] {
        let (robot, warnings) = warned(&format!(
            "<mujoco><worldbody><body><geom size=\"1\" {attribute}/></body></worldbody></mujoco>"
        ));
        assert_eq!((robot.visuals().len(), robot.shapes().len()), (1, 1));
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(
            warnings[0].contains("ignored") && warnings[0].contains("is not a number"),
            "{warnings:?}"
        );
    }
}

/// Every mesh that a real robot is drawn with is found among its files.
#[test]
fn real_robots_are_drawn_with_meshes_that_exist() {
    let Some(assets) = common::assets() else { return };
    let robots = [
        ("panda_description/urdf/panda.urdf", 11, 0),
        ("g1_description/g1_29dof_rev_1_0.urdf", 35, 0),
        ("g1_description/g1_29dof_rev_1_0.xml", 35, 35),
        ("kuka_iiwa_14/iiwa14.xml", 15, 15),
        ("SO101/so101_new_calib.urdf", 17, 17),
    ];
    for (path, n_least, n_colored) in robots {
        let path = assets.join("mesh_robots").join(path);
        let robot = read_robot_file(&path, &Limits::default(), &mut Warnings::new()).unwrap();
        let mut n_meshes = 0;
        for visual in robot.visuals() {
            let Geometry::Mesh { file, .. } = &visual.shape.geometry else { continue };
            let found: Option<PathBuf> = mesh::find(path.parent().unwrap(), file);
            assert!(found.is_some(), "{}: {file}", path.display());
            n_meshes += 1;
        }
        assert!(n_meshes >= n_least, "{}: {n_meshes}", path.display());
        let n = robot.visuals().iter().filter(|visual| visual.color.is_some()).count();
        assert!(n >= n_colored, "{}: {n}", path.display());
    }
}
