//! Solutions: the file format `posekit.solution/1`.

mod read;
pub(crate) mod write;

use posekit::solve::HoldKind;
use serde::Serialize;

use crate::error::Result;
use crate::json;
use crate::limits::Limits;

/// The name of the format, the first field of every file.
pub const SOLUTION_SCHEMA: &str = "posekit.solution/1";

/// A solution as a file: for plots, for other programs, and for tests.
///
/// A chain in the plane has `angles`, a chain in space `rotations`, a robot or a figure `configuration`; a chain of bare points only `points`.
/// A figure also has `choice` (`method`, `reason`), `misses` (for each task `task`, `name`, `level`, `distance`, `angle`, `met`) and `holds`
/// (`joint`, `by`, `relief`), and its `points` are the origins of its joints. If points belong to named joints, `point_names` has the names.
///
/// # Example
/// ```
/// use posekit_io::{Outcome, SolutionFile};
///
/// let mut solution = SolutionFile::new("two-bone", Outcome::Reached);
/// solution.angles = Some(vec![0.5, -0.25]);
/// let text = solution.to_json()?;
/// assert!(text.contains("\"status\": \"reached\""));
/// assert_eq!(SolutionFile::from_json(&text)?, solution);
/// # Ok::<(), posekit_io::Error>(())
/// ```
///
/// # Example: a value that JSON cannot represent
/// ```
/// use posekit_io::{Outcome, SolutionFile};
///
/// let mut solution = SolutionFile::new("ccd", Outcome::Stalled);
/// solution.error = f64::NAN;
/// assert_eq!(solution.to_json().unwrap_err().to_string(), "`error` is not finite and cannot be written");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields, rename = "SolutionFile"))]
#[serde(tag = "schema", rename = "posekit.solution/1")]
pub struct SolutionFile {
    /// The solver's name on the command line.
    pub solver: String,
    /// The outcome: the fields `status`, `shortfall` and `joints` of the file.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Iterations that were run.
    pub iterations: u32,
    /// Distance from tip to target \[the problem's unit\], by forward kinematics on the returned joint values.
    pub error: f64,
    /// Angle between the tip's orientation and its target \[rad\], if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orientation_error: Option<f64>,
    /// The iteration of the escape from a lock-up, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub escaped_at: Option<u32>,
    /// The iteration in which slow convergence was accelerated, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accelerated_at: Option<u32>,
    /// The name of the method that took over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub escaped_by: Option<String>,
    /// The method that ran, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choice: Option<NamedChoice>,
    /// The error of each task of a figure, in the order of its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub misses: Option<Vec<TaskMiss>>,
    /// The limits and largest changes that hold a figure back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holds: Option<Vec<NamedHold>>,
    /// Joint angles of a chain in the plane, relative, in (-pi, pi] \[rad\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub angles: Option<Vec<f64>>,
    /// Joint rotations of a chain in space, x, y, z, w.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotations: Option<Vec<[f64; 4]>>,
    /// Joint values of a robot by name, in the order of its joints: an object in the file.
    #[serde(serialize_with = "write::some_values", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "typescript",
        ts(type = "Record<string, number | readonly number[]>", optional)
    )]
    pub configuration: Option<Vec<NamedValues>>,
    /// The bases of the bones and the tip, or the origins of a figure's joints, each with as many numbers as the problem has dimensions.
    pub points: Vec<Vec<f64>>,
    /// The names of the points, in the same order: all joints of a figure, including fixed ones; for a robot the joints
    /// that move the tip, and `tip`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point_names: Option<Vec<String>>,
    /// Several solutions, best first, each as `angles`; the fields above repeat the best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solutions: Option<Vec<Vec<f64>>>,
    /// The trace of the solver, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Vec<TraceEntry>>,
}

/// The outcome of a solve.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[non_exhaustive]
#[serde(tag = "status", rename_all = "kebab-case")]
pub enum Outcome {
    /// The tip is on the target, within the tolerance.
    Reached,
    /// The target is proven to be out of reach.
    Unreachable {
        /// Distance that is missing \[the problem's unit\].
        shortfall: f64,
    },
    /// Limits hold the tip back.
    Blocked {
        /// Names of the joints at their limits; `bone0`, `bone1`, ... for a chain.
        joints: Vec<String>,
    },
    /// No progress, without a proof of the cause.
    Stalled,
    /// The iterations ran out.
    IterationLimit,
    /// The caller stopped it.
    Cancelled,
}

/// The method that ran, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct NamedChoice {
    /// The method's name.
    pub method: String,
    /// The reason, as text.
    pub reason: String,
}

/// The error of a task, by forward kinematics on the returned joint values.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct TaskMiss {
    /// The kind of the task, by its name in files.
    pub task: String,
    /// Its name in the figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its level, from 1.
    pub level: u8,
    /// The error in length \[m\], if the task has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<f64>,
    /// The error in angle \[rad\], if the task has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub angle: Option<f64>,
    /// True when it is within the tolerances.
    #[serde(rename = "met")]
    pub is_met: bool,
}

/// A joint that holds a figure back, because it cannot move further.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct NamedHold {
    /// The joint's name.
    pub joint: String,
    /// The cause: the field `by`, a limit by default.
    #[serde(rename = "by", serialize_with = "write::word")]
    #[cfg_attr(feature = "typescript", ts(type = "\"limit\" | \"largest-change\""))]
    pub kind: HoldKind,
    /// By how much the misses would shrink for each unit by which the limit, or the largest change, is relaxed, to first order \[m/rad, m/m\]; 0 if no single limit is the cause.
    pub relief: f64,
}

/// The values of one joint.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedValues {
    /// The joint's name.
    pub name: String,
    /// Its values in the order of a configuration: one for a hinge or a slider (a number in the file), several for others (a list).
    pub values: Vec<f64>,
}

/// The state after one iteration.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct TraceEntry {
    /// The iteration, from 1; 0 is the start.
    pub iteration: u32,
    /// Distance from tip to target after it \[the problem's unit\].
    pub error: f64,
    /// Joint angles after it, of a chain in the plane \[rad\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub angles: Option<Vec<f64>>,
    /// Joint rotations after it, of a chain in space, x, y, z, w.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotations: Option<Vec<[f64; 4]>>,
    /// Points after it. For relaxation the raw relaxed ones, whose distances may differ from the bone lengths.
    pub points: Vec<Vec<f64>>,
}

/// The name of a chain's bone as a joint: `bone0` for the first.
#[must_use]
pub fn bone_name(index: usize) -> String {
    format!("bone{index}")
}

impl SolutionFile {
    /// A solution without values, whose fields can be set.
    #[must_use]
    pub fn new(solver: impl Into<String>, outcome: Outcome) -> Self {
        Self {
            solver: solver.into(),
            outcome,
            iterations: 0,
            error: 0.0,
            orientation_error: None,
            escaped_at: None,
            accelerated_at: None,
            escaped_by: None,
            choice: None,
            misses: None,
            holds: None,
            angles: None,
            rotations: None,
            configuration: None,
            points: Vec::new(),
            point_names: None,
            solutions: None,
            trace: None,
        }
    }

    /// Reads a solution from the text of its file.
    ///
    /// The names and types of all fields are checked, and that numbers are finite. It is not checked whether the numbers of angles, points and joints
    /// agree with one another or with a problem.
    ///
    /// # Errors
    /// Every fault of the text and the fields, with the path of the value, its line and its column.
    pub fn from_json(text: &str) -> Result<Self> {
        Self::from_json_with(text, &Limits::default())
    }

    /// Reads a solution with other limits.
    ///
    /// # Errors
    /// As [`SolutionFile::from_json`].
    pub fn from_json_with(text: &str, limits: &Limits) -> Result<Self> {
        read::read(text, limits)
    }

    /// The text of the solution's file: fields in the order of the format's description, one point or trace entry per line, numbers in the
    /// shortest form that reads back exactly, never -0.
    ///
    /// # Errors
    /// [`Error::NotFinite`](crate::Error::NotFinite) names the field of a NaN or an infinity.
    pub fn to_json(&self) -> Result<String> {
        json::file(self)
    }
}
