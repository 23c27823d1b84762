//! The sections of `RESULTS.md` about arms and limbs.

use std::fmt::Write as _;

use super::cold::Row;
use super::kernel::{FLOP_PER_CYCLE, Piece};
use super::lines::{self, JUMP, LENGTH, RATE, SPEED};
use super::success::{self, Failure};
use super::{STARTS, TOLERANCE};
use crate::report::{ARMS, LIMBS, circumstances, markdown, time};

/// Everything measured of an arm.
#[derive(Debug)]
pub struct Measured {
    /// Its name.
    pub name: String,
    /// How many joints it has.
    pub n_joints: usize,
    /// From random starts, posekit's first.
    pub cold: Vec<Row>,
    /// Along lines.
    pub lines: Vec<lines::Row>,
    /// The pieces of posekit's solves.
    pub pieces: Vec<Piece>,
}

/// How it was measured.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    /// Targets for each arm.
    pub problems: usize,
    /// Lines for each arm.
    pub lines: usize,
    /// Rounds.
    pub rounds: usize,
    /// Cycles of the processor in a nanosecond.
    pub clock: f64,
}

/// The section about the arms, with its heading.
pub fn section(measured: &[Measured], extent: &Extent, notes: &[String]) -> String {
    let mut text = format!("{ARMS}\n\n{}", circumstances());
    let Extent { problems, lines, rounds, clock } = extent;
    let _ = write!(
        text,
        "- {problems} targets and {lines} lines for each arm (seeds from its name), {rounds} rounds in turns; the time of a target is the median of its rounds\n\
         - tolerance given to every solver: {TOLERANCE:e} m and {TOLERANCE:e} rad; {clock:.2} cycles a nanosecond\n\n",
    );
    for note in notes {
        let _ = write!(text, "{note}\n\n");
    }
    let _ = write!(
        text,
        "Targets are poses of the tool in random configurations inside the limits (half a turn to both sides where a joint has none), and starts are other such \
         configurations. **Solved**: within {TOLERANCE:e} (m, rad) and the limits by the benchmark's own forward kinematics, whatever the solver \
         reports. **Wrong**: reported as solved, but not. Times include failures, setting the start and reading the result. **Worst error** is that of the targets reported as \
         solved \\[m, rad\\]. **Times posekit** divides medians by that of posekit's first row. Solvers without restarts are started again from random configurations, at most \
         {STARTS} starts. Peers marked with * are in Python: CPU time of the call, in a process of its own, on the same targets.\n\n",
    );
    for arm in measured {
        let _ = writeln!(
            text,
            "### {} joints, random starts (`{}`)\n\n{}",
            arm.n_joints,
            arm.name,
            cold_table(&arm.cold)
        );
    }
    text.push_str(&all_table(measured));
    text.push_str(&lines_table(measured));
    text.push_str(&pieces_table(measured, *clock));
    text
}

fn head<const N: usize>(columns: [&str; N]) -> Vec<Vec<String>> {
    vec![columns.map(str::to_owned).to_vec()]
}

fn percent(part: usize, whole: usize) -> String {
    format!("{:.2} %", 100.0 * part as f64 / whole as f64)
}

fn optional(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.1}"))
}

fn cold_table(rows: &[Row]) -> String {
    let mut cells = head([
        "solver",
        "solved",
        "wrong",
        "median",
        "mean",
        "p95",
        "p99",
        "slowest",
        "iterations",
        "starts",
        "worst error",
        "times posekit",
    ]);
    let reference = rows.first().map_or(f64::NAN, |row| row.times.median);
    for row in rows {
        let times = &row.times;
        cells.push(vec![
            row.name.clone(),
            percent(row.solved, row.total),
            row.wrong.to_string(),
            time(times.median),
            time(times.mean),
            time(times.p95),
            time(times.p99),
            time(times.slowest),
            optional(row.iterations),
            optional(row.starts),
            format!("{:.1e}", row.worst_error),
            format!("{:.2}", times.median / reference),
        ]);
    }
    markdown(&cells)
}

/// Who gives all solutions.
fn all_table(measured: &[Measured]) -> String {
    let mut cells = head(["arm", "solver", "solutions", "median", "for each"]);
    for arm in measured {
        for row in &arm.cold {
            let Some(answers) = row.answers else { continue };
            cells.push(vec![
                arm.name.clone(),
                row.name.clone(),
                format!("{answers:.2}"),
                time(row.times.median),
                time(row.times.median / answers),
            ]);
        }
    }
    format!(
        "### All solutions\n\nThe mean number of solutions of a target inside the limits, for each solver that returns all it finds, and the median time of a solve, in total and for each solution.\n\n{}\n",
        markdown(&cells)
    )
}

fn lines_table(measured: &[Measured]) -> String {
    let mut cells = head([
        "arm",
        "solver",
        "median",
        "p99",
        "slowest",
        "completed",
        "slowed",
        "ended",
        "proven",
        "too fast",
        "jumps",
        "worst error",
    ]);
    for arm in measured {
        for row in &arm.lines {
            let pair = |[steps, lines]: [usize; 2]| format!("{steps} on {lines}");
            cells.push(vec![
                arm.name.clone(),
                row.name.to_owned(),
                time(row.times.median),
                time(row.times.p99),
                time(row.times.slowest),
                format!("{} of {}", row.completed, row.lines),
                row.slowed.to_string(),
                row.ended.to_string(),
                row.ends.iter().filter(|end| end.3).count().to_string(),
                pair(row.too_fast),
                pair(row.jumps),
                format!("{:.1e}", row.worst_error),
            ]);
        }
    }
    let nobody = |arm: &Measured| {
        let n = arm.lines.first().map_or(0, |row| row.lines);
        let is_completed = |k: &usize| arm.lines.iter().any(|row| row.which[*k]);
        format!("{} of `{}`", (0..n).filter(|k| !is_completed(k)).count(), arm.name)
    };
    let nobody: Vec<String> = measured.iter().map(nobody).collect();
    let ends: String = measured.iter().map(ends).collect();
    format!(
        "### Lines at {RATE} Hz\n\nStraight lines of {:.1} cm at {SPEED} m/s with the orientation kept, from random configurations and in random directions; every pose of a sample along \
         each is within reach, though not always on one branch. Each target is solved from the solution of the previous one. **Completed**: every target solved, with every joint below its \
         velocity limit (that of its file, or {JUMP} rad/s). **Slowed**: of these, lines whose end is reached later than asked for, because \
         the arm slows down where joints would be too fast. **Ended**: lines with a target that was not reached. **Proven**: of these, lines that no motion inside the limits follows to the end, because every \
         solution for the first pose was followed, and an exact closed form gives all. **Too fast**: steps above a velocity limit, and the lines they are on; \
         **jumps**: the same for {JUMP} rad/s. Times are of single targets; where a solver takes \
         a line as a whole, the mean over its targets, in which the search for its end is included. `Arm::track_from_any` chooses its start among all solutions for the first pose, the others have the given one.\n\n{}\n\
         Lines that no solver completes: {}.\n\n{}",
        100.0 * LENGTH,
        markdown(&cells),
        nobody.join(", "),
        ends,
    )
}

/// Where the lines of an arm end that none of its solutions for the first pose completes.
fn ends(arm: &Measured) -> String {
    let from_any = |row: &&lines::Row| row.name.contains("from_any") && !row.ends.is_empty();
    let Some(row) = arm.lines.iter().find(from_any) else { return String::new() };
    let end = |(line, at, reason, is_proven): &(usize, f64, String, bool)| {
        let proven = if *is_proven { "" } else { ", not proven" };
        format!("{line} at {:.1} cm ({reason}{proven})", 100.0 * at)
    };
    let all: Vec<String> = row.ends.iter().map(end).collect();
    format!("Ends of {} of `{}`, by line: {}.\n\n", row.name, arm.name, all.join("; "))
}

fn pieces_table(measured: &[Measured], clock: f64) -> String {
    let mut cells = head(["arm", "piece", "time", "flop", "at the limit", "share of the limit"]);
    for arm in measured {
        for piece in &arm.pieces {
            let limit = piece.flop.map(|flop| flop / (FLOP_PER_CYCLE * clock));
            let dash = || "-".to_owned();
            cells.push(vec![
                arm.name.clone(),
                piece.name.to_owned(),
                time(piece.time),
                piece.flop.map_or_else(dash, |flop| flop.to_string()),
                limit.map_or_else(dash, time),
                limit.map_or_else(dash, |limit| format!("{:.0} %", 100.0 * limit / piece.time)),
            ]);
        }
    }
    format!(
        "### The costs of the parts\n\nMeans over random configurations. An iteration of `Arm::solve` is the slope of times over iterations in solves from random starts. **Flop** is the count for a general \
         transform for each joint takes, with 30 for a sine and cosine; arms with simpler geometry need less. **The limit** is {FLOP_PER_CYCLE} flop per cycle, that of a core without SIMD.\n\n{}",
        markdown(&cells)
    )
}

/// Failures that a limb is listed with; all are in the file that the command names.
const LISTED: usize = 12;

/// The section about all limbs, with its heading.
pub fn limbs_section(rows: &[success::Row], problems: usize, notes: &[String]) -> String {
    let mut text = format!("{LIMBS}\n\n{}", circumstances());
    let _ = write!(
        text,
        "- {problems} targets for each limb (seeds from its name); `Arm::solve`, first found, {TOLERANCE:e} m and {TOLERANCE:e} rad\n\n",
    );
    for note in notes {
        let _ = write!(text, "{note}\n\n");
    }
    text.push_str(
        "Every URDF and MJCF file of the folder (of MJCF files, limbs with the same numbers once), from the root to each tip and from where the limb begins to each tip, with at least three independent joints. \
         Targets are poses of the tip in random configurations inside the limits, so that each has a solution; starts are other such configurations; joints before the limb are held, and so are ball and free joints. Judged as above; the faster of two runs counts.\n\n",
    );
    for (title, n) in
        [("6 and 7 joints", 6..=7), ("3 to 5 joints", 3..=5), ("8 joints and more", 8..=usize::MAX)]
    {
        let group: Vec<&success::Row> =
            rows.iter().filter(|row| n.contains(&row.n_unknowns)).collect();
        let failed: usize = group.iter().map(|row| row.failures.len()).sum();
        let total: usize = group.iter().map(|row| row.total).sum();
        let _ = write!(
            text,
            "### {title}\n\n{} of {total} targets solved on {} limbs ({failed} failures).\n\n{}\n{}",
            total - failed,
            group.len(),
            limbs_table(&group),
            failures(&group, LISTED),
        );
    }
    text
}

fn limbs_table(rows: &[&success::Row]) -> String {
    let mut cells = head([
        "limb",
        "joints",
        "solved",
        "failures",
        "median",
        "p99",
        "slowest",
        "starts",
        "worst error",
    ]);
    for row in rows {
        let solved = row.total - row.failures.len();
        cells.push(vec![
            row.name.clone(),
            row.n_unknowns.to_string(),
            percent(solved, row.total),
            row.failures.len().to_string(),
            time(row.times.median),
            time(row.times.p99),
            time(row.times.slowest),
            format!("{:.2}", row.starts),
            format!("{:.1e}", row.worst_error),
        ]);
    }
    markdown(&cells)
}

/// The failures of each limb, at most so many.
pub fn failures(rows: &[&success::Row], most: usize) -> String {
    let mut text = String::new();
    for row in rows.iter().filter(|row| !row.failures.is_empty()) {
        let _ = writeln!(text, "{}:\n", row.name);
        for failure in row.failures.iter().take(most) {
            let _ = writeln!(text, "- {}", failure_line(failure));
        }
        match row.failures.len().saturating_sub(most) {
            0 => {}
            more => {
                let _ = writeln!(text, "- and {more} more");
            }
        }
        text.push('\n');
    }
    text
}

fn failure_line(failure: &Failure) -> String {
    let Failure { seed, is_called_reached, verdict } = failure;
    let state = match (is_called_reached, verdict.is_inside) {
        (false, true) => "not found",
        (false, false) => "not found, outside the limits",
        (true, true) => "reported as reached",
        (true, false) => "reported as reached, outside the limits",
    };
    format!("seed {seed}: {state}, {:.1e} m, {:.1e} rad", verdict.distance, verdict.angle)
}
