//! Reading a solution.

use posekit::solve::HoldKind;

use super::{
    NamedChoice, NamedHold, NamedValues, Outcome, SOLUTION_SCHEMA, SolutionFile, TaskMiss,
    TraceEntry,
};
use crate::error::Result;
use crate::json::{Cursor, Document, Object, check_schema};
use crate::limits::Limits;

const FILE_FIELDS: [&str; 21] = [
    "schema",
    "solver",
    "status",
    "shortfall",
    "joints",
    "iterations",
    "error",
    "orientation_error",
    "escaped_at",
    "accelerated_at",
    "escaped_by",
    "choice",
    "misses",
    "holds",
    "angles",
    "rotations",
    "configuration",
    "points",
    "point_names",
    "solutions",
    "trace",
];

pub(super) fn read(text: &str, limits: &Limits) -> Result<SolutionFile> {
    let document = Document::parse(text, limits)?;
    let root = document.root();
    check_schema(&root, SOLUTION_SCHEMA)?;
    let file = root.object(&FILE_FIELDS)?;
    Ok(SolutionFile {
        solver: file.required("solver")?.text()?.to_owned(),
        outcome: read_outcome(&file)?,
        iterations: file.required("iterations")?.count()?,
        error: file.required("error")?.non_negative("an error")?,
        orientation_error: file
            .optional("orientation_error")
            .map(|error| error.non_negative("an error"))
            .transpose()?,
        escaped_at: file.optional("escaped_at").map(|at| at.count()).transpose()?,
        accelerated_at: file.optional("accelerated_at").map(|at| at.count()).transpose()?,
        escaped_by: file
            .optional("escaped_by")
            .map(|method| method.text().map(str::to_owned))
            .transpose()?,
        choice: file.optional("choice").map(|choice| read_choice(&choice)).transpose()?,
        misses: file.optional("misses").map(|list| each(&list, read_miss)).transpose()?,
        holds: file.optional("holds").map(|list| each(&list, read_hold)).transpose()?,
        angles: file.optional("angles").map(|angles| angles.numbers()).transpose()?,
        rotations: file.optional("rotations").map(|list| read_rotations(&list)).transpose()?,
        configuration: file
            .optional("configuration")
            .map(|q| read_configuration(&q))
            .transpose()?,
        points: read_lists(&file.required("points")?)?,
        point_names: file.optional("point_names").map(|list| read_names(&list)).transpose()?,
        solutions: file.optional("solutions").map(|list| read_lists(&list)).transpose()?,
        trace: file.optional("trace").map(|trace| read_trace(&trace)).transpose()?,
    })
}

fn read_outcome(file: &Object<'_>) -> Result<Outcome> {
    let status = file.required("status")?;
    let outcome = match status.text()? {
        "reached" => Outcome::Reached,
        "unreachable" => {
            let shortfall = file.required("shortfall")?.non_negative("a shortfall")?;
            Outcome::Unreachable { shortfall }
        }
        "blocked" => Outcome::Blocked { joints: read_names(&file.required("joints")?)? },
        "stalled" => Outcome::Stalled,
        "iteration-limit" => Outcome::IterationLimit,
        "cancelled" => Outcome::Cancelled,
        other => {
            return Err(status.invalid(format!(
                "unknown status `{other}`, expected reached, unreachable, blocked, stalled, iteration-limit or cancelled"
            )));
        }
    };
    if let (Some(shortfall), false) =
        (file.optional("shortfall"), matches!(outcome, Outcome::Unreachable { .. }))
    {
        return Err(shortfall.invalid("only the status `unreachable` has a shortfall"));
    }
    if let (Some(joints), false) =
        (file.optional("joints"), matches!(outcome, Outcome::Blocked { .. }))
    {
        return Err(joints.invalid("only the status `blocked` has joints"));
    }
    Ok(outcome)
}

fn read_names(names: &Cursor<'_>) -> Result<Vec<String>> {
    names.list()?.iter().map(|name| name.text().map(str::to_owned)).collect()
}

fn each<T>(list: &Cursor<'_>, read: impl Fn(&Cursor<'_>) -> Result<T>) -> Result<Vec<T>> {
    list.list()?.iter().map(read).collect()
}

fn read_choice(choice: &Cursor<'_>) -> Result<NamedChoice> {
    let fields = choice.object(&["method", "reason"])?;
    Ok(NamedChoice {
        method: fields.required("method")?.text()?.to_owned(),
        reason: fields.required("reason")?.text()?.to_owned(),
    })
}

fn read_miss(miss: &Cursor<'_>) -> Result<TaskMiss> {
    let fields = miss.object(&["task", "name", "level", "distance", "angle", "met"])?;
    let level = fields.required("level")?;
    let number =
        |name: &str| fields.optional(name).map(|value| value.non_negative("a miss")).transpose();
    Ok(TaskMiss {
        task: fields.required("task")?.text()?.to_owned(),
        name: fields.optional("name").map(|name| name.text().map(str::to_owned)).transpose()?,
        level: level.count()?.try_into().map_err(|_| level.invalid("a level is from 1 to 255"))?,
        distance: number("distance")?,
        angle: number("angle")?,
        is_met: fields.required("met")?.flag()?,
    })
}

fn read_hold(hold: &Cursor<'_>) -> Result<NamedHold> {
    let fields = hold.object(&["joint", "by", "relief"])?;
    Ok(NamedHold {
        joint: fields.required("joint")?.text()?.to_owned(),
        kind: fields.optional("by").map_or(Ok(HoldKind::Limit), |by| read_hold_kind(&by))?,
        relief: fields.required("relief")?.number()?,
    })
}

fn read_hold_kind(by: &Cursor<'_>) -> Result<HoldKind> {
    let word = by.text()?;
    let kinds = [HoldKind::Limit, HoldKind::LargestChange];
    kinds.into_iter().find(|kind| kind.word() == word).ok_or_else(|| {
        by.invalid(format!("unknown kind of hold `{word}`, expected limit or largest-change"))
    })
}

fn read_lists(lists: &Cursor<'_>) -> Result<Vec<Vec<f64>>> {
    lists.list()?.iter().map(Cursor::numbers).collect()
}

fn read_rotations(rotations: &Cursor<'_>) -> Result<Vec<[f64; 4]>> {
    rotations.list()?.iter().map(|rotation| rotation.array("x, y, z, w")).collect()
}

fn read_configuration(configuration: &Cursor<'_>) -> Result<Vec<NamedValues>> {
    configuration
        .any_object()?
        .fields()
        .map(|(name, value)| {
            let values = if value.is_list() { value.numbers()? } else { vec![value.number()?] };
            Ok(NamedValues { name: name.to_owned(), values })
        })
        .collect()
}

fn read_trace(trace: &Cursor<'_>) -> Result<Vec<TraceEntry>> {
    trace.list()?.iter().map(read_trace_entry).collect()
}

fn read_trace_entry(entry: &Cursor<'_>) -> Result<TraceEntry> {
    let fields = entry.object(&["iteration", "error", "angles", "rotations", "points"])?;
    Ok(TraceEntry {
        iteration: fields.required("iteration")?.count()?,
        error: fields.required("error")?.non_negative("an error")?,
        angles: fields.optional("angles").map(|angles| angles.numbers()).transpose()?,
        rotations: fields.optional("rotations").map(|list| read_rotations(&list)).transpose()?,
        points: read_lists(&fields.required("points")?)?,
    })
}
