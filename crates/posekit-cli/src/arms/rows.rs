//! Answers as rows: JSON lines, CSV, Parquet or a table.

use std::path::Path;

use serde::ser::{Serialize, SerializeMap as _, Serializer};

use super::answers::{Answer, Found, Outcome};
use super::sheet::{Column, Kind, ParquetWriter, Value, csv_head, csv_line};
use super::tool::{ArmJoint, Tool};
use crate::args::Format;
use crate::draw::{length_words, scientific};
use crate::failure::{Failure, Result};
use crate::output::{Pending, Stream, json_line};
use crate::report::{degrees, length};
use crate::table::{Align, Cell, Table, WIDTH, width};

/// A sink for answers, one after the other.
pub(super) struct Rows<'t> {
    tool: &'t Tool,
    has_all: bool,
    form: Form,
}

enum Form {
    Jsonl(Stream),
    Csv(Stream),
    Parquet(Box<ParquetWriter<Pending>>),
    /// Kept until the end, because all rows determine the widths of its columns.
    Table(Box<JointTable>, Stream),
}

impl<'t> Rows<'t> {
    /// Begins the output.
    ///
    /// - `has_all`: answers have every solution, not just one
    pub(super) fn begin(
        tool: &'t Tool,
        format: Format,
        output: Option<&Path>,
        has_all: bool,
    ) -> Result<Self> {
        let columns = columns(tool, has_all);
        let form = match format {
            Format::Jsonl => Form::Jsonl(Stream::to(output)?),
            Format::Csv => {
                let mut stream = Stream::to(output)?;
                stream.write(&csv_head(&columns))?;
                Form::Csv(stream)
            }
            Format::Table => {
                Form::Table(Box::new(JointTable::new(tool, has_all)), Stream::to(output)?)
            }
            Format::Parquet => {
                let Some(output) = output else {
                    return Err(Failure::usage(
                        "Parquet is binary; name a file for it, or `-` for standard output: -o FILE",
                    ));
                };
                let writer = ParquetWriter::new(Pending::begin(output)?, &columns, &[]);
                Form::Parquet(Box::new(writer.map_err(Failure::output)?))
            }
            Format::Json => {
                return Err(Failure::usage(
                    "json is for one solution; give --format jsonl, csv, parquet or table",
                ));
            }
        };
        Ok(Self { tool, has_all, form })
    }

    /// Adds an answer; false once the reader has closed the pipe.
    pub(super) fn add(&mut self, answer: &Answer) -> Result<bool> {
        match &mut self.form {
            Form::Jsonl(stream) => stream.write(&line(self.tool, answer, self.has_all)?),
            Form::Csv(stream) => {
                let lines = values(self.tool, answer, self.has_all);
                let lines: String = lines.iter().map(|row| csv_line(row)).collect();
                stream.write(&lines)
            }
            Form::Parquet(writer) => {
                for row in values(self.tool, answer, self.has_all) {
                    writer.row(row).map_err(Failure::output)?;
                }
                Ok(true)
            }
            Form::Table(table, _) => {
                table.add(answer);
                Ok(true)
            }
        }
    }

    /// Writes the remaining rows and completes the file.
    pub(super) fn finish(self) -> Result<()> {
        match self.form {
            Form::Jsonl(stream) | Form::Csv(stream) => stream.finish(),
            Form::Parquet(writer) => writer.finish().map_err(Failure::output)?.finish(),
            Form::Table(table, mut stream) => {
                stream.write(&table.text())?;
                stream.finish()
            }
        }
    }
}

/// Joint values keyed by the names of the joints.
pub(super) struct Joints<'a>(pub(super) &'a [ArmJoint], pub(super) &'a [f64]);

impl Serialize for Joints<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> core::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.1.len()))?;
        for (joint, value) in self.0.iter().zip(self.1) {
            map.serialize_entry(&joint.name, value)?;
        }
        map.end()
    }
}

/// An answer as a line of JSON.
fn line(tool: &Tool, answer: &Answer, has_all: bool) -> Result<String> {
    #[derive(serde::Serialize)]
    struct Line<'a> {
        target: usize,
        status: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        shortfall: Option<f64>,
        #[serde(flatten)]
        pose: Option<Pose<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        iterations: Option<u32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        starts: Option<u32>,
        #[serde(skip_serializing_if = "Option::is_none")]
        solutions: Option<Vec<Pose<'a>>>,
    }
    #[derive(serde::Serialize)]
    struct Pose<'a> {
        joints: Joints<'a>,
        distance: f64,
        #[serde(skip_serializing_if = "Option::is_none")]
        angle: Option<f64>,
    }
    let mut poses = answer.poses.iter().map(|Found { values, distance, angle }| Pose {
        joints: Joints(&tool.joints, values),
        distance: *distance,
        angle: *angle,
    });
    let is_bad = matches!(answer.outcome, Outcome::Bad(_));
    let line = Line {
        target: answer.number,
        status: answer.outcome.word(),
        message: message(&answer.outcome),
        shortfall: shortfall(&answer.outcome),
        pose: if has_all { None } else { poses.next() },
        iterations: answer.effort.map(|[iterations, _]| iterations),
        starts: answer.effort.map(|[_, starts]| starts),
        solutions: (has_all && !is_bad).then(|| poses.collect()),
    };
    json_line(&line)
}

fn message(outcome: &Outcome) -> Option<&str> {
    if let Outcome::Bad(message) = outcome { Some(message) } else { None }
}

const fn shortfall(outcome: &Outcome) -> Option<f64> {
    if let Outcome::Unreachable(shortfall) = outcome { Some(*shortfall) } else { None }
}

/// The columns of rows, those of joints by their names.
fn columns(tool: &Tool, has_all: bool) -> Vec<Column> {
    let mut columns = vec![("target".to_owned(), Kind::Whole)];
    if has_all {
        columns.push(("solution".to_owned(), Kind::Whole));
    }
    columns.push(("status".to_owned(), Kind::Text));
    let first_joint = columns.len();
    let rest = [("distance", Kind::Real), ("angle", Kind::Real), ("shortfall", Kind::Real)];
    columns.extend(rest.map(|(name, kind)| (name.to_owned(), kind)));
    if !has_all {
        columns.extend(["iterations", "starts"].map(|name| (name.to_owned(), Kind::Whole)));
    }
    columns.push(("message".to_owned(), Kind::Text));
    add_joints(&mut columns, first_joint, tool);
    columns
}

/// Adds a column for each joint of an arm, by its name.
pub(super) fn add_joints(columns: &mut Vec<Column>, at: usize, tool: &Tool) {
    let is_taken = |name: &String| columns.iter().any(|(taken, _)| taken == name);
    let joints = tool.joints.iter().map(|joint| {
        let name = joint.name.clone();
        (if is_taken(&name) { format!("{name} (joint)") } else { name }, Kind::Real)
    });
    let joints: Vec<Column> = joints.collect();
    columns.splice(at..at, joints);
}

/// The rows of an answer: one for each of its poses, or one without a pose.
fn values(tool: &Tool, answer: &Answer, has_all: bool) -> Vec<Vec<Value>> {
    let real = |number: Option<f64>| number.map_or(Value::Absent, Value::Real);
    let whole = |number: Option<usize>| {
        number.and_then(|n| i64::try_from(n).ok()).map_or(Value::Absent, Value::Whole)
    };
    let row = |index: usize, found: Option<&Found>| {
        let mut row = vec![whole(Some(answer.number))];
        if has_all {
            row.push(whole(found.map(|_| index + 1)));
        }
        row.push(Value::Text(answer.outcome.word().to_owned()));
        row.extend(
            (0..tool.joints.len()).map(|joint| real(found.map(|found| found.values[joint]))),
        );
        row.push(real(found.map(|found| found.distance)));
        row.push(real(found.and_then(|found| found.angle)));
        row.push(real(shortfall(&answer.outcome)));
        if !has_all {
            let effort = answer.effort.map(|effort| effort.map(|n| Value::Whole(n.into())));
            row.extend(effort.unwrap_or([Value::Absent, Value::Absent]));
        }
        row.push(message(&answer.outcome).map_or(Value::Absent, |m| Value::Text(m.to_owned())));
        row
    };
    if answer.poses.is_empty() {
        return vec![row(0, None)];
    }
    answer.poses.iter().enumerate().map(|(index, found)| row(index, Some(found))).collect()
}

/// At most this many joints have a column: more would not be readable.
const MOST_JOINTS: usize = 8;

/// Answers as a table for people.
pub(super) struct JointTable {
    table: Table,
    is_slide: Vec<bool>,
    has_all: bool,
    /// The meanings of column heads, and the errors of rows.
    notes: Vec<String>,
}

impl JointTable {
    pub(super) fn new(tool: &Tool, has_all: bool) -> Self {
        let joints = &tool.joints[..tool.joints.len().min(MOST_JOINTS)];
        let names = || joints.iter().map(|joint| joint.name.as_str());
        // Besides the joints there are a target, a status and an error.
        let is_narrow =
            names().map(|name| name.chars().count().max(8) + 2).sum::<usize>() < WIDTH - 35;
        let mut notes = Vec::new();
        if !is_narrow {
            notes.extend(names().enumerate().map(|(k, name)| format!("q{} is {name}", k + 1)));
        }
        if joints.len() < tool.joints.len() {
            notes.push(format!("--format jsonl lists all {} joints", tool.joints.len()));
        }
        let mut heads = vec![("target".to_owned(), Align::Right)];
        if has_all {
            heads.push(("solution".to_owned(), Align::Right));
        }
        heads.push(("status".to_owned(), Align::Left));
        heads.extend(names().enumerate().map(|(index, name)| {
            let head = if is_narrow { name.to_owned() } else { format!("q{}", index + 1) };
            (head, Align::Right)
        }));
        heads.push(("error (m)".to_owned(), Align::Right));
        let heads: Vec<(&str, Align)> = heads.iter().map(|(name, a)| (name.as_str(), *a)).collect();
        let is_slide = joints.iter().map(|joint| joint.is_slide).collect();
        Self { table: Table::new(&heads), is_slide, has_all, notes }
    }

    pub(super) fn add(&mut self, answer: &Answer) {
        let words = match &answer.outcome {
            Outcome::Reached => Cell::new("✓ reached").accent(),
            Outcome::Unreachable(shortfall) => {
                let by = length_words(*shortfall, "m");
                self.notes.push(format!("target {} is out of reach by {by}", answer.number));
                Cell::new("○ too far")
            }
            Outcome::NotFound => Cell::new("~ not found"),
            Outcome::Bad(message) => {
                self.notes.push(message.clone());
                Cell::new("✗ invalid")
            }
        };
        let mut poses = answer.poses.iter().enumerate();
        let mut next = poses.next();
        let mut words = Some(words);
        loop {
            let is_first = words.is_some();
            let number = if is_first { answer.number.to_string() } else { String::new() };
            let mut row = vec![Cell::new(number)];
            if self.has_all {
                row.push(Cell::new(next.map(|(k, _)| (k + 1).to_string()).unwrap_or_default()));
            }
            row.push(words.take().unwrap_or_else(|| Cell::new("")));
            for (joint, is_slide) in self.is_slide.iter().enumerate() {
                let value = next.map(|(_, found)| found.values[joint]);
                row.push(Cell::new(value.map(|x| shown(x, *is_slide)).unwrap_or_default()));
            }
            row.push(Cell::new(next.map(|(_, f)| scientific(f.distance)).unwrap_or_default()));
            self.table.row(row);
            next = poses.next();
            if next.is_none() {
                break;
            }
        }
        if self.has_all {
            self.table.end_group();
        }
    }

    pub(super) fn text(&self) -> String {
        let table = self.table.render(width());
        match self.notes.is_empty() {
            true => table,
            false => format!("{table}\n{}\n", self.notes.join("\n")),
        }
    }
}

/// A joint value for people.
fn shown(value: f64, is_slide: bool) -> String {
    if is_slide { length(value, "m") } else { degrees(value) }
}
