//! `posekit solve` with `--targets`, `--all` or `--nearest`: the arm's own solver.

use std::path::Path;

use posekit::glam::DVec3;

use super::answers::{Answer, How, Outcome, answers};
use super::rows::Rows;
use super::targets::{Row, Target, Targets};
use super::tool::Tool;
use crate::args::{Format, SolveArgs};
use crate::failure::{Failure, Result};
use crate::output::{count, note, report};
use crate::robot::unit_rotation;
use crate::stop::Stop;

/// The largest number of targets solved before the first of their answers is written. The answers do not depend on it.
const AT_ONCE: usize = 4096;

/// Solves one target, or all of a file.
pub(crate) fn solve(args: &SolveArgs) -> Result<()> {
    refuse_task_options(args)?;
    let robot = &args.problem.robot;
    let [tip, base] = [&robot.tip, &args.arm.base].map(Option::as_deref);
    let tool = Tool::of(&args.problem.file, tip, base, robot.start.as_deref())?;
    let how = How::new(&args.arm, args.solver.tolerance)?;
    let output = args.arm.output.as_deref();
    let format = args.format().unwrap_or_else(|| default_format(args, output));
    match &args.arm.targets {
        Some(targets) => {
            let mut source = Targets::open(targets)?;
            let rows = Rows::begin(&tool, format, output, how.all)?;
            solve_many(&tool, &how, &mut source, rows)?.print(args)
        }
        None => {
            let row = Row { number: 1, target: Ok(target(args, &tool)?) };
            let answers = answers(&tool, &[row], &how)?;
            let mut rows = Rows::begin(&tool, format, None, how.all)?;
            let mut count = Count::default();
            for answer in &answers {
                rows.add(answer)?;
                count.add(answer);
            }
            rows.finish()?;
            count.print(args)
        }
    }
}

/// The target of the command line.
fn target(args: &SolveArgs, tool: &Tool) -> Result<Target> {
    let robot = &args.problem.robot;
    let Some(position) = robot.position.as_deref().map(DVec3::from_slice) else {
        return Err(Failure::usage(format!(
            "give a target for {}: --position X Y Z, or --targets FILE",
            tool.tip
        )));
    };
    let orientation = robot.orientation.as_deref().map(unit_rotation).transpose()?;
    Ok(Target { position, orientation, time: None })
}

/// By the extension of the output; for one target a table, for many JSON lines.
fn default_format(args: &SolveArgs, output: Option<&Path>) -> Format {
    let extension = output.and_then(Path::extension).and_then(|extension| extension.to_str());
    match extension.map(str::to_ascii_lowercase).as_deref() {
        Some("csv") => Format::Csv,
        Some("parquet") => Format::Parquet,
        Some("txt") => Format::Table,
        _ if args.arm.targets.is_none() => Format::Table,
        _ => Format::Jsonl,
    }
}

/// Refuses options of the task solvers, which would have no effect.
fn refuse_task_options(args: &SolveArgs) -> Result<()> {
    let solver = &args.solver;
    let given = [
        (args.problem.skeleton.is_some(), "--skeleton"),
        (args.trace, "--trace"),
        (args.explain, "--explain"),
        (solver.first_given().is_some(), solver.first_given().unwrap_or_default()),
    ];
    match given.into_iter().find(|(is_given, _)| *is_given) {
        None => Ok(()),
        Some((_, option)) => Err(Failure::usage(format!(
            "{option} does not apply with --targets, --all or --nearest, which use the arm's own solver"
        ))),
    }
}

/// The number of targets with each outcome.
#[derive(Debug, Default)]
struct Count {
    all: usize,
    reached: usize,
    bad: usize,
    first_bad: Option<String>,
    is_stopped: bool,
}

impl Count {
    fn add(&mut self, answer: &Answer) {
        self.all += 1;
        match &answer.outcome {
            Outcome::Reached => self.reached += 1,
            Outcome::Bad(message) => {
                self.bad += 1;
                self.first_bad.get_or_insert_with(|| message.clone());
            }
            Outcome::Unreachable(_) | Outcome::NotFound => {}
        }
    }

    /// Prints a summary and returns the result of the command.
    fn print(&self, args: &SolveArgs) -> Result<()> {
        if self.is_stopped {
            let rest = if args.arm.output.is_some() { "; no file was written" } else { "" };
            note(&format!("stopped after {} targets{rest}", self.all));
            return Err(Failure::stopped());
        }
        if let Some(output) = &args.arm.output {
            let Self { all, reached, .. } = self;
            report(&format!(
                "{reached} of {} reached: {}\n",
                count(*all, "target"),
                output.display()
            ))?;
        }
        if let Some(first) = &self.first_bad {
            note(&format!(
                "error: {} of {} rows are invalid, the first at {first}",
                self.bad, self.all
            ));
            return Err(Failure::some_failed());
        }
        if args.require_reached && self.reached < self.all {
            return Err(Failure::not_reached());
        }
        Ok(())
    }
}

/// Solves rows as they arrive, until the input ends, the reader closes the pipe, or Ctrl-C is pressed.
fn solve_many(tool: &Tool, how: &How, source: &mut Targets, mut rows: Rows<'_>) -> Result<Count> {
    let stop = Stop::listen();
    let mut count = Count::default();
    loop {
        let next = source.next_rows(AT_ONCE)?;
        if next.is_empty() {
            rows.finish()?;
            return Ok(count);
        }
        for answer in answers(tool, &next, how)? {
            count.add(&answer);
            if !rows.add(&answer)? {
                return Ok(count);
            }
        }
        if stop.is_asked() {
            count.is_stopped = true;
            return Ok(count);
        }
    }
}
