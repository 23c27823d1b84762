//! Points of meshes, and where their files are.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use std::fs;
use std::path::{Path, PathBuf};

use posekit::glam::DVec3;
use posekit_io::mesh::{MeshFormat, find, read_points, read_points_of_file};
use posekit_io::robot::Geometry;
use posekit_io::{Limits, Warnings, urdf};

use crate::common;

const TRIANGLE: [DVec3; 3] = [DVec3::ZERO, DVec3::Y, DVec3::X];

fn points(bytes: &[u8], format: MeshFormat) -> Vec<DVec3> {
    read_points(bytes, format, &Limits::default()).unwrap()
}

fn refused(bytes: &[u8], format: MeshFormat) -> String {
    read_points(bytes, format, &Limits::default()).expect_err("must be refused").to_string()
}

/// A binary STL of two triangles with the same corners.
fn binary_stl() -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes.extend(2_u32.to_le_bytes());
    for _ in 0..2 {
        bytes.extend([0; 12]);
        for number in TRIANGLE.iter().flat_map(|point| point.as_vec3().to_array()) {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend([0; 2]);
    }
    bytes
}

const ASCII_STL: &str = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid s\n";

const OBJ: &str = "mtllib /etc/passwd\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

/// A triangle in centimetres on a node inside another.
const DAE: &str = r##"<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
  <asset><unit name="centimeter" meter="0.01"/><up_axis>Y_UP</up_axis></asset>
  <library_geometries><geometry id="g"><mesh>
    <source id="p"><float_array id="a" count="9">0 0 0 100 0 0 0 100 0</float_array>
      <technique_common><accessor source="#a" count="3" stride="3"/></technique_common></source>
    <source id="n"><float_array id="b" count="3">7 7 7</float_array></source>
    <vertices id="v"><input semantic="POSITION" source="#p"/><input semantic="NORMAL" source="#n"/></vertices>
  </mesh></geometry></library_geometries>
  <library_visual_scenes><visual_scene id="s"><node id="outer"><translate>100 0 0</translate>
    <node id="inner"><rotate>0 0 1 90</rotate><scale>2 1 1</scale><instance_geometry url="#g"/></node></node></visual_scene></library_visual_scenes>
</COLLADA>"##;

#[test]
fn every_format_gives_its_points_once() {
    for (bytes, format) in [
        (binary_stl(), MeshFormat::Stl),
        (ASCII_STL.into(), MeshFormat::Stl),
        (OBJ.into(), MeshFormat::Obj),
    ] {
        assert_eq!(points(&bytes, format), TRIANGLE, "{format:?}");
    }
    // Doubled along x, turned to y, moved along x by a metre.
    let found = points(DAE.as_bytes(), MeshFormat::Dae);
    for expected in [DVec3::X, DVec3::new(1.0, 2.0, 0.0), DVec3::ZERO] {
        assert!(
            found.iter().any(|point| point.distance(expected) < 1e-12),
            "{expected} in {found:?}"
        );
    }
    assert_eq!(found.len(), 3);
    let matrix = "<matrix>0 -1 0 100 2 0 0 0 0 0 1 0 0 0 0 1</matrix>";
    let whole = DAE
        .replace("<translate>100 0 0</translate>", matrix)
        .replace("<rotate>0 0 1 90</rotate><scale>2 1 1</scale>", "");
    for (a, b) in points(whole.as_bytes(), MeshFormat::Dae).iter().zip(&found) {
        assert!(a.distance(*b) < 1e-12, "{a} {b}");
    }
    let bare = DAE.replace("visual_scene", "other_scene");
    assert_eq!(points(bare.as_bytes(), MeshFormat::Dae), TRIANGLE);
}

#[test]
fn what_is_no_mesh_is_refused() {
    assert!(refused(b"", MeshFormat::Stl).starts_with("mesh: "));
    assert!(refused(b"v 0 0", MeshFormat::Obj).starts_with("mesh: "));
    assert!(refused(b"<a/>", MeshFormat::Dae).contains("begins with <COLLADA>"));
    assert!(refused(b"<COLLADA/>", MeshFormat::Dae).contains("no points"));
    let changed = |from: &str, to: &str| refused(DAE.replace(from, to).as_bytes(), MeshFormat::Dae);
    assert!(changed("100 0 0 0 100", "100 0 x 0 100").contains("`x` is not a number"));
    assert!(changed("100 0 0 0 100", "100 0 inf 0 100").contains("not finite"));
    assert!(changed("meter=\"0.01\"", "meter=\"-1\"").contains("not a length"));
    assert!(changed("<scale>2 1 1", "<scale>2 1").contains("has 2 numbers, not 3"));
    let ring = changed("<instance_geometry url=\"#g\"/>", "<instance_node url=\"#outer\"/>");
    assert!(ring.contains("more than 65536 nodes"), "{ring}");
    let path = Path::new("hand.gltf");
    let error = read_points_of_file(path, &Limits::default()).unwrap_err().to_string();
    assert!(error.contains("hand.gltf"), "{error}");
}

#[test]
fn cut_meshes_never_panic() {
    for (bytes, format) in [
        (binary_stl(), MeshFormat::Stl),
        (ASCII_STL.into(), MeshFormat::Stl),
        (OBJ.into(), MeshFormat::Obj),
        (DAE.into(), MeshFormat::Dae),
    ] {
        for at in 0..bytes.len() {
            let _ = read_points(&bytes[..at], format, &Limits::default());
            let mut changed = bytes.clone();
            for with in [0, b' ', b'9', b'<', 0xFF] {
                changed[at] = with;
                let _ = read_points(&changed, format, &Limits::default());
            }
        }
    }
}

/// A folder that is removed at the end of a test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("posekit-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path.canonicalize().unwrap())
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn packages_are_found_up_the_tree() {
    let folder = Folder::new("packages");
    let manifest = "<package><name> arm_description </name></package>";
    folder.write("ws/arm/package.xml", manifest);
    let hand = folder.write("ws/arm/meshes/hand.stl", "");
    let beside = folder.write("ws/tools/meshes/drill.stl", "");
    let own = folder.write("ws/arm/urdf/meshes/own.stl", "");
    let urdf = folder.0.join("ws/arm/urdf");
    let found = |name: &str| find(&urdf, name);
    assert_eq!(
        found("package://arm_description/meshes/hand.stl"),
        Some(hand.clone()),
        "by manifest"
    );
    assert_eq!(found("package://arm/meshes/hand.stl"), Some(hand.clone()), "by folder");
    assert_eq!(found("package://tools/meshes/drill.stl"), Some(beside), "beside");
    assert_eq!(found("meshes/own.stl"), Some(own.clone()), "relative");
    assert_eq!(found("../meshes/hand.stl").unwrap().canonicalize().unwrap(), hand);
    assert_eq!(found(own.to_str().unwrap()), Some(own.clone()), "absolute");
    assert_eq!(found(&format!("file://{}", own.display())), Some(own));
    for nothing in [
        "package://arm_description/meshes/no.stl",
        "package://other/meshes/hand.stl",
        "package://../meshes/hand.stl",
        "package://arm_description",
        "http://127.0.0.1/hand.stl",
        "meshes",
        "",
    ] {
        assert_eq!(found(nothing), None, "{nothing}");
    }
    assert_eq!(find(Path::new("no/such/folder"), "package://a/b.stl"), None);
}

#[test]
fn meshes_of_real_robots_are_found_and_read() {
    let Some(assets) = common::assets() else { return };
    for name in [
        "panda_description/urdf/panda.urdf",
        "g1_description/g1_29dof_rev_1_0.urdf",
        "SO101/so101_new_calib.urdf",
    ] {
        let path = assets.join("mesh_robots").join(name);
        let robot = urdf::read_file(&path, &Limits::default(), &mut Warnings::new()).unwrap();
        let mut n = 0;
        for shape in robot.shapes() {
            let Geometry::Mesh { file, .. } = &shape.geometry else { continue };
            let mesh = find(path.parent().unwrap(), file).unwrap_or_else(|| panic!("{file}"));
            assert!(read_points_of_file(&mesh, &Limits::default()).unwrap().len() > 10, "{file}");
            n += 1;
        }
        assert!(n >= 5, "{name}: {n}");
    }
    let visual = assets.join("mesh_robots/panda_description/meshes/visual");
    let hand = read_points_of_file(&visual.join("hand.dae"), &Limits::default()).unwrap();
    let (min, max) = hand
        .iter()
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(min, max), p| (min.min(*p), max.max(*p)));
    let size = max - min;
    assert!((0.15..0.25).contains(&size.y) && size.x < 0.1, "a hand in metres: {size}");
}
