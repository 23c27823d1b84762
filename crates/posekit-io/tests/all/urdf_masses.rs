//! What URDF says about masses: bodies for the centre of mass, and faults with their place.

use posekit::glam::DVec3;
use posekit::task::{Body, center_of_mass};
use posekit_io::{Error, Limits, Robot, Warnings, read_text, urdf};

use crate::common;

/// A body, an arm that turns, and a hand welded to the arm a metre along x, turned a quarter about z; each with what it weighs.
fn robot([body, arm, hand]: [&str; 3]) -> String {
    format!(
        "<robot name=\"r\">\n<link name=\"body\">{body}</link>\n<link name=\"arm\">{arm}</link>\n<link name=\"hand\">{hand}</link>\n\
         <joint name=\"j\" type=\"continuous\"><origin xyz=\"0 0 1\"/><parent link=\"body\"/><child link=\"arm\"/><axis xyz=\"0 0 1\"/></joint>\n\
         <joint name=\"w\" type=\"fixed\"><origin xyz=\"1 0 0\" quat_xyzw=\"0 0 0.6 0.8\"/><parent link=\"arm\"/><child link=\"hand\"/></joint>\n\
         </robot>"
    )
}

fn read(inertials: [&str; 3]) -> Result<Robot, Error> {
    urdf::read(&robot(inertials), &mut Warnings::new())
}

#[track_caller]
fn refused(inertial: &str, part: &str) {
    let error = read([inertial, "", ""]).expect_err("the text must be refused").to_string();
    assert!(error.contains(part), "`{error}` does not contain `{part}`");
    assert!(error.contains("link `body`, line 2, column "), "`{error}` names no place");
}

#[test]
fn what_is_welded_weighs_where_it_is_welded() {
    let inertials = [
        "<inertial><mass value=\"4\"/></inertial>",
        "<inertial><origin xyz=\"0.5 0 0\" rpy=\"1 2 3\"/><mass value=\"1\"/></inertial>",
        "<inertial><origin xyz=\"1 0 0\"/><mass value=\"3\"/><inertia ixx=\"1\"/></inertial>",
    ];
    let robot = read(inertials).expect("a good robot");
    let [body, arm] = robot.bodies() else { panic!("{:?}", robot.bodies()) };
    assert_eq!(*body, Body { joint: 0, center_in_joint: DVec3::ZERO, mass: 4.0 });
    // The hand's x is 0.28, 0.96 in the arm: cosine and sine of twice the angle whose cosine is 0.8.
    let expected = (DVec3::new(0.5, 0.0, 0.0) + 3.0 * DVec3::new(1.28, 0.96, 0.0)) / 4.0;
    assert_eq!((arm.joint, arm.mass), (1, 4.0));
    assert!((arm.center_in_joint - expected).length() < 1e-15, "{arm:?}");
    let poses = robot.skeleton().poses(&[0.0]);
    let center = center_of_mass(robot.bodies(), &poses);
    assert!((center - (expected + DVec3::Z) / 2.0).length() < 1e-15, "{center}");
}

#[test]
fn what_has_no_inertial_or_no_mass_weighs_nothing() {
    assert!(read(["", "", ""]).expect("a good robot").bodies().is_empty());
    let nothing = "<inertial><mass value=\"0\"/></inertial>";
    assert!(read([nothing; 3]).expect("a good robot").bodies().is_empty());
}

#[test]
fn floating_robots_weigh_the_same() {
    let robot = read(["<inertial><mass value=\"4\"/></inertial>", "", ""]).expect("a good robot");
    let free = robot.with_free_root().expect("a floating base");
    assert_eq!(free.bodies(), robot.bodies());
    assert_eq!(free.skeleton().n_dofs(), robot.skeleton().n_dofs() + 6);
    assert_eq!(free.frame("hand"), robot.frame("hand"));
}

#[test]
fn bad_numbers_are_refused_with_their_place() {
    for (inertial, part) in [
        ("<inertial/>", "`mass` is missing"),
        ("<inertial><mass/></inertial>", "`mass/@value` is missing"),
        ("<inertial><mass value=\"-1\"/></inertial>", "must not be negative, found -1"),
        ("<inertial><mass value=\"nan\"/></inertial>", "not a finite number"),
        ("<inertial><mass value=\"inf\"/></inertial>", "not a finite number"),
        ("<inertial><mass value=\"1,5\"/></inertial>", "a decimal comma?"),
        ("<inertial><mass value=\"1e101\"/></inertial>", "larger than 1e100"),
        ("<inertial><mass value=\"1 2\"/></inertial>", "expected 1 numbers"),
        (
            "<inertial><origin xyz=\"0 0\"/><mass value=\"1\"/></inertial>",
            "expected 3 numbers in `xyz`",
        ),
        ("<inertial><origin xyz=\"0 0 x\"/><mass value=\"1\"/></inertial>", "`x` is not a number"),
        ("<inertial><mass value=\"1\"/><mass value=\"2\"/></inertial>", "a second <mass>"),
        ("<inertial><mass value=\"1\"/></inertial><inertial/>", "a second <inertial>"),
    ] {
        refused(inertial, part);
    }
}

#[test]
fn the_largest_masses_and_distances_stay_finite() {
    let huge = "<inertial><origin xyz=\"1e100 1e100 1e100\"/><mass value=\"1e100\"/></inertial>";
    let robot = read([huge; 3]).expect("a good robot");
    assert!(robot.bodies().iter().all(|body| body.center_in_joint.is_finite()));
}

/// The sum of all masses in a text, taken straight from it.
fn masses_in(text: &str) -> f64 {
    let mut sum = 0.0;
    for part in text.split("<mass").skip(1) {
        let value = part.split_once("value=").map_or("", |(_, behind)| behind);
        let quoted: Vec<&str> = value.splitn(3, ['"', '\'']).collect();
        sum += quoted.get(1).and_then(|number| number.trim().parse::<f64>().ok()).unwrap_or(0.0);
    }
    sum
}

#[test]
fn robots_weigh_what_their_files_say() {
    let Some(assets) = common::assets() else { return };
    let mut n_robots = 0;
    for entry in std::fs::read_dir(assets.join("urdf")).expect("a folder").flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "urdf") {
            continue;
        }
        let mut text = read_text(&path, &Limits::default()).expect("a text");
        while let Some((from, length)) =
            text.find("<!--").and_then(|from| Some((from, text[from..].find("-->")?)))
        {
            text.replace_range(from..from + length + 3, "");
        }
        let robot = urdf::read(&text, &mut Warnings::new()).expect("a robot");
        let mass: f64 = robot.bodies().iter().map(|body| body.mass).sum();
        let expected = masses_in(&text);
        assert!((mass - expected).abs() < 1e-9 * expected, "{}: {mass} {expected}", path.display());
        n_robots += 1;
    }
    assert!(n_robots > 20, "{n_robots}");
}
