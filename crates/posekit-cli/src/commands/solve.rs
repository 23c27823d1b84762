//! `posekit solve`: one problem, one solution.

use posekit::solve::{Detail, Solution};
use posekit_io::problem::{FigureScene, Scene, figure_solution_file, solution_file};

use crate::args::{Format, SolveArgs};
use crate::arms;
use crate::failure::{Failure, Result};
use crate::figure_report;
use crate::input::{Problem, read_problem};
use crate::output::{print, report};
use crate::report as words;

/// Solves and prints.
pub(crate) fn solve(args: &SolveArgs) -> Result<()> {
    if args.arm.is_asked() {
        return arms::solve(args);
    }
    if let Some(option) = args.arm.first_given() {
        return Err(Failure::usage(format!("{option} goes with --targets, --all or --nearest")));
    }
    let (text, solution) = match read_problem(&args.problem)? {
        Problem::Scene(scene) => solve_scene(&scene, args)?,
        Problem::Figure(figure) => solve_figure(&figure, args)?,
    };
    match format(args)? {
        Format::Json => print(&text)?,
        _ => report(&text)?,
    }
    if args.require_reached && !solution.is_reached() {
        return Err(Failure::not_reached());
    }
    Ok(())
}

/// The format of one solution.
fn format(args: &SolveArgs) -> Result<Format> {
    match args.format().unwrap_or(Format::Table) {
        format @ (Format::Table | Format::Json) => Ok(format),
        _ => Err(Failure::usage(
            "--format jsonl, csv and parquet go with --targets, --all or --nearest",
        )),
    }
}

fn detail(args: &SolveArgs) -> Detail {
    if args.trace { Detail::Iterations } else { Detail::Off }
}

fn solve_scene(scene: &Scene, args: &SolveArgs) -> Result<(String, Solution)> {
    let requested = args.solver.solver;
    let solution = scene.solve(requested, &args.solver.settings(scene, detail(args))?)?;
    let ran = solution.choice.method;
    let text = match format(args)? {
        Format::Json => solution_file(scene, ran, &solution, args.trace, args.explain)
            .to_json()
            .map_err(Failure::input)?,
        _ => words::text(scene, [requested, ran], &solution, args.explain),
    };
    Ok((text, solution))
}

fn solve_figure(figure: &FigureScene, args: &SolveArgs) -> Result<(String, Solution)> {
    let requested = args.solver.solver;
    let given = args.solver.settings_for(figure.chosen(requested), true, detail(args))?;
    let mut settings = figure.settings(given);
    args.solver.override_settings(&mut settings);
    let solution = figure.solve(requested, &settings)?;
    let text = match format(args)? {
        Format::Json => figure_solution_file(figure, &solution, &settings, args.trace)
            .to_json()
            .map_err(Failure::input)?,
        _ => figure_report::text(figure, requested, &solution, &settings, args.explain),
    };
    Ok((text, solution))
}
