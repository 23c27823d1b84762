//! BVH files that are wrong, odd or huge: what each hazard of the format does.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail as a test does")]

use std::fmt::Write as _;
use std::io::Read;

use posekit_io::bvh::{self, Axis, Channel, File, Node, Options};
use posekit_io::{Error, Limits, Result, Warnings};

const HIERARCHY: &str = "HIERARCHY\nROOT hip\n{\n\tOFFSET 0 0 0\n\tCHANNELS 3 Xposition Yrotation Zrotation\n\tEnd Site\n\t{\n\t\tOFFSET 0 1 0\n\t}\n}\n";

/// A file of three channels with these lines behind `MOTION`.
fn file(motion: &str) -> String {
    format!("{HIERARCHY}MOTION\n{motion}")
}

/// A file of three channels with a right head and these rows.
fn with_rows(declared: &str, rows: &str) -> String {
    file(&format!("Frames: {declared}\nFrame Time: 0.1\n{rows}"))
}

fn read_with(text: impl AsRef<[u8]>, options: &Options) -> (Result<File>, Vec<String>) {
    let mut warnings = Warnings::new();
    let file = bvh::read_bytes(text.as_ref(), options, &Limits::default(), &mut warnings);
    (file, warnings.iter().map(ToString::to_string).collect())
}

/// A file that is right, without warnings.
fn read(text: impl AsRef<[u8]>) -> File {
    let (file, warnings) = read_with(text, &Options::strict());
    assert_eq!(warnings, Vec::<String>::new(), "nothing to warn of");
    file.unwrap()
}

fn lenient(text: impl AsRef<[u8]>) -> (File, Vec<String>) {
    let (file, warnings) = read_with(text, &Options::lenient());
    (file.unwrap(), warnings)
}

/// The error of a file.
fn refused(text: impl AsRef<[u8]>) -> String {
    read_with(text, &Options::strict()).0.unwrap_err().to_string()
}

#[track_caller]
fn assert_has(text: &str, part: &str) {
    assert!(text.contains(part), "`{part}` is not in: {text}");
}

/// A file of one root with these lines in its braces, and no frames.
fn root(lines: &str) -> String {
    format!("HIERARCHY\nROOT hip\n{{\n{lines}\n}}\nMOTION\nFrames: 0\nFrame Time: 0.1\n")
}

#[test]
fn b1_more_frames_declared_than_there_are() {
    let text = with_rows("5", "1 2 3\n4 5 6\n");
    let error = refused(&text);
    assert_has(&error, "`Frames` is 5, but 2 rows follow");
    assert_has(&error, "Frames, line 12, column 9");
    let (file, warnings) = lenient(&text);
    assert_eq!(file.values(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert_has(&warnings[0], "`Frames` is 5, but 2 rows follow");
}

#[test]
fn b1_a_file_that_was_cut_anywhere_gives_its_whole_rows() {
    let whole = with_rows("3", "1 2.5 3\n4 5.5 6\n7 8.5 9.75\n");
    let full = read(&whole);
    let motion = whole.find("0.1\n").unwrap() + 4;
    for cut in motion..=whole.len() {
        let (file, warnings) = lenient(&whole[..cut]);
        let n = file.n_frames();
        let line_ends = whole[motion..cut].matches('\n').count();
        // The whole number of rows is there even without the last line end.
        let is_complete = cut >= whole.len() - 1;
        // `9.` and `9.7` are numbers, and nothing tells that they were cut: the count is right.
        let seems_complete = cut > whole.rfind("9.75").unwrap();
        if seems_complete && !is_complete {
            continue;
        }
        assert_eq!(file.values(), &full.values()[..3 * n], "cut at {cut}: whole rows of the file");
        assert_eq!(n, if is_complete { 3 } else { line_ends }, "cut at {cut}");
        assert_eq!(warnings.is_empty(), is_complete, "cut at {cut}: {warnings:?}");
    }
    for cut in 0..motion {
        let (file, _) = read_with(&whole[..cut], &Options::lenient());
        if let Ok(file) = file {
            assert_eq!(file.n_frames(), 0, "cut at {cut}");
        }
    }
}

#[test]
fn b1_a_fault_ends_a_lenient_reading_and_shifts_nothing() {
    let (file, warnings) = lenient(with_rows("4", "1 2 3\n4 x 6\n7 8 9\n1 1 1\n"));
    assert_eq!(file.values(), [1.0, 2.0, 3.0]);
    assert_has(&warnings[0], "frame 1, Yrotation of `hip`, line 15, column 3");
    assert_has(&warnings[0], "the rows from here on, 3, are omitted");
    assert_has(&warnings[1], "`Frames` is 4, but 1 rows follow");
}

#[test]
fn b1_a_hierarchy_alone_has_no_frames() {
    assert_has(&refused(HIERARCHY), "`MOTION` is missing");
    let (file, warnings) = lenient(HIERARCHY);
    assert_eq!((file.n_frames(), file.nodes().len()), (0, 2));
    assert_has(&warnings[0], "no `MOTION`");
    let (file, _) = lenient(self::file("Frame Time: 0.1\n1 2 3\n"));
    assert_eq!(file.n_frames(), 1, "without `Frames`");
}

#[test]
fn b2_fewer_frames_declared_than_there_are() {
    let text = with_rows("1", "1 2 3\n4 5 6\n");
    assert_has(&refused(&text), "`Frames` is 1, but 2 rows follow");
    let (file, warnings) = lenient(&text);
    assert_eq!(file.n_frames(), 2, "nothing is dropped");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
}

#[test]
fn b2_blank_lines_and_blanks_at_the_end_are_fine() {
    for rows in ["1 2 3\n\n\n", "1 2 3   \n \t \n", "\n1 2 3", "1 2 3\r\n\r\n", "  1  2  3  "] {
        assert_eq!(read(with_rows("1", rows)).values(), [1.0, 2.0, 3.0], "{rows:?}");
    }
}

#[test]
fn b3_a_declared_number_of_frames_is_never_believed() {
    for count in ["4000000000", "18446744073709551615"] {
        assert_has(&refused(with_rows(count, "1 2 3\n")), "1 rows follow");
        assert_eq!(lenient(with_rows(count, "1 2 3\n")).0.n_frames(), 1, "{count}");
    }
    for count in ["-3", "1e3", "18446744073709551616", "3.0", "+3", "", "x"] {
        let error = refused(with_rows(count, "1 2 3\n"));
        assert_has(&error, &format!("`{count}` is not a number of frames"));
        assert_has(&error, "line 12");
    }
    let empty = read(with_rows("0", ""));
    assert_eq!((empty.n_frames(), empty.values().len()), (0, 0));
    assert_eq!(read(empty.to_bytes()), empty);
}

#[test]
fn b4_a_frame_time_that_cannot_be() {
    for time in ["0", "-0.033", "1e-12", "nan", "inf", "1e30", "abc", "0,033", "", "0.1 0.2"] {
        let text = file(&format!("Frames: 1\nFrame Time: {time}\n1 2 3\n"));
        let error = refused(&text);
        assert_has(&error, "Frame Time, line 13");
        let given = read_with(&text, &Options::strict().with_frame_time(0.04)).0.unwrap();
        assert_eq!((given.frame_time(), given.n_frames()), (0.04, 1), "{time}");
    }
    let missing = file("Frames: 1\n1 2 3\n");
    assert_has(&refused(&missing), "`Frame Time` is missing");
    let given = read_with(&missing, &Options::strict().with_frame_time(0.04)).0.unwrap();
    assert_eq!(given.values(), [1.0, 2.0, 3.0], "the row is not taken for the missing line");
    for time in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = read_with(&missing, &Options::strict().with_frame_time(time)).0.unwrap_err();
        assert_has(&error.to_string(), "frame_time");
    }
}

#[test]
fn b5_values_that_are_not_finite() {
    for word in ["nan", "NaN", "inf", "-INF", "1e39", "-1.#IND", "1.#QNAN", "nan(ind)", "-nan"] {
        let text = with_rows("3", &format!("1 2 3\n4 {word} 6\n7 8 9\n"));
        let error = refused(&text);
        assert_has(&error, "frame 1, Yrotation of `hip`, line 15, column 3");
        assert_has(&error, "not finite");
        let (filled, warnings) = read_with(&text, &Options::strict().filling_gaps());
        assert_eq!(filled.unwrap().frame(1), [4.0, 5.0, 6.0], "{word}");
        assert_has(&warnings[0], "1 values that are not finite are interpolated");
    }
}

#[test]
fn b5_gaps_are_filled_in_proportion_and_angles_the_short_way() {
    let options = Options::strict().filling_gaps();
    let text = with_rows("5", "nan 170 nan\n1 nan 3\n2 nan 4\nnan nan nan\nnan -170 nan\n");
    let (file, warnings) = read_with(&text, &options);
    let file = file.unwrap();
    let column = |channel: usize| -> Vec<f64> { (0..5).map(|f| file.frame(f)[channel]).collect() };
    assert_eq!(column(0), [1.0, 1.0, 2.0, 2.0, 2.0], "the nearest at the ends");
    assert_eq!(column(1), [170.0, 175.0, 180.0, 185.0, -170.0], "not through zero");
    assert_eq!(column(2), [3.0, 3.0, 4.0, 4.0, 4.0]);
    assert_has(&warnings[0], "9 values");
    let none = with_rows("2", "1 nan 3\n1 nan 3\n");
    let error = read_with(&none, &options).0.unwrap_err().to_string();
    assert_has(&error, "Yrotation of `hip`: no frame has a finite value");
}

#[test]
fn b6_line_ends_marks_and_blanks() {
    let plain = read(with_rows("2", "1 2 3\n4 5 6\n"));
    let text = with_rows("2", "1 2 3\n4 5 6\n");
    for end in ["\r\n", "\r", "\n\n", "\r\r\n", " \n\t", "\x0C\n"] {
        assert_eq!(read(text.replace('\n', end)), plain, "{end:?}");
    }
    assert_eq!(read(format!("\u{FEFF}{text}")), plain, "a byte-order mark");
    assert_eq!(read(text.replace("1 2 3", "\t1\t 2\x0C3\x0B")), plain, "other blanks");
    assert_eq!(read(text.to_lowercase()).nodes()[0].channels, plain.nodes()[0].channels);
    assert_eq!(read(text.to_uppercase().replace("HIP", "hip")), plain, "upper case");
    let dense = text.replace('\t', "").replace("\n{\nOFFSET", " { OFFSET");
    assert_eq!(read(dense), plain, "braces on the line of the name");
    let head =
        text.replace("Frames: 2", " FRAMES :2 ").replace("Frame Time: 0.1", "frame\ttime 1E-1");
    assert_eq!(read(head), plain, "a head with blanks and without colons");
    let swapped = text.replace("Frames: 2\nFrame Time: 0.1", "Frame Time: 0.1\nFrames: 2");
    assert_eq!(read(swapped), plain, "a head in the other order");
}

#[test]
fn b6_a_decimal_comma_is_called_one() {
    let error = refused(with_rows("1", "1 2,5 3\n"));
    assert_has(&error, "`2,5` has a decimal comma");
    assert_has(&error, "line 14, column 3");
    assert_has(&refused(root("OFFSET 0 1,5 0\nCHANNELS 0")), "decimal comma");
    assert_has(&refused(with_rows("1", "1, 2, 3\n")), "blanks between numbers");
}

#[test]
fn b6_other_encodings_and_formats_are_named() {
    let wide: Vec<u8> = HIERARCHY.bytes().flat_map(|byte| [byte, 0]).collect();
    assert_has(&refused(wide), "UTF-16 (little-endian)");
    assert_has(&refused(HIERARCHY.replace("hip", "h\0p")), "NUL");
    assert_has(&refused(b"glTF\x02\x00\x00\x00"), "a binary glTF");
    assert_has(&refused(""), "the file is empty");
    assert_has(&refused("{\"asset\": 1}"), "a BVH begins with `HIERARCHY`; found `{`");
}

#[test]
fn b7_rows_that_are_too_short_or_too_long() {
    let error = refused(with_rows("2", "1 2 3\n4 5\n"));
    assert_has(&error, "frame 1, line 15, column 4: the row has 2 numbers; there are 3 channels");
    let error = refused(with_rows("2", "1 2 3\n4 5 6 7 8\n"));
    assert_has(&error, "frame 1, line 15, column 7: the row has 5 numbers; there are 3 channels");
    assert_has(&refused(with_rows("1", "1 2 3 the end\n")), "5 numbers");
    assert_has(&refused(with_rows("1", "1 2 3\nthe end\n")), "`the` is not a number");
}

#[test]
fn b8_channels_that_are_wrong() {
    let with = |channels: &str| refused(root(&format!("OFFSET 0 0 0\nCHANNELS {channels}")));
    assert_has(&with("3 Xrotation Yrotation"), "3 channels are declared, 2 are named");
    assert_has(&with("1 Xrotation Yrotation"), "more channels than `CHANNELS` declares");
    for count in ["999999999", "7", "-1", "2.0", "x", "99999999999999999999999"] {
        assert_has(&with(&format!("{count} Xrotation")), "the number of channels is 0 to 6");
    }
    assert_has(&with("2 Xrotation xROTATION"), "a second Xrotation");
    assert_has(&with("1 Xscale"), "`Xscale` is not a channel");
    assert_has(&with("1 Wrotation"), "CHANNELS of `hip`, line 5, column 12");
    assert_has(&with("0\nCHANNELS 0"), "a second `CHANNELS`, first at line 5");
}

#[test]
fn b8_any_number_of_channels_in_any_order() {
    for (channels, n) in [
        ("0", 0),
        ("1 Zrotation", 1),
        ("2 Yposition Xrotation", 2),
        ("4 Zrotation Xposition Yrotation Xrotation", 4),
        ("5 Xposition Yposition Zposition Yrotation Zrotation", 5),
        ("6 Zrotation Xrotation Yrotation Zposition Yposition Xposition", 6),
        ("3 Xposition\nYposition\n\tZposition", 3),
    ] {
        let file = read(root(&format!("OFFSET 0 0 0\nCHANNELS {channels}")));
        assert_eq!(file.n_channels(), n, "{channels}");
        assert_eq!(read(file.to_bytes()), file, "{channels}");
    }
    let (file, warnings) = read_with(root("OFFSET 0 0 0"), &Options::strict());
    assert_eq!(file.unwrap().n_channels(), 0);
    assert_has(&warnings[0], "`hip`, line 2, column 1: there is no `CHANNELS`");
}

#[test]
fn b8_without_channels_there_are_no_frames() {
    let still = root("OFFSET 0 0 0\nCHANNELS 0");
    assert_eq!(read(&still).n_frames(), 0);
    let declared = still.replace("Frames: 0", "Frames: 4000000000");
    assert_has(&refused(&declared), "0 rows follow");
    assert_has(&refused(format!("{still}1\n")), "there are 0 channels");
    assert_eq!(lenient(&declared).0.n_frames(), 0);
}

#[test]
fn b9_each_joint_keeps_its_own_order() {
    let text = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT b\n{\nOFFSET 0 1 0\nCHANNELS 3 Yrotation Zrotation Xrotation\n}\n}\nMOTION\nFrames: 0\nFrame Time: 1\n";
    let file = read(text);
    let axes = |node: usize| -> Vec<Axis> {
        let channels = file.nodes()[node].channels.iter();
        channels
            .map(|c| match c {
                Channel::Rotation(axis) | Channel::Position(axis) => *axis,
            })
            .collect()
    };
    assert_eq!(axes(0), [Axis::Z, Axis::X, Axis::Y]);
    assert_eq!(axes(1), [Axis::Y, Axis::Z, Axis::X]);
}

#[test]
fn b10_braces_and_places() {
    let motion = "MOTION\nFrames: 0\nFrame Time: 1\n";
    let with = |hierarchy: &str| refused(format!("HIERARCHY\n{hierarchy}\n{motion}"));
    assert_has(&with("ROOT a\n{\nOFFSET 0 0 0"), "`a`, line 2, column 1");
    assert_has(
        &with("ROOT a\n{\nOFFSET 0 0 0"),
        "its closing brace is missing: `MOTION` follows at line 5",
    );
    assert_has(&refused("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n"), "the file ends before it");
    assert_has(&with("ROOT a\n{\nOFFSET 0 0 0\n}\n}"), "line 6, column 1, byte");
    assert_has(&with("ROOT a\n{\nOFFSET 0 0 0\n}\n}"), "this brace closes nothing");
    assert_has(&with("ROOT a\nOFFSET 0 0 0\n}"), "expected `{`, found `OFFSET`");
    assert_has(&with("ROOT a\n{\nOFFSET 0 0 0\nROOT b\n{\n}\n}"), "a brace is missing");
    assert_has(&with("JOINT a\n{\nOFFSET 0 0 0\n}"), "only a `ROOT` may be outside");
    assert_has(&with("End Site\n{\nOFFSET 0 0 0\n}"), "only a `ROOT` may be outside");
    assert_has(&with("OFFSET 0 0 0"), "`OFFSET` is outside of all joints");
    assert_has(&with("ROOT a\n{\nOFFSET 0 0 0\nEnd\n{\n}\n}"), "expected `Site`, found `{`");
    assert_has(
        &with("ROOT a\n{\nOFFSET 0 0 0\nEnd Site\n{\nOFFSET 0 0 0\nJOINT b\n{\n}\n}\n}"),
        "it is inside the End Site of line 5",
    );
    assert_has(
        &with("ROOT a\n{\nOFFSET 0 0 0\nEnd Site\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\n}"),
        "an End Site with channels",
    );
    assert_has(&with(""), "`ROOT` is missing");
    assert_has(
        &refused(file("Frames: 0\nFrame Time: 1\n").replace("MOTION", "MOTION 1")),
        "nothing may follow `MOTION`",
    );
    assert_has(&with("HIERARCHY"), "expected `ROOT` or `MOTION`, found `HIERARCHY`");
}

#[test]
fn b10_an_empty_joint() {
    let text = "HIERARCHY\nROOT a\n{\n}\nMOTION\nFrames: 0\nFrame Time: 1\n";
    assert_has(&refused(text), "`a`, line 2, column 1: `OFFSET` is missing");
    let (file, warnings) = lenient(text);
    assert_eq!(file.nodes()[0].offset.to_array(), [0.0; 3]);
    assert_has(&warnings[0], "there is no `OFFSET`; it is read as zero");
}

#[test]
fn b10_leaves_without_end_sites_and_several_roots() {
    let text = "HIERARCHY
ROOT a
{
\tOFFSET 0 0 0
\tCHANNELS 1 Xrotation
\tEnd Site left
\t{
\t\tOFFSET 0 0 1
\t}
\tJOINT leaf
\t{
\t\tOFFSET 0 1 0
\t\tCHANNELS 1 Yrotation
\t}
\tEnd Site
\t{
\t\tOFFSET 0 0 2
\t}
}
ROOT b
{
\tOFFSET 5 0 0
\tCHANNELS 1 Zrotation
}
MOTION
Frames: 1
Frame Time: 0.5
1 2 3
";
    let file = read(text);
    let parents: Vec<Option<usize>> = file.nodes().iter().map(|node| node.parent).collect();
    assert_eq!(parents, [None, Some(0), Some(0), Some(0), None]);
    assert_eq!(file.channel_range(4), 2..3, "the second root has the last channel");
    assert_eq!(String::from_utf8(file.to_bytes()).unwrap(), text, "End Sites where they were");
}

#[test]
fn b11_names_are_kept_byte_for_byte() {
    let long = "n".repeat(10_000);
    for name in [
        "left foot",
        "mixamorig:Hips",
        "骨盤",
        "ümlaut\u{301}",
        "a{b}c",
        "{x",
        "}",
        "\"q\"",
        "JOINT",
        "",
        &long,
    ] {
        let text = HIERARCHY.replace("ROOT hip", &format!("ROOT {name}"));
        let file = read(format!("{text}MOTION\nFrames: 0\nFrame Time: 1\n"));
        assert_eq!(file.nodes()[0].name, name.as_bytes(), "{name}");
        assert_eq!(read(file.to_bytes()), file, "{name}");
    }
    let text = b"HIERARCHY\nROOT caf\xE9 \xFF\xFE\t \n{\nOFFSET 0 0 0\nCHANNELS 0\n}\nMOTION\nFrames: 0\nFrame Time: 1\n";
    let file = read(text);
    assert_eq!(file.nodes()[0].name, b"caf\xE9 \xFF\xFE", "not UTF-8, the blanks around it gone");
    assert_eq!(file.nodes()[0].label(), "caf\u{FFFD} \u{FFFD}\u{FFFD}");
    assert_eq!(read(file.to_bytes()), file);
    let limits = Limits::default();
    let endless = format!("HIERARCHY\nROOT {}", "n".repeat(limits.text_bytes + 1));
    assert_has(&refused(endless), "the length of the name at line 2 in bytes is more than");
}

#[test]
fn b11_names_that_a_file_cannot_hold_are_not_written() {
    let node = |name: &str| Node {
        name: name.into(),
        parent: None,
        offset: posekit::glam::DVec3::ZERO,
        channels: Vec::new(),
        is_end_site: false,
    };
    for name in [" a", "a ", "a\nb", "a\rb", "a {", "{", "a { b", "\ta", "a\0"] {
        let error = File::try_new(vec![node(name)], 1.0, Vec::new()).unwrap_err();
        assert_has(&error.to_string(), "a file cannot contain this name");
    }
}

#[test]
fn b12_offsets() {
    let zero = read(root("OFFSET 0 -0.0 0e0\nCHANNELS 0"));
    assert_eq!(zero.nodes()[0].offset.to_array(), [0.0; 3]);
    let with = |offset: &str| refused(root(&format!("OFFSET {offset}\nCHANNELS 0")));
    assert_has(&with("nan 0 0"), "OFFSET of `hip`, line 4, column 8: `nan` is not finite");
    assert_has(&with("0 1e39 0"), "`1e39` is not finite");
    assert_has(&with("0 1"), "an offset has three numbers; found `CHANNELS`");
    assert_has(
        &with("0 1 2 3"),
        "expected `OFFSET`, `CHANNELS`, `JOINT`, `End Site` or `}`, found `3`",
    );
    assert_has(&with("0 0 0\nOFFSET 1 1 1"), "a second `OFFSET`, first at line 4");
}

/// A file with a chain of so many joints.
fn chain(n: usize) -> String {
    let mut text = String::from("HIERARCHY\n");
    for joint in 0..n {
        let keyword = if joint == 0 { "ROOT" } else { "JOINT" };
        write!(text, "{keyword} j{joint}\n{{\nOFFSET 0 1 0\nCHANNELS 1 Xrotation\n").unwrap();
    }
    text.extend(std::iter::repeat_n("}\n", n));
    text.push_str("MOTION\nFrames: 1\nFrame Time: 1\n");
    text.extend(std::iter::repeat_n("1 ", n));
    text.push('\n');
    text
}

#[test]
fn b14_a_hierarchy_of_any_depth_costs_no_stack() {
    let text = chain(100_000);
    let error = refused(&text);
    assert_has(
        &error,
        "the number of joints and End Sites is more than 65536; raise `Limits::joints`",
    );
    let limits = Limits::default().with_joints(100_000);
    let warnings = &mut Warnings::new();
    let file = bvh::read_bytes(text.as_bytes(), &Options::strict(), &limits, warnings).unwrap();
    assert_eq!(file.nodes().len(), 100_000);
    let written = file.to_bytes();
    assert!(written.len() < 20 * text.len(), "{} bytes: in proportion", written.len());
    assert_eq!(bvh::read_bytes(&written, &Options::strict(), &limits, warnings).unwrap(), file);
    let rig = bvh::Rig::try_new(&file, &bvh::Convention::default(), warnings).unwrap();
    assert_eq!(rig.skeleton().n_joints(), 100_000);
}

#[test]
fn b14_a_hierarchy_on_one_line_is_read_in_proportion() {
    let (hierarchy, motion) =
        chain(60_000).split_once("MOTION").map(|(a, b)| (a.to_owned(), b.to_owned())).unwrap();
    let line = hierarchy.replace('\n', " ");
    let file = read(format!("{line}\nMOTION{motion}"));
    assert_eq!(file, read(format!("{hierarchy}MOTION{motion}")));
    // The place of a fault in it is still right.
    let at = line.rfind("CHANNELS").unwrap();
    let error = refused(format!("{}CHANNELS 9{}", &line[..at], &line[at + 10..]));
    assert_has(&error, &format!("CHANNELS of `j59999`, line 1, column {}", at + 10));
}

/// A head and rows without end, as many as are asked for; counts what was taken.
struct Endless {
    head: Vec<u8>,
    taken: usize,
}

impl Read for Endless {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        for (index, byte) in out.iter_mut().enumerate() {
            let at = self.taken + index;
            *byte = self.head.get(at).copied().unwrap_or(b"1 2 3\n"[at % 6]);
        }
        self.taken += out.len();
        Ok(out.len())
    }
}

#[test]
fn b14_a_file_without_end_is_refused_at_the_cap() {
    let mut head = with_rows("1000000000", "");
    head.extend(std::iter::repeat_n(' ', 6 - head.len() % 6));
    let mut input = Endless { head: head.into_bytes(), taken: 0 };
    let limits = Limits::default().with_motion_bytes(1 << 20);
    let result = bvh::read_from(&mut input, &Options::lenient(), &limits, &mut Warnings::new());
    assert!(matches!(result, Err(Error::TooLarge { field: "motion_bytes", .. })), "{result:?}");
    assert!(input.taken < (1 << 20) + (1 << 19), "{} bytes were asked for", input.taken);
    // A line without end is no way around it.
    let mut endless = std::io::repeat(b'1');
    let result = bvh::read_from(&mut endless, &Options::strict(), &limits, &mut Warnings::new());
    assert!(matches!(result, Err(Error::TooLarge { .. })), "{result:?}");
}

#[test]
fn b14_the_cap_is_exact_and_a_large_file_is_not_opened() {
    let text = with_rows("1", "1 2 3\n");
    let read = |cap: usize| {
        let limits = Limits::default().with_motion_bytes(cap);
        bvh::read_bytes(text.as_bytes(), &Options::strict(), &limits, &mut Warnings::new())
    };
    assert!(read(text.len()).is_ok());
    assert!(matches!(read(text.len() - 1), Err(Error::TooLarge { .. })));
    let open = |path: &std::path::Path| {
        bvh::read_file(path, &Options::strict(), &Limits::default(), &mut Warnings::new())
    };
    let result = open(std::path::Path::new("no such file.bvh"));
    assert!(matches!(result, Err(Error::Read { ref path, .. }) if path == "no such file.bvh"));
    // As large as a disk, with nothing on it: its size alone refuses it.
    let path = std::env::temp_dir().join(format!("posekit-b14-{}.bvh", std::process::id()));
    let large = std::fs::File::create(&path).unwrap();
    large.set_len(1 << 36).unwrap();
    let begun = std::time::Instant::now();
    let result = open(&path);
    let seconds = begun.elapsed().as_secs_f64();
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(result, Err(Error::TooLarge { field: "motion_bytes", .. })), "{result:?}");
    assert!(seconds < 1.0, "{seconds} s: it was read");
}

#[test]
fn b15_numbers_are_written_the_shortest_way() {
    let text = file(
        "Frames: 2\nFrame Time: 0.0083333\n-0.000000 1.50000 1e-7\n12345.6789 0.30000000000000004 -360\n",
    );
    let written = String::from_utf8(read(&text).to_bytes()).unwrap();
    let expected = file(
        "Frames: 2\nFrame Time: 0.0083333\n-0 1.5 0.0000001\n12345.6789 0.30000000000000004 -360\n",
    );
    assert_eq!(written, expected);
}

#[test]
fn b15_a_file_is_made_of_parts_that_fit() {
    let node = |parent: Option<usize>, is_end_site: bool| Node {
        name: b"n".to_vec(),
        parent,
        offset: posekit::glam::DVec3::Y,
        channels: if is_end_site { Vec::new() } else { vec![Channel::Rotation(Axis::X)] },
        is_end_site,
    };
    let make = |nodes: Vec<Node>, time: f64, values: Vec<f64>| {
        File::try_new(nodes, time, values).map(|file| read(file.to_bytes()) == file)
    };
    assert_eq!(make(vec![node(None, false), node(Some(0), true)], 0.1, vec![1.0]), Ok(true));
    let bad_trees = [
        vec![],
        vec![node(Some(0), false)],
        vec![node(None, false), node(Some(1), false)],
        vec![node(None, false), node(Some(7), false)],
        vec![node(None, false), node(None, false), node(Some(0), false)],
        vec![node(None, true)],
        vec![node(None, false), node(Some(0), true), node(Some(1), false)],
    ];
    for nodes in bad_trees {
        assert!(matches!(make(nodes, 0.1, vec![]), Err(Error::Tree { .. })));
    }
    let one = || vec![node(None, false)];
    for (time, values) in [
        (0.0, vec![]),
        (f64::NAN, vec![]),
        (0.1, vec![f64::NAN]),
        (0.1, vec![f64::INFINITY]),
        (0.1, vec![1e39]),
    ] {
        assert!(matches!(make(one(), time, values), Err(Error::Value { .. })));
    }
    assert!(make(vec![node(None, false), node(Some(0), false)], 0.1, vec![1.0; 3]).is_err());
    let mut twice = one();
    twice[0].channels.push(Channel::Rotation(Axis::X));
    assert!(make(twice, 0.1, vec![]).is_err(), "a channel twice");
    let mut endless = one();
    endless[0].offset.x = f64::INFINITY;
    assert!(make(endless, 0.1, vec![]).is_err(), "an offset that is not finite");
}

/// Every single byte left out, doubled or changed: no panic, and what is read can be written and read again.
#[test]
fn damage_anywhere_is_survived() {
    let text = with_rows("2", "1 2.5 -3e-2\n4 5 6\n").into_bytes();
    let options = [
        Options::strict(),
        Options::lenient(),
        Options::lenient().filling_gaps().with_frame_time(1.0),
    ];
    let mut n_read = 0;
    for at in 0..text.len() {
        for change in
            [&b""[..], b"  ", b"{", b"}", b"\n", b"9", b",", b"-", b"\xFF", b"\r", b"n", b":"]
        {
            let damaged = [&text[..at], change, &text[at + 1..]].concat();
            for options in &options {
                if let Ok(file) = read_with(&damaged, options).0 {
                    let written = file.to_bytes();
                    assert_eq!(read_with(&written, &Options::strict()).0.as_ref(), Ok(&file));
                    n_read += 1;
                }
            }
        }
    }
    assert!(n_read > 1000, "{n_read} were read");
}
