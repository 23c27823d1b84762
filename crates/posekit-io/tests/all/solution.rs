//! The file `posekit.solution/1`.

use posekit::solve::HoldKind;
use posekit_io::{
    Error, NamedChoice, NamedHold, NamedValues, Outcome, SolutionFile, TaskMiss, TraceEntry,
    bone_name,
};

fn plane_solution() -> SolutionFile {
    let mut solution = SolutionFile::new("ccd", Outcome::Reached);
    solution.iterations = 7;
    solution.error = 1e-7;
    (solution.escaped_at, solution.escaped_by) = (Some(3), Some("direct".into()));
    solution.angles = Some(vec![0.1, -0.0]);
    solution.points = vec![vec![0.0, 0.0], vec![1.0, 0.0], vec![-0.0, 2.5]];
    solution.solutions = Some(vec![vec![0.1, 0.0], vec![0.2, -1.0]]);
    solution.trace = Some(vec![TraceEntry {
        iteration: 1,
        error: 0.2,
        angles: Some(vec![0.3, 0.0]),
        rotations: None,
        points: vec![vec![0.0, 0.0], vec![1.0, 0.0]],
    }]);
    solution
}

fn figure_solution() -> SolutionFile {
    let mut figure =
        SolutionFile::new("least-squares", Outcome::Blocked { joints: vec!["knee".into()] });
    let reason = "tasks that only least squares can do".into();
    figure.choice = Some(NamedChoice { method: "least-squares".into(), reason });
    let miss = TaskMiss {
        task: "look-at".into(),
        name: Some("eyes".into()),
        level: 2,
        distance: None,
        angle: Some(0.5),
        is_met: false,
    };
    let met = TaskMiss { name: None, distance: Some(1e-9), is_met: true, ..miss.clone() };
    figure.misses = Some(vec![miss, met]);
    let hold = NamedHold { joint: "knee".into(), kind: HoldKind::Limit, relief: 0.25 };
    let leashed = NamedHold { joint: "hip".into(), kind: HoldKind::LargestChange, relief: 0.5 };
    figure.holds = Some(vec![hold, leashed]);
    figure
}

/// Before holds said what by, it was always a limit.
#[test]
fn holds_of_older_files_are_limits() {
    let text = figure_solution().to_json().unwrap().replace(" \"by\": \"limit\",", "");
    assert!(text.contains(r#"{ "joint": "knee", "relief": 0.25 }"#), "{text}");
    assert_eq!(SolutionFile::from_json(&text).unwrap(), figure_solution());
}

#[test]
fn points_have_names() {
    let mut solution = figure_solution();
    solution.points = vec![vec![0.0; 3], vec![0.0, 0.0, -0.5]];
    solution.point_names = Some(vec!["hip".into(), "foot".into()]);
    let text = solution.to_json().unwrap();
    assert!(text.contains("\"point_names\": [\n    \"hip\",\n    \"foot\"\n  ]"), "{text}");
    assert_eq!(SolutionFile::from_json(&text).unwrap(), solution);
    let error = SolutionFile::from_json(&text.replace("\"foot\"", "3")).unwrap_err().to_string();
    assert!(error.starts_with("point_names[1], line "), "{error}");
}

#[test]
fn a_figure_says_what_was_missed_and_why() {
    let text = figure_solution().to_json().unwrap();
    let expected = r#"
  "choice": {
    "method": "least-squares",
    "reason": "tasks that only least squares can do"
  },
  "misses": [
    { "task": "look-at", "name": "eyes", "level": 2, "angle": 0.5, "met": false },
    { "task": "look-at", "level": 2, "distance": 1e-9, "angle": 0.5, "met": true }
  ],
  "holds": [
    { "joint": "knee", "by": "limit", "relief": 0.25 },
    { "joint": "hip", "by": "largest-change", "relief": 0.5 }
  ],
"#;
    assert!(text.contains(expected), "{text}");
    for (from, to, part) in [
        (
            "\"met\": false",
            "\"met\": 0",
            "misses[0].met, line 15, column 75: expected true or false",
        ),
        ("\"angle\": 0.5", "\"angle\": -1", "a miss must not be negative"),
        ("\"level\": 2", "\"level\": 256", "a level is from 1 to 255"),
        ("\"relief\"", "\"relieve\"", "holds[0].relieve"),
        ("\"by\": \"limit\"", "\"by\": \"rope\"", "expected limit or largest-change"),
        ("\"reason\"", "\"because\"", "choice.because"),
    ] {
        let error = SolutionFile::from_json(&text.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.contains(part), "`{error}` does not contain `{part}`");
    }
}

#[test]
fn the_text_has_a_fixed_layout() {
    let expected = r#"{
  "schema": "posekit.solution/1",
  "solver": "ccd",
  "status": "reached",
  "iterations": 7,
  "error": 1e-7,
  "escaped_at": 3,
  "escaped_by": "direct",
  "angles": [0.1, 0],
  "points": [
    [0, 0],
    [1, 0],
    [0, 2.5]
  ],
  "solutions": [
    [0.1, 0],
    [0.2, -1]
  ],
  "trace": [
    { "iteration": 1, "error": 0.2, "angles": [0.3, 0], "points": [[0, 0], [1, 0]] }
  ]
}
"#;
    assert_eq!(plane_solution().to_json().unwrap(), expected);
}

#[test]
fn writing_and_reading_again_changes_nothing() {
    let mut space = SolutionFile::new("fabrik", Outcome::Unreachable { shortfall: 0.1 + 0.2 });
    space.orientation_error = Some(0.5);
    space.rotations = Some(vec![[0.0, 0.0, 0.6, 0.8]]);
    space.points = vec![vec![0.0; 3], vec![1.0, 2.0, 3.0]];
    space.trace = Some(vec![TraceEntry {
        rotations: Some(vec![[0.0, 0.0, 0.0, 1.0]]),
        ..TraceEntry::default()
    }]);
    let joints = vec![bone_name(0), "a \"quoted\" name\n".to_owned()];
    let mut robot = SolutionFile::new("ccd", Outcome::Blocked { joints });
    robot.configuration = Some(vec![
        NamedValues { name: "lift".into(), values: vec![0.25] },
        NamedValues { name: "base".into(), values: vec![1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 1.0] },
    ]);
    let mut all = vec![plane_solution(), space, robot, figure_solution()];
    for outcome in [Outcome::Stalled, Outcome::IterationLimit, Outcome::Cancelled] {
        all.push(SolutionFile::new("auto", outcome));
    }
    for solution in all {
        let text = solution.to_json().unwrap();
        let again = SolutionFile::from_json(&text).unwrap();
        assert_eq!(again, solution, "{text}");
        assert_eq!(again.to_json().unwrap(), text);
    }
}

#[test]
fn a_configuration_is_an_object_by_joint_name() {
    let mut robot = SolutionFile::new("ccd", Outcome::Reached);
    robot.configuration = Some(vec![
        NamedValues { name: "lift".into(), values: vec![0.25] },
        NamedValues { name: "ball".into(), values: vec![0.0, 0.0, 0.0, 1.0] },
    ]);
    let text = robot.to_json().unwrap();
    assert!(
        text.contains("\"configuration\": {\n    \"lift\": 0.25,\n    \"ball\": [0, 0, 0, 1]\n  }"),
        "{text}"
    );
}

#[test]
fn no_value_that_json_cannot_hold_is_written() {
    type Spoil = fn(&mut SolutionFile);
    let spoil: [(&str, Spoil); 6] = [
        ("error", |s| s.error = f64::NAN),
        ("angles[1]", |s| s.angles = Some(vec![0.0, f64::INFINITY])),
        ("points[0][1]", |s| s.points[0][1] = f64::NAN),
        ("shortfall", |s| s.outcome = Outcome::Unreachable { shortfall: f64::NEG_INFINITY }),
        ("solutions[1][0]", |s| s.solutions = Some(vec![vec![], vec![f64::NAN]])),
        ("trace[0].points[1][0]", |s| {
            s.trace = Some(vec![TraceEntry {
                points: vec![vec![0.0], vec![f64::NAN]],
                ..TraceEntry::default()
            }]);
        }),
    ];
    for (field, spoil) in spoil {
        let mut solution = plane_solution();
        spoil(&mut solution);
        assert_eq!(solution.to_json().unwrap_err(), Error::NotFinite { field: field.into() });
    }
}

#[test]
fn any_finite_number_survives() {
    let mut bits = 0x2545_F491_4F6C_DD1D_u64;
    let mut angles = Vec::new();
    for _ in 0..20_000 {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        angles.extend(Some(f64::from_bits(bits)).filter(|number| number.is_finite()));
    }
    angles.extend([f64::MIN, f64::MAX, f64::MIN_POSITIVE, f64::from_bits(1)]);
    let mut solution = plane_solution();
    solution.angles = Some(angles.clone());
    let again = SolutionFile::from_json(&solution.to_json().unwrap()).unwrap();
    for (found, expected) in again.angles.unwrap().iter().zip(&angles) {
        assert_eq!(found.to_bits(), expected.to_bits(), "{expected:?}");
    }
}

#[test]
fn faults_are_named() {
    let text = plane_solution().to_json().unwrap();
    let refused = |from: &str, to: &str, part: &str| {
        assert!(text.contains(from), "{from}");
        let error = SolutionFile::from_json(&text.replacen(from, to, 1)).unwrap_err().to_string();
        assert!(error.contains(part), "`{error}` does not contain `{part}`");
    };
    refused("\"reached\"", "\"arrived\"", "unknown status `arrived`");
    refused("\"reached\"", "\"unreachable\"", "`shortfall` is missing");
    refused("\"reached\"", "\"blocked\"", "`joints` is missing");
    refused("\"iterations\": 7", "\"iterations\": 7, \"shortfall\": 1", "has a shortfall");
    refused("\"iterations\": 7", "\"iterations\": 7, \"joints\": []", "has joints");
    refused("\"iterations\": 7", "\"iterations\": -7", "whole number");
    refused("\"iterations\": 7", "\"steps\": 7", "unknown field `steps`");
    refused("1e-7", "-1e-7", "must not be negative");
    refused("[1, 0]", "[1, \"0\"]", "points[1][1]");
    refused("\"iteration\": 1", "\"iteration\": 1, \"note\": 1", "trace[0].note");
}
