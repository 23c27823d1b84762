//! Faulty URDF files, one test per known way to break a reader: refused with a place and a reason, or read with a warning; never a panic, a hang or an
//! overflow of the stack.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a helper of a test may fail and speak as a test does"
)]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use posekit::math::sin;
use posekit::skeleton::Limit;
use posekit_io::{Error, Limits, Place, Robot, Warnings, urdf};

fn read(text: &str) -> Result<(Robot, Warnings), Error> {
    let mut warnings = Warnings::new();
    let robot = urdf::read(text, &mut warnings)?;
    Ok((robot, warnings))
}

/// The error of a text, whose message must hold every part.
#[track_caller]
fn refused(text: &str, parts: &[&str]) -> Error {
    let error = read(text).expect_err("the text must be refused");
    let message = error.to_string();
    for part in parts {
        assert!(message.contains(part), "`{message}` does not contain `{part}`");
    }
    error
}

/// A robot with links `a` and `b` and more.
fn robot(inside: &str) -> String {
    format!("<robot name=\"r\">\n<link name=\"a\"/>\n<link name=\"b\"/>\n{inside}\n</robot>")
}

/// A joint from `a` to `b`.
fn joint(kind: &str, inside: &str) -> String {
    robot(&format!(
        "<joint name=\"j\" type=\"{kind}\"><parent link=\"a\"/><child link=\"b\"/>{inside}</joint>"
    ))
}

fn fixed(name: &str, parent: &str, child: &str) -> String {
    format!(
        "<joint name=\"{name}\" type=\"fixed\"><parent link=\"{parent}\"/><child link=\"{child}\"/></joint>\n"
    )
}

/// A revolute joint with a limit and perhaps more.
fn revolute(name: &str, parent: &str, child: &str, inside: &str) -> String {
    format!(
        "<joint name=\"{name}\" type=\"revolute\"><parent link=\"{parent}\"/><child link=\"{child}\"/>\
         <limit lower=\"-2\" upper=\"2\" effort=\"1\" velocity=\"1\"/>{inside}</joint>\n"
    )
}

#[test]
fn u1_entity_bomb_external_entity_dtd() {
    let bomb = "<?xml version=\"1.0\"?>\n<!DOCTYPE bomb [\n<!ENTITY a \"aaaaaaaaaa\">\n<!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">\n\
                <!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\"> ]>\n<robot name=\"&c;\"><link name=\"a\"/></robot>";
    let error = refused(bomb, &["DTD", "not allowed", "line 2"]);
    assert!(matches!(error, Error::Unsupported { .. }), "{error:?}");
    let external = "<!DOCTYPE robot [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><robot name=\"&x;\"><link name=\"a\"/></robot>";
    refused(external, &["DTD", "not allowed", "line 1"]);
    refused(
        "<!DOCTYPE robot SYSTEM \"http://example.com/robot.dtd\"><robot name=\"r\"/>",
        &["DTD"],
    );
    refused("<robot name=\"&undeclared;\"><link name=\"a\"/></robot>", &["undeclared", "line 1"]);
    // The five entities of XML itself are fine.
    let (robot, _) = read("<robot name=\"a&amp;b &#65;\"><link name=\"a\"/></robot>").unwrap();
    assert_eq!(robot.name(), "a&b A");
}

#[test]
fn u2_nesting_100_000_deep() {
    let deep =
        format!("<robot name=\"r\">{}{}</robot>", "<a>".repeat(100_000), "</a>".repeat(100_000));
    // A small stack: a reader that used it for each level would overflow it.
    let small = std::thread::Builder::new().stack_size(128 << 10);
    let handle = small.spawn(move || {
        let start = Instant::now();
        let error = read(&deep).expect_err("too deep");
        (error, start.elapsed())
    });
    let (error, time) = handle.unwrap().join().unwrap();
    assert!(matches!(error, Error::TooLarge { limit: 256, field: "xml_depth", .. }), "{error:?}");
    assert!(error.to_string().contains("line 1, column "), "{error}");
    assert!(time < Duration::from_millis(50), "{time:?}");
    let unclosed = "<a b=\"'>\">".repeat(100_000);
    assert!(matches!(read(&unclosed), Err(Error::TooLarge { .. })));
    // Up to the cap the XML parser itself runs, on the same small stack.
    let allowed = format!(
        "<robot name=\"r\"><link name=\"a\">{}{}</link></robot>",
        "<a>".repeat(253),
        "</a>".repeat(253)
    );
    let small = std::thread::Builder::new().stack_size(256 << 10);
    assert!(small.spawn(move || read(&allowed).is_ok()).unwrap().join().unwrap());
}

#[test]
fn u3_loops_self_joints_two_parents_two_roots_orphans() {
    let links = "<robot name=\"r\">\n<link name=\"a\"/>\n<link name=\"b\"/>\n<link name=\"c\"/>\n";
    let closed = |joints: &str| format!("{links}{joints}</robot>");
    let two = robot(&format!("{}{}", fixed("j", "a", "b"), fixed("k", "b", "a")));
    refused(&two, &["loop", "`a` -> `b` -> `a`", "closed chains are not supported", "line 4"]);
    let beside = closed(&format!("{}{}", fixed("j", "b", "c"), fixed("k", "c", "b")));
    refused(&beside, &["loop", "`b` -> `c` -> `b`"]);
    let tail = closed(&format!(
        "{}{}{}",
        fixed("j", "c", "a"),
        fixed("k", "b", "c"),
        fixed("l", "c", "b")
    ));
    refused(&tail, &["loop", "`b`", "`c`"]);
    refused(&robot(&fixed("j", "a", "a")), &["joint `j`, line 4", "to itself", "`a`"]);
    let parents = closed(&format!("{}{}", fixed("j", "a", "c"), fixed("k", "b", "c")));
    refused(&parents, &["joint `k`, line 6", "`c` is the child of two joints", "`j` (line 5)"]);
    refused(&closed(&fixed("j", "a", "b")), &["2 links", "one root", "`a`, `c`", "line 4"]);
    refused(&closed(""), &["3 links", "`a`, `b`, `c`"]);
}

#[test]
fn u4_missing_links_and_duplicate_names() {
    refused(&robot(&fixed("j", "a", "nowhere")), &["joint `j`, line 4", "no link `nowhere`"]);
    refused(&robot(&fixed("j", "nowhere", "b")), &["joint `j`, line 4", "no link `nowhere`"]);
    refused(
        &robot("<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/></joint>"),
        &["`child` is missing", "line 4"],
    );
    refused(
        &robot("<joint name=\"j\" type=\"fixed\"><child link=\"b\"/></joint>"),
        &["`parent` is missing"],
    );
    refused(
        &robot("<joint name=\"j\" type=\"fixed\"><parent/><child link=\"b\"/></joint>"),
        &["`parent/@link` is missing"],
    );
    refused(&robot("<joint type=\"fixed\"/>"), &["`joint/@name` is missing"]);
    refused(&robot("<joint name=\"j\"/>"), &["`joint/@type` is missing"]);
    refused(&robot("<joint name=\" \" type=\"fixed\"/>"), &["name is empty"]);
    refused(&robot("<link/>"), &["`link/@name` is missing"]);
    refused("<robot><link name=\"a\"/></robot>", &["`robot/@name` is missing"]);
    refused(&robot("<link name=\"a\"/>"), &["link `a`, line 4", "second link", "first at line 2"]);
    let twice =
        robot(&format!("<link name=\"c\"/>{}{}", fixed("j", "a", "b"), fixed("j", "b", "c")));
    refused(&twice, &["joint `j`, line 5", "second joint", "first at line 4"]);
    let parents = joint("fixed", "\n<parent link=\"b\"/>");
    refused(&parents, &["joint `j`, line 5", "second <parent>", "first at line 4"]);
    // A link and a joint may share a name, as they do in many files.
    let (same, _) = read(&robot(&fixed("a", "a", "b"))).unwrap();
    assert_eq!(same.skeleton().n_joints(), 2);
    assert!(same.skeleton().find("a").is_some());
}

#[test]
fn u5_limit_missing_reversed_nan_or_on_continuous() {
    for kind in ["revolute", "prismatic"] {
        refused(&joint(kind, ""), &["joint `j`, line 4", "`limit` is missing"]);
        refused(
            &joint(kind, "<limit lower=\"1\" upper=\"-1\"/>"),
            &["joint `j`", "`lower` (1)", "`upper` (-1)"],
        );
        refused(
            &joint(kind, "<limit lower=\"nan\" upper=\"1\"/>"),
            &["joint `j`", "`nan` is not a finite number"],
        );
        refused(
            &joint(kind, "<limit lower=\"0\" upper=\"0,5\"/>"),
            &["`0,5` is not a number", "decimal comma"],
        );
        refused(
            &joint(kind, "<limit lower=\"0\" upper=\"\"/>"),
            &["expected 1 numbers", "found 0"],
        );
    }
    // Left out, the bounds are 0: the format says so, and the reader says it too.
    let (robot, warnings) =
        read(&joint("revolute", "<limit effort=\"1\" velocity=\"1\"/>")).unwrap();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings.as_slice()[0].message.contains("defaults to 0"));
    assert!(!robot.skeleton().within_limits(&[0.1], 1e-9));
    let (robot, _) = read(&joint("prismatic", "<limit lower=\"-inf\" upper=\"inf\"/>")).unwrap();
    assert!(robot.skeleton().within_limits(&[1e9], 0.0));
    let (robot, _) = read(&joint("prismatic", "<limit lower=\"0\" upper=\"inf\"/>")).unwrap();
    assert!(robot.skeleton().within_limits(&[1e9], 0.0));
    assert!(!robot.skeleton().within_limits(&[-1.0], 1e-9));
    // A continuous joint has no bounds; 0 and 0 is what exporters write for none.
    let (robot, warnings) =
        read(&joint("continuous", "<limit lower=\"-1\" upper=\"1\"/>")).unwrap();
    assert!(robot.skeleton().within_limits(&[3.0], 0.0));
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings.as_slice()[0].message.contains("continuous joint has no bounds"));
    let (_, warnings) = read(&joint("continuous", "<limit lower=\"0\" upper=\"0\"/>")).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    let (robot, _) = read(&joint("continuous", "")).unwrap();
    assert!(robot.skeleton().within_limits(&[3.0], 0.0));
}

#[test]
fn u6_axis_zero_not_unit_nan_or_short() {
    let with_axis = |xyz: &str| joint("continuous", &format!("<axis xyz=\"{xyz}\"/>"));
    refused(&with_axis("0 0 0"), &["joint `j`, line 4", "axis is zero"]);
    refused(&with_axis("nan 0 0"), &["joint `j`", "`nan` is not a finite number"]);
    refused(&with_axis("0 0 1e200"), &["joint `j`, line 4", "larger than 1e100"]);
    refused(&with_axis("0 inf 0"), &["`inf` is not a finite number"]);
    refused(&with_axis("1 0"), &["expected 3 numbers", "found 2"]);
    refused(&with_axis("1 0 0 0"), &["found 4"]);
    refused(&with_axis("1 0 z"), &["`z` is not a number"]);
    refused(&joint("continuous", "<axis/>"), &["`axis/@xyz` is missing"]);
    for (xyz, warned) in [("0 0 2", 1), ("0 0 1e-200", 1), ("0 0 1e99", 1), ("0 0 0.9999999", 0)] {
        let (robot, warnings) = read(&with_axis(xyz)).unwrap();
        assert_eq!(warnings.len(), warned, "{xyz}: {warnings:?}");
        let frame = robot.frame("b").unwrap();
        let turned = frame.world(&robot.skeleton().poses(&[0.5])).rotation;
        assert!((turned.z - sin(0.25)).abs() < 1e-12, "{xyz}: {turned}");
    }
    // The default is x; joints without an axis do not look at it.
    let (robot, _) = read(&joint("continuous", "")).unwrap();
    let turned = robot.frame("b").unwrap().world(&robot.skeleton().poses(&[0.5])).rotation;
    assert!((turned.x - sin(0.25)).abs() < 1e-12);
    let (_, warnings) = read(&joint("fixed", "<axis xyz=\"0 0 0\"/>")).unwrap();
    assert!(warnings.is_empty());
}

#[test]
fn u7_mimic_of_missing_joint_of_itself_or_in_a_loop() {
    let three = |first: &str, second: &str| {
        robot(&format!(
            "<link name=\"c\"/>\n{}{}",
            revolute("j", "a", "b", first),
            revolute("k", "b", "c", second)
        ))
    };
    refused(&three("", "<mimic joint=\"nobody\"/>"), &["joint `k`, line 6", "no joint `nobody`"]);
    refused(&three("", "<mimic joint=\"k\"/>"), &["joint `k`", "loop", "`k` follows `k`"]);
    refused(
        &three("<mimic joint=\"k\"/>", "<mimic joint=\"j\"/>"),
        &["loop", "`j` follows `k` follows `j`"],
    );
    refused(&three("", "<mimic/>"), &["`mimic/@joint` is missing"]);
    refused(&three("", "<mimic joint=\"j\" multiplier=\"nan\"/>"), &["not a finite number"]);
    refused(&three("", "<mimic joint=\"j\" offset=\"9\"/>"), &["joint `k`, line 6", "no value of"]);
    // Honoured, also when the joint it follows comes later in the file and in the tree.
    let (robot, warnings) =
        read(&three("<mimic joint=\"k\" multiplier=\"-2\" offset=\"0.5\"/>", "")).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    let skeleton = robot.skeleton();
    assert_eq!(skeleton.n_dofs(), 1);
    let mut q = skeleton.zero_with(&[("k", 0.3)]);
    skeleton.settle(&mut q);
    let j = skeleton.find("j").unwrap();
    assert!((q[skeleton.value_range(j).start] - (0.5 - 2.0 * 0.3)).abs() < 1e-12);
    // A fixed joint follows nothing, and one that follows a fixed joint never moves.
    let (_, warnings) = read(&joint("fixed", "<mimic joint=\"anything\"/>")).unwrap();
    assert!(warnings.as_slice()[0].message.contains("<mimic> is ignored"));
    let held = three("<mimic joint=\"k\" offset=\"0.5\"/>", "")
        .replace("name=\"k\" type=\"revolute\"", "name=\"k\" type=\"fixed\"");
    let (robot, warnings) = read(&held).unwrap();
    assert_eq!(robot.skeleton().n_dofs(), 0);
    assert!(warnings.as_slice()[0].to_string().contains("joint `j`, line 5"), "{warnings:?}");
    let turned = robot.frame("b").unwrap().world(&robot.skeleton().poses(&[])).rotation;
    assert!((turned.x - sin(0.25)).abs() < 1e-12);
    let floating = joint("floating", "<mimic joint=\"j\"/>");
    refused(&floating, &["a floating joint cannot mimic"]);
}

/// What the mimic test needs beside the library: a configuration with some joints set by name.
trait ZeroWith {
    fn zero_with(&self, values: &[(&str, f64)]) -> Vec<f64>;
}

impl ZeroWith for posekit::skeleton::Skeleton {
    fn zero_with(&self, values: &[(&str, f64)]) -> Vec<f64> {
        let mut q = vec![0.0; self.n_values()];
        for (name, value) in values {
            q[self.value_range(self.find(name).unwrap()).start] = *value;
        }
        q
    }
}

#[test]
fn u8_unknown_joint_type_or_tag() {
    refused(
        &joint("hinge", ""),
        &["joint `j`, line 4, column", "unknown joint type `hinge`", "revolute"],
    );
    refused(&joint("", ""), &["unknown joint type ``"]);
    refused("<sdf version=\"1.7\"><model name=\"m\"/></sdf>", &["<robot>", "<sdf>"]);
    let text = robot(&format!(
        "{}<gazebo reference=\"a\"/>\n<gazebo/><gazebo/>\n<transmission name=\"t\"/>\n\
         <material name=\"m\"/>\n<link_attachment/>",
        fixed("j", "a", "b").replace("</joint>", "<dynamics damping=\"1\"/><spring/></joint>")
    ));
    let (_, warnings) = read(&text).unwrap();
    let messages: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    let expected = [
        "line 4, column 88: <spring> does not affect the joints; ignored",
        "line 9, column 1: <link_attachment> does not affect the joints; ignored",
    ];
    assert_eq!(messages, expected);
    // An attribute that is nearly one of the format's is a likely mistake.
    let text = joint("revolute", "<limit lower=\"-1\" uper=\"1\" upper=\"0.5\"/>");
    let (_, warnings) = read(&text).unwrap();
    assert!(warnings.as_slice()[0].message.contains("unknown attribute `uper` of <limit>"));
    // Elements of other namespaces are someone else's, whatever they are called.
    let text = robot(&fixed("j", "a", "b"))
        .replace("name=\"r\"", "name=\"r\" xmlns:drake=\"http://drake.mit.edu\"")
        .replace("</robot>", "<drake:link name=\"a\"/><frame link=\"a\" name=\"f\"/></robot>");
    let (robot, warnings) = read(&text).unwrap();
    assert_eq!((robot.links().len(), warnings.len()), (2, 1));
    assert!(warnings.as_slice()[0].message.contains("<frame>"));
}

#[test]
fn u9_xacro_given_as_urdf() {
    let namespace = "xmlns:xacro=\"http://www.ros.org/wiki/xacro\"";
    let texts = [
        format!(
            "<robot name=\"r\" {namespace}><xacro:include filename=\"$(find x)/y.xacro\"/></robot>"
        ),
        "<robot name=\"r\"><link name=\"a\"/><xacro:arm/></robot>".to_owned(),
        "<robot name=\"${name}\"><link name=\"a\"/></robot>".to_owned(),
        "<robot name=\"$(arg name)\"><link name=\"a\"/></robot>".to_owned(),
        robot("<joint name=\"${prefix}j\" type=\"fixed\"/>"),
        joint("fixed", "<origin xyz=\"0 0 ${height}\"/>"),
        format!(
            "<robot name=\"r\" {namespace}><link name=\"a\"><visual><xacro:box/></visual></link></robot>"
        ),
    ];
    for text in texts {
        refused(&text, &["xacro", "runs no programs", "line "]);
    }
    // An expanded file often keeps the declaration.
    let (_, warnings) =
        read(&format!("<robot name=\"r\" {namespace}><link name=\"a\"/></robot>")).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn u10_mesh_paths_are_never_opened() {
    let mut links = String::new();
    let paths = [
        "package://robot/meshes/a.dae",
        "http://127.0.0.1:1/a.stl",
        "/etc/passwd",
        "../../../../etc/passwd",
        "file:///dev/zero",
        "%FF%FE.bin",
        "",
    ];
    for path in paths {
        write!(links, "<visual><geometry><mesh filename=\"{path}\"/></geometry></visual>").unwrap();
    }
    let start = Instant::now();
    let (robot, warnings) =
        read(&format!("<robot name=\"r\"><link name=\"a\">{links}</link></robot>")).unwrap();
    // The empty name is no file; the others are kept as written.
    let warnings = warnings.as_slice();
    assert!(
        warnings.len() == 1 && warnings[0].message.contains("without a file name"),
        "{warnings:?}"
    );
    assert_eq!((robot.links().len(), robot.visuals().len()), (1, paths.len() - 1));
    assert!(start.elapsed() < Duration::from_secs(1), "something was fetched");
}

#[test]
fn u11_encodings_byte_order_marks_and_nul_bytes() {
    let text =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><robot name=\"Bär\"><link name=\"a\"/></robot>";
    let read_bytes =
        |bytes: &[u8]| urdf::read_bytes(bytes, &Limits::default(), &mut Warnings::new());
    assert_eq!(read_bytes(text.as_bytes()).unwrap().name(), "Bär");
    let marked = [b"\xEF\xBB\xBF", text.as_bytes()].concat();
    assert_eq!(read_bytes(&marked).unwrap().name(), "Bär");
    assert_eq!(read(&format!("\u{FEFF}{text}")).unwrap().0.name(), "Bär");
    let named = |bytes: &[u8], name: &str| {
        let error = read_bytes(bytes).unwrap_err();
        assert!(matches!(error, Error::Encoding { .. }), "{error:?}");
        assert!(error.to_string().contains(name), "`{error}` does not contain `{name}`");
    };
    let wide = |text: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    };
    named(&wide(&format!("\u{FEFF}{text}"), u16::to_le_bytes), "UTF-16 (little-endian)");
    named(&wide(&format!("\u{FEFF}{text}"), u16::to_be_bytes), "UTF-16 (big-endian)");
    named(&wide(text, u16::to_le_bytes), "UTF-16 (little-endian)");
    named(&wide(text, u16::to_be_bytes), "UTF-16 (big-endian)");
    let latin1: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    named(&latin1, "Latin-1");
    named(text.replace("UTF-8", "ISO-8859-1").as_bytes(), "declared as ISO-8859-1");
    named(text.replace("UTF-8", "UTF-16").as_bytes(), "declared as UTF-16");
    named(text.replace("link", "li\0k").as_bytes(), "NUL");
    refused(&text.replace("link", "li\0k"), &["line 1"]);
}

#[test]
fn u12_long_chains_empty_robots_empty_and_cut_files() {
    let chain = |joints: usize| {
        let mut text = String::from("<robot name=\"r\">\n<link name=\"l0\"/>\n");
        // Leaf first, so that the order of the file is the worst one.
        for index in (0..joints).rev() {
            let origin = "<origin xyz=\"0 0 1\"/>";
            text.push_str(&revolute(
                &format!("j{index}"),
                &format!("l{index}"),
                &format!("l{}", index + 1),
                origin,
            ));
            writeln!(text, "<link name=\"l{}\"/>", index + 1).unwrap();
        }
        text + "</robot>"
    };
    let long = chain(10_000);
    let start = Instant::now();
    let (robot, warnings) = read(&long).unwrap();
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert!(warnings.is_empty());
    let poses = robot.skeleton().poses(&robot.zero_configuration());
    assert_eq!(robot.frame("l10000").unwrap().world(&poses).translation.z, 10_000.0);
    let error =
        urdf::read_with(&chain(11), &Limits::default().with_joints(10), &mut Warnings::new());
    assert!(matches!(error, Err(Error::TooLarge { limit: 10, field: "joints", .. })));
    let nodes =
        urdf::read_with(&chain(11), &Limits::default().with_xml_nodes(20), &mut Warnings::new());
    assert!(matches!(nodes, Err(Error::TooLarge { limit: 20, field: "xml_nodes", .. })));
    refused("<robot name=\"r\"/>", &["no links", "line 1"]);
    refused("<robot name=\"r\"></robot>", &["no links"]);
    for empty in ["", " \n\t\n", "\u{FEFF}"] {
        refused(empty, &["the file is empty", "byte "]);
    }
    let whole = joint("continuous", "<origin xyz=\"0 0 1\" rpy=\"0 0 0\"/><!-- c -->");
    for end in 1..whole.len() {
        let error = read(&whole[..end]).expect_err("a cut file");
        let Error::Syntax { place: Place { byte, line, .. }, .. } = &error else {
            panic!("cut at {end}: {error:?}")
        };
        assert!(*byte <= end && *line >= 1, "cut at {end}: {error}");
        assert!(error.to_string().contains("byte "), "{error}");
    }
}

#[test]
fn a_follower_that_repeats_its_drivers_range_does_not_hold_it() {
    let text = r#"<robot name="gripper"><link name="palm"/><link name="left"/><link name="right"/>
        <joint name="finger" type="revolute"><parent link="palm"/><child link="left"/>
            <axis xyz="0 0 1"/><limit lower="0" upper="0.8" effort="1" velocity="1"/></joint>
        <joint name="other" type="revolute"><parent link="palm"/><child link="right"/>
            <axis xyz="0 0 1"/><limit lower="0" upper="0.8" effort="1" velocity="1"/>
            <mimic joint="finger" multiplier="-1"/></joint></robot>"#;
    let mut warnings = Warnings::default();
    let robot = urdf::read(text, &mut warnings).unwrap();
    let finger = robot.skeleton().find("finger").unwrap();
    assert_eq!(robot.skeleton().limit(finger), Limit::Range { min: 0.0, max: 0.8 });
    let said: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    assert!(said.iter().any(|w| w.contains("`other`") && w.contains("`finger`")), "{said:?}");
}
