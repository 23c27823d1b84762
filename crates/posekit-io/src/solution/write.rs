//! Writing a solution.

use super::{
    NamedChoice, NamedHold, NamedValues, Outcome, SOLUTION_SCHEMA, SolutionFile, TaskMiss,
    TraceEntry,
};
use crate::error::Result;
use crate::json::{Fields, list_in_lines, list_inline, number, numbers, object, text_value};

pub(super) fn write(solution: &SolutionFile) -> Result<String> {
    let mut file = Fields::new();
    file.add("schema", text_value(SOLUTION_SCHEMA));
    file.add("solver", text_value(&solution.solver));
    file.add("status", text_value(solution.outcome.name()));
    match &solution.outcome {
        Outcome::Unreachable { shortfall } => {
            file.add("shortfall", number(*shortfall, "shortfall")?);
        }
        Outcome::Blocked { joints } => {
            let names: Vec<String> = joints.iter().map(|name| text_value(name)).collect();
            file.add("joints", list_inline(&names));
        }
        _ => {}
    }
    file.add("iterations", solution.iterations.to_string());
    file.add("error", number(solution.error, "error")?);
    let angle = solution.orientation_error.map(|angle| number(angle, "orientation_error"));
    file.add_some("orientation_error", angle.transpose()?);
    file.add_some("escaped_at", solution.escaped_at.map(|at| at.to_string()));
    file.add_some("accelerated_at", solution.accelerated_at.map(|at| at.to_string()));
    file.add_some("escaped_by", solution.escaped_by.as_deref().map(text_value));
    file.add_some("choice", solution.choice.as_ref().map(choice));
    let lines = solution.misses.as_deref().map(misses);
    file.add_some("misses", lines.transpose()?.map(|lines| list_in_lines(&lines)));
    let lines = solution.holds.as_deref().map(holds);
    file.add_some("holds", lines.transpose()?.map(|lines| list_in_lines(&lines)));
    file.add_some("angles", some_numbers(solution.angles.as_deref(), "angles")?);
    let rotations = solution.rotations.as_deref().map(|list| rotations(list, "rotations"));
    file.add_some("rotations", rotations.transpose()?.map(|lines| list_in_lines(&lines)));
    let values = solution.configuration.as_deref().map(configuration);
    file.add_some("configuration", values.transpose()?);
    file.add("points", list_in_lines(&lists(&solution.points, "points")?));
    let names = |names: &Vec<String>| {
        list_in_lines(&names.iter().map(|name| text_value(name)).collect::<Vec<String>>())
    };
    file.add_some("point_names", solution.point_names.as_ref().map(names));
    let solutions = solution.solutions.as_deref().map(|all| lists(all, "solutions"));
    file.add_some("solutions", solutions.transpose()?.map(|lines| list_in_lines(&lines)));
    let trace = solution.trace.as_deref().map(trace);
    file.add_some("trace", trace.transpose()?);
    Ok(file.file())
}

fn choice(choice: &NamedChoice) -> String {
    let mut fields = Fields::new();
    fields.add("method", text_value(&choice.method));
    fields.add("reason", text_value(&choice.reason));
    fields.inline()
}

fn misses(misses: &[TaskMiss]) -> Result<Vec<String>> {
    let line = |(index, miss): (usize, &TaskMiss)| {
        let mut fields = Fields::new();
        fields.add("task", text_value(&miss.task));
        fields.add_some("name", miss.name.as_deref().map(text_value));
        fields.add("level", miss.level.to_string());
        for (name, value) in [("distance", miss.distance), ("angle", miss.angle)] {
            let value = value.map(|value| number(value, &format!("misses[{index}].{name}")));
            fields.add_some(name, value.transpose()?);
        }
        fields.add("met", miss.is_met.to_string());
        Ok(fields.inline())
    };
    misses.iter().enumerate().map(line).collect()
}

fn holds(holds: &[NamedHold]) -> Result<Vec<String>> {
    let line = |(index, hold): (usize, &NamedHold)| {
        let mut fields = Fields::new();
        fields.add("joint", text_value(&hold.joint));
        fields.add("by", text_value(hold.kind.word()));
        fields.add("relief", number(hold.relief, &format!("holds[{index}].relief"))?);
        Ok(fields.inline())
    };
    holds.iter().enumerate().map(line).collect()
}

fn some_numbers(values: Option<&[f64]>, name: &str) -> Result<Option<String>> {
    values.map(|values| numbers(values, name)).transpose()
}

fn lists(lists: &[Vec<f64>], name: &str) -> Result<Vec<String>> {
    lists
        .iter()
        .enumerate()
        .map(|(index, list)| numbers(list, &format!("{name}[{index}]")))
        .collect()
}

fn rotations(rotations: &[[f64; 4]], name: &str) -> Result<Vec<String>> {
    rotations
        .iter()
        .enumerate()
        .map(|(index, rotation)| numbers(rotation, &format!("{name}[{index}]")))
        .collect()
}

fn configuration(values: &[NamedValues]) -> Result<String> {
    let fields: Result<Vec<(String, String)>> = values
        .iter()
        .map(|joint| {
            let name = format!("configuration.{}", joint.name);
            let value = match joint.values.as_slice() {
                [value] => number(*value, &name)?,
                values => numbers(values, &name)?,
            };
            Ok((joint.name.clone(), value))
        })
        .collect();
    Ok(object(&fields?))
}

fn trace(entries: &[TraceEntry]) -> Result<String> {
    let lines: Result<Vec<String>> = entries
        .iter()
        .enumerate()
        .map(|(index, entry)| {
            let name = |field: &str| format!("trace[{index}].{field}");
            let mut fields = Fields::new();
            fields.add("iteration", entry.iteration.to_string());
            fields.add("error", number(entry.error, &name("error"))?);
            fields.add_some("angles", some_numbers(entry.angles.as_deref(), &name("angles"))?);
            let rotations = entry.rotations.as_deref().map(|list| {
                rotations(list, &name("rotations")).map(|rotations| list_inline(&rotations))
            });
            fields.add_some("rotations", rotations.transpose()?);
            fields.add("points", list_inline(&lists(&entry.points, &name("points"))?));
            Ok(fields.inline())
        })
        .collect();
    Ok(list_in_lines(&lines?))
}
