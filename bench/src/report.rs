//! The tables: on the terminal and in `RESULTS.md`.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;

use crate::measure::{Row, Settings};
use crate::problems::Case;
use crate::{MAX_ITERATIONS, SEED, TOLERANCE};

/// One case as a Markdown table under a heading.
pub fn case_table(case: &Case, rows: &[Row]) -> String {
    let reference = rows.iter().find(|row| row.is_reference).map(|row| row.mean);
    let mut cells = vec![
        [
            "solver",
            "solved",
            "mean time",
            "median problem",
            "iterations",
            "worst error",
            "times posekit",
        ]
        .map(str::to_owned)
        .to_vec(),
    ];
    for row in rows {
        cells.push(vec![
            row.name.to_owned(),
            format!("{:.1} %", 100.0 * row.solved as f64 / row.total as f64),
            time(row.mean),
            time(row.median),
            row.iterations.map_or_else(|| "-".to_owned(), |count| format!("{count:.1}")),
            if row.rounds == 0 { "-".into() } else { format!("{:.1e}", row.worst_error) },
            reference
                .filter(|_| row.rounds > 0)
                .map_or_else(|| "-".to_owned(), |reference| format!("{:.2}", row.mean / reference)),
        ]);
    }
    let mut text = format!("### {} (`{}`)\n\n{}", case.title, case.name, markdown(&cells));
    for row in rows {
        if let Some(note) = &row.note {
            let _ = write!(text, "\n{}: {note}.\n", row.name);
        }
    }
    text
}

/// A table with its columns aligned, so that it reads as text too; the first row is the head.
pub fn markdown(cells: &[Vec<String>]) -> String {
    let columns = cells.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..columns)
        .map(|column| cells.iter().map(|row| row[column].len()).max().unwrap_or_default())
        .collect();
    let mut text = String::new();
    for (index, row) in cells.iter().enumerate() {
        for (column, cell) in row.iter().enumerate() {
            let width = widths[column];
            let _ = match column {
                0 => write!(text, "| {cell:<width$} "),
                _ => write!(text, "| {cell:>width$} "),
            };
        }
        text.push_str("|\n");
        if index == 0 {
            for (column, width) in widths.iter().enumerate() {
                let dashes = "-".repeat(*width);
                let _ = match column {
                    0 => write!(text, "| {dashes} "),
                    _ => write!(text, "| {}: ", &dashes[1..]),
                };
            }
            text.push_str("|\n");
        }
    }
    text
}

/// Three significant digits, in the unit that suits.
pub(crate) fn time(nanoseconds: f64) -> String {
    let (value, unit) = match nanoseconds {
        t if t.is_nan() => return "-".to_owned(),
        t if t < 1e3 => (t, "ns"),
        t if t < 1e6 => (t / 1e3, "us"),
        t => (t / 1e6, "ms"),
    };
    let digits = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    format!("{value:.digits$} {unit}")
}

/// The headings that the parts of `RESULTS.md` begin at, in their order; before the first is the race.
const PARTS: [&str; 3] = [STEPS, ARMS, LIMBS];

/// Heading of the part about steps of the task solver.
pub const STEPS: &str = "## Steps of the task solver";

/// Heading of the part about robot arms.
pub const ARMS: &str = "## Robot arms";

/// Heading of the part about the success over all limbs.
pub const LIMBS: &str = "## Every arm and limb";

/// Replaces one of the parts of `RESULTS.md`: that with the same heading, or the race.
///
/// # Errors
/// When the file cannot be written.
pub fn write_part(part: &str) -> std::io::Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("RESULTS.md");
    let old = fs::read_to_string(&path).unwrap_or_default();
    fs::write(path, with_part(&old, part))
}

fn with_part(old: &str, part: &str) -> String {
    let place = |text: &str| PARTS.iter().position(|heading| text.starts_with(heading));
    let mut parts = [""; PARTS.len() + 1];
    let mut starts: Vec<usize> = PARTS.iter().filter_map(|heading| old.find(heading)).collect();
    starts.extend([0, old.len()]);
    starts.sort_unstable();
    for range in starts.windows(2) {
        let text = &old[range[0]..range[1]];
        parts[place(text).map_or(0, |place| place + 1)] = text;
    }
    parts[place(part).map_or(0, |place| place + 1)] = part;
    let parts = parts.map(str::trim_end).into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("\n\n") + "\n"
}

/// Machine, compiler, build and commit, as a list.
pub fn circumstances() -> String {
    format!(
        "- machine: {}\n- compiler: {}\n- build: release, `lto = \"thin\"`, `codegen-units = 1`, default target\n- commit: {}\n",
        machine(),
        first_line("rustc", &["--version"]),
        commit(),
    )
}

/// The part of `RESULTS.md` about the race.
pub fn document(settings: &Settings, tables: &[String]) -> String {
    let mut text = String::from("# posekit and its peers\n\n");
    text.push_str("Written by `cargo xtask bench`; every run rewrites it.\n\n");
    text.push_str(&circumstances());
    let _ = write!(
        text,
        "- {} problems per case (seed {SEED}), up to {} rounds in turns, {:.1} s per solver and case\n\
         - tolerance given to every solver: {TOLERANCE:e} of the reach; at most {MAX_ITERATIONS} iterations\n\n",
        settings.problems,
        settings.rounds,
        settings.budget.as_secs_f64(),
    );
    text.push_str(
        "**Solved** is measured on the returned pose, in f64, whatever the solver reports: root in place, \
         every bone within 1e-4 of its length, tip within 1e-4 of the reach (and 1 % for rounding); with a pole, the \
         elbow on its side; the arm within its limits. \
         **Mean time** is per solve over the whole batch, the median of the rounds, failures included. \
         **Median problem** is the middle one when each is timed alone, with the overhead of the clock subtracted. \
         **Worst error** is relative to the reach. **Times posekit** divides by the mean time of posekit's first row \
         (- if posekit has no solver in this comparison).\n\n",
    );
    text.push_str(&tables.join("\n"));
    text
}

fn machine() -> String {
    let cpu_info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu_info
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or("processor unknown", |(_, name)| name.trim());
    let cores = thread::available_parallelism().map_or(0, usize::from);
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().unwrap_or_default();
    format!("{model}, {cores} cores, one used; load average {load} at the end of the run")
}

fn commit() -> String {
    let hash = first_line("git", &["rev-parse", "--short", "HEAD"]);
    let changed = first_line("git", &["status", "--porcelain", "--untracked-files=no"]);
    if changed == "unknown" { hash } else { format!("{hash} with uncommitted changes") }
}

/// The first line a command prints, or `unknown`.
fn first_line(program: &str, arguments: &[&str]) -> String {
    Command::new(program)
        .args(arguments)
        .output()
        .ok()
        .filter(|output| output.status.success())
        .and_then(|output| String::from_utf8(output.stdout).ok())
        .and_then(|text| text.lines().next().map(str::to_owned))
        .unwrap_or_else(|| "unknown".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_is_replaced_alone() {
        let part = |heading, text| format!("{heading}\n\n{text}\n");
        let first = with_part("# Race\n\nold\n", &part(LIMBS, "three"));
        assert_eq!(first, format!("# Race\n\nold\n\n{}", part(LIMBS, "three")));
        let second = with_part(&first, &part(STEPS, "one"));
        let [steps, limbs] = [part(STEPS, "one"), part(LIMBS, "three")];
        assert_eq!(second, format!("# Race\n\nold\n\n{steps}\n{limbs}"));
        let third = with_part(&second, "# Race\n\nnew\n");
        assert_eq!(third, format!("# Race\n\nnew\n\n{steps}\n{limbs}"));
        let fourth = with_part(&with_part(&third, &part(ARMS, "two")), &part(STEPS, "four"));
        let [steps, arms] = [part(STEPS, "four"), part(ARMS, "two")];
        assert_eq!(fourth, format!("# Race\n\nnew\n\n{steps}\n{arms}\n{limbs}"));
    }

    #[test]
    fn times_have_three_digits_and_a_unit() {
        assert_eq!(time(7.5), "7.50 ns");
        assert_eq!(time(75.25), "75.2 ns");
        assert_eq!(time(1234.0), "1.23 us");
        assert_eq!(time(2.5e8), "250 ms");
        assert_eq!(time(f64::NAN), "-");
    }
}
