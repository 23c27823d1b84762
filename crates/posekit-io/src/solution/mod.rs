//! Solutions: the file format `posekit.solution/1`.

mod read;
mod write;

use posekit::solve::HoldKind;

use crate::error::Result;
use crate::limits::Limits;

/// The name of the format, the first field of every file.
pub const SOLUTION_SCHEMA: &str = "posekit.solution/1";

/// What a solver found, as a file: for people who plot, for other programs, and for tests.
///
/// A chain in the plane has `angles`, a chain in space `rotations`, a robot or a figure `configuration`; a chain of bare points has `points` alone.
/// A figure also has `choice` (`method`, `reason`), `misses` (for each task `task`, `name`, `level`, `distance`, `angle`, `met`) and `holds`
/// (`joint`, `by`, `relief`), and its `points` are the origins of its joints. Where points belong to joints with names, `point_names` has them.
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
/// # Example: a value that JSON cannot hold
/// ```
/// use posekit_io::{Outcome, SolutionFile};
///
/// let mut solution = SolutionFile::new("ccd", Outcome::Stalled);
/// solution.error = f64::NAN;
/// assert_eq!(solution.to_json().unwrap_err().to_string(), "`error` is not finite and cannot be written");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SolutionFile {
    /// The solver's name on the command line.
    pub solver: String,
    /// How it ended: the fields `status`, `shortfall` and `joints` of the file.
    pub outcome: Outcome,
    /// Iterations that were run.
    pub iterations: u32,
    /// Distance from tip to target \[the problem's unit\], by forward kinematics on the returned joint values.
    pub error: f64,
    /// Angle between the tip's orientation and the wanted one \[rad\]; when there was one.
    pub orientation_error: Option<f64>,
    /// The iteration in which a lock-up was left, when there was one.
    pub escaped_at: Option<u32>,
    /// The iteration in which slow progress was cut short, when it was.
    pub accelerated_at: Option<u32>,
    /// The name of the method that did either.
    pub escaped_by: Option<String>,
    /// The method that ran, and why.
    pub choice: Option<NamedChoice>,
    /// How far each task of a figure is from holding, in the order of its file.
    pub misses: Option<Vec<TaskMiss>>,
    /// The limits and largest changes that hold a figure back.
    pub holds: Option<Vec<NamedHold>>,
    /// Joint angles of a chain in the plane, relative, in (-pi, pi] \[rad\].
    pub angles: Option<Vec<f64>>,
    /// Joint rotations of a chain in space, x, y, z, w.
    pub rotations: Option<Vec<[f64; 4]>>,
    /// Joint values of a robot by name, in the order of its joints: an object in the file.
    pub configuration: Option<Vec<NamedValues>>,
    /// The bases of the bones and the tip, or the origins of a figure's joints, each with as many numbers as the problem has dimensions.
    pub points: Vec<Vec<f64>>,
    /// What each of the points is the origin of, in the same order: the names of a figure's joints, those that do not move included; of a robot the joints
    /// that move the tip, and `tip`.
    pub point_names: Option<Vec<String>>,
    /// Several solutions, best first, each as `angles`; the fields above repeat the best.
    pub solutions: Option<Vec<Vec<f64>>>,
    /// What the solver did, when asked for.
    pub trace: Option<Vec<TraceEntry>>,
}

/// How a solve ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// The tip is on the target, within the tolerance.
    Reached,
    /// The target is out of range, proven.
    Unreachable {
        /// Distance that is missing \[the problem's unit\].
        shortfall: f64,
    },
    /// Limits hold the tip back.
    Blocked {
        /// Names of the joints at their limits; `bone0`, `bone1`, ... for a chain.
        joints: Vec<String>,
    },
    /// No progress, and no proof why.
    Stalled,
    /// The iterations ran out.
    IterationLimit,
    /// The caller stopped it.
    Cancelled,
}

impl Outcome {
    /// The word for it in a file.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Reached => "reached",
            Self::Unreachable { .. } => "unreachable",
            Self::Blocked { .. } => "blocked",
            Self::Stalled => "stalled",
            Self::IterationLimit => "iteration-limit",
            Self::Cancelled => "cancelled",
        }
    }
}

/// The method that ran, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedChoice {
    /// The method's name.
    pub method: String,
    /// Why, in words.
    pub reason: String,
}

/// How far a task is from holding, by forward kinematics on the returned joint values.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskMiss {
    /// The kind of the task, by its word.
    pub task: String,
    /// What the figure calls it.
    pub name: Option<String>,
    /// Its level, from 1.
    pub level: u8,
    /// In length \[m\]; where the task asks for one.
    pub distance: Option<f64>,
    /// In angle \[rad\]; where the task asks for one.
    pub angle: Option<f64>,
    /// True when it is within the tolerances.
    pub is_met: bool,
}

/// A joint that holds a figure back, because it may not go further.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedHold {
    /// The joint's name.
    pub joint: String,
    /// What keeps it: the field `by`, [`HoldKind::Limit`] when left out.
    pub kind: HoldKind,
    /// By how much the misses would shrink as the limit, or the largest change, gave way, to first order \[m/rad, m/m\]; 0 where no single limit is to blame.
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
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TraceEntry {
    /// Which iteration, from 1; 0 is the start.
    pub iteration: u32,
    /// Distance from tip to target then \[the problem's unit\].
    pub error: f64,
    /// Joint angles then, of a chain in the plane \[rad\].
    pub angles: Option<Vec<f64>>,
    /// Joint rotations then, of a chain in space, x, y, z, w.
    pub rotations: Option<Vec<[f64; 4]>>,
    /// Points then. For relaxation the raw relaxed ones, whose distances may be off.
    pub points: Vec<Vec<f64>>,
}

/// The name of a chain's bone as a joint: `bone0` for the first.
#[must_use]
pub fn bone_name(index: usize) -> String {
    format!("bone{index}")
}

impl SolutionFile {
    /// A solution without values, for its fields to be filled in.
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
    /// Checked: the names and types of all fields, and that numbers are finite. Not checked: whether the counts of angles, points and joints
    /// agree with one another or with a problem.
    ///
    /// # Errors
    /// Every fault of the text and the fields, with the path of the value, its line and its column.
    pub fn from_json(text: &str) -> Result<Self> {
        Self::from_json_with(text, &Limits::default())
    }

    /// Reads a solution with other caps.
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
        write::write(self)
    }
}
